// Names of keys, ranges and defaults are the tables' that the program reads scenarios by, so that
// the page cannot fall behind them.
#include "test/support/format_page.h"

#include "engine/grasp/measure.h"
#include "sampling/grasps/grasps.h"
#include "sampling/language/materials.h"
#include "sampling/language/preset.h"
#include "sampling/language/schema.h"
#include "sampling/language/text.h"
#include "sampling/language/units.h"
#include "sampling/scenario/uncertain.h"
#include "test/support/cmocka.h"

#include <math.h>
#include <string.h>

// How a value is written.
static const char *type_name(gmc_schema_type type)
{
    static const char *const NAMES[GMC_TYPE_COUNT] = {
        [GMC_TYPE_NUMBER] = "number",
        [GMC_TYPE_INTEGER] = "whole number",
        [GMC_TYPE_VECTOR] = "[x, y, z]",
        [GMC_TYPE_STEPS] = "number or [x, y, z]",
        [GMC_TYPE_AXIS] = "axis",
        [GMC_TYPE_AIM] = "name, or [x, y, z]",
        [GMC_TYPE_INERTIA] = "six numbers",
        [GMC_TYPE_POLYGON] = "list of [x, y]",
        [GMC_TYPE_POINTS] = "list of [x, y]",
        [GMC_TYPE_KNOTS] = "list of [time, number]",
        [GMC_TYPE_MOMENT] = "list of [time, number], or map",
        [GMC_TYPE_GOALS] = "map by joint: number, or list of [time, number]",
        [GMC_TYPE_NUMBERS] = "number, or list of numbers",
        [GMC_TYPE_WORD] = "word",
        [GMC_TYPE_NAME] = "name",
        [GMC_TYPE_NAMES] = "list of names",
        [GMC_TYPE_TEXT] = "text",
        [GMC_TYPE_FILE] = "file name",
        [GMC_TYPE_FILES] = "list of folders",
        [GMC_TYPE_BOOL] = "true or false",
        [GMC_TYPE_GROUP] = "map",
        [GMC_TYPE_NAMED] = "map by name",
        [GMC_TYPE_PAIRS] = "map by pair: number, or map",
        [GMC_TYPE_PHASES] = "list of phases",
        [GMC_TYPE_SURFACES] = "name, or map by link",
        [GMC_TYPE_CRITERIA] = "list of criteria",
        [GMC_TYPE_UNCERTAIN] = "map by path",
        [GMC_TYPE_PARAMETERS] = "map by path",
        [GMC_TYPE_CORRELATED] = "map by pair",
        [GMC_TYPE_AXES] = "map by path, or list",
        [GMC_TYPE_ROUNDS] = "whole number, or map",
        [GMC_TYPE_GRASPS] = "file name, or map",
        [GMC_TYPE_LAW] = "word, or map",
        [GMC_TYPE_ARGUMENTS] = "map by name",
        [GMC_TYPE_MAPS] = "list of maps",
        [GMC_TYPE_SHARES] = "map by joint: number",
        [GMC_TYPE_AT_PHASES] = "map by phase: list of criteria",
        [GMC_TYPE_LADDER] = "list of levels",
        [GMC_TYPE_DESIGN] = "design",
        [GMC_TYPE_RECORD] = "choice of trials",
        [GMC_TYPE_HISTOGRAMS] = "list of histograms",
        [GMC_TYPE_PAIR] = "[path, path]",
        [GMC_TYPE_PATHS] = "path, or [path, path]",
        [GMC_TYPE_COUNTS] = "whole number, or list of two",
        [GMC_TYPE_RANGES] = "[lower, upper], or list of two",
    };
    return NAMES[type];
}

// "|" ends a cell.
static void add_cell(gmc_text *out, const char *text)
{
    for (const char *p = text; *p; p++)
        gmc_text_add(out, *p == '|' ? "\\%c" : "%c", *p);
}

static void add_range(gmc_text *out, const gmc_schema_row *row)
{
    bool has_numbers = row->type == GMC_TYPE_NUMBER || row->type == GMC_TYPE_INTEGER ||
                       row->type == GMC_TYPE_VECTOR || row->type == GMC_TYPE_PAIRS ||
                       row->type == GMC_TYPE_COUNTS || row->type == GMC_TYPE_NUMBERS ||
                       row->type == GMC_TYPE_ROUNDS || row->type == GMC_TYPE_CORRELATED;
    if (row->words) {
        for (const char *p = row->words; *p; p++)
            gmc_text_add(out, *p == '|' ? ", " : "%c", *p);
        return;
    }
    if (!has_numbers || (row->lower == -HUGE_VAL && row->upper == HUGE_VAL)) return;
    gmc_text_add(out, row->is_above ? "> " : ">= ");
    gmc_text_add_number(out, row->lower, false);
    if (row->upper == HUGE_VAL) return;
    gmc_text_add(out, ", <= ");
    gmc_text_add_number(out, row->upper, false);
}

static void add_unit(gmc_text *out, const gmc_schema_row *row)
{
    bool has_unit = row->type == GMC_TYPE_NUMBER || row->type == GMC_TYPE_VECTOR ||
                    row->type == GMC_TYPE_STEPS || row->type == GMC_TYPE_INERTIA ||
                    row->type == GMC_TYPE_AIM || row->type == GMC_TYPE_POLYGON ||
                    row->type == GMC_TYPE_POINTS || row->type == GMC_TYPE_KNOTS ||
                    row->type == GMC_TYPE_MOMENT;
    const char *unit = gmc_units_name(row->dimension);
    if (has_unit && strcmp(unit, "1") != 0) gmc_text_add(out, "%s", unit);
}

static void add_default(gmc_text *out, const gmc_schema_row *row)
{
    if (row->fallback && strcmp(row->fallback, "{}") != 0)
        gmc_text_add(out, "`%s`", row->fallback);
    else if (row->is_required && row->rival)
        gmc_text_add(out, "one of these");
    else if (row->is_required)
        gmc_text_add(out, "required");
}

static void add_group(gmc_text *out, gmc_schema_group group)
{
    int count = 0;
    const gmc_schema_row *rows = gmc_schema_group_rows(group, &count);
    gmc_text_add(out,
                 "\n### %s\n\n| key | value | unit | range | default | meaning |\n"
                 "| --- | --- | --- | --- | --- | --- |\n",
                 gmc_schema_group_name(group));
    for (int i = 0; i < count; i++) {
        gmc_text_add(out, "| `%s` | ", rows[i].key);
        bool leads_on = rows[i].type == GMC_TYPE_GROUP || rows[i].type == GMC_TYPE_NAMED ||
                        rows[i].type == GMC_TYPE_GRASPS || rows[i].type == GMC_TYPE_MOMENT ||
                        rows[i].type == GMC_TYPE_MAPS;
        add_cell(out, type_name(rows[i].type));
        if (leads_on && strcmp(gmc_schema_group_name(rows[i].child), rows[i].key) != 0)
            gmc_text_add(out, ": %s", gmc_schema_group_name(rows[i].child));
        gmc_text_add(out, " | ");
        add_unit(out, &rows[i]);
        gmc_text_add(out, " | ");
        add_range(out, &rows[i]);
        gmc_text_add(out, " | ");
        add_default(out, &rows[i]);
        gmc_text_add(out, " | ");
        add_cell(out, rows[i].about);
        if (rows[i].needs) gmc_text_add(out, " (only with `%s`)", rows[i].needs);
        if (rows[i].worlds == GMC_SCHEMA_SOLID) gmc_text_add(out, " (spatial worlds)");
        if (rows[i].worlds == GMC_SCHEMA_FLAT) gmc_text_add(out, " (planar worlds)");
        gmc_text_add(out, " |\n");
    }
}

static void add_keys(gmc_text *out)
{
    for (int g = 0; g < GMC_SCHEMA_GROUP_COUNT; g++)
        add_group(out, (gmc_schema_group)g);
}

static void add_distributions(gmc_text *out)
{
    for (int i = 0; i < gmc_uncertain_form_count; i++)
        gmc_text_add(out, "| `%s` | %s |\n", gmc_uncertain_forms[i].usage,
                     gmc_uncertain_forms[i].about);
}

static void add_measures(gmc_text *out)
{
    for (int i = 0; i < GMC_MEASURE_KIND_COUNT; i++) {
        const gmc_measure_info *m = &gmc_measure_infos[i];
        char usage[GMC_MEASURE_USAGE_MAX];
        gmc_measure_usage(m, "a", "b", usage);
        gmc_text_add(out, "| `%s` | %s | %s |\n", usage, m->unit, m->about);
    }
}

static void add_grasp_formats(gmc_text *out)
{
    for (int i = 0; i < gmc_grasps_format_count; i++)
        gmc_text_add(out, "| `%s` | %s |\n", gmc_grasps_formats[i]->name,
                     gmc_grasps_formats[i]->about);
}

static void add_presets(gmc_text *out)
{
    for (int i = 0; i < gmc_preset_count; i++)
        gmc_text_add(out, "| `%s@%d` | %s |\n", gmc_presets[i].name, gmc_presets[i].version,
                     gmc_presets[i].about);
}

static void add_materials(gmc_text *out)
{
    for (int i = 0; i < gmc_material_pair_count; i++)
        gmc_text_add(out, "| `friction: {%s/%s: %g}` | %s |\n", gmc_material_pairs[i].a,
                     gmc_material_pairs[i].b, gmc_material_pairs[i].friction,
                     gmc_material_pairs[i].source);
    for (int i = 0; i < gmc_material_number_count; i++)
        gmc_text_add(out, "| `%s`: %s | %s |\n", gmc_material_numbers[i].path,
                     gmc_material_numbers[i].value, gmc_material_numbers[i].source);
}

static void add_table(gmc_text *out, const char *name, size_t length)
{
    static const struct {
        const char *name;
        void (*add)(gmc_text *out);
    } TABLES[] = {{"distributions", add_distributions}, {"measures", add_measures},
                  {"grasp formats", add_grasp_formats}, {"presets", add_presets},
                  {"materials", add_materials},         {"keys", add_keys}};
    for (int i = 0; i < GMC_COUNT(TABLES); i++) {
        if (strlen(TABLES[i].name) != length || strncmp(TABLES[i].name, name, length) != 0)
            continue;
        TABLES[i].add(out);
        return;
    }
    fail_msg("scenarios/format.md.in: there is no table %.*s", (int)length, name);
}

char *gmc_format_page(const char *format)
{
    gmc_text out = {0};
    for (const char *line = format, *end; *line; line = end) {
        end = line + strcspn(line, "\n");
        size_t length = (size_t)(end - line);
        end += *end == '\n';
        if (length > 2 && line[0] == '@' && line[length - 1] == '@')
            add_table(&out, line + 1, length - 2);
        else
            gmc_text_add_bytes(&out, line, (size_t)(end - line));
    }
    char *page = NULL;
    assert_int_equal(gmc_text_take(&out, &page), GMC_OK);
    return page;
}

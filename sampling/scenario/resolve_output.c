// What varies, as columns: the CSV design, the sampled columns, and the histograms over them.
#include "engine/grasp/measure.h"
#include "sampling/design/csv.h"
#include "sampling/language/nearest.h"
#include "sampling/language/units.h"
#include "sampling/language/validate.h"
#include "sampling/scenario/grasp_set.h"
#include "sampling/scenario/resolve_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { HISTOGRAMS_BY_DEFAULT = 32 }; // more than that nobody looks through unasked

// ---- sampled columns --------------------------------------------------------------------------

// Index of the sampled column of a path, -1 if it does not vary.
static int find_sampled(const gmc_scenario *scenario, const char *path)
{
    gmc_param wanted = gmc_scenario_find(scenario, path);
    for (int i = 0; i < scenario->sampled_count; i++) {
        if (strcmp(scenario->sampled[i].path, path) == 0) return i;
        if (wanted >= 0 && scenario->sampled[i].target == wanted) return i;
    }
    return -1;
}

static gmc_sampled *add_sampled(gmc_scenario *s, const char *path, gmc_param target)
{
    int known = find_sampled(s, path);
    if (known >= 0) return &s->sampled[known];
    gmc_sampled *column = &s->sampled[s->sampled_count++];
    *column = (gmc_sampled){.path = path,
                            .dimension = s->parameters[target].dimension,
                            .target = target,
                            .axis_index = -1,
                            .uncertain_index = -1,
                            .csv_column = -1};
    return column;
}

// The column of `object.x` where there are several objects.
static gmc_status add_each(gmc_scenario *s, const char *path, gmc_param any, gmc_sampled **column)
{
    *column = add_sampled(s, path, any);
    if ((*column)->by_object) return GMC_OK;
    (*column)->target = -1;
    (*column)->by_object = GMC_NEW(s->arena, s->object_count, gmc_param);
    if (!(*column)->by_object) return GMC_E_ARENA_FULL;
    for (int i = 0; i < s->object_count; i++) {
        char full[GMC_VALIDATE_PATH];
        snprintf(full, sizeof full, "%s.%s", s->objects[i].path, path + 7);
        (*column)->by_object[i] = gmc_scenario_find(s, full);
    }
    return GMC_OK;
}

static gmc_status add_targets(gmc_scenario *s, const char *path, const gmc_param *targets,
                              int count, int axis, int line)
{
    bool is_each = gmc_resolve_is_each(s, path) && !strchr(path, '*');
    for (int i = 0; i < (is_each && count > 0 ? 1 : count); i++) {
        gmc_sampled *column = NULL;
        if (is_each)
            GMC_TRY(add_each(s, path, targets[i], &column));
        else
            column = add_sampled(s, s->parameters[targets[i]].path, targets[i]);
        if (axis >= 0 && column->axis_index < 0) column->axis_index = axis;
        if (line >= 0 && column->uncertain_index < 0) column->uncertain_index = line;
    }
    return GMC_OK;
}

// What grasps decide, object by object; the axis adds nothing to it by itself.
static gmc_status add_grasps(gmc_scenario *s, int axis)
{
    for (int i = 0; i < s->object_count; i++) {
        const gmc_grasp_set *set = s->objects[i].grasps;
        for (int j = 0; set && j < set->target_count; j++)
            GMC_TRY(add_targets(s, set->paths[j], &set->targets[j], 1, axis, -1));
    }
    return GMC_OK;
}

static gmc_status resolve_sampled(const gmc_resolver *r)
{
    gmc_scenario *s = r->scenario;
    int room = s->parameter_count + s->axis_count + s->uncertain_count + s->csv_columns;
    s->sampled = GMC_NEW(s->arena, room + 1, gmc_sampled);
    if (!s->sampled) return GMC_E_ARENA_FULL;
    s->sampled_count = 0;
    for (int i = 0; i < s->axis_count; i++) {
        const gmc_axis_spec *axis = &s->axes[i];
        if (axis->grasps)
            GMC_TRY(add_grasps(s, i));
        else
            GMC_TRY(add_targets(s, axis->path, axis->targets, axis->target_count, i, -1));
    }
    for (int i = 0; i < s->uncertain_count; i++)
        GMC_TRY(add_targets(s, s->uncertain[i].path, s->uncertain[i].targets,
                            s->uncertain[i].target_count, -1, i));
    return GMC_OK;
}

// ---- CSV design -------------------------------------------------------------------------------

bool gmc_resolve_split_header(const gmc_resolver *r, char *name, gmc_source source,
                              gmc_quantity *unit)
{
    *unit = (gmc_quantity){.value = 1};
    char *bracket = strchr(name, '[');
    if (!bracket) return true;
    char text[64];
    const char *end = NULL;
    snprintf(text, sizeof text, "1 %.*s", (int)strcspn(bracket + 1, "]") % 60, bracket + 1);
    while (bracket > name && bracket[-1] == ' ')
        bracket--;
    *bracket = 0;
    if (gmc_units_read(text, unit, &end) == GMC_UNITS_OK && *end == 0) return true;
    gmc_diagnostics_add(r->report, GMC_E_INPUT, source, "for example object.pose.x [mm]",
                        "unknown unit in the name of a column: %.40s", text + 2);
    return false;
}

static gmc_status take_columns(const gmc_resolver *r, const gmc_asset *asset, gmc_csv *csv)
{
    gmc_scenario *s = r->scenario;
    s->csv_columns = csv->column_count;
    s->csv_rows = csv->row_count;
    s->csv_values = GMC_NEW(s->arena, (size_t)(csv->row_count * csv->column_count) + 1, double);
    s->csv_sampled = GMC_NEW(s->arena, csv->column_count, int);
    s->csv_names = GMC_NEW(s->arena, csv->column_count, char *);
    s->csv_places = GMC_NEW(s->arena, csv->column_count, gmc_source);
    if (!s->csv_values || !s->csv_sampled || !s->csv_names || !s->csv_places)
        return GMC_E_ARENA_FULL;
    for (int c = 0; c < csv->column_count; c++) {
        gmc_source source = {
            .file = asset->file, .line = csv->header_line, .column = csv->name_column[c]};
        s->csv_places[c] = source;
        gmc_quantity unit;
        s->csv_names[c] = gmc_arena_text(s->arena, csv->names[c]);
        if (!s->csv_names[c]) return GMC_E_ARENA_FULL;
        if (!gmc_resolve_split_header(r, s->csv_names[c], source, &unit)) continue;
        gmc_param target = gmc_scenario_find(s, s->csv_names[c]);
        if (target >= 0 && unit.has_unit &&
            !gmc_units_fits(s->parameters[target].dimension, unit.exponents, NULL))
            gmc_diagnostics_add(r->report, GMC_E_INPUT, source, NULL, "%.120s: expected %s (%s)",
                                s->csv_names[c], gmc_units_noun(s->parameters[target].dimension),
                                gmc_units_choices(s->parameters[target].dimension));
        for (int64_t row = 0; row < csv->row_count; row++) {
            double value = gmc_csv_value(csv, row, c) * unit.value;
            s->csv_values[row * csv->column_count + c] = value;
            if (target < 0 ||
                (value >= s->parameters[target].lower && value <= s->parameters[target].upper))
                continue;
            gmc_diagnostics_add(r->report, GMC_E_INPUT,
                                (gmc_source){.file = asset->file, .line = csv->lines[row]}, NULL,
                                "%.120s cannot be %.17g", s->csv_names[c], value);
            break;
        }
    }
    return GMC_OK;
}

static gmc_status resolve_csv(const gmc_resolver *r)
{
    gmc_scenario *s = r->scenario;
    if (s->design != GMC_DESIGN_CSV || !s->csv_file) return GMC_OK;
    const gmc_node *node =
        gmc_node_find(gmc_node_find(gmc_node_find(s->tree, "sampling"), "design"), "csv");
    gmc_source source = node ? node->source : (gmc_source){.file = s->file};
    const gmc_asset *asset = gmc_scenario_load_asset(s, s->csv_file, source, r->report);
    if (!asset) return GMC_OK; // reported
    gmc_csv csv = {0};
    gmc_status status = gmc_csv_parse(asset->file, asset->bytes, asset->size, &csv, r->report);
    if (status == GMC_E_INPUT) return GMC_OK; // reported
    GMC_TRY(status);
    if (csv.row_count == 0)
        gmc_diagnostics_add(r->report, GMC_E_INPUT, source, NULL, "%.120s has no rows",
                            s->csv_file);
    status = take_columns(r, asset, &csv);
    gmc_csv_free(&csv);
    return status;
}

// A design sets every parameter that it names, so a column that is none has no place in it.
static void report_idle_column(const gmc_resolver *r, int column)
{
    const gmc_scenario *s = r->scenario;
    char hint[400];
    snprintf(hint, sizeof hint,
             "each column of a design is a parameter; leave this one out:  cut -d, --complement "
             "-f%d %.200s",
             column + 1, s->csv_file);
    gmc_diagnostics_add(r->report, GMC_E_INPUT, s->csv_places[column], hint,
                        "unknown parameter %.120s", s->csv_names[column]);
}

static gmc_status resolve_csv_columns(const gmc_resolver *r)
{
    gmc_scenario *s = r->scenario;
    int kept = 0;
    for (int c = 0; c < s->csv_columns; c++) {
        gmc_param *targets = NULL;
        int count = 0;
        gmc_source source = s->csv_places[c];
        bool is_known = gmc_scenario_find(s, s->csv_names[c]) >= 0 ||
                        strchr(s->csv_names[c], '*') || gmc_resolve_is_each(s, s->csv_names[c]) ||
                        gmc_scenario_nearest(s, s->csv_names[c]);
        if (!is_known && r->is_whole) {
            report_idle_column(r, c);
            continue;
        }
        GMC_TRY(gmc_resolve_path(r, s->csv_names[c], source, &targets, &count));
        if (count == 0) continue;
        GMC_TRY(add_targets(s, s->csv_names[c], targets, count, -1, -1));
        int index = find_sampled(s, s->csv_names[c]);
        s->csv_sampled[c] = index < 0 ? 0 : index;
        s->sampled[s->csv_sampled[c]].csv_column = c;
        kept++;
    }
    // a column that means nothing was reported; nothing may be run with it
    if (kept < s->csv_columns) s->csv_columns = 0;
    return GMC_OK;
}

// ---- histograms -------------------------------------------------------------------------------

static const gmc_column *find_fixed(const char *name)
{
    for (int i = 0; i < GMC_COLUMN_FIXED_COUNT; i++)
        if (strcmp(gmc_fixed_columns[i].name, name) == 0) return &gmc_fixed_columns[i];
    return NULL;
}

// "lift(object)", "friction_needed(rubber/abs)": columns of a scenario's own measures.
static bool is_measure_column(const char *name)
{
    const char *bracket = strchr(name, '(');
    if (!bracket) return false;
    size_t length = (size_t)(bracket - name);
    static const char *const PAIRS[] = {"friction_needed", "slipped"};
    for (int i = 0; i < GMC_COUNT(PAIRS); i++)
        if (strlen(PAIRS[i]) == length && strncmp(PAIRS[i], name, length) == 0) return true;
    for (int i = 0; i < GMC_MEASURE_KIND_COUNT; i++)
        if (strlen(gmc_measure_infos[i].name) == length &&
            strncmp(gmc_measure_infos[i].name, name, length) == 0)
            return true;
    return false;
}

static void report_unknown_column(const gmc_resolver *r, const char *name, gmc_source source)
{
    gmc_nearest nearest = gmc_nearest_start(name);
    for (int i = 0; i < r->scenario->sampled_count; i++)
        gmc_nearest_offer(&nearest, r->scenario->sampled[i].path);
    for (int i = 0; i < GMC_COLUMN_FIXED_COUNT; i++)
        gmc_nearest_offer(&nearest, gmc_fixed_columns[i].name);
    char hint[200];
    snprintf(hint, sizeof hint, "did you mean %.160s?", nearest.best ? nearest.best : "");
    gmc_diagnostics_add(r->report, GMC_E_INPUT, source, nearest.best ? hint : NULL,
                        "unknown parameter or measure %.120s", name);
}

typedef enum column_kind { COLUMN_WRONG, COLUMN_STILL, COLUMN_FINE } column_kind;

static column_kind check_column(const gmc_resolver *r, const gmc_histogram_spec *h, int which)
{
    gmc_scenario *s = r->scenario;
    const char *name = h->name[which];
    int sampled = find_sampled(s, name);
    if (sampled >= 0 && (s->level_count > 0 || s->rank.is_given)) {
        gmc_diagnostics_add(r->report, GMC_OK, h->source,
                            "a histogram of a measure can be had, by the name of its column",
                            s->rank.is_given ? "no success against %.120s: with rank each case has "
                                               "other draws"
                                             : "no success against %.120s: a ladder spares most "
                                               "trials of the designs that it rejects",
                            name);
        return COLUMN_STILL;
    }
    if (sampled >= 0 && (!h->is_map || s->sampled[sampled].axis_index >= 0)) return COLUMN_FINE;
    if (h->is_map) {
        gmc_diagnostics_add(r->report, GMC_E_INPUT, h->source, "add it to study.vary",
                            "output.map: %.120s is not varied by the study", name);
        return COLUMN_WRONG;
    }
    if (find_fixed(name) || is_measure_column(name)) return COLUMN_FINE;
    if (gmc_scenario_find(s, name) < 0) {
        if (gmc_resolve_is_own(s, name)) return COLUMN_WRONG; // its mistake is told
        if (r->is_whole || strncmp(name, "hand.", 5) != 0)
            report_unknown_column(r, name, h->source);
        return COLUMN_WRONG;
    }
    gmc_diagnostics_add(r->report, GMC_OK, h->source, "list it under uncertain or study",
                        "no histogram of %.120s, for it is the same in all trials", name);
    return COLUMN_STILL;
}

static gmc_dimension dimension_of_column(const gmc_scenario *s, const char *name)
{
    int sampled = find_sampled(s, name);
    if (sampled >= 0) return s->sampled[sampled].dimension;
    const gmc_column *fixed = find_fixed(name);
    const char *unit = fixed ? fixed->unit : "1";
    for (int i = 0; i < GMC_MEASURE_KIND_COUNT && !fixed; i++)
        if (strncmp(gmc_measure_infos[i].name, name, strcspn(name, "(")) == 0 &&
            strlen(gmc_measure_infos[i].name) == strcspn(name, "("))
            unit = gmc_measure_infos[i].unit;
    for (int d = 0; d < GMC_DIM_COUNT; d++)
        if (strcmp(gmc_units_name((gmc_dimension)d), unit) == 0) return (gmc_dimension)d;
    return GMC_DIM_NONE;
}

static void read_range(const gmc_resolver *r, gmc_histogram_spec *h, int which,
                       const gmc_node *range)
{
    if (range->kind != GMC_NODE_LIST || range->count != 2) return; // reported
    gmc_schema_row anything = {.lower = -HUGE_VAL, .upper = HUGE_VAL};
    gmc_dimension dimension = dimension_of_column(r->scenario, h->name[which]);
    gmc_validate_number(range->first, "range", &anything, dimension, NULL, r->report);
    gmc_validate_number(range->first->next, "range", &anything, dimension, NULL, r->report);
    if (!range->first->is_number || !range->first->next->is_number) return;
    h->lower[which] = range->first->number;
    h->upper[which] = range->first->next->number;
    if (!(h->lower[which] < h->upper[which]))
        gmc_diagnostics_add(r->report, GMC_E_INPUT, range->source, NULL,
                            "range: the lower end must be below the upper end");
}

static void read_ranges(const gmc_resolver *r, gmc_histogram_spec *h)
{
    const gmc_node *range = gmc_node_find(h->node, "range");
    if (!range || range->kind != GMC_NODE_LIST || range->count != 2) return;
    bool is_nested = range->first->kind == GMC_NODE_LIST;
    if (is_nested != (h->name[1] != NULL)) {
        gmc_diagnostics_add(r->report, GMC_E_INPUT, range->source,
                            "[lower, upper] for one name, [[lower, upper], [lower, upper]] for two",
                            "range does not go with `of`");
        return;
    }
    if (!is_nested) {
        read_range(r, h, 0, range);
        return;
    }
    read_range(r, h, 0, range->first);
    read_range(r, h, 1, range->first->next);
}

// Nothing asked for: every uncertain parameter in one dimension.
static gmc_status add_defaults(gmc_scenario *s)
{
    gmc_histogram_spec *all =
        GMC_NEW(s->arena, s->histogram_count + HISTOGRAMS_BY_DEFAULT, gmc_histogram_spec);
    if (!all) return GMC_E_ARENA_FULL;
    int count = 0;
    for (int i = 0; i < s->sampled_count && count < HISTOGRAMS_BY_DEFAULT; i++)
        if (s->sampled[i].uncertain_index >= 0 || s->sampled[i].csv_column >= 0)
            all[count++] = (gmc_histogram_spec){.name = {s->sampled[i].path, NULL},
                                                .bins = {20, 20},
                                                .lower = {NAN, NAN},
                                                .upper = {NAN, NAN},
                                                .source = {.file = s->file}};
    for (int i = 0; i < s->histogram_count; i++)
        all[count++] = s->histograms[i];
    s->histograms = all;
    s->histogram_count = count;
    return GMC_OK;
}

gmc_status gmc_resolve_histograms(const gmc_resolver *r)
{
    gmc_scenario *s = r->scenario;
    int kept = 0;
    if (s->interval_places > 0) { // nor any by default
        if (s->histogram_count > 0)
            gmc_diagnostics_add(
                r->report, GMC_OK, s->histograms[0].source, NULL,
                "no histograms: interval(...) gives no law, and its places have no weights");
        s->histogram_count = 0;
        return GMC_OK;
    }
    if (s->is_weighted || s->subset.is_given || s->pilot > 0) { // nor any by default
        if (s->histogram_count > 0)
            gmc_diagnostics_add(r->report, GMC_OK, s->histograms[0].source, NULL,
                                "no histograms: with sampling.%s trials do not count alike",
                                s->is_weighted ? "importance"
                                : s->pilot > 0 ? "two_level"
                                               : "subset");
        s->histogram_count = 0;
        return GMC_OK;
    }
    for (int i = 0; i < s->histogram_count; i++) {
        gmc_histogram_spec *h = &s->histograms[i];
        if (!h->name[0]) continue; // reported
        bool is_fine = check_column(r, h, 0) == COLUMN_FINE;
        if (h->name[1]) is_fine = check_column(r, h, 1) == COLUMN_FINE && is_fine;
        if (!is_fine) continue;
        if (h->node && h->node->kind == GMC_NODE_MAP) read_ranges(r, h);
        s->histograms[kept++] = *h;
    }
    s->histogram_count = kept;
    if (gmc_node_find(gmc_node_find(s->tree, "output"), "histograms") || s->level_count > 0 ||
        s->rank.is_given)
        return GMC_OK;
    return add_defaults(s);
}

gmc_status gmc_resolve_columns(const gmc_resolver *r)
{
    GMC_TRY(resolve_csv(r));
    GMC_TRY(resolve_sampled(r));
    return resolve_csv_columns(r);
}

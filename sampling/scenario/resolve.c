// The second half of reading, when the table of parameters is complete: paths become indices, texts
// become distributions and values, and what can be foreseen to fail in a trial is said now.
#include "sampling/scenario/resolve.h"

#include "engine/grasp/measure.h"
#include "engine/math/pose.h"
#include "sampling/design/csv.h"
#include "sampling/design/ladder.h"
#include "sampling/design/optimum.h"
#include "sampling/design/pairs.h"
#include "sampling/design/ranking.h"
#include "sampling/design/subset.h"
#include "sampling/language/expression.h"
#include "sampling/language/nearest.h"
#include "sampling/language/schema.h"
#include "sampling/language/units.h"
#include "sampling/language/validate.h"
#include "sampling/random/stream.h"
#include "sampling/scenario/perturb.h"
#include "sampling/scenario/resolve_internal.h"
#include "sampling/scenario/scenario.h"
#include "sampling/scenario/study.h"
#include "sampling/scenario/uncertain.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

// "object.pose.x [mm]": cut the unit off the header of a column and say what one of it is in SI.
static bool resolve_split_header(const gmc_resolver *r, char *name, gmc_source source,
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
        if (!resolve_split_header(r, s->csv_names[c], source, &unit)) continue;
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

enum { HISTOGRAMS_BY_DEFAULT = 32 }; // more than that nobody looks through unasked

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
        if (r->is_whole || (strncmp(name, "hand.", 5) != 0 && strncmp(name, "robots.", 7) != 0))
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

static gmc_status resolve_histograms(const gmc_resolver *r)
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

// The CSV design and the sampled columns.
static gmc_status resolve_columns(const gmc_resolver *r)
{
    GMC_TRY(resolve_csv(r));
    GMC_TRY(resolve_sampled(r));
    return resolve_csv_columns(r);
}

// ---- derived ----------------------------------------------------------------------------------

// Parameters that follow from others by a formula. What a study or a CSV design sets is set: there
// the formula has no say.

static bool is_among(const gmc_param *targets, int count, gmc_param wanted)
{
    for (int i = 0; targets && i < count; i++)
        if (targets[i] == wanted) return true;
    return false;
}

static bool is_set(const gmc_scenario *s, gmc_param param)
{
    for (int i = 0; i < s->axis_count; i++)
        if (s->axes[i].values && is_among(s->axes[i].targets, s->axes[i].target_count, param))
            return true;
    for (int i = 0; i < s->csv_columns; i++) {
        const gmc_sampled *column = &s->sampled[s->csv_sampled[i]];
        if (column->target == param || is_among(column->by_object, s->object_count, param))
            return true;
    }
    return false;
}

// Which parameters follow from others, in the order in which to work them out.
static gmc_status resolve_derived(gmc_scenario *s)
{
    int count = 0;
    for (int i = 0; i < s->parameter_count; i++)
        count += s->parameters[i].formula != NULL;
    s->derived = GMC_NEW(s->arena, count, gmc_param);
    if (!s->derived) return GMC_E_ARENA_FULL;
    s->derived_count = 0;
    for (int i = 0; i < s->parameter_count; i++) {
        if (is_set(s, i)) s->parameters[i].formula = NULL;
        if (!s->parameters[i].formula) continue;
        // by rank; those of the user's own come first in the table, and all others refer to them
        int at = s->derived_count++;
        int rank = s->parameters[i].formula->rank;
        for (; at > 0 && s->parameters[s->derived[at - 1]].formula->rank > rank; at--)
            s->derived[at] = s->derived[at - 1];
        s->derived[at] = i;
    }
    return GMC_OK;
}

// ---- what changes nothing ---------------------------------------------------------------------
//
// What is asked for and changes nothing. A value on the command line that no trial ever takes is a
// mistake: a sweep over it would compute one thing many times. What stands in a file without effect
// is worth a word: it may have been left there on purpose.

/// Who has the last word about a parameter in every trial.
typedef struct decider {
    const char *block; ///< "uncertain", "study.vary"; NULL: its own value counts
    const char *path;  ///< as the block has it
} decider;

static void decide(decider *by, const gmc_param *targets, int count, const char *block,
                   const char *path)
{
    for (int i = 0; targets && i < count; i++)
        if (targets[i] >= 0) by[targets[i]] = (decider){block, path};
}

static bool is_absolute(const gmc_uncertain *line)
{
    bool is_law = line->relation == GMC_RELATION_NONE && line->targets;
    return is_law && line->change == GMC_CHANGE_ABSOLUTE;
}

static void decide_by_lines(const gmc_scenario *s, decider *by)
{
    for (int patterns = 0; patterns < 2; patterns++) // those with a star come after all others
        for (int i = 0; i < s->uncertain_count; i++) {
            const gmc_uncertain *line = &s->uncertain[i];
            if (line->is_pattern == (patterns == 1) && is_absolute(line))
                decide(by, line->targets, line->target_count, "uncertain", line->path);
        }
    for (int i = 0; i < s->csv_columns; i++) {
        const gmc_sampled *column = &s->sampled[s->csv_sampled[i]];
        decide(by, &column->target, 1, "sampling.design", column->path);
        decide(by, column->by_object, s->object_count, "sampling.design", column->path);
    }
}

// Is the number said, by whatever way?
static bool is_said(const gmc_scenario *s, const decider *by, gmc_param param)
{
    if (!s->parameters[param].is_default || by[param].block) return true;
    for (int i = 0; i < s->uncertain_count; i++)
        for (int k = 0; k < s->uncertain[i].target_count; k++)
            if (s->uncertain[i].targets[k] == param) return true;
    for (int i = 0; i < s->axis_count; i++)
        for (int k = 0; k < s->axes[i].target_count && !s->axes[i].grasps; k++)
            if (s->axes[i].targets[k] == param) return true;
    return false;
}

// What is placed resting is set down from its height, where one is said.
static void find_height(const gmc_scenario *s, const decider *by, gmc_item_spec *item)
{
    item->has_height = item->placed_resting && item->pose.z >= 0 && is_said(s, by, item->pose.z);
}

static void find_heights(gmc_scenario *s, const decider *by)
{
    for (int i = 0; i < s->object_count; i++)
        find_height(s, by, &s->objects[i]);
    for (int i = 0; i < s->scene_count; i++)
        find_height(s, by, &s->scene[i]);
}

static void warn(const gmc_resolver *r, gmc_source source, const char *hint, const char *block,
                 const char *path, const char *why)
{
    gmc_diagnostics_add(r->report, GMC_OK, source, hint, "%s: %.120s %s", block, path, why);
}

// A pair's first coefficient is what those below it are scaled from.
static bool carries_others(const gmc_scenario *s, const char *path)
{
    size_t length = strlen(path);
    for (int i = 0; i < s->parameter_count; i++)
        if (strncmp(s->parameters[i].path, path, length) == 0 &&
            s->parameters[i].path[length] == '.')
            return true;
    return false;
}

// --set PATH=VALUE, where every trial takes another value.
static void check_options(const gmc_resolver *r, const decider *by)
{
    const gmc_scenario *s = r->scenario;
    for (int i = 0; i < s->parameter_count; i++) {
        const gmc_parameter *p = &s->parameters[i];
        char hint[400];
        if (!p->is_option) continue;
        if (!by[i].block || carries_others(s, p->path)) continue;
        snprintf(hint, sizeof hint, "--set '%.100s.%.120s=...' changes that%s", by[i].block,
                 by[i].path,
                 strcmp(by[i].block, "uncertain") == 0
                     ? "; nominal + ... or nominal * ... there would build on the value"
                     : "");
        gmc_diagnostics_add(r->report, GMC_E_INPUT, p->source,
                            strcmp(by[i].block, "sampling.design") == 0 ? NULL : hint,
                            "%.120s has no effect: %s: %.120s decides it in every trial", p->path,
                            by[i].block, by[i].path);
    }
}

// Axes and lines of single parameters that a later word hides.
static void check_hidden(const gmc_resolver *r, const decider *by)
{
    const gmc_scenario *s = r->scenario;
    char why[240];
    for (int i = 0; i < s->axis_count; i++) {
        const gmc_axis_spec *axis = &s->axes[i];
        gmc_param first = axis->target_count > 0 ? axis->targets[0] : -1;
        if (first < 0 || axis->grasps || !by[first].block) continue;
        snprintf(why, sizeof why, "makes no difference: %.40s: %.120s decides it in every trial",
                 by[first].block, by[first].path);
        warn(r, axis->source, "nominal + ... or nominal * ... there would build on the cases",
             "study.vary", axis->path, why);
    }
    for (int i = 0; i < s->uncertain_count; i++) {
        const gmc_uncertain *line = &s->uncertain[i];
        gmc_param first = line->target_count > 0 ? line->targets[0] : -1;
        if (first < 0 || line->is_pattern || line->relation != GMC_RELATION_NONE) continue;
        const char *path = by[first].path;
        if (path && strcmp(by[first].block, "uncertain") == 0 && strchr(path, '*')) {
            snprintf(why, sizeof why, "makes no difference: %.120s comes after it", path);
            warn(r, line->source, "nominal * ... there would build on this line", "uncertain",
                 line->path, why);
        }
    }
}

// Does a claim of study.require have this path in its text?
static bool is_required(const gmc_scenario *s, const char *path)
{
    const gmc_node *claims = gmc_node_find(gmc_node_find(s->tree, "study"), "require");
    if (!claims || claims->kind != GMC_NODE_LIST) return false;
    for (const gmc_node *n = claims->first; n; n = n->next)
        if (n->text && strstr(n->text, path)) return true;
    return false;
}

// Does a formula, or such a claim, have it?
static bool is_named(const gmc_scenario *s, const char *path)
{
    for (int i = 0; i < s->parameter_count; i++) {
        const char *text = s->parameters[i].formula_text;
        if (text && strstr(text, path)) return true;
    }
    return is_required(s, path);
}

// Does a formula have the path as a word of its own?
static bool names(const char *formula, const char *path)
{
    static const char PART[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./";
    size_t length = strlen(path);
    for (const char *at = formula; at && (at = strstr(at, path)); at++) {
        bool is_start = at == formula || !strchr(PART, at[-1]);
        if (is_start && (!at[length] || !strchr(PART, at[length]))) return true;
    }
    return false;
}

// Does a number of the user's own come to count in some trial? One that stands alone counts, one
// that a formula names if what the formula gives does and nothing else decides that.
static void find_counting(const gmc_scenario *s, const decider *by, bool *counts)
{
    for (int i = 0; i < s->parameter_count; i++)
        counts[i] = !gmc_resolve_is_own(s, s->parameters[i].path);
    for (int k = s->derived_count - 1; k >= 0; k--) { // what a formula names comes before it
        gmc_param param = s->derived[k];
        const gmc_compiled_criterion *code = &s->parameters[param].formula->code;
        if (!counts[param] || by[param].block) continue;
        for (int n = 0; n < code->node_count; n++)
            if (code->nodes[n].op == GMC_OP_MEASURE) counts[code->nodes[n].measure] = true;
    }
}

// Who decides what follows from a number that does not count; NULL: nothing follows from it.
static const decider *decider_of(const gmc_scenario *s, const decider *by, gmc_param param)
{
    for (int steps = 0; steps < s->parameter_count; steps++) {
        gmc_param next = -1;
        for (int i = 0; i < s->parameter_count; i++) {
            if (i == param || !s->parameters[i].formula_text ||
                !names(s->parameters[i].formula_text, s->parameters[param].path))
                continue;
            if (by[i].block) return &by[i];
            next = i;
        }
        if (next < 0) return NULL;
        param = next;
    }
    return NULL;
}

// A line or an axis, and the numbers that it sets.
typedef struct setter {
    decider what;
    gmc_source source;
    const gmc_param *targets; // (count)
    int count;
} setter;

static void warn_of_formula(const gmc_resolver *r, const decider *by, const bool *counts,
                            const setter *from)
{
    const gmc_param *targets = from->targets;
    const gmc_scenario *s = r->scenario;
    char why[240];
    for (int i = 0; i < from->count; i++)
        if (counts[targets[i]] || is_required(s, s->parameters[targets[i]].path)) return;
    const decider *cause = from->count > 0 ? decider_of(s, by, targets[0]) : NULL;
    if (!cause) return; // said of the number itself
    snprintf(why, sizeof why,
             "makes no difference: %.40s: %.120s decides in every trial what follows from it",
             cause->block, cause->path);
    bool is_line = strcmp(cause->block, "uncertain") == 0;
    warn(r, from->source,
         is_line ? "nominal + ... or nominal * ... there would build on the formula" : NULL,
         from->what.block, from->what.path, why);
}

// Lines and axes of numbers that only formulas take, of which none has a say.
static void check_formulas(const gmc_resolver *r, const decider *by, const bool *counts)
{
    const gmc_scenario *s = r->scenario;
    for (int i = 0; i < s->uncertain_count; i++) {
        const gmc_uncertain *line = &s->uncertain[i];
        if (line->relation == GMC_RELATION_NONE && line->targets)
            warn_of_formula(
                r, by, counts,
                &(setter){
                    {"uncertain", line->path}, line->source, line->targets, line->target_count});
    }
    for (int i = 0; i < s->axis_count; i++) {
        const gmc_axis_spec *axis = &s->axes[i];
        if (axis->values)
            warn_of_formula(
                r, by, counts,
                &(setter){
                    {"study.vary", axis->path}, axis->source, axis->targets, axis->target_count});
    }
}

// Entries of maps by name that nothing names.
static void check_unnamed(const gmc_resolver *r)
{
    const gmc_scenario *s = r->scenario;
    const gmc_node *own = gmc_node_find(s->tree, "parameters");
    for (const gmc_node *n = own && own->kind == GMC_NODE_MAP ? own->first : NULL; n; n = n->next)
        if (!is_named(s, n->key))
            warn(r, n->key_source, "name it in a formula, or take it out", "parameters", n->key,
                 "has no effect: nothing follows from it");
    for (int i = 0; i < s->camera_count; i++)
        if (!s->sight.is_given || s->sight.camera != i)
            warn(r, s->cameras[i].source, "believed: {object.pose: {seen_by: ...}} names one",
                 "cameras", s->cameras[i].name, "has no effect: nothing is seen by it");
}

// Where the object is seen, which nobody asks for: its errors would be drawn, and change nothing.
static void check_sight(const gmc_resolver *r)
{
    const gmc_scenario *s = r->scenario;
    bool is_read = s->control.sees_object || (s->hand.urdf && !s->hand.mounted_on);
    bool is_planned = false;
    for (int i = 0; i < s->phase_count; i++) {
        is_read = is_read || s->program[i].in_object_frame;
        is_planned = is_planned || s->program[i].is_planned;
    }
    if (!s->sight.is_given || is_read) return;
    const char *hint = "move_to: {frame: object, pose: ...} goes to where the object is seen, and "
                       "control: {sees: [object]} tells a controller; or take believed out";
    if (is_planned) {
        warn(r, s->sight.source, hint, "believed", "object.pose",
             "changes ways around the object alone: no phase goes to where it is seen");
        return;
    }
    gmc_diagnostics_add(r->report, GMC_E_INPUT, s->sight.source, hint,
                        "believed.object.pose: nothing reads where the object is seen: %s, no "
                        "move_to has frame: object, and no controller sees the object",
                        s->hand.urdf ? "a robot carries the hand" : "there is no hand");
}

// The same, now that all is decided; then what changes nothing: an error where the command line
// says it, a warning where a file does.
static gmc_status resolve_idle(const gmc_resolver *r)
{
    const gmc_scenario *s = r->scenario;
    GMC_TRY(resolve_derived(r->scenario));
    decider *by = GMC_NEW(s->arena, s->parameter_count + 1, decider);
    bool *counts = GMC_NEW(s->arena, s->parameter_count + 1, bool);
    if (!by || !counts) return GMC_E_ARENA_FULL;
    if (r->report->error_count > 0) return GMC_OK; // what decides may be missing for another reason
    decide_by_lines(s, by);
    find_heights(r->scenario, by);
    check_hidden(r, by);
    check_unnamed(r);
    check_sight(r);
    for (int i = 0; i < s->axis_count; i++)
        for (int j = 0; s->axes[i].values && j < s->axes[i].target_count; j++)
            if (!by[s->axes[i].targets[j]].block)
                by[s->axes[i].targets[j]] = (decider){"study.vary", s->axes[i].path};
    find_counting(s, by, counts);
    check_formulas(r, by, counts);
    check_options(r, by);
    return GMC_OK;
}

// ---- designs ----------------------------------------------------------------------------------

// Designs: points of the box that axes `between` two numbers span. Each coordinate is addressed by
// (point, path), so that another axis, another seed or more designs move none. Points that a claim
// of `require` refuses are left out: design k is the k-th of the others.

enum {
    TRIES = 10000 // points looked at for one design: so rare a design is a mistake in the claims
};

// The key of designs; any number that is no one's habit as a seed.
static const uint64_t DESIGN_SEED = 0xd1b54a32d192ed03u;

typedef struct gmc_claims {
    gmc_compiled_criterion *list;
    int count;
    double *table; // values of all parameters
} gmc_claims;

// May the targets of an axis have these values? Says if not.
static void resolve_check_values(gmc_diagnostics *report, const gmc_scenario *scenario,
                                 const gmc_axis_spec *axis, const double *values, int count)
{
    for (int j = 0; j < axis->target_count; j++) {
        const gmc_parameter *p = &scenario->parameters[axis->targets[j]];
        for (int k = 0; k < count; k++) {
            if (values[k] >= p->lower && values[k] <= p->upper) continue;
            char text[GMC_UNITS_TEXT];
            gmc_units_print(values[k], text);
            gmc_diagnostics_add(report, GMC_E_INPUT, axis->node->source, NULL,
                                "%.120s cannot be %s %s", p->path, text,
                                gmc_units_name(p->dimension));
            return;
        }
    }
}

// An axis `between(a, b)`, whose targets are known: room for its values.
// @return GMC_OK (also reported), GMC_E_ARENA_FULL
static gmc_status resolve_between(const gmc_uncertain_context *context, gmc_axis_spec *axis)
{
    gmc_scenario *s = context->scenario;
    axis->is_between = true;
    axis->count = s->design_count > 0 ? s->design_count : 1;
    axis->values = GMC_NEW(s->arena, axis->count, double);
    if (!axis->values) return GMC_E_ARENA_FULL;
    if (gmc_uncertain_between(context, axis->node, axis->range) != GMC_OK) {
        axis->range[0] = axis->range[1] = 0;
        return GMC_OK; // reported
    }
    resolve_check_values(context->report, s, axis, axis->range, 2);
    for (int k = 0; k < axis->count; k++) // of the right size until designs are known
        axis->values[k] =
            s->optimise.is_given ? (axis->range[0] + axis->range[1]) / 2 : axis->range[0];
    if (s->design_count == 0 && !s->optimise.is_given)
        gmc_diagnostics_add(
            context->report, GMC_E_INPUT, axis->node->source, "add  designs: 200  under study",
            "study.vary.%.80s: between two numbers, but how many designs is not said", axis->path);
    return GMC_OK;
}

static gmc_expression_found find_own(void *context, const char *name, int *index,
                                     gmc_exponents *exponents)
{
    const gmc_scenario *s = context;
    *index = gmc_scenario_find(s, name);
    if (*index < 0) return GMC_EXPRESSION_UNKNOWN;
    *exponents = gmc_units_exponents(s->parameters[*index].dimension);
    return GMC_EXPRESSION_FOUND;
}

static const char *nearest_own(void *context, const char *name)
{
    return gmc_scenario_likeliest(context, name);
}

static gmc_status read_claims(const gmc_resolver *r, gmc_claims *claims)
{
    gmc_scenario *s = r->scenario;
    const gmc_node *list = gmc_node_find(gmc_node_find(s->tree, "study"), "require");
    const gmc_expression_names names = {
        .context = s, .find = find_own, .nearest = nearest_own, GMC_EXPRESSION_OF_PARAMETERS};
    int room = list && list->kind == GMC_NODE_LIST ? list->count : 0;
    claims->list = GMC_NEW(s->arena, room + 1, gmc_compiled_criterion);
    claims->table = GMC_NEW(s->arena, s->parameter_count + 1, double);
    if (!claims->list || !claims->table) return GMC_E_ARENA_FULL;
    for (const gmc_node *n = room > 0 ? list->first : NULL; n; n = n->next) {
        const gmc_expression *root = NULL;
        if (n->kind != GMC_NODE_SCALAR || n->is_bad) continue; // reported
        gmc_status status = gmc_expression_parse_claim(n, &names, s->arena, r->report, &root);
        if (status == GMC_E_ARENA_FULL) return status;
        if (status == GMC_OK)
            GMC_TRY(gmc_expression_compile(root, s->arena, &claims->list[claims->count++]));
    }
    return GMC_OK;
}

static void place_point(gmc_scenario *s, int design, uint64_t point)
{
    for (int i = 0; i < s->axis_count; i++) {
        gmc_axis_spec *axis = &s->axes[i];
        if (!axis->is_between) continue;
        double u = gmc_stream_uniform(gmc_stream_open(DESIGN_SEED, point, axis->path), 0);
        axis->values[design] = axis->range[0] + u * (axis->range[1] - axis->range[0]);
    }
}

// A case of this design, the first value of all other axes.
static int64_t case_of(const gmc_scenario *s, int design)
{
    int64_t stride = 1;
    int first = 0;
    while (!s->axes[first].is_between)
        first++;
    for (int i = s->axis_count - 1; i > first; i--)
        stride *= gmc_study_leader(s, i) == i ? s->axes[i].count : 1;
    return stride * design;
}

// The values of all such axes, design by design; `is_designed`: there are some.
static gmc_status resolve_designs(const gmc_resolver *r, bool is_designed)
{
    gmc_scenario *s = r->scenario;
    const gmc_node *node = gmc_node_find(gmc_node_find(s->tree, "study"), "designs");
    gmc_claims claims = {0};
    if (!is_designed && s->design_count > 0)
        gmc_diagnostics_add(r->report, GMC_E_INPUT, node->source,
                            "for example  vary: {chute.width: \"between(22 mm, 34 mm)\"}",
                            "study.designs: no axis is between two numbers");
    if (!is_designed || s->design_count == 0) return GMC_OK;
    GMC_TRY(read_claims(r, &claims));
    if (r->report->error_count > 0) return GMC_OK; // numbers that nobody will see
    GMC_TRY(resolve_derived(s));
    uint64_t point = 0;
    for (int design = 0; design < s->design_count; design++) {
        bool is_good = false;
        for (uint64_t last = point + TRIES; point < last && !is_good; point++) {
            place_point(s, design, point);
            if (claims.count > 0) gmc_perturb_believed(s, case_of(s, design), claims.table);
            is_good = gmc_criteria_hold(claims.list, claims.count, claims.table);
        }
        if (is_good) continue;
        gmc_diagnostics_add(r->report, GMC_E_INPUT, node->source, "loosen study.require",
                            "study.designs: of %d points in turn none fulfils what is required",
                            TRIES);
        return GMC_OK;
    }
    return GMC_OK;
}

// ---- grasps -----------------------------------------------------------------------------------

// From files of grasps to cases: each grasp that an object takes becomes a row of values for the
// parameters that its file decides, the target of the hand and the joints' starts, or what the
// columns of a table name. `object` and `grasp` are then one axis over all rows of all objects.

// A start beyond a joint's limit by no more than this is the limit, written with few digits [m,
// rad]
static const double LIMIT_WITHIN = 1e-3;

// ---- values -----------------------------------------------------------------------------------

// Fixed-axis roll, pitch, yaw of a rotation. Roll is taken from what yaw and pitch leave over, so
// that near pitch = +-90 deg, where the two turn about the same axis, their sum is still exact.
static void put_rpy(const gmc_mat3 *R, double rpy[3])
{
    const double *m = R->m;
    double s = 0, c = 1;
    rpy[1] = gmc_atan2(-m[6], sqrt(m[0] * m[0] + m[3] * m[3]));
    rpy[2] = gmc_atan2(m[3], m[0]);
    gmc_sin_cos(rpy[2], &s, &c);
    rpy[0] = gmc_atan2(s * m[2] - c * m[5], c * m[4] - s * m[1]);
    for (int i = 0; i < 3; i++)
        rpy[i] += 0.0; // no negative zero, which prints as one
}

// x, y, z, roll, pitch, yaw of hand.frame in the object's frame.
static void put_target(const gmc_grasp_set *set, const gmc_grasp *grasp, double target[6])
{
    const double *o = set->object, *q = grasp->rotation, *p = grasp->position;
    gmc_pose X_of =
        gmc_pose_make(gmc_quat_from_rpy(o[3], o[4], o[5]), (gmc_vec3){o[0], o[1], o[2]});
    gmc_pose X_fg = gmc_pose_make((gmc_quat){q[0], q[1], q[2], q[3]}, (gmc_vec3){p[0], p[1], p[2]});
    gmc_pose X_og = gmc_pose_multiply(&X_of, &X_fg);
    gmc_pose X_ot = gmc_pose_multiply(&X_og, &set->X_gt);
    target[0] = X_ot.p.x, target[1] = X_ot.p.y, target[2] = X_ot.p.z;
    put_rpy(&X_ot.R, target + 3);
}

// The entry that says where a joint starts; NULL: none does.
static const gmc_grasp_entry *start_of(const gmc_grasp_set *set, const gmc_grasp *grasp, int joint)
{
    const gmc_grasp_entry *found = NULL;
    for (int i = grasp->entry; i < grasp->entry + grasp->entry_count; i++) {
        const gmc_grasp_entry *entry = &set->grasps.entries[i];
        if (entry->kind == GMC_GRASP_PATH || set->name_joint[entry->name] != joint) continue;
        bool is_wanted = entry->kind == GMC_GRASP_OPEN ? set->joints == GMC_GRASP_JOINTS_OPEN
                                                       : set->joints == GMC_GRASP_JOINTS_CLOSED;
        bool is_substitute = entry->kind == GMC_GRASP_CLOSED && !found;
        if (is_wanted || (is_substitute && set->joints == GMC_GRASP_JOINTS_OPEN)) found = entry;
    }
    return found;
}

// A start within the joint's limits; reported if it is beyond by more than rounding.
static double limited(const gmc_resolver *r, const gmc_grasp_set *set,
                      const gmc_joint_setting *joint, const gmc_grasp_entry *entry)
{
    const gmc_parameter *table = r->scenario->parameters;
    double lower = joint->lower < 0 ? -HUGE_VAL : table[joint->lower].nominal;
    double upper = joint->upper < 0 ? HUGE_VAL : table[joint->upper].nominal;
    double within = fmin(fmax(entry->value, lower), upper);
    if (fabs(within - entry->value) <= LIMIT_WITHIN) return within;
    gmc_source source = {.file = set->asset_file, .line = entry->line, .column = entry->column};
    gmc_diagnostics_add(r->report, GMC_E_INPUT, source,
                        "positions are in m and rad, as in the hand's URDF",
                        "joint %.80s moves between %.6g and %.6g, not to %.6g", joint->joint, lower,
                        upper, entry->value);
    return within;
}

// Grasps of a mesh at another size miss it, or meet it by accident.
static void compare_scale(const gmc_resolver *r, const gmc_item_spec *object)
{
    const double SAME = 1e-6; // files keep seven digits, if single precision
    double of_file = object->grasps->grasps.object_scale;
    if (object->kind != GMC_KIND_MESH || object->scale < 0 || !isfinite(of_file)) return;
    double scale = r->scenario->parameters[object->scale].nominal;
    if (fabs(scale / of_file - 1) <= SAME) return;
    gmc_diagnostics_add(r->report, GMC_OK, object->grasps->source,
                        "the same mesh file wants the same scale",
                        "%.120s were made for a mesh scaled by %.6g, %.120s.scale is %.6g m",
                        object->grasps->path, of_file, object->path, scale);
}

// ---- which parameters -------------------------------------------------------------------------

static gmc_status take_targets(gmc_scenario *s, gmc_grasp_set *set, int targets)
{
    set->targets = GMC_NEW(s->arena, targets + 1, gmc_param);
    set->paths = GMC_NEW(s->arena, targets + 1, const char *);
    return set->targets && set->paths ? GMC_OK : GMC_E_ARENA_FULL;
}

static void add_target(gmc_scenario *s, gmc_grasp_set *set, gmc_param target, const char *path)
{
    set->targets[set->target_count] = target;
    set->paths[set->target_count++] = path ? path : s->parameters[target].path;
}

static bool make_values(const gmc_resolver *r, gmc_grasp_set *set)
{
    size_t numbers = (size_t)set->count * (size_t)set->target_count;
    set->values = malloc((numbers + 1) * sizeof *set->values);
    if (!set->values) gmc_diagnostics_add(r->report, GMC_E_MEMORY, set->source, NULL, "no memory");
    return set->values != NULL;
}

static gmc_status resolve_poses(const gmc_resolver *r, gmc_grasp_set *set)
{
    gmc_scenario *s = r->scenario;
    const gmc_robot_spec *hand = &s->hand;
    const gmc_param target[6] = {hand->target.x,    hand->target.y,     hand->target.z,
                                 hand->target.roll, hand->target.pitch, hand->target.yaw};
    for (int i = 0; i < 6; i++)
        if (target[i] < 0) return GMC_OK; // hand.target cannot be read: reported
    GMC_TRY(take_targets(s, set, 6 + hand->joint_count));
    for (int i = 0; i < 6; i++)
        add_target(s, set, target[i], NULL);
    bool *is_set = GMC_NEW(s->arena, hand->joint_count + 1, bool);
    if (!is_set) return GMC_E_ARENA_FULL;
    for (int g = 0; g < set->count && set->name_joint; g++) {
        const gmc_grasp *grasp = &set->grasps.list[set->rows[g]];
        for (int i = grasp->entry; i < grasp->entry + grasp->entry_count; i++) {
            int joint = set->name_joint[set->grasps.entries[i].name];
            if (joint >= 0 && start_of(set, grasp, joint)) is_set[joint] = true;
        }
    }
    for (int j = 0; j < hand->joint_count; j++)
        if (is_set[j] && hand->joints[j].start >= 0)
            add_target(s, set, hand->joints[j].start, NULL);
    if (!make_values(r, set)) return GMC_OK;
    for (int g = 0; g < set->count; g++) {
        const gmc_grasp *grasp = &set->grasps.list[set->rows[g]];
        double *row = set->values + (size_t)g * (size_t)set->target_count;
        int next = 6;
        put_target(set, grasp, row);
        for (int j = 0; j < hand->joint_count; j++) {
            if (!is_set[j] || hand->joints[j].start < 0) continue;
            const gmc_grasp_entry *entry = start_of(set, grasp, j);
            row[next++] = entry ? limited(r, set, &hand->joints[j], entry)
                                : s->parameters[hand->joints[j].start].nominal;
        }
    }
    return GMC_OK;
}

// One column of a table: the parameter that it means for this object, and its unit.
static gmc_status resolve_column(const gmc_resolver *r, const gmc_item_spec *object, int column,
                                 double *unit)
{
    gmc_scenario *s = r->scenario;
    gmc_grasp_set *set = object->grasps;
    const gmc_grasp_name *name = &set->grasps.names[column];
    gmc_source source = {.file = set->asset_file, .line = name->line, .column = name->column};
    char *path = gmc_arena_text(s->arena, name->text), full[GMC_VALIDATE_PATH];
    gmc_quantity quantity;
    if (!path) return GMC_E_ARENA_FULL;
    if (!resolve_split_header(r, path, source, &quantity)) return GMC_OK;
    *unit = quantity.value;
    bool is_each = gmc_resolve_is_each(s, path);
    snprintf(full, sizeof full, is_each ? "%s.%s" : "%.0s%s", object->path,
             path + (is_each ? 7 : 0));
    gmc_param *targets = NULL;
    int count = 0;
    gmc_nearest nearest = gmc_nearest_start(path); // columns that are no paths
    gmc_nearest_offer(&nearest, "confidence");
    gmc_nearest_offer(&nearest, "name");
    if (nearest.best && gmc_scenario_find(s, full) < 0) {
        char hint[40];
        snprintf(hint, sizeof hint, "did you mean %s?", nearest.best);
        gmc_diagnostics_add(r->report, GMC_E_INPUT, source, hint, "unknown column %.80s", path);
        return GMC_OK;
    }
    GMC_TRY(gmc_resolve_path(r, full, source, &targets, &count));
    if (count == 0) return GMC_OK; // reported
    const char *mistake = NULL;
    char wanted[80] = "";
    if (count > 1) mistake = "means several parameters";
    for (int j = 0; j < set->target_count; j++)
        if (set->targets[j] == targets[0]) mistake = "is decided by another column too";
    if (quantity.has_unit &&
        !gmc_units_fits(s->parameters[targets[0]].dimension, quantity.exponents, NULL))
        snprintf(wanted, sizeof wanted, "has a wrong unit: %.40s is expected",
                 gmc_units_noun(s->parameters[targets[0]].dimension));
    if (wanted[0]) mistake = wanted;
    if (mistake)
        gmc_diagnostics_add(r->report, GMC_E_INPUT, source, NULL, "%.120s %s", name->text, mistake);
    add_target(s, set, targets[0], path);
    return GMC_OK;
}

static void check_grasp_value(const gmc_resolver *r, const gmc_grasp_set *set, int target,
                              double value, int line)
{
    const gmc_parameter *p = &r->scenario->parameters[set->targets[target]];
    if (value >= p->lower && value <= p->upper) return;
    gmc_diagnostics_add(r->report, GMC_E_INPUT, (gmc_source){.file = set->asset_file, .line = line},
                        NULL, "%.120s cannot be %.17g", set->paths[target], value);
}

static gmc_status resolve_table(const gmc_resolver *r, const gmc_item_spec *object)
{
    gmc_scenario *s = r->scenario;
    gmc_grasp_set *set = object->grasps;
    int columns = set->grasps.name_count, errors_before = r->report->error_count;
    GMC_TRY(take_targets(s, set, columns));
    double *units = GMC_NEW(s->arena, columns + 1, double);
    if (!units) return GMC_E_ARENA_FULL;
    for (int c = 0; c < columns; c++)
        GMC_TRY(resolve_column(r, object, c, &units[c]));
    if (columns == 0)
        gmc_diagnostics_add(
            r->report, GMC_E_INPUT, (gmc_source){.file = set->asset_file, .line = 1},
            "columns are paths such as hand.target.x", "this table decides nothing");
    bool is_whole = r->report->error_count == errors_before && set->target_count == columns;
    if (!is_whole || !make_values(r, set)) return GMC_OK;
    for (int g = 0; g < set->count; g++) {
        const gmc_grasp *grasp = &set->grasps.list[set->rows[g]];
        for (int c = 0; c < columns; c++) {
            double value = set->grasps.entries[grasp->entry + c].value * units[c];
            check_grasp_value(r, set, c, value, grasp->line);
            set->values[g * columns + c] = value;
        }
    }
    return GMC_OK;
}

// ---- the axis ---------------------------------------------------------------------------------

static gmc_axis_spec *find_axis(const gmc_scenario *s, const char *path)
{
    for (int i = 0; i < s->axis_count; i++)
        if (strcmp(s->axes[i].path, path) == 0) return &s->axes[i];
    return NULL;
}

// All parameters that some grasp of the axis sets, for what asks which axis decides a parameter.
static gmc_status collect_targets(gmc_scenario *s, gmc_axis_spec *axis)
{
    axis->targets = GMC_NEW(s->arena, s->parameter_count + 1, gmc_param);
    bool *is_target = GMC_NEW(s->arena, s->parameter_count + 1, bool);
    if (!axis->targets || !is_target) return GMC_E_ARENA_FULL;
    for (int i = 0; i < s->object_count; i++)
        for (int j = 0; s->objects[i].grasps && j < s->objects[i].grasps->target_count; j++)
            is_target[s->objects[i].grasps->targets[j]] = true;
    axis->target_count = 0;
    for (int p = 0; p < s->parameter_count; p++)
        if (is_target[p]) axis->targets[axis->target_count++] = p;
    return GMC_OK;
}

static void refuse_overlap(const gmc_resolver *r, const gmc_axis_spec *axis)
{
    const gmc_scenario *s = r->scenario;
    for (int i = 0; i < s->axis_count; i++)
        for (int j = 0; &s->axes[i] != axis && j < s->axes[i].target_count; j++)
            for (int k = 0; k < axis->target_count; k++)
                if (axis->targets[k] == s->axes[i].targets[j])
                    gmc_diagnostics_add(r->report, GMC_E_INPUT, s->axes[i].source,
                                        "write under uncertain what is added to it: nominal + ...",
                                        "%.120s is varied here and decided by the grasps too",
                                        s->parameters[axis->targets[k]].path);
}

// One row for each grasp of each of the objects, object by object.
static gmc_status join_axes(const gmc_resolver *r, gmc_axis_spec *grasp, gmc_axis_spec *object)
{
    gmc_scenario *s = r->scenario;
    const int first[1] = {0};
    if (s->object_count == 0) return GMC_OK; // objects that cannot be read
    const int *objects = object ? object->objects : first;
    int object_count = object ? object->count : 1;
    int64_t total = 0;
    for (int i = 0; i < object_count; i++) {
        const gmc_item_spec *item = &s->objects[objects[i]];
        if (!item->grasps)
            gmc_diagnostics_add(r->report, GMC_E_INPUT, item->source, "add  grasps: FILE",
                                "%.120s has no grasps to vary", item->path);
        if (!item->grasps || !item->grasps->values) return GMC_OK;
        total += item->grasps->count;
    }
    if (total > GMC_STUDY_CASES_MAX) {
        gmc_diagnostics_add(r->report, GMC_E_INPUT, grasp->source, NULL, "more than %d cases",
                            GMC_STUDY_CASES_MAX);
        return GMC_OK;
    }
    grasp->objects = GMC_NEW(s->arena, total + 1, int);
    grasp->grasps = GMC_NEW(s->arena, total + 1, int);
    if (!grasp->objects || !grasp->grasps) return GMC_E_ARENA_FULL;
    grasp->count = 0;
    for (int i = 0; i < object_count; i++)
        for (int g = 0; g < s->objects[objects[i]].grasps->count; g++) {
            grasp->objects[grasp->count] = objects[i];
            grasp->grasps[grasp->count++] = g;
        }
    if (!object) return GMC_OK;
    grasp->is_joined = object->is_joined = true;
    object->objects = grasp->objects;
    object->count = grasp->count;
    return GMC_OK;
}

// The axis `grasp`, before files of grasps are looked at.
static gmc_status resolve_grasp_axis(const gmc_resolver *r, gmc_axis_spec *axis)
{
    axis->count = 1;
    bool is_all = !axis->node ||
                  (axis->node->kind == GMC_NODE_SCALAR && strcmp(axis->node->text, "all") == 0);
    if (!is_all)
        gmc_diagnostics_add(r->report, GMC_E_INPUT, axis->node->source,
                            "`where` and `first` under `grasps` of an object choose from its file",
                            "study.vary.grasp: expected all");
    return GMC_OK;
}

// What the grasps of all objects set, and the axis over them, once all other axes are known. Of
// mistakes that are reported, the axis is left with one value.
static gmc_status resolve_grasps(const gmc_resolver *r)
{
    gmc_scenario *s = r->scenario;
    gmc_axis_spec *grasp = find_axis(s, "grasp"), *object = find_axis(s, "object");
    if (!r->is_whole && !s->hand.is_declared) return GMC_OK; // joints may be missing
    int errors_before = r->report->error_count;
    bool is_known = true; // are all files read, and grasps of each chosen?
    for (int i = 0; i < s->object_count; i++) {
        gmc_grasp_set *set = s->objects[i].grasps;
        if (!set) continue;
        if (!grasp)
            gmc_diagnostics_add(r->report, GMC_E_INPUT, set->source,
                                s->object_count > 1 ? "add  study: {vary: [object, grasp]}"
                                                    : "add  study: {vary: [grasp]}",
                                "%.120s: which of the grasps a trial tries is not said", set->path);
        is_known = is_known && set->count > 0;
        if (set->count == 0) continue; // reported
        if (set->grasps.has_poses) compare_scale(r, &s->objects[i]);
        if (set->grasps.has_poses)
            GMC_TRY(resolve_poses(r, set));
        else
            GMC_TRY(resolve_table(r, &s->objects[i]));
    }
    if (!grasp || !is_known || r->report->error_count > errors_before) return GMC_OK;
    GMC_TRY(collect_targets(s, grasp));
    refuse_overlap(r, grasp);
    return join_axes(r, grasp, object);
}

// ---- optimise ---------------------------------------------------------------------------------

// What `study.optimise` and `study.together` must fit, all of it told at once.

// Do the axes of study.together have as many values each? Says if not.
static void resolve_together(const gmc_resolver *r)
{
    gmc_scenario *s = r->scenario;
    const gmc_axis_spec *first = s->axes;
    for (int i = 0; s->is_together && i < s->axis_count; i++) {
        gmc_axis_spec *axis = &s->axes[i];
        if (!axis->is_together)
            gmc_diagnostics_add(r->report, GMC_E_INPUT, axis->source,
                                "leave  together  out, or list values:  path: [a, b, c]",
                                "study.together: %.120s is no list of values", axis->path);
        else if (axis->count != first->count)
            gmc_diagnostics_add(r->report, GMC_E_INPUT, axis->source,
                                "case k has the k-th value of each axis",
                                "study.together: %.120s has %d values, %.120s has %d", axis->path,
                                axis->count, first->path, first->count);
        else
            continue;
        axis->count = first->count; // cases can be counted
    }
}

static void refuse_optimise(const gmc_resolver *r, const char *hint, const char *what)
{
    gmc_diagnostics_add(r->report, GMC_E_INPUT, r->scenario->optimise.source, hint,
                        "study.optimise: %s", what);
}

/// How draws are made: every round takes as many as it needs, each standing alone.
static void check_optimise_sampling(const gmc_resolver *r)
{
    const gmc_scenario *s = r->scenario;
    if (s->design != GMC_DESIGN_RANDOM)
        refuse_optimise(r, "leave  design  out",
                        "every round takes draws of its own; design is random");
    if (s->is_weighted)
        refuse_optimise(r, "leave  importance  or  optimise  out",
                        "it counts trials, those of sampling.importance are weighted");
    if (s->subset.is_given)
        refuse_optimise(r, "leave  subset  or  optimise  out",
                        "subset simulation decides itself which trials are run");
    if (s->pilot > 0)
        refuse_optimise(r, "leave  two_level  or  optimise  out",
                        "two levels decide themselves which trials are run");
    if (s->is_independent)
        refuse_optimise(r, "leave  independent  out", "designs of a round meet the same chance");
    const gmc_node *sampling = gmc_node_find(s->tree, "sampling"),
                   *draws = gmc_node_find(sampling, "draws");
    if (!draws || draws->is_default)
        draws = gmc_node_find(gmc_node_find(s->tree, "study"), "draws");
    if (draws && !draws->is_default)
        gmc_diagnostics_add(r->report, GMC_E_INPUT, draws->source, "leave  draws  out",
                            "study.optimise: the budget says how many trials");
    if (s->design_count > 0)
        refuse_optimise(r, "leave  designs  out", "it chooses the designs itself");
}

/// Does a line of `uncertain` change what an axis chooses?
static bool is_uncertain(const gmc_scenario *s, const gmc_axis_spec *axis)
{
    for (int i = 0; i < s->uncertain_count; i++)
        for (int j = 0; j < s->uncertain[i].target_count; j++)
            for (int k = 0; k < axis->target_count; k++)
                if (s->uncertain[i].targets[j] == axis->targets[k] &&
                    s->uncertain[i].change == GMC_CHANGE_ABSOLUTE)
                    return true;
    return false;
}

/// Draws of which BEYOND is expected beyond a quantile. With a quarter designs mostly differ in
/// nothing, and one far from the best is chosen; with a half most are near it, with one all were.
static int64_t needed_draws(double p)
{
    static const double BEYOND = 0.75, MOST = 1e12; // more than any budget gives
    double beyond = fmin(p, 1 - p), rounding = 1e-9;
    return (int64_t)fmin(ceil(BEYOND / beyond - rounding), MOST);
}

static void check_quantile(const gmc_resolver *r)
{
    const gmc_scenario *s = r->scenario;
    const gmc_optimise_spec *o = &s->optimise;
    if (!o->quantile_of) return;
    int64_t draws = gmc_optimum_draws(s->axis_count, o->budget),
            needed = needed_draws(o->quantile_p);
    if (draws >= needed) return;
    char hint[96];
    snprintf(hint, sizeof hint, "budget: %" PRId64 ", or a quantile nearer to 0.5",
             gmc_optimum_budget(s->axis_count, needed));
    gmc_diagnostics_add(r->report, GMC_E_INPUT, o->goal_source, hint,
                        "study.optimise.goal: a budget of %" PRId64 " gives a design %" PRId64
                        " draws, too few to tell its %.6g quantile: %" PRId64 " are needed",
                        o->budget, draws, o->quantile_p, needed);
}

// What study.optimise must fit: axes, budget, sampling.
static void resolve_optimise(const gmc_resolver *r)
{
    const gmc_scenario *s = r->scenario;
    if (!s->optimise.is_given) return;
    check_optimise_sampling(r);
    for (int i = 0; i < s->axis_count; i++) {
        const gmc_axis_spec *axis = &s->axes[i];
        if (!axis->is_between)
            gmc_diagnostics_add(r->report, GMC_E_INPUT, axis->source, "path: between(a, b)",
                                "study.optimise: %.120s is not between two numbers", axis->path);
        if (is_uncertain(s, axis))
            gmc_diagnostics_add(r->report, GMC_E_INPUT, axis->source,
                                "leave one of the two out, or say  nominal + normal(...)",
                                "study.optimise: %.120s is chosen here, and uncertain puts "
                                "another number in its place",
                                axis->path);
    }
    char text[96];
    if (s->axis_count > GMC_SURFACE_INPUTS_MAX) {
        snprintf(text, sizeof text, "%d numbers are too many; at most %d", s->axis_count,
                 GMC_SURFACE_INPUTS_MAX);
        refuse_optimise(r, "leave out those that matter least", text);
    } else if (s->axis_count > 0 && s->optimise.budget < gmc_optimum_least(s->axis_count)) {
        gmc_diagnostics_add(
            r->report, GMC_E_INPUT, s->optimise.budget_source, "a larger budget, or fewer numbers",
            "study.optimise.budget: %" PRId64 " trials are too few for %d number%s: "
            "at least %" PRId64,
            s->optimise.budget, s->axis_count, s->axis_count == 1 ? "" : "s",
            gmc_optimum_least(s->axis_count));
    } else if (s->axis_count > 0) {
        check_quantile(r);
    }
}

// ---- rank -------------------------------------------------------------------------------------

// What `study.rank` must fit: the cases, which are counted now.

/// Numbers of trials that a ranking may use if nobody says how many draws a case may have: an
/// eighth of a gigabyte in a journal, and 16 000 draws for the best of a thousand.
enum { ADDRESSES = 1 << 24 };

/// Cases of the object that has the fewest; all of them if objects are not ranked apart.
static int64_t least_cases(const gmc_scenario *s)
{
    if (!s->rank.is_per_object) return s->case_count;
    int64_t least = s->case_count;
    for (int o = 0; o < s->object_count; o++) {
        int64_t count = 0;
        for (int64_t c = 0; c < s->case_count; c++)
            count += gmc_study_object(s, c) == o;
        if (count > 0 && count < least) least = count;
    }
    return least;
}

// study.rank: the most draws of a case, if nothing is said.
static int64_t resolve_rank_draws(const gmc_scenario *s)
{
    int64_t draws = s->case_count < ADDRESSES ? ADDRESSES / s->case_count : 1;
    if (draws > s->rank.budget) draws = s->rank.budget;
    if (s->csv_rows > 0 && draws > s->csv_rows) draws = s->csv_rows;
    return draws > 0 ? draws : 1;
}

static void complain_of_rank(const gmc_resolver *r, gmc_source source, const char *hint,
                             const char *what, int64_t given, int64_t limit)
{
    gmc_diagnostics_add(r->report, GMC_E_INPUT, source, hint,
                        "study.rank: %s (%" PRId64 ", %" PRId64 ")", what, given, limit);
}

// Does it fit cases, draws and design? Says if not.
static void resolve_rank(const gmc_resolver *r)
{
    const gmc_scenario *s = r->scenario;
    if (!s->rank.is_given || !r->is_whole) return;
    int64_t cases = least_cases(s);
    int64_t first = s->first_draws < s->draws ? s->first_draws : s->draws;
    if (s->rank.best >= cases)
        complain_of_rank(r, s->rank.best_source, "fewer, or more cases",
                         s->rank.is_per_object
                             ? "not more cases of an object than the best to be found"
                             : "not more cases than the best to be found",
                         s->rank.best, cases);
    else if ((double)s->rank.budget < (double)s->case_count * (double)first)
        complain_of_rank(r, s->rank.budget_source,
                         "a larger budget, or fewer draws first:  draws: {first: 2, last: 1000}",
                         "the budget does not last for the first round", s->rank.budget,
                         s->case_count * first);
    if ((double)s->case_count * (double)s->draws > GMC_RANKING_TRIALS_MAX)
        complain_of_rank(r, s->rank.source, "fewer study.draws: the most of one case",
                         "too many cases times draws", s->draws, GMC_RANKING_TRIALS_MAX);
    if (s->is_weighted)
        gmc_diagnostics_add(r->report, GMC_E_INPUT, s->rank.source,
                            "leave  importance  or  rank  out",
                            "study.rank: it counts trials, those of sampling.importance are "
                            "weighted");
    if (s->replicas > 0)
        gmc_diagnostics_add(r->report, GMC_E_INPUT, s->rank.source, "leave  design  or  rank  out",
                            "study.rank: it takes draws one by one, those of %s belong together",
                            gmc_design_name(s->design));
}

// ---- subset -----------------------------------------------------------------------------------

// Subset simulation moves in the space of all that is uncertain, from trial to trial: what is not
// one number of a line, and what chooses trials by other rules, does not go with it.

static void refuse_subset(const gmc_resolver *r, gmc_source source, const char *hint,
                          const char *what)
{
    gmc_diagnostics_add(r->report, GMC_E_INPUT, source, hint, "sampling.subset: %s", what);
}

static void check_subset_lines(const gmc_resolver *r)
{
    const gmc_scenario *s = r->scenario;
    if (s->uncertain_count == 0)
        refuse_subset(r, s->subset.source, "add  uncertain", "nothing is uncertain");
    for (int i = 0; i < s->uncertain_count; i++) {
        const gmc_uncertain *line = &s->uncertain[i];
        if (line->tripod > 0)
            refuse_subset(
                r, line->source, "give each coordinate a line of its own, ...points.0.x",
                "a tripod is more than one number, and no way leads from one to the next");
    }
}

/// Does a law choose among so few values that what lies beside one in standard normal space is no
/// more like it than what lies far?
static bool has_few_values(const gmc_distribution *d)
{
    enum { FEW = 50 };
    bool is_list = d->type == GMC_DISTRIBUTION_DISCRETE || d->type == GMC_DISTRIBUTION_EMPIRICAL;
    return is_list && d->value_count <= FEW;
}

static gmc_status find_discrete(const gmc_resolver *r)
{
    gmc_scenario *s = r->scenario;
    size_t count = (size_t)s->uncertain_count;
    bool *is_discrete = count > 0 ? GMC_NEW(s->arena, count, bool) : NULL;
    if (count > 0 && !is_discrete) return GMC_E_ARENA_FULL;
    for (size_t i = 0; i < count; i++)
        is_discrete[i] = false;
    for (size_t i = 0; i < count; i++)
        if (has_few_values(&s->uncertain[i].distribution))
            is_discrete[s->uncertain[i].chance] = true;
    s->subset.is_discrete = is_discrete;
    return GMC_OK;
}

// What `sampling.subset` goes with; early verdicts go off.
static gmc_status resolve_subset(const gmc_resolver *r)
{
    gmc_scenario *s = r->scenario;
    if (!s->subset.is_given) return GMC_OK;
    gmc_source at = s->subset.source;
    const gmc_node *draws = gmc_node_find(gmc_node_find(s->tree, "sampling"), "draws");
    if (!draws) draws = gmc_node_find(gmc_node_find(s->tree, "study"), "draws");
    if (draws)
        refuse_subset(r, draws->key_source,
                      "leave it out;  draws: ~  takes away what  use  brought",
                      "runs, per_level and levels say how many trials, not draws");
    if (s->design != GMC_DESIGN_RANDOM)
        refuse_subset(r, at, "design: random", "it is a design itself");
    if (s->is_weighted) refuse_subset(r, at, "keep one of the two", "does not go with importance");
    if (s->level_count > 0 && s->pilot == 0)
        refuse_subset(r, at, "leave  ladder  out", "does not go with a ladder");
    if (s->case_count > 1)
        refuse_subset(r, at, "one run for each case, with --set",
                      "the way to failure is that of one case, and the study has more");
    if (s->subset.runs < GMC_SUBSET_RUNS_LEAST && s->subset.aimed == 0)
        refuse_subset(
            r, at, "runs: 8, or  aimed: 1000",
            "the interval is the spread of the runs, and fewer than 8 show too little of it");
    double total =
        (double)s->subset.runs * s->subset.levels * s->subset.per_level + s->subset.aimed;
    if (total > GMC_SUBSET_TRIALS_MAX)
        refuse_subset(r, at, "fewer points or levels",
                      "runs x levels x per_level + aimed are too many trials");
    check_subset_lines(r);
    s->draws = (int64_t)total;
    // a margin must be that of the whole trial
    s->ends_broken = s->ends_falling = s->ends_at_rest = s->ends_borne = false;
    return find_discrete(r);
}

/// What a level says of step, stepper and motion, or `simulation` where it is silent.
static gmc_level_spec whole_of(const gmc_scenario *s, const gmc_level_spec *level)
{
    gmc_level_spec whole = *level;
    bool is_own = !whole.stepper || strcmp(whole.stepper, s->stepper) == 0;
    if (!whole.stepper) whole.stepper = s->stepper;
    if (!whole.motion) whole.motion = is_own && s->motion ? s->motion : "dynamic";
    if (whole.step == 0) whole.step = s->parameters[s->step].nominal;
    return whole;
}

static bool is_same_level(const gmc_scenario *s, int first, int second)
{
    gmc_level_spec a = whole_of(s, &s->levels[first]), b = whole_of(s, &s->levels[second]);
    return fabs(a.step - b.step) <= 1e-12 * b.step && strcmp(a.stepper, b.stepper) == 0 &&
           strcmp(a.motion, b.motion) == 0;
}

// What is wrong with the levels themselves; NULL: nothing.
static const char *wrong_levels(const gmc_scenario *s)
{
    const gmc_level_spec *cheap = &s->levels[s->level_count - 2];
    bool is_said = cheap->step == 0 && !cheap->stepper && !cheap->motion; // by the reader
    if (s->level_count > GMC_PAIRS_LEVELS_MOST) return "coarser has two levels at most";
    for (int i = 0; i < s->level_count; i++)
        if (s->levels[i].is_geometric) return "nothing moves at a geometric level";
    for (int i = 0; i + 2 < s->level_count; i++) {
        const char *name = s->levels[i].name;
        if (s->levels[i].tolerate > 0) return "levels of coarser overlook nothing: no tolerate";
        if (strcmp(name, "cheap") == 0 || strcmp(name, "full") == 0)
            return "a level of coarser needs another name, cheap and full are those above";
        if (is_same_level(s, i, i + 1) || (is_same_level(s, i, s->level_count - 1) && !is_said))
            return "a level of coarser is the one above it, or the full one";
    }
    if (!is_said && is_same_level(s, s->level_count - 2, s->level_count - 1))
        return "the cheap level is the full one: nothing makes it cheaper";
    return NULL;
}

// What `sampling.two_level` goes with.
static void resolve_two_level(const gmc_resolver *r)
{
    const gmc_scenario *s = r->scenario;
    const char *what = NULL;
    if (s->pilot == 0) return;
    if (s->design != GMC_DESIGN_RANDOM)
        what = "pairs are a part of the draws, and only random ones can be parted";
    else if (s->is_weighted || s->subset.is_given || s->rank.is_given)
        what = "does not go with importance, subset or rank";
    else if (s->case_count > 1)
        what = "one case a run: the pairs of one say nothing of another";
    else if (wrong_levels(s))
        what = wrong_levels(s);
    else if (s->draws < s->pilot + GMC_PAIRS_LEAST)
        what = "more draws than pilot + 20 are needed";
    else if (s->draws > GMC_PAIRS_DRAWS_MAX)
        what = "too many draws";
    if (what)
        gmc_diagnostics_add(r->report, GMC_E_INPUT, s->two_level_source, NULL,
                            "sampling.two_level: %s", what);
}

// ---- which trials are repeated ----------------------------------------------------------------

static void refuse_half_step(const gmc_resolver *r, const char *block, const char *path,
                             gmc_source source)
{
    gmc_diagnostics_add(
        r->report, GMC_E_INPUT, source,
        "one number under  simulation, or --set simulation.half_step=... run by run",
        "%s: %.120s is one share for all trials of a run, and cannot vary", block, path);
}

// Which trials are repeated is asked of the run as a whole: its share does not vary. After what
// follows by formulas.
static void resolve_half_step(const gmc_resolver *r)
{
    const gmc_scenario *s = r->scenario;
    if (s->half_step < 0) return;
    const gmc_parameter *share = &s->parameters[s->half_step];
    for (int i = 0; i < s->uncertain_count; i++)
        if (is_among(s->uncertain[i].targets, s->uncertain[i].target_count, s->half_step))
            refuse_half_step(r, "uncertain", s->uncertain[i].path, s->uncertain[i].source);
    for (int i = 0; i < s->axis_count; i++)
        if (is_among(s->axes[i].targets, s->axes[i].target_count, s->half_step))
            refuse_half_step(r, "study.vary", s->axes[i].path, s->axes[i].source);
    for (int i = 0; i < s->csv_columns; i++)
        if (s->sampled[s->csv_sampled[i]].target == s->half_step)
            refuse_half_step(r, "sampling.design", share->path, share->source);
    if (share->formula) refuse_half_step(r, "a formula", share->path, share->source);
}

// ---- axes -------------------------------------------------------------------------------------

static gmc_status resolve_object_axis(const gmc_resolver *r, gmc_axis_spec *axis)
{
    gmc_scenario *s = r->scenario;
    const gmc_node *list = axis->node;
    if (list && list->kind == GMC_NODE_SCALAR && strcmp(list->text, "all") == 0) list = NULL;
    int count = list ? list->count : s->object_count;
    if (list && list->kind != GMC_NODE_LIST) {
        gmc_diagnostics_add(r->report, GMC_E_INPUT, list->source,
                            "object: [mug, drill], or  object: all", "expected a list of objects");
        return GMC_OK;
    }
    axis->objects = GMC_NEW(s->arena, count + 1, int);
    if (!axis->objects) return GMC_E_ARENA_FULL;
    if (!list)
        for (int i = 0; i < count; i++)
            axis->objects[i] = i;
    const gmc_node *n = list ? list->first : NULL;
    for (int i = 0; n; n = n->next, i++) {
        const char *name = n->kind == GMC_NODE_SCALAR ? n->text : "";
        gmc_nearest nearest = gmc_nearest_start(name);
        int found = -1;
        for (int j = 0; j < s->object_count; j++) {
            if (strcmp(s->objects[j].name, name) == 0) found = j;
            gmc_nearest_offer(&nearest, s->objects[j].name);
        }
        char hint[100];
        snprintf(hint, sizeof hint, "did you mean %.80s?", nearest.best ? nearest.best : "");
        if (found < 0)
            gmc_diagnostics_add(r->report, GMC_E_INPUT, n->source, nearest.best ? hint : NULL,
                                "unknown object %.80s", name);
        axis->objects[i] = found < 0 ? 0 : found;
    }
    axis->count = count > 0 ? count : 1; // none is a mistake said elsewhere
    return GMC_OK;
}

static gmc_status resolve_axis(const gmc_resolver *r, gmc_axis_spec *axis)
{
    gmc_scenario *s = r->scenario;
    axis->count = 1;
    if (strcmp(axis->path, "object") == 0) return resolve_object_axis(r, axis);
    if (strcmp(axis->path, "grasp") == 0) return resolve_grasp_axis(r, axis);
    if (!axis->node) {
        gmc_diagnostics_add(r->report, GMC_E_INPUT, axis->source,
                            "only object and grasp can stand in a list; else path: [a, b, c]",
                            "study.vary: no values for %.80s", axis->path);
        return GMC_OK;
    }
    GMC_TRY(gmc_resolve_path(r, axis->path, axis->source, &axis->targets, &axis->target_count));
    gmc_uncertain_context context = {.scenario = s, .report = r->report, .path = axis->path};
    context.is_known = gmc_resolve_dimension(r, axis->path, axis->source, axis->targets,
                                             axis->target_count, &context.dimension);
    if (axis->target_count == 1) axis->target = axis->targets[0];
    if (gmc_uncertain_is_between(axis->node)) return resolve_between(&context, axis);
    gmc_status status = gmc_uncertain_values(&context, axis->node, &axis->values, &axis->count);
    if (gmc_resolve_is_fatal(status)) return status;
    axis->is_together = s->is_together;
    if (status != GMC_OK || axis->count < 1)
        axis->count = 1;
    else
        resolve_check_values(r->report, s, axis, axis->values, axis->count);
    return GMC_OK;
}

// Axes of the study, their values and the cases.
static gmc_status resolve_study(const gmc_resolver *r)
{
    gmc_scenario *s = r->scenario;
    s->case_count = 1;
    bool is_object_varied = false, is_designed = false;
    for (int i = 0; i < s->axis_count; i++) {
        gmc_axis_spec *axis = &s->axes[i];
        is_object_varied = is_object_varied || strcmp(axis->path, "object") == 0;
        GMC_TRY(resolve_axis(r, axis));
        is_designed = is_designed || axis->is_between;
    }
    GMC_TRY(resolve_grasps(r));
    resolve_together(r);
    for (int i = 0; i < s->axis_count; i++) {
        const gmc_axis_spec *axis = &s->axes[i];
        if (gmc_study_leader(s, i) != i) continue; // counted with the first of them
        if (s->case_count > GMC_STUDY_CASES_MAX / axis->count) {
            gmc_diagnostics_add(r->report, GMC_E_INPUT, axis->source, NULL, "more than %d cases",
                                GMC_STUDY_CASES_MAX);
            s->case_count = 1;
            return GMC_OK;
        }
        s->case_count *= axis->count;
    }
    GMC_TRY(resolve_designs(r, is_designed));
    const gmc_node *objects = gmc_node_find(s->tree, "objects");
    if (objects && s->object_count > 1 && !is_object_varied)
        gmc_diagnostics_add(r->report, GMC_E_INPUT, objects->key_source,
                            "add  study: {vary: [object]}",
                            "several objects, and nothing says which one is grasped");
    return GMC_OK;
}

/// A ladder's numbers must fit into memory (design/ladder.h).
static void check_ladder(const gmc_resolver *r)
{
    const gmc_scenario *s = r->scenario;
    double total = (double)s->case_count * (double)s->draws * s->level_count;
    if (total <= GMC_LADDER_TRIALS_MAX || s->pilot > 0) return;
    gmc_diagnostics_add(r->report, GMC_E_INPUT, s->levels[0].source,
                        "fewer draws in the last round, or fewer designs",
                        "%.3g trials at most (designs x draws x levels), a ladder is limited to %d",
                        total, GMC_LADDER_TRIALS_MAX);
}

// The number of draws is known now; the expanded text states it.
static gmc_status settle_draws(const gmc_resolver *r)
{
    gmc_scenario *s = r->scenario;
    gmc_node *sampling = gmc_node_find(s->tree, "sampling");
    if (s->draws == 0 && s->rank.is_given) s->draws = resolve_rank_draws(s);
    if (s->optimise.is_given) s->draws = s->optimise.budget;
    if (s->draws == 0) s->draws = s->csv_rows > 0 ? s->csv_rows : 1;
    if (s->csv_values && s->draws > s->csv_rows)
        gmc_diagnostics_add(r->report, GMC_E_INPUT,
                            sampling ? sampling->key_source : (gmc_source){.file = s->file}, NULL,
                            "%lld draws, but %.120s has only %lld rows", (long long)s->draws,
                            s->csv_file, (long long)s->csv_rows);
    if (gmc_node_find(gmc_node_find(s->tree, "study"), "draws") ||
        gmc_node_find(sampling, "draws") || !sampling || sampling->kind != GMC_NODE_MAP ||
        s->subset.is_given)
        return GMC_OK;
    gmc_node *node = gmc_node_create(s->arena, GMC_NODE_SCALAR, sampling->source);
    if (!node) return GMC_E_ARENA_FULL;
    char text[32];
    snprintf(text, sizeof text, "%lld", (long long)s->draws);
    node->text = gmc_arena_text(s->arena, text);
    if (!node->text) return GMC_E_ARENA_FULL;
    node->is_plain = true;
    node->is_default = true;
    node->is_number = true;
    node->number = (double)s->draws;
    node->row = gmc_schema_find(GMC_SCHEMA_SAMPLING, "draws");
    gmc_node_append(sampling, "draws", sampling->key_source, node);
    return GMC_OK;
}

// What a run may be: repetitions, draws, levels, rankings, searches, swings.
static gmc_status resolve_limits(const gmc_resolver *r)
{
    resolve_half_step(r);
    GMC_TRY(settle_draws(r));
    check_ladder(r);
    resolve_two_level(r);
    gmc_resolve_swings(r);
    resolve_rank(r);
    resolve_optimise(r);
    return GMC_OK;
}

// ---- the stages ---------------------------------------------------------------------------------

static gmc_status resolve_sets(const gmc_resolver *r)
{
    gmc_scenario *s = r->scenario;
    for (int i = 0; i < s->phase_count; i++) {
        for (int j = 0; j < s->program[i].set_count; j++) {
            gmc_set_spec *set = &s->program[i].sets[j];
            gmc_param *targets = NULL;
            int count = 0;
            GMC_TRY(gmc_resolve_path(r, set->target_path, set->source, &targets, &count));
            if (count > 1) {
                gmc_diagnostics_add(r->report, GMC_E_INPUT, set->source, NULL,
                                    "set: %.120s means several parameters", set->target_path);
                continue;
            }
            if (count == 0) continue;
            set->target = targets[0];
            gmc_parameter *value = &s->parameters[set->value];
            const gmc_parameter *target = &s->parameters[set->target];
            gmc_schema_row range = {.lower = target->lower == DBL_MIN ? 0 : target->lower,
                                    .upper = target->upper,
                                    .is_above = target->lower == DBL_MIN,
                                    .is_set = true};
            gmc_validate_number(set->node, value->path, &range, target->dimension, NULL, r->report);
            value->nominal = set->node->number;
            value->dimension = (gmc_dimension)set->node->dimension;
            value->lower = target->lower;
            value->upper = target->upper;
        }
    }
    return GMC_OK;
}

// `vary: [object]`, `object: all`, or `object: [mug, drill]`.
gmc_status gmc_resolve_scenario(gmc_scenario *scenario, gmc_diagnostics *report)
{
    gmc_resolver r = {.scenario = scenario, .report = report, .is_whole = report->error_count == 0};
    int errors_before = report->error_count;
    GMC_TRY(resolve_sets(&r));
    // phases that cannot be told: no model can be made
    if (report->error_count > errors_before) scenario->tree->is_bad = true;
    GMC_TRY(resolve_study(&r));
    GMC_TRY(gmc_resolve_uncertain(&r));
    GMC_TRY(resolve_subset(&r));
    GMC_TRY(resolve_columns(&r));
    GMC_TRY(resolve_idle(&r));
    GMC_TRY(resolve_limits(&r));
    GMC_TRY(resolve_histograms(&r));
    // which grasps there are was not told for fear of joints that are missing
    for (int i = 0; i < scenario->object_count && !r.is_whole && !scenario->hand.is_declared; i++)
        scenario->tree->is_bad = scenario->tree->is_bad || scenario->objects[i].grasps;
    scenario->is_resolved = report->error_count == errors_before;
    return scenario->is_resolved ? GMC_OK : gmc_diagnostics_status(report);
}

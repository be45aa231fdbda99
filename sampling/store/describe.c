// All arrays stand in one arena, whose size nobody can say beforehand without walking the scenario
// twice: a description that does not fit is begun anew with twice the room. Nothing is lost by it,
// for describing is a pure function of the scenario.
#include "sampling/store/describe.h"

#include "sampling/campaign/rollouts.h"
#include "sampling/estimate/histogram.h"
#include "sampling/estimate/measured.h"
#include "sampling/estimate/rising.h"
#include "sampling/language/nearest.h"
#include "sampling/language/node.h"
#include "sampling/language/units.h"
#include "sampling/scenario/scenario.h"
#include "sampling/scenario/study.h"
#include "sampling/store/method.h"
#include "sampling/writing/expand.h"
#include "sampling/writing/fingerprint.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARENA_START = 1 << 20 };
static const size_t ARENA_MAX = (size_t)8 << 30; // 1e8 cases of a few values each

// --- where values lie ---
// In the order of perturb.h, which makes them: nominal, study, lines, patterns.

/// Values that a law can give: everywhere (is_support) or where most of it lies.
static gmc_interval law_interval(const gmc_distribution *d, bool is_support)
{
    gmc_interval i;
    gmc_distribution_range(d, &i.lower, &i.upper);
    if (!is_support || !gmc_distribution_laws[d->type].has_tails) return i;
    i = (gmc_interval){-(double)INFINITY, (double)INFINITY};
    if (d->is_truncated) i = (gmc_interval){d->lower, d->upper};
    if (gmc_distribution_laws[d->type].is_positive) i.lower = fmax(i.lower, 0);
    return i;
}

/// Product of two numbers of which one may be infinite: 0 times anything stays 0.
static double product(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

static gmc_interval changed(gmc_interval before, gmc_change change, gmc_interval law)
{
    switch (change) {
    case GMC_CHANGE_ABSOLUTE:
        return law;
    case GMC_CHANGE_ADD:
        return (gmc_interval){before.lower + law.lower, before.upper + law.upper};
    case GMC_CHANGE_MULTIPLY: {
        double ends[4] = {product(before.lower, law.lower), product(before.lower, law.upper),
                          product(before.upper, law.lower), product(before.upper, law.upper)};
        gmc_interval i = {ends[0], ends[0]};
        for (int k = 1; k < 4; k++) {
            i.lower = fmin(i.lower, ends[k]);
            i.upper = fmax(i.upper, ends[k]);
        }
        return i;
    }
    }
    return before;
}

static bool is_among(gmc_param wanted, const gmc_param *targets, int count)
{
    for (int i = 0; i < count; i++)
        if (targets[i] == wanted) return true;
    return false;
}

static gmc_interval parameter_interval(const gmc_scenario *s, gmc_param parameter, bool is_support);

/// Values that a line draws, as its relation makes it.
static gmc_interval line_interval(const gmc_scenario *s, const gmc_uncertain *line, bool is_support)
{
    gmc_interval law = law_interval(&line->distribution, is_support);
    switch (line->relation) {
    case GMC_RELATION_SCALED:
        return changed(parameter_interval(s, line->by, is_support), GMC_CHANGE_MULTIPLY, law);
    case GMC_RELATION_BELOW:
        return (gmc_interval){0, 1};
    case GMC_RELATION_NONE:
        break;
    }
    return law;
}

/// Values of one entry of the table over all trials, in the order of perturb.h: nominal, study,
/// lines, patterns.
static gmc_interval parameter_interval(const gmc_scenario *s, gmc_param parameter, bool is_support)
{
    double nominal = s->parameters[parameter].nominal;
    gmc_interval i = {nominal, nominal};
    for (int a = 0; a < s->axis_count; a++) {
        const gmc_axis_spec *axis = &s->axes[a];
        if (!is_among(parameter, axis->targets, axis->target_count)) continue;
        if (axis->grasps) gmc_study_grasp_range(s, axis, parameter, &i.lower, &i.upper);
        if (!axis->values) continue;
        i = (gmc_interval){axis->values[0], axis->values[0]};
        for (int k = 1; k < axis->count; k++) {
            i.lower = fmin(i.lower, axis->values[k]);
            i.upper = fmax(i.upper, axis->values[k]);
        }
    }
    for (int pass = 0; pass < 2; pass++)
        for (int u = 0; u < s->uncertain_count; u++) {
            const gmc_uncertain *line = &s->uncertain[u];
            if (line->is_pattern != (pass == 1) ||
                !is_among(parameter, line->targets, line->target_count))
                continue;
            i = changed(i, line->change, line_interval(s, line, is_support));
        }
    return i;
}

static gmc_interval interval_of(const gmc_scenario *s, const gmc_sampled *column, bool is_support)
{
    if (column->csv_column >= 0 && s->csv_rows > 0) {
        gmc_interval i = {(double)INFINITY, -(double)INFINITY};
        for (int64_t row = 0; row < s->csv_rows; row++) {
            double value = s->csv_values[row * s->csv_columns + column->csv_column];
            i.lower = fmin(i.lower, value);
            i.upper = fmax(i.upper, value);
        }
        return i;
    }
    if (!column->by_object) return parameter_interval(s, column->target, is_support);
    gmc_interval all = {(double)INFINITY, -(double)INFINITY};
    for (int o = 0; o < s->object_count; o++) {
        if (column->by_object[o] < 0) continue;
        gmc_interval i = parameter_interval(s, column->by_object[o], is_support);
        all.lower = fmin(all.lower, i.lower);
        all.upper = fmax(all.upper, i.upper);
    }
    return all;
}

// --- parameters ---

/// The lines of `uncertain` that change a column, as written, joined by "; ".
static const char *law_text(const gmc_describing *d, const gmc_sampled *column)
{
    const gmc_scenario *s = d->scenario;
    if (column->csv_column >= 0) return "csv";
    bool is_grasped = column->axis_index >= 0 && s->axes[column->axis_index].grasps;
    if (column->uncertain_index < 0) {
        if (is_grasped) return GMC_STORE_GRASPS;
        const gmc_node *node = s->axes[column->axis_index].node;
        return node && node->kind == GMC_NODE_SCALAR ? node->text : "list";
    }
    gmc_param first = column->by_object ? column->by_object[0] : column->target;
    char text[1024];
    snprintf(text, sizeof text, "%s", is_grasped ? GMC_STORE_GRASPS : "");
    size_t used = strlen(text);
    for (int pass = 0; pass < 2; pass++)
        for (int u = 0; u < s->uncertain_count; u++) {
            const gmc_uncertain *line = &s->uncertain[u];
            if (line->is_pattern != (pass == 1) ||
                !is_among(first, line->targets, line->target_count))
                continue;
            const char *written = line->node && line->node->kind == GMC_NODE_SCALAR
                                      ? line->node->text
                                      : gmc_distribution_name(line->distribution.type);
            int length =
                snprintf(text + used, sizeof text - used, "%s%s", used > 0 ? "; " : "", written);
            if (length < 0 || (size_t)length >= sizeof text - used) break; // cut
            used += (size_t)length;
        }
    return gmc_arena_text(d->arena, text);
}

static gmc_status describe_parameters(const gmc_describing *d)
{
    const gmc_scenario *s = d->scenario;
    gmc_store_parameter *parameters = GMC_NEW(d->arena, s->sampled_count + 1, gmc_store_parameter);
    if (!parameters) return GMC_E_ARENA_FULL;
    for (int i = 0; i < s->sampled_count; i++) {
        const gmc_sampled *column = &s->sampled[i];
        gmc_interval range = interval_of(s, column, true);
        parameters[i] = (gmc_store_parameter){
            .name = column->path,
            .distribution = law_text(d, column),
            .unit = gmc_units_name(column->dimension),
            .lower = range.lower,
            .upper = range.upper,
            .is_studied = column->axis_index >= 0,
        };
        if (!parameters[i].distribution) return GMC_E_ARENA_FULL;
    }
    d->plan->parameters = parameters;
    d->plan->parameter_count = s->sampled_count;
    return GMC_OK;
}

// --- cases and models ---

/// What the decisions of a case make of a studied column; 0 if they say nothing about it.
static double decided(const gmc_scenario *s, const gmc_sampled *column, int64_t case_index)
{
    if (column->axis_index < 0) return 0;
    const gmc_axis_spec *axis = &s->axes[column->axis_index];
    int object = gmc_study_object(s, case_index), grasp = -1;
    if (axis->values) return axis->values[gmc_study_position(s, case_index, column->axis_index)];
    gmc_param target = column->by_object ? column->by_object[object] : column->target;
    if (target < 0) return 0;
    double value = s->parameters[target].nominal;
    const gmc_grasp_set *set = gmc_study_grasp_set(s, case_index, &grasp);
    if (set) (void)gmc_grasp_set_value(set, grasp, target, &value);
    return value;
}

static gmc_store_case describe_case(const gmc_scenario *s, int64_t case_index)
{
    int object = gmc_study_object(s, case_index), index = -1;
    gmc_store_case row = {.object = s->objects[object].name, .model = object};
    const gmc_grasp_set *set = gmc_study_grasp_set(s, case_index, &index);
    if (!set) return row;
    const gmc_grasp *grasp = &set->grasps.list[set->rows[index]];
    row.grasp = grasp->name;
    row.grasp_file = set->file;
    row.grasp_row = set->rows[index];
    row.grasp_confidence = grasp->confidence;
    return row;
}

static gmc_status describe_cases(const gmc_describing *d)
{
    const gmc_scenario *s = d->scenario;
    size_t cases = (size_t)s->case_count, columns = (size_t)s->sampled_count;
    gmc_store_case *rows = GMC_NEW(d->arena, cases, gmc_store_case);
    double *values = GMC_NEW(d->arena, cases * columns + 1, double);
    if (!rows || !values) return GMC_E_ARENA_FULL;
    for (size_t c = 0; c < cases; c++) {
        rows[c] = describe_case(s, (int64_t)c);
        rows[c].values = values + c * columns;
        for (size_t i = 0; i < columns; i++)
            values[c * columns + i] = decided(s, &s->sampled[i], (int64_t)c);
    }
    d->plan->cases = rows;
    d->plan->case_count = (int)s->case_count;
    return GMC_OK;
}

/// Joints of a trajectory: bodies with one velocity, in their order, as rollout.c records them. A
/// mimic joint shares its leader's coordinate, so it goes by the name of its body.
static gmc_status describe_joints(const gmc_model *model, gmc_arena *arena, gmc_store_model *out)
{
    int room = model->body_count;
    const char **names = GMC_NEW(arena, room, const char *);
    const char **units = GMC_NEW(arena, room, const char *);
    if (!names || !units) return GMC_E_ARENA_FULL;
    for (int b = 1; b < model->body_count; b++) {
        const gmc_body *body = &model->bodies[b];
        if (gmc_joint_v_count(body->joint) != 1) continue;
        names[out->joint_count] = body->is_mimic ? body->name : model->dofs[body->v].name;
        units[out->joint_count++] = body->joint == GMC_JOINT_PRISMATIC ? "m" : "rad";
    }
    out->joints = names;
    out->joint_units = units;
    return GMC_OK;
}

static gmc_status describe_model(const gmc_model *model, gmc_arena *arena, gmc_store_model *out)
{
    const char **bodies = GMC_NEW(arena, model->body_count, const char *);
    const char **geoms = GMC_NEW(arena, model->geom_count + 1, const char *);
    const char **owners = GMC_NEW(arena, model->geom_count + 1, const char *);
    if (!bodies || !geoms || !owners) return GMC_E_ARENA_FULL;
    for (int b = 1; b < model->body_count; b++)
        bodies[b - 1] = model->bodies[b].name;
    for (int g = 0; g < model->geom_count; g++) {
        geoms[g] = model->geoms[g].name;
        owners[g] = model->bodies[model->geoms[g].body].name;
    }
    *out = (gmc_store_model){.body_count = model->body_count - 1,
                             .bodies = bodies,
                             .geom_count = model->geom_count,
                             .geoms = geoms,
                             .geom_bodies = owners};
    return describe_joints(model, arena, out);
}

static gmc_status describe_models(const gmc_describing *d)
{
    int count = d->scenario->object_count;
    gmc_store_model *models = GMC_NEW(d->arena, count, gmc_store_model);
    if (!models) return GMC_E_ARENA_FULL;
    for (int o = 0; o < count; o++)
        GMC_TRY(describe_model(gmc_build_model(d->build, o), d->arena, &models[o]));
    d->plan->models = models;
    d->plan->model_count = count;
    return GMC_OK;
}

gmc_status gmc_describe_levels(const gmc_describing *d, gmc_store_level *levels, const char **names)
{
    const gmc_scenario *s = d->scenario;
    char text[1024] = "";
    size_t used = 0;
    for (int i = 0; i < s->level_count; i++) {
        gmc_build_way way = gmc_build_level_way(d->build, i);
        levels[i] = (gmc_store_level){s->levels[i].name, way.stepper, way.motion, way.step};
        if (used < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used, i > 0 ? ", %s" : "%s",
                                     levels[i].name);
    }
    *names = gmc_arena_text(d->arena, text);
    return *names ? GMC_OK : GMC_E_ARENA_FULL;
}

// --- inputs known from few measurements: why nothing can be told of what these leave open ---

/// Is the line known from measurements, the first of its file?
static bool is_measured(const gmc_scenario *s, int index)
{
    const gmc_uncertain *line = &s->uncertain[index];
    return !(line->tripod > 0) && line->chance == index && gmc_measured_is_law(&line->distribution);
}

static const char *reason_untold(const gmc_describing *d, const gmc_store_measured *measured)
{
    const gmc_scenario *s = d->scenario;
    if (s->interval_places > 0) return "another input is known only to lie in an interval";
    for (int i = 0; i < measured->count; i++)
        if (s->uncertain[measured->lines[i]].mix_count > 0) return "an input is correlated";
    if (gmc_store_method_asked(s)->chooser)
        return "the run chose its trials by what others had found";
    if (s->is_weighted) return "draws come from other distributions than those asked about";
    if (s->design == GMC_DESIGN_CSV) return "a file has the values of all draws";
    if (s->block > 1) return "draws of this design are made from each other";
    return NULL;
}

static gmc_status describe_measured(const gmc_describing *d)
{
    const gmc_scenario *s = d->scenario;
    gmc_store_measured *measured = GMC_NEW(d->arena, 1, gmc_store_measured);
    int *lines = GMC_NEW(d->arena, s->uncertain_count + 1, int);
    if (!measured || !lines) return GMC_E_ARENA_FULL;
    *measured = (gmc_store_measured){.scenario = s, .lines = lines};
    for (int i = 0; i < s->uncertain_count; i++)
        if (is_measured(s, i)) lines[measured->count++] = i;
    if (measured->count == 0) return GMC_OK;
    measured->untold = reason_untold(d, measured);
    d->plan->measured = measured;
    return GMC_OK;
}

// --- histograms: what they are over, and their edges ---

/// One bin per value of a studied parameter.
static gmc_status value_edges(const gmc_describing *d, const gmc_axis_spec *axis,
                              const double **edges, int *bins)
{
    double *sorted = GMC_NEW(d->arena, axis->count, double);
    double *found = GMC_NEW(d->arena, axis->count + 1, double);
    if (!sorted || !found) return GMC_E_ARENA_FULL;
    memcpy(sorted, axis->values, (size_t)axis->count * sizeof *sorted);
    gmc_rising_sort(sorted, axis->count);
    int count = 1;
    for (int i = 1; i < axis->count; i++)
        if (sorted[i] != sorted[count - 1]) sorted[count++] = sorted[i];
    *edges = found;
    *bins = count;
    if (count == 1) {
        gmc_histogram_edges(sorted[0], sorted[0], 1, found);
        return GMC_OK;
    }
    for (int i = 1; i < count; i++)
        found[i] = sorted[i - 1] + (sorted[i] - sorted[i - 1]) / 2;
    found[0] = sorted[0] - (found[1] - sorted[0]);
    found[count] = sorted[count - 1] + (sorted[count - 1] - found[count - 1]);
    return GMC_OK;
}

/// Where a measure's values usually lie; what lies outside is counted apart.
static gmc_interval measure_interval(const gmc_describing *d, const gmc_column *column)
{
    static const struct {
        const char *unit;
        double lower, upper;
    } USUAL[] = {
        {"m", 0, 0.1},    // a hand's breadth
        {"rad", 0, 3.15}, // half a turn
        {"m/s", 0, 1},    // beyond it nothing is held
        {"rad/s", 0, 10}, // the same at a hand's breadth
        {"N", 0, 100},    // what grippers press
    };
    if (column->kind == GMC_COLUMN_FLAG) return (gmc_interval){-0.5, 1.5};
    for (int i = 0; i < GMC_COUNT(USUAL); i++)
        if (strcmp(column->unit, USUAL[i].unit) == 0)
            return (gmc_interval){USUAL[i].lower, USUAL[i].upper};
    if (strcmp(column->unit, "s") == 0) {
        gmc_param limit = d->scenario->time_limit;
        return (gmc_interval){0, d->scenario->parameters[limit].nominal};
    }
    return (gmc_interval){0, column->kind == GMC_COLUMN_INTEGER ? 20 : 2};
}

static int find_sampled(const gmc_scenario *s, const char *name)
{
    gmc_param wanted = gmc_scenario_find(s, name);
    for (int i = 0; i < s->sampled_count; i++)
        if (strcmp(s->sampled[i].path, name) == 0 ||
            (wanted >= 0 && s->sampled[i].target == wanted))
            return i;
    return -1;
}

/// Edges of one axis: as asked for, one bin per studied value, or from where its values lie.
static gmc_status axis_edges(const gmc_describing *d, const gmc_histogram_spec *spec, int k,
                             gmc_store_histogram *h)
{
    const gmc_scenario *s = d->scenario;
    h->bins[k] = spec->bins[k];
    h->edges[k] = spec->edges[k];
    if (h->edges[k]) return GMC_OK;
    gmc_interval range = {spec->lower[k], spec->upper[k]};
    bool is_asked = range.lower < range.upper; // false for NaN
    if (!is_asked && !h->is_measure) {
        const gmc_sampled *column = &s->sampled[h->index[k]];
        bool is_pure_study =
            column->axis_index >= 0 && column->uncertain_index < 0 && column->csv_column < 0;
        if (is_pure_study && !spec->has_bins[k])
            return value_edges(d, &s->axes[column->axis_index], &h->edges[k], &h->bins[k]);
        range = interval_of(s, column, false);
    }
    if (!is_asked && h->is_measure) {
        const gmc_column *column = &d->plan->columns[h->index[k]];
        range = measure_interval(d, column);
        if (column->kind == GMC_COLUMN_FLAG && !spec->has_bins[k]) h->bins[k] = 2;
    }
    double *edges = GMC_NEW(d->arena, h->bins[k] + 1, double);
    if (!edges) return GMC_E_ARENA_FULL;
    gmc_histogram_edges(range.lower, range.upper, h->bins[k], edges);
    h->edges[k] = edges;
    return GMC_OK;
}

// What was meant by a name that has no histogram: the nearest, or what there is.
static void report_name(const gmc_describing *d, const gmc_histogram_spec *spec, const char *name)
{
    const gmc_scenario *s = d->scenario;
    gmc_nearest nearest = gmc_nearest_start(name);
    const char *tail = NULL;
    char hint[400] = "parameters that vary:";
    size_t used = strlen(hint);
    for (int i = 0; i < s->sampled_count; i++) {
        const char *path = s->sampled[i].path, *last = strchr(path, '.');
        gmc_nearest_offer(&nearest, path);
        // "frction" for "friction.rubber/abs", "mass" for "object.mass"
        gmc_nearest part = gmc_nearest_start(name);
        char word[64];
        snprintf(word, sizeof word, "%.*s", (int)strcspn(path, "."), path);
        gmc_nearest_offer(&part, word);
        if (last) gmc_nearest_offer(&part, last + 1);
        if (part.best && !tail) tail = path;
        if (used + strlen(path) + 80 < sizeof hint)
            used += (size_t)snprintf(hint + used, sizeof hint - used, "%s %s", i ? "," : "", path);
    }
    for (int i = 0; i < d->plan->column_count; i++)
        gmc_nearest_offer(&nearest, d->plan->columns[i].name);
    snprintf(hint + used, sizeof hint - used, "; a measure goes alone, by the name of its column");
    if (!nearest.best) nearest.best = tail;
    if (nearest.best) snprintf(hint, sizeof hint, "did you mean %.300s?", nearest.best);
    gmc_diagnostics_add(d->report, GMC_E_INPUT, spec->source, hint,
                        "no histogram of %.160s can be made", name);
}

/// Why what varies, or is measured, has no histogram all the same. NULL: it is not there.
static const char *reason_against(const gmc_describing *d, const gmc_histogram_spec *spec,
                                  const char *name)
{
    const gmc_scenario *s = d->scenario;
    if (find_sampled(s, name) >= 0)
        return s->rank.is_given ? "with rank each case has other draws"
               : s->pilot > 0   ? "with sampling.two_level trials do not count alike"
                                : "a ladder spares most trials of the designs that it rejects";
    return spec->name[1] && gmc_column_find(d->plan->columns, d->plan->column_count, name) >= 0
               ? "a measure goes alone"
               : NULL;
}

static void report_axis(const gmc_describing *d, const gmc_histogram_spec *spec, const char *name)
{
    const char *reason = reason_against(d, spec, name);
    if (!reason) {
        report_name(d, spec, name);
        return;
    }
    const char *hint = d->scenario->pilot > 0
                           ? NULL
                           : "a histogram of a measure can be had, by the name of its column";
    gmc_diagnostics_add(d->report, GMC_E_INPUT, spec->source, hint, "no histogram of %.160s: %s",
                        name, reason);
}

static gmc_status describe_histogram(const gmc_describing *d, const gmc_histogram_spec *spec,
                                     gmc_store_histogram *h)
{
    *h = (gmc_store_histogram){.dimensions = spec->name[1] ? 2 : 1};
    for (int k = 0; k < h->dimensions; k++) {
        h->index[k] = d->scenario->level_count > 0 || d->scenario->rank.is_given
                          ? -1
                          : find_sampled(d->scenario, spec->name[k]);
        if (h->index[k] < 0 && h->dimensions == 1) {
            h->index[k] = gmc_column_find(d->plan->columns, d->plan->column_count, spec->name[k]);
            h->is_measure = h->index[k] >= 0;
        }
        if (h->index[k] < 0) {
            report_axis(d, spec, spec->name[k]);
            return GMC_E_INPUT;
        }
        GMC_TRY(axis_edges(d, spec, k, h));
    }
    return GMC_OK;
}

static gmc_status describe_histograms(const gmc_describing *d)
{
    const gmc_scenario *s = d->scenario;
    gmc_store_histogram *all = GMC_NEW(d->arena, s->histogram_count + 1, gmc_store_histogram);
    if (!all) return GMC_E_ARENA_FULL;
    gmc_status first = GMC_OK;
    for (int i = 0; i < s->histogram_count; i++) {
        gmc_status status = describe_histogram(d, &s->histograms[i], &all[i]);
        if (status == GMC_E_ARENA_FULL) return status;
        if (first == GMC_OK) first = status;
    }
    d->plan->histograms = all;
    d->plan->histogram_count = s->histogram_count;
    return first;
}

// --- the whole ---

static const char *trajectories_text(const gmc_describing *d)
{
    static const char *const WORDS[] = {[GMC_RECORD_NONE] = "none",
                                        [GMC_RECORD_FAILURES] = "failures",
                                        [GMC_RECORD_FIRST] = "first",
                                        [GMC_RECORD_EVERY] = "every",
                                        [GMC_RECORD_ALL] = "all"};
    const gmc_scenario *s = d->scenario;
    if (s->record != GMC_RECORD_FIRST && s->record != GMC_RECORD_EVERY) return WORDS[s->record];
    char text[64];
    snprintf(text, sizeof text, "%s:%lld", WORDS[s->record], (long long)s->record_count);
    return gmc_arena_text(d->arena, text);
}

static gmc_status describe_phases(const gmc_describing *d)
{
    const gmc_scenario *s = d->scenario;
    const char **names = GMC_NEW(d->arena, s->phase_count + 1, const char *);
    if (!names) return GMC_E_ARENA_FULL;
    for (int i = 0; i < s->phase_count; i++)
        names[i] = s->program[i].name;
    d->plan->phases = names;
    d->plan->phase_count = s->phase_count;
    return GMC_OK;
}

/// Texts that others allocate, copied so that all of a description goes with its arena.
static gmc_status describe_texts(const gmc_describing *d)
{
    char *expanded = NULL, *fingerprint = NULL;
    gmc_status status = gmc_expand_yaml(d->scenario, &expanded);
    if (status == GMC_OK) status = gmc_fingerprint_text(d->scenario, &fingerprint);
    if (status == GMC_OK) {
        // of the text that is there already
        d->plan->digest = gmc_sha256_of(fingerprint, strlen(fingerprint));
        d->plan->expanded = gmc_arena_text(d->arena, expanded);
        d->plan->fingerprint = gmc_arena_text(d->arena, fingerprint);
        if (!d->plan->expanded || !d->plan->fingerprint) status = GMC_E_ARENA_FULL;
    }
    free(expanded);
    free(fingerprint);
    return status;
}

/// Of files named by `use:` what is left stands in the expanded scenario; what was taken away from
/// them, or never was a scenario's, is nobody's business.
static gmc_status describe_files(const gmc_describing *d)
{
    const gmc_scenario *s = d->scenario;
    gmc_asset *files = GMC_NEW(d->arena, s->asset_count + 1, gmc_asset);
    if (!files) return GMC_E_ARENA_FULL;
    int count = 0;
    for (int i = 0; i < s->asset_count; i++)
        if (!s->assets[i].is_scenario) files[count++] = s->assets[i];
    d->plan->assets = files;
    d->plan->asset_count = count;
    return GMC_OK;
}

static gmc_status describe(const gmc_describing *d, const gmc_describe_options *options)
{
    const gmc_scenario *s = d->scenario;
    const gmc_measure_plan *measures = gmc_build_measures(d->build);
    *d->plan = (gmc_store_plan){
        .text = s->text,
        .seed = s->seed,
        .design = gmc_design_name(s->design),
        .replicas = s->replicas,
        .block = s->block,
        .trajectories = trajectories_text(d),
        .has_actions = s->control.is_given,
        .has_pushes = s->control.moves_bodies,
        .rate_hz = s->parameters[s->rate].nominal,
        .level = options->level,
        .is_independent = s->is_independent,
        .scenario = s->interval_places > 0 ? s : NULL,
        .interval_places = s->interval_places,
        .first = options->first,
        .count = options->count,
        .stop = options->stop,
        .stop_level = options->stop_level > 0 ? options->stop_level : options->level,
        .shard = options->shard,
        .shard_count = options->shard_count,
        .total = gmc_rollouts_total(s),
        .columns = measures->columns,
        .column_count = measures->column_count,
    };
    if (!d->plan->trajectories) return GMC_E_ARENA_FULL;
    GMC_TRY(describe_files(d));
    GMC_TRY(describe_parameters(d));
    GMC_TRY(describe_cases(d));
    GMC_TRY(describe_texts(d)); // dear: behind what fills the arena, and then is begun anew
    GMC_TRY(describe_models(d));
    GMC_TRY(describe_phases(d));
    const gmc_store_method *method = gmc_store_method_asked(s);
    bool is_part = d->plan->first > 0 || d->plan->count < d->plan->total;
    if (method->describe && !(method->chooser && is_part)) GMC_TRY(method->describe(d));
    GMC_TRY(describe_measured(d));
    return describe_histograms(d);
}

gmc_status gmc_describe_run(gmc_scenario *scenario, const gmc_build *build,
                            const gmc_describe_options *options, gmc_diagnostics *report,
                            gmc_description *description)
{
    *description = (gmc_description){0};
    gmc_describing d = {.scenario = scenario,
                        .build = build,
                        .report = report,
                        .arena = &description->arena,
                        .plan = &description->plan,
                        .round = options->round};
    gmc_status status = GMC_E_ARENA_FULL;
    for (size_t bytes = ARENA_START; status == GMC_E_ARENA_FULL && bytes <= ARENA_MAX; bytes *= 2) {
        gmc_arena_free(&description->arena);
        GMC_TRY(gmc_arena_create(&description->arena, bytes));
        status = describe(&d, options);
    }
    return status == GMC_E_ARENA_FULL ? GMC_E_MEMORY : status;
}

void gmc_description_free(gmc_description *description)
{
    gmc_arena_free(&description->arena);
    *description = (gmc_description){0};
}

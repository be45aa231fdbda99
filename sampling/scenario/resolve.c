// The second half of reading, when the table of parameters is complete: paths become indices, texts
// become distributions and values, and what can be foreseen to fail in a trial is said now.
#include "sampling/scenario/resolve.h"

#include "sampling/design/sieve.h"
#include "sampling/language/merge.h"
#include "sampling/language/nearest.h"
#include "sampling/language/schema.h"
#include "sampling/language/units.h"
#include "sampling/language/validate.h"
#include "sampling/random/sobol.h"
#include "sampling/scenario/chance.h"
#include "sampling/scenario/grasp_set.h"
#include "sampling/scenario/resolve_internal.h"
#include "sampling/scenario/study.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- paths ------------------------------------------------------------------------------------

// One * stands for any letters; in `friction.*` not for the dot, because a pair's coefficient
// carries those below it along.
static bool matches(const char *pattern, const char *path)
{
    const char *star = strchr(pattern, '*');
    if (!star) return strcmp(pattern, path) == 0;
    size_t before = (size_t)(star - pattern), after = strlen(star + 1), length = strlen(path);
    if (length < before + after || strncmp(pattern, path, before) != 0 ||
        strcmp(star + 1, path + length - after) != 0)
        return false;
    return strncmp(path, "friction.", 9) != 0 || before < 9 ||
           !memchr(path + before, '.', length - before - after);
}

bool gmc_resolve_is_each(const gmc_scenario *scenario, const char *path)
{
    return strncmp(path, "object.", 7) == 0 && gmc_node_find(scenario->tree, "objects") != NULL;
}

// Would the table know this path if nothing else were wrong? Then its absence is no mistake of its
// own.
/// @param leaf  out: the key that the path ends with; NULL: it ends elsewhere
static bool could_exist(const char *path, const gmc_schema_row **leaf)
{
    *leaf = NULL;
    gmc_schema_group group = GMC_SCHEMA_ROOT;
    for (const char *p = path; *p;) {
        char key[64];
        size_t length = gmc_schema_key_length(group, p);
        snprintf(key, sizeof key, "%.*s", length < 63 ? (int)length : 63, p);
        const gmc_schema_row *row = gmc_schema_find(group, key);
        if (!row) return group == GMC_SCHEMA_HAND; // a joint
        if (row->type != GMC_TYPE_GROUP && row->type != GMC_TYPE_NAMED) {
            if (!p[length]) *leaf = row;
            return true;
        }
        p += length + (p[length] == '.');
        if (row->type == GMC_TYPE_NAMED) {
            p += strcspn(p, ".");
            p += *p == '.';
        }
        group = row->child;
    }
    return true;
}

// "object.position.x" is no slip of "object.pose.x", but it starts and ends as that does, and has
// more of its letters in front than any other that does.
static const char *same_ends(const gmc_scenario *s, const char *path)
{
    const char *end = strrchr(path, '.'), *found = NULL;
    size_t start = strcspn(path, "."), most = start + 1;
    for (int i = 0; i < s->parameter_count && end; i++) {
        const char *other = s->parameters[i].path, *last = strrchr(other, '.');
        if (!last || strcmp(last, end) != 0 || strncmp(other, path, start + 1) != 0) continue;
        size_t same = 0;
        while (other[same] && other[same] == path[same])
            same++;
        if (same <= most) continue;
        most = same;
        found = other;
    }
    return found;
}

// The parameters of the same first word, as far as they fit, behind "there are"; else `hint` stays.
static void list_siblings(const gmc_scenario *s, const char *path, char *hint, size_t room)
{
    size_t start = strcspn(path, "."), used = 0;
    for (int i = 0; i < s->parameter_count; i++) {
        const char *other = s->parameters[i].path;
        if (strncmp(other, path, start) != 0 || other[start] != '.') continue;
        if (used + strlen(other) + 24 > room) {
            used += (size_t)snprintf(hint + used, room - used, ", ...");
            return;
        }
        used +=
            (size_t)snprintf(hint + used, room - used, "%s %s", used ? "," : "there are", other);
    }
}

// A pair that the block `friction`, itself without mistakes, does not have.
static bool is_no_pair(const gmc_scenario *s, const char *path)
{
    const gmc_node *map = gmc_node_find(s->tree, "friction");
    if (strncmp(path, "friction.", 9) != 0 || !strchr(path, '/') || !map) return false;
    bool is_whole = map->kind == GMC_NODE_MAP && map->count == s->friction_count;
    for (int i = 0; i < s->friction_count; i++)
        is_whole = is_whole && s->frictions[i].friction >= 0;
    return is_whole;
}

// A setting of a joint that the hand, as its URDF has it, does not have: `hand.joints.NAME.KEY`.
static bool is_no_joint(const gmc_scenario *s, const char *path)
{
    const char *dot = strrchr(path, '.');
    if (!s->hand.is_declared || strncmp(path, "hand.joints.", 12) != 0 || dot < path + 12)
        return false;
    size_t length = (size_t)(dot - path) - 12;
    for (int i = 0; i < s->hand.joint_count; i++) {
        const char *joint = s->hand.joints[i].joint;
        if (strlen(joint) == length && memcmp(joint, path + 12, length) == 0) return false;
    }
    return !strchr(path, '*');
}

// A key that holds words, a file or a flag is there, but a run has one value of it.
static bool is_no_number(const char *path)
{
    const gmc_schema_row *leaf = NULL;
    if (!could_exist(path, &leaf) || !leaf) return false;
    return leaf->type == GMC_TYPE_WORD || leaf->type == GMC_TYPE_NAME ||
           leaf->type == GMC_TYPE_FILE || leaf->type == GMC_TYPE_BOOL ||
           leaf->type == GMC_TYPE_SURFACES;
}

static gmc_status report_no_number(const gmc_resolver *r, const char *path, gmc_source source)
{
    char hint[320] = "write several `objects` by name, and  study: {vary: [object]}";
    if (strncmp(path, "object.", 7) != 0)
        snprintf(
            hint, sizeof hint,
            "a run of each, on the same chance, is made by  scripts/sweep_parallel SCENARIO -o "
            "DIR --grid %.100s=A,B",
            path);
    gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, source, hint,
                        "%.120s is no number and cannot vary within a run", path);
    return GMC_OK;
}

bool gmc_resolve_is_own(const gmc_scenario *scenario, const char *path)
{
    return gmc_node_find(gmc_node_find(scenario->tree, "parameters"), path) != NULL;
}

static gmc_status report_unknown(const gmc_resolver *r, const char *path, gmc_source source)
{
    const gmc_schema_row *leaf = NULL;
    if (gmc_resolve_is_own(r->scenario, path)) return GMC_OK; // its mistake is told
    if (is_no_number(path)) return report_no_number(r, path, source);
    if (gmc_resolve_centre(r, path, source)) return GMC_OK;
    if (!r->is_whole && !is_no_pair(r->scenario, path) && !is_no_joint(r->scenario, path) &&
        !gmc_scenario_nearest(r->scenario, path) && could_exist(path, &leaf))
        return GMC_OK;
    bool has_joints = r->scenario->hand.is_declared || !r->scenario->hand.urdf;
    if (!r->is_whole && !has_joints && strncmp(path, "hand.", 5) == 0) return GMC_OK;
    char hint[300] =
        "paths are like object.mass and friction.a/b; check --parameters lists those of "
        "a scenario without mistakes";
    const char *nearest = gmc_scenario_nearest(r->scenario, path);
    if (!nearest) nearest = same_ends(r->scenario, path);
    bool is_pair = strncmp(path, "friction.", 9) == 0 && strchr(path, '/') && !strchr(path, '*');
    if (is_pair && !nearest)
        snprintf(hint, sizeof hint, "friction has no such pair: add  %.*s: <coefficient>  under it",
                 (int)strcspn(path + 9, ".") < 120 ? (int)strcspn(path + 9, ".") : 120, path + 9);
    else if (nearest)
        snprintf(hint, sizeof hint, "did you mean %.160s?", nearest);
    else
        list_siblings(r->scenario, path, hint, sizeof hint);
    gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, source, hint, "%s %.120s",
                        strchr(path, '*') ? "no parameter matches" : "unknown parameter", path);
    return GMC_OK;
}

static gmc_status resolve_each(const gmc_resolver *r, const char *path, gmc_source source,
                               gmc_param *targets, int *count)
{
    gmc_scenario *s = r->scenario;
    char full[GMC_VALIDATE_PATH];
    for (int i = 0; i < s->object_count; i++) {
        snprintf(full, sizeof full, "%s.%s", s->objects[i].path, path + 7);
        gmc_param found = gmc_scenario_find(s, full);
        if (found >= 0) targets[(*count)++] = found;
    }
    if (*count > 0) return GMC_OK;
    if (s->object_count > 0) snprintf(full, sizeof full, "%s.%s", s->objects[0].path, path + 7);
    return report_unknown(r, s->object_count > 0 ? full : path, source);
}

gmc_status gmc_resolve_path(const gmc_resolver *r, const char *path, gmc_source source,
                            gmc_param **targets, int *count)
{
    gmc_scenario *s = r->scenario;
    *count = 0;
    bool is_pattern = strchr(path, '*') != NULL;
    int room = is_pattern ? s->parameter_count : s->object_count + 1;
    *targets = gmc_arena_take(s->arena, (size_t)room, sizeof **targets);
    if (!*targets) return GMC_E_ARENA_FULL;
    if (is_pattern) {
        for (int i = 0; i < s->parameter_count; i++)
            if (matches(path, s->parameters[i].path)) (*targets)[(*count)++] = i;
        return *count > 0 ? GMC_OK : report_unknown(r, path, source);
    }
    if (gmc_resolve_is_each(s, path)) return resolve_each(r, path, source, *targets, count);
    gmc_param found = gmc_scenario_find(s, path);
    if (found < 0) return report_unknown(r, path, source);
    (*targets)[(*count)++] = found;
    return GMC_OK;
}

bool gmc_resolve_dimension(const gmc_resolver *r, const char *path, gmc_source source,
                           const gmc_param *targets, int count, gmc_dimension *dimension)
{
    *dimension = GMC_DIM_NONE;
    if (count == 0) return false;
    const gmc_parameter *table = r->scenario->parameters;
    *dimension = table[targets[0]].dimension;
    for (int i = 1; i < count; i++) {
        if (table[targets[i]].dimension == *dimension) continue;
        gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, source, "write two lines",
                            "%.120s means %s (%.80s) and %s (%.80s)", path,
                            gmc_units_noun(*dimension), table[targets[0]].path,
                            gmc_units_noun(table[targets[i]].dimension), table[targets[i]].path);
        return false;
    }
    return true;
}

// ---- what can be foreseen ---------------------------------------------------------------------

// P(X < x): the probability below a bound, without the bound itself.
static double below(const gmc_distribution *d, double x)
{
    if (x == -HUGE_VAL) return 0;
    return gmc_distribution_cdf(d, nextafter(x, -HUGE_VAL));
}

static double above(const gmc_distribution *d, double x)
{
    return x == HUGE_VAL ? 0 : 1 - gmc_distribution_cdf(d, x);
}

// Probability that the line makes a value that its target does not allow, from nominal value `x`.
static double outside(const gmc_uncertain *line, const gmc_parameter *p, double x)
{
    const gmc_distribution *d = &line->distribution;
    switch (line->change) {
    case GMC_CHANGE_ABSOLUTE:
        return below(d, p->lower) + above(d, p->upper);
    case GMC_CHANGE_ADD:
        return below(d, p->lower - x) + above(d, p->upper - x);
    case GMC_CHANGE_MULTIPLY:
        if (x > 0) return below(d, p->lower / x) + above(d, p->upper / x);
        if (x < 0) return below(d, p->upper / x) + above(d, p->lower / x);
        return p->lower <= 0 && p->upper >= 0 ? 0 : 1;
    }
    return 0;
}

bool gmc_resolve_has_tails(const gmc_distribution *d)
{
    if (!gmc_distribution_has_tails(d->type)) return false;
    return !d->is_truncated || d->lower == -HUGE_VAL || d->upper == HUGE_VAL;
}

void gmc_resolve_nominal_range(const gmc_scenario *s, gmc_param target, double *lowest,
                               double *highest)
{
    *lowest = *highest = s->parameters[target].nominal;
    for (int i = 0; i < s->axis_count; i++)
        for (int j = 0; j < s->axes[i].target_count; j++) {
            if (s->axes[i].targets[j] != target) continue;
            if (s->axes[i].grasps) gmc_grasp_set_range(s, &s->axes[i], target, lowest, highest);
            if (!s->axes[i].values) continue;
            *lowest = HUGE_VAL;
            *highest = -HUGE_VAL;
            for (int k = 0; k < s->axes[i].count; k++) {
                *lowest = fmin(*lowest, s->axes[i].values[k]);
                *highest = fmax(*highest, s->axes[i].values[k]);
            }
        }
}

// Is it at most what numbers of its dimension may be, from nominal values at either end?
static bool is_within(const gmc_uncertain *line, const gmc_parameter *p, double lowest,
                      double highest)
{
    gmc_parameter upper = {.lower = -HUGE_VAL, .upper = p->upper};
    return p->upper >= gmc_units_extent(p->dimension) &&
           !(fmax(outside(line, &upper, lowest), outside(line, &upper, highest)) > 0);
}

// A tail this thin is met once in a million draws: beyond it a word is worth it.
static const double THIN = 1e-6;

static void check_outcome(const gmc_scenario *s, const gmc_uncertain *line, gmc_diagnostics *report)
{
    // below this it is rounding of the cdf
    const double NOTHING = 1e-12;
    for (int i = 0; i < line->target_count; i++) {
        const gmc_parameter *p = &s->parameters[line->targets[i]];
        double lowest = 0, highest = 0;
        if (p->is_stand_in) continue;
        gmc_resolve_nominal_range(s, line->targets[i], &lowest, &highest);
        double share = fmax(outside(line, p, lowest), outside(line, p, highest));
        bool is_bounded = !gmc_resolve_has_tails(&line->distribution);
        if (!(share > (is_bounded ? NOTHING : THIN))) continue;
        char lower[GMC_UNITS_TEXT], upper[GMC_UNITS_TEXT], allowed[200];
        gmc_units_print(p->lower == DBL_MIN ? 0 : p->lower, lower);
        gmc_units_print(p->upper, upper);
        if (p->upper == HUGE_VAL || (p->lower >= 0 && is_within(line, p, lowest, highest)))
            snprintf(allowed, sizeof allowed, "%s %s", p->lower == DBL_MIN ? ">" : ">=", lower);
        else
            snprintf(allowed, sizeof allowed, "between %s and %s", lower, upper);
        bool is_error = is_bounded || share > 0.5;
        char leaves[64];
        if (line->is_interval)
            snprintf(leaves, sizeof leaves, "its interval is not within that");
        else
            snprintf(leaves, sizeof leaves, "leaves that with probability %.3g", share);
        gmc_diagnostics_add(report, is_error ? GMC_ERROR : GMC_WARNING,
                            is_error ? GMC_E_INPUT : GMC_OK, line->node->source,
                            is_bounded ? NULL : "cut it: what is written, then  in [lower, upper]",
                            "%.120s must be %s (SI), but %s%s", p->path, allowed, leaves,
                            is_error ? "" : ": such trials end as unsolved");
        return;
    }
}

double gmc_resolve_share_outside(const gmc_scenario *s, gmc_param param, double lower, double upper)
{
    const gmc_parameter within = {.lower = lower, .upper = upper};
    double lowest, highest, share = 0;
    gmc_resolve_nominal_range(s, param, &lowest, &highest);
    for (int i = 0; i < s->uncertain_count; i++)
        for (int k = 0; k < s->uncertain[i].target_count; k++)
            if (s->uncertain[i].targets[k] == param)
                share = fmax(share, fmax(outside(&s->uncertain[i], &within, lowest),
                                         outside(&s->uncertain[i], &within, highest)));
    return share > THIN ? share : 0;
}

void gmc_resolve_foresee(const gmc_scenario *s, gmc_param param, gmc_diagnostics *report)
{
    for (int i = 0; i < s->uncertain_count; i++)
        for (int k = 0; k < s->uncertain[i].target_count; k++)
            if (s->uncertain[i].targets[k] == param) {
                check_outcome(s, &s->uncertain[i], report);
                break;
            }
}

// ---- the blocks -------------------------------------------------------------------------------

bool gmc_resolve_is_fatal(gmc_status status)
{
    return status != GMC_OK && status != GMC_E_INPUT && status != GMC_E_MISSING;
}

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
                gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, set->source, NULL,
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
static gmc_status resolve_object_axis(const gmc_resolver *r, gmc_axis_spec *axis)
{
    gmc_scenario *s = r->scenario;
    const gmc_node *list = axis->node;
    if (list && list->kind == GMC_NODE_SCALAR && strcmp(list->text, "all") == 0) list = NULL;
    int count = list ? list->count : s->object_count;
    if (list && list->kind != GMC_NODE_LIST) {
        gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, list->source,
                            "object: [mug, drill], or  object: all", "expected a list of objects");
        return GMC_OK;
    }
    axis->objects = gmc_arena_take(s->arena, (size_t)count + 1, sizeof *axis->objects);
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
            gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, n->source,
                                nearest.best ? hint : NULL, "unknown object %.80s", name);
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
    if (strcmp(axis->path, "grasp") == 0) return gmc_resolve_grasp_axis(r, axis);
    if (!axis->node) {
        gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, axis->source,
                            "only object and grasp can stand in a list; else path: [a, b, c]",
                            "study.vary: no values for %.80s", axis->path);
        return GMC_OK;
    }
    GMC_TRY(gmc_resolve_path(r, axis->path, axis->source, &axis->targets, &axis->target_count));
    gmc_chance_context context = {.scenario = s, .report = r->report, .path = axis->path};
    context.is_known = gmc_resolve_dimension(r, axis->path, axis->source, axis->targets,
                                             axis->target_count, &context.dimension);
    if (axis->target_count == 1) axis->target = axis->targets[0];
    if (gmc_chance_is_between(axis->node)) return gmc_resolve_between(&context, axis);
    gmc_status status = gmc_chance_values(&context, axis->node, &axis->values, &axis->count);
    if (gmc_resolve_is_fatal(status)) return status;
    axis->is_together = s->is_together;
    if (status != GMC_OK || axis->count < 1)
        axis->count = 1;
    else
        gmc_resolve_check_values(r->report, s, axis, axis->values, axis->count);
    return GMC_OK;
}

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
    GMC_TRY(gmc_resolve_grasps(r));
    gmc_resolve_together(r);
    for (int i = 0; i < s->axis_count; i++) {
        const gmc_axis_spec *axis = &s->axes[i];
        if (gmc_study_leader(s, i) != i) continue; // counted with the first of them
        if (s->case_count > GMC_STUDY_CASES_MAX / axis->count) {
            gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, axis->source, NULL,
                                "more than %d cases", GMC_STUDY_CASES_MAX);
            s->case_count = 1;
            return GMC_OK;
        }
        s->case_count *= axis->count;
    }
    GMC_TRY(gmc_resolve_designs(r, is_designed));
    const gmc_node *objects = gmc_node_find(s->tree, "objects");
    if (objects && s->object_count > 1 && !is_object_varied)
        gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, objects->key_source,
                            "add  study: {vary: [object]}",
                            "several objects, and nothing says which one is grasped");
    return GMC_OK;
}

/// A ladder's numbers must fit into memory (design/sieve.h).
static void check_ladder(const gmc_resolver *r)
{
    const gmc_scenario *s = r->scenario;
    double total = (double)s->case_count * (double)s->draws * s->level_count;
    if (total <= GMC_SIEVE_TRIALS_MAX || s->pilot > 0) return;
    gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, s->levels[0].source,
                        "fewer draws in the last round, or fewer designs",
                        "%.3g trials at most (designs x draws x levels), a ladder is limited to %d",
                        total, GMC_SIEVE_TRIALS_MAX);
}

// Columns of one file come from one row: their lines take the number of the first of them.
static void share_rows(gmc_scenario *s, int index)
{
    gmc_uncertain *line = &s->uncertain[index];
    char name[GMC_VALIDATE_PATH];
    snprintf(name, sizeof name, "samples(%.480s)", line->rows);
    line->name_hash = gmc_stream_hash(name);
    for (int i = index - 1; i >= 0; i--)
        if (s->uncertain[i].rows && strcmp(s->uncertain[i].rows, line->rows) == 0)
            line->chance = s->uncertain[i].chance;
}

// Limits that leave next to nothing of a law are seldom meant: as a rule they are those of the value,
// where the law is of what is added to it.
static void tell_tail(const gmc_uncertain *line, gmc_diagnostics *report)
{
    static const double LITTLE = 0.01;
    gmc_distribution whole = line->distribution;
    if (!whole.is_truncated) return;
    whole.is_truncated = false;
    double kept =
        gmc_distribution_cdf(&whole, whole.upper) - gmc_distribution_cdf(&whole, whole.lower);
    if (kept >= LITTLE) return;
    gmc_diagnostics_add(
        report, GMC_WARNING, GMC_OK, line->source,
        line->change == GMC_CHANGE_ADD ? "the limits are of what is added to the nominal value"
        : line->change == GMC_CHANGE_MULTIPLY ? "the limits are of the factor of the nominal value"
                                              : NULL,
        "uncertain: %.120s: in [lower, upper] keeps %.1g %% of the law's draws", line->path,
        100 * kept);
}

static gmc_status resolve_uncertain(const gmc_resolver *r)
{
    gmc_scenario *s = r->scenario;
    if (s->replicas > 0 && s->level_count > 0 && s->pilot == 0)
        gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, (gmc_source){.file = s->file},
                            "leave  design  or  ladder  out",
                            "sampling.design: a ladder takes draws one by one, those of %s belong "
                            "together",
                            gmc_design_name(s->design));
    int axes = gmc_resolve_tripod_axes(s);
    if (s->design == GMC_DESIGN_SOBOL && axes > GMC_SOBOL_DIMENSIONS)
        gmc_diagnostics_add(
            r->report, GMC_ERROR, GMC_E_INPUT, (gmc_source){.file = s->file},
            "design: latin_hypercube takes any number",
            "sampling.design: sobol has %d dimensions, %d %s are uncertain", GMC_SOBOL_DIMENSIONS,
            axes, axes > s->uncertain_count ? "lines and coordinates of tripods" : "lines");
    for (int i = 0; i < s->uncertain_count; i++) {
        gmc_uncertain *line = &s->uncertain[i];
        line->is_pattern = strchr(line->path, '*') != NULL;
        line->name_hash = gmc_stream_hash(line->path);
        line->chance = i;
        const gmc_item_spec *item = gmc_resolve_footing(s, line->path);
        if (item) {
            gmc_status status = gmc_resolve_tripod(r, item, line);
            if (gmc_resolve_is_fatal(status)) return status;
            continue;
        }
        GMC_TRY(gmc_resolve_path(r, line->path, line->source, &line->targets, &line->target_count));
        if (line->relation != GMC_RELATION_NONE) continue; // made by the reader, with its law
        gmc_chance_context context = {.scenario = s, .report = r->report, .path = line->path};
        context.is_known = gmc_resolve_dimension(r, line->path, line->source, line->targets,
                                                 line->target_count, &context.dimension);
        gmc_status status = gmc_chance_line(&context, line->node, line);
        if (gmc_resolve_is_fatal(status)) return status;
        if (line->rows) share_rows(s, i);
        if (status == GMC_OK) tell_tail(line, r->report);
        // after other lines a pattern meets values that are not the nominal ones
        if (status == GMC_OK && context.is_known && !line->is_pattern)
            check_outcome(s, line, r->report);
    }
    return GMC_OK;
}

// The number of draws is known now; the expanded text states it.
static gmc_status settle_draws(const gmc_resolver *r)
{
    gmc_scenario *s = r->scenario;
    gmc_node *sampling = gmc_node_find(s->tree, "sampling");
    if (s->draws == 0 && s->rank.is_given) s->draws = gmc_resolve_rank_draws(s);
    if (s->optimise.is_given) s->draws = s->optimise.budget;
    if (s->draws == 0) s->draws = s->csv_rows > 0 ? s->csv_rows : 1;
    if (s->csv_values && s->draws > s->csv_rows)
        gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT,
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

/// Names of one number: a pair of surfaces has no order, `hand.left` is `hand.joints.left`.
static void report_twin(const gmc_resolver *r, const char *where, const char *before,
                        gmc_source before_source, const char *path, gmc_source source)
{
    char hint[GMC_MERGE_HINT_MAX];
    gmc_merge_hint_twin(before_source, source, before, hint);
    gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, source, hint,
                        "%s: %.120s and %.120s are the same number", where, before, path);
}

static bool is_same(const gmc_param *a, int count_a, const gmc_param *b, int count_b)
{
    if (count_a != count_b || count_a == 0) return false;
    for (int i = 0; i < count_a; i++)
        if (a[i] != b[i]) return false;
    return true;
}

/// Two lines that draw one number, two axes that vary it: the last one would win, or both count.
static void check_twins(const gmc_resolver *r)
{
    const gmc_scenario *s = r->scenario;
    for (int i = 0; i < s->uncertain_count; i++)
        for (int k = 0; k < i; k++) {
            const gmc_uncertain *line = &s->uncertain[i], *before = &s->uncertain[k];
            bool is_one = !line->is_pattern && !before->is_pattern && !(line->tripod > 0) &&
                          strcmp(line->path, before->path) != 0 &&
                          strncmp(line->path, "believed.", 9) != 0;
            if (is_one &&
                is_same(line->targets, line->target_count, before->targets, before->target_count))
                report_twin(r, "uncertain", before->path, before->source, line->path, line->source);
        }
    for (int i = 0; i < s->axis_count; i++)
        for (int k = 0; k < i; k++) {
            const gmc_axis_spec *axis = &s->axes[i], *before = &s->axes[k];
            if (is_same(axis->targets, axis->target_count, before->targets, before->target_count))
                report_twin(r, "study.vary", before->path, before->source, axis->path,
                            axis->source);
        }
}

gmc_status gmc_resolve_scenario(gmc_scenario *scenario, gmc_diagnostics *report)
{
    gmc_resolver r = {.scenario = scenario, .report = report, .is_whole = report->error_count == 0};
    int errors_before = report->error_count;
    GMC_TRY(resolve_sets(&r));
    // phases that cannot be told: no model can be made
    if (report->error_count > errors_before) scenario->tree->is_bad = true;
    GMC_TRY(resolve_study(&r));
    GMC_TRY(resolve_uncertain(&r));
    check_twins(&r);
    GMC_TRY(gmc_resolve_intervals(&r));
    GMC_TRY(gmc_resolve_correlated(&r));
    gmc_resolve_sampling(&r);
    GMC_TRY(gmc_resolve_importance(&r));
    GMC_TRY(gmc_resolve_subset(&r));
    GMC_TRY(gmc_resolve_output_csv(&r));
    GMC_TRY(gmc_resolve_output_sampled(&r));
    GMC_TRY(gmc_resolve_output_csv_columns(&r));
    GMC_TRY(gmc_resolve_derived(scenario));
    GMC_TRY(gmc_resolve_idle(&r));
    gmc_resolve_half_step(&r);
    GMC_TRY(settle_draws(&r));
    check_ladder(&r);
    gmc_resolve_two_level(&r);
    gmc_resolve_swings(&r);
    gmc_resolve_rank(&r);
    gmc_resolve_optimise(&r);
    GMC_TRY(gmc_resolve_output_histograms(&r));
    // which grasps there are was not told for fear of joints that are missing
    for (int i = 0; i < scenario->object_count && !r.is_whole && !scenario->hand.is_declared; i++)
        scenario->tree->is_bad = scenario->tree->is_bad || scenario->objects[i].grasps;
    scenario->is_resolved = report->error_count == errors_before;
    return scenario->is_resolved ? GMC_OK : gmc_diagnostics_status(report);
}

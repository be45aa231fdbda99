// The tree is changed, not the text: a number may stand on any line of any file that `use` brought
// in. Setting nominal values to what was drawn was rejected: the hand goes to where the object is
// believed to be, and that is what nominal values say.
#include "sampling/writing/freeze.h"

#include "sampling/language/node.h"
#include "sampling/language/units.h"
#include "sampling/scenario/scenario.h"
#include "sampling/scenario/study.h"
#include "sampling/writing/expand.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct freezing {
    gmc_scenario *scenario;
    const gmc_freeze_trial *trial;
    const gmc_freeze_name *names;
    int name_count;
    bool has_failed; ///< the arena is full
} freezing;

// ---- pieces of a tree -------------------------------------------------------------------------

static gmc_node *make(freezing *f, gmc_node_kind kind)
{
    gmc_node *node = gmc_node_create(f->scenario->arena, kind, (gmc_source){0});
    if (!node) f->has_failed = true;
    return node;
}

static gmc_node *make_scalar(freezing *f, const char *text)
{
    gmc_node *node = make(f, GMC_NODE_SCALAR);
    if (!node) return NULL;
    node->text = gmc_arena_text(f->scenario->arena, text);
    if (!node->text) f->has_failed = true;
    return f->has_failed ? NULL : node;
}

static void append(freezing *f, gmc_node *parent, const char *key, gmc_node *child)
{
    if (parent && child && !f->has_failed) gmc_node_append(parent, key, (gmc_source){0}, child);
}

/// Put `fresh` under `key` of a map, in place of what is there; NULL takes it out.
static void put(freezing *f, gmc_node *map, const char *key, gmc_node *fresh)
{
    gmc_node *old = gmc_node_find(map, key);
    if (f->has_failed) return;
    if (old && fresh)
        gmc_node_replace(map, old, fresh);
    else if (old)
        gmc_node_remove(map, old);
    else if (fresh)
        append(f, map, key, fresh);
}

/// The number with its unit; joints of either kind take it without.
static gmc_node *make_number(freezing *f, double value, gmc_dimension dimension)
{
    char number[GMC_UNITS_TEXT], text[2 * GMC_UNITS_TEXT];
    const char *unit = gmc_units_name(dimension);
    bool has_unit = dimension != GMC_DIM_NONE && !strchr(unit, ' ');
    gmc_units_print(value, number);
    snprintf(text, sizeof text, has_unit ? "%s %s" : "%s", number, unit);
    return make_scalar(f, text);
}

static void vary(freezing *f, gmc_node *axes, const char *path, gmc_node *value)
{
    gmc_node *list = make(f, GMC_NODE_LIST);
    if (!list || !value) return;
    append(f, list, NULL, value);
    put(f, axes, path, list);
}

// ---- chance -----------------------------------------------------------------------------------

/// What `believed` makes of numbers: deviations go, the errors that came of them stand in
/// `uncertain`.
static const char SIGHT[] = "believed.object.pose.";

static bool is_deviation(const char *path)
{
    return strncmp(path, SIGHT, sizeof SIGHT - 1) == 0 &&
           strncmp(path + sizeof SIGHT - 1, "sd.", 3) == 0;
}

static bool is_outlier(const char *path)
{
    return strncmp(path, SIGHT, sizeof SIGHT - 1) == 0 &&
           strcmp(path + sizeof SIGHT - 1, "outlier") == 0;
}

static void freeze_believed(freezing *f, gmc_node *root)
{
    static const char *const CHANCE[] = {"sd", "covariance", "samples", "correlation"};
    gmc_node *believed = gmc_node_find(root, "believed");
    gmc_node *pose = gmc_node_find(believed, "object.pose");
    for (int i = 0; pose && i < GMC_COUNT(CHANCE); i++)
        put(f, pose, CHANCE[i], NULL);
    gmc_node *outliers = gmc_node_find(pose, "outliers");
    for (int i = 0; outliers && i < f->scenario->sampled_count; i++)
        if (is_outlier(f->scenario->sampled[i].path))
            put(f, outliers, "share", make_scalar(f, f->trial->samples[i] > 0 ? "1" : "0"));
    put(f, root, "correlated", NULL);
}

static void freeze_uncertain(freezing *f, gmc_node *root)
{
    const gmc_scenario *s = f->scenario;
    gmc_node *old = gmc_node_find(root, "uncertain"), *lines = make(f, GMC_NODE_MAP);
    if (!lines) return;
    if (old) lines->row = old->row; // one a line, as before
    for (int i = 0; i < s->sampled_count; i++) {
        const gmc_sampled *column = &s->sampled[i];
        bool is_drawn = column->uncertain_index >= 0 || column->csv_column >= 0;
        if (!is_drawn || isnan(f->trial->samples[i])) continue; // NaN: its object is not here
        if (is_deviation(column->path) || is_outlier(column->path)) continue;
        append(f, lines, column->path, make_number(f, f->trial->samples[i], column->dimension));
    }
    put(f, root, "uncertain", lines->count > 0 ? lines : NULL);
}

static void freeze_sampling(freezing *f, gmc_node *root, bool has_study)
{
    char seed[32];
    snprintf(seed, sizeof seed, "%" PRIu64, f->scenario->seed);
    gmc_node *sampling = make(f, GMC_NODE_MAP);
    if (!has_study) append(f, sampling, "draws", make_scalar(f, "1"));
    append(f, sampling, "seed", make_scalar(f, seed));
    put(f, root, "sampling", sampling);
}

// ---- decisions --------------------------------------------------------------------------------

static void vary_grasp(freezing *f, gmc_node *axes, const gmc_axis_spec *axis, int position)
{
    const gmc_grasp_set *set = f->scenario->objects[axis->objects[position]].grasps;
    const double *row = set->values + (size_t)axis->grasps[position] * (size_t)set->target_count;
    for (int i = 0; i < set->target_count; i++)
        vary(f, axes, set->paths[i],
             make_number(f, row[i], f->scenario->parameters[set->targets[i]].dimension));
}

static gmc_node *frozen_axes(freezing *f)
{
    const gmc_scenario *s = f->scenario;
    gmc_node *axes = make(f, GMC_NODE_MAP);
    for (int i = 0; i < s->axis_count && !f->has_failed; i++) {
        const gmc_axis_spec *axis = &s->axes[i];
        int position = gmc_study_position(s, f->trial->case_index, i);
        if (axis->values && !is_deviation(axis->path))
            vary(f, axes, axis->path,
                 make_number(f, axis->values[position], s->parameters[axis->targets[0]].dimension));
        if (axis->objects)
            vary(f, axes, "object", make_scalar(f, s->objects[axis->objects[position]].name));
        if (axis->grasps && axis->objects) vary_grasp(f, axes, axis, position);
    }
    if (s->object_count == 1) put(f, axes, "object", NULL); // `object`, which is no choice
    return axes;
}

/// The one level that was run, as a ladder of its own.
static gmc_node *frozen_ladder(freezing *f, const gmc_node *study)
{
    const gmc_node *ladder = gmc_node_find(study, "ladder");
    const gmc_node *level = ladder ? ladder->first : NULL;
    for (int i = 0; level && i < f->trial->level; i++)
        level = level->next;
    gmc_node *list = make(f, GMC_NODE_LIST);
    gmc_node *copy = level ? gmc_node_copy(level, f->scenario->arena) : NULL;
    if (level && !copy) f->has_failed = true;
    if (copy) put(f, copy, "tolerate", NULL); // it stands alone, and overlooks nothing
    append(f, list, NULL, copy);
    return list;
}

/// @return is there still a study?
static bool freeze_study(freezing *f, gmc_node *root)
{
    const gmc_node *old = gmc_node_find(root, "study");
    gmc_node *axes = frozen_axes(f), *study = make(f, GMC_NODE_MAP);
    bool has_ladder = f->scenario->level_count > 0 && f->scenario->pilot == 0;
    if (f->has_failed || (axes->count == 0 && !has_ladder)) {
        put(f, root, "study", NULL);
        return false;
    }
    if (axes->count > 0) append(f, study, "vary", axes);
    if (f->scenario->is_independent) append(f, study, "independent", make_scalar(f, "true"));
    append(f, study, "draws", make_scalar(f, "1"));
    if (has_ladder) append(f, study, "ladder", frozen_ladder(f, old));
    put(f, root, "study", study);
    return true;
}

static void drop_grasps(freezing *f, gmc_node *root)
{
    put(f, gmc_node_find(root, "object"), "grasps", NULL);
    gmc_node *objects = gmc_node_find(root, "objects");
    for (gmc_node *n = objects ? objects->first : NULL; n; n = n->next)
        put(f, n, "grasps", NULL);
}

// ---- the rest ---------------------------------------------------------------------------------

/// Of two levels or more, one below the full one as what `simulation` says.
static void freeze_level(freezing *f, gmc_node *simulation)
{
    const gmc_scenario *s = f->scenario;
    if (s->pilot == 0 || f->trial->level + 1 >= s->level_count || !simulation) return;
    const gmc_level_spec *cheap = &s->levels[f->trial->level];
    if (cheap->step > 0) put(f, simulation, "step", make_number(f, cheap->step, GMC_DIM_TIME));
    if (cheap->motion) put(f, simulation, "motion", make_scalar(f, cheap->motion));
    if (!cheap->stepper) return;
    put(f, simulation, "stepper", make_scalar(f, cheap->stepper));
    put(f, simulation, "solver", NULL); // its own
}

/// Which early verdicts the trial ran with: not always those that are written, a margin needs
/// whole trials.
static void freeze_early(freezing *f, gmc_node *early)
{
    const gmc_scenario *s = f->scenario;
    const struct {
        const char *key;
        bool is_on;
    } RULES[] = {{"broken", s->ends_broken},
                 {"falling", s->ends_falling},
                 {"rest", s->ends_at_rest},
                 {"borne", s->ends_borne}};
    for (int i = 0; i < GMC_COUNT(RULES); i++)
        put(f, early, RULES[i].key, make_scalar(f, RULES[i].is_on ? "true" : "false"));
    put(f, early, "audit", make_scalar(f, f->trial->is_audited ? "1" : "0"));
}

static void freeze_checks(freezing *f, gmc_node *root)
{
    gmc_node *simulation = gmc_node_find(root, "simulation");
    freeze_level(f, simulation);
    gmc_node *early = gmc_node_find(simulation, "early");
    if (early) freeze_early(f, early);
    if (simulation)
        put(f, simulation, "half_step", make_scalar(f, f->trial->is_repeated ? "1" : "0"));
    gmc_node *output = gmc_node_find(root, "output");
    if (!output) return;
    put(f, output, "trajectories", make_scalar(f, "all"));
    put(f, output, "histograms", NULL);
}

// Noise is addressed by case and draw, and no column of samples.
static void freeze_control(freezing *f, gmc_node *control)
{
    const gmc_control_spec *spec = &f->scenario->control;
    char text[32];
    if (!control) return;
    int64_t own = spec->as_draw >= 0 ? spec->as_draw : (int64_t)f->trial->draw;
    snprintf(text, sizeof text, "%" PRId64, own);
    put(f, control, "as_draw", make_scalar(f, text));
    own = spec->as_case >= 0 ? spec->as_case : f->trial->case_index;
    snprintf(text, sizeof text, "%" PRId64, own);
    put(f, control, "as_case", make_scalar(f, text));
}

static void rename_files(freezing *f, gmc_node *node)
{
    for (int i = 0; node->kind == GMC_NODE_SCALAR && i < f->name_count; i++) {
        if (strcmp(node->text, f->names[i].old) != 0) continue;
        node->text = f->names[i].fresh;
        break;
    }
    for (gmc_node *n = node->first; n; n = n->next)
        rename_files(f, n);
}

gmc_status gmc_freeze_text(gmc_scenario *scenario, const gmc_freeze_trial *trial,
                           const gmc_freeze_name *names, int name_count, char **text)
{
    *text = NULL;
    freezing f = {.scenario = scenario, .trial = trial, .names = names, .name_count = name_count};
    gmc_node *root = gmc_node_copy(scenario->tree, scenario->arena);
    if (!root) return GMC_E_ARENA_FULL;
    freeze_uncertain(&f, root);
    freeze_believed(&f, root);
    freeze_sampling(&f, root, freeze_study(&f, root));
    drop_grasps(&f, root);
    freeze_checks(&f, root);
    freeze_control(&f, gmc_node_find(root, "control"));
    rename_files(&f, root);
    if (f.has_failed) return GMC_E_ARENA_FULL;
    gmc_scenario frozen = *scenario; // what the printer looks at
    frozen.tree = root;
    frozen.draws = 1;
    return gmc_expand_yaml(&frozen, text);
}

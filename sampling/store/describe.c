// All arrays stand in one arena, whose size nobody can say beforehand without walking the scenario
// twice: a description that does not fit is begun anew with twice the room. Nothing is lost by it,
// for describing is a pure function of the scenario.
#include "sampling/campaign/rollouts.h"
#include "sampling/language/node.h"
#include "sampling/language/units.h"
#include "sampling/scenario/grasp_set.h"
#include "sampling/scenario/study.h"
#include "sampling/store/describe_internal.h"
#include "sampling/store/method.h"
#include "sampling/writing/expand.h"
#include "sampling/writing/fingerprint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARENA_START = 1 << 20 };
static const size_t ARENA_MAX = (size_t)8 << 30; // 1e8 cases of a few values each

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
                !gmc_describe_is_among(first, line->targets, line->target_count))
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
    gmc_store_parameter *parameters =
        gmc_arena_take(d->arena, (size_t)s->sampled_count + 1, sizeof *parameters);
    if (!parameters) return GMC_E_ARENA_FULL;
    for (int i = 0; i < s->sampled_count; i++) {
        const gmc_sampled *column = &s->sampled[i];
        gmc_interval range = gmc_describe_interval(s, column, true);
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
    gmc_store_case *rows = gmc_arena_take(d->arena, cases, sizeof *rows);
    double *values = gmc_arena_doubles(d->arena, cases * columns + 1);
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
    size_t room = (size_t)model->body_count;
    const char **names = gmc_arena_take(arena, room, sizeof *names);
    const char **units = gmc_arena_take(arena, room, sizeof *units);
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
    const char **bodies = gmc_arena_take(arena, (size_t)model->body_count, sizeof *bodies);
    const char **geoms = gmc_arena_take(arena, (size_t)model->geom_count + 1, sizeof *geoms);
    const char **owners = gmc_arena_take(arena, (size_t)model->geom_count + 1, sizeof *owners);
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
    gmc_store_model *models = gmc_arena_take(d->arena, (size_t)count, sizeof *models);
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
    const char **names = gmc_arena_take(d->arena, (size_t)s->phase_count + 1, sizeof *names);
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
    gmc_asset *files = gmc_arena_take(d->arena, (size_t)s->asset_count + 1, sizeof *files);
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
    if (method->describe) GMC_TRY(method->describe(d));
    GMC_TRY(gmc_describe_measured(d));
    return gmc_describe_histograms(d);
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

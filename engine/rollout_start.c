// The start of a trial without its motion: the check that the first step of gmc_rollout_run makes,
// on the same contacts, and nothing else.
#include "engine/rollout.h"

#include <math.h>

static gmc_status find_points(const gmc_rollout_input *input, gmc_world *world, gmc_arena *scratch,
                              gmc_rollout_start_points *found)
{
    int capacity = world->contacts.capacity;
    gmc_contact_point *points = GMC_NEW(scratch, capacity, gmc_contact_point);
    if (!points) return GMC_E_ARENA_FULL;
    *found = (gmc_rollout_start_points){.points = points, .X_wb = world->kin.X_wb};
    gmc_collider_scene scene = {.model = world->model,
                                .X_wb = world->kin.X_wb,
                                .V = world->kin.V,
                                .h = input->options.step,
                                .reach = input->options.step_options.reach};
    return gmc_collider_find(world->collider, &scene, points, capacity, &found->count);
}

gmc_status gmc_rollout_start_find(const gmc_rollout_input *input, gmc_arena *trial,
                                  gmc_arena *scratch, gmc_rollout_start_points *found)
{
    gmc_world world;
    gmc_arena_reset(scratch, 0);
    GMC_TRY(
        input->options.stepper->create(input->model, input->options.contact_max, trial, &world));
    return find_points(input, &world, scratch, found);
}

static double pad_of(const gmc_model *model, int surface_a, int surface_b)
{
    const gmc_surface_extra *extra = gmc_model_law(model, surface_a, surface_b)->extra;
    return extra && extra->pad > 0 ? extra->pad_edge : HUGE_VAL;
}

double gmc_rollout_accepted(const gmc_rollout_input *input, const gmc_contact_point *point)
{
    const gmc_geom *geoms = input->model->geoms;
    double pad = pad_of(input->model, geoms[point->geom_a].surface, geoms[point->geom_b].surface);
    return pad < input->options.deep_start ? pad : input->options.deep_start;
}

static bool has_thin_pad(const gmc_rollout_input *input)
{
    const gmc_model *model = input->model;
    for (int a = 0; a < model->surface_count; a++)
        for (int b = a; b < model->surface_count; b++)
            if (pad_of(model, a, b) < input->options.deep_start) return true;
    return false;
}

/// The deepest of all points, or of those that are deeper than a trial accepts.
static double deepest_of(const gmc_rollout_input *input, const gmc_rollout_start_points *found,
                         bool is_refused)
{
    double deepest = 0; // no fmax: which zero it gives of 0 and -0 is the compiler's to choose
    for (int i = 0; i < found->count; i++) {
        double depth = -found->points[i].gap;
        if (is_refused && !(depth > gmc_rollout_accepted(input, &found->points[i]))) continue;
        if (depth > deepest) deepest = depth;
    }
    return deepest;
}

gmc_status gmc_rollout_start_pads(const gmc_rollout_input *input, gmc_world *world,
                                  gmc_arena *scratch, double *depth)
{
    gmc_rollout_start_points found;
    *depth = 0;
    if (!has_thin_pad(input)) return GMC_OK;
    gmc_arena_reset(scratch, 0);
    gmc_status status = find_points(input, world, scratch, &found);
    if (status == GMC_E_ARENA_FULL) return status;
    if (status == GMC_OK) *depth = deepest_of(input, &found, true); // else the first step tells
    gmc_arena_reset(scratch, 0);
    return GMC_OK;
}

gmc_status gmc_rollout_start(const gmc_rollout_input *input, gmc_arena *trial, gmc_arena *scratch,
                             gmc_rollout_result *result)
{
    gmc_world world;
    gmc_measure_state measures;
    gmc_rollout_start_points found;
    gmc_arena_reset(scratch, 0);
    GMC_TRY(
        input->options.stepper->create(input->model, input->options.contact_max, trial, &world));
    GMC_TRY(gmc_measure_create(input->measures, input->model, trial, &measures));
    gmc_measure_start(input->measures, &world, &measures);
    gmc_status status = find_points(input, &world, scratch, &found);
    if (status == GMC_E_ARENA_FULL) return status;
    double depth = status == GMC_OK ? deepest_of(input, &found, false) : 0;
    bool is_deep = status == GMC_OK && deepest_of(input, &found, true) > 0;

    measures.fixed[GMC_COLUMN_START_PENETRATION] = depth;
    measures.fixed[GMC_COLUMN_MAX_PENETRATION] = depth;
    gmc_measure_finish(input->measures, &world, &measures, result->values);
    result->reason = status == GMC_E_LIMIT ? GMC_REASON_CONTACTS
                     : status != GMC_OK    ? GMC_REASON_LIBRARY
                     : is_deep             ? GMC_REASON_DEEP_START
                                           : GMC_REASON_NONE;
    result->outcome =
        result->reason == GMC_REASON_NONE ? GMC_OUTCOME_SUCCESS : GMC_OUTCOME_UNSOLVED;
    result->phase = 0;
    result->t_end = 0;
    return GMC_OK;
}

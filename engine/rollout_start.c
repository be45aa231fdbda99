// The start of a trial without its motion: the check that the first step of gmc_rollout_run makes,
// on the same contacts, and nothing else.
#include "engine/rollout.h"

#include <math.h>

static gmc_status find_points(const gmc_rollout_input *input, gmc_world *world, gmc_arena *scratch,
                              gmc_rollout_start_points *found)
{
    int capacity = world->contacts.capacity;
    gmc_contact_point *points = gmc_arena_take(scratch, (size_t)capacity, sizeof *points);
    if (!points) return GMC_E_ARENA_FULL;
    *found = (gmc_rollout_start_points){.points = points, .X_wb = world->kin.X_wb};
    return gmc_collider_find(world->collider, world->model, world->kin.X_wb, world->kin.V,
                             input->options.step, input->options.step_options.reach, points,
                             capacity, &found->count);
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

static double deepest_of(const gmc_rollout_start_points *found)
{
    double depth = 0; // no fmax: which zero it gives of 0 and -0 is the compiler's to choose
    for (int i = 0; i < found->count; i++)
        if (-found->points[i].gap > depth) depth = -found->points[i].gap;
    return depth;
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
    double depth = status == GMC_OK ? deepest_of(&found) : 0;

    measures.fixed[GMC_COLUMN_START_PENETRATION] = depth;
    measures.fixed[GMC_COLUMN_MAX_PENETRATION] = depth;
    gmc_measure_finish(input->measures, &world, &measures, result->values);
    result->reason = status == GMC_E_LIMIT                   ? GMC_REASON_CONTACTS
                     : status != GMC_OK                      ? GMC_REASON_LIBRARY
                     : !(depth <= input->options.deep_start) ? GMC_REASON_DEEP_START
                                                             : GMC_REASON_NONE;
    result->outcome =
        result->reason == GMC_REASON_NONE ? GMC_OUTCOME_SUCCESS : GMC_OUTCOME_UNSOLVED;
    result->phase = 0;
    result->t_end = 0;
    return GMC_OK;
}

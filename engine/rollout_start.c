// The start of a trial without its motion: the check that the first step of gmc_rollout_run makes,
// on the same contacts, and nothing else.
#include "engine/rollout.h"

#include <math.h>

static gmc_status deepest_overlap(const gmc_rollout_input *input, gmc_world *world,
                                  gmc_arena *scratch, double *depth)
{
    int capacity = world->contacts.capacity, count = 0;
    gmc_contact_point *points = gmc_arena_take(scratch, (size_t)capacity, sizeof *points);
    if (!points) return GMC_E_ARENA_FULL;
    GMC_TRY(gmc_collider_find(world->collider, world->model, world->kin.X_wb, world->kin.V,
                              input->options.step, input->options.step_options.reach, points,
                              capacity, &count));
    *depth = 0;
    for (int i = 0; i < count; i++)
        *depth = fmax(*depth, -points[i].gap);
    return GMC_OK;
}

gmc_status gmc_rollout_start(const gmc_rollout_input *input, gmc_arena *trial, gmc_arena *scratch,
                             gmc_rollout_result *result)
{
    gmc_world world;
    gmc_measure_state measures;
    double depth = 0;
    gmc_arena_reset(scratch, 0);
    GMC_TRY(
        input->options.stepper->create(input->model, input->options.contact_max, trial, &world));
    GMC_TRY(gmc_measure_create(input->measures, input->model, trial, &measures));
    gmc_measure_start(input->measures, &world, &measures);
    gmc_status status = deepest_overlap(input, &world, scratch, &depth);
    if (status == GMC_E_ARENA_FULL) return status;

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

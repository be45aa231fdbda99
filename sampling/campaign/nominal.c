#include "sampling/campaign/nominal.h"

#include "sampling/scenario/perturb.h"
#include "sampling/scenario/study.h"

#include <math.h>
#include <stdlib.h>

/// What one look needs, grown as long as it is too small.
typedef struct looking {
    const gmc_scenario *scenario;
    const gmc_build *build;
    double *values;
    gmc_arena trial, scratch;
    gmc_rollout_result found;
    gmc_rollout_gap_found *gaps; // NULL: not wanted
} looking;

static gmc_status look_once(looking *l, int64_t case_index, gmc_nominal_starts *starts)
{
    gmc_rollout_input input;
    gmc_arena_reset(&l->trial, 0);
    gmc_arena_reset(&l->scratch, 0);
    gmc_status status = gmc_build_instantiate(l->build, gmc_study_object(l->scenario, case_index),
                                              l->values, l->values, &l->trial, &input);
    if (status == GMC_E_INPUT) return GMC_OK; // values that are not good together: another matter
    GMC_TRY(status);
    starts->accepted = input.options.deep_start;
    if (l->gaps) GMC_TRY(gmc_build_gap(&input, &l->trial, &l->scratch, &l->gaps[case_index]));
    return gmc_rollout_start(&input, &l->trial, &l->scratch, &l->found);
}

static gmc_status look_at(looking *l, int64_t case_index, gmc_nominal_starts *starts)
{
    enum { DOUBLINGS = 12 };
    gmc_status status = GMC_E_ARENA_FULL;
    for (int i = 0; i < DOUBLINGS && status == GMC_E_ARENA_FULL; i++) {
        l->found.reason = GMC_REASON_NONE;
        status = look_once(l, case_index, starts);
        if (status != GMC_E_ARENA_FULL) break;
        size_t trial = 2 * l->trial.capacity, scratch = 2 * l->scratch.capacity;
        gmc_arena_free(&l->trial);
        gmc_arena_free(&l->scratch);
        GMC_TRY(gmc_arena_create(&l->trial, trial));
        GMC_TRY(gmc_arena_create(&l->scratch, scratch));
    }
    return status == GMC_E_ARENA_FULL ? GMC_E_LIMIT : status;
}

static gmc_status look_at_all(looking *l, gmc_nominal_starts *starts)
{
    GMC_TRY(gmc_arena_create(&l->trial, gmc_build_bytes(l->build)));
    GMC_TRY(gmc_arena_create(&l->scratch, gmc_build_bytes(l->build)));
    int64_t cases = gmc_nominal_count(l->scenario);
    for (int64_t c = 0; c < cases; c++) {
        if (l->gaps) l->gaps[c] = (gmc_rollout_gap_found){(double)NAN, (double)NAN};
        gmc_perturb_believed(l->scenario, c, l->values);
        GMC_TRY(look_at(l, c, starts));
        starts->looked_at++;
        if (l->found.reason != GMC_REASON_DEEP_START) continue;
        double depth = l->found.values[GMC_COLUMN_MAX_PENETRATION];
        if (starts->deep++ > 0 && depth <= starts->depth) continue;
        starts->deepest = c;
        starts->depth = depth;
    }
    return GMC_OK;
}

int64_t gmc_nominal_count(const gmc_scenario *scenario)
{
    bool is_grasped = gmc_study_grasp(scenario, 0) >= 0;
    int64_t most = is_grasped ? GMC_NOMINAL_GRASPS : GMC_NOMINAL_CASES;
    return scenario->case_count < most ? scenario->case_count : most;
}

gmc_status gmc_nominal_look(const gmc_scenario *scenario, const gmc_build *build,
                            gmc_rollout_gap_found *gaps, gmc_nominal_starts *starts)
{
    looking l = {.scenario = scenario, .build = build, .gaps = gaps};
    *starts = (gmc_nominal_starts){0};
    l.values = calloc((size_t)scenario->parameter_count + 1, sizeof *l.values);
    l.found.values =
        calloc((size_t)gmc_build_measures(build)->column_count + 1, sizeof *l.found.values);
    gmc_status status = l.values && l.found.values ? look_at_all(&l, starts) : GMC_E_MEMORY;
    gmc_arena_free(&l.trial);
    gmc_arena_free(&l.scratch);
    free(l.values);
    free(l.found.values);
    return status;
}

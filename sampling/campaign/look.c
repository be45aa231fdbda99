#include "sampling/campaign/look.h"

#include "sampling/scenario/study.h"

#include <stdlib.h>

gmc_status gmc_look_open(const gmc_scenario *scenario, const gmc_build *build, gmc_look *look)
{
    *look = (gmc_look){.scenario = scenario, .build = build};
    look->values = calloc((size_t)scenario->parameter_count + 1, sizeof *look->values);
    look->believed = calloc((size_t)scenario->parameter_count + 1, sizeof *look->believed);
    if (!look->values || !look->believed) return GMC_E_MEMORY;
    GMC_TRY(gmc_arena_create(&look->trial, gmc_build_bytes(build)));
    return gmc_arena_create(&look->scratch, gmc_build_bytes(build));
}

void gmc_look_close(gmc_look *look)
{
    gmc_arena_free(&look->trial);
    gmc_arena_free(&look->scratch);
    free(look->believed);
    free(look->values);
    *look = (gmc_look){0};
}

static gmc_status look_once(gmc_look *look, int64_t case_index, gmc_look_at *at, void *context)
{
    gmc_rollout_input input;
    gmc_arena_reset(&look->trial, 0);
    gmc_arena_reset(&look->scratch, 0);
    GMC_TRY(gmc_build_instantiate(look->build, gmc_study_object(look->scenario, case_index),
                                  look->believed, look->values, &look->trial, &input));
    return at(&input, &look->trial, &look->scratch, context);
}

gmc_status gmc_look_do(gmc_look *look, int64_t case_index, gmc_look_at *at, void *context)
{
    enum { DOUBLINGS = 12 };
    for (int i = 0; i < DOUBLINGS; i++) {
        gmc_status status = look_once(look, case_index, at, context);
        if (status != GMC_E_ARENA_FULL) return status;
        size_t trial = 2 * look->trial.capacity, scratch = 2 * look->scratch.capacity;
        gmc_arena_free(&look->trial);
        gmc_arena_free(&look->scratch);
        GMC_TRY(gmc_arena_create(&look->trial, trial));
        GMC_TRY(gmc_arena_create(&look->scratch, scratch));
    }
    return GMC_E_LIMIT;
}

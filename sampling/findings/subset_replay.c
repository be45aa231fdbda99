#include "sampling/findings/subset_replay.h"

#include "sampling/build/margin.h"
#include "sampling/campaign/rollouts.h"

#include <stdlib.h>

typedef struct reading {
    gmc_subset *subset;
    const gmc_scenario *scenario;
} reading;

static gmc_status take_in(void *context, const gmc_trial *trial)
{
    const reading *r = context;
    if (trial->trial >= gmc_subset_total(gmc_subset_about(r->subset))) return GMC_E_INPUT;
    gmc_subset_put(
        r->subset, trial->trial,
        gmc_margin_value(r->scenario->subset.code, trial->values, trial->samples, trial->outcome));
    return GMC_OK;
}

/// Open stages until one has the trial.
static gmc_status go_to(gmc_subset *subset, uint64_t trial)
{
    gmc_subset_stage stage;
    size_t width = (size_t)gmc_subset_about(subset)->dimensions;
    double *point = malloc(width * sizeof *point);
    gmc_status status = point ? gmc_subset_next(subset, &stage) : GMC_E_MEMORY;
    while (status == GMC_OK && stage.count > 0 && !gmc_subset_point(subset, trial, point))
        status = gmc_subset_next(subset, &stage);
    free(point);
    return status == GMC_OK && stage.count == 0 ? GMC_E_MISSING : status;
}

gmc_status gmc_subset_replay_open(gmc_result *result, const gmc_scenario *scenario, uint64_t trial,
                                  gmc_subset **subset)
{
    *subset = NULL;
    if (!scenario->subset.is_given) return GMC_OK;
    if (gmc_result_about(result)->parameter_count != scenario->sampled_count) return GMC_E_MISMATCH;
    const gmc_subset_plan plan = gmc_rollouts_subset(scenario);
    GMC_TRY(gmc_subset_create(&plan, subset));
    reading r = {*subset, scenario};
    gmc_status status = gmc_result_trials(result, take_in, &r);
    if (status == GMC_OK) status = go_to(*subset, trial);
    if (status == GMC_OK) return GMC_OK;
    gmc_subset_free(*subset);
    *subset = NULL;
    return status;
}

/// One trial as data: what goes from the worker that ran it to the sink that keeps it.
#ifndef GMC_SAMPLING_CAMPAIGN_TRIAL_H
#define GMC_SAMPLING_CAMPAIGN_TRIAL_H

#include "engine/rollout.h"

#include <stdint.h>

/// A finished trial. Everything that the result file keeps of it, and nothing that depends on when,
/// where or on how many threads it ran.
typedef struct gmc_trial {
    uint64_t trial; ///< number: draw * cases + case
    uint32_t case_index;
    uint64_t draw;
    gmc_outcome outcome;
    gmc_reason reason;
    int phase;
    double t_end;
    double *values; ///< (column_count) measures, in the order of the plan's columns
    double
        *samples; ///< (sample_count) values of the uncertain and studied parameters, in their order
    const gmc_trajectory *trajectory; ///< NULL: not kept
} gmc_trial;

#endif

/// A run without physics: a plan with two models, odd names and all kinds of columns, and trials
/// that are a function of their number alone, as those of the engine are.
#ifndef GMC_TEST_SUPPORT_MADE_RUN_H
#define GMC_TEST_SUPPORT_MADE_RUN_H

#include "sampling/campaign/pool.h"
#include "sampling/store/plan.h"

enum {
    MADE_COLUMNS = 6,
    MADE_PARAMETERS = 3,
    MADE_CASES = 4,
    MADE_ROWS_MAX = 40, ///< of a trajectory
};

/// Owns what its plan points to.
typedef struct made_run {
    gmc_store_plan plan;
    gmc_asset assets[2];
    gmc_store_case cases[MADE_CASES];
    double case_values[MADE_CASES][MADE_PARAMETERS];
    gmc_store_histogram histograms[3];
    double edges[3][11];
    int trial_us; ///< how long a trial of the job takes
} made_run;

/// Trials [first, first + count).
void made_run_start(made_run *run, uint64_t first, uint64_t count);

/// Trial `number`, in memory that grows once. Every third has a trajectory.
/// @return GMC_OK, GMC_E_MEMORY
gmc_status made_run_trial(const made_run *run, uint64_t number, gmc_trial_copy *trial);

/// The same as a job for a campaign.
gmc_job made_run_job(made_run *run);

#endif

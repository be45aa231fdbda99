/// What an optimisation found, in words and as JSON.
#ifndef GMC_CLI_ANSWER_OPTIMISE_ANSWER_H
#define GMC_CLI_ANSWER_OPTIMISE_ANSWER_H

#include "cli/options/args.h"
#include "sampling/design/optimum.h"
#include "sampling/scenario/scenario.h"

/// The number of an axis that a coordinate in [0, 1] of a design is: within its range [SI].
double gmc_optimise_answer_number(const gmc_axis_spec *axis, double x);

/// What everything has to do with.
typedef struct gmc_optimised {
    const gmc_args *args;
    const gmc_scenario *scenario;
    const gmc_optimum_answer *answer;
    int64_t open;              ///< of a quantile: trials of the search taken as the worst
    const char *folder, *best; ///< best: the file of the chosen design
} gmc_optimised;

/// @return GMC_OK; as gmc_stored_open, gmc_describe_run and gmc_answer_collect of the chosen
///         design's file, reported
GMC_MUST_CHECK gmc_status gmc_optimise_answer(const gmc_optimised *found);

#endif

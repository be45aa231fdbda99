/// Parts of a description (private to describe*.c).
#ifndef GMC_SAMPLING_STORE_DESCRIBE_INTERNAL_H
#define GMC_SAMPLING_STORE_DESCRIBE_INTERNAL_H

#include "sampling/store/describe.h"

/// What the parts share; none of it is owned.
typedef struct gmc_describing {
    gmc_scenario *scenario;
    const gmc_build *build;
    gmc_diagnostics *report;
    gmc_arena *arena;
    gmc_store_plan *plan;
    gmc_store_round round; ///< of the ranking
} gmc_describing;

bool gmc_describe_is_among(gmc_param wanted, const gmc_param *targets, int count);

/// Values of a column over all trials: all that can come (is_support), or where most of them lie.
gmc_interval gmc_describe_interval(const gmc_scenario *s, const gmc_sampled *column,
                                   bool is_support);

/// How all levels of a study take their steps, and their names in a row.
/// @param levels  out: (level_count)
/// @param names   out: "cheap, full"
/// @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_describe_levels(const gmc_describing *d, gmc_store_level *levels,
                                              const char **names);

/// Inputs known from measurements into the plan, after what chooses its trials.
/// @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_describe_measured(const gmc_describing *d);

/// Histograms into the plan, after its parameters and columns.
/// @return GMC_OK, GMC_E_ARENA_FULL, GMC_E_INPUT (reported)
GMC_MUST_CHECK gmc_status gmc_describe_histograms(const gmc_describing *d);

#endif

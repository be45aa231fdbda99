/// From a scenario and what was built from it to what the store must know: parameters with their
/// ranges, cases, names of bodies and joints, histograms with their edges.
///
/// Edges follow from the scenario alone, never from the trials: two runs of it share their bins.
///   studied parameter          one bin per value, with edges half-way between neighbours
///   uncertain parameter        gmc_distribution_range of its lines, `bins` equal bins
///   column of a CSV design     its smallest and largest value
///   measure                    by unit; what falls outside is counted apart
#ifndef GMC_SAMPLING_STORE_DESCRIBE_H
#define GMC_SAMPLING_STORE_DESCRIBE_H

#include "sampling/build/build.h"
#include "sampling/store/plan.h"

typedef struct gmc_describe_options {
    uint64_t first, count;  ///< trials [first, first + count)
    int shard, shard_count; ///< part `shard` (from 1) of so many; 0, 0: not a shard
    gmc_store_round round;  ///< of a ranking that is not finished
    double level;           ///< of every interval
    gmc_stop_rule stop;     ///< what the run may stop for
    double stop_level;      ///< of the interval that it looks at; 0: `level`
} gmc_describe_options;

/// A plan and the memory behind it.
typedef struct gmc_description {
    gmc_store_plan plan;
    gmc_arena arena;
} gmc_description;

/// @param scenario     resolved; it and the build must outlive the description
/// @param report       takes histograms that cannot be made
/// @param description  out; gmc_description_free also after a failure
/// @return GMC_OK, GMC_E_INPUT (reported), GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_describe_run(gmc_scenario *scenario, const gmc_build *build,
                                           const gmc_describe_options *options,
                                           gmc_diagnostics *report, gmc_description *description);

void gmc_description_free(gmc_description *description);

// ---- for the methods of studies (method.h) ----

/// A description that is being made; none of it is owned.
typedef struct gmc_describing {
    gmc_scenario *scenario;
    const gmc_build *build;
    gmc_diagnostics *report;
    gmc_arena *arena;
    gmc_store_plan *plan;
    gmc_store_round round; ///< of the ranking
} gmc_describing;

/// How all levels of a study take their steps, and their names in a row.
/// @param levels  out: (level_count)
/// @param names   out: "cheap, full"
/// @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_describe_levels(const gmc_describing *d, gmc_store_level *levels,
                                              const char **names);

#endif

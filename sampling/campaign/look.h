/// Looking at the start of a case without running it, in memory that grows with what it needs.
#ifndef GMC_SAMPLING_CAMPAIGN_LOOK_H
#define GMC_SAMPLING_CAMPAIGN_LOOK_H

#include "sampling/build/build.h"

typedef struct gmc_look {
    const gmc_scenario *scenario;
    const gmc_build *build;
    double *believed, *values; ///< (parameter_count) that the next look takes; the caller writes
                               ///< them
    gmc_arena trial, scratch;
} gmc_look;

/// What is looked at, in the arenas of a trial; called again with larger ones as long as it says
/// GMC_E_ARENA_FULL.
typedef gmc_status gmc_look_at(const gmc_rollout_input *input, gmc_arena *trial, gmc_arena *scratch,
                               void *context);

/// @param scenario, build  outlive the look
/// @return GMC_OK, GMC_E_MEMORY; gmc_look_close in every case
GMC_MUST_CHECK gmc_status gmc_look_open(const gmc_scenario *scenario, const gmc_build *build,
                                        gmc_look *look);

void gmc_look_close(gmc_look *look);

/// Look at a case with the look's values.
/// @return what `at` says, but GMC_E_LIMIT for more memory than is sensible; GMC_E_INPUT: the
///         values do not go together
GMC_MUST_CHECK gmc_status gmc_look_do(gmc_look *look, int64_t case_index, gmc_look_at *at,
                                      void *context);

#endif

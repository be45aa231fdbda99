/// Every case at its nominal values, before anything moves: what would make all its trials unsolved
/// is better said by `check` than found by a run.
#ifndef GMC_SAMPLING_CAMPAIGN_NOMINAL_H
#define GMC_SAMPLING_CAMPAIGN_NOMINAL_H

#include "sampling/build/build.h"

/// The start of one case.
typedef struct gmc_nominal_start {
    gmc_rollout_gap_found gap;       ///< between hand and object; NaN: not known
    gmc_rollout_gap_found scene_gap; ///< between hand and scene; NaN: not known
    gmc_build_overlap worst;         ///< the deepest that is deeper than a trial accepts; depth 0:
                                     ///< there is none
} gmc_nominal_start;

typedef struct gmc_nominal_starts {
    int64_t looked_at;         ///< cases
    int64_t deep;              ///< of them, those whose bodies overlap by more than a trial accepts
    int64_t deepest;           ///< the worst of these
    gmc_build_overlaps worst;  ///< who overlaps in it
    int64_t shallow;           ///< cases that can start and whose bodies overlap all the same, by
                               ///< more than GMC_BUILD_OVERLAP_TOLD
    int64_t shallowest;        ///< the worst of these
    gmc_build_overlap lightly; ///< who overlaps most in it
    int lightly_count;         ///< pairs that do
    double accepted;           ///< what a trial accepts [m]
    double nearest;            ///< gap between hand and object where they are nearest; cases behind
                               ///< the first that is not far are not looked at for it; NaN,
                               ///< infinite: not known [m]
} gmc_nominal_starts;

/// Look at the first cases.
/// @param count   at most case_count
/// @param list    out: (count); NULL: not wanted, which is quicker
/// @param starts  out
/// @return GMC_OK, GMC_E_MEMORY, GMC_E_LIMIT (a start wants more memory than any sensible one)
GMC_MUST_CHECK gmc_status gmc_nominal_look(const gmc_scenario *scenario, const gmc_build *build,
                                           int64_t count, gmc_nominal_start *list,
                                           gmc_nominal_starts *starts);

/// Warn where the hand starts so far from the object, in every case looked at, that the program
/// does not take it there.
void gmc_nominal_warn_far(const gmc_scenario *scenario, const gmc_nominal_starts *starts,
                          gmc_diagnostics *messages);

#endif

/// Every case at its nominal values, before anything moves: what would make all its trials unsolved
/// is better said by `check` than found by a run.
#ifndef GMC_SAMPLING_CAMPAIGN_NOMINAL_H
#define GMC_SAMPLING_CAMPAIGN_NOMINAL_H

#include "sampling/scenario/build.h"

typedef struct gmc_nominal_starts {
    int64_t looked_at; ///< cases: gmc_nominal_count
    int64_t deep;      ///< of them, those whose bodies overlap by more than a trial accepts
    int64_t deepest;   ///< the worst of these
    double depth;      ///< its overlap [m]
    double accepted;   ///< what a trial accepts [m]
} gmc_nominal_starts;

enum {
    GMC_NOMINAL_CASES = 1000,
    GMC_NOMINAL_GRASPS = 100000 ///< of these each costs a millisecond or so
};

/// @param gaps    out: (gmc_nominal_count) between hand and object, NaN: not known; NULL: not
/// wanted
/// @param starts  out
/// @return GMC_OK, GMC_E_MEMORY, GMC_E_LIMIT (a start wants more memory than any sensible one)
GMC_MUST_CHECK gmc_status gmc_nominal_look(const gmc_scenario *scenario, const gmc_build *build,
                                           gmc_rollout_gap_found *gaps, gmc_nominal_starts *starts);

/// How many cases are looked at: the first GMC_NOMINAL_CASES, of grasps GMC_NOMINAL_GRASPS.
int64_t gmc_nominal_count(const gmc_scenario *scenario);

#endif

/// One trial as a scenario of its own, with all chance frozen: what was drawn stands in `uncertain`
/// as numbers, what was decided in `study` as the only value of each axis, so that what the robot
/// believes and what is true stay apart. Running it gives the trial's row again, bit for bit.
///
///   uncertain   every line and column of samples: the number it came to
///   believed    its errors as numbers of `uncertain`; its deviations, and `correlated`, are gone
///   study       `vary` of one value each; of a ladder the level that was run
///   sampling    one random draw, which nothing looks at
///   control     case and draw whose chance its encoders have, and that it is told
///   simulation  early.audit and half_step: all or none, as the trial was chosen or not
///   output      the motion of the trial
#ifndef GMC_SAMPLING_WRITING_FREEZE_H
#define GMC_SAMPLING_WRITING_FREEZE_H

#include "sampling/scenario/scenario.h"

typedef struct gmc_freeze_trial {
    int64_t case_index;
    uint64_t draw;
    int level;                    ///< of the ladder; 0 without one
    const double *samples;        ///< (sampled_count) as stored
    bool is_audited, is_repeated; ///< early.audit, half_step chose it
} gmc_freeze_trial;

/// A file that goes by another name in the new scenario.
typedef struct gmc_freeze_name {
    const char *old, *fresh;
} gmc_freeze_name;

/// @param scenario  resolved; its arena takes the new tree
/// @param names     (name_count) for the files that the scenario itself names
/// @param text      out: YAML; the caller frees it
/// @return GMC_OK, GMC_E_ARENA_FULL, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_freeze_text(gmc_scenario *scenario, const gmc_freeze_trial *trial,
                                          const gmc_freeze_name *names, int name_count,
                                          char **text);

#endif

/// What a run will take on disk, told by a few of its trials: they are written as a run writes
/// them, journal and result, into a folder for temporary files, twice. What the second has more of
/// journal and motions is what a trial takes; of the result it is what the rows take in it.
#ifndef GMC_SAMPLING_FINDINGS_FOOTPRINT_H
#define GMC_SAMPLING_FINDINGS_FOOTPRINT_H

#include "sampling/campaign/trial.h"
#include "sampling/store/plan.h"

enum { GMC_FOOTPRINT_LEAST = 8 }; ///< trials

typedef struct gmc_footprint {
    double result_bytes, journal_bytes;                 ///< without trials, as if it had one case
    double result_trial, journal_trial;                 ///< a trial without its motion takes
    double motion_bytes, result_motion, journal_motion; ///< all motions; each
} gmc_footprint;

/// @param plan    of the run
/// @param trials  (count >= 1) of it, with the motion of those that would keep it; those of the
///                first one's model are taken
/// @param folder  for temporary files; nothing is left in it
/// @param footprint  out: zeros if fewer than GMC_FOOTPRINT_LEAST trials are of one model
/// @return GMC_OK; as gmc_store_open and gmc_store_finish (reported)
GMC_MUST_CHECK gmc_status gmc_footprint_measure(const gmc_store_plan *plan,
                                                const gmc_trial_copy *trials, int count,
                                                const char *folder, gmc_diagnostics *messages,
                                                gmc_footprint *footprint);

#endif

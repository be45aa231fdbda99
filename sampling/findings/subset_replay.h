/// Subset simulation gone through again from its stored trials, up to where a trial was run: only
/// then is known where that trial is.
#ifndef GMC_SAMPLING_FINDINGS_SUBSET_REPLAY_H
#define GMC_SAMPLING_FINDINGS_SUBSET_REPLAY_H

#include "sampling/design/subset.h"
#include "sampling/scenario/scenario.h"
#include "sampling/store/result.h"

/// @param scenario  that of the result, prepared
/// @param trial     number of one of its trials
/// @param subset    out: with the stage of that trial open; gmc_subset_free. NULL for scenarios
///                  without subset simulation
/// @return GMC_OK; GMC_E_MISSING: there is no such trial, or one before it; as gmc_result_trials;
///         GMC_E_MEMORY, GMC_E_LIMIT
GMC_MUST_CHECK gmc_status gmc_subset_replay_open(gmc_result *result, const gmc_scenario *scenario,
                                                 uint64_t trial, gmc_subset **subset);

#endif

/// What makes two runs the same experiment, as text: one `path: value` a line, numbers in SI, so
/// that `50 mm` and `0.05 m` agree and a difference can be told by its path (store/identity.h
/// does).
///
/// In it: everything of the expanded scenario that a trial depends on, the seed, and a digest of
/// every file used. Not in it: number of draws, `output`, `about`, `use` (what it brought is in),
/// comments.
#ifndef GMC_SAMPLING_WRITING_FINGERPRINT_H
#define GMC_SAMPLING_WRITING_FINGERPRINT_H

#include "sampling/scenario/scenario.h"

/// @param scenario  resolved, with the hand's joints among its parameters
/// @param text      out: the caller frees it
/// @return GMC_OK, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_fingerprint_text(const gmc_scenario *scenario, char **text);

/// The same of a ranking with another budget, and another most of draws of a case: what its digest
/// was when it was run with these.
/// @param fingerprint  of a scenario with study.rank
/// @param text         out: the caller frees it
/// @return GMC_OK, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_fingerprint_with_budget(const char *fingerprint, uint64_t budget,
                                                      uint64_t last, char **text);

#endif

/// `show --surrogate`: success with a narrower interval, from the same trials and a function fitted
/// to them (sampling/explain/surrogate.h), beside what the trials alone tell.
#ifndef GMC_CLI_COMMANDS_SHOW_SURROGATE_H
#define GMC_CLI_COMMANDS_SHOW_SURROGATE_H

#include "cli/answer/stored.h"
#include "cli/options/args.h"

/// Answer of a result on stdout, of all cases together and of each: in words, or as JSON with
/// --json.
/// @param plan  of the result
/// @return GMC_OK, GMC_E_INPUT (reported: trials that are not independent draws of the scenario's
///         own chance), GMC_E_MISMATCH, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_show_surrogate(const gmc_args *args, gmc_stored *stored,
                                             const gmc_store_plan *plan);

/// Are trials what a surrogate can be asked of: independent draws of the scenario's own chance, of
/// a run whose length does not follow from what it saw?
/// @return GMC_OK, GMC_E_INPUT (reported)
GMC_MUST_CHECK gmc_status gmc_show_surrogate_check(gmc_stored *stored, const gmc_store_plan *plan);

#endif

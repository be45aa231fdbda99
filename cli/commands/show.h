/// What `show` may be asked besides the answer of a result, each in a file of its own. The answer
/// goes to stdout, of all cases together and, but for failures and sensitivity, of each: in words,
/// or as JSON with --json.
///
/// @param plan  of the result
/// @return GMC_OK, GMC_E_INPUT (reported: trials that do not say what is asked), GMC_E_MISMATCH,
/// GMC_E_MEMORY
#ifndef GMC_CLI_COMMANDS_SHOW_H
#define GMC_CLI_COMMANDS_SHOW_H

#include "cli/answer/stored.h"
#include "cli/options/args.h"

typedef gmc_status gmc_show_question(const gmc_args *args, gmc_stored *stored,
                                     const gmc_store_plan *plan);

GMC_MUST_CHECK gmc_show_question gmc_show_failures, gmc_show_quantile, gmc_show_sensitivity,
    gmc_show_surrogate;

#endif

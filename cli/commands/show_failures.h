/// `show --failures`: how trials fail, how often each way, the rule of one or two inputs that tells
/// it from the rest (sampling/explain/rule.h), and where it is likeliest
/// (sampling/explain/likeliest.h).
#ifndef GMC_CLI_COMMANDS_SHOW_FAILURES_H
#define GMC_CLI_COMMANDS_SHOW_FAILURES_H

#include "cli/answer/stored.h"
#include "cli/options/args.h"

/// Answer of a result on stdout, of all cases together: in words, or as JSON with --json.
/// @param plan  of the result
/// @return GMC_OK, GMC_E_INPUT (reported: trials that are not draws of the scenario's own chance),
///         GMC_E_MISMATCH, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_show_failures(const gmc_args *args, gmc_stored *stored,
                                            const gmc_store_plan *plan);

#endif

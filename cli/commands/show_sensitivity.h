/// `show --sensitivity`: what of the inputs matters for an outcome, with intervals, the one that
/// matters most first.
#ifndef GMC_CLI_COMMANDS_SHOW_SENSITIVITY_H
#define GMC_CLI_COMMANDS_SHOW_SENSITIVITY_H

#include "cli/answer/stored.h"
#include "cli/options/args.h"

/// Answer for all cases of a result, on stdout: in words, or as JSON with --json.
/// @param plan  of the result
/// @return GMC_OK, GMC_E_INPUT (reported: an outcome that is none, trials of a ladder),
///         GMC_E_MISMATCH, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_show_sensitivity(const gmc_args *args, gmc_stored *stored,
                                               const gmc_store_plan *plan);

#endif

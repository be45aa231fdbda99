/// `show --quantile`: quantiles of a number that trials measure, with intervals, and tolerance
/// limits: "95 % of trials have at most 3.1 mm, 95 % sure" (sampling/findings/quantiles.h).
#ifndef GMC_CLI_COMMANDS_SHOW_QUANTILE_H
#define GMC_CLI_COMMANDS_SHOW_QUANTILE_H

#include "cli/answer/stored.h"
#include "cli/options/args.h"

/// Answer of a result on stdout, of all cases together and of each: in words, or as JSON with
/// --json. With --where of the trials that are meant.
/// @param plan  of the result
/// @return GMC_OK, GMC_E_INPUT (reported: a number that is none, a run that chose its trials),
///         GMC_E_MISMATCH, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_show_quantile(const gmc_args *args, gmc_stored *stored,
                                            const gmc_store_plan *plan);

#endif

/// Histograms that `show` is asked for, in place of the scenario's:
///
///   --by object.mass                          --by 'object.pose.x,friction.rubber/abs'
///   --rebin 40                                so many equal bins on each axis of --by
///   --rebin object.mass=40                    on this one, which is shown if --by names nothing
///   --rebin 'object.mass=0.1 kg,0.2 kg,1 kg'  with these edges
#ifndef GMC_CLI_ANSWER_BINS_H
#define GMC_CLI_ANSWER_BINS_H

#include "cli/answer/stored.h"
#include "cli/options/args.h"

/// Replace the scenario's histograms by the one asked for, with --by and --rebin. Where few trials
/// would fill twenty bins, axes of which neither number nor edges were given have ten: for reading,
/// while programs (--json) get the bins that the file has.
/// @param stored  its arena takes texts and edges; mistakes go to its messages
/// @return GMC_OK, GMC_E_INPUT (reported), GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_bins_ask(const gmc_args *args, gmc_stored *stored);

#endif

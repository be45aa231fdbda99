/// graspmc optimise: numbers in ranges chosen for success, in rounds that are runs like any other.
///
///   DIR/round.0.h5 ... round.7.h5    designs of a round, each a case, on draws of their own seed
///   DIR/best.h5                      the design that was chosen, on draws that no round has seen
///
/// What comes next is a pure function of these files (sampling/design/optimum.h), so the same
/// command goes on wherever an earlier one stopped, and files of a finished one give its answer
/// again. `--shard I/N` runs a part of the round that is next, which `graspmc merge` puts together.
#ifndef GMC_CLI_COMMANDS_OPTIMISE_H
#define GMC_CLI_COMMANDS_OPTIMISE_H

#include "cli/options/args.h"
#include "cli/process/exit.h"

/// GMC_EXIT_UNDECIDED: nothing depends on any of the numbers.
gmc_exit gmc_optimise_main(const gmc_args *args, int argc, char *const *argv);

#endif

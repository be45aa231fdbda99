/// The subcommands of graspmc, each in the file of its name: what a command line asks for is done,
/// what it found is on stdout, all else on stderr.
#ifndef GMC_CLI_COMMANDS_COMMANDS_H
#define GMC_CLI_COMMANDS_COMMANDS_H

#include "cli/options/args.h"
#include "cli/process/exit.h"

gmc_exit gmc_run_main(const gmc_args *args);
gmc_exit gmc_check_main(const gmc_args *args);
gmc_exit gmc_show_main(const gmc_args *args);

/// GMC_EXIT_NO if a stored number differs in any bit.
gmc_exit gmc_replay_main(const gmc_args *args);
gmc_exit gmc_merge_main(const gmc_args *args);

/// @return GMC_EXIT_DONE: everything that there is to do is done; GMC_EXIT_UNDECIDED: something is
///         running, interrupted or missing; else as a failure
gmc_exit gmc_status_main(const gmc_args *args);

/// With --fail-if: GMC_EXIT_NO if the second is worse, GMC_EXIT_UNDECIDED if that is not known.
gmc_exit gmc_compare_main(const gmc_args *args);

/// GMC_EXIT_NO if the new scenario gives a number that is not the stored one in every bit; the
/// folder is written all the same.
gmc_exit gmc_extract_main(const gmc_args *args);
gmc_exit gmc_export_main(const gmc_args *args);

/// With a study's ranking: GMC_EXIT_UNDECIDED if it was not reached.
gmc_exit gmc_rank_main(const gmc_args *args);

/// GMC_EXIT_UNDECIDED: nothing depends on any of the numbers.
gmc_exit gmc_optimise_main(const gmc_args *args);

#endif

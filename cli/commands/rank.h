/// graspmc rank: the cases of a result in order, and the best of them as a grasp file.
#ifndef GMC_CLI_COMMANDS_RANK_H
#define GMC_CLI_COMMANDS_RANK_H

#include "cli/options/args.h"
#include "cli/process/exit.h"

/// With a study's ranking: GMC_EXIT_UNDECIDED if it was not reached.
gmc_exit gmc_rank_main(const gmc_args *args);

#endif

/// graspmc rank: the cases of a result in order, and the best of them as a grasp file.
#ifndef GMC_CLI_RANK_H
#define GMC_CLI_RANK_H

#include "cli/args.h"
#include "cli/exit.h"

/// With a study's ranking: GMC_EXIT_UNDECIDED if it was not reached.
gmc_exit gmc_rank_main(const gmc_args *args);

#endif

/// graspmc compare: two results pair by pair, and whether the second is worse.
#ifndef GMC_CLI_COMMANDS_COMPARE_H
#define GMC_CLI_COMMANDS_COMPARE_H

#include "cli/options/args.h"
#include "cli/process/exit.h"

/// With --fail-if: GMC_EXIT_NO if the second is worse, GMC_EXIT_UNDECIDED if that is not known.
gmc_exit gmc_compare_main(const gmc_args *args);

#endif

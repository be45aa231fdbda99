/// graspmc status: how far running and interrupted runs are, and what is missing of sharded ones.
#ifndef GMC_CLI_COMMANDS_STATUS_H
#define GMC_CLI_COMMANDS_STATUS_H

#include "cli/options/args.h"
#include "cli/process/exit.h"

/// @return GMC_EXIT_DONE: everything that there is to do is done; GMC_EXIT_UNDECIDED: something is
///         running, interrupted or missing; else as a failure
gmc_exit gmc_status_main(const gmc_args *args);

#endif

/// graspmc replay: one stored trial again, alone.
#ifndef GMC_CLI_COMMANDS_REPLAY_H
#define GMC_CLI_COMMANDS_REPLAY_H

#include "cli/options/args.h"
#include "cli/process/exit.h"

/// GMC_EXIT_NO if a stored number differs in any bit.
gmc_exit gmc_replay_main(const gmc_args *args);

#endif

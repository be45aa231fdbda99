/// graspmc replay: one stored trial again, alone.
#ifndef GMC_CLI_REPLAY_H
#define GMC_CLI_REPLAY_H

#include "cli/args.h"
#include "cli/exit.h"

/// GMC_EXIT_NO if a stored number differs in any bit.
gmc_exit gmc_replay_main(const gmc_args *args);

#endif

/// graspmc check: every mistake of a scenario, or what would run.
#ifndef GMC_CLI_COMMANDS_CHECK_H
#define GMC_CLI_COMMANDS_CHECK_H

#include "cli/options/args.h"
#include "cli/process/exit.h"

gmc_exit gmc_check_main(const gmc_args *args);

#endif

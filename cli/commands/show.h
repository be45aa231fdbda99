/// graspmc show: what a result says.
#ifndef GMC_CLI_COMMANDS_SHOW_H
#define GMC_CLI_COMMANDS_SHOW_H

#include "cli/options/args.h"
#include "cli/process/exit.h"

gmc_exit gmc_show_main(const gmc_args *args);

#endif

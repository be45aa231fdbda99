/// graspmc export: a result, or the motion of one trial, in another format.
#ifndef GMC_CLI_COMMANDS_EXPORT_H
#define GMC_CLI_COMMANDS_EXPORT_H

#include "cli/options/args.h"
#include "cli/process/exit.h"

gmc_exit gmc_export_main(const gmc_args *args);

#endif

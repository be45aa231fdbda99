/// graspmc run: scenario in, result file and estimate out.
#ifndef GMC_CLI_COMMANDS_RUN_H
#define GMC_CLI_COMMANDS_RUN_H

#include "cli/options/args.h"
#include "cli/process/exit.h"

/// @param argc,argv  for the log and the line that resumes
gmc_exit gmc_run_main(const gmc_args *args, int argc, char *const *argv);

#endif

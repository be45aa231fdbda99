/// `graspmc new HAND [OBJECT]`: a scenario to start from, commented line by line.
#ifndef GMC_CLI_NEW_NEW_H
#define GMC_CLI_NEW_NEW_H

#include "cli/options/args.h"
#include "cli/process/exit.h"

gmc_exit gmc_new_main(const gmc_args *args);

#endif

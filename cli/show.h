/// graspmc show: what a result says.
#ifndef GMC_CLI_SHOW_H
#define GMC_CLI_SHOW_H

#include "cli/args.h"
#include "cli/exit.h"

gmc_exit gmc_show_main(const gmc_args *args);

#endif

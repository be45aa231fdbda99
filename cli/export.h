/// graspmc export: a result, or the motion of one trial, in another format.
#ifndef GMC_CLI_EXPORT_H
#define GMC_CLI_EXPORT_H

#include "cli/args.h"
#include "cli/exit.h"

gmc_exit gmc_export_main(const gmc_args *args);

#endif

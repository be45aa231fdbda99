/// graspmc extract: one stored trial as a scenario with its files.
#ifndef GMC_CLI_COMMANDS_EXTRACT_H
#define GMC_CLI_COMMANDS_EXTRACT_H

#include "cli/options/args.h"
#include "cli/process/exit.h"

/// GMC_EXIT_NO if the new scenario gives a number that is not the stored one in every bit; the
/// folder is written all the same.
gmc_exit gmc_extract_main(const gmc_args *args);

#endif

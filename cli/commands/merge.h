/// graspmc merge: the shards of a run in, the result of the whole run out, with the same bytes as
/// if it had never been sharded.
#ifndef GMC_CLI_COMMANDS_MERGE_H
#define GMC_CLI_COMMANDS_MERGE_H

#include "cli/options/args.h"
#include "cli/process/exit.h"

gmc_exit gmc_merge_main(const gmc_args *args);

#endif

/// What `check` says of how the fingers close.
#ifndef GMC_CLI_COMMANDS_CHECK_CLOSING_H
#define GMC_CLI_COMMANDS_CHECK_CLOSING_H

#include "cli/process/json.h"
#include "sampling/build/build.h"

#include <stdio.h>

/// A line for each finger that the first phase `close` moves, at nominal values; none without such
/// a phase: "closes  joint  start -> end (what the end is), force, largest speed".
void gmc_check_closing_print(const gmc_scenario *scenario, const gmc_build *build, FILE *out);

/// The same as the list "closes", numbers in SI.
void gmc_check_closing_json(const gmc_scenario *scenario, const gmc_build *build, gmc_json *json);

#endif

/// `graspmc check`, continued: draws that are more than plain ones, in words.
#ifndef GMC_CLI_COMMANDS_CHECK_CHANCE_H
#define GMC_CLI_COMMANDS_CHECK_CHANCE_H

#include "sampling/scenario/scenario.h"

#include <stdio.h>

/// Lines about importance sampling, subset simulation and two levels; none for other draws.
/// @param scenario  resolved
void gmc_check_chance_print(const gmc_scenario *scenario, FILE *out);

#endif

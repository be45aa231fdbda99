/// The part of `check` about candidate grasps: how far the open hand is from the object in each. A
/// file that speaks of another frame than the scenario says shows in nothing else as clearly. An
/// object that does not even reach into the box around the hand is no object between fingers.
#ifndef GMC_CLI_COMMANDS_CHECK_GRASPS_H
#define GMC_CLI_COMMANDS_CHECK_GRASPS_H

#include "cli/process/json.h"
#include "sampling/campaign/nominal.h"

#include <stdio.h>

/// One line for each object that has grasps.
/// @param starts    (count) of the first cases, as gmc_nominal_look has them
/// @param accepted  overlap that a trial accepts [m]
void gmc_check_grasps_print(const gmc_scenario *scenario, const gmc_nominal_start *starts,
                            int64_t count, double accepted, FILE *out);

/// A table of all of them.
void gmc_check_grasps_list(const gmc_scenario *scenario, const gmc_nominal_start *starts,
                           int64_t count, FILE *out);

/// Both as JSON: an array `grasps`, one element a case.
void gmc_check_grasps_json(const gmc_scenario *scenario, const gmc_nominal_start *starts,
                           int64_t count, gmc_json *json);

/// Warn of objects most of whose grasps overlap, or are far away.
void gmc_check_grasps_warn(const gmc_scenario *scenario, const gmc_nominal_start *starts,
                           int64_t count, double accepted, gmc_diagnostics *messages);

#endif

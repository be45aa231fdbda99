/// A controller that answers what was recorded: a trial again, bit for bit, without the library or
/// the command that moved it.
#ifndef GMC_SAMPLING_CAMPAIGN_ACTIONS_H
#define GMC_SAMPLING_CAMPAIGN_ACTIONS_H

#include "engine/control/controller.h"
#include "engine/trajectory.h"

/// Zero-initialised means nothing was recorded.
typedef struct gmc_actions {
    const gmc_trajectory *path; ///< with actions, whatever its rate: calls have rows
    const int *dofs;            ///< (count) that the controller moves
    int count;
    const gmc_model *model;     ///< of the trial
    const gmc_program *program; ///< likewise
    int row;                    ///< of the call before
    double period;              ///< [s]
} gmc_actions;

/// @param actions  kept by the caller as long as the controller is called; path, model and program are set
/// @param plan     of the trial
gmc_controller gmc_actions_controller(gmc_actions *actions, const gmc_control_plan *plan);

#endif

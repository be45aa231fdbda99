#include "sampling/campaign/actions.h"

#include <math.h>

// Rounding of summed times [s].
static const double TIME_ROUNDING = 1e-9;

static gmc_status actions_reset(void *context, const graspmc_start *start)
{
    gmc_actions *actions = context;
    actions->row = 0;
    actions->period = start->period;
    return GMC_OK;
}

// The row of a call, from the one before on; -1: the trial ended before it.
static int actions_find(const gmc_actions *actions, double time)
{
    for (int row = actions->row; row < actions->path->row_count; row++) {
        double there = actions->path->time[row];
        if (fabs(there - time) <= TIME_ROUNDING) return row;
        if (there > time) return -1;
    }
    return -1;
}

static void actions_take(const gmc_actions *actions, int row, double *torque)
{
    for (int i = 0; i < actions->count; i++) {
        int dof = gmc_program_recorded(actions->program, actions->model, actions->dofs[i]);
        const double *from = gmc_trajectory_action(actions->model, actions->path, row, dof);
        if (from) torque[i] = *from;
    }
}

// NaN at the call that would have come next says that it was done with this one.
static gmc_status actions_step(void *context, const graspmc_view *view, double *torque,
                               bool *is_done)
{
    gmc_actions *actions = context;
    int row = actions_find(actions, view->time);
    if (row < 0 || actions->count == 0) return GMC_E_LIBRARY;
    actions->row = row;
    int next = actions_find(actions, view->time + actions->period);
    if (next >= 0) actions_take(actions, next, torque);
    *is_done = next >= 0 && isnan(torque[0]);
    actions_take(actions, row, torque);
    return isfinite(torque[0]) ? GMC_OK : GMC_E_LIBRARY;
}

gmc_controller gmc_actions_controller(gmc_actions *actions, const gmc_control_plan *plan)
{
    actions->dofs = plan->dofs;
    actions->count = plan->count;
    return (gmc_controller){.context = actions, .reset = actions_reset, .step = actions_step};
}

// PD on the program's references, as `by: pd` has it: what a controller in a library looks like.
#include "engine/control/graspmc_controller.h"

#include <math.h>
#include <stdlib.h>
const int graspmc_controller_version = GRASPMC_CONTROLLER_VERSION;
void *graspmc_controller_reset(void *controller, const graspmc_start *start)
{
    int *count = controller ? controller : malloc(sizeof *count);
    if (count) *count = start->joint_count;
    return count;
}
int graspmc_controller_step(void *controller, const graspmc_view *view, double *torque)
{
    for (int i = 0; i < *(int *)controller; i++) {
        double servo = view->stiffness[i] * (view->wanted_position[i] - view->position[i]) +
                       view->damping[i] * (view->wanted_velocity[i] - view->velocity[i]);
        torque[i] = view->force[i] + fmax(-view->servo_limit[i], fmin(servo, view->servo_limit[i]));
    }
    return 0;
}
void graspmc_controller_free(void *controller) { free(controller); }

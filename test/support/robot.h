/// A robot's file, URDF or MJCF by its end, alone in a world of the default stepper: its root fixed,
/// nothing touches, its servos as the file has them.
#ifndef GMC_TEST_SUPPORT_ROBOT_H
#define GMC_TEST_SUPPORT_ROBOT_H

#include "engine/model/mjcf.h"
#include "test/support/stage.h"

typedef struct gmc_robot {
    gmc_urdf urdf;
    gmc_stage stage;
} gmc_robot;

/// Prints what is wrong.
/// @return GMC_OK, else those of gmc_mjcf_open
GMC_MUST_CHECK gmc_status gmc_robot_open(const char *file, gmc_robot *robot);

/// First position and velocity coordinate of a joint.
int gmc_robot_q(const gmc_robot *robot, int joint);
int gmc_robot_v(const gmc_robot *robot, int joint);

/// Let the servos hold what q is now; drives without gains are none.
void gmc_robot_hold(gmc_robot *robot);

void gmc_robot_close(gmc_robot *robot);

#endif

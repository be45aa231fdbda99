/// What an object of a scenario takes from its file of grasps: which ones, and which parameters
/// each of them sets. A case of a study that varies `grasp` is one of these.
#ifndef GMC_SAMPLING_SCENARIO_GRASP_SET_H
#define GMC_SAMPLING_SCENARIO_GRASP_SET_H

#include "engine/math/pose.h"
#include "sampling/grasps/grasps.h"
#include "sampling/scenario/scenario_parameter.h"

/// Which joint positions of the file the hand starts with.
typedef enum gmc_grasp_joints {
    GMC_GRASP_JOINTS_OPEN,   ///< those before the grasp; those in it where the file has no others
    GMC_GRASP_JOINTS_CLOSED, ///< those in the grasp
    GMC_GRASP_JOINTS_NONE    ///< the scenario's
} gmc_grasp_joints;

typedef struct gmc_grasp_set {
    const char *path; ///< "objects.mug.grasps"
    gmc_source source;
    const char *file;       ///< asset, relative to the scenario
    const char *asset_file; ///< where it was found, for messages
    const char *frame;      ///< link of the hand whose pose the file gives; NULL: hand.frame
    gmc_source frame_source;
    double gripper[6]; ///< x, y, z [m], roll, pitch, yaw [rad] of the file's gripper frame in it
    double object[6];  ///< of the file's object frame in the object's
    gmc_grasp_joints joints;
    gmc_grasps grasps; ///< all of the file; empty after a mistake in it
    int *rows;         ///< (count) those that are taken, in order of the file; malloc'd
    int count;
    int *name_joint;    ///< (grasps.name_count) index into hand.joints, -1: it sets none; NULL: no
                        ///< hand yet
    gmc_pose X_gt;      ///< hand.frame in the file's gripper frame, known when the hand is
    gmc_param *targets; ///< (target_count) parameters that a grasp sets
    const char **paths; ///< (target_count) how the scenario calls them: "object.mass" where
                        ///< `objects` makes it objects.mug.mass
    int target_count;
    double *values; ///< (count, target_count) SI; malloc'd
} gmc_grasp_set;

/// What a grasp of a set makes of a parameter.
/// @param index  which of set->rows
/// @return false: nothing; value is untouched
bool gmc_grasp_set_value(const gmc_grasp_set *set, int index, gmc_param target, double *value);

/// Give back what sets own besides the scenario's arena.
void gmc_grasp_set_free(gmc_grasp_set *set);

#endif

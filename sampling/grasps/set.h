/// What an object of a scenario takes from its file of grasps: which ones, and which parameters
/// each of them sets. A case of a study that varies `grasp` is one of these.
#ifndef GMC_SAMPLING_GRASPS_SET_H
#define GMC_SAMPLING_GRASPS_SET_H

#include "sampling/grasps/grasps.h"
#include "sampling/scenario/scenario.h"

/// Which joint positions of the file the hand starts with.
typedef enum gmc_grasp_joints {
    GMC_GRASP_JOINTS_OPEN,   ///< those before the grasp; those in it where the file has no others
    GMC_GRASP_JOINTS_CLOSED, ///< those in the grasp
    GMC_GRASP_JOINTS_NONE    ///< the scenario's
} gmc_grasp_joints;

typedef struct gmc_grasp_set {
    const char *path; ///< "objects.mug.grasps"
    gmc_source source;
    const char *file;  ///< asset, relative to the scenario
    const char *frame; ///< link of the hand whose pose the file gives; NULL: hand.frame
    gmc_source frame_source;
    double gripper[6]; ///< x, y, z [m], roll, pitch, yaw [rad] of the file's gripper frame in it
    double object[6];  ///< of the file's object frame in the object's
    gmc_grasp_joints joints;
    gmc_grasps grasps; ///< all of the file; empty after a mistake in it
    int *rows;         ///< (count) those that are taken, in order of the file
    int count;
    gmc_param *targets; ///< (target_count) parameters that a grasp sets
    const char **paths; ///< (target_count) how the scenario calls them: "object.mass" where
                        ///< `objects` makes it objects.mug.mass
    int target_count;
    double *values; ///< (count, target_count) SI
} gmc_grasp_set;

/// The grasp of a case: one of its object's set. NULL if the study does not vary `grasp`.
/// @param index  out: which of set->rows; may be NULL
const gmc_grasp_set *gmc_grasp_set_of_case(const gmc_scenario *scenario, int64_t case_index,
                                           int *index);

/// Give back what sets own besides the scenario's arena.
void gmc_grasp_set_free(gmc_grasp_set *set);

#endif

/// Cases of a study as a file of grasps: the best of a run, say, with what the run found in place
/// of the confidence that their maker gave. Read again with the same `grasps:` options (frame,
/// gripper, object, joints) it places the hand where it was.
#ifndef GMC_SAMPLING_WRITING_WRITE_GRASPS_H
#define GMC_SAMPLING_WRITING_WRITE_GRASPS_H

#include "sampling/scenario/scenario.h"

typedef enum gmc_grasps_style {
    GMC_GRASPS_ISAAC, ///< isaac_grasp YAML, version 1.0, for one object
    GMC_GRASPS_CSV    ///< columns are paths, `confidence` and `name`; for one object
} gmc_grasps_style;

/// One line of what is written.
typedef struct gmc_grasps_choice {
    int64_t case_index; ///< 0 <= case_index < case_count
    double confidence;  ///< written as it is; NaN: left out (CSV: 0)
} gmc_grasps_choice;

/// What the name of a file says: ".csv" is CSV, everything else isaac_grasp.
gmc_grasps_style gmc_grasps_style_of(const char *file);

/// Name of the file of one object: `file` itself if the scenario has one object, else "best.yaml"
/// becomes "best.mug.yaml".
/// @param name  out: malloc'd, the caller frees it; NULL unless GMC_OK
/// @return GMC_OK, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_write_grasps_file(const gmc_scenario *scenario, int object,
                                                const char *file, char **name);

/// Paths of what the study varies for the object and isaac_grasp cannot hold, with commas between:
/// all but where the hand and its joints start.
/// @param paths  out: malloc'd, the caller frees it; "": there are none; NULL unless GMC_OK
/// @return GMC_OK, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_write_grasps_lost(const gmc_scenario *scenario, int object,
                                                char **paths);

/// Text of a grasp file with those of `choices` whose cases have the object, in their order.
///
/// isaac_grasp: a case of a grasp that its file gave as a pose is written as it stood there: name,
/// pose, joint positions, names of the frames (further axes of the study are lost: its name then
/// ends with `_case_<case>`). Any other case has the name of its grasp in the same way, if it has
/// one, else `case_<case>`, and the pose that its decisions give `hand.frame`, with the positions
/// in which the joints start. Frames go under the keys of the file that gave the first grasp
/// (object_frame or object_frame_link, ...), or under object_frame and gripper_frame.
///
/// CSV: its name as above, if the study varies `grasp`; what the study varies for this object and
/// its grasps set; a pose of a file is written as the target that it became: such a file places
/// hand.frame in the object's frame.
///
/// @param scenario  resolved (gmc_prepare, or gmc_prepare_embedded for the one in a result file)
/// @param object    index into scenario->objects
/// @param text      out: malloc'd, the caller frees it; NULL unless GMC_OK
/// @return GMC_OK, GMC_E_MEMORY, GMC_E_MISSING: none of the choices has the object
GMC_MUST_CHECK gmc_status gmc_write_grasps(const gmc_scenario *scenario,
                                           const gmc_grasps_choice *choices, int count, int object,
                                           gmc_grasps_style style, char **text);

#endif

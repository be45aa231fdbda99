/// Joints that carry a tool, tried in places of their own: which joints, where the tool then is,
/// how it moves with them. Nothing here touches a world; a trial asks it where its arm could go.
///
/// Numbers of an arm are in the order of its joints, one each: the joint positions of the dofs'
/// own bodies; joints that mimic them follow. All else stands where gmc_arm_stand has put it.
#ifndef GMC_ENGINE_MOTION_ARM_H
#define GMC_ENGINE_MOTION_ARM_H

#include "engine/dynamics/kinematics.h"

#include <stdbool.h>

/// Which joints, and what they carry.
typedef struct gmc_arm_spec {
    const gmc_model *model;
    const int *dofs; ///< (count) each of a joint with one dof, each once
    int count;       ///< > 0
    int tool_body;   ///< the body that the tool point is fixed to
    gmc_pose X_bt;   ///< tool point in its frame [m]
} gmc_arm_spec;

typedef struct gmc_arm {
    gmc_arm_spec spec;   ///< its dofs are copied
    gmc_kinematics kin;  ///< of where gmc_arm_place has put the joints
    int *bodies;         ///< (count) whose own joint it is
    int *column;         ///< (dof_count) number of the joint in the arm; -1: none
    double *q;           ///< (q_count)
    double *J;           ///< (6 * count) gmc_arm_jacobian
    double *H, *inverse; ///< room of reach.c: (count rows of gmc_mat_stride(count)), (count)
    double *step, *trial, *nearest; ///< (count)
    int *last;                      ///< (count)
    bool *is_held;                  ///< (count)
} gmc_arm;

/// @param spec  its model outlives the arm
/// @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_arm_create(const gmc_arm_spec *spec, gmc_arena *arena, gmc_arm *arm);

/// Put everything where these coordinates have it.
/// @param q  (q_count)
static inline void gmc_arm_stand(gmc_arm *arm, const double *q)
{
    for (int i = 0; i < arm->spec.model->q_count; i++)
        arm->q[i] = q[i];
}

/// Put the joints at x.
/// @param x  (count) [m, rad]
/// @return the pose of the tool point in the world
gmc_pose gmc_arm_place(gmc_arm *arm, const double *x);

/// arm->J at the joints' place: rows 0 to 2 velocity of the tool point, 3 to 5 angular velocity,
/// world axes, row-major.
static inline void gmc_arm_jacobian(gmc_arm *arm)
{
    const gmc_kinematics *kin = &arm->kin;
    int n = arm->spec.count, body = arm->spec.tool_body;
    gmc_vec3 p = gmc_pose_apply(&kin->X_wb[body], arm->spec.X_bt.p);
    for (int i = 0; i < 6 * n; i++)
        arm->J[i] = 0;
    for (int k = kin->chain_start[body]; k < kin->chain_start[body + 1]; k++) {
        int axis = kin->chain[k], column = arm->column[kin->axis_dof[axis]];
        if (column < 0) continue;
        gmc_vec3 v = gmc_twist_at(&kin->axes[axis], p), w = kin->axes[axis].w;
        for (int i = 0; i < 3; i++) {
            arm->J[i * n + column] += gmc_vec3_get(v, i);
            arm->J[(3 + i) * n + column] += gmc_vec3_get(w, i);
        }
    }
}

/// Limits of a joint of the arm; -inf, +inf: none [m, rad].
static inline double gmc_arm_lower(const gmc_arm *arm, int joint)
{
    return arm->spec.model->dofs[arm->spec.dofs[joint]].lower;
}

static inline double gmc_arm_upper(const gmc_arm *arm, int joint)
{
    return arm->spec.model->dofs[arm->spec.dofs[joint]].upper;
}

/// A position of a joint within its limits, of a number in [0, 1); of a joint without limits, half
/// a turn or half a metre either way.
static inline double gmc_arm_anywhere(const gmc_arm *arm, int joint, double u)
{
    bool turns = arm->spec.model->bodies[arm->bodies[joint]].joint == GMC_JOINT_REVOLUTE;
    double lower = gmc_arm_lower(arm, joint), upper = gmc_arm_upper(arm, joint);
    double wide = turns ? GMC_PI : 0.5;
    if (isinf(lower)) lower = isinf(upper) ? -wide : upper - 2 * wide;
    if (isinf(upper)) upper = lower + 2 * wide;
    return lower + u * (upper - lower);
}

#endif

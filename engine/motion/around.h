/// Where an arm, or a single body, can be among what stands there: the spaces that plan.h searches,
/// on the collider's own distances.
#ifndef GMC_ENGINE_MOTION_AROUND_H
#define GMC_ENGINE_MOTION_AROUND_H

#include "engine/collision/collider.h"
#include "engine/motion/arm.h"
#include "engine/motion/plan.h"

/// What moves, and what it must not touch: all of the model that may touch it.
typedef struct gmc_around {
    const gmc_model *model;
    gmc_arm *arm;        ///< configurations are its joints'; NULL: a body
    int body;            ///< on a free (x, y, z, quaternion) or planar joint (x, y, angle) on what
                         ///< never moves; configurations are its coordinates
    gmc_kinematics *kin; ///< of everything, what moves included
    double *q;           ///< (q_count) where everything stands
    bool *is_moving;     ///< (body_count)
    int ignored;         ///< body that is no obstacle, as it is carried along; -1: none
    int moved;           ///< body on a free or planar joint that stands at X_wm, whatever q says:
                         ///< where it is seen; -1: none
    gmc_pose X_wm;
    double *lever;         ///< (size) farthest that a point goes per unit of a joint [m/rad, 1];
                           ///< of a body [0]: radius about its origin [m]
    gmc_vec3 lower, upper; ///< of a body: the box where it is looked for [m]
    gmc_collider *collider;
    gmc_contact_point *points; ///< (point_max)
    int point_max;
} gmc_around;

/// @param arm   NULL: `body` moves; else stands where everything stands
/// @param q     (q_count) where everything stands
/// @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_around_create(const gmc_model *model, gmc_arm *arm, int body,
                                            gmc_arena *arena, gmc_around *around);

/// Put everything where it stands, before a search.
/// @param q  (q_count)
void gmc_around_stand(gmc_around *around, const double *q);

/// Numbers of a configuration.
static inline int gmc_around_size(const gmc_around *around)
{
    if (around->arm) return around->arm->spec.count;
    return gmc_joint_q_count(around->model->bodies[around->body].joint);
}

/// The space to search; it lives as long as `around`.
gmc_plan_space gmc_around_space(gmc_around *around);

#endif

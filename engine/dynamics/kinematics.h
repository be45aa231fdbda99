/// Where everything is and how it moves: poses, twists and motion axes of a mechanism at (q, v).
/// All quantities are seen in the world; twists are taken at the world's origin. Source of the
/// spatial algebra: [featherstone2008] ch. 2 and 4.
#ifndef GMC_ENGINE_DYNAMICS_KINEMATICS_H
#define GMC_ENGINE_DYNAMICS_KINEMATICS_H

#include "engine/model/model.h"

typedef struct gmc_kinematics {
    gmc_pose *X_wb;  ///< (body_count)
    gmc_vec3 *com_w; ///< (body_count) centres of mass [m]
    gmc_mat3 *I_w;   ///< (body_count) inertia about the centre of mass, world axes; not kept for
                     ///< bodies that never move [kg·m²]
    gmc_twist *V;    ///< (body_count) body twists
    int *axis_first; ///< (body_count + 1) first axis of the body's joint in `axes`
    gmc_twist *axes; ///< joint axes: twist of the body against its parent per unit velocity of dof
                     ///< `axis_dof[k]`, the mimic ratio included
    gmc_twist *axes_dot; ///< their rates at (q, v)
    int *axis_dof;
    int axis_count;
    int *chain_start; ///< (body_count + 1) offsets into chain
    int *chain;       ///< axes that move the body, root first
} gmc_kinematics;

/// Make room and fill what does not depend on the state (axis_first, axis_dof, chains).
/// @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_kinematics_create(const gmc_model *model, gmc_arena *arena,
                                                gmc_kinematics *kin);

/// Fill everything else for (q, v). v may be NULL (twists and rates zero).
void gmc_kinematics_update(const gmc_model *model, const double *q, const double *v,
                           gmc_kinematics *kin);

/// Twist of a body from any velocities (dof_count), e.g. the driven part alone.
gmc_twist gmc_kinematics_twist(const gmc_kinematics *kin, int body, const double *v);

/// Kinetic energy and, if `potential` is not NULL, potential energy against gravity (zero height:
/// world origin) of all bodies that can move, armature included [J].
double gmc_kinematics_energy(const gmc_model *model, const gmc_kinematics *kin, const double *v,
                             double *potential);

#endif

/// Inverse dynamics by recursive Newton–Euler in world coordinates. Source: [featherstone2008]
/// ch. 5.
#ifndef GMC_ENGINE_DYNAMICS_RNEA_H
#define GMC_ENGINE_DYNAMICS_RNEA_H

#include "engine/dynamics/kinematics.h"

/// tau = M(q) a + c(q, v) - g(q): generalised forces that produce the accelerations `a`, for all
/// dofs.
/// @param kin   at q; its twists are not read
/// @param v     (dof_count) any velocities
/// @param a     (dof_count) accelerations; NULL: zero
/// @param tau   (dof_count) out; mimic joints are summed into their leader's dof
/// @param scratch  what it takes grows with the number of bodies; reset by the caller
/// Isolated bodies: gyroscopic torque included; armature included.
GMC_MUST_CHECK gmc_status gmc_rnea(const gmc_model *model, const gmc_kinematics *kin,
                                   const double *v, const double *a, double *tau,
                                   gmc_arena *scratch);

/// The same for all dofs but those of isolated bodies, where tau is armature times `a`.
GMC_MUST_CHECK gmc_status gmc_rnea_trees(const gmc_model *model, const gmc_kinematics *kin,
                                         const double *v, const double *a, double *tau,
                                         gmc_arena *scratch);

#endif

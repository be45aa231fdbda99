/// How one body moves against another, by the dofs that do it: only those that move one against the
/// other appear. Found once for two bodies; what each of their contacts feels of it is its own
/// matter (ncp.h).
#ifndef GMC_ENGINE_DYNAMICS_JACOBIAN_H
#define GMC_ENGINE_DYNAMICS_JACOBIAN_H

#include "engine/dynamics/kinematics.h"

/// Motion V of body b against body a, seen at `about`: V = Σ_k S_k v[columns[k]] + u_driven. The
/// last six columns may be those of an isolated body whose centre of mass is `about`: then S is
/// the identity there, times `sign`, and is not written down.
typedef struct gmc_jacobian {
    gmc_vec3 about;    ///< [m] world
    int count;         ///< columns
    int general_count; ///< those in S; count or count - 6
    int *columns;      ///< (count) dofs, each once; the last six, if special, are consecutive
    double *S;         ///< (6 * general_count) [6 * k]: velocity of the point at `about`, then spin
    double sign;       ///< 1: body b is isolated, -1: body a
} gmc_jacobian;

/// In the poses of the kinematics.
/// @param columns  room for free_count
/// @param S        room for 6 * free_count
gmc_jacobian gmc_jacobian_of(const gmc_model *model, const gmc_kinematics *kin, int body_a,
                             int body_b, int *columns, double *S);

#endif

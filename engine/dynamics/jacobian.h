/// Point Jacobians as compact columns: only the dofs that move one body against the other appear.
/// What two bodies have in common is found once, then each of their contacts fills in its rows.
#ifndef GMC_ENGINE_DYNAMICS_JACOBIAN_H
#define GMC_ENGINE_DYNAMICS_JACOBIAN_H

#include "engine/dynamics/kinematics.h"

/// How body b moves against body a per unit of each free dof, in the poses of the kinematics.
typedef struct gmc_jacobian {
    int count;          ///< columns
    int *columns;       ///< (count) dofs, ascending, each once
    gmc_twist *motions; ///< (count) of b against a, world; of isolated bodies' columns unused
    int block_count;
    struct {
        int first;    ///< column of the first of six dofs of an isolated body
        double sign;  ///< 1: body b, -1: body a
        gmc_vec3 com; ///< its centre of mass, world
    } blocks[2];
} gmc_jacobian;

/// @param columns  room for free_count
/// @param motions  room for free_count
gmc_jacobian gmc_jacobian_of(const gmc_model *model, const gmc_kinematics *kin, int body_a,
                             int body_b, int *columns, gmc_twist *motions);

/// Velocity of the point p_w of body b relative to the same point of body a, along three
/// directions:
///   u_i = dir_i · (v_b(p) - v_a(p)),   i = 0..2      u = J v_free + u_driven
/// @param J  out: 3 values per column, [3 * k + i]
void gmc_jacobian_at(const gmc_jacobian *jacobian, gmc_vec3 p_w, const gmc_vec3 dir[3], double *J);

/// The same for the angular velocity of b against a:  w_i = dir_i · (w_b - w_a).
void gmc_jacobian_spin(const gmc_jacobian *jacobian, const gmc_vec3 dir[3], double *W);

#endif

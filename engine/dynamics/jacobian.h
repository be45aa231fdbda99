/// Point Jacobians as compact columns: only the dofs that move the body appear.
#ifndef GMC_ENGINE_DYNAMICS_JACOBIAN_H
#define GMC_ENGINE_DYNAMICS_JACOBIAN_H

#include "engine/dynamics/kinematics.h"

/// Velocity of the point p_w of body b relative to the same point of body a, along three
/// directions:
///   u_i = dir_i · (v_b(p) - v_a(p)),   i = 0..2      u = J v_free + u_driven
/// @param columns  out: dofs (< free_count, ascending, each once); room for free_count
/// @param J        out: 3 values per column, [3 * k + i]; room for 3 * free_count
/// @return number of columns
int gmc_jacobian_relative(const gmc_model *model, const gmc_kinematics *kin, int body_a, int body_b,
                          gmc_vec3 p_w, const gmc_vec3 dir[3], int *columns, double *J);

#endif

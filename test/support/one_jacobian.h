/// The Jacobian of one point, in one call.
#ifndef GMC_TEST_SUPPORT_ONE_JACOBIAN_H
#define GMC_TEST_SUPPORT_ONE_JACOBIAN_H

#include "engine/base/check.h"
#include "engine/dynamics/jacobian.h"

enum { SUPPORT_COLUMNS_MAX = 200 };

/// Velocity of the point p_w of body b relative to the same point of body a, along three
/// directions:
///   u_i = dir_i · (v_b(p) - v_a(p)),   i = 0..2      u = J v_free + u_driven
/// @param columns  out: ascending
/// @param J        out: 3 values per column, [3 * k + i]
/// @return number of columns
static inline int support_jacobian(const gmc_model *model, const gmc_kinematics *kin, int body_a,
                                   int body_b, gmc_vec3 p_w, const gmc_vec3 dir[3], int *columns,
                                   double *J)
{
    double S[6 * SUPPORT_COLUMNS_MAX];
    GMC_ASSERT(model->free_count <= SUPPORT_COLUMNS_MAX);
    gmc_jacobian jacobian = gmc_jacobian_of(model, kin, body_a, body_b, columns, S);
    gmc_vec3 arm = gmc_vec3_sub(p_w, jacobian.about);
    for (int k = 0; k < jacobian.count; k++) {
        int unit = k - jacobian.general_count, dof = columns[k], at = k;
        double column[6] = {0};
        for (int i = 0; i < 6; i++)
            column[i] = unit < 0 ? S[6 * k + i] : i == unit ? jacobian.sign : 0;
        gmc_vec3 velocity = {column[0], column[1], column[2]};
        gmc_vec3 spin = {column[3], column[4], column[5]};
        velocity = gmc_vec3_add(velocity, gmc_vec3_cross(spin, arm));
        for (; at > 0 && columns[at - 1] > dof; at--) {
            columns[at] = columns[at - 1];
            for (int i = 0; i < 3; i++)
                J[3 * at + i] = J[3 * at - 3 + i];
        }
        columns[at] = dof;
        for (int i = 0; i < 3; i++)
            J[3 * at + i] = gmc_vec3_dot(dir[i], velocity);
    }
    return jacobian.count;
}

#endif

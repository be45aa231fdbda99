/// The Jacobian of one point, in one call.
#ifndef GMC_TEST_SUPPORT_ONE_JACOBIAN_H
#define GMC_TEST_SUPPORT_ONE_JACOBIAN_H

#include "engine/base/check.h"
#include "engine/dynamics/jacobian.h"

enum { SUPPORT_COLUMNS_MAX = 200 };

/// As gmc_jacobian_of and gmc_jacobian_at. @return number of columns
static inline int support_jacobian(const gmc_model *model, const gmc_kinematics *kin, int body_a,
                                   int body_b, gmc_vec3 p_w, const gmc_vec3 dir[3], int *columns,
                                   double *J)
{
    gmc_twist motions[SUPPORT_COLUMNS_MAX];
    GMC_ASSERT(model->free_count <= SUPPORT_COLUMNS_MAX);
    gmc_jacobian jacobian = gmc_jacobian_of(model, kin, body_a, body_b, columns, motions);
    gmc_jacobian_at(&jacobian, p_w, dir, J);
    return jacobian.count;
}

#endif

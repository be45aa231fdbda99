/// Rigid transforms. Names chain by touching letters: X_wc = X_wb * X_bc, p_w = X_wb * p_b.
#ifndef GMC_ENGINE_MATH_POSE_H
#define GMC_ENGINE_MATH_POSE_H

#include "engine/math/quat.h"

typedef struct gmc_pose {
    gmc_mat3 R; ///< rotation
    gmc_vec3 p; ///< origin of the inner frame seen in the outer one [m]
} gmc_pose;

static inline gmc_pose gmc_pose_identity(void)
{
    return (gmc_pose){gmc_mat3_identity(), {0, 0, 0}};
}

static inline gmc_pose gmc_pose_make(gmc_quat q, gmc_vec3 p)
{
    return (gmc_pose){gmc_quat_matrix(q), p};
}

static inline gmc_vec3 gmc_pose_apply(const gmc_pose *X, gmc_vec3 p)
{
    return gmc_vec3_add(gmc_mat3_apply(&X->R, p), X->p);
}

static inline gmc_vec3 gmc_pose_apply_inverse(const gmc_pose *X, gmc_vec3 p)
{
    return gmc_mat3_apply_transposed(&X->R, gmc_vec3_sub(p, X->p));
}

static inline gmc_pose gmc_pose_multiply(const gmc_pose *A, const gmc_pose *B)
{
    return (gmc_pose){gmc_mat3_multiply(&A->R, &B->R), gmc_pose_apply(A, B->p)};
}

static inline gmc_pose gmc_pose_inverse(const gmc_pose *A)
{
    gmc_pose B;
    B.R = gmc_mat3_transpose(&A->R);
    B.p = gmc_vec3_neg(gmc_mat3_apply(&B.R, A->p));
    return B;
}

/// A⁻¹ B: frame B seen in frame A.
static inline gmc_pose gmc_pose_relative(const gmc_pose *A, const gmc_pose *B)
{
    gmc_mat3 At = gmc_mat3_transpose(&A->R);
    return (gmc_pose){gmc_mat3_multiply(&At, &B->R), gmc_mat3_apply(&At, gmc_vec3_sub(B->p, A->p))};
}

#endif

/// 3 x 3 matrices by value, row-major.
#ifndef GMC_ENGINE_MATH_MAT3_H
#define GMC_ENGINE_MATH_MAT3_H

#include "engine/math/vec3.h"

typedef struct gmc_mat3 {
    double m[9]; ///< row-major: m[3 * row + column]
} gmc_mat3;

static inline gmc_mat3 gmc_mat3_diagonal(double a, double b, double c)
{
    return (gmc_mat3){{a, 0, 0, 0, b, 0, 0, 0, c}};
}

static inline gmc_mat3 gmc_mat3_identity(void) { return gmc_mat3_diagonal(1, 1, 1); }

static inline gmc_vec3 gmc_mat3_row(const gmc_mat3 *A, int i)
{
    return (gmc_vec3){A->m[3 * i], A->m[3 * i + 1], A->m[3 * i + 2]};
}

static inline gmc_vec3 gmc_mat3_column(const gmc_mat3 *A, int j)
{
    return (gmc_vec3){A->m[j], A->m[3 + j], A->m[6 + j]};
}

static inline gmc_vec3 gmc_mat3_apply(const gmc_mat3 *A, gmc_vec3 x)
{
    const double *m = A->m;
    return (gmc_vec3){m[0] * x.x + m[1] * x.y + m[2] * x.z, m[3] * x.x + m[4] * x.y + m[5] * x.z,
                      m[6] * x.x + m[7] * x.y + m[8] * x.z};
}

/// Aᵀ x
static inline gmc_vec3 gmc_mat3_apply_transposed(const gmc_mat3 *A, gmc_vec3 x)
{
    const double *m = A->m;
    return (gmc_vec3){m[0] * x.x + m[3] * x.y + m[6] * x.z, m[1] * x.x + m[4] * x.y + m[7] * x.z,
                      m[2] * x.x + m[5] * x.y + m[8] * x.z};
}

/// |A| h, entry by entry: half sizes of the box around a box of half sizes h that A turns.
static inline gmc_vec3 gmc_mat3_reach(const gmc_mat3 *A, gmc_vec3 h)
{
    const double *m = A->m;
    return (gmc_vec3){fabs(m[0]) * h.x + fabs(m[1]) * h.y + fabs(m[2]) * h.z,
                      fabs(m[3]) * h.x + fabs(m[4]) * h.y + fabs(m[5]) * h.z,
                      fabs(m[6]) * h.x + fabs(m[7]) * h.y + fabs(m[8]) * h.z};
}

/// |Aᵀ| h
static inline gmc_vec3 gmc_mat3_reach_transposed(const gmc_mat3 *A, gmc_vec3 h)
{
    const double *m = A->m;
    return (gmc_vec3){fabs(m[0]) * h.x + fabs(m[3]) * h.y + fabs(m[6]) * h.z,
                      fabs(m[1]) * h.x + fabs(m[4]) * h.y + fabs(m[7]) * h.z,
                      fabs(m[2]) * h.x + fabs(m[5]) * h.y + fabs(m[8]) * h.z};
}

/// A B. Written out: compilers unroll the loops only at -O3.
static inline gmc_mat3 gmc_mat3_multiply(const gmc_mat3 *A, const gmc_mat3 *B)
{
    const double *a = A->m, *b = B->m;
    return (gmc_mat3){{
        a[0] * b[0] + a[1] * b[3] + a[2] * b[6],
        a[0] * b[1] + a[1] * b[4] + a[2] * b[7],
        a[0] * b[2] + a[1] * b[5] + a[2] * b[8],
        a[3] * b[0] + a[4] * b[3] + a[5] * b[6],
        a[3] * b[1] + a[4] * b[4] + a[5] * b[7],
        a[3] * b[2] + a[4] * b[5] + a[5] * b[8],
        a[6] * b[0] + a[7] * b[3] + a[8] * b[6],
        a[6] * b[1] + a[7] * b[4] + a[8] * b[7],
        a[6] * b[2] + a[7] * b[5] + a[8] * b[8],
    }};
}

static inline gmc_mat3 gmc_mat3_transpose(const gmc_mat3 *A)
{
    const double *m = A->m;
    return (gmc_mat3){{m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]}};
}

/// A + s B
static inline gmc_mat3 gmc_mat3_add_scaled(const gmc_mat3 *A, double s, const gmc_mat3 *B)
{
    gmc_mat3 C;
    for (int i = 0; i < 9; i++)
        C.m[i] = A->m[i] + s * B->m[i];
    return C;
}

/// R A Rᵀ of a symmetric A, symmetric to the bit: a tensor seen in another frame.
static inline gmc_mat3 gmc_mat3_rotate(const gmc_mat3 *R, const gmc_mat3 *A)
{
    gmc_mat3 RA = gmc_mat3_multiply(R, A);
    const double *a = RA.m, *r = R->m;
    double xx = a[0] * r[0] + a[1] * r[1] + a[2] * r[2];
    double xy = a[0] * r[3] + a[1] * r[4] + a[2] * r[5];
    double xz = a[0] * r[6] + a[1] * r[7] + a[2] * r[8];
    double yy = a[3] * r[3] + a[4] * r[4] + a[5] * r[5];
    double yz = a[3] * r[6] + a[4] * r[7] + a[5] * r[8];
    double zz = a[6] * r[6] + a[7] * r[7] + a[8] * r[8];
    return (gmc_mat3){{xx, xy, xz, xy, yy, yz, xz, yz, zz}};
}

/// R A Rᵀ of A = diag(a, b, c): what gmc_mat3_rotate makes of it, without the zeros.
static inline gmc_mat3 gmc_mat3_rotate_diagonal(const gmc_mat3 *R, double a, double b, double c)
{
    const double *r = R->m;
    double x[3] = {r[0] * a, r[1] * b, r[2] * c}, y[3] = {r[3] * a, r[4] * b, r[5] * c};
    double xx = x[0] * r[0] + x[1] * r[1] + x[2] * r[2];
    double xy = x[0] * r[3] + x[1] * r[4] + x[2] * r[5];
    double xz = x[0] * r[6] + x[1] * r[7] + x[2] * r[8];
    double yy = y[0] * r[3] + y[1] * r[4] + y[2] * r[5];
    double yz = y[0] * r[6] + y[1] * r[7] + y[2] * r[8];
    double zz = r[6] * a * r[6] + r[7] * b * r[7] + r[8] * c * r[8];
    return (gmc_mat3){{xx, xy, xz, xy, yy, yz, xz, yz, zz}};
}

/// The matrix of v ×.
static inline gmc_mat3 gmc_mat3_cross(gmc_vec3 v)
{
    return (gmc_mat3){{0, -v.z, v.y, v.z, 0, -v.x, -v.y, v.x, 0}};
}

static inline double gmc_mat3_determinant(const gmc_mat3 *A)
{
    return gmc_vec3_dot(gmc_mat3_row(A, 0), gmc_vec3_cross(gmc_mat3_row(A, 1), gmc_mat3_row(A, 2)));
}

/// A⁻¹ b by Cramer's rule; A regular (an inertia tensor, for instance).
static inline gmc_vec3 gmc_mat3_solve(const gmc_mat3 *A, gmc_vec3 b)
{
    gmc_vec3 c0 = gmc_mat3_column(A, 0), c1 = gmc_mat3_column(A, 1), c2 = gmc_mat3_column(A, 2);
    gmc_vec3 c12 = gmc_vec3_cross(c1, c2);
    double scale = 1 / gmc_vec3_dot(c0, c12);
    return (gmc_vec3){scale * gmc_vec3_dot(b, c12), scale * gmc_vec3_dot(c0, gmc_vec3_cross(b, c2)),
                      scale * gmc_vec3_dot(c0, gmc_vec3_cross(c1, b))};
}

#endif

/// What LDLᵀ and LU have in common (private to dense*.c).
#ifndef GMC_ENGINE_MATH_DENSE_INTERNAL_H
#define GMC_ENGINE_MATH_DENSE_INTERNAL_H

#include "engine/math/dense.h"

#include <math.h>

static inline int gmc_dense_last_entry(const double *row, int from, int n)
{
    int j = n - 1;
    while (j > from && row[j] == 0)
        j--;
    return j;
}

static inline void gmc_dense_find_last(gmc_mat A, int *last)
{
    for (int k = 0; k < A.rows; k++)
        last[k] = A.rows <= GMC_MAT_SMALL ? A.rows - 1
                                          : gmc_dense_last_entry(A.x + k * A.stride, k, A.rows);
}

static inline bool gmc_dense_is_pivot(double x) { return x > 0 && x < HUGE_VAL; }

/// y[from..to] -= factor x[from..to]; from even; may run one entry past an even `to`.
static inline void gmc_dense_subtract(double *restrict y, const double *restrict x, double factor,
                                      int from, int to)
{
    for (int j = from; j <= to; j += 2) {
        y[j] -= factor * x[j];
        y[j + 1] -= factor * x[j + 1];
    }
}

/// Of n unknowns the first two, upwards: x := U⁻¹ x, where U is the upper triangle with its first
/// row at `a`.
static inline void gmc_dense_up_two(const double *restrict a, int n, int stride, const double *d,
                                    double *restrict x)
{
    const double *restrict b = a + stride;
    double s = x[0], t = x[1];
    for (int i = 2; i < n; i++) {
        s -= a[i] * x[i];
        t -= b[i] * x[i];
    }
    x[1] = t * d[1];
    x[0] = (s - a[1] * x[1]) * d[0];
}

/// x := U⁻¹ x
static inline void gmc_dense_solve_upper(const double *A, int n, int stride,
                                         const double *inverse_d, double *x)
{
    int pairs = n & ~1;
    if (pairs < n) x[pairs] *= inverse_d[pairs];
    for (int k = pairs - 2; k >= 0; k -= 2)
        gmc_dense_up_two(A + k * (stride + 1), n - k, stride, inverse_d + k, x + k);
}

#endif

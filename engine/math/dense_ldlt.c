#include "engine/base/check.h"
#include "engine/math/dense_internal.h"

/// The first two of n pivots; `a` is where the first stands. Two rows at a time: what is loaded of
/// the pivots' rows serves both, and each row is loaded and stored half as often. The last row
/// alone where their number is odd.
static inline bool factor_two(double *restrict a, int n, int stride, double *restrict inverse_d)
{
    double *b = a + stride;
    if (!gmc_dense_is_pivot(a[0])) return false;
    double inverse_a = 1 / a[0], step = a[1] * inverse_a;
    for (int j = 0; j < n; j += 2) {
        b[j] -= step * a[j];
        b[j + 1] -= step * a[j + 1];
    }
    if (!gmc_dense_is_pivot(b[1])) return false;
    double inverse_b = 1 / b[1];
    inverse_d[0] = inverse_a;
    inverse_d[1] = inverse_b;
    int i = 2;
    for (; i + 1 < n; i += 2) {
        double *y = a + i * stride, *z = y + stride;
        double ya = a[i] * inverse_a, yb = b[i] * inverse_b;
        double za = a[i + 1] * inverse_a, zb = b[i + 1] * inverse_b;
        for (int j = i; j < n; j += 2) {
            double a0 = a[j], a1 = a[j + 1], b0 = b[j], b1 = b[j + 1];
            y[j] -= ya * a0 + yb * b0;
            y[j + 1] -= ya * a1 + yb * b1;
            z[j] -= za * a0 + zb * b0;
            z[j + 1] -= za * a1 + zb * b1;
        }
    }
    if (i < n) a[i * stride + i] -= a[i] * a[i] * inverse_a + b[i] * b[i] * inverse_b;
    return true;
}

/// The last of an odd number.
static inline bool factor_one(const double *a, double *inverse_d)
{
    *inverse_d = 1 / *a;
    return gmc_dense_is_pivot(*a);
}

// Sizes that the compiler knows leave no loops and a third to a half fewer instructions: those of
// an object in a hand of one to four dofs, with rows that follow each other.

static bool factor_7(double *a, double *d)
{
    return factor_two(a, 7, 8, d) && factor_two(a + 18, 5, 8, d + 2) &&
           factor_two(a + 36, 3, 8, d + 4) && factor_one(a + 54, d + 6);
}

static bool factor_8(double *a, double *d)
{
    return factor_two(a, 8, 8, d) && factor_two(a + 18, 6, 8, d + 2) &&
           factor_two(a + 36, 4, 8, d + 4) && factor_two(a + 54, 2, 8, d + 6);
}

static bool factor_9(double *a, double *d)
{
    return factor_two(a, 9, 10, d) && factor_two(a + 22, 7, 10, d + 2) &&
           factor_two(a + 44, 5, 10, d + 4) && factor_two(a + 66, 3, 10, d + 6) &&
           factor_one(a + 88, d + 8);
}

static bool factor_10(double *a, double *d)
{
    return factor_two(a, 10, 10, d) && factor_two(a + 22, 8, 10, d + 2) &&
           factor_two(a + 44, 6, 10, d + 4) && factor_two(a + 66, 4, 10, d + 6) &&
           factor_two(a + 88, 2, 10, d + 8);
}

/// Up to GMC_MAT_SMALL rows: nobody asks where they end.
static bool factor_small(gmc_mat A, double *d)
{
    double *a = A.x;
    int n = A.rows, stride = A.stride;
    if (stride == gmc_mat_stride(n)) {
        if (n == 7) return factor_7(a, d);
        if (n == 8) return factor_8(a, d);
        if (n == 9) return factor_9(a, d);
        if (n == 10) return factor_10(a, d);
    }
    for (; n > 1; n -= 2, a += 2 * stride + 2, d += 2)
        if (!factor_two(a, n, stride, d)) return false;
    return n == 0 || factor_one(a, d);
}

bool gmc_mat_ldlt_factor(gmc_mat A, int *last, double *inverse_d)
{
    GMC_ASSERT(A.rows == A.columns && A.stride >= A.columns && A.stride % 2 == 0);
    if (A.rows <= GMC_MAT_SMALL) return factor_small(A, inverse_d);
    gmc_dense_find_last(A, last);
    for (int k = 0; k < A.rows; k++) {
        const double *row_k = A.x + k * A.stride;
        if (!(row_k[k] > 0) || !(row_k[k] < HUGE_VAL)) return false;
        inverse_d[k] = 1 / row_k[k];
        for (int i = k + 1; i <= last[k]; i++) {
            if (row_k[i] == 0) continue;
            gmc_dense_subtract(A.x + i * A.stride, row_k, row_k[i] * inverse_d[k], i & ~1, last[k]);
            if (last[i] < last[k]) last[i] = last[k];
        }
    }
    return true;
}

/// Of n unknowns the first two, downwards.
static inline void down_two(const double *restrict a, int n, int stride, const double *d,
                            double *restrict x)
{
    const double *restrict b = a + stride;
    double s = x[0] * d[0];
    x[1] -= a[1] * s;
    double t = x[1] * d[1];
    for (int i = 2; i < n; i++)
        x[i] -= a[i] * s + b[i] * t;
}

static inline void solve_2(const double *a, int stride, const double *d, double *x)
{
    down_two(a, 2, stride, d, x);
    gmc_dense_up_two(a, 2, stride, d, x);
}

static inline void solve_3(const double *a, int stride, const double *d, double *x)
{
    down_two(a, 3, stride, d, x);
    x[2] *= d[2];
    gmc_dense_up_two(a, 3, stride, d, x);
}

static inline void solve_4(const double *a, int stride, const double *d, double *x)
{
    down_two(a, 4, stride, d, x);
    solve_2(a + 2 * stride + 2, stride, d + 2, x + 2);
    gmc_dense_up_two(a, 4, stride, d, x);
}

static inline void solve_5(const double *a, int stride, const double *d, double *x)
{
    down_two(a, 5, stride, d, x);
    solve_3(a + 2 * stride + 2, stride, d + 2, x + 2);
    gmc_dense_up_two(a, 5, stride, d, x);
}

static inline void solve_6(const double *a, int stride, const double *d, double *x)
{
    down_two(a, 6, stride, d, x);
    solve_4(a + 2 * stride + 2, stride, d + 2, x + 2);
    gmc_dense_up_two(a, 6, stride, d, x);
}

static inline void solve_7(const double *a, int stride, const double *d, double *x)
{
    down_two(a, 7, stride, d, x);
    solve_5(a + 2 * stride + 2, stride, d + 2, x + 2);
    gmc_dense_up_two(a, 7, stride, d, x);
}

static inline void solve_8(const double *a, int stride, const double *d, double *x)
{
    down_two(a, 8, stride, d, x);
    solve_6(a + 2 * stride + 2, stride, d + 2, x + 2);
    gmc_dense_up_two(a, 8, stride, d, x);
}

static inline void solve_9(const double *a, int stride, const double *d, double *x)
{
    down_two(a, 9, stride, d, x);
    solve_7(a + 2 * stride + 2, stride, d + 2, x + 2);
    gmc_dense_up_two(a, 9, stride, d, x);
}

static inline void solve_10(const double *a, int stride, const double *d, double *x)
{
    down_two(a, 10, stride, d, x);
    solve_8(a + 2 * stride + 2, stride, d + 2, x + 2);
    gmc_dense_up_two(a, 10, stride, d, x);
}

static void solve_small(gmc_mat A, const double *d, double *x)
{
    int n = A.rows, stride = A.stride;
    if (stride == gmc_mat_stride(n)) {
        switch (n) {
        case 7:
            solve_7(A.x, 8, d, x);
            return;
        case 8:
            solve_8(A.x, 8, d, x);
            return;
        case 9:
            solve_9(A.x, 10, d, x);
            return;
        case 10:
            solve_10(A.x, 10, d, x);
            return;
        default:
            break;
        }
    }
    for (int k = 0; k + 1 < n; k += 2)
        down_two(A.x + k * (stride + 1), n - k, stride, d + k, x + k);
    gmc_dense_solve_upper(A.x, n, stride, d, x);
}

void gmc_mat_ldlt_solve(gmc_mat A, const int *last, const double *inverse_d, double *x)
{
    if (A.rows <= GMC_MAT_SMALL) {
        solve_small(A, inverse_d, x);
        return;
    }
    for (int k = 0; k < A.rows; k++) {
        const double *row = A.x + k * A.stride;
        double scaled = x[k] * inverse_d[k];
        for (int i = k + 1; i <= last[k]; i++)
            x[i] -= row[i] * scaled;
    }
    for (int k = A.rows - 1; k >= 0; k--) {
        const double *row = A.x + k * A.stride;
        double sum = x[k];
        for (int i = k + 1; i <= last[k]; i++)
            sum -= row[i] * x[i];
        x[k] = sum * inverse_d[k];
    }
}

// Right-looking elimination in both factorisations: the inner loop subtracts a
// multiple of one row from another, over contiguous memory, two columns at a time, which compilers
// turn into vector code without reordering any sum (a dot-product form would need -ffast-math for
// that). Starting a row at the even column at or before the diagonal touches one entry below the
// diagonal at most; nothing reads it in LDLᵀ, and LU keeps its factors elsewhere in the row.
//
// Rows remember their last entry instead of a sparsity pattern: finding it costs one look per entry
// in the matrix, and elimination keeps it by a maximum. Below SMALL the search costs more than it
// saves.
#include "engine/math/dense.h"

#include "engine/base/check.h"

#include <math.h>

// ---- what both have in common ------------------------------------------------------------------

static inline int last_entry(const double *row, int from, int n)
{
    int j = n - 1;
    while (j > from && row[j] == 0)
        j--;
    return j;
}

static inline void find_last(gmc_mat A, int *last)
{
    for (int k = 0; k < A.rows; k++)
        last[k] = A.rows <= GMC_MAT_SMALL ? A.rows - 1 : last_entry(A.x + k * A.stride, k, A.rows);
}

static inline bool is_pivot(double x) { return x > 0 && x < HUGE_VAL; }

/// y[from..to] -= factor x[from..to]; from even; may run one entry past an even `to`.
static inline void subtract_row(double *restrict y, const double *restrict x, double factor,
                                int from, int to)
{
    for (int j = from; j <= to; j += 2) {
        y[j] -= factor * x[j];
        y[j + 1] -= factor * x[j + 1];
    }
}

/// Of n unknowns the first two, upwards: x := U⁻¹ x, where U is the upper triangle with its first
/// row at `a`.
static inline void up_two(const double *restrict a, int n, int stride, const double *d,
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
static inline void solve_upper(const double *A, int n, int stride, const double *inverse_d,
                               double *x)
{
    int pairs = n & ~1;
    if (pairs < n) x[pairs] *= inverse_d[pairs];
    for (int k = pairs - 2; k >= 0; k -= 2)
        up_two(A + k * (stride + 1), n - k, stride, inverse_d + k, x + k);
}

// ---- LDLᵀ --------------------------------------------------------------------------------------

/// The first two of n pivots; `a` is where the first stands. Two rows at a time: what is loaded of
/// the pivots' rows serves both, and each row is loaded and stored half as often. The last row
/// alone where their number is odd.
static inline bool factor_two(double *restrict a, int n, int stride, double *restrict inverse_d)
{
    double *b = a + stride;
    if (!is_pivot(a[0])) return false;
    double inverse_a = 1 / a[0], step = a[1] * inverse_a;
    for (int j = 0; j < n; j += 2) {
        b[j] -= step * a[j];
        b[j + 1] -= step * a[j + 1];
    }
    if (!is_pivot(b[1])) return false;
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
    return is_pivot(*a);
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
    find_last(A, last);
    for (int k = 0; k < A.rows; k++) {
        const double *row_k = A.x + k * A.stride;
        if (!(row_k[k] > 0) || !(row_k[k] < HUGE_VAL)) return false;
        inverse_d[k] = 1 / row_k[k];
        for (int i = k + 1; i <= last[k]; i++) {
            if (row_k[i] == 0) continue;
            subtract_row(A.x + i * A.stride, row_k, row_k[i] * inverse_d[k], i & ~1, last[k]);
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
    up_two(a, 2, stride, d, x);
}

static inline void solve_3(const double *a, int stride, const double *d, double *x)
{
    down_two(a, 3, stride, d, x);
    x[2] *= d[2];
    up_two(a, 3, stride, d, x);
}

static inline void solve_4(const double *a, int stride, const double *d, double *x)
{
    down_two(a, 4, stride, d, x);
    solve_2(a + 2 * stride + 2, stride, d + 2, x + 2);
    up_two(a, 4, stride, d, x);
}

static inline void solve_5(const double *a, int stride, const double *d, double *x)
{
    down_two(a, 5, stride, d, x);
    solve_3(a + 2 * stride + 2, stride, d + 2, x + 2);
    up_two(a, 5, stride, d, x);
}

static inline void solve_6(const double *a, int stride, const double *d, double *x)
{
    down_two(a, 6, stride, d, x);
    solve_4(a + 2 * stride + 2, stride, d + 2, x + 2);
    up_two(a, 6, stride, d, x);
}

static inline void solve_7(const double *a, int stride, const double *d, double *x)
{
    down_two(a, 7, stride, d, x);
    solve_5(a + 2 * stride + 2, stride, d + 2, x + 2);
    up_two(a, 7, stride, d, x);
}

static inline void solve_8(const double *a, int stride, const double *d, double *x)
{
    down_two(a, 8, stride, d, x);
    solve_6(a + 2 * stride + 2, stride, d + 2, x + 2);
    up_two(a, 8, stride, d, x);
}

static inline void solve_9(const double *a, int stride, const double *d, double *x)
{
    down_two(a, 9, stride, d, x);
    solve_7(a + 2 * stride + 2, stride, d + 2, x + 2);
    up_two(a, 9, stride, d, x);
}

static inline void solve_10(const double *a, int stride, const double *d, double *x)
{
    down_two(a, 10, stride, d, x);
    solve_8(a + 2 * stride + 2, stride, d + 2, x + 2);
    up_two(a, 10, stride, d, x);
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
    solve_upper(A.x, n, stride, d, x);
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

// ---- LU ----------------------------------------------------------------------------------------

enum { SMALL = GMC_MAT_SMALL };

/// Two rows y and z of gmc_mat_eliminate, less multiples of the pivots' rows.
static inline void eliminate_two(double *restrict y, double *restrict z, const double *restrict a,
                                 const double *restrict b, const double factor[4], int n)
{
    double ya = factor[0], yb = factor[1], za = factor[2], zb = factor[3];
    for (int j = 0; j < n; j += 2) {
        double a0 = a[j], a1 = a[j + 1], b0 = b[j], b1 = b[j + 1];
        y[j] -= ya * a0 + yb * b0;
        y[j + 1] -= ya * a1 + yb * b1;
        z[j] -= za * a0 + zb * b0;
        z[j + 1] -= za * a1 + zb * b1;
    }
}

/// Two pivots and two rows at a time, as factor_small. The right-hand side goes along as one more
/// column.
static bool eliminate(double *A, int n, int stride, const double *limit, double *inverse_d,
                      double *restrict x)
{
    int k = 0;
    for (; k + 1 < n; k += 2) {
        double *a = A + k * stride, *b = a + stride, *y = b + stride;
        if (!is_pivot(a[k]) || a[k] > limit[k]) return false;
        double inverse_a = 1 / a[k], next = a[k + 1], x_a = x[k], step = b[k] * inverse_a;
        subtract_row(b, a, step, k, n - 1);
        if (!is_pivot(b[k + 1]) || b[k + 1] > limit[k + 1]) return false;
        double inverse_b = 1 / b[k + 1], x_b = x[k + 1] - step * x_a;
        inverse_d[k] = inverse_a;
        inverse_d[k + 1] = inverse_b;
        x[k + 1] = x_b;
        for (int i = k + 2; i < n; i += 2, y += 2 * stride) {
            double ya = y[k] * inverse_a, yb = (y[k + 1] - ya * next) * inverse_b;
            x[i] -= ya * x_a + yb * x_b;
            if (i + 1 == n) {
                subtract_row(y, a, ya, k + 2, n - 1);
                subtract_row(y, b, yb, k + 2, n - 1);
                break;
            }
            double *z = y + stride;
            double za = z[k] * inverse_a, zb = (z[k + 1] - za * next) * inverse_b;
            const double factor[4] = {ya, yb, za, zb};
            x[i + 1] -= za * x_a + zb * x_b;
            int from = k + 2;
            eliminate_two(y + from, z + from, a + from, b + from, factor, n - from);
        }
    }
    if (k == n) return true;
    double last = A[k * stride + k];
    inverse_d[k] = 1 / last;
    return is_pivot(last) && last <= limit[k];
}

bool gmc_mat_eliminate(gmc_mat A, double *x)
{
    GMC_ASSERT(A.rows == A.columns && A.rows <= SMALL && A.stride >= A.columns &&
               A.stride % 2 == 0);
    double inverse_d[SMALL], limit[SMALL];
    int n = A.rows, stride = A.stride;
    for (int i = 0; i < n; i++)
        limit[i] = GMC_MAT_GROWTH * A.x[i * (stride + 1)];
    if (!eliminate(A.x, n, stride, limit, inverse_d, x)) return false;
    solve_upper(A.x, n, stride, inverse_d, x);
    return true;
}

/// Row with the largest weighted entry in column k, at or below row k.
static int pivot_row(gmc_mat A, const double *weight, int k)
{
    int best = k;
    double largest = fabs(A.x[k * A.stride + k]) * weight[k];
    for (int i = k + 1; i < A.rows; i++) {
        double candidate = fabs(A.x[i * A.stride + k]) * weight[i];
        if (candidate > largest) {
            largest = candidate;
            best = i;
        }
    }
    return best;
}

static void exchange_rows(gmc_mat A, double *weight, int *last, int i, int k)
{
    double *row_i = A.x + i * A.stride, *row_k = A.x + k * A.stride, w = weight[i];
    int l = last[i];
    for (int j = 0; j < A.rows; j++) {
        double t = row_i[j];
        row_i[j] = row_k[j];
        row_k[j] = t;
    }
    weight[i] = weight[k];
    weight[k] = w;
    last[i] = last[k];
    last[k] = l;
}

bool gmc_mat_lu_factor(gmc_mat A, double *weight, int *pivot, int *last, double *inverse_d)
{
    GMC_ASSERT(A.rows == A.columns && A.stride >= A.columns && A.stride % 2 == 0);
    find_last(A, last);
    for (int k = 0; k < A.rows; k++) {
        pivot[k] = pivot_row(A, weight, k);
        if (pivot[k] != k) exchange_rows(A, weight, last, pivot[k], k);
        const double *row_k = A.x + k * A.stride;
        double size = fabs(row_k[k]);
        if (!(size > 0) || !(size < HUGE_VAL)) return false;
        inverse_d[k] = 1 / row_k[k];
        for (int i = k + 1; i < A.rows; i++) {
            double *row_i = A.x + i * A.stride;
            if (row_i[k] == 0) continue;
            double factor = row_i[k] * inverse_d[k];
            int first = k + 1;
            if (first % 2 == 1 && first <= last[k]) {
                row_i[first] -= factor * row_k[first];
                first++;
            }
            subtract_row(row_i, row_k, factor, first, last[k]);
            row_i[k] = factor;
            if (last[i] < last[k]) last[i] = last[k];
        }
    }
    return true;
}

void gmc_mat_lu_solve(gmc_mat A, const int *pivot, const int *last, const double *inverse_d,
                      double *x)
{
    for (int k = 0; k < A.rows; k++) {
        double t = x[pivot[k]];
        x[pivot[k]] = x[k];
        x[k] = t;
    }
    for (int i = 1; i < A.rows; i++) {
        const double *row = A.x + i * A.stride;
        double sum = x[i];
        for (int k = 0; k < i; k++)
            sum -= row[k] * x[k];
        x[i] = sum;
    }
    for (int k = A.rows - 1; k >= 0; k--) {
        const double *row = A.x + k * A.stride;
        double sum = x[k];
        for (int j = k + 1; j <= last[k]; j++)
            sum -= row[j] * x[j];
        x[k] = sum * inverse_d[k];
    }
}

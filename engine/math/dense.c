#include "engine/math/dense.h"

#include "engine/base/check.h"

#include <math.h>

// Right-looking elimination in both factorisations: the inner loop subtracts a multiple of one row
// from another, over contiguous memory, two columns at a time, which compilers turn into vector
// code without reordering any sum (a dot-product form would need -ffast-math for that). Starting a
// row at the even column at or before the diagonal touches one entry below the diagonal at most;
// nothing reads it in LDLᵀ, and LU keeps its factors elsewhere in the row.
//
// Rows remember their last entry instead of a sparsity pattern: finding it costs one look per entry
// in the matrix, and elimination keeps it by a maximum. Below SMALL the search costs more than it
// saves.
enum { SMALL = GMC_MAT_SMALL };

static int last_entry(const double *row, int from, int n)
{
    int j = n - 1;
    while (j > from && row[j] == 0)
        j--;
    return j;
}

static void find_last(gmc_mat A, int *last)
{
    for (int k = 0; k < A.rows; k++)
        last[k] = A.rows <= SMALL ? A.rows - 1 : last_entry(A.x + k * A.stride, k, A.rows);
}

/// y[from..to] -= factor x[from..to]; from even; may run one entry past an even `to`.
static inline void subtract(double *restrict y, const double *restrict x, double factor, int from,
                            int to)
{
    for (int j = from; j <= to; j += 2) {
        y[j] -= factor * x[j];
        y[j + 1] -= factor * x[j + 1];
    }
}

static bool is_pivot(double x) { return x > 0 && x < HUGE_VAL; }

/// Rows i and i + 1, less what the pivots' rows a and b have to do with them; from the even column
/// i.
static inline void subtract_two(double *restrict y, double *restrict z, const double *restrict a,
                                const double *restrict b, double inverse_a, double inverse_b, int i,
                                int n)
{
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

/// Two pivots and two rows at a time: what is loaded of the pivots' rows serves both, and each row
/// is loaded and stored half as often. The last row alone where their number is odd.
static bool factor_small(gmc_mat A, double *inverse_d)
{
    int n = A.rows, stride = A.stride, k = 0;
    for (; k + 1 < n; k += 2) {
        double *a = A.x + k * stride, *b = a + stride, *y = b + stride;
        if (!is_pivot(a[k])) return false;
        double inverse_a = 1 / a[k];
        subtract(b, a, a[k + 1] * inverse_a, k, n - 1);
        if (!is_pivot(b[k + 1])) return false;
        double inverse_b = 1 / b[k + 1];
        inverse_d[k] = inverse_a;
        inverse_d[k + 1] = inverse_b;
        int i = k + 2;
        for (; i + 1 < n; i += 2, y += 2 * stride)
            subtract_two(y, y + stride, a, b, inverse_a, inverse_b, i, n);
        if (i < n) y[i] -= a[i] * a[i] * inverse_a + b[i] * b[i] * inverse_b;
    }
    if (k == n) return true;
    double last = A.x[k * stride + k];
    inverse_d[k] = 1 / last;
    return is_pivot(last);
}

bool gmc_mat_ldlt_factor(gmc_mat A, int *last, double *inverse_d)
{
    GMC_ASSERT(A.rows == A.columns && A.stride >= A.columns && A.stride % 2 == 0);
    if (A.rows <= SMALL) return factor_small(A, inverse_d);
    find_last(A, last);
    for (int k = 0; k < A.rows; k++) {
        const double *row_k = A.x + k * A.stride;
        if (!(row_k[k] > 0) || !(row_k[k] < HUGE_VAL)) return false;
        inverse_d[k] = 1 / row_k[k];
        for (int i = k + 1; i <= last[k]; i++) {
            if (row_k[i] == 0) continue;
            subtract(A.x + i * A.stride, row_k, row_k[i] * inverse_d[k], i & ~1, last[k]);
            if (last[i] < last[k]) last[i] = last[k];
        }
    }
    return true;
}

/// x := U⁻¹ x, where U is the upper triangle
static inline void solve_upper(const double *A, int n, int stride, const double *inverse_d,
                               double *restrict x)
{
    int pairs = n & ~1;
    if (pairs < n) x[pairs] *= inverse_d[pairs];
    for (int k = pairs - 2; k >= 0; k -= 2) {
        const double *a = A + k * stride, *b = a + stride;
        double s = x[k], t = x[k + 1];
        for (int i = k + 2; i < n; i++) {
            s -= a[i] * x[i];
            t -= b[i] * x[i];
        }
        x[k + 1] = t * inverse_d[k + 1];
        x[k] = (s - a[k + 1] * x[k + 1]) * inverse_d[k];
    }
}

/// The same two rows at a time.
static void solve_small(gmc_mat A, const double *inverse_d, double *restrict x)
{
    int n = A.rows, stride = A.stride, pairs = n & ~1;
    for (int k = 0; k < pairs; k += 2) {
        const double *a = A.x + k * stride, *b = a + stride;
        double s = x[k] * inverse_d[k];
        x[k + 1] -= a[k + 1] * s;
        double t = x[k + 1] * inverse_d[k + 1];
        for (int i = k + 2; i < n; i++)
            x[i] -= a[i] * s + b[i] * t;
    }
    solve_upper(A.x, n, stride, inverse_d, x);
}

void gmc_mat_ldlt_solve(gmc_mat A, const int *last, const double *inverse_d, double *x)
{
    if (A.rows <= SMALL) {
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

/// Two rows y and z of gmc_mat_eliminate, less multiples of the pivots' rows.
static inline void eliminate_two(double *restrict y, double *restrict z, const double *restrict a,
                                 const double *restrict b, const double factor[4], int from, int n)
{
    double ya = factor[0], yb = factor[1], za = factor[2], zb = factor[3];
    for (int j = from; j < n; j += 2) {
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
        subtract(b, a, step, k, n - 1);
        if (!is_pivot(b[k + 1]) || b[k + 1] > limit[k + 1]) return false;
        double inverse_b = 1 / b[k + 1], x_b = x[k + 1] - step * x_a;
        inverse_d[k] = inverse_a;
        inverse_d[k + 1] = inverse_b;
        x[k + 1] = x_b;
        for (int i = k + 2; i < n; i += 2, y += 2 * stride) {
            double ya = y[k] * inverse_a, yb = (y[k + 1] - ya * next) * inverse_b;
            x[i] -= ya * x_a + yb * x_b;
            if (i + 1 == n) {
                subtract(y, a, ya, k + 2, n - 1);
                subtract(y, b, yb, k + 2, n - 1);
                break;
            }
            double *z = y + stride;
            double za = z[k] * inverse_a, zb = (z[k + 1] - za * next) * inverse_b;
            const double factor[4] = {ya, yb, za, zb};
            x[i + 1] -= za * x_a + zb * x_b;
            eliminate_two(y, z, a, b, factor, k + 2, n);
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
            subtract(row_i, row_k, factor, first, last[k]);
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

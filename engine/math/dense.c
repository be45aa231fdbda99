#include "engine/math/dense.h"

#include "engine/base/check.h"
#include "engine/math/dense_internal.h"

// Right-looking elimination in both factorisations (LDLᵀ: dense_ldlt.c): the inner loop subtracts a
// multiple of one row from another, over contiguous memory, two columns at a time, which compilers
// turn into vector code without reordering any sum (a dot-product form would need -ffast-math for
// that). Starting a row at the even column at or before the diagonal touches one entry below the
// diagonal at most; nothing reads it in LDLᵀ, and LU keeps its factors elsewhere in the row.
//
// Rows remember their last entry instead of a sparsity pattern: finding it costs one look per entry
// in the matrix, and elimination keeps it by a maximum. Below SMALL the search costs more than it
// saves.
enum { SMALL = GMC_MAT_SMALL };

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
        if (!gmc_dense_is_pivot(a[k]) || a[k] > limit[k]) return false;
        double inverse_a = 1 / a[k], next = a[k + 1], x_a = x[k], step = b[k] * inverse_a;
        gmc_dense_subtract(b, a, step, k, n - 1);
        if (!gmc_dense_is_pivot(b[k + 1]) || b[k + 1] > limit[k + 1]) return false;
        double inverse_b = 1 / b[k + 1], x_b = x[k + 1] - step * x_a;
        inverse_d[k] = inverse_a;
        inverse_d[k + 1] = inverse_b;
        x[k + 1] = x_b;
        for (int i = k + 2; i < n; i += 2, y += 2 * stride) {
            double ya = y[k] * inverse_a, yb = (y[k + 1] - ya * next) * inverse_b;
            x[i] -= ya * x_a + yb * x_b;
            if (i + 1 == n) {
                gmc_dense_subtract(y, a, ya, k + 2, n - 1);
                gmc_dense_subtract(y, b, yb, k + 2, n - 1);
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
    return gmc_dense_is_pivot(last) && last <= limit[k];
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
    gmc_dense_solve_upper(A.x, n, stride, inverse_d, x);
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
    gmc_dense_find_last(A, last);
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
            gmc_dense_subtract(row_i, row_k, factor, first, last[k]);
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

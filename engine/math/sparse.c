// Right-looking elimination by nodes: a node's rows are factored as a dense panel, then what they
// leave on the later nodes is subtracted block by block. Multipliers are kept in `lower`, of the
// symmetric form too, so that one solve serves both.

#include "engine/math/sparse.h"

#include "engine/base/check.h"

#include <math.h>
#include <string.h>

/// A pivot below this share of its column's largest entry in the block as it was is noise: the
/// same working precision as the dense factorisation's, for a block of a body's size.
static const double PIVOT_MIN = 1e-13;

gmc_status gmc_sparse_create(const gmc_sparse_plan *plan, gmc_arena *arena, gmc_sparse *matrix)
{
    size_t n = (size_t)plan->unknown_count;
    gmc_sparse made = {.plan = plan};
    made.upper = gmc_arena_doubles(arena, plan->panel_total);
    made.lower = gmc_arena_doubles(arena, plan->panel_total);
    made.inverse_d = gmc_arena_doubles(arena, n);
    made.row_of = gmc_arena_take(arena, (size_t)plan->width_max, sizeof(int));
    made.pivot = gmc_arena_take(arena, n, sizeof(int));
    if (!made.upper || !made.lower || !made.inverse_d || !made.row_of || !made.pivot)
        return GMC_E_ARENA_FULL;
    *matrix = made;
    return GMC_OK;
}

void gmc_sparse_clear(gmc_sparse *matrix)
{
    memset(matrix->upper, 0, matrix->plan->panel_total * sizeof(double));
    memset(matrix->lower, 0, matrix->plan->panel_total * sizeof(double));
}

// ---- what a node leaves on the later ones -------------------------------------------------------

/// C -= Aᵀ B for blocks of free bodies.
static void subtract_six(const double *restrict A, const double *restrict B, int stride,
                         double *restrict C, int stride_c)
{
    enum { SIX = 6 };
    for (int i = 0; i < SIX; i++, C += stride_c) {
        double sum[SIX] = {0};
        for (int p = 0; p < SIX; p++)
            for (int j = 0; j < SIX; j++)
                sum[j] += A[p * stride + i] * B[p * stride + j];
        for (int j = 0; j < SIX; j++)
            C[j] -= sum[j];
    }
}

/// C (rows x columns) -= Aᵀ B, A (depth x rows), B (depth x columns).
static void subtract(const double *A, const double *B, int stride, int depth, int rows, int columns,
                     double *C, int stride_c)
{
    if (depth == 6 && rows == 6 && columns == 6) {
        subtract_six(A, B, stride, C, stride_c);
        return;
    }
    for (int i = 0; i < rows; i++, C += stride_c)
        for (int p = 0; p < depth; p++)
            for (int j = 0; j < columns; j++)
                C[j] -= A[p * stride + i] * B[p * stride + j];
}

/// Subtract from the rows of `later[e]` what node k leaves there. The later nodes of k behind that
/// one are later nodes of it too: both lists ascend.
static void update_node(gmc_sparse *matrix, int k, int e, bool is_symmetric)
{
    const gmc_sparse_plan *plan = matrix->plan;
    int node = plan->later[e], end = plan->later_start[k + 1], depth = plan->width[k];
    int stride = plan->span[k], rows = plan->width[node], stride_c = plan->span[node];
    const double *U = matrix->upper + plan->panel[k], *m = matrix->lower + plan->panel[k];
    const double *m_node = m + plan->later_offset[e], *U_node = U + plan->later_offset[e];
    double *upper = matrix->upper + plan->panel[node], *lower = matrix->lower + plan->panel[node];
    subtract(m_node, U_node, stride, depth, rows, rows, upper, stride_c);
    int at = plan->later_start[node];
    for (int f = e + 1; f < end; f++) {
        while (plan->later[at] != plan->later[f])
            at++;
        int columns = plan->width[plan->later[f]], to = plan->later_offset[at];
        subtract(m_node, U + plan->later_offset[f], stride, depth, rows, columns, upper + to,
                 stride_c);
        if (!is_symmetric)
            subtract(U_node, m + plan->later_offset[f], stride, depth, rows, columns, lower + to,
                     stride_c);
    }
    if (matrix->flops)
        *matrix->flops +=
            (long long)depth * rows * (stride - plan->later_offset[e]) * (is_symmetric ? 1 : 2);
}

static void update_later(gmc_sparse *matrix, int k, bool is_symmetric)
{
    const gmc_sparse_plan *plan = matrix->plan;
    for (int e = plan->later_start[k]; e < plan->later_start[k + 1]; e++)
        update_node(matrix, k, e, is_symmetric);
}

// ---- LDLᵀ ---------------------------------------------------------------------------------------

static bool factor_symmetric_rows(const gmc_sparse *matrix, int k, double *inverse_d)
{
    const gmc_sparse_plan *plan = matrix->plan;
    int width = plan->width[k], span = plan->span[k];
    double *U = matrix->upper + plan->panel[k], *m = matrix->lower + plan->panel[k];
    for (int p = 0; p < width; p++) {
        const double *row = U + (size_t)p * (size_t)span;
        double *kept = m + (size_t)p * (size_t)span;
        double d = row[p];
        if (!(d > 0 && d < HUGE_VAL)) return false;
        double inverse = 1 / d;
        inverse_d[p] = inverse;
        for (int i = p + 1; i < width; i++) {
            double *below = U + (size_t)i * (size_t)span, factor = row[i] * inverse;
            below[p] = factor;
            for (int j = i; j < span; j++)
                below[j] -= factor * row[j];
        }
        for (int j = width; j < span; j++)
            kept[j] = row[j] * inverse;
    }
    for (int p = 0; p < width; p++)
        matrix->pivot[plan->first[k] + p] = p;
    return true;
}

bool gmc_sparse_ldlt_factor(gmc_sparse *matrix)
{
    const gmc_sparse_plan *plan = matrix->plan;
    for (int k = 0; k < plan->node_count; k++) {
        if (!factor_symmetric_rows(matrix, k, matrix->inverse_d + plan->first[k])) return false;
        update_later(matrix, k, true);
    }
    return true;
}

// ---- LU -----------------------------------------------------------------------------------------

/// Row of the block whose entry in column p is the largest, by weight.
static int choose_pivot(const double *U, int span, int p, int width, const double *weight,
                        const int *row_of)
{
    int best = p;
    double most = -1;
    for (int i = p; i < width; i++) {
        double size = fabs(U[i * span + p]) * weight[row_of[i]];
        if (size > most) {
            most = size;
            best = i;
        }
    }
    return best;
}

static void exchange_rows(double *U, int span, int a, int b)
{
    if (a == b) return;
    for (int j = 0; j < span; j++) {
        double x = U[a * span + j];
        U[a * span + j] = U[b * span + j];
        U[b * span + j] = x;
    }
}

/// Largest weighted entry of the own block as it comes; 0 or not finite: no factorisation.
static double block_size(const double *U, int span, int width, const double *weight)
{
    double most = 0;
    for (int i = 0; i < width; i++)
        for (int j = 0; j < width; j++)
            most = fmax(most, fabs(U[i * span + j]) * sqrt(weight[i] * weight[j]));
    return most;
}

static void eliminate_column(double *U, double *m, int span, int width, int p, double inverse)
{
    const double *row = U + p * span;
    for (int i = p + 1; i < width; i++) {
        double *below = U + i * span, factor = below[p] * inverse;
        below[p] = factor;
        for (int j = p + 1; j < span; j++)
            below[j] -= factor * row[j];
    }
    for (int j = width; j < span; j++)
        m[p * span + j] *= inverse;
    for (int q = p + 1; q < width; q++)
        for (int j = width; j < span; j++)
            m[q * span + j] -= row[q] * m[p * span + j];
}

static bool factor_rows(const gmc_sparse *matrix, int k, const double *weight)
{
    int *row_of = matrix->row_of;
    const gmc_sparse_plan *plan = matrix->plan;
    int width = plan->width[k], span = plan->span[k], first = plan->first[k];
    double *U = matrix->upper + plan->panel[k], *m = matrix->lower + plan->panel[k];
    double size = block_size(U, span, width, weight + first);
    for (int i = 0; i < width; i++)
        row_of[i] = i;
    for (int p = 0; p < width; p++) {
        int best = choose_pivot(U, span, p, width, weight + first, row_of);
        exchange_rows(U, span, p, best);
        int row = row_of[p];
        row_of[p] = row_of[best];
        row_of[best] = row;
        matrix->pivot[first + p] = best;
        double d = U[p * span + p];
        double scaled = fabs(d) * sqrt(weight[first + row_of[p]] * weight[first + p]);
        if (!(scaled > PIVOT_MIN * size && fabs(d) < HUGE_VAL)) return false;
        matrix->inverse_d[first + p] = 1 / d;
        eliminate_column(U, m, span, width, p, 1 / d);
    }
    return true;
}

bool gmc_sparse_lu_factor(gmc_sparse *matrix, const double *weight)
{
    const gmc_sparse_plan *plan = matrix->plan;
    for (int k = 0; k < plan->node_count; k++) {
        if (!factor_rows(matrix, k, weight)) return false;
        update_later(matrix, k, false);
    }
    return true;
}

// ---- solve --------------------------------------------------------------------------------------

static void forward(const gmc_sparse *matrix, int k, double *x)
{
    const gmc_sparse_plan *plan = matrix->plan;
    int width = plan->width[k], span = plan->span[k];
    const double *U = matrix->upper + plan->panel[k], *m = matrix->lower + plan->panel[k];
    double *own = x + plan->first[k];
    for (int p = 0; p < width; p++) {
        int other = matrix->pivot[plan->first[k] + p];
        double value = own[other];
        own[other] = own[p];
        own[p] = value;
    }
    for (int p = 0; p < width; p++)
        for (int i = p + 1; i < width; i++)
            own[i] -= U[i * span + p] * own[p];
    for (int e = plan->later_start[k]; e < plan->later_start[k + 1]; e++) {
        int node = plan->later[e];
        double *to = x + plan->first[node];
        for (int p = 0; p < width; p++) {
            const double *row = m + p * span + plan->later_offset[e];
            for (int j = 0; j < plan->width[node]; j++)
                to[j] -= row[j] * own[p];
        }
    }
}

static void backward(const gmc_sparse *matrix, int k, double *x)
{
    const gmc_sparse_plan *plan = matrix->plan;
    int width = plan->width[k], span = plan->span[k];
    const double *U = matrix->upper + plan->panel[k];
    double *own = x + plan->first[k];
    for (int e = plan->later_start[k]; e < plan->later_start[k + 1]; e++) {
        int node = plan->later[e];
        const double *from = x + plan->first[node];
        for (int p = 0; p < width; p++) {
            const double *row = U + p * span + plan->later_offset[e];
            for (int j = 0; j < plan->width[node]; j++)
                own[p] -= row[j] * from[j];
        }
    }
    for (int p = width - 1; p >= 0; p--) {
        for (int j = p + 1; j < width; j++)
            own[p] -= U[p * span + j] * own[j];
        own[p] *= matrix->inverse_d[plan->first[k] + p];
    }
}

void gmc_sparse_solve(const gmc_sparse *matrix, double *x)
{
    for (int k = 0; k < matrix->plan->node_count; k++)
        forward(matrix, k, x);
    for (int k = matrix->plan->node_count - 1; k >= 0; k--)
        backward(matrix, k, x);
}

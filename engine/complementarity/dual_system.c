#include "engine/complementarity/dual_system.h"

#include <string.h>

// Which form: the work of one factorisation with all units active, in multiplications. Factoring W
// costs about as much as one direct factorisation, so that below DIRECT_SIZE it is not even tried.
//
// In K the rows of a unit are A_c e_c + B_c W_c: no reciprocal of a small A appears, so that it
// may go to zero (rigid contact) where W is regular. In H it may not; 1e-12 is small enough there.

/// Components up to which K is taken without a look at the rank of W.
enum { DIRECT_SIZE = 12 };

// ---- room -------------------------------------------------------------------------------------

static double work_direct(const gmc_dual *normal)
{
    double n = 3.0 * normal->unit_count;
    return n * n * n / 3;
}

static double work_factored(const gmc_dual *normal, const gmc_dual_factor *factor)
{
    double k = factor->rank, sum = k * k * k / 3;
    for (int c = 0; c < normal->unit_count; c++) {
        double width = factor->first[c + 1] - factor->first[c];
        sum += 3 * width * width;
    }
    return sum;
}

gmc_status gmc_dual_system_create(const gmc_dual *normal, gmc_arena *room, gmc_dual_system *system)
{
    *system = (gmc_dual_system){.normal = normal};
    int unknowns = 3 * normal->unit_count;
    if (unknowns > DIRECT_SIZE) {
        GMC_TRY(gmc_dual_factor_create(normal, room, &system->factor));
        system->is_factored = work_factored(normal, &system->factor) < work_direct(normal);
    }
    if (system->is_factored) unknowns = system->factor.rank;

    size_t n = (size_t)unknowns, stride = (size_t)gmc_mat_stride(unknowns);
    size_t units = (size_t)normal->unit_count;
    double *x = GMC_NEW(room, 2 * n * stride + 3 * stride + 3 * n + 9 * units, double);
    int *ints = GMC_NEW(room, 2 * n + units, int);
    if (!x || !ints) return GMC_E_ARENA_FULL;
    system->H = (gmc_mat){x, unknowns, unknowns, (int)stride};
    system->block = x + n * stride;
    system->product = system->block + n * stride;
    system->rhs = system->product + 3 * stride;
    system->inverse_d = system->rhs + n;
    system->weight = system->inverse_d + n;
    system->G = system->weight + n;
    system->last = ints;
    system->pivot = ints + n;
    system->place = ints + 2 * n;
    return GMC_OK;
}

// ---- small products ---------------------------------------------------------------------------

/// y = A x
static void apply(const double A[9], const double x[3], double y[3])
{
    double a = x[0], b = x[1], c = x[2];
    y[0] = A[0] * a + A[1] * b + A[2] * c;
    y[1] = A[3] * a + A[4] * b + A[5] * c;
    y[2] = A[6] * a + A[7] * b + A[8] * c;
}

/// C = A B
static void multiply(const double A[9], const double B[9], double C[9])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            C[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
}

static bool factor_matrix(gmc_dual_system *system)
{
    if (system->is_symmetric)
        return gmc_mat_ldlt_factor(system->H, system->last, system->inverse_d);
    for (int i = 0; i < system->H.rows; i++)
        system->weight[i] = 1;
    return gmc_mat_lu_factor(system->H, system->weight, system->pivot, system->last,
                             system->inverse_d);
}

static void solve_matrix(const gmc_dual_system *system, double *x)
{
    if (system->is_symmetric)
        gmc_mat_ldlt_solve(system->H, system->last, system->inverse_d, x);
    else
        gmc_mat_lu_solve(system->H, system->pivot, system->last, system->inverse_d, x);
}

// ---- direct form ------------------------------------------------------------------------------

/// Rows of one unit in K.
static void assemble_rows(gmc_dual_system *system, int unit, const gmc_dual_slope *slope)
{
    const gmc_dual *normal = system->normal;
    int row = system->place[unit], stride = system->H.stride;
    double *K = system->H.x + row * stride;
    for (int k = normal->start[unit]; k < normal->start[unit + 1]; k++) {
        int column = system->place[normal->other[k]];
        if (column < 0) continue;
        const double *W = normal->W + 9 * (size_t)k;
        double BW[9];
        if (slope->kind != GMC_DUAL_SLOPE_PLAIN) {
            multiply(slope->B, W, BW);
            W = BW;
        }
        for (int i = 0; i < 9; i++)
            K[i / 3 * stride + column + i % 3] = W[i];
    }
    for (int i = 0; i < 9; i++)
        K[i / 3 * stride + row + i % 3] += slope->A[i];
}

static bool factor_direct(gmc_dual_system *system, const gmc_dual_slope *slopes)
{
    int count = system->normal->unit_count, unknowns = 0;
    system->is_symmetric = true;
    for (int c = 0; c < count; c++) {
        bool is_fixed = slopes[c].kind == GMC_DUAL_SLOPE_FIXED;
        system->place[c] = is_fixed ? -1 : unknowns;
        if (is_fixed) continue;
        if (slopes[c].kind != GMC_DUAL_SLOPE_PLAIN) system->is_symmetric = false;
        unknowns += 3;
    }
    int stride = gmc_mat_stride(unknowns);
    system->H = (gmc_mat){system->H.x, unknowns, unknowns, stride};
    memset(system->H.x, 0, (size_t)unknowns * (size_t)stride * sizeof(double));
    for (int c = 0; c < count; c++)
        if (system->place[c] >= 0) assemble_rows(system, c, &slopes[c]);
    return factor_matrix(system);
}

/// Wx = W x over the units asked for; fixed ones alone, or all.
static void multiply_by_w(const gmc_dual_system *system, const double *x, bool fixed_only,
                          double *Wx)
{
    const gmc_dual *normal = system->normal;
    for (int c = 0; c < normal->unit_count; c++) {
        double sum[3] = {0, 0, 0}, y[3];
        for (int k = normal->start[c]; k < normal->start[c + 1]; k++) {
            if (fixed_only && system->place[normal->other[k]] >= 0) continue;
            apply(normal->W + 9 * (size_t)k, x + 3 * normal->other[k], y);
            for (int i = 0; i < 3; i++)
                sum[i] += y[i];
        }
        memcpy(Wx + 3 * c, sum, sizeof sum);
    }
}

static void solve_direct(gmc_dual_system *system, const gmc_dual_slope *slopes, const double *f,
                         double *x, double *Wx)
{
    int count = system->normal->unit_count;
    bool has_fixed = false;
    for (int c = 0; c < count; c++) {
        if (system->place[c] >= 0) continue;
        has_fixed = true;
        for (int i = 0; i < 3; i++)
            x[3 * c + i] = -f[3 * c + i];
    }
    if (has_fixed) multiply_by_w(system, x, true, Wx);
    for (int c = 0; c < count; c++) {
        if (system->place[c] < 0) continue;
        double *rhs = system->rhs + system->place[c], BWx[3] = {0, 0, 0};
        if (has_fixed) apply(slopes[c].B, Wx + 3 * c, BWx);
        for (int i = 0; i < 3; i++)
            rhs[i] = -f[3 * c + i] - BWx[i];
    }
    solve_matrix(system, system->rhs);
    for (int c = 0; c < count; c++)
        if (system->place[c] >= 0)
            memcpy(x + 3 * c, system->rhs + system->place[c], 3 * sizeof(double));
    multiply_by_w(system, x, false, Wx);
}

// ---- factored form ----------------------------------------------------------------------------

static bool same_columns(const gmc_dual_factor *factor, int a, int b)
{
    int width = factor->first[a + 1] - factor->first[a];
    return factor->first[b + 1] - factor->first[b] == width &&
           memcmp(factor->columns + factor->first[a], factor->columns + factor->first[b],
                  (size_t)width * sizeof(int)) == 0;
}

/// block += Lᵀ (G L): the upper triangle, or all of it.
static void add_outer(const double *restrict L, const double *restrict p, int width, int stride,
                      bool is_symmetric, double *restrict block)
{
    const double *restrict p0 = p, *restrict p1 = p + stride, *restrict p2 = p1 + stride;
    for (int i = 0; i < width; i++, L += 3, block += stride) {
        double a = L[0], b = L[1], c = L[2];
        for (int j = is_symmetric ? i & ~1 : 0; j < width; j += 2) {
            block[j] += a * p0[j] + b * p1[j] + c * p2[j];
            block[j + 1] += a * p0[j + 1] + b * p1[j + 1] + c * p2[j + 1];
        }
    }
}

static void add_unit(gmc_dual_system *system, int unit, const gmc_dual_slope *slope, int width,
                     int stride)
{
    const double *L = system->factor.L + 3 * (size_t)system->factor.first[unit];
    double *p = system->product, *G = system->G + 9 * unit, y[3];
    multiply(slope->inverse, slope->B, G);
    for (int k = 0; k < width; k++) {
        apply(G, L + 3 * k, y);
        p[k] = y[0];
        p[stride + k] = y[1];
        p[2 * stride + k] = y[2];
    }
    add_outer(L, p, width, stride, system->is_symmetric, system->block);
}

static void scatter_block(gmc_dual_system *system, const int *columns, int width, int stride)
{
    for (int i = 0; i < width; i++) {
        double *row = system->H.x + columns[i] * system->H.stride;
        const double *from = system->block + i * stride;
        for (int j = system->is_symmetric ? i : 0; j < width; j++)
            row[columns[j]] += from[j];
    }
}

/// Units that share their columns are summed in a small dense block and scattered once.
static bool factor_velocities(gmc_dual_system *system, const gmc_dual_slope *slopes)
{
    const gmc_dual_factor *factor = &system->factor;
    int count = system->normal->unit_count, rank = factor->rank;
    system->is_symmetric = true;
    for (int c = 0; c < count; c++)
        if (slopes[c].kind == GMC_DUAL_SLOPE_GENERAL) system->is_symmetric = false;
    memset(system->H.x, 0, (size_t)rank * (size_t)system->H.stride * sizeof(double));
    for (int i = 0; i < rank; i++)
        system->H.x[i * system->H.stride + i] = 1;
    for (int first = 0, end; first < count; first = end) {
        int width = factor->first[first + 1] - factor->first[first];
        int stride = gmc_mat_stride(width);
        bool is_empty = true;
        for (end = first; end < count && same_columns(factor, first, end); end++) {
            if (slopes[end].kind == GMC_DUAL_SLOPE_FIXED) continue;
            if (is_empty) memset(system->block, 0, (size_t)(width * stride) * sizeof(double));
            is_empty = false;
            add_unit(system, end, &slopes[end], width, stride);
        }
        if (!is_empty) scatter_block(system, factor->columns + factor->first[first], width, stride);
    }
    return factor_matrix(system);
}

static void solve_velocities(gmc_dual_system *system, const gmc_dual_slope *slopes, const double *f,
                             double *x, double *Wx)
{
    int count = system->normal->unit_count;
    for (int c = 0; c < count; c++) {
        double h[3];
        apply(slopes[c].inverse, f + 3 * c, h);
        for (int i = 0; i < 3; i++)
            x[3 * c + i] = -h[i];
    }
    gmc_dual_factor_gather(&system->factor, count, x, system->rhs);
    solve_matrix(system, system->rhs);
    for (int c = 0; c < count; c++) {
        double *u = Wx + 3 * c, Gu[3];
        gmc_dual_factor_spread(&system->factor, c, system->rhs, u);
        if (slopes[c].kind == GMC_DUAL_SLOPE_FIXED) continue;
        apply(system->G + 9 * c, u, Gu);
        for (int i = 0; i < 3; i++)
            x[3 * c + i] -= Gu[i];
    }
}

bool gmc_dual_system_factor(gmc_dual_system *system, const gmc_dual_slope *slopes)
{
    return system->is_factored ? factor_velocities(system, slopes) : factor_direct(system, slopes);
}

void gmc_dual_system_solve(gmc_dual_system *system, const gmc_dual_slope *slopes, const double *f,
                           double *x, double *Wx)
{
    if (system->is_factored)
        solve_velocities(system, slopes, f, x, Wx);
    else
        solve_direct(system, slopes, f, x, Wx);
}

// In order: W as factors L Lᵀ and in what order its units are eliminated; which of the two forms of
// the header is taken; the direct form; the factored form.
#include "engine/complementarity/dual_system.h"

#include "engine/base/check.h"

#include <stdint.h>
#include <string.h>

// ---- factors of W ------------------------------------------------------------------------------
// Row by row: with the pivot rows found so far as a triangle T (T[i][j], j <= i), the row of a new
// unit solves  T x = W(pivots, unit),  and what is left of its own block,  S = W_cc - xᵀ x,  is
// factored with pivoting inside its three components. T is kept by columns, so that eliminating
// column j subtracts one contiguous piece from the three right-hand sides of the unit.
//
// Rejected: pivoting over all components (the textbook way to a rank) destroys the sparsity that
// makes towers cheap; cutting pivots at 1e-13 loses nothing, for the solvers take W itself wherever
// they judge.

// ---- factors of W: the order -------------------------------------------------------------------

// Sets of units are rows of bits: joining the neighbours of an eliminated unit is an OR of a few
// words. No quotient graph: below a few hundred contacts the rows are shorter than its lists.

enum { WORD = 64 };

/// Share of nonzero blocks above which no order saves anything worth the search.
static const double DENSE = 0.75;

static int count_bits(uint64_t x)
{
    x -= (x >> 1) & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + ((x >> 2) & 0x3333333333333333u);
    x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
    return (int)((x * 0x0101010101010101u) >> 56);
}

static int set_size(const uint64_t *set, size_t words)
{
    int count = 0;
    for (size_t i = 0; i < words; i++)
        count += count_bits(set[i]);
    return count;
}

static bool holds(const uint64_t *set, int i) { return set[i / WORD] >> (i % WORD) & 1u; }

static void add_to(uint64_t *set, int i) { set[i / WORD] |= (uint64_t)1 << (i % WORD); }

static void drop_from(uint64_t *set, int i) { set[i / WORD] &= ~((uint64_t)1 << (i % WORD)); }

/// Neighbours of `unit` become neighbours of each other, and forget it.
static void order_eliminate(uint64_t *sets, int *degree, int count, size_t words, int unit)
{
    uint64_t *own = sets + (size_t)unit * words;
    drop_from(own, unit);
    for (int i = 0; i < count; i++) {
        if (!holds(own, i)) continue;
        uint64_t *set = sets + (size_t)i * words;
        for (size_t k = 0; k < words; k++)
            set[k] |= own[k];
        drop_from(set, unit);
        degree[i] = set_size(set, words);
    }
}

gmc_status gmc_dual_factor_order(const gmc_dual *problem, int *order, gmc_arena *scratch)
{
    int count = problem->unit_count;
    size_t n = (size_t)count, words = (n + WORD - 1) / WORD, mark = gmc_arena_mark(scratch);
    for (int i = 0; i < count; i++)
        order[i] = i;
    if ((double)problem->start[count] > DENSE * (double)count * (double)count) return GMC_OK;

    uint64_t *sets = GMC_NEW(scratch, n * words, uint64_t);
    int *degree = GMC_NEW(scratch, n, int);
    if (!sets || !degree) {
        gmc_arena_reset(scratch, mark);
        return GMC_E_ARENA_FULL;
    }
    for (int c = 0; c < count; c++) {
        uint64_t *set = sets + (size_t)c * words;
        for (int k = problem->start[c]; k < problem->start[c + 1]; k++)
            add_to(set, problem->other[k]);
        add_to(set, c);
        degree[c] = set_size(set, words);
    }
    for (int k = 0; k < count; k++) {
        int best = -1;
        for (int i = 0; i < count; i++)
            if (degree[i] > 0 && (best < 0 || degree[i] < degree[best])) best = i;
        GMC_ASSERT(best >= 0); // who is left is its own neighbour
        order[k] = best;
        order_eliminate(sets, degree, count, words, best);
        degree[best] = 0;
    }
    gmc_arena_reset(scratch, mark);
    return GMC_OK;
}

/// Pivots below it, relative to the weight 1 of a normalised component, are rounding: 1e-16 times a
/// few hundred operations, with a decade to spare.
static const double PIVOT_MIN = 1e-13;

typedef struct factoring {
    const gmc_dual *normal;
    gmc_dual_factor *factor;
    int size;         ///< 3 * unit_count, the most columns there can be
    int *order;       ///< (unit_count)
    int *pivot_first; ///< (unit_count) number of the first pivot of a unit, -1 while there is none
    int *pivot_count; ///< (unit_count)
    int *component;   ///< (size) which of its unit's components a pivot is
    double *T;        ///< (size x size) row j holds column j of the triangle
    int *last;        ///< (size) last entry of that row
    double *inverse;  ///< (size) 1 / T[j][j]
    double *x;        ///< (size x 3) the unit's rows of L, by column
    int *length;      ///< (unit_count) columns of a unit, in elimination order of storage
    int *place;       ///< (unit_count) where they start in the store
    int *store_columns;
    double *store_L;
} factoring;

/// Entries that L may have: unit c, k-th in order, at most 3 (k + 1) columns.
static size_t entries_max(int unit_count)
{
    size_t n = (size_t)unit_count;
    return 3 * n * (n + 1) / 2;
}

static gmc_status make_factoring(factoring *f, gmc_arena *room)
{
    size_t n = (size_t)f->normal->unit_count, size = (size_t)f->size;
    size_t entries = entries_max(f->normal->unit_count);
    int *ints = GMC_NEW(room, 5 * n + 2 * size, int);
    f->T = GMC_NEW(room, size * size + 4 * size, double);
    f->store_columns = GMC_NEW(room, entries, int);
    f->store_L = GMC_NEW(room, 3 * entries, double);
    if (!ints || !f->T || !f->store_columns || !f->store_L) return GMC_E_ARENA_FULL;
    f->inverse = f->T + size * size;
    f->x = f->inverse + size;
    f->order = ints;
    f->pivot_first = ints + n;
    f->pivot_count = ints + 2 * n;
    f->length = ints + 3 * n;
    f->place = ints + 4 * n;
    f->component = ints + 5 * n;
    f->last = f->component + size;
    return GMC_OK;
}

/// x := W(pivots, unit), own := W_cc. Returns the first pivot with an entry.
static int scatter_unit(factoring *f, int unit, double own[9])
{
    const gmc_dual *normal = f->normal;
    int from = f->factor->rank;
    memset(f->x, 0, 3 * (size_t)f->factor->rank * sizeof(double));
    for (int k = normal->start[unit]; k < normal->start[unit + 1]; k++) {
        int other = normal->other[k];
        const double *W = normal->W + 9 * (size_t)k;
        if (other == unit) memcpy(own, W, 9 * sizeof(double));
        int first = f->pivot_first[other];
        if (first < 0) continue;
        for (int j = first; j < first + f->pivot_count[other]; j++)
            for (int i = 0; i < 3; i++)
                f->x[3 * j + i] = W[3 * i + f->component[j]];
        if (first < from) from = first;
    }
    return from;
}

/// T x = x for three right-hand sides.
static void eliminate(factoring *f, int from)
{
    for (int j = from; j < f->factor->rank; j++) {
        double *x = f->x + 3 * j;
        if (x[0] == 0 && x[1] == 0 && x[2] == 0) continue;
        double a = x[0] *= f->inverse[j], b = x[1] *= f->inverse[j], c = x[2] *= f->inverse[j];
        const double *T = f->T + (size_t)j * (size_t)f->size;
        for (int i = j + 1; i <= f->last[j]; i++) {
            double t = T[i];
            f->x[3 * i] -= a * t;
            f->x[3 * i + 1] -= b * t;
            f->x[3 * i + 2] -= c * t;
        }
    }
}

/// Append the row of L that belongs to the new pivot to the triangle.
static void append_pivot(factoring *f, int pivot, int component, int from)
{
    for (int j = from; j <= pivot; j++) {
        double t = f->x[3 * j + component];
        if (t == 0) continue;
        f->T[(size_t)j * (size_t)f->size + (size_t)pivot] = t;
        f->last[j] = pivot;
    }
    f->inverse[pivot] = 1 / f->x[3 * pivot + component];
    f->component[pivot] = component;
}

/// Factor what is left of the unit's own block; each pivot adds a column to L.
static bool take_pivots(factoring *f, int unit, double S[9], int from)
{
    bool is_used[3] = {false, false, false};
    for (int j = from; j < f->factor->rank; j++) {
        const double *x = f->x + 3 * j;
        for (int i = 0; i < 9; i++)
            S[i] -= x[i / 3] * x[i % 3];
    }
    f->pivot_first[unit] = f->factor->rank;
    for (int count = 0; count < 3; count++) {
        int best = -1;
        for (int i = 0; i < 3; i++)
            if (!is_used[i] && (best < 0 || S[4 * i] > S[4 * best])) best = i;
        if (!(fabs(S[4 * best]) < HUGE_VAL)) return false;
        if (!(S[4 * best] > PIVOT_MIN)) break;
        is_used[best] = true;
        int pivot = f->factor->rank++;
        double root = sqrt(S[4 * best]), column[3];
        for (int i = 0; i < 3; i++)
            column[i] = is_used[i] && i != best ? 0 : S[3 * i + best] / root;
        for (int i = 0; i < 9; i++)
            S[i] -= column[i / 3] * column[i % 3];
        memcpy(f->x + 3 * pivot, column, sizeof column);
        append_pivot(f, pivot, best, from);
    }
    f->pivot_count[unit] = f->factor->rank - f->pivot_first[unit];
    return true;
}

static void store_row(factoring *f, int unit, int from, int *stored)
{
    f->place[unit] = *stored;
    for (int j = from; j < f->factor->rank; j++) {
        const double *x = f->x + 3 * j;
        if (x[0] == 0 && x[1] == 0 && x[2] == 0) continue;
        f->store_columns[*stored] = j;
        memcpy(f->store_L + 3 * (size_t)*stored, x, 3 * sizeof(double));
        (*stored)++;
    }
    f->length[unit] = *stored - f->place[unit];
}

/// From the order of elimination to the order of units.
static void arrange(const factoring *f)
{
    gmc_dual_factor *factor = f->factor;
    factor->first[0] = 0;
    for (int c = 0; c < f->normal->unit_count; c++) {
        int from = f->place[c], to = factor->first[c], length = f->length[c];
        memcpy(factor->columns + to, f->store_columns + from, (size_t)length * sizeof(int));
        memcpy(factor->L + 3 * (size_t)to, f->store_L + 3 * (size_t)from,
               3 * (size_t)length * sizeof(double));
        factor->first[c + 1] = to + length;
    }
}

gmc_status gmc_dual_factor_create(const gmc_dual *normal, gmc_arena *room, gmc_dual_factor *factor)
{
    int count = normal->unit_count, stored = 0;
    size_t entries = entries_max(count);
    *factor = (gmc_dual_factor){.first = GMC_NEW(room, count + 1, int),
                                .columns = GMC_NEW(room, entries, int),
                                .L = GMC_NEW(room, 3 * entries, double)};
    size_t mark = gmc_arena_mark(room);
    if (!factor->first || !factor->columns || !factor->L) return GMC_E_ARENA_FULL;
    factoring f = {.normal = normal, .factor = factor, .size = 3 * count};
    gmc_status status = make_factoring(&f, room);
    if (status == GMC_OK) status = gmc_dual_factor_order(normal, f.order, room);
    for (int c = 0; c < count && status == GMC_OK; c++)
        f.pivot_first[c] = -1;
    for (int k = 0; k < count && status == GMC_OK; k++) {
        double own[9] = {0};
        int from = scatter_unit(&f, f.order[k], own);
        eliminate(&f, from);
        if (!take_pivots(&f, f.order[k], own, from)) status = GMC_E_NO_SOLUTION;
        store_row(&f, f.order[k], from, &stored);
    }
    if (status == GMC_OK) arrange(&f);
    gmc_arena_reset(room, mark);
    return status;
}

void gmc_dual_factor_gather(const gmc_dual_factor *factor, int unit_count, const double *r,
                            double *v)
{
    memset(v, 0, (size_t)factor->rank * sizeof(double));
    for (int c = 0; c < unit_count; c++) {
        const double *x = r + 3 * c, *L = factor->L + 3 * (size_t)factor->first[c];
        for (int k = factor->first[c]; k < factor->first[c + 1]; k++, L += 3)
            v[factor->columns[k]] += L[0] * x[0] + L[1] * x[1] + L[2] * x[2];
    }
}

// ---- the form ----------------------------------------------------------------------------------
// Which form: the work of one factorisation with all units active, in multiplications. Factoring W
// costs about as much as one direct factorisation, so that below DIRECT_SIZE it is not even tried.
//
// In K the rows of a unit are A_c e_c + B_c W_c: no reciprocal of a small A appears, so that it
// may go to zero (rigid contact) where W is regular. In H it may not; 1e-12 is small enough there.

/// Components up to which K is taken without a look at the rank of W.
enum { DIRECT_SIZE = 12 };

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

// ---- small products ----------------------------------------------------------------------------

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

// ---- direct form -------------------------------------------------------------------------------

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

// ---- factored form -----------------------------------------------------------------------------

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

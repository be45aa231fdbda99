#include "engine/complementarity/dual_factor.h"

#include "engine/base/check.h"

#include <stdint.h>
#include <string.h>

// Row by row: with the pivot rows found so far as a triangle T (T[i][j], j <= i), the row of a new
// unit solves  T x = W(pivots, unit),  and what is left of its own block,  S = W_cc - xᵀ x,  is
// factored with pivoting inside its three components. T is kept by columns, so that eliminating
// column j subtracts one contiguous piece from the three right-hand sides of the unit.
//
// Rejected: pivoting over all components (the textbook way to a rank) destroys the sparsity that
// makes towers cheap; cutting pivots at 1e-13 loses nothing, for the solvers take W itself wherever
// they judge.

// ---- the order ----------------------------------------------------------------------------------

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

static bool has(const uint64_t *set, int i) { return set[i / WORD] >> (i % WORD) & 1u; }

static void add(uint64_t *set, int i) { set[i / WORD] |= (uint64_t)1 << (i % WORD); }

static void drop(uint64_t *set, int i) { set[i / WORD] &= ~((uint64_t)1 << (i % WORD)); }

/// Neighbours of `unit` become neighbours of each other, and forget it.
static void order_eliminate(uint64_t *sets, int *degree, int count, size_t words, int unit)
{
    uint64_t *own = sets + (size_t)unit * words;
    drop(own, unit);
    for (int i = 0; i < count; i++) {
        if (!has(own, i)) continue;
        uint64_t *set = sets + (size_t)i * words;
        for (size_t k = 0; k < words; k++)
            set[k] |= own[k];
        drop(set, unit);
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
            add(set, problem->other[k]);
        add(set, c);
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

static gmc_status make_room(factoring *f, gmc_arena *room)
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
static int scatter(factoring *f, int unit, double own[9])
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
    gmc_status status = make_room(&f, room);
    if (status == GMC_OK) status = gmc_dual_factor_order(normal, f.order, room);
    for (int c = 0; c < count && status == GMC_OK; c++)
        f.pivot_first[c] = -1;
    for (int k = 0; k < count && status == GMC_OK; k++) {
        double own[9] = {0};
        int from = scatter(&f, f.order[k], own);
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

// The last resort of sparse systems: partial pivoting over all rows, by KLU, whose ordering (AMD)
// and pivoting are pure functions of the matrix. It allocates through SuiteSparse's own malloc;
// routing that to an arena would need a process-wide function pointer with hidden state, for a call
// that none of the 1e4 systems of test/property/test_heap.c makes.

#include "engine/base/check.h"
#include "engine/math/sparse.h"

#include <klu.h>

/// A diagonal pivot is taken from this share of its column's largest entry on: KLU's own 0.001
/// suits circuits; here the last digits matter more than fill.
static const double PIVOT_MIN = 0.1;

/// Compressed columns, rows ascending within a column.
typedef struct columns {
    int n;
    int *start, *row;
    double *value;
    int *end; ///< where the next entry of a column goes
} columns;

static void add(columns *c, bool is_counting, int row, int column, double value)
{
    if (is_counting) {
        c->start[column + 1]++;
        return;
    }
    int at = c->end[column]++;
    c->row[at] = row;
    c->value[at] = value;
}

/// All places of the panels, zeros too: the same pattern every time.
static void walk(const gmc_sparse *matrix, bool is_counting, columns *c)
{
    const gmc_sparse_plan *plan = matrix->plan;
    for (int k = 0; k < plan->node_count; k++) {
        int width = plan->width[k], span = plan->span[k], first = plan->first[k];
        const double *upper = matrix->upper + plan->panel[k];
        const double *lower = matrix->lower + plan->panel[k];
        for (int i = 0; i < width; i++)
            for (int j = 0; j < width; j++)
                add(c, is_counting, first + i, first + j, upper[i * span + j]);
        for (int e = plan->later_start[k]; e < plan->later_start[k + 1]; e++) {
            int other = plan->first[plan->later[e]], offset = plan->later_offset[e];
            for (int i = 0; i < width; i++)
                for (int j = 0; j < plan->width[plan->later[e]]; j++) {
                    add(c, is_counting, first + i, other + j, upper[i * span + offset + j]);
                    add(c, is_counting, other + j, first + i, lower[i * span + offset + j]);
                }
        }
    }
}

static gmc_status gather(const gmc_sparse *matrix, gmc_arena *scratch, columns *c)
{
    size_t n = (size_t)matrix->plan->unknown_count;
    *c = (columns){.n = (int)n};
    c->start = gmc_arena_take(scratch, n + 1, sizeof(int));
    c->end = gmc_arena_take(scratch, n, sizeof(int));
    if (!c->start || !c->end) return GMC_E_ARENA_FULL;
    walk(matrix, true, c);
    for (size_t i = 0; i < n; i++) {
        c->start[i + 1] += c->start[i];
        c->end[i] = c->start[i];
    }
    c->row = gmc_arena_take(scratch, (size_t)c->start[n], sizeof(int));
    c->value = gmc_arena_doubles(scratch, (size_t)c->start[n]);
    if (!c->row || !c->value) return GMC_E_ARENA_FULL;
    walk(matrix, false, c);
    return GMC_OK;
}

static gmc_status solve(columns *c, double *x)
{
    klu_common common;
    klu_defaults(&common);
    common.btf = 0; // its matching would put any entry on the diagonal, not the large ones
    common.tol = PIVOT_MIN;
    klu_symbolic *symbolic = klu_analyze(c->n, c->start, c->row, &common);
    klu_numeric *numeric =
        symbolic ? klu_factor(c->start, c->row, c->value, symbolic, &common) : NULL;
    gmc_status status = GMC_E_NO_SOLUTION;
    if (common.status == KLU_OUT_OF_MEMORY)
        status = GMC_E_MEMORY;
    else if (numeric && common.status == KLU_OK &&
             klu_solve(symbolic, numeric, c->n, 1, x, &common))
        status = GMC_OK;
    klu_free_numeric(&numeric, &common);
    klu_free_symbolic(&symbolic, &common);
    return status;
}

gmc_status gmc_sparse_klu_solve(const gmc_sparse *matrix, double *x, gmc_arena *scratch)
{
    columns c;
    size_t mark = gmc_arena_mark(scratch);
    gmc_status status = gather(matrix, scratch, &c);
    if (status == GMC_OK) status = solve(&c, x);
    gmc_arena_reset(scratch, mark);
    return status;
}

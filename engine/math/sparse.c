// Right-looking elimination by nodes: a node's rows are factored as a dense panel, then what they
// leave on the later nodes is subtracted block by block. Multipliers are kept in `lower`, of the
// symmetric form too, so that one solve serves both.
#include "engine/math/sparse.h"

#include "engine/base/check.h"

#include <amd.h>
#include <klu.h>

#include <limits.h>
#include <math.h>
#include <string.h>

// ---- the plan ----------------------------------------------------------------------------------
//
// The graph of bodies is small (a node per body), so the plan costs little beside one factorisation
// and can be afforded whenever contacts come or go. AMD is called by its kernel amd_2, which works
// in the caller's memory; amd_order would ask the system for it.
//
// Pattern of the factors: row k of Lᵀ's columns are the nodes on the paths from k's earlier
// neighbours up the elimination tree [davis2006, §4.1]. Walking them for k = 0, 1, ... appends to
// every node's list in ascending order.

/// Both directions of every edge, node by node.
typedef struct neighbours {
    int *start; ///< (node_count + 1)
    int *other;
} neighbours;

enum { PLAN_ARRAYS = 8, ALIGNMENT = 64 };

size_t gmc_sparse_plan_bytes(int node_count, int fill)
{
    size_t n = (size_t)node_count;
    return (5 * n + 1) * sizeof(int) + n * sizeof(size_t) + 2 * (size_t)fill * sizeof(int) +
           (size_t)(PLAN_ARRAYS * ALIGNMENT);
}

static gmc_status list_neighbours(const gmc_sparse_graph *graph, gmc_arena *scratch,
                                  neighbours *list)
{
    size_t n = (size_t)graph->node_count;
    list->start = GMC_NEW(scratch, n + 1, int);
    list->other = GMC_NEW(scratch, 2 * graph->edge_count, int);
    int *end = GMC_NEW(scratch, n, int);
    if (!list->start || !list->other || !end) return GMC_E_ARENA_FULL;
    for (int e = 0; e < graph->edge_count; e++)
        for (int side = 0; side < 2; side++)
            list->start[graph->edges[e][side] + 1]++;
    for (size_t i = 0; i < n; i++) {
        list->start[i + 1] += list->start[i];
        end[i] = list->start[i];
    }
    // smaller neighbours first: a node's edges as `b` come sorted by `a`, those as `a` by `b`
    for (int side = 1; side >= 0; side--)
        for (int e = 0; e < graph->edge_count; e++)
            list->other[end[graph->edges[e][side]]++] = graph->edges[e][1 - side];
    return GMC_OK;
}

/// @param order  (node_count) out: the graph's node of each turn
static gmc_status order_nodes(const gmc_sparse_graph *graph, const neighbours *list,
                              gmc_arena *scratch, int *order)
{
    enum { WORK_ARRAYS = 8 };
    size_t n = (size_t)graph->node_count, used = 2 * (size_t)graph->edge_count;
    size_t room = used + used / 5 + n + 1; // amd.h: 1.2 nz + n is a good size
    int *work = GMC_NEW(scratch, WORK_ARRAYS * n, int);
    int *lists = GMC_NEW(scratch, room, int);
    if (!work || !lists) return GMC_E_ARENA_FULL;
    if (room > INT_MAX) return GMC_E_LIBRARY;
    int *head = work, *length = work + n;
    for (size_t i = 0; i < n; i++) {
        head[i] = list->start[i];
        length[i] = list->start[i + 1] - list->start[i];
    }
    memcpy(lists, list->other, used * sizeof(int));
    double control[AMD_CONTROL], info[AMD_INFO];
    amd_defaults(control);
    amd_2((int)n, head, lists, length, (int)room, (int)used, work + 2 * n, work + 3 * n, order,
          work + 4 * n, work + 5 * n, work + 6 * n, work + 7 * n, control, info);
    return GMC_OK;
}

typedef struct pattern {
    const neighbours *list;
    int *order, *count; ///< (node_count) nodes by turn; later nodes of each
    int *parent, *mark; ///< (node_count) scratch
} pattern;

/// Walk the pattern of the factors; the first time to count, the second to fill.
/// @param later  NULL: count only
static void walk_pattern(const pattern *all, const gmc_sparse_plan *plan, int *later)
{
    const neighbours *list = all->list;
    int *parent = all->parent, *mark = all->mark, *count = all->count;
    for (int k = 0; k < plan->node_count; k++) {
        parent[k] = -1;
        mark[k] = k;
        count[k] = 0;
        int node = all->order[k];
        for (int e = list->start[node]; e < list->start[node + 1]; e++)
            for (int i = plan->turn[list->other[e]]; i < k && mark[i] != k; i = parent[i]) {
                if (parent[i] < 0) parent[i] = k;
                if (later) later[plan->later_start[i] + count[i]] = k;
                count[i]++;
                mark[i] = k;
            }
    }
}

static gmc_status take_fixed(const gmc_sparse_graph *graph, gmc_arena *arena, gmc_sparse_plan *plan)
{
    int n = graph->node_count;
    *plan = (gmc_sparse_plan){.node_count = graph->node_count,
                              .unknown_count = graph->start[graph->node_count]};
    plan->turn = GMC_NEW(arena, n, int);
    plan->first = GMC_NEW(arena, n, int);
    plan->width = GMC_NEW(arena, n, int);
    plan->span = GMC_NEW(arena, n, int);
    plan->later_start = GMC_NEW(arena, n + 1, int);
    plan->panel = GMC_NEW(arena, n, size_t);
    return plan->turn && plan->first && plan->width && plan->span && plan->later_start &&
                   plan->panel
               ? GMC_OK
               : GMC_E_ARENA_FULL;
}

static void lay_out(gmc_sparse_plan *plan)
{
    for (int k = 0; k < plan->node_count; k++) {
        int column = plan->width[k];
        for (int e = plan->later_start[k]; e < plan->later_start[k + 1]; e++) {
            plan->later_offset[e] = column;
            column += plan->width[plan->later[e]];
        }
        plan->span[k] = column;
        plan->panel[k] = plan->panel_total;
        plan->panel_total += (size_t)plan->width[k] * (size_t)column;
        if (plan->width[k] > plan->width_max) plan->width_max = plan->width[k];
    }
}

static gmc_status make_plan(const gmc_sparse_graph *graph, gmc_arena *arena, gmc_arena *scratch,
                            gmc_sparse_plan *plan)
{
    size_t n = (size_t)graph->node_count;
    neighbours list;
    int *order = GMC_NEW(scratch, 4 * n, int);
    if (!order) return GMC_E_ARENA_FULL;
    int *mark = order + 2 * n, *count = order + 3 * n;
    const pattern all = {&list, order, count, order + n, mark};
    GMC_TRY(list_neighbours(graph, scratch, &list));
    GMC_TRY(order_nodes(graph, &list, scratch, order));
    memset(mark, 0, n * sizeof(int));
    for (size_t k = 0; k < n; k++) { // a permutation, or AMD was given no graph
        if (order[k] < 0 || order[k] >= (int)n || mark[order[k]]++) return GMC_E_LIBRARY;
        int node = order[k];
        plan->turn[node] = (int)k;
        plan->first[k] = graph->start[node];
        plan->width[k] = graph->start[node + 1] - graph->start[node];
    }
    walk_pattern(&all, plan, NULL);
    for (size_t k = 0; k < n; k++)
        plan->later_start[k + 1] = plan->later_start[k] + count[k];
    int fill = plan->later_start[n];
    plan->later = GMC_NEW(arena, fill, int);
    plan->later_offset = GMC_NEW(arena, fill, int);
    if (!plan->later || !plan->later_offset) return GMC_E_ARENA_FULL;
    walk_pattern(&all, plan, plan->later);
    lay_out(plan);
    return GMC_OK;
}

gmc_status gmc_sparse_plan_make(const gmc_sparse_graph *graph, gmc_arena *plan_arena,
                                gmc_arena *scratch, gmc_sparse_plan *plan)
{
    GMC_ASSERT(graph->node_count > 0);
    GMC_TRY(take_fixed(graph, plan_arena, plan));
    size_t mark = gmc_arena_mark(scratch);
    gmc_status status = make_plan(graph, plan_arena, scratch, plan);
    if (plan_arena != scratch) gmc_arena_reset(scratch, mark);
    return status;
}

// ---- the matrix --------------------------------------------------------------------------------

/// A pivot below this share of its column's largest entry in the block as it was is noise: the
/// same working precision as the dense factorisation's, for a block of a body's size.
static const double PIVOT_MIN = 1e-13;

gmc_status gmc_sparse_create(const gmc_sparse_plan *plan, gmc_arena *arena, gmc_sparse *matrix)
{
    int n = plan->unknown_count;
    gmc_sparse made = {.plan = plan};
    made.upper = GMC_NEW(arena, plan->panel_total, double);
    made.lower = GMC_NEW(arena, plan->panel_total, double);
    made.inverse_d = GMC_NEW(arena, n, double);
    made.row_of = GMC_NEW(arena, plan->width_max, int);
    made.pivot = GMC_NEW(arena, n, int);
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

// ---- what a node leaves on the later ones ------------------------------------------------------

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

/// Aᵀ B of two blocks whose rows are `stride` apart: A (depth x rows), B (depth x columns).
typedef struct block_product {
    const double *A, *B;
    int stride, depth, rows, columns;
} block_product;

/// C (rows x columns) -= Aᵀ B
static inline void subtract_product(const block_product *x, double *C, int stride_c)
{
    if (x->depth == 6 && x->rows == 6 && x->columns == 6) {
        subtract_six(x->A, x->B, x->stride, C, stride_c);
        return;
    }
    for (int i = 0; i < x->rows; i++, C += stride_c)
        for (int p = 0; p < x->depth; p++)
            for (int j = 0; j < x->columns; j++)
                C[j] -= x->A[p * x->stride + i] * x->B[p * x->stride + j];
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
    block_product x = {m_node, U_node, stride, depth, rows, rows};
    subtract_product(&x, upper, stride_c);
    int at = plan->later_start[node];
    for (int f = e + 1; f < end; f++) {
        while (plan->later[at] != plan->later[f])
            at++;
        int from = plan->later_offset[f], to = plan->later_offset[at];
        x = (block_product){m_node, U + from, stride, depth, rows, plan->width[plan->later[f]]};
        subtract_product(&x, upper + to, stride_c);
        if (is_symmetric) continue;
        x.A = U_node;
        x.B = m + from;
        subtract_product(&x, lower + to, stride_c);
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

// ---- LDLᵀ --------------------------------------------------------------------------------------

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

// ---- LU ----------------------------------------------------------------------------------------

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

// ---- solve -------------------------------------------------------------------------------------

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

bool gmc_sparse_factor(gmc_sparse *matrix, const double *weight)
{
    const gmc_sparse_plan *plan = matrix->plan;
    for (int k = 0; k < plan->node_count; k++)
        if (weight) {
            if (!factor_rows(matrix, k, weight)) return false;
            update_later(matrix, k, false);
        } else {
            if (!factor_symmetric_rows(matrix, k, matrix->inverse_d + plan->first[k])) return false;
            update_later(matrix, k, true);
        }
    return true;
}

void gmc_sparse_solve(const gmc_sparse *matrix, double *x)
{
    for (int k = 0; k < matrix->plan->node_count; k++)
        forward(matrix, k, x);
    for (int k = matrix->plan->node_count - 1; k >= 0; k--)
        backward(matrix, k, x);
}

// ---- the last resort ---------------------------------------------------------------------------
//
// The last resort of sparse systems: partial pivoting over all rows, by KLU, whose ordering (AMD)
// and pivoting are pure functions of the matrix. It allocates through SuiteSparse's own malloc;
// routing that to an arena would need a process-wide function pointer with hidden state, for a call
// that none of the 1e4 systems of test/property/test_heap.c makes.

/// A diagonal pivot is taken from this share of its column's largest entry on: KLU's own 0.001
/// suits circuits; here the last digits matter more than fill.
static const double KLU_PIVOT_MIN = 0.1;

/// Compressed columns, rows ascending within a column.
typedef struct columns {
    int n;
    int *start, *row;
    double *value;
    int *end; ///< where the next entry of a column goes
} columns;

static void add_entry(columns *c, bool is_counting, int row, int column, double value)
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
static void walk_entries(const gmc_sparse *matrix, bool is_counting, columns *c)
{
    const gmc_sparse_plan *plan = matrix->plan;
    for (int k = 0; k < plan->node_count; k++) {
        int width = plan->width[k], span = plan->span[k], first = plan->first[k];
        const double *upper = matrix->upper + plan->panel[k];
        const double *lower = matrix->lower + plan->panel[k];
        for (int i = 0; i < width; i++)
            for (int j = 0; j < width; j++)
                add_entry(c, is_counting, first + i, first + j, upper[i * span + j]);
        for (int e = plan->later_start[k]; e < plan->later_start[k + 1]; e++) {
            int other = plan->first[plan->later[e]], offset = plan->later_offset[e];
            for (int i = 0; i < width; i++)
                for (int j = 0; j < plan->width[plan->later[e]]; j++) {
                    add_entry(c, is_counting, first + i, other + j, upper[i * span + offset + j]);
                    add_entry(c, is_counting, other + j, first + i, lower[i * span + offset + j]);
                }
        }
    }
}

static gmc_status gather_columns(const gmc_sparse *matrix, gmc_arena *scratch, columns *c)
{
    size_t n = (size_t)matrix->plan->unknown_count;
    *c = (columns){.n = (int)n};
    c->start = GMC_NEW(scratch, n + 1, int);
    c->end = GMC_NEW(scratch, n, int);
    if (!c->start || !c->end) return GMC_E_ARENA_FULL;
    walk_entries(matrix, true, c);
    for (size_t i = 0; i < n; i++) {
        c->start[i + 1] += c->start[i];
        c->end[i] = c->start[i];
    }
    c->row = GMC_NEW(scratch, c->start[n], int);
    c->value = GMC_NEW(scratch, c->start[n], double);
    if (!c->row || !c->value) return GMC_E_ARENA_FULL;
    walk_entries(matrix, false, c);
    return GMC_OK;
}

static gmc_status solve_columns(columns *c, double *x)
{
    klu_common common;
    klu_defaults(&common);
    common.btf = 0; // its matching would put any entry on the diagonal, not the large ones
    common.tol = KLU_PIVOT_MIN;
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
    gmc_status status = gather_columns(matrix, scratch, &c);
    if (status == GMC_OK) status = solve_columns(&c, x);
    gmc_arena_reset(scratch, mark);
    return status;
}

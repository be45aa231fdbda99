// The matrix of a saddle point, node by node, on the blocks of sparse.h.
//
// Rejected: the Schur complement G M⁻¹ Gᵀ first, for it asks for the mass of every link and fills
// where a palm carries many fingers; the matrix as a whole goes through the tree from its leaves.
// A node that is eliminated leaves what is again of this kind on its neighbours: masses become
// larger, blocks of rows negative semidefinite, so that any order will do.

#include "engine/math/saddle.h"

#include "engine/base/check.h"

#include <math.h>
#include <string.h>

/// First unknown of a node: dofs, then rows.
static int first_unknown(const gmc_saddle_problem *problem, int node)
{
    return problem->dof_start[node] + problem->row_start[node];
}

static int dofs_of(const gmc_saddle_problem *problem, int node)
{
    return problem->dof_start[node + 1] - problem->dof_start[node];
}

// ---- the graph ---------------------------------------------------------------------------------

/// Mark pairs of nodes that rows tie. @param is_tied  (node_count x node_count) for a < b
static void mark_pairs(const gmc_saddle_problem *problem, bool *is_tied)
{
    for (int i = 0; i < problem->row_start[problem->node_count]; i++) {
        const gmc_saddle_row *row = &problem->rows[i];
        for (int k = 0; k < row->count; k++)
            for (int l = 0; l < row->count; l++)
                if (row->nodes[k] < row->nodes[l])
                    is_tied[row->nodes[k] * problem->node_count + row->nodes[l]] = true;
    }
}

gmc_status gmc_saddle_plan(const gmc_saddle_problem *problem, gmc_arena *arena,
                           gmc_sparse_plan *plan)
{
    size_t n = (size_t)problem->node_count;
    bool *is_tied = GMC_NEW(arena, n * n, bool);
    int *start = GMC_ROOM(arena, n + 1, int), count = 0;
    int(*edges)[2] = gmc_arena_room(arena, n * n, sizeof *edges);
    if (!is_tied || !start || !edges) return GMC_E_ARENA_FULL;
    for (int k = 0; k <= problem->node_count; k++)
        start[k] = first_unknown(problem, k);
    mark_pairs(problem, is_tied);
    for (int a = 0; a < problem->node_count; a++)
        for (int b = a + 1; b < problem->node_count; b++) {
            if (!is_tied[a * problem->node_count + b]) continue;
            edges[count][0] = a;
            edges[count++][1] = b;
        }
    const gmc_sparse_graph graph = {.node_count = problem->node_count,
                                    .start = start,
                                    .edge_count = count,
                                    .edges = (const int(*)[2])edges};
    return gmc_sparse_plan_make(&graph, arena, arena, plan);
}

// ---- the matrix --------------------------------------------------------------------------------

/// An entry by node and unknown of the node.
typedef struct place {
    int node, at;
} place;

static void add_entry(gmc_sparse *matrix, place row, place column, double value)
{
    const gmc_sparse_plan *plan = matrix->plan;
    int i = plan->turn[row.node], j = plan->turn[column.node], at;
    if (i == j) {
        matrix->upper[plan->panel[i] + (size_t)(row.at * plan->span[i] + column.at)] += value;
        return;
    }
    if (i < j) {
        at = gmc_sparse_plan_offset(plan, i, j) + column.at;
        matrix->upper[plan->panel[i] + (size_t)(row.at * plan->span[i] + at)] += value;
    } else { // stands transposed with the earlier node
        at = gmc_sparse_plan_offset(plan, j, i) + row.at;
        matrix->lower[plan->panel[j] + (size_t)(column.at * plan->span[j] + at)] += value;
    }
}

static void add_rows(const gmc_saddle_problem *problem, int node, gmc_sparse *matrix)
{
    for (int i = problem->row_start[node]; i < problem->row_start[node + 1]; i++) {
        const gmc_saddle_row *row = &problem->rows[i];
        place own = {node, dofs_of(problem, node) + i - problem->row_start[node]};
        for (int k = 0; k < row->count; k++)
            for (int d = 0; d < dofs_of(problem, row->nodes[k]); d++) {
                place dof = {row->nodes[k], d};
                add_entry(matrix, own, dof, row->J[k][d]);
                add_entry(matrix, dof, own, -row->J[k][d]);
            }
    }
}

static void add_soft(const gmc_saddle_problem *problem, const gmc_saddle_row *row, double a,
                     gmc_sparse *matrix)
{
    for (int k = 0; k < row->count; k++)
        for (int l = 0; l < row->count; l++)
            for (int i = 0; i < dofs_of(problem, row->nodes[k]); i++)
                for (int j = 0; j < dofs_of(problem, row->nodes[l]); j++)
                    add_entry(matrix, (place){row->nodes[k], i}, (place){row->nodes[l], j},
                              a * row->J[k][i] * row->J[l][j]);
}

static void write_matrix(const gmc_saddle_problem *problem, gmc_sparse *matrix)
{
    gmc_sparse_clear(matrix);
    for (int node = 0; node < problem->node_count; node++) {
        const double *M = problem->mass + GMC_SADDLE_WIDTH * GMC_SADDLE_WIDTH * node;
        for (int i = 0; i < dofs_of(problem, node); i++)
            for (int j = 0; j < dofs_of(problem, node); j++)
                add_entry(matrix, (place){node, i}, (place){node, j}, M[GMC_SADDLE_WIDTH * i + j]);
        add_rows(problem, node, matrix);
    }
    for (int i = 0; i < problem->soft_count; i++)
        add_soft(problem, &problem->softs[i], problem->soft[i], matrix);
}

/// What makes pivots of rows and of masses comparable: of both what the largest entry becomes 1.
static void weigh(const gmc_saddle_problem *problem, double *weight)
{
    for (int node = 0; node < problem->node_count; node++) {
        const double *M = problem->mass + GMC_SADDLE_WIDTH * GMC_SADDLE_WIDTH * node;
        int first = first_unknown(problem, node), dofs = dofs_of(problem, node);
        for (int i = 0; i < dofs; i++)
            weight[first + i] = 1 / fmax(M[(GMC_SADDLE_WIDTH + 1) * i], 1);
        for (int i = first + dofs; i < first_unknown(problem, node + 1); i++)
            weight[i] = 1;
    }
}

gmc_status gmc_saddle_factor(const gmc_saddle_problem *problem, const gmc_sparse_plan *plan,
                             gmc_arena *scratch, gmc_saddle *saddle)
{
    double *weight = GMC_ROOM(scratch, plan->unknown_count, double);
    *saddle = (gmc_saddle){.problem = problem, .scratch = scratch};
    saddle->x = GMC_ROOM(scratch, plan->unknown_count, double);
    if (!weight || !saddle->x) return GMC_E_ARENA_FULL;
    GMC_TRY(gmc_sparse_create(plan, scratch, &saddle->matrix));
    write_matrix(problem, &saddle->matrix);
    weigh(problem, weight);
    saddle->is_factored = gmc_sparse_factor(&saddle->matrix, weight);
    if (!saddle->is_factored) write_matrix(problem, &saddle->matrix);
    return GMC_OK;
}

// ---- a solve -----------------------------------------------------------------------------------

/// Between (v, c) and the unknowns node by node.
static void gather(const gmc_saddle *saddle, const double *v, const double *c, double *x)
{
    const gmc_saddle_problem *problem = saddle->problem;
    for (int node = 0; node < problem->node_count; node++) {
        for (int i = problem->dof_start[node]; i < problem->dof_start[node + 1]; i++)
            *x++ = v[i];
        for (int i = problem->row_start[node]; i < problem->row_start[node + 1]; i++)
            *x++ = c[i];
    }
}

static void scatter(const gmc_saddle *saddle, const double *x, double *v, double *c)
{
    const gmc_saddle_problem *problem = saddle->problem;
    for (int node = 0; node < problem->node_count; node++) {
        for (int i = problem->dof_start[node]; i < problem->dof_start[node + 1]; i++)
            v[i] = *x++;
        for (int i = problem->row_start[node]; i < problem->row_start[node + 1]; i++)
            c[i] = *x++;
    }
}

gmc_status gmc_saddle_solve(const gmc_saddle *saddle, double *v, double *c)
{
    double *x = saddle->x;
    gather(saddle, v, c, x);
    if (saddle->is_factored)
        gmc_sparse_solve(&saddle->matrix, x);
    else
        GMC_TRY(gmc_sparse_klu_solve(&saddle->matrix, x, saddle->scratch));
    scatter(saddle, x, v, c);
    return GMC_OK;
}

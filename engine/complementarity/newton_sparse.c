#include "engine/complementarity/newton_sparse.h"

#include "engine/base/check.h"
#include "engine/math/sparse.h"

#include <string.h>

// Contacts of the same two bodies share their columns and are summed in one small dense block, as
// in newton.c; its parts go to the rows of whichever node is eliminated first.

/// Plans are kept up to this many coupled pairs per tree. In a heap a body touches a handful of
/// others, and the factors have a few times as many pairs.
enum { KEPT_PER_BLOCK = 24 };

/// An LU solution is good enough to Newton's own tolerance if the system's defect is below REFINED
/// of the right side, refined REFINEMENTS times at most, and not used above USABLE.
static const double REFINED = 1e-12, USABLE = 1e-9;
enum { REFINEMENTS = 3 };

struct gmc_newton_sparse_memory {
    int block_max, pair_max;
    int node_count, edge_count; ///< of the graph the plan belongs to
    int *start;                 ///< (block_max + 1) of the graph the plan belongs to
    int (*edges)[2];            ///< (pair_max)
    bool has_plan;
    gmc_arena room; ///< a part of the creator's arena, for the plan alone
    gmc_sparse_plan plan;
    gmc_newton_sparse_counts counts;
};

/// Columns of one contact that belong to the same tree: columns first .. end - 1.
typedef struct segment {
    int turn, first, end;
} segment;

struct gmc_newton_sparse {
    const gmc_ncp *problem;
    gmc_newton_sparse_counts *counts, own_counts;
    gmc_arena *scratch;
    int *node_of; ///< (dof_count) block of M
    const gmc_sparse_plan *plan;
    gmc_sparse_plan own_plan;
    gmc_sparse matrix;
    int column_max;
    segment *segments;      ///< (column_max)
    double *block;          ///< (column_max x column_max)
    double *KS, *KtS;       ///< (6 x column_max) of one group: K S, Kᵀ S
    double *right, *defect; ///< (dof_count)
};

gmc_status gmc_newton_sparse_memory_create(int block_count, gmc_arena *arena,
                                           gmc_newton_sparse_memory **memory)
{
    size_t all = (size_t)block_count * (size_t)(block_count - 1) / 2;
    size_t some = KEPT_PER_BLOCK * (size_t)block_count, pairs = all < some ? all : some;
    gmc_newton_sparse_memory *made = GMC_NEW(arena, 1, gmc_newton_sparse_memory);
    if (!made) return GMC_E_ARENA_FULL;
    made->block_max = block_count;
    made->pair_max = (int)pairs;
    made->start = GMC_NEW(arena, block_count + 1, int);
    made->edges = gmc_arena_take(arena, pairs, sizeof *made->edges);
    size_t bytes = gmc_sparse_plan_bytes(block_count, (int)pairs);
    made->room = (gmc_arena){.memory = gmc_arena_take(arena, bytes, 1), .capacity = bytes};
    if (!made->start || !made->edges || !made->room.memory) return GMC_E_ARENA_FULL;
    *memory = made;
    return GMC_OK;
}

gmc_newton_sparse_counts gmc_newton_sparse_counted(const gmc_newton_sparse_memory *memory)
{
    return memory->counts;
}

// ---- graph and plan ----------------------------------------------------------------------------

/// Segments of a list of columns; trees are met again where columns do not come in their order.
static int find_segments(const gmc_newton_sparse *w, const int *columns, int count, segment *found)
{
    int n = 0;
    for (int k = 0; k < count; k++) {
        int node = w->node_of[columns[k]];
        if (n > 0 && found[n - 1].turn == node)
            found[n - 1].end = k + 1;
        else
            found[n++] = (segment){node, k, k + 1};
    }
    return n;
}

/// Pairs of trees that one list of columns couples.
static int list_pairs(const gmc_newton_sparse *w, const int *columns, int count, int (*edges)[2])
{
    int n = find_segments(w, columns, count, w->segments), found = 0;
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) {
            int a = w->segments[i].turn, b = w->segments[j].turn;
            if (a == b) continue;
            if (edges) {
                edges[found][0] = a < b ? a : b;
                edges[found][1] = a < b ? b : a;
            }
            found++;
        }
    return found;
}

/// @param edges  NULL: count only
static int list_edges(const gmc_newton_sparse *w, int (*edges)[2])
{
    const gmc_ncp *problem = w->problem;
    int found = 0;
    for (int i = 0; i < problem->group_count; i++)
        found += list_pairs(w, problem->groups[i].columns, problem->groups[i].column_count,
                            edges ? edges + found : NULL);
    for (int i = 0; i < problem->row_count; i++)
        found += list_pairs(w, problem->rows[i].columns, problem->rows[i].column_count,
                            edges ? edges + found : NULL);
    return found;
}

/// Stable counting sort by one side.
static void sort_by(int side, int node_count, int count, int *start, const int (*from)[2],
                    int (*to)[2])
{
    memset(start, 0, ((size_t)node_count + 1) * sizeof(int));
    for (int e = 0; e < count; e++)
        start[from[e][side] + 1]++;
    for (int i = 0; i < node_count; i++)
        start[i + 1] += start[i];
    for (int e = 0; e < count; e++)
        memcpy(to[start[from[e][side]]++], from[e], sizeof to[0]);
}

static gmc_status find_graph(const gmc_newton_sparse *w, gmc_arena *scratch,
                             gmc_sparse_graph *graph)
{
    int nodes = w->problem->block_count, count = list_edges(w, NULL), distinct = 0;
    int(*edges)[2] = gmc_arena_take(scratch, (size_t)count, sizeof *edges);
    int(*sorted)[2] = gmc_arena_take(scratch, (size_t)count, sizeof *sorted);
    int *start = GMC_NEW(scratch, nodes + 1, int);
    if (!edges || !sorted || !start) return GMC_E_ARENA_FULL;
    (void)list_edges(w, edges);
    sort_by(1, nodes, count, start, (const int(*)[2])edges, sorted);
    sort_by(0, nodes, count, start, (const int(*)[2])sorted, edges);
    for (int e = 0; e < count; e++)
        if (distinct == 0 || edges[e][0] != edges[distinct - 1][0] ||
            edges[e][1] != edges[distinct - 1][1])
            memcpy(edges[distinct++], edges[e], sizeof edges[0]);
    *graph = (gmc_sparse_graph){nodes, w->problem->block_start, distinct, (const int(*)[2])edges};
    return GMC_OK;
}

static bool is_kept(const gmc_newton_sparse_memory *memory, const gmc_sparse_graph *graph)
{
    return memory->has_plan && memory->node_count == graph->node_count &&
           memory->edge_count == graph->edge_count &&
           memcmp(memory->start, graph->start, ((size_t)graph->node_count + 1) * sizeof(int)) ==
               0 &&
           (graph->edge_count == 0 ||
            memcmp(memory->edges, graph->edges,
                   (size_t)graph->edge_count * sizeof graph->edges[0]) == 0);
}

/// Make a plan in the memory; false if it has no room for it.
static gmc_status renew(gmc_newton_sparse_memory *memory, const gmc_sparse_graph *graph,
                        gmc_arena *scratch, bool *is_made)
{
    *is_made = memory->has_plan = false;
    if (graph->node_count > memory->block_max || graph->edge_count > memory->pair_max)
        return GMC_OK;
    gmc_arena_reset(&memory->room, 0);
    gmc_status status = gmc_sparse_plan_make(graph, &memory->room, scratch, &memory->plan);
    // an arena that is full is made larger by the caller, a memory that is full is not used
    if (status == GMC_E_ARENA_FULL && memory->room.high_water > memory->room.capacity) {
        memory->room.high_water = 0;
        return GMC_OK;
    }
    if (status != GMC_OK) return status;
    memory->node_count = graph->node_count;
    memory->edge_count = graph->edge_count;
    memcpy(memory->start, graph->start, ((size_t)graph->node_count + 1) * sizeof(int));
    if (graph->edge_count > 0)
        memcpy(memory->edges, graph->edges, (size_t)graph->edge_count * sizeof graph->edges[0]);
    *is_made = memory->has_plan = true;
    return GMC_OK;
}

static gmc_status find_plan(gmc_newton_sparse *w, gmc_arena *scratch)
{
    gmc_newton_sparse_memory *memory = w->problem->hints.memory;
    gmc_sparse_graph graph;
    bool is_made = false;
    GMC_TRY(find_graph(w, scratch, &graph));
    if (memory && is_kept(memory, &graph)) {
        w->plan = &memory->plan;
        return GMC_OK;
    }
    w->counts->plans++;
    if (memory) GMC_TRY(renew(memory, &graph, scratch, &is_made));
    w->plan = is_made ? &memory->plan : &w->own_plan;
    return is_made ? GMC_OK : gmc_sparse_plan_make(&graph, scratch, scratch, &w->own_plan);
}

static int widest(const gmc_ncp *problem)
{
    int most = 1;
    for (int i = 0; i < problem->group_count; i++)
        if (problem->groups[i].column_count > most) most = problem->groups[i].column_count;
    for (int i = 0; i < problem->row_count; i++)
        if (problem->rows[i].column_count > most) most = problem->rows[i].column_count;
    return most;
}

gmc_status gmc_newton_sparse_create(const gmc_ncp *problem, gmc_arena *scratch,
                                    gmc_newton_sparse **system)
{
    int n = problem->dof_count;
    gmc_newton_sparse *w = GMC_NEW(scratch, 1, gmc_newton_sparse);
    if (!w) return GMC_E_ARENA_FULL;
    w->problem = problem;
    w->scratch = scratch;
    w->column_max = widest(problem);
    size_t most = (size_t)w->column_max;
    w->node_of = GMC_NEW(scratch, n, int);
    w->segments = GMC_NEW(scratch, most, segment);
    w->block = GMC_NEW(scratch, most * most + 12 * most, double);
    w->right = GMC_NEW(scratch, 2 * n, double);
    if (!w->node_of || !w->segments || !w->block || !w->right) return GMC_E_ARENA_FULL;
    w->KS = w->block + most * most;
    w->KtS = w->KS + 6 * most;
    w->defect = w->right + n;
    w->counts = problem->hints.memory ? &problem->hints.memory->counts : &w->own_counts;
    for (int b = 0; b < problem->block_count; b++)
        for (int i = problem->block_start[b]; i < problem->block_start[b + 1]; i++)
            w->node_of[i] = b;
    GMC_TRY(find_plan(w, scratch));
    GMC_TRY(gmc_sparse_create(w->plan, scratch, &w->matrix));
    w->matrix.flops = &w->counts->flops;
    *system = w;
    return GMC_OK;
}

// ---- the matrix --------------------------------------------------------------------------------

static void assemble_mass(gmc_newton_sparse *w)
{
    const gmc_ncp *problem = w->problem;
    gmc_sparse_clear(&w->matrix);
    for (int b = 0; b < problem->block_count; b++) {
        size_t stride;
        const double *M = gmc_ncp_mass_block(problem, b, &stride);
        int turn = w->plan->turn[b], span = w->plan->span[turn];
        double *rows = w->matrix.upper + w->plan->panel[turn];
        for (int i = 0; i < w->plan->width[turn]; i++)
            memcpy(rows + i * span, M + (size_t)i * stride,
                   (size_t)w->plan->width[turn] * sizeof(double));
    }
}

/// Add the part (rows of `a`, columns of `b`) of w->block to the matrix.
static void scatter(gmc_newton_sparse *w, const int *columns, const segment *a, const segment *b)
{
    const gmc_sparse_plan *plan = w->plan;
    bool is_upper = a->turn <= b->turn;
    int early = is_upper ? a->turn : b->turn, late = is_upper ? b->turn : a->turn;
    int span = plan->span[early], offset = gmc_sparse_plan_offset(plan, early, late);
    double *panel = (is_upper ? w->matrix.upper : w->matrix.lower) + plan->panel[early];
    GMC_ASSERT(offset >= 0);
    for (int i = a->first; i < a->end; i++) {
        int row = columns[i] - plan->first[a->turn];
        const double *from = w->block + i * w->column_max;
        for (int j = b->first; j < b->end; j++) {
            int column = columns[j] - plan->first[b->turn];
            int at = is_upper ? row * span + offset + column : column * span + offset + row;
            panel[at] += from[j];
        }
    }
}

static void scatter_block(gmc_newton_sparse *w, const int *columns, int count, bool is_symmetric)
{
    int n = find_segments(w, columns, count, w->segments);
    for (int i = 0; i < n; i++)
        w->segments[i].turn = w->plan->turn[w->segments[i].turn];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (!is_symmetric || w->segments[i].turn <= w->segments[j].turn)
                scatter(w, columns, &w->segments[i], &w->segments[j]);
}

/// block := Sᵀ K S
static void write_block(gmc_newton_sparse *w, const gmc_ncp_group *group, const double K[36])
{
    int count = group->general_count, width = w->column_max;
    gmc_newton_group_multiply(group, K, false, w->KS);
    for (int k = 0; k < count; k++)
        for (int l = 0; l < count; l++)
            w->block[k * width + l] = gmc_newton_group_dot(group->S + 6 * k, w->KS + 6 * l);
    if (group->column_count == count) return;
    gmc_newton_group_multiply(group, K, true, w->KtS);
    for (int k = 0; k < count; k++)
        for (int i = 0; i < 6; i++) {
            w->block[k * width + count + i] = group->sign * w->KtS[6 * k + i];
            w->block[(count + i) * width + k] = group->sign * w->KS[6 * k + i];
        }
    for (int i = 0; i < 6; i++)
        memcpy(w->block + (count + i) * width + count, K + 6 * i, 6 * sizeof *K);
}

static void assemble(gmc_newton_sparse *w, const gmc_newton_lines *lines)
{
    const gmc_newton_stiffness *stiffnesses = lines->stiffnesses;
    const gmc_newton_clamp *clamps = lines->clamps;
    const gmc_ncp *problem = w->problem;
    assemble_mass(w);
    for (int i = 0; i < problem->group_count; i++) {
        const gmc_ncp_group *group = &problem->groups[i];
        if (!stiffnesses[i].is_pressed) continue;
        write_block(w, group, stiffnesses[i].K);
        scatter_block(w, group->columns, group->column_count, lines->is_symmetric);
    }
    for (int r = 0; r < problem->row_count; r++) {
        const gmc_ncp_row *row = &problem->rows[r];
        for (int i = 0; i < row->column_count; i++)
            for (int j = 0; j < row->column_count; j++)
                w->block[i * w->column_max + j] = clamps[r].g * row->J[i] * row->J[j];
        if (clamps[r].g != 0)
            scatter_block(w, row->columns, row->column_count, lines->is_symmetric);
    }
}

// ---- solution and its check --------------------------------------------------------------------

/// defect = right - (M + Σ Jᵀ G J) x
static void find_defect(gmc_newton_sparse *w, const gmc_newton_lines *lines, const double *x)
{
    const gmc_ncp *problem = w->problem;
    double *d = w->defect;
    memcpy(d, w->right, (size_t)problem->dof_count * sizeof(double));
    for (int b = 0; b < problem->block_count; b++) {
        size_t stride;
        const double *M = gmc_ncp_mass_block(problem, b, &stride);
        int from = problem->block_start[b], width = problem->block_start[b + 1] - from;
        for (int i = 0; i < width; i++)
            for (int j = 0; j < width; j++)
                d[from + i] -= M[(size_t)i * stride + (size_t)j] * x[from + j];
    }
    for (int k = 0; k < problem->group_count; k++) {
        const gmc_ncp_group *group = &problem->groups[k];
        double V[6], F[6] = {0};
        gmc_ncp_group_velocity(group, x, V);
        for (int i = group->contact_first; i < group->contact_first + group->contact_count; i++) {
            const gmc_newton_cone *c = &lines->cones[i];
            double u[3];
            if (c->is_open) continue;
            gmc_ncp_contact_at(&problem->contacts[i], V, u);
            double f[3] = {c->g_n * u[0], c->g_tn[0] * u[0] + c->g_tt[0] * u[1] + c->g_tt[1] * u[2],
                           c->g_tn[1] * u[0] + c->g_tt[1] * u[1] + c->g_tt[2] * u[2]};
            gmc_ncp_contact_wrench(&problem->contacts[i], f, F);
        }
        gmc_ncp_group_push(group, F, d);
    }
    for (int r = 0; r < problem->row_count; r++) {
        const gmc_ncp_row *row = &problem->rows[r];
        double f = lines->clamps[r].g * gmc_ncp_row_velocity(row, x);
        for (int i = 0; i < row->column_count; i++)
            d[row->columns[i]] -= row->J[i] * f;
    }
}

/// Root of Σ x_i²/M_ii: of the unit of velocity times root mass, whatever the dof.
static double size_of(const double *x, const double *weight, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * x[i] * weight[i];
    return sqrt(sum);
}

/// Improve x until the system holds. @return whether it does
static bool refine(gmc_newton_sparse *w, const gmc_newton_lines *lines, double *x)
{
    const double *weight = lines->weight;
    int n = w->problem->dof_count;
    double size = size_of(w->right, weight, n);
    for (int i = 0;; i++) {
        find_defect(w, lines, x);
        double error = size_of(w->defect, weight, n);
        if (error <= REFINED * size) return true;
        if (i == REFINEMENTS) return error <= USABLE * size;
        if (i == 0) w->counts->refined++;
        gmc_sparse_solve(&w->matrix, w->defect);
        for (int k = 0; k < n; k++)
            x[k] += w->defect[k];
    }
}

gmc_status gmc_newton_sparse_solve(gmc_newton_sparse *system, const gmc_newton_lines *lines,
                                   double *v)
{
    gmc_newton_sparse *w = system;
    size_t bytes = (size_t)w->problem->dof_count * sizeof(double);
    w->counts->systems++;
    assemble(w, lines);
    if (lines->is_symmetric) {
        if (!gmc_sparse_ldlt_factor(&w->matrix)) return GMC_E_NO_SOLUTION;
        gmc_sparse_solve(&w->matrix, v);
        return GMC_OK;
    }
    memcpy(w->right, v, bytes);
    if (gmc_sparse_lu_factor(&w->matrix, lines->weight)) {
        gmc_sparse_solve(&w->matrix, v);
        if (refine(w, lines, v)) return GMC_OK;
    }
    w->counts->pivoted++;
    memcpy(v, w->right, bytes);
    assemble(w, lines);
    return gmc_sparse_klu_solve(&w->matrix, v, w->scratch);
}

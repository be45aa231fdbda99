// The graph of bodies is small (a node per body), so the plan costs little beside one factorisation
// and can be afforded whenever contacts come or go. AMD is called by its kernel amd_2, which works
// in the caller's memory; amd_order would ask the system for it.
//
// Pattern of the factors: row k of Lᵀ's columns are the nodes on the paths from k's earlier
// neighbours up the elimination tree [davis2006, §4.1]. Walking them for k = 0, 1, ... appends to
// every node's list in ascending order.

#include "engine/base/check.h"
#include "engine/math/sparse.h"

#include <amd.h>

#include <limits.h>
#include <string.h>

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
    list->start = gmc_arena_take(scratch, n + 1, sizeof(int));
    list->other = gmc_arena_take(scratch, 2 * (size_t)graph->edge_count, sizeof(int));
    int *end = gmc_arena_take(scratch, n, sizeof(int));
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
    int *work = gmc_arena_take(scratch, WORK_ARRAYS * n, sizeof(int));
    int *lists = gmc_arena_take(scratch, room, sizeof(int));
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

/// Walk the pattern of the factors; the first time to count, the second to fill.
/// @param parent, mark  (node_count) scratch
static void walk_pattern(const neighbours *list, const int *order, const gmc_sparse_plan *plan,
                         int *parent, int *mark, int *count, int *later)
{
    for (int k = 0; k < plan->node_count; k++) {
        parent[k] = -1;
        mark[k] = k;
        count[k] = 0;
        int node = order[k];
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
    size_t n = (size_t)graph->node_count;
    *plan = (gmc_sparse_plan){.node_count = graph->node_count,
                              .unknown_count = graph->start[graph->node_count]};
    plan->turn = gmc_arena_take(arena, n, sizeof(int));
    plan->first = gmc_arena_take(arena, n, sizeof(int));
    plan->width = gmc_arena_take(arena, n, sizeof(int));
    plan->span = gmc_arena_take(arena, n, sizeof(int));
    plan->later_start = gmc_arena_take(arena, n + 1, sizeof(int));
    plan->panel = gmc_arena_take(arena, n, sizeof(size_t));
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

static gmc_status make(const gmc_sparse_graph *graph, gmc_arena *arena, gmc_arena *scratch,
                       gmc_sparse_plan *plan)
{
    size_t n = (size_t)graph->node_count;
    neighbours list;
    int *order = gmc_arena_take(scratch, 4 * n, sizeof(int));
    if (!order) return GMC_E_ARENA_FULL;
    int *parent = order + n, *mark = order + 2 * n, *count = order + 3 * n;
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
    walk_pattern(&list, order, plan, parent, mark, count, NULL);
    for (size_t k = 0; k < n; k++)
        plan->later_start[k + 1] = plan->later_start[k] + count[k];
    size_t fill = (size_t)plan->later_start[n];
    plan->later = gmc_arena_take(arena, fill, sizeof(int));
    plan->later_offset = gmc_arena_take(arena, fill, sizeof(int));
    if (!plan->later || !plan->later_offset) return GMC_E_ARENA_FULL;
    walk_pattern(&list, order, plan, parent, mark, count, plan->later);
    lay_out(plan);
    return GMC_OK;
}

gmc_status gmc_sparse_plan_make(const gmc_sparse_graph *graph, gmc_arena *plan_arena,
                                gmc_arena *scratch, gmc_sparse_plan *plan)
{
    GMC_ASSERT(graph->node_count > 0);
    GMC_TRY(take_fixed(graph, plan_arena, plan));
    size_t mark = gmc_arena_mark(scratch);
    gmc_status status = make(graph, plan_arena, scratch, plan);
    if (plan_arena != scratch) gmc_arena_reset(scratch, mark);
    return status;
}

int gmc_sparse_plan_offset(const gmc_sparse_plan *plan, int a, int b)
{
    if (a == b) return 0;
    for (int e = plan->later_start[a]; e < plan->later_start[a + 1]; e++)
        if (plan->later[e] == b) return plan->later_offset[e];
    return -1;
}

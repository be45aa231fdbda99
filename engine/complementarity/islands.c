// Islands are the connected components of a graph with a node per diagonal block of M and an edge
// per group of contacts or row that couples two of them: union by the smaller number, so that an
// island is named after its first block and nothing depends on the order in which edges come.
//
// Every island is gathered into a problem of its own, with dofs, contacts and rows in the order in
// which they have stood: what is alone in the world and what stands beside others have the same
// bits.
//
// Rejected: one Newton run over all islands with those at rest frozen. The line search, the plan of
// the factors and the fall-back rungs would still be those of the whole.
#include "engine/complementarity/islands.h"

#include "engine/complementarity/newton.h"

#include <string.h>

/// A group of contacts, or a row: what lies in one island as a whole.
typedef struct island_member {
    int block;     ///< of its first column
    bool is_apart; ///< left out: open, between two islands
    int next;      ///< in the same island, -1: none
} island_member;

typedef struct islands {
    const gmc_ncp *problem;
    const gmc_rungs_options *options;
    gmc_islands_memory *memory; ///< NULL: none
    gmc_arena *scratch;
    gmc_rungs_report *report;
    int *block_of;               ///< (dof_count)
    int *parent;                 ///< (block_count) towards the island's first block
    int *next;                   ///< (block_count) next block of the same island, -1: none
    int *local;                  ///< (block_count) first dof in the island's problem
    bool *is_done;               ///< (block_count) of an island's first block: solved
    island_member *groups;       ///< (group_count)
    island_member *rows;         ///< (row_count)
    int *first_group, *last_row; ///< (block_count) of an island's first block: -1, or first and
    int *last_group, *first_row; ///< last of its groups and rows
    int sparse_count;            ///< islands of this round that are large
    gmc_ncp_solution trial;
} islands;

/// An island's problem in the making, with its memory.
typedef struct island_part {
    gmc_ncp ncp;
    int *block_start, *columns;
    double *mass, *momentum;
    gmc_ncp_contact *contacts;
    gmc_ncp_group *groups;
    gmc_ncp_row *rows;
    gmc_ncp_solution solution;
} island_part;

// ---- one island as a problem of its own --------------------------------------------------------

/// Number of columns that groups and rows need.
static int count_part(islands *w, int island, gmc_ncp *ncp)
{
    const gmc_ncp *problem = w->problem;
    int column_count = 0;
    for (int b = island; b >= 0; b = w->next[b]) {
        int width = problem->block_start[b + 1] - problem->block_start[b];
        w->local[b] = ncp->dof_count;
        ncp->dof_count += width;
        ncp->block_count++;
        if (width > ncp->mass_width) ncp->mass_width = width;
    }
    for (int i = w->first_group[island]; i >= 0; i = w->groups[i].next) {
        ncp->group_count++;
        ncp->contact_count += problem->groups[i].contact_count;
        column_count += problem->groups[i].column_count;
    }
    for (int i = w->first_row[island]; i >= 0; i = w->rows[i].next) {
        ncp->row_count++;
        column_count += problem->rows[i].column_count;
    }
    return column_count;
}

static gmc_status part_make_room(islands *w, int island, island_part *p)
{
    *p = (island_part){0};
    int column_count = count_part(w, island, &p->ncp);
    size_t n = (size_t)p->ncp.dof_count, contacts = (size_t)p->ncp.contact_count;
    size_t rows = (size_t)p->ncp.row_count, blocks = (size_t)p->ncp.block_count;
    double *x =
        GMC_ROOM(w->scratch, n * ((size_t)p->ncp.mass_width + 2) + 3 * contacts + rows, double);
    int *k = GMC_ROOM(w->scratch, blocks + 1 + (size_t)column_count, int);
    p->contacts = GMC_ROOM(w->scratch, contacts, gmc_ncp_contact);
    p->groups = GMC_ROOM(w->scratch, p->ncp.group_count, gmc_ncp_group);
    p->rows = GMC_ROOM(w->scratch, rows, gmc_ncp_row);
    if (!x || !k || !p->contacts || !p->groups || !p->rows) return GMC_E_ARENA_FULL;
    p->block_start = k;
    p->columns = k + blocks + 1;
    p->momentum = x;
    p->solution = (gmc_ncp_solution){.v = x + n, .r = x + 2 * n, .s = x + 2 * n + 3 * contacts};
    p->mass = x + 2 * n + 3 * contacts + rows;
    p->ncp.mass = p->mass;
    p->ncp.block_start = p->block_start;
    p->ncp.momentum = p->momentum;
    p->ncp.contacts = p->contacts;
    p->ncp.groups = p->groups;
    p->ncp.rows = p->rows;
    return GMC_OK;
}

static void gather_motion(const islands *w, int island, island_part *p)
{
    const gmc_ncp *problem = w->problem;
    size_t width_max = (size_t)p->ncp.mass_width, stride;
    int block = 0;
    for (int b = island; b >= 0; b = w->next[b]) {
        size_t from = (size_t)problem->block_start[b], to = (size_t)w->local[b];
        size_t width = (size_t)problem->block_start[b + 1] - from;
        const double *M = gmc_ncp_mass_block(problem, b, &stride);
        for (size_t i = 0; i < width; i++)
            memcpy(p->mass + (to + i) * width_max, M + i * stride, width * sizeof(double));
        memcpy(p->momentum + to, problem->momentum + from, width * sizeof(double));
        memcpy(p->solution.v + to, w->trial.v + from, width * sizeof(double));
        p->block_start[block++] = (int)to;
    }
    p->block_start[block] = p->ncp.dof_count;
}

/// The columns in the island's own numbers.
static const int *number_columns(const islands *w, const int *columns, int count, int **room)
{
    int *made = *room;
    for (int k = 0; k < count; k++) {
        int b = w->block_of[columns[k]];
        made[k] = columns[k] - w->problem->block_start[b] + w->local[b];
    }
    *room = made + count;
    return made;
}

static void gather_law(const islands *w, int island, island_part *p)
{
    const gmc_ncp *problem = w->problem;
    int *room = p->columns, count = 0, group_count = 0;
    for (int i = w->first_group[island]; i >= 0; i = w->groups[i].next) {
        const gmc_ncp_group *from = &problem->groups[i];
        gmc_ncp_group *to = &p->groups[group_count++];
        size_t contacts = (size_t)from->contact_count;
        *to = *from;
        to->contact_first = count;
        to->columns = number_columns(w, from->columns, from->column_count, &room);
        memcpy(p->contacts + count, problem->contacts + from->contact_first,
               contacts * sizeof *p->contacts);
        memcpy(p->solution.r + 3 * count, w->trial.r + 3 * from->contact_first,
               3 * contacts * sizeof(double));
        count += from->contact_count;
    }
    count = 0;
    for (int i = w->first_row[island]; i >= 0; i = w->rows[i].next) {
        const gmc_ncp_row *row = &problem->rows[i];
        p->solution.s[count] = w->trial.s[i];
        p->rows[count] = *row;
        p->rows[count++].columns = number_columns(w, row->columns, row->column_count, &room);
    }
}

static gmc_status make_part(islands *w, int island, island_part *p)
{
    GMC_TRY(part_make_room(w, island, p));
    gather_motion(w, island, p);
    gather_law(w, island, p);
    return GMC_OK;
}

static void scatter_part(const islands *w, int island, const island_part *p)
{
    const gmc_ncp *problem = w->problem;
    for (int b = island; b >= 0; b = w->next[b]) {
        int from = problem->block_start[b], width = problem->block_start[b + 1] - from;
        memcpy(w->trial.v + from, p->solution.v + w->local[b], (size_t)width * sizeof(double));
    }
    int count = 0;
    for (int i = w->first_group[island]; i >= 0; i = w->groups[i].next) {
        const gmc_ncp_group *group = &problem->groups[i];
        memcpy(w->trial.r + 3 * group->contact_first, p->solution.r + 3 * count,
               3 * (size_t)group->contact_count * sizeof(double));
        count += group->contact_count;
    }
    count = 0;
    for (int i = w->first_row[island]; i >= 0; i = w->rows[i].next)
        w->trial.s[i] = p->solution.s[count++];
}

/// Plans of elimination kept: of the first islands that are large enough for a sparse system. A
/// heap makes one or two of those.
enum { PLANS_KEPT = 4 };

struct gmc_islands_memory {
    gmc_newton_sparse_memory *newton[PLANS_KEPT];
    gmc_islands_counts counts;
};

gmc_status gmc_islands_memory_create(int block_count, gmc_arena *arena, gmc_islands_memory **memory)
{
    gmc_islands_memory *made = GMC_NEW(arena, 1, gmc_islands_memory);
    if (!made) return GMC_E_ARENA_FULL;
    for (int i = 0; i < PLANS_KEPT; i++)
        GMC_TRY(gmc_newton_sparse_memory_create(block_count, arena, &made->newton[i]));
    *memory = made;
    return GMC_OK;
}

gmc_islands_counts gmc_islands_counted(const gmc_islands_memory *memory)
{
    gmc_islands_counts counts = memory->counts;
    for (int i = 0; i < PLANS_KEPT; i++) {
        gmc_newton_sparse_counts sparse = gmc_newton_sparse_counted(memory->newton[i]);
        counts.flops += sparse.flops;
        counts.plans += sparse.plans;
    }
    return counts;
}

// ---- the graph ---------------------------------------------------------------------------------

static int island_of(islands *w, int block)
{
    while (w->parent[block] != block) {
        w->parent[block] = w->parent[w->parent[block]];
        block = w->parent[block];
    }
    return block;
}

static void join(islands *w, const int *columns, int count)
{
    int a = island_of(w, w->block_of[columns[0]]);
    for (int k = 1; k < count; k++) {
        int b = island_of(w, w->block_of[columns[k]]);
        if (a == b) continue;
        int first = a < b ? a : b, second = a < b ? b : a;
        w->parent[second] = first;
        w->is_done[first] = w->is_done[second] = false;
        a = first;
    }
}

static bool is_between(const islands *w, const int *columns, int count)
{
    for (int k = 1; k < count; k++)
        if (w->block_of[columns[k]] != w->block_of[columns[0]]) return true;
    return false;
}

/// @param r  NULL, or impulses of the contacts: does one of them press already?
static bool may_press(const islands *w, const gmc_ncp_group *group, const double *v,
                      const double *r)
{
    double V[6], u[3];
    gmc_ncp_group_velocity(group, v, V);
    for (int c = group->contact_first; c < group->contact_first + group->contact_count; c++) {
        const gmc_ncp_contact *contact = &w->problem->contacts[c];
        gmc_ncp_contact_at(contact, V, u);
        if (!(u[0] + contact->bias[0] >= 0) || (r && !(r[3 * c] <= 0))) return true; // NaN presses
    }
    return false;
}

static int first_block(const islands *w, const int *columns, int count)
{
    return count > 0 ? w->block_of[columns[0]] : 0;
}

static void find_islands(islands *w, const gmc_ncp_solution *warm)
{
    const gmc_ncp *problem = w->problem;
    for (int b = 0; b < problem->block_count; b++) {
        w->parent[b] = b;
        for (int i = problem->block_start[b]; i < problem->block_start[b + 1]; i++)
            w->block_of[i] = b;
    }
    for (int i = 0; i < problem->group_count; i++) {
        const gmc_ncp_group *group = &problem->groups[i];
        int count = group->column_count;
        w->groups[i] = (island_member){.block = first_block(w, group->columns, count)};
        if (!is_between(w, group->columns, count)) continue;
        if (may_press(w, group, warm->v, warm->r))
            join(w, group->columns, count);
        else
            w->groups[i].is_apart = true;
    }
    for (int i = 0; i < problem->row_count; i++) {
        const gmc_ncp_row *row = &problem->rows[i];
        w->rows[i] = (island_member){.block = first_block(w, row->columns, row->column_count)};
        if (row->column_count > 1) join(w, row->columns, row->column_count);
    }
}

/// Groups that were left out and close at the solution join their islands.
/// @return whether there are any
static bool join_those_that_close(islands *w)
{
    bool is_any = false;
    for (int i = 0; i < w->problem->group_count; i++) {
        const gmc_ncp_group *group = &w->problem->groups[i];
        if (!w->groups[i].is_apart || !may_press(w, group, w->trial.v, NULL)) continue;
        w->groups[i].is_apart = false;
        is_any = true;
        join(w, group->columns, group->column_count);
    }
    return is_any;
}

// ---- lists -------------------------------------------------------------------------------------

static void append(island_member *list, int i, int *first, int *last)
{
    list[i].next = -1;
    if (*first < 0)
        *first = i;
    else
        list[*last].next = i;
    *last = i;
}

/// Does it still lie between islands?
static bool is_left_out(islands *w, const gmc_ncp_group *group, int island)
{
    for (int k = 1; k < group->column_count; k++)
        if (island_of(w, w->block_of[group->columns[k]]) != island) return true;
    return false;
}

/// Blocks, groups and rows of every island, each in its order. A group that was left out between
/// blocks which others have joined since belongs to their island.
static void list_islands(islands *w)
{
    const gmc_ncp *problem = w->problem;
    for (int b = problem->block_count - 1; b >= 0; b--) {
        w->next[b] = w->first_group[b] = w->first_row[b] = -1;
        w->local[b] = b; // here: the last one listed
    }
    for (int b = 0; b < problem->block_count; b++) {
        int island = island_of(w, b);
        if (island == b) continue;
        w->next[w->local[island]] = b;
        w->local[island] = b;
    }
    for (int i = 0; i < problem->group_count; i++) {
        island_member *m = &w->groups[i];
        int island = island_of(w, m->block);
        if (m->is_apart) {
            m->is_apart = is_left_out(w, &problem->groups[i], island);
            if (m->is_apart) continue;
        }
        append(w->groups, i, &w->first_group[island], &w->last_group[island]);
    }
    for (int i = 0; i < problem->row_count; i++) {
        int island = island_of(w, w->rows[i].block);
        append(w->rows, i, &w->first_row[island], &w->last_row[island]);
    }
}

// ---- one island --------------------------------------------------------------------------------

static void count_work(islands *w, const gmc_ncp *ncp, int iterations)
{
    if (!w->memory) return;
    gmc_islands_counts *counts = &w->memory->counts;
    long long n = ncp->dof_count;
    counts->islands++;
    counts->contacts += (long long)ncp->contact_count * iterations;
    counts->blocks += (long long)ncp->block_count * iterations;
    if (!gmc_newton_sparse_fits(ncp)) counts->flops += n * n * n / 6 * iterations;
}

static gmc_status solve_island(islands *w, int island, int *iterations)
{
    island_part p;
    gmc_rungs_report report;
    size_t mark = gmc_arena_mark(w->scratch);
    GMC_TRY(make_part(w, island, &p));
    if (w->memory && gmc_newton_sparse_fits(&p.ncp) && w->sparse_count < PLANS_KEPT)
        p.ncp.hints.memory = w->memory->newton[w->sparse_count++];
    gmc_status status = gmc_rungs_solve(&p.ncp, w->options, &p.solution, w->scratch, &report);
    count_work(w, &p.ncp, report.iterations);
    if (report.iterations > *iterations) *iterations = report.iterations;
    if (!(report.residual <= w->report->residual)) w->report->residual = report.residual;
    if (report.rung > w->report->rung) w->report->rung = report.rung;
    if (status == GMC_OK) scatter_part(w, island, &p);
    gmc_arena_reset(w->scratch, mark);
    return status;
}

// ---- all of them -------------------------------------------------------------------------------

static gmc_status islands_make_room(islands *w)
{
    const gmc_ncp *problem = w->problem;
    int n = problem->dof_count, blocks = problem->block_count;
    int contacts = problem->contact_count, rows = problem->row_count;
    int *k = GMC_ROOM(w->scratch, n + 7 * blocks, int);
    double *x = GMC_ROOM(w->scratch, n + 3 * contacts + rows, double);
    w->is_done = GMC_NEW(w->scratch, blocks, bool);
    w->groups = GMC_ROOM(w->scratch, problem->group_count, island_member);
    w->rows = GMC_ROOM(w->scratch, rows, island_member);
    if (!k || !x || !w->is_done || !w->groups || !w->rows) return GMC_E_ARENA_FULL;
    w->block_of = k;
    int **lists[] = {&w->parent,     &w->next,      &w->local,   &w->first_group,
                     &w->last_group, &w->first_row, &w->last_row};
    k += n;
    for (int i = 0; i < GMC_COUNT(lists); i++, k += blocks)
        *lists[i] = k;
    w->trial = (gmc_ncp_solution){.v = x, .r = x + n, .s = x + n + 3 * contacts};
    return GMC_OK;
}

static void copy_solution(const gmc_ncp *problem, const gmc_ncp_solution *from,
                          const gmc_ncp_solution *to)
{
    memcpy(to->v, from->v, (size_t)problem->dof_count * sizeof(double));
    memcpy(to->r, from->r, 3 * (size_t)problem->contact_count * sizeof(double));
    memcpy(to->s, from->s, (size_t)problem->row_count * sizeof(double));
}

/// Where a contact is left out its warm impulse is zero, or below and meant as that.
static void clear_those_apart(islands *w)
{
    for (int i = 0; i < w->problem->group_count; i++) {
        const gmc_ncp_group *group = &w->problem->groups[i];
        if (w->groups[i].is_apart)
            memset(w->trial.r + 3 * group->contact_first, 0,
                   3 * (size_t)group->contact_count * sizeof(double));
    }
}

static gmc_status solve_all(islands *w, const gmc_ncp_solution *warm)
{
    GMC_TRY(islands_make_room(w));
    copy_solution(w->problem, warm, &w->trial);
    find_islands(w, warm);
    for (bool is_new = true; is_new; is_new = join_those_that_close(w)) {
        int iterations = 0;
        if (w->memory && w->report->iterations > 0) w->memory->counts.merged++;
        list_islands(w);
        clear_those_apart(w);
        w->sparse_count = 0;
        for (int b = 0; b < w->problem->block_count; b++) {
            if (w->parent[b] != b || w->is_done[b]) continue;
            GMC_TRY(solve_island(w, b, &iterations));
            w->is_done[b] = true;
        }
        w->report->iterations += iterations;
    }
    return GMC_OK;
}

gmc_status gmc_islands_solve(const gmc_ncp *problem, gmc_islands_memory *memory,
                             const gmc_rungs_options *options, gmc_ncp_solution *solution,
                             gmc_arena *scratch, gmc_rungs_report *report)
{
    size_t mark = gmc_arena_mark(scratch);
    *report = (gmc_rungs_report){0};
    islands w = {.problem = problem,
                 .options = options,
                 .memory = memory,
                 .scratch = scratch,
                 .report = report};
    gmc_status status = solve_all(&w, solution);
    if (status == GMC_OK)
        copy_solution(problem, &w.trial, solution);
    else
        report->rung = 0;
    gmc_arena_reset(scratch, mark);
    return status;
}

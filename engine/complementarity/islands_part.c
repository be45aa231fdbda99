// One island gathered into a problem of its own, and its solution given back.

#include "engine/complementarity/islands_internal.h"

#include <string.h>

/// Number of columns that groups and rows need.
static int count_part(gmc_islands *w, int island, gmc_ncp *ncp)
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

static gmc_status make_room(gmc_islands *w, int island, gmc_islands_part *p)
{
    *p = (gmc_islands_part){0};
    int column_count = count_part(w, island, &p->ncp);
    size_t n = (size_t)p->ncp.dof_count, contacts = (size_t)p->ncp.contact_count;
    size_t rows = (size_t)p->ncp.row_count, blocks = (size_t)p->ncp.block_count;
    double *x = gmc_arena_room(
        w->scratch, n * ((size_t)p->ncp.mass_width + 2) + 3 * contacts + rows, sizeof *x);
    int *k = gmc_arena_room(w->scratch, blocks + 1 + (size_t)column_count, sizeof *k);
    p->contacts = gmc_arena_room(w->scratch, contacts, sizeof *p->contacts);
    p->groups = gmc_arena_room(w->scratch, (size_t)p->ncp.group_count, sizeof *p->groups);
    p->rows = gmc_arena_room(w->scratch, rows, sizeof *p->rows);
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

static void gather_motion(const gmc_islands *w, int island, gmc_islands_part *p)
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
static const int *number_columns(const gmc_islands *w, const int *columns, int count, int **room)
{
    int *made = *room;
    for (int k = 0; k < count; k++) {
        int b = w->block_of[columns[k]];
        made[k] = columns[k] - w->problem->block_start[b] + w->local[b];
    }
    *room = made + count;
    return made;
}

static void gather_law(const gmc_islands *w, int island, gmc_islands_part *p)
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

gmc_status gmc_islands_part_make(gmc_islands *w, int island, gmc_islands_part *p)
{
    GMC_TRY(make_room(w, island, p));
    gather_motion(w, island, p);
    gather_law(w, island, p);
    return GMC_OK;
}

void gmc_islands_part_scatter(const gmc_islands *w, int island, const gmc_islands_part *p)
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

#include "engine/complementarity/dual_ncp.h"

#include "engine/math/dense.h"

#include <string.h>

// Each row of J costs one solve with the factors of M and one product with every other row; blocks
// between bodies that do not feel each other come out as exact zeros and are left out.

// ---- rows of J ---------------------------------------------------------------------------------

typedef struct jacobian_row {
    int column_count, step; ///< values are J[step * k]
    const int *columns;
    const double *J;
    double bias, compliance;
} jacobian_row;

/// J of all contacts, 3 values per column and dof_count columns kept for each.
static void write_jacobians(const gmc_ncp *problem, double *J, int *group_of)
{
    for (int i = 0; i < problem->group_count; i++) {
        const gmc_ncp_group *group = &problem->groups[i];
        for (int c = group->contact_first; c < group->contact_first + group->contact_count; c++) {
            group_of[c] = i;
            for (int k = 0; k < group->column_count; k++)
                gmc_ncp_contact_column(
                    group, &problem->contacts[c], k,
                    J + 3 * ((size_t)c * (size_t)problem->dof_count + (size_t)k));
        }
    }
}

/// Component i of all units; false for one that only fills a unit up.
static bool row_of(const gmc_dual_ncp *pair, int i, jacobian_row *row)
{
    const gmc_ncp *problem = pair->problem;
    int first = 3 * problem->contact_count;
    if (i < first) {
        const gmc_ncp_contact *c = &problem->contacts[i / 3];
        const gmc_ncp_group *group = &problem->groups[pair->group_of[i / 3]];
        const double *J = pair->J + 3 * (size_t)(i / 3) * (size_t)problem->dof_count;
        *row = (jacobian_row){group->column_count, 3,
                              group->columns,      J + i % 3,
                              c->bias[i % 3],      i % 3 == 0 ? c->compliance_n : c->compliance_t};
        return true;
    }
    if (i - first >= problem->row_count) return false;
    const gmc_ncp_row *r = &problem->rows[i - first];
    *row = (jacobian_row){r->column_count, 1, r->columns, r->J, r->bias, r->compliance};
    return true;
}

static double row_dot(const jacobian_row *row, const double *x)
{
    double sum = 0;
    for (int k = 0; k < row->column_count; k++)
        sum += row->J[row->step * k] * x[row->columns[k]];
    return sum;
}

// ---- writing it down ---------------------------------------------------------------------------

static void write_laws(const gmc_ncp *problem, int unit_count, gmc_dual_unit *units)
{
    for (int c = 0; c < problem->contact_count; c++)
        units[c] = (gmc_dual_unit){.friction = problem->contacts[c].friction};
    for (int c = problem->contact_count; c < unit_count; c++) {
        units[c] = (gmc_dual_unit){.is_box = true};
        for (int i = 0; i < 3; i++) {
            int row = 3 * (c - problem->contact_count) + i;
            if (row >= problem->row_count) continue;
            units[c].lower[i] = problem->rows[row].lower;
            units[c].upper[i] = problem->rows[row].upper;
        }
    }
}

/// v* and the rows of (M⁻¹ Jᵀ)ᵀ
static bool respond(gmc_dual_ncp *pair, gmc_mat M, int *last, double *inverse_d)
{
    const gmc_ncp *problem = pair->problem;
    size_t n = (size_t)problem->dof_count;
    for (int b = 0; b < problem->block_count; b++) { // M came zeroed
        size_t stride, from = (size_t)problem->block_start[b];
        size_t width = (size_t)problem->block_start[b + 1] - from;
        const double *block = gmc_ncp_mass_block(problem, b, &stride);
        for (size_t i = 0; i < width; i++)
            memcpy(M.x + (from + i) * (size_t)M.stride + from, block + i * stride,
                   width * sizeof(double));
    }
    if (!gmc_mat_ldlt_factor(M, last, inverse_d)) return false;
    memcpy(pair->v_free, problem->momentum, n * sizeof(double));
    gmc_mat_ldlt_solve(M, last, inverse_d, pair->v_free);
    for (int i = 0; i < 3 * pair->dual.unit_count; i++) {
        jacobian_row row;
        double *x = pair->response + (size_t)i * n; // zeroed by the arena
        if (!row_of(pair, i, &row)) continue;
        for (int k = 0; k < row.column_count; k++)
            x[row.columns[k]] = row.J[row.step * k];
        gmc_mat_ldlt_solve(M, last, inverse_d, x);
    }
    return true;
}

/// One block of W; false if it is zero.
static bool write_block(const gmc_dual_ncp *pair, int c, int d, double W[9])
{
    size_t n = (size_t)pair->problem->dof_count;
    bool is_zero = c != d;
    for (int i = 0; i < 3; i++) {
        jacobian_row row;
        bool is_real = row_of(pair, 3 * c + i, &row);
        for (int j = 0; j < 3; j++) {
            W[3 * i + j] = is_real ? row_dot(&row, pair->response + (size_t)(3 * d + j) * n) : 0;
            if (W[3 * i + j] != 0) is_zero = false;
        }
        if (c == d) W[4 * i] += is_real ? row.compliance : 1;
    }
    return !is_zero;
}

gmc_status gmc_dual_ncp_create(const gmc_ncp *problem, gmc_arena *room, gmc_dual_ncp *pair)
{
    int count = gmc_dual_ncp_units(problem->contact_count, problem->row_count);
    int dofs = problem->dof_count, stride = gmc_mat_stride(dofs);
    size_t n = (size_t)dofs, units = (size_t)count;
    gmc_dual_unit *laws = GMC_NEW(room, units, gmc_dual_unit);
    int *start = GMC_NEW(room, units + 1, int);
    int *other = GMC_NEW(room, units * units, int);
    double *W = GMC_NEW(room, 9 * units * units, double);
    double *q = GMC_NEW(room, 3 * units, double);
    pair->problem = problem;
    pair->v_free = GMC_NEW(room, n, double);
    pair->J = GMC_ROOM(room, 3 * (size_t)problem->contact_count * n, double);
    pair->group_of = GMC_ROOM(room, problem->contact_count, int);
    pair->response = GMC_NEW(room, 3 * units * n, double);
    double *M = GMC_NEW(room, n * (size_t)stride + n, double);
    int *last = GMC_NEW(room, n, int);
    if (!laws || !start || !other || !W || !q || !pair->v_free || !pair->J || !pair->group_of ||
        !pair->response || !M || !last)
        return GMC_E_ARENA_FULL;
    pair->dual = (gmc_dual){count, laws, start, other, W, q};
    gmc_mat M_view = {M, dofs, dofs, stride};
    write_jacobians(problem, pair->J, pair->group_of);
    if (!respond(pair, M_view, last, M + n * (size_t)stride)) return GMC_E_NO_SOLUTION;

    write_laws(problem, count, laws);
    int blocks = 0;
    for (int c = 0; c < count; c++) {
        for (int d = 0; d < count; d++)
            if (write_block(pair, c, d, W + 9 * (size_t)blocks)) other[blocks++] = d;
        start[c + 1] = blocks;
    }
    for (int i = 0; i < 3 * count; i++) {
        jacobian_row row;
        if (row_of(pair, i, &row)) q[i] = row_dot(&row, pair->v_free) + row.bias;
    }
    return GMC_OK;
}

// ---- there and back ----------------------------------------------------------------------------

void gmc_dual_ncp_gather(const gmc_dual_ncp *pair, const gmc_ncp_solution *solution, double *r)
{
    size_t contacts = 3 * (size_t)pair->problem->contact_count;
    size_t rows = (size_t)pair->problem->row_count;
    memset(r, 0, 3 * (size_t)pair->dual.unit_count * sizeof(double));
    memcpy(r, solution->r, contacts * sizeof(double));
    memcpy(r + contacts, solution->s, rows * sizeof(double));
}

void gmc_dual_ncp_spread(const gmc_dual_ncp *pair, const double *r, gmc_ncp_solution *solution)
{
    size_t n = (size_t)pair->problem->dof_count;
    size_t contacts = 3 * (size_t)pair->problem->contact_count;
    size_t rows = (size_t)pair->problem->row_count;
    memcpy(solution->v, pair->v_free, n * sizeof(double));
    for (size_t j = 0; j < contacts + rows; j++) {
        const double *column = pair->response + j * n;
        if (r[j] == 0) continue;
        for (size_t i = 0; i < n; i++)
            solution->v[i] += column[i] * r[j];
    }
    // where all are rows, the caller has no place for contacts
    if (contacts > 0) memcpy(solution->r, r, contacts * sizeof(double));
    if (rows > 0) memcpy(solution->s, r + contacts, rows * sizeof(double));
}

// ---- in the units of solvers -------------------------------------------------------------------

gmc_status gmc_dual_ncp_normal_create(const gmc_ncp *problem, const gmc_ncp_solution *start,
                                      gmc_arena *room, gmc_dual_ncp_normal *made)
{
    GMC_TRY(gmc_dual_ncp_create(problem, room, &made->pair));
    GMC_TRY(gmc_dual_scale(&made->pair.dual, room, &made->scales));
    GMC_TRY(gmc_dual_normalise(&made->pair.dual, &made->scales, room, &made->normal));
    size_t size = 3 * (size_t)made->normal.unit_count;
    made->x = GMC_NEW(room, size, double);
    made->r = GMC_NEW(room, size, double);
    if (!made->x || !made->r) return GMC_E_ARENA_FULL;
    gmc_dual_ncp_gather(&made->pair, start, made->r);
    for (size_t i = 0; i < size; i++)
        made->x[i] = made->r[i] * sqrt(made->scales.weight[i]) / made->scales.size;
    return GMC_OK;
}

double gmc_dual_ncp_normal_judge(const gmc_dual_ncp_normal *made, const gmc_ncp_scales *scales,
                                 gmc_ncp_solution *iterate)
{
    for (int i = 0; i < 3 * made->normal.unit_count; i++)
        made->r[i] = made->x[i] * made->scales.size / sqrt(made->scales.weight[i]);
    gmc_dual_ncp_spread(&made->pair, made->r, iterate);
    return gmc_ncp_judge_scaled(made->pair.problem, scales, iterate->v, iterate->r, iterate->s);
}

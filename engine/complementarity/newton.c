#include "engine/complementarity/newton.h"

#include "engine/base/check.h"
#include "engine/complementarity/newton_group.h"
#include "engine/complementarity/newton_sparse.h"
#include "engine/math/dense.h"

#include <string.h>

// One iteration: the law of every contact is linearised (newton_internal.h), its impulse
// eliminated, and
//
//   (M + Σ Jᵀ G J) dv = -g - Σ Jᵀ h,   dr = -h - G J dv
//
// H is symmetric but for sliding contacts, so LDLᵀ does where nothing slides (nearly all steps of a
// grasp) and LU elsewhere; symmetrising H would keep LDLᵀ and lose the quadratic convergence that
// makes 1.2 iterations per step possible.
//
// J v is carried along (u += t J dv) instead of being multiplied out again, and after a full step g
// is zero but for rounding: g -> (1 - t) g. The judge recomputes both from nothing.

enum { HALVINGS_MAX = 8 };           ///< SOLVERS.md §4.2
static const double DECREASE = 1e-4; ///< fraction of the linear decrease asked of a step

typedef struct newton {
    const gmc_ncp *problem;
    const gmc_ncp_scales *scales;
    gmc_newton_form form;
    gmc_newton_cone *cones;
    gmc_newton_clamp *clamps;
    gmc_mat H;
    double *right, *left;       ///< (6 x dof_count) K S and Kᵀ S of one group
    double *g, *dv;             ///< (dof_count)
    double *r_flat, *s_flat;    ///< copies of the impulses in the problem's layout
    double *inverse_d, *weight; ///< (dof_count)
    int *last, *pivot;          ///< (dof_count)
    double *v;                  ///< the iterate's
    gmc_newton_sparse *sparse;  ///< NULL: H is dense
    gmc_status status;          ///< of the last sparse system
} newton;

// ---- room -------------------------------------------------------------------------------------

size_t gmc_newton_bytes(int dof_count, int contact_count, int row_count)
{
    size_t n = (size_t)dof_count, stride = (size_t)gmc_mat_stride(dof_count);
    size_t nc = (size_t)contact_count, nr = (size_t)row_count;
    size_t doubles = n * stride + 16 * n + 3 * nc + nr;
    return nc * sizeof(gmc_newton_cone) + nr * sizeof(gmc_newton_clamp) + doubles * sizeof(double) +
           2 * n * sizeof(int) + (size_t)4 * 64;
}

static gmc_status make_room(newton *w, gmc_arena *scratch)
{
    size_t n = (size_t)w->problem->dof_count, stride = (size_t)gmc_mat_stride((int)n);
    size_t nc = (size_t)w->problem->contact_count, nr = (size_t)w->problem->row_count;
    if (gmc_newton_sparse_fits(w->problem)) {
        GMC_TRY(gmc_newton_sparse_create(w->problem, scratch, &w->sparse));
        stride = 0; // no dense H and no block of it
    }
    w->cones = gmc_arena_room(scratch, nc, sizeof(gmc_newton_cone));
    w->clamps = gmc_arena_room(scratch, nr, sizeof(gmc_newton_clamp));
    double *x = gmc_arena_room(scratch, n * stride + 16 * n + 3 * nc + nr, sizeof *x);
    w->last = gmc_arena_room(scratch, 2 * n, sizeof(int));
    if (!w->cones || !w->clamps || !x || !w->last) return GMC_E_ARENA_FULL;
    w->pivot = w->last + n;
    w->H = (gmc_mat){x, (int)n, (int)n, (int)stride};
    w->right = x + n * stride;
    w->left = w->right + 6 * n;
    x = w->left + 6 * n;
    w->g = x;
    w->dv = x + n;
    w->inverse_d = x + 2 * n;
    w->weight = x + 3 * n;
    w->r_flat = x + 4 * n;
    w->s_flat = w->r_flat + 3 * nc;
    return GMC_OK;
}

// ---- start ------------------------------------------------------------------------------------

/// The primal form is the primal-dual one with ρ = 1/R, where y no longer depends on r.
static void start(newton *w, const gmc_ncp_solution *iterate)
{
    const gmc_ncp *problem = w->problem;
    bool is_primal = w->form == GMC_NEWTON_PRIMAL;
    w->v = iterate->v;
    for (int i = 0; i < problem->group_count; i++) {
        const gmc_ncp_group *group = &problem->groups[i];
        double V[6];
        gmc_ncp_group_velocity(group, w->v, V);
        for (int c = group->contact_first; c < group->contact_first + group->contact_count; c++)
            gmc_newton_open_cone(&problem->contacts[c], is_primal ? 0 : w->scales->contact[c], V,
                                 iterate->r + 3 * c, &w->cones[c]);
    }
    for (int i = 0; i < problem->row_count; i++)
        gmc_newton_open_clamp(&problem->rows[i], is_primal ? 0 : w->scales->row[i], w->v,
                              iterate->s[i], &w->clamps[i]);
}

// ---- the law, linearised ----------------------------------------------------------------------

/// @return whether H will be symmetric
static bool linearise(newton *w)
{
    bool is_symmetric = true;
    for (int c = 0; c < w->problem->contact_count; c++) {
        gmc_newton_linearise_cone(&w->cones[c]);
        if (w->cones[c].is_sliding) is_symmetric = false;
    }
    for (int i = 0; i < w->problem->row_count; i++)
        gmc_newton_linearise_clamp(&w->clamps[i]);
    return is_symmetric;
}

// ---- the linear system ------------------------------------------------------------------------

static void assemble_mass(newton *w)
{
    const gmc_ncp *problem = w->problem;
    size_t n = (size_t)problem->dof_count, stride = (size_t)w->H.stride, stride_m;
    memset(w->H.x, 0, n * stride * sizeof(double));
    for (int block = 0; block < problem->block_count; block++) {
        size_t from = (size_t)problem->block_start[block];
        size_t width = (size_t)problem->block_start[block + 1] - from;
        const double *row = gmc_ncp_mass_block(problem, block, &stride_m);
        for (size_t i = from; i < from + width; i++, row += stride_m)
            memcpy(w->H.x + i * stride + from, row, width * sizeof(double));
    }
}

/// dv -= Jᵀ h of the contacts
static void gather_forces(newton *w)
{
    const gmc_ncp *problem = w->problem;
    for (int i = 0; i < problem->group_count; i++) {
        const gmc_ncp_group *group = &problem->groups[i];
        double F[6] = {0};
        for (int c = group->contact_first; c < group->contact_first + group->contact_count; c++)
            gmc_ncp_contact_wrench(&problem->contacts[c], w->cones[c].h, F);
        gmc_ncp_group_push(group, F, w->dv);
    }
}

/// H += Sᵀ K S: the upper triangle, or all of it.
static void assemble_group(newton *w, const gmc_ncp_group *group, const double K[36],
                           bool is_symmetric)
{
    const double *S = group->S;
    const int *columns = group->columns;
    int count = group->general_count, stride = w->H.stride;
    double *H = w->H.x, *right = w->right, *left = is_symmetric ? right : w->left;
    gmc_newton_group_multiply(group, K, is_symmetric, right);
    if (!is_symmetric) gmc_newton_group_multiply(group, K, true, left);
    for (int k = 0; k < count; k++)
        for (int l = is_symmetric ? k : 0; l < count; l++) {
            int i = columns[k], j = columns[l];
            double *at = is_symmetric && i > j ? H + j * stride + i : H + i * stride + j;
            *at += gmc_newton_group_dot(S + 6 * k, right + 6 * l);
        }
    if (group->column_count == count) return;

    int unit = columns[count];
    for (int i = 0; i < 6; i++) {
        double *row = H + (unit + i) * stride + unit;
        for (int j = is_symmetric ? i : 0; j < 6; j++)
            row[j] += K[6 * i + j];
    }
    for (int k = 0; k < count; k++) {
        bool is_before = columns[k] < unit;
        double *row = H + columns[k] * stride + unit, *column = H + unit * stride + columns[k];
        for (int i = 0; i < 6 && (is_before || !is_symmetric); i++)
            row[i] += group->sign * left[6 * k + i];
        for (int i = 0; i < 6 && (!is_before || !is_symmetric); i++)
            column[i * stride] += group->sign * right[6 * k + i];
    }
}

static void assemble_contacts(newton *w, bool is_symmetric)
{
    const gmc_ncp *problem = w->problem;
    for (int i = 0; i < problem->group_count; i++) {
        double K[36];
        if (gmc_newton_group_sum(&problem->groups[i], problem->contacts, w->cones, K))
            assemble_group(w, &problem->groups[i], K, is_symmetric);
    }
}

static void assemble_rows(newton *w)
{
    for (int i = 0; i < w->problem->row_count; i++) {
        const gmc_ncp_row *row = &w->problem->rows[i];
        const gmc_newton_clamp *c = &w->clamps[i];
        for (int k = 0; k < row->column_count; k++) {
            double *H_row = w->H.x + row->columns[k] * w->H.stride;
            w->dv[row->columns[k]] -= row->J[k] * c->h;
            for (int j = 0; j < row->column_count; j++)
                H_row[row->columns[j]] += c->g * row->J[k] * row->J[j];
        }
    }
}

/// The same with H in blocks: dv -= Jᵀ h, dv := H⁻¹ dv.
static bool solve_sparse(newton *w, bool is_symmetric)
{
    for (int i = 0; i < w->problem->row_count; i++) {
        const gmc_ncp_row *row = &w->problem->rows[i];
        for (int k = 0; k < row->column_count; k++)
            w->dv[row->columns[k]] -= row->J[k] * w->clamps[i].h;
    }
    w->status = gmc_newton_sparse_solve(w->sparse, w->cones, w->clamps, w->scales->inverse_mass,
                                        is_symmetric, w->dv);
    return w->status == GMC_OK;
}

/// dv := H⁻¹ (-g - Jᵀ h)
static bool solve_linear(newton *w, bool is_symmetric)
{
    int n = w->problem->dof_count;
    for (int i = 0; i < n; i++)
        w->dv[i] = -w->g[i];
    gather_forces(w);
    if (w->sparse) return solve_sparse(w, is_symmetric);
    assemble_mass(w);
    assemble_contacts(w, is_symmetric);
    assemble_rows(w);
    if (is_symmetric) {
        if (!gmc_mat_ldlt_factor(w->H, w->last, w->inverse_d)) return false;
        gmc_mat_ldlt_solve(w->H, w->last, w->inverse_d, w->dv);
        return true;
    }
    memcpy(w->weight, w->scales->inverse_mass, (size_t)n * sizeof(double));
    if (!gmc_mat_lu_factor(w->H, w->weight, w->pivot, w->last, w->inverse_d)) return false;
    gmc_mat_lu_solve(w->H, w->pivot, w->last, w->inverse_d, w->dv);
    return true;
}

/// dr = -h - G du
static void answer_of(gmc_newton_cone *c)
{
    const double *d = c->du;
    for (int k = 0; k < 3; k++)
        c->dr[k] = -c->h[k];
    if (c->is_open) return;
    c->dr[0] -= c->g_n * d[0];
    c->dr[1] -= c->g_tn[0] * d[0] + c->g_tt[0] * d[1] + c->g_tt[1] * d[2];
    c->dr[2] -= c->g_tn[1] * d[0] + c->g_tt[1] * d[1] + c->g_tt[2] * d[2];
}

/// du = J dv, dr = -h - G du
static void find_changes(newton *w)
{
    const gmc_ncp *problem = w->problem;
    for (int i = 0; i < problem->group_count; i++) {
        const gmc_ncp_group *group = &problem->groups[i];
        double V[6];
        gmc_ncp_group_velocity(group, w->dv, V);
        for (int c = group->contact_first; c < group->contact_first + group->contact_count; c++) {
            gmc_ncp_contact_at(&problem->contacts[c], V, w->cones[c].du);
            answer_of(&w->cones[c]);
        }
    }
    for (int i = 0; i < w->problem->row_count; i++) {
        gmc_newton_clamp *c = &w->clamps[i];
        c->du = gmc_ncp_row_velocity(&w->problem->rows[i], w->dv);
        c->ds = -c->h - c->g * c->du;
    }
}

// ---- merit and step length --------------------------------------------------------------------

static double momentum_merit(const newton *w)
{
    double sum = 0;
    for (int i = 0; i < w->problem->dof_count; i++)
        sum += w->g[i] * w->g[i] * w->scales->inverse_mass[i];
    return sum;
}

/// Merit of the law's equations at step length t.
static double law_merit(const newton *w, double t)
{
    double sum = 0;
    for (int i = 0; i < w->problem->contact_count; i++)
        sum += gmc_newton_cone_merit(&w->cones[i], t);
    for (int i = 0; i < w->problem->row_count; i++)
        sum += gmc_newton_clamp_merit(&w->clamps[i], t);
    return sum;
}

static void take_step(newton *w, double t)
{
    for (int i = 0; i < w->problem->dof_count; i++) {
        w->v[i] += t * w->dv[i];
        w->g[i] *= 1 - t;
    }
    for (int i = 0; i < w->problem->contact_count; i++) {
        gmc_newton_cone *c = &w->cones[i];
        for (int k = 0; k < 3; k++) {
            c->u[k] += t * c->du[k];
            c->r[k] += t * c->dr[k];
        }
    }
    for (int i = 0; i < w->problem->row_count; i++) {
        gmc_newton_clamp *c = &w->clamps[i];
        c->u += t * c->du;
        c->s += t * c->ds;
    }
}

/// Impulses of the law at J v + b + t du alone (primal form), and their defect of momentum.
static double primal_merit(newton *w, double t)
{
    const gmc_ncp *problem = w->problem;
    for (int i = 0; i < problem->contact_count; i++) {
        const gmc_newton_cone *c = &w->cones[i];
        double y[3] = {-(c->u[0] + t * c->du[0]) * c->k_n, -(c->u[1] + t * c->du[1]) * c->k_t,
                       -(c->u[2] + t * c->du[2]) * c->k_t};
        gmc_ncp_project(y, c->friction, w->r_flat + 3 * i);
    }
    for (int i = 0; i < problem->row_count; i++) {
        const gmc_newton_clamp *c = &w->clamps[i];
        w->s_flat[i] = gmc_ncp_clamp(-(c->u + t * c->du) * c->k, c->lower, c->upper);
    }
    for (int i = 0; i < problem->dof_count; i++)
        w->v[i] += t * w->dv[i];
    gmc_ncp_defect(problem, w->v, w->r_flat, w->s_flat, w->g);
    for (int i = 0; i < problem->dof_count; i++)
        w->v[i] -= t * w->dv[i];
    return momentum_merit(w);
}

static double merit_at(newton *w, double t)
{
    if (w->form == GMC_NEWTON_PRIMAL) return primal_merit(w, t);
    return (1 - t) * (1 - t) * momentum_merit(w) + law_merit(w, t);
}

/// Primal form: r(v) becomes the iterate's r, and g its defect.
static void adopt_primal(newton *w)
{
    (void)primal_merit(w, 0);
    for (int i = 0; i < w->problem->contact_count; i++)
        for (int k = 0; k < 3; k++)
            w->cones[i].r[k] = w->r_flat[3 * i + k];
    for (int i = 0; i < w->problem->row_count; i++)
        w->clamps[i].s = w->s_flat[i];
}

// ---- the iteration ----------------------------------------------------------------------------

static double first_merit(newton *w, const gmc_ncp_solution *iterate)
{
    if (w->form == GMC_NEWTON_PRIMAL) {
        adopt_primal(w);
        return momentum_merit(w);
    }
    for (int i = 0; i < w->problem->row_count; i++)
        w->s_flat[i] = w->clamps[i].s;
    gmc_ncp_defect(w->problem, w->v, iterate->r, w->s_flat, w->g);
    return merit_at(w, 0);
}

/// One linear system and one search along its solution. When the search ends without a decrease its
/// last step is taken all the same: a cycle is left more often than the merit is spoilt.
/// @return the merit afterwards, NaN if the system is singular
static double iterate_once(newton *w, double merit, double enough)
{
    if (!solve_linear(w, linearise(w))) return NAN;
    find_changes(w);
    double t = 1, next = merit_at(w, 1);
    for (int i = 0; i < HALVINGS_MAX; i++) {
        if (next <= enough || next < (1 - DECREASE * t) * merit) break;
        t *= 0.5;
        next = merit_at(w, t);
    }
    take_step(w, t);
    if (w->form == GMC_NEWTON_PRIMAL) adopt_primal(w);
    return next;
}

/// r := P(r - ρ w): the same to within the residual, and inside the cone to rounding.
static void finish(newton *w, gmc_ncp_solution *iterate)
{
    for (int i = 0; i < w->problem->contact_count; i++) {
        const gmc_newton_cone *c = &w->cones[i];
        double y[3] = {c->r[0] - c->rho_n * (c->u[0] + c->R_n * c->r[0]),
                       c->r[1] - c->rho_t * (c->u[1] + c->R_t * c->r[1]),
                       c->r[2] - c->rho_t * (c->u[2] + c->R_t * c->r[2])};
        gmc_ncp_project(y, c->friction, iterate->r + 3 * i);
    }
    for (int i = 0; i < w->problem->row_count; i++) {
        const gmc_newton_clamp *c = &w->clamps[i];
        double y = c->s - c->rho * (c->u + c->R * c->s);
        iterate->s[i] = gmc_ncp_clamp(y, c->lower, c->upper);
    }
}

gmc_status gmc_newton_solve(const gmc_ncp *problem, const gmc_ncp_scales *scales,
                            const gmc_newton_options *options, gmc_ncp_solution *iterate,
                            gmc_arena *scratch, gmc_newton_result *result)
{
    GMC_ASSERT(options->iteration_max > 0);
    size_t mark = gmc_arena_mark(scratch);
    newton w = {.problem = problem, .scales = scales, .form = options->form};
    *result = (gmc_newton_result){.residual = NAN};
    gmc_status status = make_room(&w, scratch);
    if (status != GMC_OK) {
        gmc_arena_reset(scratch, mark);
        return status;
    }
    start(&w, iterate);

    double merit = first_merit(&w, iterate);
    double enough = options->tolerance * scales->momentum;
    enough *= enough;
    bool is_solved = false;
    while (!is_solved && result->iterations < options->iteration_max) {
        result->iterations++;
        merit = iterate_once(&w, merit, enough);
        if (!(merit < HUGE_VAL)) break; // singular, or not finite
        is_solved = merit <= enough;
    }
    finish(&w, iterate);
    result->residual = sqrt(merit) / scales->momentum;
    gmc_arena_reset(scratch, mark);
    if (w.status != GMC_OK) return w.status;
    return is_solved ? GMC_OK : GMC_E_NO_SOLUTION;
}

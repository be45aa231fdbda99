#include "engine/complementarity/newton.h"

#include "engine/base/check.h"
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
    double *block;           ///< (dof_count x stride) one group of contacts with the same columns
    double *product[3];      ///< (stride) rows of G J
    double *g, *dv;          ///< (dof_count)
    double *r_flat, *s_flat; ///< copies of the impulses in the problem's layout
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
    size_t doubles = 2 * n * stride + 3 * stride + 4 * n + 3 * nc + nr;
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
    double *x =
        gmc_arena_room(scratch, 2 * n * stride + 3 * stride + 4 * n + 3 * nc + nr, sizeof *x);
    w->last = gmc_arena_room(scratch, 2 * n, sizeof(int));
    if (!w->cones || !w->clamps || !x || !w->last) return GMC_E_ARENA_FULL;
    w->pivot = w->last + n;
    w->H = (gmc_mat){x, (int)n, (int)n, (int)stride};
    w->block = x + n * stride;
    x = w->block + n * stride;
    for (int i = 0; i < 3; i++, x += stride)
        w->product[i] = x;
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
    for (int c = 0; c < problem->contact_count; c++)
        gmc_newton_open_cone(&problem->contacts[c], is_primal ? 0 : w->scales->contact[c], w->v,
                             iterate->r + 3 * c, &w->cones[c]);
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

/// dv -= Jᵀ h
static void gather_force(const gmc_ncp_contact *contact, const gmc_newton_cone *c, double *dv)
{
    const double *J = contact->J, h0 = c->h[0], h1 = c->h[1], h2 = c->h[2];
    for (int k = 0; k < contact->column_count; k++, J += 3)
        dv[contact->columns[k]] -= J[0] * h0 + J[1] * h1 + J[2] * h2;
}

static void multiply_slope(const gmc_ncp_contact *contact, const gmc_newton_cone *c,
                           double *const product[3])
{
    const double *J = contact->J;
    for (int k = 0; k < contact->column_count; k++, J += 3) {
        product[0][k] = c->g_n * J[0];
        product[1][k] = c->g_tn[0] * J[0] + c->g_tt[0] * J[1] + c->g_tt[1] * J[2];
        product[2][k] = c->g_tn[1] * J[0] + c->g_tt[1] * J[1] + c->g_tt[2] * J[2];
    }
}

/// block += Jᵀ (G J): the upper triangle, or all of it. Two rows at a time: what is loaded of G J
/// serves both.
static void add_outer(const double *restrict J, const double *restrict p0,
                      const double *restrict p1, const double *restrict p2, int width, int stride,
                      bool is_symmetric, double *restrict block)
{
    int i = 0;
    for (; i + 1 < width; i += 2, J += 6, block += 2 * stride) {
        double a = J[0], b = J[1], c = J[2], d = J[3], e = J[4], f = J[5];
        double *restrict next = block + stride;
        for (int j = is_symmetric ? i : 0; j < width; j += 2) {
            block[j] += a * p0[j] + b * p1[j] + c * p2[j];
            block[j + 1] += a * p0[j + 1] + b * p1[j + 1] + c * p2[j + 1];
            next[j] += d * p0[j] + e * p1[j] + f * p2[j];
            next[j + 1] += d * p0[j + 1] + e * p1[j + 1] + f * p2[j + 1];
        }
    }
    for (int j = is_symmetric ? i : 0; i < width && j < width; j++)
        block[j] += J[0] * p0[j] + J[1] * p1[j] + J[2] * p2[j];
}

static void scatter_block(newton *w, const gmc_ncp_contact *contact, bool is_symmetric)
{
    int width = contact->column_count, stride = gmc_mat_stride(width);
    for (int i = 0; i < width; i++) {
        double *row = w->H.x + contact->columns[i] * w->H.stride;
        const double *from = w->block + i * stride;
        for (int j = is_symmetric ? i : 0; j < width; j++)
            row[contact->columns[j]] += from[j];
    }
}

/// Contacts that share their columns are summed in a small dense block and scattered once.
static void assemble_contacts(newton *w, bool is_symmetric)
{
    const gmc_ncp_contact *contacts = w->problem->contacts;
    int count = w->problem->contact_count;
    for (int first = 0, end; first < count; first = end) {
        int width = contacts[first].column_count, stride = gmc_mat_stride(width);
        bool is_empty = true;
        for (end = first; end < count && contacts[end].columns == contacts[first].columns; end++) {
            const gmc_newton_cone *c = &w->cones[end];
            gather_force(&contacts[end], c, w->dv);
            if (c->is_open) continue;
            if (is_empty) memset(w->block, 0, (size_t)(width * stride) * sizeof(double));
            is_empty = false;
            multiply_slope(&contacts[end], c, w->product);
            add_outer(contacts[end].J, w->product[0], w->product[1], w->product[2], width, stride,
                      is_symmetric, w->block);
        }
        if (!is_empty) scatter_block(w, &contacts[first], is_symmetric);
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
    for (int c = 0; c < w->problem->contact_count; c++)
        gather_force(&w->problem->contacts[c], &w->cones[c], w->dv);
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

/// du = J dv, dr = -h - G du
static void find_changes(newton *w)
{
    for (int i = 0; i < w->problem->contact_count; i++) {
        gmc_newton_cone *c = &w->cones[i];
        gmc_ncp_contact_velocity(&w->problem->contacts[i], w->dv, c->du);
        for (int k = 0; k < 3; k++)
            c->dr[k] = -c->h[k];
        if (c->is_open) continue;
        const double *d = c->du;
        c->dr[0] -= c->g_n * d[0];
        c->dr[1] -= c->g_tn[0] * d[0] + c->g_tt[0] * d[1] + c->g_tt[1] * d[2];
        c->dr[2] -= c->g_tn[1] * d[0] + c->g_tt[1] * d[1] + c->g_tt[2] * d[2];
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

#include "engine/complementarity/inplane.h"

#include "engine/base/check.h"
#include "engine/complementarity/inplane_internal.h"

#include <string.h>

// The iteration of newton.c, its primal-dual form: the law of every contact is a line
// r⁺ = q - G J v⁺, its impulse is eliminated, and
//
//   (M + Σ Jᵀ G J) v⁺ = p* + Σ Jᵀ q
//
// Of what slides along an edge G has one row only, f J_Nᵀ/R_N with f = J_N ± mu J_T: in a plane the
// direction of sliding cannot turn. What is summed there over groups of contacts is summed here
// over rows of all dofs: with few of both that is the shorter way.

enum { HALVINGS_MAX = 8 };           ///< down to 1/256 of a step
static const double DECREASE = 1e-4; ///< fraction of the linear decrease asked of a step
static const double UNKNOWN = -1;    ///< a merit that was not yet asked for
static const double AT_REST = 0.1;   ///< a start this far below the tolerance stays (ladder.c)

// ---- the lines of the laws ----------------------------------------------------------------------

/// @return whether it slides with friction: then H is not symmetric
static bool linearise_edge(gmc_inplane_edge *c)
{
    double radius = c->friction * c->y[0];
    c->tilt = 0;
    if (!(c->y[0] > 0)) {
        c->piece = GMC_INPLANE_OPEN;
        return false;
    }
    bool is_held = radius > 0 && fabs(c->y[1]) <= radius;
    c->piece = is_held ? GMC_INPLANE_STICK : GMC_INPLANE_SLIP;
    if (is_held || !(radius > 0)) return false;
    c->tilt = copysign(c->friction, c->y[1]);
    return true;
}

/// As newton_internal.h's slip, where the normal force stays.
static void linearise_spot(gmc_inplane_spot *c)
{
    double size2 = c->y[0] * c->y[0] + c->y[1] * c->y[1];
    c->is_sliding = !(c->radius > 0) || size2 > c->radius * c->radius;
    if (!(c->radius > 0)) { // nothing presses, or nothing rubs
        c->g[0] = c->g[1] = c->g[2] = c->q[0] = c->q[1] = 0;
        return;
    }
    if (!c->is_sliding) {
        c->g[0] = c->g[2] = c->k;
        c->g[1] = 0;
        c->q[0] = -c->k * c->b[0];
        c->q[1] = -c->k * c->b[1];
        return;
    }
    double inverse_size = 1 / sqrt(size2), f = c->radius * inverse_size;
    double e1 = c->y[0] * inverse_size, e2 = c->y[1] * inverse_size;
    double spread = 1 / (1 - f * (1 - c->rho * c->R)), g = c->rho * f * spread;
    double z1 = c->r[0] - c->radius * e1, z2 = c->r[1] - c->radius * e2;
    double along = e1 * z1 + e2 * z2;
    c->g[0] = g * (1 - e1 * e1);
    c->g[1] = -g * e1 * e2;
    c->g[2] = g * (1 - e2 * e2);
    double h1 = along * e1 + spread * (z1 - along * e1);
    double h2 = along * e2 + spread * (z2 - along * e2);
    c->q[0] = c->r[0] - h1 + c->g[0] * c->u[0] + c->g[1] * c->u[1];
    c->q[1] = c->r[1] - h2 + c->g[1] * c->u[0] + c->g[2] * c->u[1];
}

/// Every law's line; v_next := p* + Jᵀ q.
/// @return whether H is symmetric
static bool linearise(gmc_inplane *w)
{
    bool is_symmetric = true;
    double *x = w->v_next;
    memcpy(x, w->p, (size_t)w->stride * sizeof *x);
    for (int i = 0; i < w->edge_count; i++) {
        gmc_inplane_edge *c = &w->edges[i];
        if (linearise_edge(c)) is_symmetric = false;
        if (c->piece == GMC_INPLANE_OPEN) continue;
        double q = -c->k[0] * c->b[0];
        double q_t = c->piece == GMC_INPLANE_STICK ? -c->k[1] * c->b[1] : c->tilt * q;
        gmc_inplane_edge_push(c, q, q_t, w->stride, x);
    }
    for (int i = 0; i < w->spot_count; i++) {
        linearise_spot(&w->spots[i]);
        gmc_inplane_spot_push(&w->spots[i], w->spots[i].q, x);
    }
    for (int i = 0; i < w->problem->row_count; i++) {
        const gmc_ncp_row *row = &w->problem->rows[i];
        gmc_newton_linearise_clamp(&w->clamps[i]);
        for (int k = 0; k < row->column_count; k++)
            x[row->columns[k]] += row->J[k] * w->clamps[i].q;
    }
    return is_symmetric;
}

// ---- the linear system --------------------------------------------------------------------------

/// y += a x + b z over an even range.
static inline void add_rows(double *restrict y, const double *restrict x, double a,
                            const double *restrict z, double b, int from, int to)
{
    for (int j = from; j < to; j += 2) {
        y[j] += a * x[j] + b * z[j];
        y[j + 1] += a * x[j + 1] + b * z[j + 1];
    }
}

/// H += k_N J_N J_Nᵀ + k_T J_T J_Tᵀ, or f k_N J_Nᵀ; of what is symmetric the upper triangle.
static void add_edge(gmc_inplane *w, const gmc_inplane_edge *c, bool is_symmetric)
{
    int stride = w->stride;
    const double *n = c->J, *t = n + stride;
    double k_n = c->k[0], k_t = c->piece == GMC_INPLANE_STICK ? c->k[1] : 0;
    double *row = w->H;
    for (int i = 0; i < w->n; i++, row += stride) {
        if (n[i] == 0 && t[i] == 0) continue;
        int from = is_symmetric ? i & ~1 : 0;
        add_rows(row, n, k_n * (n[i] + c->tilt * t[i]), t, k_t * t[i], from, stride);
    }
}

static void add_spot(gmc_inplane *w, const gmc_inplane_spot *c, bool is_symmetric)
{
    int stride = w->stride;
    double *x = w->H + c->dof * (stride + 1), *y = x + stride, *z = y + stride;
    double turn_x = c->arm[0] * c->g[1] - c->arm[1] * c->g[0];
    double turn_y = c->arm[0] * c->g[2] - c->arm[1] * c->g[1];
    x[0] += c->g[0];
    x[1] += c->g[1];
    x[2] += turn_x;
    y[1] += c->g[2];
    y[2] += turn_y;
    z[2] += c->arm[0] * turn_y - c->arm[1] * turn_x;
    if (is_symmetric) return;
    y[0] += c->g[1];
    z[0] += turn_x;
    z[1] += turn_y;
}

static void assemble(gmc_inplane *w, bool is_symmetric)
{
    memcpy(w->H, w->M, (size_t)(w->n * w->stride) * sizeof *w->H);
    for (int i = 0; i < w->edge_count; i++)
        if (w->edges[i].piece != GMC_INPLANE_OPEN) add_edge(w, &w->edges[i], is_symmetric);
    for (int i = 0; i < w->spot_count; i++)
        add_spot(w, &w->spots[i], is_symmetric);
    for (int i = 0; i < w->problem->row_count; i++) {
        const gmc_ncp_row *row = &w->problem->rows[i];
        double g = w->clamps[i].g;
        if (g == 0) continue;
        for (int k = 0; k < row->column_count; k++)
            for (int j = 0; j < row->column_count; j++)
                w->H[row->columns[k] * w->stride + row->columns[j]] += g * row->J[k] * row->J[j];
    }
}

/// With row exchanges: where the elimination without them met a bad pivot.
static bool solve_with_pivots(gmc_inplane *w, gmc_mat H)
{
    double weight[GMC_MAT_SMALL];
    int pivot[GMC_MAT_SMALL], last[GMC_MAT_SMALL];
    memcpy(weight, w->inverse_mass, (size_t)w->n * sizeof *weight);
    if (!gmc_mat_lu_factor(H, weight, pivot, last, w->inverse_d)) return false;
    gmc_mat_lu_solve(H, pivot, last, w->inverse_d, w->v_next);
    return true;
}

/// v_next := H⁻¹ (p* + Jᵀ q). @return false: singular
static bool solve_linear(gmc_inplane *w)
{
    gmc_mat H = {w->H, w->n, w->n, w->stride};
    bool is_symmetric = linearise(w);
    size_t size = (size_t)w->stride * sizeof *w->g;
    assemble(w, is_symmetric);
    if (is_symmetric) {
        if (!gmc_mat_ldlt_factor(H, NULL, w->inverse_d)) return false;
        gmc_mat_ldlt_solve(H, NULL, w->inverse_d, w->v_next);
        return true;
    }
    memcpy(w->g, w->v_next, size);
    if (gmc_mat_eliminate(H, w->v_next)) return true;
    memcpy(w->v_next, w->g, size);
    assemble(w, is_symmetric);
    return solve_with_pivots(w, H);
}

// ---- merit and step length ----------------------------------------------------------------------

/// r_next on the line at u_next, and the defect there: none where it stays on its piece of the law.
static double edge_line_defect(gmc_inplane_edge *c)
{
    double *r = c->r_next;
    bool stays = false;
    r[0] = r[1] = 0;
    if (c->piece == GMC_INPLANE_OPEN) {
        stays = c->u_next[0] + c->b[0] >= 0;
    } else {
        r[0] = -c->k[0] * (c->b[0] + c->u_next[0]);
        if (c->piece == GMC_INPLANE_STICK) {
            r[1] = -c->k[1] * (c->b[1] + c->u_next[1]);
            stays = r[0] > 0 && fabs(r[1]) <= c->friction * r[0];
        } else {
            r[1] = c->tilt * r[0];
        }
    }
    if (!stays) return gmc_inplane_edge_defect(c, c->u_next, r);
    c->p[0] = r[0];
    c->p[1] = r[1];
    return 0;
}

static double spot_line_defect(gmc_inplane_spot *c)
{
    const double *u = c->u_next;
    double *r = c->r_next;
    r[0] = c->q[0] - (c->g[0] * u[0] + c->g[1] * u[1]);
    r[1] = c->q[1] - (c->g[1] * u[0] + c->g[2] * u[1]);
    if (c->is_sliding || r[0] * r[0] + r[1] * r[1] > c->radius * c->radius)
        return gmc_inplane_spot_defect(c, u, r);
    c->p[0] = r[0];
    c->p[1] = r[1];
    return 0;
}

/// Merit after the full step, whose velocities and impulses are worked out here; that of momentum
/// is zero. Zero times what is not finite is not.
static double full_merit(gmc_inplane *w)
{
    double sum = 0;
    for (int i = 0; i < w->n; i++)
        sum += 0 * w->v_next[i];
    for (int i = 0; i < w->edge_count; i++) {
        gmc_inplane_edge_velocity(&w->edges[i], w->v_next, w->stride, w->edges[i].u_next);
        sum += edge_line_defect(&w->edges[i]);
    }
    for (int i = 0; i < w->spot_count; i++) {
        gmc_inplane_spot_velocity(&w->spots[i], w->v_next, w->spots[i].u_next);
        sum += spot_line_defect(&w->spots[i]);
    }
    for (int i = 0; i < w->problem->row_count; i++) {
        gmc_newton_clamp *c = &w->clamps[i];
        c->u_next = gmc_ncp_row_velocity(&w->problem->rows[i], w->v_next);
        c->s_next = c->q - c->g * c->u_next;
        sum += gmc_newton_clamp_defect(c, c->u_next, c->s_next);
    }
    return sum;
}

static void part_of(const double from[2], const double to[2], double t, double at[2])
{
    for (int k = 0; k < 2; k++)
        at[k] = gmc_newton_part(from[k], to[k], t);
}

/// Merit at the part t of the step, t < 1.
/// @param momentum  that of momentum at t = 0
static double part_merit(gmc_inplane *w, double momentum, double t)
{
    double sum = (1 - t) * (1 - t) * momentum, u[2], r[2];
    for (int i = 0; i < w->edge_count; i++) {
        gmc_inplane_edge *c = &w->edges[i];
        part_of(c->u, c->u_next, t, u);
        part_of(c->r, c->r_next, t, r);
        sum += gmc_inplane_edge_defect(c, u, r);
    }
    for (int i = 0; i < w->spot_count; i++) {
        gmc_inplane_spot *c = &w->spots[i];
        part_of(c->u, c->u_next, t, u);
        part_of(c->r, c->r_next, t, r);
        sum += gmc_inplane_spot_defect(c, u, r);
    }
    for (int i = 0; i < w->problem->row_count; i++) {
        gmc_newton_clamp *c = &w->clamps[i];
        sum += gmc_newton_clamp_defect(c, gmc_newton_part(c->u, c->u_next, t),
                                       gmc_newton_part(c->s, c->s_next, t));
    }
    return sum;
}

static void take_step(gmc_inplane *w, double t)
{
    for (int i = 0; i < w->n; i++)
        w->v[i] = gmc_newton_part(w->v[i], w->v_next[i], t);
    for (int i = 0; i < w->edge_count; i++) {
        gmc_inplane_edge *c = &w->edges[i];
        part_of(c->u, c->u_next, t, c->u);
        part_of(c->r, c->r_next, t, c->r);
        gmc_inplane_edge_trial(c, c->u, c->r, c->y);
    }
    for (int i = 0; i < w->spot_count; i++) {
        gmc_inplane_spot *c = &w->spots[i];
        part_of(c->u, c->u_next, t, c->u);
        part_of(c->r, c->r_next, t, c->r);
        gmc_inplane_spot_trial(c, c->u, c->r, c->y);
    }
    for (int i = 0; i < w->problem->row_count; i++) {
        gmc_newton_clamp *c = &w->clamps[i];
        c->u = gmc_newton_part(c->u, c->u_next, t);
        c->s = gmc_newton_part(c->s, c->s_next, t);
    }
}

// ---- the iteration ------------------------------------------------------------------------------

/// u and y of the start.
static void start(gmc_inplane *w)
{
    for (int i = 0; i < w->edge_count; i++) {
        gmc_inplane_edge *c = &w->edges[i];
        gmc_inplane_edge_velocity(c, w->v, w->stride, c->u);
        gmc_inplane_edge_trial(c, c->u, c->r, c->y);
    }
    for (int i = 0; i < w->spot_count; i++) {
        gmc_inplane_spot *c = &w->spots[i];
        gmc_inplane_spot_velocity(c, w->v, c->u);
        gmc_inplane_spot_trial(c, c->u, c->r, c->y);
    }
}

/// Does the start have a merit of `enough`? Asked contact by contact, and of momentum last.
static bool is_at_rest(gmc_inplane *w, double enough)
{
    double sum = 0;
    for (int i = 0; i < w->edge_count; i++) {
        sum += gmc_inplane_edge_trial_defect(&w->edges[i], w->edges[i].y, w->edges[i].r);
        if (!(sum <= enough)) return false;
    }
    for (int i = 0; i < w->spot_count; i++) {
        sum += gmc_inplane_spot_trial_defect(&w->spots[i], w->spots[i].y, w->spots[i].r);
        if (!(sum <= enough)) return false;
    }
    for (int i = 0; i < w->problem->row_count; i++) {
        sum += gmc_newton_clamp_defect(&w->clamps[i], w->clamps[i].u, w->clamps[i].s);
        if (!(sum <= enough)) return false;
    }
    return sum + gmc_inplane_momentum(w, w->v) <= enough;
}

/// The step goes as far as the merit falls. A search that ends without a decrease takes its last
/// step all the same: a cycle is left more often than the merit is spoilt.
/// @param merit  before, or UNKNOWN
/// @param next   that of the full step
/// @return the merit afterwards
static double search(gmc_inplane *w, double merit, double next, double enough)
{
    double t = 1, momentum = UNKNOWN;
    if (merit == UNKNOWN) {
        momentum = gmc_inplane_momentum(w, w->v);
        merit = part_merit(w, momentum, 0);
    }
    for (int i = 0; i < HALVINGS_MAX && !(next <= enough); i++) {
        if (next < (1 - DECREASE * t) * merit) break;
        if (momentum == UNKNOWN) momentum = gmc_inplane_momentum(w, w->v);
        t *= 0.5;
        next = part_merit(w, momentum, t);
    }
    take_step(w, t);
    return next;
}

/// Linear systems and steps along their solutions until the merit is `enough`. P(y) of the last
/// iterate is in every p.
static void iterate(gmc_inplane *w, double enough, int iteration_max, gmc_inplane_result *result)
{
    double merit = UNKNOWN;
    while (result->iterations < iteration_max) {
        result->iterations++;
        if (!solve_linear(w)) return;
        double next = full_merit(w);
        if (next <= enough) {
            memcpy(w->v, w->v_next, (size_t)w->stride * sizeof *w->v);
            return;
        }
        merit = search(w, merit, next, enough);
        if (!(merit < HUGE_VAL) || merit <= enough) return;
    }
}

/// r := P(r - ρ w): the same to within the residual, and inside the cone to rounding.
static void adopt(gmc_inplane *w)
{
    for (int i = 0; i < w->edge_count; i++)
        memcpy(w->edges[i].r, w->edges[i].p, sizeof w->edges[i].r);
    for (int i = 0; i < w->spot_count; i++)
        memcpy(w->spots[i].r, w->spots[i].p, sizeof w->spots[i].r);
    for (int i = 0; i < w->problem->row_count; i++)
        w->clamps[i].s = w->clamps[i].p;
}

static void hand_back(const gmc_inplane *w, gmc_ncp_solution *solution)
{
    memcpy(solution->v, w->v, (size_t)w->n * sizeof *w->v);
    for (int i = 0; i < w->edge_count; i++) {
        double *r = solution->r + 3 * w->edges[i].index;
        r[0] = w->edges[i].r[0];
        r[1] = w->edges[i].r[1];
        r[2] = 0;
    }
    for (int i = 0; i < w->spot_count; i++) {
        double *r = solution->r + 3 * w->spots[i].index;
        r[0] = w->spots[i].normal;
        r[1] = w->spots[i].r[0];
        r[2] = w->spots[i].r[1];
    }
    for (int i = 0; i < w->problem->row_count; i++)
        solution->s[i] = w->clamps[i].s;
}

gmc_status gmc_inplane_solve(const gmc_ncp *problem, const gmc_inplane_options *options,
                             gmc_ncp_solution *solution, gmc_arena *scratch,
                             gmc_inplane_result *result)
{
    GMC_ASSERT(gmc_inplane_fits(problem) && options->iteration_max > 0);
    size_t mark = gmc_arena_mark(scratch);
    gmc_inplane w; // gmc_inplane_open fills it
    *result = (gmc_inplane_result){.residual = NAN};
    gmc_status status = gmc_inplane_open(problem, solution, scratch, &w);
    if (status == GMC_OK) {
        double enough = options->tolerance * w.size;
        enough *= enough;
        start(&w);
        if (!is_at_rest(&w, AT_REST * AT_REST * enough))
            iterate(&w, enough, options->iteration_max, result);
        adopt(&w);
        result->residual = gmc_inplane_judge(&w);
        status = result->residual <= options->residual_max ? GMC_OK : GMC_E_NO_SOLUTION;
    }
    if (status == GMC_OK) hand_back(&w, solution);
    gmc_arena_reset(scratch, mark);
    return status;
}

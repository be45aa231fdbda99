#include "engine/complementarity/newton.h"

#include "engine/base/check.h"
#include "engine/complementarity/newton_dense.h"
#include "engine/complementarity/newton_sparse.h"

#include <string.h>

// One iteration: the law of every contact is linearised (newton_cone.h), r⁺ = q - G J v⁺, its
// impulse eliminated, and
//
//   (M + Σ Jᵀ G J) v⁺ = p* + Σ Jᵀ q
//
// For v⁺ and not for its change: where a contact sticks q is -b/R, and neither M v nor the defect
// of momentum is needed. H is symmetric but for sliding contacts, so LDLᵀ does where nothing slides
// (nearly all steps of a grasp) and LU elsewhere; symmetrising H would keep LDLᵀ and lose the
// quadratic convergence that makes 1.04 iterations per step possible.
//
// A warm start is first taken at its word: where its impulse lies inside the cone the contact
// sticks, where there is none it is open. Then no line needs a velocity, and one system and a look
// at each contact are all of most steps. Else the trial impulses decide, as Newton has it.
//
// J v is carried along instead of being multiplied out again, and after a full step the defect of
// momentum is zero but for rounding, after a part t of it (1 - t) of what it was. The judge
// recomputes both from nothing.

/// A merit that was not yet asked for.
#define UNKNOWN (-1.0)

typedef struct newton_run {
    const gmc_ncp *problem;
    const gmc_ncp_scales *scales;
    gmc_newton_form form;
    gmc_newton_cone *cones;
    gmc_newton_clamp *clamps;
    gmc_newton_stiffness *stiffnesses; ///< (group_count)
    const double *v;                   ///< (dof_count) now: the start's until it moves
    double *v_out, *v_next;            ///< (dof_count) the iterate's, after a full step
    double *g, *moved;       ///< (dof_count) scratch: defect of momentum, a part of the way
    double *r_flat, *s_flat; ///< impulses in the problem's layout
    double momentum_merit;   ///< of (v, r, s), or UNKNOWN
    bool is_projected;       ///< the p of cones and clamps belong to the last iterate
    gmc_status status;       ///< of the last linear system
    gmc_newton_dense dense;
    gmc_newton_sparse *sparse; ///< NULL: dense
} newton_run;

/// u and r at the part t of the step.
static inline void cone_at(const gmc_newton_cone *c, double t, double u[3], double r[3])
{
    for (int k = 0; k < 3; k++) {
        u[k] = gmc_newton_part(c->u[k], c->u_next[k], t);
        r[k] = gmc_newton_part(c->r[k], c->r_next[k], t);
    }
}

// ---- how far a run is from a solution -----------------------------------------------------------
//
// The square of the scaled residual times the problem's size, as ncp.h has it.

/// Of v with the impulses in r_flat, s_flat.
static double momentum_merit(newton_run *w, const double *v)
{
    double sum = 0;
    gmc_ncp_defect(w->problem, v, w->r_flat, w->s_flat, w->g);
    for (int i = 0; i < w->problem->dof_count; i++)
        sum += w->g[i] * w->g[i] * w->scales->inverse_mass[i];
    return sum;
}

static void flatten(newton_run *w)
{
    for (int i = 0; i < w->problem->contact_count; i++)
        memcpy(w->r_flat + 3 * i, w->cones[i].r, 3 * sizeof(double));
    for (int i = 0; i < w->problem->row_count; i++)
        w->s_flat[i] = w->clamps[i].s;
}

/// Merit after the full step, whose velocities and impulses are worked out here. That of momentum
/// is zero; zero times what is not finite is not.
static double merit_full(newton_run *w)
{
    const gmc_ncp *problem = w->problem;
    double sum = 0, none = 0;
    for (int i = 0; i < problem->dof_count; i++)
        none += 0 * w->v_next[i];
    for (int i = 0; i < problem->group_count; i++) {
        const gmc_ncp_group *group = &problem->groups[i];
        int end = group->contact_first + group->contact_count;
        double V[6];
        gmc_ncp_group_velocity(group, w->v_next, V);
        for (int c = group->contact_first; c < end;) {
            const gmc_ncp_contact *first = &problem->contacts[c], *contact = first;
            gmc_newton_cone *cone = &w->cones[c];
            if (first->hints.face_count == 0) {
                gmc_ncp_contact_at(first, V, cone->u_next);
                sum += gmc_newton_line_defect(cone);
                c++;
                continue;
            }
            gmc_ncp_face face;
            gmc_ncp_face_open(first->frame, V, &face);
            for (int stop = c + first->hints.face_count; c < stop; c++, contact++, cone++) {
                gmc_ncp_face_at(&face, contact->hints.turned_arm, cone->u_next);
                sum += gmc_newton_line_defect(cone);
            }
        }
    }
    for (int i = 0; i < problem->row_count; i++) {
        gmc_newton_clamp *c = &w->clamps[i];
        c->u_next = gmc_ncp_row_velocity(&problem->rows[i], w->v_next);
        c->s_next = c->q - c->g * c->u_next;
        sum += gmc_newton_clamp_defect(c, c->u_next, c->s_next);
    }
    return sum + none;
}

/// Merit at the part t of the step, t < 1.
static double merit_part(newton_run *w, double t)
{
    if (w->momentum_merit == UNKNOWN) {
        flatten(w);
        w->momentum_merit = momentum_merit(w, w->v);
    }
    double sum = (1 - t) * (1 - t) * w->momentum_merit;
    for (int i = 0; i < w->problem->contact_count; i++) {
        double u[3], r[3];
        cone_at(&w->cones[i], t, u, r);
        sum += gmc_newton_cone_defect(&w->cones[i], u, r);
    }
    for (int i = 0; i < w->problem->row_count; i++) {
        gmc_newton_clamp *c = &w->clamps[i];
        sum += gmc_newton_clamp_defect(c, gmc_newton_part(c->u, c->u_next, t),
                                       gmc_newton_part(c->s, c->s_next, t));
    }
    return sum;
}

/// That of the primal form, 0 <= t <= 1: impulses of the law at the velocities u + t (u_next - u)
/// alone, and their defect of momentum.
static double merit_primal(newton_run *w, double t)
{
    const gmc_ncp *problem = w->problem;
    for (int i = 0; i < problem->contact_count; i++) {
        gmc_newton_cone *c = &w->cones[i];
        double u[3], r[3];
        cone_at(c, t, u, r);
        double y[3] = {-(u[0] + c->b[0]) * c->k_n, -(u[1] + c->b[1]) * c->k_t,
                       -(u[2] + c->b[2]) * c->k_t};
        gmc_ncp_project(y, c->friction, w->r_flat + 3 * i);
    }
    for (int i = 0; i < problem->row_count; i++) {
        const gmc_newton_clamp *c = &w->clamps[i];
        double y = -(gmc_newton_part(c->u, c->u_next, t) + c->b) * c->k;
        w->s_flat[i] = gmc_ncp_clamp(y, c->lower, c->upper);
    }
    for (int i = 0; i < problem->dof_count; i++)
        w->moved[i] = gmc_newton_part(w->v[i], w->v_next[i], t);
    return momentum_merit(w, w->moved);
}

enum { HALVINGS_MAX = 8 };           ///< down to 1/256 of a step
static const double DECREASE = 1e-4; ///< fraction of the linear decrease asked of a step

// ---- room -------------------------------------------------------------------------------------

static size_t room_bytes(size_t n, size_t contacts, size_t rows, size_t groups)
{
    return contacts * sizeof(gmc_newton_cone) + rows * sizeof(gmc_newton_clamp) +
           groups * sizeof(gmc_newton_stiffness) + (3 * n + 3 * contacts + rows) * sizeof(double);
}

static gmc_status make_room(newton_run *w, gmc_arena *scratch)
{
    const gmc_ncp *problem = w->problem;
    size_t n = (size_t)problem->dof_count, nc = (size_t)problem->contact_count;
    size_t nr = (size_t)problem->row_count;
    w->sparse = NULL;
    if (gmc_newton_sparse_fits(problem))
        GMC_TRY(gmc_newton_sparse_create(problem, scratch, &w->sparse));
    else
        GMC_TRY(gmc_newton_dense_create(problem, scratch, &w->dense));
    size_t groups = (size_t)problem->group_count;
    char *at =
        gmc_arena_room(scratch, room_bytes(n, nc, nr, groups), 1); // all of doubles' alignment
    if (!at) return GMC_E_ARENA_FULL;
    w->cones = (void *)at;
    w->clamps = (void *)(at += nc * sizeof *w->cones);
    w->stiffnesses = (void *)(at += nr * sizeof *w->clamps);
    double *x = (void *)(at + groups * sizeof *w->stiffnesses);
    w->v_next = x;
    w->g = x + n;
    w->moved = x + 2 * n;
    w->r_flat = x + 3 * n;
    w->s_flat = w->r_flat + 3 * nc;
    return GMC_OK;
}

// ---- start ------------------------------------------------------------------------------------

/// The primal form is the primal-dual one with ρ = 1/R, where y no longer depends on r.
static double share_of(const newton_run *w) { return w->form == GMC_NEWTON_PRIMAL ? 0 : 1; }

static void start_rows(newton_run *w, const gmc_ncp_solution *from)
{
    for (int i = 0; i < w->problem->row_count; i++)
        gmc_newton_open_clamp(&w->problem->rows[i], share_of(w) * w->scales->row[i], w->v,
                              from->s[i], &w->clamps[i]);
}

/// @param from  where to start; r and s of the iterate are written from now on
static void start(newton_run *w, const gmc_ncp_solution *from, const gmc_ncp_solution *iterate)
{
    const gmc_ncp *problem = w->problem;
    const double *scale = w->scales->contact;
    double share = share_of(w);
    for (int i = 0; i < problem->group_count; i++) {
        const gmc_ncp_group *group = &problem->groups[i];
        int end = group->contact_first + group->contact_count;
        double V[6];
        gmc_ncp_group_velocity(group, w->v, V);
        for (int c = group->contact_first; c < end;) {
            const gmc_ncp_contact *contact = &problem->contacts[c];
            const double *D = contact->frame;
            int left = contact->hints.face_count;
            if (left == 0) {
                gmc_newton_open_cone(contact, share * scale[c], from->r + 3 * c, iterate->r + 3 * c,
                                     &w->cones[c]);
                gmc_ncp_contact_at(contact, V, w->cones[c].u);
                gmc_newton_cone_trial(&w->cones[c++]);
                continue;
            }
            gmc_ncp_face face;
            gmc_ncp_face_open(D, V, &face);
            for (; left > 0; left--, c++, contact++) {
                gmc_newton_cone *cone = &w->cones[c];
                gmc_newton_open_cone(contact, share * scale[c], from->r + 3 * c, iterate->r + 3 * c,
                                     cone);
                gmc_ncp_face_at(&face, contact->hints.turned_arm, cone->u);
                gmc_newton_cone_trial(cone);
            }
        }
    }
}

// ---- the linear system ------------------------------------------------------------------------

/// Every contact on the line that its warm impulse says, if all say one.
static bool keep_lines(newton_run *w, const gmc_ncp_solution *from, const gmc_ncp_solution *iterate)
{
    const gmc_ncp *problem = w->problem;
    const gmc_ncp_contact *contact = problem->contacts;
    const double *r = from->r;
    double *p = iterate->r;
    gmc_newton_cone *cone = w->cones;
    for (int left = problem->contact_count; left > 0; left--, contact++, cone++, r += 3, p += 3)
        if (!gmc_newton_keep_cone(contact, r, p, cone)) return false;
    return true;
}

/// F := less the wrench of all q of a group.
static void push_lines(const newton_run *w, const gmc_ncp_group *group, double F[6])
{
    const gmc_ncp_contact *contact = w->problem->contacts + group->contact_first;
    const gmc_ncp_contact *end = contact + group->contact_count;
    const gmc_newton_cone *cone = w->cones + group->contact_first;
    for (int i = 0; i < 6; i++)
        F[i] = 0;
    while (contact < end) {
        const gmc_ncp_contact *first = contact;
        if (first->hints.face_count == 0) {
            const double push[3] = {-cone->q[0], -cone->q[1], -cone->q[2]};
            gmc_ncp_contact_wrench(first, push, F);
            contact++;
            cone++;
            continue;
        }
        gmc_ncp_face sum = {{0}, {0}}; // of -q
        for (const gmc_ncp_contact *stop = first + first->hints.face_count; contact < stop;
             contact++, cone++)
            if (!cone->is_open) gmc_ncp_face_subtract(contact->hints.turned_arm, cone->q, &sum);
        gmc_ncp_face_wrench(first->frame, &sum, F);
    }
}

/// The line of every contact. @return whether none slides: H is symmetric
static bool linearise(newton_run *w)
{
    bool slides = false;
    for (int c = 0; c < w->problem->contact_count; c++) {
        gmc_newton_linearise_cone(&w->cones[c]);
        slides = slides || w->cones[c].is_sliding;
    }
    return !slides;
}

/// All lines together; v_next := p* + Jᵀ q.
static void add_lines(newton_run *w)
{
    const gmc_ncp *problem = w->problem;
    memcpy(w->v_next, problem->momentum, (size_t)problem->dof_count * sizeof(double));
    for (int i = 0; i < problem->group_count; i++) {
        const gmc_ncp_group *group = &problem->groups[i];
        double F[6];
        gmc_newton_group_sum(group, problem->contacts, w->cones, &w->stiffnesses[i]);
        if (!w->stiffnesses[i].is_pressed) continue;
        push_lines(w, group, F);
        gmc_ncp_group_push(group, F, w->v_next);
    }
    for (int i = 0; i < problem->row_count; i++) {
        const gmc_ncp_row *row = &problem->rows[i];
        gmc_newton_linearise_clamp(&w->clamps[i]);
        for (int k = 0; k < row->column_count; k++)
            w->v_next[row->columns[k]] += row->J[k] * w->clamps[i].q;
    }
}

/// v_next := H⁻¹ (p* + Jᵀ q)
static gmc_status solve_linear(newton_run *w, bool is_symmetric)
{
    const gmc_newton_lines lines = {w->stiffnesses, w->cones, w->clamps, w->scales->inverse_mass,
                                    is_symmetric};
    add_lines(w);
    if (w->sparse) return gmc_newton_sparse_solve(w->sparse, &lines, w->v_next);
    return gmc_newton_dense_solve(&w->dense, &lines, w->v_next);
}

// ---- steps -------------------------------------------------------------------------------------

static void move_velocity(newton_run *w, double t)
{
    for (int i = 0; i < w->problem->dof_count; i++)
        w->v_out[i] = t == 1 ? w->v_next[i] : gmc_newton_part(w->v[i], w->v_next[i], t);
    w->v = w->v_out;
}

static void take_step(newton_run *w, double t)
{
    move_velocity(w, t);
    w->momentum_merit = t == 1 ? 0 : (1 - t) * (1 - t) * w->momentum_merit;
    for (int i = 0; i < w->problem->contact_count; i++) {
        gmc_newton_cone *c = &w->cones[i];
        cone_at(c, t, c->u, c->r);
        gmc_newton_cone_trial(c);
    }
    for (int i = 0; i < w->problem->row_count; i++) {
        gmc_newton_clamp *c = &w->clamps[i];
        c->u = gmc_newton_part(c->u, c->u_next, t);
        c->s = gmc_newton_part(c->s, c->s_next, t);
    }
}

/// r(v) becomes the iterate's r.
static void adopt_primal(newton_run *w)
{
    for (int i = 0; i < w->problem->contact_count; i++) {
        gmc_newton_cone *c = &w->cones[i];
        gmc_ncp_project(c->y, c->friction, c->r);
        gmc_newton_cone_trial(c);
    }
    for (int i = 0; i < w->problem->row_count; i++) {
        gmc_newton_clamp *c = &w->clamps[i];
        c->s = gmc_ncp_clamp(gmc_newton_clamp_trial(c, c->u, c->s), c->lower, c->upper);
    }
}

// ---- the iteration ----------------------------------------------------------------------------

static double merit_at(newton_run *w, double t)
{
    return w->form == GMC_NEWTON_PRIMAL ? merit_primal(w, t) : merit_part(w, t);
}

/// One linear system and one search along its solution. When the search ends without a decrease its
/// last step is taken all the same: a cycle is left more often than the merit is spoilt.
/// @param merit  before, or UNKNOWN
/// @return the merit afterwards, NaN if the system is singular
static double iterate_once(newton_run *w, double merit, double enough)
{
    w->status = solve_linear(w, linearise(w));
    if (w->status != GMC_OK) return NAN;
    double t = 1, next = merit_full(w);
    if (w->form == GMC_NEWTON_PRIMAL) next = merit_primal(w, 1);
    if (next <= enough && w->form == GMC_NEWTON_PRIMAL_DUAL) {
        move_velocity(w, 1);
        w->is_projected = true;
        return next;
    }
    if (merit == UNKNOWN) merit = merit_at(w, 0);
    for (int i = 0; i < HALVINGS_MAX; i++) {
        if (next <= enough || next < (1 - DECREASE * t) * merit) break;
        t *= 0.5;
        next = merit_at(w, t);
    }
    take_step(w, t);
    if (w->form == GMC_NEWTON_PRIMAL) adopt_primal(w);
    return next;
}

/// Does everything stick and stay open that did so at the start? One linear system tells, and is
/// then the solution.
static bool is_kept(newton_run *w, const gmc_ncp_solution *from, const gmc_ncp_solution *iterate,
                    double enough, gmc_newton_result *result)
{
    if (!from || w->form == GMC_NEWTON_PRIMAL || w->sparse) return false;
    if (!keep_lines(w, from, iterate)) return false;
    result->iterations++;
    if (solve_linear(w, true) != GMC_OK) return false;
    double merit = merit_full(w); // not a number if something leaves its piece
    if (!(merit <= enough)) return false;
    move_velocity(w, 1);
    w->is_projected = true;
    result->residual = sqrt(merit) / w->scales->momentum;
    return true;
}

/// r := P(r - ρ w): the same to within the residual, and inside the cone to rounding.
static void finish(newton_run *w, gmc_ncp_solution *iterate)
{
    if (w->v != w->v_out) memcpy(w->v_out, w->v, (size_t)w->problem->dof_count * sizeof(double));
    for (int i = 0; i < w->problem->contact_count && !w->is_projected; i++)
        gmc_ncp_project(w->cones[i].y, w->cones[i].friction, w->cones[i].p);
    for (int i = 0; i < w->problem->row_count; i++) {
        gmc_newton_clamp *c = &w->clamps[i];
        if (!w->is_projected) (void)gmc_newton_clamp_defect(c, c->u, c->s);
        iterate->s[i] = c->p;
    }
}

/// From the start on. @return whether the merit is enough
static bool iterate_all(newton_run *w, int iteration_max, double enough, gmc_newton_result *result)
{
    double merit = UNKNOWN;
    for (int left = iteration_max; left > 0; left--) {
        result->iterations++;
        merit = iterate_once(w, merit, enough);
        if (merit <= enough || !(merit < HUGE_VAL)) break; // solved; singular, or not finite
    }
    result->residual = sqrt(merit) / w->scales->momentum;
    return merit <= enough;
}

gmc_status gmc_newton_solve(const gmc_ncp *problem, const gmc_ncp_scales *scales,
                            const gmc_newton_options *options, gmc_ncp_solution *iterate,
                            gmc_arena *scratch, gmc_newton_result *result)
{
    GMC_ASSERT(options->iteration_max > 0);
    size_t mark = gmc_arena_mark(scratch);
    newton_run w; // filled by make_room and start: it is large
    *result = (gmc_newton_result){.residual = NAN};
    w.problem = problem;
    w.scales = scales;
    w.form = options->form;
    gmc_status status = make_room(&w, scratch);
    if (status != GMC_OK) {
        gmc_arena_reset(scratch, mark);
        return status;
    }
    const gmc_ncp_solution *from = options->start ? options->start : iterate;
    w.v = from->v;
    w.v_out = iterate->v;
    w.momentum_merit = UNKNOWN;
    w.is_projected = false;
    w.status = GMC_OK;
    start_rows(&w, from);

    double enough = options->tolerance * scales->momentum;
    enough *= enough;
    bool is_solved = is_kept(&w, options->start, iterate, enough, result);
    if (!is_solved) {
        start(&w, from, iterate);
        is_solved = iterate_all(&w, options->iteration_max, enough, result);
    }
    finish(&w, iterate);
    gmc_arena_reset(scratch, mark);
    if (w.status != GMC_OK) return w.status;
    return is_solved ? GMC_OK : GMC_E_NO_SOLUTION;
}

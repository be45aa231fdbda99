// The problem is written down as rows of three per contact in front of the joints' rows: what
// dual_ncp.h makes of them are units of three, the contacts' first, whose law is then changed from
// a box to a pyramid. So there is one place that eliminates velocities and one that builds LCPs
// (polyhedral.h); everything here is which rows there are.
//
// Over-constrained contact (two pads with four points each on a cube) has many solutions, and a
// pivoting method ends in a corner of their set: all force on one point of a pad, about which the
// cube then turns. A compliance of 1e-7 of the contact's inverse mass on normals alone decides for
// forces as even as can be. Its price is a gap of 1e-7 h² F/m: 1e-10 m under its own weight at 10
// ms. Tangents have none, or what is held would creep. Measured on test/support's pinch_box at mu
// 0.3: without it the cube loses its hold in the shake, with it the motion is the default
// stepper's.
//
// Joint limits, presliding of joint friction and servos keep theirs:
// they belong to the mechanism, not to the law of contact.

#include "engine/base/check.h"
#include "engine/complementarity/dual_ncp.h"
#include "engine/complementarity/solver.h"
#include "engine/contact/rigid_internal.h"
#include "engine/dynamics/jacobian.h"

#include <string.h>

/// Beyond it a step's geometry means nothing [m/s, rad/s].
static const double SPEED_MAX = 1e5;
/// A sliding slower than this is the solver's residual: the contact sticks [m/s].
static const double SLIP_SPEED = 1e-7;
/// How near the rim of its pyramid an impulse stands on it: rounding of the solution.
static const double RIM = 1 - 1e-9;
/// Compliance of a normal as a share of its contact's inverse mass (top of this file) [-].
static const double EVENNESS = 1e-7;
/// What it may do to a gap before the solve is repeated without it [m]; and how often that is
/// tried: each round takes seven digits off.
static const double GAP_ERROR = 1e-10;
enum { ROUNDS = 3 };
/// No joint gains this speed within a step [m/s, rad/s].
static const double LIMIT_SPEED = 50;
/// Proximal steps of a quasi-static solve; what needs more is held by nothing.
enum { PROXIMAL_STEPS = 40 };
/// What it may still do after that; more shows that there is no room between bodies [m].
static const double JAM_GAP = 1e-7;
/// Overlap from which two bodies that nothing can move are jammed [m].
static const double JAM_DEPTH = 1e-3;

gmc_rigid_step gmc_rigid_begin(gmc_world *world, const gmc_control *control,
                               const gmc_step_options *options, double h, gmc_arena *scratch)
{
    GMC_ASSERT(h > 0);
    return (gmc_rigid_step){.motion = {.world = world,
                                       .memory = world->stepper_memory,
                                       .control = control,
                                       .h = h,
                                       .limit_speed = LIMIT_SPEED,
                                       .span = h,
                                       .scratch = scratch},
                            .options = options,
                            .whole = h};
}

// ---- rows -------------------------------------------------------------------------------------

/// Velocities of the driven joints alone; NULL: there are none.
static gmc_status driven_velocities(const gmc_coulomb_step *motion, double **v)
{
    const gmc_model *model = motion->world->model;
    *v = NULL;
    if (!motion->memory->has_driven) return GMC_OK;
    *v = gmc_arena_doubles(motion->scratch, (size_t)model->dof_count);
    if (!*v) return GMC_E_ARENA_FULL;
    for (int i = model->free_count; i < model->dof_count; i++)
        (*v)[i] = motion->control->v_driven[i];
    return GMC_OK;
}

static void driven_velocity(const gmc_kinematics *kin, const gmc_contact *contact, const double *v,
                            double u[3])
{
    u[0] = u[1] = u[2] = 0;
    if (!v) return;
    gmc_twist V_a = gmc_kinematics_twist(kin, contact->body_a, v);
    gmc_twist V_b = gmc_kinematics_twist(kin, contact->body_b, v);
    gmc_twist V = gmc_twist_add_scaled(V_b, -1, V_a);
    gmc_vec3 velocity = gmc_twist_at(&V, contact->point.p);
    for (int i = 0; i < 3; i++)
        u[i] = gmc_vec3_dot(contact->dir[i], velocity);
}

/// What friction is at this contact now: static or kinetic, along and across a grain.
static void write_friction(const gmc_rigid_step *step, const gmc_contact *contact,
                           gmc_rigid_contact *row)
{
    row->scale[0] = row->scale[1] = 1;
    row->friction = contact->law.friction;
    if (!contact->extra) return;
    row->friction *= gmc_coulomb_extra_friction_share(&step->motion.world->kin, contact);
    row->scale[0] = contact->extra->scale[0];
    row->scale[1] = contact->extra->scale[1];
}

/// Velocity along dir of the point at `arm` from the reference, per unit of column k.
static double entry(const gmc_jacobian *jacobian, int k, gmc_vec3 arm, gmc_vec3 dir)
{
    if (k < jacobian->general_count) {
        const double *S = jacobian->S + 6 * k;
        gmc_vec3 spin = {S[3], S[4], S[5]};
        return gmc_vec3_dot(dir,
                            gmc_vec3_add((gmc_vec3){S[0], S[1], S[2]}, gmc_vec3_cross(spin, arm)));
    }
    int axis = k - jacobian->general_count;
    gmc_vec3 row = axis < 3 ? dir : gmc_vec3_cross(arm, dir);
    return jacobian->sign * gmc_vec3_get(row, axis % 3);
}

void gmc_rigid_row(const gmc_jacobian *jacobian, gmc_vec3 arm, gmc_vec3 dir, double *row)
{
    for (int k = 0; k < jacobian->count; k++)
        row[k] = entry(jacobian, k, arm, dir);
}

/// Three rows; two directions suffice where t2 is not moved along.
static void write_rows(const gmc_rigid_step *step, const gmc_jacobian *jacobian, double *rows,
                       gmc_rigid_contact *row)
{
    const gmc_contact *contact = &step->motion.world->contacts.contacts[row->index];
    gmc_vec3 arm = gmc_vec3_sub(contact->point.p, jacobian->about);
    int n = row->column_count;
    bool is_planar = row->driven[2] == 0;
    for (int i = 0; i < 3; i++) {
        double scale = i > 0 ? row->scale[i - 1] : 1;
        row->J[i] = rows + i * n;
        for (int k = 0; k < n; k++)
            rows[i * n + k] = scale * entry(jacobian, k, arm, contact->dir[i]);
    }
    for (int k = 0; k < n; k++)
        is_planar = is_planar && row->J[2][k] == 0;
    row->facet_count = is_planar ? 2 : step->options->direction_count;
}

/// Can the bodies be moved along the normal?
static bool gives_way(const gmc_rigid_contact *row)
{
    for (int k = 0; k < row->column_count; k++)
        if (row->J[0][k] != 0) return true;
    return false;
}

/// Rows of the contacts that take part and can be moved.
static gmc_status contact_rows(gmc_rigid_step *step, const double *bias)
{
    gmc_world *world = step->motion.world;
    gmc_arena *scratch = step->motion.scratch;
    size_t count = (size_t)world->contacts.count + (size_t)world->model->support_point_count;
    size_t n = (size_t)world->model->free_count;
    step->contacts = gmc_arena_take(scratch, count, sizeof *step->contacts);
    double *S = gmc_arena_room(scratch, 6 * n, sizeof *S), *v_driven;
    if (!step->contacts || !S) return GMC_E_ARENA_FULL;
    GMC_TRY(driven_velocities(&step->motion, &v_driven));

    step->contact_count = 0;
    for (int c = 0; c < world->contacts.count; c++) {
        const gmc_contact *contact = &world->contacts.contacts[c];
        gmc_rigid_contact *row = &step->contacts[step->contact_count];
        if (!(bias[c] < HUGE_VAL)) continue;
        *row = (gmc_rigid_contact){.index = c};
        int *columns = gmc_arena_room(scratch, n + 1, sizeof *columns);
        if (!columns) return GMC_E_ARENA_FULL;
        gmc_jacobian jacobian = gmc_jacobian_of(world->model, &world->kin, contact->body_a,
                                                contact->body_b, columns, S);
        driven_velocity(&world->kin, contact, v_driven, row->driven);
        double *rows = gmc_arena_room(scratch, 3 * (size_t)jacobian.count, sizeof *rows);
        if (!rows) return GMC_E_ARENA_FULL;
        row->column_count = jacobian.count;
        row->columns = columns;
        write_friction(step, contact, row);
        write_rows(step, &jacobian, rows, row);
        if (gives_way(row))
            step->contact_count++;
        else if (row->driven[0] < 0 && contact->point.gap < -JAM_DEPTH)
            return GMC_E_MISMATCH;
    }
    return gmc_rigid_support_rows(step);
}

// ---- the problem ------------------------------------------------------------------------------

/// About J_n M⁻¹ J_nᵀ: what its diagonal makes of it [1/kg].
static double inverse_mass(const gmc_coulomb_step *motion, const gmc_rigid_contact *contact)
{
    double sum = 0;
    for (int k = 0; k < contact->column_count; k++) {
        int i = contact->columns[k];
        sum += contact->J[0][k] * contact->J[0][k] / gmc_coulomb_mass_row(motion, i)[i];
    }
    return sum;
}

static gmc_status write_problem(const gmc_rigid_step *step, const double *bias, gmc_ncp *problem)
{
    const gmc_coulomb_step *motion = &step->motion;
    const gmc_model *model = motion->world->model;
    size_t first = 3 * (size_t)step->contact_count, joints = (size_t)motion->row_count;
    gmc_ncp_row *rows = gmc_arena_take(motion->scratch, first + joints, sizeof *rows);
    if (!rows) return GMC_E_ARENA_FULL;
    for (int c = 0; c < step->contact_count; c++) {
        const gmc_rigid_contact *contact = &step->contacts[c];
        bool is_support = contact->index < 0;
        for (int i = 0; i < 3; i++) {
            double scale = i > 0 ? contact->scale[i - 1] : 1;
            rows[3 * c + i] = (gmc_ncp_row){
                .column_count = contact->column_count,
                .columns = contact->columns,
                .J = contact->J[i],
                .compliance = i > 0        ? 0
                              : is_support ? contact->compliance
                                           : EVENNESS * inverse_mass(motion, contact),
                .bias = scale * contact->driven[i] + (i > 0        ? 0
                                                      : is_support ? contact->bias
                                                                   : bias[contact->index])};
        }
    }
    if (joints > 0) memcpy(rows + first, motion->rows, joints * sizeof *rows);
    *problem = (gmc_ncp){.dof_count = model->free_count,
                         .mass = motion->mass,
                         .mass_width = motion->memory->mass_width,
                         .block_count = motion->memory->block_count,
                         .block_start = motion->memory->block_start,
                         .momentum = motion->momentum,
                         .row_count = (int)(first + joints),
                         .rows = rows};
    return GMC_OK;
}

/// Units of contacts are pyramids, not boxes.
static gmc_status write_laws(const gmc_rigid_step *step, gmc_dual *dual)
{
    size_t count = (size_t)dual->unit_count;
    gmc_dual_unit *units = gmc_arena_room(step->motion.scratch, count, sizeof *units);
    if (!units) return GMC_E_ARENA_FULL;
    memcpy(units, dual->units, count * sizeof *units);
    for (int c = 0; c < step->contact_count; c++)
        units[c] = (gmc_dual_unit){.friction = step->contacts[c].friction,
                                   .facet_count = step->contacts[c].facet_count};
    dual->units = units;
    return GMC_OK;
}

/// A dual problem whose normals' compliance is counted from other impulses than zero: q of
/// shifted components is q_first - R r.
typedef struct proximal {
    gmc_dual dual;
    const gmc_ncp *problem;
    const double *q_first;
    double *q; ///< of dual
} proximal;

static gmc_status open_proximal(const gmc_dual *dual, const gmc_ncp *problem, gmc_arena *scratch,
                                proximal *p)
{
    size_t size = 3 * (size_t)dual->unit_count;
    *p = (proximal){.dual = *dual, .problem = problem, .q_first = dual->q};
    p->q = gmc_arena_room(scratch, size, sizeof *p->q);
    if (!p->q) return GMC_E_ARENA_FULL;
    memcpy(p->q, dual->q, size * sizeof *p->q);
    p->dual.q = p->q;
    return GMC_OK;
}

/// By how much the compliance moves gaps with these impulses [m].
static double gap_error(const gmc_rigid_step *step, const proximal *p, const double *r)
{
    double worst = 0;
    for (int i = 0; i < 3 * step->contact_count; i += 3) {
        if (step->contacts[i / 3].index < 0) continue; // a support's is what it means
        double shift = p->problem->rows[i].compliance * r[i];
        worst = fmax(worst, fabs(shift - (p->q_first[i] - p->q[i])));
    }
    return step->motion.h * worst;
}

static const gmc_solver *solver_of(const gmc_rigid_step *step)
{
    return step->options->solver ? step->options->solver : gmc_solver_find("lemke");
}

/// Is there no motion at all that keeps bodies apart? Without friction the problem always has a
/// solution, for normals give by their compliance: by too much if driven bodies press on what
/// cannot give way.
static bool is_jammed(const gmc_rigid_step *step, const proximal *p)
{
    gmc_arena *scratch = step->motion.scratch;
    size_t mark = gmc_arena_mark(scratch), count = (size_t)p->dual.unit_count;
    gmc_dual smooth = p->dual;
    gmc_solver_report report;
    gmc_dual_unit *units = gmc_arena_room(scratch, count, sizeof *units);
    double *r = gmc_arena_doubles(scratch, 3 * count);
    bool is_so = false;
    if (units && r) {
        memcpy(units, smooth.units, count * sizeof *units);
        for (size_t c = 0; c < count; c++)
            units[c].friction = 0;
        smooth.units = units;
        gmc_status status = gmc_solver_solve(solver_of(step), &smooth, step->options->residual_max,
                                             r, scratch, &report);
        is_so = status == GMC_OK && gap_error(step, p, r) > JAM_GAP;
    }
    gmc_arena_reset(scratch, mark);
    return is_so;
}

static gmc_status solve_once(gmc_rigid_step *step, const proximal *p)
{
    gmc_solver_report solved = {.rung = 1};
    gmc_status status = GMC_OK;
    if (p->dual.unit_count > 0)
        status = gmc_solver_solve(solver_of(step), &p->dual, step->options->residual_max, step->r,
                                  step->motion.scratch, &solved);
    if (status == GMC_E_NO_SOLUTION && is_jammed(step, p)) return GMC_E_MISMATCH;
    if (status != GMC_OK) return status;
    gmc_dual_answer(&p->dual, step->r, step->w);
    if (solved.rung > step->report.rung) step->report.rung = solved.rung;
    step->report.iterations += solved.iterations;
    step->report.residual = fmax(step->report.residual, solved.residual);
    return GMC_OK;
}

/// Solve, and again with the normals' compliance counted from the impulses found (a proximal step)
/// while it moves a gap: blows, mostly.
static gmc_status solve_dual(gmc_rigid_step *step, const gmc_ncp *problem, const gmc_dual *dual)
{
    size_t size = 3 * (size_t)dual->unit_count;
    proximal p;
    double error = 0;
    GMC_TRY(open_proximal(dual, problem, step->motion.scratch, &p));
    step->r = gmc_arena_doubles(step->motion.scratch, size);
    step->w = gmc_arena_doubles(step->motion.scratch, size);
    if (!step->r || !step->w) return GMC_E_ARENA_FULL;
    for (int round = 0; round < ROUNDS; round++) {
        GMC_TRY(solve_once(step, &p));
        error = gap_error(step, &p, step->r);
        if (error <= GAP_ERROR) break;
        for (int i = 0; i < 3 * step->contact_count; i += 3)
            if (step->contacts[i / 3].index >= 0)
                p.q[i] = p.q_first[i] - problem->rows[i].compliance * step->r[i];
    }
    // each round takes it down, unless there is no room
    return error <= JAM_GAP ? GMC_OK : GMC_E_MISMATCH;
}

/// One solve, from the velocities found before.
static gmc_status solve_from(gmc_rigid_step *step, const double *bias, const double *v_before)
{
    gmc_coulomb_step *motion = &step->motion;
    gmc_ncp problem;
    gmc_dual_ncp pair;
    motion->row_count = 0;

    // where would the mechanism go if nothing touched it, and what may act on it?
    GMC_TRY(gmc_rigid_motion(step, v_before));
    GMC_TRY(gmc_coulomb_joint_rows(motion));
    GMC_TRY(contact_rows(step, bias));
    GMC_TRY(write_problem(step, bias, &problem));

    // which impulses keep bodies apart and inside the friction pyramids?
    GMC_TRY(gmc_dual_ncp_create(&problem, motion->scratch, &pair));
    GMC_TRY(write_laws(step, &pair.dual));
    GMC_TRY(solve_dual(step, &problem, &pair.dual));

    double *s = gmc_arena_doubles(motion->scratch, (size_t)problem.row_count);
    if (!s) return GMC_E_ARENA_FULL;
    gmc_ncp_solution found = {.v = motion->solution.v, .s = s};
    gmc_dual_ncp_spread(&pair, step->r, &found);
    motion->solution.s = s + 3 * step->contact_count;
    return GMC_OK;
}

gmc_status gmc_rigid_solve(gmc_rigid_step *step, const double *bias)
{
    gmc_coulomb_step *motion = &step->motion;
    const gmc_model *model = motion->world->model;
    size_t n = (size_t)model->free_count;
    double *v = gmc_arena_doubles(motion->scratch, (size_t)model->dof_count), *before = NULL;
    before = gmc_arena_doubles(motion->scratch, n);
    if (!v || !before) return GMC_E_ARENA_FULL;
    motion->solution.v = v;
    size_t mark = gmc_arena_mark(motion->scratch);
    GMC_TRY(solve_from(step, bias, before));
    for (int k = 1; !gmc_rigid_motion_is_settled(step, before); k++) {
        if (k >= PROXIMAL_STEPS) return GMC_E_NO_SOLUTION;
        memcpy(before, v, n * sizeof *v);
        gmc_arena_reset(motion->scratch, mark);
        GMC_TRY(solve_from(step, bias, before));
    }
    for (size_t i = 0; i < n; i++)
        if (!(fabs(v[i]) < SPEED_MAX)) return GMC_E_DIVERGED;
    for (int i = model->free_count; i < model->dof_count; i++)
        v[i] = motion->control->v_driven[i];
    if (gmc_coulomb_turns_too_far(motion, step->options->turn_max)) return GMC_E_NO_SOLUTION;
    return GMC_OK;
}

// ---- after the solution -----------------------------------------------------------------------

static gmc_contact_mode mode_of(const gmc_rigid_contact *contact, const double r[3],
                                const double w[3])
{
    if (!(r[0] > 0)) return GMC_CONTACT_OPEN;
    bool is_on_rim =
        gmc_pyramid_radius(r + 1, contact->facet_count) >= RIM * contact->friction * r[0];
    bool is_moving = gmc_pyramid_reach(w + 1, contact->facet_count) > SLIP_SPEED;
    return is_on_rim && is_moving ? GMC_CONTACT_SLIP : GMC_CONTACT_STICK;
}

static void keep_contacts(const gmc_rigid_step *step)
{
    gmc_world *world = step->motion.world;
    for (int c = 0; c < world->contacts.count; c++) {
        gmc_contact *contact = &world->contacts.contacts[c];
        for (int i = 0; i < 3 && !step->is_later; i++)
            contact->impulse[i] = 0;
        contact->mode = GMC_CONTACT_OPEN;
    }
    for (int c = 0; c < step->contact_count; c++) {
        const gmc_rigid_contact *row = &step->contacts[c];
        if (row->index < 0) continue;
        gmc_contact *contact = &world->contacts.contacts[row->index];
        const double *r = step->r + 3 * c;
        contact->mode = mode_of(row, r, step->w + 3 * c);
        contact->law.friction = row->friction;
        contact->impulse[0] += r[0];
        contact->impulse[1] += r[1] * row->scale[0];
        contact->impulse[2] += r[2] * row->scale[1];
    }
}

/// Generalised impulse of everything but gravity and bias, for the bodies that carry their
/// momentum.
static void received_impulse(const gmc_rigid_step *step, double *sum)
{
    const gmc_coulomb_step *motion = &step->motion;
    const gmc_model *model = motion->world->model;
    for (int i = 0; i < model->free_count; i++)
        sum[i] = motion->h *
                 (motion->control->force[i] - model->dofs[i].damping * motion->solution.v[i]);
    for (int c = 0; c < step->contact_count; c++) {
        const gmc_rigid_contact *contact = &step->contacts[c];
        const double *r = step->r + 3 * c;
        for (int k = 0; k < contact->column_count; k++)
            sum[contact->columns[k]] +=
                contact->J[0][k] * r[0] + contact->J[1][k] * r[1] + contact->J[2][k] * r[2];
    }
}

static void fill_report(gmc_rigid_step *step)
{
    const gmc_contact_set *set = &step->motion.world->contacts;
    gmc_step_report *report = &step->report;
    double impulse = 0;
    report->contact_count = set->count;
    report->span = step->whole;
    for (int c = 0; c < set->count; c++) {
        report->max_penetration = fmax(report->max_penetration, -set->contacts[c].point.gap);
        impulse = fmax(impulse, set->contacts[c].impulse[0]);
    }
    report->max_force = fmax(report->max_force, impulse / step->whole);
}

gmc_status gmc_rigid_advance(gmc_rigid_step *step, const double *q_driven)
{
    gmc_coulomb_step *motion = &step->motion;
    gmc_world *world = motion->world;
    const gmc_model *model = world->model;
    double *impulse = gmc_arena_doubles(motion->scratch, (size_t)model->free_count);
    if (!impulse) return GMC_E_ARENA_FULL;
    received_impulse(step, impulse);
    keep_contacts(step);
    gmc_rigid_support_keep(step);
    gmc_coulomb_joint_keep(motion);
    gmc_state_advance(model, &world->kin, motion->solution.v, impulse, q_driven, motion->h,
                      &world->state);
    if (step->options->motion != GMC_MOTION_DYNAMIC) // no momentum that differs from it
        memcpy(world->state.v, motion->solution.v, (size_t)model->dof_count * sizeof(double));
    gmc_kinematics_update(model, world->state.q, world->state.v, &world->kin);
    fill_report(step);
    return GMC_OK;
}

#include "engine/contact/coulomb.h"

#include "engine/base/check.h"
#include "engine/collision/shape.h"
#include "engine/complementarity/islands.h"
#include "engine/complementarity/newton_sparse.h"
#include "engine/contact/coulomb_internal.h"
#include "engine/contact/pad.h"

#include <string.h>

// One step of length h, from (q, v) with everything geometric taken at q:
//
//   Mh v⁺ = p* + Jᵀ r + Jᵀ s       Mh = M + H θ D + H kd + H h kp
//   p* = M v + H (f - c(q, v₀) + g - (1 - θ) D v) + H (kp (q_ref - q) + kd v_ref)
//
// v⁺ carries q over the step, so it is the velocity in its middle, and forces act over the span H
// from the middle of the step before to that of this one: (h_before + h)/2, at the start of a trial
// h/2, else h. That is the leapfrog: smooth motion is right to second order however the steps'
// lengths change: of trees, too, for v₀ are the velocities at q, in the middle of the span, found
// from those half a step before (coulomb_motion.c). With H = h at every step, what falls leads by
// h/2, falls out of step with what the hand does at every impact, and a grasp that closes on an
// object that tips depends on h (three_finger_mesh: success 0.836 at 1 ms, 0.869 at 4 ms of the
// same thousand draws).
//
// Whatever held a body until something strikes is gone in the whole step of the strike: an error of
// the order of that step's length. So a long step in which something strikes is refused, and the
// rollout halves it (impact_step). Both together: 0.827 and 0.827.
//
// Viscous damping D and servos are linear in v⁺, so they go into Mh: implicit, stable at any gain;
// of damping the share θ = (1 + z)/(2 + z), z = H D/M, so that a coasting dof slows down by
// 2/(2 + 2z + z²), the (0,2) Padé approximant of exp(-z): second order, never reversed.
// Servos with a force limit, joint limits and joint friction are rows instead (coulomb_joint.c).
//
// The forms below are written with one h; where it turns a force into an impulse it is H:
//   r_N / H, R_N = 1 / (H k (h + τ)), δ⁺ = (τ δ - (h/H) r_T / k_T) / (h + τ).
//
// Isolated bodies: p* = L of their rotation times what the midpoint rule makes of it. Their v⁺ is
// the mean velocity over the step, which carries the orientation; their momentum changes by
// impulses alone (gmc_state_advance), so p*_angular = I w̄ with w̄ the free motion's mean angular
// velocity.
//
// Contact (k stiffness, τ relaxation, φ gap, u = J v⁺ + u_driven relative velocity of b at a's
// point). Normal force of the overlap at the end, spring and damper, for φ <= 0:
//
//   r_N / h = -k (φ + h u_N) - k τ u_N   =>   r_N = -(u_N + b_N) / R_N
//   R_N = 1 / (h k (h + τ)),  b_N = φ / (h + τ)
//
// For φ > 0 only what is left of the step after touching overlaps, by -(φ + h u_N), and it got
// there at the mean rate of -(φ + h u_N)/h: r_N / h = -k (1 + τ/h) (φ + h u_N), hence the same R_N
// with b_N = φ / h. Both agree at φ = 0. Taking the first form for φ > 0 as well would make dampers
// pull before they touch.
//
// τ is the surfaces' own, and at least what stops the mass that the contact moves without throwing
// it back (gmc_coulomb_settling). What arrives fast is stopped by all but rigid rows
// (coulomb_impact.c).
//
// Tangent, with the deflection δ kept from the step before and k_T = ratio k, the same with δ
// for φ:
//
//   stick:  r_T / h = -k_T (δ + h u_T) - k_T τ u_T
//           =>   R_T = 1 / (h k_T (h + τ)),  b_T = δ / (h + τ)
//   slip:   |r_T| = mu r_N against the sliding
//
// and the deflection that carries just this force at the end of the step:
//
//   r_T / h = -k_T δ⁺ - k_T τ (δ⁺ - δ) / h   =>   δ⁺ = (τ δ - r_T / k_T) / (h + τ)
//
// which is δ + h u_T when sticking and what the cone leaves of it when sliding: the return mapping
// of plasticity, so slip cannot wind the spring up. An open contact (r_N = 0) forgets δ.
//
// δ integrates h u_T, but bodies move on arcs: turning with w, points at a distance d stray by
// h² w² d / 2 from the chord, and a hand that turns at 1 rad/s would lose 0.1 mm a second to that.
// So after the advance δ gets what the bodies' true motion differs from h u_T (coulomb_contact.c).
//
// That is the path of the material that touched. The contact's own path differs where it runs over
// the bodies (rolling, a rod that turns between two fingers): by the velocity w x (distance from
// the material point to the new place), w the relative spin, over half the step; for the
// distance along the normal, which grows with the square of time, over a third of it and more (as
// on an arc). It is known when the next step has its points, and joins δ there. Without it δ drifts
// by h w |dp/dt| / 2, which under a preload of 200 N spun rods up to 9 rad/s.
//
// On a rim that rolls round the contact goes round many times faster than the body turns: there
// both of these are parts of the row from the start (coulomb_rim.c).
//
// Summed up so, δ depends on the way that bodies took: what rocks and shifts a little in turns
// would creep by the area of such loops. So while a contact sticks and stays where it is, it is
// anchored: its material is the same from step to step, and δ what that has moved
// (gmc_coulomb_contact_follow).
//
// Choices rejected: damping as part of the gap's bias (a = h k/(h k + d) on φ/h for all φ)
// pulls approaching bodies; projecting δ on the tangent plane without keeping its length creeps.

/// Sine between spin and angular momentum up to which a body spins about an axis of its own: it
/// then wobbles by no more than this [-].
static const double OFF_AXIS = 1e-2;
/// Limits of joints that would take this speed on top of the joint's own have no row until a
/// solution passes one [m/s, rad/s].
static const double LIMIT_SPEED = 5;
/// Slower arrivals need not be located: gravity alone changes speeds by more in a step [m/s].
static const double IMPACT_SPEED = 1e-3;
/// Of the solver's tolerance, with supports. Residuals are weighed by the inertia that a
/// quasi-static step holds on with, a thousandth, and measured by weight: so much less do they show
/// of where friction points.
static const double QUASI_STATIC_AIM = 1e-3;
/// Beyond it a step's geometry means nothing [m/s, rad/s].
static const double SPEED_MAX = 1e5;

static gmc_status coulomb_create(const gmc_model *model, int contact_max, gmc_arena *arena,
                                 gmc_world *world)
{
    gmc_world made = {.model = model};
    gmc_coulomb_memory *memory = gmc_arena_take(arena, 1, sizeof *memory);
    made.servo_impulse = gmc_arena_doubles(arena, (size_t)model->free_count);
    made.support_impulse = gmc_arena_doubles(arena, 3 * (size_t)model->support_point_count);
    if (!memory || !made.servo_impulse || !made.support_impulse) return GMC_E_ARENA_FULL;
    GMC_TRY(gmc_state_create(model, arena, &made.state));
    GMC_TRY(gmc_kinematics_create(model, arena, &made.kin));
    GMC_TRY(gmc_collider_create(model, arena, &made.collider));
    GMC_TRY(gmc_contact_set_create(contact_max, arena, &made.contacts));
    GMC_TRY(gmc_coulomb_joint_memory(model, &made.kin, contact_max, arena, memory));
    GMC_TRY(gmc_coulomb_support_memory(model, arena, memory));
    made.stepper_memory = memory;
    gmc_kinematics_update(model, made.state.q, made.state.v, &made.kin);
    *world = made;
    return GMC_OK;
}

// ---- the step ---------------------------------------------------------------------------------

gmc_status gmc_coulomb_find_contacts(gmc_coulomb_step *step, double reach, const gmc_twist *look)
{
    gmc_world *world = step->world;
    const gmc_model *model = world->model;
    int count = 0;
    if (model->support_count > 0 && step->memory->support_gravity != model->gravity.z)
        GMC_TRY(gmc_coulomb_support_weigh(model, step->memory));
    GMC_TRY(gmc_collider_find(world->collider, world->model, world->kin.X_wb, look, step->h, reach,
                              step->memory->points, world->contacts.capacity, &count));
    GMC_TRY(gmc_coulomb_pad_find(step, step->memory->points, &count));
    gmc_contact_set_match(&world->contacts, world->model, world->kin.X_wb, step->memory->points,
                          count);
    gmc_coulomb_pad_share(step);
    gmc_pad_lay(&world->contacts, world->model);
    gmc_coulomb_cap_share(step);
    return GMC_OK;
}

/// How far a geom goes in a step at that velocity of its body, at most.
static double way_of(const gmc_coulomb_step *step, const gmc_geom *geom, const gmc_twist *V)
{
    gmc_vec3 centre = gmc_pose_apply(&geom->X_bg, gmc_shape_centre(&geom->shape));
    centre = gmc_pose_apply(&step->world->kin.X_wb[geom->body], centre);
    return step->h * (gmc_vec3_norm(gmc_twist_at(V, centre)) +
                      gmc_shape_radius(&geom->shape) * gmc_vec3_norm(V->w));
}

/// Does a coordinate change by so much more or less than it would have?
static bool is_hastened(const gmc_coulomb_step *step, double least)
{
    const gmc_world *world = step->world;
    for (int i = 0; i < world->model->dof_count; i++)
        if (step->h * fabs(step->solution.v[i] - world->state.v[i]) > least) return true;
    return false;
}

bool gmc_coulomb_outruns(const gmc_coulomb_step *step, double reach, gmc_twist *look)
{
    // of the reach; of coordinates several may add up, with long arms [-, 1/m]
    static const double SHARE = 0.5, SHARE_EACH = 0.1;
    const gmc_world *world = step->world;
    const gmc_model *model = world->model;
    bool is_again = false;
    if (!is_hastened(step, SHARE_EACH * reach)) return false;
    for (int g = 0; g < model->geom_count; g++) {
        const gmc_geom *geom = &model->geoms[g];
        if (geom->body == 0 || geom->shape.type == GMC_SHAPE_PLANE) continue;
        gmc_twist V = gmc_kinematics_twist(&world->kin, geom->body, step->solution.v);
        gmc_twist more = gmc_twist_add_scaled(V, -1, look[geom->body]);
        // what was looked for farther than it goes stays as it is
        if (way_of(step, geom, &more) <= SHARE * reach ||
            way_of(step, geom, &V) <= way_of(step, geom, &look[geom->body]))
            continue;
        look[geom->body] = V;
        is_again = true;
    }
    return is_again;
}

/// Does the solution ask for other limits of bounces and moments, or press pads elsewhere? Never
/// without them.
static gmc_status look_beyond(gmc_coulomb_step *step, int round, bool *is_beyond)
{
    *is_beyond = step->impact && gmc_coulomb_impact_limit(step, round);
    if (step->torque_count > 0 && gmc_coulomb_torque_limit(step, round)) *is_beyond = true;
    if (step->flat_count > 0 && gmc_coulomb_flat_limit(step, round)) *is_beyond = true;
    if (step->is_centred && gmc_coulomb_rim_limit(step, round)) *is_beyond = true;
    return gmc_coulomb_pad_limit(step, round, is_beyond);
}

gmc_ncp gmc_coulomb_problem(const gmc_coulomb_step *step)
{
    return (gmc_ncp){.dof_count = step->world->model->free_count,
                     .mass = step->mass,
                     .mass_width = step->memory->mass_width,
                     .block_count = step->memory->block_count,
                     .block_start = step->memory->block_start,
                     .momentum = step->momentum,
                     .contact_count = step->contact_count,
                     .contacts = step->contacts,
                     .group_count = step->group_count,
                     .groups = step->groups,
                     .row_count = step->row_count,
                     .rows = step->rows,
                     .is_inplane = step->memory->is_inplane};
}

gmc_status gmc_coulomb_climb(const gmc_coulomb_step *step, const gmc_ncp *problem,
                             const gmc_step_options *options, gmc_ncp_solution *solution,
                             gmc_ladder_report *report)
{
    gmc_islands_memory *memory = step->memory->islands;
    gmc_ladder_options ladder = gmc_ladder_defaults();
    ladder.residual_max = options->residual_max;
    ladder.iteration_max = options->iteration_max;
    ladder.solver = options->solver;
    if (options->motion == GMC_MOTION_QUASI_STATIC && step->world->model->support_count > 0)
        ladder.tolerance *= QUASI_STATIC_AIM;
    if (memory) return gmc_islands_solve(problem, memory, &ladder, solution, step->scratch, report);
    return gmc_ladder_solve(problem, &ladder, solution, step->scratch, report);
}

/// Which impulses come of the motion without contacts, of contacts and joints?
static gmc_status find_impulses(gmc_coulomb_step *step, const gmc_step_options *options,
                                gmc_ladder_report *report)
{
    const gmc_world *world = step->world;
    if (step->round == 0)
        memcpy(step->solution.v, world->state.v, (size_t)world->model->free_count * sizeof(double));
    GMC_TRY(gmc_coulomb_joint_rows(step));
    GMC_TRY(gmc_coulomb_torque_rows(step));
    if (world->model->support_count > 0) GMC_TRY(gmc_coulomb_support_rows(step));

    const gmc_ncp problem = gmc_coulomb_problem(step);
    GMC_TRY(gmc_coulomb_climb(step, &problem, options, &step->solution, report));
    int iterations = report->iterations;
    for (int round = 1;; round++) {
        bool is_beyond;
        GMC_TRY(look_beyond(step, round, &is_beyond));
        if (!is_beyond) break;
        GMC_TRY(gmc_coulomb_climb(step, &problem, options, &step->solution, report));
        iterations += report->iterations;
    }
    report->iterations = iterations;
    return GMC_OK;
}

/// How many rows contacts have, without those that a solve adds behind them.
typedef struct contact_rows {
    int groups, contacts;
} contact_rows;

static void forget_rows(gmc_coulomb_step *step, const contact_rows *rows)
{
    step->group_count = rows->groups;
    step->contact_count = rows->contacts;
    step->row_count = step->torque_count = 0;
}

/// What contacts' impulses alone would do to bodies, as twice the energy; pair by pair, for those
/// of a squeeze cancel.
/// @param push  (free_count) room
static double pressed(const gmc_coulomb_step *step, double *push)
{
    size_t n = (size_t)step->world->model->free_count;
    double sum = 0;
    for (int g = 0; g < step->group_count; g++) {
        const gmc_ncp_group *group = &step->groups[g];
        memset(push, 0, n * sizeof *push);
        gmc_ncp_push(1, group, step->contacts, step->solution.r, push);
        for (int k = 0; k < group->column_count; k++) {
            int i = group->columns[k];
            sum += push[i] * push[i] / gmc_coulomb_mass_row(step, i)[i];
        }
    }
    return sum;
}

/// Impulses for the motion as it stands; with all joint limits where the solution passes one that
/// had no row.
static gmc_status meet(gmc_coulomb_step *step, const gmc_step_options *options,
                       const contact_rows *rows, gmc_ladder_report *report)
{
    GMC_TRY(find_impulses(step, options, report));
    if (!gmc_coulomb_joint_passes(step) && !gmc_coulomb_joint_hastens(step)) return GMC_OK;
    int iterations = report->iterations;
    step->limit_speed = INFINITY; // all of them
    step->brakes_all = true;
    forget_rows(step, rows);
    GMC_TRY(find_impulses(step, options, report));
    report->iterations += iterations;
    return GMC_OK;
}

/// Quasi-static: from the velocities found to those that inertia has no part in.
/// @param before  (free_count) in: zeros, from which they were found
static gmc_status settle(gmc_coulomb_step *step, const gmc_step_options *options,
                         const contact_rows *rows, double *before, gmc_ladder_report *report)
{
    size_t n = (size_t)step->world->model->free_count, mark = gmc_arena_mark(step->scratch);
    double *push = gmc_arena_room(step->scratch, n, sizeof *push);
    if (!push) return GMC_E_ARENA_FULL;
    while (!gmc_coulomb_motion_is_settled(step, options->motion, before, pressed(step, push))) {
        gmc_ladder_report solved;
        if (++step->round >= GMC_PROXIMAL_STEPS) return GMC_E_NO_SOLUTION;
        memcpy(before, step->solution.v, n * sizeof *before);
        gmc_arena_reset(step->scratch, mark);
        push = gmc_arena_room(step->scratch, n, sizeof *push);
        forget_rows(step, rows);
        GMC_TRY(gmc_coulomb_motion(step, options->motion, step->round, before));
        GMC_TRY(meet(step, options, rows, &solved));
        if (solved.rung > report->rung) report->rung = solved.rung;
        report->iterations += solved.iterations;
        report->residual = fmax(report->residual, solved.residual);
    }
    return GMC_OK;
}

/// Where would the mechanism go if nothing touched it, what may touch, and which impulses come of
/// it?
static gmc_status solve(gmc_coulomb_step *step, const gmc_step_options *options,
                        gmc_ladder_report *report)
{
    const gmc_model *model = step->world->model;
    double *before = NULL;
    step->solution.v = gmc_arena_room(step->scratch, (size_t)model->dof_count, sizeof(double));
    if (!step->solution.v) return GMC_E_ARENA_FULL;
    for (int i = model->free_count; i < model->dof_count; i++)
        step->solution.v[i] = step->control->v_driven[i];
    if (options->motion != GMC_MOTION_DYNAMIC) {
        before = gmc_arena_doubles(step->scratch, (size_t)model->free_count);
        if (!before) return GMC_E_ARENA_FULL;
    }
    GMC_TRY(gmc_coulomb_motion(step, options->motion, 0, before));
    GMC_TRY(gmc_coulomb_contact_rows(step));
    const contact_rows rows = {step->group_count, step->contact_count};
    GMC_TRY(meet(step, options, &rows, report));
    if (options->motion == GMC_MOTION_QUASI_STATIC)
        GMC_TRY(settle(step, options, &rows, before, report));
    for (int i = 0; i < model->free_count; i++)
        if (!(fabs(step->solution.v[i]) < SPEED_MAX)) return GMC_E_DIVERGED;
    return GMC_OK;
}

// Contacts take a body's points to move along w x r. A thin rod that rolls at 1000 rad/s and tips
// at 30 turns about a mean axis near its own instead: it hardly tips, and its end is pushed through
// the floor.
bool gmc_coulomb_turns_too_far(const gmc_coulomb_step *step, double turn_max)
{
    const gmc_world *world = step->world;
    for (int i = 0; i < step->memory->isolated_count; i++) {
        int b = step->memory->isolated[i];
        const double *v = step->solution.v + world->model->bodies[b].v + 3;
        gmc_vec3 w = {v[0], v[1], v[2]};
        double turn2 = step->h * step->h * gmc_vec3_dot(w, w);
        if (!(turn2 > turn_max * turn_max)) continue;
        gmc_vec3 L = gmc_mat3_apply(&world->kin.I_w[b], w), off = gmc_vec3_cross(w, L);
        double both2 = gmc_vec3_dot(w, w) * gmc_vec3_dot(L, L);
        if (gmc_vec3_dot(off, off) > OFF_AXIS * OFF_AXIS * both2) return true;
    }
    return false;
}

/// Did any contact of the two geoms of contact c press in the step before?
static bool has_pressed(const gmc_contact_set *set, int c)
{
    const gmc_contact_point *point = &set->contacts[c].point;
    int first = c;
    for (; first > 0; first--) {
        const gmc_contact_point *other = &set->contacts[first - 1].point;
        if (other->geom_a != point->geom_a || other->geom_b != point->geom_b) break;
    }
    for (int i = first; i < set->count; i++) {
        const gmc_contact_point *other = &set->contacts[i].point;
        if (other->geom_a != point->geom_a || other->geom_b != point->geom_b) break;
        if (set->contacts[i].impulse[0] > 0) return true;
    }
    return false;
}

/// Does something arrive in this step that was apart, faster than IMPACT_SPEED, or a pad's region
/// move on by far?
static bool strikes(const gmc_coulomb_step *step)
{
    const gmc_contact_set *set = &step->world->contacts;
    const gmc_kinematics *kin = &step->world->kin;
    // so many that one strikes in every step
    if (step->world->model->free_count > GMC_NEWTON_SPARSE_MIN) return false;
    for (int c = 0; c < set->count; c++) {
        const gmc_contact *contact = &set->contacts[c];
        if (contact->impulse[0] > 0 || !(step->solution.r[3 * c] > 0)) continue;
        if (contact->extra && contact->extra->ground != 0 && has_pressed(set, c)) continue;
        gmc_twist V = gmc_twist_add_scaled(kin->V[contact->body_b], -1, kin->V[contact->body_a]);
        gmc_vec3 u = gmc_twist_at(&V, contact->point.p);
        if (gmc_vec3_dot(contact->dir[0], u) < -IMPACT_SPEED) return true;
    }
    return gmc_coulomb_pad_leaps(step);
}

/// gmc_state_advance takes gravity as it is now to act over the step; here its mean acts over the
/// span.
static void add_weight(const gmc_coulomb_step *step, double *impulse)
{
    const gmc_model *model = step->world->model;
    double more = step->span - step->h;
    gmc_vec3 g = model->gravity, changed = gmc_vec3_sub(step->gravity, g);
    if (more == 0 && changed.x == 0 && changed.y == 0 && changed.z == 0) return;
    for (int k = 0; k < step->memory->isolated_count; k++) {
        const gmc_body *body = &model->bodies[step->memory->isolated[k]];
        double m = body->inertia.mass;
        for (int i = 0; i < 3; i++)
            impulse[body->v + i] +=
                more * m * gmc_vec3_get(g, i) + step->span * m * gmc_vec3_get(changed, i);
    }
}

static gmc_status find_wrenches(gmc_coulomb_step *step)
{
    size_t count = 6 * (size_t)step->group_count;
    step->wrenches = gmc_arena_room(step->scratch, count, sizeof *step->wrenches);
    if (!step->wrenches) return GMC_E_ARENA_FULL;
    for (int g = 0; g < step->group_count; g++)
        gmc_ncp_group_wrench(&step->groups[g], step->contacts, step->solution.r,
                             step->wrenches + 6 * g);
    return GMC_OK;
}

/// Generalised impulse of everything but gravity and bias, for the bodies that carry their
/// momentum; NULL where there are none.
static gmc_status received_impulse(const gmc_coulomb_step *step, double **impulse)
{
    const gmc_world *world = step->world;
    const gmc_model *model = world->model;
    double span = step->span, *sum;
    *impulse = NULL;
    if (step->memory->isolated_count == 0) return GMC_OK;
    sum = gmc_arena_room(step->scratch, (size_t)model->free_count, sizeof *sum);
    if (!sum) return GMC_E_ARENA_FULL;
    for (int i = 0; i < model->free_count; i++)
        sum[i] = span * (model->dofs[i].damping * step->solution.v[i] - step->control->force[i]);
    for (int g = 0; g < step->group_count; g++)
        gmc_ncp_group_push(&step->groups[g], step->wrenches + 6 * g, sum);
    for (int i = 0; i < model->free_count; i++)
        sum[i] = -sum[i];
    for (int i = step->joint_row_count; i < step->row_count; i++)
        for (int k = 0; k < step->rows[i].column_count; k++)
            sum[step->rows[i].columns[k]] += step->rows[i].J[k] * step->solution.s[i];
    add_weight(step, sum);
    *impulse = sum;
    return GMC_OK;
}

static void fill_report(const gmc_coulomb_step *step, const gmc_ladder_report *ladder,
                        gmc_step_report *report)
{
    const gmc_world *world = step->world;
    double span = step->span;
    *report = (gmc_step_report){.rung = ladder->rung,
                                .iterations = ladder->iterations,
                                .residual = ladder->residual,
                                .span = span,
                                .contact_count = world->contacts.count};
    double impulse = 0;
    for (int c = 0; c < world->contacts.count; c++) {
        const gmc_contact *contact = &world->contacts.contacts[c];
        double overlap = -contact->point.gap;
        bool is_hard = !(contact->extra && contact->law.extra->pad > 0);
        report->max_penetration = gmc_max(overlap, report->max_penetration);
        if (is_hard) report->hard_penetration = gmc_max(overlap, report->hard_penetration);
        report->pad_press = gmc_max(gmc_pad_pressed(contact, world->model), report->pad_press);
        if (contact->impulse[0] > impulse) impulse = contact->impulse[0];
    }
    report->pad_press = gmc_max(gmc_coulomb_pad_pressed(step), report->pad_press);
    report->max_penetration = gmc_max(gmc_coulomb_pad_depth(step), report->max_penetration);
    report->max_force = impulse / span;
}

/// @param look     velocities that contacts were looked for with; NULL: farther is not to be looked
/// @param is_soft  (block_count) out: what is squeezed, too
static gmc_status coulomb_try(gmc_coulomb_step *step, const gmc_step_options *options,
                              gmc_twist *look, bool *is_soft, gmc_step_report *report)
{
    gmc_world *world = step->world;
    const gmc_model *model = world->model;
    gmc_ladder_report ladder;
    gmc_coulomb_energy energy;
    double *impulse, *rise;
    GMC_TRY(solve(step, options, &ladder));
    if (step->has_impact) GMC_TRY(gmc_coulomb_squeeze_find(step, is_soft, &step->is_squeezed));
    if (step->is_squeezed) return GMC_E_NO_SOLUTION;
    if (gmc_coulomb_turns_too_far(step, options->turn_max)) return GMC_E_NO_SOLUTION;
    bool is_dynamic = options->motion == GMC_MOTION_DYNAMIC;
    bool is_long = is_dynamic && step->h > options->impact_step;
    if (is_long && (strikes(step) || gmc_coulomb_rim_whirls(step))) {
        report->is_impact = true;
        return GMC_E_NO_SOLUTION;
    }
    step->is_outrun = look && gmc_coulomb_outruns(step, options->reach, look);
    if (step->is_outrun) return GMC_E_NO_SOLUTION;
    GMC_TRY(gmc_coulomb_rise(step, options, &rise, &ladder));
    GMC_TRY(find_wrenches(step));
    GMC_TRY(received_impulse(step, &impulse));
    bool has_energy = is_dynamic && (step->is_start || step->memory->balance.is_begun);
    if (has_energy) GMC_TRY(gmc_coulomb_energy_open(step, &energy));

    // solved and judged: only now touch the world
    gmc_coulomb_contact_keep(step);
    gmc_coulomb_flat_keep(step);
    gmc_coulomb_joint_keep(step);
    if (step->torque_count > 0) gmc_coulomb_torque_keep(step);
    gmc_coulomb_motion_keep(step);
    gmc_state_advance(model, &world->kin, step->solution.v, impulse, step->control->q_driven,
                      step->h, &world->state);
    if (rise) gmc_state_move(model, &world->kin, rise, step->h, &world->state);
    if (!is_dynamic) // no momentum that differs from it
        memcpy(world->state.v, step->solution.v, (size_t)model->dof_count * sizeof(double));
    gmc_kinematics_update(model, world->state.q, world->state.v, &world->kin);
    gmc_coulomb_contact_correct(step);
    gmc_coulomb_rise_keep(step);
    gmc_coulomb_torque_correct(step);
    if (model->support_count > 0) gmc_coulomb_support_keep(step);
    fill_report(step, &ladder, report);
    report->max_effort = gmc_coulomb_joint_effort(step);
    if (has_energy) gmc_coulomb_energy_close(step, &energy, &report->energy);
    return GMC_OK;
}

static double span_of(const gmc_coulomb_step *step, const gmc_step_options *options)
{
    if (!step->is_centred) return step->h;
    double before = step->memory->h_last > 0 ? step->memory->h_last : step->h;
    return 0.5 * (step->h + (options->is_start ? 0 : before));
}

/// @param is_soft     (block_count) out: what is squeezed, too
/// @param has_impact  out: there were some
static gmc_status try_once(const gmc_coulomb_step *fresh, const gmc_step_options *options,
                           bool *is_soft, bool *has_impact, gmc_step_report *report)
{
    const gmc_world *world = fresh->world;
    size_t bodies = (size_t)world->model->body_count;
    gmc_twist *look = gmc_arena_room(fresh->scratch, bodies, sizeof *look);
    if (!look) return GMC_E_ARENA_FULL;
    memcpy(look, world->kin.V, bodies * sizeof *look);
    size_t mark = gmc_arena_mark(fresh->scratch);
    for (int looks = 1;;) {
        gmc_coulomb_step step = *fresh;
        step.is_soft = is_soft;
        gmc_arena_reset(step.scratch, mark);
        GMC_TRY(gmc_coulomb_find_contacts(&step, options->reach, look));
        gmc_status status =
            coulomb_try(&step, options, looks < GMC_COULOMB_LOOKS ? look : NULL, is_soft, report);
        if (status != GMC_OK) gmc_contact_set_restore(&step.world->contacts);
        *has_impact = step.has_impact;
        looks += step.is_outrun;
        if (!step.is_outrun && !step.is_squeezed) return status; // each time more is soft
    }
}

static gmc_status coulomb_step(gmc_world *world, const gmc_control *control,
                               const gmc_step_options *options, double h, gmc_arena *scratch,
                               gmc_step_report *report)
{
    gmc_coulomb_step step = {.world = world,
                             .memory = world->stepper_memory,
                             .control = control,
                             .h = h,
                             .is_centred = options->motion == GMC_MOTION_DYNAMIC,
                             .is_start = options->is_start,
                             .limit_speed = LIMIT_SPEED,
                             .scratch = scratch};
    GMC_ASSERT(h > 0);
    step.span = span_of(&step, options);
    bool has_impact = false;
    size_t blocks = (size_t)step.memory->block_count;
    bool *is_soft = gmc_arena_take(scratch, blocks, sizeof *is_soft);
    if (!is_soft) return GMC_E_ARENA_FULL;
    size_t mark = gmc_arena_mark(scratch);
    gmc_status status = try_once(&step, options, is_soft, &has_impact, report);
    bool is_unsolved = status == GMC_E_NO_SOLUTION || status == GMC_E_RESIDUAL;
    if (!is_unsolved || !has_impact || report->is_impact) return status;
    gmc_arena_reset(scratch, mark);
    for (size_t b = 0; b < blocks; b++)
        is_soft[b] = true;
    return try_once(&step, options, is_soft, &has_impact, report);
}

/// Those for the exact cone. lemke is not: it would hold with less friction than the scenario says.
static const char *const SOLVERS[] = {GMC_COULOMB_SOLVERS(GMC_COMMA), NULL};

const gmc_stepper gmc_coulomb_stepper = {
    .name = "coulomb",
    .about = GMC_COULOMB_ABOUT,
    .solvers = SOLVERS,
    .can = GMC_CAN_BOUNCE | GMC_CAN_TORSION | GMC_CAN_ROLLING | GMC_CAN_KINETIC | GMC_CAN_GRAIN |
           GMC_CAN_PADS,
    .knows = {true, true, true},
    .create = coulomb_create,
    .step = coulomb_step,
};

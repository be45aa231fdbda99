// The motion of a step without contacts: Mh and p*, and what inertia does in them.
//
//   dynamic       Mh = M + ...,        p* = M v + H (f - c + g) + ...
//   first order   Mh = h M/s + ...,    p* = h (f + g) + ...
//   quasi-static  Mh = κ M + ...,      p* = κ M v_k + h (f + g) + ...,
//                                      v_k the velocities found before
//
// with damping and servos (...) alike. Without inertia the equations alone do not say how fast a
// body goes that nothing but its friction holds, and Mh = 0 cannot be inverted. So the quasi-static
// solution is found as the limit of proximal steps from rest: a share κ of the inertia holds on to
// the velocities found before, until they change no more. What is left of it is nothing, so neither
// mass nor the motion of the step before enter the result (but mass as weight). Each step takes off
// all but κ |v| / (mu g h) of the error: three digits at 10 mm/s.
//
// Rejected: one solve with an inertia small enough to be neglected, 1e-9 of the friction forces:
// velocities are then differences of numbers a million times larger.

#include "engine/contact/mechanism/mechanism.h"
#include "engine/dynamics/crba.h"
#include "engine/dynamics/rnea.h"
#include "engine/math/dense.h"
#include "engine/model/support.h"

#include <string.h>

/// κ: small enough for a few steps, large enough for the digits that the solver leaves. Where they
/// are not enough it becomes a tenth every so many steps, down to a least one: a pyramid's flat
/// sides make motions take nearly the same power, and the small force that is left over between
/// them would take hundreds of steps from the one to the other.
static const double HOLD = 1e-3, HOLD_LEAST = 1e-7;
enum { STEPS_PER_HOLD = 6 };
/// Rate that stands for d/dt of the first-order model [1/s].
static const double FIRST_ORDER_RATE = 1;
/// Change of velocities, relative in the norm of M, at which they are found.
static const double SETTLED = 1e-11;
/// And the same against the velocities that applied and normal forces alone would cause: the
/// solver's rounding.
static const double NOISE = 1e-12;
/// Beyond it a step's geometry means nothing [m/s, rad/s].
static const double SPEED_MAX = 1e5;
/// Sine between spin and angular momentum up to which a body spins about an axis of its own: it
/// then wobbles by no more than this [-].
static const double OFF_AXIS = 1e-2;

// ---- the mass matrix ---------------------------------------------------------------------------

/// Room for the factors of Mh, none of which is made.
static gmc_status make_factors(gmc_mechanism_step *step)
{
    const gmc_mechanism_memory *memory = step->memory;
    size_t count = (size_t)memory->block_count, all = 0, n = (size_t)step->world->model->free_count;
    const int *start = memory->block_start;
    for (int b = 0; b < memory->block_count; b++) {
        int size = start[b + 1] - start[b];
        all += (size_t)size * ((size_t)gmc_mat_stride(size) + 1);
    }
    step->factors = GMC_NEW(step->scratch, count, gmc_mechanism_factor);
    double *x = GMC_ROOM(step->scratch, all, double);
    int *last = GMC_ROOM(step->scratch, n, int);
    if (!step->factors || !x || !last) return GMC_E_ARENA_FULL;
    for (int b = 0; b < memory->block_count; b++) {
        int size = start[b + 1] - start[b];
        step->factors[b] = (gmc_mechanism_factor){.x = x, .last = last + start[b]};
        x += size * (gmc_mat_stride(size) + 1);
    }
    return GMC_OK;
}

void gmc_mechanism_mass_solve(const gmc_mechanism_step *step, int block, double *x)
{
    int from = step->memory->block_start[block], n = step->memory->block_start[block + 1] - from;
    int stride = gmc_mat_stride(n);
    gmc_mechanism_factor *factor = &step->factors[block];
    double *inverse_d = factor->x + n * stride;
    gmc_mat A = {factor->x, n, n, stride};
    if (factor->state == GMC_FACTOR_UNKNOWN) {
        memset(factor->x, 0, (size_t)n * (size_t)stride * sizeof *factor->x);
        for (int i = 0; i < n; i++)
            memcpy(factor->x + i * stride, gmc_mechanism_mass_row(step, from + i) + from,
                   (size_t)n * sizeof *x);
        bool is_made = gmc_mat_ldlt_factor(A, factor->last, inverse_d);
        factor->state = is_made ? GMC_FACTOR_MADE : GMC_FACTOR_NONE;
    }
    if (factor->state == GMC_FACTOR_MADE) gmc_mat_ldlt_solve(A, factor->last, inverse_d, x + from);
}

// ---- weight ------------------------------------------------------------------------------------

/// Mean over the span. A program may change it from step to step: half of the step before is in the
/// span, too.
static gmc_vec3 mean_gravity(const gmc_mechanism_step *step)
{
    gmc_vec3 now = step->world->model->gravity;
    if (!step->is_centred || step->is_start || !(step->memory->h_last > 0)) return now;
    double share = 1 - 0.5 * step->h / step->span; // of the step before
    return gmc_vec3_add_scaled(now, share, gmc_vec3_sub(step->memory->gravity_last, now));
}

/// Weight of what is not isolated, or of all, as generalised impulses added to `impulse`.
/// @param h        over which it acts [s]
/// @param impulse  (free_count)
static void add_weight(const gmc_world *world, double h, gmc_vec3 gravity, bool is_all,
                       double *impulse)
{
    const gmc_model *model = world->model;
    const gmc_kinematics *kin = &world->kin;
    for (int b = 1; b < model->body_count; b++) {
        const gmc_body *body = &model->bodies[b];
        gmc_vec3 weight = gmc_vec3_scale(h * body->inertia.mass, gravity);
        if (body->is_isolated) {
            for (int i = 0; i < 3 && is_all; i++)
                impulse[body->v + i] += gmc_vec3_get(weight, i);
            continue;
        }
        for (int k = kin->chain_start[b]; k < kin->chain_start[b + 1]; k++) {
            int dof = kin->axis_dof[kin->chain[k]];
            if (dof >= model->free_count) continue;
            impulse[dof] +=
                gmc_vec3_dot(weight, gmc_twist_at(&kin->axes[kin->chain[k]], kin->com_w[b]));
        }
    }
}

// ---- with inertia ------------------------------------------------------------------------------

/// I w̄ of an isolated body that nothing touches: gyroscopic effects by the midpoint rule. What has
/// the same moment about every axis knows none.
/// @param spun  (3) in: zero; out: w̄ - w
static gmc_vec3 spin_momentum(const gmc_world *world, int body, gmc_vec3 w, double h, double *spun)
{
    const gmc_inertia *inertia = &world->model->bodies[body].inertia;
    if (world->kin.steady[body].roundness == GMC_ROUNDNESS_FULL)
        return gmc_vec3_scale(inertia->I.m[0], w);
    if (w.x == 0 && w.y == 0 && w.z == 0) return w;
    const gmc_mat3 *I_w = &world->kin.I_w[body];
    gmc_vec3 mean =
        gmc_state_mean_rotation(&world->kin.X_wb[body].R, &inertia->I, gmc_mat3_apply(I_w, w), h);
    spun[0] = mean.x - w.x, spun[1] = mean.y - w.y, spun[2] = mean.z - w.z;
    return gmc_mat3_apply(I_w, mean);
}

static void isolated_momentum(const gmc_mechanism_step *step, int body, double *momentum)
{
    const gmc_world *world = step->world;
    const gmc_body *b = &world->model->bodies[body];
    const double *v = world->state.v + b->v, *force = step->control->force + b->v;
    const gmc_vec3 g = step->gravity;
    double *p = momentum + b->v, span = step->span;
    double *spun = step->spun + b->v + 3;
    gmc_vec3 L = spin_momentum(world, body, (gmc_vec3){v[3], v[4], v[5]}, step->h, spun);
    for (int i = 0; i < 3; i++) {
        double mass = gmc_mechanism_mass_row(step, b->v + i)[b->v + i];
        p[i] = span * (force[i] + b->inertia.mass * gmc_vec3_get(g, i)) + mass * v[i];
        p[3 + i] = gmc_vec3_get(L, i) + span * force[3 + i];
    }
}

/// p* of what is not isolated: M v + span (f - c + g), block by block.
static void tree_momentum(const gmc_mechanism_step *step, int block, const double *tau,
                          double *momentum)
{
    const double *v = step->world->state.v, *force = step->control->force;
    const int *start = step->memory->block_start;
    for (int i = start[block]; i < start[block + 1]; i++) {
        double p = step->span * (force[i] - tau[i]);
        const double *row = gmc_mechanism_mass_row(step, i);
        for (int j = start[block]; j < start[block + 1]; j++)
            p += row[j] * v[j];
        momentum[i] = p;
    }
}

/// Viscous damping D [kg, kg·m²] of a dof into Mh and p*: all of it late (θ = 1), or the share θ of
/// coulomb.h.
static void damp(const gmc_mechanism_step *step, int dof, double D, bool is_late)
{
    double *mass = &gmc_mechanism_mass_row(step, dof)[dof];
    double late = is_late ? 1 : (*mass + D) / (2 * *mass + D);
    if (step->damped) {
        step->damped[2 * dof] += late * D;
        step->damped[2 * dof + 1] += (1 - late) * D;
    }
    step->momentum[dof] -= (1 - late) * D * step->world->state.v[dof];
    *mass += late * D;
    step->added[dof] += late * D;
}

/// Viscous damping of one block: D (θ v⁺ + (1 - θ) v).
static void damp_block(const gmc_mechanism_step *step, int block)
{
    const int *start = step->memory->block_start;
    for (int i = start[block]; i < start[block + 1]; i++) {
        double D = step->span * step->world->model->dofs[i].damping;
        if (D > 0) damp(step, i, D, !step->is_centred || step->memory->is_isolated[block]);
    }
}

/// Viscous friction of supports: the points share it as they share the weight, so that it acts at
/// the mass centre, as diag(c, c, c ρ²).
static void damp_supports(const gmc_mechanism_step *step)
{
    const gmc_model *model = step->world->model;
    for (int i = 0; i < model->support_count; i++) {
        const gmc_support *support = &model->supports[i];
        int first = model->bodies[support->body].v;
        if (!(support->damping > 0) || first >= model->free_count) continue;
        const double *forces = step->memory->support_forces + support->point_first;
        double D = step->span * support->damping, arm2 = gmc_support_arm2(model, support, forces);
        for (int k = 0; k < 3; k++)
            damp(step, first + k, k < 2 ? D : D * arm2, !step->is_centred);
    }
}

/// Viscous damping and unlimited servos, implicit, into Mh and p*.
static void add_damping(const gmc_mechanism_step *step)
{
    const gmc_control *control = step->control;
    double span = step->span;
    for (int block = 0; block < step->memory->block_count; block++)
        damp_block(step, block);
    for (int k = 0; k < step->memory->joint_count; k++) {
        int i = step->memory->joints[k].dof;
        double kp = control->stiffness[i], kd = control->damping[i];
        if ((kp == 0 && kd == 0) || control->force_limit[i] < HUGE_VAL) continue;
        double error = control->q_ref[i] - step->world->state.q[step->memory->joints[k].q];
        step->momentum[i] += span * (kp * error + kd * control->v_ref[i]);
        gmc_mechanism_mass_row(step, i)[i] += span * (kd + step->h * kp);
        step->added[i] += span * (kd + step->h * kp);
    }
    if (step->world->model->support_count > 0) damp_supports(step);
}

/// M in step->mass, and room for p*.
static gmc_status mass_of(gmc_mechanism_step *step)
{
    const gmc_model *model = step->world->model;
    const gmc_mechanism_memory *memory = step->memory;
    int n = model->free_count, width = memory->mass_width > 0 ? memory->mass_width : n;
    size_t size = (size_t)n * (size_t)width, dofs = (size_t)model->dof_count;
    step->mass = GMC_ROOM(step->scratch, size + (size_t)n + dofs, double);
    if (!step->mass) return GMC_E_ARENA_FULL;
    step->momentum = step->mass + size;
    bool has_damping = memory->has_damping;
    step->spun = GMC_NEW(step->scratch, (has_damping ? 4 : 2) * n, double);
    if (!step->spun) return GMC_E_ARENA_FULL;
    step->added = step->spun + n;
    step->damped = has_damping ? step->added + n : NULL;
    GMC_TRY(make_factors(step));
    memcpy(step->mass, memory->mass_steady, size * sizeof *step->mass);
    return gmc_crba_turning(model, &step->world->kin, memory->block_first, width, step->mass,
                            step->scratch);
}

// Coriolis and centrifugal forces are wanted at the step's start, the middle of the span;
// velocities are known in the middle of the step before. v = v₋ + (h₋/2) a, with a the acceleration
// over the span: what inertia makes of these forces and of all others but contacts and rows, which
// are taken as they were in the step before. So a is what it is wanted for, and found by
// repetition. With none, forces lag behind by h²: third order, and of 11 J a double pendulum loses
// 0.04 J in 20 s at 2 ms, ratios of errors at 4 and 2 ms are 3.3 to 5.1 where 4 is right; with one
// it is 2e-3 J, 4.8; with two 1e-3 J, 3.99; more change nothing. At rest they are zero, whatever
// else acts.
//
// Rejected: solving again with contacts, which costs a solve; forces linear in v⁺, which make Mh
// unsymmetric.

/// Bias forces c - g of the trees, and what driven joints' accelerations ask of the free ones.
typedef struct bias {
    double *a;   ///< (dof_count) accelerations of driven joints over the span; NULL: there are none
    double *now; ///< (dof_count) velocities that they are of
    double *tau; ///< (dof_count) the forces
} bias;

/// Rounds of repetition, and the acceleration below which a change of forces is none [1/s²].
enum { BIAS_ROUNDS = 2 };
static const double BIAS_NOISE = 1e-12;

static gmc_status driven_accelerations(const gmc_mechanism_step *step, double **a)
{
    const gmc_model *model = step->world->model;
    *a = NULL;
    if (!step->memory->has_driven) return GMC_OK;
    *a = GMC_NEW(step->scratch, model->dof_count, double);
    if (!*a) return GMC_E_ARENA_FULL;
    for (int i = model->free_count; i < model->dof_count; i++)
        (*a)[i] = (step->control->v_driven[i] - step->world->state.v[i]) / step->span;
    return GMC_OK;
}

/// Time from the middle of the step before to the start of this one.
static double time_since(const gmc_mechanism_step *step)
{
    return step->is_start ? 0 : 0.5 * step->memory->h_last;
}

/// Velocities at the step's start if they go on changing as in the step before. Driven joints' are
/// known on both sides.
static void guess_now(const gmc_mechanism_step *step, double *now)
{
    const gmc_model *model = step->world->model;
    const gmc_mechanism_memory *memory = step->memory;
    const double *before = step->world->state.v, *driven = step->control->v_driven;
    double since = time_since(step);
    memcpy(now, before, (size_t)model->free_count * sizeof *now);
    for (int k = 0; k < memory->coupled_count; k++)
        now[memory->coupled[k]] += since * memory->rate[k];
    for (int i = model->free_count; i < model->dof_count; i++)
        now[i] = before[i] + since / step->span * (driven[i] - before[i]);
}

/// Is there anything that depends on velocities in this step?
static bool turns(const gmc_mechanism_step *step)
{
    const gmc_mechanism_memory *memory = step->memory;
    bool is_turning = memory->is_turned;
    for (int k = 0; k < memory->turner_count && !is_turning; k++) {
        int i = memory->turners[k];
        is_turning = step->world->state.v[i] != 0 || step->control->v_driven[i] != 0;
    }
    return is_turning && memory->coupled_count > 0;
}

static gmc_status find_bias(const gmc_mechanism_step *step, bias *b)
{
    const gmc_world *world = step->world;
    GMC_TRY(driven_accelerations(step, &b->a));
    b->now = world->state.v;
    b->tau = step->momentum + world->model->free_count; // room was made with the mass
    if (turns(step)) {
        b->now = GMC_ROOM(step->scratch, world->model->dof_count, double);
        if (!b->now) return GMC_E_ARENA_FULL;
        guess_now(step, b->now);
    }
    return gmc_rnea_trees(world->model, &world->kin, b->now, b->a, b->tau, step->scratch);
}

/// step->coasting from p*.
static void coast(const gmc_mechanism_step *step)
{
    const gmc_mechanism_memory *memory = step->memory;
    memcpy(step->coasting, step->momentum,
           (size_t)step->world->model->free_count * sizeof *step->coasting);
    for (int k = 0; k < memory->coupled_count;) {
        int block = gmc_mechanism_block(memory, memory->coupled[k]);
        gmc_mechanism_mass_solve(step, block, step->coasting);
        k += memory->block_start[block + 1] - memory->block_start[block];
    }
}

/// Velocities at the step's start by what coasting and the rows of the step before make of those
/// before. @return whether forces there differ
static bool find_now(const gmc_mechanism_step *step, double *now)
{
    const gmc_model *model = step->world->model;
    const gmc_mechanism_memory *memory = step->memory;
    const double *before = step->world->state.v;
    double since = time_since(step), change = 0, speed = 0;
    for (int k = 0; k < memory->coupled_count; k++) {
        int i = memory->coupled[k];
        double rate = (step->coasting[i] - before[i]) / step->span + memory->pushed[k];
        double v = before[i] + since * rate;
        change = gmc_max(fabs(v - now[i]), change);
        speed = gmc_max(gmc_max(fabs(v), fabs(now[i])), speed);
        now[i] = v;
    }
    for (int i = model->free_count; i < model->dof_count; i++)
        speed = gmc_max(fabs(now[i]), speed);
    return change * speed > BIAS_NOISE;
}

/// p* of bias forces at the step's start; step->coasting.
static gmc_status mechanism_refine(gmc_mechanism_step *step, bias *b)
{
    const gmc_world *world = step->world;
    const gmc_model *model = world->model;
    const gmc_mechanism_memory *memory = step->memory;
    size_t n = (size_t)model->dof_count;
    double *other = GMC_ROOM(step->scratch, n, double);
    step->coasting = GMC_ROOM(step->scratch, n, double);
    if (!other || !step->coasting) return GMC_E_ARENA_FULL;
    coast(step);
    int rounds = memory->is_pushed ? BIAS_ROUNDS : 0;
    for (int round = 0; round < rounds && find_now(step, b->now); round++) {
        GMC_TRY(gmc_rnea_trees(model, &world->kin, b->now, b->a, other, step->scratch));
        for (int k = 0; k < memory->coupled_count; k++) {
            int i = memory->coupled[k];
            step->momentum[i] += step->span * (b->tau[i] - other[i]);
        }
        memcpy(b->tau, other, n * sizeof *other);
        coast(step);
    }
    return GMC_OK;
}

/// gmc_rnea_trees takes gravity as it is now.
static void correct_weight(const gmc_mechanism_step *step)
{
    gmc_vec3 more = gmc_vec3_sub(step->gravity, step->world->model->gravity);
    if (more.x == 0 && more.y == 0 && more.z == 0) return;
    add_weight(step->world, step->span, more, false, step->momentum);
}

static gmc_status dynamic_motion(gmc_mechanism_step *step)
{
    const gmc_mechanism_memory *memory = step->memory;
    bias b;
    GMC_TRY(mass_of(step));
    GMC_TRY(find_bias(step, &b));
    for (int block = 0; block < memory->block_count; block++)
        if (!memory->is_isolated[block]) tree_momentum(step, block, b.tau, step->momentum);
    correct_weight(step);
    for (int i = 0; i < memory->isolated_count; i++)
        isolated_momentum(step, memory->isolated[i], step->momentum);
    add_damping(step);
    return turns(step) ? mechanism_refine(step, &b) : GMC_OK;
}

// ---- without -----------------------------------------------------------------------------------

/// M of the step times v.
static void multiply(const gmc_mechanism_step *motion, const double *v, double *p)
{
    const int *start = motion->memory->block_start;
    for (int block = 0; block < motion->memory->block_count; block++)
        for (int i = start[block]; i < start[block + 1]; i++) {
            const double *row = gmc_mechanism_mass_row(motion, i);
            p[i] = 0;
            for (int j = start[block]; j < start[block + 1]; j++)
                p[i] += row[j] * v[j];
        }
}

/// Share of the inertia that a proximal step holds on with.
static double hold_of(int round)
{
    double hold = HOLD;
    for (int k = STEPS_PER_HOLD; k <= round && hold > 1.5 * HOLD_LEAST; k += STEPS_PER_HOLD)
        hold *= 0.1;
    return hold;
}

gmc_status gmc_mechanism_motion(gmc_mechanism_step *step, gmc_motion kind, int round,
                                const double *v_before)
{
    step->gravity = mean_gravity(step);
    if (kind == GMC_MOTION_DYNAMIC) return dynamic_motion(step);
    int n = step->world->model->free_count;
    size_t width = (size_t)(step->memory->mass_width > 0 ? step->memory->mass_width : n);
    double share = kind == GMC_MOTION_QUASI_STATIC ? hold_of(round) : FIRST_ORDER_RATE * step->h;
    GMC_TRY(mass_of(step));
    for (size_t i = 0; i < (size_t)n * width; i++)
        step->mass[i] *= share;
    if (kind == GMC_MOTION_QUASI_STATIC)
        multiply(step, v_before, step->momentum);
    else
        memset(step->momentum, 0, (size_t)n * sizeof(double));
    for (int i = 0; i < n; i++)
        step->momentum[i] += step->h * step->control->force[i];
    add_weight(step->world, step->h, step->gravity, true, step->momentum);
    add_damping(step);
    return GMC_OK;
}

bool gmc_mechanism_is_settled(const gmc_mechanism_step *step, gmc_motion kind,
                              const double *v_before, double pressed)
{
    const double *v = step->v;
    double change = 0, size = 0, free = pressed;
    if (kind != GMC_MOTION_QUASI_STATIC) return true;
    for (int i = 0; i < step->world->model->free_count; i++) {
        double m = gmc_mechanism_mass_row(step, i)[i], d = v[i] - v_before[i];
        change += m * d * d;
        size += m * v[i] * v[i];
        free += step->momentum[i] * step->momentum[i] / m;
    }
    return change <= SETTLED * SETTLED * size || change <= NOISE * NOISE * free;
}

// ---- the motion of driven joints ---------------------------------------------------------------

gmc_status gmc_mechanism_driven(const gmc_mechanism_step *step, double **v)
{
    const gmc_model *model = step->world->model;
    *v = NULL;
    if (!step->memory->has_driven) return GMC_OK;
    *v = GMC_NEW(step->scratch, model->dof_count, double);
    if (!*v) return GMC_E_ARENA_FULL;
    for (int i = model->free_count; i < model->dof_count; i++)
        (*v)[i] = step->control->v_driven[i];
    return GMC_OK;
}

void gmc_mechanism_lead_at(const gmc_kinematics *kin, const gmc_contact *contact,
                           gmc_mechanism_lead *lead, double u[3])
{
    u[0] = u[1] = u[2] = 0;
    if (!lead->v) return;
    if (contact->body_a != lead->body_a || contact->body_b != lead->body_b) {
        gmc_twist V_a = gmc_kinematics_twist(kin, contact->body_a, lead->v);
        gmc_twist V_b = gmc_kinematics_twist(kin, contact->body_b, lead->v);
        lead->V = gmc_twist_add_scaled(V_b, -1, V_a);
        lead->body_a = contact->body_a;
        lead->body_b = contact->body_b;
    }
    gmc_vec3 velocity = gmc_twist_at(&lead->V, contact->point.p);
    for (int i = 0; i < 3; i++)
        u[i] = gmc_vec3_dot(contact->dir[i], velocity);
}

// ---- points of bodies --------------------------------------------------------------------------

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

void gmc_mechanism_point_row(const gmc_jacobian *jacobian, gmc_vec3 arm, gmc_vec3 dir, double *row)
{
    for (int k = 0; k < jacobian->count; k++)
        row[k] = entry(jacobian, k, arm, dir);
}

// ---- after the solution ------------------------------------------------------------------------

bool gmc_mechanism_diverges(const gmc_mechanism_step *step)
{
    for (int i = 0; i < step->world->model->free_count; i++)
        if (!(fabs(step->v[i]) < SPEED_MAX)) return true;
    return false;
}

// Contacts take a body's points to move along w x r. A thin rod that rolls at 1000 rad/s and tips
// at 30 turns about a mean axis near its own instead: it hardly tips, and its end is pushed through
// the floor.
bool gmc_mechanism_turns_too_far(const gmc_mechanism_step *step, double turn_max)
{
    const gmc_world *world = step->world;
    for (int i = 0; i < step->memory->isolated_count; i++) {
        int b = step->memory->isolated[i];
        const double *v = step->v + world->model->bodies[b].v + 3;
        gmc_vec3 w = {v[0], v[1], v[2]};
        double turn2 = step->h * step->h * gmc_vec3_dot(w, w);
        if (!(turn2 > turn_max * turn_max)) continue;
        gmc_vec3 L = gmc_mat3_apply(&world->kin.I_w[b], w), off = gmc_vec3_cross(w, L);
        double both2 = gmc_vec3_dot(w, w) * gmc_vec3_dot(L, L);
        if (gmc_vec3_dot(off, off) > OFF_AXIS * OFF_AXIS * both2) return true;
    }
    return false;
}

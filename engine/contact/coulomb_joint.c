// Joints in the default stepper: servos with a force limit, limits and dry friction are one row
// each with an impulse in a box, so that a servo at its limit, a joint on its stop and a brake that
// holds are exact states and not stiff approximations.
//
//   servo     s = -h (kp (q + h v - q_ref) + kd (v - v_ref)), |s| <= h limit
//             R = 1/(h² kp + h kd),  b = (kp (q - q_ref) - kd v_ref) / (h kp + kd)
//   limit     one-sided spring, damped as contacts are (coulomb.c): R = 1/(h k (h + τ)), b = φ/h,
//             of an overlap φ/(h + τ); τ so that a link that falls on its stop does not bounce
//   friction  |s| <= h friction, elastic below it: a finger held by the friction of its joint must
//             not creep. Kelvin–Voigt as in the contacts' tangents:
//             R = 1/(h k (h + τ)), b = δ/(h + τ), δ⁺ = (τ δ - s/k)/(h + τ)
//   brake     what a drive does at speed w, its largest: it takes back what it does and more, so
//             that v <= w, within what it has: 0 <= -b <= h (limit + s(w)), R = 1e-4 w/(h limit).
//             The servo gives no less than s(w) then: both together are within the limit, too. The
//             same towards -w. Clamping the servo's reference was rejected: a force has none

#include "engine/base/check.h"
#include "engine/complementarity/islands.h"
#include "engine/complementarity/newton_sparse.h"
#include "engine/contact/coulomb_internal.h"
#include "engine/dynamics/crba.h"

#include <string.h>

/// Displacement at which joint friction breaks away: the presliding of small gears and guides,
/// below anything that matters to a grasp [rad, m].
static const double PRESLIDING_ANGLE = 1e-4, PRESLIDING_LENGTH = 1e-5;
/// Damping over stiffness of the presliding spring [s]: a joint comes to rest on it in a few ms.
static const double PRESLIDING_RELAXATION = 1e-3;

/// A drive brakes with all that it has where its joint is too fast by this share.
static const double BRAKE_SLACK = 1e-4;
/// One without a largest force leaves this share of the speed beyond the limit.
static const double BRAKE_SHARE = 1e-6;
/// Of a servo beside its brake, at least, against all that it has.
static const double BOX_WIDTH = 1e-3;
/// Joints that are this near to their largest speed have rows of their brakes.
static const double BRAKE_NEAR = 0.9;

enum { ROWS_PER_JOINT = 6 };

// ---- what does not change ---------------------------------------------------------------------

static bool is_scalar_joint(const gmc_body *body)
{
    return !body->is_driven && !body->is_mimic &&
           (body->joint == GMC_JOINT_REVOLUTE || body->joint == GMC_JOINT_PRISMATIC);
}

static gmc_status find_joints(const gmc_model *model, gmc_arena *arena, gmc_coulomb_memory *memory)
{
    memory->joints = gmc_arena_take(arena, (size_t)model->free_count, sizeof *memory->joints);
    if (!memory->joints) return GMC_E_ARENA_FULL;
    for (int i = 1; i < model->body_count; i++) {
        const gmc_body *body = &model->bodies[i];
        if (!is_scalar_joint(body)) continue;
        gmc_coulomb_joint *joint = &memory->joints[memory->joint_count++];
        joint->dof = body->v;
        joint->q = body->q;
        joint->presliding =
            body->joint == GMC_JOINT_REVOLUTE ? PRESLIDING_ANGLE : PRESLIDING_LENGTH;
    }
    return GMC_OK;
}

/// M couples the dofs of one tree only: blocks end where no tree reaches across.
static gmc_status find_blocks(const gmc_model *model, gmc_arena *arena, gmc_coulomb_memory *memory)
{
    size_t n = (size_t)model->free_count, bodies = (size_t)model->body_count;
    memory->block_start = gmc_arena_take(arena, n + 1, sizeof(int));
    int *reach =
        gmc_arena_take(arena, n, sizeof *reach); // furthest dof of the tree that starts here
    int *first = gmc_arena_take(arena, bodies, sizeof *first); // first free dof of the body's tree
    if (!memory->block_start || !reach || !first) return GMC_E_ARENA_FULL;
    for (int i = 0; i < model->free_count; i++)
        reach[i] = i;
    for (int i = 0; i < model->body_count; i++)
        first[i] = -1;
    for (int i = 1; i < model->body_count; i++) {
        const gmc_body *body = &model->bodies[i];
        int tree = i, count = gmc_joint_v_count(body->joint);
        while (model->bodies[tree].parent > 0)
            tree = model->bodies[tree].parent;
        if (count == 0 || body->v >= model->free_count) continue;
        if (first[tree] < 0) first[tree] = body->v;
        int from = first[tree] < body->v ? first[tree] : body->v;
        int to = body->v + count - 1;
        if (to < reach[first[tree]]) to = reach[first[tree]];
        first[tree] = from;
        if (reach[from] < to) reach[from] = to;
    }
    int end = -1;
    for (int i = 0; i < model->free_count; i++) {
        if (i > end) memory->block_start[memory->block_count++] = i;
        if (reach[i] > end) end = reach[i];
    }
    memory->block_start[memory->block_count] = model->free_count;
    return GMC_OK;
}

/// Isolated bodies, and which blocks are one: six dofs between which no other tree reaches across.
static gmc_status find_isolated(const gmc_model *model, gmc_arena *arena,
                                gmc_coulomb_memory *memory)
{
    memory->is_isolated =
        gmc_arena_take(arena, (size_t)memory->block_count, sizeof *memory->is_isolated);
    memory->isolated = gmc_arena_take(arena, (size_t)model->body_count, sizeof *memory->isolated);
    if (!memory->is_isolated || !memory->isolated) return GMC_E_ARENA_FULL;
    for (int i = 1; i < model->body_count; i++) {
        if (!model->bodies[i].is_isolated) continue;
        memory->isolated[memory->isolated_count++] = i;
        for (int b = 0; b < memory->block_count; b++)
            if (memory->block_start[b] == model->bodies[i].v) memory->is_isolated[b] = true;
    }
    return GMC_OK;
}

/// Does the joint's axis k turn what it moves?
static bool is_turn(gmc_joint_type joint, int k)
{
    switch (joint) {
    case GMC_JOINT_REVOLUTE:
    case GMC_JOINT_SPHERICAL:
        return true;
    case GMC_JOINT_FREE:
        return k >= 3;
    case GMC_JOINT_PLANAR:
        return k == 2;
    case GMC_JOINT_PRISMATIC:
    case GMC_JOINT_FIXED:
    case GMC_JOINT_COUNT:
        break;
    }
    return false;
}

/// What turns blocks in which forces depend on velocities, from the bodies above one of theirs.
static void find_turners(const gmc_model *model, int i, gmc_coulomb_memory *memory)
{
    for (; i > 0; i = model->bodies[i].parent) {
        const gmc_body *body = &model->bodies[i];
        for (int k = 0; k < gmc_joint_v_count(body->joint); k++) {
            bool is_known = false;
            if (!is_turn(body->joint, k)) continue;
            if (!body->is_driven) memory->is_turned = true;
            for (int n = 0; n < memory->turner_count; n++)
                is_known = is_known || memory->turners[n] == body->v + k;
            if (body->is_driven && !is_known) memory->turners[memory->turner_count++] = body->v + k;
        }
    }
}

/// Dofs of blocks in which forces depend on velocities: whole blocks, in their order.
static gmc_status find_coupled(const gmc_model *model, const gmc_kinematics *kin, gmc_arena *arena,
                               gmc_coulomb_memory *memory)
{
    bool *is_coupled = gmc_arena_take(arena, (size_t)memory->block_count, sizeof *is_coupled);
    memory->coupled = gmc_arena_take(arena, (size_t)model->free_count, sizeof *memory->coupled);
    memory->turners = gmc_arena_take(arena, (size_t)model->dof_count, sizeof *memory->turners);
    if (!is_coupled || !memory->coupled || !memory->turners) return GMC_E_ARENA_FULL;
    for (int i = 1; i < model->body_count; i++) {
        if (!kin->steady[i].is_coupled) continue;
        find_turners(model, i, memory);
        for (int k = kin->chain_start[i]; k < kin->chain_start[i + 1]; k++) {
            int dof = kin->axis_dof[kin->chain[k]];
            if (dof < model->free_count) is_coupled[gmc_coulomb_block(memory, dof)] = true;
        }
    }
    for (int b = 0; b < memory->block_count; b++)
        for (int i = memory->block_start[b]; i < memory->block_start[b + 1] && is_coupled[b]; i++)
            memory->coupled[memory->coupled_count++] = i;
    memory->rate = gmc_arena_doubles(arena, (size_t)memory->coupled_count);
    memory->pushed = gmc_arena_doubles(arena, (size_t)memory->coupled_count);
    return memory->rate && memory->pushed ? GMC_OK : GMC_E_ARENA_FULL;
}

/// What the blocks mean for the matrices. Where the problem is split into islands, M is in blocks.
static gmc_status plan_blocks(const gmc_model *model, gmc_arena *arena, gmc_coulomb_memory *memory)
{
    int n = model->free_count, widest = 0;
    for (int b = 0; b < memory->block_count; b++) {
        int width = memory->block_start[b + 1] - memory->block_start[b];
        if (width > widest) widest = width;
    }
    memory->column_max = 2 * widest < n ? 2 * widest : n;
    const gmc_ncp problem = {.dof_count = n, .block_count = memory->block_count};
    if (memory->block_count < GMC_ISLANDS_MIN && !gmc_newton_sparse_fits(&problem)) return GMC_OK;
    memory->mass_width = widest;
    memory->block_first = gmc_arena_take(arena, (size_t)n, sizeof(int));
    if (!memory->block_first) return GMC_E_ARENA_FULL;
    for (int b = 0; b < memory->block_count; b++)
        for (int i = memory->block_start[b]; i < memory->block_start[b + 1]; i++)
            memory->block_first[i] = memory->block_start[b];
    return gmc_islands_memory_create(memory->block_count, arena, &memory->islands);
}

static gmc_status find_mass(const gmc_model *model, const gmc_kinematics *kin, gmc_arena *arena,
                            gmc_coulomb_memory *memory)
{
    int n = model->free_count, width = memory->mass_width > 0 ? memory->mass_width : n;
    double *mass = gmc_arena_room(arena, (size_t)n * (size_t)width, sizeof *mass);
    if (!mass) return GMC_E_ARENA_FULL;
    gmc_crba_steady(model, kin, memory->block_first, width, mass);
    memory->mass_steady = mass;
    return GMC_OK;
}

/// Planar shapes stay in their plane (builder.h). Laws with extras (moments, grain) and the support
/// of driven bodies, whose points move with no dof, are left to three dimensions.
static bool is_inplane(const gmc_model *model)
{
    for (int i = 0; i < model->geom_count; i++)
        if (!gmc_shape_is_planar(model->geoms[i].shape.type)) return false;
    for (int i = 0; i < model->surface_count * model->surface_count; i++)
        if (model->laws[i].extra) return false;
    for (int i = 0; i < model->support_count; i++)
        if (model->bodies[model->supports[i].body].is_driven) return false;
    return model->geom_count > 0;
}

gmc_status gmc_coulomb_joint_memory(const gmc_model *model, const gmc_kinematics *kin,
                                    int contact_max, gmc_arena *arena, gmc_coulomb_memory *memory)
{
    *memory = (gmc_coulomb_memory){.has_driven = model->dof_count > model->free_count,
                                   .is_inplane = is_inplane(model)};
    // written by the collider as far as it counts them
    memory->points = gmc_arena_room(arena, (size_t)contact_max, sizeof *memory->points);
    if (!memory->points) return GMC_E_ARENA_FULL;
    GMC_TRY(find_joints(model, arena, memory));
    GMC_TRY(find_blocks(model, arena, memory));
    GMC_TRY(find_isolated(model, arena, memory));
    GMC_TRY(find_coupled(model, kin, arena, memory));
    GMC_TRY(plan_blocks(model, arena, memory));
    GMC_TRY(gmc_coulomb_energy_memory(model, kin, contact_max, arena, memory));
    return find_mass(model, kin, arena, memory);
}

// ---- rows -------------------------------------------------------------------------------------

static const double PLUS = 1, MINUS = -1;

static void add_row(gmc_coulomb_step *step, gmc_coulomb_joint *joint, const double *sign,
                    double bias, double compliance, double lower, double upper, double *kept)
{
    step->rows[step->row_count] = (gmc_ncp_row){.column_count = 1,
                                                .columns = &joint->dof,
                                                .J = sign,
                                                .bias = bias,
                                                .compliance = compliance,
                                                .lower = lower,
                                                .upper = upper};
    step->row_memory[step->row_count] = kept;
    step->solution.s[step->row_count] = gmc_ncp_clamp(*kept, lower, upper);
    step->row_count++;
}

/// Where a drive keeps its joint from being too fast, and what it would do there otherwise.
typedef struct brakes {
    bool has_slower, has_faster; ///< rows at +w, at -w
    double at_plus, at_minus;    ///< its force at these speeds [N, N·m]
} brakes;

static double servo_at(const gmc_control *control, int i, double v_star, double gain, double v)
{
    double limit = control->force_limit[i];
    return gmc_ncp_clamp(gain * (v_star - v), -limit, limit);
}

static brakes find_brakes(const gmc_coulomb_step *step, int i, double v_star, double gain)
{
    double w = step->world->model->dofs[i].max_speed, v = step->world->state.v[i];
    if (!(w < HUGE_VAL)) return (brakes){false, false, 0, 0};
    double force = step->control->force[i], near = BRAKE_NEAR * w;
    return (brakes){.has_slower = step->brakes_all || v > near,
                    .has_faster = step->brakes_all || v < -near,
                    .at_plus = force + servo_at(step->control, i, v_star, gain, w),
                    .at_minus = force + servo_at(step->control, i, v_star, gain, -w)};
}

static void add_brakes(gmc_coulomb_step *step, gmc_coulomb_joint *joint, const brakes *b)
{
    const gmc_dof *dof = &step->world->model->dofs[joint->dof];
    double w = dof->max_speed, most = dof->max_force, span = step->span;
    double R = most < HUGE_VAL && most > 0
                   ? BRAKE_SLACK * w / (span * most)
                   : BRAKE_SHARE / gmc_coulomb_mass_row(step, joint->dof)[joint->dof];
    // a force that is given may be more than the drive has: a brake never drives on
    double back = gmc_max(span * (most + b->at_plus), 0),
           on = gmc_max(span * (most - b->at_minus), 0);
    if (b->has_slower && back > 0) add_row(step, joint, &MINUS, w, R, 0, back, &joint->slower);
    if (b->has_faster && on > 0) add_row(step, joint, &PLUS, w, R, 0, on, &joint->faster);
}

/// What the joint's drive does: its servo, and what keeps it from being too fast.
static void add_drive(gmc_coulomb_step *step, gmc_coulomb_joint *joint, double position)
{
    const gmc_control *control = step->control;
    int i = joint->dof;
    double kp = control->stiffness[i], kd = control->damping[i], limit = control->force_limit[i];
    double h = step->h, span = step->span, gain = h * kp + kd, bias = 0;
    if (gain > 0) bias = (kp * (position - control->q_ref[i]) - kd * control->v_ref[i]) / gain;
    brakes b = find_brakes(step, i, -bias, gain);
    if (gain > 0 && limit < HUGE_VAL) {
        // where it brakes the servo gives no more than at w: a load that is too much for the drive
        // makes it faster still, and the servo would turn round and brake, too. A box must not
        // close
        double lower = -span * limit, upper = span * limit, width = BOX_WIDTH * upper;
        if (b.has_slower) lower = gmc_min(span * (b.at_plus - control->force[i]), upper - width);
        if (b.has_faster) upper = gmc_max(span * (b.at_minus - control->force[i]), lower + width);
        add_row(step, joint, &PLUS, bias, 1 / (span * gain), lower, upper, &joint->servo);
    }
    add_brakes(step, joint, &b);
}

/// Limits nearer than this have a row [m, rad].
static double limit_reach(const gmc_coulomb_step *step, const gmc_coulomb_joint *joint)
{
    return step->h * (fabs(step->world->state.v[joint->dof]) + step->limit_speed);
}

static void add_limits(gmc_coulomb_step *step, gmc_coulomb_joint *joint, double position)
{
    const gmc_dof *dof = &step->world->model->dofs[joint->dof];
    double h = step->h, near = limit_reach(step, joint);
    double mass = gmc_coulomb_mass_row(step, joint->dof)[joint->dof], k = dof->limit_stiffness;
    double spread = 1 / (h + gmc_coulomb_settling(k, 1 / mass)), R = spread / (step->span * k);
    double below = position - dof->lower, above = dof->upper - position;
    double to_lower = below * (below > 0 ? 1 / h : spread);
    double to_upper = above * (above > 0 ? 1 / h : spread);
    if (below < near) add_row(step, joint, &PLUS, to_lower, R, 0, HUGE_VAL, &joint->lower);
    if (above < near) add_row(step, joint, &MINUS, to_upper, R, 0, HUGE_VAL, &joint->upper);
}

bool gmc_coulomb_joint_passes(const gmc_coulomb_step *step)
{
    for (int k = 0; k < step->memory->joint_count; k++) {
        const gmc_coulomb_joint *joint = &step->memory->joints[k];
        double way = step->h * step->solution.v[joint->dof], near = limit_reach(step, joint);
        if (fabs(way) <= near) continue;
        const gmc_dof *dof = &step->world->model->dofs[joint->dof];
        double position = step->world->state.q[joint->q];
        double below = position - dof->lower, above = dof->upper - position;
        if ((below >= near && below + way < 0) || (above >= near && above - way < 0)) return true;
    }
    return false;
}

bool gmc_coulomb_joint_hastens(const gmc_coulomb_step *step)
{
    for (int k = 0; k < step->memory->joint_count && !step->brakes_all; k++) {
        int i = step->memory->joints[k].dof;
        double w = step->world->model->dofs[i].max_speed, v = step->world->state.v[i];
        double after = step->solution.v[i];
        if ((after > w && v <= BRAKE_NEAR * w) || (after < -w && v >= -BRAKE_NEAR * w)) return true;
    }
    return false;
}

static void add_friction(gmc_coulomb_step *step, gmc_coulomb_joint *joint)
{
    double friction = step->world->model->dofs[joint->dof].friction, span = step->span;
    if (!(friction > 0)) return;
    double spread = 1 / (step->h + PRESLIDING_RELAXATION);
    add_row(step, joint, &PLUS, joint->deflection * spread,
            joint->presliding * spread / (span * friction), -span * friction, span * friction,
            &joint->friction);
}

gmc_status gmc_coulomb_joint_rows(gmc_coulomb_step *step)
{
    size_t most = ROWS_PER_JOINT * (size_t)step->memory->joint_count;
    most += (size_t)gmc_coulomb_torque_count(&step->world->contacts).torsion;
    step->rows = gmc_arena_room(step->scratch, most, sizeof *step->rows);
    step->row_memory = gmc_arena_room(step->scratch, most, sizeof *step->row_memory);
    step->solution.s = gmc_arena_room(step->scratch, most, sizeof *step->solution.s);
    if (!step->rows || !step->row_memory || !step->solution.s) return GMC_E_ARENA_FULL;
    for (int k = 0; k < step->memory->joint_count; k++) {
        gmc_coulomb_joint *joint = &step->memory->joints[k];
        double position = step->world->state.q[joint->q];
        add_drive(step, joint, position);
        add_limits(step, joint, position);
        add_friction(step, joint);
    }
    step->joint_row_count = step->row_count;
    return GMC_OK;
}

// ---- after the solution -----------------------------------------------------------------------

/// Impulse of a servo without limit, whose row is in Mh.
static double free_servo_impulse(const gmc_coulomb_step *step, const gmc_coulomb_joint *joint)
{
    const gmc_control *control = step->control;
    int i = joint->dof;
    if (control->force_limit[i] < HUGE_VAL) return 0;
    double v = step->solution.v[i], q = step->world->state.q[joint->q] + step->h * v;
    return -step->span * (control->stiffness[i] * (q - control->q_ref[i]) +
                          control->damping[i] * (v - control->v_ref[i]));
}

void gmc_coulomb_joint_keep(const gmc_coulomb_step *step)
{
    double *sum = step->world->servo_impulse;
    memset(sum, 0, (size_t)step->world->model->free_count * sizeof *sum);
    for (int k = 0; k < step->memory->joint_count; k++) {
        gmc_coulomb_joint *joint = &step->memory->joints[k];
        joint->servo = joint->lower = joint->upper = joint->friction = 0;
        joint->slower = joint->faster = 0;
        sum[joint->dof] = free_servo_impulse(step, joint);
    }
    for (int i = 0; i < step->joint_row_count; i++) {
        *step->row_memory[i] = step->solution.s[i];
        sum[step->rows[i].columns[0]] += step->rows[i].J[0] * step->solution.s[i];
    }
    for (int k = 0; k < step->memory->joint_count; k++) {
        gmc_coulomb_joint *joint = &step->memory->joints[k];
        double friction = step->world->model->dofs[joint->dof].friction;
        if (!(friction > 0)) continue;
        double tau = PRESLIDING_RELAXATION, give = joint->presliding / friction;
        give *= step->h / step->span;
        joint->deflection = (tau * joint->deflection - joint->friction * give) / (step->h + tau);
    }
}

/// Work of one row, which joint is the owner of.
static void add_row_energy(const gmc_coulomb_step *step, int i, const gmc_coulomb_joint *joint,
                           gmc_coulomb_energy *energy)
{
    const gmc_dof *dof = &step->world->model->dofs[joint->dof];
    const double *kept = step->row_memory[i];
    double s = step->solution.s[i], rate = step->rows[i].J[0] * energy->v[joint->dof];
    double position = step->world->state.q[joint->q], way = step->h * step->solution.v[joint->dof];
    if (kept == &joint->servo || kept == &joint->slower || kept == &joint->faster) {
        energy->drives += s * rate;
        return;
    }
    gmc_coulomb_account *account = gmc_coulomb_energy_account(energy, 0, -1 - joint->dof);
    account->received -= s * rate;
    gmc_coulomb_spring spring = {.h = step->h, .span = step->span, .share = 0.5};
    if (kept == &joint->friction) {
        const double before[2] = {joint->deflection, 0}, r[2] = {s, 0}, u[2] = {rate, 0};
        double limit = step->span * dof->friction;
        bool slips = fabs(s) >= limit * (1 - 1e-12);
        spring.stiffness = dof->friction / joint->presliding;
        spring.relaxation = PRESLIDING_RELAXATION;
        gmc_coulomb_energy_yield(account, &spring, before, r, u, slips ? limit : 0);
        return;
    }
    double mass = gmc_coulomb_mass_row(step, joint->dof)[joint->dof];
    double past = kept == &joint->lower ? dof->lower - position : position - dof->upper;
    double left = past + (kept == &joint->lower ? -way : way);
    spring.stiffness = dof->limit_stiffness;
    spring.relaxation = gmc_coulomb_settling(dof->limit_stiffness, 1 / mass);
    gmc_coulomb_energy_press(account, &spring, gmc_max(past, 0), s, left);
}

void gmc_coulomb_joint_energy(const gmc_coulomb_step *step, gmc_coulomb_energy *energy)
{
    const gmc_coulomb_memory *memory = step->memory;
    int k = 0; // rows go by joints
    for (int i = 0; i < step->joint_row_count; i++) {
        while (memory->joints[k].dof != step->rows[i].columns[0])
            k++;
        add_row_energy(step, i, &memory->joints[k], energy);
    }
    for (k = 0; k < memory->joint_count; k++) {
        const gmc_coulomb_joint *joint = &memory->joints[k];
        energy->drives += free_servo_impulse(step, joint) * energy->v[joint->dof];
    }
}

double gmc_coulomb_joint_effort(const gmc_coulomb_step *step)
{
    double most = 0;
    for (int k = 0; k < step->memory->joint_count; k++) {
        const gmc_coulomb_joint *joint = &step->memory->joints[k];
        double limit = step->world->model->dofs[joint->dof].max_force;
        double impulse = joint->servo - joint->slower + joint->faster;
        double force = step->control->force[joint->dof] + impulse / step->span;
        if (limit < HUGE_VAL && limit > 0) most = gmc_max(fabs(force) / limit, most);
    }
    return most;
}

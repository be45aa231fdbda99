// Joints: servos with a force limit, limits and dry friction are one row
// each with an impulse in a box, so that a servo at its limit, a joint on its stop and a brake that
// holds are exact states and not stiff approximations.
//
//   servo     s = -h (kp (q + h v - q_ref) + kd (v - v_ref)), |s| <= h limit
//             R = 1/(h² kp + h kd),  b = (kp (q - q_ref) - kd v_ref) / (h kp + kd)
//   limit     one-sided spring, damped as contacts are (coulomb.h): R = 1/(h k (h + τ)), b = φ/h,
//             of an overlap φ/(h + τ); τ so that a link that falls on its stop does not bounce
//             Of rigid steppers a rigid stop: b = φ/h, or 0 of what is at it (mechanism.h),
//             R = 1e-7/M_ii as at their contacts (rigid.c): what is pressed on by F gives by
//             1e-7 h² F/M_ii
//   friction  |s| <= h friction, elastic below it: a finger held by the friction of its joint must
//             not creep. Kelvin–Voigt as in the contacts' tangents:
//             R = 1/(h k (h + τ)), b = δ/(h + τ), δ⁺ = (τ δ - s/k)/(h + τ)
//   brake     what a drive does at speed w, its largest: it takes back what it does and more, so
//             that v <= w, within what it has: 0 <= -b <= h (limit + s(w)), R = 1e-4 w/(h limit).
//             The servo gives no less than s(w) then: both together are within the limit, too. The
//             same towards -w. Clamping the servo's reference was rejected: a force has none

//   gang      a servo on a sum x = Σ c_k q_k of positions: the servo's row with J = (c_k). The
//             implicit servo is of first order: it takes the force of the end of the step. One that
//             is centred takes that of the instant t at which the step begins, the middle of the
//             span over which forces act, as far as that is stable:
//             kp (x + w h v + (1-w) h (v - v⁻)/4 - x_ref(t + w h)) + kd ((1+w) v + (1-w) v⁻)/2 - ...
//             Without w this is Newmark's average acceleration, stable whatever kp is but without
//             damping of what is faster than the step; w = z/(6 + z), z = h (h kp + kd) Σ c_k²/M_kk,
//             is O(h), which costs no order, and 1 where the drive is stiff: implicit again

#include "engine/base/check.h"
#include "engine/contact/mechanism/mechanism.h"

#include <string.h>

/// A drive without a largest force leaves this share of the speed beyond the limit.
static const double BRAKE_SHARE = 1e-6;
/// Of a servo beside its brake, at least, against all that it has.
static const double BOX_WIDTH = 1e-3;
/// Joints that are this near to their largest speed have rows of their brakes.
static const double BRAKE_NEAR = 0.9;

/// Compliance of a rigid stop as a share of its joint's inverse mass [-].
static const double STOP_GIVE = 1e-7;

enum { ROWS_PER_JOINT = 6 };

// ---- rows --------------------------------------------------------------------------------------

static const double PLUS = 1, MINUS = -1;

/// A row of one joint.
typedef struct box {
    const double *sign; ///< PLUS, MINUS
    double bias, compliance, lower, upper;
} box;

/// @param kept  its impulse in the memory
static void add_row(gmc_mechanism_step *step, const gmc_mechanism_joint *joint, double *kept,
                    box of)
{
    step->rows[step->row_count] = (gmc_ncp_row){.column_count = 1,
                                                .columns = &joint->dof,
                                                .J = of.sign,
                                                .bias = of.bias,
                                                .compliance = of.compliance,
                                                .lower = of.lower,
                                                .upper = of.upper};
    step->row_memory[step->row_count] = kept;
    step->s[step->row_count] = gmc_ncp_clamp(*kept, of.lower, of.upper);
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

static brakes find_brakes(const gmc_mechanism_step *step, int i, double v_star, double gain)
{
    double w = step->world->model->dofs[i].max_speed, v = step->world->state.v[i];
    if (!(w < HUGE_VAL)) return (brakes){false, false, 0, 0};
    double force = step->control->force[i], near = BRAKE_NEAR * w;
    return (brakes){.has_slower = step->brakes_all || v > near,
                    .has_faster = step->brakes_all || v < -near,
                    .at_plus = force + servo_at(step->control, i, v_star, gain, w),
                    .at_minus = force + servo_at(step->control, i, v_star, gain, -w)};
}

static void add_brakes(gmc_mechanism_step *step, gmc_mechanism_joint *joint, const brakes *b)
{
    const gmc_dof *dof = &step->world->model->dofs[joint->dof];
    double w = dof->max_speed, most = dof->max_force, span = step->span;
    double R = most < HUGE_VAL && most > 0
                   ? GMC_BRAKE_SLACK * w / (span * most)
                   : BRAKE_SHARE / gmc_mechanism_mass_row(step, joint->dof)[joint->dof];
    // a force that is given may be more than the drive has: a brake never drives on
    double back = gmc_max(span * (most + b->at_plus), 0),
           on = gmc_max(span * (most - b->at_minus), 0);
    if (b->has_slower && back > 0)
        add_row(step, joint, &joint->slower, (box){&MINUS, w, R, 0, back});
    if (b->has_faster && on > 0) add_row(step, joint, &joint->faster, (box){&PLUS, w, R, 0, on});
}

/// What the joint's drive does: its servo, and what keeps it from being too fast.
static void add_drive(gmc_mechanism_step *step, gmc_mechanism_joint *joint, double position)
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
        add_row(step, joint, &joint->servo, (box){&PLUS, bias, 1 / (span * gain), lower, upper});
    }
    add_brakes(step, joint, &b);
}

/// Limits nearer than this have a row [m, rad].
static double limit_reach(const gmc_mechanism_step *step, const gmc_mechanism_joint *joint)
{
    return step->h * (fabs(step->world->state.v[joint->dof]) + step->limit_speed);
}

/// Row of a stop that the joint, `gap` away from it, cannot pass towards -sign. @return is there one?
static bool stop_row(const gmc_mechanism_step *step, const gmc_mechanism_joint *joint,
                     const double *sign, double gap, box *row)
{
    double h = step->h, k = step->world->model->dofs[joint->dof].limit_stiffness;
    double mass = gmc_mechanism_mass_row(step, joint->dof)[joint->dof];
    *row = (box){sign, gap * (1 / h), STOP_GIVE / mass, 0, HUGE_VAL};
    if (step->stop == GMC_STOP_BY_VELOCITY) {
        row->bias = gmc_min(gap, 0) * step->stop_return;
        return gap <= joint->stop_shell;
    }
    if (step->stop == GMC_STOP_SPRING) {
        double spread = 1 / (h + gmc_mechanism_settling(k, 1 / mass));
        if (!(gap > 0)) row->bias = gap * spread;
        row->compliance = spread / (step->span * k);
    }
    return gap < limit_reach(step, joint);
}

static void add_limits(gmc_mechanism_step *step, gmc_mechanism_joint *joint, double position)
{
    const gmc_dof *dof = &step->world->model->dofs[joint->dof];
    box row;
    if (stop_row(step, joint, &PLUS, position - dof->lower, &row))
        add_row(step, joint, &joint->lower, row);
    if (stop_row(step, joint, &MINUS, dof->upper - position, &row))
        add_row(step, joint, &joint->upper, row);
}

bool gmc_mechanism_joint_passes(const gmc_mechanism_step *step)
{
    for (int k = 0; k < step->memory->joint_count; k++) {
        const gmc_mechanism_joint *joint = &step->memory->joints[k];
        double way = step->h * step->v[joint->dof], near = limit_reach(step, joint);
        if (fabs(way) <= near) continue;
        const gmc_dof *dof = &step->world->model->dofs[joint->dof];
        double position = step->world->state.q[joint->q];
        double below = position - dof->lower, above = dof->upper - position;
        if ((below >= near && below + way < 0) || (above >= near && above - way < 0)) return true;
    }
    return false;
}

bool gmc_mechanism_joint_hastens(const gmc_mechanism_step *step)
{
    for (int k = 0; k < step->memory->joint_count && !step->brakes_all; k++) {
        int i = step->memory->joints[k].dof;
        double w = step->world->model->dofs[i].max_speed, v = step->world->state.v[i];
        double after = step->v[i];
        if ((after > w && v <= BRAKE_NEAR * w) || (after < -w && v >= -BRAKE_NEAR * w)) return true;
    }
    return false;
}

static void add_friction(gmc_mechanism_step *step, gmc_mechanism_joint *joint)
{
    double friction = step->world->model->dofs[joint->dof].friction, span = step->span;
    if (!(friction > 0)) return;
    double spread = 1 / (step->h + GMC_PRESLIDING_RELAXATION);
    add_row(step, joint, &joint->friction,
            (box){&PLUS, joint->deflection * spread, joint->presliding * spread / (span * friction),
                  -span * friction, span * friction});
}

static double sum_of(const gmc_gang *gang, const double *q)
{
    double x = 0;
    for (int k = 0; k < gang->joint_count; k++)
        x += gang->share[k] * q[gang->coordinates[k]];
    return x;
}

/// How far a gang is implicit: 1 entirely, 0 not at all.
static double implicit_share(const gmc_mechanism_step *step, const gmc_gang *gang)
{
    double h = step->h, mobility = 0;
    if (!gang->is_centred || !step->is_centred) return 1;
    for (int k = 0; k < gang->joint_count; k++) {
        int dof = gang->dofs[k];
        mobility += gang->share[k] * gang->share[k] / gmc_mechanism_mass_row(step, dof)[dof];
    }
    double z = h * (h * gang->stiffness + gang->damping) * mobility;
    return z / (6 + z);
}

/// Speed of a gang's sum as the step begins.
static double speed_before(const gmc_mechanism_step *step, const gmc_gang *gang)
{
    double v = 0;
    for (int k = 0; k < gang->joint_count; k++)
        v += gang->share[k] * step->world->state.v[gang->dofs[k]];
    return v;
}

static void add_gang(gmc_mechanism_step *step, const gmc_gang *gang, double *kept)
{
    double h = step->h, kp = gang->stiffness, kd = gang->damping, gain = h * kp + kd;
    double limit = step->span * gang->force_limit, w = implicit_share(step, gang);
    double error = sum_of(gang, step->world->state.q) - gang->x_ref;
    double force = kp * error - kd * gang->x_dot_ref; // against the motion, of a speed of 0
    if (w < 1) {
        double v = speed_before(step, gang);
        gain = h * kp * (1 + 3 * w) / 4 + kd * (1 + w) / 2;
        force += (1 - w) * (kp * h * (gang->x_dot_ref - v / 4) + kd * v / 2);
    }
    GMC_ASSERT(gain > 0);
    step->rows[step->row_count] = (gmc_ncp_row){.column_count = gang->joint_count,
                                                .columns = gang->dofs,
                                                .J = gang->share,
                                                .bias = force / gain,
                                                .compliance = 1 / (step->span * gain),
                                                .lower = -limit,
                                                .upper = limit};
    step->row_memory[step->row_count] = kept;
    step->s[step->row_count] = gmc_ncp_clamp(*kept, -limit, limit);
    step->row_count++;
}

gmc_status gmc_mechanism_joint_rows(gmc_mechanism_step *step, int more)
{
    const gmc_control *control = step->control;
    size_t most = ROWS_PER_JOINT * (size_t)step->memory->joint_count + (size_t)control->gang_count +
                  (size_t)more;
    step->rows = GMC_ROOM(step->scratch, most, gmc_ncp_row);
    step->row_memory = GMC_ROOM(step->scratch, most, double *);
    step->s = GMC_ROOM(step->scratch, most, double);
    if (!step->rows || !step->row_memory || !step->s) return GMC_E_ARENA_FULL;
    for (int k = 0; k < step->memory->joint_count; k++) {
        gmc_mechanism_joint *joint = &step->memory->joints[k];
        double position = step->world->state.q[joint->q];
        add_drive(step, joint, position);
        add_limits(step, joint, position);
        add_friction(step, joint);
    }
    step->single_row_count = step->row_count;
    GMC_ASSERT(control->gang_count <= step->world->model->free_count);
    for (int i = 0; i < control->gang_count; i++)
        add_gang(step, &control->gangs[i], &step->memory->ganged[i]);
    step->joint_row_count = step->row_count;
    return GMC_OK;
}

// ---- after the solution ------------------------------------------------------------------------

double gmc_mechanism_servo_impulse(const gmc_mechanism_step *step, const gmc_mechanism_joint *joint)
{
    const gmc_control *control = step->control;
    int i = joint->dof;
    if (control->force_limit[i] < HUGE_VAL) return 0;
    double v = step->v[i], q = step->world->state.q[joint->q] + step->h * v;
    return -step->span * (control->stiffness[i] * (q - control->q_ref[i]) +
                          control->damping[i] * (v - control->v_ref[i]));
}

void gmc_mechanism_joint_keep(const gmc_mechanism_step *step)
{
    double *sum = step->world->servo_impulse;
    memset(sum, 0, (size_t)step->world->model->free_count * sizeof *sum);
    for (int k = 0; k < step->memory->joint_count; k++) {
        gmc_mechanism_joint *joint = &step->memory->joints[k];
        joint->servo = joint->lower = joint->upper = joint->friction = 0;
        joint->slower = joint->faster = 0;
        sum[joint->dof] = gmc_mechanism_servo_impulse(step, joint);
    }
    for (int i = 0; i < step->joint_row_count; i++) {
        const gmc_ncp_row *row = &step->rows[i];
        *step->row_memory[i] = step->s[i];
        for (int k = 0; k < row->column_count; k++)
            sum[row->columns[k]] += row->J[k] * step->s[i];
    }
    for (int k = 0; k < step->memory->joint_count; k++) {
        gmc_mechanism_joint *joint = &step->memory->joints[k];
        double friction = step->world->model->dofs[joint->dof].friction;
        if (!(friction > 0)) continue;
        double tau = GMC_PRESLIDING_RELAXATION, give = joint->presliding / friction;
        give *= step->h / step->span;
        joint->deflection = (tau * joint->deflection - joint->friction * give) / (step->h + tau);
    }
}

double gmc_mechanism_joint_effort(const gmc_mechanism_step *step)
{
    double most = 0;
    for (int k = 0; k < step->memory->joint_count; k++) {
        const gmc_mechanism_joint *joint = &step->memory->joints[k];
        double limit = step->world->model->dofs[joint->dof].max_force;
        double impulse = joint->servo - joint->slower + joint->faster;
        double force = step->control->force[joint->dof] + impulse / step->span;
        if (limit < HUGE_VAL && limit > 0) most = gmc_max(fabs(force) / limit, most);
    }
    for (int i = 0; i < step->control->gang_count; i++) {
        double limit = step->control->gangs[i].force_limit;
        double force = step->memory->ganged[i] / step->span;
        if (limit < HUGE_VAL && limit > 0) most = gmc_max(fabs(force) / limit, most);
    }
    return most;
}

// ---- the advance -------------------------------------------------------------------------------

/// What the next step takes of this one's motion.
static void keep_motion(const gmc_mechanism_step *step)
{
    const gmc_world *world = step->world;
    gmc_mechanism_memory *memory = step->memory;
    memory->h_last = step->h;
    memory->gravity_last = world->model->gravity;
    memory->is_pushed = step->coasting != NULL;
    for (int k = 0; k < memory->coupled_count; k++) {
        int i = memory->coupled[k];
        memory->rate[k] = (step->v[i] - world->state.v[i]) / step->span;
        if (step->coasting) memory->pushed[k] = (step->v[i] - step->coasting[i]) / step->span;
    }
}

void gmc_mechanism_advance(const gmc_mechanism_step *step, gmc_motion kind, const double *impulse,
                           const double *q_driven, const double *rise)
{
    gmc_world *world = step->world;
    const gmc_model *model = world->model;
    gmc_mechanism_joint_keep(step);
    keep_motion(step);
    gmc_state_motion motion = {
        .v_mean = step->v, .impulse = impulse, .q_driven = q_driven, .h = step->h};
    gmc_state_advance(model, &world->kin, &motion, &world->state);
    if (rise) gmc_state_move(model, &world->kin, rise, step->h, &world->state);
    if (kind != GMC_MOTION_DYNAMIC) // no momentum that differs from it
        memcpy(world->state.v, step->v, (size_t)model->dof_count * sizeof(double));
    gmc_kinematics_update(model, world->state.q, world->state.v, &world->kin);
}

// The sequence of phases. The reference at the nominal end of a phase is the start of the next,
// also where a step crosses the end, so that a program is the same whatever the step: its times do
// not round to steps, and its poses do not drift.
#include "engine/control/program.h"

#include "engine/base/check.h"
#include "engine/math/elementary.h"
#include "engine/motion/chance.h"

#include <string.h>

// An event must hold this long before it ends a phase: a finger that reverses is not stalled [s].
static const double DWELL = 0.02;
// Rounding of the summed time must not add a step to a phase [s].
static const double TIME_ROUNDING = 1e-9;

double gmc_program_quintic(double s)
{
    if (s <= 0) return 0;
    if (s >= 1) return 1;
    return s * s * s * (10 + s * (-15 + 6 * s));
}

// ---- references over time ----------------------------------------------------------------------
//
// Every motion is a reference as a function of time in the phase, so that the step that leads to
// t + h aims at the reference of t + h exactly: the driven base never lags or drifts whatever the
// step is. Integrating a commanded velocity instead was rejected: its end pose depends on the step.

/// Share of its full effect that a phase of this duration has reached after `time`: 0 to 1.
static double program_profile_share(double time, double duration)
{
    return duration > 0 ? gmc_program_quintic(time / duration) : 1;
}

bool gmc_program_follows(double frequency, double step)
{
    const double ROUNDING = 1e-9; // of a product that is 0.1 in decimals
    return GMC_PROGRAM_SWING_STEPS * frequency * step <= 1 + ROUNDING;
}

static gmc_vec3 seen_in_world(const gmc_phase *phase, const gmc_program_state *state, gmc_vec3 v)
{
    return phase->in_hand_frame ? gmc_mat3_apply(&state->X_tool.R, v) : v;
}

// The oscillation with its envelope: up over one ramp, down over another. Without ramps it stays
// where its curve ends: back in the middle at once, what is held would be torn off in one step.
double gmc_program_shake_offset(const gmc_phase *phase, double time)
{
    if (time >= phase->duration && phase->ramp > 0) return 0;
    time = fmin(time, phase->duration);
    double up = program_profile_share(time, phase->ramp);
    double down = program_profile_share(phase->duration - time, phase->ramp);
    return phase->amount * up * down * gmc_sin(2 * GMC_PI * phase->frequency * time);
}

static gmc_program_place turned_about(const gmc_program_place *place, gmc_vec3 point, gmc_vec3 axis,
                                      double angle)
{
    gmc_quat turn = gmc_quat_exp(gmc_vec3_scale(angle, axis));
    gmc_vec3 arm = gmc_vec3_sub(place->p, point);
    return (gmc_program_place){.rotation =
                                   gmc_quat_normalise(gmc_quat_multiply(turn, place->rotation)),
                               .p = gmc_vec3_add(point, gmc_quat_rotate(turn, arm))};
}

/// Reference of the base `time` after its phase began; INFINITY: at the phase's nominal end.
static gmc_program_place program_profile_base(const gmc_phase *phase,
                                              const gmc_program_state *state, double time)
{
    gmc_program_place place = state->base;
    double amount = phase->type == GMC_PROGRAM_SHAKE
                        ? gmc_program_shake_offset(phase, time)
                        : program_profile_share(time, phase->duration) * phase->amount;
    switch (phase->type) {
    case GMC_PROGRAM_MOVE:
        place.p = gmc_vec3_add_scaled(place.p, program_profile_share(time, phase->duration),
                                      seen_in_world(phase, state, phase->by));
        break;
    case GMC_PROGRAM_TURN:
    case GMC_PROGRAM_SHAKE:
        if (amount == 0) break; // nothing is touched that does not move
        gmc_vec3 axis = seen_in_world(phase, state, phase->axis);
        if (phase->type == GMC_PROGRAM_TURN || phase->is_rotation)
            place = turned_about(&place, state->X_tool.p, axis, amount);
        else
            place.p = gmc_vec3_add_scaled(place.p, amount, axis);
        break;
    case GMC_PROGRAM_GRIP:
    case GMC_PROGRAM_JOINT_MOVE:
    case GMC_PROGRAM_JOINT_SHAKE:
    case GMC_PROGRAM_MOVE_TO:
    case GMC_PROGRAM_HOLD:
    case GMC_PROGRAM_SET:
    case GMC_PROGRAM_PULL:
        break;
    }
    return place;
}

// A finger on its way to a position: at constant speed, or smoothly in a given time.
static double grip_position(const gmc_phase *phase, double from, double to, double speed,
                            double time)
{
    double way = to - from, distance = speed * time;
    if (isinf(phase->speed) && phase->duration > 0) {
        double share = program_profile_share(time, phase->duration);
        return share < 1 ? from + share * way : to;
    }
    return distance < fabs(way) ? from + copysign(distance, way) : to;
}

/// Servo reference of a joint that the phase moves, and of every other, `time` after it began
/// [m, rad].
static double program_profile_joint(const gmc_phase *phase, const gmc_program_state *state,
                                    double time, int dof)
{
    double q = state->q_hold[dof];
    switch (phase->type) {
    case GMC_PROGRAM_JOINT_MOVE:
        return q + program_profile_share(time, phase->duration) * phase->amount;
    case GMC_PROGRAM_JOINT_SHAKE:
        return q + gmc_program_shake_offset(phase, time);
    case GMC_PROGRAM_GRIP:
        return phase->has_force
                   ? q
                   : grip_position(phase, q, state->q_goal[dof], state->v_goal[dof], time);
    case GMC_PROGRAM_MOVE:
    case GMC_PROGRAM_TURN:
    case GMC_PROGRAM_SHAKE:
    case GMC_PROGRAM_MOVE_TO:
    case GMC_PROGRAM_HOLD:
    case GMC_PROGRAM_SET:
    case GMC_PROGRAM_PULL:
        break;
    }
    return q;
}

// ---- paths and pushes --------------------------------------------------------------------------
//
// Bodies of a planar world that follow a path, and forces given over time. A step takes the end of
// its piece of the path, and in the plane the mean of the force over it, by Simpson's rule: exact
// where no knot lies inside. Steppers whose impulses reach from the middle of one step to that of
// the next take it half a step late.
//
// In space it takes the mean over the time that its impulses act: those of all steps together are
// the integral of the force, to rounding and whatever the step. In the body frame the mean turns
// with the body as it is in the middle of that time, an error of second order; of a centred stepper
// with even steps that is the instant at which the step begins.

double gmc_program_curve(const gmc_curve *curve, double time)
{
    if (curve->count == 0) return 0;
    int next = 0;
    while (next < curve->count && curve->time[next] <= time)
        next++;
    if (next == 0) return curve->value[0];
    if (next == curve->count) return curve->value[next - 1];
    double from = curve->time[next - 1], share = (time - from) / (curve->time[next] - from);
    return curve->value[next - 1] + share * (curve->value[next] - curve->value[next - 1]);
}

static void drive(const gmc_course *path, const gmc_world *world, double h,
                  gmc_program_state *state)
{
    const gmc_model *model = world->model;
    const gmc_body *body = &model->bodies[path->body];
    const double *q0 = world->state.q + body->q;
    double *q = state->q_driven + body->q, *v = state->v_driven + body->v;
    for (int k = 0; k < 3; k++) {
        q[k] = path->curves[k].count > 0 ? gmc_program_curve(&path->curves[k], world->state.t + h)
                                         : q0[k];
        v[k] = (q[k] - q0[k]) / h; // its mass centre is its origin
    }
}

static void push(const gmc_course *push, const gmc_world *world, double h, gmc_program_state *state)
{
    double *force = state->force + world->model->bodies[push->body].v, t = world->state.t;
    for (int k = 0; k < 3; k++)
        force[k] = (gmc_program_curve(&push->curves[k], t) +
                    4 * gmc_program_curve(&push->curves[k], t + h / 2) +
                    gmc_program_curve(&push->curves[k], t + h)) /
                   6;
}

/// Mean of a curve from one time to a later one; exact.
static double curve_mean(const gmc_curve *curve, double from, double to)
{
    if (curve->count == 0) return 0;
    double sum = 0, at = from, value = gmc_program_curve(curve, from);
    for (int i = 0; i < curve->count; i++) {
        double knot = curve->time[i], next = curve->value[i];
        if (knot <= from || knot >= to) continue;
        sum += (knot - at) * (value + next) / 2;
        at = knot;
        value = next;
    }
    return (sum + (to - at) * (value + gmc_program_curve(curve, to)) / 2) / (to - from);
}

/// The time over which the impulses of the step from the world's time to h later act.
static void find_window(const gmc_program_state *state, double t, double h, double *from,
                        double *to)
{
    *from = state->is_centred ? t - (state->t_now - state->t_before) / 2 : t;
    *to = state->is_centred ? t + h / 2 : t + h;
}

static void push_in_space(const gmc_course *push, const gmc_world *world, double h,
                          gmc_program_state *state)
{
    double *force = state->force + world->model->bodies[push->body].v, t = world->state.t;
    double from, to, mean[GMC_COURSE_CURVES];
    find_window(state, t, h, &from, &to);
    for (int k = 0; k < GMC_COURSE_CURVES; k++)
        mean[k] = curve_mean(&push->curves[k], from, to);
    gmc_vec3 f = {mean[0], mean[1], mean[2]}, moment = {mean[3], mean[4], mean[5]};
    if (push->in_body_frame) {
        gmc_vec3 w = world->kin.V[push->body].w;
        gmc_quat turn = gmc_quat_exp(gmc_vec3_scale((from + to) / 2 - t, w));
        const gmc_mat3 *R_wb = &world->kin.X_wb[push->body].R;
        f = gmc_quat_rotate(turn, gmc_mat3_apply(R_wb, f));
        moment = gmc_quat_rotate(turn, gmc_mat3_apply(R_wb, moment));
    }
    force[0] = f.x, force[1] = f.y, force[2] = f.z;
    force[3] = moment.x, force[4] = moment.y, force[5] = moment.z;
}

/// Pull at a time: it grows from the phase's start to its end [N].
static double pull_at(const gmc_phase *phase, const gmc_program_state *state, double t)
{
    double longest = phase->end == GMC_END_TIME ? phase->duration : phase->at_most;
    return phase->grows * fmin(fmax(t - state->phase_start, 0), longest);
}

/// The mean of a pull is that in the middle, but where the phase begins or ends within the step.
static void pull(const gmc_phase *phase, const gmc_world *world, double h, gmc_program_state *state)
{
    const gmc_body *body = &world->model->bodies[phase->body];
    double *force = state->force + body->v, from, to;
    find_window(state, world->state.t, h, &from, &to);
    double mean = (pull_at(phase, state, from) + 4 * pull_at(phase, state, (from + to) / 2) +
                   pull_at(phase, state, to)) /
                  6;
    force[0] += mean * phase->axis.x;
    force[1] += mean * phase->axis.y;
    if (body->joint == GMC_JOINT_FREE) force[2] += mean * phase->axis.z;
}

/// Nothing pulls at what phases pull at.
static void let_go(const gmc_program *program, const gmc_world *world, gmc_program_state *state)
{
    for (int i = 0; i < program->phase_count; i++) {
        if (program->phases[i].type != GMC_PROGRAM_PULL) continue;
        const gmc_body *body = &world->model->bodies[program->phases[i].body];
        for (int k = 0; k < gmc_joint_v_count(body->joint); k++)
            state->force[body->v + k] = 0;
    }
}

/// What sampled controllers answered takes the place of servos and pushes.
static void take_sampled(const gmc_program *program, const gmc_model *model,
                         gmc_program_state *state)
{
    for (int i = 0; i < model->dof_count + program->drive_count; i++) {
        if (!state->is_sampled[i]) continue;
        state->force[i] = state->sampled[i];
        state->stiffness[i] = state->damping[i] = 0;
    }
}

/// Places of bodies on paths at the end of the step, and mean forces of pushes, controllers and pulls within it.
static void program_course(const gmc_program *program, const gmc_world *world, double h,
                           gmc_program_state *state)
{
    for (int i = 0; i < program->path_count; i++)
        drive(&program->paths[i], world, h, state);
    let_go(program, world, state);
    for (int i = 0; i < program->push_count; i++) {
        const gmc_course *course = &program->pushes[i];
        bool is_planar = world->model->bodies[course->body].joint == GMC_JOINT_PLANAR;
        (is_planar ? push : push_in_space)(course, world, h, state);
    }
    take_sampled(program, world->model, state);
    const gmc_phase *phase =
        state->phase < program->phase_count ? &program->phases[state->phase] : NULL;
    if (phase && phase->type == GMC_PROGRAM_PULL) pull(phase, world, h, state);
}

// ---- the control of a step ---------------------------------------------------------------------
//
// Control of one step. What stays as it is throughout a phase is written when the phase begins; a
// step writes the base's reference, and what its phase moves.

// Fingers that close at a limited speed are held to it by this damping [1/(speed)] times the force
// wanted: the force is full when a finger is slower than the limit by a thousandth of it.
static const double SPEED_GAIN = 1e3;

static double *set_place(const gmc_set *set, gmc_model *model)
{
    switch (set->kind) {
    case GMC_SET_FRICTION:
        return &model->laws[set->a * model->surface_count + set->b].friction;
    case GMC_SET_GRAVITY:
        return set->a == 0   ? &model->gravity.x
               : set->a == 1 ? &model->gravity.y
                             : &model->gravity.z;
    case GMC_SET_SHAPE:
    case GMC_SET_MASS:
        break;
    }
    return NULL;
}

/// Value that a `set` entry changes.
static double program_control_get(const gmc_set *set, const gmc_model *model)
{
    switch (set->kind) {
    case GMC_SET_FRICTION:
        return gmc_model_law(model, set->a, set->b)->friction;
    case GMC_SET_GRAVITY:
        return set->a == 0 ? model->gravity.x : set->a == 1 ? model->gravity.y : model->gravity.z;
    case GMC_SET_SHAPE:
    case GMC_SET_MASS:
        return set->reshaper->get(set->reshaper->context, set->a);
    }
    return 0;
}

/// Shares of the way that a `set` phase has gone in a step.
typedef struct set_shares {
    double span;   ///< in the middle of what the step's forces act over: of masses
    double middle; ///< of the step: of gravity, which acts over all of it
    double end;    ///< of all else
} set_shares;

/// Put a share of the way from set_start to the phase's values into the model.
static void program_control_set(const gmc_phase *phase, const set_shares *shares, gmc_model *model,
                                gmc_program_state *state)
{
    for (int i = 0; i < phase->set_count; i++) {
        const gmc_set *set = &phase->sets[i];
        const gmc_set mirrored = {.kind = set->kind, .a = set->b, .b = set->a};
        double start = state->set_start[i], share = set->kind == GMC_SET_GRAVITY ? shares->middle
                                                    : set->kind == GMC_SET_MASS  ? shares->span
                                                                                 : shares->end;
        double value = share < 1 ? start + share * (set->value - start) : set->value;
        if (set->reshaper) {
            state->has_weighed = state->has_weighed || set->kind == GMC_SET_MASS;
            set->reshaper->put(set->reshaper->context, set->a, value, model);
            continue;
        }
        *set_place(set, model) = value;
        if (set->kind == GMC_SET_FRICTION) *set_place(&mirrored, model) = value;
    }
}

/// Force that the fingers press with `time` after the phase began; of a force that was still
/// growing as its own phase ended as well [N, N·m].
static double program_control_force(const gmc_program_state *state, double time)
{
    double since = time + (state->phase_start - state->grip_start);
    double share = program_profile_share(since, state->grip_ramp);
    return state->grip_from + share * (state->grip_to - state->grip_from);
}

/// Does the current phase move or shake the joint of this dof by its servo?
static bool program_control_moves(const gmc_program *program, const gmc_program_state *state,
                                  int dof)
{
    if (state->phase >= program->phase_count) return false;
    const gmc_phase *phase = &program->phases[state->phase];
    if (phase->type == GMC_PROGRAM_JOINT_MOVE || phase->type == GMC_PROGRAM_JOINT_SHAKE)
        return phase->dof == dof;
    if (phase->type != GMC_PROGRAM_MOVE_TO) return false;
    for (int i = 0; i < phase->move_to->dof_count; i++)
        if (phase->move_to->dofs[i] == dof) return true;
    return false;
}

// ---- dofs, and drives behind them --------------------------------------------------------------

/// The drive that is named as a dof; NULL: it is a dof.
static const gmc_drive *drive_of(const gmc_program *program, const gmc_model *model, int dof)
{
    return dof < model->dof_count ? NULL : &program->drives[dof - model->dof_count];
}

static double max_force_of(const gmc_program *program, const gmc_model *model, int dof)
{
    const gmc_drive *drive = drive_of(program, model, dof);
    return drive ? drive->max_force : model->dofs[dof].max_force;
}

/// A drive of several joints has no largest speed.
static double max_speed_of(const gmc_model *model, int dof)
{
    return dof < model->dof_count ? model->dofs[dof].max_speed : (double)INFINITY;
}

static double stiffness_of(const gmc_program *program, const gmc_model *model, int dof)
{
    const gmc_drive *drive = drive_of(program, model, dof);
    return drive ? drive->stiffness : program->servo_stiffness[dof];
}

static double position_of(const gmc_world *world, const gmc_program_state *state, int dof)
{
    return world->state.q[world->model->bodies[state->body_of[dof]].q];
}

static double drive_position(const gmc_drive *drive, const gmc_world *world,
                             const gmc_program_state *state)
{
    double x = 0;
    for (int k = 0; k < drive->joint_count; k++)
        x += drive->share[k] * position_of(world, state, drive->dofs[k]);
    return x;
}

// ---- forces of fingers, servos that hold -------------------------------------------------------

// All fingers but those that the phase moves.
static void press(const gmc_program *program, const gmc_model *model, double force,
                  gmc_program_state *state)
{
    for (int i = 0; i < program->finger_count; i++) {
        const gmc_finger *finger = &program->fingers[i];
        int dof = finger->dof;
        if (program_control_moves(program, state, dof)) continue;
        double drive = fmin(finger->drive * force, max_force_of(program, model, dof));
        if (isinf(state->grip_speed)) {
            state->force[dof] = finger->closing * drive;
        } else {
            // a velocity servo that gives at most the force: constant speed until something resists
            double speed = fmin(state->grip_speed, max_speed_of(model, dof));
            state->damping[dof] = SPEED_GAIN * drive / speed;
            state->v_ref[dof] = finger->closing * speed;
            state->force_limit[dof] = drive;
        }
    }
}

/// Write what does not change within the current phase into the control arrays: servos that hold,
/// fingers under force but for one that the phase moves.
static void program_control_hold(const gmc_program *program, const gmc_model *model,
                                 gmc_program_state *state)
{
    for (int dof = 0; dof < model->free_count; dof++) {
        if (state->body_of[dof] < 0) continue;
        state->force[dof] = 0;
        state->stiffness[dof] = program->servo_stiffness[dof];
        state->damping[dof] = program->servo_damping[dof];
        state->force_limit[dof] = model->dofs[dof].max_force;
        state->q_ref[dof] = state->q_hold[dof];
        state->v_ref[dof] = 0;
    }
    for (int i = 0; i < program->drive_count; i++) {
        int dof = model->dof_count + i;
        state->force[dof] = 0;
        state->stiffness[dof] = program->drives[i].stiffness;
        state->damping[dof] = program->drives[i].damping;
        state->force_limit[dof] = program->drives[i].max_force;
        state->q_ref[dof] = state->q_hold[dof];
        state->v_ref[dof] = 0;
    }
    if (!state->is_force_grip) return;
    for (int i = 0; i < program->finger_count; i++) {
        int dof = program->fingers[i].dof;
        if (!program_control_moves(program, state, dof))
            state->stiffness[dof] = state->damping[dof] = 0;
    }
    press(program, model, program_control_force(state, 0), state);
}

// The same in the plane: angles add up, however often it turns.
static void drive_flat_base(const gmc_body *body, const double *q0, const gmc_program_place *to,
                            double h, gmc_program_state *state)
{
    double *q = state->q_driven + body->q, *v = state->v_driven + body->v;
    gmc_quat before = {0}, after;
    before.w = gmc_cos(q0[2] / 2), before.z = gmc_sin(q0[2] / 2);
    after = gmc_quat_multiply(gmc_quat_conjugate(state->rotation_wj), to->rotation);
    gmc_vec3 p = gmc_pose_apply_inverse(&state->X_wj, to->p), com = body->inertia.com;
    gmc_vec3 u = gmc_vec3_sub(p, (gmc_vec3){q0[0], q0[1], 0});
    double turn = gmc_quat_log(gmc_quat_multiply(after, gmc_quat_conjugate(before))).z;
    q[0] = p.x, q[1] = p.y, q[2] = q0[2];
    if (turn != 0) {
        q[2] += turn;
        u = gmc_vec3_add(u,
                         gmc_vec3_sub(gmc_quat_rotate(after, com), gmc_quat_rotate(before, com)));
    }
    u = gmc_mat3_apply(&state->X_wj.R, gmc_vec3_scale(1 / h, u));
    v[0] = u.x, v[1] = u.y, v[2] = turn / h;
}

static void drive_base(const gmc_program *program, const gmc_world *world, const gmc_phase *phase,
                       double time, double h, gmc_program_state *state)
{
    const gmc_body *body = &world->model->bodies[program->base_body];
    const double *q0 = world->state.q + body->q;
    double *q = state->q_driven + body->q, *v = state->v_driven + body->v;
    gmc_program_place to = phase ? program_profile_base(phase, state, time) : state->base;
    if (body->joint == GMC_JOINT_PLANAR) {
        drive_flat_base(body, q0, &to, h, state);
        return;
    }

    // end coordinates, in the joint's frame
    gmc_quat before = {q0[3], q0[4], q0[5], q0[6]};
    gmc_quat after = gmc_quat_multiply(gmc_quat_conjugate(state->rotation_wj), to.rotation);
    gmc_vec3 p = gmc_pose_apply_inverse(&state->X_wj, to.p);
    q[0] = p.x, q[1] = p.y, q[2] = p.z;
    q[3] = after.w, q[4] = after.x, q[5] = after.y, q[6] = after.z;

    // mean velocities of the centre of mass and of the rotation, in the world
    gmc_vec3 w = {0, 0, 0}, u = gmc_vec3_sub(p, (gmc_vec3){q0[0], q0[1], q0[2]});
    if (q[3] != q0[3] || q[4] != q0[4] || q[5] != q0[5] || q[6] != q0[6]) {
        gmc_quat turn = gmc_quat_multiply(after, gmc_quat_conjugate(before));
        w = gmc_mat3_apply(&state->X_wj.R, gmc_vec3_scale(1 / h, gmc_quat_log(turn)));
        gmc_vec3 com = body->inertia.com;
        u = gmc_vec3_add(u,
                         gmc_vec3_sub(gmc_quat_rotate(after, com), gmc_quat_rotate(before, com)));
    }
    u = gmc_mat3_apply(&state->X_wj.R, gmc_vec3_scale(1 / h, u));
    v[0] = u.x, v[1] = u.y, v[2] = u.z, v[3] = w.x, v[4] = w.y, v[5] = w.z;
}

static void move_joint(const gmc_phase *phase, int dof, double time, double h,
                       gmc_program_state *state)
{
    double now = program_profile_joint(phase, state, time, dof);
    double before = program_profile_joint(phase, state, fmax(time - h, 0), dof);
    state->q_ref[dof] = now;
    state->v_ref[dof] = (now - before) / h;
}

// Where a motion has what it moves.
static void motion_at(const gmc_program_motion *motion, const gmc_move_to *to, double time,
                      double *x)
{
    double *joint = motion->parts, *sum = joint + motion->way.joint_count;
    if (motion->way.joint_count > 0) gmc_way_at(&motion->way, time, joint, NULL, NULL);
    if (motion->sums.joint_count > 0) gmc_way_at(&motion->sums, time, sum, NULL, NULL);
    for (int i = 0; i < to->dof_count; i++)
        x[i] = to->dofs[i] < motion->joint_end ? *joint++ : *sum++;
}

static void move_all(const gmc_phase *phase, double time, double h, gmc_program_state *state)
{
    const gmc_program_motion *motion = &state->motions[state->phase];
    motion_at(motion, phase->move_to, time, motion->x);
    motion_at(motion, phase->move_to, time - h, motion->before);
    for (int i = 0; i < phase->move_to->dof_count; i++) {
        int dof = phase->move_to->dofs[i];
        state->q_ref[dof] = motion->x[i];
        state->v_ref[dof] = (motion->x[i] - motion->before[i]) / h;
    }
}

/// @param time  at the step's end, since the phase began [s]
static void set_over(const gmc_phase *phase, double time, double h, gmc_model *model,
                     gmc_program_state *state)
{
    // of centred steps forces act from the middle of the step before to that of this one
    double from_end = state->is_centred ? h : 0.5 * h;
    const set_shares shares = {.span = program_profile_share(time - from_end, phase->duration),
                               .middle = program_profile_share(time - 0.5 * h, phase->duration),
                               .end = program_profile_share(time, phase->duration)};
    program_control_set(phase, &shares, model, state);
}

// What the phase itself changes from step to step.
static void act(const gmc_program *program, const gmc_phase *phase, double time, double h,
                gmc_model *model, gmc_program_state *state)
{
    switch (phase->type) {
    case GMC_PROGRAM_GRIP:
        if (phase->has_force) {
            press(program, model, program_control_force(state, time - h), state);
            break;
        }
        for (int i = 0; i < program->finger_count; i++)
            move_joint(phase, program->fingers[i].dof, time, h, state);
        break;
    case GMC_PROGRAM_JOINT_MOVE:
    case GMC_PROGRAM_JOINT_SHAKE:
        move_joint(phase, phase->dof, time, h, state);
        break;
    case GMC_PROGRAM_MOVE_TO:
        move_all(phase, time, h, state);
        break;
    case GMC_PROGRAM_SET:
        set_over(phase, time, h, model, state);
        break;
    case GMC_PROGRAM_MOVE:
    case GMC_PROGRAM_TURN:
    case GMC_PROGRAM_SHAKE:
    case GMC_PROGRAM_HOLD:
    case GMC_PROGRAM_PULL: // with the pushes
        break;
    }
}

/// Forces at dofs that hold which keep what hangs on them still under gravity, where the kinematics
/// are: -Jᵀ m g, body by body.
static void find_load(const gmc_model *model, const gmc_kinematics *kin, const bool *holds,
                      double *force)
{
    memset(force, 0, (size_t)model->dof_count * sizeof *force);
    for (int b = 1; b < model->body_count; b++) {
        const gmc_body *body = &model->bodies[b];
        gmc_vec3 lift = gmc_vec3_scale(-body->inertia.mass, model->gravity);
        for (int k = kin->chain_start[b]; k < kin->chain_start[b + 1] && !body->is_isolated; k++) {
            const int axis = kin->chain[k], dof = kin->axis_dof[axis];
            if (holds[dof])
                force[dof] += gmc_vec3_dot(lift, gmc_twist_at(&kin->axes[axis], kin->com_w[b]));
        }
    }
}

// What hangs on a joint is carried by its servo, as a shift of its reference: so both together stay
// within the drive's force, and the servo still lets nothing drift. Where there is no servo it is a
// force. Taken where the step begins, which is the middle of the span over which forces act.
static void hold_up(const gmc_program *program, const gmc_world *world, gmc_program_state *state)
{
    const gmc_model *model = world->model;
    find_load(model, &world->kin, program->holds, state->load);
    for (int i = 0; i < model->free_count; i++) {
        double most = model->dofs[i].max_force, load = state->load[i];
        if (!program->holds[i] || state->is_sampled[i]) continue;
        if (state->stiffness_now[i] > 0)
            state->q_ref_now[i] += load / state->stiffness_now[i];
        else
            state->force_now[i] += gmc_max(-most, gmc_min(load, most));
    }
}

// ---- gears with a clutch -----------------------------------------------------------------------

/// How far the drive of an open gear is beyond where it opened, from its follower.
static double drive_way(const gmc_gear *gear, const gmc_world *world,
                        const gmc_program_state *state, int index)
{
    return (position_of(world, state, gear->follower) - state->opened_by[index]) / gear->alone;
}

gmc_dof gmc_program_range(const gmc_program *program, const gmc_model *model, int dof)
{
    const gmc_drive *drive = drive_of(program, model, dof);
    if (!drive) return model->dofs[dof];
    gmc_dof sum = {.max_force = drive->max_force};
    for (int k = 0; k < drive->joint_count; k++) {
        const gmc_dof *joint = &model->dofs[drive->dofs[k]];
        double lower = drive->share[k] * joint->lower, upper = drive->share[k] * joint->upper;
        sum.lower += fmin(lower, upper);
        sum.upper += fmax(lower, upper);
    }
    return sum;
}

double gmc_program_drive(const gmc_program *program, const gmc_world *world,
                         const gmc_program_state *state, int dof)
{
    const gmc_drive *drive = drive_of(program, world->model, dof);
    if (drive) return drive_position(drive, world, state);
    for (int i = 0; i < program->gear_count; i++)
        if (program->gears[i].leader == dof && state->is_open[i])
            return state->opened_at[i] + drive_way(&program->gears[i], world, state, i);
    return world->state.q[state->place_of[dof]];
}

static double motor_speed(const gmc_program *program, const gmc_world *world,
                          const gmc_program_state *state, int dof)
{
    const gmc_drive *drive = drive_of(program, world->model, dof);
    double speed = 0;
    for (int k = 0; drive && k < drive->joint_count; k++)
        speed += drive->share[k] * world->state.v[drive->dofs[k]];
    if (drive) return speed;
    for (int i = 0; i < program->gear_count; i++)
        if (program->gears[i].leader == dof && state->is_open[i])
            return world->state.v[program->gears[i].follower] / program->gears[i].alone;
    return world->state.v[dof];
}

/// Closed: the gear is a stiff servo on q - ratio q_leader.
static void close_gear(const gmc_gear *gear, const gmc_model *model, int index,
                       gmc_program_state *state, int *count)
{
    int *dofs = state->gang_index + 4 * index, *coordinates = dofs + 2;
    double *share = state->gang_share + 2 * index;
    bool is_behind = gear->follower > gear->leader;
    dofs[is_behind] = gear->follower, dofs[!is_behind] = gear->leader;
    share[is_behind] = 1, share[!is_behind] = -gear->ratio;
    for (int k = 0; k < 2; k++)
        coordinates[k] = model->bodies[state->body_of[dofs[k]]].q;
    state->gangs[(*count)++] = (gmc_gang){.joint_count = 2,
                                          .dofs = dofs,
                                          .coordinates = coordinates,
                                          .share = share,
                                          .stiffness = gear->stiffness,
                                          .damping = gear->damping,
                                          .x_ref = gear->offset,
                                          .force_limit = HUGE_VAL};
}

/// Open: the leading link is locked, its drive is the follower's.
static void open_gear(const gmc_gear *gear, int index, gmc_program_state *state)
{
    int l = gear->leader, f = gear->follower;
    double r = gear->alone, pressed = state->side[index] * gear->breakaway;
    double way = state->q_ref_now[l] - state->opened_at[index];
    state->force_now[f] += state->force_now[l] / r;
    state->stiffness_now[f] = state->stiffness_now[l] / (r * r);
    state->damping_now[f] = state->damping_now[l] / (r * r);
    state->q_ref_now[f] = state->opened_by[index] + r * way;
    state->v_ref_now[f] = r * state->v_ref_now[l];
    state->force_limit_now[f] = state->force_limit_now[l] / fabs(r);
    state->force_now[l] = 0;
    state->stiffness_now[l] = gear->stiffness;
    state->damping_now[l] = gear->damping;
    state->q_ref_now[l] = state->opened_at[index] + pressed / gear->stiffness;
    state->v_ref_now[l] = 0;
    state->force_limit_now[l] = HUGE_VAL;
}

/// What the clutch of a closed gear passes on to the leading link at the end of the step.
static double passed_on(const gmc_gear *gear, const gmc_world *world,
                        const gmc_program_state *state)
{
    int l = gear->leader, f = gear->follower;
    const double *v = world->state.v;
    double q = position_of(world, state, l), limit = state->force_limit_now[l];
    double servo = state->stiffness_now[l] * (state->q_ref_now[l] - q) +
                   state->damping_now[l] * (state->v_ref_now[l] - v[l]);
    double bent = position_of(world, state, f) - gear->ratio * q - gear->offset;
    double gear_force = -gear->stiffness * bent - gear->damping * (v[f] - gear->ratio * v[l]);
    return state->force_now[l] + gmc_max(-limit, gmc_min(servo, limit)) - gear->alone * gear_force;
}

// Rounding and the gear's bend must not close what has just opened [m, rad].
static const double CLUTCH_SLACK = 1e-4;
// Of its largest speed, at which a drive may brake: its law does not say what it gives.
static const double CLUTCH_FAST = 0.9;

/// After an accepted step: which clutches open or close.
static void work_clutches(const gmc_program *program, const gmc_world *world,
                          gmc_program_state *state)
{
    for (int i = 0; i < program->gear_count; i++) {
        const gmc_gear *gear = &program->gears[i];
        if (state->is_open[i]) {
            double beyond = drive_way(gear, world, state, i);
            state->is_open[i] = state->side[i] * beyond >= -CLUTCH_SLACK;
            continue;
        }
        double moment = passed_on(gear, world, state), speed = fabs(world->state.v[gear->leader]);
        bool is_fast = speed > CLUTCH_FAST * world->model->dofs[gear->leader].max_speed;
        if (!(fabs(moment) > gear->breakaway) || is_fast) continue;
        state->is_open[i] = true;
        state->side[i] = copysign(1, moment);
        state->opened_at[i] = position_of(world, state, gear->leader);
        state->opened_by[i] = position_of(world, state, gear->follower);
    }
}

// ---- drives of several joints ------------------------------------------------------------------

/// Their servos as gangs, and the forces asked of them on their joints.
static void work_drives(const gmc_program *program, const gmc_model *model,
                        gmc_program_state *state, int *count)
{
    const int *coordinates = state->coordinates;
    for (int i = 0; i < program->drive_count; i++) {
        const gmc_drive *drive = &program->drives[i];
        int dof = model->dof_count + i;
        for (int k = 0; k < drive->joint_count; k++)
            state->force_now[drive->dofs[k]] += drive->share[k] * state->force[dof];
        if (state->stiffness[dof] > 0 || state->damping[dof] > 0)
            state->gangs[(*count)++] = (gmc_gang){.joint_count = drive->joint_count,
                                                  .dofs = drive->dofs,
                                                  .coordinates = coordinates,
                                                  .share = drive->share,
                                                  .stiffness = state->stiffness[dof],
                                                  .damping = state->damping[dof],
                                                  .x_ref = state->q_ref[dof],
                                                  .x_dot_ref = state->v_ref[dof],
                                                  .force_limit = state->force_limit[dof],
                                                  .is_centred = true};
        coordinates += drive->joint_count;
    }
}

/// What loads, clutches and drives of several joints make of the control.
static void refine(const gmc_program *program, const gmc_world *world, gmc_program_state *state,
                   gmc_control *control)
{
    size_t bytes = (size_t)world->model->dof_count * sizeof(double);
    int count = 0;
    memcpy(state->force_now, state->force, bytes);
    memcpy(state->stiffness_now, state->stiffness, bytes);
    memcpy(state->damping_now, state->damping, bytes);
    memcpy(state->q_ref_now, state->q_ref, bytes);
    memcpy(state->v_ref_now, state->v_ref, bytes);
    memcpy(state->force_limit_now, state->force_limit, bytes);
    if (program->holds) hold_up(program, world, state);
    for (int i = 0; i < program->gear_count; i++)
        if (state->is_open[i])
            open_gear(&program->gears[i], i, state);
        else
            close_gear(&program->gears[i], world->model, i, state, &count);
    work_drives(program, world->model, state, &count);
    control->force = state->force_now;
    control->stiffness = state->stiffness_now;
    control->damping = state->damping_now;
    control->q_ref = state->q_ref_now;
    control->v_ref = state->v_ref_now;
    control->force_limit = state->force_limit_now;
    control->gangs = state->gangs;
    control->gang_count = count;
    state->has_acted = true;
}

void gmc_program_control(const gmc_program *program, const gmc_world *world, gmc_model *model,
                         double h, gmc_program_state *state, gmc_control *control)
{
    const gmc_phase *phase =
        state->phase < program->phase_count ? &program->phases[state->phase] : NULL;
    double time = world->state.t + h - state->phase_start;
    if (program->base_body >= 0) drive_base(program, world, phase, time, h, state);
    if (phase) act(program, phase, time, h, model, state);
    // a force that was still growing as its phase ended goes on
    if (state->grip_start < state->phase_start &&
        gmc_program_force_grows(state, state->phase_start)) {
        press(program, model, program_control_force(state, time - h), state);
    }
    program_course(program, world, h, state);
    *control = (gmc_control){.force = state->force,
                             .stiffness = state->stiffness,
                             .damping = state->damping,
                             .q_ref = state->q_ref,
                             .v_ref = state->v_ref,
                             .force_limit = state->force_limit,
                             .v_driven = state->v_driven,
                             .q_driven = state->q_driven};
    if (program->holds || program->gear_count + program->drive_count > 0)
        refine(program, world, state, control);
}

// ---- what a sampled controller is asked for ----------------------------------------------------

static const gmc_finger *finger_of(const gmc_program *program, int dof)
{
    for (int i = 0; i < program->finger_count; i++)
        if (program->fingers[i].dof == dof) return &program->fingers[i];
    return NULL;
}

// Does the current phase move the reference of this dof?
static bool is_moved_now(const gmc_program *program, const gmc_phase *phase, int dof)
{
    switch (phase->type) {
    case GMC_PROGRAM_GRIP:
        return !phase->has_force && finger_of(program, dof);
    case GMC_PROGRAM_JOINT_MOVE:
    case GMC_PROGRAM_JOINT_SHAKE:
        return phase->dof == dof;
    case GMC_PROGRAM_MOVE_TO:
    case GMC_PROGRAM_MOVE:
    case GMC_PROGRAM_TURN:
    case GMC_PROGRAM_SHAKE:
    case GMC_PROGRAM_HOLD:
    case GMC_PROGRAM_PULL:
    case GMC_PROGRAM_SET:
        break;
    }
    return false;
}

// Where the motion of the current phase has a dof, if it moves it.
static bool is_on_way(const gmc_program *program, const gmc_program_state *state, double time,
                      int dof, double *q)
{
    const gmc_move_to *to = program->phases[state->phase].move_to;
    const gmc_program_motion *motion = &state->motions[state->phase];
    if (program->phases[state->phase].type != GMC_PROGRAM_MOVE_TO) return false;
    motion_at(motion, to, time, motion->x);
    for (int i = 0; i < to->dof_count; i++)
        if (to->dofs[i] == dof) *q = motion->x[i];
    return program_control_moves(program, state, dof);
}

static void want_to_press(const gmc_program *program, const gmc_world *world,
                          const gmc_program_state *state, const gmc_finger *finger, double t,
                          gmc_program_want *want)
{
    double force = program_control_force(state, t - state->phase_start);
    double drive = fmin(finger->drive * force, max_force_of(program, world->model, finger->dof));
    want->is_pressing = true;
    if (isinf(state->grip_speed)) {
        want->force = finger->closing * drive;
        want->stiffness = want->damping = 0;
        return;
    }
    double speed = fmin(state->grip_speed, max_speed_of(world->model, finger->dof));
    want->q += finger->closing * speed * fmax(t - state->grip_start, 0);
    want->limit = drive;
}

// Of a body in the plane: its push, and the servo beside it.
static void want_of_body(const gmc_program *program, const gmc_world *world,
                         const gmc_program_state *state, double t, int dof, gmc_program_want *want)
{
    *want = (gmc_program_want){.q = world->model->q_start[state->place_of[dof]], .limit = INFINITY};
    for (int i = 0; i < program->push_count; i++) {
        const gmc_course *push = &program->pushes[i];
        int k = dof - world->model->bodies[push->body].v;
        if (k < 0 || k >= 3) continue;
        if (push->wanted[k].count > 0) want->q = gmc_program_curve(&push->wanted[k], t);
        want->stiffness = push->stiffness[k];
        want->damping = push->damping[k];
        want->force = gmc_program_curve(&push->curves[k], t);
    }
}

void gmc_program_wants(const gmc_program *program, const gmc_world *world,
                       const gmc_program_state *state, double t, int dof, gmc_program_want *want)
{
    const gmc_drive *drive = drive_of(program, world->model, dof);
    if (!drive && state->body_of[dof] < 0) {
        want_of_body(program, world, state, t, dof, want);
        return;
    }
    const gmc_phase *phase =
        state->phase < program->phase_count ? &program->phases[state->phase] : NULL;
    const gmc_finger *finger = finger_of(program, dof);
    double time = fmax(t - state->phase_start, 0);
    *want =
        (gmc_program_want){.q = state->q_hold[dof],
                           .stiffness = drive ? drive->stiffness : program->servo_stiffness[dof],
                           .damping = drive ? drive->damping : program->servo_damping[dof],
                           .limit = INFINITY};
    if (phase && is_on_way(program, state, time, dof, &want->q)) return;
    if (phase && is_moved_now(program, phase, dof))
        want->q = program_profile_joint(phase, state, time, dof);
    else if (state->is_force_grip && finger && !program_control_moves(program, state, dof))
        want_to_press(program, world, state, finger, t, want);
}

// ---- events ------------------------------------------------------------------------------------
//
// Events that end a phase, each a plain question about the world as it is now. That an event must
// last is the caller's affair.

// Slower than this a finger is stalled, and an object that turns no faster at rest [m/s, rad/s].
static const double STALL_SPEED = 1e-3, STALL_RATE = 1e-2, REST_RATE = 0.05;

static bool is_stalled(const gmc_program *program, const gmc_phase *phase, const gmc_world *world,
                       const gmc_program_state *state)
{
    for (int i = 0; i < program->finger_count; i++) {
        int dof = program->fingers[i].dof;
        const gmc_drive *drive = drive_of(program, world->model, dof);
        bool turns = drive ? !drive->slides
                           : world->model->bodies[state->body_of[dof]].joint == GMC_JOINT_REVOLUTE;
        double limit = turns ? STALL_RATE : STALL_SPEED;
        limit = fmin(limit, phase->speed / 2); // a finger that is meant to be slow is not stalled
        if (!(fabs(motor_speed(program, world, state, dof)) < limit)) return false;
    }
    return true;
}

static bool is_moved_by(const gmc_program *program, const gmc_model *model, int body, int dof)
{
    const gmc_drive *drive = drive_of(program, model, dof);
    bool is_moved = model->bodies[body].v == dof;
    for (int k = 0; drive && k < drive->joint_count; k++)
        is_moved = is_moved || model->bodies[body].v == drive->dofs[k];
    return is_moved && gmc_joint_v_count(model->bodies[body].joint) == 1;
}

// The part of the hand that a body belongs to: the body nearest to the root that the dof moves
// itself; -1 if the dof does not move it.
static int branch_of(const gmc_program *program, const gmc_model *model, int body, int dof)
{
    int branch = -1;
    for (int b = body; b > 0; b = model->bodies[b].parent)
        if (is_moved_by(program, model, b, dof)) branch = b;
    return branch;
}

// Does the finger of this dof touch the object with force? Where one drive moves several branches
// of the hand, two must touch: a jaw has two, and of a linkage some branches never touch anything.
static bool finger_touches(const gmc_program *program, const gmc_world *world, int dof, int object)
{
    const gmc_model *model = world->model;
    int branches = 0, touching = 0, first = -1;
    for (int b = 1; b < model->body_count; b++)
        if (is_moved_by(program, model, b, dof) && branch_of(program, model, b, dof) == b)
            branches++;
    for (int i = 0; i < world->contacts.count && touching < 2; i++) {
        const gmc_contact *c = &world->contacts.contacts[i];
        if (!(c->impulse[0] > 0) || (c->body_a != object && c->body_b != object)) continue;
        int body = c->body_a == object ? c->body_b : c->body_a;
        int branch = branch_of(program, model, body, dof);
        if (branch < 0 || branch == first) continue;
        first = branch;
        touching++;
    }
    return touching >= (branches > 1 ? 2 : 1);
}

static bool program_is_at_rest(const gmc_world *world, int object)
{
    if (object < 0) return true;
    const gmc_twist *V = &world->kin.V[object];
    gmc_vec3 velocity = gmc_twist_at(V, world->kin.com_w[object]);
    return gmc_vec3_norm(velocity) < GMC_WORLD_REST_SPEED && gmc_vec3_norm(V->w) < REST_RATE;
}

/// Does the event that ends the phase hold now?
/// @param time  since the phase began [s]
static bool program_event_holds(const gmc_program *program, const gmc_phase *phase,
                                const gmc_world *world, const gmc_program_state *state, double time)
{
    switch (phase->end) {
    case GMC_END_TIME:
        return false;
    case GMC_END_STALLED: {
        double ramp = phase->has_force ? phase->ramp : 0;
        return time >= ramp && is_stalled(program, phase, world, state);
    }
    case GMC_END_IN_CONTACT:
        for (int i = 0; i < program->finger_count; i++)
            if (!finger_touches(program, world, program->fingers[i].dof, program->object_body))
                return false;
        return true;
    case GMC_END_AT_REST:
        return program_is_at_rest(world, program->object_body);
    case GMC_END_SLIPPED:
        return state->pulled_way >= phase->slip;
    }
    return false;
}

// ---- what a pull does --------------------------------------------------------------------------

/// Mass centre of the body in the frame of the hand's tool point where it is; without a hand in the
/// world.
static gmc_vec3 centre_in_hand(const gmc_program *program, const gmc_world *world, int body)
{
    gmc_pose X_wh = gmc_pose_identity();
    if (program->base_body >= 0) X_wh = world->kin.X_wb[program->base_body];
    if (program->tool_frame >= 0) {
        const gmc_frame *frame = &world->model->frames[program->tool_frame];
        X_wh = gmc_pose_multiply(&world->kin.X_wb[frame->body], &frame->X_bf);
    }
    return gmc_pose_apply_inverse(&X_wh, world->kin.com_w[body]);
}

/// After a step: how far the body has slipped, and which pull it bore. The pull at the slip is
/// straight between those at the two ends of the step: with steps it comes from nowhere else.
static void watch_pull(const gmc_program *program, const gmc_world *world, gmc_program_state *state)
{
    if (state->phase >= program->phase_count) return;
    const gmc_phase *phase = &program->phases[state->phase];
    if (phase->type != GMC_PROGRAM_PULL) return;
    double *borne = &state->borne[phase->body];
    bool *has_slipped = &state->has_slipped[phase->body];
    double before = state->pulled_way;
    state->pulled_way = gmc_vec3_norm(
        gmc_vec3_sub(centre_in_hand(program, world, phase->body), state->pulled_from));
    if (*has_slipped) return;
    double now = pull_at(phase, state, state->t_now), was = pull_at(phase, state, state->t_before);
    *has_slipped = state->pulled_way > GMC_PROGRAM_SLIP;
    if (*has_slipped)
        now = was + (now - was) * (GMC_PROGRAM_SLIP - before) / (state->pulled_way - before);
    *borne = *has_slipped ? now : fmax(*borne, now);
}

// ---- the sequence of phases --------------------------------------------------------------------

static void find_bodies(const gmc_model *model, gmc_program_state *state)
{
    for (int dof = 0; dof < model->dof_count; dof++)
        state->body_of[dof] = state->place_of[dof] = -1;
    for (int b = 1; b < model->body_count; b++) {
        const gmc_body *body = &model->bodies[b];
        bool is_single = !body->is_mimic && gmc_joint_v_count(body->joint) == 1;
        if (is_single) state->body_of[body->v] = b;
        int count = is_single ? 1 : body->joint == GMC_JOINT_PLANAR ? 3 : 0;
        for (int k = 0; k < count; k++)
            state->place_of[body->v + k] = body->q + k;
    }
}

static void find_coordinates(const gmc_program *program, const gmc_model *model,
                             gmc_program_state *state)
{
    int *next = state->coordinates;
    for (int i = 0; i < program->drive_count; i++)
        for (int k = 0; k < program->drives[i].joint_count; k++)
            *next++ = model->bodies[state->body_of[program->drives[i].dofs[k]]].q;
}

static gmc_status create_gears(const gmc_program *program, gmc_arena *arena,
                               gmc_program_state *state)
{
    int count = program->gear_count;
    state->is_open = GMC_NEW(arena, count, bool);
    state->opened_at = GMC_NEW(arena, 3 * count, double);
    state->opened_by = state->opened_at + count;
    state->side = state->opened_by + count;
    state->gangs = GMC_NEW(arena, count + program->drive_count, gmc_gang);
    state->gang_index = GMC_NEW(arena, 4 * count, int);
    state->gang_share = GMC_NEW(arena, 2 * count, double);
    return state->is_open && state->opened_at && state->gangs && state->gang_index &&
                   state->gang_share
               ? GMC_OK
               : GMC_E_ARENA_FULL;
}

// Room of one motion, and of its making.
static gmc_status create_motion(const gmc_move_to *to, const gmc_model *model, gmc_arena *arena,
                                gmc_program_motion *motion)
{
    int *joints = GMC_NEW(arena, to->dof_count, int), count = 0;
    if (!joints) return GMC_E_ARENA_FULL;
    for (int i = 0; i < to->dof_count; i++)
        if (to->dofs[i] < model->dof_count) joints[count++] = to->dofs[i];
    gmc_arm_spec spec = {.model = model, .dofs = joints, .count = count};
    spec.X_bt = gmc_pose_identity();
    if (to->tool_frame >= 0) {
        spec.tool_body = model->frames[to->tool_frame].body;
        spec.X_bt = model->frames[to->tool_frame].X_bf;
    }
    int knots = to->is_straight      ? GMC_REACH_LINE_MAX
                : to->is_planned     ? GMC_PROGRAM_STOPS
                : to->knot_count > 0 ? to->knot_count + 1
                                     : 2;
    if (count > 0) GMC_TRY(gmc_arm_create(&spec, arena, &motion->arm));
    if (count > 0) GMC_TRY(gmc_way_create(count, knots, arena, &motion->way));
    if (count < to->dof_count)
        GMC_TRY(gmc_way_create(to->dof_count - count, knots, arena, &motion->sums));
    motion->joint_end = model->dof_count;
    motion->parts = GMC_NEW(arena, to->dof_count, double);
    motion->x = GMC_NEW(arena, to->dof_count, double);
    motion->before = GMC_NEW(arena, to->dof_count, double);
    if (to->is_planned) {
        motion->goals = GMC_NEW(arena, GMC_PROGRAM_GOALS * to->dof_count, double);
        if (!motion->goals) return GMC_E_ARENA_FULL;
        GMC_TRY(gmc_around_create(model, &motion->arm, -1, arena, &motion->around));
    }
    return motion->parts && motion->x && motion->before ? GMC_OK : GMC_E_ARENA_FULL;
}

static gmc_status create_motions(const gmc_program *program, const gmc_model *model,
                                 gmc_arena *arena, gmc_program_state *state)
{
    bool has_motion = false;
    state->motions = GMC_NEW(arena, program->phase_count, gmc_program_motion);
    if (!state->motions) return GMC_E_ARENA_FULL;
    for (int i = 0; i < program->phase_count; i++) {
        if (program->phases[i].type != GMC_PROGRAM_MOVE_TO) continue;
        has_motion = true;
        size_t planning = gmc_plan_bytes(program->phases[i].move_to->dof_count, GMC_PROGRAM_NODES);
        if (program->phases[i].move_to->is_planned && planning > state->room.capacity)
            state->room.capacity = planning;
        GMC_TRY(create_motion(program->phases[i].move_to, model, arena, &state->motions[i]));
    }
    if (!has_motion) return GMC_OK;
    if (gmc_way_stretch_bytes(model) > state->room.capacity)
        state->room.capacity = gmc_way_stretch_bytes(model);
    state->room.memory = gmc_arena_take(arena, state->room.capacity, 1);
    return state->room.memory ? GMC_OK : GMC_E_ARENA_FULL;
}

gmc_status gmc_program_create(const gmc_program *program, const gmc_model *model, gmc_arena *arena,
                              gmc_program_state *state)
{
    *state = (gmc_program_state){0};
    size_t dofs = (size_t)(model->dof_count + program->drive_count), sets = 0;
    for (int i = 0; i < program->phase_count; i++)
        if ((size_t)program->phases[i].set_count > sets)
            sets = (size_t)program->phases[i].set_count;
    double **arrays[] = {&state->q_hold,    &state->q_goal,        &state->v_goal,
                         &state->force,     &state->stiffness,     &state->damping,
                         &state->q_ref,     &state->v_ref,         &state->force_limit,
                         &state->v_driven,  &state->load,          &state->sampled,
                         &state->force_now, &state->stiffness_now, &state->damping_now,
                         &state->q_ref_now, &state->v_ref_now,     &state->force_limit_now};
    for (int i = 0; i < GMC_COUNT(arrays); i++)
        if (!(*arrays[i] = GMC_NEW(arena, dofs, double))) return GMC_E_ARENA_FULL;
    state->q_driven = GMC_NEW(arena, model->q_count, double);
    state->set_start = GMC_NEW(arena, sets, double);
    state->body_of = GMC_NEW(arena, model->dof_count, int);
    state->place_of = GMC_NEW(arena, model->dof_count, int);
    state->coordinates = GMC_NEW(arena, model->dof_count, int);
    state->is_moved = GMC_NEW(arena, dofs, bool);
    state->is_sampled = GMC_NEW(arena, dofs, bool);
    state->borne = GMC_NEW(arena, model->body_count, double);
    state->has_slipped = GMC_NEW(arena, model->body_count, bool);
    if (!state->q_driven || !state->set_start || !state->body_of || !state->place_of ||
        !state->borne || !state->has_slipped || !state->is_moved || !state->is_sampled ||
        !state->coordinates)
        return GMC_E_ARENA_FULL;
    GMC_TRY(create_gears(program, arena, state));
    GMC_TRY(create_motions(program, model, arena, state));
    find_bodies(model, state);
    find_coordinates(program, model, state);
    return GMC_OK;
}

// The tool frame when the base is where its reference is. The base itself may lag behind where a
// phase shorter than a step was passed over.
static gmc_pose tool_pose(const gmc_program *program, const gmc_world *world,
                          const gmc_program_state *state)
{
    gmc_pose X_wt = gmc_pose_identity();
    if (program->tool_frame >= 0) {
        const gmc_frame *frame = &world->model->frames[program->tool_frame];
        X_wt = gmc_pose_multiply(&world->kin.X_wb[frame->body], &frame->X_bf);
    }
    if (program->base_body < 0) return X_wt;
    const gmc_pose *X_wb = &world->kin.X_wb[program->base_body];
    gmc_pose reference = gmc_pose_make(state->base.rotation, state->base.p);
    if (program->tool_frame < 0) return reference;
    gmc_pose X_bt = gmc_pose_relative(X_wb, &X_wt);
    return gmc_pose_multiply(&reference, &X_bt);
}

static double goal_of(const gmc_phase *phase, const gmc_finger *finger)
{
    switch (phase->to) {
    case GMC_GRIP_POSITION:
        return phase->position;
    case GMC_GRIP_OPEN:
        return finger->open;
    case GMC_GRIP_CLOSED:
        return finger->closed;
    }
    return phase->position;
}

// A grip's force grows from what the fingers press with now.
static void start_force(const gmc_phase *phase, gmc_program_state *state)
{
    double now = state->is_force_grip ? program_control_force(state, 0) : 0;
    state->is_force_grip = phase->has_force;
    if (!phase->has_force) return;
    state->grip_from = now;
    state->grip_to = phase->force;
    state->grip_ramp = phase->ramp;
    state->grip_start = state->phase_start;
}

// Faster than this a finger is still on its way to what it will press on [m/s, rad/s].
static const double ON_WAY = 1e-3;

// A finger that presses is moved from where its servo presses as much, so that it neither lets go
// nor presses more for being moved by nothing; one that is on its way from where it is. Phases one
// after the other go on from each other.
static void start_moving(const gmc_program *program, const gmc_world *world,
                         gmc_program_state *state)
{
    for (int i = 0; i < program->finger_count; i++) {
        const gmc_finger *finger = &program->fingers[i];
        int moved = finger->dof;
        bool was_moved = state->is_moved[moved];
        state->is_moved[moved] =
            state->is_force_grip && program_control_moves(program, state, moved);
        if (was_moved || !state->is_moved[moved]) continue;
        bool is_under_way = fabs(world->state.v[moved]) > ON_WAY;
        double now = program_control_force(state, 0) * finger->drive;
        double stiffness = stiffness_of(program, world->model, moved), bent = 0;
        now = fmin(now, max_force_of(program, world->model, moved));
        if (stiffness > 0 && !is_under_way) bent = finger->closing * now / stiffness;
        state->q_hold[moved] = gmc_program_drive(program, world, state, moved) + bent;
    }
}

// ---- motions to places -------------------------------------------------------------------------
//
// Made when their phase begins, from where the references then are, not the joints: a motion goes
// on from the one before.

static void refuse(gmc_program_state *state, gmc_refusal why, int dof)
{
    state->refusal = why;
    state->refused_dof = dof;
}

static void set_start_of(const gmc_move_to *to, const gmc_world *world, gmc_program_state *state)
{
    gmc_program_motion *motion = &state->motions[state->phase];
    double *joint = motion->way.x, *sum = motion->sums.x;
    if (motion->way.joint_count > 0) gmc_arm_stand(&motion->arm, world->state.q);
    for (int i = 0; i < to->dof_count; i++) {
        double **next = to->dofs[i] < motion->joint_end ? &joint : &sum;
        *(*next)++ = state->q_hold[to->dofs[i]];
    }
}

// Ends of a joint's range; of a drive those of its sum within the ranges of its joints.
static void find_range(const gmc_program *program, const gmc_model *model, int dof, double range[2])
{
    const gmc_drive *drive = drive_of(program, model, dof);
    range[0] = drive ? 0 : model->dofs[dof].lower;
    range[1] = drive ? 0 : model->dofs[dof].upper;
    for (int k = 0; drive && k < drive->joint_count; k++) {
        const gmc_dof *own = &model->dofs[drive->dofs[k]];
        double c = drive->share[k];
        range[0] += c * (c > 0 ? own->lower : own->upper);
        range[1] += c * (c > 0 ? own->upper : own->lower);
    }
}

// Through places of joints, at their times or in one go.
static void lay_knots(const gmc_program *program, const gmc_move_to *to, const gmc_model *model,
                      gmc_program_state *state)
{
    gmc_program_motion *motion = &state->motions[state->phase];
    gmc_way *ways[] = {&motion->way, &motion->sums};
    int n = to->dof_count, last = to->knot_count, at[2] = {0, 0};
    for (int i = 0; i < n; i++) {
        int side = to->dofs[i] >= motion->joint_end, column = at[side]++;
        double range[2];
        find_range(program, model, to->dofs[i], range);
        for (int k = 1; k <= last; k++) {
            double x = to->knots[(k - 1) * n + i];
            ways[side]->x[k * ways[side]->joint_count + column] = x;
            if (x < range[0] || x > range[1])
                refuse(state, GMC_REFUSAL_LIMIT,
                       side ? program->drives[to->dofs[i] - model->dof_count].dofs[0]
                            : to->dofs[i]);
        }
    }
    for (int side = 0; side < 2; side++) {
        if (at[side] == 0) continue;
        ways[side]->kind = GMC_WAY_THROUGH;
        ways[side]->knot_count = last + 1;
        for (int k = 1; k <= last; k++)
            ways[side]->u[k] = to->times ? to->times[k - 1] / to->times[last - 1] : 1;
        gmc_way_lay(ways[side]);
    }
}

// Where the tool is to go in the world.
static gmc_pose target_of(const gmc_program *program, const gmc_move_to *to, const gmc_world *world)
{
    gmc_pose X = world->kin.X_wb[to->frame_body];
    bool is_seen = program->sight && to->frame_body == program->object_body;
    if (is_seen) X = gmc_sighting_pose(program->sight, &X);
    return gmc_pose_multiply(&X, &to->pose);
}

// The tool to its pose, along a line or as the joints go.
static void lay_pose(const gmc_program *program, const gmc_move_to *to, const gmc_world *world,
                     gmc_program_state *state)
{
    gmc_program_motion *motion = &state->motions[state->phase];
    gmc_way *way = &motion->way;
    gmc_pose target = target_of(program, to, world);
    gmc_reach_options options = gmc_reach_defaults();
    gmc_reach_found found;
    int n = to->dof_count;
    if (to->is_straight) {
        for (int i = 0; i < n; i++)
            motion->x[i] = way->x[i];
        if (gmc_reach_line(&motion->arm, &target, motion->x, way) != GMC_OK)
            refuse(state, GMC_REFUSAL_LINE, -1);
        return;
    }
    way->kind = GMC_WAY_STOPS;
    way->knot_count = 2;
    way->u[1] = 1;
    for (int i = 0; i < n; i++)
        way->x[n + i] = way->x[i];
    if (gmc_reach_pose(&motion->arm, &target, &options, way->x + n, &found) != GMC_OK) {
        refuse(state, GMC_REFUSAL_POSE, -1);
        state->refused_off = found.off;
    }
    gmc_way_lay(way);
}

// Is the object in the hand of what moves? Then it is carried along.
static int carried(const gmc_around *around, const gmc_world *world, int object)
{
    for (int i = 0; i < world->contacts.count; i++) {
        const gmc_contact *c = &world->contacts.contacts[i];
        if (!(c->impulse[0] > 0) || (c->body_a != object && c->body_b != object)) continue;
        if (around->is_moving[c->body_a == object ? c->body_b : c->body_a]) return object;
    }
    return -1;
}

// Joint positions that a planned motion may end at: those that are named, or some that put the tool
// to its pose.
static int find_goals(const gmc_program *program, const gmc_move_to *to, const gmc_world *world,
                      gmc_program_motion *motion, double *off)
{
    int n = to->dof_count, count = 0;
    if (to->knot_count > 0) {
        for (int i = 0; i < n; i++)
            motion->goals[i] = to->knots[(to->knot_count - 1) * n + i];
        return 1;
    }
    gmc_pose target = target_of(program, to, world);
    for (int k = 0; k < GMC_PROGRAM_GOALS; k++) {
        gmc_reach_options options = gmc_reach_defaults();
        gmc_reach_found found;
        double *x = motion->goals + count * n;
        options.seed = (uint64_t)k;
        for (int i = 0; i < n; i++)
            x[i] = k == 0 ? motion->way.x[i]
                          : gmc_arm_anywhere(&motion->arm, i,
                                             gmc_chance_uniform(1, (uint64_t)(k * n + i)));
        if (gmc_reach_pose(&motion->arm, &target, &options, x, &found) == GMC_OK)
            count++;
        else if (k == 0) { // found from nowhere within all its attempts
            *off = found.off;
            return 0;
        }
    }
    return count;
}

// Overlap that counts as contact: of what stands on the ground, or has just let go [m].
static const double PLAN_OVERLAP = 5e-4;

// Everything where the plan has it: as it is, the object where it is seen, unless it is carried.
static void stand_around(const gmc_program *program, const gmc_world *world, gmc_around *around)
{
    int object = program->object_body;
    around->ignored = object >= 0 ? carried(around, world, object) : -1;
    around->moved = program->sight && around->ignored != object ? object : -1;
    if (around->moved >= 0)
        around->X_wm = gmc_sighting_pose(program->sight, &world->kin.X_wb[object]);
    gmc_around_stand(around, world->state.q);
}

// Around what stands there, from stop to stop; each stretch takes its share of the time.
static void lay_path(const gmc_program *program, const gmc_move_to *to, const gmc_world *world,
                     gmc_program_state *state)
{
    gmc_program_motion *motion = &state->motions[state->phase];
    gmc_way *way = &motion->way;
    gmc_plan_options options = gmc_plan_defaults();
    options.node_max = GMC_PROGRAM_NODES;
    options.clearance = -PLAN_OVERLAP;
    options.resolution = PLAN_OVERLAP / 2;
    int n = to->dof_count, goals = find_goals(program, to, world, motion, &state->refused_off);
    if (goals == 0) {
        refuse(state, GMC_REFUSAL_POSE, -1);
        return;
    }
    for (int i = 0; i < n; i++)
        motion->before[i] = way->x[i];
    gmc_plan plan = {.start = motion->before,
                     .goals = motion->goals,
                     .goal_count = goals,
                     .knot_max = GMC_PROGRAM_STOPS,
                     .knots = way->x};
    stand_around(program, world, &motion->around);
    gmc_plan_space space = gmc_around_space(&motion->around);
    if (gmc_plan_find(&space, &options, &state->room, &plan) != GMC_OK || plan.knot_count == 0) {
        refuse(state, GMC_REFUSAL_PATH, -1);
        return;
    }
    way->kind = GMC_WAY_STOPS;
    way->knot_count = plan.knot_count;
    for (int k = 1; k < way->knot_count; k++)
        way->u[k] = way->u[k - 1] +
                    fmax(space.apart(space.context, way->x + (k - 1) * n, way->x + k * n), 1e-9);
    double length = way->u[way->knot_count - 1];
    for (int k = 1; k < way->knot_count; k++)
        way->u[k] /= length;
    gmc_way_lay(way);
}

static void start_motion(const gmc_program *program, const gmc_phase *phase, const gmc_world *world,
                         gmc_program_state *state)
{
    const gmc_move_to *to = phase->move_to;
    gmc_program_motion *motion = &state->motions[state->phase];
    gmc_way_limit limit;
    set_start_of(to, world, state);
    if (to->is_planned)
        lay_path(program, to, world, state);
    else if (to->knot_count > 0)
        lay_knots(program, to, world->model, state);
    else
        lay_pose(program, to, world, state);
    if (state->refusal != GMC_REFUSAL_NONE) return;
    motion->way.duration = motion->sums.duration = phase->duration;
    if (motion->way.joint_count == 0) return; // drives of several joints have no time of their own
    gmc_status status = gmc_way_stretch(&motion->way, &motion->arm, &state->room, &limit);
    GMC_ASSERT(status == GMC_OK || status == GMC_E_LIMIT);
    if (status != GMC_OK)
        refuse(state, GMC_REFUSAL_FORCE, motion->arm.spec.dofs[limit.joint]);
    else if (limit.joint >= 0 && motion->way.duration > phase->at_most)
        refuse(state, GMC_REFUSAL_TIME, motion->arm.spec.dofs[limit.joint]);
    state->duration = motion->sums.duration = motion->way.duration;
}

// What a phase starts from.
static void enter_phase(const gmc_program *program, const gmc_world *world,
                        gmc_program_state *state)
{
    state->event_since = -1;
    if (state->phase < program->phase_count) {
        const gmc_phase *phase = &program->phases[state->phase];
        state->X_tool = tool_pose(program, world, state);
        if (phase->type == GMC_PROGRAM_PULL)
            state->pulled_from = centre_in_hand(program, world, phase->body);
        state->pulled_way = 0;
        state->duration = phase->duration;
        for (int i = 0; i < phase->set_count; i++)
            state->set_start[i] = program_control_get(&phase->sets[i], world->model);
        if (phase->type == GMC_PROGRAM_GRIP) {
            // a grip starts from where the fingers are, not from where a servo held them
            for (int i = 0; i < program->finger_count; i++) {
                int dof = program->fingers[i].dof;
                GMC_ASSERT(drive_of(program, world->model, dof) || state->body_of[dof] >= 0);
                state->q_hold[dof] = gmc_program_drive(program, world, state, dof);
                state->q_goal[dof] = goal_of(phase, &program->fingers[i]);
                state->v_goal[dof] = fmin(phase->speed, max_speed_of(world->model, dof));
            }
            start_force(phase, state);
            state->grip_speed = phase->speed;
        }
    }
    start_moving(program, world, state);
    if (state->phase < program->phase_count &&
        program->phases[state->phase].type == GMC_PROGRAM_MOVE_TO)
        start_motion(program, &program->phases[state->phase], world, state);
    program_control_hold(program, world->model, state);
}

void gmc_program_start(const gmc_program *program, const gmc_world *world, gmc_program_state *state)
{
    const gmc_model *model = world->model;
    state->phase = 0;
    state->has_acted = false;
    for (int i = 0; i < program->gear_count; i++)
        state->is_open[i] = false;
    state->phase_start = state->t_before = state->t_now = world->state.t;
    state->has_closed = false;
    state->is_force_grip = false;
    state->refusal = GMC_REFUSAL_NONE;
    state->refused_dof = -1;
    state->refused_off = 0;
    for (int dof = 0; dof < model->dof_count + program->drive_count; dof++)
        state->is_moved[dof] = false;
    state->grip_from = state->grip_to = 0;
    state->grip_start = state->phase_start;
    state->grip_ramp = 0;
    memset(state->borne, 0, (size_t)model->body_count * sizeof *state->borne);
    memset(state->has_slipped, 0, (size_t)model->body_count * sizeof *state->has_slipped);
    if (program->base_body >= 0) {
        const gmc_body *body = &model->bodies[program->base_body];
        const double *q = world->state.q + body->q;
        state->X_wj = gmc_pose_multiply(&world->kin.X_wb[body->parent], &body->X_pj);
        state->rotation_wj = gmc_quat_from_matrix(&state->X_wj.R);
        gmc_quat own = {1, 0, 0, 0};
        if (body->joint == GMC_JOINT_PLANAR)
            own = (gmc_quat){gmc_cos(q[2] / 2), 0, 0, gmc_sin(q[2] / 2)};
        else
            own = (gmc_quat){q[3], q[4], q[5], q[6]};
        state->base.rotation = gmc_quat_multiply(state->rotation_wj, own);
        state->base.p = world->kin.X_wb[program->base_body].p;
    }
    for (int dof = 0; dof < model->dof_count; dof++) {
        if (state->body_of[dof] >= 0)
            state->q_hold[dof] = world->state.q[model->bodies[state->body_of[dof]].q];
        state->force_limit[dof] = model->dofs[dof].max_force;
    }
    for (int i = 0; i < program->drive_count; i++)
        state->q_hold[model->dof_count + i] = drive_position(&program->drives[i], world, state);
    enter_phase(program, world, state);
}

static bool has_passed(double t, double end) { return t >= end - TIME_ROUNDING; }

// Is the current phase over, and when did it end?
static bool phase_ends(const gmc_program *program, const gmc_world *world, gmc_program_state *state,
                       double *end)
{
    const gmc_phase *phase = &program->phases[state->phase];
    double t = world->state.t;
    if (phase->end == GMC_END_TIME) {
        *end = state->phase_start + state->duration;
        return has_passed(t, *end);
    }
    if (!program_event_holds(program, phase, world, state, t - state->phase_start))
        state->event_since = -1;
    else if (state->event_since < 0)
        state->event_since = t;
    double dwell = phase->end == GMC_END_SLIPPED ? 0 : DWELL;
    bool has_happened = state->event_since >= 0 && has_passed(t, state->event_since + dwell);
    *end = has_happened ? t : state->phase_start + phase->at_most;
    return has_happened || has_passed(t, *end);
}

// What a phase leaves behind as the reference of what follows.
static void leave_phase(const gmc_program *program, double end, gmc_model *model,
                        gmc_program_state *state)
{
    const gmc_phase *phase = &program->phases[state->phase];
    // what ends by time has made all of its motion, to the last bit; a finger that was still on its
    // way stays where it is
    double length = end - state->phase_start, all = length;
    if (phase->end == GMC_END_TIME) all = INFINITY;
    if (program->base_body >= 0) state->base = program_profile_base(phase, state, all);
    if (phase->type == GMC_PROGRAM_JOINT_MOVE || phase->type == GMC_PROGRAM_JOINT_SHAKE)
        state->q_hold[phase->dof] = program_profile_joint(phase, state, all, phase->dof);
    const set_shares all_of_it = {1, 1, 1};
    if (phase->type == GMC_PROGRAM_SET) program_control_set(phase, &all_of_it, model, state);
    if (phase->type == GMC_PROGRAM_MOVE_TO) {
        const gmc_program_motion *motion = &state->motions[state->phase];
        motion_at(motion, phase->move_to, all, motion->x);
        for (int i = 0; i < phase->move_to->dof_count; i++)
            state->q_hold[phase->move_to->dofs[i]] = motion->x[i];
    }
    if (phase->type != GMC_PROGRAM_GRIP || phase->has_force) return;
    for (int i = 0; i < program->finger_count; i++) {
        int dof = program->fingers[i].dof;
        state->q_hold[dof] = program_profile_joint(phase, state, length, dof);
    }
}

static bool is_last_closing(const gmc_program *program, int index)
{
    for (int i = index + 1; i < program->phase_count; i++)
        if (program->phases[i].is_closing) return false;
    return program->phases[index].is_closing;
}

bool gmc_program_advance(const gmc_program *program, const gmc_world *world, gmc_model *model,
                         gmc_program_state *state)
{
    bool has_just_closed = false;
    double end;
    state->t_before = state->t_now;
    state->t_now = world->state.t;
    watch_pull(program, world, state);
    if (state->has_acted) work_clutches(program, world, state);
    while (state->phase < program->phase_count && state->refusal == GMC_REFUSAL_NONE &&
           phase_ends(program, world, state, &end)) {
        leave_phase(program, end, model, state);
        if (is_last_closing(program, state->phase)) has_just_closed = state->has_closed = true;
        state->phase++;
        state->phase_start = end;
        enter_phase(program, world, state);
    }
    return has_just_closed;
}

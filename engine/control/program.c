// Every motion is a reference pose as a function of time in the phase, so that the step that leads
// to t + h aims at the pose of t + h exactly: the driven base never lags or drifts whatever the
// step is. The reference at the nominal end of a phase is the start of the next, also where a step
// crosses the end.
#include "engine/control/program.h"

#include "engine/math/elementary.h"

#include <string.h>

// An event must hold this long before it ends a phase: a finger that reverses is not stalled.
static const double DWELL = 0.02;
// Slower than this a finger is stalled, and an object at rest (DATA.md §3.5: 1 mm/s, 0.05 rad/s).
static const double STALL_SPEED = 1e-3, STALL_RATE = 1e-2, REST_SPEED = 1e-3, REST_RATE = 0.05;
// Fingers that close at a limited speed are held to it by this damping [N·s per m or rad] over the
// force wanted.
static const double SPEED_GAIN = 1e3;

double gmc_program_quintic(double s)
{
    if (s <= 0) return 0;
    if (s >= 1) return 1;
    return s * s * s * (10 + s * (-15 + 6 * s));
}

gmc_status gmc_program_create(const gmc_program *program, const gmc_model *model, gmc_arena *arena,
                              gmc_program_state *state)
{
    *state = (gmc_program_state){0};
    size_t dofs = (size_t)model->dof_count, coordinates = (size_t)model->q_count, sets = 0;
    for (int i = 0; i < program->phase_count; i++)
        if ((size_t)program->phases[i].set_count > sets)
            sets = (size_t)program->phases[i].set_count;
    double **arrays[] = {&state->q_hold, &state->force, &state->stiffness,   &state->damping,
                         &state->q_ref,  &state->v_ref, &state->force_limit, &state->v_driven};
    for (int i = 0; i < GMC_COUNT(arrays); i++)
        if (!(*arrays[i] = gmc_arena_doubles(arena, dofs))) return GMC_E_ARENA_FULL;
    state->q_driven = gmc_arena_doubles(arena, coordinates);
    state->set_start = gmc_arena_doubles(arena, sets);
    return state->q_driven && state->set_start ? GMC_OK : GMC_E_ARENA_FULL;
}

static gmc_pose tool_pose(const gmc_program *program, const gmc_world *world)
{
    if (program->tool_frame >= 0) {
        const gmc_frame *frame = &world->model->frames[program->tool_frame];
        return gmc_pose_multiply(&world->kin.X_wb[frame->body], &frame->X_bf);
    }
    return program->base_body >= 0 ? world->kin.X_wb[program->base_body] : gmc_pose_identity();
}

// Position of a one-dof joint: the coordinate its dof stands for.
static double joint_position(const gmc_world *world, int dof)
{
    for (int b = 1; b < world->model->body_count; b++)
        if (world->model->bodies[b].v == dof && world->model->bodies[b].ratio == 1 &&
            gmc_joint_v_count(world->model->bodies[b].joint) == 1)
            return world->state.q[world->model->bodies[b].q];
    return 0;
}

static double *set_target(const gmc_set *set, gmc_model *model, int mirror)
{
    if (set->kind == GMC_SET_GRAVITY)
        return set->a == 0   ? &model->gravity.x
               : set->a == 1 ? &model->gravity.y
                             : &model->gravity.z;
    int a = mirror ? set->b : set->a, b = mirror ? set->a : set->b;
    return &model->laws[a * model->surface_count + b].friction;
}

static double set_value(const gmc_set *set, const gmc_model *model)
{
    if (set->kind == GMC_SET_GRAVITY)
        return set->a == 0 ? model->gravity.x : set->a == 1 ? model->gravity.y : model->gravity.z;
    return gmc_model_law(model, set->a, set->b)->friction;
}

// What a phase starts from.
static void enter_phase(const gmc_program *program, const gmc_world *world,
                        gmc_program_state *state)
{
    state->event_since = -1;
    if (state->phase >= program->phase_count) return;
    const gmc_phase *phase = &program->phases[state->phase];
    state->X_tool = tool_pose(program, world);
    for (int i = 0; i < phase->set_count; i++)
        state->set_start[i] = set_value(&phase->sets[i], world->model);
    if (phase->type != GMC_PROGRAM_GRIP) return;

    // a grip to a position starts from where the fingers are, not from where a force took them aim
    for (int i = 0; i < program->finger_count; i++)
        state->q_hold[program->fingers[i].dof] = joint_position(world, program->fingers[i].dof);
    state->is_force_grip = phase->has_force;
    state->grip_speed = phase->speed;
}

void gmc_program_start(const gmc_program *program, const gmc_world *world, gmc_program_state *state)
{
    state->phase = 0;
    state->phase_start = world->state.t;
    state->has_closed = false;
    state->is_force_grip = false;
    state->grip_force = 0;
    if (program->base_body >= 0) state->X_base = world->kin.X_wb[program->base_body];
    for (int dof = 0; dof < world->model->dof_count; dof++)
        state->q_hold[dof] = joint_position(world, dof);
    enter_phase(program, world, state);
}

static gmc_vec3 seen_in_world(const gmc_phase *phase, const gmc_program_state *state, gmc_vec3 v)
{
    return phase->in_hand_frame ? gmc_mat3_apply(&state->X_tool.R, v) : v;
}

// The oscillation with its envelope: up over one ramp, down over another.
static double shake_offset(const gmc_phase *phase, double time)
{
    double up = phase->ramp > 0 ? gmc_program_quintic(time / phase->ramp) : 1;
    double down = phase->ramp > 0 ? gmc_program_quintic((phase->duration - time) / phase->ramp) : 1;
    if (time >= phase->duration) return 0;
    return phase->amount * up * down * gmc_sin(2 * GMC_PI * phase->frequency * time);
}

static gmc_pose turned_about(const gmc_pose *X, gmc_vec3 point, gmc_vec3 axis, double angle)
{
    gmc_mat3 R = gmc_quat_matrix(gmc_quat_exp(gmc_vec3_scale(angle, axis)));
    gmc_pose turned = {gmc_mat3_multiply(&R, &X->R),
                       gmc_vec3_add(point, gmc_mat3_apply(&R, gmc_vec3_sub(X->p, point)))};
    return turned;
}

// Reference of the base `time` after the start of its phase.
static gmc_pose base_reference(const gmc_phase *phase, const gmc_program_state *state, double time)
{
    gmc_pose X = state->X_base;
    double s = phase->duration > 0 ? gmc_program_quintic(time / phase->duration) : 1;
    if (phase->type == GMC_PROGRAM_MOVE)
        X.p = gmc_vec3_add_scaled(X.p, s, seen_in_world(phase, state, phase->by));
    if (phase->type == GMC_PROGRAM_TURN && s > 0)
        X = turned_about(&X, state->X_tool.p, seen_in_world(phase, state, phase->axis),
                         s * phase->amount);
    if (phase->type == GMC_PROGRAM_SHAKE) {
        gmc_vec3 axis = seen_in_world(phase, state, phase->axis);
        double offset = shake_offset(phase, time);
        if (phase->is_rotation && offset != 0)
            X = turned_about(&X, state->X_tool.p, axis, offset);
        else
            X.p = gmc_vec3_add_scaled(X.p, offset, axis);
    }
    return X;
}

static void drive_base(const gmc_program *program, const gmc_world *world, const gmc_phase *phase,
                       double time, double h, gmc_program_state *state)
{
    const gmc_body *body = &world->model->bodies[program->base_body];
    const gmc_pose *X0 = &world->kin.X_wb[program->base_body];
    gmc_pose X = phase ? base_reference(phase, state, time) : state->X_base;

    // end coordinates in the joint frame; mean velocities of the centre of mass and of the rotation
    gmc_pose X_j = gmc_pose_relative(&body->X_pj, &X);
    gmc_quat rotation = gmc_quat_from_matrix(&X_j.R);
    double *q = state->q_driven + body->q, *v = state->v_driven + body->v;
    q[0] = X_j.p.x, q[1] = X_j.p.y, q[2] = X_j.p.z;
    q[3] = rotation.w, q[4] = rotation.x, q[5] = rotation.y, q[6] = rotation.z;

    gmc_mat3 R0t = gmc_mat3_transpose(&X0->R), dR = gmc_mat3_multiply(&X.R, &R0t);
    gmc_vec3 w = gmc_vec3_scale(1 / h, gmc_quat_log(gmc_quat_from_matrix(&dR)));
    gmc_vec3 com0 = gmc_pose_apply(X0, body->inertia.com),
             com = gmc_pose_apply(&X, body->inertia.com);
    gmc_vec3 u = gmc_vec3_scale(1 / h, gmc_vec3_sub(com, com0));
    v[0] = u.x, v[1] = u.y, v[2] = u.z, v[3] = w.x, v[4] = w.y, v[5] = w.z;
}

// Servo reference of a joint `time` into the phase.
static double joint_reference(const gmc_program *program, const gmc_phase *phase,
                              const gmc_program_state *state, int dof, double time)
{
    double q = state->q_hold[dof];
    if (!phase) return q;
    if (phase->type == GMC_PROGRAM_JOINT_MOVE && phase->dof == dof) {
        double s = phase->duration > 0 ? gmc_program_quintic(time / phase->duration) : 1;
        return q + s * phase->amount;
    }
    if (phase->type == GMC_PROGRAM_JOINT_SHAKE && phase->dof == dof)
        return q + shake_offset(phase, time);
    if (phase->type == GMC_PROGRAM_GRIP && !phase->has_force)
        for (int i = 0; i < program->finger_count; i++) {
            if (program->fingers[i].dof != dof) continue;
            double way = phase->position - q, distance = phase->speed * time;
            if (isinf(phase->speed) && phase->duration > 0)
                return q + gmc_program_quintic(time / phase->duration) * way;
            if (!(distance < fabs(way))) return phase->position;
            return q + copysign(distance, way);
        }
    return q;
}

static void hold_joints(const gmc_program *program, const gmc_model *model, const gmc_phase *phase,
                        double time, double h, gmc_program_state *state)
{
    for (int dof = 0; dof < model->dof_count; dof++) {
        state->force[dof] = 0;
        state->stiffness[dof] = program->servo_stiffness[dof];
        state->damping[dof] = program->servo_damping[dof];
        state->force_limit[dof] = model->dofs[dof].max_force;
        state->q_ref[dof] = joint_reference(program, phase, state, dof, time);
        double before = joint_reference(program, phase, state, dof, time > h ? time - h : 0);
        state->v_ref[dof] = (state->q_ref[dof] - before) / h;
    }
}

static void grip(const gmc_program *program, const gmc_phase *phase, double time,
                 gmc_program_state *state)
{
    if (!state->is_force_grip) return;
    double force = state->grip_force;
    if (phase && phase->type == GMC_PROGRAM_GRIP && phase->has_force) {
        double s = phase->ramp > 0 ? gmc_program_quintic(time / phase->ramp) : 1;
        force += s * (phase->force - force);
    }
    for (int i = 0; i < program->finger_count; i++) {
        int dof = program->fingers[i].dof;
        double drive = program->fingers[i].drive * force;
        state->stiffness[dof] = state->damping[dof] = 0;
        if (isinf(state->grip_speed)) {
            state->force[dof] = program->fingers[i].closing * drive;
        } else {
            // a velocity servo that gives at most the force: constant speed until something resists
            state->damping[dof] = SPEED_GAIN * fabs(drive) / state->grip_speed;
            state->v_ref[dof] = copysign(state->grip_speed, program->fingers[i].closing * drive);
            state->force_limit[dof] = fabs(drive);
        }
    }
}

void gmc_program_control(const gmc_program *program, const gmc_world *world, gmc_model *model,
                         double h, gmc_program_state *state, gmc_control *control)
{
    const gmc_phase *phase =
        state->phase < program->phase_count ? &program->phases[state->phase] : NULL;
    double time = world->state.t + h - state->phase_start;

    if (program->base_body >= 0) drive_base(program, world, phase, time, h, state);
    hold_joints(program, world->model, phase, time, h, state);
    grip(program, phase, time, state);
    for (int i = 0; phase && i < phase->set_count; i++) {
        double s = phase->duration > 0 ? gmc_program_quintic(time / phase->duration) : 1;
        double value = state->set_start[i] + s * (phase->sets[i].value - state->set_start[i]);
        *set_target(&phase->sets[i], model, 0) = *set_target(&phase->sets[i], model, 1) = value;
    }

    *control = (gmc_control){.force = state->force,
                             .stiffness = state->stiffness,
                             .damping = state->damping,
                             .q_ref = state->q_ref,
                             .v_ref = state->v_ref,
                             .force_limit = state->force_limit,
                             .v_driven = state->v_driven,
                             .q_driven = state->q_driven};
}

static bool is_below(const gmc_world *world, int body, int dof)
{
    for (int b = body; b > 0; b = world->model->bodies[b].parent)
        if (world->model->bodies[b].v == dof &&
            gmc_joint_v_count(world->model->bodies[b].joint) == 1)
            return true;
    return false;
}

static bool touches(const gmc_world *world, int finger_dof, int object)
{
    for (int i = 0; i < world->contacts.count; i++) {
        const gmc_contact *c = &world->contacts.contacts[i];
        int other = c->body_a == object ? c->body_b : c->body_b == object ? c->body_a : -1;
        if (other >= 0 && c->impulse[0] > 0 && is_below(world, other, finger_dof)) return true;
    }
    return false;
}

static bool event_holds(const gmc_program *program, const gmc_phase *phase, const gmc_world *world,
                        double time)
{
    switch (phase->end) {
    case GMC_END_TIME:
        return false;
    case GMC_END_STALLED:
        if (time < phase->ramp) return false;
        for (int i = 0; i < program->finger_count; i++) {
            int dof = program->fingers[i].dof;
            bool is_turning = false;
            for (int b = 1; b < world->model->body_count; b++)
                if (world->model->bodies[b].v == dof)
                    is_turning = world->model->bodies[b].joint == GMC_JOINT_REVOLUTE;
            if (!(fabs(world->state.v[dof]) < (is_turning ? STALL_RATE : STALL_SPEED)))
                return false;
        }
        return true;
    case GMC_END_IN_CONTACT:
        for (int i = 0; i < program->finger_count; i++)
            if (!touches(world, program->fingers[i].dof, program->object_body)) return false;
        return true;
    case GMC_END_AT_REST: {
        if (program->object_body < 0) return true;
        const gmc_twist *V = &world->kin.V[program->object_body];
        gmc_vec3 velocity = gmc_twist_at(V, world->kin.com_w[program->object_body]);
        return gmc_vec3_norm(velocity) < REST_SPEED && gmc_vec3_norm(V->w) < REST_RATE;
    }
    }
    return false;
}

// Rounding of the summed time must not add a step to a phase.
static bool has_passed(double t, double end) { return t >= end - 1e-9; }

// Is the current phase over, and when did it end?
static bool phase_ends(const gmc_program *program, const gmc_world *world, gmc_program_state *state,
                       double *end)
{
    const gmc_phase *phase = &program->phases[state->phase];
    double t = world->state.t;
    if (phase->end == GMC_END_TIME) {
        *end = state->phase_start + phase->duration;
        return has_passed(t, *end);
    }
    if (!event_holds(program, phase, world, t - state->phase_start))
        state->event_since = -1;
    else if (state->event_since < 0)
        state->event_since = t;
    bool has_happened = state->event_since >= 0 && has_passed(t, state->event_since + DWELL);
    *end = has_happened ? t : state->phase_start + phase->at_most;
    return has_happened || has_passed(t, *end);
}

// What a finished phase leaves behind as the reference of what follows.
static void leave_phase(const gmc_program *program, gmc_program_state *state, double length)
{
    const gmc_phase *phase = &program->phases[state->phase];
    if (program->base_body >= 0) state->X_base = base_reference(phase, state, length);
    if (phase->type == GMC_PROGRAM_JOINT_MOVE || phase->type == GMC_PROGRAM_JOINT_SHAKE)
        state->q_hold[phase->dof] = joint_reference(program, phase, state, phase->dof, length);
    if (phase->type != GMC_PROGRAM_GRIP) return;
    for (int i = 0; i < program->finger_count; i++) {
        int dof = program->fingers[i].dof;
        if (!phase->has_force)
            state->q_hold[dof] = joint_reference(program, phase, state, dof, length);
    }
    if (phase->has_force) {
        double s = phase->ramp > 0 ? gmc_program_quintic(length / phase->ramp) : 1;
        state->grip_force += s * (phase->force - state->grip_force);
    } else {
        state->grip_force = 0;
    }
}

bool gmc_program_advance(const gmc_program *program, const gmc_world *world,
                         gmc_program_state *state)
{
    bool has_just_closed = false;
    double end;
    while (state->phase < program->phase_count && phase_ends(program, world, state, &end)) {
        leave_phase(program, state, end - state->phase_start);
        if (program->phases[state->phase].is_closing && !state->has_closed) {
            bool is_last = true;
            for (int i = state->phase + 1; i < program->phase_count; i++)
                if (program->phases[i].is_closing) is_last = false;
            has_just_closed = has_just_closed || is_last;
            state->has_closed = is_last;
        }
        state->phase++;
        state->phase_start = end;
        enter_phase(program, world, state);
    }
    return has_just_closed;
}

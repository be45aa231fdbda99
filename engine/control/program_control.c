// Control of one step. What stays as it is throughout a phase is written when the phase begins; a
// step writes the base's reference, and what its phase moves.
#include "engine/control/program_internal.h"
#include "engine/math/elementary.h"

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
        break;
    }
    return NULL;
}

double gmc_program_control_get(const gmc_set *set, const gmc_model *model)
{
    switch (set->kind) {
    case GMC_SET_FRICTION:
        return gmc_model_law(model, set->a, set->b)->friction;
    case GMC_SET_GRAVITY:
        return set->a == 0 ? model->gravity.x : set->a == 1 ? model->gravity.y : model->gravity.z;
    case GMC_SET_SHAPE:
        return set->reshaper->get(set->reshaper->context, set->a);
    }
    return 0;
}

void gmc_program_control_set(const gmc_phase *phase, const gmc_program_state *state, double middle,
                             double end, gmc_model *model)
{
    for (int i = 0; i < phase->set_count; i++) {
        const gmc_set *set = &phase->sets[i];
        const gmc_set mirrored = {.kind = set->kind, .a = set->b, .b = set->a};
        double start = state->set_start[i], share = set->kind == GMC_SET_GRAVITY ? middle : end;
        double value = share < 1 ? start + share * (set->value - start) : set->value;
        if (set->kind == GMC_SET_SHAPE) {
            set->reshaper->put(set->reshaper->context, set->a, value, model);
            continue;
        }
        *set_place(set, model) = value;
        if (set->kind == GMC_SET_FRICTION) *set_place(&mirrored, model) = value;
    }
}

double gmc_program_control_force(const gmc_program_state *state, double time)
{
    double since = time + (state->phase_start - state->grip_start);
    double share = gmc_program_profile_share(since, state->grip_ramp);
    return state->grip_from + share * (state->grip_to - state->grip_from);
}

/// @param other  the dof of a finger that does something else; -1: none does
static void press(const gmc_program *program, const gmc_model *model, double force, int other,
                  gmc_program_state *state)
{
    for (int i = 0; i < program->finger_count; i++) {
        const gmc_finger *finger = &program->fingers[i];
        int dof = finger->dof;
        if (dof == other) continue;
        double drive = fmin(finger->drive * force, model->dofs[dof].max_force);
        if (isinf(state->grip_speed)) {
            state->force[dof] = finger->closing * drive;
        } else {
            // a velocity servo that gives at most the force: constant speed until something resists
            double speed = fmin(state->grip_speed, model->dofs[dof].max_speed);
            state->damping[dof] = SPEED_GAIN * drive / speed;
            state->v_ref[dof] = finger->closing * speed;
            state->force_limit[dof] = drive;
        }
    }
}

int gmc_program_control_moved(const gmc_program *program, const gmc_program_state *state)
{
    if (state->phase >= program->phase_count) return -1;
    const gmc_phase *phase = &program->phases[state->phase];
    bool is_joint = phase->type == GMC_PROGRAM_JOINT_MOVE || phase->type == GMC_PROGRAM_JOINT_SHAKE;
    return is_joint ? phase->dof : -1;
}

void gmc_program_control_hold(const gmc_program *program, const gmc_model *model,
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
    if (!state->is_force_grip) return;
    int moved = gmc_program_control_moved(program, state);
    for (int i = 0; i < program->finger_count; i++) {
        int dof = program->fingers[i].dof;
        if (dof != moved) state->stiffness[dof] = state->damping[dof] = 0;
    }
    press(program, model, gmc_program_control_force(state, 0), moved, state);
}

// The same in the plane: angles add up, however often it turns.
static void drive_flat_base(const gmc_body *body, const double *q0, const gmc_program_place *to,
                            double h, const gmc_program_state *state, double *q, double *v)
{
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
    gmc_program_place to = phase ? gmc_program_profile_base(phase, state, time) : state->base;
    if (body->joint == GMC_JOINT_PLANAR) {
        drive_flat_base(body, q0, &to, h, state, q, v);
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
    double now = gmc_program_profile_joint(phase, state, time, dof);
    double before = gmc_program_profile_joint(phase, state, fmax(time - h, 0), dof);
    state->q_ref[dof] = now;
    state->v_ref[dof] = (now - before) / h;
}

// What the phase itself changes from step to step.
static void act(const gmc_program *program, const gmc_phase *phase, double time, double h,
                gmc_model *model, gmc_program_state *state)
{
    switch (phase->type) {
    case GMC_PROGRAM_GRIP:
        if (phase->has_force) {
            press(program, model, gmc_program_control_force(state, time - h), -1, state);
            break;
        }
        for (int i = 0; i < program->finger_count; i++)
            move_joint(phase, program->fingers[i].dof, time, h, state);
        break;
    case GMC_PROGRAM_JOINT_MOVE:
    case GMC_PROGRAM_JOINT_SHAKE:
        move_joint(phase, phase->dof, time, h, state);
        break;
    case GMC_PROGRAM_SET:
        gmc_program_control_set(phase, state,
                                gmc_program_profile_share(time - 0.5 * h, phase->duration),
                                gmc_program_profile_share(time, phase->duration), model);
        break;
    case GMC_PROGRAM_MOVE:
    case GMC_PROGRAM_TURN:
    case GMC_PROGRAM_SHAKE:
    case GMC_PROGRAM_HOLD:
        break;
    }
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
        press(program, model, gmc_program_control_force(state, time - h),
              gmc_program_control_moved(program, state), state);
    }
    gmc_program_course(program, world, h, state);
    *control = (gmc_control){.force = state->force,
                             .stiffness = state->stiffness,
                             .damping = state->damping,
                             .q_ref = state->q_ref,
                             .v_ref = state->v_ref,
                             .force_limit = state->force_limit,
                             .v_driven = state->v_driven,
                             .q_driven = state->q_driven};
}

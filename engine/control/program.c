// The sequence of phases. The reference at the nominal end of a phase is the start of the next,
// also where a step crosses the end, so that a program is the same whatever the step: its times do
// not round to steps, and its poses do not drift.
#include "engine/control/program.h"

#include "engine/base/check.h"
#include "engine/control/program_internal.h"
#include "engine/math/elementary.h"

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

static void find_bodies(const gmc_model *model, int *body_of)
{
    for (int dof = 0; dof < model->dof_count; dof++)
        body_of[dof] = -1;
    for (int b = 1; b < model->body_count; b++) {
        const gmc_body *body = &model->bodies[b];
        if (!body->is_mimic && gmc_joint_v_count(body->joint) == 1) body_of[body->v] = b;
    }
}

gmc_status gmc_program_create(const gmc_program *program, const gmc_model *model, gmc_arena *arena,
                              gmc_program_state *state)
{
    *state = (gmc_program_state){0};
    size_t dofs = (size_t)model->dof_count, coordinates = (size_t)model->q_count, sets = 0;
    for (int i = 0; i < program->phase_count; i++)
        if ((size_t)program->phases[i].set_count > sets)
            sets = (size_t)program->phases[i].set_count;
    double **arrays[] = {&state->q_hold,      &state->q_goal,  &state->v_goal, &state->force,
                         &state->stiffness,   &state->damping, &state->q_ref,  &state->v_ref,
                         &state->force_limit, &state->v_driven};
    for (int i = 0; i < GMC_COUNT(arrays); i++)
        if (!(*arrays[i] = gmc_arena_doubles(arena, dofs))) return GMC_E_ARENA_FULL;
    state->q_driven = gmc_arena_doubles(arena, coordinates);
    state->set_start = gmc_arena_doubles(arena, sets);
    state->body_of = gmc_arena_take(arena, dofs, sizeof *state->body_of);
    if (!state->q_driven || !state->set_start || !state->body_of) return GMC_E_ARENA_FULL;
    find_bodies(model, state->body_of);
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
    double now = state->is_force_grip ? gmc_program_control_force(state, 0) : 0;
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
    int before = state->moved, moved = gmc_program_control_moved(program, state);
    state->moved = -1;
    if (!state->is_force_grip || moved < 0) return;
    for (int i = 0; i < program->finger_count; i++) {
        const gmc_finger *finger = &program->fingers[i];
        if (finger->dof != moved) continue;
        state->moved = moved;
        if (moved == before) return;
        const gmc_body *body = &world->model->bodies[state->body_of[moved]];
        bool is_on_way = fabs(world->state.v[moved]) > ON_WAY;
        double now = gmc_program_control_force(state, 0) * finger->drive;
        double stiffness = program->servo_stiffness[moved], bent = 0;
        now = fmin(now, world->model->dofs[moved].max_force);
        if (stiffness > 0 && !is_on_way) bent = finger->closing * now / stiffness;
        state->q_hold[moved] = world->state.q[body->q] + bent;
    }
}

// What a phase starts from.
static void enter_phase(const gmc_program *program, const gmc_world *world,
                        gmc_program_state *state)
{
    state->event_since = -1;
    if (state->phase < program->phase_count) {
        const gmc_phase *phase = &program->phases[state->phase];
        state->X_tool = tool_pose(program, world, state);
        for (int i = 0; i < phase->set_count; i++)
            state->set_start[i] = gmc_program_control_get(&phase->sets[i], world->model);
        if (phase->type == GMC_PROGRAM_GRIP) {
            // a grip starts from where the fingers are, not from where a servo held them
            for (int i = 0; i < program->finger_count; i++) {
                int dof = program->fingers[i].dof;
                GMC_ASSERT(state->body_of[dof] >= 0);
                state->q_hold[dof] = world->state.q[world->model->bodies[state->body_of[dof]].q];
                state->q_goal[dof] = goal_of(phase, &program->fingers[i]);
                state->v_goal[dof] = fmin(phase->speed, world->model->dofs[dof].max_speed);
            }
            start_force(phase, state);
            state->grip_speed = phase->speed;
        }
    }
    start_moving(program, world, state);
    gmc_program_control_hold(program, world->model, state);
}

void gmc_program_start(const gmc_program *program, const gmc_world *world, gmc_program_state *state)
{
    const gmc_model *model = world->model;
    state->phase = 0;
    state->phase_start = world->state.t;
    state->has_closed = false;
    state->is_force_grip = false;
    state->moved = -1;
    state->grip_from = state->grip_to = 0;
    state->grip_start = state->phase_start;
    state->grip_ramp = 0;
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
        *end = state->phase_start + phase->duration;
        return has_passed(t, *end);
    }
    if (!gmc_program_event_holds(program, phase, world, state, t - state->phase_start))
        state->event_since = -1;
    else if (state->event_since < 0)
        state->event_since = t;
    bool has_happened = state->event_since >= 0 && has_passed(t, state->event_since + DWELL);
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
    if (program->base_body >= 0) state->base = gmc_program_profile_base(phase, state, all);
    if (phase->type == GMC_PROGRAM_JOINT_MOVE || phase->type == GMC_PROGRAM_JOINT_SHAKE)
        state->q_hold[phase->dof] = gmc_program_profile_joint(phase, state, all, phase->dof);
    if (phase->type == GMC_PROGRAM_SET) gmc_program_control_set(phase, state, 1, 1, model);
    if (phase->type != GMC_PROGRAM_GRIP || phase->has_force) return;
    for (int i = 0; i < program->finger_count; i++) {
        int dof = program->fingers[i].dof;
        state->q_hold[dof] = gmc_program_profile_joint(phase, state, length, dof);
    }
}

bool gmc_program_closes(const gmc_program *program)
{
    for (int i = 0; i < program->phase_count; i++)
        if (program->phases[i].is_closing) return true;
    return false;
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
    while (state->phase < program->phase_count && phase_ends(program, world, state, &end)) {
        leave_phase(program, end, model, state);
        if (is_last_closing(program, state->phase)) has_just_closed = state->has_closed = true;
        state->phase++;
        state->phase_start = end;
        enter_phase(program, world, state);
    }
    return has_just_closed;
}

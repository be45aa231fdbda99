// What is measured along a rollout. A step costs some tens of nanoseconds: the hand's pose is taken
// once, extremes are kept as squares and turned into lengths and angles when the trial is over, and
// measures that only matter at the end wait until then.
#include "engine/grasp/measure.h"

#include "engine/math/elementary.h"

#include <string.h>

// Below this speed an object counts as settled: that at which a phase ends "at rest" (program.h).
static const double SETTLED_SPEED = 1e-3;

static void number_pairs(const gmc_measure_plan *plan, int surfaces, int *pair_of)
{
    for (int i = 0; i < surfaces * surfaces; i++)
        pair_of[i] = -1;
    for (int i = 0; i < plan->pair_count; i++) {
        int a = plan->pairs[i][0], b = plan->pairs[i][1];
        if (a < 0 || b < 0) continue;
        pair_of[a * surfaces + b] = pair_of[b * surfaces + a] = i;
    }
}

gmc_status gmc_measure_create(const gmc_measure_plan *plan, const gmc_model *model,
                              gmc_arena *arena, gmc_measure_state *state)
{
    *state = (gmc_measure_state){0};
    size_t bodies = (size_t)model->body_count, surfaces = (size_t)model->surface_count;
    size_t asked = (size_t)plan->asked_count;
    state->X_start = gmc_arena_take(arena, bodies, sizeof *state->X_start);
    state->com_start = gmc_arena_take(arena, bodies, sizeof *state->com_start);
    state->X_slip = gmc_arena_take(arena, bodies, sizeof *state->X_slip);
    state->current = gmc_arena_doubles(arena, asked);
    state->summary = gmc_arena_doubles(arena, asked);
    state->pair_of = gmc_arena_take(arena, surfaces * surfaces, sizeof *state->pair_of);
    if (!state->X_start || !state->com_start || !state->X_slip || !state->current ||
        !state->summary || !state->pair_of)
        return GMC_E_ARENA_FULL;
    number_pairs(plan, model->surface_count, state->pair_of);
    GMC_TRY(gmc_measure_friction_create(model, state->pair_of, plan->pair_count, arena,
                                        &state->friction));
    return gmc_measure_force_create(model, arena, &state->forces);
}

gmc_pose gmc_measure_hand_pose(const gmc_measure_plan *plan, const gmc_world *world)
{
    if (plan->tool_frame >= 0) {
        const gmc_frame *frame = &world->model->frames[plan->tool_frame];
        return gmc_pose_multiply(&world->kin.X_wb[frame->body], &frame->X_bf);
    }
    if (plan->hand_body >= 0) return world->kin.X_wb[plan->hand_body];
    return gmc_pose_identity();
}

// Rotation of the object in the hand's frame.
static gmc_mat3 object_rotation(const gmc_measure_plan *plan, const gmc_world *world,
                                const gmc_measure_state *state)
{
    gmc_mat3 R_hw = gmc_mat3_transpose(&state->X_hand.R);
    return gmc_mat3_multiply(&R_hw, &world->kin.X_wb[plan->object_body].R);
}

void gmc_measure_start(const gmc_measure_plan *plan, const gmc_world *world,
                       gmc_measure_state *state)
{
    size_t bodies = (size_t)world->model->body_count;
    memcpy(state->X_start, world->kin.X_wb, bodies * sizeof *state->X_start);
    memcpy(state->com_start, world->kin.com_w, bodies * sizeof *state->com_start);
    state->X_hand = state->X_hand_start = gmc_measure_hand_pose(plan, world);
    if (plan->object_body >= 0)
        state->p_last =
            gmc_pose_apply_inverse(&state->X_hand, world->kin.X_wb[plan->object_body].p);
    state->fixed[GMC_COLUMN_T_VIOLATED] = state->fixed[GMC_COLUMN_T_CLOSED] = NAN;
    state->fixed[GMC_COLUMN_T_DECIDED] = NAN;
}

void gmc_measure_count_slip(const gmc_measure_plan *plan, const gmc_world *world,
                            gmc_measure_state *state)
{
    size_t bodies = (size_t)world->model->body_count;
    memcpy(state->X_slip, world->kin.X_wb, bodies * sizeof *state->X_slip);
    state->X_hand_slip = state->X_hand;
    if (plan->object_body >= 0) {
        state->com_slip =
            gmc_pose_apply_inverse(&state->X_hand, world->kin.com_w[plan->object_body]);
        state->R_slip = object_rotation(plan, world, state);
    }
    state->counts_slip = true;
}

void gmc_measure_closed(const gmc_measure_plan *plan, const gmc_world *world,
                        gmc_measure_state *state)
{
    gmc_measure_count_slip(plan, world, state);
    state->fixed[GMC_COLUMN_T_CLOSED] = world->state.t;
}

static void raise_to(double *worst, double value)
{
    if (value > *worst) *worst = value;
}

/// What is measured over the last 8 ms.
static void measure_impulses(const gmc_world *world, double span, gmc_measure_state *state)
{
    if (!(span > 0)) return;
    bool is_new = gmc_measure_window_open(span, &state->window);
    raise_to(&state->fixed[GMC_COLUMN_MAX_FORCE],
             gmc_measure_force_step(world, &state->window, is_new, &state->forces));
    gmc_measure_friction_step(world, &state->window, span, is_new, &state->friction);
}

static double distance2(gmc_vec3 a, gmc_vec3 b)
{
    gmc_vec3 d = gmc_vec3_sub(a, b);
    return gmc_vec3_dot(d, d);
}

static void measure_object_energy(const gmc_measure_plan *plan, const gmc_world *world,
                                  double speed2, gmc_measure_state *state)
{
    int object = plan->object_body;
    double mass = world->model->bodies[object].inertia.mass;
    gmc_vec3 w = world->kin.V[object].w;
    gmc_vec3 way = gmc_vec3_sub(world->kin.com_w[object], state->com_start[object]);
    double *most = &state->fixed[GMC_COLUMN_ENERGY_OBJECT];
    raise_to(most, fabs(mass * gmc_vec3_dot(world->model->gravity, way)));
    raise_to(most,
             0.5 * (mass * speed2 + gmc_vec3_dot(w, gmc_mat3_apply(&world->kin.I_w[object], w))));
}

static void measure_object(const gmc_measure_plan *plan, const gmc_world *world, double h,
                           gmc_measure_state *state)
{
    int object = plan->object_body;
    gmc_vec3 com = world->kin.com_w[object];
    gmc_vec3 velocity = gmc_twist_at(&world->kin.V[object], com);
    double speed2 = gmc_vec3_dot(velocity, velocity);
    raise_to(&state->speed2, speed2);
    measure_object_energy(plan, world, speed2, state);

    gmc_vec3 p = gmc_pose_apply_inverse(&state->X_hand, world->kin.X_wb[object].p);
    double step = SETTLED_SPEED * h;
    if (distance2(p, state->p_last) > step * step)
        state->fixed[GMC_COLUMN_T_SETTLED] = world->state.t;
    state->p_last = p;

    if (!state->counts_slip) return;
    gmc_vec3 com_h = gmc_pose_apply_inverse(&state->X_hand, com);
    raise_to(&state->slip2, distance2(com_h, state->com_slip));
    gmc_mat3 R = object_rotation(plan, world, state);
    double turn2 = 0;
    for (int i = 0; i < 9; i++) {
        double d = R.m[i] - state->R_slip.m[i];
        turn2 += d * d;
    }
    raise_to(&state->turn2, turn2);
}

// Measures whose column is their extreme over all steps.
static void measure_asked(const gmc_measure_plan *plan, const gmc_world *world, bool is_first,
                          gmc_measure_state *state)
{
    for (int i = 0; i < plan->asked_count; i++) {
        if (plan->statistics[i] == GMC_STAT_END) continue;
        double value = gmc_measure_value(&plan->asked[i], plan, world, state);
        double *worst = &state->summary[i];
        bool is_worse = plan->statistics[i] == GMC_STAT_MAX ? value > *worst : value < *worst;
        if (is_first || is_worse) *worst = value;
        state->current[i] = value;
    }
}

// Only joints of hands have a largest speed.
static double joint_speed(const gmc_world *world)
{
    double most = 0;
    for (int i = 0; i < world->model->free_count; i++) {
        double limit = world->model->dofs[i].max_speed;
        if (isfinite(limit)) most = gmc_max(fabs(world->state.v[i]) / limit, most);
    }
    return most;
}

void gmc_measure_step(const gmc_measure_plan *plan, const gmc_world *world,
                      const gmc_step_report *report, double h, gmc_measure_state *state)
{
    double *fixed = state->fixed;
    bool is_first = fixed[GMC_COLUMN_STEPS] == 0;
    state->X_hand = gmc_measure_hand_pose(plan, world);
    raise_to(&fixed[GMC_COLUMN_MAX_PENETRATION], report->max_penetration);
    raise_to(&fixed[GMC_COLUMN_HARD_PENETRATION], report->hard_penetration);
    raise_to(&fixed[GMC_COLUMN_PAD_PRESS], report->pad_press);
    measure_impulses(world, report->span, state);
    gmc_measure_energy_step(&report->energy, &state->energy);
    raise_to(&fixed[GMC_COLUMN_MAX_JOINT_SPEED], joint_speed(world));
    raise_to(&fixed[GMC_COLUMN_MAX_JOINT_EFFORT], report->max_effort);
    raise_to(&fixed[GMC_COLUMN_MAX_RESIDUAL], report->residual);
    raise_to(&fixed[GMC_COLUMN_MAX_CONTACTS], report->contact_count);
    fixed[GMC_COLUMN_STEPS] += 1;
    fixed[GMC_COLUMN_ITERATIONS] += report->iterations;
    if (report->rung > 1) fixed[GMC_COLUMN_HARD_STEPS] += 1;
    if (plan->object_body >= 0) measure_object(plan, world, h, state);
    measure_asked(plan, world, is_first, state);
}

// |R - R'| (Frobenius) of two rotations that differ by an angle θ is 2√2 sin(θ/2).
static double angle_of(double turn2) { return 2 * gmc_asin(fmin(sqrt(turn2 / 8), 1)); }

static void finish_object(const gmc_measure_plan *plan, const gmc_world *world,
                          gmc_measure_state *state)
{
    const struct {
        gmc_fixed_column column;
        gmc_measure measure;
    } at_end[] = {
        {GMC_COLUMN_LIFT, {.kind = GMC_MEASURE_LIFT, .a = plan->object_body}},
        {GMC_COLUMN_SLIP_END,
         {.kind = GMC_MEASURE_SLIP, .a = plan->object_body, .b = GMC_BODY_HAND}},
        {GMC_COLUMN_MOVED, {.kind = GMC_MEASURE_MOVED, .a = plan->object_body}},
        {GMC_COLUMN_TURNED, {.kind = GMC_MEASURE_TURNED, .a = plan->object_body}},
        {GMC_COLUMN_HELD_BY, {.kind = GMC_MEASURE_HELD_BY, .a = plan->object_body}},
    };
    for (int i = 0; i < GMC_COUNT(at_end); i++)
        state->fixed[at_end[i].column] = gmc_measure_value(&at_end[i].measure, plan, world, state);
    state->fixed[GMC_COLUMN_SLIP] = sqrt(state->slip2);
    state->fixed[GMC_COLUMN_SLIP_ANGLE] = angle_of(state->turn2);
    state->fixed[GMC_COLUMN_MAX_SPEED] = sqrt(state->speed2);
}

void gmc_measure_finish(const gmc_measure_plan *plan, const gmc_world *world,
                        gmc_measure_state *state, double *values)
{
    if (plan->object_body >= 0) finish_object(plan, world, state);
    gmc_measure_energy_finish(&state->energy, &state->fixed[GMC_COLUMN_ENERGY_BALANCE],
                              &state->fixed[GMC_COLUMN_ENERGY_SCHEME],
                              &state->fixed[GMC_COLUMN_ENERGY_SIZE]);
    int k = 0;
    for (int i = 0; i < GMC_COLUMN_FIXED_COUNT; i++)
        values[k++] = state->fixed[i];
    for (int i = 0; i < plan->asked_count; i++) {
        if (plan->statistics[i] == GMC_STAT_END)
            state->current[i] = state->summary[i] =
                gmc_measure_value(&plan->asked[i], plan, world, state);
        values[k++] = state->summary[i];
    }
    gmc_measure_friction_finish(&state->window, &state->friction);
    for (int i = 0; i < plan->pair_count; i++) {
        values[k++] = state->friction.needed[i];
        values[k++] = state->friction.slipped[i];
    }
}

void gmc_measure_nothing(const gmc_measure_plan *plan, double *values)
{
    for (int i = 0; i < plan->column_count; i++)
        values[i] = plan->columns[i].kind == GMC_COLUMN_REAL ? NAN : 0;
}

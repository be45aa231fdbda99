// Measures are small functions of the world after a step and of what was remembered at the start
// and when closing ended. Slip is measured as the displacement of a's centre of mass seen in b's
// frame: a turn alone is counted by slip_angle, so that a millimetre stays a millimetre whatever
// the size of the object.
#include "engine/grasp/measure.h"

#include "engine/math/elementary.h"

#include <string.h>

const gmc_measure_info gmc_measure_infos[GMC_MEASURE_KIND_COUNT] = {
    [GMC_MEASURE_LIFT] = {"lift", "m", 1, "height of the centre of mass above its start"},
    [GMC_MEASURE_SLIP] =
        {"slip", "m", 2,
         "displacement of the first in the frame of the second since closing ended"},
    [GMC_MEASURE_SLIP_ANGLE] = {"slip_angle", "rad", 2,
                                "turn of the first in the frame of the second since closing ended"},
    [GMC_MEASURE_MOVED] = {"moved", "m", 1, "distance of the centre of mass from its start"},
    [GMC_MEASURE_TURNED] = {"turned", "rad", 1, "angle of the body against its start"},
    [GMC_MEASURE_TILTED] = {"tilted", "rad", 1,
                            "angle between the body's z axis and where it pointed at the start"},
    [GMC_MEASURE_SPEED] = {"speed", "m/s", 1, "speed of the centre of mass"},
    [GMC_MEASURE_SPIN] = {"spin", "rad/s", 1, "angular speed"},
    [GMC_MEASURE_CONTACT] = {"contact", "1", 2, "1 if the two touch with force, else 0"},
    [GMC_MEASURE_HELD_BY] = {"held_by", "1", 1,
                             "number of hand links that touch the body with force"},
    [GMC_MEASURE_FORCE] = {"force", "N", 2, "sum of the normal forces between the two"},
    [GMC_MEASURE_HEIGHT] = {"height", "m", 1,
                            "height of the centre of mass over the world's origin"},
    [GMC_MEASURE_DISTANCE] = {"distance", "m", 2, "distance between the frames of the two"},
};

const gmc_column gmc_fixed_columns[GMC_COLUMN_FIXED_COUNT] = {
    [GMC_COLUMN_LIFT] = {"lift", "m",
                         "height of the object's centre of mass above its start, at the end",
                         GMC_COLUMN_REAL},
    [GMC_COLUMN_SLIP] = {"slip", "m",
                         "largest displacement of the object in the hand since closing ended",
                         GMC_COLUMN_REAL},
    [GMC_COLUMN_SLIP_END] =
        {"slip_end", "m", "displacement of the object in the hand since closing ended, at the end",
         GMC_COLUMN_REAL},
    [GMC_COLUMN_SLIP_ANGLE] = {"slip_angle", "rad",
                               "largest turn of the object in the hand since closing ended",
                               GMC_COLUMN_REAL},
    [GMC_COLUMN_MOVED] = {"moved", "m", "distance of the object from its start, at the end",
                          GMC_COLUMN_REAL},
    [GMC_COLUMN_TURNED] = {"turned", "rad", "angle of the object against its start, at the end",
                           GMC_COLUMN_REAL},
    [GMC_COLUMN_MAX_PENETRATION] = {"max_penetration", "m", "deepest overlap of any contact",
                                    GMC_COLUMN_REAL},
    [GMC_COLUMN_MAX_FORCE] = {"max_force", "N", "largest normal force of one contact point",
                              GMC_COLUMN_REAL},
    [GMC_COLUMN_MAX_SPEED] = {"max_speed", "m/s", "fastest speed of the object", GMC_COLUMN_REAL},
    [GMC_COLUMN_HELD_BY] = {"held_by", "1",
                            "hand links that touch the object with force, at the end",
                            GMC_COLUMN_INTEGER},
    [GMC_COLUMN_T_SETTLED] = {"t_settled", "s",
                              "last time at which the object moved faster than 1 mm/s in the hand "
                              "(without a hand: in the world)",
                              GMC_COLUMN_REAL},
    [GMC_COLUMN_T_VIOLATED] = {"t_violated", "s",
                               "when an `always` criterion was first broken; NaN: never",
                               GMC_COLUMN_REAL},
    [GMC_COLUMN_MAX_RESIDUAL] = {"max_residual", "1", "worst scaled residual of an accepted step",
                                 GMC_COLUMN_REAL},
    [GMC_COLUMN_STEPS] = {"steps", "1", "steps taken", GMC_COLUMN_INTEGER},
    [GMC_COLUMN_RETRIES] = {"retries", "1", "steps repeated as two of half the length",
                            GMC_COLUMN_INTEGER},
    [GMC_COLUMN_ITERATIONS] = {"iterations", "1", "solver iterations", GMC_COLUMN_INTEGER},
    [GMC_COLUMN_HARD_STEPS] = {"hard_steps", "1",
                               "steps that the first rung of the solver's ladder did not solve",
                               GMC_COLUMN_INTEGER},
    [GMC_COLUMN_MAX_CONTACTS] = {"max_contacts", "1", "most contact points in one step",
                                 GMC_COLUMN_INTEGER},
    [GMC_COLUMN_T_CLOSED] = {"t_closed", "s",
                             "when closing ended and slip began to count; NaN: never",
                             GMC_COLUMN_REAL},
};

// Below this speed an object counts as settled: the 1 mm/s of DATA.md §3.5's "part at rest".
static const double SETTLED_SPEED = 1e-3;

gmc_status gmc_measure_create(const gmc_measure_plan *plan, const gmc_model *model,
                              gmc_arena *arena, gmc_measure_state *state)
{
    *state = (gmc_measure_state){0};
    size_t bodies = (size_t)model->body_count;
    state->X_start = gmc_arena_take(arena, bodies, sizeof *state->X_start);
    state->com_start = gmc_arena_take(arena, bodies, sizeof *state->com_start);
    state->X_closed = gmc_arena_take(arena, bodies, sizeof *state->X_closed);
    state->current = gmc_arena_doubles(arena, (size_t)plan->asked_count);
    state->summary = gmc_arena_doubles(arena, (size_t)plan->asked_count);
    state->needed = gmc_arena_doubles(arena, (size_t)plan->pair_count);
    state->slipped = gmc_arena_take(arena, (size_t)plan->pair_count, sizeof *state->slipped);
    if (!state->X_start || !state->com_start || !state->X_closed || !state->current ||
        !state->summary || !state->needed || !state->slipped)
        return GMC_E_ARENA_FULL;
    return GMC_OK;
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

static gmc_pose pose_of(int body, const gmc_measure_plan *plan, const gmc_world *world)
{
    return body == GMC_BODY_HAND ? gmc_measure_hand_pose(plan, world) : world->kin.X_wb[body];
}

// Centre of mass of a body, or the tool point of the hand.
static gmc_vec3 centre_of(int body, const gmc_measure_plan *plan, const gmc_world *world)
{
    return body == GMC_BODY_HAND ? gmc_measure_hand_pose(plan, world).p : world->kin.com_w[body];
}

static gmc_vec3 start_centre(int body, const gmc_measure_state *state)
{
    return body == GMC_BODY_HAND ? state->X_hand_start.p : state->com_start[body];
}

static gmc_pose start_pose(int body, const gmc_measure_state *state)
{
    return body == GMC_BODY_HAND ? state->X_hand_start : state->X_start[body];
}

static gmc_pose closed_pose(int body, const gmc_measure_state *state)
{
    return body == GMC_BODY_HAND ? state->X_hand_closed : state->X_closed[body];
}

// The same body point as the centre of mass, seen in b's frame, for a pose of a and of b.
static gmc_vec3 point_in(const gmc_model *model, int a, const gmc_pose *X_wa, const gmc_pose *X_wb)
{
    gmc_vec3 com = a == GMC_BODY_HAND ? (gmc_vec3){0, 0, 0} : model->bodies[a].inertia.com;
    return gmc_pose_apply_inverse(X_wb, gmc_pose_apply(X_wa, com));
}

static double angle_between(const gmc_pose *A, const gmc_pose *B)
{
    gmc_pose X = gmc_pose_relative(A, B);
    return gmc_vec3_norm(gmc_quat_log(gmc_quat_from_matrix(&X.R)));
}

static double slip_between(const gmc_measure *m, const gmc_measure_plan *plan,
                           const gmc_world *world, const gmc_measure_state *state, bool is_angle)
{
    if (!state->has_closed) return 0;
    gmc_pose A = pose_of(m->a, plan, world), B = pose_of(m->b, plan, world);
    gmc_pose A0 = closed_pose(m->a, state), B0 = closed_pose(m->b, state);
    if (is_angle) {
        gmc_pose now = gmc_pose_relative(&B, &A), then = gmc_pose_relative(&B0, &A0);
        return angle_between(&then, &now);
    }
    return gmc_vec3_norm(
        gmc_vec3_sub(point_in(world->model, m->a, &A, &B), point_in(world->model, m->a, &A0, &B0)));
}

static bool is_of(int body, int wanted, const gmc_measure_plan *plan)
{
    return wanted == GMC_BODY_HAND ? plan->is_hand && plan->is_hand[body] : body == wanted;
}

static double normal_force_between(int a, int b, const gmc_measure_plan *plan,
                                   const gmc_world *world, double h)
{
    double sum = 0;
    for (int i = 0; i < world->contacts.count; i++) {
        const gmc_contact *c = &world->contacts.contacts[i];
        if ((is_of(c->body_a, a, plan) && is_of(c->body_b, b, plan)) ||
            (is_of(c->body_a, b, plan) && is_of(c->body_b, a, plan)))
            sum += c->impulse[0];
    }
    return h > 0 ? sum / h : 0;
}

// Each hand body counts once, however many points it touches with.
static int count_holding(int object, const gmc_measure_plan *plan, const gmc_world *world)
{
    int holding = 0;
    for (int i = 0; i < world->contacts.count; i++) {
        const gmc_contact *c = &world->contacts.contacts[i];
        int other = c->body_a == object ? c->body_b : c->body_b == object ? c->body_a : -1;
        if (other < 0 || !(c->impulse[0] > 0) || !is_of(other, GMC_BODY_HAND, plan)) continue;
        bool is_counted = false;
        for (int k = 0; k < i && !is_counted; k++) {
            const gmc_contact *d = &world->contacts.contacts[k];
            int earlier = d->body_a == object ? d->body_b : d->body_b == object ? d->body_a : -1;
            is_counted = earlier == other && d->impulse[0] > 0;
        }
        if (!is_counted) holding++;
    }
    return holding;
}

// Velocity of the centre of mass of a body, or of the tool point.
static gmc_vec3 velocity_of(int body, const gmc_measure_plan *plan, const gmc_world *world)
{
    int carrier = body;
    if (body == GMC_BODY_HAND)
        carrier =
            plan->tool_frame >= 0 ? world->model->frames[plan->tool_frame].body : plan->hand_body;
    if (carrier < 0) return (gmc_vec3){0, 0, 0};
    return gmc_twist_at(&world->kin.V[carrier], centre_of(body, plan, world));
}

double gmc_measure_value(const gmc_measure *m, const gmc_measure_plan *plan, const gmc_world *world,
                         const gmc_measure_state *state)
{
    switch (m->kind) {
    case GMC_MEASURE_LIFT:
        return centre_of(m->a, plan, world).z - start_centre(m->a, state).z;
    case GMC_MEASURE_SLIP:
        return slip_between(m, plan, world, state, false);
    case GMC_MEASURE_SLIP_ANGLE:
        return slip_between(m, plan, world, state, true);
    case GMC_MEASURE_MOVED:
        return gmc_vec3_norm(gmc_vec3_sub(centre_of(m->a, plan, world), start_centre(m->a, state)));
    case GMC_MEASURE_TURNED: {
        gmc_pose now = pose_of(m->a, plan, world), then = start_pose(m->a, state);
        return angle_between(&then, &now);
    }
    case GMC_MEASURE_TILTED: {
        gmc_pose now = pose_of(m->a, plan, world), then = start_pose(m->a, state);
        gmc_vec3 z = gmc_mat3_column(&now.R, 2), z0 = gmc_mat3_column(&then.R, 2);
        return gmc_atan2(gmc_vec3_norm(gmc_vec3_cross(z0, z)), gmc_vec3_dot(z0, z));
    }
    case GMC_MEASURE_SPEED:
        return gmc_vec3_norm(velocity_of(m->a, plan, world));
    case GMC_MEASURE_SPIN: {
        int body = m->a == GMC_BODY_HAND ? plan->hand_body : m->a;
        return body < 0 ? 0 : gmc_vec3_norm(world->kin.V[body].w);
    }
    case GMC_MEASURE_CONTACT:
        return normal_force_between(m->a, m->b, plan, world, state->h) > 0;
    case GMC_MEASURE_HELD_BY:
        return count_holding(m->a, plan, world);
    case GMC_MEASURE_FORCE:
        return normal_force_between(m->a, m->b, plan, world, state->h);
    case GMC_MEASURE_HEIGHT:
        return centre_of(m->a, plan, world).z;
    case GMC_MEASURE_DISTANCE:
        return gmc_vec3_norm(
            gmc_vec3_sub(pose_of(m->a, plan, world).p, pose_of(m->b, plan, world).p));
    case GMC_MEASURE_KIND_COUNT:
        break;
    }
    return 0;
}

static void summarise(const gmc_measure_plan *plan, gmc_measure_state *state, bool is_first)
{
    for (int i = 0; i < plan->asked_count; i++) {
        double value = state->current[i], *sum = &state->summary[i];
        switch (plan->statistics[i]) {
        case GMC_STAT_END:
            *sum = value;
            break;
        case GMC_STAT_MAX:
            *sum = is_first || value > *sum ? value : *sum;
            break;
        case GMC_STAT_MIN:
            *sum = is_first || value < *sum ? value : *sum;
            break;
        }
    }
}

static void measure_asked(const gmc_measure_plan *plan, const gmc_world *world,
                          gmc_measure_state *state)
{
    for (int i = 0; i < plan->asked_count; i++)
        state->current[i] = gmc_measure_value(&plan->asked[i], plan, world, state);
}

static gmc_pose object_in_hand(const gmc_measure_plan *plan, const gmc_world *world)
{
    if (plan->object_body < 0) return gmc_pose_identity();
    gmc_pose hand = gmc_measure_hand_pose(plan, world);
    return gmc_pose_relative(&hand, &world->kin.X_wb[plan->object_body]);
}

void gmc_measure_start(const gmc_measure_plan *plan, const gmc_world *world,
                       gmc_measure_state *state)
{
    size_t bodies = (size_t)world->model->body_count;
    memcpy(state->X_start, world->kin.X_wb, bodies * sizeof *state->X_start);
    memcpy(state->com_start, world->kin.com_w, bodies * sizeof *state->com_start);
    state->X_hand_start = gmc_measure_hand_pose(plan, world);
    state->X_last_relative = object_in_hand(plan, world);
    state->fixed[GMC_COLUMN_T_VIOLATED] = state->fixed[GMC_COLUMN_T_CLOSED] = NAN;
    measure_asked(plan, world, state);
    summarise(plan, state, true);
}

void gmc_measure_closed(const gmc_measure_plan *plan, const gmc_world *world,
                        gmc_measure_state *state)
{
    memcpy(state->X_closed, world->kin.X_wb,
           (size_t)world->model->body_count * sizeof *state->X_closed);
    state->X_hand_closed = gmc_measure_hand_pose(plan, world);
    state->has_closed = true;
    state->fixed[GMC_COLUMN_T_CLOSED] = world->state.t;
}

static void raise_to(double *worst, double value)
{
    if (value > *worst) *worst = value;
}

// Largest ratio of tangential to normal impulse that contacts of each surface pair used: with true
// stick this is the friction that the pair needed (DESIGN §6, "What a trial needed").
static void measure_friction(const gmc_measure_plan *plan, const gmc_world *world,
                             gmc_measure_state *state)
{
    for (int i = 0; i < world->contacts.count; i++) {
        const gmc_contact *c = &world->contacts.contacts[i];
        if (!(c->impulse[0] > 0)) continue;
        int a = world->model->geoms[c->point.geom_a].surface;
        int b = world->model->geoms[c->point.geom_b].surface;
        for (int k = 0; k < plan->pair_count; k++) {
            if (!((plan->pairs[k][0] == a && plan->pairs[k][1] == b) ||
                  (plan->pairs[k][0] == b && plan->pairs[k][1] == a)))
                continue;
            double tangential = sqrt(c->impulse[1] * c->impulse[1] + c->impulse[2] * c->impulse[2]);
            raise_to(&state->needed[k], tangential / c->impulse[0]);
            if (c->mode == GMC_CONTACT_SLIP) state->slipped[k] = true;
        }
    }
}

static void measure_object(const gmc_measure_plan *plan, const gmc_world *world, double h,
                           gmc_measure_state *state)
{
    if (plan->object_body < 0) return;
    double *fixed = state->fixed;
    const gmc_measure slip = {GMC_MEASURE_SLIP, plan->object_body, GMC_BODY_HAND};
    const gmc_measure angle = {GMC_MEASURE_SLIP_ANGLE, plan->object_body, GMC_BODY_HAND};
    const gmc_measure speed = {GMC_MEASURE_SPEED, plan->object_body, 0};
    fixed[GMC_COLUMN_LIFT] =
        world->kin.com_w[plan->object_body].z - state->com_start[plan->object_body].z;
    fixed[GMC_COLUMN_MOVED] = gmc_vec3_norm(
        gmc_vec3_sub(world->kin.com_w[plan->object_body], state->com_start[plan->object_body]));
    if (state->has_closed) {
        fixed[GMC_COLUMN_SLIP_END] = gmc_measure_value(&slip, plan, world, state);
        raise_to(&fixed[GMC_COLUMN_SLIP], fixed[GMC_COLUMN_SLIP_END]);
        raise_to(&fixed[GMC_COLUMN_SLIP_ANGLE], gmc_measure_value(&angle, plan, world, state));
    }
    raise_to(&fixed[GMC_COLUMN_MAX_SPEED], gmc_measure_value(&speed, plan, world, state));

    gmc_pose relative = object_in_hand(plan, world);
    double step = gmc_vec3_norm(gmc_vec3_sub(relative.p, state->X_last_relative.p));
    if (step > SETTLED_SPEED * h) fixed[GMC_COLUMN_T_SETTLED] = world->state.t;
    state->X_last_relative = relative;
}

void gmc_measure_step(const gmc_measure_plan *plan, const gmc_world *world,
                      const gmc_step_report *report, double h, gmc_measure_state *state)
{
    double *fixed = state->fixed;
    state->h = h;
    raise_to(&fixed[GMC_COLUMN_MAX_PENETRATION], report->max_penetration);
    raise_to(&fixed[GMC_COLUMN_MAX_FORCE], report->max_force);
    raise_to(&fixed[GMC_COLUMN_MAX_RESIDUAL], report->residual);
    raise_to(&fixed[GMC_COLUMN_MAX_CONTACTS], report->contact_count);
    fixed[GMC_COLUMN_STEPS] += 1;
    fixed[GMC_COLUMN_ITERATIONS] += report->iterations;
    if (report->rung > 1) fixed[GMC_COLUMN_HARD_STEPS] += 1;
    measure_object(plan, world, h, state);
    measure_friction(plan, world, state);
    measure_asked(plan, world, state);
    summarise(plan, state, false);
}

void gmc_measure_finish(const gmc_measure_plan *plan, const gmc_world *world,
                        gmc_measure_state *state, double *values)
{
    if (plan->object_body >= 0) {
        const gmc_measure turned = {GMC_MEASURE_TURNED, plan->object_body, 0};
        state->fixed[GMC_COLUMN_TURNED] = gmc_measure_value(&turned, plan, world, state);
        state->fixed[GMC_COLUMN_HELD_BY] = count_holding(plan->object_body, plan, world);
    }

    int k = 0;
    for (int i = 0; i < GMC_COLUMN_FIXED_COUNT; i++)
        values[k++] = state->fixed[i];
    for (int i = 0; i < plan->asked_count; i++)
        values[k++] = state->summary[i];
    for (int i = 0; i < plan->pair_count; i++) {
        values[k++] = state->needed[i];
        values[k++] = state->slipped[i];
    }
}

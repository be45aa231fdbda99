// What is measured along a rollout. A step costs some tens of nanoseconds: the hand's pose is taken
// once, extremes are kept as squares and turned into lengths and angles when the trial is over, and
// measures that only matter at the end wait until then.
#include "engine/grasp/measure.h"

#include "engine/collision/shape.h"
#include "engine/contact/law.h"
#include "engine/grasp/measure_internal.h"
#include "engine/math/elementary.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

// ---- what there is to measure ------------------------------------------------------------------
// Names, units and meanings of what can be measured: the one place that parser, help, results and
// their format description read.

const gmc_measure_info gmc_measure_infos[GMC_MEASURE_KIND_COUNT] = {
    [GMC_MEASURE_LIFT] = {"lift", "m", "b", "height of the centre of mass above its start"},
    [GMC_MEASURE_SLIP] = {"slip", "m", "bb",
                          "way of the first's centre of mass in the frame of the second since the "
                          "last `close` ended, without one since the start"},
    [GMC_MEASURE_SLIP_ANGLE] = {"slip_angle", "rad", "bb",
                                "turn of the first in the frame of the second, likewise"},
    [GMC_MEASURE_MOVED] = {"moved", "m", "b", "distance of the centre of mass from its start"},
    [GMC_MEASURE_TURNED] = {"turned", "rad", "b", "angle of the body against its start"},
    [GMC_MEASURE_TILTED] = {"tilted", "rad", "b",
                            "angle between the body's z axis and where it pointed at the start"},
    [GMC_MEASURE_SPEED] = {"speed", "m/s", "b", "speed of the centre of mass"},
    [GMC_MEASURE_SPIN] = {"spin", "rad/s", "b", "angular speed"},
    [GMC_MEASURE_CONTACT] = {"contact", "1", "bb", "1 if the two touch with force, else 0",
                             .is_count = true},
    [GMC_MEASURE_HELD_BY] = {"held_by", "1", "b",
                             "number of hand links that touch the body with force",
                             .is_count = true},
    [GMC_MEASURE_RECESS] =
        {"recess", "m", "b",
         "how far the body reaches at most beyond the tangent planes of the hand's contacts with "
         "it: 0 on its convex hull, as on the outer edges of a gear's teeth; more on their flanks "
         "and between teeth; inf: the hand does not press on it"},
    [GMC_MEASURE_OPPOSED] =
        {"opposed", "rad", "b",
         "largest angle between two points at which the hand presses on the body, seen from its "
         "centre of mass; 180 deg: on opposite sides; 0: there are no two"},
    [GMC_MEASURE_FORCE] =
        {"force", "N", "bb",
         "sum of the normal forces between the two: their impulse over the last 8 ms, or "
         "over the last step where that is longer"},
    [GMC_MEASURE_BORNE] =
        {"force_at_slip", "N", "b",
         "force of `pull` at which the body had first slipped by 0.1 mm in the hand (without a "
         "hand: in the world) since that phase began; of one that has not the largest that pulled"},
    [GMC_MEASURE_SINCE] =
        {"moved_since", "m", "bn",
         "distance of the centre of mass from where it was as that phase ended, 0 "
         "before: `moved_since(object, lift)`"},
    [GMC_MEASURE_LOST] = {"t_lost", "s", "b",
                          "time since which no link of the hand touches the body with force, after "
                          "one did; NaN, which fulfils no comparison: one does, or none ever did"},
    [GMC_MEASURE_HEIGHT] = {"height", "m", "b",
                            "height of the centre of mass over the world's origin"},
    [GMC_MEASURE_DISTANCE] = {"distance", "m", "bb", "distance between the frames of the two"},
    [GMC_MEASURE_CLOSURE] =
        {"closure", "1", "b",
         "1 if the hand's contacts with the body close (force closure): they can hold any load if "
         "they press hard enough; else 0. Points at which the hand presses, friction pyramids of 8 "
         "edges, moments about the centre of mass; what stands around does not count, and friction "
         "below 1e-8 may not",
         .is_count = true},
    [GMC_MEASURE_EPSILON] =
        {"epsilon", "1", "b",
         "quality of these contacts: the smallest load that they cannot hold while their normal "
         "forces together are 1 N, moments over the body's largest radius; -1 without closure",
         .is_costly = true},
    [GMC_MEASURE_VOLUME] =
        {"volume", "1", "b",
         "volume of all loads that they can hold so, in 6 dimensions, in planar worlds in 3; 0 "
         "where these are flat",
         .is_costly = true},
    [GMC_MEASURE_CLOSING] =
        {"closing_friction", "1", "b",
         "smallest coefficient of friction, the same at every contact, with which they would "
         "close; 0: they do with any that counts (1e-8 and more), or without; inf: with no "
         "coefficient",
         .is_costly = true},
    [GMC_MEASURE_EPSILON_EACH] =
        {"epsilon_each", "1", "b",
         "as epsilon, but the normal force of each contact is at most 1 N, in place of all "
         "together "
         "(L-infinity in place of L1). NaN, which fulfils no comparison: more than four contacts "
         "with friction in space, eight in planar worlds; the hull is of 9^n and 3^n points then, "
         "59049 of five, and above 6561 it is not begun",
         .is_costly = true},
    [GMC_MEASURE_VOLUME_EACH] = {"volume_each", "1", "b",
                                 "as volume, of the loads of epsilon_each; NaN as there",
                                 .is_costly = true},
    [GMC_MEASURE_HOLDS] =
        {"holds", "1", "bxf",
         "largest force on the body's centre of mass, along an axis of the world or of b, that "
         "these contacts hold while their normal forces together are 1 N; 0: none. Each may lie "
         "1e-6 of the body's largest radius off. It takes no closure: with `holds(object, -z)` of "
         "0.4 a weight of 2 N takes 5 N"},
    [GMC_MEASURE_HOLDS_MOMENT] =
        {"holds_moment", "m", "bxf",
         "likewise the largest moment about an axis through the centre of mass, per newton: a task "
         "of several loads is several criteria, `holds(object, -z) >= 0.4` and "
         "`holds_moment(object, x) >= 5 mm`"},
    [GMC_MEASURE_LEANS] = {"leans", "rad", "b",
                           "angle between the body's z axis and the world's; in planar worlds "
                           "between their y axes"},
    [GMC_MEASURE_PLACE] =
        {"distance", "m", "bpf",
         "distance of the body's frame from a place, of the world or in the frame of b: "
         "`distance(object, [300 mm, 0 mm, 25 mm])`; in planar worlds `[x, y]`"},
    [GMC_MEASURE_ANGLE] =
        {"angle", "rad", "bxxf",
         "angle between an axis of the body and one of the world, or of b: `angle(object, x, -z)`"},
};

const char *gmc_measure_usage(const gmc_measure_info *info, const char *a, const char *b,
                              char text[GMC_MEASURE_USAGE_MAX])
{
    int body = 0, used = snprintf(text, GMC_MEASURE_USAGE_MAX, "%s(", info->name);
    for (int i = 0; info->takes[i]; i++) {
        const char *comma = i > 0 ? ", " : "", *word = "";
        switch ((gmc_measure_takes)info->takes[i]) {
        case GMC_TAKES_BODY:
        case GMC_TAKES_FRAME:
            word = body++ == 0 ? a : b;
            break;
        case GMC_TAKES_PLACE:
            word = "[x, y, z]";
            break;
        case GMC_TAKES_AXIS:
            word = "axis";
            break;
        case GMC_TAKES_PHASE:
            word = "phase";
            break;
        case GMC_TAKES_NO_MORE:
            break;
        }
        used += snprintf(text + used, (size_t)(GMC_MEASURE_USAGE_MAX - used), "%s%s", comma, word);
    }
    snprintf(text + used, (size_t)(GMC_MEASURE_USAGE_MAX - used), ")");
    return text;
}

const gmc_column gmc_fixed_columns[GMC_COLUMN_FIXED_COUNT] = {
    [GMC_COLUMN_LIFT] = {"lift", "m",
                         "height of the object's centre of mass above its start, at the end",
                         GMC_COLUMN_REAL},
    [GMC_COLUMN_SLIP] = {"slip", "m",
                         "largest displacement of the object in the hand (without a hand: in the "
                         "world) since the last `close` ended, without one since the start",
                         GMC_COLUMN_REAL},
    [GMC_COLUMN_SLIP_END] = {"slip_end", "m",
                             "displacement of the object in the hand at the end, counted as `slip`",
                             GMC_COLUMN_REAL},
    [GMC_COLUMN_SLIP_ANGLE] = {"slip_angle", "rad",
                               "largest turn of the object in the hand (without a hand: in the "
                               "world) since the last `close` ended, without one since the start",
                               GMC_COLUMN_REAL},
    [GMC_COLUMN_MOVED] = {"moved", "m", "distance of the object from its start, at the end",
                          GMC_COLUMN_REAL},
    [GMC_COLUMN_TURNED] = {"turned", "rad", "angle of the object against its start, at the end",
                           GMC_COLUMN_REAL},
    [GMC_COLUMN_MAX_PENETRATION] = {"max_penetration", "m", "deepest overlap of any contact",
                                    GMC_COLUMN_REAL},
    [GMC_COLUMN_MAX_FORCE] =
        {"max_force", "N",
         "largest normal force between two bodies: impulse over 8 ms, or over a "
         "longer step",
         GMC_COLUMN_REAL},
    [GMC_COLUMN_MAX_SPEED] = {"max_speed", "m/s", "fastest speed of the object", GMC_COLUMN_REAL},
    [GMC_COLUMN_MAX_JOINT_SPEED] = {"max_joint_speed", "1",
                                    "largest speed of a joint of the hand over its `max_speed`; "
                                    "joints without one do not count",
                                    GMC_COLUMN_REAL},
    [GMC_COLUMN_MAX_JOINT_EFFORT] = {"max_joint_effort", "1",
                                     "largest force of a joint's drive over its `max_force`; "
                                     "joints without one do not count",
                                     GMC_COLUMN_REAL},
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
    [GMC_COLUMN_T_CLOSED] = {"t_closed", "s", "when the last `close` ended; NaN: never",
                             GMC_COLUMN_REAL},
    [GMC_COLUMN_DECIDED_BY] = {"decided_by", "1",
                               "rule that decided the trial before its end: 0 none, 1 broken, "
                               "2 falling, 3 rest, 4 borne",
                               GMC_COLUMN_INTEGER},
    [GMC_COLUMN_T_DECIDED] = {"t_decided", "s",
                              "when the verdict was certain; NaN: not before the end",
                              GMC_COLUMN_REAL},
    [GMC_COLUMN_AUDIT] = {"audit", "1",
                          "was the early verdict held against the end? 0 no, 1 it was right, "
                          "2 it was wrong",
                          GMC_COLUMN_INTEGER},
    [GMC_COLUMN_HALF_STEP] = {"half_step", "1",
                              "was the trial repeated at half the step? 0 no, 1 the same verdict, "
                              "2 another one, 3 none, although the trial has one, 4 the same, but "
                              "its distance from the limit changed by more than half",
                              GMC_COLUMN_INTEGER},
    [GMC_COLUMN_START_PENETRATION] = {"start_penetration", "m",
                                      "deepest overlap of any contact as the trial began; it is "
                                      "given back slowly",
                                      GMC_COLUMN_REAL},
    [GMC_COLUMN_ENERGY_BALANCE] =
        {"energy_balance", "1",
         "work of drives and gravity less losses, what the scheme took and the change of energy, "
         "relative to the largest of: work of drives in absolute value, change of potential "
         "energy, peak kinetic energy, 1e-6 J; NaN: motion without inertia, other steppers",
         GMC_COLUMN_REAL},
    [GMC_COLUMN_ENERGY_SCHEME] =
        {"energy_scheme", "1",
         "energy that contacts and joints took beyond what their laws lose and store, relative to "
         "the same; < 0: they gave it",
         GMC_COLUMN_REAL},
    [GMC_COLUMN_ENERGY_SIZE] = {"energy_size", "J",
                                "what energy_balance and energy_scheme are relative to",
                                GMC_COLUMN_REAL},
    [GMC_COLUMN_IS_WHOLE] = {"is_whole", "1",
                             "are the measures those of the whole trial? 0: of its beginning, it "
                             "was cut short as broken or falling, or is unsolved",
                             GMC_COLUMN_FLAG},
    [GMC_COLUMN_HARD_PENETRATION] = {"hard_penetration", "m",
                                     "deepest overlap of any contact without a pad",
                                     GMC_COLUMN_REAL},
    [GMC_COLUMN_ENERGY_OBJECT] =
        {"energy_object", "J",
         "what the object exchanged: the largest of the change of its potential energy and its "
         "peak kinetic energy",
         GMC_COLUMN_REAL},
    [GMC_COLUMN_PAD_PRESS] = {"pad_press", "1",
                              "deepest that a pad was pressed, over its thickness; from 0.8 on its "
                              "bottom bears; 0: no pad was, or the stepper knows none",
                              GMC_COLUMN_REAL},
    [GMC_COLUMN_HALF_STEP_CHANCE] = {"half_step_chance", "1",
                                     "chance with which it was chosen for a repetition at half "
                                     "the step; 0: it could not be",
                                     GMC_COLUMN_REAL},
};

int gmc_column_find(const gmc_column *columns, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(columns[i].name, name) == 0) return i;
    return -1;
}

// ---- values ------------------------------------------------------------------------------------
// Measures are small functions of the world after a step and of what was remembered at the start
// and when slip began to count. Slip is the displacement of a's centre of mass seen in b's frame: a
// turn alone is counted by slip_angle, so that a millimetre stays a millimetre whatever the size of
// the object.

static gmc_pose pose_of(int body, const gmc_world *world, const gmc_measure_state *state)
{
    return body == GMC_BODY_HAND ? state->X_hand : world->kin.X_wb[body];
}

// Centre of mass of a body, or the tool point of the hand.
static gmc_vec3 centre_of(int body, const gmc_world *world, const gmc_measure_state *state)
{
    return body == GMC_BODY_HAND ? state->X_hand.p : world->kin.com_w[body];
}

static gmc_vec3 start_centre(int body, const gmc_measure_state *state)
{
    return body == GMC_BODY_HAND ? state->X_hand_start.p : state->com_start[body];
}

static double height_of(gmc_vec3 p, const gmc_measure_plan *plan)
{
    return plan->is_planar ? p.y : p.z;
}

static gmc_pose start_pose(int body, const gmc_measure_state *state)
{
    return body == GMC_BODY_HAND ? state->X_hand_start : state->X_start[body];
}

static gmc_pose slip_pose(int body, const gmc_measure_state *state)
{
    return body == GMC_BODY_HAND ? state->X_hand_slip : state->X_slip[body];
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

static double angle_of(gmc_vec3 a, gmc_vec3 b)
{
    return gmc_atan2(gmc_vec3_norm(gmc_vec3_cross(a, b)), gmc_vec3_dot(a, b));
}

static double slip_between(const gmc_measure *m, const gmc_world *world,
                           const gmc_measure_state *state, bool is_angle)
{
    if (!state->counts_slip) return 0;
    gmc_pose A = pose_of(m->a, world, state), B = pose_of(m->b, world, state);
    gmc_pose A0 = slip_pose(m->a, state), B0 = slip_pose(m->b, state);
    if (is_angle) {
        gmc_pose now = gmc_pose_relative(&B, &A), then = gmc_pose_relative(&B0, &A0);
        return angle_between(&then, &now);
    }
    return gmc_vec3_norm(
        gmc_vec3_sub(point_in(world->model, m->a, &A, &B), point_in(world->model, m->a, &A0, &B0)));
}

static bool is_of(int body, int wanted, const gmc_measure_plan *plan)
{
    if (wanted <= GMC_BODY_ROBOT) return plan->is_robot[GMC_BODY_ROBOT - wanted][body];
    return wanted == GMC_BODY_HAND ? plan->is_hand && plan->is_hand[body] : body == wanted;
}

static bool are_of(int i, int j, const gmc_measure *m, const gmc_measure_plan *plan)
{
    return (is_of(i, m->a, plan) && is_of(j, m->b, plan)) ||
           (is_of(i, m->b, plan) && is_of(j, m->a, plan));
}

static double force_between(const gmc_measure *m, const gmc_measure_plan *plan,
                            const gmc_measure_force *forces)
{
    double sum = 0;
    for (int i = 0; i < forces->count; i++)
        if (are_of(forces->pairs[i].a, forces->pairs[i].b, m, plan)) sum += forces->pairs[i].force;
    return sum;
}

static bool do_touch(const gmc_measure *m, const gmc_measure_plan *plan, const gmc_world *world)
{
    for (int i = 0; i < world->contacts.count; i++) {
        const gmc_contact *c = &world->contacts.contacts[i];
        if (c->impulse[0] > 0 && are_of(c->body_a, c->body_b, m, plan)) return true;
    }
    return false;
}

/// Body of the hand that presses on the object at a contact; -1: none.
static int presses(const gmc_contact *c, int object, const gmc_measure_plan *plan)
{
    int other = c->body_a == object ? c->body_b : c->body_b == object ? c->body_a : -1;
    bool is_pressed = other >= 0 && c->impulse[0] > 0 && is_of(other, GMC_BODY_HAND, plan);
    return is_pressed ? other : -1;
}

// Direction in which a body is pressed at a contact.
static gmc_vec3 push_on(const gmc_contact *c, int body)
{
    return c->body_b == body ? c->dir[0] : gmc_vec3_neg(c->dir[0]);
}

// How far a body reaches from its centre of mass along a unit vector [m].
static double reach_of(int body, gmc_vec3 dir, const gmc_world *world)
{
    double most = -HUGE_VAL;
    for (int i = 0; i < world->model->geom_count; i++) {
        const gmc_geom *geom = &world->model->geoms[i];
        if (geom->body != body) continue;
        gmc_pose X_wg = gmc_pose_multiply(&world->kin.X_wb[body], &geom->X_bg);
        gmc_vec3 origin = gmc_vec3_sub(X_wg.p, world->kin.com_w[body]);
        double reach = gmc_shape_reach(&geom->shape, &X_wg.R, dir, NULL);
        most = gmc_max(most, gmc_vec3_dot(origin, dir) + reach);
    }
    return most;
}

// The points are half way between two surfaces that overlap: planes may lie that much too far in.
static double recess_of(int object, const gmc_measure_plan *plan, const gmc_world *world)
{
    double most = -HUGE_VAL;
    for (int i = 0; i < world->contacts.count; i++) {
        const gmc_contact *c = &world->contacts.contacts[i];
        if (presses(c, object, plan) < 0) continue;
        gmc_vec3 out = gmc_vec3_neg(push_on(c, object));
        gmc_vec3 arm = gmc_vec3_sub(c->point.p, world->kin.com_w[object]);
        double beyond = reach_of(object, out, world) - gmc_vec3_dot(arm, out);
        most = gmc_max(most, beyond + 0.5 * gmc_min(c->point.gap, 0));
    }
    return most == -HUGE_VAL ? HUGE_VAL : gmc_max(most, 0);
}

// Each hand body counts once, however many points it touches with.
static int count_holding(int object, const gmc_measure_plan *plan, const gmc_world *world)
{
    int holding = 0;
    for (int i = 0; i < world->contacts.count; i++) {
        int link = presses(&world->contacts.contacts[i], object, plan);
        bool is_counted = link < 0;
        for (int k = 0; k < i && !is_counted; k++)
            is_counted = presses(&world->contacts.contacts[k], object, plan) == link;
        if (!is_counted) holding++;
    }
    return holding;
}

static double widest_between(int object, const gmc_measure_plan *plan, const gmc_world *world)
{
    gmc_vec3 com = world->kin.com_w[object];
    double widest = 0;
    for (int i = 0; i < world->contacts.count; i++) {
        const gmc_contact *c = &world->contacts.contacts[i];
        if (presses(c, object, plan) < 0) continue;
        for (int k = 0; k < i; k++) {
            const gmc_contact *d = &world->contacts.contacts[k];
            if (presses(d, object, plan) < 0) continue;
            double angle = angle_of(gmc_vec3_sub(c->point.p, com), gmc_vec3_sub(d->point.p, com));
            widest = gmc_max(widest, angle);
        }
    }
    return widest;
}

// Velocity of the centre of mass of a body, or of the tool point.
static gmc_vec3 velocity_of(int body, const gmc_measure_plan *plan, const gmc_world *world,
                            const gmc_measure_state *state)
{
    int carrier = body;
    if (body == GMC_BODY_HAND)
        carrier =
            plan->tool_frame >= 0 ? world->model->frames[plan->tool_frame].body : plan->hand_body;
    if (carrier < 0) return (gmc_vec3){0, 0, 0};
    return gmc_twist_at(&world->kin.V[carrier], centre_of(body, world, state));
}

// What is remembered of a measure by its first entry of the plan; -1: it is not asked for.
static int memory_of(const gmc_measure *m, const gmc_measure_plan *plan)
{
    for (int i = 0; i < plan->asked_count; i++) {
        const gmc_measure *other = &plan->asked[i];
        if (other->kind == m->kind && other->a == m->a && other->since == m->since) return i;
    }
    return -1;
}

static double moved_since(const gmc_measure *m, const gmc_measure_plan *plan,
                          const gmc_world *world, const gmc_measure_state *state)
{
    int i = memory_of(m, plan);
    if (i < 0 || state->phases_over < m->since) return 0;
    return gmc_vec3_norm(gmc_vec3_sub(centre_of(m->a, world, state), state->place[i]));
}

static double lost_since(const gmc_measure *m, const gmc_measure_plan *plan, const gmc_world *world,
                         const gmc_measure_state *state)
{
    int i = memory_of(m, plan);
    bool is_held = i < 0 || state->touched[i] >= world->state.t;
    return is_held ? (double)NAN : state->touched[i];
}

double gmc_measure_value(const gmc_measure *m, const gmc_measure_plan *plan, const gmc_world *world,
                         const gmc_measure_state *state)
{
    switch (m->kind) {
    case GMC_MEASURE_LIFT:
        return height_of(centre_of(m->a, world, state), plan) -
               height_of(start_centre(m->a, state), plan);
    case GMC_MEASURE_SLIP:
        return slip_between(m, world, state, false);
    case GMC_MEASURE_SLIP_ANGLE:
        return slip_between(m, world, state, true);
    case GMC_MEASURE_MOVED:
        return gmc_vec3_norm(
            gmc_vec3_sub(centre_of(m->a, world, state), start_centre(m->a, state)));
    case GMC_MEASURE_TURNED: {
        gmc_pose now = pose_of(m->a, world, state), then = start_pose(m->a, state);
        return angle_between(&then, &now);
    }
    case GMC_MEASURE_TILTED: {
        gmc_pose now = pose_of(m->a, world, state), then = start_pose(m->a, state);
        return angle_of(gmc_mat3_column(&then.R, 2), gmc_mat3_column(&now.R, 2));
    }
    case GMC_MEASURE_SPEED:
        return gmc_vec3_norm(velocity_of(m->a, plan, world, state));
    case GMC_MEASURE_SPIN: {
        int body = m->a == GMC_BODY_HAND ? plan->hand_body : m->a;
        return body < 0 ? 0 : gmc_vec3_norm(world->kin.V[body].w);
    }
    case GMC_MEASURE_CONTACT:
        return do_touch(m, plan, world);
    case GMC_MEASURE_HELD_BY:
        return count_holding(m->a, plan, world);
    case GMC_MEASURE_RECESS:
        return recess_of(m->a, plan, world);
    case GMC_MEASURE_OPPOSED:
        return widest_between(m->a, plan, world);
    case GMC_MEASURE_FORCE:
        return force_between(m, plan, &state->forces);
    case GMC_MEASURE_BORNE:
        return state->borne && m->a >= 0 ? state->borne[m->a] : 0;
    case GMC_MEASURE_SINCE:
        return moved_since(m, plan, world, state);
    case GMC_MEASURE_LOST:
        return lost_since(m, plan, world, state);
    case GMC_MEASURE_HEIGHT:
        return height_of(centre_of(m->a, world, state), plan);
    case GMC_MEASURE_DISTANCE:
        return gmc_vec3_norm(
            gmc_vec3_sub(pose_of(m->a, world, state).p, pose_of(m->b, world, state).p));
    case GMC_MEASURE_CLOSURE:
    case GMC_MEASURE_EPSILON:
    case GMC_MEASURE_VOLUME:
    case GMC_MEASURE_CLOSING:
    case GMC_MEASURE_EPSILON_EACH:
    case GMC_MEASURE_VOLUME_EACH:
        return gmc_measure_quality(m, plan, world, state, (gmc_vec3){0, 0, 0});
    case GMC_MEASURE_HOLDS:
    case GMC_MEASURE_HOLDS_MOMENT: {
        gmc_pose in = pose_of(m->b, world, state);
        return gmc_measure_quality(m, plan, world, state, gmc_mat3_apply(&in.R, m->of_a));
    }
    case GMC_MEASURE_LEANS: {
        gmc_pose now = pose_of(m->a, world, state);
        int up = plan->is_flat ? 1 : 2;
        return angle_of((gmc_vec3){0, plan->is_flat, !plan->is_flat}, gmc_mat3_column(&now.R, up));
    }
    case GMC_MEASURE_PLACE: {
        gmc_pose in = pose_of(m->b, world, state);
        return gmc_vec3_norm(
            gmc_vec3_sub(pose_of(m->a, world, state).p, gmc_pose_apply(&in, m->in_b)));
    }
    case GMC_MEASURE_ANGLE: {
        gmc_pose A = pose_of(m->a, world, state), B = pose_of(m->b, world, state);
        return angle_of(gmc_mat3_apply(&A.R, m->of_a), gmc_mat3_apply(&B.R, m->in_b));
    }
    case GMC_MEASURE_KIND_COUNT:
        break;
    }
    return 0;
}

// ---- the last 8 ms -----------------------------------------------------------------------------
//
// The last 8 ms of a rollout, step by step, and sums over them. What one step alone says of forces
// is no property of what happens: an impact is over within one, and steps differ.
// Of the oldest step as much counts as the window reaches into it, so that a force that is steady
// is its mean to rounding.

bool gmc_measure_window_open(double span, gmc_measure_window *window)
{
    double least = 2 * GMC_MEASURE_WINDOW / (GMC_MEASURE_WINDOW_STEPS - 2);
    if (window->kept > 0 && window->length[window->at] < least && span < least) {
        window->length[window->at] += span;
        return false;
    }
    window->at = (window->at + 1) % GMC_MEASURE_WINDOW_STEPS;
    if (window->kept < GMC_MEASURE_WINDOW_STEPS) window->kept++;
    window->length[window->at] = span;
    return true;
}

/// The kept step before step k.
static inline int step_before(int k) { return k > 0 ? k - 1 : GMC_MEASURE_WINDOW_STEPS - 1; }

/// @param count  of impulses and sums, known to the compiler
static inline void add_up(const gmc_measure_window *window, const double *const *impulses,
                          int count, double ago, double *sums, double *time)
{
    for (int n = 0; n < count; n++)
        sums[n] = 0;
    *time = 0;
    if (window->kept == 0) return;
    double latest = window->length[window->at], part = (latest - ago) / latest;
    double passed = latest - ago;
    for (int n = 0; n < count; n++)
        sums[n] = impulses[n][window->at] * part;
    for (int i = 1, k = window->at; i < window->kept && passed < GMC_MEASURE_WINDOW; i++) {
        k = step_before(k);
        double length = window->length[k], left = GMC_MEASURE_WINDOW - passed;
        bool is_last = length >= left;
        for (int n = 0; n < count; n++)
            sums[n] += is_last ? impulses[n][k] * left / length : impulses[n][k];
        passed = is_last ? GMC_MEASURE_WINDOW : passed + length;
        if (is_last) break;
    }
    *time = passed;
}

void gmc_measure_window_sums(const gmc_measure_window *window, const double *const impulses[3],
                             double ago, double sums[3], double *time)
{
    add_up(window, impulses, 3, ago, sums, time);
}

double gmc_measure_window_sum(const gmc_measure_window *window, const double *impulses, double ago,
                              double *time)
{
    double sum;
    add_up(window, &impulses, 1, ago, &sum, time);
    return sum;
}

// ---- forces ------------------------------------------------------------------------------------
//
// Normal forces between two bodies as their impulse over a stated time: the last 8 ms, or the last
// step where that is longer.
// Impulses of the steps of the last 8 ms, pair by pair. What came before the window has passed once
// is not there: until then the mean is over the time since the start.
//
// Rejected: forces of single contact points, as they were: how bodies share a force among the
// corners of a face differs from stepper to stepper, and points come and go within the window.

/// Pairs at most, of many bodies: with more the one with the least force makes room.
enum { PAIRS_MAX = 1024 };

/// @return GMC_OK, GMC_E_ARENA_FULL
static gmc_status measure_force_create(const gmc_model *model, gmc_arena *arena,
                                       gmc_measure_force *forces)
{
    int bodies = model->body_count, pairs = PAIRS_MAX;
    if (bodies < 46) pairs = bodies * (bodies - 1) / 2; // all, a thousand of 46 bodies
    *forces = (gmc_measure_force){.capacity = pairs > 0 ? pairs : 1};
    forces->pairs = GMC_ROOM(arena, forces->capacity, gmc_measure_force_pair);
    return forces->pairs ? GMC_OK : GMC_E_ARENA_FULL;
}

/// A place for the next step; what presses no more within the window is forgotten.
static void open_force_step(const gmc_measure_window *window, gmc_measure_force *forces)
{
    int count = 0;
    for (int i = 0; i < forces->count; i++) {
        gmc_measure_force_pair *pair = &forces->pairs[i];
        if (++pair->idle >= window->kept) continue;
        pair->impulse[window->at] = 0;
        if (count < i) forces->pairs[count] = *pair;
        count++;
    }
    forces->count = count;
}

static gmc_measure_force_pair *force_pair_of(int a, int b, gmc_measure_force *forces)
{
    gmc_measure_force_pair *least = forces->pairs;
    for (int i = 0; i < forces->count; i++) {
        gmc_measure_force_pair *pair = &forces->pairs[i];
        if (pair->a == a && pair->b == b) return pair;
        if (pair->force < least->force) least = pair;
    }
    if (forces->count < forces->capacity) least = &forces->pairs[forces->count++];
    *least = (gmc_measure_force_pair){.a = a, .b = b};
    return least;
}

static void add_force_impulses(const gmc_world *world, int at, gmc_measure_force *forces)
{
    gmc_measure_force_pair *pair = NULL;
    for (int i = 0; i < world->contacts.count; i++) {
        const gmc_contact *contact = &world->contacts.contacts[i];
        if (!(contact->impulse[0] > 0)) continue;
        int a = contact->body_a, b = contact->body_b;
        if (a > b) a = contact->body_b, b = contact->body_a;
        if (!pair || pair->a != a || pair->b != b) pair = force_pair_of(a, b, forces);
        pair->impulse[at] += contact->impulse[0];
        pair->idle = 0;
    }
}

/// After an accepted step that the window knows.
/// @param is_new  gmc_measure_window_open of this step
/// @return forces->most
static double measure_force_step(const gmc_world *world, const gmc_measure_window *window,
                                 bool is_new, gmc_measure_force *forces)
{
    double most = 0, time;
    if (is_new) open_force_step(window, forces);
    add_force_impulses(world, window->at, forces);
    for (int i = 0; i < forces->count; i++) {
        gmc_measure_force_pair *pair = &forces->pairs[i];
        pair->force = gmc_measure_window_sum(window, pair->impulse, 0, &time);
        pair->force /= time;
        most = pair->force > most ? pair->force : most;
    }
    return forces->most = most;
}

// ---- friction ----------------------------------------------------------------------------------
//
// Friction that two bodies use of each other, by pairs of surfaces: ratios of impulses over 8 ms,
// and over blows. The ratio of one contact in one step is none of the bodies': corners of a face
// share their load as the stepper likes, and where a load comes or goes a contact slides with next
// to nothing on it, in steps of one length and not in others.
//
//   needed = max T / max(N, L/4)      slipped: S > max(N, L/4) / 2 at any time
//
// with N the normal impulse of all contacts of the two bodies, T the sum of the magnitudes of
// their tangential impulses, S the normal impulse of what slid, all over
//
// - any 8 ms between where the bodies came to touch and where they let go; a touch that is shorter
//   is one of them;
// - or a blow: impacts, of contacts that the stepper stops as such, within 8 ms from the first of
//   them. Those have no part in the former: between what strikes, a bearing load says nothing.
//
// L is what the bodies pressed with so far, over 8 ms of the time in which they did, a blow being
// as long, and 8 ms at least: what has faded below a quarter of that weighs the less the smaller
// it is.
// A touch is judged when a window has passed since it began, so that its first steps, in which
// next to nothing presses, are seen together with those in which it does: over just that window,
// then at each step in which the bodies press. What was looked at later would be cut, and say
// something else at each step: a touch that is over would show its end alone.
//
// Steps of an impact may be of any length, and its impulse may stand in either of two: a window
// that holds a blow together with what is borne before or after it says more of the window's length
// than of either. Impacts are therefore summed on their own, over a time that no step has a part
// in.
//
// Rejected: ratios of single contacts and steps (what lifts off a table or comes to it used 0.8 and
// slipped, or not, by the step); windows that bodies pressed throughout (rattling never does); a
// load compared with the largest so far (after a blow nothing has friction any more).

/// Touches at most: with more the one with the least load makes room.
enum { TOUCHES_MAX = 256 };
/// Share of the mean load so far below which a load has faded.
static const double FADED = 0.25;

/// @param pair_of     (model->surface_count²), < pair_count; kept
/// @return GMC_OK, GMC_E_ARENA_FULL
static gmc_status measure_friction_create(const gmc_model *model, const int *pair_of,
                                          int pair_count, gmc_arena *arena,
                                          gmc_measure_friction *friction)
{
    double bodies = model->body_count, most = pair_count * bodies * (bodies - 1) / 2;
    int capacity = most > TOUCHES_MAX ? TOUCHES_MAX : (int)most;
    *friction = (gmc_measure_friction){.surface_count = model->surface_count,
                                       .pair_of = pair_of,
                                       .capacity = capacity > 0 ? capacity : 1};
    friction->needed = GMC_NEW(arena, pair_count, double);
    friction->slipped = GMC_NEW(arena, pair_count, bool);
    friction->touches = GMC_ROOM(arena, friction->capacity, gmc_measure_touch);
    bool has_room = friction->needed && friction->slipped && friction->touches;
    return has_room ? GMC_OK : GMC_E_ARENA_FULL;
}

/// A place for the next step.
static void open_friction_step(int at, gmc_measure_friction *friction)
{
    for (int i = 0; i < friction->count; i++) {
        gmc_measure_touch *touch = &friction->touches[i];
        touch->normal[at] = touch->friction[at] = touch->slid[at] = 0;
    }
}

static gmc_measure_touch *touch_of(int a, int b, int pair, gmc_measure_friction *friction)
{
    gmc_measure_touch *least = friction->touches;
    for (int i = 0; i < friction->count; i++) {
        gmc_measure_touch *touch = &friction->touches[i];
        if (touch->a == a && touch->b == b && touch->pair == pair) return touch;
        if (touch->total < least->total) least = touch;
    }
    if (friction->count < friction->capacity) least = &friction->touches[friction->count++];
    *least = (gmc_measure_touch){.a = a, .b = b, .pair = pair, .quiet = HUGE_VAL};
    return least;
}

static int pair_between(const gmc_model *model, const gmc_contact *contact,
                        const gmc_measure_friction *friction)
{
    int a = model->geoms[contact->point.geom_a].surface;
    int b = model->geoms[contact->point.geom_b].surface;
    return friction->pair_of[a * friction->surface_count + b];
}

static void add_contact(const gmc_contact *contact, int at, gmc_measure_touch *touch)
{
    double N = contact->impulse[0], t1 = contact->impulse[1], t2 = contact->impulse[2];
    double T = sqrt(contact->extra ? gmc_contact_along_grain2(contact) : t1 * t1 + t2 * t2);
    double S = contact->mode == GMC_CONTACT_SLIP ? N : 0;
    touch->is_touching = true;
    touch->total += N;
    if (!contact->is_impact) {
        touch->is_borne = true;
        touch->normal[at] += N;
        touch->friction[at] += T;
        touch->slid[at] += S;
        return;
    }
    if (!(touch->blow_normal > 0)) touch->pressed += GMC_MEASURE_WINDOW;
    touch->blow_normal += N;
    touch->blow_friction += T;
    touch->blow_slid += S;
}

static void add_touch_impulses(const gmc_world *world, int at, gmc_measure_friction *friction)
{
    gmc_measure_touch *touch = NULL;
    for (int i = 0; i < world->contacts.count; i++) {
        const gmc_contact *c = &world->contacts.contacts[i];
        int pair = c->impulse[0] > 0 ? pair_between(world->model, c, friction) : -1;
        if (pair < 0) continue;
        int a = c->body_a, b = c->body_b;
        if (a > b) a = c->body_b, b = c->body_a;
        if (!touch || touch->a != a || touch->b != b || touch->pair != pair)
            touch = touch_of(a, b, pair, friction);
        add_contact(c, at, touch);
    }
}

static void add_time(double span, gmc_measure_touch *touch)
{
    if (touch->is_touching && touch->quiet >= GMC_MEASURE_WINDOW) touch->age = 0;
    touch->quiet = touch->is_touching ? 0 : touch->quiet + span;
    touch->age += span;
    if (touch->is_borne) touch->pressed += span;
    if (touch->blow_normal > 0) touch->blow_age += span;
}

/// @param time  that N, T and S are of [s]
static void measure_judge(const gmc_measure_touch *touch, double time, double N, double T, double S,
                          gmc_measure_friction *friction)
{
    double mean = touch->total * time / (touch->pressed > time ? touch->pressed : time);
    double load = N > FADED * mean ? N : FADED * mean;
    if (!(load > 0)) return;
    if (T > load * friction->needed[touch->pair]) friction->needed[touch->pair] = T / load;
    if (2 * S > load) friction->slipped[touch->pair] = true;
}

/// @param ago  that the window ended before now [s]
static void judge_window(const gmc_measure_window *window, double ago,
                         const gmc_measure_touch *touch, gmc_measure_friction *friction)
{
    const double *const impulses[3] = {touch->normal, touch->friction, touch->slid};
    double time, sums[3]; // N, T and S
    gmc_measure_window_sums(window, impulses, ago, sums, &time);
    measure_judge(touch, time, sums[0], sums[1], sums[2], friction);
}

static void judge_blow(gmc_measure_touch *touch, gmc_measure_friction *friction)
{
    measure_judge(touch, GMC_MEASURE_WINDOW, touch->blow_normal, touch->blow_friction,
                  touch->blow_slid, friction);
    touch->blow_normal = touch->blow_friction = touch->blow_slid = touch->blow_age = 0;
}

/// Has so much time passed, but for rounding of the sum?
static bool is_whole(double time) { return time > (1 - 1e-9) * GMC_MEASURE_WINDOW; }

/// After an accepted step that the window knows, whose impulses acted over `span` [s].
/// @param is_new  gmc_measure_window_open of this step
static void measure_friction_step(const gmc_world *world, const gmc_measure_window *window,
                                  double span, bool is_new, gmc_measure_friction *friction)
{
    if (is_new) open_friction_step(window->at, friction);
    add_touch_impulses(world, window->at, friction);
    for (int i = 0; i < friction->count; i++) {
        gmc_measure_touch *touch = &friction->touches[i];
        add_time(span, touch);
        if (is_whole(touch->blow_age)) judge_blow(touch, friction);
        if (is_whole(touch->age)) {
            double ago = touch->age - GMC_MEASURE_WINDOW;
            if (!is_whole(touch->age - span))
                judge_window(window, ago > 0 && ago < span ? ago : 0, touch, friction);
            if (touch->is_borne) judge_window(window, 0, touch, friction);
        }
        touch->is_touching = touch->is_borne = false;
    }
}

/// At the end: what has touched for less than a window counts as it is.
static void measure_friction_finish(const gmc_measure_window *window,
                                    gmc_measure_friction *friction)
{
    for (int i = 0; i < friction->count; i++) {
        gmc_measure_touch *touch = &friction->touches[i];
        if (touch->blow_normal > 0) judge_blow(touch, friction);
        if (!is_whole(touch->age)) judge_window(window, 0, touch, friction);
    }
}

// ---- energy ------------------------------------------------------------------------------------
//
// Energy balance of a trial: of the bodies that have a free dof, from its start to the middle of
// its last step (gmc_step_energy). Both columns are relative to the largest of: work of drives in
// absolute value, change of potential energy, peak kinetic energy, 1e-6 J.

/// Trials in which less happens are measured by this: 1 g lifted by 0.1 mm [J].
static const double LEAST = 1e-6;

void gmc_measure_energy_step(const gmc_step_energy *step, gmc_measure_energy *sum)
{
    if (!step->is_known) sum->is_unknown = true;
    double given = step->drives + step->gravity;
    double gone = step->loss + step->scheme + step->kinetic_change + step->elastic_change;
    sum->steps++;
    sum->drives += fabs(step->drives);
    sum->gravity += step->gravity;
    sum->missing += given - gone;
    sum->scheme += step->scheme;
    sum->peak = gmc_max(step->kinetic, sum->peak);
}

void gmc_measure_energy_finish(const gmc_measure_energy *sum, double *balance, double *scheme,
                               double *size)
{
    *balance = *scheme = *size = NAN;
    if (sum->is_unknown || sum->steps == 0) return;
    *size = fmax(fmax(sum->drives, fabs(sum->gravity)), fmax(sum->peak, LEAST));
    *balance = sum->missing / *size;
    *scheme = sum->scheme / *size;
}

// ---- all of them -------------------------------------------------------------------------------

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

// An arena within the arena, where a measure of what contacts can hold is asked for.
static gmc_status measure_work_create(const gmc_measure_plan *plan, int contact_max,
                                      gmc_arena *arena, gmc_arena **work)
{
    size_t bytes = gmc_measure_quality_bytes(plan, contact_max);
    for (int i = 0; i < plan->asked_count; i++) {
        if (!gmc_measure_is_quality(plan->asked[i].kind) || *work) continue;
        *work = GMC_NEW(arena, 1, gmc_arena);
        unsigned char *memory = GMC_ROOM(arena, bytes, unsigned char);
        if (!*work || !memory) return GMC_E_ARENA_FULL;
        **work = (gmc_arena){.memory = memory, .capacity = bytes};
    }
    return GMC_OK;
}

gmc_status gmc_measure_create(const gmc_measure_plan *plan, const gmc_world *world,
                              gmc_arena *arena, gmc_measure_state *state)
{
    const gmc_model *model = world->model;
    *state = (gmc_measure_state){0};
    size_t bodies = (size_t)model->body_count, surfaces = (size_t)model->surface_count;
    int asked = plan->asked_count;
    state->X_start = GMC_NEW(arena, bodies, gmc_pose);
    state->com_start = GMC_NEW(arena, bodies, gmc_vec3);
    state->X_slip = GMC_NEW(arena, bodies, gmc_pose);
    state->current = GMC_NEW(arena, asked, double);
    state->summary = GMC_NEW(arena, asked, double);
    state->place = GMC_NEW(arena, asked, gmc_vec3);
    state->touched = GMC_NEW(arena, asked, double);
    state->pair_of = GMC_NEW(arena, surfaces * surfaces, int);
    if (!state->X_start || !state->com_start || !state->X_slip || !state->current ||
        !state->summary || !state->pair_of || !state->place || !state->touched)
        return GMC_E_ARENA_FULL;
    number_pairs(plan, model->surface_count, state->pair_of);
    GMC_TRY(measure_work_create(plan, world->contacts.capacity, arena, &state->work));
    GMC_TRY(
        measure_friction_create(model, state->pair_of, plan->pair_count, arena, &state->friction));
    return measure_force_create(model, arena, &state->forces);
}

/// Pose of the hand's tool frame (or base) in the world; the world's frame if there is no hand.
static gmc_pose measure_hand_pose(const gmc_measure_plan *plan, const gmc_world *world)
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
    state->X_hand = state->X_hand_start = measure_hand_pose(plan, world);
    if (plan->object_body >= 0)
        state->p_last =
            gmc_pose_apply_inverse(&state->X_hand, world->kin.X_wb[plan->object_body].p);
    state->fixed[GMC_COLUMN_T_VIOLATED] = state->fixed[GMC_COLUMN_T_CLOSED] = NAN;
    state->fixed[GMC_COLUMN_T_DECIDED] = NAN;
    for (int i = 0; i < plan->asked_count; i++) {
        state->touched[i] = NAN;
        if (plan->asked[i].from > 0 || plan->asked[i].at > 0) state->summary[i] = NAN;
    }
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

void gmc_measure_phases(const gmc_measure_plan *plan, const gmc_world *world, int over,
                        bool has_closed, gmc_measure_state *state)
{
    for (int i = 0; i < plan->asked_count && over > state->phases_over; i++) {
        const gmc_measure *m = &plan->asked[i];
        bool begins = m->since > state->phases_over && m->since <= over;
        if (m->kind == GMC_MEASURE_SINCE && begins) state->place[i] = centre_of(m->a, world, state);
    }
    int before = state->phases_over;
    state->phases_over = over;
    if (has_closed) {
        gmc_measure_count_slip(plan, world, state);
        state->fixed[GMC_COLUMN_T_CLOSED] = world->state.t;
    }
    for (int i = 0; i < plan->asked_count && over > before; i++) {
        const gmc_measure *m = &plan->asked[i];
        if (m->at > before && m->at <= over)
            state->summary[i] = gmc_measure_value(m, plan, world, state);
    }
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
             measure_force_step(world, &state->window, is_new, &state->forces));
    measure_friction_step(world, &state->window, span, is_new, &state->friction);
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
    double step = GMC_WORLD_REST_SPEED * h;
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

// When the hand last touched what is asked for.
static void measure_touches(const gmc_measure_plan *plan, const gmc_world *world,
                            gmc_measure_state *state)
{
    for (int i = 0; i < plan->asked_count; i++) {
        const gmc_measure touch = {.a = plan->asked[i].a, .b = GMC_BODY_HAND};
        if (plan->asked[i].kind == GMC_MEASURE_LOST && do_touch(&touch, plan, world))
            state->touched[i] = world->state.t;
    }
}

// Measures whose column is their extreme over all steps.
static void measure_asked(const gmc_measure_plan *plan, const gmc_world *world, bool is_first,
                          gmc_measure_state *state)
{
    for (int i = 0; i < plan->asked_count; i++) {
        int from = plan->asked[i].from;
        if (plan->statistics[i] == GMC_STAT_END || state->phases_over < from) continue;
        double value = gmc_measure_value(&plan->asked[i], plan, world, state);
        double *worst = &state->summary[i];
        bool is_worse = plan->statistics[i] == GMC_STAT_MAX ? value > *worst : value < *worst;
        if (is_first || is_worse || (from > 0 && isnan(*worst))) *worst = value;
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
    state->X_hand = measure_hand_pose(plan, world);
    state->lag = report->lag;
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
    measure_touches(plan, world, state);
    measure_asked(plan, world, is_first, state);
}

// |R - R'| (Frobenius) of two rotations that differ by an angle θ is 2√2 sin(θ/2).
static double turn_of(double turn2) { return 2 * gmc_asin(fmin(sqrt(turn2 / 8), 1)); }

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
    state->fixed[GMC_COLUMN_SLIP_ANGLE] = turn_of(state->turn2);
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
        bool is_known = plan->asked[i].at <= state->phases_over || state->is_settled;
        if (plan->statistics[i] == GMC_STAT_END && is_known)
            state->summary[i] = gmc_measure_asked(plan, i, world, state);
        if (plan->statistics[i] == GMC_STAT_END) state->current[i] = state->summary[i];
        if (plan->asked[i].from > 0 && isnan(state->summary[i]) && state->is_settled)
            state->summary[i] = gmc_measure_value(&plan->asked[i], plan, world, state);
        values[k++] = state->summary[i];
    }
    measure_friction_finish(&state->window, &state->friction);
    for (int i = 0; i < plan->pair_count; i++) {
        values[k++] = state->friction.needed[i];
        values[k++] = state->friction.slipped[i];
    }
}

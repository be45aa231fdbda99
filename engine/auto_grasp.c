// The fingers advance together in steps of at most a hundredth of a radian, 1.5 mm at a finger of
// 150 mm. A step in which something would overlap is halved until it is a millionth of a radian;
// what then still would has met: its joints stop before that step, and the rest goes on. Moving
// each finger as far as its nearest distance allows takes fewer steps, but distances cost more
// than contacts that are within reach.
#include "engine/auto_grasp.h"

#include <math.h>

/// A joint that closes, or that follows one.
typedef struct closing_joint {
    int dof, q;
    double rate;         ///< of its coordinate, per radian of a finger's joint [1, m/rad]
    double lower, upper; ///< where it stops at the latest [m, rad]
    bool is_on;
    int leader;       ///< of a follower: its joint in the list; -1: none
    double alone;     ///< of a follower: rate once the leader has stopped; 0: it stops, too
    double q_last;    ///< before the step that is tried
    bool is_touching; ///< a link that it moves would overlap in this step
} closing_joint;

typedef struct closing {
    const gmc_rollout_input *input;
    gmc_world world;
    gmc_arena *scratch;
    gmc_contact_point *points; ///< (capacity of the world's contacts) of the last look
    int point_count;
    closing_joint *joints; ///< (joint_count) followers behind their leaders
    int joint_count;
} closing;

static const double STEP_MAX = 1e-2, STEP_MIN = 1e-6; // [rad]
static const double SLIDE = 0.1;                      // of a sliding joint [m/rad]

// ---- who moves ---------------------------------------------------------------------------------

/// The body whose joint has the dof for itself.
static const gmc_body *body_of(const gmc_model *model, int dof)
{
    for (int b = 1; b < model->body_count; b++)
        if (!model->bodies[b].is_mimic && model->bodies[b].v == dof &&
            gmc_joint_v_count(model->bodies[b].joint) == 1)
            return &model->bodies[b];
    return NULL;
}

/// @param rate  of its coordinate [1], times what makes metres of it where it slides
static void add_joint(closing *c, int dof, double rate, int leader, double alone)
{
    const double turn = 6.28318530717958647692;
    const gmc_model *model = c->world.model;
    const gmc_body *body = body_of(model, dof);
    if (!body) return;
    double scale = body->joint == GMC_JOINT_PRISMATIC && leader < 0 ? SLIDE : 1;
    double q = c->world.state.q[body->q];
    double most = body->joint == GMC_JOINT_PRISMATIC ? 1 : turn; // without a limit
    c->joints[c->joint_count++] = (closing_joint){.dof = dof,
                                                  .q = body->q,
                                                  .rate = rate * scale,
                                                  .lower = fmax(model->dofs[dof].lower, q - most),
                                                  .upper = fmin(model->dofs[dof].upper, q + most),
                                                  .is_on = true,
                                                  .leader = leader,
                                                  .alone = alone};
}

static gmc_status list_joints(closing *c)
{
    const gmc_program *program = c->input->program;
    c->joints = GMC_ROOM(c->scratch, program->finger_count + program->gear_count, closing_joint);
    if (!c->joints) return GMC_E_ARENA_FULL;
    for (int i = 0; i < program->finger_count; i++) {
        const gmc_finger *finger = &program->fingers[i];
        int leader = c->joint_count;
        add_joint(c, finger->dof, finger->closing, -1, 0);
        if (c->joint_count == leader) continue;
        double rate = c->joints[leader].rate;
        for (int k = 0; k < program->gear_count; k++) {
            const gmc_gear *gear = &program->gears[k];
            if (gear->leader != finger->dof) continue;
            double alone = isfinite(gear->breakaway) ? gear->alone * rate : 0;
            add_joint(c, gear->follower, gear->ratio * rate, leader, alone);
        }
    }
    return GMC_OK;
}

/// Does the joint of a dof move a body?
static bool moves(const gmc_kinematics *kin, int dof, int body)
{
    for (int k = kin->chain_start[body]; k < kin->chain_start[body + 1]; k++)
        if (kin->axis_dof[kin->chain[k]] == dof) return true;
    return false;
}

// ---- where it meets something ------------------------------------------------------------------

static gmc_status look(closing *c, double reach)
{
    gmc_world *world = &c->world;
    gmc_kinematics_update(world->model, world->state.q, NULL, &world->kin);
    gmc_collider_scene scene = {.model = world->model, .X_wb = world->kin.X_wb, .reach = reach};
    return gmc_collider_find(world->collider, &scene, c->points, world->contacts.capacity,
                             &c->point_count);
}

/// The body of the hand at a point that another one, which is not of the hand, meets there; -1.
static int hand_at(const closing *c, const gmc_contact_point *point, int *other)
{
    const bool *is_hand = c->input->measures->is_hand;
    int a = c->world.model->geoms[point->geom_a].body,
        b = c->world.model->geoms[point->geom_b].body;
    if (is_hand[a] == is_hand[b]) return -1;
    *other = is_hand[a] ? b : a;
    return is_hand[a] ? a : b;
}

/// @return does a link that a joint moves overlap with what is no part of the hand?
static bool find_touching(closing *c)
{
    bool is_any = false;
    for (int j = 0; j < c->joint_count; j++)
        c->joints[j].is_touching = false;
    for (int i = 0; i < c->point_count; i++) {
        int other, body = c->points[i].gap <= 0 ? hand_at(c, &c->points[i], &other) : -1;
        if (body < 0) continue;
        for (int j = 0; j < c->joint_count; j++)
            if (c->joints[j].is_on && moves(&c->world.kin, c->joints[j].dof, body))
                is_any = c->joints[j].is_touching = true;
    }
    return is_any;
}

// ---- the way -----------------------------------------------------------------------------------

static double rate_of(const closing *c, const closing_joint *joint)
{
    bool is_alone = joint->leader >= 0 && !c->joints[joint->leader].is_on;
    return is_alone ? joint->alone : joint->rate;
}

static void advance(closing *c, double step)
{
    for (int j = 0; j < c->joint_count; j++) {
        closing_joint *joint = &c->joints[j];
        double *q = &c->world.state.q[joint->q];
        joint->q_last = *q;
        if (joint->is_on)
            *q = fmin(fmax(*q + step * rate_of(c, joint), joint->lower), joint->upper);
    }
}

static void go_back(closing *c)
{
    for (int j = 0; j < c->joint_count; j++)
        c->world.state.q[c->joints[j].q] = c->joints[j].q_last;
}

/// What stops with what: a drive whose follower is stopped, a follower without a clutch.
static void stop_coupled(closing *c)
{
    for (int j = 0; j < c->joint_count; j++) {
        closing_joint *joint = &c->joints[j];
        if (joint->leader >= 0 && !joint->is_on) c->joints[joint->leader].is_on = false;
    }
    for (int j = 0; j < c->joint_count; j++)
        if (c->joints[j].is_on && rate_of(c, &c->joints[j]) == 0) c->joints[j].is_on = false;
}

static void stop_at_limits(closing *c)
{
    for (int j = 0; j < c->joint_count; j++) {
        closing_joint *joint = &c->joints[j];
        double q = c->world.state.q[joint->q], rate = rate_of(c, joint);
        if (rate > 0 ? q >= joint->upper : q <= joint->lower) joint->is_on = false;
    }
    stop_coupled(c);
}

static bool is_under_way(const closing *c)
{
    for (int j = 0; j < c->joint_count; j++)
        if (c->joints[j].is_on) return true;
    return false;
}

static gmc_status close_fingers(closing *c)
{
    double step = STEP_MAX;
    while (is_under_way(c)) {
        advance(c, step);
        GMC_TRY(look(c, 0));
        if (!find_touching(c)) {
            stop_at_limits(c);
            step = fmin(2 * step, STEP_MAX);
            continue;
        }
        go_back(c);
        step = step / 2;
        if (step > STEP_MIN) continue;
        for (int j = 0; j < c->joint_count; j++)
            if (c->joints[j].is_touching) c->joints[j].is_on = false;
        stop_coupled(c);
    }
    return GMC_OK;
}

// ---- what it is worth --------------------------------------------------------------------------

/// What touches the object presses on it; how hard plays no part.
static void press(closing *c, gmc_auto_grasp *found)
{
    gmc_contact_set *set = &c->world.contacts;
    int object = c->input->measures->object_body;
    gmc_contact_set_match(set, c->world.model, c->world.kin.X_wb, c->points, c->point_count);
    for (int i = 0; i < set->count; i++) {
        int other = -1, body = hand_at(c, &set->contacts[i].point, &other);
        if (body < 0 || other != object || set->contacts[i].point.gap > GMC_AUTO_GRASP_SHELL)
            continue;
        bool is_known = false;
        for (int k = 0; k < i && !is_known; k++) {
            const gmc_contact *before = &set->contacts[k];
            is_known = before->impulse[0] > 0 && (before->body_a == body || before->body_b == body);
        }
        set->contacts[i].impulse[0] = 1;
        found->point_count++;
        found->link_count += !is_known;
    }
}

static gmc_status measure(closing *c, gmc_arena *trial, gmc_auto_grasp *found)
{
    enum { CLOSURE, EPSILON, VOLUME, FRICTION, ASKED };
    const gmc_measure_kind kinds[ASKED] = {GMC_MEASURE_CLOSURE, GMC_MEASURE_EPSILON,
                                           GMC_MEASURE_VOLUME, GMC_MEASURE_CLOSING};
    gmc_measure asked[ASKED];
    gmc_statistic ends[ASKED] = {GMC_STAT_END};
    double values[ASKED];
    gmc_measure_state state;
    gmc_measure_plan plan = *c->input->measures;
    for (int i = 0; i < ASKED; i++)
        asked[i] = (gmc_measure){.kind = kinds[i], .a = plan.object_body};
    plan.asked = asked;
    plan.statistics = ends;
    plan.asked_count = ASKED;
    GMC_TRY(gmc_measure_create(&plan, &c->world, trial, &state));
    for (int i = 0; i < ASKED; i++)
        values[i] = gmc_measure_value(&asked[i], &plan, &c->world, &state);
    found->is_closed = values[CLOSURE] > 0;
    found->epsilon = values[EPSILON];
    found->volume = values[VOLUME];
    found->friction = values[FRICTION];
    return GMC_OK;
}

gmc_status gmc_auto_grasp_find(const gmc_rollout_input *input, gmc_arena *trial, gmc_arena *scratch,
                               gmc_auto_grasp *found)
{
    closing c = {.input = input, .scratch = scratch};
    gmc_arena_reset(scratch, 0);
    GMC_TRY(
        input->options.stepper->create(input->model, input->options.contact_max, trial, &c.world));
    *found = (gmc_auto_grasp){.epsilon = -1, .friction = INFINITY, .q = c.world.state.q};
    if (!input->measures->is_hand || input->measures->object_body < 0) return GMC_OK;
    c.points = GMC_NEW(scratch, c.world.contacts.capacity, gmc_contact_point);
    if (!c.points) return GMC_E_ARENA_FULL;
    GMC_TRY(list_joints(&c));
    GMC_TRY(close_fingers(&c));
    GMC_TRY(look(&c, GMC_AUTO_GRASP_SHELL));
    press(&c, found);
    return measure(&c, trial, found);
}

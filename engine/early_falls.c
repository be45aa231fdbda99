// Nothing can catch what falls freely with everything else above it: bodies fall no faster than it,
// and the hand comes down no farther than the rest of its program says. Bounds are coarse, and
// where one would take thought (a hand that turns a joint, other loose bodies, a plane) there is
// none and the trial runs on: it costs some tenths of a second until the object has left the
// workspace.
#include "engine/collision/shape.h"
#include "engine/early.h"

#include <math.h>

// The step's way of falling differs from the parabola by g h t / 2: 5 % of a metre at 4 ms.
static const double REACH_FACTOR = 1.05;
// How far the hand may hang behind its reference: a servo of 1e4 N/m under 500 N [m].
static const double HAND_LAG = 0.05;

/// How low things are, along gravity: larger is lower [m].
typedef struct fall {
    gmc_vec3 down;
    double object_top; ///< of the ball about its centre of mass that holds it however it turns
    double hand_low;   ///< where the hand may yet come
} fall;

static bool touches_something(const gmc_world *world, int object)
{
    for (int i = 0; i < world->contacts.count; i++) {
        const gmc_contact *c = &world->contacts.contacts[i];
        if (c->impulse[0] > 0 && (c->body_a == object || c->body_b == object)) return true;
    }
    return false;
}

static gmc_vec3 geom_centre(const gmc_world *world, const gmc_geom *geom)
{
    gmc_vec3 in_body = gmc_pose_apply(&geom->X_bg, gmc_shape_centre(&geom->shape));
    return gmc_pose_apply(&world->kin.X_wb[geom->body], in_body);
}

// How far the rest of the program may lower the hand, but for turns about the tool point; infinite
// where that takes more than a look at its phases.
static double descent(const gmc_early_view *view, gmc_vec3 down)
{
    double sum = HAND_LAG;
    for (int i = view->at->phase; i < view->program->phase_count; i++) {
        const gmc_phase *phase = &view->program->phases[i];
        switch (phase->type) {
        case GMC_PROGRAM_MOVE:
            sum += phase->in_hand_frame ? gmc_vec3_norm(phase->by)
                                        : fmax(gmc_vec3_dot(phase->by, down), 0);
            break;
        case GMC_PROGRAM_SHAKE:
            if (!phase->is_rotation) sum += fabs(phase->amount);
            break;
        case GMC_PROGRAM_JOINT_MOVE:
        case GMC_PROGRAM_JOINT_SHAKE:
            if (view->world->model->bodies[view->at->body_of[phase->dof]].joint !=
                GMC_JOINT_PRISMATIC)
                return INFINITY;
            sum += fabs(phase->amount);
            break;
        case GMC_PROGRAM_SET:
            for (int k = 0; k < phase->set_count; k++)
                if (phase->sets[k].kind != GMC_SET_FRICTION) return INFINITY;
            break;
        case GMC_PROGRAM_GRIP:
        case GMC_PROGRAM_TURN:
        case GMC_PROGRAM_HOLD:
            break;
        }
    }
    return sum;
}

// Are all geoms that could touch the object above it, and do they stay there?
static bool is_below_all(const gmc_early_view *view, fall *f)
{
    const gmc_world *world = view->world;
    const gmc_model *model = world->model;
    const gmc_measure_plan *plan = view->plan;
    gmc_vec3 tool = view->measures->X_hand.p, com = world->kin.com_w[plan->object_body];
    double radius = 0, hand_radius = 0;
    for (int i = 0; i < model->geom_count; i++) {
        const gmc_geom *geom = &model->geoms[i];
        bool is_hand = plan->is_hand && plan->is_hand[geom->body];
        gmc_vec3 centre = geom_centre(world, geom);
        gmc_vec3 from = geom->body == plan->object_body ? com : tool;
        double far = gmc_vec3_norm(gmc_vec3_sub(centre, from)) + gmc_shape_radius(&geom->shape);
        if (geom->body == plan->object_body)
            radius = fmax(radius, far);
        else if (is_hand)
            hand_radius = fmax(hand_radius, far);
    }
    f->object_top = gmc_vec3_dot(com, f->down) - radius;
    // however the hand turns and its fingers move, which lengthens it to twice its size at most
    double lower = descent(view, f->down);
    f->hand_low = gmc_vec3_dot(tool, f->down) + 2 * hand_radius + lower;
    if (isinf(lower)) return false;
    if (hand_radius > 0 && !(f->hand_low < f->object_top)) return false;

    for (int i = 0; i < model->geom_count; i++) {
        const gmc_geom *geom = &model->geoms[i];
        if (geom->body == plan->object_body || (plan->is_hand && plan->is_hand[geom->body]))
            continue;
        double low = gmc_vec3_dot(geom_centre(world, geom), f->down) +
                     gmc_shape_radius(&geom->shape); // infinite for a plane
        if (!gmc_model_is_static(model, geom->body) || !(low < f->object_top)) return false;
    }
    return true;
}

// Shortest time that the program still takes: an event may end its phase at once.
static double least_time_left(const gmc_early_view *view)
{
    double left = 0, t = view->world->state.t;
    for (int i = view->at->phase; i < view->program->phase_count; i++) {
        const gmc_phase *phase = &view->program->phases[i];
        if (phase->end != GMC_END_TIME) continue;
        left += phase->duration - (i == view->at->phase ? t - view->at->phase_start : 0);
    }
    return left;
}

bool gmc_early_falls(const gmc_early_view *view)
{
    const gmc_world *world = view->world;
    int object = view->plan->object_body;
    gmc_vec3 g = world->model->gravity;
    double g_size = gmc_vec3_norm(g);
    if (object < 0 || !(g_size > 0) || touches_something(world, object)) return false;
    if (world->model->bodies[object].parent != 0) return false;

    fall f = {.down = gmc_vec3_scale(1 / g_size, g)};
    gmc_vec3 com = world->kin.com_w[object];
    gmc_vec3 velocity = gmc_twist_at(&world->kin.V[object], com);
    if (gmc_vec3_dot(velocity, f.down) < 0 || !is_below_all(view, &f)) return false;

    // where a parabola ends, if the program lasts as short as it can
    double left = least_time_left(view), reach = REACH_FACTOR * view->workspace;
    gmc_vec3 end =
        gmc_vec3_add_scaled(gmc_vec3_add_scaled(com, left, velocity), left * left / 2, g);
    gmc_vec3 way = gmc_vec3_sub(end, view->measures->com_start[object]);
    double under_hand = gmc_vec3_dot(end, f.down) - f.hand_low;
    return gmc_vec3_norm(way) > reach && (view->plan->hand_body < 0 || under_hand > reach);
}

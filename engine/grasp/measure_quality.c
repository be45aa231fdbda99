// Measures of what the hand's contacts can hold (wrench.h), now. The contacts are the points at
// which the hand pressed on the body in the last step, each with the largest friction of its own
// pair; what stands around does not count: a table bears, but does not grasp. Their forces play no
// part, only where they are.
#include "engine/grasp/measure_internal.h"
#include "engine/math/elementary.h"

#include <math.h>

// ---- the largest radius ------------------------------------------------------------------------

// Distance from c of the farthest point of a circle about z at height z, in the circle's frame.
static double radius_of_rim(gmc_vec3 c, double radius, double z)
{
    double across = sqrt(c.x * c.x + c.y * c.y) + radius, along = c.z - z;
    return sqrt(across * across + along * along);
}

static double radius_of_polytope(const gmc_shape *shape, gmc_vec3 c)
{
    double most = 0;
    for (int i = 0; i < shape->polytope->vertex_count; i++) {
        gmc_vec3 vertex = gmc_vec3_scale(shape->scale, shape->polytope->vertices[i]);
        most = gmc_max(most, gmc_vec3_norm(gmc_vec3_sub(vertex, c)));
    }
    return most;
}

static double radius_of_polygon(const gmc_shape *shape, gmc_vec3 c)
{
    double most = 0;
    for (int i = 0; i < shape->polygon->count; i++) {
        gmc_vec2 vertex = shape->polygon->vertices[i];
        double x = shape->scale * vertex.x - c.x, y = shape->scale * vertex.y - c.y;
        most = gmc_max(most, sqrt(x * x + y * y));
    }
    return most;
}

// Points of the curve, two degrees apart: within 2e-4 of the largest.
static double radius_of_super_ellipse(const gmc_shape *shape, gmc_vec3 c)
{
    enum { POINTS = 180 };
    const double turn = 6.28318530717958647692;
    double most = 0;
    for (int i = 0; i < POINTS; i++) {
        double sine, cosine;
        gmc_sin_cos(turn * i / POINTS, &sine, &cosine);
        double size =
            gmc_pow(gmc_pow(fabs(cosine), shape->exponent) + gmc_pow(fabs(sine), shape->exponent),
                    -1 / shape->exponent);
        double x = size * cosine * shape->half.x - c.x, y = size * sine * shape->half.y - c.y;
        most = gmc_max(most, sqrt(x * x + y * y));
    }
    return most;
}

/// Largest distance of a shape's points from c, in its frame; of planar shapes in the plane [m].
static double radius_of_shape(const gmc_shape *shape, gmc_vec3 c)
{
    const gmc_vec3 flat = {c.x, c.y, 0};
    switch (shape->type) {
    case GMC_SHAPE_SPHERE:
        return gmc_vec3_norm(c) + shape->radius;
    case GMC_SHAPE_CAPSULE:
        return radius_of_rim(c, 0, c.z > 0 ? -shape->half_length : shape->half_length) +
               shape->radius;
    case GMC_SHAPE_BOX: {
        gmc_vec3 corner = {fabs(c.x) + shape->half.x, fabs(c.y) + shape->half.y,
                           fabs(c.z) + shape->half.z};
        return gmc_vec3_norm(corner);
    }
    case GMC_SHAPE_CYLINDER:
        return radius_of_rim(c, shape->radius, c.z > 0 ? -shape->half_length : shape->half_length);
    case GMC_SHAPE_POLYTOPE:
        return radius_of_polytope(shape, c);
    case GMC_SHAPE_POLYGON:
        return radius_of_polygon(shape, c);
    case GMC_SHAPE_CIRCLE:
        return gmc_vec3_norm(flat) + shape->radius;
    case GMC_SHAPE_SUPER_ELLIPSE:
        return radius_of_super_ellipse(shape, c);
    case GMC_SHAPE_PLANE: // never on a body that moves
    case GMC_SHAPE_COUNT:
        break;
    }
    return 0;
}

static double radius_of_body(const gmc_model *model, int body)
{
    double most = 0;
    for (int i = 0; i < model->geom_count; i++) {
        const gmc_geom *geom = &model->geoms[i];
        if (geom->body != body) continue;
        gmc_vec3 c = gmc_pose_apply_inverse(&geom->X_bg, model->bodies[body].inertia.com);
        most = gmc_max(most, radius_of_shape(&geom->shape, c));
    }
    return most;
}

// ---- contacts ----------------------------------------------------------------------------------

static bool is_of_grasp(const gmc_contact *c, int body, const gmc_measure_plan *plan)
{
    int other = c->body_a == body ? c->body_b : c->body_b == body ? c->body_a : -1;
    return other >= 0 && c->impulse[0] > 0 && plan->is_hand && plan->is_hand[other];
}

// Where the body's centre of mass was when the contacts of the last step were looked for: that step
// went on from there with the velocity that the body has now. Beside where it is now the contacts
// of a body that moves at 0.2 m/s would lie 0.2 mm off.
static gmc_vec3 centre_of_contacts(int body, const gmc_world *world, const gmc_measure_state *state)
{
    gmc_vec3 velocity = gmc_twist_at(&world->kin.V[body], world->kin.com_w[body]);
    return gmc_vec3_sub(world->kin.com_w[body], gmc_vec3_scale(state->lag, velocity));
}

/// @return GMC_OK, GMC_E_ARENA_FULL
static gmc_status find_grasp(int body, const gmc_measure_plan *plan, const gmc_world *world,
                             const gmc_measure_state *state, gmc_wrench_grasp *grasp)
{
    gmc_arena *work = state->work;
    gmc_vec3 centre = centre_of_contacts(body, world, state);
    gmc_wrench_contact *contacts = GMC_ROOM(work, world->contacts.count, gmc_wrench_contact);
    if (!contacts) return GMC_E_ARENA_FULL;
    *grasp = (gmc_wrench_grasp){.contacts = contacts,
                                .edges = GMC_WRENCH_EDGES,
                                .radius = radius_of_body(world->model, body),
                                .is_planar = plan->is_flat};
    for (int i = 0; i < world->contacts.count; i++) {
        const gmc_contact *c = &world->contacts.contacts[i];
        if (!is_of_grasp(c, body, plan)) continue;
        gmc_vec3 n = c->body_b == body ? c->dir[0] : gmc_vec3_neg(c->dir[0]);
        contacts[grasp->count++] = (gmc_wrench_contact){.arm = gmc_vec3_sub(c->point.p, centre),
                                                        .normal = n,
                                                        .along = c->dir[1],
                                                        .friction = c->law.friction};
    }
    return GMC_OK;
}

// ---- values ------------------------------------------------------------------------------------

static gmc_status quality_of(const gmc_measure *m, const gmc_wrench_grasp *grasp, gmc_vec3 along,
                             gmc_arena *work, double *value)
{
    bool is_moment = m->kind == GMC_MEASURE_HOLDS_MOMENT, is_planar = grasp->is_planar;
    // about the centre of mass a force there has no moment
    const double load[GMC_WRENCH_DIMENSION] = {along.x, along.y, is_planar ? 0 : along.z};
    const double turn[GMC_WRENCH_DIMENSION] = {0,       0,       is_planar ? along.z : 0,
                                               along.x, along.y, along.z};
    gmc_wrench_norm norm = gmc_measure_is_each(m->kind) ? GMC_WRENCH_LINF : GMC_WRENCH_L1;
    bool is_epsilon = m->kind == GMC_MEASURE_EPSILON || m->kind == GMC_MEASURE_EPSILON_EACH;
    gmc_wrench_quality quality;
    bool closes;
    if (is_moment) {
        GMC_TRY(gmc_wrench_holds(grasp, turn, work, value));
        *value *= grasp->radius; // moments of wrenches are over it
        return GMC_OK;
    }
    if (m->kind == GMC_MEASURE_CLOSING) return gmc_wrench_least_friction(grasp, work, value);
    if (m->kind == GMC_MEASURE_HOLDS) return gmc_wrench_holds(grasp, load, work, value);
    if (m->kind == GMC_MEASURE_CLOSURE) {
        GMC_TRY(gmc_wrench_closes(grasp, work, &closes));
        *value = closes;
        return GMC_OK;
    }
    GMC_TRY(gmc_wrench_measure(grasp, norm, NULL, work, &quality));
    *value = is_epsilon ? quality.epsilon : quality.volume;
    return GMC_OK;
}

double gmc_measure_quality(const gmc_measure *m, const gmc_measure_plan *plan,
                           const gmc_world *world, const gmc_measure_state *state, gmc_vec3 along)
{
    gmc_arena *work = state->work;
    size_t mark = gmc_arena_mark(work);
    gmc_wrench_grasp grasp;
    double value = NAN;
    gmc_status status = find_grasp(m->a, plan, world, state, &grasp);
    if (status == GMC_OK) status = quality_of(m, &grasp, along, work, &value);
    gmc_arena_reset(work, mark);
    return status == GMC_OK ? value : (double)NAN;
}

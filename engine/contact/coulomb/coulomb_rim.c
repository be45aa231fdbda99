// A rim that rolls round on a face. Where it is lowest goes round with it, so the gap falls farther
// within a step than the material does that is lowest as it begins. With d the direction to the
// face, a the cylinder's axis, m the middle of its cap and o a point of the face, all of them as
// the bodies stand at the step's end,
//
//   gap' = (o' - m') · d' - R sqrt(1 - (a' · d')²)
//
// where row and law have gap + h u_N of the material. The difference, `drop`, is of second order in
// the turn but has one sign: of a thin disc that rolls at the tilt α with the rate Ω it is about
// -h² Ω² R sin α / 2. So each step began as much deeper. What pushes it out is a spring with a
// damper for what strikes (gmc_mechanism_settling, 2.4 ms for a can of 0.35 kg): the overlap stood at
// (h + τ)/h of the drop, which falls with h alone (a can that wobbles out after a fall of 20 mm:
// 3.2 mm at 4 ms, 0.3 mm at 0.25 ms; its springs sink in by 0.08 mm), and springs of such depth
// gave their energy to bodies as the rim went on.
//
// Along the tangents as well: the lowest point slips by what the material at its place as the step
// begins goes, on its arc, and by w x (way)/2 as it goes round. For friction to know only the
// former is to take what rolls for what slides, by 0.03 of 0.04 m/s: it pushed cans on by up to 40
// % of their energy.
//
// So both are parts of the bias: rows are about the lowest point in the middle of the step, under
// forces that act where it is as the step begins. That is the leapfrog with its constraint met at
// the end of each step, and forward and back in time it is the same. The motion that they are found
// from is that of the step before, then that of the solution, until both agree.
//
// The points of a cap are a quarter of a turn apart. The one that bears stands for the rim up to
// half way to the next: a step goes no farther (gmc_coulomb_rim_whirls). Where the cap tips over to
// its other side no point rolls round; what comes down there strikes.
//
// A cap that hardly leans stands: more than its lowest point bears, and there is nothing to follow.
// Followed all the same, cylinders of 1.5 kg and more that leaned by their springs alone tipped over
// at 0.5 to 0.7 of their slope. So the drop sets in with the lean, beyond what the springs give.
//
// Corners need none of this: the next one is a contact before it touches. Balls and the sides of
// rods that roll have none, for on them what the lowest point falls by is what the material rises
// by on its arc. Pads are left as they are: they press over an area.

#include "engine/collision/cylinder.h"
#include "engine/collision/pair.h"
#include "engine/contact/coulomb/coulomb_internal.h"

/// Half way to the next point of a cap (cosine, sine).
static const double HALF_WAY = 0.70710678118654752;

/// Below the first of these sines of its tilt all of a cap bears, from twice that on the rim alone.
static const double LEVEL = 0.002;

/// So does one whose middle is higher than its lowest point by less than this times the overlap of
/// that: 1 is where the points a quarter of a turn beside it lift.
static const double SUNK = 2;

/// The rim that a contact's point is on.
typedef struct rim {
    int body, other;
    double radius;
    gmc_vec3 axis, middle, q; ///< of the cylinder; of its cap; the contact's point on it
    gmc_vec3 o, d;            ///< the point on the other's face; from q to o, unit
} rim;

/// Is the contact one of a rim on a face? @param of_b  the rim is geom b's
static bool is_of_rim(const gmc_model *model, const gmc_contact *contact, bool *of_b)
{
    const gmc_contact_point *point = &contact->point;
    unsigned kind = (unsigned)(point->feature >> 62);
    bool is_second = kind == GMC_FEATURE_VERTEX_B;
    if (!is_second && kind != GMC_FEATURE_VERTEX_A) return false;
    // a plane is the second one, whichever comes first (primitive.c)
    *of_b = is_second || model->geoms[point->geom_a].shape.type == GMC_SHAPE_PLANE;
    const gmc_geom *geom = &model->geoms[*of_b ? point->geom_b : point->geom_a];
    uint64_t number = (is_second ? point->feature : point->feature >> 31) & 0x7fffffffu;
    return geom->shape.type == GMC_SHAPE_CYLINDER && number >= GMC_CYLINDER_TILTED &&
           number < GMC_CYLINDER_RIM;
}

/// May it roll round? What comes down anew does not yet, and pads press over an area.
static bool rolls(const gmc_contact *contact)
{
    bool is_on_pad = contact->extra && contact->law.extra->pad > 0;
    return contact->impulse[0] > 0 && !contact->is_impact && !is_on_pad;
}

static rim rim_of(const gmc_world *world, const gmc_contact *contact, bool of_b)
{
    const gmc_contact_point *point = &contact->point;
    const gmc_geom *geom = &world->model->geoms[of_b ? point->geom_b : point->geom_a];
    rim r = {.body = of_b ? contact->body_b : contact->body_a,
             .other = of_b ? contact->body_a : contact->body_b,
             .radius = geom->shape.radius,
             .d = of_b ? gmc_vec3_neg(point->n) : point->n};
    gmc_pose X_wg = gmc_pose_multiply(&world->kin.X_wb[r.body], &geom->X_bg);
    r.axis = gmc_mat3_column(&X_wg.R, 2);
    r.q = gmc_vec3_add_scaled(point->p, -0.5 * point->gap, r.d);
    r.o = gmc_vec3_add_scaled(point->p, 0.5 * point->gap, r.d);
    double side = gmc_vec3_dot(gmc_vec3_sub(r.q, X_wg.p), r.axis) > 0 ? 1 : -1;
    r.middle = gmc_vec3_add_scaled(X_wg.p, side * geom->shape.half_length, r.axis);
    return r;
}

/// How much of a rim it is that bears: 0 none, the cap does; 1 its lowest point alone.
static double share_of(const rim *r, const gmc_contact *contact)
{
    double up = gmc_vec3_dot(r->axis, r->d);
    gmc_vec3 side = gmc_vec3_add_scaled(r->d, -up, r->axis);
    double tilt = gmc_vec3_norm(side), below = r->radius * tilt;
    below -= gmc_vec3_dot(gmc_vec3_sub(r->q, r->middle), side); // the lowest point below this
    double level = gmc_max(LEVEL, SUNK * (below - gmc_coulomb_contact_gap(contact)) / r->radius);
    double x = gmc_min(gmc_max(tilt / level - 1, 0), 1);
    return x * x * (3 - 2 * x);
}

bool gmc_coulomb_rim_has(const gmc_world *world, const gmc_contact *contact)
{
    bool of_b;
    if (!is_of_rim(world->model, contact, &of_b)) return false;
    rim r = rim_of(world, contact, of_b);
    return share_of(&r, contact) > 0;
}

static gmc_mat3 turn_of(const gmc_twist *V, double h)
{
    return gmc_quat_matrix(gmc_quat_exp(gmc_vec3_scale(h, V->w)));
}

/// A point of a body at the end of the step, as its mass centre goes straight on.
static gmc_vec3 moved(const gmc_world *world, int body, const gmc_twist *V, const gmc_mat3 *turn,
                      double h, gmc_vec3 p)
{
    gmc_vec3 com = world->kin.com_w[body], arm = gmc_vec3_sub(p, com);
    com = gmc_vec3_add_scaled(com, h, gmc_twist_at(V, com));
    return gmc_vec3_add(com, gmc_mat3_apply(turn, arm));
}

/// From the cap's middle to where the rim near a point of it is lowest, in its plane.
/// @param out   from the middle to the point
/// @param side  unit: to the lowest point of all of the rim
static gmc_vec3 lowest_near(gmc_vec3 out, gmc_vec3 side, double radius)
{
    double along = gmc_vec3_dot(out, side) / radius;
    if (along >= HALF_WAY) return gmc_vec3_scale(radius, side);
    gmc_vec3 across = gmc_vec3_add_scaled(side, -along / radius, out);
    double size = gmc_vec3_norm(across);
    gmc_vec3 edge = gmc_vec3_scale(HALF_WAY, out);
    return size > 0 ? gmc_vec3_add_scaled(edge, HALF_WAY * radius / size, across) : edge;
}

static gmc_vec3 drop_of(const gmc_world *world, double h, const gmc_contact *contact, bool of_b,
                        const gmc_twist *V_a, const gmc_twist *V_b)
{
    rim r = rim_of(world, contact, of_b);
    double share = share_of(&r, contact);
    if (share == 0) return (gmc_vec3){0, 0, 0};
    const gmc_twist *V = of_b ? V_b : V_a, *V_other = of_b ? V_a : V_b;
    gmc_mat3 turn = turn_of(V, h), turn_other = turn_of(V_other, h);
    gmc_vec3 d = gmc_mat3_apply(&turn_other, r.d), axis = gmc_mat3_apply(&turn, r.axis);
    gmc_vec3 side = gmc_vec3_add_scaled(d, -gmc_vec3_dot(axis, d), axis);
    double tilt = gmc_vec3_norm(side);
    if (!(tilt > 0)) return (gmc_vec3){0, 0, 0};
    gmc_vec3 out = gmc_mat3_apply(&turn, gmc_vec3_sub(r.q, r.middle));
    // it tips over the whole cap: others come down, and strike
    if (!(gmc_vec3_dot(out, side) > 0)) return (gmc_vec3){0, 0, 0};
    gmc_vec3 low = lowest_near(out, gmc_vec3_scale(1 / tilt, side), r.radius);
    gmc_vec3 o = moved(world, r.other, V_other, &turn_other, h, r.o);
    gmc_vec3 middle = moved(world, r.body, V, &turn, h, r.middle);
    double gap = gmc_vec3_dot(gmc_vec3_sub(gmc_vec3_sub(o, middle), low), d);
    gmc_twist apart = gmc_twist_add_scaled(*V_b, -1, *V_a);
    double u = gmc_vec3_dot(contact->dir[0], gmc_twist_at(&apart, contact->point.p));
    // as gmc_contact_follow has it
    gmc_vec3 way = gmc_vec3_sub(low, out), mean = gmc_vec3_scale(0.5, way), n = contact->dir[0];
    mean = gmc_vec3_add_scaled(mean, (1.0 / 3 - 0.5) * gmc_vec3_dot(n, way), n);
    gmc_vec3 path = gmc_vec3_cross(apart.w, mean);
    gmc_vec3 went = gmc_vec3_sub(gmc_vec3_add(middle, out), o);
    went = gmc_vec3_sub(went, gmc_vec3_sub(r.q, r.o));
    if (!of_b) went = gmc_vec3_neg(went);
    gmc_vec3 more = gmc_vec3_sub(path, gmc_twist_at(&apart, contact->point.p));
    more = gmc_vec3_add_scaled(went, h, more);
    gmc_vec3 drop = {gap - (contact->point.gap + h * u), gmc_vec3_dot(contact->dir[1], more),
                     gmc_vec3_dot(contact->dir[2], more)};
    return gmc_vec3_scale(share, drop);
}

void gmc_coulomb_rim_drop(const gmc_coulomb_step *step, gmc_contact *contact)
{
    const gmc_world *world = step->motion.world;
    bool of_b;
    contact->drop = (gmc_vec3){0, 0, 0};
    if (!step->motion.is_centred || !rolls(contact) || !is_of_rim(world->model, contact, &of_b))
        return;
    contact->drop = drop_of(world, step->motion.h, contact, of_b, &world->kin.V[contact->body_a],
                            &world->kin.V[contact->body_b]);
    if (contact->is_anchored) contact->drop.y = contact->drop.z = 0;
}

/// Motion is that of the step before where rows are written: what starts to turn round faster sank
/// in by a quarter of what it fell.
bool gmc_coulomb_rim_limit(const gmc_coulomb_step *step, int round)
{
    static const double AIM = 1e-7; // a hundredth of what a can's weight sinks in [m]
    static const int ROUNDS_MAX = 8;
    const gmc_world *world = step->motion.world;
    const gmc_contact_set *set = &world->contacts;
    bool is_moved = false;
    for (int c = 0; c < set->count && round <= ROUNDS_MAX; c++) {
        gmc_contact *contact = &set->contacts[c];
        bool of_b;
        if (!rolls(contact) || !is_of_rim(world->model, contact, &of_b)) continue;
        gmc_twist V_a = gmc_kinematics_twist(&world->kin, contact->body_a, step->motion.v);
        gmc_twist V_b = gmc_kinematics_twist(&world->kin, contact->body_b, step->motion.v);
        gmc_vec3 drop = drop_of(world, step->motion.h, contact, of_b, &V_a, &V_b);
        if (contact->is_anchored) drop.y = drop.z = 0;
        if (round == ROUNDS_MAX) drop = (gmc_vec3){0, 0, 0}; // they do not agree
        gmc_vec3 more = gmc_vec3_sub(drop, contact->drop);
        gmc_twist apart = gmc_twist_add_scaled(V_b, -1, V_a);
        double u = gmc_vec3_dot(contact->dir[0], gmc_twist_at(&apart, contact->point.p));
        bool is_closed =
            gmc_contact_gap(contact) + step->motion.h * u + gmc_min(drop.x, contact->drop.x) < 0;
        if (!(gmc_vec3_norm(more) > AIM) || !(is_closed || step->r[3 * c] > 0)) continue;
        for (int i = 0; i < 3; i++)
            step->contacts[c].bias[i] += gmc_vec3_get(more, i) / step->motion.h;
        contact->drop = drop;
        is_moved = true;
    }
    return is_moved;
}

bool gmc_coulomb_rim_whirls(const gmc_coulomb_step *step)
{
    static const double COSINE = 0.92; // 0.4 rad: at 4 ms cans were given 3 % of energy beyond
    const gmc_world *world = step->motion.world;
    for (int c = 0; c < world->contacts.count; c++) {
        const gmc_contact *contact = &world->contacts.contacts[c];
        bool of_b;
        if (!(step->r[3 * c] > 0) || !rolls(contact) || !is_of_rim(world->model, contact, &of_b))
            continue;
        rim r = rim_of(world, contact, of_b);
        if (!(share_of(&r, contact) > 0)) continue;
        gmc_twist V = gmc_kinematics_twist(&world->kin, r.body, step->motion.v);
        gmc_twist V_other = gmc_kinematics_twist(&world->kin, r.other, step->motion.v);
        gmc_mat3 turn = turn_of(&V, step->motion.h), turn_other = turn_of(&V_other, step->motion.h);
        gmc_vec3 d = gmc_mat3_apply(&turn_other, r.d), axis = gmc_mat3_apply(&turn, r.axis);
        gmc_vec3 out = gmc_mat3_apply(&turn, gmc_vec3_sub(r.q, r.middle));
        gmc_vec3 side = gmc_vec3_add_scaled(d, -gmc_vec3_dot(axis, d), axis);
        double most = r.radius * gmc_vec3_norm(side), point = gmc_vec3_dot(out, side);
        if (point < COSINE * most) return true;
    }
    return false;
}

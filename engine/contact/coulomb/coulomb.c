// One step of the default stepper: contacts are looked for, written as rows of one problem (ncp.h),
// solved, judged, and only then the world is touched. coulomb.h has the equations; the parts of the
// law that have a file of their own are named there. Here stand rims that roll round, overlaps of
// the start, static and kinetic friction and grain, supports, and the order of it all at the end.
//
// A step is taken again in three cases: a body outran what contacts were looked for with; what is
// struck is squeezed by driven bodies, so that its contacts have to be soft; no solution is found
// with contacts that stop impacts at once.
#include "engine/contact/coulomb/coulomb.h"

#include "engine/base/check.h"
#include "engine/collision/cylinder.h"
#include "engine/collision/pair.h"
#include "engine/complementarity/islands.h"
#include "engine/complementarity/newton.h"
#include "engine/contact/cone.h"
#include "engine/contact/coulomb/coulomb_internal.h"
#include "engine/dynamics/jacobian.h"
#include "engine/math/dense.h"
#include "engine/math/elementary.h"

#include <string.h>

/// Limits of joints that would take this speed on top of the joint's own have no row until a
/// solution passes one [m/s, rad/s].
static const double LIMIT_SPEED = 5;
/// Slower arrivals need not be located: gravity alone changes speeds by more in a step [m/s].
static const double LOCATED_SPEED = 1e-3;
/// Of the solver's tolerance, with supports. Residuals are weighed by the inertia that a
/// quasi-static step holds on with, a thousandth, and measured by weight: so much less do they show
/// of where friction points.
static const double QUASI_STATIC_AIM = 1e-3;

// ---- rims that roll round ----------------------------------------------------------------------
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
// damper for what strikes (gmc_mechanism_settling, 2.4 ms for a can of 0.35 kg): the overlap stood
// at (h + τ)/h of the drop, which falls with h alone (a can that wobbles out after a fall of 20 mm:
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
// half way to the next: a step goes no farther (is_rim_whirling). Where the cap tips over to
// its other side no point rolls round; what comes down there strikes.
//
// A cap that hardly leans stands: more than its lowest point bears, and there is nothing to follow.
// Followed all the same, cylinders of 1.5 kg and more that leaned by their springs alone tipped
// over at 0.5 to 0.7 of their slope. So the drop sets in with the lean, beyond what the springs
// give.
//
// Corners need none of this: the next one is a contact before it touches. Balls and the sides of
// rods that roll have none, for on them what the lowest point falls by is what the material rises
// by on its arc. Pads are left as they are: they press over an area.

/// Half way to the next point of a cap (cosine, sine).
static const double HALF_WAY = 0.70710678118654752;

/// Below the first of these sines of its tilt all of a cap bears, from twice that on the rim alone.
static const double RIM_LEVEL = 0.002;

/// So does one whose middle is higher than its lowest point by less than this times the overlap of
/// that: 1 is where the points a quarter of a turn beside it lift.
static const double RIM_SUNK = 2;

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
static bool rolls_round(const gmc_contact *contact)
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
static double rim_share(const rim *r, const gmc_contact *contact)
{
    double up = gmc_vec3_dot(r->axis, r->d);
    gmc_vec3 side = gmc_vec3_add_scaled(r->d, -up, r->axis);
    double tilt = gmc_vec3_norm(side), below = r->radius * tilt;
    below -= gmc_vec3_dot(gmc_vec3_sub(r->q, r->middle), side); // the lowest point below this
    double level =
        gmc_max(RIM_LEVEL, RIM_SUNK * (below - gmc_coulomb_contact_gap(contact)) / r->radius);
    double x = gmc_min(gmc_max(tilt / level - 1, 0), 1);
    return x * x * (3 - 2 * x);
}

bool gmc_coulomb_rim_has(const gmc_world *world, const gmc_contact *contact)
{
    bool of_b;
    if (!is_of_rim(world->model, contact, &of_b)) return false;
    rim r = rim_of(world, contact, of_b);
    return rim_share(&r, contact) > 0;
}

static gmc_mat3 turn_in(const gmc_twist *V, double h)
{
    return gmc_quat_matrix(gmc_quat_exp(gmc_vec3_scale(h, V->w)));
}

/// A point of a body at the end of the step, as its mass centre goes straight on.
static gmc_vec3 moved_point(const gmc_world *world, int body, const gmc_twist *V,
                            const gmc_mat3 *turn, double h, gmc_vec3 p)
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
    double share = rim_share(&r, contact);
    if (share == 0) return (gmc_vec3){0, 0, 0};
    const gmc_twist *V = of_b ? V_b : V_a, *V_other = of_b ? V_a : V_b;
    gmc_mat3 turn = turn_in(V, h), turn_other = turn_in(V_other, h);
    gmc_vec3 d = gmc_mat3_apply(&turn_other, r.d), axis = gmc_mat3_apply(&turn, r.axis);
    gmc_vec3 side = gmc_vec3_add_scaled(d, -gmc_vec3_dot(axis, d), axis);
    double tilt = gmc_vec3_norm(side);
    if (!(tilt > 0)) return (gmc_vec3){0, 0, 0};
    gmc_vec3 out = gmc_mat3_apply(&turn, gmc_vec3_sub(r.q, r.middle));
    // it tips over the whole cap: others come down, and strike
    if (!(gmc_vec3_dot(out, side) > 0)) return (gmc_vec3){0, 0, 0};
    gmc_vec3 low = lowest_near(out, gmc_vec3_scale(1 / tilt, side), r.radius);
    gmc_vec3 o = moved_point(world, r.other, V_other, &turn_other, h, r.o);
    gmc_vec3 middle = moved_point(world, r.body, V, &turn, h, r.middle);
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

/// contact->drop as the bodies move now; 0 of what is no rim on a face. After
/// gmc_contact_follow.
static void find_rim_drop(const gmc_coulomb_step *step, gmc_contact *contact)
{
    const gmc_world *world = step->motion.world;
    bool of_b;
    contact->drop = (gmc_vec3){0, 0, 0};
    if (!step->motion.is_centred || !rolls_round(contact) ||
        !is_of_rim(world->model, contact, &of_b))
        return;
    contact->drop = drop_of(world, step->motion.h, contact, of_b, &world->kin.V[contact->body_a],
                            &world->kin.V[contact->body_b]);
    if (contact->is_anchored) contact->drop.y = contact->drop.z = 0;
}

/// After a solution: is it what its motion makes of those? If not, they and their rows are moved.
/// @return whether to solve again
/// Motion is that of the step before where rows are written: what starts to turn round faster sank
/// in by a quarter of what it fell.
static bool limit_rims(const gmc_coulomb_step *step, int round)
{
    static const double AIM = 1e-7; // a hundredth of what a can's weight sinks in [m]
    static const int ROUNDS_MAX = 8;
    const gmc_world *world = step->motion.world;
    const gmc_contact_set *set = &world->contacts;
    bool is_moved = false;
    for (int c = 0; c < set->count && round <= ROUNDS_MAX; c++) {
        gmc_contact *contact = &set->contacts[c];
        bool of_b;
        if (!rolls_round(contact) || !is_of_rim(world->model, contact, &of_b)) continue;
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

/// Does the lowest point of a rim that bears go round so far in the step that it should be refused
/// if it is long?
static bool is_rim_whirling(const gmc_coulomb_step *step)
{
    static const double COSINE = 0.92; // 0.4 rad: at 4 ms cans were given 3 % of energy beyond
    const gmc_world *world = step->motion.world;
    for (int c = 0; c < world->contacts.count; c++) {
        const gmc_contact *contact = &world->contacts.contacts[c];
        bool of_b;
        if (!(step->r[3 * c] > 0) || !rolls_round(contact) ||
            !is_of_rim(world->model, contact, &of_b))
            continue;
        rim r = rim_of(world, contact, of_b);
        if (!(rim_share(&r, contact) > 0)) continue;
        gmc_twist V = gmc_kinematics_twist(&world->kin, r.body, step->motion.v);
        gmc_twist V_other = gmc_kinematics_twist(&world->kin, r.other, step->motion.v);
        gmc_mat3 turn = turn_in(&V, step->motion.h), turn_other = turn_in(&V_other, step->motion.h);
        gmc_vec3 d = gmc_mat3_apply(&turn_other, r.d), axis = gmc_mat3_apply(&turn, r.axis);
        gmc_vec3 out = gmc_mat3_apply(&turn, gmc_vec3_sub(r.q, r.middle));
        gmc_vec3 side = gmc_vec3_add_scaled(d, -gmc_vec3_dot(axis, d), axis);
        double most = r.radius * gmc_vec3_norm(side), point = gmc_vec3_dot(out, side);
        if (point < COSINE * most) return true;
    }
    return false;
}

// ---- what solves rows --------------------------------------------------------------------------

/// What solves a step's rows: all bodies as one problem where they are few, else island by island.
/// @param contacts  the step's, or others in their place
/// @param solution  in: warm start; out: untouched unless GMC_OK
static gmc_status solve_rows(const gmc_coulomb_step *step, const gmc_ncp_contact *contacts,
                             gmc_ncp_solution *solution, gmc_rungs_report *report)
{
    const gmc_mechanism_step *motion = &step->motion;
    const gmc_step_options *options = step->options;
    const gmc_ncp problem = {.dof_count = motion->world->model->free_count,
                             .mass = motion->mass,
                             .mass_width = motion->memory->mass_width,
                             .block_count = motion->memory->block_count,
                             .block_start = motion->memory->block_start,
                             .momentum = motion->momentum,
                             .contact_count = step->contact_count,
                             .contacts = contacts,
                             .group_count = step->group_count,
                             .groups = step->groups,
                             .row_count = motion->row_count,
                             .rows = motion->rows,
                             .hints = {.is_inplane = motion->memory->is_inplane}};
    gmc_rungs_options rungs = gmc_rungs_defaults();
    rungs.residual_max = options->residual_max;
    rungs.iteration_max = options->iteration_max;
    rungs.solver = options->solver;
    if (options->motion == GMC_MOTION_QUASI_STATIC && motion->world->model->support_count > 0)
        rungs.tolerance *= QUASI_STATIC_AIM;
    gmc_islands_memory *islands = motion->memory->islands;
    return islands ? gmc_islands_solve(&problem, islands, &rungs, solution, motion->scratch, report)
                   : gmc_rungs_solve(&problem, &rungs, solution, motion->scratch, report);
}

// ---- overlap of the start ----------------------------------------------------------------------
// Overlap that a trial began with is given back by moving bodies, not by pushing them: what nothing
// brakes would keep the speed. A step is solved with springs slack where bodies began, which is all
// that velocities, impulses and friction memory know. Then it is solved once more for places alone,
// with rows that are all but rigid about that solution: what is closed stays closed under what it
// bears, but contacts that are sunk open by what they give back in this step. The difference of
// velocities carries the bodies over the step, and is forgotten.
//
// What cannot go apart is pressed: slack goes by time, whether bodies moved or not, and what is
// left is the springs'.
//
// Two bodies, or one on a plane, with no weight, 1 g to 10 kg, 0.2 to 1.9 mm deep, 0.25 to 4 ms, go
// 0.7 um beyond their way out in 0.6 s. Tried instead:
//
//   slack that ends by time in the one solve             18 mm: all of its speed is kept
//   the same, its speed taken out as the step ends       leaves at 0.10 m/s: springs and dampers
//                                                        take it for the motion of a blow
//   the same, braked as slack ends, by contacts that     0.4 mm; and they hold what is pulled apart
//   pull back then
//

/// Compliance of rows against the contact's inverse mass: as much of what is given back becomes
/// speed, times the ratio of the masses where a light body is between heavy ones. With 1e-4 those
/// of 10 kg left 1 g at up to 47 mm/s, with 1e-6 at 1.3 mm/s; test impact does not end with 1e-8.
static const double RISE_COMPLIANCE = 1e-6;

/// Besides the share in contact.h, so that there is an end of it [m/s].
static const double RISE_SPEED_MIN = 2e-5;

/// What is left after this step.
static double risen(const gmc_coulomb_step *step, double sunk)
{
    return gmc_max(gmc_contact_floated(sunk, step->motion.h) - RISE_SPEED_MIN * step->motion.h, 0);
}

/// Before contacts have rows: overlaps as the trial starts, and as far as springs know them.
static void open_rise(gmc_coulomb_step *step)
{
    gmc_contact_set *set = &step->motion.world->contacts;
    gmc_contact_set_sink(set, step->motion.is_start);
    step->is_rising = false;
    for (int c = 0; c < set->count; c++) {
        gmc_contact *contact = &set->contacts[c];
        if (gmc_coulomb_rises(step, contact->sunk)) step->is_rising = true;
        contact->sunk = gmc_coulomb_sunk(step, contact->sunk);
    }
}

/// A row about the solution.
/// @param V  motion of the contact's group
static void write_rising_row(const gmc_coulomb_step *step, const double V[6], int c,
                             gmc_ncp_contact *row)
{
    const gmc_contact *contact = &step->motion.world->contacts.contacts[c];
    const double *r = step->r + 3 * c;
    double R = RISE_COMPLIANCE * contact->inverse_mass, h = step->motion.h, u[3];
    if (!(R > 0)) return;
    gmc_ncp_contact_at(row, V, u);
    row->compliance_n = gmc_min(row->compliance_n, R);
    row->compliance_t = gmc_min(row->compliance_t, R);
    row->bias[0] = -u[0] - row->compliance_n * r[0];
    row->bias[1] = -u[1] - row->compliance_t * r[1];
    row->bias[2] = -u[2] - row->compliance_t * r[2];
    if (!(r[0] > 0)) // not beyond what is apart
        row->bias[0] += gmc_max(gmc_contact_gap(contact) + contact->drop.x +
                                    h * (u[0] - step->driven_approach[c]),
                                0) /
                        h;
    if (gmc_coulomb_rises(step, contact->sunk))
        row->bias[0] -= (contact->sunk - risen(step, contact->sunk)) / h;
}

static void write_rising_rows(const gmc_coulomb_step *step, gmc_ncp_contact *rows)
{
    int count = step->motion.world->contacts.count;
    memcpy(rows, step->contacts, (size_t)step->contact_count * sizeof *rows);
    for (int g = 0; g < step->group_count; g++) {
        const gmc_ncp_group *group = &step->groups[g];
        double V[6];
        if (group->contact_first >= count) break; // rolling friction, supports
        gmc_ncp_group_velocity(group, step->motion.v, V);
        for (int c = group->contact_first; c < group->contact_first + group->contact_count; c++)
            write_rising_row(step, V, c, &rows[c]);
    }
}

/// A copy in the scratch arena. @return NULL: no room
static double *copy_of(const gmc_coulomb_step *step, const double *x, size_t count)
{
    double *copy = GMC_ROOM(step->motion.scratch, count, double);
    if (copy) memcpy(copy, x, count * sizeof *copy);
    return copy;
}

/// After the solution: velocities that carry bodies out of each other over the step and are
/// forgotten then.
/// step->rungs: iterations are added.
/// @param rise  out: (dof_count); NULL: there are none
/// @return GMC_OK, GMC_E_ARENA_FULL
static gmc_status find_rise(gmc_coulomb_step *step, double **rise)
{
    size_t free = (size_t)step->motion.world->model->free_count,
           count = (size_t)step->contact_count;
    *rise = NULL;
    if (!step->is_rising) return GMC_OK;
    gmc_ncp_contact *rows = GMC_ROOM(step->motion.scratch, count, gmc_ncp_contact);
    gmc_ncp_solution solution = {.v = copy_of(step, step->motion.v, free),
                                 .r = copy_of(step, step->r, 3 * count),
                                 .s =
                                     copy_of(step, step->motion.s, (size_t)step->motion.row_count)};
    if (!rows || !solution.v || !solution.r || !solution.s) return GMC_E_ARENA_FULL;
    write_rising_rows(step, rows);
    gmc_rungs_report again;
    gmc_status status = solve_rows(step, rows, &solution, &again);
    if (status == GMC_E_ARENA_FULL) return status;
    step->rungs.iterations += again.iterations;
    if (status != GMC_OK) return GMC_OK; // it is left to the springs
    for (size_t i = 0; i < free; i++)
        solution.v[i] -= step->motion.v[i];
    *rise = solution.v;
    return GMC_OK;
}

/// After the advance: what is left to be given back.
static void keep_rise(const gmc_coulomb_step *step)
{
    gmc_contact_set *set = &step->motion.world->contacts;
    for (int c = 0; c < set->count && step->is_rising; c++)
        if (gmc_coulomb_rises(step, set->contacts[c].sunk))
            set->contacts[c].sunk = risen(step, set->contacts[c].sunk);
}

// ---- beyond one coefficient of friction --------------------------------------------------------

// What contacts of the default stepper do beyond one coefficient of friction: static and kinetic,
// elliptic, pads. None of it changes the solver's problem type, and contacts without it never come
// here.
//
// Static and kinetic. The choice lags by a step, so that the cone of a step is one cone: what stuck
// in the step before, or slides slower than the threshold as the step begins, has mu_s, all else
// mu_k. Choosing inside the solve would make the law multivalued.
//
// Ellipse. Tangential rows scaled by mu_i / mu make |(r_1 / mu_1, r_2 / mu_2)| <= r_N a circle of
// radius mu r_N and leave r · w what it is, so that slip is normal to the ellipse (maximal
// dissipation). Stiffness along t_i becomes k_T (mu_i / mu)², no more than k_T.

static gmc_twist relative_twist(const gmc_kinematics *kin, const gmc_contact *contact)
{
    return gmc_twist_add_scaled(kin->V[contact->body_b], -1, kin->V[contact->body_a]);
}

static void scale_tangents(const gmc_contact_extra *extra, double *r, gmc_ncp_contact *row)
{
    for (int i = 0; i < 2; i++) {
        row->bias[i + 1] *= extra->scale[i];
        r[i + 1] *= extra->inverse[i];
        for (int k = 0; k < 3; k++)
            row->frame[3 * (i + 1) + k] *= extra->scale[i];
        if (extra->scale[i] != 1) row->hints.is_rotation = false;
    }
}

// ---- of its row --------------------------------------------------------------------------------

/// Stiffness of a contact on a pad at its present indentation; before its row is written.
static void press_on_pad(const gmc_kinematics *kin, double h, gmc_contact *contact)
{
    if (!(contact->law.extra->pad > 0)) return;
    gmc_twist V = relative_twist(kin, contact);
    gmc_coulomb_pad_press(contact,
                          h * gmc_vec3_dot(contact->dir[0], gmc_twist_at(&V, contact->point.p)));
}

/// What a law with extras makes of row c (written for one coefficient) and of its warm start.
/// @param u_driven  relative velocity by driven joints alone
static void write_extra(const gmc_coulomb_step *step, size_t c, const double u_driven[3])
{
    gmc_contact *contact = &step->motion.world->contacts.contacts[c];
    gmc_ncp_contact *row = &step->contacts[c];
    contact->law.friction *= gmc_contact_friction_share(&step->motion.world->kin, contact);
    row->friction = contact->law.friction;
    scale_tangents(contact->extra, step->r + 3 * c, row);
    contact->extra->driven[0] = u_driven[0];
    for (int i = 1; i < 3; i++)
        contact->extra->driven[i] = u_driven[i] * contact->extra->scale[i - 1];
}

/// After the solution, of a contact that touches: from the solver's circle back to the ellipse.
static void keep_extra(gmc_contact *contact, gmc_coulomb_anchor *anchor)
{
    gmc_contact_extra *extra = contact->extra;
    extra->moment[0] = extra->moment[1] = extra->moment[2] = 0; // those with rows for them follow
    extra->turn_a = (gmc_vec3){0, 0, 0};
    for (int i = 0; i < 2; i++) {
        contact->impulse[i + 1] *= extra->scale[i];
        contact->deflection[i] *= extra->inverse[i];
        anchor->expected[i] *= extra->inverse[i];
        // without friction along it nothing is remembered
        if (extra->scale[i] == 0) anchor->dir_a[i] = (gmc_vec3){0, 0, 0};
    }
}

// ---- contact rows ------------------------------------------------------------------------------

static void write_law(const gmc_contact *contact, const double u_driven[3], double h, double span,
                      gmc_ncp_contact *row)
{
    const gmc_surface_law *law = &contact->law;
    GMC_ASSERT(law->is_given && law->stiffness > 0 && law->tangential_ratio > 0);
    double gap = gmc_coulomb_contact_gap(contact), spread = 1 / (h + law->relaxation);
    double R = spread / (span * law->stiffness);
    row->compliance_n = R;
    row->compliance_t = R / law->tangential_ratio;
    row->friction = law->friction;
    row->bias[0] = u_driven[0] + (gap > 0 ? gap / h : gap * spread) + contact->drop.x / h;
    row->bias[1] = u_driven[1] + contact->deflection[0] * spread + contact->drop.y / h;
    row->bias[2] = u_driven[2] + contact->deflection[1] * spread + contact->drop.z / h;
}

static void write_frame(const gmc_contact *contact, gmc_vec3 about, gmc_ncp_contact *row)
{
    for (int i = 0; i < 3; i++) {
        row->frame[3 * i] = contact->dir[i].x;
        row->frame[3 * i + 1] = contact->dir[i].y;
        row->frame[3 * i + 2] = contact->dir[i].z;
    }
    gmc_vec3 arm = gmc_vec3_sub(contact->point.p, about);
    row->hints.is_rotation = true; // write_extra may change it
    row->hints.face_count = 0;
    row->arm[0] = arm.x;
    row->arm[1] = arm.y;
    row->arm[2] = arm.z;
    row->spun[0] = row->spun[1] = 0;
}

/// Is the frame of a contact that of the one before it? Without extras both follow from the normal,
/// and from the sign of its z, be that 0 (vec3.h).
static bool has_frame_of(const gmc_contact *contact, const gmc_contact *other)
{
    const gmc_vec3 *n = &contact->dir[0], *m = &other->dir[0];
    bool is_same = n->x == m->x && n->y == m->y && n->z == m->z && !signbit(n->z) == !signbit(m->z);
    return !contact->extra && !other->extra && is_same;
}

/// The contact joins the face of the one before it, or opens another.
/// @param first  the face's first row, NULL: none in this group
static void join_face(const gmc_contact *contact, gmc_ncp_contact *row, gmc_ncp_contact **first)
{
    const double *D = row->frame, *a = row->arm;
    row->hints.face_count = 0;
    if (contact->extra) {
        *first = NULL;
        return;
    }
    for (int i = 0; i < 3; i++)
        row->hints.turned_arm[i] = D[3 * i] * a[0] + D[3 * i + 1] * a[1] + D[3 * i + 2] * a[2];
    row->hints.turned_arm[3] = row->hints.turned_arm[1];
    row->hints.turned_arm[4] = row->hints.turned_arm[2];
    if (!*first || !has_frame_of(contact, contact - 1)) *first = row;
    (*first)->hints.face_count++;
}

static bool is_new_pair(const gmc_contact_set *set, size_t c)
{
    const gmc_contact *contact = &set->contacts[c];
    return c == 0 || contact->body_a != contact[-1].body_a || contact->body_b != contact[-1].body_b;
}

static gmc_status make_contact_room(gmc_coulomb_step *step)
{
    const gmc_contact_set *set = &step->motion.world->contacts;
    size_t count = (size_t)set->count, pairs = 0;
    size_t rolling = (size_t)gmc_coulomb_moments_count(set).rolling;
    // behind those of contacts: rolling friction, then supports
    const gmc_model *model = step->motion.world->model;
    size_t behind = rolling + (size_t)model->support_point_count;
    for (size_t c = 0; c < count; c++)
        pairs += is_new_pair(set, c);
    step->contact_count = (int)count;
    step->contacts = GMC_ROOM(step->motion.scratch, count + behind, gmc_ncp_contact);
    step->groups = GMC_ROOM(step->motion.scratch, pairs + rolling + (size_t)model->support_count,
                            gmc_ncp_group);
    step->r = GMC_ROOM(step->motion.scratch, 3 * (count + behind), double);
    step->anchors = GMC_ROOM(step->motion.scratch, count, gmc_coulomb_anchor);
    step->driven_approach = GMC_ROOM(step->motion.scratch, count, double);
    bool is_full =
        !step->driven_approach || !step->contacts || !step->groups || !step->r || !step->anchors;
    return is_full ? GMC_E_ARENA_FULL : GMC_OK;
}

/// Contacts of the same two bodies move alike: one group.
/// @param columns, S  room for one group
static gmc_jacobian open_group(gmc_coulomb_step *step, size_t c, int *columns, double *S)
{
    const gmc_world *world = step->motion.world;
    const gmc_contact *contact = &world->contacts.contacts[c];
    gmc_jacobian j =
        gmc_jacobian_of(world->model, &world->kin, contact->body_a, contact->body_b, columns, S);
    int slides = 0;
    for (const double *w = j.S + 3; slides < j.general_count; slides++, w += 6)
        if (w[0] != 0 || w[1] != 0 || w[2] != 0) break;
    step->groups[step->group_count++] = (gmc_ncp_group){.contact_first = (int)c,
                                                        .column_count = j.count,
                                                        .general_count = j.general_count,
                                                        .hints = {.slide_count = slides},
                                                        .columns = j.columns,
                                                        .S = j.S,
                                                        .sign = j.sign};
    return j;
}

/// x := M⁻¹ x in one diagonal block, of inertia alone. @return GMC_OK, GMC_E_ARENA_FULL
static gmc_status solve_bare(const gmc_mechanism_step *step, int block, double *x)
{
    int from = step->memory->block_start[block], n = step->memory->block_start[block + 1] - from;
    int stride = gmc_mat_stride(n);
    bool is_bare = true;
    for (int i = from; i < from + n; i++)
        if (step->added[i] != 0) is_bare = false;
    if (is_bare) {
        gmc_mechanism_mass_solve(step, block, x);
        return GMC_OK;
    }
    double *A = GMC_NEW(step->scratch, (size_t)n * ((size_t)stride + 1), double);
    int *last = GMC_ROOM(step->scratch, n, int);
    if (!A || !last) return GMC_E_ARENA_FULL;
    gmc_mat bare = {A, n, n, stride};
    for (int i = 0; i < n; i++) {
        memcpy(A + i * stride, gmc_mechanism_mass_row(step, from + i) + from,
               (size_t)n * sizeof *A);
        A[i * stride + i] -= step->added[from + i];
    }
    if (gmc_mat_ldlt_factor(bare, last, A + n * stride))
        gmc_mat_ldlt_solve(bare, last, A + n * stride, x + from);
    else
        gmc_mechanism_mass_solve(step, block, x);
    return GMC_OK;
}

/// J Mh⁻¹ Jᵀ of a contact's normal: what does not depend on how the world is turned.
/// @param is_bare  J M⁻¹ Jᵀ
static gmc_status find_inverse_mass(const gmc_coulomb_step *step, const gmc_ncp_group *group,
                                    const gmc_ncp_contact *row, bool is_bare, double *sum)
{
    size_t mark = gmc_arena_mark(step->motion.scratch);
    double *x = GMC_NEW(step->motion.scratch, step->motion.world->model->free_count, double), J[3];
    if (!x) return GMC_E_ARENA_FULL;
    for (int k = 0; k < group->column_count; k++) {
        gmc_ncp_contact_column(group, row, k, J);
        x[group->columns[k]] = J[0];
    }
    for (int k = 0, last = -1; k < group->column_count; k++) {
        int block = gmc_mechanism_block(step->motion.memory, group->columns[k]);
        if (block != last && is_bare) GMC_TRY(solve_bare(&step->motion, block, x));
        if (block != last && !is_bare) gmc_mechanism_mass_solve(&step->motion, block, x);
        last = block; // columns go by blocks
    }
    *sum = 0;
    for (int k = 0; k < group->column_count; k++) {
        gmc_ncp_contact_column(group, row, k, J);
        *sum += J[0] * x[group->columns[k]];
    }
    gmc_arena_reset(step->motion.scratch, mark);
    return GMC_OK;
}

static bool is_on_pad(const gmc_contact *contact)
{
    return contact->extra && contact->law.extra->pad > 0;
}

/// Heavy bodies take longer to recover: nothing bounces that has no restitution. What is elastic at
/// the end of a step recovers h/2 later than that: of pads, which take ten steps and more, it is
/// taken off, which makes them second order. What slides is pulled along by δ + (h + τ) u, with u
/// half a step ahead of its force: as much again is taken off, or the direction of friction leads,
/// and what turns as it slides is braked more the longer the step (soft_pebble at 4 ms: 6 of 200
/// verdicts differ from those at 1 ms, 2 with it).
/// @param own  of the surfaces
static void relax_contact(const gmc_coulomb_step *step, gmc_contact *contact, double own)
{
    double stiffness = contact->law.stiffness * (is_on_pad(contact) ? contact->extra->beside : 1);
    double all = gmc_max(own, gmc_mechanism_settling(stiffness, contact->mobility));
    bool is_shorter = is_on_pad(contact) && step->motion.is_centred;
    double ahead = (contact->mode == GMC_CONTACT_SLIP ? 1 : 0.5) * step->motion.h;
    contact->law.relaxation = is_shorter ? gmc_max(all - ahead, 0) : all;
}

/// How long pads take is inertia's to say: with the damping of joints in Mh it grew with the step,
/// by 36 % from 1 to 4 ms of a finger of 50 g and 20 N s/m.
static gmc_status damp_contact(const gmc_coulomb_step *step, const gmc_ncp_group *group, size_t c)
{
    gmc_contact *contact = &step->motion.world->contacts.contacts[c];
    const gmc_ncp_contact *row = &step->contacts[c];
    if (contact->inverse_mass == 0) {
        GMC_TRY(find_inverse_mass(step, group, row, false, &contact->inverse_mass));
        contact->mobility = contact->inverse_mass;
        if (is_on_pad(contact) && step->motion.is_centred)
            GMC_TRY(find_inverse_mass(step, group, row, true, &contact->mobility));
    }
    relax_contact(step, contact, contact->law.relaxation);
    return GMC_OK;
}

/// Has a contact its own law whatever strikes?
static bool is_soft(const gmc_coulomb_step *step, const gmc_contact *contact)
{
    if (!step->is_soft) return false;
    int a = gmc_mechanism_block_of(&step->motion, contact->body_a);
    int b = gmc_mechanism_block_of(&step->motion, contact->body_b);
    return (a >= 0 && step->is_soft[a]) || (b >= 0 && step->is_soft[b]);
}

static gmc_status write_row(gmc_coulomb_step *step, size_t c, gmc_mechanism_lead *driven)
{
    gmc_world *world = step->motion.world;
    gmc_contact *contact = &world->contacts.contacts[c];
    const gmc_ncp_group *group = &step->groups[step->group_count - 1];
    double u[3];
    gmc_mechanism_lead_at(&world->kin, contact, driven, u);
    gmc_contact_follow(world->model, &world->kin, step->motion.memory->h_last, true, contact);
    if (contact->extra) press_on_pad(&world->kin, step->motion.h, contact);
    GMC_TRY(damp_contact(step, group, c));
    find_rim_drop(step, contact);
    write_law(contact, u, step->motion.h, step->motion.span, &step->contacts[c]);
    step->driven_approach[c] = -u[0];
    if (is_soft(step, contact))
        contact->approach = 0;
    else if (step->motion.is_centred)
        GMC_TRY(gmc_coulomb_impact_row(step, group, c, u));
    for (int i = 0; i < 3; i++)
        step->r[3 * c + (size_t)i] = contact->impulse[i];
    if (contact->extra) write_extra(step, c, u);
    return GMC_OK;
}

void gmc_coulomb_contact_move(gmc_coulomb_step *step, size_t c, const gmc_contact_point *point,
                              const gmc_twist *driven)
{
    const gmc_model *model = step->motion.world->model;
    gmc_contact *contact = &step->motion.world->contacts.contacts[c];
    gmc_contact_extra *extra = contact->extra;
    gmc_ncp_contact *row = &step->contacts[c];
    gmc_vec3 arm = {row->arm[0], row->arm[1], row->arm[2]};
    gmc_vec3 about = gmc_vec3_sub(contact->point.p, arm), u_driven = gmc_twist_at(driven, point->p);
    double u[3];
    contact->point.p = point->p;
    contact->point.gap = point->gap;
    for (int i = 0; i < 3; i++) {
        u[i] = gmc_vec3_dot(contact->dir[i], u_driven);
        row->arm[i] = gmc_vec3_get(gmc_vec3_sub(point->p, about), i);
    }
    press_on_pad(&step->motion.world->kin, step->motion.h, contact);
    int a = model->geoms[point->geom_a].surface, b = model->geoms[point->geom_b].surface;
    relax_contact(step, contact, gmc_model_law(model, a, b)->relaxation);
    write_law(contact, u, step->motion.h, step->motion.span, row);
    extra->driven[0] = u[0];
    for (int i = 1; i < 3; i++) {
        row->bias[i] *= extra->scale[i - 1];
        extra->driven[i] = u[i] * extra->scale[i - 1];
    }
}

static bool is_same_pair(const gmc_contact *a, const gmc_contact *b)
{
    return a->point.geom_a == b->point.geom_a && a->point.geom_b == b->point.geom_b;
}

/// Do both bear the same body, with whichever of its geoms, on pads of one body (all that never
/// moves is one) that lie beside each other? Others know nothing of each other: blocks that stand
/// on one tray, fingers that press on one box.
static bool is_beside(const gmc_model *model, const gmc_contact *a, const gmc_contact *b)
{
    static const double PARALLEL = 1e-9;
    bool is_of_a = a->extra->ground > 0;
    int borne[2] = {is_of_a ? a->body_b : a->body_a, is_of_a ? b->body_b : b->body_a};
    int pad[2] = {is_of_a ? a->body_a : a->body_b, is_of_a ? b->body_a : b->body_b};
    bool is_same_pad = pad[0] == pad[1] ||
                       (gmc_model_is_static(model, pad[0]) && gmc_model_is_static(model, pad[1]));
    return borne[0] == borne[1] && is_same_pad && is_of_a == (b->extra->ground > 0) &&
           a->law.extra->pad == b->law.extra->pad &&
           gmc_vec3_dot(a->dir[0], b->dir[0]) > 1 - PARALLEL;
}

/// A point of a region, but for its core.
static bool is_of_region(const gmc_contact *contact)
{
    return is_on_pad(contact) && contact->extra->ground != 0 && contact->extra->patch > 0;
}

/// Stiffness of all that is beside a contact over that of its own region.
static double beside(const gmc_model *model, const gmc_contact_set *set, const gmc_contact *c)
{
    double all = 0, own = 0;
    for (int k = 0; k < set->count; k++) {
        const gmc_contact *other = &set->contacts[k];
        if (!is_of_region(other) || !is_beside(model, c, other)) continue;
        all += other->law.stiffness;
        own += is_same_pair(c, other) ? other->law.stiffness : 0;
    }
    return own > 0 ? all / own : 1;
}

/// What lies or rolls on pads that are flush settles as it does on one: a rod on plates of 10 mm,
/// each with a spring of its own that took as long as a spring eight times softer takes, rolled 75
/// mm where it rolls 33 mm on one. So does what presses with several geoms: a box of 10 boxes that
/// fell on a pad was stopped by it three times as hard as one box.
static void settle_together(const gmc_coulomb_step *step)
{
    gmc_contact_set *set = &step->motion.world->contacts;
    for (int i = 0; i < set->count; i++)
        if (is_of_region(&set->contacts[i]))
            press_on_pad(&step->motion.world->kin, step->motion.h, &set->contacts[i]);
    for (int i = 0; i < set->count; i++) {
        gmc_contact *c = &set->contacts[i];
        bool is_next = i > 0 && is_of_region(c) && is_of_region(c - 1) && is_same_pair(c, c - 1) &&
                       c->extra->ground == c[-1].extra->ground;
        if (is_of_region(c))
            c->extra->beside =
                is_next ? c[-1].extra->beside : beside(step->motion.world->model, set, c);
    }
}

/// Contact rows from the world's contacts; warm start of r. @return GMC_OK, GMC_E_ARENA_FULL
static gmc_status write_contacts(gmc_coulomb_step *step)
{
    const gmc_contact_set *set = &step->motion.world->contacts;
    int n = step->motion.memory->column_max;
    gmc_jacobian jacobian = {0};
    gmc_ncp_contact *first = NULL;
    gmc_mechanism_lead driven = {.body_a = -1};
    GMC_TRY(make_contact_room(step));
    GMC_TRY(gmc_mechanism_driven(&step->motion, &driven.v));
    open_rise(step);
    settle_together(step);
    for (size_t c = 0; c < (size_t)set->count; c++) {
        if (is_new_pair(set, c)) {
            first = NULL;
            double *S = GMC_ROOM(step->motion.scratch, 6 * n, double);
            int *columns = GMC_ROOM(step->motion.scratch, n, int);
            if (!S || !columns) return GMC_E_ARENA_FULL;
            jacobian = open_group(step, c, columns, S);
        }
        step->groups[step->group_count - 1].contact_count++;
        write_frame(&set->contacts[c], jacobian.about, &step->contacts[c]);
        GMC_TRY(write_row(step, c, &driven));
        if (!step->motion.memory->is_inplane)
            join_face(&set->contacts[c], &step->contacts[c], &first);
    }
    step->pair_count = step->group_count;
    GMC_TRY(gmc_coulomb_flat_rows(step, driven.v));
    return step->has_impact ? gmc_coulomb_impact_spread(step) : GMC_OK;
}

// ---- after the solution ------------------------------------------------------------------------

/// u_T = J v + u_driven, from w's definition: what is left of the bias without the deflection's
/// part.
static void tangential_velocity(const gmc_coulomb_step *step, const double V[6], size_t c,
                                double u[2])
{
    const gmc_contact *contact = &step->motion.world->contacts.contacts[c];
    double spread = 1 / (step->motion.h + contact->law.relaxation), all[3];
    gmc_ncp_contact_at(&step->contacts[c], V, all);
    for (int i = 0; i < 2; i++)
        u[i] = all[i + 1] + (step->contacts[c].bias[i + 1] - contact->deflection[i] * spread);
}

/// @param V  motion of the contact's group
static void keep_contact(const gmc_coulomb_step *step, const double V[6], size_t c)
{
    gmc_contact *contact = &step->motion.world->contacts.contacts[c];
    const gmc_pose *X_wa = &step->motion.world->kin.X_wb[contact->body_a];
    const double *r = step->r + 3 * c;
    double h = step->motion.h, tau = contact->law.relaxation;
    double compliance =
        h / (step->motion.span * contact->law.tangential_ratio * contact->law.stiffness);
    for (int i = 0; i < 3; i++)
        contact->impulse[i] = r[i];
    contact->mode = gmc_cone_mode(r, contact->law.friction);
    if (contact->mode == GMC_CONTACT_OPEN) {
        contact->deflection[0] = contact->deflection[1] = 0;
        contact->deflection_a = (gmc_vec3){0, 0, 0};
        return;
    }
    gmc_coulomb_anchor *anchor = &step->anchors[c];
    if (contact->extra)
        for (int i = 0; i < 2; i++)
            contact->deflection[i] *= contact->extra->scale[i];
    double u[2];
    tangential_velocity(step, V, c, u);
    bool sticks = contact->mode == GMC_CONTACT_STICK && !contact->is_impact;
    for (int i = 0; i < 2; i++) {
        double left = (tau * contact->deflection[i] - r[i + 1] * compliance) / (h + tau);
        // of what sticks the deflection differs by the solver's residual, which would add up
        anchor->expected[i] = sticks ? left - contact->deflection[i] : h * u[i];
        anchor->dir_a[i] = gmc_mat3_apply_transposed(&X_wa->R, contact->dir[i + 1]);
        contact->deflection[i] = left;
    }
    if (contact->is_impact) contact->deflection[0] = contact->deflection[1] = 0;
    anchor->p_a = gmc_contact_place_a(&step->motion.world->kin, contact);
    if (contact->extra) keep_extra(contact, anchor);
    contact->is_anchored = contact->is_anchored && sticks;
    if (contact->is_anchored) return;
    contact->deflection_a = gmc_vec3_add(gmc_vec3_scale(contact->deflection[0], anchor->dir_a[0]),
                                         gmc_vec3_scale(contact->deflection[1], anchor->dir_a[1]));
}

/// After the solution: impulses, modes and deflections of the contacts, at the old kinematics.
static void keep_contacts(const gmc_coulomb_step *step)
{
    int count = step->motion.world->contacts.count;
    for (int i = 0; i < step->group_count; i++) {
        const gmc_ncp_group *group = &step->groups[i];
        double V[6];
        if (group->contact_first >= count) break; // rolling friction
        gmc_ncp_group_velocity(group, step->motion.v, V);
        for (int c = group->contact_first; c < group->contact_first + group->contact_count; c++)
            keep_contact(step, V, (size_t)c);
    }
}

/// After the advance: what the bodies' true motion added to the deflections beyond h J v.
static void correct_contacts(const gmc_coulomb_step *step)
{
    for (int c = 0; c < step->motion.world->contacts.count; c++) {
        gmc_contact *contact = &step->motion.world->contacts.contacts[c];
        if (contact->mode == GMC_CONTACT_OPEN) continue;
        const gmc_coulomb_anchor *anchor = &step->anchors[c];
        gmc_vec3 place_a = gmc_contact_place_a(&step->motion.world->kin, contact);
        gmc_vec3 moved = gmc_vec3_sub(place_a, anchor->p_a);
        if (contact->is_anchored) {
            contact->deflection_a = gmc_vec3_add(contact->deflection_a, moved);
            continue;
        }
        for (int i = 0; i < 2; i++) {
            double missed = gmc_vec3_dot(anchor->dir_a[i], moved) - anchor->expected[i];
            contact->deflection_a =
                gmc_vec3_add_scaled(contact->deflection_a, missed, anchor->dir_a[i]);
        }
    }
}

// ---- supports ----------------------------------------------------------------------------------
// Friction of bodies against the plane on which they stand, in the default stepper. A point of a
// support is a contact whose normal force is known, from statics (support.h):
//
//   no normal direction: w_N = R_N (r_N - H N) = 0, hence r_N = H N exactly
//   tangents x and y of the world, at the point: the law of coulomb.h, with its elastic memory
//
// so the cone's disc is |r_T| <= mu H N, exactly round, and a body that sticks does not creep. All
// points of a body move with it: one group. Viscous friction is linear and goes into Mh: the points
// share it as they share the weight, so that it acts at the mass centre, as diag(c, c, c ρ²).
//
// A point sits on the body: there is nothing for a contact's place to run over. What its true path
// differs from the chord h u_T joins the deflection after the advance, as for contacts.

static gmc_vec2 place_of(const gmc_world *world, int body, gmc_vec2 p)
{
    gmc_vec3 x = gmc_pose_apply(&world->kin.X_wb[body], (gmc_vec3){p.x, p.y, 0});
    return (gmc_vec2){x.x, x.y};
}

static void write_point(gmc_coulomb_step *step, const gmc_support *support, int point,
                        gmc_vec3 about)
{
    const gmc_world *world = step->motion.world;
    int row = step->contact_count++;
    double spread = 1 / (step->motion.h + support->relaxation);
    double normal = step->motion.span * step->motion.memory->support_forces[point];
    const double *deflection = step->motion.memory->support_deflection + 2 * point;
    gmc_vec2 x = place_of(world, support->body, world->model->support_points[point].p);
    // any R_N does for r_N; this one makes the bias what the weight would do in a step, to what Mh
    // leaves of the body: without inertia that is far less than its mass, and residuals are weighed
    // by it. With less the scale of the residual sinks below the rounding of forces: with 1/m by
    // the share of the inertia that a quasi-static step holds on with, a thousandth and less
    int first = world->model->bodies[support->body].v;
    bool is_free = first < world->model->free_count;
    double compliance = 1 / (is_free ? gmc_mechanism_mass_row(&step->motion, first)[first]
                                     : world->model->bodies[support->body].inertia.mass);
    // every member has its value: one left out would have all of them cleared first, which took
    // longer than the rest
    step->contacts[row] = (gmc_ncp_contact){
        .frame = {0, 0, 1, 1, 0, 0, 0, 1, 0}, // z: nothing moves along it
        .arm = {x.x - about.x, x.y - about.y, 0},
        .bias = {-compliance * normal, deflection[0] * spread, deflection[1] * spread},
        .compliance_n = compliance,
        .compliance_t = spread / (step->motion.span * support->stiffness),
        .friction = world->model->support_points[point].friction,
        .hints = {.is_rotation = true}};
    step->support_places[point] = x;
    double *r = step->r + 3 * row;
    r[0] = normal;
    r[1] = world->support_impulse[3 * point + 1];
    r[2] = world->support_impulse[3 * point + 2];
}

/// A body on a planar joint moves as its three dofs say, about its mass centre; a driven one has
/// none.
static gmc_status open_support(gmc_coulomb_step *step, const gmc_support *support)
{
    static const double ONE[18] = {1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
    const gmc_model *model = step->motion.world->model;
    int first = model->bodies[support->body].v, count = first < model->free_count ? 3 : 0;
    int *columns = GMC_ROOM(step->motion.scratch, 3, int);
    if (!columns) return GMC_E_ARENA_FULL;
    for (int k = 0; k < 3; k++)
        columns[k] = first + k;
    step->groups[step->group_count++] = (gmc_ncp_group){.contact_first = step->contact_count,
                                                        .contact_count = support->point_count,
                                                        .column_count = count,
                                                        .general_count = count,
                                                        .columns = columns,
                                                        .S = ONE,
                                                        .sign = 1};
    return GMC_OK;
}

/// Rows of friction of supports behind all others, and their warm start. There is room in
/// `contacts`, `groups` and r. @return GMC_OK, GMC_E_ARENA_FULL
static gmc_status write_supports(gmc_coulomb_step *step)
{
    const gmc_world *world = step->motion.world;
    const gmc_model *model = world->model;
    step->support_first = step->contact_count;
    step->support_places = GMC_ROOM(step->motion.scratch, model->support_point_count, gmc_vec2);
    if (!step->support_places) return GMC_E_ARENA_FULL;
    for (int i = 0; i < model->support_count; i++) {
        const gmc_support *support = &model->supports[i];
        GMC_TRY(open_support(step, support));
        for (int k = 0; k < support->point_count; k++)
            write_point(step, support, support->point_first + k, world->kin.com_w[support->body]);
    }
    return GMC_OK;
}

/// @param V  motion of the body at the step's solution
static void keep_point(const gmc_coulomb_step *step, const gmc_support *support, int point, int row,
                       const double V[6])
{
    gmc_world *world = step->motion.world;
    const double *r = step->r + 3 * row;
    double *kept = world->support_impulse + 3 * point, u[3];
    double *deflection = step->motion.memory->support_deflection + 2 * point;
    double h = step->motion.h, tau = support->relaxation,
           give = h / (step->motion.span * support->stiffness);
    gmc_vec2 from = step->support_places[point];
    gmc_vec2 to = place_of(world, support->body, world->model->support_points[point].p);
    const double way[2] = {to.x - from.x, to.y - from.y};
    gmc_ncp_contact_at(&step->contacts[row], V, u);
    // what slides has its deflection from its force alone: its path does not stretch anything
    bool sticks = gmc_cone_mode(r, step->contacts[row].friction) == GMC_CONTACT_STICK;
    kept[0] = r[0];
    for (int i = 0; i < 2; i++) {
        kept[1 + i] = r[1 + i];
        deflection[i] = (tau * deflection[i] - r[1 + i] * give) / (h + tau);
        if (sticks) deflection[i] += way[i] - h * u[1 + i];
    }
}

/// After the solution and the advance: impulses and deflections.
static void keep_supports(const gmc_coulomb_step *step)
{
    const gmc_model *model = step->motion.world->model;
    int row = step->support_first, group = step->group_count - model->support_count;
    for (int i = 0; i < model->support_count; i++) {
        const gmc_support *support = &model->supports[i];
        double V[6];
        gmc_ncp_group_velocity(&step->groups[group + i], step->motion.v, V);
        for (int k = 0; k < support->point_count; k++)
            keep_point(step, support, support->point_first + k, row++, V);
    }
}

// ---- what is kept from step to step ------------------------------------------------------------

static gmc_status coulomb_create(const gmc_model *model, int contact_max, gmc_arena *arena,
                                 gmc_world *world)
{
    gmc_world made;
    gmc_coulomb_memory *memory = GMC_NEW(arena, 1, gmc_coulomb_memory);
    if (!memory) return GMC_E_ARENA_FULL;
    GMC_TRY(gmc_mechanism_create(model, contact_max, arena, &made));
    memory->mechanism = made.stepper_memory;
    GMC_TRY(gmc_coulomb_energy_memory(model, &made.kin, contact_max, arena, memory));
    made.stepper_memory = memory;
    *world = made;
    return GMC_OK;
}

// ---- which impulses keep bodies apart ----------------------------------------------------------

/// Contact points of the world as it stands, matched with those of the step before.
/// @param look  (body_count) velocities to look with
/// @return GMC_OK, GMC_E_LIMIT, GMC_E_LIBRARY; the contact set is then as before
static gmc_status find_contacts(gmc_coulomb_step *step, const gmc_twist *look)
{
    gmc_world *world = step->motion.world;
    gmc_contact_point *points = step->motion.memory->points;
    int count;
    GMC_TRY(gmc_mechanism_find_points(&step->motion, step->options->reach, look, &count));
    GMC_TRY(gmc_coulomb_pad_find(step, points, &count));
    gmc_contact_set_match(&world->contacts, world->model, world->kin.X_wb, points, count);
    gmc_coulomb_pad_share(step);
    return GMC_OK;
}

/// Does the solution ask for other limits of bounces and moments, or press pads elsewhere? Never
/// without them.
static gmc_status move_limits(gmc_coulomb_step *step, int round, bool *is_moved)
{
    *is_moved = step->impact && gmc_coulomb_impact_limit(step, round);
    if (step->torque_count > 0 && gmc_coulomb_moments_limit(step, round)) *is_moved = true;
    if (step->flat_count > 0 && gmc_coulomb_flat_limit(step, round)) *is_moved = true;
    if (step->motion.is_centred && limit_rims(step, round)) *is_moved = true;
    return gmc_coulomb_pad_limit(step, round, is_moved);
}

/// Rows that a solve adds behind those of contacts: of joints, moments and supports; their warm
/// start.
static gmc_status add_rows(gmc_coulomb_step *step)
{
    gmc_mechanism_step *motion = &step->motion;
    const gmc_world *world = motion->world;
    if (motion->round == 0)
        memcpy(motion->v, world->state.v, (size_t)world->model->free_count * sizeof(double));
    GMC_TRY(gmc_mechanism_joint_rows(motion, gmc_coulomb_moments_count(&world->contacts).torsion));
    GMC_TRY(gmc_coulomb_moments_rows(step));
    return world->model->support_count > 0 ? write_supports(step) : GMC_OK;
}

static void forget_rows(gmc_coulomb_step *step)
{
    step->group_count = step->pair_count;
    step->contact_count = step->motion.world->contacts.count;
    step->motion.row_count = step->torque_count = 0;
}

/// Which impulses come of the motion without contacts, of contacts and joints? With all joint
/// limits and brakes where the solution passes one that had no row.
static gmc_status solve_contacts(gmc_coulomb_step *step)
{
    gmc_mechanism_step *motion = &step->motion;
    for (int iterations = 0;;) {
        GMC_TRY(add_rows(step));
        gmc_ncp_solution solution = {.v = motion->v, .r = step->r, .s = motion->s};
        bool is_moved = true;
        for (int round = 1; is_moved; round++) {
            GMC_TRY(solve_rows(step, step->contacts, &solution, &step->rungs));
            iterations += step->rungs.iterations;
            GMC_TRY(move_limits(step, round, &is_moved));
        }
        step->rungs.iterations = iterations;
        if (!gmc_mechanism_joint_passes(motion) && !gmc_mechanism_joint_hastens(motion))
            return GMC_OK;
        motion->limit_speed = INFINITY; // all of them have rows then: no more is passed
        motion->brakes_all = true;
        forget_rows(step);
    }
}

/// What contacts' impulses alone would do to bodies, as twice the energy; pair by pair, for those
/// of a squeeze cancel.
/// @param push  (free_count) room
static double work_of_contacts(const gmc_coulomb_step *step, double *push)
{
    size_t n = (size_t)step->motion.world->model->free_count;
    double sum = 0;
    for (int g = 0; g < step->group_count; g++) {
        const gmc_ncp_group *group = &step->groups[g];
        memset(push, 0, n * sizeof *push);
        double F[6];
        gmc_ncp_group_wrench(group, step->contacts, step->r, F);
        gmc_ncp_group_push(group, F, push);
        for (int k = 0; k < group->column_count; k++) {
            int i = group->columns[k];
            sum += push[i] * push[i] / gmc_mechanism_mass_row(&step->motion, i)[i];
        }
    }
    return sum;
}

/// Quasi-static: from the velocities found to those that inertia has no part in.
/// @param before  (free_count) in: zeros, from which they were found
static gmc_status iterate_quasi_static(gmc_coulomb_step *step, double *before)
{
    gmc_mechanism_step *motion = &step->motion;
    gmc_motion kind = step->options->motion;
    gmc_rungs_report *last = &step->rungs, all = *last;
    size_t n = (size_t)motion->world->model->free_count, mark = gmc_arena_mark(motion->scratch);
    double *push = GMC_ROOM(motion->scratch, n, double);
    if (!push) return GMC_E_ARENA_FULL;
    while (!gmc_mechanism_is_settled(motion, kind, before, work_of_contacts(step, push))) {
        if (++motion->round >= GMC_PROXIMAL_STEPS) return GMC_E_NO_SOLUTION;
        memcpy(before, motion->v, n * sizeof *before);
        gmc_arena_reset(motion->scratch, mark);
        push = GMC_ROOM(motion->scratch, n, double);
        forget_rows(step);
        GMC_TRY(gmc_mechanism_motion(motion, kind, motion->round, before));
        GMC_TRY(solve_contacts(step));
        if (last->rung > all.rung) all.rung = last->rung;
        all.iterations += last->iterations;
        all.residual = fmax(all.residual, last->residual);
    }
    *last = all;
    return GMC_OK;
}

/// Room for the velocities that are to be found; those of driven joints are known.
/// @param before  out: (free_count) zeros; NULL with inertia
static gmc_status make_velocities(gmc_coulomb_step *step, double **before)
{
    gmc_mechanism_step *motion = &step->motion;
    const gmc_model *model = motion->world->model;
    *before = NULL;
    motion->v = GMC_ROOM(motion->scratch, model->dof_count, double);
    if (!motion->v) return GMC_E_ARENA_FULL;
    for (int i = model->free_count; i < model->dof_count; i++)
        motion->v[i] = motion->control->v_driven[i];
    if (step->options->motion == GMC_MOTION_DYNAMIC) return GMC_OK;
    *before = GMC_NEW(motion->scratch, model->free_count, double);
    return *before ? GMC_OK : GMC_E_ARENA_FULL;
}

// ---- is it to be believed ----------------------------------------------------------------------

/// Did any contact of the two geoms of contact c press in the step before?
static bool has_pressed(const gmc_contact_set *set, int c)
{
    const gmc_contact_point *point = &set->contacts[c].point;
    int first = c;
    for (; first > 0; first--) {
        const gmc_contact_point *other = &set->contacts[first - 1].point;
        if (other->geom_a != point->geom_a || other->geom_b != point->geom_b) break;
    }
    for (int i = first; i < set->count; i++) {
        const gmc_contact_point *other = &set->contacts[i].point;
        if (other->geom_a != point->geom_a || other->geom_b != point->geom_b) break;
        if (set->contacts[i].impulse[0] > 0) return true;
    }
    return false;
}

/// Does something arrive in this step that was apart, faster than LOCATED_SPEED, or a pad's region
/// move on by far?
static bool strikes(const gmc_coulomb_step *step)
{
    const gmc_contact_set *set = &step->motion.world->contacts;
    const gmc_kinematics *kin = &step->motion.world->kin;
    // so many that one strikes in every step
    if (step->motion.world->model->free_count > GMC_NEWTON_SPARSE_MIN) return false;
    for (int c = 0; c < set->count; c++) {
        const gmc_contact *contact = &set->contacts[c];
        if (contact->impulse[0] > 0 || !(step->r[3 * c] > 0)) continue;
        if (contact->extra && contact->extra->ground != 0 && has_pressed(set, c)) continue;
        gmc_twist V = gmc_twist_add_scaled(kin->V[contact->body_b], -1, kin->V[contact->body_a]);
        gmc_vec3 u = gmc_twist_at(&V, contact->point.p);
        if (gmc_vec3_dot(contact->dir[0], u) < -LOCATED_SPEED) return true;
    }
    return gmc_coulomb_pad_leaps(step);
}

/// May the step be taken as it is solved?
/// @param look  velocities that contacts were looked for with; NULL: farther is not to be looked
/// @return GMC_OK, GMC_E_NO_SOLUTION, GMC_E_DIVERGED, GMC_E_ARENA_FULL
static gmc_status judge_solution(gmc_coulomb_step *step, gmc_twist *look, gmc_step_report *report)
{
    gmc_mechanism_step *motion = &step->motion;
    const gmc_step_options *options = step->options;
    bool is_long = step->motion.is_centred && motion->h > options->impact_step;
    if (gmc_mechanism_diverges(motion)) return GMC_E_DIVERGED;
    if (step->has_impact) GMC_TRY(gmc_coulomb_squeeze_find(step, &step->is_squeezed));
    if (step->is_squeezed) return GMC_E_NO_SOLUTION;
    if (gmc_mechanism_turns_too_far(motion, options->turn_max)) return GMC_E_NO_SOLUTION;
    if (is_long && (strikes(step) || is_rim_whirling(step))) {
        report->is_impact = true;
        return GMC_E_NO_SOLUTION;
    }
    motion->is_outrun = look && gmc_mechanism_outruns(motion, options->reach, look);
    return motion->is_outrun ? GMC_E_NO_SOLUTION : GMC_OK;
}

// ---- the world ---------------------------------------------------------------------------------

/// gmc_state_advance takes gravity as it is now to act over the step; here its mean acts over the
/// span.
static void add_weight(const gmc_coulomb_step *step, double *impulse)
{
    const gmc_model *model = step->motion.world->model;
    double more = step->motion.span - step->motion.h;
    gmc_vec3 g = model->gravity, changed = gmc_vec3_sub(step->motion.gravity, g);
    if (more == 0 && changed.x == 0 && changed.y == 0 && changed.z == 0) return;
    for (int k = 0; k < step->motion.memory->isolated_count; k++) {
        const gmc_body *body = &model->bodies[step->motion.memory->isolated[k]];
        double m = body->inertia.mass;
        for (int i = 0; i < 3; i++)
            impulse[body->v + i] +=
                more * m * gmc_vec3_get(g, i) + step->motion.span * m * gmc_vec3_get(changed, i);
    }
}

static gmc_status find_wrenches(gmc_coulomb_step *step)
{
    int count = 6 * step->group_count;
    step->wrenches = GMC_ROOM(step->motion.scratch, count, double);
    if (!step->wrenches) return GMC_E_ARENA_FULL;
    for (int g = 0; g < step->group_count; g++)
        gmc_ncp_group_wrench(&step->groups[g], step->contacts, step->r, step->wrenches + 6 * g);
    return GMC_OK;
}

/// Generalised impulse of everything but gravity and bias, for the bodies that carry their
/// momentum; NULL where there are none.
static gmc_status received_impulse(const gmc_coulomb_step *step, double **impulse)
{
    const gmc_world *world = step->motion.world;
    const gmc_model *model = world->model;
    double span = step->motion.span, *sum;
    *impulse = NULL;
    if (step->motion.memory->isolated_count == 0) return GMC_OK;
    sum = GMC_ROOM(step->motion.scratch, model->free_count, double);
    if (!sum) return GMC_E_ARENA_FULL;
    for (int i = 0; i < model->free_count; i++)
        sum[i] =
            span * (model->dofs[i].damping * step->motion.v[i] - step->motion.control->force[i]);
    for (int g = 0; g < step->group_count; g++)
        gmc_ncp_group_push(&step->groups[g], step->wrenches + 6 * g, sum);
    for (int i = 0; i < model->free_count; i++)
        sum[i] = -sum[i];
    for (int i = step->motion.joint_row_count; i < step->motion.row_count; i++)
        for (int k = 0; k < step->motion.rows[i].column_count; k++)
            sum[step->motion.rows[i].columns[k]] += step->motion.rows[i].J[k] * step->motion.s[i];
    add_weight(step, sum);
    *impulse = sum;
    return GMC_OK;
}

static void fill_report(const gmc_coulomb_step *step, gmc_step_report *report)
{
    const gmc_world *world = step->motion.world;
    *report = (gmc_step_report){.rung = step->rungs.rung,
                                .iterations = step->rungs.iterations,
                                .residual = step->rungs.residual,
                                .max_effort = gmc_mechanism_joint_effort(&step->motion)};
    report->lag = step->motion.h;
    gmc_step_report_contacts(report, &world->contacts, step->motion.span);
    gmc_coulomb_pad_report(step, report);
}

/// The solution into the world.
static gmc_status advance_world(gmc_coulomb_step *step, gmc_step_report *report)
{
    const gmc_mechanism_step *motion = &step->motion;
    gmc_coulomb_energy energy;
    double *impulse, *rise;
    GMC_TRY(find_rise(step, &rise));
    GMC_TRY(find_wrenches(step));
    GMC_TRY(received_impulse(step, &impulse));
    bool has_energy = motion->is_centred && (motion->is_start || step->balance->is_begun);
    if (has_energy) GMC_TRY(gmc_coulomb_energy_open(step, &energy));

    // solved and judged: only now touch the world
    keep_contacts(step);
    gmc_coulomb_flat_keep(step);
    if (step->torque_count > 0) gmc_coulomb_moments_keep(step);
    gmc_mechanism_advance(motion, step->options->motion, impulse, motion->control->q_driven, rise);
    correct_contacts(step);
    keep_rise(step);
    gmc_coulomb_moments_correct(step);
    if (motion->world->model->support_count > 0) keep_supports(step);
    fill_report(step, report);
    if (has_energy) gmc_coulomb_energy_close(step, &energy, &report->energy);
    return GMC_OK;
}

// ---- the step ----------------------------------------------------------------------------------

/// @param look  velocities that contacts were looked for with; NULL: farther is not to be looked
static gmc_status coulomb_try(gmc_coulomb_step *step, gmc_twist *look, gmc_step_report *report)
{
    gmc_motion kind = step->options->motion;
    double *before;

    // where would the mechanism go if nothing touched it, and what may touch?
    GMC_TRY(make_velocities(step, &before));
    GMC_TRY(gmc_mechanism_motion(&step->motion, kind, 0, before));
    GMC_TRY(write_contacts(step));

    // which impulses keep bodies apart and inside the friction cones?
    GMC_TRY(solve_contacts(step));
    if (kind == GMC_MOTION_QUASI_STATIC) GMC_TRY(iterate_quasi_static(step, before));

    GMC_TRY(judge_solution(step, look, report));
    return advance_world(step, report);
}

static double span_of(const gmc_mechanism_step *motion)
{
    if (!motion->is_centred) return motion->h;
    double before = motion->memory->h_last > 0 ? motion->memory->h_last : motion->h;
    return 0.5 * (motion->h + (motion->is_start ? 0 : before));
}

static gmc_coulomb_step begin_step(gmc_world *world, const gmc_control *control,
                                   const gmc_step_options *options, double h, gmc_arena *scratch)
{
    gmc_coulomb_memory *memory = world->stepper_memory;
    gmc_coulomb_step step = {.motion = {.world = world,
                                        .memory = memory->mechanism,
                                        .control = control,
                                        .h = h,
                                        .is_centred = options->motion == GMC_MOTION_DYNAMIC,
                                        .is_start = options->is_start,
                                        .limit_speed = LIMIT_SPEED,
                                        .scratch = scratch},
                             .options = options,
                             .balance = &memory->balance};
    GMC_ASSERT(h > 0);
    step.motion.span = span_of(&step.motion);
    return step;
}

/// Is a step without a solution to be solved once more, with all contacts soft?
static bool is_unsolved(const gmc_coulomb_step *step, gmc_status status,
                        const gmc_step_report *report)
{
    bool is_so = status == GMC_E_NO_SOLUTION || status == GMC_E_RESIDUAL;
    return is_so && step->has_impact && !report->is_impact;
}

/// Takes the step, again with contacts looked for where it went, and with what is squeezed soft.
static gmc_status coulomb_step(gmc_world *world, const gmc_control *control,
                               const gmc_step_options *options, double h, gmc_arena *scratch,
                               gmc_step_report *report)
{
    gmc_coulomb_step fresh = begin_step(world, control, options, h, scratch);
    size_t blocks = (size_t)fresh.motion.memory->block_count;
    size_t bodies = (size_t)world->model->body_count;
    bool *is_soft = fresh.is_soft = GMC_NEW(scratch, blocks, bool);
    gmc_twist *look = GMC_ROOM(scratch, bodies, gmc_twist);
    if (!is_soft || !look) return GMC_E_ARENA_FULL;
    memcpy(look, world->kin.V, bodies * sizeof *look);
    size_t mark = gmc_arena_mark(scratch);
    for (int looks = 1, tries = 1;;) {
        gmc_coulomb_step step = fresh;
        gmc_arena_reset(scratch, mark);
        GMC_TRY(find_contacts(&step, look));
        gmc_status status = coulomb_try(&step, looks < GMC_MECHANISM_LOOKS ? look : NULL, report);
        if (status != GMC_OK) gmc_contact_set_restore(&world->contacts);
        looks += step.motion.is_outrun;
        if (step.motion.is_outrun || step.is_squeezed) continue; // each time more is soft
        if (tries++ > 1 || !is_unsolved(&step, status, report)) return status;
        for (size_t b = 0; b < blocks; b++)
            is_soft[b] = true;
        memcpy(look, world->kin.V, bodies * sizeof *look);
        looks = 1;
    }
}

/// Those for the exact cone. lemke is not: it would hold with less friction than the scenario says.
static const char *const SOLVERS[] = {GMC_COULOMB_SOLVERS(GMC_COMMA), NULL};

const gmc_stepper gmc_coulomb_stepper = {
    .name = "coulomb",
    .about = GMC_COULOMB_ABOUT,
    .solvers = SOLVERS,
    .can = GMC_CAN_BOUNCE | GMC_CAN_TORSION | GMC_CAN_ROLLING | GMC_CAN_KINETIC | GMC_CAN_GRAIN |
           GMC_CAN_PADS,
    .knows = {true, true, true},
    .is_centred = true,
    .create = coulomb_create,
    .step = coulomb_step,
};

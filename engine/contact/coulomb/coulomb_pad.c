// Pads: a surface that is an elastic layer of thickness t and modulus E on something rigid. Each
// patch of it is a bed of springs (Winkler's foundation) with the stiffness per area
//
//   k = E (1 - nu) / ((1 + nu)(1 - 2 nu) t)   normal: the layer cannot swell sideways; nu = 0: E/t
//   k_T = E / (2 (1 + nu) t)                  tangential: simple shear
//
// Under a face (of a plane, a box, a mesh, the end of a cylinder) boxes, meshes, cylinders and
// capsules press on the springs that stand there, and the patch is what of them is compressed
// : corners, edges, faces, rims and sides are one law, corners and rims lift off,
// and sliding and spinning share one limit. The rest presses by formulas, contact points of one
// pair of geoms sharing its patch: balls, and rods side to side.
//
//   line   2 points, each with half of its force and slope, so that it resists a tilt as the line
//          does, and a twist 1.15 times as much; half-width a = √(2 R δ): force (4/3) k L a δ.
//          Rods at an angle, up to where they cross upright: below
//   point  a ball's cap, a = √(2 R δ): force π k R δ², torsional limit mu (8/15) a; where it is
//          not all on a face what stands there (below)
//
// with R the radius of what presses, 1/R² the determinant of the curvatures of both surfaces added
// up (of a line 1/R = 1/R1 + 1/R2). [johnson1985] §4.3
//
// Every layer has a bottom, at GMC_PAD_CORE of its thickness: what is deeper presses besides on
// what carries the layer, by contacts of their own. CORE_POINTS points of the surfaces as
// they are without a pad share it; what counts is how deep it is in the mean: half of the deepest
// under a ball, two thirds along a line. That of a ball turns as its part of the cap does,
// a = √(2 R (δ - 0.8 t)).
//
// Two pads on each other are one layer of both thicknesses until the softer one is at its bottom.
// From there on (law.pad_firm_at) only the other one gives, until it is at its own: a second bed,
// or cap, of what the stiffness is more then (law.pad_firm), which begins at that depth.

#include "engine/base/check.h"
#include "engine/collision/flush.h"
#include "engine/collision/seam.h"
#include "engine/contact/contact.h"
#include "engine/contact/coulomb/coulomb_internal.h"
#include "engine/contact/coulomb/patch.h"
#include "engine/math/elementary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- contacts that press by formulas -----------------------------------------------------------

/// Points of the surfaces that it is as hard as.
enum { CORE_POINTS = 7 };

/// Indentation below which round contacts keep their slope, against the layer's thickness.
static const double ROUND_SHALLOW = 1e-3;

static double round_radius(const gmc_geom *geom)
{
    switch (geom->shape.type) {
    case GMC_SHAPE_SPHERE:
    case GMC_SHAPE_CAPSULE:
    case GMC_SHAPE_CYLINDER:
        return geom->shape.radius;
    case GMC_SHAPE_BOX:
    case GMC_SHAPE_PLANE:
    case GMC_SHAPE_POLYTOPE:
    case GMC_SHAPE_POLYGON:
    case GMC_SHAPE_CIRCLE:
    case GMC_SHAPE_SUPER_ELLIPSE:
    case GMC_SHAPE_COUNT:
        break;
    }
    return 0;
}

/// R of a point or line contact.
static double relative_radius(const gmc_contact *contact, const gmc_model *model)
{
    double a = round_radius(&model->geoms[contact->point.geom_a]);
    double b = round_radius(&model->geoms[contact->point.geom_b]);
    return a > 0 && b > 0 ? a * b / (a + b) : a + b;
}

/// Move the points of a patch towards its middle, gaps along with them.
static void gather_points(gmc_contact *c, int count, double factor, gmc_vec3 centre)
{
    double mean = 0;
    for (int i = 0; i < count; i++)
        mean += c[i].point.gap / count;
    for (int i = 0; i < count; i++) {
        gmc_vec3 arm = gmc_vec3_sub(c[i].point.p, centre);
        c[i].point.p = gmc_vec3_add_scaled(centre, factor, arm);
        c[i].point.gap = mean + factor * (c[i].point.gap - mean);
    }
}

static void lay_patch(gmc_contact *c, int count, const gmc_model *model)
{
    static const double THIRD_ROOT = 0.57735026918962576; // 1/√3, Gauss's rule with two points
    gmc_vec3 centre = {0, 0, 0};
    for (int i = 0; i < count; i++)
        centre = gmc_vec3_add_scaled(centre, 1.0 / count, c[i].point.p);
    double spread2 = 0;
    for (int i = 0; i < count; i++) {
        gmc_vec3 arm = gmc_vec3_sub(c[i].point.p, centre);
        spread2 += gmc_vec3_dot(arm, arm) / count;
    }
    double patch = 2 * sqrt(spread2) / count; // two points: their distance, half of it each
    gather_points(c, count, count >= 2 ? THIRD_ROOT : 1, centre);
    for (int i = 0; i < count; i++) {
        c[i].extra->patch = patch;
        c[i].extra->radius = relative_radius(c, model);
        c[i].extra->part = (int)gmc_pad_part_of(c[i].point.feature);
        c[i].extra->cap_force = c[i].extra->cap_slope = 1;
        c[i].extra->cap_stored = c[i].extra->cap_deeper = 1;
        c[i].law.tangential_ratio = c[i].law.extra->pad_shear;
        // the mean depth over a parabola's cap, or along it, against the deepest
        double mean = patch > 0 ? 2.0 / 3 : 0.5;
        if (c[i].extra->part == GMC_PAD_CORE_PART) c[i].law.stiffness *= CORE_POINTS * mean / count;
    }
}

/// Points of one pair of geoms on one part of a pad.
static bool is_together(const gmc_contact *a, const gmc_contact *b)
{
    return a->point.geom_a == b->point.geom_a && a->point.geom_b == b->point.geom_b &&
           gmc_pad_part_of(a->point.feature) == gmc_pad_part_of(b->point.feature);
}

/// Patches of all contacts whose law has a pad and that are of no patch yet: shares, points, gaps.
static void lay_patches(gmc_contact_set *set, const gmc_model *model)
{
    for (int first = 0, end; first < set->count; first = end) {
        gmc_contact *c = &set->contacts[first];
        for (end = first + 1; end < set->count; end++)
            if (!is_together(c, &set->contacts[end])) break;
        if (c->law.extra && c->law.extra->pad > 0 && c->extra->ground == 0)
            lay_patch(c, end - first, model);
    }
}

/// Of a ball that is so deep in it.
static double torsion_of(const gmc_contact *contact, double depth)
{
    double half_width = sqrt(2 * contact->extra->radius * depth * contact->extra->cap_slope);
    return contact->law.extra->torsion + contact->law.friction * (8.0 / 15) * half_width;
}

void gmc_coulomb_pad_press(gmc_contact *contact, double ahead)
{
    const gmc_surface_extra *law = contact->law.extra;
    gmc_contact_extra *extra = contact->extra;
    double k = law->pad, gap = gmc_contact_gap(contact), R = extra->radius;
    extra->pad_gap = gap;
    if (extra->ground != 0 && extra->patch == 0) return; // the core: as hard as without a pad
    if (!(R > 0)) {                                      // of a region: linear
        contact->law.stiffness = k * extra->patch;
        return;
    }
    double depth = fmax(-gap, 0);
    if (extra->part == GMC_PAD_FIRM) k = law->pad_firm;
    if (extra->part == GMC_PAD_CORE_PART) {
        if (extra->patch == 0) extra->torsion = torsion_of(contact, depth);
        return;
    }
    double shallow = ROUND_SHALLOW * law->pad_edge;
    double slope_at = fmax(fmax(depth, -gap - ahead), shallow);
    double half_width = sqrt(2 * R * slope_at), force;
    if (extra->patch > 0) {
        contact->law.stiffness = 2 * k * extra->patch * half_width;
        force = 4.0 / 3 * k * extra->patch * sqrt(2 * R * depth) * depth;
    } else {
        contact->law.stiffness = GMC_PI * k * half_width * half_width * extra->cap_slope;
        force = GMC_PI * k * R * depth * depth * extra->cap_force;
        extra->torsion = torsion_of(contact, depth);
    }
    if (gap <= 0) extra->pad_gap = -force / contact->law.stiffness;
}

/// The same of an overlap, of that of two pads which is pressed most: at its bottom by what that
/// gives under the pressure.
/// @param law   the model's, with the stiffness of points
/// @param area  over which the points of the bottom stand [m²]
static double share_of(const gmc_surface_law *law, double depth, double area)
{
    const gmc_surface_extra *extra = law->extra;
    if (!(extra->pad_soft > 0)) return depth / extra->pad_edge;
    if (depth <= GMC_PAD_CORE * extra->pad_soft) return depth / extra->pad_soft;
    if (!(extra->pad_firm > 0)) return depth / extra->pad_edge; // both come there at once
    double firm = extra->pad + extra->pad_firm, soft_t = extra->pad_soft * extra->pad_firm / firm;
    double given = firm * (depth - extra->pad_firm_at) * area / (CORE_POINTS * law->stiffness);
    double other = (depth - GMC_PAD_CORE * soft_t) / (extra->pad_edge - soft_t);
    return fmax(GMC_PAD_CORE + given / soft_t, other);
}

/// Area of the cap that presses, or of the strip with its two points.
static double area_of(const gmc_contact_extra *extra, double depth)
{
    double half2 = 2 * extra->radius * depth;
    return extra->patch > 0 ? 4 * extra->patch * sqrt(half2) : GMC_PI * half2 * extra->cap_slope;
}

/// How deep a contact presses on a pad, over its thickness; 0 without a pad, and of a region's
/// contacts, whose depths are those of patches.
static double contact_pressed(const gmc_contact *contact, const gmc_model *model)
{
    const gmc_contact_extra *extra = contact->extra;
    if (!extra || extra->ground != 0 || extra->part != GMC_PAD_LAYER ||
        !(contact->law.extra->pad > 0))
        return 0;
    const gmc_geom *a = &model->geoms[contact->point.geom_a];
    const gmc_geom *b = &model->geoms[contact->point.geom_b];
    double depth = extra->cap_deeper * fmax(-gmc_contact_gap(contact), 0);
    return share_of(gmc_model_law(model, a->surface, b->surface), depth, area_of(extra, depth));
}

/// What contacts of a pair that presses by formulas have of them.
struct gmc_coulomb_cap {
    int contact;                         ///< the first of the pair
    gmc_pad_part part;                   ///< of those that this is for; the radius is for all
    double radius;                       ///< as gmc_contact_extra [m]
    double force, slope, stored, deeper; ///< likewise: cap_...
    double patch;                        ///< length of a line that each stands for; 0: as laid [m]
    double gap;                          ///< of such [m]
    double spin; ///< of such: radius at which friction resists a twist besides [m]
};

// ---- balls: the cap ----------------------------------------------------------------------------
// The cap of a ball in a bed of springs on faces with edges: what of it stands on them.
//
// The cap is the parabola d(r) = δ - (r² - e²)/(2 ρ), r from the place under the ball's centre, e
// how far from there the nearest face is, δ the depth of the ball there and ρ = √(R² - e²): it is
// as steep there as the ball. The bed stores U = k/2 ∫ d² dA over what of d > 0 is on a face. Its
// slopes as the centre moves are the force: k ∫ d dA along the face's normal, and aside, away from
// where it stands,
//
//   k ∫ d (x/ρ) dA,  and along e besides  k e/(2 ρ³) ∫ d (r² - e²) dA,
//
// so it goes through the ball's centre, as pressure on a ball does: one contact, whose normal
// leans. A ball is borne by less at an edge, is pushed over it, and no way there and back gives
// energy.
//
// Cut along x at the distance y from the centre, the cap is a parabola again: integrals along it in
// closed form over the intervals that are on a face, over y = a sin θ by Gauss's rule between the
// places where their ends go over from one edge to another or to the rim.

/// Of one face, if it is nearer than what is known.
static void look_at(const gmc_cap_face *face, gmc_cap_near *near)
{
    bool is_over = true;
    gmc_cap_near least = *near;
    for (int i = 0; i < face->count; i++) {
        int j = i + 1 < face->count ? i + 1 : 0;
        double ex = face->x[j] - face->x[i], ey = face->y[j] - face->y[i], e2 = ex * ex + ey * ey;
        if (!(e2 > 0)) continue;
        if (ey * face->x[i] - ex * face->y[i] < 0) is_over = false;
        double along = -(ex * face->x[i] + ey * face->y[i]) / e2;
        along = fmin(fmax(along, 0), 1);
        double x = face->x[i] + along * ex, y = face->y[i] + along * ey;
        double away = sqrt(x * x + y * y);
        if (away < least.away) least = (gmc_cap_near){away, -x / away, -y / away};
    }
    *near = is_over ? (gmc_cap_near){0, 0, 0} : least;
}

gmc_cap_near gmc_coulomb_cap_nearest(const gmc_cap_face *faces, int count)
{
    gmc_cap_near near = {.away = INFINITY};
    for (int i = 0; i < count; i++)
        look_at(&faces[i], &near);
    return near;
}

bool gmc_coulomb_cap_is_whole(const gmc_cap_face *face, double radius)
{
    for (int i = 0; i < face->count; i++) {
        int j = i + 1 < face->count ? i + 1 : 0;
        double ex = face->x[j] - face->x[i], ey = face->y[j] - face->y[i];
        double inside = ey * face->x[i] - ex * face->y[i];
        if (!(inside >= radius * sqrt(ex * ex + ey * ey))) return false;
    }
    return true;
}

// ---- slices ------------------------------------------------------------------------------------

/// Integrals over the cap: 1, d, d²/2, d x, d y, d r².
typedef struct sums {
    double area, depth, stored, depth_x, depth_y, depth_rr;
} sums;

typedef struct interval {
    double from, to;
} interval;

/// Intervals in their order, those that overlap joined. @return how many
static int join(interval *list, int count)
{
    int joined = 0;
    for (int i = 1; i < count; i++) {
        interval one = list[i];
        int at = i;
        for (; at > 0 && list[at - 1].from > one.from; at--)
            list[at] = list[at - 1];
        list[at] = one;
    }
    for (int i = 1; i < count; i++) {
        if (list[i].from <= list[joined].to)
            list[joined].to = fmax(list[joined].to, list[i].to);
        else
            list[++joined] = list[i];
    }
    return count > 0 ? joined + 1 : 0;
}

/// The parabola of a cap: D - (x² + y²)/(2 ρ).
typedef struct parabola {
    double rho, top; ///< ρ, D [m]
} parabola;

/// One slice of width w.
static void add_slice(const gmc_cap *cap, const parabola *p, double y, double w, sums *to)
{
    interval on[GMC_CAP_FACES];
    double rho = p->rho, c = p->top - y * y / (2 * rho), half = sqrt(fmax(2 * rho * c, 0));
    int found = 0;
    for (int i = 0; i < cap->face_count; i++) {
        const gmc_cap_face *face = &cap->faces[i];
        on[found] = (interval){-half, half};
        gmc_patch_cut_line(face->x, face->y, face->count, y, &on[found].from, &on[found].to);
        if (on[found].from < on[found].to) found++;
    }
    found = join(on, found);
    for (int i = 0; i < found; i++)
        for (int end = 0; end < 2; end++) {
            double x = end ? on[i].to : on[i].from, sign = end ? w : -w, x2 = x * x;
            double depth = x * (c - x2 / (6 * rho));
            to->area += sign * x;
            to->depth += sign * depth;
            to->stored += sign * 0.5 * x * (c * c - x2 * (c / (3 * rho) - x2 / (20 * rho * rho)));
            to->depth_x += sign * x2 * (c / 2 - x2 / (8 * rho));
            to->depth_y += sign * depth * y;
            to->depth_rr += sign * (x2 * x * (c / 3 - x2 / (10 * rho)) + depth * y * y);
        }
}

/// Add a place to an ordered list between its ends.
static void add_break(double y, double *list, int *count)
{
    if (!(y > list[0] && y < list[*count - 1])) return;
    int at = (*count)++;
    for (; list[at - 1] > y; at--)
        list[at] = list[at - 1];
    list[at] = y;
}

/// Corners, and where edges cross the rim.
static void find_breaks(const gmc_cap_face *face, double radius, double *list, int *count)
{
    for (int i = 0; i < face->count; i++) {
        int j = i + 1 < face->count ? i + 1 : 0;
        double ex = face->x[j] - face->x[i], ey = face->y[j] - face->y[i];
        double length = sqrt(ex * ex + ey * ey);
        add_break(face->y[i], list, count);
        if (!(length > 0)) continue;
        double along = -(face->x[i] * ex + face->y[i] * ey) / length;
        double off = (face->x[i] * ey - face->y[i] * ex) / length;
        double half2 = radius * radius - off * off;
        if (!(half2 > 0)) continue;
        for (int k = -1; k <= 1; k += 2) {
            double at = along + k * sqrt(half2);
            if (at > 0 && at < length) add_break(face->y[i] + at / length * ey, list, count);
        }
    }
}

/// Gauss's rule with six points between two places, on parts of it that are no wider than WIDEST
/// [rad].
static void add_slices(const gmc_cap *cap, const parabola *p, interval angles, sums *to)
{
    static const double AT[3] = {0.23861918608319691, 0.66120938646626451, 0.93246951420315203};
    static const double SHARE[3] = {0.46791393457269104, 0.36076157304813861, 0.17132449237917036};
    static const double WIDEST = 0.6;
    double radius = sqrt(2 * p->rho * p->top), width = angles.to - angles.from;
    int parts = 1 + (int)(width / WIDEST);
    double half = width / (2 * parts);
    for (int part = 0; part < parts; part++)
        for (int i = 0; i < 6; i++) {
            int k = i < 3 ? i : i - 3;
            double middle = angles.from + (2 * part + 1) * half, s, c;
            gmc_sin_cos(middle + half * (i < 3 ? -AT[k] : AT[k]), &s, &c);
            add_slice(cap, p, radius * s, SHARE[k] * half * radius * c, to);
        }
}

gmc_status gmc_coulomb_cap_integrate(const gmc_cap *cap, double depth, gmc_arena *arena,
                                     gmc_cap_share *share)
{
    size_t mark = gmc_arena_mark(arena), room = 2;
    double R = cap->radius, e = cap->near.away, rho = sqrt(R * R - e * e);
    const parabola p = {rho, depth + e * e / (2 * rho)};
    double radius = sqrt(2 * rho * p.top);
    for (int i = 0; i < cap->face_count; i++)
        room += 3 * (size_t)cap->faces[i].count;
    double *breaks = GMC_ROOM(arena, room, double);
    if (!breaks) return GMC_E_ARENA_FULL;
    int places = 2;
    breaks[0] = -radius;
    breaks[1] = radius;
    for (int i = 0; i < cap->face_count; i++)
        find_breaks(&cap->faces[i], radius, breaks, &places);
    sums of = {0};
    interval angles = {0, -GMC_PI / 2};
    for (int i = 1; i < places; i++) {
        double y = breaks[i];
        angles.from = angles.to;
        angles.to = gmc_atan2(y, sqrt(fmax(radius * radius - y * y, 0)));
        if (angles.from < angles.to) add_slices(cap, &p, angles, &of);
    }
    gmc_arena_reset(arena, mark);
    *share = (gmc_cap_share){0};
    if (!(of.depth > 0)) return GMC_OK;
    double more = e * (of.depth_rr / of.depth - e * e) / (2 * rho * rho * rho);
    double x = -of.depth_x / (rho * of.depth) + more * cap->near.x;
    double y = -of.depth_y / (rho * of.depth) + more * cap->near.y;
    double stretch2 = 1 + x * x + y * y, area = 2 * GMC_PI * R * depth;
    *share = (gmc_cap_share){.force = sqrt(stretch2) * of.depth / (0.5 * area * depth),
                             .slope = stretch2 * of.area / area,
                             .stored = of.stored / (area * depth * depth / 6),
                             .lean_x = x,
                             .lean_y = y};
    return GMC_OK;
}

// ---- balls: where they stand -------------------------------------------------------------------
// Balls on pads where their cap stands on an edge (below), by the one contact that they have: its
// normal leans with the force, its gap is the depth where that is most, and shares of the whole
// cap's formulas (above) are the force, its slope and what it stores. Where the whole cap is on the
// face that it presses on nothing is changed.
//
// The face is that which looks at the ball most. It goes on over those of the same rigid set that
// are flush with it and have no contact of their own with the ball (flush.h drops them at a seam;
// where both have one each bears what stands on it), and over facets that lean from it by less than
// 20 degrees: those of something curved bear a ball as one face.

/// Of a face that the ball presses on, and of a facet that goes on from it (cosines).
static const double BALL_FACING = 0.5, BALL_ALONG = 0.94;

/// One ball on a face.
typedef struct stand {
    gmc_coulomb_step *step;
    int contact;                     ///< that it will be
    const gmc_contact_point *points; ///< of the step: others that the ball has
    int point_count;
    int ball, owner; ///< geoms
    gmc_vec3 centre; ///< of the ball
    double radius;
    double reach; ///< of what of a face may count, about the place under the centre [m]
    gmc_patch_ground ground;
    gmc_cap_face faces[GMC_CAP_FACES];
    int face_count;
    bool is_full; ///< there are more
} stand;

static bool has_flat(gmc_shape_type type)
{
    return gmc_shape_has_faces(type) && type != GMC_SHAPE_PLANE;
}

/// A ball, and what may have an edge?
static bool is_ball_on_flat(const gmc_world *world, const gmc_contact_point *point, bool *is_b)
{
    gmc_shape_type a = world->model->geoms[point->geom_a].shape.type;
    gmc_shape_type b = world->model->geoms[point->geom_b].shape.type;
    *is_b = b == GMC_SHAPE_SPHERE;
    gmc_shape_type owner = *is_b ? a : b;
    return (a == GMC_SHAPE_SPHERE) != *is_b && (has_flat(owner) || owner == GMC_SHAPE_CYLINDER);
}

/// A face's corners about the place under the centre, as the stand's ground sees them.
static gmc_status lay_face(stand *s, const gmc_patch_ground *face)
{
    gmc_arena *arena = s->step->motion.scratch;
    size_t n = (size_t)face->count, mark = gmc_arena_mark(arena);
    double *x = GMC_ROOM(arena, 2 * n, double);
    if (!x) return GMC_E_ARENA_FULL;
    for (int i = 0; i < face->count; i++) {
        gmc_vec3 p = gmc_vec3_add_scaled(face->origin, face->corner_x[i], face->x);
        p = gmc_vec3_add_scaled(p, face->corner_y[i], face->y);
        p = gmc_vec3_sub(p, s->centre);
        x[i] = gmc_vec3_dot(p, s->ground.x);
        x[n + (size_t)i] = gmc_vec3_dot(p, s->ground.y);
    }
    gmc_cap_face made = {face->count, x, x + n};
    if (s->face_count == GMC_CAP_FACES || gmc_coulomb_cap_nearest(&made, 1).away > s->reach) {
        s->is_full = s->face_count == GMC_CAP_FACES;
        gmc_arena_reset(arena, mark);
        return GMC_OK;
    }
    s->faces[s->face_count++] = made;
    return GMC_OK;
}

/// Faces of a geom that go on from the ground.
/// @param except  not this one
static gmc_status lay_faces(stand *s, int geom, int except)
{
    gmc_solid solid = gmc_world_solid(s->step->motion.world, geom);
    bool is_mesh = solid.shape->type == GMC_SHAPE_POLYTOPE &&
                   s->step->motion.world->model->geoms[s->owner].shape.type == GMC_SHAPE_POLYTOPE;
    double flush = fmin(GMC_FLUSH_STEP, GMC_FLUSH_SHARE * s->radius);
    int count = has_flat(solid.shape->type) ? gmc_shape_face_count(&solid) : 2;
    for (int f = 0; f < count; f++) {
        gmc_vec3 n = gmc_patch_face_normal(&solid, f);
        double along = gmc_vec3_dot(n, s->ground.n), slack = flush;
        if (f == except || along < (is_mesh ? BALL_ALONG : 1 - GMC_SEAM_SAME_NORMAL)) continue;
        if (is_mesh) slack += s->reach * sqrt(fmax(1 - along * along, 0));
        gmc_patch_ground face;
        size_t mark = gmc_arena_mark(s->step->motion.scratch);
        GMC_TRY(gmc_patch_lay_ground(&solid, f, s->centre, s->step->motion.scratch, &face));
        double height = gmc_vec3_dot(s->ground.n, gmc_vec3_sub(s->centre, s->ground.origin));
        double above = gmc_vec3_dot(n, gmc_vec3_sub(s->centre, face.origin)) / along;
        if (fabs(above - height) <= slack || (except >= 0 && is_mesh))
            GMC_TRY(lay_face(s, &face));
        else
            gmc_arena_reset(s->step->motion.scratch, mark);
    }
    return GMC_OK;
}

/// Has a geom a contact of its own with the ball?
static bool has_point(const stand *s, int geom)
{
    for (int i = 0; i < s->point_count; i++) {
        const gmc_contact_point *p = &s->points[i];
        if ((p->geom_a == s->ball && p->geom_b == geom) ||
            (p->geom_b == s->ball && p->geom_a == geom))
            return true;
    }
    return false;
}

static gmc_status lay_neighbours(stand *s)
{
    const gmc_world *world = s->step->motion.world;
    const gmc_model *model = world->model;
    for (int g = 0; g < model->geom_count; g++) {
        const gmc_geom *geom = &model->geoms[g];
        bool is_round = geom->shape.type == GMC_SHAPE_CYLINDER;
        if (g == s->owner || g == s->ball || !(has_flat(geom->shape.type) || is_round) ||
            !gmc_model_is_one_body(model, geom->body, model->geoms[s->owner].body) ||
            !gmc_model_has_pad(model, g, s->ball))
            continue;
        gmc_vec3 middle = gmc_pose_apply(&geom->X_bg, gmc_shape_centre(&geom->shape));
        middle = gmc_pose_apply(&world->kin.X_wb[geom->body], middle);
        double far = gmc_vec3_norm(gmc_vec3_sub(middle, s->centre));
        if (far > gmc_shape_radius(&geom->shape) + s->radius + s->reach || has_point(s, g))
            continue;
        GMC_TRY(lay_faces(s, g, -1));
    }
    return GMC_OK;
}

static double cap_ahead(const gmc_coulomb_step *step, const gmc_contact_point *point)
{
    const gmc_world *world = step->motion.world;
    const gmc_geom *geoms = world->model->geoms;
    gmc_twist V = gmc_twist_add_scaled(world->kin.V[geoms[point->geom_b].body], -1,
                                       world->kin.V[geoms[point->geom_a].body]);
    return step->motion.h * gmc_vec3_dot(point->n, gmc_twist_at(&V, point->p));
}

/// Shares of one bed, in a record behind the others.
/// @param depth  where the cap is deepest [m]
/// @param slope_at  where the spring has its slope [m]
static gmc_status record_cap(const stand *s, gmc_cap_near near, double depth, double slope_at,
                             gmc_pad_part part, gmc_cap_share *now)
{
    gmc_coulomb_step *step = s->step;
    gmc_arena *arena = step->motion.scratch;
    const gmc_cap cap = {s->faces, s->face_count, s->radius, near};
    gmc_cap_share ahead;
    GMC_TRY(gmc_coulomb_cap_integrate(&cap, slope_at, arena, &ahead));
    *now = ahead;
    if (depth > 0 && depth != slope_at) GMC_TRY(gmc_coulomb_cap_integrate(&cap, depth, arena, now));
    bool is_borne = now->force > 0 && ahead.slope > 0;
    step->caps[step->cap_count++] = (struct gmc_coulomb_cap){
        .contact = s->contact,
        .part = part,
        .radius = s->radius,
        .force = now->force,
        .slope = ahead.slope,
        .deeper = 1,
        .stored = is_borne ? now->stored * now->slope / (now->force * now->force) : 1};
    return GMC_OK;
}

/// The ball, the face and what goes on from it. @return in s->face_count: 0 if the cap is whole
static gmc_status open_stand(stand *s, const gmc_contact_point *point, bool is_b, double deepest)
{
    const gmc_world *world = s->step->motion.world;
    gmc_solid ball = gmc_world_solid(world, s->ball), owner = gmc_world_solid(world, s->owner);
    double cosine;
    int face = gmc_patch_face(&owner, is_b ? point->n : gmc_vec3_neg(point->n), &cosine);
    if (!(cosine > BALL_FACING)) return GMC_OK;
    s->centre = ball.X.p;
    s->radius = ball.shape->radius;
    GMC_TRY(gmc_patch_lay_ground(&owner, face, s->centre, s->step->motion.scratch, &s->ground));
    s->reach = sqrt(2 * s->radius * deepest);
    double reach = s->reach;
    s->reach = INFINITY;
    GMC_TRY(lay_face(s, &s->ground));
    s->reach = reach;
    bool is_end = owner.shape->type == GMC_SHAPE_CYLINDER;
    if (gmc_coulomb_cap_is_whole(&s->faces[0], reach)) {
        s->face_count = is_end; // its radius is the ball's
        return GMC_OK;
    }
    double away = gmc_coulomb_cap_nearest(&s->faces[0], 1).away;
    s->reach = sqrt(reach * reach + away * away);
    GMC_TRY(lay_faces(s, s->owner, face));
    return lay_neighbours(s);
}

/// The contact where the force acts.
static void lean_contact(const stand *s, const gmc_cap_share *share, bool is_b, double depth,
                         gmc_contact_point *point)
{
    gmc_vec3 out = gmc_vec3_add_scaled(s->ground.n, share->lean_x, s->ground.x);
    out = gmc_vec3_unit(gmc_vec3_add_scaled(out, share->lean_y, s->ground.y));
    point->n = is_b ? out : gmc_vec3_neg(out);
    point->p = gmc_vec3_add_scaled(s->centre, 0.5 * depth - s->radius, out);
    point->gap = -depth;
}

static gmc_status cut_cap(stand *s, gmc_contact_point *point, bool is_b,
                          const gmc_surface_extra *pad)
{
    double shallow = ROUND_SHALLOW * pad->pad_edge, ahead = cap_ahead(s->step, point);
    gmc_cap_near near = gmc_coulomb_cap_nearest(s->faces, s->face_count);
    if (s->is_full || !(near.away < s->radius)) return GMC_OK;
    double height = gmc_vec3_dot(s->ground.n, gmc_vec3_sub(s->centre, s->ground.origin));
    double depth = sqrt(s->radius * s->radius - near.away * near.away) - height;
    bool is_touching = point->gap < 0 && depth > 0;
    double gap = is_touching ? -depth : fmax(point->gap, 0);
    gmc_cap_share share;
    double slope_at = fmax(fmax(-gap, -gap - ahead), shallow);
    GMC_TRY(record_cap(s, near, -gap, slope_at, GMC_PAD_LAYER, &share));
    if (is_touching && share.force > 0) lean_contact(s, &share, is_b, depth, point);
    if (!(pad->pad_firm > 0)) return GMC_OK;
    gap += pad->pad_firm_at;
    slope_at = fmax(fmax(-gap, -gap - ahead), shallow);
    return record_cap(s, near, -gap, slope_at, GMC_PAD_FIRM, &share);
}

/// A ball on a pad where its cap is not all on a face: its point to where it is pressed, and what
/// its contacts have of the whole cap (share_cap).
/// @param at       of points: the pair's only one
/// @param contact  that it will be
/// @return GMC_OK, GMC_E_ARENA_FULL
static gmc_status find_cap(gmc_coulomb_step *step, gmc_contact_point *points, int count, int at,
                           int contact)
{
    const gmc_world *world = step->motion.world;
    const gmc_geom *geoms = world->model->geoms;
    gmc_contact_point *point = &points[at];
    bool is_b;
    if (!is_ball_on_flat(world, point, &is_b) ||
        !gmc_model_has_pad(world->model, point->geom_a, point->geom_b))
        return GMC_OK;
    stand s = {.step = step,
               .contact = contact,
               .points = points,
               .point_count = count,
               .ball = is_b ? point->geom_b : point->geom_a,
               .owner = is_b ? point->geom_a : point->geom_b};
    const gmc_surface_law *law =
        gmc_model_law(world->model, geoms[point->geom_a].surface, geoms[point->geom_b].surface);
    double depth = fmax(-point->gap, 0), ahead = cap_ahead(step, point);
    double deepest = fmax(fmax(depth, -point->gap - ahead), ROUND_SHALLOW * law->extra->pad_edge);
    size_t mark = gmc_arena_mark(step->motion.scratch);
    GMC_TRY(open_stand(&s, point, is_b, deepest));
    if (s.face_count > 0) GMC_TRY(cut_cap(&s, point, is_b, law->extra));
    gmc_arena_reset(step->motion.scratch, mark);
    return GMC_OK;
}

static void share_cap(const struct gmc_coulomb_cap *cap, gmc_contact *contact)
{
    gmc_contact_extra *extra = contact->extra;
    extra->radius = cap->radius;
    if (gmc_pad_part_of(contact->point.feature) != cap->part) return;
    extra->cap_force = cap->force;
    extra->cap_slope = cap->slope;
    extra->cap_stored = cap->stored;
    extra->cap_deeper = cap->deeper;
    if (!(cap->patch > 0)) return;
    extra->patch = cap->patch;
    extra->torsion = contact->law.extra->torsion + contact->law.friction * cap->spin;
    contact->point.gap = cap->gap;
}

/// Once they are contacts and have been laid.
static void share_caps(const gmc_coulomb_step *step)
{
    const gmc_contact_set *set = &step->motion.world->contacts;
    for (int i = 0; i < step->cap_count; i++) {
        const struct gmc_coulomb_cap *cap = &step->caps[i];
        const gmc_contact_point *first = &set->contacts[cap->contact].point;
        for (int c = cap->contact; c < set->count; c++) {
            gmc_contact *contact = &set->contacts[c];
            if (contact->point.geom_a != first->geom_a || contact->point.geom_b != first->geom_b)
                break;
            share_cap(cap, contact);
        }
    }
}

// ---- rods --------------------------------------------------------------------------------------
// Rods side to side on a pad: one line of springs, whatever the angle between them. Cut upright to
// the bisector t of their axes both are circles (of a capsule beyond its end ever smaller ones), so
// that at s along t the overlap δ(s) is what their radii exceed the distance of their axes by, and
// the bed bears and gives there (above)
//
//   f = (4/3) k √(2 R) δ^(3/2),  f' = 2 k √(2 R δ),  1/R = cos²(θ/2) (1/R1 + 1/R2)
//
// with θ the angle between the axes: what they are cut at is as much longer across, and the
// distance of the axes counts as much less across. As springs are parabolas' elsewhere, what the
// axes are apart by across counts as its square over 2 (R1 + R2). Of rods that cross far from
// their ends this is the paraboloid's bed at any angle, and the couple that turns them about what
// is upright to both is that of its potential U:
//
//   F = π k √(R1 R2) δ²/sin θ,  U = F δ/3,  -∂U/∂θ = F (δ/3) cot θ
//
// Two contacts stand for the line, each with half of its force and slope, with the depth
// ∫ δ^(3/2) / ∫ √δ on a length of their own. With σ how far the force spreads from its middle they
// are at ± σ √(cos θ) from there, and press from axis to axis as these are cut there, so that
// neither rod is turned about its own: of parallel rods Gauss's points, of such as cross upright
// one point. They turn the rods by
//
//   2 F σ² tan(θ/2) cos θ/(R1 + R2)
//
// which is -∂/∂θ of the line's ∫ (8/15) k √(2 R) δ^(5/2), its ends being cut upright to the axes,
// and F (δ/3) cot θ where nothing is cut: there σ² = δ (R1 + R2)/(12 sin²(θ/2)). A twist they
// resist at σ/cos(θ/2), what their distance has not by friction about their normals. That is the
// root mean square radius of the pressure where nothing is cut, 1.08 to 1.2 times the mean one.
// As normals lean, damping brakes what slides along one of the axes, too: by 0.02 s/m of the force
// at 50 to 70 degrees, by nothing of parallel and upright ones.
//
// Where the region is less than SLENDER times as long as wide it is as if there were no ends; where
// the rods cross beyond an end of either one contact has it, as on balls, with the radius √(R1 R2)
// of the paraboloid between the two surfaces, 1/(R1 R2) the determinant of what its curvatures add
// up to.
//
// Before, rods were lines within 1e-5 of their size from parallel and else balls of
// 1/R = 1/R1 + 1/R2: of 30 mm at 0.5 degrees they bore 4.7 N in place of 34. Along the way on which
// the overlap is least in each cut they had F σ² sin θ/(R1 + R2), which is no potential's: slices
// are wider too as they turn.

/// Of a region, its length against its width.
static const double SLENDER = 1.7;
/// Sine of the largest angle of the normal against what is upright to t.
static const double LEAN_MAX = 0.5;

/// Two rods on their way along t.
typedef struct run {
    gmc_vec3 p[2], axis[2]; ///< centres, and axes along t
    double radius[2], half[2];
    bool has_balls[2];  ///< at its ends
    gmc_vec3 t, across; ///< across: in the plane of the axes
    gmc_vec3 up;        ///< from one axis to the other where they are deepest, as seen
    double level;       ///< cos(θ/2)
    double from, to;    ///< of what both have, along t from p[0] [m]
} run;

/// Integrals along it.
typedef struct line {
    double deepest;                                 ///< largest δ, less than 0 too [m]
    double at;                                      ///< where that is [m]
    double force, force_s, force_ss, slope, stored; ///< of δ^(3/2), by s and s², √δ, δ^(5/2)
} line;

static gmc_vec3 axis_at(const run *r, int i, double s)
{
    double ahead = s - gmc_vec3_dot(r->t, gmc_vec3_sub(r->p[i], r->p[0]));
    return gmc_vec3_add_scaled(r->p[i], ahead / gmc_vec3_dot(r->axis[i], r->t), r->axis[i]);
}

/// Of one where it is cut at s; beyond the ends of a capsule that of its balls.
static double radius_at(const run *r, int i, double s)
{
    double ahead = s - gmc_vec3_dot(r->t, gmc_vec3_sub(r->p[i], r->p[0]));
    double beyond = fabs(ahead) / gmc_vec3_dot(r->axis[i], r->t) - r->half[i];
    if (!r->has_balls[i] || beyond <= 0) return r->radius[i];
    return sqrt(fmax(r->radius[i] * r->radius[i] - beyond * beyond, 0));
}

/// From one axis to the other.
static gmc_vec3 between(const run *r, double s)
{
    return gmc_vec3_sub(axis_at(r, 1, s), axis_at(r, 0, s));
}

/// The same where what is across counts less.
static gmc_vec3 seen(const run *r, gmc_vec3 d)
{
    return gmc_vec3_add_scaled(d, (r->level - 1) * gmc_vec3_dot(r->across, d), r->across);
}

/// What radii exceed the distance by.
static double excess_at(const run *r, double s)
{
    return radius_at(r, 0, s) + radius_at(r, 1, s) - gmc_vec3_norm(seen(r, between(r, s)));
}

/// Of parabolas.
static double overlap_at(const run *r, double s)
{
    gmc_vec3 d = seen(r, between(r, s));
    double high = gmc_vec3_dot(r->up, d), aside2 = gmc_vec3_dot(d, d) - high * high;
    double bent = aside2 / (2 * (r->radius[0] + r->radius[1]));
    return radius_at(r, 0, s) + radius_at(r, 1, s) - high - bent;
}

/// Where the overlap is largest: it is concave along the line, but for rounding.
static void find_deepest(run *r, line *of)
{
    enum { TURNS = 60 };
    static const double GOLDEN = 0.61803398874989485;
    double low = r->from, high = r->to;
    double a = high - GOLDEN * (high - low), b = low + GOLDEN * (high - low);
    double at_a = excess_at(r, a), at_b = excess_at(r, b);
    for (int i = 0; i < TURNS && high - low > 1e-9 * (r->to - r->from); i++) {
        if (at_a > at_b) {
            high = b, b = a, at_b = at_a;
            a = high - GOLDEN * (high - low), at_a = excess_at(r, a);
        } else {
            low = a, a = b, at_a = at_b;
            b = low + GOLDEN * (high - low), at_b = excess_at(r, b);
        }
    }
    of->at = (low + high) / 2;
    of->deepest = excess_at(r, of->at);
    r->up = gmc_vec3_unit(seen(r, between(r, of->at)));
}

/// Where the overlap comes to `level` between a place that has more and an end.
static double end_of(const run *r, double in, double end, double level)
{
    if (overlap_at(r, end) > level) return end;
    for (int i = 0; i < 50; i++) {
        double middle = (in + end) / 2;
        *(overlap_at(r, middle) > level ? &in : &end) = middle;
    }
    return (in + end) / 2;
}

/// Integrals of what is deeper than `level`, by Gauss's rule for s = middle + half sin φ.
static void integrate(const run *r, double level, line *of)
{
    enum { POINTS = 8 };
    static const double AT[POINTS / 2] = {0.18343464249564980, 0.52553240991632899,
                                          0.79666647741362674, 0.96028985649753623};
    static const double SHARE[POINTS / 2] = {0.36268378337836198, 0.31370664587788729,
                                             0.22238103445337447, 0.10122853629037626};
    double low = end_of(r, of->at, r->from, level), high = end_of(r, of->at, r->to, level);
    double middle = (low + high) / 2, half = (high - low) / 2;
    of->force = of->force_s = of->force_ss = of->slope = of->stored = 0;
    for (int i = 0; i < POINTS; i++) {
        int k = i / 2;
        double sine, cosine;
        gmc_sin_cos(GMC_PI / 2 * (i % 2 ? AT[k] : -AT[k]), &sine, &cosine);
        double s = middle + half * sine, w = GMC_PI / 2 * SHARE[k] * cosine * half;
        double depth = fmax(overlap_at(r, s) - level, 0), root = sqrt(depth);
        of->slope += w * root;
        of->force += w * depth * root;
        of->force_s += w * depth * root * s;
        of->force_ss += w * depth * root * s * s;
        of->stored += w * depth * depth * root;
    }
}

// ---- rods: one contact -------------------------------------------------------------------------

/// Determinant of the sum of two surfaces' curvatures.
/// @param curvature  1/radius: of a ball all about, of a rod across it alone
/// @param sine2      of the angle between two rods, squared
static double determinant(const double curvature[2], const bool is_ball[2], double sine2)
{
    double a = curvature[0], b = curvature[1];
    if (is_ball[0] && is_ball[1]) return (a + b) * (a + b);
    if (is_ball[0]) return a * (a + b);
    if (is_ball[1]) return b * (a + b);
    return a * b * sine2;
}

/// Is a point beyond the ends of a rod's axis?
static bool is_beyond(const gmc_solid *rod, gmc_vec3 p)
{
    gmc_vec3 axis = gmc_mat3_column(&rod->X.R, 2);
    return fabs(gmc_vec3_dot(axis, gmc_vec3_sub(p, rod->X.p))) > rod->shape->half_length;
}

/// The radius of one contact of two round solids; 0: as above.
static double point_radius(const gmc_solid solids[2], const gmc_contact_point *point)
{
    double curvature[2];
    bool is_ball[2];
    gmc_vec3 way[2] = {{0, 0, 0}, {0, 0, 0}};
    for (int i = 0; i < 2; i++) {
        const gmc_shape *shape = solids[i].shape;
        curvature[i] = 1 / shape->radius;
        is_ball[i] = shape->type == GMC_SHAPE_SPHERE ||
                     (shape->type == GMC_SHAPE_CAPSULE && is_beyond(&solids[i], point->p));
        if (is_ball[i]) continue;
        way[i] = gmc_vec3_cross(point->n, gmc_mat3_column(&solids[i].X.R, 2));
        if (gmc_vec3_dot(way[i], way[i]) < 0.5) return 0; // a flat end
        way[i] = gmc_vec3_scale(1 / gmc_vec3_norm(way[i]), way[i]);
    }
    gmc_vec3 cross = gmc_vec3_cross(way[0], way[1]);
    double det = determinant(curvature, is_ball, gmc_vec3_dot(cross, cross));
    return det > 0 ? 1 / sqrt(det) : 0;
}

// ---- rods: two ---------------------------------------------------------------------------------

static run open_run(const gmc_solid solids[2])
{
    run r = {.from = -INFINITY, .to = INFINITY};
    for (int i = 0; i < 2; i++) {
        r.p[i] = solids[i].X.p;
        r.axis[i] = gmc_mat3_column(&solids[i].X.R, 2);
        r.radius[i] = solids[i].shape->radius;
        r.half[i] = solids[i].shape->half_length;
        r.has_balls[i] = solids[i].shape->type == GMC_SHAPE_CAPSULE;
    }
    if (gmc_vec3_dot(r.axis[0], r.axis[1]) < 0) r.axis[1] = gmc_vec3_neg(r.axis[1]);
    r.t = gmc_vec3_unit(gmc_vec3_add(r.axis[0], r.axis[1]));
    gmc_vec3 upright = gmc_vec3_cross(r.axis[0], r.axis[1]);
    if (gmc_vec3_norm(upright) > 1e-9) r.across = gmc_vec3_unit(gmc_vec3_cross(upright, r.t));
    r.level = gmc_vec3_dot(r.axis[0], r.t);
    for (int i = 0; i < 2; i++) {
        double middle = gmc_vec3_dot(r.t, gmc_vec3_sub(r.p[i], r.p[0]));
        double reach = (r.half[i] + (r.has_balls[i] ? r.radius[i] : 0)) * r.level;
        r.from = fmax(r.from, middle - reach);
        r.to = fmin(r.to, middle + reach);
    }
    return r;
}

/// Is their region a line? Its length over its width is the root of what its curvatures are to
/// each other.
static bool is_slender(const run *r)
{
    double a = 1 / r->radius[0], b = 1 / r->radius[1];
    gmc_vec3 cross = gmc_vec3_cross(r->axis[0], r->axis[1]);
    double det = a * b * gmc_vec3_dot(cross, cross), both = a + b;
    double big = 0.5 * (both + sqrt(fmax(both * both - 4 * det, 0)));
    return big * big >= SLENDER * SLENDER * det;
}

/// Let rods that cross go on past their ends. @return false if they cross there
static bool let_cross(run *r)
{
    gmc_vec3 d = between(r, 0), way = gmc_vec3_sub(between(r, 1), d);
    double s = -gmc_vec3_dot(d, way) / gmc_vec3_dot(way, way);
    for (int i = 0; i < 2; i++) {
        double ahead = s - gmc_vec3_dot(r->t, gmc_vec3_sub(r->p[i], r->p[0]));
        if (fabs(ahead) > r->half[i] * r->level) return false;
        r->has_balls[i] = false;
    }
    double reach = 1.5 * (r->radius[0] + r->radius[1]); // √2 where all overlaps, at 60 degrees
    r->from = s - reach, r->to = s + reach;
    return true;
}

/// The contact from axis to axis at s.
static void press_at(const run *r, gmc_vec3 up, double s, gmc_contact_point *made)
{
    gmc_vec3 a = axis_at(r, 0, s), b = axis_at(r, 1, s), aside = gmc_vec3_sub(b, a);
    aside = gmc_vec3_add_scaled(aside, -gmc_vec3_dot(up, aside), up);
    double sum = r->radius[0] + r->radius[1], less = r->radius[0] - r->radius[1];
    made->n = gmc_vec3_unit(gmc_vec3_add_scaled(up, 1 / sum, aside));
    made->p = gmc_vec3_scale(0.5, gmc_vec3_add(a, b));
    made->p = gmc_vec3_add_scaled(made->p, 0.5 * less, made->n);
}

/// What stands for a part of the pad that begins at a depth: a record, and two points. Of less than
/// `shallow` it is that of so much, in proportion.
static struct gmc_coulomb_cap lay_part(const run *r, line *of, double from, double shallow,
                                       bool is_core, gmc_contact_point made[2])
{
    double depth = of->deepest - from, looked = fmax(depth, shallow);
    integrate(r, of->deepest - looked, of);
    double middle = of->force_s / of->force, spread2 = of->force_ss / of->force - middle * middle;
    double spread = sqrt(fmax(spread2, 0));
    double out = spread * sqrt(fmax(2 * r->level * r->level - 1, 0));
    gmc_vec3 up = gmc_vec3_unit(seen(r, r->up));
    for (int i = 0; i < 2; i++)
        press_at(r, up, middle + (i ? out : -out), &made[i]);
    gmc_vec3 apart = gmc_vec3_scale(0.5, gmc_vec3_sub(made[1].p, made[0].p));
    double spin = spread / r->level - gmc_vec3_norm(apart);
    made[0].p =
        gmc_vec3_add_scaled(made[0].p, 1 - sqrt(3), apart); // they are drawn nearer (gather_points)
    made[1].p = gmc_vec3_add_scaled(made[1].p, sqrt(3) - 1, apart);
    if (is_core) made[0].n = made[1].n = up; // as hard at any angle: no couple

    // normals that lean have `upright` of the way and 1/upright of the force
    double upright = gmc_vec3_dot(up, gmc_vec3_add(made[0].n, made[1].n)) / 2;
    double deep = of->force / of->slope, level2 = r->level * r->level;
    double radius = r->radius[0] * r->radius[1] / (r->radius[0] + r->radius[1]) / level2;
    double gap = upright * (depth > 0 ? -depth * deep / looked : -depth);
    return (struct gmc_coulomb_cap){
        .radius = radius,
        .force = 1,
        .slope = 1,
        .patch = 0.5 * of->slope / sqrt(deep * upright) / (upright * upright),
        .spin = spin > 1e-6 * spread ? spin : 0, // not by rounding
        .gap = is_core ? -depth : gap,           // lay_patch has the mean
        .deeper = looked / (deep * upright),
        // (8/15) δ^(5/2) of (4/3)² (∫ δ^(3/2))²/(2 ∫ √δ), a whole line's 3/5
        .stored = of->stored * of->slope / (of->force * of->force)};
}

/// Two contacts for the line on each part of the pad; none of one. @return how many
static int lay_line(const gmc_solid solids[2], const gmc_contact_point *point,
                    const gmc_surface_extra *pad, int contact, gmc_coulomb_step *step,
                    gmc_contact_point made[GMC_PAD_PARTS][2])
{
    run r = open_run(solids);
    line of;
    if (!is_slender(&r) && !let_cross(&r)) return 0;
    if (!(r.from < r.to) || fabs(gmc_vec3_dot(point->n, r.t)) > LEAN_MAX) return 0;
    find_deepest(&r, &of);
    double shallow = ROUND_SHALLOW * pad->pad_edge, core_at = GMC_PAD_CORE * pad->pad_edge;
    double begins[GMC_PAD_PARTS] = {
        [GMC_PAD_CORE_PART] = core_at, [GMC_PAD_FIRM] = pad->pad_firm_at};
    for (int part = 0; part < GMC_PAD_PARTS; part++) {
        for (int i = 0; i < 2; i++) {
            made[part][i] = *point;
            made[part][i].feature = (uint64_t)i;
            made[part][i].gap = -of.deepest;
        }
        if (part == GMC_PAD_FIRM && !(pad->pad_firm > 0)) continue;
        bool is_core = part == GMC_PAD_CORE_PART;
        struct gmc_coulomb_cap cap = lay_part(&r, &of, begins[part], shallow, is_core, made[part]);
        cap.contact = contact;
        cap.part = (gmc_pad_part)part;
        step->caps[step->cap_count++] = cap;
    }
    return 2;
}

/// A rod side to side on a rod, and what is round at one point: likewise, two points for a line
///.
/// @param points   (count) the pair's
/// @param contact  that the first one will be
/// @param made     out: in their place, on each part of the pad
/// @return how many on each; 0: the pair's own stay
static int find_line(gmc_coulomb_step *step, const gmc_contact_point *points, int count,
                     int contact, gmc_contact_point made[GMC_PAD_PARTS][2])
{
    const gmc_model *model = step->motion.world->model;
    int a = points->geom_a, b = points->geom_b;
    const gmc_geom *geoms = model->geoms;
    gmc_shape_type types[2] = {geoms[a].shape.type, geoms[b].shape.type};
    bool is_rod[2] = {gmc_shape_is_rod(types[0]), gmc_shape_is_rod(types[1])};
    if (!gmc_model_has_pad(model, a, b) || !(is_rod[0] || is_rod[1])) return 0;
    if (!(is_rod[0] || types[0] == GMC_SHAPE_SPHERE) ||
        !(is_rod[1] || types[1] == GMC_SHAPE_SPHERE))
        return 0;
    const gmc_solid solids[2] = {gmc_world_solid(step->motion.world, a),
                                 gmc_world_solid(step->motion.world, b)};
    const gmc_surface_law *law = gmc_model_law(model, geoms[a].surface, geoms[b].surface);
    if (is_rod[0] && is_rod[1]) {
        int found = lay_line(solids, points, law->extra, contact, step, made);
        if (found > 0) return found;
    }
    double radius = count == 1 ? point_radius(solids, points) : 0;
    if (radius > 0)
        step->caps[step->cap_count++] = (struct gmc_coulomb_cap){
            .contact = contact, .radius = radius, .force = 1, .slope = 1, .stored = 1, .deeper = 1};
    return 0;
}

// ---- patches -----------------------------------------------------------------------------------
// Pads under a face in the default stepper: of a box, a mesh, a plane or the end of a cylinder. A
// bed of springs bears the integral of its pressure over what is compressed (patch.h); the step
// takes it at the end of the step, as any spring:
//
//   F = k ∫ max(0, d + δ) dA,   d depth as the step begins, δ = -h u_N what the step adds to it
//
// both linear in the place. With the region where d + δ > 0 known, force and moments are linear in
// the motion, and seven contacts have them exactly: each is a spring k times its share of the area,
// at its place, with its depth (gmc_patch_place). Friction is the contacts' own, so sliding and
// spinning have one limit surface. The region is that of the solution: solve, look where the motion
// leaves the surfaces, solve again until the two agree - Newton's method on a convex energy, so
// implicit in time, and a body that rocks loses energy. What rests needs no second round.
//
// What it loses so depends on the step, for the region at the end bears over the whole of it, and a
// block goes from edge to edge of its base within 8 ms. So steps in which a region changes by LEAP
// are refused while they are long, as those of strikes are (coulomb.h). A block let go at 8 degrees
// then comes back to 6.0 at any step, where 6.1 is right and 4.2 came out at 4 ms. Tried instead,
// degrees at 4 ms and energy from nowhere on stiff pads, share of all:
//
//   region as the step begins        5.4, 0.11    half way                   5.0, 0.03
//   mean of regions over the step    5.2, 0.08    dampers of second order    4.2, not looked at
//   LEAP of middles alone            6.0, but 4.0 on a stiff pad, where 5.6 is right
//
// The ground, whose columns are integrated, is a face of either solid: the one that looks along the
// collider's normal; where both do that of the layer, which gives way along its own normal, and of
// two layers the softer one's. (The larger of the two, as before, made a box between pads turn by
// 0.03 rad at a height of 21.0 mm and by 0.38 rad at 21.5 mm, where its face is as large as theirs;
// it is left for two equal layers.) It stays while it looks along the normal and covers what is
// deepest. It also stays where the normal has gone aside at once: of a lap that is shorter than its
// depth the shortest way out is sideways, and with the pad's side for the ground what is held would
// be squeezed out. A facet of something curved soon does not cover what is deepest, for the solid
// is wider below it: as a mug turned on the edge of a pad of 3 mm, one had columns of 1.1 mm where
// the two were 3.7 mm in each other, and once the normal changed the mug was thrown. Where neither
// it nor the facet that looks along the normal now covers, the other solid's face is the ground,
// even askew. Worst overlap of a mug of 12 draws in pads, of 4.2 and 4.9 mm at 1 and 4 ms, and
// energy from nowhere, of 9 and 17 %:
//
//   with it                            2.2, 2.2 mm    0.02, 0.05 %
//   the larger face, however askew     2.6, 2.8       0.08, 0.3; a prism that turns between edges
//                                                     without friction is driven
//   the facet along the normal, always 4.2, 4.3       9, 14
//   depth of a new ground as slack     4.1, 4.9       6, 6
//
// The layer has a bottom: columns that are deeper than GMC_PAD_CORE of its thickness press on what
// carries it, as hard as the surfaces are without a pad, by seven more contacts. Two
// pads, one of which is at its bottom first, have seven for the second bed (above).
//
// A pad that is overlapped as a trial starts is taken as lower by that much, all of it, and rises
// as other overlaps are given back (contact.h): the patch begins at that depth. Slack of each point
// by itself, which then moves over the body, threw boxes of 1 g apart at 0.4 m/s.
//
// What bounces (coulomb_bounce.c) does so over the region as the step begins: while a row is an
// impact's its region stays. Moved to where the solution has it, the row was a spring's again, and
// of all that strikes a pad faces and balls alone bounced.
//
// Balls, and rods side to side, press by the formulas above; their bottom has a contact of its own
// for each point.

/// Depth of the region that a patch has before it touches, against the layer's thickness.
static const double SHALLOW = 1e-3;
/// Faces that look along the normal by this cosine may be the ground; one that was stays by that.
static const double FACING = 0.866, FACING_KEEP = 0.766;
/// Faces that look along the normal by less, either way, have it aside.
static const double FACING_ASIDE = 0.3;
/// Faces that lean from the normal by more are no ground even where the others do not cover: of a
/// box some face always leans less.
static const double FACING_LEAST = 0.57;
/// Depth that a ground has to have over it, against the overlap; 0.8 and 0.95 do as well, 0.5 does
/// not.
static const double COVERED = 0.9;
enum { ROUNDS_MAX = 12, REGIONS = 3, POINTS_MAX = 8 };
/// Share of a region's area, or of its radius by which its middle moves, that a long step may
/// change. With half of it turning points move by less than 0.1 degrees.
static const double LEAP = 0.2;
/// Slower depths are no blow, and what settles is not looked at [m/s].
static const double LEAP_SPEED = 1e-2;
/// Relative disagreement of regions that is let pass: forces err by its square.
static const double AGREEMENT = 1e-4;

/// A region of one patch and the contacts that stand for it.
typedef struct pressed {
    int first;     ///< of its contacts; -1: none
    int name;      ///< of its first point
    double weight; ///< of its bed against the layer's; 0: the core
    double from;   ///< depth at which it begins: 0, that of the core [m]
    double sunk;   ///< how much deeper that is as the step begins: overlap of the trial's start, as
                   ///< far as it is not given back [m]
    gmc_patch_moments moments;
    gmc_patch_points points; ///< that stand for it
} pressed;

struct gmc_coulomb_pad {
    gmc_patch patch;
    int geom_a, geom_b;
    int ground;                 ///< as gmc_contact_extra
    const gmc_surface_law *law; ///< the model's
    pressed layer, core, firm;  ///< firm: the second bed of two pads (above)
    gmc_patch_field left;       ///< depth that the last solution takes away
};

// ---- the ground --------------------------------------------------------------------------------

static int code_of(int face, bool is_b) { return is_b ? -(face + 1) : face + 1; }

/// The face of a solid that looks along the normal most.
static int facing(const gmc_solid *solid, bool is_b, gmc_vec3 n, double *cosine)
{
    int face = gmc_patch_face(solid, is_b ? gmc_vec3_neg(n) : n, cosine);
    return code_of(face, is_b);
}

/// How two solids overlap.
typedef struct met {
    gmc_vec3 n;       ///< shortest way out, from a to b
    double depth;     ///< along it [m]
    double thickness; ///< of the layer [m]
    int before;       ///< ground of the step before; 0: none
    int carrier;      ///< of the layer: 0 a, 1 b, -1 both do
} met;

/// Of two faces that look along the normal: where both do well the layer's, of two that are the
/// same the larger; else that which does better.
static bool is_bs(const gmc_solid *a, const gmc_solid *b, const met *of, const int codes[2],
                  const double cosines[2])
{
    bool both = cosines[0] > FACING && cosines[1] > FACING;
    if (both && of->carrier >= 0) return of->carrier == 1;
    if (both) return gmc_patch_face_area(b, -codes[1] - 1) > gmc_patch_face_area(a, codes[0] - 1);
    return cosines[1] > cosines[0];
}

/// How well a face looks along the normal: the cosine.
static double cosine_of(const gmc_solid *a, const gmc_solid *b, gmc_vec3 n, int ground)
{
    if (ground > 0) return gmc_vec3_dot(gmc_patch_face_normal(a, ground - 1), n);
    return -gmc_vec3_dot(gmc_patch_face_normal(b, -ground - 1), n);
}

static gmc_status open_ground(const gmc_solid *a, const gmc_solid *b, int ground, gmc_arena *arena,
                              gmc_patch *patch)
{
    bool is_b = ground < 0;
    return gmc_patch_open(is_b ? b : a, abs(ground) - 1, is_b ? a : b, arena, patch);
}

/// How deep the other solid is over a ground.
static gmc_status deepest_over(const gmc_solid *a, const gmc_solid *b, int ground, gmc_arena *arena,
                               double *depth)
{
    size_t mark = gmc_arena_mark(arena);
    gmc_patch patch;
    GMC_TRY(open_ground(a, b, ground, arena, &patch));
    *depth = gmc_patch_integrate(&patch, (gmc_patch_field){0, 0, 0}).deepest;
    gmc_arena_reset(arena, mark);
    return GMC_OK;
}

/// Does what of the other solid is deepest stand over a face? A way out along its normal is as long
/// as its deepest column, so less than the overlap, the shortest way out, says that the columns
/// miss something. Those of boxes and of the ends of cylinders, which are as wide below, miss
/// nothing.
static gmc_status covers(const gmc_solid *a, const gmc_solid *b, int ground, double overlap,
                         gmc_arena *arena, bool *does)
{
    const gmc_solid *owner = ground < 0 ? b : a;
    *does = owner->shape->type != GMC_SHAPE_POLYTOPE || !(overlap > 0);
    if (*does) return GMC_OK;
    double depth;
    GMC_TRY(deepest_over(a, b, ground, arena, &depth));
    *does = depth >= COVERED * overlap;
    return GMC_OK;
}

/// Does the ground of the step before stay? While it looks along the normal; and where that has
/// gone aside at once, for the ground is lapped over by less than it is pressed in, as long as what
/// presses is within the layer. A body that turns over the edge takes the normal along.
static gmc_status stays(const gmc_solid *a, const gmc_solid *b, const met *of, gmc_arena *arena,
                        bool *does)
{
    *does = false;
    if (of->before == 0) return GMC_OK;
    double depth, cosine = cosine_of(a, b, of->n, of->before);
    *does = cosine > FACING_KEEP;
    if (*does || fabs(cosine) > FACING_ASIDE) return GMC_OK;
    GMC_TRY(deepest_over(a, b, of->before, arena, &depth));
    *does = depth >= COVERED * of->depth && depth <= of->thickness;
    return GMC_OK;
}

static gmc_status choose_ground(const gmc_solid *a, const gmc_solid *b, const met *of,
                                gmc_arena *arena, int *ground)
{
    if (a->shape->type == GMC_SHAPE_PLANE || b->shape->type == GMC_SHAPE_PLANE) {
        *ground = code_of(0, a->shape->type != GMC_SHAPE_PLANE);
        return GMC_OK;
    }
    double cosines[2];
    int codes[2] = {facing(a, false, of->n, &cosines[0]), facing(b, true, of->n, &cosines[1])};
    bool is_b = is_bs(a, b, of, codes, cosines), does;
    GMC_TRY(stays(a, b, of, arena, &does));
    int first = does ? of->before : codes[is_b];
    const int candidates[] = {first, codes[is_b], codes[!is_b]};
    int count = cosines[!is_b] > FACING_LEAST ? 3 : 2;
    for (int i = 0; i < count; i++) {
        *ground = candidates[i];
        GMC_TRY(covers(a, b, *ground, of->depth, arena, &does));
        if (does) return GMC_OK;
    }
    *ground = first;
    return GMC_OK;
}

/// What a pair was in the step before.
typedef struct pair_before {
    int ground;                         ///< if it pressed; 0: it did not
    double sunk[REGIONS];               ///< of its layer, core and firm [m]
    const gmc_contact *points[REGIONS]; ///< the first of each; NULL: it had none
} pair_before;

/// The set is not matched yet.
/// @param at  in, out: where to look on
static pair_before look_back(const gmc_contact_set *set, const gmc_contact_point *point, int *at)
{
    pair_before before = {0};
    for (; *at < set->count; ++*at) {
        const gmc_contact *c = &set->contacts[*at];
        bool is_before = c->point.geom_a < point->geom_a ||
                         (c->point.geom_a == point->geom_a && c->point.geom_b < point->geom_b);
        if (is_before) continue;
        if (c->point.geom_a != point->geom_a || c->point.geom_b != point->geom_b) break;
        if (!c->extra || c->extra->ground == 0) continue;
        uint64_t region = c->point.feature / GMC_PATCH_POINTS;
        before.sunk[region] = c->sunk;
        if (c->point.feature % GMC_PATCH_POINTS == 0) before.points[region] = c;
        if (c->impulse[0] > 0 || c->sunk > 0) before.ground = c->extra->ground;
    }
    return before;
}

// ---- regions -----------------------------------------------------------------------------------

/// Depth that the motion V of b against a takes away within h, over the ground.
static gmc_patch_field field_of(const struct gmc_coulomb_pad *pad, const gmc_twist *V, double h)
{
    const gmc_patch_ground *g = &pad->patch.ground;
    double s = pad->ground > 0 ? h : -h; // n points out of the ground, from a to b if it is a's
    return (gmc_patch_field){s * gmc_vec3_dot(g->n, gmc_twist_at(V, g->origin)),
                             s * gmc_vec3_dot(g->n, gmc_vec3_cross(V->w, g->x)),
                             s * gmc_vec3_dot(g->n, gmc_vec3_cross(V->w, g->y))};
}

/// Of what is compressed at the end of the step; of what would be first where nothing is.
static gmc_patch_moments compressed(struct gmc_coulomb_pad *pad, gmc_patch_field level, double from)
{
    level.at_0 += from;
    gmc_patch_moments moments = gmc_patch_integrate(&pad->patch, level);
    double shallow = SHALLOW * pad->law->extra->pad_edge;
    bool is_pressed = moments.above > shallow && moments.area > 0;
    if (is_pressed || !(moments.above > -HUGE_VAL)) return moments;
    // a sliver may be between the slices of a rod's rule: wider, for without points the pair
    // forgets how far it has sunk
    double above = moments.above, surface = level.at_0 + above;
    for (double deep = shallow; deep <= pad->law->extra->pad_edge; deep *= 4) {
        level.at_0 = surface - deep;
        moments = gmc_patch_integrate(&pad->patch, level);
        if (moments.area > 0) break;
    }
    moments.above = above;
    return moments;
}

/// The turn of a ring, in sixths, by which its points are nearest to those of before: the direction
/// of a region that is as wide as long, or that lies across the ground's axes, changes with
/// rounding, and what slips there would have the memory of its neighbour each step (edges that
/// slipped at one end shook at 0.2 rad/s).
/// @param places  of which the first six are turned
static void keep_names(const gmc_patch_ground *g, const gmc_contact *before,
                       gmc_patch_points *places)
{
    enum { RING = 6 };
    double x[RING], y[RING], mean_x = 0, mean_y = 0, most = -INFINITY;
    int turn = 0;
    for (int i = 0; i < RING; i++) {
        x[i] = gmc_vec3_dot(before[i].point.p, g->x);
        y[i] = gmc_vec3_dot(before[i].point.p, g->y);
        mean_x += x[i] / RING;
        mean_y += y[i] / RING;
    }
    for (int k = 0; k < RING; k++) {
        double along = 0;
        for (int i = 0; i < RING; i++) {
            int j = (i + k) % RING;
            along += (x[i] - mean_x) * places->x[j] + (y[i] - mean_y) * places->y[j];
        }
        if (!(along > most)) continue;
        most = along;
        turn = k;
    }
    if (turn == 0) return;
    gmc_patch_points now = *places;
    for (int i = 0; i < RING; i++) {
        places->x[i] = now.x[(i + turn) % RING];
        places->y[i] = now.y[(i + turn) % RING];
        places->depth[i] = now.depth[(i + turn) % RING];
    }
}

/// @param before  contacts that stood for it last; NULL: none did
/// @return whether it has points
static bool find_points(const gmc_coulomb_step *step, struct gmc_coulomb_pad *pad,
                        gmc_patch_field level, const gmc_contact *before, pressed *region,
                        gmc_contact_point *points)
{
    const gmc_patch_ground *g = &pad->patch.ground;
    double from = region->from + gmc_coulomb_sunk(step, region->sunk);
    region->moments = compressed(pad, level, from);
    level.at_0 += from;
    if (!(region->moments.area > 0)) return false;
    gmc_patch_points *places = &region->points;
    gmc_patch_place(&region->moments, level, places);
    if (before) keep_names(g, before, places);
    for (int i = 0; i < GMC_PATCH_POINTS; i++) {
        gmc_vec3 p = gmc_vec3_add_scaled(g->origin, places->x[i], g->x);
        p = gmc_vec3_add_scaled(p, places->y[i], g->y);
        points[i] = (gmc_contact_point){.geom_a = pad->geom_a,
                                        .geom_b = pad->geom_b,
                                        .feature = (uint64_t)(i + region->name),
                                        .p = gmc_vec3_add_scaled(p, -0.5 * places->depth[i], g->n),
                                        .n = pad->ground > 0 ? g->n : gmc_vec3_neg(g->n),
                                        .gap = region->from - places->depth[i]};
    }
    return true;
}

/// Points of a pair in the making.
typedef struct pair_points {
    int first; ///< contact that the first one will be
    int count;
    gmc_contact_point *points; ///< room for three regions
} pair_points;

/// Points of a region below the layer, if half the way to it is gone: it may be reached within the
/// step.
static void lay_below(const gmc_coulomb_step *step, struct gmc_coulomb_pad *pad,
                      gmc_patch_field level, const gmc_contact *before, pressed *region,
                      pair_points *to)
{
    if (!(pad->layer.moments.above + pad->layer.sunk > 0.5 * region->from)) return;
    if (!find_points(step, pad, level, before, region, to->points + to->count)) return;
    region->first = to->first + to->count;
    to->count += GMC_PATCH_POINTS;
}

/// @param points  room for three regions
/// @return how many points
static int lay_points(const gmc_coulomb_step *step, const pair_before *before,
                      struct gmc_coulomb_pad *pad, int first, gmc_contact_point *points)
{
    const gmc_world *world = step->motion.world;
    const gmc_geom *geoms = world->model->geoms;
    double h = step->motion.h;
    gmc_twist V = gmc_twist_add_scaled(world->kin.V[geoms[pad->geom_b].body], -1,
                                       world->kin.V[geoms[pad->geom_a].body]);
    gmc_patch_field level = field_of(pad, &V, h);
    const gmc_surface_extra *extra = pad->law->extra;
    pad->layer = (pressed){.first = -1, .weight = 1, .sunk = before->sunk[0]};
    pad->core = (pressed){.first = -1,
                          .name = GMC_PATCH_POINTS,
                          .from = GMC_PAD_CORE * extra->pad_edge,
                          .sunk = before->sunk[1]};
    pad->firm = (pressed){.first = -1,
                          .name = 2 * GMC_PATCH_POINTS,
                          .weight = extra->pad_firm / extra->pad,
                          .from = extra->pad_firm_at,
                          .sunk = before->sunk[2]};
    if (step->motion.is_start) {
        gmc_patch_moments now = gmc_patch_integrate(&pad->patch, (gmc_patch_field){0, 0, 0});
        if (now.deepest > 0) pad->layer.sunk = now.deepest;
        if (now.deepest > pad->core.from) pad->core.sunk = now.deepest - pad->core.from;
        if (now.deepest > pad->firm.from) pad->firm.sunk = now.deepest - pad->firm.from;
    }
    const gmc_contact *const *known = before->points, *none[REGIONS] = {NULL};
    if (before->ground != pad->ground) known = none; // points of another face
    if (!find_points(step, pad, level, known[0], &pad->layer, points)) return 0;
    pad->layer.first = first;
    pair_points to = {.first = first, .count = GMC_PATCH_POINTS, .points = points};
    lay_below(step, pad, level, known[1], &pad->core, &to);
    if (pad->firm.weight > 0) lay_below(step, pad, level, known[2], &pad->firm, &to);
    return to.count;
}

static int carrier_of(const gmc_surface_law *law, int surface_a, int surface_b)
{
    int carrier = law->extra->pad_surface;
    if (surface_a == surface_b) return -1;
    return surface_a == carrier ? 0 : surface_b == carrier ? 1 : -1;
}

/// @param count  points of the pair
static gmc_status open_pad(gmc_coulomb_step *step, const gmc_contact_point *points, int count,
                           int before, struct gmc_coulomb_pad *pad)
{
    const gmc_model *model = step->motion.world->model;
    int i = points->geom_a, j = points->geom_b;
    gmc_solid a = gmc_world_solid(step->motion.world, i),
              b = gmc_world_solid(step->motion.world, j);
    const gmc_geom *geoms = model->geoms;
    const gmc_surface_law *law = gmc_model_law(model, geoms[i].surface, geoms[j].surface);
    met overlap = {.n = points->n,
                   .thickness = law->extra->pad_edge,
                   .before = before,
                   .carrier = carrier_of(law, geoms[i].surface, geoms[j].surface)};
    for (int k = 0; k < count; k++)
        overlap.depth = fmax(overlap.depth, -points[k].gap);
    *pad = (struct gmc_coulomb_pad){.geom_a = i, .geom_b = j, .law = law};
    GMC_TRY(choose_ground(&a, &b, &overlap, step->motion.scratch, &pad->ground));
    return open_ground(&a, &b, pad->ground, step->motion.scratch, &pad->patch);
}

/// Does a pair press by a patch? Two rods do where the end of one faces the other.
static bool has_patch(const gmc_world *world, const gmc_contact_point *point)
{
    int a = point->geom_a, b = point->geom_b;
    const gmc_geom *geoms = world->model->geoms;
    if (gmc_model_has_patch(world->model, a, b)) return true;
    if (!gmc_shape_is_rod(geoms[a].shape.type) || !gmc_shape_is_rod(geoms[b].shape.type) ||
        !gmc_model_has_pad(world->model, a, b))
        return false;
    gmc_solid solid_a = gmc_world_solid(world, a), solid_b = gmc_world_solid(world, b);
    double cosine_a, cosine_b;
    (void)gmc_patch_face(&solid_a, point->n, &cosine_a);
    (void)gmc_patch_face(&solid_b, gmc_vec3_neg(point->n), &cosine_b);
    return fmax(cosine_a, cosine_b) > FACING;
}

/// How many pairs press by patches.
/// @param on_pads  out: how many points press on pads by formulas
static int count_patches(const gmc_world *world, const gmc_contact_point *points, int count,
                         int *on_pads)
{
    int patches = 0;
    bool has_it = false;
    *on_pads = 0;
    for (int i = 0; i < count; i++) {
        const gmc_contact_point *p = &points[i];
        bool is_first = i == 0 || p->geom_a != p[-1].geom_a || p->geom_b != p[-1].geom_b;
        if (is_first) has_it = has_patch(world, p);
        patches += is_first && has_it;
        *on_pads += !has_it && gmc_model_has_pad(world->model, p->geom_a, p->geom_b);
    }
    return patches;
}

/// What lies below a layer, and points on it.
typedef struct below {
    gmc_pad_part part;
    double from;                 ///< depth at which it begins [m]
    const gmc_contact_point *of; ///< what the pair's points are there
} below;

/// Points on what lies below a layer, behind `made` others, of those that go half the way to it
/// within the step.
/// @param ahead  (count) normal velocities times the step [m]
/// @return how many there are then
static int copy_below(const gmc_contact_point *points, int count, const double *ahead, below it,
                      int made, gmc_contact_point *all)
{
    for (int i = 0; i < count; i++) {
        if (!(-points[i].gap - fmin(ahead[i], 0) > 0.5 * it.from)) continue;
        all[made] = it.of[i];
        all[made].feature = gmc_pad_name(points[i].feature, it.part);
        all[made++].gap += it.from;
    }
    return made;
}

/// Points that press by formulas, and behind them those below the layer.
/// @param parts  (count) each, on the parts of the pad
/// @return how many
static int copy_points(const gmc_coulomb_step *step,
                       const gmc_contact_point *const parts[GMC_PAD_PARTS], int count,
                       gmc_contact_point *all)
{
    const gmc_contact_point *points = parts[GMC_PAD_LAYER];
    const gmc_world *world = step->motion.world;
    const gmc_geom *geoms = world->model->geoms;
    int made = count, a = points->geom_a, b = points->geom_b;
    memcpy(all, points, (size_t)count * sizeof *all);
    if (!gmc_model_has_pad(world->model, a, b)) return made;
    const gmc_surface_law *law = gmc_model_law(world->model, geoms[a].surface, geoms[b].surface);
    const gmc_surface_extra *pad = law->extra;
    gmc_twist V =
        gmc_twist_add_scaled(world->kin.V[geoms[b].body], -1, world->kin.V[geoms[a].body]);
    double ahead[POINTS_MAX];
    GMC_ASSERT(count <= POINTS_MAX);
    for (int i = 0; i < count; i++)
        ahead[i] = step->motion.h * gmc_vec3_dot(points[i].n, gmc_twist_at(&V, points[i].p));
    const below core = {GMC_PAD_CORE_PART, GMC_PAD_CORE * pad->pad_edge, parts[GMC_PAD_CORE_PART]};
    made = copy_below(points, count, ahead, core, made, all);
    const below firm = {GMC_PAD_FIRM, pad->pad_firm_at, parts[GMC_PAD_FIRM]};
    if (pad->pad_firm > 0) made = copy_below(points, count, ahead, firm, made, all);
    return made;
}

gmc_status gmc_coulomb_pad_find(gmc_coulomb_step *step, gmc_contact_point *points, int *count)
{
    gmc_world *world = step->motion.world;
    int on_pads, patches = count_patches(world, points, *count, &on_pads), made = 0, at = 0;
    step->pad_count = step->cap_count = 0;
    if (patches == 0 && on_pads == 0) return GMC_OK;
    size_t room = (size_t)(*count + 5 * on_pads) + REGIONS * GMC_PATCH_POINTS * (size_t)patches;
    gmc_contact_point *all = GMC_ROOM(step->motion.scratch, room, gmc_contact_point);
    step->pads = GMC_ROOM(step->motion.scratch, patches, struct gmc_coulomb_pad);
    step->caps = GMC_ROOM(step->motion.scratch, 3 * on_pads, struct gmc_coulomb_cap);
    if (!all || !step->pads || !step->caps) return GMC_E_ARENA_FULL;
    for (int i = 0, end; i < *count; i = end) {
        for (end = i + 1; end < *count && points[end].geom_a == points[i].geom_a &&
                          points[end].geom_b == points[i].geom_b;)
            end++;
        if (!has_patch(world, &points[i])) {
            gmc_contact_point two[GMC_PAD_PARTS][2];
            if (end == i + 1) GMC_TRY(find_cap(step, points, *count, i, made));
            int found = find_line(step, points + i, end - i, made, two);
            const gmc_contact_point *parts[GMC_PAD_PARTS];
            for (int k = 0; k < GMC_PAD_PARTS; k++)
                parts[k] = found > 0 ? two[k] : points + i;
            made += copy_points(step, parts, found > 0 ? found : end - i, all + made);
            continue;
        }
        struct gmc_coulomb_pad *pad = &step->pads[step->pad_count];
        pair_before before = look_back(&world->contacts, &points[i], &at);
        GMC_TRY(open_pad(step, &points[i], end - i, before.ground, pad));
        int laid = lay_points(step, &before, pad, made, all + made);
        made += laid;
        if (laid > 0) step->pad_count++;
    }
    if (made > world->contacts.capacity) return GMC_E_LIMIT;
    memcpy(points, all, (size_t)made * sizeof *points);
    *count = made;
    return GMC_OK;
}

// ---- contacts of patches -----------------------------------------------------------------------

/// Shares of the points of a region, in the contacts' extras.
/// @param is_new  the step has given nothing back yet
static void share(const gmc_coulomb_step *step, const struct gmc_coulomb_pad *pad,
                  const pressed *region, bool is_new)
{
    if (region->first < 0) return;
    for (int i = 0; i < GMC_PATCH_POINTS; i++) {
        gmc_contact *contact = &step->motion.world->contacts.contacts[region->first + i];
        contact->extra->ground = pad->ground;
        if (is_new) contact->sunk = region->sunk;
        contact->extra->radius = 0;
        contact->extra->patch = region->weight * region->points.share[i];
        contact->law.tangential_ratio = contact->law.extra->pad_shear;
    }
}

void gmc_coulomb_pad_share(const gmc_coulomb_step *step)
{
    for (int i = 0; i < step->pad_count; i++) {
        share(step, &step->pads[i], &step->pads[i].layer, true);
        share(step, &step->pads[i], &step->pads[i].core, true);
        share(step, &step->pads[i], &step->pads[i].firm, true);
    }
    gmc_world *world = step->motion.world;
    lay_patches(&world->contacts, world->model);
    share_caps(step);
}

/// Are two regions the same, as far as forces go?
static bool agrees(const gmc_patch_moments *a, const gmc_patch_moments *b)
{
    if (!(fabs(a->area - b->area) <= AGREEMENT * b->area)) return false;
    double x = b->x / b->area, y = b->y / b->area;
    double dx = a->x / a->area - x, dy = a->y / a->area - y;
    double size2 = (b->xx + b->yy) / b->area - x * x - y * y;
    return dx * dx + dy * dy <= AGREEMENT * AGREEMENT * size2;
}

/// Is some of its contacts in an impact? Their rows are that one's until it is over: what strikes
/// is stopped and thrown back where it would have pressed.
static bool is_struck(const gmc_coulomb_step *step, const pressed *region)
{
    const gmc_contact *contacts = step->motion.world->contacts.contacts;
    if (region->first < 0) return false;
    for (int i = 0; i < GMC_PATCH_POINTS; i++)
        if (contacts[region->first + i].is_impact) return true;
    return false;
}

/// A region where the solution has it. @return whether it differs from that of the rows
static bool move_region(gmc_coulomb_step *step, struct gmc_coulomb_pad *pad, gmc_patch_field level,
                        const gmc_twist *driven, pressed *region)
{
    gmc_contact_point points[GMC_PATCH_POINTS];
    const pressed before = *region;
    if (region->first < 0 || is_struck(step, region)) return false;
    const gmc_contact *now = step->motion.world->contacts.contacts + region->first;
    if (!find_points(step, pad, level, now, region, points) ||
        agrees(&region->moments, &before.moments)) {
        *region = before;
        return false;
    }
    share(step, pad, region, false);
    for (int i = 0; i < GMC_PATCH_POINTS; i++)
        gmc_coulomb_contact_move(step, (size_t)(region->first + i), &points[i], driven);
    return true;
}

gmc_status gmc_coulomb_pad_limit(gmc_coulomb_step *step, int round, bool *is_moved)
{
    const gmc_world *world = step->motion.world;
    const gmc_model *model = world->model;
    if (step->pad_count == 0 || round > ROUNDS_MAX) return GMC_OK;
    size_t n = (size_t)model->dof_count, mark = gmc_arena_mark(step->motion.scratch);
    double *driven, *v = GMC_NEW(step->motion.scratch, n, double);
    if (!v) return GMC_E_ARENA_FULL;
    GMC_TRY(gmc_mechanism_driven(&step->motion, &driven));
    if (driven) memcpy(v, driven, n * sizeof *v);
    memcpy(v, step->motion.v, (size_t)model->free_count * sizeof *v);
    for (int i = 0; i < step->pad_count; i++) {
        struct gmc_coulomb_pad *pad = &step->pads[i];
        int a = model->geoms[pad->geom_a].body, b = model->geoms[pad->geom_b].body;
        gmc_twist V = gmc_twist_add_scaled(gmc_kinematics_twist(&world->kin, b, v), -1,
                                           gmc_kinematics_twist(&world->kin, a, v));
        gmc_twist V_driven = {0};
        if (driven)
            V_driven = gmc_twist_add_scaled(gmc_kinematics_twist(&world->kin, b, driven), -1,
                                            gmc_kinematics_twist(&world->kin, a, driven));
        pad->left = field_of(pad, &V, step->motion.h);
        bool is_layer = move_region(step, pad, pad->left, &V_driven, &pad->layer);
        bool is_core = move_region(step, pad, pad->left, &V_driven, &pad->core);
        bool is_firm = move_region(step, pad, pad->left, &V_driven, &pad->firm);
        *is_moved = *is_moved || is_layer || is_core || is_firm;
    }
    gmc_arena_reset(step->motion.scratch, mark);
    return GMC_OK;
}

/// Mean square of the distance from the middle of a region [m²].
static double radius2_of(const gmc_patch_moments *m)
{
    double x = m->x / m->area, y = m->y / m->area;
    return fmax((m->xx + m->yy) / m->area - x * x - y * y, 0);
}

/// Does the depth of a region change faster than LEAP_SPEED?
static bool is_fast(const struct gmc_coulomb_pad *pad, double h)
{
    const gmc_patch_moments *m = &pad->layer.moments;
    const gmc_patch_field *left = &pad->left;
    double middle = left->at_0 + (left->along_x * m->x + left->along_y * m->y) / m->area;
    double slope2 = left->along_x * left->along_x + left->along_y * left->along_y;
    return fabs(middle) + sqrt(slope2 * radius2_of(m)) > h * LEAP_SPEED;
}

static bool leaps(const gmc_coulomb_step *step, struct gmc_coulomb_pad *pad)
{
    if (!is_fast(pad, step->motion.h)) return false;
    gmc_patch_field from = {gmc_coulomb_sunk(step, pad->layer.sunk), 0, 0}, to = pad->left;
    to.at_0 += from.at_0;
    gmc_patch_moments before = gmc_patch_integrate(&pad->patch, from);
    gmc_patch_moments after = gmc_patch_integrate(&pad->patch, to);
    if (!(before.area > 0) || !(after.area > 0)) return false; // arrives, or lets go
    const gmc_patch_moments *larger = after.area > before.area ? &after : &before;
    if (fabs(after.area - before.area) > LEAP * larger->area) return true;
    double dx = after.x / after.area - before.x / before.area;
    double dy = after.y / after.area - before.y / before.area;
    return dx * dx + dy * dy > LEAP * LEAP * radius2_of(larger);
}

bool gmc_coulomb_pad_leaps(const gmc_coulomb_step *step)
{
    for (int i = 0; i < step->pad_count; i++)
        if (leaps(step, &step->pads[i])) return true;
    return false;
}

void gmc_coulomb_pad_report(const gmc_coulomb_step *step, gmc_step_report *report)
{
    const gmc_world *world = step->motion.world;
    for (int c = 0; c < world->contacts.count; c++)
        report->pad_press =
            gmc_max(contact_pressed(&world->contacts.contacts[c], world->model), report->pad_press);
    double deepest = 0, most = 0;
    for (int i = 0; i < step->pad_count; i++) {
        const struct gmc_coulomb_pad *pad = &step->pads[i];
        const gmc_patch_moments *m = &pad->layer.moments;
        if (m->deepest > deepest) deepest = m->deepest;
        most = fmax(most, share_of(pad->law, m->deepest - pad->layer.sunk, m->area));
    }
    report->pad_press = gmc_max(most, report->pad_press);
    report->max_penetration = gmc_max(deepest, report->max_penetration);
}

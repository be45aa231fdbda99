// Depth by projection from outside. Where the cores overlap, move b out along a first guess n0 of
// the normal until it is a little clear of a, and ask for the distance there: the direction n1 of
// the nearest points separates at least as well as n0 (the distance is the maximum over n of
// s(n) + shift·n, s the separation along n), so repeating it climbs to a direction of locally least
// overlap. On flat faces it arrives in one turn. The whole shapes are used, so edges and rims stay
// sharp: rounding them off by eroding the shapes, the usual way to keep cores apart, would err by
// 0.4 of the erosion there.
//
// The first guess is the normal of the call before, else the direction between cores shrunken about
// their centres, else libccd's portal refinement, else the line of centres.
#include "engine/collision/convex.h"

#include "engine/collision/gjk.h"
#include "engine/collision/manifold.h"
#include "engine/collision/overlay.h"
#include "engine/collision/point.h"
#include "engine/collision/primitive.h"

#include <ccd/ccd.h>

/// How far b is moved clear of a, relative to size: small against the curvature of anything, large
/// against rounding.
#define CLEAR 1e-3
/// Nearer than this (relative to size) counts as overlap in what follows: rounding of 1e-16 over
/// it.
#define NEAR 1e-6
/// The climb ends when a turn moves the normal by less than this; each turn leaves about the share
/// (overlap + CLEAR) / (radius of curvature) of the error before.
#define SETTLED 1e-13
/// Turns allowed; two are usual.
enum { TURN_MAX = 40 };
/// Shrunken cores for the first guess.
#define SHRUNK 0.9
/// libccd: tolerance relative to size, and a cap on its loops (its defaults: 1e-4 m and none).
#define CCD_TOLERANCE 1e-9
enum { CCD_TURN_MAX = 100 };
/// A normal this near to perpendicular (cosine) meets the side of a cylinder, not its rim.
#define PERPENDICULAR 1e-9

// ---- a point near a rim ------------------------------------------------------------------------
// Nearest points of a cylinder and an edge or corner, made exact. Support points alone find a
// place on a rim only to the square root of the gap's accuracy.
// The distance of a point from a cylinder is known in closed form and convex, so along an edge its
// derivative, the edge times the outward normal, rises from end to end: its root is bracketed by
// the ends and found by the Illinois form of the false position method [dowell1971]. Along the rim
// of a second cylinder it rises near its minimum; there the bracket is spread from the place that
// supports found.

/// Evaluations allowed; about 10 are used.
enum { RIM_TURN_MAX = 80 };
/// The derivative is a cosine: its rounding.
#define RIM_COSINE 1e-16
/// Turn of a bracket on a rim, first and largest: what supports leave uncertain is about 1e-6.
#define SPREAD_FIRST 1e-8
#define SPREAD_LAST  0.2
/// Rounding in the comparison of two distances.
#define SLACK 1e-9

/// A line of points near a cylinder: from + t along, or a rim, as u and v turned by 2 atan t about
/// `from`.
typedef struct rim_edge {
    const gmc_solid *cylinder;
    gmc_vec3 from, along; ///< query frame, where the cylinder is unshifted
    double length;        ///< of `along` [m]
    bool is_rim;
    gmc_vec3 u, v; ///< radius times two directions of the rim's plane [m]
} rim_edge;

static gmc_vec3 point_at(const rim_edge *edge, double t)
{
    if (!edge->is_rim) return gmc_vec3_add_scaled(edge->from, t, edge->along);
    double s = 1 / (1 + t * t);
    gmc_vec3 p = gmc_vec3_add_scaled(edge->from, s * (1 - t * t), edge->u);
    return gmc_vec3_add_scaled(p, 2 * s * t, edge->v);
}

/// Cosine between the line and the outward normal of the cylinder; zero at the nearest point.
static double slope(const rim_edge *edge, double t, gmc_point_distance *d)
{
    *d = gmc_point_solid(edge->cylinder, point_at(edge, t), -1, 0);
    if (!edge->is_rim) return gmc_vec3_dot(edge->along, d->n) / edge->length;
    double s = 1 / ((1 + t * t) * gmc_vec3_norm(edge->u));
    return s * ((1 - t * t) * gmc_vec3_dot(edge->v, d->n) - 2 * t * gmc_vec3_dot(edge->u, d->n));
}

/// Root of the slope between lo (slope s_lo < 0) and hi (s_hi > 0).
static double root_between(const rim_edge *edge, double lo, double s_lo, double hi, double s_hi,
                           gmc_point_distance *d)
{
    double t = lo;
    int side = 0;
    for (int turn = 0; turn < RIM_TURN_MAX; turn++) {
        t = (lo * s_hi - hi * s_lo) / (s_hi - s_lo);
        bool is_between = t > lo && t < hi; // else rounding has closed the bracket
        double s = slope(edge, t, d);
        if (!is_between || !(fabs(s) > RIM_COSINE)) break;
        if (s < 0) {
            lo = t, s_lo = s;
            if (side < 0) s_hi *= 0.5;
            side = -1;
        } else {
            hi = t, s_hi = s;
            if (side > 0) s_lo *= 0.5;
            side = 1;
        }
    }
    return t;
}

/// Parameter of the point of an edge nearest to the cylinder.
static double nearest_along(const rim_edge *edge, gmc_point_distance *d)
{
    double s_lo = slope(edge, 0, d);
    if (s_lo >= 0) return 0;
    double s_hi = slope(edge, 1, d);
    if (s_hi <= 0) return 1;
    return root_between(edge, 0, s_lo, 1, s_hi, d);
}

/// Parameter of the point of a rim nearest to the cylinder, near t = 0; false if there is none.
static bool nearest_around(const rim_edge *edge, double *t, gmc_point_distance *d)
{
    double s0 = slope(edge, 0, d);
    if (!(fabs(s0) > RIM_COSINE)) return *t = 0, true;
    double from = 0, s_from = s0, sign = s0 > 0 ? -1 : 1;
    double step = SPREAD_FIRST;
    while (step < SPREAD_LAST) {
        double to = sign * step, s_to = slope(edge, to, d);
        if (s_to * sign >= 0) {
            *t = sign > 0 ? root_between(edge, from, s_from, to, s_to, d)
                          : root_between(edge, to, s_to, from, s_from, d);
            return true;
        }
        from = to, s_from = s_to;
        step *= 4;
    }
    return false;
}

/// A vertex of a box or polytope, an end of a segment, the centre of a sphere.
static gmc_vec3 vertex_of(const gmc_solid *solid, int of)
{
    gmc_shape_type type = solid->shape->type;
    if (type == GMC_SHAPE_BOX || type == GMC_SHAPE_POLYTOPE) return gmc_shape_vertex(solid, of);
    if (type == GMC_SHAPE_SPHERE) return solid->X.p;
    double end = of ? solid->shape->half_length : -solid->shape->half_length;
    return gmc_vec3_add_scaled(solid->X.p, end, gmc_mat3_column(&solid->X.R, 2));
}

static bool is_whole_cylinder(const gmc_gjk_core *core)
{
    return core->solid->shape->type == GMC_SHAPE_CYLINDER && !core->is_axis && core->scale == 1;
}

/// One way to see the nearest point of the other core: on the edge between two of its vertices (or
/// at one).
typedef struct rim_candidate {
    gmc_point_distance d;
    gmc_vec3 p; ///< on the edge [m]
    int count;  ///< 1: at vertex `of`; 2: between two
    int of;     ///< if count is 1
} rim_candidate;

static rim_candidate candidate_on(const gmc_solid *cylinder, const gmc_solid *other, gmc_vec3 shift,
                                  int v0, int v1)
{
    rim_candidate c = {.count = 1, .of = v0};
    rim_edge edge = {.cylinder = cylinder, .length = 1};
    edge.from = gmc_vec3_add(vertex_of(other, v0), shift);
    double t = 0;
    if (v0 == v1) {
        (void)slope(&edge, 0, &c.d);
    } else {
        edge.along = gmc_vec3_sub(gmc_vec3_add(vertex_of(other, v1), shift), edge.from);
        edge.length = gmc_vec3_norm(edge.along);
        t = nearest_along(&edge, &c.d);
        c.count = t > 0 && t < 1 ? 2 : 1;
        c.of = t >= 1 ? v1 : v0;
    }
    c.p = gmc_vec3_add_scaled(edge.from, t, edge.along);
    return c;
}

/// Take over nearest points p (of the other core) and p - distance n (of the round one) if they are
/// an improvement: not a point inside, nor one that is farther than what was found.
static bool take_over(const gmc_point_distance *d, gmc_vec3 p, bool a_is_round,
                      gmc_gjk_result *result)
{
    if (!(d->distance > 0 && d->distance <= result->distance * (1 + SLACK))) return false;
    gmc_vec3 q = gmc_vec3_add_scaled(p, -d->distance, d->n);
    result->distance = d->distance;
    result->n = a_is_round ? d->n : gmc_vec3_neg(d->n);
    result->p_a = a_is_round ? q : p;
    result->p_b = a_is_round ? p : q;
    return true;
}

/// The rim of `other` that holds its nearest point, against `round`.
static bool refine_rim(const gmc_gjk_core *round, const gmc_gjk_core *other, bool a_is_round,
                       gmc_gjk_result *result)
{
    const gmc_shape *shape = other->solid->shape;
    gmc_vec3 p = gmc_vec3_sub(a_is_round ? result->p_b : result->p_a, other->shift);
    gmc_vec3 axis = gmc_mat3_column(&other->solid->X.R, 2), r = gmc_vec3_sub(p, other->solid->X.p);
    double along = gmc_vec3_dot(axis, r);
    gmc_vec3 out = gmc_vec3_add_scaled(r, -along, axis);
    if (!(gmc_vec3_norm(out) > 0.5 * shape->radius)) return false; // on the flat of the cap
    gmc_vec3 shift = gmc_vec3_sub(other->shift, round->shift);
    rim_edge edge = {.cylinder = round->solid, .is_rim = true};
    edge.from = gmc_vec3_add_scaled(other->solid->X.p, copysign(shape->half_length, along), axis);
    edge.from = gmc_vec3_add(edge.from, shift);
    edge.u = gmc_vec3_scale(shape->radius / gmc_vec3_norm(out), out);
    edge.v = gmc_vec3_cross(axis, edge.u);
    double t = 0;
    gmc_point_distance d;
    if (!nearest_around(&edge, &t, &d)) return false;
    return take_over(&d, gmc_vec3_add(point_at(&edge, t), round->shift), a_is_round, result);
}

void gmc_convex_refine(const gmc_gjk_core *a, const gmc_gjk_core *b, gmc_gjk_result *result)
{
    bool a_is_round = is_whole_cylinder(a), b_is_round = is_whole_cylinder(b);
    if (a_is_round && b_is_round) {
        if (!refine_rim(a, b, true, result)) (void)refine_rim(b, a, false, result);
        return;
    }
    if (!a_is_round && !b_is_round) return;
    const gmc_gjk_core *round = a_is_round ? a : b, *other = a_is_round ? b : a;
    if (other->solid->shape->type == GMC_SHAPE_CYLINDER && !other->is_axis) return; // a scaled one
    int *of = a_is_round ? result->of_b : result->of_a;
    gmc_vec3 shift = gmc_vec3_sub(other->shift, round->shift);
    // the last simplex may hold a vertex of no weight: all its edges are asked
    rim_candidate best = candidate_on(round->solid, other->solid, shift, of[0], of[0]);
    int from = of[0], to = of[0];
    for (int k = 1; k < result->count; k++)
        for (int m = 0; m < k; m++) {
            if (of[k] == of[m]) continue;
            rim_candidate c = candidate_on(round->solid, other->solid, shift, of[m], of[k]);
            if (c.d.distance < best.d.distance) best = c, from = of[m], to = of[k];
        }
    if (!take_over(&best.d, gmc_vec3_add(best.p, round->shift), a_is_round, result)) return;
    result->count = best.count;
    of[0] = best.count == 2 ? from : best.of;
    if (best.count == 2) of[1] = to;
}

// ---- the best direction ------------------------------------------------------------------------

static void ccd_support(const void *object, const ccd_vec3_t *dir, ccd_vec3_t *point)
{
    // the hint of a polytope makes no difference to its support point; a fresh core each time keeps
    // `object` const
    gmc_gjk_core core = gmc_gjk_core_of(object);
    int of;
    gmc_vec3 p = gmc_gjk_support(&core, (gmc_vec3){dir->v[0], dir->v[1], dir->v[2]}, &of);
    ccdVec3Set(point, p.x, p.y, p.z);
}

static void ccd_centre(const void *object, ccd_vec3_t *point)
{
    const gmc_solid *solid = object;
    gmc_vec3 p = gmc_pose_apply(&solid->X, gmc_shape_centre(solid->shape));
    ccdVec3Set(point, p.x, p.y, p.z);
}

static gmc_vec3 line_of_centres(const gmc_pair *pair)
{
    gmc_vec3 a = gmc_pose_apply(&pair->a.X, gmc_shape_centre(pair->a.shape));
    gmc_vec3 b = gmc_pose_apply(&pair->b.X, gmc_shape_centre(pair->b.shape));
    gmc_vec3 d = gmc_vec3_sub(b, a);
    return gmc_vec3_norm(d) > 1e-12 * pair->size ? gmc_vec3_unit(d) : (gmc_vec3){0, 0, 1};
}

/// Separation of the cores along a direction.
static double separation_along(gmc_gjk_core *a, gmc_gjk_core *b, gmc_vec3 n)
{
    int of;
    return gmc_vec3_dot(n, gmc_gjk_support(b, gmc_vec3_neg(n), &of)) -
           gmc_vec3_dot(n, gmc_gjk_support(a, n, &of));
}

/// A direction to start from when the cores overlap; false: libccd had no sensible answer either.
static bool ccd_direction(const gmc_pair *pair, gmc_vec3 *n)
{
    ccd_t ccd;
    CCD_INIT(&ccd);
    ccd.support1 = ccd.support2 = ccd_support;
    ccd.center1 = ccd.center2 = ccd_centre;
    ccd.max_iterations = CCD_TURN_MAX;
    ccd.mpr_tolerance = ccd.epa_tolerance = CCD_TOLERANCE * pair->size;
    for (int k = 0; k < 2; k++) {
        ccd_real_t depth = -1;
        ccd_vec3_t dir = {{0, 0, 0}}, position;
        int failed = k ? ccdGJKPenetration(&pair->a, &pair->b, &ccd, &depth, &dir, &position)
                       : ccdMPRPenetration(&pair->a, &pair->b, &ccd, &depth, &dir, &position);
        gmc_vec3 d = {dir.v[0], dir.v[1], dir.v[2]};
        double length = gmc_vec3_norm(d);
        if (failed || !(fabs(length - 1) < 1e-6)) continue; // not a number fails too
        *n = gmc_vec3_scale(1 / length, d);
        return true;
    }
    return false;
}

/// Try a direction; keep the better of it and the best so far.
static void try_direction(gmc_gjk_core *a, gmc_gjk_core *b, gmc_vec3 n, gmc_vec3 *best,
                          double *most)
{
    double s = separation_along(a, b, n);
    if (s > *most) *most = s, *best = n;
}

/// All flat faces of both.
static void try_faces(const gmc_pair *pair, gmc_gjk_core *a, gmc_gjk_core *b, gmc_vec3 *best,
                      double *most)
{
    double offset;
    for (int f = 0; f < gmc_feature_face_count(&pair->a); f++)
        try_direction(a, b, gmc_feature_face(&pair->a, f, &offset), best, most);
    for (int f = 0; f < gmc_feature_face_count(&pair->b); f++)
        try_direction(a, b, gmc_vec3_neg(gmc_feature_face(&pair->b, f, &offset)), best, most);
}

/// First guess of the normal of overlapping cores. Nothing known: the best of all flat faces, of
/// the direction between shrunken cores and, if those overlap as well, of libccd's.
static gmc_vec3 first_direction(const gmc_pair *pair, gmc_gjk_core *a, gmc_gjk_core *b)
{
    gmc_vec3 before = pair->cache->normal;
    if (gmc_vec3_norm(before) > 0) return gmc_vec3_unit(gmc_mat3_apply(&pair->a.X.R, before));
    gmc_vec3 best = line_of_centres(pair), n;
    double most = separation_along(a, b, best);
    try_faces(pair, a, b, &best, &most);
    gmc_gjk_core small_a = *a, small_b = *b;
    small_a.scale = small_b.scale = SHRUNK;
    gmc_gjk_result r = gmc_gjk_distance(&small_a, &small_b, best, pair->size);
    pair->counts->support_calls += r.supports;
    if (!r.is_overlap)
        try_direction(a, b, r.n, &best, &most);
    else if (ccd_direction(pair, &n))
        try_direction(a, b, n, &best, &most);
    return best;
}

/// Does some flat face of either solid separate them better than `separation`, radii included [m]?
static bool some_face_is_better(const gmc_pair *pair, gmc_gjk_core *a, gmc_gjk_core *b,
                                double separation)
{
    gmc_vec3 n;
    double of_cores = separation + gmc_gjk_radius(a) + gmc_gjk_radius(b), most = of_cores;
    try_faces(pair, a, b, &n, &most);
    return most > of_cores;
}

/// Name of the point where two cores touch, from the vertices that span their nearest points.
static uint64_t feature_of(const gmc_pair *pair, const gmc_gjk_result *r)
{
    bool is_one_a = r->of_a[0] >= 0, is_one_b = r->of_b[0] >= 0;
    int a1 = r->of_a[0], b1 = r->of_b[0], others_a = 0, others_b = 0;
    for (int k = 1; k < r->count; k++) {
        if (r->of_a[k] != r->of_a[0] && r->of_a[k] != a1) a1 = r->of_a[k], others_a++;
        if (r->of_b[k] != r->of_b[0] && r->of_b[k] != b1) b1 = r->of_b[k], others_b++;
    }
    if (is_one_a && others_a == 0) return gmc_pair_feature(GMC_FEATURE_VERTEX_A, r->of_a[0], 0);
    if (is_one_b && others_b == 0) return gmc_pair_feature(GMC_FEATURE_VERTEX_B, 0, r->of_b[0]);
    if (!is_one_a || !is_one_b || others_a != 1 || others_b != 1)
        return gmc_pair_feature(GMC_FEATURE_WITNESS, 0, 0);
    int edge_a = gmc_shape_edge_id(&pair->a, r->of_a[0], a1);
    int edge_b = gmc_shape_edge_id(&pair->b, r->of_b[0], b1);
    if (edge_a < 0 || edge_b < 0) return gmc_pair_feature(GMC_FEATURE_WITNESS, 0, 0);
    return gmc_pair_feature(GMC_FEATURE_CROSSING, edge_a, edge_b);
}

/// The axis n as it is, with the points that are farthest along it: only if rounding spoils the
/// projection.
static gmc_convex_axis axis_of_supports(gmc_gjk_core *a, gmc_gjk_core *b, gmc_vec3 n,
                                        double separation)
{
    int of;
    b->shift = (gmc_vec3){0, 0, 0};
    gmc_vec3 p = gmc_gjk_support(a, n, &of), q = gmc_gjk_support(b, gmc_vec3_neg(n), &of);
    double ra = gmc_gjk_radius(a), rb = gmc_gjk_radius(b);
    // both may be anywhere on a face: half way between them is on the line of neither, but near
    // both
    gmc_vec3 middle = gmc_vec3_add_scaled(gmc_vec3_add(p, q), ra - rb, n);
    return (gmc_convex_axis){separation - ra - rb, n, gmc_vec3_scale(0.5, middle),
                             gmc_pair_feature(GMC_FEATURE_WITNESS, 0, 0)};
}

/// Climb from the direction n, at first separating by *separation, to one that no small turn
/// betters. On return b is still shifted as the nearest points in the result are.
static gmc_gjk_result climb(const gmc_pair *pair, gmc_gjk_core *a, gmc_gjk_core *b, gmc_vec3 n,
                            double *separation)
{
    gmc_gjk_result r = {.is_overlap = true};
    for (int turn = 0; turn < TURN_MAX; turn++) {
        b->shift = gmc_vec3_scale(CLEAR * pair->size - *separation, n);
        r = gmc_gjk_distance_again(a, b, &pair->cache->span, n, pair->size);
        pair->counts->support_calls += r.supports;
        if (r.is_overlap) break; // rounding only: n separates them by CLEAR
        gmc_convex_refine(a, b, &r);
        gmc_vec3 move = gmc_vec3_sub(r.n, n);
        *separation = r.distance - gmc_vec3_dot(r.n, b->shift);
        n = r.n;
        if (!(gmc_vec3_norm(move) > SETTLED)) break;
    }
    if (r.is_overlap) r.n = n;
    return r;
}

/// The direction of largest separation: the global one if the cores are apart, else a local one.
/// Beyond the margin any direction that proves it will do, without a point.
static gmc_convex_axis axis_between(const gmc_pair *pair, gmc_gjk_core *a, gmc_gjk_core *b)
{
    double ra = gmc_gjk_radius(a), rb = gmc_gjk_radius(b);
    bool is_known = gmc_vec3_norm(pair->cache->normal) > 0;
    gmc_vec3 n =
        is_known ? gmc_mat3_apply(&pair->a.X.R, pair->cache->normal) : line_of_centres(pair);
    double separation = INFINITY;
    // the axes of round solids that touch are apart, and from the points before their distance is
    // soon found
    bool is_round = pair->cache->span.count > 0 && ra + rb > CLEAR * pair->size;
    if (!is_round) {
        separation = separation_along(a, b, n);
        pair->counts->support_calls++;
        if (separation - ra - rb > pair->margin)
            return (gmc_convex_axis){.separation = separation - ra - rb, .n = n};
    }

    // near contact along a known direction the climb is all that is needed; else nearest points
    // first
    gmc_gjk_result r = {.is_overlap = true};
    bool is_near = is_known && fabs(separation) < CLEAR * pair->size;
    if (!is_near) {
        r = gmc_gjk_distance_again(a, b, &pair->cache->span, n, pair->size);
        pair->counts->support_calls += r.supports;
        if (!r.is_overlap && r.distance - ra - rb <= pair->margin) gmc_convex_refine(a, b, &r);
        separation = r.distance;
        // nearer than NEAR the difference of the nearest points has lost its digits
        is_near = r.is_overlap || r.distance < NEAR * pair->size;
        if (is_near) {
            n = r.is_overlap ? first_direction(pair, a, b) : r.n;
            separation = separation_along(a, b, n);
        }
    }
    if (is_near) r = climb(pair, a, b, n, &separation);
    if (r.is_overlap) return axis_of_supports(a, b, r.n, separation);
    gmc_vec3 q = gmc_vec3_sub(r.p_b, b->shift), middle = gmc_vec3_add(r.p_a, q);
    // surfaces: p_a + r_a n and q - r_b n
    middle = gmc_vec3_scale(0.5, gmc_vec3_add_scaled(middle, ra - rb, r.n));
    b->shift = (gmc_vec3){0, 0, 0};
    return (gmc_convex_axis){separation - ra - rb, r.n, middle, feature_of(pair, &r)};
}

/// Cylinders as capsules first: where the normal turns out perpendicular to the axis, the nearest
/// point is on the side, and its place and normal are exact, which those of supports on a rim are
/// not. The cylinder is inside of that capsule and touches it there, so it cannot be nearer.
gmc_convex_axis gmc_convex_best(gmc_pair *pair)
{
    gmc_gjk_core a = gmc_gjk_core_of(&pair->a), b = gmc_gjk_core_of(&pair->b);
    gmc_gjk_core *cores[2] = {&a, &b};
    gmc_convex_axis best = {.separation = -INFINITY};
    a.hint = pair->cache->hint_a;
    b.hint = pair->cache->hint_b;
    for (int k = 0; k < 2; k++)
        cores[k]->is_axis = cores[k]->solid->shape->type == GMC_SHAPE_CYLINDER;
    for (bool is_done = false; !is_done;) {
        best = axis_between(pair, &a, &b);
        is_done = true;
        for (int k = 0; k < 2; k++) {
            gmc_vec3 axis = gmc_mat3_column(&cores[k]->solid->X.R, 2);
            if (!cores[k]->is_axis || fabs(gmc_vec3_dot(axis, best.n)) <= PERPENDICULAR) continue;
            cores[k]->is_axis = false;
            is_done = false;
        }
    }
    // overlapping, the cylinder may be shallower in through a cap than its capsule is through the
    // side
    bool has_axis = a.is_axis || b.is_axis;
    a.is_axis = b.is_axis = false;
    if (has_axis && best.separation < 0 && some_face_is_better(pair, &a, &b, best.separation)) {
        pair->cache->normal = (gmc_vec3){0, 0, 0};
        gmc_convex_axis whole = axis_between(pair, &a, &b);
        if (whole.separation > best.separation) best = whole;
    }
    pair->cache->hint_a = a.hint;
    pair->cache->hint_b = b.hint;
    pair->cache->normal = gmc_mat3_apply_transposed(&pair->a.X.R, best.n);
    return best;
}

void gmc_convex_nearest(gmc_pair *pair, gmc_manifold *manifold)
{
    gmc_convex_axis axis = gmc_convex_best(pair);
    manifold->count = 0;
    if (axis.separation <= pair->margin)
        gmc_manifold_single(axis.n, axis.p, axis.separation, axis.feature, manifold);
}

// ---- features that face each other -------------------------------------------------------------
// Capsules, cylinders, boxes and polytopes of any size against each other: the best direction,
// made the exact normal of a face where one is as good, and the manifold of the features that face
// each other along it.
// The reference face of the call before is tried first: if the features along its normal have a
// point as near as the face separates the solids, that is their distance (or, a little overlapping,
// a way out as short as any near it), and no search is needed. That is how objects at rest are
// handled, for 0.3 µs. Else the search: nearest points (above), then the faces at those points,
// one of which takes over if it separates as well.

/// Overlap (relative to size) up to which the face before is taken without a search. A finger that
/// presses 50 N at 1e6 N/m sinks in 5e-5 m; two faces that are both overlapped less than this
/// differ by no more than that.
#define SHALLOW 1e-3
/// Two round solids touch side to side where the normal is this near to perpendicular (cosine) to a
/// cylinder's axis; along each other, the lines may tilt as primitive.c lets them.
#define PERPENDICULAR 1e-9

/// Numbering in gmc_pair_cache.axis: 1 no face, 2 + 2 face of a, 3 + 2 face of b.
enum { AXIS_FREE = 1, AXIS_FACES = 2 };

typedef struct facing_axis {
    double separation; ///< [m]
    gmc_vec3 n;        ///< from a to b
    int code;
} facing_axis;

static facing_axis face_axis(gmc_pair *pair, bool is_of_b, int face)
{
    const gmc_solid *own = is_of_b ? &pair->b : &pair->a, *other = is_of_b ? &pair->a : &pair->b;
    double offset;
    gmc_vec3 out = gmc_feature_face(own, face, &offset), in = gmc_vec3_neg(out);
    int *hint = is_of_b ? &pair->cache->hint_a : &pair->cache->hint_b;
    double s = gmc_vec3_dot(out, gmc_shape_support(other, in, hint)) - offset;
    pair->counts->support_calls++;
    return (facing_axis){s, is_of_b ? in : out, AXIS_FACES + 2 * face + is_of_b};
}

/// Append candidates of the features that face each other along n; the faces of boxes and
/// polytopes, -1 where they must be looked for.
static void append_along(gmc_pair *pair, int face_a, int face_b, const gmc_pair_axes *axes)
{
    gmc_pair_cache *cache = pair->cache;
    gmc_vec3 n = axes->n;
    gmc_feature_view of_a = {n, face_a, cache->is_flat & GMC_PAIR_FLAT_A, axes};
    gmc_feature_view of_b = {gmc_vec3_neg(n), face_b, cache->is_flat & GMC_PAIR_FLAT_B, axes};
    gmc_feature a = gmc_feature_towards(&pair->a, &of_a, &cache->hint_a, &pair->work->polygon_a);
    gmc_feature b = gmc_feature_towards(&pair->b, &of_b, &cache->hint_b, &pair->work->polygon_b);
    cache->is_flat = (a.is_flat ? GMC_PAIR_FLAT_A : 0) | (b.is_flat ? GMC_PAIR_FLAT_B : 0);
    gmc_feature_overlay(pair, &a, &b);
}

/// The candidates along n, alone.
static void overlay_along(gmc_pair *pair, gmc_vec3 n, int face_a, int face_b, gmc_pair_axes *axes)
{
    *axes = gmc_pair_axes_of(n);
    pair->work->candidate_count = 0;
    append_along(pair, face_a, face_b, axes);
}

/// Was this feature among the first candidates?
static bool is_listed(const gmc_pair_work *work, int count, uint64_t feature)
{
    for (int c = 0; c < count; c++)
        if (work->candidates[c].feature == feature) return true;
    return false;
}

/// The candidates of what will lie over a face when b has moved.
static void append_ahead(gmc_pair *pair, int face_a, int face_b, gmc_vec3 way,
                         const gmc_pair_axes *axes)
{
    gmc_pair_work *work = pair->work;
    int now = work->candidate_count, count = now;
    gmc_pair moved = *pair;
    moved.b.X.p = gmc_vec3_add(moved.b.X.p, way);
    append_along(&moved, face_a, face_b, axes);
    // where the points of the solid that is to come over the face are now
    gmc_vec3 back = face_a >= 0 ? way : (gmc_vec3){0, 0, 0};
    for (int c = now; c < work->candidate_count; c++) {
        if (is_listed(work, now, work->candidates[c].feature)) continue;
        work->candidates[count] = work->candidates[c];
        work->candidates[count].x -= gmc_vec3_dot(axes->t1, back);
        work->candidates[count++].y -= gmc_vec3_dot(axes->t2, back);
    }
    work->candidate_count = count;
}

void gmc_convex_along(gmc_pair *pair, gmc_vec3 n, const int faces[2], const gmc_vec3 *way,
                      gmc_manifold *manifold)
{
    gmc_pair_axes axes;
    overlay_along(pair, n, faces[0], faces[1], &axes);
    if (way) append_ahead(pair, faces[0], faces[1], *way, &axes);
    manifold->count = manifold->outline_count = 0;
    if (pair->work->candidate_count > 0) gmc_manifold_reduce(pair, &axes, manifold);
}

static double nearest_candidate(const gmc_pair *pair)
{
    double nearest = INFINITY;
    for (int c = 0; c < pair->work->candidate_count; c++)
        nearest = gmc_pair_min(nearest, pair->work->candidates[c].gap);
    return nearest;
}

/// Is the manifold along a face's axis as near as the axis says?
static bool is_realised(gmc_pair *pair, const facing_axis *axis, gmc_manifold *manifold)
{
    gmc_pair_axes axes;
    int face = (axis->code - AXIS_FACES) / 2;
    bool is_of_b = axis->code & 1;
    overlay_along(pair, axis->n, is_of_b ? -1 : face, is_of_b ? face : -1, &axes);
    if (!(nearest_candidate(pair) <= axis->separation + GMC_PAIR_REALISED * pair->size))
        return false;
    gmc_manifold_reduce(pair, &axes, manifold);
    return true;
}

/// Without a face: the nearest points, all points of a line that are as near, and what a rocking
/// edge touches next. `faces`: of a and b, those seen along the normal.
static void without_face(gmc_pair *pair, const gmc_convex_axis *best, const int *faces,
                         gmc_manifold *manifold)
{
    gmc_shape_type ta = pair->a.shape->type, tb = pair->b.shape->type;
    bool is_round = ta == GMC_SHAPE_CAPSULE || ta == GMC_SHAPE_CYLINDER ||
                    tb == GMC_SHAPE_CAPSULE || tb == GMC_SHAPE_CYLINDER;
    gmc_manifold_single(best->n, best->p, best->separation, best->feature, manifold);
    if (!is_round) {
        if (gmc_pair_kind(best->feature) == GMC_FEATURE_CROSSING)
            gmc_overlay_beside_crossing(pair, manifold);
        return;
    }
    gmc_pair_axes axes;
    gmc_pair_work *work = pair->work;
    int near_count = 0;
    overlay_along(pair, best->n, faces[0], faces[1], &axes);
    gmc_overlay_beside_line(pair);
    gmc_manifold_find_soon(pair, &axes);
    for (int c = 0; c < work->candidate_count; c++) {
        // what was kept before may rise a little before it is let go
        double level = gmc_pair_was_kept(pair->cache, work->candidates[c].feature) ? 4 : 1;
        level *= GMC_PAIR_REALISED * pair->size;
        // where a line touches at one end and turns on to the other, that one must stop it: else it
        // turns past level and back, step by step
        if (work->candidates[c].nearness == GMC_CANDIDATE_SOON ||
            work->candidates[c].gap <= best->separation + level)
            work->candidates[near_count++] = work->candidates[c];
    }
    work->candidate_count = near_count;
    gmc_manifold line;
    gmc_manifold_reduce(pair, &axes, &line);
    if (line.count > 1) *manifold = line;
}

/// Does a cap of either cylinder separate the solids better than their sides do?
static bool cap_is_better(gmc_pair *pair, double gap)
{
    for (int k = 0; k < 2; k++) {
        int count = gmc_feature_face_count(k ? &pair->b : &pair->a);
        for (int f = 0; f < count; f++)
            if (face_axis(pair, k, f).separation > gap) return true;
    }
    return false;
}

/// Side to side, two capsules or cylinders: exact if the normal is perpendicular to the cylinders'
/// axes, and no shorter way out leads through a cap. What is apart as capsules is apart as
/// cylinders.
static bool sides_meet(gmc_pair *pair, gmc_manifold *manifold)
{
    const gmc_solid *solids[2] = {&pair->a, &pair->b};
    for (int k = 0; k < 2; k++)
        if (solids[k]->shape->type != GMC_SHAPE_CAPSULE &&
            solids[k]->shape->type != GMC_SHAPE_CYLINDER)
            return false;
    int of_caps = pair->cache->is_flat & ~GMC_PAIR_PARALLEL;
    gmc_primitive_capsules(pair, manifold);
    int is_along = pair->cache->is_flat & GMC_PAIR_PARALLEL;
    pair->cache->is_flat |= of_caps;
    if (manifold->count == 0) return true;
    for (int k = 0; k < 2 && !is_along; k++) {
        double along = gmc_vec3_dot(gmc_mat3_column(&solids[k]->X.R, 2), manifold->n);
        if (solids[k]->shape->type == GMC_SHAPE_CYLINDER && fabs(along) > PERPENDICULAR)
            return false;
    }
    double gap = gmc_manifold_nearest(manifold);
    return gap >= 0 || !cap_is_better(pair, gap);
}

/// The face to take instead of the best direction, if one separates as well; its code is 0 if none
/// does. `faces`: out: those seen along the best direction, -1 where there is none.
static facing_axis face_instead(gmc_pair *pair, const gmc_convex_axis *best,
                                const facing_axis *before, int *faces)
{
    facing_axis none = {.separation = -INFINITY}, of_a = none, of_b = none;
    faces[0] = gmc_feature_face_towards(&pair->a, best->n, &pair->cache->hint_a);
    faces[1] = gmc_feature_face_towards(&pair->b, gmc_vec3_neg(best->n), &pair->cache->hint_b);
    if (faces[0] >= 0) of_a = face_axis(pair, false, faces[0]);
    if (faces[1] >= 0) of_b = face_axis(pair, true, faces[1]);
    double most = gmc_pair_max(gmc_pair_max(of_a.separation, of_b.separation), before->separation);
    double margin = GMC_PAIR_EDGE_MARGIN * pair->size, keep = GMC_PAIR_AXIS_KEEP * pair->size;
    if (pair->cache->axis == AXIS_FREE) margin *= 0.5;
    if (!(most >= best->separation - margin)) return none;
    if (before->separation >= most - keep) return *before;
    return of_a.separation >= most - keep ? of_a : of_b;
}

void gmc_convex_find(gmc_pair *pair, gmc_manifold *manifold)
{
    facing_axis before = {.separation = -INFINITY};
    int code = pair->cache->axis;
    if (code >= AXIS_FACES) {
        before = face_axis(pair, code & 1, (code - AXIS_FACES) / 2);
        manifold->count = manifold->outline_count = 0;
        bool is_apart = before.separation > pair->margin;
        if (is_apart) gmc_pair_part(pair, before.n);
        if (is_apart ||
            (before.separation >= -SHALLOW * pair->size && is_realised(pair, &before, manifold))) {
            pair->counts->cache_hits++;
            return;
        }
    }
    if (sides_meet(pair, manifold)) {
        pair->cache->axis = AXIS_FREE;
        return;
    }
    gmc_convex_axis best = gmc_convex_best(pair);
    manifold->count = manifold->outline_count = 0;
    pair->cache->axis = AXIS_FREE;
    if (best.separation > pair->margin) {
        gmc_pair_part(pair, best.n);
        return;
    }
    int faces[2];
    facing_axis face = face_instead(pair, &best, &before, faces);
    if (face.code != 0 && is_realised(pair, &face, manifold))
        pair->cache->axis = face.code;
    else
        without_face(pair, &best, faces, manifold);
}

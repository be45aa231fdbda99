// The distance of a point from a cylinder is known in closed form and convex, so along an edge its
// derivative, the edge times the outward normal, rises from end to end: its root is bracketed by
// the ends and found by the Illinois form of the false position method [dowell1971]. Along the rim
// of a second cylinder it rises near its minimum; there the bracket is spread from the place that
// supports found.
#include "engine/collision/rim.h"

#include "engine/collision/point.h"

/// Evaluations allowed; about 10 are used.
enum { TURN_MAX = 80 };
/// The derivative is a cosine: its rounding.
#define COSINE 1e-16
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
    for (int turn = 0; turn < TURN_MAX; turn++) {
        t = (lo * s_hi - hi * s_lo) / (s_hi - s_lo);
        bool is_between = t > lo && t < hi; // else rounding has closed the bracket
        double s = slope(edge, t, d);
        if (!is_between || !(fabs(s) > COSINE)) break;
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
    if (!(fabs(s0) > COSINE)) return *t = 0, true;
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

void gmc_rim_refine(const gmc_gjk_core *a, const gmc_gjk_core *b, gmc_gjk_result *result)
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

// A polygon against a circle or a super-ellipse: each outer edge that faces it, each vertex that
// may be nearest to it. Of those that overlap the shallowest counts, of those apart there is one;
// which direction separates at the end of the step decides as for two polygons (planar_polygon.c).
// Where the round solid would pass beside an edge, that edge is the contact, not the corner that it
// would pass: nothing is in its way, but what else it meets cannot throw it into the polygon.

#include "engine/collision/manifold.h"
#include "engine/collision/planar_ellipse.h"
#include "engine/collision/planar_internal.h"

/// A direction in which the two may be held apart.
typedef struct part {
    gmc_vec2 n;     ///< outwards from the polygon
    double gap;     ///< [m]
    double at_end;  ///< as the bodies move now [m]
    gmc_vec2 on_b;  ///< nearest point of the round solid
    bool is_facing; ///< it stands over the edge
} part;

static double radius_of(const gmc_shape *shape)
{
    return shape->type == GMC_SHAPE_CIRCLE ? shape->radius : gmc_shape_radius(shape);
}

/// Separation along n at the end of the step, from the line through `from`: of a round solid that
/// turns another point may be the nearest then.
static double at_end_of(const gmc_planar_query *q, gmc_vec2 n, gmc_vec2 from, double gap,
                        gmc_vec2 on_b)
{
    if (q->spin == 0) return gap - gmc_planar_approach(q, n, on_b);
    // it grows by n·drift + spin x × n, which is linear in x
    gmc_vec2 e = {n.x + q->spin * n.y, n.y - q->spin * n.x};
    gmc_vec2 x = gmc_planar_ellipse_support(&q->b, gmc_vec2_neg(gmc_vec2_unit(e)));
    return gmc_vec2_dot(e, x) - gmc_vec2_dot(n, from) + gmc_vec2_dot(n, q->drift);
}

static part over_edge(const gmc_planar_query *q, int edge, gmc_vec2 n, gmc_vec2 from)
{
    const gmc_polygon_piece *p = q->a.shape->polygon;
    gmc_vec2 on_b = gmc_planar_ellipse_support(&q->b, gmc_vec2_neg(n));
    gmc_vec2 to = gmc_planar_vertex(&q->a, edge + 1 < p->count ? edge + 1 : 0);
    gmc_vec2 along = gmc_vec2_left(n), r = gmc_vec2_sub(on_b, from);
    double length = gmc_vec2_dot(along, gmc_vec2_sub(to, from)), first, last;
    gmc_planar_edge_ends(&q->a, edge, length, &first, &last);
    double t = gmc_vec2_dot(along, r), gap = gmc_vec2_dot(n, r);
    return (part){n, gap, at_end_of(q, n, from, gap, on_b), on_b, t >= first && t <= last};
}

/// A vertex, if the direction from there to the solid is its own.
static part at_vertex(const gmc_planar_query *q, int vertex, gmc_vec2 guess)
{
    const gmc_polygon_piece *p = q->a.shape->polygon;
    gmc_vec2 v = gmc_planar_vertex(&q->a, vertex);
    gmc_planar_gap g = gmc_planar_ellipse_point(v, &q->b, guess);
    bool is_own =
        p->corners[vertex] == GMC_POLYGON_CONVEX && gmc_planar_is_corner(&q->a, vertex, g.n, 0);
    return (part){g.n, g.gap, at_end_of(q, g.n, v, g.gap, g.on_b), g.on_b, is_own};
}

typedef struct parts {
    part best;     ///< the shallowest that faces; gap -inf: none
    part any;      ///< the shallowest outer edge, facing or not
    part passing;  ///< the edge beside which they pass, if any: that of the largest at_end
    double most;   ///< largest separation along any edge's normal, inner ones included
    double inside; ///< largest height of the round solid's centre over an edge; <= 0: it is inside
} parts;

static void take(parts *all, const part *one)
{
    if (one->is_facing && one->gap > all->best.gap) all->best = *one;
}

/// @return false: an edge parts the two
static bool look_at_edges(const gmc_planar_query *q, parts *all)
{
    const gmc_polygon_piece *p = q->a.shape->polygon;
    double radius = radius_of(q->b.shape), flush = GMC_PLANAR_FLUSH * q->size;
    double worst = GMC_PLANAR_INNER * q->size;
    for (int i = 0; i < p->count; i++) {
        gmc_vec2 n = gmc_planar_normal(&q->a, i), from = gmc_planar_vertex(&q->a, i);
        double centre = gmc_vec2_dot(n, gmc_vec2_sub(q->b.p, from));
        if (centre - radius > q->margin) {
            gmc_planar_part(q, n);
            return false;
        }
        if (centre > all->inside) all->inside = centre;
        // no more than the centre's, which is inside
        if (centre < gmc_pair_min(all->most, 0) - worst) continue;
        part one = over_edge(q, i, n, from);
        if (one.gap > q->margin) return false;
        if (one.gap > all->most) all->most = one.gap;
        if (p->is_inner[i]) continue;
        if (!one.is_facing && one.gap >= -flush &&
            one.at_end - q->bend >= gmc_pair_min(one.gap, 0) - GMC_PAIR_AXIS_KEEP * q->size &&
            one.at_end > all->passing.at_end)
            all->passing = one;
        take(all, &one);
        if (one.gap > all->any.gap) all->any = one;
    }
    // what overlaps by much more than another edge is the far side of the piece
    if (all->best.gap < gmc_pair_min(all->most, 0) - worst) all->best.gap = -HUGE_VAL;
    return true;
}

/// @return is any near enough to be asked?
static bool look_at_vertices(const gmc_planar_query *q, gmc_vec2 guess, parts *all)
{
    const gmc_polygon_piece *p = q->a.shape->polygon;
    double radius = radius_of(q->b.shape);
    bool is_near = false;
    for (int i = 0; i < p->count; i++) {
        gmc_vec2 away = gmc_vec2_sub(q->b.p, gmc_planar_vertex(&q->a, i));
        double reach = radius + q->margin;
        if (p->corners[i] != GMC_POLYGON_CONVEX || gmc_vec2_dot(away, away) > reach * reach)
            continue;
        part one = at_vertex(q, i, guess);
        take(all, &one);
        is_near = true;
    }
    return is_near;
}

void gmc_planar_round(gmc_planar_query *query, gmc_manifold *manifold)
{
    const gmc_planar_query *q = query;
    double keep = GMC_PAIR_AXIS_KEEP * q->size;
    parts all = {.best = {.gap = -HUGE_VAL},
                 .any = {.gap = -HUGE_VAL},
                 .passing = {.at_end = -HUGE_VAL},
                 .most = -HUGE_VAL,
                 .inside = -HUGE_VAL};
    manifold->count = 0;
    manifold->n = (gmc_vec3){0, 0, 0};
    if (!look_at_edges(q, &all)) return;
    bool is_near = false;
    // something nearer than the edge that faces it stands over a corner
    if (all.best.gap < all.most || !(all.best.gap > -HUGE_VAL)) {
        gmc_vec2 guess = {0, 0};
        is_near = look_at_vertices(q, guess, &all);
    }
    // so deep that nothing faces anything; beside a corner that is farther than the margin the two
    // lie within each other's edges' heights and yet apart
    bool is_deep = !(all.best.gap > -HUGE_VAL) && !q->a.shape->polygon->has_inner && all.most < 0 &&
                   (is_near || all.inside <= 0);
    const part *best = is_deep ? &all.any : &all.best;
    if (!(best->gap > -HUGE_VAL)) return;
    if (!gmc_planar_may_touch(q, best->gap, best->gap - best->at_end)) return;
    // beside each other, and kept there: what else is met within the step may push them together
    if (best->at_end < -GMC_PLANAR_FLUSH * q->size && all.passing.at_end > best->at_end + keep)
        best = &all.passing;
    gmc_vec2 p = gmc_vec2_add_scaled(best->on_b, -0.5 * best->gap, best->n);
    gmc_manifold_single((gmc_vec3){best->n.x, best->n.y, 0}, (gmc_vec3){p.x, p.y, 0}, best->gap, 0,
                        manifold);
}

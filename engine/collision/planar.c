// Two solids of one plane: out of three dimensions, to the function of their kinds, and back.
#include "engine/collision/planar.h"

#include "engine/base/check.h"
#include "engine/collision/manifold.h"
#include "engine/collision/planar_ellipse.h"
#include "engine/collision/planar_internal.h"

void gmc_planar_edge_ends(const gmc_planar_solid *solid, int edge, double length, double *first,
                          double *last)
{
    const gmc_polygon_piece *p = solid->shape->polygon;
    int end = edge + 1 < p->count ? edge + 1 : 0;
    double more = GMC_PLANAR_REFLEX_REACH * length;
    *first = p->corners[edge] == GMC_POLYGON_REFLEX ? -more : 0;
    *last = p->corners[end] == GMC_POLYGON_REFLEX ? length + more : length;
}

bool gmc_planar_is_corner(const gmc_planar_solid *solid, int vertex, gmc_vec2 n, double slack)
{
    const gmc_polygon_cone *cone = &solid->shape->polygon->cones[vertex];
    gmc_vec2 d = gmc_planar_turn_back(solid, n);
    return gmc_vec2_cross(cone->before, d) >= -slack && gmc_vec2_cross(d, cone->behind) >= -slack &&
           gmc_vec2_dot(gmc_vec2_add(cone->before, cone->behind), d) > 0;
}

/// Two circles or super-ellipses.
static void two_round(const gmc_planar_query *q, gmc_manifold *manifold)
{
    gmc_vec2 guess = {0, 0};
    if (q->cache->kept_count > 0)
        guess = gmc_planar_turn(&q->a, (gmc_vec2){q->cache->normal.x, q->cache->normal.y});
    gmc_planar_gap g = gmc_planar_ellipse_gap(&q->a, &q->b, guess);
    manifold->count = 0;
    if (!gmc_planar_may_touch(q, g.gap, gmc_planar_approach(q, g.n, g.on_b))) return;
    gmc_vec2 p = gmc_vec2_scale(0.5, gmc_vec2_add(g.on_a, g.on_b));
    gmc_manifold_single((gmc_vec3){g.n.x, g.n.y, 0}, (gmc_vec3){p.x, p.y, 0}, g.gap, 0, manifold);
}

static gmc_planar_solid solid_of(const gmc_solid *solid)
{
    GMC_ASSERT(gmc_shape_is_planar(solid->shape->type));
    return (gmc_planar_solid){.shape = solid->shape,
                              .c = solid->X.R.m[0],
                              .s = solid->X.R.m[3],
                              .p = {solid->X.p.x, solid->X.p.y}};
}

void gmc_planar_find(gmc_pair *pair, gmc_manifold *manifold)
{
    gmc_planar_query q = {.a = solid_of(&pair->a),
                          .b = solid_of(&pair->b),
                          .drift = {pair->move.v.x, pair->move.v.y},
                          .spin = pair->move.w.z,
                          .reach = pair->reach,
                          .margin = pair->margin,
                          .size = pair->size,
                          .cache = pair->cache};
    double extent = gmc_shape_radius(q.a.shape) + gmc_shape_radius(q.b.shape);
    q.bend = 0.5 * q.spin * q.spin * extent;
    bool a_is_polygon = q.a.shape->type == GMC_SHAPE_POLYGON;
    bool b_is_polygon = q.b.shape->type == GMC_SHAPE_POLYGON;
    if (a_is_polygon && b_is_polygon) {
        gmc_planar_polygons(&q, manifold);
    } else if (a_is_polygon) {
        gmc_planar_round(&q, manifold);
    } else if (b_is_polygon) {
        gmc_planar_solid swap = q.a;
        q.a = q.b;
        q.b = swap;
        q.drift = gmc_vec2_neg(q.drift);
        q.spin = -q.spin;
        q.is_swapped = true;
        gmc_planar_round(&q, manifold);
        manifold->n = gmc_vec3_neg(manifold->n);
    } else {
        two_round(&q, manifold);
    }
}

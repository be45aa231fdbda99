/// What the planar files share (private to planar*.c).
#ifndef GMC_ENGINE_COLLISION_PLANAR_INTERNAL_H
#define GMC_ENGINE_COLLISION_PLANAR_INTERNAL_H

#include "engine/collision/planar.h"
#include "engine/math/vec2.h"

/// A planar solid in the frame of one query.
typedef struct gmc_planar_solid {
    const gmc_shape *shape;
    double c, s; ///< cosine and sine of its angle
    gmc_vec2 p;  ///< origin of its frame [m]
} gmc_planar_solid;

/// Two planar solids. Motion is h times the velocity of b against a as the step begins.
typedef struct gmc_planar_query {
    gmc_planar_solid a, b;
    gmc_vec2 drift; ///< at the query frame's origin [m]
    double spin;    ///< [rad]
    double bend;    ///< how far a path leaves its tangent within the step, at most [m]
    double reach;   ///< points up to this gap are wanted, and those that come so near [m]
    double margin;  ///< solids farther apart than this do not touch within the step [m]
    double size;    ///< smaller bounding radius [m]
    gmc_pair_cache *cache;
    bool is_swapped; ///< a is the pair's b: features and normals are to be turned round
} gmc_planar_query;

static inline gmc_vec2 gmc_planar_turn(const gmc_planar_solid *solid, gmc_vec2 v)
{
    return (gmc_vec2){solid->c * v.x - solid->s * v.y, solid->s * v.x + solid->c * v.y};
}

static inline gmc_vec2 gmc_planar_turn_back(const gmc_planar_solid *solid, gmc_vec2 v)
{
    return (gmc_vec2){solid->c * v.x + solid->s * v.y, solid->c * v.y - solid->s * v.x};
}

static inline gmc_vec2 gmc_planar_vertex(const gmc_planar_solid *solid, int i)
{
    gmc_vec2 v = gmc_vec2_scale(solid->shape->scale, solid->shape->polygon->vertices[i]);
    return gmc_vec2_add(solid->p, gmc_planar_turn(solid, v));
}

static inline gmc_vec2 gmc_planar_normal(const gmc_planar_solid *solid, int edge)
{
    return gmc_planar_turn(solid, solid->shape->polygon->normals[edge]);
}

/// How far b comes towards a along n at the point x within the step; negative: it goes away [m].
static inline double gmc_planar_approach(const gmc_planar_query *q, gmc_vec2 n, gmc_vec2 x)
{
    return -(gmc_vec2_dot(n, q->drift) + q->spin * gmc_vec2_cross(x, n));
}

/// Is a gap among those that may touch?
static inline bool gmc_planar_may_touch(const gmc_planar_query *q, double gap, double approach)
{
    return gap <= q->reach + (approach > 0 ? approach : 0);
}

/// Overlap that passes for touching where a direction of separation is chosen, over `size`. A body
/// that slides from one plate to the next, both flush, lies this deep in the next one's height.
#define GMC_PLANAR_FLUSH 1e-3
/// A vertex this share of an edge beyond its end still touches it if the outline turns inwards
/// there: it dips into the edge behind.
#define GMC_PLANAR_REFLEX_REACH 0.1
/// An edge of a piece that overlaps by this much more than another direction, over `size`, has
/// nothing to do with the contact.
#define GMC_PLANAR_INNER 0.02

/// How far beyond the ends of an edge of a piece the other body may touch it [m].
void gmc_planar_edge_ends(const gmc_planar_solid *solid, int edge, double length, double *first,
                          double *last);

/// Is the direction n, outwards from the solid, one in which the whole polygon's vertex is
/// farthest?
/// @param slack  sine of the angle by which it may miss that
bool gmc_planar_is_corner(const gmc_planar_solid *solid, int vertex, gmc_vec2 n, double slack);

/// Remember that n, from a to b, parts the two by more than the margin.
static inline void gmc_planar_part(const gmc_planar_query *q, gmc_vec2 n)
{
    gmc_vec2 from_a = q->is_swapped ? gmc_planar_turn_back(&q->b, gmc_vec2_neg(n))
                                    : gmc_planar_turn_back(&q->a, n);
    q->cache->is_apart = true;
    q->cache->apart = (gmc_vec3){from_a.x, from_a.y, 0};
}

/// Polygon a against polygon b. Normal from a to b.
void gmc_planar_polygons(gmc_planar_query *query, gmc_manifold *manifold);

/// Polygon a against circle or super-ellipse b.
void gmc_planar_round(gmc_planar_query *query, gmc_manifold *manifold);

#endif

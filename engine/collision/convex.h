/// Any two bounded convex solids: nearest points and, where they overlap, the shallowest way out;
/// manifolds from the features that face each other. The only user of libccd, and only to get a
/// first direction when even shrunken cores overlap; whatever it answers is confirmed and made
/// exact by the solids' own support points.
#ifndef GMC_ENGINE_COLLISION_CONVEX_H
#define GMC_ENGINE_COLLISION_CONVEX_H

#include "engine/collision/gjk.h"
#include "engine/collision/pair.h"

/// The direction along which two solids are separated best, and where they touch first along it.
typedef struct gmc_convex_axis {
    double separation; ///< < 0: overlap [m]
    gmc_vec3 n;        ///< unit, from a to b
    gmc_vec3 p;        ///< half way between the surfaces, query frame [m]
    uint64_t feature;
} gmc_convex_axis;

/// If the solids are apart: their nearest points, exact. If they overlap: a direction of which no
/// small turn makes the overlap shallower. If they are farther apart than pair->margin: some
/// direction that proves it; p and feature are then not set. Remembers the direction and the
/// support vertices in pair->cache.
gmc_convex_axis gmc_convex_best(gmc_pair *pair);

/// The same as a manifold.
/// @param manifold  out: 1 point, or count 0 if the gap exceeds pair->margin
void gmc_convex_nearest(gmc_pair *pair, gmc_manifold *manifold);

/// Improve `result` where one core is a whole cylinder and the nearest point of the other lies on
/// an edge or corner; leave it alone elsewhere. The cores are apart.
void gmc_convex_refine(const gmc_gjk_core *a, const gmc_gjk_core *b, gmc_gjk_result *result);

/// Capsules, cylinders, boxes and polytopes of any size against each other: the best direction,
/// made the exact normal of a face where one is as good, and the manifold of the features that face
/// each other along it.
/// @param manifold  out: up to 4 points of two flat features, 2 of a line on another feature, else
///                  1; 0 if nothing is within the margin
void gmc_convex_find(gmc_pair *pair, gmc_manifold *manifold);

/// The manifold of the features that face each other along a normal that is known. Not for spheres
/// and planes.
/// @param n         unit, from a to b
/// @param faces     of a and of b, if a box or polytope: the face to take; -1: the one that faces n
/// @param way       with what will lie over a face when b has moved so within the step, seen from
///                  a, across n [m]: one of `faces` is that face, n its normal, the other -1; NULL:
///                  not
/// @param manifold  out: count 0 if they do not lie over each other within the margin
void gmc_convex_along(gmc_pair *pair, gmc_vec3 n, const int faces[2], const gmc_vec3 *way,
                      gmc_manifold *manifold);

#endif

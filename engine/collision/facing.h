/// Capsules, cylinders, boxes and polytopes of any size against each other: the best direction,
/// made the exact normal of a face where one is as good, and the manifold of the features that face
/// each other along it.
#ifndef GMC_ENGINE_COLLISION_FACING_H
#define GMC_ENGINE_COLLISION_FACING_H

#include "engine/collision/pair.h"

/// @param manifold  out: up to 4 points of two flat features, 2 of a line on another feature, else
///                  1; 0 if nothing is within the margin
void gmc_facing_find(gmc_pair *pair, gmc_manifold *manifold);

/// The manifold of the features that face each other along a normal that is known. Not for spheres
/// and planes.
/// @param n         unit, from a to b
/// @param face_a    of a box or polytope: the face to take; -1: the one that faces n
/// @param manifold  out: count 0 if they do not lie over each other within the margin
void gmc_facing_along(gmc_pair *pair, gmc_vec3 n, int face_a, int face_b, gmc_manifold *manifold);

/// The same with what will lie over a face when b has moved within the step.
/// @param face_a, face_b  one is the face, n its normal; the other is -1
/// @param way             of b, seen from a, across n [m]
void gmc_facing_ahead(gmc_pair *pair, gmc_vec3 n, int face_a, int face_b, gmc_vec3 way,
                      gmc_manifold *manifold);

#endif

/// Contact points of planar shapes: polygons (convex pieces), circles, super-ellipses; all pairs.
/// What is done here has two dimensions: a geom's frame turns about z alone, and points lie in the
/// plane of geom a.
///
/// Gaps and normals are exact. Two polygons touch along parallel edges with two points or more,
/// named as pair.h says; everything else with one point for each pair of pieces. Pieces of one
/// polygon speak for its outline alone: an inner edge touches nothing, a vertex that points inwards
/// touches nothing, and a vertex that several pieces have is spoken for by one of them. So in a
/// concave corner each of the two edges has its own contact, with its own normal.
///
/// Which normal. Where two polygons are apart and several directions separate them, the one is
/// taken that will separate them most at the end of the step as the bodies move now. The nearest
/// features alone would stop a corner that is about to slide past another, because the tangent of a
/// distance knows nothing of the room behind the corner (the free space is not convex there). At
/// rest it is the direction of the nearest features.
///
/// What may touch. A point is reported if its gap is at most `reach` now, or will be at the end of
/// the step as the bodies move now; so the set holds little that does not touch.
#ifndef GMC_ENGINE_COLLISION_PLANAR_H
#define GMC_ENGINE_COLLISION_PLANAR_H

#include "engine/collision/pair.h"

/// Contact points of two planar shapes.
/// @param pair      z axes of both frames along the query's; `reach` is read
/// @param manifold  out: count 0 if nothing may touch
void gmc_planar_find(gmc_pair *pair, gmc_manifold *manifold);

#endif

/// Boxes and small polytopes against each other: separating axes of all faces and of those pairs of
/// edges that meet on the Gauss map, then the overlay of the faces in question. The decisions are
/// those for two boxes, so that a box given as a mesh behaves as the box.
///
/// Source: [gregorius2013] (faces by support points, edges by crossing arcs of the Gauss map).
#ifndef GMC_ENGINE_COLLISION_SAT_H
#define GMC_ENGINE_COLLISION_SAT_H

#include "engine/collision/pair.h"

#include <stdbool.h>

/// Both are boxes or polytopes, and looking at all their axes is cheaper than a nearest-point
/// query.
bool gmc_sat_has(const gmc_solid *a, const gmc_solid *b);

/// @param manifold  out: up to 4 points of two faces, 1 of two edges, 0 if nothing is within the
///                  margin
void gmc_sat_find(gmc_pair *pair, gmc_manifold *manifold);

/// Box against box: separating axes in closed form, then the overlay of the two faces that meet.
/// The pair that fingers and cubes make.
/// @param manifold  out: as above
void gmc_sat_boxes(gmc_pair *pair, gmc_manifold *manifold);

/// A face of a box that lies well within a face of another: its four corners are the manifold.
/// @param is_of_a      the contact normal is that of a face of a, else of b
/// @param face         that face (numbers of shape.h)
/// @param other        the face of the other box that is seen most directly from it
/// @param manifold     out: corners with a gap within the margin; untouched if not nested
/// @return false: some corner is near or beyond the rim of the other face, look at all of both
bool gmc_sat_nested(const gmc_pair *pair, bool is_of_a, int face, int other,
                    gmc_manifold *manifold);

/// Whichever of them it is for. @return false: for none
bool gmc_sat_meet(gmc_pair *pair, gmc_manifold *manifold);

#endif

/// Box against box: separating axes in closed form, then the overlay of the two faces that meet.
/// The pair that fingers and cubes make; everything else about polytopes is in sat.h, with the same
/// decisions.
#ifndef GMC_ENGINE_COLLISION_BOX_H
#define GMC_ENGINE_COLLISION_BOX_H

#include "engine/collision/pair.h"

#include <stdbool.h>

/// @param manifold  out: up to 4 points of two faces, 1 of two edges, 0 if nothing is within the
///                  margin
void gmc_box_box(gmc_pair *pair, gmc_manifold *manifold);

/// A face of a box that lies well within a face of another: its four corners are the manifold.
/// @param is_of_a      the contact normal is that of a face of a, else of b
/// @param face         that face (numbers of shape.h)
/// @param other        the face of the other box that is seen most directly from it
/// @param manifold     out: corners with a gap within the margin; untouched if not nested
/// @return false: some corner is near or beyond the rim of the other face, look at all of both
bool gmc_box_nested(const gmc_pair *pair, bool is_of_a, int face, int other,
                    gmc_manifold *manifold);

#endif

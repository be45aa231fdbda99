/// Box against box: separating axes in closed form, then the overlay of the two faces that meet.
/// The pair that fingers and cubes make; everything else about polytopes is in sat.h, with the same
/// decisions.
#ifndef GMC_ENGINE_COLLISION_BOX_H
#define GMC_ENGINE_COLLISION_BOX_H

#include "engine/collision/pair.h"

/// @param manifold  out: up to 4 points of two faces, 1 of two edges, 0 if nothing is within the
///                  margin
void gmc_box_box(gmc_pair *pair, gmc_manifold *manifold);

#endif

/// Boxes and small polytopes against each other: separating axes of all faces and of those pairs of
/// edges that meet on the Gauss map, then the overlay of the faces in question. The decisions are
/// those of box.h, so that a box given as a mesh behaves as the box.
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

#endif

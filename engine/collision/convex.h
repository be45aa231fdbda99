/// Any two bounded convex solids: nearest points and, where they overlap, the shallowest way out;
/// manifolds from the features that face each other. The only user of libccd, and only to get a
/// first direction when even shrunken cores overlap; whatever it answers is confirmed and made
/// exact by the solids' own support points.
#ifndef GMC_ENGINE_COLLISION_CONVEX_H
#define GMC_ENGINE_COLLISION_CONVEX_H

#include "engine/collision/pair.h"

/// One point: the nearest points if apart (exact), else along a direction in which no small turn
/// makes the overlap shallower.
/// @param manifold  out: 1 point, or count 0 if the gap exceeds pair->margin
void gmc_convex_nearest(gmc_pair *pair, gmc_manifold *manifold);

#endif

/// Any two bounded convex solids: nearest points and, where they overlap, the shallowest way out;
/// manifolds from the features that face each other. The only user of libccd, and only to get a
/// first direction when even shrunken cores overlap; whatever it answers is confirmed and made
/// exact by the solids' own support points.
#ifndef GMC_ENGINE_COLLISION_CONVEX_H
#define GMC_ENGINE_COLLISION_CONVEX_H

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

#endif

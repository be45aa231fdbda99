/// From many candidates to few contact points (six that touch, else four): without duplicates,
/// spread as wide as can be, always with the deepest, and the same ones as before while they serve.
#ifndef GMC_ENGINE_COLLISION_MANIFOLD_H
#define GMC_ENGINE_COLLISION_MANIFOLD_H

#include "engine/collision/pair.h"

/// Room for faces of up to `polygon_max` vertices (at least 4 are provided for) of solids of up to
/// `vertex_max`.
/// @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_manifold_work(int polygon_max, int vertex_max, gmc_arena *arena,
                                            gmc_pair_work *work);

/// Choose from the candidates of pair->work. Order of the result: by feature.
/// @param axes       contact plane, n from a to b
/// @param manifold   out: normal and points; count 0 if there are no candidates
void gmc_manifold_reduce(const gmc_pair *pair, const gmc_pair_axes *axes, gmc_manifold *manifold);

/// Mark the candidates of pair->work that touch, or will within the step as the bodies move now.
void gmc_manifold_find_soon(const gmc_pair *pair, const gmc_pair_axes *axes);

/// A manifold of one point.
static inline void gmc_manifold_single(gmc_vec3 n, gmc_vec3 p, double gap, uint64_t feature,
                                       gmc_manifold *manifold)
{
    manifold->n = n;
    manifold->count = 1;
    manifold->points[0] = (gmc_manifold_point){p, gap, feature};
}

/// Put a point in its place in the order of features; room for it is the caller's concern.
void gmc_manifold_add(gmc_manifold *manifold, gmc_vec3 p, double gap, uint64_t feature);

/// Remember normal and features for the next call.
void gmc_manifold_remember(gmc_pair *pair, const gmc_manifold *manifold);

/// The smallest gap; +inf without points.
static inline double gmc_manifold_nearest(const gmc_manifold *manifold)
{
    double nearest = INFINITY;
    for (int i = 0; i < manifold->count; i++)
        nearest = gmc_pair_min(nearest, manifold->points[i].gap);
    return nearest;
}

#endif

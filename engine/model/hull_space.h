/// Convex hulls of points in spaces of any dimension: their facets as half-spaces and their volume,
/// for sets of wrenches. Made by qhull [barber1996], as those of hull.h.
///
/// The points are moved by a random, repeatable amount of rounding's size, so that every facet is a
/// simplex (qhull's QJ): half the time of merging facets that are coplanar. Where that would take
/// more than GMC_HULL_SPACE_JOGGLE, facets are merged.
#ifndef GMC_ENGINE_MODEL_HULL_SPACE_H
#define GMC_ENGINE_MODEL_HULL_SPACE_H

#include "engine/base/status.h"

/// Points are moved by this share of their largest coordinate at most [-].
#define GMC_HULL_SPACE_JOGGLE 1e-9

enum { GMC_HULL_SPACE_MAX = 6 };

/// Whose hull is wanted, and who is told of its facets.
typedef struct gmc_hull_space {
    int dimension;        ///< 2 to GMC_HULL_SPACE_MAX
    int count;            ///< of points, more than dimension
    const double *points; ///< (count x dimension) row by row, of about the size of 1, not all in
                          ///< one hyperplane
    void *context;
    /// One facet: all points have normal·x <= offset. The same points give the same facets in the
    /// same order.
    /// @param normal  (dimension) unit, outwards
    void (*facet)(void *context, const double *normal, double offset);
} gmc_hull_space;

/// @param volume  out: of the hull; untouched unless GMC_OK
/// @return GMC_OK, GMC_E_MEMORY, GMC_E_LIBRARY (qhull failed: the points are in one hyperplane)
GMC_MUST_CHECK gmc_status gmc_hull_space_make(const gmc_hull_space *space, double *volume);

#endif

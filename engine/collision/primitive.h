/// Pairs with a closed form: a sphere against anything, capsule against capsule, and everything
/// against a plane.
#ifndef GMC_ENGINE_COLLISION_PRIMITIVE_H
#define GMC_ENGINE_COLLISION_PRIMITIVE_H

#include "engine/collision/pair.h"

#include <stdbool.h>

/// Is there a closed form for this pair (in either order)?
static inline bool gmc_primitive_has(gmc_shape_type a, gmc_shape_type b)
{
    return a == GMC_SHAPE_SPHERE || b == GMC_SHAPE_SPHERE || a == GMC_SHAPE_PLANE ||
           b == GMC_SHAPE_PLANE || (a == GMC_SHAPE_CAPSULE && b == GMC_SHAPE_CAPSULE);
}

/// Contact points of such a pair.
/// @param manifold  out: points with gap <= pair->margin, count 0 if there are none
void gmc_primitive_find(gmc_pair *pair, gmc_manifold *manifold);

/// Two capsules, or cylinders taken as the capsules about them (which holds where the normal is
/// perpendicular to the cylinder's axis): one point, or two where they lie along each other.
void gmc_primitive_capsules(gmc_pair *pair, gmc_manifold *manifold);

#endif

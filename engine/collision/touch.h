/// What the room answers: the points where geoms touch, and the areas that flat contacts press on.
#ifndef GMC_ENGINE_COLLISION_TOUCH_H
#define GMC_ENGINE_COLLISION_TOUCH_H

#include "engine/math/vec3.h"

#include <stdint.h>

/// The area of a flat contact as the rectangle that has its centroid and second moments.
typedef struct gmc_flat_area {
    gmc_vec3 p;     ///< centroid, in the contact plane or beside it, world [m]
    gmc_vec3 along; ///< unit, of the longer sides, world
    double half[2]; ///< half sides, the longer one first; half[0] 0: a point, half[1] 0: a line [m]
    double feet;    ///< 0: filled ... 1: all of the area is as far out as the points
    double feet_arm; ///< radius of gyration over the points' mean distance from their mean
} gmc_flat_area;

/// One point where two geoms touch or soon may. Exact normals: unit to rounding.
typedef struct gmc_contact_point {
    int geom_a, geom_b; ///< geom_a < geom_b
    uint64_t feature;   ///< identity within the pair, stable while the same features meet
    gmc_vec3 p;         ///< half way between the two surfaces, world [m]
    gmc_vec3 n;         ///< unit, from a to b
    double gap;         ///< > 0 apart, < 0 overlapping [m]
    int flat; ///< number of the flat contact that it is of, among those of this call, from 0
    gmc_flat_area area; ///< of that one
    double excess;      ///< stiffness over the mean of that one's points, less 1 (flat.h) [-]
} gmc_contact_point;

/// Counted work, for reports and benches.
typedef struct gmc_collider_counts {
    long long broad_tests, narrow_tests, support_calls, cache_hits;
} gmc_collider_counts;

#endif

/// From poses to contact points: broad phase, narrow phase and manifolds of a whole model, with the
/// caches (sorted ends, separating axes, reference features) that make it coherent from step to
/// step.
///
/// Results depend only on the sequence of calls since the last reset, never on anything before it.
#ifndef GMC_ENGINE_COLLISION_COLLIDER_H
#define GMC_ENGINE_COLLISION_COLLIDER_H

#include "engine/model/model.h"

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

typedef struct gmc_collider gmc_collider;

/// Counted work, for reports and benches.
typedef struct gmc_collider_counts {
    long long broad_tests, narrow_tests, support_calls, cache_hits;
} gmc_collider_counts;

/// @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_collider_create(const gmc_model *model, gmc_arena *arena,
                                              gmc_collider **collider);

/// Forget all caches (start of a trial).
void gmc_collider_reset(gmc_collider *collider);

/// All contact points with gap <= margin, where margin of a pair = `reach` + h |approach speed|.
/// At most 4 points for a face against a face (extremal area), 2 for an edge, 1 else. Order: by
/// geom_a, geom_b, then feature.
/// @param model  same topology as at creation; sizes may differ (a trial's variant)
/// @param X_wb   (body_count) body poses
/// @param V      (body_count) body twists, NULL: at rest
/// @param h      step length, for the approach distance [s]
/// @param reach  base margin [m]
/// @return GMC_OK, GMC_E_LIMIT (more than `capacity` points), GMC_E_LIBRARY
GMC_MUST_CHECK gmc_status gmc_collider_find(gmc_collider *collider, const gmc_model *model,
                                            const gmc_pose *X_wb, const gmc_twist *V, double h,
                                            double reach, gmc_contact_point *points, int capacity,
                                            int *count);

gmc_collider_counts gmc_collider_counted(const gmc_collider *collider);

#endif

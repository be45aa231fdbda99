/// From poses to contact points: broad phase, narrow phase and manifolds of a whole model, with the
/// caches (sorted ends, separating axes, reference features) that make it coherent from step to
/// step.
///
/// Results depend only on the sequence of calls since the last reset, never on anything before it.
#ifndef GMC_ENGINE_COLLISION_COLLIDER_H
#define GMC_ENGINE_COLLISION_COLLIDER_H

#include "engine/collision/touch.h"
#include "engine/model/model.h"

typedef struct gmc_collider gmc_collider;

/// @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_collider_create(const gmc_model *model, gmc_arena *arena,
                                              gmc_collider **collider);

/// Forget all caches (start of a trial).
void gmc_collider_reset(gmc_collider *collider);

/// What is looked at.
typedef struct gmc_collider_scene {
    const gmc_model *model; ///< same topology as at creation; sizes may differ (a trial's variant)
    const gmc_pose *X_wb;   ///< (body_count) body poses [m]
    const gmc_twist *V;     ///< (body_count) body twists, NULL: at rest [m/s, rad/s]
    double h;               ///< step length, for the approach distance [s]
    double reach;           ///< base margin [m]
} gmc_collider_scene;

/// All contact points with gap <= margin, where margin of a pair = `reach` + h |approach speed|.
/// At most 4 points for a face against a face (extremal area), 2 for an edge, 1 else. Order: by
/// geom_a, geom_b, then feature.
/// @param points  (capacity) out, the first `count` of them
/// @return GMC_OK, GMC_E_LIMIT (more than `capacity` points), GMC_E_LIBRARY
GMC_MUST_CHECK gmc_status gmc_collider_find(gmc_collider *collider, const gmc_collider_scene *scene,
                                            gmc_contact_point *points, int capacity, int *count);

gmc_collider_counts gmc_collider_counted(const gmc_collider *collider);

#endif

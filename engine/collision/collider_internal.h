/// What the files of the collider share.
#ifndef GMC_ENGINE_COLLISION_COLLIDER_INTERNAL_H
#define GMC_ENGINE_COLLISION_COLLIDER_INTERNAL_H

#include "engine/collision/broadphase.h"
#include "engine/collision/compound.h"
#include "engine/collision/flush.h"
#include "engine/collision/seam.h"

struct gmc_collider {
    int geom_count;
    gmc_hull_table *tables; ///< (geom_count) of polytopes; geoms with the same one share its arrays
    gmc_pose *X;            ///< (geom_count) world
    gmc_aabb *bounds;       ///< (geom_count) grown by what the geom may reach
    double *growth;         ///< (geom_count) [m]
    double *radius;         ///< (geom_count) of the ball about `centre` [m]
    gmc_vec3 *centre;       ///< (geom_count) world; planes: their origin
    gmc_broadphase broadphase;
    gmc_compounds compounds;
    gmc_aabb *entry_bounds; ///< (entry_count); without compounds these are `bounds`
    bool *is_placed;        ///< (geom_count) in this call; pieces of compounds only
    int *hits;              ///< (geom_count)
    int entry_pair_max;     ///< of the entries, compounds only
    int (*entry_pairs)[2];  ///< (entry_pair_max)
    gmc_flush_sets flush;
    gmc_seam_member *members;             ///< (active_max) compounds and flush sets only
    int *touching;                        ///< (active_max) the same: pairs with contact points
    gmc_flush_member *flush_members;      ///< (active_max) flush sets only
    gmc_seam_member **group;              ///< (active_max)
    bool *is_grouped;                     ///< (active_max)
    int active_max, active_count;         ///< active_count: caches of the last call
    int (*active)[2];                     ///< (active_max)
    gmc_pair_cache *caches, *caches_next; ///< (active_max) ordered by pair
    gmc_pair_work work;
    gmc_collider_counts counts;
};

/// What one call is about.
typedef struct gmc_collider_scene {
    const gmc_model *model;
    const gmc_pose *X_wb;
    const gmc_twist *V; ///< NULL: at rest
    double h, reach;
} gmc_collider_scene;

/// Bodies that never move: the world and what hangs on it without a joint.
static inline bool gmc_collider_is_static(const gmc_model *model, int body)
{
    return model->bodies[body].joint == GMC_JOINT_FIXED;
}

/// Largest speed of a point of the ball of radius r about p [m/s].
static inline double gmc_collider_speed_bound(const gmc_twist *V, gmc_vec3 p, double r)
{
    return gmc_vec3_norm(gmc_twist_at(V, p)) + r * gmc_vec3_norm(V->w);
}

/// Place the geoms that may touch something, and list the pairs whose bounds overlap in
/// collider->active, ordered.
/// @return GMC_OK, GMC_E_LIMIT (more pairs than active_max)
GMC_MUST_CHECK gmc_status gmc_collider_pairs_find(gmc_collider *collider,
                                                  const gmc_collider_scene *scene, int *count);

#endif

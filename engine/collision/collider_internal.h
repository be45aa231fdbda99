/// What the collider has of its own: the broad phase, and bodies of many pieces in it. Private to
/// collider.c and its tests.
#ifndef GMC_ENGINE_COLLISION_COLLIDER_INTERNAL_H
#define GMC_ENGINE_COLLISION_COLLIDER_INTERNAL_H

#include "engine/collision/shape.h"
#include "engine/model/model.h"

#include <stdbool.h>
#include <stdint.h>

// ---- which boxes overlap ----------------------------------------------------------------------
// Which boxes overlap: sweep and prune on three axes, kept up to date from call to call by
// insertion sort. Only pairs that were allowed are reported; few allowed pairs are tested one by
// one.
//
// Source: [baraff1992] (sorted ends, coherence). Departs from it: when two intervals begin to
// overlap on one axis, the boxes are compared at once on all three; no count of overlapping axes
// is kept.

typedef struct gmc_broadphase_end {
    double value; ///< [m]
    int of;       ///< 2 * box, + 1 for the upper end
} gmc_broadphase_end;

typedef struct gmc_broadphase {
    int count;                   ///< boxes
    int words;                   ///< 64-bit words of one row of a bit matrix
    uint64_t *allowed, *overlap; ///< (count, words) bit b of row a, a < b only
    int (*listed)[2];            ///< (listed_count) all allowed pairs, if there are few
    int listed_count;            ///< -1: too many to list
    gmc_broadphase_end
        *ends[3]; ///< (2 count) ascending; lower ends before upper ones of the same value
    gmc_broadphase_end *merge; ///< (2 count) scratch of the first sort
    long long allowed_count;   ///< pairs in all
    bool is_sorted;  ///< the ends of the update before are; false: their order is forgotten
    long long tests; ///< comparisons of ends or boxes since creation
} gmc_broadphase;

/// Room for `count` boxes, no pair allowed yet.
/// @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_collider_broad_create(int count, gmc_arena *arena,
                                                    gmc_broadphase *broadphase);

/// Boxes a != b may be reported. Before gmc_collider_broad_finish.
void gmc_collider_broad_allow(gmc_broadphase *broadphase, int a, int b);

/// No more pairs will be allowed.
/// @param list_max  this many allowed pairs or fewer are tested one by one
/// @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_collider_broad_finish(gmc_broadphase *broadphase, int list_max,
                                                    gmc_arena *arena);

/// All allowed pairs (a < b) whose closed boxes overlap, ordered by a, then b.
/// @param boxes     (count) bounds, infinite where there are none, never NaN
/// @param pairs     (capacity) out
/// @param count     out: pairs found, also when there is no room for all
/// @return GMC_OK, GMC_E_LIMIT (more than `capacity` pairs)
GMC_MUST_CHECK gmc_status gmc_collider_broad_update(gmc_broadphase *broadphase,
                                                    const gmc_aabb *boxes, int (*pairs)[2],
                                                    int capacity, int *count);

/// Do two closed boxes overlap?
static inline bool gmc_collider_broad_overlaps(const gmc_aabb *a, const gmc_aabb *b)
{
    return a->lo.x <= b->hi.x && b->lo.x <= a->hi.x && a->lo.y <= b->hi.y && b->lo.y <= a->hi.y &&
           a->lo.z <= b->hi.z && b->lo.z <= a->hi.z;
}

// ---- bodies of many pieces --------------------------------------------------------------------
// Bodies of many convex pieces: the pieces of one body are one entry of the broad phase, with a
// static tree of boxes below it in the body's frame, so that what is far from the other body costs
// nothing. The tree is split at medians, ties by number; it is walked in a fixed order.

/// Polytopes that follow each other on one body and may touch the same things make a compound if
/// there are this many.
enum { GMC_COMPOUND_MIN = 2 };

typedef struct gmc_compound_node {
    gmc_vec3 centre, half; ///< box around the pieces below it, body frame [m]
    int first, count;      ///< pieces order[first ...]; count 0: children first, first + 1
} gmc_compound_node;

typedef struct gmc_compound {
    int body, geom, geom_count; ///< geoms geom ... geom + geom_count - 1
    gmc_compound_node *nodes;
    int *order;      ///< (geom_count) geoms
    gmc_aabb *boxes; ///< (geom_count) of the pieces, body frame [m]
    double *scales;  ///< (geom_count) of the pieces when the boxes were made
    double radius;   ///< of the ball about the root's centre that holds the pieces' balls [m]
} gmc_compound;

/// All compounds of a model, and the entries of the broad phase: compounds and single geoms in the
/// order of their first geoms.
typedef struct gmc_compounds {
    gmc_compound *compounds; ///< (count)
    int count, entry_count;
    int *entry_geom;     ///< (entry_count) its first geom
    int *entry_compound; ///< (entry_count) -1: a single geom
    int *geom_entry;     ///< (geom_count)
} gmc_compounds;

/// @param tables  (geom_count) of polytopes
/// @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_collider_compounds_create(const gmc_model *model,
                                                        const gmc_hull_table *tables,
                                                        gmc_arena *arena, gmc_compounds *compounds);

/// Boxes for the sizes that the pieces have now; costs nothing if they did not change.
void gmc_collider_compound_refit(gmc_compound *compound, const gmc_model *model,
                                 const gmc_hull_table *tables);

/// What a compound is held against, in its body's frame: a box, or everything below a plane.
typedef struct gmc_compound_probe {
    bool is_plane;
    gmc_vec3 centre, half; ///< box
    gmc_vec3 n;            ///< plane n·x <= offset, unit
    double offset;
} gmc_compound_probe;

/// Pieces whose boxes come nearer to the probe than `growth`.
/// @param geoms  out: (geom_count)
/// @return how many
int gmc_collider_compound_meet(const gmc_compound *compound, const gmc_compound_probe *probe,
                               double growth, int *geoms);

/// Pairs of pieces of two compounds whose boxes come nearer than `growth`.
/// @param X_ab   body of b seen from body of a
/// @param pairs  out: geoms of a and b, `capacity` of them
/// @return how many there are, perhaps more than fit
int gmc_collider_compounds_meet(const gmc_compound *a, const gmc_compound *b, const gmc_pose *X_ab,
                                double growth, int (*pairs)[2], int capacity);

#endif

/// Which boxes overlap: sweep and prune on three axes, kept up to date from call to call by
/// insertion sort. Only pairs that were allowed are reported; few allowed pairs are tested one by
/// one.
///
/// Source: [baraff1992] (sorted ends, coherence). Departs from it: when two intervals begin to
/// overlap on one axis, the boxes are compared at once on all three; no count of overlapping axes
/// is kept.
#ifndef GMC_ENGINE_COLLISION_BROADPHASE_H
#define GMC_ENGINE_COLLISION_BROADPHASE_H

#include "engine/collision/shape.h"

#include <stdbool.h>
#include <stdint.h>

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
GMC_MUST_CHECK gmc_status gmc_broadphase_create(int count, gmc_arena *arena,
                                                gmc_broadphase *broadphase);

/// Boxes a != b may be reported. Before gmc_broadphase_finish.
void gmc_broadphase_allow(gmc_broadphase *broadphase, int a, int b);

/// No more pairs will be allowed.
/// @param list_max  this many allowed pairs or fewer are tested one by one
/// @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_broadphase_finish(gmc_broadphase *broadphase, int list_max,
                                                gmc_arena *arena);

/// All allowed pairs (a < b) whose closed boxes overlap, ordered by a, then b.
/// @param boxes     (count) bounds, infinite where there are none, never NaN
/// @param pairs     (capacity) out
/// @param count     out: pairs found, also when there is no room for all
/// @return GMC_OK, GMC_E_LIMIT (more than `capacity` pairs)
GMC_MUST_CHECK gmc_status gmc_broadphase_update(gmc_broadphase *broadphase, const gmc_aabb *boxes,
                                                int (*pairs)[2], int capacity, int *count);

/// Do two closed boxes overlap?
static inline bool gmc_broadphase_overlaps(const gmc_aabb *a, const gmc_aabb *b)
{
    return a->lo.x <= b->hi.x && b->lo.x <= a->hi.x && a->lo.y <= b->hi.y && b->lo.y <= a->hi.y &&
           a->lo.z <= b->hi.z && b->lo.z <= a->hi.z;
}

#endif

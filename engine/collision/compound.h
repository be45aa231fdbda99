/// Bodies of many convex pieces: the pieces of one body are one entry of the broad phase, with a
/// static tree of boxes below it in the body's frame, so that what is far from the other body costs
/// nothing. The tree is split at medians, ties by number; it is walked in a fixed order.
#ifndef GMC_ENGINE_COLLISION_COMPOUND_H
#define GMC_ENGINE_COLLISION_COMPOUND_H

#include "engine/collision/shape.h"
#include "engine/model/model.h"

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
GMC_MUST_CHECK gmc_status gmc_compounds_create(const gmc_model *model, const gmc_hull_table *tables,
                                               gmc_arena *arena, gmc_compounds *compounds);

/// Boxes for the sizes that the pieces have now; costs nothing if they did not change.
void gmc_compound_refit(gmc_compound *compound, const gmc_model *model,
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
int gmc_compound_meet(const gmc_compound *compound, const gmc_compound_probe *probe, double growth,
                      int *geoms);

/// Pairs of pieces of two compounds whose boxes come nearer than `growth`.
/// @param X_ab   body of b seen from body of a
/// @param pairs  out: geoms of a and b, `capacity` of them
/// @return how many there are, perhaps more than fit
int gmc_compound_meet_compound(const gmc_compound *a, const gmc_compound *b, const gmc_pose *X_ab,
                               double growth, int (*pairs)[2], int capacity);

#endif

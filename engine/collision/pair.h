/// What all narrow-phase files share: one query about two solids, what is remembered of the pair
/// from call to call, and the tolerances that decide between features.
///
/// Identities. A point of a manifold is named by the features that cross there: a vertex of a, a
/// vertex of b, or an edge of each. The name does not say which face was the reference, so it
/// survives a change of it. Hysteresis. Which of several nearly equal choices is taken depends on
/// what was taken before: reference axes, the points kept of a manifold and the vertex or crossing
/// that stands for a corner only change when another choice is clearly better. All lengths below
/// are relative to `size`, the smaller bounding radius.
#ifndef GMC_ENGINE_COLLISION_PAIR_H
#define GMC_ENGINE_COLLISION_PAIR_H

#include "engine/collision/gjk.h"
#include "engine/collision/shape.h"
#include "engine/collision/touch.h"

#include <stdbool.h>

/// A new reference axis must separate by this much more than the one before, of the pair's size.
/// Else rounding swaps faces of equal depth; their contacts lose their ids, and each lost id is a
/// lost deflection (20 um at 20 N and 1e6 N/m), which is creep.
#define GMC_PAIR_AXIS_KEEP 1e-4
/// An edge-edge axis must separate by this much more than the best face: below it the faces are
/// parallel to about 1e-4 rad, and the face's normal measures the same gap to second order.
#define GMC_PAIR_EDGE_MARGIN 1e-4
/// A vertex this far outside the other face still stands for the corner; one that stood for it
/// before may stray farther. Rounding is 1e-15, elastic motion of a held object 1e-5.
#define GMC_PAIR_TOUCH_NEW  1e-5
#define GMC_PAIR_TOUCH_KEEP 1e-4
/// Points nearer to each other than this are one. More than TOUCH_KEEP times sqrt 2, the reach of a
/// corner.
#define GMC_PAIR_MERGE 2e-4
/// A manifold must contain a point at most this much higher than its deepest candidate.
#define GMC_PAIR_DEEPEST 1e-5
/// The same for points that were kept before, twice as much.
#define GMC_PAIR_DEEPEST_KEEP 2e-5

/// Candidates that will be nearer than this at the end of the step, as the bodies move now, touch.
#define GMC_PAIR_SOON 1e-5
/// The same for points that were kept before.
#define GMC_PAIR_SOON_KEEP 2e-5

/// The nearest candidate of two faces may be this much farther apart than their axis separates:
/// else the features that are nearest lie outside the faces, and a nearest-point query takes over.
#define GMC_PAIR_REALISED 2e-4

enum {
    GMC_PAIR_POINT_MAX = 6, ///< of what touches
    GMC_PAIR_OUTLINE_MAX = 24,
    GMC_PAIR_WIDE = 4, ///< as many hold what does not yet
};

/// Kinds of crossings, the top bits of a feature id.
enum {
    GMC_FEATURE_VERTEX_A = 0, ///< a vertex (or numbered point) of a
    GMC_FEATURE_VERTEX_B = 1, ///< a vertex (or numbered point) of b
    GMC_FEATURE_CROSSING = 2, ///< an edge of a crosses an edge of b
    GMC_FEATURE_WITNESS = 3,  ///< nearest points of curved or tilted features
};

static inline uint64_t gmc_pair_feature(unsigned kind, int of_a, int of_b)
{
    return (uint64_t)kind << 62 | ((uint64_t)of_a & 0x7fffffffu) << 31 |
           ((uint64_t)of_b & 0x7fffffffu);
}

/// The kind of a feature id.
static inline unsigned gmc_pair_kind(uint64_t feature) { return (unsigned)(feature >> 62); }

/// Bits of gmc_pair_cache.is_flat.
enum {
    GMC_PAIR_FLAT_A = 1,   ///< the cap of cylinder a and the contact plane
    GMC_PAIR_FLAT_B = 2,   ///< the same of b
    GMC_PAIR_PARALLEL = 4, ///< the axes of two capsules or cylinders
};

/// What is remembered of a pair from one call to the next. Zeroed: nothing.
typedef struct gmc_pair_cache {
    int geom_a, geom_b;
    int axis; ///< reference axis of the last manifold, meaning private to its file; 0: none
    int hint_a, hint_b; ///< support vertices found last
    gmc_gjk_span span;  ///< of the nearest points found last
    int is_flat;        ///< GMC_PAIR_FLAT_A, ...: what was taken as parallel
    int kept_count;
    uint64_t kept[GMC_PAIR_POINT_MAX]; ///< features of the last manifold
    unsigned chosen;                   ///< pieces of a body (seam.h): bit i: kept[i] was a contact
    gmc_vec3 normal;                   ///< of the last manifold, in a's geom frame; zero: none
    bool is_apart;  ///< the last call found a direction that parts them by more than the margin:
    gmc_vec3 apart; ///< that one, from a to b, unit, in a's geom frame
} gmc_pair_cache;

typedef struct gmc_manifold_point {
    gmc_vec3 p; ///< half way between the surfaces, query frame [m]
    double gap; ///< [m]
    uint64_t feature;
} gmc_manifold_point;

/// Points where a pair touches; all share the normal.
typedef struct gmc_manifold {
    gmc_vec3 n; ///< unit, from a to b
    int count, outline_count;
    bool is_part; ///< the outline leaves out what does not touch yet
    gmc_manifold_point points[GMC_PAIR_POINT_MAX];
    gmc_vec3 outline[GMC_PAIR_OUTLINE_MAX]; ///< (outline_count) corners of what touches, in their
                                            ///< order, where it has more than there are points [m]
} gmc_manifold;

/// A convex loop seen along a normal: (x, y) in the contact plane, z along the normal.
typedef struct gmc_polygon {
    int count;
    double *x, *y, *z; ///< (count) [m]
    int *id;           ///< (count) vertex numbers
    double zx, zy, z0; ///< height of its plane: z = z0 + zx x + zy y
    int is_steep;      ///< seen almost edge-on: the plane above is not to be used
} gmc_polygon;

/// Will a candidate touch within the step?
enum {
    GMC_CANDIDATE_FAR,  ///< not as fast as the bodies are now
    GMC_CANDIDATE_TURN, ///< if the motion turns round, as it does where something rocks
    GMC_CANDIDATE_SOON, ///< as the bodies move now, or it touches already
};

/// A possible point of a manifold. x, y as above, z half way between the surfaces.
typedef struct gmc_candidate {
    double x, y, z, gap;
    uint64_t feature;
    double score; ///< manifold.c's own
    int nearness; ///< GMC_CANDIDATE_...; filled where there is a choice (manifold.c)
} gmc_candidate;

/// Room for the largest faces of the model.
typedef struct gmc_pair_work {
    gmc_polygon polygon_a, polygon_b;
    double *lines;                      ///< (3 polygon_max) edge lines of one polygon
    double *row_first, *row, *row_next; ///< (polygon_max) distances of a vertex from all edge lines
    gmc_candidate *candidates;          ///< (candidate_max)
    int polygon_max, candidate_max;
    int candidate_count;
} gmc_pair_work;

typedef struct gmc_pair {
    gmc_solid a, b;
    gmc_twist move; ///< h times the twist of b, seen from a, at the query frame's origin [rad, m]
    double margin;  ///< points up to this gap are wanted [m]
    double reach;   ///< the same without the approach within the step (planar.h) [m]
    double size;    ///< smaller bounding radius [m]
    gmc_pair_cache *cache;
    gmc_pair_work *work;
    gmc_collider_counts *counts;
} gmc_pair;

/// Contact plane: n = t1 x t2.
typedef struct gmc_pair_axes {
    gmc_vec3 n, t1, t2;
} gmc_pair_axes;

static inline gmc_pair_axes gmc_pair_axes_of(gmc_vec3 n)
{
    gmc_pair_axes axes = {.n = n};
    gmc_vec3_tangents(n, &axes.t1, &axes.t2);
    return axes;
}

/// Without the function calls that fmin and fmax are: they must treat NaN, these need not.
static inline double gmc_pair_max(double a, double b) { return a > b ? a : b; }
static inline double gmc_pair_min(double a, double b) { return a < b ? a : b; }

/// They are apart along n, a unit vector from a to b: the next call looks there first.
static inline void gmc_pair_part(const gmc_pair *pair, gmc_vec3 n)
{
    pair->cache->is_apart = true;
    pair->cache->apart = gmc_mat3_apply_transposed(&pair->a.X.R, n);
}

/// Was this feature in the manifold of the call before?
static inline int gmc_pair_was_kept(const gmc_pair_cache *cache, uint64_t feature)
{
    for (int i = 0; i < cache->kept_count; i++)
        if (cache->kept[i] == feature) return 1;
    return 0;
}

#endif

/// Where two convex faces, seen along the contact normal, lie over each other: the corners of their
/// common polygon as candidates of a manifold. Symmetric in the two; each corner carries the
/// features that meet there.
#ifndef GMC_ENGINE_COLLISION_OVERLAY_H
#define GMC_ENGINE_COLLISION_OVERLAY_H

#include "engine/base/check.h"
#include "engine/collision/pair.h"

/// Face `face` of a box or polytope as a polygon in the contact plane, counter-clockwise about
/// axes->n.
/// @param polygon  has room for the face (gmc_manifold_work)
void gmc_overlay_face(const gmc_solid *solid, int face, const gmc_pair_axes *axes,
                      gmc_polygon *polygon);

/// Append the corners of the common polygon of P (of solid a) and Q (of solid b) that have a gap of
/// at most pair->margin to the candidates. P or Q may be a segment (count 2), P also a single
/// point.
void gmc_overlay_polygons(const gmc_pair *pair, const gmc_polygon *P, const gmc_polygon *Q);

/// Append one candidate if its gap is wanted; z_a, z_b: heights of the two surfaces there.
static inline void gmc_overlay_candidate(const gmc_pair *pair, double x, double y, double z_a,
                                         double z_b, uint64_t feature)
{
    gmc_pair_work *work = pair->work;
    double gap = z_b - z_a;
    if (!(gap <= pair->margin)) return;
    GMC_ASSERT(work->candidate_count < work->candidate_max);
    work->candidates[work->candidate_count++] =
        (gmc_candidate){x, y, 0.5 * (z_a + z_b), gap, feature, 0, 0};
}

/// Of a line of a round solid and a face, in pair->work as polygons of 2 and more corners: append
/// the corners of the face beside the line, within a few thousandths of the radius. Where an edge
/// lies along the line it touches with both ends, though the line passes one of them by.
void gmc_overlay_beside_line(const gmc_pair *pair);

/// How far (x, y) is outside a counter-clockwise polygon: its greatest distance from an edge line
/// [m].
double gmc_overlay_outside(const gmc_polygon *polygon, double x, double y);

/// The manifold of face `face_a` of a on face `face_b` of b (boxes or polytopes) along axes->n.
void gmc_overlay_faces(const gmc_pair *pair, const gmc_pair_axes *axes, int face_a, int face_b,
                       gmc_manifold *manifold);

/// An edge of a crosses an edge of b (boxes or polytopes) along n: `manifold` holds that point. If
/// a face beside either edge is nearly level with n, whatever of the two faces touches as well or
/// will within the step joins it.
void gmc_overlay_beside_crossing(const gmc_pair *pair, gmc_manifold *manifold);

// ---- the part of a solid that faces another ----------------------------------------------------
// A face, a cap, a line, a point.

typedef enum gmc_feature_kind {
    GMC_FEATURE_POINT,   ///< nothing that could make more than one contact point
    GMC_FEATURE_SEGMENT, ///< the line of a capsule or of a cylinder's side
    GMC_FEATURE_POLYGON, ///< a face
    GMC_FEATURE_DISC     ///< a cylinder's cap
} gmc_feature_kind;

typedef struct gmc_feature {
    gmc_feature_kind kind;
    gmc_polygon *polygon; ///< its corners; of a disc: four rim points and the cap's plane
    double x, y, z;       ///< centre of a disc in the contact axes [m]
    double radius;        ///< of a disc [m]
    int rim;              ///< of a disc: number of its rim, for feature ids
    int is_flat;          ///< of a disc: see cylinder.h
} gmc_feature;

/// Number of flat faces: of boxes and polytopes as in shape.h; caps of a cylinder at -z, +z: 0, 1;
/// else 0.
int gmc_feature_face_count(const gmc_solid *solid);

/// Outward normal of a flat face, and how far it is out along it [m].
gmc_vec3 gmc_feature_face(const gmc_solid *solid, int face, double *offset);

/// The flat face that faces `dir` most, among those at the farthest point along it; -1 if there is
/// none.
int gmc_feature_face_towards(const gmc_solid *solid, gmc_vec3 dir, int *hint);

/// Where a solid is looked at from.
typedef struct gmc_feature_view {
    gmc_vec3 dir;              ///< unit, towards the other solid: +-axes->n [-]
    int face;                  ///< the face to take, -1: the one that faces dir
    int was_flat;              ///< is_flat of the feature found before; 0: there was none
    const gmc_pair_axes *axes; ///< that the corners are seen in
} gmc_feature_view;

/// @param hint     of gmc_shape_support, from call to call
/// @param polygon  room for the corners
gmc_feature gmc_feature_towards(const gmc_solid *solid, const gmc_feature_view *view, int *hint,
                                gmc_polygon *polygon);

/// Append the candidates of two facing features (a of pair->a, b of pair->b). Two lines give none:
/// whoever knows that they are round measures them better.
void gmc_feature_overlay(const gmc_pair *pair, const gmc_feature *a, const gmc_feature *b);

#endif

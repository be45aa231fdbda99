/// Where two convex faces, seen along the contact normal, lie over each other: the corners of their
/// common polygon as candidates of a manifold. Symmetric in the two; each corner carries the
/// features that meet there.
#ifndef GMC_ENGINE_COLLISION_OVERLAY_H
#define GMC_ENGINE_COLLISION_OVERLAY_H

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
void gmc_overlay_candidate(const gmc_pair *pair, double x, double y, double z_a, double z_b,
                           uint64_t feature);

/// Of a line of a round solid and a face, in pair->work as polygons of 2 and more corners: append
/// the corners of the face beside the line, within a few thousandths of the radius. Where an edge
/// lies along the line it touches with both ends, though the line passes one of them by.
void gmc_overlay_beside_line(const gmc_pair *pair);

/// How far (x, y) is outside a counter-clockwise polygon: its greatest distance from an edge line
/// [m].
double gmc_overlay_outside(const gmc_polygon *polygon, double x, double y);

/// The manifold of face `face_a` of a on face `face_b` of b (boxes or polytopes) along n.
void gmc_overlay_faces(const gmc_pair *pair, gmc_vec3 n, int face_a, int face_b,
                       gmc_manifold *manifold);

/// An edge of a crosses an edge of b (boxes or polytopes) along n: `manifold` holds that point. If
/// a face beside either edge is nearly level with n, whatever of the two faces touches as well or
/// will within the step joins it.
void gmc_overlay_beside_crossing(const gmc_pair *pair, gmc_manifold *manifold);

#endif

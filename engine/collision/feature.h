/// The part of a solid that faces another along a normal (a face, a cap, a line, a point), and
/// where two such parts lie over each other.
#ifndef GMC_ENGINE_COLLISION_FEATURE_H
#define GMC_ENGINE_COLLISION_FEATURE_H

#include "engine/collision/pair.h"

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

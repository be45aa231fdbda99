/// Collision shapes, in the frame of their geom. Solid, convex.
///
/// Planar shapes lie in the plane z = 0 of a planar world, extruded to |z| <= half_length, which
/// matters for their mass alone. They meet each other, never a solid.
#ifndef GMC_ENGINE_MODEL_SHAPE_H
#define GMC_ENGINE_MODEL_SHAPE_H

#include "engine/math/vec2.h"
#include "engine/math/vec3.h"

#include <stdbool.h>

typedef enum gmc_shape_type {
    GMC_SHAPE_SPHERE,        ///< radius about the origin
    GMC_SHAPE_CAPSULE,       ///< radius about the segment from -half_length to +half_length on z
    GMC_SHAPE_BOX,           ///< |x| <= half.x, ...
    GMC_SHAPE_CYLINDER,      ///< radius about z, |z| <= half_length
    GMC_SHAPE_PLANE,         ///< the half-space z <= 0; never on a body that moves freely
    GMC_SHAPE_POLYTOPE,      ///< convex hull of `polytope`'s vertices, times `scale`
    GMC_SHAPE_POLYGON,       ///< planar: a convex piece of a polygon, times `scale`
    GMC_SHAPE_CIRCLE,        ///< planar: radius about the origin
    GMC_SHAPE_SUPER_ELLIPSE, ///< planar: |x/half.x|^p + |y/half.y|^p <= 1, p = `exponent` > 1
    GMC_SHAPE_COUNT,
    GMC_SHAPE_SOLID_COUNT = GMC_SHAPE_POLYGON ///< shapes before the first planar one
} gmc_shape_type;

/// A convex polytope with its faces: made once from a mesh (hull.h), const and shared.
/// Faces are convex polygons with coplanar triangles merged, loops counter-clockwise seen from
/// outside; every edge lies between exactly two faces.
typedef struct gmc_polytope {
    int vertex_count, face_count, edge_count;
    const gmc_vec3 *vertices;     ///< (vertex_count) [m]
    const int *face_start;        ///< (face_count + 1) offsets into face_vertices
    const int *face_vertices;     ///< loops of vertex indices
    const gmc_vec3 *face_normals; ///< (face_count) unit, outwards
    const double *face_offsets;   ///< (face_count) n·x <= offset [m]
    const int (*edges)[4];        ///< (edge_count) from, to, face left of it, face right of it
    const int *neighbour_start;   ///< (vertex_count + 1) offsets into neighbours
    const int *neighbours;        ///< vertices joined by an edge, for hill climbing
    gmc_vec3 centre;              ///< a point inside: the centroid of the volume [m]
    double radius;                ///< of the ball about `centre` that holds all vertices [m]
} gmc_polytope;

/// What a vertex of a piece is in the whole polygon.
typedef enum gmc_polygon_corner {
    GMC_POLYGON_OTHERS, ///< convex, and another piece that has it too speaks for it
    GMC_POLYGON_CONVEX, ///< convex, and this piece's to speak for
    GMC_POLYGON_REFLEX  ///< it points inwards: nothing straight can touch it
} gmc_polygon_corner;

/// Normals of the edges before and behind a vertex, unit, outwards.
typedef struct gmc_polygon_cone {
    gmc_vec2 before, behind;
} gmc_polygon_cone;

/// A convex piece of a simple polygon, made once (polygon.h), const and shared. Edge i goes from
/// vertex i to i + 1. An inner edge separates two pieces of one polygon and is no surface.
typedef struct gmc_polygon_piece {
    int count;
    const gmc_vec2 *vertices;          ///< (count) counter-clockwise [m]
    const gmc_vec2 *normals;           ///< (count) of the edges, unit, outwards
    const bool *is_inner;              ///< (count) of the edges
    const gmc_polygon_corner *corners; ///< (count) of the vertices
    const gmc_polygon_cone *cones;     ///< (count) of the vertices, in the whole polygon
    bool has_inner;                    ///< at least one inner edge
    gmc_vec2 centre;                   ///< middle of its bounding box [m]
    double radius;                     ///< of the ball about it that holds all vertices [m]
} gmc_polygon_piece;

typedef struct gmc_shape {
    gmc_shape_type type;
    gmc_vec3 half;                ///< box: half sizes; super-ellipse: half axes x, y [m]
    double radius;                ///< sphere, capsule, cylinder, circle [m]
    double half_length;           ///< capsule (segment only), cylinder, half thickness of planar
                                  ///< shapes [m]
    const gmc_polytope *polytope; ///< polytope only
    double scale;                 ///< polytope, polygon: factor on its vertices and offsets [-]
    const gmc_polygon_piece *polygon; ///< polygon only
    double exponent;                  ///< super-ellipse only [-]
} gmc_shape;

/// Of plane faces alone: boxes, polytopes, planes.
static inline bool gmc_shape_has_faces(gmc_shape_type type)
{
    return type == GMC_SHAPE_PLANE || type == GMC_SHAPE_BOX || type == GMC_SHAPE_POLYTOPE;
}

/// Straight and round.
static inline bool gmc_shape_is_rod(gmc_shape_type type)
{
    return type == GMC_SHAPE_CYLINDER || type == GMC_SHAPE_CAPSULE;
}

static inline bool gmc_shape_is_planar(gmc_shape_type type) { return type >= GMC_SHAPE_POLYGON; }

#endif

/// Collision shapes, in the frame of their geom. Solid, convex.
#ifndef GMC_ENGINE_MODEL_SHAPE_H
#define GMC_ENGINE_MODEL_SHAPE_H

#include "engine/math/vec3.h"

typedef enum gmc_shape_type {
    GMC_SHAPE_SPHERE,   ///< radius about the origin
    GMC_SHAPE_CAPSULE,  ///< radius about the segment from -half_length to +half_length on z
    GMC_SHAPE_BOX,      ///< |x| <= half.x, ...
    GMC_SHAPE_CYLINDER, ///< radius about z, |z| <= half_length
    GMC_SHAPE_PLANE,    ///< the half-space z <= 0; never on a body that moves freely
    GMC_SHAPE_POLYTOPE, ///< convex hull of `polytope`'s vertices, times `scale`
    GMC_SHAPE_COUNT
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

typedef struct gmc_shape {
    gmc_shape_type type;
    gmc_vec3 half;                ///< box: half sizes [m]
    double radius;                ///< sphere, capsule, cylinder [m]
    double half_length;           ///< capsule (segment only), cylinder [m]
    const gmc_polytope *polytope; ///< polytope only
    double scale;                 ///< polytope: factor on its vertices and offsets [-]
} gmc_shape;

#endif

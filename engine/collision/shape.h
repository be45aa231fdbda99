/// Collision shapes where they are: bounds, support points, faces. A `gmc_solid` is a shape with
/// its pose in the frame of one query (world axes, origin near the pair, so that no digits are
/// spent on the distance from the world's origin).
///
/// Boxes and polytopes answer the same questions about vertices, faces and edges, so that a box
/// given as a mesh behaves as the box. Numbering of a box: vertex bits 0, 1, 2 are the signs of x,
/// y, z (set: +); face 2 i is +axis i, face 2 i + 1 is -axis i; edge 8 * axis + lower vertex.
#ifndef GMC_ENGINE_COLLISION_SHAPE_H
#define GMC_ENGINE_COLLISION_SHAPE_H

#include "engine/base/arena.h"
#include "engine/math/pose.h"
#include "engine/math/spatial.h"
#include "engine/model/shape.h"

/// What a polytope does not carry itself and the collider works out once.
typedef struct gmc_hull_table {
    const gmc_polytope *polytope;
    int *vertex_face_start; ///< (vertex_count + 1) offsets into vertex_faces
    int *vertex_faces;      ///< faces around each vertex
    gmc_vec3 centre, half;  ///< its bounding box in its own axes, unscaled [m]
    int face_vertex_max;    ///< vertices of its largest face
} gmc_hull_table;

typedef struct gmc_solid {
    const gmc_shape *shape;
    const gmc_hull_table *table; ///< polytopes only
    gmc_pose X;                  ///< geom frame in the query frame
} gmc_solid;

typedef struct gmc_aabb {
    gmc_vec3 lo, hi; ///< [m]
} gmc_aabb;

/// Fill the table of a polytope.
/// @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_shape_table(const gmc_polytope *polytope, gmc_arena *arena,
                                          gmc_hull_table *table);

/// Radius of the ball about gmc_shape_centre that holds the shape; +inf for a plane [m].
double gmc_shape_radius(const gmc_shape *shape);

/// A point inside, geom frame: the centre of the ball.
gmc_vec3 gmc_shape_centre(const gmc_shape *shape);

/// Bounds along the axes of the frame of `X`. Exact for all but polytopes and super-ellipses, whose
/// own bounding box is bounded; of planar shapes infinite along z.
/// @param growth  of the shape on all sides, >= 0 [m]
void gmc_shape_bound(const gmc_shape *shape, const gmc_hull_table *table, const gmc_pose *X,
                     double growth, gmc_aabb *box);

/// The same of the shape as it is.
static inline gmc_aabb gmc_shape_aabb(const gmc_shape *shape, const gmc_hull_table *table,
                                      const gmc_pose *X)
{
    gmc_aabb box;
    gmc_shape_bound(shape, table, X, 0, &box);
    return box;
}

/// A farthest point of the solid along `dir` (any length > 0), query frame. Not for planes and
/// planar shapes.
/// @param hint  vertex to start a polytope's climb from, and the vertex found; NULL: none
gmc_vec3 gmc_shape_support(const gmc_solid *solid, gmc_vec3 dir, int *hint);

/// How far the shape reaches from its own origin along the unit vector `dir` [m]. Not for planes.
/// @param R     its axes in the frame of `dir`
/// @param hint  as above
double gmc_shape_reach(const gmc_shape *shape, const gmc_mat3 *R, gmc_vec3 dir, int *hint);

/// A farthest vertex of a box or polytope along `dir`; `hint` as above, 0 where nothing is known.
int gmc_shape_support_vertex(const gmc_solid *solid, gmc_vec3 dir, int hint);

/// Boxes and polytopes: counts, vertices and faces in the query frame.
static inline int gmc_shape_vertex_count(const gmc_solid *solid)
{
    return solid->shape->type == GMC_SHAPE_BOX ? 8 : solid->shape->polytope->vertex_count;
}
int gmc_shape_face_count(const gmc_solid *solid);
gmc_vec3 gmc_shape_vertex(const gmc_solid *solid, int vertex);
gmc_vec3 gmc_shape_face_normal(const gmc_solid *solid, int face);

/// n·x <= offset holds for all points x of the solid, n the face's normal, query frame [m].
double gmc_shape_face_offset(const gmc_solid *solid, int face, gmc_vec3 normal);

/// Vertices of a face, counter-clockwise seen from outside.
const int *gmc_shape_face_loop(const gmc_solid *solid, int face, int *count);

/// The face around `vertex` whose normal is nearest to `dir`.
int gmc_shape_face_towards(const gmc_solid *solid, int vertex, gmc_vec3 dir);

/// Identity of the edge between two vertices, the same in either order; -1 if there is no
/// such edge.
int gmc_shape_edge_id(const gmc_solid *solid, int from, int to);

#endif

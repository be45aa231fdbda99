/// The steps of a convex decomposition: a closed surface that knows how far a point is from it,
/// what is left of it in a convex cell, the plane that cuts this best, and how far a hull strays.
#ifndef GMC_ENGINE_MODEL_PIECES_INTERNAL_H
#define GMC_ENGINE_MODEL_PIECES_INTERNAL_H

#include "engine/model/mesh.h"
#include "engine/model/pieces.h"

// ---- the solid (pieces_solid.c) ----------------------------------------------------------------

/// A node of the tree over triangles: its box, and either two children or a few triangles.
typedef struct gmc_pieces_node {
    gmc_vec3 lo, hi;
    int first, count; ///< triangles order[first ...]; count 0: children first, first + 1
} gmc_pieces_node;

/// One closed part of a mesh, wound outwards.
typedef struct gmc_pieces_solid {
    int triangle_count;
    gmc_vec3 (*corners)[3];        ///< (triangle_count) [m]
    gmc_vec3 *normals;             ///< (triangle_count) unit; zero without area
    gmc_vec3 (*edge_normals)[3];   ///< of edge k to k + 1: sum of both triangles'
    gmc_vec3 (*corner_normals)[3]; ///< angle-weighted sum around the vertex [baerentzen2005]
    double (*edge_bends)[3];       ///< > 0: the surface is hollow along this edge (sine of it)
    gmc_pieces_node *nodes;
    int *order;
    gmc_vec3 lo, hi; ///< its box [m]
    double extent;   ///< largest of the box's sizes [m]
    double volume;   ///< [m³]
} gmc_pieces_solid;

/// @return GMC_OK, GMC_E_MEMORY; to be freed in both cases
GMC_MUST_CHECK gmc_status gmc_pieces_solid_create(const gmc_mesh *mesh, int part,
                                                  gmc_pieces_solid *solid);
void gmc_pieces_solid_free(gmc_pieces_solid *solid);

/// Distance of a point from the surface, < 0 inside [m].
/// @param nearest  out: the triangle that is nearest
double gmc_pieces_solid_distance(const gmc_pieces_solid *solid, gmc_vec3 p, int *nearest);

/// Distance of a point from one triangle [m].
double gmc_pieces_solid_to_triangle(const gmc_pieces_solid *solid, int triangle, gmc_vec3 p);

// ---- what lies in a cell (pieces_cell.c) -------------------------------------------------------

/// The half-space n·x <= offset is behind, n·x >= offset is in front.
typedef struct gmc_pieces_plane {
    gmc_vec3 n; ///< unit
    double offset;
} gmc_pieces_plane;

/// Convex polygons with their outward normals. Zeroed: empty.
typedef struct gmc_pieces_polygons {
    int count, capacity, corner_capacity;
    int *start; ///< (count + 1) offsets into corners
    gmc_vec3 *normals, *corners;
    bool failed; ///< no memory; sticky
} gmc_pieces_polygons;

typedef struct gmc_pieces_cloud {
    gmc_vec3 *points;
    int count, capacity;
} gmc_pieces_cloud;

/// The solid within a convex cell: what is left of its surface, the faces of the cell, and those of
/// their corners that are inside the solid.
typedef struct gmc_pieces_cell {
    gmc_pieces_polygons surface, walls;
    gmc_pieces_cloud inside;
} gmc_pieces_cell;

void gmc_pieces_cell_free(gmc_pieces_cell *cell);

/// The whole solid in a box around it.
/// @return false without memory
bool gmc_pieces_cell_of(const gmc_pieces_solid *solid, gmc_pieces_cell *cell);

/// What lies in front of a plane, or behind it. `half` is used again: its arrays grow as needed.
/// @return false without memory
bool gmc_pieces_cell_cut(const gmc_pieces_solid *solid, const gmc_pieces_cell *cell,
                         const gmc_pieces_plane *plane, bool is_front, gmc_pieces_cell *half);

/// Points whose hull is that of the solid in the cell: corners of the surface, and of the walls
/// where they are inside the solid.
bool gmc_pieces_cell_points(const gmc_pieces_cell *cell, gmc_pieces_cloud *cloud);

// ---- where to cut (pieces_cut.c) ---------------------------------------------------------------

/// Cut a cell in two, where the hulls of the two together are smallest.
/// @param     volume  of the cell's hull [m³]
/// @param     halves  out, untouched unless GMC_OK
/// @return GMC_OK, GMC_E_NO_SOLUTION (no plane leaves two bodies), GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_pieces_cut(const gmc_pieces_solid *solid, const gmc_pieces_cell *cell,
                                         double volume, gmc_pieces_cell halves[2]);

// ---- how good a hull is (pieces_error.c) -------------------------------------------------------

/// Largest distance from the solid of a point on the hull's surface that is outside of it: at most
/// the result, which is too large by at most `slack` and GMC_PIECES_LOOSE of itself. The search
/// ends early where it is beyond `enough`.
#define GMC_PIECES_LOOSE 0.03
double gmc_pieces_error(const gmc_pieces_solid *solid, const gmc_polytope *hull, double slack,
                        double enough);

// ---- results on disk (pieces_cache.c) ----------------------------------------------------------

/// Convex pieces as clouds of points: the vertices of their hulls.
typedef struct gmc_pieces_result {
    gmc_pieces_cloud *clouds; ///< (count)
    int count;
    double surface_error; ///< worst of all pieces [m]
} gmc_pieces_result;

void gmc_pieces_result_free(gmc_pieces_result *result);

/// Of all that the pieces of a part depend on.
gmc_digest gmc_pieces_cache_key(const gmc_mesh *mesh, int part, double tolerance, int piece_max);

/// @return true if the cache has this result, whole and undamaged
bool gmc_pieces_cache_load(const gmc_pieces_cache *cache, const gmc_digest *key,
                           gmc_pieces_result *result);
void gmc_pieces_cache_save(const gmc_pieces_cache *cache, const gmc_digest *key,
                           const gmc_pieces_result *result);

#endif

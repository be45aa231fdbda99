/// The steps of a convex decomposition: a closed surface that knows how far a point is from it,
/// what is left of it in a convex cell, the plane that cuts this best, and how far a hull strays.
#ifndef GMC_ENGINE_MODEL_PIECES_INTERNAL_H
#define GMC_ENGINE_MODEL_PIECES_INTERNAL_H

#include "engine/model/mesh.h"
#include "engine/model/pieces.h"

// ---- the work done (pieces_work.c) -------------------------------------------------------------

/// What the cutting of one part has cost so far.
typedef struct gmc_pieces_work {
    double spent, most; ///< in distances, see GMC_PIECES_WORK
    double next;        ///< whoever follows is told when so much is spent
    int count;          ///< pieces so far
    bool is_stopped;    ///< from outside: everything ends as soon as it can
    const char *mesh;
    const gmc_pieces_cache *cache; ///< NULL: nobody follows
} gmc_pieces_work;

/// What else is done, in distances.
#define GMC_PIECES_WORK_CLIP 0.05 ///< a polygon clipped
#define GMC_PIECES_WORK_HULL 1.5  ///< a point of a hull

/// Count it; `work` may be NULL: nobody counts.
void gmc_pieces_work_add(gmc_pieces_work *work, double cost);

/// No more than what must be done.
bool gmc_pieces_work_is_over(const gmc_pieces_work *work);

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
    gmc_vec3 lo, hi;       ///< its box [m]
    double extent;         ///< largest of the box's sizes [m]
    double volume;         ///< [m³]
    gmc_pieces_work *work; ///< counts; NULL: nobody does
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

/// The same cell with about `most` of its surface's polygons, those of evenly spaced places in
/// their list: neighbours in space stand near each other there.
/// @param  thin  zeroed before; to be freed in both cases
/// @return false without memory
bool gmc_pieces_cell_thin(const gmc_pieces_cell *cell, int most, gmc_pieces_cell *thin);

/// Points whose hull is that of the solid in the cell: corners of the surface, and of the walls
/// where they are inside the solid.
bool gmc_pieces_cell_points(const gmc_pieces_cell *cell, gmc_pieces_cloud *cloud);

// ---- where to cut (pieces_cut.c) ---------------------------------------------------------------

/// Where to cut a cell in two so that the hulls of the two together are smallest.
/// @param     volume  of the cell's hull [m³]
/// @param     plane   out, untouched unless GMC_OK
/// @return GMC_OK, GMC_E_NO_SOLUTION (no plane leaves two bodies), GMC_E_MEMORY,
///         GMC_E_INTERRUPTED
GMC_MUST_CHECK gmc_status gmc_pieces_choose(const gmc_pieces_solid *solid,
                                            const gmc_pieces_cell *cell, double volume,
                                            gmc_pieces_plane *plane);

/// Cut it there.
/// @param     halves  out, behind and in front; untouched unless GMC_OK
/// @return GMC_OK, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_pieces_cut(const gmc_pieces_solid *solid, const gmc_pieces_cell *cell,
                                         const gmc_pieces_plane *plane, gmc_pieces_cell halves[2]);

// ---- how good a hull is (pieces_error.c) -------------------------------------------------------

/// Largest distance from the solid of a point on the hull's surface that is outside of it: at most
/// the result, which is too large by at most `slack` and GMC_PIECES_LOOSE of itself, or by more
/// where that would cost more than GMC_PIECES_ERROR_WORK, or than the work has left. The search
/// ends early where it is beyond `enough`.
#define GMC_PIECES_LOOSE      0.03
#define GMC_PIECES_ERROR_WORK 3e5 ///< distances; a finger-sized hull of a smooth mesh takes 1e4
double gmc_pieces_error(const gmc_pieces_solid *solid, const gmc_polytope *hull, double slack,
                        double enough);

// ---- results on disk (pieces_cache.c) ----------------------------------------------------------

/// Convex pieces as clouds of points: the vertices of their hulls.
typedef struct gmc_pieces_result {
    gmc_pieces_cloud *clouds; ///< (count)
    int count;
    double surface_error; ///< worst of all pieces [m]
    int is_cut_short;     ///< 1: it had cost GMC_PIECES_WORK before no piece was bad
} gmc_pieces_result;

void gmc_pieces_result_free(gmc_pieces_result *result);

/// Of all that the pieces of a part depend on.
gmc_digest gmc_pieces_cache_key(const gmc_mesh *mesh, int part, double tolerance, int piece_max);

/// One step of a cutting: the piece `index` is cut at the plane into itself (behind) and a new last
/// piece (in front), or found to have no such plane.
typedef struct gmc_pieces_step {
    int index, is_final;
    gmc_pieces_plane plane;
    double errors[2]; ///< of the halves' hulls [m]
} gmc_pieces_step;

/// How far a cutting has come.
typedef struct gmc_pieces_steps {
    gmc_pieces_step *list; ///< (count)
    int count, capacity;
    double spent; ///< work
} gmc_pieces_steps;

/// The cutting of this part as far as it is kept; false: nothing is.
bool gmc_pieces_cache_resume(const gmc_pieces_cache *cache, const gmc_digest *key,
                             gmc_pieces_steps *steps);
void gmc_pieces_cache_pause(const gmc_pieces_cache *cache, const gmc_digest *key,
                            const gmc_pieces_steps *steps);

/// @return true if the cache has this result, whole and undamaged
bool gmc_pieces_cache_load(const gmc_pieces_cache *cache, const gmc_digest *key,
                           gmc_pieces_result *result);
void gmc_pieces_cache_save(const gmc_pieces_cache *cache, const gmc_digest *key,
                           const gmc_pieces_result *result);

#endif

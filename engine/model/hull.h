/// Convex hulls: the polytopes of the collision room, made from points or from meshes. The only
/// user of qhull [barber1996].
///
/// Facets that are coplanar within GMC_HULL_COPLANAR of the cloud's extent become one face, so that
/// a cube given by its corners, by twelve triangles, or by coordinates written with few digits, has
/// six square faces. Vertices are the given points themselves, never moved.
///
/// The order is a function of the set of points alone: vertices sorted by x, y, z; every face loop
/// starts with its smallest vertex; faces, edges and neighbours sorted by their vertices.
#ifndef GMC_ENGINE_MODEL_HULL_H
#define GMC_ENGINE_MODEL_HULL_H

#include "engine/base/source.h"
#include "engine/model/mesh.h"
#include "engine/model/shape.h"

#include <stdbool.h>

/// Facets merge if their vertices lie within this share of the cloud's extent of one plane: 1 µm on
/// 50 mm, which is what coordinates in metres with six decimals leave of a flat face [-].
#define GMC_HULL_COPLANAR 2e-5

/// A cloud thinner than this share of its extent is flat: no hull. Ten times GMC_HULL_COPLANAR, so
/// that the faces of opposite sides never merge [-].
#define GMC_HULL_THINNEST 2e-4

/// A hull that holds more than its mesh by less than this share counts as the mesh itself: rounded
/// coordinates bend the faces of a convex piece by that much [-].
#define GMC_HULL_CONVEX 1e-3

/// Most convex pieces that are made of one mesh; a mesh of more parts gets one hull.
enum { GMC_HULL_PIECES_MAX = 256 };

/// Hull of a cloud of points.
/// @param     points  (count) any order, repetitions allowed [m]
/// @param     what    names the cloud in messages ("mesh mug.obj, part 3")
/// @param     source  where messages point to
/// @param     hull    one block, to be freed with gmc_hull_free; NULL unless GMC_OK
/// @return GMC_OK, GMC_E_INPUT (fewer than four points, all in one plane or line, not finite, or
///         thinner than GMC_HULL_THINNEST), GMC_E_LIBRARY (qhull failed, or its answer is no convex
///         polytope), GMC_E_MEMORY; all of them reported
GMC_MUST_CHECK gmc_status gmc_hull_create(const gmc_vec3 *points, int count, const char *what,
                                          gmc_source source, gmc_diagnostics *report,
                                          gmc_polytope **hull);

/// Accepts NULL.
void gmc_hull_free(gmc_polytope *hull);

/// Volume of a polytope [m³].
double gmc_hull_volume(const gmc_polytope *hull);

/// Convex pieces that stand for a mesh.
typedef struct gmc_hull_pieces {
    gmc_polytope **pieces; ///< (count)
    int count;
    double mesh_volume; ///< enclosed by the mesh; 0 if it is not closed [m³]
    double hull_volume; ///< sum over the pieces (where pieces overlap, counted twice) [m³]
} gmc_hull_pieces;

/// Each closed part of a mesh becomes its hull; a mesh with an open part becomes one hull of all.
/// Warnings: "mesh is not convex: its hull adds x %" (of all parts, with the number of parts),
/// cavities that are filled, parts without thickness that are left out.
/// @param     source  where messages point to
/// @param     pieces  to be freed with gmc_hull_pieces_free; empty unless GMC_OK
/// @return as gmc_hull_create
GMC_MUST_CHECK gmc_status gmc_hull_of_mesh(const gmc_mesh *mesh, gmc_source source,
                                           gmc_diagnostics *report, gmc_hull_pieces *pieces);

void gmc_hull_pieces_free(gmc_hull_pieces *pieces);

/// Faces as loops of point indices, counter-clockwise seen from outside. Arrays malloc'd.
typedef struct gmc_hull_faces {
    int count;
    int *start;        ///< (count + 1) offsets into loop
    int *loop;         ///< (start[count])
    gmc_vec3 *normals; ///< (count) unit, outwards
} gmc_hull_faces;

enum { GMC_HULL_REASON = 160 };

/// Facets of the hull of `points` as qhull finds them; coplanar to rounding.
/// @param     reason  what qhull said, if it failed
/// @return GMC_OK, GMC_E_LIBRARY, GMC_E_MEMORY; `faces` empty unless GMC_OK
GMC_MUST_CHECK gmc_status gmc_hull_qhull_facets(const gmc_vec3 *points, int count,
                                                gmc_hull_faces *faces,
                                                char reason[GMC_HULL_REASON]);

void gmc_hull_faces_free(gmc_hull_faces *faces);

/// Convex pieces of one part of a mesh.
typedef struct gmc_hull_cut {
    gmc_polytope **pieces; ///< (count) malloc'd, and each of them
    int count;
} gmc_hull_cut;

/// Who cuts a part of a mesh that is not convex (pieces.c).
typedef struct gmc_hull_cutter {
    void *context;
    /// Pieces of a closed part, at most `room` >= 1 of them.
    /// @param hull    of the whole part; stays the caller's
    /// @param pieces  out: the caller's; untouched unless GMC_OK
    /// @return GMC_OK, GMC_E_MEMORY, GMC_E_LIBRARY
    gmc_status (*cut)(void *context, const gmc_mesh *mesh, int part, const gmc_polytope *hull,
                      int room, gmc_hull_cut *pieces);
} gmc_hull_cutter;

/// gmc_hull_of_mesh in which closed parts that are not convex are cut.
/// @param cutter  NULL: they become their hulls
GMC_MUST_CHECK gmc_status gmc_hull_of_mesh_cut(const gmc_mesh *mesh, gmc_source source,
                                               const gmc_hull_cutter *cutter,
                                               gmc_diagnostics *report, gmc_hull_pieces *pieces);

#endif

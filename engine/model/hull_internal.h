/// The steps of a hull: qhull's facets, then our faces.
#ifndef GMC_ENGINE_MODEL_HULL_INTERNAL_H
#define GMC_ENGINE_MODEL_HULL_INTERNAL_H

#include "engine/model/hull.h"

#include <stdbool.h>

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

/// Merge facets whose vertices lie within `tolerance` of the plane of a larger neighbour, drop the
/// vertices that no longer are corners, and sort loops and faces. A merged face has the normal of
/// its largest facet, so no point of the cloud is beyond its plane.
/// @param     points  (count) sorted by x, y, z
/// @param     facets  used up: empty afterwards
/// @return GMC_OK, GMC_E_LIBRARY (not the surface of a convex body), GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_hull_faces_merge(const gmc_vec3 *points, int count, double tolerance,
                                               gmc_hull_faces *facets, gmc_hull_faces *faces);

void gmc_hull_faces_free(gmc_hull_faces *faces);

/// The polytope of these faces in one malloc'd block; its vertices are `points` as given.
/// @param     points     (point_count) the cloud that the faces refer to
/// @param     tolerance  how far a vertex may be beyond the plane of a face it is not on [m]
/// @param     hull       untouched unless GMC_OK
/// @return GMC_OK, GMC_E_LIBRARY (not a closed convex surface), GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_hull_pack(const gmc_vec3 *points, int point_count,
                                        const gmc_hull_faces *faces, double tolerance,
                                        gmc_polytope **hull);

/// Who cuts a part of a mesh that is not convex (pieces.c).
typedef struct gmc_hull_cutter {
    void *context;
    /// Pieces of a closed part, at most `room` >= 1 of them.
    /// @param hull    of the whole part; stays the caller's
    /// @param pieces  out: malloc'd, and each of them; untouched unless GMC_OK
    /// @return GMC_OK, GMC_E_MEMORY, GMC_E_LIBRARY
    gmc_status (*cut)(void *context, const gmc_mesh *mesh, int part, const gmc_polytope *hull,
                      int room, gmc_polytope ***pieces, int *count);
} gmc_hull_cutter;

/// gmc_hull_of_mesh in which closed parts that are not convex are cut.
/// @param cutter  NULL: they become their hulls
GMC_MUST_CHECK gmc_status gmc_hull_of_mesh_cut(const gmc_mesh *mesh, gmc_source source,
                                               const gmc_hull_cutter *cutter,
                                               gmc_diagnostics *report, gmc_hull_pieces *pieces);

/// Volume of a polytope [m³].
double gmc_hull_pack_volume(const gmc_polytope *hull);

#endif

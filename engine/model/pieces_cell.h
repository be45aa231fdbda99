/// What is left of a solid in a convex cell, and the plane that cuts this best.
#ifndef GMC_ENGINE_MODEL_PIECES_CELL_H
#define GMC_ENGINE_MODEL_PIECES_CELL_H

#include "engine/model/pieces_solid.h"

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

/// Points whose hull is that of the solid in the cell: corners of the surface, and of the walls
/// where they are inside the solid.
bool gmc_pieces_cell_points(const gmc_pieces_cell *cell, gmc_pieces_cloud *cloud);

/// Most faces of a piece that count one by one when its planes are judged; of more, a third of this
/// number stands for all, as many corners. A sphere of 20 000 triangles with 50 % noise: 64 pieces,
/// 173 % more volume and 5.0 mm of surface error, as with all of them.
#define GMC_PIECES_FACES 2048

/// Where to cut a cell in two so that the hulls of the two together are smallest.
/// @param     volume  of the cell's hull [m³]
/// @param     plane   out, untouched unless GMC_OK
/// @return GMC_OK, GMC_E_NO_SOLUTION (no plane leaves two bodies), GMC_E_MEMORY,
///         GMC_E_INTERRUPTED
GMC_MUST_CHECK gmc_status gmc_pieces_plane_choose(const gmc_pieces_solid *solid,
                                                  const gmc_pieces_cell *cell, double volume,
                                                  gmc_pieces_plane *plane);

/// Cut it there.
/// @param     halves  out, behind and in front; untouched unless GMC_OK
/// @return GMC_OK, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_pieces_cell_halve(const gmc_pieces_solid *solid,
                                                const gmc_pieces_cell *cell,
                                                const gmc_pieces_plane *plane,
                                                gmc_pieces_cell halves[2]);

#endif

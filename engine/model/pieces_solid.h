/// One closed part of a mesh that knows how far a point is from it (pieces.c).
#ifndef GMC_ENGINE_MODEL_PIECES_SOLID_H
#define GMC_ENGINE_MODEL_PIECES_SOLID_H

#include "engine/model/mesh.h"

/// What the cutting of one part has cost so far.
typedef struct gmc_pieces_work {
    double spent, most; ///< in distances, see GMC_PIECES_WORK
    double next;        ///< whoever follows is told when so much is spent
    int count;          ///< pieces so far
    bool is_stopped;    ///< from outside: everything ends as soon as it can
    const char *mesh;
    const struct gmc_pieces_cache *cache; ///< NULL: nobody follows
} gmc_pieces_work;

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

#endif

/// Signed distance of a point from a solid, with the direction of steepest increase: exact for
/// every shape. What spheres need.
#ifndef GMC_ENGINE_COLLISION_POINT_H
#define GMC_ENGINE_COLLISION_POINT_H

#include "engine/collision/shape.h"

typedef struct gmc_point_distance {
    double distance; ///< < 0 inside [m]
    gmc_vec3 n;      ///< unit, from the solid to the point (inside: through the nearest surface)
    int face; ///< which face decided, for the next call; -1: an edge, a corner or a round surface
} gmc_point_distance;

/// @param p       query frame [m]
/// @param before  face of the call before, -1 if none: kept inside the solid while another is not
///                nearer by more than `keep`
/// @param keep    [m]
gmc_point_distance gmc_point_solid(const gmc_solid *solid, gmc_vec3 p, int before, double keep);

/// c +- h d.
typedef struct gmc_point_segment {
    gmc_vec3 centre;    ///< c [m]
    gmc_vec3 direction; ///< d, unit [-]
    double half_length; ///< h, >= 0 [m]
} gmc_point_segment;

/// Nearest points of two segments: parameters along d, each within +-h [m].
void gmc_point_segments(const gmc_point_segment *one, const gmc_point_segment *two, double *x1,
                        double *x2);

#endif

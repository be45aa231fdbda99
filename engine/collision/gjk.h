/// Distance and nearest points of two convex cores (Gilbert, Johnson, Keerthi), by support points
/// alone.
///
/// Source: [gilbert1988]. Departs from it: the sub-distance projects the origin on each face of the
/// simplex that holds the newest point and takes the nearest; flat simplices lose no digits that
/// way.
#ifndef GMC_ENGINE_COLLISION_GJK_H
#define GMC_ENGINE_COLLISION_GJK_H

#include "engine/collision/shape.h"

#include <stdbool.h>
#include <stdint.h>

/// A solid without its rounding: sphere -> point, capsule -> segment, the others whole; or less of
/// it.
typedef struct gmc_gjk_core {
    const gmc_solid *solid;
    bool is_axis;   ///< cylinder: only its axis
    double scale;   ///< about the shape's centre, 1: whole
    gmc_vec3 shift; ///< moved by this, query frame [m]
    int hint;       ///< in, out: support vertex of a polytope
} gmc_gjk_core;

/// The vertices that spanned the nearest points of an earlier query of the same two cores: where
/// they still do, one more support point shows it. Zeroed: none.
typedef struct gmc_gjk_span {
    int16_t count;
    int16_t of_a[3], of_b[3]; ///< as in gmc_gjk_result, never -1
} gmc_gjk_span;

typedef struct gmc_gjk_result {
    bool is_overlap;   ///< distance 0 to rounding; nothing below is then set
    double distance;   ///< [m]
    gmc_vec3 n;        ///< unit, from a to b
    gmc_vec3 p_a, p_b; ///< nearest points, p_b with the shift [m]
    int count;         ///< points that span them
    int of_a[3],
        of_b[3];  ///< their vertices (boxes, polytopes; segment ends 0, 1), -1 on round shapes
    int supports; ///< support points asked for
} gmc_gjk_result;

gmc_gjk_core gmc_gjk_core_of(const gmc_solid *solid);

/// Rounding radius that the core leaves away: of spheres and capsules, of cylinders as axes [m].
double gmc_gjk_radius(const gmc_gjk_core *core);

/// Farthest point of the core along `dir`; `of`: its vertex as in gmc_gjk_result.
gmc_vec3 gmc_gjk_support(gmc_gjk_core *core, gmc_vec3 dir, int *of);

/// @param guess  direction from a to b to start with, length > 0
/// @param size   of the smaller solid; distances below 1e-12 of it count as overlap [m]
gmc_gjk_result gmc_gjk_distance(gmc_gjk_core *a, gmc_gjk_core *b, gmc_vec3 guess, double size);

/// The same, from what an earlier query found; the answer does not depend on it but for rounding.
/// @param span  in: of an earlier query; out: of this one, none if a whole cylinder takes part or
///              the cores overlap
gmc_gjk_result gmc_gjk_distance_again(gmc_gjk_core *a, gmc_gjk_core *b, gmc_gjk_span *span,
                                      gmc_vec3 guess, double size);

#endif

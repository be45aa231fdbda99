/// Distance and normal of round planar solids: points, circles, super-ellipses.
///
/// A direction n separates two convex solids by s(n) = n·(x_b - x_a), x_a the farthest point of a
/// along n and x_b that of b along -n; the gap is the largest s over all n. Its derivative along
/// the turn of n is n x (x_b - x_a), because support points do not move along n: no curvature is
/// needed, which super-ellipses do not have where their axes leave them. A zero of it in a bracket
/// is the common normal. While s > 0 there is only one.
///
/// |x/a|^p + |y/b|^p = 1 has the support function (|a u|^q + |b v|^q)^(1/q), 1/p + 1/q = 1
/// (Hölder).
#ifndef GMC_ENGINE_COLLISION_PLANAR_ELLIPSE_H
#define GMC_ENGINE_COLLISION_PLANAR_ELLIPSE_H

#include "engine/collision/planar_internal.h"

/// Nearest points of two round solids.
typedef struct gmc_planar_gap {
    gmc_vec2 n;          ///< unit, from a to b
    double gap;          ///< < 0: overlapping [m]
    gmc_vec2 on_a, on_b; ///< where the normal leaves a and b [m]
} gmc_planar_gap;

/// Farthest point of a circle or super-ellipse along the unit vector n, query frame.
gmc_vec2 gmc_planar_ellipse_support(const gmc_planar_solid *solid, gmc_vec2 n);

/// Gap of two solids, circles or super-ellipses.
/// @param guess  a normal of the call before, query frame; zero: none
gmc_planar_gap gmc_planar_ellipse_gap(const gmc_planar_solid *a, const gmc_planar_solid *b,
                                      gmc_vec2 guess);

/// The same of a point and a solid: a is the point.
gmc_planar_gap gmc_planar_ellipse_point(gmc_vec2 point, const gmc_planar_solid *b, gmc_vec2 guess);

#endif

/// Over which area a flat contact presses, seen from the few points that stand for it: how far in
/// its friction acts.
///
/// Points at the corners of a face bear the face's normal force and both of its moments. Friction
/// at these corners would bear too much of a moment about the normal, 1.86 times what uniform
/// pressure bears on a square: it acts nearer to the middle of the pressure, on an arm whose mean
/// is that of the area. What stands on feet, whose area is at the corners, has it there.
#ifndef GMC_ENGINE_COLLISION_FLAT_H
#define GMC_ENGINE_COLLISION_FLAT_H

#include "engine/collision/pair.h"

/// Integrals over an area of the contact plane; zero of points and lines.
typedef struct gmc_flat {
    double area, x, y, xx, xy, yy; ///< ∫ 1, x, y, x², x y, y² dA [m² ... m⁴]
} gmc_flat;

/// Add what a pair's manifold presses on: the cap of a cylinder, where all points are on its rim;
/// else the polygon of the points.
/// @param shift  from the pair's frame to that of `axes`, whose x and y the integrals are of [m]
void gmc_flat_add(gmc_flat *flat, const gmc_pair *pair, const gmc_manifold *manifold,
                  const gmc_pair_axes *axes, gmc_vec3 shift);

/// Share of the way from a contact point to the middle of the pressure after which its friction
/// acts.
/// @param x, y   (count) of the points that stand for the area [m]
/// @return >= 0; 0: at the points
double gmc_flat_inset(const gmc_flat *flat, const double *x, const double *y, int count);

#endif

/// Over which area a flat contact presses, beside the few points that stand for it.
///
/// Points at the corners of a face bear the face's normal force and both of its moments. Friction
/// at these corners would bear too much of a moment about the normal, 1.86 times what uniform
/// pressure bears on a square: how much it does bear depends on the area.
#ifndef GMC_ENGINE_COLLISION_FLAT_H
#define GMC_ENGINE_COLLISION_FLAT_H

#include "engine/collision/pair.h"

/// The softest point of a flat contact, over their mean [-].
#define GMC_FLAT_SOFTEST 0.1

/// Integrals over an area of the contact plane; zero of points and lines.
typedef struct gmc_flat {
    double area, x, y, xx, xy, yy;  ///< ∫ 1, x, y, x², x y, y² dA [m² ... m⁴]
    double whole, whole_x, whole_y; ///< ∫ 1, x, y dA with what does not touch yet [m² ... m³]
} gmc_flat;

/// Add what a pair's manifold presses on: the cap of a cylinder, where all points are on its rim;
/// else its outline, or the polygon of the points.
/// @param shift  from the pair's frame to that of `axes`, whose x and y the integrals are of [m]
void gmc_flat_add(gmc_flat *flat, const gmc_pair *pair, const gmc_manifold *manifold,
                  const gmc_pair_axes *axes, gmc_vec3 shift);

/// What is known of a flat contact's area where its friction is worked out.
/// @param x, y    (count) of the points that stand for it [m]
/// @param origin  of the pair's frame, world [m]
/// @return half[0] 0: a point
gmc_flat_area gmc_flat_area_of(const gmc_flat *flat, const gmc_pair_axes *axes, gmc_vec3 origin,
                               const double *x, const double *y, int count);

/// How stiff each point is over their mean, less 1: pressed in evenly they have the middle of their
/// pressure at the area's centroid. 0: where that is the mean of the points, and of lines.
/// @param x, y   (count) as above; at most GMC_PAIR_POINT_MAX
/// @param excess (count) out: >= GMC_FLAT_SOFTEST - 1; they sum to 0
void gmc_flat_stiffen(const gmc_flat *flat, const double *x, const double *y, int count,
                      double *excess);

#endif

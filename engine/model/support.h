/// How a body stands in the plane: normal forces at its points, the friction that they can give,
/// and points that stand for a pressure spread over a disc or a polygon.
///
/// Forces in the plane act at its height, so statics alone settles what three points carry:
///   Σ N_i = m g,   Σ N_i p_i = m g p_com                                        [berard2007] §II-B
/// More points are taken as one rigid foot on an even elastic bed: the pressure varies linearly,
///   N_i = m g share_i (1 - c·C⁻¹ d_i),   d_i = p_i - p̄, c = p̄ - p_com,
/// p̄ and C the mean and covariance of the points by their shares. For three it is the same.
#ifndef GMC_ENGINE_MODEL_SUPPORT_H
#define GMC_ENGINE_MODEL_SUPPORT_H

#include "engine/model/model.h"
#include "engine/model/polygon.h"

/// Points nearer to a line than this share of their extent stand in it: their forces would amplify
/// the rounding of coordinates a million times.
static const double GMC_SUPPORT_LINE = 1e-6;

/// Normal forces at the points of a support [N].
/// @param forces  (point_count) out, untouched unless GMC_OK; NULL: ask only
/// @return GMC_OK, GMC_E_INPUT (the points stand in a line, or one of them would have to pull: the
///         mass centre is not well within them)
GMC_MUST_CHECK gmc_status gmc_support_forces(const gmc_model *model, const gmc_support *support,
                                             double *forces);

/// m g Σ over the points of share |p - p_com|² / m g: the square of the arm at which viscous
/// friction resists turning [m²].
double gmc_support_arm2(const gmc_model *model, const gmc_support *support, const double *forces);

/// Points of a uniform pressure on a disc about `centre`: rings at the nodes of Gauss and Jacobi's
/// rule for ∫ f ρ dρ, each of evenly spaced points, all of one share. Friction against pure sliding
/// and against pure turning (2/3 mu N R) is exact; in between the limit surface is within
/// 0.2 % of the disc's with 3 rings of 16 points, 0.8 % with 2 of 10 (test_support).
/// @param rings   1 to 3
/// @param around  points of a ring, at least 3
/// @param points  out: rings * around
void gmc_support_disc(gmc_vec2 centre, double radius, double friction, int rings, int around,
                      gmc_support_point *points);

/// Points of a uniform pressure on a polygon: its pieces in triangles, each in `cuts`² like ones,
/// a point at the centroid of each with its area as share. The centroid is exact.
/// @param points  out, `capacity` of them; NULL: count only
/// @return how many points there are
int gmc_support_polygon(const gmc_polygon_pieces *pieces, double friction, int cuts,
                        gmc_support_point *points, int capacity);

#endif

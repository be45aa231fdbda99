/// The friction pyramid that stands in for Coulomb's cone in linear complementarity problems:
/// |r_T| <= mu r_N becomes "r_T in the regular polygon of radius mu r_N", inscribed in the disc.
///
/// It understates friction by up to 1 - cos(π/m) with m facets: 29 % with 4, 8 % with 8. Where
/// motion along t2 does not exist (in the plane) two facets are enough and exact: the polygon is
/// then the segment from -t1 to t1.
/// Source: [stewart1996], [anitescu1997].
#ifndef GMC_ENGINE_COMPLEMENTARITY_PYRAMID_H
#define GMC_ENGINE_COMPLEMENTARITY_PYRAMID_H

/// Corner k of `facets`, as a unit vector in (t1, t2); corner 0 is t1.
void gmc_pyramid_corner(int k, int facets, double d[2]);

/// Nearest point of the polygon of that radius >= 0. t and p may be the same.
/// @param facets  >= 2
void gmc_pyramid_project(const double t[2], double radius, int facets, double p[2]);

/// max d · w over the polygon of radius 1: what friction can take from a velocity.
double gmc_pyramid_reach(const double w[2], int facets);

/// The radius of the smallest such polygon that holds t; +inf: none does (two facets).
double gmc_pyramid_radius(const double t[2], int facets);

#endif

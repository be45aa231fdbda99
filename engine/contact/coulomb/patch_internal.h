/// Parts of patch.h, private to it.
#ifndef GMC_ENGINE_CONTACT_COULOMB_PATCH_INTERNAL_H
#define GMC_ENGINE_CONTACT_COULOMB_PATCH_INTERNAL_H

#include "engine/contact/coulomb/patch.h"

/// What of a convex loop has a value > 0.
void gmc_patch_clip(const gmc_patch_loop *from, gmc_patch_loop *to);

static inline double gmc_patch_field_at(gmc_patch_field f, double x, double y)
{
    return f.at_0 + f.along_x * x + f.along_y * y;
}

/// Add an area on which the depth is linear.
/// @param local   area to yy, about (x0, y0); the rest is not read
void gmc_patch_add_area(const gmc_patch_moments *local, double x0, double y0, gmc_patch_field depth,
                        gmc_patch_moments *m);

/// Add the triangle of the origin, a and b, counter-clockwise: area to yy, about the origin.
void gmc_patch_add_triangle(double ax, double ay, double bx, double by, gmc_patch_moments *m);

/// Add area to yy of something turned, about a point of another place.
/// @param c, s    cosine and sine of its turn
/// @param x, y    where it is
void gmc_patch_add_turned(const gmc_patch_moments *one, double c, double s, double x, double y,
                          gmc_patch_moments *m);

/// What of a loop is in the circle about the origin (patch_disc.c): area to yy about a point of it,
/// (*x0, *y0).
gmc_patch_moments gmc_patch_disc_part(const gmc_patch_loop *l, double radius, double *x0,
                                      double *y0);

/// Largest value of a field on that; -inf: there is nothing.
double gmc_patch_disc_most(const gmc_patch_loop *l, double radius, gmc_patch_field f);

/// Add what the patch's solid, a cylinder or a capsule, has below the ground (patch_round.c).
void gmc_patch_round_add(gmc_patch *patch, gmc_patch_field level, gmc_patch_moments *m);

#endif

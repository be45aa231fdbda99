/// Orientations of which nothing is known: uniform over all rotations.
#ifndef GMC_SAMPLING_RANDOM_ROTATION_H
#define GMC_SAMPLING_RANDOM_ROTATION_H

#include "engine/math/elementary.h"
// The unit quaternions are a 3-sphere; it is split into two circles whose radii are √(1−u0) and
// √u0. Uniform Euler angles would crowd the poles; rejection would take an unknown count of
// numbers.

/// A uniform rotation from three uniform numbers in [0, 1] [shoemake1992].
/// @param  quaternion  out: unit quaternion w, x, y, z (both signs occur)
static inline void gmc_rotation_uniform(double u0, double u1, double u2, double quaternion[4])
{
    double r1 = sqrt(1.0 - u0), r2 = sqrt(u0);
    double a1 = 2.0 * GMC_PI * u1, a2 = 2.0 * GMC_PI * u2;
    double s1, c1, s2, c2;
    gmc_sin_cos(a1, &s1, &c1);
    gmc_sin_cos(a2, &s2, &c2);
    quaternion[0] = r2 * c2;
    quaternion[1] = r1 * s1;
    quaternion[2] = r1 * c1;
    quaternion[3] = r2 * s2;
}

#endif

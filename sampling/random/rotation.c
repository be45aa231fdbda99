// The unit quaternions are a 3-sphere; it is split into two circles whose radii are √(1−u0) and
// √u0. Uniform Euler angles would crowd the poles; rejection would take an unknown count of
// numbers.
#include "sampling/random/rotation.h"

#include "engine/math/elementary.h"

void gmc_rotation_uniform(double u0, double u1, double u2, double quaternion[4])
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

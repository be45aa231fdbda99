/// Orientations of which nothing is known: uniform over all rotations.
#ifndef GMC_SAMPLING_RANDOM_ROTATION_H
#define GMC_SAMPLING_RANDOM_ROTATION_H

/// A uniform rotation from three uniform numbers in [0, 1] [shoemake1992].
/// @param  quaternion  out: unit quaternion w, x, y, z (both signs occur)
void gmc_rotation_uniform(double u0, double u1, double u2, double quaternion[4]);

#endif

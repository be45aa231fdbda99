// Shared by distribution.c, distribution_check.c and distribution_student.c: laws of the t kind.
#ifndef GMC_SAMPLING_RANDOM_DISTRIBUTION_INTERNAL_H
#define GMC_SAMPLING_RANDOM_DISTRIBUTION_INTERNAL_H

#include "sampling/random/distribution.h"

// Probability that the limits of a truncated law keep; 1 without limits.
double gmc_distribution_student_mass(const gmc_distribution *d);

// As the functions of distribution.h; u inside (0, 1).
double gmc_distribution_student_quantile(const gmc_distribution *d, double u);
double gmc_distribution_student_cdf(const gmc_distribution *d, double x);
void gmc_distribution_student_moments(const gmc_distribution *d, double *mean, double *variance);

#endif

/// How likely a distribution makes a value: what importance sampling weighs draws by.
#ifndef GMC_SAMPLING_RANDOM_DENSITY_H
#define GMC_SAMPLING_RANDOM_DENSITY_H

#include "sampling/random/distribution.h"

/// Is it a list of values (one_of, samples, a constant)? Its density is a probability.
bool gmc_density_is_list(const gmc_distribution *d);

/// Density at x [1 over the unit of x]; of a list the probability of exactly x. 0 outside the
/// support, whose ends belong to it.
double gmc_density_at(const gmc_distribution *d, double x);

/// Largest ratio of the density of `truth` to that of `proposal` over the support of `truth`, where
/// draws can fall (tails are cut at 2^-54, distribution.h): of lists exactly, else over some
/// thousand values, the ends among them. Infinite where the proposal does not reach, or vanishes.
double gmc_density_bound(const gmc_distribution *truth, const gmc_distribution *proposal);

#endif

/// First-order Sobol' indices from draws of a randomised design (Sobol', Latin hypercube), as
/// given.h has them of independent draws.
///
/// Draws of one randomisation are spread evenly over all inputs at once: means of neighbouring
/// draws scatter less than the draws' own spread tells, so that what given.h takes off for it is
/// too much. (Sobol' points taken for random ones: an index of 0.01 was held by its interval in
/// none of 400 runs of 4096 draws, one of 0.11 in 27 %.) Draws of different randomisations are
/// independent, so pairs of these within a group tell the mean square of the conditional mean
/// without bias:
///
///   S = B / V,   B = Σ_groups n_g / n · Σ y y' / pairs,   V = Σ y² / n      y from their mean,
///
/// the inner sum over the pairs of a group whose draws are of different randomisations; n draws in
/// groups of 16 (√n groups below 256 draws), of an outcome of two values as in given.h.
///
/// Interval: as in given.h, with the standard error of a jackknife [efron1981] over the
/// randomisations and Student's t.
#ifndef GMC_SAMPLING_EXPLAIN_GIVEN_REPLICAS_H
#define GMC_SAMPLING_EXPLAIN_GIVEN_REPLICAS_H

#include "sampling/estimate/replicas.h"
#include "sampling/explain/given.h"

/// @param rows           (count) sorted in place; draw d is of randomisation d mod replica_count
/// @param replica_count  from 2 to GMC_REPLICAS_MOST
/// @return NaN and [0, 1] for fewer than GMC_GIVEN_LEAST rows, fewer than GMC_GIVEN_RARE of one of
///         two outcomes, or if the outcome does not vary
gmc_index gmc_given_replicas_first(gmc_given_row *rows, int64_t count, int replica_count,
                                   double level);

#endif

/// Estimates over independent randomisations of a design (Sobol', Latin hypercube): the points of
/// one randomisation depend on each other, its mean is one number, and the spread of the means is
/// the error [owen1997; lecuyer2018]:
///
///   p = Σ s_r / Σ n_r,     p ± t_{R−1} se,    over randomisations r = 1 ... R, as cluster.h has it
///
/// Means of few successes or failures are far from normal. Where a randomisation has fewer than
/// five of either, the interval is widened to hold the one that takes the trials for random ones,
/// and flagged.
#ifndef GMC_SAMPLING_ESTIMATE_REPLICAS_H
#define GMC_SAMPLING_ESTIMATE_REPLICAS_H

#include "sampling/estimate/estimate.h"

/// Randomisations that make a t interval.
enum { GMC_REPLICAS_LEAST = 16, GMC_REPLICAS_MOST = 64 };

/// Trials of a design as if they were random: Clopper-Pearson's interval; of a design in blocks of
/// `block` > 1 trials that depend on each other, from its bounds on the share of blocks with any
/// failure, and with any success, which are at most as many as failures and successes.
gmc_estimate gmc_replicas_plain(gmc_tally all, int64_t block, double level);

/// @param replicas  (count) trials of each randomisation
/// @param plain     estimate of all of them together as if they were random, at the level asked for
gmc_estimate gmc_replicas_estimate(const gmc_tally *replicas, int count, const gmc_estimate *plain);

#endif

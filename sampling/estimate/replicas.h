/// Estimates over independent randomisations of a design (Sobol', Latin hypercube): the points of
/// one randomisation depend on each other, its mean is one number, and the spread of the means is
/// the error [owen1997; lecuyer2018]:
///
///   p = Σ s_r / Σ n_r over randomisations r = 1 ... R, its variance v as cluster.h has it
///
/// The interval is Korn and Graubard's, effective.h, with R − 1 degrees of freedom and one unit (a
/// draw with all its cases, or a block) more allowed for. It keeps what the design gains down to
/// one failure a randomisation: t from R means was widened to the interval of random trials where
/// one of them had fewer than five.
///
/// Means of few failures are steps of one unit: sixteen randomisations may all have one failure
/// where 0.96 are expected. v is then 0 and knows nothing of the share of randomisations that would
/// have had another count; with none of R seen it is below 1 − ((1 − level)/2)^(1/R), so half the
/// interval is at least R times that of a unit.
///
/// Rejected: less than one unit more where the counts spread widely (nothing from a variance of
/// their sum of 4 units^2 on; 1/V of a unit), or none. Widths fall by 5 to 14 %, but failures in a
/// corner of one or two inputs (p 0.90 and 0.95, n 256 and 512) are held in 0.89 to 0.92 of 1000
/// studies, for 0.97 with a whole unit: their counts are two neighbours, one of them rare.
///
/// Never wider than the interval that takes the trials for random ones: the design's variance is
/// not larger, up to what a hypercube's last point costs, so that one holds as well; where it is
/// the shorter one it is taken.
#ifndef GMC_SAMPLING_ESTIMATE_REPLICAS_H
#define GMC_SAMPLING_ESTIMATE_REPLICAS_H

#include "sampling/estimate/estimate.h"

/// Randomisations that make an interval.
enum { GMC_REPLICAS_LEAST = 16, GMC_REPLICAS_MOST = 64 };

/// Trials of a design as if they were random: the interval of gmc_estimate_of; of a design in
/// blocks of `block` > 1 trials that depend on each other, from Clopper and Pearson's bounds on the
/// share of blocks with any failure, and with any success, which are at most as many as failures
/// and successes.
gmc_estimate gmc_replicas_plain(gmc_tally all, int64_t block, double level);

/// @param replicas  (count) trials of each randomisation
/// @param units     draws of all of them, or blocks: what is independent in random trials
/// @param plain     estimate of all of them together as if they were random, at the level asked for
gmc_estimate gmc_replicas_estimate(const gmc_tally *replicas, int count, int64_t units,
                                   const gmc_estimate *plain);

#endif

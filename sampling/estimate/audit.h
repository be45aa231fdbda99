/// How often a cheap level is wrong: of the trials that it spared a design, the share that would
/// have succeeded at full fidelity.
///
///   K^ / m = k / a           ratio estimate; unbiased for every a > 0
///
/// m trials were spared; each was audited with the same probability, independently of the others
/// and of how it would have ended, so that the a audited ones are, given their number, a sample
/// without replacement; k of them succeeded. Source: [sarndal1992], Bernoulli sampling.
///
/// The interval: given K successes among the spared trials, k is hypergeometric (m, K, a), so the
/// ends are the least and the largest K that are compatible with k at half the risk each, as
/// Clopper and Pearson have it for the share. It covers at every K, is conservative because k is a
/// whole number, and has no length only where all were audited.
///
/// Tried before: the inverse of the probability in place of m / a [horvitz1952]. It forgets how
/// many were audited, and cut at what is possible it is biased: 0.72 for 0.87 of 160 trials at 2 %.
///
/// Audited trials without a verdict (u) are not among the a of the estimate; they count as failures
/// for the lower end, as successes for the upper one.
#ifndef GMC_SAMPLING_ESTIMATE_AUDIT_H
#define GMC_SAMPLING_ESTIMATE_AUDIT_H

#include "sampling/estimate/proportion.h"

#include <stdint.h>

/// The counts behind an estimate.
typedef struct gmc_audit_counts {
    int64_t spared;               ///< m
    int64_t audited, works, open; ///< of the spared: looked at, k, u
} gmc_audit_counts;

typedef struct gmc_audit_estimate {
    double p;              ///< k / a; NaN: none audited that has a verdict
    gmc_interval interval; ///< of K / m; [0, 1]: none audited
} gmc_audit_estimate;

/// @param level  0 < level < 1
gmc_audit_estimate gmc_audit_estimate_of(const gmc_audit_counts *counts, double level);

#endif

/// Success at full fidelity where cheap levels spared most trials of some designs: those that were
/// run count as they are, the audited ones of the spared by the inverse of their probability.
///
///   S^ = s + k / pi          Horvitz-Thompson estimate of the successes among n + m trials
///   V^ = k (1 - pi) / pi²    its variance, estimated
///
/// n trials were run at full fidelity (s successes), m were spared; each of these was audited with
/// probability pi, independently of the others and of how it would have ended, and k of the audited
/// succeeded. Sources: [horvitz1952]; equal and independent probabilities: Bernoulli sampling,
/// [sarndal1992].
///
/// The interval does not use V^, which is 0 where no audited trial succeeded: given K successes
/// among the spared trials, k is binomial (K, pi), so the ends are the least and the largest K that
/// are compatible with k at half the risk each, as Clopper and Pearson have it for the share. It
/// covers at every K, and is conservative because k is a whole number.
///
/// What is estimated is the number of successes had every one of the n + m trials been run: chance
/// is that of the audit alone. Audited trials without a verdict (u) count as spared trials that
/// failed for the lower end and for p, as successes for the upper end.
#ifndef GMC_SAMPLING_ESTIMATE_AUDIT_H
#define GMC_SAMPLING_ESTIMATE_AUDIT_H

#include "sampling/estimate/proportion.h"

#include <stdint.h>

/// The counts behind an estimate.
typedef struct gmc_audit_counts {
    int64_t run, run_works;       ///< n, s: decided trials
    int64_t spared;               ///< m
    int64_t audited, works, open; ///< of the spared: looked at, k, u
    double share;                 ///< pi
} gmc_audit_counts;

typedef struct gmc_audit_estimate {
    double successes;      ///< S^, unbiased; it may exceed what there can be
    double p;              ///< S^ / (n + m), at most what there can be; NaN if there are no trials
    gmc_interval interval; ///< of the share of successes
    double deviation;      ///< sqrt(V^) / (n + m)
} gmc_audit_estimate;

/// @param level  0 < level < 1
/// @return with spared trials and none audited: [s / (n + m), (s + m) / (n + m)] or tighter, as far
///         as chance (pi > 0) says
gmc_audit_estimate gmc_audit_estimate_of(const gmc_audit_counts *counts, double level);

#endif

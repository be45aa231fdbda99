/// How sure the difference of two success probabilities is, second minus first.
///
/// Pairs of trials that share their chance are told by four counts: both succeed, only the first,
/// only the second, neither. Only the second and third speak of the difference,
///
///   d = (only_second − only_first) / pairs
///
/// and trials that share chance mostly agree, so that d is known far better than either
/// probability. Sources: score interval [tango1998]; test [mcnemar1947] in its exact mid-p form
/// [fagerland2013]; independent samples [newcombe1998], with other intervals than Wilson's
/// [zou2008].
#ifndef GMC_SAMPLING_ESTIMATE_DIFFERENCE_H
#define GMC_SAMPLING_ESTIMATE_DIFFERENCE_H

#include "sampling/estimate/estimate.h"
#include "sampling/estimate/proportion.h"

#include <stdint.h>

/// Tango's score interval for independent pairs: all differences that a two-sided score test would
/// not reject. Never of length 0, and within [−1, 1]; each end to 1e-15.
/// @param only_first, only_second  >= 0, together at most `pairs`
/// @return [−1, 1] without pairs
gmc_interval gmc_difference_tango(int64_t only_first, int64_t only_second, int64_t pairs,
                                  double level);

/// Two-sided probability that chance alone divides `first` + `second` differing units so unevenly
/// or more, were both kinds equally likely; a division as uneven as this one counts half (mid-p).
/// @return 1 without any; relative error < 1e-10
double gmc_difference_mid_p(int64_t first, int64_t second);

/// Newcombe's hybrid of the intervals of two independent estimates, whatever their method:
///
///   lower = d − √((p₂ − l₂)² + (u₁ − p₁)²),    upper = d + √((u₂ − p₂)² + (p₁ − l₁)²)
///
/// of their decided trials (gmc_estimate_sampling). The level is that of the two. [−1, 1] where
/// either has no decided trial.
gmc_interval gmc_difference_apart(const gmc_estimate *first, const gmc_estimate *second);

/// Ends subtracted, [l₂ − u₁, u₂ − l₁]: holds whenever both intervals do, however they depend on
/// each other; intervals at (1 + level)/2 make it one at `level`. For intervals that may be looked
/// at after every trial.
static inline gmc_interval gmc_difference_bounds(const gmc_estimate *first,
                                                 const gmc_estimate *second)
{
    return (gmc_interval){second->lower - first->upper, second->upper - first->lower};
}

#endif

/// How sure a success probability is after n independent trials: two-sided intervals for a binomial
/// proportion. For trials that share chance (several cases on the same draws) use cluster.h.
#ifndef GMC_SAMPLING_ESTIMATE_PROPORTION_H
#define GMC_SAMPLING_ESTIMATE_PROPORTION_H

#include "engine/base/check.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct gmc_interval {
    double lower, upper;
} gmc_interval;

/// Standard normal quantile that belongs to a two-sided level: 1.96 for 0.95.
double gmc_proportion_z(double level);

/// Wilson's score interval [wilson1927]: covers the truth `level` of the time on average over p,
/// and less where few successes or failures are expected. Exactly 0 and 1 at 0 and n successes on
/// that side; [0, 1] for n = 0.
/// @param  successes  0 <= successes <= n
/// @param  level      0 < level < 1
gmc_interval gmc_proportion_wilson(int64_t successes, int64_t n, double level);

/// The same with the quantile computed beforehand: a handful of operations, for progress displays.
gmc_interval gmc_proportion_wilson_z(int64_t successes, int64_t n, double z);

/// Clopper-Pearson's interval [clopper1934]: covers the truth at least `level` of the time for
/// every p. Each end leaves (1 − level)/2; at 0 and n successes the end on that side is 0 or 1 and
/// the other one still leaves (1 − level)/2. Relative error of the lower end and of
/// 1 − upper < 1e-10.
gmc_interval gmc_proportion_clopper_pearson(int64_t successes, int64_t n, double level);

/// Upper end of Clopper-Pearson's one-sided interval: p is below it at least `level` of the time
/// for every p. What is left is all on this side, so that 0 of n gives 1 − (1 − level)^(1/n).
/// @return 1 for n = 0 and for n successes
double gmc_proportion_upper(int64_t successes, int64_t n, double level);

/// Fewest successes, and fewest failures, for which Wilson's interval is taken: with fewer of
/// either Clopper and Pearson's. So joined they cover at least 94 %, summed over all outcomes, for
/// every p and each n looked at (test/statistics/test_few_failures.c); Wilson's alone 83.8 % where
/// 0.18 failures are expected, and the two 93.5 % if they change places at 20, 93.8 % at 40. At 55
/// the exact interval is 6 % longer than Wilson's.
enum { GMC_PROPORTION_FEW = 55 };

/// Are they too few for Wilson's interval? Shares of weighted trials need not be whole numbers.
/// What is no number is few.
static inline bool gmc_proportion_is_few(double successes, double failures)
{
    return !(successes >= GMC_PROPORTION_FEW && failures >= GMC_PROPORTION_FEW);
}

/// Wilson's interval, Clopper and Pearson's where successes or failures are few: the interval that
/// gmc_estimate_of gives decided trials alone, for what has no tally.
gmc_interval gmc_proportion_either(int64_t successes, int64_t n, double level);

/// Independent units (draws, pairs of a randomisation, effects, blocks) that must have changed
/// for an interval by t: an end that fewer of them speak for is widened to what Clopper and
/// Pearson's interval of their number leaves (paired.h, weighted.h, explain/effects.h,
/// explain/indices.h).
enum { GMC_PROPORTION_T_LEAST = 5 };

/// Where the proportion would lie had all unsolved trials failed, and had all succeeded.
/// @return [0, 1] if there is no trial at all
static inline gmc_interval gmc_proportion_unsolved(int64_t successes, int64_t decided,
                                                   int64_t unsolved)
{
    GMC_ASSERT(successes >= 0 && successes <= decided && unsolved >= 0);
    double n = (double)(decided + unsolved);
    if (n == 0.0) return (gmc_interval){0.0, 1.0};
    return (gmc_interval){(double)successes / n, (double)(successes + unsolved) / n};
}

#endif

/// Intervals that may be looked at after every trial: a confidence sequence covers the truth at all
/// looks together `level` of the time, so that a run may stop because of what it sees. (Wilson's
/// interval, looked at 100 times, misses the truth in 37 % of runs.) It is wider than an interval
/// for a number of trials fixed beforehand: about 1.5 times after a thousand trials.
///
/// Draws in, in the order of their numbers; the interval now out. Constant memory.
///
/// - One case: a bound on each side from the wealth of one who bets that the probability lies
///   beyond it, mixed over all that he might bet on [robbins1970; ville1939]:
///     W(p) = ∫ (θ/p)^s ((1−θ)/(1−p))^f dπ(θ | θ > p),   π = Beta(1/2, 1/2)
///   is a martingale under p and a supermartingale below it, hence reaches 2/(1 − level) with a
///   probability of at most (1 − level)/2. The lower end is the p at which it does; the upper end
///   likewise with failures. It depends on the counts alone.
/// - Several cases: the draw is the unit (cluster.h), its mean over the cases a number in [0, 1]
///   with any distribution: the empirical Bernstein sequence with predictable plug-ins
///   [waudbysmith2024].
///
/// Unsolved trials count as failures for the lower end and as successes for the upper one: the
/// interval holds whatever they would have been, and a verdict taken from it does too.
#ifndef GMC_SAMPLING_ESTIMATE_ANYTIME_H
#define GMC_SAMPLING_ESTIMATE_ANYTIME_H

#include "sampling/estimate/proportion.h"
#include "sampling/estimate/tally.h"

/// One of the two sequences of a mean: all unsolved trials failed, or all succeeded.
typedef struct gmc_anytime_mean {
    double sum;       ///< Σ x
    double variation; ///< Σ (x_i − mean of the first i)²
    double weight;    ///< Σ λ
    double weighted;  ///< Σ λ x
    double penalty;   ///< Σ v ψ(λ)
} gmc_anytime_mean;

typedef struct gmc_anytime {
    int64_t case_count;
    double level;
    int64_t draws;
    gmc_tally tally;
    gmc_anytime_mean low, high; ///< used with several cases
} gmc_anytime;

/// Empty, for `case_count` >= 1 cases and 0 < level < 1.
gmc_anytime gmc_anytime_start(int64_t case_count, double level);

/// Take in the next draw: all its cases.
void gmc_anytime_add(gmc_anytime *anytime, gmc_tally draw);

/// [0, 1] before the first draw; each end within 1e-9 of what the formulas give.
gmc_interval gmc_anytime_interval(const gmc_anytime *anytime);

/// Of one case, its lower end alone: it is above the probability at any of the looks with a
/// probability of at most `error`. Successes and failures exchanged: 1 − the upper end. Within 1e-7
/// of what the formula gives, and never above it.
double gmc_anytime_lower(int64_t successes, int64_t failures, double error);

#endif

/// A small probability from independent repetitions of a method, each of which errs by a factor:
/// runs of subset simulation. Their estimates are nearly lognormal, so the interval is that of the
/// mean of a lognormal law by Cox's method [olsson2005], with Student's t:
///
///   log p ± t √(s²/R + s⁴/(2 (R − 1))),     p = mean,  s² variance of the R logarithms
///
/// around the logarithm of the mean itself. Where a repetition found nothing, the logarithm of it
/// does not exist: then p ± t se on the mean, from 0, and flagged. How far that reaches up says
/// little where most found nothing, and nothing where all did. Plain draws that were made on the
/// way know better: the upper end is then never below Clopper's and Pearson's of these, which alone
/// is right, however the repetitions went.
#ifndef GMC_SAMPLING_ESTIMATE_REPEATS_H
#define GMC_SAMPLING_ESTIMATE_REPEATS_H

#include "sampling/estimate/proportion.h"

#include <stdbool.h>

typedef struct gmc_repeats_estimate {
    double p;              ///< mean of the repetitions
    double variation;      ///< standard error over p; NaN: p is 0, or one repetition
    gmc_interval interval; ///< [0, 1] of one repetition
    bool is_widened;       ///< a repetition found nothing
} gmc_repeats_estimate;

/// @param values  (count) probabilities, count >= 1
gmc_repeats_estimate gmc_repeats_estimate_of(const double *values, int count, double level);

/// What else the repetitions know.
typedef struct gmc_repeats_draws {
    int64_t hits, draws; ///< plain draws of all repetitions, and how many of them hit
    double reached;      ///< how likely their last set of points is, on average; 0 where that is
                         ///< plain draws
    int points;          ///< of that set in one repetition, which stands for all: they resemble
} gmc_repeats_draws;

/// The same, bounded by plain draws where a repetition found nothing; where all found nothing, also
/// by `reached` times Clopper's and Pearson's upper end for none of `points`.
gmc_repeats_estimate gmc_repeats_bounded(const double *values, int count,
                                         const gmc_repeats_draws *draws, double level);

#endif

/// Mean and spread of a series of numbers, taken in one by one in their order (so that the bits do
/// not depend on who computed them), by Welford's recurrence [welford1962].
#ifndef GMC_SAMPLING_ESTIMATE_MOMENTS_H
#define GMC_SAMPLING_ESTIMATE_MOMENTS_H

#include "sampling/estimate/proportion.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/// Zero-initialised means empty.
typedef struct gmc_moments {
    int64_t count;
    double mean;
    double squares;     ///< sum of squared distances from the mean
    double least, most; ///< 0 while empty
    int64_t not_finite; ///< NaN and infinite values, left out of all of the above
} gmc_moments;

void gmc_moments_add(gmc_moments *moments, double value);

/// Standard deviation with count − 1; NaN below two values.
static inline double gmc_moments_sd(const gmc_moments *moments)
{
    return moments->count < 2 ? (double)NAN : sqrt(moments->squares / (double)(moments->count - 1));
}

/// Student's interval for the mean; (−∞, +∞) below two values. Honest for values that are not far
/// from normal or numerous.
/// @param  level  coverage asked for, 0 < level < 1
gmc_interval gmc_moments_interval(const gmc_moments *moments, double level);

enum { GMC_TAIL_ENOUGH = 100 };

/// Sums of powers of distances from the mean [pebay2008]. Zero-initialised means empty.
typedef struct gmc_tail {
    double count, mean;
    double sums[3]; ///< of squares, cubes, fourth powers
} gmc_tail;

/// Not finite: passed over.
void gmc_tail_add(gmc_tail *tail, double value);

/// n_v; 0 if nothing varies.
static inline double gmc_tail_draws(const gmc_tail *tail)
{
    return tail->sums[2] > 0 ? tail->sums[0] * tail->sums[0] / tail->sums[2] : 0;
}

static inline bool gmc_tail_is_heavy(const gmc_tail *tail)
{
    static const double KURTOSIS = 4; // of a law without tails: at most; the normal one has 3
    double draws = gmc_tail_draws(tail);
    return draws > 0 && draws < GMC_TAIL_ENOUGH && KURTOSIS * draws < tail->count;
}

/// Is an interval for the mean by Student's t too short? By Cochran's rule [cochran1977, §2.15] it
/// misses in less than 6 % for 5 % with more than 25 G1² values, G1 their skewness. Of what does
/// not vary it has no length, so yes.
bool gmc_tail_is_skewed(const gmc_tail *tail);

#endif

/// Mean and spread of a series of numbers, taken in one by one in their order (so that the bits do
/// not depend on who computed them), by Welford's recurrence [welford1962].
#ifndef GMC_SAMPLING_ESTIMATE_MOMENTS_H
#define GMC_SAMPLING_ESTIMATE_MOMENTS_H

#include "sampling/estimate/proportion.h"

#include <math.h>
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

#endif

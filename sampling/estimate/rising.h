/// Numbers in rising order: sorting them, and counting those up to a number.
#ifndef GMC_SAMPLING_ESTIMATE_RISING_H
#define GMC_SAMPLING_ESTIMATE_RISING_H

#include <stdint.h>

/// Sort; NaN has no place among them.
void gmc_rising_sort(double *values, int64_t count);

/// Of rising values: how many are below x.
int64_t gmc_rising_below(const double *values, int64_t count, double x);

/// Of rising values: how many are at most x.
int64_t gmc_rising_to(const double *values, int64_t count, double x);

#endif

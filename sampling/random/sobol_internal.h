#ifndef GMC_SAMPLING_RANDOM_SOBOL_INTERNAL_H
#define GMC_SAMPLING_RANDOM_SOBOL_INTERNAL_H

#include "sampling/random/sobol.h"

enum { GMC_SOBOL_DEGREE_MAX = 10 };

/// One dimension: sobol_numbers.c.
typedef struct gmc_sobol_numbers {
    unsigned polynomial;
    unsigned first[GMC_SOBOL_DEGREE_MAX]; ///< (degree) odd, first[k] < 2^(k+1)
} gmc_sobol_numbers;

extern const gmc_sobol_numbers gmc_sobol_table[GMC_SOBOL_DIMENSIONS];

#endif

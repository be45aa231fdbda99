/// What measurements leave known of the next one: posterior predictive laws.
///
/// Measurements x_1 ... x_n scatter by a normal law (of x, or of log x) whose mean and variance are
/// both unknown. With the usual reference prior, density 1/σ² in (μ, σ²), the next one is
///
///   x̃ = x̄ + s √(1 + 1/n) t,   t of Student's law with n − 1 degrees of freedom,
///
/// x̄ and s² the mean and the variance (n − 1) of the sample. Its intervals are right in the sense
/// of frequencies too: the next measurement lies in the interval of 95 % in 95 % of all
/// experiments. Source: [gelman2013], §3.2.
#ifndef GMC_SAMPLING_ESTIMATE_FIT_H
#define GMC_SAMPLING_ESTIMATE_FIT_H

#include "sampling/random/distribution.h"

#include <string.h>

/// Two would be enough for the formula; their Student law of one degree of freedom has tails that
/// no mechanics survives.
enum { GMC_FIT_ROWS_MIN = 3 };

typedef struct gmc_fit_family {
    const char *name; ///< "normal", "lognormal"
    /// @param values  (count), count >= GMC_FIT_ROWS_MIN, finite
    /// @param fitted  out: of type STUDENT or LOG_STUDENT; of no use after a complaint
    /// @param hint    out, after a complaint: what to do about it; a static text
    /// @return        NULL, or what is wrong with the values, a static sentence
    const char *(*fit)(const double *values, int count, gmc_distribution *fitted,
                       const char **hint);
} gmc_fit_family;

extern const gmc_fit_family gmc_fit_families[];
extern const int gmc_fit_family_count;

/// By name; NULL if there is none.
static inline const gmc_fit_family *gmc_fit_find(const char *name)
{
    for (int i = 0; i < gmc_fit_family_count; i++)
        if (strcmp(gmc_fit_families[i].name, name) == 0) return &gmc_fit_families[i];
    return NULL;
}

#endif

/// What is uncertain, as a value: one number u in [0, 1) in, one value out (or several u for the few that
/// need them). Drawn by inversion, so that designs other than random can supply u.
#ifndef GMC_SAMPLING_RANDOM_DISTRIBUTION_H
#define GMC_SAMPLING_RANDOM_DISTRIBUTION_H

#include <stdbool.h>

typedef enum gmc_distribution_type {
    GMC_DISTRIBUTION_CONSTANT,   ///< p[0]
    GMC_DISTRIBUTION_UNIFORM,    ///< p[0] lower, p[1] upper
    GMC_DISTRIBUTION_NORMAL,     ///< p[0] mean, p[1] standard deviation > 0
    GMC_DISTRIBUTION_LOGNORMAL,  ///< p[0] median > 0, p[1] coefficient of variation > 0
    GMC_DISTRIBUTION_TRIANGULAR, ///< p[0] lower, p[1] mode, p[2] upper
    GMC_DISTRIBUTION_DISCRETE,   ///< values with weights
    GMC_DISTRIBUTION_EMPIRICAL,  ///< values, each as likely as the other (samples of a CSV column)
    GMC_DISTRIBUTION_TYPE_COUNT
} gmc_distribution_type;

typedef struct gmc_distribution {
    gmc_distribution_type type;
    double p[3];
    bool is_truncated;         ///< normal, lognormal: conditioned on [lower, upper]
    double lower, upper;       ///< of the truncation
    const double *values;      ///< discrete, empirical: (value_count), not owned
    const double *weights;     ///< discrete: (value_count) > 0, need not sum to 1; NULL: equal
    int value_count;
} gmc_distribution;

#endif

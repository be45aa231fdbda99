/// What is uncertain, as a value: one number u in [0, 1) in, one value out. Drawn by inversion, so
/// that designs other than random can supply u, and equal u gives comparable values across cases.
///
/// Values carry whatever SI unit the parameter has; probabilities and shapes have none.
#ifndef GMC_SAMPLING_RANDOM_DISTRIBUTION_H
#define GMC_SAMPLING_RANDOM_DISTRIBUTION_H

#include "sampling/random/stream.h"

#include <math.h>
#include <stdbool.h>

typedef enum gmc_distribution_type {
    GMC_DISTRIBUTION_CONSTANT,    ///< p[0]
    GMC_DISTRIBUTION_UNIFORM,     ///< p[0] lower, p[1] upper
    GMC_DISTRIBUTION_NORMAL,      ///< p[0] mean, p[1] standard deviation > 0
    GMC_DISTRIBUTION_LOGNORMAL,   ///< p[0] median > 0, p[1] coefficient of variation > 0
    GMC_DISTRIBUTION_TRIANGULAR,  ///< p[0] lower, p[1] mode, p[2] upper
    GMC_DISTRIBUTION_DISCRETE,    ///< values with weights
    GMC_DISTRIBUTION_EMPIRICAL,   ///< values, each as likely as the other (samples of a CSV column)
    GMC_DISTRIBUTION_STUDENT,     ///< p[0] middle, p[1] scale > 0, p[2] degrees of freedom > 0
    GMC_DISTRIBUTION_LOG_STUDENT, ///< the same of log x; p[0] median of x > 0
    GMC_DISTRIBUTION_TYPE_COUNT
} gmc_distribution_type;

typedef struct gmc_distribution {
    gmc_distribution_type type;
    double p[3];
    bool is_truncated;     ///< normal, lognormal, Student: conditioned on [lower, upper]
    double lower, upper;   ///< of the truncation; −∞, +∞: open on that side
    const double *values;  ///< discrete, empirical: (value_count), not owned
    const double *weights; ///< discrete: (value_count) > 0, need not sum to 1; NULL: equal
    int value_count;
} gmc_distribution;

/// Which argument a complaint of gmc_distribution_check is about.
typedef enum gmc_distribution_argument {
    GMC_ARGUMENT_NONE = -1, ///< nothing is wrong
    GMC_ARGUMENT_0 = 0,     ///< p[0]
    GMC_ARGUMENT_1 = 1,     ///< p[1]
    GMC_ARGUMENT_2 = 2,     ///< p[2]
    GMC_ARGUMENT_LOWER = 3, ///< of the truncation
    GMC_ARGUMENT_UPPER = 4,
    GMC_ARGUMENT_VALUES = 5,
    GMC_ARGUMENT_WEIGHTS = 6,
} gmc_distribution_argument;

/// What is known of a law: a row of the table of distributions. Functions are those of the same
/// name below, of a distribution that passes `check`.
typedef struct gmc_distribution_law {
    const char *name;   ///< "discrete": statistics' word
    const char *word;   ///< as the scenario language lists it: "one_of"; "": the number alone
    int argument_count; ///< of p
    bool has_tails;     ///< no bounds but those of a truncation: such laws can be truncated
    bool is_positive;   ///< of those: one of positive numbers
    bool is_list;       ///< single values, each with a probability
    const char *(*check)(const gmc_distribution *d,
                         gmc_distribution_argument *argument); ///< beyond finite; NULL: nothing
    double (*quantile)(const gmc_distribution *d, double u);   ///< 0 <= u <= 1
    double (*at_score)(const gmc_distribution *d, double z);   ///< not truncated; NULL: by quantile
    double (*cdf)(const gmc_distribution *d, double x);
    double (*density)(const gmc_distribution *d, double x); ///< of lists the probability of x
    void (*moments)(const gmc_distribution *d, double *mean, double *variance);
} gmc_distribution_law;

/// By gmc_distribution_type.
extern const gmc_distribution_law gmc_distribution_laws[];

/// What is wrong with the numbers, as a sentence without the number found ("the standard deviation
/// must be > 0"); NULL if all is well. Everything below asks for a distribution that passes.
/// @param  argument  out: what the sentence is about; may be NULL
/// @return           static text
const char *gmc_distribution_check(const gmc_distribution *d, gmc_distribution_argument *argument);

/// "normal", "discrete", ...: the law's name. Static text.
const char *gmc_distribution_name(gmc_distribution_type type);

/// Value that is not exceeded with probability u. Non-decreasing in u, finite, inside the support.
/// An unbounded tail is cut at 2^-54 (8.3 standard deviations of a normal), the middle of the cell
/// around 0 of a u with 53 bits; u outside [0, 1] counts as the nearest end. A log-Student is cut
/// at e^-700 and e^700, which few degrees of freedom can pass.
double gmc_distribution_quantile(const gmc_distribution *d, double u);

/// EMPIRICAL, DISCRETE without weights: which of its values that is, from 0.
static inline int gmc_distribution_row(const gmc_distribution *d, double u)
{
    int i = (int)floor(u * d->value_count);
    return i < d->value_count ? i : d->value_count - 1;
}

/// Value at a normal score z: the quantile of Φ(z), and mean + sd z itself where the law is normal,
/// so that scores that were made from others (correlation.h) lose no digits in the tails.
double gmc_distribution_at_score(const gmc_distribution *d, double z);

/// Value at (stream, index): gmc_distribution_quantile of gmc_stream_uniform. What a trial takes is
/// addressed in the same way, with its u from the run's design (scenario/perturb.c).
double gmc_distribution_draw(const gmc_distribution *d, gmc_stream stream, uint64_t index);

/// P(X <= x).
double gmc_distribution_cdf(const gmc_distribution *d, double x);

/// Mean and standard deviation, by which the laws are checked (nothing else asks): closed forms;
/// the truncated laws by quadrature, relative error < 1e-11. Infinite or NaN where a Student law
/// has none; NaN for its truncated forms.
double gmc_distribution_mean(const gmc_distribution *d);

double gmc_distribution_sd(const gmc_distribution *d);

/// Where default histogram edges go: the support where it is bounded, the 0.1 % and 99.9 %
/// quantiles on a side where it is not. A property of the law, never of a sample: results of two
/// runs share their edges. Constant laws give lower = upper.
void gmc_distribution_range(const gmc_distribution *d, double *lower, double *upper);

/// Is it a list of values (one_of, samples, a constant)? Its density is a probability.
static inline bool gmc_distribution_is_list(const gmc_distribution *d)
{
    return gmc_distribution_laws[d->type].is_list;
}

/// Density at x [1 over the unit of x]; of a list the probability of exactly x. 0 outside the
/// support, whose ends belong to it.
double gmc_distribution_density(const gmc_distribution *d, double x);

/// Largest ratio of the density of `truth` to that of `proposal` over the support of `truth`, where
/// draws can fall (tails are cut at 2^-54, gmc_distribution_quantile): of lists exactly, else over
/// some thousand values, the ends among them. Infinite where the proposal does not reach, or
/// vanishes.
double gmc_distribution_density_bound(const gmc_distribution *truth,
                                      const gmc_distribution *proposal);

#endif

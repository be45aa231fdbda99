// What a user can get wrong in a distribution. Apart from distribution.c because it is read by
// people who look for a message, not for mathematics.
#include "engine/math/elementary.h"
#include "sampling/random/distribution_internal.h"

#include <math.h>
#include <stddef.h>

// beyond this a truncation keeps no more than a rounding error of room in a double
static const double TAIL_MAX = 1e6;

static const char *complain(gmc_distribution_argument which, gmc_distribution_argument *argument,
                            const char *text)
{
    if (argument) *argument = which;
    return text;
}

static const char *check_uniform(const double *p, gmc_distribution_argument *argument)
{
    if (!(p[0] < p[1]))
        return complain(GMC_ARGUMENT_1, argument, "the upper end must be > the lower end");
    if (!isfinite(p[1] - p[0])) return complain(GMC_ARGUMENT_1, argument, "the range is too wide");
    return NULL;
}

static const char *check_triangular(const double *p, gmc_distribution_argument *argument)
{
    if (!(p[0] < p[2]))
        return complain(GMC_ARGUMENT_2, argument, "the upper end must be > the lower end");
    if (!isfinite(p[2] - p[0])) return complain(GMC_ARGUMENT_2, argument, "the range is too wide");
    if (!(p[0] <= p[1] && p[1] <= p[2]))
        return complain(GMC_ARGUMENT_1, argument, "the mode must lie between the ends");
    return NULL;
}

static const char *check_limits(const gmc_distribution *d, gmc_distribution_argument *argument)
{
    if (isnan(d->lower))
        return complain(GMC_ARGUMENT_LOWER, argument, "the lower limit must be a number");
    if (isnan(d->upper))
        return complain(GMC_ARGUMENT_UPPER, argument, "the upper limit must be a number");
    if (!(d->lower < d->upper))
        return complain(GMC_ARGUMENT_UPPER, argument, "the upper limit must be > the lower limit");
    if (gmc_distribution_is_positive(d->type) && !(d->upper > 0.0))
        return complain(GMC_ARGUMENT_UPPER, argument, "the upper limit of a lognormal must be > 0");
    return NULL;
}

static const char *check_truncation(const gmc_distribution *d, gmc_distribution_argument *argument)
{
    if (!d->is_truncated) return NULL;
    const char *complaint = check_limits(d, argument);
    if (complaint) return complaint;
    bool is_log = d->type == GMC_DISTRIBUTION_LOGNORMAL;
    double middle = is_log ? gmc_log(d->p[0]) : d->p[0];
    double sd = is_log ? sqrt(gmc_log1p(d->p[1] * d->p[1])) : d->p[1];
    double lower = is_log ? (d->lower > 0.0 ? gmc_log(d->lower) : -HUGE_VAL) : d->lower;
    double upper = is_log ? gmc_log(d->upper) : d->upper;
    if ((lower - middle) / sd > TAIL_MAX)
        return complain(GMC_ARGUMENT_LOWER, argument,
                        "the limits lie more than a million standard deviations above the middle");
    if ((middle - upper) / sd > TAIL_MAX)
        return complain(GMC_ARGUMENT_UPPER, argument,
                        "the limits lie more than a million standard deviations below the middle");
    return NULL;
}

static const char *check_normal(const gmc_distribution *d, gmc_distribution_argument *argument)
{
    if (!(d->p[1] > 0.0))
        return complain(GMC_ARGUMENT_1, argument, "the standard deviation must be > 0");
    return check_truncation(d, argument);
}

static const char *check_lognormal(const gmc_distribution *d, gmc_distribution_argument *argument)
{
    if (!(d->p[0] > 0.0)) return complain(GMC_ARGUMENT_0, argument, "the median must be > 0");
    if (!(d->p[1] > 0.0))
        return complain(GMC_ARGUMENT_1, argument, "the coefficient of variation must be > 0");
    // 1e6: the largest drawn value is then e^44 times the median; more is a mistyped unit
    if (d->p[1] > 1e6)
        return complain(GMC_ARGUMENT_1, argument, "the coefficient of variation must be <= 1e6");
    return check_truncation(d, argument);
}

static const char *check_student(const gmc_distribution *d, gmc_distribution_argument *argument)
{
    // below this the quantiles inside of the limits are made of rounding errors
    static const double MASS_MIN = 1e-12;
    bool is_log = d->type == GMC_DISTRIBUTION_LOG_STUDENT;
    if (is_log && !(d->p[0] > 0.0))
        return complain(GMC_ARGUMENT_0, argument, "the median must be > 0");
    if (!(d->p[1] > 0.0)) return complain(GMC_ARGUMENT_1, argument, "the scale must be > 0");
    if (!(d->p[2] >= 1.0))
        return complain(GMC_ARGUMENT_2, argument, "there must be a degree of freedom at least");
    if (!d->is_truncated) return NULL;
    const char *complaint = check_limits(d, argument);
    if (complaint) return complaint;
    if (!(gmc_distribution_student_mass(d) > MASS_MIN))
        return complain(GMC_ARGUMENT_LOWER, argument, "the limits leave nothing of the law");
    return NULL;
}

static const char *check_list(const gmc_distribution *d, gmc_distribution_argument *argument)
{
    if (d->value_count < 1 || !d->values)
        return complain(GMC_ARGUMENT_VALUES, argument, "at least one value is needed");
    double sum = 0.0;
    for (int i = 0; i < d->value_count; i++) {
        if (!isfinite(d->values[i]))
            return complain(GMC_ARGUMENT_VALUES, argument, "every value must be finite");
        if (d->type != GMC_DISTRIBUTION_DISCRETE || !d->weights) continue;
        if (!(d->weights[i] > 0.0))
            return complain(GMC_ARGUMENT_WEIGHTS, argument, "every weight must be > 0");
        sum += d->weights[i];
    }
    if (!isfinite(sum))
        return complain(GMC_ARGUMENT_WEIGHTS, argument, "the weights must be finite");
    return NULL;
}

const char *gmc_distribution_check(const gmc_distribution *d, gmc_distribution_argument *argument)
{
    static const int ARGUMENT_COUNT[GMC_DISTRIBUTION_TYPE_COUNT] = {1, 2, 2, 2, 3, 0, 0, 3, 3};
    if (argument) *argument = GMC_ARGUMENT_NONE;
    if ((int)d->type < 0 || d->type >= GMC_DISTRIBUTION_TYPE_COUNT)
        return complain(GMC_ARGUMENT_NONE, argument, "the distribution is not known");
    for (int i = 0; i < ARGUMENT_COUNT[d->type]; i++)
        if (!isfinite(d->p[i]))
            return complain((gmc_distribution_argument)i, argument,
                            "every argument must be finite");

    switch (d->type) {
    case GMC_DISTRIBUTION_CONSTANT:
        return NULL;
    case GMC_DISTRIBUTION_UNIFORM:
        return check_uniform(d->p, argument);
    case GMC_DISTRIBUTION_NORMAL:
        return check_normal(d, argument);
    case GMC_DISTRIBUTION_LOGNORMAL:
        return check_lognormal(d, argument);
    case GMC_DISTRIBUTION_TRIANGULAR:
        return check_triangular(d->p, argument);
    case GMC_DISTRIBUTION_DISCRETE:
    case GMC_DISTRIBUTION_EMPIRICAL:
        return check_list(d, argument);
    case GMC_DISTRIBUTION_STUDENT:
    case GMC_DISTRIBUTION_LOG_STUDENT:
        return check_student(d, argument);
    case GMC_DISTRIBUTION_TYPE_COUNT:
        break;
    }
    return NULL;
}

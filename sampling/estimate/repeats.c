#include "sampling/estimate/repeats.h"

#include "engine/math/elementary.h"
#include "sampling/random/student.h"

#include <math.h>

/// Mean, and variance about it, of values or their logarithms.
static void moments(const double *values, int count, bool is_log, double *mean, double *variance)
{
    double sum = 0, square = 0;
    for (int i = 0; i < count; i++)
        sum += is_log ? gmc_log(values[i]) : values[i];
    *mean = sum / count;
    for (int i = 0; i < count; i++) {
        double off = (is_log ? gmc_log(values[i]) : values[i]) - *mean;
        square += off * off;
    }
    *variance = count > 1 ? square / (count - 1) : (double)NAN;
}

gmc_repeats_estimate gmc_repeats_estimate_of(const double *values, int count, double level)
{
    double mean, variance, middle, spread;
    bool has_none = false;
    moments(values, count, false, &mean, &variance);
    for (int i = 0; i < count; i++)
        has_none = has_none || !(values[i] > 0);
    gmc_repeats_estimate e = {.p = mean,
                              .variation = sqrt(variance / count) / mean,
                              .interval = {0, 1},
                              .is_widened = has_none};
    if (count < 2) return e;
    double t = gmc_student_quantile(count - 1, (1 - level) / 2);
    if (has_none) {
        e.interval.upper = fmin(mean + t * sqrt(variance / count), 1);
        return e;
    }
    moments(values, count, true, &middle, &spread);
    double half = t * sqrt(spread / count + spread * spread / (2.0 * (count - 1)));
    e.interval.lower = mean * gmc_exp(-half);
    e.interval.upper = fmin(mean * gmc_exp(half), 1);
    return e;
}

gmc_repeats_estimate gmc_repeats_bounded(const double *values, int count,
                                         const gmc_repeats_draws *draws, double level)
{
    gmc_repeats_estimate e = gmc_repeats_estimate_of(values, count, level);
    if (!e.is_widened) return e;
    double plain = gmc_proportion_clopper_pearson(draws->hits, draws->draws, level).upper;
    double last = gmc_proportion_clopper_pearson(0, draws->points, level).upper;
    e.interval.upper = fmax(e.interval.upper, plain);
    if (!(e.p > 0)) e.interval.upper = fmax(e.interval.upper, draws->reached * last);
    return e;
}

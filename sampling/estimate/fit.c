#include "sampling/estimate/fit.h"

#include "engine/base/status.h"
#include "engine/math/elementary.h"

#include <math.h>
#include <string.h>

typedef struct sample {
    double mean, sd; // of x, or of log x
    double largest;  // size of the numbers, which rounding is a share of
} sample;

static double value_of(double x, bool is_log) { return is_log ? gmc_log(x) : x; }

// Two passes, the second with the correction for the rounding of the mean [chan1983].
static sample sample_of(const double *values, int count, bool is_log)
{
    double sum = 0.0, rest = 0.0, squares = 0.0, largest = 0.0;
    for (int i = 0; i < count; i++) {
        sum += value_of(values[i], is_log);
        largest = fmax(largest, fabs(value_of(values[i], is_log)));
    }
    double mean = sum / count;
    for (int i = 0; i < count; i++) {
        double d = value_of(values[i], is_log) - mean;
        rest += d;
        squares += d * d;
    }
    double variance = (squares - rest * rest / count) / (count - 1);
    return (sample){
        .mean = mean + rest / count, .sd = sqrt(fmax(variance, 0.0)), .largest = largest};
}

static const char *fit(const double *values, int count, bool is_log, gmc_distribution *fitted,
                       const char **hint)
{
    // scatter below this share of the numbers is what their rounding makes
    static const double ROUNDING = 1e-14;
    *fitted = (gmc_distribution){.type = is_log ? GMC_DISTRIBUTION_LOG_STUDENT
                                                : GMC_DISTRIBUTION_STUDENT};
    *hint = "family normal takes any numbers that differ";
    for (int i = 0; i < count; i++)
        if (is_log && !(values[i] > 0.0))
            return "lognormal numbers are > 0, and one of these is not";
    sample s = sample_of(values, count, is_log);
    *hint = "where nothing scatters write the value itself";
    if (!isfinite(s.mean) || !isfinite(s.sd)) return "the numbers are too large";
    if (!(s.sd > ROUNDING * s.largest))
        return "all numbers are the same, which tells nothing of how they scatter";
    fitted->p[0] = is_log ? gmc_exp(s.mean) : s.mean;
    fitted->p[1] = s.sd * sqrt(1.0 + 1.0 / count);
    fitted->p[2] = count - 1;
    return NULL;
}

static const char *fit_normal(const double *values, int count, gmc_distribution *fitted,
                              const char **hint)
{
    return fit(values, count, false, fitted, hint);
}

static const char *fit_lognormal(const double *values, int count, gmc_distribution *fitted,
                                 const char **hint)
{
    return fit(values, count, true, fitted, hint);
}

const gmc_fit_family gmc_fit_families[] = {
    {"normal", fit_normal},
    {"lognormal", fit_lognormal},
};
const int gmc_fit_family_count = GMC_COUNT(gmc_fit_families);

#include "sampling/random/density.h"

#include "engine/math/elementary.h"
#include "sampling/random/distribution_internal.h"
#include "sampling/random/normal.h"

#include <math.h>

bool gmc_density_is_list(const gmc_distribution *d)
{
    return d->type == GMC_DISTRIBUTION_CONSTANT || d->type == GMC_DISTRIBUTION_DISCRETE ||
           d->type == GMC_DISTRIBUTION_EMPIRICAL;
}

static double list_probability(const gmc_distribution *d, double x)
{
    if (d->type == GMC_DISTRIBUTION_CONSTANT) return x == d->p[0];
    double sum = 0, found = 0;
    for (int i = 0; i < d->value_count; i++) {
        double weight = d->type == GMC_DISTRIBUTION_DISCRETE && d->weights ? d->weights[i] : 1;
        sum += weight;
        if (d->values[i] == x) found += weight;
    }
    return found / sum;
}

static double triangular(const double p[3], double x)
{
    double width = p[2] - p[0];
    if (x < p[0] || x > p[2]) return 0;
    if (x == p[1]) return 2 / width;
    return x < p[1] ? 2 * (x - p[0]) / (width * (p[1] - p[0]))
                    : 2 * (p[2] - x) / (width * (p[2] - p[1]));
}

/// Φ(b) − Φ(a) with the digits of the smaller tail.
static double normal_mass(double a, double b)
{
    return a > 0 ? gmc_normal_cdf(-a) - gmc_normal_cdf(-b) : gmc_normal_cdf(b) - gmc_normal_cdf(a);
}

static double normal_density(const gmc_distribution *d, double x)
{
    static const double ROOT_TWO_PI = 2.5066282746310005;
    double mean = d->p[0], sd = d->p[1], at = x, per = 1, a = -HUGE_VAL, b = HUGE_VAL;
    if (d->is_truncated && (x < d->lower || x > d->upper)) return 0;
    if (d->is_truncated) {
        a = d->lower;
        b = d->upper;
    }
    if (d->type == GMC_DISTRIBUTION_LOGNORMAL) {
        if (x <= 0) return 0;
        mean = gmc_log(d->p[0]);
        sd = sqrt(gmc_log1p(d->p[1] * d->p[1]));
        at = gmc_log(x);
        per = x;
        a = a > 0 ? gmc_log(a) : -HUGE_VAL;
        b = b < HUGE_VAL ? gmc_log(b) : HUGE_VAL;
    }
    double z = (at - mean) / sd;
    double mass = d->is_truncated ? normal_mass((a - mean) / sd, (b - mean) / sd) : 1;
    return gmc_exp(-0.5 * z * z) / (ROOT_TWO_PI * sd * per * mass);
}

static double student_density(const gmc_distribution *d, double x)
{
    bool is_log = d->type == GMC_DISTRIBUTION_LOG_STUDENT;
    double scale = d->p[1], freedom = d->p[2], middle = is_log ? gmc_log(d->p[0]) : d->p[0];
    if (d->is_truncated && (x < d->lower || x > d->upper)) return 0;
    if (is_log && x <= 0) return 0;
    double t = ((is_log ? gmc_log(x) : x) - middle) / scale, half = 0.5 * (freedom + 1);
    double top = gmc_exp(gmc_lgamma(half) - gmc_lgamma(0.5 * freedom)) / sqrt(freedom * GMC_PI);
    double mass = d->is_truncated ? gmc_distribution_student_mass(d) : 1;
    return top * gmc_exp(-half * gmc_log1p(t * t / freedom)) / (scale * (is_log ? x : 1) * mass);
}

double gmc_density_at(const gmc_distribution *d, double x)
{
    switch (d->type) {
    case GMC_DISTRIBUTION_UNIFORM:
        return x >= d->p[0] && x <= d->p[1] ? 1 / (d->p[1] - d->p[0]) : 0;
    case GMC_DISTRIBUTION_NORMAL:
    case GMC_DISTRIBUTION_LOGNORMAL:
        return normal_density(d, x);
    case GMC_DISTRIBUTION_TRIANGULAR:
        return triangular(d->p, x);
    case GMC_DISTRIBUTION_STUDENT:
    case GMC_DISTRIBUTION_LOG_STUDENT:
        return student_density(d, x);
    case GMC_DISTRIBUTION_CONSTANT:
    case GMC_DISTRIBUTION_DISCRETE:
    case GMC_DISTRIBUTION_EMPIRICAL:
        return list_probability(d, x);
    case GMC_DISTRIBUTION_TYPE_COUNT:
        break;
    }
    return 0;
}

/// 0 where the true density is 0: nothing is lost there.
static double ratio_at(const gmc_distribution *truth, const gmc_distribution *proposal, double x)
{
    double f = gmc_density_at(truth, x), g = gmc_density_at(proposal, x);
    if (!(f > 0)) return 0;
    return g > 0 ? f / g : HUGE_VAL;
}

double gmc_density_bound(const gmc_distribution *truth, const gmc_distribution *proposal)
{
    enum { CELLS = 4096, TAIL = 54 };
    double largest = 0;
    if (truth->type == GMC_DISTRIBUTION_CONSTANT) return ratio_at(truth, proposal, truth->p[0]);
    if (gmc_density_is_list(truth)) {
        for (int i = 0; i < truth->value_count; i++)
            largest = fmax(largest, ratio_at(truth, proposal, truth->values[i]));
        return largest;
    }
    for (int i = 0; i <= CELLS; i++) {
        double x = gmc_distribution_quantile(truth, i / (double)CELLS);
        largest = fmax(largest, ratio_at(truth, proposal, x));
    }
    double u = 0.5;
    for (int i = 1; i < TAIL; i++, u *= 0.5) { // quantiles of 1 − u end at 1 − 2^-53
        largest = fmax(largest, ratio_at(truth, proposal, gmc_distribution_quantile(truth, u)));
        largest = fmax(largest, ratio_at(truth, proposal, gmc_distribution_quantile(truth, 1 - u)));
    }
    return largest;
}

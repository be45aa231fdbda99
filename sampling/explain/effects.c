#include "sampling/explain/effects.h"

#include "engine/math/elementary.h"
#include "sampling/estimate/difference.h"
#include "sampling/estimate/moments.h"
#include "sampling/random/student.h"

#include <math.h>

static gmc_index mean_of(const gmc_moments *m, double level)
{
    return (gmc_index){.value = m->count > 0 ? m->mean : (double)NAN,
                       .interval = gmc_moments_interval(m, level)};
}

/// sigma, from the second and fourth moments about the mean.
static gmc_index spread_of(const double *effects, const gmc_moments *m, double level)
{
    gmc_index spread = {.value = gmc_moments_sd(m), .interval = {0, INFINITY}};
    double n = (double)m->count, fourth = 0;
    if (m->count < 4 || !(spread.value > 0)) return spread;
    for (int64_t i = 0; i < m->count; i++) {
        double d2 = (effects[i] - m->mean) * (effects[i] - m->mean);
        fourth += d2 * d2 / n;
    }
    double variance = spread.value * spread.value;
    double of_variance = fmax(fourth - variance * variance * (n - 3) / (n - 1), 0) / n;
    double half = 0.5 * gmc_student_quantile(n - 1, 0.5 * (1 - level)) * sqrt(of_variance);
    double factor = gmc_exp(half / variance);
    spread.interval = (gmc_interval){spread.value / factor, spread.value * factor};
    return spread;
}

/// sigma² over that of a certain change: P(up) + P(down) − (P(up) − P(down))².
static double split(double up, double down) { return up + down - (up - down) * (up - down); }

/// Where the outcome is 0 or 1 an effect has three values.
typedef struct changes {
    int64_t up, down, count;
} changes;

static changes changes_of(const double *effects, int64_t count)
{
    changes c = {.count = count};
    for (int64_t i = 0; i < count; i++) {
        c.up += effects[i] > 0;
        c.down += effects[i] < 0;
    }
    return c;
}

static gmc_interval binary_mean(changes c, double step, double level)
{
    gmc_interval i = gmc_difference_tango(c.down, c.up, c.count, level);
    return (gmc_interval){i.lower / step, i.upper / step};
}

/// Shares up and down each have Clopper-Pearson's interval, both at once hold at this level;
/// `split` is concave in either share.
static gmc_interval binary_spread(changes c, double step, double level)
{
    double each = 0.5 * (1 + level), least = 1, most = 0;
    gmc_interval u = gmc_proportion_clopper_pearson(c.up, c.count, each);
    gmc_interval d = gmc_proportion_clopper_pearson(c.down, c.count, each);
    const double us[2] = {u.lower, u.upper}, ds[2] = {d.lower, d.upper};
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++)
            least = fmin(least, split(us[i], ds[j]));
        most = fmax(most, split(fmin(fmax(0.5 + ds[i], u.lower), u.upper), ds[i]));
        most = fmax(most, split(us[i], fmin(fmax(0.5 + us[i], d.lower), d.upper)));
    }
    return (gmc_interval){sqrt(fmax(least, 0)) / step, sqrt(fmin(most, 1)) / step};
}

static void widen(gmc_index *index, double lower, double upper)
{
    index->is_widened = true;
    index->interval.lower = fmin(index->interval.lower, lower);
    // what no value bounds yet is bounded by this
    index->interval.upper =
        isinf(index->interval.upper) ? upper : fmax(index->interval.upper, upper);
}

/// Effects that differ by rounding alone are all the same.
static bool is_skewed(const double *effects, const gmc_effects *e)
{
    static const double ROUNDING = 1e-9;
    gmc_tail sizes = {0}, signs = {0};
    if (!(e->spread.value > ROUNDING * e->size.value)) return false;
    for (int64_t i = 0; i < e->count; i++) {
        gmc_tail_add(&sizes, fabs(effects[i]));
        gmc_tail_add(&signs, effects[i]);
    }
    return gmc_tail_is_skewed(&sizes) || gmc_tail_is_skewed(&signs);
}

gmc_effects gmc_effects_of(const double *effects, int64_t count, double span, bool is_binary,
                           double step, double level)
{
    gmc_moments sizes = {0}, signs = {0};
    gmc_effects e = {.count = count};
    double sum = 0;
    for (int64_t i = 0; i < count; i++) {
        gmc_moments_add(&sizes, fabs(effects[i]));
        gmc_moments_add(&signs, effects[i]);
        e.changing += effects[i] != 0;
        sum += effects[i];
    }
    e.size = mean_of(&sizes, level);
    e.size.interval.lower = fmax(e.size.interval.lower, 0);
    e.mean = mean_of(&signs, level);
    if (count > 0) e.mean.value = sum / (double)count; // exact for whole numbers
    e.spread = spread_of(effects, &signs, level);
    gmc_interval share = gmc_proportion_clopper_pearson(e.changing, count, level);
    double most = span / step;
    if (e.changing < GMC_PROPORTION_T_LEAST) {
        widen(&e.size, 0, share.upper * most);
        widen(&e.mean, -share.upper * most, share.upper * most);
        widen(&e.spread, 0, sqrt(share.upper) * most);
    }
    e.is_skewed = !is_binary && e.changing >= GMC_PROPORTION_T_LEAST && is_skewed(effects, &e);
    if (is_binary) {
        e.size.interval = (gmc_interval){share.lower / step, share.upper / step};
        changes c = changes_of(effects, count);
        e.mean.interval = binary_mean(c, step, level);
        e.spread.interval = binary_spread(c, step, level);
        e.size.is_widened = e.mean.is_widened = e.spread.is_widened = false;
    }
    return e;
}

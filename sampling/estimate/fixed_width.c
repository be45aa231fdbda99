// Chosen by enumeration among Wilson's, Agresti and Coull's and Clopper and Pearson's intervals as
// rules: Wilson's misses the truth near 0 and 1 more often than it says, as without stopping, and
// Clopper and Pearson's takes a tenth more trials at a half width of 0.05.
#include "sampling/estimate/fixed_width.h"

#include "engine/base/check.h"
#include "engine/math/elementary.h"
#include "sampling/estimate/proportion.h"

#include <math.h>

bool gmc_fixed_width_is_used(gmc_stop_rule rule, int64_t case_count, double level)
{
    static const double LOWEST = 0.9, HIGHEST = 0.99, WIDEST = 0.3;
    bool is_fitted = level >= LOWEST && level <= HIGHEST && rule.threshold <= WIDEST;
    return rule.kind == GMC_STOP_HALF_WIDTH && case_count == 1 && is_fitted;
}

double gmc_fixed_width_z(double half_width, double level)
{
    static const double ALWAYS = 0.023, BY_WIDTH = 0.5;
    double z = gmc_proportion_z(level), rough = gmc_proportion_z(0.95) / z;
    return z * (1 + (ALWAYS + BY_WIDTH * half_width) * rough * rough * sqrt(rough));
}

double gmc_fixed_width_level(double half_width, double level)
{
    return gmc_erf(gmc_fixed_width_z(half_width, level) / sqrt(2)); // a normal variable within ± z'
}

/// Centre and half width.
typedef struct spread {
    double centre, half;
} spread;

static spread spread_of(double successes, double n, double half_width, double level)
{
    double z = gmc_proportion_z(level), all = n + z * z;
    double centre = (successes + 0.5 * z * z) / all;
    double half = gmc_fixed_width_z(half_width, level) * sqrt(centre * (1 - centre) / all);
    return (spread){.centre = centre, .half = half};
}

double gmc_fixed_width_half(double successes, double n, double half_width, double level)
{
    return spread_of(successes, n, half_width, level).half;
}

/// Ends with the unsolved trials on either side, not cut.
static gmc_interval ends(gmc_tally tally, double half_width, double level)
{
    double s = (double)tally.successes, n = (double)gmc_tally_trials(tally);
    spread low = spread_of(s, n, half_width, level);
    spread high = spread_of(s + (double)tally.unsolved, n, half_width, level);
    return (gmc_interval){.lower = low.centre - low.half, .upper = high.centre + high.half};
}

bool gmc_fixed_width_is_reached(gmc_tally tally, double half_width, double level)
{
    gmc_interval at = ends(tally, half_width, level);
    return gmc_tally_trials(tally) > 0 && 0.5 * (at.upper - at.lower) < half_width;
}

/// That of the decided trials is no rule's: never beyond the whole one, and the same where all are.
static void set_sampling(gmc_estimate *e)
{
    bool is_whole = e->tally.unsolved == 0;
    e->sampling_lower = is_whole ? e->lower : fmax(e->sampling_lower, e->lower);
    e->sampling_upper = is_whole ? e->upper : fmin(e->sampling_upper, e->upper);
}

gmc_estimate gmc_fixed_width_estimate(gmc_tally tally, double half_width, double level)
{
    GMC_ASSERT(half_width > 0 && level > 0 && level < 1);
    gmc_estimate e = gmc_estimate_of(tally, level, GMC_METHOD_CLOPPER_PEARSON);
    if (gmc_fixed_width_is_reached(tally, half_width, level)) {
        gmc_interval at = ends(tally, half_width, level);
        e.method = GMC_METHOD_FIXED_WIDTH;
        e.lower = fmax(at.lower, 0);
        e.upper = fmin(at.upper, 1);
        set_sampling(&e);
        return e;
    }
    int64_t n = gmc_tally_trials(tally), s = tally.successes, u = tally.unsolved;
    e.lower = gmc_proportion_clopper_pearson(s, n, level).lower;
    e.upper = gmc_proportion_clopper_pearson(s + u, n, level).upper;
    set_sampling(&e);
    return e;
}

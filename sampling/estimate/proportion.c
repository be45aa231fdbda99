#include "sampling/estimate/proportion.h"

#include "engine/base/check.h"
#include "engine/math/elementary.h"
#include "sampling/random/beta.h"
#include "sampling/random/normal.h"

#include <math.h>

double gmc_proportion_z(double level) { return -gmc_normal_quantile(0.5 * (1.0 - level)); }

gmc_interval gmc_proportion_wilson(int64_t successes, int64_t n, double level)
{
    return gmc_proportion_wilson_z(successes, n, gmc_proportion_z(level));
}

gmc_interval gmc_proportion_wilson_z(int64_t successes, int64_t n, double z)
{
    GMC_ASSERT(successes >= 0 && successes <= n);
    if (n == 0) return (gmc_interval){0.0, 1.0};
    if (successes >
        n - successes) { // mirrored, so that the end near 1 is as exact as the one near 0
        gmc_interval failed = gmc_proportion_wilson_z(n - successes, n, z);
        return (gmc_interval){1.0 - failed.upper, 1.0 - failed.lower};
    }
    // the ends solve (p − x)² = z² x (1 − x)/n, that is (1 + q) x² − (2p + q) x + p² = 0 with
    // q = z²/n
    double p = (double)successes / (double)n, q = z * z / (double)n;
    double upper = (2.0 * p + q + sqrt(q * (4.0 * p * (1.0 - p) + q))) / (2.0 * (1.0 + q));
    return (gmc_interval){.lower = p * p / ((1.0 + q) * upper), .upper = upper};
}

// P(at most k successes | upper) = tail.
static double upper_end(double successes, double failures, double tail)
{
    if (failures > 0.0 && successes > 0)
        return gmc_beta_quantile(successes + 1.0, failures, tail, true).x;
    return failures > 0.0 ? -gmc_expm1(gmc_log(tail) / failures) : 1.0;
}

gmc_interval gmc_proportion_clopper_pearson(int64_t successes, int64_t n, double level)
{
    GMC_ASSERT(successes >= 0 && successes <= n);
    double k = (double)successes, failures = (double)(n - successes), tail = 0.5 * (1.0 - level);
    gmc_interval interval = {0.0, 1.0};
    // P(at least k successes | lower) = tail and P(at most k | upper) = tail, as tails of beta
    // laws; at k = n and k = 0 they are powers
    if (successes > 0 && failures > 0.0)
        interval.lower = gmc_beta_quantile(k, failures + 1.0, tail, false).x;
    else if (successes > 0)
        interval.lower = gmc_exp(gmc_log(tail) / k);
    interval.upper = upper_end(k, failures, tail);
    return interval;
}

double gmc_proportion_upper(int64_t successes, int64_t n, double level)
{
    GMC_ASSERT(successes >= 0 && successes <= n);
    return upper_end((double)successes, (double)(n - successes), 1.0 - level);
}

gmc_interval gmc_proportion_either(int64_t successes, int64_t n, double level)
{
    return gmc_proportion_is_few((double)successes, (double)(n - successes))
               ? gmc_proportion_clopper_pearson(successes, n, level)
               : gmc_proportion_wilson(successes, n, level);
}

// Tango's ends have a closed form, the root of a quartic whose right branch must be chosen;
// bisection on the score itself needs no choice and is as exact.
#include "sampling/estimate/difference.h"

#include "engine/base/check.h"
#include "sampling/random/beta.h"

#include <math.h>

/// Score of the hypothesis that the difference is `d`: standard normal if it is true; falls with d.
/// The probability of "only the first" is the likeliest one under d [tango1998].
static double score(double only_first, double only_second, double pairs, double d)
{
    double a = 2 * pairs;
    double b = (2 * pairs - only_second + only_first) * d - only_first - only_second;
    double c = -only_first * d * (1 - d);
    double likeliest = (sqrt(fmax(b * b - 4 * a * c, 0)) - b) / (2 * a);
    double above = only_second - only_first - pairs * d;
    double variance = pairs * (2 * likeliest + d * (1 - d));
    if (above == 0) return 0;
    return variance > 0 ? above / sqrt(variance) : copysign((double)INFINITY, above);
}

gmc_interval gmc_difference_tango(int64_t only_first, int64_t only_second, int64_t pairs,
                                  double level)
{
    GMC_ASSERT(only_first >= 0 && only_second >= 0 && only_first + only_second <= pairs);
    if (pairs == 0) return (gmc_interval){-1, 1};
    double f = (double)only_first, s = (double)only_second, n = (double)pairs;
    double z = gmc_proportion_z(level), found[2];
    for (int side = 0; side < 2; side++) {
        double sign = side == 0 ? -1 : 1, out = sign, in = (s - f) / n;
        for (int i = 0; i < 60; i++) { // in accepted, out not
            double middle = 0.5 * (in + out);
            if (-sign * score(f, s, n, middle) > z)
                out = middle;
            else
                in = middle;
        }
        found[side] = in;
    }
    return (gmc_interval){found[0], found[1]};
}

double gmc_difference_mid_p(int64_t first, int64_t second)
{
    GMC_ASSERT(first >= 0 && second >= 0);
    if (first == second) return 1;
    double few = (double)(first < second ? first : second);
    double many = (double)(first < second ? second : first);
    const gmc_beta_point half = {.x = 0.5, .y = 0.5};
    // P(X <= k) of a binomial (n, 1/2) is I_{1/2}(n - k, k + 1)
    double up_to = gmc_beta_at(many, few + 1, half).lower;
    double below = few > 0 ? gmc_beta_at(many + 1, few, half).lower : 0;
    return up_to + below; // 2 (below + (up_to − below) / 2)
}

static double root_of_squares(double a, double b) { return sqrt(a * a + b * b); }

gmc_interval gmc_difference_apart(const gmc_estimate *first, const gmc_estimate *second)
{
    if (isnan(first->p) || isnan(second->p)) return (gmc_interval){-1, 1};
    double d = second->p - first->p;
    gmc_interval a = gmc_estimate_sampling(first), b = gmc_estimate_sampling(second);
    double down = root_of_squares(second->p - b.lower, a.upper - first->p);
    double up = root_of_squares(b.upper - second->p, first->p - a.lower);
    return (gmc_interval){fmax(d - down, -1), fmin(d + up, 1)};
}

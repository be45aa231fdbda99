/// How often an interval for a proportion holds the truth: summed over all outcomes, not simulated.
///
/// Used inside cmocka tests.
#ifndef GMC_TEST_SUPPORT_ENUMERATE_H
#define GMC_TEST_SUPPORT_ENUMERATE_H

#include "sampling/estimate/proportion.h"

#include <math.h>

enum { ENUMERATE_MOST = 1000 }; ///< trials

typedef gmc_interval (*enumerate_interval)(int64_t successes, int64_t n, double level);

/// The 95 % intervals of all outcomes of n trials.
typedef struct enumerate_all {
    int n;
    gmc_interval of[ENUMERATE_MOST + 1]; ///< (n + 1)
} enumerate_all;

static inline enumerate_all enumerate_of(enumerate_interval interval, int n)
{
    enumerate_all all = {.n = n};
    for (int k = 0; k <= n; k++)
        all.of[k] = interval(k, n, 0.95);
    return all;
}

/// P(k successes of n); relative error below 1e-10 for n <= 1000: lgamma(1001) has 1e-12.
static inline double enumerate_binomial(int k, int n, double p)
{
    return exp(lgamma(n + 1.0) - lgamma(k + 1.0) - lgamma(n - k + 1.0) + k * log(p) +
               (n - k) * log1p(-p));
}

/// Probability that the interval holds p, 0 < p < 1. Outcomes further than nine standard deviations
/// and 40 from the mean weigh less than 1e-15 together.
static inline double enumerate_coverage(const enumerate_all *all, double p)
{
    double mean = all->n * p, far = 40 + 9 * sqrt(mean * (1 - p)), sum = 0;
    for (int k = 0; k <= all->n; k++)
        if (fabs(k - mean) <= far && all->of[k].lower <= p && p <= all->of[k].upper)
            sum += enumerate_binomial(k, all->n, p);
    return sum;
}

/// Least coverage of all p. Between two neighbouring ends of intervals the same outcomes cover p,
/// and their probability has no minimum inside: the least one is beside an end.
static inline double enumerate_least(const enumerate_all *all)
{
    double least = 1;
    for (int k = 0; k <= all->n; k++) {
        const double ends[2] = {all->of[k].lower, all->of[k].upper};
        for (int e = 0; e < 2; e++)
            for (int side = -1; side <= 1; side += 2) {
                // by more than the ends' error, 1e-10 relative, and by less than any distance
                double p =
                    e == 0 ? ends[e] * (1 + side * 1e-9) : 1 - (1 - ends[e]) * (1 + side * 1e-9);
                if (p > 0 && p < 1) least = fmin(least, enumerate_coverage(all, p));
            }
    }
    return least;
}

#endif

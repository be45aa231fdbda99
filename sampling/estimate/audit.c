#include "sampling/estimate/audit.h"

#include "sampling/estimate/beta.h"

#include <math.h>

/// P(X <= k) and P(X > k) of a binomial (n, pi), 0 <= k < n.
static gmc_beta_tails binomial_tails(int64_t k, int64_t n, double pi)
{
    // P(X > k) = I_pi(k + 1, n - k)
    gmc_beta_tails tails =
        gmc_beta_at((double)(k + 1), (double)(n - k), (gmc_beta_point){pi, 1 - pi});
    return (gmc_beta_tails){.lower = tails.upper, .upper = tails.lower};
}

/// Is the number of successes K so large that k or fewer of them are audited with a probability
/// below the risk?
static bool is_too_many(int64_t K, int64_t k, double pi, double risk)
{
    return K > k && binomial_tails(k, K, pi).lower < risk;
}

/// Is K so small that k or more are?
static bool is_too_few(int64_t K, int64_t k, double pi, double risk)
{
    return K < k || (k > 0 && K >= k && binomial_tails(k - 1, K, pi).upper < risk);
}

/// Largest K in [low, high] that is not too many; at least low.
static int64_t largest(int64_t low, int64_t high, int64_t k, double pi, double risk)
{
    while (low < high) {
        int64_t middle = low + (high - low + 1) / 2;
        if (is_too_many(middle, k, pi, risk))
            high = middle - 1;
        else
            low = middle;
    }
    return low;
}

/// Least K in [low, high] that is not too few; at most high.
static int64_t least(int64_t low, int64_t high, int64_t k, double pi, double risk)
{
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (is_too_few(middle, k, pi, risk))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

gmc_audit_estimate gmc_audit_estimate_of(const gmc_audit_counts *c, double level)
{
    int64_t all = c->run + c->spared;
    if (all == 0) return (gmc_audit_estimate){.p = (double)NAN, .interval = {0, 1}};
    double n = (double)all, s = (double)c->run_works, risk = (1 - level) / 2;
    double k = (double)c->works, pi = c->share;
    // what was looked at is known: k succeeded, audited - k did not
    int64_t most = c->spared - (c->audited - c->works - c->open);
    int64_t low = c->works, high = most;
    if (pi > 0 && pi < 1) {
        low = least(c->works, c->spared - (c->audited - c->works), c->works, pi, risk);
        high = largest(c->works + c->open, most, c->works + c->open, pi, risk);
    }
    double successes = s + (pi > 0 ? k / pi : 0);
    double possible = s + (double)(c->spared - (c->audited - c->works));
    return (gmc_audit_estimate){.successes = successes,
                                .p = fmin(successes, possible) / n,
                                .interval = {(s + (double)low) / n, (s + (double)high) / n},
                                .deviation = pi > 0 ? sqrt(k * (1 - pi)) / pi / n : 0};
}

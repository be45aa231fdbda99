#include "sampling/estimate/anytime.h"

#include "engine/base/check.h"
#include "engine/math/elementary.h"
#include "sampling/random/beta.h"

#include <math.h>

/// Both parameters of the prior of θ: Jeffreys', neither certain nor flat.
static const double PRIOR = 0.5;

/// Largest bet λ: the half that [waudbysmith2024] takes for granted; ψ stays finite.
static const double BET_MAX = 0.5;

gmc_anytime gmc_anytime_start(int64_t case_count, double level)
{
    GMC_ASSERT(case_count >= 1 && level > 0 && level < 1);
    return (gmc_anytime){.case_count = case_count, .level = level};
}

// ---- one case ----

static double log_beta(double a, double b)
{
    return gmc_lgamma(a) + gmc_lgamma(b) - gmc_lgamma(a + b);
}

/// log W(p) of the header, 0 < p < 1.
static double log_wealth(double successes, double failures, double p)
{
    gmc_beta_point at = {.x = p, .y = 1 - p};
    double after = gmc_beta_at(PRIOR + successes, PRIOR + failures, at).upper;
    double before = gmc_beta_at(PRIOR, PRIOR, at).upper;
    if (after <= 0) return -(double)INFINITY; // p far above every success rate seen
    return log_beta(PRIOR + successes, PRIOR + failures) - log_beta(PRIOR, PRIOR) +
           gmc_log(after / before) - successes * gmc_log(p) - failures * gmc_log1p(-p);
}

/// The p below the rate of success at which the wealth falls to `limit`, to the tolerance times the
/// rate; 0 if it is below everywhere. The wealth falls with p there: every bet θ > p wins less on a
/// success.
static double lower_end(int64_t successes, int64_t failures, double limit, double tolerance)
{
    if (successes == 0) return 0;
    double s = (double)successes, f = (double)failures, target = gmc_log(limit);
    double poor = s / (s + f), rich = 0; // wealth below the limit, and above
    if (failures == 0) poor = 1;
    for (int i = 0; i < 60 && poor - rich > tolerance * poor; i++) {
        double middle = 0.5 * (rich + poor);
        if (log_wealth(s, f, middle) > target)
            rich = middle;
        else
            poor = middle;
    }
    return rich; // the safe side
}

static gmc_interval proportion(const gmc_anytime *a)
{
    static const double EXACT = 1e-12;
    double limit = 2 / (1 - a->level);
    int64_t s = a->tally.successes, f = a->tally.failures, u = a->tally.unsolved;
    return (gmc_interval){.lower = lower_end(s, f + u, limit, EXACT),
                          .upper = 1 - lower_end(f, s + u, limit, EXACT)};
}

double gmc_anytime_lower(int64_t successes, int64_t failures, double error)
{
    return lower_end(successes, failures, 1 / error, 1e-7);
}

// ---- several cases ----

/// [waudbysmith2024]: bet, then learn from x, the `t`-th mean, t from 1.
static void learn(gmc_anytime_mean *m, double t, double x, double log_limit)
{
    double mean = (0.5 + m->sum) / t, variance = (0.25 + m->variation) / t; // before x
    double bet = fmin(sqrt(2 * log_limit / (variance * t * gmc_log1p(t))), BET_MAX);
    double off = x - mean;
    m->penalty += off * off * (-gmc_log1p(-bet) - bet); // v ψ: the factors 4 and 1/4 cancel
    m->weight += bet;
    m->weighted += bet * x;
    m->sum += x;
    double after = (0.5 + m->sum) / (t + 1);
    m->variation += (x - after) * (x - after);
}

void gmc_anytime_add(gmc_anytime *a, gmc_tally draw)
{
    GMC_ASSERT(gmc_tally_trials(draw) == a->case_count);
    gmc_tally_merge(&a->tally, draw);
    a->draws++;
    if (a->case_count == 1) return;
    double t = (double)a->draws, cases = (double)a->case_count;
    double log_limit = gmc_log(2 / (1 - a->level));
    learn(&a->low, t, (double)draw.successes / cases, log_limit);
    learn(&a->high, t, (double)(draw.successes + draw.unsolved) / cases, log_limit);
}

static gmc_interval mean(const gmc_anytime *a)
{
    double log_limit = gmc_log(2 / (1 - a->level));
    const gmc_anytime_mean *low = &a->low, *high = &a->high;
    double lower = (low->weighted - log_limit - low->penalty) / low->weight;
    double upper = (high->weighted + log_limit + high->penalty) / high->weight;
    return (gmc_interval){.lower = fmax(lower, 0), .upper = fmin(upper, 1)};
}

gmc_interval gmc_anytime_interval(const gmc_anytime *a)
{
    if (a->draws == 0) return (gmc_interval){.lower = 0, .upper = 1};
    return a->case_count == 1 ? proportion(a) : mean(a);
}

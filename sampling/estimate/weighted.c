// Sums of powers up to the fourth are all that is kept, whatever the number of draws. Of the two
// ways to count, the rarer verdict is summed up: 1 − p of the other would lose its digits.
#include "sampling/estimate/weighted.h"

#include "engine/base/check.h"
#include "sampling/estimate/proportion.h"
#include "sampling/random/beta.h"
#include "sampling/random/student.h"

#include <math.h>

enum { SUCCESSES, FAILURES, SUCCESSES_OPEN, FAILURES_OPEN }; ///< series; OPEN: with the unsolved

static void add_powers(gmc_weighted_sums *sums, double a, double b)
{
    double ai = 1;
    for (int i = 0; i < GMC_WEIGHTED_ORDER; i++, ai *= a) {
        double bj = ai;
        for (int j = 0; i + j < GMC_WEIGHTED_ORDER; j++, bj *= b)
            sums->at[i][j] += bj;
    }
}

void gmc_weighted_add(gmc_weighted *w, uint64_t draw, double weight, gmc_tally cases)
{
    double n = (double)gmc_tally_trials(cases);
    GMC_ASSERT(n > 0 && weight >= 0);
    double s = (double)cases.successes / n, f = (double)cases.failures / n;
    double u = (double)cases.unsolved / n;
    const double shares[GMC_WEIGHTED_SERIES] = {s, f, s + u, f + u};
    int half = (int)(draw % 2);
    for (int k = 0; k < GMC_WEIGHTED_SERIES; k++)
        add_powers(&w->sums[half][k], weight * shares[k], weight - 1);
    w->units[half]++;
    gmc_tally_merge(&w->tally, cases);
    w->failing += cases.failures > 0;
    w->succeeding += cases.successes > 0;
    w->largest = fmax(w->largest, weight);
    if (cases.failures > 0) w->largest_failing = fmax(w->largest_failing, weight);
    if (cases.successes > 0) w->largest_succeeding = fmax(w->largest_succeeding, weight);
    if (cases.unsolved > 0) w->largest_unsolved = fmax(w->largest_unsolved, weight);
    w->failing_sum += weight * f;
    w->failing_square += weight * f * (weight * f);
}

static double units(const gmc_weighted *w) { return (double)(w->units[0] + w->units[1]); }

double gmc_weighted_mean(const gmc_weighted *w)
{
    double n = units(w);
    return n > 0 ? 1 + (w->sums[0][0].at[0][1] + w->sums[1][0].at[0][1]) / n : (double)NAN;
}

double gmc_weighted_effective(const gmc_weighted *w)
{
    double n = units(w), b1 = w->sums[0][0].at[0][1] + w->sums[1][0].at[0][1];
    double b2 = w->sums[0][0].at[0][2] + w->sums[1][0].at[0][2];
    double sum = n + b1, square = n + 2 * b1 + b2; // Σ w, Σ w²
    return square > 0 ? sum * sum / square : 0;
}

double gmc_weighted_effective_failing(const gmc_weighted *w)
{
    return w->failing_square > 0 ? w->failing_sum * w->failing_sum / w->failing_square : 0;
}

double gmc_weighted_unseen(const gmc_weighted *w, bool of_failures, double level)
{
    double seen = of_failures ? w->largest_failing : w->largest_succeeding;
    int64_t n = w->units[0] + w->units[1];
    if (w->is_covered || n == 0 || !(seen < w->largest)) return 0;
    return fmin(1, w->bound * gmc_proportion_clopper_pearson(0, n, level).upper);
}

// --- mean, variance and its weight in few draws ---

typedef struct series {
    double mean;
    double square, fourth; ///< Σ r², Σ r⁴
} series;

static double slope(const gmc_weighted_sums *s)
{
    double n = s->at[0][0];
    if (n < 2) return 0;
    double variance = s->at[0][2] / n - s->at[0][1] / n * (s->at[0][1] / n);
    double covariance = s->at[1][1] / n - s->at[1][0] / n * (s->at[0][1] / n);
    return variance > 0 ? covariance / variance : 0;
}

/// Σ (a − β b − m)^k from sums of powers.
static double residual_power(const gmc_weighted_sums *s, int k, double beta, double m)
{
    static const double FACTORIAL[GMC_WEIGHTED_ORDER] = {1, 1, 2, 6, 24};
    double sum = 0;
    for (int i = 0; i <= k; i++)
        for (int j = 0; i + j <= k; j++) {
            int l = k - i - j;
            double term = FACTORIAL[k] / (FACTORIAL[i] * FACTORIAL[j] * FACTORIAL[l]) * s->at[i][j];
            for (int c = 0; c < j; c++)
                term *= -beta;
            for (int c = 0; c < l; c++)
                term *= -m;
            sum += term;
        }
    return sum;
}

static series series_of(const gmc_weighted *w, int which)
{
    const gmc_weighted_sums *even = &w->sums[0][which], *odd = &w->sums[1][which];
    double beta_even = slope(odd), beta_odd = slope(even), n = units(w);
    series found = {.mean = (even->at[1][0] - beta_even * even->at[0][1] + odd->at[1][0] -
                             beta_odd * odd->at[0][1]) /
                            n};
    found.square = residual_power(even, 2, beta_even, found.mean) +
                   residual_power(odd, 2, beta_odd, found.mean);
    found.fourth = residual_power(even, 4, beta_even, found.mean) +
                   residual_power(odd, 4, beta_odd, found.mean);
    return found;
}

/// Below this share of Σ (w y)² what is left is rounding.
static const double ROUNDING = 1e-12;

/// Largest weight at which what a series counts was seen.
static double largest_of(const gmc_weighted *w, int which)
{
    bool is_good = which == SUCCESSES || which == SUCCESSES_OPEN;
    bool is_open = which == SUCCESSES_OPEN || which == FAILURES_OPEN;
    double seen = is_good ? w->largest_succeeding : w->largest_failing;
    return is_open ? fmax(seen, w->largest_unsolved) : seen;
}

/// Ends of the series' mean, from what its draws tell.
static gmc_interval interval_seen(const gmc_weighted *w, int which, double level)
{
    series found = series_of(w, which);
    double n = units(w), p = fmin(fmax(found.mean, 0), 1), risk = (1 - level) / 2;
    double scale = w->sums[0][which].at[2][0] + w->sums[1][which].at[2][0];
    gmc_interval point = {p, p};
    if (!(found.square > ROUNDING * scale)) return point;
    double variance = found.square / (n - 1) / n;
    if (!(p > 0 && p < 1)) { // the control variate took it beyond: no law of counts
        double half = gmc_student_quantile(n - 1, risk) * sqrt(variance);
        return (gmc_interval){fmax(p - half, 0), fmin(p + half, 1)};
    }
    double freedom =
        found.square * found.square / fmax(found.fourth, found.square * found.square / n);
    double t = gmc_student_quantile(fmax(freedom - 1, 1), risk);
    double shrink = gmc_proportion_z(level) / t;
    double size = fmin(p * (1 - p) / variance * shrink * shrink, 1e9); // beta.h goes no farther
    double x = p * size, y = size - x;
    return (gmc_interval){.lower = gmc_beta_quantile(x, y + 1, risk, false).x,
                          .upper = gmc_beta_quantile(x + 1, y, risk, true).x};
}

/// The same, never nearer to the mean than what no draw has shown allows.
static gmc_interval interval_of(const gmc_weighted *w, int which, double level)
{
    gmc_interval ends = interval_seen(w, which, level);
    double mean = fmin(fmax(series_of(w, which).mean, 0), 1);
    int64_t n = w->units[0] + w->units[1];
    double other = largest_of(w, which) * gmc_proportion_clopper_pearson(0, n, level).upper;
    ends.lower = fmax(fmin(ends.lower, mean - other), 0);
    ends.upper = fmin(fmax(ends.upper, mean + other), 1);
    return ends;
}

/// Of the probability of success, with the unsolved as failures or as successes: from whichever
/// series is rarer.
static gmc_interval success_interval(const gmc_weighted *w, bool is_open, double level)
{
    int good = is_open ? SUCCESSES_OPEN : SUCCESSES, bad = is_open ? FAILURES : FAILURES_OPEN;
    if (series_of(w, good).mean <= 0.5) return interval_of(w, good, level);
    gmc_interval failing = interval_of(w, bad, level);
    return (gmc_interval){.lower = 1 - failing.upper, .upper = 1 - failing.lower};
}

static double success_mean(const gmc_weighted *w, bool is_open)
{
    double good = series_of(w, is_open ? SUCCESSES_OPEN : SUCCESSES).mean;
    if (good <= 0.5) return fmax(good, 0);
    return 1 - fmax(series_of(w, is_open ? FAILURES : FAILURES_OPEN).mean, 0);
}

static void widen(const gmc_weighted *w, double level, gmc_estimate *e)
{
    int64_t n = w->units[0] + w->units[1];
    double failing = gmc_weighted_unseen(w, true, level);
    double succeeding = gmc_weighted_unseen(w, false, level);
    e->lower = fmax(e->lower - failing, 0);
    e->upper = fmin(e->upper + succeeding, 1);
    e->is_widened = failing > 0 || succeeding > 0;
    if (w->failing < GMC_PROPORTION_T_LEAST) {
        gmc_interval plain = gmc_proportion_clopper_pearson(w->failing, n, level);
        e->lower = fmin(e->lower, 1 - fmin(1, w->bound * plain.upper));
        if (w->failing == 0) e->upper = 1;
        e->is_widened = true;
    }
    if (w->succeeding < GMC_PROPORTION_T_LEAST) {
        gmc_interval plain = gmc_proportion_clopper_pearson(w->succeeding, n, level);
        e->upper = fmax(e->upper, fmin(1, w->bound * plain.upper));
        if (w->succeeding == 0) e->lower = 0;
        e->is_widened = true;
    }
}

gmc_estimate gmc_weighted_estimate(const gmc_weighted *w, double level)
{
    gmc_estimate e = {.p = (double)NAN,
                      .lower = 0,
                      .upper = 1,
                      .level = level,
                      .method = GMC_METHOD_WEIGHTED,
                      .tally = w->tally,
                      .unsolved_lower = 0,
                      .unsolved_upper = 1,
                      .draws = w->units[0] + w->units[1],
                      .effective = gmc_weighted_effective(w)};
    if (e.draws == 0) return e;
    e.unsolved_lower = success_mean(w, false);
    e.unsolved_upper = fmax(success_mean(w, true), e.unsolved_lower);
    double decided = 1 - (e.unsolved_upper - e.unsolved_lower);
    if (gmc_tally_decided(w->tally) > 0)
        e.p = w->tally.unsolved == 0 || !(decided > 0) ? e.unsolved_lower
                                                       : fmin(e.unsolved_lower / decided, 1);
    if (e.effective < GMC_WEIGHTED_LEAST) return e;
    e.lower = success_interval(w, false, level).lower;
    e.upper = success_interval(w, true, level).upper;
    widen(w, level, &e);
    return e;
}

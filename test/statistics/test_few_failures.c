// Where few trials fail, or few succeed: how often the printed intervals hold the truth. By
// enumeration for independent trials; on 2000 studies each, with seeds fixed before the first look,
// for cases on common draws and for randomised designs. A share of studies is below a bar where
// even its one-sided 99 % Clopper-Pearson bound is.
#include "engine/base/status.h"
#include "sampling/design/hypercube.h"
#include "sampling/estimate/cluster.h"
#include "sampling/random/normal.h"
#include "sampling/random/sobol.h"
#include "sampling/random/stream.h"
#include "sampling/random/student.h"
#include "test/support/enumerate.h"
#include "test/support/near.h"

enum { STUDIES = 2000 };

static bool reaches(int held, double bar)
{
    return gmc_proportion_upper(held, STUDIES, 0.99) >= bar;
}

static bool stays_below(int missed, double bar) { return reaches(STUDIES - missed, 1 - bar); }

// ---- independent trials -----------------------------------------------------------------------

static void one_case_is_covered_for_every_p(void **state)
{
    (void)state;
    static const int SIZES[] = {1, 2, 3, 7, 20, 50, 79, 80, 81, 100, 137, 200, 400, 1000};
    double least = 1, least_wilson = 1;
    for (int i = 0; i < GMC_COUNT(SIZES); i++) {
        enumerate_all either = enumerate_of(gmc_proportion_either, SIZES[i]);
        enumerate_all wilson = enumerate_of(gmc_proportion_wilson, SIZES[i]);
        double here = enumerate_least(&either);
        printf("n %d: least coverage %.4f, Wilson's %.4f\n", SIZES[i], here,
               enumerate_least(&wilson));
        least = fmin(least, here);
        least_wilson = fmin(least_wilson, enumerate_least(&wilson));
    }
    assert_true(least >= 0.94);
    assert_true(least_wilson < 0.84); // what the other one is for
}

/// P(interval holds p) of n trials that expect `failures`, summed over 0 to 200 of them.
static double coverage_of(double failures, int64_t n)
{
    double q = failures / (double)n, sum = 0, mass = exp((double)n * log1p(-q));
    for (int64_t k = 0; k <= 200 && k <= n; k++) {
        gmc_interval i = gmc_proportion_either(n - k, n, 0.95);
        if (i.lower <= 1 - q && 1 - q <= i.upper) sum += mass;
        mass *= (double)(n - k) / (double)(k + 1) * q / (1 - q);
    }
    return sum;
}

static void few_failures_of_many_trials_are_covered(void **state)
{
    (void)state;
    static const int64_t SIZES[] = {10000, 1000000, 100000000};
    for (int i = 0; i < GMC_COUNT(SIZES); i++) {
        double least = 1, at = 0;
        for (int j = 1; j <= 1200; j++) {
            double covered = coverage_of(j * 0.05, SIZES[i]);
            if (covered < least) {
                least = covered;
                at = j * 0.05;
            }
        }
        printf("n %lld: least coverage %.4f, at %.2f expected failures of 0.05 to 60\n",
               (long long)SIZES[i], least, at);
        assert_true(least >= 0.94);
    }
}

// ---- cases on common draws --------------------------------------------------------------------

enum { CASES_MOST = 50 };

/// Probabilities of 0 ... count cases that fail in a draw.
typedef struct law {
    int count;
    double of[CASES_MOST + 1];
} law;

static double binomial(int k, int n, double q)
{
    if (q <= 0 || q >= 1) return k == (q <= 0 ? 0 : n);
    return enumerate_binomial(k, n, q);
}

/// Each case fails where a normal number is above a limit; the numbers share `common` of their
/// variance. 1: all fail, or none.
static law together(int count, double p, double common)
{
    law found = {.count = count};
    if (common >= 1) {
        found.of[0] = p;
        found.of[count] = 1 - p;
        return found;
    }
    const double limit = gmc_normal_quantile(p), step = 0.02;
    for (int i = -400; i <= 400; i++) {
        double x = step * i, weight = step * exp(-0.5 * x * x) / sqrt(8 * atan(1));
        double q = gmc_normal_cdf((sqrt(common) * x - limit) / sqrt(1 - common));
        for (int k = 0; k <= count; k++)
            found.of[k] += weight * binomial(k, count, q);
    }
    return found;
}

/// `share` of the failures is of draws in which all fail, the rest of draws in which one does.
static law now_and_then(int count, double p, double share)
{
    law found = {.count = count};
    found.of[count] = (1 - p) * share;
    found.of[1] = (1 - p) * (1 - share) * count;
    found.of[0] = 1 - found.of[1] - found.of[count];
    return found;
}

typedef struct misses {
    int above, below;     ///< of the interval: the truth is
    int t_above, t_below; ///< of p ± t √v
} misses;

static misses study(const law *failing, double truth, int draws, uint64_t seed)
{
    misses missed = {0};
    double t = gmc_student_quantile(draws - 1.0, 0.025);
    for (uint64_t s = 0; s < STUDIES; s++) {
        gmc_stream stream = gmc_stream_open_hashed(31, s, seed);
        gmc_cluster cluster = {0};
        for (uint64_t d = 0; d < (uint64_t)draws; d++) {
            double u = gmc_stream_uniform(stream, d);
            int k = 0;
            while (k < failing->count && u >= failing->of[k])
                u -= failing->of[k++];
            gmc_cluster_add(&cluster, (gmc_tally){.successes = failing->count - k, .failures = k});
        }
        gmc_estimate e = gmc_cluster_estimate(&cluster, 0.95);
        missed.above += truth > e.upper;
        missed.below += truth < e.lower;
        const gmc_cluster_sums *sums = &cluster.sums[GMC_CLUSTER_DECIDED];
        double squares = sums->ss - 2 * e.p * sums->sn + e.p * e.p * sums->nn;
        double half = t * sqrt(fmax(squares, 0) * draws / (draws - 1.0)) / sums->n;
        missed.t_above += truth > e.p + half;
        missed.t_below += truth < e.p - half;
    }
    return missed;
}

typedef struct extremes {
    int laws, held_least, above_most, below_most, t_held_least;
} extremes;

static void judge(const law *failing, const char *name, double parameter, double p, int draws,
                  extremes *all)
{
    double truth = 1;
    for (int k = 0; k <= failing->count; k++)
        truth -= failing->of[k] * k / failing->count;
    misses m = study(failing, truth, draws, (uint64_t)all->laws);
    int held = STUDIES - m.above - m.below, t_held = STUDIES - m.t_above - m.t_below;
    if (held < 0.95 * STUDIES || m.above > 0.028 * STUDIES || m.below > 0.028 * STUDIES)
        printf("%s %g, p %g, %d cases, %d draws: held %d of %d, truth above %d, below %d; t: %d\n",
               name, parameter, p, failing->count, draws, held, STUDIES, m.above, m.below, t_held);
    if (!reaches(held, 0.94) || !stays_below(m.above, 0.035) || !stays_below(m.below, 0.035))
        fail_msg("%s %g, p %g, %d cases, %d draws: held %d, above %d, below %d", name, parameter, p,
                 failing->count, draws, held, m.above, m.below);
    all->laws++;
    all->held_least = held < all->held_least ? held : all->held_least;
    all->t_held_least = t_held < all->t_held_least ? t_held : all->t_held_least;
    all->above_most = m.above > all->above_most ? m.above : all->above_most;
    all->below_most = m.below > all->below_most ? m.below : all->below_most;
}

static void cases_on_common_draws_are_covered_on_both_sides(void **state)
{
    (void)state;
    static const double P[] = {0.9, 0.95, 0.96, 0.98, 0.99, 0.995};
    static const double COMMON[] = {0.3, 0.6, 0.9, 1}, WHOLE[] = {0.1, 0.3, 0.6};
    static const int CASES[] = {5, 20, 50}, DRAWS[] = {100, 400, 1000};
    extremes all = {.held_least = STUDIES, .t_held_least = STUDIES};
    for (int i = 0; i < GMC_COUNT(P); i++)
        for (int j = 0; j < GMC_COUNT(CASES); j++)
            for (int k = 0; k < GMC_COUNT(DRAWS); k++) {
                for (int l = 0; l < GMC_COUNT(COMMON); l++) {
                    law failing = together(CASES[j], P[i], COMMON[l]);
                    judge(&failing, "common", COMMON[l], P[i], DRAWS[k], &all);
                }
                for (int l = 0; l < GMC_COUNT(WHOLE) && (1 - P[i]) * CASES[j] <= 1; l++) {
                    law failing = now_and_then(CASES[j], P[i], WHOLE[l]);
                    judge(&failing, "at once", WHOLE[l], P[i], DRAWS[k], &all);
                }
            }
    printf(
        "%d laws, 2000 studies each: held in %d or more, truth above in %d or fewer, below in %d "
        "or fewer; p +- t se held in %d of one\n",
        all.laws, all.held_least, all.above_most, all.below_most, all.t_held_least);
    assert_true(all.t_held_least < 0.5 * STUDIES); // what it replaces
}

// ---- randomised designs -----------------------------------------------------------------------

enum { REPLICAS = 16, INPUTS_MOST = 5 };

typedef double (*score)(const double *u);

/// A ball's centre off its mark, the first two coordinates with a bias: squared distance.
static double ball(const double *u)
{
    static const double BIAS[3] = {1, 0.5, 0};
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        double off = gmc_normal_quantile(u[k]) - BIAS[k];
        sum += off * off;
    }
    return sum;
}

static double disc(const double *u) { return u[0] * u[0] + u[1] * u[1]; }
static double step(const double *u) { return u[0]; }
static double corner(const double *u) { return fmax(fmax(u[0], u[1]), u[2]); }
static double wedge(const double *u) { return fmax(u[0], u[1]); }
static double pocket(const double *u) { return fmin(u[0], u[1]); }

static double many(const double *u)
{
    double sum = 0;
    for (int k = 0; k < 5; k++)
        sum += gmc_normal_quantile(u[k]);
    return sum;
}

/// P(ball < squared): over the direction of the bias a normal number, across it a chi square of 2.
static double ball_share(double squared)
{
    const double bias = sqrt(1.25), reach = sqrt(squared);
    enum { PARTS = 4000 };
    double sum = 0, width = 2 * reach / PARTS;
    for (int i = 0; i < PARTS; i++) {
        double off = -reach + (i + 0.5) * width, x = bias + off;
        sum += width * exp(-0.5 * x * x) / sqrt(8 * atan(1)) * -expm1(-0.5 * (squared - off * off));
    }
    return sum;
}

static double ball_limit(double p)
{
    double low = 0, high = 100;
    for (int i = 0; i < 60; i++) {
        double middle = 0.5 * (low + high);
        if (ball_share(middle) < p)
            low = middle;
        else
            high = middle;
    }
    return low;
}

typedef struct kind {
    const char *name;
    score of;
    int inputs;
    bool is_sobol;
    int n;
    double p, limit;   ///< of success: score < limit
    double width_most; ///< mean, in widths of the interval of as many random trials; 0: no bar
} kind;

static gmc_estimate design(const kind *k, uint64_t study_index, uint64_t seed, gmc_estimate *plain)
{
    gmc_tally replicas[REPLICAS] = {{0}}, all = {0};
    const uint64_t points = (uint64_t)k->n / REPLICAS;
    for (uint64_t r = 0; r < REPLICAS; r++) {
        gmc_stream streams[INPUTS_MOST];
        for (int j = 0; j < k->inputs; j++)
            streams[j] =
                gmc_stream_open_hashed(32, study_index * REPLICAS + r, seed * 16 + (uint64_t)j);
        for (uint64_t i = 0; i < points; i++) {
            double u[INPUTS_MOST];
            for (int j = 0; j < k->inputs; j++)
                u[j] = k->is_sobol ? gmc_sobol_uniform(j, i, streams[j])
                                   : gmc_hypercube_uniform(i, points, streams[j]);
            gmc_tally_add(&replicas[r],
                          k->of(u) < k->limit ? GMC_VERDICT_SUCCESS : GMC_VERDICT_FAILURE);
        }
        gmc_tally_merge(&all, replicas[r]);
    }
    *plain = gmc_cluster_of_replicas_plain(all, 1, 0.95);
    return gmc_cluster_of_replicas(replicas, REPLICAS, gmc_tally_trials(all), plain);
}

/// Mean width of the interval of n random trials.
static double random_width(double p, int n)
{
    double sum = 0;
    for (int k = 0; k <= n; k++) {
        gmc_interval i = gmc_proportion_either(k, n, 0.95);
        sum += enumerate_binomial(k, n, p) * (i.upper - i.lower);
    }
    return sum;
}

static void judge_design(const kind *k, uint64_t seed)
{
    int held = 0, above = 0, below = 0;
    double width = 0;
    for (uint64_t s = 0; s < STUDIES; s++) {
        gmc_estimate plain, e = design(k, s, seed, &plain);
        assert_true(e.upper - e.lower <= plain.upper - plain.lower); // in each
        held += e.lower <= k->p && k->p <= e.upper;
        above += k->p > e.upper;
        below += k->p < e.lower;
        width += (e.upper - e.lower) / STUDIES;
    }
    double share = width / random_width(k->p, k->n);
    printf("%s, %s, p %g, n %d: %.3f of random's width (bar %g), held %d of %d, above %d, below "
           "%d\n",
           k->name, k->is_sobol ? "Sobol'" : "hypercubes", k->p, k->n, share, k->width_most, held,
           STUDIES, above, below);
    assert_true(reaches(held, 0.94));
    if (k->width_most > 0) assert_true(share <= k->width_most);
}

static void sobol_keeps_its_gain_where_failures_are_few(void **state)
{
    (void)state;
    kind kinds[] = {{"ball", ball, 3, true, 1024, 0.9, 0, 0.70},
                    {"ball", ball, 3, true, 1024, 0.95, 0, 0.70},
                    {"ball", ball, 3, true, 1024, 0.98, 0, 0.90},
                    {"ball", ball, 3, true, 4096, 0.99, 0, 0.75}};
    for (int k = 0; k < GMC_COUNT(kinds); k++) {
        kinds[k].limit = ball_limit(kinds[k].p);
        judge_design(&kinds[k], (uint64_t)k);
    }
}

static void designs_are_covered_and_never_wider_than_random_draws(void **state)
{
    (void)state;
    const double pi = 4 * atan(1);
    const kind kinds[] = {
        {"ball", ball, 3, true, 1024, 0.999, ball_limit(0.999), 0},
        {"ball", ball, 3, true, 256, 0.5, ball_limit(0.5), 0.8},
        {"ball", ball, 3, false, 1024, 0.95, ball_limit(0.95), 1},
        {"disc", disc, 2, true, 1024, 0.02, 4 * 0.02 / pi, 0.7}, // few successes
        {"disc", disc, 2, false, 512, 0.03, 4 * 0.03 / pi, 1},
        {"step", step, 1, true, 512, 0.97, 0.97, 0.6}, // 0.96 failures in each randomisation
        {"step", step, 1, false, 512, 0.97, 0.97, 0.6},
        {"corner", corner, 3, true, 512, 0.97, 0, 1},
        {"step", step, 1, true, 256, 0.9, 0.9, 0}, // one or two failures in each randomisation
        {"step", step, 1, true, 512, 0.95, 0.95, 0},
        {"wedge", wedge, 2, true, 512, 0.95, 0, 0},
        {"pocket", pocket, 2, true, 512, 0.95, 0, 0},
        {"pocket", pocket, 2, true, 256, 0.96, 0, 0},
        {"five", many, 5, true, 1024, 0.95, 0, 0.8},
        {"five", many, 5, false, 1024, 0.95, 0, 1},
    };
    for (int k = 0; k < GMC_COUNT(kinds); k++) {
        kind one = kinds[k];
        if (one.of == corner) one.limit = cbrt(one.p);
        if (one.of == wedge) one.limit = sqrt(one.p);
        if (one.of == pocket) one.limit = 1 - sqrt(1 - one.p);
        if (one.of == many) one.limit = sqrt(5) * gmc_normal_quantile(one.p);
        judge_design(&one, 16 + (uint64_t)k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_case_is_covered_for_every_p),
        cmocka_unit_test(few_failures_of_many_trials_are_covered),
        cmocka_unit_test(cases_on_common_draws_are_covered_on_both_sides),
        cmocka_unit_test(sobol_keeps_its_gain_where_failures_are_few),
        cmocka_unit_test(designs_are_covered_and_never_wider_than_random_draws),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

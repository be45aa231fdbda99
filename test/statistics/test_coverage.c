// Are the intervals honest? How often an interval holds the truth is summed over all outcomes where
// that can be done, and counted over synthetic studies where it cannot. test_intervals.c has each
// kind on 10 000 studies.
#include "engine/base/status.h"
#include "sampling/estimate/anytime.h"
#include "sampling/estimate/cluster.h"
#include "sampling/estimate/pooled.h"
#include "sampling/estimate/proportion.h"
#include "sampling/random/normal.h"
#include "sampling/random/stream.h"
#include "test/support/enumerate.h"
#include "test/support/near.h"

static double coverage(enumerate_interval interval, double p)
{
    enumerate_all all = enumerate_of(interval, 1000);
    return enumerate_coverage(&all, p);
}

static void coverage_by_enumeration_agrees_with_the_reference(void **state)
{
    (void)state;
    // scipy 1.10: sums of stats.binom.pmf over the textbook formulae; 1e-10: lgamma(1001) has 1e-12
    ASSERT_NEAR(coverage(gmc_proportion_wilson, 0.5), 0.9463221503549899, 1e-10);
    ASSERT_NEAR(coverage(gmc_proportion_wilson, 0.9), 0.9490978421882557, 1e-10);
    ASSERT_NEAR(coverage(gmc_proportion_clopper_pearson, 0.5), 0.953708802639502, 1e-10);
    ASSERT_NEAR(coverage(gmc_proportion_clopper_pearson, 0.9), 0.9549071811148255, 1e-10);
}

static void wilson_covers_as_promised_on_average(void **state)
{
    (void)state;
    enumerate_all wilson = enumerate_of(gmc_proportion_wilson, 1000);
    double sum = 0.0, least = 1.0;
    for (int j = 1; j < 400; j++) {
        double c = enumerate_coverage(&wilson, j / 400.0);
        sum += c;
        least = fmin(least, c);
    }
    ASSERT_NEAR(sum / 399.0, 0.95, 0.002); // mean over p
    assert_true(least > 0.92); // on this grid; where few fail it is 0.838, test_few_failures.c
}

// --- maps: many cells, one set of draws for all ---

enum { CELLS = 441, DRAWS = 50, MAPS = 2000 };

// A grasp succeeds in a cell when the cell's offset and the draw's error together stay within a
// reach.
static double offset(int cell) { return -1.0 + 2.0 * (cell % 21) / 20.0 + 0.02 * (cell / 21); }

static bool holds(int cell, double error) { return fabs(offset(cell) + error) <= 1.0; }

static double map_truth(double sd)
{
    double sum = 0.0;
    for (int c = 0; c < CELLS; c++)
        sum += gmc_normal_cdf((1.0 - offset(c)) / sd) - gmc_normal_cdf((-1.0 - offset(c)) / sd);
    return sum / CELLS;
}

static void wilson_fails_and_draws_hold_on_maps_with_common_draws(void **state)
{
    (void)state;
    double truth = map_truth(0.8);
    int wilson = 0, draws = 0;
    for (uint64_t map = 0; map < MAPS; map++) {
        gmc_pooled pooled = gmc_pooled_start(CELLS, false);
        gmc_tally all = {0};
        gmc_stream s = gmc_stream_open_hashed(12, map, 0);
        for (uint64_t d = 0; d < DRAWS; d++) {
            double error = 0.8 * gmc_normal_quantile(gmc_stream_uniform(s, d));
            for (int c = 0; c < CELLS; c++) {
                gmc_verdict v = holds(c, error) ? GMC_VERDICT_SUCCESS : GMC_VERDICT_FAILURE;
                gmc_pooled_add(&pooled, d, v);
                gmc_tally_add(&all, v);
            }
        }
        gmc_estimate t = gmc_pooled_estimate(&pooled, 0.95, GMC_METHOD_WILSON);
        gmc_estimate w = gmc_estimate_of(all, 0.95, GMC_METHOD_WILSON);
        assert_int_equal(t.method, GMC_METHOD_DRAWS);
        draws += t.lower <= truth && truth <= t.upper;
        wilson += w.lower <= truth && truth <= w.upper;
    }
    printf("of %d maps of %d cells x %d draws: over draws covers %.1f %%, Wilson %.1f %%\n", MAPS,
           CELLS, DRAWS, 100.0 * draws / MAPS, 100.0 * wilson / MAPS);
    assert_true(wilson < 0.25 * MAPS);
    // the whole draw more that is allowed for makes it 1.2 times t's here, 1.06 times with 400
    // draws
    assert_true(draws >= 0.95 * MAPS);
    assert_true(draws < 0.995 * MAPS);
}

static void rare_bad_draws_do_not_make_false_certainty(void **state)
{
    (void)state;
    // one draw in fifty is bad and costs 30 % of the cells: most studies of 40 draws see none or
    // one of them
    const double truth = 1.0 - 0.02 * 0.3;
    int covered = 0, bare = 0;
    for (uint64_t study = 0; study < MAPS; study++) {
        gmc_cluster cluster = {0};
        bool has_failure = false;
        gmc_stream s = gmc_stream_open_hashed(13, study, 0);
        for (uint64_t d = 0; d < 40; d++) {
            bool is_bad = gmc_stream_uniform(s, d) < 0.02;
            has_failure = has_failure || is_bad;
            gmc_cluster_add(
                &cluster, (gmc_tally){.successes = is_bad ? 70 : 100, .failures = is_bad ? 30 : 0});
        }
        gmc_estimate e = gmc_cluster_estimate(&cluster, 0.95);
        covered += e.lower <= truth && truth <= e.upper;
        bare += !has_failure;
    }
    assert_true(bare > 0.3 * MAPS); // in these, t alone would be [1, 1]
    assert_true(covered >= (0.95 - 3.0 * sqrt(0.95 * 0.05 / MAPS)) * MAPS);
}

static void unsolved_trials_do_not_spoil_the_interval(void **state)
{
    (void)state;
    // one trial in twenty unsolved at random: hardly any draw of 441 cells is without
    double truth = map_truth(0.8);
    int covered = 0, whole = 0;
    enum { SOME = 500 };
    for (uint64_t map = 0; map < SOME; map++) {
        gmc_pooled pooled = gmc_pooled_start(CELLS, false);
        gmc_stream s = gmc_stream_open_hashed(14, map, 0), t = gmc_stream_open_hashed(14, map, 1);
        for (uint64_t d = 0; d < DRAWS; d++) {
            double error = 0.8 * gmc_normal_quantile(gmc_stream_uniform(s, d));
            for (int c = 0; c < CELLS; c++) {
                bool is_unsolved = gmc_stream_uniform(t, d * CELLS + (uint64_t)c) < 0.05;
                gmc_pooled_add(&pooled, d,
                               is_unsolved       ? GMC_VERDICT_UNSOLVED
                               : holds(c, error) ? GMC_VERDICT_SUCCESS
                                                 : GMC_VERDICT_FAILURE);
            }
        }
        gmc_estimate e = gmc_pooled_estimate(&pooled, 0.95, GMC_METHOD_WILSON);
        assert_int_equal(e.draws, DRAWS);
        gmc_interval alone = gmc_estimate_sampling(&e);
        covered += alone.lower <= truth && truth <= alone.upper;
        whole += e.lower <= truth && truth <= e.upper; // had they gone either way
    }
    assert_true(covered >= 0.95 * SOME);
    assert_true(whole >= covered);
}

// --- looked at again and again ---

enum { LOOKS = 100, BETWEEN = 10, SEEN = LOOKS * BETWEEN };

/// Probability that at one of the looks, every BETWEEN trials, the interval misses p: by the exact
/// law of the number of successes among the studies that no look has thrown out yet.
static double miss_ever(enumerate_interval interval, double p)
{
    static double mass[SEEN + 1];
    double missed = 0.0;
    for (int k = 0; k <= SEEN; k++)
        mass[k] = k == 0;
    for (int n = 1; n <= SEEN; n++) {
        for (int k = n; k > 0; k--)
            mass[k] = mass[k] * (1.0 - p) + mass[k - 1] * p;
        mass[0] *= 1.0 - p;
        for (int k = 0; k <= n && n % BETWEEN == 0; k++) {
            if (mass[k] < 1e-12) continue; // all of these together are less than 1e-7
            gmc_interval i = interval(k, n, 0.95);
            if (i.lower <= p && p <= i.upper) continue;
            missed += mass[k];
            mass[k] = 0.0;
        }
    }
    return missed;
}

static gmc_interval anytime(int64_t successes, int64_t n, double level)
{
    gmc_anytime a = gmc_anytime_start(1, level);
    a.draws = n;
    a.tally = (gmc_tally){.successes = successes, .failures = n - successes};
    return gmc_anytime_interval(&a);
}

static void a_confidence_sequence_holds_at_all_looks_together(void **state)
{
    (void)state;
    static const double P[] = {0.5, 0.9, 0.99};
    for (int i = 0; i < GMC_COUNT(P); i++) {
        double missed = miss_ever(anytime, P[i]);
        printf("p %g: misses at one of %d looks in %.2f %% of runs\n", P[i], LOOKS, 100 * missed);
        assert_true(missed <= 0.05);
        assert_true(missed > 0); // it is no interval that holds everything
    }
    assert_true(miss_ever(gmc_proportion_wilson, 0.5) > 0.3); // what it is for
}

static void a_confidence_sequence_holds_over_draws(void **state)
{
    (void)state;
    enum { STUDIES = 10000, SOME_CELLS = 20 };
    int held = 0;
    double truth = 0.0;
    for (int c = 0; c < SOME_CELLS; c++)
        truth += gmc_normal_cdf((1.0 - offset(c)) / 0.8) - gmc_normal_cdf((-1.0 - offset(c)) / 0.8);
    truth /= SOME_CELLS;
    for (uint64_t study = 0; study < STUDIES; study++) {
        gmc_anytime a = gmc_anytime_start(SOME_CELLS, 0.95);
        gmc_stream s = gmc_stream_open_hashed(15, study, 0);
        bool is_held = true;
        for (uint64_t d = 0; d < SEEN; d++) {
            double error = 0.8 * gmc_normal_quantile(gmc_stream_uniform(s, d));
            gmc_tally draw = {0};
            for (int c = 0; c < SOME_CELLS; c++)
                gmc_tally_add(&draw, holds(c, error) ? GMC_VERDICT_SUCCESS : GMC_VERDICT_FAILURE);
            gmc_anytime_add(&a, draw);
            if ((d + 1) % BETWEEN != 0) continue;
            gmc_interval i = gmc_anytime_interval(&a);
            is_held = is_held && i.lower <= truth && truth <= i.upper;
        }
        held += is_held;
    }
    printf("of %d studies %d hold the truth at each of %d looks\n", STUDIES, held, LOOKS);
    assert_true(held >=
                0.95 * STUDIES); // the bound is not tight: no allowance for chance is needed
    assert_true(held < STUDIES);
}

// --- randomised designs ---

static void randomisations_that_never_fail_are_random_trials(void **state)
{
    (void)state;
    enum { REPLICAS = 16 };
    gmc_tally thin[REPLICAS], all = {0};
    for (int r = 0; r < REPLICAS; r++) {
        thin[r] = (gmc_tally){.successes = 64};
        gmc_tally_merge(&all, thin[r]);
    }
    gmc_estimate plain = gmc_cluster_of_replicas_plain(all, 1, 0.95);
    gmc_estimate e = gmc_cluster_of_replicas(thin, REPLICAS, 16 * 64, &plain);
    ASSERT_NEAR(e.lower, plain.lower, 0.0); // t alone would be [1, 1]
    ASSERT_NEAR(e.lower, pow(0.025, 1 / 1024.0), 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coverage_by_enumeration_agrees_with_the_reference),
        cmocka_unit_test(wilson_covers_as_promised_on_average),
        cmocka_unit_test(wilson_fails_and_draws_hold_on_maps_with_common_draws),
        cmocka_unit_test(rare_bad_draws_do_not_make_false_certainty),
        cmocka_unit_test(unsolved_trials_do_not_spoil_the_interval),
        cmocka_unit_test(a_confidence_sequence_holds_at_all_looks_together),
        cmocka_unit_test(a_confidence_sequence_holds_over_draws),
        cmocka_unit_test(randomisations_that_never_fail_are_random_trials),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

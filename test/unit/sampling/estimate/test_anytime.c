#include "engine/base/status.h"
#include "sampling/estimate/anytime.h"
#include "test/support/near.h"

static gmc_interval counted(int64_t successes, int64_t failures, int64_t unsolved, double level)
{
    gmc_anytime a = gmc_anytime_start(1, level);
    for (int64_t i = 0; i < successes; i++)
        gmc_anytime_add(&a, (gmc_tally){.successes = 1});
    for (int64_t i = 0; i < failures; i++)
        gmc_anytime_add(&a, (gmc_tally){.failures = 1});
    for (int64_t i = 0; i < unsolved; i++)
        gmc_anytime_add(&a, (gmc_tally){.unsolved = 1});
    return gmc_anytime_interval(&a);
}

/// The wealth of the header by its integral: θ = sin² u takes the prior's ends away, midpoint rule.
static double wealth(double s, double f, double p)
{
    enum { CELLS = 200000 };
    double from = asin(sqrt(p)), to = acos(0.0), sum = 0;
    for (int i = 0; i < CELLS; i++) {
        double u = from + (to - from) * (i + 0.5) / CELLS, x = sin(u) * sin(u);
        sum += exp(s * log(x / p) + f * log((1 - x) / (1 - p)));
    }
    return sum / CELLS; // over the conditional prior, uniform in u
}

static void the_ends_are_where_the_wealth_reaches_its_limit(void **state)
{
    (void)state;
    static const int64_t COUNTS[][2] = {{1, 0}, {3, 9}, {40, 10}, {900, 100}, {1, 499}};
    for (int i = 0; i < GMC_COUNT(COUNTS); i++) {
        double s = (double)COUNTS[i][0], f = (double)COUNTS[i][1];
        gmc_interval at = counted(COUNTS[i][0], COUNTS[i][1], 0, 0.95);
        // 1e-6: the midpoint rule's error, 1/CELLS² times the integrand's curvature
        if (at.lower > 0) ASSERT_NEAR_RELATIVE(wealth(s, f, at.lower), 40.0, 1e-6);
        if (at.upper < 1) ASSERT_NEAR_RELATIVE(wealth(f, s, 1 - at.upper), 40.0, 1e-6);
        assert_true(at.lower < s / (s + f));
        assert_true(at.upper > s / (s + f) || f == 0);
    }
}

static void nothing_seen_says_nothing(void **state)
{
    (void)state;
    gmc_anytime none = gmc_anytime_start(1, 0.95), several = gmc_anytime_start(7, 0.95);
    ASSERT_NEAR(gmc_anytime_interval(&none).lower, 0, 0);
    ASSERT_NEAR(gmc_anytime_interval(&several).upper, 1, 0);
    ASSERT_NEAR(counted(0, 100, 0, 0.95).lower, 0, 0);
    ASSERT_NEAR(counted(100, 0, 0, 0.95).upper, 1, 0);
    assert_true(counted(100, 0, 0, 0.95).lower > 0.9);
}

static void unsolved_trials_widen_both_ends(void **state)
{
    (void)state;
    gmc_interval at = counted(80, 15, 5, 0.95);
    ASSERT_NEAR(at.lower, counted(80, 20, 0, 0.95).lower, 0);
    ASSERT_NEAR(at.upper, counted(85, 15, 0, 0.95).upper, 0);
}

static void the_interval_is_wider_than_wilsons_and_shrinks(void **state)
{
    (void)state;
    double before = 1;
    for (int64_t n = 10; n <= 1000000; n *= 10) {
        gmc_anytime a = gmc_anytime_start(1, 0.95);
        a.draws = n;
        a.tally = (gmc_tally){.successes = n * 7 / 10, .failures = n * 3 / 10};
        gmc_interval at = gmc_anytime_interval(&a);
        gmc_interval fixed = gmc_proportion_wilson(n * 7 / 10, n, 0.95);
        double width = at.upper - at.lower, ratio = width / (fixed.upper - fixed.lower);
        assert_true(width < before);
        assert_true(ratio > 1);
        assert_true(ratio < 2.5);
        before = width;
    }
}

/// The formulas of [waudbysmith2024] with every sum taken anew.
static gmc_interval means_again(const double *x, int n, double level)
{
    double log_limit = log(2 / (1 - level)), weight = 0, weighted = 0, penalty = 0;
    for (int t = 1; t <= n; t++) {
        double mean = 0.5, variance = 0.25; // of the first t − 1, shrunk
        for (int i = 0; i < t - 1; i++) {
            double at = 0.5;
            for (int j = 0; j <= i; j++)
                at += x[j];
            variance += (x[i] - at / (i + 2)) * (x[i] - at / (i + 2));
            mean += x[i];
        }
        mean /= t;
        variance /= t;
        double bet = sqrt(2 * log_limit / (variance * t * log(t + 1.0)));
        if (bet > 0.5) bet = 0.5;
        double psi = (-log(1 - bet) - bet) / 4, v = 4 * (x[t - 1] - mean) * (x[t - 1] - mean);
        weight += bet;
        weighted += bet * x[t - 1];
        penalty += v * psi;
    }
    return (gmc_interval){(weighted - log_limit - penalty) / weight,
                          (weighted + log_limit + penalty) / weight};
}

static void one_end_alone_is_that_of_the_interval(void **state)
{
    (void)state;
    static const int64_t COUNTS[][2] = {{0, 4}, {3, 9}, {40, 10}, {900, 100}, {499, 1}, {7, 0}};
    for (int i = 0; i < GMC_COUNT(COUNTS); i++) {
        int64_t s = COUNTS[i][0], f = COUNTS[i][1];
        gmc_interval at = counted(s, f, 0, 0.99);
        double lower = gmc_anytime_lower(s, f, 0.005), upper = 1 - gmc_anytime_lower(f, s, 0.005);
        ASSERT_NEAR(lower, at.lower, 1e-7); // as promised
        ASSERT_NEAR(upper, at.upper, 1e-7);
        assert_true(lower <= at.lower + 1e-12);
        assert_true(upper >= at.upper - 1e-12);
    }
}

static void several_cases_give_the_bernstein_sequence(void **state)
{
    (void)state;
    enum { DRAWS = 200, CASES = 20 };
    double x[DRAWS];
    gmc_anytime a = gmc_anytime_start(CASES, 0.9);
    for (int i = 0; i < DRAWS; i++) {
        int64_t successes = 12 + i * 7 % 5 - (i % 11 == 0 ? 9 : 0);
        x[i] = (double)successes / CASES;
        gmc_anytime_add(&a, (gmc_tally){.successes = successes, .failures = CASES - successes});
    }
    gmc_interval at = gmc_anytime_interval(&a), again = means_again(x, DRAWS, 0.9);
    ASSERT_NEAR(at.lower, again.lower, 1e-12); // rounding of sums of 200 terms
    ASSERT_NEAR(at.upper, again.upper, 1e-12);
    assert_true(at.upper - at.lower < 0.2);
}

int test_anytime(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_ends_are_where_the_wealth_reaches_its_limit),
        cmocka_unit_test(nothing_seen_says_nothing),
        cmocka_unit_test(unsolved_trials_widen_both_ends),
        cmocka_unit_test(the_interval_is_wider_than_wilsons_and_shrinks),
        cmocka_unit_test(one_end_alone_is_that_of_the_interval),
        cmocka_unit_test(several_cases_give_the_bernstein_sequence),
    };
    return cmocka_run_group_tests_name("anytime", tests, NULL, NULL);
}

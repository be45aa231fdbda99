#include "engine/base/status.h"
#include "sampling/estimate/cluster.h"
#include "sampling/estimate/effective.h"
#include "sampling/estimate/moments.h"
#include "sampling/estimate/proportion.h"
#include "sampling/random/student.h"
#include "test/support/near.h"

static gmc_tally tally(int64_t successes, int64_t failures, int64_t unsolved)
{
    return (gmc_tally){.successes = successes, .failures = failures, .unsolved = unsolved};
}

// The interval of the header, straight from the draws as they are counted on one side.
static gmc_interval expected(const gmc_tally *draws, int count, double level, bool is_good)
{
    double s = 0, n = 0, squares = 0, most = 0;
    for (int i = 0; i < count; i++) {
        s += (double)(draws[i].successes + (is_good ? draws[i].unsolved : 0));
        n += (double)gmc_tally_trials(draws[i]);
        most = fmax(most, (double)gmc_tally_trials(draws[i]));
    }
    for (int i = 0; i < count; i++) {
        double residual = (double)(draws[i].successes + (is_good ? draws[i].unsolved : 0)) -
                          s / n * (double)gmc_tally_trials(draws[i]);
        squares += residual * residual;
    }
    gmc_effective share = {.yes = s,
                           .no = n - s,
                           .variance = count / (count - 1.0) * squares / (n * n),
                           .factor = gmc_student_quantile(count - 1.0, 0.5 * (1 - level)) /
                                     gmc_proportion_z(level),
                           .weight = most / n};
    return gmc_effective_interval(&share, level);
}

static void equal_draws_give_what_the_header_says(void **state)
{
    (void)state;
    static const int SUCCESSES[] = {3, 9, 10, 4, 7, 8, 2, 6, 10, 5, 9, 1};
    gmc_tally draws[GMC_COUNT(SUCCESSES)];
    gmc_cluster c = {0};
    gmc_moments m = {0};
    for (int i = 0; i < GMC_COUNT(SUCCESSES); i++) {
        draws[i] = tally(SUCCESSES[i], 10 - SUCCESSES[i], 0);
        gmc_cluster_add(&c, draws[i]);
        gmc_moments_add(&m, SUCCESSES[i] / 10.0);
    }
    gmc_estimate e = gmc_cluster_estimate(&c, 0.95);
    gmc_interval i = expected(draws, GMC_COUNT(SUCCESSES), 0.95, false);
    gmc_interval t = gmc_moments_interval(&m, 0.95);
    ASSERT_NEAR_RELATIVE(e.p, m.mean, 1e-15); // roundings of either recurrence
    ASSERT_NEAR(e.lower, i.lower, 1e-12);
    ASSERT_NEAR(e.upper, i.upper, 1e-12);
    assert_true(e.lower == e.sampling_lower);
    assert_true(e.upper == e.sampling_upper);
    // where neither is rare it is about t's, and longer for the draw more
    assert_true(e.upper - e.lower > t.upper - t.lower);
    assert_true(e.upper - e.lower < 1.25 * (t.upper - t.lower));
    assert_int_equal(e.draws, 12);
    assert_int_equal(e.method, GMC_METHOD_DRAWS);
}

static void many_draws_give_the_t_interval(void **state)
{
    (void)state;
    gmc_cluster c = {0};
    gmc_moments m = {0};
    for (int i = 0; i < 2000; i++) {
        int successes = (i * 7919) % 11;
        gmc_cluster_add(&c, tally(successes, 10 - successes, 0));
        gmc_moments_add(&m, successes / 10.0);
    }
    gmc_estimate e = gmc_cluster_estimate(&c, 0.95);
    gmc_interval t = gmc_moments_interval(&m, 0.95);
    // the beta law and the draw more: of the order of 1/(half width · 2000), 2.5 % of 0.014
    ASSERT_NEAR(e.lower, t.lower, 0.025 * 0.014);
    ASSERT_NEAR(e.upper, t.upper, 0.025 * 0.014);
}

static void unsolved_trials_count_on_either_side(void **state)
{
    (void)state;
    static const gmc_tally DRAWS[] = {{3, 2, 0}, {4, 0, 1}, {1, 4, 0}, {2, 1, 2}, {5, 0, 0},
                                      {0, 5, 0}, {2, 3, 0}, {0, 0, 5}, {3, 1, 1}};
    gmc_cluster c = {0}, bad = {0};
    double s = 0.0, n = 0.0;
    for (int i = 0; i < GMC_COUNT(DRAWS); i++) {
        gmc_cluster_add(&c, DRAWS[i]);
        gmc_cluster_add(&bad, tally(DRAWS[i].successes, DRAWS[i].failures + DRAWS[i].unsolved, 0));
        s += (double)DRAWS[i].successes;
        n += (double)gmc_tally_decided(DRAWS[i]);
    }
    gmc_estimate e = gmc_cluster_estimate(&c, 0.9);
    assert_int_equal(e.draws, 8); // the draw without a decided trial says nothing of p
    assert_int_equal(e.tally.unsolved, 9);
    ASSERT_NEAR(e.p, s / n, 0.0);
    ASSERT_NEAR(e.lower, expected(DRAWS, GMC_COUNT(DRAWS), 0.9, false).lower, 1e-12);
    ASSERT_NEAR(e.upper, expected(DRAWS, GMC_COUNT(DRAWS), 0.9, true).upper, 1e-12);
    assert_true(e.lower == gmc_cluster_estimate(&bad, 0.9).lower);
    assert_true(e.lower < e.sampling_lower);
    assert_true(e.sampling_upper < e.upper);
    ASSERT_NEAR(e.unsolved_lower, 20.0 / 45.0, 0.0);
    ASSERT_NEAR(e.unsolved_upper, 29.0 / 45.0, 0.0);
}

static void the_order_of_draws_changes_no_bit(void **state)
{
    (void)state;
    gmc_cluster forward = {0}, backward = {0};
    for (int i = 0; i < 100; i++) {
        int j = 99 - i;
        gmc_cluster_add(&forward, tally(i * 7 % 23, 23 - i * 7 % 23, i % 3));
        gmc_cluster_add(&backward, tally(j * 7 % 23, 23 - j * 7 % 23, j % 3));
    }
    gmc_estimate a = gmc_cluster_estimate(&forward, 0.95);
    gmc_estimate b = gmc_cluster_estimate(&backward, 0.95);
    assert_true(a.p == b.p);
    assert_true(a.lower == b.lower);
    assert_true(a.upper == b.upper);
}

static void certainty_is_not_claimed_from_few_draws(void **state)
{
    (void)state;
    gmc_cluster all = {0}, rare = {0}, none = {0};
    for (int i = 0; i < 100; i++) {
        gmc_cluster_add(&all, tally(50, 0, 0));
        gmc_cluster_add(&none, tally(0, 50, 0));
        gmc_cluster_add(&rare, i < 4 ? tally(49, 1, 0) : tally(50, 0, 0));
    }
    // 0 of 100 draws with a failure: their share is below 1 − 0.025^(1/100) = 0.0362
    // (Clopper-Pearson)
    gmc_estimate e = gmc_cluster_estimate(&all, 0.95);
    assert_true(e.upper == 1.0);
    ASSERT_NEAR(e.lower, pow(0.025, 0.01), 1e-12);
    e = gmc_cluster_estimate(&none, 0.95);
    assert_true(e.lower == 0.0);
    ASSERT_NEAR(e.upper, 1.0 - pow(0.025, 0.01), 1e-12);
    // four draws that lost one case in fifty: still a whole draw may fail that none has shown
    e = gmc_cluster_estimate(&rare, 0.95);
    assert_true(e.lower < pow(0.025, 0.01));
    assert_true(e.lower > 1 - gmc_proportion_clopper_pearson(4, 100, 0.95).upper);
}

static void cases_that_fail_together_are_draws(void **state)
{
    (void)state;
    gmc_cluster c = {0};
    for (int i = 0; i < 400; i++)
        gmc_cluster_add(&c, i < 15 ? tally(0, 5, 0) : tally(5, 0, 0));
    gmc_estimate e = gmc_cluster_estimate(&c, 0.95);
    gmc_interval exact = gmc_proportion_clopper_pearson(385, 400, 0.95);
    // t over z and D − 1 for D: 0.3 % and 0.1 % of the half width
    ASSERT_NEAR(e.lower, exact.lower, 0.005 * (exact.upper - exact.lower));
    ASSERT_NEAR(e.upper, exact.upper, 0.005 * (exact.upper - exact.lower));
}

static void one_draw_says_nothing_about_others(void **state)
{
    (void)state;
    gmc_cluster c = {0};
    gmc_estimate e = gmc_cluster_estimate(&c, 0.95);
    assert_true(isnan(e.p));
    assert_true(e.lower == 0.0);
    assert_true(e.upper == 1.0);
    gmc_cluster_add(&c, tally(3, 4, 0));
    e = gmc_cluster_estimate(&c, 0.95);
    ASSERT_NEAR(e.p, 3.0 / 7.0, 0.0);
    assert_true(e.lower == 0.0);
    assert_true(e.upper == 1.0);
}

int test_cluster(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_draws_give_what_the_header_says),
        cmocka_unit_test(many_draws_give_the_t_interval),
        cmocka_unit_test(unsolved_trials_count_on_either_side),
        cmocka_unit_test(the_order_of_draws_changes_no_bit),
        cmocka_unit_test(certainty_is_not_claimed_from_few_draws),
        cmocka_unit_test(cases_that_fail_together_are_draws),
        cmocka_unit_test(one_draw_says_nothing_about_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "engine/base/status.h"
#include "sampling/estimate/cluster.h"
#include "sampling/estimate/moments.h"
#include "sampling/estimate/proportion.h"
#include "sampling/estimate/student.h"
#include "test/support/near.h"

static gmc_tally tally(int64_t successes, int64_t failures, int64_t unsolved)
{
    return (gmc_tally){.successes = successes, .failures = failures, .unsolved = unsolved};
}

static void equal_draws_give_the_t_interval_on_their_means(void **state)
{
    (void)state;
    static const int SUCCESSES[] = {3, 9, 10, 4, 7, 8, 2, 6, 10, 5, 9, 1};
    gmc_cluster c = {0};
    gmc_moments m = {0};
    for (int i = 0; i < GMC_COUNT(SUCCESSES); i++) {
        gmc_cluster_add(&c, tally(SUCCESSES[i], 10 - SUCCESSES[i], 0));
        gmc_moments_add(&m, SUCCESSES[i] / 10.0);
    }
    gmc_estimate e = gmc_cluster_estimate(&c, 0.95);
    gmc_interval t = gmc_moments_interval(&m, 0.95);
    ASSERT_NEAR_RELATIVE(e.p, m.mean, 1e-15); // roundings of either recurrence
    ASSERT_NEAR(e.lower, t.lower, 1e-14);
    ASSERT_NEAR(e.upper, t.upper, 1e-14);
    assert_false(e.is_widened);
    assert_int_equal(e.draws, 12);
    assert_int_equal(e.method, GMC_METHOD_DRAWS);
}

static void unequal_draws_give_the_ratio_estimate(void **state)
{
    (void)state;
    static const gmc_tally DRAWS[] = {{3, 2, 0}, {4, 0, 1}, {1, 4, 0}, {2, 1, 2}, {5, 0, 0},
                                      {0, 5, 0}, {2, 3, 0}, {0, 0, 5}, {3, 1, 1}};
    gmc_cluster c = {0};
    double s = 0.0, n = 0.0, squares = 0.0;
    for (int i = 0; i < GMC_COUNT(DRAWS); i++) {
        gmc_cluster_add(&c, DRAWS[i]);
        s += (double)DRAWS[i].successes;
        n += (double)gmc_tally_decided(DRAWS[i]);
    }
    for (int i = 0; i < GMC_COUNT(DRAWS); i++) { // the formula of the header, straight
        double residual = (double)DRAWS[i].successes - s / n * (double)gmc_tally_decided(DRAWS[i]);
        squares += residual * residual;
    }
    double half = gmc_student_quantile(7.0, 0.05) * sqrt(8.0 / 7.0 * squares) / n;
    gmc_estimate e = gmc_cluster_estimate(&c, 0.9);
    assert_int_equal(e.draws, 8); // the draw without a decided trial says nothing
    assert_int_equal(e.tally.unsolved, 9);
    ASSERT_NEAR(e.p, s / n, 0.0);
    ASSERT_NEAR(e.lower, s / n - half, 1e-14);
    ASSERT_NEAR(e.upper, s / n + half, 1e-14);
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
    assert_true(a.p == b.p && a.lower == b.lower && a.upper == b.upper);
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
    assert_true(e.is_widened && e.upper == 1.0);
    ASSERT_NEAR(e.lower, pow(0.025, 0.01), 1e-12);
    e = gmc_cluster_estimate(&none, 0.95);
    assert_true(e.is_widened && e.lower == 0.0);
    ASSERT_NEAR(e.upper, 1.0 - pow(0.025, 0.01), 1e-12);
    e = gmc_cluster_estimate(&rare, 0.95);
    gmc_interval failing = gmc_proportion_clopper_pearson(4, 100, 0.95);
    assert_true(e.is_widened);
    ASSERT_NEAR(e.lower, 1.0 - failing.upper, 1e-15);
    gmc_cluster_add(&rare, tally(49, 1, 0));
    assert_false(gmc_cluster_estimate(&rare, 0.95).is_widened);
}

static void one_draw_says_nothing_about_others(void **state)
{
    (void)state;
    gmc_cluster c = {0};
    gmc_estimate e = gmc_cluster_estimate(&c, 0.95);
    assert_true(isnan(e.p) && e.lower == 0.0 && e.upper == 1.0);
    gmc_cluster_add(&c, tally(3, 4, 0));
    e = gmc_cluster_estimate(&c, 0.95);
    ASSERT_NEAR(e.p, 3.0 / 7.0, 0.0);
    assert_true(e.lower == 0.0 && e.upper == 1.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_draws_give_the_t_interval_on_their_means),
        cmocka_unit_test(unequal_draws_give_the_ratio_estimate),
        cmocka_unit_test(the_order_of_draws_changes_no_bit),
        cmocka_unit_test(certainty_is_not_claimed_from_few_draws),
        cmocka_unit_test(one_draw_says_nothing_about_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

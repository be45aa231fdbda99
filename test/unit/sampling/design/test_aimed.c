#include "sampling/design/subset.h"
#include "test/support/near.h"

static void draws_of_one_weight_are_clopper_and_pearsons(void **state)
{
    (void)state;
    gmc_aimed a = {0};
    for (int i = 0; i < 400; i++)
        gmc_aimed_add(&a, 1, false, i < 100);
    gmc_aimed_estimate e = gmc_aimed_estimate_of(&a, 0.95);
    gmc_interval exact = gmc_proportion_clopper_pearson(100, 400, 0.95);
    assert_true(e.p == 0.25);
    assert_true(e.effective == 100);
    // the variance is that of n - 1, and t in place of z
    ASSERT_BELOW(fabs(e.interval.lower - exact.lower), 1e-3);
    ASSERT_BELOW(fabs(e.interval.upper - exact.upper), 1e-3);
    ASSERT_BELOW(fabs(e.variation - sqrt(0.75 / 0.25 / 399)), 1e-12);
}

static void however_rare_the_interval_has_the_same_shape(void **state)
{
    (void)state;
    gmc_aimed a = {0}, b = {0};
    for (int i = 0; i < 300; i++) {
        double weight = 1e-6 * (1 + i % 7);
        gmc_aimed_add(&a, weight, false, i % 2);
        gmc_aimed_add(&b, 1e-15 * weight, false, i % 2);
    }
    gmc_aimed_estimate x = gmc_aimed_estimate_of(&a, 0.95), y = gmc_aimed_estimate_of(&b, 0.95);
    ASSERT_BELOW(fabs(y.p / x.p * 1e15 - 1), 1e-12);
    ASSERT_BELOW(fabs(y.interval.lower / x.interval.lower * 1e15 - 1), 1e-9);
    ASSERT_BELOW(fabs(y.interval.upper / x.interval.upper * 1e15 - 1), 1e-9);
    assert_true(x.interval.lower > 0.7 * x.p);
    assert_true(x.interval.upper < 1.4 * x.p);
}

static void few_hits_and_one_heavy_hit_give_no_interval(void **state)
{
    (void)state;
    gmc_aimed none = {0}, few = {0}, heavy = {0};
    for (int i = 0; i < 100; i++) {
        gmc_aimed_add(&none, 1e-4, false, false);
        gmc_aimed_add(&few, 1e-4, false, i < GMC_AIMED_LEAST - 1);
        gmc_aimed_add(&heavy, i == 0 ? 1 : 1e-4, false, i < 50);
    }
    gmc_aimed_estimate e = gmc_aimed_estimate_of(&none, 0.95);
    assert_true(e.p == 0);
    assert_true(isnan(e.variation));
    assert_true(e.interval.lower == 0);
    assert_true(e.interval.upper == 1);
    assert_true(gmc_aimed_estimate_of(&few, 0.95).interval.upper == 1);
    e = gmc_aimed_estimate_of(&heavy, 0.95);
    assert_true(e.effective < 2);
    assert_true(e.interval.lower == 0);
    assert_true(e.interval.upper == 1);
}

static void what_was_not_known_of_gives_no_interval(void **state)
{
    (void)state;
    gmc_aimed known = {0}, blind = {0};
    for (int i = 0; i < 200; i++) {
        gmc_aimed_add(&known, 1e-4, i < 2, i < 100); // 2 % of the estimate
        gmc_aimed_add(&blind, 1e-4, i < 4, i < 100); // 4 %
    }
    gmc_aimed_estimate e = gmc_aimed_estimate_of(&known, 0.95);
    assert_true(e.is_told);
    ASSERT_BELOW(fabs(e.blind - 0.02), 1e-12);
    ASSERT_BELOW(e.interval.upper, 1e-4);
    e = gmc_aimed_estimate_of(&blind, 0.95);
    assert_true(!e.is_told);
    ASSERT_BELOW(fabs(e.blind - 0.04), 1e-12);
    assert_true(e.interval.lower == 0);
    assert_true(e.interval.upper == 1);
}

static void a_sum_above_1_is_clipped(void **state)
{
    (void)state;
    gmc_aimed all = {0}, few = {0};
    for (int i = 0; i < 400; i++)
        gmc_aimed_add(&all, i % 2 ? 1.4 : 0.62, false, true); // 1.01 on average
    for (int i = 0; i < 8; i++)
        gmc_aimed_add(&few, 1.1 + 0.1 * (i % 2), false, true);
    gmc_aimed_estimate e = gmc_aimed_estimate_of(&all, 0.95);
    assert_true(e.is_told);
    assert_true(e.p == 1);
    assert_true(e.interval.upper == 1);
    assert_true(e.interval.lower > 0.9);
    e = gmc_aimed_estimate_of(&few, 0.95);
    assert_true(!e.is_told);
    assert_true(e.p == 1);
}

int test_aimed(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(draws_of_one_weight_are_clopper_and_pearsons),
        cmocka_unit_test(however_rare_the_interval_has_the_same_shape),
        cmocka_unit_test(few_hits_and_one_heavy_hit_give_no_interval),
        cmocka_unit_test(what_was_not_known_of_gives_no_interval),
        cmocka_unit_test(a_sum_above_1_is_clipped)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

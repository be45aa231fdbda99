#include "sampling/estimate/difference.h"
#include "sampling/explain/effects.h"
#include "test/support/near.h"

static void moments_of_effects(void **state)
{
    (void)state;
    const double effects[] = {1, -2, 3, 0, 5, 2};
    gmc_effects e = gmc_effects_of(effects, 6, 5, false, 0.5, 0.95);
    ASSERT_NEAR(e.size.value, 13 / 6.0, 1e-15);
    ASSERT_NEAR(e.mean.value, 9 / 6.0, 1e-15);
    ASSERT_NEAR(e.spread.value, sqrt((43 - 81 / 6.0) / 5), 1e-14);
    assert_int_equal(e.changing, 5);
    // t of 5 degrees of freedom at 0.975 from tables; sizes 1 2 3 0 5 2 have the variance 89/30
    double half = 2.570581835636314 * sqrt(89 / 30.0 / 6);
    ASSERT_NEAR(e.size.interval.lower, 13 / 6.0 - half, 1e-12);
    ASSERT_NEAR(e.size.interval.upper, 13 / 6.0 + half, 1e-12);
    assert_false(e.size.is_widened);
}

static void a_binary_outcome_has_the_interval_of_a_share(void **state)
{
    (void)state;
    double effects[20] = {-2, -2, -2};
    gmc_effects e = gmc_effects_of(effects, 20, 1, true, 0.5, 0.95);
    gmc_interval share = gmc_proportion_clopper_pearson(3, 20, 0.95);
    ASSERT_NEAR(e.size.value, 0.3, 1e-15);
    ASSERT_NEAR(e.size.interval.lower, 2 * share.lower, 1e-15);
    ASSERT_NEAR(e.size.interval.upper, 2 * share.upper, 1e-15);
    assert_true(e.spread.interval.lower < e.spread.value);
    assert_true(e.spread.value < e.spread.interval.upper);
    assert_true(e.spread.interval.upper <= 2);
}

// All trials succeed, or all fail: outcomes have no span, and may have one in others.
static void a_binary_outcome_that_never_changed_keeps_a_bound(void **state)
{
    (void)state;
    double effects[16] = {0};
    gmc_effects e = gmc_effects_of(effects, 16, 0, true, 0.5, 0.95);
    gmc_interval mean = gmc_difference_tango(0, 0, 16, 0.95);
    assert_true(e.mean.value == 0);
    assert_true(mean.upper > 0.15);
    ASSERT_NEAR(e.mean.interval.lower, 2 * mean.lower, 1e-15);
    ASSERT_NEAR(e.mean.interval.upper, 2 * mean.upper, 1e-15);
    assert_true(e.size.interval.upper > 0.3);
    assert_true(e.spread.interval.upper > 0.3);
    double down[16] = {-2, -2};
    e = gmc_effects_of(down, 16, 1, true, 0.5, 0.95);
    mean = gmc_difference_tango(2, 0, 16, 0.95);
    ASSERT_NEAR(e.mean.interval.lower, 2 * mean.lower, 1e-15);
    ASSERT_NEAR(e.mean.interval.upper, 2 * mean.upper, 1e-15);
    assert_true(mean.lower < -0.3);
    assert_true(mean.upper > 0);
}

static void an_input_that_changed_nothing_keeps_a_bound(void **state)
{
    (void)state;
    double effects[30] = {0};
    double share = gmc_proportion_clopper_pearson(0, 30, 0.95).upper;
    gmc_effects e = gmc_effects_of(effects, 30, 4, false, 0.5, 0.95);
    assert_true(e.size.is_widened);
    ASSERT_NEAR(e.size.interval.upper, share * 8, 1e-12);
    ASSERT_NEAR(e.mean.interval.lower, -share * 8, 1e-12);
    ASSERT_NEAR(e.spread.interval.upper, sqrt(share) * 8, 1e-12);
    e = gmc_effects_of(effects, 0, 0, false, 0.5, 0.95);
    assert_true(isnan(e.size.value));
}

static void few_and_skewed_effects_are_told(void **state)
{
    (void)state;
    double even[16], tail[16], same[16], few[16] = {0};
    for (int i = 0; i < 16; i++) {
        even[i] = i - 7;
        tail[i] = i == 3 ? 10 : 1e-3 * i;
        same[i] = 3 * (1 + 1e-15 * (i == 5));
    }
    few[2] = 1;
    assert_false(gmc_effects_of(even, 16, 10, false, 0.5, 0.95).is_skewed);
    assert_true(gmc_effects_of(tail, 16, 10, false, 0.5, 0.95).is_skewed);
    assert_false(gmc_effects_of(same, 16, 10, false, 0.5, 0.95).is_skewed); // of rounding
    assert_false(gmc_effects_of(few, 16, 10, false, 0.5, 0.95).is_skewed);  // is widened
    assert_false(gmc_effects_of(few, 16, 1, true, 0.5, 0.95).is_skewed);
}

int test_effects(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moments_of_effects),
        cmocka_unit_test(a_binary_outcome_has_the_interval_of_a_share),
        cmocka_unit_test(a_binary_outcome_that_never_changed_keeps_a_bound),
        cmocka_unit_test(few_and_skewed_effects_are_told),
        cmocka_unit_test(an_input_that_changed_nothing_keeps_a_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

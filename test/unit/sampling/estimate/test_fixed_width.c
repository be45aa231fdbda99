#include "engine/base/status.h"
#include "sampling/estimate/fixed_width.h"
#include "sampling/estimate/proportion.h"
#include "test/support/near.h"

#include <math.h>
#include <string.h>

static void it_is_for_the_width_of_one_case(void **state)
{
    (void)state;
    gmc_stop_rule width = {GMC_STOP_HALF_WIDTH, 0.05}, least = {GMC_STOP_AT_LEAST, 0.9};
    assert_true(gmc_fixed_width_is_used(width, 1, 0.95));
    assert_false(gmc_fixed_width_is_used(width, 2, 0.95));
    assert_false(gmc_fixed_width_is_used(least, 1, 0.95));
    assert_false(gmc_fixed_width_is_used((gmc_stop_rule){GMC_STOP_NEVER, 0}, 1, 0.95));
    // where it was fitted
    assert_true(gmc_fixed_width_is_used(width, 1, 0.9));
    assert_true(gmc_fixed_width_is_used(width, 1, 0.99));
    assert_false(gmc_fixed_width_is_used(width, 1, 0.8));
    assert_false(gmc_fixed_width_is_used(width, 1, 0.995));
    assert_false(gmc_fixed_width_is_used((gmc_stop_rule){GMC_STOP_HALF_WIDTH, 0.31}, 1, 0.95));
}

static void the_interval_is_that_of_the_header(void **state)
{
    (void)state;
    // by hand: z = 1.959964, z' = z (1 + 0.048), a = 3.841459
    ASSERT_NEAR(gmc_fixed_width_z(0.05, 0.95), 1.959964 * 1.048, 1e-6);
    ASSERT_NEAR(gmc_fixed_width_z(0.1, 0.9), 1.644854 * (1 + 0.073 * 1.549894), 1e-6);
    gmc_tally t = {.successes = 360, .failures = 40};
    double centre = (360 + 1.9207295) / 403.841459,
           half = 2.0540423 * sqrt(centre * (1 - centre) / 403.841459);
    gmc_estimate e = gmc_fixed_width_estimate(t, 0.05, 0.95);
    assert_int_equal(e.method, GMC_METHOD_FIXED_WIDTH);
    ASSERT_NEAR(e.p, 0.9, 0);
    ASSERT_NEAR(e.lower, centre - half, 1e-6);
    ASSERT_NEAR(e.upper, centre + half, 1e-6);
    ASSERT_NEAR(gmc_fixed_width_half(360, 400, 0.05, 0.95), half, 1e-6);
    char text[GMC_ESTIMATE_TEXT_MAX];
    assert_non_null(strstr(gmc_estimate_text(&e, text), "95 % fixed-width sequential, 360 of 400"));
}

static void failures_mirror_successes(void **state)
{
    (void)state;
    for (int64_t s = 0; s <= 200; s += 8) {
        gmc_tally t = {.successes = s, .failures = 200 - s};
        gmc_tally mirrored = {.successes = 200 - s, .failures = s};
        gmc_estimate a = gmc_fixed_width_estimate(t, 0.08, 0.95);
        gmc_estimate b = gmc_fixed_width_estimate(mirrored, 0.08, 0.95);
        assert_int_equal(a.method, b.method);
        ASSERT_NEAR(a.lower, 1 - b.upper, 1e-12);
        assert_true(0 <= a.lower);
        assert_true(a.lower <= a.p);
        assert_true(a.p <= a.upper);
        assert_true(a.upper <= 1);
    }
}

static void before_the_width_it_is_clopper_and_pearsons(void **state)
{
    (void)state;
    gmc_tally t = {.successes = 36, .failures = 4, .unsolved = 2};
    assert_false(gmc_fixed_width_is_reached(t, 0.05, 0.95));
    gmc_estimate e = gmc_fixed_width_estimate(t, 0.05, 0.95);
    assert_int_equal(e.method, GMC_METHOD_CLOPPER_PEARSON);
    ASSERT_NEAR(e.lower, gmc_proportion_clopper_pearson(36, 42, 0.95).lower, 0);
    ASSERT_NEAR(e.upper, gmc_proportion_clopper_pearson(38, 42, 0.95).upper, 0);
    gmc_tally none = {0};
    e = gmc_fixed_width_estimate(none, 0.9, 0.95);
    assert_true(isnan(e.p));
    assert_true(e.lower == 0);
    assert_true(e.upper == 1);
}

static void unsolved_trials_keep_a_run_going(void **state)
{
    (void)state;
    gmc_tally solved = {.successes = 9000, .failures = 1000};
    gmc_tally open = {.successes = 9000, .failures = 1000, .unsolved = 1500};
    assert_true(gmc_fixed_width_is_reached(solved, 0.05, 0.95));
    assert_false(gmc_fixed_width_is_reached(open, 0.05, 0.95)); // 0.13 apart, whatever the number
    gmc_estimate e = gmc_fixed_width_estimate(open, 0.1, 0.95);
    assert_int_equal(e.method, GMC_METHOD_FIXED_WIDTH);
    assert_true(e.lower < 9000.0 / 11500);
    assert_true(e.upper > 10500.0 / 11500);
}

static void sampling_is_never_beyond_the_whole(void **state)
{
    (void)state;
    for (int64_t n = 20; n <= 1000; n += 49)
        for (int64_t failures = 0; failures <= n / 2; failures += 7)
            for (int64_t unsolved = 0; unsolved <= 2; unsolved++) {
                gmc_tally tally = {
                    .successes = n - failures, .failures = failures, .unsolved = unsolved};
                gmc_estimate e = gmc_fixed_width_estimate(tally, 0.05, 0.95);
                gmc_interval alone = gmc_estimate_sampling(&e);
                assert_true(e.lower <= alone.lower);
                assert_true(alone.upper <= e.upper);
                if (unsolved > 0) continue;
                assert_true(e.lower == alone.lower);
                assert_true(alone.upper == e.upper);
            }
}

int test_fixed_width(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sampling_is_never_beyond_the_whole),
        cmocka_unit_test(it_is_for_the_width_of_one_case),
        cmocka_unit_test(the_interval_is_that_of_the_header),
        cmocka_unit_test(failures_mirror_successes),
        cmocka_unit_test(before_the_width_it_is_clopper_and_pearsons),
        cmocka_unit_test(unsolved_trials_keep_a_run_going),
    };
    return cmocka_run_group_tests_name("fixed_width", tests, NULL, NULL);
}

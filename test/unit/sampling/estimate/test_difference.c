#include "engine/base/status.h"
#include "sampling/estimate/difference.h"
#include "test/support/near.h"

static void tango_agrees_with_the_likelihood_maximised(void **state)
{
    (void)state;
    // scipy 1.10: the score with the constrained likelihood maximised numerically, its roots by
    // brentq
    static const struct {
        int64_t only_first, only_second, pairs;
        double lower, upper;
    } KNOWN[] = {
        {1, 0, 44, -0.11807710, 0.05939323},
        {5, 12, 100, -0.01186321, 0.15741561},
        {0, 3, 30, -0.02486473, 0.25621083},
        {40, 10, 500, -0.08940598, -0.03371842},
    };
    for (int i = 0; i < GMC_COUNT(KNOWN); i++) {
        gmc_interval found =
            gmc_difference_tango(KNOWN[i].only_first, KNOWN[i].only_second, KNOWN[i].pairs, 0.95);
        ASSERT_NEAR(found.lower, KNOWN[i].lower, 1e-7); // digits of the optimiser
        ASSERT_NEAR(found.upper, KNOWN[i].upper, 1e-7);
        gmc_interval turned =
            gmc_difference_tango(KNOWN[i].only_second, KNOWN[i].only_first, KNOWN[i].pairs, 0.95);
        ASSERT_NEAR(turned.lower, -found.upper, 1e-14); // bisections from either side
        ASSERT_NEAR(turned.upper, -found.lower, 1e-14);
    }
}

static void tango_has_a_length_where_nothing_changed(void **state)
{
    (void)state;
    double z = gmc_proportion_z(0.95);
    gmc_interval same = gmc_difference_tango(0, 0, 50, 0.95);
    ASSERT_NEAR(same.upper, z * z / (50 + z * z), 1e-14); // the closed form there is
    ASSERT_NEAR(same.lower, -same.upper, 1e-14);
    gmc_interval all = gmc_difference_tango(0, 50, 50, 0.95);
    assert_true(all.upper <= 1);
    assert_true(all.upper > 1 - 1e-9);
    assert_true(all.lower > 0.8);
    gmc_interval none = gmc_difference_tango(0, 0, 0, 0.95);
    assert_true(none.lower == -1);
    assert_true(none.upper == 1);
}

static void mid_p_is_the_sum_of_the_binomial_tail(void **state)
{
    (void)state;
    ASSERT_NEAR_RELATIVE(gmc_difference_mid_p(1, 7), 2 * (1 + 0.5 * 8) / 256.0, 1e-12);
    ASSERT_NEAR_RELATIVE(gmc_difference_mid_p(3, 0), 2 * 0.5 / 8, 1e-12);
    // scipy 1.10: binom.cdf and pmf
    ASSERT_NEAR_RELATIVE(gmc_difference_mid_p(12, 5), 0.09625244140625006, 1e-12);
    ASSERT_NEAR_RELATIVE(gmc_difference_mid_p(40, 80), 0.00024421702449694497, 1e-10);
    ASSERT_NEAR_RELATIVE(gmc_difference_mid_p(600, 500), 0.0025647727977531768, 1e-10);
    assert_true(gmc_difference_mid_p(0, 0) == 1);
    assert_true(gmc_difference_mid_p(9, 9) == 1);
}

static gmc_estimate wilson(int64_t successes, int64_t failures)
{
    gmc_tally tally = {.successes = successes, .failures = failures};
    gmc_estimate e = gmc_estimate_of(tally, 0.95, GMC_METHOD_WILSON);
    gmc_interval i = gmc_proportion_wilson(successes, successes + failures, 0.95);
    e.lower = e.sampling_lower = i.lower; // for few failures, too
    e.upper = e.sampling_upper = i.upper;
    return e;
}

static void apart_gives_the_published_interval(void **state)
{
    (void)state;
    // [newcombe1998], table II: 56/70 against 48/80, method 10
    gmc_estimate first = wilson(48, 32), second = wilson(56, 14);
    gmc_interval found = gmc_difference_apart(&first, &second);
    ASSERT_NEAR(found.lower, 0.0524, 0.00005); // as printed there
    ASSERT_NEAR(found.upper, 0.3339, 0.00005);
    gmc_interval bounds = gmc_difference_bounds(&first, &second);
    assert_true(bounds.lower < found.lower);
    assert_true(bounds.upper > found.upper);
    ASSERT_NEAR(bounds.upper, second.upper - first.lower, 0);
    gmc_estimate none = wilson(0, 0);
    gmc_interval unknown = gmc_difference_apart(&none, &second);
    assert_true(unknown.lower == -1);
    assert_true(unknown.upper == 1);
}

int test_difference(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tango_agrees_with_the_likelihood_maximised),
        cmocka_unit_test(tango_has_a_length_where_nothing_changed),
        cmocka_unit_test(mid_p_is_the_sum_of_the_binomial_tail),
        cmocka_unit_test(apart_gives_the_published_interval),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "engine/base/status.h"
#include "sampling/estimate/moments.h"
#include "test/support/near.h"

static void known_numbers(void **state)
{
    (void)state;
    static const double VALUES[] = {2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0}; // mean 5, squares 32
    gmc_moments m = {0};
    for (int i = 0; i < GMC_COUNT(VALUES); i++)
        gmc_moments_add(&m, VALUES[i]);
    assert_int_equal(m.count, 8);
    ASSERT_NEAR(m.mean, 5.0, 1e-15); // a few roundings
    ASSERT_NEAR_RELATIVE(gmc_moments_sd(&m), sqrt(32.0 / 7.0), 1e-15);
    assert_true(m.least == 2.0);
    assert_true(m.most == 9.0);

    // t_7(0.975) = 2.36462425159278 (scipy 1.10)
    gmc_interval i = gmc_moments_interval(&m, 0.95);
    ASSERT_NEAR(i.upper - m.mean, 2.36462425159278 * sqrt(32.0 / 7.0 / 8.0), 1e-13);
    ASSERT_NEAR(m.mean - i.lower, i.upper - m.mean, 1e-14);
}

static void a_large_offset_costs_no_digits(void **state)
{
    (void)state;
    gmc_moments m = {0};
    for (int i = 0; i < 1000; i++)
        gmc_moments_add(&m, 1e9 + (i % 2));
    // the values are exact; the mean carries 1e9 · 2^-53 = 1e-7, which enters the square of 1/2
    ASSERT_NEAR(gmc_moments_sd(&m), sqrt(250.0 / 999.0), 1e-6);
}

static void too_few_or_not_finite(void **state)
{
    (void)state;
    gmc_moments m = {0};
    assert_true(isnan(gmc_moments_sd(&m)));
    gmc_moments_add(&m, -3.0);
    gmc_moments_add(&m, (double)NAN);
    gmc_moments_add(&m, HUGE_VAL);
    assert_int_equal(m.count, 1);
    assert_int_equal(m.not_finite, 2);
    assert_true(m.least == -3.0);
    assert_true(m.most == -3.0);
    assert_true(m.mean == -3.0);
    gmc_interval i = gmc_moments_interval(&m, 0.95);
    assert_true(i.lower == -HUGE_VAL);
    assert_true(i.upper == HUGE_VAL);
}

int test_moments(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_numbers),
        cmocka_unit_test(a_large_offset_costs_no_digits),
        cmocka_unit_test(too_few_or_not_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

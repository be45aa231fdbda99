#include "engine/base/status.h"
#include "sampling/estimate/moments.h"
#include "test/support/near.h"

static gmc_tail tail_of(const double *values, int count)
{
    gmc_tail tail = {0};
    for (int i = 0; i < count; i++)
        gmc_tail_add(&tail, values[i]);
    return tail;
}

static void known_numbers(void **state)
{
    (void)state;
    static const double VALUES[] = {2, 4, 4, 4, 5, 5, 7, 9, (double)NAN};
    gmc_tail tail = tail_of(VALUES, GMC_COUNT(VALUES));
    // distances from 5: -3, -1, -1, -1, 0, 0, 2, 4
    ASSERT_NEAR(tail.sums[0], 32, 1e-13); // a few roundings, here and below
    ASSERT_NEAR(tail.sums[1], 42, 1e-13);
    ASSERT_NEAR(tail.sums[2], 356, 1e-12);
    ASSERT_NEAR(gmc_tail_draws(&tail), 32.0 * 32 / 356, 1e-13);
    assert_true(gmc_tail_is_heavy(&tail) == false); // of a kurtosis of 8 * 356 / 32² = 2.8
}

static void an_offset_and_a_scale_change_nothing(void **state)
{
    (void)state;
    enum { COUNT = 300 };
    double plain[COUNT], moved[COUNT];
    for (int i = 0; i < COUNT; i++) {
        plain[i] = (i * 37 % COUNT) * (i * 37 % COUNT);
        moved[i] = 1e6 + 1e-3 * plain[i];
    }
    gmc_tail a = tail_of(plain, COUNT), b = tail_of(moved, COUNT);
    // roundings of 1e6 2^-53 beside distances of 30
    ASSERT_NEAR_RELATIVE(gmc_tail_draws(&a), gmc_tail_draws(&b), 1e-10);
}

// One of n draws that is apart: n_v is 1 + 1/(n - 2) or so, (n - 1)²/n² of the sum of its own.
static void one_draw_apart_is_a_tail(void **state)
{
    (void)state;
    for (int n = 5; n <= 5000; n *= 10) {
        gmc_tail tail = {0};
        for (int i = 0; i < n; i++)
            gmc_tail_add(&tail, i == n / 2 ? 7 : 3);
        // squares: (n-1)² + (n-1) times 1/n², fourth powers: (n-1)⁴ + (n-1) times 1/n⁴
        double m = n - 1, squares = m * m + m, fourth = m * m * m * m + m;
        ASSERT_NEAR_RELATIVE(gmc_tail_draws(&tail), squares * squares / fourth, 1e-10);
        assert_int_equal(gmc_tail_is_heavy(&tail), n > 5); // of five it is a kurtosis of 3.25
    }
}

static void what_does_not_vary_has_none(void **state)
{
    (void)state;
    gmc_tail tail = {0};
    assert_true(gmc_tail_draws(&tail) == 0);
    assert_true(!gmc_tail_is_heavy(&tail));
    for (int i = 0; i < 1000; i++)
        gmc_tail_add(&tail, 0.1);
    assert_true(gmc_tail_draws(&tail) == 0);
    assert_true(!gmc_tail_is_heavy(&tail));
}

// 25 G1² values are enough: of n with one apart G1 is (n - 2)/sqrt(n - 1), so they never are; of
// what is symmetric any number is.
static void means_of_few_and_skewed_values_are_told(void **state)
{
    (void)state;
    for (int n = 20; n <= 2000; n *= 10) {
        gmc_tail one = {0}, even = {0}, half = {0};
        for (int i = 0; i < n; i++) {
            gmc_tail_add(&one, i == n / 2 ? 7 : 3);
            gmc_tail_add(&even, i - 0.5 * (n - 1));
            gmc_tail_add(&half, i % 4 == 0); // G1² of a quarter: (1 - 2/4)²/(3/16) = 4/3
        }
        assert_true(gmc_tail_is_skewed(&one));
        assert_true(!gmc_tail_is_skewed(&even));
        assert_int_equal(gmc_tail_is_skewed(&half), n < 33); // 25 times 4/3
    }
    gmc_tail none = {0};
    assert_true(gmc_tail_is_skewed(&none));
}

int test_tail(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_numbers),
        cmocka_unit_test(an_offset_and_a_scale_change_nothing),
        cmocka_unit_test(one_draw_apart_is_a_tail),
        cmocka_unit_test(what_does_not_vary_has_none),
        cmocka_unit_test(means_of_few_and_skewed_values_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

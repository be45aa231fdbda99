#include "engine/base/status.h"
#include "sampling/estimate/fixed_width.h"
#include "sampling/estimate/needed.h"
#include "sampling/estimate/proportion.h"
#include "test/support/near.h"

#include <math.h>

static double wilson_half(int64_t successes, int64_t n)
{
    gmc_interval i = gmc_proportion_wilson(successes, n, 0.95);
    return 0.5 * (i.upper - i.lower);
}

static gmc_needed alone(double p) { return (gmc_needed){.p = p, .case_count = 1}; }

static gmc_needed shared(double p, int64_t cases, double agreement)
{
    return (gmc_needed){.p = p, .case_count = cases, .agreement = agreement};
}

static int64_t fixed(gmc_needed guess, double width)
{
    return gmc_needed_fixed(&guess, width, 0.95);
}

static int64_t until(gmc_needed guess, double width)
{
    return gmc_needed_until(&guess, width, 0.95);
}

static void a_number_fixed_beforehand_is_the_least_that_does(void **state)
{
    (void)state;
    int64_t n = fixed(alone(0.5), 0.01);
    assert_in_range(n, 9600, 9604); // (1.96 / 0.02)² = 9604, and z² less by Wilson
    assert_true(wilson_half(n / 2, n) < 0.01);
    assert_true(wilson_half(n / 2 - 1, n - 2) >= 0.01);
    int64_t rare = fixed(alone(0.01), 0.01);
    assert_true(rare > 300);
    assert_true(rare < 600);
    assert_in_range(fixed(shared(0.5, 7, 1), 0.01), 9604, 9612);
    assert_true(fixed(alone(0.5), 1e-9) == GMC_NEEDED_MOST);
    assert_true(fixed(alone(0.5), 0.49) <= 2);
}

static void a_width_of_one_case_stops_where_it_says(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        double p = 0.5 + 0.2 * i;
        int64_t n = until(alone(p), 0.02), least = fixed(alone(p), 0.02);
        assert_true(n > least);
        assert_true((double)n < 1.1 * (double)least);
        gmc_tally there = {.successes = (int64_t)round(p * (double)n)};
        there.failures = n - there.successes;
        gmc_tally before = there; // a hundredth less
        before.successes -= (int64_t)(0.01 * p * (double)n);
        before.failures -= (int64_t)(0.01 * (1 - p) * (double)n);
        assert_false(gmc_fixed_width_is_reached(before, 0.02, 0.95));
        there.successes += 1 + (int64_t)(0.01 * p * (double)n);
        there.failures += (int64_t)(0.01 * (1 - p) * (double)n);
        assert_true(gmc_fixed_width_is_reached(there, 0.02, 0.95));
    }
}

static void cases_that_share_draws_take_more_the_more_they_agree(void **state)
{
    (void)state;
    int64_t few = until(shared(0.5, 20, 0), 0.05), half = until(shared(0.5, 20, 0.5), 0.05),
            all = until(shared(0.5, 20, 1), 0.05);
    assert_true(few < half);
    assert_true(half < all);
    assert_true(all > 3 * until(alone(0.5), 0.05)); // the confidence sequence
    assert_int_equal(all, until(shared(0.5, 3, 1), 0.05));
    assert_true(until(shared(0.9, 2, 1), 0.05) < until(shared(0.5, 2, 1), 0.05));
    // t over draws: with the variance of their means
    double times =
        (double)fixed(shared(0.5, 20, 1), 0.01) / (double)fixed(shared(0.5, 20, 0.2), 0.01);
    ASSERT_NEAR(times, 1 / (0.2 + 0.8 / 20), 0.02);
    gmc_needed free = shared(0.5, 20, 1);
    free.is_independent = true;
    assert_in_range(fixed(free, 0.01), 9600 / 20, 9604 / 20 + 1);
}

int test_needed(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_number_fixed_beforehand_is_the_least_that_does),
        cmocka_unit_test(a_width_of_one_case_stops_where_it_says),
        cmocka_unit_test(cases_that_share_draws_take_more_the_more_they_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

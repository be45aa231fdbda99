#include "engine/base/status.h"
#include "sampling/estimate/anytime.h"
#include "sampling/estimate/needed.h"
#include "sampling/estimate/proportion.h"
#include "test/support/near.h"

static double wilson_half(int64_t successes, int64_t n)
{
    gmc_interval i = gmc_proportion_wilson(successes, n, 0.95);
    return 0.5 * (i.upper - i.lower);
}

static void a_number_fixed_beforehand_is_the_least_that_does(void **state)
{
    (void)state;
    int64_t n = gmc_needed_fixed(0.5, false, 0.01, 0.95);
    assert_in_range(n, 9600, 9604); // (1.96 / 0.02)² = 9604, and z² less by Wilson
    assert_true(wilson_half(n / 2, n) < 0.01 && wilson_half(n / 2 - 1, n - 2) >= 0.01);
    int64_t rare = gmc_needed_fixed(0.01, false, 0.01, 0.95);
    assert_true(rare > 300 && rare < 600);
    int64_t shared = gmc_needed_fixed(0.5, true, 0.01, 0.95);
    assert_in_range(shared, 9604, 9612);
    assert_true(gmc_needed_fixed(0.5, false, 1e-9, 0.95) == GMC_NEEDED_MOST);
    assert_true(gmc_needed_fixed(0.5, false, 0.49, 0.95) <= 2);
}

static void a_sequence_takes_more_and_stops_where_it_says(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        double p = 0.5 + 0.2 * i;
        int64_t n = gmc_needed_anytime(p, false, 0.02, 0.95);
        assert_true(n > gmc_needed_fixed(p, false, 0.02, 0.95));
        gmc_anytime a = gmc_anytime_start(1, 0.95);
        int64_t successes = 0;
        for (int64_t k = 1; k <= n; k++) { // the same trials, one by one
            bool is_success = (double)successes < p * (double)k - 0.5;
            successes += is_success;
            gmc_anytime_add(&a, (gmc_tally){.successes = is_success, .failures = !is_success});
        }
        gmc_interval found = gmc_anytime_interval(&a);
        // one success more or less at the end moves the half width by a share of 1/n of it
        ASSERT_NEAR(0.5 * (found.upper - found.lower), 0.02, 0.02 * 5 / (double)n + 1e-5);
    }
}

static void cases_that_share_draws_take_more_again(void **state)
{
    (void)state;
    int64_t alone = gmc_needed_anytime(0.5, false, 0.05, 0.95);
    int64_t shared = gmc_needed_anytime(0.5, true, 0.05, 0.95);
    assert_true(shared > alone && shared < 3 * alone);
    assert_true(gmc_needed_anytime(0.9, true, 0.05, 0.95) < shared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_number_fixed_beforehand_is_the_least_that_does),
        cmocka_unit_test(a_sequence_takes_more_and_stops_where_it_says),
        cmocka_unit_test(cases_that_share_draws_take_more_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

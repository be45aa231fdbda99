#include "engine/base/status.h"
#include "sampling/estimate/effective.h"
#include "test/support/near.h"

static gmc_effective plain(int64_t successes, int64_t n)
{
    double p = (double)successes / (double)n;
    return (gmc_effective){.yes = (double)successes,
                           .no = (double)(n - successes),
                           .variance = p * (1 - p) / (double)n,
                           .factor = 1,
                           .weight = 1 / (double)n};
}

static void independent_trials_give_clopper_pearson(void **state)
{
    (void)state;
    static const int64_t COUNTS[][2] = {{0, 300}, {300, 300}, {1, 10},          {5, 10},
                                        {7, 9},   {1, 1},     {934, 1000},      {3, 1000000},
                                        {0, 1},   {50, 100},  {999997, 1000000}};
    for (int i = 0; i < GMC_COUNT(COUNTS); i++) {
        gmc_effective share = plain(COUNTS[i][0], COUNTS[i][1]);
        gmc_interval e = gmc_effective_interval(&share, 0.95);
        gmc_interval cp = gmc_proportion_clopper_pearson(COUNTS[i][0], COUNTS[i][1], 0.95);
        ASSERT_NEAR(e.lower, cp.lower, 1e-9 * cp.lower + 1e-15);
        ASSERT_NEAR(1 - e.upper, 1 - cp.upper, 1e-9 * (1 - cp.upper) + 1e-15);
    }
}

static void without_variance_one_unit_is_allowed_for(void **state)
{
    (void)state;
    // 100 draws of 50 cases, none with a failure: 0 of 100
    gmc_effective none = {.yes = 5000, .no = 0, .factor = 1.5, .weight = 0.01};
    gmc_interval e = gmc_effective_interval(&none, 0.95);
    ASSERT_NEAR(e.lower, pow(0.025, 0.01), 1e-12);
    assert_true(e.upper == 1);
}

static void what_is_uncertain_makes_it_longer(void **state)
{
    (void)state;
    gmc_effective share = plain(96, 100);
    gmc_interval before = gmc_effective_interval(&share, 0.95);
    for (int k = 0; k < 3; k++) {
        gmc_effective more = share;
        if (k == 0) more.variance *= 2;
        if (k == 1) more.factor *= 1.2;
        if (k == 2) more.weight *= 2;
        gmc_interval after = gmc_effective_interval(&more, 0.95);
        assert_true(after.lower < before.lower);
        assert_true(after.upper >= before.upper);
    }
    gmc_interval level = gmc_effective_interval(&share, 0.99);
    assert_true(level.lower < before.lower);
    assert_true(level.upper > before.upper);
}

static void less_than_one_trial_says_nothing(void **state)
{
    (void)state;
    // two draws, one of each: t of one degree of freedom over z is 6.5
    gmc_effective share = {.yes = 1, .no = 1, .variance = 0.25, .factor = 6.5, .weight = 0.5};
    gmc_interval e = gmc_effective_interval(&share, 0.95);
    assert_true(e.lower == 0);
    assert_true(e.upper == 1);
}

int test_effective(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(independent_trials_give_clopper_pearson),
        cmocka_unit_test(without_variance_one_unit_is_allowed_for),
        cmocka_unit_test(what_is_uncertain_makes_it_longer),
        cmocka_unit_test(less_than_one_trial_says_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Subset simulation on margins whose probability is known: how far off is it, with how many trials,
// and do its intervals hold the truth?
#include "test/statistics/subset_problems.h"
#include "test/support/near.h"

#include <stdlib.h>

static double lognormals(const double *z, int n,
                         double cut) // exp(z/4): product above a bound, 1e-6
{
    double product = 1;
    for (int i = 0; i < n; i++)
        product *= exp(0.25 * z[i]);
    return exp(0.25 * sqrt(n) * cut) - product;
}

static const subset_problem PROBLEMS[] = {
    {"plane in 2 dimensions", 2, subset_plane, 4.753424308822899, 1e-6, 0},
    {"plane in 7 dimensions", 7, subset_plane, 4.753424308822899, 1e-6, 0},
    {"outside of a circle", 2, subset_circle, 5.256521769756932, 1e-6, 0},
    {"two sides", 3, subset_sides, 4.891638475698989, 1e-6, 0},
    {"product of 5 lognormals", 5, lognormals, 4.753424308822899, 1e-6, 0},
};

static void check(const subset_problem *p, gmc_subset_plan plan, int repetitions)
{
    subset_record r = subset_problem_repeat(p, plan, 100, repetitions);
    assert_true(r.rms <= 0.30);
    assert_true(r.trials <= 1e5);
    // 93 % less two standard errors of the repetitions
    assert_true(r.covered >= (0.93 - 2 * sqrt(0.93 * 0.07 / repetitions)) * repetitions);
}

static void one_in_a_million_is_found(void **state)
{
    (void)state;
    const char *given = getenv("GMC_REPETITIONS");
    int repetitions = given ? atoi(given) : 40;
    const gmc_subset_plan plan = {.runs = 10, .levels = 10, .per_level = 1400};
    for (int i = 0; i < GMC_COUNT(PROBLEMS); i++)
        check(&PROBLEMS[i], plan, repetitions);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_in_a_million_is_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

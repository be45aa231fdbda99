// Aimed draws behind few levels, on margins whose probability is known: how far off are they, with
// how many trials, and do their intervals hold the truth? No margin here says which way failures
// are; two problems have two ways to fail, far from each other.
#include "sampling/random/normal.h"
#include "test/statistics/subset_problems.h"
#include "test/support/near.h"

#include <stdlib.h>

/// A sum of exponential numbers: a law of Erlang.
static double exponentials(const double *z, int n, double cut)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum -= log(gmc_normal_cdf(-z[i]));
    return cut - sum;
}

/// Where the other end of the diagonal begins: seven of ten failures are at one, three at the
/// other.
static double other_end(double cut) { return cut < 4.5 ? 4.012810811118254 : 4.991217139907698; }

static double ends(const double *z, int n, double cut)
{
    return fmin(cut - subset_along(z, n), other_end(cut) + subset_along(z, n));
}

/// The same, where the margin falls half as fast towards the other end: each level prefers that.
static double uneven_ends(const double *z, int n, double cut)
{
    return fmin(cut - subset_along(z, n), 0.5 * (other_end(cut) + subset_along(z, n)));
}

/// Any input alone, on one side or on both.
static double one_input(const double *z, int n, double cut)
{
    double largest = z[0];
    for (int i = 1; i < n; i++)
        largest = fmax(largest, z[i]);
    return cut - largest;
}

static double one_input_either(const double *z, int n, double cut)
{
    double largest = 0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(z[i]));
    return cut - largest;
}

static const subset_problem TEN_THOUSANDTHS[] = {
    {"plane in 8 dimensions", 8, subset_plane, 3.7190164854556804, 1e-4, 0},
    {"outside of a circle", 2, subset_circle, 4.291932052578694, 1e-4, 0},
    {"sum of 5 exponentials", 5, exponentials, 17.782006970976056, 1e-4, 0},
    {"two sides in 3 dimensions", 3, subset_sides, 3.890591886413094, 1e-4, 0},
    {"two ends in 6 dimensions", 6, ends, 3.80816826444902, 1e-4, 0},
};
static const subset_problem MILLIONTHS[] = {
    {"plane in 8 dimensions", 8, subset_plane, 4.753424308822899, 1e-6, 0},
    {"outside of a circle", 2, subset_circle, 5.256521769756932, 1e-6, 0},
    {"sum of 5 exponentials", 5, exponentials, 23.431523423392193, 1e-6, 0},
    {"two sides in 3 dimensions", 3, subset_sides, 4.891638475698591, 1e-6, 0},
    {"two ends in 6 dimensions", 6, ends, 4.825004651662218, 1e-6, 0},
};

/// Where a few hundred trials do not find all failures.
static const subset_problem MANY_WAYS[] = {
    {"all sides in 8 dimensions", 8, subset_circle, 5.64159800067874, 1e-4, 0},
    {"all sides in 10 dimensions", 10, subset_circle, 6.84565897827115, 1e-6, 0},
    {"20 ways in 10 dimensions", 10, one_input_either, 4.41716368281847, 1e-4, 0},
    {"12 ways in 6 dimensions", 6, one_input_either, 5.23312634092416, 1e-6, 0},
    {"12 ways in 12 dimensions", 12, one_input, 4.79013705912059, 1e-5, 0},
};

static int repetitions(void)
{
    const char *given = getenv("GMC_REPETITIONS");
    return given ? atoi(given) : 20; // FORMAT.md has more
}

/// 90 % covered, at the one-sided 99 % bound of the repetitions.
static void check(const subset_problem *p, gmc_subset_plan plan, double trials)
{
    int count = repetitions();
    subset_record r = subset_problem_repeat(p, plan, 100, count);
    assert_true(r.rms <= 0.30);
    assert_true(r.trials <= trials);
    assert_true(gmc_proportion_clopper_pearson(r.covered, count, 0.98).upper >= 0.90);
    assert_true(r.refused <= count / 100);
}

static const gmc_subset_plan PLAN = {.runs = 1, .levels = 10, .per_level = 400, .aimed = 1000};

static void one_in_ten_thousand_takes_few_trials(void **state)
{
    (void)state;
    for (int i = 0; i < GMC_COUNT(TEN_THOUSANDTHS); i++)
        check(&TEN_THOUSANDTHS[i], PLAN, 3000);
}

static void one_in_a_million_takes_few_trials(void **state)
{
    (void)state;
    for (int i = 0; i < GMC_COUNT(MILLIONTHS); i++)
        check(&MILLIONTHS[i], PLAN, 10000);
}

/// The answer says that it does not know them all, with the interval of the plain draws.
static void many_ways_are_told(void **state)
{
    (void)state;
    int count = repetitions() / 2;
    for (int i = 0; i < GMC_COUNT(MANY_WAYS); i++) {
        subset_record r = subset_problem_repeat(&MANY_WAYS[i], PLAN, 100, count);
        assert_true(gmc_proportion_clopper_pearson(r.covered, count, 0.98).upper >= 0.95);
    }
}

/// What is not promised: FORMAT.md says how often both ends are found. Far out at 1e-6 neither the
/// levels nor the surrogate, which has a dozen trials on that side, get to the nearer one.
static void uneven_ways_may_be_passed_by(void **state)
{
    (void)state;
    static const subset_problem problems[] = {
        {"uneven ends, 1e-4", 6, uneven_ends, 3.80816826444902, 1e-4, 0},
        {"uneven ends, 1e-6", 6, uneven_ends, 4.825004651662218, 1e-6, 0}};
    subset_record often = subset_problem_repeat(&problems[0], PLAN, 100, repetitions());
    subset_record rare = subset_problem_repeat(&problems[1], PLAN, 100, repetitions());
    assert_true(often.covered >= 0.8 * often.count);
    assert_true(rare.bias < 0.3); // never too many
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_in_ten_thousand_takes_few_trials),
                                       cmocka_unit_test(one_in_a_million_takes_few_trials),
                                       cmocka_unit_test(many_ways_are_told),
                                       cmocka_unit_test(uneven_ways_may_be_passed_by)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

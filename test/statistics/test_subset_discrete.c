// Subset simulation where inputs that decide have few values (`one_of`): do intervals hold the
// truth? With "long" as an argument 2000 times each, else a few.
#include "test/statistics/subset_problems.h"
#include "test/support/near.h"

#include <string.h>

static bool is_long;

static double tail(double x) { return 0.5 * erfc(x / sqrt(2)); }

/// Number of the value that z chooses among some as likely as each other.
static int value_of(double z, int count)
{
    int i = (int)(tail(-z) * count);
    return i < count ? i : count - 1;
}

static double one_of_two(const double *z, int n, double cut)
{
    (void)n;
    return (value_of(z[0], 2) == 0 ? cut : cut + 3) - z[1];
}

static double one_of_three(const double *z, int n, double cut) // the middle one alone fails
{
    (void)n;
    return value_of(z[0], 3) == 1 ? cut - z[1] : 10 - z[1];
}

static double one_of_twenty(const double *z, int n, double cut)
{
    (void)n;
    return (value_of(z[0], 20) == 7 ? cut : 5) - z[1];
}

static double another_way(const double *z, int n, double cut) // one of ten fails by another input
{
    (void)n;
    return value_of(z[0], 10) == 3 ? 4 * (cut - z[1]) : 4.2 - z[2];
}

static double ten_steps(const double *z, int n, double cut) // each a little worse than the next
{
    (void)n;
    return cut + 0.3 * value_of(z[0], 10) - z[1];
}

static double two_bad_ones(const double *z, int n, double cut) // both of one in twenty, and noise
{
    (void)n;
    return cut - (value_of(z[0], 20) == 7) - (value_of(z[1], 20) == 11) - 0.1 * z[2];
}

static double far_apart(const double *z, int n, double cut) // the worst from the second worst
{
    (void)n;
    int value = value_of(z[0], 10);
    return cut - (value == 8 ? 3 : value == 1 ? 1.5 : 0) - z[1];
}

static double a_pair_of_five(const double *z, int n, double cut)
{
    (void)n;
    bool is_bad = value_of(z[0], 5) == 2 && value_of(z[1], 5) == 4;
    return (is_bad ? cut : cut + 1.5) - z[2];
}

static double of_ten_steps(double cut)
{
    double sum = 0;
    for (int i = 0; i < 10; i++)
        sum += tail(cut + 0.3 * i) / 10;
    return sum;
}

static void intervals_hold_the_truth(void **state)
{
    (void)state;
    const struct {
        subset_problem problem;
        int discrete; ///< the first coordinates
    } CASES[] = {
        {{"one of two", 2, one_of_two, 3, (tail(3) + tail(6)) / 2, 0}, 1},
        {{"one of three", 2, one_of_three, 3, (tail(3) + 2 * tail(10)) / 3, 0}, 1},
        {{"one of twenty, 1.2e-3", 2, one_of_twenty, 2, (tail(2) + 19 * tail(5)) / 20, 0}, 1},
        {{"one of twenty, 6.8e-5", 2, one_of_twenty, 3, (tail(3) + 19 * tail(5)) / 20, 0}, 1},
        {{"another way, 2.3e-3", 3, another_way, 2, (tail(2) + 9 * tail(4.2)) / 10, 0}, 1},
        {{"another way, 1.5e-4", 3, another_way, 3, (tail(3) + 9 * tail(4.2)) / 10, 0}, 1},
        {{"ten steps", 2, ten_steps, 2.5, of_ten_steps(2.5), 0}, 1},
        {{"two bad ones", 3, two_bad_ones, 1.9, (tail(-1) + 38 * tail(9)) / 400, 0}, 2},
        {{"far apart", 2, far_apart, 6, (tail(3) + tail(4.5) + 8 * tail(6)) / 10, 0}, 1},
        {{"a pair of five", 3, a_pair_of_five, 2.5, (tail(2.5) + 24 * tail(4)) / 25, 0}, 2},
    };
    static const bool FIRST[SUBSET_DIMENSIONS_MAX] = {true};
    static const bool TWO[SUBSET_DIMENSIONS_MAX] = {true, true};
    int repetitions = is_long ? 2000 : 20, covered = 0;
    for (int i = 0; i < GMC_COUNT(CASES); i++) {
        const gmc_subset_plan plan = {.runs = 10,
                                      .levels = 10,
                                      .per_level = 1000,
                                      .is_discrete = CASES[i].discrete == 2 ? TWO : FIRST};
        subset_record r = subset_problem_repeat(&CASES[i].problem, plan, 100, repetitions);
        covered += r.covered;
        // as the intervals of margins with ties: each at least 88 of 100
        assert_true(r.covered >= (0.88 - 2.33 * sqrt(0.88 * 0.12 / repetitions)) * repetitions);
    }
    int all = repetitions * GMC_COUNT(CASES);
    printf("all: %d of %d\n", covered, all);
    assert_true(covered >= (0.93 - 2.33 * sqrt(0.93 * 0.07 / all)) * all);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(intervals_hold_the_truth)};
    is_long = argc > 1 && strcmp(argv[1], "long") == 0;
    return cmocka_run_group_tests(tests, NULL, NULL);
}

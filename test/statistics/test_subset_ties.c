// Subset simulation where margins are equal, where nothing is found and where trials are unsolved:
// is what it says true? Seeds are those of the first look.
#include "test/statistics/subset_problems.h"
#include "test/support/near.h"

#include <stdlib.h>

/// Distance of a normal point from the mark (1, 0.5, 0).
static double distance(const double *z)
{
    return sqrt((z[0] - 1) * (z[0] - 1) + (z[1] - 0.5) * (z[1] - 0.5) + z[2] * z[2]);
}

// ---- ties -------------------------------------------------------------------------------------

// Non-central chi square with 3 degrees of freedom, λ = 1.25: its survival at 16 and 25.
static const double BEYOND_4 = 0.007584481824662763, BEYOND_5 = 2.4240420098272324e-4;

static double cut_off(const double *z, int n, double cut)
{
    (void)n;
    return fmin(cut, 4 - distance(z));
}

static double cut_off_at_5(const double *z, int n, double cut)
{
    (void)n;
    return fmin(cut, 5 - distance(z));
}

static double stairs(const double *z, int n, double step)
{
    (void)n;
    return floor((4 - distance(z)) / step) * step;
}

static double flag(const double *z, int n, double cut)
{
    (void)n;
    return distance(z) > 4 ? -cut : cut;
}

static double slack_and_flag(const double *z, int n, double cut)
{
    (void)n;
    return fmin(4 - distance(z), fabs(z[2]) > 3 ? -cut : cut);
}

static const subset_problem TIES[] = {
    {"cut off at 0.1", 3, cut_off, 0.1, BEYOND_4, 0},
    {"cut off at 0.3", 3, cut_off, 0.3, BEYOND_4, 0},
    {"cut off at 0.5", 3, cut_off, 0.5, BEYOND_4, 0},
    {"cut off at 0.8", 3, cut_off, 0.8, BEYOND_4, 0},
    {"cut off at 1.0", 3, cut_off, 1.0, BEYOND_4, 0},
    {"cut off at 1.2", 3, cut_off, 1.2, BEYOND_4, 0},
    {"rarer, cut off at 2", 3, cut_off_at_5, 2, BEYOND_5, 0},
    {"stairs of 0.5", 3, stairs, 0.5, BEYOND_4, 0},
    {"a flag", 3, flag, 0.5, BEYOND_4, 0},
    // P(d > 4 or |z2| > 3), by quadrature over z2
    {"a slack and a flag", 3, slack_and_flag, 0.5, 0.009633936107455665, 0},
};

static void margins_with_ties_are_met(void **state)
{
    enum { REPETITIONS = 100 };
    (void)state;
    const gmc_subset_plan plan = {.runs = 10, .levels = 9, .per_level = 1000};
    int covered = 0;
    for (int i = 0; i < GMC_COUNT(TIES); i++) {
        subset_record r =
            subset_problem_repeat(&TIES[i], plan, 1000 * (uint64_t)(i + 1), REPETITIONS);
        assert_true(fabs(r.bias) <= 0.25);
        assert_true(r.refused <= 1);
        assert_true(r.covered >= 88);
        covered += r.covered;
    }
    assert_true(covered >= 0.93 * REPETITIONS * GMC_COUNT(TIES));
}

// ---- nothing found ----------------------------------------------------------------------------

static double slack(const double *z, int n, double r)
{
    (void)n;
    return r - distance(z);
}

static double line(const double *z, int n, double b)
{
    (void)n;
    return b - z[0];
}

static double both_ways(const double *z, int n, double b)
{
    (void)n;
    return z[0] < 0 ? b + z[0] : 10; // what is beyond 0 on the other side tells nothing
}

static const subset_problem SELDOM[] = {
    {"two levels are too few", 3, slack, 5, BEYOND_5, 0},
    {"a line, one in 1e4", 1, line, 3.719016485455709, 1e-4, 0},
    {"a line, one in 1000", 1, line, 3.090232306167813, 1e-3, 0},
    {"cut off, rarely met", 3, cut_off_at_5, 0.5, BEYOND_5, 0},
    {"half of it flat", 2, both_ways, 3.290526731491926, 5e-4, 0},
};

static void nothing_found_is_an_upper_bound(void **state)
{
    enum { REPETITIONS = 1000 };
    (void)state;
    gmc_subset_plan plan = {.runs = 8, .levels = 2, .per_level = 100};
    for (int i = 0; i < GMC_COUNT(SELDOM); i++) {
        subset_record r =
            subset_problem_repeat(&SELDOM[i], plan, 20000 + 1000 * (uint64_t)i, REPETITIONS);
        assert_true(r.too_low <= 0.05 * REPETITIONS);
        assert_true(r.refused == 0);
    }
}

// ---- few points a level -----------------------------------------------------------------------

static void few_points_a_level_estimate_too_high(void **state)
{
    enum { REPETITIONS = 100 };
    static const subset_problem problems[] = {
        {"a slack, 2.4e-4", 3, slack, 5, BEYOND_5, 0},
        {"a line, one in a million", 3, line, 4.753424308822899, 1e-6, 0},
    };
    static const int points[] = {100, 200, GMC_SUBSET_POINTS_FEW, 1000};
    (void)state;
    for (int i = 0; i < GMC_COUNT(problems); i++)
        for (int k = 0; k < GMC_COUNT(points); k++) {
            const gmc_subset_plan plan = {.runs = 8, .levels = 9, .per_level = points[k]};
            subset_record r = subset_problem_repeat(
                &problems[i], plan, 40000 + 1000 * (uint64_t)(4 * i + k), REPETITIONS);
            assert_true(points[k] < GMC_SUBSET_POINTS_FEW || r.bias <= 0.15);
        }
}

// ---- unsolved ---------------------------------------------------------------------------------

static double walled(const double *z, int n, double wall)
{
    (void)n;
    return z[0] > wall ? (double)NAN : 4 - z[0];
}

static double scattered(const double *z, int n, double share)
{
    (void)n;
    double part = 1e4 * z[1] - floor(1e4 * z[1]); // as good as uniform and independent
    return part < share ? (double)NAN : 4 - z[0];
}

static double aside(const double *z, int n, double wall)
{
    (void)n;
    return z[1] > wall ? (double)NAN : 4 - z[0];
}

// Tails of the normal law: beyond 4 3.167124183311986e-5, 4.2 1.3345749015906e-5, 3.3 4.8342414e-4,
// 2 0.022750131948179195, 3 1.3498980316300957e-3
static const subset_problem OPEN[] = {
    {"a wall behind the failures", 3, walled, 4.2, 1.8325492817213553e-5, 3.167124183311986e-5},
    {"a wall before the failures", 3, walled, 3.3, 0, 4.8342414238377744e-4},
    {"one in a hundred, anywhere", 3, scattered, 0.01, 0.99 * 3.167124183311986e-5,
     0.01 + 0.99 * 3.167124183311986e-5},
    {"a wall aside", 3, aside, 2, (1 - 0.022750131948179195) * 3.167124183311986e-5,
     0.022750131948179195 + (1 - 0.022750131948179195) * 3.167124183311986e-5},
    {"a wall far aside", 3, aside, 3, (1 - 1.3498980316300957e-3) * 3.167124183311986e-5,
     1.3498980316300957e-3 + (1 - 1.3498980316300957e-3) * 3.167124183311986e-5},
};

static void unsolved_trials_of_all_levels_are_in_the_interval(void **state)
{
    enum { REPETITIONS = 100 };
    (void)state;
    const gmc_subset_plan plan = {.runs = 10, .levels = 9, .per_level = 1000};
    for (int i = 0; i < GMC_COUNT(OPEN); i++) {
        subset_record r =
            subset_problem_repeat(&OPEN[i], plan, 30000 + 1000 * (uint64_t)i, REPETITIONS);
        assert_true(r.covered >= 0.93 * REPETITIONS);
        assert_true(r.worst_covered >= 0.93 * REPETITIONS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(margins_with_ties_are_met),
        cmocka_unit_test(nothing_found_is_an_upper_bound),
        cmocka_unit_test(few_points_a_level_estimate_too_high),
        cmocka_unit_test(unsolved_trials_of_all_levels_are_in_the_interval),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Does a ranking err as seldom as it says, and how many trials does it take against equal shares?
// Bar: best 10 of 1000, within 0.02 at 95 %: five times fewer, errors in at most 5 % of 200
// studies.
//
// Equal shares are read in two ways. `certain`: everyone runs n draws, n fixed beforehand such that
// 95 % of the studies can then claim what the ranking claims: the same promise. `right`: the n at
// which 95 % happen to be right, found by looking at the truth of 200 studies; no run can know it,
// nor whether it is one of the 5 %. It is held against the ranking stopped by a budget found in the
// same way, and, to the ranking's disadvantage, against the ranking that goes on until it is sure.
//
// With the argument `long` 200 studies of all families, else some of the first.
#include "engine/base/status.h"
#include "test/statistics/race_families.h"
#include "test/support/cmocka_all.h"

#include <stdlib.h>
#include <string.h>

static const race_family FAMILIES[] = {
    {"Beta(2, 2)", RACE_BETA, 2, 2, 0},
    {"Beta(5, 1.5)", RACE_BETA, 5, 1.5, 0},
    {"Beta(5, 1.5), 90 % in common", RACE_BETA, 5, 1.5, 0.9},
    {"near ties", RACE_NEAR_TIES, 0, 0, 0},
    {"near ties, 90 % in common", RACE_NEAR_TIES, 0, 0, 0.9},
};

static const gmc_ranking_plan BAR = {.case_count = 1000,
                                     .group_count = 1,
                                     .best = 10,
                                     .within = 0.02,
                                     .level = 0.95,
                                     .budget = 100000000,
                                     .first = 8,
                                     .last = 200000};

static int study_count = 4;
static bool is_long;

typedef struct measured {
    double trials, rounds; ///< means
    uint64_t budget;       ///< at which at most 5 % of the studies err
    int wrong;
} measured;

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static measured measure(const race_family *family, const gmc_ranking_plan *plan, int studies)
{
    measured m = {0};
    uint64_t *right_from = malloc((size_t)studies * sizeof *right_from);
    assert_non_null(right_from);
    for (int i = 0; i < studies; i++) {
        race_outcome outcome = race_families_run(family, plan, (uint64_t)i);
        assert_true(outcome.is_reached);
        m.wrong += outcome.is_wrong;
        m.trials += (double)outcome.trials / studies;
        m.rounds += (double)outcome.rounds / studies;
        right_from[i] = outcome.right_from;
    }
    qsort(right_from, (size_t)studies, sizeof *right_from, compare);
    m.budget = right_from[studies - 1 - studies / 20];
    free(right_from);
    return m;
}

static void ten_of_a_thousand_take_a_fifth_of_equal_shares(void **state)
{
    (void)state;
    int families = is_long ? GMC_COUNT(FAMILIES) : 2;
    for (int f = 0; f < families; f++) {
        measured m = measure(&FAMILIES[f], &BAR, study_count);
        race_equal equal = race_families_equal(&FAMILIES[f], &BAR, study_count, 0.05, 40000);
        double cases = (double)BAR.case_count;
        print_message("%s: %d of %d wrong, %.0f trials in %.0f rounds; equal shares certain %.0f "
                      "(x %.1f), right %.0f (x %.1f; budget alone %llu: x %.1f)\n",
                      FAMILIES[f].name, m.wrong, study_count, m.trials, m.rounds,
                      cases * equal.certain, cases * equal.certain / m.trials, cases * equal.right,
                      cases * equal.right / m.trials, (unsigned long long)m.budget,
                      cases * equal.right / (double)m.budget);
        assert_true(m.wrong * 20 <= study_count);
        assert_true(cases * equal.certain >= 5 * m.trials);
    }
}

static void errors_stay_below_where_everything_tempts_to_one(void **state)
{
    (void)state;
    // fewer cases, so that many studies are cheap: no family errs in more than 5 %
    static const race_family TEMPTING[] = {
        {"just too bad", RACE_THRESHOLD, 0, 0, 0},
        {"just too bad, half in common", RACE_THRESHOLD, 0, 0, 0.5},
        {"all equal", RACE_EQUAL, 0, 0, 0},
        {"Beta(2, 2)", RACE_BETA, 2, 2, 0.5},
    };
    gmc_ranking_plan plan = BAR;
    plan.case_count = 40;
    plan.best = 4;
    plan.within = 0.05;
    int studies = is_long ? 2000 : 100;
    for (int f = 0; f < GMC_COUNT(TEMPTING); f++) {
        measured m = measure(&TEMPTING[f], &plan, studies);
        print_message("%s: %d of %d wrong, %.0f trials\n", TEMPTING[f].name, m.wrong, studies,
                      m.trials);
        assert_true(m.wrong * 20 <= studies);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ten_of_a_thousand_take_a_fifth_of_equal_shares),
        cmocka_unit_test(errors_stay_below_where_everything_tempts_to_one),
    };
    is_long = argc > 1 && strcmp(argv[1], "long") == 0;
    if (is_long) study_count = 200;
    return cmocka_run_group_tests_name("race_families", tests, NULL, NULL);
}

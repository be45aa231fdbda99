// Quantiles and tolerance limits of independent trials against sums over the binomial distribution;
// what is open, absent or of several cases.
#include "sampling/findings/quantiles.h"
#include "test/support/enumerate.h"
#include "test/support/near.h"

#include <stdlib.h>

static const double LEVEL = 0.95;
static const double NONE = (double)NAN;

static gmc_store_plan plan_of(int cases)
{
    return (gmc_store_plan){.level = LEVEL, .design = "random", .case_count = cases};
}

static gmc_quantiles *start(const gmc_store_plan *plan)
{
    gmc_quantiles *q;
    assert_int_equal(gmc_quantiles_create(plan, &q), GMC_OK);
    return q;
}

static void put(gmc_quantiles *q, uint64_t draw, uint32_t case_index, double low, double high)
{
    gmc_trial trial = {.draw = draw, .case_index = case_index};
    assert_int_equal(gmc_quantiles_add(q, &trial, (gmc_interval){low, high}), GMC_OK);
}

static gmc_quantile ask(const gmc_quantiles *q, int case_index, double p,
                        gmc_quantiles_group *group)
{
    gmc_quantile found;
    assert_int_equal(gmc_quantiles_of(q, case_index, &p, 1, group, &found), GMC_OK);
    return found;
}

/// Of the numbers 1 ... n, out of order.
static gmc_quantile of_ranks(int n, double p)
{
    const gmc_store_plan plan = plan_of(1);
    gmc_quantiles *q = start(&plan);
    int step = n % 7 == 0 ? 11 : 7;
    for (int i = 0; i < n; i++) {
        int rank = (int)(((int64_t)i * step) % n) + 1;
        put(q, (uint64_t)i, 0, rank, rank);
    }
    gmc_quantiles_group group;
    gmc_quantile found = ask(q, 0, p, &group);
    assert_int_equal(group.trials, n);
    assert_int_equal(group.method, GMC_METHOD_CLOPPER_PEARSON);
    gmc_quantiles_free(q);
    return found;
}

/// P(fewer than `rank` of n lie below the quantile); ranks below 1 and above n are ends that are
/// open.
static double below(double rank, int n, double p)
{
    double sum = 0;
    for (int k = 0; k < rank && k <= n; k++)
        sum += enumerate_binomial(k, n, p);
    return sum;
}

static void ends_are_the_order_statistics_that_enumeration_finds(void **state)
{
    (void)state;
    static const double P[] = {0.01, 0.05, 0.25, 0.5, 0.8, 0.9, 0.95, 0.99};
    static const int SIZES[] = {1, 2, 5, 10, 30, 58, 59, 60, 93, 150, 300};
    const double tail = (1 - LEVEL) / 2,
                 error = 1e-10; // of sums, and of Clopper and Pearson's ends
    for (int i = 0; i < GMC_COUNT(SIZES); i++)
        for (int j = 0; j < GMC_COUNT(P); j++) {
            int n = SIZES[i];
            double p = P[j];
            gmc_quantile q = of_ranks(n, p);
            // the largest lower rank, and the least upper one, that leave their tail
            double lower = isfinite(q.interval.lower) ? q.interval.lower : 0;
            double upper = isfinite(q.interval.upper) ? q.interval.upper : n + 1;
            assert_true(below(lower, n, p) <= tail + error);
            assert_true(below(lower + 1, n, p) > tail - error);
            assert_true(1 - below(upper, n, p) <= tail + error);
            assert_true(1 - below(upper - 1, n, p) > tail - error);
            assert_true(below(upper, n, p) - below(lower, n, p) >= LEVEL - error);
            // limits leave all on one side
            double most = isfinite(q.at_most) ? q.at_most : n + 1;
            assert_true(1 - below(most, n, p) <= 2 * tail + error);
            assert_true(1 - below(most - 1, n, p) > 2 * tail - error);
            double least = isfinite(q.at_least) ? q.at_least : 0;
            assert_true(below(least, n, p) <= 2 * tail + error);
            assert_true(below(least + 1, n, p) > 2 * tail - error);
            // and the trials' own quantile
            assert_true(q.lowest == q.highest);
            assert_true(q.lowest >= n * p - error);
            assert_true(q.lowest - 1 < n * p + error);
        }
}

static void a_limit_takes_as_many_trials_as_are_said_to_be_needed(void **state)
{
    (void)state;
    static const double P[] = {0.5, 0.9, 0.95, 0.99};
    static const int WILKS[] = {5, 29, 59, 299};
    for (int i = 0; i < GMC_COUNT(P); i++) {
        assert_int_equal(gmc_quantiles_needed(P[i], LEVEL), WILKS[i]);
        assert_int_equal(gmc_quantiles_needed(1 - P[i], LEVEL), WILKS[i]);
        gmc_quantile enough = of_ranks(WILKS[i], P[i]), few = of_ranks(WILKS[i] - 1, P[i]);
        assert_true(enough.at_most == WILKS[i]);
        assert_true(few.at_most == HUGE_VAL);
        assert_true(of_ranks(WILKS[i], 1 - P[i]).at_least == 1);
        assert_true(of_ranks(WILKS[i] - 1, 1 - P[i]).at_least == -HUGE_VAL);
    }
}

static void what_is_open_counts_on_either_side(void **state)
{
    (void)state;
    const gmc_store_plan plan = plan_of(1);
    gmc_quantiles *q = start(&plan);
    gmc_quantiles_group group;
    for (int i = 1; i <= 80; i++)
        put(q, (uint64_t)i, 0, i, i);
    for (int i = 81; i <= 95; i++)
        put(q, (uint64_t)i, 0, 60, HUGE_VAL); // cut short at 60
    for (int i = 96; i <= 100; i++)
        put(q, (uint64_t)i, 0, -HUGE_VAL, HUGE_VAL); // unsolved
    put(q, 101, 0, NONE, NONE);
    gmc_quantile half = ask(q, 0, 0.5, &group);
    assert_int_equal(group.trials, 100);
    assert_int_equal(group.open, 20);
    assert_int_equal(group.absent, 1);
    assert_true(half.lowest == 45);
    assert_true(half.highest == 50); // with five below all, above all
    assert_true(half.interval.lower == 35);
    assert_true(half.interval.upper == 61);
    gmc_quantile most = ask(q, 0, 0.9, &group);
    assert_true(most.lowest == 70);
    assert_true(most.highest == HUGE_VAL);
    assert_true(most.interval.upper == HUGE_VAL);
    assert_true(most.at_most == HUGE_VAL);
    gmc_quantile few = ask(q, 0, 0.02, &group);
    assert_true(few.lowest == -HUGE_VAL);
    assert_true(few.highest == 2);
    gmc_quantiles_free(q);
}

static void numbers_of_which_nothing_is_known(void **state)
{
    (void)state;
    const gmc_store_plan plan = plan_of(1);
    gmc_quantiles *q = start(&plan);
    gmc_quantiles_group group;
    assert_true(isnan(ask(q, -1, 0.5, &group).lowest));
    assert_int_equal(group.trials, 0);
    put(q, 0, 0, NONE, NONE);
    gmc_quantile found = ask(q, -1, 0.5, &group);
    assert_true(isnan(found.interval.lower));
    assert_true(isnan(found.at_most));
    put(q, 1, 0, 3, 3);
    put(q, 2, 0, -HUGE_VAL, 7);
    found = ask(q, -1, 0.5, &group);
    assert_true(found.lowest == -HUGE_VAL);
    assert_true(found.highest == 3);
    gmc_quantiles_free(q);
}

static void cases_on_common_draws_are_counted_by_draws(void **state)
{
    (void)state;
    // ten cases that agree are worth one
    gmc_store_plan plan = plan_of(10);
    gmc_quantiles *q = start(&plan);
    gmc_quantiles_group group;
    for (int i = 1; i <= 200; i++)
        for (uint32_t c = 0; c < 10; c++)
            put(q, (uint64_t)i, c, i, i);
    gmc_quantile one = ask(q, 3, 0.5, &group);
    assert_int_equal(group.trials, 200);
    assert_int_equal(group.method, GMC_METHOD_CLOPPER_PEARSON);
    gmc_quantile all = ask(q, -1, 0.5, &group);
    assert_int_equal(group.trials, 2000);
    assert_int_equal(group.method, GMC_METHOD_DRAWS);
    assert_int_equal(group.draws, 200);
    assert_true(all.lowest == 100);
    assert_true(one.lowest == 100);
    assert_true(all.interval.upper - all.interval.lower >=
                one.interval.upper - one.interval.lower - 1);
    gmc_quantiles_free(q);
    // with draws of their own they are so many
    plan.is_independent = true;
    q = start(&plan);
    for (int i = 1; i <= 200; i++)
        for (uint32_t c = 0; c < 10; c++)
            put(q, (uint64_t)i, c, i, i);
    gmc_quantile apart = ask(q, -1, 0.5, &group);
    assert_int_equal(group.method, GMC_METHOD_CLOPPER_PEARSON);
    assert_true(apart.interval.upper - apart.interval.lower <
                0.5 * (all.interval.upper - all.interval.lower));
    gmc_quantiles_free(q);
}

static void runs_that_chose_their_trials_have_no_answer(void **state)
{
    (void)state;
    gmc_store_plan plan = plan_of(1);
    gmc_store_ladder ladder = {0};
    assert_false(gmc_store_plan_is_sparse(&plan));
    plan.ladder = &ladder;
    assert_true(gmc_store_plan_is_sparse(&plan));
}

int test_quantiles(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_are_the_order_statistics_that_enumeration_finds),
        cmocka_unit_test(a_limit_takes_as_many_trials_as_are_said_to_be_needed),
        cmocka_unit_test(what_is_open_counts_on_either_side),
        cmocka_unit_test(numbers_of_which_nothing_is_known),
        cmocka_unit_test(cases_on_common_draws_are_counted_by_draws),
        cmocka_unit_test(runs_that_chose_their_trials_have_no_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Numbers chosen for success: rounds, what they may depend on, and the surface behind them.
#include "engine/base/status.h"
#include "engine/math/elementary.h"
#include "sampling/design/optimum.h"
#include "test/support/near.h"

#include <stdlib.h>
#include <string.h>

static double corner; ///< 1: success is highest at (1, 1), and falls steeply away from it

/// More wins the nearer to 0.7 in the first number; the others do not matter.
static gmc_tally found(const double *x, int64_t draws)
{
    double off = x[0] - 0.7 - 0.3 * corner, side = corner > 0 ? x[1] - 1 : 0;
    int64_t wins = (int64_t)(0.95 * gmc_exp(-8 * (off * off + side * side)) * (double)draws);
    return (gmc_tally){.successes = wins, .failures = draws - wins - 1, .unsolved = 1};
}

typedef struct course {
    int rounds, designs, different, held;
    int64_t trials, last;
    double x[512];
    gmc_optimum_answer answer;
} course;

/// Is the i-th of these points one of those before it?
static bool is_again(const double *x, int i, size_t numbers)
{
    for (int k = 0; k < i; k++)
        if (memcmp(x + (size_t)i * numbers, x + (size_t)k * numbers, numbers * sizeof *x) == 0)
            return true;
    return false;
}

static void run(const gmc_optimum_plan *plan, int held, course *c)
{
    *c = (course){.held = held};
    gmc_optimum *o;
    assert_int_equal(gmc_optimum_create(plan, &o), GMC_OK);
    gmc_optimum_round round;
    assert_int_equal(gmc_optimum_next(o, &round), GMC_OK);
    while (round.count > 0) {
        gmc_optimum_round refused;
        assert_int_equal(gmc_optimum_next(o, &refused), GMC_E_MISSING);
        assert_int_equal(refused.count, 0);
        assert_int_equal(round.is_last, round.number == GMC_OPTIMUM_ROUNDS);
        size_t numbers = (size_t)plan->numbers;
        for (int i = 0; i < round.count; i++) {
            const double *x = round.x + (size_t)i * numbers;
            for (size_t j = 0; j < numbers; j++) {
                assert_true(x[j] >= 0);
                assert_true(x[j] <= 1);
            }
            assert_false(is_again(round.x, i, numbers)); // it would meet the same draws
            memcpy(c->x + (size_t)(c->designs + i) * numbers, x, numbers * sizeof *x);
        }
        for (int i = round.count - 1; i >= 0; i--) // any order
            gmc_optimum_put(o, i, found(round.x + (size_t)i * numbers, round.draws));
        for (int i = c->designs; i < c->designs + round.count && !round.is_last; i++)
            c->different += !is_again(c->x, i, numbers);
        c->designs += round.count;
        c->trials += round.count * round.draws;
        c->last = round.draws;
        for (int j = 0; j < held && round.number == 0; j++)
            gmc_optimum_hold(o, plan->numbers - 1 - j);
        c->rounds++;
        assert_int_equal(gmc_optimum_next(o, &round), GMC_OK);
    }
    assert_int_equal(gmc_optimum_next(o, &round), GMC_OK); // the end stays the end
    assert_int_equal(round.count, 0);
    assert_int_equal(gmc_optimum_conclude(o, &c->answer), GMC_OK);
    gmc_optimum_free(o);
}

static void spends_the_budget_and_finds_the_top(void **state)
{
    (void)state;
    for (int cautious = 0; cautious < 2; cautious++) {
        gmc_optimum_plan plan = {.numbers = 2, .budget = 5000, .is_cautious = cautious};
        course c, again;
        run(&plan, 0, &c);
        assert_int_equal(c.rounds, GMC_OPTIMUM_ROUNDS + 1);
        assert_int_equal(c.trials, plan.budget);
        assert_int_equal(c.answer.trials, c.trials);
        assert_int_equal(c.answer.designs, c.different);
        assert_true(c.last >= plan.budget / 3);
        assert_int_equal(gmc_tally_trials(c.answer.tally), c.last);
        ASSERT_NEAR(c.answer.x[0], 0.7, 0.05);
        assert_true(c.answer.most > 0.9);
        assert_true(c.answer.most < 1);
        run(&plan, 0, &again);
        assert_memory_equal(c.x, again.x, sizeof c.x);
    }
}

static void a_corner_is_no_design_twice_in_a_round(void **state)
{
    (void)state;
    corner = 1;
    for (int cautious = 0; cautious < 2; cautious++) {
        gmc_optimum_plan plan = {.numbers = 2, .budget = 2300, .is_cautious = cautious};
        course c;
        run(&plan, 0, &c); // which looks at every round
        assert_int_equal(c.answer.designs, c.different);
        ASSERT_NEAR(c.answer.x[0], 1, 0.05);
        ASSERT_NEAR(c.answer.x[1], 1, 0.05);
    }
    corner = 0;
}

/// A plateau where nothing fails, from 0.3 to 0.9 of the first number; beside it wins fall.
static gmc_tally found_flat(const double *x, int64_t draws)
{
    double off = gmc_max(0.3 - x[0], x[0] - 0.9);
    int64_t wins = off <= 0 ? draws : (int64_t)((double)draws * gmc_max(0, 0.9 - 3 * off));
    return (gmc_tally){.successes = wins, .failures = draws - wins};
}

static void of_designs_that_tie_the_middle_is_taken(void **state)
{
    (void)state;
    for (int cautious = 0; cautious < 2; cautious++) {
        const gmc_optimum_plan plan = {.numbers = 2, .budget = 4000, .is_cautious = cautious};
        gmc_optimum *o;
        gmc_optimum_round round;
        gmc_optimum_answer answer;
        assert_int_equal(gmc_optimum_create(&plan, &o), GMC_OK);
        assert_int_equal(gmc_optimum_next(o, &round), GMC_OK);
        while (round.count > 0) {
            for (size_t i = 0; i < (size_t)round.count; i++)
                gmc_optimum_put(o, (int)i, found_flat(round.x + 2 * i, round.draws));
            assert_int_equal(gmc_optimum_next(o, &round), GMC_OK);
        }
        assert_int_equal(gmc_optimum_conclude(o, &answer), GMC_OK);
        assert_true(answer.ties >= 2);
        assert_true(answer.ties <= answer.designs);
        assert_true(answer.tied_lower[0] >= 0.3);
        assert_true(answer.tied_upper[0] <= 0.9);
        assert_true(answer.tied_lower[0] < 0.45);
        assert_true(answer.tied_upper[0] > 0.75);
        // the middle, as near as one of some sixty designs is to it
        assert_true(fabs(answer.x[0] - 0.6) < 0.15);
        assert_true(fabs(answer.x[1] - 0.5) < 0.3);
        gmc_optimum_free(o);
    }
}

static void starts_with_a_star(void **state)
{
    (void)state;
    gmc_optimum_plan plan = {.numbers = 3, .budget = gmc_optimum_least(3)};
    gmc_optimum *o;
    gmc_optimum_round round;
    assert_int_equal(gmc_optimum_create(&plan, &o), GMC_OK);
    assert_int_equal(gmc_optimum_next(o, &round), GMC_OK);
    assert_int_equal(round.draws, GMC_OPTIMUM_DRAWS_LEAST);
    for (int j = 0; j < 3; j++)
        for (int end = 0; end < 2; end++) {
            const double *x = round.x + 3 * gmc_optimum_end(j, end);
            for (int k = 0; k < 3; k++)
                assert_true(x[k] == (k == j ? end : 0.5));
        }
    gmc_optimum_free(o);
    plan.budget--; // one less is one draw too few
    assert_int_equal(gmc_optimum_create(&plan, &o), GMC_OK);
    assert_int_equal(gmc_optimum_next(o, &round), GMC_OK);
    assert_int_equal(round.draws, GMC_OPTIMUM_DRAWS_LEAST - 1);
    gmc_optimum_free(o);
}

static void idle_numbers_stay_in_the_middle(void **state)
{
    (void)state;
    gmc_optimum_plan plan = {.numbers = 2, .budget = 3000};
    course c;
    run(&plan, 1, &c);
    int first = 6 * 2 + 8;
    for (int i = first; i < c.designs; i++)
        assert_true(c.x[2 * i + 1] == 0.5);
    ASSERT_NEAR(c.answer.x[0], 0.7, 0.05);
    assert_true(c.answer.is_idle[1]);
    assert_true(!c.answer.is_idle[0]);
    run(&plan, 2, &c); // nothing to choose
    assert_int_equal(c.rounds, 2);
    assert_true(c.answer.x[0] == 0.5);
    assert_true(c.answer.x[1] == 0.5);
    assert_true(c.answer.trials < plan.budget);
}

static void a_surface_follows_what_it_was_fitted_to(void **state)
{
    (void)state;
    enum { COUNT = 40 };
    double x[COUNT * 2], wins[COUNT], runs[COUNT];
    int round[COUNT] = {0};
    for (int i = 0; i < COUNT; i++) {
        x[2 * i] = i / (COUNT - 1.0);
        x[2 * i + 1] = (7 * i % COUNT) / (COUNT - 1.0);
        runs[i] = 400;
        wins[i] = (double)found(x + 2 * i, 400).successes;
    }
    gmc_surface_rows rows = {
        .count = COUNT, .inputs = 2, .x = x, .round = round, .wins = wins, .runs = runs};
    gmc_surface *s;
    assert_int_equal(gmc_surface_create(&rows, &s), GMC_OK);
    for (int i = 0; i < COUNT; i++)
        ASSERT_NEAR(gmc_surface_share(gmc_surface_mean(s, x + 2 * i)), wins[i] / 400, 0.03);
    assert_true(gmc_surface_length(s, 1) > gmc_surface_length(s, 0)); // it does not matter
    gmc_surface_cloud *cloud;
    assert_int_equal(gmc_surface_look(s, x, COUNT, &cloud), GMC_OK);
    double before = gmc_surface_cloud_variance(cloud, 3), mean = gmc_surface_cloud_mean(cloud, 3);
    ASSERT_NEAR(mean, gmc_surface_mean(s, x + 6), 1e-9);
    assert_true(before > 0);
    assert_int_equal(gmc_surface_cloud_measure(cloud, 3, before), GMC_OK);
    ASSERT_NEAR(gmc_surface_cloud_variance(cloud, 3), before / 2, 1e-9); // as much again is known
    assert_true(gmc_surface_cloud_mean(cloud, 3) == mean);
    gmc_surface_cloud_free(cloud);
    gmc_surface_free(s);
    assert_true(gmc_surface_share(-1) == 0);
    ASSERT_NEAR(gmc_surface_share(4), 1, 1e-15);
}

static void a_budget_gives_draws_to_a_design(void **state)
{
    (void)state;
    for (int numbers = 1; numbers < 5; numbers++) {
        assert_int_equal(gmc_optimum_budget(numbers, GMC_OPTIMUM_DRAWS_LEAST),
                         gmc_optimum_least(numbers));
        for (int64_t draws = 16; draws < 200; draws += 7) {
            int64_t budget = gmc_optimum_budget(numbers, draws);
            assert_int_equal(gmc_optimum_draws(numbers, budget), draws);
            assert_int_equal(gmc_optimum_draws(numbers, budget - 1), draws - 1);
        }
    }
}

int test_optimum(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_designs_that_tie_the_middle_is_taken),
        cmocka_unit_test(spends_the_budget_and_finds_the_top),
        cmocka_unit_test(a_corner_is_no_design_twice_in_a_round),
        cmocka_unit_test(starts_with_a_star),
        cmocka_unit_test(idle_numbers_stay_in_the_middle),
        cmocka_unit_test(a_budget_gives_draws_to_a_design),
        cmocka_unit_test(a_surface_follows_what_it_was_fitted_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "engine/base/status.h"
#include "sampling/estimate/paired.h"
#include "sampling/random/student.h"
#include "test/support/near.h"

static const gmc_verdict F = GMC_VERDICT_FAILURE, S = GMC_VERDICT_SUCCESS, U = GMC_VERDICT_UNSOLVED;

static void add_pair(gmc_paired *p, uint64_t number, gmc_verdict first, gmc_verdict second)
{
    gmc_paired_draw draw = {0};
    gmc_paired_put(&draw, first, second);
    gmc_paired_add(p, number, &draw);
}

static gmc_paired four_counts(int both, int only_first, int only_second, int neither,
                              bool is_stopped)
{
    gmc_paired p = gmc_paired_start(1, false, 0, is_stopped, 0.95);
    uint64_t number = 0;
    for (int i = 0; i < both + only_first + only_second + neither; i++) {
        int j = (i * 37) % (both + only_first + only_second + neither); // mixed
        gmc_verdict first = j < both + only_first ? S : F;
        gmc_verdict second =
            j < both || (j >= both + only_first && j < both + only_first + only_second) ? S : F;
        add_pair(&p, number++, first, second);
    }
    return p;
}

static void independent_pairs_get_tangos_interval(void **state)
{
    (void)state;
    gmc_paired p = four_counts(70, 5, 12, 13, false);
    gmc_paired_estimate e = gmc_paired_estimate_of(&p);
    assert_int_equal(p.method, GMC_PAIRED_SCORE);
    assert_int_equal(e.cells.both, 70);
    assert_int_equal(e.cells.only_first, 5);
    assert_int_equal(e.cells.only_second, 12);
    assert_int_equal(e.cells.neither, 13);
    ASSERT_NEAR(e.difference, 0.07, 1e-16);
    gmc_interval tango = gmc_difference_tango(5, 12, 100, 0.95);
    ASSERT_NEAR(e.interval.lower, tango.lower, 0);
    ASSERT_NEAR(e.interval.upper, tango.upper, 0);
    ASSERT_NEAR(e.firm.lower, tango.lower, 0); // no trial is unsolved
    ASSERT_NEAR(e.p_value, gmc_difference_mid_p(5, 12), 0);
    assert_int_equal(e.units, 100);
}

static void unsolved_trials_stand_apart_and_move_the_firm_interval(void **state)
{
    (void)state;
    gmc_paired p = four_counts(70, 5, 12, 13, false), without = p;
    add_pair(&p, 100, U, S); // at worst both succeed, at best only the second
    add_pair(&p, 101, S, U); // at worst only the first
    add_pair(&p, 102, U, U);
    gmc_paired_estimate e = gmc_paired_estimate_of(&p), plain = gmc_paired_estimate_of(&without);
    assert_int_equal(e.open, 3);
    assert_int_equal(gmc_paired_count(e.cells), 100);
    ASSERT_NEAR(e.interval.lower, plain.interval.lower, 0);
    ASSERT_NEAR(e.interval.upper, plain.interval.upper, 0);
    ASSERT_NEAR(e.unsolved.lower, (12 - 7) / 103.0, 1e-16);
    ASSERT_NEAR(e.unsolved.upper, (14 - 5) / 103.0, 1e-16);
    ASSERT_NEAR(e.firm.lower, gmc_difference_tango(7, 12, 103, 0.95).lower, 0);
    ASSERT_NEAR(e.firm.upper, gmc_difference_tango(5, 14, 103, 0.95).upper, 0);
}

/// A draw of so many pairs that went up, down, and stayed.
static gmc_paired_draw draw_of(int up, int down, int stayed)
{
    gmc_paired_draw draw = {0};
    for (int i = 0; i < up; i++)
        gmc_paired_put(&draw, F, S);
    for (int i = 0; i < down; i++)
        gmc_paired_put(&draw, S, F);
    for (int i = 0; i < stayed; i++)
        gmc_paired_put(&draw, i % 2 ? S : F, i % 2 ? S : F);
    return draw;
}

static void shared_draws_get_t_on_their_means(void **state)
{
    (void)state;
    static const int UP[] = {3, 0, 1, 4, 2, 0, 5, 1, 3, 0, 2, 0};
    static const int DOWN[] = {0, 2, 1, 0, 0, 3, 0, 2, 0, 0, 0, 2};
    gmc_paired p = gmc_paired_start(10, false, 0, false, 0.95);
    double sum = 0, squares = 0;
    for (int i = 0; i < 12; i++) {
        gmc_paired_draw draw = draw_of(UP[i], DOWN[i], 10 - UP[i] - DOWN[i]);
        gmc_paired_add(&p, (uint64_t)i, &draw);
        double x = (UP[i] - DOWN[i]) / 10.0;
        sum += x;
        squares += x * x;
    }
    double mean = sum / 12, sd = sqrt((squares - 12 * mean * mean) / 11);
    gmc_paired_estimate e = gmc_paired_estimate_of(&p);
    double half = gmc_student_quantile(11, 0.025) * sd / sqrt(12);
    assert_int_equal(p.method, GMC_PAIRED_DRAWS);
    assert_int_equal(e.units, 12);
    assert_int_equal(e.went_up, 6);
    assert_int_equal(e.went_down, 4);
    ASSERT_NEAR(e.difference, mean, 1e-15);
    ASSERT_NEAR(e.interval.upper, mean + half, 1e-14);
    assert_true(e.is_widened); // four draws went down: the lower end is in doubt
    assert_true(e.interval.lower <= mean - half);
}

static void draws_that_never_moved_do_not_make_a_point(void **state)
{
    (void)state;
    gmc_paired p = gmc_paired_start(10, false, 0, false, 0.95);
    for (uint64_t i = 0; i < 50; i++) {
        gmc_paired_draw draw = draw_of(0, 0, 10);
        gmc_paired_add(&p, i, &draw);
    }
    gmc_paired_estimate e = gmc_paired_estimate_of(&p);
    double most = gmc_proportion_clopper_pearson(0, 50, 0.95).upper;
    ASSERT_NEAR(e.interval.upper, most, 0);
    ASSERT_NEAR(e.interval.lower, -most, 0);
    assert_true(e.is_widened);
    assert_true(e.difference == 0);
    assert_true(e.p_value == 1);
}

static void randomisations_are_the_units_of_even_designs(void **state)
{
    (void)state;
    enum { R = 16, EACH = 64 };
    gmc_paired p = gmc_paired_start(1, false, R, false, 0.95);
    double sum = 0, squares = 0;
    for (int r = 0; r < R; r++) {
        int up = 8 + r % 3, down = 6 + r % 2;
        for (int i = 0; i < EACH; i++) {
            gmc_paired_draw draw = draw_of(i < up, i >= up && i < up + down, i >= up + down);
            gmc_paired_add(&p, (uint64_t)(i * R + r), &draw);
        }
        double x = (double)(up - down) / EACH;
        sum += x;
        squares += x * x;
    }
    double mean = sum / R, sd = sqrt((squares - R * mean * mean) / (R - 1));
    gmc_paired_estimate e = gmc_paired_estimate_of(&p);
    double half = gmc_student_quantile(R - 1, 0.025) * sd / sqrt(R);
    assert_int_equal(p.method, GMC_PAIRED_REPLICAS);
    assert_int_equal(e.units, R);
    assert_false(e.is_widened);
    ASSERT_NEAR(e.interval.lower, mean - half, 1e-14);
    ASSERT_NEAR(e.interval.upper, mean + half, 1e-14);
    gmc_interval random = gmc_difference_tango(
        p.decided.cells.only_first, p.decided.cells.only_second, (int64_t)R * EACH, 0.95);
    assert_true(e.interval.upper - e.interval.lower < random.upper - random.lower);
}

static void stopped_runs_get_a_sequence_that_holds_at_every_look(void **state)
{
    (void)state;
    gmc_paired fixed = four_counts(140, 10, 24, 26, false), p = four_counts(140, 10, 24, 26, true);
    gmc_paired_estimate at_end = gmc_paired_estimate_of(&fixed), e = gmc_paired_estimate_of(&p);
    assert_int_equal(p.method, GMC_PAIRED_ANYTIME);
    ASSERT_NEAR(e.difference, 0.07, 1e-16);
    assert_true(e.interval.lower < at_end.interval.lower);
    assert_true(e.interval.upper > at_end.interval.upper);
    assert_true(e.interval.upper < 0.5);
    add_pair(&p, 200, U, S);
    gmc_paired_estimate open = gmc_paired_estimate_of(&p);
    assert_true(open.firm.lower == open.interval.lower);
    assert_true(open.firm.upper == open.interval.upper);
}

static void without_pairs_nothing_is_said(void **state)
{
    (void)state;
    for (int cases = 1; cases < 3; cases++)
        for (int is_stopped = 0; is_stopped < 2; is_stopped++) {
            gmc_paired p = gmc_paired_start(cases, false, 0, is_stopped, 0.95);
            gmc_paired_estimate e = gmc_paired_estimate_of(&p);
            assert_true(isnan(e.difference));
            assert_true(e.interval.lower == -1);
            assert_true(e.interval.upper == 1);
            assert_true(e.p_value == 1);
        }
}

int test_paired(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(independent_pairs_get_tangos_interval),
        cmocka_unit_test(unsolved_trials_stand_apart_and_move_the_firm_interval),
        cmocka_unit_test(shared_draws_get_t_on_their_means),
        cmocka_unit_test(draws_that_never_moved_do_not_make_a_point),
        cmocka_unit_test(randomisations_are_the_units_of_even_designs),
        cmocka_unit_test(stopped_runs_get_a_sequence_that_holds_at_every_look),
        cmocka_unit_test(without_pairs_nothing_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

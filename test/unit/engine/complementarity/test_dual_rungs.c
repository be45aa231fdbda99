#include "engine/complementarity/rungs.h"
#include "test/support/near.h"
#include "test/support/one_solving.h"

static gmc_solver_report solve(double tolerance, int first_rung, gmc_status expected)
{
    gmc_solver_report report;
    gmc_status status =
        gmc_rungs_solve_dual(&s.normal, tolerance, first_rung, s.x, &s.arena, &report);
    assert_int_equal(status, expected);
    assert_int_equal(s.arena.used, s.mark);
    return report;
}

static void every_problem_is_solved(void **state)
{
    (void)state;
    gmc_chance chance = {43};
    int rungs[GMC_RUNGS_DUAL_COUNT + 1] = {0}, cases = 600;
    for (int i = 0; i < cases; i++) {
        gmc_solving_draw(&s, &chance, i);
        gmc_solver_report report = solve(1e-9, 1, GMC_OK);
        ASSERT_BELOW(report.residual, 1e-9);
        ASSERT_BELOW(gmc_solving_defect(&s), 1e-9);
        assert_in_range(report.rung, 1, GMC_RUNGS_DUAL_COUNT);
        rungs[report.rung]++;
    }
    print_message("rungs 1..7: %d %d %d %d %d %d %d\n", rungs[1], rungs[2], rungs[3], rungs[4],
                  rungs[5], rungs[6], rungs[7]);
    assert_true(rungs[1] > 0.8 * cases);
}

/// Each rung is worth its place: begun there, problems are solved there. Rung 3 alone has rung 2's
/// find to go on with or the start.
static void every_rung_solves(void **state)
{
    (void)state;
    for (int rung = 1; rung <= GMC_RUNGS_DUAL_COUNT; rung++) {
        gmc_chance chance = {44};
        int there = 0, cases = 60;
        for (int i = 0; i < cases; i++) {
            gmc_solving_draw(&s, &chance, i);
            there += solve(1e-8, rung, GMC_OK).rung == rung;
        }
        print_message("rung %d alone: %d of %d\n", rung, there, cases);
        assert_true(there > (rung == 2 ? 0 : 0.6) * cases); // rung 2 by itself ends near 1e-7
    }
}

/// A failure leaves the best iterate, better than the start.
static void failure_leaves_the_best(void **state)
{
    (void)state;
    gmc_chance chance = {45};
    gmc_solving_draw(&s, &chance, 1);
    double before = gmc_solving_defect(&s);
    gmc_solver_report report = solve(0, 1, GMC_E_NO_SOLUTION);
    assert_int_equal(report.rung, 0);
    assert_true(report.residual < 1e-6 * before);
    ASSERT_NEAR(gmc_solving_defect(&s), report.residual, 1e-14); // rounding of w
}

static void small_arena_is_told(void **state)
{
    (void)state;
    gmc_chance chance = {46};
    gmc_solver_report report;
    gmc_arena small;
    gmc_solving_draw(&s, &chance, 4);
    assert_int_equal(gmc_arena_create(&small, 512), GMC_OK);
    assert_int_equal(gmc_rungs_solve_dual(&s.normal, 1e-8, 1, s.x, &small, &report),
                     GMC_E_ARENA_FULL);
    gmc_arena_free(&small);
}

int test_dual_rungs(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_problem_is_solved),
        cmocka_unit_test(every_rung_solves),
        cmocka_unit_test(failure_leaves_the_best),
        cmocka_unit_test(small_arena_is_told),
    };
    return cmocka_run_group_tests(tests, open_solving, close_solving);
}

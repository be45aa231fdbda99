#include "engine/complementarity/dual_newton.h"
#include "test/support/near.h"
#include "test/support/one_solving.h"

/// W regular: nearly always a handful of linear systems from zero.
static void compliant_problems_take_a_few_systems(void **state)
{
    (void)state;
    gmc_chance chance = {3};
    int solved = 0, iterations = 0, cases = 200;
    for (int i = 0; i < cases; i++) {
        gmc_dual_newton_result result;
        gmc_solving_draw(&s, &chance, 3 * i);
        gmc_status status = gmc_dual_newton_solve(&s.normal, 1e-9, 50, s.x, &s.arena, &result);
        assert_int_equal(s.arena.used, s.mark);
        assert_true(status == GMC_OK || status == GMC_E_NO_SOLUTION);
        if (status != GMC_OK) continue;
        ASSERT_BELOW(gmc_solving_defect(&s), 1e-9);
        solved++;
        iterations += result.iterations;
    }
    print_message("%d of %d, %.1f systems\n", solved, cases, (double)iterations / solved);
    assert_true(solved >= 0.97 * cases);
    assert_true(iterations < 8 * solved);
}

/// The centre pulls: with it at the solution and x near, that solution is where the run ends, even
/// if W is singular.
static void proximal_term_makes_rigid_problems_regular(void **state)
{
    (void)state;
    gmc_chance chance = {4};
    for (int i = 0; i < 50; i++) {
        gmc_dual_newton newton;
        gmc_dual_newton_options options = {
            .iteration_max = 50, .tolerance = 1e-12, .softness = 0.5};
        gmc_dual_newton_result result;
        double centre[GMC_DUALS_SIZE], first = HUGE_VAL, last = 0;
        gmc_solving_draw(&s, &chance, 3 * i + 1);
        assert_int_equal(gmc_dual_newton_create(&s.normal, &s.arena, &newton), GMC_OK);
        gmc_dual_answer(&s.normal, s.x, s.w);
        // fixed-point iteration of the proximal map approaches a solution
        for (int stage = 0; stage < 40; stage++) {
            memcpy(centre, s.x, sizeof centre);
            gmc_status status = gmc_dual_newton_run(&newton, &options, centre, s.x, s.w, &result);
            assert_true(status == GMC_OK || status == GMC_E_NO_SOLUTION);
            last = gmc_solving_defect(&s);
            if (stage == 0) first = last;
        }
        assert_true(last < 0.2 * first || last < 1e-6);
    }
}

static void work_is_limited(void **state)
{
    (void)state;
    gmc_chance chance = {5};
    gmc_dual_newton_result result;
    gmc_solving_draw(&s, &chance, 6);
    assert_int_equal(gmc_dual_newton_solve(&s.normal, 0, 3, s.x, &s.arena, &result),
                     GMC_E_NO_SOLUTION);
    assert_true(result.iterations <= 3);
}

static void small_arena_is_told(void **state)
{
    (void)state;
    gmc_chance chance = {6};
    gmc_dual_newton_result result;
    gmc_arena small;
    gmc_solving_draw(&s, &chance, 0);
    assert_int_equal(gmc_arena_create(&small, 512), GMC_OK);
    assert_int_equal(gmc_dual_newton_solve(&s.normal, 1e-8, 50, s.x, &small, &result),
                     GMC_E_ARENA_FULL);
    gmc_arena_free(&small);
}

int test_dual_newton(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compliant_problems_take_a_few_systems),
        cmocka_unit_test(proximal_term_makes_rigid_problems_regular),
        cmocka_unit_test(work_is_limited),
        cmocka_unit_test(small_arena_is_told),
    };
    return cmocka_run_group_tests(tests, open_solving, close_solving);
}

#include "engine/complementarity/dual_newton.h"
#include "test/support/near.h"
#include "test/support/one_solving.h"

/// On a Newton of its own.
static gmc_status run(const gmc_dual_prox_options *options, gmc_arena *arena,
                      gmc_dual_prox_result *result)
{
    gmc_dual_newton newton;
    size_t mark = gmc_arena_mark(arena);
    gmc_status status = gmc_dual_newton_create(&s.normal, arena, &newton);
    if (status == GMC_OK) status = gmc_dual_newton_prox(&newton, options, s.x, arena, result);
    gmc_arena_reset(arena, mark);
    return status;
}

static gmc_status solve(double tolerance, gmc_dual_prox_result *result)
{
    gmc_dual_prox_options options = gmc_dual_newton_prox_defaults(tolerance);
    gmc_status status = run(&options, &s.arena, result);
    assert_int_equal(s.arena.used, s.mark);
    return status;
}

/// Compliant, rigid, hyperstatic: what a solution exists for is found.
static void rigid_problems_are_solved(void **state)
{
    (void)state;
    gmc_chance chance = {13};
    int solved = 0, iterations = 0, cases = 300;
    for (int i = 0; i < cases; i++) {
        gmc_dual_prox_result result;
        gmc_solving_draw(&s, &chance, i);
        if (solve(1e-10, &result) != GMC_OK) continue;
        ASSERT_BELOW(gmc_solving_defect(&s), 1e-10);
        assert_true(result.iterations >= result.stages);
        solved++;
        iterations += result.iterations;
    }
    print_message("%d of %d, %.1f systems\n", solved, cases, (double)iterations / solved);
    assert_true(solved >= 0.97 * cases); // 98.4 % in dual_newton.h; the other rungs do the rest
}

/// From a solution it does not move away.
static void solution_stays(void **state)
{
    (void)state;
    gmc_chance chance = {14};
    for (int i = 0; i < 30; i++) {
        gmc_dual_prox_result result;
        double before[GMC_DUALS_SIZE];
        gmc_solving_draw(&s, &chance, i);
        if (solve(1e-11, &result) != GMC_OK) continue;
        memcpy(before, s.x, sizeof before);
        assert_int_equal(solve(1e-10, &result), GMC_OK);
        assert_true(result.iterations <= 1);
        for (int k = 0; k < 3 * s.normal.unit_count; k++)
            ASSERT_NEAR(s.x[k], before[k], 1e-9); // the residual times a condition of 10
    }
}

static void work_is_limited(void **state)
{
    (void)state;
    gmc_chance chance = {15};
    gmc_dual_prox_options options = gmc_dual_newton_prox_defaults(0);
    gmc_dual_prox_result result;
    gmc_solving_draw(&s, &chance, 1);
    options.iteration_max = 7;
    assert_int_equal(run(&options, &s.arena, &result), GMC_E_NO_SOLUTION);
    assert_true(result.iterations <= 7 + options.stage_max);
    assert_true(result.residual == gmc_solving_defect(&s) || result.residual < 1e-12);
}

static void small_arena_is_told(void **state)
{
    (void)state;
    gmc_chance chance = {6};
    gmc_dual_prox_options options = gmc_dual_newton_prox_defaults(1e-8);
    gmc_dual_prox_result result;
    gmc_arena small;
    gmc_solving_draw(&s, &chance, 0);
    assert_int_equal(gmc_arena_create(&small, 512), GMC_OK);
    assert_int_equal(run(&options, &small, &result), GMC_E_ARENA_FULL);
    gmc_arena_free(&small);
}

int test_dual_prox(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rigid_problems_are_solved),
        cmocka_unit_test(solution_stays),
        cmocka_unit_test(work_is_limited),
        cmocka_unit_test(small_arena_is_told),
    };
    return cmocka_run_group_tests(tests, open_solving, close_solving);
}

#include "engine/complementarity/admm.h"
#include "test/support/one_solving.h"

/// On a system of its own.
static gmc_status run(const gmc_admm_options *options, gmc_arena *arena, gmc_admm_result *result)
{
    gmc_dual_system system;
    size_t mark = gmc_arena_mark(arena);
    gmc_status status = gmc_dual_system_create(&s.normal, arena, &system);
    if (status == GMC_OK) status = gmc_admm_solve(&system, options, s.x, arena, result);
    gmc_arena_reset(arena, mark);
    return status;
}

static void most_problems_are_solved(void **state)
{
    (void)state;
    gmc_chance chance = {33};
    int solved[3] = {0}, factorisations = 0, iterations = 0, cases = 300;
    for (int i = 0; i < cases; i++) {
        gmc_admm_options options = gmc_admm_defaults(1e-8);
        gmc_admm_result result;
        gmc_solving_draw(&s, &chance, i);
        gmc_status status = run(&options, &s.arena, &result);
        assert_int_equal(s.arena.used, s.mark);
        ASSERT_NEAR(gmc_solving_defect(&s), result.residual, 1e-14 + 1e-9 * result.residual);
        if (status != GMC_OK) continue;
        solved[i % 3]++;
        factorisations += result.factorisations;
        iterations += result.iterations;
    }
    int all = solved[0] + solved[1] + solved[2];
    print_message("%d %d %d of %d each, %.0f iterations with %.1f factorisations\n", solved[0],
                  solved[1], solved[2], cases / 3, (double)iterations / all,
                  (double)factorisations / all);
    assert_true(solved[0] >= 0.97 * cases / 3);
    assert_true(all >= 0.9 * cases);
    assert_true(iterations > 5 * factorisations); // one factorisation for many iterations
}

/// A start at the solution is looked at before anything is done.
static void solution_costs_nothing(void **state)
{
    (void)state;
    gmc_chance chance = {34};
    gmc_admm_options options = gmc_admm_defaults(1e-9);
    gmc_admm_result result;
    gmc_solving_draw(&s, &chance, 0);
    assert_int_equal(run(&options, &s.arena, &result), GMC_OK);
    assert_true(result.iterations > 0);
    options.tolerance = 1e-8;
    assert_int_equal(run(&options, &s.arena, &result), GMC_OK);
    assert_int_equal(result.iterations, 0);
}

static void failures_are_told(void **state)
{
    (void)state;
    gmc_chance chance = {35};
    gmc_admm_options options = gmc_admm_defaults(0);
    gmc_admm_result result;
    gmc_solving_draw(&s, &chance, 1);
    options.iteration_max = 12;
    assert_int_equal(run(&options, &s.arena, &result), GMC_E_NO_SOLUTION);
    assert_int_equal(result.iterations, 12);
    gmc_arena small;
    assert_int_equal(gmc_arena_create(&small, 512), GMC_OK);
    assert_int_equal(run(&options, &small, &result), GMC_E_ARENA_FULL);
    gmc_arena_free(&small);
}

int test_admm(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(most_problems_are_solved),
        cmocka_unit_test(solution_costs_nothing),
        cmocka_unit_test(failures_are_told),
    };
    return cmocka_run_group_tests(tests, open_solving, close_solving);
}

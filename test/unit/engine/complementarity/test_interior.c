#include "engine/complementarity/interior.h"
#include "test/support/one_solving.h"

/// On a system of its own.
static gmc_status run(const gmc_interior_options *options, gmc_arena *arena,
                      gmc_interior_result *result)
{
    gmc_dual_system system;
    size_t mark = gmc_arena_mark(arena);
    gmc_status status = gmc_dual_system_create(&s.normal, arena, &system);
    if (status == GMC_OK) status = gmc_interior_solve(&system, options, s.x, arena, result);
    gmc_arena_reset(arena, mark);
    return status;
}

static gmc_status solve(double tolerance, gmc_interior_result *result)
{
    gmc_interior_options options = {tolerance, 60};
    gmc_status status = run(&options, &s.arena, result);
    assert_int_equal(s.arena.used, s.mark);
    return status;
}

/// Six digits in a number of systems that hardly depends on the problem.
static void six_digits_in_few_systems(void **state)
{
    (void)state;
    gmc_chance chance = {23};
    int solved = 0, most = 0, cases = 300;
    for (int i = 0; i < cases; i++) {
        gmc_interior_result result;
        gmc_solving_draw(&s, &chance, i);
        gmc_status status = solve(1e-6, &result);
        ASSERT_NEAR_RELATIVE(gmc_solving_defect(&s), result.residual, 1e-6);
        if (status != GMC_OK) continue;
        solved++;
        if (result.iterations > most) most = result.iterations;
        for (int c = 0; c < s.normal.unit_count; c++) { // inside its cones
            const double *x = s.x + 3 * c;
            double mu = s.normal.units[c].friction;
            assert_true(sqrt(x[1] * x[1] + x[2] * x[2]) <= mu * x[0] * (1 + 1e-12) + 1e-15);
        }
    }
    print_message("%d of %d, at most %d systems\n", solved, cases, most);
    assert_true(solved >= 0.8 * cases);
    assert_true(most < 60);
}

/// Frictionless contacts and boxes of every kind: bounds on one side, on both, none, pinned. W = 1,
/// so that x = P(-q).
static void boxes_and_lines(void **state)
{
    (void)state;
    gmc_chance chance = {24};
    for (int i = 0; i < 100; i++) {
        gmc_interior_result result;
        memset(&s.problem, 0, sizeof s.problem);
        for (int k = 0; k < 9; k++) {
            s.problem.dense[10 * k] = 1;
            s.problem.q[k] = gmc_chance_uniform(&chance, -2, 2);
        }
        s.problem.units[1] = (gmc_dual_unit){
            .is_box = true, .lower = {-1, -HUGE_VAL, 0.5}, .upper = {0.5, 1, HUGE_VAL}};
        s.problem.units[2] = (gmc_dual_unit){
            .is_box = true, .lower = {0.3, -HUGE_VAL, -0.1}, .upper = {0.3, HUGE_VAL, 0.1}};
        gmc_duals_bind(&s.problem, 3);
        gmc_solving_start(&s);
        assert_int_equal(solve(1e-9, &result), GMC_OK);
        for (int c = 0; c < 3; c++) {
            double y[3], p[3];
            for (int k = 0; k < 3; k++)
                y[k] = -s.normal.q[3 * c + k];
            gmc_dual_project(&s.normal.units[c], y, p);
            for (int k = c == 0; k < 3; k++)
                ASSERT_NEAR(s.x[3 * c + k], c == 0 ? 0 : p[k], 1e-8); // ten times the residual
            if (c == 0) ASSERT_NEAR(s.x[0], fmax(y[0], 0), 1e-8);
        }
    }
}

static void failures_are_told(void **state)
{
    (void)state;
    gmc_chance chance = {25};
    gmc_interior_result result;
    gmc_solving_draw(&s, &chance, 1);
    gmc_interior_options options = {0, 3};
    assert_int_equal(run(&options, &s.arena, &result), GMC_E_NO_SOLUTION);
    assert_true(result.iterations <= 3);
    gmc_arena small;
    assert_int_equal(gmc_arena_create(&small, 512), GMC_OK);
    assert_int_equal(run(&options, &small, &result), GMC_E_ARENA_FULL);
    gmc_arena_free(&small);
}

int test_interior(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(six_digits_in_few_systems),
        cmocka_unit_test(boxes_and_lines),
        cmocka_unit_test(failures_are_told),
    };
    return cmocka_run_group_tests(tests, open_solving, close_solving);
}

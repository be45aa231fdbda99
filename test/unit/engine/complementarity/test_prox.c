#include "engine/complementarity/prox.h"
#include "test/support/cmocka_all.h"
#include "test/support/near.h"
#include "test/support/one_arena.h"
#include "test/support/problem.h"

static const gmc_prox_options PATIENT = {
    .stage_max = 200, .iteration_max = 25, .softening = 30, .tolerance = 1e-10};

static void draw(uint64_t seed, gmc_problem *p, gmc_ncp_scales *scales)
{
    gmc_problem_kind kind = gmc_problem_default_kind();
    gmc_chance chance = {seed};
    gmc_arena_reset(&arena, 0);
    gmc_problem_grasp(&chance, &kind, p);
    assert_int_equal(gmc_ncp_scale(&p->ncp, &arena, scales), GMC_OK);
}

/// Draws on which both Newton forms, a homotopy in the compliance, and 20000 sweeps failed from
/// cold.
static void hard_problems_are_solved(void **state)
{
    (void)state;
    const uint64_t draws[] = {23142, 39160, 39324, 39716, 46085, 60477, 61287};
    for (int i = 0; i < GMC_COUNT(draws); i++) {
        static gmc_problem p;
        gmc_ncp_scales scales;
        gmc_prox_result result;
        draw(draws[i] * 7919 + 1, &p, &scales);
        gmc_ncp_solution x = gmc_problem_solution(&p);
        assert_int_equal(gmc_prox_solve(&p.ncp, &scales, &PATIENT, &x, &arena, &result), GMC_OK);
        ASSERT_BELOW(gmc_ncp_judge_scaled(&p.ncp, &scales, p.v, p.r, p.s), 1e-10);
        assert_true(result.stages > 1);
        assert_true(result.iterations >= result.stages);
    }
}

/// At the solution nothing is left to do.
static void solution_is_a_fixed_point(void **state)
{
    (void)state;
    static gmc_problem p;
    gmc_ncp_scales scales;
    gmc_prox_result result;
    draw(5, &p, &scales);
    gmc_ncp_solution x = gmc_problem_solution(&p);
    assert_int_equal(gmc_prox_solve(&p.ncp, &scales, &PATIENT, &x, &arena, &result), GMC_OK);
    assert_int_equal(gmc_prox_solve(&p.ncp, &scales, &PATIENT, &x, &arena, &result), GMC_OK);
    assert_int_equal(result.stages, 0);
}

static void limits_are_told(void **state)
{
    (void)state;
    static gmc_problem p;
    gmc_ncp_scales scales;
    gmc_prox_result result;
    draw(23142 * 7919 + 1, &p, &scales);
    gmc_ncp_solution x = gmc_problem_solution(&p);
    gmc_prox_options once = PATIENT;
    once.stage_max = 1;
    gmc_status status = gmc_prox_solve(&p.ncp, &scales, &once, &x, &arena, &result);
    assert_int_equal(status, GMC_E_NO_SOLUTION);
    assert_int_equal(result.stages, 1);
    assert_true(result.residual > 1e-10);

    const size_t sizes[] = {256, 2048,
                            (size_t)1 << 20}; // of scratch: less than the vectors, than the matrix
    for (int i = 0; i < 3; i++) {
        gmc_arena small;
        assert_int_equal(gmc_arena_create(&small, sizes[i]), GMC_OK);
        status = gmc_prox_solve(&p.ncp, &scales, &once, &x, &small, &result);
        assert_true((status == GMC_E_ARENA_FULL) == (i < 2));
        assert_int_equal(small.used, 0);
        gmc_arena_free(&small);
    }
}

int test_prox(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hard_problems_are_solved),
        cmocka_unit_test(solution_is_a_fixed_point),
        cmocka_unit_test(limits_are_told),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}

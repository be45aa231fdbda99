#include "engine/pivoting/lemke.h"
#include "engine/pivoting/principal.h"
#include "test/support/chance.h"
#include "test/support/near.h"
#include "test/support/one_arena.h"

#include <string.h>

enum { SIZE = 12 };

static double M[SIZE * SIZE], q[SIZE], z[SIZE];
static const gmc_lcp problem = {SIZE, M, q};

/// M = AᵀA + 0.1: every problem with it has one solution.
static void draw(gmc_chance *chance)
{
    double A[SIZE * SIZE];
    for (int i = 0; i < SIZE * SIZE; i++)
        A[i] = gmc_chance_uniform(chance, -1, 1);
    for (int i = 0; i < SIZE; i++) {
        q[i] = gmc_chance_uniform(chance, -1, 1);
        for (int j = 0; j < SIZE; j++) {
            M[i * SIZE + j] = i == j ? 0.1 : 0;
            for (int k = 0; k < SIZE; k++)
                M[i * SIZE + j] += A[k * SIZE + i] * A[k * SIZE + j];
        }
    }
}

static gmc_status solve(bool *is_basic, int *rounds, double *residual)
{
    const gmc_principal_options options = {1e-10, *rounds};
    gmc_principal_result result;
    gmc_status status = gmc_principal_solve(&problem, &options, is_basic, z, &arena, &result);
    *rounds = result.rounds;
    *residual = result.residual;
    return status;
}

/// From nothing, from the solution, and from a guess with one mistake: what pivoting finds.
static void the_same_as_pivoting(void **state)
{
    (void)state;
    enum { DRAWS = 300 };
    gmc_chance chance = {31};
    int from_nothing = 0, from_near = 0;
    for (int i = 0; i < DRAWS; i++) {
        gmc_lemke_options options = gmc_lemke_defaults(SIZE);
        gmc_lemke_result pivoted;
        double expected[SIZE], residual;
        bool is_basic[SIZE] = {false};
        int rounds = 20;
        draw(&chance);
        assert_int_equal(gmc_lemke_solve(&problem, &options, expected, &arena, &pivoted), GMC_OK);
        if (solve(is_basic, &rounds, &residual) == GMC_OK) {
            from_nothing++;
            ASSERT_BELOW(residual, 1e-10);
            assert_true(residual == gmc_lcp_residual(&problem, gmc_lcp_scale(&problem), z));
            for (int k = 0; k < SIZE; k++) // 1e-12 times the condition of M, up to 1e3
                ASSERT_NEAR(z[k], expected[k], 1e-9);
        }
        rounds = 20;
        for (int k = 0; k < SIZE; k++)
            is_basic[k] = expected[k] > 0;
        assert_int_equal(solve(is_basic, &rounds, &residual), GMC_OK);
        assert_int_equal(rounds, 1);
        for (int k = 0; k < SIZE; k++)
            assert_true(is_basic[k] == (expected[k] > 0));

        int wrong = gmc_chance_integer(&chance, 0, SIZE - 1);
        is_basic[wrong] = !is_basic[wrong];
        rounds = 20;
        if (solve(is_basic, &rounds, &residual) != GMC_OK) continue;
        from_near++;
        for (int k = 0; k < SIZE; k++)
            ASSERT_NEAR(z[k], expected[k], 1e-9);
    }
    // blocks may go round in circles: seldom
    assert_true(from_nothing > DRAWS * 9 / 10);
    assert_true(from_near > DRAWS * 9 / 10);
}

static void what_it_gives_up(void **state)
{
    (void)state;
    gmc_chance chance = {32};
    double residual;
    bool is_basic[SIZE] = {false}, all[SIZE];
    int rounds = 1;
    draw(&chance);
    q[0] = -1; // not all are zero
    assert_int_equal(solve(is_basic, &rounds, &residual), GMC_E_NO_SOLUTION);
    assert_int_equal(rounds, 1);
    assert_int_equal(arena.used, 0);

    for (int i = 0; i < SIZE; i++)
        all[i] = true;
    memset(M, 0, sizeof M); // singular
    rounds = 5;
    assert_int_equal(solve(all, &rounds, &residual), GMC_E_NO_SOLUTION);
    assert_int_equal(rounds, 0);

    draw(&chance);
    q[3] = NAN;
    rounds = 5;
    memset(all, 1, sizeof all);
    assert_int_equal(solve(all, &rounds, &residual), GMC_E_NO_SOLUTION);

    gmc_arena small;
    assert_int_equal(gmc_arena_create(&small, 256), GMC_OK);
    const gmc_principal_options options = {1e-10, 5};
    gmc_principal_result result;
    assert_int_equal(gmc_principal_solve(&problem, &options, all, z, &small, &result),
                     GMC_E_ARENA_FULL);
    assert_int_equal(small.used, 0);
    gmc_arena_free(&small);
}

int test_principal(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_as_pivoting),
        cmocka_unit_test(what_it_gives_up),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}

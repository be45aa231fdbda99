#include "engine/complementarity/dual_system.h"
#include "test/support/duals.h"
#include "test/support/near.h"
#include "test/support/one_arena.h"

static gmc_duals p;

static gmc_status factor(gmc_dual_factor *out)
{
    gmc_dual_scales scales;
    static gmc_dual normal;
    gmc_arena_reset(&arena, 0);
    assert_int_equal(gmc_dual_scale(&p.dual, &arena, &scales), GMC_OK);
    assert_int_equal(gmc_dual_normalise(&p.dual, &scales, &arena, &normal), GMC_OK);
    gmc_status status = gmc_dual_factor_create(&normal, &arena, out);
    p.dual = normal; // from here on the test looks at the normalised problem
    return status;
}

/// L (Lᵀ r) = W r for any r, with as many columns as there are velocities.
static void factors_are_those_of_W(void **state)
{
    (void)state;
    gmc_chance chance = {2};
    int exact = 0;
    for (int i = 0; i < 60; i++) {
        int units = 2 + i % 10, dofs = 3 + i % 14, full = 3 * units;
        double softness = i % 3 == 0 ? 0.3 : 0;
        gmc_dual_factor L;
        double r[GMC_DUALS_SIZE], v[GMC_DUALS_SIZE], w[GMC_DUALS_SIZE], u[3];
        gmc_duals_draw(&chance, units, dofs, 1, softness, 1, &p);
        assert_int_equal(factor(&L), GMC_OK);
        // noise behind a small pivot may stand for one more
        int rank = softness > 0 || dofs > full ? full : dofs;
        assert_true(L.rank >= rank);
        assert_true(L.rank <= full);
        exact += L.rank == rank;
        for (int k = 0; k < full; k++)
            r[k] = gmc_chance_uniform(&chance, -1, 1);
        gmc_dual_factor_gather(&L, units, r, v);
        gmc_dual_answer(&p.dual, r, w);
        for (int c = 0; c < units; c++) {
            gmc_dual_factor_spread(&L, c, v, u);
            // rounding over the smallest pivot that is kept; seen: 2e-10
            for (int k = 0; k < 3; k++)
                ASSERT_NEAR(u[k], w[3 * c + k] - p.dual.q[3 * c + k], 1e-9);
            for (int k = L.first[c] + 1; k < L.first[c + 1]; k++)
                assert_true(L.columns[k] > L.columns[k - 1]);
        }
    }
    assert_true(exact >= 57); // of 60
}

/// Contacts that share no body share no column.
static void groups_stay_apart(void **state)
{
    (void)state;
    gmc_chance chance = {3};
    gmc_dual_factor L;
    gmc_duals_draw(&chance, 12, 18, 3, 0, 1, &p);
    assert_int_equal(p.start[12], 3 * 16);
    assert_int_equal(factor(&L), GMC_OK);
    assert_int_equal(L.rank, 18);
    int owner[18];
    for (int k = 0; k < 18; k++)
        owner[k] = -1;
    for (int c = 0; c < 12; c++)
        for (int k = L.first[c]; k < L.first[c + 1]; k++) {
            int *of = &owner[L.columns[k]];
            if (*of < 0) *of = c / 4;
            assert_int_equal(*of, c / 4);
        }
}

static void failures_are_told(void **state)
{
    (void)state;
    gmc_chance chance = {3};
    gmc_dual_factor L;
    gmc_duals_draw(&chance, 3, 6, 1, 0, 1, &p);
    p.W[1] = p.W[3] = NAN;
    assert_int_equal(factor(&L), GMC_E_NO_SOLUTION);
    gmc_duals_draw(&chance, 3, 6, 1, 0, 1, &p);
    gmc_arena small;
    assert_int_equal(gmc_arena_create(&small, 128), GMC_OK);
    assert_int_equal(gmc_dual_factor_create(&p.dual, &small, &L), GMC_E_ARENA_FULL);
    gmc_arena_free(&small);
}

int test_dual_factor(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factors_are_those_of_W),
        cmocka_unit_test(groups_stay_apart),
        cmocka_unit_test(failures_are_told),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}

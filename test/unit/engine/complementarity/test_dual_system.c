#include "engine/complementarity/dual_system.h"
#include "test/support/duals.h"
#include "test/support/near.h"
#include "test/support/one_arena.h"

#include <string.h>

static gmc_duals p;

static void set_diagonal(gmc_dual_slope *slope, double a, double b)
{
    for (int i = 0; i < 3; i++) {
        slope->A[4 * i] = a;
        slope->B[4 * i] = b;
        slope->inverse[4 * i] = 1 / a;
    }
}

/// One slope of each kind. The general one is A = a 1 + e_T e_Nᵀ (lower triangular), B arbitrary.
static void draw_slope(gmc_chance *chance, int kind, gmc_dual_slope *slope)
{
    *slope = (gmc_dual_slope){.kind = (gmc_dual_slope_kind)kind};
    double a = gmc_chance_uniform(chance, 0.2, 2);
    set_diagonal(slope, kind == GMC_DUAL_SLOPE_FIXED ? 1 : a, kind == GMC_DUAL_SLOPE_FIXED ? 0 : 1);
    if (kind == GMC_DUAL_SLOPE_SYMMETRIC)
        for (int i = 0; i < 3; i++)
            slope->B[4 * i] = gmc_chance_uniform(chance, 0, 2);
    if (kind != GMC_DUAL_SLOPE_GENERAL) return;
    double t = gmc_chance_uniform(chance, -1, 1);
    slope->A[3] = t;
    slope->inverse[3] = -t / (a * a);
    for (int i = 0; i < 9; i++)
        slope->B[i] = gmc_chance_uniform(chance, -0.3, 0.3) + (i % 4 == 0);
}

/// A x + B (W x) = -f, and Wx is W x.
static void check(const gmc_dual_slope *slopes, const double *f, const double *x, const double *Wx)
{
    double w[GMC_DUALS_SIZE];
    gmc_dual_answer(&p.dual, x, w);
    for (int c = 0; c < p.dual.unit_count; c++)
        for (int i = 0; i < 3; i++) {
            double sum = f[3 * c + i];
            // condition of the small systems here, 1e3, times rounding of terms up to 1e2
            ASSERT_NEAR(Wx[3 * c + i], w[3 * c + i] - p.q[3 * c + i], 1e-10);
            for (int j = 0; j < 3; j++)
                sum +=
                    slopes[c].A[3 * i + j] * x[3 * c + j] + slopes[c].B[3 * i + j] * Wx[3 * c + j];
            ASSERT_NEAR(sum, 0, 1e-10);
        }
}

/// Small and full: direct. Many contacts of few velocities: factored. All kinds of slope, alone
/// (symmetric factorisation) and mixed.
static void both_forms_solve_the_system(void **state)
{
    (void)state;
    gmc_chance chance = {5};
    int factored = 0, symmetric = 0, cases = 400;
    for (int i = 0; i < cases; i++) {
        int units = 1 + i % 12, dofs = 3 + i % 7;
        gmc_dual_slope slopes[GMC_DUALS_UNITS];
        gmc_dual_system system;
        double f[GMC_DUALS_SIZE], x[GMC_DUALS_SIZE], Wx[GMC_DUALS_SIZE];
        gmc_arena_reset(&arena, 0);
        gmc_duals_draw(&chance, units, dofs, 1, i % 5 == 0 ? 0.2 : 0, 1, &p);
        assert_int_equal(gmc_dual_system_create(&p.dual, &arena, &system), GMC_OK);
        for (int c = 0; c < units; c++) {
            draw_slope(&chance, i % 2 ? (int)(gmc_chance_bits(&chance) % 4) : i / 2 % 4,
                       &slopes[c]);
            for (int k = 0; k < 3; k++)
                f[3 * c + k] = gmc_chance_uniform(&chance, -1, 1);
        }
        if (!gmc_dual_system_factor(&system, slopes)) continue; // B may make it singular
        gmc_dual_system_solve(&system, slopes, f, x, Wx);
        double size = 0;
        for (int k = 0; k < 3 * units; k++)
            size = fmax(size, fabs(x[k]));
        if (size > 100) continue; // nearly so
        check(slopes, f, x, Wx);
        factored += system.is_factored;
        symmetric += system.is_symmetric;
    }
    assert_true(factored > cases / 4);
    assert_true(factored < 3 * cases / 4);
    assert_true(symmetric > cases / 8);
    assert_true(symmetric < cases * 7 / 8);
}

static void singular_is_told(void **state)
{
    (void)state;
    gmc_dual_slope slopes[GMC_DUALS_UNITS];
    gmc_dual_system system;
    gmc_duals_block(1, 0.5, 1, 0, 0, &p);
    memset(p.dense, 0, sizeof p.dense);
    gmc_duals_bind(&p, 1);
    gmc_arena_reset(&arena, 0);
    slopes[0] = (gmc_dual_slope){.kind = GMC_DUAL_SLOPE_GENERAL, .B = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    assert_int_equal(gmc_dual_system_create(&p.dual, &arena, &system), GMC_OK);
    assert_false(gmc_dual_system_factor(&system, slopes));
}

static void failures_are_told(void **state)
{
    (void)state;
    gmc_chance chance = {5};
    gmc_dual_system system;
    gmc_arena small;
    gmc_duals_draw(&chance, 10, 6, 1, 0, 1, &p);
    assert_int_equal(gmc_arena_create(&small, 1024), GMC_OK);
    assert_int_equal(gmc_dual_system_create(&p.dual, &small, &system), GMC_E_ARENA_FULL);
    gmc_arena_free(&small);
    p.W[0] = NAN;
    gmc_arena_reset(&arena, 0);
    assert_int_equal(gmc_dual_system_create(&p.dual, &arena, &system), GMC_E_NO_SOLUTION);
}

int test_dual_system(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_forms_solve_the_system),
        cmocka_unit_test(singular_is_told),
        cmocka_unit_test(failures_are_told),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}

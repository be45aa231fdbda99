#include "engine/complementarity/dual.h"
#include "test/support/duals.h"
#include "test/support/judge.h"
#include "test/support/near.h"
#include "test/support/one_arena.h"

#include <string.h>

static gmc_duals p;

static gmc_judgement judge(const gmc_dual *problem, const double *r)
{
    double w[GMC_DUALS_SIZE];
    gmc_dual_scales scales;
    gmc_arena_reset(&arena, 0);
    assert_int_equal(gmc_dual_scale(problem, &arena, &scales), GMC_OK);
    return gmc_judge_dual(problem, &scales, r, w);
}

/// A block of 2 kg meets the ground at 3 m/s, mu 0.5: what the plane asks of friction decides.
static void closed_forms_have_no_residual(void **state)
{
    (void)state;
    const double stick[] = {6, -2, 0}, slide[] = {6, -3 * 0.8, -3 * 0.6}, open[] = {0, 0, 0};
    gmc_duals_block(2, 0.5, 3, 1, 0, &p); // 2 N·s of friction asked, 3 allowed
    ASSERT_BELOW(judge(&p.dual, stick).scaled, 1e-15);
    gmc_duals_block(2, 0.5, 3, 8, 6, &p);
    ASSERT_BELOW(judge(&p.dual, slide).scaled, 1e-15);
    gmc_duals_block(2, 0.5, -3, 8, 6, &p);
    ASSERT_BELOW(judge(&p.dual, open).scaled, 1e-15);
}

/// The physical residuals of impulses that are wrong in one way each, by hand: w = r/2 + q.
static void physical_residuals_say_what_is_wrong(void **state)
{
    (void)state;
    gmc_duals_block(2, 0.5, 3, 1, 0, &p);
    const double weak[] = {4, -2, 0}; // w_N = -1; sticks, inside its cone
    gmc_judgement residual = judge(&p.dual, weak);
    ASSERT_NEAR(residual.penetration, 1, 1e-15);
    ASSERT_NEAR(residual.cone, 0, 1e-15);
    ASSERT_NEAR(residual.dissipation, 4, 1e-15); // r_N w_N
    gmc_duals_block(2, 0.5, 3, 8, 0, &p);
    const double strong[] = {6, -5, 0}; // 2 beyond mu r_N, w_T = 5.5
    residual = judge(&p.dual, strong);
    ASSERT_NEAR(residual.penetration, 0, 1e-15);
    ASSERT_NEAR(residual.cone, 2, 1e-15);
    ASSERT_NEAR(residual.dissipation, 11, 1e-14); // |-5 + 3| 5.5
    assert_true(residual.scaled > 0.1);
    const double pulls[] = {-1, 0, 0};
    assert_true(judge(&p.dual, pulls).cone >= 1);
}

/// Four facets, a push at 45°: friction is mu r_N cos 45° against it, an edge of the square.
static void pyramids_are_judged_by_their_own_law(void **state)
{
    (void)state;
    gmc_duals_block(2, 0.5, 3, 8, 8, &p);
    p.units[0].facet_count = 4;
    const double edge[] = {6, -1.5, -1.5}; // on the edge, anywhere on it dissipates alike
    gmc_judgement residual = judge(&p.dual, edge);
    ASSERT_BELOW(residual.scaled, 1e-15);
    ASSERT_NEAR(residual.cone, 0, 1e-15);
    ASSERT_NEAR(residual.dissipation, 0, 1e-14);
    const double disc[] = {6, -3 * 0.70710678118654752, -3 * 0.70710678118654752};
    residual = judge(&p.dual, disc); // right for the exact cone, outside of the square
    ASSERT_NEAR(residual.cone, 3 * (1.41421356237309505 - 1), 1e-14);
    p.units[0].facet_count = 0;
    ASSERT_BELOW(judge(&p.dual, disc).scaled, 1e-15);
    assert_true(judge(&p.dual, edge).scaled > 0.01);
}

static void boxes_are_judged(void **state)
{
    (void)state;
    gmc_duals_block(1, 0, 0, 0, 0, &p);
    p.units[0] =
        (gmc_dual_unit){.is_box = true, .lower = {-1, -HUGE_VAL, 0}, .upper = {1, HUGE_VAL, 0}};
    p.q[0] = -3; // pressed against its upper bound
    p.q[1] = 2;  // free
    p.q[2] = 5;  // pinned
    const double right[] = {1, -2, 0}, wrong[] = {1.5, -2, 0};
    ASSERT_BELOW(judge(&p.dual, right).scaled, 1e-15);
    ASSERT_NEAR(judge(&p.dual, wrong).cone, 0.5, 1e-15);
    assert_true(judge(&p.dual, wrong).scaled > 0.01);
}

/// Masses, velocities and lengths in other units; the normalised form: all the same residual.
static void units_change_nothing(void **state)
{
    (void)state;
    gmc_chance chance = {4};
    for (int i = 0; i < 100; i++) {
        static gmc_duals other;
        double r[GMC_DUALS_SIZE], scaled[GMC_DUALS_SIZE], x[GMC_DUALS_SIZE], w[GMC_DUALS_SIZE];
        gmc_duals_draw(&chance, 5, 9, 1, i % 2 ? 0 : 0.1, 1, &p);
        double heavier = gmc_chance_log_uniform(&chance, 1e-3, 1e3);
        double faster = gmc_chance_log_uniform(&chance, 1e-3, 1e3);
        for (int k = 0; k < 15; k++)
            r[k] = gmc_chance_uniform(&chance, -1, 1);
        other = p;
        for (int k = 0; k < 225; k++)
            other.dense[k] /= heavier;
        for (int k = 0; k < 15; k++) {
            other.q[k] *= faster;
            scaled[k] = r[k] * heavier * faster;
        }
        gmc_duals_bind(&other, 5);
        double residual = judge(&p.dual, r).scaled;
        ASSERT_NEAR_RELATIVE(judge(&other.dual, scaled).scaled, residual, 1e-12); // rounding

        gmc_dual_scales scales;
        gmc_dual normal;
        gmc_arena_reset(&arena, 0);
        assert_int_equal(gmc_dual_scale(&p.dual, &arena, &scales), GMC_OK);
        assert_int_equal(gmc_dual_normalise(&p.dual, &scales, &arena, &normal), GMC_OK);
        for (int k = 0; k < 15; k++)
            x[k] = r[k] * sqrt(scales.weight[k]) / scales.size;
        gmc_dual_answer(&normal, x, w);
        ASSERT_NEAR_RELATIVE(gmc_dual_defect(&normal, x, w), residual, 1e-12);
        // the diagonal blocks have trace 3 now
        for (int c = 0; c < 5; c++)
            for (int k = normal.start[c]; k < normal.start[c + 1]; k++) {
                const double *own = normal.W + 9 * k;
                if (normal.other[k] == c) ASSERT_NEAR(own[0] + own[4] + own[8], 3, 1e-14);
            }
    }
}

static void what_is_not_finite_shows(void **state)
{
    (void)state;
    gmc_duals_block(2, 0.5, 3, 1, 0, &p);
    const double nan_r[] = {NAN, 0, 0}, nan_t[] = {6, NAN, 0};
    assert_true(isnan(judge(&p.dual, nan_r).scaled));
    assert_true(isnan(judge(&p.dual, nan_t).scaled));
}

/// What nothing can move has weight 1, and a problem without any push has a size above zero.
static void empty_problems_are_judged(void **state)
{
    (void)state;
    gmc_duals_block(1, 0.5, 0, 0, 0, &p);
    memset(p.dense, 0, sizeof p.dense);
    gmc_duals_bind(&p, 1);
    const double r[] = {0, 0, 0};
    assert_true(judge(&p.dual, r).scaled == 0);
    p.dual.unit_count = 0;
    assert_true(judge(&p.dual, r).scaled == 0);
}

static void small_arena_is_told(void **state)
{
    (void)state;
    gmc_chance chance = {6};
    gmc_dual_scales scales;
    gmc_dual normal;
    gmc_arena small;
    gmc_duals_draw(&chance, 4, 8, 1, 0, 1, &p);
    assert_int_equal(gmc_arena_create(&small, 64), GMC_OK);
    assert_int_equal(gmc_dual_scale(&p.dual, &small, &scales), GMC_E_ARENA_FULL);
    gmc_arena_reset(&arena, 0);
    assert_int_equal(gmc_dual_scale(&p.dual, &arena, &scales), GMC_OK);
    assert_int_equal(gmc_dual_normalise(&p.dual, &scales, &small, &normal), GMC_E_ARENA_FULL);
    gmc_arena_free(&small);
}

int test_dual(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_forms_have_no_residual),
        cmocka_unit_test(physical_residuals_say_what_is_wrong),
        cmocka_unit_test(pyramids_are_judged_by_their_own_law),
        cmocka_unit_test(boxes_are_judged),
        cmocka_unit_test(units_change_nothing),
        cmocka_unit_test(what_is_not_finite_shows),
        cmocka_unit_test(empty_problems_are_judged),
        cmocka_unit_test(small_arena_is_told),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}

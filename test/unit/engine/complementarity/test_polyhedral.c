#include "engine/complementarity/polyhedral.h"
#include "engine/math/elementary.h"
#include "engine/pivoting/lemke.h"
#include "test/support/near.h"
#include "test/support/one_solving.h"

/// Impulses of s.problem as it stands, by its LCP; the residual is that of the dual problem.
static double solve(double *r)
{
    gmc_lcp lcp;
    gmc_lemke_result result;
    double z[256], w[GMC_DUALS_SIZE];
    gmc_solving_start(&s);
    assert_int_equal(gmc_polyhedral_lcp(&s.problem.dual, &s.arena, &lcp), GMC_OK);
    assert_int_equal(lcp.size, gmc_polyhedral_size(&s.problem.dual));
    assert_true(lcp.size <= GMC_COUNT(z));
    gmc_lemke_options options = gmc_lemke_defaults(lcp.size);
    assert_int_equal(gmc_lemke_solve(&lcp, &options, z, &s.arena, &result), GMC_OK);
    gmc_polyhedral_impulses(&s.problem.dual, z, r);
    return gmc_dual_judge_scaled(&s.problem.dual, &s.scales, r, w);
}

/// The LCP is the dual problem with pyramids: its solutions have no residual there.
static void the_lcp_is_the_problem(void **state)
{
    (void)state;
    gmc_chance chance = {53};
    for (int i = 0; i < 60; i++) {
        double r[GMC_DUALS_SIZE];
        gmc_duals_draw(&chance, 1 + i % 6, 8, 1, 0.2, 1, &s.problem);
        for (int c = 0; c < s.problem.dual.unit_count; c++)
            s.problem.units[c].facet_count = 4 + 2 * (int)(gmc_chance_bits(&chance) % 4);
        ASSERT_BELOW(solve(r), 1e-12); // rounding of some dozen pivots
    }
}

/// A block of 1 kg, mu 0.5, pressed with 4 N·s and pushed under an angle: friction acts against the
/// nearest corner at full, between two of them with cos(π/m), and turns the slip.
static void friction_is_understated_between_corners(void **state)
{
    (void)state;
    static const int facets[] = {4, 8, 16};
    for (int f = 0; f < GMC_COUNT(facets); f++) {
        double r[3], half = GMC_PI / facets[f];
        gmc_duals_block(1, 0.5, 4, -5, 0, &s.problem);
        s.problem.units[0].facet_count = facets[f];
        ASSERT_BELOW(solve(r), 1e-14);
        ASSERT_NEAR(r[0], 4, 1e-14);
        ASSERT_NEAR(r[1], 2, 1e-14);
        ASSERT_NEAR(r[2], 0, 1e-14);
        gmc_duals_block(1, 0.5, 4, -5 * gmc_cos(half), -5 * gmc_sin(half), &s.problem);
        s.problem.units[0].facet_count = facets[f];
        ASSERT_BELOW(solve(r), 1e-14);
        // any point of the edge: all take the same from the slip
        ASSERT_NEAR(r[1] * gmc_cos(half) + r[2] * gmc_sin(half), 2 * gmc_cos(half), 1e-14);
    }
}

/// Bounds on one side, on both, none, pinned, as rows with W = 1: r = clamp(-q).
static void rows_of_every_kind(void **state)
{
    (void)state;
    gmc_chance chance = {54};
    for (int i = 0; i < 200; i++) {
        double r[6];
        memset(&s.problem, 0, sizeof s.problem);
        for (int k = 0; k < 6; k++) {
            s.problem.dense[7 * k] = 1;
            s.problem.q[k] = gmc_chance_uniform(&chance, -2, 2);
        }
        s.problem.units[0] = (gmc_dual_unit){
            .is_box = true, .lower = {-1, -HUGE_VAL, 0.5}, .upper = {0.5, 1, HUGE_VAL}};
        s.problem.units[1] = (gmc_dual_unit){
            .is_box = true, .lower = {0.3, -HUGE_VAL, -0.1}, .upper = {0.3, HUGE_VAL, 0.1}};
        gmc_duals_bind(&s.problem, 2);
        assert_int_equal(gmc_polyhedral_size(&s.problem.dual), 2 + 1 + 1 + 2 + 2 + 2);
        ASSERT_BELOW(solve(r), 1e-14);
        for (int k = 0; k < 6; k++) {
            const gmc_dual_unit *unit = &s.problem.units[k / 3];
            double expected =
                gmc_ncp_clamp(-s.problem.q[k], unit->lower[k % 3], unit->upper[k % 3]);
            ASSERT_NEAR(r[k], expected, 1e-14);
        }
    }
}

/// A row couples with a contact: what the row takes the contact feels.
static void rows_and_contacts_together(void **state)
{
    (void)state;
    double r[6];
    gmc_duals_draw(&(gmc_chance){55}, 2, 9, 1, 0.5, 1, &s.problem);
    s.problem.units[0].facet_count = 8;
    s.problem.units[1] = (gmc_dual_unit){
        .is_box = true, .lower = {-0.1, -HUGE_VAL, -0.2}, .upper = {0.1, HUGE_VAL, 0.2}};
    ASSERT_BELOW(solve(r), 1e-12);
}

static void small_arena_is_told(void **state)
{
    (void)state;
    gmc_lcp lcp;
    gmc_arena small;
    gmc_duals_draw(&(gmc_chance){55}, 4, 9, 1, 0.5, 1, &s.problem);
    for (int c = 0; c < 4; c++)
        s.problem.units[c].facet_count = 6;
    assert_int_equal(gmc_arena_create(&small, 256), GMC_OK);
    assert_int_equal(gmc_polyhedral_lcp(&s.problem.dual, &small, &lcp), GMC_E_ARENA_FULL);
    gmc_arena_free(&small);
}

int test_polyhedral(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_lcp_is_the_problem),
        cmocka_unit_test(friction_is_understated_between_corners),
        cmocka_unit_test(rows_of_every_kind),
        cmocka_unit_test(rows_and_contacts_together),
        cmocka_unit_test(small_arena_is_told),
    };
    return cmocka_run_group_tests(tests, open_solving, close_solving);
}

#include "engine/complementarity/dual_ncp.h"
#include "test/support/near.h"
#include "test/support/one_arena.h"
#include "test/support/problem.h"

#include <string.h>

static gmc_problem p;

static void draw(uint64_t seed)
{
    gmc_problem_kind kind = gmc_problem_default_kind();
    gmc_chance chance = {seed};
    gmc_arena_reset(&arena, 0);
    gmc_problem_grasp(&chance, &kind, &p);
}

static void fill_impulses(gmc_chance *chance)
{
    for (int i = 0; i < 3 * p.ncp.contact_count; i++)
        p.r[i] = gmc_chance_uniform(chance, -1, 1);
    for (int i = 0; i < p.ncp.row_count; i++)
        p.s[i] = gmc_chance_uniform(chance, -1, 1);
}

/// Any impulses: v balances the momentum, and w = W r + q is J v + b + R r.
static void both_forms_say_the_same(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        gmc_dual_ncp pair;
        gmc_chance chance = {seed};
        double r[3 * 32], w[3 * 32], again[3 * 32], g[GMC_PROBLEM_DOFS];
        draw(seed);
        fill_impulses(&chance);
        assert_int_equal(gmc_dual_ncp_create(&p.ncp, &arena, &pair), GMC_OK);
        gmc_ncp_solution x = gmc_problem_solution(&p);
        gmc_dual_ncp_gather(&pair, &x, r);
        gmc_dual_ncp_spread(&pair, r, &x);
        gmc_dual_ncp_gather(&pair, &x, again);
        assert_memory_equal(r, again, 3 * (size_t)pair.dual.unit_count * sizeof(double));
        gmc_ncp_defect(&p.ncp, p.v, p.r, p.s, g);
        for (int i = 0; i < p.ncp.dof_count; i++)
            ASSERT_NEAR(g[i], 0, 1e-11); // condition of M, 1e3, times rounding of v up to 1e2
        gmc_dual_answer(&pair.dual, r, w);
        for (int c = 0; c < p.ncp.contact_count; c++) {
            double u[3];
            const gmc_ncp_contact *contact = &p.contacts[c];
            gmc_ncp_contact_velocity(gmc_problem_group(&p.ncp, c), contact, p.v, u);
            for (int i = 0; i < 3; i++) {
                double R = i == 0 ? contact->compliance_n : contact->compliance_t;
                double expected = u[i] + contact->bias[i] + R * r[3 * c + i];
                ASSERT_NEAR(w[3 * c + i], expected, 1e-9 * (1 + fabs(expected)));
            }
        }
        for (int i = 0; i < p.ncp.row_count; i++) {
            double expected = gmc_ncp_row_velocity(&p.rows[i], p.v) + p.rows[i].bias +
                              p.rows[i].compliance * p.s[i];
            ASSERT_NEAR(w[3 * p.ncp.contact_count + i], expected, 1e-9 * (1 + fabs(expected)));
        }
    }
}

/// Rows by threes; what fills the last unit up is pinned at zero and moves nothing.
static void rows_become_boxes(void **state)
{
    (void)state;
    assert_int_equal(gmc_dual_ncp_units(4, 0), 4);
    assert_int_equal(gmc_dual_ncp_units(4, 1), 5);
    assert_int_equal(gmc_dual_ncp_units(4, 3), 5);
    assert_int_equal(gmc_dual_ncp_units(0, 4), 2);
    gmc_dual_ncp pair;
    draw(3);
    p.ncp.row_count = 2;
    assert_int_equal(gmc_dual_ncp_create(&p.ncp, &arena, &pair), GMC_OK);
    const gmc_dual_unit *last = &pair.dual.units[pair.dual.unit_count - 1];
    assert_true(last->is_box);
    for (int i = 0; i < 2; i++) {
        assert_true(last->lower[i] == p.rows[i].lower);
        assert_true(last->upper[i] == p.rows[i].upper);
    }
    assert_true(last->lower[2] == 0);
    assert_true(last->upper[2] == 0);
    for (int c = 0; c < p.ncp.contact_count; c++) {
        assert_true(!pair.dual.units[c].is_box);
        assert_true(pair.dual.units[c].friction == p.contacts[c].friction);
    }
}

/// In normalised units and back: start and end are the same impulses, judged by the problem.
static void normalised_impulses_come_back(void **state)
{
    (void)state;
    gmc_dual_ncp_normal made;
    gmc_ncp_scales scales;
    gmc_chance chance = {9};
    double before[3 * GMC_PROBLEM_CONTACTS];
    draw(4);
    fill_impulses(&chance);
    memcpy(before, p.r, sizeof before);
    gmc_ncp_solution x = gmc_problem_solution(&p);
    assert_int_equal(gmc_ncp_scale(&p.ncp, &arena, &scales), GMC_OK);
    assert_int_equal(gmc_dual_ncp_normal_create(&p.ncp, &x, &arena, &made), GMC_OK);
    double residual = gmc_dual_ncp_normal_judge(&made, &scales, &x);
    for (int i = 0; i < 3 * p.ncp.contact_count; i++)
        ASSERT_NEAR_RELATIVE(p.r[i], before[i], 1e-14); // rounding
    assert_true(residual == gmc_ncp_judge_scaled(&p.ncp, &scales, p.v, p.r, p.s));
}

static void failures_are_told(void **state)
{
    (void)state;
    gmc_dual_ncp pair;
    gmc_arena small;
    draw(5);
    p.mass[0] = -1;
    assert_int_equal(gmc_dual_ncp_create(&p.ncp, &arena, &pair), GMC_E_NO_SOLUTION);
    draw(5);
    assert_int_equal(gmc_arena_create(&small, 4096), GMC_OK);
    assert_int_equal(gmc_dual_ncp_create(&p.ncp, &small, &pair), GMC_E_ARENA_FULL);
    gmc_arena_free(&small);
}

int test_dual_ncp(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_forms_say_the_same),
        cmocka_unit_test(rows_become_boxes),
        cmocka_unit_test(normalised_impulses_come_back),
        cmocka_unit_test(failures_are_told),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}

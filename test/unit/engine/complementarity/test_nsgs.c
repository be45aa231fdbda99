#include "engine/complementarity/nsgs.h"
#include "test/support/cmocka_all.h"
#include "test/support/near.h"
#include "test/support/problem.h"

#include <string.h>

/// |r - P(r - ρ (W r + q))| / |q| ρ with ρ = 3/trace(W).
static double contact_residual(const double W[9], const double q[3], double friction,
                               const double r[3])
{
    double rho = 3 / (W[0] + W[4] + W[8]), y[3], p[3], sum = 0, size = 0;
    for (int i = 0; i < 3; i++) {
        double w = q[i];
        for (int j = 0; j < 3; j++)
            w += W[3 * i + j] * r[j];
        y[i] = r[i] - rho * w;
        size += q[i] * q[i] * rho * rho + r[i] * r[i];
    }
    gmc_ncp_project(y, friction, p);
    for (int i = 0; i < 3; i++)
        sum += (r[i] - p[i]) * (r[i] - p[i]);
    return sqrt(sum / size);
}

/// Conditions up to 1e6, every branch: open, stick, slip, frictionless.
static void one_contact_is_solved_exactly(void **state)
{
    (void)state;
    gmc_chance chance = {21};
    int branch[3] = {0};
    double worst = 0;
    for (int i = 0; i < 100000; i++) {
        gmc_vec3 a[3];
        a[0] = gmc_chance_direction(&chance);
        gmc_vec3_tangents(a[0], &a[1], &a[2]);
        double s[3], W[9] = {0}, q[3], r[3];
        for (int k = 0; k < 3; k++)
            s[k] = gmc_chance_log_uniform(&chance, 1e-3, 1e3);
        for (int k = 0; k < 3; k++)
            for (int m = 0; m < 9; m++)
                W[m] += s[k] * gmc_vec3_get(a[k], m / 3) * gmc_vec3_get(a[k], m % 3);
        for (int k = 0; k < 3; k++)
            q[k] = gmc_chance_uniform(&chance, -1, k ? 1 : 0.3);
        double friction = i % 20 == 0 ? 0 : gmc_chance_uniform(&chance, 0.05, 1.55);
        gmc_nsgs_contact(W, q, friction, r);
        worst = fmax(worst, contact_residual(W, q, friction, r));
        double pull = sqrt(r[1] * r[1] + r[2] * r[2]);
        branch[r[0] == 0 ? 0 : pull < friction * r[0] * (1 - 1e-12) ? 1 : 2]++;
    }
    assert_true(branch[0] > 1000);
    assert_true(branch[1] > 1000);
    assert_true(branch[2] > 1000);
    ASSERT_BELOW(worst, 1e-9); // condition 1e6 times rounding; 1.5e-11 in 2e6 of them
}

static void sweeps_reach_the_judge(void **state)
{
    (void)state;
    gmc_chance chance = {22};
    gmc_problem_kind kind = gmc_problem_default_kind();
    gmc_arena arena;
    assert_int_equal(gmc_arena_create(&arena, 1 << 20), GMC_OK);
    kind.stiffness_max = kind.stiffness_min;
    long sweeps[2] = {0, 0};
    for (int i = 0; i < 30; i++)
        for (int accelerate = 0; accelerate < 2; accelerate++) {
            static gmc_problem p;
            gmc_chance again = chance;
            gmc_problem_grasp(&again, &kind, &p);
            if (accelerate) chance = again;
            gmc_ncp_scales scales;
            gmc_arena_reset(&arena, 0);
            assert_int_equal(gmc_ncp_scale(&p.ncp, &arena, &scales), GMC_OK);
            gmc_ncp_solution x = gmc_problem_solution(&p);
            gmc_nsgs_options options = {5000, accelerate != 0, 1e-9};
            gmc_nsgs_result result;
            gmc_status status = gmc_nsgs_solve(&p.ncp, &scales, &options, &x, &arena, &result);
            assert_int_equal(status, GMC_OK);
            ASSERT_BELOW(gmc_ncp_judge_scaled(&p.ncp, &scales, p.v, p.r, p.s), 1e-9);
            sweeps[accelerate] += result.sweeps;
        }
    assert_true(sweeps[1] < sweeps[0]); // acceleration pays
    gmc_arena_free(&arena);
}

static void failures_are_told(void **state)
{
    (void)state;
    static gmc_problem p;
    gmc_chance chance = {23};
    gmc_problem_kind kind = gmc_problem_default_kind();
    gmc_problem_grasp(&chance, &kind, &p);
    gmc_arena arena;
    assert_int_equal(gmc_arena_create(&arena, 1 << 20), GMC_OK);
    gmc_ncp_scales scales;
    assert_int_equal(gmc_ncp_scale(&p.ncp, &arena, &scales), GMC_OK);
    gmc_ncp_solution x = gmc_problem_solution(&p);
    gmc_nsgs_result result;
    gmc_nsgs_options once = {1, true, 1e-12};
    assert_int_equal(gmc_nsgs_solve(&p.ncp, &scales, &once, &x, &arena, &result),
                     GMC_E_NO_SOLUTION);
    assert_int_equal(result.sweeps, 1);

    gmc_arena small;
    assert_int_equal(gmc_arena_create(&small, 1024), GMC_OK);
    assert_int_equal(gmc_nsgs_solve(&p.ncp, &scales, &once, &x, &small, &result), GMC_E_ARENA_FULL);
    gmc_arena_free(&small);

    p.mass[0] = -1;
    assert_int_equal(gmc_nsgs_solve(&p.ncp, &scales, &once, &x, &arena, &result),
                     GMC_E_NO_SOLUTION);
    assert_int_equal(result.sweeps, 0);
    gmc_arena_free(&arena);
}

int test_nsgs(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_contact_is_solved_exactly),
        cmocka_unit_test(sweeps_reach_the_judge),
        cmocka_unit_test(failures_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

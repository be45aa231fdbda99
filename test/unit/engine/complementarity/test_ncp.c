#include "engine/complementarity/ncp.h"
#include "test/support/cmocka_all.h"
#include "test/support/judge.h"
#include "test/support/near.h"
#include "test/support/problem.h"

#include <string.h>

/// A 2 kg particle above a floor, solved by hand: falls at 1 m/s with 0.5 m/s sideways.
typedef struct particle {
    gmc_problem p;
    gmc_ncp_scales scales;
    gmc_arena arena;
} particle;

static const double R = 0.25; // 1/kg

static void particle_create(particle *x, double friction)
{
    memset(&x->p, 0, sizeof x->p);
    x->p.ncp = (gmc_ncp){.dof_count = 3, .block_count = 1, .contact_count = 1};
    x->p.block_start[1] = 3;
    for (int i = 0; i < 3; i++) {
        x->p.mass[4 * i] = 2;
        x->p.columns[0][i] = i;
        x->p.S[0][6 * i + i] = 1;
    }
    x->p.column_count[0] = x->p.general_count[0] = 3;
    x->p.v_free[0] = -1;
    x->p.v_free[1] = 0.5;
    x->p.contacts[0] = (gmc_ncp_contact){.hints = {.is_rotation = true},
                                         .frame = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                                         .compliance_n = R,
                                         .compliance_t = R,
                                         .friction = friction};
    gmc_problem_rebind(&x->p);
    assert_int_equal(gmc_arena_create(&x->arena, 4096), GMC_OK);
    assert_int_equal(gmc_ncp_scale(&x->p.ncp, &x->arena, &x->scales), GMC_OK);
}

static gmc_judgement particle_judge(particle *x)
{
    gmc_ncp_solution now = gmc_problem_solution(&x->p);
    return gmc_judge_ncp(&x->p.ncp, &x->scales, &now);
}

static void scales_are_as_documented(void **state)
{
    (void)state;
    static particle x;
    particle_create(&x, 0.1);
    assert_true(x.scales.inverse_mass[1] == 0.5);
    ASSERT_BELOW(fabs(x.scales.contact[0] - 0.5), 1e-15);
    ASSERT_BELOW(fabs(x.scales.momentum - sqrt(2 * 1.25)), 1e-15); // √(m |v*|²), nothing pressed
    gmc_arena_free(&x.arena);
}

/// Stick: (1/m + R) r = -v*, v = v* + r/m.
static void solution_by_hand_has_no_residual(void **state)
{
    (void)state;
    static particle x;
    particle_create(&x, 0.8);
    x.p.r[0] = 1 / (0.5 + R);
    x.p.r[1] = -0.5 / (0.5 + R);
    for (int i = 0; i < 3; i++)
        x.p.v[i] = x.p.v_free[i] + x.p.r[i] / 2;
    gmc_judgement residual = particle_judge(&x);
    ASSERT_BELOW(residual.scaled, 1e-15);
    ASSERT_BELOW(residual.momentum, 1e-15);
    ASSERT_BELOW(residual.penetration, 1e-15);
    ASSERT_BELOW(residual.cone, 1e-15);
    ASSERT_BELOW(residual.dissipation, 1e-15);
    gmc_arena_free(&x.arena);
}

/// Slip: r_T = -mu r_N along the motion; with less friction than stick needs.
static void sliding_by_hand_has_no_residual(void **state)
{
    (void)state;
    static particle x;
    particle_create(&x, 0.2);
    x.p.r[0] = 1 / (0.5 + R);
    x.p.r[1] = -0.2 * x.p.r[0];
    for (int i = 0; i < 3; i++)
        x.p.v[i] = x.p.v_free[i] + x.p.r[i] / 2;
    gmc_judgement residual = particle_judge(&x);
    ASSERT_BELOW(residual.scaled, 1e-15);
    ASSERT_BELOW(residual.dissipation, 1e-15);
    gmc_arena_free(&x.arena);
}

static void each_defect_shows(void **state)
{
    (void)state;
    static particle x;
    particle_create(&x, 0.2);

    // nothing answers the approach
    memcpy(x.p.v, x.p.v_free, 3 * sizeof(double));
    gmc_judgement residual = particle_judge(&x);
    assert_true(residual.penetration == 1);
    assert_true(residual.momentum == 0);
    // Φ_N = -1/(w + R) and |Φ_T| = mu |Φ_N|: √(|Φ|² (w + R)) / √(m |v*|²)
    ASSERT_BELOW(fabs(residual.scaled - sqrt((1 + 0.04) / 0.75 / 2.5)), 1e-15);

    // an impulse from nowhere
    memset(x.p.r, 0, sizeof x.p.r);
    x.p.v[0] = 1;
    residual = particle_judge(&x);
    assert_true(residual.momentum == 4);
    assert_true(residual.scaled > 0.1);

    // outside the cone; adhesion; friction that drives
    x.p.r[0] = 1;
    x.p.r[1] = 0.7;
    ASSERT_BELOW(fabs(particle_judge(&x).cone - 0.5), 1e-15);
    x.p.r[0] = -1;
    x.p.r[1] = 0;
    assert_true(particle_judge(&x).cone == 1);
    x.p.r[0] = 1;
    x.p.r[1] = 0.2;
    x.p.v[0] = -R; // w_N = 0
    x.p.v[1] = 0.5 - R * 0.2;
    ASSERT_BELOW(fabs(particle_judge(&x).dissipation - 2 * 0.2 * 0.5), 1e-15);
    gmc_arena_free(&x.arena);
}

static void nan_fails(void **state)
{
    (void)state;
    static particle x;
    particle_create(&x, 0.2);
    double *places[] = {&x.p.v[0], &x.p.v[1], &x.p.r[0], &x.p.r[2], &x.p.momentum[1]};
    for (int i = 0; i < GMC_COUNT(places); i++) {
        double old = *places[i];
        *places[i] = NAN;
        assert_true(!(particle_judge(&x).scaled <= 1e300));
        *places[i] = old;
    }
    x.p.v[0] = HUGE_VAL;
    assert_true(!(particle_judge(&x).scaled <= 1e300));
    gmc_arena_free(&x.arena);
}

/// Masses and impulses times 10, 1/R and rows likewise: the same scaled residual (units of mass).
/// Velocities times 10 (units of length): the same again.
static void residual_has_no_unit(void **state)
{
    (void)state;
    gmc_chance chance = {5};
    gmc_problem_kind kind = gmc_problem_default_kind();
    gmc_arena arena;
    assert_int_equal(gmc_arena_create(&arena, 1 << 16), GMC_OK);
    for (int i = 0; i < 200; i++) {
        static gmc_problem p, q;
        gmc_problem_grasp(&chance, &kind, &p);
        for (int k = 0; k < 3 * p.ncp.contact_count; k++)
            p.r[k] = gmc_chance_uniform(&chance, 0, 0.1);
        q = p;
        gmc_problem_rebind(&q);
        double mass = 10, speed = 3;
        for (int k = 0; k < q.ncp.dof_count * q.ncp.dof_count; k++)
            q.mass[k] *= mass;
        for (int k = 0; k < q.ncp.dof_count; k++)
            q.v_free[k] *= speed;
        for (int k = 0; k < 3 * q.ncp.contact_count; k++)
            q.r[k] *= mass * speed;
        for (int c = 0; c < q.ncp.contact_count; c++) {
            for (int k = 0; k < 3; k++)
                q.contacts[c].bias[k] *= speed;
            q.contacts[c].compliance_n /= mass;
            q.contacts[c].compliance_t /= mass;
        }
        for (int k = 0; k < q.ncp.row_count; k++) {
            q.rows[k].bias *= speed;
            q.rows[k].compliance /= mass;
            q.rows[k].lower *= mass * speed;
            q.rows[k].upper *= mass * speed;
        }
        gmc_problem_rebind(&q);
        gmc_ncp_scales a, b;
        gmc_arena_reset(&arena, 0);
        assert_int_equal(gmc_ncp_scale(&p.ncp, &arena, &a), GMC_OK);
        assert_int_equal(gmc_ncp_scale(&q.ncp, &arena, &b), GMC_OK);
        double first = gmc_ncp_judge_scaled(&p.ncp, &a, p.v, p.r, p.s);
        double second = gmc_ncp_judge_scaled(&q.ncp, &b, q.v, q.r, q.s);
        assert_true(fabs(first - second) <= 1e-12 * first); // rounding of some hundred operations
    }
    gmc_arena_free(&arena);
}

static void projection_is_on_the_disc(void **state)
{
    (void)state;
    double p[3];
    gmc_ncp_project((double[]){-1, 2, 3}, 0.5, p);
    assert_true(p[0] == 0);
    assert_true(p[1] == 0);
    assert_true(p[2] == 0);
    gmc_ncp_project((double[]){10, 3, 4}, 0.5, p);
    assert_true(p[0] == 10);
    assert_true(p[1] == 3);
    assert_true(p[2] == 4);
    gmc_ncp_project((double[]){10, 6, 8}, 0.5, p);
    assert_true(p[0] == 10);
    ASSERT_BELOW(fabs(p[1] - 3), 1e-15);
    ASSERT_BELOW(fabs(p[2] - 4), 1e-15);
    gmc_ncp_project((double[]){10, 6, 8}, 0, p);
    assert_true(p[0] == 10);
    assert_true(p[1] == 0);
    assert_true(p[2] == 0);
    assert_true(gmc_ncp_clamp(2, -1, 1) == 1);
    assert_true(gmc_ncp_clamp(-2, -1, 1) == -1);
    assert_true(gmc_ncp_clamp(2, -HUGE_VAL, HUGE_VAL) == 2);
}

static void small_arena_is_told(void **state)
{
    (void)state;
    static particle x;
    particle_create(&x, 0.2);
    gmc_arena arena;
    gmc_ncp_scales scales;
    assert_int_equal(gmc_arena_create(&arena, 64), GMC_OK);
    assert_non_null(gmc_arena_take(&arena, 1, 1));
    assert_int_equal(gmc_ncp_scale(&x.p.ncp, &arena, &scales), GMC_E_ARENA_FULL);
    gmc_arena_free(&arena);
    gmc_arena_free(&x.arena);
}

int test_ncp(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scales_are_as_documented),
        cmocka_unit_test(solution_by_hand_has_no_residual),
        cmocka_unit_test(sliding_by_hand_has_no_residual),
        cmocka_unit_test(each_defect_shows),
        cmocka_unit_test(nan_fails),
        cmocka_unit_test(residual_has_no_unit),
        cmocka_unit_test(projection_is_on_the_disc),
        cmocka_unit_test(small_arena_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// A torque-free asymmetric top near its middle axis, which it leaves again and again: the hardest
// case for an integrator of orientations. And a symmetric one, whose motion is known in closed
// form.

#include "engine/dynamics/state.h"
#include "engine/model/builder.h"
#include "test/support/near.h"

typedef struct top {
    gmc_arena arena;
    gmc_model model;
    gmc_kinematics kin;
    gmc_state state;
} top;

static void top_open(top *t, gmc_vec3 moments, gmc_vec3 w, gmc_pose X_wb)
{
    gmc_diagnostics report = {0};
    gmc_builder *builder = gmc_builder_create(&report);
    assert_non_null(builder);
    assert_int_equal(gmc_arena_create(&t->arena, 1 << 16), GMC_OK);
    gmc_joint_spec joint = {.type = GMC_JOINT_FREE, .X_pj = X_wb, .dof = gmc_builder_default_dof()};
    // the centre of mass away from the body's origin, which must not matter
    gmc_inertia inertia = {2, {0.1, -0.2, 0.3}, gmc_mat3_diagonal(moments.x, moments.y, moments.z)};
    gmc_builder_link(builder, (gmc_source){0}, "top", NULL, &joint, &inertia);
    gmc_builder_gravity(builder, (gmc_vec3){0, 0, 0});
    assert_int_equal(gmc_builder_finish(builder, &t->arena, &t->model), GMC_OK);
    assert_int_equal(report.error_count, 0);
    gmc_builder_free(builder);
    assert_int_equal(gmc_kinematics_create(&t->model, &t->arena, &t->kin), GMC_OK);
    assert_int_equal(gmc_state_create(&t->model, &t->arena, &t->state), GMC_OK);
    gmc_vec3 w_w = gmc_mat3_apply(&X_wb.R, w);
    t->state.v[3] = w_w.x;
    t->state.v[4] = w_w.y;
    t->state.v[5] = w_w.z;
    gmc_kinematics_update(&t->model, t->state.q, t->state.v, &t->kin);
}

static gmc_vec3 momentum(const top *t)
{
    return gmc_mat3_apply(t->kin.I_w + 1, (gmc_vec3){t->state.v[3], t->state.v[4], t->state.v[5]});
}

static void top_step(top *t, double h)
{
    const double no_impulse[6] = {0};
    double v_mean[6];
    for (int k = 0; k < 3; k++)
        v_mean[k] = t->state.v[k];
    gmc_vec3 w =
        gmc_state_mean_rotation(&t->kin.X_wb[1].R, &t->model.bodies[1].inertia.I, momentum(t), h);
    v_mean[3] = w.x;
    v_mean[4] = w.y;
    v_mean[5] = w.z;
    gmc_state_advance(&t->model, &t->kin,
                      &(gmc_state_motion){.v_mean = v_mean, .impulse = no_impulse, .h = h},
                      &t->state);
    gmc_kinematics_update(&t->model, t->state.q, t->state.v, &t->kin);
}

typedef struct drift {
    double momentum, energy, centre; // largest seen; the first two relative
    int flips;                       // how often the middle axis turned over
} drift;

static drift run(double h, double duration)
{
    top t;
    top_open(&t, (gmc_vec3){1, 2, 3}, (gmc_vec3){0.01, 5, 0.01},
             gmc_pose_make(gmc_quat_from_rpy(0.4, 1.0, -2.0), (gmc_vec3){1, 2, 3}));
    drift seen = {0};
    gmc_vec3 L0 = momentum(&t), c0 = t.kin.com_w[1];
    double E0 = gmc_kinematics_energy(&t.model, &t.kin, t.state.v, NULL), side = 1;
    int steps = (int)(duration / h + 0.5);
    for (int i = 0; i < steps; i++) {
        top_step(&t, h);
        gmc_vec3 dL = gmc_vec3_sub(momentum(&t), L0);
        double E = gmc_kinematics_energy(&t.model, &t.kin, t.state.v, NULL);
        seen.momentum = fmax(seen.momentum, gmc_vec3_norm(dL) / gmc_vec3_norm(L0));
        seen.energy = fmax(seen.energy, fabs(E - E0) / E0);
        seen.centre = fmax(seen.centre, gmc_vec3_norm(gmc_vec3_sub(t.kin.com_w[1], c0)));
        double along = gmc_vec3_dot(gmc_mat3_column(&t.kin.X_wb[1].R, 1), L0);
        if (along * side < 0) {
            side = -side;
            seen.flips++;
        }
    }
    gmc_arena_free(&t.arena);
    return seen;
}

static void asymmetric_top_keeps_momentum_and_energy(void **unused)
{
    (void)unused;
    drift seen = run(2e-3, 10);
    ASSERT_NEAR(seen.momentum, 0, 1e-10); // the bar; measured 2.4e-14
    ASSERT_NEAR(seen.energy, 0, 1e-5);    // measured 4.2e-6
    ASSERT_NEAR(seen.centre, 0, 1e-12);   // 5000 roundings of 3 m
    assert_true(seen.flips >= 2);         // it did leave the middle axis
}

// The midpoint rule is of second order: half the step, a quarter of the error.
static void energy_error_is_of_second_order(void **unused)
{
    (void)unused;
    double coarse = run(4e-3, 4).energy, fine = run(2e-3, 4).energy;
    ASSERT_NEAR(coarse / fine, 4, 0.2);
}

// Twice as long, no larger error: it swings, it does not drift.
static void energy_does_not_drift(void **unused)
{
    (void)unused;
    ASSERT_NEAR(run(2e-3, 40).energy / run(2e-3, 10).energy, 1, 0.05);
}

// A symmetric top precesses about L at L/I1 while it spins about its axis at w3 (1 - I3/I1).
static void symmetric_top_precesses_at_the_known_rate(void **unused)
{
    (void)unused;
    const double I1 = 2, I3 = 3, h = 1e-3, duration = 2;
    top t;
    top_open(&t, (gmc_vec3){I1, I1, I3}, (gmc_vec3){1, 0, 4}, gmc_pose_identity());
    gmc_vec3 L = momentum(&t), axis = gmc_mat3_column(&t.kin.X_wb[1].R, 2);
    for (int i = 0; i < (int)(duration / h + 0.5); i++)
        top_step(&t, h);
    gmc_vec3 turned = gmc_quat_rotate(gmc_quat_exp(gmc_vec3_scale(duration / I1, L)), axis);
    gmc_vec3 found = gmc_mat3_column(&t.kin.X_wb[1].R, 2);
    // second order: (w h)²/24 of the angle, 13 rad, is 1e-5
    ASSERT_NEAR(gmc_vec3_norm(gmc_vec3_sub(found, turned)), 0, 3e-5);
    gmc_arena_free(&t.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(asymmetric_top_keeps_momentum_and_energy),
        cmocka_unit_test(energy_error_is_of_second_order),
        cmocka_unit_test(energy_does_not_drift),
        cmocka_unit_test(symmetric_top_precesses_at_the_known_rate),
    };
    return cmocka_run_group_tests_name("free_top", tests, NULL, NULL);
}

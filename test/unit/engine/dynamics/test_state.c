#include "engine/dynamics/state.h"
#include "test/support/gantry.h"
#include "test/support/mechanism.h"
#include "test/support/near.h"

#include <string.h>

enum { NQ = 9, NV = 8 };

typedef struct scene {
    gmc_arena arena;
    gmc_model model;
    gmc_kinematics kin;
    gmc_state state;
} scene;

static void scene_open(scene *s)
{
    assert_int_equal(gmc_arena_create(&s->arena, 1 << 16), GMC_OK);
    assert_int_equal(support_gantry(&s->arena, &s->model, &s->kin), GMC_OK);
    assert_int_equal(gmc_state_create(&s->model, &s->arena, &s->state), GMC_OK);
    assert_int_equal(s->model.q_count, NQ);
    assert_int_equal(s->model.dof_count, NV);
}

static void advance(scene *s, const double *v_mean, const double *impulse, double h)
{
    gmc_kinematics_update(&s->model, s->state.q, s->state.v, &s->kin);
    gmc_state_advance(&s->model, &s->kin,
                      &(gmc_state_motion){.v_mean = v_mean, .impulse = impulse, .h = h}, &s->state);
}

static void starts_where_the_model_says(void **unused)
{
    (void)unused;
    scene s;
    scene_open(&s);
    s.model.q_start[1] = 0.25;
    s.state.t = 3;
    s.state.v[4] = 1;
    gmc_state_start(&s.model, &s.state);
    ASSERT_NEAR(s.state.t, 0, 0);
    ASSERT_NEAR(s.state.q[1], 0.25, 0);
    ASSERT_NEAR(s.state.q[5], 1, 0);
    ASSERT_NEAR(s.state.v[4], 0, 0);

    gmc_state other;
    assert_int_equal(gmc_state_create(&s.model, &s.arena, &other), GMC_OK);

    gmc_arena none;
    assert_int_equal(gmc_arena_create(&none, 64), GMC_OK);
    assert_int_equal(gmc_state_create(&s.model, &none, &other), GMC_E_ARENA_FULL);
    gmc_arena_free(&none);
    gmc_arena_free(&s.arena);
}

static void joints_take_the_mean_velocity(void **unused)
{
    (void)unused;
    const double v_mean[NV] = {2, -3}, impulse[NV] = {9, 9, 0, 0, 20, 0, 0, 0};
    scene s;
    scene_open(&s);
    s.state.q[0] = 1;
    advance(&s, v_mean, impulse, 0.5);
    ASSERT_NEAR(s.state.q[0], 2, 0);
    ASSERT_NEAR(s.state.q[1], -1.5, 0);
    ASSERT_NEAR(s.state.v[0], 2, 0);
    ASSERT_NEAR(s.state.v[1], -3, 0);
    ASSERT_NEAR(s.state.t, 0.5, 0);
    gmc_arena_free(&s.arena);
}

// v + g h + impulse / m, whatever the mean velocity was.
static void isolated_body_ends_with_its_momentum(void **unused)
{
    (void)unused;
    const double v_mean[NV] = {0, 0, 1, 0, 0, 0, 0, 0}, impulse[NV] = {0, 0, 4, 0, 2, 0.2, 0, 0};
    scene s;
    scene_open(&s);
    s.state.v[2] = 5;
    s.state.v[5] = 1; // about a principal axis
    advance(&s, v_mean, impulse, 0.1);
    ASSERT_NEAR(s.state.v[2], 5 + 2, 0);
    ASSERT_NEAR(s.state.v[4], -1 + 1, 1e-15);
    ASSERT_NEAR(s.state.v[5], 1 + 0.2 / 0.1, 1e-15);
    ASSERT_NEAR(s.state.q[2], 0.1, 0);
    ASSERT_NEAR(s.state.q[5], 1, 0); // the mean did not turn it
    gmc_arena_free(&s.arena);
}

// Turning moves the body frame about the centre of mass, half a metre away.
static void turning_keeps_the_centre_of_mass(void **unused)
{
    (void)unused;
    const double v_mean[NV] = {0, 0, 0, 0, 0, 0, 0, GMC_PI / 2}, impulse[NV] = {0};
    scene s;
    scene_open(&s);
    s.state.v[7] = 1;
    advance(&s, v_mean, impulse, 1);
    gmc_kinematics_update(&s.model, s.state.q, s.state.v, &s.kin);
    ASSERT_NEAR(s.kin.com_w[3].x, 0.5, 1e-15);
    ASSERT_NEAR(s.kin.com_w[3].y, 0, 1e-15);
    ASSERT_NEAR(s.kin.X_wb[3].p.y, -0.5, 1e-15);
    ASSERT_NEAR(s.state.v[7], 1, 1e-15);
    gmc_arena_free(&s.arena);
}

static void rest_is_kept_bit_by_bit(void **unused)
{
    (void)unused;
    const double v_mean[NV] = {0}, h = 2e-3;
    double impulse[NV] = {0};
    scene s;
    scene_open(&s);
    gmc_quat r = gmc_quat_normalise((gmc_quat){0.3, -0.2, 0.7, 0.1});
    const double pose[NQ] = {0.1, 0.2, 1.0 / 3, -0.0, 1e-9, r.w, r.x, r.y, r.z};
    memcpy(s.state.q, pose, sizeof pose);
    s.model.gravity = (gmc_vec3){0, 0, 0};
    for (int i = 0; i < 1000; i++)
        advance(&s, v_mean, impulse, h);
    assert_memory_equal(s.state.q, pose, sizeof pose);
    for (int d = 0; d < NV; d++)
        ASSERT_NEAR(s.state.v[d], 0, 0);

    // gravity and what holds the body: nothing is left
    s.model.gravity = (gmc_vec3){0, 0, -9.81};
    impulse[4] = h * 9.81 * 2;
    for (int i = 0; i < 1000; i++)
        advance(&s, v_mean, impulse, h);
    assert_memory_equal(s.state.q, pose, sizeof pose);
    for (int d = 0; d < NV; d++)
        ASSERT_NEAR(s.state.v[d], 0, 0);

    // sliding does not touch the orientation
    const double sliding[NV] = {0, 0, 1, 1, 1, 0, 0, 0};
    advance(&s, sliding, impulse, h);
    assert_memory_equal(s.state.q + 5, pose + 5, 4 * sizeof(double));
    gmc_arena_free(&s.arena);
}

// The defining equation holds, from slow turns to a radian a step, for round and slender bodies.
static void mean_rotation_solves_the_midpoint_rule(void **unused)
{
    (void)unused;
    support_random random = {11};
    for (int i = 0; i < 500; i++) {
        double slender = pow(10, support_uniform(&random, -3, 0)), h = 2e-3;
        gmc_mat3 I = gmc_mat3_diagonal(slender, 1, 1.0 + 0.9 * slender);
        gmc_mat3 R = gmc_quat_matrix(support_rotation(&random)),
                 turn = gmc_quat_matrix(support_rotation(&random));
        I = gmc_mat3_rotate(&turn, &I);
        double speed = support_uniform(&random, 0, 0.5) / h; // |L| / largest moment
        gmc_vec3 L = gmc_vec3_scale(speed * slender, support_direction(&random));
        gmc_vec3 w = gmc_state_mean_rotation(&R, &I, L, h);
        gmc_mat3 half = gmc_quat_matrix(gmc_quat_exp(gmc_vec3_scale(h / 2, w)));
        gmc_mat3 R_mid = gmc_mat3_multiply(&half, &R), I_mid = gmc_mat3_rotate(&R_mid, &I);
        gmc_vec3 miss = gmc_vec3_sub(gmc_mat3_apply(&I_mid, w), L);
        // I w is rounded at 1e-16 of the largest moment times w, up to 1/slender of |L|, in some
        // forty steps one behind the other: an exponential, two products, a tensor rotated twice.
        // Compilers draw other bodies (the order of arguments is theirs): 1.6e-15 and 2.2e-15 seen
        ASSERT_NEAR(gmc_vec3_norm(miss), 0, 4e-15 / slender * gmc_vec3_norm(L));
    }
}

static void mean_rotation_of_nothing_is_nothing(void **unused)
{
    (void)unused;
    gmc_mat3 R = gmc_quat_matrix((gmc_quat){0.5, 0.5, 0.5, 0.5}), I = gmc_mat3_diagonal(1, 2, 2.5);
    gmc_vec3 w = gmc_state_mean_rotation(&R, &I, (gmc_vec3){0, 0, 0}, 2e-3);
    assert_true(w.x == 0);
    assert_true(w.y == 0);
    assert_true(w.z == 0);
    w = gmc_state_mean_rotation(&R, &I, (gmc_vec3){1e9, -3e9, 2e9}, 1); // beyond belief, but finite
    assert_true(isfinite(w.x + w.y + w.z));
}

// The brick driven: its coordinates are copied, its velocities are the means.
static void driven_joints_are_copied(void **unused)
{
    (void)unused;
    const double v_mean[NV] = {1, 1, 1, 2, 3, 4, 5, 6}, impulse[NV] = {0};
    double target[NQ] = {NAN, NAN, 1, 2, 3, 0.5, -0.5, 0.5, -0.5};
    scene s;
    scene_open(&s);
    s.model.bodies[3].is_driven = true;
    s.model.bodies[3].is_isolated = false;
    s.model.free_count = 2;
    gmc_kinematics_update(&s.model, s.state.q, s.state.v, &s.kin);
    gmc_state_advance(
        &s.model, &s.kin,
        &(gmc_state_motion){.v_mean = v_mean, .impulse = impulse, .q_driven = target, .h = 0.5},
        &s.state);
    assert_memory_equal(s.state.q + 2, target + 2, 7 * sizeof(double));
    assert_memory_equal(s.state.v, v_mean, sizeof v_mean);
    ASSERT_NEAR(s.state.q[0], 0.5, 0);
    gmc_arena_free(&s.arena);
}

/// Coordinates as after an advance with the same velocities; velocities and time as before.
static void a_move_leaves_velocities(void **unused)
{
    (void)unused;
    const double way[NV] = {0.1, -0.2, 0.3, 0.4, -0.5, 0.6, 0.7, -0.8}, none[NV] = {0};
    double v[NV];
    scene s, advanced;
    scene_open(&s);
    scene_open(&advanced);
    for (int d = 0; d < NV; d++)
        v[d] = s.state.v[d] = advanced.state.v[d] = 0.25 * d;
    s.state.t = 3;
    gmc_kinematics_update(&s.model, s.state.q, s.state.v, &s.kin);
    gmc_state_move(&s.model, &s.kin, way, 0.5, &s.state);
    advance(&advanced, way, none, 0.5);
    assert_memory_equal(s.state.q, advanced.state.q, NQ * sizeof(double));
    assert_memory_equal(s.state.v, v, sizeof v);
    ASSERT_NEAR(s.state.t, 3, 0);
    gmc_arena_free(&s.arena);
    gmc_arena_free(&advanced.arena);
}

int test_state(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_where_the_model_says),
        cmocka_unit_test(joints_take_the_mean_velocity),
        cmocka_unit_test(isolated_body_ends_with_its_momentum),
        cmocka_unit_test(turning_keeps_the_centre_of_mass),
        cmocka_unit_test(rest_is_kept_bit_by_bit),
        cmocka_unit_test(mean_rotation_solves_the_midpoint_rule),
        cmocka_unit_test(mean_rotation_of_nothing_is_nothing),
        cmocka_unit_test(driven_joints_are_copied),
        cmocka_unit_test(a_move_leaves_velocities),
    };
    return cmocka_run_group_tests_name("state", tests, NULL, NULL);
}

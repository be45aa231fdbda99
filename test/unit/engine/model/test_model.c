#include "engine/model/model.h"
#include "test/support/mechanism.h"
#include "test/support/near.h"

static void joints_have_their_coordinates(void **unused)
{
    (void)unused;
    const int q[GMC_JOINT_COUNT] = {0, 1, 1, 4, 7, 3}, v[GMC_JOINT_COUNT] = {0, 1, 1, 3, 6, 3};
    for (int type = 0; type < GMC_JOINT_COUNT; type++) {
        assert_int_equal(gmc_joint_q_count((gmc_joint_type)type), q[type]);
        assert_int_equal(gmc_joint_v_count((gmc_joint_type)type), v[type]);
    }
}

static void assert_pose(gmc_pose X, gmc_mat3 R, gmc_vec3 p)
{
    for (int i = 0; i < 9; i++)
        ASSERT_NEAR(X.R.m[i], R.m[i], 1e-15);
    ASSERT_NEAR(gmc_vec3_norm(gmc_vec3_sub(X.p, p)), 0, 1e-15);
}

static void joints_move_their_bodies(void **unused)
{
    (void)unused;
    const double q[8] = {9, 0.5, 1, 2, 0.5, 0.5, 0.5, 0.5}; // the first belongs to another joint
    gmc_vec3 zero = {0, 0, 0}, axis = {0.6, 0, 0.8};
    gmc_body body = {.q = 1, .axis = axis, .ratio = -2, .offset = 0.25};
    gmc_mat3 cycle = {{0, 0, 1, 1, 0, 0, 0, 1, 0}}; // of the quaternion (1, 1, 1, 1)/2: x to y to z
    body.joint = GMC_JOINT_REVOLUTE;
    assert_pose(gmc_model_joint_pose(&body, q),
                gmc_quat_matrix(gmc_quat_exp(gmc_vec3_scale(-0.75, axis))), zero);
    body.joint = GMC_JOINT_PRISMATIC;
    assert_pose(gmc_model_joint_pose(&body, q), gmc_mat3_identity(), gmc_vec3_scale(-0.75, axis));
    body.joint = GMC_JOINT_FREE;
    assert_pose(gmc_model_joint_pose(&body, q), cycle, (gmc_vec3){0.5, 1, 2});
    body.joint = GMC_JOINT_FIXED;
    assert_pose(gmc_model_joint_pose(&body, q), gmc_mat3_identity(), zero);
    body.joint = GMC_JOINT_SPHERICAL;
    body.q = 4;
    assert_pose(gmc_model_joint_pose(&body, q), cycle, zero);
}

static void copies_own_what_may_vary(void **unused)
{
    (void)unused;
    gmc_arena arena, second;
    gmc_model model, copy;
    support_random random = {3};
    support_tree_options options = {.link_count = 6, .has_free = true, .has_mimic = true};
    assert_int_equal(gmc_arena_create(&arena, 1 << 16), GMC_OK);
    assert_int_equal(support_tree(&random, &options, &arena, &model), GMC_OK);
    assert_int_equal(gmc_arena_create(&second, gmc_model_copy_bytes(&model)), GMC_OK);
    assert_int_equal(gmc_model_copy(&model, &second, &copy), GMC_OK);
    assert_memory_equal(copy.bodies, model.bodies, (size_t)model.body_count * sizeof *model.bodies);
    assert_memory_equal(copy.dofs, model.dofs, (size_t)model.dof_count * sizeof *model.dofs);
    assert_memory_equal(copy.q_start, model.q_start, (size_t)model.q_count * sizeof *model.q_start);
    assert_ptr_not_equal(copy.bodies, model.bodies);
    assert_ptr_not_equal(copy.dofs, model.dofs);
    assert_ptr_not_equal(copy.q_start, model.q_start);
    assert_ptr_equal(copy.frames, model.frames);
    assert_ptr_equal(copy.bodies[1].name, model.bodies[1].name);

    // an arena with less room refuses, and the copy keeps its old value
    gmc_model before = copy;
    size_t spare = second.capacity - gmc_arena_mark(&second) + 64;
    gmc_arena_reset(&second, 0);
    assert_non_null(gmc_arena_take(&second, spare, 1));
    assert_int_equal(gmc_model_copy(&model, &second, &copy), GMC_E_ARENA_FULL);
    assert_memory_equal(&before, &copy, sizeof copy);
    gmc_arena_free(&arena);
    gmc_arena_free(&second);
}

static void names_are_found(void **unused)
{
    (void)unused;
    gmc_arena arena;
    gmc_model model;
    support_random random = {4};
    support_tree_options options = {.link_count = 5};
    assert_int_equal(gmc_arena_create(&arena, 1 << 16), GMC_OK);
    assert_int_equal(support_tree(&random, &options, &arena, &model), GMC_OK);
    assert_int_equal(gmc_model_find_body(&model, "world"), 0);
    assert_int_equal(gmc_model_find_body(&model, "link3"), 4);
    assert_int_equal(gmc_model_find_frame(&model, "link3"), 3);
    assert_int_equal(gmc_model_find_dof(&model, "link3"), 3);
    assert_int_equal(gmc_model_find_body(&model, "link9"), -1);
    assert_int_equal(gmc_model_find_frame(&model, "link9"), -1);
    assert_int_equal(gmc_model_find_dof(&model, "link9"), -1);
    gmc_arena_free(&arena);
}

int test_model(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joints_have_their_coordinates),
        cmocka_unit_test(joints_move_their_bodies),
        cmocka_unit_test(copies_own_what_may_vary),
        cmocka_unit_test(names_are_found),
    };
    return cmocka_run_group_tests_name("model", tests, NULL, NULL);
}

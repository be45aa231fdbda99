#include "engine/dynamics/kinematics.h"
#include "engine/model/builder.h"
#include "test/support/near.h"

typedef struct scene {
    gmc_arena arena;
    gmc_model model;
    gmc_kinematics kin;
} scene;

static gmc_joint_spec joint(gmc_joint_type type, gmc_vec3 p, gmc_vec3 axis)
{
    return (gmc_joint_spec){.type = type,
                            .X_pj = {gmc_mat3_identity(), p},
                            .axis = axis,
                            .dof = gmc_builder_default_dof()};
}

// table (fixed, 1 m up) | crane: turns about z on the table; trolley: slides along x, 2 m up |
// brick: free
static void scene_open(scene *s)
{
    gmc_diagnostics report = {0};
    gmc_builder *b = gmc_builder_create(&report);
    gmc_inertia body = {2, {0.5, 0, 0}, gmc_mat3_diagonal(0.1, 0.2, 0.25)};
    gmc_joint_spec table = joint(GMC_JOINT_FIXED, (gmc_vec3){0, 0, 1}, (gmc_vec3){0, 0, 0});
    gmc_joint_spec crane = joint(GMC_JOINT_REVOLUTE, (gmc_vec3){0, 0, 0}, (gmc_vec3){0, 0, 1});
    gmc_joint_spec trolley = joint(GMC_JOINT_PRISMATIC, (gmc_vec3){0, 0, 2}, (gmc_vec3){1, 0, 0});
    gmc_joint_spec brick = joint(GMC_JOINT_FREE, (gmc_vec3){5, 0, 0}, (gmc_vec3){0, 0, 0});
    crane.dof.armature = 3;
    assert_non_null(b);
    gmc_builder_link(b, (gmc_source){0}, "table", NULL, &table, &body);
    gmc_builder_link(b, (gmc_source){0}, "boom", "table", &crane, &body);
    gmc_builder_link(b, (gmc_source){0}, "trolley", "boom", &trolley, &body);
    gmc_builder_link(b, (gmc_source){0}, "brick", NULL, &brick, &body);
    assert_int_equal(gmc_arena_create(&s->arena, 1 << 16), GMC_OK);
    assert_int_equal(gmc_builder_finish(b, &s->arena, &s->model), GMC_OK);
    gmc_builder_free(b);
    gmc_diagnostics_free(&report);
    assert_int_equal(gmc_kinematics_create(&s->model, &s->arena, &s->kin), GMC_OK);
}

static void assert_vec(gmc_vec3 a, double x, double y, double z)
{
    ASSERT_NEAR(a.x, x, 1e-14); // a few roundings of 10
    ASSERT_NEAR(a.y, y, 1e-14);
    ASSERT_NEAR(a.z, z, 1e-14);
}

static void chains_lead_from_the_root(void **unused)
{
    (void)unused;
    scene s;
    scene_open(&s);
    assert_int_equal(s.kin.axis_count, 8);
    const int lengths[] = {0, 0, 1, 2, 6};
    for (int b = 0; b < 5; b++)
        assert_int_equal(s.kin.chain_start[b + 1] - s.kin.chain_start[b], lengths[b]);
    const int *trolley = s.kin.chain + s.kin.chain_start[3];
    assert_int_equal(s.kin.axis_dof[trolley[0]], 0);
    assert_int_equal(s.kin.axis_dof[trolley[1]], 1);
    assert_int_equal(s.kin.axis_first[4], 2);
    assert_int_equal(s.kin.axis_first[5], 8);
    gmc_arena_free(&s.arena);
}

static void poses_and_twists_by_hand(void **unused)
{
    (void)unused;
    scene s;
    scene_open(&s);
    // boom at 90 degrees, trolley 3 m out; brick turned by 180 degrees about z
    const double q[] = {GMC_PI / 2, 3, 1, 2, 3, 0, 0, 0, 1};
    const double v[] = {2, 0.5, 1, 0, 0, 0, 0, 4};
    gmc_kinematics_update(&s.model, q, v, &s.kin);
    assert_vec(s.kin.X_wb[1].p, 0, 0, 1);
    assert_vec(s.kin.X_wb[3].p, 0, 3, 3);
    assert_vec(s.kin.com_w[3], 0, 3.5, 3);
    ASSERT_NEAR(s.kin.I_w[3].m[0], 0.2, 1e-15);
    ASSERT_NEAR(s.kin.I_w[3].m[4], 0.1, 1e-15);
    assert_vec(s.kin.V[3].w, 0, 0, 2);
    assert_vec(gmc_twist_at(&s.kin.V[3], s.kin.com_w[3]), -7, 0.5, 0);
    // the slide's axis turns with the boom
    assert_vec(s.kin.axes[1].v, 0, 1, 0);
    assert_vec(s.kin.com_w[4], 5.5, 2, 3);
    assert_vec(gmc_twist_at(&s.kin.V[4], s.kin.com_w[4]), 1, 0, 0);
    assert_vec(s.kin.V[4].w, 0, 0, 4);
    assert_vec(s.kin.V[1].w, 0, 0, 0);

    const double slide_only[] = {0, 0.5, 0, 0, 0, 0, 0, 0};
    gmc_twist V = gmc_kinematics_twist(&s.kin, 3, slide_only);
    assert_vec(V.w, 0, 0, 0);
    assert_vec(V.v, 0, 0.5, 0);

    gmc_kinematics_update(&s.model, q, NULL, &s.kin);
    for (int b = 0; b < 5; b++) {
        assert_vec(s.kin.V[b].w, 0, 0, 0);
        assert_vec(s.kin.V[b].v, 0, 0, 0);
    }
    gmc_arena_free(&s.arena);
}

static void energy_by_hand(void **unused)
{
    (void)unused;
    scene s;
    scene_open(&s);
    const double q[] = {0, 3, 0, 0, 7, 1, 0, 0, 0}, v[] = {2, 0, 0, 3, 0, 1, 0, 0};
    double potential;
    gmc_kinematics_update(&s.model, q, v, &s.kin);
    double kinetic = gmc_kinematics_energy(&s.model, &s.kin, v, &potential);
    double boom = 0.5 * 0.25 * 4 + 0.5 * 2 * 1, trolley = 0.5 * 0.25 * 4 + 0.5 * 2 * 49;
    double brick = 0.5 * 2 * 9 + 0.5 * 0.1, rotor = 0.5 * 3 * 4;
    ASSERT_NEAR_RELATIVE(kinetic, boom + trolley + brick + rotor, 1e-15);
    ASSERT_NEAR_RELATIVE(potential, 2 * 9.81 * (1 + 3 + 7), 1e-15); // the table does not count
    ASSERT_NEAR_RELATIVE(gmc_kinematics_energy(&s.model, &s.kin, v, NULL), kinetic, 0);
    gmc_arena_free(&s.arena);
}

static void full_arena_is_told(void **unused)
{
    (void)unused;
    scene s;
    scene_open(&s);
    gmc_arena small;
    gmc_kinematics kin = {.axis_count = -7};
    assert_int_equal(gmc_arena_create(&small, 1024), GMC_OK);
    assert_int_equal(gmc_kinematics_create(&s.model, &small, &kin), GMC_E_ARENA_FULL);
    assert_int_equal(kin.axis_count, -7);
    gmc_arena_free(&small);
    gmc_arena_free(&s.arena);
}

int test_kinematics(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_lead_from_the_root),
        cmocka_unit_test(poses_and_twists_by_hand),
        cmocka_unit_test(energy_by_hand),
        cmocka_unit_test(full_arena_is_told),
    };
    return cmocka_run_group_tests_name("kinematics", tests, NULL, NULL);
}

#include "engine/collision/cylinder.h"
#include "test/support/near.h"
#include "test/support/solids.h"

static gmc_cylinder_points towards(double tilt, double azimuth, int was_flat)
{
    static gmc_shape can;
    can = support_cylinder(0.5, 1);
    gmc_solid solid = {.shape = &can, .X = gmc_pose_identity()};
    gmc_vec3 dir = {gmc_sin(tilt) * gmc_cos(azimuth), gmc_sin(tilt) * gmc_sin(azimuth),
                    gmc_cos(tilt)};
    gmc_cylinder_points points;
    gmc_cylinder_towards(&solid, dir, was_flat, &points);
    return points;
}

static void flat_caps_rest_on_fixed_points(void **unused)
{
    (void)unused;
    for (int k = 0; k < 50; k++) {
        gmc_cylinder_points p = towards(9e-5 * k / 50, 0.7 * k, 0);
        assert_true(p.count == 4);
        assert_true(p.is_flat);
        for (int i = 0; i < 4; i++)
            assert_int_equal(p.ids[i], GMC_CYLINDER_FLAT + 4 + i);
        ASSERT_NEAR(gmc_vec3_norm(gmc_vec3_sub(p.points[0], (gmc_vec3){0.5, 0, 1})), 0, 1e-15);
        ASSERT_NEAR(gmc_vec3_norm(gmc_vec3_sub(p.points[1], (gmc_vec3){0, 0.5, 1})), 0, 1e-15);
        p = towards(GMC_PI - 9e-5 * k / 50, 0.7 * k, 0);
        assert_true(p.count == 4);
        assert_true(p.is_flat);
        assert_true(p.ids[0] == GMC_CYLINDER_FLAT);
        ASSERT_NEAR(p.cap_normal.z, -1, 0);
        ASSERT_NEAR(p.cap_centre.z, -1, 0);
    }
}

static void flat_or_tilted_has_hysteresis(void **unused)
{
    (void)unused;
    assert_false(towards(1.5e-4, 0.3, 0).is_flat);
    assert_true(towards(1.5e-4, 0.3, 1).is_flat);
    assert_false(towards(2.5e-4, 0.3, 1).is_flat);
}

static void a_tilted_cap_has_its_farthest_point_first(void **unused)
{
    (void)unused;
    gmc_shape can = support_cylinder(0.5, 1);
    gmc_pose I = gmc_pose_identity();
    for (int k = 1; k < 100; k++) {
        double tilt = 0.78 * k / 100, azimuth = 0.37 * k;
        gmc_cylinder_points p = towards(tilt, azimuth, 0);
        gmc_vec3 dir = {gmc_sin(tilt) * gmc_cos(azimuth), gmc_sin(tilt) * gmc_sin(azimuth),
                        gmc_cos(tilt)};
        assert_true(p.count == 4);
        assert_true(!p.is_flat);
        assert_true(p.ids[0] == GMC_CYLINDER_TILTED + 4);
        ASSERT_NEAR(gmc_vec3_dot(dir, p.points[0]),
                    gmc_vec3_dot(dir, support_farthest(&can, &I, dir)), 1e-15);
        // counter-clockwise about the cap's normal
        gmc_vec3 turn = gmc_vec3_cross(gmc_vec3_sub(p.points[1], p.points[0]),
                                       gmc_vec3_sub(p.points[2], p.points[1]));
        assert_true(gmc_vec3_dot(turn, p.cap_normal) > 0);
    }
}

static void a_side_is_a_line(void **unused)
{
    (void)unused;
    gmc_shape can = support_cylinder(0.5, 1);
    gmc_pose I = gmc_pose_identity();
    for (int k = 0; k < 50; k++) {
        double tilt = GMC_PI * (0.26 + 0.48 * k / 50);
        gmc_cylinder_points p = towards(tilt, 0.4 * k, 0);
        assert_true(p.count == 2);
        assert_true(p.ids[0] == GMC_CYLINDER_SIDE);
        assert_true(p.ids[1] == GMC_CYLINDER_SIDE + 1);
        gmc_vec3 dir = {gmc_sin(tilt) * gmc_cos(0.4 * k), gmc_sin(tilt) * gmc_sin(0.4 * k),
                        gmc_cos(tilt)};
        double far = fmax(gmc_vec3_dot(dir, p.points[0]), gmc_vec3_dot(dir, p.points[1]));
        ASSERT_NEAR(far, gmc_vec3_dot(dir, support_farthest(&can, &I, dir)), 1e-15);
        ASSERT_NEAR(p.points[0].z, -1, 0);
    }
}

int test_cylinder(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flat_caps_rest_on_fixed_points),
        cmocka_unit_test(flat_or_tilted_has_hysteresis),
        cmocka_unit_test(a_tilted_cap_has_its_farthest_point_first),
        cmocka_unit_test(a_side_is_a_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

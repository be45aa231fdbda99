#include "engine/collision/point.h"
#include "test/support/near.h"
#include "test/support/one_hulls.h"

static support_random the_random = {23};

// The point at `distance` back along n lies on the solid, and the solid lies behind the plane
// there: so it is nearest.
static void distances_are_certified(void **unused)
{
    (void)unused;
    int inside = 0;
    for (int k = 0; k < 6000; k++) {
        gmc_shape_type type = (gmc_shape_type)(k % GMC_SHAPE_SOLID_COUNT);
        gmc_shape shape = support_shape(&the_random, type, &hulls);
        gmc_solid solid = {
            .shape = &shape,
            .X = gmc_pose_make(support_rotation(&the_random), support_direction(&the_random))};
        gmc_vec3 p = gmc_vec3_add_scaled(solid.X.p, support_uniform(&the_random, 0, 0.12),
                                         support_direction(&the_random));
        gmc_point_distance d = gmc_point_solid(&solid, p, -1, 0);
        gmc_vec3 on = gmc_vec3_add_scaled(p, -d.distance, d.n);
        ASSERT_NEAR(gmc_vec3_norm(d.n), 1, 4e-15);
        ASSERT_NEAR(support_outside(&shape, &solid.X, on), 0, 1e-14);
        assert_int_equal(d.distance < 0, support_outside(&shape, &solid.X, p) < 0);
        if (type == GMC_SHAPE_PLANE) continue;
        double far = gmc_vec3_dot(d.n, support_farthest(&shape, &solid.X, d.n));
        ASSERT_NEAR(gmc_vec3_dot(d.n, on), far, 1e-14);
        if (d.distance > 0) continue;
        inside++;
        // no direction leads out on a shorter way
        for (int i = 0; i < 30; i++) {
            gmc_vec3 u = support_direction(&the_random);
            double out =
                gmc_vec3_dot(u, support_farthest(&shape, &solid.X, u)) - gmc_vec3_dot(u, p);
            assert_true(out >= -d.distance - 1e-14);
        }
    }
    assert_true(inside > 300);
}

static void the_face_before_is_kept_inside(void **unused)
{
    (void)unused;
    gmc_shape box = support_box(1, 1, 1), cube = support_polytope(hulls.cube, 1);
    gmc_solid solid = {.shape = &box, .X = gmc_pose_identity()};
    gmc_vec3 p = {0.91, 0.9, 0};
    assert_int_equal(gmc_point_solid(&solid, p, -1, 0.02).face, 0);
    assert_int_equal(gmc_point_solid(&solid, p, 2, 0.02).face, 2);
    assert_int_equal(gmc_point_solid(&solid, p, 2, 0.005).face, 0);
    gmc_solid mesh = {.shape = &cube, .X = gmc_pose_identity()};
    int face_x = gmc_point_solid(&mesh, (gmc_vec3){0.9, 0, 0}, -1, 0).face,
        face_y = gmc_point_solid(&mesh, (gmc_vec3){0, 0.9, 0}, -1, 0).face;
    assert_int_equal(gmc_point_solid(&mesh, p, -1, 0.02).face, face_x);
    assert_int_equal(gmc_point_solid(&mesh, p, face_y, 0.02).face, face_y);
    gmc_shape can = support_cylinder(1, 1);
    gmc_solid cylinder = {.shape = &can, .X = gmc_pose_identity()};
    p = (gmc_vec3){0.9, 0, 0.91};
    assert_int_equal(gmc_point_solid(&cylinder, p, -1, 0.02).face, 0);
    assert_int_equal(gmc_point_solid(&cylinder, p, 2, 0.02).face, 2);
}

static void places_without_a_direction_get_one(void **unused)
{
    (void)unused;
    gmc_shape ball = support_sphere(0.5), rod = support_capsule(0.5, 1),
              can = support_cylinder(0.5, 1), box = support_box(1, 1, 1);
    gmc_solid s = {.shape = &ball, .X = gmc_pose_identity()};
    gmc_point_distance d = gmc_point_solid(&s, (gmc_vec3){0, 0, 0}, -1, 0);
    ASSERT_NEAR(d.distance, -0.5, 0);
    ASSERT_NEAR(gmc_vec3_norm(d.n), 1, 0);
    s.shape = &rod;
    d = gmc_point_solid(&s, (gmc_vec3){0, 0, 0.7}, -1, 0);
    ASSERT_NEAR(d.distance, -0.5, 0);
    ASSERT_NEAR(gmc_vec3_norm(d.n), 1, 0);
    s.shape = &can;
    d = gmc_point_solid(&s, (gmc_vec3){0, 0, 0}, -1, 0);
    ASSERT_NEAR(d.distance, -0.5, 0);
    ASSERT_NEAR(d.n.z, 0, 0);
    // exactly on a face
    s.shape = &box;
    d = gmc_point_solid(&s, (gmc_vec3){0.2, 1, 0.3}, -1, 0);
    ASSERT_NEAR(d.distance, 0, 0);
    ASSERT_NEAR(d.n.y, 1, 0);
}

static double segment_distance(gmc_vec3 c1, gmc_vec3 d1, double x1, gmc_vec3 c2, gmc_vec3 d2,
                               double x2)
{
    return gmc_vec3_norm(
        gmc_vec3_sub(gmc_vec3_add_scaled(c2, x2, d2), gmc_vec3_add_scaled(c1, x1, d1)));
}

// The distance of two lines is convex in both parameters: no neighbour may be nearer, also at the
// ends.
static void nearest_points_of_segments_are_nearest(void **unused)
{
    (void)unused;
    for (int k = 0; k < 4000; k++) {
        gmc_vec3 c1 = support_direction(&the_random), c2 = support_direction(&the_random),
                 d1 = support_direction(&the_random), d2 = support_direction(&the_random);
        if (k % 4 == 0) d2 = d1;
        if (k % 4 == 1) d2 = gmc_vec3_unit(gmc_vec3_add_scaled(d1, 1e-7, d2));
        double h1 = support_uniform(&the_random, 0, 2), h2 = support_uniform(&the_random, 0, 2), x1,
               x2;
        gmc_point_segments(&(gmc_point_segment){c1, d1, h1}, &(gmc_point_segment){c2, d2, h2}, &x1,
                           &x2);
        assert_true(fabs(x1) <= h1);
        assert_true(fabs(x2) <= h2);
        double d = segment_distance(c1, d1, x1, c2, d2, x2);
        for (int i = 0; i < 64; i++) {
            double y1 = fmax(-h1, fmin(h1, x1 + support_uniform(&the_random, -1, 1))),
                   y2 = fmax(-h2, fmin(h2, x2 + support_uniform(&the_random, -1, 1)));
            assert_true(segment_distance(c1, d1, y1, c2, d2, y2) >= d - 1e-13);
        }
    }
}

int test_point(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_are_certified),
        cmocka_unit_test(the_face_before_is_kept_inside),
        cmocka_unit_test(places_without_a_direction_get_one),
        cmocka_unit_test(nearest_points_of_segments_are_nearest),
    };
    return cmocka_run_group_tests(tests, open_hulls, close_hulls);
}

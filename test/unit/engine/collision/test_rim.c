#include "engine/collision/convex.h"
#include "test/support/near.h"
#include "test/support/solids.h"

/// A disc of radius 1 at the origin; what comes near its rim at (1, 0, h).
static const double HALF = 0.25;

static gmc_gjk_result refined(const gmc_solid *a, const gmc_solid *b)
{
    gmc_gjk_core ca = gmc_gjk_core_of(a), cb = gmc_gjk_core_of(b);
    gmc_gjk_result r = gmc_gjk_distance(&ca, &cb, (gmc_vec3){0.3, 0.1, 1}, 1);
    assert_false(r.is_overlap);
    gmc_convex_refine(&ca, &cb, &r);
    return r;
}

// A segment across the axis above the rim: nearest where it passes over the rim's radius, by
// Pythagoras.
static void an_edge_over_a_rim(void **unused)
{
    (void)unused;
    gmc_shape can = support_cylinder(1, HALF), rod = support_capsule(0.01, 0.7);
    support_random random = {2};
    for (int k = 0; k < 200; k++) {
        double x = support_uniform(&random, 1.01, 1.5), z = support_uniform(&random, 0.01, 0.5);
        // along the tangent at (x, 0, HALF + z), so that the nearest point is in its middle, moved
        // along itself
        double along = support_uniform(&random, -0.5, 0.5);
        gmc_pose X = gmc_pose_make(gmc_quat_exp((gmc_vec3){-GMC_PI / 2, 0, 0}),
                                   (gmc_vec3){x, along, HALF + z});
        gmc_solid a = {.shape = &can, .X = gmc_pose_identity()}, b = {.shape = &rod, .X = X};
        for (int swap = 0; swap < 2; swap++) {
            gmc_gjk_result r = swap ? refined(&b, &a) : refined(&a, &b);
            double expected = sqrt((x - 1) * (x - 1) + z * z);
            ASSERT_NEAR(r.distance, expected, 1e-15);
            gmc_vec3 n = {(x - 1) / expected, 0, z / expected}, p = swap ? r.p_b : r.p_a;
            // the place is the root of a cosine known to 1e-16, over the gap
            ASSERT_NEAR(gmc_vec3_norm(gmc_vec3_sub(swap ? gmc_vec3_neg(r.n) : r.n, n)), 0, 1e-13);
            ASSERT_NEAR(gmc_vec3_norm(gmc_vec3_sub(p, (gmc_vec3){1, 0, HALF})), 0, 1e-13);
        }
    }
}

static void a_corner_over_a_rim(void **unused)
{
    (void)unused;
    gmc_shape can = support_cylinder(1, HALF), box = support_box(0.1, 0.1, 0.1);
    gmc_solid a = {.shape = &can, .X = gmc_pose_identity()},
              b = {.shape = &box, .X = gmc_pose_identity()};
    b.X.p = (gmc_vec3){1.5, 1.5, HALF + 0.3}; // corner at (1.4, 1.4, HALF + 0.2)
    gmc_gjk_result r = refined(&a, &b);
    double out = sqrt(2 * 1.4 * 1.4) - 1;
    ASSERT_NEAR(r.distance, sqrt(out * out + 0.04), 1e-15);
    assert_int_equal(r.count, 1);
    assert_int_equal(r.of_b[0], 0);
}

// Two discs, one upright: rim over rim, compared with the distance of sampled rim points.
static void a_rim_over_a_rim(void **unused)
{
    (void)unused;
    gmc_shape can = support_cylinder(1, HALF);
    support_random random = {6};
    int improved = 0;
    for (int k = 0; k < 100; k++) {
        gmc_solid a = {.shape = &can, .X = gmc_pose_identity()},
                  b = {.shape = &can,
                       .X = gmc_pose_make(support_rotation(&random),
                                          gmc_vec3_scale(2.6, support_direction(&random)))};
        gmc_gjk_core ca = gmc_gjk_core_of(&a), cb = gmc_gjk_core_of(&b);
        gmc_gjk_result r = gmc_gjk_distance(&ca, &cb, b.X.p, 1), before = r;
        assert_false(r.is_overlap);
        gmc_convex_refine(&ca, &cb, &r);
        improved += r.distance != before.distance;
        assert_true(r.distance <= before.distance * (1 + 1e-9));
        // the certificate of two nearest points
        double s = support_separation(&can, &a.X, &can, &b.X, r.n);
        ASSERT_NEAR(s, r.distance, 1e-12);
        ASSERT_NEAR(gmc_vec3_norm(gmc_vec3_sub(gmc_vec3_add_scaled(r.p_a, r.distance, r.n), r.p_b)),
                    0, 1e-14);
        ASSERT_BELOW(support_outside(&can, &a.X, r.p_a), 1e-12);
        ASSERT_BELOW(support_outside(&can, &b.X, r.p_b), 1e-12);
    }
    assert_true(improved > 20);
}

static void what_is_no_rim_is_left_alone(void **unused)
{
    (void)unused;
    gmc_shape can = support_cylinder(1, HALF), box = support_box(3, 3, 0.1);
    gmc_solid a = {.shape = &box, .X = gmc_pose_identity()},
              b = {.shape = &box, .X = gmc_pose_identity()};
    b.X.p.z = 1;
    gmc_gjk_core ca = gmc_gjk_core_of(&a), cb = gmc_gjk_core_of(&b);
    gmc_gjk_result r = gmc_gjk_distance(&ca, &cb, (gmc_vec3){0, 0, 1}, 1), before = r;
    gmc_convex_refine(&ca, &cb, &r);
    assert_true(r.distance == before.distance);
    assert_true(r.count == before.count);
    // a cap over the middle of a face: no edge of the face is nearer
    b.shape = &can;
    cb = gmc_gjk_core_of(&b);
    r = gmc_gjk_distance(&ca, &cb, (gmc_vec3){0.01, 0, 1}, 1);
    gmc_convex_refine(&ca, &cb, &r);
    ASSERT_NEAR(r.distance, 1 - 0.1 - HALF, 1e-14);
}

int test_rim(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_edge_over_a_rim),
        cmocka_unit_test(a_corner_over_a_rim),
        cmocka_unit_test(a_rim_over_a_rim),
        cmocka_unit_test(what_is_no_rim_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

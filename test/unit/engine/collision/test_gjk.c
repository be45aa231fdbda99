#include "engine/collision/gjk.h"
#include "test/support/near.h"
#include "test/support/places.h"
#include "test/support/solids.h"

static support_random the_random = {31};

static gmc_gjk_result distance(const gmc_solid *a, const gmc_solid *b)
{
    gmc_gjk_core ca = gmc_gjk_core_of(a), cb = gmc_gjk_core_of(b);
    return gmc_gjk_distance(&ca, &cb, support_direction(&the_random), 1);
}

static void known_distances(void **unused)
{
    (void)unused;
    gmc_shape cube = support_box(0.5, 0.5, 0.5), ball = support_sphere(0.2),
              rod = support_capsule(0.1, 1);
    gmc_solid a = {.shape = &cube, .X = at(0, 0, 0)}, b = {.shape = &cube, .X = at(3, 0, 0)};
    for (int k = 0; k < 200; k++) { // from any first direction
        b.X = at(3, 0.3, 0.2);
        gmc_gjk_result r = distance(&a, &b); // face to face
        assert_false(r.is_overlap);
        ASSERT_NEAR(r.distance, 2, 1e-14);
        ASSERT_NEAR(r.n.x, 1, 1e-14);
        b.X = at(2, 2, 2); // corner to corner
        r = distance(&a, &b);
        ASSERT_NEAR(r.distance, sqrt(3.0), 1e-14);
        ASSERT_NEAR(gmc_vec3_norm(gmc_vec3_sub(r.p_a, (gmc_vec3){0.5, 0.5, 0.5})), 0, 1e-14);
        b.shape = &ball;
        b.X = at(0, 0, 1.5); // a sphere is its centre
        r = distance(&a, &b);
        ASSERT_NEAR(r.distance, 1, 1e-14);
        b.shape = &rod;
        b.X = at(0, 0, 2.5); // a capsule is its segment
        r = distance(&a, &b);
        ASSERT_NEAR(r.distance, 1, 1e-14);
        b.shape = &cube;
    }
    gmc_gjk_core core = gmc_gjk_core_of(&b);
    b.shape = &rod;
    ASSERT_NEAR(gmc_gjk_radius(&core), 0.1, 0);
}

static void overlap_is_seen(void **unused)
{
    (void)unused;
    gmc_shape cube = support_box(0.5, 0.5, 0.5), can = support_cylinder(0.5, 0.5);
    const gmc_shape *shapes[] = {&cube, &can};
    for (int k = 0; k < 2000; k++) {
        gmc_solid a = {.shape = shapes[k & 1], .X = at(0, 0, 0)},
                  b = {.shape = shapes[k >> 1 & 1],
                       .X = gmc_pose_make(support_rotation(&the_random), (gmc_vec3){0, 0, 0})};
        // centres nearer than the balls inside them
        b.X.p =
            gmc_vec3_scale(support_uniform(&the_random, 0, 0.99), support_direction(&the_random));
        gmc_gjk_result r = distance(&a, &b);
        assert_true(r.is_overlap);
        // moved apart by more than both balls around them
        gmc_gjk_core ca = gmc_gjk_core_of(&a), cb = gmc_gjk_core_of(&b);
        cb.shift = (gmc_vec3){0, 0, 4};
        r = gmc_gjk_distance(&ca, &cb, (gmc_vec3){0, 0, 1}, 1);
        assert_false(r.is_overlap);
        assert_true(r.distance > 4 - 1 - 2 * sqrt(0.75));
        assert_true(r.distance < 5);
        // the nearest points are on the solids, and the solids end there
        ASSERT_BELOW(support_outside(a.shape, &a.X, r.p_a), 1e-14);
        ASSERT_BELOW(support_outside(b.shape, &b.X, gmc_vec3_sub(r.p_b, cb.shift)), 1e-14);
    }
}

static void small_gaps_keep_their_digits(void **unused)
{
    (void)unused;
    gmc_shape cube = support_box(0.5, 0.5, 0.5);
    for (double gap = 1e-2; gap > 0.5e-8; gap *= 0.1)
        for (int k = 0; k < 100; k++) {
            gmc_pose X = gmc_pose_make(support_rotation(&the_random), (gmc_vec3){0.1, 0.2, 0.3});
            gmc_vec3 up = gmc_mat3_column(&X.R, 2), side = gmc_mat3_column(&X.R, 0);
            gmc_solid a = {.shape = &cube, .X = X}, b = {.shape = &cube, .X = X};
            // flat on each other, turned about the normal, half over the edge
            gmc_mat3 turn = gmc_quat_matrix(
                gmc_quat_exp(gmc_vec3_scale(support_uniform(&the_random, 0, 1), up)));
            b.X.R = gmc_mat3_multiply(&turn, &X.R);
            b.X.p = gmc_vec3_add_scaled(gmc_vec3_add_scaled(X.p, 1 + gap, up), 0.4, side);
            gmc_gjk_result r = distance(&a, &b);
            assert_false(r.is_overlap);
            ASSERT_NEAR(r.distance, gap, 1e-15);
            // rounding of coordinates over the gap
            ASSERT_NEAR(gmc_vec3_norm(gmc_vec3_sub(r.n, up)), 0, 1e-15 / gap + 1e-14);
        }
}

static void cores_can_be_axes_and_shrunken(void **unused)
{
    (void)unused;
    gmc_shape can = support_cylinder(0.5, 1), cube = support_box(0.5, 0.5, 0.5);
    gmc_solid a = {.shape = &can, .X = at(0, 0, 0)}, b = {.shape = &cube, .X = at(2, 0, 0)};
    gmc_gjk_core ca = gmc_gjk_core_of(&a), cb = gmc_gjk_core_of(&b);
    ca.is_axis = true;
    gmc_gjk_result r = gmc_gjk_distance(&ca, &cb, (gmc_vec3){1, 0, 0}, 1);
    ASSERT_NEAR(r.distance, 1.5, 1e-15);
    ASSERT_NEAR(gmc_gjk_radius(&ca), 0.5, 0);
    ca.is_axis = false;
    cb.scale = 0.5;
    r = gmc_gjk_distance(&ca, &cb, (gmc_vec3){1, 0, 0}, 1);
    ASSERT_NEAR(r.distance, 1.25, 1e-13);
}

/// From the vertices of an earlier query, or of any: the distance is that of a query from scratch.
static void an_earlier_span_changes_nothing(void **unused)
{
    (void)unused;
    support_hulls hulls;
    int same_count = 0, calls = 0, again_calls = 0;
    assert_true(support_hulls_create(&hulls));
    for (int k = 0; k < 2000; k++) {
        gmc_shape shapes[2] = {
            k & 1 ? support_polytope(hulls.cloud, 1) : support_box(0.6, 0.5, 0.4),
            k & 2 ? support_polytope(hulls.icosahedron, 1) : support_capsule(0.1, 1)};
        gmc_solid a = {.shape = &shapes[0], .X = at(0, 0, 0)}, b = {.shape = &shapes[1]};
        gmc_vec3 d = support_direction(&the_random);
        b.X = gmc_pose_make(support_rotation(&the_random), gmc_vec3_scale(2.3, d));
        gmc_gjk_span span = {.count = (int16_t)(k % 4)};
        for (int i = 0; i < 3; i++) { // any vertices at first
            span.of_a[i] = (int16_t)support_uniform(&the_random, 0, 7.99);
            span.of_b[i] = (int16_t)support_uniform(&the_random, 0, 1.99);
        }
        for (int turn = 0; turn < 10; turn++) {
            gmc_gjk_core ca = gmc_gjk_core_of(&a), cb = gmc_gjk_core_of(&b);
            gmc_gjk_result r = gmc_gjk_distance(&ca, &cb, d, 1);
            gmc_gjk_result q = gmc_gjk_distance_again(&ca, &cb, &span, d, 1);
            assert_true(!r.is_overlap);
            assert_true(!q.is_overlap);
            // both are exact to about 1e-13 of themselves (gjk.h)
            ASSERT_NEAR(q.distance, r.distance, 4e-13 * r.distance);
            ASSERT_NEAR(gmc_vec3_norm(gmc_vec3_sub(q.n, r.n)), 0, 1e-6);
            same_count += q.count == r.count;
            calls += r.supports;
            again_calls += q.supports;
            assert_int_equal(span.count, q.count);
            b.X.p = gmc_vec3_add_scaled(b.X.p, 1e-4, support_direction(&the_random));
        }
    }
    support_hulls_free(&hulls);
    assert_true(same_count > 19000);
    assert_true(again_calls < calls / 2);
}

int test_gjk(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_distances),
        cmocka_unit_test(overlap_is_seen),
        cmocka_unit_test(small_gaps_keep_their_digits),
        cmocka_unit_test(cores_can_be_axes_and_shrunken),
        cmocka_unit_test(an_earlier_span_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

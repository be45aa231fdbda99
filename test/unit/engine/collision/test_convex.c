#include "engine/collision/convex.h"
#include "engine/collision/sat.h"
#include "test/support/near.h"
#include "test/support/one_solids.h"

static support_random the_random = {47};

static const gmc_shape_type BOUNDED[] = {GMC_SHAPE_CAPSULE, GMC_SHAPE_BOX, GMC_SHAPE_CYLINDER,
                                         GMC_SHAPE_POLYTOPE};

/// What holds of any answer: unit normal, the separation that the solids have along it, a point
/// between them.
static void check(const support_pair *q, const gmc_convex_axis *axis)
{
    const gmc_shape *a = q->pair.a.shape, *b = q->pair.b.shape;
    const gmc_pose *X_a = &q->pair.a.X, *X_b = &q->pair.b.X;
    ASSERT_NEAR(gmc_vec3_norm(axis->n), 1, 1e-14);
    // two rims that overlap deeply settle to 1e-13 of a turn
    ASSERT_NEAR(axis->separation, support_separation(a, X_a, b, X_b, axis->n),
                1e-11 * q->pair.size);
    gmc_vec3 on_a = gmc_vec3_add_scaled(axis->p, -0.5 * axis->separation, axis->n),
             on_b = gmc_vec3_add_scaled(axis->p, 0.5 * axis->separation, axis->n);
    ASSERT_NEAR(support_outside(a, X_a, on_a), 0, 1e-7 * q->pair.size);
    ASSERT_NEAR(support_outside(b, X_b, on_b), 0, 1e-7 * q->pair.size);
}

// Shallow or deep, to the point where one centre passes the other: an answer, and no small turn of
// it is better.
static void overlaps_of_any_depth_have_an_answer(void **unused)
{
    (void)unused;
    for (int k = 0; k < 4000; k++) {
        gmc_shape a = support_shape(&the_random, BOUNDED[k % 4], &hulls),
                  b = support_shape(&the_random, BOUNDED[k / 4 % 4], &hulls);
        gmc_pose X_a = gmc_pose_make(support_rotation(&the_random), (gmc_vec3){0, 0, 0}),
                 X_b = gmc_pose_make(support_rotation(&the_random), (gmc_vec3){0, 0, 0});
        double far = gmc_shape_radius(&a) + gmc_shape_radius(&b);
        X_b.p =
            gmc_vec3_scale(support_uniform(&the_random, 0, far), support_direction(&the_random));
        support_pair q;
        gmc_arena_reset(&arena, 0);
        assert_true(support_pair_open(&q, a, X_a, b, X_b, 1, &arena));
        gmc_convex_axis axis = gmc_convex_best(&q.pair);
        check(&q, &axis);
        for (int i = 0; i < 40; i++) {
            gmc_vec3 n =
                gmc_vec3_unit(gmc_vec3_add_scaled(axis.n, 1e-4, support_direction(&the_random)));
            assert_true(support_separation(&a, &X_a, &b, &X_b, n) <=
                        axis.separation + 1e-10 * q.pair.size);
        }
    }
}

// One centre exactly on the other, all axes aligned: nothing prefers a direction, and still there
// is one.
static void concentric_solids_have_an_answer(void **unused)
{
    (void)unused;
    for (int k = 0; k < 16; k++) {
        gmc_shape a = support_shape(&the_random, BOUNDED[k % 4], &hulls),
                  b = support_shape(&the_random, BOUNDED[k / 4], &hulls);
        support_pair q;
        gmc_arena_reset(&arena, 0);
        assert_true(
            support_pair_open(&q, a, gmc_pose_identity(), b, gmc_pose_identity(), 1, &arena));
        gmc_convex_axis axis = gmc_convex_best(&q.pair);
        check(&q, &axis);
        assert_true(axis.separation < 0);
    }
    gmc_shape cube = support_box(0.5, 0.5, 0.5);
    support_pair q;
    assert_true(
        support_pair_open(&q, cube, gmc_pose_identity(), cube, gmc_pose_identity(), 1, &arena));
    gmc_convex_axis axis = gmc_convex_best(&q.pair);
    ASSERT_NEAR(axis.separation, -1, 1e-15);
}

// Against all axes: with nothing remembered the shallowest way out of cubes is found, not only a
// local one.
static void cubes_leave_on_the_shortest_way(void **unused)
{
    (void)unused;
    int global = 0, cases = 0;
    gmc_shape cube = support_box(0.02, 0.02, 0.02);
    for (int k = 0; k < 2000; k++) {
        gmc_pose X_b = gmc_pose_make(support_rotation(&the_random), (gmc_vec3){0, 0, 0});
        X_b.p = gmc_vec3_scale(support_uniform(&the_random, 0.035, 0.06),
                               support_direction(&the_random));
        support_pair q, s;
        gmc_manifold m;
        gmc_arena_reset(&arena, 0);
        assert_true(support_pair_open(&q, cube, gmc_pose_identity(), cube, X_b, 1, &arena));
        assert_true(support_pair_open(&s, cube, gmc_pose_identity(), cube, X_b, 1, &arena));
        gmc_convex_axis axis = gmc_convex_best(&q.pair);
        gmc_sat_find(&s.pair, &m);
        // as deep as a tenth of a cube
        if (axis.separation > 0 || axis.separation < -0.004) continue;
        double most = support_separation(&cube, &q.pair.a.X, &cube, &X_b, m.n);
        assert_true(axis.separation <= most + 1.001 * GMC_PAIR_EDGE_MARGIN * q.pair.size);
        cases++;
        global += axis.separation >= most - 1e-12;
    }
    assert_true(cases > 200);
    assert_true(global >= cases * 95 / 100);
}

static void a_gap_is_continuous_through_zero(void **unused)
{
    (void)unused;
    // a cylinder's rim on the edge of a box: no flat feature, no closed form
    gmc_shape can = support_cylinder(0.02, 0.03), box = support_box(0.03, 0.03, 0.03);
    gmc_pose X_a = gmc_pose_make(gmc_quat_exp((gmc_vec3){0.3, 0.5, 0.1}), (gmc_vec3){0, 0, 0});
    // the box hangs over the rim's highest point, one edge down
    gmc_vec3 top = support_farthest(&can, &X_a, (gmc_vec3){0, 0, 1});
    gmc_pose X_b = gmc_pose_make(gmc_quat_exp((gmc_vec3){0, GMC_PI / 4 + 0.1, 0}),
                                 (gmc_vec3){top.x, top.y + 0.004, 0.2});
    support_pair q;
    assert_true(support_pair_open(&q, can, X_a, box, X_b, 1, &arena));
    gmc_convex_axis start = gmc_convex_best(&q.pair), before;
    const double step = 1e-7;
    // to 200 steps above contact, along the normal that contact has
    for (int k = 0; k < 100; k++) {
        q.pair.b.X.p = gmc_vec3_add_scaled(q.pair.b.X.p, 200.5 * step - start.separation, start.n);
        start = gmc_convex_best(&q.pair);
    }
    ASSERT_NEAR(start.separation, 200.5 * step, 1e-12);
    before = start;
    for (int k = 0; k < 400; k++) {
        gmc_convex_axis axis = gmc_convex_best(&q.pair);
        if (k > 0) {
            // moving by step along n changes the gap by step, to second order in the turn of n
            ASSERT_NEAR(axis.separation - before.separation, -step, 1e-12);
            ASSERT_NEAR(gmc_vec3_norm(gmc_vec3_sub(axis.n, before.n)), 0, 1e-4);
        }
        before = axis;
        q.pair.b.X.p = gmc_vec3_add_scaled(q.pair.b.X.p, -step, start.n);
    }
    assert_true(before.separation < -1e-5);
}

static void beyond_the_margin_there_is_no_point(void **unused)
{
    (void)unused;
    gmc_shape cube = support_box(0.5, 0.5, 0.5);
    support_pair q;
    gmc_manifold m;
    gmc_pose X = {gmc_mat3_identity(), {1.5, 1.5, 0}};
    assert_true(support_pair_open(&q, cube, gmc_pose_identity(), cube, X, 0.7, &arena));
    gmc_convex_nearest(&q.pair, &m);
    assert_int_equal(m.count, 0);
    q.pair.margin = 0.71;
    gmc_convex_nearest(&q.pair, &m);
    assert_int_equal(m.count, 1);
    ASSERT_NEAR(m.points[0].gap, sqrt(0.5), 1e-15);
}

int test_convex(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overlaps_of_any_depth_have_an_answer),
        cmocka_unit_test(concentric_solids_have_an_answer),
        cmocka_unit_test(cubes_leave_on_the_shortest_way),
        cmocka_unit_test(a_gap_is_continuous_through_zero),
        cmocka_unit_test(beyond_the_margin_there_is_no_point),
    };
    return cmocka_run_group_tests(tests, open_solids, close_solids);
}

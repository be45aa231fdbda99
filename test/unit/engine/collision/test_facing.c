#include "engine/collision/convex.h"
#include "engine/collision/manifold.h"
#include "test/support/near.h"
#include "test/support/one_solids.h"
#include "test/support/places.h"

static double nearest(const gmc_manifold *m)
{
    double gap = 1e300;
    for (int i = 0; i < m->count; i++)
        gap = fmin(gap, m->points[i].gap);
    return gap;
}

// A long slide, roll and lift-off in small steps: what is carried from call to call may choose
// between equals, but the gap is that of a query that remembers nothing.
static void memory_does_not_change_the_gap(void **unused)
{
    (void)unused;
    gmc_shape can = support_cylinder(0.02, 0.03), rod = support_capsule(0.01, 0.03),
              box = support_box(0.03, 0.03, 0.03), cloud = support_polytope(hulls.cloud, 0.03),
              gon = support_polytope(hulls.can, 0.02);
    const gmc_shape pairs[][2] = {{can, box},   {box, can},   {rod, box}, {can, can},
                                  {cloud, box}, {cloud, gon}, {rod, can}, {gon, can}};
    int found = 0;
    for (int k = 0; k < GMC_COUNT(pairs); k++) {
        support_pair warm;
        gmc_manifold m, fresh;
        gmc_arena_reset(&arena, 0);
        gmc_pose X_b = turned(0.01, 0.01, 0.2, (gmc_vec3){0.02, 0.01, 0.3});
        assert_true(support_pair_open(&warm, pairs[k][0], gmc_pose_identity(), pairs[k][1], X_b,
                                      1e-2, &arena));
        double s = support_separation(&pairs[k][0], &warm.pair.a.X, &pairs[k][1], &X_b,
                                      (gmc_vec3){0, 0, 1});
        warm.pair.b.X.p.z += 1e-4 - s;
        for (int step = 0; step < 1500; step++) {
            gmc_quat turn = gmc_quat_exp((gmc_vec3){2e-3 * gmc_sin(0.01 * step), 1e-3, 5e-4});
            gmc_mat3 R = gmc_quat_matrix(turn);
            warm.pair.b.X.R = gmc_mat3_multiply(&R, &warm.pair.b.X.R);
            warm.pair.b.X.p.x += 2e-5;
            // stay near: a fifth of a millimetre apart to a tenth inside
            support_pair cold = warm;
            cold.cache = (gmc_pair_cache){0};
            cold.pair.cache = &cold.cache;
            gmc_convex_find(&warm.pair, &m);
            gmc_manifold_remember(&warm.pair, &m);
            gmc_convex_find(&cold.pair, &fresh);
            if (m.count == 0 || fresh.count == 0) {
                assert_int_equal(m.count, fresh.count);
            } else {
                // each is within REALISED of its axis; the faces' hysteresis may add as much
                ASSERT_NEAR(nearest(&m), nearest(&fresh), 3 * GMC_PAIR_REALISED * warm.pair.size);
                found++;
            }
            double gap = fresh.count ? nearest(&fresh) : 0;
            gmc_vec3 n = fresh.count ? fresh.n : (gmc_vec3){0, 0, 1};
            double wanted = 5e-5 + 1.5e-4 * gmc_sin(0.05 * step);
            warm.pair.b.X.p = gmc_vec3_add_scaled(warm.pair.b.X.p, 0.2 * (wanted - gap), n);
        }
    }
    assert_true(found > 1500 * GMC_COUNT(pairs) / 2);
}

static void a_cap_stands_on_a_face(void **unused)
{
    (void)unused;
    gmc_shape can = support_cylinder(0.02, 0.03), box = support_box(0.03, 0.03, 0.03);
    support_pair q;
    gmc_manifold m;
    gmc_arena_reset(&arena, 0);
    assert_true(support_pair_open(&q, box, gmc_pose_identity(), can,
                                  turned(0, 0, 0.06 - 1e-6, (gmc_vec3){1e-5, 0, 0.4}), 1e-3,
                                  &arena));
    for (int k = 0; k < 3; k++) {
        gmc_convex_find(&q.pair, &m);
        gmc_manifold_remember(&q.pair, &m);
        assert_int_equal(m.count, 4);
        assert_int_equal(q.counts.cache_hits, k);
        ASSERT_NEAR(m.n.z, 1, 1e-9);
        ASSERT_NEAR(nearest(&m), -1e-6 - 2e-7, 1e-7);
    }
    // slid off: nothing below it any more
    q.pair.b.X.p.x = 0.06;
    gmc_convex_find(&q.pair, &m);
    assert_int_equal(m.count, 0);
}

static void pinched_between_flat_fingers(void **unused)
{
    (void)unused;
    gmc_shape can = support_cylinder(0.02, 0.03), pad = support_box(0.01, 0.005, 0.02);
    for (int side = -1; side <= 1; side += 2) {
        support_pair q;
        gmc_manifold m;
        gmc_arena_reset(&arena, 0);
        assert_true(
            support_pair_open(&q, pad, turned(0, side * (0.025 - 3e-6), 0, (gmc_vec3){0, 0, 0}),
                              can, turned(0.001, 0, 0.005, (gmc_vec3){0, 0, 0.7}), 1e-3, &arena));
        gmc_convex_find(&q.pair, &m);
        assert_int_equal(m.count, 2);
        ASSERT_NEAR(m.n.y, -side, 0);
        for (int i = 0; i < 2; i++) {
            ASSERT_NEAR(m.points[i].gap, -3e-6, 1e-15);
            ASSERT_NEAR(fabs(m.points[i].p.z), 0.02, 1e-15); // the pad is shorter than the can
            ASSERT_NEAR(m.points[i].p.x, 0.001, 1e-15);
        }
    }
}

static void deep_sides_and_caps_are_told_apart(void **unused)
{
    (void)unused;
    gmc_shape can = support_cylinder(0.02, 0.03);
    support_pair q;
    gmc_manifold m;
    gmc_arena_reset(&arena, 0);
    // stacked, overlapping by 1 mm: out through the caps, not by 40 mm through the sides
    assert_true(support_pair_open(&q, can, gmc_pose_identity(), can,
                                  turned(0, 0, 0.059, (gmc_vec3){0, 0, 0}), 1e-3, &arena));
    gmc_convex_find(&q.pair, &m);
    assert_int_equal(m.count, 4);
    ASSERT_NEAR(m.n.z, 1, 1e-15);
    ASSERT_NEAR(nearest(&m), -0.001, 1e-15);
    // side by side, overlapping by 1 mm
    gmc_arena_reset(&arena, 0);
    assert_true(support_pair_open(&q, can, gmc_pose_identity(), can,
                                  turned(0.039, 0, 0.01, (gmc_vec3){0, 0, 0}), 1e-3, &arena));
    gmc_convex_find(&q.pair, &m);
    assert_int_equal(m.count, 2);
    ASSERT_NEAR(m.n.x, 1, 1e-15);
    ASSERT_NEAR(nearest(&m), -0.001, 1e-15);
}

/// Distance of p from the surface of a round solid, whose axis goes through X along z.
static double off_round(double radius, const gmc_pose *X, gmc_vec3 p)
{
    gmc_vec3 axis = gmc_mat3_column(&X->R, 2), r = gmc_vec3_sub(p, X->p);
    return gmc_vec3_norm(gmc_vec3_add_scaled(r, -gmc_vec3_dot(axis, r), axis)) - radius;
}

/// The edge of a pad along a round solid's side, in it by 3e-4 of the radius; it passes the line
/// of the side by `aside` radii at either end, and rocks by a tenth of that depth. Heights aside
/// follow the parabola of the circle, whose next term is aside^4 / 8 = 4e-13 radii; normals of the
/// two ends differ by 2 aside = 3e-3, of which the rocking makes 1e-7 radii.
static void an_edge_along_a_side_touches_with_both_ends(void **unused)
{
    (void)unused;
    static const double ASIDE[] = {-7e-4, -1e-4, -1e-5, -1e-7, 0, 1e-6, 3e-5, 4e-4, 7e-4};
    for (int k = 0; k < GMC_COUNT(ASIDE) * 24; k++) {
        double radius = k % 3 == 0 ? 0.003 : k % 3 == 1 ? 0.033 : 0.4;
        double half = 0.4 * radius, depth = 3e-4 * radius, aside = ASIDE[k / 24];
        double from = 0.5 + 0.6 * (k / 12 % 2); // of the normal, from the pad's face
        bool is_swapped = k / 6 % 2;
        gmc_shape can = support_cylinder(radius, 3 * radius),
                  rod = support_capsule(radius, 3 * radius),
                  pad = support_box(0.5 * radius, 0.2 * radius, half);
        gmc_shape round = k % 2 ? can : rod;
        gmc_vec3 n = {gmc_cos(from), gmc_sin(from), 0}, t = {-n.y, n.x, 0};
        gmc_vec3 edge = {0.5 * radius, 0.2 * radius, 0};
        gmc_quat turn = gmc_quat_multiply(gmc_quat_exp(gmc_vec3_scale(aside * radius / half, n)),
                                          gmc_quat_exp(gmc_vec3_scale(0.1 * depth / half, t)));
        gmc_pose X = {gmc_quat_matrix(turn), gmc_vec3_add_scaled(edge, radius - depth, n)};
        support_pair q;
        gmc_manifold m;
        gmc_arena_reset(&arena, 0);
        assert_true(
            is_swapped
                ? support_pair_open(&q, round, X, pad, gmc_pose_identity(), 0.01 * radius, &arena)
                : support_pair_open(&q, pad, gmc_pose_identity(), round, X, 0.01 * radius, &arena));
        for (int turns = 0; turns < 3; turns++) {
            gmc_convex_find(&q.pair, &m);
            gmc_manifold_remember(&q.pair, &m);
            assert_int_equal(m.count, 2);
            for (int i = 0; i < 2; i++) {
                gmc_vec3 end = {edge.x, edge.y, m.points[i].p.z > 0 ? half : -half};
                ASSERT_NEAR(fabs(m.points[i].p.z), half, 1e-6 * radius);
                ASSERT_NEAR(m.points[i].gap, off_round(radius, &X, end), 2e-7 * radius);
            }
            assert_true(m.points[0].p.z * m.points[1].p.z < 0);
        }
    }
}

int test_facing(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_does_not_change_the_gap),
        cmocka_unit_test(a_cap_stands_on_a_face),
        cmocka_unit_test(pinched_between_flat_fingers),
        cmocka_unit_test(deep_sides_and_caps_are_told_apart),
        cmocka_unit_test(an_edge_along_a_side_touches_with_both_ends),
    };
    return cmocka_run_group_tests(tests, open_solids, close_solids);
}

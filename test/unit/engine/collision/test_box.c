#include "engine/collision/manifold.h"
#include "engine/collision/sat.h"
#include "test/support/near.h"
#include "test/support/one_arena.h"
#include "test/support/places.h"
#include "test/support/solids.h"

static support_random the_random = {41};

static double nearest(const gmc_manifold *m)
{
    double gap = 1e300;
    for (int i = 0; i < m->count; i++)
        gap = fmin(gap, m->points[i].gap);
    return gap;
}

// Two programs for one question: fifteen axes in closed form, and faces and edges found as those of
// any polytope.
static void box_and_polytope_code_agree(void **unused)
{
    (void)unused;
    int faces = 0, edges = 0;
    for (int k = 0; k < 20000; k++) {
        support_hulls none = {0};
        gmc_shape a = support_shape(&the_random, GMC_SHAPE_BOX, &none),
                  b = support_shape(&the_random, GMC_SHAPE_BOX, &none);
        gmc_pose X_a = gmc_pose_make(support_rotation(&the_random), (gmc_vec3){0, 0, 0}), X_b = X_a;
        gmc_vec3 dir = support_direction(&the_random);
        if (k % 4) X_b.R = gmc_quat_matrix(support_rotation(&the_random));
        if (k % 4 == 1) dir = gmc_mat3_column(&X_a.R, k / 4 % 3);
        double s = support_separation(&a, &X_a, &b, &X_b, dir),
               size = fmin(gmc_vec3_norm(a.half), gmc_vec3_norm(b.half));
        X_b.p = gmc_vec3_scale(size * support_uniform(&the_random, -0.5, 0.1) - s, dir);
        support_pair one, other;
        gmc_manifold of_box, of_sat;
        gmc_arena_reset(&arena, 0);
        assert_true(support_pair_open(&one, a, X_a, b, X_b, 0.1 * size, &arena));
        assert_true(support_pair_open(&other, a, X_a, b, X_b, 0.1 * size, &arena));
        assert_true(gmc_sat_has(&one.pair.a, &one.pair.b));
        gmc_sat_boxes(&one.pair, &of_box);
        gmc_sat_find(&other.pair, &of_sat);
        assert_int_equal(of_box.count, of_sat.count);
        if (of_box.count == 0) continue;
        ASSERT_NEAR(gmc_vec3_norm(gmc_vec3_sub(of_box.n, of_sat.n)), 0, 1e-11);
        for (int i = 0; i < of_box.count; i++) {
            assert_int_equal(of_box.points[i].feature, of_sat.points[i].feature);
            ASSERT_NEAR(of_box.points[i].gap, of_sat.points[i].gap, 1e-13);
            ASSERT_NEAR(gmc_vec3_norm(gmc_vec3_sub(of_box.points[i].p, of_sat.points[i].p)), 0,
                        1e-11);
        }
        faces += of_box.count > 1;
        edges +=
            of_box.count == 1 && gmc_pair_kind(of_box.points[0].feature) == GMC_FEATURE_CROSSING;
    }
    assert_true(faces > 1000);
    assert_true(edges > 1000);
}

static void faces_and_edges_in_numbers(void **unused)
{
    (void)unused;
    support_pair q;
    gmc_manifold m;
    gmc_shape cube = support_box(0.5, 0.5, 0.5);
    const double quarter = GMC_PI / 4, diagonal = sqrt(2.0);
    assert_true(support_pair_open(&q, cube, gmc_pose_identity(), cube,
                                  turned(0.25, 0, 0.99, (gmc_vec3){0, 0, 0}), 0.1, &arena));
    gmc_sat_boxes(&q.pair, &m);
    assert_int_equal(m.count, 4);
    ASSERT_NEAR(m.n.z, 1, 0);
    for (int i = 0; i < 4; i++) {
        ASSERT_NEAR(m.points[i].gap, -0.01, 1e-15);
        ASSERT_NEAR(m.points[i].p.z, 0.495, 1e-15);
    }
    // edge over edge, crossed, 0.05 apart
    assert_true(support_pair_open(&q, cube, turned(0, 0, 0, (gmc_vec3){quarter, 0, 0}), cube,
                                  turned(0.1, 0.2, diagonal + 0.05, (gmc_vec3){0, quarter, 0}), 0.1,
                                  &arena));
    gmc_sat_boxes(&q.pair, &m);
    assert_int_equal(m.count, 1);
    ASSERT_NEAR(m.points[0].gap, 0.05, 1e-15);
    ASSERT_NEAR(
        gmc_vec3_norm(gmc_vec3_sub(m.points[0].p, (gmc_vec3){0.1, 0, 0.5 * diagonal + 0.025})), 0,
        1e-15);
    // corner to corner: none of the fifteen axes, but the nearest points
    assert_true(support_pair_open(&q, cube, gmc_pose_identity(), cube,
                                  turned(1.01, 1.01, 1.01, (gmc_vec3){0, 0, 0}), 0.1, &arena));
    gmc_sat_boxes(&q.pair, &m);
    assert_int_equal(m.count, 1);
    ASSERT_NEAR(m.points[0].gap, 0.01 * sqrt(3.0), 1e-15);
    assert_int_equal(m.points[0].feature, gmc_pair_feature(GMC_FEATURE_VERTEX_A, 7, 0));
    // farther than the margin along the diagonal, nearer along each axis
    assert_true(support_pair_open(&q, cube, gmc_pose_identity(), cube,
                                  turned(1.09, 1.09, 1.09, (gmc_vec3){0, 0, 0}), 0.1, &arena));
    gmc_sat_boxes(&q.pair, &m);
    assert_int_equal(m.count, 0);
}

// An edge lies along a face and reaches beyond it on both sides; the face is tilted by a
// thousandth. Where it is lowest, edge crosses edge. The other end counts as soon as the step
// brings it down.
static void a_rocking_face_has_both_its_ends(void **unused)
{
    (void)unused;
    const double tilt = 1e-3, sunk = 1e-4, quarter = GMC_PI / 4;
    gmc_shape bar = support_box(1, 0.1, 0.1), cube = support_box(0.5, 0.5, 0.5);
    gmc_pose lying = turned(0, 0, 0, (gmc_vec3){quarter, 0, 0});
    double z = 0.1 * sqrt(2.0) + 0.5 * cos(tilt) + 0.5 * sin(tilt) - sunk;
    gmc_pose tilted = turned(0, 0, z, (gmc_vec3){0, tilt, 0});
    void (*const finders[])(gmc_pair *, gmc_manifold *) = {gmc_sat_boxes, gmc_sat_find};
    for (int k = 0; k < 4; k++) {
        support_pair q;
        gmc_manifold m;
        gmc_arena_reset(&arena, 0);
        assert_true(support_pair_open(&q, bar, lying, cube, tilted, 0.01, &arena));
        bool comes_down = k >= 2;
        if (comes_down) q.pair.move.w.y = -2 * tilt;
        finders[k % 2](&q.pair, &m);
        assert_int_equal(m.count, comes_down ? 2 : 1);
        for (int i = 0; i < m.count; i++) {
            bool is_low = m.points[i].p.x > 0;
            assert_int_equal(gmc_pair_kind(m.points[i].feature), GMC_FEATURE_CROSSING);
            // to first order in the tilt
            ASSERT_NEAR(m.points[i].gap, is_low ? -sunk : tilt - sunk, tilt * tilt);
            ASSERT_NEAR(fabs(m.points[i].p.x), 0.5, tilt);
        }
    }
}

// The reference face stays until another separates by 1e-4 of size more.
static void the_reference_face_has_hysteresis(void **unused)
{
    (void)unused;
    gmc_shape cube = support_box(0.5, 0.5, 0.5);
    const double size = sqrt(0.75), both = 0.05 * GMC_PAIR_AXIS_KEEP * size;
    for (int first = 0; first < 2; first++) {
        support_pair q;
        gmc_manifold m;
        // overlapping a little more along one of x and y
        gmc_arena_reset(&arena, 0);
        double more = 2 * GMC_PAIR_AXIS_KEEP * size;
        assert_true(support_pair_open(&q, cube, gmc_pose_identity(), cube, gmc_pose_identity(), 0.1,
                                      &arena));
        q.pair.b.X.p =
            (gmc_vec3){1 - 0.01 - (first ? more : 0), 1 - 0.01 - (first ? 0 : more), 0.1};
        gmc_sat_boxes(&q.pair, &m);
        ASSERT_NEAR(first ? m.n.y : m.n.x, 1, 0);
        // now the other is better, but not clearly
        q.pair.b.X.p =
            (gmc_vec3){1 - 0.01 - (first ? 0 : both), 1 - 0.01 - (first ? both : 0), 0.1};
        gmc_sat_boxes(&q.pair, &m);
        ASSERT_NEAR(first ? m.n.y : m.n.x, 1, 0);
        // clearly
        q.pair.b.X.p =
            (gmc_vec3){1 - 0.01 - (first ? 0 : more), 1 - 0.01 - (first ? more : 0), 0.1};
        gmc_sat_boxes(&q.pair, &m);
        ASSERT_NEAR(first ? m.n.x : m.n.y, 1, 0);
    }
}

static void the_axis_before_rejects(void **unused)
{
    (void)unused;
    support_pair q;
    gmc_manifold m;
    gmc_shape cube = support_box(0.5, 0.5, 0.5);
    for (int edge = 0; edge < 2; edge++) {
        gmc_arena_reset(&arena, 0);
        gmc_vec3 lean = {edge ? GMC_PI / 4 : 0, 0, 0}, across = {0, edge ? GMC_PI / 4 : 0, 0};
        assert_true(support_pair_open(&q, cube, turned(0, 0, 0, lean), cube,
                                      turned(0, 0, 2, across), 0.1, &arena));
        gmc_sat_boxes(&q.pair, &m);
        assert_true(m.count == 0);
        assert_true(q.counts.cache_hits == 0);
        gmc_sat_boxes(&q.pair, &m);
        assert_true(m.count == 0);
        assert_true(q.counts.cache_hits == 1);
        q.pair.b.X.p.z = edge ? 1.42 : 1;
        gmc_sat_boxes(&q.pair, &m);
        assert_true(m.count > 0);
        assert_true(nearest(&m) < 0.01);
    }
}

int test_box(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(box_and_polytope_code_agree),
        cmocka_unit_test(faces_and_edges_in_numbers),
        cmocka_unit_test(a_rocking_face_has_both_its_ends),
        cmocka_unit_test(the_reference_face_has_hysteresis),
        cmocka_unit_test(the_axis_before_rejects),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}

#include "engine/collision/overlay.h"
#include "test/support/near.h"
#include "test/support/solids.h"

/// Two unit squares, top of a and bottom of b; b is turned about the vertical and moved.
typedef struct scene {
    gmc_arena arena;
    support_pair query;
    gmc_pair_axes axes;
} scene;

enum { TOP = 4, BOTTOM = 5 }; // faces of a box

static void overlay(scene *s, gmc_shape a, gmc_shape b, gmc_pose X_b)
{
    gmc_arena_reset(&s->arena, 0);
    assert_true(support_pair_open(&s->query, a, gmc_pose_identity(), b, X_b, 0.5, &s->arena));
    s->axes = (gmc_pair_axes){{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
    gmc_pair_work *work = &s->query.work;
    gmc_overlay_face(&s->query.pair.a, TOP, &s->axes, &work->polygon_a);
    gmc_overlay_face(&s->query.pair.b, BOTTOM, &s->axes, &work->polygon_b);
    gmc_overlay_polygons(&s->query.pair, &work->polygon_a, &work->polygon_b);
}

/// Is there a candidate at (x, y)? Its feature and gap.
static bool at(const scene *s, double x, double y, uint64_t *feature, double *gap)
{
    for (int c = 0; c < s->query.work.candidate_count; c++) {
        const gmc_candidate *k = &s->query.work.candidates[c];
        if (fabs(k->x - x) > 1e-12 || fabs(k->y - y) > 1e-12) continue;
        *feature = k->feature;
        *gap = k->gap;
        return true;
    }
    return false;
}

static gmc_pose moved(double x, double y, double z, double turn)
{
    return gmc_pose_make(gmc_quat_exp((gmc_vec3){0, 0, turn}), (gmc_vec3){x, y, z});
}

static void corners_are_named_by_what_meets_there(void **unused)
{
    (void)unused;
    scene s;
    uint64_t feature = 0;
    double gap = 0;
    gmc_shape cube = support_box(0.5, 0.5, 0.5);
    assert_int_equal(gmc_arena_create(&s.arena, 1 << 16), GMC_OK);
    // shifted by (0.3, 0.2), 0.01 above: a corner of each and two crossings
    overlay(&s, cube, cube, moved(0.3, 0.2, 1.01, 0));
    assert_int_equal(s.query.work.candidate_count, 4);
    assert_true(at(&s, 0.5, 0.5, &feature, &gap));
    assert_int_equal(feature, gmc_pair_feature(GMC_FEATURE_VERTEX_A, 7, 0));
    ASSERT_NEAR(gap, 0.01, 1e-15);
    assert_true(at(&s, -0.2, -0.3, &feature, &gap));
    assert_int_equal(feature, gmc_pair_feature(GMC_FEATURE_VERTEX_B, 0, 0));
    // a's edge of +x, +z (5-7, along y) with b's of -y, -z (0-1, along x)
    assert_true(at(&s, 0.5, -0.3, &feature, &gap));
    assert_int_equal(feature, gmc_pair_feature(GMC_FEATURE_CROSSING, 8 + 5, 0));
    // a's of +y, +z (6-7, along x) with b's of -x, -z (0-2, along y)
    assert_true(at(&s, -0.2, 0.5, &feature, &gap));
    assert_int_equal(feature, gmc_pair_feature(GMC_FEATURE_CROSSING, 6, 8));
    // an octagon
    overlay(&s, cube, cube, moved(0, 0, 1, GMC_PI / 4));
    assert_int_equal(s.query.work.candidate_count, 8);
    for (int c = 0; c < 8; c++)
        assert_int_equal(gmc_pair_kind(s.query.work.candidates[c].feature), GMC_FEATURE_CROSSING);
    // one inside the other
    overlay(&s, cube, support_box(0.1, 0.1, 0.5), moved(0.1, 0, 1, 0.3));
    assert_int_equal(s.query.work.candidate_count, 4);
    for (int c = 0; c < 4; c++)
        assert_int_equal(gmc_pair_kind(s.query.work.candidates[c].feature), GMC_FEATURE_VERTEX_B);
    // beside each other, and too far above
    overlay(&s, cube, cube, moved(1.1, 0, 1, 0));
    assert_int_equal(s.query.work.candidate_count, 0);
    overlay(&s, cube, cube, moved(0, 0, 1.6, 0));
    assert_int_equal(s.query.work.candidate_count, 0);
    gmc_arena_free(&s.arena);
}

// Heights follow each face's own plane; both roles give the same gaps.
static void tilted_faces_have_their_own_heights(void **unused)
{
    (void)unused;
    scene s, t;
    gmc_shape cube = support_box(0.5, 0.5, 0.5);
    assert_int_equal(gmc_arena_create(&s.arena, 1 << 16), GMC_OK);
    assert_int_equal(gmc_arena_create(&t.arena, 1 << 16), GMC_OK);
    support_random r = {8};
    for (int k = 0; k < 200; k++) {
        gmc_pose X = gmc_pose_make(
            gmc_quat_exp(gmc_vec3_scale(0.3, support_direction(&r))),
            (gmc_vec3){support_uniform(&r, -0.4, 0.4), support_uniform(&r, -0.4, 0.4), 1.2});
        overlay(&s, cube, cube, X);
        assert_true(s.query.work.candidate_count >= 3);
        for (int c = 0; c < s.query.work.candidate_count; c++) {
            const gmc_candidate *k1 = &s.query.work.candidates[c];
            gmc_vec3 p = {k1->x, k1->y, k1->z - 0.5 * k1->gap},
                     q = {k1->x, k1->y, k1->z + 0.5 * k1->gap};
            gmc_pose I = gmc_pose_identity();
            ASSERT_NEAR(support_outside(&cube, &I, p), 0, 1e-13);
            ASSERT_NEAR(support_outside(&cube, &X, q), 0, 1e-13);
        }
        // seen from below with the roles exchanged: polygons of b first
        t.axes = s.axes;
        gmc_pair_work *work = &t.query.work;
        gmc_arena_reset(&t.arena, 0);
        assert_true(support_pair_open(&t.query, cube, X, cube, gmc_pose_identity(), 0.5, &t.arena));
        t.axes = (gmc_pair_axes){{0, 0, -1}, {0, 1, 0}, {1, 0, 0}};
        gmc_overlay_face(&t.query.pair.a, BOTTOM, &t.axes, &work->polygon_a);
        gmc_overlay_face(&t.query.pair.b, TOP, &t.axes, &work->polygon_b);
        gmc_overlay_polygons(&t.query.pair, &work->polygon_a, &work->polygon_b);
        assert_int_equal(work->candidate_count, s.query.work.candidate_count);
        for (int c = 0; c < work->candidate_count; c++) {
            uint64_t feature = 0;
            double gap = 0;
            assert_true(at(&s, work->candidates[c].y, work->candidates[c].x, &feature, &gap));
            ASSERT_NEAR(work->candidates[c].gap, gap, 1e-13);
        }
    }
    gmc_arena_free(&s.arena);
    gmc_arena_free(&t.arena);
}

// Equal faces exactly above each other: all eight corners are there, whatever the last digits say.
static void corners_that_coincide_are_not_lost(void **unused)
{
    (void)unused;
    scene s;
    gmc_shape cube = support_box(0.5, 0.5, 0.5);
    support_random r = {12};
    assert_int_equal(gmc_arena_create(&s.arena, 1 << 16), GMC_OK);
    for (int k = 0; k < 300; k++) {
        overlay(&s, cube, cube,
                moved(support_uniform(&r, -1e-12, 1e-12), support_uniform(&r, -1e-12, 1e-12), 1,
                      support_uniform(&r, -1e-12, 1e-12)));
        int corners = 0;
        for (int c = 0; c < s.query.work.candidate_count; c++)
            corners += gmc_pair_kind(s.query.work.candidates[c].feature) != GMC_FEATURE_CROSSING;
        assert_int_equal(corners, 8);
    }
    gmc_arena_free(&s.arena);
}

static void segments_are_clipped(void **unused)
{
    (void)unused;
    scene s;
    uint64_t feature = 0;
    double gap = 0, x[2] = {-2, 2}, y[2] = {0.1, 0.1}, z[2] = {0.6, 0.8};
    int id[2] = {0, 1};
    gmc_shape cube = support_box(0.5, 0.5, 0.5), rod = support_capsule(0.1, 2);
    assert_int_equal(gmc_arena_create(&s.arena, 1 << 16), GMC_OK);
    assert_true(support_pair_open(&s.query, cube, gmc_pose_identity(), rod, gmc_pose_identity(), 1,
                                  &s.arena));
    s.axes = (gmc_pair_axes){{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
    gmc_polygon segment = {.count = 2, .x = x, .y = y, .z = z, .id = id, .is_steep = 1};
    gmc_overlay_face(&s.query.pair.a, TOP, &s.axes, &s.query.work.polygon_a);
    gmc_overlay_polygons(&s.query.pair, &s.query.work.polygon_a, &segment);
    assert_int_equal(s.query.work.candidate_count, 2);
    assert_true(at(&s, -0.5, 0.1, &feature, &gap));
    ASSERT_NEAR(gap, 0.675 - 0.5, 1e-15);
    assert_int_equal(gmc_pair_kind(feature), GMC_FEATURE_CROSSING);
    assert_true(at(&s, 0.5, 0.1, &feature, &gap));
    ASSERT_NEAR(gap, 0.725 - 0.5, 1e-15);
    // one end inside
    s.query.work.candidate_count = 0;
    x[0] = 0;
    gmc_overlay_polygons(&s.query.pair, &s.query.work.polygon_a, &segment);
    assert_int_equal(s.query.work.candidate_count, 2);
    assert_true(at(&s, 0, 0.1, &feature, &gap));
    assert_int_equal(feature, gmc_pair_feature(GMC_FEATURE_VERTEX_B, 0, 0));
    // along an edge, within noise on either side: ends at its corners
    x[0] = -2;
    for (int side = -1; side <= 1; side++) {
        s.query.work.candidate_count = 0;
        y[0] = 0.5 + side * 1e-12;
        y[1] = 0.5 - side * 1e-12;
        gmc_overlay_polygons(&s.query.pair, &s.query.work.polygon_a, &segment);
        assert_int_equal(s.query.work.candidate_count, 2);
        assert_true(at(&s, -0.5, 0.5, &feature, &gap));
        assert_int_equal(feature, gmc_pair_feature(GMC_FEATURE_VERTEX_A, 6, 0));
        assert_true(at(&s, 0.5, 0.5, &feature, &gap));
        assert_int_equal(feature, gmc_pair_feature(GMC_FEATURE_VERTEX_A, 7, 0));
    }
    ASSERT_NEAR(gmc_overlay_outside(&s.query.work.polygon_a, 0.7, 0.1), 0.2, 1e-15);
    ASSERT_NEAR(gmc_overlay_outside(&s.query.work.polygon_a, 0.1, 0.2), -0.3, 1e-15);
    gmc_arena_free(&s.arena);
}

static bool has(const gmc_pair_work *work, uint64_t feature, double x, double y)
{
    for (int c = 0; c < work->candidate_count; c++)
        // 0.1 of size, over the sine of the angle of two edges that cross
        if (work->candidates[c].feature == feature && fabs(work->candidates[c].x - x) < 1e-10 &&
            fabs(work->candidates[c].y - y) < 1e-10)
            return true;
    return false;
}

/// Every corner found the plain way, all vertices and all pairs of edges, is a candidate.
/// @return how many there are
static int plain_corners(const scene *s)
{
    const gmc_pair_work *work = &s->query.work;
    const gmc_polygon *P = &work->polygon_a, *Q = &work->polygon_b;
    int count = 0;
    for (int i = 0; i < P->count; i++)
        if (gmc_overlay_outside(Q, P->x[i], P->y[i]) <= 0) {
            assert_true(
                has(work, gmc_pair_feature(GMC_FEATURE_VERTEX_A, P->id[i], 0), P->x[i], P->y[i]));
            count++;
        }
    for (int j = 0; j < Q->count; j++)
        if (gmc_overlay_outside(P, Q->x[j], Q->y[j]) <= 0) {
            assert_true(
                has(work, gmc_pair_feature(GMC_FEATURE_VERTEX_B, 0, Q->id[j]), Q->x[j], Q->y[j]));
            count++;
        }
    for (int i = 0; i < P->count; i++)
        for (int j = 0; j < Q->count; j++) {
            int i1 = (i + 1) % P->count, j1 = (j + 1) % Q->count;
            double px = P->x[i1] - P->x[i], py = P->y[i1] - P->y[i], qx = Q->x[j1] - Q->x[j],
                   qy = Q->y[j1] - Q->y[j], dx = Q->x[j] - P->x[i], dy = Q->y[j] - P->y[i];
            double cross = px * qy - py * qx, t = (dx * qy - dy * qx) / cross,
                   u = (dx * py - dy * px) / cross;
            if (!(t > 0 && t < 1 && u > 0 && u < 1)) continue;
            int of_a = gmc_shape_edge_id(&s->query.pair.a, P->id[i], P->id[i1]),
                of_b = gmc_shape_edge_id(&s->query.pair.b, Q->id[j], Q->id[j1]);
            assert_true(has(work, gmc_pair_feature(GMC_FEATURE_CROSSING, of_a, of_b),
                            P->x[i] + t * px, P->y[i] + t * py));
            count++;
        }
    return count;
}

static void nothing_is_left_out(void **unused)
{
    (void)unused;
    scene s;
    support_hulls hulls;
    support_random r = {19};
    int nested = 0, beside = 0, cut = 0, more = 0;
    assert_true(support_hulls_create(&hulls));
    assert_int_equal(gmc_arena_create(&s.arena, 1 << 20), GMC_OK);
    for (int k = 0; k < 6000; k++) {
        double scale = support_uniform(&r, 0.05, 1.5);
        gmc_shape a = k & 1 ? support_box(0.5, 0.3, 0.5) : support_polytope(hulls.prism, 0.5),
                  b = k & 2 ? support_box(0.4 * scale, scale, 0.5 * scale)
                            : support_polytope(hulls.can, scale);
        gmc_pose X = moved(support_uniform(&r, -0.8, 0.8), support_uniform(&r, -0.8, 0.8), 0,
                           support_uniform(&r, -3, 3));
        // seen along z, one is above the other: which face that is the solids say
        gmc_vec3 up = {0, 0, 1}, down = {0, 0, -1};
        gmc_arena_reset(&s.arena, 0);
        assert_true(support_pair_open(&s.query, a, gmc_pose_identity(), b, X, 10, &s.arena));
        gmc_pair *pair = &s.query.pair;
        s.axes = (gmc_pair_axes){{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
        int face_a =
                gmc_shape_face_towards(&pair->a, gmc_shape_support_vertex(&pair->a, up, 0), up),
            face_b =
                gmc_shape_face_towards(&pair->b, gmc_shape_support_vertex(&pair->b, down, 0), down);
        gmc_overlay_face(&pair->a, face_a, &s.axes, &s.query.work.polygon_a);
        gmc_overlay_face(&pair->b, face_b, &s.axes, &s.query.work.polygon_b);
        gmc_overlay_polygons(pair, &s.query.work.polygon_a, &s.query.work.polygon_b);
        int count = plain_corners(&s), crossings = 0;
        // and nothing else is one, unless a corner is as near to a rim as the tolerance, 1e-5
        assert_true(s.query.work.candidate_count >= count);
        more += s.query.work.candidate_count > count;
        for (int c = 0; c < s.query.work.candidate_count; c++)
            crossings += gmc_pair_kind(s.query.work.candidates[c].feature) == GMC_FEATURE_CROSSING;
        nested += count > 0 && crossings == 0;
        cut += crossings > 0;
        beside += count == 0;
    }
    support_hulls_free(&hulls);
    gmc_arena_free(&s.arena);
    assert_true(more < 12); // expected: 6000 scenes of some 30 corners, 2
    assert_true(nested > 300);
    assert_true(cut > 1000);
    assert_true(beside > 300);
}

int test_overlay(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corners_are_named_by_what_meets_there),
        cmocka_unit_test(tilted_faces_have_their_own_heights),
        cmocka_unit_test(corners_that_coincide_are_not_lost),
        cmocka_unit_test(segments_are_clipped),
        cmocka_unit_test(nothing_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

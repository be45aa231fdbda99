#include "engine/collision/cylinder.h"
#include "engine/collision/overlay.h"
#include "test/support/near.h"
#include "test/support/places.h"
#include "test/support/solids.h"

static gmc_arena arena;
static support_pair query;
static gmc_pair_axes axes;

static int open_arena(void **unused)
{
    (void)unused;
    axes = (gmc_pair_axes){{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
    return gmc_arena_create(&arena, 1 << 18) == GMC_OK ? 0 : -1;
}

static int close_arena(void **unused)
{
    (void)unused;
    gmc_arena_free(&arena);
    return 0;
}

/// Features of a seen from above and of b seen from below, laid over each other.
static void overlay(gmc_shape a, gmc_pose X_a, gmc_shape b, gmc_pose X_b)
{
    int hint = 0;
    gmc_arena_reset(&arena, 0);
    assert_true(support_pair_open(&query, a, X_a, b, X_b, 0.2, &arena));
    gmc_feature_view of_a = {axes.n, -1, 0, &axes}, of_b = {gmc_vec3_neg(axes.n), -1, 0, &axes};
    gmc_feature fa = gmc_feature_towards(&query.pair.a, &of_a, &hint, &query.work.polygon_a);
    gmc_feature fb = gmc_feature_towards(&query.pair.b, &of_b, &hint, &query.work.polygon_b);
    gmc_feature_overlay(&query.pair, &fa, &fb);
}

/// All candidates lie on both solids.
static void check_members(void)
{
    for (int c = 0; c < query.work.candidate_count; c++) {
        const gmc_candidate *k = &query.work.candidates[c];
        gmc_vec3 p = {k->x, k->y, k->z - 0.5 * k->gap}, q = {k->x, k->y, k->z + 0.5 * k->gap};
        ASSERT_NEAR(support_outside(query.pair.a.shape, &query.pair.a.X, p), 0, 1e-14);
        ASSERT_NEAR(support_outside(query.pair.b.shape, &query.pair.b.X, q), 0, 1e-14);
    }
}

static const gmc_vec3 UPRIGHT = {0, 0, 0}, LIE = {GMC_PI / 2, 0, 0}, LEAN = {0.1, 0.05, 0};

static void caps_on_faces(void **unused)
{
    (void)unused;
    gmc_shape can = support_cylinder(0.5, 0.5), box = support_box(1, 1, 0.5),
              small = support_box(0.1, 0.2, 0.5);
    gmc_pose I = gmc_pose_identity();
    overlay(box, I, can, turned(0.1, 0.2, 1.05, UPRIGHT)); // all of the cap on the face
    assert_int_equal(query.work.candidate_count, 4);
    check_members();
    overlay(can, I, small, turned(0.1, 0, 1.05, UPRIGHT)); // all of the face on the cap
    assert_int_equal(query.work.candidate_count, 4);
    check_members();
    overlay(box, I, can,
            turned(1, 0.1, 1.05, UPRIGHT)); // half over the edge: three rim points, two crossings
    assert_int_equal(query.work.candidate_count, 5);
    check_members();
    int crossings = 0;
    for (int c = 0; c < 5; c++) {
        if (gmc_pair_kind(query.work.candidates[c].feature) != GMC_FEATURE_CROSSING) continue;
        crossings++;
        ASSERT_NEAR(query.work.candidates[c].x, 1, 1e-15);
        ASSERT_NEAR(fabs(query.work.candidates[c].y - 0.1), 0.5, 1e-15);
    }
    assert_int_equal(crossings, 2);
    overlay(box, I, can, turned(0.8, 0.9, 1.1, LEAN)); // tilted, over a corner
    assert_true(query.work.candidate_count >= 4);
    check_members();
    overlay(box, I, can, turned(1.6, 0.1, 1.05, UPRIGHT)); // beside
    assert_int_equal(query.work.candidate_count, 0);
}

static void caps_on_caps(void **unused)
{
    (void)unused;
    gmc_shape can = support_cylinder(0.5, 0.5), thin = support_cylinder(0.1, 0.5);
    gmc_pose I = gmc_pose_identity();
    overlay(can, I, thin, turned(0.2, 0, 1.05, UPRIGHT));
    assert_int_equal(query.work.candidate_count, 4);
    overlay(can, I, can,
            turned(0.6, 0, 1.05, UPRIGHT)); // a lens: one rim point of each, two crossings
    assert_int_equal(query.work.candidate_count, 4);
    check_members();
    double highest = 0;
    for (int c = 0; c < 4; c++)
        highest = fmax(highest, query.work.candidates[c].y);
    ASSERT_NEAR(highest, 0.4, 1e-15); // sqrt(0.5² - 0.3²)
    overlay(can, I, can,
            turned(0, 0, 1.05, UPRIGHT)); // one exactly on the other: rim points of both
    assert_int_equal(query.work.candidate_count, 8);
    overlay(can, I, can, turned(1.1, 0, 1.05, UPRIGHT));
    assert_int_equal(query.work.candidate_count, 0);
}

static void lines_on_caps_and_faces(void **unused)
{
    (void)unused;
    gmc_shape can = support_cylinder(0.5, 0.5), rod = support_capsule(0.1, 1),
              box = support_box(0.4, 0.4, 0.5);
    gmc_pose I = gmc_pose_identity();
    overlay(can, I, rod, turned(0.3, 0, 0.65, LIE)); // a chord
    assert_int_equal(query.work.candidate_count, 2);
    for (int c = 0; c < 2; c++) {
        ASSERT_NEAR(query.work.candidates[c].gap, 0.05, 1e-15);
        ASSERT_NEAR(fabs(query.work.candidates[c].y), 0.4, 1e-15);
    }
    overlay(box, I, rod, turned(0.3, 0, 0.65, LIE));
    assert_int_equal(query.work.candidate_count, 2);
    check_members();
    overlay(rod, turned(0, 0, -0.1, LIE), can,
            turned(0, 0.2, 0.5, LIE)); // two lines: left to others
    assert_int_equal(query.work.candidate_count, 0);
    overlay(box, I, rod, turned(0.3, 0, 1.65, UPRIGHT)); // upright: its lower end alone
    assert_int_equal(query.work.candidate_count, 1);
    check_members();
}

static void faces_of_every_shape(void **unused)
{
    (void)unused;
    gmc_shape can = support_cylinder(0.5, 0.7), box = support_box(1, 2, 3),
              ball = support_sphere(1);
    gmc_pose X = turned(0.1, 0.2, 0.3, (gmc_vec3){0.4, 0.5, 0.6});
    gmc_solid c = {.shape = &can, .X = X}, b = {.shape = &box, .X = X},
              s = {.shape = &ball, .X = X};
    assert_int_equal(gmc_feature_face_count(&c), 2);
    assert_int_equal(gmc_feature_face_count(&b), 6);
    assert_int_equal(gmc_feature_face_count(&s), 0);
    const gmc_solid *solids[] = {&c, &b};
    for (int k = 0; k < 2; k++)
        for (int f = 0; f < gmc_feature_face_count(solids[k]); f++) {
            double offset;
            int hint = 0;
            gmc_vec3 n = gmc_feature_face(solids[k], f, &offset);
            ASSERT_NEAR(offset, gmc_vec3_dot(n, support_farthest(solids[k]->shape, &X, n)), 1e-15);
            assert_int_equal(gmc_feature_face_towards(solids[k], n, &hint), f);
        }
    int hint = 0;
    assert_int_equal(gmc_feature_face_towards(&s, axes.n, &hint), -1);
}

int test_feature(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(caps_on_faces),
        cmocka_unit_test(caps_on_caps),
        cmocka_unit_test(lines_on_caps_and_faces),
        cmocka_unit_test(faces_of_every_shape),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}

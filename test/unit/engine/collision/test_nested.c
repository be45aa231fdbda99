#include "engine/collision/manifold.h"
#include "engine/collision/overlay.h"
#include "engine/collision/sat.h"
#include "test/support/near.h"
#include "test/support/solids.h"

enum { CASES = 20000 };

static support_random the_random = {61};

/// The plain way: both faces as polygons, their overlay, the manifold of its corners.
static gmc_manifold by_overlay(const gmc_pair *pair, bool is_of_a, int face, int other)
{
    gmc_manifold m = {.count = 0};
    gmc_vec3 n = gmc_shape_face_normal(is_of_a ? &pair->a : &pair->b, face);
    gmc_pair_axes axes = gmc_pair_axes_of(is_of_a ? n : gmc_vec3_neg(n));
    gmc_pair_work *work = pair->work;
    work->candidate_count = 0;
    gmc_overlay_face(&pair->a, is_of_a ? face : other, &axes, &work->polygon_a);
    gmc_overlay_face(&pair->b, is_of_a ? other : face, &axes, &work->polygon_b);
    gmc_overlay_polygons(pair, &work->polygon_a, &work->polygon_b);
    gmc_manifold_reduce(pair, &axes, &m);
    return m;
}

static int face_towards(const gmc_solid *box, gmc_vec3 dir)
{
    int best = 0;
    for (int f = 1; f < 6; f++)
        if (gmc_vec3_dot(gmc_shape_face_normal(box, f), dir) >
            gmc_vec3_dot(gmc_shape_face_normal(box, best), dir))
            best = f;
    return best;
}

static void the_corners_are_those_of_the_overlay(void **unused)
{
    (void)unused;
    gmc_arena arena;
    support_pair query;
    int nested[2][2] = {{0}}, crossing = 0, cut = 0;
    assert_int_equal(gmc_arena_create(&arena, 1 << 16), GMC_OK);
    for (int k = 0; k < CASES; k++) {
        gmc_shape shapes[2];
        for (int i = 0; i < 2; i++)
            shapes[i] = support_box(support_uniform(&the_random, 0.005, 0.05),
                                    support_uniform(&the_random, 0.005, 0.05),
                                    support_uniform(&the_random, 0.005, 0.05));
        gmc_pose X_a = gmc_pose_make(support_rotation(&the_random), (gmc_vec3){0.01, 0.02, 0.03});
        gmc_pose X_b = gmc_pose_make(support_rotation(&the_random), (gmc_vec3){0, 0, 0});
        double margin = support_uniform(&the_random, 0, 0.02);
        bool is_of_a = k & 1;
        int face = k / 2 % 6;
        gmc_arena_reset(&arena, 0);
        assert_true(support_pair_open(&query, shapes[0], X_a, shapes[1], X_b, margin, &arena));
        gmc_pair *pair = &query.pair;
        gmc_solid *own = is_of_a ? &pair->a : &pair->b, *far = is_of_a ? &pair->b : &pair->a;
        gmc_vec3 out = gmc_shape_face_normal(own, face);
        int other = face_towards(far, gmc_vec3_neg(out));
        // the other face near the middle of this one, somewhat above it, leaning by any angle
        far->X.p = gmc_vec3_add_scaled(own->X.p, 0.06, out);
        far->X.p = gmc_vec3_add_scaled(far->X.p, support_uniform(&the_random, 0, 0.03),
                                       support_direction(&the_random));
        gmc_manifold m = {.count = -1}, plain = by_overlay(pair, is_of_a, face, other);
        if (!gmc_sat_nested(pair, is_of_a, face, other, &m)) {
            assert_int_equal(m.count, -1);
            for (int i = 0; i < plain.count; i++)
                crossing += gmc_pair_kind(plain.points[i].feature) == GMC_FEATURE_CROSSING;
            continue;
        }
        cut += m.count < 4;
        assert_int_equal(m.count, plain.count);
        ASSERT_NEAR(gmc_vec3_norm(gmc_vec3_sub(m.n, plain.n)), 0, 1e-15);
        for (int i = 0; i < m.count; i++) {
            nested[is_of_a][gmc_pair_kind(m.points[i].feature)]++;
            assert_int_equal(m.points[i].feature, plain.points[i].feature);
            // rounding of coordinates of 0.1 m, over the cosine of the lean
            ASSERT_NEAR(m.points[i].gap, plain.points[i].gap, 1e-15);
            ASSERT_NEAR(gmc_vec3_norm(gmc_vec3_sub(m.points[i].p, plain.points[i].p)), 0, 1e-15);
        }
    }
    gmc_arena_free(&arena);
    // either in either, with and without corners beyond the margin; and faces that overlap in part
    for (int i = 0; i < 4; i++)
        assert_true(nested[i / 2][i % 2] > 100);
    assert_true(cut > 100);
    assert_true(crossing > 1000);
}

static void near_the_rim_it_leaves_the_matter_to_others(void **unused)
{
    (void)unused;
    gmc_arena arena;
    support_pair query;
    gmc_manifold m;
    gmc_shape plate = support_box(0.05, 0.05, 0.005), pad = support_box(0.01, 0.01, 0.01);
    assert_int_equal(gmc_arena_create(&arena, 1 << 16), GMC_OK);
    gmc_pose X = {gmc_mat3_identity(), {0, 0, 0.015}};
    for (int k = 0; k < 3; k++) {
        // touching the rim from inside, within twice what still counts as touching, farther in
        X.p.x = 0.04 - k * 0.015 * GMC_PAIR_TOUCH_KEEP * sqrt(3.0);
        gmc_arena_reset(&arena, 0);
        assert_true(support_pair_open(&query, plate, gmc_pose_identity(), pad, X, 1e-3, &arena));
        assert_int_equal(gmc_sat_nested(&query.pair, true, 4, 5, &m), k == 2);
    }
    // a sheet whose corners are one
    gmc_shape sheet = support_box(0.01, 1e-7, 0.01);
    X.p.x = 0;
    assert_true(support_pair_open(&query, plate, gmc_pose_identity(), sheet, X, 1e-3, &arena));
    assert_false(gmc_sat_nested(&query.pair, true, 4, 5, &m));
    gmc_arena_free(&arena);
}

int test_nested(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_corners_are_those_of_the_overlay),
        cmocka_unit_test(near_the_rim_it_leaves_the_matter_to_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

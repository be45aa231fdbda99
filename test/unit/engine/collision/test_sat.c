#include "engine/collision/manifold.h"
#include "engine/collision/sat.h"
#include "test/support/near.h"
#include "test/support/one_solids.h"

static support_random the_random = {43};

static gmc_vec3 corner(const gmc_shape *s, const gmc_pose *X, int v)
{
    return gmc_pose_apply(X, gmc_vec3_scale(s->scale, s->polytope->vertices[v]));
}

/// Largest separation over all face normals and all pairs of edges, by looking at every vertex.
static double exhaustive(const gmc_shape *a, const gmc_pose *X_a, const gmc_shape *b,
                         const gmc_pose *X_b)
{
    double most = -1e300;
    for (int f = 0; f < a->polytope->face_count; f++)
        most =
            fmax(most, support_separation(a, X_a, b, X_b,
                                          gmc_mat3_apply(&X_a->R, a->polytope->face_normals[f])));
    for (int f = 0; f < b->polytope->face_count; f++)
        most = fmax(most, support_separation(
                              a, X_a, b, X_b,
                              gmc_vec3_neg(gmc_mat3_apply(&X_b->R, b->polytope->face_normals[f]))));
    for (int i = 0; i < a->polytope->edge_count; i++)
        for (int j = 0; j < b->polytope->edge_count; j++) {
            const int *e = a->polytope->edges[i], *g = b->polytope->edges[j];
            gmc_vec3 d = gmc_vec3_sub(corner(a, X_a, e[1]), corner(a, X_a, e[0]));
            gmc_vec3 u = gmc_vec3_sub(corner(b, X_b, g[1]), corner(b, X_b, g[0])),
                     n = gmc_vec3_cross(d, u);
            if (gmc_vec3_norm(n) < 1e-4 * gmc_vec3_norm(d) * gmc_vec3_norm(u)) continue;
            n = gmc_vec3_unit(n);
            most = fmax(most, support_separation(a, X_a, b, X_b, n));
            most = fmax(most, support_separation(a, X_a, b, X_b, gmc_vec3_neg(n)));
        }
    return most;
}

// No axis is overlooked on the Gauss map: overlaps, also deep ones, are as shallow as the best of
// all axes.
static void the_best_of_all_axes_is_found(void **unused)
{
    (void)unused;
    const gmc_polytope *all[] = {hulls.cube, hulls.prism, hulls.icosahedron};
    int edges = 0;
    for (int k = 0; k < 1500; k++) {
        gmc_shape a = support_polytope(all[k % 3], support_uniform(&the_random, 0.01, 0.03)),
                  b = support_polytope(all[k / 3 % 2], support_uniform(&the_random, 0.01, 0.03));
        gmc_pose X_a = gmc_pose_make(support_rotation(&the_random), (gmc_vec3){0, 0, 0}),
                 X_b = gmc_pose_make(support_rotation(&the_random), (gmc_vec3){0, 0, 0});
        gmc_vec3 dir = support_direction(&the_random);
        double s = support_separation(&a, &X_a, &b, &X_b, dir);
        X_b.p = gmc_vec3_scale(support_uniform(&the_random, -0.006, -1e-5) - s, dir);
        support_pair q;
        gmc_manifold m;
        gmc_arena_reset(&arena, 0);
        assert_true(support_pair_open(&q, a, X_a, b, X_b, 1e-3, &arena));
        assert_true(gmc_sat_has(&q.pair.a, &q.pair.b));
        gmc_sat_find(&q.pair, &m);
        double most = exhaustive(&a, &X_a, &b, &X_b);
        if (most > 0) continue; // apart after all: the nearest points decide
        assert_true(m.count > 0);
        ASSERT_NEAR(support_separation(&a, &X_a, &b, &X_b, m.n), most,
                    1.001 * GMC_PAIR_EDGE_MARGIN * q.pair.size);
        double nearest = 1e300;
        for (int i = 0; i < m.count; i++)
            nearest = fmin(nearest, m.points[i].gap);
        ASSERT_NEAR(nearest, most, 1.001 * GMC_PAIR_REALISED * q.pair.size);
        edges += m.count == 1 && gmc_pair_kind(m.points[0].feature) == GMC_FEATURE_CROSSING;
    }
    assert_true(edges > 100);
}

static void large_polytopes_are_not_taken(void **unused)
{
    (void)unused;
    gmc_shape box = support_box(0.01, 0.01, 0.01), cloud = support_polytope(hulls.cloud, 0.01),
              ico = support_polytope(hulls.icosahedron, 0.01), ball = support_sphere(0.01),
              can = support_polytope(hulls.can, 0.01);
    gmc_solid b = {.shape = &box}, c = {.shape = &cloud}, i = {.shape = &ico}, s = {.shape = &ball},
              g = {.shape = &can};
    assert_true(gmc_sat_has(&b, &b));
    assert_true(gmc_sat_has(&b, &i));
    assert_true(gmc_sat_has(&i, &b));
    assert_false(gmc_sat_has(&i, &i) || gmc_sat_has(&b, &c) || gmc_sat_has(&c, &b) ||
                 gmc_sat_has(&b, &g));
    assert_false(gmc_sat_has(&b, &s) || gmc_sat_has(&s, &b));
}

// A face that was the reference is confirmed without a search, and the answer is that of a search.
static void a_confirmed_face_gives_the_same_points(void **unused)
{
    (void)unused;
    gmc_shape cube = support_polytope(hulls.cube, 0.025),
              prism = support_polytope(hulls.prism, 0.02);
    gmc_pose X = {gmc_mat3_identity(), {0.004, 0.003, 0.045 - 1e-6}};
    support_pair warm;
    assert_true(support_pair_open(&warm, cube, gmc_pose_identity(), prism, X, 1e-3, &arena));
    for (int k = 0; k < 200; k++) {
        gmc_quat turn = gmc_quat_exp(gmc_vec3_scale(1e-5, support_direction(&the_random)));
        warm.pair.b.X.R = gmc_quat_matrix(turn);
        support_pair cold = warm;
        gmc_manifold m, fresh;
        cold.cache = (gmc_pair_cache){0};
        cold.pair.cache = &cold.cache;
        long long hits = warm.counts.cache_hits;
        gmc_sat_find(&warm.pair, &m);
        if (k > 0) assert_int_equal(warm.counts.cache_hits, hits + 1);
        gmc_sat_find(&cold.pair, &fresh);
        assert_int_equal(m.count, fresh.count);
        for (int i = 0; i < m.count; i++) {
            assert_int_equal(m.points[i].feature, fresh.points[i].feature);
            ASSERT_NEAR(m.points[i].gap, fresh.points[i].gap,
                        1e-5 * 1e-5); // second order in the tilt
        }
        gmc_manifold_remember(&warm.pair, &m);
    }
}

int test_sat(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_of_all_axes_is_found),
        cmocka_unit_test(large_polytopes_are_not_taken),
        cmocka_unit_test(a_confirmed_face_gives_the_same_points),
    };
    return cmocka_run_group_tests(tests, open_solids, close_solids);
}

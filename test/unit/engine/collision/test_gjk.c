#include "engine/collision/gjk.h"
#include "test/support/capability.h"
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
    double worst = 0;
    for (int k = 0; k < 200; k++) { // from any first direction
        b.X = at(3, 0.3, 0.2);
        gmc_gjk_result r = distance(&a, &b); // face to face
        assert_false(r.is_overlap);
        ASSERT_NEAR(r.distance, 2, 1e-14);
        worst = fmax(worst, fabs(r.distance - 2));
        ASSERT_NEAR(r.n.x, 1, 1e-14);
        b.X = at(2, 2, 2); // corner to corner
        r = distance(&a, &b);
        ASSERT_NEAR(r.distance, sqrt(3.0), 1e-14);
        worst = fmax(worst, fabs(r.distance - sqrt(3.0)));
        ASSERT_NEAR(gmc_vec3_norm(gmc_vec3_sub(r.p_a, (gmc_vec3){0.5, 0.5, 0.5})), 0, 1e-14);
        b.shape = &ball;
        b.X = at(0, 0, 1.5); // a sphere is its centre
        r = distance(&a, &b);
        ASSERT_NEAR(r.distance, 1, 1e-14);
        worst = fmax(worst, fabs(r.distance - 1));
        b.shape = &rod;
        b.X = at(0, 0, 2.5); // a capsule is its segment
        r = distance(&a, &b);
        ASSERT_NEAR(r.distance, 1, 1e-14);
        b.shape = &cube;
    }
    capability_at_most(15, worst, 1e-12);
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

// ---- every feature against every other ---------------------------------------------------------

/// Nearest points of two segments, by clamping what the lines say.
static double segments_apart(const gmc_vec3 *a, const gmc_vec3 *b)
{
    gmc_vec3 u = gmc_vec3_sub(a[1], a[0]), v = gmc_vec3_sub(b[1], b[0]);
    gmc_vec3 w = gmc_vec3_sub(a[0], b[0]);
    double uu = gmc_vec3_dot(u, u), vv = gmc_vec3_dot(v, v), uv = gmc_vec3_dot(u, v);
    double uw = gmc_vec3_dot(u, w), vw = gmc_vec3_dot(v, w), det = uu * vv - uv * uv;
    double s = det > 1e-12 * uu * vv ? fmax(0, fmin(1, (uv * vw - vv * uw) / det)) : 0;
    double t = fmax(0, fmin(1, (uv * s + vw) / vv));
    s = fmax(0, fmin(1, (uv * t - uw) / uu));
    gmc_vec3 d = gmc_vec3_add_scaled(gmc_vec3_add_scaled(w, s, u), -t, v);
    return gmc_vec3_norm(d);
}

/// Distance of a point from the plane of a triangle if it stands over it, else infinite.
static double over_triangle(gmc_vec3 p, const gmc_vec3 *c)
{
    gmc_vec3 n = gmc_vec3_unit(gmc_vec3_cross(gmc_vec3_sub(c[1], c[0]), gmc_vec3_sub(c[2], c[0])));
    for (int i = 0; i < 3; i++) {
        gmc_vec3 edge = gmc_vec3_sub(c[(i + 1) % 3], c[i]);
        if (gmc_vec3_dot(gmc_vec3_cross(edge, gmc_vec3_sub(p, c[i])), n) < 0) return HUGE_VAL;
    }
    return fabs(gmc_vec3_dot(n, gmc_vec3_sub(p, c[0])));
}

enum { TRIANGLES_MAX = 64 };

/// Faces of a polytope as fans, in the world. @return how many
static int fans_of(const gmc_polytope *p, double scale, const gmc_pose *X, gmc_vec3 (*triangles)[3])
{
    int count = 0;
    for (int f = 0; f < p->face_count; f++) {
        const int *loop = p->face_vertices + p->face_start[f];
        for (int k = 2; k < p->face_start[f + 1] - p->face_start[f]; k++) {
            const int corners[3] = {loop[0], loop[k - 1], loop[k]};
            assert_true(count < TRIANGLES_MAX);
            for (int i = 0; i < 3; i++)
                triangles[count][i] =
                    gmc_pose_apply(X, gmc_vec3_scale(scale, p->vertices[corners[i]]));
            count++;
        }
    }
    return count;
}

/// The least distance of all corners from all triangles and of all their sides from each other: of
/// solids that are apart the distance, for the quadratic programme ends on such a pair.
static double brute_distance(gmc_vec3 (*a)[3], int a_count, gmc_vec3 (*b)[3], int b_count)
{
    double least = HUGE_VAL;
    for (int i = 0; i < a_count; i++)
        for (int j = 0; j < b_count; j++)
            for (int k = 0; k < 3; k++) {
                least = fmin(least, over_triangle(a[i][k], b[j]));
                least = fmin(least, over_triangle(b[j][k], a[i]));
                for (int m = 0; m < 3; m++) {
                    const gmc_vec3 s[2] = {a[i][k], a[i][(k + 1) % 3]};
                    const gmc_vec3 t[2] = {b[j][m], b[j][(m + 1) % 3]};
                    least = fmin(least, segments_apart(s, t));
                }
            }
    return least;
}

/// 10 000 pairs of cubes, hexagonal prisms and icosahedra that are apart, of different sizes.
static void distances_are_the_least_of_all_features(void **unused)
{
    (void)unused;
    static gmc_vec3 triangles[2][TRIANGLES_MAX][3];
    support_hulls hulls;
    double worst = 0;
    assert_true(support_hulls_create(&hulls));
    const gmc_polytope *kinds[] = {hulls.cube, hulls.prism, hulls.icosahedron};
    for (int k = 0, apart = 0; apart < 10000; k++) {
        gmc_shape shapes[2];
        gmc_solid solids[2];
        int counts[2];
        for (int i = 0; i < 2; i++) {
            const gmc_polytope *p = kinds[(i ? k / 3 : k) % 3];
            double scale = support_uniform(&the_random, 0.2, 1);
            shapes[i] = support_polytope(p, scale);
            solids[i] = (gmc_solid){.shape = &shapes[i]};
            gmc_vec3 d = support_direction(&the_random);
            solids[i].X =
                gmc_pose_make(support_rotation(&the_random),
                              gmc_vec3_scale(i * support_uniform(&the_random, 0.5, 4), d));
            counts[i] = fans_of(p, scale, &solids[i].X, triangles[i]);
        }
        gmc_gjk_result r = distance(&solids[0], &solids[1]);
        if (r.is_overlap) continue;
        apart++;
        double brute = brute_distance(triangles[0], counts[0], triangles[1], counts[1]);
        worst = fmax(worst, fabs(r.distance - brute));
    }
    support_hulls_free(&hulls);
    capability_at_most(15, worst, 1e-6);
}

int test_gjk(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_distances),
        cmocka_unit_test(distances_are_the_least_of_all_features),
        cmocka_unit_test(overlap_is_seen),
        cmocka_unit_test(small_gaps_keep_their_digits),
        cmocka_unit_test(cores_can_be_axes_and_shrunken),
        cmocka_unit_test(an_earlier_span_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

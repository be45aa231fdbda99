#include "engine/math/elementary.h"
#include "engine/model/inertia.h"
#include "test/support/mechanism.h"
#include "test/support/near.h"

#include <string.h>

static const gmc_vec3 CUBE[8] = {{0, 0, 0}, {2, 0, 0}, {2, 4, 0}, {0, 4, 0},
                                 {0, 0, 6}, {2, 0, 6}, {2, 4, 6}, {0, 4, 6}};
// two triangles a side, seen from outside counter-clockwise
static const int SIDES[12][3] = {{0, 2, 1}, {0, 3, 2}, {4, 5, 6}, {4, 6, 7}, {0, 1, 5}, {0, 5, 4},
                                 {1, 2, 6}, {1, 6, 5}, {2, 3, 7}, {2, 7, 6}, {3, 0, 4}, {3, 4, 7}};

static void assert_tensor(const gmc_mat3 *I, const gmc_mat3 *expected, double tolerance)
{
    for (int i = 0; i < 9; i++)
        ASSERT_NEAR(I->m[i], expected->m[i], tolerance);
}

static void shapes_have_their_closed_forms(void **unused)
{
    (void)unused;
    const double r = 0.3, half = 0.5, density = 700;
    gmc_shape sphere = {.type = GMC_SHAPE_SPHERE, .radius = r};
    gmc_shape cylinder = {.type = GMC_SHAPE_CYLINDER, .radius = r, .half_length = half};
    gmc_shape box = {.type = GMC_SHAPE_BOX, .half = {0.1, 0.2, 0.3}};
    gmc_shape plane = {.type = GMC_SHAPE_PLANE};

    gmc_inertia s = gmc_inertia_of_shape(&sphere, density);
    ASSERT_NEAR_RELATIVE(s.mass, density * 4.0 / 3 * GMC_PI * r * r * r, 1e-15);
    ASSERT_NEAR_RELATIVE(s.I.m[4], 0.4 * s.mass * r * r, 1e-15);
    gmc_inertia c = gmc_inertia_of_shape(&cylinder, density);
    ASSERT_NEAR_RELATIVE(c.I.m[8], 0.5 * c.mass * r * r, 1e-15);
    ASSERT_NEAR_RELATIVE(c.I.m[0], c.mass * (3 * r * r + 4 * half * half) / 12, 1e-15);
    gmc_inertia b = gmc_inertia_of_shape_mass(&box, 3);
    ASSERT_NEAR(b.mass, 3, 0);
    ASSERT_NEAR_RELATIVE(b.I.m[0], 3.0 / 12 * (0.16 + 0.36), 1e-15);
    ASSERT_NEAR_RELATIVE(b.I.m[8], 3.0 / 12 * (0.04 + 0.16), 1e-15);
    ASSERT_NEAR_RELATIVE(gmc_inertia_of_shape(&box, 1).mass, 0.2 * 0.4 * 0.6, 1e-15);
    ASSERT_NEAR(gmc_inertia_of_shape(&plane, 1).mass, 0, 0);
    ASSERT_NEAR(gmc_inertia_of_shape_mass(&plane, 1).mass, 0, 0);
}

// Midpoint sums of disks: r(z), thickness dz.
static void capsule_agrees_with_disks(void **unused)
{
    (void)unused;
    const double r = 0.2, half = 0.3, density = 900;
    enum { DISKS = 20000 };
    gmc_shape capsule = {.type = GMC_SHAPE_CAPSULE, .radius = r, .half_length = half};
    gmc_inertia found = gmc_inertia_of_shape(&capsule, density);
    double mass = 0, along = 0, across = 0, dz = 2 * (half + r) / DISKS;
    for (int k = 0; k < DISKS; k++) {
        double z = -half - r + (k + 0.5) * dz, over = fmax(fabs(z) - half, 0);
        double rr = r * r - over * over, m = density * GMC_PI * rr * dz;
        mass += m;
        along += m * rr / 2;
        across += m * (rr / 4 + z * z);
    }
    // midpoint rule: second order in 1/20000
    ASSERT_NEAR_RELATIVE(found.mass, mass, 1e-8);
    ASSERT_NEAR_RELATIVE(found.I.m[8], along, 1e-8);
    ASSERT_NEAR_RELATIVE(found.I.m[0], across, 1e-8);
    ASSERT_NEAR_RELATIVE(found.I.m[4], across, 1e-8);
}

// The cube of the mesh as a polytope: six faces of four vertices.
static gmc_polytope box_polytope(void)
{
    static const int start[7] = {0, 4, 8, 12, 16, 20, 24};
    static const int loops[24] = {0, 3, 2, 1, 4, 5, 6, 7, 0, 1, 5, 4,
                                  1, 2, 6, 5, 2, 3, 7, 6, 3, 0, 4, 7};
    return (gmc_polytope){.vertex_count = 8,
                          .face_count = 6,
                          .vertices = CUBE,
                          .face_start = start,
                          .face_vertices = loops,
                          .centre = {1, 2, 3},
                          .radius = 4};
}

static void polytope_and_mesh_are_the_box(void **unused)
{
    (void)unused;
    gmc_polytope polytope = box_polytope();
    const double scale = 0.5, density = 2;
    gmc_shape shape = {.type = GMC_SHAPE_POLYTOPE, .polytope = &polytope, .scale = scale};
    gmc_shape box = {.type = GMC_SHAPE_BOX, .half = {0.5, 1, 1.5}};
    gmc_inertia found = gmc_inertia_of_shape(&shape, density);
    gmc_inertia expected = gmc_inertia_of_shape(&box, density);
    ASSERT_NEAR_RELATIVE(found.mass, expected.mass, 1e-15);
    ASSERT_NEAR(found.com.x, 0.5, 1e-15);
    ASSERT_NEAR(found.com.z, 1.5, 1e-15);
    assert_tensor(&found.I, &expected.I, 1e-13); // sums of 12 terms of size 10

    gmc_inertia mesh;
    gmc_inertia_mesh report;
    assert_int_equal(
        gmc_inertia_of_mesh(&(gmc_inertia_surface){CUBE, 8, SIDES[0], 12}, density, &mesh, &report),
        GMC_OK);
    assert_true(report.is_closed);
    assert_true(report.is_oriented);
    assert_true(!report.is_inward);
    assert_int_equal(report.loose_edge_count, 0);
    ASSERT_NEAR_RELATIVE(report.volume, 48.0, 1e-15);
    ASSERT_NEAR(report.centroid.y, 2, 1e-14);
    gmc_shape large = {.type = GMC_SHAPE_BOX, .half = {1, 2, 3}};
    expected = gmc_inertia_of_shape(&large, density);
    ASSERT_NEAR_RELATIVE(mesh.mass, expected.mass, 1e-15);
    assert_tensor(&mesh.I, &expected.I, 1e-12);
}

static void mesh_far_away_loses_nothing(void **unused)
{
    (void)unused;
    gmc_vec3 far[8];
    for (int i = 0; i < 8; i++)
        far[i] = gmc_vec3_add(CUBE[i], (gmc_vec3){1e4, 1e4, -1e4});
    gmc_inertia near_by, away;
    assert_int_equal(
        gmc_inertia_of_mesh(&(gmc_inertia_surface){CUBE, 8, SIDES[0], 12}, 1, &near_by, NULL),
        GMC_OK);
    assert_int_equal(
        gmc_inertia_of_mesh(&(gmc_inertia_surface){far, 8, SIDES[0], 12}, 1, &away, NULL), GMC_OK);
    assert_tensor(&away.I, &near_by.I, 1e-7); // vertices are rounded to 1e-12, moments are 600
}

static void mesh_flaws_are_told(void **unused)
{
    (void)unused;
    int turned[12][3], flipped[12][3];
    memcpy(turned, SIDES, sizeof turned);
    for (int t = 0; t < 12; t++) {
        turned[t][1] = SIDES[t][2];
        turned[t][2] = SIDES[t][1];
    }
    memcpy(flipped, SIDES, sizeof flipped);
    flipped[3][1] = SIDES[3][2];
    flipped[3][2] = SIDES[3][1];
    gmc_inertia inertia;
    gmc_inertia_mesh report;

    assert_int_equal(
        gmc_inertia_of_mesh(&(gmc_inertia_surface){CUBE, 8, turned[0], 12}, 1, &inertia, &report),
        GMC_OK);
    assert_true(report.is_closed);
    assert_true(report.is_oriented);
    assert_true(report.is_inward);
    ASSERT_NEAR_RELATIVE(report.volume, 48.0, 1e-15);
    ASSERT_NEAR_RELATIVE(inertia.mass, 48.0, 1e-15);
    assert_true(inertia.I.m[0] > 0);

    assert_int_equal(
        gmc_inertia_of_mesh(&(gmc_inertia_surface){CUBE, 8, flipped[0], 12}, 1, &inertia, &report),
        GMC_OK);
    assert_true(report.is_closed);
    assert_true(!report.is_oriented);

    assert_int_equal(
        gmc_inertia_of_mesh(&(gmc_inertia_surface){CUBE, 8, SIDES[0], 11}, 1, &inertia, &report),
        GMC_OK);
    assert_true(!report.is_closed);
    assert_true(!report.is_oriented);
    assert_int_equal(report.loose_edge_count, 3);
}

static void mesh_without_volume_is_refused(void **unused)
{
    (void)unused;
    const int flat[2][3] = {{0, 1, 2}, {0, 2, 1}}, wrong[1][3] = {{0, 1, 8}},
              minus[1][3] = {{0, -1, 2}};
    gmc_inertia inertia = {.mass = 7};
    assert_int_equal(
        gmc_inertia_of_mesh(&(gmc_inertia_surface){CUBE, 8, flat[0], 2}, 1, &inertia, NULL),
        GMC_E_INPUT);
    assert_int_equal(
        gmc_inertia_of_mesh(&(gmc_inertia_surface){CUBE, 8, wrong[0], 1}, 1, &inertia, NULL),
        GMC_E_INPUT);
    assert_int_equal(
        gmc_inertia_of_mesh(&(gmc_inertia_surface){CUBE, 8, minus[0], 1}, 1, &inertia, NULL),
        GMC_E_INPUT);
    assert_int_equal(
        gmc_inertia_of_mesh(&(gmc_inertia_surface){CUBE, 0, SIDES[0], 12}, 1, &inertia, NULL),
        GMC_E_INPUT);
    assert_int_equal(
        gmc_inertia_of_mesh(&(gmc_inertia_surface){CUBE, 8, SIDES[0], 0}, 1, &inertia, NULL),
        GMC_E_INPUT);
    ASSERT_NEAR(inertia.mass, 7, 0); // untouched
}

// Two halves of a box are the box.
static void halves_combine_to_the_whole(void **unused)
{
    (void)unused;
    gmc_shape half = {.type = GMC_SHAPE_BOX, .half = {0.5, 1, 1.5}};
    gmc_shape whole = {.type = GMC_SHAPE_BOX, .half = {1, 1, 1.5}};
    gmc_pose left = {gmc_mat3_identity(), {-0.5, 0, 0}}, right = {gmc_mat3_identity(), {0.5, 0, 0}};
    gmc_inertia own = gmc_inertia_of_shape(&half, 3), nothing = {0};
    gmc_inertia a = gmc_inertia_move(&left, &own), b = gmc_inertia_move(&right, &own);
    gmc_inertia both = gmc_inertia_combine(&a, &b), expected = gmc_inertia_of_shape(&whole, 3);
    ASSERT_NEAR_RELATIVE(both.mass, expected.mass, 1e-15);
    ASSERT_NEAR(gmc_vec3_norm(both.com), 0, 1e-15);
    assert_tensor(&both.I, &expected.I, 1e-13);
    gmc_inertia alone = gmc_inertia_combine(&nothing, &a);
    assert_memory_equal(&alone, &a, sizeof a);
    alone = gmc_inertia_combine(&a, &nothing);
    assert_memory_equal(&alone, &a, sizeof a);
}

static void principal_moments_survive_turning(void **unused)
{
    (void)unused;
    support_random random = {5};
    for (int i = 0; i < 200; i++) {
        double moments[3] = {1e-6, support_uniform(&random, 1e-5, 1), 2}, found[3];
        gmc_mat3 I = gmc_mat3_diagonal(moments[1], moments[2], moments[0]);
        gmc_mat3 R = gmc_quat_matrix(support_rotation(&random));
        I = gmc_mat3_rotate(&R, &I);
        gmc_inertia_principal(&I, found);
        for (int k = 0; k < 3; k++)
            ASSERT_NEAR(found[k], moments[k], 5e-15); // rounding of 2
    }
}

static void impossible_inertias_are_named(void **unused)
{
    (void)unused;
    const struct {
        gmc_inertia inertia;
        const char *says;
    } cases[] = {
        {{0, {0, 0, 0}, gmc_mat3_diagonal(1, 1, 1)}, "mass must be > 0"},
        {{-1, {0, 0, 0}, gmc_mat3_diagonal(1, 1, 1)}, "mass must be > 0, found -1"},
        {{1, {0, NAN, 0}, gmc_mat3_diagonal(1, 1, 1)}, "finite"},
        {{1, {0, 0, 0}, gmc_mat3_diagonal(1, INFINITY, 1)}, "finite"},
        {{1, {0, 0, 0}, {{1, 0.1, 0, 0, 1, 0, 0, 0, 1}}}, "symmetric"},
        {{1, {0, 0, 0}, gmc_mat3_diagonal(1, 1, 0)}, "positive definite"},
        {{1, {0, 0, 0}, {{1, 2, 0, 2, 1, 0, 0, 0, 1}}}, "positive definite"},
        {{1, {0, 0, 0}, gmc_mat3_diagonal(1, 2, 3.1)}, "sum of the other two, 3"},
    };
    for (int i = 0; i < GMC_COUNT(cases); i++) {
        char message[256] = "";
        assert_int_equal(gmc_inertia_check(&cases[i].inertia, message, sizeof message),
                         GMC_E_INPUT);
        if (!strstr(message, cases[i].says))
            fail_msg("'%s' does not say '%s'", message, cases[i].says);
    }
    char untouched[] = "?";
    gmc_inertia flat = {1, {0, 0, 0}, gmc_mat3_diagonal(1, 2, 3.002)}; // a plate, rounded
    assert_int_equal(gmc_inertia_check(&flat, untouched, sizeof untouched), GMC_OK);
    assert_string_equal(untouched, "?");
}

// A rod along z and a ball beside its end: what any share of the mass makes of them is theirs.
static void shapes_may_share_the_mass(void **unused)
{
    (void)unused;
    char message[400] = "?";
    gmc_shape rod = {.type = GMC_SHAPE_CAPSULE, .radius = 0.015, .half_length = 0.04};
    gmc_shape ball = {.type = GMC_SHAPE_SPHERE, .radius = 0.02};
    gmc_pose X = gmc_pose_make(gmc_quat_identity(), (gmc_vec3){0.01, 0, 0.09});
    gmc_inertia shapes[2] = {gmc_inertia_of_shape(&rod, 1), gmc_inertia_of_shape(&ball, 1)};
    shapes[1] = gmc_inertia_move(&X, &shapes[1]);
    for (int i = 0; i <= 10; i++) {
        gmc_inertia a = gmc_inertia_with_mass(&shapes[0], 0.3 * i / 10);
        gmc_inertia b = gmc_inertia_with_mass(&shapes[1], 0.3 - a.mass);
        gmc_inertia given = gmc_inertia_combine(&a, &b);
        assert_false(gmc_inertia_contradicts_all(&given, shapes, 2, message, sizeof message));
    }
    assert_string_equal(message, "?");
    gmc_inertia given = gmc_inertia_with_mass(&shapes[0], 0.3);
    given.com = (gmc_vec3){0, 0, 0.09 + 0.06}; // the rod's radius of gyration is 31 mm
    assert_true(gmc_inertia_contradicts_all(&given, shapes, 2, message, sizeof message));
    assert_non_null(strstr(message, "0.06"));
    given = gmc_inertia_with_mass(&shapes[0], 0.3);
    const double factors[] = {1000, 1e-3}; // g·m² for kg·m², t for kg
    for (int k = 0; k < 2; k++) {
        gmc_inertia wrong = given;
        for (int i = 0; i < 9; i++)
            wrong.I.m[i] *= factors[k];
        assert_true(gmc_inertia_contradicts_all(&wrong, shapes, 2, message, sizeof message));
        assert_non_null(strstr(message, "share this mass"));
    }
}

static void contradictions_name_both_numbers(void **unused)
{
    (void)unused;
    char message[300] = "?";
    gmc_shape box = {.type = GMC_SHAPE_BOX, .half = {0.05, 0.05, 0.05}};
    gmc_inertia geometry = gmc_inertia_of_shape(&box, 1000),
                given = gmc_inertia_with_mass(&geometry, 0.2);
    assert_false(gmc_inertia_contradicts(&given, &geometry, message, sizeof message));
    given.com.x = 0.02; // a weight inside
    assert_false(gmc_inertia_contradicts(&given, &geometry, message, sizeof message));
    assert_string_equal(message, "?");

    given.com.x = 0.3;
    assert_true(gmc_inertia_contradicts(&given, &geometry, message, sizeof message));
    assert_non_null(strstr(message, "0.3"));
    given = gmc_inertia_with_mass(&geometry, 0.2);
    for (int i = 0; i < 9; i++)
        given.I.m[i] *= 1000; // g·m² for kg·m²
    assert_true(gmc_inertia_contradicts(&given, &geometry, message, sizeof message));
    assert_non_null(strstr(message, "0.333333"));
    assert_non_null(strstr(message, "0.000333333"));
}

static gmc_mat3 second_moments(const gmc_inertia *inertia)
{
    const double *I = inertia->I.m;
    double half = (I[0] + I[4] + I[8]) / 2;
    gmc_mat3 C = gmc_mat3_diagonal(half, half, half);
    return gmc_mat3_add_scaled(&C, -1, &inertia->I);
}

static double apart(const gmc_inertia *a, const gmc_inertia *b)
{
    gmc_mat3 A = second_moments(a), B = second_moments(b);
    double sum = 0;
    for (int i = 0; i < 9; i++)
        sum += (A.m[i] - B.m[i]) * (A.m[i] - B.m[i]);
    return sqrt(sum);
}

// Link 3 of the Puma 560: 0.066 + 0.0125 < 0.086. By hand: second moments 0.01625, -0.00375 and
// 0.06975; the one below zero becomes 1e-4 of the others' sum.
static void the_puma_gets_a_body(void **unused)
{
    (void)unused;
    char message[512];
    const double least = 1e-4 * 0.086;
    const gmc_inertia given = {
        4.8, {-0.0203, -0.0141, 0.070}, gmc_mat3_diagonal(0.066, 0.086, 0.0125)};
    gmc_inertia found;
    assert_int_equal(gmc_inertia_check(&given, message, sizeof message), GMC_E_INPUT);
    assert_true(gmc_inertia_nearest(&given, &found));
    assert_int_equal(gmc_inertia_check(&found, message, sizeof message), GMC_OK);
    const gmc_mat3 expected = gmc_mat3_diagonal(0.06975 + least, 0.086, 0.01625 + least);
    assert_tensor(&found.I, &expected, 1e-16);
    ASSERT_NEAR(found.mass, given.mass, 0);
    ASSERT_NEAR(found.com.z, given.com.z, 0);
}

// Whatever comes: what is possible stays, bit by bit; what is not becomes so, and nothing possible
// that is tried at random lies nearer.
static void nearest_inertias_are_the_nearest(void **unused)
{
    (void)unused;
    support_random random = {4711};
    char message[512];
    int mended = 0;
    for (int k = 0; k < 2000; k++) {
        gmc_mat3 R = gmc_quat_matrix(support_rotation(&random)), D;
        double size = gmc_exp(support_uniform(&random, -20, 5)), d[3];
        for (int i = 0; i < 3; i++)
            d[i] = size * support_uniform(&random, k % 2 ? 0 : -0.3, 1);
        D = gmc_mat3_diagonal(d[0], d[1], d[2]);
        gmc_inertia given = {1, {0, 0, 0}, gmc_mat3_rotate(&R, &D)}, found;
        for (int i = 0; i < 3; i++) // as a file has them
            for (int j = 0; j < i; j++)
                given.I.m[3 * i + j] = given.I.m[3 * j + i];
        if (!gmc_inertia_nearest(&given, &found)) {
            assert_true(fmax(d[0] + d[1] - d[2], fmax(d[1] + d[2] - d[0], d[2] + d[0] - d[1])) <=
                        0);
            continue;
        }
        assert_int_equal(gmc_inertia_check(&found, message, sizeof message), GMC_OK);
        // slender within 1e-4: moved, though no triangle is violated
        if (apart(&given, &found) == 0) continue;
        mended++;
        gmc_inertia again;
        assert_true(gmc_inertia_nearest(&found, &again));
        ASSERT_NEAR(apart(&found, &again), 0, 1e-7 * size); // their sum grew by up to 2e-4
        for (int n = 0; n < 50; n++) {
            gmc_inertia other = found;
            gmc_mat3 turn = gmc_quat_matrix(gmc_quat_exp(
                (gmc_vec3){support_uniform(&random, -1, 1), support_uniform(&random, -1, 1),
                           support_uniform(&random, -1, 1)}));
            gmc_mat3 more = gmc_mat3_diagonal(size * support_uniform(&random, -0.1, 0.1),
                                              size * support_uniform(&random, -0.1, 0.1),
                                              size * support_uniform(&random, -0.1, 0.1));
            more = gmc_mat3_rotate(&turn, &more);
            other.I = gmc_mat3_add_scaled(&other.I, support_uniform(&random, 0, 1), &more);
            double p[3];
            gmc_inertia_principal(&other.I, p);
            if (p[2] > p[0] + p[1] || !(p[0] > 0)) continue; // no body either
            // what is raised to 1e-4 in place of 0 is that much further away
            assert_true(apart(&given, &other) > apart(&given, &found) - 3e-4 * 3 * size);
        }
    }
    assert_true(mended > 500);
}

int test_inertia(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_have_their_closed_forms),
        cmocka_unit_test(capsule_agrees_with_disks),
        cmocka_unit_test(polytope_and_mesh_are_the_box),
        cmocka_unit_test(mesh_far_away_loses_nothing),
        cmocka_unit_test(mesh_flaws_are_told),
        cmocka_unit_test(mesh_without_volume_is_refused),
        cmocka_unit_test(halves_combine_to_the_whole),
        cmocka_unit_test(principal_moments_survive_turning),
        cmocka_unit_test(impossible_inertias_are_named),
        cmocka_unit_test(shapes_may_share_the_mass),
        cmocka_unit_test(contradictions_name_both_numbers),
        cmocka_unit_test(the_puma_gets_a_body),
        cmocka_unit_test(nearest_inertias_are_the_nearest),
    };
    return cmocka_run_group_tests_name("inertia", tests, NULL, NULL);
}

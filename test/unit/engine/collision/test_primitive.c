#include "engine/collision/manifold.h"
#include "engine/collision/primitive.h"
#include "test/support/near.h"
#include "test/support/one_arena.h"
#include "test/support/places.h"
#include "test/support/solids.h"

static support_pair query;
static gmc_manifold m;

static void find(gmc_shape a, gmc_pose X_a, gmc_shape b, gmc_pose X_b)
{
    gmc_arena_reset(&arena, 0);
    assert_true(support_pair_open(&query, a, X_a, b, X_b, 0.1, &arena));
    gmc_primitive_find(&query.pair, &m);
}

static const gmc_vec3 LIE = {GMC_PI / 2, 0, 0};

static void some_pairs_have_a_closed_form(void **unused)
{
    (void)unused;
    for (gmc_shape_type a = 0; a < GMC_SHAPE_SOLID_COUNT; a++) {
        assert_true(gmc_primitive_has(a, GMC_SHAPE_SPHERE));
        assert_true(gmc_primitive_has(GMC_SHAPE_SPHERE, a));
        assert_true(gmc_primitive_has(a, GMC_SHAPE_PLANE));
        assert_true(gmc_primitive_has(GMC_SHAPE_PLANE, a));
    }
    assert_true(gmc_primitive_has(GMC_SHAPE_CAPSULE, GMC_SHAPE_CAPSULE));
    assert_false(gmc_primitive_has(GMC_SHAPE_CAPSULE, GMC_SHAPE_BOX));
    assert_false(gmc_primitive_has(GMC_SHAPE_BOX, GMC_SHAPE_BOX));
    assert_false(gmc_primitive_has(GMC_SHAPE_CYLINDER, GMC_SHAPE_CAPSULE));
}

static void spheres(void **unused)
{
    (void)unused;
    find(support_sphere(1), at(0, 0, 0), support_sphere(0.5), at(0, 1.55, 0));
    assert_int_equal(m.count, 1);
    ASSERT_NEAR(m.points[0].gap, 0.05, 1e-15);
    ASSERT_NEAR(m.n.y, 1, 0);
    ASSERT_NEAR(m.points[0].p.y, 1.025, 1e-15);
    // the other order: the normal turns round, the place stays
    find(support_box(1, 1, 1), at(0, 0, 0), support_sphere(0.5), at(0, 0, 1.45));
    ASSERT_NEAR(m.points[0].gap, -0.05, 1e-15);
    ASSERT_NEAR(m.n.z, 1, 0);
    find(support_sphere(0.5), at(0, 0, 1.45), support_box(1, 1, 1), at(0, 0, 0));
    ASSERT_NEAR(m.n.z, -1, 0);
    ASSERT_NEAR(m.points[0].p.z, 0.975, 1e-15);
    find(support_sphere(0.5), at(0, 0, 2), support_box(1, 1, 1), at(0, 0, 0));
    assert_int_equal(m.count, 0);
}

static void things_rest_on_planes(void **unused)
{
    (void)unused;
    find(support_plane(), at(0, 0, 0), support_box(0.2, 0.3, 0.4), at(0, 0, 0.41));
    assert_int_equal(m.count, 4);
    ASSERT_NEAR(m.n.z, 1, 0);
    for (int i = 0; i < 4; i++) {
        ASSERT_NEAR(m.points[i].gap, 0.01, 1e-15);
        ASSERT_NEAR(m.points[i].p.z, 0.005, 1e-15);
        ASSERT_NEAR(fabs(m.points[i].p.x), 0.2, 1e-15);
    }
    // thinner than the margin: the four below, not those above them
    find(support_plane(), at(0, 0, 0), support_box(0.2, 0.3, 0.01),
         turned(0, 0, 0.02, (gmc_vec3){0.01, 0.01, 0}));
    assert_int_equal(m.count, 4);
    for (int i = 0; i < 4; i++)
        assert_int_equal(m.points[i].feature & 4, 0);
    find(support_capsule(0.1, 0.5), turned(0, 0, 0.09, LIE), support_plane(), at(0, 0, 0));
    assert_int_equal(m.count, 2);
    ASSERT_NEAR(m.n.z, -1, 0);
    ASSERT_NEAR(m.points[0].gap, -0.01, 1e-15);
    find(support_capsule(0.1, 0.5), at(0, 0, 0.6), support_plane(), at(0, 0, 0));
    assert_int_equal(m.count, 1);
    find(support_plane(), at(0, 0, 0), support_cylinder(0.2, 0.3), at(0, 0, 0.3));
    assert_int_equal(m.count, 4);
    find(support_plane(), at(0, 0, 0), support_cylinder(0.2, 0.3), turned(0, 0, 0.2, LIE));
    assert_int_equal(m.count, 2);
    find(support_plane(), at(0, 0, 0), support_cylinder(0.2, 0.3),
         turned(0, 0, 0.36, (gmc_vec3){0.6, 0, 0}));
    assert_int_equal(m.count, 1);
    ASSERT_NEAR(m.points[0].gap, 0.36 - 0.3 * gmc_cos(0.6) - 0.2 * gmc_sin(0.6), 1e-15);
}

static void capsules(void **unused)
{
    (void)unused;
    gmc_shape rod = support_capsule(0.1, 0.5), short_rod = support_capsule(0.1, 0.2);
    // across
    find(rod, at(0, 0, 0), rod, turned(0.25, 0, 0.1, LIE));
    assert_int_equal(m.count, 1);
    ASSERT_NEAR(m.points[0].gap, 0.05, 1e-15);
    ASSERT_NEAR(m.n.x, 1, 1e-15);
    // along, one shorter and shifted: ends of the common length, named by whose ends they are
    find(rod, at(0, 0, 0), short_rod, at(0.2, 0, 0.4));
    assert_int_equal(m.count, 2);
    assert_int_equal(m.points[0].feature, gmc_pair_feature(GMC_FEATURE_VERTEX_A, 1, 0));
    assert_int_equal(m.points[1].feature, gmc_pair_feature(GMC_FEATURE_VERTEX_B, 0, 0));
    ASSERT_NEAR(m.points[0].p.z, 0.5, 1e-15);
    ASSERT_NEAR(m.points[1].p.z, 0.2, 1e-15);
    // the other way round
    find(rod, at(0, 0, 0), short_rod, turned(0.2, 0, 0.4, (gmc_vec3){GMC_PI, 0, 0}));
    assert_int_equal(m.points[1].feature, gmc_pair_feature(GMC_FEATURE_VERTEX_B, 0, 1));
    // end to end
    find(rod, at(0, 0, 0), rod, at(0, 0, 1.25));
    assert_int_equal(m.count, 1);
    ASSERT_NEAR(m.points[0].gap, 0.05, 1e-15);
    ASSERT_NEAR(m.n.z, 1, 1e-15);
    // through each other: some direction across both
    find(rod, at(0, 0, 0), rod, turned(0, 0, 0.1, LIE));
    ASSERT_NEAR(m.points[0].gap, -0.2, 1e-15);
    ASSERT_NEAR(fabs(m.n.x), 1, 1e-15);
    find(rod, at(0, 0, 0), rod, at(0, 0, 0.1));
    ASSERT_NEAR(m.points[0].gap, -0.2, 1e-15);
    ASSERT_NEAR(m.n.z, 0, 1e-15);
}

// A lying capsule whose ends fall together with those of its neighbour: either may name them, but
// not in turns.
static void equal_ends_keep_their_owner(void **unused)
{
    (void)unused;
    gmc_shape rod = support_capsule(0.1, 0.5);
    gmc_arena_reset(&arena, 0);
    assert_true(support_pair_open(&query, rod, at(0, 0, 0), rod, at(0.2, 0, 1e-3), 0.1, &arena));
    gmc_primitive_find(&query.pair, &m);
    gmc_manifold_remember(&query.pair, &m);
    gmc_manifold first = m;
    for (int k = 0; k < 100; k++) {
        query.pair.b.X.p.z = 2e-5 * ((k & 1) - 0.5);
        gmc_primitive_find(&query.pair, &m);
        gmc_manifold_remember(&query.pair, &m);
        for (int i = 0; i < 2; i++)
            assert_int_equal(m.points[i].feature, first.points[i].feature);
    }
}

int test_primitive(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(some_pairs_have_a_closed_form), cmocka_unit_test(spheres),
        cmocka_unit_test(things_rest_on_planes),         cmocka_unit_test(capsules),
        cmocka_unit_test(equal_ends_keep_their_owner),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}

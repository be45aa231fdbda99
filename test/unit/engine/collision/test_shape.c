#include "engine/collision/pair.h"
#include "engine/collision/shape.h"
#include "test/support/near.h"
#include "test/support/solids.h"

#include <string.h>

typedef struct bench {
    support_hulls hulls;
    support_random random;
    gmc_arena arena;
} bench;

static bench the = {.random = {17}};

static int open_bench(void **unused)
{
    (void)unused;
    return support_hulls_create(&the.hulls) && gmc_arena_create(&the.arena, 1 << 20) == GMC_OK ? 0
                                                                                               : -1;
}

static int close_bench(void **unused)
{
    (void)unused;
    support_hulls_free(&the.hulls);
    gmc_arena_free(&the.arena);
    return 0;
}

static const gmc_shape_type BOUNDED[] = {GMC_SHAPE_SPHERE, GMC_SHAPE_CAPSULE, GMC_SHAPE_BOX,
                                         GMC_SHAPE_CYLINDER, GMC_SHAPE_POLYTOPE};

/// A solid with its table, in the arena.
static gmc_solid solid_of(const gmc_shape *shape, gmc_pose X)
{
    gmc_hull_table *table = GMC_NEW(&the.arena, 1, gmc_hull_table);
    assert_non_null(table);
    if (shape->type == GMC_SHAPE_POLYTOPE)
        assert_int_equal(gmc_shape_table(shape->polytope, &the.arena, table), GMC_OK);
    return (gmc_solid){.shape = shape, .table = table, .X = X};
}

static gmc_pose random_pose(void)
{
    return gmc_pose_make(support_rotation(&the.random), support_direction(&the.random));
}

static void supports_are_farthest(void **unused)
{
    (void)unused;
    for (int k = 0; k < 2000; k++) {
        gmc_shape shape = support_shape(&the.random, BOUNDED[k % 5], &the.hulls);
        gmc_arena_reset(&the.arena, 0);
        gmc_solid solid = solid_of(&shape, random_pose());
        gmc_vec3 d =
            gmc_vec3_scale(support_uniform(&the.random, 0.01, 3), support_direction(&the.random));
        // climbing may start anywhere, also outside of the numbering
        int hint = support_index(&the.random, 200) - 50;
        gmc_vec3 p = gmc_shape_support(&solid, d, &hint), q = support_farthest(&shape, &solid.X, d);
        ASSERT_NEAR(gmc_vec3_dot(d, p), gmc_vec3_dot(d, q), 1e-14); // |d| |p| of a few
        ASSERT_BELOW(support_outside(&shape, &solid.X, p), 1e-14);
        if (shape.type == GMC_SHAPE_BOX || shape.type == GMC_SHAPE_POLYTOPE) {
            gmc_vec3 v = gmc_shape_vertex(&solid, hint);
            ASSERT_NEAR(gmc_vec3_norm(gmc_vec3_sub(v, p)), 0, 0);
        }
    }
}

// Along its own axis a cylinder has no farthest rim point; whatever is given must be a point of it.
static void a_cylinders_support_along_its_axis_is_on_it(void **unused)
{
    (void)unused;
    for (int k = 0; k < 500; k++) {
        gmc_shape shape = support_shape(&the.random, GMC_SHAPE_CYLINDER, &the.hulls);
        gmc_arena_reset(&the.arena, 0);
        gmc_solid solid = solid_of(&shape, random_pose());
        gmc_vec3 axis = gmc_mat3_column(&solid.X.R, 2);
        gmc_vec3 d = gmc_vec3_add_scaled(axis, 1e-16 * support_index(&the.random, 5),
                                         support_direction(&the.random));
        gmc_vec3 p = gmc_shape_support(&solid, d, NULL);
        ASSERT_BELOW(support_outside(&shape, &solid.X, p), 1e-14);
        ASSERT_NEAR(gmc_vec3_dot(axis, gmc_vec3_sub(p, solid.X.p)), shape.half_length, 1e-14);
    }
}

static void bounds_hold_the_shape(void **unused)
{
    (void)unused;
    for (int k = 0; k < 1000; k++) {
        gmc_shape shape = support_shape(&the.random, BOUNDED[k % 5], &the.hulls);
        gmc_arena_reset(&the.arena, 0);
        gmc_solid solid = solid_of(&shape, random_pose());
        gmc_aabb box = gmc_shape_aabb(&shape, solid.table, &solid.X);
        gmc_vec3 centre = gmc_pose_apply(&solid.X, gmc_shape_centre(&shape));
        double radius = gmc_shape_radius(&shape);
        for (int axis = 0; axis < 6; axis++) {
            double sign = axis < 3 ? 1 : -1;
            gmc_vec3 d = {axis % 3 == 0 ? sign : 0, axis % 3 == 1 ? sign : 0,
                          axis % 3 == 2 ? sign : 0};
            double far = gmc_vec3_dot(d, support_farthest(&shape, &solid.X, d));
            double bound = gmc_vec3_dot(d, sign > 0 ? box.hi : box.lo);
            assert_true(bound >= far - 1e-15);
            if (shape.type != GMC_SHAPE_POLYTOPE) ASSERT_NEAR(bound, far, 1e-14);
        }
        for (int i = 0; i < 20; i++) {
            gmc_vec3 p = support_farthest(&shape, &solid.X, support_direction(&the.random));
            assert_true(gmc_vec3_norm(gmc_vec3_sub(p, centre)) <= radius + 1e-14);
        }
    }
}

// Points all round the outline lie within the bounds and the ball, some touch each side of a
// polygon's and a circle's bounds.
static void planar_bounds_hold_the_outline(void **unused)
{
    (void)unused;
    enum { ROUND = 400 };
    const gmc_vec2 corners[] = {{0.1, -0.2}, {0.5, 0}, {0.4, 0.3}, {0, 0.1}};
    const gmc_polygon_piece piece = {
        .count = 4, .vertices = corners, .centre = {0.25, 0.05}, .radius = 0.36};
    const gmc_shape shapes[] = {
        {.type = GMC_SHAPE_POLYGON, .polygon = &piece, .scale = 2},
        {.type = GMC_SHAPE_CIRCLE, .radius = 0.3},
        {.type = GMC_SHAPE_SUPER_ELLIPSE, .half = {0.4, 0.1, 0}, .exponent = 6},
        {.type = GMC_SHAPE_SUPER_ELLIPSE, .half = {0.4, 0.1, 0}, .exponent = 1.5},
    };
    for (int k = 0; k < GMC_COUNT(shapes); k++) {
        const gmc_shape *shape = &shapes[k];
        gmc_pose X = gmc_pose_make(gmc_quat_exp((gmc_vec3){0, 0, 0.7}), (gmc_vec3){1, 2, 0});
        gmc_aabb box = gmc_shape_aabb(shape, NULL, &X);
        gmc_vec3 centre = gmc_pose_apply(&X, gmc_shape_centre(shape)), lo = box.hi, hi = box.lo;
        for (int i = 0; i < ROUND; i++) {
            double angle = 2 * GMC_PI * i / ROUND, x = cos(angle), y = sin(angle);
            gmc_vec3 p = {shape->radius * x, shape->radius * y, 0};
            if (shape->type == GMC_SHAPE_SUPER_ELLIPSE) {
                double e = 2 / shape->exponent;
                p.x = copysign(shape->half.x * pow(fabs(x), e), x);
                p.y = copysign(shape->half.y * pow(fabs(y), e), y);
            } else if (shape->type == GMC_SHAPE_POLYGON) {
                p = (gmc_vec3){2 * corners[i % 4].x, 2 * corners[i % 4].y, 0};
            }
            p = gmc_pose_apply(&X, p);
            lo = (gmc_vec3){fmin(lo.x, p.x), fmin(lo.y, p.y), 0};
            hi = (gmc_vec3){fmax(hi.x, p.x), fmax(hi.y, p.y), 0};
            assert_true(gmc_vec3_norm(gmc_vec3_sub(p, centre)) <=
                        gmc_shape_radius(shape) * (1 + 1e-12));
        }
        assert_true(lo.x >= box.lo.x - 1e-15);
        assert_true(hi.x <= box.hi.x + 1e-15);
        assert_true(lo.y >= box.lo.y - 1e-15);
        assert_true(hi.y <= box.hi.y + 1e-15);
        if (shape->type == GMC_SHAPE_SUPER_ELLIPSE) continue;
        // between two of the points of a circle lies at most r (pi / ROUND)² / 2
        ASSERT_NEAR(lo.x, box.lo.x, 1e-4);
        ASSERT_NEAR(hi.y, box.hi.y, 1e-4);
    }
}

static void planes_are_bounded_along_axes_only(void **unused)
{
    (void)unused;
    gmc_shape plane = support_plane();
    gmc_pose X = {gmc_mat3_identity(), {1, 2, 3}};
    gmc_aabb box = gmc_shape_aabb(&plane, NULL, &X);
    assert_true(box.hi.z == 3);
    assert_true(isinf(box.lo.z));
    assert_true(isinf(box.hi.x));
    assert_true(isinf(box.lo.y));
    X.R = (gmc_mat3){{0, 0, -1, 0, 1, 0, 1, 0, 0}}; // z along -x
    box = gmc_shape_aabb(&plane, NULL, &X);
    assert_true(box.lo.x == 1);
    assert_true(isinf(box.hi.x));
    assert_true(isinf(box.hi.z));
    X.R = (gmc_mat3){{1, 0, 0, 0, 0, 1, 0, -1, 0}}; // z along y
    box = gmc_shape_aabb(&plane, NULL, &X);
    assert_true(box.hi.y == 2);
    assert_true(isinf(box.lo.y));
    X.R = gmc_quat_matrix(gmc_quat_exp((gmc_vec3){1e-9, 0, 0}));
    box = gmc_shape_aabb(&plane, NULL, &X);
    assert_true(isinf(box.hi.z));
    assert_true(isinf(box.lo.z));
    assert_true(isinf(gmc_shape_radius(&plane)));
}

// Faces: loops counter-clockwise seen from outside, offsets at their vertices, all vertices behind;
// each edge in two faces and with a name of its own.
static void faces_and_edges_fit_together(void **unused)
{
    (void)unused;
    gmc_shape box = support_box(0.01, 0.02, 0.03), hull = support_polytope(the.hulls.cloud, 0.02),
              can = support_polytope(the.hulls.can, 0.02);
    const gmc_shape *shapes[] = {&box, &hull, &can};
    for (int k = 0; k < 3; k++) {
        gmc_arena_reset(&the.arena, 0);
        gmc_solid solid = solid_of(shapes[k], random_pose());
        static unsigned char seen[4096];
        memset(seen, 0, sizeof seen);
        int edges = 0;
        for (int f = 0; f < gmc_shape_face_count(&solid); f++) {
            int count;
            const int *loop = gmc_shape_face_loop(&solid, f, &count);
            gmc_vec3 n = gmc_shape_face_normal(&solid, f);
            double offset = gmc_shape_face_offset(&solid, f, n);
            for (int v = 0; v < gmc_shape_vertex_count(&solid); v++)
                assert_true(gmc_vec3_dot(n, gmc_shape_vertex(&solid, v)) <= offset + 1e-14);
            for (int i = 0; i < count; i++) {
                int from = loop[i], to = loop[(i + 1) % count], after = loop[(i + 2) % count];
                gmc_vec3 p = gmc_shape_vertex(&solid, from), q = gmc_shape_vertex(&solid, to),
                         r = gmc_shape_vertex(&solid, after);
                ASSERT_NEAR(gmc_vec3_dot(n, p), offset, 1e-14);
                gmc_vec3 turn = gmc_vec3_cross(gmc_vec3_sub(q, p), gmc_vec3_sub(r, q));
                assert_true(gmc_vec3_dot(turn, n) > 0);
                int id = gmc_shape_edge_id(&solid, from, to);
                assert_true(id >= 0);
                assert_true(id < GMC_COUNT(seen));
                assert_int_equal(id, gmc_shape_edge_id(&solid, to, from));
                assert_true(++seen[id] <= 2);
                edges++;
                // the face is among those at its vertices
                assert_int_equal(gmc_shape_face_towards(&solid, from, n), f);
            }
        }
        int twice = 0;
        for (int id = 0; id < GMC_COUNT(seen); id++)
            twice += seen[id] == 2;
        assert_int_equal(2 * twice, edges);
    }
    gmc_solid solid = solid_of(&box, gmc_pose_identity());
    assert_int_equal(gmc_shape_edge_id(&solid, 0, 7), -1);
    assert_int_equal(gmc_shape_edge_id(&solid, 3, 3), -1);
}

static void a_table_needs_room(void **unused)
{
    (void)unused;
    gmc_hull_table table;
    gmc_arena tiny;
    assert_int_equal(gmc_arena_create(&tiny, 64), GMC_OK);
    assert_int_equal(gmc_shape_table(the.hulls.cloud, &tiny, &table), GMC_E_ARENA_FULL);
    gmc_arena_free(&tiny);
}

// F5: any number of vertices and edges has names of its own, in the order of their numbers.
static void names_tell_fine_shapes_apart(void **unused)
{
    (void)unused;
    const int numbers[] = {0, 1, 0x7fff, 0x8000, 0x10000, 0x7ffffffe};
    uint64_t before = 0;
    for (unsigned kind = GMC_FEATURE_VERTEX_A; kind <= GMC_FEATURE_WITNESS; kind++)
        for (int a = 0; a < GMC_COUNT(numbers); a++)
            for (int b = 0; b < GMC_COUNT(numbers); b++) {
                uint64_t name = gmc_pair_feature(kind, numbers[a], numbers[b]);
                assert_true(kind + (unsigned)a + (unsigned)b == 0 || name > before);
                assert_int_equal(gmc_pair_kind(name), kind);
                before = name;
            }
}

int test_shape(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(supports_are_farthest),
        cmocka_unit_test(a_cylinders_support_along_its_axis_is_on_it),
        cmocka_unit_test(bounds_hold_the_shape),
        cmocka_unit_test(planar_bounds_hold_the_outline),
        cmocka_unit_test(planes_are_bounded_along_axes_only),
        cmocka_unit_test(faces_and_edges_fit_together),
        cmocka_unit_test(a_table_needs_room),
        cmocka_unit_test(names_tell_fine_shapes_apart),
    };
    return cmocka_run_group_tests(tests, open_bench, close_bench);
}

// Flush geoms of one rigid set as one surface: whatever comes near several plates that are flush
// is told what one plate in their place would tell, and what is a step, a wall or an edge is not
// lost.
#include "engine/collision/flush.h"
#include "test/support/colliding.h"

/// A geom of body 1, which holds everything that is one; body 2 is what touches it.
static void add(gmc_shape shape, gmc_pose X)
{
    int g = the.geoms->model.geom_count;
    support_geoms_add(the.geoms, shape, gmc_pose_identity());
    the.geoms->geoms[g].body = 1;
    the.geoms->geoms[g].X_bg = X;
}

static void add_box(double x, double y, double z, double hx, double hy, double hz)
{
    gmc_pose X = gmc_pose_identity();
    X.p = (gmc_vec3){x, y, z};
    add(support_box(hx, hy, hz), X);
}

static void finish(gmc_shape other)
{
    int g = the.geoms->model.geom_count;
    support_geoms_add(the.geoms, other, gmc_pose_identity());
    the.geoms->geoms[g].body = 2;
    create();
}

static void look(gmc_pose X, double reach)
{
    the.geoms->X_wb[2] = X;
    find(NULL, 0, reach);
}

static double deepest(void)
{
    double gap = INFINITY;
    for (int i = 0; i < the.count; i++)
        gap = fmin(gap, the.points[i].gap);
    return gap;
}

/// 2 x 2 plates of 0.2 m and 20 mm, or one of 0.4 m, tops at z = 0.
static void add_plates(bool is_one)
{
    if (is_one) add_box(0, 0, -0.01, 0.2, 0.2, 0.01);
    for (int k = 0; k < 4 && !is_one; k++)
        add_box(k & 1 ? 0.1 : -0.1, k & 2 ? 0.1 : -0.1, -0.01, 0.1, 0.1, 0.01);
}

/// A pose near the seams, in which the lowest point is at `height`.
static gmc_pose pose_above(const gmc_shape *shape, double height, bool is_level)
{
    gmc_pose X = gmc_pose_identity();
    gmc_quat yaw = gmc_quat_exp((gmc_vec3){0, 0, support_uniform(&the.random, -3, 3)});
    X.R = gmc_quat_matrix(is_level ? yaw : support_rotation(&the.random));
    gmc_vec3 low = support_farthest(shape, &X, (gmc_vec3){0, 0, -1});
    X.p = (gmc_vec3){support_uniform(&the.random, -0.02, 0.02),
                     support_uniform(&the.random, -0.02, 0.02), height - low.z};
    return X;
}

/// Every shape, level and tilted, a little above the seams and a little below: the deepest point is
/// as deep as on one plate, and none pushes sideways.
static void test_d4_four_plates_tell_what_one_does(void **unused)
{
    (void)unused;
    static const gmc_shape_type types[] = {GMC_SHAPE_SPHERE, GMC_SHAPE_CAPSULE, GMC_SHAPE_BOX,
                                           GMC_SHAPE_CYLINDER, GMC_SHAPE_POLYTOPE};
    for (int i = 0; i < 4000; i++) {
        gmc_shape shape = support_shape(&the.random, types[i % 5], &the.hulls);
        double height = support_uniform(&the.random, -2e-6, 1e-6);
        gmc_pose X = pose_above(&shape, height, i & 8);
        double gap[2], side = 0;
        for (int k = 0; k < 2; k++) {
            support_geoms_clear(the.geoms);
            add_plates(k == 0);
            finish(shape);
            look(X, 1e-3);
            assert_true(the.count > 0);
            gap[k] = deepest();
            for (int c = 0; c < the.count; c++)
                side =
                    fmax(side, gmc_vec3_norm((gmc_vec3){the.points[c].n.x, the.points[c].n.y, 0}));
        }
        ASSERT_NEAR(gap[1], gap[0], 1e-8); // a face tilted by less than GMC_PAIR_EDGE_MARGIN
        ASSERT_NEAR(side, 0, 1e-3);        // as flush.c takes normals as one
    }
}

/// Floor and walls of a bin, their outer sides flush; each alone tells what it tells here.
static const double BIN[5][6] = {{0, 0, -0.01, 0.1, 0.1, 0.01},
                                 {0.09, 0, 0.05, 0.01, 0.1, 0.05},
                                 {-0.09, 0, 0.05, 0.01, 0.1, 0.05},
                                 {0, 0.09, 0.05, 0.08, 0.01, 0.05},
                                 {0, -0.09, 0.05, 0.08, 0.01, 0.05}};

static void add_of_bin(int k)
{
    const double *b = BIN[k];
    add_box(b[0], b[1], b[2], b[3], b[4], b[5]);
}

/// Every shape, in the corner of floor and walls, a little apart or overlapping with each.
static void test_d4_a_bin_keeps_its_walls(void **unused)
{
    (void)unused;
    static const gmc_shape_type types[] = {GMC_SHAPE_SPHERE, GMC_SHAPE_CAPSULE, GMC_SHAPE_BOX,
                                           GMC_SHAPE_CYLINDER, GMC_SHAPE_POLYTOPE};
    for (int i = 0; i < 2000; i++) {
        gmc_shape shape = support_shape(&the.random, types[i % 5], &the.hulls);
        gmc_pose X = pose_above(&shape, support_uniform(&the.random, -2e-6, 1e-6), i & 8);
        double right = support_farthest(&shape, &X, (gmc_vec3){1, 0, 0}).x,
               back = support_farthest(&shape, &X, (gmc_vec3){0, 1, 0}).y;
        X.p.x += 0.08 - right + support_uniform(&the.random, -2e-6, 1e-6);
        if (i & 16) X.p.y += 0.08 - back + support_uniform(&the.random, -2e-6, 1e-6);
        int of_each = 0;
        gmc_contact_point alone[64];
        for (int k = 0; k < 5; k++) {
            support_geoms_clear(the.geoms);
            add_of_bin(k);
            finish(shape);
            look(X, 1e-3);
            for (int c = 0; c < the.count; c++)
                alone[of_each++] = the.points[c];
        }
        support_geoms_clear(the.geoms);
        for (int k = 0; k < 5; k++)
            add_of_bin(k);
        finish(shape);
        look(X, 1e-3);
        assert_int_equal(the.count, of_each);
        for (int c = 0; c < the.count; c++) {
            assert_int_equal(the.points[c].feature, alone[c].feature);
            assert_true(gmc_vec3_norm(gmc_vec3_sub(the.points[c].n, alone[c].n)) == 0);
            assert_true(the.points[c].gap == alone[c].gap);
        }
    }
}

/// An edge of 0.5 mm and more stops a block that reaches into it by its elastic overlap; one that
/// is flush does not.
static void test_d4_a_step_is_a_wall(void **unused)
{
    (void)unused;
    for (int i = 0; i < 100; i++) {
        double height = i == 0 ? 1e-5 : support_uniform(&the.random, 5e-4, 0.05);
        support_geoms_clear(the.geoms);
        add_box(-0.1, 0, -0.01, 0.1, 0.2, 0.01);
        add_box(0.1, 0, height - 0.06, 0.1, 0.2, 0.06);
        finish(support_box(0.03, 0.02, 0.01));
        gmc_pose X = gmc_pose_identity();
        X.p = (gmc_vec3){-0.03 - support_uniform(&the.random, 0, 1e-4), 0, 0.01 - 1e-6};
        look(X, 1e-3);
        int walls = 0;
        for (int c = 0; c < the.count; c++)
            walls += fabs(the.points[c].n.x) == 1;
        assert_true(i == 0 ? walls == 0 : walls >= 2);
    }
}

int test_flush(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_d4_four_plates_tell_what_one_does),
        cmocka_unit_test(test_d4_a_bin_keeps_its_walls),
        cmocka_unit_test(test_d4_a_step_is_a_wall),
    };
    return cmocka_run_group_tests(tests, open_colliding, close_colliding);
}

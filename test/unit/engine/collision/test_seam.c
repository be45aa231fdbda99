// Pieces of one body as one surface: no leaning normals at seams, no doubled points, and corners
// that are really there keep what they need.
#include "engine/collision/seam.h"
#include "test/support/colliding.h"

/// Cubes of 20 mm on body 1, their centres given in mm, and one other body.
static void build(const double (*centres)[3], int count, gmc_shape other)
{
    support_geoms_clear(the.geoms);
    for (int i = 0; i < count; i++) {
        support_geoms_add(the.geoms, support_polytope(the.hulls.cube, 0.01), gmc_pose_identity());
        gmc_geom *g = &the.geoms->geoms[i];
        g->body = 1;
        g->X_bg.p = gmc_vec3_scale(1e-3, (gmc_vec3){centres[i][0], centres[i][1], centres[i][2]});
    }
    support_geoms_add(the.geoms, other, gmc_pose_identity());
    the.geoms->geoms[count].body = 2;
    create();
}

/// Points within 1 mm with the other body's centre at (x, y, z) mm.
static void look(double x, double y, double z)
{
    the.geoms->X_wb[2].p = gmc_vec3_scale(1e-3, (gmc_vec3){x, y, z});
    find(NULL, 0, 1e-3);
}

static const double FLOOR[4][3] = {{-10, -10, -10}, {10, -10, -10}, {-10, 10, -10}, {10, 10, -10}};

static void a_ball_crosses_a_seam(void **unused)
{
    (void)unused;
    build(FLOOR, 4, support_sphere(0.005));
    for (int i = -300; i <= 300; i++) {
        // 10 um deep: the edges of the neighbours are within reach up to 3 mm to either side
        look(0.01 * i, 0.003 * i, 5 - 0.01);
        assert_int_equal(the.count, 1);
        assert_true(the.points[0].n.z == 1);
        ASSERT_NEAR(the.points[0].gap, -1e-5, 1e-17); // rounding
    }
}

static void a_box_stands_on_four_pieces(void **unused)
{
    (void)unused;
    build(FLOOR, 4, support_box(0.008, 0.006, 0.01));
    for (int i = -20; i <= 20; i++) {
        look(0.05 * i, 0.03 * i, 10 - 0.001);
        assert_int_equal(the.count, 4);
        for (int k = 0; k < 4; k++) { // the corners of the box, wherever the seams are
            gmc_vec3 p = the.points[k].p;
            assert_true(the.points[k].n.z == 1);
            ASSERT_NEAR(fabs(p.x - 5e-5 * i), 0.008, 1e-15);
            ASSERT_NEAR(fabs(p.y - 3e-5 * i), 0.006, 1e-15);
        }
    }
}

static void identities_last_while_it_stands(void **unused)
{
    (void)unused;
    build(FLOOR, 4, support_box(0.008, 0.006, 0.01));
    look(1, 1, 10 - 0.001);
    gmc_contact_point before[4];
    for (int k = 0; k < 4; k++)
        before[k] = the.points[k];
    for (int i = 0; i < 50; i++) { // elastic motion of what rests: micrometres
        look(1 + 1e-3 * (i % 7), 1 - 1e-3 * (i % 5), 10 - 0.001 + 1e-4 * (i % 3));
        assert_int_equal(the.count, 4);
        for (int k = 0; k < 4; k++) {
            assert_int_equal(the.points[k].geom_a, before[k].geom_a);
            assert_int_equal(the.points[k].feature, before[k].feature);
        }
    }
}

static void an_edge_dips_in_beside_a_seam(void **unused)
{
    (void)unused;
    // its edge reaches over the seam by less than it is deep: alone the cube there would push it
    // back
    build(FLOOR, 4, support_box(0.006, 0.006, 0.005));
    look(6 - 0.005, 10, 5 - 0.02);
    assert_true(the.count > 0);
    for (int k = 0; k < the.count; k++)
        assert_true(the.points[k].n.z == 1);
}

static void a_real_corner_stays(void **unused)
{
    (void)unused;
    static const double ELL[3][3] = {{-10, 0, -10}, {10, 0, -10}, {-10, 0, 10}};
    build(ELL, 3, support_box(0.005, 0.005, 0.005));
    look(5 - 0.001, 0, 5 - 0.001);
    int up = 0, away = 0;
    for (int k = 0; k < the.count; k++) {
        up += the.points[k].n.z == 1;
        away += the.points[k].n.x == 1;
    }
    assert_int_equal(up, 4);
    assert_int_equal(away, 4);
    assert_int_equal(the.count, 8);
}

static int points_of(int geom)
{
    int count = 0;
    for (int k = 0; k < the.count; k++)
        count += the.points[k].geom_a == geom;
    return count;
}

// A plate on a block in the middle that stands out by less than a choice by extent asks for: it
// bears the plate before the outer ones do, and once they come in, for as long as it is pressed.
static void what_is_pressed_stays(void **unused)
{
    (void)unused;
    static const double BLOCKS[5][3] = {
        {-40, -20, -10}, {-40, 20, -10}, {40, -20, -10}, {40, 20, -10}, {0, 0, -10 + 3e-4}};
    build(BLOCKS, 5, support_box(0.035, 0.025, 0.005));
    for (int turn = 0; turn < 2; turn++) { // the second time without overlap in the middle
        look(-10, 0, 5 - 1e-3);
        assert_int_equal(points_of(4), 2);
        look(0, 0, turn == 0 ? 5 - 1e-3 : 5 + 4e-4);
        assert_int_equal(points_of(4), turn == 0 ? 2 : 0);
        assert_int_equal(the.count - points_of(4), 4);
    }
}

int test_seam(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_crosses_a_seam),
        cmocka_unit_test(a_box_stands_on_four_pieces),
        cmocka_unit_test(what_is_pressed_stays),
        cmocka_unit_test(identities_last_while_it_stands),
        cmocka_unit_test(an_edge_dips_in_beside_a_seam),
        cmocka_unit_test(a_real_corner_stays),
    };
    return cmocka_run_group_tests(tests, open_colliding, close_colliding);
}

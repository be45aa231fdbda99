#include "test/support/gantry.h"
#include "test/support/near.h"
#include "test/support/one_jacobian.h"

static const gmc_vec3 AXES[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

typedef struct scene {
    gmc_arena arena;
    gmc_model model;
    gmc_kinematics kin;
    int columns[8];
    double J[24];
} scene;

static void scene_open(scene *s)
{
    const double q[] = {1, 0, 0, 0, 0, 1, 0, 0, 0};
    assert_int_equal(gmc_arena_create(&s->arena, 1 << 16), GMC_OK);
    assert_int_equal(support_gantry(&s->arena, &s->model, &s->kin), GMC_OK);
    gmc_kinematics_update(&s->model, q, NULL, &s->kin);
}

static int rows(scene *s, int a, int b, gmc_vec3 p)
{
    return support_jacobian(&s->model, &s->kin, a, b, p, AXES, s->columns, s->J);
}

static void assert_column(const scene *s, int k, int dof, double x, double y, double z)
{
    assert_int_equal(s->columns[k], dof);
    ASSERT_NEAR(s->J[3 * k], x, 1e-15);
    ASSERT_NEAR(s->J[3 * k + 1], y, 1e-15);
    ASSERT_NEAR(s->J[3 * k + 2], z, 1e-15);
}

static void bob_against_the_world(void **unused)
{
    (void)unused;
    scene s;
    scene_open(&s);
    gmc_vec3 tip = {1, 0, -0.4};
    assert_int_equal(rows(&s, 0, 2, tip), 2);
    assert_column(&s, 0, 0, 1, 0, 0);
    assert_column(&s, 1, 1, -0.4, 0, 0);
    assert_int_equal(rows(&s, 2, 0, tip), 2); // seen the other way round
    assert_column(&s, 0, 0, -1, 0, 0);
    assert_column(&s, 1, 1, 0.4, 0, 0);
    gmc_arena_free(&s.arena);
}

// What moves both bodies alike does not appear.
static void bob_against_the_cart(void **unused)
{
    (void)unused;
    scene s;
    scene_open(&s);
    assert_int_equal(rows(&s, 1, 2, (gmc_vec3){1, 0, -0.4}), 1);
    assert_column(&s, 0, 1, -0.4, 0, 0);
    assert_int_equal(rows(&s, 2, 2, (gmc_vec3){1, 0, 0}), 0);
    assert_int_equal(rows(&s, 0, 0, (gmc_vec3){1, 0, 0}), 0);
    gmc_arena_free(&s.arena);
}

static void brick_turns_about_its_centre(void **unused)
{
    (void)unused;
    scene s;
    scene_open(&s);
    gmc_vec3 p = {0.5, 0, 2}; // 2 m above the brick's centre of mass
    for (int turn = 0; turn < 2; turn++) {
        double sign = turn ? -1 : 1;
        assert_int_equal(turn ? rows(&s, 3, 2, p) : rows(&s, 2, 3, p), 8);
        assert_int_equal(s.columns[0], 0);
        assert_int_equal(s.columns[1], 1);
        assert_column(&s, 2, 2, sign, 0, 0);
        assert_column(&s, 4, 4, 0, 0, sign);
        assert_column(&s, 5, 5, 0, -2 * sign, 0);
        assert_column(&s, 6, 6, 2 * sign, 0, 0);
        assert_column(&s, 7, 7, 0, 0, 0);
    }
    gmc_arena_free(&s.arena);
}

int test_jacobian(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bob_against_the_world),
        cmocka_unit_test(bob_against_the_cart),
        cmocka_unit_test(brick_turns_about_its_centre),
    };
    return cmocka_run_group_tests_name("jacobian", tests, NULL, NULL);
}

#include "engine/dynamics/rnea.h"
#include "test/support/gantry.h"
#include "test/support/near.h"

typedef struct scene {
    gmc_arena arena, scratch;
    gmc_model model;
    gmc_kinematics kin;
} scene;

static void scene_open(scene *s)
{
    assert_int_equal(gmc_arena_create(&s->arena, 1 << 16), GMC_OK);
    assert_int_equal(support_gantry(&s->arena, &s->model, &s->kin), GMC_OK);
    assert_int_equal(gmc_arena_create(&s->scratch, 1 << 14), GMC_OK);
}

static void scene_close(scene *s)
{
    gmc_arena_free(&s->arena);
    gmc_arena_free(&s->scratch);
}

// With c = cos, s = sin of the angle, the bob at (-l s, -l c) from the cart:
//   f = (m1 + m2 + armature) x'' - m2 l c a'' + m2 l s a'²
//   n = (I + m2 l²) a'' - m2 l c x'' + m2 g l s
static void cart_and_pendulum_by_hand(void **unused)
{
    (void)unused;
    const double angle = 0.7, q[] = {1, angle, 0, 0, 0, 1, 0, 0, 0},
                 v[] = {0.3, 1.5, 0, 0, 0, 0, 0, 0};
    const double a[] = {2, -3, 0, 0, 0, 0, 0, 0}, ml = 0.5 * 0.4;
    scene s;
    double tau[8];
    scene_open(&s);
    gmc_kinematics_update(&s.model, q, v, &s.kin);
    assert_int_equal(gmc_rnea(&s.model, &s.kin, v, a, tau, &s.scratch), GMC_OK);
    ASSERT_NEAR(tau[0], 5.5 * 2 + ml * cos(angle) * 3 + ml * sin(angle) * 1.5 * 1.5, 1e-14);
    ASSERT_NEAR(tau[1], (0.01 + 0.08) * -3 - ml * cos(angle) * 2 + ml * 10 * sin(angle), 1e-14);
    ASSERT_NEAR(tau[4], 20, 1e-14); // the brick's weight

    gmc_arena_reset(&s.scratch, 0);
    assert_int_equal(gmc_rnea(&s.model, &s.kin, v, NULL, tau, &s.scratch), GMC_OK);
    ASSERT_NEAR(tau[0], ml * sin(angle) * 1.5 * 1.5, 1e-14);
    ASSERT_NEAR(tau[1], ml * 10 * sin(angle), 1e-14);
    scene_close(&s);
}

// m (a - g) at the centre of mass and I w' + w x I w about it, although the body frame lies
// elsewhere.
static void isolated_body_by_hand(void **unused)
{
    (void)unused;
    const double q[] = {0, 0, 1, 2, 3, 1, 0, 0, 0}, v[] = {0, 0, 7, 8, 9, 1, 2, 3};
    const double a[] = {0, 0, 1, 2, 3, 4, 5, 6};
    const double expected[] = {2, 4, 26, 0.4 + 0.3, 1.0 - 0.45, 1.5 + 0.2};
    scene s;
    double tau[8];
    scene_open(&s);
    gmc_kinematics_update(&s.model, q, v, &s.kin);
    assert_int_equal(gmc_rnea(&s.model, &s.kin, v, a, tau, &s.scratch), GMC_OK);
    // w x I w = (w2 w3 (I3 - I2), w3 w1 (I1 - I3), w1 w2 (I2 - I1)) = (0.3, -0.45, 0.2)
    for (int k = 0; k < 6; k++)
        ASSERT_NEAR(tau[2 + k], expected[k], 1e-14);
    gmc_arena none;
    assert_int_equal(gmc_arena_create(&none, 64), GMC_OK);
    assert_int_equal(gmc_rnea(&s.model, &s.kin, v, a, tau, &none), GMC_E_ARENA_FULL);
    gmc_arena_free(&none);
    scene_close(&s);
}

int test_rnea(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cart_and_pendulum_by_hand),
        cmocka_unit_test(isolated_body_by_hand),
    };
    return cmocka_run_group_tests_name("rnea", tests, NULL, NULL);
}

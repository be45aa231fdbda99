#include "engine/dynamics/crba.h"
#include "test/support/gantry.h"
#include "test/support/near.h"

enum { N = 8 };

// Cart and pendulum: [[m1 + m2 + armature, -m2 l cos], [., I + m2 l²]] (y turns z to x: the bob
// below swings to -x), and the brick's block.
static void mass_matrix_by_hand(void **unused)
{
    (void)unused;
    const double angle = 0.7, q[] = {1, angle, 1, 2, 3, 1, 0, 0, 0};
    gmc_arena arena, scratch;
    gmc_model model;
    gmc_kinematics kin;
    double M[N * N], expected[N * N] = {0};
    assert_int_equal(gmc_arena_create(&arena, 1 << 16), GMC_OK);
    assert_int_equal(support_gantry(&arena, &model, &kin), GMC_OK);
    assert_int_equal(gmc_arena_create(&scratch, 1 << 14), GMC_OK);
    gmc_kinematics_update(&model, q, NULL, &kin);
    for (int i = 0; i < N * N; i++)
        M[i] = NAN; // all entries are written
    assert_int_equal(gmc_crba(&model, &kin, M, &scratch), GMC_OK);
    expected[0] = 3 + 0.5 + 2;
    expected[1] = expected[N] = -0.5 * 0.4 * cos(angle);
    expected[N + 1] = 0.01 + 0.5 * 0.16;
    for (int k = 2; k < 5; k++)
        expected[k * N + k] = 2;
    expected[5 * N + 5] = 0.1;
    expected[6 * N + 6] = 0.2;
    expected[7 * N + 7] = 0.25;
    for (int i = 0; i < N * N; i++)
        ASSERT_NEAR(M[i], expected[i], 1e-15);

    gmc_arena none;
    assert_int_equal(gmc_arena_create(&none, 64), GMC_OK);
    assert_int_equal(gmc_crba(&model, &kin, M, &none), GMC_E_ARENA_FULL);
    gmc_arena_free(&none);
    gmc_arena_free(&arena);
    gmc_arena_free(&scratch);
}

int test_crba(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(mass_matrix_by_hand)};
    return cmocka_run_group_tests_name("crba", tests, NULL, NULL);
}

#include "sampling/random/rotation.h"
#include "test/support/near.h"

static void quaternions_have_unit_length_everywhere(void **state)
{
    (void)state;
    for (double a = 0.0; a <= 1.0; a += 0.125)
        for (double b = 0.0; b <= 1.0; b += 0.125)
            for (double c = 0.0; c <= 1.0; c += 0.125) {
                double q[4];
                gmc_rotation_uniform(a, b, c, q);
                // four squares, each with a few roundings
                ASSERT_NEAR(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], 1.0, 1e-15);
            }
}

static void known_corners(void **state)
{
    (void)state;
    double q[4];
    gmc_rotation_uniform(1.0, 0.3, 0.0, q); // the identity
    assert_true(q[0] == 1.0);
    assert_true(q[1] == 0.0);
    assert_true(q[2] == 0.0);
    assert_true(q[3] == 0.0);
    gmc_rotation_uniform(0.0, 0.0, 0.7, q); // half a turn about y
    assert_true(q[0] == 0.0);
    assert_true(q[1] == 0.0);
    assert_true(q[2] == 1.0);
    assert_true(q[3] == 0.0);
}

int test_rotation(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quaternions_have_unit_length_everywhere),
        cmocka_unit_test(known_corners),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

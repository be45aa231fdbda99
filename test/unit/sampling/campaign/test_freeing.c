// The shortest move that meets demands n . s >= d, against moves that one can work out by hand.
#include "sampling/campaign/freeing.h"
#include "test/support/near.h"

// demands are met to 1e-7 m (freeing.c)
static const double MET = 1e-6;

static void one_wall(void **state)
{
    (void)state;
    const gmc_freeing_demand wall = {.row = {0.6, 0, 0.8}, .depth = 0.01};
    double s[3];
    assert_true(gmc_freeing_least(&wall, 1, 3, s));
    ASSERT_NEAR(s[0], 0.006, MET); // along its normal
    ASSERT_NEAR(s[1], 0, MET);
    ASSERT_NEAR(s[2], 0.008, MET);
    // the first axis alone: farther
    assert_true(gmc_freeing_least(&wall, 1, 1, s));
    ASSERT_NEAR(s[0], 0.01 / 0.6, MET);
}

static void a_corner_and_what_is_met_already(void **state)
{
    (void)state;
    const gmc_freeing_demand corner[] = {
        {.row = {1, 0, 0}, .depth = 0.003},
        {.row = {0, 1, 0}, .depth = 0.004},
        {.row = {0.8, 0.6, 0}, .depth = 0.001}, // met by the two: 0.0048
    };
    double s[3];
    assert_true(gmc_freeing_least(corner, 3, 3, s));
    ASSERT_NEAR(s[0], 0.003, MET);
    ASSERT_NEAR(s[1], 0.004, MET);
    ASSERT_NEAR(s[2], 0, MET);
}

static void an_oblique_wedge(void **state)
{
    (void)state;
    // two walls at 60 degrees to each other, whose edge is the nearest point: s with
    // x = 0.01 and x / 2 + sqrt(3) / 2 y = 0.01
    const double h = sqrt(0.75);
    const gmc_freeing_demand wedge[] = {{.row = {1, 0, 0}, .depth = 0.01},
                                        {.row = {0.5, h, 0}, .depth = 0.01}};
    double s[3];
    assert_true(gmc_freeing_least(wedge, 2, 3, s));
    ASSERT_NEAR(s[0], 0.01, MET);
    ASSERT_NEAR(s[1], 0.005 / h, MET);
}

static void what_contradicts(void **state)
{
    (void)state;
    const gmc_freeing_demand slot[] = {{.row = {1, 0, 0}, .depth = 0.001},
                                       {.row = {-1, 0, 0}, .depth = 0.001}};
    const gmc_freeing_demand across = {.row = {0, 1, 0}, .depth = 0.001};
    double s[3];
    assert_false(gmc_freeing_least(slot, 2, 3, s));
    assert_false(gmc_freeing_least(&across, 1, 1, s)); // the first axis does nothing
}

int test_freeing(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_wall),
        cmocka_unit_test(a_corner_and_what_is_met_already),
        cmocka_unit_test(an_oblique_wedge),
        cmocka_unit_test(what_contradicts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

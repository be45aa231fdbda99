#include "sampling/design/morris.h"
#include "test/support/near.h"

static void every_input_moves_once_in_an_order_of_chance(void **state)
{
    (void)state;
    enum { INPUTS = 5, TRAJECTORIES = 2000 };
    int first[INPUTS] = {0};
    for (uint64_t t = 0; t < TRAJECTORIES; t++) {
        bool has_moved[INPUTS + 1] = {false};
        for (int i = 0; i < INPUTS; i++) {
            int row = gmc_morris_moved_in(i, INPUTS, gmc_stream_open_hashed(1, t, 7));
            assert_in_range(row, 1, gmc_morris_rows(INPUTS) - 1);
            assert_false(has_moved[row]);
            has_moved[row] = true;
            first[i] += row == 1;
        }
    }
    for (int i = 0; i < INPUTS; i++) // four standard errors of 2000 choices of one in five
        ASSERT_NEAR(first[i] / (double)TRAJECTORIES, 0.2, 4 * sqrt(0.16 / TRAJECTORIES));
}

static void a_move_goes_half_the_way_and_stays_inside(void **state)
{
    (void)state;
    assert_true(gmc_morris_is_up(0));
    assert_true(!gmc_morris_is_up(0.5));
    ASSERT_NEAR(gmc_morris_uniform(0.25, true), 0.75, 0);
    ASSERT_NEAR(gmc_morris_uniform(0.75, true), 0.25, 0);
    ASSERT_NEAR(gmc_morris_uniform(0.5, true), 0, 0);
    ASSERT_NEAR(gmc_morris_uniform(0.3, false), 0.3, 0);
    assert_true(gmc_morris_uniform(0.5 - 0x1p-53, true) < 1);
}

int test_morris(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_input_moves_once_in_an_order_of_chance),
        cmocka_unit_test(a_move_goes_half_the_way_and_stays_inside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

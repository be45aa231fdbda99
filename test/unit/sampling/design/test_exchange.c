#include "sampling/design/exchange.h"
#include "test/support/near.h"

static void rows_exchange_one_input_each(void **state)
{
    (void)state;
    assert_int_equal(gmc_exchange_rows(3), 8);
    for (int row = 0; row < 8; row++)
        for (int input = 0; input < 3; input++) {
            bool is_exchanged = row >= 2 && (row - 2) / 2 == input;
            bool is_b = row % 2 == 1;
            assert_int_equal(gmc_exchange_is_other(row, input), is_b != is_exchanged);
        }
}

static void the_two_samples_are_different_points_of_one_sequence(void **state)
{
    (void)state;
    enum { POINTS = 256 };
    gmc_stream a = gmc_stream_open_hashed(1, 0, 7), b = gmc_stream_open_hashed(1, 1, 7);
    int first[16] = {0}, second[16] = {0}, both[16][16] = {{0}};
    for (uint64_t point = 0; point < POINTS; point++) {
        int i = (int)(16 * gmc_exchange_uniform(0, point, false, a, b));
        int j = (int)(16 * gmc_exchange_uniform(0, point, true, a, b));
        first[i]++;
        second[j]++;
        both[i][j]++;
    }
    for (int i = 0; i < 16; i++) {
        assert_int_equal(first[i], 16); // even on each axis
        assert_int_equal(second[i], 16);
        for (int j = 0; j < 16; j++) // a (0, 8, 2) net: one point a cell
            assert_int_equal(both[i][j], 1);
    }
}

int test_exchange(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_exchange_one_input_each),
        cmocka_unit_test(the_two_samples_are_different_points_of_one_sequence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

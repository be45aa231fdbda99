// Sorting and counting of rising numbers, against counting them one by one.
#include "sampling/estimate/rising.h"
#include "test/support/cmocka_all.h"

#include <math.h>

static void counts_are_those_of_a_plain_loop(void **state)
{
    (void)state;
    double values[] = {3, -1, 3, HUGE_VAL, 0, 3, -HUGE_VAL, 7, 0.5};
    enum { COUNT = sizeof values / sizeof values[0] };
    gmc_rising_sort(values, COUNT);
    for (int i = 1; i < COUNT; i++)
        assert_true(values[i - 1] <= values[i]);
    static const double ASKED[] = {-HUGE_VAL, -2, -1, 0, 0.2, 3, 5, 7, 8, HUGE_VAL};
    for (int i = 0; i < (int)(sizeof ASKED / sizeof ASKED[0]); i++) {
        int below = 0, to = 0;
        for (int k = 0; k < COUNT; k++) {
            below += values[k] < ASKED[i];
            to += values[k] <= ASKED[i];
        }
        assert_int_equal(gmc_rising_below(values, COUNT, ASKED[i]), below);
        assert_int_equal(gmc_rising_to(values, COUNT, ASKED[i]), to);
    }
    assert_int_equal(gmc_rising_to(values, 0, 1), 0);
}

int test_rising(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(counts_are_those_of_a_plain_loop)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

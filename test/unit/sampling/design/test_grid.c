#include "sampling/design/grid.h"
#include "test/support/near.h"

static void the_end_belongs_to_the_grid_when_the_step_divides_it(void **state)
{
    (void)state;
    assert_int_equal(gmc_grid_count(0.0, 0.3, 0.1, 1000), 4); // 3 · 0.1 > 0.3 in binary
    assert_int_equal(gmc_grid_count(-0.01, 0.01, 0.001, 1000), 21);
    assert_int_equal(gmc_grid_count(0.0, 1.0, 0.3, 1000), 4); // 0, 0.3, 0.6, 0.9
    assert_int_equal(gmc_grid_count(0.0, 1.0 - 1e-10, 0.25, 1000), 5);
    assert_int_equal(gmc_grid_count(0.0, 1.0 - 1e-8, 0.25, 1000), 4);
    assert_int_equal(gmc_grid_count(2.0, 2.0, 0.25, 1000), 1);
    assert_int_equal(gmc_grid_count(1.0, 0.0, -0.5, 1000), 3);
}

static void values_run_from_end_to_end(void **state)
{
    (void)state;
    assert_true(gmc_grid_value(0.0, 0.3, 0.1, 0) == 0.0);
    assert_true(gmc_grid_value(0.0, 0.3, 0.1, 1) == 0.1);
    assert_true(gmc_grid_value(0.0, 0.3, 0.1, 3) == 0.3);
    assert_true(gmc_grid_value(-0.01, 0.01, 0.001, 20) == 0.01);
    ASSERT_NEAR(gmc_grid_value(0.0, 1.0, 0.3, 3), 0.9, 1.2e-16); // one rounding
    assert_true(gmc_grid_value(0.0, 1.0 - 1e-10, 0.25, 4) == 1.0 - 1e-10);
}

static void what_is_no_grid_has_no_points(void **state)
{
    (void)state;
    assert_int_equal(gmc_grid_count(0.0, 1.0, 0.0, 1000), 0);
    assert_int_equal(gmc_grid_count(0.0, 1.0, -0.1, 1000), 0);
    assert_int_equal(gmc_grid_count(0.0, (double)NAN, 0.1, 1000), 0);
    assert_int_equal(gmc_grid_count(0.0, HUGE_VAL, 0.1, 1000), 0);
    assert_int_equal(gmc_grid_count(0.0, 1.0, HUGE_VAL, 1000), 0);
    assert_int_equal(gmc_grid_count(0.0, 1.0, 1e-3, 1000), -1);
    assert_int_equal(gmc_grid_count(0.0, 1.0, 1e-3, 1001), 1001);
    assert_int_equal(gmc_grid_count(-1e308, 1e308, 1e-300, 1000), -1);
}

int test_grid(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_end_belongs_to_the_grid_when_the_step_divides_it),
        cmocka_unit_test(values_run_from_end_to_end),
        cmocka_unit_test(what_is_no_grid_has_no_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "engine/base/status.h"
#include "sampling/explain/given.h"
#include "test/support/near.h"

static void an_input_of_two_values_is_two_groups(void **state)
{
    (void)state;
    // outcome 0, 1 in turns where the input is 3, always 1 where it is 7, in any order of rows
    enum { ROWS = 200 };
    gmc_given_row rows[ROWS];
    for (int i = 0; i < ROWS; i++) {
        bool is_seven = i % 2 == 1;
        rows[(37 * i) % ROWS] =
            (gmc_given_row){is_seven ? 7 : 3, is_seven || i % 4 == 0 ? 1 : 0, i};
    }
    gmc_index index = gmc_given_first(rows, ROWS, 0.95);
    double within = 100 * 0.25 / 198, all = 200 * 0.25 * 0.75 / 199;
    ASSERT_NEAR(index.value, 1 - within / all, 1e-12);
    assert_true(index.interval.lower < index.value);
    assert_true(index.value < index.interval.upper);
}

static void few_or_equal_outcomes_say_nothing(void **state)
{
    (void)state;
    gmc_given_row rows[40];
    for (size_t i = 0; i < 40; i++)
        rows[i] = (gmc_given_row){(double)i, (double)(i % 3), (int64_t)i};
    assert_true(isnan(gmc_given_first(rows, GMC_GIVEN_LEAST - 1, 0.95).value));
    assert_true(!isnan(gmc_given_first(rows, GMC_GIVEN_LEAST, 0.95).value));
    for (size_t i = 0; i < 40; i++)
        rows[i].outcome = 1;
    assert_true(isnan(gmc_given_first(rows, 40, 0.95).value));
}

static void fewer_than_thirty_of_two_outcomes_say_nothing(void **state)
{
    (void)state;
    enum { ROWS = 1000 };
    static gmc_given_row rows[ROWS];
    for (int few = GMC_GIVEN_RARE - 1; few <= GMC_GIVEN_RARE; few++)
        for (int value = 0; value < 2; value++) {
            for (int i = 0; i < ROWS; i++)
                rows[i] = (gmc_given_row){(i * 7) % ROWS, i < few ? value : 1 - value, i};
            assert_int_equal(gmc_given_rarer(rows, ROWS), few);
            gmc_index index = gmc_given_first(rows, ROWS, 0.95);
            assert_int_equal(isnan(index.value), few < GMC_GIVEN_RARE);
            // an estimate that is negative before it is cut is 0, and not known to be
            assert_true(index.interval.lower == 0);
            assert_true(index.interval.upper > 0.05);
        }
    rows[0].outcome = 0.5;
    assert_int_equal(gmc_given_rarer(rows, ROWS), -1);
}

// What varies within groups is taken from an index of 1; of an outcome that is smooth.
static void an_outcome_of_one_input_alone_may_be_one(void **state)
{
    (void)state;
    enum { ROWS = 1000 };
    static gmc_given_row rows[ROWS];
    for (int64_t n = GMC_GIVEN_LEAST; n <= ROWS; n *= 2)
        for (int kind = 0; kind < 2; kind++) {
            for (int64_t i = 0; i < n; i++) {
                double x = ((double)i + 0.5) / (double)n;
                double outcome = kind == 0 ? x : x * x;
                rows[i] = (gmc_given_row){x, outcome, i};
            }
            gmc_index index = gmc_given_first(rows, n, 0.95);
            if (!(index.value > 0.5 && index.interval.upper == 1))
                fail_msg("n %d, kind %d: %g, at most %g", (int)n, kind, index.value,
                         index.interval.upper);
            assert_true(index.interval.lower < index.value);
        }
}

// All failures lie below an edge: a group of each size may have it in its middle.
static void an_edge_within_a_group_is_allowed_for(void **state)
{
    (void)state;
    enum { ROWS = 1000 };
    static gmc_given_row rows[ROWS];
    for (int failures = GMC_GIVEN_RARE; failures < 500; failures++) {
        for (int i = 0; i < ROWS; i++)
            rows[i] = (gmc_given_row){i, i >= failures, i};
        gmc_index index = gmc_given_first(rows, ROWS, 0.95);
        assert_true(index.interval.upper == 1);
        assert_true(index.value > 0.9);
    }
}

static void the_order_of_rows_changes_nothing(void **state)
{
    (void)state;
    gmc_given_row rows[2][200];
    for (int i = 0; i < 200; i++) {
        gmc_given_row row = {(i * 7) % 20, sin(i) + (i * 7) % 20, i};
        rows[0][i] = rows[1][(71 * i) % 200] = row;
    }
    gmc_index a = gmc_given_first(rows[0], 200, 0.95), b = gmc_given_first(rows[1], 200, 0.95);
    // means of all rows are summed before they are sorted: to rounding
    ASSERT_NEAR(a.value, b.value, 1e-13);
    ASSERT_NEAR(a.interval.lower, b.interval.lower, 1e-13);
    assert_true(a.interval.lower > 0.9); // the input makes nearly all of it
}

static void a_constant_input_is_one_group(void **state)
{
    (void)state;
    gmc_given_row rows[60];
    for (int i = 0; i < 60; i++)
        rows[i] = (gmc_given_row){1, i % 2, i};
    gmc_index index = gmc_given_first(rows, 60, 0.95);
    ASSERT_NEAR(index.value, 0, 1e-12);
    assert_true(index.interval.upper > 0);
}

int test_given(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_input_of_two_values_is_two_groups),
        cmocka_unit_test(few_or_equal_outcomes_say_nothing),
        cmocka_unit_test(fewer_than_thirty_of_two_outcomes_say_nothing),
        cmocka_unit_test(an_outcome_of_one_input_alone_may_be_one),
        cmocka_unit_test(an_edge_within_a_group_is_allowed_for),
        cmocka_unit_test(the_order_of_rows_changes_nothing),
        cmocka_unit_test(a_constant_input_is_one_group),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

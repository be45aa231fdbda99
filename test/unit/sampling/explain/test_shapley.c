#include "engine/base/status.h"
#include "sampling/explain/shapley.h"
#include "test/support/near.h"

enum { ROWS = 400, COLUMNS = 4 };

// Two inputs of 20 values each in all pairs, once.
static void fill(double *rows, double (*outcome)(int a, int b))
{
    for (int i = 0; i < ROWS; i++) {
        int a = i % 20, b = i / 20;
        double row[COLUMNS] = {i, outcome(a, b), 3 + 0.1 * a, -5.0 * b};
        for (int k = 0; k < COLUMNS; k++)
            rows[COLUMNS * ((137 * i) % ROWS) + k] = row[k];
    }
}

static double sum(int a, int b) { return a + 2 * b; }
static double first_alone(int a, int b) { return b < 0 ? 0 : a; }
static double equal(int a, int b) { return 0 * (a + b); }
static double few(int a, int b) { return a == 3 && b >= 0; }

static void shares_of_a_sum_are_those_of_its_terms(void **state)
{
    (void)state;
    static double rows[ROWS * COLUMNS];
    gmc_index effects[2];
    const gmc_shapley_draws draws = {rows, ROWS, 2, 0};
    fill(rows, sum);
    assert_int_equal(gmc_shapley_effects(&draws, 0.95, effects), GMC_OK);
    ASSERT_NEAR(effects[0].value + effects[1].value, 1, 1e-12);
    assert_true(effects[0].interval.lower <= 0.2);
    assert_true(0.2 <= effects[0].interval.upper);
    assert_true(effects[1].interval.lower <= 0.8);
    assert_true(0.8 <= effects[1].interval.upper);
    fill(rows, first_alone);
    assert_int_equal(gmc_shapley_effects(&draws, 0.95, effects), GMC_OK);
    ASSERT_NEAR(effects[0].value + effects[1].value, 1, 1e-12);
    assert_true(effects[0].interval.upper == 1);
    assert_true(effects[1].interval.lower == 0);
    assert_true(effects[1].interval.upper > 0);
}

static void twins_share(void **state)
{
    (void)state;
    static double rows[ROWS * COLUMNS];
    gmc_index effects[2];
    fill(rows, first_alone);
    for (int i = 0; i < ROWS; i++)
        rows[COLUMNS * i + 3] = rows[COLUMNS * i + 2]; // one input under two names
    assert_int_equal(gmc_shapley_effects(&(gmc_shapley_draws){rows, ROWS, 2, 0}, 0.95, effects),
                     GMC_OK);
    ASSERT_NEAR(effects[0].value, 0.5, 1e-12); // the same numbers in the same order
    ASSERT_NEAR(effects[1].value, 0.5, 1e-12);
}

static void what_cannot_be_told_is_not(void **state)
{
    (void)state;
    static double rows[ROWS * COLUMNS];
    gmc_index effects[2];
    gmc_shapley_draws draws = {rows, ROWS, 2, 0};
    double (*const outcomes[])(int, int) = {equal, few, sum};
    for (int k = 0; k < GMC_COUNT(outcomes); k++) {
        fill(rows, outcomes[k]);
        if (outcomes[k] == sum) draws.count = GMC_SHAPLEY_LEAST - 1;
        assert_int_equal(gmc_shapley_effects(&draws, 0.95, effects), GMC_OK);
        for (int i = 0; i < 2; i++) {
            assert_true(isnan(effects[i].value));
            assert_true(effects[i].interval.lower == 0);
            assert_true(effects[i].interval.upper == 1);
        }
    }
}

static void work_is_bounded(void **state)
{
    (void)state;
    assert_int_equal(gmc_shapley_affordable(1000, 4, 1), 1000);
    assert_true(gmc_shapley_affordable(1000000, 4, 1) >= 4000);
    assert_true(gmc_shapley_affordable(1000000, GMC_SHAPLEY_INPUTS, 1) >= 900);
    assert_true(gmc_shapley_affordable(1000, 4, 2000) < 200);
}

int test_shapley(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_of_a_sum_are_those_of_its_terms),
        cmocka_unit_test(twins_share),
        cmocka_unit_test(what_cannot_be_told_is_not),
        cmocka_unit_test(work_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

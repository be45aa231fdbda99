#include "engine/base/status.h"
#include "sampling/explain/given.h"
#include "test/support/near.h"

enum { REPLICAS = 4, ROWS = 128 };

// Outcome 1 where the input is 7, 0 and 1 in turns of randomisations where it is 3.
static void fill(gmc_given_row *rows)
{
    for (int i = 0; i < ROWS; i++) {
        bool is_seven = i / REPLICAS % 2 == 1;
        rows[(37 * i) % ROWS] = (gmc_given_row){is_seven ? 7 : 3, is_seven || i % 2 == 0, i};
    }
}

static void pairs_of_different_randomisations_tell(void **state)
{
    (void)state;
    gmc_given_row rows[ROWS];
    fill(rows);
    gmc_index index = gmc_given_replicas_first(rows, ROWS, REPLICAS, 0.95);
    // mean 3/4. At 3: 16 draws of each randomisation, at -3/4 or 1/4; of 64² - 4 16² pairs 16² 2
    // are of two with 1, as many of two with 0 (in order), the rest of one each; at 7 all pairs are
    // 1/4 1/4
    double pairs = 64 * 64 - 4 * 256, at_3 = 512 * (0.25 * 0.25 + 0.75 * 0.75) - 2048 * 0.25 * 0.75;
    double between = 0.5 * at_3 / pairs + 0.5 / 16;
    ASSERT_NEAR(index.value, between / (0.25 * 0.75), 1e-12);
    assert_true(index.interval.lower <= index.value);
    assert_true(index.value <= index.interval.upper);
}

static void leaving_one_out_is_what_it_says(void **state)
{
    (void)state;
    // the jackknife from indices of the draws without each randomisation in turn, numbered anew
    gmc_given_row rows[ROWS], fewer[ROWS];
    double left[REPLICAS], sum = 0, square = 0;
    fill(rows);
    for (int i = 0; i < ROWS; i++)
        rows[i].outcome += 0.1 * (double)((rows[i].draw * 29) % 13) + (rows[i].input == 7);
    for (int out = 0; out < REPLICAS; out++) {
        int count = 0;
        for (int i = 0; i < ROWS; i++) {
            int64_t r = rows[i].draw % REPLICAS, k = rows[i].draw / REPLICAS;
            if (r == out) continue;
            fewer[count] = rows[i];
            fewer[count++].draw = k * (REPLICAS - 1) + (r > out ? r - 1 : r);
        }
        left[out] = gmc_given_replicas_first(fewer, count, REPLICAS - 1, 0.95).value;
        sum += left[out];
    }
    for (int out = 0; out < REPLICAS; out++)
        square += (left[out] - sum / REPLICAS) * (left[out] - sum / REPLICAS);
    gmc_index index = gmc_given_replicas_first(rows, ROWS, REPLICAS, 0.5);
    // t of 3 degrees of freedom, 1/4 above: 0.764892...
    double half = 0.7648923284 * sqrt(square * (REPLICAS - 1) / REPLICAS);
    ASSERT_NEAR(index.interval.upper, fmin(index.value + half, 1), 1e-9);
    ASSERT_NEAR(index.interval.lower, fmax(index.value - half, 0), 1e-9);
}

static void few_or_equal_outcomes_say_nothing(void **state)
{
    (void)state;
    gmc_given_row rows[ROWS];
    fill(rows);
    assert_true(isnan(gmc_given_replicas_first(rows, GMC_GIVEN_LEAST - 1, REPLICAS, 0.95).value));
    for (int i = 0; i < ROWS; i++)
        rows[i].outcome = 1;
    gmc_index index = gmc_given_replicas_first(rows, ROWS, REPLICAS, 0.95);
    assert_true(isnan(index.value));
    assert_true(index.interval.lower == 0);
    assert_true(index.interval.upper == 1);
    // one randomisation alone varies: without it nothing is left to judge by
    for (int i = 0; i < ROWS; i++)
        rows[i].outcome = rows[i].draw % REPLICAS == 1 ? (double)rows[i].draw : 0;
    index = gmc_given_replicas_first(rows, ROWS, REPLICAS, 0.95);
    assert_true(isnan(index.value));
    assert_true(index.interval.lower == 0);
    assert_true(index.interval.upper == 1);
}

int test_given_replicas(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_of_different_randomisations_tell),
        cmocka_unit_test(leaving_one_out_is_what_it_says),
        cmocka_unit_test(few_or_equal_outcomes_say_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// The failing draw nearest to the middle, in scores that do not depend on each other.
#include "sampling/explain/likeliest.h"
#include "sampling/random/normal.h"
#include "sampling/random/stream.h"
#include "test/support/near.h"

#include <stdlib.h>

enum { INPUTS = 3, COUNT = 3000 };

static double x[COUNT * INPUTS], z[COUNT * INPUTS], y[COUNT * INPUTS];
static unsigned char is_member[COUNT];
static const gmc_likeliest_rows ROWS = {.count = COUNT, .inputs = INPUTS, .x = x};

/// Scores z, the second along with the first by `r`; inputs are any rising function of them.
static void draw(double r)
{
    for (int i = 0; i < COUNT; i++) {
        double *row = z + (size_t)i * INPUTS;
        for (int j = 0; j < INPUTS; j++)
            row[j] = gmc_normal_quantile(
                gmc_stream_uniform(gmc_stream_open_hashed(61, (uint64_t)i, 1), (uint64_t)j));
        row[1] = r * row[0] + sqrt(1 - r * r) * row[1];
        x[i * INPUTS] = exp(row[0]);
        x[i * INPUTS + 1] = 3 * row[1] - 7;
        x[i * INPUTS + 2] = row[2] * row[2] * row[2];
    }
}

static double length(const double *row)
{
    return sqrt(row[0] * row[0] + row[1] * row[1] + row[2] * row[2]);
}

static gmc_likeliest find(void)
{
    assert_int_equal(gmc_likeliest_scores(&ROWS, y), GMC_OK);
    return gmc_likeliest_of(&ROWS, y, is_member);
}

static void is_the_nearest_of_those_that_fail(void **state)
{
    (void)state;
    draw(0);
    for (int i = 0; i < COUNT; i++)
        is_member[i] = 2 * z[i * INPUTS] + z[i * INPUTS + 1] > 4; // at 4/sqrt(5) = 1.79
    gmc_likeliest found = find();
    ASSERT_NEAR(found.distance, length(z + found.row * INPUTS), 0.1); // ranks of 3000
    assert_true(found.distance > 1.75);
    assert_true(found.distance < 2.1);
    int64_t nearer = 0;
    for (int64_t i = 0; i < COUNT; i++) {
        double here = length(y + i * INPUTS);
        nearer += here < found.distance;
        assert_true(here >= found.distance || !is_member[i]);
    }
    assert_int_equal(found.nearer, nearer);
    // those around it are members of the same direction, in order
    assert_int_equal(found.around_count, GMC_LIKELIEST_AROUND);
    assert_int_equal(found.around[0], found.row);
    for (int k = 1; k < found.around_count; k++) {
        assert_true(is_member[found.around[k]]);
        assert_true(length(y + found.around[k] * INPUTS) >=
                    length(y + found.around[k - 1] * INPUTS));
    }
}

static void failures_on_the_other_side_are_not_around_it(void **state)
{
    (void)state;
    draw(0);
    int64_t members = 0;
    for (int i = 0; i < COUNT; i++)
        members += is_member[i] = fabs(z[i * INPUTS]) > 2.5;
    gmc_likeliest found = find();
    assert_true(members > GMC_LIKELIEST_AROUND);
    assert_true(found.row >= 0);
    for (int k = 0; k < found.around_count; k++)
        assert_true(z[found.around[k] * INPUTS] * z[found.row * INPUTS] > 0);
}

static void inputs_that_go_along_are_taken_apart(void **state)
{
    (void)state;
    draw(0.9);
    for (int i = 0; i < COUNT; i++)
        is_member[i] = z[i * INPUTS + 1] - z[i * INPUTS] > 1.2; // at 1.2/sqrt(0.01 + 0.19) = 2.68
    gmc_likeliest found = find();
    assert_true(found.distance > 2.4);
    assert_true(found.distance < 3.1);
    // one that another decides adds nothing
    for (int i = 0; i < COUNT; i++)
        x[i * INPUTS + 2] = x[i * INPUTS];
    gmc_likeliest again = find();
    assert_true(again.distance > 2.4);
    assert_true(again.distance < 3.1);
    for (int i = 0; i < COUNT; i++)
        assert_true(y[i * INPUTS + 2] == 0);
}

static void ties_and_inputs_without_a_value(void **state)
{
    (void)state;
    draw(0);
    for (int i = 0; i < COUNT; i++) {
        x[i * INPUTS] = i % 2; // two values
        x[i * INPUTS + 1] = (double)NAN;
        is_member[i] = 0;
    }
    gmc_likeliest none = find();
    assert_int_equal(none.row, -1);
    assert_int_equal(none.around_count, 0);
    for (int i = 0; i < COUNT; i++) {
        ASSERT_NEAR(y[i * INPUTS], gmc_normal_quantile(i % 2 ? 0.75 : 0.25), 1e-12);
        assert_true(y[i * INPUTS + 1] == 0);
    }
}

int test_likeliest(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_the_nearest_of_those_that_fail),
        cmocka_unit_test(failures_on_the_other_side_are_not_around_it),
        cmocka_unit_test(inputs_that_go_along_are_taken_apart),
        cmocka_unit_test(ties_and_inputs_without_a_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

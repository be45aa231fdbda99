#include "sampling/explain/indices.h"
#include "test/support/near.h"

// Outcomes of a block for f = 2 x0 + x1, x2 without effect, from a and b.
static void block(const double *a, const double *b, double *outcomes)
{
    outcomes[0] = 2 * a[0] + a[1];
    outcomes[1] = 2 * b[0] + b[1];
    outcomes[2] = 2 * b[0] + a[1];
    outcomes[3] = 2 * a[0] + b[1];
    outcomes[4] = 2 * a[0] + b[1];
    outcomes[5] = 2 * b[0] + a[1];
    outcomes[6] = outcomes[0];
    outcomes[7] = outcomes[1];
}

static double corner(int i) { return i % 2 ? 0.5 : -0.5; }

static void a_sum_has_the_shares_of_its_terms(void **state)
{
    (void)state;
    gmc_indices indices;
    assert_int_equal(gmc_indices_create(&indices, 3, 16), GMC_OK);
    // all pairs of corners of a square: the sums are exact
    for (int k = 0; k < 16 * 16; k++) {
        double outcomes[8];
        block((double[]){corner(k), corner(k / 2)}, (double[]){corner(k / 4), corner(k / 8)},
              outcomes);
        gmc_indices_add(&indices, k / 16, outcomes);
    }
    ASSERT_NEAR(gmc_indices_first(&indices, 0, 0.95).value, 0.8, 1e-15);
    ASSERT_NEAR(gmc_indices_total(&indices, 0, 0.95).value, 0.8, 1e-15);
    ASSERT_NEAR(gmc_indices_first(&indices, 1, 0.95).value, 0.2, 1e-15);
    // no spread, but what 256 blocks leave: with 1 for each of x0, x1 that differs in a and b the
    // part of T V is x1/2, of V 2 x0 + x1/2; less 0.2 of V -0.4, 0.4 and 0 in three of four blocks
    gmc_interval even = gmc_indices_total(&indices, 1, 0.95).interval;
    double unseen = gmc_proportion_clopper_pearson(0, 256, 0.95).upper * 2 *
                    sqrt((0.4 * 0.4 + 0.4 * 0.4) / 3) / 1.25;
    ASSERT_NEAR_RELATIVE(even.upper - 0.2, unseen, 1e-12);
    ASSERT_NEAR_RELATIVE(0.2 - even.lower, unseen, 1e-12);
    assert_int_equal(gmc_indices_blocks(&indices, 2), 256);
    assert_false(gmc_indices_is_thin(&indices));
    // an input that never changed anything: the bound on 0 of 256 blocks
    gmc_index idle = gmc_indices_total(&indices, 2, 0.95);
    ASSERT_NEAR(idle.value, 0, 0);
    assert_true(idle.is_widened);
    double share = gmc_proportion_clopper_pearson(0, 256, 0.95).upper;
    ASSERT_NEAR_RELATIVE(idle.interval.upper, share * 0.5 * 9 / 1.25, 1e-12); // span 3, V 5/4
    gmc_indices_free(&indices);
}

static void what_is_not_known_is_left_out_where_it_is_needed(void **state)
{
    (void)state;
    gmc_indices indices;
    assert_int_equal(gmc_indices_create(&indices, 3, 16), GMC_OK);
    double outcomes[8];
    for (int k = 0; k < 32; k++) {
        block((double[]){corner(k), corner(k / 2)}, (double[]){corner(k / 4), corner(k / 8)},
              outcomes);
        if (k == 3) outcomes[2] = (double)NAN; // of input 0 alone
        if (k == 4) outcomes[1] = (double)NAN; // of all
        gmc_indices_add(&indices, k % 16, outcomes);
    }
    assert_int_equal(gmc_indices_blocks(&indices, 0), 30);
    assert_int_equal(gmc_indices_blocks(&indices, 1), 31);
    assert_true(gmc_indices_is_thin(&indices)); // two blocks each
    gmc_indices_free(&indices);
}

static void an_outcome_that_never_varies_has_no_indices(void **state)
{
    (void)state;
    gmc_indices indices;
    assert_int_equal(gmc_indices_create(&indices, 1, 16), GMC_OK);
    gmc_index none = gmc_indices_first(&indices, 0, 0.95);
    assert_true(isnan(none.value));
    for (int k = 0; k < 64; k++)
        gmc_indices_add(&indices, k % 16, (double[]){1, 1, 1, 1});
    none = gmc_indices_total(&indices, 0, 0.95);
    assert_true(isnan(none.value));
    ASSERT_NEAR(none.interval.upper - none.interval.lower, 1, 0);
    gmc_indices_free(&indices);
}

// Trials fail one at a time: nothing tells the total order from 1, and little bounds it.
static void an_index_of_one_is_bounded_from_below(void **state)
{
    (void)state;
    enum { BLOCKS = 64 };
    gmc_indices indices;
    assert_int_equal(gmc_indices_create(&indices, 1, 16), GMC_OK);
    for (int k = 0; k < BLOCKS; k++)
        gmc_indices_add(&indices, k % 16,
                        (double[]){k % 8 != 1, k % 8 != 3, k % 8 != 5, k % 8 != 7});
    gmc_index total = gmc_indices_total(&indices, 0, 0.95);
    ASSERT_NEAR(total.value, 1, 0);
    assert_true(total.is_widened);
    assert_true(total.interval.upper == 1);
    // four of eight blocks vary by 1 of 4 squares: V 1/8
    double share = gmc_proportion_clopper_pearson(0, BLOCKS, 0.95).upper;
    ASSERT_NEAR_RELATIVE(total.interval.lower, 1 - share * 0.5 / 0.125, 1e-12);
    gmc_indices_free(&indices);
}

// All blocks alike: none is off the line, and any may have been.
static void no_interval_has_no_width(void **state)
{
    (void)state;
    gmc_indices indices;
    assert_int_equal(gmc_indices_create(&indices, 1, 16), GMC_OK);
    for (int k = 0; k < 80; k++)
        gmc_indices_add(&indices, k % 16, (double[]){0, 3, 1, 2});
    gmc_index total = gmc_indices_total(&indices, 0, 0.95);
    // parts (1 + 1)/4 and (9 + 1)/4
    ASSERT_NEAR(total.value, 0.2, 1e-15);
    assert_true(total.interval.upper - total.value > 1e-3);
    assert_true(total.value - total.interval.lower > 1e-3);
    gmc_indices_free(&indices);
}

static void a_number_that_never_changes_with_an_input_is_free_of_it(void **state)
{
    (void)state;
    for (int blocks = 16; blocks <= 32; blocks += 16)
        for (int many = 0; many < 2; many++) {
            gmc_indices indices;
            assert_int_equal(gmc_indices_create(&indices, 2, 16), GMC_OK);
            for (int k = 0; k < blocks; k++) {
                // the first input decides, the second does nothing
                double a = many ? sin(k) : k % 2, b = many ? cos(k) : k / 2 % 2;
                gmc_indices_add(&indices, k % 16, (double[]){a, b, b, a, a, b});
            }
            assert_false(gmc_indices_total(&indices, 0, 0.95).is_idle);
            gmc_index idle = gmc_indices_total(&indices, 1, 0.95);
            assert_int_equal(idle.is_idle, many && blocks >= 20);
            assert_true(idle.interval.upper > 0);
            assert_true(idle.value == 0);
            gmc_indices_free(&indices);
        }
}

int test_indices(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sum_has_the_shares_of_its_terms),
        cmocka_unit_test(what_is_not_known_is_left_out_where_it_is_needed),
        cmocka_unit_test(an_index_of_one_is_bounded_from_below),
        cmocka_unit_test(no_interval_has_no_width),
        cmocka_unit_test(a_number_that_never_changes_with_an_input_is_free_of_it),
        cmocka_unit_test(an_outcome_that_never_varies_has_no_indices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

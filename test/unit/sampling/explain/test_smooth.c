#include "sampling/explain/smooth.h"
#include "sampling/random/stream.h"
#include "test/support/near.h"

enum { DRAWS = 60, INPUTS = 2, CASES = 6, FRESH = 500 };

static void draw_inputs(uint64_t draw, double *x)
{
    gmc_stream u = gmc_stream_open_hashed(7, draw, 2);
    for (uint64_t j = 0; j < INPUTS; j++)
        x[j] = 3.4 * gmc_stream_uniform(u, j) - 1.7; // of unit spread
}

/// Success of a draw in a case: the second input and the second decision do not matter.
static double outcome(const double *x, const double *a) { return x[0] + a[0] > 0; }

static void decide(double *a)
{
    for (int c = 0; c < CASES; c++) {
        a[2 * c] = c % 3 - 1;
        a[2 * c + 1] = c / 3;
    }
}

/// Mean square that draws are missed by that it was not fitted to.
static double missed(gmc_smooth *s, const double *a, int cases)
{
    double sum = 0, x[INPUTS], values[CASES];
    for (int i = 0; i < FRESH; i++) {
        draw_inputs(1000 + (uint64_t)i, x);
        gmc_smooth_values(s, x, values);
        for (int c = 0; c < cases; c++) {
            double miss = values[c] - outcome(x, a + 2 * c);
            assert_true(values[c] >= 0);
            assert_true(values[c] <= 1);
            sum += miss * miss / (FRESH * cases);
        }
    }
    return sum;
}

static gmc_smooth *fit(int cases, const double *a, double *x, double *y)
{
    for (int i = 0; i < DRAWS; i++) {
        draw_inputs((uint64_t)i, x + (size_t)i * INPUTS);
        for (int c = 0; c < cases; c++)
            y[i * cases + c] = outcome(x + (size_t)i * INPUTS, a + 2 * c);
    }
    gmc_smooth_rows rows = {.draws = DRAWS,
                            .cases = cases,
                            .inputs = INPUTS,
                            .decisions = cases > 1 ? 2 : 0,
                            .x = x,
                            .a = a,
                            .y = y};
    gmc_smooth *s;
    assert_int_equal(gmc_smooth_create(&rows, &s), GMC_OK);
    gmc_smooth_fit(s, &rows);
    return s;
}

static void an_edge_is_learnt_in_one_case_and_in_several(void **state)
{
    (void)state;
    double x[DRAWS * INPUTS], y[DRAWS * CASES], a[CASES * 2];
    decide(a);
    for (int cases = 1; cases <= CASES; cases += CASES - 1) {
        gmc_smooth *s = fit(cases, a, x, y);
        double off = missed(s, a, cases);
        printf("%d cases: missed by %.4f mean square\n", cases, off);
        assert_true(off < 0.06); // a mean would miss by up to 0.25
        gmc_smooth_free(s);
    }
}

static void the_same_rows_give_the_same_function(void **state)
{
    (void)state;
    double x[DRAWS * INPUTS], y[DRAWS * CASES], a[CASES * 2], first[CASES], again[CASES];
    const double at[INPUTS] = {0.3, -0.2};
    decide(a);
    gmc_smooth *s = fit(CASES, a, x, y);
    gmc_smooth_rows rows = {
        .draws = DRAWS, .cases = CASES, .inputs = INPUTS, .decisions = 2, .x = x, .a = a, .y = y};
    gmc_smooth_values(s, at, first);
    gmc_smooth_rows fewer = rows;
    fewer.draws = 20; // nothing is left of a fit before
    gmc_smooth_fit(s, &fewer);
    gmc_smooth_fit(s, &rows);
    gmc_smooth_values(s, at, again);
    for (int c = 0; c < CASES; c++)
        assert_true(first[c] == again[c]);
    gmc_smooth_free(s);
}

static void what_depends_on_nothing_is_a_mean(void **state)
{
    (void)state;
    double x[DRAWS * INPUTS], y[DRAWS], value;
    const double at[INPUTS] = {0, 0}, none[1] = {0};
    for (int i = 0; i < DRAWS; i++) {
        draw_inputs((uint64_t)i, x + (size_t)i * INPUTS);
        y[i] = 1;
    }
    gmc_smooth_rows rows = {
        .draws = DRAWS, .cases = 1, .inputs = INPUTS, .x = x, .a = none, .y = y};
    gmc_smooth *s;
    assert_int_equal(gmc_smooth_create(&rows, &s), GMC_OK);
    gmc_smooth_fit(s, &rows);
    gmc_smooth_values(s, at, &value);
    assert_true(value == 1);
    gmc_smooth_free(s);
    gmc_smooth_free(NULL);
}

int test_smooth(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_edge_is_learnt_in_one_case_and_in_several),
        cmocka_unit_test(the_same_rows_give_the_same_function),
        cmocka_unit_test(what_depends_on_nothing_is_a_mean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

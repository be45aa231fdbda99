#include "sampling/estimate/histogram.h"
#include "test/support/near.h"

#include <string.h>

static const double EDGES[4] = {0.0, 1.0, 2.0, 4.0};

static gmc_histogram create(int64_t cases, bool is_independent)
{
    gmc_histogram h;
    const gmc_histogram_shape shape = {1, {3, 0}, {EDGES, NULL}, 3, cases, is_independent, 0};
    assert_int_equal(gmc_histogram_create(&h, &shape), GMC_OK);
    return h;
}

static void edges_are_equidistant_and_exact_at_the_ends(void **state)
{
    (void)state;
    double e[8];
    gmc_histogram_edges(-0.1, 0.6, 7, e);
    assert_true(e[0] == -0.1);
    assert_true(e[7] == 0.6);
    for (int i = 0; i <= 7; i++)
        ASSERT_NEAR(e[i], -0.1 + 0.1 * i, 2e-16); // two roundings below 1
    gmc_histogram_edges(0.2, 0.2, 2, e);
    assert_true(e[0] < 0.2);
    assert_true(e[2] > 0.2);
    gmc_histogram_edges(0.0, 0.0, 1, e);
    assert_true(e[0] == -0.5);
    assert_true(e[1] == 0.5);
    gmc_histogram_edges(-3.0, -3.0, 1, e);
    assert_true(e[0] < -3.0);
    assert_true(e[1] > -3.0);
    gmc_histogram_edges(-1.7e308, 1.7e308, 4, e); // does not overflow on the way
    assert_true(e[2] == 0.0);
    assert_true(isfinite(e[1]));
}

static void values_find_their_bins(void **state)
{
    (void)state;
    gmc_histogram h = create(1, false);
    static const double VALUES[] = {-1e-300, 0.0, 0.999, 1.0, 2.0, 3.9, 4.0, 4.0001};
    static const int BINS[] = {-1, 0, 0, 1, 2, 2, 2, 3};
    for (int i = 0; i < GMC_COUNT(VALUES); i++)
        assert_int_equal(gmc_histogram_bin(h.axis, VALUES[i]), BINS[i]);
    assert_int_equal(gmc_histogram_bin(h.axis, (double)NAN), -2);
    assert_int_equal(gmc_histogram_bin(h.axis, HUGE_VAL), 3);
    assert_int_equal(gmc_histogram_bin(h.axis, -HUGE_VAL), -1);
    gmc_histogram_free(&h);
}

static void every_trial_is_counted_once(void **state)
{
    (void)state;
    gmc_histogram h = create(1, false);
    for (int i = 0; i < 1000; i++) {
        double value = i % 10 == 9 ? (double)NAN : -1.0 + 0.006 * i;
        int class_index = i % 3;
        gmc_histogram_add(&h, (uint64_t)i, &value, class_index,
                          class_index == 0   ? GMC_VERDICT_SUCCESS
                          : class_index == 1 ? GMC_VERDICT_FAILURE
                                             : GMC_VERDICT_UNSOLVED);
    }
    gmc_histogram_finish(&h);
    int64_t inside = 0;
    for (int b = 0; b < 3; b++) {
        gmc_estimate e = gmc_histogram_estimate(&h, b, 0.95, GMC_METHOD_WILSON);
        gmc_estimate expected = gmc_estimate_of(e.tally, 0.95, GMC_METHOD_WILSON);
        assert_int_equal(e.tally.successes, gmc_histogram_class(&h, b, 0));
        assert_int_equal(e.tally.failures, gmc_histogram_class(&h, b, 1));
        assert_int_equal(e.tally.unsolved, gmc_histogram_class(&h, b, 2));
        assert_true(e.lower == expected.lower);
        assert_true(e.upper == expected.upper);
        inside += gmc_tally_trials(e.tally);
    }
    assert_int_equal(h.axis[0].absent, 100);
    assert_int_equal(h.axis[0].below, 151); // i <= 166, 16 of them absent
    assert_int_equal(inside + h.axis[0].absent + h.axis[0].below + h.axis[0].above, 1000);
    assert_int_equal(h.trial_count, 1000);
    gmc_histogram_free(&h);
}

static void common_draws_are_units_in_each_bin(void **state)
{
    (void)state;
    // a studied quantity: case c has the value c; 4 cases, the last one outside
    gmc_histogram h = create(4, false);
    gmc_cluster expected[2] = {0};
    for (uint64_t d = 0; d < 30; d++) {
        gmc_tally bins[2] = {0};
        for (int c = 0; c < 4; c++) {
            double value = c == 3 ? 9.0 : c * 0.7; // bins 0, 0, 1, outside
            gmc_verdict v =
                (d * 7 + (uint64_t)c * 5) % 9 < 5 ? GMC_VERDICT_SUCCESS : GMC_VERDICT_FAILURE;
            gmc_histogram_add(&h, d, &value, 0, v);
            if (c < 3) gmc_tally_add(bins + c / 2, v);
        }
        gmc_cluster_add(expected, bins[0]);
        gmc_cluster_add(expected + 1, bins[1]);
    }
    double value = 0.5; // a last draw that stays incomplete: counted by class, not in the estimate
    gmc_histogram_add(&h, 30, &value, 2, GMC_VERDICT_FAILURE);
    gmc_histogram_finish(&h);
    for (int b = 0; b < 2; b++) {
        gmc_estimate e = gmc_histogram_estimate(&h, b, 0.95, GMC_METHOD_WILSON);
        gmc_estimate x = gmc_cluster_estimate(expected + b, 0.95);
        assert_int_equal(e.method, GMC_METHOD_DRAWS);
        assert_int_equal(e.draws, 30);
        assert_true(e.p == x.p);
        assert_true(e.lower == x.lower);
        assert_true(e.upper == x.upper);
    }
    gmc_estimate empty = gmc_histogram_estimate(&h, 2, 0.95, GMC_METHOD_WILSON);
    assert_true(isnan(empty.p));
    assert_true(empty.lower == 0.0);
    assert_true(empty.upper == 1.0);
    assert_int_equal(h.left_out, 1);
    assert_int_equal(gmc_histogram_class(&h, 0, 2), 1);
    assert_int_equal(h.axis[0].above, 30);
    gmc_histogram_free(&h);

    h = create(4, true);
    gmc_histogram_add(&h, 0, &value, 0, GMC_VERDICT_SUCCESS);
    gmc_histogram_finish(&h);
    assert_int_equal(gmc_histogram_estimate(&h, 0, 0.95, GMC_METHOD_WILSON).method,
                     GMC_METHOD_CLOPPER_PEARSON);
    gmc_histogram_free(&h);
}

static void two_dimensions(void **state)
{
    (void)state;
    static const double Y[3] = {-1.0, 0.0, 1.0};
    gmc_histogram h;
    const gmc_histogram_shape shape = {2, {3, 2}, {EDGES, Y}, 1, 1, false, 0};
    assert_int_equal(gmc_histogram_create(&h, &shape), GMC_OK);
    assert_int_equal(h.bin_count, 6);
    static const double POINTS[][2] = {{0.5, -0.5}, {0.5, 0.5}, {3.0, 1.0},         {3.0, 1.0},
                                       {9.0, 0.5},  {9.0, -5},  {1.5, (double)NAN}, {1.5, 0.0}};
    for (int i = 0; i < GMC_COUNT(POINTS); i++)
        gmc_histogram_add(&h, (uint64_t)i, POINTS[i], 0, GMC_VERDICT_SUCCESS);
    gmc_histogram_finish(&h);
    static const int64_t COUNTS[6] = {1, 1, 0, 1, 0, 2};
    for (int b = 0; b < 6; b++)
        assert_int_equal(gmc_histogram_class(&h, b, 0), COUNTS[b]);
    assert_int_equal(h.axis[0].above, 2);
    assert_int_equal(h.axis[1].below, 1);
    assert_int_equal(h.axis[1].absent, 1);
    gmc_histogram_free(&h);
}

static void what_is_no_histogram_is_refused(void **state)
{
    (void)state;
    gmc_histogram h;
    static const double BACK[3] = {0.0, 0.0, 1.0}, OPEN[3] = {0.0, 1.0, HUGE_VAL};
    const gmc_histogram_shape back = {1, {2, 2}, {BACK, BACK}, 1, 1, false, 0};
    const gmc_histogram_shape open = {2, {2, 2}, {OPEN, OPEN}, 1, 1, false, 0};
    const gmc_histogram_shape none = {1, {0, 0}, {EDGES, EDGES}, 1, 1, false, 0};
    const gmc_histogram_shape many = {
        1, {GMC_HISTOGRAM_BINS_MAX + 1, 1}, {EDGES, EDGES}, 1, 1, false, 0};
    assert_int_equal(gmc_histogram_create(&h, &back), GMC_E_INPUT);
    assert_int_equal(gmc_histogram_create(&h, &open), GMC_E_INPUT);
    assert_int_equal(gmc_histogram_create(&h, &none), GMC_E_INPUT);
    assert_int_equal(gmc_histogram_create(&h, &many), GMC_E_LIMIT);
    assert_null(h.axis[0].edges);

    double *fine = calloc(2002, sizeof *fine);
    assert_non_null(fine);
    gmc_histogram_edges(0.0, 1.0, 2001, fine);
    const gmc_histogram_shape square = {2, {2001, 2001}, {fine, fine}, 1, 1, false, 0};
    assert_int_equal(gmc_histogram_create(&h, &square), GMC_E_LIMIT);
    free(fine);
}

int test_histogram(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edges_are_equidistant_and_exact_at_the_ends),
        cmocka_unit_test(values_find_their_bins),
        cmocka_unit_test(every_trial_is_counted_once),
        cmocka_unit_test(common_draws_are_units_in_each_bin),
        cmocka_unit_test(two_dimensions),
        cmocka_unit_test(what_is_no_histogram_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

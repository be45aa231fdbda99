#include "sampling/estimate/pooled.h"
#include "test/support/near.h"

static gmc_verdict verdict(uint64_t draw, int64_t case_index)
{
    uint64_t mixed = (draw * 31 + (uint64_t)case_index * 17) % 11;
    return mixed < 6    ? GMC_VERDICT_SUCCESS
           : mixed < 10 ? GMC_VERDICT_FAILURE
                        : GMC_VERDICT_UNSOLVED;
}

static void one_case_is_a_binomial_count(void **state)
{
    (void)state;
    gmc_pooled pooled = gmc_pooled_start(1, false);
    gmc_tally tally = {0};
    for (uint64_t d = 0; d < 500; d++) {
        gmc_pooled_add(&pooled, d, verdict(d, 0));
        gmc_tally_add(&tally, verdict(d, 0));
    }
    for (int m = 0; m < 2; m++) {
        gmc_estimate e = gmc_pooled_estimate(&pooled, 0.95, (gmc_method)m);
        gmc_estimate expected = gmc_estimate_of(tally, 0.95, (gmc_method)m);
        assert_true(e.p == expected.p);
        assert_true(e.lower == expected.lower);
        assert_true(e.upper == expected.upper);
        assert_int_equal(e.method, m);
        assert_int_equal(gmc_tally_trials(e.tally), 500);
        assert_int_equal(e.left_out, 0);
    }
}

static void common_draws_are_units(void **state)
{
    (void)state;
    gmc_pooled pooled = gmc_pooled_start(7, false);
    gmc_cluster cluster = {0};
    for (uint64_t d = 0; d < 40; d++) {
        gmc_tally tally = {0};
        for (int64_t c = 0; c < 7; c++) {
            gmc_pooled_add(&pooled, d, verdict(d, c));
            gmc_tally_add(&tally, verdict(d, c));
        }
        gmc_cluster_add(&cluster, tally);
    }
    gmc_estimate e = gmc_pooled_estimate(&pooled, 0.95, GMC_METHOD_WILSON);
    gmc_estimate expected = gmc_cluster_estimate(&cluster, 0.95);
    assert_int_equal(e.method, GMC_METHOD_DRAWS);
    assert_int_equal(e.draws, 40);
    assert_true(e.lower == expected.lower);
    assert_true(e.upper == expected.upper);
    assert_true(e.p == expected.p);
}

static void incomplete_draws_at_the_ends_are_left_out_and_counted(void **state)
{
    (void)state;
    // trials 3 ... 22 of 5 cases: draw 0 lacks three, draw 4 lacks two
    gmc_pooled pooled = gmc_pooled_start(5, false);
    gmc_tally tally = {0};
    for (uint64_t trial = 3; trial < 23; trial++) {
        gmc_verdict v = verdict(trial / 5, (int64_t)(trial % 5));
        gmc_pooled_add(&pooled, trial / 5, v);
        if (trial >= 5 && trial < 20) gmc_tally_add(&tally, v);
    }
    gmc_estimate e = gmc_pooled_estimate(&pooled, 0.95, GMC_METHOD_WILSON);
    assert_int_equal(e.left_out, 5);
    assert_int_equal(e.draws, 3);
    assert_int_equal(e.tally.successes, tally.successes);
    assert_int_equal(gmc_tally_trials(e.tally), 15);
    // asking is no intervention
    for (uint64_t trial = 23; trial < 25; trial++)
        gmc_pooled_add(&pooled, 4, verdict(4, (int64_t)(trial % 5)));
    e = gmc_pooled_estimate(&pooled, 0.95, GMC_METHOD_WILSON);
    assert_int_equal(e.draws, 4);
    assert_int_equal(e.left_out, 2);
}

static void independent_cases_are_counted_together(void **state)
{
    (void)state;
    gmc_pooled pooled = gmc_pooled_start(4, true);
    for (uint64_t d = 0; d < 60; d++)
        for (int64_t c = 0; c < 4; c++)
            gmc_pooled_add(&pooled, d, c < 3 ? GMC_VERDICT_SUCCESS : GMC_VERDICT_FAILURE);
    gmc_estimate e = gmc_pooled_estimate(&pooled, 0.95, GMC_METHOD_WILSON);
    gmc_estimate expected =
        gmc_estimate_of((gmc_tally){.successes = 180, .failures = 60}, 0.95, GMC_METHOD_WILSON);
    assert_true(e.lower == expected.lower);
    assert_true(e.upper == expected.upper);
    assert_int_equal(e.method, GMC_METHOD_WILSON);
}

static void no_trial_at_all(void **state)
{
    (void)state;
    gmc_pooled pooled = gmc_pooled_start(4, false);
    gmc_estimate e = gmc_pooled_estimate(&pooled, 0.95, GMC_METHOD_WILSON);
    assert_true(isnan(e.p));
    assert_true(e.lower == 0.0);
    assert_true(e.upper == 1.0);
    assert_int_equal(e.left_out, 0);
}

int test_pooled(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_case_is_a_binomial_count),
        cmocka_unit_test(common_draws_are_units),
        cmocka_unit_test(incomplete_draws_at_the_ends_are_left_out_and_counted),
        cmocka_unit_test(independent_cases_are_counted_together),
        cmocka_unit_test(no_trial_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

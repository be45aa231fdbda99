#include "sampling/estimate/pooled.h"
#include "sampling/estimate/running.h"
#include "test/support/near.h"

static gmc_verdict verdict(uint64_t draw, int64_t case_index)
{
    uint64_t mixed = (draw * 31 + (uint64_t)case_index * 17) % 11;
    return mixed < 6    ? GMC_VERDICT_SUCCESS
           : mixed < 10 ? GMC_VERDICT_FAILURE
                        : GMC_VERDICT_UNSOLVED;
}

// the running estimate of trials that come shuffled must end as the pooled one of trials in order
static void compare(int64_t cases, uint64_t draws, bool is_independent)
{
    gmc_running running;
    assert_int_equal(gmc_running_create(&running, cases, is_independent, 0.95), GMC_OK);
    gmc_pooled pooled = gmc_pooled_start(cases, is_independent);
    uint64_t trials = draws * (uint64_t)cases;
    for (uint64_t i = 0; i < trials; i++) {
        // blocks of 64 trials, each backwards: as if workers finished in another order
        uint64_t block = i / 64 * 64, size = trials - block < 64 ? trials - block : 64;
        uint64_t j = block + size - 1 - (i - block), n = (uint64_t)cases;
        gmc_running_add(&running, j / n, verdict(j / n, (int64_t)(j % n)));
        gmc_pooled_add(&pooled, i / n, verdict(i / n, (int64_t)(i % n)));
    }
    gmc_estimate a = gmc_running_estimate(&running);
    gmc_estimate b = gmc_pooled_estimate(&pooled, 0.95, GMC_METHOD_WILSON);
    assert_true(a.p == b.p);
    assert_true(a.lower == b.lower);
    assert_true(a.upper == b.upper);
    assert_int_equal(a.method, b.method);
    assert_int_equal(a.draws, b.draws);
    assert_int_equal(a.tally.unsolved, b.tally.unsolved);
    assert_int_equal(a.left_out, 0);
    gmc_running_free(&running);
}

static void ends_where_the_pooled_estimate_ends(void **state)
{
    (void)state;
    compare(1, 3000, false);
    compare(7, 3000, false);
    compare(7, 300, true);
    compare(100, 30, false);
}

static void before_two_draws_the_interval_is_open(void **state)
{
    (void)state;
    gmc_running running;
    assert_int_equal(gmc_running_create(&running, 3, false, 0.95), GMC_OK);
    gmc_estimate e = gmc_running_estimate(&running);
    assert_true(isnan(e.p));
    assert_true(e.lower == 0.0);
    assert_true(e.upper == 1.0);
    for (int i = 0; i < 5; i++)
        gmc_running_add(&running, (uint64_t)(i / 3),
                        i % 2 ? GMC_VERDICT_FAILURE : GMC_VERDICT_SUCCESS);
    e = gmc_running_estimate(&running);
    ASSERT_NEAR(e.p, 0.6, 0.0);
    assert_true(e.lower == 0.0);
    assert_true(e.upper == 1.0);
    assert_int_equal(e.method, GMC_METHOD_DRAWS);
    gmc_running_add(&running, 1, GMC_VERDICT_FAILURE);
    e = gmc_running_estimate(&running);
    assert_int_equal(e.draws, 2);
    ASSERT_NEAR(e.p, 0.5, 0.0);
    gmc_running_free(&running);
}

static void a_draw_far_behind_is_left_out(void **state)
{
    (void)state;
    gmc_running running;
    assert_int_equal(gmc_running_create(&running, 2, false, 0.95), GMC_OK);
    gmc_running_add(&running, 0, GMC_VERDICT_SUCCESS); // its second trial takes very long
    for (uint64_t d = 1; d < 2000; d++) {
        gmc_running_add(&running, d, GMC_VERDICT_SUCCESS);
        gmc_running_add(&running, d, GMC_VERDICT_FAILURE);
    }
    gmc_running_add(&running, 2048, GMC_VERDICT_SUCCESS); // open where draw 0 was
    gmc_running_add(&running, 0, GMC_VERDICT_SUCCESS);
    gmc_estimate e = gmc_running_estimate(&running);
    assert_int_equal(e.draws, 1999);
    assert_int_equal(e.left_out, 2);
    ASSERT_NEAR(e.p, 0.5, 0.0);
    assert_int_equal(gmc_tally_trials(running.all), 2 * 1999 + 3);
    gmc_running_free(&running);
}

int test_running(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_where_the_pooled_estimate_ends),
        cmocka_unit_test(before_two_draws_the_interval_is_open),
        cmocka_unit_test(a_draw_far_behind_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

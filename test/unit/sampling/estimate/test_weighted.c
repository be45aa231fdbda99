#include "engine/base/status.h"
#include "sampling/estimate/weighted.h"
#include "test/support/chance.h"
#include "test/support/near.h"

#include <string.h>

static const gmc_tally SUCCESS = {.successes = 1}, FAILURE = {.failures = 1};

static void equal_weights_give_the_share(void **state)
{
    (void)state;
    gmc_weighted w = gmc_weighted_start(10, false);
    for (uint64_t d = 0; d < 200; d++)
        gmc_weighted_add(&w, d, 1, d % 4 == 0 ? FAILURE : SUCCESS);
    gmc_estimate e = gmc_weighted_estimate(&w, 0.95);
    ASSERT_NEAR(e.p, 0.75, 1e-14);
    ASSERT_NEAR(e.effective, 200, 1e-10);
    ASSERT_NEAR(gmc_weighted_mean(&w), 1, 1e-14);
    assert_int_equal(e.method, GMC_METHOD_WEIGHTED);
    assert_int_equal(e.draws, 200);
    assert_false(e.is_widened);
    // Clopper-Pearson of 150 of 200 is [0.684, 0.808]; t for z and n for n − 1 move it by a
    // hundredth
    ASSERT_NEAR(e.lower, 0.684, 0.003);
    ASSERT_NEAR(e.upper, 0.808, 0.003);
}

/// The same by the formulae, from the list of draws.
static double by_hand(const double *w, const double *y, int n)
{
    double beta[2];
    for (int half = 0; half < 2; half++) {
        double count = 0, sw = 0, sy = 0, sww = 0, swy = 0;
        for (int i = half; i < n; i += 2) {
            count++;
            sw += w[i];
            sy += w[i] * y[i];
            sww += w[i] * w[i];
            swy += w[i] * y[i] * w[i];
        }
        beta[half] = (swy - sy * sw / count) / (sww - sw * sw / count);
    }
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += w[i] * y[i] - beta[1 - i % 2] * (w[i] - 1);
    return sum / n;
}

static void the_estimate_is_that_of_the_formulae(void **state)
{
    (void)state;
    enum { N = 500 };
    double w[N], y[N], sum = 0, square = 0;
    gmc_chance chance = {7};
    gmc_weighted all = gmc_weighted_start(5, false);
    for (int i = 0; i < N; i++) {
        w[i] = gmc_chance_uniform(&chance, 0.01, 5);
        y[i] = gmc_chance_uniform(&chance, 0, 6) > w[i];
        sum += w[i];
        square += w[i] * w[i];
        gmc_weighted_add(&all, (uint64_t)i, w[i], y[i] > 0 ? SUCCESS : FAILURE);
    }
    gmc_estimate e = gmc_weighted_estimate(&all, 0.95);
    ASSERT_NEAR(e.p, fmin(fmax(by_hand(w, y, N), 0), 1), 1e-12);
    ASSERT_NEAR(e.effective, sum * sum / square, 1e-9);
    ASSERT_NEAR(gmc_weighted_mean(&all), sum / N, 1e-13);
    assert_true(e.lower < e.p);
    assert_true(e.p < e.upper);
}

static void rare_failures_keep_their_digits(void **state)
{
    (void)state;
    gmc_weighted w = gmc_weighted_start(10, true);
    for (uint64_t d = 0; d < 1000; d++) // half fail, with a weight of a millionth
        gmc_weighted_add(&w, d, d % 4 < 2 ? 1e-6 : 2 - 1e-6, d % 4 < 2 ? FAILURE : SUCCESS);
    gmc_estimate e = gmc_weighted_estimate(&w, 0.95);
    ASSERT_NEAR((1 - e.p) / 0.5e-6, 1, 1e-9); // what 1 - p keeps of it
    assert_true(e.lower > 1 - 0.7e-6);
    assert_true(e.upper < 1 - 0.4e-6);
    assert_true(e.upper <= 1);
    ASSERT_NEAR(gmc_weighted_effective_failing(&w), 500, 1e-6);
    assert_true(gmc_weighted_unseen(&w, true, 0.95) == 0);
    // not known to be covered: failures at the weight 2 are not ruled out
    w.is_covered = false;
    gmc_estimate open = gmc_weighted_estimate(&w, 0.95);
    ASSERT_NEAR(e.lower - open.lower, 10 * 0.0036820839, 1e-7); // 1 - 0.025^(1/1000)
    assert_true(open.upper == e.upper);
    assert_true(open.is_widened);
    assert_true(open.p == e.p);
}

static void none_seen_is_not_none_there(void **state)
{
    (void)state;
    gmc_weighted w = gmc_weighted_start(10, false);
    for (uint64_t d = 0; d < 1000; d++)
        gmc_weighted_add(&w, d, d % 2 ? 1.5 : 0.5, SUCCESS);
    gmc_estimate e = gmc_weighted_estimate(&w, 0.95);
    assert_true(e.p == 1);
    assert_true(e.upper == 1);
    assert_true(e.is_widened);
    // ten times 1 - 0.025^(1/1000)
    ASSERT_NEAR(e.lower, 1 - 10 * 0.0036820839, 1e-7);
}

static void what_weights_explain_is_not_sure(void **state)
{
    (void)state;
    // all 360 draws proposed fail, none of the others: 0.2 by the weights alone, residuals are 0
    for (int swapped = 0; swapped < 2; swapped++) {
        gmc_weighted w = gmc_weighted_start(10, true);
        gmc_tally proposed = swapped ? SUCCESS : FAILURE, others = swapped ? FAILURE : SUCCESS;
        for (uint64_t d = 0; d < 400; d++)
            gmc_weighted_add(&w, d, d % 20 < 18 ? 0.2 : 8.2, d % 20 < 18 ? proposed : others);
        gmc_estimate e = gmc_weighted_estimate(&w, 0.95);
        ASSERT_NEAR(e.p, swapped ? 0.18 : 0.82, 1e-12);
        // one of the proposed ones might have ended otherwise: 0.2 (1 - 0.025^(1/400))
        double other = 0.2 * (1 - pow(0.025, 1 / 400.0));
        ASSERT_NEAR(e.upper, e.p + other, 1e-9);
        ASSERT_NEAR(e.lower, e.p - other, 1e-9);
    }
}

static void too_few_effective_draws_have_no_interval(void **state)
{
    (void)state;
    gmc_weighted w = gmc_weighted_start(1000, true);
    gmc_estimate e = gmc_weighted_estimate(&w, 0.95);
    assert_true(isnan(e.p));
    assert_true(e.lower == 0);
    assert_true(e.upper == 1);
    for (uint64_t d = 0; d < 1000; d++)
        gmc_weighted_add(&w, d, d % 100 ? 0.01 : 90, d % 3 ? SUCCESS : FAILURE);
    e = gmc_weighted_estimate(&w, 0.95);
    assert_true(e.effective > 10);
    assert_true(e.effective < GMC_WEIGHTED_LEAST);
    assert_true(e.lower == 0);
    assert_true(e.upper == 1);
    assert_true(!e.is_widened);
    char text[GMC_ESTIMATE_TEXT_MAX];
    assert_non_null(strstr(gmc_estimate_text(&e, text), "effective 10 of 1000 draws: too few"));
}

static void unsolved_trials_widen_the_interval(void **state)
{
    (void)state;
    gmc_weighted w = gmc_weighted_start(2, false);
    for (uint64_t d = 0; d < 400; d++)
        gmc_weighted_add(&w, d, 1,
                         d % 4 == 0   ? FAILURE
                         : d % 4 == 1 ? (gmc_tally){.unsolved = 1}
                                      : SUCCESS);
    gmc_estimate e = gmc_weighted_estimate(&w, 0.95);
    ASSERT_NEAR(e.p, 2 / 3.0, 1e-12);
    ASSERT_NEAR(e.unsolved_lower, 0.5, 1e-12);
    ASSERT_NEAR(e.unsolved_upper, 0.75, 1e-12);
    assert_true(e.lower < 0.5);
    assert_true(e.upper > 0.75);
}

static void a_draw_counts_once_however_many_cases_it_has(void **state)
{
    (void)state;
    gmc_weighted one = gmc_weighted_start(2, false), four = gmc_weighted_start(2, false);
    for (uint64_t d = 0; d < 300; d++) {
        double weight = d % 2 ? 1.5 : 0.5;
        bool fails = d % 5 == 0;
        gmc_weighted_add(&one, d, weight, fails ? FAILURE : SUCCESS);
        gmc_weighted_add(&four, d, weight,
                         (gmc_tally){.successes = fails ? 0 : 4, .failures = fails ? 4 : 0});
    }
    gmc_estimate a = gmc_weighted_estimate(&one, 0.95), b = gmc_weighted_estimate(&four, 0.95);
    assert_true(a.p == b.p);
    assert_true(a.lower == b.lower);
    assert_true(a.upper == b.upper);
    assert_int_equal(b.tally.failures, 240);
}

int test_weighted(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_weights_give_the_share),
        cmocka_unit_test(the_estimate_is_that_of_the_formulae),
        cmocka_unit_test(rare_failures_keep_their_digits),
        cmocka_unit_test(none_seen_is_not_none_there),
        cmocka_unit_test(what_weights_explain_is_not_sure),
        cmocka_unit_test(too_few_effective_draws_have_no_interval),
        cmocka_unit_test(unsolved_trials_widen_the_interval),
        cmocka_unit_test(a_draw_counts_once_however_many_cases_it_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

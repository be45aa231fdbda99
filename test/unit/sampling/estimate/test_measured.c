#include "engine/base/status.h"
#include "sampling/estimate/fit.h"
#include "sampling/estimate/measured.h"
#include "test/support/chance.h"
#include "test/support/near.h"

enum { ROWS_MAX = 5000 };
static const double LEVEL = 0.95;
static const gmc_measured_trials HELD = {0, 0}, FAILED = {1, 0}, UNKNOWN = {0, 1};
static double rows[ROWS_MAX];

// tilts at which a block began to slide, as friction
static const double TILTS[] = {0.41, 0.46, 0.39, 0.44, 0.52, 0.43, 0.40,
                               0.47, 0.45, 0.42, 0.48, 0.44, 0.38, 0.45};

static gmc_distribution rows_of(int count)
{
    return (gmc_distribution){
        .type = GMC_DISTRIBUTION_EMPIRICAL, .values = rows, .value_count = count};
}

/// Every row `each` times; the first `held` hold, the next `unknown` have no verdict.
static gmc_measured_answer of_rows(int count, int held, int unknown, int64_t each, double level)
{
    gmc_distribution law = rows_of(count);
    gmc_measured_input input = {&law, 5};
    gmc_measured *laws;
    gmc_measured_sums sums;
    assert_int_equal(gmc_measured_create(&input, 1, &laws), GMC_OK);
    assert_int_equal(gmc_measured_sums_create(&sums), GMC_OK);
    for (int r = 0; r < count; r++) {
        double at = r;
        gmc_measured_trials as = r < held ? HELD : r < held + unknown ? UNKNOWN : FAILED;
        gmc_measured_add(&sums, gmc_measured_weigh(laws, &at), as, each);
    }
    gmc_measured_answer answer = gmc_measured_interval(laws, &sums, level);
    gmc_measured_sums_free(&sums);
    gmc_measured_free(laws);
    return answer;
}

static void rows_that_hold_or_not_have_the_exact_interval(void **state)
{
    (void)state;
    static const int CASES[][2] = {{14, 12}, {14, 14}, {14, 0}, {50, 43}, {3, 3}, {1, 1}};
    for (int i = 0; i < GMC_COUNT(CASES); i++) {
        int n = CASES[i][0], held = CASES[i][1];
        gmc_interval exact = gmc_proportion_clopper_pearson(held, n, LEVEL);
        gmc_measured_answer found = of_rows(n, held, 0, 1000, LEVEL);
        // the 24th of 1000 laws scatters by a fifth of its own tail
        ASSERT_NEAR(found.interval.lower, exact.lower, 0.025);
        ASSERT_NEAR(found.interval.upper, exact.upper, 0.025);
        assert_true(found.effective == 1000.0 * n);
    }
}

static void more_rows_than_are_kept_weigh_the_same_way(void **state)
{
    (void)state;
    gmc_interval exact = gmc_proportion_clopper_pearson(4000, 5000, LEVEL);
    gmc_measured_answer found = of_rows(5000, 4000, 0, 20, LEVEL);
    ASSERT_NEAR(found.interval.lower, exact.lower, 0.002);
    ASSERT_NEAR(found.interval.upper, exact.upper, 0.002);
    gmc_measured_answer kept = of_rows(4096, 3277, 0, 20, LEVEL);
    ASSERT_NEAR(kept.interval.lower, exact.lower, 0.004);
}

static void trials_without_a_verdict_count_both_ways(void **state)
{
    (void)state;
    gmc_measured_answer all = of_rows(20, 15, 3, 50, LEVEL);
    assert_true(all.interval.lower == of_rows(20, 15, 0, 50, LEVEL).interval.lower);
    assert_true(all.interval.upper == of_rows(20, 18, 0, 50, LEVEL).interval.upper);
}

static void nothing_is_told_of_nothing(void **state)
{
    (void)state;
    gmc_measured_answer none = of_rows(20, 15, 3, 0, LEVEL);
    assert_true(none.interval.lower == 0);
    assert_true(none.interval.upper == 1);
    gmc_measured_answer sure = of_rows(20, 15, 3, 50, 0.9999);
    assert_true(sure.interval.lower == 0);
    assert_true(sure.interval.upper == 1);
}

/// Trials whose numbers are the middles of equal parts of the fit, success above `edge`.
static gmc_measured_answer of_fit(const char *family, int count, int trials, double edge,
                                  double lower)
{
    gmc_distribution law;
    const char *hint;
    assert_null(gmc_fit_find(family)->fit(TILTS, count, &law, &hint));
    if (lower > 0) {
        law.is_truncated = true;
        law.lower = lower;
        law.upper = HUGE_VAL;
    }
    gmc_measured_input input = {&law, 9};
    gmc_measured *laws;
    gmc_measured_sums sums;
    assert_int_equal(gmc_measured_count(&law), count);
    assert_int_equal(gmc_measured_create(&input, 1, &laws), GMC_OK);
    assert_int_equal(gmc_measured_sums_create(&sums), GMC_OK);
    for (int i = 0; i < trials; i++) {
        double x = gmc_distribution_quantile(&law, (i + 0.5) / trials);
        gmc_measured_add(&sums, gmc_measured_weigh(laws, &x), x >= edge ? HELD : FAILED, 1);
    }
    gmc_measured_answer answer = gmc_measured_interval(laws, &sums, LEVEL);
    gmc_measured_sums_free(&sums);
    gmc_measured_free(laws);
    return answer;
}

static void a_fit_has_the_interval_of_the_noncentral_t_law(void **state)
{
    (void)state;
    // scipy 1.10: nct of √14 (mean − edge)/sd, 13 degrees of freedom, solved for its 2.5 % ends
    gmc_measured_answer log = of_fit("lognormal", 14, 20000, 0.40, 0);
    ASSERT_NEAR(log.interval.lower, 0.6438100577, 0.006);
    ASSERT_NEAR(log.interval.upper, 0.9535357631, 0.003);
    gmc_measured_answer plain = of_fit("normal", 14, 20000, 0.40, 0);
    ASSERT_NEAR(plain.interval.lower, 0.6390657824, 0.006);
    ASSERT_NEAR(plain.interval.upper, 0.9515366063, 0.003);
    assert_true(plain.effective > 1000);
    assert_true(plain.effective < 20000);
}

static void limits_of_a_fit_are_kept(void **state)
{
    (void)state;
    gmc_measured_answer a = of_fit("normal", 14, 20000, 0.40, 0.39);
    gmc_measured_answer whole = of_fit("normal", 14, 20000, 0.40, 0);
    assert_true(a.interval.lower > whole.interval.lower);
    assert_true(a.interval.upper > whole.interval.upper);
    gmc_measured_answer all = of_fit("normal", 14, 20000, 0.39, 0.39);
    assert_true(all.interval.upper == 1);
    assert_true(all.interval.lower > 0.99);
}

static void too_few_draws_tell_nothing_of_a_fit(void **state)
{
    (void)state;
    gmc_measured_answer a = of_fit("normal", 14, 20, 0.40, 0);
    assert_true(a.effective < GMC_MEASURED_LEAST);
    assert_true(a.interval.lower == 0);
    assert_true(a.interval.upper == 1);
}

static void inputs_together_leave_more_open(void **state)
{
    (void)state;
    gmc_distribution laws_of[2] = {rows_of(14), rows_of(20)};
    gmc_measured_input inputs[2] = {{&laws_of[0], 5}, {&laws_of[1], 6}};
    gmc_measured *laws;
    gmc_measured_sums sums;
    assert_int_equal(gmc_measured_create(inputs, 2, &laws), GMC_OK);
    assert_int_equal(gmc_measured_sums_create(&sums), GMC_OK);
    for (int a = 0; a < 14; a++)
        for (int b = 0; b < 20; b++) {
            double at[2] = {a, b};
            gmc_measured_add(&sums, gmc_measured_weigh(laws, at), a < 12 && b < 19 ? HELD : FAILED,
                             10);
        }
    gmc_interval both = gmc_measured_interval(laws, &sums, LEVEL).interval;
    gmc_interval first = gmc_proportion_clopper_pearson(12, 14, LEVEL);
    gmc_interval second = gmc_proportion_clopper_pearson(19, 20, LEVEL);
    assert_true(both.lower < first.lower * second.upper);
    assert_true(both.upper < first.upper);
    assert_true(both.lower > first.lower * second.lower);
    assert_true(both.lower < 12.0 * 19 / 280);
    gmc_measured_sums_free(&sums);
    gmc_measured_free(laws);
}

int test_measured(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_that_hold_or_not_have_the_exact_interval),
        cmocka_unit_test(more_rows_than_are_kept_weigh_the_same_way),
        cmocka_unit_test(trials_without_a_verdict_count_both_ways),
        cmocka_unit_test(nothing_is_told_of_nothing),
        cmocka_unit_test(a_fit_has_the_interval_of_the_noncentral_t_law),
        cmocka_unit_test(limits_of_a_fit_are_kept),
        cmocka_unit_test(too_few_draws_tell_nothing_of_a_fit),
        cmocka_unit_test(inputs_together_leave_more_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "engine/base/status.h"
#include "sampling/estimate/estimate.h"
#include "sampling/estimate/proportion.h"
#include "test/support/near.h"

#include <string.h>

static const char *text_of(gmc_estimate e)
{
    static char text[GMC_ESTIMATE_TEXT_MAX];
    return gmc_estimate_text(&e, text);
}

static gmc_tally tally(int64_t successes, int64_t failures, int64_t unsolved)
{
    return (gmc_tally){.successes = successes, .failures = failures, .unsolved = unsolved};
}

static void the_line_of_the_style_page(void **state)
{
    (void)state;
    assert_string_equal(text_of(gmc_estimate_of(tally(9340, 660, 12), 0.95, GMC_METHOD_WILSON)),
                        "0.934 [0.928, 0.939] 95 % Wilson, 9340 of 10000; 12 unsolved: 0.933 ... "
                        "0.934, sampling alone [0.929, 0.939]");
    assert_string_equal(
        text_of(gmc_estimate_of(tally(9340, 660, 0), 0.999, GMC_METHOD_CLOPPER_PEARSON)),
        "0.934 [0.925, 0.942] 99.9 % Clopper-Pearson, 9340 of 10000");
}

static void exact_ends_differ_from_rounded_ones(void **state)
{
    (void)state;
    assert_string_equal(text_of(gmc_estimate_of(tally(300, 0, 0), 0.95, GMC_METHOD_WILSON)),
                        "1 [0.988, 1] 95 % Clopper-Pearson, 300 of 300");
    assert_string_equal(text_of(gmc_estimate_of(tally(0, 3, 0), 0.95, GMC_METHOD_WILSON)),
                        "0 [0, 0.708] 95 % Clopper-Pearson, 0 of 3");
}

static void decimals_follow_the_width(void **state)
{
    (void)state;
    assert_string_equal(
        text_of(gmc_estimate_of(tally(5000000, 5000000, 0), 0.95, GMC_METHOD_WILSON)),
        "0.5000 [0.4997, 0.5003] 95 % Wilson, 5000000 of 10000000");
    // one failure in a hundred thousand must not read as certainty
    assert_string_equal(text_of(gmc_estimate_of(tally(99999, 1, 0), 0.95, GMC_METHOD_WILSON)),
                        "0.99999 [0.99994, 1.00000] 95 % Clopper-Pearson, 99999 of 100000");
}

static void no_failure_found_and_none_told(void **state)
{
    (void)state;
    gmc_estimate e = {.p = 1,
                      .lower = 0.9954,
                      .upper = 1,
                      .level = 0.95,
                      .method = GMC_METHOD_SUBSET,
                      .draws = 8,
                      .is_widened = true};
    assert_string_equal(
        text_of(e), "1 [0.995, 1] 95 % subset simulation, 8 runs, of which none found a failure");
    e.p = 0.9999;
    assert_string_equal(text_of(e), "0.9999 [0.9954, 1] 95 % subset simulation, 8 runs (widened)");
    e.p = (double)NAN;
    assert_string_equal(text_of(e), "not told, see below");
}

static void nothing_decided_is_said(void **state)
{
    (void)state;
    gmc_estimate none = gmc_estimate_of(tally(0, 0, 12), 0.95, GMC_METHOD_WILSON);
    assert_true(isnan(none.p));
    assert_true(none.lower == 0.0);
    assert_true(none.upper == 1.0);
    assert_string_equal(text_of(none), "no trial decided; 12 unsolved: 0 ... 1");
    assert_string_equal(text_of(gmc_estimate_of(tally(0, 0, 0), 0.95, GMC_METHOD_WILSON)),
                        "no trial decided");
}

static void draws_and_what_was_left_out_are_named(void **state)
{
    (void)state;
    gmc_estimate e = {.p = 0.512,
                      .lower = 0.48,
                      .upper = 0.544,
                      .level = 0.95,
                      .method = GMC_METHOD_DRAWS,
                      .tally = tally(22579, 21521, 0),
                      .draws = 100};
    assert_string_equal(text_of(e),
                        "0.512 [0.480, 0.544] 95 % Korn-Graubard over 100 draws, 22579 of 44100");
    e.is_widened = true;
    e.left_out = 17;
    assert_string_equal(
        text_of(e), "0.512 [0.480, 0.544] 95 % Korn-Graubard over 100 draws (widened), 22579 of "
                    "44100; 17 trials of incomplete draws left out");
}

static void the_interval_holds_the_unsolved_on_either_side(void **state)
{
    (void)state;
    static const gmc_method METHODS[] = {GMC_METHOD_WILSON, GMC_METHOD_CLOPPER_PEARSON};
    for (int m = 0; m < GMC_COUNT(METHODS); m++) {
        gmc_estimate e = gmc_estimate_of(tally(170, 145, 30), 0.95, METHODS[m]);
        gmc_estimate bad = gmc_estimate_of(tally(170, 175, 0), 0.95, METHODS[m]);
        gmc_estimate good = gmc_estimate_of(tally(200, 145, 0), 0.95, METHODS[m]);
        gmc_estimate alone = gmc_estimate_of(tally(170, 145, 0), 0.95, METHODS[m]);
        assert_true(e.lower == bad.lower);
        assert_true(e.upper == good.upper);
        assert_true(e.p == alone.p);
        assert_true(e.unsolved_lower == bad.p);
        assert_true(e.unsolved_upper == good.p);
        gmc_interval sampling = gmc_estimate_sampling(&e);
        assert_true(sampling.lower == alone.lower);
        assert_true(sampling.upper == alone.upper);
    }
    // the printed interval left out 163 trials of this run: 1 [0.99992, 1]
    gmc_estimate all = gmc_estimate_of(tally(49837, 0, 163), 0.95, GMC_METHOD_WILSON);
    assert_true(all.lower < all.unsolved_lower);
    assert_true(all.upper == 1);
    // few that are decided stay few, however many are not
    gmc_estimate few = gmc_estimate_of(tally(5000, 3, 5000), 0.95, GMC_METHOD_WILSON);
    assert_int_equal(few.method, GMC_METHOD_CLOPPER_PEARSON);
    assert_true(few.lower < 0.5);
    assert_true(few.upper > 0.999);
}

static void what_is_not_told_apart_is_the_whole_interval(void **state)
{
    (void)state;
    gmc_estimate e = {.lower = 0.2, .upper = 0.3, .method = GMC_METHOD_SUBSET};
    gmc_interval sampling = gmc_estimate_sampling(&e);
    assert_true(sampling.lower == 0.2);
    assert_true(sampling.upper == 0.3);
}

static void a_level_has_as_many_digits_as_it_needs(void **state)
{
    (void)state;
    const struct {
        double level;
        const char *text;
    } levels[] = {{0.95, "] 95 % C"},         {0.9, "] 90 % C"},         {0.999, "] 99.9 % C"},
                  {59.0 / 60, "] 98.33 % C"}, {0.99999, "] 99.999 % C"}, {0.975, "] 97.5 % C"}};
    for (int i = 0; i < GMC_COUNT(levels); i++) {
        const char *text =
            text_of(gmc_estimate_of(tally(9, 1, 0), levels[i].level, GMC_METHOD_WILSON));
        if (!strstr(text, levels[i].text)) fail_msg("%s in %s", levels[i].text, text);
    }
}

static void the_longest_text_fits(void **state)
{
    (void)state;
    int64_t most = INT64_MAX / 4;
    gmc_estimate e = {.p = 0.5,
                      .lower = 0.5 - 1e-15,
                      .upper = 0.5 + 1e-15,
                      .level = 0.123456789123456,
                      .method = GMC_METHOD_DRAWS,
                      .tally = tally(most, most, most),
                      .draws = INT64_MAX,
                      .left_out = INT64_MAX,
                      .unsolved_lower = 1.0 / 3,
                      .unsolved_upper = 2.0 / 3,
                      .sampling_lower = 0.4,
                      .sampling_upper = 0.6,
                      .is_widened = true};
    const char *text = text_of(e);
    assert_true(strlen(text) + 1 < GMC_ESTIMATE_TEXT_MAX); // nothing was cut
    assert_non_null(strstr(text, "left out"));
}

static void the_interval_is_that_of_the_method(void **state)
{
    (void)state;
    gmc_interval w = gmc_proportion_wilson(170, 315, 0.9);
    gmc_interval cp = gmc_proportion_clopper_pearson(170, 315, 0.9);
    gmc_estimate a = gmc_estimate_of(tally(170, 145, 0), 0.9, GMC_METHOD_WILSON);
    gmc_estimate b = gmc_estimate_of(tally(170, 145, 0), 0.9, GMC_METHOD_CLOPPER_PEARSON);
    assert_true(a.lower == w.lower);
    assert_true(a.upper == w.upper);
    assert_true(a.level == 0.9);
    assert_true(b.lower == cp.lower);
    assert_true(b.upper == cp.upper);
    assert_int_equal(a.method, GMC_METHOD_WILSON);
    // one count fewer than is asked of Wilson's, on either side
    for (int k = GMC_PROPORTION_FEW - 1; k <= GMC_PROPORTION_FEW; k++) {
        gmc_method expected =
            k < GMC_PROPORTION_FEW ? GMC_METHOD_CLOPPER_PEARSON : GMC_METHOD_WILSON;
        assert_int_equal(gmc_estimate_of(tally(k, 900, 0), 0.95, GMC_METHOD_WILSON).method,
                         expected);
        assert_int_equal(gmc_estimate_of(tally(900, k, 0), 0.95, GMC_METHOD_WILSON).method,
                         expected);
    }
    for (int m = 0; m < GMC_METHOD_COUNT; m++)
        assert_string_not_equal(gmc_estimate_method_name((gmc_method)m), "unknown");
    assert_string_equal(gmc_estimate_method_name(GMC_METHOD_COUNT), "unknown");
}

static void open_trials_make_a_range(void **state)
{
    (void)state;
    char text[GMC_ESTIMATE_TEXT_MAX];
    gmc_estimate_range range = {
        .lowest = gmc_estimate_of(tally(1488, 512, 0), 0.95, GMC_METHOD_WILSON),
        .highest = gmc_estimate_of(tally(1977, 23, 0), 0.95, GMC_METHOD_WILSON),
        .open = 489};
    assert_string_equal(gmc_estimate_range_text(&range, text),
                        "between 0.744 and 0.989 [0.724, 0.993] 95 % Wilson and Clopper-Pearson, "
                        "1488 to 1977 of 2000: 489 open");
    // who is meant is open, too; and some are unsolved
    range =
        (gmc_estimate_range){.lowest = gmc_estimate_of(tally(7, 2, 1), 0.95, GMC_METHOD_WILSON),
                             .highest = gmc_estimate_of(tally(8, 0, 1), 0.95, GMC_METHOD_WILSON)};
    assert_string_equal(gmc_estimate_range_text(&range, text),
                        "between 0.778 and 1 [0.348, 1] 95 % Clopper-Pearson, 7 of 9 to 8 of 8; 1 "
                        "unsolved: 0.700 ... 1");
}

int test_estimate(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_line_of_the_style_page),
        cmocka_unit_test(exact_ends_differ_from_rounded_ones),
        cmocka_unit_test(decimals_follow_the_width),
        cmocka_unit_test(nothing_decided_is_said),
        cmocka_unit_test(no_failure_found_and_none_told),
        cmocka_unit_test(draws_and_what_was_left_out_are_named),
        cmocka_unit_test(a_level_has_as_many_digits_as_it_needs),
        cmocka_unit_test(the_interval_holds_the_unsolved_on_either_side),
        cmocka_unit_test(what_is_not_told_apart_is_the_whole_interval),
        cmocka_unit_test(the_longest_text_fits),
        cmocka_unit_test(the_interval_is_that_of_the_method),
        cmocka_unit_test(open_trials_make_a_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

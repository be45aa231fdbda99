#include "engine/outcome.h"
#include "engine/rollout.h"
#include "test/support/cmocka_all.h"

#include <stdio.h>
#include <string.h>

static void every_outcome_and_reason_has_a_name_and_a_meaning(void **state)
{
    (void)state;
    for (int i = 0; i < GMC_OUTCOME_COUNT; i++) {
        assert_string_not_equal(gmc_outcome_name((gmc_outcome)i), "unknown");
        assert_true(strlen(gmc_outcome_about((gmc_outcome)i)) > 0);
    }
    for (int i = 0; i < GMC_REASON_COUNT; i++) {
        assert_string_not_equal(gmc_reason_name((gmc_reason)i), "unknown");
        assert_true(strlen(gmc_reason_about((gmc_reason)i)) > 0);
        for (int k = 0; k < i; k++)
            assert_string_not_equal(gmc_reason_name((gmc_reason)i), gmc_reason_name((gmc_reason)k));
    }
}

static void what_is_none_is_unknown(void **state)
{
    (void)state;
    assert_string_equal(gmc_outcome_name(GMC_OUTCOME_COUNT), "unknown");
    assert_string_equal(gmc_outcome_about(GMC_OUTCOME_COUNT), "");
    assert_string_equal(gmc_reason_name(GMC_REASON_COUNT), "unknown");
    assert_string_equal(gmc_reason_about(GMC_REASON_COUNT), "");
}

// The words quote limits that nobody can set: those of every rollout.
static void the_words_say_the_limits_that_hold(void **state)
{
    (void)state;
    gmc_rollout_options options = gmc_rollout_options_defaults();
    char text[64];
    snprintf(text, sizeof text, "more than %g mm", 1e3 * options.deep_start);
    assert_non_null(strstr(gmc_reason_about(GMC_REASON_DEEP_START), text));
    snprintf(text, sizeof text, "%g m/s", options.speed_max);
    assert_non_null(strstr(gmc_reason_about(GMC_REASON_DIVERGED), text));
    snprintf(text, sizeof text, "%g kN for %g ms", 1e-3 * options.force_max,
             1e3 * options.force_time);
    assert_non_null(strstr(gmc_reason_about(GMC_REASON_JAM), text));
}

int test_outcome(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_outcome_and_reason_has_a_name_and_a_meaning),
        cmocka_unit_test(what_is_none_is_unknown),
        cmocka_unit_test(the_words_say_the_limits_that_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

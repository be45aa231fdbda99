#include "engine/base/status.h"
#include "sampling/estimate/stop.h"
#include "test/support/near.h"

static void rules_are_read_in_the_ways_people_write_them(void **state)
{
    (void)state;
    static const struct {
        const char *text, *again;
        gmc_stop_kind kind;
        double threshold;
    } GOOD[] = {
        {"half_width<0.01", "half_width < 0.01", GMC_STOP_HALF_WIDTH, 0.01},
        {" half_width <= 1 % ", "half_width < 0.01", GMC_STOP_HALF_WIDTH, 0.01},
        {"half_width<3% by surrogate", "half_width < 0.03 by surrogate", GMC_STOP_SURROGATE, 0.03},
        {"half_width<0.01  by surrogate ", "half_width < 0.01 by surrogate", GMC_STOP_SURROGATE,
         0.01},
        {"success>=0.95", "success >= 0.95", GMC_STOP_AT_LEAST, 0.95},
        {"success > 95%", "success >= 0.95", GMC_STOP_AT_LEAST, 0.95},
        {"success<=5e-2", "success <= 0.05", GMC_STOP_AT_MOST, 0.05}};
    for (int i = 0; i < GMC_COUNT(GOOD); i++) {
        gmc_stop_rule rule = {0};
        char text[GMC_STOP_TEXT_MAX];
        if (!gmc_stop_parse(GOOD[i].text, &rule)) fail_msg("%s is refused", GOOD[i].text);
        assert_int_equal(rule.kind, GOOD[i].kind);
        ASSERT_NEAR(rule.threshold, GOOD[i].threshold, 0.0);
        assert_string_equal(gmc_stop_text(rule, text), GOOD[i].again);
        gmc_stop_rule again;
        assert_true(gmc_stop_parse(text, &again));
        ASSERT_NEAR(again.threshold, rule.threshold, 0.0);
    }
}

static void what_is_no_rule_is_refused(void **state)
{
    (void)state;
    static const char *const BAD[] = {"",
                                      "success",
                                      "success>=",
                                      "success>=0",
                                      "success>=1",
                                      "half_width>0.1",
                                      "half_width<-1",
                                      "failure>=0.5",
                                      "success>=0.5 or so",
                                      "success=0.5",
                                      "success>=0.9 by surrogate",
                                      "half_width<0.1 by",
                                      "half_width<0.1 by surrogates",
                                      "success>=nan"};
    for (int i = 0; i < GMC_COUNT(BAD); i++) {
        gmc_stop_rule rule = {.kind = GMC_STOP_NEVER};
        if (gmc_stop_parse(BAD[i], &rule)) fail_msg("%s is taken", BAD[i]);
        assert_int_equal(rule.kind, GMC_STOP_NEVER);
    }
}

static void verdicts_follow_the_interval(void **state)
{
    (void)state;
    const gmc_stop_rule width = {GMC_STOP_HALF_WIDTH, 0.05}, least = {GMC_STOP_AT_LEAST, 0.9},
                        most = {GMC_STOP_AT_MOST, 0.9}, never = {0};
    const gmc_interval low = {0.7, 0.85}, across = {0.86, 0.94}, high = {0.9, 0.99};
    assert_int_equal(gmc_stop_judge(width, low), GMC_STOP_UNDECIDED);
    const gmc_stop_rule helped = {GMC_STOP_SURROGATE, 0.05};
    assert_int_equal(gmc_stop_judge(helped, low), GMC_STOP_UNDECIDED);
    assert_int_equal(gmc_stop_judge(helped, across), GMC_STOP_YES);
    assert_int_equal(gmc_stop_judge(width, across), GMC_STOP_YES);
    assert_int_equal(gmc_stop_judge(least, low), GMC_STOP_NO);
    assert_int_equal(gmc_stop_judge(least, across), GMC_STOP_UNDECIDED);
    assert_int_equal(gmc_stop_judge(least, high), GMC_STOP_YES);
    assert_int_equal(gmc_stop_judge(most, low), GMC_STOP_YES);
    assert_int_equal(gmc_stop_judge(most, across), GMC_STOP_UNDECIDED);
    assert_int_equal(gmc_stop_judge(most, (gmc_interval){0.91, 0.99}), GMC_STOP_NO);
    assert_int_equal(gmc_stop_judge(never, across), GMC_STOP_UNDECIDED);
}

int test_stop(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_are_read_in_the_ways_people_write_them),
        cmocka_unit_test(what_is_no_rule_is_refused),
        cmocka_unit_test(verdicts_follow_the_interval),
    };
    return cmocka_run_group_tests_name("stop", tests, NULL, NULL);
}

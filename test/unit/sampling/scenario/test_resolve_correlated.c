#include "test/support/cmocka.h"
#include "test/support/near.h"
#include "test/support/one_reading.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void correlate(const char *pairs)
{
    char block[512];
    snprintf(block, sizeof block, "correlated: {%s}\n", pairs);
    gmc_reading_demo_with(&reading, NULL, block);
}

static void refuse(const char *pairs, const char *message)
{
    correlate(pairs);
    if (reading.status == GMC_OK || reading.report.error_count != 1 ||
        !strstr(reading.said, message))
        fail_msg("%s: expected `%s`, got:\n%s", pairs, message, reading.said);
}

static void test_pairs_are_found_whatever_their_slashes(void **state)
{
    (void)state;
    static const char *const KEYS[] = {
        "object.mass / friction.rubber/abs", "object.mass/friction.rubber/abs",
        "friction.rubber/abs/object.mass", "friction.abs/rubber / object.mass"};
    for (int i = 0; i < GMC_COUNT(KEYS); i++) {
        char pair[128];
        snprintf(pair, sizeof pair, "%s: 0.5", KEYS[i]);
        correlate(pair);
        if (reading.status != GMC_OK) fail_msg("%s: %s", pair, reading.said);
        const gmc_scenario *s = &reading.scenario;
        assert_int_equal(s->correlation_count, 1);
        assert_int_equal(s->correlations[0].lines[0] + s->correlations[0].lines[1], 5);
        // the first line of the two stays as it was, the second is mixed of both
        assert_int_equal(s->uncertain[0].mix_count, 0);
        assert_int_equal(s->uncertain[2].mix_count, 1);
        assert_int_equal(s->uncertain[3].mix_count, 2);
        ASSERT_BELOW(fabs(s->uncertain[3].mix[0].weight - 0.5), 1e-15);
    }
}

static void test_mistakes(void **state)
{
    (void)state;
    refuse("object.mass / object.pose.x: 1.5", "must be <= 1, found 1.5");
    refuse("object.mass / object.pose.x: much", "expected a pure number");
    refuse("object.mass / object.poze.x: 0.5", "did you mean object.pose.x?");
    refuse("object.mass / object.box.x: 0.5", "list it under uncertain");
    refuse("object.mass: 0.5", "expected two lines of uncertain, found object.mass");
    refuse("object.mass / object.mass: 0.5", "are the same line");
    refuse("object.mass / object.pose.x: 0.5, object.pose.x / object.mass: 0.5",
           "were given before");
    refuse("object.mass / object.pose.x: 0.9, object.pose.x / object.pose.yaw: 0.9, "
           "object.mass / object.pose.yaw: -0.9",
           "has the eigenvalue -0.8, mostly because of");
}

static void test_what_cannot_be_correlated(void **state)
{
    (void)state;
    static const char *const LAWS[][2] = {
        {"0.2 kg", "it does not vary"},
        {"one_of(0.1, 0.3, 0.2)", "its values have no order"},
        {"samples(data.csv, column kg)", "rows of a file have no order"}};
    gmc_scratch_text(&reading.scratch, "data.csv", "kg\n0.1\n0.2\n");
    char text[256];
    for (int i = 0; i < GMC_COUNT(LAWS); i++) {
        snprintf(text, sizeof text,
                 "  object.pose.y: normal(0, 1 mm)\n"
                 "correlated: {object.mass / object.pose.y: 0.5}\n");
        char demo[4096];
        const char *at = strstr(gmc_reading_demo, "uniform(0.1 kg, 0.3 kg)");
        snprintf(demo, sizeof demo, "%.*s%s%s%s", (int)(at - gmc_reading_demo), gmc_reading_demo,
                 LAWS[i][0], at + strlen("uniform(0.1 kg, 0.3 kg)"), text);
        gmc_reading_try(&reading, demo, NULL);
        if (!strstr(reading.said, LAWS[i][1])) fail_msg("%s:\n%s", LAWS[i][0], reading.said);
    }
    gmc_reading_demo_with(&reading, "uniform(0.1 kg, 0.3 kg)",
                          "one_of(0.1, 0.2, 0.3)\ncorrelated: {object.mass / object.pose.x: 1}\n#");
    assert_null(strstr(reading.said, "correlated"));
}

int test_resolve_correlated(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs_are_found_whatever_their_slashes),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_what_cannot_be_correlated),
    };
    return cmocka_run_group_tests(tests, open_reading, close_reading);
}

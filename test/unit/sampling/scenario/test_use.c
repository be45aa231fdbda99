#include "sampling/writing/expand.h"
#include "test/support/cmocka.h"
#include "test/support/fingerprint_digest.h"
#include "test/support/one_reading.h"

#include <stdlib.h>
#include <string.h>

static void test_blocks_start_from_files_of_their_own(void **state)
{
    (void)state;
    gmc_scratch_text(&reading.scratch, "eyes/error.yaml",
                     "object.pose: {sd: {x: 1 mm, yaw: 1 deg}, outliers: {share: 2 %}}\n");
    gmc_scratch_text(&reading.scratch, "eyes/cameras.yaml",
                     "head: {pose: {xyz: [1, 0, 1], look_at: object}}\n");
    gmc_scratch_text(&reading.scratch, "spread.yaml",
                     "object.pose.y: normal(0, 1 mm)\nobject.mass: uniform(1, 2)\n");
    gmc_reading_demo_with(&reading, "uncertain:\n",
                          "believed: {use: eyes/error.yaml, object.pose: {seen_by: head, "
                          "sd: {x: 2 mm}}}\n"
                          "cameras: {use: eyes/cameras.yaml}\n"
                          "uncertain:\n  use: spread.yaml\n");
    if (reading.status != GMC_OK) fail_msg("%s", reading.said);
    const gmc_scenario *s = &reading.scenario;
    // what stands beside `use` overrides it
    assert_true(gmc_reading_parameter(&reading, "believed.object.pose.sd.x")->nominal == 0.002);
    assert_true(gmc_reading_parameter(&reading, "believed.object.pose.sd.yaw")->nominal > 0.017);
    assert_int_equal(s->sight.camera, 0);
    assert_int_equal(s->uncertain_count, 5 + 3);
    assert_string_equal(s->uncertain[0].path, "object.pose.y");
    assert_true(s->uncertain[1].distribution.p[1] == 0.3); // the demo's own mass
    assert_int_equal(s->asset_count, 4);                   // with the hand
}

// A file in another folder names others as it sees them; the expanded text stands for itself.
static void test_files_of_blocks_are_seen_from_where_they_stand(void **state)
{
    (void)state;
    gmc_scratch_text(&reading.scratch, "eyes/error.yaml", "object.pose: {samples: rows.csv}\n");
    gmc_scratch_text(&reading.scratch, "eyes/rows.csv", "x [mm]\n1\n2\n");
    gmc_reading_demo_with(&reading, NULL, "believed: {use: eyes/error.yaml}\n");
    if (reading.status != GMC_OK) fail_msg("%s", reading.said);
    gmc_digest digest, again;
    digest = fingerprint_digest(&reading.scenario);
    char *text = NULL;
    assert_int_equal(gmc_expand_yaml(&reading.scenario, &text), GMC_OK);
    assert_non_null(strstr(text, "samples: eyes/rows.csv"));
    gmc_reading_try(&reading, text, NULL);
    free(text);
    if (reading.status != GMC_OK) fail_msg("%s", reading.said);
    again = fingerprint_digest(&reading.scenario);
    assert_memory_equal(&digest, &again, sizeof digest);
}

static void test_mistakes(void **state)
{
    (void)state;
    gmc_reading_demo_with(&reading, NULL, "believed: {use: none.yaml}\n");
    assert_non_null(strstr(reading.said, "no such file: none.yaml"));
    gmc_reading_demo_with(&reading, NULL, "believed: {use: [a, b]}\n");
    assert_non_null(strstr(reading.said, "use: expected a file name"));
    gmc_scratch_text(&reading.scratch, "whole.yaml", "believed: {object.pose: {x: 1 mm}}\n");
    gmc_reading_demo_with(&reading, NULL, "believed: {use: whole.yaml}\n");
    assert_non_null(
        strstr(reading.said, "whole.yaml:1:1: error: unknown key believed in believed"));
}

int test_use(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks_start_from_files_of_their_own),
        cmocka_unit_test(test_files_of_blocks_are_seen_from_where_they_stand),
        cmocka_unit_test(test_mistakes),
    };
    return cmocka_run_group_tests(tests, open_reading, close_reading);
}

#define _POSIX_C_SOURCE 200809L
#include "sampling/scenario/resolve.h"
#include "sampling/scenario/scenario.h"
#include "sampling/scenario/scenario_read.h"
#include "sampling/writing/expand.h"
#include "sampling/writing/fingerprint.h"
#include "sampling/writing/listing.h"
#include "test/support/cmocka.h"
#include "test/support/fingerprint_digest.h"
#include "test/support/one_reading.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void read_rich(void)
{
    gmc_reading_rich_files(&reading);
    gmc_reading_try(&reading, gmc_reading_rich, NULL);
    if (reading.status != GMC_OK) fail_msg("refused:\n%s", reading.said);
}

static char *expanded(void)
{
    char *text = NULL;
    assert_int_equal(gmc_expand_yaml(&reading.scenario, &text), GMC_OK);
    return text;
}

static gmc_digest digest(void)
{
    gmc_digest d;
    d = fingerprint_digest(&reading.scenario);
    return d;
}

// The expanded text reads back to the same digest and the same text, from disk and from what is
// embedded.
static void expect_round_trip(void)
{
    char *first = expanded();
    gmc_digest before = digest();
    gmc_reading_try(&reading, first, NULL);
    if (reading.status != GMC_OK) fail_msg("%s\nrefused:\n%s", first, reading.said);
    char *second = expanded();
    assert_string_equal(first, second);
    assert_string_equal(digest().hex, before.hex);

    // again without the disk
    gmc_asset assets[8];
    int count = reading.scenario.asset_count;
    assert_true(count <= GMC_COUNT(assets));
    for (int i = 0; i < count; i++) {
        assets[i] = reading.scenario.assets[i];
        assets[i].name = strdup(assets[i].name);
        assets[i].bytes = malloc(assets[i].size + 1);
        memcpy(assets[i].bytes, reading.scenario.assets[i].bytes, assets[i].size);
    }
    gmc_scratch_close(&reading.scratch);
    gmc_scenario_free(&reading.scenario);
    gmc_arena_reset(&reading.arena, 0);
    assert_int_equal(gmc_scenario_read_embedded(&(gmc_embedded){.file = "stored",
                                                                .text = first,
                                                                .bytes = strlen(first),
                                                                .assets = assets,
                                                                .asset_count = count},
                                                &reading.report, &reading.arena, &reading.scenario),
                     GMC_OK);
    assert_int_equal(gmc_resolve_scenario(&reading.scenario, &reading.report), GMC_OK);
    assert_string_equal(digest().hex, before.hex);
    for (int i = 0; i < count; i++) {
        free(assets[i].bytes);
        free((char *)(size_t)assets[i].name);
    }
    free(first);
    free(second);
    gmc_reading_close(&reading);
    gmc_reading_open(&reading);
}

static void test_the_demo_reads_back(void **state)
{
    (void)state;
    gmc_reading_try(&reading, gmc_reading_demo, NULL);
    assert_int_equal(reading.status, GMC_OK);
    expect_round_trip();
}

static void test_everything_reads_back(void **state)
{
    (void)state;
    read_rich();
    expect_round_trip();
}

static void test_a_merged_scenario_reads_back(void **state)
{
    (void)state;
    gmc_scratch_text(&reading.scratch, "deep/hand.urdf", "<robot name='deep'/>\n");
    gmc_scratch_text(&reading.scratch, "deep/mu.csv", "mu\n0.1\n0.2\n");
    gmc_scratch_text(&reading.scratch, "deep/base.yaml", gmc_reading_demo);
    const char *const sets[] = {"object.pose.y=3 mm", "hand.target.z=1 mm", NULL};
    gmc_scratch_text(
        &reading.scratch, "deep/more.yaml",
        "use: base.yaml\nuncertain:\n  friction.abs/wood: samples(mu.csv, column mu)\n");
    gmc_reading_try(&reading, "use: deep/more.yaml\nobject: {mass: 1 kg}\n", sets);
    if (reading.status != GMC_OK) fail_msg("refused:\n%s", reading.said);
    char *text = expanded();
    assert_non_null(strstr(text, "urdf: deep/hand.urdf"));
    assert_non_null(strstr(text, "samples(deep/mu.csv, column mu)"));
    assert_non_null(strstr(text, "y: 3 mm"));
    assert_null(strstr(text, "use:"));
    free(text);
    expect_round_trip();
}

// Every worked example: read, written out, read from what it embeds.
static void test_the_examples_read_back(void **state)
{
    (void)state;
    int count = 0;
    DIR *folder = opendir("scenarios");
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));) {
        char path[300];
        if (!strstr(entry->d_name, ".yaml")) continue;
        snprintf(path, sizeof path, "scenarios/%s", entry->d_name);
        gmc_scenario first;
        gmc_digest before;
        char *text = NULL;
        gmc_diagnostics_free(&reading.report);
        gmc_arena_reset(&reading.arena, 0);
        gmc_status status =
            gmc_scenario_read(path, NULL, NULL, &reading.report, &reading.arena, &first);
        if (status == GMC_OK) status = gmc_resolve_scenario(&first, &reading.report);
        // paths of joints need the hand; all else must be known here
        for (int i = 0; i < reading.report.count; i++)
            if (!strstr(reading.report.items[i].message, "parameter hand."))
                fail_msg("%s: %s", path, reading.report.items[i].message);
        if (status == GMC_OK) {
            assert_int_equal(gmc_expand_yaml(&first, &text), GMC_OK);
            before = fingerprint_digest(&first);
            gmc_scenario second;
            status = gmc_scenario_read_embedded(&(gmc_embedded){.file = path,
                                                                .text = text,
                                                                .bytes = strlen(text),
                                                                .assets = first.assets,
                                                                .asset_count = first.asset_count},
                                                &reading.report, &reading.arena, &second);
            if (status == GMC_OK) status = gmc_resolve_scenario(&second, &reading.report);
            assert_int_equal(status, GMC_OK);
            gmc_digest after;
            after = fingerprint_digest(&second);
            assert_string_equal(before.hex, after.hex);
            gmc_scenario_free(&second);
            free(text);
            count++;
        }
        gmc_scenario_free(&first);
    }
    closedir(folder);
    assert_true(count > 0);
}

static void test_every_default_is_written_out(void **state)
{
    (void)state;
    gmc_reading_try(&reading, gmc_reading_demo, NULL);
    char *text = expanded();
    static const char *const LINES[] = {"mount: driven",      "ramp: 0.1 s",  "time_limit: 60 s",
                                        "draws: 1000",        "seed: 1",      "stiffness: 2e6 N/m",
                                        "trajectories: none", "frame: world", "design: random"};
    for (int i = 0; i < GMC_COUNT(LINES); i++)
        if (!strstr(text, LINES[i])) fail_msg("no `%s` in\n%s", LINES[i], text);
    // but a height from which what rests would be set down, if it were written
    assert_non_null(strstr(text, "pose: {x: 0 m, y: 0 m, roll: 0 rad"));
    gmc_digest before = digest();
    free(text);
    gmc_reading_try(&reading, gmc_reading_demo, (const char *[]){"object.pose.z=0 m", NULL});
    text = expanded();
    assert_non_null(strstr(text, "pose: {x: 0 m, y: 0 m, z: 0 m, roll: 0 rad"));
    assert_string_not_equal(digest().hex, before.hex);
    free(text);
}

static void test_draws_and_seed_of_the_command_line(void **state)
{
    (void)state;
    gmc_reading_try(&reading, gmc_reading_demo, NULL);
    gmc_digest before = digest();
    reading.scenario.draws = 77;
    assert_string_equal(digest().hex, before.hex); // more draws, same experiment
    reading.scenario.seed = UINT64_MAX;
    assert_string_not_equal(digest().hex, before.hex);
    char *text = expanded();
    assert_non_null(strstr(text, "{design: random, draws: 77, seed: 18446744073709551615}"));
    gmc_digest changed = digest();
    gmc_reading_try(&reading, text, NULL);
    assert_int_equal(reading.status, GMC_OK);
    assert_string_equal(digest().hex, changed.hex);
    free(text);
}

static gmc_digest digest_of(const char *old, const char *fresh)
{
    gmc_reading_demo_with(&reading, old, fresh);
    if (reading.status != GMC_OK) fail_msg("refused:\n%s", reading.said);
    return digest();
}

static void test_what_the_digest_is_about(void **state)
{
    (void)state;
    gmc_digest plain = digest_of(NULL, "");
    static const char *const SAME[][2] = {
        {"mass: 0.2 kg", "mass: 200 g"},
        {"by: 100 mm", "by: 0.1"},
        {"lift(object) >= 80 mm", "lift(object)  >=  80 mm"},
        {"about: A", "about: Another"},
        {"uniform(0.1 kg, 0.3 kg)", "uniform(100 g, 300 g)"},
        {"friction: {rubber", "# words\nfriction: {rubber"},
    };
    for (int i = 0; i < GMC_COUNT(SAME); i++)
        if (strcmp(digest_of(SAME[i][0], SAME[i][1]).hex, plain.hex) != 0)
            fail_msg("%s", SAME[i][1]);
    static const char *const SAME_BEHIND[] = {"output: {trajectories: all, rate: 7}\n",
                                              "sampling: {draws: 3}\n",
                                              "simulation: {step: 2 ms}\n"};
    for (int i = 0; i < GMC_COUNT(SAME_BEHIND); i++)
        if (strcmp(digest_of(NULL, SAME_BEHIND[i]).hex, plain.hex) != 0)
            fail_msg("%s", SAME_BEHIND[i]);
    static const char *const OTHER[][2] = {
        {"mass: 0.2 kg", "mass: 0.3 kg"},
        {"lift(object) >= 80 mm", "lift(object) >= 81 mm"},
        {"until: stalled", "until: in_contact"},
        {"normal(0 mm, 4 mm)", "normal(0 mm, 5 mm)"},
        {"nominal + uniform", "uniform"},
        {"frame: tcp", "frame: base"},
        {"axis: x", "axis: y"},
    };
    for (int i = 0; i < GMC_COUNT(OTHER); i++)
        if (strcmp(digest_of(OTHER[i][0], OTHER[i][1]).hex, plain.hex) == 0)
            fail_msg("%s", OTHER[i][1]);
    static const char *const OTHER_BEHIND[] = {
        "sampling: {seed: 2}\n", "simulation: {step: 1 ms}\n",
        "study: {vary: {hand.target.x: [0, 1]}}\n", "gravity: [0, 0, -9.8]\n"};
    for (int i = 0; i < GMC_COUNT(OTHER_BEHIND); i++)
        if (strcmp(digest_of(NULL, OTHER_BEHIND[i]).hex, plain.hex) == 0)
            fail_msg("%s", OTHER_BEHIND[i]);
    gmc_scratch_text(&reading.scratch, "hand.urdf", "<robot name='another'/>\n");
    assert_string_not_equal(digest_of(NULL, "").hex, plain.hex);
}

static void test_the_fingerprint_names_paths(void **state)
{
    (void)state;
    gmc_reading_try(&reading, gmc_reading_demo, NULL);
    char *text = NULL;
    assert_int_equal(gmc_fingerprint_text(&reading.scenario, &text), GMC_OK);
    assert_non_null(strstr(text, "\nobject.mass: 0.2\n"));
    assert_non_null(strstr(text, "\nuncertain.object.mass: uniform(0.1, 0.3"));
    assert_non_null(strstr(text, "\nsampling.seed: 1\n"));
    assert_non_null(strstr(text, "\nfiles.hand.urdf: "));
    assert_null(strstr(text, "output."));
    free(text);
}

static void test_the_fingerprint_with_another_budget(void **state)
{
    (void)state;
    static const char RANK[] =
        "study: {vary: {hand.target.x: [0, 1, 2]}, draws: {first: 4, last: %d}, rank: {best: 1, "
        "within: 10 %%, budget: %d}}\n";
    char few[256], many[256], *text = NULL, *other = NULL;
    snprintf(few, sizeof few, RANK, 90, 300);
    snprintf(many, sizeof many, RANK, 1000, 200000);
    gmc_digest there = digest_of(NULL, few);
    gmc_digest here = digest_of(NULL, many);
    assert_string_not_equal(there.hex, here.hex);
    assert_int_equal(gmc_fingerprint_text(&reading.scenario, &text), GMC_OK); // of `many`
    assert_int_equal(gmc_fingerprint_with_budget(text, 300, 90, &other), GMC_OK);
    assert_string_equal(gmc_sha256_of(other, strlen(other)).hex, there.hex);
    free(other);
    assert_int_equal(gmc_fingerprint_with_budget(text, 200000, 1000, &other), GMC_OK);
    assert_string_equal(other, text);
    free(other);
    free(text);
}

static void test_json(void **state)
{
    (void)state;
    read_rich();
    char *text = NULL;
    assert_int_equal(gmc_expand_json(&reading.scenario, &text), GMC_OK);
    assert_non_null(strstr(text, "\"mass\": 0.045"));
    assert_non_null(strstr(text, "\"self_collision\": false"));
    assert_non_null(strstr(text, "quotes \\\" and: colons # and more\\u000athan one line"));
    assert_non_null(strstr(text, "\"draws\": 20"));
    free(text);
    assert_int_equal(gmc_listing_json(&reading.scenario, &text), GMC_OK);
    assert_non_null(strstr(text,
                           "{\"path\": \"objects.rod.mass\", \"value\": 0.045, \"unit\": \"kg\", "
                           "\"lower\": 2.2250738585072014e-308, \"upper\": null, "
                           "\"default\": false, \"varied_by\": null, \"distribution\": null}"));
    assert_non_null(strstr(text, "\"varied_by\": \"uncertain\", \"distribution\": \"nominal + "
                                 "normal(0, 0.004) in [-0.01, inf]\""));
    assert_non_null(strstr(text, "\"varied_by\": \"study\""));
    assert_non_null(strstr(text, "\"varied_by\": \"set\""));
    free(text);
}

static void test_the_listing_leaves_out_what_nothing_has(void **state)
{
    (void)state;
    gmc_reading_try(&reading, gmc_reading_demo,
                    (const char *[]){"friction.abs/cork=0.7", "friction.abs/wood=0.6", NULL});
    char *text = NULL;
    if (reading.status != GMC_OK) fail_msg("refused:\n%s", reading.said);
    assert_int_equal(gmc_listing_table(&reading.scenario, &text), GMC_OK);
    assert_null(strstr(text, "cork"));
    assert_non_null(strstr(text, "friction.abs/wood"));
    assert_non_null(strstr(text, "surfaces.rubber.stiffness"));
    free(text);
    assert_int_equal(gmc_listing_json(&reading.scenario, &text), GMC_OK);
    assert_non_null(strstr(text, "friction.abs/cork"));
    free(text);
}

static void test_the_listing(void **state)
{
    (void)state;
    gmc_reading_try(&reading, gmc_reading_demo, NULL);
    char *text = NULL;
    assert_int_equal(gmc_listing_table(&reading.scenario, &text), GMC_OK);
    assert_non_null(strstr(text, "object.mass "));
    assert_non_null(strstr(text, "0.2 kg  "));
    assert_non_null(strstr(text, "> 0  "));
    assert_non_null(strstr(text, "uniform(0.1, 0.3)\n"));
    assert_non_null(strstr(text, "0.001 s (default)"));
    int lines = 0;
    for (const char *p = text; *p; p++)
        lines += *p == '\n';
    assert_int_equal(lines, reading.scenario.parameter_count);
    assert_null(strstr(text, " \n")); // nothing trails
    free(text);
}

int test_expand(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_demo_reads_back),
        cmocka_unit_test(test_everything_reads_back),
        cmocka_unit_test(test_a_merged_scenario_reads_back),
        cmocka_unit_test(test_the_examples_read_back),
        cmocka_unit_test(test_every_default_is_written_out),
        cmocka_unit_test(test_draws_and_seed_of_the_command_line),
        cmocka_unit_test(test_what_the_digest_is_about),
        cmocka_unit_test(test_the_fingerprint_names_paths),
        cmocka_unit_test(test_the_fingerprint_with_another_budget),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_the_listing),
        cmocka_unit_test(test_the_listing_leaves_out_what_nothing_has),
    };
    return cmocka_run_group_tests(tests, open_reading, close_reading);
}

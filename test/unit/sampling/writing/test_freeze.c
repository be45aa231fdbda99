// A trial as a scenario of its own: read again it has the numbers of the trial, bit for bit, and
// nothing left to chance or choice.
#include "engine/base/check.h"
#include "sampling/scenario/perturb.h"
#include "sampling/writing/freeze.h"
#include "test/support/cmocka.h"
#include "test/support/one_reading.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 256 }; ///< parameters

static double values[MOST], samples[MOST];
static char *paths[MOST];
static int parameter_count;

/// The numbers of a trial of the scenario that was read, kept beyond it.
static gmc_freeze_trial trial_of(int64_t case_index, uint64_t draw)
{
    const gmc_scenario *s = &reading.scenario;
    if (reading.status != GMC_OK) fail_msg("%s", reading.said);
    assert_true(s->parameter_count < MOST);
    assert_true(s->sampled_count < MOST);
    assert_int_equal(gmc_perturb_values(s, case_index, draw, values, NULL), GMC_OK);
    gmc_perturb_samples(s, case_index, values, samples);
    for (int i = 0; i < parameter_count; i++)
        free(paths[i]);
    parameter_count = s->parameter_count;
    for (int i = 0; i < parameter_count; i++) {
        paths[i] = malloc(strlen(s->parameters[i].path) + 1);
        assert_non_null(paths[i]);
        strcpy(paths[i], s->parameters[i].path);
    }
    return (gmc_freeze_trial){.case_index = case_index, .draw = draw, .samples = samples};
}

static char *text_of(gmc_freeze_trial trial)
{
    char *text = NULL;
    assert_int_equal(gmc_freeze_text(&reading.scenario, &trial, NULL, 0, &text), GMC_OK);
    assert_non_null(text);
    return text;
}

/// Read what was frozen, and compare every number of its only trial with that of the trial.
static void expect_the_trial(char *text)
{
    double again[MOST];
    gmc_reading_try(&reading, text, NULL);
    if (reading.status != GMC_OK) fail_msg("%s\nrefused:\n%s", text, reading.said);
    const gmc_scenario *s = &reading.scenario;
    assert_int_equal(s->case_count, 1);
    assert_int_equal(s->draws, 1);
    assert_int_equal(s->parameter_count, parameter_count);
    for (uint64_t seed = 1; seed < 4; seed++) { // no seed changes it
        reading.scenario.seed = seed;
        assert_int_equal(gmc_perturb_values(s, 0, 0, again, NULL), GMC_OK);
        for (int i = 0; i < parameter_count; i++) {
            assert_string_equal(s->parameters[i].path, paths[i]);
            if (i == s->audit || i == s->half_step) continue; // all or none
            if (memcmp(&again[i], &values[i], sizeof again[i]) != 0)
                fail_msg("%s: %.17g, was %.17g\n%s", paths[i], again[i], values[i], text);
        }
    }
    free(text);
}

static int forget_paths(void **state)
{
    for (int i = 0; i < parameter_count; i++)
        free(paths[i]);
    parameter_count = 0;
    return close_reading(state);
}

static void what_was_drawn_is_a_number(void **state)
{
    (void)state;
    for (uint64_t draw = 0; draw < 20; draw++) {
        gmc_reading_try(&reading, gmc_reading_demo, NULL);
        expect_the_trial(text_of(trial_of(0, draw)));
        assert_int_equal(reading.scenario.uncertain_count, 4);
    }
}

static void ends_of_numbers_come_back(void **state)
{
    (void)state;
    static const double ODD[] = {0.1,     1.0 / 3.0, 0x1.fffffffffffffp-3, 1e-300,
                                 1.5e300, 0x1p-1022, 123456789012345678.0};
    for (int i = 0; i < GMC_COUNT(ODD); i++) {
        char line[80];
        snprintf(line, sizeof line, "one_of(%.17g, %.17g)", ODD[i], ODD[i]);
        gmc_reading_demo_with(&reading, "uniform(0.1 kg, 0.3 kg)", line);
        expect_the_trial(text_of(trial_of(0, 0)));
    }
    gmc_reading_demo_with(&reading, "nominal + normal(0 mm, 4 mm)", "one_of(-0.0, -0.0)");
    expect_the_trial(text_of(trial_of(0, 0)));
}

static void decisions_have_one_value(void **state)
{
    (void)state;
    static const char STUDY[] = "study:\n"
                                "  vary:\n"
                                "    hand.target.x: grid(-10 mm, 10 mm, step 5 mm)\n"
                                "    object.mass: [0.15 kg, 0.25 kg]\n"
                                "  draws: 7\n";
    for (int64_t c = 0; c < 10; c++) {
        char text[4096];
        const char *at = strstr(gmc_reading_demo, "  object.mass: ");
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - gmc_reading_demo), gmc_reading_demo,
                 strchr(at, '\n') + 1, STUDY);
        gmc_reading_try(&reading, text, NULL);
        assert_int_equal(reading.scenario.case_count, 10);
        expect_the_trial(text_of(trial_of(c, 5)));
        assert_int_equal(reading.scenario.axis_count, 2);
    }
}

static void what_looks_twice_looks_at_all_or_none(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        gmc_reading_try(&reading, gmc_reading_demo, NULL);
        gmc_freeze_trial trial = trial_of(0, 2);
        trial.is_audited = (k & 1) != 0;
        trial.is_repeated = (k & 2) != 0;
        char *text = text_of(trial);
        gmc_reading_try(&reading, text, NULL);
        assert_int_equal(reading.status, GMC_OK);
        const gmc_scenario *s = &reading.scenario;
        assert_true(s->parameters[s->audit].nominal == (k & 1 ? 1 : 0));
        assert_true(s->parameters[s->half_step].nominal == (k & 2 ? 1 : 0));
        assert_int_equal(s->record, GMC_RECORD_ALL);
        free(text);
    }
}

static void numbers_that_are_not_there_are_left_out(void **state)
{
    (void)state;
    gmc_reading_try(&reading, gmc_reading_demo, NULL);
    gmc_freeze_trial trial = trial_of(0, 1);
    int left = reading.scenario.sampled_count;
    for (; left >= 0; left--) { // of another object: one after the other, to none at all
        char *text = text_of(trial);
        assert_int_equal(strstr(text, "uncertain:") != NULL, left > 0);
        assert_null(strstr(text, "nan"));
        free(text);
        if (left > 0) samples[left - 1] = (double)NAN;
    }
}

static void files_go_by_their_new_names(void **state)
{
    (void)state;
    gmc_reading_try(&reading, gmc_reading_demo, NULL);
    gmc_freeze_trial trial = trial_of(0, 0);
    const gmc_freeze_name names[] = {{"hand.urdf", "models/other.urdf"},
                                     {"models/other.urdf", "not again"},
                                     {"not there", "nor this"}};
    char *text = NULL;
    assert_int_equal(gmc_freeze_text(&reading.scenario, &trial, names, GMC_COUNT(names), &text),
                     GMC_OK);
    assert_non_null(strstr(text, "models/other.urdf"));
    assert_null(strstr(text, "hand.urdf"));
    assert_null(strstr(text, "not again"));
    assert_null(strstr(text, "nor this"));
    free(text);
    text = text_of(trial); // and the scenario itself still says what it said
    assert_non_null(strstr(text, "hand.urdf"));
    free(text);
}

static void what_the_robot_sees_is_an_error_of_so_much(void **state)
{
    (void)state;
    static const char SEEN[] =
        "cameras: {head: {pose: {xyz: [600 mm, 0 mm, 700 mm], look_at: object}}}\n"
        "believed:\n"
        "  object.pose: {seen_by: head, sd: {x: 1.2 mm, z: 4 mm, yaw: 1.5 deg}, "
        "correlation: {x/yaw: -0.3}, outliers: {share: 30 %, turn: 180 deg, about: object.z}}\n";
    int turned = 0;
    for (uint64_t draw = 0; draw < 12; draw++) {
        gmc_reading_demo_with(&reading, NULL, SEEN);
        gmc_freeze_trial trial = trial_of(0, draw);
        for (int i = 0; i < reading.scenario.sampled_count; i++)
            if (strstr(reading.scenario.sampled[i].path, "outlier")) turned += samples[i] > 0;
        char *text = text_of(trial);
        assert_null(strstr(text, "correlation"));
        assert_null(strstr(text, "sd:"));
        gmc_reading_try(&reading, text, NULL);
        if (reading.status != GMC_OK) fail_msg("%s\nrefused:\n%s", text, reading.said);
        // the object's pose comes back as far as an error that is turned and taken off again does
        double again[MOST];
        assert_int_equal(gmc_perturb_values(&reading.scenario, 0, 0, again, NULL), GMC_OK);
        for (int i = 0; i < parameter_count; i++) {
            gmc_param at = gmc_scenario_find(&reading.scenario, paths[i]);
            bool is_check = at == reading.scenario.audit || at == reading.scenario.half_step;
            if (at < 0 || is_check || strstr(paths[i], ".sd.") || strstr(paths[i], "outlier"))
                continue;
            if (memcmp(&again[at], &values[i], sizeof again[at]) != 0)
                fail_msg("%s: %.17g, was %.17g\n%s", paths[i], again[at], values[i], text);
        }
        free(text);
    }
    assert_in_range(turned, 1, 11);
}

static void no_room_is_said(void **state)
{
    (void)state;
    gmc_reading_try(&reading, gmc_reading_demo, NULL);
    gmc_freeze_trial trial = trial_of(0, 0);
    gmc_arena *whole = reading.scenario.arena;
    int failed = 0;
    for (size_t bytes = 64;; bytes = bytes * 5 / 4) {
        gmc_arena small;
        char *text;
        assert_int_equal(gmc_arena_create(&small, bytes), GMC_OK);
        reading.scenario.arena = &small;
        gmc_status status = gmc_freeze_text(&reading.scenario, &trial, NULL, 0, &text);
        reading.scenario.arena = whole;
        gmc_arena_free(&small);
        if (status == GMC_OK) {
            assert_non_null(text);
            free(text);
            break;
        }
        assert_int_equal(status, GMC_E_ARENA_FULL);
        assert_null(text);
        failed++;
    }
    assert_true(failed > 5);
}

int test_freeze(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_drawn_is_a_number),
        cmocka_unit_test(ends_of_numbers_come_back),
        cmocka_unit_test(decisions_have_one_value),
        cmocka_unit_test(what_looks_twice_looks_at_all_or_none),
        cmocka_unit_test(numbers_that_are_not_there_are_left_out),
        cmocka_unit_test(files_go_by_their_new_names),
        cmocka_unit_test(what_the_robot_sees_is_an_error_of_so_much),
        cmocka_unit_test(no_room_is_said),
    };
    return cmocka_run_group_tests_name("freeze", tests, open_reading, forget_paths);
}

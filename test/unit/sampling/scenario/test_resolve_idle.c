#include "test/support/cmocka.h"
#include "test/support/one_reading.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

// The demo with a block in place of `old` (NULL: behind it) and one --set (NULL: none).
static void read_with(const char *old, const char *fresh, const char *set)
{
    char text[4096];
    const char *at = old ? strstr(gmc_reading_demo, old) : gmc_reading_demo;
    assert_non_null(at);
    if (!old) at += strlen(gmc_reading_demo);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - gmc_reading_demo), gmc_reading_demo, fresh,
             at + (old ? strlen(old) : 0));
    gmc_reading_try(&reading, text, set ? (const char *const[]){set, NULL} : NULL);
}

static void expect_error(const char *set, const char *message)
{
    if (reading.status != GMC_E_INPUT || reading.report.error_count != 1 ||
        !strstr(reading.said, message))
        fail_msg("%s: expected `%s`, got:\n%s", set, message, reading.said);
}

static void expect_warning(const char *what, const char *message)
{
    if (reading.status != GMC_OK || !strstr(reading.said, message))
        fail_msg("%s: expected `%s`, got:\n%s", what, message, reading.said);
}

static void expect_silence(const char *what)
{
    if (reading.status != GMC_OK || reading.report.count > 0)
        fail_msg("%s: expected nothing, got:\n%s", what, reading.said);
}

static void test_a_value_that_every_trial_overwrites_is_refused(void **state)
{
    (void)state;
    const char *mass = "object.mass=0.3 kg";
    read_with(NULL, "", mass);
    expect_error(mass, "object.mass has no effect: uncertain: object.mass decides it");
    assert_non_null(strstr(reading.said, "--set 'uncertain.object.mass=...'"));
    read_with(NULL, "study: {vary: {object.box.x: [40 mm, 50 mm]}}\n", "object.box.x=45 mm");
    expect_error("an axis", "object.box.x has no effect: study.vary: object.box.x decides it");
    gmc_scratch_text(&reading.scratch, "mass.csv", "object.mass [kg]\n0.1\n0.2\n");
    read_with(NULL, "sampling: {design: {csv: mass.csv}}\n", mass);
    expect_error("a table", "object.mass has no effect: ");
}

static void test_a_value_that_counts_is_taken(void **state)
{
    (void)state;
    static const char *const SETS[] = {"object.pose.x=3 mm",    // nominal + ... builds on it
                                       "friction.abs/wood=0.3", // nothing else says anything
                                       "uncertain.object.mass=0.3 kg",
                                       "object={box: [50 mm, 50 mm, 50 mm], mass: 0.2 kg, surface: "
                                       "abs, placed: resting}"};
    for (int i = 0; i < GMC_COUNT(SETS); i++) {
        read_with(NULL, "", SETS[i]);
        expect_silence(SETS[i]);
    }
    // the first coefficient of a pair says by how much the others are scaled
    read_with("rubber/abs: 0.2", "rubber/abs: {static: 0.2, kinetic: 0.1}",
              "friction.rubber/abs.static=0.3");
    expect_silence("static");
}

static void test_what_makes_no_difference_in_a_file_is_said(void **state)
{
    (void)state;
    read_with(NULL, "study: {vary: {object.mass: [0.1 kg, 0.2 kg]}}\n", NULL);
    expect_warning("an axis", "study.vary: object.mass makes no difference: uncertain: object.mass "
                              "decides it in every trial");
    read_with(NULL, "study: {vary: {object.pose.x: [1 mm, 2 mm]}}\n", NULL);
    expect_silence("an axis below nominal + ...");
    read_with("uncertain:\n", "uncertain:\n  friction.*: uniform(0.1, 0.2)\n", NULL);
    expect_warning("a line", "uncertain: friction.rubber/abs makes no difference: friction.* comes "
                             "after it");
    read_with(NULL, "parameters: {jig.width: 3 mm}\n", NULL);
    expect_warning("a parameter", "parameters: jig.width has no effect: nothing follows from it");
}

// What is placed resting is set down from a height that is said, in whatever way.
static void test_the_height_of_what_rests_counts(void **state)
{
    (void)state;
    static const char *const SAID[] = {
        "uncertain:\n  object.pose.z: uniform(1 mm, 2 mm)\n",
        "uncertain:\n  object.pose.z: nominal + uniform(1 mm, 2 mm)\n", "uncertain:\n"};
    static const bool COUNTS[] = {true, true, false};
    for (int i = 0; i < GMC_COUNT(SAID); i++) {
        read_with("uncertain:\n", SAID[i], NULL);
        assert_int_equal(reading.status, GMC_OK);
        if (reading.scenario.objects[0].has_height != COUNTS[i]) fail_msg("%s", SAID[i]);
    }
    read_with(NULL, "study: {vary: {object.pose.z: [1 mm, 2 mm]}}\n", NULL);
    expect_silence("an axis");
    assert_true(reading.scenario.objects[0].has_height);
    read_with(NULL, "", "object.pose.z=20 mm");
    expect_silence("an option");
    assert_true(reading.scenario.objects[0].has_height);
    read_with("placed: resting", "placed: resting, pose: {z: 20 mm}", NULL);
    expect_silence("the file");
    assert_true(reading.scenario.objects[0].has_height);
}

static void test_a_formula_without_a_say(void **state)
{
    (void)state;
    static const char *const MASS = "mass: 0.2 kg", *const FORMULA = "mass: 2 * jig.mass";
    static const struct {
        const char *blocks, *said; // NULL: nothing
    } CASES[] = {
        {"parameters: {jig.mass: 0.1 kg}\nuncertain:\n  jig.mass: uniform(0.1 kg, 0.2 kg)\n",
         "uncertain: jig.mass makes no difference: uncertain: object.mass decides in every trial"},
        {"parameters: {jig.mass: jig.part / 2, jig.part: 0.2 kg}\nuncertain:\n"
         "  jig.part: uniform(0.1 kg, 0.2 kg)\n",
         "uncertain: jig.part makes no difference: uncertain: object.mass decides in every trial"},
        {"parameters: {jig.mass: 0.1 kg}\nstudy: {vary: {jig.mass: [0.1 kg, 0.2 "
         "kg]}}\nuncertain:\n",
         "study.vary: jig.mass makes no difference: uncertain: object.mass decides in every trial"},
        // another formula counts
        {"surfaces: {abs: {grain: [jig.mass / 1 kg, 0, 0]}}\nparameters: {jig.mass: 0.1 kg}\n"
         "uncertain:\n  jig.mass: uniform(0.1 kg, 0.2 kg)\n",
         NULL},
    };
    const char *demo = gmc_reading_demo, *mass = strstr(demo, MASS);
    assert_non_null(mass);
    for (int i = 0; i < GMC_COUNT(CASES); i++) {
        char whole[4096];
        const char *lines = strstr(mass, "uncertain:\n");
        assert_non_null(lines);
        snprintf(whole, sizeof whole, "%.*s%s%.*s%s%s", (int)(mass - demo), demo, FORMULA,
                 (int)(lines - mass - (ptrdiff_t)strlen(MASS)), mass + strlen(MASS),
                 CASES[i].blocks, lines + strlen("uncertain:\n"));
        gmc_reading_try(&reading, whole, NULL);
        if (CASES[i].said)
            expect_warning(CASES[i].blocks, CASES[i].said);
        else
            expect_silence(CASES[i].blocks);
    }
}

static void test_the_share_that_is_repeated_does_not_vary(void **state)
{
    (void)state;
    static const char SAID[] =
        "simulation.half_step is one share for all trials of a run, and cannot vary";
    read_with("uncertain:\n", "uncertain:\n  simulation.half_step: uniform(0, 0.1)\n", NULL);
    expect_error("a line", SAID);
    read_with(NULL, "study: {vary: {simulation.half_step: [1 %, 2 %]}}\n", NULL);
    expect_error("an axis", SAID);
    read_with(NULL, "parameters: {jig.share: 0.1}\nsimulation: {half_step: jig.share / 2}\n", NULL);
    expect_error("a formula", SAID);
    read_with(NULL, "", "simulation.half_step=3 %");
    expect_silence("a number");
}

static void test_what_is_named_has_an_effect(void **state)
{
    (void)state;
    read_with("mass: 0.2 kg", "mass: jig.mass * 2", "parameters={jig.mass: 0.1 kg}");
    expect_silence("a formula");
    const char *camera = "cameras: {eye: {pose: {xyz: [0.5 m, 0 m, 0.5 m], look_at: object}}}\n";
    read_with(NULL, camera, NULL);
    expect_warning("a camera", "cameras: eye has no effect: nothing is seen by it");
    char block[256];
    snprintf(block, sizeof block,
             "%sbelieved: {object.pose: {seen_by: eye, sd: {x: 1 mm, y: 1 mm, z: 1 mm}}}\n",
             camera);
    read_with(NULL, block, NULL);
    expect_silence("a camera that sees");
}

int test_resolve_idle(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_value_that_every_trial_overwrites_is_refused),
        cmocka_unit_test(test_a_value_that_counts_is_taken),
        cmocka_unit_test(test_what_makes_no_difference_in_a_file_is_said),
        cmocka_unit_test(test_the_height_of_what_rests_counts),
        cmocka_unit_test(test_a_formula_without_a_say),
        cmocka_unit_test(test_the_share_that_is_repeated_does_not_vary),
        cmocka_unit_test(test_what_is_named_has_an_effect),
    };
    return cmocka_run_group_tests(tests, open_reading, close_reading);
}

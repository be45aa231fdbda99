#include "sampling/language/merge.h"
#include "test/support/cmocka.h"
#include "test/support/reading.h"

#include <stdio.h>
#include <string.h>

static gmc_reading reading;

static int open_reading(void **state)
{
    (void)state;
    gmc_reading_open(&reading);
    gmc_scratch_text(&reading.scratch, "base.yaml", gmc_reading_demo);
    return 0;
}

static int close_reading(void **state)
{
    (void)state;
    gmc_reading_close(&reading);
    return 0;
}

static double nominal(const char *path) { return gmc_reading_parameter(&reading, path)->nominal; }

static void read_fine(const char *text, const char *const *sets)
{
    gmc_reading_try(&reading, text, sets);
    if (reading.status != GMC_OK) fail_msg("refused:\n%s", reading.said);
}

static void set(const char *a, const char *b)
{
    const char *const sets[] = {a, b, NULL};
    read_fine(gmc_reading_demo, sets);
}

// Without the lines that decide about mass and friction in every trial: against those a --set is a
// mistake (test_resolve_idle.c).
static void set_certain(const char *a, const char *b)
{
    const char *const sets[] = {a, b, "uncertain=~", NULL};
    read_fine(gmc_reading_demo, sets);
}

static void refuse_set(const char *text, const char *message)
{
    const char *const sets[] = {text, NULL};
    gmc_reading_try(&reading, gmc_reading_demo, sets);
    if (reading.report.error_count != 1 || !strstr(reading.said, message) ||
        !strstr(reading.said, "--set "))
        fail_msg("%s: expected `%s`, got:\n%s", text, message, reading.said);
}

static void test_use_overrides_key_by_key(void **state)
{
    (void)state;
    read_fine("graspmc: 1\nuse: base.yaml\nobject: {mass: 1 kg}\nfriction: {abs/wood: 0.9}\n"
              "surfaces: {abs: {stiffness: 5e4 N/m}}\nsimulation: {step: 1 ms}\n",
              NULL);
    assert_true(nominal("object.mass") == 1);
    assert_true(nominal("object.box.x") == 0.05);
    assert_true(nominal("friction.abs/wood") == 0.9);
    assert_true(nominal("friction.rubber/abs") == 0.2);
    assert_true(nominal("surfaces.abs.stiffness") == 5e4);
    assert_true(nominal("simulation.step") == 1e-3);
    assert_int_equal(reading.scenario.phase_count, 4);
    // the used file is embedded, but is not a file that trials depend on
    assert_string_equal(reading.scenario.assets[0].name, "base.yaml");
    assert_true(reading.scenario.assets[0].is_scenario);
}

static void test_use_drops_what_is_excluded(void **state)
{
    (void)state;
    read_fine("graspmc: 1\nuse: base.yaml\nobject: {sphere: {radius: 2 cm}, density: 500 kg/m3}\n"
              "uncertain: {object.mass: ~}\n",
              NULL);
    assert_int_equal(reading.scenario.objects[0].kind, GMC_KIND_SPHERE);
    assert_int_equal(reading.scenario.objects[0].mass, -1);
    assert_int_equal(reading.scenario.uncertain_count, 3);
}

static void test_use_replaces_lists(void **state)
{
    (void)state;
    read_fine("graspmc: 1\nuse: base.yaml\nprogram: [{hold: {for: 2 s}}]\n", NULL);
    assert_int_equal(reading.scenario.phase_count, 1);
    assert_true(nominal("program.0.hold.for") == 2);
}

static void test_files_are_seen_from_who_names_them(void **state)
{
    (void)state;
    gmc_scratch_text(&reading.scratch, "deep/hand.urdf", "<robot name='deep'/>\n");
    gmc_scratch_text(&reading.scratch, "deep/base.yaml", gmc_reading_demo);
    gmc_scratch_text(&reading.scratch, "deep/er/middle.yaml",
                     "use: ../base.yaml\nobject: {mass: 2 kg}\n");
    read_fine("use: deep/er/middle.yaml\nabout: top\n", NULL);
    assert_string_equal(reading.scenario.hand.urdf, "deep/hand.urdf");
    assert_true(nominal("object.mass") == 2);
    assert_string_equal(reading.scenario.about, "top");
    assert_int_equal(reading.scenario.asset_count, 3);
    assert_non_null(strstr(reading.scenario.assets[2].bytes, "deep"));
}

static void test_circles_and_missing_files(void **state)
{
    (void)state;
    gmc_scratch_text(&reading.scratch, "a.yaml", "use: b.yaml\n");
    gmc_scratch_text(&reading.scratch, "b.yaml", "use: ./x/../a.yaml\n");
    gmc_reading_try(&reading, "use: a.yaml\n", NULL);
    assert_int_equal(reading.status, GMC_E_INPUT);
    assert_non_null(strstr(reading.said, "b.yaml:1:6: error: use: a.yaml: is being read already"));
    gmc_reading_try(&reading, "use: scenario.yaml\n", NULL);
    assert_int_equal(reading.status, GMC_E_INPUT);
    read_fine("use: base.yaml\nuncertain: {use: ~}\n", NULL); // no file
    gmc_reading_demo_with(&reading, "hand: ", "use: ~\nhand: ");
    assert_int_equal(reading.status, GMC_OK);
    gmc_reading_try(&reading, "use: nowhere.yaml\n", NULL);
    assert_int_equal(reading.status, GMC_E_MISSING);
    gmc_scratch_text(&reading.scratch, "list.yaml", "[1, 2]\n");
    gmc_reading_try(&reading, "use: list.yaml\n", NULL);
    assert_non_null(strstr(reading.said, "list.yaml: error: expected keys with values"));
    gmc_reading_try(&reading, "use: [a]\n", NULL);
    assert_int_equal(reading.status, GMC_E_INPUT);
}

static void test_mistakes_in_a_base_are_placed_there(void **state)
{
    (void)state;
    gmc_scratch_text(&reading.scratch, "wrong.yaml", "object: {mass: -1 kg}\n");
    gmc_scratch_text(&reading.scratch, "top.yaml", gmc_reading_demo);
    gmc_reading_try(&reading, "use: top.yaml\nobject: {mass: 1 m}\n", NULL);
    assert_non_null(strstr(reading.said, "scenario.yaml:2:16: error: object.mass"));
    gmc_scratch_text(&reading.scratch, "both.yaml", "use: top.yaml\nobject: {mass: -1 kg}\n");
    gmc_reading_try(&reading, "use: both.yaml\n", NULL);
    assert_non_null(strstr(reading.said, "both.yaml:2:16: error: object.mass"));
}

static void test_set_changes_what_its_path_names(void **state)
{
    (void)state;
    set_certain("object.mass=0.5 kg", "object.pose.x=3 mm");
    assert_true(nominal("object.mass") == 0.5);
    assert_true(nominal("object.pose.x") == 0.003);
    set_certain("friction.abs/rubber=0.7", "gravity.z=-1.62 m/s2"); // either order of the pair
    assert_true(nominal("friction.rubber/abs") == 0.7);
    assert_true(nominal("gravity.z") == -1.62);
    set("program.1.lift.by=0.2", "object.box.y=60 mm");
    assert_true(nominal("program.1.lift.by") == 0.2);
    assert_true(nominal("object.box.y") == 0.06);
    set("hand.left.max_force=7 N", "hand.joints.right.kp=3 N/m");
    assert_true(nominal("hand.left.max_force") == 7);
    assert_true(nominal("hand.right.kp") == 3);
    set("uncertain.object.mass=uniform(0.2 kg, 0.4 kg)", "sampling.seed=18446744073709551615");
    assert_true(reading.scenario.uncertain[2].distribution.p[1] == 0.4);
    assert_true(reading.scenario.seed == UINT64_MAX);
    set("study.vary.hand.target.x=grid(0 mm, 2 mm, 3)", "scene.table.surface=abs");
    assert_int_equal(reading.scenario.case_count, 3);
    set("object.sphere.radius=2 cm", "success.at_end=[lift(object) > 1 cm]");
    assert_int_equal(reading.scenario.objects[0].kind, GMC_KIND_SPHERE);
    set("simulation={step: 1 ms}", "surfaces.abs.stiffness=5e4");
    assert_true(nominal("simulation.step") == 1e-3);
    assert_true(nominal("surfaces.abs.stiffness") == 5e4);
    set("program.2.shake.frequency=2 Hz", "about=another word");
    assert_string_equal(reading.scenario.about, "another word");
    set("uncertain.object.mass=~", "object.placed=~");
    assert_int_equal(reading.scenario.uncertain_count, 3);
    set_certain("object.mass=1 kg", "object.mass=2 kg"); // the later one wins
    assert_true(nominal("object.mass") == 2);
}

static void test_set_reaches_coefficients(void **state)
{
    (void)state;
    set("friction.abs/rubber.kinetic=0.1", "friction.rubber/abs.threshold=2 mm/s");
    assert_true(nominal("friction.rubber/abs") == 0.2);
    assert_true(nominal("friction.rubber/abs.kinetic") == 0.1);
    assert_true(nominal("friction.rubber/abs.threshold") == 2e-3);
    // the path of the pair scales what hangs on it
    set_certain("friction.rubber/abs={static: 0.5, kinetic: 0.4}", "friction.rubber/abs=0.25");
    assert_true(nominal("friction.rubber/abs") == 0.25);
    assert_true(nominal("friction.rubber/abs.kinetic") == 0.2);
    set("friction.rubber/abs={static: 0.5, kinetic: 0.4}", "friction.abs/rubber.static=1");
    assert_true(nominal("friction.rubber/abs.kinetic") == 0.8);
    refuse_set("friction.rubber/abs.kinetik=0.1", "did you mean kinetic?");
    refuse_set("friction.rubber/abs.kinetic=0.9", "must be <= static");
}

static const char TWO_OBJECTS[] = "graspmc: 1\nuse: base.yaml\nobjects:\n"
                                  "  mug: {sphere: {radius: 3 cm}, mass: 1 kg, surface: abs}\n"
                                  "  die: {box: [1 cm, 1 cm, 1 cm], mass: 1 kg, surface: abs}\n"
                                  "study: {vary: [object], draws: 16}\n";

static void test_use_below_a_short_form(void **state)
{
    (void)state;
    gmc_scratch_text(&reading.scratch, "two.yaml", TWO_OBJECTS);
    read_fine("use: two.yaml\nhand: {surface: {left: abs}}\n"
              "study: {vary: {program.0.close.force: [5 N, 50 N]}}\n",
              NULL);
    assert_int_equal(reading.scenario.case_count, 4);
    assert_string_equal(reading.scenario.hand.surface, "rubber");
    // a list is as long as it says, and what is taken away is gone
    read_fine("use: two.yaml\nstudy: {vary: {object: ~, program.0.close.force: [5 N, 50 N]}}\n"
              "object: {box: [1 cm, 1 cm, 1 cm], mass: 1 kg, surface: abs}\n",
              NULL);
    assert_int_equal(reading.scenario.case_count, 2);
}

static void test_use_of_a_short_form_over_a_map(void **state)
{
    (void)state;
    gmc_scratch_text(&reading.scratch, "pair.yaml",
                     "use: base.yaml\nfriction: {rubber/abs: {static: 0.5, kinetic: 0.2}}\n"
                     "hand: {surface: {rest: rubber, left: abs}}\n");
    read_fine("use: pair.yaml\nfriction: {rubber/abs: 0.45}\nhand: {surface: wood}\n", NULL);
    assert_true(nominal("friction.rubber/abs") == 0.45);
    assert_true(nominal("friction.rubber/abs.kinetic") == 0.2);
    assert_string_equal(reading.scenario.hand.surface, "wood");
    assert_string_equal(reading.scenario.hand.surfaces[1].surface, "abs");
    read_fine("use: pair.yaml\nfriction: {rubber/abs: {kinetic: ~}}\n", NULL);
    assert_int_equal(reading.scenario.frictions[0].kinetic, -1);
    // the other way round: what the number is short for gets a coefficient more
    read_fine("use: base.yaml\nfriction: {rubber/abs: {kinetic: 0.1}}\n", NULL);
    assert_true(nominal("friction.rubber/abs") == 0.2);
    assert_true(nominal("friction.rubber/abs.kinetic") == 0.1);

    gmc_scratch_text(&reading.scratch, "two.yaml", TWO_OBJECTS);
    gmc_scratch_text(&reading.scratch, "more.yaml",
                     "use: two.yaml\nstudy: {vary: {object: [mug], program.0.close.force: [5 N, 50 "
                     "N]}, draws: {first: 3, last: 16}, ladder: [dynamic]}\n");
    read_fine("use: more.yaml\nstudy: {vary: [object], draws: 12}\n", NULL);
    assert_int_equal(reading.scenario.case_count, 4);
    assert_int_equal(reading.scenario.first_draws, 3);
    assert_int_equal(reading.scenario.draws, 12);
    // without rounds, no ladder is needed
    read_fine("use: more.yaml\nstudy: {draws: {first: ~, last: 12}, ladder: ~}\n", NULL);
    assert_int_equal(reading.scenario.draws, 12);
}

static void refuse_use(const char *text, const char *message, const char *hint)
{
    gmc_reading_try(&reading, text, NULL);
    if (reading.report.error_count != 1 || !strstr(reading.said, message) ||
        !strstr(reading.said, hint))
        fail_msg("expected `%s` and `%s`, got:\n%s", message, hint, reading.said);
}

static void test_use_says_by_which_name_a_pair_is_overridden(void **state)
{
    (void)state;
    refuse_use("use: base.yaml\nfriction: {abs/rubber: 0.4}\n",
               "rubber/abs and abs/rubber are the same pair",
               "has it as rubber/abs: write that name here to override it");
    refuse_use("use: base.yaml\nuncertain:\n  friction.abs/rubber: uniform(0.1, 0.2)\n",
               "friction.rubber/abs and friction.abs/rubber are the same number",
               "has it as friction.rubber/abs: write that name here");
    // of one file
    refuse_use("use: base.yaml\nfriction:\n  pen/abs: 0.4\n  abs/pen: 0.4\n", "are the same pair",
               "keep one of the two: pen/abs stands in line 3");
    // taken away it is by either name
    read_fine("use: base.yaml\n", NULL);
    int before = reading.scenario.friction_count;
    read_fine("use: base.yaml\nfriction: {wood/rubber: ~}\n", NULL);
    assert_int_equal(reading.scenario.friction_count, before - 1);
    assert_true(gmc_merge_is_turned("a/b", "b/a"));
    assert_true(gmc_merge_is_turned("a/a", "a/a"));
    assert_false(gmc_merge_is_turned("a/b", "a/b") || gmc_merge_is_turned("a/b", "bb/a") ||
                 gmc_merge_is_turned("a", "a"));
}

static void test_set_below_a_short_form(void **state)
{
    (void)state;
    static const char OBJECT[] =
        "object: {box: [50 mm, 50 mm, 50 mm], mass: 0.2 kg, surface: abs, placed: resting}";
    static const char OBJECTS[] =
        "objects:\n  mug: {sphere: {radius: 3 cm}, mass: 1 kg, surface: abs}\n"
        "  die: {box: [1 cm, 1 cm, 1 cm], mass: 1 kg, surface: abs}\n"
        "study: {vary: [object], draws: 16}";
    gmc_reading_demo_with(&reading, OBJECT, OBJECTS);
    const char *const more[] = {"study.vary.program.0.close.force=[5 N, 50 N]", NULL};
    const char *const fewer[] = {"study.vary.object=[die]", NULL};
    const char *const rounds[] = {"study.draws.first=3", "study.ladder=[dynamic]", NULL};
    read_fine(TWO_OBJECTS, NULL);
    assert_int_equal(reading.scenario.case_count, 2);
    read_fine(TWO_OBJECTS, more);
    assert_int_equal(reading.scenario.case_count, 4);
    read_fine(TWO_OBJECTS, fewer);
    assert_int_equal(reading.scenario.case_count, 1);
    assert_int_equal(reading.scenario.axes[0].objects[0], 1);
    read_fine(TWO_OBJECTS, rounds);
    assert_int_equal(reading.scenario.first_draws, 3);
    assert_int_equal(reading.scenario.draws, 16);
    set("hand.surface.left=abs", NULL);
    assert_string_equal(reading.scenario.hand.surface, "rubber");
    assert_string_equal(reading.scenario.hand.surfaces[1].link, "left");
}

static void test_set_mistakes(void **state)
{
    (void)state;
    refuse_set("object.mass", "expected PATH=VALUE");
    refuse_set("=3", "expected PATH=VALUE");
    refuse_set("object.mass=", "no value");
    refuse_set("object.mass=3 m", "expected a mass");
    refuse_set("object.mas=3 kg", "did you mean mass?");
    refuse_set("obejct.mass=3 kg", "did you mean object?");
    refuse_set("scene.tabel.surface=abs", "did you mean table?");
    refuse_set("program.9.lift.by=1", "no phase");
    refuse_set("program.lift.by=1", "no phase");
    refuse_set("object.box.w=1", "no component w");
    refuse_set("object.mass.x=1", "there are no keys to set below mass");
    refuse_set("object.mass={", "not YAML");
    refuse_set("object.mass=-1 kg", "must be > 0, found -1 kg");
    const char *const misspelt[] = {"surfaces.rubbr.pad.modulus=1 MPa", NULL};
    gmc_reading_try(&reading, gmc_reading_demo, misspelt);
    assert_non_null(strstr(reading.said, "surfaces.rubbr.pad needs thickness"));
    assert_non_null(strstr(reading.said, "surfaces.rubbr: nothing has this surface\n"
                                         "hint: did you mean rubber?"));
    refuse_set("surfaces.rubber.pad.modulus=1 MPa", "surfaces.rubber.pad needs thickness");
    refuse_set("use=base.yaml", "this key cannot be set, for files are read before --set: use");
    refuse_set("uncertain.use=~",
               "this key cannot be set, for files are read before --set: uncertain.use");
}

static void test_set_keeps_the_kind_of_a_phase(void **state)
{
    (void)state;
    refuse_set("program.0.hold.for=2 s", "program.0: close and hold exclude each other");
    assert_non_null(strstr(reading.said, "there is program.3.hold;"));
    refuse_set("program.3.shake={axis: x}", "program.3: hold and shake exclude each other");
    refuse_set("program.0.turn.by=2 deg", "no phase has turn; the whole phase: --set "
                                          "'program.0={turn: {...}}'");
    set("program.3.hold.for=2 s", "program.1={hold: {for: 1 s}}");
    assert_true(nominal("program.3.hold.for") == 2);
    assert_true(nominal("program.1.hold.for") == 1);
}

static void test_set_of_one_object_or_of_several(void **state)
{
    (void)state;
    const char *const one[] = {"object.mass=0.2 kg", NULL};
    const char *const named[] = {"objects.die.mass=0.2 kg", "uncertain=~", NULL};
    gmc_reading_try(&reading, TWO_OBJECTS, one);
    assert_int_equal(reading.report.error_count, 1);
    assert_non_null(strstr(reading.said, "the file has objects, not object"));
    assert_non_null(strstr(reading.said, "objects.NAME.mass; NAME is one of mug, die"));
    read_fine(TWO_OBJECTS, named);
    assert_true(nominal("objects.die.mass") == 0.2);
    refuse_set("objects.die.mass=0.2 kg", "did you mean object.mass?");
}

int test_merge(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_use_overrides_key_by_key),
        cmocka_unit_test(test_use_drops_what_is_excluded),
        cmocka_unit_test(test_use_replaces_lists),
        cmocka_unit_test(test_files_are_seen_from_who_names_them),
        cmocka_unit_test(test_circles_and_missing_files),
        cmocka_unit_test(test_mistakes_in_a_base_are_placed_there),
        cmocka_unit_test(test_set_changes_what_its_path_names),
        cmocka_unit_test(test_set_reaches_coefficients),
        cmocka_unit_test(test_use_below_a_short_form),
        cmocka_unit_test(test_use_of_a_short_form_over_a_map),
        cmocka_unit_test(test_use_says_by_which_name_a_pair_is_overridden),
        cmocka_unit_test(test_set_below_a_short_form),
        cmocka_unit_test(test_set_mistakes),
        cmocka_unit_test(test_set_keeps_the_kind_of_a_phase),
        cmocka_unit_test(test_set_of_one_object_or_of_several),
    };
    return cmocka_run_group_tests(tests, open_reading, close_reading);
}

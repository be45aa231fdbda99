#include "sampling/scenario/resolve.h"
#include "sampling/scenario/scenario.h"
#include "sampling/scenario/scenario_read.h"
#include "test/support/cmocka.h"
#include "test/support/one_reading.h"

#include <float.h>
#include <math.h>
#include <string.h>

static double nominal(const char *path) { return gmc_reading_parameter(&reading, path)->nominal; }

// The demo with a change is refused with one message.
static void expect_mistake(const char *old, const char *fresh, const char *message)
{
    gmc_reading_demo_with(&reading, old, fresh);
    if (reading.status == GMC_OK || reading.report.error_count != 1 ||
        !strstr(reading.said, message))
        fail_msg("expected one mistake `%s`, got:\n%s", message, reading.said);
}

static void expect_fine(const char *old, const char *fresh)
{
    gmc_reading_demo_with(&reading, old, fresh);
    if (reading.status != GMC_OK || reading.report.error_count != 0)
        fail_msg("refused:\n%s", reading.said);
}

static void test_the_demo(void **state)
{
    (void)state;
    gmc_reading_try(&reading, gmc_reading_demo, NULL);
    assert_string_equal(reading.said, "");
    assert_int_equal(reading.status, GMC_OK);
    const gmc_scenario *s = &reading.scenario;
    assert_int_equal(s->version, 1);
    assert_string_equal(s->text, gmc_reading_demo);

    assert_int_equal(s->object_count, 1);
    assert_int_equal(s->objects[0].kind, GMC_KIND_BOX);
    assert_true(s->objects[0].placed_resting);
    assert_string_equal(s->objects[0].surface, "abs");
    assert_true(s->parameters[s->objects[0].size[2]].nominal == 0.05);
    assert_true(s->parameters[s->objects[0].mass].nominal == 0.2);
    assert_int_equal(s->objects[0].density, -1);

    assert_string_equal(s->hand.urdf, "hand.urdf");
    assert_string_equal(s->hand.frame, "tcp");
    assert_string_equal(s->hand.surface, "rubber");
    assert_false(s->hand.is_mounted);
    assert_int_equal(s->hand.finger_count, 0);
    assert_null(s->hand.fingers[0]);

    assert_int_equal(s->scene_count, 1);
    assert_int_equal(s->scene[0].kind, GMC_KIND_PLANE);
    assert_true(s->scene[0].is_fixed);
    assert_int_equal(s->surface_count, 3); // abs, wood, rubber: named, never described
    assert_int_equal(s->friction_count, 4);
    assert_string_equal(s->frictions[1].a, "abs");
    assert_string_equal(s->frictions[1].b, "wood");
    assert_int_equal(s->asset_count, 1);
    assert_string_equal(s->assets[0].name, "hand.urdf");
}

static void test_phases_of_the_demo(void **state)
{
    (void)state;
    gmc_reading_try(&reading, gmc_reading_demo, NULL);
    const gmc_scenario *s = &reading.scenario;
    assert_int_equal(s->phase_count, 4);
    const gmc_phase_spec *close = &s->program[0], *lift = &s->program[1], *shake = &s->program[2];
    assert_int_equal(close->kind, GMC_PHASE_CLOSE);
    assert_int_equal(close->until, GMC_END_STALLED);
    assert_int_equal(close->duration, -1);
    assert_int_equal(close->position, -1);
    assert_true(s->parameters[close->force].nominal == 10);
    assert_true(s->parameters[close->at_most].nominal == 0.5);
    assert_string_equal(s->parameters[lift->by[2]].path, "program.1.lift.by");
    assert_int_equal(lift->by[0], -1);
    assert_int_equal(shake->kind, GMC_PHASE_SHAKE);
    assert_true(s->parameters[shake->axis[0]].nominal == 1);
    assert_true(s->parameters[shake->axis[1]].nominal == 0);
    assert_int_equal(s->parameters[shake->amplitude].dimension, GMC_DIM_LENGTH);
    assert_false(shake->is_rotation);
    assert_string_equal(s->program[3].name, "hold");
}

static void test_defaults(void **state)
{
    (void)state;
    gmc_reading_try(&reading, gmc_reading_demo, NULL);
    const gmc_scenario *s = &reading.scenario;
    assert_true(nominal("surfaces.wood.stiffness") == 2e6);
    assert_true(nominal("surfaces.wood.relaxation") == 1e-3);
    assert_true(nominal("surfaces.wood.poisson") == 0.3);
    assert_true(nominal("gravity.z") == -9.81);
    assert_true(nominal("simulation.step") == 2e-3);
    assert_true(nominal("simulation.time_limit") == 60);
    assert_true(nominal("simulation.step_limit") == 200000);
    assert_true(nominal("simulation.work_limit") == 20000000);
    assert_true(nominal("simulation.workspace") == 1);
    assert_true(nominal("output.rate") == 100);
    assert_true(nominal("hand.target.z") == 0);
    assert_true(gmc_reading_parameter(&reading, "hand.target.z")->is_default);
    assert_false(gmc_reading_parameter(&reading, "object.mass")->is_default);
    assert_true(gmc_reading_parameter(&reading, "object.mass")->lower == DBL_MIN);
    assert_string_equal(s->stepper, "coulomb");
    assert_string_equal(s->solver, "newton");
    assert_int_equal(s->draws, 1000);
    assert_int_equal(s->seed, 1);
    assert_int_equal(s->case_count, 1);
    assert_int_equal(s->record, GMC_RECORD_NONE);
    assert_int_equal(s->histogram_count, 4); // every uncertain parameter
    assert_true(isnan(s->histograms[0].lower[0]));
}

static void test_shapes(void **state)
{
    (void)state;
    const char *box = "box: [50 mm, 50 mm, 50 mm]";
    expect_fine(box, "sphere: {diameter: 30 mm}");
    assert_true(nominal("object.sphere.radius") == 0.015);
    expect_fine(box, "capsule: {radius: 4 mm, length: 80 mm}");
    assert_true(nominal("object.capsule.length") == 0.08);
    expect_fine(box, "cylinder: {diameter: 1 cm, length: 2 cm}");
    assert_true(nominal("object.cylinder.radius") == 0.005);
    gmc_scratch_text(&reading.scratch, "cube.obj", "v 0 0 0\n");
    expect_fine(box, "mesh: cube.obj, unit: mm");
    assert_true(nominal("object.scale") == 0.001);
    assert_int_equal(reading.scenario.objects[0].kind, GMC_KIND_MESH);
    assert_string_equal(reading.scenario.objects[0].mesh, "cube.obj");
    assert_int_equal(reading.scenario.asset_count, 2);
    expect_mistake(box, "mesh: sphere.obj", "no such file");
    expect_mistake(box, "mesh: cube.obj, unit: mm, scale: 2", "exclude each other");
    expect_mistake(box, "plane: {height: 1}", "a plane cannot move");
    expect_mistake(box, "box: [1, 2]", "expected 3 numbers, found 2");
    expect_mistake(box, "box: [1 cm, 2 cm, 0 mm]", "object.box.z: must be > 0, found 0 mm");
    expect_mistake("box: [50 mm, 50 mm, 50 mm], ", "",
                   "object needs one of box, sphere, capsule, cylinder, plane, mesh");
}

static void test_bodies(void **state)
{
    (void)state;
    const char *mass = "mass: 0.2 kg";
    expect_mistake("mass: 0.2 kg, ", "", "object needs mass or density");
    expect_mistake(mass, "mass: 1 kg, density: 3 kg/m3", "mass and density exclude each other");
    expect_mistake(mass, "mass: -1 kg", "object.mass: must be > 0, found -1 kg");
    expect_mistake(mass, "density: 1 kg/m3, inertia: [1, 1, 1, 0, 0, 0]",
                   "inertia means nothing without mass");
    expect_mistake(mass, "mass: 1 kg, free: true", "an object always moves");
    expect_fine(mass,
                "mass: 1 kg, com: [0, 0, 1 mm], inertia: [1 g*cm2, 1 g*cm2, 1 g*cm2, 0, 0, 0]");
    assert_true(nominal("object.com.z") == 0.001);
    assert_true(nominal("object.inertia.yy") == 1e-7);
    expect_fine("placed: resting", "pose: {z: 1 cm}");
    assert_false(reading.scenario.objects[0].placed_resting);
    expect_fine(", placed: resting", "");
    assert_true(reading.scenario.objects[0].placed_resting);
    expect_mistake("plane: {height: 0 mm}", "plane: {height: 0 mm}, placed: resting",
                   "a fixed body stays");
}

static void test_several_objects(void **state)
{
    (void)state;
    const char *object =
        "object: {box: [50 mm, 50 mm, 50 mm], mass: 0.2 kg, surface: abs, placed: resting}";
    const char *objects = "objects:\n  mug: {sphere: {radius: 3 cm}, mass: 1 kg, surface: abs}\n"
                          "  die: {box: [1 cm, 1 cm, 1 cm], mass: 1 kg, surface: abs}\n"
                          "study: {vary: [object]}";
    expect_fine(object, objects);
    const gmc_scenario *s = &reading.scenario;
    assert_int_equal(s->object_count, 2);
    assert_string_equal(s->objects[1].name, "die");
    assert_string_equal(s->objects[1].path, "objects.die");
    assert_int_equal(s->case_count, 2);
    assert_int_equal(s->uncertain[0].target_count, 2); // object.pose.x of either
    expect_mistake(object,
                   "objects:\n  mug: {sphere: {radius: 3 cm}, mass: 1 kg, surface: abs}\n"
                   "  die: {sphere: {radius: 3 cm}, mass: 1 kg, surface: abs}",
                   "nothing says which one is grasped");
    expect_mistake(object, "objects: {}", "at least one object");
    // a list of none is not divided by
    expect_mistake(object, "study: {vary: [object]}", "object");
    expect_mistake(object, "objects: {}\nstudy: {vary: [object]}", "at least one object");
}

static void test_hand(void **state)
{
    (void)state;
    const char *rubber = "surface: rubber";
    expect_fine(
        rubber,
        "surface: {left: rubber, rest: abs}, joints: {joint_0.0: {max_force: 5 N, start: 1 cm}}, "
        "fingers: [left, right], package_path: [., meshes/..], target: {z: 1 mm}");
    const gmc_robot_spec *hand = &reading.scenario.hand;
    assert_string_equal(hand->surface, "abs");
    assert_int_equal(hand->surface_count, 2);
    assert_int_equal(hand->joint_count, 1);
    assert_true(nominal("hand.joint_0.0.max_force") == 5);
    assert_true(nominal("hand.joints.joint_0.0.start") == 0.01);
    assert_int_equal(hand->joints[0].armature, -1);
    assert_int_equal(hand->finger_count, 2);
    assert_null(hand->fingers[2]);
    assert_null(hand->package_path[2]);
    assert_true(nominal("hand.target.z") == 0.001);
    expect_mistake("urdf: hand.urdf", "urdf: claw.urdf", "no such file: claw.urdf");
    gmc_reading_demo_with(&reading, rubber, "surface: rubber, mount: fixed");
    assert_int_equal(reading.report.error_count, 2); // lift and shake
    assert_non_null(strstr(reading.said, "lift moves the base, which is mounted"));
}

static void test_phase_rules(void **state)
{
    (void)state;
    const char *close = "close: {force: 10 N, until: stalled, at_most: 0.5 s}";
    const char *hold = "hold:  {for: 1 s}";
    expect_fine(close, "close: {force: 10 N}");
    assert_int_equal(reading.scenario.program[0].until, GMC_END_STALLED);
    assert_true(nominal("program.0.close.at_most") == 1);
    expect_fine(close, "close: {position: 3 mm, in: 1 s}");
    assert_int_equal(reading.scenario.program[0].until, GMC_END_TIME);
    expect_fine(close, "close: {speed: 1 m/s}"); // to where the fingers are closed
    expect_mistake(close, "close: {force: 1 N, in: 1 s}", "in: means nothing with force:");
    expect_fine(close, "close: {force: 1 N, at_most: 2 s}");
    assert_int_equal(reading.scenario.program[0].until, GMC_END_STALLED);
    assert_true(nominal("program.0.close.at_most") == 2);
    expect_mistake(close, "close: {force: 1 N, for: 1 s, at_most: 2 s}",
                   "at_most means nothing without until");
    expect_mistake(close, "close: {force: 1 N, for: 1 s, until: stalled}", "exclude each other");
    expect_mistake(close, "close: {force: 1 N, until: stuck}",
                   "expected one of stalled, in_contact");
    expect_fine(hold, "hold: {until: at_rest}");
    assert_int_equal(reading.scenario.program[3].until, GMC_END_AT_REST);
    expect_fine(hold, "lift: {by: 1 cm, in: 1 s, name: more}");
    assert_string_equal(reading.scenario.program[3].name, "more");
    expect_fine(hold, "lift: {by: 1 cm, in: 1 s}");
    assert_string_equal(reading.scenario.program[3].name, "lift_2");
    expect_mistake(hold, "lift: {by: 1 cm, in: 1 s, name: lift}", "another phase has this name");
    expect_mistake(hold, "move: {by: 1 cm, in: 1 s}", "the base moves by a vector");
    expect_mistake(hold, "move: {by: [1, 2, 3], joint: left, in: 1 s}",
                   "a joint moves by one amount");
    expect_fine(hold, "move: {by: [0, 0, 1 cm], in: 1 s, frame: hand}");
    assert_true(reading.scenario.program[3].in_hand_frame);
    expect_fine(hold, "turn: {axis: [0, 0, 2], by: 90 deg, in: 1 s}");
    assert_true(reading.scenario.program[3].is_rotation);
    expect_mistake(hold, "turn: {axis: [0, 0, 0], by: 90 deg, in: 1 s}", "axis of length 0");
    expect_fine(hold, "shake: {about: z, amplitude: 5 deg, frequency: 1 Hz, for: 1 s}");
    expect_mistake(hold, "shake: {about: z, amplitude: 5 mm, frequency: 1 Hz, for: 1 s}",
                   "expected an angle");
    expect_mistake(hold, "shake: {axis: z, amplitude: 5 mm, frequency: 1 Hz, for: 0.1 s}",
                   "ramp must be at most half");
    expect_mistake(hold, "hold: {for: 1 s}\n    lift: {by: 1, in: 1}",
                   "hold and lift exclude each other");
    expect_mistake(hold, "grab: {for: 1 s}", "unknown key grab");
}

static void test_set_phases(void **state)
{
    (void)state;
    const char *hold = "hold:  {for: 1 s}";
    expect_fine(hold, "set: {friction.abs/rubber: 0.1, gravity.x: 1 m/s2, in: 0.1 s}");
    const gmc_phase_spec *set = &reading.scenario.program[3];
    assert_int_equal(set->set_count, 2);
    assert_string_equal(reading.scenario.parameters[set->sets[0].target].path,
                        "friction.rubber/abs");
    assert_true(nominal("program.3.set.friction.abs/rubber") == 0.1);
    assert_true(nominal("program.3.set.gravity.x") == 1);
    expect_mistake(hold, "set: {friction.rubber/abs: 3 mm}", "expected a pure number");
    expect_mistake(hold, "set: {friction.rubber/abs: -1}", "must be >= 0");
    expect_mistake(hold, "set: {friction.ruber/abs: 1}", "unknown parameter friction.ruber/abs");
    expect_mistake(hold, "set: {in: 1 s}", "nothing to change");
}

static void test_friction_pairs(void **state)
{
    (void)state;
    expect_mistake("abs/wood: 0.4", "abs/wood: 0.4, wood/abs: 0.3", "are the same pair");
    expect_mistake("abs/wood: 0.4", "abs/wood: 0.4, abs: 0.3", "two names of surfaces");
    gmc_reading_demo_with(&reading, "abs/wood: 0.4", "abs/wood: 0.4, ruber/wood: 0.3");
    assert_int_equal(reading.status, GMC_OK);
    assert_int_equal(reading.report.warning_count, 1);
    assert_non_null(strstr(reading.said, "did you mean rubber?"));
}

static void test_coefficients_of_a_pair(void **state)
{
    (void)state;
    const char *pair = "rubber/abs: 0.2";
    expect_fine(pair, "rubber/abs: {static: 0.5, kinetic: 0.4}");
    assert_true(nominal("friction.rubber/abs") == 0.5);
    assert_true(nominal("friction.rubber/abs.static") == 0.5);
    assert_true(nominal("friction.abs/rubber.kinetic") == 0.4);
    assert_true(nominal("friction.rubber/abs.threshold") == 1e-3);
    expect_mistake(pair, "rubber/abs: {kinetic: 0.4}", "friction.rubber/abs needs static");
    expect_mistake(pair, "rubber/abs: {static: 0.3, kinetic: 0.4}",
                   "friction.rubber/abs.kinetic: must be <= static, found 0.4");
    expect_mistake(pair, "rubber/abs: {static: 0.5, kinetik: 0.4}", "did you mean kinetic?");
    expect_mistake(pair, "rubber/abs: {static: 0.5, threshold: 1 mm/s}",
                   "threshold means nothing without kinetic");
    expect_mistake(pair, "rubber/abs: {static: 0.5, kinetic: 0.4, threshold: 1 mm}",
                   "expected a speed");
    expect_mistake(pair, "rubber/abs: {static: 0.5, across: 0.4}",
                   "friction.rubber/abs.across: neither rubber nor abs has a grain");
    expect_fine(pair, "rubber/abs: {static: 0.5, torsion: 2 mm, rolling: 0.1 mm}");
    assert_true(nominal("friction.rubber/abs.torsion") == 2e-3);
    assert_true(nominal("friction.rubber/abs.rolling") == 1e-4);
    expect_mistake(pair, "rubber/abs: {static: 0.5, torsion: 0.2 rad}", "expected a length");
    expect_fine(pair, "rubber/abs: {static: 0.5, restitution: 0.4}");
    assert_true(nominal("friction.rubber/abs.restitution") == 0.4);
    assert_true(nominal("friction.rubber/abs.bounce_speed") == 0.01);
    expect_mistake(pair, "rubber/abs: {static: 0.5, restitution: 1.1}", "must be <= 1, found 1.1");
    const char *last = "rubber/rubber: 0.8}";
    expect_fine(last, "rubber/rubber: {static: 0.5, across: 0.4}}\nsurfaces: {rubber: {grain: y}}");
    assert_true(nominal("surfaces.rubber.grain.y") == 1);
    assert_true(nominal("surfaces.rubber.grain.x") == 0);
    expect_mistake(last, "rubber/rubber: {static: 0, across: 1}}\nsurfaces: {rubber: {grain: y}}",
                   "static: must be > 0 where across is given");
}

static void test_pads(void **state)
{
    (void)state;
    expect_fine(NULL, "surfaces: {rubber: {pad: {thickness: 3 mm, modulus: 1.2 MPa}}}\n");
    assert_true(nominal("surfaces.rubber.pad.thickness") == 3e-3);
    assert_true(nominal("surfaces.rubber.pad.modulus") == 1.2e6);
    assert_true(nominal("surfaces.rubber.pad.poisson") == 0);
    expect_mistake(NULL, "surfaces: {rubber: {pad: {thickness: 3 mm}}}\n",
                   "surfaces.rubber.pad needs modulus");
    expect_mistake(NULL, "surfaces: {rubber: {pad: {thickness: 0 mm, modulus: 1 MPa}}}\n",
                   "must be >= 1e-06 m");
    expect_mistake(NULL, "surfaces: {rubber: {pad: {thickness: 3 mm, modulus: 1 N}}}\n",
                   "expected a pressure");
    expect_mistake(NULL,
                   "surfaces: {rubber: {pad: {thickness: 3 mm, modulus: 1 MPa, poisson: 0.5}}}\n",
                   "must be <= 0.49");
}

static void test_units_and_types(void **state)
{
    (void)state;
    const char *mass = "mass: 0.2 kg";
    expect_mistake(mass, "mass: 0.2 m", "object.mass: expected a mass, found 0.2 m");
    expect_mistake(mass, "mass: 2 stone", "unknown unit stone");
    expect_mistake(mass, "mass: nan", "expected a finite number");
    expect_mistake(mass, "mass: 1e400", "expected a finite number");
    expect_mistake(mass, "mass: heavy", "expected a mass, found heavy");
    expect_mistake(mass, "mass: [1]", "expected a mass, found a list");
    expect_mistake(mass, "mass: ~", "object.mass: has no value");
    expect_mistake(mass, "mass: 1 kg extra", "unexpected extra after the number and its unit");
    expect_mistake(mass, "mass: 1 kg 2", "unexpected 2 after the number and its unit");
    expect_mistake("frame: tcp", "frame: tcp, self_collision: maybe", "expected true or false");
    expect_mistake("  - hold:  {for: 1 s}", "  hold", "not YAML");
    expect_mistake("  - hold:  {for: 1 s}",
                   "  - shake: {axis: w, amplitude: 1 mm, frequency: 1 Hz, for: 1 s}",
                   "shake.axis: expected an axis: x, y, z, -x, -y, -z, or [x, y, z]");
    expect_mistake(NULL, "sampling: {draws: 1.5}\n", "expected a whole number");
    expect_mistake(NULL, "sampling: {draws: 0}\n", "must be >= 1");
    expect_mistake(NULL, "sampling: {seed: -1}\n", "must be >= 0");
    expect_mistake(NULL, "study: {vary: {object.mass: [1 kg]}, draws: 5}\nsampling: {draws: 5}\n",
                   "exclude each other");
    expect_mistake("graspmc: 1", "graspmc: 2", "graspmc: must be <= 1");
    expect_mistake("hand:  ", "hnad:  ", "did you mean hand?");
}

static void test_later_blocks_are_unknown_keys(void **state)
{
    (void)state;
    expect_mistake(NULL, "weather: {x: 1}\n", "unknown key weather");
    expect_mistake(NULL, "control: {rate: 500 Hz}\n", "control needs by");
}

static void test_ten_mistakes_are_ten_messages_in_one_pass(void **state)
{
    (void)state;
    static const struct {
        int line, column;
        const char *message;
    } EXPECTED[] = {
        {5, 3, "unknown key frme in hand"},
        {8, 23, "object.box.z: expected a length, found 50 kg"},
        {9, 9, "object.mass: must be > 0, found -0.2 kg"},
        {16, 3, "rubber/abs and abs/rubber are the same pair"},
        {19, 5, "unknown key lfit in program.1"},
        {20, 5, "program.2.shake needs frequency"},
        {23, 20, "the left side is in m, the right side in rad"},
        {24, 15, "nothing is called objekt"},
        {26, 41, "the standard deviation must be > 0, found -4 mm"},
        {27, 3, "unknown parameter friction.rubber/abz"},
    };
    gmc_scenario_free(&reading.scenario);
    gmc_diagnostics_free(&reading.report);
    gmc_arena_reset(&reading.arena, 0);
    gmc_status status = gmc_scenario_read("test/end_to_end/data/ten_mistakes.yaml", NULL, NULL,
                                          &reading.report, &reading.arena, &reading.scenario);
    assert_int_equal(status, GMC_E_INPUT);
    assert_int_equal(gmc_resolve_scenario(&reading.scenario, &reading.report), GMC_E_INPUT);
    for (int i = 0; i < GMC_COUNT(EXPECTED); i++) {
        const gmc_diagnostic *found = NULL;
        for (int j = 0; j < reading.report.count; j++)
            if (strstr(reading.report.items[j].message, EXPECTED[i].message))
                found = &reading.report.items[j];
        if (!found) {
            fail_msg("not said: %s", EXPECTED[i].message);
            return;
        }
        assert_int_equal(found->source.line, EXPECTED[i].line);
        assert_int_equal(found->source.column, EXPECTED[i].column);
    }
    assert_int_equal(reading.report.count, 10);
}

int test_reader(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_demo),
        cmocka_unit_test(test_phases_of_the_demo),
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_bodies),
        cmocka_unit_test(test_several_objects),
        cmocka_unit_test(test_hand),
        cmocka_unit_test(test_phase_rules),
        cmocka_unit_test(test_set_phases),
        cmocka_unit_test(test_friction_pairs),
        cmocka_unit_test(test_coefficients_of_a_pair),
        cmocka_unit_test(test_pads),
        cmocka_unit_test(test_units_and_types),
        cmocka_unit_test(test_later_blocks_are_unknown_keys),
        cmocka_unit_test(test_ten_mistakes_are_ten_messages_in_one_pass),
    };
    return cmocka_run_group_tests(tests, open_reading, close_reading);
}

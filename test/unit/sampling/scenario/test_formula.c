// Named parameters, formulas and designs, from the text to the numbers of a trial.
#include "engine/math/elementary.h"
#include "sampling/scenario/perturb.h"
#include "sampling/scenario/study.h"
#include "test/support/cmocka.h"
#include "test/support/near.h"
#include "test/support/one_reading.h"

#include <stdio.h>
#include <string.h>

// the value of a formula and of its own sum here may differ by the rounding of a few operations
#define EPS 1e-15

static double values[512];

// A planar scene with `parameters` on top and `rest` at its end.
static void scene(const char *parameters, const char *x, const char *rest, const char *const *sets)
{
    static char text[4096];
    snprintf(
        text, sizeof text,
        "graspmc: 1\nworld: planar\nparameters:\n%s"
        "object: {circle: {diameter: 2 * pin.radius}, mass: 20 g, surface: a, pose: {x: \"%s\"}}\n"
        "scene:\n  ledge: {polygon: [[0 mm, -9 mm], [ledge.run, -9 mm], [0 mm, ledge.rise]], "
        "surface: a}\n"
        "friction: {a/a: 0.3}\nprogram: [hold: {for: 0.5 s}]\n"
        "success: {at_end: [height(object) >= 0 mm]}\n%s",
        parameters, x, rest);
    gmc_reading_try(&reading, text, sets);
}

// What it names may stand below it.
static const char OWN[] = "  ledge.run: ledge.length * cos(ledge.angle)\n"
                          "  ledge.rise: ledge.length * sin(ledge.angle)\n"
                          "  ledge.length: 20 mm\n"
                          "  ledge.angle: 30 deg\n"
                          "  pin.radius: 3 mm\n";

static void good(const char *parameters, const char *x, const char *rest, const char *const *sets)
{
    scene(parameters, x, rest, sets);
    if (reading.status != GMC_OK) fail_msg("refused:\n%s", reading.said);
    assert_true(reading.scenario.parameter_count < GMC_COUNT(values));
}

static double at(int64_t case_index, uint64_t draw, const char *path)
{
    gmc_param bad = -1;
    assert_int_equal(gmc_perturb_values(&reading.scenario, case_index, draw, values, &bad), GMC_OK);
    gmc_param index = gmc_scenario_find(&reading.scenario, path);
    assert_true(index >= 0);
    return values[index];
}

static void test_formulas_follow_what_they_name(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double expected;
    } CASES[] = {
        {"ledge.run", 0.02 * 0.86602540378443865},
        {"ledge.length / 2 - pin.radius", 0.007},
        {"-pin.radius + 1 mm", -0.002},
        {"2 * (pin.radius + 1 mm)", 0.008},
        {"min(pin.radius, 1 mm)", 0.001},
        {"max(pin.radius, ledge.length)", 0.02},
        {"abs(pin.radius - ledge.length)", 0.017},
        {"sqrt(pin.radius * pin.radius + 4 mm * 4 mm)", 0.005},
        {"tan(ledge.angle + 15 deg) * 1 mm", 0.001},
        {"5 mm", 0.005},
        {"pin.radius + 0.001", 0.004}, // a number without a unit is SI
    };
    for (int i = 0; i < GMC_COUNT(CASES); i++) {
        good(OWN, CASES[i].text, "", NULL);
        ASSERT_NEAR(at(0, 0, "object.pose.x"), CASES[i].expected, EPS);
        ASSERT_NEAR(gmc_reading_parameter(&reading, "object.pose.x")->nominal, CASES[i].expected,
                    EPS);
    }
    ASSERT_NEAR(at(0, 0, "object.circle.radius"), 0.003, EPS);
    ASSERT_NEAR(at(0, 0, "scene.ledge.polygon.2.y"), 0.01, EPS);
}

static void test_study_and_chance_reach_them(void **state)
{
    (void)state;
    good(OWN, "ledge.run",
         "study: {vary: {ledge.length: [10 mm, 30 mm]}}\n"
         "uncertain:\n  ledge.angle: uniform(0 deg, 60 deg)\n",
         NULL);
    for (int k = 0; k < 2; k++)
        for (uint64_t draw = 0; draw < 20; draw++) {
            double angle = at(k, draw, "ledge.angle"), length = k ? 0.03 : 0.01;
            ASSERT_NEAR(values[gmc_scenario_find(&reading.scenario, "object.pose.x")],
                        length * gmc_cos(angle), EPS);
            ASSERT_NEAR(values[gmc_scenario_find(&reading.scenario, "scene.ledge.polygon.2.y")],
                        length * gmc_sin(angle), EPS);
        }
    // what the robot believes has the decisions, not the chance
    gmc_perturb_believed(&reading.scenario, 1, values);
    ASSERT_NEAR(values[gmc_scenario_find(&reading.scenario, "object.pose.x")],
                0.03 * 0.86602540378443865, EPS);
    assert_int_equal(reading.scenario.sampled_count, 2);
}

static void test_lines_change_what_a_formula_gave(void **state)
{
    (void)state;
    good(OWN, "ledge.run",
         "uncertain:\n  ledge.length: uniform(10 mm, 20 mm)\n"
         "  object.pose.x: nominal + uniform(1 mm, 2 mm)\n"
         "  scene.ledge.polygon.2.y: 7 mm\n",
         NULL);
    for (uint64_t draw = 0; draw < 20; draw++) {
        double length = at(0, draw, "ledge.length");
        double over = at(0, draw, "object.pose.x") - length * 0.86602540378443865;
        assert_true(over >= 0.001 - EPS);
        assert_true(over <= 0.002 + EPS);
        ASSERT_NEAR(at(0, draw, "scene.ledge.polygon.2.y"), 0.007, 0);
    }
    // a study that sets the number itself leaves the formula no say
    good(OWN, "ledge.run",
         "study: {vary: {object.pose.x: [1 mm, 2 mm], ledge.length: [5 mm, 9 mm]}}\n", NULL);
    ASSERT_NEAR(at(3, 0, "object.pose.x"), 0.002, 0);
    ASSERT_NEAR(at(3, 0, "ledge.run"), 0.009 * 0.86602540378443865, EPS);
}

static void test_they_are_set_by_path(void **state)
{
    (void)state;
    const char *const sets[] = {"ledge.length=40 mm", "parameters.pin.radius=ledge.length / 10",
                                "scene.ledge.pose.x=2 * pin.radius", NULL};
    good(OWN, "ledge.run", "", sets);
    ASSERT_NEAR(at(0, 0, "object.pose.x"), 0.04 * 0.86602540378443865, EPS);
    ASSERT_NEAR(at(0, 0, "object.circle.radius"), 0.004, EPS);
    ASSERT_NEAR(at(0, 0, "scene.ledge.pose.x"), 0.008, EPS);
}

static void test_mistakes(void **state)
{
    (void)state;
    static const struct {
        const char *parameters, *x, *said;
    } CASES[] = {
        {"  a.b: c.d\n  c.d: a.b\n", "0", "scenario.yaml:5:8: error: a.b depends on itself"},
        {"  object.x: 3 mm\n", "0",
         "4:3: error: parameters: paths that start with object are reserved"},
        {"  lonely: 3 mm\n", "0", "4:3: error: parameters: lonely cannot be the path"},
        {"  a.b: 3 mm + 2 deg\n", "0", "4:13: error: the left side is in m, the right side in rad"},
        {"  a.b: 3 mm * 2 mm\n", "0",
         "4:8: error: parameters.a.b: no quantity of a scenario has the unit"},
        {"  a.b: sin(3 mm)\n", "0", "4:8: error: expected an angle"},
        {"  a.b: sqrt(3 mm)\n", "0",
         "4:8: error: sqrt: the unit of its argument has no square root"},
        {"  a.b: normal(3 mm, 1 mm)\n", "0", "4:8: error: unknown function"},
        {"  a.b: 1 / 0\n", "0",
         "error: parameters.a.b: with these parameters the formula gives no finite"},
        {"  a.b: [1, 2]\n", "0", "error: parameters.a.b: expected a number, found a list"},
        {"  a.b: 3 mm\n", "a.c", "error: unknown parameter a.c"},
        {"  a.b: 3 deg\n", "a.b + 1 deg", "error: object.pose.x: expected a length, found a.b"},
        {"  a.b: 3 mm\n", "a.b + ", "error: expected a parameter or a number, found the end"},
        {"  a.b: 3 mm\n", "a.b a.b", "error: expected the end of the formula, found a.b"},
    };
    for (int i = 0; i < GMC_COUNT(CASES); i++) {
        char parameters[400];
        snprintf(parameters, sizeof parameters,
                 "%s  ledge.run: 20 mm\n  ledge.rise: 10 mm\n  pin.radius: 3 mm\n",
                 CASES[i].parameters);
        scene(parameters, CASES[i].x, "", NULL);
        assert_int_equal(reading.status, GMC_E_INPUT);
        if (!strstr(reading.said, CASES[i].said))
            fail_msg("expected %s, found:\n%s", CASES[i].said, reading.said);
        assert_int_equal(reading.report.error_count, 1); // one mistake, one message
    }
    // nor is what else names it unknown
    scene("  a.b: c.d\n  c.d: a.b\n  ledge.run: 20 mm\n  ledge.rise: 10 mm\n  pin.radius: 3 mm\n",
          "0", "uncertain: {a.b: \"uniform(1 mm, 2 mm)\"}\noutput: {histograms: [c.d]}\n", NULL);
    assert_int_equal(reading.report.error_count, 1);
    // a number that is out of range at nominal parameters
    scene("  ledge.run: 20 mm\n  ledge.rise: 10 mm\n  pin.radius: 0 mm\n", "0", "", NULL);
    assert_non_null(strstr(reading.said, "object.circle.radius: must be > 0"));
}

static void test_a_long_chain_is_refused(void **state)
{
    (void)state;
    static char chain[16384];
    size_t used = 0;
    for (int i = 0; i < 200; i++)
        used += (size_t)snprintf(chain + used, sizeof chain - used, "  a.n%d: a.n%d + 1 mm\n", i,
                                 i + 1);
    snprintf(chain + used, sizeof chain - used, "  a.n200: 1 mm\n");
    static char text[20000];
    snprintf(text, sizeof text, "graspmc: 1\nparameters:\n%s", chain);
    gmc_reading_try(&reading, text, NULL);
    assert_int_equal(reading.status, GMC_E_INPUT);
    assert_non_null(strstr(reading.said, "too long a chain of formulas"));
}

// ---- designs ----------------------------------------------------------------------------------

static const char DESIGNS[] = "study:\n"
                              "  vary:\n"
                              "    ledge.length: between(10 mm, 40 mm)\n"
                              "    friction.a/a: [0.1, 0.2, 0.3]\n"
                              "    ledge.angle: between(10 deg, 40 deg)\n"
                              "  designs: %d\n"
                              "  require: [ledge.run >= 15 mm]\n";

static void designs(int count)
{
    char study[512];
    snprintf(study, sizeof study, DESIGNS, count);
    good(OWN, "ledge.run", study, NULL);
}

static void test_designs_are_points_of_the_box(void **state)
{
    (void)state;
    enum { DESIGN_COUNT = 50 };
    double length[DESIGN_COUNT];
    designs(DESIGN_COUNT);
    assert_int_equal(reading.scenario.case_count, 3 * DESIGN_COUNT);
    int low = 0, high = 0;
    for (int d = 0; d < DESIGN_COUNT; d++)
        for (int k = 0; k < 3; k++) {
            int64_t c = 3 * d + k; // the joint axis stands first, friction runs fastest
            length[d] = at(c, 0, "ledge.length");
            double angle = at(c, 0, "ledge.angle") * 180 / GMC_PI;
            assert_true(length[d] >= 0.01);
            assert_true(length[d] <= 0.04);
            assert_true(angle >= 10);
            assert_true(angle <= 40);
            assert_true(at(c, 0, "ledge.run") >= 0.015);
            ASSERT_NEAR(at(c, 0, "friction.a/a"), 0.1 * (k + 1), EPS);
            ASSERT_NEAR(at(c, 0, "ledge.length"), at(3 * d, 0, "ledge.length"), 0);
            low += angle < 25;
            high += length[d] > 0.025;
        }
    assert_true(low > 30);
    assert_true(low < 120);
    assert_true(high > 30);    // half of 150; 6 standard deviations: 37
    designs(2 * DESIGN_COUNT); // more of them move none, nor does the seed
    reading.scenario.seed = 99;
    for (int d = 0; d < DESIGN_COUNT; d++)
        ASSERT_NEAR(at(3 * d, 0, "ledge.length"), length[d], 0);
}

static void test_designs_have_mistakes_too(void **state)
{
    (void)state;
    static const struct {
        const char *study, *said;
    } CASES[] = {
        {"study: {vary: {ledge.length: \"between(1 mm, 2 mm)\"}}\n",
         "how many designs is not said"},
        {"study: {vary: {ledge.length: [1 mm, 2 mm]}, designs: 5}\n", "no axis is between"},
        {"study: {vary: {ledge.length: \"between(2 mm, 1 mm)\"}, designs: 5}\n",
         "the second number must be larger"},
        {"study: {vary: {pin.radius: \"between(-1 deg, 1 deg)\"}, designs: 5}\n", "length"},
        {"study: {vary: {object.mass: \"between(-1 g, 1 g)\"}, designs: 5}\n", "cannot be"},
        {"study: {vary: {ledge.length: \"between(1 mm, 2 mm)\"}, designs: 5, require: "
         "[ledge.length > 3 mm]}\n",
         "none fulfils what is required"},
        {"study: {vary: {ledge.length: \"between(1 mm, 2 mm)\"}, designs: 5, require: "
         "[ledge.lenght > 3 mm]}\n",
         "did you mean ledge.length"},
        {"study: {vary: {ledge.length: \"between(1 mm, 2 mm)\"}, designs: 5, require: "
         "[ledge.length]}\n",
         "expected a condition"},
    };
    for (int i = 0; i < GMC_COUNT(CASES); i++) {
        scene(OWN, "ledge.run", CASES[i].study, NULL);
        assert_int_equal(reading.status, GMC_E_INPUT);
        if (!strstr(reading.said, CASES[i].said))
            fail_msg("expected %s, found:\n%s", CASES[i].said, reading.said);
    }
}

int test_formula(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formulas_follow_what_they_name),
        cmocka_unit_test(test_study_and_chance_reach_them),
        cmocka_unit_test(test_lines_change_what_a_formula_gave),
        cmocka_unit_test(test_they_are_set_by_path),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_a_long_chain_is_refused),
        cmocka_unit_test(test_designs_are_points_of_the_box),
        cmocka_unit_test(test_designs_have_mistakes_too),
    };
    return cmocka_run_group_tests(tests, open_reading, close_reading);
}

#include "sampling/scenario/perturb.h"
#include "sampling/scenario/uncertain.h"
#include "test/support/cmocka.h"
#include "test/support/near.h"
#include "test/support/one_reading.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char MASS[] = "uniform(0.1 kg, 0.3 kg)";

// The demo with another line for the mass; its distribution.
static const gmc_uncertain *mass(const char *text)
{
    gmc_reading_demo_with(&reading, MASS, text);
    if (reading.status != GMC_OK) fail_msg("refused: %s\n%s", text, reading.said);
    return &reading.scenario.uncertain[2];
}

static void refuse(const char *text, const char *message)
{
    gmc_reading_demo_with(&reading, MASS, text);
    if (reading.report.error_count != 1 || !strstr(reading.said, message))
        fail_msg("%s: expected `%s`, got:\n%s", text, message, reading.said);
}

static void test_forms(void **state)
{
    (void)state;
    const gmc_uncertain *line = mass("normal(0.2 kg, 10 g)");
    assert_int_equal(line->change, GMC_CHANGE_ABSOLUTE);
    assert_int_equal(line->distribution.type, GMC_DISTRIBUTION_NORMAL);
    assert_true(line->distribution.p[0] == 0.2);
    assert_true(line->distribution.p[1] == 0.01);
    assert_false(line->distribution.is_truncated);

    line = mass("normal(0.2, 0.1) in [0.1 kg, inf]");
    assert_true(line->distribution.is_truncated);
    assert_true(line->distribution.lower == 0.1);
    assert_true(line->distribution.upper == HUGE_VAL);

    line = mass("nominal * lognormal(1, 8 %)");
    assert_int_equal(line->change, GMC_CHANGE_MULTIPLY);
    assert_true(line->distribution.p[1] == 0.08);

    line = mass("nominal + uniform(-10 g, +10 g)");
    assert_int_equal(line->change, GMC_CHANGE_ADD);
    assert_true(line->distribution.p[0] == -0.01);
    assert_true(line->distribution.p[1] == 0.01);

    line = mass("triangular(100 g, 200 g, 400 g)");
    assert_int_equal(line->distribution.type, GMC_DISTRIBUTION_TRIANGULAR);
    assert_true(line->distribution.p[2] == 0.4);

    line = mass("one_of(0.1, 200 g, 0.3 kg; weights 3, 1, 1)");
    assert_int_equal(line->distribution.value_count, 3);
    assert_true(line->distribution.values[1] == 0.2);
    assert_true(line->distribution.weights[0] == 3);
    line = mass("one_of(0.1 kg, 0.2 kg)");
    assert_null(line->distribution.weights);

    line = mass("250 g");
    assert_int_equal(line->distribution.type, GMC_DISTRIBUTION_CONSTANT);
    assert_true(line->distribution.p[0] == 0.25);
}

static void test_mistakes(void **state)
{
    (void)state;
    refuse("normal(0.2 kg, -0.1 kg)", "the standard deviation must be > 0, found -0.1 kg");
    refuse("normal(0.2 kg, 1 mm)", "expected a mass (kg or g), found a number in m");
    refuse("uniform(0.3 kg, 0.1 kg)", "found");
    refuse("uniform(0.3 kg)", "too few numbers");
    refuse("uniform(0.1, 0.2, 0.3)", "too many numbers");
    refuse("uniforn(0.1, 0.2)", "did you mean uniform?");
    refuse("nominal - 3 g", "expected + or * after nominal");
    refuse("nominal * 3 kg", "expected a pure number");
    refuse("uniform(0.1, 0.2) in [0, 1]", "only normal, lognormal and fit are cut");
    refuse("uniform(0.1, 0.2) + 1", "expected the end");
    refuse("one_of(0.1, 0.2; weights 1)", "as many weights as values");
    refuse("normal(0.1, 0.2", "expected ), found the end");
    refuse("uniform(0.1 kg, 0.3 stone)", "unknown unit stone");
    refuse("uniform(0.1, heavy)", "expected a number, found heavy");
    refuse("lognormal(0.1 kg, 3 kg)", "expected a pure number");
    refuse("normal(0.2 kg, 1 g) in [0.3 kg, 0.1 kg]", "found");
}

static void test_places(void **state)
{
    (void)state;
    refuse("normal(0.2 kg, -0.1 kg)",
           "scenario.yaml:18:39: error: object.mass: the standard deviation");
}

static void test_what_can_be_foreseen(void **state)
{
    (void)state;
    refuse("uniform(-0.1 kg, 0.3 kg)", "object.mass must be > 0");
    refuse("0 kg", "object.mass must be > 0");
    refuse("nominal + uniform(-0.3 kg, 0 kg)", "object.mass must be > 0");
    refuse("nominal * uniform(-1, 1)", "object.mass must be > 0");
    refuse("normal(-1 kg, 10 g)", "object.mass must be > 0");
    (void)mass("uniform(0 kg, 0.3 kg)"); // 0 itself has probability 0
    (void)mass("nominal + uniform(-0.2 kg, 0 kg)");
    (void)mass("normal(0.2 kg, 10 g)"); // 20 sigma
    assert_int_equal(reading.report.warning_count, 0);
    (void)mass("normal(0.2 kg, 0.1 kg)"); // 2 sigma: 2.3 %
    assert_int_equal(reading.report.warning_count, 1);
    assert_non_null(strstr(reading.said, "probability 0.0228"));
    (void)mass("normal(0.2 kg, 0.1 kg) in [1 g, 1 kg]");
    assert_int_equal(reading.report.warning_count, 0);
}

static void test_unknown_paths(void **state)
{
    (void)state;
    gmc_reading_demo_with(&reading, "object.mass: ", "object.maas: ");
    assert_int_equal(reading.status, GMC_E_INPUT);
    assert_non_null(strstr(reading.said, "unknown parameter object.maas"));
    assert_non_null(strstr(reading.said, "did you mean object.mass?"));
    gmc_reading_demo_with(&reading, "object.mass: ", "hand.lefft.max_force: ");
    assert_int_equal(reading.status, GMC_E_INPUT);
}

static void test_patterns(void **state)
{
    (void)state;
    gmc_reading_demo_with(&reading, NULL, "  friction.*: nominal * lognormal(1, 8 %)\n");
    assert_int_equal(reading.status, GMC_OK);
    assert_true(reading.scenario.uncertain[4].is_pattern);
    assert_int_equal(reading.scenario.uncertain[4].target_count, 4);
    gmc_reading_demo_with(&reading, NULL, "  frction.*: nominal * lognormal(1, 8 %)\n");
    assert_non_null(strstr(reading.said, "no parameter matches"));
    gmc_reading_demo_with(&reading, NULL, "  object.pose.*: nominal + normal(0, 1)\n");
    assert_non_null(strstr(reading.said, "write two lines")); // lengths and angles
}

static void test_samples(void **state)
{
    (void)state;
    gmc_scratch_text(&reading.scratch, "data/mu.csv", "mu,grams\n0.2,100\n0.3,150\n");
    const gmc_uncertain *line = mass("samples(data/mu.csv, column grams, unit g)");
    assert_int_equal(line->distribution.type, GMC_DISTRIBUTION_EMPIRICAL);
    assert_int_equal(line->distribution.value_count, 2);
    ASSERT_BELOW(fabs(line->distribution.values[1] - 0.15), 1e-16);
    assert_int_equal(reading.scenario.asset_count, 2);
    assert_string_equal(reading.scenario.assets[1].name, "data/mu.csv");
    refuse("samples(data/mu.csv, column gram)", "did you mean grams?");
    gmc_scratch_text(&reading.scratch, "data/units.csv",
                     "m,w [g],r [%rel]\n0.2,200,1\n0.3,300,2\n");
    refuse("samples(data/units.csv, column w)",
           "hint: its name is  w [g]  with the unit: column w [g], unit g");
    refuse("samples(data/units.csv, column w, unit g)", "hint: its name is  w [g]  with the");
    refuse("samples(data/units.csv, column r)", "hint: its name is  r [%rel]  with the brackets");
    assert_true(mass("samples(data/units.csv, column w [g], unit g)")->distribution.values[1] ==
                0.3);
    refuse("samples(data/mu.csv, column mu, unit mm)", "expected a mass");
    refuse("samples(data/nu.csv, column mu)", "no such file: data/nu.csv");
    refuse("samples(data/mu.csv)", "expected a column");
    gmc_scratch_text(&reading.scratch, "bad.csv", "mu\n0.2\nx\n");
    gmc_reading_demo_with(&reading, MASS, "samples(bad.csv, column mu)");
    assert_non_null(strstr(reading.said, "bad.csv:3:"));
    assert_int_equal(reading.status, GMC_E_INPUT);
}

static void test_columns_of_one_file_are_one_row(void **state)
{
    (void)state;
    gmc_scratch_text(&reading.scratch, "pair.csv", "grams,mu\n100,0.1\n200,0.2\n300,0.3\n");
    gmc_scratch_text(&reading.scratch, "twin.csv", "mu\n0.1\n0.2\n0.3\n");
    gmc_reading_demo_with(&reading,
                          "uniform(0.1 kg, 0.3 kg)\n  friction.rubber/abs: uniform(0.08, 0.30)",
                          "samples(pair.csv, column grams, unit g)\n"
                          "  friction.rubber/abs: samples(pair.csv, column mu)\n"
                          "  friction.abs/wood: samples(twin.csv, column mu)");
    if (reading.status != GMC_OK) fail_msg("%s", reading.said);
    const gmc_scenario *s = &reading.scenario;
    assert_int_equal(s->uncertain[3].chance, 2);
    assert_int_equal(s->uncertain[4].chance, 4);
    double values[256];
    int apart = 0;
    assert_true(s->parameter_count < GMC_COUNT(values));
    for (uint64_t d = 0; d < 60; d++) {
        assert_int_equal(gmc_perturb_values(s, 0, d, values, NULL), GMC_OK);
        double mass = values[s->uncertain[2].targets[0]], mu = values[s->uncertain[3].targets[0]];
        ASSERT_BELOW(fabs(mass - mu), 1e-15); // 100 g stand beside 0.1
        apart += values[s->uncertain[4].targets[0]] != mu;
    }
    assert_true(apart > 20);
    assert_true(apart < 59); // two in three: 40 +- 3.7

    // a point that is handed in, as by subset simulation, is looked at in the same way
    const double point[5] = {0.5, 0.5, 0.9, 0.1, 0.5};
    reading.scenario.point = point;
    assert_int_equal(gmc_perturb_values(s, 0, 0, values, NULL), GMC_OK);
    assert_true(values[s->uncertain[3].targets[0]] == 0.3);
    reading.scenario.point = NULL;
}

// The mass from a file of one column.
static void fit(const char *rows, const char *rest)
{
    char text[160];
    gmc_scratch_text(&reading.scratch, "fit.csv", rows);
    snprintf(text, sizeof text, "fit(fit.csv, column kg%s)", rest);
    gmc_reading_demo_with(&reading, MASS, text);
}

static void refuse_fit(const char *rows, const char *rest, const char *message)
{
    fit(rows, rest);
    if (reading.status == GMC_OK || reading.report.error_count != 1 ||
        !strstr(reading.said, message))
        fail_msg("%s: expected `%s`, got:\n%s", rows, message, reading.said);
}

static void test_fit(void **state)
{
    (void)state;
    fit("kg\n0.41\n0.46\n0.39\n0.44\n", ", family lognormal");
    if (reading.status != GMC_OK) fail_msg("%s", reading.said);
    const gmc_distribution *d = &reading.scenario.uncertain[2].distribution;
    assert_int_equal(d->type, GMC_DISTRIBUTION_LOG_STUDENT);
    assert_true(d->p[2] == 3);
    fit("kg\n410\n460\n390\n440\n", ", unit g, family normal) in [0.1 kg, inf]  # ");
    if (reading.status != GMC_OK) fail_msg("%s", reading.said);
    d = &reading.scenario.uncertain[2].distribution;
    assert_int_equal(d->type, GMC_DISTRIBUTION_STUDENT);
    ASSERT_BELOW(fabs(d->p[0] - 0.425), 1e-15);
    assert_true(d->is_truncated);
    assert_true(d->lower == 0.1);

    refuse_fit("kg\n1\n2\n", ", family normal", "needs between 3 and a million rows, found 2");
    refuse_fit("kg\n2\n2\n2\n", ", family normal", "all numbers are the same");
    refuse_fit("kg\n2\n0\n1\n", ", family lognormal", "family normal takes any numbers");
    refuse_fit("kg\n2\n0\n1\n", ", family weibull", "known: normal, lognormal");
    refuse_fit("kg\n2\n0\n1\n", "", "expected a family");
    refuse_fit("kg\n2\n0\n1\n", ", family normal, unit mm", "expected a mass");
    refuse_fit("g\n2\n0\n1\n", ", family normal", "has no column kg");
    refuse_fit("kg\n2\nnan\n1\n", ", family normal", "fit.csv:3");
}

// Values of one axis.
static const gmc_axis_spec *axis(const char *text)
{
    char study[256];
    snprintf(study, sizeof study, "study:\n  vary:\n    hand.target.x: %s\n", text);
    gmc_reading_demo_with(&reading, NULL, study);
    if (reading.status != GMC_OK) fail_msg("refused: %s\n%s", text, reading.said);
    return &reading.scenario.axes[0];
}

static void refuse_axis(const char *text, const char *message)
{
    char study[256];
    snprintf(study, sizeof study, "study:\n  vary:\n    hand.target.x: %s\n", text);
    gmc_reading_demo_with(&reading, NULL, study);
    if (reading.report.error_count != 1 || !strstr(reading.said, message))
        fail_msg("%s: expected `%s`, got:\n%s", text, message, reading.said);
}

static void test_axes(void **state)
{
    (void)state;
    const gmc_axis_spec *a = axis("grid(-10 mm, 10 mm, step 1 mm)");
    assert_int_equal(a->count, 21);
    assert_true(a->values[0] == -0.01);
    assert_true(a->values[20] == 0.01);
    ASSERT_BELOW(fabs(a->values[10]), 1e-17);
    a = axis("grid(0, 1, 5)");
    assert_int_equal(a->count, 5);
    assert_true(a->values[1] == 0.25);
    assert_true(a->values[4] == 1);
    a = axis("[1 mm, -2 mm, 3]");
    assert_int_equal(a->count, 3);
    assert_true(a->values[1] == -0.002);
    assert_true(a->values[2] == 3);
    a = axis("5 mm");
    assert_int_equal(a->count, 1);
    refuse_axis("grid(0, 1, step 0)", "the step is 0");
    refuse_axis("grid(0, 1, step -0.1)", "leads away from the other end");
    refuse_axis("grid(0, 1, 1)", "at least 2");
    refuse_axis("grid(0, 1, 2.5)", "whole number");
    refuse_axis("grid(0, 1, step 1e-9)", "too many values");
    refuse_axis("grid(0, 1)", "grid: expected a comma and a step or a count");
    refuse_axis("uniform(0, 1)", "a list of values or a grid");
    refuse_axis("[1 mm, 3 deg]", "expected a length");
    refuse_axis("[]", "an axis without values");
    refuse_axis("{a: 1}", "expected values");
}

int test_uncertain(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_what_can_be_foreseen),
        cmocka_unit_test(test_unknown_paths),
        cmocka_unit_test(test_patterns),
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_columns_of_one_file_are_one_row),
        cmocka_unit_test(test_fit),
        cmocka_unit_test(test_axes),
    };
    return cmocka_run_group_tests(tests, open_reading, close_reading);
}

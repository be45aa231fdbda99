#include "sampling/scenario/perturb.h"
#include "sampling/scenario/resolve.h"
#include "sampling/scenario/scenario.h"
#include "sampling/scenario/scenario_read.h"
#include "sampling/scenario/study.h"
#include "test/support/cmocka.h"
#include "test/support/near.h"
#include "test/support/one_reading.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double values[512];

static void demo(const char *old, const char *fresh)
{
    gmc_reading_demo_with(&reading, old, fresh);
    if (reading.status != GMC_OK) fail_msg("refused:\n%s", reading.said);
    assert_true(reading.scenario.parameter_count < GMC_COUNT(values));
}

static double at(int64_t case_index, uint64_t draw, const char *path)
{
    gmc_param bad = -1;
    assert_int_equal(gmc_perturb_values(&reading.scenario, case_index, draw, values, &bad), GMC_OK);
    assert_int_equal(bad, -1);
    gmc_param index = gmc_scenario_find(&reading.scenario, path);
    assert_true(index >= 0);
    return values[index];
}

static void test_only_what_is_uncertain_changes(void **state)
{
    (void)state;
    demo(NULL, "");
    const gmc_scenario *s = &reading.scenario;
    static const char *const CHANGED[] = {"object.pose.x", "object.pose.yaw", "object.mass",
                                          "friction.rubber/abs"};
    assert_int_equal(s->sampled_count, 4);
    (void)at(0, 7, "object.mass");
    for (int i = 0; i < s->parameter_count; i++) {
        bool is_uncertain = false;
        for (int j = 0; j < GMC_COUNT(CHANGED); j++)
            is_uncertain = is_uncertain || strcmp(CHANGED[j], s->parameters[i].path) == 0;
        assert_int_equal(values[i] != s->parameters[i].nominal, is_uncertain);
    }
    double samples[4];
    gmc_perturb_samples(s, 0, values, samples);
    for (int i = 0; i < 4; i++)
        assert_string_equal(s->sampled[i].path, CHANGED[i]);
    assert_true(samples[2] == values[s->sampled[2].target]);
}

static void test_values_follow_their_distributions(void **state)
{
    (void)state;
    enum { DRAWS = 4000 };
    double sum_x = 0, sum_xx = 0, lowest = 1, highest = 0;
    demo(NULL, "");
    for (uint64_t d = 0; d < DRAWS; d++) {
        double x = at(0, d, "object.pose.x"), m = at(0, d, "object.mass");
        sum_x += x;
        sum_xx += x * x;
        lowest = fmin(lowest, m);
        highest = fmax(highest, m);
    }
    double mean = sum_x / DRAWS, sd = sqrt(sum_xx / DRAWS - mean * mean);
    assert_true(fabs(mean) < 5 * 0.004 / sqrt(DRAWS)); // five standard errors
    assert_true(fabs(sd / 0.004 - 1) < 5 / sqrt(2.0 * DRAWS));
    assert_true(lowest >= 0.1);
    assert_true(lowest < 0.101);
    assert_true(highest <= 0.3);
    assert_true(highest > 0.299);
}

static void test_another_line_disturbs_no_other(void **state)
{
    (void)state;
    static const char *const PATHS[] = {"object.pose.x", "object.pose.yaw", "object.mass",
                                        "friction.rubber/abs"};
    double before[4][10];
    demo(NULL, "");
    for (int i = 0; i < 4; i++)
        for (uint64_t d = 0; d < 10; d++)
            before[i][d] = at(0, d, PATHS[i]);
    demo("uncertain:\n", "uncertain:\n  object.pose.y: normal(0, 1 mm)\n");
    for (int i = 0; i < 4; i++)
        for (uint64_t d = 0; d < 10; d++)
            assert_true(before[i][d] == at(0, d, PATHS[i]));
    assert_true(at(0, 0, "object.pose.y") != 0);
}

static void test_seed_and_draw_are_the_address(void **state)
{
    (void)state;
    demo(NULL, "");
    double a = at(0, 3, "object.mass");
    assert_true(at(0, 4, "object.mass") != a);
    assert_true(at(0, 3, "object.mass") == a);
    demo(NULL, "sampling: {seed: 2}\n");
    assert_true(at(0, 3, "object.mass") != a);
}

static void test_changes(void **state)
{
    (void)state;
    demo("mass: 0.2 kg", "mass: 0.2 kg, pose: {x: 1 m}");
    assert_true(fabs(at(0, 0, "object.pose.x") - 1) < 0.04); // nominal + normal(0, 4 mm)
    demo("uniform(0.1 kg, 0.3 kg)", "nominal * uniform(2, 3)");
    double factor = at(0, 0, "object.mass") / 0.2;
    assert_true(factor >= 2);
    assert_true(factor <= 3);
}

static void test_a_pattern_is_one_factor_after_the_others(void **state)
{
    (void)state;
    demo(NULL, "");
    double alone = at(0, 5, "friction.rubber/abs");
    // before the explicit lines in the file, after them in effect
    demo("uncertain:\n", "uncertain:\n  friction.*: nominal * lognormal(1, 8 %)\n");
    double factor = at(0, 5, "friction.abs/wood") / 0.4;
    assert_true(factor != 1);
    assert_true(factor > 0.6);
    assert_true(factor < 1.6);
    ASSERT_BELOW(fabs(at(0, 5, "friction.rubber/rubber") / 0.8 - factor), 1e-15);
    ASSERT_BELOW(fabs(at(0, 5, "friction.rubber/abs") / alone - factor), 1e-15);
    assert_int_equal(reading.scenario.sampled_count, 7); // 4, and the three other pairs
}

static const char STUDY[] = "study:\n  vary:\n    hand.target.x: [1 mm, 2 mm]\n"
                            "    object.pose.x: grid(0 mm, 20 mm, step 10 mm)\n";

static void test_cases(void **state)
{
    (void)state;
    demo(NULL, STUDY);
    const gmc_scenario *s = &reading.scenario;
    assert_int_equal(s->case_count, 6);
    assert_int_equal(gmc_study_position(s, 0, 0), 0);
    assert_int_equal(gmc_study_position(s, 4, 0), 1); // the last axis runs fastest
    assert_int_equal(gmc_study_position(s, 4, 1), 1);
    assert_true(at(4, 0, "hand.target.x") == 0.002);
    // studied values are the nominal ones of what is uncertain, and chance is common to all cases
    double noise = at(0, 9, "object.pose.x");
    ASSERT_BELOW(fabs(at(5, 9, "object.pose.x") - noise - 0.02), 1e-16);
    assert_true(at(5, 9, "object.mass") == at(0, 9, "object.mass"));
    // columns: axes first
    assert_int_equal(s->sampled_count, 5);
    assert_string_equal(s->sampled[0].path, "hand.target.x");
    assert_string_equal(s->sampled[1].path, "object.pose.x");
    assert_int_equal(s->sampled[1].axis_index, 1);
    assert_int_equal(s->sampled[1].uncertain_index, 0);
}

static void test_independent_cases(void **state)
{
    (void)state;
    char text[256];
    snprintf(text, sizeof text, "%s  independent: true\n", STUDY);
    demo(NULL, text);
    assert_true(at(5, 9, "object.mass") != at(0, 9, "object.mass"));
    assert_true(at(5, 9, "object.mass") == at(5, 9, "object.mass"));
}

static void test_several_objects(void **state)
{
    (void)state;
    demo("object: {box: [50 mm, 50 mm, 50 mm], mass: 0.2 kg, surface: abs, placed: resting}",
         "objects:\n  mug: {sphere: {radius: 3 cm}, mass: 1 kg, surface: abs}\n"
         "  die: {box: [1 cm, 1 cm, 1 cm], mass: 2 kg, surface: abs}\n"
         "study: {vary: {object: [die, mug], hand.target.x: [0, 1]}}");
    const gmc_scenario *s = &reading.scenario;
    assert_int_equal(s->case_count, 4);
    assert_int_equal(gmc_study_object(s, 0), 1);
    assert_int_equal(gmc_study_object(s, 3), 0);
    // one line, one number, both objects; one column, that of the case's object
    double x = at(0, 2, "objects.mug.pose.x");
    assert_true(x != 0);
    assert_true(values[gmc_scenario_find(s, "objects.die.pose.x")] == x);
    int column = 0;
    while (column < s->sampled_count && strcmp(s->sampled[column].path, "object.mass") != 0)
        column++;
    assert_true(column < s->sampled_count);
    double samples[16];
    gmc_perturb_samples(s, 0, values, samples);
    assert_true(samples[column] == values[gmc_scenario_find(s, "objects.die.mass")]);
}

static void test_values_out_of_range_are_named(void **state)
{
    (void)state;
    // one in two draws is below 0; a warning only, for the tail cannot be cut without being asked
    demo("uniform(0.1 kg, 0.3 kg)", "normal(0.01 kg, 1 kg)");
    int bad_count = 0;
    for (uint64_t d = 0; d < 100; d++) {
        gmc_param bad = -1;
        gmc_status status = gmc_perturb_values(&reading.scenario, 0, d, values, &bad);
        if (status == GMC_OK) continue;
        assert_int_equal(status, GMC_E_INPUT);
        assert_string_equal(reading.scenario.parameters[bad].path, "object.mass");
        bad_count++;
    }
    assert_true(bad_count > 25);
    assert_true(bad_count < 75);
}

static void test_csv_design(void **state)
{
    (void)state;
    gmc_scratch_text(&reading.scratch, "rows.csv",
                     "object.pose.x [mm],object.pose.y\n1,0.5\n2,0.25\n-3,0\n");
    demo(NULL, "sampling: {design: {csv: rows.csv}}\n");
    const gmc_scenario *s = &reading.scenario;
    assert_int_equal(s->draws, 3);
    assert_true(at(0, 1, "object.pose.x") == 0.002);
    assert_true(at(0, 1, "object.pose.y") == 0.25);
    assert_true(at(0, 1, "object.mass") != 0.2); // what the file does not say is drawn as ever
    assert_int_equal(s->sampled_count, 5);
    assert_string_equal(s->sampled[4].path, "object.pose.y");
    assert_int_equal(gmc_perturb_values(s, 0, 3, values, NULL), GMC_E_LIMIT);

    gmc_reading_demo_with(&reading, NULL, "sampling: {design: {csv: rows.csv}, draws: 4}\n");
    assert_non_null(strstr(reading.said, "4 draws, but rows.csv has only 3 rows"));
    gmc_scratch_text(&reading.scratch, "rows.csv", "object.poze.x\n1\n");
    gmc_reading_demo_with(&reading, NULL, "sampling: {design: {csv: rows.csv}}\n");
    assert_non_null(strstr(reading.said, "did you mean object.pose.x?"));
    gmc_scratch_text(&reading.scratch, "rows.csv", "object.mass\n1\n-1\n");
    gmc_reading_demo_with(&reading, NULL, "sampling: {design: {csv: rows.csv}}\n");
    assert_non_null(strstr(reading.said, "rows.csv:3: error: object.mass cannot be -1"));
    gmc_scratch_text(&reading.scratch, "rows.csv", "object.mass [mm]\n1\n");
    gmc_reading_demo_with(&reading, NULL, "sampling: {design: {csv: rows.csv}}\n");
    assert_non_null(strstr(reading.said, "expected a mass"));
}

static void test_joints_become_parameters_between_the_stages(void **state)
{
    (void)state;
    char text[4096];
    snprintf(text, sizeof text, "%s  hand.left.max_force: uniform(5 N, 8 N)\n", gmc_reading_demo);
    gmc_reading_try(&reading, text, NULL);
    assert_int_equal(reading.status, GMC_E_INPUT); // nobody added the joint

    gmc_scenario_free(&reading.scenario);
    gmc_diagnostics_free(&reading.report);
    gmc_arena_reset(&reading.arena, 0);
    assert_int_equal(gmc_scenario_read(reading.path, NULL, NULL, &reading.report, &reading.arena,
                                       &reading.scenario),
                     GMC_OK);
    gmc_parameter first = {.path = "hand.left.max_force",
                           .dimension = GMC_DIM_FORCE,
                           .nominal = 10,
                           .upper = HUGE_VAL,
                           .is_default = true};
    gmc_parameter second = first;
    second.nominal = 3;
    second.upper = 1;
    gmc_param p = gmc_scenario_add_parameter(&reading.scenario, &first);
    assert_true(p >= 0);
    assert_int_equal(gmc_scenario_add_parameter(&reading.scenario, &second), p);
    assert_int_equal(gmc_resolve_scenario(&reading.scenario, &reading.report), GMC_OK);
    double force = at(0, 0, "hand.left.max_force");
    assert_true(force >= 5);
    assert_true(force <= 8);
}

static void test_settling_joint_dimensions(void **state)
{
    (void)state;
    demo("surface: rubber", "surface: rubber, joints: {left: {max_force: 5 N, start: 0.1}}");
    gmc_scenario *s = &reading.scenario;
    gmc_param force = gmc_scenario_find(s, "hand.left.max_force"),
              start = gmc_scenario_find(s, "hand.left.start");
    gmc_scenario_settle(s, start, GMC_DIM_ANGLE, &reading.report);
    assert_int_equal(reading.report.error_count, 0);
    assert_int_equal(s->parameters[start].dimension, GMC_DIM_ANGLE);
    gmc_scenario_settle(s, force, GMC_DIM_TORQUE, &reading.report);
    assert_int_equal(reading.report.error_count, 1); // written in N for a turning joint
}

int test_perturb(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_only_what_is_uncertain_changes),
        cmocka_unit_test(test_values_follow_their_distributions),
        cmocka_unit_test(test_another_line_disturbs_no_other),
        cmocka_unit_test(test_seed_and_draw_are_the_address),
        cmocka_unit_test(test_changes),
        cmocka_unit_test(test_a_pattern_is_one_factor_after_the_others),
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_independent_cases),
        cmocka_unit_test(test_several_objects),
        cmocka_unit_test(test_values_out_of_range_are_named),
        cmocka_unit_test(test_csv_design),
        cmocka_unit_test(test_joints_become_parameters_between_the_stages),
        cmocka_unit_test(test_settling_joint_dimensions),
    };
    return cmocka_run_group_tests(tests, open_reading, close_reading);
}

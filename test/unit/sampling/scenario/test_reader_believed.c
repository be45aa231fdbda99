#include "sampling/scenario/perturb.h"
#include "test/support/cmocka.h"
#include "test/support/near.h"
#include "test/support/one_reading.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char CAMERA[] =
    "cameras:\n  head: {pose: {xyz: [600 mm, 0, 700 mm], look_at: object}}\n";

// The demo with a camera and `text` under believed.object.pose.
static void see(const char *text)
{
    char block[2048];
    snprintf(block, sizeof block, "%sbelieved:\n  object.pose:\n%s", CAMERA, text);
    gmc_reading_demo_with(&reading, NULL, block);
}

static void expect_fine(void)
{
    if (reading.status != GMC_OK) fail_msg("refused:\n%s", reading.said);
}

static void refuse(const char *text, const char *message)
{
    see(text);
    if (reading.status == GMC_OK || reading.report.error_count != 1 ||
        !strstr(reading.said, message))
        fail_msg("%s: expected `%s`, got:\n%s", text, message, reading.said);
}

static double drawn(uint64_t draw, const char *path)
{
    static double values[512];
    gmc_param index = gmc_scenario_find(&reading.scenario, path);
    assert_true(index >= 0);
    assert_true(reading.scenario.parameter_count < GMC_COUNT(values));
    assert_int_equal(gmc_perturb_values(&reading.scenario, 0, draw, values, NULL), GMC_OK);
    return values[index];
}

static void test_errors_are_columns_of_their_own(void **state)
{
    (void)state;
    double before[10], mass[10];
    see("    {seen_by: head, sd: {x: 1 mm, yaw: 2 deg}}\n");
    expect_fine();
    const gmc_scenario *s = &reading.scenario;
    assert_int_equal(s->sampled_count, 6);
    assert_string_equal(s->sampled[4].path, "believed.object.pose.x");
    assert_string_equal(s->sampled[5].path, "believed.object.pose.yaw");
    assert_int_equal(s->sight.camera, 0);
    for (uint64_t d = 0; d < 10; d++) {
        before[d] = drawn(d, "believed.object.pose.x");
        mass[d] = drawn(d, "object.mass");
        assert_true(drawn(d, "believed.object.pose.y") == 0);
    }
    // another component, outliers and a deviation twice as large disturb nothing else
    see("    seen_by: head\n    x: 3 mm\n    sd: {x: 2 mm, y: 1 mm, yaw: 2 deg}\n"
        "    outliers: {share: 10 %}\n");
    expect_fine();
    for (uint64_t d = 0; d < 10; d++) {
        double x = drawn(d, "believed.object.pose.x");
        ASSERT_BELOW(fabs(x - 0.003 - 2 * before[d]), 1e-17); // rounding of millimetres
        assert_true(drawn(d, "object.mass") == mass[d]);
        double outlier = drawn(d, "believed.object.pose.outlier");
        assert_true(outlier == 0 || outlier == 1);
    }
}

static void test_deviations_are_numbers_like_others(void **state)
{
    (void)state;
    char block[1024];
    snprintf(block, sizeof block,
             "%sbelieved: {object.pose: {seen_by: head, sd: {z: 4 mm}}}\n"
             "parameters: {eye.noise: 2 mm}\n"
             "study: {vary: {believed.object.pose.sd.z: [1 mm, 2 mm]}}\n",
             CAMERA);
    gmc_reading_demo_with(&reading, NULL, block);
    expect_fine();
    static double one[512], two[512];
    const gmc_scenario *s = &reading.scenario;
    gmc_param z = gmc_scenario_find(s, "believed.object.pose.z");
    assert_int_equal(gmc_perturb_values(s, 0, 3, one, NULL), GMC_OK);
    assert_int_equal(gmc_perturb_values(s, 1, 3, two, NULL), GMC_OK);
    assert_true(one[z] != 0);
    ASSERT_BELOW(fabs(two[z] - 2 * one[z]), 1e-17);

    // by a formula, by --set, and uncertain itself
    const char *const sets[] = {"believed.object.pose.sd.z=eye.noise", "study=~",
                                "uncertain.eye.noise=one_of(1 mm)", NULL};
    char text[4096];
    snprintf(text, sizeof text, "%s%s", gmc_reading_demo, block);
    gmc_reading_try(&reading, text, sets);
    expect_fine();
    ASSERT_BELOW(fabs(drawn(3, "believed.object.pose.z") - one[z]), 1e-17);
}

static void test_covariances_from_files(void **state)
{
    (void)state;
    gmc_scratch_text(&reading.scratch, "cov.csv",
                     "z,x,pitch\n16e-6,0,9.6e-5\n0,1e-6,0\n"
                     "9.6e-5,0,16e-4\n");
    see("    {seen_by: head, covariance: cov.csv}\n");
    expect_fine();
    const gmc_scenario *s = &reading.scenario;
    assert_true(gmc_reading_parameter(&reading, "believed.object.pose.sd.z")->nominal == 0.004);
    ASSERT_BELOW(
        fabs(gmc_reading_parameter(&reading, "believed.object.pose.sd.pitch")->nominal - 0.04),
        1e-17);
    assert_int_equal(s->correlation_count, 1);
    ASSERT_BELOW(fabs(s->correlations[0].coefficient - 0.6), 1e-15);
    double z = drawn(5, "believed.object.pose.z"), pitch = drawn(5, "believed.object.pose.pitch");
    // the same, written out
    see("    {seen_by: head, sd: {x: 1 mm, z: 4 mm, pitch: 40 mrad}, correlation: {pitch/z: "
        "0.6}}\n");
    expect_fine();
    ASSERT_BELOW(fabs(drawn(5, "believed.object.pose.z") - z), 1e-16);
    ASSERT_BELOW(fabs(drawn(5, "believed.object.pose.pitch") - pitch), 1e-15);
}

static void refuse_file(const char *key, const char *content, const char *message)
{
    char text[128];
    gmc_scratch_text(&reading.scratch, "file.csv", content);
    snprintf(text, sizeof text, "    {seen_by: head, %s: file.csv}\n", key);
    refuse(text, message);
}

static void test_bad_covariances(void **state)
{
    (void)state;
    refuse_file("covariance", "x,y\n1,0.5\n0.4,1\n",
                "file.csv:3: error: the covariance of y and x must be 0.5 as that of x and y");
    refuse_file("covariance", "x,y\n1,0\n0,-1\n", "file.csv:3: error: a variance must be >= 0");
    refuse_file("covariance", "x,y\n1,2\n2,1\n", "must be within +-1");
    refuse_file(
        "covariance", "x,y,z\n1,0.9,-0.9\n0.9,1,0.9\n-0.9,0.9,1\n",
        "correlated: no numbers can have these coefficients: their matrix has the eigenvalue -0.8");
    refuse_file("covariance", "x,y\n1,0\n", "2 columns need as many rows, found 1");
    refuse_file("covariance", "x,w\n1,0\n0,1\n", "column w is no component, or there twice");
    refuse_file("covariance", "x,y\n1,nan\n0,1\n", "file.csv:2");
    refuse("    {seen_by: head, covariance: none.csv}\n", "no such file: none.csv");
}

static void test_samples_are_drawn_row_by_row(void **state)
{
    (void)state;
    gmc_scratch_text(&reading.scratch, "errors.csv",
                     "x [mm],z [mm],yaw [deg]\n1,10,0\n2,20,90\n-3,-30,180\n");
    see("    {seen_by: head, y: 5 mm, samples: errors.csv}\n");
    expect_fine();
    int rows[4] = {0};
    for (uint64_t d = 0; d < 60; d++) {
        double x = drawn(d, "believed.object.pose.x"), z = drawn(d, "believed.object.pose.z");
        ASSERT_BELOW(fabs(z - 10 * x), 1e-15);
        assert_true(drawn(d, "believed.object.pose.y") == 0.005);
        rows[x < 0 ? 2 : x < 0.0015 ? 0 : 1]++;
    }
    assert_true(rows[0] > 0);
    assert_true(rows[1] > 0);
    assert_true(rows[2] > 0);
    assert_true(rows[0] + rows[1] + rows[2] == 60);
    refuse_file("samples", "x [kg]\n1\n", "expected a length");
    refuse_file("samples", "x,depth\n1,2\n", "column depth is no component");
    refuse_file("samples", "x\n", "the header is followed by no row");
}

static void test_mistakes(void **state)
{
    (void)state;
    refuse("    {seen_by: haed, sd: {x: 1 mm}}\n", "there is no camera haed");
    assert_non_null(strstr(reading.said, "did you mean head?"));
    refuse("    {seen_by: head, sd: {x: -1 mm}}\n", "sd.x: must be >= 0");
    refuse("    {seen_by: head, sd: {x: 1 deg}}\n", "expected a length");
    refuse("    {sd: {x: 1 mm, y: 1 mm}, correlation: {x/y: 1.1}}\n",
           "correlation.x/y: must be <= 1");
    refuse("    {sd: {x: 1 mm, y: 1 mm}, correlation: {x/yaw: 0.1}}\n",
           "x/yaw: one of them has no deviation");
    refuse("    {sd: {x: 1 mm, y: 1 mm}, correlation: {x/y: 0.1, y/x: 0.1}}\n",
           "y/x: it was given before");
    refuse("    {sd: {x: 1 mm, y: 1 mm}, correlation: {x: 0.1}}\n", "expected two components");
    refuse("    {sd: {x: 1 mm, y: 1 mm, z: 1 mm}, correlation: {x/y: 0.9, y/z: 0.9, x/z: -0.9}}\n",
           "the eigenvalue -0.8");
    refuse("    {sd: {x: 1 mm}, grows_with: {distance: 1 m}}\n",
           "grows_with means nothing without seen_by");
    refuse("    {seen_by: head, sd: {x: 1 mm}, samples: file.csv}\n", "exclude each other");
    refuse("    {sd: {x: 1 mm}, outliers: {share: 2, turn: 180 deg}}\n", "share: must be <= 1");
    refuse("    {sd: {x: 1 mm}, outliers: {share: 2 %, about: object.w}}\n", "expected one of");
    gmc_reading_demo_with(&reading, NULL,
                          "  believed.object.pose.x: normal(0, 1 mm)\n"
                          "believed: {object.pose: {sd: {x: 1 mm}}}\n");
    assert_non_null(strstr(reading.said, "believed.object.pose.x is drawn by believed"));
    gmc_reading_demo_with(&reading, NULL,
                          "  believed.object.pose.x: nominal + uniform(-1 mm, 1 mm)\n"
                          "believed: {object.pose: {sd: {y: 1 mm}}}\n");
    expect_fine(); // any law, where none is given by `believed`
    gmc_reading_demo_with(&reading, NULL,
                          "cameras: {head: {pose: {xyz: [0, 0, 1], look_at: tabel}}}\n");
    assert_non_null(strstr(reading.said, "there is no body tabel"));
    assert_non_null(strstr(reading.said, "did you mean table?"));
    gmc_reading_demo_with(&reading, NULL,
                          "cameras: {head: {pose: {xyz: [0, 0, 1], look_at: table, yaw: 1}}}\n");
    assert_non_null(strstr(reading.said, "look_at excludes roll, pitch and yaw"));
}

static void test_in_the_plane_errors_are_those_of_the_plane(void **state)
{
    (void)state;
    static const char FLAT[] =
        "graspmc: 1\nworld: planar-support\n"
        "object: {circle: {radius: 1 cm}, thickness: 1 cm, mass: 1 kg, surface: abs}\n"
        "friction: {abs/abs: 0.1}\nprogram: [{hold: {for: 1 s}}]\n"
        "success: {at_end: [lift(object) >= 0 m]}\nbelieved: {object.pose: {sd: {%s: 1 %s}}}\n";
    char text[1024];
    snprintf(text, sizeof text, FLAT, "yaw", "deg");
    gmc_reading_try(&reading, text, NULL);
    assert_null(strstr(reading.said, "believed"));
    snprintf(text, sizeof text, FLAT, "z", "mm");
    gmc_reading_try(&reading, text, NULL);
    assert_non_null(strstr(reading.said, "believed.object.pose.sd.z belongs to spatial worlds"));
}

int test_reader_believed(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_errors_are_columns_of_their_own),
        cmocka_unit_test(test_deviations_are_numbers_like_others),
        cmocka_unit_test(test_covariances_from_files),
        cmocka_unit_test(test_bad_covariances),
        cmocka_unit_test(test_samples_are_drawn_row_by_row),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_in_the_plane_errors_are_those_of_the_plane),
    };
    return cmocka_run_group_tests(tests, open_reading, close_reading);
}

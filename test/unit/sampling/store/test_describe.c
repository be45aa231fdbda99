#include "sampling/build/prepare.h"
#include "sampling/store/describe.h"
#include "test/support/cmocka.h"
#include "test/support/near.h"

#include <math.h>
#include <string.h>

// Without a hand: nothing is read from disk. Cube and ball are cases of a study with a table's
// friction; the lines of `uncertain` are the changes that a column can see.
static const char TEXT[] =
    "graspmc: 1\n"
    "objects:\n"
    "  cube: {box: [50 mm, 50 mm, 50 mm], mass: 0.2 kg, surface: abs, placed: resting}\n"
    "  ball: {sphere: {radius: 20 mm}, mass: 0.1 kg, surface: abs, placed: resting}\n"
    "scene: {table: {plane: {height: 0 mm}, surface: wood}}\n"
    "friction: {abs/wood: 0.4}\n"
    "program: [hold: {for: 0.1 s}, hold: {for: 0.2 s}]\n"
    "success: {at_end: [\"moved(object) <= 1 mm\"]}\n"
    "study: {vary: {object: [cube, ball], friction.abs/wood: [0.8, 0.2, 0.4]}}\n"
    "uncertain:\n"
    "  object.mass: nominal * uniform(0.5, 1.5)\n"
    "  object.pose.x: nominal + normal(1 mm, 2 mm)\n"
    "  object.pose.y: normal(0 mm, 2 mm) in [-3 mm, 4 mm]\n"
    "  gravity.x: lognormal(0.1 m/s^2, 20 %) in [-inf, 0.2 m/s^2]\n"
    "  gravity.y: nominal + normal(0 m/s^2, 0.1 m/s^2) in [-0.2 m/s^2, inf]\n"
    "  object.pose.yaw: normal(0, 0.1) in [-inf, 0.25 rad]\n"
    "  gravity.z: uniform(-9.9, -9.7)\n"
    "sampling: {draws: 5, seed: 3}\n"
    "output: {trajectories: every:7, histograms: [HISTOGRAMS]}\n";

typedef struct described {
    char text[2048];
    gmc_diagnostics report;
    gmc_prepared prepared;
    gmc_description description;
    gmc_status status;
} described;

static void describe(described *d, const char *histograms)
{
    *d = (described){0};
    const char *hole = strstr(TEXT, "HISTOGRAMS");
    snprintf(d->text, sizeof d->text, "%.*s%s%s", (int)(hole - TEXT), TEXT, histograms, hole + 10);
    d->status = gmc_prepare_embedded(
        &(gmc_embedded){.file = "test.yaml", .text = d->text, .bytes = strlen(d->text)}, NULL,
        &d->report, &d->prepared);
    if (d->status != GMC_OK) gmc_diagnostics_print(&d->report, stdout);
    assert_int_equal(d->status, GMC_OK);
    gmc_describe_options options = {.first = 10, .count = 20, .level = 0.9};
    d->status = gmc_describe_run(&d->prepared.scenario, d->prepared.build, &options, &d->report,
                                 &d->description);
}

static void release(described *d)
{
    gmc_description_free(&d->description);
    gmc_prepared_free(&d->prepared);
    gmc_diagnostics_free(&d->report);
}

static const gmc_store_parameter *parameter(const described *d, const char *name)
{
    const gmc_store_plan *plan = &d->description.plan;
    for (int i = 0; i < plan->parameter_count; i++)
        if (strcmp(plan->parameters[i].name, name) == 0) return &plan->parameters[i];
    fail_msg("no parameter %s", name);
    return NULL;
}

static void expect_range(const described *d, const char *name, double lower, double upper)
{
    const gmc_store_parameter *p = parameter(d, name);
    // products and sums of decimals: one rounding each
    ASSERT_NEAR(p->lower, lower, 1e-15);
    ASSERT_NEAR(p->upper, upper, 1e-15);
}

static void test_parameters_with_their_ranges(void **state)
{
    (void)state;
    described d;
    describe(&d, "object.mass");
    assert_int_equal(d.status, GMC_OK);
    expect_range(&d, "friction.abs/wood", 0.2, 0.8);
    expect_range(&d, "object.mass", 0.05, 0.3); // half of the ball ... one and a half cubes
    expect_range(&d, "object.pose.y", -0.003, 0.004);
    expect_range(&d, "gravity.z", -9.9, -9.7);
    const gmc_store_parameter *x = parameter(&d, "object.pose.x");
    assert_true(isinf(x->lower));
    assert_true(x->lower < 0);
    assert_true(isinf(x->upper));
    assert_true(x->upper > 0);
    assert_string_equal(x->unit, "m");
    assert_string_equal(x->distribution, "nominal + normal(1 mm, 2 mm)");
    assert_false(x->is_studied);
    assert_true(parameter(&d, "friction.abs/wood")->is_studied);
    release(&d);
}

static void test_a_law_cut_on_one_side_is_open_on_the_other(void **state)
{
    (void)state;
    described d;
    describe(&d, "object.mass");
    expect_range(&d, "gravity.y", -0.2, (double)INFINITY);
    expect_range(&d, "object.pose.yaw", -(double)INFINITY, 0.25);
    expect_range(&d, "gravity.x", 0, 0.2); // lognormal: ends at 0 where its limits do not
    release(&d);
}

static void test_cases_in_the_order_of_the_study(void **state)
{
    (void)state;
    described d;
    describe(&d, "object.mass");
    const gmc_store_plan *plan = &d.description.plan;
    assert_int_equal(plan->case_count, 6);
    int column = (int)(parameter(&d, "friction.abs/wood") - plan->parameters);
    static const double FRICTION[] = {0.8, 0.2, 0.4};
    for (int c = 0; c < 6; c++) {
        assert_string_equal(plan->cases[c].object, c < 3 ? "cube" : "ball");
        assert_int_equal(plan->cases[c].model, c / 3);
        assert_true(plan->cases[c].values[column] == FRICTION[c % 3]);
    }
    assert_int_equal(plan->model_count, 2);
    assert_true(plan->first == 10);
    assert_true(plan->count == 20);
    assert_true(plan->total == 30);
    assert_true(plan->level == 0.9);
    assert_string_equal(plan->trajectories, "every:7");
    assert_int_equal(plan->phase_count, 2);
    assert_string_not_equal(plan->phases[0], plan->phases[1]);
    assert_string_not_equal(plan->expanded, "");
    assert_string_not_equal(plan->fingerprint, "");
    release(&d);
}

static void test_edges_come_from_the_scenario(void **state)
{
    (void)state;
    described d;
    describe(&d, "friction.abs/wood, object.pose.y, [object.pose.x, friction.abs/wood], moved");
    assert_int_equal(d.status, GMC_OK);
    const gmc_store_histogram *h = d.description.plan.histograms;
    assert_int_equal(d.description.plan.histogram_count, 4);

    // one bin per studied value, edges half-way: 0.2 | 0.4 | 0.8
    assert_int_equal(h[0].bins[0], 3);
    static const double EDGES[] = {0.1, 0.3, 0.6, 1.0};
    for (int i = 0; i < 4; i++)
        ASSERT_NEAR(h[0].edges[0][i], EDGES[i], 1e-15);

    assert_true(h[1].edges[0][0] == -0.003);
    assert_true(h[1].edges[0][h[1].bins[0]] == 0.004);

    // a normal law without ends: its 0.1 % and 99.9 % quantiles, z = 3.090232306
    assert_int_equal(h[2].dimensions, 2);
    ASSERT_NEAR(h[2].edges[0][0], 0.001 - 0.002 * 3.090232306, 1e-11);
    assert_int_equal(h[2].bins[1], 3);

    assert_true(h[3].is_measure);
    assert_string_equal(d.description.plan.columns[h[3].index[0]].name, "moved");
    release(&d);
}

static void test_a_histogram_that_cannot_be_made_is_reported(void **state)
{
    (void)state;
    described d;
    describe(&d, "[object.mass, moved]");
    assert_int_equal(d.status, GMC_E_INPUT);
    assert_int_equal(d.report.error_count, 1);
    assert_non_null(strstr(d.report.items[0].message, "moved"));
    assert_int_equal(d.report.items[0].source.line, 19);
    release(&d);
}

int test_describe(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parameters_with_their_ranges),
        cmocka_unit_test(test_a_law_cut_on_one_side_is_open_on_the_other),
        cmocka_unit_test(test_cases_in_the_order_of_the_study),
        cmocka_unit_test(test_edges_come_from_the_scenario),
        cmocka_unit_test(test_a_histogram_that_cannot_be_made_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

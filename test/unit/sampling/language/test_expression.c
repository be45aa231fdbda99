#include "sampling/language/expression.h"
#include "test/support/cmocka.h"
#include "test/support/reading.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static gmc_reading reading;

static int open_reading(void **state)
{
    (void)state;
    gmc_reading_open(&reading);
    gmc_reading_try(&reading, gmc_reading_demo, NULL);
    return reading.status == GMC_OK ? 0 : 1;
}

static int close_reading(void **state)
{
    (void)state;
    gmc_reading_close(&reading);
    return 0;
}

static gmc_node scalar(const char *text)
{
    return (gmc_node){.kind = GMC_NODE_SCALAR,
                      .text = text,
                      .is_plain = true,
                      .source = {"t", 1, 1, (int)strlen(text)}};
}

static const gmc_expression *parse(const char *text)
{
    gmc_node node = scalar(text);
    const gmc_expression *root = NULL;
    gmc_expression_bodies bodies = {0};
    assert_int_equal(gmc_scenario_bodies(&reading.scenario, &bodies), GMC_OK);
    gmc_diagnostics_free(&reading.report);
    gmc_status status =
        gmc_expression_parse(&node, &bodies, &reading.arena, &reading.report, &root);
    if (status != GMC_OK) fail_msg("%s: %s", text, reading.report.items[0].message);
    return root;
}

// Refused with `message` at `column`.
static void refuse(const char *text, int column, const char *message)
{
    gmc_node node = scalar(text);
    const gmc_expression *root = NULL;
    gmc_expression_bodies bodies = {0};
    assert_int_equal(gmc_scenario_bodies(&reading.scenario, &bodies), GMC_OK);
    gmc_diagnostics_free(&reading.report);
    gmc_status status =
        gmc_expression_parse(&node, &bodies, &reading.arena, &reading.report, &root);
    if (status != GMC_E_INPUT || reading.report.count != 1) fail_msg("accepted: %s", text);
    const gmc_diagnostic *d = &reading.report.items[0];
    if (!strstr(d->message, message)) fail_msg("%s: said %s", text, d->message);
    if (column > 0) assert_int_equal(d->source.column, column);
}

// Value of a tree; measures have the value of their kind.
static double value_of(const gmc_expression *e)
{
    double a = e->left ? value_of(e->left) : 0, b = e->right ? value_of(e->right) : 0;
    switch (e->op) {
    case GMC_OP_NUMBER:
        return e->number;
    case GMC_OP_MEASURE:
        return (double)e->measure;
    case GMC_OP_ADD:
        return a + b;
    case GMC_OP_SUBTRACT:
        return a - b;
    case GMC_OP_MULTIPLY:
        return a * b;
    case GMC_OP_DIVIDE:
        return a / b;
    case GMC_OP_NEGATE:
        return -a;
    case GMC_OP_LESS:
        return a < b;
    case GMC_OP_LESS_EQUAL:
        return a <= b;
    case GMC_OP_GREATER:
        return a > b;
    case GMC_OP_GREATER_EQUAL:
        return a >= b;
    case GMC_OP_AND:
        return a != 0 && b != 0;
    case GMC_OP_OR:
        return a != 0 || b != 0;
    case GMC_OP_NOT:
        return a == 0;
    case GMC_OP_SIN: // functions belong to formulas
    case GMC_OP_COS:
    case GMC_OP_TAN:
    case GMC_OP_SQRT:
    case GMC_OP_ABS:
    case GMC_OP_MIN:
    case GMC_OP_MAX:
        break;
    }
    return 0;
}

static void test_a_criterion(void **state)
{
    (void)state;
    const gmc_expression *e = parse("lift(object) >= 80 mm");
    assert_int_equal(e->op, GMC_OP_GREATER_EQUAL);
    assert_int_equal(e->left->op, GMC_OP_MEASURE);
    assert_int_equal(e->left->measure, GMC_MEASURE_LIFT);
    assert_string_equal(e->left->arguments[0], "object");
    assert_null(e->left->arguments[1]);
    assert_true(e->right->number == 0.08);
    assert_true(e->is_logical);
    e = parse("slip(object, hand) <= 10 mm");
    assert_string_equal(e->left->arguments[1], "hand");
}

static void test_precedence(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
    } CASES[] = {
        {"1 + 2 * 3 <= 7", 1},
        {"(1 + 2) * 3 <= 7", 0},
        {"2 - 3 - 4 <= -5", 1},
        {"8 / 4 / 2 >= 1", 1},
        {"-2 * -3 >= 6", 1},
        {"- (1 - 3) >= 2", 1},
        {"1 < 2 and 3 < 2 or 1 < 2", 1},
        {"1 < 2 or 1 < 2 and 3 < 2", 1},
        {"(1 < 2 or 1 < 2) and 3 < 2", 0},
        {"not 1 < 2 or 2 < 3", 1},
        {"not (1 < 2 or 2 < 3)", 0},
        {"not not 1 < 2", 1},
        {"1 cm + 1 mm <= 11 mm", 1},
        {"2 * 1 cm / 4 mm <= 5", 1},
    };
    for (int i = 0; i < GMC_COUNT(CASES); i++)
        if (value_of(parse(CASES[i].text)) != CASES[i].value) fail_msg("%s", CASES[i].text);
}

static void test_dimensions(void **state)
{
    (void)state;
    (void)parse("lift(object) / 2 >= 4 cm");
    (void)parse("lift(object) >= 0.08"); // a bare number is SI of what it meets
    (void)parse("speed(object) * 2 s + lift(object) <= 1 m");
    (void)parse("slip_angle(object, hand) <= 5 deg");
    (void)parse("force(object, hand) / force(object, table) > 2");
    refuse("lift(object) >= 80 deg", 14, "the left side is in m, the right side in rad");
    refuse("lift(object) + turned(object) >= 1", 14,
           "the left side is in m, the right side in rad");
    refuse("speed(object) >= 1 m", 15, "m/s");
    refuse("force(object, hand) * 1 m >= 1 N", 0, "N*m");
    refuse("held_by(object) >= 2 kg", 17, "kg");
}

static void test_claims(void **state)
{
    (void)state;
    const gmc_expression *e = parse("not contact(object, table)");
    assert_int_equal(e->op, GMC_OP_NOT);
    assert_int_equal(e->left->op, GMC_OP_GREATER); // contact > 0
    assert_true(e->left->right->number == 0);
    (void)parse("contact(object, hand)");
    refuse("lift(object)", 1, "expected a condition");
    refuse("3", 1, "expected a condition");
    refuse("(lift(object) > 1 mm) + 1 > 0", 0, "cannot be compared or added");
    refuse("-(lift(object) > 1 mm)", 0, "a condition (true or false) has no sign");
    refuse("lift(object) > 1 mm > 0", 21, "cannot be chained");
    refuse("lift(object) == 80 mm", 14, "never exactly equal");
}

static void test_names(void **state)
{
    (void)state;
    refuse("lfit(object) >= 1", 1, "unknown measure lfit");
    assert_string_equal(reading.report.items[0].hint, "did you mean lift?");
    refuse("lift(objekt) >= 1", 6, "nothing is called objekt");
    assert_string_equal(reading.report.items[0].hint, "did you mean object?");
    refuse("contact(object, tabel)", 17, "nothing is called tabel");
    refuse("slip(object) <= 1", 12, "too few bodies");
    refuse("lift(object, hand) <= 1", 12, "too many bodies");
    refuse("lift object > 1", 1, "lift of what?");
    (void)parse("distance(object, table) < 1 m");
}

static void test_places_and_axes(void **state)
{
    (void)state;
    const gmc_expression *e = parse("distance(object, [300 mm,-2 cm ,  0]) <= 20 mm")->left;
    assert_int_equal(e->measure, GMC_MEASURE_PLACE);
    assert_string_equal(e->bodies[0], "object");
    assert_null(e->bodies[1]);
    assert_true(e->in_b.x == 0.3);
    assert_true(e->in_b.y == -0.02);
    assert_true(e->in_b.z == 0);
    assert_string_equal(e->arguments[1], "[300 mm,-2 cm , 0]");
    e = parse("distance(object, [0, 0, 0.1], hand) <= 20 mm")->left;
    assert_string_equal(e->bodies[1], "hand");
    assert_string_equal(e->arguments[2], "hand");
    e = parse("angle(object, -x, z) <= 5 deg")->left;
    assert_int_equal(e->measure, GMC_MEASURE_ANGLE);
    assert_true(e->of_a.x == -1);
    assert_true(e->of_a.z == 0);
    assert_true(e->in_b.z == 1);
    assert_null(e->bodies[1]);
    assert_string_equal(parse("angle(object, x, y, table) <= 1")->left->bodies[1], "table");
    assert_int_equal(parse("distance(object, table) <= 1")->left->measure, GMC_MEASURE_DISTANCE);
    refuse("distance(object, [0, 0]) <= 1", 23, "too few numbers for a place");
    refuse("distance(object, [0, 0, 0, 0]) <= 1", 26, "expected ]");
    refuse("distance(object, [0, 0, 5 deg]) <= 1", 25,
           "the coordinates of a place must be lengths");
    refuse("distance(object, [0, 0, x]) <= 1", 25, "expected a length");
    refuse("distance(object, [0, 0, 0], cup) <= 1", 29, "nothing is called cup");
    refuse("slip(object, [0, 0, 0]) <= 1", 14, "expected the name of a body");
    refuse("angle(object, up, z) <= 1", 15, "expected an axis, found up");
    refuse("angle(object, -[1, 0, 0], z) <= 1", 16, "expected an axis");
    refuse("angle(object, z) <= 1", 16, "too few arguments");
    assert_string_equal(reading.report.items[0].hint, "write angle(object, axis, axis, hand)");
    refuse("angle(object) <= 1", 13, "too few arguments");
    refuse("angle(object, x, z, hand, hand) <= 1", 25, "too many bodies");
}

static void test_broken_texts(void **state)
{
    (void)state;
    refuse("", 0, "expected a measure or a number, found the end");
    refuse("lift(object) >=", 0, "found the end");
    refuse("lift(object) >= 80 parsec", 20, "unknown unit parsec");
    refuse("lift(object) >= 1e999", 0, "finite");
    refuse("lift(object) >= 8 mm 3", 22, "expected the end");
    refuse("lift(object) & 3", 14, "expected the end");
    refuse("(lift(object) >= 8 mm", 0, "expected )");
    refuse("and", 1, "unknown measure and");
}

static void test_depth_is_limited(void **state)
{
    (void)state;
    char text[4096];
    for (int kind = 0; kind < 3; kind++) {
        size_t used = 0;
        for (int i = 0; i < 500; i++) {
            const char *piece = kind == 0 ? "(" : kind == 1 ? "not " : "-";
            used += (size_t)snprintf(text + used, sizeof text - used, "%s", piece);
        }
        refuse(text, 0, "nested too deeply");
    }
    // a long chain needs no depth
    size_t used = 0;
    for (int i = 0; i < 200; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "1 < 2 and ");
    snprintf(text + used, sizeof text - used, "1 < 2");
    const gmc_expression *e = parse(text);
    assert_true(e->stack <= GMC_CRITERION_DEPTH);
}

int test_expression(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_criterion),  cmocka_unit_test(test_precedence),
        cmocka_unit_test(test_dimensions),   cmocka_unit_test(test_claims),
        cmocka_unit_test(test_names),        cmocka_unit_test(test_places_and_axes),
        cmocka_unit_test(test_broken_texts), cmocka_unit_test(test_depth_is_limited),
    };
    return cmocka_run_group_tests(tests, open_reading, close_reading);
}

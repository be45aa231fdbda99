#include "engine/base/status.h"
#include "engine/math/elementary.h"
#include "sampling/language/units.h"
#include "test/support/cmocka.h"
#include "test/support/near.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// Read all of `text`; ends the test unless it is one number.
static gmc_quantity whole(const char *text)
{
    gmc_quantity q;
    const char *end = NULL;
    if (gmc_units_read(text, &q, &end) != GMC_UNITS_OK || *end != 0) fail_msg("not read: %s", text);
    return q;
}

static void test_values_are_correctly_rounded(void **state)
{
    (void)state;
    // the double nearest to the decimal number, not a product of two rounded ones
    assert_true(whole("50 mm").value == 0.05);
    assert_true(whole("3 ms").value == 0.003);
    assert_true(whole("0.7 cm").value == 0.007);
    assert_true(whole("8 %").value == 0.08);
    assert_true(whole("180 deg").value == GMC_PI);
    ASSERT_BELOW(fabs(whole("2 in").value - 0.0508), 1e-17);      // 254e-4, rounded twice
    ASSERT_BELOW(fabs(whole("60rpm").value - 2 * GMC_PI), 2e-15); // rounded twice
    assert_true(whole("1 kN").value == 1000);
    assert_true(whole("-1.5e-3 m").value == -1.5e-3);
    assert_true(whole("+.5").value == 0.5);
    assert_true(whole("5.").value == 5);
}

static void test_spellings_of_compound_units(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
        gmc_dimension dimension;
    } CASES[] = {
        {"2 N*m", 2, GMC_DIM_TORQUE},
        {"2 N.m", 2, GMC_DIM_TORQUE},
        {"2 N·m", 2, GMC_DIM_TORQUE},
        {"2 Nm", 2, GMC_DIM_TORQUE},
        {"3 mN*m", 0.003, GMC_DIM_TORQUE},
        {"1 N/mm", 1000, GMC_DIM_STIFFNESS},
        {"4 N*s/m", 4, GMC_DIM_DAMPING},
        {"1 g/cm3", 1000, GMC_DIM_DENSITY},
        {"600 kg/m^3", 600, GMC_DIM_DENSITY},
        {"1 kg/m³", 1, GMC_DIM_DENSITY},
        {"9.81 m/s2", 9.81, GMC_DIM_ACCELERATION},
        {"1 m/s²", 1, GMC_DIM_ACCELERATION},
        {"3 Hz", 3, GMC_DIM_FREQUENCY},
        {"5 N*m/rad", 5, GMC_DIM_ANGULAR_STIFFNESS},
        {"5 N*m*s/rad", 5, GMC_DIM_ANGULAR_DAMPING},
        {"7 kg*m2", 7, GMC_DIM_INERTIA},
        {"1 g*cm2", 1e-7, GMC_DIM_INERTIA},
        {"4 mm/s", 0.004, GMC_DIM_SPEED},
        {"1 rad/s", 1, GMC_DIM_ANGULAR_SPEED},
        {"2 J", 2, GMC_DIM_ENERGY},
        {"1 kg*m/s^2", 1, GMC_DIM_FORCE},
        {"2 us", 2e-6, GMC_DIM_TIME},
        {"2 µm", 2e-6, GMC_DIM_LENGTH},
        {"45°", GMC_PI / 4, GMC_DIM_ANGLE},
    };
    for (int i = 0; i < GMC_COUNT(CASES); i++) {
        gmc_quantity q = whole(CASES[i].text);
        assert_true(q.has_unit);
        if (fabs(q.value - CASES[i].value) > 4e-16 * fabs(CASES[i].value)) // two roundings
            fail_msg("%s gives %.17g", CASES[i].text, q.value);
        if (!gmc_units_fits(CASES[i].dimension, q.exponents, NULL))
            fail_msg("%s does not measure %s", CASES[i].text, gmc_units_noun(CASES[i].dimension));
    }
}

static void test_wrong_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        gmc_units_result result;
        const char *at; // what `end` points at
    } CASES[] = {
        {"heavy", GMC_UNITS_NO_NUMBER, "heavy"},
        {"", GMC_UNITS_NO_NUMBER, ""},
        {"-", GMC_UNITS_NO_NUMBER, NULL},
        {".", GMC_UNITS_NO_NUMBER, NULL},
        {"nan", GMC_UNITS_TOO_LARGE, NULL},
        {"-inf", GMC_UNITS_TOO_LARGE, NULL},
        {"Infinity", GMC_UNITS_TOO_LARGE, NULL},
        {"1e999", GMC_UNITS_TOO_LARGE, NULL},
        {"1e308 MN", GMC_UNITS_TOO_LARGE, NULL},
        {"3 lightyears", GMC_UNITS_UNKNOWN_UNIT, "lightyears"},
        {"3 N*", GMC_UNITS_OK, "*"},
        {"3 mmm", GMC_UNITS_UNKNOWN_UNIT, "mmm"},
        {"3 m/parsec", GMC_UNITS_UNKNOWN_UNIT, "parsec"},
        {"0x10", GMC_UNITS_UNKNOWN_UNIT, "x10"},
    };
    for (int i = 0; i < GMC_COUNT(CASES); i++) {
        gmc_quantity q;
        const char *end = NULL;
        if (gmc_units_read(CASES[i].text, &q, &end) != CASES[i].result)
            fail_msg("wrong result for %s", CASES[i].text);
        if (CASES[i].at) assert_string_equal(end, CASES[i].at);
        if (CASES[i].result != GMC_UNITS_OK) assert_true(q.value == 0 && !q.has_unit);
    }
}

static void test_reading_stops_at_words_of_expressions(void **state)
{
    (void)state;
    gmc_quantity q;
    const char *end = NULL;
    static const char *const FORMULAS[] = {"*cos(x)", "*sin (1)", "/sqrt(2)", "*chute.width",
                                           "/chute.width"};
    for (int i = 0; i < GMC_COUNT(FORMULAS); i++) {
        char text[40];
        snprintf(text, sizeof text, "5 mm%s", FORMULAS[i]);
        assert_int_equal(gmc_units_read(text, &q, &end), GMC_UNITS_OK);
        assert_string_equal(end, FORMULAS[i]);
    }
    assert_int_equal(gmc_units_read("5 N*mm.s", &q, &end), GMC_UNITS_OK); // of units a product
    assert_string_equal(end, "");
    assert_int_equal(gmc_units_read("5 mm, 3", &q, &end), GMC_UNITS_OK);
    assert_string_equal(end, ", 3");
    assert_int_equal(gmc_units_read("5 and x", &q, &end), GMC_UNITS_OK);
    assert_string_equal(end, " and x");
    assert_int_equal(gmc_units_read("5 in [0, 1]", &q, &end), GMC_UNITS_OK);
    assert_string_equal(end, " in [0, 1]");
    assert_false(q.has_unit);
    assert_int_equal(gmc_units_read("5 in", &q, &end), GMC_UNITS_OK);
    assert_true(q.has_unit);
}

static void test_joint_dimensions_are_settled_by_the_unit(void **state)
{
    (void)state;
    gmc_dimension exact = GMC_DIM_NONE;
    assert_true(gmc_units_fits(GMC_DIM_JOINT_FORCE, whole("1 N").exponents, &exact));
    assert_int_equal(exact, GMC_DIM_FORCE);
    assert_true(gmc_units_fits(GMC_DIM_JOINT_FORCE, whole("1 N*m").exponents, &exact));
    assert_int_equal(exact, GMC_DIM_TORQUE);
    assert_false(gmc_units_fits(GMC_DIM_JOINT_FORCE, whole("1 m").exponents, &exact));
    assert_true(gmc_units_fits(GMC_DIM_JOINT_SPEED, whole("1 deg/s").exponents, &exact));
    assert_int_equal(exact, GMC_DIM_ANGULAR_SPEED);
}

static void test_every_dimension_prints_and_reads_its_own_unit(void **state)
{
    (void)state;
    for (int d = 0; d < GMC_DIM_COUNT; d++) {
        const char *name = gmc_units_name((gmc_dimension)d);
        assert_non_null(name);
        assert_non_null(gmc_units_noun((gmc_dimension)d));
        assert_non_null(gmc_units_choices((gmc_dimension)d));
        if (strcmp(name, "1") == 0 || strstr(name, " or ")) continue;
        char text[GMC_UNITS_TEXT];
        snprintf(text, sizeof text, "3 %s", name);
        gmc_quantity q = whole(text);
        assert_true(q.value == 3);
        assert_true(gmc_units_fits((gmc_dimension)d, q.exponents, NULL));
        gmc_units_spell(q.exponents, text);
        if (d != GMC_DIM_ENERGY) assert_string_equal(text, name); // J is spelled N*m
    }
    char text[GMC_UNITS_TEXT];
    gmc_units_spell((gmc_exponents){2, 0, -1, 0}, text);
    assert_string_equal(text, "m2/s");
    gmc_units_spell((gmc_exponents){0, 0, -3, 0}, text);
    assert_string_equal(text, "1/s3");
}

static void test_printing_round_trips(void **state)
{
    (void)state;
    static const double VALUES[] = {0,   0.1, -9.81, 1e6, 1.0 / 3, 5e-324, 1.7976931348623157e308,
                                    0.05};
    for (int i = 0; i < GMC_COUNT(VALUES); i++) {
        char text[GMC_UNITS_TEXT];
        gmc_units_print(VALUES[i], text);
        assert_true(whole(text).value == VALUES[i]);
    }
    char text[GMC_UNITS_TEXT];
    gmc_units_print(0.1, text);
    assert_string_equal(text, "0.1");
    gmc_units_print(-HUGE_VAL, text);
    assert_string_equal(text, "-inf");
}

static void test_a_locale_with_a_decimal_comma_changes_nothing(void **state)
{
    (void)state;
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8") && !setlocale(LC_NUMERIC, "fr_FR.UTF-8")) skip();
    char text[GMC_UNITS_TEXT];
    assert_true(whole("0.5 mm").value == 0.0005);
    gmc_units_print(0.5, text);
    setlocale(LC_NUMERIC, "C");
    assert_string_equal(text, "0.5");
}

int test_units(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_are_correctly_rounded),
        cmocka_unit_test(test_spellings_of_compound_units),
        cmocka_unit_test(test_wrong_numbers),
        cmocka_unit_test(test_reading_stops_at_words_of_expressions),
        cmocka_unit_test(test_joint_dimensions_are_settled_by_the_unit),
        cmocka_unit_test(test_every_dimension_prints_and_reads_its_own_unit),
        cmocka_unit_test(test_printing_round_trips),
        cmocka_unit_test(test_a_locale_with_a_decimal_comma_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

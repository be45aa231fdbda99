// Numbers from text: exact, strict, and the same in every locale.
#include "engine/base/number.h"
#include "test/support/cmocka.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double parsed(const char *text)
{
    double value = NAN;
    assert_int_equal(gmc_number_parse(text, strlen(text), &value), GMC_OK);
    return value;
}

static gmc_status status_of(const char *text)
{
    double value = 7;
    gmc_status status = gmc_number_parse(text, strlen(text), &value);
    if (status != GMC_OK) assert_true(value == 7); // untouched
    return status;
}

static void reads_what_it_should(void **state)
{
    (void)state;
    assert_true(parsed("0") == 0);
    assert_true(signbit(parsed("-0")));
    assert_true(parsed("1.5") == 1.5);
    assert_true(parsed("+.5") == 0.5);
    assert_true(parsed("5.") == 5);
    assert_true(parsed("-2.5E-3") == -2.5e-3);
    assert_true(parsed("56143.0626955765E-5") == 56143.0626955765E-5);
    assert_true(parsed("1e22") == 1e22);
    assert_true(parsed("1.7976931348623157e308") == DBL_MAX);
    assert_true(parsed("5e-324") == 5e-324);
    assert_true(parsed("1e-999") == 0);
    assert_true(parsed("0e999999999999999999999") == 0);
}

static void refuses_the_rest(void **state)
{
    (void)state;
    static const char *const junk[] = {"",    "-",     ".",      "e5",    "1e",  "1e+", "1,5",
                                       "0x1", "nan",   "inf",    "1 ",    " 1",  "1m",  "1..2",
                                       "--1", "1e5.5", "NaN(1)", "1e5e5", "1_0", "\t1"};
    for (int i = 0; i < GMC_COUNT(junk); i++)
        assert_int_equal(status_of(junk[i]), GMC_E_INPUT);
    assert_int_equal(status_of("1e309"), GMC_E_LIMIT);
    assert_int_equal(status_of("-1e999999999999999999999999"), GMC_E_LIMIT);

    char zeros[600];
    memset(zeros, '0', sizeof zeros);
    double value;
    assert_int_equal(gmc_number_parse(zeros, sizeof zeros, &value), GMC_E_INPUT);
    assert_int_equal(gmc_number_parse(zeros, 512, &value), GMC_OK);
}

// Against strtod in the C locale, over short and long digit strings: the same bits.
static void agrees_with_strtod(void **state)
{
    (void)state;
    unsigned long long seed = 12345;
    for (int i = 0; i < 20000; i++) {
        char text[64];
        seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
        unsigned long long digits = seed >> (seed & 31);
        int exponent = (int)((seed >> 7) % 60) - 30;
        snprintf(text, sizeof text, "%s%llu.%llue%d", i % 2 ? "-" : "", digits, digits % 1000,
                 exponent);
        assert_true(parsed(text) == strtod(text, NULL));
    }
}

static void ignores_the_locale(void **state)
{
    (void)state;
    static const char *const comma[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "nl_NL.UTF-8"};
    const char *found = NULL;
    for (int i = 0; i < GMC_COUNT(comma) && !found; i++)
        found = setlocale(LC_ALL, comma[i]);
    if (!found) skip(); // no such locale installed: nothing to be shown
    assert_true(parsed("1.2345678901234567890123") == 1.2345678901234567890123);
    assert_int_equal(status_of("1,5"), GMC_E_INPUT);
    setlocale(LC_ALL, "C");
}

static void reads_integers(void **state)
{
    (void)state;
    long long value = 5;
    assert_int_equal(gmc_number_parse_integer("-12", 3, &value), GMC_OK);
    assert_int_equal(value, -12);
    assert_int_equal(gmc_number_parse_integer("9223372036854775807", 19, &value), GMC_OK);
    assert_true(value == 9223372036854775807LL);
    assert_int_equal(gmc_number_parse_integer("9223372036854775808", 19, &value), GMC_E_LIMIT);
    assert_int_equal(gmc_number_parse_integer("1.0", 3, &value), GMC_E_INPUT);
    assert_int_equal(gmc_number_parse_integer("+", 1, &value), GMC_E_INPUT);
    assert_int_equal(gmc_number_parse_integer("", 0, &value), GMC_E_INPUT);
}

int test_number(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_it_should), cmocka_unit_test(refuses_the_rest),
        cmocka_unit_test(agrees_with_strtod),   cmocka_unit_test(ignores_the_locale),
        cmocka_unit_test(reads_integers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

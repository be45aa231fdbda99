#include "cli/process/json.h"
#include "test/support/cmocka.h"

#include <math.h>
#include <string.h>

static char *written(FILE *stream, char *text, size_t bytes)
{
    rewind(stream);
    text[fread(text, 1, bytes - 1, stream)] = 0;
    fclose(stream);
    return text;
}

static void nests_objects_and_arrays(void **state)
{
    (void)state;
    char text[512];
    gmc_json json = {.out = tmpfile()};
    assert_non_null(json.out);
    gmc_json_open(&json, NULL, '{');
    gmc_json_open(&json, "empty", '{');
    gmc_json_close(&json, '}');
    gmc_json_open(&json, "list", '[');
    gmc_json_whole(&json, NULL, UINT64_MAX);
    gmc_json_flag(&json, NULL, true);
    gmc_json_text(&json, NULL, NULL);
    gmc_json_close(&json, ']');
    gmc_json_flag(&json, "last", false);
    gmc_json_close(&json, '}');
    assert_string_equal(
        written(json.out, text, sizeof text),
        "{\"empty\": {}, \"list\": [18446744073709551615, true, null], \"last\": false}");
}

static void numbers_read_back(void **state)
{
    (void)state;
    char text[512];
    gmc_json json = {.out = tmpfile()};
    assert_non_null(json.out);
    gmc_json_open(&json, NULL, '[');
    gmc_json_real(&json, NULL, 0.1);
    gmc_json_real(&json, NULL, 1.0 / 3.0);
    gmc_json_real(&json, NULL, 0.1 + 0.2);
    gmc_json_real(&json, NULL, (double)NAN);
    gmc_json_real(&json, NULL, -(double)INFINITY);
    gmc_json_close(&json, ']');
    assert_string_equal(written(json.out, text, sizeof text),
                        "[0.1, 0.3333333333333333, 0.30000000000000004, null, null]");
}

static void escapes_what_json_cannot_hold(void **state)
{
    (void)state;
    char text[512];
    gmc_json json = {.out = tmpfile()};
    assert_non_null(json.out);
    // quote, backslash, newline, control, two-byte letter, stray byte, overlong slash, cut sequence
    gmc_json_text(&json, NULL, "\" \\ \n \x01 \xc3\xa9 \xff \xc0\xaf \xe2\x82");
    assert_string_equal(written(json.out, text, sizeof text),
                        "\"\\\" \\\\ \\n \\u0001 \xc3\xa9 \\ufffd \\ufffd\\ufffd "
                        "\\ufffd\\ufffd\"");
}

int test_json(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nests_objects_and_arrays),
        cmocka_unit_test(numbers_read_back),
        cmocka_unit_test(escapes_what_json_cannot_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "engine/base/source.h"
#include "test/support/cmocka_all.h"
#include "test/support/scratch.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { SAID = 1024 };

// what is printed of one mistake in a file with this text
static void print(const char *text, int line, int column, int length, char said[SAID])
{
    gmc_scratch scratch = gmc_scratch_open();
    gmc_diagnostics report = {0};
    char file[256];
    gmc_scratch_write(&scratch, "a.yaml", text, strlen(text), file);
    gmc_source place = {.file = file, .line = line, .column = column, .length = length};
    gmc_diagnostics_add(&report, GMC_ERROR, GMC_E_INPUT, place, NULL, "wrong");
    gmc_scratch_said(&scratch, &report, said, SAID);
    gmc_diagnostics_free(&report);
    gmc_scratch_close(&scratch);
}

static void a_line_with_its_caret(void **state)
{
    (void)state;
    char said[SAID];
    print("one\ntwo: three\r\n", 2, 6, 5, said);
    assert_string_equal(said,
                        "a.yaml:2:6: error: wrong\n    2 | two: three \n      |      ^~~~~\n");
    print("one", 1, 4, 3, said); // what is missing at the end
    assert_string_equal(said, "a.yaml:1:4: error: wrong\n    1 | one\n      |    ^\n");
    print("one\n\n", 2, 0, 0, said);
    assert_string_equal(said, "a.yaml:2: error: wrong\n    2 | \n");
}

static void lines_and_columns_that_are_not_there(void **state)
{
    (void)state;
    char said[SAID];
    print("one\n", 2, 1, 1, said);
    assert_string_equal(said, "a.yaml:2:1: error: wrong\n");
    print("", 1, 1, 1, said);
    assert_string_equal(said, "a.yaml:1:1: error: wrong\n");
    print("one\n", 1, 6, 1, said);
    assert_string_equal(said, "a.yaml:1:6: error: wrong\n    1 | one\n");
}

// 200 characters and a word among them
static void of_a_long_line_a_part_is_shown(void **state)
{
    (void)state;
    char text[256], said[SAID], expected[SAID];
    memset(text, '-', 200);
    text[200] = 0;
    memcpy(text + 99, "word", 4);
    print(text, 1, 100, 4, said); // 40 bytes are left out before it
    snprintf(expected, sizeof expected,
             "a.yaml:1:100: error: wrong\n    1 | ...%.120s...\n      | %62s^~~~\n", text + 40, "");
    assert_string_equal(said, expected);
    print(text, 1, 3, 2, said);
    snprintf(expected, sizeof expected,
             "a.yaml:1:3: error: wrong\n    1 | %.120s...\n      |   ^~\n", text);
    assert_string_equal(said, expected);
    print(text, 1, 199, 9, said); // its end: nothing after it, and no more carets than there is
    snprintf(expected, sizeof expected,
             "a.yaml:1:199: error: wrong\n    1 | ...%s\n      | %62s^~\n", text + 139, "");
    assert_string_equal(said, expected);
}

// two bytes a character
static void characters_are_not_cut(void **state)
{
    (void)state;
    for (int shift = 0; shift < 2; shift++) {
        char text[512] = "", said[SAID];
        if (shift) strcat(text, "-");
        for (int i = 0; i < 150; i++)
            strcat(text, "\xC3\xA9");
        print(text, 1, 150, 1, said);
        for (const char *p = said; *p; p++) {
            bool is_lead = *p == '\xC3', is_rest = p[1] == '\xA9';
            assert_int_equal(is_lead, is_rest);
        }
        assert_non_null(strstr(said, "..."));
    }
}

static void print_list(const gmc_diagnostics *list, char said[SAID])
{
    FILE *out = tmpfile();
    assert_non_null(out);
    gmc_diagnostics_print(list, out);
    rewind(out);
    said[fread(said, 1, SAID - 1, out)] = 0;
    fclose(out);
}

static void warnings_of_a_kind_take_one_line(void **state)
{
    (void)state;
    static const gmc_diagnostic_kind heavy = {"too heavy:", "links"}, light = {"light:", "links"};
    const char *const names[] = {"a", "b", "c", "d"};
    gmc_diagnostics list = {0};
    char said[SAID];
    for (int i = 0; i < 4; i++)
        gmc_diagnostics_warn(&list, (gmc_source){.file = "no.urdf", .line = 9 - i, .column = 2},
                             &heavy, names[i], "weigh it", "link %s", names[i]);
    gmc_diagnostics_warn(&list, (gmc_source){.file = "no.urdf", .line = 3}, &light, "e", NULL,
                         "link e");
    gmc_diagnostics_add(&list, GMC_ERROR, GMC_E_INPUT, (gmc_source){.file = "no.urdf", .line = 4},
                        NULL, "wrong");
    assert_int_equal(list.warning_count, 5);
    print_list(&list, said);
    assert_string_equal(said, "no.urdf:3: warning: link e\n"
                              "no.urdf:4: error: wrong\n"
                              "no.urdf: warning: too heavy: 4 links (a, b, c, ...); weigh it\n");
    gmc_diagnostics_hush(&list);
    print_list(&list, said);
    assert_string_equal(said, "no.urdf:4: error: wrong\n");
    assert_int_equal(list.warning_count, 0);
    assert_int_equal(gmc_diagnostics_status(&list), GMC_E_INPUT);
    gmc_diagnostics_free(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_with_its_caret),
        cmocka_unit_test(lines_and_columns_that_are_not_there),
        cmocka_unit_test(of_a_long_line_a_part_is_shown),
        cmocka_unit_test(characters_are_not_cut),
        cmocka_unit_test(warnings_of_a_kind_take_one_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

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
    gmc_diagnostics_add(&report, GMC_E_INPUT, place, NULL, "wrong");
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
                             (gmc_diagnostic_subject){&heavy, names[i]}, "weigh it", "link %s",
                             names[i]);
    gmc_diagnostics_warn(&list, (gmc_source){.file = "no.urdf", .line = 3},
                         (gmc_diagnostic_subject){&light, "e"}, NULL, "link e");
    gmc_diagnostics_add(&list, GMC_E_INPUT, (gmc_source){.file = "no.urdf", .line = 4}, NULL,
                        "wrong");
    assert_int_equal(list.warning_count, 5);
    print_list(&list, said);
    assert_string_equal(said, "no.urdf:3: warning: link e\n"
                              "no.urdf:4: error: wrong\n"
                              "no.urdf: warning: too heavy: 4 links (a, b, c, ...); weigh it; "
                              "check --model tells each\n");
    gmc_diagnostics_hush(&list);
    print_list(&list, said);
    assert_string_equal(said, "no.urdf:4: error: wrong\n");
    assert_int_equal(list.warning_count, 0);
    assert_int_equal(gmc_diagnostics_status(&list), GMC_E_INPUT);
    gmc_diagnostics_free(&list);
}

// The caret stands below what it means, wherever a place on the screen is more or less than a byte.
static void carets_follow_what_is_seen(void **state)
{
    (void)state;
    char said[SAID];
    print("\xC3\xA9\xC3\xA9: three", 1, 7, 5, said);
    assert_string_equal(said, "a.yaml:1:7: error: wrong\n    1 | \xC3\xA9\xC3\xA9: three\n"
                              "      |     ^~~~~\n");
    print("\x1b[31m: three", 1, 8, 5, said);
    assert_string_equal(said, "a.yaml:1:8: error: wrong\n    1 | \\x1B[31m: three\n"
                              "      |           ^~~~~\n");
    print("a\x1b"
          "b",
          1, 1, 3, said);
    assert_string_equal(said, "a.yaml:1:1: error: wrong\n    1 | a\\x1Bb\n      | ^~~~~~\n");
}

static void what_acts_on_a_terminal_is_shown(void **state)
{
    (void)state;
    gmc_scratch scratch = gmc_scratch_open();
    gmc_diagnostics report = {0};
    char said[SAID];
    gmc_source place = {.file = "a\x1b", .line = 1, .column = 2, .length = 3, .text = "x\x1b[m"};
    gmc_diagnostics_add(&report, GMC_E_INPUT, place, "no\x07", "unknown %s", "\x1b[2J");
    gmc_scratch_said(&scratch, &report, said, SAID);
    assert_string_equal(said, "a\\x1B:1:2: error: unknown \\x1B[2J\n      | x\\x1B[m\n"
                              "      |  ^~~~~~\nhint: no\\x07\n");
    gmc_diagnostics_free(&report);
    gmc_scratch_close(&scratch);
}

// Lines are read once, forwards; several mistakes of a line and lines in any order are no matter.
static void lines_are_found_in_any_order(void **state)
{
    (void)state;
    gmc_scratch scratch = gmc_scratch_open();
    gmc_diagnostics report = {0};
    char said[SAID], file[256];
    gmc_scratch_write(&scratch, "a.yaml", "one\ntwo\nthree\n", 14, file);
    static const int LINES[][2] = {{3, 2}, {1, 1}, {3, 1}, {2, 0}, {9, 1}};
    for (int i = 0; i < GMC_COUNT(LINES); i++) {
        gmc_source place = {.file = file, .line = LINES[i][0], .column = LINES[i][1]};
        gmc_diagnostics_add(&report, GMC_OK, place, NULL, "w%d", i);
        gmc_diagnostics_add(&report, GMC_OK, place, NULL, "w%d", i); // kept once
    }
    assert_int_equal(report.warning_count, GMC_COUNT(LINES));
    gmc_scratch_said(&scratch, &report, said, SAID);
    assert_string_equal(said, "a.yaml:1:1: warning: w1\n    1 | one\n      | ^\n"
                              "a.yaml:2: warning: w3\n    2 | two\n"
                              "a.yaml:3:1: warning: w2\n    3 | three\n      | ^\n"
                              "a.yaml:3:2: warning: w0\n    3 | three\n      |  ^\n"
                              "a.yaml:9:1: warning: w4\n");
    gmc_diagnostics_free(&report);
    gmc_scratch_close(&scratch);
}

static void of_many_the_first_are_shown(void **state)
{
    (void)state;
    static char said[1 << 16];
    gmc_scratch scratch = gmc_scratch_open();
    gmc_diagnostics report = {0};
    for (int i = 0; i < 20000; i++)
        gmc_diagnostics_add(&report, i % 2 ? GMC_E_INPUT : GMC_OK,
                            (gmc_source){.file = "a", .line = 20000 - i}, NULL, "no %d", i);
    assert_int_equal(report.error_count, 10000);
    gmc_scratch_said(&scratch, &report, said, sizeof said);
    assert_non_null(strstr(said, "a:1: error: no 19999\n"));
    assert_non_null(strstr(said, "a:99: error: no 19901\n")); // the 50th
    assert_null(strstr(said, "a:101: error"));
    assert_non_null(strstr(said, "\nand 9950 more mistakes\nand 9950 more warnings\n"));
    gmc_diagnostics_free(&report);
    gmc_scratch_close(&scratch);
}

static void colours_end_where_they_began(void **state)
{
    (void)state;
    gmc_diagnostics report = {0};
    char said[SAID] = "";
    gmc_source place = {.file = "a", .line = 1, .column = 2, .length = 2, .text = "abc"};
    gmc_diagnostics_add(&report, GMC_E_INPUT, place, "mend it", "wrong");
    FILE *out = tmpfile();
    assert_non_null(out);
    gmc_diagnostics_paint(&report, out);
    rewind(out);
    said[fread(said, 1, sizeof said - 1, out)] = 0;
    fclose(out);
    assert_string_equal(
        said, "\x1b[1ma:1:2: \x1b[0m\x1b[1;31merror:\x1b[0m \x1b[1mwrong\x1b[0m\n"
              "      | abc\n      |  \x1b[1;32m^~\x1b[0m\n\x1b[1;32mhint:\x1b[0m mend it\n");
    gmc_diagnostics_free(&report);
}

int test_source(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_with_its_caret),
        cmocka_unit_test(lines_and_columns_that_are_not_there),
        cmocka_unit_test(of_a_long_line_a_part_is_shown),
        cmocka_unit_test(characters_are_not_cut),
        cmocka_unit_test(warnings_of_a_kind_take_one_line),
        cmocka_unit_test(carets_follow_what_is_seen),
        cmocka_unit_test(what_acts_on_a_terminal_is_shown),
        cmocka_unit_test(lines_are_found_in_any_order),
        cmocka_unit_test(of_many_the_first_are_shown),
        cmocka_unit_test(colours_end_where_they_began),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

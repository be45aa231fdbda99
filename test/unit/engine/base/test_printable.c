// What acts on a terminal is seen as its bytes; all other characters are themselves.
#include "engine/base/printable.h"
#include "test/support/cmocka_all.h"

#include <string.h>

static void check(const char *text, const char *expected)
{
    char shown[128];
    assert_string_equal(gmc_printable_text(text, shown, sizeof shown), expected);
}

static void what_is_seen_stays(void **state)
{
    (void)state;
    check("", "");
    check("friction.a/b [1] ~", "friction.a/b [1] ~");
    check("\xC3\xA9 \xE2\x82\xAC \xF0\x9F\xA4\x96", "\xC3\xA9 \xE2\x82\xAC \xF0\x9F\xA4\x96");
}

static void what_acts_is_shown(void **state)
{
    (void)state;
    check("\x1b]0;owned\a\x1b[31mA", "\\x1B]0;owned\\x07\\x1B[31mA");
    check("a\nb\tc\rd\x7f", "a\\x0Ab\\x09c\\x0Dd\\x7F");
    check("\xC2\x9B"
          "31m",
          "\\xC2\\x9B"
          "31m");                                               // CSI as one character, U+009B
    check("\xC2\xA0", "\xC2\xA0");                              // the first behind them
    check("\xE2\x80\xAE", "\\xE2\\x80\\xAE");                   // from right to left
    check("\xE2\x81\xA6", "\\xE2\\x81\\xA6");                   // an isolate
    check("\xE2\x80\x8F\xD8\x9C", "\\xE2\\x80\\x8F\\xD8\\x9C"); // marks of direction
}

// Overlong, surrogate, beyond Unicode, cut, a byte of a character's inside.
static void what_is_no_utf8_is_shown(void **state)
{
    (void)state;
    check("\xC0\x80", "\\xC0\\x80");
    check("\xE0\x82\x9B", "\\xE0\\x82\\x9B");
    check("\xED\xA0\x80", "\\xED\\xA0\\x80");
    check("\xF4\x90\x80\x80", "\\xF4\\x90\\x80\\x80");
    check("a\xE2\x82", "a\\xE2\\x82");
    check("\x9B"
          "31m",
          "\\x9B"
          "31m");
    check("\xFF\xFE", "\\xFF\\xFE");
}

static void a_text_is_cut_between_characters(void **state)
{
    (void)state;
    char shown[8];
    assert_string_equal(gmc_printable_text("abc\x1b", shown, sizeof shown), "abc\\x1B");
    assert_string_equal(gmc_printable_text("abcd\x1b", shown, sizeof shown), "abcd");
    assert_string_equal(gmc_printable_text("abcdef\xC3\xA9", shown, sizeof shown), "abcdef");
}

static void places_are_counted(void **state)
{
    (void)state;
    char shown[GMC_PRINTABLE_ROOM];
    int used = 0;
    assert_int_equal(gmc_printable_next("\xC3\xA9", shown, &used), 1);
    assert_int_equal(used, 2);
    assert_int_equal(gmc_printable_next("\xC2\x9B", shown, &used), 8);
    assert_int_equal(used, 2);
    assert_int_equal(gmc_printable_next("\xE2\x82", shown, &used), 4);
    assert_int_equal(used, 1);
}

int test_printable(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_seen_stays),
        cmocka_unit_test(what_acts_is_shown),
        cmocka_unit_test(what_is_no_utf8_is_shown),
        cmocka_unit_test(a_text_is_cut_between_characters),
        cmocka_unit_test(places_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

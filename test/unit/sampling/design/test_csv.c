#include "engine/base/status.h"
#include "sampling/design/csv.h"
#include "test/support/near.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// the table of a text that must be right; empties it after the looks of the caller
static gmc_csv parse(const char *text)
{
    gmc_csv csv;
    gmc_diagnostics errors = {0};
    gmc_status status = gmc_csv_parse("samples.csv", text, strlen(text), &csv, &errors);
    if (status != GMC_OK) gmc_diagnostics_print(&errors, stderr);
    assert_int_equal(status, GMC_OK);
    assert_int_equal(errors.count, 0);
    return csv;
}

static void a_plain_table(void **state)
{
    (void)state;
    gmc_csv csv = parse("object.pose.x,object.mass\n0.5,1\n-1e-3,+2.5E+1\n.5,5.\n");
    assert_int_equal(csv.column_count, 2);
    assert_int_equal(csv.row_count, 3);
    assert_string_equal(csv.names[0], "object.pose.x");
    assert_int_equal(gmc_csv_column(&csv, "object.mass"), 1);
    assert_int_equal(gmc_csv_column(&csv, "mass"), -1);
    assert_true(gmc_csv_value(&csv, 1, 0) == -1e-3);
    assert_true(gmc_csv_value(&csv, 1, 1) == 25.0);
    assert_true(gmc_csv_value(&csv, 2, 0) == 0.5);
    assert_true(gmc_csv_value(&csv, 2, 1) == 5.0);
    assert_int_equal(csv.header_line, 1);
    assert_int_equal(csv.lines[2], 4);
    assert_int_equal(csv.name_column[1], 15);
    gmc_csv_free(&csv);
    assert_int_equal(csv.column_count, 0);
}

static void what_spreadsheets_write(void **state)
{
    (void)state;
    gmc_csv csv = parse("\xef\xbb\xbf\r\n\"friction.rubber/abs\" , \"a \"\"b\"\", c\"\r\n"
                        "\"0.25\" ,\t3 \r\n\r\n   \r\n1,2");
    assert_int_equal(csv.column_count, 2);
    assert_string_equal(csv.names[0], "friction.rubber/abs");
    assert_string_equal(csv.names[1], "a \"b\", c");
    assert_int_equal(csv.row_count, 2);
    assert_true(gmc_csv_value(&csv, 0, 0) == 0.25);
    assert_true(gmc_csv_value(&csv, 0, 1) == 3.0);
    assert_true(gmc_csv_value(&csv, 1, 0) == 1.0);
    assert_true(gmc_csv_value(&csv, 1, 1) == 2.0);
    assert_int_equal(csv.lines[1], 6);
    gmc_csv_free(&csv);

    csv = parse("a\r1\r2\r"); // line ends of old
    assert_int_equal(csv.row_count, 2);
    gmc_csv_free(&csv);
    csv = parse("\"two\nlines\"\n7\n");
    assert_string_equal(csv.names[0], "two\nlines");
    assert_int_equal(csv.lines[0], 3);
    gmc_csv_free(&csv);
}

static void values_are_read_to_the_last_bit(void **state)
{
    (void)state;
    gmc_csv csv = parse("a,b,c\n0.1,4.9406564584124654e-324,1.7976931348623157e308\n");
    assert_true(gmc_csv_value(&csv, 0, 0) == 0.1);
    assert_true(gmc_csv_value(&csv, 0, 1) == 4.9406564584124654e-324);
    assert_true(gmc_csv_value(&csv, 0, 2) == 1.7976931348623157e308);
    gmc_csv_free(&csv);
}

typedef struct mistake {
    const char *text;
    int line, column;
    const char *part;
} mistake;

static void every_mistake_has_its_place(void **state)
{
    (void)state;
    static const mistake MISTAKES[] = {
        {"", 1, 1, "empty"},
        {"\n \n", 3, 1, "empty"},
        {"a,b\n", 2, 1, "no row"},
        {"a,,c\n1,2,3\n", 1, 3, "no name"},
        {"a,b,a\n1,2,3\n", 1, 5, "twice"},
        {"a;b\n1;2\n", 1, 1, "semicolons"},
        {"a,b\n1,2\n3\n", 3, 1, "1 values, the header has 2"},
        {"a,b\n1,2,3\n", 2, 5, "3 values, the header has 2"},
        {"a,b\n1,\n", 2, 3, "no value"},
        {"a,b\n1,nan\n", 2, 3, "finite"},
        {"a,b\n-INF,1\n", 2, 1, "finite"},
        {"a,b\n1,infinity\n", 2, 3, "finite"},
        {"a,b\n1,1e999\n", 2, 3, "too large"},
        {"a,b\n1,0x10\n", 2, 3, "must be a number"},
        {"a,b\n1,2 mm\n", 2, 3, "must be a number"},
        {"a,b\n1,1e\n", 2, 3, "must be a number"},
        {"a,b\n1,1e+\n", 2, 3, "must be a number"},
        {"a,b\n1,--1\n", 2, 3, "must be a number"},
        {"a,b\n1,.\n", 2, 3, "must be a number"},
        {"a,b\n1,\"2\n", 2, 3, "never closed"},
        {"a,b\n1,\"2\"x\n", 2, 3, "closing quote"},
        {"\xff\xfe"
         "a",
         1, 1, "UTF-16"},
    };
    for (int i = 0; i < GMC_COUNT(MISTAKES); i++) {
        const mistake *m = MISTAKES + i;
        gmc_csv csv;
        gmc_diagnostics errors = {0};
        assert_int_equal(gmc_csv_parse("s.csv", m->text, strlen(m->text), &csv, &errors),
                         GMC_E_INPUT);
        assert_true(errors.count >= 1);
        assert_null(csv.values); // empty after a failure
        const gmc_diagnostic *found = errors.items;
        if (!strstr(found->message, m->part) || found->source.line != m->line ||
            found->source.column != m->column)
            fail_msg("case %d: %d:%d: %s", i, found->source.line, found->source.column,
                     found->message);
        gmc_diagnostics_free(&errors);
    }
}

static void a_zero_byte_is_no_text(void **state)
{
    (void)state;
    gmc_csv csv;
    gmc_diagnostics errors = {0};
    assert_int_equal(gmc_csv_parse("s.csv", "a\n1\0002\n", 7, &csv, &errors), GMC_E_INPUT);
    assert_int_equal(errors.items[0].source.line, 2);
    assert_int_equal(errors.items[0].source.column, 2);
    gmc_diagnostics_free(&errors);
}

static void all_mistakes_are_reported_up_to_a_limit(void **state)
{
    (void)state;
    char text[2000] = "a,b\n";
    for (int i = 0; i < 3; i++)
        strcat(text, "x,1\n1,nan\n");
    gmc_csv csv;
    gmc_diagnostics errors = {0};
    assert_int_equal(gmc_csv_parse("s.csv", text, strlen(text), &csv, &errors), GMC_E_INPUT);
    assert_int_equal(errors.count, 6);
    gmc_diagnostics_free(&errors);

    for (int i = 0; i < 100; i++)
        strcat(text, "x,1\n");
    assert_int_equal(gmc_csv_parse("s.csv", text, strlen(text), &csv, &errors), GMC_E_INPUT);
    assert_int_equal(errors.count, 51);
    assert_non_null(strstr(errors.items[50].message, "more mistakes"));
    gmc_diagnostics_free(&errors);
}

static void of_one_column_the_others_hold_anything(void **state)
{
    (void)state;
    const char *good = ",mu,note,note\nrow,0.5,old,\n,1e-3,\"a, b\",nan\n";
    gmc_csv csv;
    gmc_diagnostics errors = {0};
    assert_int_equal(gmc_csv_parse_as("a.csv", good, strlen(good), &(gmc_csv_wanted){.only = "mu"},
                                      &csv, &errors),
                     GMC_OK);
    assert_true(csv.row_count == 2);
    assert_true(gmc_csv_value(&csv, 0, 1) == 0.5);
    assert_true(gmc_csv_value(&csv, 1, 1) == 1e-3);
    assert_true(gmc_csv_value(&csv, 1, 3) == 0);
    gmc_csv_free(&csv);
    assert_int_equal(errors.count, 0);

    const char *bad = "mu,note\n1,x\nmuch,x\n,x\nnan,x\n";
    assert_int_equal(
        gmc_csv_parse_as("a.csv", bad, strlen(bad), &(gmc_csv_wanted){.only = "mu"}, &csv, &errors),
        GMC_E_INPUT);
    assert_int_equal(errors.count, 1);
    assert_string_equal(errors.items[0].message,
                        "`mu` must be a number, found `much`, the first of 3 such rows");
    assert_int_equal(errors.items[0].source.line, 3);
    gmc_diagnostics_free(&errors);
}

static void a_long_table_is_read_whole(void **state)
{
    (void)state;
    enum { ROWS = 20000, ROW_BYTES = 40 };
    char *text = malloc(ROWS * ROW_BYTES), *end = text;
    assert_non_null(text);
    end += sprintf(end, "x,y\n");
    for (int i = 0; i < ROWS; i++)
        end += sprintf(end, "%d,%.17g\n", i, i / 7.0);
    gmc_csv csv;
    gmc_diagnostics errors = {0};
    assert_int_equal(gmc_csv_parse("a.csv", text, (size_t)(end - text), &csv, &errors), GMC_OK);
    free(text);
    assert_int_equal(csv.row_count, ROWS);
    for (int i = 0; i < ROWS; i++)
        assert_true(gmc_csv_value(&csv, i, 1) == i / 7.0);
    gmc_csv_free(&csv);
}

int test_csv(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plain_table),
        cmocka_unit_test(what_spreadsheets_write),
        cmocka_unit_test(values_are_read_to_the_last_bit),
        cmocka_unit_test(every_mistake_has_its_place),
        cmocka_unit_test(a_zero_byte_is_no_text),
        cmocka_unit_test(all_mistakes_are_reported_up_to_a_limit),
        cmocka_unit_test(of_one_column_the_others_hold_anything),
        cmocka_unit_test(a_long_table_is_read_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

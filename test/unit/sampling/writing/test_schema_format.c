#include "sampling/language/schema.h"
#include "test/support/cmocka.h"
#include "test/support/format_page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char PAGE[] = "scenarios/FORMAT.md", TEMPLATE[] = "scenarios/format.md.in";

static char *text_of(const char *file)
{
    FILE *in = fopen(file, "rb");
    assert_non_null(in);
    char *text = malloc(1 << 20);
    assert_non_null(text);
    text[fread(text, 1, (1 << 20) - 1, in)] = 0;
    fclose(in);
    return text;
}

static char *page_of_template(void)
{
    char *template = text_of(TEMPLATE), *page = gmc_format_page(template);
    free(template);
    return page;
}

static void test_the_page_is_the_table(void **state)
{
    (void)state;
    char *expected = page_of_template();
    if (getenv("GMC_WRITE_FORMAT")) {
        FILE *out = fopen(PAGE, "wb");
        assert_non_null(out);
        assert_int_equal(fwrite(expected, 1, strlen(expected), out), strlen(expected));
        assert_int_equal(fclose(out), 0);
    }
    char *found = text_of(PAGE);
    if (strcmp(found, expected) != 0)
        fail_msg("%s is not what the tables and its template say: run GMC_WRITE_FORMAT=1 "
                 "test_writing.schema_format",
                 PAGE);
    free(found);
    free(expected);
}

static void test_every_key_is_on_the_page_once_for_each_group(void **state)
{
    (void)state;
    char *page = page_of_template();
    int rows = 0;
    for (const char *p = page; (p = strstr(p, "\n| `")); p++)
        rows++;
    assert_true(rows > gmc_schema_row_count); // and those of distributions and measures
    for (int i = 0; i < gmc_schema_row_count; i++) {
        char cell[64];
        snprintf(cell, sizeof cell, "\n| `%s` | ", gmc_schema_rows[i].key);
        assert_non_null(strstr(page, cell));
    }
    free(page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_page_is_the_table),
        cmocka_unit_test(test_every_key_is_on_the_page_once_for_each_group),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

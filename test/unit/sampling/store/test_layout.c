// The lists of what a trial stores against themselves, and against sampling/store/FORMAT.md, where
// their lines are written from them: GMC_WRITE_FORMAT=1 unit_store layout.
#include "sampling/store/layout.h"
#include "sampling/store/record.h"
#include "test/support/cmocka.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char PAGE[] = "sampling/store/FORMAT.md";
enum { PAGE_BYTES = 1 << 20, LINE_BYTES = 1000 };

static const char *type_of(gmc_h5_kind kind)
{
    switch (kind) {
    case GMC_H5_U8:
        return "u8";
    case GMC_H5_I32:
        return "i32";
    case GMC_H5_U32:
        return "u32";
    case GMC_H5_I64:
        return "i64";
    case GMC_H5_U64:
        return "u64";
    case GMC_H5_F64:
        return "f64";
    case GMC_H5_TEXT:
        return "text";
    case GMC_H5_OUTCOME:
    case GMC_H5_REASON:
        return "enum";
    }
    return "";
}

/// Each unit once, in the order of the columns.
static void units_of(const gmc_trajectory_array *array, char units[LINE_BYTES])
{
    units[0] = 0;
    for (int i = 0; i < GMC_TRAJECTORY_WIDTH_MAX && array->units[i]; i++) {
        bool is_new = true;
        for (int k = 0; k < i; k++)
            is_new = is_new && strcmp(array->units[i], array->units[k]) != 0;
        if (is_new) {
            strcat(units, i ? ", " : "");
            strcat(units, array->units[i]);
        }
    }
    if (gmc_trajectory_is_of_joints(array)) strcpy(units, "see `units`");
}

/// @return bytes of `line` that tell whose it is
static size_t array_line(const gmc_trajectory_array *array, char line[LINE_BYTES])
{
    static const char *const ROWS[GMC_TRAJECTORY_PER_COUNT] = {
        [GMC_TRAJECTORY_ROW] = "T",         [GMC_TRAJECTORY_ROW_BODY] = "T",
        [GMC_TRAJECTORY_BODY] = "Q",        [GMC_TRAJECTORY_ROW_JOINT] = "T",
        [GMC_TRAJECTORY_ROW_START] = "T+1", [GMC_TRAJECTORY_CONTACT] = "C",
        [GMC_TRAJECTORY_ROW_ACTION] = "T",  [GMC_TRAJECTORY_ROW_PUSH] = "T",
    };
    char name[GMC_LAYOUT_NAME_BYTES], columns[32] = "", units[LINE_BYTES];
    const char *body = gmc_trajectory_is_of_body(array) ? "<body>" : NULL;
    assert_true(gmc_layout_array_name(array, body, name));
    if (array->columns) snprintf(columns, sizeof columns, ", %d", array->width);
    if (gmc_trajectory_is_of_joints(array)) snprintf(columns, sizeof columns, ", J");
    units_of(array, units);
    int head = snprintf(line, LINE_BYTES, "| `%s` |", name);
    snprintf(line + head, LINE_BYTES - (size_t)head, " %s | (%s%s) | %s | %s | 1 |",
             type_of(gmc_layout_array_kind(array->kind)), ROWS[array->per], columns, units,
             array->about);
    return (size_t)head;
}

static size_t field_line(int index, char line[LINE_BYTES])
{
    const gmc_trial_field *field = &gmc_trial_fields[index];
    int head = snprintf(line, LINE_BYTES, "| `/trials` | `%s` |", field->name);
    snprintf(line + head, LINE_BYTES - (size_t)head, " %s | %s%s| %s | 1 |",
             type_of(gmc_layout_trial_fields[index].kind), field->unit, *field->unit ? " " : "",
             field->about);
    return (size_t)head;
}

/// Put `line` in place of the one with its head; a new one goes behind the line written before.
static void write_line(char *page, const char *line, size_t head, size_t *behind)
{
    char *rest = malloc(PAGE_BYTES), start[LINE_BYTES];
    snprintf(start, sizeof start, "%.*s", (int)head, line);
    char *at = strstr(page, start);
    if (!at) at = page + *behind;
    bool is_there = strncmp(at, start, head) == 0;
    strcpy(rest, is_there ? strchr(at, '\n') + 1 : at);
    int bytes = sprintf(at, "%s\n", line);
    strcpy(at + bytes, rest);
    *behind = (size_t)(at + bytes - page);
    free(rest);
}

/// The page, its lines brought up to the lists.
static void write_lines(char *page)
{
    page = strstr(page, "\n## Datasets\n"); // attributes of the same names stand above
    assert_non_null(page);
    char line[LINE_BYTES];
    size_t behind = 0;
    for (int i = 0; i < GMC_TRAJECTORY_ARRAY_COUNT; i++) {
        size_t head = array_line(&gmc_trajectory_arrays[i], line);
        write_line(page, line, head, &behind);
    }
    behind = 0;
    for (int i = 0; i < GMC_TRIAL_FIELD_COUNT; i++) {
        size_t head = field_line(i, line);
        write_line(page, line, head, &behind);
    }
}

static void the_page_has_the_lists(void **state)
{
    (void)state;
    char *found = calloc(PAGE_BYTES, 1), *expected = malloc(PAGE_BYTES);
    FILE *in = fopen(PAGE, "rb");
    assert_non_null(in);
    assert_true(fread(found, 1, PAGE_BYTES / 2, in) > 0);
    fclose(in);
    strcpy(expected, found);
    write_lines(expected);
    if (getenv("GMC_WRITE_FORMAT")) {
        FILE *out = fopen(PAGE, "wb");
        assert_non_null(out);
        assert_int_equal(fwrite(expected, 1, strlen(expected), out), strlen(expected));
        assert_int_equal(fclose(out), 0);
        strcpy(found, expected);
    }
    if (strcmp(found, expected) != 0)
        fail_msg("%s is not what the lists say: run GMC_WRITE_FORMAT=1 unit_store layout", PAGE);
    free(found);
    free(expected);
}

static void columns_are_as_many_as_an_entry_has_numbers(void **state)
{
    (void)state;
    for (int i = 0; i < GMC_TRAJECTORY_ARRAY_COUNT; i++) {
        const gmc_trajectory_array *array = &gmc_trajectory_arrays[i];
        int columns = 1, units = 0;
        for (const char *c = array->columns; c && (c = strchr(c, ' ')); c++)
            columns++;
        while (units < GMC_TRAJECTORY_WIDTH_MAX && array->units[units])
            units++;
        assert_int_equal(columns, array->width);
        bool is_of_joints = gmc_trajectory_is_of_joints(array);
        assert_true(is_of_joints ? units == 2 : units == 1 || units == array->width);
    }
}

static void fields_fill_their_places_in_the_journal(void **state)
{
    (void)state;
    size_t bytes = gmc_record_core_bytes(0, 0);
    unsigned char used[256] = {0};
    for (int i = 0; i < GMC_TRIAL_FIELD_COUNT; i++) {
        const gmc_trial_field *field = &gmc_trial_fields[i];
        bool is_wide = field->kind == GMC_TRIAL_U64 || field->kind == GMC_TRIAL_F64;
        for (int k = 0; field->place >= 0 && k < (is_wide ? 8 : 4); k++)
            used[field->place + k]++;
    }
    for (size_t i = 0; i < bytes; i++)
        assert_int_equal(used[i], 1);
}

int test_layout(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_page_has_the_lists),
        cmocka_unit_test(columns_are_as_many_as_an_entry_has_numbers),
        cmocka_unit_test(fields_fill_their_places_in_the_journal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

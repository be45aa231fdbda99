#include "sampling/language/nearest.h"
#include "sampling/language/schema.h"
#include "sampling/language/validate.h"
#include "test/support/cmocka.h"

#include <string.h>

static void test_groups_are_contiguous_and_keys_unique(void **state)
{
    (void)state;
    int total = 0;
    for (int g = 0; g < GMC_SCHEMA_GROUP_COUNT; g++) {
        int count = 0;
        const gmc_schema_row *rows = gmc_schema_group_rows((gmc_schema_group)g, &count);
        assert_true(count > 0);
        assert_non_null(gmc_schema_group_name((gmc_schema_group)g));
        total += count;
        for (int i = 0; i < count; i++)
            assert_ptr_equal(gmc_schema_find((gmc_schema_group)g, rows[i].key), &rows[i]);
    }
    assert_int_equal(total, gmc_schema_row_count);
    assert_null(gmc_schema_find(GMC_SCHEMA_ROOT, "nothing"));
}

static void test_rows_make_sense(void **state)
{
    (void)state;
    for (int i = 0; i < gmc_schema_row_count; i++) {
        const gmc_schema_row *row = &gmc_schema_rows[i];
        assert_true(row->about);
        assert_true(row->about[0]);
        assert_true(row->type < GMC_TYPE_COUNT);
        assert_true(row->type != GMC_TYPE_WORD || row->words);
        if (row->needs) assert_non_null(gmc_schema_find(row->group, row->needs));
        bool is_number = row->type == GMC_TYPE_NUMBER || row->type == GMC_TYPE_INTEGER ||
                         row->type == GMC_TYPE_VECTOR || row->type == GMC_TYPE_PAIRS;
        if (is_number && !(row->lower <= row->upper && row->upper > 0))
            fail_msg("%s has no range", row->key);
    }
}

// Every default passes the checks that a written value must pass.
static void test_defaults_are_valid(void **state)
{
    (void)state;
    gmc_arena arena;
    assert_int_equal(gmc_arena_create(&arena, 1 << 20), GMC_OK);
    static const gmc_schema_group CHECKED[] = {GMC_SCHEMA_SURFACE,  GMC_SCHEMA_POSE,
                                               GMC_SCHEMA_SAMPLING, GMC_SCHEMA_SIMULATION,
                                               GMC_SCHEMA_OUTPUT,   GMC_SCHEMA_PLANE};
    for (int i = 0; i < GMC_COUNT(CHECKED); i++) {
        gmc_diagnostics report = {0};
        gmc_node *map = gmc_node_create(&arena, GMC_NODE_MAP, (gmc_source){0});
        assert_int_equal(gmc_validate_part(map, CHECKED[i], "x", &report, &arena), GMC_OK);
        assert_int_equal(report.count, 0);
        int count = 0;
        const gmc_schema_row *rows = gmc_schema_group_rows(CHECKED[i], &count);
        for (int j = 0; j < count; j++) {
            const gmc_node *node = gmc_node_find(map, rows[j].key);
            assert_int_equal(node != NULL, rows[j].fallback != NULL && !rows[j].needs);
            if (node) assert_true(node->is_default);
        }
        gmc_diagnostics_free(&report);
    }
    gmc_arena_free(&arena);
}

static void test_nearest_names(void **state)
{
    (void)state;
    assert_string_equal(gmc_schema_nearest(GMC_SCHEMA_ROOT, "hnad"), "hand");
    assert_string_equal(gmc_schema_nearest(GMC_SCHEMA_ROOT, "programme"), "program");
    assert_string_equal(gmc_schema_nearest(GMC_SCHEMA_ITEM, "mas"), "mass");
    assert_null(gmc_schema_nearest(GMC_SCHEMA_ROOT, "weather"));
    assert_int_equal(gmc_nearest_distance("abcd", "abdc"), 1);
    assert_int_equal(gmc_nearest_distance("", "abc"), 3);
    assert_int_equal(gmc_nearest_distance("kitten", "sitting"), 3);
    assert_int_equal(gmc_nearest_distance("same", "same"), 0);
}

int test_schema(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_groups_are_contiguous_and_keys_unique),
        cmocka_unit_test(test_rows_make_sense),
        cmocka_unit_test(test_defaults_are_valid),
        cmocka_unit_test(test_nearest_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

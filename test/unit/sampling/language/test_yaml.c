#include "sampling/language/yaml.h"
#include "test/support/cmocka.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct parsed {
    gmc_arena arena;
    gmc_diagnostics report;
    gmc_node *root;
    gmc_status status;
} parsed;

static parsed parse_bytes(const char *text, size_t bytes)
{
    parsed p = {0};
    assert_int_equal(gmc_arena_create(&p.arena, (size_t)32 << 20), GMC_OK);
    p.status = gmc_yaml_parse(
        &(gmc_yaml_source){.text = text, .bytes = bytes, .file = "t.yaml", .folder = ""}, &p.report,
        &p.arena, &p.root);
    return p;
}

static parsed parse(const char *text) { return parse_bytes(text, strlen(text)); }

static void drop(parsed *p)
{
    gmc_diagnostics_free(&p->report);
    gmc_arena_free(&p->arena);
}

// The one report holds `message` at line:column.
static void expect_mistake(const char *text, int line, int column, const char *message)
{
    parsed p = parse(text);
    assert_int_equal(p.status, GMC_E_INPUT);
    assert_int_equal(p.report.count, 1);
    if (!strstr(p.report.items[0].message, message))
        fail_msg("said: %s", p.report.items[0].message);
    assert_int_equal(p.report.items[0].source.line, line);
    if (column > 0) assert_int_equal(p.report.items[0].source.column, column);
    drop(&p);
}

static void expect_place(const gmc_node *node, int line, int column, int length)
{
    assert_non_null(node);
    assert_int_equal(node->source.line, line);
    assert_int_equal(node->source.column, column);
    assert_int_equal(node->source.length, length);
}

static void test_every_key_and_value_knows_its_place(void **state)
{
    (void)state;
    parsed p = parse("a: 1 mm\nb: {c: \"x, y\", d: [1, 2]}\n");
    assert_int_equal(p.status, GMC_OK);
    const gmc_node *a = gmc_node_find(p.root, "a"), *b = gmc_node_find(p.root, "b");
    expect_place(a, 1, 4, 4);
    assert_string_equal(a->text, "1 mm");
    assert_true(a->is_plain);
    const gmc_node *c = gmc_node_find(b, "c");
    expect_place(c, 2, 8, 6);
    assert_false(c->is_plain);
    assert_int_equal(c->key_source.column, 5);
    assert_int_equal(gmc_node_place(c, strlen(c->text), 3, 1).column,
                     12); // the y, behind the quote
    assert_int_equal(gmc_node_find(b, "d")->count, 2);
    expect_place(gmc_node_find(b, "d")->last, 2, 23, 1);
    drop(&p);
}

static void test_columns_are_bytes_and_lines_are_the_editors(void **state)
{
    (void)state;
    parsed p = parse("\xef\xbb\xbf"
                     "a: µm\r\nüb: 2 µm x\r\n");
    assert_int_equal(p.status, GMC_OK);
    expect_place(gmc_node_find(p.root, "a"), 1, 7, 3); // three bytes of mark stand before the a
    expect_place(gmc_node_find(p.root, "üb"), 2, 6, 7);
    drop(&p);
}

static void test_duplicate_keys_are_all_reported(void **state)
{
    (void)state;
    parsed p = parse("a: 1\nb: 2\na: 3\nb: 4\n");
    assert_int_equal(p.status, GMC_E_INPUT);
    assert_int_equal(p.report.count, 2);
    assert_non_null(p.root); // reading goes on with the first of each
    assert_int_equal(p.root->count, 2);
    assert_string_equal(gmc_node_find(p.root, "a")->text, "1");
    drop(&p);
    expect_mistake("a: {x: 1, x: 2}\n", 1, 11, "x stands here a second time");
}

static void test_aliases_are_copied(void **state)
{
    (void)state;
    parsed p = parse("a: &n {x: 1}\nb: *n\n");
    assert_int_equal(p.status, GMC_OK);
    const gmc_node *a = gmc_node_find(p.root, "a"), *b = gmc_node_find(p.root, "b");
    assert_ptr_not_equal(a, b);
    assert_string_equal(gmc_node_find(b, "x")->text, "1");
    drop(&p);
    expect_mistake("a: &n {x: *n}\n", 1, 11, "inside of what it stands for");
    expect_mistake("a: *missing\n", 1, 0, "alias");
}

static void test_a_billion_laughs_are_refused_early(void **state)
{
    (void)state;
    char text[2048] = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
    for (int i = 1; i < 12; i++) {
        char line[128];
        snprintf(line, sizeof line,
                 "a%d: &a%d [*a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d]\n", i, i, i - 1,
                 i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1);
        strcat(text, line);
    }
    parsed p = parse(text);
    assert_int_equal(p.status, GMC_E_INPUT);
    assert_null(p.root);
    assert_int_equal(p.report.count, 1);
    assert_true(p.arena.used < (size_t)GMC_YAML_NODES_MAX * 512);
    drop(&p);
}

static void test_what_yaml_allows_and_we_do_not(void **state)
{
    (void)state;
    expect_mistake("a: !!int 3\n", 1, 0, "tags");
    expect_mistake("a: !x {b: 1}\n", 1, 0, "tags");
    expect_mistake("a: 1\n---\nb: 2\n", 2, 1, "second YAML document");
    expect_mistake("? [x]\n: 1\n", 1, 0, "a key must be a word");
    expect_mistake("a: 1\rb: 2\n", 1, 5, "unusual line end");
    expect_mistake("a: 1\xe2\x80\xa8\n", 1, 5, "unusual line end");
    expect_mistake("a: \"\\0\"\n", 1, 0, "zero byte");
}

static void test_broken_yaml_has_a_place_and_a_hint(void **state)
{
    (void)state;
    expect_mistake("a:\n\tb: 1\n", 2, 1, "not YAML");
    expect_mistake("a: [1, 2\nb: 3\n", 2, 0, "not YAML");
    expect_mistake("a: b: c\n", 1, 5, "not YAML");
    expect_mistake("a: \xff\n", 1, 4, "not text");
    parsed p = parse("a:\n\tb: 1\n");
    assert_string_equal(p.report.items[0].hint, "indent with spaces, not tabs");
    drop(&p);
}

static void test_nothing_is_no_tree(void **state)
{
    (void)state;
    parsed p = parse("");
    assert_int_equal(p.status, GMC_OK);
    assert_null(p.root);
    drop(&p);
    p = parse("# only words\n");
    assert_null(p.root);
    drop(&p);
}

static void test_limits(void **state)
{
    (void)state;
    enum { DEPTH = 100000 };
    char *text = malloc(GMC_YAML_BYTES_MAX + 2);
    assert_non_null(text);
    memset(text, '[', DEPTH);
    parsed p = parse_bytes(text, DEPTH);
    assert_int_equal(p.status, GMC_E_INPUT);
    drop(&p);

    memset(text, ' ', GMC_YAML_BYTES_MAX + 1);
    p = parse_bytes(text, GMC_YAML_BYTES_MAX + 1);
    assert_int_equal(p.status, GMC_E_INPUT);
    drop(&p);

    size_t used = (size_t)snprintf(text, 8, "[");
    for (int i = 0; i < GMC_YAML_NODES_MAX + 10; i++) {
        text[used++] = '1';
        text[used++] = ',';
    }
    p = parse_bytes(text, used);
    assert_int_equal(p.status, GMC_E_INPUT);
    assert_non_null(strstr(p.report.items[0].message, "more than"));
    drop(&p);
    free(text);
}

static void test_a_full_arena_is_said(void **state)
{
    (void)state;
    gmc_arena arena;
    gmc_diagnostics report = {0};
    gmc_node *root = NULL;
    assert_int_equal(gmc_arena_create(&arena, 256), GMC_OK);
    const char *text = "a: 1\nb: 2\nc: 3\n";
    assert_int_equal(
        gmc_yaml_parse(
            &(gmc_yaml_source){.text = text, .bytes = strlen(text), .file = "t", .folder = ""},
            &report, &arena, &root),
        GMC_E_ARENA_FULL);
    assert_int_equal(report.count, 0);
    gmc_arena_free(&arena);
}

static void test_editing(void **state)
{
    (void)state;
    parsed p = parse("a: 1\nb: 2\nc: 3\n");
    gmc_node *b = gmc_node_find(p.root, "b"), *c = gmc_node_find(p.root, "c");
    gmc_node_remove(p.root, b);
    assert_null(gmc_node_find(p.root, "b"));
    assert_int_equal(p.root->count, 2);
    gmc_node *copy = gmc_node_copy(p.root, &p.arena);
    gmc_node_replace(p.root, c, b);
    assert_string_equal(gmc_node_find(p.root, "c")->text, "2");
    assert_ptr_equal(p.root->last, b);
    assert_string_equal(gmc_node_find(copy, "c")->text, "3");
    gmc_node_append(p.root, "d", (gmc_source){0}, c);
    assert_string_equal(gmc_node_find(p.root, "d")->text, "3");
    drop(&p);
}

int test_yaml(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_key_and_value_knows_its_place),
        cmocka_unit_test(test_columns_are_bytes_and_lines_are_the_editors),
        cmocka_unit_test(test_duplicate_keys_are_all_reported),
        cmocka_unit_test(test_aliases_are_copied),
        cmocka_unit_test(test_a_billion_laughs_are_refused_early),
        cmocka_unit_test(test_what_yaml_allows_and_we_do_not),
        cmocka_unit_test(test_broken_yaml_has_a_place_and_a_hint),
        cmocka_unit_test(test_nothing_is_no_tree),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_a_full_arena_is_said),
        cmocka_unit_test(test_editing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

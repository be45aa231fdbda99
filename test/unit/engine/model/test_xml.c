// XML trees: what stands where, and what is refused.
#include "engine/model/xml.h"
#include "test/support/cmocka.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static gmc_xml *parse(const char *text)
{
    gmc_diagnostics report = {0};
    gmc_xml *document = NULL;
    gmc_status status =
        gmc_xml_parse("a.xml", (const unsigned char *)text, strlen(text), &report, &document);
    if (status != GMC_OK) gmc_diagnostics_print(&report, stderr);
    assert_int_equal(status, GMC_OK);
    assert_int_equal(report.count, 0);
    return document;
}

static void refuse(const char *text, int line, int column, const char *part)
{
    gmc_diagnostics report = {0};
    gmc_xml *document = NULL;
    assert_int_equal(
        gmc_xml_parse("a.xml", (const unsigned char *)text, strlen(text), &report, &document),
        GMC_E_INPUT);
    assert_null(document);
    assert_int_equal(report.error_count, 1);
    if (!strstr(report.items[0].message, part)) gmc_diagnostics_print(&report, stderr);
    assert_non_null(strstr(report.items[0].message, part));
    assert_int_equal(report.items[0].source.line, line);
    assert_int_equal(report.items[0].source.column, column);
    gmc_diagnostics_free(&report);
}

static void assert_place(gmc_source source, int line, int column, int length)
{
    assert_string_equal(source.file, "a.xml");
    assert_int_equal(source.line, line);
    assert_int_equal(source.column, column);
    assert_int_equal(source.length, length);
}

static void keeps_places(void **state)
{
    (void)state;
    gmc_xml *document = parse(
        "<?xml version=\"0.0\" ?>\n<!-- <no a=\"1\"/> -->\n<robot name = 'r'\n\tkind=\"a>b\">\n"
        "  <link/><joint\n x=\"&lt;1\" y=''></joint>\n  <link  b=\"\xc3\xa4\"/>\n</robot>\n");
    const gmc_xml_element *root = gmc_xml_root(document);
    assert_string_equal(root->name, "robot");
    assert_place(root->source, 3, 1, 6);
    assert_place(gmc_xml_find(root, "name")->source, 3, 16, 1);
    assert_place(gmc_xml_find(root, "kind")->source, 4, 8, 3);
    assert_string_equal(gmc_xml_find(root, "kind")->value, "a>b");
    assert_null(gmc_xml_find(root, "none"));

    const gmc_xml_element *link = gmc_xml_child(root, "link"),
                          *joint = gmc_xml_child(root, "joint");
    assert_place(link->source, 5, 3, 5);
    assert_place(joint->source, 5, 10, 6);
    assert_string_equal(gmc_xml_find(joint, "x")->value, "<1");
    assert_place(gmc_xml_find(joint, "x")->source, 6, 5, 5);
    assert_place(gmc_xml_find(joint, "y")->source, 6, 15, 0);
    assert_ptr_equal(joint->parent, root);
    link = gmc_xml_next(link);
    assert_place(link->source, 7, 3, 5);
    assert_place(gmc_xml_find(link, "b")->source, 7, 13, 2); // bytes, not letters
    assert_null(gmc_xml_next(link));
    assert_null(gmc_xml_child(root, "Link"));
    gmc_xml_free(document);
}

static void refuses_bad_syntax(void **state)
{
    (void)state;
    refuse("", 1, 1, "no element found");
    refuse("hello", 1, 1, "syntax error");
    refuse("<a>\n  <b>\n</a>", 3, 3, "mismatched tag");
    refuse("<a x=\"1\" x=\"2\"/>", 1, 10, "duplicate attribute");
    refuse("<a>\n<b", 2, 1, "unclosed token");
    refuse("<a>&nbsp;</a>", 1, 4, "undefined entity");
    refuse("<a/><b/>", 1, 5, "junk after document element");
    refuse("<a \xff=\"1\"/>", 1, 4, "not well-formed");
}

static void refuses_entities(void **state)
{
    (void)state;
    refuse("<?xml version=\"1.0\"?>\n<!DOCTYPE a [<!ENTITY l \"lol\"><!ENTITY m "
           "\"&l;&l;\">]>\n<a>&m;</a>",
           2, 13, "document type");
    gmc_xml_free(parse("<!DOCTYPE robot><robot/>")); // says nothing, does no harm
}

static void refuses_too_much(void **state)
{
    (void)state;
    enum { LEVELS = 70, SIBLINGS = 50001 };
    char *text = calloc(1, 16 + 4 * SIBLINGS + 8);
    assert_non_null(text);
    for (int i = 0; i < LEVELS; i++)
        strcat(text, "<a>");
    refuse(text, 1, 3 * 64 + 1, "deeper than 64");
    char *at = text + sprintf(text, "<a>");
    for (int i = 0; i < SIBLINGS; i++)
        at += sprintf(at, "<b/>");
    sprintf(at, "</a>");
    refuse(text, 1, 0, "more than 50000 elements"); // columns beyond 32767 are not told
    free(text);
}

static void reads_other_encodings(void **state)
{
    (void)state;
    static const unsigned char utf16[] = {0xff, 0xfe, '<', 0,   'a', 0,   ' ', 0,   'b', 0,   '=',
                                          0,    '"',  0,   '1', 0,   '"', 0,   '/', 0,   '>', 0};
    gmc_diagnostics report = {0};
    gmc_xml *document = NULL;
    assert_int_equal(gmc_xml_parse("a.xml", utf16, sizeof utf16, &report, &document), GMC_OK);
    assert_string_equal(gmc_xml_find(gmc_xml_root(document), "b")->value, "1");
    assert_int_equal(gmc_xml_find(gmc_xml_root(document), "b")->source.line, 1);
    gmc_xml_free(document);
}

int test_xml(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_places),          cmocka_unit_test(refuses_bad_syntax),
        cmocka_unit_test(refuses_entities),      cmocka_unit_test(refuses_too_much),
        cmocka_unit_test(reads_other_encodings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "engine/base/status.h"
#include "sampling/language/preset.h"
#include "sampling/language/schema.h"
#include "sampling/language/yaml.h"
#include "test/support/near.h"

#include <string.h>

typedef struct reading {
    gmc_arena arena;
    gmc_diagnostics report;
    gmc_node *root;
} reading;

static void expand(reading *r, const char *text)
{
    *r = (reading){0};
    assert_int_equal(gmc_arena_create(&r->arena, 1 << 20), GMC_OK);
    assert_int_equal(
        gmc_yaml_parse(
            &(gmc_yaml_source){.text = text, .bytes = strlen(text), .file = "s.yaml", .folder = ""},
            &r->report, &r->arena, &r->root),
        GMC_OK);
    assert_int_equal(gmc_preset_expand(r->root, &r->report, &r->arena), GMC_OK);
}

static void end(reading *r)
{
    gmc_diagnostics_free(&r->report);
    gmc_arena_free(&r->arena);
}

static void every_preset_is_a_list_of_phases(void **state)
{
    (void)state;
    for (int i = 0; i < gmc_preset_count; i++) {
        reading r;
        char text[128];
        snprintf(text, sizeof text, "program:\n  - hold: {for: 1 s}\n  - preset: %s@%d\n",
                 gmc_presets[i].name, gmc_presets[i].version);
        expand(&r, text);
        assert_int_equal(r.report.count, 0);
        const gmc_node *program = gmc_node_find(r.root, "program");
        assert_true(program->count >= 2); // the hold, and a phase of the preset at least
        for (const gmc_node *n = program->first; n; n = n->next) {
            assert_int_equal(n->count, 1);
            assert_non_null(gmc_schema_find(GMC_SCHEMA_PHASE, n->first->key));
            assert_string_not_equal(n->first->key, "preset");
            assert_int_equal(n->source.line, n == program->first ? 2 : 3); // where it was asked for
        }
        for (int k = 0; k < i; k++)
            assert_false(strcmp(gmc_presets[k].name, gmc_presets[i].name) == 0 &&
                         gmc_presets[k].version == gmc_presets[i].version);
        end(&r);
    }
}

static void others_stay_in_their_order(void **state)
{
    (void)state;
    reading r;
    expand(&r, "program: [open: {}, preset: shake@1, close: {}, preset: shake@1, hold: {}]\n");
    const gmc_node *program = gmc_node_find(r.root, "program");
    assert_int_equal(program->count, 3 + 2 * 6);
    assert_string_equal(program->first->first->key, "open");
    assert_string_equal(program->last->first->key, "hold");
    end(&r);
}

static void what_is_wrong_is_said_once(void **state)
{
    (void)state;
    reading r;
    expand(&r, "program: [preset: shakes@1]\n");
    assert_int_equal(r.report.error_count, 1);
    assert_int_equal(gmc_preset_expand(r.root, &r.report, &r.arena), GMC_OK);
    assert_int_equal(r.report.error_count, 1);
    assert_string_equal(r.report.items[0].hint, "did you mean shake@1?");
    end(&r);
    static const char *const LEFT[] = {"program: {preset: shake@1}\n", "about: none\n",
                                       "program: [preset: [shake@1]]\n",
                                       "program: [{preset: shake@1, hold: {}}]\n"};
    for (int i = 0; i < GMC_COUNT(LEFT); i++) { // for the schema to complain of
        expand(&r, LEFT[i]);
        assert_int_equal(r.report.count, 0);
        end(&r);
    }
}

int test_preset(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_preset_is_a_list_of_phases),
        cmocka_unit_test(others_stay_in_their_order),
        cmocka_unit_test(what_is_wrong_is_said_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

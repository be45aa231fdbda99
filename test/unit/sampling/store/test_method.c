#include "sampling/build/prepare.h"
#include "sampling/store/describe.h"
#include "sampling/store/method.h"
#include "test/support/cmocka.h"

#include <stdio.h>
#include <string.h>

// Without a hand: nothing is read from disk.
static const char TEXT[] =
    "graspmc: 1\n"
    "object: {box: [50 mm, 50 mm, 50 mm], mass: 0.2 kg, surface: abs, placed: resting}\n"
    "scene: {table: {plane: {height: 0 mm}, surface: wood}}\n"
    "friction: {abs/wood: 0.4}\n"
    "program: [hold: {for: 0.1 s}]\n"
    "success: {at_end: [\"moved(object) <= 1 mm\"]}\n"
    "uncertain:\n"
    "  object.mass: nominal * uniform(0.5, 1.5)\n";

/// How a scenario asks for each.
static const struct asking {
    const char *word, *study, *sampling;
} ASKING[] = {{"ladder", "ladder: [geometric, dynamic]", NULL},
              {"rank", "rank: {best: 1, within: 10 %, budget: 4000}", NULL},
              {"subset", NULL, "subset: {runs: 8, per_level: 100}"},
              {"two_level", NULL, "two_level: {step: 8 ms, pilot: 20}"},
              {"importance", NULL, "importance: {object.mass: \"nominal * uniform(0.5, 1)\"}"},
              {"plain", NULL, NULL}};
enum { COUNT = GMC_COUNT(ASKING) };

static const char *text_or_none(const char *text) { return text ? text : ""; }

/// A scenario that asks for two of them, or twice for one.
static gmc_status prepare(const struct asking *a, const struct asking *b, gmc_diagnostics *report,
                          gmc_prepared *prepared)
{
    char text[2048], study[256] = "", sampling[256] = "";
    bool is_one = a == b;
    if (a->study || b->study) // of two cases
        snprintf(study, sizeof study, "study: {vary: {friction.abs/wood: [0.2, 0.4]}, %s%s%s}\n",
                 text_or_none(a->study), a->study && !is_one && b->study ? ", " : "",
                 is_one ? "" : text_or_none(b->study));
    snprintf(sampling, sizeof sampling, "sampling: {seed: 3%s%s%s%s}\n", a->sampling ? ", " : "",
             text_or_none(a->sampling), !is_one && b->sampling ? ", " : "",
             is_one ? "" : text_or_none(b->sampling));
    snprintf(text, sizeof text, "%s%s%s", TEXT, study, sampling);
    return gmc_prepare_text("test.yaml", text, NULL, report, prepared);
}

static void a_plan_has_the_method_that_its_scenario_asks_for(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT; i++) {
        gmc_diagnostics report = {0};
        gmc_prepared prepared = {0};
        gmc_description made;
        gmc_status status = prepare(&ASKING[i], &ASKING[i], &report, &prepared);
        if (status != GMC_OK) gmc_diagnostics_print(&report, stdout);
        assert_int_equal(status, GMC_OK);
        gmc_describe_options options = {.count = gmc_rollouts_total(&prepared.scenario),
                                        .level = 0.95};
        assert_int_equal(
            gmc_describe_run(&prepared.scenario, prepared.build, &options, &report, &made), GMC_OK);
        assert_string_equal(gmc_store_method_asked(&prepared.scenario)->word, ASKING[i].word);
        assert_string_equal(gmc_store_method_of(&made.plan)->word, ASKING[i].word);
        gmc_description_free(&made);
        gmc_prepared_free(&prepared);
        gmc_diagnostics_free(&report);
    }
}

static void a_scenario_that_asks_for_two_is_refused(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT - 1; i++)
        for (int k = i + 1; k < COUNT - 1; k++) {
            gmc_diagnostics report = {0};
            gmc_prepared prepared = {0};
            gmc_status status = prepare(&ASKING[i], &ASKING[k], &report, &prepared);
            if (status == GMC_OK) printf("%s and %s\n", ASKING[i].word, ASKING[k].word);
            assert_int_equal(status, GMC_E_INPUT);
            gmc_prepared_free(&prepared);
            gmc_diagnostics_free(&report);
        }
}

/// Where one function of a table is of use only with another.
static void tables_are_whole(void **state)
{
    (void)state;
#define METHOD(word) &gmc_store_method_##word,
    static const gmc_store_method *const METHODS[] = {GMC_STORE_METHODS(METHOD)};
#undef METHOD
    for (int i = 0; i < GMC_COUNT(METHODS); i++) {
        const gmc_store_method *m = METHODS[i];
        assert_non_null(m->is_asked);
        assert_non_null(m->describe);
        assert_non_null(m->is_planned);
        assert_int_equal(m->chooser != NULL, m->key && m->attribute && m->asker);
        assert_int_equal(m->chooser != NULL, m->rounds != NULL);
        assert_int_equal(m->chooser != NULL, m->picker != NULL);
        assert_int_equal(m->create != NULL, m->clear != NULL);
        assert_true(m->has_no_total ? m->of_case && !m->total : m->total != NULL);
    }
}

int test_method(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plan_has_the_method_that_its_scenario_asks_for),
        cmocka_unit_test(a_scenario_that_asks_for_two_is_refused),
        cmocka_unit_test(tables_are_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

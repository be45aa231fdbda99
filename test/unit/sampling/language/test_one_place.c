// A fact of a law stands in its own table: what the scenario language says of settings, steppers,
// solvers and motions is what the tables say.
#include "engine/contact/law.h"
#include "engine/contact/stepper.h"
#include "sampling/language/schema.h"
#include "sampling/language/units.h"
#include "test/support/cmocka.h"

#include <stdio.h>
#include <string.h>

static bool is_same(const char *a, const char *b) { return a && b ? strcmp(a, b) == 0 : a == b; }

static bool is_same_kind(const gmc_schema_row *row, const gmc_setting *setting)
{
    if (setting->words) return row->type == GMC_TYPE_WORD;
    return row->type == (setting->is_whole ? GMC_TYPE_INTEGER : GMC_TYPE_NUMBER);
}

/// Does the text of the default mean the number that a step takes, in the row's unit?
static bool is_same_default(const gmc_schema_row *row, const gmc_setting *setting)
{
    gmc_quantity read;
    const char *end;
    if (setting->words) return gmc_setting_default(setting) >= 0;
    if (gmc_units_read(setting->text, &read, &end) != GMC_UNITS_OK || *end) return false;
    return read.value == setting->value && gmc_units_fits(row->dimension, read.exponents, NULL) &&
           gmc_setting_default(setting) == setting->value;
}

/// What differs between a row and the setting; NULL: nothing.
static const char *difference(const gmc_schema_row *row, const gmc_setting *setting)
{
    if (!is_same(row->key, setting->key)) return "key";
    if (!is_same_kind(row, setting)) return "kind";
    if (!is_same(row->words, setting->words)) return "words";
    if (row->lower != setting->lower || row->upper != setting->upper) return "range";
    if (row->fallback || !is_same_default(row, setting)) return "default";
    if (!setting->words && !(setting->value >= row->lower && setting->value <= row->upper))
        return "default out of range";
    if (!is_same(row->about, setting->about) || !strstr(row->about, setting->text)) return "about";
    return NULL;
}

static void test_rows_are_the_settings(void **state)
{
    (void)state;
    int count = 0;
    for (int i = 0; gmc_steppers[i]; i++) {
        const gmc_stepper *stepper = gmc_steppers[i];
        assert_in_range(stepper->setting_count, 0, GMC_SETTING_MAX);
        for (int k = 0; k < stepper->setting_count; k++, count++) {
            const gmc_setting *setting = &stepper->settings[k];
            const gmc_schema_row *row = gmc_schema_find(GMC_SCHEMA_SIMULATION, setting->key);
            assert_non_null(row);
            const char *what = difference(row, setting);
            if (what) fail_msg("%s: %s of %s differs", stepper->name, what, setting->key);
            assert_int_equal(gmc_stepper_setting(stepper, setting->key), k);
        }
    }
    assert_true(count >= 8);
}

/// Laws that have a key in common mean the same by it.
static void test_a_key_is_one_setting(void **state)
{
    (void)state;
    for (int i = 0; gmc_steppers[i]; i++)
        for (int k = 0; k < i; k++)
            for (int n = 0; n < gmc_steppers[i]->setting_count; n++) {
                const gmc_setting *setting = &gmc_steppers[i]->settings[n];
                int other = gmc_stepper_setting(gmc_steppers[k], setting->key);
                if (other >= 0) assert_ptr_equal(setting, &gmc_steppers[k]->settings[other]);
            }
}

/// Facts that stand in two places, and differ, are noticed.
static void test_differences_are_seen(void **state)
{
    (void)state;
    const gmc_stepper *stepper = gmc_stepper_find("anitescu_potra");
    const gmc_setting *shell = &stepper->settings[gmc_stepper_setting(stepper, "shell")];
    const gmc_setting *word = &stepper->settings[gmc_stepper_setting(stepper, "time_of_contact")];
    const gmc_schema_row right = *gmc_schema_find(GMC_SCHEMA_SIMULATION, "shell");
    const gmc_schema_row choice = *gmc_schema_find(GMC_SCHEMA_SIMULATION, "time_of_contact");
    gmc_schema_row wrong = right;
    gmc_setting other = *shell;
    assert_null(difference(&right, shell));
    wrong.upper *= 2;
    assert_string_equal(difference(&wrong, shell), "range");
    wrong = right;
    wrong.dimension = GMC_DIM_TIME;
    assert_string_equal(difference(&wrong, shell), "default");
    other.text = "0.2 mm"; // the number is still 0.1 mm
    assert_string_equal(difference(&right, &other), "default");
    other = *shell;
    other.text = "1 m", other.value = 1;
    assert_string_equal(difference(&right, &other), "default out of range");
    wrong = right;
    wrong.about = "the distance at which bodies touch (default 0.2 mm)";
    assert_string_equal(difference(&wrong, shell), "about");
    wrong = choice;
    wrong.words = "bisect|nothing";
    assert_string_equal(difference(&wrong, word), "words");
    other = *word;
    other.text = "cut";
    assert_string_equal(difference(&choice, &other), "default");
}

/// Words of `table`, in any order, are those of `words`.
static void same_words(const char *words, const char *const *table)
{
    int count = 0, bars = 1;
    for (; table[count]; count++)
        assert_true(gmc_setting_word(words, table[count]) >= 0);
    for (const char *p = words; *p; p++)
        bars += *p == '|';
    assert_int_equal(count, bars);
}

static void test_words_are_those_of_the_tables(void **state)
{
    (void)state;
    const char *steppers[16] = {NULL}, *solvers[32] = {NULL}, *motions[8] = {NULL};
    int solver_count = 0;
    for (int i = 0; gmc_steppers[i]; i++) {
        steppers[i] = gmc_steppers[i]->name;
        for (const char *const *name = gmc_steppers[i]->solvers; *name; name++) {
            bool is_known = false;
            for (int k = 0; k < solver_count; k++)
                is_known = is_known || strcmp(solvers[k], *name) == 0;
            if (!is_known) solvers[solver_count++] = *name;
        }
    }
    for (int m = 0; m < GMC_MOTION_COUNT; m++)
        motions[m] = gmc_motion_name((gmc_motion)m);
    static const gmc_schema_group GROUPS[] = {GMC_SCHEMA_SIMULATION, GMC_SCHEMA_LEVEL,
                                              GMC_SCHEMA_TWO_LEVEL};
    for (int g = 0; g < GMC_COUNT(GROUPS); g++) {
        same_words(gmc_schema_find(GROUPS[g], "stepper")->words, steppers);
        same_words(gmc_schema_find(GROUPS[g], "motion")->words, motions);
    }
    const gmc_schema_row *stepper = gmc_schema_find(GMC_SCHEMA_SIMULATION, "stepper");
    const gmc_schema_row *solver = gmc_schema_find(GMC_SCHEMA_SIMULATION, "solver");
    same_words(solver->words, solvers);
    assert_string_equal(stepper->fallback, gmc_steppers[0]->name);
    assert_string_equal(solver->fallback, gmc_steppers[0]->solvers[0]);
    for (int i = 0; gmc_steppers[i]; i++)
        assert_non_null(strstr(stepper->about, gmc_steppers[i]->about));
}

static void test_levels_mean_laws(void **state)
{
    (void)state;
    for (int i = 0; i < gmc_ladder_word_count; i++) {
        const gmc_ladder_word *word = &gmc_ladder_words[i];
        const gmc_stepper *stepper = word->stepper ? gmc_stepper_find(word->stepper) : NULL;
        if (!word->stepper) continue;
        assert_non_null(stepper);
        assert_true(gmc_motion_find(word->motion) < GMC_MOTION_COUNT);
        assert_true(stepper->knows[gmc_motion_find(word->motion)]);
    }
}

int test_one_place(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_are_the_settings),
        cmocka_unit_test(test_a_key_is_one_setting),
        cmocka_unit_test(test_differences_are_seen),
        cmocka_unit_test(test_words_are_those_of_the_tables),
        cmocka_unit_test(test_levels_mean_laws),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

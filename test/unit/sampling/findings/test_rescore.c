// Criteria over the columns of stored trials: what they say, which names they know, and what rows
// that were cut short leave open.
#include "sampling/findings/rescore.h"
#include "sampling/store/plan.h"
#include "test/support/cmocka_all.h"

#include <math.h>
#include <string.h>

enum {
    LIFT_END = GMC_COLUMN_FIXED_COUNT,
    SLIP_MOST,
    HEIGHT_LEAST,
    TILT_END,
    FORCE_END,
    NEEDED,
    SLIPPED,
    COLUMNS
};

static gmc_column columns[COLUMNS];
static double values[COLUMNS];
static gmc_trial trial;

static int set_up(void **state)
{
    (void)state;
    memcpy(columns, gmc_fixed_columns, sizeof gmc_fixed_columns);
    columns[LIFT_END] = (gmc_column){.name = "lift(object)", .unit = "m"};
    columns[SLIP_MOST] = (gmc_column){.name = "max(slip(object, hand))", .unit = "m"};
    columns[HEIGHT_LEAST] = (gmc_column){.name = "min(height(object))", .unit = "m"};
    columns[TILT_END] = (gmc_column){.name = "tilted(object)", .unit = "rad"};
    columns[FORCE_END] = (gmc_column){.name = "force(object, hand)", .unit = "N"};
    columns[NEEDED] = (gmc_column){.name = "friction_needed(rubber/abs)", .unit = "1"};
    columns[SLIPPED] = (gmc_column){.name = "slipped(rubber/abs)", .unit = "1"};
    return 0;
}

// A whole trial: 80 mm up, slipped by 4 mm, 25 N at most.
static int start_trial(void **state)
{
    (void)state;
    memset(values, 0, sizeof values);
    values[GMC_COLUMN_LIFT] = values[LIFT_END] = 0.08;
    values[GMC_COLUMN_SLIP] = values[SLIP_MOST] = 0.004;
    values[GMC_COLUMN_MAX_FORCE] = 25;
    values[GMC_COLUMN_MOVED] = 0.09;
    values[GMC_COLUMN_STEPS] = 900;
    values[GMC_COLUMN_T_VIOLATED] = values[GMC_COLUMN_T_DECIDED] = (double)NAN;
    values[HEIGHT_LEAST] = 0.02;
    values[TILT_END] = 0.1;
    values[FORCE_END] = 20;
    values[NEEDED] = 0.3;
    trial = (gmc_trial){.trial = 12,
                        .case_index = 2,
                        .draw = 4,
                        .outcome = GMC_OUTCOME_SUCCESS,
                        .phase = 3,
                        .t_end = 1.8,
                        .values = values};
    return 0;
}

/// It hangs in the hand, and swings there.
static void swing(void) { values[GMC_COLUMN_SLIP_ANGLE] = 0.8; }

static gmc_outcome judge(const char *text, gmc_decision *cut_by)
{
    gmc_diagnostics report = {0};
    gmc_rescore *rescore = NULL;
    gmc_status status = gmc_rescore_open(text, columns, COLUMNS, &report, &rescore);
    if (status != GMC_OK)
        fail_msg("%s: refused: %s", text, report.count > 0 ? report.items[0].message : "?");
    assert_string_equal(gmc_rescore_text(rescore), text);
    gmc_outcome outcome = gmc_rescore_judge(rescore, &trial, cut_by);
    gmc_rescore_close(rescore);
    gmc_diagnostics_free(&report);
    return outcome;
}

static void expect(const char *text, gmc_outcome wanted, gmc_decision wanted_cut)
{
    gmc_decision cut_by = GMC_DECISION_COUNT;
    gmc_outcome found = judge(text, &cut_by);
    if (found != wanted || cut_by != wanted_cut)
        fail_msg("%s: %s cut by %s, expected %s cut by %s", text, gmc_outcome_name(found),
                 gmc_decision_name(cut_by), gmc_outcome_name(wanted),
                 gmc_decision_name(wanted_cut));
}

static void cut_short(gmc_decision rule)
{
    values[GMC_COLUMN_DECIDED_BY] = rule;
    values[GMC_COLUMN_T_DECIDED] = trial.t_end;
    if (rule == GMC_DECISION_BROKEN) values[GMC_COLUMN_T_VIOLATED] = trial.t_end;
    if (rule == GMC_DECISION_BROKEN) trial.outcome = GMC_OUTCOME_VIOLATED;
}

static void whole_trials_are_judged_by_their_rows(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool holds;
    } CASES[] = {
        {"slip <= 5 mm and lift >= 60 mm", true},
        {"slip <= 3 mm and lift >= 60 mm", false},
        {"slip <= 3 mm or lift >= 60 mm", true},
        {"slip < 0.004", false}, // a number without a unit is SI
        {"slip <= 0.004", true},
        {"max_force < 40 N", true},
        {"not max_force < 0.02 kN", true},
        {"lift(object) >= 8 cm", true},
        {"max(slip(object, hand)) <= 4 mm", true},
        {"max(slip( object,hand ) ) <= 3.9 mm", false}, // blanks in brackets are free
        {"max (slip, 5 mm) > 4.5 mm", true},            // the function, for no column is spelt so
        {"max(max(slip(object, hand)), lift) >= 80 mm", true},
        {"min(height(object)) >= 20 mm", true},
        {"tilted(object) < 6 deg", true},
        {"friction_needed(rubber/abs) < 0.5 and not slipped(rubber/abs)", true},
        {"slipped(rubber/abs)", false},
        {"success and moved < 10 cm", true},
        {"t_end < 1.8 s or phase >= 3", true},
        {"draw >= 4 and case <= 2 and trial > 11", true},
        {"t_violated >= 0 s", false}, // NaN: never
        {"not t_violated >= 0 s", true},
        {"lift / slip > 10", true},
    };
    for (int i = 0; i < GMC_COUNT(CASES); i++)
        expect(CASES[i].text, CASES[i].holds ? GMC_OUTCOME_SUCCESS : GMC_OUTCOME_MISSED,
               GMC_DECISION_END);
    trial.outcome = GMC_OUTCOME_VIOLATED; // by the scenario's criteria, which are not asked
    expect("slip <= 5 mm", GMC_OUTCOME_SUCCESS, GMC_DECISION_END);
    expect("success", GMC_OUTCOME_MISSED, GMC_DECISION_END);
}

static void unsolved_and_lost_stay_so(void **state)
{
    (void)state;
    trial.outcome = GMC_OUTCOME_UNSOLVED;
    expect("slip <= 5 mm", GMC_OUTCOME_UNSOLVED, GMC_DECISION_END);
    trial.outcome = GMC_OUTCOME_LOST;
    expect("slip <= 5 mm", GMC_OUTCOME_LOST, GMC_DECISION_END);
    cut_short(GMC_DECISION_FALLING);
    expect("slip <= 5 mm", GMC_OUTCOME_LOST, GMC_DECISION_END);
}

static void what_was_cut_short_is_judged_as_far_as_it_is_known(void **state)
{
    (void)state;
    enum { YES = GMC_OUTCOME_SUCCESS, NO = GMC_OUTCOME_MISSED, OPEN = GMC_OUTCOME_UNSOLVED };
    static const struct {
        const char *text;
        int broken, rest, borne;
    } CASES[] = {
        {"slip <= 3 mm", NO, NO, NO},
        {"slip <= 5 mm", OPEN, YES, YES},
        {"slip > 3 mm", OPEN, YES, YES}, // it may leave the workspace yet, and is lost then
        {"max(slip(object, hand)) <= 5 mm", OPEN, YES, YES},
        {"max(slip(object, hand)) <= 3 mm and lift >= 1 m", NO, NO, NO},
        {"lift >= 60 mm", OPEN, YES, YES},
        {"lift(object) >= 90 mm", OPEN, NO, NO},
        {"min(height(object)) >= 30 mm", NO, NO, NO},
        {"min(height(object)) >= 10 mm", OPEN, YES, YES},
        {"moved < 10 cm", OPEN, YES, OPEN},
        {"tilted(object) < 6 deg", OPEN, YES, OPEN},
        {"force(object, hand) > 10 N", OPEN, YES, OPEN}, // it carries the rest of the shake
        {"max_force < 20 N", NO, NO, NO},
        {"max_force < 40 N", OPEN, YES, YES}, // the hardest pulls are behind
        {"max_joint_effort < 1", OPEN, YES, YES},
        {"max_penetration < 1 mm", OPEN, YES, OPEN},
        {"max_force < 40 N or slip > 3 mm", OPEN, YES, YES},
        {"max_force - slip * 1 N / 1 m < 20 N", OPEN, NO, NO},
        {"-slip >= -3 mm", NO, NO, NO},
        {"slip * slip > 9e-6 m2", OPEN, YES, YES},
        {"1 m / slip > 300", NO, NO, NO},
        {"friction_needed(rubber/abs) < 0.2", NO, NO, NO},
        {"steps < 1000", OPEN, OPEN, OPEN},
        {"t_end < 1 s", NO, NO, NO},
        {"success and slip <= 5 mm", NO, YES, YES},
        {"not success", OPEN, NO, NO},
        {"trial >= 12 and draw <= 4", OPEN, YES, YES},
    };
    for (int i = 0; i < GMC_COUNT(CASES); i++) {
        const int wanted[] = {CASES[i].broken, CASES[i].rest, CASES[i].borne};
        const gmc_decision rules[] = {GMC_DECISION_BROKEN, GMC_DECISION_REST, GMC_DECISION_BORNE};
        for (int k = 0; k < GMC_COUNT(rules); k++) {
            start_trial(NULL);
            cut_short(rules[k]);
            expect(CASES[i].text, (gmc_outcome)wanted[k],
                   wanted[k] == OPEN ? rules[k] : GMC_DECISION_END);
            // an audit carried it to its end: everything is known
            values[GMC_COLUMN_AUDIT] = GMC_AUDIT_RIGHT;
            gmc_decision cut = GMC_DECISION_COUNT;
            assert_int_not_equal(judge(CASES[i].text, &cut), GMC_OUTCOME_UNSOLVED);
            assert_int_equal(cut, GMC_DECISION_END);
        }
    }
}

static void what_swings_in_the_hand_is_not_over_when_a_shake_is_borne(void **state)
{
    (void)state;
    enum { YES = GMC_OUTCOME_SUCCESS, NO = GMC_OUTCOME_MISSED, OPEN = GMC_OUTCOME_UNSOLVED };
    static const struct {
        const char *text;
        int verdict;
    } CASES[] = {{"slip <= 3 mm", NO},         {"slip <= 5 mm", OPEN},
                 {"slip_angle < 1 rad", OPEN}, {"slip_angle < 0.5 rad", NO},
                 {"lift >= 60 mm", OPEN},      {"max_force < 40 N", YES}};
    for (int i = 0; i < GMC_COUNT(CASES); i++) {
        start_trial(NULL);
        cut_short(GMC_DECISION_BORNE);
        swing();
        expect(CASES[i].text, (gmc_outcome)CASES[i].verdict,
               CASES[i].verdict == OPEN ? GMC_DECISION_BORNE : GMC_DECISION_END);
    }
    start_trial(NULL);
    cut_short(GMC_DECISION_REST); // nothing moves
    swing();
    expect("slip_angle < 1 rad and lift >= 60 mm", GMC_OUTCOME_SUCCESS, GMC_DECISION_END);
}

// A number in [0, 1) from a counter.
static double chance(uint64_t *counter)
{
    uint64_t z = (*counter += 0x9e3779b97f4a7c15u); // splitmix64
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

// Whatever followed: a verdict over a row that was cut short is that over the whole trial.
static void what_is_said_of_a_cut_trial_holds_however_it_went_on(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {
        "slip <= 5 mm and max_force < 20 N",
        "not (slip > 5 mm or lift < 20 mm)",
        "abs(slip - 4 mm) < 2 mm or max_force > 30 N",
        "sqrt(slip * max_force / 1 N * 1 m) < 0.3 m",
        "min(slip, 3 mm) < 2 mm",
        "max(lift, slip) > 3 mm",
        "slip / min(height(object)) < 0.5",
        "max_force * lift > 0.5 N*m or -max_force < -30 N",
    };
    uint64_t counter = 7;
    int known = 0, all = 0;
    for (int i = 0; i < GMC_COUNT(TEXTS); i++)
        for (int repeat = 0; repeat < 300; repeat++, all++) {
            start_trial(NULL);
            cut_short(GMC_DECISION_BROKEN);
            values[GMC_COLUMN_SLIP] = 0.01 * chance(&counter);
            values[GMC_COLUMN_MAX_FORCE] = 40 * chance(&counter);
            values[HEIGHT_LEAST] = 0.03 * chance(&counter);
            gmc_decision cut;
            gmc_outcome verdict = judge(TEXTS[i], &cut);
            if (verdict == GMC_OUTCOME_UNSOLVED) continue;
            known++;
            values[GMC_COLUMN_AUDIT] = GMC_AUDIT_RIGHT;
            for (int end = 0; end < 5; end++) {
                values[GMC_COLUMN_SLIP] += 0.004 * chance(&counter);
                values[GMC_COLUMN_MAX_FORCE] += 10 * chance(&counter);
                values[HEIGHT_LEAST] -= 0.02 * chance(&counter);
                values[GMC_COLUMN_LIFT] = 0.2 * chance(&counter) - 0.1;
                expect(TEXTS[i], verdict, GMC_DECISION_END);
            }
        }
    assert_true(known > all / 10);
    assert_true(known < all); // neither nothing nor everything is said
}

static void mistakes_have_their_place(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int column, length;
        const char *message, *hint;
    } CASES[] = {
        {"slp <= 5 mm", 1, 3, "unknown column slp", "did you mean slip?"},
        {"lift >= 60 mm and max_forse < 40 N", 19, 9, "unknown column max_forse",
         "did you mean max_force?"},
        {"slip(object, hand) <= 5 mm", 1, 18, "unknown column slip(object, hand)",
         "did you mean max(slip(object, hand))?"},
        {"lift(cube) > 0", 1, 10, "unknown column lift(cube)", "names: lift, slip, "},
        {"colour > 3", 1, 6, "unknown column colour", "tilted(object)"},
        {"lift >= 3 deg", 6, 2, "the left side is in m, the right side in rad", NULL},
        {"max(slip(object, hand)) < 4 N", 25, 1, "the left side is in m, the right side in N",
         NULL},
        {"lift >= 3 parsec", 11, 6, "unknown unit parsec", NULL},
        {"lift", 1, 4, "expected a condition", "for example slip <= 5 mm"},
        {"lift >= 60 mm slip", 15, 4, "expected the end of the condition, found slip", NULL},
        {"lift >=", 8, 1, "expected a column or a number, found the end", NULL},
        {" ", 2, 1, "expected a column or a number, found the end", NULL},
        {"lift == 1 mm", 6, 2, "never exactly equal", "<= or >="},
        {"(lift > 0", 10, 1, "expected ), found the end", NULL},
    };
    for (int i = 0; i < GMC_COUNT(CASES); i++) {
        gmc_diagnostics report = {0};
        gmc_rescore *rescore = NULL;
        gmc_status status = gmc_rescore_open(CASES[i].text, columns, COLUMNS, &report, &rescore);
        if (status != GMC_E_INPUT || report.count != 1 || rescore)
            fail_msg("taken: %s", CASES[i].text);
        const gmc_diagnostic *d = &report.items[0];
        if (!strstr(d->message, CASES[i].message))
            fail_msg("%s: said %s", CASES[i].text, d->message);
        if (CASES[i].hint && (!d->hint || !strstr(d->hint, CASES[i].hint)))
            fail_msg("%s: hint %s", CASES[i].text, d->hint ? d->hint : "none");
        assert_string_equal(d->source.file, "--success");
        if (d->source.column != CASES[i].column || d->source.length != CASES[i].length)
            fail_msg("%s: at %d, %d long", CASES[i].text, d->source.column, d->source.length);
        gmc_diagnostics_free(&report);
    }
}

static const gmc_store_parameter PARAMETERS[] = {{.name = "object.mass", .unit = "kg"},
                                                 {.name = "friction.rubber/abs", .unit = "1"}};
static double drawn[] = {0.2, 0.35};

/// What the row says of a number.
static gmc_interval range_of(const char *text)
{
    gmc_diagnostics report = {0};
    gmc_rescore *rescore = NULL;
    const gmc_rescore_names names = {.columns = columns,
                                     .column_count = COLUMNS,
                                     .parameters = PARAMETERS,
                                     .parameter_count = GMC_COUNT(PARAMETERS),
                                     .option = "--quantile",
                                     .is_number = true};
    trial.samples = drawn;
    assert_int_equal(gmc_rescore_open_where(text, &names, &report, &rescore), GMC_OK);
    gmc_interval range = gmc_rescore_range(rescore, &trial);
    gmc_rescore_close(rescore);
    gmc_diagnostics_free(&report);
    return range;
}

static void a_number_is_known_as_far_as_the_trial_went(void **state)
{
    (void)state;
    gmc_interval whole = range_of("slip");
    assert_true(whole.lower == 0.004);
    assert_true(whole.upper == 0.004);
    assert_true(isnan(range_of("t_violated").lower)); // it has none
    cut_short(GMC_DECISION_BROKEN);
    gmc_interval rising = range_of("slip"), falling = range_of("min(height(object))");
    assert_true(rising.lower == 0.004);
    assert_true(rising.upper == HUGE_VAL);
    assert_true(falling.lower == -HUGE_VAL);
    assert_true(falling.upper == 0.02);
    assert_true(range_of("0 - slip").upper == -0.004);
    gmc_interval at_end = range_of("lift");
    assert_true(at_end.lower == -HUGE_VAL);
    assert_true(at_end.upper == HUGE_VAL);
    gmc_interval drawn_for_it = range_of("object.mass");
    assert_true(drawn_for_it.lower == 0.2);
    assert_true(drawn_for_it.upper == 0.2);
    trial.outcome = GMC_OUTCOME_UNSOLVED; // what it had measured may be what went wrong
    static const char *const UNKNOWN[] = {"slip",    "t_end",    "phase",
                                          "success", "is_whole", "slip * object.mass"};
    for (int i = 0; i < GMC_COUNT(UNKNOWN); i++)
        assert_true(range_of(UNKNOWN[i]).lower == -HUGE_VAL);
    // ... but not what was drawn before
    gmc_interval ratio = range_of("object.mass / friction.rubber/abs"), draw = range_of("draw");
    assert_true(ratio.lower == 0.2 / 0.35);
    assert_true(ratio.upper == ratio.lower);
    assert_true(draw.lower == 4);
    assert_true(draw.upper == 4);
}

int test_rescore(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(whole_trials_are_judged_by_their_rows, start_trial),
        cmocka_unit_test_setup(a_number_is_known_as_far_as_the_trial_went, start_trial),
        cmocka_unit_test_setup(unsolved_and_lost_stay_so, start_trial),
        cmocka_unit_test_setup(what_was_cut_short_is_judged_as_far_as_it_is_known, start_trial),
        cmocka_unit_test_setup(what_swings_in_the_hand_is_not_over_when_a_shake_is_borne,
                               start_trial),
        cmocka_unit_test(what_is_said_of_a_cut_trial_holds_however_it_went_on),
        cmocka_unit_test(mistakes_have_their_place),
    };
    return cmocka_run_group_tests_name("rescore", tests, set_up, NULL);
}

// When a verdict may be given before the end, when not, and that an audit sees one that is wrong.
#include "engine/early.h"
#include "test/support/near.h"
#include "test/support/rolling.h"

#include <string.h>

static gmc_rolling rolling;

static int open_rolling(void **state)
{
    (void)state;
    gmc_rolling_open(&rolling);
    return 0;
}

static int close_rolling(void **state)
{
    (void)state;
    gmc_rolling_close(&rolling);
    return 0;
}

static void play(const char *text, bool is_decided_early, bool is_audited)
{
    rolling.is_decided_early = is_decided_early;
    rolling.is_audited = is_audited;
    gmc_rolling_play(&rolling, text, NULL);
}

static gmc_decision decided_by(void)
{
    return (gmc_decision)gmc_rolling_value(&rolling, "decided_by");
}

static const char PINCH[] =
    "graspmc: 1\n"
    "hand: {urdf: jaw.urdf, frame: tcp, surface: rubber}\n"
    "object: {box: [40 mm, 50 mm, 40 mm], mass: 0.2 kg, surface: abs, placed: resting}\n"
    "scene: {table: {plane: {}, surface: wood}}\n"
    "friction: {rubber/abs: %s, abs/wood: 0.4, rubber/wood: 0.5}\n"
    "program:\n"
    "  - close: {force: 10 N, until: stalled, at_most: 0.4 s}\n"
    "  - hold:  {for: 0.2 s}\n"
    "  - lift:  {by: 50 mm, in: 0.3 s}\n"
    "  - hold:  {for: 0.5 s}\n"
    "  - hold:  {for: 0.5 s}\n"
    "success: {at_end: [%s], always: ['slip(object, hand) <= 5 mm']}\n"
    "simulation: {%s}\n";

static const char *pinch(const char *friction, const char *criterion, const char *simulation)
{
    static char text[2048];
    snprintf(text, sizeof text, PINCH, friction, criterion, simulation);
    return text;
}

static void rest_decides_only_where_the_program_holds_to_its_end(void **state)
{
    (void)state;
    play(pinch("0.5", "lift(object) >= 40 mm", ""), false, false);
    gmc_rollout_result full = rolling.result;
    double lift = gmc_rolling_value(&rolling, "lift"), slip = gmc_rolling_value(&rolling, "slip");
    assert_int_equal(decided_by(), GMC_DECISION_END);
    assert_true(isnan(gmc_rolling_value(&rolling, "t_decided")));

    play(pinch("0.5", "lift(object) >= 40 mm", ""), true, false);
    assert_int_equal(decided_by(), GMC_DECISION_REST);
    assert_int_equal(rolling.result.outcome, GMC_OUTCOME_SUCCESS);
    assert_int_equal(rolling.result.phase, 3); // not in the hold before the lift
    assert_true(rolling.result.t_end < full.t_end - 0.9);
    ASSERT_NEAR(gmc_rolling_value(&rolling, "t_decided"), rolling.result.t_end, 0);
    // what is measured is what would have been: 1e-4 m/s, halved every 10 ms
    ASSERT_NEAR(gmc_rolling_value(&rolling, "lift"), lift, 2e-6);
    ASSERT_NEAR(gmc_rolling_value(&rolling, "slip"), slip, 2e-6);
}

static void each_rule_can_be_switched_off(void **state)
{
    (void)state;
    play(pinch("0.5", "lift(object) >= 40 mm", "early: {rest: false}"), true, false);
    assert_int_equal(decided_by(), GMC_DECISION_END);
    play(pinch("0.01", "lift(object) >= 40 mm", "early: {rest: false, broken: false}"), true,
         false);
    assert_int_equal(decided_by(), GMC_DECISION_END);
    assert_int_equal(rolling.result.outcome, GMC_OUTCOME_VIOLATED);
    assert_int_equal(rolling.result.phase, 5);
}

static void a_broken_criterion_ends_the_trial(void **state)
{
    (void)state;
    play(pinch("0.01", "lift(object) >= 40 mm", ""), true, false);
    assert_int_equal(decided_by(), GMC_DECISION_BROKEN);
    assert_int_equal(rolling.result.outcome, GMC_OUTCOME_VIOLATED);
    ASSERT_NEAR(rolling.result.t_end, gmc_rolling_value(&rolling, "t_violated"), 0);
    assert_int_equal(rolling.result.phase, 2);
    // without that rule it is decided all the same once the box lies still again, as a failure
    play(pinch("0.01", "lift(object) >= -1 m", "early: {broken: false}"), true, false);
    assert_int_equal(decided_by(), GMC_DECISION_REST);
    assert_int_equal(rolling.result.outcome, GMC_OUTCOME_VIOLATED);
}

// A threshold that the last motion still has to pass: the verdict waits for it.
static void motion_that_matters_delays_the_verdict(void **state)
{
    (void)state;
    play(pinch("0.5", "lift(object) >= 40 mm", ""), true, false);
    double at_once = rolling.result.t_end;
    play(pinch("0.5", "speed(object) <= 1e-12 m/s", ""), false, false);
    assert_int_equal(rolling.result.outcome, GMC_OUTCOME_SUCCESS);
    play(pinch("0.5", "speed(object) <= 1e-12 m/s", ""), true, false);
    assert_int_equal(rolling.result.outcome, GMC_OUTCOME_SUCCESS);
    assert_int_equal(decided_by(), GMC_DECISION_REST);
    assert_true(rolling.result.t_end > at_once);
}

static void what_slides_is_not_at_rest(void **state)
{
    (void)state;
    static const char SLIDING[] =
        "graspmc: 1\n"
        "object: {box: [40 mm, 40 mm, 20 mm], mass: 0.2 kg, surface: s, placed: resting}\n"
        "scene: {table: {plane: {}, surface: s}}\n"
        "friction: {s/s: %s}\n"
        "gravity: [3 m/s2, 0 m/s2, -9.81 m/s2]\n" // tan 0.306
        "program: [{hold: {for: 1 s}}]\n"
        "success: {at_end: [moved(object) <= 1 mm]}\n";
    char text[1024];
    snprintf(text, sizeof text, SLIDING, "0.305");
    play(text, true, false);
    assert_int_equal(decided_by(), GMC_DECISION_END);
    assert_int_equal(rolling.result.outcome, GMC_OUTCOME_MISSED);
    snprintf(text, sizeof text, SLIDING, "0.307");
    play(text, true, false);
    assert_int_equal(decided_by(), GMC_DECISION_REST);
    assert_int_equal(rolling.result.outcome, GMC_OUTCOME_SUCCESS);
}

static void no_verdict_where_the_program_may_not_end(void **state)
{
    (void)state;
    play(pinch("0.5", "lift(object) >= 40 mm", "time_limit: 1.3 s"), true, false);
    assert_int_equal(decided_by(), GMC_DECISION_END);
    assert_int_equal(rolling.result.reason, GMC_REASON_TIME_LIMIT);
    play(pinch("0.01", "lift(object) >= 40 mm", "step_limit: 500"), true, false);
    assert_int_equal(decided_by(), GMC_DECISION_END);
    assert_int_equal(rolling.result.reason, GMC_REASON_STEP_LIMIT);
}

// ---- falling ----------------------------------------------------------------------------------

static const char FALL[] = "graspmc: 1\n"
                           "%s"
                           "object: {sphere: {radius: 10 mm}, mass: 0.1 kg, surface: s, pose: {z: "
                           "0 mm}, placed: as_given}\n"
                           "scene: {%s}\n"
                           "friction: {s/s: 0.5}\n"
                           "program: [%s]\n"
                           "success: {at_end: [lift(object) >= -100 m]}\n"
                           "simulation: {workspace: 0.5 m, step: 1 ms}\n";

static void fall(const char *hand, const char *scene, const char *program)
{
    char text[2048];
    snprintf(text, sizeof text, FALL, hand, scene, program);
    play(text, true, false);
}

static void what_nothing_can_catch_is_lost_at_once(void **state)
{
    (void)state;
    fall("", "", "{hold: {for: 2 s}}");
    assert_int_equal(decided_by(), GMC_DECISION_FALLING);
    assert_int_equal(rolling.result.outcome, GMC_OUTCOME_LOST);
    ASSERT_NEAR(rolling.result.t_end, 1e-3, 1e-15); // only phases `hold`: every step asks
    fall("", "shelf: {box: [0.1 m, 0.1 m, 0.1 m], surface: s, pose: {z: 0.2 m}}",
         "{hold: {for: 2 s}}");
    assert_int_equal(decided_by(), GMC_DECISION_FALLING);
}

static void what_may_be_caught_is_not(void **state)
{
    (void)state;
    fall("", "", "{hold: {for: 0.2 s}}"); // it does not get far in that time: g t²/2 = 0.2 m
    assert_int_equal(decided_by(), GMC_DECISION_END);
    assert_int_equal(rolling.result.outcome, GMC_OUTCOME_SUCCESS);
    fall("", "floor: {plane: {height: -10 m}, surface: s}", "{hold: {for: 2 s}}");
    assert_int_equal(decided_by(), GMC_DECISION_END);
    assert_int_equal(rolling.result.outcome, GMC_OUTCOME_LOST);
    ASSERT_NEAR(rolling.result.t_end, sqrt(2 * 0.5 / 9.81), 1e-3); // a step
    fall("", "shelf: {box: [0.1 m, 0.1 m, 0.1 m], surface: s, pose: {z: -0.2 m}}",
         "{hold: {for: 0.5 s}}");
    assert_int_equal(rolling.result.outcome, GMC_OUTCOME_SUCCESS);
    fall("", "", "{set: {gravity.z: 0 m/s2, in: 0.1 s}}, {hold: {for: 2 s}}");
    assert_true(decided_by() != GMC_DECISION_FALLING);
}

// The jaw stands 0.3 m above; what it does next decides whether it may come after the ball.
static void a_hand_above_does_not_matter_unless_it_comes_down(void **state)
{
    (void)state;
    static const char HAND[] =
        "hand: {urdf: jaw.urdf, frame: tcp, surface: s, target: {z: 0.3 m}}\n";
    fall(HAND, "", "{hold: {for: 2 s}}");
    assert_int_equal(decided_by(), GMC_DECISION_FALLING);
    double alone = rolling.result.t_end;
    assert_true(alone < 0.2);
    fall(HAND, "", "{lift: {by: -1 m, in: 1 s}}, {hold: {for: 1 s}}");
    assert_true(decided_by() == GMC_DECISION_END || rolling.result.t_end > alone + 0.1);
}

// ---- borne ------------------------------------------------------------------------------------

static const char SHAKEN[] =
    "graspmc: 1\n"
    "hand: {urdf: jaw.urdf, frame: tcp, surface: rubber}\n"
    "object: {box: [40 mm, 50 mm, 40 mm], mass: 0.2 kg, surface: abs, placed: resting}\n"
    "scene: {table: {plane: {}, surface: wood}}\n"
    "friction: {rubber/abs: %s, abs/wood: 0.4, rubber/wood: 0.5}\n"
    "program:\n"
    "  - close: {force: 10 N, until: stalled, at_most: 0.4 s}\n"
    "  - lift:  {by: 50 mm, in: 0.3 s}\n"
    "  - shake: {axis: %s, amplitude: 20 mm, frequency: 3 Hz, ramp: %s, for: 1 s}\n"
    "%s"
    "  - hold:  {for: 0.5 s}\n"
    "success: {at_end: [%s]}\n"
    "simulation: {%s}\n";

enum { SHAKE = 2 }; // phase

static const char *shaken(const char *friction, const char *axis, const char *ramp,
                          const char *then, const char *criterion, const char *simulation)
{
    static char text[2048];
    snprintf(text, sizeof text, SHAKEN, friction, axis, ramp, then, criterion, simulation);
    return text;
}

static const char LIFTED[] = "lift(object) >= 40 mm";

static void a_shake_is_decided_once_its_hardest_pulls_are_borne(void **state)
{
    (void)state;
    play(shaken("0.5", "x", "0.15 s", "", LIFTED, ""), false, false);
    double lift = gmc_rolling_value(&rolling, "lift"), slip = gmc_rolling_value(&rolling, "slip");
    double end = rolling.result.t_end - 0.5; // of the shake
    play(shaken("0.5", "x", "0.15 s", "", LIFTED, ""), true, false);
    assert_int_equal(decided_by(), GMC_DECISION_BORNE);
    assert_int_equal(rolling.result.outcome, GMC_OUTCOME_SUCCESS);
    assert_int_equal(rolling.result.phase, SHAKE);
    // the hardest pull one way is in the fading, 0.104 s before its end, and 0.028 s are waited
    assert_true(rolling.result.t_end < end - 0.06);
    assert_true(rolling.result.t_end > end - 0.104);
    // elastic give: 3 N on eight points of 1e6 N/m each way, tangentially a third softer
    ASSERT_NEAR(gmc_rolling_value(&rolling, "lift"), lift, 2e-6);
    ASSERT_NEAR(gmc_rolling_value(&rolling, "slip"), slip, 2e-6);
    play(shaken("0.5", "x", "0.15 s", "", LIFTED, "early: {borne: false}"), true, false);
    assert_int_equal(decided_by(), GMC_DECISION_REST);
}

static void no_shake_is_decided_before_its_hardest_pulls(void **state)
{
    (void)state;
    // it does not fade
    play(shaken("0.5", "x", "0 s", "", LIFTED, ""), true, false);
    assert_int_equal(decided_by(), GMC_DECISION_REST);
    // something comes after it
    play(shaken("0.5", "x", "0.15 s", "  - lift: {by: -20 mm, in: 0.3 s}\n",
                "lift(object) <= 40 mm", ""),
         true, false);
    assert_int_equal(decided_by(), GMC_DECISION_REST);
    assert_int_equal(rolling.result.outcome, GMC_OUTCOME_SUCCESS);
    // 3 N of friction against 3.2 N: it slides in the rising, and in the fading the other way
    play(shaken("0.15", "x", "0.15 s", "", LIFTED, ""), true, false);
    assert_true(gmc_rolling_value(&rolling, "slip") > 1e-5);
    assert_int_equal(decided_by(), GMC_DECISION_REST);
}

// What is measured in the shake is not what will be measured at rest.
static void measures_of_motion_are_not_decided_in_the_shake(void **state)
{
    (void)state;
    static const char *const CRITERIA[] = {"speed(object) <= 1e-4 m/s", "speed(object) >= 1e-4 m/s",
                                           "moved(object) <= 50.5 mm"};
    for (int i = 0; i < GMC_COUNT(CRITERIA); i++) {
        play(shaken("0.5", "x", "0.15 s", "", CRITERIA[i], ""), true, true);
        assert_int_equal(decided_by(), GMC_DECISION_REST);
        ASSERT_NEAR(gmc_rolling_value(&rolling, "audit"), GMC_AUDIT_RIGHT, 0);
    }
    // an object that was left behind is not lifted by what is left
    play(shaken("0.01", "x", "0.15 s", "", LIFTED, ""), true, true);
    assert_int_equal(decided_by(), GMC_DECISION_BORNE);
    assert_int_equal(rolling.result.outcome, GMC_OUTCOME_MISSED);
    ASSERT_NEAR(gmc_rolling_value(&rolling, "audit"), GMC_AUDIT_RIGHT, 0);
}

// Around what the grip can hold, along every axis: it slides a little in the fading, a lot, or not
// at all.
static void verdicts_near_the_threshold_are_right(void **state)
{
    (void)state;
    static const char *const AXES[] = {"x", "y", "z"};
    int decided = 0;
    for (int i = 0; i < 30; i++) {
        char friction[16];
        snprintf(friction, sizeof friction, "%.4f", 0.095 + 0.005 * (i / 3));
        play(shaken(friction, AXES[i % 3], i % 2 ? "0.1 s" : "0.15 s", "",
                    "'slip(object, hand) <= 1 mm'", ""),
             true, true);
        decided += decided_by() == GMC_DECISION_BORNE;
        if (decided_by() != GMC_DECISION_END)
            ASSERT_NEAR(gmc_rolling_value(&rolling, "audit"), GMC_AUDIT_RIGHT, 0);
    }
    assert_true(decided > 5);
}

// ---- audits -----------------------------------------------------------------------------------

static void an_audited_trial_is_the_whole_trial(void **state)
{
    (void)state;
    static const char *const FRICTION[] = {"0.5", "0.01"};
    for (int i = 0; i < GMC_COUNT(FRICTION); i++) {
        play(pinch(FRICTION[i], "lift(object) >= 40 mm", ""), true, false);
        double t_decided = rolling.result.t_end;
        gmc_decision rule = decided_by();
        ASSERT_NEAR(gmc_rolling_value(&rolling, "audit"), GMC_AUDIT_NONE, 0);

        play(pinch(FRICTION[i], "lift(object) >= 40 mm", ""), false, false);
        gmc_rollout_result full = rolling.result;
        double steps = gmc_rolling_value(&rolling, "steps");
        double force = gmc_rolling_value(&rolling, "max_force");

        play(pinch(FRICTION[i], "lift(object) >= 40 mm", ""), true, true);
        assert_int_equal(rolling.result.outcome, full.outcome);
        assert_int_equal(rolling.result.phase, full.phase);
        ASSERT_NEAR(rolling.result.t_end, full.t_end, 0);
        ASSERT_NEAR(gmc_rolling_value(&rolling, "steps"), steps, 0);
        ASSERT_NEAR(gmc_rolling_value(&rolling, "max_force"), force, 0);
        assert_int_equal(decided_by(), rule);
        ASSERT_NEAR(gmc_rolling_value(&rolling, "t_decided"), t_decided, 0);
        ASSERT_NEAR(gmc_rolling_value(&rolling, "audit"), GMC_AUDIT_RIGHT, 0);
    }
}

// A cube balanced on an edge, out of balance by 1e-12 rad: for a while it does not move as far as
// any rule can see, and then it falls over (the angle grows e-fold in some 60 ms).
static void an_audit_sees_a_wrong_verdict(void **state)
{
    (void)state;
    static const char BALANCED[] =
        "graspmc: 1\n"
        "object: {box: [40 mm, 40 mm, 40 mm], mass: 0.2 kg, surface: s, placed: resting,\n"
        "         pose: {roll: 0.785398163398448 rad}}\n"
        "scene: {table: {plane: {}, surface: s}}\n"
        "friction: {s/s: 0.8}\n"
        "program: [{hold: {for: 4 s}}]\n"
        "success: {at_end: [turned(object) <= 5 deg]}\n";
    play(BALANCED, true, false);
    assert_int_equal(decided_by(), GMC_DECISION_REST);
    assert_int_equal(rolling.result.outcome, GMC_OUTCOME_SUCCESS);
    play(BALANCED, true, true);
    assert_int_equal(rolling.result.outcome, GMC_OUTCOME_MISSED); // the end counts
    ASSERT_NEAR(gmc_rolling_value(&rolling, "audit"), GMC_AUDIT_WRONG, 0);
}

static void a_trial_that_cannot_be_finished_speaks_against_its_verdict(void **state)
{
    (void)state;
    play(pinch("0.01", "lift(object) >= 40 mm", ""), true, false);
    char limit[64];
    snprintf(limit, sizeof limit, "work_limit: %.0f",
             gmc_rolling_value(&rolling, "iterations") + 20);
    play(pinch("0.01", "lift(object) >= 40 mm", limit), true, true);
    assert_int_equal(rolling.result.reason, GMC_REASON_WORK_LIMIT);
    assert_int_equal(decided_by(), GMC_DECISION_BROKEN);
    ASSERT_NEAR(gmc_rolling_value(&rolling, "audit"), GMC_AUDIT_WRONG, 0);
}

static void every_rule_has_a_name(void **state)
{
    (void)state;
    for (int i = 0; i < GMC_DECISION_COUNT; i++)
        assert_string_not_equal(gmc_decision_name((gmc_decision)i), "unknown");
    assert_string_equal(gmc_decision_name(GMC_DECISION_COUNT), "unknown");
}

int test_early(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rest_decides_only_where_the_program_holds_to_its_end),
        cmocka_unit_test(each_rule_can_be_switched_off),
        cmocka_unit_test(a_broken_criterion_ends_the_trial),
        cmocka_unit_test(motion_that_matters_delays_the_verdict),
        cmocka_unit_test(what_slides_is_not_at_rest),
        cmocka_unit_test(no_verdict_where_the_program_may_not_end),
        cmocka_unit_test(what_nothing_can_catch_is_lost_at_once),
        cmocka_unit_test(what_may_be_caught_is_not),
        cmocka_unit_test(a_hand_above_does_not_matter_unless_it_comes_down),
        cmocka_unit_test(a_shake_is_decided_once_its_hardest_pulls_are_borne),
        cmocka_unit_test(no_shake_is_decided_before_its_hardest_pulls),
        cmocka_unit_test(measures_of_motion_are_not_decided_in_the_shake),
        cmocka_unit_test(verdicts_near_the_threshold_are_right),
        cmocka_unit_test(an_audited_trial_is_the_whole_trial),
        cmocka_unit_test(an_audit_sees_a_wrong_verdict),
        cmocka_unit_test(a_trial_that_cannot_be_finished_speaks_against_its_verdict),
        cmocka_unit_test(every_rule_has_a_name),
    };
    return cmocka_run_group_tests(tests, open_rolling, close_rolling);
}

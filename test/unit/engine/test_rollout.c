// The loop of one trial with a stepper that fails when the test wants it to: halving, reasons,
// limits, outcomes.
#include "engine/contact/stepper.h"
#include "engine/rollout.h"
#include "test/support/near.h"
#include "test/support/rolling.h"

#include <string.h>

/// What the stepper of these tests does besides stepping.
static struct {
    double fails_above;  ///< steps longer than this find no solution [s]
    gmc_status fails_as; ///< with this status
    double from, until;  ///< only where the step starts in this span of time [s]
    int calls;
} script;

static gmc_status scripted_create(const gmc_model *model, int contact_max, gmc_arena *arena,
                                  gmc_world *world)
{
    return gmc_steppers[0]->create(model, contact_max, arena, world);
}

static gmc_status scripted_step(gmc_world *world, const gmc_control *control,
                                const gmc_step_options *options, double h, gmc_arena *scratch,
                                gmc_step_report *report)
{
    bool is_due = world->state.t >= script.from - 1e-9 && world->state.t < script.until - 1e-9;
    script.calls++;
    if (is_due && h > script.fails_above) return script.fails_as;
    return gmc_steppers[0]->step(world, control, options, h, scratch, report);
}

static const char *const SOLVERS[] = {"newton", NULL};
static const gmc_stepper SCRIPTED = {.name = "scripted",
                                     .about = "fails on demand",
                                     .solvers = SOLVERS,
                                     .create = scripted_create,
                                     .step = scripted_step};

// A ball that rests on a table; nothing else.
static const char RESTING[] =
    "graspmc: 1\n"
    "object: {sphere: {radius: 10 mm}, mass: 0.1 kg, surface: s, placed: resting}\n"
    "scene: {table: {plane: {}, surface: s}}\n"
    "friction: {s/s: 0.5}\n"
    "program: [{hold: {for: 20 ms}}, {hold: {for: 20 ms}}]\n"
    "success: {at_end: [lift(object) >= -1 mm], always: [speed(object) <= 10 m/s]}\n";

// Twice: as it is, recorded, and with the scripted stepper, behind what `input` points to.
static void run_scripted(gmc_rolling *r, const char *text, bool is_recorded)
{
    gmc_rolling_play(r, text, NULL);
    r->input.options.stepper = &SCRIPTED;
    r->trajectory.row_count = 0;
    script.calls = 0;
    assert_int_equal(gmc_rollout_run(&r->input, is_recorded ? &r->trajectory : NULL, &r->trial,
                                     &r->step, &r->result),
                     GMC_OK);
}

static void one_failure_halves_one_step(void **state)
{
    (void)state;
    gmc_rolling r;
    gmc_rolling_open(&r);
    script.fails_as = GMC_E_RESIDUAL;
    script.fails_above = 1.5e-3;
    script.from = 0.01;
    script.until = 0.012;
    run_scripted(&r, RESTING, true);
    assert_int_equal(r.result.outcome, GMC_OUTCOME_SUCCESS);
    ASSERT_NEAR(gmc_rolling_value(&r, "retries"), 1, 0);
    ASSERT_NEAR(gmc_rolling_value(&r, "steps"), 21, 0);
    assert_int_equal(script.calls, 22);
    assert_int_equal(r.trajectory.row_count, 22); // a row for each half
    ASSERT_NEAR(r.trajectory.time[6] - r.trajectory.time[5], 1e-3, 1e-15);
    ASSERT_NEAR(r.result.t_end, 0.04, 1e-15);
    gmc_rolling_close(&r);
}

static void steps_are_halved_three_times(void **state)
{
    (void)state;
    gmc_rolling r;
    gmc_rolling_open(&r);
    script.fails_as = GMC_E_NO_SOLUTION;
    script.fails_above = 0.3e-3;
    script.from = 0;
    script.until = INFINITY;
    run_scripted(&r, RESTING, false);
    assert_int_equal(r.result.outcome, GMC_OUTCOME_SUCCESS);
    ASSERT_NEAR(gmc_rolling_value(&r, "steps"), 8 * 20, 0);
    ASSERT_NEAR(gmc_rolling_value(&r, "retries"), 7 * 20, 0);
    gmc_rolling_close(&r);
}

static void what_ends_a_trial_is_its_reason(void **state)
{
    (void)state;
    const struct {
        gmc_status status;
        gmc_reason reason;
        int calls; // a step that misses its residual is tried at all lengths first
    } ends[] = {
        {GMC_E_RESIDUAL, GMC_REASON_NO_SOLUTION, 4}, {GMC_E_NO_SOLUTION, GMC_REASON_NO_SOLUTION, 4},
        {GMC_E_DIVERGED, GMC_REASON_DIVERGED, 1},    {GMC_E_LIMIT, GMC_REASON_CONTACTS, 1},
        {GMC_E_LIBRARY, GMC_REASON_LIBRARY, 1},      {GMC_E_INTEGRATOR, GMC_REASON_INTEGRATOR, 1}};
    gmc_rolling r;
    gmc_rolling_open(&r);
    for (int i = 0; i < GMC_COUNT(ends); i++) {
        script.fails_as = ends[i].status;
        script.fails_above = 0;
        script.from = 0.03;
        script.until = INFINITY;
        run_scripted(&r, RESTING, true);
        assert_int_equal(r.result.outcome, GMC_OUTCOME_UNSOLVED);
        assert_int_equal(r.result.reason, ends[i].reason);
        assert_int_equal(r.result.phase, 1);
        ASSERT_NEAR(r.result.t_end, 0.03, 1e-15);
        ASSERT_NEAR(gmc_rolling_value(&r, "steps"), 15, 0);
        assert_int_equal(script.calls, 15 + ends[i].calls);
    }
    gmc_rolling_close(&r);
}

static void a_full_scratch_arena_is_said(void **state)
{
    (void)state;
    gmc_rolling r;
    gmc_rolling_open(&r);
    gmc_rolling_play(&r, RESTING, NULL);
    gmc_arena small;
    assert_int_equal(gmc_arena_create(&small, 64), GMC_OK);
    assert_int_equal(gmc_rollout_run(&r.input, NULL, &r.trial, &small, &r.result),
                     GMC_E_ARENA_FULL);
    gmc_arena_free(&small);
    assert_int_equal(gmc_arena_create(&small, 64), GMC_OK);
    assert_int_equal(gmc_rollout_run(&r.input, NULL, &small, &r.step, &r.result), GMC_E_ARENA_FULL);
    gmc_arena_free(&small);
    gmc_rolling_close(&r);
}

// `always` is looked at after the first half of a halved step as well.
static void always_is_looked_at_after_halves(void **state)
{
    (void)state;
    // a ball falls: over the millisecond until 11 ms it is faster than 100 mm/s, before it is not
    static const char FALLING[] =
        "graspmc: 1\n"
        "object: {sphere: {radius: 10 mm}, mass: 0.1 kg, surface: s, placed: as_given}\n"
        "program: [{hold: {for: 20 ms}}]\n"
        "success: {at_end: [lift(object) >= -1 m], always: [speed(object) <= 100 mm/s]}\n";
    gmc_rolling r;
    gmc_rolling_open(&r);
    script.fails_as = GMC_E_RESIDUAL;
    script.fails_above = 1.5e-3;
    script.from = 0.01;
    script.until = 0.012;
    run_scripted(&r, FALLING, true);
    assert_int_equal(r.result.outcome, GMC_OUTCOME_VIOLATED);
    ASSERT_NEAR(gmc_rolling_value(&r, "t_violated"), 0.011, 1e-15);
    ASSERT_NEAR(r.result.t_end, 0.02, 1e-15); // it ran on
    ASSERT_NEAR(gmc_rolling_value(&r, "max(speed(object))"), 9.81 * 0.019, 1e-12);
    gmc_rolling_close(&r);
}

static void limits_end_a_trial_unsolved(void **state)
{
    (void)state;
    const struct {
        const char *set;
        gmc_reason reason;
        double t_end;
    } limits[] = {{"simulation.step_limit=7", GMC_REASON_STEP_LIMIT, 0.014},
                  {"simulation.time_limit=26 ms", GMC_REASON_TIME_LIMIT, 0.026},
                  {"simulation.work_limit=1", GMC_REASON_WORK_LIMIT, 0.002}};
    gmc_rolling r;
    gmc_rolling_open(&r);
    for (int i = 0; i < GMC_COUNT(limits); i++) {
        gmc_rolling_play(&r, RESTING, (const char *[]){limits[i].set, NULL});
        assert_int_equal(r.result.outcome, GMC_OUTCOME_UNSOLVED);
        assert_int_equal(r.result.reason, limits[i].reason);
        ASSERT_NEAR(r.result.t_end, limits[i].t_end, 1e-15);
    }
    gmc_rolling_close(&r);
}

static void bodies_deep_in_each_other_are_no_start(void **state)
{
    (void)state;
    gmc_rolling r;
    gmc_rolling_open(&r);
    static const char *const heights[] = {"object.pose.z=-2.1 mm", "object.pose.z=-1.9 mm"};
    for (int i = 0; i < 2; i++) {
        // the plane is 10 mm below: the ball's lowest point at the height given
        gmc_rolling_play(&r, RESTING,
                         (const char *[]){"object.placed=as_given",
                                          "scene.table.plane.height=-10 mm", heights[i], NULL});
        assert_int_equal(r.result.outcome, i == 0 ? GMC_OUTCOME_UNSOLVED : GMC_OUTCOME_SUCCESS);
        assert_int_equal(r.result.reason, i == 0 ? GMC_REASON_DEEP_START : GMC_REASON_NONE);
        if (i > 0) continue;
        ASSERT_NEAR(r.result.t_end, 0, 0);
        // how deep is said; one step falls 0.02 mm
        ASSERT_NEAR(gmc_rolling_value(&r, "max_penetration"), 2.1e-3, 2e-5);
    }
    gmc_rolling_close(&r);
}

// A hand that is driven down on a box that stands on a table: nothing gives way.
static void driven_motion_against_the_unyielding_is_a_jam(void **state)
{
    (void)state;
    static const char PRESS[] =
        "graspmc: 1\n"
        "hand: {urdf: jaw.urdf, frame: tcp, surface: rubber}\n"
        "object: {box: [40 mm, 50 mm, 40 mm], mass: 0.1 kg, surface: abs, placed: resting}\n"
        "scene: {table: {plane: {}, surface: wood}}\n"
        "friction: {rubber/abs: 0.8, abs/wood: 0.4, rubber/wood: 0.5}\n"
        "program: [{move: {by: [0 mm, 0 mm, -100 mm], in: 0.5 s}}]\n"
        "success: {at_end: [lift(object) >= -1 m]}\n";
    gmc_rolling r;
    gmc_rolling_open(&r);
    gmc_rolling_play(&r, PRESS, NULL);
    assert_int_equal(r.result.outcome, GMC_OUTCOME_UNSOLVED);
    assert_int_equal(r.result.reason, GMC_REASON_JAM);
    assert_true(gmc_rolling_value(&r, "max_force") > 1e4);
    assert_true(r.result.t_end < 0.5);
    gmc_rolling_close(&r);
}

// The points of a face share what two bodies bear: none of them carries 10 kN.
static void a_face_that_bears_too_much_is_a_jam(void **state)
{
    (void)state;
    static const char PRESS[] =
        "graspmc: 1\n"
        "hand: {urdf: jaw.urdf, frame: tcp, surface: rubber, target: {z: 40 mm}}\n"
        "object: {box: [60 mm, 120 mm, 40 mm], mass: 0.4 kg, surface: abs, placed: resting}\n"
        "scene: {table: {plane: {}, surface: wood}}\n"
        "friction: {rubber/abs: 0.8, abs/wood: 0.4, rubber/wood: 0.5}\n"
        "program: [{move: {by: [0 mm, 0 mm, -15 mm], in: 0.5 s}}, {hold: {for: 50 ms}}]\n"
        "success: {at_end: [lift(object) >= -1 m]}\n";
    gmc_rolling r;
    gmc_rolling_open(&r);
    gmc_rolling_play(&r, PRESS, NULL);
    double most = 0;
    for (uint32_t i = 0; i < r.trajectory.contact_start[r.trajectory.row_count]; i++) {
        const double *f = r.trajectory.contact_force + 3 * i;
        most = fmax(most, sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]));
    }
    print_message("jammed at %.3g kN, a point bears %.3g at most\n",
                  1e-3 * gmc_rolling_value(&r, "max_force"), 1e-3 * most);
    assert_int_equal(r.result.reason, GMC_REASON_JAM);
    assert_true(gmc_rolling_value(&r, "max_force") > 1e4);
    assert_true(most < 1e4);
    gmc_rolling_close(&r);
}

static void an_object_that_is_thrown_by_an_error_is_not_lost(void **state)
{
    (void)state;
    static const char FAST[] =
        "graspmc: 1\n"
        "object: {sphere: {radius: 10 mm}, mass: 0.1 kg, surface: s, placed: as_given}\n"
        "gravity: [0 m/s2, 0 m/s2, -60000 m/s2]\n"
        "program: [{hold: {for: 2 s}}]\n"
        "success: {at_end: [lift(object) >= -100 m]}\n"
        "simulation: {workspace: 100 m, step: 1 ms}\n";
    gmc_rolling r;
    gmc_rolling_open(&r);
    gmc_rolling_play(&r, FAST, NULL);
    assert_int_equal(r.result.outcome, GMC_OUTCOME_UNSOLVED);
    assert_int_equal(r.result.reason, GMC_REASON_DIVERGED);
    ASSERT_NEAR(r.result.t_end, 3e-3, 1e-15); // 30 m/s, 90 m/s, then 150 m/s
    gmc_rolling_close(&r);
}

// One contact where none is planned.
static void more_contacts_than_planned_end_a_trial(void **state)
{
    (void)state;
    gmc_rolling r;
    gmc_rolling_open(&r);
    gmc_rolling_play(&r, RESTING, NULL);
    r.input.options.contact_max = 0;
    assert_int_equal(gmc_rollout_run(&r.input, NULL, &r.trial, &r.step, &r.result), GMC_OK);
    assert_int_equal(r.result.outcome, GMC_OUTCOME_UNSOLVED);
    assert_int_equal(r.result.reason, GMC_REASON_CONTACTS);
    gmc_rolling_close(&r);
}

static void an_object_that_leaves_is_lost(void **state)
{
    (void)state;
    static const char FALLING[] =
        "graspmc: 1\n"
        "object: {sphere: {radius: 10 mm}, mass: 0.1 kg, surface: s, placed: as_given}\n"
        "program: [{hold: {for: 2 s}}]\n"
        "success: {at_end: [lift(object) >= -100 m]}\n"
        "simulation: {workspace: 0.5 m, step: 1 ms}\n";
    gmc_rolling r;
    gmc_rolling_open(&r);
    gmc_rolling_play(&r, FALLING, NULL);
    assert_int_equal(r.result.outcome, GMC_OUTCOME_LOST);
    assert_int_equal(r.result.reason, GMC_REASON_NONE);
    ASSERT_NEAR(r.result.t_end, sqrt(2 * 0.5 / 9.81), 1e-3); // a step
    gmc_rolling_close(&r);
}

// What the hand carries out of the workspace is not lost, what it drops on the way is.
static void an_object_that_the_hand_carries_is_not_lost(void **state)
{
    (void)state;
    static const char FAR[] =
        "graspmc: 1\n"
        "hand: {urdf: jaw.urdf, frame: tcp, surface: rubber}\n"
        "object: {box: [40 mm, 50 mm, 40 mm], mass: 0.1 kg, surface: abs, placed: resting}\n"
        "scene: {table: {plane: {}, surface: wood}}\n"
        "friction: {rubber/abs: 0.8, abs/wood: 0.4, rubber/wood: 0.5}\n"
        "program:\n"
        "  - close: {force: 10 N, for: 0.3 s}\n"
        "  - lift:  {by: 0.5 m, in: 0.6 s}\n"
        "  - open:  {position: 0 mm, in: 0.1 s}\n"
        "  - lift:  {by: 0.8 m, in: 0.2 s}\n"
        "success: {at_end: [lift(object) >= 0.3 m]}\n"
        "simulation: {workspace: 0.3 m}\n";
    gmc_rolling r;
    gmc_rolling_open(&r);
    gmc_rolling_play(&r, FAR, NULL);
    assert_int_equal(r.result.outcome, GMC_OUTCOME_LOST);
    assert_int_equal(r.result.phase, 3);
    assert_true(r.result.t_end > 1.0);
    gmc_rolling_close(&r);
}

int test_rollout(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_failure_halves_one_step),
        cmocka_unit_test(steps_are_halved_three_times),
        cmocka_unit_test(what_ends_a_trial_is_its_reason),
        cmocka_unit_test(a_full_scratch_arena_is_said),
        cmocka_unit_test(always_is_looked_at_after_halves),
        cmocka_unit_test(limits_end_a_trial_unsolved),
        cmocka_unit_test(bodies_deep_in_each_other_are_no_start),
        cmocka_unit_test(driven_motion_against_the_unyielding_is_a_jam),
        cmocka_unit_test(a_face_that_bears_too_much_is_a_jam),
        cmocka_unit_test(an_object_that_is_thrown_by_an_error_is_not_lost),
        cmocka_unit_test(more_contacts_than_planned_end_a_trial),
        cmocka_unit_test(an_object_that_leaves_is_lost),
        cmocka_unit_test(an_object_that_the_hand_carries_is_not_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

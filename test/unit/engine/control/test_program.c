// The sequence of phases at its edges: phases shorter than a step, phases that take no time, events
// that must last, several closing phases.
#include "engine/control/program.h"
#include "test/support/near.h"
#include "test/support/rolling.h"

#define FAR                                                                                        \
    "object: {sphere: {radius: 10 mm}, mass: 0.1 kg, surface: abs, placed: as_given}\n"            \
    "gravity: [0, 0, 0]\nfriction: {rubber/abs: 0.5}\n"                                            \
    "success: {at_end: [lift(object) >= -1 m]}\n"
#define HAND "graspmc: 1\nhand: {urdf: jaw.urdf, frame: tcp, surface: rubber, target: {z: 0.3}}\n"

static void the_smooth_step_is_smooth(void **state)
{
    (void)state;
    ASSERT_NEAR(gmc_program_quintic(-1), 0, 0);
    ASSERT_NEAR(gmc_program_quintic(0), 0, 0);
    ASSERT_NEAR(gmc_program_quintic(1), 1, 0);
    ASSERT_NEAR(gmc_program_quintic(INFINITY), 1, 0);
    ASSERT_NEAR(gmc_program_quintic(0.5), 0.5, 1e-16);
    for (double s = 0.05; s < 1; s += 0.05) // symmetric about its middle
        ASSERT_NEAR(gmc_program_quintic(s) + gmc_program_quintic(1 - s), 1, 1e-15);
    const double d = 1e-4; // first and second derivatives vanish at both ends: 10 d³ is left
    ASSERT_NEAR(gmc_program_quintic(d), 0, 1.1e-11);
    ASSERT_NEAR(gmc_program_quintic(1 - d), 1, 1.1e-11);
}

static gmc_vec3 tool_at_end(const gmc_rolling *r)
{
    gmc_pose X = gmc_rolling_pose(r, r->trajectory.row_count - 1, gmc_rolling_body(r, "hand"));
    return gmc_pose_apply(&X, (gmc_vec3){0, 0, -0.045});
}

// Several phases end within one step: each leaves its full effect, and what follows starts from it.
static void phases_shorter_than_a_step_leave_their_full_effect(void **state)
{
    (void)state;
    gmc_rolling r;
    gmc_rolling_open(&r);
    gmc_rolling_play(&r,
                     HAND FAR "simulation: {step: 4 ms}\n"
                              "program:\n  - hold: {for: 9 ms}\n  - lift: {by: 1 mm, in: 1 ms}\n"
                              "  - move: {by: [2 mm, 0, 0], in: 1 ms}\n"
                              "  - turn: {axis: z, by: 90 deg, in: 0.5 ms}\n"
                              "  - move: {by: [3 mm, 0, 0], frame: hand, in: 0.25 ms}\n"
                              "  - set: {gravity.x: 1}\n  - hold: {for: 10 ms}\n",
                     NULL);
    assert_int_equal(r.result.phase, 7);
    gmc_vec3 tool = tool_at_end(&r);
    ASSERT_NEAR(tool.x, 0.002, 1e-16);
    ASSERT_NEAR(tool.y, 0.003, 1e-16);
    ASSERT_NEAR(tool.z, 0.301, 1e-16);
    // 9 + 1 + 1 + 0.5 + 0.25 + 10 ms, ended by the step that crosses it
    ASSERT_NEAR(r.result.t_end, 0.024, 1e-15);
    int last = r.trajectory.row_count - 1, object = gmc_rolling_body(&r, "object");
    // 1 m/s² from 12 ms to the middle of the last step
    ASSERT_NEAR(gmc_rolling_velocity(&r, last, object).x, 0.010, 1e-15);
    gmc_rolling_close(&r);
}

// A shake ends where its curve does, not with a jump: the base is never faster than the swing, and
// what follows goes on from there.
static void a_shake_without_ramp_ends_where_its_curve_does(void **state)
{
    (void)state;
    const double durations[] = {0.25, 0.3, 0.5, 0.625}; // 1, 1.2, 2, 2.5 swings of 4 Hz
    const char *const ramps[] = {"0 s", "0.1 s"};
    for (int k = 0; k < 4 * GMC_COUNT(ramps); k++) {
        double length = durations[k % 4], ramp = k < 4 ? 0 : 0.1, fastest = 0;
        char text[2048];
        gmc_rolling r;
        gmc_rolling_open(&r);
        snprintf(text, sizeof text,
                 HAND FAR "simulation: {step: 2.3 ms}\nprogram:\n"
                          "  - shake: {axis: x, amplitude: 20 mm, frequency: 4 Hz, ramp: %s, for: "
                          "%g s}\n  - move: {by: [0, 1 mm, 0], in: 20 ms}\n",
                 ramps[k / 4], length);
        gmc_rolling_play(&r, text, NULL);
        int hand = gmc_rolling_body(&r, "hand");
        for (int i = 1; i < r.trajectory.row_count; i++) {
            double step = r.trajectory.time[i] - r.trajectory.time[i - 1];
            gmc_vec3 way =
                gmc_vec3_sub(gmc_rolling_pose(&r, i, hand).p, gmc_rolling_pose(&r, i - 1, hand).p);
            fastest = fmax(fastest, fabs(way.x) / step);
        }
        gmc_vec3 tool = tool_at_end(&r);
        ASSERT_NEAR(tool.x, ramp > 0 ? 0 : 0.02 * sin(2 * GMC_PI * 4 * length), 1e-15);
        ASSERT_NEAR(tool.y, 1e-3, 1e-15);
        // of the envelope's own slope, 15/8 over the ramp, beside the swing's
        assert_true(fastest <= 0.02 * (2 * GMC_PI * 4 + (ramp > 0 ? 1.875 / ramp : 0)) + 1e-12);
        gmc_rolling_close(&r);
    }
}

// Times do not round to steps: a program lasts as long at a step that divides nothing.
static void times_do_not_round_to_steps(void **state)
{
    (void)state;
    gmc_rolling r;
    gmc_rolling_open(&r);
    gmc_rolling_play(&r,
                     HAND FAR "simulation: {step: 3.7 ms}\n"
                              "program: [{hold: {for: 10 ms}}, {hold: {for: 10 ms}}, {hold: {for: "
                              "10 ms}}, {hold: {for: 10 ms}}, {hold: {for: 10 ms}}, {hold: {for: "
                              "10 ms}}, {hold: {for: 10 ms}}]\n",
                     NULL);
    ASSERT_NEAR(r.result.t_end, 19 * 3.7e-3, 1e-15); // the first step at or after 70 ms
    gmc_rolling_close(&r);
}

static void a_set_that_comes_first_holds_from_the_first_step(void **state)
{
    (void)state;
    gmc_rolling r;
    gmc_rolling_open(&r);
    gmc_rolling_play(&r, HAND FAR "program: [{set: {gravity.z: -2}}, {hold: {for: 10 ms}}]\n",
                     NULL);
    int object = gmc_rolling_body(&r, "object");
    // from rest: the mean over the step is the velocity in its middle
    ASSERT_NEAR(gmc_rolling_velocity(&r, 1, object).z, -2 * 1e-3, 1e-17);
    ASSERT_NEAR(r.result.t_end, 0.01, 1e-15);
    gmc_rolling_close(&r);
}

// Slip counts from the end of the last close; a close that no event ends lasts at_most.
static void slip_counts_from_the_last_close(void **state)
{
    (void)state;
    gmc_rolling r;
    gmc_rolling_open(&r);
    gmc_rolling_play(&r,
                     HAND FAR "program:\n  - close: {position: 10 mm, in: 0.1 s}\n"
                              "  - open:  {position: 0 mm, in: 0.1 s}\n"
                              "  - close: {force: 5 N, until: in_contact, at_most: 0.1 s}\n"
                              "  - hold:  {for: 0.1 s}\n",
                     NULL);
    ASSERT_NEAR(gmc_rolling_value(&r, "t_closed"), 0.3, 1e-9);
    ASSERT_NEAR(r.result.t_end, 0.4, 1e-9);
    gmc_rolling_close(&r);
}

// A grip that a hold follows keeps its force; one that another close follows goes on from it; a
// position given to the fingers ends it.
static void a_grip_is_kept_until_another(void **state)
{
    (void)state;
    gmc_rolling r;
    gmc_rolling_open(&r);
    gmc_rolling_play(&r,
                     HAND FAR "program:\n  - close: {force: 0.4 N, ramp: 50 ms, for: 0.1 s}\n"
                              "  - hold:  {for: 0.1 s}\n"
                              "  - close: {force: 0.8 N, ramp: 0.1 s, for: 0.1 s}\n"
                              "  - hold:  {for: 0.1 s}\n"
                              "  - open:  {position: 0 mm, in: 0.1 s}\n"
                              "  - hold:  {for: 0.3 s}\n",
                     NULL);
    const gmc_trajectory *t = &r.trajectory;
    const struct {
        double time, force;
    } efforts[] = {{0.1, 0.4}, // a step's force is that of its beginning
                   {0.15, 0.4},
                   {0.25, 0.4 + 0.4 * gmc_program_quintic((0.05 - 2e-3) / 0.1)},
                   {0.3, 0.4 + 0.4 * gmc_program_quintic((0.1 - 2e-3) / 0.1)},
                   {0.35, 0.8}};
    for (int i = 0; i < GMC_COUNT(efforts); i++) {
        // in the air all of the way: 40 mm/s at most
        int row = gmc_rolling_row(&r, efforts[i].time);
        ASSERT_NEAR(t->effort[row * t->joint_count], efforts[i].force, 1e-12);
    }
    ASSERT_NEAR(gmc_rolling_joint(&r, t->row_count - 1, "left_finger"), 0, 1e-9);
    gmc_rolling_close(&r);
}

// A force that is still growing as its close ends grows on: in what follows, and as a hand moves.
static void a_force_grows_on_after_its_close(void **state)
{
    (void)state;
    gmc_rolling r;
    gmc_rolling_open(&r);
    gmc_rolling_play(&r,
                     HAND FAR "program:\n  - close: {force: 0.8 N, ramp: 0.2 s, for: 50 ms}\n"
                              "  - hold:  {for: 60 ms}\n"
                              "  - lift:  {by: 10 mm, in: 60 ms}\n"
                              "  - hold:  {for: 60 ms}\n"
                              "  - close: {force: 0.4 N, ramp: 0.1 s, for: 40 ms}\n",
                     NULL);
    const gmc_trajectory *t = &r.trajectory;
    const double times[] = {0.04, 0.05, 0.07, 0.11, 0.14, 0.2, 0.23, 0.25, 0.27};
    for (int i = 0; i < GMC_COUNT(times); i++) {
        double since = times[i] - 2e-3; // a step's force is that of its beginning
        double force = 0.8 * gmc_program_quintic(since / 0.2);
        if (since >= 0.23) force = 0.8 - 0.4 * gmc_program_quintic((since - 0.23) / 0.1);
        int row = gmc_rolling_row(&r, times[i]);
        ASSERT_NEAR(t->effort[row * t->joint_count], force, 1e-12);
    }
    gmc_rolling_close(&r);
}

// A finger that presses and is moved goes where it is moved to, as the force grows and after that,
// whether it closed at a speed or not; then it presses again.
static void a_finger_that_presses_is_moved(void **state)
{
    (void)state;
    const char *closes[] = {"{force: 8 N, speed: 50 mm/s, ramp: 60 ms, for: 50 ms}",
                            "{force: 0.5 N, ramp: 20 ms, for: 50 ms}",
                            "{force: 0.5 N, ramp: 0.2 s, for: 50 ms}"};
    for (int i = 0; i < GMC_COUNT(closes); i++) {
        char program[512];
        snprintf(program, sizeof program,
                 HAND FAR "program:\n  - close: %s\n"
                          "  - move:  {joint: left, by: 1 mm, in: 0.1 s}\n"
                          "  - hold:  {for: 20 ms}\n",
                 closes[i]);
        gmc_rolling r;
        gmc_rolling_open(&r);
        gmc_rolling_play(&r, program, NULL);
        int start = gmc_rolling_row(&r, 0.05), end = gmc_rolling_row(&r, 0.15);
        double before = gmc_rolling_joint(&r, start, "left_finger");
        double moved = gmc_rolling_joint(&r, end, "left_finger") - before;
        double after = gmc_rolling_joint(&r, r.trajectory.row_count - 1, "left_finger");
        ASSERT_NEAR(moved, 1e-3, 1e-4); // it was on its way, and a servo lags
        assert_true(after > before + moved + 1e-5);
        gmc_rolling_close(&r);
    }
}

int test_program(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_smooth_step_is_smooth),
        cmocka_unit_test(phases_shorter_than_a_step_leave_their_full_effect),
        cmocka_unit_test(a_shake_without_ramp_ends_where_its_curve_does),
        cmocka_unit_test(times_do_not_round_to_steps),
        cmocka_unit_test(a_set_that_comes_first_holds_from_the_first_step),
        cmocka_unit_test(slip_counts_from_the_last_close),
        cmocka_unit_test(a_grip_is_kept_until_another),
        cmocka_unit_test(a_force_grows_on_after_its_close),
        cmocka_unit_test(a_finger_that_presses_is_moved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Whole scenarios against what mechanics says: forces of closed fingers, events that end phases,
// what a set phase does, what is measured, and friction's threshold of a two-finger hold.
#include "test/support/near.h"
#include "test/support/rolling.h"

#include <string.h>

static const char *const STEPS[] = {"0.5 ms", "1 ms", "2 ms", "4 ms"};
static const double G = 9.81;

// A cube between the fingers of a hand, over a table.
#define HEAD    "graspmc: 1\n"
#define JAW     "hand: {urdf: jaw.urdf, frame: tcp, surface: rubber}\n"
#define COUPLED "hand: {urdf: coupled.urdf, frame: tcp, surface: rubber}\n"
#define CUBE    "object: {box: [50 mm, 50 mm, 50 mm], mass: 0.2 kg, surface: abs, placed: resting}\n"
#define TABLE                                                                                      \
    "scene: {table: {plane: {}, surface: wood}}\n"                                                 \
    "friction: {rubber/abs: 0.5, abs/wood: 0.4, rubber/wood: 0.5}\n"
#define HELD "success: {at_end: [held_by(object) >= 2]}\n"

static void play(gmc_rolling *r, const char *text, const char *step)
{
    char set[64];
    snprintf(set, sizeof set, "simulation.step=%s", step);
    gmc_rolling_play(r, text, (const char *[]){set, NULL});
}

// ---- forces ------------------------------------------------------------------------------------

static void check_force(gmc_rolling *r, const char *hand, const char *close, double force,
                        const char *step)
{
    char text[1024];
    snprintf(text, sizeof text,
             HEAD "%s" CUBE TABLE
                  "program: [{close: {%s, until: stalled}}, {hold: {for: 0.5 s}}]\n" HELD,
             hand, close);
    play(r, text, step);
    assert_int_equal(r->result.outcome, GMC_OUTCOME_SUCCESS);
    int last = r->trajectory.row_count - 1;
    // the residual of the solver, 1e-9 of the forces
    ASSERT_NEAR(gmc_rolling_force(r, last, gmc_rolling_body(r, "left_finger")), force, 1e-8);
    ASSERT_NEAR(gmc_rolling_force(r, last, gmc_rolling_body(r, "right_finger")), force, 1e-8);
    ASSERT_NEAR(gmc_rolling_force(r, last, gmc_rolling_body(r, "table")), 0.2 * G, 1e-8);
}

// Each finger gives the force asked for: with and without a limit on its speed, alone or coupled,
// until its drive has no more.
static void fingers_press_with_the_force_asked_for(void **state)
{
    (void)state;
    gmc_rolling r;
    gmc_rolling_open(&r);
    for (int i = 0; i < GMC_COUNT(STEPS); i++) {
        check_force(&r, JAW, "force: 10 N", 10, STEPS[i]);
        check_force(&r, JAW, "force: 10 N, speed: 80 mm/s", 10, STEPS[i]);
        check_force(&r, COUPLED, "force: 10 N", 10, STEPS[i]);
        check_force(&r, COUPLED, "force: 10 N, speed: 80 mm/s", 10, STEPS[i]);
    }
    check_force(&r,
                "hand: {urdf: jaw.urdf, frame: tcp, surface: rubber, joints: {left: "
                "{max_force: 4 N}, right: {max_force: 4 N}}}\n",
                "force: 10 N", 4, "2 ms");
    check_force(&r,
                "hand: {urdf: coupled.urdf, frame: tcp, surface: rubber, joints: {left: "
                "{max_force: 12 N}}}\n",
                "force: 10 N, speed: 80 mm/s", 6, "2 ms");
    gmc_rolling_close(&r);
}

// ---- events ------------------------------------------------------------------------------------

static double phase_end(const gmc_rolling *r) { return gmc_rolling_value(r, "t_closed"); }

static void a_stall_ends_a_close(void **state)
{
    (void)state;
    gmc_rolling r;
    gmc_rolling_open(&r);
    play(&r, HEAD JAW CUBE TABLE "program: [{close: {force: 10 N}}, {hold: {for: 0.1 s}}]\n" HELD,
         "1 ms");
    // the force is up at 0.1 s, the fingers are there by then; 20 ms must pass
    ASSERT_NEAR(phase_end(&r), 0.12, 1e-3 + 1e-9);
    // fingers meet nothing but their limits, with a slow force: stalled there
    play(&r,
         HEAD "hand: {urdf: jaw.urdf, frame: tcp, surface: rubber, target: {z: 0.3 m}}\n" CUBE TABLE
              "program: [{close: {force: 1 N}}, {hold: {for: 0.1 s}}]\nsuccess: {at_end: "
              "[held_by(object) < 1]}\n",
         "1 ms");
    assert_int_equal(r.result.outcome, GMC_OUTCOME_SUCCESS);
    // 40 mm at most at F / c = 50 mm/s
    assert_true(phase_end(&r) > 0.8);
    assert_true(phase_end(&r) < 1);
    // a finger that is asked to be slower than 1 mm/s is on its way, not stalled
    play(&r,
         HEAD JAW CUBE TABLE
         "program: [{close: {force: 10 N, speed: 0.8 mm/s, until: stalled, at_most: 0.3 s}}]\n"
         "success: {at_end: [held_by(object) < 1]}\n",
         "1 ms");
    ASSERT_NEAR(phase_end(&r), 0.3, 1e-9);
    gmc_rolling_close(&r);
}

static void contact_of_every_finger_ends_a_close(void **state)
{
    (void)state;
    gmc_rolling r;
    gmc_rolling_open(&r);
    static const char *const hands[] = {JAW, COUPLED};
    for (int i = 0; i < 2; i++) {
        char text[1024];
        // 5 mm to the left: that finger is there 100 ms before the other
        snprintf(text, sizeof text,
                 HEAD "%s" CUBE TABLE
                      "uncertain:\n  object.pose.y: nominal + uniform(4.999 mm, 5.001 mm)\n"
                      "program: [{close: {force: 2 N, speed: 50 mm/s, until: in_contact}}]\n" HELD,
                 hands[i]);
        play(&r, text, "1 ms");
        assert_int_equal(r.result.outcome, GMC_OUTCOME_SUCCESS);
        int left = gmc_rolling_body(&r, "left_finger"),
            right = gmc_rolling_body(&r, "right_finger");
        int row = 0, first = 0;
        while (!(gmc_rolling_force(&r, row, left) > 0))
            row++;
        first = row;
        while (!(gmc_rolling_force(&r, row, left) > 0 && gmc_rolling_force(&r, row, right) > 0))
            row++;
        assert_true(r.trajectory.time[row] - r.trajectory.time[first] > 0.05);
        assert_true(phase_end(&r) >= r.trajectory.time[row] + 0.02 - 1e-9);
        assert_true(phase_end(&r) <= r.trajectory.time[row] + 0.06);
    }
    gmc_rolling_close(&r);
}

static void rest_and_patience_end_a_hold(void **state)
{
    (void)state;
    gmc_rolling r;
    gmc_rolling_open(&r);
    // a cube that slides to a stop: v = mu g t from 0.4 m/s given by a tilted gravity for 0.2 s
    static const char SLIDE[] =
        HEAD "object: {box: [5 cm, 5 cm, 2 cm], mass: 0.2 kg, surface: s, placed: resting}\n"
             "scene: {table: {plane: {}, surface: s}}\nfriction: {s/s: 0.2}\n"
             "gravity: [4 m/s2, 0, -9.81 m/s2]\n"
             "program:\n  - hold: {for: 0.2 s}\n  - set: {gravity.x: 0}\n"
             "  - hold: {until: at_rest, at_most: %s}\n"
             "success: {at_end: [lift(object) >= -1 mm]}\n";
    char text[1024];
    double v = (4 - 0.2 * G) * 0.2, stop = 0.2 + v / (0.2 * G);
    snprintf(text, sizeof text, SLIDE, "1 s");
    play(&r, text, "1 ms");
    ASSERT_NEAR(r.result.t_end, stop + 0.02, 3e-3); // some steps of 1 ms at either end
    snprintf(text, sizeof text, SLIDE, "50 ms");
    play(&r, text, "1 ms");
    ASSERT_NEAR(r.result.t_end, 0.25, 1e-9);
    gmc_rolling_close(&r);
}

// ---- set phases --------------------------------------------------------------------------------

// Gravity changes at once where `in` is silent, whatever stands before, and smoothly else.
static void set_phases_change_what_they_name(void **state)
{
    (void)state;
    gmc_rolling r;
    gmc_rolling_open(&r);
    for (int i = 0; i < GMC_COUNT(STEPS); i++) {
        play(&r,
             HEAD "object: {sphere: {radius: 1 cm}, mass: 0.1 kg, surface: s, placed: as_given}\n"
                  "gravity: [0, 0, 0]\n"
                  "program:\n  - set: {gravity.x: 1}\n  - hold: {for: 0.1 s}\n"
                  "  - set: {gravity.x: 0, gravity.y: 2}\n  - set: {gravity.z: 3}\n"
                  "  - hold: {for: 0.2 s}\n  - set: {gravity.y: 0, gravity.z: 0, in: 0.4 s}\n"
                  "success: {at_end: [lift(object) >= -1 m]}\n",
             STEPS[i]);
        int last = r.trajectory.row_count - 1;
        gmc_vec3 v = gmc_rolling_velocity(&r, last, gmc_rolling_body(&r, "object"));
        // what is set acts for as long as it is there; the smooth step's mean is a half, and the
        // sum of its samples exact to h^6
        ASSERT_NEAR(v.x, 0.1, 1e-14);
        ASSERT_NEAR(v.y, 2 * (0.2 + 0.2), 1e-6);
        ASSERT_NEAR(v.z, 3 * (0.2 + 0.2), 1e-6);
        ASSERT_NEAR(r.result.t_end, 0.7, 1e-9);
    }
    gmc_rolling_close(&r);
}

static void friction_can_be_taken_away_at_once(void **state)
{
    (void)state;
    gmc_rolling r;
    gmc_rolling_open(&r);
    play(&r,
         HEAD JAW CUBE
         "friction: {abs/rubber: 0.5}\ngravity: [0, 0, 0]\n"
         "program:\n  - close: {force: 10 N}\n  - set: {gravity.z: -9.81, in: 0.2 s}\n"
         "  - hold: {for: 0.1 s}\n  - set: {friction.rubber/abs: 0}\n"
         "  - hold: {for: 50 ms}\n"
         "success: {at_end: [lift(object) >= -1 m]}\n",
         "1 ms");
    // free fall along frictionless pads, but for what their elastic hold leaves within a step or
    // two
    double fall =
        -gmc_rolling_velocity(&r, r.trajectory.row_count - 1, gmc_rolling_body(&r, "object")).z;
    ASSERT_NEAR(fall, G * 0.05, 1e-12);
    gmc_rolling_close(&r);
}

// ---- measures ----------------------------------------------------------------------------------

// Held between two fingers and loaded slowly, a cube needs friction m g / (2 F), and says so.
static void the_friction_needed_is_that_of_the_load(void **state)
{
    (void)state;
    gmc_rolling r;
    gmc_rolling_open(&r);
    for (int i = 0; i < GMC_COUNT(STEPS); i++) {
        play(&r,
             HEAD JAW CUBE "friction: {rubber/abs: 0.5}\ngravity: [0, 0, 0]\n"
                           "program:\n  - close: {force: 10 N}\n  - hold: {for: 0.2 s}\n"
                           "  - set: {gravity.z: -9.81, in: 1 s}\n  - hold: {for: 0.5 s}\n"
                           "success: {at_end: [held_by(object) >= 2], always: ['slip(object, hand) "
                           "<= 1 um']}\n",
             STEPS[i]);
        assert_int_equal(r.result.outcome, GMC_OUTCOME_SUCCESS);
        // a second's loading is 1e4 times slower than the hold's own motion
        ASSERT_NEAR(gmc_rolling_value(&r, "friction_needed(rubber/abs)"), 0.2 * G / 20, 1e-6);
        ASSERT_NEAR(gmc_rolling_value(&r, "slipped(rubber/abs)"), 0, 0);
        ASSERT_NEAR(gmc_rolling_value(&r, "held_by"), 2, 0);
    }
    gmc_rolling_close(&r);
}

// Friction lowered to less than the hold needs: it slips, from about when mu passes m g / (2 F).
static void a_slip_is_seen_where_it_begins(void **state)
{
    (void)state;
    gmc_rolling r;
    gmc_rolling_open(&r);
    play(&r,
         HEAD JAW CUBE TABLE
         "program:\n  - close: {force: 10 N}\n  - lift: {by: 60 mm, in: 0.5 s}\n"
         "  - hold: {for: 0.2 s}\n  - set: {friction.rubber/abs: 0.05, in: 0.4 "
         "s}\n  - hold: {for: 60 ms}\n"
         "success: {at_end: [lift(object) >= 55 mm], always: ['slip(object, "
         "hand) <= 1 mm']}\n",
         "1 ms");
    assert_int_equal(r.result.outcome, GMC_OUTCOME_VIOLATED);
    ASSERT_NEAR(gmc_rolling_value(&r, "slipped(rubber/abs)"), 1, 0);
    // where 0.5 + (0.05 - 0.5) s(t) crosses 0.0981: s = 0.893, t = 0.735 of 0.4 s; then 1 mm of
    // fall
    double t_cross = phase_end(&r) + 0.5 + 0.2 + 0.735 * 0.4;
    double t = gmc_rolling_value(&r, "t_violated");
    assert_true(t > t_cross);
    assert_true(t < t_cross + 0.06);
    double slip = gmc_rolling_value(&r, "max(slip(object, hand))");
    ASSERT_NEAR(gmc_rolling_value(&r, "slip"), slip, 1e-15);
    ASSERT_NEAR(gmc_rolling_value(&r, "lift"), 0.06 - slip, 1e-5); // the pads give some um
    ASSERT_NEAR(gmc_rolling_value(&r, "t_settled"), r.result.t_end, 1e-3);
    gmc_rolling_close(&r);
}

// Measures of the store against the trajectory they came with.
static void measures_agree_with_the_trajectory(void **state)
{
    (void)state;
    gmc_rolling r;
    gmc_rolling_open(&r);
    play(&r,
         HEAD JAW CUBE TABLE
         "uncertain:\n  object.pose.x: nominal + uniform(7.99 mm, 8.01 mm)\n"
         "program:\n  - close: {force: 10 N}\n  - lift: {by: 60 mm, in: 0.4 s}\n"
         "  - turn: {axis: x, by: 50 deg, in: 0.4 s}\n  - shake: {axis: y, amplitude: 8 mm, "
         "frequency: 4 Hz, for: 0.5 s}\n"
         "success: {at_end: ['tilted(object) >= 40 deg', 'distance(object, hand) <= 50 mm', "
         "'contact(object, hand) and not contact(object, table)', 'force(object, hand) >= 15 N', "
         "'height(object) > 50 mm', 'spin(object) < 1 rad/s']}\n",
         "2 ms");
    assert_int_equal(r.result.outcome, GMC_OUTCOME_SUCCESS);
    int object = gmc_rolling_body(&r, "object"), hand = gmc_rolling_body(&r, "hand");
    int last = r.trajectory.row_count - 1, closed = gmc_rolling_row(&r, phase_end(&r));
    gmc_pose X_bt = {gmc_mat3_identity(), {0, 0, -0.045}}, X_ho[2];
    double slip = 0, angle = 0, fastest = 0;
    for (int row = closed; row <= last; row++) {
        gmc_pose X_wb = gmc_rolling_pose(&r, row, hand), X_wo = gmc_rolling_pose(&r, row, object);
        gmc_pose X_wh = gmc_pose_multiply(&X_wb, &X_bt);
        X_ho[row > closed] = gmc_pose_relative(&X_wh, &X_wo);
        if (row == closed) X_ho[1] = X_ho[0];
        gmc_pose moved = gmc_pose_relative(&X_ho[0], &X_ho[1]);
        slip = fmax(slip, gmc_vec3_norm(moved.p));
        angle = fmax(angle, gmc_vec3_norm(gmc_quat_log(gmc_quat_from_matrix(&moved.R))));
    }
    for (int row = 0; row <= last; row++)
        fastest = fmax(fastest, gmc_vec3_norm(gmc_rolling_velocity(&r, row, object)));
    gmc_pose first = gmc_rolling_pose(&r, 0, object), end = gmc_rolling_pose(&r, last, object);
    gmc_pose turned = gmc_pose_relative(&first, &end);
    // quaternions of the record: rounding of poses of 0.1 m and 1 rad
    ASSERT_NEAR(gmc_rolling_value(&r, "slip"), slip, 1e-15);
    ASSERT_NEAR(gmc_rolling_value(&r, "slip_angle"), angle, 1e-14);
    ASSERT_NEAR(gmc_rolling_value(&r, "max_speed"), fastest, 1e-15);
    ASSERT_NEAR(gmc_rolling_value(&r, "lift"), end.p.z - first.p.z, 1e-15);
    ASSERT_NEAR(gmc_rolling_value(&r, "moved"), gmc_vec3_norm(gmc_vec3_sub(end.p, first.p)), 1e-15);
    ASSERT_NEAR(gmc_rolling_value(&r, "turned"),
                gmc_vec3_norm(gmc_quat_log(gmc_quat_from_matrix(&turned.R))), 1e-14);
    double force = 0; // four steps of 2 ms
    for (int row = last - 3; row <= last; row++)
        force += gmc_rolling_force(&r, row, object) / 4;
    ASSERT_NEAR(gmc_rolling_value(&r, "force(object, hand)"), force, 1e-12);
    gmc_rolling_close(&r);
}

// ---- threshold ---------------------------------------------------------------------------------

// The shipped scenario, with friction placed on either side of m g / (2 F).
static void the_threshold_of_a_hold_is_mg_over_2f(void **state)
{
    (void)state;
    const double threshold = 0.2 * G / (2 * 10);
    const double factors[] = {0.99, 0.999, 1.001, 1.01};
    for (int i = 0; i < GMC_COUNT(STEPS); i++)
        for (int k = 0; k < GMC_COUNT(factors); k++) {
            gmc_diagnostics report = {0};
            gmc_prepared prepared;
            char step[64], friction[96];
            snprintf(step, sizeof step, "simulation.step=%s", STEPS[i]);
            snprintf(friction, sizeof friction, "program.3.set.friction.rubber/abs=%.17g",
                     factors[k] * threshold);
            const char *sets[] = {step, friction,
                                  "uncertain.program.3.set.friction.rubber/abs=nominal * "
                                  "uniform(0.99999999, 1.00000001)",
                                  NULL};
            gmc_status status =
                gmc_prepare("scenarios/grip_threshold.yaml", sets, NULL, NULL, &report, &prepared);
            gmc_diagnostics_print(&report, stderr);
            assert_int_equal(status, GMC_OK);
            gmc_rollouts rollouts = {.scenario = &prepared.scenario, .build = prepared.build};
            gmc_job job = gmc_rollouts_job(&rollouts);
            void *worker;
            const gmc_trial *trial;
            atomic_bool stop = false;
            assert_int_equal(job.worker_create(job.context, 0, &worker), GMC_OK);
            for (uint64_t draw = 0; draw < 2; draw++) {
                assert_int_equal(job.run(worker, draw, &stop, &trial), GMC_OK);
                assert_int_equal(trial->outcome,
                                 factors[k] > 1 ? GMC_OUTCOME_SUCCESS : GMC_OUTCOME_MISSED);
            }
            job.worker_free(worker);
            gmc_prepared_free(&prepared);
            gmc_diagnostics_free(&report);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fingers_press_with_the_force_asked_for),
        cmocka_unit_test(a_stall_ends_a_close),
        cmocka_unit_test(contact_of_every_finger_ends_a_close),
        cmocka_unit_test(rest_and_patience_end_a_hold),
        cmocka_unit_test(set_phases_change_what_they_name),
        cmocka_unit_test(friction_can_be_taken_away_at_once),
        cmocka_unit_test(the_friction_needed_is_that_of_the_load),
        cmocka_unit_test(a_slip_is_seen_where_it_begins),
        cmocka_unit_test(measures_agree_with_the_trajectory),
        cmocka_unit_test(the_threshold_of_a_hold_is_mg_over_2f),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

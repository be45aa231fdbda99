// What the hand does over time, against closed forms: a driven base is where its profile says at
// every step, for steps that divide the phases and steps that do not; servo joints follow the
// closed form of a damped oscillator; fingers move, press and stop as asked.
#include "engine/control/program.h"
#include "test/support/near.h"
#include "test/support/rolling.h"

#include <string.h>

// Steps in ms. 0.7, 1.7 and 3.1 divide no phase below.
static const char *const STEPS[] = {"0.5", "0.7", "1", "1.7", "2", "3.1", "4"};

// A hand alone in space: the object rests far away.
#define ALONE(hand) "graspmc: 1\nhand: {urdf: " hand ", frame: tcp, surface: rubber"
#define FAR_OBJECT                                                                                 \
    "object: {sphere: {radius: 10 mm}, mass: 0.1 kg, surface: abs, placed: as_given}\n"            \
    "gravity: [0, 0, 0]\n"                                                                         \
    "friction: {rubber/abs: 0.5}\n"
#define ANY_SUCCESS "success: {at_end: [lift(object) >= -1 m]}\n"

static void play(gmc_rolling *r, const char *text, const char *step_ms)
{
    char set[64];
    snprintf(set, sizeof set, "simulation.step=%s ms", step_ms);
    const char *sets[] = {set, NULL};
    gmc_rolling_play(r, text, sets);
    assert_int_equal(r->result.outcome, GMC_OUTCOME_SUCCESS);
    assert_int_equal(r->trajectory.row_count - 1, (int)gmc_rolling_value(r, "steps"));
}

// ---- the driven base ---------------------------------------------------------------------------

// Lift, move in the hand's frame, turn about the tool point, shake along and about an axis.
static const char TOUR[] =
    ALONE("jaw.urdf") ", target: {x: 100 mm, y: 20 mm, z: 300 mm, yaw: 90 deg}}\n" FAR_OBJECT
                      "program:\n"
                      "  - lift:  {by: 100 mm, in: 0.25 s}\n"
                      "  - move:  {by: [30 mm, 0 mm, 10 mm], frame: hand, in: 0.2 s}\n"
                      "  - turn:  {axis: x, by: 120 deg, in: 0.3 s}\n"
                      "  - shake: {axis: [0, 0.6, 0.8], amplitude: 20 mm, frequency: 5 Hz, ramp: "
                      "0.1 s, for: 0.4 s}\n"
                      "  - shake: {about: z, frame: hand, amplitude: 0.2 rad, frequency: 4 Hz, "
                      "ramp: 0.05 s, for: "
                      "0.25 s}\n"
                      "  - hold:  {for: 0.05 s}\n" ANY_SUCCESS;

static double quintic(double s)
{
    s = s < 0 ? 0 : s > 1 ? 1 : s;
    return 10 * pow(s, 3) - 15 * pow(s, 4) + 6 * pow(s, 5);
}

static double swing(double t, double amplitude, double frequency, double ramp, double length)
{
    if (t <= 0 || t >= length) return 0;
    return amplitude * quintic(t / ramp) * quintic((length - t) / ramp) *
           sin(2 * GMC_PI * frequency * t);
}

// The tool frame of the tour at time t after its start, written out by hand. A step that crosses
// the end of a phase waits there, so the time of the phase that a step began in is what counts.
static gmc_pose tour_at(double t, double step_start)
{
    const double ends[] = {0.25, 0.45, 0.75, 1.15, 1.40, 1.45};
    double b[GMC_COUNT(ends)]; // time in each phase
    for (int i = 0; i < GMC_COUNT(ends); i++) {
        double start = i > 0 ? ends[i - 1] : 0;
        b[i] = step_start < start - 1e-9 ? 0 : t - start;
    }
    gmc_pose X = {gmc_quat_matrix(gmc_quat_from_rpy(0, 0, GMC_PI / 2)), {0.1, 0.02, 0.3}};
    X.p.z += 0.1 * quintic(b[0] / 0.25);
    X.p.y += 0.03 * quintic(b[1] / 0.2); // the hand's x stands along the world's y
    X.p.z += 0.01 * quintic(b[1] / 0.2);
    gmc_mat3 turn = gmc_quat_matrix(gmc_quat_from_rpy(quintic(b[2] / 0.3) * 2 * GMC_PI / 3, 0, 0));
    X.R = gmc_mat3_multiply(&turn, &X.R);
    double along = swing(b[3], 0.02, 5, 0.1, 0.4);
    X.p = gmc_vec3_add_scaled(X.p, along, (gmc_vec3){0, 0.6, 0.8});
    gmc_mat3 about = gmc_quat_matrix(gmc_quat_from_rpy(0, 0, swing(b[4], 0.2, 4, 0.05, 0.25)));
    X.R = gmc_mat3_multiply(&X.R, &about); // about the tool's own z
    return X;
}

static gmc_pose tool_at(const gmc_rolling *r, int row)
{
    gmc_pose X_wb = gmc_rolling_pose(r, row, gmc_rolling_body(r, "hand"));
    gmc_pose X_bt = {gmc_mat3_identity(), {0, 0, -0.045}};
    return gmc_pose_multiply(&X_wb, &X_bt);
}

static double differ(const gmc_pose *A, const gmc_pose *B)
{
    double most = gmc_vec3_norm(gmc_vec3_sub(A->p, B->p));
    for (int i = 0; i < 9; i++)
        most = fmax(most, fabs(A->R.m[i] - B->R.m[i]));
    return most;
}

static void the_base_is_where_its_profile_says(void **state)
{
    (void)state;
    gmc_rolling r;
    gmc_rolling_open(&r);
    for (int i = 0; i < GMC_COUNT(STEPS); i++) {
        play(&r, TOUR, STEPS[i]);
        double worst = 0;
        for (int row = 0; row < r.trajectory.row_count; row++) {
            double t = r.trajectory.time[row];
            double before = row > 0 ? r.trajectory.time[row - 1] : 0;
            gmc_pose is = tool_at(&r, row), should = tour_at(t, before);
            worst = fmax(worst, differ(&is, &should));
        }
        // rounding of some turns, poses and times, the largest 1.45 s * 2 pi * 5 Hz * eps
        ASSERT_NEAR(worst, 0, 1e-13);
        ASSERT_NEAR(r.result.t_end, 1.45, atof(STEPS[i]) * 1e-3);
        assert_int_equal(r.result.phase, 6);
    }
    gmc_rolling_close(&r);
}

// Means over a step of the profile's derivatives: differences of what the step must reach.
static void velocities_are_the_profile_s_differences(void **state)
{
    (void)state;
    gmc_rolling r;
    gmc_rolling_open(&r);
    for (int i = 0; i < GMC_COUNT(STEPS); i++) {
        play(&r, TOUR, STEPS[i]);
        int hand = gmc_rolling_body(&r, "hand");
        double h = atof(STEPS[i]) * 1e-3, largest_jump = 0;
        gmc_vec3 before = {0, 0, 0};
        for (int row = 1; row < r.trajectory.row_count; row++) {
            gmc_pose A = gmc_rolling_pose(&r, row - 1, hand), B = gmc_rolling_pose(&r, row, hand);
            gmc_vec3 com = {0, 0, 0.025}, v = gmc_rolling_velocity(&r, row, hand);
            gmc_vec3 moved = gmc_vec3_sub(gmc_pose_apply(&B, com), gmc_pose_apply(&A, com));
            // rounding of positions of 0.5 m over h
            ASSERT_NEAR(gmc_vec3_norm(gmc_vec3_sub(v, gmc_vec3_scale(1 / h, moved))), 0, 1e-15 / h);
            largest_jump = fmax(largest_jump, gmc_vec3_norm(gmc_vec3_sub(v, before)));
            before = v;
        }
        // no acceleration is larger than the shake's with its ramp T = 0.1 s, at most
        // 0.02 (w² + 2 w 1.875/T + 5.77/T²) = 55 m/s²; a jump of velocity between phases would not
        // shrink with h
        assert_true(largest_jump < 55 * h);
        ASSERT_NEAR(gmc_vec3_norm(before), 0, 1e-15 / h);
    }
    gmc_rolling_close(&r);
}

// Second differences of the position over phase borders shrink with h: the acceleration is
// continuous where phases meet.
static void acceleration_is_continuous(void **state)
{
    (void)state;
    gmc_rolling r;
    gmc_rolling_open(&r);
    double jump[2];
    const char *const steps[] = {"1", "0.5"};
    for (int i = 0; i < 2; i++) {
        play(&r, TOUR, steps[i]);
        int hand = gmc_rolling_body(&r, "hand");
        double h = atof(steps[i]) * 1e-3;
        jump[i] = 0;
        for (int row = 3; row < r.trajectory.row_count; row++) {
            gmc_vec3 v[3];
            for (int k = 0; k < 3; k++)
                v[k] = gmc_rolling_velocity(&r, row - k, hand);
            gmc_vec3 a1 = gmc_vec3_scale(1 / h, gmc_vec3_sub(v[0], v[1]));
            gmc_vec3 a0 = gmc_vec3_scale(1 / h, gmc_vec3_sub(v[1], v[2]));
            jump[i] = fmax(jump[i], gmc_vec3_norm(gmc_vec3_sub(a1, a0)));
        }
    }
    // a continuous acceleration with bounded jerk: its changes per step are proportional to h
    ASSERT_NEAR_RELATIVE(jump[1], jump[0] / 2, 0.1);
    gmc_rolling_close(&r);
}

static void a_base_at_rest_does_not_stir(void **state)
{
    (void)state;
    gmc_rolling r;
    gmc_rolling_open(&r);
    play(&r,
         ALONE("jaw.urdf") ", target: {z: 300 mm, roll: 0.3, pitch: -0.2, yaw: 1}}\n" FAR_OBJECT
                           "program: [{turn: {axis: y, by: 0.7 rad, in: 0.1 s}}, {hold: {for: 0.2 "
                           "s}}]\n" ANY_SUCCESS,
         "2");
    int hand = gmc_rolling_body(&r, "hand");
    for (int row = gmc_rolling_row(&r, 0.102); row < r.trajectory.row_count; row++) {
        ASSERT_NEAR(gmc_vec3_norm(gmc_rolling_velocity(&r, row, hand)), 0, 0);
        ASSERT_NEAR(gmc_vec3_norm(gmc_rolling_spin(&r, row, hand)), 0, 0);
    }
    gmc_rolling_close(&r);
}

// ---- servo joints ------------------------------------------------------------------------------

// A joint of mass m under a servo kp, kd whose reference r(t) and its rate are known:
// m q'' + kd (q' - r') + kp (q - r) = 0. Reference solution by small explicit steps.
typedef double reference(double t);

static double follow(reference *r, double m, double kp, double kd, double until)
{
    enum { COUNT = 200000 };
    double q = 0, v = 0, h = until / COUNT, d = 1e-7;
    for (int i = 0; i < COUNT; i++) {
        double t = h * (i + 0.5); // midpoint: 1e-10 at this step
        double rate = (r(t + d) - r(t - d)) / (2 * d);
        double qm = q + h / 2 * v;
        double vm = v + h / 2 * (-kd * (v - rate) - kp * (q - r(t))) / m;
        double a = (-kd * (vm - rate) - kp * (qm - r(t))) / m;
        q += h * vm;
        v += h * a;
    }
    return q;
}

static double moved_by(double t) { return 0.2 * quintic(t / 0.4); }
static double shaken_by(double t) { return swing(t, 0.3, 3, 0.1, 0.5); }

// First order in h: both errors are stated at 1 ms and must halve at 0.5 ms.
static void check_joint(const char *program, reference *r, double until)
{
    gmc_rolling rolling;
    gmc_rolling_open(&rolling);
    char text[1024];
    snprintf(text, sizeof text,
             "graspmc: 1\nhand: {urdf: finger.urdf, surface: rubber, mount: fixed, "
             "joints: {hook: {kp: 3, kd: 0.02, max_speed: 0}}}\n" FAR_OBJECT
             "program: [%s]\n" ANY_SUCCESS,
             program);
    // inertia of the tip about its hinge, whose origin is its centre
    double exact = follow(r, 1e-3, 3, 0.02, until), error[2];
    const char *const steps[] = {"1", "0.5"};
    for (int i = 0; i < 2; i++) {
        play(&rolling, text, steps[i]);
        int row = gmc_rolling_row(&rolling, until);
        error[i] = fabs(gmc_rolling_joint(&rolling, row, "tip") - exact);
    }
    assert_true(error[0] < 0.01);
    ASSERT_NEAR_RELATIVE(error[1], error[0] / 2, 0.15);
    gmc_rolling_close(&rolling);
}

static void servo_joints_follow_their_oscillator(void **state)
{
    (void)state;
    check_joint("{move: {joint: hook, by: 0.2 rad, in: 0.4 s}}", moved_by, 0.15);
    check_joint("{shake: {joint: hook, amplitude: 0.3 rad, frequency: 3 Hz, for: 0.5 s}}",
                shaken_by, 0.3);
}

// A stiff servo carries its mount exactly where its reference ends, one phase after another.
static void mounted_hands_move_by_their_joints(void **state)
{
    (void)state;
    gmc_rolling r;
    gmc_rolling_open(&r);
    play(&r,
         "graspmc: 1\nhand: {urdf: arm.urdf, frame: tcp, surface: rubber, mount: fixed, fingers: "
         "[left, right], target: {z: 0.5 m}, joints: {slide: {kp: 1e5, kd: 1e3}, rise: {kp: 1e5, "
         "kd: 1e3}, swing: {kp: 1e4, kd: 1e2}}}\n" FAR_OBJECT "program:\n"
         "  - move: {joint: rise, by: 50 mm, in: 0.3 s}\n"
         "  - move: {joint: swing, by: 0.5 rad, in: 0.3 s}\n"
         "  - move: {joint: slide, by: -30 mm, in: 0.3 s}\n"
         "  - shake: {joint: swing, amplitude: 0.1 rad, frequency: 5 Hz, for: 0.3 s}\n"
         "  - hold: {for: 1 s}\n" ANY_SUCCESS,
         "2");
    int last = r.trajectory.row_count - 1, rail = gmc_rolling_body(&r, "hand");
    // settled: a second is a hundred time constants of the slowest servo, kd / kp = 10 ms
    ASSERT_NEAR(gmc_rolling_joint(&r, last, "base"), 0.05, 1e-12);
    ASSERT_NEAR(gmc_rolling_joint(&r, last, "post"), 0.5, 1e-12);
    ASSERT_NEAR(gmc_rolling_joint(&r, last, "cart"), -0.03, 1e-12);
    gmc_pose first = gmc_rolling_pose(&r, 0, rail), end = gmc_rolling_pose(&r, last, rail);
    ASSERT_NEAR(differ(&first, &end), 0, 0); // the mount itself stays to the last bit
    gmc_rolling_close(&r);
}

// ---- fingers -----------------------------------------------------------------------------------

// Closing in the air: m v' = F - c v from rest under a constant force, damped 20 N·s/m.
static void a_free_finger_moves_as_its_force_says(void **state)
{
    (void)state;
    gmc_rolling r;
    gmc_rolling_open(&r);
    play(&r,
         ALONE("jaw.urdf") ", target: {z: 300 mm}}\n" FAR_OBJECT
                           "program: [{close: {force: 2 N, ramp: 0 s, for: 50 ms}}]\n" ANY_SUCCESS,
         "0.5");
    double m = 0.05, c = 20, F = 2, tau = m / c, t = 0.02;
    double exact = F / c * (t - tau * (1 - exp(-t / tau)));
    int row = gmc_rolling_row(&r, t);
    // implicit damping: each step ends later by up to h/2 at terminal speed
    ASSERT_NEAR(gmc_rolling_joint(&r, row, "left_finger"), exact, 0.5 * 0.5e-3 * F / c);
    ASSERT_NEAR(gmc_rolling_joint(&r, row, "left_finger"),
                gmc_rolling_joint(&r, row, "right_finger"), 1e-15);
    gmc_rolling_close(&r);
}

static void a_speed_limit_is_kept(void **state)
{
    (void)state;
    gmc_rolling r;
    gmc_rolling_open(&r);
    play(&r,
         ALONE("jaw.urdf") ", target: {z: 300 mm}}\n" FAR_OBJECT
                           "program: [{close: {force: 10 N, speed: 50 mm/s, for: 0.5 "
                           "s}}]\n" ANY_SUCCESS,
         "2");
    int from = gmc_rolling_row(&r, 0.2), to = gmc_rolling_row(&r, 0.4);
    double way =
        gmc_rolling_joint(&r, to, "left_finger") - gmc_rolling_joint(&r, from, "left_finger");
    double time = r.trajectory.time[to] - r.trajectory.time[from];
    // 1 N of damping takes a ten thousandth of the servo's gain of 1000 F / v
    ASSERT_NEAR_RELATIVE(way / time, 0.05, 1.01e-4);
    gmc_rolling_close(&r);
}

// Fingers that go to a position arrive there, and open again.
static void fingers_go_to_positions(void **state)
{
    (void)state;
    gmc_rolling r;
    gmc_rolling_open(&r);
    for (int i = 0; i < GMC_COUNT(STEPS); i++) {
        play(&r,
             ALONE("jaw.urdf") ", target: {z: 300 mm}, joints: {left: {kp: 1e4, kd: 100}, right: "
                               "{kp: 1e4, kd: 100}}}\n" FAR_OBJECT "program:\n"
                               "  - close: {position: 20 mm, speed: 100 mm/s, for: 0.5 s}\n"
                               "  - hold:  {for: 0.3 s}\n"
                               "  - open:  {position: 5 mm, in: 0.3 s}\n"
                               "  - hold:  {for: 0.3 s}\n" ANY_SUCCESS,
             STEPS[i]);
        int closed = gmc_rolling_row(&r, 0.79), last = r.trajectory.row_count - 1;
        // m s² + (c + kd) s + kp = 0 has its slowest pole at -90/s, also over large steps: 0.3 s
        // leave exp(-20) of the start's error
        ASSERT_NEAR(gmc_rolling_joint(&r, closed, "left_finger"), 0.02, 1e-9);
        ASSERT_NEAR(gmc_rolling_joint(&r, last, "left_finger"), 0.005, 1e-9);
        ASSERT_NEAR(gmc_rolling_joint(&r, last, "right_finger"), 0.005, 1e-9);
    }
    gmc_rolling_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_base_is_where_its_profile_says),
        cmocka_unit_test(velocities_are_the_profile_s_differences),
        cmocka_unit_test(acceleration_is_continuous),
        cmocka_unit_test(a_base_at_rest_does_not_stir),
        cmocka_unit_test(servo_joints_follow_their_oscillator),
        cmocka_unit_test(mounted_hands_move_by_their_joints),
        cmocka_unit_test(a_free_finger_moves_as_its_force_says),
        cmocka_unit_test(a_speed_limit_is_kept),
        cmocka_unit_test(fingers_go_to_positions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

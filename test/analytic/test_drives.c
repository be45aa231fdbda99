// Drives of several joints (engine/control/program.h): a servo on a sum of joint positions against
// closed forms, with every stepper; its largest force; what phases do to it; what cannot be.
#include "test/support/near.h"
#include "test/support/rolling.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Two carriages on rails along z, side by side: m_k z_k'' = c_k F - m_k g, and of the sum
// x = c_1 z_1 + c_2 z_2 whose servo gives F = -kp x - kd x'
//   x'' = -(c_1 + c_2) g + M F,  M = c_1²/m_1 + c_2²/m_2,
// a damped oscillator; while z_1 m_1/c_1 - z_2 m_2/c_2 falls freely.
#define CARRIAGE(name, mass, place)                                                                \
    "<link name='" name "'><inertial><mass value='" mass "'/><inertia ixx='0.01' iyy='0.01' "      \
    "izz='0.01' ixy='0' ixz='0' iyz='0'/></inertial></link><joint name='" name                     \
    "_rail' type='prismatic'><parent link='frame'/><child link='" name "'/><origin xyz='" place    \
    " 0 0'/><axis xyz='0 0 1'/><limit lower='-50' upper='50' effort='7' velocity='3'/></joint>"

static const double G = 9.81;

typedef struct bench {
    double m[2], c[2], kp, kd, most;
    const char *step, *stepper;
} bench;

static void open_bench(gmc_rolling *r, const bench *b, const char *gravity, const char *program)
{
    static char urdf[2048], text[2048];
    char most[64] = "";
    snprintf(urdf, sizeof urdf,
             "<robot name='rails'><link name='frame'/>" CARRIAGE("a", "%.17g", "0")
                 CARRIAGE("b", "%.17g", "1") "</robot>",
             b->m[0], b->m[1]);
    if (b->most > 0) snprintf(most, sizeof most, ", max_force: %.17g N", b->most);
    snprintf(text, sizeof text,
             "graspmc: 1\nrobots: {rails: {urdf: rails.urdf, surface: metal, pose: {z: 3 m}, "
             "drives: {both: {joints: {b_rail: %.17g, a_rail: %.17g}, kp: %.17g N/m, kd: %.17g "
             "N*s/m%s}}}}\n"
             "object: {box: [40 mm, 40 mm, 40 mm], mass: 0.2 kg, surface: metal, pose: {x: 9 m, z: "
             "20 mm}}\nfriction: {metal/metal: 0.2}\n%sprogram: [%s]\n"
             "success: {at_end: [lift(object) >= -90 m]}\n"
             "simulation: {step: %s, stepper: %s, workspace: 100 m}\n",
             b->c[1], b->c[0], b->kp, b->kd, most, gravity, program, b->step, b->stepper);
    gmc_rolling_open(r);
    gmc_scratch_text(&r->scratch, "rails.urdf", urdf);
    gmc_rolling_play(r, text, NULL);
}

static double mobility(const bench *b)
{
    return b->c[0] * b->c[0] / b->m[0] + b->c[1] * b->c[1] / b->m[1];
}

// The sum after a time of fall from rest at 0.
static double fallen(const bench *b, double t)
{
    double M = mobility(b), w2 = M * b->kp, d = M * b->kd / 2, w = sqrt(w2 - d * d);
    double rest = -(b->c[0] + b->c[1]) * G / w2;
    return rest * (1 - exp(-d * t) * (cos(w * t) + d / w * sin(w * t)));
}

static double sum_of(const gmc_rolling *r, const bench *b, int row)
{
    return b->c[0] * gmc_rolling_joint(r, row, "rails.a") +
           b->c[1] * gmc_rolling_joint(r, row, "rails.b");
}

/// Largest error of the sum, as a share of its way, and of what falls freely [m].
typedef struct misses {
    double sum, free;
} misses;

static misses fall(const bench *b)
{
    gmc_rolling r;
    misses most = {0, 0};
    open_bench(&r, b, "", "hold: {for: 0.5 s}");
    double way = (b->c[0] + b->c[1]) * G / (mobility(b) * b->kp);
    double weight[2] = {b->m[0] / b->c[0], -b->m[1] / b->c[1]};
    for (int row = 0; row < r.trajectory.row_count; row++) {
        double t = r.trajectory.time[row];
        double apart = weight[0] * gmc_rolling_joint(&r, row, "rails.a") +
                       weight[1] * gmc_rolling_joint(&r, row, "rails.b");
        double free = -(weight[0] + weight[1]) * G * t * t / 2;
        most.sum = fmax(most.sum, fabs(sum_of(&r, b, row) - fallen(b, t)) / fabs(way));
        most.free = fmax(most.free, fabs(apart - free) / (fabs(weight[0]) + fabs(weight[1])));
    }
    assert_true(r.trajectory.row_count > 100);
    gmc_rolling_close(&r);
    return most;
}

// Equal and unequal carriages, heavy and light; a drive that swings and one that hardly does; a
// share of 1/2, and one against the other. The servo is centred: an error of second order. What no
// drive moves is free fall, exact but for rounding of 1 m.
static void a_sum_swings_as_its_closed_form(void **unused)
{
    (void)unused;
    static const bench CASES[] = {
        {{1, 1}, {1, 1}, 200, 2, 0, NULL, "coulomb"},
        {{0.05, 0.05}, {1, 1}, 10, 0.3, 0, NULL, "coulomb"},
        {{1, 3}, {1, 0.5}, 150, 10, 0, NULL, "coulomb"},
        {{20, 8}, {0.5, -2}, 900, 40, 0, NULL, "coulomb"},
    };
    static const char *const STEPS[] = {"4 ms", "2 ms", "1 ms"};
    for (int i = 0; i < GMC_COUNT(CASES); i++) {
        double before = 0;
        for (int k = 0; k < GMC_COUNT(STEPS); k++) {
            bench b = CASES[i];
            b.step = STEPS[k];
            misses most = fall(&b);
            print_message("drive %d at %s: %.2e of its way, free %.1e m\n", i, b.step, most.sum,
                          most.free);
            assert_true(most.free <= 1e-12);
            if (k > 0) ASSERT_NEAR(before / most.sum, 4, 0.5);
            if (k == 1) assert_true(most.sum <= 1e-3); // (w h)²/24 per swing, w <= 20, 2 swings
            before = most.sum;
        }
    }
}

// The others: of first order the rigid laws, whose servo is implicit; of their integrator's
// tolerance the one that is integrated in time.
static void so_it_does_with_every_stepper(void **unused)
{
    (void)unused;
    static const struct {
        const char *stepper;
        double most, ratio; // 0: no order
    } CASES[] = {
        {"anitescu_potra", 0.05, 2}, {"stewart_trinkle", 0.05, 2}, {"song_pang_kumar", 1e-5, 0}};
    for (int i = 0; i < GMC_COUNT(CASES); i++) {
        bench b = {{1, 3}, {1, 0.5}, 150, 10, 0, "2 ms", CASES[i].stepper};
        double coarse = fall(&b).sum;
        b.step = "1 ms";
        double fine = fall(&b).sum;
        print_message("%s: %.2e, %.2e\n", b.stepper, coarse, fine);
        assert_true(coarse <= CASES[i].most);
        if (CASES[i].ratio > 0) ASSERT_NEAR(coarse / fine, CASES[i].ratio, 0.2);
    }
}

// A drive at its limit gives it to the last bit of rounding: the sum falls with what is left.
static void a_drive_gives_no_more_than_it_has(void **unused)
{
    (void)unused;
    static const bench CASES[] = {{{1, 1}, {1, 1}, 0, 1e9, 3, "2 ms", "coulomb"},
                                  {{0.1, 0.4}, {2, -0.5}, 0, 1e9, 0.2, "1 ms", "coulomb"},
                                  {{1, 1}, {1, 1}, 0, 1e9, 3, "2 ms", "anitescu_potra"}};
    for (int i = 0; i < GMC_COUNT(CASES); i++) {
        const bench *b = &CASES[i];
        gmc_rolling r;
        open_bench(&r, b, "", "hold: {for: 0.4 s}");
        int last = r.trajectory.row_count - 1;
        double t = r.trajectory.time[last];
        double pull = (b->c[0] + b->c[1]) * G - mobility(b) * b->most;
        // symplectic Euler of the rigid laws adds half a step's way of the last speed
        bool is_first = strcmp(b->stepper, "coulomb") != 0;
        double x = -pull * t * (t + (is_first ? 2e-3 : 0)) / 2;
        assert_true(pull > 1);
        ASSERT_NEAR(sum_of(&r, b, last), x, 1e-8);
        ASSERT_NEAR(gmc_rolling_value(&r, "max_joint_effort"), 1, 1e-9);
        gmc_rolling_close(&r);
    }
}

// ---- what phases do to it ----------------------------------------------------------------------

#define WEIGHTLESS "gravity: [0 m/s2, 0 m/s2, 0 m/s2]\n"

// Moved and shaken as a joint: the sum follows its reference, the joints share it as their masses
// let them: m_1 z_1 / c_1 = m_2 z_2 / c_2, for the same force moves both.
static void phases_move_a_drive_as_a_joint(void **unused)
{
    (void)unused;
    static const char *const STEPPERS[] = {"coulomb", "anitescu_potra", "song_pang_kumar"};
    for (int i = 0; i < GMC_COUNT(STEPPERS); i++) {
        bench b = {{1, 3}, {1, 0.5}, 1e5, 800, 0, "2 ms", STEPPERS[i]};
        gmc_rolling r;
        open_bench(&r, &b, WEIGHTLESS,
                   "move: {joint: rails/both, by: 0.3 m, in: 0.5 s}, shake: {joint: rails/both, "
                   "amplitude: 10 mm, frequency: 4 Hz, for: 0.5 s}, hold: {for: 0.5 s}");
        double most = 0;
        for (int row = 0; row < r.trajectory.row_count; row++) {
            double a = gmc_rolling_joint(&r, row, "rails.a");
            double z = gmc_rolling_joint(&r, row, "rails.b");
            most = fmax(most, fabs(b.m[0] * a / b.c[0] - b.m[1] * z / b.c[1]));
        }
        assert_true(most <= 1e-9); // solvers and integrators: kg m
        // kd acts on the speed of the reference, so that it lags by its acceleration / (M kp), 0.3 mm
        ASSERT_NEAR(sum_of(&r, &b, gmc_rolling_row(&r, 0.25)), 0.15, 5e-3);
        ASSERT_NEAR(sum_of(&r, &b, gmc_rolling_row(&r, 0.7525)), 0.3, 5e-3);
        ASSERT_NEAR(sum_of(&r, &b, r.trajectory.row_count - 1), 0.3, 1e-6);
        gmc_rolling_close(&r);
    }
}

// ---- words -------------------------------------------------------------------------------------

static const char FINGER[] =
    "<robot name='finger'><link name='palm'/>"
    "<link name='slow'><inertial><mass value='0.1'/><inertia ixx='1e-4' iyy='1e-4' izz='1e-4' "
    "ixy='0' ixz='0' iyz='0'/></inertial></link>"
    "<link name='mid'><inertial><mass value='0.1'/><inertia ixx='1e-4' iyy='1e-4' izz='1e-4' "
    "ixy='0' ixz='0' iyz='0'/></inertial></link>"
    "<link name='tip'><inertial><mass value='0.1'/><inertia ixx='1e-4' iyy='1e-4' izz='1e-4' "
    "ixy='0' ixz='0' iyz='0'/></inertial></link>"
    "<joint name='j1' type='revolute'><parent link='palm'/><child link='mid'/><axis xyz='0 0 1'/>"
    "<limit lower='-2' upper='2' effort='1' velocity='5'/></joint>"
    "<joint name='j2' type='revolute'><parent link='mid'/><child link='tip'/><axis xyz='0 0 1'/>"
    "<limit lower='-2' upper='2' effort='1' velocity='5'/></joint>"
    "<joint name='s' type='prismatic'><parent link='palm'/><child link='slow'/><axis xyz='0 0 1'/>"
    "<limit lower='-2' upper='2' effort='1' velocity='5'/></joint></robot>";

#define HAND_ALL(more, joints, drives, program)                                                    \
    "graspmc: 1\nhand: {urdf: finger.urdf, surface: metal, mount: fixed, target: {z: 1 m}, " more  \
    "joints: {" joints "}, drives: {" drives "}}\n"                                                \
    "object: {box: [40 mm, 40 mm, 40 mm], mass: 0.2 kg, surface: metal, pose: {x: 9 m}}\n"         \
    "scene: {table: {plane: {height: -20 mm}, surface: metal}}\n"                                  \
    "friction: {metal/metal: 0.2}\nprogram: [" program "]\n"                                       \
    "success: {at_end: [lift(object) >= -1 m]}\nsimulation: {step: 2 ms, workspace: 20 m}\n"
#define HAND_WITH(joints, drives, program) HAND_ALL("", joints, drives, program)
#define CLOSING(drives, program)           HAND_ALL("fingers: [D], ", "", drives, program)
#define HAND(joints, drives)               HAND_WITH(joints, drives, "hold: {for: 0.1 s}")

static void what_cannot_be_driven_is_told(void **unused)
{
    (void)unused;
    static const struct {
        const char *text, *said;
    } CASES[] = {
        {HAND("", "j1: {joints: {j1: 1, j2: 1}, kp: 1}"),
         "scenario.yaml:2:96: error: drive j1 of the hand has the name of a joint"},
        {HAND("", "D: {joints: {}, kp: 1}"), "drive D of the hand moves no joint"},
        {HAND("", "D: {joints: {j1: 1, j3: 1}, kp: 1}"),
         "scenario.yaml:2:116: error: drive D of the hand cannot move joint j3: there is no such "
         "joint"},
        {HAND("", "D: {joints: {j1: 1, j1: 1}, kp: 1}"), "j1"},
        {HAND("", "D: {joints: {j1: 1}, kp: 1}, E: {joints: {j1: 2, j2: 1}, kp: 1}"),
         "drive E of the hand cannot move joint j1: another drive moves it, too"},
        {HAND("j2: {follows: {joint: j1}}", "D: {joints: {j2: 1}, kp: 1}"),
         "drive D of the hand cannot move joint j2: that follows another"},
        {HAND("j2: {follows: {joint: j1, breakaway: 1 N*m}}", "D: {joints: {j1: 1}, kp: 1}"),
         "drive D of the hand cannot move joint j1: a clutch is between it and its drive"},
        {HAND("", "D: {joints: {j1: 1, s: 1}, kp: 1}"),
         "drive D of the hand cannot move joint s: one of its joints slides, another turns"},
        {HAND("", "D: {joints: {j1: 1, j2: 0}, kp: 1}"),
         "drive D of the hand does not move joint j2: its number is 0"},
        {HAND("", "D: {joints: {j1: 1, j2: 3 mm}, kp: 1}"), "hand.drives.D.joints.j2"},
        {HAND("", "D: {joints: {j1: 1}, kp: 1, max_force: 0}"),
         "hand.drives.D.max_force: must be > 0"},
        {HAND("", "D: {joints: {j1: 1}, kp: 3 N/m}"), "hand.drives.D.kp"},
        {HAND("", "D: {joints: {j1: 1}}"), "2:96: error: hand.drives.D needs kp"},
        {HAND("j1: {kp: 4 N*m/rad}", "D: {joints: {j1: 1}, kp: 1}"),
         "hand.j1.kp: drive D moves the joint"},
        {HAND("j1: {closes: upper}", "D: {joints: {j1: 1}, kp: 1}"),
         "hand.j1.closes: drive D moves the joint"},
        {HAND_WITH("", "D: {joints: {j1: 1}, kp: 1}", "move: {joint: j1, by: 1 deg, in: 1 s}"),
         "the hand has no joint j1 to move\n"},
        {CLOSING("D: {joints: {j1: 1}, kp: 1, open: 0}", "close: {force: 1 N*m, for: 1 s}"),
         "which way drive D closes cannot be told"},
        {CLOSING("D: {joints: {j1: 1}, kp: 1, closes: upper}", "close: {position: 1 rad}"),
         "goes to a position, but how fast is not said: joint D"},
        {HAND_WITH("", "D: {joints: {j1: 1, j2: -0.5}, kp: 1}",
                   "move_to: {joints: {D: 3.1}, in: 1 s}"),
         "phase move_to: drive D is to go to 177.617 deg, outside of its limits -171.887 deg to "
         "171.887 deg"},
        {HAND_WITH("", "D: {joints: {j1: 1}, kp: 1}",
                   "move_to: {joints: {D: 1}, reach: plan, in: 1 s}"),
         "a way around what stands there is one of joints, D is a drive of several"},
        {HAND_WITH("", "D: {joints: {j1: 1}, kp: 1}", "move_to: {joints: {j1: 1}, in: 1 s}"),
         "the hand has no joint j1 to move\n"},
        {HAND_WITH("", "D: {joints: {j1: 1}, kp: 1}", "move: {joint: E, by: 1 deg, in: 1 s}"),
         "the hand has no joint E to move"},
    };
    gmc_rolling r;
    gmc_rolling_open(&r);
    gmc_scratch_text(&r.scratch, "finger.urdf", FINGER);
    for (int i = 0; i < GMC_COUNT(CASES); i++)
        gmc_rolling_refuse(&r, CASES[i].text, CASES[i].said);
    gmc_rolling_close(&r);
}

static double finger_sum(const gmc_rolling *r, int row, double share)
{
    return gmc_rolling_joint(r, row, "mid") + share * gmc_rolling_joint(r, row, "tip");
}

// A sum and a joint go to their places in one motion, each a quintic step of time from 0; alone a sum
// goes through places at their times. A stiff drive lags by acceleration / (kp M), M the inverse
// inertia along the sum: with 1e-4 kg·m² less than 1e-4 of its way at these gains.
static void a_sum_goes_to_its_places(void **unused)
{
    (void)unused;
    static const struct {
        const char *share, *to, *step, *stepper;
    } CASES[] = {{"-0.5", "0.6", "2 ms", "coulomb"},
                 {"1", "-0.9", "1 ms", "coulomb"},
                 {"2", "0.3", "2 ms", "anitescu_potra"},
                 {"-0.5", "0.6", "4 ms", "stewart_trinkle"}};
    for (int i = 0; i < GMC_COUNT(CASES); i++) {
        char text[2048], stepper[64], step[64];
        const char *sets[] = {step, stepper, NULL};
        double share = strtod(CASES[i].share, NULL), to = strtod(CASES[i].to, NULL);
        snprintf(stepper, sizeof stepper, "simulation.stepper=%s", CASES[i].stepper);
        snprintf(step, sizeof step, "simulation.step=%s", CASES[i].step);
        snprintf(text, sizeof text,
                 HAND_WITH("s: {kp: 1e5 N/m, kd: 1e3, max_force: 1 kN}",
                           "D: {joints: {j1: 1, j2: %s}, kp: 300 N*m/rad, kd: 3}",
                           "move_to: {joints: {D: %s, s: 100 mm}, in: 1 s}, move_to: {joints: {D: "
                           "[[0.5 s, 0.1], [1 s, 0.2]]}}, hold: {for: 0.1 s}"),
                 CASES[i].share, CASES[i].to);
        gmc_rolling r;
        gmc_rolling_open(&r);
        gmc_scratch_text(&r.scratch, "finger.urdf", FINGER);
        gmc_rolling_play(&r, text, sets);
        double worst = 0, slide = 0;
        for (int row = 0; row < r.trajectory.row_count; row++) {
            double t = r.trajectory.time[row], u = fmin(t, 1);
            double way = u * u * u * (10 + u * (-15 + 6 * u));
            if (t > 1) break;
            worst = fmax(worst, fabs(finger_sum(&r, row, share) - way * to));
            slide = fmax(slide, fabs(gmc_rolling_joint(&r, row, "slow") - way * 0.1));
        }
        print_message("%s: sum off by %.1e rad, joint by %.1e m\n", CASES[i].stepper, worst, slide);
        ASSERT_BELOW(worst, 1e-4 * fabs(to));
        ASSERT_NEAR_RELATIVE(slide, 0.1 * 9.81 / 1e5,
                             0.1); // its weight; speeding up is 6 % of that
        ASSERT_NEAR(finger_sum(&r, r.trajectory.row_count - 1, share), 0.2, 1e-5);
        gmc_rolling_close(&r);
    }
}

// A finger of two links on one drive is closed by it: both links go to their stops, and each presses
// on its own with its number times the force (a stop gives way by load / 1e6 N*m/rad; a rigid one
// stands within 0.1 deg); then it opens to where the drive is open.
static void a_finger_on_a_drive_closes(void **unused)
{
    (void)unused;
    static const char TEXT[] = CLOSING("D: {joints: {j1: 1, j2: -0.5}, kp: 30 N*m/rad, kd: 0.5, "
                                       "max_force: 2 N*m, closes: upper, open: 0.2}",
                                       "close: {force: 0.5 N*m, speed: 1 rad/s, ramp: 0.1 s, "
                                       "for: 5 s}, open: {in: 1 s}, hold: {for: 2 s}");
    static const char *const SETS[][4] = {
        {NULL},
        {"simulation.step=1 ms", "hand.drives.D.share=0.5", "simulation.stepper=anitescu_potra",
         NULL},
        {"simulation.step=0.5 ms", "hand.drives.D.max_force=0.2 N*m", NULL}};
    static const double FORCE[] = {0.5, 0.25, 0.2};
    for (int i = 0; i < GMC_COUNT(SETS); i++) {
        gmc_rolling r;
        gmc_rolling_open(&r);
        gmc_scratch_text(&r.scratch, "finger.urdf", FINGER);
        gmc_rolling_play(&r, TEXT, SETS[i]);
        int closed = gmc_rolling_row(&r, 4.99), last = r.trajectory.row_count - 1;
        double past = gmc_rolling_joint(&r, closed, "mid") - 2;
        double other = -2 - gmc_rolling_joint(&r, closed, "tip");
        if (i == 1) { // rigid
            ASSERT_NEAR(past, -0.05 * GMC_PI / 180, 0.05 * GMC_PI / 180);
            ASSERT_NEAR(other, -0.05 * GMC_PI / 180, 0.05 * GMC_PI / 180);
        } else {
            ASSERT_NEAR(1e6 * past, FORCE[i], 1e-3 * FORCE[i]);
            ASSERT_NEAR(1e6 * other, FORCE[i] / 2, 1e-3 * FORCE[i]);
        }
        double x = gmc_rolling_joint(&r, last, "mid") - gmc_rolling_joint(&r, last, "tip") / 2;
        ASSERT_NEAR(x, 0.2, 1e-3);
        gmc_rolling_close(&r);
    }
}

// Its numbers have paths: set, drawn and varied like any other. From rest at 0 under gravity across
// its axes nothing moves; what `move` asks for is told by the sum that the number makes.
static void numbers_of_drives_have_paths(void **unused)
{
    (void)unused;
    static const char TEXT[] = HAND_WITH("",
                                         "D: {joints: {j1: 1, j2: 1}, kp: 3 N*m/rad, kd: 0.05, "
                                         "max_force: 2 N*m}",
                                         "move: {joint: D, by: 0.4 rad, in: 0.2 s}, hold: {for: 2 "
                                         "s}") "uncertain: {hand.drives.D.kp: \"normal(3 N*m/rad, "
                                               "0.1 N*m/rad)\"}\n";
    static const char *const SETS[][3] = {
        {NULL}, {"hand.drives.D.joints.j2=2", "hand.drives.D.max_force=3 N*m", NULL}};
    for (int i = 0; i < GMC_COUNT(SETS); i++) {
        gmc_rolling r;
        gmc_rolling_open(&r);
        gmc_scratch_text(&r.scratch, "finger.urdf", FINGER);
        gmc_rolling_play(&r, TEXT, SETS[i]);
        int last = r.trajectory.row_count - 1;
        double share = i == 0 ? 1 : 2;
        double x = gmc_rolling_joint(&r, last, "mid") + share * gmc_rolling_joint(&r, last, "tip");
        ASSERT_NEAR(x, 0.4, 1e-4);
        assert_true(fabs(gmc_rolling_joint(&r, last, "tip")) > 0.01);
        gmc_rolling_close(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sum_swings_as_its_closed_form),
        cmocka_unit_test(so_it_does_with_every_stepper),
        cmocka_unit_test(a_drive_gives_no_more_than_it_has),
        cmocka_unit_test(phases_move_a_drive_as_a_joint),
        cmocka_unit_test(what_cannot_be_driven_is_told),
        cmocka_unit_test(a_sum_goes_to_its_places),
        cmocka_unit_test(a_finger_on_a_drive_closes),
        cmocka_unit_test(numbers_of_drives_have_paths),
    };
    return cmocka_run_group_tests_name("drives", tests, NULL, NULL);
}

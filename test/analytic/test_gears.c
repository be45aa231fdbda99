// Joints that follow others: exactly, where there is no clutch, and where there is one as its law
// says (engine/control/program.h): it opens at its moment, the drive then has the follower alone,
// with its force over the ratio, and it closes where it opened.
#include "test/support/capability.h"
#include "test/support/near.h"
#include "test/support/rolling.h"

#include <math.h>
#include <string.h>

// A finger of two links in the plane z = const, so that gravity does not act on its joints.
#define LINK(name)                                                                                 \
    "<link name='" name "'><inertial><origin xyz='0.03 0 0'/><mass value='0.1'/>"                  \
    "<inertia ixx='1e-5' iyy='4e-5' izz='4e-5' ixy='0' ixz='0' iyz='0'/></inertial></link>"
#define TURN(name, parent, child, at, limits)                                                      \
    "<joint name='" name "' type='revolute'><parent link='" parent "'/><child link='" child        \
    "'/><origin xyz='" at "'/><axis xyz='0 0 1'/><limit " limits " velocity='5'/></joint>"
static const char FINGER[] = "<robot name='finger'><link name='palm'/>" LINK("inner") LINK("outer")
    TURN("j2", "palm", "inner", "0 0 0", "lower='0' upper='2.5' effort='2.5'")
        TURN("j3", "inner", "outer", "0.07 0 0", "lower='0' upper='2.5' effort='0.1'") "</robot>";

#define SCENE_WITH(outer, follows, more)                                                           \
    "graspmc: 1\nhand: {urdf: finger.urdf, surface: metal, mount: fixed, target: {z: 1 m}, "       \
    "fingers: [j2], joints: {j2: {closes: upper" more "}, j3: {" outer "follows: {" follows        \
    "}}}}\n"                                                                                       \
    "object: {box: [40 mm, 40 mm, 40 mm], mass: 0.2 kg, surface: metal, pose: {x: 9 m}}\n"         \
    "scene: {table: {plane: {height: -20 mm}, surface: metal}}\n"                                  \
    "friction: {metal/metal: 0.2}\nprogram: [close: {force: 2.5 N*m, speed: 0.5 rad/s, ramp: 1 "   \
    "s, for: 2 s}, open: {in: 1 s}]\n"                                                             \
    "success: {at_end: [lift(object) >= -1 m]}\nsimulation: {step: 2 ms, workspace: 20 m}\n"

#define SCENE(follows, more) SCENE_WITH("", follows, more)

static void open(gmc_rolling *r)
{
    gmc_rolling_open(r);
    gmc_scratch_text(&r->scratch, "finger.urdf", FINGER);
}

// Angle of one link against another about z.
static double angle_between(const gmc_rolling *r, int row, const char *a, const char *b)
{
    gmc_pose A = gmc_rolling_pose(r, row, gmc_rolling_body(r, a));
    gmc_pose B = gmc_rolling_pose(r, row, gmc_rolling_body(r, b));
    gmc_pose X = gmc_pose_relative(&A, &B);
    return gmc_vec3_norm(gmc_quat_log(gmc_quat_from_matrix(&X.R)));
}

// ---- without a clutch --------------------------------------------------------------------------

static void a_follower_is_where_its_leader_has_it(void **unused)
{
    (void)unused;
    static const char TEXT[] = SCENE("joint: j2, ratio: 1/3, offset: 40 deg", "");
    gmc_rolling r;
    double worst = 0;
    open(&r);
    gmc_rolling_play(&r, TEXT, NULL);
    int last = r.trajectory.row_count - 1;
    for (int row = 0; row <= last; row++) {
        double inner = angle_between(&r, row, "palm", "inner");
        double outer = angle_between(&r, row, "inner", "outer");
        worst = fmax(worst, fabs(outer - inner / 3 - 40 * GMC_PI / 180));
    }
    capability_at_most(9, worst * 180 / GMC_PI, 0.1);
    assert_true(worst <=
                1e-8); // one coordinate; the angle of a rotation near 1 is a root of rounding
    assert_true(angle_between(&r, gmc_rolling_row(&r, 2), "palm", "inner") > 0.5);
    gmc_rolling_close(&r);
}

// ---- with one ----------------------------------------------------------------------------------

#define CLUTCH "joint: j2, ratio: 1/3, offset: 40 deg, breakaway: 0.5 N*m"

static double bend(const gmc_rolling *r, int row, double ratio)
{
    return gmc_rolling_joint(r, row, "outer") - ratio * gmc_rolling_joint(r, row, "inner") -
           40 * GMC_PI / 180;
}

// Nothing is in the way: the clutch stays closed, and the gear bends by what the outer link's
// inertia asks, far below 0.1 degrees.
static void a_closed_clutch_is_a_gear(void **unused)
{
    (void)unused;
    static const char TEXT[] = SCENE(CLUTCH, "");
    static const char *const STEPPERS[] = {"simulation.stepper=coulomb",
                                           "simulation.stepper=anitescu_potra",
                                           "simulation.stepper=stewart_trinkle"};
    for (int i = 0; i < GMC_COUNT(STEPPERS); i++) {
        const char *sets[] = {STEPPERS[i], NULL};
        gmc_rolling r;
        double worst = 0;
        open(&r);
        gmc_rolling_play(&r, TEXT, sets);
        for (int row = 0; row < r.trajectory.row_count; row++)
            worst = fmax(worst, fabs(bend(&r, row, 1.0 / 3)));
        capability_at_most(9, worst * 180 / GMC_PI, 0.1);
        assert_true(gmc_rolling_joint(&r, gmc_rolling_row(&r, 1.99), "inner") > 0.5);
        gmc_rolling_close(&r);
    }
}

// Share of its full effect that the ramp of a force has at a share of its time.
static double quintic(double s) { return s * s * s * (10 + s * (-15 + 6 * s)); }

static double time_of(double share)
{
    double low = 0, high = 1;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        *(quintic(middle) < share ? &low : &high) = middle;
    }
    return low;
}

typedef struct blocked {
    const char *sets[6];
    double h, of_ratio, alone, breakaway;
    bool is_rigid; ///< its stops do not give way, and hold what is within 0.1 degrees of them
} blocked;

// The inner link stops at 0.02 rad, before the force of the drive is up to what opens the clutch.
static void check_blocked(const blocked *b)
{
    static const char TEXT[] = SCENE_WITH("upper: 0.85 rad, ", CLUTCH, ", upper: 0.02 rad");
    gmc_rolling r;
    open(&r);
    gmc_rolling_play(&r, TEXT, b->sets);
    const gmc_trajectory *t = &r.trajectory;
    int row = 0, closed = gmc_rolling_row(&r, 1.99), last = t->row_count - 1;
    // it opens in the step in which the drive's force has grown to the moment; from then on the
    // outer link leaves it by more than the gear bends
    while (fabs(bend(&r, row, b->of_ratio)) <= 2e-5)
        row++;
    double opens = time_of(b->breakaway / 2.5);
    // one step to note the moment, one in which the outer link sets out
    assert_true(t->time[row] >= opens && t->time[row] <= opens + 3 * b->h);
    // blocked, the inner link is pressed on with the moment, and the outer link goes on to its stop,
    // where it presses with all that the drive has, by the ratio
    double inner = gmc_rolling_joint(&r, closed, "inner") - 0.02;
    double outer = gmc_rolling_joint(&r, closed, "outer") - 0.85;
    if (b->is_rigid) {
        const double shell = 0.1 * GMC_PI / 180;
        ASSERT_NEAR(inner, -shell / 2, shell / 2);
        ASSERT_NEAR(outer, -shell / 2, shell / 2);
    } else {
        // a stop gives way by load / 1e6 N*m/rad: what presses it is told by that
        double drive = 2.5 / b->alone;
        ASSERT_NEAR(1e6 * outer, drive, 1e-3 * drive);
        ASSERT_NEAR(1e6 * inner, b->breakaway, 0.1 * b->breakaway); // so does the lock's spring
    }
    // and back: both are where they started, geared to each other again
    ASSERT_NEAR(gmc_rolling_joint(&r, last, "inner"), 0, 2e-3);
    ASSERT_NEAR(bend(&r, last, b->of_ratio), 0, 2e-3);
    gmc_rolling_close(&r);
}

static void a_clutch_opens_at_its_moment_and_closes_where_it_opened(void **unused)
{
    (void)unused;
    static const blocked CASES[] = {
        {{"simulation.step=2 ms", "simulation.stepper=coulomb", "hand.j3.follows.ratio=1/3",
          "hand.j3.follows.breakaway=0.5 N*m", NULL},
         2e-3,
         1.0 / 3,
         1.0 / 3,
         0.5,
         false},
        {{"simulation.step=1 ms", "simulation.stepper=coulomb", "hand.j3.follows.ratio=1/2",
          "hand.j3.follows.breakaway=0.5 N*m", NULL},
         1e-3,
         0.5,
         0.5,
         0.5,
         false},
        {{"simulation.step=0.5 ms", "simulation.stepper=coulomb", "hand.j3.follows.ratio=1",
          "hand.j3.follows.breakaway=1 N*m", NULL},
         0.5e-3,
         1,
         1,
         1,
         false},
        {{"simulation.step=2 ms", "simulation.stepper=anitescu_potra", "hand.j3.follows.ratio=1/3",
          "hand.j3.follows.breakaway=0.5 N*m", NULL},
         2e-3,
         1.0 / 3,
         1.0 / 3,
         0.5,
         true},
        // gears in the palm: Barrett's
        {{"simulation.step=2 ms", "hand.j3.follows.alone=4/3", NULL},
         2e-3,
         1.0 / 3,
         4.0 / 3,
         0.5,
         false},
        {{"simulation.step=1 ms", "hand.j3.follows.alone=4/3", "simulation.stepper=anitescu_potra",
          NULL},
         1e-3,
         1.0 / 3,
         4.0 / 3,
         0.5,
         true},
    };
    for (int i = 0; i < GMC_COUNT(CASES); i++)
        check_blocked(&CASES[i]);
}

// ---- mistakes ----------------------------------------------------------------------------------

static void what_cannot_follow_is_told(void **unused)
{
    (void)unused;
    static const struct {
        const char *text, *said;
    } CASES[] = {
        {SCENE("joint: j4", ""), "joint j3 of the hand cannot follow j4: there is no such joint"},
        {SCENE("joint: j3", ""), "joint j3 of the hand cannot follow j3: it is that joint itself"},
        {SCENE("joint: j2", ", follows: {joint: j3}"),
         "joint j3 of the hand cannot follow j2: that follows another itself"},
        {SCENE("joint: j2, ratio: 0", ""), "joint j3 of the hand cannot follow j2: the ratio is 0"},
        {SCENE("joint: j2}, kp: {", ""), "hand.j3.kp: the joint follows another"},
        {SCENE("joint: j2, offset: 3 mm", ""), "hand.j3.follows.offset"},
        {SCENE("joint: j2, ratio: 1/2", "") "uncertain: {hand.j3.follows.ratio: \"uniform(0.4, "
                                            "0.6)\"}\n",
         "hand.j3.follows.ratio cannot vary within a run"},
    };
    gmc_rolling r;
    open(&r);
    for (int i = 0; i < GMC_COUNT(CASES); i++)
        gmc_rolling_refuse(&r, CASES[i].text, CASES[i].said);
    gmc_rolling_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_follower_is_where_its_leader_has_it),
        cmocka_unit_test(a_closed_clutch_is_a_gear),
        cmocka_unit_test(a_clutch_opens_at_its_moment_and_closes_where_it_opened),
        cmocka_unit_test(what_cannot_follow_is_told),
    };
    return cmocka_run_group_tests_name("gears", tests, NULL, NULL);
}

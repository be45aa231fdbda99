// Hands in MJCF against mechanics: the same mechanism as URDF, closed forms, and the Shadow hand at
// rest. Against MuJoCo itself: scripts/bench mjcf.
#define _XOPEN_SOURCE 700 // realpath
#include "engine/dynamics/rnea.h"
#include "test/support/near.h"
#include "test/support/robot.h"
#include "test/support/rolling.h"
#include "test/support/scratch.h"

#include <stdlib.h>
#include <string.h>

static const double STEPS[] = {0.5e-3, 1e-3, 2e-3}, SIZES[] = {0.03, 0.4}, MASSES[] = {0.02, 5};
static const double G = 9.81;

static void open_text(gmc_scratch *scratch, const char *name, const char *text, gmc_robot *robot)
{
    char path[256];
    gmc_scratch_write(scratch, name, text, strlen(text), path);
    memset(robot, 0, sizeof *robot);
    assert_int_equal(gmc_robot_open(path, robot), GMC_OK);
}

static int joint_of(const gmc_robot *robot, const char *name)
{
    int i = gmc_urdf_find_joint(&robot->urdf, name);
    assert_true(i >= 0);
    return i;
}

static double position(const gmc_robot *robot, const char *joint)
{
    return robot->stage.world.state.q[gmc_robot_q(robot, joint_of(robot, joint))];
}

/// `text` with @0, @1, ... as numbers.
static void fill(const char *text, const double *values, size_t room, char *out)
{
    size_t used = 0;
    for (; *text && used + 32 < room; text++) {
        if (*text == '@')
            used += (size_t)snprintf(out + used, room - used, "%.17g", values[*++text - '0']);
        else
            out[used++] = *text;
    }
    out[used] = 0;
}

/// A start at rest: the first step's forces act over half of it (coulomb.h).
static void run(gmc_robot *robot, double h, double span)
{
    robot->stage.options.is_start = true;
    assert_int_equal(gmc_stage_step(&robot->stage, h), GMC_OK);
    robot->stage.options.is_start = false;
    assert_int_equal(gmc_stage_run(&robot->stage, h, span - h), GMC_OK);
}

// ---- the same as a URDF ------------------------------------------------------------------------

static const char CHAIN_URDF[] =
    "<robot name='r'><link name='base'/>"
    "<link name='a'><inertial><origin xyz='@0 0 0'/><mass value='@1'/><inertia ixx='@2' "
    "iyy='@2' izz='@2'/></inertial></link>"
    "<joint name='j' type='revolute'><parent link='base'/><child link='a'/><origin xyz='0 0 @0'/>"
    "<axis xyz='0 1 0'/><limit lower='-9' upper='9'/><dynamics damping='@3'/></joint>"
    "<link name='b'><inertial><mass value='@1'/><inertia ixx='@2' iyy='@2' "
    "izz='@2'/></inertial></link>"
    "<joint name='k' type='prismatic'><parent link='a'/><child link='b'/><origin xyz='@0 0 0'/>"
    "<axis xyz='1 0 0'/><limit lower='-9' upper='9'/></joint>"
    "<link name='c'><inertial><origin xyz='0 @0 0'/><mass value='@1'/><inertia ixx='@2' "
    "iyy='@2' izz='@2'/></inertial></link>"
    "<joint name='l' type='continuous'><parent link='b'/><child link='c'/><axis xyz='1 0 0'/>"
    "<mimic joint='j' multiplier='0.5' offset='0.25'/></joint></robot>";

static const char CHAIN_MJCF[] =
    "<mujoco><compiler angle='radian'/><worldbody><body name='base'>"
    "<body name='a' pos='0 0 @0'><inertial pos='@0 0 0' mass='@1' diaginertia='@2 "
    "@2 @2'/><joint name='j' axis='0 1 0' range='-9 9' damping='@3'/>"
    "<body name='b' pos='@0 0 0'><inertial pos='0 0 0' mass='@1' diaginertia='@2 @2 "
    "@2'/><joint name='k' type='slide' axis='1 0 0' range='-9 9'/>"
    "<body name='c'><inertial pos='0 @0 0' mass='@1' diaginertia='@2 @2 @2'/>"
    "<joint name='l' axis='1 0 0'/></body></body></body></body></worldbody>"
    "<equality><joint joint1='l' joint2='j' polycoef='0.25 0.5 0 0 0'/></equality></mujoco>";

static void moves_as_the_same_urdf(void **state)
{
    (void)state;
    gmc_scratch scratch = gmc_scratch_open();
    for (int i = 0; i < GMC_COUNT(SIZES) * GMC_COUNT(MASSES) * GMC_COUNT(STEPS); i++) {
        double size = SIZES[i % 2], mass = MASSES[i / 2 % 2], h = STEPS[i / 4];
        double moment = 0.4 * mass * size * size, damping = 0.3 * moment;
        char urdf[4096], mjcf[4096];
        gmc_robot one, other;
        const double values[] = {size, mass, moment, damping};
        fill(CHAIN_URDF, values, sizeof urdf, urdf);
        fill(CHAIN_MJCF, values, sizeof mjcf, mjcf);
        open_text(&scratch, "r.urdf", urdf, &one);
        open_text(&scratch, "r.xml", mjcf, &other);
        run(&one, h, 0.2);
        run(&other, h, 0.2);
        assert_true(fabs(position(&one, "j")) > 0.01);
        // the same operations on the same numbers, but for the pose of a body that is welded
        ASSERT_NEAR(position(&other, "j"), position(&one, "j"), 1e-12);
        ASSERT_NEAR(position(&other, "k"), position(&one, "k"), 1e-12);
        assert_int_equal(other.stage.model.dof_count, 2);
        gmc_robot_close(&one);
        gmc_robot_close(&other);
    }
    gmc_scratch_close(&scratch);
}

// ---- closed forms ------------------------------------------------------------------------------

/// A rod of a capsule's mass that is let go level: w² = 2 m g d sin(q) / I at any angle below.
static void rod_that_weighs_by_its_geom_falls(void **state)
{
    (void)state;
    gmc_scratch scratch = gmc_scratch_open();
    for (int i = 0; i < GMC_COUNT(SIZES) * GMC_COUNT(STEPS); i++) {
        double L = SIZES[i % 2], h = STEPS[i / 2] * sqrt(L), r = 0.1 * L, density = 700;
        char text[1024];
        gmc_robot robot;
        snprintf(text, sizeof text,
                 "<mujoco><worldbody><body name='a'><joint name='j' axis='0 1 0'/><geom "
                 "type='capsule' fromto='0 0 0 %g 0 0' size='%g' density='%g'/></body></worldbody>"
                 "</mujoco>",
                 L, r, density);
        open_text(&scratch, "r.xml", text, &robot);
        run(&robot, h, 300 * STEPS[0] * sqrt(L));
        // a cylinder and two half balls, about the end of the segment [each by its own formula]
        double m1 = density * GMC_PI * r * r * L, m2 = density * 4 * GMC_PI / 3 * r * r * r;
        double ends = 2.0 / 5 * r * r + L * L / 4 + 3.0 / 8 * L * r; // of a ball in two halves
        double I = m1 * (r * r / 4 + L * L / 12) + m2 * ends + (m1 + m2) * L * L / 4;
        double q = position(&robot, "j"), w = robot.stage.world.state.v[0];
        // v is that of half a step before: the gain of that half is the acceleration's
        double a = (m1 + m2) * G * (L / 2) * gmc_cos(q) / I;
        double energy = 2 * (m1 + m2) * G * (L / 2) * gmc_sin(q) / I;
        // of second order in the step: (w h)², 1e-4 here
        ASSERT_NEAR_RELATIVE((w + a * h / 2) * (w + a * h / 2), energy, 2e-4);
        gmc_robot_close(&robot);
    }
    gmc_scratch_close(&scratch);
}

/// A weight on a position actuator with a gear sinks from its ref by m g / (kp gear²), whatever the
/// step.
static void servo_with_gear_gives_way_by_its_load(void **state)
{
    (void)state;
    gmc_scratch scratch = gmc_scratch_open();
    for (int i = 0; i < GMC_COUNT(MASSES) * GMC_COUNT(STEPS); i++) {
        double mass = MASSES[i % 2], kp = 900 * mass, gear = 1.5, k = kp * gear * gear;
        char text[1024];
        gmc_robot robot;
        snprintf(
            text, sizeof text,
            "<mujoco><worldbody><body name='a'><inertial pos='0 0 0' mass='%g' diaginertia="
            "'1 1 1'/><joint name='j' type='slide' axis='0 0 1' ref='0.2' damping='%g'/></body>"
            "</worldbody><actuator><position joint='j' kp='%g' gear='%g'/></actuator></mujoco>",
            mass, 2 * sqrt(k * mass), kp, gear);
        open_text(&scratch, "r.xml", text, &robot);
        gmc_robot_hold(&robot);
        run(&robot, STEPS[i / 2], 2);
        // e^(-w t) (1 + w t) of critical damping after 2 s at 45 rad/s is below rounding
        ASSERT_NEAR(position(&robot, "j"), 0.2 - mass * G / k, 1e-12);
        gmc_robot_close(&robot);
    }
    gmc_scratch_close(&scratch);
}

/// Two hinges of one body are those of two bodies of which the first weighs nothing.
static void joints_of_one_body_are_a_chain(void **state)
{
    (void)state;
    static const char ONE[] =
        "<mujoco><worldbody><body name='a' pos='0 0 @0'><joint name='j' axis='1 0 0' pos='0 @0 "
        "0'/><joint name='k' axis='0 1 0' pos='@0 0 0'/><geom type='box' size='@0 @0 @0' "
        "mass='@1'/></body></worldbody></mujoco>";
    static const char TWO[] =
        "<mujoco><worldbody><body name='x' pos='0 @0 @0'><joint name='j' axis='1 0 0'/><body "
        "name='y' pos='@0 -@0 0'><joint name='k' axis='0 1 0'/><geom type='box' size='@0 @0 "
        "@0' pos='-@0 0 0' mass='@1'/></body></body></worldbody></mujoco>";
    gmc_scratch scratch = gmc_scratch_open();
    for (int i = 0; i < GMC_COUNT(SIZES) * GMC_COUNT(MASSES) * GMC_COUNT(STEPS); i++) {
        double size = SIZES[i % 2], mass = MASSES[i / 2 % 2], h = STEPS[i / 4];
        char text[2][2048];
        gmc_robot one, two;
        fill(ONE, (const double[]){size, mass}, sizeof text[0], text[0]);
        fill(TWO, (const double[]){size, mass}, sizeof text[1], text[1]);
        open_text(&scratch, "one.xml", text[0], &one);
        open_text(&scratch, "two.xml", text[1], &two);
        run(&one, h, 0.1);
        run(&two, h, 0.1);
        // rounding, which a motion of some rad lets grow
        ASSERT_NEAR(position(&one, "j"), position(&two, "j"), 1e-11);
        ASSERT_NEAR(position(&one, "k"), position(&two, "k"), 1e-11);
        gmc_robot_close(&one);
        gmc_robot_close(&two);
    }
    gmc_scratch_close(&scratch);
}

// ---- the Shadow hand ---------------------------------------------------------------------------

/// The moments that carry its weight where it is.
static void carry_weight(gmc_stage *stage)
{
    gmc_arena_reset(&stage->scratch, 0);
    for (int i = 0; i < stage->model.dof_count; i++)
        stage->v_driven[i] = 0;
    assert_int_equal(gmc_rnea(&stage->model, &stage->world.kin, stage->v_driven, NULL, stage->force,
                              &stage->scratch),
                     GMC_OK);
}

static void shadow_hand_stays_where_it_is(void **state)
{
    (void)state;
    static const char FILE_NAME[] = "../shared/models/shadow_hand/right_hand.xml";
    enum { HINGES = 24, STEPS_OF_10_S = 10000 };
    double start[HINGES], drift = 0;
    gmc_robot robot = {0};
    gmc_file there = {0};
    if (gmc_file_read(FILE_NAME, &there) != GMC_OK) skip();
    gmc_file_free(&there);
    assert_int_equal(gmc_robot_open(FILE_NAME, &robot), GMC_OK);
    assert_int_equal(robot.stage.model.dof_count, HINGES);
    gmc_robot_hold(&robot);
    memcpy(start, robot.stage.world.state.q, sizeof start);
    for (int i = 0; i < STEPS_OF_10_S; i++) {
        carry_weight(&robot.stage);
        assert_int_equal(gmc_stage_step(&robot.stage, 1e-3), GMC_OK);
    }
    for (int i = 0; i < HINGES; i++)
        drift = fmax(drift, fabs(robot.stage.world.state.q[i] - start[i]));
    printf("drift of the Shadow hand in 10 s: %.3g <= 1e-6 rad\n", drift);
    assert_true(drift <= 1e-6);
    gmc_robot_close(&robot);
}

// Its four tendons by the scenario's word, at rest in the middle of their joints' ranges; the joints
// that hang on them are balanced, the others' drives hold.
#define TENDON(f)   f "J0: {joints: {rh_" f "J2: 1, rh_" f "J1: 1}, kp: 1 N*m/rad, kd: 0.1}"
#define BALANCED(f) "rh_" f "J2: {start: 0.4, holds: true}, rh_" f "J1: {start: 0.3, holds: true}"
#define HELD(f)     "rh_" f "J4: {holds: true}, rh_" f "J3: {start: 0.5, holds: true}"
static const char TENDONS[] =
    "graspmc: 1\nhand: {mjcf: %s, surface: metal, mount: fixed, target: {z: 1 m}, %s}\n"
    "object: {box: [40 mm, 40 mm, 40 mm], mass: 0.2 kg, surface: metal, pose: {x: 9 m, z: 20 mm}}\n"
    "scene: {table: {plane: {}, surface: metal}}\n"
    "friction: {metal/metal: 0.2}\nprogram: [%s]\n"
    "success: {at_end: [lift(object) >= -1 m]}\nsimulation: {step: 1 ms, workspace: 20 m}\n";

static void shadow_hand_stays_with_tendons(void **state)
{
    (void)state;
    static const char FILE_NAME[] = "../shared/models/shadow_hand/right_hand.xml";
    static const char HAND[] =
        "drives: {" TENDON("FF") ", " TENDON("MF") ", " TENDON("RF") ", " TENDON(
            "LF") "}, joints: {" BALANCED("FF") ", " BALANCED("MF") ", " BALANCED("RF") ","
                                                                                        " " BALANCED("LF") ", " HELD("FF") ", " HELD("MF") ", " HELD(
                                                                                            "RF") ", " HELD("LF") ", rh_LFJ5: {holds: true}, rh_WRJ1: {holds: "
                                                                                                                  "true}, rh_WRJ2: {holds: true}, rh_THJ5: "
                                                                                                                  "{holds: true}, rh_THJ4: {holds: true}, "
                                                                                                                  "rh_THJ3: {holds: true}, rh_THJ2: {holds: "
                                                                                                                  "true}, rh_THJ1: {holds: true}}";
    static char text[8192];
    gmc_file there = {0};
    gmc_rolling r;
    double drift = 0;
    if (gmc_file_read(FILE_NAME, &there) != GMC_OK) skip();
    gmc_file_free(&there);
    char *path = realpath(FILE_NAME, NULL);
    assert_non_null(path);
    snprintf(text, sizeof text, TENDONS, path, HAND, "hold: {for: 10 s}");
    free(path);
    gmc_rolling_open(&r);
    gmc_rolling_play(&r, text, NULL);
    assert_int_equal(r.trajectory.joint_count, 24);
    assert_int_equal(r.prepared.scenario.hand.drive_count, 4); // and 16 of one joint each
    int last = r.trajectory.row_count - 1;
    ASSERT_NEAR(r.trajectory.time[last], 10, 1e-6);
    for (int row = 0; row <= last; row++)
        for (int i = 0; i < 24; i++)
            drift = fmax(drift, fabs(r.trajectory.q[row * 24 + i] - r.trajectory.q[i]));
    printf("drift of the Shadow hand with 20 drives in 10 s: %.3g <= 1e-6 rad\n", drift);
    assert_true(drift <= 1e-6);
    gmc_rolling_close(&r);
}

// An actuator of a tendon in the file is the drive that the scenario would have to write.
static const char SUMMED[] =
    "<mujoco><worldbody><body name='p'><inertial pos='0.03 0 0' mass='0.1' diaginertia='1e-5 4e-5 "
    "4e-5'/><joint name='a' axis='0 1 0'/><body name='q' pos='0.06 0 0'><inertial pos='0.03 0 0' "
    "mass='0.1' diaginertia='1e-5 4e-5 4e-5'/><joint name='b' axis='0 1 0'/></body></body>"
    "</worldbody><tendon><fixed name='T'><joint joint='a' coef='2'/><joint joint='b' "
    "coef='-0.5'/></fixed></tendon>%s</mujoco>";

static void play_summed(gmc_rolling *r, const char *actuator, const char *drives)
{
    char text[4096];
    snprintf(text, sizeof text, SUMMED, actuator);
    gmc_rolling_open(r);
    gmc_scratch_text(&r->scratch, "summed.xml", text);
    snprintf(text, sizeof text, TENDONS, "summed.xml", drives,
             "move: {joint: T, by: 0.5 rad, in: 0.2 s}, hold: {for: 0.3 s}");
    gmc_rolling_play(r, text, NULL);
}

static void actuators_of_tendons_are_drives(void **state)
{
    (void)state;
    gmc_rolling file, said;
    play_summed(&file,
                "<actuator><position tendon='T' kp='2' kv='0.1' gear='3' forcerange='-1 1'/>"
                "</actuator>",
                "joints: {}");
    play_summed(
        &said, "",
        "drives: {T: {joints: {a: 2, b: -0.5}, kp: 18 N*m/rad, kd: 0.9, max_force: 3 N*m}}");
    const gmc_trajectory *t = &file.trajectory;
    assert_int_equal(t->joint_count, 2);
    assert_int_equal(t->row_count, said.trajectory.row_count);
    double most = 0;
    for (int i = 0; i < t->row_count * 2; i++) {
        ASSERT_NEAR(t->q[i], said.trajectory.q[i], 1e-9); // 2 * 3 * 3 and 0.1 * 9 as doubles
        most = fmax(most, fabs(t->q[i]));
    }
    assert_true(most > 0.1);
    gmc_rolling_close(&file);
    gmc_rolling_close(&said);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moves_as_the_same_urdf),
        cmocka_unit_test(rod_that_weighs_by_its_geom_falls),
        cmocka_unit_test(servo_with_gear_gives_way_by_its_load),
        cmocka_unit_test(joints_of_one_body_are_a_chain),
        cmocka_unit_test(shadow_hand_stays_where_it_is),
        cmocka_unit_test(shadow_hand_stays_with_tendons),
        cmocka_unit_test(actuators_of_tendons_are_drives),
    };
    return cmocka_run_group_tests_name("mjcf", tests, NULL, NULL);
}

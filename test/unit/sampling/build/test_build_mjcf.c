// A hand in MJCF in a scenario: the same trial as of the URDF it repeats, gains of its actuators as
// defaults, and what is said of the wrong file.
#include "test/support/near.h"
#include "test/support/rolling.h"

#include <string.h>

#define BLOCK                                                                                      \
    "object: {box: [50 mm, 50 mm, 50 mm], mass: 0.2 kg, surface: abs, placed: resting}\n"          \
    "scene: {table: {plane: {}, surface: wood}}\n"                                                 \
    "friction: {rubber/abs: 0.4, abs/wood: 0.4, rubber/wood: 0.5}\n"
#define REST                                                                                       \
    BLOCK                                                                                          \
    "program: [{close: {force: 10 N, until: stalled}}, {lift: {by: 50 mm, in: 0.3 s}}]\n"          \
    "success: {at_end: [lift(object) >= 40 mm]}\n"
#define SPEEDS "joints: {left: {max_speed: 1 m/s}, right: {max_speed: 1 m/s}}"

static void copy_here(const gmc_rolling *r, const char *from, const char *name)
{
    gmc_file bytes = {0};
    char path[256];
    assert_int_equal(gmc_file_read(from, &bytes), GMC_OK);
    gmc_scratch_write(&r->scratch, name, bytes.bytes, bytes.size, path);
    gmc_file_free(&bytes);
}

static void moves_as_the_urdf_does(void **state)
{
    (void)state;
    gmc_rolling urdf, mjcf;
    gmc_rolling_open(&urdf);
    gmc_rolling_open(&mjcf);
    copy_here(&urdf, "scenarios/models/parallel_jaw.urdf", "hand.urdf");
    copy_here(&mjcf, "test/data/parallel_jaw.xml", "hand.xml");
    gmc_rolling_play(
        &urdf, "graspmc: 1\nhand: {urdf: hand.urdf, frame: tcp, surface: rubber}\n" REST, NULL);
    gmc_rolling_play(
        &mjcf, "graspmc: 1\nhand: {mjcf: hand.xml, frame: tcp, surface: rubber, " SPEEDS "}\n" REST,
        NULL);
    assert_int_equal(mjcf.result.outcome, GMC_OUTCOME_SUCCESS);
    assert_int_equal(mjcf.trajectory.row_count, urdf.trajectory.row_count);
    assert_int_equal(mjcf.trajectory.joint_count, urdf.trajectory.joint_count);
    size_t count = (size_t)urdf.trajectory.row_count * (size_t)urdf.trajectory.joint_count;
    assert_memory_equal(mjcf.trajectory.q, urdf.trajectory.q, count * sizeof(double));
    gmc_rolling_close(&urdf);
    gmc_rolling_close(&mjcf);
}

static double nominal(const gmc_rolling *r, const char *path)
{
    const gmc_scenario *s = &r->prepared.scenario;
    for (int i = 0; i < s->parameter_count; i++)
        if (strcmp(s->parameters[i].path, path) == 0) return s->parameters[i].nominal;
    print_error("no parameter %s\n", path);
    fail();
    return NAN;
}

#define FINGER                                                                                     \
    "<mujoco><worldbody><body name='palm'><geom type='box' size='.05 .05 .01'/><body "             \
    "name='finger' pos='0 0 -.1'><joint name='j' axis='0 1 0' range='-30 30' armature='1e-3'/>"    \
    "<geom type='capsule' size='.01 .04'/><body name='tip' pos='0 0 -.05'><joint name='k' axis="   \
    "'0 1 0' range='0 30'/><geom size='.01'/></body></body></body></worldbody><actuator>"          \
    "<position joint='j' kp='7' kv='0.3' forcerange='-2 2'/></actuator></mujoco>"

static void actuators_are_defaults(void **state)
{
    (void)state;
    gmc_rolling r;
    gmc_rolling_open(&r);
    gmc_scratch_text(&r.scratch, "f.xml", FINGER);
    gmc_rolling_prepare(&r,
                        "graspmc: 1\nhand: {mjcf: f.xml, surface: rubber, target: {z: 0.3 m}, "
                        "joints: {j: {kd: 0.4 N*m*s/rad, max_speed: 3 rad/s, closes: upper}, "
                        "k: {max_speed: 3 rad/s, closes: upper}}}\n" BLOCK
                        "program: [{hold: {for: 1 ms}}]\nsuccess: {at_end: [lift(object) >= 0 "
                        "mm]}\n",
                        NULL);
    assert_true(nominal(&r, "hand.j.kp") == 7 && nominal(&r, "hand.j.max_force") == 2);
    assert_true(nominal(&r, "hand.j.kd") == 0.4 && nominal(&r, "hand.j.armature") == 1e-3);
    assert_true(nominal(&r, "hand.k.kp") == 0 && nominal(&r, "hand.k.kd") == 0); // no actuator
    gmc_rolling_close(&r);
}

static void says_which_file_it_is(void **state)
{
    (void)state;
    const struct {
        const char *hand, *said;
    } cases[] = {
        {"{urdf: f.xml, surface: rubber}", "mjcf: FILE"},
        {"{mjcf: jaw.urdf, surface: rubber}", "urdf: FILE"},
        {"{mjcf: f.xml, urdf: jaw.urdf, surface: rubber}", "mjcf"},
        {"{mjcf: none.xml, surface: rubber}", "none.xml"},
    };
    gmc_rolling r;
    gmc_rolling_open(&r);
    gmc_scratch_text(&r.scratch, "f.xml", FINGER);
    for (int i = 0; i < GMC_COUNT(cases); i++) {
        char text[2048];
        snprintf(text, sizeof text, "graspmc: 1\nhand: %s\n" REST, cases[i].hand);
        gmc_rolling_try(&r, text, NULL);
        if (r.status == GMC_OK || !strstr(r.said, cases[i].said))
            print_error("said:\n%s\n", r.said);
        assert_true(r.status != GMC_OK && strstr(r.said, cases[i].said));
    }
    gmc_rolling_close(&r);
}

int test_build_mjcf(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moves_as_the_urdf_does),
        cmocka_unit_test(actuators_are_defaults),
        cmocka_unit_test(says_which_file_it_is),
    };
    return cmocka_run_group_tests_name("build_mjcf", tests, NULL, NULL);
}

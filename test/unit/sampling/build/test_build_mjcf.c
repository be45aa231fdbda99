// A hand in MJCF in a scenario: the same trial as of the URDF it repeats, gains of its actuators as
// defaults, what is said of the wrong file, and which shapes of the hand meet each other.
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

// MuJoCo 2.2.2 compiles qpos0 0.6, -0.01, 0.7 (outside of its range, where it is taken to the limit
// here) and 0; e is as far open as the scenario says.
static void joints_start_at_their_reference(void **state)
{
    (void)state;
    static const char file[] =
        "<mujoco><compiler angle='radian'/><worldbody><body name='palm'><geom size='.01'/>"
        "<body name='a'><joint name='a' axis='0 1 0' ref='0.6' range='0.5 1'/><geom size='.01'/>"
        "<body name='b'><joint name='b' type='slide' ref='-0.01'/><geom size='.01'/>"
        "<body name='c'><joint name='c' ref='0.7' range='-0.5 0.5'/><geom size='.01'/>"
        "<body name='d'><joint name='d'/><geom size='.01'/>"
        "<body name='e'><joint name='e' ref='0.2'/><geom size='.01'/>"
        "</body></body></body></body></body></body></worldbody></mujoco>";
    static const double expected[] = {0.6, -0.01, 0.5, 0, 0.25};
    gmc_rolling r;
    gmc_rolling_open(&r);
    gmc_scratch_text(&r.scratch, "f.xml", file);
    gmc_rolling_play(&r,
                     "graspmc: 1\nhand: {mjcf: f.xml, surface: rubber, target: {z: 0.3 m}, "
                     "joints: {e: {start: 0.25 rad}}}\n" BLOCK
                     "program: [{hold: {for: 2 ms}}]\nsuccess: {at_end: [lift(object) >= 0 mm]}\n",
                     NULL);
    assert_int_equal(r.trajectory.joint_count, GMC_COUNT(expected));
    assert_true(r.trajectory.row_count > 0);
    for (int i = 0; i < GMC_COUNT(expected); i++)
        ASSERT_NEAR(r.trajectory.q[i], expected[i], 1e-12); // at rest, servos hold it there
    assert_true(nominal(&r, "hand.a.start") == 0.6 && nominal(&r, "hand.c.start") == 0.5);
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
        {"{mjcf: ball.xml, surface: rubber, joints: {b: {kp: 1 N*m/rad}}}",
         "joint b cannot be set: it is a ball joint"},
        {"{mjcf: ball.xml, surface: rubber, joints: {'lid:weld': {kp: 1 N*m/rad}}}",
         "joint lid:weld cannot be set: it does not move"},
    };
    gmc_rolling r;
    gmc_rolling_open(&r);
    gmc_scratch_text(&r.scratch, "f.xml", FINGER);
    gmc_scratch_text(&r.scratch, "ball.xml",
                     "<mujoco><worldbody><body name='palm'><geom size='.01'/><body name='a'>"
                     "<joint name='b' type='ball'/><geom size='.01'/><body name='lid'>"
                     "<geom size='.01'/></body></body></body></worldbody></mujoco>");
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

// A palm with two fingers, all shapes at one place: MuJoCo 2.2.2 has a contact of each pair below,
// and one of a1 with the palm, which is fixed to its world.
static const char pairs[] =
    "<mujoco><default><geom size='.01'/><joint axis='0 1 0'/></default><worldbody>"
    "<body name='palm'><geom/>"
    "<body name='a1'><joint name='ja'/><geom/>"
    "<body name='a2'><joint name='jb' axis='1 0 0'/><joint name='jc'/><geom/>"
    "<body name='a3'><joint name='jd'/><geom contype='2' conaffinity='0'/>"
    "</body></body></body>"
    "<body name='b1'><joint name='je'/><geom contype='0' conaffinity='2'/>"
    "<body name='b2'><joint name='jf'/><geom contype='4' conaffinity='1'/>"
    "<body name='nail'><geom contype='0' conaffinity='4'/>"
    "</body></body></body>"
    "</body></worldbody><contact><exclude body1='b2' body2='a1'/></contact></mujoco>";

static const gmc_geom *shape_of(const gmc_model *model, const char *link)
{
    int frame = gmc_model_find_frame(model, link);
    for (int g = 0; g < model->geom_count; g++)
        if (model->geoms[g].frame == frame) return &model->geoms[g];
    fail();
    return NULL;
}

// What looks for what, either way around; parents, also over two joints, and an exclude out.
static void links_meet_pair_by_pair(void **state)
{
    (void)state;
    static const char *const links[] = {"palm", "a1", "a2", "a3", "b1", "b2", "nail"};
    // b1 looks for a3 alone and nothing for it; a1 and b2 would meet
    static const char *const meeting[][2] = {
        {"palm", "a2"}, {"a3", "b1"}, {"palm", "b2"}, {"a2", "b2"}};
    gmc_rolling r;
    gmc_rolling_open(&r);
    gmc_scratch_text(&r.scratch, "f.xml", pairs);
    gmc_rolling_prepare(&r,
                        "graspmc: 1\nhand: {mjcf: f.xml, surface: rubber, self_collision: true, "
                        "target: {z: 0.3 m}}\n"
                        "object: {box: [50 mm, 50 mm, 50 mm], mass: 0.2 kg, surface: rubber, "
                        "placed: resting}\n"
                        "scene: {table: {plane: {}, surface: rubber}}\n"
                        "friction: {rubber/rubber: 0.4}\n"
                        "program: [{hold: {for: 1 ms}}]\nsuccess: {at_end: [lift(object) >= 0 "
                        "mm]}\n",
                        NULL);
    const gmc_model *model = gmc_build_model(r.prepared.build, 0);
    for (int i = 0; i < GMC_COUNT(links); i++)
        for (int k = 0; k < i; k++) {
            const gmc_geom *a = shape_of(model, links[i]), *b = shape_of(model, links[k]);
            bool is_expected = false;
            for (int m = 0; m < GMC_COUNT(meeting); m++)
                is_expected = is_expected || (strcmp(meeting[m][0], links[k]) == 0 &&
                                              strcmp(meeting[m][1], links[i]) == 0);
            bool do_meet = (a->category & b->mask) != 0 && (b->category & a->mask) != 0;
            if (do_meet != is_expected) print_error("%s, %s\n", links[k], links[i]);
            assert_true(do_meet == is_expected);
        }
    gmc_rolling_close(&r);
}

int test_build_mjcf(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moves_as_the_urdf_does),          cmocka_unit_test(actuators_are_defaults),
        cmocka_unit_test(joints_start_at_their_reference), cmocka_unit_test(says_which_file_it_is),
        cmocka_unit_test(links_meet_pair_by_pair),
    };
    return cmocka_run_group_tests_name("build_mjcf", tests, NULL, NULL);
}

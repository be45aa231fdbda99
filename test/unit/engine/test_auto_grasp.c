// Where fingers stop that close on what is fixed (auto_grasp.h), against closed form: jaws at the
// sides of a box, a finger of two links round a ball with a clutch and without.
#include "engine/auto_grasp.h"
#include "test/support/near.h"
#include "test/support/rolling.h"

#include <math.h>
#include <string.h>

typedef struct closed {
    gmc_rolling r;
    gmc_arena trial, scratch;
    gmc_auto_grasp found;
} closed;

static void close_on(closed *c, const char *text)
{
    gmc_rolling_play(&c->r, text, NULL);
    assert_int_equal(gmc_arena_create(&c->trial, (size_t)1 << 22), GMC_OK);
    assert_int_equal(gmc_arena_create(&c->scratch, (size_t)1 << 22), GMC_OK);
    assert_int_equal(gmc_auto_grasp_find(&c->r.input, &c->trial, &c->scratch, &c->found), GMC_OK);
}

static void done(closed *c)
{
    gmc_arena_free(&c->trial);
    gmc_arena_free(&c->scratch);
    gmc_rolling_close(&c->r);
}

static double joint_of(const closed *c, const char *link)
{
    const gmc_model *model = c->r.input.model;
    for (int b = 1; b < model->body_count; b++)
        if (strcmp(model->bodies[b].name, link) == 0) return c->found.q[model->bodies[b].q];
    fail();
    return 0;
}

// ---- jaws --------------------------------------------------------------------------------------

static void close_jaw(closed *c, const char *hand, const char *target, const char *object)
{
    char text[2000];
    *c = (closed){0};
    gmc_rolling_open(&c->r);
    snprintf(text, sizeof text,
             "graspmc: 1\nhand: {urdf: %s.urdf, frame: tcp, surface: rubber, target: {%s}}\n"
             "object: {%s, mass: 0.3 kg, surface: abs, pose: {z: 1 m}}\n"
             "scene: {table: {plane: {height: -0.9 m}, surface: wood}}\n"
             "friction: {rubber/abs: 0.5, rubber/wood: 0.5, abs/wood: 0.5}\nprogram: [{hold: {for: "
             "2 ms}}]\nsuccess: {at_end: [lift(object) >= -1 m]}\n",
             hand, target, object);
    close_on(c, text);
}

// The last step that is tried is 2e-6 rad at most, of a joint that slides 2e-7 m.
static const double LAST_TURN = 2e-6, LAST = 2e-7;

static void jaws_stop_at_the_sides_of_a_box(void **unused)
{
    (void)unused;
    static const double WIDTHS[] = {0.01, 0.04, 0.07}, ASIDE[] = {0, 2e-3, -4e-3};
    for (int i = 0; i < GMC_COUNT(WIDTHS); i++)
        for (int k = 0; k < GMC_COUNT(ASIDE); k++) {
            closed c;
            char object[100], target[100];
            snprintf(object, sizeof object, "box: [10 mm, %g m, 20 mm]", WIDTHS[i]);
            snprintf(target, sizeof target, "y: %g m", -ASIDE[k]);
            close_jaw(&c, "jaw", target, object);
            double way = 0.04 - WIDTHS[i] / 2;
            ASSERT_NEAR(joint_of(&c, "left_finger"), way - ASIDE[k], LAST);
            ASSERT_NEAR(joint_of(&c, "right_finger"), way + ASIDE[k], LAST);
            assert_int_equal(c.found.link_count, 2);
            assert_int_equal(c.found.point_count, 8); // corners of two faces
            assert_true(c.found.is_closed && c.found.epsilon > 0 && c.found.volume > 0);
            assert_true(c.found.friction < 1e-6); // opposed faces close with any friction
            done(&c);
        }
}

// One coordinate moves both: the first that meets the box stops them.
static void coupled_jaws_stop_together(void **unused)
{
    (void)unused;
    closed c;
    close_jaw(&c, "coupled", "y: -3 mm", "box: [20 mm, 40 mm, 20 mm]");
    ASSERT_NEAR(joint_of(&c, "left_finger"), 0.017, LAST);
    assert_int_equal(c.found.link_count, 1);
    assert_false(c.found.is_closed);
    assert_true(c.found.epsilon == -1 && isinf(c.found.friction));
    done(&c);
}

static void two_points_on_a_ball_do_not_close(void **unused)
{
    (void)unused;
    closed c;
    close_jaw(&c, "jaw", "z: 0 m", "sphere: {radius: 15 mm}");
    ASSERT_NEAR(joint_of(&c, "left_finger"), 0.025, LAST);
    assert_int_equal(c.found.point_count, 2);
    assert_false(c.found.is_closed);
    assert_true(c.found.epsilon == -1);
    done(&c);
}

static void jaws_that_meet_nothing_stop_at_their_limits(void **unused)
{
    (void)unused;
    closed c;
    close_jaw(&c, "jaw", "x: 1 m", "sphere: {radius: 15 mm}");
    assert_true(joint_of(&c, "left_finger") == 0.04);
    assert_int_equal(c.found.link_count, 0);
    assert_false(c.found.is_closed);
    done(&c);
}

// A hand without joints touches what it touches.
static void what_has_no_fingers_does_not_move(void **unused)
{
    (void)unused;
    closed c = {0};
    gmc_rolling_open(&c.r);
    close_on(&c, "graspmc: 1\nobject: {sphere: {radius: 15 mm}, mass: 0.3 kg, surface: abs}\n"
                 "scene: {table: {plane: {height: -0.9 m}, surface: wood}}\n"
                 "friction: {abs/wood: 0.5}\nprogram: [{hold: {for: 2 ms}}]\n"
                 "success: {at_end: [lift(object) >= -1 m]}\n");
    assert_int_equal(c.found.point_count, 0);
    assert_true(c.found.epsilon == -1 && isinf(c.found.friction) && !c.found.is_closed);
    done(&c);
}

// ---- a finger of two links ---------------------------------------------------------------------

// Rods of 10 mm about the links' axes.
#define LINK(name)                                                                                 \
    "<link name='" name "'><inertial><origin xyz='0.03 0 0'/><mass value='0.1'/>"                  \
    "<inertia ixx='1e-5' iyy='4e-5' izz='4e-5' ixy='0' ixz='0' iyz='0'/></inertial>"               \
    "<collision><origin xyz='0.035 0 0' rpy='0 1.5707963267948966 0'/><geometry><cylinder "        \
    "radius='0.005' length='0.06'/></geometry></collision></link>"
#define TURN(name, parent, child, at)                                                              \
    "<joint name='" name "' type='revolute'><parent link='" parent "'/><child link='" child        \
    "'/><origin xyz='" at "'/><axis xyz='0 0 1'/><limit lower='0' upper='2.5' effort='2.5' "       \
    "velocity='5'/></joint>"
static const char FINGER[] = "<robot name='finger'><link name='palm'/>" LINK("inner") LINK("outer")
    TURN("j2", "palm", "inner", "0 0 0") TURN("j3", "inner", "outer", "0.07 0 0") "</robot>";

static const double FAR = 0.04, LONG = 0.07, THICK = 0.005, BEHIND = 40 * GMC_PI / 180;

static void close_finger(closed *c, double radius, double angle, const char *more)
{
    char text[2000];
    *c = (closed){0};
    gmc_rolling_open(&c->r);
    gmc_scratch_text(&c->r.scratch, "finger.urdf", FINGER);
    snprintf(
        text, sizeof text,
        "graspmc: 1\nhand: {urdf: finger.urdf, surface: metal, mount: fixed, target: {x: %.17g m, "
        "y: %.17g m},"
        " fingers: [j2], joints: {j2: {closes: upper}, j3: {follows: {joint: j2, ratio: 1/3, "
        "offset: 40 deg%s}}}}\n"
        "object: {sphere: {radius: %.17g m}, mass: 0.2 kg, surface: metal, pose: {z: 1 m}}\n"
        "scene: {table: {plane: {height: -1 m}, surface: metal}}\n"
        "friction: {metal/metal: 0.2}\nprogram: [{hold: {for: 2 ms}}]\n"
        "success: {at_end: [lift(object) >= -1 m]}\n",
        -FAR * cos(angle), -FAR * sin(angle), more, radius);
    close_on(c, text);
}

// The inner link stops where the ball's centre is a radius and half its thickness off its axis; the
// outer one goes on about its own joint, 4/3 as fast, until it does so, too.
static void past_a_clutch_the_outer_link_goes_on_alone(void **unused)
{
    (void)unused;
    static const double RADII[] = {0.012, 0.015, 0.02}, ANGLES[] = {1.8, 2.1};
    for (int i = 0; i < GMC_COUNT(RADII); i++)
        for (int k = 0; k < GMC_COUNT(ANGLES); k++) {
            closed c;
            double off = RADII[i] + THICK, inner = asin(off / FAR);
            double x = FAR * cos(inner) - LONG, outer = atan2(off, x) - asin(off / hypot(x, off));
            double q = ANGLES[k] - inner;
            assert_true(q / 3 + BEHIND < outer); // it is the inner link that meets the ball
            close_finger(&c, RADII[i], ANGLES[k], ", breakaway: 0.5 N*m, alone: 4/3");
            // the outer link's way ends by 4/3 of it, and where it begins moves it by less than as much
            ASSERT_NEAR(joint_of(&c, "inner"), q, LAST_TURN);
            ASSERT_NEAR(joint_of(&c, "outer"), outer, 3 * LAST_TURN);
            assert_int_equal(c.found.link_count, 2);
            done(&c);

            close_finger(&c, RADII[i], ANGLES[k], "");
            ASSERT_NEAR(joint_of(&c, "inner"), q, LAST_TURN);
            assert_int_equal(c.found.link_count, 1); // without a clutch both stop
            done(&c);
        }
}

int test_auto_grasp(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jaws_stop_at_the_sides_of_a_box),
        cmocka_unit_test(coupled_jaws_stop_together),
        cmocka_unit_test(two_points_on_a_ball_do_not_close),
        cmocka_unit_test(jaws_that_meet_nothing_stop_at_their_limits),
        cmocka_unit_test(what_has_no_fingers_does_not_move),
        cmocka_unit_test(past_a_clutch_the_outer_link_goes_on_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

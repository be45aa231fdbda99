// How far hand and object are apart at the start, against distances that one can work out by hand.
#include "test/support/near.h"
#include "test/support/rolling.h"

#include <string.h>

// coupled.urdf: pads of 20 x 10 x 30 mm about z = -45 mm of the base, 80 mm between them; a body of
// 60 x 140 x 50 mm above. tcp is between the pads, 15 mm above their lower ends.
static gmc_rollout_gap_found look_at(unsigned group, const char *object, const char *target)
{
    gmc_rolling r;
    gmc_arena trial = {0}, scratch = {0};
    gmc_rollout_gap_found found = {NAN, NAN};
    char text[2000];
    gmc_rolling_open(&r);
    snprintf(text, sizeof text,
             "graspmc: 1\nhand: {urdf: coupled.urdf, frame: tcp, surface: rubber, target: {%s}}\n"
             "object: {%s, mass: 0.3 kg, surface: abs, pose: {z: 1 m}}\n"
             "scene: {table: {plane: {height: 0.9 m}, surface: wood}}\n"
             "friction: {rubber/abs: 0.5, rubber/wood: 0.5, abs/wood: 0.5}\nprogram: [{hold: {for: "
             "0.1 s}}]\n"
             "success: {at_end: [lift(object) >= -1 m]}\n",
             target, object);
    gmc_rolling_play(&r, text, NULL);
    assert_int_equal(gmc_arena_create(&trial, (size_t)1 << 22), GMC_OK);
    assert_int_equal(gmc_arena_create(&scratch, (size_t)1 << 22), GMC_OK);
    assert_int_equal(gmc_rollout_gap(&r.input, GMC_CATEGORY_HAND, group, &trial, &scratch, &found),
                     GMC_OK);
    gmc_arena_free(&trial);
    gmc_arena_free(&scratch);
    gmc_rolling_close(&r);
    return found;
}

static gmc_rollout_gap_found look(const char *object, const char *target)
{
    return look_at(GMC_CATEGORY_OBJECT, object, target);
}

static void between_the_pads(void **state)
{
    (void)state;
    // 20 mm on either side of a cube, of a ball; the cube's edge over a corner is no nearer
    ASSERT_NEAR(look("box: [40 mm, 40 mm, 40 mm]", "z: 0").gap, 0.02, 1e-12); // rounding of GJK
    ASSERT_NEAR(look("sphere: {radius: 20 mm}", "z: 0").gap, 0.02, 1e-12);
    ASSERT_NEAR(look("capsule: {radius: 10 mm, length: 20 mm}", "y: 10 mm").gap, 0.02, 1e-12);
    // a cylinder of 40 mm whose rim is 3 mm below the pads and 4 mm beside their inner edges
    gmc_rollout_gap_found found =
        look("cylinder: {radius: 36 mm, length: 10 mm}", "z: 23 mm, x: 0 mm");
    ASSERT_NEAR(found.gap, hypot(0.003, 0.004), 1e-9); // of a curved rim, by GJK's own stop
    assert_true(found.outside > 0);
    ASSERT_NEAR(found.outside, 0.003, 1e-9);
}

static void inside_of_the_box_around_the_hand_or_beside_it(void **state)
{
    (void)state;
    assert_true(look("box: [40 mm, 40 mm, 40 mm]", "z: 0").outside == 0);
    // the cube's top is 20 mm above its centre, the pads' lower ends 15 mm below tcp
    gmc_rollout_gap_found found = look("box: [40 mm, 40 mm, 40 mm]", "z: 50 mm");
    ASSERT_NEAR(found.outside, 0.015, 1e-12);
    // to the pads there are 20 mm along y as well, half of the cube being within 40 mm
    ASSERT_NEAR(found.gap, hypot(0.015, 0.02), 1e-12);
}

static void overlaps_are_negative(void **state)
{
    (void)state;
    // 84 mm between pads 80 mm apart: 2 mm deep on either side
    gmc_rollout_gap_found found = look("box: [4 mm, 84 mm, 10 mm]", "z: 0");
    ASSERT_NEAR(found.gap, -0.002, 1e-12);
    assert_true(found.outside == 0);
    // a ball whose centre is 1 mm off a pad, so that only its rounding overlaps
    ASSERT_NEAR(look("sphere: {radius: 3 mm}", "y: 39 mm").gap, -0.002, 1e-12);
}

static void to_a_plane_of_the_scene(void **state)
{
    (void)state;
    // the pads' lower ends are 15 mm below tcp, which stands at 1 m over a table at 0.9 m
    const char *cube = "box: [40 mm, 40 mm, 40 mm]";
    ASSERT_NEAR(look_at(GMC_CATEGORY_SCENE, cube, "z: 0").gap, 0.085, 1e-12);
    ASSERT_NEAR(look_at(GMC_CATEGORY_SCENE, cube, "z: -90 mm").gap, -0.005, 1e-12);
    ASSERT_NEAR(look(cube, "z: 0").gap, 0.02, 1e-12); // the table is none of the object's
}

int test_rollout_gap(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(between_the_pads),
        cmocka_unit_test(inside_of_the_box_around_the_hand_or_beside_it),
        cmocka_unit_test(overlaps_are_negative),
        cmocka_unit_test(to_a_plane_of_the_scene),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

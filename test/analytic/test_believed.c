// Where the hand goes when the robot sees the object wrongly: the true pose and the error, to
// rounding; in the axes of the camera, growing with its distance; the object itself stays where it
// truly is.
#include "engine/math/pose.h"
#include "sampling/scenario/perturb.h"
#include "test/support/near.h"
#include "test/support/rolling.h"

#include <stdlib.h>
#include <string.h>

static const double ROUNDING = 1e-14; // of poses of some hundred millimetres
static const double DEG = 0.017453292519943295;

// The tool point lies 45 mm below the base of the jaw.
static const gmc_vec3 TOOL = {0, 0, -0.045};

#define HEAD                                                                                       \
    "graspmc: 1\n"                                                                                 \
    "hand: {urdf: jaw.urdf, frame: tcp, surface: rubber}\n"                                        \
    "object: {box: [50 mm, 50 mm, 50 mm], mass: 0.2 kg, surface: abs, placed: resting,\n"          \
    "         pose: {x: 100 mm, yaw: 30 deg}}\n"                                                   \
    "scene: {table: {plane: {}, surface: wood}}\n"                                                 \
    "friction: {rubber/abs: 0.5, abs/wood: 0.4, rubber/wood: 0.5}\n"                               \
    "program: [{hold: {for: 0.1 s}}]\n"                                                            \
    "success: {at_end: [held_by(object) >= 0]}\n"

static gmc_rolling r;
static gmc_arena arena;
static double *nominal, *values;

static int open_all(void **state)
{
    (void)state;
    gmc_rolling_open(&r);
    return gmc_arena_create(&arena, 4 << 20) == GMC_OK ? 0 : 1;
}

static int close_all(void **state)
{
    (void)state;
    gmc_arena_free(&arena);
    free(nominal);
    free(values);
    gmc_rolling_close(&r);
    return 0;
}

static void prepare(const char *text, const char *const *sets)
{
    gmc_rolling_prepare(&r, text, sets);
    free(nominal);
    free(values);
    nominal = calloc((size_t)r.prepared.scenario.parameter_count, sizeof *nominal);
    values = calloc((size_t)r.prepared.scenario.parameter_count, sizeof *values);
    assert_true(nominal);
    assert_true(values);
}

// Start of a draw: where the tool point and the object are.
static gmc_status start(uint64_t draw, gmc_pose *tool, gmc_pose *object)
{
    const gmc_scenario *s = &r.prepared.scenario;
    gmc_rollout_input input;
    gmc_arena_reset(&arena, 0);
    gmc_perturb_believed(s, 0, nominal);
    assert_int_equal(gmc_perturb_values(s, 0, draw, values, NULL), GMC_OK);
    gmc_status status = gmc_build_instantiate(r.prepared.build, 0, nominal, values, &arena, &input);
    if (status != GMC_OK) return status;
    const gmc_model *model = input.model;
    gmc_pose *const out[] = {tool, object};
    const int bodies[] = {input.measures->hand_body, gmc_model_find_body(model, "object")};
    for (int i = 0; i < 2; i++) {
        const double *q = model->q_start + model->bodies[bodies[i]].q;
        *out[i] = gmc_pose_make((gmc_quat){q[3], q[4], q[5], q[6]}, (gmc_vec3){q[0], q[1], q[2]});
    }
    tool->p = gmc_pose_apply(tool, TOOL);
    return GMC_OK;
}

static void see(const char *text, const char *const *sets, gmc_pose *tool, gmc_pose *object)
{
    prepare(text, sets);
    assert_int_equal(start(0, tool, object), GMC_OK);
}

static void expect_place(gmc_vec3 found, gmc_vec3 expected)
{
    ASSERT_NEAR(found.x, expected.x, ROUNDING);
    ASSERT_NEAR(found.y, expected.y, ROUNDING);
    ASSERT_NEAR(found.z, expected.z, ROUNDING);
}

static void expect_turn(gmc_mat3 found, gmc_quat expected)
{
    gmc_mat3 R = gmc_quat_matrix(expected);
    for (int i = 0; i < 9; i++)
        ASSERT_NEAR(found.m[i], R.m[i], ROUNDING);
}

static gmc_vec3 error_of(const gmc_pose *tool, const gmc_pose *object)
{
    return gmc_vec3_sub(tool->p, object->p);
}

static void the_hand_misses_by_the_error(void **state)
{
    (void)state;
    gmc_pose tool, object;
    see(HEAD "uncertain:\n  object.pose.y: nominal + uniform(20 mm, 30 mm)\n"
             "believed: {object.pose: {x: 3 mm, y: -2 mm, z: 1 mm, roll: 1 deg, yaw: 10 deg}}\n",
        NULL, &tool, &object);
    // the object is where chance has put it, on the table; the hand beside it by the error alone
    assert_true(object.p.y > 0.02);
    assert_true(object.p.y < 0.03);
    ASSERT_NEAR(object.p.z, 0.025, ROUNDING);
    expect_place(error_of(&tool, &object), (gmc_vec3){0.003, -0.002, 0.001});
    gmc_quat err = gmc_quat_exp((gmc_vec3){1 * DEG, 0, 10 * DEG});
    expect_turn(tool.R, gmc_quat_multiply(err, gmc_quat_from_rpy(0, 0, 30 * DEG)));

    // a target is a pose in the believed frame
    see(HEAD "believed: {object.pose: {x: 3 mm, yaw: 60 deg}}\n",
        (const char *[]){"hand.target.x=20 mm", NULL}, &tool, &object);
    expect_place(error_of(&tool, &object), (gmc_vec3){0.003, 0.02, 0}); // 30 + 60 degrees
}

static void without_belief_the_hand_goes_to_the_nominal_place(void **state)
{
    (void)state;
    gmc_pose tool, object;
    see(HEAD "uncertain:\n  object.pose.y: nominal + uniform(20 mm, 30 mm)\n", NULL, &tool,
        &object);
    expect_place(tool.p, (gmc_vec3){0.1, 0, 0.025});
}

#define EYE(xyz, aim, error)                                                                       \
    HEAD "cameras: {head: {pose: {xyz: " xyz ", " aim "}}}\n"                                      \
         "believed: {object.pose: {seen_by: head, " error "}}\n"

static void errors_lie_in_the_axes_of_the_camera(void **state)
{
    (void)state;
    gmc_pose tool, object;
    double c = 0.6, d = 0.675, length = sqrt(c * c + d * d); // to the cube's middle
    gmc_vec3 depth = {-c / length, 0, -d / length}, down = {d / length, 0, -c / length};
    see(EYE("[700 mm, 0, 700 mm]", "look_at: object", "z: 4 mm"), NULL, &tool, &object);
    expect_place(error_of(&tool, &object), gmc_vec3_scale(0.004, depth));
    see(EYE("[700 mm, 0, 700 mm]", "look_at: object", "x: 4 mm"), NULL, &tool, &object);
    expect_place(error_of(&tool, &object), (gmc_vec3){0, 0.004, 0}); // seen from +x, y is right
    see(EYE("[700 mm, 0, 700 mm]", "look_at: object", "y: 4 mm"), NULL, &tool, &object);
    expect_place(error_of(&tool, &object), gmc_vec3_scale(0.004, down));
    // turns about the depth turn the tool about the line of sight
    see(EYE("[700 mm, 0, 700 mm]", "look_at: object", "yaw: 10 deg"), NULL, &tool, &object);
    gmc_quat err = gmc_quat_exp(gmc_vec3_scale(10 * DEG, depth));
    expect_turn(tool.R, gmc_quat_multiply(err, gmc_quat_from_rpy(0, 0, 30 * DEG)));
    // from the other side, at a point, at a body, straight down, straight up, by angles
    see(EYE("[100 mm, -600 mm, 700 mm]", "look_at: object", "x: 4 mm"), NULL, &tool, &object);
    expect_place(error_of(&tool, &object), (gmc_vec3){0.004, 0, 0});
    see(EYE("[0, 0, 1]", "look_at: [1, 0, 1]", "z: 4 mm"), NULL, &tool, &object);
    expect_place(error_of(&tool, &object), (gmc_vec3){0.004, 0, 0});
    see(EYE("[0, -1, 0]", "look_at: table", "z: 4 mm"), NULL, &tool, &object);
    expect_place(error_of(&tool, &object), (gmc_vec3){0, 0.004, 0});
    see(EYE("[100 mm, 0, 700 mm]", "look_at: object", "x: 1 mm, y: 2 mm, z: 3 mm"), NULL, &tool,
        &object);
    expect_place(error_of(&tool, &object), (gmc_vec3){0.001, -0.002, -0.003});
    see(EYE("[0, 0, -1]", "look_at: [0, 0, 0]", "x: 1 mm, y: 2 mm, z: 3 mm"), NULL, &tool, &object);
    expect_place(error_of(&tool, &object), (gmc_vec3){-0.001, -0.002, 0.003});
    see(EYE("[0, 0, 1]", "roll: 180 deg", "x: 1 mm, y: 2 mm, z: 3 mm"), NULL, &tool, &object);
    expect_place(error_of(&tool, &object), (gmc_vec3){0.001, -0.002, -0.003});
}

static void cameras_stay_while_the_object_moves(void **state)
{
    (void)state;
    gmc_pose tool, object;
    see(EYE("[700 mm, 0, 25 mm]", "look_at: object",
            "z: 4 mm") "uncertain:\n  object.pose.y: nominal + uniform(100 mm, 200 mm)\n",
        NULL, &tool, &object);
    expect_place(error_of(&tool, &object), (gmc_vec3){-0.004, 0, 0});
    gmc_rolling_refuse(&r, EYE("[100 mm, 0, 25 mm]", "look_at: object", "z: 4 mm"),
                       "cameras.head stands where it looks");
}

static void errors_grow_with_the_distance(void **state)
{
    (void)state;
    gmc_pose tool, object;
    see(EYE("[0, 0, 25 mm]", "look_at: [0, 0, 0]",
            "x: 4 mm, yaw: 4 deg, grows_with: {distance: "
            "50 mm, power: 2}") "uncertain:\n  object.pose.x: 150 mm\n",
        NULL, &tool, &object);
    // the true distance of 150 mm, three times that of the stated errors
    expect_place(error_of(&tool, &object), (gmc_vec3){9 * 0.004, 0, 0});
    gmc_quat err = gmc_quat_exp((gmc_vec3){0, 0, -36 * DEG});
    expect_turn(tool.R, gmc_quat_multiply(err, gmc_quat_from_rpy(0, 0, 30 * DEG)));
}

static void outliers_are_turned_about_the_object(void **state)
{
    (void)state;
    gmc_pose tool, object;
    see(HEAD "believed: {object.pose: {x: 1 mm, outliers: {share: 1, turn: 90 deg}}}\n", NULL,
        &tool, &object);
    expect_place(error_of(&tool, &object), (gmc_vec3){0.001, 0, 0});
    expect_turn(tool.R, gmc_quat_from_rpy(0, 0, 120 * DEG));
    see(HEAD "believed: {object.pose: {outliers: {share: 1, turn: 90 deg, about: object.x}}}\n",
        NULL, &tool, &object);
    expect_turn(tool.R, gmc_quat_multiply(gmc_quat_from_rpy(0, 0, 30 * DEG),
                                          gmc_quat_from_rpy(90 * DEG, 0, 0)));
    see(HEAD "believed: {object.pose: {outliers: {share: 0}}}\n", NULL, &tool, &object);
    expect_turn(tool.R, gmc_quat_from_rpy(0, 0, 30 * DEG));
}

// The covariance of what the hand misses by is that of the camera, turned into the world.
static void the_ellipsoid_of_errors_turns_with_the_camera(void **state)
{
    (void)state;
    enum { DRAWS = 4000 };
    static const char *const PLACES[] = {"cameras.head.pose.xyz.x=700 mm",
                                         "cameras.head.pose.xyz.x=-500 mm"};
    for (int k = 0; k < 2; k++) {
        gmc_pose tool, object;
        double c = k == 0 ? 0.6 : -0.6, d = 0.675, length = sqrt(c * c + d * d);
        gmc_vec3 depth = {-c / length, 0, -d / length};
        prepare(EYE("[700 mm, 0, 700 mm]", "look_at: object", "sd: {x: 1 mm, y: 1 mm, z: 4 mm}"),
                (const char *[]){PLACES[k], NULL});
        double found[3][3] = {{0}};
        for (uint64_t draw = 0; draw < DRAWS; draw++) {
            assert_int_equal(start(draw, &tool, &object), GMC_OK);
            gmc_vec3 e = error_of(&tool, &object);
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    found[i][j] += gmc_vec3_get(e, i) * gmc_vec3_get(e, j) / DRAWS;
        }
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                double part = gmc_vec3_get(depth, i) * gmc_vec3_get(depth, j);
                double expected = (i == j ? 1e-6 : 0) + 15e-6 * part;
                // five standard errors of the largest entry, √2 16 mm² / √n
                ASSERT_NEAR(found[i][j], expected, 5 * 1.4143 * 16e-6 / sqrt((double)DRAWS));
            }
    }
}

static void in_the_plane_the_hand_misses_too(void **state)
{
    (void)state;
    gmc_rolling_play(&r,
                     "graspmc: 1\nworld: planar-support\n"
                     "hand: {urdf: jaw.urdf, surface: rubber}\n"
                     "object: {circle: {radius: 10 mm}, thickness: 10 mm, mass: 0.1 kg,\n"
                     "         surface: abs, pose: {x: 50 mm, y: 20 mm, yaw: 30 deg}}\n"
                     "friction: {rubber/abs: 0.5}\nprogram: [{hold: {for: 10 ms}}]\n"
                     "success: {at_end: [held_by(object) >= 0]}\n"
                     "believed: {object.pose: {x: 200 mm, y: 1 mm, yaw: 15 deg}}\n",
                     NULL);
    gmc_pose hand = gmc_rolling_pose(&r, 0, gmc_rolling_body(&r, "hand"));
    expect_place(hand.p, (gmc_vec3){0.25, 0.021, 0});
    expect_turn(hand.R, gmc_quat_from_rpy(0, 0, 45 * DEG));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_hand_misses_by_the_error),
        cmocka_unit_test(without_belief_the_hand_goes_to_the_nominal_place),
        cmocka_unit_test(errors_lie_in_the_axes_of_the_camera),
        cmocka_unit_test(cameras_stay_while_the_object_moves),
        cmocka_unit_test(errors_grow_with_the_distance),
        cmocka_unit_test(outliers_are_turned_about_the_object),
        cmocka_unit_test(the_ellipsoid_of_errors_turns_with_the_camera),
        cmocka_unit_test(in_the_plane_the_hand_misses_too),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}

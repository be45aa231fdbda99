// A block that rocks over its base on a pad: what it loses as it goes from edge to edge is the
// pad's to say, not the step's. Let go at 8 degrees; turning points against runs at much shorter
// steps and, on a pad that all but does not give, against Housner's rigid block.

#include "engine/math/elementary.h"
#include "test/support/near.h"
#include "test/support/rolling.h"

#include <stdio.h>

enum { TURNS = 4 };

static const double DEGREE = GMC_PI / 180, START = 8;
static const double WIDTH = 0.05, HEIGHT = 0.16;

static const char TEXT[] =
    "graspmc: 1\n"
    "object: {box: [50 mm, 60 mm, 160 mm], mass: 0.8 kg, surface: abs, placed: as_given,"
    " pose: {z: 82.700773 mm, pitch: 8 deg}}\n"
    "scene: {table: {plane: {height: 0 m}, surface: floor}}\n"
    "surfaces: {floor: {pad: {thickness: 4 mm, modulus: 1 MPa}}}\n"
    "friction: {abs/floor: 1.0}\n"
    "program: [hold: {for: 0.9 s}]\n"
    "success: {at_end: [lift(object) <= 1 m]}\n"
    "simulation: {step: 4 ms, half_step: 0, early: {broken: false, falling: false, rest: false,"
    " borne: false, audit: 0}}\n"
    "output: {trajectories: all, rate: 0 Hz}\n"
    "sampling: {draws: 1}\n";

/// Turning points of the swing, the start first [degrees].
static void swing(gmc_rolling *rolling, const char *thickness, const char *modulus, double h,
                  double turns[TURNS])
{
    char step[48], thick[64], stiff[64];
    (void)snprintf(step, sizeof step, "simulation.step=%g ms", 1e3 * h);
    (void)snprintf(thick, sizeof thick, "surfaces.floor.pad.thickness=%s", thickness);
    (void)snprintf(stiff, sizeof stiff, "surfaces.floor.pad.modulus=%s", modulus);
    const char *sets[] = {step, thick, stiff, NULL};
    gmc_rolling_play(rolling, TEXT, sets);
    int body = gmc_rolling_body(rolling, "object"), count = 0;
    double most = 0;
    for (int row = 0; row < rolling->trajectory.row_count && count < TURNS; row++) {
        gmc_mat3 R = gmc_rolling_pose(rolling, row, body).R;
        double angle = gmc_atan2(R.m[2], R.m[8]) / DEGREE, side = count % 2 ? -angle : angle;
        if (side < -0.02) { // over its base
            turns[count++] = most;
            most = -side;
        } else {
            most = fmax(most, side);
        }
    }
    while (count < TURNS)
        turns[count++] = 0;
    print_message("%s of %s, %g ms: %.2f %.2f %.2f deg\n", thickness, modulus, 1e3 * h, turns[1],
                  turns[2], turns[3]);
    for (int i = 1; i < TURNS; i++)
        assert_true(turns[i] < turns[i - 1]); // energy never grows
}

/// First and third turning point on a soft pad are those of a step of 0.05 ms within three times
/// what halving that from 0.1 ms moves the first by: 0.2 degrees. They were 1.8 and 2.3 off.
static void turns_do_not_depend_on_the_step(void **state)
{
    (void)state;
    static const double STEPS[] = {0.25e-3, 0.5e-3, 1e-3, 2e-3, 4e-3};
    gmc_rolling rolling;
    double coarse[TURNS], fine[TURNS], turns[TURNS];
    gmc_rolling_open(&rolling);
    swing(&rolling, "4 mm", "1 MPa", 0.1e-3, coarse);
    swing(&rolling, "4 mm", "1 MPa", 0.05e-3, fine);
    double tolerance = 3 * fabs(fine[1] - coarse[1]);
    assert_true(tolerance < 0.3);
    for (int i = 0; i < 5; i++) {
        swing(&rolling, "4 mm", "1 MPa", STEPS[i], turns);
        assert_true(fabs(turns[1] - fine[1]) <= tolerance);
        assert_true(fabs(turns[3] - fine[3]) <= tolerance);
    }
    gmc_rolling_close(&rolling);
}

/// Turning points of a rigid block on rigid ground [housner1963]: at each blow the angular momentum
/// about the edge that it lands on stays, so the speed falls by 1 - 3/2 sin²α, and over an edge the
/// mass centre is as high as R cos(α - θ).
static void rigid_swing(double turns[TURNS])
{
    double half_diagonal_angle = gmc_atan2(WIDTH, HEIGHT), s = gmc_sin(half_diagonal_angle);
    double kept = 1 - 1.5 * s * s, upright = gmc_cos(half_diagonal_angle);
    turns[0] = START;
    for (int i = 1; i < TURNS; i++) {
        double height = gmc_cos(half_diagonal_angle - turns[i - 1] * DEGREE) - upright;
        double cosine = upright + kept * kept * height;
        turns[i] = (half_diagonal_angle - gmc_acos(cosine)) / DEGREE;
    }
}

/// The stiffer the pad, the nearer to it from above, at any step. A soft pad carries the block over
/// with less of a blow.
static void stiff_pads_tend_to_a_rigid_block(void **state)
{
    (void)state;
    static const char *const MODULI[] = {"1 MPa", "100 MPa", "10 GPa"};
    static const double STEPS[] = {0.25e-3, 1e-3, 4e-3};
    gmc_rolling rolling;
    double rigid[TURNS], turns[TURNS];
    rigid_swing(rigid);
    print_message("rigid: %.2f %.2f %.2f deg\n", rigid[1], rigid[2], rigid[3]);
    gmc_rolling_open(&rolling);
    for (int i = 0; i < 3; i++) {
        double before = HUGE_VAL;
        for (int k = 0; k < 3; k++) {
            swing(&rolling, k == 0 ? "4 mm" : "1 mm", MODULI[k], STEPS[i], turns);
            double beyond = 0;
            for (int turn = 1; turn < TURNS; turn++) {
                assert_true(turns[turn] > rigid[turn]);
                beyond = fmax(beyond, turns[turn] - rigid[turn]);
            }
            assert_true(beyond < before);
            before = beyond;
        }
        assert_true(before <= 0.15); // 10 GPa; falls as the cube root of the modulus at best
    }
    gmc_rolling_close(&rolling);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turns_do_not_depend_on_the_step),
        cmocka_unit_test(stiff_pads_tend_to_a_rigid_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

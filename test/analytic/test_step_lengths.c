// What must not depend on the length of a step: flight in steps of any lengths, the force at rest
// where the length changes, motion that starts from rest, and when a falling body strikes.

#include "engine/math/elementary.h"
#include "test/support/near.h"
#include "test/support/stage.h"

static const double G = 9.81, HALF = 0.02, MASS = 0.3;
static const double STEPS[] = {0.5e-3, 1e-3, 2e-3, 4e-3};

/// A box at height z above a floor, if there is one.
static void open_box(gmc_stage *s, double z, bool has_floor)
{
    gmc_stage_open(s, 0.5);
    if (has_floor) gmc_stage_fixed(s, "floor", gmc_stage_plane(), gmc_pose_identity());
    gmc_stage_free(s, "box", gmc_stage_box(HALF, HALF, HALF), MASS, (gmc_vec3){0, 0, z});
    gmc_stage_ready(s, 8);
}

/// Velocities are those of the steps' middles, forces act from middle to middle: what falls from
/// rest is on its parabola at the end of each of them, whatever their lengths.
static void unequal_steps_fall_along_the_parabola(void **state)
{
    (void)state;
    static const double LENGTHS[] = {4e-3, 0.25e-3, 1e-3, 2e-3, 0.0625e-3};
    gmc_stage s;
    open_box(&s, 0, false);
    s.options.is_start = true;
    for (int i = 0; i < 500; i++) {
        double h = LENGTHS[i * i % GMC_COUNT(LENGTHS)], t = s.world.state.t + h;
        assert_int_equal(gmc_stage_step(&s, h), GMC_OK);
        s.options.is_start = false;
        // 500 roundings of some metres
        ASSERT_NEAR(gmc_stage_place(&s, "box").z, -G * t * t / 2, 1e-12);
        ASSERT_NEAR(gmc_stage_velocity(&s, "box").z, -G * (t - h / 2), 1e-12);
    }
    gmc_stage_close(&s);
}

/// A body at rest does not notice that the steps become shorter or longer.
static void rest_outlasts_a_change_of_length(void **state)
{
    (void)state;
    for (int i = 0; i < GMC_COUNT(STEPS); i++) {
        gmc_stage s;
        open_box(&s, HALF, true);
        assert_int_equal(gmc_stage_run(&s, STEPS[i], 1), GMC_OK);
        gmc_vec3 place = gmc_stage_place(&s, "box");
        for (int k = 0; k < 40; k++) {
            double force = 0;
            assert_int_equal(gmc_stage_step(&s, STEPS[k * k % GMC_COUNT(STEPS)] / 8), GMC_OK);
            for (int c = 0; c < s.world.contacts.count; c++)
                force += s.world.contacts.contacts[c].impulse[0] / s.last.span;
            ASSERT_NEAR_RELATIVE(force, MASS * G, 1e-9); // settled for a second: rounding of gaps
            double moved = gmc_vec3_norm(gmc_vec3_sub(gmc_stage_place(&s, "box"), place));
            ASSERT_NEAR(moved, 0, 1e-14);
        }
        gmc_stage_close(&s);
    }
}

/// The stepper refuses a long step in which something strikes; halved until it is accepted, the
/// arrival is found where sqrt(2 d / g) says.
static void strikes_are_located(void **state)
{
    (void)state;
    const double drop = 0.1, shortest = 1e-4;
    for (int i = 0; i < GMC_COUNT(STEPS); i++) {
        gmc_stage s;
        open_box(&s, HALF + drop, true);
        s.options.is_start = true;
        s.options.impact_step = shortest;
        double h = STEPS[i], t = 0;
        int refusals = 0;
        while (s.world.state.t < 0.2) {
            gmc_status status = gmc_stage_step(&s, h);
            if (status == GMC_OK) {
                s.options.is_start = false;
                if (s.last.max_force > 0) break;
                t = s.world.state.t;
                continue;
            }
            assert_int_equal(status, GMC_E_NO_SOLUTION);
            assert_true(h > shortest);
            refusals++;
            h /= 2;
        }
        // as often as halves fit between the two lengths
        assert_int_equal(refusals, (int)ceil(gmc_log(STEPS[i] / shortest) / gmc_log(2)));
        // the step that struck is not longer than that, and t is where it begins
        ASSERT_NEAR(t, sqrt(2 * drop / G) - shortest / 2, shortest / 2 + 1e-12);
        gmc_stage_close(&s);
    }
}

/// What is apart but hardly moves, and what touches already, is no strike.
static void rest_is_no_strike(void **state)
{
    (void)state;
    gmc_stage s;
    open_box(&s, HALF, true);
    s.options.impact_step = 1e-4;
    assert_int_equal(gmc_stage_run(&s, 4e-3, 0.2), GMC_OK);
    gmc_stage_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unequal_steps_fall_along_the_parabola),
        cmocka_unit_test(rest_outlasts_a_change_of_length),
        cmocka_unit_test(strikes_are_located),
        cmocka_unit_test(rest_is_no_strike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

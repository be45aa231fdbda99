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

/// What gravity does from a to b, at a rate that changes from 0 at the time from to g at the time
/// to (a step: the same two).
static double kick(double g, double from, double to, double t)
{
    if (t <= from) return 0;
    if (t >= to) return g * (t - 0.5 * (from + to));
    return 0.5 * g * (t - from) * (t - from) / (to - from);
}

/// Gravity that a program changes acts for as long as it is there, on free bodies and on those of
/// trees, in steps of any lengths: velocities in the middle of steps are the integral, exactly
/// where it is constant from step to step, and where it grows with time to g h²/(8 T), T of the
/// ramp.
static void gravity_acts_while_it_is_there(void **state)
{
    (void)state;
    const double g = 5, on = 0.1, off = 0.2;
    for (int i = 0; i < 2 * GMC_COUNT(STEPS); i++) {
        double h = STEPS[i / 2], ramp = i % 2 ? 0.04 : 0;
        gmc_dof free = gmc_builder_default_dof();
        gmc_shape none = {.type = GMC_SHAPE_BOX};
        gmc_stage s;
        gmc_stage_open(&s, 0.5);
        gmc_stage_free(&s, "box", gmc_stage_box(HALF, HALF, HALF), MASS, (gmc_vec3){0, 0, 0});
        gmc_stage_slider(&s, "lift", NULL, (gmc_vec3){0, 0, 1}, (gmc_vec3){1, 0, 0}, none, 7 * MASS,
                         free, false);
        gmc_stage_slider(&s, "car", "lift", (gmc_vec3){0, 0, 1}, (gmc_vec3){0, 0, 0}, none, MASS,
                         free, false);
        gmc_stage_ready(&s, 4);
        s.options.is_start = true;
        double worst = 0;
        for (int k = 0; s.world.state.t < 0.4 - 1e-9; k++) {
            double length = k % 3 == 2 ? h : h / 2, t = s.world.state.t; // at off and on steps end
            double middle = t + length / 2; // at which a program takes a ramp
            double now = ramp > 0 ? fmin(fmax((middle - on) / ramp, 0), 1) : middle > on;
            double then = ramp > 0 ? fmin(fmax((middle - off) / ramp, 0), 1) : middle > off;
            s.model.gravity = (gmc_vec3){0, 0, g * (now - then)};
            assert_int_equal(gmc_stage_step(&s, length), GMC_OK);
            s.options.is_start = false;
            double v = kick(g, on, on + ramp, middle) - kick(g, off, off + ramp, middle);
            double of_box = gmc_stage_velocity(&s, "box").z - v;
            double of_car = gmc_stage_velocity(&s, "car").z - v;
            ASSERT_NEAR(of_box, of_car, 1e-12);
            worst = fmax(worst, fabs(of_box));
        }
        ASSERT_NEAR(worst, 0, ramp > 0 ? g * h * h / (8 * ramp) + 1e-10 : 1e-10);
        ASSERT_NEAR(gmc_stage_velocity(&s, "box").z, g * (off - on), 1e-10);
        gmc_stage_close(&s);
    }
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
        cmocka_unit_test(gravity_acts_while_it_is_there),
        cmocka_unit_test(rest_outlasts_a_change_of_length),
        cmocka_unit_test(strikes_are_located),
        cmocka_unit_test(rest_is_no_strike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

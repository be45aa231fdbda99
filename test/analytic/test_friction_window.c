// What friction two bodies used, as impulses over 8 ms: a load along a table and one between
// fingers are what mechanics says, and what vanishing loads do makes no difference, at any step.
#include "engine/math/elementary.h"
#include "test/support/near.h"
#include "test/support/rolling.h"

static const double G = 9.81, WINDOW = 8e-3;
static const double STEPS[] = {0.25, 0.5, 1, 2, 4}; // [ms]

#define QUIET                                                                                      \
    "half_step: 0, workspace: 100 m, early: {broken: false, falling: false, rest: false, borne: "  \
    "false}"
#define HAND "hand: {urdf: jaw.urdf, frame: tcp, surface: rubber}\n"

static void play(gmc_rolling *r, const char *scene, const char *stepper, double step)
{
    char text[2048];
    snprintf(text, sizeof text, "graspmc: 1\n%ssimulation: {step: %g ms, stepper: %s, " QUIET "}\n",
             scene, step, stepper);
    gmc_rolling_play(r, text, NULL);
}

/// A block on a table whose gravity leans by `aside` m/s2 within a second.
static void lean(gmc_rolling *r, const char *stepper, double step, double mass, double aside)
{
    char text[1024];
    snprintf(text, sizeof text,
             "object: {box: [60 mm, 40 mm, 20 mm], mass: %g kg, surface: abs, placed: resting}\n"
             "scene: {table: {plane: {height: 0 m}, surface: floor}}\n"
             "friction: {abs/floor: 0.5}\n"
             "program: [{set: {gravity.x: %g, in: 1 s}}, {hold: {for: 0.1 s}}]\n"
             "success: {at_end: [lift(object) <= 1 m]}\n",
             mass, aside);
    play(r, text, stepper, step);
}

static void a_leaning_table_needs_its_slope(void **state)
{
    (void)state;
    static const char *const NAMES[] = {"coulomb", "stewart_trinkle", "anitescu_potra"};
    const double masses[] = {0.02, 0.4, 8};
    gmc_rolling r;
    gmc_rolling_open(&r);
    for (int s = 0; s < GMC_COUNT(NAMES); s++)
        for (int m = 0; m < GMC_COUNT(masses); m++)
            for (int i = s == 0 ? 0 : 2; i < GMC_COUNT(STEPS); i++) {
                lean(&r, NAMES[s], STEPS[i], masses[m], 3);
                // what a second's loading leaves of swings along the table, 1e-6 of it
                ASSERT_NEAR(gmc_rolling_value(&r, "friction_needed(abs/floor)"), 3 / G, 1e-5);
                ASSERT_NEAR(gmc_rolling_value(&r, "slipped(abs/floor)"), 0, 0);
                lean(&r, NAMES[s], STEPS[i], masses[m], 6);
                ASSERT_NEAR(gmc_rolling_value(&r, "friction_needed(abs/floor)"), 0.5, 1e-9);
                ASSERT_NEAR(gmc_rolling_value(&r, "slipped(abs/floor)"), 1, 0);
            }
    gmc_rolling_close(&r);
}

// A cube between two fingers, swung up and down: m (g + A w^2) is borne by two faces.
static void a_shake_needs_its_largest_load(void **state)
{
    (void)state;
    const double amplitude = 6e-3, w = 2 * GMC_PI * 5, force = 20;
    const double expected = 0.2 * (G + amplitude * w * w) / (2 * force);
    gmc_rolling r;
    gmc_rolling_open(&r);
    for (int i = 0; i < GMC_COUNT(STEPS); i++) {
        play(&r,
             HAND "object: {box: [50 mm, 50 mm, 50 mm], mass: 0.2 kg, surface: abs}\n"
                  "friction: {rubber/abs: 0.5}\ngravity: [0, 0, 0]\n"
                  "program: [{close: {force: 20 N}}, {set: {gravity.z: -9.81, in: 1 s}},\n"
                  "          {shake: {axis: z, amplitude: 6 mm, frequency: 5 Hz, for: 2 s, ramp: "
                  "0.8 s}}]\n"
                  "success: {at_end: [held_by(object) >= 2]}\n",
             "coulomb", STEPS[i]);
        assert_int_equal(r.result.outcome, GMC_OUTCOME_SUCCESS);
        double found = gmc_rolling_value(&r, "friction_needed(rubber/abs)");
        // a mean over the window is (w T)^2 / 24 below a crest; one more window for steps that miss
        // the crest and lag
        double below = w * WINDOW * w * WINDOW / 24;
        print_message("shake at %g ms: %.5f of %.5f\n", STEPS[i], found, expected);
        assert_true(found > (1 - 2 * below) * expected && found < (1 + below / 2) * expected);
        ASSERT_NEAR(gmc_rolling_value(&r, "slipped(rubber/abs)"), 0, 0);
    }
    gmc_rolling_close(&r);
}

// What comes to touch, is carried and leaves the table loads and unloads through nothing.
static void vanishing_loads_weigh_nothing(void **state)
{
    (void)state;
    // both fingers arrive at once; a little aside; one pushes the cube over the table to the other;
    // it pushes a light carton. What sticks while a cube is pushed keeps what the blow has left in
    // it, which is 8 % less at the shortest step
    static const struct {
        const char *object;
        double x, y;  ///< off the hand's middle [mm]
        bool slides;  ///< over the table
        double apart; ///< values at different steps, relative
    } PICKS[] = {{"box: [50 mm, 50 mm, 50 mm], mass: 0.2 kg", 0, 0, false, 0.02},
                 {"box: [50 mm, 50 mm, 50 mm], mass: 0.2 kg", 3, 0, false, 0.02},
                 {"box: [50 mm, 50 mm, 50 mm], mass: 0.2 kg", 0, 4, true, 0.1},
                 {"box: [48 mm, 44 mm, 50 mm], mass: 0.05 kg", -2, -4, true, 0.02}};
    gmc_rolling r;
    gmc_rolling_open(&r);
    for (int k = 0; k < GMC_COUNT(PICKS); k++) {
        double held = 0;
        for (int i = 0; i < GMC_COUNT(STEPS); i++) {
            char text[1024];
            snprintf(text, sizeof text,
                     HAND "object: {%s, surface: abs, placed: resting}\n"
                          "scene: {table: {plane: {}, surface: wood}}\n"
                          "friction: {rubber/abs: 0.5, abs/wood: 0.4, rubber/wood: 0.5}\n"
                          "uncertain:\n  object.pose.x: nominal + uniform(%g mm, %g mm)\n"
                          "  object.pose.y: nominal + uniform(%g mm, %g mm)\n"
                          "program: [{close: {force: 10 N, speed: 40 mm/s, until: stalled}},\n"
                          "          {lift: {by: 60 mm, in: 0.4 s}}, {hold: {for: 0.2 s}}]\n"
                          "success: {at_end: [lift(object) >= 50 mm]}\n",
                     PICKS[k].object, PICKS[k].x - 1e-3, PICKS[k].x + 1e-3, PICKS[k].y - 1e-3,
                     PICKS[k].y + 1e-3);
            play(&r, text, "coulomb", STEPS[i]);
            assert_int_equal(r.result.outcome, GMC_OUTCOME_SUCCESS);
            double now = gmc_rolling_value(&r, "friction_needed(rubber/abs)");
            double table = gmc_rolling_value(&r, "friction_needed(abs/wood)");
            print_message("pick %d at %g ms: fingers %.5f, table %.5f\n", k, STEPS[i], now, table);
            if (i == 0) held = now;
            assert_true(fabs(now - held) <= PICKS[k].apart * held);
            ASSERT_NEAR(gmc_rolling_value(&r, "slipped(rubber/abs)"), 0, 0);
            ASSERT_NEAR(gmc_rolling_value(&r, "slipped(abs/wood)"), PICKS[k].slides, 0);
            // what is not pushed over the table has next to none, though it lets go
            assert_true(PICKS[k].slides ? fabs(table - 0.4) < 1e-6 : table < 0.05);
        }
    }
    gmc_rolling_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_leaning_table_needs_its_slope),
                                       cmocka_unit_test(a_shake_needs_its_largest_load),
                                       cmocka_unit_test(vanishing_loads_weigh_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Forces are impulses over 8 ms: an impact is m v over that time, a steady force is itself,
// whatever the step and the stepper.
#include "test/support/near.h"
#include "test/support/rolling.h"

static const double WINDOW = 8e-3, G = 9.81;
static const char *const STEPPERS[] = {"coulomb", "stewart_trinkle", "anitescu_potra",
                                       "song_pang_kumar"};
static const double STEPS[] = {0.25, 1, 2, 3, 4}; // [ms]

#define QUIET                                                                                      \
    "half_step: 0, workspace: 100 m, early: {broken: false, falling: false, rest: false, borne: "  \
    "false}"

/// max_force of a ball that falls from `height`.
static double blow(gmc_rolling *r, const char *stepper, double step, double mass, double height)
{
    char text[1024];
    snprintf(text, sizeof text,
             "graspmc: 1\nobject: {sphere: {radius: 50 mm}, mass: %g kg, surface: abs, placed: "
             "as_given, pose: {z: %g m}}\nscene: {table: {plane: {height: 0 m}, surface: floor}}\n"
             "friction: {abs/floor: 0.5}\nprogram: [hold: {for: 0.3 s}]\n"
             "success: {at_end: [lift(object) <= 0 m]}\n"
             "simulation: {step: %g ms, stepper: %s, " QUIET "}\n",
             mass, 0.05 + height, step, stepper);
    gmc_rolling_play(r, text, NULL);
    return gmc_rolling_value(r, "max_force");
}

static void an_impact_is_its_impulse_over_the_window(void **state)
{
    (void)state;
    const double masses[] = {0.1, 0.5, 5}, height = 0.1;
    gmc_rolling r;
    gmc_rolling_open(&r);
    for (int s = 0; s < GMC_COUNT(STEPPERS); s++) {
        bool is_elastic = s == 3; // what it throws back adds to the impulse, at every step the same
        double worst = 0;
        for (int m = 0; m < GMC_COUNT(masses); m++) {
            double own = 0;
            for (int i = 0; i < GMC_COUNT(STEPS); i++) {
                double found = blow(&r, STEPPERS[s], STEPS[i], masses[m], height);
                double expected = masses[m] * (sqrt(2 * G * height) / WINDOW + G);
                if (is_elastic && i == 0) own = found;
                if (is_elastic) expected = own;
                worst = fmax(worst, fabs(found / expected - 1));
            }
            double throwing = own * WINDOW / (masses[m] * sqrt(2 * G * height));
            if (is_elastic) assert_true(throwing >= 1 && throwing <= 2);
        }
        print_message("%s: blows off by %.1e at most\n", STEPPERS[s], worst);
        // one that the springs draw out over 7 ms (5 kg) is seen in part by windows at ends of
        // steps; the step in which it arrives may fall short of, or add, the weight of a step of 4
        // ms, and what is left of the approach: G h / v = 0.028
        assert_true(worst <= (is_elastic ? 0.1 : G * 4e-3 / sqrt(2 * G * height)));
    }
    gmc_rolling_close(&r);
}

static void a_steady_force_is_itself(void **state)
{
    (void)state;
    gmc_rolling r;
    gmc_rolling_open(&r);
    for (int s = 0; s < GMC_COUNT(STEPPERS); s++)
        for (int i = 0; i < GMC_COUNT(STEPS); i++) {
            char text[1024];
            snprintf(text, sizeof text,
                     "graspmc: 1\nobject: {box: [40 mm, 60 mm, 20 mm], mass: 0.3 kg, surface: abs, "
                     "placed: resting}\nscene: {table: {plane: {height: 0 m}, surface: floor}}\n"
                     "friction: {abs/floor: 0.5}\nprogram: [hold: {for: 0.7 s}]\n"
                     "success: {at_end: [\"force(object, table) >= 2.94 N\"]}\n"
                     "simulation: {step: %g ms, stepper: %s, " QUIET "}\n",
                     STEPS[i], STEPPERS[s]);
            gmc_rolling_play(&r, text, NULL);
            // to what the solver leaves; with anitescu_potra the start still rises within its shell,
            // m (20/s)² 0.05 mm exp(-20/s 0.6 s); what is integrated swings by its 1e-8 m
            const double tolerances[] = {1e-9, 1e-9, 4e-8, 1e-4};
            double tolerance = tolerances[s];
            ASSERT_NEAR(gmc_rolling_value(&r, "force(object, table)"), 0.3 * G, tolerance);
            assert_int_equal(r.result.outcome, GMC_OUTCOME_SUCCESS);
        }
    gmc_rolling_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(an_impact_is_its_impulse_over_the_window),
                                       cmocka_unit_test(a_steady_force_is_itself)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

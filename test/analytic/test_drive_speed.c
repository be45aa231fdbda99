// The largest speed of a drive against closed forms: a slider of mass m that a force F pushes goes
// at F t/m until it is at its speed w, and at w from there on.

#include "test/support/near.h"
#include "test/support/stage.h"

static const double STEPS[] = {0.5e-3, 1e-3, 2e-3, 4e-3};
static const double G = 9.81;

/// A slider on its own; up is along its axis.
static void open(gmc_stage *s, const gmc_stepper *stepper, double mass, gmc_dof dof)
{
    gmc_stage_open(s, 0.5);
    s->stepper = stepper;
    gmc_stage_slider(s, "slider", NULL, (gmc_vec3){0, 0, 1}, (gmc_vec3){0, 0, 0},
                     gmc_stage_box(0.01, 0.01, 0.01), mass, dof, false);
    gmc_stage_ready(s, 8);
    s->model.gravity = (gmc_vec3){0, 0, 0};
}

static gmc_dof drive(double max_force, double max_speed)
{
    gmc_dof dof = gmc_builder_default_dof();
    dof.max_force = max_force;
    dof.max_speed = max_speed;
    return dof;
}

/// Runs and gives the largest speed.
static double fastest_of(gmc_stage *s, double h, double span)
{
    double most = 0;
    for (int i = 0; i < (int)lround(span / h); i++) {
        assert_int_equal(gmc_stage_step(s, h), GMC_OK);
        most = fmax(most, fabs(s->world.state.v[gmc_stage_dof(s, "slider")]));
    }
    return most;
}

/// A force alone: the speed is min(F t/m, w), the place its integral, within w h: where a step's
/// force ends is not seen within it. Larger m F and w span what fingers and arms are.
static void a_force_makes_its_joint_no_faster(void **state)
{
    (void)state;
    const struct {
        double mass, force, speed;
    } cases[] = {{1e-3, 10, 3.14}, {0.05, 20, 0.2}, {0.05, 0.3, 1}, {5, 200, 2}, {1e-5, 0.3, 3.14}};
    for (int k = 0; gmc_steppers[k]; k++)
        for (int i = 0; i < GMC_COUNT(cases); i++)
            for (int j = 0; j < GMC_COUNT(STEPS); j++) {
                double m = cases[i].mass, F = cases[i].force, w = cases[i].speed, span = 0.2;
                gmc_stage s;
                open(&s, gmc_steppers[k], m, drive(F, w));
                s.force[gmc_stage_dof(&s, "slider")] = F;
                double most = fastest_of(&s, STEPS[j], span);
                double until = w * m / F, z = gmc_stage_place(&s, "slider").z;
                bool is_reached = until < span - STEPS[j];
                double v = s.world.state.v[gmc_stage_dof(&s, "slider")];
                double wanted = until < span ? w * (span - until / 2) : F / m * span * span / 2;
                assert_true(most <= 1.001 * w);                     // the bar of the limit
                if (is_reached) ASSERT_NEAR_RELATIVE(v, w, 1.1e-4); // slack of the brake
                ASSERT_NEAR(z, wanted, 1.1 * STEPS[j] * w);
                gmc_stage_close(&s);
            }
}

/// Gravity pulls where the drive pushes: the drive brakes with what it has.
static void gravity_is_borne_as_far_as_the_drive_can(void **state)
{
    (void)state;
    const double m = 0.5, w = 0.2, span = 0.5;
    for (int k = 0; gmc_steppers[k]; k++)
        for (int j = 0; j < GMC_COUNT(STEPS); j++)
            for (int is_strong = 0; is_strong < 2; is_strong++) {
                double limit = (is_strong ? 1.5 : 0.6) * m * G, h = STEPS[j];
                gmc_stage s;
                open(&s, gmc_steppers[k], m, drive(limit, w));
                s.model.gravity.z = -G;
                s.force[gmc_stage_dof(&s, "slider")] = -0.4 * m * G;
                double most = fastest_of(&s, h, span);
                assert_true(s.last.max_effort <= 1 + 1e-9);
                if (is_strong) {
                    assert_true(most <= 1.001 * w);
                    ASSERT_NEAR_RELATIVE(s.last.max_effort, m * G / limit, 1e-3);
                } else { // 1.4 g to the limit, then 0.4 g: within what a step's gravity does
                    ASSERT_NEAR(most, w + 0.4 * G * (span - w / (1.4 * G)), 1.1 * 1.4 * G * h);
                    ASSERT_NEAR(s.last.max_effort, 1, 1e-6);
                }
                gmc_stage_close(&s);
            }
}

/// A servo that is far from its reference goes there at the limit, and stands there in the end.
static void servos_go_at_the_limit(void **state)
{
    (void)state;
    const double limits[] = {INFINITY, 50};
    for (int k = 0; gmc_steppers[k]; k++)
        for (int j = 0; j < GMC_COUNT(STEPS); j++)
            for (int i = 0; i < GMC_COUNT(limits); i++) {
                gmc_stage s;
                double w = 0.5, way = 0.1, v;
                open(&s, gmc_steppers[k], 0.2, drive(limits[i], w));
                int dof = gmc_stage_dof(&s, "slider");
                s.stiffness[dof] = 1e4, s.damping[dof] = 100, s.force_limit[dof] = limits[i];
                s.q_ref[dof] = way;
                assert_true(fastest_of(&s, STEPS[j], 0.1) <= 1.001 * w);
                v = s.world.state.v[dof];
                ASSERT_NEAR_RELATIVE(v, w, 1e-3);
                assert_true(fastest_of(&s, STEPS[j], 0.2) <= 1.001 * w);
                ASSERT_NEAR(gmc_stage_place(&s, "slider").z, way, 1e-6); // decays as exp(-100 t)
                gmc_stage_close(&s);
            }
}

/// A load of three times what the drive has, and a servo whose reference runs ahead of it: the
/// drive pushes down until w, and brakes from there on, with no more than it has.
static void a_load_is_braked_with_what_there_is(void **state)
{
    (void)state;
    const double m = 1, w = 0.1, limit = m * G / 3, span = 0.5;
    for (int k = 0; gmc_steppers[k]; k++)
        for (int j = 0; j < GMC_COUNT(STEPS); j++) {
            gmc_stage s;
            open(&s, gmc_steppers[k], m, drive(limit, w));
            s.model.gravity.z = -G;
            int dof = gmc_stage_dof(&s, "slider");
            s.stiffness[dof] = 1e4, s.damping[dof] = 50, s.force_limit[dof] = limit;
            double h = STEPS[j], most = 0, effort = 0;
            for (int i = 0; i < (int)lround(span / h); i++) {
                s.q_ref[dof] = -0.5 * (i + 1) * h, s.v_ref[dof] = -0.5;
                assert_int_equal(gmc_stage_step(&s, h), GMC_OK);
                most = fmax(most, fabs(s.world.state.v[dof]));
                effort = fmax(effort, s.last.max_effort);
            }
            double until = w / (G + limit / m);
            assert_true(effort <= 1.001 + 1e-9);
            ASSERT_NEAR(most, w + (G - limit / m) * (span - until), 2.2 * G * h);
            gmc_stage_close(&s);
        }
}

/// A light joint without load, which its stiff servo holds at its limit within microseconds; then
/// the servo is gone, as at the end of a phase, and the force that braked it must go as well.
static void a_drive_lets_go_at_its_limit(void **state)
{
    (void)state;
    const double steps[] = {0.1e-3, 0.5e-3, 2e-3}, m = 1e-5, w = 0.0388, limit = 0.055;
    for (int k = 0; gmc_steppers[k]; k++)
        for (int j = 0; j < GMC_COUNT(steps); j++) {
            gmc_stage s;
            open(&s, gmc_steppers[k], m, drive(limit, w));
            int dof = gmc_stage_dof(&s, "slider");
            double h = steps[j];
            for (int i = 0; i < (int)lround(0.4 / h); i++) {
                bool is_held = i * h < 0.2;
                s.stiffness[dof] = is_held ? 3.7e4 : 0, s.damping[dof] = is_held ? 17 : 0;
                s.force_limit[dof] = limit;
                s.q_ref[dof] = -2 * (i + 1) * h, s.v_ref[dof] = -2;
                s.force[dof] = is_held ? 0 : 0.4 * limit * fmin((i * h - 0.2) / 0.1, 1);
                assert_int_equal(gmc_stage_step(&s, h), GMC_OK);
                assert_true(fabs(s.world.state.v[dof]) <= 1.001 * w);
            }
            gmc_stage_close(&s);
        }
}

/// What else pushes may be faster: another mass that strikes the slider, and its drive brakes it.
static void others_may_push_faster(void **state)
{
    (void)state;
    gmc_stage s;
    open(&s, NULL, 0.1, drive(5, 0.1));
    s.world.state.v[gmc_stage_dof(&s, "slider")] = 2; // struck
    double v = 2, t = 0, h = 1e-3;
    while (v > 0.1 * 1.001 && t < 1) {
        assert_int_equal(gmc_stage_step(&s, h), GMC_OK);
        v = s.world.state.v[gmc_stage_dof(&s, "slider")], t += h;
    }
    ASSERT_NEAR(t, 1.9 * 0.1 / 5, 1.1 * h); // m (2 - 0.1) / F
    gmc_stage_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_force_makes_its_joint_no_faster),
                                       cmocka_unit_test(gravity_is_borne_as_far_as_the_drive_can),
                                       cmocka_unit_test(servos_go_at_the_limit),
                                       cmocka_unit_test(a_load_is_braked_with_what_there_is),
                                       cmocka_unit_test(a_drive_lets_go_at_its_limit),
                                       cmocka_unit_test(others_may_push_faster)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

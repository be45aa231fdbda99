// Coulomb's law seen from outside: when a block sticks, how it slides, in which direction, how far.

#include "test/support/near.h"
#include "test/support/stage.h"

static const double G = 9.81;

/// A flat block on the plane z = 0; the slope is in the direction of gravity, heading `heading`.
static void incline(gmc_stage *s, double angle, double heading, double friction)
{
    gmc_stage_open(s, friction);
    gmc_stage_fixed(s, "slope", gmc_stage_plane(), gmc_pose_identity());
    gmc_stage_free(s, "block", gmc_stage_box(0.05, 0.05, 0.01), 0.4, (gmc_vec3){0, 0, 0.01});
    gmc_stage_ready(s, 16);
    double along = G * gmc_sin(angle);
    s->model.gravity =
        (gmc_vec3){along * gmc_cos(heading), along * gmc_sin(heading), -G * gmc_cos(angle)};
}

static void incline_sticks_below_the_angle(void **state)
{
    (void)state;
    const double steps[] = {0.5e-3, 1e-3, 2e-3, 4e-3}, angle = 0.4;
    for (int i = 0; i < 4; i++) {
        gmc_stage s;
        incline(&s, angle, 0.7 * i, gmc_tan(angle) / 0.999);
        assert_int_equal(gmc_stage_run(&s, steps[i], 1.0), GMC_OK);
        gmc_vec3 start = gmc_stage_place(&s, "block");
        assert_int_equal(gmc_stage_run(&s, steps[i], 10.0), GMC_OK);
        double moved = gmc_vec3_norm(gmc_vec3_sub(gmc_stage_place(&s, "block"), start));
        ASSERT_BELOW(moved, 1e-9); // no creep
        gmc_stage_close(&s);
    }
}

static void incline_slides_just_above_it(void **state)
{
    (void)state;
    const double steps[] = {0.5e-3, 1e-3, 2e-3, 4e-3}, angle = 0.4;
    for (int i = 0; i < 4; i++) {
        gmc_stage s;
        double friction = gmc_tan(angle) / 1.001;
        incline(&s, angle, 0.7 * i, friction);
        assert_int_equal(gmc_stage_run(&s, steps[i], 0.5), GMC_OK);
        double v = gmc_vec3_norm(gmc_stage_velocity(&s, "block"));
        assert_int_equal(gmc_stage_run(&s, steps[i], 2.0), GMC_OK);
        double a = (gmc_vec3_norm(gmc_stage_velocity(&s, "block")) - v) / 2.0;
        // the difference of two nearly equal forces, each right to rounding
        ASSERT_NEAR_RELATIVE(a, G * (gmc_sin(angle) - friction * gmc_cos(angle)), 1e-6);
        gmc_stage_close(&s);
    }
}

/// a = g (sin - mu cos) in every direction, and the block goes straight down.
static void sliding_is_isotropic(void **state)
{
    (void)state;
    const double angle = 0.4, friction = gmc_tan(0.4) / 1.2;
    double a_expected = G * (gmc_sin(angle) - friction * gmc_cos(angle));
    for (int i = 0; i < 24; i++) {
        gmc_stage s;
        double heading = 2 * GMC_PI * i / 24 + 0.01;
        gmc_vec3 down = {gmc_cos(heading), gmc_sin(heading), 0}, up = {0, 0, 1};
        incline(&s, angle, heading, friction);
        assert_int_equal(gmc_stage_run(&s, 2e-3, 0.4), GMC_OK);
        gmc_vec3 v0 = gmc_stage_velocity(&s, "block");
        assert_int_equal(gmc_stage_run(&s, 2e-3, 0.6), GMC_OK);
        gmc_vec3 v1 = gmc_stage_velocity(&s, "block"), dv = gmc_vec3_sub(v1, v0);
        // what remains is the solver's residual
        ASSERT_NEAR_RELATIVE(gmc_vec3_dot(dv, down) / 0.6, a_expected, 1e-6);
        ASSERT_NEAR(gmc_vec3_dot(v1, gmc_vec3_cross(up, down)), 0, 1e-8);
        gmc_stage_close(&s);
    }
}

/// v²/(2 mu g): the implicit step errs by mu g h/v.
static void sliding_block_stops(void **state)
{
    (void)state;
    const double friction = 0.3, v = 2, steps[] = {0.5e-3, 1e-3, 2e-3};
    double expected = v * v / (2 * friction * G), error[3];
    for (int i = 0; i < 3; i++) {
        gmc_stage s;
        incline(&s, 0, 0, friction);
        assert_int_equal(gmc_stage_run(&s, steps[i], 0.5), GMC_OK);
        double start = gmc_stage_place(&s, "block").x;
        s.world.state.v[gmc_stage_dof(&s, "block")] = v;
        gmc_kinematics_update(&s.model, s.world.state.q, s.world.state.v, &s.world.kin);
        assert_int_equal(gmc_stage_run(&s, steps[i], 1.5), GMC_OK);
        error[i] = (gmc_stage_place(&s, "block").x - start) / expected - 1;
        ASSERT_NEAR(gmc_vec3_norm(gmc_stage_velocity(&s, "block")), 0, 1e-12);
        gmc_stage_close(&s);
    }
    print_message("stopping distance: %+.2e %+.2e %+.2e at 0.5, 1, 2 ms\n", error[0], error[1],
                  error[2]);
    ASSERT_BELOW(fabs(error[1]), 2e-3); // mu g h/v is 1.5e-3
    // first order: the error halves with the step, but for the elastic give at the stop
    assert_true(fabs(error[0]) < 0.6 * fabs(error[1]));
    assert_true(fabs(error[1]) < 0.6 * fabs(error[2]));
}

/// Pushed round in a circle by a force that turns: friction opposes the slip exactly, every step.
static void friction_opposes_slip(void **state)
{
    (void)state;
    gmc_stage s;
    incline(&s, 0, 0, 0.3);
    int dof = gmc_stage_dof(&s, "block");
    assert_int_equal(gmc_stage_run(&s, 1e-3, 0.2), GMC_OK);
    double worst = 0;
    for (int i = 0; i < 2000; i++) {
        double phase = 3e-3 * i;
        s.force[dof] = 3 * gmc_cos(phase);
        s.force[dof + 1] = 3 * gmc_sin(phase);
        assert_int_equal(gmc_stage_step(&s, 1e-3), GMC_OK);
        gmc_vec3 v = gmc_stage_velocity(&s, "block");
        if (i < 1000) continue; // past the first turn of direction
        for (int c = 0; c < s.world.contacts.count; c++) {
            const gmc_contact *contact = &s.world.contacts.contacts[c];
            if (contact->mode != GMC_CONTACT_SLIP) continue;
            gmc_vec3 r = gmc_vec3_add(gmc_vec3_scale(contact->impulse[1], contact->dir[1]),
                                      gmc_vec3_scale(contact->impulse[2], contact->dir[2]));
            double cross = fabs(gmc_vec3_cross(r, v).z) / (gmc_vec3_norm(r) * gmc_vec3_norm(v));
            worst = fmax(worst, gmc_vec3_dot(r, v) < 0 ? cross : 1);
        }
    }
    print_message("friction against slip: %.2e rad off at most\n", worst);
    // the spring turns after the slip with a lag of its length over the speed: 1e-6 m against
    // some mm a step, and the block hardly turns
    ASSERT_BELOW(worst, 5e-3);
    gmc_stage_close(&s);
}

/// Slip round a closed path, sticking at its corners: friction takes energy, it never gives any.
static void closed_cycles_dissipate(void **state)
{
    (void)state;
    const double steps[] = {0.5e-3, 2e-3, 4e-3};
    for (int i = 0; i < 3; i++) {
        gmc_stage s;
        incline(&s, 0, 0, 0.4);
        int dof = gmc_stage_dof(&s, "block");
        double h = steps[i], work = 0;
        assert_int_equal(gmc_stage_run(&s, h, 0.5), GMC_OK);
        double before = gmc_kinematics_energy(&s.model, &s.world.kin, s.world.state.v, NULL);
        long count = (long)(4.0 / h);
        for (long k = 0; k < count; k++) {
            double phase = 2 * GMC_PI * (double)k / (double)count * 4;
            gmc_vec3 p = gmc_stage_place(&s, "block");
            s.force[dof] = 2.2 * gmc_sin(phase);
            s.force[dof + 1] = 2.2 * gmc_sin(2 * phase);
            assert_int_equal(gmc_stage_step(&s, h), GMC_OK);
            gmc_vec3 moved = gmc_vec3_sub(gmc_stage_place(&s, "block"), p);
            work += s.force[dof] * moved.x + s.force[dof + 1] * moved.y;
        }
        double after = gmc_kinematics_energy(&s.model, &s.world.kin, s.world.state.v, NULL);
        double elastic = 8 * 1e-6; // 4 points, 1 N each on 1e6 N/m, both ends of the cycle [J]
        assert_true(work - (after - before) >= -elastic);
        assert_true(work > 0.01); // it did slide
        gmc_stage_close(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(incline_sticks_below_the_angle),
        cmocka_unit_test(incline_slides_just_above_it),
        cmocka_unit_test(sliding_is_isotropic),
        cmocka_unit_test(sliding_block_stops),
        cmocka_unit_test(friction_opposes_slip),
        cmocka_unit_test(closed_cycles_dissipate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

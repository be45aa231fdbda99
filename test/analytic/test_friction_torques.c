// Torsional and rolling friction against closed forms.

#include "test/support/near.h"
#include "test/support/stage.h"

static const double G = 9.81, RADIUS = 0.02, MASS = 0.1;
static const double STEPS[] = {0.5e-3, 1e-3, 2e-3, 4e-3};

/// A ball that rests on the plane z = 0.
static void ball(gmc_stage *s, double friction, const gmc_surface_extra *extra, double h)
{
    gmc_shape shape = {.type = GMC_SHAPE_SPHERE, .radius = RADIUS};
    gmc_stage_open(s, friction);
    gmc_stage_fixed(s, "floor", gmc_stage_plane(), gmc_pose_identity());
    gmc_stage_free(s, "ball", shape, MASS, (gmc_vec3){0, 0, RADIUS});
    gmc_stage_ready(s, 8);
    gmc_stage_extra(s, extra);
    assert_int_equal(gmc_stage_run(s, h, 0.3), GMC_OK);
}

static void set_velocity(gmc_stage *s, gmc_vec3 v, gmc_vec3 w)
{
    double *x = s->world.state.v + gmc_stage_dof(s, "ball");
    const double all[6] = {v.x, v.y, v.z, w.x, w.y, w.z};
    for (int i = 0; i < 6; i++)
        x[i] = all[i];
    gmc_kinematics_update(&s->model, s->world.state.q, s->world.state.v, &s->world.kin);
}

static gmc_vec3 spin_of(const gmc_stage *s) { return s->world.kin.V[gmc_stage_body(s, "ball")].w; }

/// It stops after I w / (torsion m g), at a constant rate.
static void spinning_ball_stops(void **state)
{
    (void)state;
    const gmc_surface_extra extra = {.torsion = 1e-3};
    for (int i = 0; i < GMC_COUNT(STEPS); i++) {
        gmc_stage s;
        double h = STEPS[i], inertia = 0.4 * MASS * RADIUS * RADIUS, w = 60, t = 0;
        ball(&s, 0.5, &extra, h);
        set_velocity(&s, (gmc_vec3){0, 0, 0}, (gmc_vec3){0, 0, w});
        double expected = inertia * w / (1e-3 * MASS * G);
        assert_int_equal(gmc_stage_run(&s, h, 0.5), GMC_OK);
        // the rate is exact: the normal force is that of the same step
        ASSERT_NEAR_RELATIVE(w - spin_of(&s).z, w * 0.5 / expected, 1e-7);
        for (t = 0.5; spin_of(&s).z > 0; t += h)
            assert_int_equal(gmc_stage_step(&s, h), GMC_OK);
        ASSERT_NEAR(t, expected, 2 * h); // seen at the end of a step
        assert_int_equal(gmc_stage_run(&s, h, 1.0), GMC_OK);
        ASSERT_NEAR(spin_of(&s).z, 0, 1e-9);
        gmc_stage_close(&s);
    }
}

/// With rolling friction beside it the rate is the same, and Newton needs no help.
static void rolling_friction_leaves_spin_alone(void **state)
{
    (void)state;
    const gmc_surface_extra extra = {.torsion = 1e-3, .rolling = 2e-4};
    for (int i = 0; i < GMC_COUNT(STEPS); i++) {
        gmc_stage s;
        double h = STEPS[i], w = 60;
        ball(&s, 0.5, &extra, h);
        set_velocity(&s, (gmc_vec3){0, 0, 0}, (gmc_vec3){0, 0, w});
        assert_int_equal(gmc_stage_run(&s, h, 0.5), GMC_OK);
        double lost = 0.5 * 1e-3 * G / (0.4 * RADIUS * RADIUS);
        ASSERT_NEAR_RELATIVE(w - spin_of(&s).z, lost, 1e-7); // as above
        assert_int_equal(s.rungs[1], s.steps);
        gmc_stage_close(&s);
    }
}

/// Rolling without slip: a = -(5/7) rolling g / r, as the moment rolling m g acts on (7/5) m r².
static void rolling_ball_slows_down(void **state)
{
    (void)state;
    const gmc_surface_extra extra = {.rolling = 2e-4};
    for (int i = 0; i < GMC_COUNT(STEPS); i++) {
        gmc_stage s;
        double h = STEPS[i], v = 0.3, heading = 0.4 + i;
        gmc_vec3 u = {gmc_cos(heading), gmc_sin(heading), 0}, up = {0, 0, 1};
        ball(&s, 0.5, &extra, h);
        set_velocity(&s, gmc_vec3_scale(v, u), gmc_vec3_scale(v / RADIUS, gmc_vec3_cross(up, u)));
        assert_int_equal(gmc_stage_run(&s, h, 0.2), GMC_OK);
        gmc_vec3 before = gmc_stage_velocity(&s, "ball");
        assert_int_equal(gmc_stage_run(&s, h, 1.0), GMC_OK);
        gmc_vec3 after = gmc_stage_velocity(&s, "ball");
        double rate = 5.0 / 7 * 2e-4 * G / RADIUS;
        // the ball stands m g / k = 1e-6 m in the floor: its lever is shorter by 5e-5 of its radius
        ASSERT_NEAR_RELATIVE(gmc_vec3_dot(gmc_vec3_sub(before, after), u), rate, 2e-4);
        ASSERT_NEAR(gmc_vec3_dot(after, gmc_vec3_cross(up, u)), 0, 1e-6); // straight on
        double left = gmc_vec3_dot(after, u) / rate;
        // it swings out on its elastic moment: 53 rad/s, a twentieth of critical damping
        assert_int_equal(gmc_stage_run(&s, h, left + 5), GMC_OK);
        ASSERT_NEAR(gmc_vec3_norm(gmc_stage_velocity(&s, "ball")), 0, 1e-8);
        gmc_stage_close(&s);
    }
}

/// On a slope a ball rests up to tan = rolling / r and rolls beyond, in every direction; at rest it
/// does not creep.
static void slope_holds_a_ball(void **state)
{
    (void)state;
    const gmc_surface_extra extra = {.rolling = 4e-4, .torsion = 1e-3};
    for (int i = 0; i < 16; i++) {
        gmc_stage s;
        double h = STEPS[i % 4], heading = GMC_PI / 8 * i;
        double slope = gmc_atan2((i < 8 ? 0.99 : 1.01) * 4e-4 / RADIUS, 1);
        ball(&s, 0.5, &extra, h);
        double along = G * gmc_sin(slope);
        s.model.gravity =
            (gmc_vec3){along * gmc_cos(heading), along * gmc_sin(heading), -G * gmc_cos(slope)};
        assert_int_equal(gmc_stage_run(&s, h, 3.0), GMC_OK);
        gmc_vec3 from = gmc_stage_place(&s, "ball");
        assert_int_equal(gmc_stage_run(&s, h, 20.0), GMC_OK);
        double moved = gmc_vec3_norm(gmc_vec3_sub(gmc_stage_place(&s, "ball"), from));
        if (i < 8)
            ASSERT_BELOW(moved, 1e-9); // no creep
        else
            assert_true(moved > 0.1);
        gmc_stage_close(&s);
    }
}

/// A steady torque about the normal: held below the limit without creep, let go above it.
static void torque_about_the_normal(void **state)
{
    (void)state;
    const gmc_surface_extra extra = {.torsion = 1e-3};
    for (int i = 0; i < 8; i++) {
        gmc_stage s;
        double h = STEPS[i % 4], limit = 1e-3 * MASS * G;
        ball(&s, 0.5, &extra, h);
        s.force[gmc_stage_dof(&s, "ball") + 5] = (i < 4 ? 0.999 : 1.001) * limit;
        assert_int_equal(gmc_stage_run(&s, h, 2.0), GMC_OK);
        gmc_mat3 before = s.world.kin.X_wb[gmc_stage_body(&s, "ball")].R;
        assert_int_equal(gmc_stage_run(&s, h, 20.0), GMC_OK);
        gmc_mat3 after = s.world.kin.X_wb[gmc_stage_body(&s, "ball")].R;
        double turned = 0;
        for (int k = 0; k < 9; k++)
            turned = fmax(turned, fabs(after.m[k] - before.m[k]));
        if (i < 4)
            ASSERT_BELOW(turned, 1e-9);
        else // 1e-3 of the limit on I turns it by 12 rad
            ASSERT_NEAR_RELATIVE(spin_of(&s).z, 22 * 1e-3 * limit / (0.4 * MASS * RADIUS * RADIUS),
                                 0.05);
        gmc_stage_close(&s);
    }
}

/// A ball that lands spinning: the limit is that of each step's own normal force, so that the whole
/// impulse of the normal force sets the torsional one.
static void impact_takes_spin(void **state)
{
    (void)state;
    const gmc_surface_extra extra = {.torsion = 1e-3};
    for (int i = 0; i < GMC_COUNT(STEPS); i++) {
        gmc_stage s;
        double h = STEPS[i], w = 200, inertia = 0.4 * MASS * RADIUS * RADIUS;
        ball(&s, 0.5, &extra, h);
        s.world.state.q[s.model.bodies[gmc_stage_body(&s, "ball")].q + 2] += 0.05;
        set_velocity(&s, (gmc_vec3){0, 0, 0}, (gmc_vec3){0, 0, w});
        assert_int_equal(gmc_stage_run(&s, h, 0.4), GMC_OK);
        // all that gravity gave in 0.4 s went through the contact
        ASSERT_NEAR_RELATIVE(w - spin_of(&s).z, 1e-3 * MASS * G * 0.4 / inertia, 1e-2);
        assert_int_equal(s.unsolved, 0);
        gmc_stage_close(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spinning_ball_stops),
        cmocka_unit_test(rolling_friction_leaves_spin_alone),
        cmocka_unit_test(rolling_ball_slows_down),
        cmocka_unit_test(slope_holds_a_ball),
        cmocka_unit_test(torque_about_the_normal),
        cmocka_unit_test(impact_takes_spin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

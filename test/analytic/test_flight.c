// Bodies that nothing touches: the parabola of a throw, turning at a constant rate, orientations
// that stay rotations. And hinges that nothing but their own friction stops.

#include "engine/math/elementary.h"
#include "engine/math/quat.h"
#include "test/support/capability.h"
#include "test/support/near.h"
#include "test/support/stage.h"

static const double G = 9.81;
static const double STEPS[] = {0.5e-3, 1e-3, 2e-3, 4e-3};

/// One body alone, its frame at the origin, with velocities v and w.
static void throw_body(gmc_stage *s, gmc_shape shape, gmc_vec3 v, gmc_vec3 w)
{
    gmc_stage_open(s, 0.5);
    gmc_stage_free(s, "body", shape, 0.3, (gmc_vec3){0, 0, 0});
    gmc_stage_ready(s, 4);
    const double start[6] = {v.x, v.y, v.z, w.x, w.y, w.z};
    for (int i = 0; i < 6; i++)
        s->world.state.v[i] = start[i];
    gmc_kinematics_update(&s->model, s->world.state.q, s->world.state.v, &s->world.kin);
}

static double norm_of_orientation(const gmc_stage *s)
{
    const double *q = s->world.state.q + 3;
    return sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
}

// v⁺ = v - g h, x⁺ = x + h v⁺: g h t/2 below the parabola, exactly and at every step, to the sides
// not at all.
static void a_throw_is_a_parabola(void **unused)
{
    (void)unused;
    const double duration = 0.8;
    for (int i = 0; i < GMC_COUNT(STEPS); i++) {
        gmc_stage s;
        double h = STEPS[i], t = 0, worst = 0;
        throw_body(&s, gmc_stage_box(0.03, 0.02, 0.01), (gmc_vec3){1.5, -0.5, 4},
                   (gmc_vec3){0, 0, 0});
        for (int k = 1; t < duration - h / 2; k++) {
            assert_int_equal(gmc_stage_step(&s, h), GMC_OK);
            t = k * h;
            gmc_vec3 p = gmc_stage_place(&s, "body");
            double off = p.z - (4 * t - G * t * t / 2);
            worst = fmax(worst, fabs(off + G * h * t / 2));
            // a thousand roundings of some metres
            ASSERT_NEAR(p.x, 1.5 * t, 1e-12);
            ASSERT_NEAR(p.y, -0.5 * t, 1e-12);
            ASSERT_NEAR(gmc_stage_velocity(&s, "body").z, 4 - G * t, 1e-12);
        }
        capability_at_most(21, worst, 1e-12);
        gmc_stage_close(&s);
    }
}

/// Angle by which a ball that turns at w misses w t after `duration` [rad].
static double missed_turn(gmc_vec3 w, double h, double duration)
{
    gmc_stage s;
    throw_body(&s, (gmc_shape){.type = GMC_SHAPE_SPHERE, .radius = 0.02}, (gmc_vec3){0, 0, 0}, w);
    assert_int_equal(gmc_stage_run(&s, h, duration), GMC_OK);
    gmc_mat3 exact = gmc_quat_matrix(gmc_quat_exp(gmc_vec3_scale(duration, w)));
    double worst = 0;
    for (int k = 0; k < 3; k++) {
        gmc_vec3 off =
            gmc_vec3_sub(gmc_mat3_column(&s.world.kin.X_wb[1].R, k), gmc_mat3_column(&exact, k));
        worst = fmax(worst, gmc_vec3_norm(off));
    }
    gmc_stage_close(&s);
    return worst;
}

static void a_ball_turns_at_its_rate(void **unused)
{
    (void)unused;
    const gmc_vec3 w = {3, -2, 5}; // 6.2 rad/s
    for (int i = 0; i < GMC_COUNT(STEPS); i++) {
        double worst = missed_turn(w, STEPS[i], 2), angle = gmc_vec3_norm(w) * STEPS[i];
        ASSERT_NEAR(worst, 0, 1e-12);                                       // 4000 roundings
        capability_at_most(3, worst / (2 / STEPS[i]) / (angle * angle), 1); // a step
    }
}

// Boxes that tumble for 10 s, up to a turn in 25 steps: what they stand by stays a rotation.
static void orientations_stay_rotations(void **unused)
{
    (void)unused;
    const gmc_vec3 spins[] = {{0.1, 5, 0.1}, {30, -20, 40}, {1, 0, 120}};
    for (int i = 0; i < GMC_COUNT(spins); i++) {
        gmc_stage s;
        double worst = 0;
        throw_body(&s, gmc_stage_box(0.03, 0.02, 0.01), (gmc_vec3){0, 0, 0}, spins[i]);
        for (int k = 0; k < 5000; k++) {
            assert_int_equal(gmc_stage_step(&s, 2e-3), GMC_OK);
            worst = fmax(worst, fabs(norm_of_orientation(&s) - 1));
        }
        capability_at_most(3, worst, 1e-12); // rounding of one normalisation
        gmc_stage_close(&s);
    }
}

// I w' = -c w - T from w0, I = 0.001 kg·m²: rest after (I/c) log(1 + c w0/T), I w0/T where c = 0.
static void a_link_stops_by_its_friction(void **unused)
{
    (void)unused;
    const double inertia = 1e-3, w0 = 8, dry = 0.02;
    for (int i = 0; i < 2 * GMC_COUNT(STEPS); i++) {
        gmc_stage s;
        double h = STEPS[i / 2], damping = i % 2 ? 5e-3 : 0;
        gmc_stage_open(&s, 0.5);
        gmc_stage_hinge(&s, "link", NULL, (gmc_vec3){0, 0, 1}, (gmc_vec3){0, 0, 0}, false);
        gmc_stage_ready(&s, 4);
        s.model.dofs[0].friction = dry;
        s.model.dofs[0].damping = damping;
        s.world.state.v[0] = w0;
        double stop =
            i % 2 ? inertia / damping * gmc_log1p(damping * w0 / dry) : inertia * w0 / dry;
        // it swings on the elastic part of its brake when it has stopped
        while (s.world.state.v[0] > 0 && s.world.state.t < 2 * stop)
            assert_int_equal(gmc_stage_step(&s, h), GMC_OK);
        // a step to stop in, rounding of the time, and the first order of implicit damping
        double tolerance = h + 1e-12 + damping * h / (2 * inertia) * stop;
        ASSERT_NEAR(s.world.state.t, stop, tolerance);
        if (h <= 1e-3) capability_at_most(19, fabs(s.world.state.t / stop - 1), 0.01);
        gmc_stage_close(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_throw_is_a_parabola),
        cmocka_unit_test(a_ball_turns_at_its_rate),
        cmocka_unit_test(orientations_stay_rotations),
        cmocka_unit_test(a_link_stops_by_its_friction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

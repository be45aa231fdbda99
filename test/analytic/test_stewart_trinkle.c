// Rigid contact met at position level: gaps, impacts and Coulomb's law.

#include "engine/contact/rigid/stewart_trinkle.h"
#include "test/support/capability.h"
#include "test/support/near.h"
#include "test/support/stage.h"

static const double G = 9.81;
enum { DIRECTIONS = 8 };

static void ready(gmc_stage *s, int contact_max)
{
    s->stepper = &gmc_stewart_trinkle_stepper;
    gmc_stage_ready(s, contact_max);
}

static void set_velocity(gmc_stage *s, const char *name, gmc_vec3 v, gmc_vec3 w)
{
    double *to = s->world.state.v + gmc_stage_dof(s, name);
    const double values[] = {v.x, v.y, v.z, w.x, w.y, w.z};
    for (int i = 0; i < 6; i++)
        to[i] = values[i];
    gmc_kinematics_update(&s->model, s->world.state.q, s->world.state.v, &s->world.kin);
}

/// A flat block on the plane z = 0 under gravity along a slope that falls towards `heading`.
static void incline(gmc_stage *s, double angle, double heading, double friction)
{
    gmc_stage_open(s, friction);
    gmc_stage_fixed(s, "slope", gmc_stage_plane(), gmc_pose_identity());
    gmc_stage_free(s, "block", gmc_stage_box(0.05, 0.05, 0.01), 0.4, (gmc_vec3){0, 0, 0.01});
    ready(s, 16);
    double along = G * gmc_sin(angle);
    s->model.gravity =
        (gmc_vec3){along * gmc_cos(heading), along * gmc_sin(heading), -G * gmc_cos(angle)};
}

/// Heading of a corner of the pyramids on the plane: that of t1.
static double heading_of_corner(void)
{
    gmc_vec3 t1, t2;
    gmc_vec3_tangents((gmc_vec3){0, 0, 1}, &t1, &t2);
    return gmc_atan2(t1.y, t1.x);
}

static double moved_on_incline(double ratio, double heading, double h)
{
    const double angle = 0.4;
    gmc_stage s;
    incline(&s, angle, heading, gmc_tan(angle) * ratio);
    assert_int_equal(gmc_stage_run(&s, h, 1), GMC_OK);
    double moved =
        gmc_vec3_norm(gmc_vec3_sub(gmc_stage_place(&s, "block"), (gmc_vec3){0, 0, 0.01}));
    ASSERT_BELOW(s.max_residual, 1e-8);
    gmc_stage_close(&s);
    return moved;
}

/// Friction is Coulomb's towards corners of the contact's own pyramid and between them.
static void incline_sticks_as_coulomb_says(void **state)
{
    (void)state;
    const double steps[] = {1e-3, 4e-3, 10e-3}, between[] = {0, 0.3, 1};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            double heading = heading_of_corner() + between[k] * GMC_PI / DIRECTIONS;
            ASSERT_BELOW(moved_on_incline(1.001, heading, steps[i]), 1e-9);
            assert_true(moved_on_incline(0.999, heading, steps[i]) > 1e-4);
        }
}

/// It takes all the power that Coulomb's takes, and is against the slip.
static void friction_is_against_the_slip(void **state)
{
    (void)state;
    const double off = 0.02; // rigid.c lets it be
    double widest = 0, friction = gmc_tan(0.4) / 1.3;
    for (int i = 0; i < 12; i++) {
        gmc_stage s;
        incline(&s, 0.4, 0.01 + 2 * GMC_PI * i / 12, friction);
        for (int k = 0; k < 200; k++) {
            assert_int_equal(gmc_stage_step(&s, 2e-3), GMC_OK);
            gmc_vec3 v = gmc_stage_velocity(&s, "block"), r = {0, 0, 0};
            double normal = 0, speed = gmc_vec3_norm(v);
            for (int c = 0; c < s.world.contacts.count; c++) {
                const gmc_contact *contact = &s.world.contacts.contacts[c];
                normal += contact->impulse[0];
                for (int d = 1; d < 3; d++)
                    r = gmc_vec3_add_scaled(r, contact->impulse[d], contact->dir[d]);
            }
            ASSERT_NEAR_RELATIVE(normal, 0.4 * G * gmc_cos(0.4) * 2e-3, 1e-6);
            ASSERT_NEAR_RELATIVE(-gmc_vec3_dot(r, v), friction * normal * speed, off * off / 2);
            double cosine = -gmc_vec3_dot(r, v) / (gmc_vec3_norm(r) * speed);
            widest = fmax(widest, gmc_atan2(sqrt(fmax(0, 1 - cosine * cosine)), cosine));
        }
        gmc_stage_close(&s);
    }
    print_message("friction off the slip: at most %.2e rad\n", widest);
    assert_true(widest <= off);
}

/// v²/(2 mu g): the implicit step ends v h/2 short of it, so the error is of first order exactly.
static void stopping_distance_converges(void **state)
{
    (void)state;
    const double steps[] = {10e-3, 5e-3, 2e-3, 1e-3, 0.1e-3}, friction = 0.3, time = 0.5;
    double v = friction * G * time, expected = v * time / 2, error[5],
           heading = heading_of_corner();
    gmc_vec3 along = {gmc_cos(heading), gmc_sin(heading), 0};
    for (int i = 0; i < 5; i++) {
        gmc_stage s;
        incline(&s, 0, 0, friction);
        set_velocity(&s, "block", gmc_vec3_scale(v, along), (gmc_vec3){0, 0, 0});
        assert_int_equal(gmc_stage_run(&s, steps[i], 0.6), GMC_OK);
        error[i] = fabs(gmc_vec3_dot(gmc_stage_place(&s, "block"), along) - expected);
        ASSERT_NEAR(gmc_vec3_norm(gmc_stage_velocity(&s, "block")), 0, 1e-8); // the residual
        gmc_stage_close(&s);
    }
    // errors are known to what the residual moves within the run: of exactly first order, an order
    // of 1 - 1e-11 is no less than 1
    double known = 1e-8 * 0.6;
    double order = gmc_log((error[0] + known) / (error[4] - known)) / gmc_log(steps[0] / steps[4]);
    print_message("stopping distance: errors %.2e %.2e %.2e %.2e %.2e m, order %.6f\n", error[0],
                  error[1], error[2], error[3], error[4], order);
    capability_at_least(66, order, 1);
    for (int i = 1; i < 5; i++)
        assert_true(error[i] < 1.001 * error[i - 1] * steps[i] / steps[i - 1]);
}

/// [berard2007] eq 8: at any step what falls arrives at the surface and stays there.
static void gaps_stay_closed_at_any_step(void **state)
{
    (void)state;
    const double steps[] = {1e-3, 4e-3, 10e-3};
    for (int i = 0; i < 3; i++)
        for (int is_ball = 0; is_ball < 2; is_ball++) {
            gmc_stage s;
            gmc_shape ball = {.type = GMC_SHAPE_SPHERE, .radius = 0.02};
            gmc_shape shape = is_ball ? ball : gmc_stage_box(0.02, 0.02, 0.02);
            gmc_stage_open(&s, 0.5);
            gmc_stage_fixed(&s, "floor", gmc_stage_plane(), gmc_pose_identity());
            gmc_stage_free(&s, "thing", shape, 0.3, (gmc_vec3){0, 0, 0.3});
            ready(&s, 16);
            s.model.gravity = (gmc_vec3){0, 0, -G};
            for (double t = 0; t < 1; t += steps[i]) {
                assert_int_equal(gmc_stage_step(&s, steps[i]), GMC_OK);
                assert_true(gmc_stage_place(&s, "thing").z - 0.02 >= -1e-9);
            }
            ASSERT_NEAR(gmc_stage_place(&s, "thing").z, 0.02, 1e-9);
            ASSERT_NEAR(gmc_vec3_norm(gmc_stage_velocity(&s, "thing")), 0, 1e-8);
            gmc_stage_close(&s);
        }
}

/// The disk of test_planar_rigid.c in three dimensions: a ball of 20.4 mm over a slot of 20 mm at
/// 2 m/s, a step of 10 ms (20 mm a step): it never enters.
static void ball_does_not_enter_a_smaller_slot(void **state)
{
    (void)state;
    gmc_stage s;
    gmc_shape ball = {.type = GMC_SHAPE_SPHERE, .radius = 0.0102};
    gmc_stage_open(&s, 0.2);
    for (int side = -1; side <= 1; side += 2)
        gmc_stage_fixed(&s, side < 0 ? "left" : "right", gmc_stage_box(0.02, 0.05, 0.005),
                        (gmc_pose){gmc_mat3_identity(), {side * 0.03, 0, -0.005}});
    gmc_stage_free(&s, "ball", ball, 0.05, (gmc_vec3){0.002, 0, 0.05});
    ready(&s, 16);
    s.model.gravity = (gmc_vec3){0, 0, -G};
    set_velocity(&s, "ball", (gmc_vec3){0, 0, -2}, (gmc_vec3){0, 0, 0});
    for (int i = 0; i < 200; i++) {
        assert_int_equal(gmc_stage_step(&s, 10e-3), GMC_OK);
        gmc_vec3 p = gmc_stage_place(&s, "ball");
        for (int side = -1; side <= 1; side += 2) {
            // distance of the centre from the edge of the slot, or from the top face
            double x = side * p.x, over = x > 0.01 ? 0 : 0.01 - x;
            assert_true(sqrt(over * over + p.z * p.z) - 0.0102 >= -1e-9);
            assert_true(p.z > 0);
        }
    }
    gmc_stage_close(&s);
}

static double energy_of(const gmc_stage *s)
{
    double potential = 0;
    double kinetic = gmc_kinematics_energy(&s->model, &s->world.kin, s->world.state.v, &potential);
    return kinetic + potential;
}

/// Steps at which energy grows, by how much at most [J].
static double growth_of_energy(gmc_stage *s, double h, double span)
{
    double most = 0, before = energy_of(s);
    for (double t = 0; t < span; t += h) {
        assert_int_equal(gmc_stage_step(s, h), GMC_OK);
        double now = energy_of(s);
        most = fmax(most, now - before);
        before = now;
    }
    assert_true(s->max_residual <= 1e-8);
    return most;
}

static void energy_never_grows(void **state)
{
    (void)state;
    const double steps[] = {1e-3, 4e-3, 10e-3};
    double most = 0;
    for (int i = 0; i < 3; i++) {
        gmc_stage s;
        gmc_shape ball = {.type = GMC_SHAPE_SPHERE, .radius = 0.02};
        gmc_stage_open(&s, 0.3);
        gmc_stage_fixed(&s, "floor", gmc_stage_plane(), gmc_pose_identity());
        for (int k = 0; k < 3; k++) {
            const char *names[] = {"a", "b", "c"};
            gmc_stage_free(&s, names[k], gmc_stage_box(0.03, 0.03, 0.01), 0.2,
                           (gmc_vec3){0, 0, 0.012 + 0.03 * k});
        }
        gmc_stage_free(&s, "ball", ball, 0.1, (gmc_vec3){-0.1, 0, 0.05});
        ready(&s, 64);
        s.model.gravity = (gmc_vec3){0, 0, -G};
        set_velocity(&s, "ball", (gmc_vec3){0.5, 0.1, 0}, (gmc_vec3){3, 20, 5});
        most = fmax(most, growth_of_energy(&s, steps[i], 1));
        gmc_stage_close(&s);
    }
    print_message("largest growth of energy in a step: %.2e J\n", most);
    ASSERT_BELOW(most, 1e-9); // 1e-8 of 0.1 J
}

/// Plastic: what comes together goes on together, and nothing of its momentum is lost.
static void impact_is_inelastic_and_keeps_momentum(void **state)
{
    (void)state;
    gmc_stage s;
    gmc_shape ball = {.type = GMC_SHAPE_SPHERE, .radius = 0.02};
    gmc_stage_open(&s, 0.3);
    gmc_stage_free(&s, "a", ball, 0.3, (gmc_vec3){0, 0, 0});
    gmc_stage_free(&s, "b", ball, 0.1, (gmc_vec3){0.09, 0, 0});
    ready(&s, 8);
    s.model.gravity = (gmc_vec3){0, 0, 0};
    set_velocity(&s, "a", (gmc_vec3){1, 0, 0}, (gmc_vec3){0, 0, 0});
    set_velocity(&s, "b", (gmc_vec3){-0.5, 0, 0}, (gmc_vec3){0, 0, 0});
    for (int i = 0; i < 50; i++) {
        assert_int_equal(gmc_stage_step(&s, 2e-3), GMC_OK);
        gmc_vec3 p = gmc_vec3_add(gmc_vec3_scale(0.3, gmc_stage_velocity(&s, "a")),
                                  gmc_vec3_scale(0.1, gmc_stage_velocity(&s, "b")));
        ASSERT_NEAR(p.x, 0.25, 1e-14);
    }
    ASSERT_NEAR(gmc_stage_velocity(&s, "a").x, 0.625, 1e-7); // normals' compliance: 1e-7 of it
    ASSERT_NEAR(gmc_stage_velocity(&s, "b").x, 0.625, 1e-7);
    gmc_stage_close(&s);
}

/// Oblique, spinning, off centre: the linear momentum of the pair stays to rounding.
static void oblique_impact_keeps_momentum(void **state)
{
    (void)state;
    gmc_stage s;
    gmc_stage_open(&s, 0.4);
    gmc_stage_free(&s, "a", gmc_stage_box(0.03, 0.02, 0.01), 0.3, (gmc_vec3){0, 0, 0});
    gmc_stage_free(&s, "b", gmc_stage_box(0.02, 0.02, 0.02), 0.1, (gmc_vec3){0.08, 0.01, 0.005});
    ready(&s, 32);
    s.model.gravity = (gmc_vec3){0, 0, 0};
    set_velocity(&s, "a", (gmc_vec3){1, 0.1, 0}, (gmc_vec3){0, 3, 1});
    gmc_vec3 p0 = {0.3, 0.03, 0}, start = {0, 0, 0};
    bool has_touched = false;
    for (int i = 0; i < 100; i++) {
        gmc_vec3 p = {0, 0, 0}, L = {0, 0, 0};
        const char *names[] = {"a", "b"};
        for (int k = 0; k < 2; k++) {
            int body = gmc_stage_body(&s, names[k]);
            const double *v = s.world.state.v + gmc_stage_dof(&s, names[k]);
            gmc_vec3 own = gmc_vec3_scale(k == 0 ? 0.3 : 0.1, gmc_stage_velocity(&s, names[k]));
            p = gmc_vec3_add(p, own);
            L = gmc_vec3_add(L, gmc_vec3_cross(s.world.kin.com_w[body], own));
            L = gmc_vec3_add(L,
                             gmc_mat3_apply(&s.world.kin.I_w[body], (gmc_vec3){v[3], v[4], v[5]}));
        }
        if (i == 0) start = L;
        ASSERT_NEAR(gmc_vec3_norm(gmc_vec3_sub(p, p0)), 0, 1e-14);
        // from the impact on bodies advance by end velocities: L is right to order h alone
        if (!has_touched) ASSERT_NEAR(gmc_vec3_norm(gmc_vec3_sub(L, start)), 0, 1e-15);
        assert_int_equal(gmc_stage_step(&s, 2e-3), GMC_OK);
        has_touched = has_touched || s.last.max_force > 0;
    }
    assert_true(has_touched);
    gmc_stage_close(&s);
}

/// The default stepper with a stiff contact slides the same way, to what its springs give.
static void stiff_coulomb_slides_alike(void **state)
{
    (void)state;
    double heading = heading_of_corner(), place[2];
    gmc_vec3 along = {gmc_cos(heading), gmc_sin(heading), 0};
    for (int i = 0; i < 2; i++) {
        gmc_stage s;
        gmc_stage_open(&s, 0.3);
        gmc_stage_fixed(&s, "slope", gmc_stage_plane(), gmc_pose_identity());
        gmc_stage_free(&s, "block", gmc_stage_box(0.05, 0.05, 0.01), 0.4, (gmc_vec3){0, 0, 0.01});
        s.stepper = i == 0 ? &gmc_stewart_trinkle_stepper : gmc_steppers[0];
        gmc_stage_ready(&s, 16);
        s.model.gravity = (gmc_vec3){2 * along.x, 2 * along.y, -G};
        for (int k = 0; k < s.model.surface_count * s.model.surface_count; k++)
            s.model.laws[k].stiffness = 1e9;
        set_velocity(&s, "block", along, (gmc_vec3){0, 0, 0});
        assert_int_equal(gmc_stage_run(&s, 1e-3, 0.5), GMC_OK);
        place[i] = gmc_vec3_dot(gmc_stage_place(&s, "block"), along);
        gmc_stage_close(&s);
    }
    print_message("way of a sliding block: %.9f m rigid, %.9f m at 1e9 N/m\n", place[0], place[1]);
    // 1 N a point on 1e9 N/m: 1 nm of overlap, reached in the first step
    ASSERT_NEAR(place[0], place[1], 2e-9);
}

/// A slider on a rail has one way to go: two directions, no pyramid, Coulomb's law exactly.
static void rail_has_two_directions(void **state)
{
    (void)state;
    gmc_stage s;
    double heading = heading_of_corner();
    gmc_vec3 axis = {gmc_cos(heading), gmc_sin(heading), 0};
    gmc_stage_open(&s, 0.4);
    gmc_stage_fixed(&s, "floor", gmc_stage_plane(), gmc_pose_identity());
    gmc_stage_slider(&s, "rail", NULL, (gmc_vec3){0, 0, 1}, (gmc_vec3){0, 0, 0},
                     (gmc_shape){.type = GMC_SHAPE_BOX}, 0.1, gmc_builder_default_dof(), false);
    gmc_stage_slider(&s, "cart", "rail", axis, (gmc_vec3){0, 0, 0.01},
                     gmc_stage_box(0.02, 0.02, 0.01), 0.3, gmc_builder_default_dof(), false);
    ready(&s, 16);
    s.model.gravity = (gmc_vec3){0, 0, -G};
    s.world.state.v[gmc_stage_dof(&s, "cart")] = 1;
    gmc_kinematics_update(&s.model, s.world.state.q, s.world.state.v, &s.world.kin);
    assert_int_equal(gmc_stage_run(&s, 1e-3, 0.1), GMC_OK);
    // the rail does not hold against the plane: 0.4 kg press on it, 0.3 kg are slowed down
    double expected = 1 - 0.4 * (0.4 * G) / 0.3 * 0.1;
    ASSERT_NEAR(s.world.state.v[gmc_stage_dof(&s, "cart")], expected, 1e-7); // normals' compliance
    ASSERT_BELOW(s.max_residual, 1e-8);
    gmc_stage_close(&s);
}

/// Held between two fingers on their servos: not a nanometre in ten seconds.
static void held_cube_does_not_creep(void **state)
{
    (void)state;
    gmc_stage s;
    double moved = gmc_stage_pinch_held(&s, &gmc_stewart_trinkle_stepper, 10);
    print_message("held for 10 s: moved %.2e m, residual %.2e, %ld steps regularised\n", moved,
                  s.max_residual, s.rungs[2]);
    ASSERT_BELOW(moved, 1e-9);
    ASSERT_BELOW(s.max_residual, 1e-8);
    gmc_stage_close(&s);
}

/// A cube between a wall and a driven plate: as soon as there is no room left, and not before.
static void driven_plate_jams_on_a_rigid_cube(void **state)
{
    (void)state;
    gmc_stage s;
    gmc_shape plate = gmc_stage_box(0.005, 0.03, 0.03);
    gmc_stage_open(&s, 0.3);
    gmc_stage_fixed(&s, "wall", gmc_stage_box(0.005, 0.03, 0.03),
                    (gmc_pose){gmc_mat3_identity(), {0.05, 0, 0}});
    gmc_stage_free(&s, "cube", gmc_stage_box(0.02, 0.02, 0.02), 0.2, (gmc_vec3){0.01, 0, 0});
    gmc_stage_slider(&s, "plate", NULL, (gmc_vec3){1, 0, 0}, (gmc_vec3){-0.03, 0, 0}, plate, 0.1,
                     gmc_builder_default_dof(), true);
    ready(&s, 32);
    s.model.gravity = (gmc_vec3){0, 0, 0};
    const gmc_body *body = &s.model.bodies[gmc_stage_body(&s, "plate")];
    const double h = 2e-3, v = 0.1;
    s.v_driven[body->v] = v;
    gmc_status status = GMC_OK;
    double x = 0;
    for (int i = 1; i < 200 && status == GMC_OK; i++) {
        s.q_driven[body->q] = v * h * i;
        status = gmc_stage_step(&s, h);
        if (status == GMC_OK) x = v * h * i;
    }
    // 15 mm from the cube to the wall, 15 mm from the plate to the cube
    assert_int_equal(status, GMC_E_MISMATCH);
    ASSERT_NEAR(x, 0.03, v * h + 1e-9);
    ASSERT_NEAR(gmc_stage_place(&s, "cube").x, 0.025, v * h + 1e-9);
    gmc_stage_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(incline_sticks_as_coulomb_says),
        cmocka_unit_test(friction_is_against_the_slip),
        cmocka_unit_test(stopping_distance_converges),
        cmocka_unit_test(gaps_stay_closed_at_any_step),
        cmocka_unit_test(ball_does_not_enter_a_smaller_slot),
        cmocka_unit_test(energy_never_grows),
        cmocka_unit_test(impact_is_inelastic_and_keeps_momentum),
        cmocka_unit_test(oblique_impact_keeps_momentum),
        cmocka_unit_test(stiff_coulomb_slides_alike),
        cmocka_unit_test(rail_has_two_directions),
        cmocka_unit_test(driven_plate_jams_on_a_rigid_cube),
        cmocka_unit_test(held_cube_does_not_creep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

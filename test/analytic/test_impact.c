// Impacts: without restitution nothing bounces, with it friction acts as Coulomb's cone says, and
// stops of joints stop, at any mass and step.

#include "engine/math/elementary.h"
#include "test/support/near.h"
#include "test/support/stage.h"

static const double G = 9.81;

/// As a rollout does it: steps in which something strikes are halved, down to 1/16 ms.
static void run(gmc_stage *s, double h, double span)
{
    s->options.impact_step = 62.5e-6;
    for (double t = 0, done; t < span - 1e-9; t += done) {
        gmc_status status;
        for (done = fmin(h, span - t); (status = gmc_stage_step(s, done)) != GMC_OK; done /= 2)
            assert_true(s->last.is_impact);
    }
}

static gmc_shape ball(double radius)
{
    return (gmc_shape){.type = GMC_SHAPE_SPHERE, .radius = radius};
}

static void drop_by(gmc_stage *s, const gmc_stepper *stepper, gmc_shape shape, double half,
                    double mass, double height)
{
    gmc_stage_open(s, 0.3);
    s->stepper = stepper;
    gmc_stage_fixed(s, "floor", gmc_stage_plane(), gmc_pose_identity());
    gmc_stage_free(s, "body", shape, mass, (gmc_vec3){0, 0, half + height});
    gmc_stage_ready(s, 16);
}

static void drop(gmc_stage *s, gmc_shape shape, double half, double mass, double height)
{
    drop_by(s, NULL, shape, half, mass, height);
}

/// Highest place above the floor after the first touch [m].
static double rebound(gmc_stage *s, double h, double half)
{
    double apex = -1;
    while (gmc_stage_place(s, "body").z > half + 1e-6)
        run(s, h, h);
    for (double t = 0; t < 0.6; t += h) {
        run(s, h, h);
        apex = fmax(apex, gmc_stage_place(s, "body").z - half);
    }
    return apex;
}

static void no_rebound(void **state)
{
    (void)state;
    const double steps[] = {62.5e-6, 0.25e-3, 0.5e-3, 1e-3, 2e-3, 4e-3};
    const double masses[] = {0.001, 0.01, 0.1, 1, 5, 20};
    double worst = -1;
    for (int k = 0; k < 2 * GMC_COUNT(masses) * GMC_COUNT(steps); k++) {
        gmc_stage s;
        gmc_shape shape = k % 2 ? gmc_stage_box(0.04, 0.03, 0.02) : ball(0.02);
        // touching falls anywhere within a step
        drop(&s, shape, 0.02, masses[k / 2 % GMC_COUNT(masses)], 0.1 + 1.37e-4 * k);
        worst = fmax(worst, rebound(&s, steps[k / 2 / GMC_COUNT(masses)], 0.02));
        gmc_stage_close(&s);
    }
    print_message("highest after a fall of 100 mm: %.1e m\n", worst);
    ASSERT_BELOW(worst, 1e-6); // of a body that lies on a spring: below the surface
}

/// What falls on what lies there: the lower one's contact with the floor takes the blow on its own
/// spring, and does not throw both up either.
static void stacks_do_not_bounce(void **state)
{
    (void)state;
    const double steps[] = {0.25e-3, 1e-3, 4e-3}, masses[] = {0.05, 1, 20};
    double worst = -1;
    for (int k = 0; k < 27; k++) {
        gmc_stage s;
        gmc_stage_open(&s, 0.3);
        gmc_stage_fixed(&s, "floor", gmc_stage_plane(), gmc_pose_identity());
        gmc_stage_free(&s, "under", gmc_stage_box(0.04, 0.04, 0.02), masses[k / 3 % 3],
                       (gmc_vec3){0, 0, 0.02});
        gmc_stage_free(&s, "body", ball(0.02), masses[k % 3], (gmc_vec3){0, 0, 0.16});
        gmc_stage_ready(&s, 16);
        worst = fmax(worst, rebound(&s, steps[k / 9], 0.06));
        gmc_stage_close(&s);
    }
    print_message("highest on a block after a fall of 100 mm: %.1e m\n", worst);
    ASSERT_BELOW(worst, 1e-4);
}

/// A ball that falls without spin and goes across: what an instantaneous impact with Coulomb
/// friction makes of it. It sticks, and rolls off at 5/7 of its speed, if mu (1 + e) v_n is at
/// least 2/7 of that; else it slides throughout and loses mu (1 + e) v_n. Without gravity, so that
/// nothing else rubs.
static void oblique(void **state)
{
    (void)state;
    const double steps[] = {62.5e-6, 0.25e-3, 0.5e-3, 1e-3, 2e-3, 4e-3};
    const double masses[] = {0.001, 0.05, 0.2, 1, 5, 20}, es[] = {0, 0.3, 0.5, 0.9, 1};
    const double r = 0.025, down = 1.98, across = 0.6;
    for (int kind = 0; kind < 2; kind++)
        for (int k = 0; k < 5; k++) {
            double mu = kind ? 0.3 : 0.05, e = es[k], worst = 0;
            double lost = fmin(2.0 / 7 * across, mu * (1 + e) * down);
            for (int m = 0; m < 6; m++)
                for (int i = 0; i < 6; i++) {
                    const gmc_surface_extra extra = {.restitution = e, .bounce_speed = 0.01};
                    gmc_stage s;
                    gmc_stage_open(&s, mu);
                    gmc_stage_fixed(&s, "floor", gmc_stage_plane(), gmc_pose_identity());
                    gmc_stage_free(&s, "body", ball(r), masses[m], (gmc_vec3){0, 0, r + 0.0511});
                    gmc_stage_ready(&s, 8);
                    if (e > 0) gmc_stage_extra(&s, &extra);
                    s.model.gravity = (gmc_vec3){0, 0, 0};
                    double *v = s.world.state.v + gmc_stage_dof(&s, "body");
                    v[0] = across;
                    v[2] = -down;
                    gmc_kinematics_update(&s.model, s.world.state.q, v - gmc_stage_dof(&s, "body"),
                                          &s.world.kin);
                    run(&s, steps[i], 0.3);
                    double error = fabs(gmc_stage_velocity(&s, "body").x - (across - lost)) / lost;
                    double spin = fabs(v[4] * r - 2.5 * lost) / (2.5 * lost);
                    worst = fmax(worst, fmax(error, spin));
                    gmc_stage_close(&s);
                }
            print_message("mu %g, e %g: off by %.1e at most\n", mu, e, worst);
            ASSERT_BELOW(worst, 2e-3); // the compliance of an impact, and its arms within a step
        }
}

/// A rod falls by 45 degrees onto the stop of its hinge: it stays there, as deep as its weight
/// presses it in.
static void stops(void **state)
{
    (void)state;
    const double steps[] = {62.5e-6, 0.25e-3, 0.5e-3, 1e-3, 2e-3, 4e-3},
                 masses[] = {0.01, 0.1, 1, 20};
    const double length = 0.3, start = 0.25 * GMC_PI;
    double worst = 0, deepest = 0;
    for (int m = 0; m < GMC_COUNT(masses); m++)
        for (int i = 0; i < GMC_COUNT(steps); i++) {
            double I = masses[m] * length * length / 12;
            gmc_inertia rod = {.mass = masses[m],
                               .com = {length / 2, 0, 0},
                               .I = gmc_mat3_diagonal(1e-3 * I, I, I)};
            gmc_joint_spec joint = {.type = GMC_JOINT_REVOLUTE,
                                    .X_pj = gmc_pose_identity(),
                                    .axis = {0, 1, 0},
                                    .dof = gmc_builder_default_dof()};
            joint.dof.upper = start; // it turns down about y
            gmc_stage s;
            gmc_stage_open(&s, 0.3);
            gmc_builder_link(s.builder, (gmc_source){0}, "link", NULL, &joint, &rod);
            gmc_stage_ready(&s, 4);
            int q = s.model.bodies[gmc_stage_body(&s, "link")].q;
            double back = 0, over = 0;
            bool is_there = false;
            for (double t = 0; t < 1.2; t += steps[i]) {
                assert_int_equal(gmc_stage_step(&s, steps[i]), GMC_OK);
                double angle = s.world.state.q[q];
                is_there = is_there || angle >= start - 1e-3;
                if (is_there) back = fmax(back, start - angle);
                over = fmax(over, angle - start);
            }
            assert_true(is_there);
            // it lies beyond the stop by its load over 1e6 N·m/rad; what is left of the blow by 1 %
            double load = masses[m] * fabs(s.model.gravity.z) * length / 2 * sqrt(0.5);
            ASSERT_NEAR((s.world.state.q[q] - start) / (load / 1e6), 1, 0.01);
            worst = fmax(worst, back);
            deepest = fmax(deepest, over);
            gmc_stage_close(&s);
        }
    print_message("stop: back by %.2e deg at most, beyond by %.2e\n", worst * 180 / GMC_PI,
                  deepest * 180 / GMC_PI);
    assert_true(worst * 180 / GMC_PI <= 0.5);
}

/// A start that overlaps is given back slowly, by every stepper: no throw, and in the end it is
/// given back.
static void deep_starts_float_up(void **state)
{
    (void)state;
    const double steps[] = {0.25e-3, 0.5e-3, 1e-3, 4e-3}, depths[] = {0.1e-3, 1e-3, 1.9e-3};
    const double masses[] = {0.02, 0.2, 10};
    for (int i = 0; gmc_steppers[i]; i++) {
        double highest = -1, fastest = 0, left = 0;
        for (int k = 0; k < 72; k++) {
            double h = steps[k % 4], mass = masses[k / 12 % 3];
            gmc_stage s;
            gmc_shape shape = k < 36 ? gmc_stage_box(0.025, 0.025, 0.025) : ball(0.025);
            drop_by(&s, gmc_steppers[i], shape, 0.025, mass, -depths[k / 4 % 3]);
            for (double t = 0; t < 0.6; t += h) {
                s.options.is_start = t == 0;
                run(&s, h, h);
                s.options.is_start = false;
                highest = fmax(highest, gmc_stage_place(&s, "body").z - 0.025);
                fastest = fmax(fastest, gmc_vec3_norm(gmc_stage_velocity(&s, "body")));
            }
            left = fmax(left, 0.025 - gmc_stage_place(&s, "body").z);
            gmc_stage_close(&s);
        }
        print_message("%s, deep starts: up by %.1e m at most, %.3f m/s; %.1e m left\n",
                      gmc_steppers[i]->name, highest, fastest, left);
        ASSERT_BELOW(highest, 1e-4); // the shell of anitescu_potra is 50 um thick
        assert_true(fastest <= 0.05);
        assert_true(left <= 1.9e-3 * 1e-4 + 10 * 9.81 / 1e6); // exp(-20 * 0.6), and a weight
    }
}

/// How far two bodies went apart beyond the overlap that they began with, and the fastest of them.
typedef struct floated {
    double beyond, fastest, left;
} floated;

/// @param way  distance of what overlaps, less that of touching [m]
static void float_for(gmc_stage *s, double h, double span, double (*way)(const gmc_stage *),
                      floated *worst)
{
    for (double t = 0; t < span; t += h) {
        gmc_vec3 before = gmc_stage_place(s, "body");
        s->options.is_start = t == 0;
        run(s, h, h);
        s->options.is_start = false;
        gmc_vec3 by = gmc_vec3_sub(gmc_stage_place(s, "body"), before);
        double speed = gmc_vec3_norm(gmc_stage_velocity(s, "body"));
        worst->fastest = fmax(worst->fastest, fmax(speed, gmc_vec3_norm(by) / h));
        worst->beyond = fmax(worst->beyond, way(s));
    }
    worst->left = fmax(worst->left, -way(s));
}

static double above_floor(const gmc_stage *s) { return gmc_stage_place(s, "body").z - 0.025; }

static double from_other(const gmc_stage *s)
{
    gmc_vec3 by = gmc_vec3_sub(gmc_stage_place(s, "body"), gmc_stage_place(s, "other"));
    return gmc_vec3_norm(by) - 0.05;
}

/// What nothing holds comes out of the other body, and stays there.
static void deep_starts_leave_no_speed(void **state)
{
    (void)state;
    const double steps[] = {0.25e-3, 1e-3, 4e-3}, depths[] = {0.2e-3, 1e-3, 1.9e-3};
    const double masses[] = {0.001, 0.2, 10};
    const gmc_surface_extra pad = {.pad = 1e6 / 3e-3, .pad_shear = 0.5, .pad_edge = 3e-3};
    floated worst = {0};
    for (int k = 0; k < 162; k++) {
        double h = steps[k % 3], mass = masses[k / 9 % 3], depth = depths[k / 3 % 3];
        bool is_box = k / 27 % 2 == 0, has_floor = k >= 54, has_pad = k >= 108;
        gmc_shape shape = is_box ? gmc_stage_box(0.025, 0.025, 0.025) : ball(0.025);
        gmc_stage s;
        gmc_stage_open(&s, 0.3);
        gmc_builder_gravity(s.builder, (gmc_vec3){0, 0, 0});
        if (has_floor) gmc_stage_fixed(&s, "floor", gmc_stage_plane(), gmc_pose_identity());
        gmc_stage_free(&s, "body", shape, mass, (gmc_vec3){0, 0, 0.025 - depth});
        if (!has_floor) gmc_stage_free(&s, "other", shape, 0.2, (gmc_vec3){0, 0, -0.025});
        gmc_stage_ready(&s, 16);
        if (has_pad) gmc_stage_extra(&s, &pad);
        float_for(&s, h, 0.6, has_floor ? above_floor : from_other, &worst);
        gmc_stage_close(&s);
    }
    print_message("nothing holds them: beyond by %.1e m at most, %.3f m/s; %.1e m left\n",
                  worst.beyond, worst.fastest, worst.left);
    ASSERT_BELOW(worst.beyond, 1e-4);
    assert_true(worst.fastest <= 0.05);
    ASSERT_BELOW(worst.left, 1e-6); // of pads a ten thousandth of their thickness
}

static double speed_of(const gmc_stage *s, const char *name)
{
    return gmc_vec3_norm(gmc_stage_velocity(s, name));
}

/// How far `upper` is in `lower`, both of half-width r.
static double overlap_of(const gmc_stage *s, const char *lower, const char *upper, double r)
{
    return 2 * r - gmc_stage_place(s, upper).z + gmc_stage_place(s, lower).z;
}

/// 1 g between two of 1 to 100 kg: what moves the heavy ones is borne by it, and none of the way
/// becomes speed. Contacts open by all but a share of 1e-6 (coulomb.c) times the ratio of the
/// masses, 1e5 at most, of 40 mm/s.
static void deep_starts_of_a_light_body_leave_no_speed(void **state)
{
    (void)state;
    const double steps[] = {0.25e-3, 1e-3, 4e-3}, depths[] = {0.2e-3, 1e-3, 1.9e-3};
    const double masses[] = {1, 3, 10}, ratios[] = {0.3, 1, 10}, r = 0.025;
    double fastest = 0, left = 0;
    for (int k = 0; k < 162; k++) {
        double h = steps[k % 3], depth = depths[k / 3 % 3], low = masses[k / 9 % 3];
        gmc_shape shape = k < 81 ? gmc_stage_box(r, r, r) : ball(r);
        gmc_stage s;
        gmc_stage_open(&s, 0.3);
        gmc_builder_gravity(s.builder, (gmc_vec3){0, 0, 0});
        gmc_stage_free(&s, "low", shape, low, (gmc_vec3){0, 0, -2 * r + depth});
        gmc_stage_free(&s, "light", shape, 1e-3, (gmc_vec3){0, 0, 0});
        gmc_stage_free(&s, "high", shape, low * ratios[k / 27 % 3],
                       (gmc_vec3){0, 0, 2 * r - 0.7 * depth});
        gmc_stage_ready(&s, 24);
        for (double t = 0; t < 0.6; t += h) {
            s.options.is_start = t == 0;
            run(&s, h, h);
            fastest = fmax(fastest, speed_of(&s, "light"));
            fastest = fmax(fastest, fmax(speed_of(&s, "low"), speed_of(&s, "high")));
        }
        left = fmax(left, overlap_of(&s, "light", "high", r));
        left = fmax(left, overlap_of(&s, "low", "light", r));
        gmc_stage_close(&s);
    }
    print_message("a light body between heavy ones: %.1e m/s, %.1e m left\n", fastest, left);
    assert_true(fastest <= 0.04 * 1e-6 * 1e5);
    ASSERT_BELOW(left, 1e-6);
}

/// A cube that starts askew is slack at every corner, whichever the collider names first: it does
/// not rise faster than it is given back.
static void deep_starts_askew_float_up(void **state)
{
    (void)state;
    const double steps[] = {0.5e-3, 2e-3, 4e-3}, half = 0.02, tilt = 2 * GMC_PI / 180;
    for (int i = 0; gmc_steppers[i]; i++)
        for (int k = 0; k < 24; k++) {
            gmc_stage s;
            double h = steps[k % 3], up = 0, turn = GMC_PI / 2 * (k / 3 % 4) + tilt;
            double mass = k < 12 ? 0.05 : 5, z = half * (gmc_cos(tilt) + gmc_sin(tilt)) - 1.9e-3;
            drop_by(&s, gmc_steppers[i], gmc_stage_box(half, half, half), half, mass, z - half);
            double *q = s.world.state.q + s.model.bodies[gmc_stage_body(&s, "body")].q;
            q[3] = gmc_cos(turn / 2);
            q[4] = gmc_sin(turn / 2);
            gmc_kinematics_update(&s.model, s.world.state.q, s.world.state.v, &s.world.kin);
            for (double t = 0; t < 0.3; t += h) {
                s.options.is_start = t == 0;
                run(&s, h, h);
                s.options.is_start = false;
                up = fmax(up, gmc_stage_velocity(&s, "body").z);
            }
            if (!(up <= 0.05))
                fail_msg("%s, turned by %g deg, %g ms: up at %g m/s", gmc_steppers[i]->name,
                         turn * 180 / GMC_PI, 1e3 * h, up);
            gmc_stage_close(&s);
        }
}

/// A finger that a force sets in motion within one step meets the wall however far it would have
/// gone: past it lies nothing that it could be stopped by.
static void what_speeds_up_within_a_step_is_seen(void **state)
{
    (void)state;
    const double steps[] = {1e-3, 2e-3, 4e-3, 8e-3}, gaps[] = {1.2e-3, 5e-3, 20e-3};
    const double masses[] = {0.02, 0.08, 1}, force = 300;
    for (int i = 0; gmc_steppers[i]; i++) {
        double deepest = 0;
        for (int k = 0; k < 36; k++) {
            double h = steps[k % 4], gap = gaps[k / 4 % 3];
            gmc_stage s;
            gmc_stage_open(&s, 0.3);
            s.stepper = gmc_steppers[i];
            gmc_stage_fixed(&s, "wall", gmc_stage_box(0.004, 0.05, 0.05),
                            (gmc_pose){gmc_mat3_identity(), {0.014 + gap, 0, 0}});
            gmc_stage_slider(&s, "finger", NULL, (gmc_vec3){1, 0, 0}, (gmc_vec3){0, 0, 0},
                             gmc_stage_box(0.01, 0.01, 0.01), masses[k / 12],
                             gmc_builder_default_dof(), false);
            gmc_stage_ready(&s, 16);
            s.force[gmc_stage_dof(&s, "finger")] = force;
            for (double t = 0; t < 0.08; t += h) {
                s.options.is_start = t == 0;
                run(&s, h, h);
                s.options.is_start = false;
                deepest = fmax(deepest, gmc_stage_place(&s, "finger").x - gap);
            }
            assert_true(gmc_stage_place(&s, "finger").x > gap - 1e-4); // it has arrived
            gmc_stage_close(&s);
        }
        print_message("%s, fingers of 300 N: %.1e m beyond\n", gmc_steppers[i]->name, deepest);
        // springs of 1e6 N/m at four corners bear the force with 75 um; where they are all there
        // is, they stop 1 kg at 3.5 m/s, without damping within v sqrt(m/k)
        double most = gmc_steppers[i]->is_integrated ? 3.5 * sqrt(1 / 4e6) : 80e-6;
        assert_true(deepest <= most);
    }
}

/// Speed of the lower edge of a box that is turned by -roll about x, at its middle, along z.
static double edge_speed(const gmc_stage *s, double roll, gmc_vec3 half)
{
    const gmc_twist *V = &s->world.kin.V[gmc_stage_body(s, "body")];
    double y = half.y * gmc_cos(roll) - half.z * gmc_sin(roll);
    return gmc_stage_velocity(s, "body").z + V->w.x * y; // z of w x (0, y, .)
}

/// A box falls on an edge whose ends meet the floor within 0.06 to 6 um of each other: they bounce
/// together, u_N = -e u0, and nothing pitches. One after the other they were off by 0.06, and
/// pitched by 0.07 of the speed. Weight acts for up to a step longer or shorter than is asked for
/// (test pad_bounce); 1e-3 for rolling on within it.
static void ends_of_an_edge_bounce_together(void **state)
{
    (void)state;
    const double steps[] = {0.25e-3, 1e-3, 4e-3}, masses[] = {5e-3, 0.3, 8}, e = 0.5;
    const double pitches[] = {1e-6, 1e-5, -3e-5, 1e-4};
    const gmc_vec3 half = {0.03, 0.02, 0.015};
    const gmc_surface_extra extra = {.restitution = e, .bounce_speed = 0.01};
    double worst = 0, most = 0;
    for (int i = 0; i < 72; i++) {
        double h = steps[i % 3], mass = masses[i / 3 % 3], pitch = pitches[i / 9 % 4];
        double roll = i < 36 ? 0.3 : 0.7, before = 0, low;
        low = half.y * gmc_sin(roll) + half.z * gmc_cos(roll) + half.x * fabs(pitch);
        gmc_stage s;
        drop(&s, gmc_stage_box(half.x, half.y, half.z), low, mass, 0.04 * (1 + 0.0137 * i));
        gmc_stage_extra(&s, &extra);
        double *q = s.world.state.q + s.model.bodies[gmc_stage_body(&s, "body")].q;
        gmc_quat turn = gmc_quat_from_rpy(-roll, 0, 0), lean = gmc_quat_from_rpy(0, pitch, 0);
        turn = gmc_quat_multiply(lean, turn);
        q[3] = turn.w, q[4] = turn.x, q[5] = turn.y, q[6] = turn.z;
        gmc_kinematics_update(&s.model, s.world.state.q, s.world.state.v, &s.world.kin);
        while (edge_speed(&s, roll, half) <= 0) {
            before = fmin(before, edge_speed(&s, roll, half));
            run(&s, h, h);
        }
        const gmc_twist *V = &s.world.kin.V[gmc_stage_body(&s, "body")];
        double off = fabs(edge_speed(&s, roll, half) / -before - e);
        assert_true(off <= 0.5 * (1 + e) * G * h / -before + 1e-3);
        worst = fmax(worst, off);
        most = fmax(most, fabs(V->w.y) * half.x / -before);
        gmc_stage_close(&s);
    }
    print_message("edges: restitution off by %.4f, pitch %.4f\n", worst, most);
    assert_true(most <= 0.005);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_rebound),
                                       cmocka_unit_test(stacks_do_not_bounce),
                                       cmocka_unit_test(oblique),
                                       cmocka_unit_test(stops),
                                       cmocka_unit_test(deep_starts_float_up),
                                       cmocka_unit_test(deep_starts_leave_no_speed),
                                       cmocka_unit_test(deep_starts_of_a_light_body_leave_no_speed),
                                       cmocka_unit_test(deep_starts_askew_float_up),
                                       cmocka_unit_test(what_speeds_up_within_a_step_is_seen),
                                       cmocka_unit_test(ends_of_an_edge_bounce_together)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

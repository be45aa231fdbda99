// Columns of D beyond those of a circle, [miller2003] §2.1: friction across a grain and moments about
// the normal, by the steppers that know them, against closed forms.

#include "engine/contact/rigid/anitescu_potra.h"
#include "engine/contact/rigid/stewart_trinkle.h"
#include "engine/model/inertia.h"
#include "test/support/capability.h"
#include "test/support/near.h"
#include "test/support/stage.h"

static const double G = 9.81;
static const double STEPS[] = {0.5e-3, 1e-3, 2e-3, 4e-3};
/// Mass [kg] and size [m] of what turns or slides, apart by factors of 500 and 10.
static const struct {
    double mass, size;
} BODIES[] = {{0.01, 0.01}, {0.2, 0.04}, {5, 0.1}};

static const gmc_stepper *stepper_of(int k)
{
    const gmc_stepper *const all[] = {gmc_steppers[0], &gmc_stewart_trinkle_stepper,
                                      &gmc_anitescu_potra_stepper};
    return all[k];
}

enum { STEPPERS = 3 };

/// Where nothing corrects a height: in the shell of anitescu_potra.
static double lifted(const gmc_stepper *stepper)
{
    return stepper == &gmc_anitescu_potra_stepper ? 0.6e-4 : 0;
}

// ---- friction across a grain -------------------------------------------------------------------

static const double ALONG = 0.2, ACROSS = 0.6, TURN = 0.35; // the grain's heading

/// tan of the slope at which a load that heads `heading` from the grain reaches the ellipse.
static double threshold(double heading)
{
    double a = gmc_cos(heading) / ALONG, b = gmc_sin(heading) / ACROSS;
    return 1 / sqrt(a * a + b * b);
}

/// How far a block slides in 0.5 s down a slope of that tangent, which heads so.
static double slides(const gmc_stepper *stepper, int body, double heading, double tangent)
{
    const gmc_surface_extra extra = {.has_grain = true,
                                     .grain = {gmc_cos(TURN), gmc_sin(TURN), 0},
                                     .across_ratio = ACROSS / ALONG};
    const double size = BODIES[body].size, angle = gmc_atan2(tangent, 1),
                 along = G * gmc_sin(angle);
    gmc_stage s;
    gmc_stage_open(&s, ALONG);
    gmc_stage_fixed(&s, "slope", gmc_stage_plane(), gmc_pose_identity());
    gmc_stage_free(&s, "block", gmc_stage_box(size, size, size / 5), BODIES[body].mass,
                   (gmc_vec3){0, 0, size / 5 + lifted(stepper)});
    s.stepper = stepper;
    gmc_stage_ready(&s, 16);
    gmc_stage_extra(&s, &extra);
    // it lies before the slope is there
    s.model.gravity = (gmc_vec3){0, 0, -G * gmc_cos(angle)};
    assert_int_equal(gmc_stage_run(&s, STEPS[1 + body % 3], 0.2), GMC_OK);
    s.model.gravity.x = along * gmc_cos(heading + TURN);
    s.model.gravity.y = along * gmc_sin(heading + TURN);
    assert_int_equal(gmc_stage_run(&s, STEPS[1 + body % 3], 0.5), GMC_OK);
    assert_true(s.max_residual <= 1e-8);
    gmc_vec3 end = gmc_stage_place(&s, "block");
    gmc_stage_close(&s);
    return sqrt(end.x * end.x + end.y * end.y);
}

/// Tangent of the slope at which it starts: one that is 1e-3 too steep carries it by 2e-4 m and more.
static double limit(const gmc_stepper *stepper, int body, double heading)
{
    double low = 0.5 * threshold(heading), high = 1.5 * threshold(heading);
    for (int i = 0; i < 11; i++) {
        double middle = (low + high) / 2;
        *(slides(stepper, body, heading, middle) > 1e-4 ? &high : &low) = middle;
    }
    return (low + high) / 2;
}

/// The default stepper's: test_friction_kinds.c.
static void ellipse_holds_up_to_its_rim(void **unused)
{
    (void)unused;
    const double headings[] = {0, 0.7, GMC_PI / 2, 2.3, GMC_PI};
    for (int k = 1; k < STEPPERS; k++) {
        double least = HUGE_VAL, most = 0;
        for (int i = 0; i < GMC_COUNT(headings); i++)
            for (int body = 0; body < GMC_COUNT(BODIES); body++) {
                double at = limit(stepper_of(k), body, headings[i]) / threshold(headings[i]);
                least = fmin(least, at);
                most = fmax(most, at);
            }
        print_message("%s\n", stepper_of(k)->name);
        capability_within(7, least, 0.98, 1.02);
        capability_within(7, most, 0.98, 1.02);
    }
}

// ---- moments about the normal ------------------------------------------------------------------

/// A disc that stands on a ball in its middle, and what turns it against the floor.
static void open_disc(gmc_stage *s, const gmc_stepper *stepper, int body,
                      const gmc_surface_extra *extra)
{
    const double radius = BODIES[body].size;
    const gmc_shape disc = {
        .type = GMC_SHAPE_CYLINDER, .radius = radius, .half_length = radius / 10};
    const gmc_shape ball = {.type = GMC_SHAPE_SPHERE, .radius = radius / 2};
    gmc_inertia inertia = gmc_inertia_of_shape_mass(&disc, BODIES[body].mass);
    gmc_joint_spec joint = {
        .type = GMC_JOINT_FREE, .X_pj = gmc_pose_identity(), .dof = gmc_builder_default_dof()};
    joint.X_pj.p.z = radius / 2 + lifted(stepper);
    gmc_stage_open(s, 0.5);
    gmc_stage_fixed(s, "floor", gmc_stage_plane(), gmc_pose_identity());
    gmc_builder_link(s->builder, (gmc_source){0}, "disc", NULL, &joint, &inertia);
    gmc_builder_geom(s->builder, &(gmc_geom_spec){.link = "disc",
                                                  .X_lg = gmc_pose_identity(),
                                                  .shape = ball,
                                                  .surface = "any",
                                                  .category = 1,
                                                  .mask = 3});
    s->stepper = stepper;
    gmc_stage_ready(s, 8);
    gmc_stage_extra(s, extra);
    s->model.gravity = (gmc_vec3){0, 0, -G};
}

static double spin_of(const gmc_stage *s) { return s->world.kin.V[gmc_stage_body(s, "disc")].w.z; }

/// I w/(t m g), with I = m r²/2.
static void spinning_disc_stops(void **unused)
{
    (void)unused;
    const gmc_surface_extra extra = {.torsion = 2e-3};
    for (int k = 0; k < STEPPERS; k++) {
        double worst = 0;
        for (int body = 0; body < GMC_COUNT(BODIES); body++)
            for (int i = 0; i < GMC_COUNT(STEPS); i++) {
                const double h = STEPS[i], span = 0.6, r = BODIES[body].size;
                gmc_stage s;
                open_disc(&s, stepper_of(k), body, &extra);
                assert_int_equal(gmc_stage_run(&s, h, 0.2), GMC_OK);
                double begin = s.world.state.t, w = span * extra.torsion * G / (r * r / 2);
                s.world.state.v[gmc_stage_dof(&s, "disc") + 5] = w;
                gmc_kinematics_update(&s.model, s.world.state.q, s.world.state.v, &s.world.kin);
                double before = w, now = w;
                while (now > 1e-9 * w) { // the residual
                    assert_int_equal(gmc_stage_step(&s, h), GMC_OK);
                    before = now;
                    now = spin_of(&s);
                    assert_true(s.world.state.t < begin + 2 * span);
                }
                // where the line through the last speeds ends
                double lost = before - now, rate = w / span;
                double stop = s.world.state.t - begin - h + lost / rate;
                worst = fmax(worst, fabs(stop / span - 1));
                assert_int_equal(gmc_stage_run(&s, h, 0.5), GMC_OK);
                if (k > 0) ASSERT_NEAR(spin_of(&s) / w, 0, 1e-8); // the default one is elastic
                assert_true(s.max_residual <= 1e-8);
                assert_true(s.unsolved == 0);
                gmc_stage_close(&s);
            }
        print_message("%s\n", stepper_of(k)->name);
        capability_at_most(7, worst, 0.02);
    }
}

/// What falls on its ball has got m g T from the floor when it lies, blow and all: t m g T of its
/// spin is lost, whatever the step.
static void blow_takes_its_share_of_spin(void **unused)
{
    (void)unused;
    const gmc_surface_extra extra = {.torsion = 2e-3};
    for (int k = 1; k < STEPPERS; k++)
        for (int body = 0; body < GMC_COUNT(BODIES); body++)
            for (int i = 0; i < GMC_COUNT(STEPS); i++) {
                const double r = BODIES[body].size, w = 2 * 0.6 * extra.torsion * G / (r * r / 2);
                gmc_stage s;
                open_disc(&s, stepper_of(k), body, &extra);
                s.world.state.q[s.model.bodies[gmc_stage_body(&s, "disc")].q + 2] += 0.1;
                s.world.state.v[gmc_stage_dof(&s, "disc") + 5] = w;
                gmc_kinematics_update(&s.model, s.world.state.q, s.world.state.v, &s.world.kin);
                assert_int_equal(gmc_stage_run(&s, STEPS[i], 0.6), GMC_OK);
                double lost = extra.torsion * G * s.world.state.t / (r * r / 2);
                // the residual of the blow
                ASSERT_NEAR(spin_of(&s) / w, 1 - lost / w, 1e-7);
                assert_true(s.max_residual <= 1e-8);
                gmc_stage_close(&s);
            }
}

/// A moment below t m g turns nothing, one above it turns by the rest of it.
static void disc_turns_beyond_its_moment(void **unused)
{
    (void)unused;
    const gmc_surface_extra extra = {.torsion = 2e-3};
    for (int k = 1; k < STEPPERS; k++)
        for (int body = 0; body < GMC_COUNT(BODIES); body++)
            for (int i = 0; i < GMC_COUNT(STEPS); i++)
                for (int is_over = 0; is_over < 2; is_over++) {
                    const double r = BODIES[body].size, m = BODIES[body].mass;
                    double most = extra.torsion * m * G, load = (is_over ? 1.001 : 0.999) * most;
                    gmc_stage s;
                    open_disc(&s, stepper_of(k), body, &extra);
                    s.force[gmc_stage_dof(&s, "disc") + 5] = load;
                    assert_int_equal(gmc_stage_run(&s, STEPS[i], 0.5), GMC_OK);
                    double moment = s.world.contacts.contacts[0].extra->moment[0] / STEPS[i];
                    double turns = is_over ? (load - most) / (m * r * r / 2) * 0.5 : 0;
                    // the difference of two moments a thousand times as large, each right to 1e-9;
                    // it gives by 1e-8 of what would be
                    double rounding = 1e-6 * (load - 0.998 * most) / (m * r * r / 2);
                    ASSERT_NEAR(spin_of(&s), turns, rounding);
                    ASSERT_NEAR_RELATIVE(-moment, fmin(load, most), 1e-8);
                    gmc_stage_close(&s);
                }
}

/// A bar between two jaws with round tips, held at `off` from its middle: two moments of t F against
/// m g off. How far it has turned in 0.3 s [rad].
static double bar_turns(const gmc_stepper *stepper, int body, double h, double force)
{
    const gmc_surface_extra extra = {.torsion = 1e-3};
    const double size = BODIES[body].size, off = size / 2, m = BODIES[body].mass;
    const gmc_shape tip = {.type = GMC_SHAPE_SPHERE, .radius = size / 4};
    gmc_stage s;
    gmc_stage_open(&s, 2);
    gmc_stage_free(&s, "bar", gmc_stage_box(size, size / 5, size / 5), m, (gmc_vec3){0, 0, 0});
    for (int i = 0; i < 2; i++) {
        double side = i == 0 ? -1 : 1, y = side * (size / 5 + size / 4 + lifted(stepper));
        gmc_stage_slider(&s, i == 0 ? "left" : "right", NULL, (gmc_vec3){0, -side, 0},
                         (gmc_vec3){off, y, 0}, tip, m, gmc_builder_default_dof(), false);
    }
    s.stepper = stepper;
    gmc_stage_ready(&s, 8);
    gmc_stage_extra(&s, &extra);
    s.model.gravity = (gmc_vec3){0, 0, 0};
    s.force[gmc_stage_dof(&s, "left")] = s.force[gmc_stage_dof(&s, "right")] = force;
    assert_int_equal(gmc_stage_run(&s, h, 0.05), GMC_OK);
    s.model.gravity.z = -G;
    assert_int_equal(gmc_stage_run(&s, h, 0.3), GMC_OK);
    assert_true(s.unsolved == 0);
    const double *q = s.world.state.q + s.model.bodies[gmc_stage_body(&s, "bar")].q;
    double turn = 2 * gmc_atan2(q[5], q[3]);
    gmc_stage_close(&s);
    return turn;
}

static void bar_is_held_by_two_moments(void **unused)
{
    (void)unused;
    for (int k = 1; k < STEPPERS; k++)
        for (int body = 0; body < GMC_COUNT(BODIES); body++)
            for (int i = 0; i < GMC_COUNT(STEPS); i++) {
                // 2 t F = m g off
                double force = BODIES[body].mass * G * BODIES[body].size / 2 / (2 * 1e-3);
                double held = bar_turns(stepper_of(k), body, STEPS[i], 1.01 * force);
                double let = bar_turns(stepper_of(k), body, STEPS[i], 0.99 * force);
                ASSERT_NEAR(held, 0, 1e-6);
                // a hundredth of the moment of its weight turns it by more than this in 0.3 s
                assert_true(fabs(let) > 1e-3);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ellipse_holds_up_to_its_rim),
        cmocka_unit_test(spinning_disc_stops),
        cmocka_unit_test(blow_takes_its_share_of_spin),
        cmocka_unit_test(disc_turns_beyond_its_moment),
        cmocka_unit_test(bar_is_held_by_two_moments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

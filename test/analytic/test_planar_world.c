// Planar worlds against closed forms: weight, incline, rolling, a peg in a concave corner, and
// friction of what stands on a plane.
#include "engine/math/elementary.h"
#include "engine/model/support.h"
#include "test/support/capability.h"
#include "test/support/flat.h"
#include "test/support/near.h"

static const double G = 9.81;

static void assert_solved(const gmc_flat *flat) { assert_int_equal(flat->stage.unsolved, 0); }

/// A floor whose top is y = 0, gravity leaning by `slope` (tangent) towards +x.
static void open_incline(gmc_flat *flat, double friction, double slope)
{
    double c = 1 / sqrt(1 + slope * slope);
    gmc_flat_open(flat, friction, (gmc_vec3){G * slope * c, -G * c, 0});
    gmc_polygon_pieces floor = gmc_flat_rectangle(flat, 20, 0.1);
    gmc_flat_fixed(flat, "floor", &floor, (gmc_vec3){0, -0.1, 0});
}

static double normal_force(const gmc_flat *flat, double h)
{
    double sum = 0;
    for (int i = 0; i < flat->stage.world.contacts.count; i++)
        sum += flat->stage.world.contacts.contacts[i].impulse[0] / h;
    return sum;
}

static void a_block_stands_on_two_points_that_carry_it(void **unused)
{
    (void)unused;
    gmc_flat flat;
    open_incline(&flat, 0.5, 0);
    gmc_polygon_pieces block = gmc_flat_rectangle(&flat, 0.05, 0.02);
    gmc_flat_body(&flat, "block", &block, 0.3, (gmc_vec3){0, 0.0201, 0.002});
    gmc_stage_ready(&flat.stage, 16);
    assert_int_equal(gmc_stage_run(&flat.stage, 2e-3, 1), GMC_OK);
    assert_int_equal(flat.stage.world.contacts.count, 2);
    ASSERT_NEAR_RELATIVE(normal_force(&flat, 2e-3), 0.3 * G, 1e-9); // at rest to 1e-9 m/s
    gmc_vec3 before = gmc_flat_place(&flat, "block");
    assert_int_equal(gmc_stage_run(&flat.stage, 2e-3, 4), GMC_OK);
    gmc_vec3 after = gmc_flat_place(&flat, "block");
    ASSERT_NEAR(gmc_vec3_norm(gmc_vec3_sub(after, before)), 0, 1e-12); // rounding of 2000 steps
    // each carries half on a spring of 1e6 N/m
    ASSERT_NEAR(after.y - 0.02, -0.3 * G / 2 / 1e6, 1e-12);
    assert_solved(&flat);
    gmc_flat_close(&flat);
}

static void a_block_sticks_and_slides_on_an_incline(void **unused)
{
    (void)unused;
    const double mu = 0.4, steps[] = {1e-3, 2e-3, 4e-3};
    for (int k = 0; k < GMC_COUNT(steps); k++)
        for (int is_steep = 0; is_steep < 2; is_steep++) {
            gmc_flat flat;
            double slope = mu * (is_steep ? 1.2 : 0.999), h = steps[k];
            open_incline(&flat, mu, slope);
            gmc_polygon_pieces block = gmc_flat_rectangle(&flat, 0.05, 0.01);
            gmc_flat_body(&flat, "block", &block, 0.3, (gmc_vec3){0, 0.01, 0});
            gmc_stage_ready(&flat.stage, 16);
            assert_int_equal(gmc_stage_run(&flat.stage, h, 1), GMC_OK);
            double x = gmc_flat_place(&flat, "block").x,
                   v = gmc_stage_velocity(&flat.stage, "block").x;
            assert_int_equal(gmc_stage_run(&flat.stage, h, 1), GMC_OK);
            double moved = gmc_flat_place(&flat, "block").x - x;
            double gained = gmc_stage_velocity(&flat.stage, "block").x - v;
            double c = 1 / sqrt(1 + slope * slope), a = G * c * (slope - mu);
            if (is_steep)
                ASSERT_NEAR_RELATIVE(gained, a, 1e-3); // finer than mu is known
            else
                ASSERT_NEAR(moved, 0, 1e-9); // no creep
            assert_solved(&flat);
            gmc_flat_close(&flat);
        }
}

// a = (2/3) g sin: the moment of inertia of a disc.
static void a_disc_rolls_down(void **unused)
{
    (void)unused;
    gmc_flat flat;
    double slope = 0.2, r = 0.03, h = 1e-3;
    open_incline(&flat, 0.5, slope);
    gmc_flat_round(&flat, "disc", gmc_flat_circle(r), 0.2, (gmc_vec3){0, r, 0});
    gmc_stage_ready(&flat.stage, 16);
    assert_int_equal(gmc_stage_run(&flat.stage, h, 0.2), GMC_OK);
    double v = gmc_stage_velocity(&flat.stage, "disc").x;
    assert_int_equal(gmc_stage_run(&flat.stage, h, 1), GMC_OK);
    double c = 1 / sqrt(1 + slope * slope);
    ASSERT_NEAR_RELATIVE(gmc_stage_velocity(&flat.stage, "disc").x - v, 2.0 / 3 * G * slope * c,
                         1e-3); // springs give, by less
    int body = gmc_stage_body(&flat.stage, "disc");
    double spin = flat.stage.world.kin.V[body].w.z, now = gmc_stage_velocity(&flat.stage, "disc").x;
    // turning by 0.05 rad a step: the arc of the point that touches differs from its chord by a
    // sixth of that squared
    ASSERT_NEAR_RELATIVE(-spin * r, now, 4.5e-4);
    assert_solved(&flat);
    gmc_flat_close(&flat);
}

// An ellipse standing on its flat side rocks as a pendulum does: about its lowest place it is as if
// it hung at height rho - b from the centre of curvature rho = a²/b.
static void an_ellipse_rocks_with_its_period(void **unused)
{
    (void)unused;
    gmc_flat flat;
    double a = 0.04, b = 0.02, m = 0.2, h = 5e-4;
    open_incline(&flat, 1, 0);
    gmc_shape ellipse = {
        .type = GMC_SHAPE_SUPER_ELLIPSE, .half = {a, b, 0}, .exponent = 2, .half_length = 0.01};
    gmc_flat_round(&flat, "egg", ellipse, m, (gmc_vec3){0, b + 1e-6, 0.02});
    gmc_stage_ready(&flat.stage, 16);
    double last = 0, crossings[2] = {0, 0};
    int count = 0;
    for (int i = 0; i < 6000 && count < 12; i++) {
        assert_int_equal(gmc_stage_step(&flat.stage, h), GMC_OK);
        double angle = gmc_flat_place(&flat, "egg").z, t = flat.stage.world.state.t;
        if (last > 0 && angle <= 0) {
            double at = t - h * angle / (angle - last);
            if (count == 1) crossings[0] = at;
            if (count == 11) crossings[1] = at;
            count++;
        }
        last = angle;
    }
    double inertia = m * (a * a + b * b) / 4 + m * b * b; // about the contact
    double period = 2 * GMC_PI * sqrt(inertia / (m * G * (a * a / b - b)));
    assert_int_equal(count, 12);
    // 0.02 rad: the period of large swings differs by 1e-4; the step adds 1e-4
    ASSERT_NEAR_RELATIVE((crossings[1] - crossings[0]) / 10, period, 1e-3);
    gmc_flat_close(&flat);
}

// What [berard2007] §VI leaves open. The L has an inner edge; the tip comes along the floor, along
// the wall, and through the air, at several speeds, and must end in the corner itself: no early
// stop, no overlap; with rigid contact not on the way either.
static void reach_a_concave_corner(const char *stepper, bool is_rigid)
{
    double overlap = 0, off = 0;
    const gmc_vec2 ell[] = {{-0.05, -0.05}, {0.2, -0.05}, {0.2, 0}, {0, 0}, {0, 0.2}, {-0.05, 0.2}};
    const gmc_vec2 tip[] = {{0, 0}, {0.03, 0.012}, {0.012, 0.03}};
    const gmc_vec2 starts[] = {
        {0.03, 2e-4}, {2e-4, 0.03}, {0.02, 0.02}, {0.01, 0.017}, {1e-3, 0.04}};
    const double speeds[] = {0, 0.1, 2};
    for (int k = 0; k < GMC_COUNT(starts); k++)
        for (int s = 0; s < GMC_COUNT(speeds); s++) {
            gmc_flat flat;
            gmc_flat_open(&flat, 0.3, (gmc_vec3){0, 0, 0});
            gmc_polygon_pieces corner = gmc_flat_polygon(&flat, ell, 6);
            gmc_polygon_pieces peg = gmc_flat_polygon(&flat, tip, 3);
            assert_int_equal(corner.count, 2);
            gmc_shape shape = gmc_polygon_shape(&peg.pieces[0], 0.02);
            gmc_flat_fixed(&flat, "corner", &corner, (gmc_vec3){0, 0, 0});
            gmc_flat_slider(&flat, "x", NULL, (gmc_vec2){1, 0}, (gmc_vec3){starts[k].x, 0, 0}, NULL,
                            false);
            gmc_flat_slider(&flat, "peg", "x", (gmc_vec2){0, 1}, (gmc_vec3){0, starts[k].y, 0},
                            &shape, false);
            flat.stage.stepper = gmc_stepper_find(stepper);
            gmc_stage_ready(&flat.stage, 16);
            for (int i = 0; i < 2; i++) {
                flat.stage.force[i] = -0.5; // 0.5 um into each side, on 1e6 N/m
                flat.stage.damping[i] = 4;
                double way = i == 0 ? starts[k].x : starts[k].y;
                flat.stage.world.state.v[i] = -speeds[s] * way / (starts[k].x + starts[k].y);
            }
            gmc_kinematics_update(&flat.stage.model, flat.stage.world.state.q,
                                  flat.stage.world.state.v, &flat.stage.world.kin);
            for (int i = 0; i < 2000; i++) {
                assert_int_equal(gmc_stage_step(&flat.stage, 2e-3), GMC_OK);
                gmc_vec3 tip_at = gmc_stage_place(&flat.stage, "peg");
                overlap = fmax(overlap, -fmin(tip_at.x, tip_at.y));
            }
            gmc_vec3 end = gmc_stage_place(&flat.stage, "peg");
            if (fabs(end.x) + fabs(end.y) > 1e-5)
                print_message("%d %d: %g %g contacts %d\n", k, s, end.x, end.y,
                              flat.stage.world.contacts.count);
            assert_int_equal(flat.stage.world.contacts.count, 2); // one with each side
            off = fmax(off, fmax(fabs(end.x), fabs(end.y)));
            assert_solved(&flat);
            gmc_flat_close(&flat);
        }
    capability_at_most(87, off, 1e-6);
    if (is_rigid) capability_at_most(87, overlap, 1e-6);
}

static void a_peg_reaches_a_concave_corner(void **unused)
{
    (void)unused;
    reach_a_concave_corner("coulomb", false);
    reach_a_concave_corner("stewart_trinkle", true);
}

// [berard2007] §III-A: a driven body is where its path says, whatever it meets, and the force that
// it is reported to meet is the one that is there: a viscous slider at a constant speed, c v.
static void a_prescribed_path_is_followed(void **unused)
{
    (void)unused;
    gmc_flat flat;
    double c = 40, speed = 0.05, spin = 0.7, h = 2e-3, r = 0.01, worst = 0;
    gmc_flat_open(&flat, 0, (gmc_vec3){0, 0, 0});
    gmc_shape tip = gmc_flat_circle(r);
    gmc_inertia inertia = {.mass = 1, .I = gmc_mat3_diagonal(1e-3, 1e-3, 1e-3)};
    gmc_joint_spec joint = {.type = GMC_JOINT_PLANAR,
                            .is_driven = true,
                            .X_pj = gmc_pose_identity(),
                            .dof = gmc_builder_default_dof()};
    gmc_builder_link(flat.stage.builder, (gmc_source){0}, "tip", NULL, &joint, &inertia);
    gmc_builder_geom(flat.stage.builder, &(gmc_geom_spec){.link = "tip",
                                                          .X_lg = gmc_pose_identity(),
                                                          .shape = tip,
                                                          .surface = "any",
                                                          .category = 1,
                                                          .mask = 3});
    gmc_polygon_pieces box = gmc_flat_rectangle(&flat, 0.02, 0.02);
    gmc_shape shape = gmc_polygon_shape(&box.pieces[0], 0.02);
    gmc_flat_slider(&flat, "box", NULL, (gmc_vec2){1, 0}, (gmc_vec3){0.031, 0, 0}, &shape, false);
    gmc_stage_ready(&flat.stage, 16);
    gmc_stage *stage = &flat.stage;
    const gmc_body *body = &stage->model.bodies[gmc_stage_body(stage, "tip")];
    stage->model.dofs[gmc_stage_dof(stage, "box")].damping = c;
    const double rates[3] = {speed, 0, spin};
    for (int i = 1; i <= 1000; i++) {
        for (int k = 0; k < 3; k++) {
            stage->v_driven[body->v + k] = rates[k];
            stage->q_driven[body->q + k] = rates[k] * i * h;
        }
        assert_int_equal(gmc_stage_step(stage, h), GMC_OK);
        gmc_vec3 place = gmc_flat_place(&flat, "tip");
        worst = fmax(worst, fabs(place.x - speed * i * h));
        worst = fmax(worst, fmax(fabs(place.y), fabs(place.z - spin * i * h)));
    }
    capability_at_most(74, worst, 1e-12);
    assert_int_equal(stage->world.contacts.count, 1);
    // after 2 s what is left of the start has died out
    capability_at_most(74, fabs(normal_force(&flat, h) / (c * speed) - 1), 1e-9);
    gmc_flat_close(&flat);
}

// ---- standing on the plane ----------------------------------------------------------------------

static const gmc_vec3 DOWN = {0, 0, -9.81};

static void open_disc(gmc_flat *flat, double friction, double damping)
{
    static gmc_support_point points[48];
    gmc_flat_open(flat, 0.5, DOWN);
    gmc_flat_round(flat, "disc", gmc_flat_circle(0.05), 0.4, (gmc_vec3){0, 0, 0});
    gmc_support_disc((gmc_vec2){0, 0}, 0.05, friction, 3, 16, points);
    gmc_support_spec spec = gmc_builder_default_support();
    spec.points = points;
    spec.point_count = 48;
    spec.damping = damping;
    gmc_builder_support(flat->stage.builder, (gmc_source){0}, "disc", &spec);
    gmc_stage_ready(&flat->stage, 16);
}

static void set_speed(gmc_flat *flat, double x, double y, double w)
{
    gmc_world *world = &flat->stage.world;
    world->state.v[0] = x;
    world->state.v[1] = y;
    world->state.v[2] = w;
    gmc_kinematics_update(&flat->stage.model, world->state.q, world->state.v, &world->kin);
}

// [berard2007] §II-B, linear damping: decay with c/m of the speed, c rho²/I of the spin.
static void viscous_friction_decays_exponentially(void **unused)
{
    (void)unused;
    gmc_flat flat;
    double c = 0.2, m = 0.4, h = 1e-3, span = 2;
    open_disc(&flat, 0, c);
    set_speed(&flat, 0.6, -0.8, 3);
    assert_int_equal(gmc_stage_run(&flat.stage, h, span), GMC_OK);
    const double *v = flat.stage.world.state.v;
    // the step's own error is the square of h c / m = 5e-4
    // a disc's rho² and 2 I / m are the same, R² / 2: its spin decays as its speed does
    const double start[3] = {0.6, -0.8, 3};
    for (int k = 0; k < 3; k++)
        capability_at_most(72, fabs(-gmc_log(v[k] / start[k]) / span / (c / m) - 1), 1e-3);
    gmc_flat_close(&flat);
}

static void a_disc_slides_to_a_stop(void **unused)
{
    (void)unused;
    gmc_flat flat;
    double mu = 0.3, v0 = 1, h = 1e-3, w0 = 20;
    open_disc(&flat, mu, 0);
    set_speed(&flat, 0.6 * v0, 0.8 * v0, 0);
    assert_int_equal(gmc_stage_run(&flat.stage, h, 1), GMC_OK);
    gmc_vec3 end = gmc_flat_place(&flat, "disc");
    double way = v0 * v0 / (2 * mu * G);
    ASSERT_NEAR_RELATIVE(end.x, 0.6 * way, 3e-3); // the law's own error: mu g h / v
    ASSERT_NEAR_RELATIVE(end.y, 0.8 * way, 3e-3);
    ASSERT_NEAR(end.z, 0, 1e-9);
    gmc_stage_restart(&flat.stage);
    set_speed(&flat, 0, 0, w0);
    assert_int_equal(gmc_stage_run(&flat.stage, h, 1), GMC_OK);
    // I w' = -(2/3) mu m g R, I = m R² / 2
    double slowing = 4.0 / 3 * mu * G / 0.05;
    ASSERT_NEAR_RELATIVE(gmc_flat_place(&flat, "disc").z, w0 * w0 / (2 * slowing), 5e-3);
    assert_solved(&flat);
    gmc_flat_close(&flat);
}

static void open_tripod(gmc_flat *flat, const char *stepper)
{
    const double angles[] = {0.3, 0.3 + 2 * GMC_PI / 3, 0.3 + 4 * GMC_PI / 3};
    gmc_support_point points[3];
    for (int i = 0; i < 3; i++)
        points[i] =
            (gmc_support_point){{0.035 * gmc_cos(angles[i]), 0.035 * gmc_sin(angles[i])}, 1, 0.3};
    gmc_flat_open(flat, 0.5, DOWN);
    gmc_flat_round(flat, "disc", gmc_flat_circle(0.05), 0.4, (gmc_vec3){0, 0, 0});
    gmc_flat_support(flat, "disc", points, 3);
    flat->stage.stepper = gmc_stepper_find(stepper);
    gmc_stage_ready(&flat->stage, 16);
}

// What slides turns on for long: friction against the turn is of the order of w R / v. It needs a
// corner of each pyramid where its point slides (rigid.c); with corners that stand
// still it comes in jumps.
static void facets_resist_a_slow_turn(void **unused)
{
    (void)unused;
    static const char *const NAMES[] = {"coulomb", "stewart_trinkle", "anitescu_potra"};
    double v0 = 1, w0 = 2, h = 1e-3;
    gmc_vec3 end[GMC_COUNT(NAMES)];
    for (int k = 0; k < GMC_COUNT(NAMES); k++) {
        gmc_flat flat;
        open_tripod(&flat, NAMES[k]);
        set_speed(&flat, 0.8 * v0, 0.6 * v0, w0);
        assert_int_equal(gmc_stage_run(&flat.stage, h, 0.5), GMC_OK);
        end[k] = gmc_flat_place(&flat, "disc");
        print_message("%s: %.5f m, %.5f m, %.5f\n", NAMES[k], end[k].x, end[k].y, end[k].z);
        // a direction is a step old: half the way of the first step
        ASSERT_NEAR(end[k].x, end[0].x, v0 * h);
        ASSERT_NEAR(end[k].y, end[0].y, v0 * h);
        ASSERT_NEAR(end[k].z, end[0].z, w0 * h);
        assert_solved(&flat);
        gmc_flat_close(&flat);
    }
    assert_true(end[0].z > 0.1);
}

// Maximal dissipation: while it slides and turns the friction dissipates as much as any that the
// points can give, which is to be on the limit surface there.
static void friction_is_on_the_limit_surface(void **unused)
{
    (void)unused;
    gmc_flat flat;
    double h = 1e-3, worst = 0;
    open_disc(&flat, 0.3, 0);
    set_speed(&flat, 0.6, -0.3, 25);
    int steps = 0;
    for (;; steps++) {
        gmc_world *world = &flat.stage.world;
        gmc_pose X = world->kin.X_wb[1];
        assert_int_equal(gmc_stage_step(&flat.stage, h), GMC_OK);
        gmc_vec3 w = world->kin.V[1].w, v = gmc_stage_velocity(&flat.stage, "disc");
        if (!(v.x * v.x + v.y * v.y > 0.05 * 0.05)) break;
        double power = 0, most = 0;
        for (int i = 0; i < 48; i++) {
            const gmc_support_point *point = &flat.stage.model.support_points[i];
            gmc_vec3 arm = gmc_mat3_apply(&X.R, (gmc_vec3){point->p.x, point->p.y, 0});
            gmc_vec3 u = gmc_vec3_add(v, gmc_vec3_cross(w, arm));
            const double *r = world->support_impulse + 3 * i;
            ASSERT_NEAR_RELATIVE(r[0], h * 0.4 * G * flat.stage.model.support_points[i].share,
                                 1e-9);
            power -= r[1] * u.x + r[2] * u.y;
            most += point->friction * r[0] * sqrt(u.x * u.x + u.y * u.y);
        }
        worst = fmax(worst, 1 - power / most);
        assert_true(power <= most * (1 + 1e-12));
    }
    print_message("%d steps, inside the limit surface by %.2g\n", steps, worst);
    assert_true(steps > 100);
    assert_true(worst <= 1e-8 * near_scale()); // the bar
    assert_solved(&flat);
    gmc_flat_close(&flat);
}

// A force below mu m g moves it by its elastic deflection and no farther; one above moves it.
static void what_stands_sticks_exactly(void **unused)
{
    (void)unused;
    const double steps[] = {5e-4, 1e-3, 2e-3, 4e-3};
    for (int k = 0; k < GMC_COUNT(steps); k++)
        for (int is_strong = 0; is_strong < 2; is_strong++) {
            gmc_flat flat;
            double limit = 0.3 * 0.4 * G;
            open_disc(&flat, 0.3, 0);
            flat.stage.force[0] = limit * (is_strong ? 1.001 : 0.999) * 0.6;
            flat.stage.force[1] = limit * (is_strong ? 1.001 : 0.999) * 0.8;
            assert_int_equal(gmc_stage_run(&flat.stage, steps[k], 0.5), GMC_OK);
            gmc_vec3 before = gmc_flat_place(&flat, "disc");
            assert_int_equal(gmc_stage_run(&flat.stage, steps[k], 2), GMC_OK);
            double moved = gmc_vec3_norm(gmc_vec3_sub(gmc_flat_place(&flat, "disc"), before));
            if (is_strong)
                assert_true(moved > 1e-3);
            else
                ASSERT_NEAR(moved, 0, 1e-12); // rounding of 4000 steps
            assert_solved(&flat);
            gmc_flat_close(&flat);
        }
}

// A program may change gravity while the trial runs: what stood slides under half its weight, with
// F/m - mu g/2, slows down under all of it, and is not held at all without.
static void friction_follows_the_weight(void **unused)
{
    (void)unused;
    const char *const steppers[] = {"coulomb", "stewart_trinkle", "anitescu_potra"};
    for (int k = 0; k < GMC_COUNT(steppers); k++) {
        gmc_flat flat;
        double mu = 0.3, m = 0.4, h = 1e-3, span = 0.2, force = 0.8 * mu * m * G;
        const gmc_support_point points[] = {
            {{0.03, 0}, 1, mu}, {{-0.015, 0.026}, 1, mu}, {{-0.015, -0.026}, 1, mu}};
        gmc_flat_open(&flat, 0.5, DOWN);
        gmc_flat_round(&flat, "disc", gmc_flat_circle(0.05), m, (gmc_vec3){0, 0, 0});
        gmc_flat_support(&flat, "disc", points, 3);
        gmc_stage *stage = &flat.stage;
        stage->stepper = gmc_stepper_find(steppers[k]);
        gmc_stage_ready(stage, 16);
        stage->force[0] = force; // along one of the directions of a pyramid
        const double weights[] = {1, 0.5, 1, 0};
        double v = 0;
        for (int i = 0; i < 4; i++) {
            stage->model.gravity.z = -weights[i] * G;
            assert_int_equal(gmc_stage_run(stage, h, span), GMC_OK);
            double a = force / m - mu * weights[i] * G;
            v = fmax(0, v + (v > 0 || a > 0 ? a * span : 0));
            // what an elastic point still swings: mu g h, once per change of weight
            ASSERT_NEAR(gmc_stage_velocity(stage, "disc").x, v, 2 * mu * G * h);
        }
        assert_true(v > 0.3);
        gmc_flat_close(&flat);
    }
}

/// Whatever slides and turns on many points comes to rest and stays there, all steps solved: the
/// scale of what a step has to answer does not sink with the motion.
static void what_slides_comes_to_rest(void **unused)
{
    (void)unused;
    for (int k = 0; k < 24; k++) {
        gmc_flat flat;
        gmc_support_point points[48];
        double speed = 0.05 + 0.02 * k, mass = k % 2 ? 5e-6 : 0.02;
        gmc_support_disc((gmc_vec2){0, 0}, 0.02, 0.4, 3, 16, points);
        gmc_flat_open(&flat, 0.3, (gmc_vec3){0, 0, -9.81});
        gmc_flat_round(&flat, "disc", gmc_flat_circle(0.02), mass, (gmc_vec3){0, 0, 0});
        gmc_flat_support(&flat, "disc", points, 48);
        gmc_stage_ready(&flat.stage, 8);
        double *v = flat.stage.world.state.v + gmc_stage_dof(&flat.stage, "disc");
        v[0] = speed;
        v[1] = k % 3 ? 0 : 0.3 * speed;
        v[2] = k % 4 ? 0 : 5 * speed;
        gmc_kinematics_update(&flat.stage.model, flat.stage.world.state.q, flat.stage.world.state.v,
                              &flat.stage.world.kin);
        assert_int_equal(gmc_stage_run(&flat.stage, 2e-3, 0.4), GMC_OK);
        assert_int_equal(flat.stage.unsolved, 0);
        gmc_vec3 place = gmc_flat_place(&flat, "disc");
        assert_int_equal(gmc_stage_run(&flat.stage, 2e-3, 0.2), GMC_OK);
        gmc_vec3 later = gmc_flat_place(&flat, "disc");
        ASSERT_NEAR(later.x, place.x, 1e-10); // no creep, in so short a time
        ASSERT_NEAR(later.y, place.y, 1e-10);
        ASSERT_NEAR(later.z, place.z, 1e-9);
        gmc_flat_close(&flat);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_stands_on_two_points_that_carry_it),
        cmocka_unit_test(a_block_sticks_and_slides_on_an_incline),
        cmocka_unit_test(a_disc_rolls_down),
        cmocka_unit_test(an_ellipse_rocks_with_its_period),
        cmocka_unit_test(a_peg_reaches_a_concave_corner),
        cmocka_unit_test(a_prescribed_path_is_followed),
        cmocka_unit_test(what_slides_comes_to_rest),
        cmocka_unit_test(viscous_friction_decays_exponentially),
        cmocka_unit_test(a_disc_slides_to_a_stop),
        cmocka_unit_test(facets_resist_a_slow_turn),
        cmocka_unit_test(friction_is_on_the_limit_surface),
        cmocka_unit_test(what_stands_sticks_exactly),
        cmocka_unit_test(friction_follows_the_weight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

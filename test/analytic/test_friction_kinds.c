// Friction beyond one coefficient, against closed forms: static and kinetic, elliptic cones.

#include "test/support/near.h"
#include "test/support/stage.h"

static const double G = 9.81;
static const double STEPS[] = {0.5e-3, 1e-3, 2e-3, 4e-3};

/// A flat block on the plane z = 0; the slope is in the direction of gravity, heading `heading`.
static void incline(gmc_stage *s, double angle, double heading, double friction,
                    const gmc_surface_extra *extra)
{
    gmc_stage_open(s, friction);
    gmc_stage_fixed(s, "slope", gmc_stage_plane(), gmc_pose_identity());
    gmc_stage_free(s, "block", gmc_stage_box(0.05, 0.05, 0.01), 0.4, (gmc_vec3){0, 0, 0.01});
    gmc_stage_ready(s, 16);
    gmc_stage_extra(s, extra);
    double along = G * gmc_sin(angle);
    s->model.gravity =
        (gmc_vec3){along * gmc_cos(heading), along * gmc_sin(heading), -G * gmc_cos(angle)};
}

static double creep(gmc_stage *s, double h)
{
    assert_int_equal(gmc_stage_run(s, h, 1.0), GMC_OK);
    gmc_vec3 start = gmc_stage_place(s, "block");
    assert_int_equal(gmc_stage_run(s, h, 5.0), GMC_OK);
    return gmc_vec3_norm(gmc_vec3_sub(gmc_stage_place(s, "block"), start));
}

static void push(gmc_stage *s, gmc_vec3 velocity)
{
    double *v = s->world.state.v + gmc_stage_dof(s, "block");
    v[0] = velocity.x;
    v[1] = velocity.y;
    gmc_kinematics_update(&s->model, s->world.state.q, s->world.state.v, &s->world.kin);
}

// ---- static and kinetic -----------------------------------------------------------------------

static void sticks_by_the_static_coefficient(void **state)
{
    (void)state;
    const gmc_surface_extra extra = {.kinetic_loss = 0.3, .threshold = 1e-3};
    for (int i = 0; i < GMC_COUNT(STEPS); i++) {
        gmc_stage s;
        incline(&s, 0.4, 0.7 * i, gmc_tan(0.4) / 0.999, &extra);
        ASSERT_BELOW(creep(&s, STEPS[i]), 1e-9); // none
        gmc_stage_close(&s);
    }
}

static void slides_by_the_kinetic_one(void **state)
{
    (void)state;
    const gmc_surface_extra extra = {.kinetic_loss = 0.3, .threshold = 1e-3};
    for (int i = 0; i < GMC_COUNT(STEPS); i++) {
        gmc_stage s;
        double rest = gmc_tan(0.4) / 1.001, slide = 0.7 * rest;
        incline(&s, 0.4, 0.7 * i, rest, &extra);
        // below the threshold it gains g (sin - mu_s cos) = 3.8 mm/s² and needs 0.26 s
        assert_int_equal(gmc_stage_run(&s, STEPS[i], 0.2), GMC_OK);
        double v = gmc_vec3_norm(gmc_stage_velocity(&s, "block"));
        assert_true(v > 1e-4);
        ASSERT_BELOW(v, 1e-3);
        assert_int_equal(gmc_stage_run(&s, STEPS[i], 0.2), GMC_OK);
        v = gmc_vec3_norm(gmc_stage_velocity(&s, "block"));
        assert_int_equal(gmc_stage_run(&s, STEPS[i], 1.0), GMC_OK);
        double a = gmc_vec3_norm(gmc_stage_velocity(&s, "block")) - v;
        // the difference of two forces of one size, each right to rounding
        ASSERT_NEAR_RELATIVE(a, G * (gmc_sin(0.4) - slide * gmc_cos(0.4)), 1e-6);
        gmc_stage_close(&s);
    }
}

/// On a slope between the two angles what is pushed goes on for ever and what rests stays.
static void between_the_angles_it_depends_on_the_start(void **state)
{
    (void)state;
    const gmc_surface_extra extra = {.kinetic_loss = 0.3, .threshold = 1e-3};
    for (int is_pushed = 0; is_pushed < 2; is_pushed++) {
        gmc_stage s;
        incline(&s, 0.4, 0.5, gmc_tan(0.4) * 1.2, &extra);
        assert_int_equal(gmc_stage_run(&s, 2e-3, 0.3), GMC_OK);
        if (is_pushed) push(&s, (gmc_vec3){0.05 * gmc_cos(0.5), 0.05 * gmc_sin(0.5), 0});
        double moved = creep(&s, 2e-3);
        assert_true(is_pushed ? moved > 1 : moved <= 1e-9);
        gmc_stage_close(&s);
    }
}

/// v²/(2 mu_k g) as soon as it slides, and then it rests by mu_s.
static void kinetic_friction_stops_a_block(void **state)
{
    (void)state;
    const gmc_surface_extra extra = {.kinetic_loss = 0.25, .threshold = 1e-3};
    gmc_stage s;
    incline(&s, 0, 0, 0.4, &extra);
    assert_int_equal(gmc_stage_run(&s, 1e-3, 0.5), GMC_OK);
    double start = gmc_stage_place(&s, "block").x, v = 2;
    push(&s, (gmc_vec3){v, 0, 0});
    assert_int_equal(gmc_stage_run(&s, 1e-3, 2.0), GMC_OK);
    double way = gmc_stage_place(&s, "block").x - start;
    // the implicit step errs by mu g h/v = 1.5e-3; its first one still has mu_s, as it stuck before
    ASSERT_NEAR_RELATIVE(way, v * v / (2 * 0.3 * G), 2.5e-3);
    ASSERT_NEAR(gmc_vec3_norm(gmc_stage_velocity(&s, "block")), 0, 1e-12);
    gmc_stage_close(&s);
}

// ---- elliptic cones ---------------------------------------------------------------------------

static const double ALONG = 0.5, ACROSS = 0.3, TURN = 0.35; // the grain's heading

static gmc_surface_extra grained(double ratio)
{
    return (gmc_surface_extra){
        .has_grain = true, .grain = {gmc_cos(TURN), gmc_sin(TURN), 0}, .across_ratio = ratio};
}

/// tan of the slope at which a load heading `heading` reaches the ellipse.
static double threshold(double heading)
{
    double a = gmc_cos(heading - TURN) / ALONG, b = gmc_sin(heading - TURN) / ACROSS;
    return 1 / sqrt(a * a + b * b);
}

static void ellipse_holds_up_to_its_rim(void **state)
{
    (void)state;
    const gmc_surface_extra extra = grained(ACROSS / ALONG);
    for (int i = 0; i < 8; i++) {
        double heading = GMC_PI / 4 * i + 0.1, h = STEPS[i % GMC_COUNT(STEPS)];
        double angle = gmc_atan2(0.999 * threshold(heading), 1);
        gmc_stage s;
        incline(&s, angle, heading, ALONG, &extra);
        ASSERT_BELOW(creep(&s, h), 1e-9); // none
        gmc_stage_close(&s);
        angle = gmc_atan2(1.001 * threshold(heading), 1);
        incline(&s, angle, heading, ALONG, &extra);
        assert_true(creep(&s, h) > 1e-3);
        gmc_stage_close(&s);
    }
}

/// Slip is normal to the ellipse: friction -g cos mu_i² u_i/|(mu_1 u_1, mu_2 u_2)|. From rest the
/// block runs straight, in the direction u in which load and friction leave it, found by bisection.
static void sliding_direction(double angle, double heading, gmc_vec3 *u, double *a)
{
    double load[2] = {gmc_sin(angle) * gmc_cos(heading - TURN),
                      gmc_sin(angle) * gmc_sin(heading - TURN)};
    double lower = heading - TURN - 1.5, upper = heading - TURN + 1.5, rest[2], dir[2];
    for (int i = 0; i < 100; i++) {
        double middle = 0.5 * (lower + upper);
        dir[0] = gmc_cos(middle);
        dir[1] = gmc_sin(middle);
        double size = sqrt(ALONG * ALONG * dir[0] * dir[0] + ACROSS * ACROSS * dir[1] * dir[1]);
        rest[0] = load[0] - gmc_cos(angle) * ALONG * ALONG * dir[0] / size;
        rest[1] = load[1] - gmc_cos(angle) * ACROSS * ACROSS * dir[1] / size;
        *(dir[0] * rest[1] - dir[1] * rest[0] > 0 ? &lower : &upper) = middle;
    }
    *a = G * (rest[0] * dir[0] + rest[1] * dir[1]);
    *u = (gmc_vec3){gmc_cos(TURN) * dir[0] - gmc_sin(TURN) * dir[1],
                    gmc_sin(TURN) * dir[0] + gmc_cos(TURN) * dir[1], 0};
}

static void ellipse_slides_normal_to_its_rim(void **state)
{
    (void)state;
    double worst = 0, most_aside = 0;
    // ratio above 1 as well: the grain along the weak direction of the same ellipse
    for (int i = 0; i < 16; i++) {
        gmc_surface_extra extra = grained(i < 8 ? ACROSS / ALONG : ALONG / ACROSS);
        if (i >= 8) extra.grain = (gmc_vec3){-gmc_sin(TURN), gmc_cos(TURN), 0};
        double heading = GMC_PI / 4 * i + 0.1, expected;
        double angle = gmc_atan2(1.2 * threshold(heading), 1);
        gmc_vec3 u, up = {0, 0, 1}, down = {gmc_cos(heading), gmc_sin(heading), 0};
        sliding_direction(angle, heading, &u, &expected);
        gmc_stage s;
        incline(&s, angle, heading, i < 8 ? ALONG : ACROSS, &extra);
        assert_int_equal(gmc_stage_run(&s, 2e-3, 0.6), GMC_OK);
        gmc_vec3 v0 = gmc_stage_velocity(&s, "block");
        assert_int_equal(gmc_stage_run(&s, 2e-3, 0.6), GMC_OK);
        gmc_vec3 v1 = gmc_stage_velocity(&s, "block"), dv = gmc_vec3_sub(v1, v0);
        double aside = gmc_vec3_dot(dv, gmc_vec3_cross(up, u)) / gmc_vec3_norm(dv);
        worst = fmax(worst, fmax(fabs(aside), fabs(gmc_vec3_dot(dv, u) / 0.6 / expected - 1)));
        most_aside = fmax(most_aside, fabs(gmc_vec3_cross(down, u).z));
        gmc_stage_close(&s);
    }
    print_message("elliptic slip: %.2e off, up to %.2f rad from the slope\n", worst, most_aside);
    ASSERT_BELOW(worst, 1e-6);     // the solver's residual; 8e-10 seen
    assert_true(most_aside > 0.2); // an isotropic cone would slide straight down
}

/// A grain without friction across it is a rail: free along one direction, held along the other.
static void ratio_zero_is_a_rail(void **state)
{
    (void)state;
    const gmc_surface_extra extra = {.has_grain = true, .grain = {1, 0, 0}, .across_ratio = 0};
    gmc_stage s;
    incline(&s, 0.2, GMC_PI / 4, 0.9, &extra);
    assert_int_equal(gmc_stage_run(&s, 2e-3, 0.5), GMC_OK);
    gmc_vec3 v0 = gmc_stage_velocity(&s, "block"), p0 = gmc_stage_place(&s, "block");
    assert_int_equal(gmc_stage_run(&s, 2e-3, 1.0), GMC_OK);
    gmc_vec3 dv = gmc_vec3_sub(gmc_stage_velocity(&s, "block"), v0);
    ASSERT_NEAR(gmc_stage_place(&s, "block").x - p0.x, 0, 1e-9); // no creep
    ASSERT_NEAR_RELATIVE(dv.y, G * gmc_sin(0.2) * gmc_sin(GMC_PI / 4), 1e-9);
    gmc_stage_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sticks_by_the_static_coefficient),
        cmocka_unit_test(slides_by_the_kinetic_one),
        cmocka_unit_test(between_the_angles_it_depends_on_the_start),
        cmocka_unit_test(kinetic_friction_stops_a_block),
        cmocka_unit_test(ellipse_holds_up_to_its_rim),
        cmocka_unit_test(ellipse_slides_normal_to_its_rim),
        cmocka_unit_test(ratio_zero_is_a_rail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

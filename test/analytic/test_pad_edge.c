// Balls on edges of pads and on narrow ones: what bears them is what of their cap stands on a face.

#include "engine/math/elementary.h"
#include "test/support/near.h"
#include "test/support/stage.h"

static const double STEPS[] = {0.5e-3, 1e-3, 2e-3, 4e-3};
/// 3 mm of 1 MPa, free to swell.
static const double K = 1e6 / 3e-3;
static const gmc_surface_extra PAD = {.pad = 1e6 / 3e-3, .pad_shear = 0.5, .pad_edge = 3e-3};

/// Boxes along x whose tops are z = 0, each from one of these places to the next: edges of strips
/// that go on to ± 50 mm along y.
typedef struct strips {
    int count;
    double from[8], to[8];
} strips;

static void lay(gmc_stage *s, const strips *on)
{
    for (int i = 0; i < on->count; i++) {
        char name[32];
        snprintf(name, sizeof name, "strip %d", i);
        gmc_pose X = gmc_pose_identity();
        X.p = (gmc_vec3){(on->from[i] + on->to[i]) / 2, 0, -0.01};
        gmc_stage_fixed(s, name, gmc_stage_box((on->to[i] - on->from[i]) / 2, 0.05, 0.01), X);
    }
}

/// Force on strips of the parabola d = δ - (r² - e²)/(2 ρ), ρ = √(R² - e²), that has the ball's
/// depth δ and slope at their nearest place, e from under its centre: over x the slice of
/// half-width w, w² = 2 ρ δ + e² - x², bears k (2/3) w³/ρ.
static double force_on(const strips *on, double R, double e, double depth)
{
    enum { N = 4000 };
    double rho = sqrt(R * R - e * e), a2 = 2 * rho * depth + e * e, sum = 0, a = sqrt(a2);
    for (int i = 0; i < on->count; i++) {
        double from = fmax(on->from[i], -a), to = fmin(on->to[i], a), way = to - from;
        for (int n = 0; n < N && way > 0; n++) {
            double x = from + (n + 0.5) / N * way, w2 = fmax(a2 - x * x, 0);
            sum += K * 2 / 3 * w2 * sqrt(w2) / rho * way / N;
        }
    }
    return sum;
}

/// Height of the centre above the faces at which they bear it.
static double height_at(const strips *on, double R, double force)
{
    double away = INFINITY, low = 0, high = 2.4e-3;
    for (int i = 0; i < on->count; i++)
        away = fmin(away, fmax(fmax(on->from[i], -on->to[i]), 0));
    for (int n = 0; n < 60; n++) {
        double depth = (low + high) / 2;
        *(force_on(on, R, away, depth) < force ? &low : &high) = depth;
    }
    return sqrt(R * R - away * away) - low;
}

/// A ball on an upright slider, without friction, pressed on the strips until it is at rest.
static double press(const strips *on, double R, double mass, double force, double h)
{
    gmc_stage s;
    gmc_stage_open(&s, 0);
    lay(&s, on);
    gmc_shape ball = {.type = GMC_SHAPE_SPHERE, .radius = R, .scale = 1};
    gmc_stage_slider(&s, "ball", NULL, (gmc_vec3){0, 0, 1}, (gmc_vec3){0, 0, R}, ball, mass,
                     gmc_builder_default_dof(), false);
    gmc_stage_ready(&s, 64);
    gmc_stage_extra(&s, &PAD);
    s.model.gravity = (gmc_vec3){0, 0, 0};
    s.force[gmc_stage_dof(&s, "ball")] = -force;
    assert_int_equal(gmc_stage_run(&s, h, 4), GMC_OK);
    double z = gmc_stage_place(&s, "ball").z;
    gmc_stage_close(&s);
    return z;
}

/// On an edge (half of the springs), 1 to 3 mm inside and outside of it, on a strip of 2 mm, and on
/// strips with and without gaps between them. With all of its cap it had 2.1 times too much on the
/// edge and 2.7 times on the strip. The oracle's sum is good to 1e-6; at rest to 1e-9.
static void a_ball_is_borne_by_what_is_under_it(void **state)
{
    (void)state;
    const strips all[] = {{1, {-0.04}, {0}},
                          {1, {-0.04}, {1e-3}},
                          {1, {-0.04}, {3e-3}},
                          {1, {-0.04}, {-1e-3}},
                          {1, {-0.04}, {-2e-3}},
                          {1, {-1e-3}, {1e-3}},
                          {1, {-0.5e-3}, {1.5e-3}},
                          {2, {-3e-3, 1e-3}, {-1e-3, 3e-3}},
                          {3, {-4e-3, -1e-3, 1e-3}, {-1e-3, 1e-3, 2e-3}},
                          {4, {-4e-3, -2e-3, 0.5e-3, 1.5e-3}, {-2e-3, -0.5e-3, 1.5e-3, 8e-3}}};
    const double masses[] = {0.02, 0.2, 1}, radii[] = {0.01, 0.02};
    for (int i = 0; i < GMC_COUNT(all); i++)
        for (int n = 0; n < 4; n++) {
            double R = radii[n % 2], force = n < 2 ? 10 : 3;
            double z = press(&all[i], R, masses[(i + n) % 3], force, STEPS[n]);
            ASSERT_NEAR(z, height_at(&all[i], R, force), 2e-9);
        }
}

/// On the flat end of a cylinder it is a ball on a face: F = π k R δ², at its middle and off it. It
/// had the radius of a ball on the cylinder's side.
static void a_ball_on_the_end_of_a_cylinder(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++) {
        double R = i % 2 ? 0.01 : 0.025, force = i < 4 ? 10 : 3;
        gmc_stage s;
        gmc_stage_open(&s, 0.5);
        gmc_pose X = gmc_pose_identity();
        X.p = (gmc_vec3){i % 4 < 2 ? 0 : 0.004, 0, -0.01};
        gmc_shape end = {
            .type = GMC_SHAPE_CYLINDER, .radius = 0.015, .half_length = 0.01, .scale = 1};
        gmc_shape ball = {.type = GMC_SHAPE_SPHERE, .radius = R, .scale = 1};
        gmc_stage_fixed(&s, "end", end, X);
        gmc_stage_slider(&s, "ball", NULL, (gmc_vec3){0, 0, 1}, (gmc_vec3){0, 0, R}, ball, 0.1,
                         gmc_builder_default_dof(), false);
        gmc_stage_ready(&s, 64);
        gmc_stage_extra(&s, &PAD);
        s.model.gravity = (gmc_vec3){0, 0, 0};
        s.force[gmc_stage_dof(&s, "ball")] = -force;
        assert_int_equal(gmc_stage_run(&s, STEPS[i % 4], 4), GMC_OK);
        double depth = R - gmc_stage_place(&s, "ball").z;
        ASSERT_NEAR_RELATIVE(depth, sqrt(force / (GMC_PI * K * R)), 1e-8);
        gmc_stage_close(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_is_borne_by_what_is_under_it),
        cmocka_unit_test(a_ball_on_the_end_of_a_cylinder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// The bottom of a pad under what presses by formulas and under the ends of capsules: closed forms
// of a layer and, at 0.8 of its thickness, of what carries it.

#include "engine/math/elementary.h"
#include "test/support/near.h"
#include "test/support/stage.h"

static const double G = 9.81, FRICTION = 0.6;
static const double STEPS[] = {0.25e-3, 0.5e-3, 1e-3, 2e-3, 4e-3};
/// Of the bottom at its mean depth: seven points of the stage's surface [N/m].
static const double BOTTOM = 7e6;

typedef struct layer {
    double thickness, modulus;
} layer;

static const layer LAYERS[] = {{3e-3, 0.3e6}, {3e-3, 10e3}, {5e-3, 1e6}, {1e-3, 0.1e6}};
enum { LAYER_COUNT = sizeof LAYERS / sizeof *LAYERS };

static gmc_surface_extra pad_of(layer l)
{
    return (gmc_surface_extra){
        .pad = l.modulus / l.thickness, .pad_shear = 0.5, .pad_edge = l.thickness};
}

static gmc_shape round_shape(gmc_shape_type type, double radius, double half)
{
    return (gmc_shape){.type = type, .radius = radius, .half_length = half, .scale = 1};
}

// ---- forces ------------------------------------------------------------------------------------

/// What presses, and the force of its layer at a depth.
typedef enum pressing { BALL, BALL_ON_BALL, BALL_ON_EDGE, CAPSULE_END, RODS } pressing;
enum { PRESSING_COUNT = RODS + 1 };

static const double LENGTH = 0.04; ///< of rods [m]

/// Energy over k of a ball's cap on a half plane, its centre so far beside it and above it: the
/// parabola that has the ball's depth and slope at the edge (test_pad_edge.c), over slices W wide.
static double edge_energy(double R, double beside, double above)
{
    enum { N = 400 };
    double rho = sqrt(R * R - beside * beside), depth = rho - above, sum = 0;
    double a = sqrt(beside * beside + 2 * rho * depth), way = a - beside;
    for (int n = 0; n < N; n++) {
        double x = a - way * (n + 0.5) / N, w2 = (a - x) * (a + x);
        sum += 2.0 / 15 * w2 * w2 * sqrt(w2) / (rho * rho) * way / N;
    }
    return sum;
}

/// How deep the column at an edge is under a ball that comes to it at 45 degrees.
static double edge_depth(double R, double depth)
{
    double at = (R - depth) * sqrt(0.5);
    return sqrt(R * R - at * at) - at;
}

/// Over k, of such a ball, along its way.
/// @param share  out: over the whole force, which leans from there a little
static double edge_force(double R, double depth, double *share)
{
    double at = (R - depth) * sqrt(0.5), step = 1e-4 * depth;
    double down = edge_energy(R, at, at - step) - edge_energy(R, at, at + step);
    double side = edge_energy(R, at - step, at) - edge_energy(R, at + step, at);
    double along = sqrt(0.5) * (down + side);
    *share = along / sqrt(down * down + side * side);
    return along / (2 * step);
}

static double layer_force(pressing what, double k, double R, double depth)
{
    switch (what) {
    case BALL_ON_EDGE:
        return k * edge_force(R, depth, &(double){0});
    case BALL:
        return GMC_PI * k * R * depth * depth;
    case BALL_ON_BALL: // of the same radius
        return GMC_PI * k * (R / 2) * depth * depth;
    case CAPSULE_END: // the cap of a ball itself
        return GMC_PI * k * depth * depth * (R - depth / 3);
    case RODS:
        return 4.0 / 3 * k * LENGTH * sqrt(R * depth) * depth;
    }
    return 0;
}

/// Of the bottom, of what is so deep in it: the mean depth over a cap is half of that, along a line
/// two thirds.
static double bottom_force(pressing what, double below)
{
    return BOTTOM * (what == RODS ? 2.0 / 3 : 0.5) * fmax(below, 0);
}

/// The depth at which layer and bottom bear a force.
static double depth_under(double force, pressing what, layer l, double R)
{
    double low = 0, high = 2 * l.thickness;
    for (int turn = 0; turn < 60; turn++) {
        double depth = (low + high) / 2;
        double all = layer_force(what, l.modulus / l.thickness, R, depth), share = 1;
        if (what == BALL_ON_EDGE) (void)edge_force(R, depth, &share);
        double column = what == BALL_ON_EDGE ? edge_depth(R, depth) : depth;
        all += share * bottom_force(what, column - 0.8 * l.thickness);
        *(all > force ? &high : &low) = depth;
    }
    return low;
}

/// What stands below, its pad's surface at 0 along the way of what presses.
static void put_below(gmc_stage *s, pressing what, double R)
{
    const double half = 0.02;
    gmc_pose X = gmc_pose_identity();
    switch (what) {
    case BALL:
    case CAPSULE_END:
        gmc_stage_fixed(s, "pad", gmc_stage_plane(), X);
        return;
    case BALL_ON_BALL:
        X.p.z = -R;
        gmc_stage_fixed(s, "pad", round_shape(GMC_SHAPE_SPHERE, R, 0), X);
        return;
    case BALL_ON_EDGE: // of a box that stands on it
        X = gmc_pose_make(gmc_quat_from_rpy(0, GMC_PI / 4, 0), (gmc_vec3){0, 0, -half * sqrt(2)});
        gmc_stage_fixed(s, "pad", gmc_stage_box(half, half, half), X);
        return;
    case RODS:
        X.p.x = R;
        gmc_stage_fixed(s, "pad", round_shape(GMC_SHAPE_CYLINDER, R, LENGTH), X);
        return;
    }
}

/// Depth at rest of what a force presses along a slide; its pad's share of the thickness out.
static double pressed_depth(pressing what, layer l, double R, double mass, double force, double h,
                            double *press)
{
    gmc_stage s;
    gmc_surface_extra extra = pad_of(l);
    gmc_shape shape = round_shape(GMC_SHAPE_SPHERE, R, 0);
    gmc_vec3 axis = {0, 0, -1};
    double out = R;
    if (what == CAPSULE_END) shape = round_shape(GMC_SHAPE_CAPSULE, R, 0.01), out = R + 0.01;
    if (what == RODS) shape = round_shape(GMC_SHAPE_CYLINDER, R, LENGTH / 2);
    if (what == RODS) axis = (gmc_vec3){1, 0, 0};
    gmc_stage_open(&s, what == BALL_ON_EDGE ? 0 : FRICTION); // its normal leans from the way
    put_below(&s, what, R);
    gmc_stage_slider(&s, "body", NULL, axis, gmc_vec3_scale(-out, axis), shape, mass,
                     gmc_builder_default_dof(), false);
    gmc_stage_ready(&s, 32);
    gmc_stage_extra(&s, &extra);
    s.model.gravity = (gmc_vec3){0, 0, 0};
    for (int i = 1; i <= 20; i++) {
        s.force[0] = force * i / 20;
        assert_int_equal(gmc_stage_run(&s, h, 0.02), GMC_OK);
    }
    assert_int_equal(gmc_stage_run(&s, h, 4.0), GMC_OK);
    *press = s.last.pad_press;
    double depth = s.world.state.q[0];
    gmc_stage_close(&s);
    return depth;
}

/// What bears is the layer and, from 0.8 of its thickness on, the bottom: from forces that do not
/// reach it to 900 N, at any mass, size, pad and step.
static void bottom_bears_what_the_layer_does_not(void **state)
{
    (void)state;
    const double forces[] = {2, 20, 200, 900}, radii[] = {8e-3, 20e-3, 30e-3};
    const double masses[] = {0.02, 0.5, 5};
    double worst = 0, deepest = 0;
    int at_bottom = 0, count = 0;
    for (int i = 0; i < PRESSING_COUNT * LAYER_COUNT * GMC_COUNT(forces); i++) {
        pressing what = (pressing)(i % PRESSING_COUNT);
        int j = i / PRESSING_COUNT;
        layer l = LAYERS[j % LAYER_COUNT];
        double force = forces[j / LAYER_COUNT], R = radii[(i + j) % 3], mass = masses[i % 3], press;
        double right = depth_under(force, what, l, R);
        double depth = pressed_depth(what, l, R, mass, force, STEPS[(i + j) % 5], &press);
        worst = fmax(worst, fabs(depth - right) / right);
        deepest = fmax(deepest, depth / l.thickness);
        at_bottom += right > 0.8 * l.thickness;
        count++;
        // a patch's region is never shallower than 1e-3 of the layer, and seven points have the
        // mean depth of a cap to 1.1 %; the others end at the solver's residual
        double below = fmax(right - 0.8 * l.thickness, 0);
        double tolerance = what == CAPSULE_END ? 1e-3 * l.thickness + 0.015 * below : 1e-7 * right;
        if (what == BALL_ON_EDGE) tolerance = 5e-6 * right; // of the sum and its differences
        ASSERT_NEAR(depth, right, tolerance);
        double column = what == BALL_ON_EDGE ? edge_depth(R, depth) : depth;
        ASSERT_NEAR_RELATIVE(press, column / l.thickness, 1e-9);
    }
    print_message("%d of %d at the bottom; off by %.1e, deepest %.3f of the thickness\n", at_bottom,
                  count, worst, deepest);
    assert_true(at_bottom > count / 3);
    assert_true(deepest < 1.06); // 1 mm of foam under 900 N: 0.26 mm in a bottom of 3.5 N/um
}

// ---- two layers --------------------------------------------------------------------------------

/// What layer i of two gives under a pressure: E/t until 0.8 of it, and no more.
static double given(layer l, double pressure)
{
    return fmin(pressure / l.modulus, GMC_PAD_CORE) * l.thickness;
}

/// Two pads on each other as the law of their pair has them.
static gmc_surface_extra stack_of(const layer l[2])
{
    double c[2] = {l[0].thickness / l[0].modulus, l[1].thickness / l[1].modulus};
    int soft = l[1].modulus < l[0].modulus;
    double k = 1 / (c[0] + c[1]);
    return (gmc_surface_extra){.pad = k,
                               .pad_shear = 0.5,
                               .pad_edge = l[0].thickness + l[1].thickness,
                               .pad_soft = l[soft].thickness / (c[soft] * k),
                               .pad_firm = 1 / c[!soft] - k,
                               .pad_firm_at = GMC_PAD_CORE * l[soft].modulus / k};
}

/// A face on two layers gives what each of them gives under its pressure; a ball sinks in until the
/// columns under it bear the force, each on its own two layers. The softer one is at its bottom
/// first, and pad_press is its.
static void soft_one_of_two_is_at_its_bottom_first(void **state)
{
    (void)state;
    const layer pairs[][2] = {{{3e-3, 1e6}, {5e-3, 0.1e6}},
                              {{5e-3, 20e3}, {2e-3, 60e3}},
                              {{4e-3, 0.2e6}, {1e-3, 0.15e6}}};
    const double shares[] = {0.3, 0.75, 0.9, 1.6}; // of what brings the softer one there
    const double a = 0.02, b = 0.01, R = 0.02;
    int firm = 0;
    for (int i = 0; i < 24; i++) {
        const layer *two = pairs[i % 3];
        bool is_ball = i >= 12;
        gmc_surface_extra extra = stack_of(two);
        int soft = two[1].modulus < two[0].modulus;
        double pressure = shares[i / 3 % 4] * two[soft].modulus;
        pressure = fmin(pressure, 0.75 * two[!soft].modulus);
        double right = given(two[0], pressure) + given(two[1], pressure), force = 0;
        if (is_ball) { // of the parabola: dA = 2 pi R d(depth)
            enum { N = 20000 };
            double at = right, k = extra.pad, more = fmax(at - extra.pad_firm_at, 0);
            for (int j = 0; j < N; j++) { // the pressure at which the two give so much
                double depth = at * (j + 0.5) / N, low = 0, high = 2 * pressure;
                for (int turn = 0; turn < 50; turn++) {
                    double p = (low + high) / 2;
                    *(given(two[0], p) + given(two[1], p) > depth ? &high : &low) = p;
                }
                force += low * 2 * GMC_PI * R * at / N;
            }
            ASSERT_NEAR_RELATIVE(GMC_PI * R * (k * at * at + extra.pad_firm * more * more), force,
                                 1e-6);
        } else {
            force = pressure * 4 * a * b;
        }
        gmc_stage s;
        gmc_stage_open(&s, FRICTION);
        gmc_stage_fixed(&s, "pad", gmc_stage_plane(), gmc_pose_identity());
        gmc_shape shape = is_ball ? round_shape(GMC_SHAPE_SPHERE, R, 0) : gmc_stage_box(a, b, R);
        gmc_stage_slider(&s, "body", NULL, (gmc_vec3){0, 0, -1}, (gmc_vec3){0, 0, R}, shape, 0.3,
                         gmc_builder_default_dof(), false);
        gmc_stage_ready(&s, 32);
        gmc_stage_extra(&s, &extra);
        s.model.gravity = (gmc_vec3){0, 0, 0};
        double h = STEPS[i % 5];
        for (int j = 1; j <= 20; j++) {
            s.force[0] = force * j / 20;
            assert_int_equal(gmc_stage_run(&s, h, 0.02), GMC_OK);
        }
        assert_int_equal(gmc_stage_run(&s, h, 4.0), GMC_OK);
        double depth = s.world.state.q[0];
        ASSERT_NEAR_RELATIVE(depth, right, is_ball ? 1e-6 : 1e-7); // columns of the sum; residual
        double share = given(two[soft], pressure) / two[soft].thickness;
        bool is_firm = right > extra.pad_firm_at;
        firm += is_firm;
        // the bottom of the soft one gives a little under what it bears
        ASSERT_NEAR(s.last.pad_press, share, is_firm ? 0.02 : 1e-6);
        assert_true(is_firm == (s.last.pad_press > GMC_PAD_CORE));
        gmc_stage_close(&s);
    }
    print_message("%d of 24 with one of two layers at its bottom\n", firm);
    assert_true(firm >= 8);
}

// ---- twist -------------------------------------------------------------------------------------

/// Layer and bottom of a ball bear each mu times its force times 8/15 of the radius of its cap.
static void ball_at_the_bottom_resists_twist(void **state)
{
    (void)state;
    const double masses[] = {5, 20, 80}, R = 0.02;
    for (int i = 0; i < 6; i++) {
        layer l = LAYERS[i % 3];
        double mass = masses[i / 2], h = STEPS[(i + i / 2) % 5], weight = mass * G;
        double depth = depth_under(weight, BALL, l, R), below = fmax(depth - 0.8 * l.thickness, 0);
        double bottom = bottom_force(BALL, below), mean = 8.0 / 15 * FRICTION;
        double limit =
            mean * ((weight - bottom) * sqrt(2 * R * depth) + bottom * sqrt(2 * R * below));
        gmc_stage s;
        gmc_surface_extra extra = pad_of(l);
        gmc_stage_open(&s, FRICTION);
        gmc_stage_fixed(&s, "pad", gmc_stage_plane(), gmc_pose_identity());
        gmc_stage_free(&s, "body", round_shape(GMC_SHAPE_SPHERE, R, 0), mass, (gmc_vec3){0, 0, R});
        gmc_stage_ready(&s, 32);
        gmc_stage_extra(&s, &extra);
        assert_int_equal(gmc_stage_run(&s, h, 2.0), GMC_OK);
        for (int k = 1; k <= 400; k++) { // slowly: no overshoot
            s.force[gmc_stage_dof(&s, "body") + 5] = (i % 2 ? 1.02 : 0.98) * limit * k / 400;
            assert_int_equal(gmc_stage_run(&s, h, 0.02), GMC_OK);
        }
        assert_int_equal(gmc_stage_run(&s, h, 3.0), GMC_OK);
        double spin = s.world.kin.V[gmc_stage_body(&s, "body")].w.z;
        print_message("%g kg, %g mm of %g MPa, %.2f of the limit: %.1e rad/s\n", mass,
                      1e3 * l.thickness, 1e-6 * l.modulus, i % 2 ? 1.02 : 0.98, spin);
        assert_true(i % 2 ? spin > 0.01 : fabs(spin) < 1e-6);
        gmc_stage_close(&s);
    }
}

// ---- blows -------------------------------------------------------------------------------------

/// A ball that falls on a thin pad reaches its bottom and is not thrown back by it, at any step.
static void ball_that_falls_to_the_bottom_stays(void **state)
{
    (void)state;
    const double masses[] = {0.02, 0.5, 5}, radii[] = {8e-3, 30e-3};
    double deepest = 0, highest = 0;
    for (int i = 0; i < 6 * GMC_COUNT(STEPS); i++) {
        double h = STEPS[i % 5], mass = masses[i / 5 % 3], R = radii[i / 15];
        layer l = LAYERS[1];
        gmc_stage s;
        gmc_surface_extra extra = pad_of(l);
        gmc_stage_open(&s, FRICTION);
        gmc_stage_fixed(&s, "pad", gmc_stage_plane(), gmc_pose_identity());
        gmc_stage_free(&s, "body", round_shape(GMC_SHAPE_SPHERE, R, 0), mass,
                       (gmc_vec3){0, 0, R + 0.1});
        gmc_stage_ready(&s, 32);
        gmc_stage_extra(&s, &extra);
        double rebound = 0, depth = 0;
        bool is_down = false;
        for (double t = 0; t < 1; t += h) {
            assert_int_equal(gmc_stage_step(&s, h), GMC_OK);
            double z = gmc_stage_place(&s, "body").z - R;
            depth = fmax(depth, -z);
            is_down = is_down || z < -0.5 * l.thickness;
            if (is_down) rebound = fmax(rebound, z);
        }
        deepest = fmax(deepest, depth / l.thickness);
        highest = fmax(highest, rebound);
        gmc_stage_close(&s);
    }
    print_message("deepest %.3f of the thickness, rebound %.2g mm\n", deepest, 1e3 * highest);
    // 5 kg at 1.4 m/s, stopped by 3.5 N/um and three times its critical damping; without damping
    // it would go 1.7 mm in, 1.4 of the thickness
    assert_true(deepest < 0.9);
    assert_true(highest == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bottom_bears_what_the_layer_does_not),
        cmocka_unit_test(soft_one_of_two_is_at_its_bottom_first),
        cmocka_unit_test(ball_at_the_bottom_resists_twist),
        cmocka_unit_test(ball_that_falls_to_the_bottom_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

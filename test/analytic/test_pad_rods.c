// Cylinders and capsules on pads against the bed of springs itself.

#include "engine/math/elementary.h"
#include "engine/model/inertia.h"
#include "test/support/near.h"
#include "test/support/stage.h"

static const double G = 9.81, FRICTION = 0.6;
static const double STEPS[] = {0.5e-3, 1e-3, 2e-3, 4e-3};
static const double K = 1e6 / 3e-3;
static const gmc_surface_extra PAD = {.pad = 1e6 / 3e-3, .pad_shear = 0.5, .pad_edge = 3e-3};

static gmc_shape rod(gmc_shape_type type, double radius, double half)
{
    return (gmc_shape){.type = type, .radius = radius, .half_length = half, .scale = 1};
}

/// A rod at `place`, turned, on what stage_open and fixed geoms have made; at rest.
static void put(gmc_stage *s, gmc_shape shape, gmc_quat turn, gmc_vec3 place, double mass,
                const gmc_surface_extra *extra)
{
    gmc_stage_free(s, "body", shape, mass, place);
    gmc_stage_ready(s, 256);
    gmc_stage_extra(s, extra);
    double *q = s->world.state.q + s->model.bodies[gmc_stage_body(s, "body")].q;
    q[3] = turn.w, q[4] = turn.x, q[5] = turn.y, q[6] = turn.z;
    gmc_kinematics_update(&s->model, s->world.state.q, s->world.state.v, &s->world.kin);
}

static void on_a_plane(gmc_stage *s, double friction)
{
    gmc_stage_open(s, friction);
    gmc_stage_fixed(s, "pad", gmc_stage_plane(), gmc_pose_identity());
}

static gmc_quat lying(double yaw) { return gmc_quat_from_rpy(0, GMC_PI / 2, yaw); }

static double fastest_of(const gmc_stage *s)
{
    const gmc_twist *V = &s->world.kin.V[gmc_stage_body(s, "body")];
    return fmax(gmc_vec3_norm(V->w), gmc_vec3_norm(gmc_stage_velocity(s, "body")));
}

static const gmc_mat3 *turn_of(const gmc_stage *s)
{
    return &s->world.kin.X_wb[gmc_stage_body(s, "body")].R;
}

// ---- tipping
// -------------------------------------------------------------------------------------

/// ∫ (u - u0) and (u - u0) u over the disc beyond u0, of radius 1.
static void beyond(double u0, double *force, double *moment)
{
    enum { N = 200 };
    *force = *moment = 0;
    double from = gmc_asin(fmax(u0, -1));
    for (int i = 0; i < N; i++) { // u = sin: smooth at the rim
        double angle = from + (GMC_PI / 2 - from) * (i + 0.5) / N, u = gmc_sin(angle);
        double c = gmc_cos(angle), w = 2 * c * c * (GMC_PI / 2 - from) / N;
        *force += w * (u - u0);
        *moment += w * (u - u0) * u;
    }
}

/// Largest slope on which a cylinder stands on a bed of springs, its centre c above it: the largest
/// for which some tilt has equilibrium. Over the end, u towards its lowest point, the depth is
/// (u - u0) sin φ; N = m g cos θ, and friction acts in the pad's plane:
///   tan θ = (u_N cos φ - c sin φ) / (u0 sin φ + c cos φ)
static double tipping_slope(double k, double mass, double R, double c)
{
    double best = 0;
    for (int i = 0; i < 400; i++) {
        // ever narrower strips: 1 - u0 from 2 to 1e-5
        double u0 = 1 - 2 * gmc_exp(-0.03 * i), force, moment, slope = 0.3;
        beyond(u0, &force, &moment);
        for (int turn = 0; turn < 20; turn++) {
            // N = k R³ sin φ cos φ force
            double sine2 = 2 * mass * G * gmc_cos(slope) / (k * R * R * R * force);
            if (!(sine2 < 1)) break;
            double tilt = gmc_asin(sine2) / 2, s = gmc_sin(tilt), co = gmc_cos(tilt);
            slope = gmc_atan2(R * moment / force * co - c * s, R * u0 * s + c * co);
            if (turn == 19) best = fmax(best, slope);
        }
    }
    return best;
}

/// Within 0.1 degree of the bed's own slope a cylinder stands or falls, in any direction, at any
/// size, mass, pad and step.
static void cylinder_tips_as_the_bed_says(void **state)
{
    (void)state;
    const double E[] = {2e6, 10e6, 100e6}, T[] = {5e-3, 2e-3, 1e-3}, degree = GMC_PI / 180;
    const double radii[] = {0.015, 0.02, 0.035}, heights[] = {0.05, 0.05, 0.08};
    const double masses[] = {0.1, 0.4, 1};
    for (int i = 0; i < 18; i++) {
        int pad = i % 3, size = i / 3 % 3;
        bool tips = i % 2;
        double R = radii[size], c = heights[size], mass = masses[(size + i / 9) % 3];
        double h = STEPS[(i + i / 4) % 4], k = E[pad] / T[pad];
        double angle = tipping_slope(k, mass, R, c), rigid = gmc_atan2(R, c);
        gmc_surface_extra extra = {.pad = k, .pad_shear = 0.5, .pad_edge = T[pad]};
        assert_true(angle < rigid);
        assert_true(angle > 0.5 * rigid);
        if (i < 3)
            print_message("%g MPa, %g mm: %.2f deg of %.2f\n", E[pad] / 1e6, 1e3 * T[pad],
                          angle / degree, rigid / degree);
        double at = angle + (tips ? 0.1 : -0.1) * degree;
        gmc_stage s;
        on_a_plane(&s, 1.2);
        put(&s, rod(GMC_SHAPE_CYLINDER, R, c), gmc_quat_identity(), (gmc_vec3){0, 0, c}, mass,
            &extra);
        for (int j = 0; j <= 100; j++) { // slowly: the tilt follows
            double now = at * j / 100, along = 0.3 * i;
            s.model.gravity = (gmc_vec3){G * gmc_sin(now) * gmc_cos(along),
                                         G * gmc_sin(now) * gmc_sin(along), -G * gmc_cos(now)};
            assert_int_equal(gmc_stage_run(&s, h, 0.02), GMC_OK);
        }
        assert_int_equal(gmc_stage_run(&s, h, 4.0), GMC_OK);
        double up = turn_of(&s)->m[8];
        assert_true(tips ? up < 0.9 : up > 0.99);
        gmc_stage_close(&s);
    }
}

// ---- twist
// ---------------------------------------------------------------------------------------

/// Mean radius of the pressure under a rod on its side: columns of the bed, summed.
/// @param depth_of  out: how deep it sinks in [m]
static double mean_radius(gmc_shape shape, double mass, double *depth_of)
{
    enum { N = 200 };
    double R = shape.radius, half = shape.half_length, ends = shape.type == GMC_SHAPE_CAPSULE;
    double low = 0, high = 0.5 * R, mean = 0;
    for (int turn = 0; turn < 25; turn++) {
        double depth = (low + high) / 2, force = 0, moment = 0;
        double wide = sqrt(2 * R * depth), tall = half + ends * wide,
               cell = 4 * wide * tall / N / N;
        for (int i = 0; i < N * N; i++) {
            double x = wide * (2 * (i % N + 0.5) / N - 1), y = tall * (2 * (i / N + 0.5) / N - 1);
            double beyond_end = fmax(fabs(y) - half, 0);
            double d = sqrt(R * R - x * x - beyond_end * beyond_end) - R + depth;
            if (!(d > 0)) continue;
            force += K * d * cell;
            moment += K * d * cell * sqrt(x * x + y * y);
        }
        *(force > mass * G ? &high : &low) = depth;
        mean = moment / force;
        *depth_of = depth;
    }
    return mean;
}

/// 3 % below the limit about the normal it sticks, 3 % above it spins.
static void twist(gmc_shape shape, gmc_quat turn, double height, double mass, double mean, double h)
{
    double limit = FRICTION * mass * G * mean;
    for (int i = 0; i < 2; i++) {
        gmc_stage s;
        on_a_plane(&s, FRICTION);
        put(&s, shape, turn, (gmc_vec3){0, 0, height}, mass, &PAD);
        assert_int_equal(gmc_stage_run(&s, h, 4.0), GMC_OK);
        int steps = (int)(2 / h);
        for (int k = 1; k <= steps; k++) { // slowly: no overshoot
            s.force[gmc_stage_dof(&s, "body") + 5] = (i % 2 ? 1.03 : 0.97) * limit * k / steps;
            assert_int_equal(gmc_stage_step(&s, h), GMC_OK);
        }
        assert_int_equal(gmc_stage_run(&s, h, 3.0), GMC_OK);
        double spin = s.world.kin.V[gmc_stage_body(&s, "body")].w.z;
        assert_true(i % 2 ? spin > 0.1 : fabs(spin) < 1e-6);
        gmc_stage_close(&s);
    }
}

static void rods_slip_in_twist(void **state)
{
    (void)state;
    const double masses[] = {0.02, 0.3, 3};
    for (int i = 0; i < 6; i++) {
        double R = i % 2 ? 0.012 : 0.03, L = 0.03, mass = masses[i / 2], h = STEPS[i % 4], sunk;
        gmc_shape cylinder = rod(GMC_SHAPE_CYLINDER, 0.01, L);
        gmc_shape capsule = rod(GMC_SHAPE_CAPSULE, 0.01, L),
                  end = rod(GMC_SHAPE_CAPSULE, 0.01, 1e-9);
        double mean[] = {mean_radius(cylinder, mass, &sunk), mean_radius(capsule, mass, &sunk),
                         mean_radius(end, mass, &sunk)};
        double a = sqrt(2 * 0.01 * sqrt(mass * G / (GMC_PI * K * 0.01)));
        // a line L/4 a side of it; a ball's cap 8/15 of its radius, of a parabola
        assert_true(fabs(mean[0] / L - 0.5) < 0.005);
        assert_true(fabs(mean[2] / a * 15 / 8 - 1) < 0.03);
        twist(rod(GMC_SHAPE_CYLINDER, R, 0.01), gmc_quat_identity(), 0.01, mass, 2 * R / 3, h);
        twist(cylinder, lying(0.2 * i), 0.01, mass, mean[0], h);
        twist(capsule, lying(0.2 * i), 0.01, mass, mean[1], h);
        twist(end, gmc_quat_identity(), 0.01, mass, mean[2], h);
    }
}

/// Depth of a rod on its side and of a cylinder on its end, against columns of the bed.
static void rods_sink_in_as_the_bed_says(void **state)
{
    (void)state;
    const double masses[] = {0.02, 0.3, 3};
    for (int i = 0; i < 12; i++) {
        double mass = masses[i % 3], R = i % 2 ? 0.004 : 0.015, depth = 0, height = R;
        gmc_shape shape = rod(i < 8 ? GMC_SHAPE_CYLINDER : GMC_SHAPE_CAPSULE, R, 0.02);
        gmc_quat turn = lying(0.3 * i);
        if (i < 4) {
            turn = gmc_quat_identity();
            height = shape.half_length;
            depth = mass * G / (K * GMC_PI * R * R);
            if (depth > 0.5 * PAD.pad_edge) continue;
        } else {
            (void)mean_radius(shape, mass, &depth);
        }
        gmc_stage s;
        on_a_plane(&s, FRICTION);
        put(&s, shape, turn, (gmc_vec3){0, 0, height}, mass, &PAD);
        assert_int_equal(gmc_stage_run(&s, STEPS[i % 4], 8.0), GMC_OK);
        // the rule's share, and 200 columns across
        ASSERT_NEAR_RELATIVE(height - gmc_stage_place(&s, "body").z, depth, i < 4 ? 1e-9 : 2e-3);
        gmc_stage_close(&s);
    }
}

// ---- edges and seams
// ------------------------------------------------------------------------------

/// Boxes of 100 mm with their tops at z = 0, side by side along x.
static void on_boxes(gmc_stage *s, int count, double first)
{
    gmc_stage_open(s, FRICTION);
    for (int i = 0; i < count; i++) {
        char name[2] = {(char)('a' + i), 0};
        gmc_pose X = gmc_pose_identity();
        X.p = (gmc_vec3){first + 0.1 * i, 0, -0.05};
        gmc_stage_fixed(s, name, gmc_stage_box(0.05, 0.05, 0.05), X);
    }
}

/// Over an edge by a part of its end it tilts towards the outside: k ∫ d = m g, k ∫ d u = m g c φ,
/// d = d0 + φ u over what is on the pad.
static void lapping_tilts_outwards(void **state)
{
    (void)state;
    const double masses[] = {0.02, 0.2, 1}, R = 0.02, c = 0.015;
    for (int i = 0; i < 8; i++) {
        double mass = masses[i % 3], edge = (i < 4 ? 0.5 : 0.8) * R, h = STEPS[i % 4];
        double area = 0, x = 0, xx = 0;
        for (int j = 0; j < 4000; j++) {
            double u = -R + (R + edge) * (j + 0.5) / 4000;
            double w = 2 * sqrt(R * R - u * u) * (R + edge) / 4000;
            area += w, x += w * u, xx += w * u * u;
        }
        // (k area, k x; k x, k xx - m g c) (d0, φ) = (m g, 0)
        double det = K * area * (K * xx - mass * G * c) - K * x * K * x;
        double tilt = -mass * G * K * x / det;
        gmc_stage s;
        on_boxes(&s, 1, -0.05 + edge);
        put(&s, rod(GMC_SHAPE_CYLINDER, R, c), gmc_quat_identity(), (gmc_vec3){0, 0, c}, mass,
            &PAD);
        assert_int_equal(gmc_stage_run(&s, h, 5.0), GMC_OK);
        double found = turn_of(&s)->m[2];        // of its axis, outwards
        ASSERT_NEAR_RELATIVE(found, tilt, 1e-3); // squares of the tilt, the sum
        ASSERT_BELOW(fastest_of(&s), 1e-6);
        gmc_stage_close(&s);
    }
}

/// On a seam of two pads, across it, askew to it and along it, rods are as deep as on one, and
/// rest.
static void seam_is_none(void **state)
{
    (void)state;
    const double masses[] = {0.02, 0.2, 1}, yaws[] = {0, 0.6, 1.4, 1.6, GMC_PI / 2};
    for (int i = 0; i < 14; i++) {
        double depth[2], h = STEPS[1 + (i + i / 3) % 3], mass = masses[i % 3];
        gmc_shape shape = rod(i < 9 ? GMC_SHAPE_CYLINDER : GMC_SHAPE_CAPSULE, 0.01, 0.02);
        bool lies = i >= 4;
        gmc_quat turn = lies ? lying(yaws[i % 5]) : gmc_quat_identity();
        double height = lies ? 0.01 : 0.02;
        for (int k = 0; k < 2; k++) {
            gmc_stage s;
            on_boxes(&s, k + 1, k == 0 ? 0 : -0.05);
            put(&s, shape, turn, (gmc_vec3){0.001, 0, height}, mass, &PAD);
            assert_int_equal(gmc_stage_run(&s, h, 6.0), GMC_OK);
            depth[k] = height - gmc_stage_place(&s, "body").z;
            ASSERT_BELOW(gmc_vec3_norm(gmc_stage_velocity(&s, "body")), 1e-6);
            gmc_stage_close(&s);
        }
        ASSERT_NEAR_RELATIVE(depth[1], depth[0], 1e-3);
    }
}

/// How far a rod along x rolls down a slope along y in half a second, on so many plates that lie
/// flush under it.
static double rolled(int plates, double radius, double mass, double k, double h)
{
    const gmc_surface_extra soft = {.pad = k, .pad_shear = 0.5, .pad_edge = 3e-3};
    const double whole = 0.1, width = whole / plates, slope = 0.15;
    gmc_stage s;
    gmc_stage_open(&s, FRICTION);
    for (int i = 0; i < plates; i++) {
        char name[16];
        gmc_pose X = gmc_pose_identity();
        snprintf(name, sizeof name, "plate%d", i);
        X.p = (gmc_vec3){(i + 0.5) * width - 0.5 * whole, 0, -0.05};
        gmc_stage_fixed(&s, name, gmc_stage_box(0.5 * width, 0.2, 0.05), X);
    }
    put(&s, rod(GMC_SHAPE_CYLINDER, radius, 0.04), lying(0), (gmc_vec3){-0.0013, 0, radius}, mass,
        &soft);
    s.model.gravity = (gmc_vec3){0, -G * sin(slope), -G * cos(slope)};
    assert_int_equal(gmc_stage_run(&s, h, 0.5), GMC_OK);
    double way = fabs(gmc_stage_place(&s, "body").y);
    gmc_stage_close(&s);
    return way;
}

/// Plates that lie flush brake what rolls on them as one does. What is left is where the points of
/// their regions are: 5 % on ten plates of 0.1 MPa; before the plates settled together it was
/// 130 %.
static void rods_roll_over_seams_as_on_one(void **state)
{
    (void)state;
    static const struct {
        double radius, mass, modulus;
    } RODS[] = {{0.004, 0.05, 1e5}, {0.01, 0.3, 1e6}, {0.02, 3, 1e5}, {0.02, 0.05, 1e6}};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 2; k++) {
            double h = k == 0 ? 1e-3 : 2e-3, stiffness = RODS[i].modulus / 3e-3;
            double one = rolled(1, RODS[i].radius, RODS[i].mass, stiffness, h);
            double two = rolled(2, RODS[i].radius, RODS[i].mass, stiffness, h);
            double ten = rolled(10, RODS[i].radius, RODS[i].mass, stiffness, h);
            printf("rod %g mm, %g kg, %g MPa, step %g ms: %.2f mm on one plate, %.2f on two, %.2f "
                   "on ten\n",
                   1e3 * RODS[i].radius, RODS[i].mass, RODS[i].modulus / 1e6, 1e3 * h, 1e3 * one,
                   1e3 * two, 1e3 * ten);
            ASSERT_NEAR_RELATIVE(two, one, 0.06);
            ASSERT_NEAR_RELATIVE(ten, one, 0.06);
        }
}

/// Kinetic energy and that of the weight.
static double energy_of(const gmc_stage *s, gmc_shape shape, double mass)
{
    double R = shape.radius, half = shape.half_length;
    const gmc_vec3 v = gmc_stage_velocity(s, "body");
    const gmc_twist *V = &s->world.kin.V[gmc_stage_body(s, "body")];
    double spin = gmc_vec3_dot(V->w, gmc_mat3_column(turn_of(s), 2));
    double across2 = gmc_vec3_dot(V->w, V->w) - spin * spin;
    // of a cylinder; a capsule has more
    double I = mass * R * R / 2, I_across = mass * (R * R / 4 + half * half / 3);
    return (mass * gmc_vec3_dot(v, v) + I * spin * spin + I_across * across2) / 2 +
           mass * G * gmc_stage_place(s, "body").z;
}

/// Rods that lie askew over the edge of a pad, their middle outside, tip and fall, and gain
/// nothing. Where they leave the pad its region is a sliver far from the ground's origin, whose
/// second moments are rounding: its points were metres deep once, and threw a rod of 100 g at 1300
/// m/s. A change of the ground may give 1 % of what the rod falls by its radius.
static void tipping_rods_are_not_thrown(void **state)
{
    (void)state;
    const double masses[] = {0.02, 0.1, 2}, yaws[] = {0, 0.3, 0.7}, out[] = {0.001, 0.005, 0.01};
    for (int i = 0; i < 36; i++) {
        gmc_shape shape = rod(i % 2 ? GMC_SHAPE_CYLINDER : GMC_SHAPE_CAPSULE, 0.01, 0.03);
        double mass = masses[i % 3], h = STEPS[i / 3 % 4], most = -INFINITY;
        gmc_pose X = {gmc_mat3_identity(), {-0.1, 0, -0.01}};
        gmc_stage s;
        gmc_stage_open(&s, 0.7);
        gmc_stage_fixed(&s, "pad", gmc_stage_box(0.1, 0.1, 0.01), X);
        put(&s, shape, lying(yaws[i / 12]), (gmc_vec3){out[i / 2 % 3], 0, shape.radius}, mass,
            &PAD);
        double start = energy_of(&s, shape, mass);
        for (int k = 0; k < (int)(0.6 / h); k++) {
            assert_int_equal(gmc_stage_step(&s, h), GMC_OK);
            most = fmax(most, energy_of(&s, shape, mass));
        }
        assert_true(gmc_stage_place(&s, "body").z < -0.05); // it fell
        if (!(most - start <= 0.01 * mass * G * shape.radius))
            fail_msg("%s, %g kg, %g ms: %.3g J of %.3g J", i % 2 ? "cylinder" : "capsule", mass,
                     1e3 * h, most - start, mass * G * shape.radius);
        gmc_stage_close(&s);
    }
}

/// Rods that start across the edge of a pad, in it and weightless, come out and stay there. With a
/// sliver between the slices of the rule the pair had no points for a step, forgot how far it was
/// sunk, and threw a rod of 5 g at 0.2 m/s.
static void rods_across_an_edge_come_out_without_speed(void **state)
{
    (void)state;
    const double masses[] = {0.005, 0.1, 2}, depths[] = {0.3e-3, 1e-3, 1.5e-3};
    double worst = 0;
    for (int i = 0; i < 72; i++) {
        gmc_shape shape = rod(i % 2 ? GMC_SHAPE_CYLINDER : GMC_SHAPE_CAPSULE, 0.01, 0.03);
        double mass = masses[i / 2 % 3], h = STEPS[i / 6 % 4], depth = depths[i / 24];
        double yaw = 0.15 * (i % 5), x = 0.004 * (i % 4) - 0.002;
        gmc_pose X = {gmc_mat3_identity(), {-0.1, 0, -0.01}};
        gmc_stage s;
        gmc_stage_open(&s, 0.5);
        gmc_builder_gravity(s.builder, (gmc_vec3){0, 0, 0});
        gmc_stage_fixed(&s, "pad", gmc_stage_box(0.1, 0.1, 0.01), X);
        put(&s, shape, lying(yaw), (gmc_vec3){x, 0, shape.radius - depth}, mass, &PAD);
        for (int k = 0; k < (int)(0.5 / h); k++) {
            s.options.is_start = k == 0;
            assert_int_equal(gmc_stage_step(&s, h), GMC_OK);
        }
        worst = fmax(worst, gmc_vec3_norm(gmc_stage_velocity(&s, "body")));
        gmc_stage_close(&s);
    }
    print_message("rods that start across an edge: %.1e m/s\n", worst);
    ASSERT_BELOW(worst, 1e-3); // 2 % of what a start may have (50 mm/s)
}

// ---- rest
// -----------------------------------------------------------------------------------------

/// Rods let go askew above a pad end on it, upright or on their side.
static void askew_rods_come_to_rest(void **state)
{
    (void)state;
    const double leans[] = {0.05, 0.2, 0.9, 1.3, 1.55}, masses[] = {0.02, 0.3, 5};
    for (int i = 0; i < 30; i++) {
        gmc_stage s;
        gmc_shape shape = rod(i < 15 ? GMC_SHAPE_CYLINDER : GMC_SHAPE_CAPSULE, 0.02, 0.03);
        double lean = leans[i % 5], h = STEPS[i % 4], mass = masses[i / 5 % 3];
        on_a_plane(&s, 0.4);
        put(&s, shape, gmc_quat_from_rpy(lean, 0.01 * (i % 3), 0.7 * i), (gmc_vec3){0, 0, 0.06},
            mass, &PAD);
        assert_int_equal(gmc_stage_run(&s, h, 10.0), GMC_OK);
        bool stands = i < 15 && lean < 0.5;
        ASSERT_NEAR(turn_of(&s)->m[8], stands ? 1 : 0, 1e-6);
        ASSERT_BELOW(fastest_of(&s), 1e-6);
        assert_true(s.max_penetration <= PAD.pad_edge);
        gmc_stage_close(&s);
    }
}

/// One can on another: the smaller end is what is pressed, beside the middle of the larger one as
/// well.
static void can_on_a_can(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++) {
        gmc_stage s;
        double R = 0.012, mass = i % 2 ? 0.05 : 0.5, off = i < 4 ? 0 : 0.01;
        gmc_stage_open(&s, FRICTION);
        gmc_pose X = gmc_pose_identity();
        X.p.z = -0.03;
        gmc_stage_fixed(&s, "pad", rod(GMC_SHAPE_CYLINDER, 0.03, 0.03), X);
        put(&s, rod(GMC_SHAPE_CYLINDER, R, 0.02), gmc_quat_identity(), (gmc_vec3){off, 0, 0.02},
            mass, &PAD);
        assert_int_equal(gmc_stage_run(&s, STEPS[i % 4], 8.0), GMC_OK);
        ASSERT_NEAR_RELATIVE(0.02 - gmc_stage_place(&s, "body").z, mass * G / (K * GMC_PI * R * R),
                             1e-9);
        ASSERT_BELOW(fastest_of(&s), 1e-6);
        gmc_stage_close(&s);
    }
}

// ---- on each other ------------------------------------------------------------------------------

/// Volume that a rod along x overlaps one below it that is turned by an angle, counted column by
/// column: the lowest of the one is `deep` below the highest of the other.
/// @param balls  at the upper one's ends: their radius, 0: none
static double crossed_volume(const double radius[2], const double half[2], double balls,
                             double angle, double deep)
{
    enum { N = 300 };
    double c = gmc_cos(angle), s = gmc_sin(angle), sum = 0;
    double wide = 1.05 * sqrt(2 * radius[0] * deep), end = half[0] + balls, cell_x = 2 * end / N,
           cell_y = 2 * wide / N;
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++) {
            double x = (i + 0.5) * cell_x - end, y = (k + 0.5) * cell_y - wide;
            double across = c * y - s * x, along = c * x + s * y;
            double beyond = fmax(fabs(x) - half[0], 0);
            double over = radius[0] * radius[0] - y * y - beyond * beyond;
            double under = radius[1] * radius[1] - across * across;
            if (!(over > 0) || !(under > 0) || fabs(along) > half[1]) continue;
            double depth = deep - (radius[0] - sqrt(over)) - (radius[1] - sqrt(under));
            sum += fmax(depth, 0) * cell_x * cell_y;
        }
    return sum;
}

/// A rod pressed on a padded rod at any angle sinks in as the bed says. At 0.1 degree rods were a
/// line and from there on one point with 1/R = 1/R1 + 1/R2: at 0.5 degrees they bore a seventh. To
/// 1 % of the depth, of slices along the bisector, which are none of either rod's, and a quarter of
/// depth over radius, of parabolas for circles.
static void rods_cross_at_any_angle(void **state)
{
    (void)state;
    const double degrees[] = {0, 0.05, 0.3, 1, 5, 15, 30, 50, 65, 90}, degree = GMC_PI / 180;
    const double radii[][2] = {{0.01, 0.015}, {0.01, 0.01}, {0.02, 0.005}}, half[2] = {0.015, 0.02};
    for (int i = 0; i < 3 * GMC_COUNT(degrees); i++) {
        const double *R = radii[i % 3];
        double angle = degrees[i / 3] * degree, force = i % 2 ? 8 : 2, low = 0, high = 2e-3;
        for (int n = 0; n < 18; n++) { // to 8e-9 m
            double deep = (low + high) / 2;
            *(K * crossed_volume(R, half, i % 4 < 2 ? 0 : R[0], angle, deep) < force ? &low
                                                                                     : &high) =
                deep;
        }
        gmc_stage s;
        gmc_stage_open(&s, FRICTION);
        gmc_pose X = {gmc_quat_matrix(lying(angle)), {0, 0, -R[1]}};
        gmc_stage_fixed(&s, "below", rod(GMC_SHAPE_CYLINDER, R[1], half[1]), X);
        gmc_joint_spec joint = {.type = GMC_JOINT_PRISMATIC,
                                .axis = {0, 0, -1},
                                .X_pj = {gmc_mat3_identity(), {0, 0, R[0]}},
                                .dof = gmc_builder_default_dof()};
        gmc_shape shape = rod(i % 4 < 2 ? GMC_SHAPE_CYLINDER : GMC_SHAPE_CAPSULE, R[0], half[0]);
        gmc_inertia inertia = gmc_inertia_of_shape_mass(&shape, 0.1);
        gmc_builder_link(s.builder, (gmc_source){0}, "body", NULL, &joint, &inertia);
        gmc_pose lies = {gmc_quat_matrix(lying(0)), {0, 0, 0}};
        gmc_builder_geom(s.builder, &(gmc_geom_spec){.link = "body",
                                                     .name = "body",
                                                     .X_lg = lies,
                                                     .shape = shape,
                                                     .surface = "any",
                                                     .category = 1,
                                                     .mask = 3});
        gmc_stage_ready(&s, 64);
        gmc_stage_extra(&s, &PAD);
        s.model.gravity = (gmc_vec3){0, 0, 0};
        s.force[0] = force;
        assert_int_equal(gmc_stage_run(&s, STEPS[i % 4], 3.0), GMC_OK);
        ASSERT_NEAR_RELATIVE(s.world.state.q[0], low, 0.01 + 0.25 * low / fmin(R[0], R[1]));
        gmc_stage_close(&s);
    }
}

/// Force and stored energy of the bed between rods whose axes, at an angle, are `deep` nearer than
/// their radii: columns of parabolas, far from any end.
static void crossed_bed(const double radius[2], double angle, double deep, double *force,
                        double *stored)
{
    enum { N = 600 };
    double c = gmc_cos(angle), s = gmc_sin(angle);
    double wide = sqrt(2 * radius[0] * deep), other = sqrt(2 * radius[1] * deep);
    double end = (other + wide * fabs(c)) / s, cell = 4 * wide * end / N / N;
    *force = *stored = 0;
    for (int i = 0; i < N * N; i++) {
        double x = end * (2 * (i % N + 0.5) / N - 1), y = wide * (2 * (i / N + 0.5) / N - 1);
        double across = c * y - s * x;
        double d = deep - y * y / (2 * radius[0]) - across * across / (2 * radius[1]);
        *force += K * fmax(d, 0) * cell;
        *stored += K * fmax(d, 0) * fmax(d, 0) / 2 * cell;
    }
}

/// A rod below at an angle to x, and one above it along x on a slider that is pressed down by
/// force[0]; between slider and rod a hinge, or nothing.
static void cross(gmc_stage *s, gmc_shape_type type, const double R[2], double angle,
                  bool is_hinged)
{
    const double half = 0.1, sink = 1e-3;
    gmc_stage_open(s, 0);
    gmc_pose X = {gmc_quat_matrix(lying(angle)), {0, 0, -R[1]}};
    gmc_stage_fixed(s, "below", rod(type, R[1], half), X);
    gmc_joint_spec slider = {.type = GMC_JOINT_PRISMATIC,
                             .axis = {0, 0, -1},
                             .X_pj = {gmc_mat3_identity(), {0, 0, R[0] - sink}},
                             .dof = gmc_builder_default_dof()};
    gmc_joint_spec hinge = {.type = GMC_JOINT_REVOLUTE,
                            .axis = {0, 0, 1},
                            .X_pj = gmc_pose_identity(),
                            .dof = gmc_builder_default_dof()};
    gmc_shape shape = rod(type, R[0], half);
    gmc_inertia inertia = gmc_inertia_of_shape_mass(&shape, 0.05);
    const gmc_source none = {0};
    gmc_builder_link(s->builder, none, "slider", NULL, &slider, &inertia);
    if (is_hinged) gmc_builder_link(s->builder, none, "rod", "slider", &hinge, &inertia);
    const char *body = is_hinged ? "rod" : "slider";
    gmc_pose lies = {gmc_quat_matrix(lying(0)), {0, 0, 0}};
    gmc_builder_geom(s->builder, &(gmc_geom_spec){.source = none,
                                                  .link = body,
                                                  .name = "above",
                                                  .X_lg = lies,
                                                  .shape = shape,
                                                  .surface = "any",
                                                  .category = 1,
                                                  .mask = 3});
    gmc_stage_ready(s, 64);
    gmc_stage_extra(s, &PAD);
    s->model.gravity = (gmc_vec3){0, 0, 0};
}

/// About the upright, of contacts on what lies above.
static double torque_of(const gmc_stage *s, double h)
{
    const gmc_contact_set *set = &s->world.contacts;
    double sum = 0;
    for (int i = 0; i < set->count; i++) {
        const gmc_contact *c = &set->contacts[i];
        gmc_vec3 arm = gmc_vec3_cross(c->point.p, c->dir[0]);
        double on_b = gmc_stage_body(s, "slider") == c->body_b ? 1 : -1;
        sum += on_b * c->impulse[0] / h * arm.z;
    }
    return sum;
}

static const double CROSSED[][2] = {
    {0.0276, 0.0042}, {0.01, 0.01}, {0.006, 0.012}, {0.01, 0.0275}, {0.02, 0.0195}};

/// Force and couple are those of the bed's potential at any angle and ratio of radii: -∂U/∂angle by
/// columns. From the overlap's slope along the line alone it was up to 250 times as much near 90
/// degrees, with a jump there, and nothing on radii that are alike beyond 61.
static void crossed_rods_turn_as_the_bed_says(void **state)
{
    (void)state;
    const double degrees[] = {30, 59, 60, 61, 62, 85, 89.9, 90, 90.1, 120};
    const double deeps[] = {0.2e-3, 0.8e-3, 2e-3}, degree = GMC_PI / 180, turn = 5e-3;
    double worst = 0, worst_force = 0;
    for (int i = 0; i < 3 * GMC_COUNT(degrees) * GMC_COUNT(CROSSED); i++) {
        const double *R = CROSSED[i % GMC_COUNT(CROSSED)];
        double angle = degrees[i / GMC_COUNT(CROSSED) % GMC_COUNT(degrees)] * degree;
        double h = STEPS[i % 4], force, stored[2], bed;
        gmc_stage s;
        cross(&s, i % 2 ? GMC_SHAPE_CAPSULE : GMC_SHAPE_CYLINDER, R, angle, false);
        crossed_bed(R, angle, deeps[i / (GMC_COUNT(degrees) * GMC_COUNT(CROSSED))], &force, stored);
        s.force[0] = force;
        assert_int_equal(gmc_stage_run(&s, h, 2.0), GMC_OK);
        double deep = 1e-3 + s.world.state.q[0];
        crossed_bed(R, angle, deep, &bed, stored);
        crossed_bed(R, angle - turn, deep, &bed, &stored[0]);
        crossed_bed(R, angle + turn, deep, &bed, &stored[1]);
        // of the rod below; that above is turned against it
        double torque = (stored[1] - stored[0]) / (2 * turn), scale = force * deep / 3;
        scale *= fmax(1, fabs(gmc_cos(angle) / gmc_sin(angle)));
        crossed_bed(R, angle, deep, &bed, stored);
        worst = fmax(worst, fabs(torque_of(&s, h) - torque) / scale);
        worst_force = fmax(worst_force, fabs(bed / force - 1));
        ASSERT_NEAR(torque_of(&s, h), torque, 3e-3 * scale); // of the columns, and of `turn`
        ASSERT_NEAR_RELATIVE(bed, force, 3e-3);
        gmc_stage_close(&s);
    }
    print_message("crossed rods: torque to %.2e, force to %.2e\n", worst, worst_force);
}

/// Pressed on each other without friction and let go askew, rods swing about crossing and gain
/// nothing, on the layer and on its bottom. Drawn towards it by more than their potential they
/// went from 42 to 117 mJ in 5 s.
static void swings_about_crossing_gain_nothing(void **state)
{
    (void)state;
    const double deeps[] = {1e-3, 2.2e-3, 2.45e-3}, degree = GMC_PI / 180; // the bottom is at 2.4
    double most = 0, least = 1;
    for (int i = 0; i < 3 * 3 * GMC_COUNT(CROSSED); i++) {
        const double *R = CROSSED[i % GMC_COUNT(CROSSED)];
        double h = STEPS[i / GMC_COUNT(CROSSED) % 3], force, stored, before = 0, widest = 0;
        gmc_stage s;
        cross(&s, GMC_SHAPE_CYLINDER, R, 55 * degree, true);
        crossed_bed(R, 55 * degree, deeps[i / 3 / GMC_COUNT(CROSSED)], &force, &stored);
        s.force[0] = force;
        // swing by swing, but for the first: the rod sinks in as it begins
        for (int k = 0, swings = 0, side = 0; k < (int)(3 / h) && swings < 12; k++) {
            assert_int_equal(gmc_stage_step(&s, h), GMC_OK);
            double beyond_90 = -35 * degree - s.world.state.q[1];
            int now = beyond_90 > 0 ? 1 : -1;
            widest = fmax(widest, fabs(beyond_90));
            if (now == side || k == 0) {
                side = now;
                continue;
            }
            if (swings > 2) {
                most = fmax(most, widest / before), least = fmin(least, widest / before);
                if (!(widest <= before * 1.002)) // places at steps: (ω h)²/8
                    fail_msg("%g on %g mm, %g N, %g ms: from %.3f to %.3f degrees", 1e3 * R[0],
                             1e3 * R[1], force, 1e3 * h, before / degree, widest / degree);
            }
            before = widest, widest = 0, side = now, swings++;
        }
        assert_true(before > 0.05);
        gmc_stage_close(&s);
    }
    print_message("swings: %.4f to %.4f of the one before\n", least, most);
}

/// Friction of crossed rods resists a twist at 1.08 to 1.2 times the mean radius of the pressure,
/// whether two contacts' distance has it (at 20 degrees) or none (at 90).
static void crossed_rods_slip_in_twist(void **state)
{
    (void)state;
    enum { N = 400 }; // towards crossing: what turns back grows on the other way
    const double degrees[] = {20, 50, 75, 90}, degree = GMC_PI / 180, deep = 0.6e-3;
    const double friction = 0.1; // what sticks turns little
    for (int i = 0; i < 2 * GMC_COUNT(degrees) * GMC_COUNT(CROSSED); i++) {
        const double *R = CROSSED[i / 2 % GMC_COUNT(CROSSED)];
        double angle = degrees[i / 2 / GMC_COUNT(CROSSED)] * degree, h = STEPS[i % 3];
        double c = gmc_cos(angle), sine = gmc_sin(angle), force, stored, mean = 0;
        crossed_bed(R, angle, deep, &force, &stored);
        double wide = sqrt(2 * R[0] * deep), end = (sqrt(2 * R[1] * deep) + wide * c) / sine;
        for (int k = 0; k < N * N; k++) {
            double x = end * (2 * (k % N + 0.5) / N - 1), y = wide * (2 * (k / N + 0.5) / N - 1);
            double across = c * y - sine * x;
            double d = deep - y * y / (2 * R[0]) - across * across / (2 * R[1]);
            mean += K * fmax(d, 0) * sqrt(x * x + y * y) * 4 * wide * end / N / N / force;
        }
        gmc_stage s;
        cross(&s, GMC_SHAPE_CYLINDER, R, angle, true);
        gmc_stage_friction(&s, friction);
        s.world.state.q[0] = deep - 1e-3;
        gmc_kinematics_update(&s.model, s.world.state.q, s.world.state.v, &s.world.kin);
        int steps = (int)(2 / h), yaw = gmc_stage_dof(&s, "rod");
        double limit = (i % 2 ? 1.27 : 1.02) * mean * friction * force;
        s.force[0] = force;
        for (int k = 1; k <= 2 * steps; k++) { // slowly: no overshoot
            s.force[yaw] = force * deep / 3 * c / sine - limit * fmin(1.0 * k / steps, 1);
            assert_int_equal(gmc_stage_step(&s, h), GMC_OK);
        }
        double speed = fabs(s.world.state.v[yaw]), turned = -s.world.state.q[1];
        if (!(i % 2 ? turned > 0.12 : speed < 1e-5 && turned < 0.1))
            fail_msg("%g on %g mm, %g degrees, %s the limit: %.3f rad, %.2e rad/s", 1e3 * R[0],
                     1e3 * R[1], angle / degree, i % 2 ? "above" : "below", turned, speed);
        gmc_stage_close(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cylinder_tips_as_the_bed_says),
        cmocka_unit_test(rods_slip_in_twist),
        cmocka_unit_test(rods_sink_in_as_the_bed_says),
        cmocka_unit_test(lapping_tilts_outwards),
        cmocka_unit_test(seam_is_none),
        cmocka_unit_test(rods_roll_over_seams_as_on_one),
        cmocka_unit_test(tipping_rods_are_not_thrown),
        cmocka_unit_test(rods_across_an_edge_come_out_without_speed),
        cmocka_unit_test(askew_rods_come_to_rest),
        cmocka_unit_test(can_on_a_can),
        cmocka_unit_test(rods_cross_at_any_angle),
        cmocka_unit_test(crossed_rods_turn_as_the_bed_says),
        cmocka_unit_test(crossed_rods_slip_in_twist),
        cmocka_unit_test(swings_about_crossing_gain_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

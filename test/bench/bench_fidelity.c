// scripts/bench fidelity: what the engine promises of single motions, each with its figure, its bar
// and ok or FAIL. Exit 1 if a row fails. The same functions are cheap enough to run whole in
// under a minute.
#include "engine/dynamics/crba.h"
#include "engine/dynamics/rnea.h"
#include "engine/math/elementary.h"
#include "test/support/puma.h"
#include "test/support/stage.h"

#include <stdio.h>
#include <string.h>

static const double G = 9.81;
static const double STEPS[] = {0.5e-3, 1e-3, 2e-3, 4e-3};
static int failures;
static long all_steps, all_unsolved, all_hard;

static void row(const char *what, double figure, double bar, const char *unit)
{
    bool is_ok = figure <= bar; // NaN fails
    if (!is_ok) failures++;
    printf("%-62s %12.4g  <= %-9.3g %-5s %s\n", what, figure, bar, unit, is_ok ? "ok" : "FAIL");
    fflush(stdout);
}

static void done(gmc_stage *stage)
{
    all_steps += stage->steps;
    all_unsolved += stage->unsolved;
    all_hard += stage->steps - stage->unsolved - stage->rungs[1];
    gmc_stage_close(stage);
}

static gmc_shape round_shape(gmc_shape_type type, double radius, double length)
{
    return (gmc_shape){.type = type, .radius = radius, .half_length = length / 2, .scale = 1};
}

// Put a free body somewhere and give it a velocity.
static void place(gmc_stage *stage, const char *name, gmc_pose X, gmc_vec3 velocity, gmc_vec3 spin)
{
    const gmc_body *body = &stage->model.bodies[gmc_stage_body(stage, name)];
    double *q = stage->world.state.q + body->q, *v = stage->world.state.v + body->v;
    gmc_pose X_j = gmc_pose_relative(&body->X_pj, &X);
    gmc_quat r = gmc_quat_from_matrix(&X_j.R);
    const double coordinates[7] = {X_j.p.x, X_j.p.y, X_j.p.z, r.w, r.x, r.y, r.z};
    const double velocities[6] = {velocity.x, velocity.y, velocity.z, spin.x, spin.y, spin.z};
    memcpy(q, coordinates, sizeof coordinates);
    memcpy(v, velocities, sizeof velocities);
    gmc_kinematics_update(&stage->model, stage->world.state.q, stage->world.state.v,
                          &stage->world.kin);
}

static void run(gmc_stage *stage, double h, double span)
{
    // what fails is counted by the stage and shows in the last row
    if (gmc_stage_run(stage, h, span) != GMC_OK) stage->unsolved += stage->unsolved == 0;
}

// Two fingers along y hold an object against gravity; nothing else touches it.
static void grip(gmc_stage *stage, gmc_shape object, double mass, gmc_quat turn, double half,
                 double force, double friction)
{
    static const gmc_vec3 LEFT = {0, -1, 0}, RIGHT = {0, 1, 0}, MIDDLE = {0, 0, 0};
    gmc_shape pad = gmc_stage_box(0.01, 0.005, 0.015);
    gmc_dof dof = gmc_builder_default_dof();
    dof.damping = 20;
    gmc_stage_open(stage, friction);
    gmc_stage_slider(stage, "left", NULL, LEFT, (gmc_vec3){0, half + 0.005, 0}, pad, 0.05, dof,
                     false);
    gmc_stage_slider(stage, "right", NULL, RIGHT, (gmc_vec3){0, -half - 0.005, 0}, pad, 0.05, dof,
                     false);
    gmc_stage_free(stage, "object", object, mass, MIDDLE);
    gmc_stage_ready(stage, 64);
    place(stage, "object", gmc_pose_make(turn, MIDDLE), MIDDLE, MIDDLE);
    stage->force[gmc_stage_dof(stage, "left")] = force;
    stage->force[gmc_stage_dof(stage, "right")] = force;
}

static double moved(const gmc_stage *stage, gmc_vec3 from)
{
    return gmc_vec3_norm(gmc_vec3_sub(gmc_stage_place(stage, "object"), from));
}

static void raise_to(double *worst, double value)
{
    if (!(value <= *worst)) *worst = value;
}

static void held_object(void)
{
    static const double FORCES[] = {12, 30, 60};
    double capsule = 0, cube = 0;
    for (int i = 0; i < GMC_COUNT(STEPS); i++)
        for (int k = 0; k <= GMC_COUNT(FORCES); k++) {
            gmc_stage stage;
            bool is_cube = k == GMC_COUNT(FORCES);
            gmc_quat lying = gmc_quat_from_rpy(0, GMC_PI / 2, 0);
            if (is_cube)
                grip(&stage, gmc_stage_box(0.025, 0.025, 0.025), 0.2, gmc_quat_identity(), 0.025,
                     10, 0.5);
            else
                grip(&stage, round_shape(GMC_SHAPE_CAPSULE, 0.004, 0.06), 0.045, lying, 0.004,
                     FORCES[k], 0.7);
            run(&stage, STEPS[i], 1);
            gmc_vec3 settled = gmc_stage_place(&stage, "object");
            run(&stage, STEPS[i], 60);
            raise_to(is_cube ? &cube : &capsule,
                     stage.unsolved ? (double)NAN : moved(&stage, settled));
            done(&stage);
        }
    row("held capsule 45 g r 4 mm, mu 0.7, 12-60 N, 4 steps: slip in 60 s", capsule, 1e-9, "m");
    row("held cube 0.2 kg, mu 0.5, 10 N, 4 steps: slip in 60 s", cube, 1e-9, "m");
}

static void grip_threshold(void)
{
    double held = 0, shortfall = 0, mu = 0.2 * G / (2 * 10);
    for (int i = 0; i < GMC_COUNT(STEPS); i++)
        for (int k = 0; k < 2; k++) {
            gmc_stage stage;
            grip(&stage, gmc_stage_box(0.025, 0.025, 0.025), 0.2, gmc_quat_identity(), 0.025, 10,
                 0.5);
            run(&stage, STEPS[i], 1);
            gmc_stage_friction(&stage, (k ? 0.999 : 1.001) * mu);
            run(&stage, STEPS[i], 0.5); // the deflection follows the new cone
            gmc_vec3 settled = gmc_stage_place(&stage, "object");
            run(&stage, STEPS[i], 2);
            double slip = stage.unsolved ? (double)NAN : moved(&stage, settled);
            // sliding from rest with g (1 - 0.999) for 2 s covers 19.6 mm; half of that proves that
            // it slides
            if (k == 0)
                raise_to(&held, slip);
            else
                raise_to(&shortfall, 9.8e-3 / slip);
            done(&stage);
        }
    row("grip threshold: slip in 2 s at 1.001 mu*, 4 steps", held, 1e-9, "m");
    row("grip threshold: 9.8 mm over the slide in 2 s at 0.999 mu*", shortfall, 1, "-");
}

// A block on a plane; gravity is tilted instead of the plane.
static void block(gmc_stage *stage, double friction)
{
    gmc_stage_open(stage, friction);
    gmc_stage_fixed(stage, "ground", gmc_stage_plane(), gmc_pose_identity());
    gmc_stage_free(stage, "object", gmc_stage_box(0.05, 0.05, 0.01), 1, (gmc_vec3){0, 0, 0.01});
    gmc_stage_ready(stage, 64);
}

static void tilt(gmc_stage *stage, double slope, double heading)
{
    double angle = gmc_atan2(slope, 1), s = G * gmc_sin(angle);
    stage->model.gravity =
        (gmc_vec3){s * gmc_cos(heading), s * gmc_sin(heading), -G * gmc_cos(angle)};
}

static void incline(void)
{
    double stuck = 0, error = 0, fastest = 0, slowest = INFINITY, mu = 0.3;
    for (int i = 0; i < GMC_COUNT(STEPS); i++)
        for (int k = 0; k < 8; k++) {
            gmc_stage stage;
            double heading = k * GMC_PI / 8, angle = gmc_atan2(1.2 * mu, 1);
            block(&stage, mu);
            tilt(&stage, 0.999 * mu, heading);
            run(&stage, STEPS[i], 1);
            gmc_vec3 settled = gmc_stage_place(&stage, "object");
            run(&stage, STEPS[i], 2);
            raise_to(&stuck, moved(&stage, settled));

            tilt(&stage, 1.2 * mu, heading);
            run(&stage, STEPS[i], 0.5);
            gmc_vec3 v0 = gmc_stage_velocity(&stage, "object");
            run(&stage, STEPS[i], 1);
            double a = gmc_vec3_norm(gmc_vec3_sub(gmc_stage_velocity(&stage, "object"), v0));
            double law = G * (gmc_sin(angle) - mu * gmc_cos(angle));
            raise_to(&error, fabs(a / law - 1));
            raise_to(&fastest, a);
            if (!(a >= slowest)) slowest = a;
            done(&stage);
        }
    row("incline at 0.999 tan, 8 headings, 4 steps: displacement", stuck, 1e-9, "m");
    row("incline at 1.2 tan: acceleration against g (sin - mu cos)", error, 1e-3, "-");
    row("incline at 1.2 tan: spread over headings and steps", fastest / slowest - 1, 1e-3, "-");
}

static void sliding_block(void)
{
    gmc_stage stage;
    double mu = 0.3, v = 2;
    block(&stage, mu);
    run(&stage, 1e-3, 1);
    gmc_vec3 start = gmc_stage_place(&stage, "object");
    place(&stage, "object", (gmc_pose){gmc_mat3_identity(), start}, (gmc_vec3){v, 0, 0},
          (gmc_vec3){0, 0, 0});
    run(&stage, 1e-3, 2);
    double way = v * v / (2 * mu * G);
    row("sliding block 2 m/s, mu 0.3, 1 ms: stopping distance",
        fabs(moved(&stage, start) / way - 1), 2e-3, "-");
    done(&stage);
}

static gmc_vec3 momentum_of(const gmc_stage *stage, int body)
{
    return gmc_mat3_apply(&stage->world.kin.I_w[body], stage->world.kin.V[body].w);
}

// Static and kinetic, and an ellipse with its axes along x and y.
static void kinds_of_friction(void)
{
    const double slope = 0.4;
    const gmc_surface_extra kinetic = {.kinetic_loss = 0.3, .threshold = 1e-3};
    const gmc_surface_extra ellipse = {.has_grain = true, .grain = {1, 0, 0}, .across_ratio = 0.6};
    double held = 0, error = 0, rim = 0;
    for (int i = 0; i < GMC_COUNT(STEPS); i++)
        for (int k = 0; k < 2; k++) {
            gmc_stage stage;
            double friction = gmc_tan(slope) / (k ? 1.001 : 0.999);
            block(&stage, friction);
            gmc_stage_extra(&stage, &kinetic);
            tilt(&stage, gmc_tan(slope), 0.3 * i);
            run(&stage, STEPS[i], 1);
            gmc_vec3 from = gmc_stage_place(&stage, "object");
            double v = gmc_vec3_norm(gmc_stage_velocity(&stage, "object"));
            run(&stage, STEPS[i], 1);
            double a = gmc_vec3_norm(gmc_stage_velocity(&stage, "object")) - v;
            if (k == 0) raise_to(&held, moved(&stage, from));
            if (k == 1)
                raise_to(&error,
                         fabs(a / (G * (gmc_sin(slope) - 0.7 * friction * gmc_cos(slope))) - 1));
            done(&stage);
        }
    for (int i = 0; i < 8; i++) {
        gmc_stage stage;
        double heading = 0.1 + i * GMC_PI / 4, x = gmc_cos(heading), y = gmc_sin(heading) / 0.6;
        block(&stage, gmc_tan(slope) * sqrt(x * x + y * y) / 0.999);
        gmc_stage_extra(&stage, &ellipse);
        tilt(&stage, gmc_tan(slope), heading);
        run(&stage, STEPS[i % 4], 1);
        gmc_vec3 from = gmc_stage_place(&stage, "object");
        run(&stage, STEPS[i % 4], 5);
        raise_to(&rim, moved(&stage, from));
        done(&stage);
    }
    row("static friction at 0.999 tan, 4 steps: slip in 1 s", held, 1e-9, "m");
    row("kinetic friction, 0.7 of it: error of the acceleration", error, 1e-3, "-");
    row("elliptic friction at 0.999 tan, 8 directions: slip in 5 s", rim, 1e-9, "m");
}

static void bounces(void)
{
    static const double MASSES[] = {1e-3, 0.2, 50};
    double worst = 0;
    for (int i = 0; i < GMC_COUNT(STEPS); i++)
        for (int k = 0; k < 12; k++) {
            gmc_stage stage;
            double e = 0.3 + 0.2 * (k % 4), height = 0.5 + 0.013 * k, apex = 0;
            const gmc_surface_extra extra = {.restitution = e, .bounce_speed = 0.01};
            gmc_stage_open(&stage, 0.3);
            gmc_stage_fixed(&stage, "floor", gmc_stage_plane(), gmc_pose_identity());
            gmc_stage_free(&stage, "object", round_shape(GMC_SHAPE_SPHERE, 0.02, 0), MASSES[k / 4],
                           (gmc_vec3){0, 0, 0.02 + height});
            gmc_stage_ready(&stage, 8);
            gmc_stage_extra(&stage, &extra);
            run(&stage, STEPS[i], sqrt(2 * height / G) + 0.5 * e * sqrt(2 * height / G));
            while (!stage.unsolved && gmc_stage_velocity(&stage, "object").z > 0) {
                run(&stage, STEPS[i], STEPS[i]);
                apex = fmax(apex, gmc_stage_place(&stage, "object").z - 0.02);
            }
            raise_to(&worst, fabs(apex / (height * e * e) - 1));
            done(&stage);
        }
    row("bounce height against e^2, e 0.3-0.9, 1 g-50 kg, 4 steps", worst, 0.02, "-");
}

// A ball of 0.1 kg and 20 mm that spins and rolls on a plane.
static void moments_of_friction(void)
{
    const gmc_surface_extra extra = {.torsion = 1e-3, .rolling = 2e-4};
    double R = 0.02, spin = 0, roll = 0;
    for (int i = 0; i < GMC_COUNT(STEPS); i++)
        for (int k = 0; k < 2; k++) {
            gmc_stage stage;
            gmc_stage_open(&stage, 0.5);
            gmc_stage_fixed(&stage, "floor", gmc_stage_plane(), gmc_pose_identity());
            gmc_stage_free(&stage, "object", round_shape(GMC_SHAPE_SPHERE, R, 0), 0.1,
                           (gmc_vec3){0, 0, R});
            gmc_stage_ready(&stage, 8);
            gmc_stage_extra(&stage, &extra);
            run(&stage, STEPS[i], 0.3);
            gmc_pose X = {gmc_mat3_identity(), gmc_stage_place(&stage, "object")};
            gmc_vec3 v = {k == 0 ? 0 : 0.3, 0, 0}, w = {0, k == 0 ? 0 : 0.3 / R, k == 0 ? 60 : 0};
            place(&stage, "object", X, v, w);
            run(&stage, STEPS[i], 0.5);
            double lost = 60 - stage.world.kin.V[gmc_stage_body(&stage, "object")].w.z;
            double slower = 0.3 - gmc_stage_velocity(&stage, "object").x;
            if (k == 0) raise_to(&spin, fabs(lost / (0.5 * 1e-3 * G / (0.4 * R * R)) - 1));
            if (k == 1) raise_to(&roll, fabs(slower / (0.5 * 5 / 7 * 2e-4 * G / R) - 1));
            done(&stage);
        }
    row("spinning ball: rate against torsion m g / I, 4 steps", spin, 1e-3, "-");
    row("rolling ball: rate against (5/7) rolling g / r, 4 steps", roll, 5e-3, "-");
}

// A ball and a box of 0.5 kg on 3 mm of 1 MPa.
static void pads(void)
{
    const gmc_surface_extra pad = {.pad = 1e6 / 3e-3, .pad_shear = 0.5, .pad_edge = 3e-3};
    double worst = 0;
    for (int i = 0; i < GMC_COUNT(STEPS); i++)
        for (int k = 0; k < 2; k++) {
            gmc_stage stage;
            gmc_shape ball = round_shape(GMC_SHAPE_SPHERE, 0.02, 0);
            gmc_stage_open(&stage, 0.5);
            gmc_stage_fixed(&stage, "pad", gmc_stage_plane(), gmc_pose_identity());
            gmc_stage_free(&stage, "object", k ? ball : gmc_stage_box(0.02, 0.01, 0.02), 0.5,
                           (gmc_vec3){0, 0, 0.02});
            gmc_stage_ready(&stage, 8);
            gmc_stage_extra(&stage, &pad);
            run(&stage, STEPS[i], 8);
            double depth = 0.02 - gmc_stage_place(&stage, "object").z;
            double force = k ? GMC_PI * 0.02 * depth * depth : 8e-4 * depth;
            raise_to(&worst, fabs(pad.pad * force / (0.5 * G) - 1));
            done(&stage);
        }
    row("pad: force of ball (pi k R d^2) and box (k A d), 4 steps", worst, 1e-6, "-");
}

static void free_top(void)
{
    gmc_stage stage;
    gmc_stage_open(&stage, 0.5);
    gmc_stage_free(&stage, "object", gmc_stage_box(0.05, 0.05, 0.05), 1, (gmc_vec3){0, 0, 0});
    gmc_stage_ready(&stage, 16);
    int body = gmc_stage_body(&stage, "object");
    stage.model.gravity = (gmc_vec3){0, 0, 0};
    stage.model.bodies[body].inertia.I = gmc_mat3_diagonal(1, 2, 3);
    gmc_stage_restart(&stage); // a world is told the model's tensors when it is made
    place(&stage, "object", gmc_pose_identity(), (gmc_vec3){0, 0, 0}, (gmc_vec3){0.05, 5, 0.05});
    gmc_vec3 L0 = momentum_of(&stage, body);
    double E0 = gmc_kinematics_energy(&stage.model, &stage.world.kin, stage.world.state.v, NULL);
    double momentum = 0, energy = 0;
    for (int i = 0; i < 5000; i++) {
        run(&stage, 2e-3, 2e-3);
        double E = gmc_kinematics_energy(&stage.model, &stage.world.kin, stage.world.state.v, NULL);
        gmc_vec3 change = gmc_vec3_sub(momentum_of(&stage, body), L0);
        raise_to(&momentum, gmc_vec3_norm(change) / gmc_vec3_norm(L0));
        raise_to(&energy, fabs(E / E0 - 1));
    }
    row("free top (1, 2, 3), 5 rad/s, 10 s at 2 ms: angular momentum", momentum, 1e-10, "-");
    row("free top: energy", energy, 1e-5, "-");
    done(&stage);
}

static void stack(void)
{
    enum { BOXES = 10 };
    gmc_stage stage;
    gmc_stage_open(&stage, 0.5);
    gmc_stage_fixed(&stage, "ground", gmc_stage_plane(), gmc_pose_identity());
    for (int i = 0; i < BOXES; i++) {
        char name[16];
        snprintf(name, sizeof name, "box%d", i);
        gmc_stage_free(&stage, name, gmc_stage_box(0.025, 0.025, 0.025), 0.1,
                       (gmc_vec3){0, 0, 0.025 + 0.05 * i});
    }
    gmc_stage_ready(&stage, 128);
    run(&stage, 2e-3, 1);
    gmc_vec3 top = gmc_stage_place(&stage, "box9");
    run(&stage, 2e-3, 60);
    double bottom = 0, drift = gmc_vec3_norm(gmc_vec3_sub(gmc_stage_place(&stage, "box9"), top));
    for (int i = 0; i < stage.world.contacts.count; i++) {
        const gmc_contact *c = &stage.world.contacts.contacts[i];
        if (gmc_model_is_static(&stage.model, c->body_a) ||
            gmc_model_is_static(&stage.model, c->body_b))
            bottom += c->impulse[0] / 2e-3;
    }
    row("stack of 10 boxes, 60 s: drift of the top one", stage.unsolved ? (double)NAN : drift, 1e-4,
        "m");
    row("stack of 10 boxes: bottom force against 10 m g", fabs(bottom / (BOXES * 0.1 * G) - 1),
        1e-6, "-");
    done(&stage);
}

// The values of test_puma.c, published with four decimals.
static void puma(void)
{
    enum { N = SUPPORT_PUMA_JOINTS };
    static const double LOAD[N] = {0, 31.6399, 6.0351, 0, 0.0283, 0};
    static const double INERTIA[N] = {3.6594, 4.4137, 0.9378, 0.1925, 0.1713, 0.1941};
    static const double TORQUE[N] = {3.35311, 36.0025, 7.42596, 0.190043, 0.203441, 0.194133};
    double zero[N] = {0}, ones[N] = {1, 1, 1, 1, 1, 1}, tau[N], M[N * N];
    double load = 0, inertia = 0, torque = 0;
    gmc_arena arena, scratch;
    gmc_model model;
    gmc_kinematics kin;
    bool is_well = gmc_arena_create(&arena, 1 << 16) == GMC_OK &&
                   gmc_arena_create(&scratch, 1 << 16) == GMC_OK &&
                   support_puma(gmc_pose_identity(), &arena, &model) == GMC_OK &&
                   gmc_kinematics_create(&model, &arena, &kin) == GMC_OK;
    if (!is_well) {
        row("Puma 560 could not be built", 1, 0, "-");
        return;
    }
    gmc_kinematics_update(&model, SUPPORT_PUMA_NOMINAL, zero, &kin);
    is_well = gmc_rnea(&model, &kin, zero, NULL, tau, &scratch) == GMC_OK;
    for (int i = 0; i < N; i++)
        raise_to(&load, fabs(tau[i] - LOAD[i]));
    is_well = is_well && gmc_rnea(&model, &kin, zero, ones, tau, &scratch) == GMC_OK;
    for (int i = 0; i < N; i++)
        raise_to(&torque, fabs(tau[i] - TORQUE[i]));
    is_well = is_well && gmc_crba(&model, &kin, M, &scratch) == GMC_OK;
    for (int i = 0; i < N; i++)
        raise_to(&inertia, fabs(M[i * N + i] - INERTIA[i]));
    row("Puma 560: gravity load at q_n", is_well ? load : (double)NAN, 1e-4, "N m");
    row("Puma 560: inverse dynamics rne(q_n, 0, 1)", is_well ? torque : (double)NAN, 1e-4, "N m");
    row("Puma 560: inertia at q_n, diagonal", is_well ? inertia : (double)NAN, 1e-4, "kg m2");
    gmc_arena_free(&arena);
    gmc_arena_free(&scratch);
}

int main(void)
{
    printf("%-62s %12s     %-9s %-5s\n", "check", "figure", "bar", "unit");
    held_object();
    grip_threshold();
    incline();
    sliding_block();
    kinds_of_friction();
    bounces();
    moments_of_friction();
    pads();
    free_top();
    stack();
    puma();
    row("unsolved steps in all of the above", (double)all_unsolved, 0, "steps");
    printf("%ld steps, %ld of them (%.3g %%) not on the first rung\n", all_steps, all_hard,
           100.0 * (double)all_hard / (double)all_steps);
    return failures > 0;
}

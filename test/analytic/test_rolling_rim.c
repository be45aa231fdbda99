// A disc or can that rolls round on its rim, and one that stands.
#include "engine/dynamics/kinematics.h"
#include "engine/math/elementary.h"
#include "test/support/near.h"
#include "test/support/stage.h"

#include <string.h>

typedef struct disc {
    double radius, length, mass, tilt;
} disc;

// Let α be the tilt of the cap, z up, k horizontal from the contact towards the middle, t = z × k,
// u = cos α k + sin α z from the contact to the cap's middle and e = -sin α k + cos α z the axis.
// With w = Ω z + ψ e and no slip the mass centre, at r = R u + (L/2) e from the contact, goes round
// at v = [Ω r_k + ψ R] t. It stands still if ψ = -Ω r_k/R: Euler's disc, which needs no friction.
// Its angular momentum I1 Ω sin α u + I3 (Ω cos α + ψ) e goes round with Ω under the torque m g r_k
// t:
//
//   Ω² sin α [(I1 - I3) cos α + I3 r_k/R] = m g r_k
static double precession(const disc *d, double *spin)
{
    double R = d->radius, L = d->length, sine = gmc_sin(d->tilt), cosine = gmc_cos(d->tilt);
    double r_k = R * cosine - 0.5 * L * sine;
    double I3 = 0.5 * R * R, I1 = 0.25 * R * R + L * L / 12; // over m
    double rate = sqrt(9.81 * r_k / (sine * ((I1 - I3) * cosine + I3 * r_k / R)));
    *spin = -rate * r_k / R;
    return rate;
}

static void set_rolling(gmc_stage *s, const disc *d, bool is_box)
{
    double sine = gmc_sin(d->tilt), cosine = gmc_cos(d->tilt), spin, rate = precession(d, &spin);
    gmc_shape shape = {.type = GMC_SHAPE_CYLINDER,
                       .radius = d->radius,
                       .half_length = 0.5 * d->length,
                       .scale = 1};
    gmc_pose X = gmc_pose_identity();
    X.p.z = -0.02;
    gmc_stage_open(s, 0.5);
    if (is_box)
        gmc_stage_fixed(s, "floor", gmc_stage_box(0.3, 0.3, 0.02), X);
    else
        gmc_stage_fixed(s, "floor", gmc_stage_plane(), gmc_pose_identity());
    gmc_stage_free(s, "disc", shape, d->mass,
                   (gmc_vec3){0, 0, d->radius * sine + 0.5 * d->length * cosine});
    gmc_stage_ready(s, 8);
    const gmc_body *body = &s->model.bodies[gmc_stage_body(s, "disc")];
    // k along x: e is z turned about y by -tilt
    const double q[4] = {gmc_cos(0.5 * d->tilt), 0, -gmc_sin(0.5 * d->tilt), 0};
    const double v[6] = {0, 0, 0, -spin * sine, 0, rate + spin * cosine};
    memcpy(s->world.state.q + body->q + 3, q, sizeof q);
    memcpy(s->world.state.v + body->v, v, sizeof v);
    gmc_kinematics_update(&s->model, s->world.state.q, s->world.state.v, &s->world.kin);
}

static gmc_vec3 axis_of(const gmc_stage *s, const char *body)
{
    return gmc_mat3_column(&s->world.kin.X_wb[gmc_stage_body(s, body)].R, 2);
}

// It is as deep as elasticity has it, whatever the step: errors of the motion are those of a
// leapfrog, of second order in the turn of a step. (With the gap that the material of the step's
// start will have in place of that of the rim it sank
// in by 0.18 to 0.6 mm at 4 ms, 0.01 to 0.07 mm at 0.5 ms, and went round 2 to 22 % too slowly.)
static void a_disc_rolls_round_on_its_rim(void **state)
{
    (void)state;
    static const disc DISCS[] = {
        {0.033, 0.030, 0.35, 0.25}, {0.033, 0.030, 0.35, 0.6}, {0.012, 0.002, 0.008, 0.6},
        {0.06, 0.01, 1.5, 0.15},    {0.1, 0.2, 5, 0.3},
    };
    static const double STEPS[] = {0.5e-3, 1e-3, 2e-3, 4e-3}, SPAN = 1, BEGUN = 0.1,
                        STIFFNESS = 1e6;
    for (int i = 0; i < 40; i++) {
        const disc *d = &DISCS[i / 8];
        double h = STEPS[i % 4], spin, rate = precession(d, &spin), turn = rate * h;
        if (turn > 0.3)
            continue; // a coin of 8 g hops; from 0.4 on the stepper asks for shorter ones
        gmc_stage s;
        set_rolling(&s, d, i / 4 % 2);
        double before = gmc_stage_energy(&s), most = -INFINITY, angle = 0, tilted = 0, deep = 0;
        gmc_vec3 e = axis_of(&s, "disc");
        while (s.world.state.t < SPAN) {
            assert_int_equal(gmc_stage_step(&s, h), GMC_OK);
            if (s.world.state.t > BEGUN) deep = fmax(deep, s.last.max_penetration);
            gmc_vec3 now = axis_of(&s, "disc");
            angle += gmc_atan2(e.x * now.y - e.y * now.x, e.x * now.x + e.y * now.y);
            tilted = fmax(tilted, fabs(gmc_acos(now.z) - d->tilt));
            most = fmax(most, gmc_stage_energy(&s) - before);
            e = now;
        }
        double sinks = d->mass * 9.81 / STIFFNESS, size = d->mass * 9.81 * d->radius;
        // it begins without overlap, and wobbles a little as it sinks in
        assert_true(deep <= 1.15 * sinks + 1e-7);
        assert_true(most <= 0.2 * turn * turn * size);
        assert_true(gmc_stage_energy(&s) - before >= -1e-3 * size);
        ASSERT_NEAR_RELATIVE(angle / SPAN, rate, 3e-3 + 0.1 * turn * turn);
        assert_true(tilted <= 5e-3 + 0.3 * turn * turn);
        gmc_stage_close(&s);
    }
}

typedef struct can {
    double radius, length, mass, share; ///< of the slope that it tips over at
} can;

/// Stands on a plane, weight turned by `slope` towards `az`, as a ramp over the first second.
static double stand(const can *c, double az, double h)
{
    static const double SPAN = 1.5, RAMP = 1, SET_DOWN = 0.05;
    gmc_shape shape = {.type = GMC_SHAPE_CYLINDER,
                       .radius = c->radius,
                       .half_length = 0.5 * c->length,
                       .scale = 1};
    gmc_stage s;
    gmc_stage_open(&s, 1.2);
    gmc_stage_fixed(&s, "floor", gmc_stage_plane(), gmc_pose_identity());
    gmc_stage_free(&s, "can", shape, c->mass, (gmc_vec3){0, 0, 0.5 * c->length});
    gmc_stage_ready(&s, 8);
    double side = c->share * 2 * c->radius / c->length * 9.81, leans = 0;
    while (s.world.state.t < SPAN) {
        if (s.world.state.t > SET_DOWN) s.options.impact_step = 1e-4; // long steps may be refused
        double x = fmin(s.world.state.t / RAMP, 1), part = side * x * x * (3 - 2 * x);
        s.model.gravity = (gmc_vec3){part * gmc_cos(az), part * gmc_sin(az), -9.81};
        assert_int_equal(gmc_stage_step(&s, h), GMC_OK);
        leans = fmax(leans, gmc_acos(fmin(axis_of(&s, "can").z, 1)));
    }
    gmc_stage_close(&s);
    return leans;
}

// The load is at the share s of the radius R. The lowest point, d + R θ deep, and the two a quarter
// of a turn beside it, d deep, bear it: k (3 d + R θ) = m g and k R (d + R θ) = s m g R, so
//
//   θ = (3 s' - 1)/2 m g/(k R)
//
// with s' = s + θ L/(2 R), for the mass centre is above the cap by L/2.
//
// A light one that leans by less than 2e-4 stands on four fixed points, which lean no more while s
// is below cos 45°. (When what leans by a thousandth was taken to roll on its rim, those of 1.5 kg
// and more tipped over at 0.5 to 0.7 of their slope, and steps were refused.)
static void a_cylinder_stands_up_to_its_slope(void **state)
{
    (void)state;
    static const can CANS[] = {
        {0.033, 0.115, 0.35, 0.65}, {0.04, 0.12, 1.5, 0.9}, {0.06, 0.2, 4, 0.8},
        {0.06, 0.2, 10, 0.9},       {0.03, 0.1, 10, 0.8},
    };
    static const double STEPS[] = {1e-3, 2e-3, 4e-3}, STIFFNESS = 1e6, PART = 1e-3;
    for (int i = 0; i < 75; i++) {
        const can *c = &CANS[i / 15];
        double h = STEPS[i / 5 % 3], leans = stand(c, 0.2 * (i % 5), h);
        double sinks = c->mass * 9.81 / (STIFFNESS * c->radius);
        double right = 0.5 * (3 * c->share - 1) * sinks;
        right /= 1 - 0.75 * sinks * c->length / c->radius;
        assert_true(leans <= (1 + PART) * right);
        if (c->mass > 1) assert_true(leans >= (1 - PART) * right);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cylinder_stands_up_to_its_slope),
        cmocka_unit_test(a_disc_rolls_round_on_its_rim),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Pushes of what stands on a plane, against the oracle of least power.
//
// Least power [peshkin1989]: of all motions that the pusher allows, a body that slides slowly under
// Coulomb friction takes the one that dissipates least. Where the pusher sticks, one number is left
// to choose, the rate of turning, and the power is convex in it. Nothing of the engine is in it.
#include "engine/contact/rigid/rigid.h"
#include "engine/math/elementary.h"
#include "engine/model/support.h"
#include "test/support/flat.h"
#include "test/support/near.h"

#include <string.h>

static const gmc_vec3 DOWN = {0, 0, -9.81};

typedef struct pose {
    double x, y, angle;
} pose;

static gmc_vec2 turn(double angle, gmc_vec2 p)
{
    double s, c;
    gmc_sin_cos(angle, &s, &c);
    return (gmc_vec2){c * p.x - s * p.y, s * p.x + c * p.y};
}

// ---- the oracle ---------------------------------------------------------------------------------

typedef struct oracle {
    int count;
    const gmc_support_point *points;
    double weights[64]; ///< mu N
    gmc_vec2 edge[2];   ///< that is pushed, in the body frame; a disc: none
    double disc, tip;   ///< radii, of a disc (0: an edge) and of the pusher [m]
} oracle;

/// Where the pusher at `tip` touches the body.
static gmc_vec2 touch(const oracle *o, const pose *at, gmc_vec2 tip)
{
    gmc_vec2 centre = {at->x, at->y};
    if (o->disc > 0)
        return gmc_vec2_add_scaled(centre, o->disc, gmc_vec2_unit(gmc_vec2_sub(tip, centre)));
    gmc_vec2 a = gmc_vec2_add(centre, turn(at->angle, o->edge[0]));
    gmc_vec2 b = gmc_vec2_add(centre, turn(at->angle, o->edge[1]));
    gmc_vec2 along = gmc_vec2_unit(gmc_vec2_sub(b, a));
    return gmc_vec2_add_scaled(a, gmc_vec2_dot(along, gmc_vec2_sub(tip, a)), along);
}

/// Dissipated power if the point `p` of the body moves with u and the body turns with w.
static double power(const oracle *o, const pose *at, gmc_vec2 p, gmc_vec2 u, double w)
{
    double sum = 0;
    gmc_vec2 centre = {at->x, at->y};
    for (int i = 0; i < o->count; i++) {
        gmc_vec2 x = gmc_vec2_add(centre, turn(at->angle, o->points[i].p));
        gmc_vec2 v = gmc_vec2_add_scaled(u, w, gmc_vec2_left(gmc_vec2_sub(x, p)));
        sum += o->weights[i] * gmc_vec2_norm(v);
    }
    return sum;
}

/// Rates of the pose under a pusher at `tip` that moves with u.
static pose rate(const oracle *o, const pose *at, gmc_vec2 tip, gmc_vec2 u)
{
    gmc_vec2 p = touch(o, at, tip);
    double speed = gmc_vec2_norm(u), low = -speed / 1e-3, high = speed / 1e-3;
    const double golden = 0.6180339887498949;
    double a = high - golden * (high - low), b = low + golden * (high - low);
    double fa = power(o, at, p, u, a), fb = power(o, at, p, u, b);
    for (int i = 0; i < 90; i++) {
        if (fa < fb) {
            high = b, b = a, fb = fa;
            a = high - golden * (high - low);
            fa = power(o, at, p, u, a);
        } else {
            low = a, a = b, fa = fb;
            b = low + golden * (high - low);
            fb = power(o, at, p, u, b);
        }
    }
    double w = (low + high) / 2;
    gmc_vec2 v =
        gmc_vec2_add_scaled(u, w, gmc_vec2_left(gmc_vec2_sub((gmc_vec2){at->x, at->y}, p)));
    return (pose){v.x, v.y, w};
}

/// Push along a straight line by Heun's rule.
static pose push_oracle(const oracle *o, pose at, gmc_vec2 from, gmc_vec2 to)
{
    enum { STEPS = 400 };
    gmc_vec2 u = gmc_vec2_sub(to, from);
    double h = 1.0 / STEPS;
    for (int i = 0; i < STEPS; i++) {
        gmc_vec2 tip = gmc_vec2_add_scaled(from, i * h, u);
        pose k = rate(o, &at, tip, u);
        pose next = {at.x + h * k.x, at.y + h * k.y, at.angle + h * k.angle};
        pose l = rate(o, &next, gmc_vec2_add_scaled(tip, h, u), u);
        at.x += h / 2 * (k.x + l.x);
        at.y += h / 2 * (k.y + l.y);
        at.angle += h / 2 * (k.angle + l.angle);
    }
    return at;
}

// ---- the engine ---------------------------------------------------------------------------------

static void weigh(oracle *o, const gmc_flat *flat)
{
    double forces[64];
    const gmc_model *model = &flat->stage.model;
    assert_int_equal(gmc_support_forces(model, &model->supports[0], forces), GMC_OK);
    o->count = model->support_point_count;
    o->points = model->support_points;
    for (int i = 0; i < o->count; i++)
        o->weights[i] = o->points[i].friction * forces[i];
}

// What the engine adds: the contact gives by F/k = 4 um before it pushes, and the direction of each
// step is that of its start, 25 um of way old. Inertia is 1e-5 of friction.
static const double WAY = 1e-5, ANGLE = 3e-4;

/// How the engine takes the scenes, and how far it may be off the oracle.
typedef struct manner {
    const char *stepper;
    gmc_motion motion;
    double h, way, angle; ///< [s, m, rad]
    int facets;           ///< 0: none
} manner;

static void push_block(int k, const manner *how)
{
    const gmc_vec2 tripods[][3] = {{{-0.02, -0.02}, {0.04 / 3, -0.02 / 3}, {-0.02 / 3, 0.04 / 3}},
                                   {{-0.04, -0.04}, {0.04, -0.02}, {-0.04, 0.08}}};
    const double places[] = {-0.03, 0.01, 0.06}; // along the lower edge
    gmc_flat flat;
    gmc_support_point points[3];
    double tip = 1e-3, x = places[k % 3], lean = k % 2 ? 0.3 : -0.2;
    gmc_vec2 from = {x, -0.05 - tip}, way = {0.0163 * gmc_sin(lean), 0.0163 * gmc_cos(lean)};
    for (int i = 0; i < 3; i++)
        points[i] = (gmc_support_point){tripods[k / 3][i], 1, 0.3 + 0.05 * i};
    gmc_flat_open(&flat, 3, DOWN); // the tip sticks
    gmc_polygon_pieces block = gmc_flat_polygon(&flat, GMC_PUSHED_BLOCK, 3);
    gmc_flat_body(&flat, "block", &block, 1.518, (gmc_vec3){0, 0, 0});
    gmc_flat_support(&flat, "block", points, 3);
    gmc_flat_pusher(&flat, from, tip);
    flat.stage.stepper = gmc_stepper_find(how->stepper);
    gmc_stage_ready(&flat.stage, 16);
    flat.stage.options.motion = how->motion;
    if (how->facets > 0) flat.stage.options.own[GMC_RIGID_DIRECTIONS] = how->facets;
    oracle o = {.edge = {GMC_PUSHED_BLOCK[0], GMC_PUSHED_BLOCK[1]}, .tip = tip};
    weigh(&o, &flat);
    assert_int_equal(gmc_flat_push(&flat, way, 6.52, how->h), GMC_OK);
    pose end = push_oracle(&o, (pose){0, 0, 0}, from, gmc_vec2_add(from, way));
    gmc_vec3 place = gmc_flat_place(&flat, "block");
    ASSERT_NEAR(place.x, end.x, how->way);
    ASSERT_NEAR(place.y, end.y, how->way);
    ASSERT_NEAR(place.z, end.angle, how->angle);
    assert_true(gmc_vec2_norm((gmc_vec2){end.x, end.y}) > 4e-3);
    assert_int_equal(flat.stage.unsolved, 0);
    gmc_flat_close(&flat);
}

static void a_block_on_a_tripod_takes_the_way_of_least_power(void **unused)
{
    (void)unused;
    const manner exact[] = {{"coulomb", GMC_MOTION_DYNAMIC, 0.01, WAY, ANGLE, 0},
                            {"coulomb", GMC_MOTION_QUASI_STATIC, 0.01, WAY, ANGLE, 0}};
    for (int i = 0; i < GMC_COUNT(exact); i++)
        for (int k = 0; k < 6; k++)
            push_block(k, &exact[i]);
}

// Friction in n facets points up to half their spacing, pi / n, away from where it belongs. The way
// follows within a quarter of that: of 16.3 mm and 0.3 rad. Twice as many facets, half the error.
static void facets_take_nearly_that_way(void **unused)
{
    (void)unused;
    const struct {
        const char *stepper;
        int facets;
        gmc_motion motion;
    } all[] = {{"stewart_trinkle", 24, GMC_MOTION_DYNAMIC},
               {"stewart_trinkle", 48, GMC_MOTION_DYNAMIC},
               {"anitescu_potra", 24, GMC_MOTION_DYNAMIC},
               {"stewart_trinkle", 24, GMC_MOTION_QUASI_STATIC},
               {"anitescu_potra", 24, GMC_MOTION_QUASI_STATIC}};
    for (int i = 0; i < GMC_COUNT(all); i++) {
        double share = GMC_PI / all[i].facets / 4;
        const manner how = {all[i].stepper, all[i].motion, 0.02,
                            0.0163 * share, 0.3 * share,   all[i].facets};
        for (int k = 0; k < 6; k++)
            push_block(k, &how);
    }
}

static void a_disc_takes_the_way_of_least_power(void **unused)
{
    (void)unused;
    for (int k = 0; k < 4; k++) {
        gmc_flat flat;
        static gmc_support_point points[48];
        double radius = 0.05, tip = 4.7e-3, at = 0.25 * k - 0.3;
        gmc_vec2 from = {(radius + tip) * gmc_sin(at), -(radius + tip) * gmc_cos(at)};
        gmc_vec2 way = {0, 0.02};
        gmc_support_disc((gmc_vec2){0, 0}, radius, 0.35, 3, 16, points);
        gmc_flat_open(&flat, 3, DOWN);
        gmc_flat_round(&flat, "disc", gmc_flat_circle(radius), 0.8, (gmc_vec3){0, 0, 0});
        gmc_flat_support(&flat, "disc", points, 48);
        gmc_flat_pusher(&flat, from, tip);
        gmc_stage_ready(&flat.stage, 16);
        oracle o = {.disc = radius, .tip = tip};
        weigh(&o, &flat);
        assert_int_equal(gmc_flat_push(&flat, way, 8, 0.01), GMC_OK);
        pose end = push_oracle(&o, (pose){0, 0, 0}, from, gmc_vec2_add(from, way));
        gmc_vec3 place = gmc_flat_place(&flat, "disc");
        ASSERT_NEAR(place.x, end.x, WAY);
        ASSERT_NEAR(place.y, end.y, WAY);
        ASSERT_NEAR(place.z, end.angle, ANGLE);
        assert_int_equal(flat.stage.unsolved, 0);
        gmc_flat_close(&flat);
    }
}

/// Where the block is that a tip pushes along the y axis at `place`, `graze` too near at first.
static gmc_vec3 push_quasi_static(const manner *how, double mass, double speed, double graze)
{
    gmc_flat flat;
    const gmc_support_point points[] = {
        {{-0.04, -0.04}, 1, 0.3}, {{0.04, -0.02}, 1, 0.35}, {{-0.04, 0.08}, 1, 0.4}};
    const double weight = 15, way = 0.01;
    gmc_flat_open(&flat, 0.5, (gmc_vec3){0, 0, -weight / mass});
    gmc_polygon_pieces block = gmc_flat_polygon(&flat, GMC_PUSHED_BLOCK, 3);
    gmc_flat_body(&flat, "block", &block, mass, (gmc_vec3){0, 0, 0});
    gmc_flat_support(&flat, "block", points, 3);
    // it arrives in the tenth step
    gmc_flat_pusher(&flat, (gmc_vec2){0.06, -0.051 - 10 * how->h * speed + graze}, 1e-3);
    flat.stage.stepper = gmc_stepper_find(how->stepper);
    gmc_stage_ready(&flat.stage, 16);
    flat.stage.options.motion = GMC_MOTION_QUASI_STATIC;
    if (how->facets > 0) flat.stage.options.own[GMC_RIGID_DIRECTIONS] = how->facets;
    assert_int_equal(gmc_flat_push(&flat, (gmc_vec2){0, way}, way / speed, how->h), GMC_OK);
    assert_int_equal(flat.stage.unsolved, 0);
    gmc_vec3 end = gmc_flat_place(&flat, "block");
    gmc_flat_close(&flat);
    return end;
}

static void check_same_end(gmc_vec3 a, gmc_vec3 b, double tolerance)
{
    ASSERT_NEAR(a.x, b.x, tolerance);
    ASSERT_NEAR(a.y, b.y, tolerance);
    ASSERT_NEAR(a.z, b.z, tolerance);
}

// Without inertia ([berard2007] §II-A, M = 0): under the same weight the mass does not matter, nor
// does the speed at the same way per step.
static void quasi_static_pushes_forget_mass_and_speed(void **unused)
{
    (void)unused;
    const manner all[] = {{.stepper = "coulomb", .h = 0.02},
                          {.stepper = "stewart_trinkle", .h = 0.02, .facets = 16},
                          {.stepper = "anitescu_potra", .h = 0.02, .facets = 16}};
    for (int i = 0; i < GMC_COUNT(all); i++) {
        manner slow = all[i];
        slow.h *= 4;
        gmc_vec3 end = push_quasi_static(&all[i], 1.5, 4e-3, 0);
        assert_true(end.y > 4e-3);
        assert_true(end.z > 0.05);
        check_same_end(push_quasi_static(&all[i], 0.2, 4e-3, 0), end, 1e-9);
        check_same_end(push_quasi_static(&all[i], 40, 4e-3, 0), end, 1e-9);
        // the coulomb law's contact is damped, which moves a slower one by 6e-9
        check_same_end(push_quasi_static(&slow, 1.5, 1e-3, 0), end, 1e-6);
    }
}

// By how much a step presses on what it first meets is a matter of luck; a body that friction holds
// gives way to any of it.
static void a_push_that_hardly_touches_is_solved(void **unused)
{
    (void)unused;
    const manner all[] = {{.stepper = "coulomb", .h = 0.05},
                          {.stepper = "stewart_trinkle", .h = 0.05, .facets = 8},
                          {.stepper = "stewart_trinkle", .h = 0.05, .facets = 24},
                          {.stepper = "anitescu_potra", .h = 0.05, .facets = 8}};
    for (int i = 0; i < GMC_COUNT(all); i++) {
        gmc_vec3 first = push_quasi_static(&all[i], 1.5, 2.5e-3, 0);
        for (double graze = 1e-9; graze < 1e-4; graze *= 10) {
            gmc_vec3 end = push_quasi_static(&all[i], 1.5, 2.5e-3, graze);
            // along by that much, and what it changes of the turning
            ASSERT_NEAR(end.y, first.y, 2 * graze + 1e-6);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_on_a_tripod_takes_the_way_of_least_power),
        cmocka_unit_test(facets_take_nearly_that_way),
        cmocka_unit_test(a_disc_takes_the_way_of_least_power),
        cmocka_unit_test(quasi_static_pushes_forget_mass_and_speed),
        cmocka_unit_test(a_push_that_hardly_touches_is_solved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "engine/math/elementary.h"
#include "engine/model/builder.h"
#include "engine/model/support.h"
#include "test/support/capability.h"
#include "test/support/mechanism.h"
#include "test/support/near.h"

#include <string.h>

enum { POINTS_MAX = 600 };

static support_random the_random = {20260414};

typedef struct stand {
    gmc_body bodies[2];
    gmc_support support;
    gmc_support_point points[POINTS_MAX];
    gmc_model model;
    double forces[POINTS_MAX];
} stand;

static stand the;

/// What friction does to a body that moves: force on it and moment about `about`.
typedef struct wrench {
    gmc_vec2 force; ///< [N]
    double moment;  ///< [N·m]
} wrench;

/// The point of the limit surface whose normal is the twist: every point slides against its own
/// motion; one that stands still gives nothing here, though it may give anything up to mu N.
/// @param forces  (point_count) normal forces
/// @param v       velocity of the point `about`, body frame axes [m/s]
/// @param w       [rad/s]
/// @param about   body frame [m]
static wrench friction_of(const gmc_model *model, const gmc_support *support, const double *forces,
                          gmc_vec2 v, double w, gmc_vec2 about)
{
    const gmc_support_point *points = model->support_points + support->point_first;
    wrench sum = {{0, 0}, 0};
    for (int i = 0; i < support->point_count; i++) {
        gmc_vec2 arm = gmc_vec2_sub(points[i].p, about);
        gmc_vec2 way = gmc_vec2_unit(gmc_vec2_add_scaled(v, w, gmc_vec2_left(arm)));
        gmc_vec2 f = gmc_vec2_scale(-points[i].friction * forces[i], way);
        sum.force = gmc_vec2_add(sum.force, f);
        sum.moment += gmc_vec2_cross(arm, f);
    }
    return sum;
}

/// A body of 2 kg with its mass centre there, on the first `count` points.
static void put(gmc_vec2 com, int count)
{
    the.bodies[1].inertia = (gmc_inertia){.mass = 2, .com = {com.x, com.y, 0}};
    the.support = (gmc_support){.body = 1, .point_count = count};
    the.model = (gmc_model){.body_count = 2,
                            .bodies = the.bodies,
                            .support_count = 1,
                            .support_point_count = count,
                            .supports = &the.support,
                            .support_points = the.points,
                            .gravity = {0.3, 0.4, -9.81}};
}

static gmc_status forces(void) { return gmc_support_forces(&the.model, &the.support, the.forces); }

static const double WEIGHT = 2 * 9.81;

// [berard2007] §II-B: the tripods of the measured pushes (pushes.h), corner frame, mass centre at
// (0.05, 0.05) m. Coordinates of two fifths of a millimetre's digits (0.06333) move the share by
// what they are rounded by; the exact thirds are used here.
static void three_points_carry_what_statics_says(void **unused)
{
    (void)unused;
    const struct {
        gmc_vec2 p[3];
        double share[3];
    } tripods[] = {
        {{{0.03, 0.03}, {0.19 / 3, 0.13 / 3}, {0.13 / 3, 0.19 / 3}}, {1.0 / 7, 3.0 / 7, 3.0 / 7}},
        {{{0.01, 0.01}, {0.13, 0.01}, {0.01, 0.13}}, {1.0 / 3, 1.0 / 3, 1.0 / 3}},
        {{{0.03, 0.03}, {0.09, 0.03}, {0.03, 0.09}}, {1.0 / 3, 1.0 / 3, 1.0 / 3}},
        {{{0.01, 0.01}, {0.09, 0.03}, {0.01, 0.13}}, {1.0 / 4, 1.0 / 2, 1.0 / 4}},
    };
    double worst = 0;
    for (int k = 0; k < GMC_COUNT(tripods); k++)
        for (int uneven = 0; uneven < 2; uneven++) {
            for (int i = 0; i < 3; i++)
                the.points[i] =
                    (gmc_support_point){.p = tripods[k].p[i], .share = uneven ? i + 1 : 1};
            put((gmc_vec2){0.05, 0.05}, 3);
            assert_int_equal(forces(), GMC_OK);
            for (int i = 0; i < 3; i++)
                worst = fmax(worst, fabs(the.forces[i] / WEIGHT - tripods[k].share[i]));
        }
    capability_at_most(73, worst, 1e-12);
}

// Whatever the points: forces and moments balance, none pulls.
static void forces_balance_the_weight(void **unused)
{
    (void)unused;
    int carried = 0;
    for (int k = 0; k < 2000; k++) {
        int n = 3 + support_index(&the_random, 30);
        gmc_vec2 com = {support_uniform(&the_random, -0.02, 0.02), 0.3};
        for (int i = 0; i < n; i++)
            the.points[i] =
                (gmc_support_point){.p = {support_uniform(&the_random, -0.1, 0.1),
                                          0.3 + support_uniform(&the_random, -0.1, 0.1)},
                                    .share = support_uniform(&the_random, 0.1, 1)};
        put(com, n);
        if (forces() != GMC_OK) continue;
        carried++;
        double sum = 0, x = 0, y = 0;
        for (int i = 0; i < n; i++) {
            assert_true(the.forces[i] >= 0);
            sum += the.forces[i];
            x += the.forces[i] * (the.points[i].p.x - com.x);
            y += the.forces[i] * (the.points[i].p.y - com.y);
        }
        ASSERT_NEAR(sum, WEIGHT, 1e-12); // rounding of 30 terms of size 1, through a 2 x 2 system
        ASSERT_NEAR(x, 0, 1e-12);
        ASSERT_NEAR(y, 0, 1e-12);
    }
    assert_true(carried > 500);
}

static void what_cannot_carry_is_refused(void **unused)
{
    (void)unused;
    const gmc_vec2 lines[2][3] = {{{0, 0}, {0.1, 0.1}, {0.2, 0.2}}, {{0, 0}, {0, 0}, {0.1, 0}}};
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 3; i++)
            the.points[i] = (gmc_support_point){.p = lines[k][i], .share = 1};
        put((gmc_vec2){0.05, 0.05}, 3);
        assert_int_equal(forces(), GMC_E_INPUT);
    }
    const gmc_vec2 tripod[3] = {{0, 0}, {1, 0}, {0, 1}};
    for (int i = 0; i < 3; i++)
        the.points[i] = (gmc_support_point){.p = tripod[i], .share = 1};
    the.forces[0] = 7;
    put((gmc_vec2){0.6, 0.6}, 3); // outside
    assert_int_equal(forces(), GMC_E_INPUT);
    ASSERT_NEAR(the.forces[0], 7, 0);
    put((gmc_vec2){0.4, 0.4}, 3);
    assert_int_equal(gmc_support_forces(&the.model, &the.support, NULL), GMC_OK);
    the.model.gravity.z = 9.81; // upside down: nothing presses
    assert_int_equal(forces(), GMC_OK);
    ASSERT_NEAR(the.forces[0], 0, 0);
}

/// Friction of the uniform disc of radius 1 and mu N = 1 by fine polar quadrature.
static wrench fine_disc(gmc_vec2 v, double w)
{
    enum { R = 400, A = 720 };
    wrench sum = {{0, 0}, 0};
    for (int i = 0; i < R; i++)
        for (int k = 0; k < A; k++) {
            double r = (i + 0.5) / R, angle = 2 * GMC_PI * (k + 0.5) / A;
            gmc_vec2 p = {r * gmc_cos(angle), r * gmc_sin(angle)};
            gmc_vec2 f = gmc_vec2_unit(gmc_vec2_add_scaled(v, w, gmc_vec2_left(p)));
            f = gmc_vec2_scale(-2 * r / ((double)R * A), f);
            sum.force = gmc_vec2_add(sum.force, f);
            sum.moment += gmc_vec2_cross(p, f);
        }
    return sum;
}

// Pure translation mu N, pure rotation 2/3 mu N R (∫ mu p r dA); in between the dissipated power,
// which is the limit surface's support function.
static void a_disc_has_the_limit_surface_of_a_disc(void **unused)
{
    (void)unused;
    const struct {
        int rings, around;
        double bar;
    } rules[] = {{3, 16, 0.002}, {2, 10, 0.008}}; // as the header says
    for (int k = 0; k < GMC_COUNT(rules); k++) {
        int n = rules[k].rings * rules[k].around;
        gmc_support_disc((gmc_vec2){0.1, 0.2}, 1, 1, rules[k].rings, rules[k].around, the.points);
        put((gmc_vec2){0.1, 0.2}, n);
        assert_int_equal(forces(), GMC_OK);
        gmc_vec2 about = {0.1, 0.2};
        wrench straight =
            friction_of(&the.model, &the.support, the.forces, (gmc_vec2){0.6, 0.8}, 0, about);
        ASSERT_NEAR_RELATIVE(straight.force.x, -0.6 * WEIGHT, 1e-12);
        ASSERT_NEAR_RELATIVE(straight.force.y, -0.8 * WEIGHT, 1e-12);
        ASSERT_NEAR(straight.moment, 0, 1e-12);
        wrench turning =
            friction_of(&the.model, &the.support, the.forces, (gmc_vec2){0, 0}, -3, about);
        ASSERT_NEAR_RELATIVE(turning.moment, 2.0 / 3 * WEIGHT, 1e-12);
        ASSERT_NEAR(gmc_vec2_norm(turning.force), 0, 1e-12);
        double worst = 0;
        for (int i = 0; i <= 40; i++) {
            double tip = GMC_PI / 2 * i / 40;
            for (int side = 0; side < 3; side++) {
                double angle = 0.37 * side, speed = gmc_cos(tip), w = gmc_sin(tip);
                gmc_vec2 v = {speed * gmc_cos(angle), speed * gmc_sin(angle)};
                wrench own = friction_of(&the.model, &the.support, the.forces, v, w, about);
                wrench disc = fine_disc(v, w);
                double power = (gmc_vec2_dot(own.force, v) + own.moment * w) / WEIGHT;
                double exact = gmc_vec2_dot(disc.force, v) + disc.moment * w;
                worst = fmax(worst, fabs(power / exact - 1));
            }
        }
        print_message("%d rings of %d: off by %.2g\n", rules[k].rings, rules[k].around, worst);
        assert_true(worst <= rules[k].bar);
    }
    // one ring: the mean distance
    gmc_support_disc((gmc_vec2){0, 0}, 3, 0.5, 1, 3, the.points);
    ASSERT_NEAR(gmc_vec2_norm(the.points[0].p), 2, 1e-15);
}

// A rectangle: friction against turning is mu N times the mean distance from the middle, in closed
// form; a non-convex body's pressure keeps its centroid.
static void a_polygon_has_its_own_pressure(void **unused)
{
    (void)unused;
    const gmc_vec2 box[] = {{-2, -1}, {2, -1}, {2, 1}, {-2, 1}};
    gmc_arena arena;
    gmc_polygon_pieces pieces;
    assert_int_equal(gmc_arena_create(&arena, 1 << 16), GMC_OK);
    assert_int_equal(gmc_polygon_split(box, 4, &arena, &pieces), GMC_OK);
    int n = gmc_support_polygon(&pieces, 0.5, 12, NULL, 0);
    assert_int_equal(n, 2 * 12 * 12);
    assert_int_equal(gmc_support_polygon(&pieces, 0.5, 12, the.points, POINTS_MAX), n);
    put((gmc_vec2){0, 0}, n);
    assert_int_equal(forces(), GMC_OK);
    wrench turning =
        friction_of(&the.model, &the.support, the.forces, (gmc_vec2){0, 0}, 1, (gmc_vec2){0, 0});
    double d = sqrt(5), a = 2, b = 1;
    // mean distance of a rectangle 2a x 2b from its middle
    double mean =
        (2 * a * b * d + a * a * a * gmc_log((b + d) / a) + b * b * b * gmc_log((a + d) / b)) /
        (6 * a * b);
    ASSERT_NEAR_RELATIVE(-turning.moment, 0.5 * WEIGHT * mean, 2e-3); // second order in 1/cuts
    const gmc_vec2 ell[] = {{0, 0}, {3, 0}, {3, 1}, {1, 1}, {1, 3}, {0, 3}};
    assert_int_equal(gmc_polygon_split(ell, 6, &arena, &pieces), GMC_OK);
    n = gmc_support_polygon(&pieces, 0.5, 3, the.points, POINTS_MAX);
    gmc_polygon_moments m = gmc_polygon_measure(ell, 6);
    put(m.centroid, n);
    assert_int_equal(forces(), GMC_OK);
    double area = 0;
    for (int i = 0; i < n; i++)
        area += the.points[i].share;
    ASSERT_NEAR(area, 5, 1e-14);
    for (int i = 0; i < n; i++) // even: no tilt
        ASSERT_NEAR(the.forces[i], WEIGHT * the.points[i].share / area, 1e-12);
    gmc_arena_free(&arena);
}

// Maximum dissipation: no point of the surface opposes a twist more than the one found for it.
static void friction_is_normal_to_the_limit_surface(void **unused)
{
    (void)unused;
    for (int i = 0; i < 3; i++)
        the.points[i] = (gmc_support_point){.p = {0.1 * gmc_cos(2.1 * i), 0.1 * gmc_sin(2.1 * i)},
                                            .share = 1,
                                            .friction = 0.2 + 0.1 * i};
    put((gmc_vec2){0.01, 0}, 3);
    assert_int_equal(forces(), GMC_OK);
    gmc_vec2 about = {0.02, -0.03};
    for (int k = 0; k < 3000; k++) {
        gmc_vec2 v[2];
        double w[2], power[2];
        for (int i = 0; i < 2; i++) {
            v[i] = (gmc_vec2){support_uniform(&the_random, -1, 1),
                              support_uniform(&the_random, -1, 1)};
            w[i] = support_uniform(&the_random, -10, 10);
            wrench f = friction_of(&the.model, &the.support, the.forces, v[i], w[i], about);
            power[i] = gmc_vec2_dot(f.force, v[0]) + f.moment * w[0];
        }
        assert_true(power[0] <= power[1] + 1e-14);
        assert_true(power[0] < 0);
    }
}

static void the_builder_judges_supports(void **unused)
{
    (void)unused;
    const gmc_support_point good[] = {
        {{0.1, 0}, 1, 0.3}, {{-0.1, 0.1}, 1, 0.3}, {{-0.1, -0.1}, 1, 0.3}};
    const gmc_support_point away[] = {
        {{0.3, 0}, 1, 0.3}, {{0.1, 0.1}, 1, 0.3}, {{0.1, -0.1}, 1, 0.3}};
    const gmc_support_point pulled[] = {
        {{0.1, 0}, 0, 0.3}, {{-0.1, 0.1}, 1, 0.3}, {{-0.1, -0.1}, 1, 0.3}};
    const gmc_support_point slippery[] = {
        {{0.1, 0}, 1, -1}, {{-0.1, 0.1}, 1, 0.3}, {{-0.1, -0.1}, 1, 0.3}};
    const gmc_support_point nowhere[] = {
        {{NAN, 0}, 1, 0.3}, {{-0.1, 0.1}, 1, 0.3}, {{-0.1, -0.1}, 1, 0.3}};
    const struct {
        const gmc_support_point *points;
        int count;
        double damping, stiffness, relaxation;
        const char *link, *says;
    } cases[] = {
        {good, 3, 0, 1, 0, "body", NULL},
        {good, 2, 0, 1, 0, "body", "three points"},
        {away, 3, 0, 1, 0, "body", "not around the mass centre"},
        {pulled, 3, 0, 1, 0, "body", "shares > 0"},
        {slippery, 3, 0, 1, 0, "body", "friction >= 0"},
        {nowhere, 3, 0, 1, 0, "body", "not finite"},
        {good, 3, -1, 1, 0, "body", "damping"},
        {good, 3, 0, 0, 0, "body", "stiffness"},
        {good, 3, 0, 1, -1, "body", "relaxation"},
        {good, 3, 0, 1, 0, "other", "does not exist"},
        {good, 3, 0, 1, 0, "slide", "planar joint"},
        {good, 3, 0, 1, 0, "hand", "planar joint"},
    };
    for (int i = 0; i <= GMC_COUNT(cases); i++) {
        bool is_twice = i == GMC_COUNT(cases);
        int k = is_twice ? 0 : i;
        gmc_diagnostics report = {0};
        gmc_builder *b = gmc_builder_create(&report);
        gmc_inertia inertia = {.mass = 1, .I = gmc_mat3_diagonal(1e-3, 1e-3, 1e-3)};
        gmc_joint_spec joint = {.type = GMC_JOINT_PLANAR,
                                .X_pj = gmc_pose_identity(),
                                .dof = gmc_builder_default_dof()};
        gmc_builder_link(b, (gmc_source){0}, "body", NULL, &joint, &inertia);
        joint.is_driven = true;
        gmc_builder_link(b, (gmc_source){0}, "hand", NULL, &joint, &inertia);
        joint.is_driven = false;
        joint.type = GMC_JOINT_PRISMATIC;
        joint.axis = (gmc_vec3){1, 0, 0};
        gmc_builder_link(b, (gmc_source){0}, "slide", NULL, &joint, &inertia);
        gmc_support_spec spec = {cases[k].points, cases[k].count, cases[k].damping,
                                 cases[k].stiffness, cases[k].relaxation};
        gmc_builder_support(b, (gmc_source){.line = 12}, cases[k].link, &spec);
        if (is_twice) gmc_builder_support(b, (gmc_source){.line = 13}, cases[k].link, &spec);
        gmc_arena arena;
        gmc_model model;
        assert_int_equal(gmc_arena_create(&arena, 1 << 16), GMC_OK);
        const char *says = is_twice ? "given twice" : cases[k].says;
        assert_int_equal(gmc_builder_finish(b, &arena, &model), says ? GMC_E_INPUT : GMC_OK);
        if (says) {
            assert_int_equal(report.error_count, 1);
            assert_non_null(strstr(report.items[0].message, says));
            assert_int_equal(report.items[0].source.line, is_twice ? 13 : 12);
        } else {
            assert_int_equal(model.support_count, 1);
            assert_int_equal(model.support_point_count, 3);
            ASSERT_NEAR(model.support_points[1].p.y, 0.1, 0);
            gmc_arena copies;
            gmc_model copy;
            assert_int_equal(gmc_arena_create(&copies, gmc_model_copy_bytes(&model)), GMC_OK);
            assert_int_equal(gmc_model_copy(&model, &copies, &copy), GMC_OK);
            assert_true(copy.support_points != model.support_points);
            assert_memory_equal(copy.support_points, model.support_points,
                                3 * sizeof *copy.support_points);
            gmc_arena_free(&copies);
        }
        gmc_arena_free(&arena);
        gmc_builder_free(b);
        gmc_diagnostics_free(&report);
    }
}

int test_support(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_points_carry_what_statics_says),
        cmocka_unit_test(forces_balance_the_weight),
        cmocka_unit_test(what_cannot_carry_is_refused),
        cmocka_unit_test(a_disc_has_the_limit_surface_of_a_disc),
        cmocka_unit_test(a_polygon_has_its_own_pressure),
        cmocka_unit_test(friction_is_normal_to_the_limit_surface),
        cmocka_unit_test(the_builder_judges_supports),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

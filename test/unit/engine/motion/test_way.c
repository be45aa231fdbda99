// Motions in time: smooth at their knots, exact at their ends, and as slow as their limits ask for.
#include "engine/model/builder.h"
#include "engine/motion/way.h"
#include "test/support/capability.h"
#include "test/support/mechanism.h"
#include "test/support/near.h"

enum { JOINTS = 3, KNOTS = 7 };

static void fill(gmc_way *way, gmc_way_kind kind, support_random *random)
{
    way->kind = kind;
    way->knot_count = KNOTS;
    way->duration = 4;
    way->u[0] = 0;
    for (int k = 1; k < KNOTS; k++)
        way->u[k] = way->u[k - 1] + support_uniform(random, 0.5, 2);
    for (int k = 1; k < KNOTS; k++)
        way->u[k] /= way->u[KNOTS - 1];
    for (int i = 0; i < KNOTS * JOINTS; i++)
        way->x[i] = support_uniform(random, -1, 1);
    gmc_way_lay(way);
}

static const gmc_way_kind KINDS[] = {GMC_WAY_STOPS, GMC_WAY_THROUGH, GMC_WAY_LINE};

// u = t / T, or of a line the share that a quintic step has reached then.
static double time_of(const gmc_way *way, double u)
{
    double low = 0, high = 1;
    if (way->kind != GMC_WAY_LINE) return u * way->duration;
    for (int i = 0; i < 60; i++) {
        double s = (low + high) / 2;
        if (s * s * s * (10 + s * (-15 + 6 * s)) < u)
            low = s;
        else
            high = s;
    }
    return low * way->duration;
}

static void nothing_jumps_at_knots(void **unused)
{
    (void)unused;
    gmc_arena arena;
    gmc_way way;
    support_random random = {3};
    assert_int_equal(gmc_arena_create(&arena, 1 << 16), GMC_OK);
    assert_int_equal(gmc_way_create(JOINTS, KNOTS, &arena, &way), GMC_OK);
    double jump = 0;
    for (int c = 0; c < 30; c++) {
        fill(&way, KINDS[c % 3], &random);
        for (int k = 0; k < KNOTS; k++) {
            // the acceleration goes on by its rate, below 1e3 rad/s³, in twice this time
            const double BESIDE = 1e-13;
            double t = time_of(&way, way.u[k]), before[3][JOINTS], behind[3][JOINTS];
            gmc_way_at(&way, t - BESIDE, before[0], before[1], before[2]);
            gmc_way_at(&way, t + BESIDE, behind[0], behind[1], behind[2]);
            for (int i = 0; i < JOINTS; i++) {
                ASSERT_NEAR(behind[0][i], before[0][i], 1e-11);
                ASSERT_NEAR(behind[1][i], before[1][i], 1e-9);
                jump = fmax(jump, fabs(behind[2][i] - before[2][i]));
            }
        }
    }
    capability_at_most(30, jump, 1e-9);
    gmc_arena_free(&arena);
}

static void ends_are_exact_and_still(void **unused)
{
    (void)unused;
    gmc_arena arena;
    gmc_way way;
    support_random random = {4};
    assert_int_equal(gmc_arena_create(&arena, 1 << 16), GMC_OK);
    assert_int_equal(gmc_way_create(JOINTS, KNOTS, &arena, &way), GMC_OK);
    for (int c = 0; c < 30; c++) {
        double x[JOINTS], v[JOINTS], a[JOINTS], off = 0;
        fill(&way, KINDS[c % 3], &random);
        for (int end = 0; end < 4; end++) {
            const double at[4] = {-1, 0, way.duration, way.duration + 1};
            gmc_way_at(&way, at[end], x, v, a);
            const double *knot = way.x + (end < 2 ? 0 : KNOTS - 1) * JOINTS;
            for (int i = 0; i < JOINTS; i++) {
                off = fmax(off, fabs(x[i] - knot[i]));
                assert_true(v[i] == 0 && a[i] == 0);
            }
        }
        capability_at_most(30, off, 0);
    }
    gmc_arena_free(&arena);
}

static void it_passes_its_knots_and_velocity_is_the_derivative(void **unused)
{
    (void)unused;
    gmc_arena arena;
    gmc_way way;
    support_random random = {5};
    assert_int_equal(gmc_arena_create(&arena, 1 << 16), GMC_OK);
    assert_int_equal(gmc_way_create(JOINTS, KNOTS, &arena, &way), GMC_OK);
    for (int c = 0; c < 30; c++) {
        fill(&way, KINDS[c % 3], &random);
        double x[JOINTS], v[JOINTS], a[JOINTS], before[2][JOINTS], behind[2][JOINTS];
        for (int k = 0; k < KNOTS; k++) {
            gmc_way_at(&way, time_of(&way, way.u[k]), x, NULL, NULL);
            for (int i = 0; i < JOINTS; i++)
                ASSERT_NEAR(x[i], way.x[k * JOINTS + i], 1e-9); // of time_of at a quintic's ends
            if (way.kind != GMC_WAY_STOPS) continue;
            gmc_way_at(&way, way.u[k] * way.duration, NULL, v, NULL);
            for (int i = 0; i < JOINTS; i++)
                ASSERT_NEAR(v[i], 0, 1e-9);
        }
        const double h = 1e-5;
        for (double t = 0.01; t < way.duration - 0.01; t += 0.0137) {
            gmc_way_at(&way, t - h, before[0], before[1], NULL);
            gmc_way_at(&way, t + h, behind[0], behind[1], NULL);
            gmc_way_at(&way, t, NULL, v, a);
            for (int i = 0; i < JOINTS; i++) { // h² and rounding / h, of rates up to 1e3
                ASSERT_NEAR(v[i], (behind[0][i] - before[0][i]) / (2 * h), 1e-5);
                ASSERT_NEAR(a[i], (behind[1][i] - before[1][i]) / (2 * h), 1e-2);
            }
        }
    }
    gmc_arena_free(&arena);
}

/// One mass on a rail.
typedef struct rail {
    gmc_arena arena, scratch;
    gmc_model model;
    gmc_arm arm;
    gmc_way way;
} rail;

static void rail_open(rail *r, gmc_vec3 axis, double mass, gmc_dof dof)
{
    gmc_source nowhere = {0};
    gmc_diagnostics report = {0};
    const int dofs[1] = {0};
    gmc_inertia inertia = {mass, {0, 0, 0}, gmc_mat3_diagonal(mass, mass, mass)};
    gmc_joint_spec joint = {.name = "rail",
                            .type = GMC_JOINT_PRISMATIC,
                            .X_pj = gmc_pose_identity(),
                            .axis = axis,
                            .dof = dof};
    assert_int_equal(gmc_arena_create(&r->arena, 1 << 16), GMC_OK);
    assert_int_equal(gmc_arena_create(&r->scratch, 1 << 16), GMC_OK);
    gmc_builder *builder = gmc_builder_create(&report);
    gmc_builder_link(builder, nowhere, "cart", NULL, &joint, &inertia);
    assert_int_equal(gmc_builder_finish(builder, &r->arena, &r->model), GMC_OK);
    gmc_builder_free(builder);
    gmc_arm_spec spec = {
        .model = &r->model, .dofs = dofs, .count = 1, .tool_body = 1, .X_bt = gmc_pose_identity()};
    assert_int_equal(gmc_arm_create(&spec, &r->arena, &r->arm), GMC_OK);
    assert_int_equal(gmc_way_create(1, 2, &r->arena, &r->way), GMC_OK);
    r->way.kind = GMC_WAY_STOPS;
    r->way.knot_count = 2;
    r->way.u[1] = 1;
    gmc_way_lay(&r->way);
}

static void rail_close(rail *r)
{
    gmc_arena_free(&r->arena);
    gmc_arena_free(&r->scratch);
}

static gmc_status rail_move(rail *r, double from, double to, double in, gmc_way_limit *limit)
{
    r->way.x[0] = from;
    r->way.x[1] = to;
    r->way.duration = in;
    return gmc_way_stretch(&r->way, &r->arm, &r->scratch, limit);
}

// A quintic step of length d in T has its largest acceleration, 10 / sqrt(3) d / T², at
// (3 - sqrt(3)) / 6 of the time: a mass on a level rail takes sqrt(10 / sqrt(3) m d / F).
static void a_level_mass_takes_as_long_as_its_force_asks_for(void **unused)
{
    (void)unused;
    const double masses[] = {0.1, 1, 20}, ways[] = {0.01, -0.3, 2}, forces[] = {0.5, 10, 300};
    for (int c = 0; c < 27; c++) {
        double m = masses[c % 3], d = ways[c / 3 % 3], F = forces[c / 9];
        gmc_dof dof = gmc_builder_default_dof();
        gmc_way_limit limit;
        rail r;
        dof.max_force = F;
        rail_open(&r, (gmc_vec3){1, 0, 0}, m, dof);
        double T = sqrt(10 / sqrt(3) * m * fabs(d) / F);
        assert_int_equal(rail_move(&r, 0.2, 0.2 + d, 1e-4, &limit), GMC_OK);
        assert_int_equal(limit.joint, 0);
        assert_true(limit.is_force);
        // 1 % of the force is kept back, half of that in time
        assert_true(r.way.duration >= T && r.way.duration <= 1.0052 * T);
        double in = 1.5 * T;
        assert_int_equal(rail_move(&r, 0.2, 0.2 + d, in, &limit), GMC_OK);
        assert_int_equal(limit.joint, -1);
        assert_true(r.way.duration == in); // what is slow enough stays as it was asked for
        rail_close(&r);
    }
}

// 15/8 d / T is its largest speed.
static void speed_is_held_to_its_limit(void **unused)
{
    (void)unused;
    gmc_dof dof = gmc_builder_default_dof();
    gmc_way_limit limit;
    rail r;
    dof.max_speed = 0.25;
    rail_open(&r, (gmc_vec3){1, 0, 0}, 1, dof);
    assert_int_equal(rail_move(&r, 0, 0.4, 0.1, &limit), GMC_OK);
    assert_int_equal(limit.joint, 0);
    assert_false(limit.is_force);
    double T = 1.875 * 0.4 / 0.25; // 1 % of the speed is kept back
    assert_true(r.way.duration >= T && r.way.duration <= 1.011 * T);
    rail_close(&r);
}

// What is left of the force beside weight and dry friction accelerates; viscous friction, as at
// the largest speed, where nothing accelerates, alone: b 15/8 d / T <= F - m g - f.
static void weight_and_friction_are_carried_first(void **unused)
{
    (void)unused;
    const double m = 2, d = 0.3, g = 9.81, f = 3;
    gmc_way_limit limit;
    rail r;
    gmc_dof dof = gmc_builder_default_dof();
    dof.friction = f;
    dof.max_force = m * g + f + 5;
    rail_open(&r, (gmc_vec3){0, 0, 1}, m, dof);
    double T = sqrt(10 / sqrt(3) * m * d / 5);
    assert_int_equal(rail_move(&r, 0, d, 0.01, &limit), GMC_OK);
    assert_true(r.way.duration >= T && r.way.duration <= 1.0052 * T);
    // downwards friction carries, and braking is what the force is for
    T = sqrt(10 / sqrt(3) * m * d / (5 + 2 * f));
    assert_int_equal(rail_move(&r, 0, -d, 0.01, &limit), GMC_OK);
    assert_true(r.way.duration >= T && r.way.duration <= 1.0052 * T);
    rail_close(&r);

    dof.damping = 4000; // inertia is nothing beside it
    rail_open(&r, (gmc_vec3){0, 0, 1}, m, dof);
    T = 1.875 * 4000 * d / 5;
    assert_int_equal(rail_move(&r, 0, d, 0.01, &limit), GMC_OK);
    assert_true(r.way.duration >= T && r.way.duration <= 1.011 * T);
    rail_close(&r);
}

static void what_its_force_does_not_carry_is_refused(void **unused)
{
    (void)unused;
    gmc_way_limit limit;
    rail r;
    gmc_dof dof = gmc_builder_default_dof();
    dof.max_force = 2 * 9.81 - 1e-6;
    rail_open(&r, (gmc_vec3){0, 0, 1}, 2, dof);
    assert_int_equal(rail_move(&r, 0, 0.1, 1, &limit), GMC_E_LIMIT);
    assert_int_equal(limit.joint, 0);
    ASSERT_NEAR_RELATIVE(limit.needed, 2 * 9.81, 1e-12);
    rail_close(&r);
}

int test_way(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_jumps_at_knots),
        cmocka_unit_test(ends_are_exact_and_still),
        cmocka_unit_test(it_passes_its_knots_and_velocity_is_the_derivative),
        cmocka_unit_test(a_level_mass_takes_as_long_as_its_force_asks_for),
        cmocka_unit_test(speed_is_held_to_its_limit),
        cmocka_unit_test(weight_and_friction_are_carried_first),
        cmocka_unit_test(what_its_force_does_not_carry_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

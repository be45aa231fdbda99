// Friction of flat contacts between hard surfaces: the moment about the normal that uniform
// pressure bears (limit analysis), alone and together with a force, and that the pressure's middle
// carries it.

#include "engine/math/elementary.h"
#include "engine/model/inertia.h"
#include "test/support/near.h"
#include "test/support/stage.h"

static const double G = 9.81, FRICTION = 0.6;
static const gmc_source NOWHERE = {0};
static const double STEPS[] = {0.25e-3, 1e-3, 2e-3, 4e-3};
static const double MASSES[] = {0.01, 0.5, 10};
enum { CASES = 12 };

static double mass_of(int i) { return MASSES[i % 3]; }
static double step_of(int i) { return STEPS[i % 4]; }

static void lay_down(gmc_stage *s, gmc_shape shape, gmc_quat turn, double height, double mass)
{
    gmc_stage_open(s, FRICTION);
    gmc_stage_fixed(s, "floor", gmc_stage_plane(), gmc_pose_identity());
    gmc_stage_free(s, "body", shape, mass, (gmc_vec3){0, 0, height});
    gmc_stage_ready(s, 32);
    double *q = s->world.state.q + s->model.bodies[gmc_stage_body(s, "body")].q;
    q[3] = turn.w, q[4] = turn.x, q[5] = turn.y, q[6] = turn.z;
    gmc_kinematics_update(&s->model, s->world.state.q, s->world.state.v, &s->world.kin);
}

/// Does it move under a force along x and a moment about z that grow slowly?
static bool gives(gmc_stage *s, double h, double force, double moment)
{
    double *wrench = s->force + gmc_stage_dof(s, "body");
    assert_int_equal(gmc_stage_run(s, h, 0.1), GMC_OK);
    for (int k = 1; k <= 50; k++) { // so that nothing swings
        wrench[0] = force * k / 50;
        wrench[5] = moment * k / 50;
        assert_int_equal(gmc_stage_run(s, h, 0.01), GMC_OK);
    }
    assert_int_equal(gmc_stage_run(s, h, 0.2), GMC_OK);
    const gmc_twist *V = &s->world.kin.V[gmc_stage_body(s, "body")];
    return gmc_vec3_norm(V->v) > 1e-6 || gmc_vec3_norm(V->w) > 1e-4;
}

/// Holds at 0.99 of a moment and gives at 1.03: the arms are 1.02 times the mean ones, to 0.6 %
/// (flat.c).
static void expect_moment(gmc_shape shape, gmc_quat turn, double height, double arm)
{
    for (int i = 0; i < CASES; i++)
        for (int k = 0; k < 2; k++) {
            gmc_stage s;
            double limit = FRICTION * mass_of(i) * G * arm;
            lay_down(&s, shape, turn, height, mass_of(i));
            bool is_given = gives(&s, step_of(i), 0, (k ? 1.03 : 0.99) * limit);
            if (is_given != (k == 1))
                fail_msg("%g kg, %g ms: %s", mass_of(i), 1e3 * step_of(i),
                         k ? "holds too much" : "holds too little");
            gmc_stage_close(&s);
        }
}

/// mu N times the mean distance from the middle: of a square of half side a 0.765196 a, of a disc
/// 2/3 of its radius, of a line a quarter of its length.
static void moment_is_that_of_uniform_pressure(void **unused)
{
    (void)unused;
    const double sizes[] = {0.003, 0.02, 0.1};
    for (int i = 0; i < 3; i++) {
        double a = sizes[i], c = a / 3;
        gmc_shape can = {.type = GMC_SHAPE_CYLINDER, .radius = a, .half_length = c};
        gmc_shape pin = {.type = GMC_SHAPE_CYLINDER, .radius = c, .half_length = a};
        gmc_quat lying = {gmc_cos(GMC_PI / 4), 0, gmc_sin(GMC_PI / 4), 0};
        expect_moment(gmc_stage_box(a, a, c), gmc_quat_identity(), c, 0.765195716 * a);
        expect_moment(can, gmc_quat_identity(), c, 2 * a / 3);
        expect_moment(pin, lying, c, a / 2);
    }
}

/// Mean of |v + w x r| over a rectangle of half sides a, b.
static double power(double a, double b, double v, double w)
{
    enum { CELLS = 40 };
    double sum = 0;
    for (int i = 0; i < CELLS; i++)
        for (int j = 0; j < CELLS; j++) {
            double x = a * ((2 * i + 1.0) / CELLS - 1), y = b * ((2 * j + 1.0) / CELLS - 1);
            double vx = v - w * y, vy = w * x;
            sum += sqrt(vx * vx + vy * vy);
        }
    return sum / (CELLS * CELLS);
}

/// Largest factor of a force along x and a moment that uniform pressure bears, over mu N: the
/// smallest over all motions of power over work.
static double factor(double a, double b, double force, double moment)
{
    double least = HUGE_VAL;
    for (int i = 0; i <= 200; i++) {
        double angle = GMC_PI / 2 * i / 200, v = gmc_cos(angle), w = gmc_sin(angle) / a;
        double work = force * v + moment * w;
        if (work > 0) least = fmin(least, power(a, b, v, w) / work);
    }
    return least;
}

/// Sliding and turning together, on plates too thin to tip: four points bear up to 8 % less than
/// uniform pressure, and 2 % more. The aim of the issue that asked for it, 3 %, is missed.
static void force_and_moment_together_within_8_percent_not_3(void **unused)
{
    (void)unused;
    const double a = 0.03, halves[] = {0.03, 0.02, 0.045};
    for (int i = 0; i < 60; i++)
        for (int k = 0; k < 2; k++) {
            gmc_stage s;
            double b = halves[i % 3], c = 1e-3, angle = GMC_PI / 2 * (i / 3) / 19;
            double mass = mass_of(i / 3), load = FRICTION * mass * G;
            double force = gmc_cos(angle), moment = gmc_sin(angle) * 0.5 * a;
            double share = (k ? 1.03 : 0.915) * load * factor(a, b, force, moment);
            lay_down(&s, gmc_stage_box(a, b, c), gmc_quat_identity(), c, mass);
            bool is_given = gives(&s, step_of(i / 3), share * force, share * moment);
            if (is_given != (k == 1))
                fail_msg("half sides %g, %g, direction %d of 20: %s", a, b, i / 3,
                         k ? "holds too much" : "holds too little");
            gmc_stage_close(&s);
        }
}

/// What slides has its friction where its pressure has its middle, wherever that is: a plate whose
/// mass centre is off its middle slides without turning.
static void load_off_the_middle_slides_straight(void **unused)
{
    (void)unused;
    for (int i = 0; i < CASES; i++) {
        gmc_stage s;
        double heading = 0.5 * i, h = step_of(i), half = 0.05, c = 2e-3;
        gmc_shape plate = gmc_stage_box(half, half, c);
        gmc_inertia inertia = gmc_inertia_of_shape_mass(&plate, mass_of(i));
        inertia.com = (gmc_vec3){0.02, -0.03, 0};
        gmc_joint_spec joint = {.type = GMC_JOINT_FREE,
                                .X_pj = {.R = gmc_mat3_identity(), .p = {0, 0, c}},
                                .dof = gmc_builder_default_dof()};
        gmc_stage_open(&s, FRICTION);
        gmc_stage_fixed(&s, "floor", gmc_stage_plane(), gmc_pose_identity());
        gmc_builder_link(s.builder, NOWHERE, "body", NULL, &joint, &inertia);
        gmc_builder_geom(s.builder, NOWHERE, "body", "plate", gmc_pose_identity(), plate, "any", 1,
                         3);
        gmc_stage_ready(&s, 16);
        assert_int_equal(gmc_stage_run(&s, h, 0.2), GMC_OK);
        double *v = s.world.state.v + gmc_stage_dof(&s, "body");
        v[0] = gmc_cos(heading);
        v[1] = gmc_sin(heading);
        gmc_kinematics_update(&s.model, s.world.state.q, s.world.state.v, &s.world.kin);
        assert_int_equal(gmc_stage_run(&s, h, 0.25), GMC_OK);
        const gmc_mat3 *R = &s.world.kin.X_wb[gmc_stage_body(&s, "body")].R;
        assert_true(gmc_vec3_norm(gmc_stage_place(&s, "body")) > 0.07); // 85 mm, v²/(2 mu g)
        // the middle lags by 1e-5 of the plate (coulomb_flat.c): a moment of mu N 1e-5 half, and
        // the braking itself begins in one step, with the load of the step before
        ASSERT_NEAR(gmc_atan2(R->m[3], R->m[0]), 0, 3e-3);
        gmc_stage_close(&s);
    }
}

/// What stands on feet has its friction at the feet: four of them bear mu N times the
/// distance of their areas from the middle, not the mean one of the square that they span.
static void feet_bear_where_they_stand(void **unused)
{
    (void)unused;
    const double apart = 0.04, foot = 0.002, height = 0.01;
    // mean distance of a foot's area from the middle: that of its centre to 1e-3
    const double arm = apart * sqrt(2.0);
    for (int i = 0; i < 2 * CASES; i++) {
        gmc_stage s;
        gmc_shape plate = gmc_stage_box(apart, apart, height);
        gmc_inertia inertia = gmc_inertia_of_shape_mass(&plate, mass_of(i));
        gmc_joint_spec joint = {.type = GMC_JOINT_FREE,
                                .X_pj = {.R = gmc_mat3_identity(), .p = {0, 0, height}},
                                .dof = gmc_builder_default_dof()};
        gmc_stage_open(&s, FRICTION);
        gmc_stage_fixed(&s, "floor", gmc_stage_plane(), gmc_pose_identity());
        gmc_builder_link(s.builder, NOWHERE, "body", NULL, &joint, &inertia);
        for (int k = 0; k < 4; k++) {
            gmc_pose X = gmc_pose_identity();
            char name[] = {'f', (char)('0' + k), 0};
            X.p = (gmc_vec3){k % 2 ? apart : -apart, k / 2 ? apart : -apart, 0};
            gmc_builder_geom(s.builder, NOWHERE, "body", name, X, gmc_stage_box(foot, foot, height),
                             "any", 1, 3);
        }
        gmc_stage_ready(&s, 32);
        double limit = FRICTION * mass_of(i) * G * arm;
        bool is_given = gives(&s, step_of(i), 0, (i % 2 ? 1.02 : 0.98) * limit);
        assert_int_equal(is_given, i % 2);
        gmc_stage_close(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moment_is_that_of_uniform_pressure),
        cmocka_unit_test(force_and_moment_together_within_8_percent_not_3),
        cmocka_unit_test(load_off_the_middle_slides_straight),
        cmocka_unit_test(feet_bear_where_they_stand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

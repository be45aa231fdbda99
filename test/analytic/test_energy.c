// Energy balance of the default stepper (coulomb_energy.c): each part against its closed form, at
// several masses and steps; and that energy from nowhere is missing.

#include "engine/grasp/measure.h"
#include "test/support/near.h"
#include "test/support/stage.h"

#include <string.h>

static const double G = 9.81;
static const double STEPS[] = {0.25e-3, 1e-3, 4e-3}, MASSES[] = {0.01, 0.5, 20};

/// All but the kinetic energy, which is the last step's, added up [J].
typedef struct sums {
    double drives, gravity, loss, scheme, kinetic_change, elastic_change, kinetic;
    gmc_measure_energy measure;
} sums;

static void step(gmc_stage *s, double h, sums *sum)
{
    assert_int_equal(gmc_stage_step(s, h), GMC_OK);
    s->options.is_start = false;
    const gmc_step_energy *e = &s->last.energy;
    assert_true(e->is_known);
    sum->drives += e->drives;
    sum->gravity += e->gravity;
    sum->loss += e->loss;
    sum->scheme += e->scheme;
    sum->kinetic_change += e->kinetic_change;
    sum->elastic_change += e->elastic_change;
    sum->kinetic = e->kinetic;
    gmc_measure_energy_step(e, &sum->measure);
}

static void run(gmc_stage *s, double h, double span, sums *sum)
{
    for (long i = 0, count = lround(span / h); i < count; i++)
        step(s, h, sum);
}

static double balance_of(const sums *sum)
{
    double balance, scheme, size;
    gmc_measure_energy_finish(&sum->measure, &balance, &scheme, &size);
    return balance;
}

static void ready(gmc_stage *s, int contact_max)
{
    gmc_stage_ready(s, contact_max);
    s->options.is_start = true;
}

// ---- motion -------------------------------------------------------------------------------------

/// Thrown with a spin about no axis of its own.
static void free_body(void **state)
{
    (void)state;
    double worst = 0;
    for (int i = 0; i < 9; i++) {
        double h = STEPS[i / 3], mass = MASSES[i % 3], v[6] = {1, 0.5, 2, 4, -3, 2};
        gmc_stage s;
        sums sum = {0};
        gmc_stage_open(&s, 0.5);
        gmc_stage_free(&s, "body", gmc_stage_box(0.02, 0.03, 0.05), mass, (gmc_vec3){0, 0, 1});
        ready(&s, 4);
        memcpy(s.world.state.v, v, sizeof v);
        gmc_kinematics_update(&s.model, s.world.state.q, s.world.state.v, &s.world.kin);
        run(&s, h, 0.4, &sum);
        double fallen =
            1 - (gmc_stage_place(&s, "body").z - 0.5 * h * gmc_stage_velocity(&s, "body").z);
        ASSERT_NEAR(sum.gravity, mass * G * fallen, 1e-12 * mass); // half a step before the end
        // from rest at the start to half a step later weight does m (g h)²/8 too much
        ASSERT_NEAR(sum.scheme, mass * G * G * h * h / 8, 1e-12 * mass);
        ASSERT_NEAR(sum.kinetic_change, sum.gravity - sum.scheme, 1e-5 * mass); // spin: (h w)²
        ASSERT_NEAR(sum.loss, 0, 0);
        worst = fmax(worst, fabs(balance_of(&sum)));
        gmc_stage_close(&s);
    }
    print_message("free body: balance %.1e\n", worst);
    ASSERT_BELOW(worst, 1e-4); // the midpoint rule keeps the energy of a top to (h w)²/12
}

/// Two links of 1 kg that swing from the world: second order.
static void double_pendulum(void **state)
{
    (void)state;
    double balance[2];
    for (int i = 0; i < 2; i++) {
        gmc_stage s;
        sums sum = {0};
        gmc_stage_open(&s, 0.5);
        gmc_stage_hinge(&s, "upper", NULL, (gmc_vec3){0, 1, 0}, (gmc_vec3){0, 0, 1}, false);
        gmc_stage_slider(&s, "arm", "upper", (gmc_vec3){0, 0, 1}, (gmc_vec3){0.3, 0, 0},
                         (gmc_shape){.type = GMC_SHAPE_BOX}, 1, gmc_builder_default_dof(), false);
        gmc_stage_hinge(&s, "lower", "arm", (gmc_vec3){0, 1, 0}, (gmc_vec3){0.2, 0, 0}, false);
        ready(&s, 4);
        int slide = gmc_stage_dof(&s, "arm");
        s.stiffness[slide] = 2e3; // a spring as a drive
        run(&s, 2e-3 / (1 + i), 1, &sum);
        balance[i] = fabs(balance_of(&sum));
        gmc_stage_close(&s);
    }
    print_message("trees: balance %.1e at 2 ms, %.1e at 1 ms\n", balance[0], balance[1]);
    ASSERT_BELOW(balance[1], 1e-3);
    assert_true(balance[1] < 0.4 * balance[0]);
}

/// A load that a damper drags behind a driven carriage: what the carriage does is the force on the
/// load, by its momentum, times the carriage's way.
static void driven_base(void **state)
{
    (void)state;
    const double mass = 2;
    for (int i = 0; i < GMC_COUNT(STEPS); i++) {
        double h = STEPS[i], work = 0;
        gmc_stage s;
        sums sum = {0};
        gmc_stage_open(&s, 0.5);
        gmc_stage_slider(&s, "carriage", NULL, (gmc_vec3){1, 0, 0}, (gmc_vec3){0, 0, 1},
                         (gmc_shape){.type = GMC_SHAPE_BOX}, 5, gmc_builder_default_dof(), true);
        gmc_dof drag = gmc_builder_default_dof();
        drag.damping = 10;
        gmc_stage_slider(&s, "load", "carriage", (gmc_vec3){1, 0, 0}, (gmc_vec3){0, 0, -0.2},
                         (gmc_shape){.type = GMC_SHAPE_BOX}, mass, drag, false);
        ready(&s, 4);
        int base = gmc_stage_dof(&s, "carriage");
        for (long k = 0; k < lround(0.5 / h); k++) {
            double before = s.world.state.v[base], after = fmin(2 * (double)(k + 1) * h, 0.6);
            double speed = gmc_stage_velocity(&s, "load").x;
            s.v_driven[base] = after;
            s.q_driven[s.model.bodies[gmc_stage_body(&s, "carriage")].q] += h * after;
            step(&s, h, &sum);
            work += mass * (gmc_stage_velocity(&s, "load").x - speed) * 0.5 * (before + after);
        }
        double speed = gmc_stage_velocity(&s, "load").x;
        assert_true(speed > 0.3);
        assert_true(sum.loss > 0.05);
        ASSERT_NEAR(sum.drives, work, 1e-12);
        ASSERT_NEAR(sum.kinetic_change, 0.5 * mass * speed * speed, 1e-12); // without the carriage
        ASSERT_NEAR(balance_of(&sum), 0, 1e-12);
        gmc_stage_close(&s);
    }
}

/// A driven hinge turns an arm of 2 kg, 0.3 m long on a stiff servo, from the horizontal upright:
/// it lifts its weight by 0.3 m, and not its own. To second order.
static void driven_hinge(void **state)
{
    (void)state;
    const double mass = 2, arm = 0.3, turn = -0.5 * 3.14159265358979312, pace = 0.5;
    double balance[3];
    for (int i = 0; i < GMC_COUNT(STEPS); i++) {
        double h = STEPS[i];
        gmc_stage s;
        sums sum = {0};
        gmc_stage_open(&s, 0.5);
        gmc_stage_hinge(&s, "base", NULL, (gmc_vec3){0, 1, 0}, (gmc_vec3){0, 0, 1}, true);
        gmc_stage_slider(&s, "arm", "base", (gmc_vec3){1, 0, 0}, (gmc_vec3){arm, 0, 0},
                         (gmc_shape){.type = GMC_SHAPE_BOX}, mass, gmc_builder_default_dof(),
                         false);
        ready(&s, 4);
        int base = gmc_stage_dof(&s, "base"), slide = gmc_stage_dof(&s, "arm");
        int q = s.model.bodies[gmc_stage_body(&s, "base")].q;
        s.stiffness[slide] = 1e6;
        s.damping[slide] = 1e4;
        for (long k = 1; k <= lround(0.6 / h); k++) {
            double x = fmin((double)k * h / pace, 1);
            double to = turn * x * x * x * (10 - 15 * x + 6 * x * x);
            s.v_driven[base] = (to - s.q_driven[q]) / h;
            s.q_driven[q] = to;
            step(&s, h, &sum);
        }
        ASSERT_NEAR(sum.gravity, -mass * G * arm, 1e-4 * mass * G * arm); // the servo gives 6 µm
        ASSERT_NEAR(sum.drives, mass * G * arm, 1e-3 * mass * G * arm);
        balance[i] = fabs(balance_of(&sum));
        gmc_stage_close(&s);
    }
    print_message("driven hinge: balance %.1e, %.1e, %.1e\n", balance[0], balance[1], balance[2]);
    ASSERT_BELOW(balance[2], 1e-3);
    assert_true(balance[1] < 0.1 * balance[2]);
    assert_true(balance[0] < 0.1 * balance[1]);
}

/// A servo with a spring alone: its work is the change of k x²/2, to first order as it is implicit.
static void spring_servo(void **state)
{
    (void)state;
    for (int i = 0; i < 9; i++) {
        double h = STEPS[i / 3], mass = MASSES[i % 3], kp = 100 * mass, goal = 0.1;
        gmc_stage s;
        sums sum = {0};
        gmc_stage_open(&s, 0.5);
        gmc_stage_slider(&s, "slide", NULL, (gmc_vec3){1, 0, 0}, (gmc_vec3){0, 0, 0},
                         (gmc_shape){.type = GMC_SHAPE_BOX}, mass, gmc_builder_default_dof(),
                         false);
        ready(&s, 4);
        s.stiffness[0] = kp;
        s.q_ref[0] = goal;
        run(&s, h, 0.16, &sum); // about a quarter of a swing
        double q = s.world.state.q[0];
        double want = 0.5 * kp * (goal * goal - (goal - q) * (goal - q));
        ASSERT_NEAR(sum.drives, want, 1.2 * 100 * 0.16 * h * want); // its damping: w² h t
        ASSERT_NEAR(sum.kinetic_change, sum.drives, 1e-12 * want);
        gmc_stage_close(&s);
    }
}

// ---- contacts -----------------------------------------------------------------------------------

/// A box at 1 m/s on a table until it stops: friction takes mu m g times the way.
static void slide_to_a_stop(void **state)
{
    (void)state;
    const double friction = 0.4;
    double worst = 0;
    for (int i = 0; i < 9; i++) {
        double h = STEPS[i / 3], mass = MASSES[i % 3];
        gmc_stage s;
        sums sum = {0};
        gmc_stage_open(&s, friction);
        gmc_stage_fixed(&s, "table", gmc_stage_plane(), gmc_pose_identity());
        gmc_stage_free(&s, "box", gmc_stage_box(0.03, 0.03, 0.01), mass, (gmc_vec3){0, 0, 0.01});
        ready(&s, 8);
        run(&s, h, 0.1, &sum); // comes to lie
        double start = gmc_stage_place(&s, "box").x, lost = sum.loss;
        s.world.state.v[0] = 1;
        gmc_kinematics_update(&s.model, s.world.state.q, s.world.state.v, &s.world.kin);
        run(&s, h, 0.4, &sum);
        double way = gmc_stage_place(&s, "box").x - start, want = friction * mass * G * way;
        ASSERT_NEAR(sum.loss - lost, want,
                    2 * friction * G * h * want); // ways end half a step earlier
        ASSERT_NEAR(sum.loss - lost, 0.5 * mass, 4 * friction * G * h * want);
        ASSERT_BELOW(fabs(gmc_stage_velocity(&s, "box").x), 1e-6);
        worst = fmax(worst, fabs(sum.scheme) / want);
        gmc_stage_close(&s);
    }
    print_message("slide: the scheme takes %.1e\n", worst);
    ASSERT_BELOW(worst, 1e-2);
}

/// Ball and box dropped by 0.2 m: without restitution all is lost, else 1 - e².
static void drops(void **state)
{
    (void)state;
    const double es[] = {0, 0.5, 0.8}, height = 0.2;
    double worst = 0;
    for (int i = 0; i < 54; i++) {
        double h = STEPS[i % 3], mass = MASSES[i / 3 % 3], e = es[i / 9 % 3];
        const gmc_surface_extra extra = {.restitution = e, .bounce_speed = 0.01};
        gmc_shape ball = {.type = GMC_SHAPE_SPHERE, .radius = 0.02};
        gmc_stage s;
        sums sum = {0};
        gmc_stage_open(&s, 0.3);
        gmc_stage_fixed(&s, "floor", gmc_stage_plane(), gmc_pose_identity());
        gmc_stage_free(&s, "body", i < 27 ? ball : gmc_stage_box(0.02, 0.03, 0.02), mass,
                       (gmc_vec3){0, 0, 0.02 + height});
        ready(&s, 8);
        if (e > 0) gmc_stage_extra(&s, &extra);
        double fall = sqrt(2 * height / G), all = mass * G * height;
        run(&s, h, fall * (1 + 0.5 * e) + 5 * h, &sum);
        // impulses of a step act where it begins: the loss errs by what is fallen in a step or two
        ASSERT_NEAR(sum.loss, (1 - e * e) * all, all * 4 * h / fall);
        worst = fmax(worst, fabs(balance_of(&sum)));
        gmc_stage_close(&s);
    }
    print_message("drops: balance %.1e\n", worst);
    ASSERT_BELOW(worst, 1e-3);
}

/// A box pressed on a pad by a force that grows: F²/(2 k A) is stored.
static void pad_pressed(void **state)
{
    (void)state;
    const double k = 1e8, side = 0.04, force = 20;
    const gmc_surface_extra pad = {.pad = k, .pad_edge = 5e-3, .pad_shear = 0.5};
    for (int i = 0; i < GMC_COUNT(STEPS); i++) {
        double h = STEPS[i];
        gmc_stage s;
        sums sum = {0};
        gmc_stage_open(&s, 0.5);
        gmc_stage_fixed(&s, "table", gmc_stage_plane(), gmc_pose_identity());
        gmc_stage_free(&s, "box", gmc_stage_box(side / 2, side / 2, side / 2), 0.1,
                       (gmc_vec3){0, 0, side / 2});
        ready(&s, 16);
        gmc_stage_extra(&s, &pad);
        for (long n = 0, count = lround(1 / h); n < count; n++) {
            s.force[2] = -force * fmin(2 * (double)n / (double)count, 1);
            step(&s, h, &sum);
        }
        double weighed = force + 0.1 * G, want = weighed * weighed / (2 * k * side * side);
        ASSERT_NEAR(sum.elastic_change, want, 1e-3 * want); // it rests to that
        ASSERT_NEAR(balance_of(&sum), 0, 1e-3);
        gmc_stage_close(&s);
    }
}

/// A joint that falls on its stop, and one that its friction brakes.
static void stop_and_brake(void **state)
{
    (void)state;
    for (int i = 0; i < 9; i++) {
        double h = STEPS[i / 3], mass = MASSES[i % 3];
        gmc_dof stop = gmc_builder_default_dof(), brake = stop;
        stop.lower = -0.1;
        brake.friction = 5 * mass;
        gmc_stage s;
        sums sum = {0};
        gmc_stage_open(&s, 0.5);
        gmc_stage_slider(&s, "falls", NULL, (gmc_vec3){0, 0, 1}, (gmc_vec3){0, 0, 1},
                         (gmc_shape){.type = GMC_SHAPE_BOX}, mass, stop, false);
        gmc_stage_slider(&s, "slides", NULL, (gmc_vec3){1, 0, 0}, (gmc_vec3){0, 0, 1},
                         (gmc_shape){.type = GMC_SHAPE_BOX}, mass, brake, false);
        ready(&s, 4);
        int slides = gmc_stage_dof(&s, "slides");
        s.world.state.v[slides] = 1;
        gmc_kinematics_update(&s.model, s.world.state.q, s.world.state.v, &s.world.kin);
        run(&s, h, 0.5, &sum);
        double way = s.world.state.q[s.model.bodies[gmc_stage_body(&s, "slides")].q];
        double fallen = -s.world.state.q[s.model.bodies[gmc_stage_body(&s, "falls")].q];
        ASSERT_NEAR(sum.loss + sum.scheme + sum.elastic_change, mass * (0.5 + fallen * G),
                    1e-5 * mass); // it still creeps to its stop
        assert_true(sum.loss > 5 * mass * way * (1 - 10 * h));
        ASSERT_NEAR(balance_of(&sum), 0, 1e-3);
        gmc_stage_close(&s);
    }
}

// ---- what comes from nowhere --------------------------------------------------------------------

/// A ball is pressed on a table whose stiffness then grows to four times as much within 1 s: it
/// rises by 3/4 of its depth F/k against F, of which the spring held only F²/2k. Where it falls to
/// a quarter nothing is missing.
static void stiffness_that_changes(void **state)
{
    (void)state;
    for (int i = 0; i < 12; i++) {
        double h = STEPS[i / 2 % 3], mass = MASSES[i % 2], force = 100 * mass * G, k = 1e6;
        double times = i < 6 ? 4 : 0.25, want = i < 6 ? -0.25 : 0;
        gmc_shape ball = {.type = GMC_SHAPE_SPHERE, .radius = 0.02};
        gmc_stage s;
        sums sum = {0};
        gmc_stage_open(&s, 0.3);
        gmc_stage_fixed(&s, "floor", gmc_stage_plane(), gmc_pose_identity());
        gmc_stage_free(&s, "body", ball, mass, (gmc_vec3){0, 0, 0.02});
        ready(&s, 8);
        for (long n = 0, count = lround(1 / h); n < 3 * count; n++) {
            double time = (double)n / (double)count;
            s.force[2] = -force * fmin(2 * time, 1);
            for (int l = 0; l < s.model.surface_count * s.model.surface_count; l++)
                s.model.laws[l].stiffness = k * (1 + (times - 1) * fmin(fmax(time - 1, 0), 1));
            step(&s, h, &sum);
        }
        double F = force + mass * G;
        // a step makes up for the 3 h by which stiffness grows in it all at once; the damper takes
        // 1.4 s⁻¹ times its relaxation, 4 ms of 0.5 kg
        ASSERT_NEAR(sum.measure.missing, want * F * F / k, (8e-3 + 8 * h) * F * F / k);
        gmc_stage_close(&s);
    }
}

/// What is not known is told so.
static void not_known(void **state)
{
    (void)state;
    gmc_measure_energy sum = {0};
    const gmc_step_energy known = {.is_known = true, .drives = 2e-7, .loss = 1e-7}, unknown = {0};
    double balance, scheme, size;
    gmc_measure_energy_finish(&sum, &balance, &scheme, &size);
    assert_true(isnan(balance));
    assert_true(isnan(scheme));
    gmc_measure_energy_step(&known, &sum);
    gmc_measure_energy_finish(&sum, &balance, &scheme, &size);
    ASSERT_NEAR(balance, 0.1, 1e-15); // of 1e-6 J
    ASSERT_NEAR(scheme, 0, 0);
    gmc_measure_energy_step(&unknown, &sum);
    gmc_measure_energy_finish(&sum, &balance, &scheme, &size);
    assert_true(isnan(balance));
    assert_true(isnan(scheme));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_body),      cmocka_unit_test(double_pendulum),
        cmocka_unit_test(driven_base),    cmocka_unit_test(driven_hinge),
        cmocka_unit_test(spring_servo),   cmocka_unit_test(slide_to_a_stop),
        cmocka_unit_test(drops),          cmocka_unit_test(pad_pressed),
        cmocka_unit_test(stop_and_brake), cmocka_unit_test(stiffness_that_changes),
        cmocka_unit_test(not_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

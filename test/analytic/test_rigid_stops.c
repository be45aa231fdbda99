// Limits of joints in the rigid steppers: 0 <= s ⊥ J v >= 0 of what is at its stop, [miller2003] eq 9
// and §4, step 3.

#include "engine/contact/mechanism/mechanism.h"
#include "engine/contact/rigid/anitescu_potra.h"
#include "engine/contact/rigid/stewart_trinkle.h"
#include "test/support/capability.h"
#include "test/support/chance.h"
#include "test/support/near.h"
#include "test/support/stage.h"

static const gmc_stepper *const STEPPERS[] = {&gmc_stewart_trinkle_stepper,
                                              &gmc_anitescu_potra_stepper};
static const double STEPS[] = {0.5e-3, 1e-3, 2e-3, 4e-3, 10e-3};
static const double MASSES[] = {0.01, 0.3, 20};
static const double DEGREE = GMC_PI / 180;
/// How near a joint is to its stop where a bisected step is cut [rad, m].
static const double SHELL_ANGLE = 0.1 * GMC_PI / 180, SHELL_LENGTH = 1e-4;

/// A link on a joint at 0 that stops at `way` [rad, m], nothing else acts.
typedef struct finger {
    bool is_angle;
    double inertia, way; ///< [kg m², kg], [rad, m]
} finger;

static void open_finger(gmc_stage *s, const gmc_stepper *stepper, const finger *of)
{
    // about its joint: nothing of its mass is off the axis
    gmc_inertia inertia = {.mass = of->inertia,
                           .I = gmc_mat3_diagonal(of->inertia, of->inertia, of->inertia)};
    gmc_joint_spec joint = {.type = of->is_angle ? GMC_JOINT_REVOLUTE : GMC_JOINT_PRISMATIC,
                            .X_pj = gmc_pose_identity(),
                            .axis = {0, 0, 1},
                            .dof = gmc_builder_default_dof()};
    joint.dof.lower = -1;
    joint.dof.upper = of->way;
    gmc_stage_open(s, 0.3);
    gmc_builder_link(s->builder, (gmc_source){0}, "finger", NULL, &joint, &inertia);
    s->stepper = stepper;
    gmc_stage_ready(s, 4);
    s->model.gravity = (gmc_vec3){0, 0, 0};
}

static const gmc_mechanism_joint *joint_of(const gmc_stage *s)
{
    return ((const gmc_mechanism_memory *)s->world.stepper_memory)->joints;
}

static void set_speed(gmc_stage *s, double v)
{
    s->world.state.v[0] = v;
    gmc_kinematics_update(&s->model, s->world.state.q, s->world.state.v, &s->world.kin);
}

/// A drive that has `force` and asks for far beyond the stop.
static void drive_on(gmc_stage *s, double force)
{
    s->stiffness[0] = 100 * force;
    s->damping[0] = force;
    s->q_ref[0] = 10;
    s->force_limit[0] = force;
}

/// Overshoot, least impulse and residual of one finger that is driven at its stop and held there.
typedef struct figures {
    double angle, length, least, residual; ///< [rad], [m], [N s, N m s], [-]
} figures;

static void close_at_stop(const gmc_stepper *stepper, const finger *of, double h, figures *all)
{
    // it is there after about 0.2 s
    const double force = of->inertia * of->way / (0.2 * 0.2 / 2);
    gmc_stage s;
    open_finger(&s, stepper, of);
    drive_on(&s, force);
    double past = -HUGE_VAL;
    for (int i = 0; i < (int)(1 / h); i++) {
        assert_int_equal(gmc_stage_step(&s, h), GMC_OK);
        past = fmax(past, s.world.state.q[0] - of->way);
        all->least = fmin(all->least, joint_of(&s)->upper);
        all->least = fmin(all->least, joint_of(&s)->lower);
    }
    *(of->is_angle ? &all->angle : &all->length) =
        fmax(of->is_angle ? all->angle : all->length, past);
    all->residual = fmax(all->residual, s.max_residual);
    // it stands at its stop, which takes all that the drive has
    double left = of->way - s.world.state.q[0];
    ASSERT_NEAR(left, 0, of->is_angle ? SHELL_ANGLE : SHELL_LENGTH);
    ASSERT_NEAR(s.world.state.v[0] * h / of->way, 0, 1e-9);     // what a rigid stop gives, and less
    ASSERT_NEAR_RELATIVE(joint_of(&s)->upper, h * force, 1e-6); // the residual, of the blow before
    assert_true(s.unsolved == 0);
    gmc_stage_close(&s);
}

static void finger_is_driven_at_its_stop(void **unused)
{
    (void)unused;
    for (int k = 0; k < GMC_COUNT(STEPPERS); k++) {
        figures all = {-HUGE_VAL, -HUGE_VAL, HUGE_VAL, 0};
        for (int m = 0; m < GMC_COUNT(MASSES); m++)
            for (int i = 0; i < GMC_COUNT(STEPS); i++)
                for (int j = 0; j < 4; j++) {
                    const double ways[] = {0.05, 0.9, 0.003, 0.2}; // [rad] twice, [m] twice
                    const finger of = {j < 2, MASSES[m] * (j < 2 ? 1e-3 : 1), ways[j]};
                    close_at_stop(STEPPERS[k], &of, STEPS[i], &all);
                }
        print_message("%s\n", STEPPERS[k]->name);
        capability_at_most(11, all.angle / DEGREE, 0.1);
        assert_true(all.length <= SHELL_LENGTH);
        capability_at_least(11, all.least, 0);
        capability_at_most(11, all.residual, 1e-8);
    }
}

/// [miller2003] §4, step 3: where the stop first acts the joint is up to 0.1 deg or 0.1 mm away.
static void bisection_ends_at_the_stop(void **unused)
{
    (void)unused;
    gmc_chance chance = {17};
    for (int is_angle = 0; is_angle < 2; is_angle++) {
        double nearest = HUGE_VAL, farthest = 0;
        for (int i = 0; i < 200; i++) {
            const finger of = {is_angle, MASSES[i % GMC_COUNT(MASSES)],
                               gmc_chance_uniform(&chance, 0.01, 0.5)};
            gmc_stage s;
            open_finger(&s, &gmc_anitescu_potra_stepper, &of);
            set_speed(&s, gmc_chance_uniform(&chance, 0.1, 20));
            if (i % 2) drive_on(&s, of.inertia * gmc_chance_uniform(&chance, 1, 500));
            while (!(joint_of(&s)->upper > 0))
                assert_int_equal(gmc_stage_step(&s, STEPS[i % GMC_COUNT(STEPS)]), GMC_OK);
            double gap = of.way - s.world.state.q[0];
            nearest = fmin(nearest, gap);
            farthest = fmax(farthest, gap);
            gmc_stage_close(&s);
        }
        assert_true(nearest >= 0);
        capability_at_most(17, is_angle ? farthest / DEGREE : farthest, is_angle ? 0.1 : 1e-4);
    }
}

/// Without bisection, and with the other stepper, the step ends at the stop.
static void without_bisection_the_step_ends_at_the_stop(void **unused)
{
    (void)unused;
    for (int k = 0; k < GMC_COUNT(STEPPERS); k++)
        for (int i = 0; i < GMC_COUNT(STEPS); i++) {
            const finger of = {true, 0.02, 0.1};
            gmc_stage s;
            open_finger(&s, STEPPERS[k], &of);
            s.options.own[GMC_RIGID_TIME_OF_CONTACT] = 1;
            set_speed(&s, 3.7);
            assert_int_equal(gmc_stage_run(&s, STEPS[i], 0.1), GMC_OK);
            // it gives by 1e-7 of the speed and is driven back by that
            ASSERT_NEAR(s.world.state.q[0], of.way, 1e-7 * 3.7 * 0.1);
            ASSERT_NEAR(s.world.state.v[0], 0, 1e-7 * 3.7);
            gmc_stage_close(&s);
        }
}

/// A slide on a slide, both free: where it is at its end both go on as one, with the momentum of one.
static void blow_at_a_stop_keeps_momentum(void **unused)
{
    (void)unused;
    const double ratios[] = {0.05, 1, 20}, v = 2;
    const gmc_shape bare = {0};
    for (int k = 0; k < GMC_COUNT(STEPPERS); k++)
        for (int m = 0; m < GMC_COUNT(ratios); m++)
            for (int i = 0; i < GMC_COUNT(STEPS); i++) {
                gmc_stage s;
                gmc_dof free = gmc_builder_default_dof(), stopped = free;
                stopped.lower = -0.1;
                gmc_stage_open(&s, 0.3);
                gmc_stage_slider(&s, "one", NULL, (gmc_vec3){1, 0, 0}, (gmc_vec3){0, 0, 0}, bare,
                                 0.2, free, false);
                gmc_stage_slider(&s, "two", "one", (gmc_vec3){1, 0, 0}, (gmc_vec3){0, 0, 0}, bare,
                                 0.2 * ratios[m], stopped, false);
                s.stepper = STEPPERS[k];
                gmc_stage_ready(&s, 4);
                s.world.state.v[1] = -v;
                gmc_kinematics_update(&s.model, s.world.state.q, s.world.state.v, &s.world.kin);
                assert_int_equal(gmc_stage_run(&s, STEPS[i], 0.2), GMC_OK);
                double both = -v * ratios[m] / (1 + ratios[m]);
                ASSERT_NEAR(s.world.state.v[0], both, 1e-6 * v); // the stop gives by 1e-7
                ASSERT_NEAR(s.world.state.v[1], 0, 1e-6 * v);
                gmc_stage_close(&s);
            }
}

/// Pressed for a minute, by what would turn it by 18000 rad, it stays.
static void pressed_joints_stay(void **unused)
{
    (void)unused;
    for (int k = 0; k < GMC_COUNT(STEPPERS); k++) {
        const finger of = {true, 1e-3, 0.3};
        gmc_stage s;
        open_finger(&s, STEPPERS[k], &of);
        drive_on(&s, 10 * of.inertia);
        assert_int_equal(gmc_stage_run(&s, 4e-3, 1), GMC_OK);
        double start = s.world.state.q[0];
        assert_int_equal(gmc_stage_run(&s, 4e-3, 60), GMC_OK);
        // in the shell 1e-7 h F/I = 4e-9 rad/s; at the stop the overlap makes up for it, 1.6e-11
        ASSERT_NEAR(s.world.state.q[0], start, 1e-7 * 4e-3 * 10 * 60 * 1.001);
        assert_true(s.world.state.q[0] <= of.way + 2e-11);
        gmc_stage_close(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finger_is_driven_at_its_stop),
        cmocka_unit_test(bisection_ends_at_the_stop),
        cmocka_unit_test(without_bisection_the_step_ends_at_the_stop),
        cmocka_unit_test(blow_at_a_stop_keeps_momentum),
        cmocka_unit_test(pressed_joints_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Motion models: without inertia, and with inertia as damping ([berard2007] §II-A). Pushes in the
// plane: test_planar_push.c.

#include "engine/contact/rigid/rigid.h"
#include "test/support/capability.h"
#include "test/support/near.h"
#include "test/support/stage.h"

#include <string.h>

static const double G = 9.81, MASS = 0.4, BALL_MASS = 1e-3;
enum { ALL = 3 };
static const char *const NAMES[] = {"stewart_trinkle", "anitescu_potra", "coulomb"};

typedef struct push {
    const char *stepper;
    gmc_motion motion;
    double mass, speed, h, way;
} push;

/// A block on a table, pushed off its centre by a ball on a driven slider. Out: where it ends, and
/// how far it has turned.
static void push_block(const push *p, double end[3])
{
    gmc_stage s;
    gmc_shape ball = {.type = GMC_SHAPE_SPHERE, .radius = 0.005};
    gmc_stage_open(&s, 0.3);
    gmc_stage_fixed(&s, "table", gmc_stage_plane(), gmc_pose_identity());
    gmc_stage_free(&s, "block", gmc_stage_box(0.03, 0.05, 0.01), p->mass, (gmc_vec3){0, 0, 0.01});
    // it gives way up and down: how much weight the friction of a stiff one carries is left open by
    // rigid contact
    gmc_stage_slider(&s, "pusher", NULL, (gmc_vec3){1, 0, 0}, (gmc_vec3){-0.03553, 0.015, 0.01},
                     (gmc_shape){.type = GMC_SHAPE_BOX}, 0.1, gmc_builder_default_dof(), true);
    gmc_stage_slider(&s, "ball", "pusher", (gmc_vec3){0, 0, 1}, (gmc_vec3){0, 0, 0}, ball,
                     BALL_MASS, gmc_builder_default_dof(), false);
    s.stepper = gmc_stepper_find(p->stepper);
    gmc_stage_ready(&s, 32);
    s.options.motion = p->motion;
    // with 8 or 12 there is an instant on this way in which two motions take nearly the same power:
    // inertia, or rounding, then decides when the one goes over into the other
    s.options.own[GMC_RIGID_DIRECTIONS] = 16;
    // elastic contact gives by its force: there the weight has to be the same
    s.model.gravity =
        (gmc_vec3){0, 0, s.stepper->settings == gmc_rigid_settings ? -G : -G * MASS / p->mass};
    s.force[gmc_stage_dof(&s, "ball")] = -BALL_MASS * s.model.gravity.z; // it does not fall
    long count = (long)(p->way / (p->speed * p->h) + 0.5);
    const gmc_body *pusher = &s.model.bodies[gmc_stage_body(&s, "pusher")];
    s.v_driven[pusher->v] = p->speed;
    for (long i = 1; i <= count; i++) {
        s.q_driven[pusher->q] = p->speed * p->h * (double)i;
        gmc_status status = gmc_stage_step(&s, p->h);
        assert_int_equal(status, GMC_OK);
    }
    ASSERT_BELOW(s.max_residual, 1e-8);
    const gmc_pose *X = &s.world.kin.X_wb[gmc_stage_body(&s, "block")];
    end[0] = X->p.x;
    end[1] = X->p.y;
    end[2] = gmc_atan2(X->R.m[3], X->R.m[0]);
    gmc_stage_close(&s);
}

static void quasi_static_forgets_the_mass(void **state)
{
    (void)state;
    const double masses[] = {0.1, 0.43, 7};
    double worst = 0;
    for (int k = 0; k < ALL; k++) {
        double first[3] = {0};
        for (int i = 0; i < 3; i++) {
            double end[3];
            push_block(&(push){NAMES[k], GMC_MOTION_QUASI_STATIC, masses[i], 0.02, 5e-3, 0.015},
                       end);
            if (i == 0) memcpy(first, end, sizeof end);
            assert_true(end[0] > 0.01);
            assert_true(fabs(end[2]) > 0.08); // it went along, and turned
            for (int j = 0; j < 3; j++)
                worst = fmax(worst, fabs(end[j] - first[j]));
        }
        print_message("%s: block at %.6f %.6f, turned %.6f rad\n", NAMES[k], first[0], first[1],
                      first[2]);
    }
    capability_at_most(70, worst, 1e-9); // what the proximal steps leave
}

/// Half the speed at twice the step is the same path.
static void quasi_static_forgets_the_speed(void **state)
{
    (void)state;
    double slow[3], fast[3];
    push_block(&(push){NAMES[0], GMC_MOTION_QUASI_STATIC, MASS, 0.01, 10e-3, 0.015}, slow);
    push_block(&(push){NAMES[0], GMC_MOTION_QUASI_STATIC, MASS, 0.02, 5e-3, 0.015}, fast);
    for (int j = 0; j < 3; j++)
        ASSERT_NEAR(slow[j], fast[j], 1e-9); // what the proximal steps leave
}

/// What is pushed slowly moves as without inertia, within 1 %.
static void slow_dynamic_is_quasi_static(void **state)
{
    (void)state;
    double worst = 0;
    for (int k = 0; k < ALL; k++) {
        double quasi[3], slow[3];
        push_block(&(push){NAMES[k], GMC_MOTION_QUASI_STATIC, MASS, 5e-3, 8e-3, 0.015}, quasi);
        push_block(&(push){NAMES[k], GMC_MOTION_DYNAMIC, MASS, 5e-3, 8e-3, 0.015}, slow);
        print_message("%s: turned %.6f rad, with inertia %.6f rad\n", NAMES[k], quasi[2], slow[2]);
        worst = fmax(worst, fabs(slow[0] / quasi[0] - 1));
        worst = fmax(worst, fabs(slow[2] / quasi[2] - 1));
        worst = fmax(worst, fabs(slow[1] - quasi[1]) / 0.015); // of the way
    }
    capability_at_most(70, worst, 0.01);
}

/// Nothing holds a ball in the air: there is no velocity at which forces balance.
static void what_nothing_holds_is_not_solved(void **state)
{
    (void)state;
    for (int k = 0; k < ALL; k++) {
        gmc_stage s;
        gmc_shape ball = {.type = GMC_SHAPE_SPHERE, .radius = 0.02};
        gmc_stage_open(&s, 0.3);
        gmc_stage_free(&s, "ball", ball, 0.1, (gmc_vec3){0, 0, 1});
        s.stepper = gmc_stepper_find(NAMES[k]);
        gmc_stage_ready(&s, 8);
        s.options.motion = GMC_MOTION_QUASI_STATIC;
        s.model.gravity = (gmc_vec3){0, 0, -G};
        assert_int_equal(gmc_stage_step(&s, 1e-3), GMC_E_NO_SOLUTION);
        assert_true(gmc_stage_place(&s, "ball").z == 1);
        assert_true(s.world.state.t == 0);
        s.model.gravity = (gmc_vec3){0, 0, 0}; // without a force it stays where it is
        assert_int_equal(gmc_stage_run(&s, 1e-3, 0.1), GMC_OK);
        assert_true(gmc_stage_place(&s, "ball").z == 1);
        gmc_stage_close(&s);
    }
}

/// A damped slider under a force: v = F/D without inertia, F/(D + m·1/s) in a world of dampers.
static void dampers_balance_forces(void **state)
{
    (void)state;
    const double damping = 20, force = 3, mass = 0.5;
    for (int k = 0; k < 2 * ALL; k++) {
        gmc_stage s;
        gmc_dof dof = gmc_builder_default_dof();
        bool is_quasi = k / ALL == 0;
        dof.damping = damping;
        gmc_stage_open(&s, 0.3);
        gmc_stage_slider(&s, "slider", NULL, (gmc_vec3){1, 0, 0}, (gmc_vec3){0, 0, 0},
                         gmc_stage_box(0.01, 0.01, 0.01), mass, dof, false);
        s.stepper = gmc_stepper_find(NAMES[k % ALL]);
        gmc_stage_ready(&s, 8);
        s.options.motion = is_quasi ? GMC_MOTION_QUASI_STATIC : GMC_MOTION_FIRST_ORDER;
        int i = gmc_stage_dof(&s, "slider");
        s.force[i] = force;
        assert_int_equal(gmc_stage_run(&s, 2e-3, 0.1), GMC_OK);
        double v = force / (damping + (is_quasi ? 0 : mass));
        ASSERT_NEAR_RELATIVE(s.world.state.v[i], v, 1e-12); // rounding, a hundred times over
        ASSERT_NEAR_RELATIVE(gmc_stage_place(&s, "slider").x, 0.1 * v, 1e-12);
        gmc_stage_close(&s);
    }
}

/// Free bodies in a world of dampers fall at g · 1 s, and stop at once where they land.
static void first_order_falls_at_a_constant_speed(void **state)
{
    (void)state;
    gmc_stage s;
    gmc_stage_open(&s, 0.3);
    gmc_stage_fixed(&s, "floor", gmc_stage_plane(), gmc_pose_identity());
    gmc_stage_free(&s, "block", gmc_stage_box(0.02, 0.02, 0.02), 0.3, (gmc_vec3){0, 0, 0.12});
    s.stepper = gmc_stepper_find("stewart_trinkle");
    gmc_stage_ready(&s, 16);
    s.options.motion = GMC_MOTION_FIRST_ORDER;
    s.model.gravity = (gmc_vec3){0, 0, -0.5};
    assert_int_equal(gmc_stage_run(&s, 2e-3, 0.15), GMC_OK);
    ASSERT_NEAR(gmc_stage_place(&s, "block").z, 0.12 - 0.5 * 0.15, 1e-14);
    assert_int_equal(gmc_stage_run(&s, 2e-3, 0.15), GMC_OK);
    ASSERT_NEAR(gmc_stage_place(&s, "block").z, 0.02, 1e-9); // the residual
    gmc_stage_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quasi_static_forgets_the_mass),
        cmocka_unit_test(quasi_static_forgets_the_speed),
        cmocka_unit_test(slow_dynamic_is_quasi_static),
        cmocka_unit_test(what_nothing_holds_is_not_solved),
        cmocka_unit_test(dampers_balance_forces),
        cmocka_unit_test(first_order_falls_at_a_constant_speed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

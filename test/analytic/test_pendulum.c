// Pendulums: period of a large swing, energy of a chain, the conical pendulum on a spherical joint.

#include "engine/dynamics/rnea.h"
#include "engine/model/builder.h"
#include "engine/model/inertia.h"
#include "test/support/mechanism.h"
#include "test/support/near.h"

typedef struct chain {
    gmc_arena arena, scratch;
    gmc_model model;
    gmc_kinematics kin;
    gmc_state state;
} chain;

// Links hanging along -z, each from the end of the one before, centres of mass in the middle.
static void chain_open(chain *c, int links, gmc_joint_type type, gmc_inertia link, double length)
{
    gmc_diagnostics report = {0};
    gmc_builder *builder = gmc_builder_create(&report);
    assert_non_null(builder);
    assert_int_equal(gmc_arena_create(&c->arena, 1 << 17), GMC_OK);
    assert_int_equal(gmc_arena_create(&c->scratch, 1 << 17), GMC_OK);
    const char *names[] = {"one", "two", "three", "four"};
    for (int i = 0; i < links; i++) {
        gmc_joint_spec joint = {.type = type,
                                .X_pj = {gmc_mat3_identity(), {0, 0, i == 0 ? 0 : -length}},
                                .axis = {0, 1, 0},
                                .dof = gmc_builder_default_dof()};
        gmc_builder_link(builder, (gmc_source){0}, names[i], i == 0 ? NULL : names[i - 1], &joint,
                         &link);
    }
    assert_int_equal(gmc_builder_finish(builder, &c->arena, &c->model), GMC_OK);
    gmc_builder_free(builder);
    gmc_diagnostics_free(&report);
    assert_int_equal(gmc_kinematics_create(&c->model, &c->arena, &c->kin), GMC_OK);
    assert_int_equal(gmc_state_create(&c->model, &c->arena, &c->state), GMC_OK);
}

static void chain_close(chain *c)
{
    gmc_arena_free(&c->arena);
    gmc_arena_free(&c->scratch);
}

static gmc_inertia rod(double mass, double length)
{
    gmc_shape box = {.type = GMC_SHAPE_BOX, .half = {0.01, 0.01, length / 2}};
    gmc_pose down = {gmc_mat3_identity(), {0, 0, -length / 2}};
    gmc_inertia own = gmc_inertia_of_shape_mass(&box, mass);
    return gmc_inertia_move(&down, &own);
}

static double energy(chain *c)
{
    double potential, kinetic;
    gmc_kinematics_update(&c->model, c->state.q, c->state.v, &c->kin);
    kinetic = gmc_kinematics_energy(&c->model, &c->kin, c->state.v, &potential);
    return kinetic + potential;
}

// v += h M⁻¹ (...), then q (+)= h v: the step of the steppers where nothing touches.
static void chain_step(chain *c, double h)
{
    double a[16];
    assert_int_equal(
        support_acceleration(&c->model, &c->kin, c->state.q, c->state.v, NULL, &c->scratch, a),
        GMC_OK);
    for (int d = 0; d < c->model.dof_count; d++)
        a[d] = c->state.v[d] + h * a[d];
    gmc_state_advance(&c->model, &c->kin, &(gmc_state_motion){.v_mean = a, .impulse = a, .h = h},
                      &c->state);
}

// Complete elliptic integral by the arithmetic-geometric mean: T = 2 pi sqrt(I/(m g s)) / agm(1,
// cos(a/2)).
static double agm(double a, double b)
{
    for (int i = 0; i < 8; i++) {
        double mean = (a + b) / 2;
        b = sqrt(a * b);
        a = mean;
    }
    return a;
}

static double measured_period(chain *c, double h)
{
    int crossings = 0;
    double first = 0, last = 0, before = c->state.q[0];
    for (int i = 0; i < (int)(12 / h) && crossings < 7; i++) {
        chain_step(c, h);
        double after = c->state.q[0];
        if ((before > 0) != (after > 0)) {
            last = c->state.t - h * after / (after - before);
            if (crossings++ == 0) first = last;
        }
        before = after;
    }
    assert_int_equal(crossings, 7);
    return (last - first) / 3; // six half swings
}

static void period_of_a_large_swing(void **unused)
{
    (void)unused;
    const double mass = 0.7, length = 0.5, amplitude = 2.0;
    chain c;
    chain_open(&c, 1, GMC_JOINT_REVOLUTE, rod(mass, length), length);
    const gmc_inertia *link = &c.model.bodies[1].inertia;
    gmc_vec3 com = link->com; // Steiner: the link turns about the y axis of its frame
    double I = link->I.m[4] + link->mass * (com.x * com.x + com.z * com.z);
    double expected =
        2 * GMC_PI * sqrt(I / (mass * 9.81 * length / 2)) / agm(1, cos(amplitude / 2));
    c.state.q[0] = amplitude;
    ASSERT_NEAR_RELATIVE(measured_period(&c, 1e-3), expected, 1e-3); // the step adds less
    chain_close(&c);
}

// The symplectic step lets a chaotic chain's energy swing by O(h), and the swing halves with the
// step.
static double energy_swing(double h)
{
    chain c;
    chain_open(&c, 3, GMC_JOINT_REVOLUTE, rod(1, 0.3), 0.3);
    c.state.q[0] = 1.2;
    c.state.q[1] = -0.7;
    c.state.q[2] = 0.9;
    double first = energy(&c), most = 0;
    for (int i = 0; i < (int)(0.5 / h + 0.5); i++) {
        chain_step(&c, h);
        most = fmax(most, fabs(energy(&c) - first));
    }
    chain_close(&c);
    return most;
}

static void energy_of_a_chain_under_small_steps(void **unused)
{
    (void)unused;
    double coarse = energy_swing(2e-4), fine = energy_swing(1e-4);
    ASSERT_NEAR(fine, 0, 0.01); // of about 5 J exchanged
    ASSERT_NEAR(coarse / fine, 2, 0.1);
}

static void energy_of_a_chain_by_runge_kutta(void **unused)
{
    (void)unused;
    chain c;
    chain_open(&c, 4, GMC_JOINT_REVOLUTE, rod(1, 0.3), 0.3);
    for (int i = 0; i < 4; i++)
        c.state.q[i] = 0.8;
    double first = energy(&c);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(
            support_rk4(&c.model, &c.kin, NULL, 5e-4, &c.scratch, c.state.q, c.state.v), GMC_OK);
    // fourth order, measured 3e-11 J; a wrong velocity term shows as 1 J
    ASSERT_NEAR(energy(&c), first, 1e-9);
    chain_close(&c);
}

// Steady circles need no torque: w² = g / (l cos(angle)) for a ball, whose own turning about z
// costs none.
static void conical_pendulum_needs_no_torque(void **unused)
{
    (void)unused;
    const double arm = 0.4, angle = 0.9;
    gmc_inertia ball = {0.5, {0, 0, -arm}, gmc_mat3_diagonal(1e-3, 1e-3, 1e-3)};
    chain c;
    chain_open(&c, 1, GMC_JOINT_SPHERICAL, ball, arm);
    gmc_quat tilt = gmc_quat_exp((gmc_vec3){0, angle, 0});
    double w = sqrt(9.81 / (arm * cos(angle))), tau[3];
    c.state.q[0] = tilt.w;
    c.state.q[2] = tilt.y;
    c.state.v[2] = w;
    gmc_kinematics_update(&c.model, c.state.q, c.state.v, &c.kin);
    assert_int_equal(gmc_rnea(&c.model, &c.kin, c.state.v, NULL, tau, &c.scratch), GMC_OK);
    for (int k = 0; k < 3; k++)
        ASSERT_NEAR(tau[k], 0, 1e-14); // rounding of 1.5 N·m
    chain_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(period_of_a_large_swing),
        cmocka_unit_test(energy_of_a_chain_under_small_steps),
        cmocka_unit_test(energy_of_a_chain_by_runge_kutta),
        cmocka_unit_test(conical_pendulum_needs_no_torque),
    };
    return cmocka_run_group_tests_name("pendulum", tests, NULL, NULL);
}

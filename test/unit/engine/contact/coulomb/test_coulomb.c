#include "engine/contact/coulomb/coulomb.h"
#include "engine/contact/coulomb/coulomb_internal.h"
#include "engine/math/quat.h"
#include "test/support/near.h"
#include "test/support/stage.h"

#include <string.h>

static void stepper_is_found_by_name(void **state)
{
    (void)state;
    assert_ptr_equal(gmc_stepper_find("coulomb"), &gmc_coulomb_stepper);
    assert_ptr_equal(gmc_steppers[0], &gmc_coulomb_stepper);
    assert_null(gmc_stepper_find("none such"));
    gmc_step_options options = gmc_step_options_defaults();
    assert_true(options.residual_max > 0);
    assert_true(options.iteration_max > 0);
    assert_true(options.reach > 0);
}

static void solvers_that_fit_are_in_the_table(void **state)
{
    (void)state;
    for (int i = 0; gmc_steppers[i]; i++) {
        const gmc_stepper *stepper = gmc_steppers[i];
        assert_non_null(stepper->solvers[0]);
        assert_null(gmc_stepper_solver(stepper, stepper->solvers[0])); // the default
        for (const char *const *name = stepper->solvers; *name; name++) {
            assert_true(gmc_stepper_fits(stepper, *name));
            assert_true(stepper->is_integrated || gmc_solver_find(*name));
            if (name > stepper->solvers)
                assert_string_equal(gmc_stepper_solver(stepper, *name)->name, *name);
        }
        assert_false(gmc_stepper_fits(stepper, "none such"));
    }
    assert_false(gmc_stepper_fits(&gmc_coulomb_stepper, "lemke"));
}

static void motion_models_have_names(void **state)
{
    (void)state;
    for (int i = 0; i < GMC_MOTION_COUNT; i++)
        assert_int_equal(gmc_motion_find(gmc_motion_name((gmc_motion)i)), i);
    assert_int_equal(gmc_motion_find(NULL), GMC_MOTION_DYNAMIC);
    assert_int_equal(gmc_motion_find("static"), GMC_MOTION_COUNT);
    for (int i = 0; gmc_steppers[i]; i++)
        assert_true(gmc_steppers[i]->knows[GMC_MOTION_DYNAMIC]);
}

/// A box falling flat on the table, 0.1 m/s, in the middle of its first touch.
static void falling_box(gmc_stage *s)
{
    gmc_stage_open(s, 0.5);
    gmc_stage_fixed(s, "table", gmc_stage_plane(), gmc_pose_identity());
    gmc_stage_free(s, "box", gmc_stage_box(0.02, 0.02, 0.02), 0.2, (gmc_vec3){0, 0, 0.021});
    gmc_stage_ready(s, 8);
    assert_int_equal(gmc_stage_run(s, 2e-3, 0.1), GMC_OK);
    s->force[0] = 0.5; // tangential load, so that the contacts have a deflection
    assert_int_equal(gmc_stage_run(s, 2e-3, 0.1), GMC_OK);
}

typedef struct snapshot {
    double q[8], v[8], t, servo[8];
    int count;
    gmc_contact contacts[8];
    gmc_pose X;
} snapshot;

static snapshot look(const gmc_stage *s)
{
    snapshot x;
    memset(&x, 0, sizeof x);
    memcpy(x.q, s->world.state.q, (size_t)s->model.q_count * sizeof(double));
    memcpy(x.v, s->world.state.v, (size_t)s->model.dof_count * sizeof(double));
    memcpy(x.servo, s->world.servo_impulse, (size_t)s->model.free_count * sizeof(double));
    x.t = s->world.state.t;
    x.count = s->world.contacts.count;
    x.X = s->world.kin.X_wb[1];
    memcpy(x.contacts, s->world.contacts.contacts, (size_t)x.count * sizeof(gmc_contact));
    return x;
}

static void failed_step_changes_nothing(void **state)
{
    (void)state;
    gmc_stage s;
    falling_box(&s);
    snapshot before = look(&s);
    assert_int_equal(before.count, 4);
    assert_true(before.contacts[0].impulse[0] > 0);
    assert_true(before.contacts[0].deflection[0] != 0);

    // a force that is no number: no rung solves it
    s.force[1] = NAN;
    assert_int_equal(gmc_stage_step(&s, 2e-3), GMC_E_NO_SOLUTION);
    snapshot after = look(&s);
    assert_memory_equal(&before, &after, sizeof before);

    // a residual that nothing reaches
    s.force[1] = 0;
    s.options.residual_max = 0;
    s.force[0] = 0.6;
    assert_int_equal(gmc_stage_step(&s, 2e-3), GMC_E_NO_SOLUTION);
    after = look(&s);
    assert_memory_equal(&before, &after, sizeof before);

    // a force that carries the box away faster than geometry can follow
    s.options.residual_max = 1e-8;
    s.force[0] = 1e12;
    assert_int_equal(gmc_stage_step(&s, 2e-3), GMC_E_DIVERGED);
    after = look(&s);
    assert_memory_equal(&before, &after, sizeof before);

    // scratch memory of every size below what is needed, then enough
    s.force[0] = 0.5;
    gmc_arena whole = s.scratch;
    gmc_status status = GMC_E_ARENA_FULL;
    for (size_t bytes = 64; status != GMC_OK; bytes += 320) {
        s.scratch.capacity = bytes;
        status = gmc_stage_step(&s, 2e-3);
        if (status == GMC_OK) break;
        assert_int_equal(status, GMC_E_ARENA_FULL);
        after = look(&s);
        assert_memory_equal(&before, &after, sizeof before);
        assert_true(bytes < whole.capacity);
    }
    s.scratch.capacity = whole.capacity;
    assert_true(s.world.state.t > before.t);
    gmc_stage_close(&s);
}

/// After a failure, the step taken is the one that would have been taken without it.
static void retry_continues_as_if_nothing_happened(void **state)
{
    (void)state;
    gmc_stage a, b;
    falling_box(&a);
    falling_box(&b);
    b.force[1] = NAN;
    assert_int_equal(gmc_stage_step(&b, 2e-3), GMC_E_NO_SOLUTION);
    b.force[1] = 0;
    for (int i = 0; i < 20; i++) {
        assert_int_equal(gmc_stage_step(&a, 1e-3), GMC_OK);
        assert_int_equal(gmc_stage_step(&b, 1e-3), GMC_OK);
    }
    snapshot x = look(&a), y = look(&b); // bit for bit, but for the padding of structs
    assert_memory_equal(x.q, y.q, sizeof x.q);
    assert_memory_equal(x.v, y.v, sizeof x.v);
    assert_int_equal(x.count, y.count);
    for (int c = 0; c < x.count; c++) {
        const gmc_contact *k = &x.contacts[c], *m = &y.contacts[c];
        assert_memory_equal(k->impulse, m->impulse, sizeof k->impulse);
        assert_memory_equal(k->deflection, m->deflection, sizeof k->deflection);
        assert_memory_equal(&k->deflection_a, &m->deflection_a, sizeof k->deflection_a);
    }
    gmc_stage_close(&a);
    gmc_stage_close(&b);
}

static void too_many_contacts_are_told(void **state)
{
    (void)state;
    gmc_stage s;
    gmc_stage_open(&s, 0.5);
    gmc_stage_fixed(&s, "table", gmc_stage_plane(), gmc_pose_identity());
    gmc_stage_free(&s, "box", gmc_stage_box(0.02, 0.02, 0.02), 0.2, (gmc_vec3){0, 0, 0.02});
    gmc_stage_ready(&s, 3);
    assert_int_equal(gmc_stage_step(&s, 2e-3), GMC_E_LIMIT);
    assert_true(s.world.state.t == 0);
    assert_true(s.world.contacts.count == 0);
    gmc_stage_close(&s);
}

static void small_trial_arena_is_told(void **state)
{
    (void)state;
    gmc_stage s;
    falling_box(&s);
    gmc_world world;
    for (size_t bytes = 64; bytes < 4096; bytes += 512) {
        gmc_arena small;
        assert_int_equal(gmc_arena_create(&small, bytes), GMC_OK);
        assert_int_equal(gmc_coulomb_stepper.create(&s.model, 64, &small, &world),
                         GMC_E_ARENA_FULL);
        gmc_arena_free(&small);
    }
    gmc_stage_close(&s);
}

/// Momentum of the step, from outside: m (v⁺ - v) = h (m g + f) + Σ r.
static void momentum_balances(void **state)
{
    (void)state;
    gmc_stage s;
    falling_box(&s);
    const double h = 2e-3, m = 0.2;
    for (int i = 0; i < 50; i++) {
        double v[3], sum[3] = {h * s.force[0], 0, -h * m * 9.81};
        memcpy(v, s.world.state.v, sizeof v);
        s.force[0] = 0.1 * i; // from stick into slip
        sum[0] = h * s.force[0];
        assert_int_equal(gmc_stage_step(&s, h), GMC_OK);
        for (int c = 0; c < s.world.contacts.count; c++) {
            const gmc_contact *k = &s.world.contacts.contacts[c];
            for (int j = 0; j < 3; j++) {
                sum[0] += k->impulse[j] * k->dir[j].x;
                sum[1] += k->impulse[j] * k->dir[j].y;
                sum[2] += k->impulse[j] * k->dir[j].z;
            }
        }
        for (int k = 0; k < 3; k++) // 1e-8 residual_max; Newton ends near rounding
            ASSERT_NEAR(m * (s.world.state.v[k] - v[k]), sum[k], 1e-12);
    }
    assert_int_equal(s.world.contacts.contacts[0].mode, GMC_CONTACT_SLIP);
    gmc_stage_close(&s);
}

/// A driven plate under the box carries it along: friction sees the driven velocity.
static void driven_table_carries_the_box(void **state)
{
    (void)state;
    gmc_stage s;
    gmc_stage_open(&s, 0.5);
    gmc_stage_slider(&s, "belt", NULL, (gmc_vec3){1, 0, 0}, (gmc_vec3){0, 0, -0.01},
                     gmc_stage_box(1, 1, 0.01), 1, gmc_builder_default_dof(), true);
    gmc_stage_free(&s, "box", gmc_stage_box(0.02, 0.02, 0.02), 0.2, (gmc_vec3){0, 0, 0.02});
    gmc_stage_ready(&s, 16);
    int belt = gmc_stage_body(&s, "belt");
    const double h = 2e-3;
    double x = 0, v = 0, placed = 0;
    for (int i = 0; i < 1000; i++) {
        v = fmin(0.2, v + h * 2); // 2 m/s² < mu g
        x += h * v;
        s.v_driven[s.model.bodies[belt].v] = v;
        s.q_driven[s.model.bodies[belt].q] = x;
        assert_int_equal(gmc_stage_step(&s, h), GMC_OK);
        if (i == 400) placed = gmc_stage_place(&s, "box").x - x; // settled at speed
    }
    ASSERT_NEAR(gmc_stage_place(&s, "box").x - x, placed, 1e-12);
    ASSERT_NEAR(placed, 0, 2e-5); // elastic give while it was carried off: 0.1 N a point
    ASSERT_NEAR(gmc_stage_velocity(&s, "box").x, 0.2, 1e-10);
    gmc_stage_close(&s);
}

/// M's blocks: two hands whose links are added in turns with objects between them.
static void blocks_follow_the_trees(void **state)
{
    (void)state;
    gmc_stage s;
    gmc_dof dof = gmc_builder_default_dof();
    gmc_shape box = gmc_stage_box(0.01, 0.01, 0.01);
    gmc_vec3 x = {1, 0, 0}, origin = {0, 0, 5};
    gmc_stage_open(&s, 0.5);
    gmc_stage_free(&s, "first", box, 1, (gmc_vec3){0, 0, 1});                        // 0..5
    gmc_stage_slider(&s, "a", NULL, x, origin, box, 1, dof, false);                  // 6
    gmc_stage_slider(&s, "alone", NULL, x, (gmc_vec3){0, 0, 6}, box, 1, dof, false); // 7
    gmc_stage_free(&s, "second", box, 1, (gmc_vec3){0, 0, 2});                       // 8..13
    gmc_stage_slider(&s, "a2", "a", x, origin, box, 1, dof, false);                  // 14
    gmc_stage_slider(&s, "last", NULL, x, (gmc_vec3){0, 0, 7}, box, 1, dof, false);  // 15
    gmc_stage_ready(&s, 8);
    const gmc_coulomb_memory *kept = s.world.stepper_memory;
    const gmc_mechanism_memory *memory = kept->mechanism;
    const int expected[] = {0, 6, 15, 16};
    assert_int_equal(memory->block_count, 3);
    assert_memory_equal(memory->block_start, expected, sizeof expected);
    assert_int_equal(memory->joint_count, 4);

    // an object is an object, whether its block is its own or lies between those of a tree
    assert_true(memory->is_isolated[0]);
    assert_true(!memory->is_isolated[1]);
    assert_true(!memory->is_isolated[2]);
    assert_int_equal(memory->isolated_count, 2);
    s.force[3] = s.force[8 + 3] = 1e-5;
    s.force[6] = 2;
    assert_int_equal(gmc_stage_run(&s, 2e-3, 0.02), GMC_OK);
    const double *v = s.world.state.v;
    ASSERT_NEAR_RELATIVE(v[2], -9.81 * 0.02, 1e-12);
    ASSERT_NEAR(v[3], 0.02 * 1e-5 / s.model.bodies[1].inertia.I.m[0], 1e-12);
    for (int k = 0; k < 6; k++)
        ASSERT_NEAR(v[8 + k], v[k], 1e-15);
    ASSERT_NEAR_RELATIVE(v[6], 2.0 * 0.02, 1e-12);
    ASSERT_NEAR_RELATIVE(v[14], -2.0 * 0.02, 1e-12); // what slides on it stays behind
    gmc_stage_close(&s);
}

/// A push that carries a joint past a limit which was too far away to be looked at.
static void far_limits_hold(void **state)
{
    (void)state;
    const double h = 2e-3, force = 1e5, k = 1e5, limit = 0.1;
    for (int sign = -1; sign <= 1; sign += 2) {
        gmc_stage s;
        gmc_dof dof = gmc_builder_default_dof();
        dof.lower = -limit;
        dof.upper = limit;
        dof.limit_stiffness = k;
        gmc_stage_open(&s, 0.5);
        gmc_stage_slider(&s, "cart", NULL, (gmc_vec3){1, 0, 0}, (gmc_vec3){0, 0, 1},
                         gmc_stage_box(0.01, 0.01, 0.01), 1, dof, false);
        gmc_stage_ready(&s, 8);
        s.force[0] = sign * force;
        assert_int_equal(gmc_stage_step(&s, h), GMC_OK);
        // m q / h = h F - k (h + τ) (q - limit): spring and damper are implicit, the damper acts on
        // what is left of the step behind the stop
        double K = k * (h + 6 / sqrt(k / 1.0)), q = (h * force + K * limit) / (1 / h + K);
        ASSERT_NEAR_RELATIVE(s.world.state.q[0], sign * q, 1e-12);
        ASSERT_NEAR_RELATIVE(s.world.servo_impulse[0], -sign * K * (q - limit), 1e-9);
        gmc_stage_close(&s);
    }
}

/// Nothing touches: the free top is what gmc_state_advance makes of it, whatever else is solved.
static void free_bodies_keep_their_momentum(void **state)
{
    (void)state;
    gmc_stage s;
    gmc_stage_open(&s, 0.5);
    gmc_stage_fixed(&s, "table", gmc_stage_plane(), gmc_pose_identity());
    gmc_stage_free(&s, "box", gmc_stage_box(0.02, 0.02, 0.02), 0.2, (gmc_vec3){0, 0, 0.02});
    gmc_stage_free(&s, "top", gmc_stage_box(0.01, 0.02, 0.03), 0.2, (gmc_vec3){0, 0, 50});
    gmc_stage_ready(&s, 16);
    int top = gmc_stage_body(&s, "top"), dof = gmc_stage_dof(&s, "top");
    s.world.state.v[dof + 3] = 0.02;
    s.world.state.v[dof + 4] = 5;
    gmc_kinematics_update(&s.model, s.world.state.q, s.world.state.v, &s.world.kin);
    gmc_vec3 L0 = gmc_mat3_apply(&s.world.kin.I_w[top], s.world.kin.V[top].w);
    double energy0 = gmc_vec3_dot(L0, s.world.kin.V[top].w), energy = 0;
    assert_int_equal(gmc_stage_run(&s, 2e-3, 2.0), GMC_OK);
    gmc_vec3 w = s.world.kin.V[top].w, L = gmc_mat3_apply(&s.world.kin.I_w[top], w);
    energy = gmc_vec3_dot(L, w);
    assert_true(gmc_vec3_norm(gmc_vec3_sub(L, L0)) < 1e-12 * gmc_vec3_norm(L0));
    ASSERT_NEAR_RELATIVE(energy, energy0, 1e-5); // O(h²), no drift; Lie–Euler: 3 %
    ASSERT_NEAR_RELATIVE(gmc_stage_velocity(&s, "top").z, -9.81 * 2, 1e-12);
    gmc_stage_close(&s);
}

int test_coulomb(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stepper_is_found_by_name),
        cmocka_unit_test(solvers_that_fit_are_in_the_table),
        cmocka_unit_test(motion_models_have_names),
        cmocka_unit_test(failed_step_changes_nothing),
        cmocka_unit_test(retry_continues_as_if_nothing_happened),
        cmocka_unit_test(too_many_contacts_are_told),
        cmocka_unit_test(small_trial_arena_is_told),
        cmocka_unit_test(momentum_balances),
        cmocka_unit_test(driven_table_carries_the_box),
        cmocka_unit_test(blocks_follow_the_trees),
        cmocka_unit_test(far_limits_hold),
        cmocka_unit_test(free_bodies_keep_their_momentum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

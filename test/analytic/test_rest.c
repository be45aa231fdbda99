// Bodies at rest: what carries them is known in closed form.

#include "test/support/near.h"
#include "test/support/stage.h"

static const double G = 9.81, K = 1e6;

/// Depth under load F spread over `points` springs.
static double depth(double force, int points) { return force / (points * K); }

static void box_on_plane_rests_at_elastic_depth(void **state)
{
    (void)state;
    const double steps[] = {0.5e-3, 1e-3, 2e-3, 4e-3};
    for (int i = 0; i < 4; i++) {
        gmc_stage s;
        gmc_stage_open(&s, 0.5);
        gmc_stage_fixed(&s, "table", gmc_stage_plane(), gmc_pose_identity());
        gmc_stage_free(&s, "box", gmc_stage_box(0.03, 0.02, 0.01), 0.3, (gmc_vec3){0, 0, 0.012});
        gmc_stage_ready(&s, 16);
        assert_int_equal(gmc_stage_run(&s, steps[i], 1.0), GMC_OK);
        gmc_vec3 p = gmc_stage_place(&s, "box");
        // rounding of positions around 1e-2 m
        ASSERT_NEAR(p.z, 0.01 - depth(0.3 * G, 4), 1e-15);
        ASSERT_NEAR(p.x, 0, 1e-15);
        ASSERT_NEAR(s.last.max_force, 0.3 * G / 4, 1e-9);
        ASSERT_NEAR(gmc_vec3_norm(gmc_stage_velocity(&s, "box")), 0, 1e-12);
        assert_int_equal(s.last.contact_count, 4);
        assert_int_equal(s.unsolved, 0);
        gmc_stage_close(&s);
    }
}

static void sphere_rests_on_one_point(void **state)
{
    (void)state;
    gmc_stage s;
    gmc_stage_open(&s, 0.5);
    gmc_stage_fixed(&s, "table", gmc_stage_plane(), gmc_pose_identity());
    gmc_shape ball = {.type = GMC_SHAPE_SPHERE, .radius = 0.02};
    gmc_stage_free(&s, "ball", ball, 0.1, (gmc_vec3){0, 0, 0.0205});
    gmc_stage_ready(&s, 8);
    assert_int_equal(gmc_stage_run(&s, 2e-3, 1.0), GMC_OK);
    ASSERT_NEAR(gmc_stage_place(&s, "ball").z, 0.02 - depth(0.1 * G, 1), 1e-15);
    gmc_stage_close(&s);
}

/// A table on four legs, its weight off the middle. All of one length: four carry, which is one
/// more than statics can tell, and springs share. One leg shorter by more than the others give: it
/// hangs, and the three others carry what the moments say.
static void four_legged_table_stands_on_three(void **state)
{
    (void)state;
    const double mass = 2, leg = 0.1, load = 1.5;
    const double corners[4][2] = {{0.2, 0.15}, {-0.2, 0.15}, {-0.2, -0.15}, {0.2, -0.15}};
    for (int shorter = 0; shorter < 2; shorter++) {
        gmc_stage s;
        char name[4][32];
        gmc_stage_open(&s, 0.5);
        for (int i = 0; i < 4; i++) {
            snprintf(name[i], sizeof name[i], "leg%d", i);
            double top = i == 3 && shorter ? -5e-5 : 0;
            gmc_pose X = {gmc_mat3_identity(), {corners[i][0], corners[i][1], -leg + top}};
            gmc_stage_fixed(&s, name[i], (gmc_shape){.type = GMC_SHAPE_SPHERE, .radius = leg}, X);
        }
        gmc_stage_free(&s, "top", gmc_stage_box(0.25, 0.2, 0.01), mass, (gmc_vec3){0, 0, 0.01});
        gmc_stage_ready(&s, 16);
        // a weight at (-0.06, 0.03) on top: its force and moments
        int v = gmc_stage_dof(&s, "top");
        s.force[v + 2] = -load * G;
        s.force[v + 3] = -load * G * 0.03;
        s.force[v + 4] = -load * G * 0.06;
        assert_int_equal(gmc_stage_run(&s, 2e-3, 2.0), GMC_OK);
        gmc_vec3 force = {0, 0, 0}, moment = {0, 0, 0};
        int touching = 0, body = gmc_stage_body(&s, "top");
        for (int c = 0; c < s.world.contacts.count; c++) {
            const gmc_contact *contact = &s.world.contacts.contacts[c];
            gmc_vec3 f = {0, 0, 0};
            double sign = contact->body_b == body ? 1 : -1;
            for (int k = 0; k < 3; k++)
                f = gmc_vec3_add_scaled(f, sign * contact->impulse[k] / 2e-3, contact->dir[k]);
            gmc_vec3 arm = gmc_vec3_sub(contact->point.p, gmc_stage_place(&s, "top"));
            force = gmc_vec3_add(force, f);
            moment = gmc_vec3_add(moment, gmc_vec3_cross(arm, f));
            touching += f.z > 0;
        }
        assert_int_equal(touching, shorter ? 3 : 4);
        // to rounding of 35 N: it is at rest
        ASSERT_NEAR(gmc_vec3_norm(gmc_vec3_sub(force, (gmc_vec3){0, 0, (mass + load) * G})), 0,
                    1e-9);
        ASSERT_NEAR(moment.x, load * G * 0.03, 1e-9);
        ASSERT_NEAR(moment.y, load * G * 0.06, 1e-9);
        gmc_stage_close(&s);
    }
}

/// Ten boxes, 60 s: 10 m g below, no drift.
static void stack_of_ten_stands(void **state)
{
    (void)state;
    enum { COUNT = 10 };
    char name[COUNT][16];
    const double mass = 0.2, half = 0.02;
    gmc_stage s;
    gmc_stage_open(&s, 0.5);
    gmc_stage_fixed(&s, "table", gmc_stage_plane(), gmc_pose_identity());
    for (int i = 0; i < COUNT; i++) {
        snprintf(name[i], sizeof name[i], "box%d", i);
        gmc_vec3 p = {1e-4 * (i % 3), -1e-4 * (i % 2), half + 2 * half * i};
        gmc_stage_free(&s, name[i], gmc_stage_box(half, half, half), mass, p);
    }
    gmc_stage_ready(&s, 64);
    const double h = 4e-3;
    assert_int_equal(gmc_stage_run(&s, h, 2.0), GMC_OK);
    gmc_vec3 start[COUNT];
    for (int i = 0; i < COUNT; i++)
        start[i] = gmc_stage_place(&s, name[i]);
    assert_int_equal(gmc_stage_run(&s, h, 60.0), GMC_OK);
    for (int i = 0; i < COUNT; i++) {
        gmc_vec3 moved = gmc_vec3_sub(gmc_stage_place(&s, name[i]), start[i]);
        ASSERT_BELOW(gmc_vec3_norm(moved), 1e-9); // no creep
    }
    double bottom = 0;
    for (int c = 0; c < s.world.contacts.count; c++) {
        const gmc_contact *contact = &s.world.contacts.contacts[c];
        if (contact->body_a == 0) bottom += contact->impulse[0] / h;
    }
    ASSERT_NEAR_RELATIVE(bottom, COUNT * mass * G, 1e-6); // 1e-8 of each impulse, and room
    print_message("stack: %.2f iterations a step, rungs %ld %ld %ld %ld, %.1f contacts\n",
                  (double)s.iterations / (double)s.steps, s.rungs[1], s.rungs[2], s.rungs[3],
                  s.rungs[4], (double)s.contacts / (double)s.steps);
    gmc_stage_close(&s);
}

// ---- joints -------------------------------------------------------------------------------------

/// One mass on a vertical slider.
static void slider(gmc_stage *s, gmc_dof dof)
{
    gmc_stage_open(s, 0.5);
    gmc_stage_slider(s, "mass", NULL, (gmc_vec3){0, 0, 1}, (gmc_vec3){0, 0, 0},
                     gmc_stage_box(0.01, 0.01, 0.01), 2, dof, false);
    gmc_stage_ready(s, 4);
}

static void limit_is_a_spring(void **state)
{
    (void)state;
    gmc_stage s;
    gmc_dof dof = gmc_builder_default_dof();
    dof.lower = -0.01;
    dof.upper = 0.02;
    dof.limit_stiffness = 1e5;
    slider(&s, dof);
    assert_int_equal(gmc_stage_run(&s, 2e-3, 2.0), GMC_OK);
    ASSERT_NEAR(s.world.state.q[0], -0.01 - 2 * G / 1e5, 1e-12);
    ASSERT_NEAR_RELATIVE(s.world.servo_impulse[0], 2e-3 * 2 * G, 1e-9);
    s.force[0] = 100; // upwards into the other stop
    assert_int_equal(gmc_stage_run(&s, 2e-3, 2.0), GMC_OK);
    ASSERT_NEAR(s.world.state.q[0], 0.02 + (100 - 2 * G) / 1e5, 1e-12);
    gmc_stage_close(&s);
}

static void servo_sags_by_its_stiffness(void **state)
{
    (void)state;
    gmc_stage s;
    slider(&s, gmc_builder_default_dof());
    s.stiffness[0] = 5000;
    s.damping[0] = 200;
    s.q_ref[0] = 0.1;
    assert_int_equal(gmc_stage_run(&s, 2e-3, 2.0), GMC_OK);
    ASSERT_NEAR(s.world.state.q[0], 0.1 - 2 * G / 5000, 1e-12);
    ASSERT_NEAR_RELATIVE(s.world.servo_impulse[0], 2e-3 * 2 * G, 1e-9);
    gmc_stage_close(&s);
}

/// Below its limit the limited servo is the unlimited one to rounding; at its limit the mass falls
/// with the rest of its weight.
static void limited_servo_gives_in(void **state)
{
    (void)state;
    gmc_stage free, limited;
    slider(&free, gmc_builder_default_dof());
    slider(&limited, gmc_builder_default_dof());
    gmc_stage *both[] = {&free, &limited};
    for (int i = 0; i < 2; i++) {
        both[i]->stiffness[0] = 5000;
        both[i]->damping[0] = 200;
        both[i]->q_ref[0] = 0.001;
    }
    limited.force_limit[0] = 60;
    assert_int_equal(gmc_stage_run(&free, 2e-3, 0.1), GMC_OK);
    assert_int_equal(gmc_stage_run(&limited, 2e-3, 0.1), GMC_OK);
    ASSERT_NEAR(limited.world.state.q[0], free.world.state.q[0], 1e-14);
    ASSERT_NEAR(limited.world.servo_impulse[0], free.world.servo_impulse[0], 1e-13);

    limited.force_limit[0] = 15;
    double v = limited.world.state.v[0];
    assert_int_equal(gmc_stage_run(&limited, 2e-3, 0.2), GMC_OK);
    ASSERT_NEAR_RELATIVE(limited.world.state.v[0] - v, -0.2 * (G - 15.0 / 2), 1e-9);
    ASSERT_NEAR_RELATIVE(limited.world.servo_impulse[0], 2e-3 * 15, 1e-12);
    gmc_stage_close(&free);
    gmc_stage_close(&limited);
}

/// A brake: holds 60 s without creep just below its bound, lets go just above.
static void joint_friction_holds_and_slips(void **state)
{
    (void)state;
    const double steps[] = {0.5e-3, 4e-3};
    for (int i = 0; i < 2; i++) {
        gmc_stage s;
        gmc_dof dof = gmc_builder_default_dof();
        dof.friction = 2 * G * 2;
        slider(&s, dof);
        assert_int_equal(gmc_stage_run(&s, steps[i], 0.5), GMC_OK);
        s.model.dofs[0].friction = 2 * G * 1.001;
        assert_int_equal(gmc_stage_run(&s, steps[i], 0.5), GMC_OK);
        double q = s.world.state.q[0];
        assert_int_equal(gmc_stage_run(&s, steps[i], 60.0), GMC_OK);
        ASSERT_NEAR(s.world.state.q[0], q, 1e-15);
        ASSERT_NEAR(q, 0, 1e-3); // it caught the mass soon

        s.model.dofs[0].friction = 2 * G * 0.999;
        double v = s.world.state.v[0];
        assert_int_equal(gmc_stage_run(&s, steps[i], 1.0), GMC_OK);
        ASSERT_NEAR_RELATIVE(s.world.state.v[0] - v, -0.001 * G, 0.02); // 1 ms of release
        gmc_stage_close(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(box_on_plane_rests_at_elastic_depth),
        cmocka_unit_test(sphere_rests_on_one_point),
        cmocka_unit_test(four_legged_table_stands_on_three),
        cmocka_unit_test(stack_of_ten_stands),
        cmocka_unit_test(limit_is_a_spring),
        cmocka_unit_test(servo_sags_by_its_stiffness),
        cmocka_unit_test(limited_servo_gives_in),
        cmocka_unit_test(joint_friction_holds_and_slips),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

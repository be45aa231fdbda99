#include "engine/contact/mechanism/driven.h"
#include "test/support/near.h"
#include "test/support/stage.h"

#include <string.h>

/// Driven joints of two kinds and a free body that is not.
static void make(gmc_stage *s)
{
    gmc_stage_open(s, 0.5);
    gmc_stage_slider(s, "slider", NULL, (gmc_vec3){0, 0, 1}, (gmc_vec3){0, 0, 1}, (gmc_shape){0}, 1,
                     gmc_builder_default_dof(), true);
    gmc_stage_hinge(s, "hinge", "slider", (gmc_vec3){0, 1, 0}, (gmc_vec3){0.1, 0, 0}, true);
    gmc_stage_free(s, "thing", gmc_stage_box(0.1, 0.1, 0.1), 1, (gmc_vec3){0, 0, 0});
    gmc_stage_ready(s, 4);
}

static void the_straight_line_ends_at_its_ends(void **state)
{
    (void)state;
    gmc_stage s;
    make(&s);
    double from[16], to[16], q[16];
    memcpy(from, s.world.state.q, (size_t)s.model.q_count * sizeof(double));
    memcpy(to, from, sizeof to);
    memcpy(q, from, sizeof q);
    for (int i = 0; i < s.model.q_count; i++)
        to[i] = from[i] + 0.1 * (i + 1);
    gmc_driven_place(&s.model, from, to, 0.25, q);
    for (int b = 1; b < s.model.body_count; b++) {
        const gmc_body *body = &s.model.bodies[b];
        for (int k = 0; k < gmc_joint_q_count(body->joint); k++) {
            int i = body->q + k;
            ASSERT_NEAR(q[i], body->is_driven ? from[i] + 0.25 * (to[i] - from[i]) : from[i],
                        1e-15);
        }
    }
    gmc_stage_close(&s);
}

/// Ends, mean, and velocities and accelerations that are the rates of what is above them.
static void the_smooth_course_is_consistent(void **state)
{
    (void)state;
    const double h = 4e-3, dt = 1e-5;
    gmc_stage s;
    make(&s);
    double start[16] = {0}, mean[16] = {0}, end[16] = {0}, q[3][16], v[3][16], a[3][16];
    for (int i = s.model.free_count; i < s.model.dof_count; i++) {
        start[i] = 0.3 + 0.1 * i;
        mean[i] = 0.5 - 0.07 * i;
        end[i] = -0.2 + 0.03 * i;
    }
    const gmc_driven_step step = {
        .from = s.world.state.q, .start = start, .mean = mean, .end = end, .h = h};
    for (double share = 0; share <= 1; share += 0.25) {
        for (int k = 0; k < 3; k++)
            gmc_driven_course(&s.model, &s.world.kin, &step, share + (k - 1) * dt / h,
                              &(gmc_driven_state){q[k], v[k], a[k]});
        for (int b = 1; b < s.model.body_count; b++) {
            const gmc_body *body = &s.model.bodies[b];
            int i = body->q, d = body->v;
            if (!body->is_driven) continue;
            // central differences of cubics: their error is that of rounding
            ASSERT_NEAR((q[2][i] - q[0][i]) / (2 * dt), v[1][d], 1e-5);
            ASSERT_NEAR((v[2][d] - v[0][d]) / (2 * dt), a[1][d], 1e-6);
            if (share == 0) {
                ASSERT_NEAR(q[1][i], step.from[i], 1e-15);
                ASSERT_NEAR(v[1][d], start[d], 1e-15);
            }
            if (share == 1) {
                ASSERT_NEAR(q[1][i], step.from[i] + h * mean[d], 1e-15);
                ASSERT_NEAR(v[1][d], end[d], 1e-14);
            }
        }
    }
    gmc_stage_close(&s);
}

/// A driven base with six dofs: where gmc_state_advance takes it with the same mean velocities.
static void a_free_base_ends_where_the_other_steppers_take_it(void **state)
{
    (void)state;
    const double h = 2e-3;
    gmc_joint_spec joint = {.type = GMC_JOINT_FREE,
                            .is_driven = true,
                            .X_pj = gmc_pose_identity(),
                            .dof = gmc_builder_default_dof()};
    gmc_inertia inertia = {
        .mass = 1, .com = {0.05, -0.02, 0.1}, .I = gmc_mat3_diagonal(1e-2, 2e-2, 2e-2)};
    gmc_stage s;
    gmc_stage_open(&s, 0.5);
    gmc_builder_link(s.builder, (gmc_source){0}, "base", NULL, &joint, &inertia);
    gmc_stage_ready(&s, 4);
    const double mean[6] = {0.4, -0.2, 0.3, 1.5, -2, 0.7};
    double start[6], end[6], q[7], v[6], a[6], before[7], rate[6];
    for (int i = 0; i < 6; i++) {
        start[i] = 0.9 * mean[i];
        end[i] = 1.2 * mean[i];
    }
    memcpy(before, s.world.state.q, sizeof before);
    const gmc_driven_step step = {.from = before, .start = start, .mean = mean, .end = end, .h = h};
    gmc_driven_course(&s.model, &s.world.kin, &step, 1, &(gmc_driven_state){q, v, a});
    // the mass centre by the mean velocity, the turn by the mean spin: as drive_base has them
    gmc_quat turned = gmc_quat_exp((gmc_vec3){h * mean[3], h * mean[4], h * mean[5]});
    gmc_vec3 com = inertia.com, there = gmc_quat_rotate(turned, com);
    ASSERT_NEAR(q[0], h * mean[0] + com.x - there.x, 1e-15);
    ASSERT_NEAR(q[1], h * mean[1] + com.y - there.y, 1e-15);
    ASSERT_NEAR(q[2], h * mean[2] + com.z - there.z, 1e-15);
    ASSERT_NEAR(q[3], turned.w, 1e-15);
    ASSERT_NEAR(q[4], turned.x, 1e-15);
    ASSERT_NEAR(q[5], turned.y, 1e-15);
    ASSERT_NEAR(q[6], turned.z, 1e-15);
    // the spin is that of the quaternion's own motion, to second order in the angle: 5e-3² of 2.6
    double near[7], far[7], t = 1e-3;
    gmc_driven_course(&s.model, &s.world.kin, &step, 0.5 - t, &(gmc_driven_state){near, rate, a});
    gmc_driven_course(&s.model, &s.world.kin, &step, 0.5 + t, &(gmc_driven_state){far, rate, a});
    gmc_driven_course(&s.model, &s.world.kin, &step, 0.5, &(gmc_driven_state){q, v, a});
    gmc_quat from = {near[3], near[4], near[5], near[6]}, to = {far[3], far[4], far[5], far[6]};
    gmc_vec3 w = gmc_quat_log(gmc_quat_multiply(to, gmc_quat_conjugate(from)));
    w = gmc_vec3_scale(1 / (2 * t * h), w);
    ASSERT_NEAR(w.x, v[3], 1e-4);
    ASSERT_NEAR(w.y, v[4], 1e-4);
    ASSERT_NEAR(w.z, v[5], 1e-4);
    gmc_stage_close(&s);
}

int test_driven(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_straight_line_ends_at_its_ends),
        cmocka_unit_test(the_smooth_course_is_consistent),
        cmocka_unit_test(a_free_base_ends_where_the_other_steppers_take_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

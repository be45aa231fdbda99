// A planar joint against what it must agree with: two sliders and a hinge in a row, which have the
// same motions, and a free joint, which moves the same body alike in space.
#include "engine/dynamics/crba.h"
#include "engine/dynamics/rnea.h"
#include "engine/dynamics/state.h"
#include "engine/model/builder.h"
#include "test/support/mechanism.h"
#include "test/support/near.h"
#include "test/support/one_jacobian.h"

#include <string.h>

static support_random the_random = {20260413};

typedef struct machine {
    gmc_arena arena;
    gmc_diagnostics report;
    gmc_builder *builder;
    gmc_model model;
    gmc_kinematics kin;
    gmc_state state;
    int body;
} machine;

static void open_machine(machine *m)
{
    *m = (machine){0};
    assert_int_equal(gmc_arena_create(&m->arena, 1 << 18), GMC_OK);
    m->builder = gmc_builder_create(&m->report);
    assert_non_null(m->builder);
    gmc_builder_gravity(m->builder, (gmc_vec3){0.7, -9, 0});
}

static void add(machine *m, const char *name, const char *parent, gmc_joint_type type,
                gmc_vec3 axis, gmc_pose X_pj, const gmc_inertia *inertia, bool is_driven)
{
    gmc_joint_spec joint = {.type = type,
                            .X_pj = X_pj,
                            .axis = axis,
                            .is_driven = is_driven,
                            .dof = gmc_builder_default_dof()};
    gmc_builder_link(m->builder, (gmc_source){0}, name, parent, &joint, inertia);
}

static void finish(machine *m, const char *body)
{
    assert_int_equal(gmc_builder_finish(m->builder, &m->arena, &m->model), GMC_OK);
    assert_int_equal(gmc_kinematics_create(&m->model, &m->arena, &m->kin), GMC_OK);
    assert_int_equal(gmc_state_create(&m->model, &m->arena, &m->state), GMC_OK);
    m->body = gmc_model_find_body(&m->model, body);
}

static void close_machine(machine *m)
{
    gmc_builder_free(m->builder);
    gmc_diagnostics_free(&m->report);
    gmc_arena_free(&m->arena);
}

static gmc_pose in_plane(double x, double y, double angle)
{
    return gmc_pose_make(gmc_quat_exp((gmc_vec3){0, 0, angle}), (gmc_vec3){x, y, 0.3});
}

static gmc_inertia random_inertia(void)
{
    gmc_inertia I = support_inertia(&the_random);
    I.com.z = 0;
    // the plane is one of symmetry: nothing turns the free joint out of it
    I.I.m[2] = I.I.m[5] = I.I.m[6] = I.I.m[7] = 0;
    return I;
}

/// The body on a planar joint, on sliders and a hinge, and free; a second body may hang on it.
typedef struct three {
    machine planar, chain, free;
} three;

static void open_three(three *t, const gmc_inertia *inertia, gmc_pose X, bool has_child)
{
    const gmc_vec3 x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
    machine *all[3] = {&t->planar, &t->chain, &t->free};
    gmc_inertia arm = random_inertia();
    for (int i = 0; i < 3; i++)
        open_machine(all[i]);
    add(&t->planar, "body", NULL, GMC_JOINT_PLANAR, z, X, inertia, false);
    add(&t->chain, "sx", NULL, GMC_JOINT_PRISMATIC, x, X, NULL, false);
    add(&t->chain, "sy", "sx", GMC_JOINT_PRISMATIC, y, gmc_pose_identity(), NULL, false);
    add(&t->chain, "body", "sy", GMC_JOINT_REVOLUTE, z, gmc_pose_identity(), inertia, false);
    add(&t->free, "body", NULL, GMC_JOINT_FREE, z, X, inertia, false);
    for (int i = 0; i < 3 && has_child; i++)
        add(all[i], "arm", "body", GMC_JOINT_REVOLUTE, z, in_plane(0.1, -0.05, 0.4), &arm, false);
    for (int i = 0; i < 3; i++)
        finish(all[i], "body");
}

static void close_three(three *t)
{
    close_machine(&t->planar);
    close_machine(&t->chain);
    close_machine(&t->free);
}

/// The same place and motion for all of them. `v`: of the centre of mass and the spin, world.
static void set_three(three *t, const double q[3], const double v[3], const double arm[2])
{
    gmc_state *p = &t->planar.state, *c = &t->chain.state, *f = &t->free.state;
    bool has_child = t->planar.model.dof_count > 3;
    for (int i = 0; i < 3; i++)
        p->q[i] = c->q[i] = q[i], p->v[i] = v[i];
    gmc_quat turn = gmc_quat_exp((gmc_vec3){0, 0, q[2]});
    const double q_free[7] = {q[0], q[1], 0, turn.w, turn.x, turn.y, turn.z};
    const double v_free[6] = {v[0], v[1], 0, 0, 0, v[2]};
    for (int i = 0; i < 7; i++)
        f->q[i] = q_free[i];
    for (int i = 0; i < 6; i++)
        f->v[i] = v_free[i];
    if (has_child) {
        p->q[3] = c->q[3] = f->q[7] = arm[0];
        p->v[3] = c->v[3] = f->v[6] = arm[1];
    }
    gmc_kinematics_update(&t->planar.model, p->q, p->v, &t->planar.kin);
    // the sliders move the body's origin, along the axes of the joint frame
    gmc_vec3 origin = t->planar.kin.X_wb[t->planar.body].p;
    gmc_vec3 velocity = gmc_twist_at(&t->planar.kin.V[t->planar.body], origin);
    gmc_vec3 own = gmc_mat3_apply_transposed(&t->chain.model.bodies[1].X_pj.R, velocity);
    c->v[0] = own.x, c->v[1] = own.y, c->v[2] = v[2];
    gmc_kinematics_update(&t->chain.model, c->q, c->v, &t->chain.kin);
    gmc_kinematics_update(&t->free.model, f->q, f->v, &t->free.kin);
}

static void random_three(three *t, bool has_child)
{
    gmc_inertia inertia = random_inertia();
    bool is_plain = support_index(&the_random, 2) == 0;
    open_three(t, &inertia,
               is_plain ? gmc_pose_identity()
                        : in_plane(0.3, -0.2, support_uniform(&the_random, -3, 3)),
               has_child);
    double q[3], v[3], arm[2];
    for (int i = 0; i < 3; i++) {
        q[i] = support_uniform(&the_random, -2, 2);
        v[i] = support_uniform(&the_random, -2, 2);
    }
    arm[0] = support_uniform(&the_random, -2, 2);
    arm[1] = support_uniform(&the_random, -2, 2);
    set_three(t, q, v, arm);
}

// Sums of a few terms of size 10.
static const double ROUNDING = 1e-13;

static void assert_vec(gmc_vec3 a, gmc_vec3 b)
{
    ASSERT_NEAR(gmc_vec3_norm(gmc_vec3_sub(a, b)), 0, ROUNDING);
}

static void poses_and_twists_agree(void **unused)
{
    (void)unused;
    for (int k = 0; k < 400; k++) {
        three t;
        random_three(&t, k % 2 == 0);
        const machine *others[2] = {&t.chain, &t.free};
        for (int i = 0; i < 2; i++) {
            for (int b = 0; b < (k % 2 == 0 ? 2 : 1); b++) {
                int own = t.planar.body + b, other = others[i]->body + b;
                const gmc_pose *X = &t.planar.kin.X_wb[own], *Y = &others[i]->kin.X_wb[other];
                for (int e = 0; e < 9; e++)
                    ASSERT_NEAR(X->R.m[e], Y->R.m[e], ROUNDING);
                assert_vec(X->p, Y->p);
                assert_vec(t.planar.kin.com_w[own], others[i]->kin.com_w[other]);
                assert_vec(t.planar.kin.V[own].v, others[i]->kin.V[other].v);
                assert_vec(t.planar.kin.V[own].w, others[i]->kin.V[other].w);
            }
            double e =
                gmc_kinematics_energy(&t.planar.model, &t.planar.kin, t.planar.state.v, NULL);
            ASSERT_NEAR(
                e,
                gmc_kinematics_energy(&others[i]->model, &others[i]->kin, others[i]->state.v, NULL),
                ROUNDING);
        }
        // at rest
        gmc_kinematics_update(&t.planar.model, t.planar.state.q, NULL, &t.planar.kin);
        assert_vec(t.planar.kin.V[t.planar.body].v, (gmc_vec3){0, 0, 0});
        close_three(&t);
    }
}

static const int IN_PLANE[4] = {0, 1, 5, 6}; ///< of the free joint's velocities; of the arm

static void mass_matrix_and_inverse_dynamics_are_the_free_joints(void **unused)
{
    (void)unused;
    for (int k = 0; k < 400; k++) {
        three t;
        bool has_child = k % 2 == 0;
        random_three(&t, has_child);
        int n = has_child ? 4 : 3, m = has_child ? 7 : 6;
        double M[16], F[49], a[4], a_free[7] = {0}, tau[4], tau_free[7];
        gmc_arena *arena = &t.planar.arena;
        assert_int_equal(gmc_crba(&t.planar.model, &t.planar.kin, M, arena), GMC_OK);
        assert_int_equal(gmc_crba(&t.free.model, &t.free.kin, F, arena), GMC_OK);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                ASSERT_NEAR(M[i * n + j], F[IN_PLANE[i] * m + IN_PLANE[j]], ROUNDING);
        for (int i = 0; i < n; i++)
            a_free[IN_PLANE[i]] = a[i] = support_uniform(&the_random, -3, 3);
        for (int with = 0; with < 2; with++) {
            assert_int_equal(gmc_rnea(&t.planar.model, &t.planar.kin, t.planar.state.v,
                                      with ? a : NULL, tau, arena),
                             GMC_OK);
            assert_int_equal(gmc_rnea(&t.free.model, &t.free.kin, t.free.state.v,
                                      with ? a_free : NULL, tau_free, arena),
                             GMC_OK);
            for (int i = 0; i < n; i++)
                ASSERT_NEAR(tau[i], tau_free[IN_PLANE[i]], 10 * ROUNDING);
        }
        close_three(&t);
    }
}

static void points_move_as_the_jacobian_says(void **unused)
{
    (void)unused;
    const gmc_vec3 dir[3] = {{0.6, 0.8, 0}, {-0.8, 0.6, 0}, {0, 0, 1}};
    for (int k = 0; k < 200; k++) {
        three t;
        random_three(&t, k % 2 == 0);
        const machine *m = &t.planar;
        int columns[8], body = m->body + (k % 2 == 0);
        double J[24];
        gmc_vec3 p = {support_uniform(&the_random, -1, 1), support_uniform(&the_random, -1, 1), 0};
        int count = support_jacobian(&m->model, &m->kin, 0, body, p, dir, columns, J);
        gmc_vec3 velocity = gmc_twist_at(&m->kin.V[body], p);
        for (int i = 0; i < 3; i++) {
            double u = 0;
            for (int c = 0; c < count; c++)
                u += J[3 * c + i] * m->state.v[columns[c]];
            ASSERT_NEAR(u, gmc_vec3_dot(dir[i], velocity), ROUNDING);
        }
        close_three(&t);
    }
}

// Under impulses and gravity, as the free joint: position, angle and velocities after the step.
static void the_advance_is_the_free_joints(void **unused)
{
    (void)unused;
    for (int k = 0; k < 400; k++) {
        three t;
        random_three(&t, false);
        double h = 0.01, mean[3], mean_free[6] = {0}, impulse[3] = {0}, impulse_free[6] = {0};
        double M[3] = {t.planar.model.bodies[1].inertia.mass, t.planar.model.bodies[1].inertia.mass,
                       t.planar.model.bodies[1].inertia.I.m[8]};
        const gmc_vec3 g = t.planar.model.gravity;
        const double weight[3] = {g.x, g.y, 0};
        for (int i = 0; i < 3; i++) {
            impulse[i] = support_uniform(&the_random, -1, 1) * M[i];
            impulse_free[IN_PLANE[i]] = impulse[i];
            mean[i] = t.planar.state.v[i] + h * weight[i] + impulse[i] / M[i];
            mean_free[IN_PLANE[i]] = mean[i];
        }
        gmc_state_advance(&t.planar.model, &t.planar.kin,
                          &(gmc_state_motion){.v_mean = mean, .impulse = impulse, .h = h},
                          &t.planar.state);
        gmc_state_advance(&t.free.model, &t.free.kin,
                          &(gmc_state_motion){.v_mean = mean_free, .impulse = impulse_free, .h = h},
                          &t.free.state);
        gmc_kinematics_update(&t.planar.model, t.planar.state.q, t.planar.state.v, &t.planar.kin);
        gmc_kinematics_update(&t.free.model, t.free.state.q, t.free.state.v, &t.free.kin);
        for (int e = 0; e < 9; e++)
            ASSERT_NEAR(t.planar.kin.X_wb[1].R.m[e], t.free.kin.X_wb[1].R.m[e], ROUNDING);
        assert_vec(t.planar.kin.X_wb[1].p, t.free.kin.X_wb[1].p);
        for (int i = 0; i < 3; i++)
            ASSERT_NEAR(t.planar.state.v[i], t.free.state.v[IN_PLANE[i]], ROUNDING);
        close_three(&t);
    }
}

// A body at rest keeps its coordinates bit by bit.
static void what_rests_stays(void **unused)
{
    (void)unused;
    const double none[3] = {0, 0, 0};
    three t;
    random_three(&t, false);
    double q[3] = {t.planar.state.q[0], t.planar.state.q[1], t.planar.state.q[2]};
    gmc_state_advance(&t.planar.model, &t.planar.kin,
                      &(gmc_state_motion){.v_mean = none, .impulse = none, .h = 0.01},
                      &t.planar.state);
    for (int i = 0; i < 3; i++)
        assert_true(t.planar.state.q[i] == q[i]);
    close_three(&t);
}

static void bad_planes_are_refused(void **unused)
{
    (void)unused;
    gmc_inertia inertia = random_inertia();
    const gmc_vec3 z = {0, 0, 1};
    gmc_pose askew = gmc_pose_make(gmc_quat_exp((gmc_vec3){0.1, 0, 0}), (gmc_vec3){0, 0, 0});
    gmc_pose over =
        gmc_pose_make(gmc_quat_exp((gmc_vec3){3.14159265358979323846, 0, 0}), (gmc_vec3){0, 0, 0});
    const gmc_pose poses[] = {askew, over};
    for (int i = 0; i < 3; i++) {
        machine m;
        open_machine(&m);
        if (i < 2) {
            add(&m, "body", NULL, GMC_JOINT_PLANAR, z, poses[i], &inertia, false);
        } else {
            add(&m, "moving", NULL, GMC_JOINT_REVOLUTE, z, gmc_pose_identity(), &inertia, false);
            add(&m, "body", "moving", GMC_JOINT_PLANAR, z, gmc_pose_identity(), &inertia, false);
        }
        assert_int_equal(gmc_builder_finish(m.builder, &m.arena, &m.model), GMC_E_INPUT);
        assert_int_equal(m.report.error_count, 1);
        assert_non_null(strstr(m.report.items[0].message, "is planar"));
        close_machine(&m);
    }
    machine m; // on a body that stands, turned about z: good
    open_machine(&m);
    gmc_joint_spec fixed = {.type = GMC_JOINT_FIXED, .X_pj = in_plane(1, 2, 0.5)};
    gmc_builder_link(m.builder, (gmc_source){0}, "stand", NULL, &fixed, NULL);
    add(&m, "body", "stand", GMC_JOINT_PLANAR, z, in_plane(0, 0, 0.2), &inertia, false);
    finish(&m, "body");
    close_machine(&m);
}

static void planar_shapes_stay_in_their_plane(void **unused)
{
    (void)unused;
    const gmc_vec3 x = {1, 0, 0}, z = {0, 0, 1}, up = {0.6, 0, 0.8};
    const double half = 3.14159265358979323846 / 2;
    const struct {
        gmc_joint_type joint;
        gmc_vec3 axis;
        double tilt; ///< of the shape, about x
        const char *says;
    } cases[] = {
        {GMC_JOINT_PLANAR, z, 0, NULL},
        {GMC_JOINT_REVOLUTE, z, 0, NULL},
        {GMC_JOINT_REVOLUTE, {0, 0, -2}, 0, NULL},
        {GMC_JOINT_PRISMATIC, x, 0, NULL},
        {GMC_JOINT_REVOLUTE, x, 0, "out of its plane"},
        {GMC_JOINT_PRISMATIC, up, 0, "out of its plane"},
        {GMC_JOINT_FREE, z, 0, "out of its plane"},
        {GMC_JOINT_SPHERICAL, z, 0, "out of its plane"},
        {GMC_JOINT_PLANAR, z, half, "must be the world's"},
        {GMC_JOINT_PLANAR, z, 2 * half, "must be the world's"},
    };
    const gmc_shape disc = {.type = GMC_SHAPE_CIRCLE, .radius = 0.1, .half_length = 0.01};
    gmc_inertia inertia = {.mass = 1, .I = gmc_mat3_diagonal(1e-3, 1e-3, 1e-3)};
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        machine m;
        open_machine(&m);
        add(&m, "body", NULL, cases[i].joint, cases[i].axis, gmc_pose_identity(), &inertia, false);
        add(&m, "arm", "body", GMC_JOINT_REVOLUTE, z, in_plane(0.1, 0, 0.3), &inertia, false);
        gmc_pose X =
            gmc_pose_make(gmc_quat_exp((gmc_vec3){cases[i].tilt, 0, 0}), (gmc_vec3){0, 0, 0});
        gmc_builder_geom(m.builder, &(gmc_geom_spec){.link = "arm",
                                                     .name = "disc",
                                                     .X_lg = X,
                                                     .shape = disc,
                                                     .surface = "any",
                                                     .category = 1,
                                                     .mask = 1});
        const char *says = cases[i].says;
        gmc_status status = gmc_builder_finish(m.builder, &m.arena, &m.model);
        assert_int_equal(status, says ? GMC_E_INPUT : GMC_OK);
        if (says) assert_non_null(strstr(m.report.items[0].message, says));
        close_machine(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(poses_and_twists_agree),
        cmocka_unit_test(mass_matrix_and_inverse_dynamics_are_the_free_joints),
        cmocka_unit_test(points_move_as_the_jacobian_says),
        cmocka_unit_test(the_advance_is_the_free_joints),
        cmocka_unit_test(what_rests_stays),
        cmocka_unit_test(bad_planes_are_refused),
        cmocka_unit_test(planar_shapes_stay_in_their_plane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

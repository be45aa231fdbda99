// What must hold for every mechanism: random forests with all joint types, mimics and driven
// joints.

#include "engine/dynamics/crba.h"
#include "engine/dynamics/rnea.h"
#include "test/support/mechanism.h"
#include "test/support/near.h"
#include "test/support/one_jacobian.h"

enum { TREES = 60, DOF_MAX = 200 };

typedef struct scene {
    gmc_arena arena, scratch;
    gmc_model model;
    gmc_kinematics kin, other;
    support_random random;
    double q[DOF_MAX], v[DOF_MAX], a[DOF_MAX];
} scene;

static void scene_open(scene *s, const support_tree_options *options, uint64_t seed)
{
    *s = (scene){.random = {seed}};
    assert_int_equal(gmc_arena_create(&s->arena, 1 << 19), GMC_OK);
    assert_int_equal(gmc_arena_create(&s->scratch, 1 << 19), GMC_OK);
    assert_int_equal(support_tree(&s->random, options, &s->arena, &s->model), GMC_OK);
    assert_true(s->model.q_count <= DOF_MAX);
    assert_int_equal(gmc_kinematics_create(&s->model, &s->arena, &s->kin), GMC_OK);
    assert_int_equal(gmc_kinematics_create(&s->model, &s->arena, &s->other), GMC_OK);
    support_tree_state(&s->random, &s->model, s->q, s->v);
    for (int d = 0; d < s->model.dof_count; d++)
        s->a[d] = support_uniform(&s->random, -3, 3);
    gmc_kinematics_update(&s->model, s->q, s->v, &s->kin);
}

static void scene_close(scene *s)
{
    gmc_arena_free(&s->arena);
    gmc_arena_free(&s->scratch);
}

static double largest(const double *x, int count)
{
    double most = 0;
    for (int i = 0; i < count; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

// tau(q, v, a) - tau(q, v, 0) = M a: two algorithms that share nothing but the kinematics.
static void inverse_dynamics_agree_with_the_mass_matrix(void **unused)
{
    (void)unused;
    static double M[DOF_MAX * DOF_MAX];
    int free_joints = 0, mimics = 0, driven = 0, spherical = 0, merged = 0;
    for (uint64_t seed = 1; seed <= TREES; seed++) {
        scene s;
        scene_open(&s, &SUPPORT_TREE_EVERYTHING, seed);
        int n = s.model.free_count;
        double with[DOF_MAX], without[DOF_MAX];
        for (int d = n; d < s.model.dof_count; d++)
            s.a[d] = 0;
        assert_int_equal(gmc_crba(&s.model, &s.kin, M, &s.scratch), GMC_OK);
        assert_int_equal(gmc_rnea(&s.model, &s.kin, s.v, s.a, with, &s.scratch), GMC_OK);
        assert_int_equal(gmc_rnea(&s.model, &s.kin, s.v, NULL, without, &s.scratch), GMC_OK);
        double size = fmax(largest(with, n), largest(without, n));
        for (int i = 0; i < n; i++) {
            double sum = 0;
            for (int j = 0; j < n; j++) {
                sum += M[i * n + j] * s.a[j];
                ASSERT_NEAR(M[i * n + j], M[j * n + i], 0); // mirrored, not computed twice
            }
            // sums of a few hundred terms of this size, each rounded to 1e-16
            ASSERT_NEAR(with[i] - without[i], sum, 1e-12 * size);
        }
        for (int b = 1; b < s.model.body_count; b++) {
            free_joints += s.model.bodies[b].joint == GMC_JOINT_FREE;
            spherical += s.model.bodies[b].joint == GMC_JOINT_SPHERICAL;
            mimics += s.model.bodies[b].is_mimic;
            driven += s.model.bodies[b].is_driven;
        }
        merged += SUPPORT_TREE_EVERYTHING.link_count + 1 - s.model.body_count;
        scene_close(&s);
    }
    // the generator really makes all of it
    assert_true(free_joints > 10);
    assert_true(mimics > 10);
    assert_true(driven > 10);
    assert_true(spherical > 10);
    assert_true(merged > 10);
}

// Velocity of a body's centre of mass and its angular velocity along the motion v + a t, at time t.
typedef struct motion {
    gmc_vec3 v[32], w[32], com[32];
    gmc_mat3 R[32];
} motion;

static void move_to(scene *s, double t, motion *at)
{
    static double q[DOF_MAX], v[DOF_MAX], mean[DOF_MAX];
    for (int d = 0; d < s->model.dof_count; d++) {
        v[d] = s->v[d] + t * s->a[d];
        mean[d] = s->v[d] + t / 2 * s->a[d];
    }
    support_flow(&s->model, &s->kin, s->q, mean, t, &s->scratch, q);
    gmc_kinematics_update(&s->model, q, v, &s->other);
    for (int b = 1; b < s->model.body_count; b++) {
        at->com[b] = s->other.com_w[b];
        at->v[b] = gmc_twist_at(s->other.V + b, s->other.com_w[b]);
        at->w[b] = s->other.V[b].w;
        at->R[b] = s->other.X_wb[b].R;
    }
}

// The twists are the rates of the poses: along q (+) h v, by central differences.
static void twists_are_rates_of_poses(void **unused)
{
    (void)unused;
    const double h = 1e-5; // error of the differences: h² times third derivatives of up to 1e3
    for (uint64_t seed = 1; seed <= TREES; seed++) {
        scene s;
        scene_open(&s, &SUPPORT_TREE_EVERYTHING, 1000 + seed);
        for (int d = 0; d < s.model.dof_count; d++)
            s.a[d] = 0;
        motion before, after;
        move_to(&s, -h, &before);
        move_to(&s, h, &after);
        for (int b = 1; b < s.model.body_count; b++) {
            gmc_vec3 v = gmc_twist_at(s.kin.V + b, s.kin.com_w[b]), w = s.kin.V[b].w;
            gmc_vec3 rate = gmc_vec3_scale(0.5 / h, gmc_vec3_sub(after.com[b], before.com[b]));
            gmc_mat3 Rt = gmc_mat3_transpose(before.R + b),
                     turn = gmc_mat3_multiply(after.R + b, &Rt);
            gmc_vec3 spin = gmc_vec3_scale(0.5 / h, gmc_quat_log(gmc_quat_from_matrix(&turn)));
            double tolerance =
                1e-7 * (1 + gmc_vec3_norm(v) + gmc_vec3_dot(w, w) * gmc_vec3_norm(w));
            ASSERT_NEAR(gmc_vec3_norm(gmc_vec3_sub(rate, v)), 0, tolerance);
            ASSERT_NEAR(gmc_vec3_norm(gmc_vec3_sub(spin, w)), 0, tolerance);
            gmc_twist again = gmc_kinematics_twist(&s.kin, b, s.v);
            ASSERT_NEAR(gmc_vec3_norm(gmc_vec3_sub(again.w, w)), 0, 1e-12 * (1 + gmc_vec3_norm(w)));
        }
        scene_close(&s);
    }
}

// Kane's form: tau_d = sum over bodies of (momentum rates) . (motion per unit v_d), the rates by
// central differences of the twists. An oracle for gravity and all velocity terms, component by
// component.
static void inverse_dynamics_agree_with_differences(void **unused)
{
    (void)unused;
    const double h = 1e-5;
    for (uint64_t seed = 1; seed <= TREES; seed++) {
        scene s;
        scene_open(&s, &SUPPORT_TREE_EVERYTHING, 2000 + seed);
        const gmc_model *m = &s.model;
        double tau[DOF_MAX], expected[DOF_MAX] = {0}, size = 1;
        assert_int_equal(gmc_rnea(m, &s.kin, s.v, s.a, tau, &s.scratch), GMC_OK);
        motion before, after;
        move_to(&s, -h, &before);
        move_to(&s, h, &after);
        for (int d = 0; d < m->dof_count; d++)
            expected[d] = m->dofs[d].armature * s.a[d];
        for (int b = 1; b < m->body_count; b++) {
            gmc_vec3 dv = gmc_vec3_scale(0.5 / h, gmc_vec3_sub(after.v[b], before.v[b]));
            gmc_vec3 dw = gmc_vec3_scale(0.5 / h, gmc_vec3_sub(after.w[b], before.w[b]));
            gmc_vec3 w = s.kin.V[b].w;
            gmc_vec3 f = gmc_vec3_scale(m->bodies[b].inertia.mass, gmc_vec3_sub(dv, m->gravity));
            gmc_vec3 n = gmc_vec3_add(gmc_mat3_apply(s.kin.I_w + b, dw),
                                      gmc_vec3_cross(w, gmc_mat3_apply(s.kin.I_w + b, w)));
            for (int d = 0; d < m->dof_count; d++) {
                double unit[DOF_MAX] = {0};
                unit[d] = 1;
                gmc_twist S = gmc_kinematics_twist(&s.kin, b, unit);
                expected[d] +=
                    gmc_vec3_dot(S.w, n) + gmc_vec3_dot(gmc_twist_at(&S, s.kin.com_w[b]), f);
            }
        }
        size += largest(expected, m->dof_count);
        // the differences' error: h² = 1e-10 times third derivatives, and 1e-16/h of rounding
        for (int d = 0; d < m->dof_count; d++)
            ASSERT_NEAR(tau[d], expected[d], 1e-6 * size);
        scene_close(&s);
    }
}

// Power put in by tau is the rate of energy, kinetic and potential.
static void power_balances_energy(void **unused)
{
    (void)unused;
    const double h = 1e-5;
    for (uint64_t seed = 1; seed <= TREES; seed++) {
        scene s;
        scene_open(&s, &SUPPORT_TREE_EVERYTHING, 3000 + seed);
        double tau[DOF_MAX], power = 0, energy[2], size = 1;
        assert_int_equal(gmc_rnea(&s.model, &s.kin, s.v, s.a, tau, &s.scratch), GMC_OK);
        for (int d = 0; d < s.model.dof_count; d++) {
            power += tau[d] * s.v[d];
            size += fabs(tau[d] * s.v[d]);
        }
        for (int side = 0; side < 2; side++) {
            double v[DOF_MAX], t = side ? h : -h, potential;
            motion at;
            move_to(&s, t, &at);
            for (int d = 0; d < s.model.dof_count; d++)
                v[d] = s.v[d] + t * s.a[d];
            energy[side] = gmc_kinematics_energy(&s.model, &s.other, v, &potential);
            energy[side] += potential;
        }
        ASSERT_NEAR(power, (energy[1] - energy[0]) / (2 * h), 1e-6 * size);
        scene_close(&s);
    }
}

// Rows against differences of the point's velocity, which is linear in v: no step, rounding only.
// Driven dofs give the remainder.
static void jacobian_gives_relative_velocity(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= TREES; seed++) {
        scene s;
        scene_open(&s, &SUPPORT_TREE_EVERYTHING, 4000 + seed);
        for (int pair = 0; pair < 10; pair++) {
            int a = support_index(&s.random, s.model.body_count);
            int b = support_index(&s.random, s.model.body_count), columns[DOF_MAX];
            gmc_vec3 p = gmc_vec3_scale(2, support_direction(&s.random)), dir[3];
            double J[3 * DOF_MAX], driven[DOF_MAX] = {0};
            dir[0] = support_direction(&s.random);
            gmc_vec3_tangents(dir[0], dir + 1, dir + 2);
            int count = support_jacobian(&s.model, &s.kin, a, b, p, dir, columns, J);
            for (int k = 0; k < count; k++) {
                assert_true(columns[k] < s.model.free_count);
                if (k > 0) assert_true(columns[k - 1] < columns[k]);
            }
            for (int d = s.model.free_count; d < s.model.dof_count; d++)
                driven[d] = s.v[d];
            gmc_twist Da = gmc_kinematics_twist(&s.kin, a, driven);
            gmc_twist Db = gmc_kinematics_twist(&s.kin, b, driven);
            for (int i = 0; i < 3; i++) {
                gmc_vec3 u =
                    gmc_vec3_sub(gmc_twist_at(s.kin.V + b, p), gmc_twist_at(s.kin.V + a, p));
                double sum =
                    gmc_vec3_dot(dir[i], gmc_vec3_sub(gmc_twist_at(&Db, p), gmc_twist_at(&Da, p)));
                for (int k = 0; k < count; k++)
                    sum += J[3 * k + i] * s.v[columns[k]];
                // velocities of up to a few hundred m/s at the far end of 12 joints
                ASSERT_NEAR(sum, gmc_vec3_dot(dir[i], u), 1e-11);
            }
        }
        scene_close(&s);
    }
}

// J against central differences of the distance between two points carried by the bodies.
static void jacobian_agrees_with_differences(void **unused)
{
    (void)unused;
    const double h = 1e-5;
    for (uint64_t seed = 1; seed <= TREES; seed++) {
        scene s;
        scene_open(&s, &SUPPORT_TREE_EVERYTHING, 5000 + seed);
        const gmc_model *m = &s.model;
        int a = support_index(&s.random, m->body_count),
            b = support_index(&s.random, m->body_count);
        int columns[DOF_MAX];
        gmc_vec3 p = support_direction(&s.random), dir[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        gmc_vec3 p_a = gmc_pose_apply_inverse(s.kin.X_wb + a, p);
        gmc_vec3 p_b = gmc_pose_apply_inverse(s.kin.X_wb + b, p);
        double J[3 * DOF_MAX];
        int count = support_jacobian(m, &s.kin, a, b, p, dir, columns, J);
        for (int d = 0, k = 0; d < m->free_count; d++) {
            double unit[DOF_MAX] = {0}, q[DOF_MAX];
            gmc_vec3 apart[2];
            unit[d] = 1;
            for (int side = 0; side < 2; side++) {
                support_flow(m, &s.kin, s.q, unit, side ? h : -h, &s.scratch, q);
                gmc_kinematics_update(m, q, NULL, &s.other);
                apart[side] = gmc_vec3_sub(gmc_pose_apply(s.other.X_wb + b, p_b),
                                           gmc_pose_apply(s.other.X_wb + a, p_a));
            }
            bool is_column = k < count && columns[k] == d;
            for (int i = 0; i < 3; i++) {
                double rate = (gmc_vec3_get(apart[1], i) - gmc_vec3_get(apart[0], i)) / (2 * h);
                ASSERT_NEAR(is_column ? J[3 * k + i] : 0, rate, 1e-7);
            }
            k += is_column;
        }
        scene_close(&s);
    }
}

static gmc_vec3 three(const double *x) { return (gmc_vec3){x[0], x[1], x[2]}; }

static void turn_three(const gmc_mat3 *R, double *x)
{
    gmc_vec3 turned = gmc_mat3_apply(R, three(x));
    x[0] = turned.x;
    x[1] = turned.y;
    x[2] = turned.z;
}

// Turning and shifting the whole world changes nothing but the axes of world quantities.
static void world_frame_does_not_matter(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= TREES; seed++) {
        scene s;
        scene_open(&s, &SUPPORT_TREE_EVERYTHING, 6000 + seed);
        const gmc_model *m = &s.model;
        double before[DOF_MAX], after[DOF_MAX];
        assert_int_equal(gmc_rnea(m, &s.kin, s.v, s.a, before, &s.scratch), GMC_OK);

        gmc_pose X = gmc_pose_make(support_rotation(&s.random),
                                   gmc_vec3_scale(3, support_direction(&s.random)));
        gmc_model twin;
        assert_int_equal(gmc_model_copy(m, &s.arena, &twin), GMC_OK);
        twin.gravity = gmc_mat3_apply(&X.R, m->gravity);
        for (int b = 1; b < m->body_count; b++) {
            gmc_body *body = twin.bodies + b;
            if (body->parent == 0) body->X_pj = gmc_pose_multiply(&X, &body->X_pj);
            if (body->joint != GMC_JOINT_FREE) continue;
            for (int k = 0; k < 6; k += 3) {
                turn_three(&X.R, s.v + body->v + k);
                turn_three(&X.R, s.a + body->v + k);
                turn_three(&X.R, before + body->v + k);
            }
        }
        assert_int_equal(gmc_kinematics_create(&twin, &s.arena, &s.other), GMC_OK);
        gmc_kinematics_update(&twin, s.q, s.v, &s.other);
        assert_int_equal(gmc_rnea(&twin, &s.other, s.v, s.a, after, &s.scratch), GMC_OK);
        double size = largest(before, m->dof_count);
        for (int d = 0; d < m->dof_count; d++)
            ASSERT_NEAR(after[d], before[d], 1e-12 * size);
        scene_close(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inverse_dynamics_agree_with_the_mass_matrix),
        cmocka_unit_test(twists_are_rates_of_poses),
        cmocka_unit_test(inverse_dynamics_agree_with_differences),
        cmocka_unit_test(power_balances_energy),
        cmocka_unit_test(jacobian_gives_relative_velocity),
        cmocka_unit_test(jacobian_agrees_with_differences),
        cmocka_unit_test(world_frame_does_not_matter),
    };
    return cmocka_run_group_tests_name("dynamics", tests, NULL, NULL);
}

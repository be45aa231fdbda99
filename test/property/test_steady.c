// What the sweeps skip must be what a plain one would have found to be nothing: kinematics, mass
// matrix and inverse dynamics of tidy mechanisms (gantries, axes along coordinates, centred bodies,
// principal axes) beside plain versions of the three that know no special case.

#include "engine/dynamics/crba.h"
#include "engine/dynamics/rnea.h"
#include "test/support/mechanism.h"
#include "test/support/near.h"

#include <string.h>

enum { TREES = 200, DOF_MAX = 120, BODY_MAX = 16 };

typedef struct scene {
    gmc_arena arena, scratch;
    gmc_model model;
    gmc_kinematics kin;
    support_random random;
    double q[DOF_MAX], v[DOF_MAX], a[DOF_MAX];
} scene;

static bool one_in(support_random *random, int count) { return support_index(random, count) == 0; }

// A random mechanism, most of whose numbers become the 0 and 1 that drawings have.
static void tidy(support_random *random, gmc_model *model)
{
    for (int b = 1; b < model->body_count; b++) {
        gmc_body *body = &model->bodies[b];
        gmc_mat3 *I = &body->inertia.I;
        const gmc_vec3 axes[3] = {{1, 0, 0}, {0, -1, 0}, {0, 0, 1}};
        if (one_in(random, 2)) body->X_pj.R = gmc_mat3_identity();
        if (!one_in(random, 3)) body->axis = axes[support_index(random, 3)];
        if (body->joint == GMC_JOINT_REVOLUTE && one_in(random, 2))
            body->joint = GMC_JOINT_PRISMATIC; // counts of q and v are the same
        if (one_in(random, 2)) body->inertia.com = (gmc_vec3){0, 0, 0};
        double c = I->m[0];
        if (one_in(random, 3))
            *I = gmc_mat3_diagonal(c, c, c);
        else if (one_in(random, 2))
            *I = gmc_mat3_diagonal(c, I->m[4], I->m[8]);
    }
}

static void scene_state(scene *s)
{
    support_tree_state(&s->random, &s->model, s->q, s->v);
    for (int d = 0; d < s->model.dof_count; d++)
        s->a[d] = support_uniform(&s->random, -3, 3);
    gmc_kinematics_update(&s->model, s->q, s->v, &s->kin);
}

static void scene_open(scene *s, uint64_t seed)
{
    *s = (scene){.random = {seed}};
    assert_int_equal(gmc_arena_create(&s->arena, 1 << 19), GMC_OK);
    assert_int_equal(gmc_arena_create(&s->scratch, 1 << 19), GMC_OK);
    assert_int_equal(support_tree(&s->random, &SUPPORT_TREE_EVERYTHING, &s->arena, &s->model),
                     GMC_OK);
    assert_true(s->model.q_count <= DOF_MAX);
    assert_true(s->model.body_count <= BODY_MAX);
    tidy(&s->random, &s->model);
    assert_int_equal(gmc_kinematics_create(&s->model, &s->arena, &s->kin), GMC_OK);
    scene_state(s);
}

static void scene_close(scene *s)
{
    gmc_arena_free(&s->arena);
    gmc_arena_free(&s->scratch);
}

// ---- the plain versions -----------------------------------------------------------------------

typedef struct plain {
    gmc_pose X_wb[BODY_MAX];
    gmc_vec3 com_w[BODY_MAX];
    gmc_mat3 I_w[BODY_MAX];
    gmc_twist V[BODY_MAX], A[BODY_MAX];
    gmc_twist unit[BODY_MAX][DOF_MAX]; // twist of the body per unit velocity of a dof
} plain;

static gmc_twist turn_about(gmc_vec3 axis, gmc_vec3 through)
{
    return (gmc_twist){axis, gmc_vec3_cross(through, axis)};
}

// Axes of the joint and their rates, V being the parent's twist; those of a free joint are along
// the world and go with the centre of mass.
static int plain_axes(const gmc_body *body, const gmc_pose *X_wj, gmc_vec3 com, gmc_twist V,
                      const double *v, gmc_twist *axes, gmc_twist *rates)
{
    static const gmc_vec3 unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    int count = gmc_joint_v_count(body->joint);
    gmc_vec3 along = gmc_mat3_apply(&X_wj->R, gmc_vec3_scale(body->ratio, body->axis));
    for (int k = 0; k < count; k++) {
        if (body->joint == GMC_JOINT_FREE) {
            gmc_vec3 velocity = {v[0], v[1], v[2]};
            axes[k] = k < 3 ? (gmc_twist){{0, 0, 0}, unit[k]} : turn_about(unit[k - 3], com);
            rates[k] = (gmc_twist){{0, 0, 0}, {0, 0, 0}};
            if (k >= 3) rates[k].v = gmc_vec3_cross(velocity, unit[k - 3]);
            continue;
        }
        axes[k] = body->joint == GMC_JOINT_PRISMATIC ? (gmc_twist){{0, 0, 0}, along}
                  : body->joint == GMC_JOINT_REVOLUTE
                      ? turn_about(along, X_wj->p)
                      : turn_about(gmc_mat3_column(&X_wj->R, k), X_wj->p);
        rates[k] = gmc_twist_cross(V, axes[k]);
    }
    return count;
}

static void plain_sweep(const scene *s, bool is_accelerated, plain *p)
{
    memset(p, 0, sizeof *p);
    p->X_wb[0] = gmc_pose_identity();
    p->A[0].v = gmc_vec3_neg(s->model.gravity);
    for (int b = 1; b < s->model.body_count; b++) {
        const gmc_body *body = &s->model.bodies[b];
        const double *v = s->v + body->v, *a = s->a + body->v;
        gmc_pose X_wj = gmc_pose_multiply(&p->X_wb[body->parent], &body->X_pj);
        gmc_pose X_jb = gmc_model_joint_pose(body, s->q);
        gmc_twist axes[6], rates[6];
        p->X_wb[b] = gmc_pose_multiply(&X_wj, &X_jb);
        p->com_w[b] = gmc_pose_apply(&p->X_wb[b], body->inertia.com);
        p->I_w[b] = gmc_mat3_rotate(&p->X_wb[b].R, &body->inertia.I);
        p->V[b] = p->V[body->parent];
        p->A[b] = p->A[body->parent];
        memcpy(p->unit[b], p->unit[body->parent], sizeof p->unit[b]);
        int count = plain_axes(body, &X_wj, p->com_w[b], p->V[b], v, axes, rates);
        for (int k = 0; k < count; k++) {
            p->V[b] = gmc_twist_add_scaled(p->V[b], v[k], axes[k]);
            p->A[b] = gmc_twist_add_scaled(p->A[b], v[k], rates[k]);
            if (is_accelerated) p->A[b] = gmc_twist_add_scaled(p->A[b], a[k], axes[k]);
            gmc_twist *unit = &p->unit[b][body->v + k];
            *unit = gmc_twist_add_scaled(*unit, 1, axes[k]);
        }
    }
}

// Kane: powers of the bodies' forces along the motion per unit velocity of each dof.
static void plain_torque(const scene *s, const plain *p, bool is_accelerated, double *tau)
{
    for (int d = 0; d < s->model.dof_count; d++)
        tau[d] = is_accelerated ? s->model.dofs[d].armature * s->a[d] : 0;
    for (int b = 1; b < s->model.body_count; b++) {
        if (gmc_model_is_static(&s->model, b)) continue;
        gmc_vec3 com = p->com_w[b], w = p->V[b].w;
        gmc_vec3 linear = gmc_vec3_add(gmc_twist_at(&p->A[b], com),
                                       gmc_vec3_cross(w, gmc_twist_at(&p->V[b], com)));
        gmc_vec3 f = gmc_vec3_scale(s->model.bodies[b].inertia.mass, linear);
        gmc_vec3 n = gmc_vec3_add(gmc_mat3_apply(&p->I_w[b], p->A[b].w),
                                  gmc_vec3_cross(w, gmc_mat3_apply(&p->I_w[b], w)));
        for (int d = 0; d < s->model.dof_count; d++)
            tau[d] += gmc_vec3_dot(p->unit[b][d].w, n) +
                      gmc_vec3_dot(gmc_twist_at(&p->unit[b][d], com), f);
    }
}

static double plain_mass(const scene *s, const plain *p, int i, int j)
{
    double sum = i == j ? s->model.dofs[i].armature : 0;
    for (int b = 1; b < s->model.body_count; b++) {
        if (gmc_model_is_static(&s->model, b)) continue;
        const gmc_twist *S = &p->unit[b][i], *T = &p->unit[b][j];
        sum += s->model.bodies[b].inertia.mass *
                   gmc_vec3_dot(gmc_twist_at(S, p->com_w[b]), gmc_twist_at(T, p->com_w[b])) +
               gmc_vec3_dot(S->w, gmc_mat3_apply(&p->I_w[b], T->w));
    }
    return sum;
}

// ---- properties -------------------------------------------------------------------------------

// Sums of some hundred products of numbers up to `size`, each rounded to 1e-16.
static void near_numbers(const double *got, const double *expected, int count, double size)
{
    for (int i = 0; i < count; i++)
        ASSERT_NEAR(got[i], expected[i], 1e-12 * size);
}

static double largest(const double *x, int count)
{
    double most = 1;
    for (int i = 0; i < count; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

static void compare_kinematics(const scene *s, const plain *p)
{
    for (int b = 1; b < s->model.body_count; b++) {
        const double speed = 10 + gmc_vec3_norm(p->V[b].v) + gmc_vec3_norm(p->V[b].w);
        near_numbers(s->kin.X_wb[b].R.m, p->X_wb[b].R.m, 9, 1);
        near_numbers(&s->kin.X_wb[b].p.x, &p->X_wb[b].p.x, 3, 10);
        near_numbers(&s->kin.com_w[b].x, &p->com_w[b].x, 3, 10);
        if (gmc_model_is_static(&s->model, b)) continue;
        near_numbers(s->kin.I_w[b].m, p->I_w[b].m, 9, 1);
        near_numbers(&s->kin.V[b].w.x, &p->V[b].w.x, 3, speed);
        near_numbers(&s->kin.V[b].v.x, &p->V[b].v.x, 3, speed);
    }
}

// At two states, so that what is kept from the first must hold in the second.
static void sweeps_are_the_plain_ones(void **unused)
{
    (void)unused;
    static plain p;
    static double M[DOF_MAX * DOF_MAX], tau[DOF_MAX], expected[DOF_MAX];
    for (uint64_t seed = 1; seed <= TREES; seed++) {
        scene s;
        scene_open(&s, seed);
        int n = s.model.free_count, all = s.model.dof_count;
        for (int state = 0; state < 2; state++) {
            for (int with = 0; with < 2; with++) {
                plain_sweep(&s, with, &p);
                plain_torque(&s, &p, with, expected);
                assert_int_equal(
                    gmc_rnea(&s.model, &s.kin, s.v, with ? s.a : NULL, tau, &s.scratch), GMC_OK);
                near_numbers(tau, expected, all, largest(expected, all));
            }
            compare_kinematics(&s, &p);
            assert_int_equal(gmc_crba(&s.model, &s.kin, M, &s.scratch), GMC_OK);
            double size = largest(M, n * n);
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++)
                    ASSERT_NEAR(M[i * n + j], plain_mass(&s, &p, i, j), 1e-12 * size);
            gmc_arena_reset(&s.scratch, 0);
            scene_state(&s);
        }
        scene_close(&s);
    }
}

// What is called steady is the same bits at another state, and the two parts make up the whole.
static void steady_part_stays(void **unused)
{
    (void)unused;
    static double steady[DOF_MAX * DOF_MAX], later[DOF_MAX * DOF_MAX], M[DOF_MAX * DOF_MAX];
    for (uint64_t seed = 1; seed <= TREES; seed++) {
        scene s;
        scene_open(&s, 1000 + seed);
        int n = s.model.free_count;
        size_t bytes = (size_t)n * (size_t)n * sizeof(double);
        gmc_crba_steady(&s.model, &s.kin, NULL, n, steady);
        scene_state(&s);
        gmc_crba_steady(&s.model, &s.kin, NULL, n, later);
        assert_memory_equal(steady, later, bytes);
        assert_int_equal(gmc_crba_turning(&s.model, &s.kin, NULL, n, steady, &s.scratch), GMC_OK);
        assert_int_equal(gmc_crba(&s.model, &s.kin, M, &s.scratch), GMC_OK);
        assert_memory_equal(steady, M, bytes);
        scene_close(&s);
    }
}

// The generator makes what is to be tested.
static void mechanisms_are_tidy(void **unused)
{
    (void)unused;
    int slides = 0, under_slides = 0, about = 0, upright = 0, straight = 0, round = 0,
        principal = 0;
    for (uint64_t seed = 1; seed <= TREES; seed++) {
        scene s;
        scene_open(&s, seed);
        for (int b = 1; b < s.model.body_count; b++) {
            const gmc_steady *own = &s.kin.steady[b];
            bool turns = own->mobility == GMC_MOBILITY_TURNS;
            slides += own->mobility == GMC_MOBILITY_SLIDES;
            under_slides +=
                turns && s.kin.steady[s.model.bodies[b].parent].mobility == GMC_MOBILITY_SLIDES;
            about += own->about >= 0;
            upright += turns && own->is_upright;
            straight += turns && !own->is_level && own->is_straight;
            round += turns && own->roundness == GMC_ROUNDNESS_FULL;
            principal += turns && own->roundness == GMC_ROUNDNESS_PRINCIPAL;
        }
        scene_close(&s);
    }
    assert_true(slides > 20);
    assert_true(under_slides > 20);
    assert_true(about > 20);
    assert_true(upright > 20);
    assert_true(straight > 20);
    assert_true(round > 20);
    assert_true(principal > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sweeps_are_the_plain_ones),
        cmocka_unit_test(steady_part_stays),
        cmocka_unit_test(mechanisms_are_tidy),
    };
    return cmocka_run_group_tests_name("steady", tests, NULL, NULL);
}

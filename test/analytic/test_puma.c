// Puma 560 against the values published with the Robotics Toolbox for it ([corke1994], four
// decimals) and against an independent high-accuracy integration of its free fall.

#include "engine/dynamics/crba.h"
#include "engine/dynamics/rnea.h"
#include "test/support/capability.h"
#include "test/support/mechanism.h"
#include "test/support/near.h"
#include "test/support/puma.h"

#include <string.h>

enum { N = SUPPORT_PUMA_JOINTS };

typedef struct robot {
    gmc_arena arena, scratch;
    gmc_model model;
    gmc_kinematics kin;
} robot;

static void robot_open(robot *r)
{
    assert_int_equal(gmc_arena_create(&r->arena, 1 << 16), GMC_OK);
    assert_int_equal(gmc_arena_create(&r->scratch, 1 << 16), GMC_OK);
    assert_int_equal(support_puma(gmc_pose_identity(), &r->arena, &r->model), GMC_OK);
    assert_int_equal(r->model.free_count, N);
    assert_int_equal(gmc_kinematics_create(&r->model, &r->arena, &r->kin), GMC_OK);
}

static void robot_close(robot *r)
{
    gmc_arena_free(&r->arena);
    gmc_arena_free(&r->scratch);
}

static void gravity_load(robot *r, const double *q, double *tau)
{
    double rest[N] = {0};
    gmc_kinematics_update(&r->model, q, rest, &r->kin);
    assert_int_equal(gmc_rnea(&r->model, &r->kin, rest, NULL, tau, &r->scratch), GMC_OK);
}

// half of the last published digit
static const double PUBLISHED = 5.1e-5;

static void gravity_load_is_the_published_one(void **unused)
{
    (void)unused;
    const double zero[N] = {0}, ready[N] = {0, GMC_PI / 2, -GMC_PI / 2, 0, 0, 0};
    const struct {
        const double *q;
        double tau[N];
    } cases[] = {{SUPPORT_PUMA_NOMINAL, {0, 31.6399, 6.0351, 0, 0.0283, 0}},
                 {zero, {0, 37.4837, 0.2489, 0, 0, 0}},
                 {ready, {0, -0.7752, 0.2489, 0, 0, 0}}};
    robot r;
    double worst = 0;
    robot_open(&r);
    for (int c = 0; c < GMC_COUNT(cases); c++) {
        double tau[N];
        gravity_load(&r, cases[c].q, tau);
        for (int i = 0; i < N; i++)
            worst = fmax(worst, fabs(tau[i] - cases[c].tau[i]));
    }
    capability_at_most(28, worst, PUBLISHED);
    robot_close(&r);
}

static void inertia_is_the_published_one(void **unused)
{
    (void)unused;
    const double diagonal[N] = {3.6594, 4.4137, 0.9378, 0.1925, 0.1713, 0.1941};
    const struct {
        int row, column;
        double value;
    } others[] = {{0, 1, -0.4044}, {0, 2, 0.1006}, {1, 2, 0.3509},
                  {0, 3, -0.0025}, {1, 4, 0.0024}, {2, 4, 0.0015}};
    robot r;
    robot_open(&r);
    double M[N * N], worst = 0;
    gmc_kinematics_update(&r.model, SUPPORT_PUMA_NOMINAL, NULL, &r.kin);
    assert_int_equal(gmc_crba(&r.model, &r.kin, M, &r.scratch), GMC_OK);
    for (int i = 0; i < N; i++)
        worst = fmax(worst, fabs(M[i * N + i] - diagonal[i]));
    for (int k = 0; k < GMC_COUNT(others); k++) {
        worst = fmax(worst, fabs(M[others[k].row * N + others[k].column] - others[k].value));
        worst = fmax(worst, fabs(M[others[k].column * N + others[k].row] - others[k].value));
    }
    capability_at_most(41, worst, PUBLISHED);
    robot_close(&r);
}

/// x := A⁻¹ x by Gauss and Jordan, pivots down the column.
static void solve(double A[N][N], double *x)
{
    for (int p = 0; p < N; p++) {
        int best = p;
        for (int i = p + 1; i < N; i++)
            if (fabs(A[i][p]) > fabs(A[best][p])) best = i;
        for (int j = 0; j < N; j++) {
            double swap = A[p][j];
            A[p][j] = A[best][j];
            A[best][j] = swap;
        }
        double held = x[p];
        x[p] = x[best];
        x[best] = held;
        for (int i = 0; i < N; i++) {
            double factor = i == p ? 0 : A[i][p] / A[p][p];
            for (int j = p; j < N; j++)
                A[i][j] -= factor * A[p][j];
            x[i] -= factor * x[p];
        }
    }
    for (int i = 0; i < N; i++)
        x[i] /= A[i][i];
}

/// Velocity and spin of the flange in the base's axes, joint by joint.
static void flange_jacobian(robot *r, double J[N][N])
{
    const gmc_frame *flange = &r->model.frames[gmc_model_find_frame(&r->model, "dh6")];
    for (int k = 0; k < N; k++) {
        double v[N] = {0};
        v[k] = 1;
        gmc_kinematics_update(&r->model, SUPPORT_PUMA_NOMINAL, v, &r->kin);
        gmc_pose X = gmc_pose_multiply(&r->kin.X_wb[flange->body], &flange->X_bf);
        gmc_twist V = r->kin.V[flange->body];
        gmc_vec3 u = gmc_twist_at(&V, X.p);
        gmc_vec3 w = V.w;
        const double column[N] = {u.x, u.y, u.z, w.x, w.y, w.z};
        for (int i = 0; i < N; i++)
            J[i][k] = column[i];
    }
}

// What the flange weighs along and about the base's axes: J⁻ᵀ M J⁻¹.
static void inertia_at_the_flange_is_the_published_one(void **unused)
{
    (void)unused;
    const double published[N] = {17.2954, 12.1909, 13.3348, 0.1941, 0.1713, 0.5791};
    robot r;
    robot_open(&r);
    double M[N * N], J[N][N];
    gmc_kinematics_update(&r.model, SUPPORT_PUMA_NOMINAL, NULL, &r.kin);
    assert_int_equal(gmc_crba(&r.model, &r.kin, M, &r.scratch), GMC_OK);
    flange_jacobian(&r, J);
    for (int k = 0; k < N; k++) {
        double A[N][N], x[N] = {0}, weight = 0; // x: joint rates that move it by one along axis k
        memcpy(A, J, sizeof A);
        x[k] = 1;
        solve(A, x);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                weight += x[i] * M[i * N + j] * x[j];
        ASSERT_NEAR(weight, published[k], PUBLISHED);
    }
    robot_close(&r);
}

static void inverse_dynamics_are_the_published_ones(void **unused)
{
    (void)unused;
    const double one[N] = {1, 1, 1, 1, 1, 1}, rest[N] = {0};
    const double still[N] = {3.35311, 36.0025, 7.42596, 0.190043, 0.203441, 0.194133};
    const double moving[N] = {32.4952, 60.867, 17.7436, 1.45452, 1.29911, 0.713781};
    robot r;
    robot_open(&r);
    double tau[N];
    gmc_kinematics_update(&r.model, SUPPORT_PUMA_NOMINAL, rest, &r.kin);
    assert_int_equal(gmc_rnea(&r.model, &r.kin, rest, one, tau, &r.scratch), GMC_OK);
    for (int i = 0; i < N; i++)
        ASSERT_NEAR_RELATIVE(tau[i], still[i], 5e-6); // six digits
    gmc_kinematics_update(&r.model, SUPPORT_PUMA_NOMINAL, one, &r.kin);
    assert_int_equal(gmc_rnea(&r.model, &r.kin, one, one, tau, &r.scratch), GMC_OK);
    for (int i = 0; i < N; i++) {
        // the published values carry the friction of the joints
        double friction = support_puma_viscous(i) + support_puma_coulomb(i);
        ASSERT_NEAR_RELATIVE(tau[i] + friction, moving[i], 5e-6);
    }
    robot_close(&r);
}

// The arm anywhere, with gravity turned along: the same loads.
static void turned_world_gives_the_same_load(void **unused)
{
    (void)unused;
    robot r;
    robot_open(&r);
    double tau[N], turned[N];
    gravity_load(&r, SUPPORT_PUMA_NOMINAL, tau);
    gmc_pose X = gmc_pose_make(gmc_quat_from_rpy(0.3, -1.1, 2.2), (gmc_vec3){10, -20, 5});
    r.model.bodies[1].X_pj = gmc_pose_multiply(&X, &r.model.bodies[1].X_pj);
    r.model.gravity = gmc_mat3_apply(&X.R, r.model.gravity);
    assert_int_equal(gmc_kinematics_create(&r.model, &r.arena, &r.kin), GMC_OK);
    gravity_load(&r, SUPPORT_PUMA_NOMINAL, turned);
    // moments about an origin 22 m away cancel to the arm's own: 17 kg 9.81 m/s² 22 m 1e-16
    for (int i = 0; i < N; i++)
        ASSERT_NEAR(turned[i], tau[i], 1e-11);
    robot_close(&r);
}

static void free_fall_is_the_integrated_one(void **unused)
{
    (void)unused;
    const double at_100_ms[N] = {-0.00321881, 0.75053963, 3.12323486,
                                 -0.00004240, 0.78520893, -0.00000001};
    const double at_500_ms[N] = {-0.01869675, -0.17395301, 3.00224482,
                                 -0.00024455, 0.77914976,  0.00000004};
    const double speeds[N] = {0.2214398, -4.0396776, 0.7855360, 0.0024884, -0.0266634, 0.0000403};
    robot r;
    robot_open(&r);
    double q[N], v[N] = {0}, potential, first = 0;
    for (int i = 0; i < N; i++)
        q[i] = SUPPORT_PUMA_NOMINAL[i];
    for (int step = 0; step <= 500; step++) {
        gmc_kinematics_update(&r.model, q, v, &r.kin);
        double kinetic = gmc_kinematics_energy(&r.model, &r.kin, v, &potential);
        if (step == 0) first = potential;
        ASSERT_NEAR(kinetic + potential, first, 1e-9); // the reference kept it to 1e-11 J
        if (step == 100)
            for (int i = 0; i < N; i++)
                ASSERT_NEAR(q[i], at_100_ms[i], 1e-7);
        if (step == 500) {
            for (int i = 0; i < N; i++)
                ASSERT_NEAR(q[i], at_500_ms[i], 1e-7);
            for (int i = 0; i < N; i++)
                ASSERT_NEAR(v[i], speeds[i], 1e-6);
            ASSERT_NEAR(kinetic, 34.3968, PUBLISHED);
        }
        assert_int_equal(support_rk4(&r.model, &r.kin, NULL, 1e-3, &r.scratch, q, v), GMC_OK);
    }
    robot_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gravity_load_is_the_published_one),
        cmocka_unit_test(inertia_is_the_published_one),
        cmocka_unit_test(inertia_at_the_flange_is_the_published_one),
        cmocka_unit_test(inverse_dynamics_are_the_published_ones),
        cmocka_unit_test(turned_world_gives_the_same_load),
        cmocka_unit_test(free_fall_is_the_integrated_one),
    };
    return cmocka_run_group_tests_name("puma", tests, NULL, NULL);
}

// A thousand random moves of the Puma, with friction: in the time that they are stretched to no
// joint's force is above its limit, looked at ten times as closely as the stretching does; or the
// joint is named that does not carry the arm there.
#include "engine/dynamics/rnea.h"
#include "engine/motion/way.h"
#include "test/support/capability.h"
#include "test/support/mechanism.h"
#include "test/support/near.h"
#include "test/support/puma.h"

enum { N = SUPPORT_PUMA_JOINTS };

// Largest torques of its drives, as measured ([armstrong1986]) [N·m].
static const double TORQUES[N] = {97.6, 186.4, 89.4, 24.2, 20.1, 21.3};

typedef struct robot {
    gmc_arena arena, scratch;
    gmc_model model;
    gmc_arm arm;
    gmc_way way;
} robot;

static void robot_open(robot *r)
{
    int dofs[N];
    assert_int_equal(gmc_arena_create(&r->arena, 1 << 18), GMC_OK);
    assert_int_equal(gmc_arena_create(&r->scratch, 1 << 18), GMC_OK);
    assert_int_equal(support_puma(gmc_pose_identity(), &r->arena, &r->model), GMC_OK);
    for (int i = 0; i < N; i++) {
        dofs[i] = i;
        r->model.dofs[i].damping = support_puma_viscous(i);
        r->model.dofs[i].friction = support_puma_coulomb(i);
    }
    gmc_arm_spec spec = {.model = &r->model,
                         .dofs = dofs,
                         .count = N,
                         .tool_body = r->model.body_count - 1,
                         .X_bt = gmc_pose_identity()};
    assert_int_equal(gmc_arm_create(&spec, &r->arena, &r->arm), GMC_OK);
    assert_int_equal(gmc_way_create(N, 4, &r->arena, &r->way), GMC_OK);
}

static void robot_close(robot *r)
{
    gmc_arena_free(&r->arena);
    gmc_arena_free(&r->scratch);
}

// The largest share of its limit that a force of the motion has, by inverse dynamics.
static double largest_share(robot *r)
{
    double most = 0;
    for (int k = 0; k <= 2560; k++) {
        double x[N], v[N], a[N], tau[N];
        gmc_way_at(&r->way, r->way.duration * k / 2560, x, v, a);
        gmc_arm_place(&r->arm, x);
        gmc_arena_reset(&r->scratch, 0);
        assert_int_equal(gmc_rnea(&r->model, &r->arm.kin, v, a, tau, &r->scratch), GMC_OK);
        for (int i = 0; i < N; i++) {
            const gmc_dof *dof = &r->model.dofs[i];
            double force = tau[i] + dof->damping * v[i] + dof->friction * ((v[i] > 0) - (v[i] < 0));
            most = fmax(most, fabs(force) / dof->max_force);
            assert_true(fabs(v[i]) <= dof->max_speed * (1 + 1e-12));
        }
    }
    return most;
}

// Does weight and dry friction alone take more than the joint has somewhere on the way?
static double largest_still(robot *r, int joint)
{
    double most = 0, rest[N] = {0};
    for (int k = 0; k <= 2560; k++) {
        double x[N], v[N], tau[N];
        gmc_way_at(&r->way, r->way.duration * k / 2560, x, v, NULL);
        gmc_arm_place(&r->arm, x);
        gmc_arena_reset(&r->scratch, 0);
        assert_int_equal(gmc_rnea(&r->model, &r->arm.kin, rest, NULL, tau, &r->scratch), GMC_OK);
        double friction = r->model.dofs[joint].friction * ((v[joint] > 0) - (v[joint] < 0));
        most = fmax(most, fabs(tau[joint] + friction));
    }
    return most;
}

static void a_thousand_moves_stay_within_their_torques(void **unused)
{
    (void)unused;
    robot r;
    robot_open(&r);
    support_random random = {39};
    const gmc_way_kind kinds[] = {GMC_WAY_STOPS, GMC_WAY_THROUGH, GMC_WAY_LINE};
    double most = 0, least = 1;
    int refused = 0, stretched = 0;
    for (int move = 0; move < 1000; move++) {
        gmc_way_limit limit;
        r.way.kind = kinds[move % 3];
        r.way.knot_count = 2 + support_index(&random, 3);
        for (int k = 0; k < r.way.knot_count; k++) {
            r.way.u[k] = (double)k / (r.way.knot_count - 1);
            for (int i = 0; i < N; i++)
                r.way.x[k * N + i] = support_uniform(&random, -GMC_PI, GMC_PI);
        }
        // weak drives, too: the upper arm weighs up to 37 N·m and rubs with 14
        for (int i = 0; i < N; i++) {
            r.model.dofs[i].max_force = TORQUES[i] * support_uniform(&random, 0.2, 1);
            r.model.dofs[i].max_speed = support_uniform(&random, 1, 5);
        }
        gmc_way_lay(&r.way);
        double wanted = support_uniform(&random, 0.1, 10);
        r.way.duration = wanted;
        if (gmc_way_stretch(&r.way, &r.arm, &r.scratch, &limit) != GMC_OK) {
            assert_in_range(limit.joint, 0, N - 1);
            double needed = largest_still(&r, limit.joint);
            assert_true(needed > r.model.dofs[limit.joint].max_force);
            refused++;
            continue;
        }
        double share = largest_share(&r);
        most = fmax(most, share);
        if (limit.joint < 0) {
            assert_true(r.way.duration == wanted);
        } else if (limit.is_force) {
            least = fmin(least, share); // no slower than it must be
            stretched++;
        }
    }
    capability_at_most(39, most, 1);
    capability_at_least(39, least, 0.98);
    assert_in_range(refused, 50, 500);
    assert_in_range(stretched, 100, 900);
    robot_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thousand_moves_stay_within_their_torques),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Inverse kinematics of the Puma within its limits: poses that forward kinematics made are found
// again; what is out of reach is not; straight lines are straight.
#include "engine/motion/reach.h"
#include "test/support/capability.h"
#include "test/support/mechanism.h"
#include "test/support/near.h"
#include "test/support/puma.h"

#include <string.h>

enum { N = SUPPORT_PUMA_JOINTS };

typedef struct robot {
    gmc_arena arena;
    gmc_model model;
    gmc_arm arm;
} robot;

// Limits of the arm as its makers have them [deg]; joint 3 as in the zero of these parameters.
static const double LIMITS[N][2] = {{-160, 160}, {-43, 223},  {-52, 232},
                                    {-110, 170}, {-100, 100}, {-266, 266}};

static void robot_open(robot *r)
{
    int dofs[N];
    assert_int_equal(gmc_arena_create(&r->arena, 1 << 20), GMC_OK);
    assert_int_equal(support_puma(gmc_pose_identity(), &r->arena, &r->model), GMC_OK);
    for (int i = 0; i < N; i++) {
        dofs[i] = i;
        r->model.dofs[i].lower = LIMITS[i][0] * GMC_PI / 180;
        r->model.dofs[i].upper = LIMITS[i][1] * GMC_PI / 180;
    }
    const gmc_frame *flange = &r->model.frames[gmc_model_find_frame(&r->model, "dh6")];
    gmc_arm_spec spec = {.model = &r->model,
                         .dofs = dofs,
                         .count = N,
                         .tool_body = flange->body,
                         .X_bt = gmc_pose_multiply(
                             &flange->X_bf, &(gmc_pose){gmc_mat3_identity(), {0.02, -0.03, 0.15}})};
    assert_int_equal(gmc_arm_create(&spec, &r->arena, &r->arm), GMC_OK);
}

static void robot_close(robot *r) { gmc_arena_free(&r->arena); }

static void anywhere_within(const robot *r, support_random *random, double *x)
{
    for (int i = 0; i < N; i++)
        x[i] = support_uniform(random, gmc_arm_lower(&r->arm, i), gmc_arm_upper(&r->arm, i));
}

static double apart(const gmc_pose *a, const gmc_pose *b)
{
    double most = gmc_vec3_norm(gmc_vec3_sub(a->p, b->p));
    for (int i = 0; i < 9; i++)
        most = fmax(most, fabs(a->R.m[i] - b->R.m[i]));
    return most;
}

static void poses_of_the_arm_are_found_again(void **unused)
{
    (void)unused;
    robot r;
    robot_open(&r);
    support_random random = {1};
    gmc_reach_options options = gmc_reach_defaults();
    gmc_reach_found found;
    double worst = 0;
    int first = 0;
    for (int k = 0; k < 1000; k++) {
        double x[N];
        anywhere_within(&r, &random, x);
        gmc_pose target = gmc_arm_place(&r.arm, x);
        anywhere_within(&r, &random, x);
        assert_int_equal(gmc_reach_pose(&r.arm, &target, &options, x, &found), GMC_OK);
        for (int i = 0; i < N; i++)
            assert_true(x[i] >= gmc_arm_lower(&r.arm, i) && x[i] <= gmc_arm_upper(&r.arm, i));
        gmc_pose X = gmc_arm_place(&r.arm, x);
        worst = fmax(worst, apart(&X, &target));
        first += found.attempts == 1;
    }
    capability_at_most(31, worst, 1e-9);
    assert_in_range(first, 300, 1000); // most of the others begin on the wrong side of a limit
    robot_close(&r);
}

static void from_near_by_it_comes_to_the_same_joints(void **unused)
{
    (void)unused;
    robot r;
    robot_open(&r);
    gmc_reach_options options = gmc_reach_defaults();
    gmc_reach_found found;
    const double goal[N] = {0.3, 0.9, 2.8, 0.4, 0.7, -0.2};
    double x[N];
    gmc_pose target = gmc_arm_place(&r.arm, goal);
    for (int i = 0; i < N; i++)
        x[i] = goal[i] + (i % 2 ? 0.2 : -0.2);
    assert_int_equal(gmc_reach_pose(&r.arm, &target, &options, x, &found), GMC_OK);
    assert_int_equal(found.attempts, 1);
    for (int i = 0; i < N; i++)
        ASSERT_NEAR(x[i], goal[i], 1e-8); // tolerance over the smallest singular value, 0.05
    robot_close(&r);
}

// The arm is 0.4318 + 0.4318 m long and the tool 0.15 m: nothing 2 m away can be reached, and a
// failure leaves the tool as near as it goes: stretched out at it.
static void what_is_out_of_reach_is_not_found(void **unused)
{
    (void)unused;
    robot r;
    robot_open(&r);
    gmc_reach_options options = gmc_reach_defaults();
    gmc_reach_found found;
    options.attempt_max = 10;
    double x[N] = {0, 0.5, 2, 0, 0.3, 0}, again[N];
    memcpy(again, x, sizeof x);
    gmc_pose target = {gmc_mat3_identity(), {2, 0, 0}};
    assert_int_equal(gmc_reach_pose(&r.arm, &target, &options, x, &found), GMC_E_NO_SOLUTION);
    assert_int_equal(found.attempts, 10);
    assert_true(found.off > 2 - 0.4318 - 0.433 - 0.16 - 0.16 && found.off < 2);
    // the same bits twice, whatever was asked for between
    gmc_reach_found second;
    assert_int_equal(gmc_reach_pose(&r.arm, &target, &options, again, &second), GMC_E_NO_SOLUTION);
    assert_memory_equal(x, again, sizeof x);
    assert_memory_equal(&found, &second, sizeof found);
    robot_close(&r);
}

// Distance of a point from the line between two others.
static double beside(gmc_vec3 p, gmc_vec3 from, gmc_vec3 to)
{
    gmc_vec3 along = gmc_vec3_sub(to, from), at = gmc_vec3_sub(p, from);
    double share = gmc_vec3_dot(at, along) / gmc_vec3_dot(along, along);
    share = fmin(fmax(share, 0), 1);
    return gmc_vec3_norm(gmc_vec3_add_scaled(at, -share, along));
}

static void a_line_is_straight(void **unused)
{
    (void)unused;
    robot r;
    robot_open(&r);
    gmc_way way;
    assert_int_equal(gmc_way_create(N, GMC_REACH_LINE_MAX, &r.arena, &way), GMC_OK);
    const struct {
        double start[N];
        gmc_vec3 by;
        gmc_vec3 turn;
    } cases[] = {{{0.3, 0.9, 2.8, 0.4, 0.7, -0.2}, {0.1, -0.3, 0.05}, {0, 0, 0}},
                 {{-1, 0.6, 2.5, -0.4, -0.8, 1}, {0, 0.15, -0.1}, {0.3, -0.4, 0.5}},
                 {{0.1, 1.2, 2.2, 0.1, 1.2, 0}, {0.005, 0, 0}, {0, 0, 1.5}}};
    for (int c = 0; c < GMC_COUNT(cases); c++) {
        gmc_pose from = gmc_arm_place(&r.arm, cases[c].start), target;
        gmc_mat3 turn = gmc_quat_matrix(gmc_quat_exp(cases[c].turn));
        target.R = gmc_mat3_multiply(&turn, &from.R);
        target.p = gmc_vec3_add(from.p, cases[c].by);
        assert_int_equal(gmc_reach_line(&r.arm, &target, cases[c].start, &way), GMC_OK);
        way.duration = 2;
        double worst = 0;
        for (int k = 0; k <= 100; k++) {
            double x[N];
            gmc_way_at(&way, way.duration * k / 100, x, NULL, NULL);
            gmc_pose X = gmc_arm_place(&r.arm, x);
            worst = fmax(worst, beside(X.p, from.p, target.p));
            if (k == 100) {
                ASSERT_NEAR(apart(&X, &target), 0, 1e-9); // of the inverse kinematics
            }
        }
        capability_at_most(31, worst, 1e-4);
    }
    robot_close(&r);
}

// The wrist is straight at q5 = 0: joints 4 and 6 turn about one axis, and beside it they turn fast.
// A line past it, or through it, stays a line; no joint is faster than it may be, for the motion takes
// longer; and it does not take forever, for the tool turns off where it passes.
// @param off  in, out: distance of the tool point from the line, at most [m]
// @return radians that the tool is off the line's orientation at most; -1: the line was refused
static double pass_by(robot *r, gmc_arena *scratch, const double *middle, gmc_vec3 by, gmc_way *way,
                      double *off)
{
    double start[N], turned = 0, fast = 0;
    gmc_pose at = gmc_arm_place(&r->arm, middle), from = at, to = at;
    from.p = gmc_vec3_sub(at.p, by);
    to.p = gmc_vec3_add(at.p, by);
    if (gmc_reach_line(&r->arm, &from, middle, way) != GMC_OK) return -1;
    memcpy(start, way->x + (way->knot_count - 1) * N, sizeof start);
    if (gmc_reach_line(&r->arm, &to, start, way) != GMC_OK) return -1;
    gmc_way_limit limit;
    way->duration = 0.05;
    assert_int_equal(gmc_way_stretch(way, &r->arm, scratch, &limit), GMC_OK);
    for (int k = 0; k <= 4000; k++) {
        double x[N], v[N];
        gmc_way_at(way, way->duration * k / 4000, x, v, NULL);
        gmc_pose X = gmc_arm_place(&r->arm, x);
        gmc_mat3 back = gmc_mat3_transpose(&from.R), turn = gmc_mat3_multiply(&X.R, &back);
        turned = fmax(turned, gmc_vec3_norm(gmc_quat_log(gmc_quat_from_matrix(&turn))));
        *off = fmax(*off, beside(X.p, from.p, to.p));
        for (int i = 0; i < N; i++)
            fast = fmax(fast, fabs(v[i]));
    }
    assert_true(fast <= 2);
    assert_true(limit.joint >= 0 && way->duration > 0.05);
    return turned;
}

static void open_fast(robot *r, gmc_arena *scratch, gmc_way *way)
{
    robot_open(r);
    assert_int_equal(gmc_arena_create(scratch, 1 << 18), GMC_OK);
    assert_int_equal(gmc_way_create(N, GMC_REACH_LINE_MAX, &r->arena, way), GMC_OK);
    for (int i = 0; i < N; i++)
        r->model.dofs[i].max_speed = 2;
}

static void a_line_past_the_wrist_is_straight_and_slow(void **unused)
{
    (void)unused;
    robot r;
    gmc_way way;
    gmc_arena scratch;
    open_fast(&r, &scratch, &way);
    double off = 0;
    // what the arm passes by with its joints alone keeps its orientation
    const double near[] = {0.2, 0.1, 0.05, 0.03, 0.02, 0.01, 1e-3, 1e-5, 1e-9, 0};
    for (int c = 0; c < GMC_COUNT(near); c++) {
        const double middle[N] = {0.3, 0.9, 2.2, 0.2, near[c], -0.2};
        double turned = pass_by(&r, &scratch, middle, (gmc_vec3){0, 0.08, 0}, &way, &off);
        assert_true(turned >= 0 && turned <= (near[c] >= 0.05 ? 1e-4 : 0.05));
        // a quintic's largest speed over its mean; ten radians a line at most, of others fifty
        double most = near[c] >= 0.05 ? 50 : 10;
        assert_true(way.duration <= 1.1 * 1.875 * most / 2);
    }
    capability_at_most(54, off, 1e-3);
    gmc_arena_free(&scratch);
    robot_close(&r);
}

static void lines_through_the_wrist_are_found_everywhere(void **unused)
{
    (void)unused;
    robot r;
    gmc_way way;
    gmc_arena scratch;
    open_fast(&r, &scratch, &way);
    support_random random = {54};
    int found = 0;
    double off = 0;
    for (int k = 0; k < 100; k++) {
        double middle[N] = {
            support_uniform(&random, -1, 1),     support_uniform(&random, 0.6, 1.2),
            support_uniform(&random, 2, 2.6),    support_uniform(&random, -0.8, 1.2),
            support_uniform(&random, -0.1, 0.1), support_uniform(&random, -1, 1)};
        for (int i = 0; i < k % 8; i++)
            middle[4] /= 5;
        gmc_vec3 by = {support_uniform(&random, -1, 1), support_uniform(&random, -1, 1),
                       support_uniform(&random, -1, 1)};
        by = gmc_vec3_scale(support_uniform(&random, 0.03, 0.1), gmc_vec3_unit(by));
        double turned = pass_by(&r, &scratch, middle, by, &way, &off);
        found += turned >= 0;
        assert_true(turned <= 0.05);
    }
    capability_at_most(54, off, 1e-3);
    assert_in_range(found, 95, 100); // of the others two end where the arm is stretched out
    gmc_arena_free(&scratch);
    robot_close(&r);
}

static void a_line_out_of_reach_is_refused(void **unused)
{
    (void)unused;
    robot r;
    robot_open(&r);
    gmc_way way;
    assert_int_equal(gmc_way_create(N, GMC_REACH_LINE_MAX, &r.arena, &way), GMC_OK);
    const double start[N] = {0.3, 0.9, 2.8, 0.4, 0.7, -0.2};
    gmc_pose target = gmc_arm_place(&r.arm, start);
    target.p.x += 1.5;
    assert_int_equal(gmc_reach_line(&r.arm, &target, start, &way), GMC_E_NO_SOLUTION);
    robot_close(&r);
}

static void the_jacobian_is_the_derivative(void **unused)
{
    (void)unused;
    robot r;
    robot_open(&r);
    support_random random = {7};
    for (int k = 0; k < 20; k++) {
        double x[N];
        const double h = 1e-6;
        anywhere_within(&r, &random, x);
        gmc_arm_place(&r.arm, x);
        gmc_arm_jacobian(&r.arm);
        for (int i = 0; i < N; i++) {
            double at = x[i];
            x[i] = at - h;
            gmc_pose before = gmc_arm_place(&r.arm, x);
            x[i] = at + h;
            gmc_pose behind = gmc_arm_place(&r.arm, x);
            x[i] = at;
            gmc_mat3 back = gmc_mat3_transpose(&before.R);
            gmc_mat3 turn = gmc_mat3_multiply(&behind.R, &back);
            gmc_vec3 w = gmc_vec3_scale(0.5 / h, gmc_quat_log(gmc_quat_from_matrix(&turn)));
            gmc_vec3 v = gmc_vec3_scale(0.5 / h, gmc_vec3_sub(behind.p, before.p));
            for (int j = 0; j < 3; j++) { // h² and rounding / h
                ASSERT_NEAR(r.arm.J[j * N + i], gmc_vec3_get(v, j), 1e-9);
                ASSERT_NEAR(r.arm.J[(3 + j) * N + i], gmc_vec3_get(w, j), 1e-9);
            }
        }
    }
    robot_close(&r);
}

int test_reach(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_jacobian_is_the_derivative),
        cmocka_unit_test(poses_of_the_arm_are_found_again),
        cmocka_unit_test(from_near_by_it_comes_to_the_same_joints),
        cmocka_unit_test(what_is_out_of_reach_is_not_found),
        cmocka_unit_test(a_line_is_straight),
        cmocka_unit_test(a_line_past_the_wrist_is_straight_and_slow),
        cmocka_unit_test(lines_through_the_wrist_are_found_everywhere),
        cmocka_unit_test(a_line_out_of_reach_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

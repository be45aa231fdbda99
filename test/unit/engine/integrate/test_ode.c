#include "engine/integrate/ode.h"
#include "engine/math/elementary.h"
#include "test/support/cmocka.h"
#include "test/support/near.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// A ball that falls, two masses between which a stiff damper stands, and what may go wrong.
typedef struct scene {
    double stiffness, floor;
    gmc_status failure; ///< of rate, beyond t_failure
    double t_failure;
    long calls;
} scene;

static gmc_status fall(void *context, double t, const double *y, double *rate)
{
    scene *s = context;
    s->calls++;
    if (t > s->t_failure) return s->failure;
    rate[0] = y[1];
    rate[1] = -9.81;
    return GMC_OK;
}

static gmc_status above(void *context, double t, const double *y, double *g)
{
    const scene *s = context;
    (void)t;
    g[0] = y[0] - s->floor;
    return GMC_OK;
}

/// y' = -k (y - cos t): after a fast beginning y follows cos t at 1/k.
static gmc_status follow(void *context, double t, const double *y, double *rate)
{
    scene *s = context;
    s->calls++;
    rate[0] = -s->stiffness * (y[0] - gmc_cos(t));
    return GMC_OK;
}

static gmc_ode *made(void)
{
    gmc_ode *ode;
    assert_int_equal(gmc_ode_create(&ode), GMC_OK);
    return ode;
}

static gmc_ode_problem falling(scene *s, double tolerance, int *direction)
{
    static double absolute[2], relative[2];
    absolute[0] = absolute[1] = tolerance;
    return (gmc_ode_problem){.size = 2,
                             .root_count = 1,
                             .directions = direction,
                             .absolute = absolute,
                             .relative = relative,
                             .rate = fall,
                             .roots = above,
                             .context = s};
}

/// To t_end or a root. @return number of internal steps
static int run(gmc_ode *ode, double t_end, double *t, double *y, bool *is_root, gmc_status *status)
{
    int steps = 0;
    *is_root = false;
    *status = GMC_OK;
    while (*t < t_end && !*is_root && *status == GMC_OK) {
        double before = *t;
        *status = gmc_ode_step(ode, t_end, t, y, is_root);
        assert_true(*t >= before);
        assert_true(*t <= t_end);
        assert_true(steps < 100000);
        steps++;
    }
    return steps;
}

static void roots_stop_it_where_they_are(void **state)
{
    (void)state;
    scene s = {.floor = -0.3, .t_failure = HUGE_VAL};
    int direction = -1;
    double y[2] = {0, 0.5}, t = 0;
    bool is_root;
    gmc_status status;
    gmc_ode *ode = made();
    gmc_ode_problem problem = falling(&s, 1e-10, &direction);
    assert_int_equal(gmc_ode_start(ode, &problem, t, y), GMC_OK);
    run(ode, 1, &t, y, &is_root, &status);
    assert_int_equal(status, GMC_OK);
    assert_true(is_root);
    double expected = (0.5 + sqrt(0.25 + 2 * 9.81 * 0.3)) / 9.81;
    ASSERT_NEAR(t, expected, 1e-8); // some steps of the tolerance
    ASSERT_NEAR(y[0], -0.3, 1e-12); // the root of the solution that it has, to rounding
    ASSERT_NEAR(y[1], 0.5 - 9.81 * expected, 1e-7);

    // upwards it is none: the ball passes once, and goes on
    direction = 1;
    y[0] = t = 0;
    y[1] = 0.5;
    assert_int_equal(gmc_ode_start(ode, &problem, t, y), GMC_OK);
    run(ode, 1, &t, y, &is_root, &status);
    assert_true(status == GMC_OK);
    assert_true(!is_root);
    assert_true(t == 1);
    gmc_ode_free(ode);
}

static void stiff_problems_take_few_steps(void **state)
{
    (void)state;
    const double stiffness[] = {1e2, 1e4, 1e6, 1e8};
    gmc_ode *ode = made();
    for (int i = 0; i < 4; i++) {
        scene s = {.stiffness = stiffness[i]};
        const double absolute = 1e-7, relative = 0;
        double y = 0, t = 0;
        bool is_root;
        gmc_status status;
        const gmc_ode_problem problem = {
            .size = 1, .absolute = &absolute, .relative = &relative, .rate = follow, .context = &s};
        assert_int_equal(gmc_ode_start(ode, &problem, t, &y), GMC_OK);
        int steps = run(ode, 2, &t, &y, &is_root, &status);
        double k = stiffness[i], expected = k * (k * gmc_cos(2) + gmc_sin(2)) / (k * k + 1);
        ASSERT_NEAR(y, expected, 1e-5); // a hundred local errors
        assert_true(status == GMC_OK);
        assert_true(steps < 400);
        assert_int_equal(gmc_ode_counted(ode).steps, steps);
    }
    gmc_ode_free(ode);
}

/// What stands where the problem of the moment has come to.
static void solve_fall(gmc_ode *ode, double y[2])
{
    scene s = {.floor = -1e3, .t_failure = HUGE_VAL};
    int direction = -1;
    double t = 0;
    bool is_root;
    gmc_status status;
    gmc_ode_problem problem = falling(&s, 1e-8, &direction);
    y[0] = 0;
    y[1] = 0.7;
    assert_int_equal(gmc_ode_start(ode, &problem, t, y), GMC_OK);
    run(ode, 0.9, &t, y, &is_root, &status);
    assert_int_equal(status, GMC_OK);
}

static void the_past_leaves_nothing(void **state)
{
    (void)state;
    double first[2], again[2];
    gmc_ode *ode = made();
    solve_fall(ode, first);

    // of the same size, with a root, another tolerance, stopped in between
    scene s = {.floor = -0.1, .t_failure = HUGE_VAL};
    int direction = 0;
    double y[2] = {0, 0}, t = 0;
    bool is_root;
    gmc_status status;
    gmc_ode_problem problem = falling(&s, 1e-4, &direction);
    assert_int_equal(gmc_ode_start(ode, &problem, t, y), GMC_OK);
    run(ode, 5, &t, y, &is_root, &status);
    solve_fall(ode, again);
    assert_memory_equal(first, again, sizeof first);

    // that failed
    s.failure = GMC_E_LIMIT;
    s.t_failure = 0.05;
    y[0] = y[1] = t = 0;
    assert_int_equal(gmc_ode_start(ode, &problem, t, y), GMC_OK);
    run(ode, 5, &t, y, &is_root, &status);
    assert_int_equal(status, GMC_E_LIMIT);
    solve_fall(ode, again);
    assert_memory_equal(first, again, sizeof first);

    // of another size
    scene stiff = {.stiffness = 1e3};
    const double absolute = 1e-6, relative = 0;
    const gmc_ode_problem other = {
        .size = 1, .absolute = &absolute, .relative = &relative, .rate = follow, .context = &stiff};
    double x = 0;
    t = 0;
    assert_int_equal(gmc_ode_start(ode, &other, t, &x), GMC_OK);
    run(ode, 1, &t, &x, &is_root, &status);
    solve_fall(ode, again);
    assert_memory_equal(first, again, sizeof first);
    gmc_ode_free(ode);
}

static void failures_are_told_apart(void **state)
{
    (void)state;
    const struct {
        gmc_status failure, status;
    } ends[] = {{GMC_E_LIMIT, GMC_E_LIMIT},
                {GMC_E_ARENA_FULL, GMC_E_ARENA_FULL},
                {GMC_E_DIVERGED, GMC_E_INTEGRATOR}}; // however short the steps
    gmc_ode *ode = made();
    for (int i = 0; i < 3; i++) {
        scene s = {.floor = -1e3, .failure = ends[i].failure, .t_failure = 0.05};
        int direction = -1;
        double y[2] = {0, 0}, t = 0;
        bool is_root;
        gmc_status status;
        gmc_ode_problem problem = falling(&s, 1e-8, &direction);
        assert_int_equal(gmc_ode_start(ode, &problem, t, y), GMC_OK);
        run(ode, 1, &t, y, &is_root, &status);
        assert_int_equal(status, ends[i].status);
        assert_true(t <= 0.05);
    }
    gmc_ode_free(ode);
    gmc_ode_free(NULL);
}

int test_ode(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roots_stop_it_where_they_are),
        cmocka_unit_test(stiff_problems_take_few_steps),
        cmocka_unit_test(the_past_leaves_nothing),
        cmocka_unit_test(failures_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

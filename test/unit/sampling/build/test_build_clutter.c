// Loose bodies by the dozen: where they start, how many take part, and what is said of a region too
// small for them.
#include "sampling/build/build.h"
#include "test/support/near.h"
#include "test/support/rolling.h"

#include <stdlib.h>
#include <string.h>

static const char CLUTTER[] =
    "clutter:\n"
    "  bodies: 20\n"
    "  kinds:\n"
    "    ball: {sphere: {radius: 12 mm}, mass: 15 g, surface: abs}\n"
    "    can: {cylinder: {radius: 10 mm, length: 24 mm}, density: 900, surface: wood}\n"
    "    brick: {box: [16 mm, 20 mm, 24 mm], mass: 20 g, surface: abs}\n"
    "  from: [-80 mm, 30 mm, 60 mm]\n"
    "  to: [40 mm, 130 mm, 300 mm]\n"
    "  gap: 3 mm\n"
    "uncertain:\n"
    "  clutter.arrangement: uniform(0, 1)\n";

/// The jaw closes beside the clutter; `more` is any of the clutter's words, or none.
static const char *with(const char *more)
{
    static char all[4096];
    snprintf(all, sizeof all,
             "graspmc: 1\n"
             "hand: {urdf: jaw.urdf, frame: tcp, surface: rubber}\n"
             "object: {box: [40 mm, 40 mm, 40 mm], mass: 0.2 kg, surface: abs, placed: resting}\n"
             "scene: {table: {plane: {}, surface: wood}}\n"
             "friction: {rubber/abs: 0.5, abs/wood: 0.4, rubber/wood: 0.5, abs/abs: 0.3, "
             "wood/wood: 0.3}\n"
             "program: [{close: {force: 10 N, for: 0.2 s}}]\n"
             "success: {at_end: [lift(object) >= -1 m]}\n"
             "sampling: {draws: 50}\n%s",
             more);
    return all;
}

static void play(gmc_rolling *r, uint64_t trial, const char *set)
{
    gmc_rolling_prepare(r, with(CLUTTER), (const char *[]){set, NULL});
    gmc_rolling_run(r, trial);
}

static gmc_vec3 start_of(const gmc_rolling *r, int number)
{
    char name[32];
    snprintf(name, sizeof name, "clutter/%d", number);
    return gmc_rolling_pose(r, 0, gmc_rolling_body(r, name)).p;
}

// reach of the kinds: 12 mm; sqrt(10² + 12²) mm; half the diagonal of the brick
static double reach_of(int number)
{
    static const double REACH[] = {0.012, 0.015620499351813308, 0.017549928774784245};
    return REACH[(number - 1) % 3];
}

static void bodies_start_apart_and_inside(void **state)
{
    (void)state;
    gmc_rolling r;
    gmc_rolling_open(&r);
    gmc_vec3 before = {0, 0, 0};
    for (uint64_t draw = 0; draw < 20; draw++) {
        play(&r, draw, "clutter.count=20");
        for (int i = 1; i <= 20; i++) {
            gmc_vec3 p = start_of(&r, i);
            double reach = reach_of(i);
            // rounding of a position of some 0.1 m
            assert_true(p.x - reach >= -0.08 - 1e-15);
            assert_true(p.x + reach <= 0.04 + 1e-15);
            assert_true(p.y - reach >= 0.03 - 1e-15);
            assert_true(p.y + reach <= 0.13 + 1e-15);
            assert_true(p.z - reach >= 0.06 - 1e-15);
            for (int k = 1; k < i; k++) {
                gmc_vec3 d = gmc_vec3_sub(p, start_of(&r, k));
                assert_true(gmc_vec3_norm(d) >= reach + reach_of(k) + 0.003 - 1e-15);
            }
        }
        assert_true(start_of(&r, 1).x != before.x); // every draw another arrangement
        before = start_of(&r, 1);
    }
    gmc_rolling_close(&r);
}

static void a_start_is_a_function_of_draw_and_body(void **state)
{
    (void)state;
    gmc_rolling r;
    gmc_rolling_open(&r);
    gmc_vec3 all[21];
    play(&r, 7, "clutter.count=20");
    for (int i = 1; i <= 20; i++)
        all[i] = start_of(&r, i);
    play(&r, 7, "clutter.count=5"); // fewer bodies: the first start as before
    for (int i = 1; i <= 5; i++) {
        gmc_vec3 p = start_of(&r, i);
        assert_true(p.x == all[i].x);
        assert_true(p.y == all[i].y);
        assert_true(p.z == all[i].z);
    }
    // the others have no part: no dofs, no geoms, NaN in the trajectory
    int present = r.input.model->body_count - 1;
    assert_int_equal(r.trajectory.body_count, present + 15);
    for (int row = 0; row < r.trajectory.row_count; row++) {
        assert_true(isfinite(gmc_rolling_pose(&r, row, present - 1).p.z));
        for (int i = 0; i < 15; i++)
            assert_true(isnan(gmc_rolling_pose(&r, row, present + i).p.z));
    }
    assert_int_equal(r.input.model->absent_count, 15);
    assert_int_equal(r.input.model->free_count, 2 + 6 + 5 * 6);
    gmc_rolling_close(&r);
}

// without bodies the trial is that of the scenario without clutter, to the bit: nothing that stands
// behind what was cut out (the driven base) has lost its place
static void no_bodies_are_no_clutter(void **state)
{
    (void)state;
    gmc_rolling r;
    gmc_rolling_open(&r);
    gmc_rolling_prepare(&r, with(""), NULL);
    gmc_rolling_run(&r, 0);
    int columns = r.input.measures->column_count, rows = r.trajectory.row_count;
    int bodies = r.trajectory.body_count;
    double *values = test_malloc((size_t)columns * sizeof *values);
    double *poses = test_malloc((size_t)(rows * bodies) * 7 * sizeof *poses);
    memcpy(values, r.result.values, (size_t)columns * sizeof *values);
    memcpy(poses, r.trajectory.pose, (size_t)(rows * bodies) * 7 * sizeof *poses);

    play(&r, 0, "clutter.count=0");
    assert_int_equal(r.input.measures->column_count, columns);
    assert_memory_equal(r.result.values, values, (size_t)columns * sizeof *values);
    assert_int_equal(r.trajectory.row_count, rows);
    for (int row = 0; row < rows; row++)
        assert_memory_equal(r.trajectory.pose + row * r.trajectory.body_count * 7,
                            poses + row * bodies * 7, (size_t)bodies * 7 * sizeof *poses);
    test_free(values);
    test_free(poses);
    gmc_rolling_close(&r);
}

static void kinds_come_in_turn_and_vary_together(void **state)
{
    (void)state;
    gmc_rolling r;
    gmc_rolling_open(&r);
    play(&r, 0, "clutter.kinds.ball.mass=30 g");
    const gmc_model *model = r.input.model;
    for (int i = 1; i <= 20; i++) {
        char name[32];
        snprintf(name, sizeof name, "clutter/%d", i);
        double mass = model->bodies[gmc_model_find_body(model, name)].inertia.mass;
        // can: 900 kg/m³ times its volume
        double wanted = i % 3 == 1 ? 0.030 : i % 3 == 2 ? 900 * GMC_PI * 1e-4 * 0.024 : 0.020;
        ASSERT_NEAR_RELATIVE(mass, wanted, 1e-14);
    }
    gmc_rolling_close(&r);
}

/// One line of the clutter replaced, and what is said.
static void refuse(gmc_rolling *r, const char *old, const char *fresh, const char *said)
{
    char text[2048];
    const char *at = strstr(CLUTTER, old);
    assert_non_null(at);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - CLUTTER), CLUTTER, fresh, at + strlen(old));
    gmc_rolling_try(r, with(text), NULL);
    if (r->status != GMC_E_INPUT || !strstr(r->said, said) || !strstr(r->said, "scenario.yaml:"))
        fail_msg("%s: expected %s, said\n%s", fresh, said, r->said);
}

static void mistakes_are_located(void **state)
{
    (void)state;
    gmc_rolling r;
    gmc_rolling_open(&r);
    refuse(&r, "to: [40 mm, 130 mm, 300 mm]", "to: [40 mm, 130 mm, 130 mm]",
           "no room for 20 bodies");
    refuse(&r, "to: [40 mm, 130 mm, 300 mm]", "to: [40 mm, 20 mm, 300 mm]", "3 x 0 x 6 of them");
    refuse(&r, "bodies: 20", "bodies: 20\n  count: 21",
           "clutter.count: 21 bodies, but clutter.bodies is 20");
    refuse(&r, "bodies: 20", "bodies: 20\n  count: 2 mm", "clutter.count");
    refuse(&r, "bodies: 20", "bodies: 0", "clutter.bodies");
    refuse(&r, "  bodies: 20\n", "", "bodies");
    refuse(&r, "mass: 15 g, ", "", "needs mass or density");
    refuse(&r, "sphere: {radius: 12 mm}", "plane: {}", "plane");
    refuse(&r, "kinds:", "kind:", "did you mean kinds?");
    refuse(&r, "uniform(0, 1)", "uniform(0, 2)", "clutter.arrangement");
    refuse(&r, "uncertain:", "study: {vary: {clutter.count: [0, 20, 30]}}\nuncertain:",
           "clutter.count cannot be 30");
    gmc_rolling_close(&r);
}

int test_build_clutter(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_start_apart_and_inside),
        cmocka_unit_test(a_start_is_a_function_of_draw_and_body),
        cmocka_unit_test(no_bodies_are_no_clutter),
        cmocka_unit_test(kinds_come_in_turn_and_vary_together),
        cmocka_unit_test(mistakes_are_located),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// What must hold for whatever bodies do to each other under the default stepper: every step is
// solved, contact gives no energy, and nature does not care how the world's axes are turned.

#include "engine/math/quat.h"
#include "test/support/chance.h"
#include "test/support/near.h"
#include "test/support/stage.h"

#include <string.h>

enum { BODIES = 3, FAR = 50 };
static const char *const NAMES[BODIES] = {"first", "second", "third"};

/// Boxes that belong to the world, metres from everything.
static void far_boxes(gmc_stage *s, int count, double side)
{
    static char names[2][FAR][32];
    for (int i = 0; i < count; i++) {
        char *name = names[side > 0][i];
        snprintf(name, sizeof names[0][0], "far%d%c", i, side > 0 ? 'a' : 'b');
        gmc_pose X = {gmc_mat3_identity(), {side * (3 + 0.1 * i), 0.2 * (i % 7), 0.05 * (i % 3)}};
        gmc_stage_fixed(s, name, gmc_stage_box(0.02, 0.03, 0.04), X);
    }
}

/// Three bodies above each other, thrown and turning, over a plane; the whole world turned by
/// `turn`. `far` boxes on either side are made before and after them.
static void draw_drop_among(gmc_chance chance, gmc_quat turn, int far, gmc_stage *s)
{
    gmc_stage_open(s, gmc_chance_uniform(&chance, 0.05, 1));
    far_boxes(s, far, -1);
    gmc_stage_fixed(s, "ground", gmc_stage_plane(), gmc_pose_make(turn, (gmc_vec3){0, 0, 0}));
    for (int i = 0; i < BODIES; i++) {
        gmc_shape shape = gmc_stage_draw(&chance);
        double mass = gmc_chance_log_uniform(&chance, 0.02, 0.5);
        gmc_vec3 p = {gmc_chance_uniform(&chance, -0.01, 0.01),
                      gmc_chance_uniform(&chance, -0.01, 0.01), 0.08 + 0.12 * i};
        gmc_stage_free(s, NAMES[i], shape, mass, gmc_quat_rotate(turn, p));
    }
    far_boxes(s, far, 1);
    gmc_stage_ready(s, 64);
    s->model.gravity = gmc_quat_rotate(turn, s->model.gravity);
    for (int i = 0; i < BODIES; i++) {
        const gmc_body *body = &s->model.bodies[gmc_stage_body(s, NAMES[i])];
        gmc_vec3 axis =
            gmc_vec3_scale(gmc_chance_uniform(&chance, 0, 3), gmc_chance_direction(&chance));
        gmc_quat q = gmc_quat_multiply(turn, gmc_quat_exp(axis));
        gmc_vec3 v = gmc_quat_rotate(turn, gmc_vec3_scale(0.3, gmc_chance_direction(&chance)));
        gmc_vec3 w = gmc_quat_rotate(turn, gmc_vec3_scale(3, gmc_chance_direction(&chance)));
        memcpy(s->world.state.q + body->q + 3, (double[]){q.w, q.x, q.y, q.z}, 4 * sizeof(double));
        memcpy(s->world.state.v + body->v, (double[]){v.x, v.y, v.z, w.x, w.y, w.z},
               6 * sizeof(double));
    }
    gmc_kinematics_update(&s->model, s->world.state.q, s->world.state.v, &s->world.kin);
}

static void draw_drop(gmc_chance chance, gmc_quat turn, gmc_stage *s)
{
    draw_drop_among(chance, turn, 0, s);
}

static double energy(const gmc_stage *s)
{
    double potential;
    double kinetic = gmc_kinematics_energy(&s->model, &s->world.kin, s->world.state.v, &potential);
    return kinetic + potential;
}

static void drops_are_solved_and_lose_energy(void **state)
{
    (void)state;
    const gmc_quat upright = {1, 0, 0, 0};
    long steps = 0, iterations = 0, rungs[GMC_STAGE_RUNGS + 1] = {0};
    for (int i = 0; i < 150; i++) {
        gmc_stage s;
        gmc_chance chance = {(uint64_t)i + 1};
        draw_drop(chance, upright, &s);
        double h = i % 3 == 0 ? 4e-3 : i % 3 == 1 ? 2e-3 : 1e-3, start = energy(&s);
        for (double t = 0; t < 0.8; t += h) {
            assert_int_equal(gmc_stage_step(&s, h), GMC_OK);
            // free flight: heights h g t/2 below the parabola's, always downwards; tops 1e-5
            assert_true(energy(&s) <= start + 1e-5 * fabs(start));
        }
        ASSERT_BELOW(s.max_residual, 1e-8);
        steps += s.steps;
        iterations += s.iterations;
        for (int k = 0; k <= GMC_STAGE_RUNGS; k++)
            rungs[k] += s.rungs[k];
        gmc_stage_close(&s);
    }
    print_message("%ld steps, %.2f iterations each, rungs 1..4: %ld %ld %ld %ld\n", steps,
                  (double)iterations / (double)steps, rungs[1], rungs[2], rungs[3], rungs[4]);
    assert_true(rungs[1] > steps * 99 / 100);
}

/// The same drop in a turned world. Impacts magnify rounding, so only the first 0.2 s are compared:
/// flight, first impacts, slip. Steps that the first rung leaves at a residual of 1e-8 would differ
/// by about that, so all are solved to 1e-11.
static void turned_world_is_the_same_world(void **state)
{
    (void)state;
    double worst = 0;
    for (int i = 0; i < 60; i++) {
        gmc_stage a, b;
        gmc_chance chance = {(uint64_t)i + 1};
        gmc_chance other = {(uint64_t)i + 77};
        gmc_quat turn = gmc_quat_exp(gmc_vec3_scale(2, gmc_chance_direction(&other)));
        draw_drop(chance, (gmc_quat){1, 0, 0, 0}, &a);
        draw_drop(chance, turn, &b);
        a.options.residual_max = b.options.residual_max = 1e-11;
        assert_int_equal(gmc_stage_run(&a, 2e-3, 0.2), GMC_OK);
        assert_int_equal(gmc_stage_run(&b, 2e-3, 0.2), GMC_OK);
        for (int k = 0; k < BODIES; k++) {
            gmc_vec3 expected = gmc_quat_rotate(turn, gmc_stage_place(&a, NAMES[k]));
            gmc_vec3 off = gmc_vec3_sub(gmc_stage_place(&b, NAMES[k]), expected);
            worst = fmax(worst, gmc_vec3_norm(off));
        }
        gmc_stage_close(&a);
        gmc_stage_close(&b);
    }
    print_message("turned world: %.1e m off at most\n", worst);
    ASSERT_BELOW(worst, 1e-9);
}

/// What is far away costs no narrow test and moves no bit, wherever it stands in the model.
static void far_bodies_change_nothing(void **state)
{
    (void)state;
    for (int i = 0; i < 30; i++) {
        gmc_stage a, b;
        gmc_chance chance = {(uint64_t)i + 1};
        draw_drop_among(chance, (gmc_quat){1, 0, 0, 0}, 0, &a);
        draw_drop_among(chance, (gmc_quat){1, 0, 0, 0}, FAR, &b);
        assert_int_equal(b.model.geom_count, a.model.geom_count + 2 * FAR);
        for (int k = 0; k < 500; k++) {
            assert_int_equal(gmc_stage_step(&a, 2e-3), GMC_OK);
            assert_int_equal(gmc_stage_step(&b, 2e-3), GMC_OK);
            size_t coordinates = (size_t)a.model.q_count, dofs = (size_t)a.model.dof_count;
            assert_memory_equal(a.world.state.q, b.world.state.q, coordinates * sizeof(double));
            assert_memory_equal(a.world.state.v, b.world.state.v, dofs * sizeof(double));
        }
        assert_true(a.contacts > 0);
        assert_true(a.iterations == b.iterations);
        gmc_collider_counts near = gmc_collider_counted(a.world.collider);
        gmc_collider_counts all = gmc_collider_counted(b.world.collider);
        assert_int_equal(near.narrow_tests, all.narrow_tests);
        assert_int_equal(near.support_calls, all.support_calls);
        gmc_stage_close(&a);
        gmc_stage_close(&b);
    }
}

/// Piles that never meet, in one world or each in its own: what happens in one island does not
/// matter to another, to the last bit (islands.h).
static void piles_far_apart_are_worlds_of_their_own(void **state)
{
    (void)state;
    enum { PILES = 3, HIGH = 4 };
    double worst = 0;
    for (int i = 0; i < 10; i++) {
        gmc_stage all, one[PILES];
        gmc_stage_open(&all, 0.5);
        gmc_stage_fixed(&all, "ground", gmc_stage_plane(), gmc_pose_identity());
        static char names[PILES][HIGH][32];
        for (int p = 0; p < PILES; p++) {
            gmc_chance chance = {(uint64_t)(10 * i + p + 1)};
            gmc_stage_open(&one[p], 0.5);
            gmc_stage_fixed(&one[p], "ground", gmc_stage_plane(), gmc_pose_identity());
            for (int k = 0; k < HIGH; k++) {
                snprintf(names[p][k], sizeof names[p][k], "%d-%d", p, k);
                gmc_shape box = gmc_stage_box(0.03, gmc_chance_uniform(&chance, 0.02, 0.04), 0.02);
                gmc_vec3 at = {2.0 * p, gmc_chance_uniform(&chance, -0.01, 0.01),
                               0.022 + 0.043 * k};
                gmc_stage_free(&all, names[p][k], box, 0.2 + 0.1 * k, at);
                gmc_stage_free(&one[p], names[p][k], box, 0.2 + 0.1 * k, at);
            }
            gmc_stage_ready(&one[p], 64);
        }
        gmc_stage_ready(&all, 128);
        assert_int_equal(gmc_stage_run(&all, 2e-3, 1), GMC_OK);
        for (int p = 0; p < PILES; p++) {
            assert_int_equal(gmc_stage_run(&one[p], 2e-3, 1), GMC_OK);
            for (int k = 0; k < HIGH; k++) {
                gmc_vec3 off = gmc_vec3_sub(gmc_stage_place(&all, names[p][k]),
                                            gmc_stage_place(&one[p], names[p][k]));
                worst = fmax(worst, gmc_vec3_norm(off));
            }
            gmc_stage_close(&one[p]);
        }
        gmc_stage_close(&all);
    }
    print_message("piles in one world or in three: %.1e m apart\n", worst);
    // where one pile's friction has moved (coulomb_flat.c) all are solved again: rounding
    ASSERT_BELOW(worst, 1e-14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drops_are_solved_and_lose_energy),
        cmocka_unit_test(turned_world_is_the_same_world),
        cmocka_unit_test(far_bodies_change_nothing),
        cmocka_unit_test(piles_far_apart_are_worlds_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

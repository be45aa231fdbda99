// Rigid steppers solve island by island: what stands far away changes not one bit, whatever happens
// there ([miller2003] §4, steps 9 and 10).

#include "engine/contact/rigid/anitescu_potra.h"
#include "engine/contact/rigid/stewart_trinkle.h"
#include "test/support/capability.h"
#include "test/support/near.h"
#include "test/support/stage.h"

#include <string.h>

static const double G = 9.81;
/// Above what it stands on: within the shell of anitescu_potra, so that nothing arrives.
static const double GAP = 2e-5;
enum { STATE = 13 }; ///< of one body: place, orientation, velocity

typedef struct stack {
    const char *lower, *upper;
    double x, mass, size; ///< where it stands, of its lower block [m, kg, m]
    double push, drop;    ///< speed of the lower block; how far the upper one falls [m/s, m]
} stack;

/// `drop` is left out with anitescu_potra: a step ends for all where something arrives.
static const stack STACKS[2] = {{"a", "b", 0, 0.4, 0.03, 0.3, 3e-3},
                                {"c", "d", 10, 7, 0.08, -0.5, 0}};

static void put(gmc_stage *s, const stack *at, bool falls)
{
    double a = at->size, b = 0.6 * at->size, over = 2 * a + 2 * GAP + (falls ? at->drop : 0);
    gmc_stage_free(s, at->lower, gmc_stage_box(a, a, a), at->mass, (gmc_vec3){at->x, 0, a + GAP});
    gmc_stage_free(s, at->upper, gmc_stage_box(b, b, b), at->mass / 3,
                   (gmc_vec3){at->x + 0.1 * a, 0, over + b});
}

static void set_going(gmc_stage *s, const stack *at)
{
    int v = gmc_stage_dof(s, at->lower);
    s->world.state.v[v] = at->push;
    s->world.state.v[v + 1] = at->push / 3;
}

static void read_state(const gmc_stage *s, const stack *at, double *to)
{
    const char *names[] = {at->lower, at->upper};
    for (int i = 0; i < 2; i++, to += STATE) {
        const gmc_body *body = &s->model.bodies[gmc_stage_body(s, names[i])];
        memcpy(to, s->world.state.q + body->q, 7 * sizeof *to);
        memcpy(to + 7, s->world.state.v + body->v, 6 * sizeof *to);
    }
}

/// Their states at the end. @param is_there  which of the stacks stand there
static void run(const gmc_stepper *stepper, double h, const bool is_there[2],
                double states[2][2 * STATE])
{
    gmc_stage s;
    bool falls = stepper == &gmc_stewart_trinkle_stepper;
    gmc_stage_open(&s, 0.3);
    gmc_stage_fixed(&s, "floor", gmc_stage_plane(), gmc_pose_identity());
    for (int i = 0; i < 2; i++)
        if (is_there[i]) put(&s, &STACKS[i], falls);
    s.stepper = stepper;
    gmc_stage_ready(&s, 64);
    s.model.gravity = (gmc_vec3){0, 0, -G};
    for (int i = 0; i < 2; i++)
        if (is_there[i]) set_going(&s, &STACKS[i]);
    gmc_kinematics_update(&s.model, s.world.state.q, s.world.state.v, &s.world.kin);
    assert_int_equal(gmc_stage_run(&s, h, 0.4), GMC_OK);
    assert_int_equal(s.unsolved, 0);
    for (int i = 0; i < 2; i++)
        if (is_there[i]) read_state(&s, &STACKS[i], states[i]);
    gmc_stage_close(&s);
}

/// Sliding, spinning, falling blocks of 0.13 to 7 kg, at three steps.
static void far_stacks_do_not_feel_each_other(void **state)
{
    (void)state;
    static const gmc_stepper *const RIGID[] = {&gmc_stewart_trinkle_stepper,
                                               &gmc_anitescu_potra_stepper};
    static const double STEPS[] = {1e-3, 2e-3, 5e-3};
    double worst = 0;
    for (int n = 0; n < GMC_COUNT(RIGID); n++)
        for (int k = 0; k < GMC_COUNT(STEPS); k++) {
            double alone[2][2 * STATE], both[2][2 * STATE];
            run(RIGID[n], STEPS[k], (bool[]){true, false}, alone);
            run(RIGID[n], STEPS[k], (bool[]){false, true}, alone);
            run(RIGID[n], STEPS[k], (bool[]){true, true}, both);
            for (int i = 0; i < 2; i++) {
                assert_true(fabs(both[i][0] - STACKS[i].x) > 5e-3); // it went
                for (int j = 0; j < 2 * STATE; j++)
                    worst = fmax(worst, fabs(both[i][j] - alone[i][j]));
            }
        }
    capability_at_most(20, worst, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(far_stacks_do_not_feel_each_other)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

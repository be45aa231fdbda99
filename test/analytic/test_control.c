// Sampled controllers against closed forms and against what a model says: PD on one joint, gravity
// compensation and computed torque on the Puma 560, calls at exact instants, order in the step.
#include "engine/contact/stepper.h"
#include "engine/control/sampler.h"
#include "engine/model/builder.h"
#include "engine/model/inertia.h"
#include "test/support/capability.h"
#include "test/support/near.h"
#include "test/support/puma.h"

#include <string.h>

enum { N = SUPPORT_PUMA_JOINTS, CALLS_MAX = 1 << 16 };

typedef struct controlled {
    gmc_arena arena, scratch;
    gmc_model model;
    gmc_world world;
    gmc_program program;
    gmc_program_state at;
    gmc_phase phase[2];
    gmc_finger fingers[N];
    double kp[N], kd[N];
    int dofs[N];
    double zero[N];
    gmc_control_plan plan;
    gmc_sampler sampler;
    double h;            ///< step [s]
    double most;         ///< largest error of tracking while the references move [m, rad]
    double largest;      ///< torque that acted, over the largest of the joint [-]
    const char *stepper; ///< NULL: the default
} controlled;

static void open_arenas(controlled *c)
{
    memset(c, 0, sizeof *c);
    assert_int_equal(gmc_arena_create(&c->arena, 1 << 21), GMC_OK);
    assert_int_equal(gmc_arena_create(&c->scratch, 1 << 21), GMC_OK);
}

static void close_arenas(controlled *c)
{
    gmc_arena_free(&c->arena);
    gmc_arena_free(&c->scratch);
}

// One revolute joint about the vertical: no weight on it.
static void open_wheel(controlled *c, double moment)
{
    open_arenas(c);
    gmc_diagnostics report = {0};
    gmc_builder *builder = gmc_builder_create(&report);
    gmc_inertia wheel = {.mass = 1};
    wheel.I.m[0] = wheel.I.m[4] = wheel.I.m[8] = moment;
    gmc_joint_spec joint = {.type = GMC_JOINT_REVOLUTE,
                            .X_pj = gmc_pose_identity(),
                            .axis = {0, 0, 1},
                            .dof = gmc_builder_default_dof()};
    gmc_builder_link(builder, (gmc_source){0}, "wheel", NULL, &joint, &wheel);
    assert_int_equal(gmc_builder_finish(builder, &c->arena, &c->model), GMC_OK);
    gmc_builder_free(builder);
    gmc_diagnostics_free(&report);
}

static const gmc_stepper *stepper_of(const controlled *c)
{
    return c->stepper ? gmc_stepper_find(c->stepper) : gmc_steppers[0];
}

// Fingers are all joints: one phase takes each to its own goal, smoothly, and another holds.
static void begin(controlled *c, const double *by, double duration)
{
    int count = c->model.free_count;
    c->phase[0] = (gmc_phase){.name = "go",
                              .type = GMC_PROGRAM_GRIP,
                              .end = GMC_END_TIME,
                              .duration = duration,
                              .to = GMC_GRIP_CLOSED,
                              .speed = INFINITY};
    c->phase[1] =
        (gmc_phase){.name = "hold", .type = GMC_PROGRAM_HOLD, .end = GMC_END_TIME, .duration = 1e3};
    for (int i = 0; i < count; i++) {
        c->dofs[i] = i;
        c->fingers[i] =
            (gmc_finger){.dof = i, .closing = 1, .drive = 1, .closed = c->model.q_start[i] + by[i]};
    }
    c->program = (gmc_program){.phases = c->phase,
                               .phase_count = 2,
                               .base_body = -1,
                               .tool_frame = -1,
                               .fingers = c->fingers,
                               .finger_count = count,
                               .object_body = -1,
                               .servo_stiffness = c->kp,
                               .servo_damping = c->kd};
    c->plan.count = count;
    c->plan.dofs = c->dofs;
    c->plan.resolution = c->plan.noise = c->plan.bias = c->zero;
    assert_int_equal(stepper_of(c)->create(&c->model, 8, &c->arena, &c->world), GMC_OK);
    assert_int_equal(gmc_program_create(&c->program, &c->model, &c->arena, &c->at), GMC_OK);
    gmc_program_start(&c->program, &c->world, &c->at);
    assert_int_equal(gmc_sampler_create(&c->plan, &c->program, &c->world, &c->arena, &c->sampler),
                     GMC_OK);
}

static void note_errors(controlled *c)
{
    for (int i = 0; i < c->plan.count; i++) {
        gmc_program_want want;
        gmc_program_wants(&c->program, &c->world, &c->at, c->world.state.t, i, &want);
        c->most = fmax(c->most, fabs(want.q - c->world.state.q[i]));
        double limit = c->model.dofs[i].max_force;
        c->largest = fmax(c->largest, fabs(c->sampler.now[i]) / limit);
    }
}

static void run_until(controlled *c, double end)
{
    gmc_step_options options = gmc_step_options_defaults();
    options.is_start = c->world.state.t <= 0;
    while (c->world.state.t < end - 1e-9) {
        gmc_step_report report = {0};
        gmc_control control;
        gmc_sampler_call call;
        const gmc_sampler_scene scene = {.program = &c->program, .world = &c->world};
        gmc_arena_reset(&c->scratch, 0);
        assert_int_equal(gmc_sampler_run(&c->sampler, &scene, &c->at, &c->scratch, &call), GMC_OK);
        double h = gmc_sampler_step(&c->sampler, c->world.state.t, c->h);
        gmc_arena_reset(&c->scratch, 0);
        gmc_sampler_control(&c->sampler, h, &c->at);
        gmc_program_control(&c->program, &c->world, &c->model, h, &c->at, &control);
        assert_int_equal(
            stepper_of(c)->step(&c->world, &control, &options, h, &c->scratch, &report), GMC_OK);
        gmc_sampler_stepped(&c->sampler, h, report.span);
        (void)gmc_program_advance(&c->program, &c->world, &c->model, &c->at);
        options.is_start = false;
        note_errors(c);
    }
}

// ---- PD ----------------------------------------------------------------------------------------

// I q'' = kp (q1 - q) - kd q', q1 a step: underdamped.
static double step_response(double I, double kp, double kd, double t)
{
    double w = sqrt(kp / I), zeta = kd / (2 * sqrt(kp * I)), wd = w * sqrt(1 - zeta * zeta);
    return 1 - exp(-zeta * w * t) * (cos(wd * t) + zeta / sqrt(1 - zeta * zeta) * sin(wd * t));
}

static void pd_answers_a_step_as_the_closed_form(void **state)
{
    (void)state;
    double worst = 0;
    const double moments[] = {0.01, 0.1, 1}, steps[] = {1e-3, 0.5e-3, 0.25e-3};
    for (int i = 0; i < GMC_COUNT(moments); i++)
        for (int k = 0; k < GMC_COUNT(steps); k++) {
            controlled c;
            open_wheel(&c, moments[i]);
            double w = 10, zeta = 0.5; // rad/s: a period of 0.6 s, of 600 calls
            c.kp[0] = moments[i] * w * w;
            c.kd[0] = 2 * zeta * moments[i] * w;
            c.h = steps[k];
            c.plan.rate = 2000;
            begin(&c, (const double[]){0.3}, 0); // a phase that takes no time: a step
            (void)gmc_program_advance(&c.program, &c.world, &c.model, &c.at);
            for (int n = 1; n <= 20; n++) {
                run_until(&c, 0.05 * n);
                double wanted = 0.3 * step_response(moments[i], c.kp[0], c.kd[0], 0.05 * n);
                worst = fmax(worst, fabs(c.world.state.q[0] - wanted) / 0.3);
            }
            close_arenas(&c);
        }
    // the torque is late by half a period, 0.25 ms, and the velocity by another: w times that
    capability_at_most(29, worst, 0.01);
}

static void torque_is_never_above_its_limit(void **state)
{
    (void)state;
    controlled c;
    open_wheel(&c, 0.1);
    c.model.dofs[0].max_force = 0.7;
    c.kp[0] = 10, c.kd[0] = 2; // 10 rad/s, critical
    c.h = 1e-3;
    c.plan.rate = 500;
    begin(&c, (const double[]){1}, 0);
    (void)gmc_program_advance(&c.program, &c.world, &c.model, &c.at);
    run_until(&c, 4);
    capability_at_most(29, c.largest, 1);
    assert_true(c.largest > 0.999);           // it was asked for more
    ASSERT_NEAR(c.world.state.q[0], 1, 1e-6); // and came there, over 30 time constants of 0.1 s
    close_arenas(&c);
}

// A torque that is constant over a period, and its delay, in closed form: the motion under pieces
// of constant torque is a parabola each, which steps of second order meet to rounding.
typedef struct blind {
    double times[CALLS_MAX], torques[CALLS_MAX];
    int calls;
} blind;

static gmc_status blind_reset(void *context, const graspmc_start *start)
{
    blind *b = context;
    assert_int_equal(start->joint_count, 1);
    b->calls = 0;
    return GMC_OK;
}

static gmc_status blind_step(void *context, const graspmc_view *view, double *torque, bool *is_done)
{
    blind *b = context;
    assert_true(b->calls < CALLS_MAX);
    b->times[b->calls] = view->time;
    b->torques[b->calls++] = *torque = gmc_sin(37 * view->time);
    *is_done = false;
    return GMC_OK;
}

static void play_blind(controlled *c, blind *b, double h, double rate, double delay)
{
    open_wheel(c, 0.2);
    c->h = h;
    c->plan = (gmc_control_plan){
        .law = GMC_CONTROL_GIVEN,
        .rate = rate,
        .delay = delay,
        .given = {.context = b, .reset = blind_reset, .step = blind_step},
    };
    begin(c, (const double[]){0}, 1);
    run_until(c, 0.3);
}

static double parabolas(const blind *b, double rate, double delay, double end)
{
    double q = 0, v = 0, t = 0;
    for (int k = 0; k < b->calls && t < end; k++) {
        double until = fmin((k + 1) / rate + delay, end), d = until - t;
        double a = b->torques[k] / 0.2;
        q += v * d + 0.5 * a * d * d;
        v += a * d;
        t = until;
    }
    return q;
}

static void calls_fall_on_their_instants_whatever_the_step(void **state)
{
    (void)state;
    static blind first, other;
    // periods that are no multiple of a step, and delays that are none of a period
    const struct {
        double rate, delay;
    } cases[] = {{500, 0}, {500, 2e-3}, {300, 1.3e-3}, {700, 5e-3}, {90, 0.7e-3}};
    const double steps[] = {2e-3, 1e-3, 0.9e-3, 0.1e-3};
    for (int i = 0; i < GMC_COUNT(cases); i++)
        for (int k = 0; k < GMC_COUNT(steps); k++) {
            controlled c;
            play_blind(&c, k == 0 ? &first : &other, steps[k], cases[i].rate, cases[i].delay);
            const blind *b = k == 0 ? &first : &other;
            for (int n = 0; n < b->calls; n++)
                assert_true(b->times[n] == n / cases[i].rate); // to the last bit
            assert_int_equal(b->calls, (int)ceil(0.3 * cases[i].rate - 1e-6));
            assert_memory_equal(b->torques, first.torques, (size_t)b->calls * sizeof b->torques[0]);
            // exact but for rounding of some thousand sums
            double wanted = parabolas(b, cases[i].rate, cases[i].delay, 0.3);
            if (cases[i].rate == 500 && k < 2) ASSERT_NEAR(c.world.state.q[0], wanted, 1e-12);
            ASSERT_NEAR(c.world.state.q[0], wanted, 2e-5); // uneven steps: see the order below
            close_arenas(&c);
        }
}

static gmc_status fails_to_reset(void *context, const graspmc_start *start)
{
    (void)start;
    return *(gmc_status *)context;
}

static gmc_status answers_no_number(void *context, const graspmc_view *view, double *torque,
                                    bool *is_done)
{
    (void)context, (void)view, (void)is_done;
    assert_true(isnan(*torque)); // what it leaves out is none
    return GMC_OK;
}

static void a_controller_that_cannot_go_on_is_a_status(void **state)
{
    (void)state;
    static blind b;
    const gmc_status statuses[] = {GMC_E_LIBRARY, GMC_E_TIMEOUT, GMC_E_MEMORY};
    controlled c;
    play_blind(&c, &b, 1e-3, 500, 0);
    c.plan.given = (gmc_controller){0};
    assert_int_equal(gmc_sampler_create(&c.plan, &c.program, &c.world, &c.arena, &c.sampler),
                     GMC_E_LIBRARY);
    for (int i = 0; i < GMC_COUNT(statuses); i++) {
        gmc_status status = statuses[i];
        c.plan.given = (gmc_controller){&status, fails_to_reset, answers_no_number};
        assert_int_equal(gmc_sampler_create(&c.plan, &c.program, &c.world, &c.arena, &c.sampler),
                         status);
    }
    c.plan.given = (gmc_controller){&b, blind_reset, answers_no_number};
    assert_int_equal(gmc_sampler_create(&c.plan, &c.program, &c.world, &c.arena, &c.sampler),
                     GMC_OK);
    const gmc_sampler_scene scene = {.program = &c.program, .world = &c.world};
    gmc_sampler_call call;
    c.world.state.t = 0;
    assert_int_equal(gmc_sampler_run(&c.sampler, &scene, &c.at, &c.scratch, &call), GMC_E_LIBRARY);
    assert_true(call.is_due && isinf(call.answers[0]) && c.sampler.has_failed);
    gmc_arena tiny;
    assert_int_equal(gmc_arena_create(&tiny, 64), GMC_OK);
    assert_int_equal(gmc_sampler_create(&c.plan, &c.program, &c.world, &tiny, &c.sampler),
                     GMC_E_ARENA_FULL);
    gmc_arena_free(&tiny);
    close_arenas(&c);
}

// ---- the Puma ----------------------------------------------------------------------------------

static void open_puma(controlled *c)
{
    open_arenas(c);
    assert_int_equal(support_puma(gmc_pose_identity(), &c->arena, &c->model), GMC_OK);
}

static void gravity_compensation_does_not_drift(void **state)
{
    (void)state;
    const double still[N] = {0};
    controlled c;
    open_puma(&c);
    c.plan.law = GMC_CONTROL_GRAVITY;
    c.plan.rate = 500;
    c.plan.delay = 2e-3;
    c.h = 2e-3;
    begin(&c, still, 1);
    run_until(&c, 10);
    double drift = 0;
    for (int i = 0; i < N; i++)
        drift = fmax(drift, fabs(c.world.state.q[i] - SUPPORT_PUMA_NOMINAL[i]));
    capability_at_most(53, drift, 1e-9);
    close_arenas(&c);
}

static double track(gmc_control_law law, double rate, double delay, double step)
{
    const double by[N] = {0.8, -0.6, 0.5, 0.4, -0.7, 0.9};
    const double moment[N] = {4, 5, 1.2, 0.2, 0.2, 0.2}; // about those of M
    controlled c;
    open_puma(&c);
    for (int i = 0; i < N; i++) {
        double w = 60; // rad/s
        c.kp[i] = moment[i] * w * w;
        c.kd[i] = 2 * moment[i] * w;
    }
    c.plan.law = law;
    c.plan.rate = rate;
    c.plan.delay = delay;
    c.h = step;
    begin(&c, by, 1);
    run_until(&c, 1.2);
    close_arenas(&c);
    return c.most;
}

static void feed_forward_of_the_exact_model_tracks(void **state)
{
    (void)state;
    double fed = track(GMC_CONTROL_COMPUTED_TORQUE, 1e4, 0, 1e-4);
    double plain = track(GMC_CONTROL_PD, 1e4, 0, 1e-4);
    capability_at_most(38, fed, 1e-6);
    capability_at_least(38, plain, 1e-3);
    print_message("500 Hz, 2 ms late, steps of 1 ms: %.3g rad with feed-forward, %.3g without\n",
                  track(GMC_CONTROL_COMPUTED_TORQUE, 500, 2e-3, 1e-3),
                  track(GMC_CONTROL_PD, 500, 2e-3, 1e-3));
}

// Where the arm is after a move with soft gains, called every 8 ms and 4 ms late.
static void soft_move(const char *stepper, double step, double q[N])
{
    const double by[N] = {0.8, -0.6, 0.5, 0.4, -0.7, 0.9};
    controlled c;
    open_puma(&c);
    c.stepper = stepper;
    for (int i = 0; i < N; i++) {
        c.kp[i] = i < 2 ? 400 : i < 3 ? 100 : 20;
        c.kd[i] = i < 2 ? 40 : i < 3 ? 10 : 2;
    }
    c.plan.rate = 125;
    c.plan.delay = 4e-3;
    c.h = step;
    begin(&c, by, 0.3);
    run_until(&c, 0.4);
    memcpy(q, c.world.state.q, N * sizeof *q);
    close_arenas(&c);
}

static double apart(const double a[N], const double b[N])
{
    double most = 0;
    for (int i = 0; i < N; i++)
        most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

static void sampled_torques_keep_the_order_of_the_law(void **state)
{
    (void)state;
    const struct {
        const char *stepper;
        double ratio;
    } cases[] = {{NULL, 4}, {"stewart_trinkle", 2}, {"anitescu_potra", 2}};
    double finest[N], q[3][N];
    soft_move(NULL, 0.0625e-3, finest);
    for (int i = 0; i < GMC_COUNT(cases); i++) {
        double error[3];
        for (int k = 0; k < 3; k++) {
            soft_move(cases[i].stepper, 4e-3 / (1 << k), q[k]);
            error[k] = apart(q[k], finest);
        }
        print_message("%s: %.3g, %.3g, %.3g rad at 4, 2, 1 ms\n",
                      cases[i].stepper ? cases[i].stepper : "coulomb", error[0], error[1],
                      error[2]);
        ASSERT_NEAR(error[0] / error[1], cases[i].ratio, 0.5);
        ASSERT_NEAR(error[1] / error[2], cases[i].ratio, 0.5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pd_answers_a_step_as_the_closed_form),
        cmocka_unit_test(torque_is_never_above_its_limit),
        cmocka_unit_test(calls_fall_on_their_instants_whatever_the_step),
        cmocka_unit_test(a_controller_that_cannot_go_on_is_a_status),
        cmocka_unit_test(sampled_torques_keep_the_order_of_the_law),
        cmocka_unit_test(gravity_compensation_does_not_drift),
        cmocka_unit_test(feed_forward_of_the_exact_model_tracks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

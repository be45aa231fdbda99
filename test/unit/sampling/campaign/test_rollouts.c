// The job of a campaign: addresses, which trials keep their trajectory, purity, growth of the
// arenas.
#include "sampling/campaign/rollouts.h"
#include "test/support/near.h"
#include "test/support/rolling.h"

#include <string.h>

static const char PINCH[] =
    "graspmc: 1\n"
    "hand: {urdf: jaw.urdf, frame: tcp, surface: rubber}\n"
    "object: {box: [40 mm, 50 mm, 40 mm], mass: 0.2 kg, surface: abs, placed: resting}\n"
    "scene: {table: {plane: {height: 0 mm}, surface: wood}}\n"
    "friction: {rubber/abs: 0.3, abs/wood: 0.4, rubber/wood: 0.5}\n"
    "program:\n"
    "  - close: {force: 10 N, until: stalled, at_most: 0.4 s}\n"
    "  - lift:  {by: 50 mm, in: 0.3 s}\n"
    "success: {at_end: [lift(object) >= 40 mm], always: ['slip(object, hand) <= 5 mm']}\n"
    "uncertain:\n"
    "  object.pose.x: nominal + normal(0 mm, 4 mm)\n"
    "  object.pose.yaw: nominal + uniform(-0.3 rad, 0.3 rad)\n"
    "  friction.rubber/abs: uniform(0.02, 0.3)\n"
    "sampling: {draws: 40, seed: 3}\n"
    "output: {trajectories: none}\n";

typedef struct bench {
    gmc_rolling rolling;
    gmc_rollouts rollouts;
    gmc_job job;
} bench;

static void open_bench(bench *b, const char *text, const char *const *sets)
{
    gmc_rolling_open(&b->rolling);
    gmc_rolling_prepare(&b->rolling, text, sets);
    b->rollouts =
        (gmc_rollouts){.scenario = &b->rolling.prepared.scenario,
                       .build = b->rolling.prepared.build,
                       .recording = gmc_rollouts_recording(&b->rolling.prepared.scenario)};
    b->job = gmc_rollouts_job(&b->rollouts);
}

static void close_bench(bench *b) { gmc_rolling_close(&b->rolling); }

static void *open_worker(bench *b)
{
    void *worker = NULL;
    assert_int_equal(b->job.worker_create(b->job.context, 0, &worker), GMC_OK);
    return worker;
}

static void run(bench *b, void *worker, uint64_t trial, gmc_trial_copy *copy)
{
    atomic_bool stop = false;
    const gmc_trial *result = NULL;
    assert_int_equal(b->job.run(worker, trial, &stop, &result), GMC_OK);
    assert_int_equal(gmc_trial_copy_set(copy, result, b->job.column_count, b->job.sample_count),
                     GMC_OK);
}

static void same_doubles(const double *a, const double *b, size_t count)
{
    if (count > 0) assert_memory_equal(a, b, count * sizeof *a);
}

static void same_trial(const bench *b, const gmc_trial *x, const gmc_trial *y)
{
    assert_int_equal(x->trial, y->trial);
    assert_int_equal(x->draw, y->draw);
    assert_int_equal(x->case_index, y->case_index);
    assert_int_equal(x->outcome, y->outcome);
    assert_int_equal(x->reason, y->reason);
    assert_int_equal(x->phase, y->phase);
    same_doubles(&x->t_end, &y->t_end, 1);
    same_doubles(x->values, y->values, (size_t)b->job.column_count);
    same_doubles(x->samples, y->samples, (size_t)b->job.sample_count);
}

static void same_trajectory(const gmc_trajectory *x, const gmc_trajectory *y)
{
    assert_int_equal(x->row_count, y->row_count);
    size_t rows = (size_t)x->row_count, bodies = (size_t)x->body_count;
    size_t joints = (size_t)x->joint_count, contacts = x->contact_start[rows];
    same_doubles(x->time, y->time, rows);
    same_doubles(x->pose, y->pose, rows * bodies * 7);
    same_doubles(x->twist, y->twist, rows * bodies * 6);
    same_doubles(x->q, y->q, rows * joints);
    same_doubles(x->effort, y->effort, rows * joints);
    assert_memory_equal(x->contact_start, y->contact_start, (rows + 1) * sizeof(uint32_t));
    same_doubles(x->contact_point, y->contact_point, 3 * contacts);
    same_doubles(x->contact_normal, y->contact_normal, 3 * contacts);
    same_doubles(x->contact_force, y->contact_force, 3 * contacts);
    same_doubles(x->contact_torque, y->contact_torque, 3 * contacts);
    assert_memory_equal(x->contact_geoms, y->contact_geoms, 2 * contacts * sizeof(int32_t));
}

static void a_trial_number_is_a_draw_and_a_case(void **state)
{
    (void)state;
    gmc_scenario scenario = {.case_count = 6};
    int64_t case_index;
    uint64_t draw;
    int level;
    gmc_rollouts_address(&scenario, 0, &case_index, &draw, &level);
    assert_true(case_index == 0);
    assert_true(draw == 0);
    gmc_rollouts_address(&scenario, 5, &case_index, &draw, &level);
    assert_true(case_index == 5);
    assert_true(draw == 0);
    gmc_rollouts_address(&scenario, 6 * 1000003ULL + 4, &case_index, &draw, &level);
    assert_true(case_index == 4);
    assert_true(draw == 1000003);
}

// Twice, in another worker, after other trials, recorded or not: the same bits.
static void a_trial_depends_on_its_number_alone(void **state)
{
    (void)state;
    enum { TRIALS = 12 };
    bench b;
    gmc_trial_copy first[TRIALS] = {0}, again = {0};
    open_bench(&b, PINCH, NULL);
    void *worker = open_worker(&b);
    for (uint64_t i = 0; i < TRIALS; i++)
        run(&b, worker, i, &first[i]);
    for (uint64_t i = 0; i < TRIALS; i++) { // in another order
        uint64_t trial = (5 * i + 7) % TRIALS;
        run(&b, worker, trial, &again);
        same_trial(&b, &first[trial].trial, &again.trial);
    }
    b.job.worker_free(worker);
    b.rollouts.recording = (gmc_recording){.record = GMC_RECORD_ALL};
    for (uint64_t i = 0; i < TRIALS; i++) { // each in a worker of its own, recorded
        worker = open_worker(&b);
        run(&b, worker, i, &again);
        same_trial(&b, &first[i].trial, &again.trial);
        b.job.worker_free(worker);
    }
    for (int i = 0; i < TRIALS; i++)
        gmc_trial_copy_free(&first[i]);
    gmc_trial_copy_free(&again);
    close_bench(&b);
}

// Arenas that start with next to nothing grow, and nothing else changes; every step is recorded, at
// a step at which the trajectory is the largest of the three by far.
static void small_arenas_grow(void **state)
{
    (void)state;
    bench b;
    gmc_trial_copy roomy = {0}, tight = {0};
    open_bench(&b, PINCH, (const char *[]){"simulation.step=0.25 ms", NULL});
    b.rollouts.recording = (gmc_recording){.record = GMC_RECORD_ALL};
    for (uint64_t i = 0; i < 3; i++) {
        b.rollouts.arena_bytes = 0;
        void *worker = open_worker(&b);
        run(&b, worker, i, &roomy);
        b.job.worker_free(worker);
        b.rollouts.arena_bytes = 64;
        worker = open_worker(&b);
        run(&b, worker, i, &tight);
        b.job.worker_free(worker);
        same_trial(&b, &roomy.trial, &tight.trial);
        assert_non_null(roomy.trial.trajectory);
        same_trajectory(roomy.trial.trajectory, tight.trial.trajectory);
        assert_int_equal(roomy.trial.trajectory->row_count - 1,
                         (int)roomy.trial.values[GMC_COLUMN_STEPS]);
    }
    gmc_trial_copy_free(&roomy);
    gmc_trial_copy_free(&tight);
    close_bench(&b);
}

// A slab on five posts has 20 contacts a row, and each of them four on the table: more than a row
// is expected to have.
static void trajectories_with_many_contacts_find_room(void **state)
{
    (void)state;
    static const char SLAB[] =
        "graspmc: 1\n"
        "object: {box: [0.3 m, 0.3 m, 20 mm], mass: 1 kg, surface: s, placed: as_given, pose: {z: "
        "60 mm}}\n"
        "scene:\n"
        "  table: {plane: {height: 0 m}, surface: s}\n"
        "  p1: {box: [20 mm, 20 mm, 50 mm], mass: 0.2 kg, free: true, surface: s, pose: {x: 0.1 m, "
        "y: 0.1 m, z: 25 mm}}\n"
        "  p2: {box: [20 mm, 20 mm, 50 mm], mass: 0.2 kg, free: true, surface: s, pose: {x: -0.1 "
        "m, y: 0.1 m, z: 25 mm}}\n"
        "  p3: {box: [20 mm, 20 mm, 50 mm], mass: 0.2 kg, free: true, surface: s, pose: {x: 0.1 m, "
        "y: -0.1 m, z: 25 mm}}\n"
        "  p4: {box: [20 mm, 20 mm, 50 mm], mass: 0.2 kg, free: true, surface: s, pose: {x: -0.1 "
        "m, y: -0.1 m, z: 25 mm}}\n"
        "  p5: {box: [20 mm, 20 mm, 50 mm], mass: 0.2 kg, free: true, surface: s, pose: {z: 25 "
        "mm}}\n"
        "friction: {s/s: 0.5}\n"
        "program: [{hold: {for: 2 s}}]\n"
        "success: {at_end: [lift(object) >= -1 mm]}\n"
        "simulation: {early: {rest: false}}\n";
    bench b;
    gmc_trial_copy copy = {0};
    open_bench(&b, SLAB, NULL);
    b.rollouts.recording = (gmc_recording){.record = GMC_RECORD_ALL};
    void *worker = open_worker(&b);
    run(&b, worker, 0, &copy);
    const gmc_trajectory *t = copy.trial.trajectory;
    assert_int_equal(t->row_count, 1001);
    assert_true(t->contact_start[t->row_count] > 16 * 1001);
    b.job.worker_free(worker);
    gmc_trial_copy_free(&copy);
    close_bench(&b);
}

static void the_recording_chooses_the_trials(void **state)
{
    (void)state;
    enum { TRIALS = 9 };
    const struct {
        gmc_recording recording;
        const char *kept; // 'f': failures
    } cases[] = {{{GMC_RECORD_NONE, 0, 100}, "........."},
                 {{GMC_RECORD_ALL, 0, 100}, "xxxxxxxxx"},
                 {{GMC_RECORD_FIRST, 4, 100}, "xxxx....."},
                 {{GMC_RECORD_EVERY, 4, 100}, "x...x...x"},
                 {{GMC_RECORD_FAILURES, 0, 100}, "fffffffff"}};
    bench b;
    gmc_trial_copy copy = {0};
    open_bench(&b, PINCH, NULL);
    int failures = 0;
    for (int k = 0; k < GMC_COUNT(cases); k++) {
        b.rollouts.recording = cases[k].recording;
        void *worker = open_worker(&b);
        for (uint64_t i = 0; i < TRIALS; i++) {
            run(&b, worker, i, &copy);
            bool is_failure = copy.trial.outcome != GMC_OUTCOME_SUCCESS;
            bool is_kept = cases[k].kept[i] == 'x' || (cases[k].kept[i] == 'f' && is_failure);
            assert_int_equal(copy.trial.trajectory != NULL, is_kept);
            failures += is_failure;
        }
        b.job.worker_free(worker);
    }
    assert_in_range(failures, 1, 5 * TRIALS - 1); // both kinds were there
    gmc_trial_copy_free(&copy);
    close_bench(&b);
}

// Rows fall on the first step at or after each multiple of 1/rate and on the last step, and equal
// those of the full record there.
static void sparse_rows_are_rows_of_the_full_record(void **state)
{
    (void)state;
    bench b;
    gmc_trial_copy full = {0}, sparse = {0};
    open_bench(&b, PINCH, (const char *[]){"simulation.step=1.7 ms", NULL});
    const double rates[] = {0.01, 30, 100, 588, 2500};
    b.rollouts.recording = (gmc_recording){.record = GMC_RECORD_ALL};
    void *worker = open_worker(&b);
    run(&b, worker, 1, &full);
    for (int k = 0; k < GMC_COUNT(rates); k++) {
        b.rollouts.recording.rate = rates[k];
        run(&b, worker, 1, &sparse);
        same_trial(&b, &full.trial, &sparse.trial);
        const gmc_trajectory *f = full.trial.trajectory, *s = sparse.trial.trajectory;
        int next = 0;
        double due = 0;
        for (int i = 0; i < f->row_count; i++) {
            if (f->time[i] < due - 1e-9 && i + 1 < f->row_count) continue;
            assert_in_range(next, 0, s->row_count - 1);
            same_doubles(&s->time[next], &f->time[i], 1);
            size_t width = 7 * (size_t)f->body_count;
            same_doubles(s->pose + (size_t)next * width, f->pose + (size_t)i * width, width);
            width = (size_t)f->joint_count;
            same_doubles(s->effort + (size_t)next * width, f->effort + (size_t)i * width, width);
            assert_int_equal(s->contact_start[next + 1] - s->contact_start[next],
                             f->contact_start[i + 1] - f->contact_start[i]);
            while (due <= f->time[i] + 1e-9)
                due += 1 / rates[k];
            next++;
        }
        assert_int_equal(next, s->row_count);
    }
    b.job.worker_free(worker);
    gmc_trial_copy_free(&full);
    gmc_trial_copy_free(&sparse);
    close_bench(&b);
}

static void a_value_that_cannot_be_is_an_unsolved_trial(void **state)
{
    (void)state;
    bench b;
    gmc_trial_copy copy = {0};
    open_bench(&b, PINCH,
               (const char *[]){"uncertain.object.mass=nominal + normal(0 kg, 10 kg)", NULL});
    void *worker = open_worker(&b);
    int bad = 0;
    for (uint64_t i = 0; i < 8; i++) {
        run(&b, worker, i, &copy);
        if (copy.trial.reason != GMC_REASON_BAD_VALUE) continue;
        bad++;
        assert_int_equal(copy.trial.outcome, GMC_OUTCOME_UNSOLVED);
        assert_true(isnan(copy.trial.values[GMC_COLUMN_SLIP]));
        assert_true(copy.trial.values[GMC_COLUMN_STEPS] == 0);
        assert_true(copy.trial.t_end == 0);
    }
    assert_in_range(bad, 1, 7);
    b.job.worker_free(worker);
    gmc_trial_copy_free(&copy);
    close_bench(&b);
}

// The model of a trial has its drawn values, also where it does not fit into the first arena.
static void the_model_of_a_trial_has_its_values(void **state)
{
    (void)state;
    bench b;
    gmc_arena arena;
    const gmc_model *model = NULL;
    open_bench(&b, PINCH,
               (const char *[]){"uncertain.object.mass=nominal + normal(0 kg, 0.2 kg)", NULL});
    b.rollouts.arena_bytes = 64;
    gmc_trial_copy copy = {0};
    void *worker = open_worker(&b);
    int bad = 0;
    for (uint64_t i = 0; i < 12; i++) {
        run(&b, worker, i, &copy);
        gmc_status status = gmc_rollouts_model(&b.rollouts, i, &arena, &model);
        bool is_bad = copy.trial.reason == GMC_REASON_BAD_VALUE;
        assert_int_equal(status, is_bad ? GMC_E_INPUT : GMC_OK);
        bad += is_bad;
        if (!is_bad) {
            int object = gmc_model_find_body(model, "object");
            const double *mass = &model->bodies[object].inertia.mass;
            ASSERT_NEAR_RELATIVE(*mass, copy.trial.samples[3],
                                 1e-15); // scaled from what was compiled
        }
        gmc_arena_free(&arena);
    }
    assert_in_range(bad, 1, 11);
    b.job.worker_free(worker);
    gmc_trial_copy_free(&copy);
    close_bench(&b);
}

// Trials of a share are looked at twice: which, depends on their number and the share alone, and
// what they found does not depend on it.
static void shares_of_the_trials_are_looked_at_twice(void **state)
{
    (void)state;
    enum { TRIALS = 40 };
    static const char *const NONE[] = {"simulation.early.audit=0", "simulation.half_step=0", NULL};
    static const char *const SOME[] = {"simulation.early.audit=0", "simulation.half_step=30 %",
                                       NULL};
    static const char *const MORE[] = {"simulation.early.audit=0", "simulation.half_step=60 %",
                                       NULL};
    const char *const *const sets[] = {NONE, SOME, MORE};
    gmc_trial_copy plain[TRIALS] = {0}, copy = {0};
    bool was_repeated[TRIALS] = {0};
    for (int s = 0; s < GMC_COUNT(sets); s++) {
        bench b;
        open_bench(&b, PINCH, sets[s]);
        void *worker = open_worker(&b);
        int repeated = 0;
        for (uint64_t i = 0; i < TRIALS; i++) {
            run(&b, worker, i, s == 0 ? &plain[i] : &copy);
            if (s == 0) continue;
            double *found = &copy.trial.values[GMC_COLUMN_HALF_STEP];
            bool is_repeated = *found != GMC_AUDIT_NONE;
            assert_true(is_repeated || !was_repeated[i]); // a larger share holds the smaller one
            repeated += was_repeated[i] = is_repeated;
            assert_true(copy.trial.values[GMC_COLUMN_HALF_STEP_CHANCE] == (s == 1 ? 0.3 : 0.6));
            *found = GMC_AUDIT_NONE;
            copy.trial.values[GMC_COLUMN_HALF_STEP_CHANCE] = 0;
            same_trial(&b, &plain[i].trial, &copy.trial);
        }
        // 12 and 24 expected; a share beyond four standard deviations (12) would be another one
        assert_true(s == 0 || (repeated > 24 * (s - 1) && repeated < 24 * s));
        b.job.worker_free(worker);
        close_bench(&b);
    }
    for (int i = 0; i < TRIALS; i++)
        gmc_trial_copy_free(&plain[i]);
    gmc_trial_copy_free(&copy);
}

// Trials near the limit of success are chosen by what the first draws show, whoever ran these, and
// what they found does not depend on it.
static void trials_near_the_limit_are_repeated(void **state)
{
    (void)state;
    enum { FIRST = GMC_NEARBY_PILOT, TRIALS = 30 };
    static const char *const NONE[] = {"simulation.half_step=0", "sampling.draws=200", NULL};
    static const char *const SOME[] = {"sampling.draws=200", NULL};
    gmc_trial_copy plain = {0}, copy = {0}, again = {0};
    bench without, alone, after;
    open_bench(&without, PINCH, NONE);
    open_bench(&alone, PINCH, SOME);
    open_bench(&after, PINCH, SOME);
    void *worker = open_worker(&without), *lone = open_worker(&alone), *other = open_worker(&after);
    for (uint64_t i = FIRST; i-- > 0;) {
        run(&after, other, i, &copy);
        double *values = copy.trial.values;
        assert_true(values[GMC_COLUMN_HALF_STEP_CHANCE] == 0);
        assert_true(values[GMC_COLUMN_HALF_STEP] == 0);
    }
    int near = 0, repeated = 0;
    double expected = 0;
    for (uint64_t i = FIRST + TRIALS; i-- > FIRST;) {
        run(&without, worker, i, &plain);
        run(&alone, lone, i, &copy);
        run(&after, other, i, &again);
        same_trial(&alone, &copy.trial, &again.trial);
        double *found = &copy.trial.values[GMC_COLUMN_HALF_STEP];
        double *chance = &copy.trial.values[GMC_COLUMN_HALF_STEP_CHANCE];
        assert_true(*chance >= 0.01);
        assert_true(*chance <= 1);
        near += *chance > 0.01 && copy.trial.values[GMC_COLUMN_IS_WHOLE] > 0;
        expected += *chance;
        repeated += *found != GMC_AUDIT_NONE;
        *found = GMC_AUDIT_NONE;
        *chance = 0;
        same_trial(&alone, &plain.trial, &copy.trial);
    }
    assert_in_range(near, 1, TRIALS / 2);
    assert_true(fabs(repeated - expected) <= 3 * sqrt(expected) + 1);
    without.job.worker_free(worker);
    alone.job.worker_free(lone);
    after.job.worker_free(other);
    gmc_trial_copy_free(&plain);
    gmc_trial_copy_free(&copy);
    gmc_trial_copy_free(&again);
    close_bench(&without);
    close_bench(&alone);
    close_bench(&after);
}

// Every trial audited is every trial as without early verdicts, but for what it says about them.
static void audited_trials_are_the_trials_without_early_verdicts(void **state)
{
    (void)state;
    enum { TRIALS = 30 };
    static const char *const NEVER[] = {
        "simulation.early.broken=false", "simulation.early.falling=false",
        "simulation.early.rest=false",   "simulation.early.borne=false",
        "simulation.half_step=0",        NULL};
    static const char *const AUDITED[] = {"simulation.early.audit=1", "simulation.half_step=0",
                                          NULL};
    gmc_trial_copy full[TRIALS] = {0}, copy = {0};
    bench b;
    open_bench(&b, PINCH, NEVER);
    void *worker = open_worker(&b);
    for (uint64_t i = 0; i < TRIALS; i++)
        run(&b, worker, i, &full[i]);
    b.job.worker_free(worker);
    close_bench(&b);
    open_bench(&b, PINCH, AUDITED);
    worker = open_worker(&b);
    int audited = 0;
    for (uint64_t i = 0; i < TRIALS; i++) {
        run(&b, worker, i, &copy);
        double *values = copy.trial.values;
        assert_true(values[GMC_COLUMN_AUDIT] ==
                    (values[GMC_COLUMN_DECIDED_BY] > 0 ? GMC_AUDIT_RIGHT : GMC_AUDIT_NONE));
        audited += values[GMC_COLUMN_AUDIT] > 0;
        for (int c = GMC_COLUMN_DECIDED_BY; c <= GMC_COLUMN_AUDIT; c++)
            values[c] = full[i].trial.values[c];
        same_trial(&b, &full[i].trial, &copy.trial);
        gmc_trial_copy_free(&full[i]);
    }
    assert_true(audited > 3); // those that slip through the fingers
    b.job.worker_free(worker);
    gmc_trial_copy_free(&copy);
    close_bench(&b);
}

static void a_stopped_trial_leaves_no_result(void **state)
{
    (void)state;
    bench b;
    open_bench(&b, PINCH, NULL);
    void *worker = open_worker(&b);
    atomic_bool stop = true;
    const gmc_trial *result = NULL;
    assert_int_equal(b.job.run(worker, 0, &stop, &result), GMC_E_INTERRUPTED);
    assert_null(result);
    b.job.worker_free(worker);
    close_bench(&b);
}

int test_rollouts(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_trial_number_is_a_draw_and_a_case),
        cmocka_unit_test(a_trial_depends_on_its_number_alone),
        cmocka_unit_test(small_arenas_grow),
        cmocka_unit_test(trajectories_with_many_contacts_find_room),
        cmocka_unit_test(the_recording_chooses_the_trials),
        cmocka_unit_test(sparse_rows_are_rows_of_the_full_record),
        cmocka_unit_test(a_value_that_cannot_be_is_an_unsolved_trial),
        cmocka_unit_test(the_model_of_a_trial_has_its_values),
        cmocka_unit_test(shares_of_the_trials_are_looked_at_twice),
        cmocka_unit_test(trials_near_the_limit_are_repeated),
        cmocka_unit_test(audited_trials_are_the_trials_without_early_verdicts),
        cmocka_unit_test(a_stopped_trial_leaves_no_result),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

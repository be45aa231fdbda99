#define _POSIX_C_SOURCE 200809L
// The pool with synthetic jobs: every trial once whatever the number of workers, back-pressure,
// early end, failures.
#include "sampling/campaign/campaign.h"
#include "test/support/cmocka.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { COLUMNS = 3, SAMPLES = 2, TRIALS = 500 };

/// A worker whose trial is a function of its number alone.
typedef struct fake_worker {
    struct fake_job *job;
    gmc_trial trial;
    double values[COLUMNS], samples[SAMPLES];
    gmc_trajectory path;
    double inertia[10], time[8], pose[56], twist[48], q[8], effort[8], point[24], normal[24],
        force[24], torque[24];
    uint32_t start[9];
    int32_t geoms[16];
} fake_worker;

typedef struct fake_job {
    int trial_us;     ///< how long a trial lasts
    uint64_t fail_at; ///< this trial fails with `fail_with`
    gmc_status fail_with;
    bool refuses_worker;
    uint64_t unsolved_at;
    atomic_int alive, created, running_now;
} fake_job;

static void nap(int us)
{
    struct timespec t = {.tv_nsec = us * 1000L};
    nanosleep(&t, NULL);
}

static gmc_status fake_create(void *context, int index, void **worker)
{
    fake_job *job = context;
    (void)index;
    if (job->refuses_worker) return GMC_E_MEMORY;
    fake_worker *w = calloc(1, sizeof *w);
    w->job = job;
    w->path = (gmc_trajectory){.row_capacity = 8,
                               .body_count = 1,
                               .joint_count = 1,
                               .inertia = w->inertia,
                               .time = w->time,
                               .pose = w->pose,
                               .twist = w->twist,
                               .q = w->q,
                               .effort = w->effort,
                               .contact_start = w->start,
                               .contact_point = w->point,
                               .contact_normal = w->normal,
                               .contact_force = w->force,
                               .contact_torque = w->torque,
                               .contact_geoms = w->geoms,
                               .contact_capacity = 8};
    w->trial = (gmc_trial){.values = w->values, .samples = w->samples};
    atomic_fetch_add(&job->alive, 1);
    atomic_fetch_add(&job->created, 1);
    *worker = w;
    return GMC_OK;
}

static void fake_fill(fake_worker *w, uint64_t n)
{
    w->trial.trial = n;
    w->trial.case_index = (uint32_t)(n % 3);
    w->trial.draw = n / 3;
    w->trial.outcome = n % 5 == 0 ? GMC_OUTCOME_MISSED : GMC_OUTCOME_SUCCESS;
    if (n == w->job->unsolved_at) w->trial.outcome = GMC_OUTCOME_UNSOLVED;
    for (int i = 0; i < COLUMNS; i++)
        w->values[i] = (double)n + 0.25 * i;
    for (int i = 0; i < SAMPLES; i++)
        w->samples[i] = -(double)n - i;
    w->trial.trajectory = n % 2 ? &w->path : NULL;
    w->path.row_count = (int)(n % 8);
    for (int r = 0; r < 8; r++) {
        w->time[r] = 0.1 * r;
        for (int k = 0; k < 7; k++)
            w->pose[7 * r + k] = (double)n + r + 0.1 * k;
        w->start[r + 1] = (uint32_t)r + 1;
        w->geoms[2 * r] = (int32_t)n;
    }
}

static gmc_status fake_run(void *worker, uint64_t n, const atomic_bool *stop,
                           const gmc_trial **result)
{
    fake_worker *w = worker;
    for (int waited = 0; waited < w->job->trial_us; waited += 500) {
        if (atomic_load(stop)) return GMC_E_INTERRUPTED;
        nap(w->job->trial_us < 500 ? w->job->trial_us : 500);
    }
    if (n == w->job->fail_at) return w->job->fail_with;
    fake_fill(w, n);
    *result = &w->trial;
    return GMC_OK;
}

static void fake_free(void *worker)
{
    fake_worker *w = worker;
    atomic_fetch_sub(&w->job->alive, 1);
    free(w);
}

static gmc_job job_of(fake_job *fake)
{
    return (gmc_job){.context = fake,
                     .column_count = COLUMNS,
                     .sample_count = SAMPLES,
                     .worker_create = fake_create,
                     .run = fake_run,
                     .worker_free = fake_free};
}

/// A sink that counts how often it saw each trial and checks its contents.
typedef struct fake_sink {
    int seen[TRIALS];
    bool had[TRIALS];
    uint64_t first;
    int put_us, put_count, sync_count, fail_put_at;
    bool fails_sync;
    atomic_bool is_inside; ///< one thread at a time
} fake_sink;

static gmc_status sink_put(void *context, const gmc_trial *t)
{
    fake_sink *s = context;
    assert_false(atomic_exchange(&s->is_inside, true));
    if (s->put_us) nap(s->put_us);
    uint64_t n = t->trial;
    assert_in_range(n - s->first, 0, TRIALS - 1);
    s->seen[n - s->first]++;
    for (int i = 0; i < COLUMNS; i++)
        assert_true(t->values[i] == (double)n + 0.25 * i);
    for (int i = 0; i < SAMPLES; i++)
        assert_true(t->samples[i] == -(double)n - i);
    assert_int_equal(t->trajectory != NULL, n % 2);
    if (t->trajectory) {
        assert_int_equal(t->trajectory->row_count, n % 8);
        for (int r = 0; r < t->trajectory->row_count; r++) {
            assert_true(t->trajectory->pose[7 * r + 6] == (double)n + r + 0.1 * 6);
            assert_int_equal(t->trajectory->contact_geoms[2 * r], n);
            assert_int_equal(t->trajectory->contact_start[r + 1], r + 1);
        }
    }
    s->put_count++;
    atomic_store(&s->is_inside, false);
    return s->fail_put_at && s->put_count >= s->fail_put_at ? GMC_E_IO : GMC_OK;
}

static bool sink_has(void *context, uint64_t trial)
{
    fake_sink *s = context;
    return s->had[trial - s->first];
}

static gmc_status sink_sync(void *context)
{
    fake_sink *s = context;
    s->sync_count++;
    return s->fails_sync ? GMC_E_IO : GMC_OK;
}

static gmc_sink sink_of(fake_sink *s)
{
    return (gmc_sink){.context = s, .put = sink_put, .has = sink_has, .sync = sink_sync};
}

static gmc_campaign_options options_of(int workers)
{
    gmc_campaign_options o = gmc_campaign_defaults();
    o.count = TRIALS;
    o.worker_count = workers;
    return o;
}

static gmc_status run(fake_job *fake, fake_sink *sink, const gmc_campaign_options *o,
                      gmc_campaign_progress *last)
{
    gmc_job job = job_of(fake);
    gmc_sink s = sink_of(sink);
    atomic_bool stop = false;
    gmc_status status = gmc_campaign_run(&job, &s, o, &stop, last);
    assert_int_equal(atomic_load(&fake->alive), 0); // every worker was given back
    return status;
}

static void every_trial_is_put_once_for_any_worker_count(void **state)
{
    (void)state;
    static const int WORKERS[] = {1, 2, 7};
    for (int k = 0; k < GMC_COUNT(WORKERS); k++) {
        fake_job job = {.fail_at = UINT64_MAX, .unsolved_at = 1003};
        fake_sink sink = {.first = 1000};
        gmc_campaign_options o = options_of(WORKERS[k]);
        o.first = 1000;
        gmc_campaign_progress last;
        assert_int_equal(run(&job, &sink, &o, &last), GMC_OK);
        for (int i = 0; i < TRIALS; i++)
            assert_int_equal(sink.seen[i], 1);
        assert_int_equal(atomic_load(&job.created), WORKERS[k]);
        assert_int_equal(last.done, TRIALS);
        assert_int_equal(last.counts.failures, TRIALS / 5);
        assert_int_equal(last.counts.unsolved, 1);
        assert_int_equal(last.counts.successes, TRIALS - TRIALS / 5 - 1);
        assert_true(sink.sync_count >= 1);
    }
}

static void one_worker_runs_in_rising_order(void **state)
{
    (void)state;
    fake_job fake = {.fail_at = UINT64_MAX, .unsolved_at = UINT64_MAX};
    gmc_job job = job_of(&fake);
    atomic_bool stop = false;
    gmc_pool *pool;
    const gmc_pool_options options = {.worker_count = 1, .slot_count = 3, .first = 10, .count = 50};
    assert_int_equal(gmc_pool_start(&job, &options, &stop, &pool), GMC_OK);
    uint64_t expected = 10;
    for (bool is_over = false; !is_over;) {
        gmc_pool_item *item;
        gmc_pool_next(pool, 0.05, &item, &is_over);
        if (!item) continue;
        assert_int_equal(item->copy.trial.trial, expected++);
        assert_true(item->seconds >= 0.0);
        gmc_pool_release(pool, item);
    }
    assert_int_equal(expected, 60);
    assert_int_equal(gmc_pool_end(pool), GMC_OK);
    assert_false(atomic_load(&stop));
}

static void trials_that_the_sink_has_are_skipped(void **state)
{
    (void)state;
    fake_job job = {.fail_at = UINT64_MAX, .unsolved_at = UINT64_MAX};
    fake_sink sink = {0};
    uint64_t had = 0;
    for (int i = 0; i < TRIALS; i++)
        had += sink.had[i] = i % 7 == 0 || i == TRIALS - 1;
    gmc_campaign_options o = options_of(2);
    o.kept = (gmc_campaign_counts){.successes = had};
    gmc_campaign_progress last;
    assert_int_equal(run(&job, &sink, &o, &last), GMC_OK);
    for (int i = 0; i < TRIALS; i++)
        assert_int_equal(sink.seen[i], sink.had[i] ? 0 : 1);
    assert_int_equal(last.fresh, TRIALS - had);
    assert_int_equal(last.done, TRIALS);
    assert_int_equal(last.counts.successes + last.counts.failures, TRIALS);
}

static void nothing_left_starts_no_thread(void **state)
{
    (void)state;
    fake_job job = {0};
    fake_sink sink = {0};
    memset(sink.had, 1, sizeof sink.had);
    gmc_campaign_options o = options_of(4);
    assert_int_equal(run(&job, &sink, &o, NULL), GMC_OK);
    assert_int_equal(atomic_load(&job.created), 0);
}

static void slow_sink_holds_the_workers_back(void **state)
{
    (void)state;
    fake_job fake = {.fail_at = UINT64_MAX, .unsolved_at = UINT64_MAX};
    gmc_job job = job_of(&fake);
    atomic_bool stop = false;
    gmc_pool *pool;
    const gmc_pool_options options = {.worker_count = 2, .slot_count = 3, .count = TRIALS};
    assert_int_equal(gmc_pool_start(&job, &options, &stop, &pool), GMC_OK);

    // take three and keep them: every slot is with us, so a fourth can never come
    gmc_pool_item *held[3], *more;
    bool is_over;
    for (int i = 0; i < 3; i++)
        do
            gmc_pool_next(pool, 1.0, &held[i], &is_over);
        while (!held[i]);
    gmc_pool_next(pool, 0.05, &more, &is_over);
    assert_null(more);
    assert_false(is_over);
    gmc_pool_release(pool, held[0]);
    do
        gmc_pool_next(pool, 1.0, &more, &is_over);
    while (!more);
    assert_int_equal(gmc_pool_end(pool), GMC_OK); // with workers waiting for slots
    assert_true(atomic_load(&stop));
}

static void *raise_stop(void *argument)
{
    nap(100000);
    atomic_store((atomic_bool *)argument, true);
    return NULL;
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void stop_flag_ends_long_trials_within_a_second(void **state)
{
    (void)state;
    fake_job fake = {.trial_us = 900000000, .fail_at = UINT64_MAX, .unsolved_at = UINT64_MAX};
    fake_sink sink = {0};
    gmc_job job = job_of(&fake);
    gmc_sink s = sink_of(&sink);
    gmc_campaign_options o = options_of(3);
    atomic_bool stop = false;
    pthread_t other;
    double start = seconds();
    assert_int_equal(pthread_create(&other, NULL, raise_stop, &stop), 0);
    assert_int_equal(gmc_campaign_run(&job, &s, &o, &stop, NULL), GMC_E_INTERRUPTED);
    assert_true(seconds() - start < 1.1); // 0.1 s until the flag, then the promise of 1 s
    pthread_join(other, NULL);
    assert_int_equal(sink.put_count, 0); // abandoned trials leave no trace
    assert_int_equal(sink.sync_count, 1);
}

static void time_limit_interrupts(void **state)
{
    (void)state;
    fake_job job = {.trial_us = 2000, .fail_at = UINT64_MAX, .unsolved_at = UINT64_MAX};
    fake_sink sink = {0};
    gmc_campaign_options o = options_of(1);
    o.time_limit_s = 0.1;
    gmc_campaign_progress last;
    assert_int_equal(run(&job, &sink, &o, &last), GMC_E_INTERRUPTED);
    assert_true(last.done < TRIALS);
    assert_int_equal(last.done, sink.put_count); // what finished was put
}

static void failures_end_the_campaign_with_their_status(void **state)
{
    (void)state;
    gmc_campaign_options o = options_of(2);

    fake_job bad_trial = {.fail_at = 40, .fail_with = GMC_E_LIBRARY, .unsolved_at = UINT64_MAX};
    fake_sink sink = {0};
    assert_int_equal(run(&bad_trial, &sink, &o, NULL), GMC_E_LIBRARY);
    assert_int_equal(sink.seen[40], 0);
    assert_int_equal(sink.sync_count, 1); // the others are safe

    fake_job no_worker = {.refuses_worker = true};
    sink = (fake_sink){0};
    assert_int_equal(run(&no_worker, &sink, &o, NULL), GMC_E_MEMORY);

    fake_job good = {.fail_at = UINT64_MAX, .unsolved_at = UINT64_MAX};
    sink = (fake_sink){.fail_put_at = 20};
    assert_int_equal(run(&good, &sink, &o, NULL), GMC_E_IO);
    assert_int_equal(sink.put_count, 20);
    assert_int_equal(sink.sync_count, 0); // nothing is asked of a broken sink

    sink = (fake_sink){.fails_sync = true};
    assert_int_equal(run(&good, &sink, &o, NULL), GMC_E_IO);
}

static void unsolved_ends_the_campaign_only_on_request(void **state)
{
    (void)state;
    fake_job job = {.fail_at = UINT64_MAX, .unsolved_at = 60};
    fake_sink sink = {0};
    gmc_campaign_options o = options_of(1);
    o.abort_on_unsolved = true;
    gmc_campaign_progress last;
    assert_int_equal(run(&job, &sink, &o, &last), GMC_E_NO_SOLUTION);
    assert_int_equal(last.counts.unsolved, 1);
    assert_int_equal(sink.seen[60], 1); // it is kept, with its seed and time
    assert_true(last.done < TRIALS);
}

typedef struct watcher {
    int calls;
    uint64_t done;
    double elapsed_s;
    bool saw_last;
} watcher;

static void watch(void *context, const gmc_campaign_progress *now)
{
    watcher *w = context;
    assert_false(w->saw_last);
    assert_true(now->done >= w->done);
    assert_true(now->elapsed_s >= w->elapsed_s);
    assert_int_equal(now->total, TRIALS);
    w->calls++;
    w->done = now->done;
    w->elapsed_s = now->elapsed_s;
    w->saw_last = now->is_last;
}

static void progress_rises_and_is_not_called_too_often(void **state)
{
    (void)state;
    fake_job job = {.trial_us = 1000, .fail_at = UINT64_MAX, .unsolved_at = UINT64_MAX};
    fake_sink sink = {0};
    watcher w = {0};
    gmc_campaign_options o = options_of(2);
    o.progress = watch;
    o.progress_context = &w;
    assert_int_equal(run(&job, &sink, &o, NULL), GMC_OK);
    assert_true(w.saw_last);
    assert_int_equal(w.done, TRIALS);
    assert_true(w.calls >= 2);
    assert_true(w.calls <= 2 + (int)(w.elapsed_s / o.report_every_s));
}

int test_pool(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_trial_is_put_once_for_any_worker_count),
        cmocka_unit_test(one_worker_runs_in_rising_order),
        cmocka_unit_test(trials_that_the_sink_has_are_skipped),
        cmocka_unit_test(nothing_left_starts_no_thread),
        cmocka_unit_test(slow_sink_holds_the_workers_back),
        cmocka_unit_test(stop_flag_ends_long_trials_within_a_second),
        cmocka_unit_test(time_limit_interrupts),
        cmocka_unit_test(failures_end_the_campaign_with_their_status),
        cmocka_unit_test(unsolved_ends_the_campaign_only_on_request),
        cmocka_unit_test(progress_rises_and_is_not_called_too_often),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// One mutex guards the slots and the count of living workers; the ticket counter is atomic because
// it is the only thing that idle workers touch often. A worker holds no slot while its trial runs:
// slots hold copies, so slow trials do not block the queue. Rejected: handing trials to the sink in
// order of their numbers. It needs a window as long as the slowest trial, and a kill would lose
// what waits in it; the store sorts once at the end instead.
#define _POSIX_C_SOURCE 200809L
#include "sampling/campaign/pool.h"

#include "engine/base/check.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

struct gmc_pool {
    gmc_job job;
    uint64_t first, count;
    gmc_pool_skip skip;
    atomic_bool *stop;
    atomic_uint_fast64_t ticket; ///< next trial to hand out, counted from `first`

    pthread_mutex_t lock;
    pthread_cond_t slot_free, item_ready;
    gmc_pool_item *items;  ///< (slot_count)
    gmc_pool_item **idle;  ///< stack of slots that hold nothing
    gmc_pool_item **ready; ///< ring of finished trials
    int slot_count, idle_count, ready_first, ready_count;
    int running;       ///< workers that have not ended
    bool is_abandoned; ///< nobody reads any more
    gmc_status status; ///< first failure

    pthread_t *threads;
    struct worker_start *starts;
    int thread_count;
};

typedef struct worker_start {
    gmc_pool *pool;
    int index;
} worker_start;

double gmc_pool_clock_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void fail(gmc_pool *pool, gmc_status status)
{
    pthread_mutex_lock(&pool->lock);
    if (pool->status == GMC_OK) pool->status = status;
    pthread_mutex_unlock(&pool->lock);
    atomic_store(pool->stop, true);
}

/// Next trial that is to be run; false when there is none or the pool stops.
static bool take_ticket(gmc_pool *pool, uint64_t *trial)
{
    while (!atomic_load_explicit(pool->stop, memory_order_relaxed)) {
        uint64_t i = atomic_fetch_add(&pool->ticket, 1);
        if (i >= pool->count) return false;
        if (i < pool->skip.count && (pool->skip.bits[i / 8] >> (i % 8) & 1)) continue;
        *trial = pool->first + i;
        return true;
    }
    return false;
}

/// Copy a finished trial into a free slot and queue it; waits while the queue is full.
static gmc_status hand_over(gmc_pool *pool, const gmc_trial *trial, double seconds)
{
    pthread_mutex_lock(&pool->lock);
    while (pool->idle_count == 0 && !pool->is_abandoned)
        pthread_cond_wait(&pool->slot_free, &pool->lock);
    if (pool->is_abandoned) {
        pthread_mutex_unlock(&pool->lock);
        return GMC_E_INTERRUPTED;
    }
    gmc_pool_item *item = pool->idle[--pool->idle_count];
    pthread_mutex_unlock(&pool->lock);

    // the slot is ours alone now: copy without the lock
    item->seconds = seconds;
    gmc_status status =
        gmc_trial_copy_set(&item->copy, trial, pool->job.column_count, pool->job.sample_count);

    pthread_mutex_lock(&pool->lock);
    if (status == GMC_OK) {
        pool->ready[(pool->ready_first + pool->ready_count) % pool->slot_count] = item;
        pool->ready_count++;
        pthread_cond_signal(&pool->item_ready);
    } else {
        pool->idle[pool->idle_count++] = item;
    }
    pthread_mutex_unlock(&pool->lock);
    return status;
}

/// Trial after trial until there is none left or something ends the campaign.
static gmc_status work(gmc_pool *pool, void *worker)
{
    uint64_t number;
    while (take_ticket(pool, &number)) {
        double start = gmc_pool_clock_s();
        const gmc_trial *trial = NULL;
        if (pool->job.trials) number = pool->job.trials[number];
        GMC_TRY(pool->job.run(worker, number, pool->stop, &trial));
        GMC_ASSERT(trial && trial->trial == number);
        GMC_TRY(hand_over(pool, trial, gmc_pool_clock_s() - start));
    }
    return GMC_OK;
}

static void *worker_main(void *argument)
{
    worker_start *start = argument;
    gmc_pool *pool = start->pool;

    void *worker = NULL;
    gmc_status status = pool->job.worker_create(pool->job.context, start->index, &worker);
    if (status == GMC_OK) {
        status = work(pool, worker);
        pool->job.worker_free(worker);
    }
    if (status != GMC_OK && status != GMC_E_INTERRUPTED) fail(pool, status);

    pthread_mutex_lock(&pool->lock);
    pool->running--;
    pthread_cond_signal(&pool->item_ready);
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

/// Signals from outside are for the thread that reads; a worker keeps only those that it raises
/// itself.
static void block_signals(sigset_t *before)
{
    static const int own[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP, SIGSYS};
    sigset_t all;
    sigfillset(&all);
    for (int i = 0; i < GMC_COUNT(own); i++)
        sigdelset(&all, own[i]);
    pthread_sigmask(SIG_SETMASK, &all, before);
}

static gmc_status start_threads(gmc_pool *pool, int worker_count)
{
    sigset_t before;
    block_signals(&before);
    gmc_status status = GMC_OK;
    for (int i = 0; i < worker_count; i++) {
        pool->starts[i] = (worker_start){.pool = pool, .index = i};
        pthread_mutex_lock(&pool->lock);
        pool->running++;
        pthread_mutex_unlock(&pool->lock);
        if (pthread_create(&pool->threads[i], NULL, worker_main, &pool->starts[i]) == 0) {
            pool->thread_count++;
        } else {
            pthread_mutex_lock(&pool->lock);
            pool->running--;
            pthread_mutex_unlock(&pool->lock);
            break; // EAGAIN: a limit of processes or memory
        }
    }
    if (pool->thread_count == 0) status = GMC_E_LIBRARY;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}

static void free_memory(gmc_pool *pool)
{
    for (int i = 0; pool->items && i < pool->slot_count; i++)
        gmc_trial_copy_free(&pool->items[i].copy);
    free(pool->items);
    free(pool->idle);
    free(pool->ready);
    free(pool->threads);
    free(pool->starts);
    free(pool);
}

static gmc_status create_locks(gmc_pool *pool)
{
    // timeouts are counted on the clock that nobody sets
    pthread_condattr_t monotonic;
    if (pthread_condattr_init(&monotonic) != 0) return GMC_E_MEMORY;
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    bool ok = pthread_mutex_init(&pool->lock, NULL) == 0;
    if (ok && pthread_cond_init(&pool->slot_free, NULL) != 0) {
        pthread_mutex_destroy(&pool->lock);
        ok = false;
    }
    if (ok && pthread_cond_init(&pool->item_ready, &monotonic) != 0) {
        pthread_cond_destroy(&pool->slot_free);
        pthread_mutex_destroy(&pool->lock);
        ok = false;
    }
    pthread_condattr_destroy(&monotonic);
    return ok ? GMC_OK : GMC_E_MEMORY;
}

gmc_status gmc_pool_start(const gmc_job *job, const gmc_pool_options *options, atomic_bool *stop,
                          gmc_pool **out)
{
    *out = NULL;
    int worker_count = options->worker_count, slot_count = options->slot_count;
    GMC_ASSERT(worker_count >= 1 && slot_count >= 1);
    gmc_pool *pool = calloc(1, sizeof *pool);
    if (!pool) return GMC_E_MEMORY;

    pool->job = *job;
    pool->first = options->first;
    pool->count = options->count;
    pool->skip = options->skip;
    pool->stop = stop;
    atomic_init(&pool->ticket, 0);
    pool->slot_count = slot_count;
    pool->items = calloc((size_t)slot_count, sizeof *pool->items);
    pool->idle = calloc((size_t)slot_count, sizeof(gmc_pool_item *));
    pool->ready = calloc((size_t)slot_count, sizeof(gmc_pool_item *));
    pool->threads = calloc((size_t)worker_count, sizeof *pool->threads);
    pool->starts = calloc((size_t)worker_count, sizeof *pool->starts);
    bool has_memory = pool->items && pool->idle && pool->ready && pool->threads && pool->starts;
    if (!has_memory || create_locks(pool) != GMC_OK) {
        free_memory(pool);
        return GMC_E_MEMORY;
    }
    for (int i = 0; i < slot_count; i++)
        pool->idle[pool->idle_count++] = &pool->items[i];

    gmc_status status = start_threads(pool, worker_count);
    if (status != GMC_OK) {
        (void)gmc_pool_end(pool); // the thread that is missing is the failure to report
        return status;
    }
    *out = pool;
    return GMC_OK;
}

int gmc_pool_workers(const gmc_pool *pool) { return pool->thread_count; }

/// `seconds` from now on the monotonic clock.
static struct timespec deadline(double seconds)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    long whole = (long)seconds;
    at.tv_sec += whole;
    at.tv_nsec += (long)((seconds - (double)whole) * 1e9);
    if (at.tv_nsec >= 1000000000L) {
        at.tv_sec++;
        at.tv_nsec -= 1000000000L;
    }
    return at;
}

void gmc_pool_next(gmc_pool *pool, double timeout_s, gmc_pool_item **item, bool *is_over)
{
    struct timespec until = deadline(timeout_s);
    *item = NULL;
    pthread_mutex_lock(&pool->lock);
    while (pool->ready_count == 0 && pool->running > 0)
        if (pthread_cond_timedwait(&pool->item_ready, &pool->lock, &until) != 0) break;
    if (pool->ready_count > 0) {
        *item = pool->ready[pool->ready_first];
        pool->ready_first = (pool->ready_first + 1) % pool->slot_count;
        pool->ready_count--;
    }
    *is_over = !*item && pool->running == 0;
    pthread_mutex_unlock(&pool->lock);
}

void gmc_pool_release(gmc_pool *pool, gmc_pool_item *item)
{
    pthread_mutex_lock(&pool->lock);
    pool->idle[pool->idle_count++] = item;
    pthread_cond_signal(&pool->slot_free);
    pthread_mutex_unlock(&pool->lock);
}

gmc_status gmc_pool_end(gmc_pool *pool)
{
    if (!pool) return GMC_OK;
    pthread_mutex_lock(&pool->lock);
    bool is_running = pool->running > 0;
    pool->is_abandoned = true;
    pthread_cond_broadcast(&pool->slot_free);
    pthread_mutex_unlock(&pool->lock);
    if (is_running) atomic_store(pool->stop, true);

    for (int i = 0; i < pool->thread_count; i++)
        pthread_join(pool->threads[i], NULL);
    gmc_status status = pool->status;
    pthread_cond_destroy(&pool->item_ready);
    pthread_cond_destroy(&pool->slot_free);
    pthread_mutex_destroy(&pool->lock);
    free_memory(pool);
    return status;
}

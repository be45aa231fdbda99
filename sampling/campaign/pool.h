/// Worker threads that run numbered trials one by one and hand the finished ones to a single reader
/// through a bounded queue: memory is flat however many trials there are, and a reader that waits
/// for a disk makes the workers wait, not the queue grow.
///
///   ticket counter ──▶ worker 0 … worker N-1 ──▶ slots (bounded) ──▶ gmc_pool_next, one thread
///
/// Trial numbers are handed out in rising order; trials finish in any order. A trial depends on its
/// number alone, never on the worker, so that the thread count cannot show in the results.
#ifndef GMC_SAMPLING_CAMPAIGN_POOL_H
#define GMC_SAMPLING_CAMPAIGN_POOL_H

#include "sampling/campaign/trial.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/// A clock that only goes forward, whatever is done to the time of day [s].
double gmc_pool_clock_s(void);

/// What the workers do, as functions: the pool knows neither scenario nor engine.
typedef struct gmc_job {
    void *context;    ///< shared by all workers; they must not change it without own locks
    int column_count; ///< length of every trial's values
    int sample_count; ///< length of every trial's samples
    /// NULL: trials are numbered as the pool counts them. Else number i of the pool is trial
    /// trials[i]; must outlive the pool
    const uint64_t *trials;

    /// Set up worker `index` (0 ... N-1); called on the worker's own thread.
    gmc_status (*worker_create)(void *context, int index, void **worker);

    /// Run one trial. A trial that cannot be solved is GMC_OK with outcome GMC_OUTCOME_UNSOLVED.
    /// @param stop    poll it every few steps; once true give up and return GMC_E_INTERRUPTED
    /// @param result  out: owned by the worker, valid until its next run
    /// @return GMC_OK; GMC_E_INTERRUPTED: the trial was abandoned and leaves no trace; anything
    ///         else ends the whole campaign with that status
    gmc_status (*run)(void *worker, uint64_t trial, const atomic_bool *stop,
                      const gmc_trial **result);

    /// Undo worker_create, on the same thread.
    void (*worker_free)(void *worker);
} gmc_job;

typedef struct gmc_pool gmc_pool;

/// A finished trial on its way to the sink.
typedef struct gmc_pool_item {
    gmc_trial_copy copy;
    double seconds; ///< wall time the worker spent on it, for the run's log
} gmc_pool_item;

/// Trials that are not to be run.
typedef struct gmc_pool_skip {
    unsigned char *bits; ///< bit i % 8 of byte i / 8 set: not trial first + i; not copied
    uint64_t count;      ///< trials that bits speak of: all others are run
} gmc_pool_skip;

/// What a pool is to run, and with how much.
typedef struct gmc_pool_options {
    int worker_count;   ///< threads, >= 1
    int slot_count;     ///< finished trials that may wait, >= 1
    uint64_t first;     ///< trial that comes first
    uint64_t count;     ///< trials [first, first + count)
    gmc_pool_skip skip; ///< those among them that are not run; its bits must outlive the pool
} gmc_pool_options;

/// Start the threads. Where the system gives fewer than wanted, these do the work.
/// @param job      copied; its context must outlive the pool
/// @param options  copied
/// @param stop     set by anyone (signal handler, reader) to end early; the pool sets it when a
///                 worker fails
/// @return GMC_OK, GMC_E_MEMORY, GMC_E_LIBRARY (not one thread could be started); *pool is NULL
///         unless GMC_OK
GMC_MUST_CHECK gmc_status gmc_pool_start(const gmc_job *job, const gmc_pool_options *options,
                                         atomic_bool *stop, gmc_pool **pool);

/// Threads that were started.
int gmc_pool_workers(const gmc_pool *pool);

/// Wait for a finished trial, at most `timeout_s`. Called by one thread.
/// @param item  out: valid until gmc_pool_release, NULL: none yet (or no more: see is_over)
/// @param is_over  out: every worker has ended and every item was taken
void gmc_pool_next(gmc_pool *pool, double timeout_s, gmc_pool_item **item, bool *is_over);

/// Give the slot of `item` back to the workers.
void gmc_pool_release(gmc_pool *pool, gmc_pool_item *item);

/// Set `stop`, drop what waits in the queue, wait for the threads, free everything. Accepts NULL.
/// @return GMC_OK, or the first failure of a worker (GMC_E_INTERRUPTED is none)
gmc_status gmc_pool_end(gmc_pool *pool);

#endif

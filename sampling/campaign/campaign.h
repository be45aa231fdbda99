/// The whole batch: run every trial of a range that the sink does not have yet, hand each to the
/// sink, say how it goes. The calling thread is the one writer; workers are threads of the pool.
#ifndef GMC_SAMPLING_CAMPAIGN_CAMPAIGN_H
#define GMC_SAMPLING_CAMPAIGN_CAMPAIGN_H

#include "sampling/campaign/pool.h"
#include "sampling/campaign/sink.h"

/// Trials counted by how they ended.
typedef struct gmc_campaign_counts {
    uint64_t successes; ///< GMC_OUTCOME_SUCCESS
    uint64_t failures;  ///< missed, violated, lost, unreachable
    uint64_t unsolved;  ///< GMC_OUTCOME_UNSOLVED
} gmc_campaign_counts;

/// State of the batch, for whoever shows it.
typedef struct gmc_campaign_progress {
    uint64_t done;  ///< trials that the sink has, those of earlier sessions included
    uint64_t fresh; ///< of them, run in this session
    uint64_t total;
    gmc_campaign_counts counts; ///< of all that are done
    double elapsed_s;           ///< wall time of this session
    double trial_sum_s;         ///< wall time that workers spent on fresh trials
    double trial_max_s;         ///< slowest fresh trial ...
    uint64_t slowest;           ///< ... and its number
    bool is_enough;             ///< it ended because of options->is_enough
    bool is_last;               ///< no call follows
} gmc_campaign_progress;

typedef struct gmc_campaign_options {
    uint64_t first, count;    ///< trials [first, first + count)
    int worker_count;         ///< >= 1
    int slot_count;           ///< finished trials that may wait for the sink; 0: four per worker
    double time_limit_s;      ///< wall time after which the campaign stops; 0: none
    double sync_every_s;      ///< between calls of sink->sync
    double report_every_s;    ///< between calls of `progress`
    bool abort_on_unsolved;   ///< the first unsolved trial ends the campaign with GMC_E_NO_SOLUTION
    gmc_campaign_counts kept; ///< how the trials that the sink has already ended
    /// Asked before the first trial and after every one that was put: true ends the campaign with
    /// GMC_OK. NULL: only the end of the range does.
    bool (*is_enough)(void *context);
    void *enough_context;
    /// Called once if fewer workers than asked for could be started, with their number: they do the
    /// work, if it is not 0. NULL: nobody asks.
    void (*is_short)(void *context, int started);
    void *is_short_context;
    /// Called from the thread that called gmc_campaign_run; NULL: nobody looks.
    void (*progress)(void *context, const gmc_campaign_progress *now);
    void *progress_context;
} gmc_campaign_options;

/// One worker, no limit, sync every 2 s, at most ten reports a second.
static inline gmc_campaign_options gmc_campaign_defaults(void)
{
    return (gmc_campaign_options){
        .worker_count = 1,
        .sync_every_s = 2.0,   // what a power cut may cost; a kill costs nothing
        .report_every_s = 0.1, // faster than the eye follows a number
    };
}

/// Run the batch. What was put is synced before this returns, unless the sink failed.
/// @param stop  may be set at any time from anywhere, signal handlers included: trials in flight
///              are abandoned, finished ones are put. Set by the campaign itself when it ends early
/// @param last  out: state at the end; may be NULL
/// @return GMC_OK: the sink has every trial of the range, or enough of them. GMC_E_INTERRUPTED:
///         stopped or out of time, some are missing. GMC_E_NO_SOLUTION (abort_on_unsolved).
///         GMC_E_MEMORY, GMC_E_LIBRARY (not one thread). Else the status of the sink or the job
///         function that failed
GMC_MUST_CHECK gmc_status gmc_campaign_run(const gmc_job *job, const gmc_sink *sink,
                                           const gmc_campaign_options *options, atomic_bool *stop,
                                           gmc_campaign_progress *last);

/// Add one trial to the counts.
void gmc_campaign_count(gmc_campaign_counts *counts, gmc_outcome outcome);

#endif

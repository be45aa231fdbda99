// The writer's loop: take a finished trial, put it, now and then sync and report. It wakes at least
// every WAKE_S so that a stop flag raised by a signal and the time limit are seen while trials are
// long.
#include "sampling/campaign/campaign.h"

#include "engine/base/check.h"

#include <stdlib.h>

/// Longest sleep of the writer [s]: a tenth of the second within which a stop must show.
static const double WAKE_S = 0.1;

typedef struct writer {
    const gmc_sink *sink;
    const gmc_campaign_options *options;
    atomic_bool *stop;
    gmc_campaign_progress now;
    double start_s, synced_s, reported_s;
} writer;
void gmc_campaign_count(gmc_campaign_counts *counts, gmc_outcome outcome)
{
    switch (outcome) {
    case GMC_OUTCOME_SUCCESS:
        counts->successes++;
        break;
    case GMC_OUTCOME_MISSED:
    case GMC_OUTCOME_VIOLATED:
    case GMC_OUTCOME_LOST:
    case GMC_OUTCOME_UNREACHABLE:
        counts->failures++;
        break;
    case GMC_OUTCOME_UNSOLVED:
        counts->unsolved++;
        break;
    case GMC_OUTCOME_COUNT:
        GMC_ASSERT(outcome != GMC_OUTCOME_COUNT);
        break;
    }
}

/// One bit per trial up to the last that the sink has already; none if it has none. Of what is yet
/// to come nothing takes memory or time here.
static gmc_status find_kept(const gmc_sink *sink, uint64_t first, uint64_t count,
                            gmc_pool_skip *skip, uint64_t *kept)
{
    unsigned char *bits = NULL;
    *kept = 0;
    uint64_t end = sink->end ? sink->end(sink->context) : first + count;
    skip->count = end > first && end - first < count ? end - first : end > first ? count : 0;
    for (uint64_t i = 0; i < skip->count; i++) {
        if (!sink->has(sink->context, first + i)) continue;
        if (!bits) bits = calloc((size_t)(skip->count / 8 + 1), 1);
        if (!bits) return GMC_E_MEMORY;
        bits[i / 8] |= (unsigned char)(1u << (i % 8));
        (*kept)++;
    }
    skip->bits = bits;
    if (!bits) skip->count = 0;
    return GMC_OK;
}

static void report(writer *w, bool is_last)
{
    double now_s = gmc_pool_clock_s();
    w->now.elapsed_s = now_s - w->start_s;
    w->now.is_last = is_last;
    if (!w->options->progress) return;
    if (!is_last && now_s - w->reported_s < w->options->report_every_s) return;
    w->options->progress(w->options->progress_context, &w->now);
    w->reported_s = now_s;
}

static gmc_status put(writer *w, const gmc_pool_item *item)
{
    const gmc_trial *trial = &item->copy.trial;
    GMC_TRY(w->sink->put(w->sink->context, trial));
    w->now.done++;
    w->now.fresh++;
    w->now.trial_sum_s += item->seconds;
    if (item->seconds > w->now.trial_max_s) {
        w->now.trial_max_s = item->seconds;
        w->now.slowest = trial->trial;
    }
    gmc_campaign_count(&w->now.counts, trial->outcome);
    if (w->options->abort_on_unsolved && trial->outcome == GMC_OUTCOME_UNSOLVED)
        return GMC_E_NO_SOLUTION;
    return GMC_OK;
}

static bool is_enough(writer *w)
{
    const gmc_campaign_options *o = w->options;
    w->now.is_enough = o->is_enough && o->is_enough(o->enough_context);
    return w->now.is_enough;
}

/// Until every worker has ended and the queue is empty, it is enough, or something fails.
static gmc_status drain(writer *w, gmc_pool *pool)
{
    double limit_s = w->options->time_limit_s;
    for (;;) {
        gmc_pool_item *item;
        bool is_over;
        gmc_pool_next(pool, WAKE_S, &item, &is_over);
        if (is_over) return GMC_OK;
        if (item) {
            gmc_status status = put(w, item);
            gmc_pool_release(pool, item);
            GMC_TRY(status);
            if (is_enough(w)) return GMC_OK;
        }
        double now_s = gmc_pool_clock_s();
        if (limit_s > 0.0 && now_s - w->start_s >= limit_s) atomic_store(w->stop, true);
        if (now_s - w->synced_s >= w->options->sync_every_s) {
            GMC_TRY(w->sink->sync(w->sink->context));
            w->synced_s = now_s;
        }
        report(w, false);
    }
}

gmc_status gmc_campaign_run(const gmc_job *job, const gmc_sink *sink,
                            const gmc_campaign_options *options, atomic_bool *stop,
                            gmc_campaign_progress *last)
{
    writer w = {.sink = sink, .options = options, .stop = stop};
    w.start_s = w.synced_s = gmc_pool_clock_s();
    w.now.total = options->count;
    w.now.counts = options->kept;

    gmc_pool_options trials = {.worker_count = options->worker_count,
                               .slot_count = options->slot_count > 0 ? options->slot_count
                                                                     : 4 * options->worker_count,
                               .first = options->first,
                               .count = options->count};
    gmc_status status = find_kept(sink, options->first, options->count, &trials.skip, &w.now.done);
    gmc_pool *pool = NULL;
    if (status == GMC_OK && w.now.done < w.now.total && !is_enough(&w)) {
        status = gmc_pool_start(job, &trials, stop, &pool);
        int started = status == GMC_OK ? gmc_pool_workers(pool) : 0;
        bool is_known = status == GMC_OK || status == GMC_E_LIBRARY;
        if (options->is_short && is_known && started < options->worker_count)
            options->is_short(options->is_short_context, started);
        if (status == GMC_OK) status = drain(&w, pool);
    }

    // a sink or job that failed says more than the stop that followed from it
    gmc_status worker_status = gmc_pool_end(pool);
    free(trials.skip.bits);
    bool is_sink_broken = status != GMC_OK && status != GMC_E_NO_SOLUTION;
    if (status == GMC_OK) status = worker_status;
    if (!is_sink_broken) {
        gmc_status synced = sink->sync(sink->context);
        if (status == GMC_OK) status = synced;
    }
    bool is_short = w.now.done < w.now.total && !w.now.is_enough;
    if (status == GMC_OK && is_short) status = GMC_E_INTERRUPTED;
    report(&w, true);
    if (last) *last = w.now;
    return status;
}

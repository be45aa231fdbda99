// A round is a campaign over the places 0 ... count - 1 of its list of trials. Between sink and
// campaign stand small functions that turn places into trial numbers and keep the plan informed.
#include "sampling/campaign/rounds.h"

typedef struct rounds {
    const gmc_job *job;
    const gmc_sink *sink;
    const gmc_campaign_options *options;
    const gmc_rounds_plan *plan;
    const uint64_t *trials;     ///< of the round
    gmc_campaign_progress past; ///< rounds before this one
} rounds;

// --- the sink ---

static gmc_status put(void *context, const gmc_trial *trial)
{
    const rounds *r = context;
    GMC_TRY(r->plan->put(r->plan->context, trial));
    return r->sink->put(r->sink->context, trial);
}

static bool has(void *context, uint64_t place)
{
    const rounds *r = context;
    return r->sink->has(r->sink->context, r->trials[place]);
}

static gmc_status sync_sink(void *context)
{
    const rounds *r = context;
    return r->sink->sync(r->sink->context);
}

// --- progress ---

/// What the rounds so far and this one come to.
static gmc_campaign_progress sum(const gmc_campaign_progress *past,
                                 const gmc_campaign_progress *now)
{
    gmc_campaign_progress all = *now;
    all.done += past->done;
    all.fresh += past->fresh;
    all.total += past->total;
    all.elapsed_s += past->elapsed_s;
    all.trial_sum_s += past->trial_sum_s;
    if (past->trial_max_s > now->trial_max_s) {
        all.trial_max_s = past->trial_max_s;
        all.slowest = past->slowest;
    }
    return all;
}

static void show(void *context, const gmc_campaign_progress *now)
{
    const rounds *r = context;
    gmc_campaign_progress all = sum(&r->past, now);
    all.is_last = false; // said once, by gmc_rounds_run
    r->options->progress(r->options->progress_context, &all);
}

static gmc_status run_round(rounds *r, const uint64_t *trials, uint64_t count, atomic_bool *stop)
{
    gmc_job job = *r->job;
    job.trials = trials;
    const gmc_sink sink = {.context = r, .put = put, .has = has, .sync = sync_sink};
    gmc_campaign_options options = *r->options;
    options.first = 0;
    options.count = count;
    options.kept = r->past.counts;
    options.is_enough = NULL; // the plan says what is enough
    if (options.time_limit_s > 0) {
        options.time_limit_s -= r->past.elapsed_s;
        if (options.time_limit_s <= 0) return GMC_E_INTERRUPTED;
    }
    options.progress = r->options->progress ? show : NULL;
    options.progress_context = r;
    r->trials = trials;
    gmc_campaign_progress now;
    gmc_status status = gmc_campaign_run(&job, &sink, &options, stop, &now);
    r->past = sum(&r->past, &now);
    return status;
}

gmc_status gmc_rounds_run(const gmc_job *job, const gmc_sink *sink, const gmc_rounds_plan *plan,
                          const gmc_campaign_options *options, atomic_bool *stop,
                          gmc_campaign_progress *last)
{
    rounds r = {.job = job, .sink = sink, .options = options, .plan = plan};
    r.past.counts = options->kept;
    const uint64_t *trials;
    uint64_t count = 0;
    gmc_status status = plan->next(plan->context, &trials, &count);
    while (status == GMC_OK && count > 0) {
        status = run_round(&r, trials, count, stop);
        if (status == GMC_OK) status = plan->next(plan->context, &trials, &count);
    }
    r.past.is_last = true;
    if (options->progress) options->progress(options->progress_context, &r.past);
    if (last) *last = r.past;
    return status;
}

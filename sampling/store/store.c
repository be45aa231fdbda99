#define _POSIX_C_SOURCE 200809L
#include "sampling/store/store.h"

#include "sampling/hdf5/file.h"
#include "sampling/store/beside.h"
#include "sampling/store/grow.h"
#include "sampling/store/journal.h"
#include "sampling/store/record.h"
#include "sampling/store/replace.h"
#include "sampling/store/result.h"
#include "sampling/store/writer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct gmc_store {
    const gmc_store_plan *plan;
    gmc_diagnostics *messages;
    char *path, *journal_path;
    gmc_journal *journal; ///< NULL: the result was complete already
    unsigned char *record;
    size_t capacity;
    gmc_writer_source source; ///< sums over what is in the journal
    gmc_store_found found;
    gmc_store_options options;
    gmc_trial_copy trial; ///< of the visit
    bool grows;           ///< the result that is there has the first draws of this run
};

static void count_trajectory(gmc_store *s, const gmc_trial_size *size)
{
    if (!size->has_trajectory) return;
    s->source.trajectory_count++;
    s->source.row_count += (uint64_t)size->shape.row_count;
    s->source.contact_count += (uint64_t)size->shape.contact_count;
}

// ---- sink ----

static gmc_status sink_put(void *context, const gmc_trial *trial)
{
    gmc_store *s = context;
    int columns = s->plan->column_count, samples = s->plan->parameter_count;
    size_t bytes = gmc_record_bytes(trial, columns, samples);
    if (bytes > s->capacity) {
        free(s->record);
        s->capacity = bytes + bytes / 4;
        s->record = malloc(s->capacity);
        if (!s->record) s->capacity = 0;
        if (!s->record) return GMC_E_MEMORY;
    }
    gmc_record_encode(trial, columns, samples, s->record);
    GMC_TRY(gmc_journal_append(s->journal, trial->trial, s->record, bytes, s->messages));
    gmc_trial_size size = gmc_trial_size_of(trial, columns, samples);
    count_trajectory(s, &size);
    return GMC_OK;
}

static bool sink_has(void *context, uint64_t trial)
{
    const gmc_store *s = context;
    return !s->journal || gmc_journal_has(s->journal, trial);
}

static uint64_t sink_end(void *context)
{
    const gmc_store *s = context;
    return s->journal ? gmc_journal_end(s->journal) : s->plan->first + s->plan->count;
}

static gmc_status sink_sync(void *context)
{
    gmc_store *s = context;
    return s->journal ? gmc_journal_sync(s->journal, s->messages) : GMC_OK;
}

gmc_sink gmc_store_sink(gmc_store *store)
{
    return (gmc_sink){
        .context = store, .put = sink_put, .has = sink_has, .end = sink_end, .sync = sink_sync};
}

// ---- opening ----

/// A trial of an earlier session.
static void note(gmc_store *s, const gmc_trial *trial)
{
    gmc_campaign_count(&s->found.counts, trial->outcome);
    s->found.kept++;
    if (s->options.seen) s->options.seen(s->options.seen_context, trial);
}

static gmc_status visit(void *context, uint64_t trial, const void *payload, size_t bytes)
{
    gmc_store *s = context;
    int columns = s->plan->column_count, samples = s->plan->parameter_count;
    gmc_status status = gmc_record_decode(payload, bytes, columns, samples, &s->trial);
    if (status == GMC_E_INPUT || (status == GMC_OK && s->trial.trial.trial != trial)) {
        gmc_source source = {.file = s->journal_path};
        gmc_diagnostics_add(
            s->messages, GMC_ERROR, GMC_E_INPUT, source, "run with --force to start anew",
            "the record of trial %llu does not fit this run", (unsigned long long)trial);
        return GMC_E_INPUT;
    }
    GMC_TRY(status);
    gmc_trial_size size = gmc_trial_size_of(&s->trial.trial, columns, samples);
    count_trajectory(s, &size);
    note(s, &s->trial.trial);
    return GMC_OK;
}

static bool exists(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0;
}

/// Is the result that is there the one this run would give? With --resume, after success.
static gmc_status check_result(gmc_store *s, bool has_journal)
{
    char difference[600];
    gmc_status status = gmc_result_matches(s->path, s->plan, difference, sizeof difference);
    s->found.is_complete = status == GMC_OK;
    if (status == GMC_OK || status == GMC_E_MEMORY) return status;
    if (!has_journal) GMC_TRY(gmc_grow_fits(s->path, s->plan, s->messages, &s->grows));
    if (s->grows) return GMC_OK;
    // with a journal beside it, it is the old result that a run with --force is about to replace
    if (has_journal) return GMC_OK;
    gmc_source source = {.file = s->path};
    if (status == GMC_E_IO) {
        gmc_diagnostics_add(s->messages, GMC_ERROR, status, source, NULL, "%s", difference);
        return status;
    }
    gmc_diagnostics_add(s->messages, GMC_ERROR, GMC_E_MISMATCH, source,
                        "--force replaces it, -o chooses another name",
                        "this is the result of another run, which this one does not continue: %s",
                        difference);
    return GMC_E_MISMATCH;
}

/// -n says how many trials the run is of, unless it is a part.
static uint64_t draw_trials(const gmc_store_plan *plan)
{
    bool is_whole = plan->first == 0 && plan->count == plan->total;
    return is_whole ? (uint64_t)plan->case_count : 0;
}

static gmc_status open_journal(gmc_store *s)
{
    char *identity = gmc_store_plan_identity(s->plan);
    if (!identity) return GMC_E_MEMORY;
    gmc_journal_mode mode = GMC_JOURNAL_NEW;
    switch (s->options.mode) {
    case GMC_STORE_NEW:
        mode = GMC_JOURNAL_NEW;
        break;
    case GMC_STORE_FORCE:
        mode = GMC_JOURNAL_FORCE;
        break;
    case GMC_STORE_RESUME:
        mode = GMC_JOURNAL_RESUME;
        break;
    }
    const gmc_journal_options options = {.path = s->journal_path,
                                         .identity = identity,
                                         .first = s->plan->first,
                                         .count = s->plan->count,
                                         .draw_trials = draw_trials(s->plan),
                                         .mode = mode,
                                         .visit = visit,
                                         .visit_context = s};
    gmc_status status = gmc_journal_open(&options, s->messages, &s->journal);
    free(identity);
    GMC_TRY(status);
    s->found.torn_bytes = gmc_journal_torn(s->journal);
    s->found.has_no_lock = gmc_journal_has_no_lock(s->journal);
    gmc_beside_clean(s->path, GMC_WRITER_MARK);
    return GMC_OK;
}

/// A trial of the result that this run goes on with.
static gmc_status take_over(void *context, const gmc_trial *trial)
{
    gmc_store *s = context;
    GMC_TRY(sink_put(s, trial));
    note(s, trial);
    return GMC_OK;
}

/// A trial of the result that this run completes.
static gmc_status take_known(void *context, const gmc_trial *trial)
{
    gmc_store *s = context;
    const gmc_store_options *o = &s->options;
    if (o->is_open(o->open_context, trial) || gmc_journal_has(s->journal, trial->trial))
        return GMC_OK;
    return take_over(s, trial);
}

static gmc_status take_trials(gmc_store *s)
{
    if (s->options.from)
        return gmc_grow_trials(s->options.from, s->plan, take_known, s, s->messages);
    return s->grows ? gmc_grow_trials(s->path, s->plan, take_over, s, s->messages) : GMC_OK;
}

static gmc_status open_output(gmc_store *s)
{
    GMC_TRY(gmc_store_plan_check(s->plan, s->messages));
    bool has_result = exists(s->path), has_journal = exists(s->journal_path);
    const gmc_store_options *o = &s->options;
    if (o->mode == GMC_STORE_FORCE)
        GMC_TRY(gmc_replace_result(s->path, o->inputs, o->input_count, s->messages));
    if (o->mode == GMC_STORE_NEW)
        GMC_TRY(gmc_replace_nothing(s->path, o->inputs, o->input_count, s->messages));
    struct stat info;
    bool is_there = false;
    if (stat(s->path, &info) == 0 && !S_ISREG(info.st_mode))
        return gmc_replace_file(s->path, NULL, 0, s->messages, &is_there);
    if (has_result && s->options.mode == GMC_STORE_RESUME) GMC_TRY(check_result(s, has_journal));
    if (s->found.is_complete && !has_journal) return GMC_OK;
    if (!s->found.is_complete) {
        GMC_TRY(open_journal(s));
        GMC_TRY(take_trials(s));
        if (s->grows) s->found.answered = s->found.kept;
        return GMC_OK;
    }

    // killed between putting the result in place and removing the journal: the result is whole
    GMC_TRY(open_journal(s));
    GMC_TRY(gmc_journal_remove(s->journal, s->messages));
    gmc_journal_close(s->journal);
    s->journal = NULL;
    return GMC_OK;
}

gmc_status gmc_store_open(const gmc_store_plan *plan, const gmc_store_options *options,
                          gmc_diagnostics *messages, gmc_store **out, gmc_store_found *found)
{
    *out = NULL;
    gmc_store *s = calloc(1, sizeof *s);
    if (!s) return GMC_E_MEMORY;
    s->plan = plan;
    s->messages = messages;
    s->options = *options;
    size_t bytes = strlen(options->path) + sizeof ".journal";
    s->path = strdup(options->path);
    s->journal_path = malloc(bytes);
    gmc_status status = s->path && s->journal_path ? GMC_OK : GMC_E_MEMORY;
    if (status == GMC_OK) {
        snprintf(s->journal_path, bytes, "%s.journal", options->path);
        status = open_output(s);
    }
    if (found) *found = s->found;
    if (status != GMC_OK) {
        gmc_store_close(s);
        return status;
    }
    *out = s;
    return GMC_OK;
}

// ---- end ----

static gmc_status read_journal(void *context, uint64_t trial, const unsigned char **record,
                               size_t *bytes, gmc_diagnostics *messages)
{
    gmc_store *s = context;
    gmc_status status = gmc_journal_read(s->journal, trial, record, bytes, messages);
    if (status == GMC_E_MISSING) {
        gmc_source source = {.file = s->journal_path};
        gmc_diagnostics_add(messages, GMC_ERROR, status, source, NULL, "trial %llu was not run",
                            (unsigned long long)trial);
    }
    return status;
}

static gmc_status add_sizes(gmc_store *s, uint64_t trial)
{
    const unsigned char *record;
    size_t bytes;
    GMC_TRY(read_journal(s, trial, &record, &bytes, s->messages));
    gmc_trial_size size;
    GMC_TRY(gmc_record_size(record, bytes, s->plan->column_count, s->plan->parameter_count, &size));
    count_trajectory(s, &size);
    return GMC_OK;
}

gmc_status gmc_store_shorten(gmc_store *s, uint64_t count)
{
    if (!s->journal) return GMC_OK;
    s->source.trajectory_count = s->source.row_count = s->source.contact_count = 0;
    for (uint64_t i = 0; i < count; i++)
        GMC_TRY(add_sizes(s, s->plan->first + i));
    return GMC_OK;
}

gmc_status gmc_store_finish(gmc_store *s, const atomic_bool *stop)
{
    if (!s->journal) return GMC_OK;
    gmc_writer_source source = s->source;
    source.context = s;
    source.read = read_journal;
    source.has = sink_has;
    source.progress = s->options.progress;
    source.progress_context = s->options.progress_context;
    source.trial_count = gmc_journal_count(s->journal);
    GMC_TRY(gmc_writer_write(s->plan, &source, s->path, stop, s->messages));
    return gmc_journal_remove(s->journal, s->messages);
}

void gmc_store_close(gmc_store *s)
{
    if (!s) return;
    gmc_journal_close(s->journal);
    gmc_trial_copy_free(&s->trial);
    free(s->record);
    free(s->path);
    free(s->journal_path);
    free(s);
}

// One output from start to end: on opening, what is there already is held against the plan (its
// text of identity, and its trials if it is a finished result with fewer); while the run goes on,
// trials go into the journal; at the end the writer asks for them in the order of their numbers.
#define _POSIX_C_SOURCE 200809L
#include "sampling/store/store.h"

#include "sampling/campaign/rollouts.h"
#include "sampling/store/beside.h"
#include "sampling/store/journal.h"
#include "sampling/store/record.h"
#include "sampling/store/replace.h"
#include "sampling/store/result.h"
#include "sampling/store/version.h"
#include "sampling/store/writer.h"
#include "sampling/writing/fingerprint.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// ==== what two sessions of one run must agree on ================================================

/// A text that grows; once memory is missing it stays NULL.
typedef struct growing {
    char *text;
    size_t used, capacity;
    bool failed;
} growing;

static void add_bytes(growing *g, const char *from, size_t bytes)
{
    if (g->used + bytes + 1 > g->capacity && !g->failed) {
        size_t capacity = 2 * (g->used + bytes + 1);
        char *text = realloc(g->text, capacity);
        g->failed = !text;
        if (text) g->text = text;
        if (text) g->capacity = capacity;
    }
    if (g->failed) return;
    memcpy(g->text + g->used, from, bytes);
    g->used += bytes;
    g->text[g->used] = 0;
}

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
add(growing *g, const char *format, ...)
{
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    int bytes = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (bytes > 0) add_bytes(g, line, bytes < (int)sizeof line ? (size_t)bytes : sizeof line - 1);
}

static void add_indented(growing *g, const char *text)
{
    while (*text) {
        size_t bytes = strcspn(text, "\n");
        add_bytes(g, "  ", 2);
        add_bytes(g, text, bytes);
        add_bytes(g, "\n", 1);
        text += bytes + (text[bytes] == '\n');
    }
}

/// Which trials a part has follows from these.
static void add_part(growing *g, const gmc_store_plan *plan)
{
    const gmc_store_round *round = &plan->round;
    add(g, "round: %llu\n", (unsigned long long)round->number);
    add(g, "after: %s\n", *round->after ? round->after : "the start");
    add(g, "part: %d/%d\n", plan->shard, plan->shard_count);
    add(g, "part_trials: %llu\n", (unsigned long long)round->part_count);
}

char *gmc_store_plan_identity(const gmc_store_plan *plan)
{
    growing g = {0};
    add(&g, "program: %s %s\n", gmc_version_program(), gmc_version_commit());
    add(&g, "compiler: %s\n", gmc_version_compiler());
    add(&g, "flags: %s\n", gmc_version_flags());
    add(&g, "seed: %llu\n", (unsigned long long)plan->seed);
    add(&g, "design: %s\n", plan->design);
    add(&g, "trajectories: %s\n", plan->trajectories);
    add(&g, "rate: %.17g Hz\n", plan->rate_hz);
    add(&g, "cases: %d\n", plan->case_count);
    add(&g, "columns:\n");
    for (int i = 0; i < plan->column_count; i++)
        add(&g, "  - %s\n", plan->columns[i].name);
    add(&g, "parameters:\n");
    for (int i = 0; i < plan->parameter_count; i++)
        add(&g, "  - %s\n", plan->parameters[i].name);
    if (gmc_store_plan_is_part(plan)) add_part(&g, plan);
    if (plan->completed) {
        add(&g, "completes: %s\n", plan->completes);
        add(&g, "criteria:\n");
        add_indented(&g, plan->completed);
    }
    add(&g, "scenario:\n");
    if (plan->fingerprint) add_indented(&g, plan->fingerprint);
    add(&g, "scenario_digest: %s\n", plan->digest.hex); // last: the keys above say more
    if (!g.failed) return g.text;
    free(g.text);
    return NULL;
}

// ==== the store =================================================================================

// ---- a finished result gone on with ------------------------------------------------------------

// A finished result gone on with: the same run with more draws takes its trials over; and so does
// a ranking with a larger budget. Its rounds do not depend on the budget, but for the last one, in
// which each case has a share of what it would have: so what was run is asked for again.
//
// A file keeps the bodies, joints and geoms of all its models under their names, in one list each;
// a trial has those of its model. Pieces of a mesh share a name: any of them stands for all,
// because the file will know them by their name again.

/// Nothing is taken over from a file that changed since it was written.
static gmc_status verify_result(const char *path, gmc_diagnostics *messages)
{
    gmc_result *result;
    GMC_TRY(gmc_result_open(path, messages, &result));
    gmc_status status = gmc_result_verify(result);
    gmc_result_close(result);
    return status;
}

/// The plan that such a file was written by; `ranking` is room for its ranking.
static gmc_status plan_there(const gmc_store_plan *plan, const gmc_result_info *info,
                             gmc_ranking_plan *ranking, gmc_store_plan *there)
{
    *there = *plan;
    there->count = there->total = info->total;
    if (!plan->ranking) return GMC_OK;
    *ranking = *plan->ranking;
    ranking->budget = info->rank_budget;
    ranking->last = info->rank_last;
    there->ranking = ranking;
    there->round = info->round;
    char *text;
    GMC_TRY(
        gmc_fingerprint_with_budget(plan->fingerprint, info->rank_budget, info->rank_last, &text));
    there->digest = gmc_sha256_of(text, strlen(text));
    free(text);
    return GMC_OK;
}

/// Is there more to be had than the file can have?
static bool is_larger(const gmc_store_plan *plan, const gmc_result_info *info)
{
    if (plan->first > 0 || plan->count < plan->total || plan->stop.kind != GMC_STOP_NEVER)
        return false;
    if (!plan->ranking)
        return info->first == 0 && info->count == info->total && info->total < plan->total;
    bool is_ranking = info->rank[0] != 0 && !info->round.after; // no part of a round
    return is_ranking && !plan->round.is_open && info->rank_budget <= plan->ranking->budget &&
           info->rank_last <= plan->ranking->last;
}

/// Is the file at `path` the finished result of this plan with fewer draws, or of this ranking with
/// a smaller budget or not all of its rounds (shards.h)? A run that may stop by itself, a shard and
/// a part of the trials do not grow.
/// @param damage  takes what is wrong with a file that would fit
/// @return GMC_OK; GMC_E_INPUT: it fits, but its trials are not those it was written with
///         (reported); GMC_E_IO: the disk cannot be read (reported); GMC_E_MEMORY
static gmc_status result_grows(const char *path, const gmc_store_plan *plan,
                               gmc_diagnostics *damage, bool *fits)
{
    gmc_diagnostics messages = {0};
    gmc_result *result;
    *fits = false;
    char difference[600] = "it cannot be read";
    gmc_status status = gmc_result_open(path, &messages, &result);
    if (status == GMC_E_IO && messages.count > 0)
        snprintf(difference, sizeof difference, "%s", messages.items[0].message);
    if (status == GMC_OK) {
        const gmc_result_info *info = gmc_result_about(result);
        gmc_store_plan there;
        gmc_ranking_plan ranking;
        bool is_asked = is_larger(plan, info);
        if (is_asked) status = plan_there(plan, info, &ranking, &there);
        if (is_asked && status == GMC_OK)
            status = gmc_result_matches(path, &there, difference, sizeof difference);
        *fits = is_asked && status == GMC_OK;
    }
    gmc_result_close(result);
    gmc_diagnostics_free(&messages);
    if (*fits) return verify_result(path, damage);
    if (status == GMC_E_IO)
        gmc_diagnostics_add(damage, status, (gmc_source){.file = path}, NULL, "%s", difference);
    if (status == GMC_E_IO) return status;
    return status == GMC_E_MEMORY ? status : GMC_OK; // what cannot be read does not grow
}

/// Where each name of a model stands in the file's list, or the other way round; −1: nowhere.
static int *find_all(const char *const *names, int count, const char *const *among, int among_count)
{
    int *at = malloc(((size_t)count + 1) * sizeof *at);
    for (int i = 0; at && i < count; i++) {
        at[i] = -1;
        for (int k = 0; k < among_count && at[i] < 0; k++)
            if (strcmp(names[i], among[k]) == 0) at[i] = k;
    }
    return at;
}

typedef struct translation {
    int *bodies, *joints; ///< of the model: place in the file
    int *geoms;           ///< of the file: place in the model
} translation;

static gmc_status translation_create(const gmc_store_model *model, const gmc_store_model *file,
                                     translation *t)
{
    t->bodies = find_all(model->bodies, model->body_count, file->bodies, file->body_count);
    t->joints = find_all(model->joints, model->joint_count, file->joints, file->joint_count);
    t->geoms = find_all(file->geoms, file->geom_count, model->geoms, model->geom_count);
    return t->bodies && t->joints && t->geoms ? GMC_OK : GMC_E_MEMORY;
}

static void translation_free(translation *t)
{
    free(t->bodies);
    free(t->joints);
    free(t->geoms);
}

/// (rows, count, width) numbers of the model out of (rows, file_count, width) of the file.
/// @param at  (count) where they are in the file
static void pick(const gmc_trajectory *from, const gmc_trajectory_array *array, const int *at,
                 gmc_trajectory *to)
{
    bool is_of_joints = gmc_trajectory_is_of_joints(array);
    size_t file_count = (size_t)(is_of_joints ? from->joint_count : from->body_count);
    size_t count = (size_t)(is_of_joints ? to->joint_count : to->body_count);
    size_t rows = array->per == GMC_TRAJECTORY_BODY ? 1 : (size_t)from->row_count;
    size_t width = (size_t)array->width;
    const double *there = gmc_trajectory_numbers(from, array);
    double *here = gmc_trajectory_numbers(to, array);
    for (size_t r = 0; r < rows; r++)
        for (size_t i = 0; i < count; i++)
            memcpy(here + (r * count + i) * width, there + (r * file_count + (size_t)at[i]) * width,
                   width * sizeof *here);
}

/// A copy of `from` in the model's layout.
static gmc_status translate(const gmc_trial *from, const gmc_store_plan *plan,
                            const gmc_store_model *model, const translation *t, gmc_trial_copy *to)
{
    gmc_trajectory narrow = *from->trajectory; // the arrays that no model changes
    narrow.body_count = model->body_count;
    narrow.joint_count = model->joint_count;
    gmc_trial trial = *from;
    trial.trajectory = &narrow;
    GMC_TRY(gmc_trial_copy_set(to, &trial, plan->column_count, plan->parameter_count));

    gmc_trajectory_shape shape = gmc_trajectory_shape_of(&narrow);
    for (int i = 0; i < GMC_TRAJECTORY_ARRAY_COUNT; i++) {
        const gmc_trajectory_array *array = &gmc_trajectory_arrays[i];
        if (gmc_trajectory_is_of_body(array) && gmc_trajectory_count(array, &shape) > 0)
            pick(from->trajectory, array, t->bodies, &to->trajectory);
        else if (gmc_trajectory_is_of_joints(array) && gmc_trajectory_count(array, &shape) > 0)
            pick(from->trajectory, array, t->joints, &to->trajectory);
        int32_t *geoms = gmc_trajectory_numbers(&to->trajectory, array);
        size_t count = gmc_trajectory_count(array, &shape);
        for (size_t k = 0; array->kind == GMC_TRAJECTORY_GEOM && k < count; k++)
            geoms[k] = t->geoms[geoms[k]];
    }
    return GMC_OK;
}

static bool is_known(const gmc_trajectory *path, const gmc_store_model *file,
                     const gmc_store_model *model, const translation *t)
{
    for (int i = 0; i < model->body_count; i++)
        if (t->bodies[i] < 0) return false;
    for (int i = 0; i < model->joint_count; i++)
        if (t->joints[i] < 0) return false;
    uint32_t contacts = path->row_count > 0 ? path->contact_start[path->row_count] : 0;
    for (uint32_t i = 0; i < 2 * contacts; i++) {
        int32_t geom = path->contact_geoms[i];
        if (geom < 0 || geom >= file->geom_count || t->geoms[geom] < 0) return false;
    }
    return true;
}

/// Trials of a file of a ranking that another one asks for.
typedef struct wanted {
    gmc_ranking *ranking;
    uint64_t *trials; ///< (count) rising; first all of the file
    uint64_t count;
} wanted;

static gmc_status note_trial(void *context, const gmc_trial *trial)
{
    wanted *w = context;
    w->trials[w->count++] = trial->trial;
    return gmc_ranking_put(w->ranking, trial->trial, gmc_rollouts_verdict(trial));
}

static gmc_status find_wanted(gmc_result *result, const gmc_store_plan *plan, wanted *w)
{
    gmc_ranking_round open;
    w->trials = malloc(((size_t)gmc_result_about(result)->count + 1) * sizeof *w->trials);
    if (!w->trials) return GMC_E_MEMORY;
    gmc_status status = gmc_ranking_create(plan->ranking, &w->ranking);
    if (status == GMC_OK) status = gmc_result_trials(result, note_trial, w);
    if (status == GMC_OK) status = gmc_ranking_catch_up(w->ranking, &open);
    uint64_t kept = 0;
    for (uint64_t i = 0; i < w->count && status == GMC_OK; i++)
        if (gmc_ranking_asks(w->ranking, w->trials[i])) w->trials[kept++] = w->trials[i];
    w->count = kept;
    gmc_ranking_free(w->ranking);
    return status;
}

/// Hand out all trials of such a file as the plan's models have them; of a ranking those that this
/// one asks for.
/// @param visit  the trial is valid during the call; anything but GMC_OK ends the walk with that
///               status
/// @return as gmc_result_open and gmc_result_trial, or what `visit` returned
static gmc_status each_trial_there(const char *path, const gmc_store_plan *plan,
                                   gmc_status (*visit)(void *context, const gmc_trial *trial),
                                   void *context, gmc_diagnostics *messages)
{
    gmc_result *result = NULL;
    gmc_trial_copy stored = {0}, copy = {0};
    translation *all = calloc((size_t)plan->model_count + 1, sizeof *all);
    gmc_status status = all ? gmc_result_open(path, messages, &result) : GMC_E_MEMORY;
    const gmc_result_info *info = status == GMC_OK ? gmc_result_about(result) : NULL;
    for (int m = 0; m < plan->model_count && status == GMC_OK; m++)
        status = translation_create(&plan->models[m], &info->names, &all[m]);

    wanted all_wanted = {0};
    if (status == GMC_OK && plan->ranking) status = find_wanted(result, plan, &all_wanted);
    uint64_t count = plan->ranking ? all_wanted.count : info ? info->count : 0;
    for (uint64_t i = 0; status == GMC_OK && i < count; i++) {
        uint64_t number = plan->ranking ? all_wanted.trials[i] : info->first + i;
        status = gmc_result_trial(result, number, &stored);
        if (status != GMC_OK) break;
        const gmc_trial *trial = &stored.trial;
        if (trial->trajectory) {
            int m = plan->cases[trial->case_index].model;
            const translation *t = &all[m];
            bool is_made = t->bodies && t->joints && t->geoms; // all are
            // what is not known cannot be in a file of this plan; the trial is simply run again
            if (!is_made || !is_known(trial->trajectory, &info->names, &plan->models[m], t))
                continue;
            status = translate(trial, plan, &plan->models[m], t, &copy);
            trial = &copy.trial;
        }
        if (status == GMC_OK) status = visit(context, trial);
    }
    for (int m = 0; all && m < plan->model_count; m++)
        translation_free(&all[m]);
    free(all);
    free(all_wanted.trials);
    gmc_trial_copy_free(&stored);
    gmc_trial_copy_free(&copy);
    gmc_result_close(result);
    return status;
}

// ---- what it keeps -----------------------------------------------------------------------------

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

// ---- sink --------------------------------------------------------------------------------------

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
    return s->journal ? gmc_journal_about(s->journal).end : s->plan->first + s->plan->count;
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

// ---- opening -----------------------------------------------------------------------------------

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
        gmc_diagnostics_add(s->messages, GMC_E_INPUT, source, "run with --force to start anew",
                            "the record of trial %llu does not fit this run",
                            (unsigned long long)trial);
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
    if (!has_journal) GMC_TRY(result_grows(s->path, s->plan, s->messages, &s->grows));
    if (s->grows) return GMC_OK;
    // with a journal beside it, it is the old result that a run with --force is about to replace
    if (has_journal) return GMC_OK;
    gmc_source source = {.file = s->path};
    if (status == GMC_E_IO) {
        gmc_diagnostics_add(s->messages, status, source, NULL, "%s", difference);
        return status;
    }
    gmc_diagnostics_add(
        s->messages, GMC_E_MISMATCH, source, "--force replaces it, -o chooses another name",
        "this is the result of another run, which this one does not continue: %s", difference);
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
    const gmc_journal_options options = {.path = s->journal_path,
                                         .identity = identity,
                                         .first = s->plan->first,
                                         .count = s->plan->count,
                                         .draw_trials = draw_trials(s->plan),
                                         .mode = s->options.mode,
                                         .visit = visit,
                                         .visit_context = s};
    gmc_status status = gmc_journal_open(&options, s->messages, &s->journal);
    free(identity);
    GMC_TRY(status);
    s->found.torn_bytes = gmc_journal_about(s->journal).torn;
    s->found.has_no_lock = gmc_journal_about(s->journal).has_no_lock;
    gmc_beside_clean(s->path, GMC_WRITER_MARK, false);
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
        return each_trial_there(s->options.from, s->plan, take_known, s, s->messages);
    return s->grows ? each_trial_there(s->path, s->plan, take_over, s, s->messages) : GMC_OK;
}

static gmc_status open_output(gmc_store *s)
{
    GMC_TRY(gmc_store_plan_check(s->plan, s->messages));
    bool has_result = exists(s->path), has_journal = exists(s->journal_path);
    const gmc_store_options *o = &s->options;
    if (o->mode == GMC_JOURNAL_FORCE)
        GMC_TRY(gmc_replace_result(s->path, o->inputs, o->input_count, s->messages));
    if (o->mode == GMC_JOURNAL_NEW)
        GMC_TRY(gmc_replace_nothing(s->path, o->inputs, o->input_count, s->messages));
    struct stat info;
    bool is_there = false;
    if (stat(s->path, &info) == 0 && !S_ISREG(info.st_mode))
        return gmc_replace_file(s->path, NULL, 0, s->messages, &is_there);
    if (has_result && s->options.mode == GMC_JOURNAL_RESUME) GMC_TRY(check_result(s, has_journal));
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

// ---- end ---------------------------------------------------------------------------------------

static gmc_status read_journal(void *context, uint64_t trial, const unsigned char **record,
                               size_t *bytes, gmc_diagnostics *messages)
{
    gmc_store *s = context;
    gmc_status status = gmc_journal_read(s->journal, trial, record, bytes, messages);
    if (status == GMC_E_MISSING) {
        gmc_source source = {.file = s->journal_path};
        gmc_diagnostics_add(messages, status, source, NULL, "trial %llu was not run",
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
    source.trial_count = gmc_journal_about(s->journal).count;
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

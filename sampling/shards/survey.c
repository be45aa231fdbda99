#define _POSIX_C_SOURCE 200809L
#include "sampling/shards/survey.h"

#include "engine/base/list.h"
#include "sampling/hdf5/file.h"
#include "sampling/shards/shards.h"
#include "sampling/store/result.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char JOURNAL[] = ".journal";

// ---- which outputs ----

typedef struct path_list {
    char **paths;
    int count, capacity;
} path_list;

/// Takes `path` over.
static gmc_status add_path(path_list *list, char *path)
{
    char **paths =
        path ? gmc_list_room(list->paths, list->count, &list->capacity, sizeof *paths) : NULL;
    if (!paths) {
        free(path);
        return GMC_E_MEMORY;
    }
    list->paths = paths;
    list->paths[list->count++] = path;
    return GMC_OK;
}

static bool ends_with(const char *text, const char *end)
{
    size_t a = strlen(text), b = strlen(end);
    return a > b && strcmp(text + a - b, end) == 0;
}

static gmc_status add_folder(path_list *list, const char *folder, gmc_diagnostics *messages)
{
    DIR *dir = opendir(folder);
    if (!dir) return gmc_file_complain(messages, GMC_E_IO, folder, "cannot read", errno);
    gmc_status status = GMC_OK;
    for (struct dirent *entry; status == GMC_OK && (entry = readdir(dir));) {
        bool is_journal = ends_with(entry->d_name, ".h5.journal");
        if (!is_journal && !ends_with(entry->d_name, ".h5")) continue;
        size_t bytes = strlen(folder) + strlen(entry->d_name) + 2;
        char *path = malloc(bytes);
        if (path) snprintf(path, bytes, "%s/%s", folder, entry->d_name);
        if (path && is_journal) path[bytes - sizeof JOURNAL] = 0;
        status = add_path(list, path);
    }
    closedir(dir);
    return status;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static gmc_status collect(const char *const *paths, int count, path_list *list,
                          gmc_diagnostics *messages)
{
    gmc_status status = GMC_OK;
    for (int i = 0; i < count && status != GMC_E_MEMORY; i++) {
        struct stat info;
        bool is_folder = stat(paths[i], &info) == 0 && S_ISDIR(info.st_mode);
        gmc_status one =
            is_folder ? add_folder(list, paths[i], messages) : add_path(list, strdup(paths[i]));
        if (one != GMC_OK) status = one;
    }
    if (list->count > 0) qsort(list->paths, (size_t)list->count, sizeof *list->paths, by_name);
    int kept = 0;
    for (int i = 0; i < list->count; i++) { // a result and its journal are one output
        if (kept > 0 && strcmp(list->paths[kept - 1], list->paths[i]) == 0)
            free(list->paths[i]);
        else
            list->paths[kept++] = list->paths[i];
    }
    list->count = kept;
    return status;
}

// ---- one output ----

static gmc_status look_at_journal(const char *path, gmc_diagnostics *messages,
                                  gmc_survey_output *out)
{
    gmc_journal_look look;
    GMC_TRY(gmc_journal_look_at(path, messages, &look));
    out->state = look.is_running ? GMC_SURVEY_RUNNING : GMC_SURVEY_INTERRUPTED;
    out->first = look.first;
    out->count = look.count;
    out->done = look.done;
    out->seed = look.seed;
    out->is_open = look.part.count > 0;
    out->part = look.part;
    if (out->is_open) out->count = look.part_trials;
    out->is_chosen = look.is_chosen && !out->is_open;
    out->most = look.most;
    memcpy(out->digest, look.digest, sizeof out->digest);
    return GMC_OK;
}

static gmc_status look_at_result(const char *path, gmc_diagnostics *messages,
                                 gmc_survey_output *out)
{
    gmc_result *result;
    GMC_TRY(gmc_result_open(path, messages, &result));
    const gmc_result_info *info = gmc_result_about(result);
    out->state = GMC_SURVEY_COMPLETE;
    out->first = info->first;
    out->count = out->done = info->count;
    out->total = info->total;
    out->seed = info->seed;
    out->is_stopped = info->stop.kind != GMC_STOP_NEVER || info->is_sparse;
    out->kind = gmc_shards_kind(info);
    out->is_chosen = info->is_sparse && !info->round.is_open;
    bool has_budget = info->rank_budget > 0 && info->rank_budget < info->total;
    out->most = has_budget ? info->rank_budget : info->total;
    out->is_open = info->round.is_open;
    out->part.round = info->round.number;
    if (info->round.after) (void)gmc_journal_part_parse(info->shard, &out->part);
    snprintf(out->digest, sizeof out->digest, "%s", info->scenario_digest);
    gmc_result_close(result);
    return GMC_OK;
}

static gmc_status look_at(const char *path, gmc_diagnostics *messages, gmc_survey_output *out)
{
    size_t bytes = strlen(path) + sizeof JOURNAL;
    char *journal = malloc(bytes);
    if (!journal) return GMC_E_MEMORY;
    snprintf(journal, bytes, "%s%s", path, JOURNAL);
    struct stat info;
    // an empty journal holds nothing; what is no regular file is told to be none
    bool has_journal = stat(journal, &info) == 0 && (info.st_size > 0 || !S_ISREG(info.st_mode));
    gmc_status status =
        has_journal ? look_at_journal(journal, messages, out) : look_at_result(path, messages, out);
    free(journal);
    return status;
}

// ---- runs ----

static bool is_one_scenario(const gmc_survey_output *x, const gmc_survey_output *y)
{
    return x->seed == y->seed && strcmp(x->digest, y->digest) == 0;
}

/// Runs of one scenario and seed with other numbers of trials are not parts of each other. What
/// does not say how many it is of joins the shortest of them that has its trials; rounds of a
/// ranking, its end.
static void find_total(const gmc_survey *s, gmc_survey_output *o)
{
    o->of = o->is_open ? 0 : o->total;
    for (int i = 0; i < s->output_count && (o->is_open || o->total == 0); i++) {
        const gmc_survey_output *other = &s->outputs[i];
        bool has_trials = other->total > 0 && (o->is_open || other->total >= o->first + o->count);
        if (other->is_open || !has_trials || !is_one_scenario(o, other)) continue;
        if (o->of == 0 || other->total < o->of) o->of = other->total;
    }
}

static int by_run(const void *a, const void *b)
{
    const gmc_survey_output *x = a, *y = b;
    int digest = strcmp(x->digest, y->digest);
    if (digest != 0) return digest;
    if (x->seed != y->seed) return x->seed < y->seed ? -1 : 1;
    if (x->of != y->of) return x->of < y->of ? -1 : 1;
    if (x->first != y->first) return x->first < y->first ? -1 : 1;
    if (x->is_open != y->is_open) return x->is_open ? -1 : 1;
    if (x->part.round != y->part.round) return x->part.round < y->part.round ? -1 : 1;
    if (x->part.index != y->part.index) return x->part.index < y->part.index ? -1 : 1;
    return strcmp(x->path, y->path);
}

/// The outputs of a run, all of a ranking that is not finished: where does it stand?
static void find_round(gmc_survey *s, int r)
{
    gmc_survey_run *run = &s->runs[r];
    run->is_open = true;
    run->state = -1;
    for (int i = 0; i < s->output_count; i++) {
        const gmc_survey_output *o = &s->outputs[i];
        if (o->run != r) continue;
        run->is_open = run->is_open && o->is_open;
        if (o->part.round > run->round) run->round = o->part.round;
    }
    if (!run->is_open) return;
    run->total = 0;
    for (int i = 0; i < s->output_count; i++) {
        const gmc_survey_output *o = &s->outputs[i];
        if (o->run != r || o->part.round != run->round) continue;
        run->done += o->done;
        if (o->part.count == 0) run->state = i;
        if (o->part.count == 0) continue;
        run->part_count = o->part.count;
        run->parts_done += o->state == GMC_SURVEY_COMPLETE;
    }
}

static bool is_whole(const gmc_survey_output *o) { return o->state == GMC_SURVEY_COMPLETE; }

/// How many of the trials [first, end) stand in complete outputs of a run.
static uint64_t covered(const gmc_survey *s, int r, uint64_t first, uint64_t end)
{
    uint64_t sum = 0, next = first; // outputs come in the order of their trials
    for (int i = 0; i < s->output_count; i++) {
        const gmc_survey_output *o = &s->outputs[i];
        if (o->run != r || o->is_chosen || !is_whole(o)) continue;
        uint64_t from = o->first > next ? o->first : next, to = o->first + o->done;
        if (to > end) to = end;
        if (from >= to) continue;
        sum += to - from;
        next = to;
    }
    return sum;
}

/// Trials of a run that some output has. Which trials an unfinished one has nobody knows: of those
/// it counts as many as cannot stand in others.
static void count_done(gmc_survey *s, int r)
{
    gmc_survey_run *run = &s->runs[r];
    run->done = covered(s, r, 0, UINT64_MAX);
    uint64_t end = 0; // of what was counted of unfinished ones
    for (int i = 0; i < s->output_count; i++) {
        const gmc_survey_output *o = &s->outputs[i];
        if (o->run != r) continue;
        if (o->is_chosen) { // all of them choose the same trials, the one that is furthest most
            if (o->done > run->done) run->done = o->done;
            continue;
        }
        if (is_whole(o)) continue;
        uint64_t again = end > o->first ? end - o->first : 0;
        uint64_t elsewhere = covered(s, r, o->first, o->first + o->count);
        if (elsewhere > again) again = elsewhere;
        if (again < o->done) run->done += o->done - again;
        if (o->first + o->count > end) end = o->first + o->count;
    }
}

static gmc_status group(gmc_survey *s)
{
    s->runs = calloc((size_t)s->output_count + 1, sizeof *s->runs);
    if (!s->runs) return GMC_E_MEMORY;
    for (int i = 0; i < s->output_count; i++)
        find_total(s, &s->outputs[i]);
    if (s->output_count > 0) qsort(s->outputs, (size_t)s->output_count, sizeof *s->outputs, by_run);
    for (int i = 0; i < s->output_count; i++) {
        gmc_survey_output *o = &s->outputs[i];
        const gmc_survey_output *before = i > 0 ? o - 1 : NULL;
        gmc_survey_run *run = &s->runs[i > 0 ? s->run_count - 1 : 0];
        if (!before || !is_one_scenario(before, o) || before->of != o->of) {
            run = &s->runs[s->run_count++];
            *run = (gmc_survey_run){.digest = o->digest, .seed = o->seed};
        }
        o->run = s->run_count - 1;
        run->output_count++;
        uint64_t total = o->is_stopped ? o->first + o->count : o->total;
        if (total > run->total) run->total = total;
    }
    for (int r = 0; r < s->run_count; r++) {
        find_round(s, r);
        if (!s->runs[r].is_open) count_done(s, r);
    }
    return GMC_OK;
}

gmc_status gmc_survey_take(const char *const *paths, int count, gmc_diagnostics *messages,
                           gmc_survey *s)
{
    *s = (gmc_survey){0};
    path_list list = {0};
    gmc_status status = collect(paths, count, &list, messages);
    if (status != GMC_E_MEMORY) s->outputs = calloc((size_t)list.count + 1, sizeof *s->outputs);
    if (!s->outputs) status = GMC_E_MEMORY;
    for (int i = 0; i < list.count && status != GMC_E_MEMORY; i++) {
        gmc_survey_output *out = &s->outputs[s->output_count];
        gmc_status one = look_at(list.paths[i], messages, out);
        if (one != GMC_OK) status = one;
        if (one != GMC_OK) continue;
        out->path = list.paths[i];
        list.paths[i] = NULL;
        s->output_count++;
    }
    for (int i = 0; i < list.count; i++)
        free(list.paths[i]);
    free(list.paths);
    gmc_status grouped = status == GMC_E_MEMORY ? status : group(s);
    return status == GMC_OK ? grouped : status;
}

void gmc_survey_free(gmc_survey *s)
{
    for (int i = 0; i < s->output_count; i++)
        free(s->outputs[i].path);
    free(s->outputs);
    free(s->runs);
    *s = (gmc_survey){0};
}

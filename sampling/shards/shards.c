// Files are opened one after the other and checked: that they are of one run, and that each trial
// is there once. Of shards the trial's number tells its file; of the parts of a ranking's round a
// sorted table does, for its trials may stand anywhere.
#define _POSIX_C_SOURCE 200809L
#include "sampling/shards/shards.h"

#include "engine/base/list.h"
#include "sampling/campaign/rollouts.h"
#include "sampling/store/identity.h"
#include "sampling/store/journal.h"
#include "sampling/store/method.h"
#include "sampling/store/record.h"
#include "sampling/store/result.h"
#include "sampling/store/writer.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ==== a part of a ranking's round ====

// A ranking that many run together, round by round. A round is a list of trials that follows from
// the verdicts of the rounds before it, so whoever has the file of these knows the list; parts of
// it are run apart, and merging them with that file (shards.h) makes the file of one round more:
//
//   start ──▶ parts of round 0 ──merge──▶ rounds 0 ──▶ parts of round 1 ──merge──▶ ... ──▶ result
//
// A part names the file that it goes on after by its content digest: parts of other rounds, or
// after another file, are not taken for it. The last merge gives the bytes of a run in one go.

gmc_status gmc_round_part_stand(gmc_ranking *ranking, uint64_t count, gmc_ranking_round *open)
{
    GMC_TRY(gmc_ranking_catch_up(ranking, open));
    return gmc_ranking_trials(ranking) - open->count == count ? GMC_OK : GMC_E_MISMATCH;
}

static gmc_status refuse(gmc_diagnostics *messages, const char *path, const char *hint,
                         const char *what)
{
    gmc_diagnostics_add(messages, GMC_E_MISMATCH, (gmc_source){.file = path}, hint, "%s", what);
    return GMC_E_MISMATCH;
}

/// Is it a file of finished rounds of this very run?
static gmc_status check(const gmc_store_plan *plan, const gmc_result_info *info, const char *path,
                        gmc_diagnostics *messages)
{
    char text[640], difference[600];
    if (info->rank[0] == 0)
        return refuse(messages, path, "graspmc merge makes it of the parts of a round",
                      "this is no file of the rounds of a ranking");
    if (info->round.after) {
        snprintf(text, sizeof text, "this is part %.32s of round %" PRIu64 " alone", info->shard,
                 info->round.number);
        return refuse(messages, path, "graspmc merge puts it together with the others", text);
    }
    gmc_store_plan whole = *plan;
    whole.shard = whole.shard_count = 0;
    whole.round = info->round;
    gmc_status status = gmc_result_matches(path, &whole, difference, sizeof difference);
    if (status == GMC_E_MISMATCH) {
        // whatever else differs follows from the scenario
        (void)gmc_result_same_scenario(info, plan, difference, sizeof difference);
        snprintf(text, sizeof text, "this is another run's: %s", difference);
        return refuse(messages, path, NULL, text);
    }
    if (status == GMC_E_IO)
        gmc_diagnostics_add(messages, status, (gmc_source){.file = path}, NULL, "%s", difference);
    if (status == GMC_OK && !info->round.is_open)
        return refuse(messages, path, "graspmc rank shows it",
                      "this ranking is finished: no round is left to run");
    return status;
}

static gmc_status round_part_take_in(void *context, const gmc_trial *trial)
{
    return gmc_ranking_put(context, trial->trial, gmc_rollouts_verdict(trial));
}

/// The ranking after the rounds of a file.
static gmc_status replay(const gmc_store_plan *plan, const char *path, gmc_diagnostics *messages,
                         gmc_round_part *part)
{
    gmc_result *result;
    GMC_TRY(gmc_result_open(path, messages, &result));
    const gmc_result_info *info = gmc_result_about(result);
    gmc_ranking_round round;
    gmc_status status = check(plan, info, path, messages);
    if (status == GMC_OK) status = gmc_result_trials(result, round_part_take_in, part->ranking);
    if (status == GMC_OK) {
        status = gmc_round_part_stand(part->ranking, info->count, &round);
        bool is_right = status == GMC_OK && (uint64_t)round.round == info->round.number;
        if (status != GMC_E_MEMORY && !is_right)
            status = refuse(messages, path, NULL,
                            "its trials are not those of the rounds that it says it has");
    }
    if (status == GMC_OK) snprintf(part->after, sizeof part->after, "%s", info->content_digest);
    gmc_result_close(result);
    return status;
}

gmc_status gmc_round_part_open(const gmc_store_plan *plan, const char *after,
                               gmc_diagnostics *messages, gmc_round_part *part)
{
    *part = (gmc_round_part){0};
    gmc_ranking_round round;
    GMC_TRY(gmc_ranking_create(plan->ranking, &part->ranking));
    if (after)
        GMC_TRY(replay(plan, after, messages, part));
    else
        GMC_TRY(gmc_ranking_next(part->ranking, &round));
    round = gmc_ranking_open(part->ranking);
    // a round has at most GMC_RANKING_TRIALS_MAX trials: no overflow
    uint64_t parts = (uint64_t)plan->shard_count, before = (uint64_t)plan->shard - 1;
    uint64_t from = round.count * before / parts, to = round.count * (before + 1) / parts;
    part->trials = round.trials + from;
    part->count = to - from;
    part->round = (gmc_store_round){.is_open = true,
                                    .number = (uint64_t)round.round,
                                    .after = part->after,
                                    .part_count = part->count};
    return GMC_OK;
}
// ==== the files ====

/// One file, by what it holds.
typedef struct shard {
    char *path;
    uint64_t first, count;
    // of a ranking: where it stands, and what the file is
    bool is_open, is_part; ///< not finished; a part of the open round, not the rounds before it
    char after[65], content[65]; ///< digests: of the file before it, of its own trials
    gmc_journal_part which;      ///< its round; of a part: which of how many
} shard;

/// A trial of a ranking, which may stand anywhere.
typedef struct shard_trial {
    uint64_t trial; ///< first: they are put into its order
    uint32_t part;
    uint32_t verdict; ///< gmc_verdict
} shard_trial;

struct gmc_shards {
    gmc_diagnostics *messages;
    gmc_result *reference; ///< of the path that was given first
    shard *parts;          ///< (part_count) in the order of their trials
    int part_count;
    uint64_t trajectory_count, row_count, contact_count;

    shard_trial *trials; ///< (trial_count) of a ranking, rising once all files are looked at
    int trial_count, trial_capacity;

    /// Of parts[at]; NULL: none. Of a ranking the second is that of the rounds before, whose trials
    /// lie between those of the parts
    gmc_result *open[2];
    int at[2];
    gmc_trial_copy trial;
    unsigned char *record;
    size_t capacity;
};

static void complain(gmc_shards *s, const char *path, const char *hint, const char *difference)
{
    gmc_diagnostics_add(s->messages, GMC_E_MISMATCH, (gmc_source){.file = path}, hint, "%s",
                        difference);
}

// ---- the round of a ranking ----
//
// Rankings: parts of one round, merged with the file of the rounds before it. Their trials lie
// scattered over all numbers, so there is a list of them, sixteen bytes each; the journal of such a
// run takes as much.

enum { TEXT = 512 };

static gmc_status add_trial(void *context, const gmc_trial *trial)
{
    gmc_shards *s = context;
    if (s->trial_count == INT_MAX) return GMC_E_LIMIT;
    shard_trial *trials =
        gmc_list_room(s->trials, s->trial_count, &s->trial_capacity, sizeof *trials);
    if (!trials) return GMC_E_MEMORY;
    s->trials = trials;
    s->trials[s->trial_count++] = (shard_trial){.trial = trial->trial,
                                                .part = (uint32_t)(s->part_count - 1),
                                                .verdict = (uint32_t)gmc_rollouts_verdict(trial)};
    return GMC_OK;
}

static gmc_status take_rounds(gmc_shards *s, gmc_result *result, shard *part)
{
    const gmc_result_info *info = gmc_result_about(result);
    part->is_open = info->round.is_open;
    part->is_part = info->round.after != NULL;
    part->which.round = info->round.number;
    snprintf(part->content, sizeof part->content, "%s", info->content_digest);
    if (part->is_part) snprintf(part->after, sizeof part->after, "%s", info->round.after);
    if (part->is_part && !gmc_journal_part_parse(info->shard, &part->which))
        complain(s, part->path, NULL, "its attribute shard is damaged");
    return gmc_result_trials(result, add_trial, s);
}

/// The file of the rounds that are finished; NULL: none, or too many (reported).
static const shard *find_before(gmc_shards *s)
{
    const shard *before = NULL;
    char text[TEXT];
    for (int i = 0; i < s->part_count; i++) {
        const shard *p = &s->parts[i];
        if (!p->is_open)
            complain(s, p->path, NULL, "this ranking is finished: it is whole, no part");
        if (!p->is_open || p->is_part) continue;
        if (before) {
            snprintf(text, sizeof text, "this has rounds that are finished, and so has %.300s",
                     before->path);
            complain(s, p->path, "leave one of the two out", text);
        }
        before = p;
    }
    return before;
}

/// Does a part belong to the round that follows on a file?
static void check_place(gmc_shards *s, const shard *p, const shard *before, const shard *first)
{
    char text[TEXT];
    const char *other = before ? before->path : first->path;
    uint64_t round = before ? before->which.round : first->which.round;
    const char *after = before ? before->content : first->after;
    if (p->which.round != round)
        snprintf(text, sizeof text,
                 "this is a part of round %" PRIu64 ", but %.300s is %s round %" PRIu64,
                 p->which.round, other, before ? "followed by" : "one of", round);
    else if (strcmp(p->after, after) != 0)
        snprintf(text, sizeof text,
                 "this goes on after the content digest %.12s..., %.300s %s %.12s...", p->after,
                 other, before ? "has" : "after", after);
    else if (p->which.count != first->which.count)
        snprintf(text, sizeof text, "this is one of %" PRIu64 " parts, %.300s one of %" PRIu64,
                 p->which.count, first->path, first->which.count);
    else
        return;
    complain(s, p->path, "all parts of one round, each once", text);
}

static void complain_missing(gmc_shards *s, const shard *first, uint64_t from, uint64_t to)
{
    char text[TEXT];
    if (from == to)
        snprintf(text, sizeof text,
                 "part %" PRIu64 " of %" PRIu64 " of round %" PRIu64 " is missing", from,
                 first->which.count, first->which.round);
    else
        snprintf(text, sizeof text,
                 "parts %" PRIu64 " ... %" PRIu64 " of %" PRIu64 " of round %" PRIu64
                 " are missing",
                 from, to, first->which.count, first->which.round);
    complain(s, NULL, "run --shard of it, after the same file", text);
}

/// Is every part there, once?
static gmc_status check_all(gmc_shards *s, const shard *first)
{
    uint64_t count = first->which.count, missing = 0;
    int *seen = calloc((size_t)count + 1, sizeof *seen); // [place]: 1 + its file; [0] is not used
    if (!seen) return GMC_E_MEMORY;
    char text[TEXT];
    for (int i = 0; i < s->part_count; i++) {
        const shard *p = &s->parts[i];
        if (!p->is_part) continue;
        int *there = &seen[p->which.index];
        if (*there > 0) {
            snprintf(text, sizeof text, "part %" PRIu64 " of %" PRIu64 " is in %.300s too",
                     p->which.index, count, s->parts[*there - 1].path);
            complain(s, p->path, "leave one of the two out", text);
        }
        *there = i + 1;
    }
    for (uint64_t k = 1; k <= count + 1; k++) {
        bool is_there = k > count || seen[k] > 0;
        if (is_there && missing > 0) complain_missing(s, first, k - missing, k - 1);
        missing = is_there ? 0 : missing + 1;
    }
    free(seen);
    return GMC_OK;
}

static gmc_status check_round(gmc_shards *s)
{
    if (s->trial_count > 0)
        qsort(s->trials, (size_t)s->trial_count, sizeof *s->trials, gmc_trial_by_number);
    char text[TEXT];
    const shard *before = find_before(s), *first = NULL;
    for (int i = 0; i < s->part_count && !first; i++)
        if (s->parts[i].is_part) first = &s->parts[i];
    if (s->messages->error_count > 0) return GMC_OK;
    if (!first) {
        snprintf(text, sizeof text, "no part of round %" PRIu64 " is here", before->which.round);
        complain(s, before->path, "run --shard with --after this file", text);
        return GMC_OK;
    }
    if (!before && first->which.round > 0) {
        snprintf(text, sizeof text,
                 "this is a part of round %" PRIu64 "; the file of the rounds before, with the "
                 "content digest %.12s..., is missing",
                 first->which.round, first->after);
        complain(s, first->path, "merge takes the file named by --after too", text);
    }
    for (int i = 0; i < s->part_count; i++)
        if (s->parts[i].is_part) check_place(s, &s->parts[i], before, first);
    return s->messages->error_count > 0 ? GMC_OK : check_all(s, first);
}

static gmc_status find_round(gmc_shards *s, const gmc_ranking_plan *plan, gmc_store_round *round)
{
    *round = (gmc_store_round){0};
    gmc_ranking *ranking;
    gmc_ranking_round open;
    GMC_TRY(gmc_ranking_create(plan, &ranking));
    gmc_status status = GMC_OK;
    for (int i = 0; i < s->trial_count && status == GMC_OK; i++)
        status = gmc_ranking_put(ranking, s->trials[i].trial, (gmc_verdict)s->trials[i].verdict);
    if (status == GMC_OK) status = gmc_round_part_stand(ranking, (uint64_t)s->trial_count, &open);
    if (status == GMC_E_MISMATCH)
        complain(s, s->parts[0].path, NULL, "these trials are not those that the rounds ask for");
    if (status == GMC_OK && open.count > 0)
        *round = (gmc_store_round){.is_open = true, .number = (uint64_t)open.round};
    gmc_ranking_free(ranking);
    return status;
}

static int find_in_rounds(const gmc_shards *s, uint64_t trial)
{
    const shard_trial key = {.trial = trial};
    const shard_trial *found = s->trial_count > 0 ? bsearch(&key, s->trials, (size_t)s->trial_count,
                                                            sizeof *s->trials, gmc_trial_by_number)
                                                  : NULL;
    return found ? (int)found->part : -1;
}

// ---- one run? ----

enum { TEXTS = 8 };

/// What is the same in all files of a run; of TEXT_NAMES.
static void texts_of(const gmc_result_info *info, const char *texts[TEXTS])
{
    const char *all[TEXTS] = {info->program_version,
                              info->commit,
                              info->compiler,
                              info->flags,
                              info->libraries,
                              info->design,
                              info->completed[0] ? info->completed : "nothing",
                              info->trajectories};
    memcpy(texts, all, sizeof all);
}

static const char *const TEXT_NAMES[TEXTS] = {
    "the program's version", "the program's commit",
    "the compiler",          "the compiler's flags",
    "the libraries",         "the design",
    "what was completed",    "which trajectories are kept"};

gmc_digest gmc_shards_kind(const gmc_result_info *info)
{
    const char *texts[TEXTS];
    gmc_sha256 hash;
    texts_of(info, texts);
    gmc_sha256_start(&hash);
    for (int i = 0; i < TEXTS; i++)
        gmc_sha256_add(&hash, texts[i], strlen(texts[i]) + 1);
    gmc_sha256_add(&hash, &info->rate_hz, sizeof info->rate_hz);
    gmc_sha256_add(&hash, &info->total, sizeof info->total);
    return gmc_sha256_end(&hash);
}

/// The first thing in which two files of one run cannot differ, in words; false if there is none.
static bool differs(const gmc_result_info *there, const gmc_result_info *here, char *text,
                    size_t bytes)
{
    const struct {
        const char *name;
        uint64_t there, here;
    } NUMBERS[] = {{"the seed", there->seed, here->seed},
                   {"the number of trials of the whole run", there->total, here->total}};
    for (int i = 0; i < GMC_COUNT(NUMBERS); i++) {
        if (NUMBERS[i].there == NUMBERS[i].here) continue;
        snprintf(text, bytes, "%s is %" PRIu64 " here, %" PRIu64 " in the first file",
                 NUMBERS[i].name, NUMBERS[i].here, NUMBERS[i].there);
        return true;
    }
    if (gmc_identity_difference(there->expanded, here->expanded, NULL, text, bytes)) return true;
    if (!gmc_result_same_files(there->assets, there->asset_count, here->assets, here->asset_count,
                               text, bytes))
        return true;
    const char *first[TEXTS], *second[TEXTS];
    texts_of(there, first);
    texts_of(here, second);
    for (int i = 0; i < TEXTS; i++) {
        if (strcmp(first[i], second[i]) == 0) continue;
        snprintf(text, bytes, "%s is %s here, %s in the first file", TEXT_NAMES[i], second[i],
                 first[i]);
        return true;
    }
    if (strcmp(there->scenario_digest, here->scenario_digest) != 0) {
        snprintf(text, bytes, "the scenario's digest is %s here, %s in the first file",
                 here->scenario_digest, there->scenario_digest);
        return true;
    }
    if (here->rate_hz >= there->rate_hz && here->rate_hz <= there->rate_hz) return false;
    snprintf(text, bytes, "the rate is %g Hz here, %g Hz in the first file", here->rate_hz,
             there->rate_hz);
    return true;
}

static bool is_ranking(const gmc_result_info *info) { return info->rank[0] != 0; }

/// A file that is no part of anything says so.
static void check_part(gmc_shards *s, const char *path, const gmc_result_info *info)
{
    char text[96];
    const char *what = info->method->undivided;
    if (what) {
        snprintf(text, sizeof text, "%s is finished: it is whole, no part", what);
        complain(s, path, NULL, text);
    } else if (info->stop.kind != GMC_STOP_NEVER) {
        complain(s, path, "shards run without --until and --decide",
                 "this run could stop because of what it saw: it is whole, and no part");
    }
}

static gmc_status take_in(gmc_shards *s, const char *path)
{
    gmc_result *result;
    GMC_TRY(gmc_result_open(path, s->messages, &result));
    const gmc_result_info *info = gmc_result_about(result);
    char text[512];
    shard *p = &s->parts[s->part_count++];
    *p = (shard){.path = strdup(path), .first = info->first, .count = info->count};
    check_part(s, path, info);
    if (s->reference && differs(gmc_result_about(s->reference), info, text, sizeof text))
        complain(s, path, NULL, text);
    gmc_status status = !p->path           ? GMC_E_MEMORY
                        : is_ranking(info) ? take_rounds(s, result, p)
                                           : gmc_result_verify(result);
    s->trajectory_count += info->trajectory_count;
    s->row_count += info->row_count;
    s->contact_count += info->contact_count;
    if (s->reference)
        gmc_result_close(result);
    else
        s->reference = result;
    return status;
}

// ---- each trial once? ----

static int by_first(const void *a, const void *b)
{
    uint64_t x = ((const shard *)a)->first, y = ((const shard *)b)->first;
    return (x > y) - (x < y);
}

static void complain_gap(gmc_shards *s, uint64_t from, uint64_t to)
{
    char text[96];
    snprintf(text, sizeof text, "trials %" PRIu64 " ... %" PRIu64 " are missing", from, to - 1);
    complain(s, NULL, "run the shards that have them", text);
}

static void check_cover(gmc_shards *s)
{
    uint64_t next = 0, total = gmc_result_about(s->reference)->total;
    const shard *last = NULL;
    for (int i = 0; i < s->part_count; i++) {
        const shard *p = &s->parts[i];
        if (p->first > next) complain_gap(s, next, p->first);
        if (p->first < next) {
            char text[512];
            uint64_t end = p->first + p->count < next ? p->first + p->count : next;
            snprintf(text, sizeof text, "trials %" PRIu64 " ... %" PRIu64 " are in %.300s too",
                     p->first, end - 1, last->path);
            complain(s, p->path, "leave one of the two out", text);
        }
        if (p->first + p->count <= next) continue;
        next = p->first + p->count;
        last = p;
    }
    if (next < total) complain_gap(s, next, total);
}

static gmc_status check_whole(gmc_shards *s)
{
    if (is_ranking(gmc_result_about(s->reference))) return check_round(s);
    qsort(s->parts, (size_t)s->part_count, sizeof *s->parts, by_first);
    check_cover(s);
    return GMC_OK;
}

gmc_status gmc_shards_open(const char *const *paths, int count, gmc_diagnostics *messages,
                           gmc_shards **out)
{
    *out = NULL;
    gmc_shards *s = calloc(1, sizeof *s);
    if (!s) return GMC_E_MEMORY;
    s->messages = messages;
    s->parts = calloc((size_t)count + 1, sizeof *s->parts);
    gmc_status status = s->parts ? GMC_OK : GMC_E_MEMORY;
    for (int i = 0; i < count && status != GMC_E_MEMORY; i++) {
        gmc_status one = take_in(s, paths[i]); // the others are looked at all the same
        if (status == GMC_OK || one == GMC_E_MEMORY) status = one;
    }
    if (status == GMC_OK && messages->error_count == 0) // else nobody knows what there is to cover
        status = check_whole(s);
    if (status == GMC_OK && messages->error_count > 0) status = GMC_E_MISMATCH;
    if (status != GMC_OK) {
        gmc_shards_close(s);
        return status;
    }
    *out = s;
    return GMC_OK;
}

void gmc_shards_close(gmc_shards *s)
{
    if (!s) return;
    gmc_result_close(s->open[0]);
    gmc_result_close(s->open[1]);
    gmc_result_close(s->reference);
    free(s->trials);
    for (int i = 0; i < s->part_count; i++)
        free(s->parts[i].path);
    free(s->parts);
    gmc_trial_copy_free(&s->trial);
    free(s->record);
    free(s);
}

// ---- trials ----

/// The file that has a trial; −1: none has.
static int find(const gmc_shards *s, uint64_t trial)
{
    if (s->trials) return find_in_rounds(s, trial);
    for (int i = 0; i < s->part_count; i++) {
        const shard *p = &s->parts[i];
        if (trial >= p->first && trial - p->first < p->count) return i;
    }
    return -1;
}

static bool has(void *context, uint64_t trial) { return find(context, trial) >= 0; }

/// The file that has it, opened.
static gmc_status open_part(gmc_shards *s, uint64_t trial, gmc_result **result)
{
    int i = find(s, trial);
    if (i < 0) return GMC_E_MISSING;
    int slot = s->trials && !s->parts[i].is_part;
    if (!s->open[slot] || s->at[slot] != i) {
        gmc_result_close(s->open[slot]);
        s->open[slot] = NULL;
        s->at[slot] = i;
        GMC_TRY(gmc_result_open(s->parts[i].path, s->messages, &s->open[slot]));
    }
    *result = s->open[slot];
    return GMC_OK;
}

static gmc_status read_trial(void *context, uint64_t trial, const unsigned char **record,
                             size_t *bytes, gmc_diagnostics *messages)
{
    (void)messages; // ours are the same
    gmc_shards *s = context;
    gmc_result *result;
    GMC_TRY(open_part(s, trial, &result));
    GMC_TRY(gmc_result_trial(result, trial, &s->trial));
    const gmc_result_info *info = gmc_result_about(result);
    *bytes = gmc_record_bytes(&s->trial.trial, info->column_count, info->parameter_count);
    if (*bytes > s->capacity) {
        free(s->record);
        s->capacity = *bytes + *bytes / 4;
        s->record = malloc(s->capacity);
        if (!s->record) s->capacity = 0;
        if (!s->record) return GMC_E_MEMORY;
    }
    gmc_record_encode(&s->trial.trial, info->column_count, info->parameter_count, s->record);
    *record = s->record;
    return GMC_OK;
}

gmc_status gmc_shards_source(gmc_shards *s, const gmc_ranking_plan *plan, gmc_store_round *round,
                             gmc_writer_source *source)
{
    *source = (gmc_writer_source){.context = s,
                                  .read = read_trial,
                                  .has = has,
                                  .trial_count = (uint64_t)s->trial_count,
                                  .trajectory_count = s->trajectory_count,
                                  .row_count = s->row_count,
                                  .contact_count = s->contact_count};
    return plan ? find_round(s, plan, round) : GMC_OK;
}

#define _POSIX_C_SOURCE 200809L
#include "sampling/shards/shards_internal.h"
#include "sampling/store/identity.h"
#include "sampling/store/record.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void gmc_shards_complain(gmc_shards *s, const char *path, const char *hint, const char *difference)
{
    gmc_diagnostics_add(s->messages, GMC_ERROR, GMC_E_MISMATCH, (gmc_source){.file = path}, hint,
                        "%s", difference);
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

/// What chose its trials by what it saw, and is never run in parts; NULL: its trials are numbered
/// beforehand, or it is a ranking, whose rounds are.
static const char *undivided(const gmc_result_info *info)
{
    if (info->two_level[0]) return "this estimate of two levels";
    if (info->margin[0]) return "this subset simulation";
    return info->ladder[0] && !is_ranking(info) ? "this study of a ladder" : NULL;
}

/// A file that is no part of anything says so.
static void check_part(gmc_shards *s, const char *path, const gmc_result_info *info)
{
    char text[96];
    const char *what = undivided(info);
    if (what) {
        snprintf(text, sizeof text, "%s is finished: it is whole, no part", what);
        gmc_shards_complain(s, path, NULL, text);
    } else if (info->stop.kind != GMC_STOP_NEVER) {
        gmc_shards_complain(s, path, "shards run without --until and --decide",
                            "this run could stop because of what it saw: it is whole, and no part");
    }
}

static gmc_status take_in(gmc_shards *s, const char *path)
{
    gmc_result *result;
    GMC_TRY(gmc_result_open(path, s->messages, &result));
    const gmc_result_info *info = gmc_result_about(result);
    char text[512];
    gmc_shards_part *p = &s->parts[s->part_count++];
    *p = (gmc_shards_part){.path = strdup(path), .first = info->first, .count = info->count};
    check_part(s, path, info);
    if (s->reference && differs(gmc_result_about(s->reference), info, text, sizeof text))
        gmc_shards_complain(s, path, NULL, text);
    gmc_status status = !p->path           ? GMC_E_MEMORY
                        : is_ranking(info) ? gmc_shards_rounds_take(s, result, p)
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
    uint64_t x = ((const gmc_shards_part *)a)->first, y = ((const gmc_shards_part *)b)->first;
    return (x > y) - (x < y);
}

static void complain_gap(gmc_shards *s, uint64_t from, uint64_t to)
{
    char text[96];
    snprintf(text, sizeof text, "trials %" PRIu64 " ... %" PRIu64 " are missing", from, to - 1);
    gmc_shards_complain(s, NULL, "run the shards that have them", text);
}

static void check_cover(gmc_shards *s)
{
    uint64_t next = 0, total = gmc_result_about(s->reference)->total;
    const gmc_shards_part *last = NULL;
    for (int i = 0; i < s->part_count; i++) {
        const gmc_shards_part *p = &s->parts[i];
        if (p->first > next) complain_gap(s, next, p->first);
        if (p->first < next) {
            char text[512];
            uint64_t end = p->first + p->count < next ? p->first + p->count : next;
            snprintf(text, sizeof text, "trials %" PRIu64 " ... %" PRIu64 " are in %.300s too",
                     p->first, end - 1, last->path);
            gmc_shards_complain(s, p->path, "leave one of the two out", text);
        }
        if (p->first + p->count <= next) continue;
        next = p->first + p->count;
        last = p;
    }
    if (next < total) complain_gap(s, next, total);
}

static gmc_status check_whole(gmc_shards *s)
{
    if (is_ranking(gmc_result_about(s->reference))) return gmc_shards_rounds_check(s);
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

gmc_result *gmc_shards_reference(const gmc_shards *s) { return s->reference; }

// ---- trials ----

/// The file that has a trial; −1: none has.
static int find(const gmc_shards *s, uint64_t trial)
{
    if (s->trials) return gmc_shards_rounds_find(s, trial);
    for (int i = 0; i < s->part_count; i++) {
        const gmc_shards_part *p = &s->parts[i];
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

gmc_writer_source gmc_shards_source(gmc_shards *s)
{
    return (gmc_writer_source){.context = s,
                               .read = read_trial,
                               .has = has,
                               .trial_count = (uint64_t)s->trial_count,
                               .trajectory_count = s->trajectory_count,
                               .row_count = s->row_count,
                               .contact_count = s->contact_count};
}

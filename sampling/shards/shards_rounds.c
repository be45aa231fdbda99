// Rankings: parts of one round, merged with the file of the rounds before it. Their trials lie
// scattered over all numbers, so there is a list of them, sixteen bytes each; the journal of such a
// run takes as much.
#include "engine/base/list.h"
#include "sampling/campaign/rollouts.h"
#include "sampling/shards/relay.h"
#include "sampling/shards/shards_internal.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 512 };

// ---- files ----

static gmc_status add_trial(void *context, const gmc_trial *trial)
{
    gmc_shards *s = context;
    if (s->trial_count == INT_MAX) return GMC_E_LIMIT;
    gmc_shards_trial *trials =
        gmc_list_room(s->trials, s->trial_count, &s->trial_capacity, sizeof *trials);
    if (!trials) return GMC_E_MEMORY;
    s->trials = trials;
    s->trials[s->trial_count++] =
        (gmc_shards_trial){.trial = trial->trial,
                           .part = (uint32_t)(s->part_count - 1),
                           .verdict = (uint32_t)gmc_rollouts_verdict(trial)};
    return GMC_OK;
}

gmc_status gmc_shards_rounds_take(gmc_shards *s, gmc_result *result, gmc_shards_part *part)
{
    const gmc_result_info *info = gmc_result_about(result);
    part->is_open = info->round.is_open;
    part->is_part = info->round.after != NULL;
    part->which.round = info->round.number;
    snprintf(part->content, sizeof part->content, "%s", info->content_digest);
    if (part->is_part) snprintf(part->after, sizeof part->after, "%s", info->round.after);
    if (part->is_part && !gmc_journal_part_parse(info->shard, &part->which))
        gmc_shards_complain(s, part->path, NULL, "its attribute shard is damaged");
    return gmc_result_trials(result, add_trial, s);
}

// ---- one round? ----

/// The file of the rounds that are finished; NULL: none, or too many (reported).
static const gmc_shards_part *find_before(gmc_shards *s)
{
    const gmc_shards_part *before = NULL;
    char text[TEXT];
    for (int i = 0; i < s->part_count; i++) {
        const gmc_shards_part *p = &s->parts[i];
        if (!p->is_open)
            gmc_shards_complain(s, p->path, NULL, "this ranking is finished: it is whole, no part");
        if (!p->is_open || p->is_part) continue;
        if (before) {
            snprintf(text, sizeof text, "this has rounds that are finished, and so has %.300s",
                     before->path);
            gmc_shards_complain(s, p->path, "leave one of the two out", text);
        }
        before = p;
    }
    return before;
}

/// Does a part belong to the round that follows on a file?
static void check_part(gmc_shards *s, const gmc_shards_part *p, const gmc_shards_part *before,
                       const gmc_shards_part *first)
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
    gmc_shards_complain(s, p->path, "all parts of one round, each once", text);
}

static void complain_missing(gmc_shards *s, const gmc_shards_part *first, uint64_t from,
                             uint64_t to)
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
    gmc_shards_complain(s, NULL, "run --shard of it, after the same file", text);
}

/// Is every part there, once?
static gmc_status check_all(gmc_shards *s, const gmc_shards_part *first)
{
    uint64_t count = first->which.count, missing = 0;
    int *seen = calloc((size_t)count + 1, sizeof *seen); // [place]: 1 + its file; [0] is not used
    if (!seen) return GMC_E_MEMORY;
    char text[TEXT];
    for (int i = 0; i < s->part_count; i++) {
        const gmc_shards_part *p = &s->parts[i];
        if (!p->is_part) continue;
        int *there = &seen[p->which.index];
        if (*there > 0) {
            snprintf(text, sizeof text, "part %" PRIu64 " of %" PRIu64 " is in %.300s too",
                     p->which.index, count, s->parts[*there - 1].path);
            gmc_shards_complain(s, p->path, "leave one of the two out", text);
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

static int by_trial(const void *a, const void *b)
{
    const gmc_shards_trial *x = a, *y = b;
    return (x->trial > y->trial) - (x->trial < y->trial);
}

gmc_status gmc_shards_rounds_check(gmc_shards *s)
{
    if (s->trial_count > 0) qsort(s->trials, (size_t)s->trial_count, sizeof *s->trials, by_trial);
    char text[TEXT];
    const gmc_shards_part *before = find_before(s), *first = NULL;
    for (int i = 0; i < s->part_count && !first; i++)
        if (s->parts[i].is_part) first = &s->parts[i];
    if (s->messages->error_count > 0) return GMC_OK;
    if (!first) {
        snprintf(text, sizeof text, "no part of round %" PRIu64 " is here", before->which.round);
        gmc_shards_complain(s, before->path, "run --shard with --after this file", text);
        return GMC_OK;
    }
    if (!before && first->which.round > 0) {
        snprintf(text, sizeof text,
                 "this is a part of round %" PRIu64 "; the file of the rounds before, with the "
                 "content digest %.12s..., is missing",
                 first->which.round, first->after);
        gmc_shards_complain(s, first->path, "merge takes the file named by --after too", text);
    }
    for (int i = 0; i < s->part_count; i++)
        if (s->parts[i].is_part) check_part(s, &s->parts[i], before, first);
    return s->messages->error_count > 0 ? GMC_OK : check_all(s, first);
}

gmc_status gmc_shards_round(gmc_shards *s, const gmc_race_plan *plan, gmc_store_round *round)
{
    *round = (gmc_store_round){0};
    gmc_race *race;
    gmc_race_round open;
    GMC_TRY(gmc_race_create(plan, &race));
    gmc_status status = GMC_OK;
    for (int i = 0; i < s->trial_count && status == GMC_OK; i++)
        status = gmc_race_put(race, s->trials[i].trial, (gmc_verdict)s->trials[i].verdict);
    if (status == GMC_OK) status = gmc_relay_stand(race, (uint64_t)s->trial_count, &open);
    if (status == GMC_E_MISMATCH)
        gmc_shards_complain(s, s->parts[0].path, NULL,
                            "these trials are not those that the rounds ask for");
    if (status == GMC_OK && open.count > 0)
        *round = (gmc_store_round){.is_open = true, .number = (uint64_t)open.round};
    gmc_race_free(race);
    return status;
}

int gmc_shards_rounds_find(const gmc_shards *s, uint64_t trial)
{
    const gmc_shards_trial key = {.trial = trial};
    const gmc_shards_trial *found =
        s->trial_count > 0
            ? bsearch(&key, s->trials, (size_t)s->trial_count, sizeof *s->trials, by_trial)
            : NULL;
    return found ? (int)found->part : -1;
}

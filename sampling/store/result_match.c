// Is a finished file the result that a plan leads to? The first thing that differs is put into
// words.
#include "sampling/store/identity.h"
#include "sampling/store/result.h"
#include "sampling/store/version.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/// Compare one thing; the first difference is put into words.
static bool same_text(const char *name, const char *there, const char *here, char *text,
                      size_t bytes)
{
    if (strcmp(there, here) == 0) return true;
    snprintf(text, bytes, "%s is %s there, %s here", name, there, here);
    return false;
}

static bool same_number(const char *name, uint64_t there, uint64_t here, char *text, size_t bytes)
{
    if (there == here) return true;
    snprintf(text, bytes, "%s is %llu there, %llu here", name, (unsigned long long)there,
             (unsigned long long)here);
    return false;
}

/// A run that could stop for the same reason has the trials that it came to; any other the range's.
static bool same_count(const gmc_result_info *info, const gmc_store_plan *plan, char *text,
                       size_t bytes)
{
    // of a ladder or a race the scenario says how many, and its digest is compared
    if (gmc_store_plan_is_sparse(plan) && info->is_sparse) return true;
    char there[GMC_STOP_TEXT_MAX], here[GMC_STOP_TEXT_MAX];
    gmc_stop_text(info->stop, there);
    gmc_stop_text(plan->stop, here);
    if (!same_text("stop rule", *there ? there : "none", *here ? here : "none", text, bytes))
        return false;
    if (*here && info->stop_level > 0 && info->stop_level != plan->stop_level) {
        snprintf(text, bytes, "the rule looked at %.10g %% intervals there, at %.10g %% ones here",
                 100 * info->stop_level, 100 * plan->stop_level);
        return false;
    }
    return (*here && info->count < plan->count) ||
           same_number("number of trials", info->count, plan->count, text, bytes);
}

/// Where a ranking stands, in words.
static const char *round_text(const gmc_store_round *round, char text[128])
{
    if (!round->is_open)
        snprintf(text, 128, "finished");
    else if (!round->after)
        snprintf(text, 128, "open, round %" PRIu64 " is next", round->number);
    else
        snprintf(text, 128, "part of round %" PRIu64 " after %.12s", round->number,
                 *round->after ? round->after : "nothing");
    return text;
}

static bool same_round(const gmc_result_info *info, const gmc_store_plan *plan, char *text,
                       size_t bytes)
{
    char there[128], here[128];
    return same_text("the ranking", round_text(&info->round, there), round_text(&plan->round, here),
                     text, bytes);
}

/// Of a ranking, whose digest says no more than that something differs.
static bool same_budget(const gmc_result_info *info, const gmc_store_plan *plan, char *text,
                        size_t bytes)
{
    return !plan->race || info->rank[0] == 0 || info->round.after ||
           same_number("the budget", info->rank_budget, plan->race->budget, text, bytes);
}

/// The file of a name that both have, or that one lacks.
static bool same_file(const gmc_asset *there, const gmc_asset *here, char *text, size_t bytes)
{
    if (there && here && strcmp(there->digest.hex, here->digest.hex) == 0) return true;
    snprintf(text, bytes, "the file %.300s is %.12s there, %.12s here",
             there ? there->name : here->name, there ? there->digest.hex : "missing",
             here ? here->digest.hex : "missing");
    return false;
}

static const gmc_asset *find_file(const gmc_asset *files, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (!files[i].is_scenario && strcmp(files[i].name, name) == 0) return &files[i];
    return NULL;
}

bool gmc_result_same_files(const gmc_asset *there, int there_count, const gmc_asset *here,
                           int here_count, char *text, size_t bytes)
{
    for (int i = 0; i < here_count; i++) {
        const gmc_asset *other = find_file(there, there_count, here[i].name);
        if (!here[i].is_scenario && !same_file(other, &here[i], text, bytes)) return false;
    }
    for (int i = 0; i < there_count; i++)
        if (!there[i].is_scenario && !find_file(here, here_count, there[i].name))
            return same_file(&there[i], NULL, text, bytes);
    return true;
}

bool gmc_result_same_scenario(const gmc_result_info *info, const gmc_store_plan *plan, char *text,
                              size_t bytes)
{
    // these may differ in one run, and are seldom what a digest differs by
    static const char *const ASIDE[] = {"about", "output", "sampling.draws", "study.draws", NULL};
    if (strcmp(info->scenario_digest, plan->digest.hex) == 0) return true;
    if (gmc_identity_difference(info->expanded, plan->expanded, ASIDE, text, bytes) ||
        !gmc_result_same_files(info->assets, info->asset_count, plan->assets, plan->asset_count,
                               text, bytes) ||
        gmc_identity_difference(info->expanded, plan->expanded, NULL, text, bytes))
        return false;
    return same_text("scenario_digest", info->scenario_digest, plan->digest.hex, text, bytes);
}

/// Rows of trials that were completed are others than the run's.
static bool same_rows(const gmc_result_info *info, const gmc_store_plan *plan, char *text,
                      size_t bytes)
{
    const char *there = info->completed, *here = plan->completed ? plan->completed : "";
    return same_text("what was completed", *there ? there : "nothing", *here ? here : "nothing",
                     text, bytes);
}

static bool matches(const gmc_result_info *info, const gmc_store_plan *plan, char *text,
                    size_t bytes)
{
    char shard[32] = "";
    if (plan->shard_count > 0)
        snprintf(shard, sizeof shard, "%d/%d", plan->shard, plan->shard_count);
    if (!(info->rate_hz >= plan->rate_hz && info->rate_hz <= plan->rate_hz)) {
        snprintf(text, bytes, "rate is %g Hz there, %g Hz here", info->rate_hz, plan->rate_hz);
        return false;
    }
    return same_text("program", info->program_version, gmc_version_program(), text, bytes) &&
           same_text("commit", info->commit, gmc_version_commit(), text, bytes) &&
           same_text("compiler", info->compiler, gmc_version_compiler(), text, bytes) &&
           same_text("flags", info->flags, gmc_version_flags(), text, bytes) &&
           same_number("seed", info->seed, plan->seed, text, bytes) &&
           same_text("design", info->design, plan->design, text, bytes) &&
           same_budget(info, plan, text, bytes) &&
           gmc_result_same_scenario(info, plan, text, bytes) &&
           same_rows(info, plan, text, bytes) &&
           same_text("trajectories", info->trajectories, plan->trajectories, text, bytes) &&
           same_number("first trial", info->first, plan->first, text, bytes) &&
           same_count(info, plan, text, bytes) && same_round(info, plan, text, bytes) &&
           same_number("total of trials", info->total, plan->total, text, bytes) &&
           same_text("shard", info->shard, shard, text, bytes);
}

gmc_status gmc_result_matches(const char *path, const gmc_store_plan *plan, char *difference,
                              size_t bytes)
{
    gmc_diagnostics messages = {0};
    gmc_result *r;
    gmc_status status = gmc_result_open(path, &messages, &r);
    if (status == GMC_OK && !matches(gmc_result_about(r), plan, difference, bytes))
        status = GMC_E_MISMATCH;
    if (status != GMC_OK && status != GMC_E_MISMATCH && status != GMC_E_MEMORY) {
        snprintf(difference, bytes, "%s",
                 messages.count > 0 ? messages.items[0].message : "it cannot be read");
        if (status != GMC_E_IO) status = GMC_E_MISMATCH;
    }
    gmc_result_close(r);
    gmc_diagnostics_free(&messages);
    return status;
}

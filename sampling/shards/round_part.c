#include "sampling/shards/round_part.h"

#include "sampling/campaign/rollouts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

gmc_status gmc_round_part_stand(gmc_race *race, uint64_t count, gmc_race_round *open)
{
    GMC_TRY(gmc_race_catch_up(race, open));
    return gmc_race_trials(race) - open->count == count ? GMC_OK : GMC_E_MISMATCH;
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

static gmc_status take_in(void *context, const gmc_trial *trial)
{
    return gmc_race_put(context, trial->trial, gmc_rollouts_verdict(trial));
}

/// The race after the rounds of a file.
static gmc_status replay(const gmc_store_plan *plan, const char *path, gmc_diagnostics *messages,
                         gmc_round_part *part)
{
    gmc_result *result;
    GMC_TRY(gmc_result_open(path, messages, &result));
    const gmc_result_info *info = gmc_result_about(result);
    gmc_race_round round;
    gmc_status status = check(plan, info, path, messages);
    if (status == GMC_OK) status = gmc_result_trials(result, take_in, part->race);
    if (status == GMC_OK) {
        status = gmc_round_part_stand(part->race, info->count, &round);
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
    gmc_race_round round;
    GMC_TRY(gmc_race_create(plan->race, &part->race));
    if (after)
        GMC_TRY(replay(plan, after, messages, part));
    else
        GMC_TRY(gmc_race_next(part->race, &round));
    round = gmc_race_open(part->race);
    // a round has at most GMC_RACE_TRIALS_MAX trials: no overflow
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

void gmc_round_part_free(gmc_round_part *part)
{
    gmc_race_free(part->race);
    *part = (gmc_round_part){0};
}

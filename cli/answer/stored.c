#include "cli/answer/stored.h"

#include "cli/answer/cache.h"
#include "cli/process/terminal.h"

#include <string.h>

gmc_status gmc_stored_open(const char *path, gmc_stored *stored)
{
    *stored = (gmc_stored){.path = path};
    GMC_TRY(gmc_result_open(path, &stored->messages, &stored->result));
    stored->info = gmc_result_about(stored->result);
    const gmc_result_info *info = stored->info;
    gmc_diagnostics found = {0};
    gmc_cache cache;
    const gmc_pieces_cache *kept = gmc_cache_open(&cache, GMC_ARGS_PROGRESS_AUTO);
    gmc_embedded from = {.file = path,
                         .text = info->expanded,
                         .bytes = strlen(info->expanded),
                         .assets = info->assets,
                         .asset_count = info->asset_count};
    gmc_status status = gmc_prepare_embedded(&from, kept, &found, &stored->prepared);
    gmc_cache_close(&cache);
    if (status == GMC_OK) status = gmc_diagnostics_status(&found);
    // its warnings were given when it ran; its lines are not on disk
    for (int i = 0; i < found.count && status != GMC_OK; i++)
        if (found.items[i].severity == GMC_ERROR)
            gmc_diagnostics_add(&stored->messages, found.items[i].status,
                                (gmc_source){.file = path}, found.items[i].hint,
                                "line %d of the stored scenario: %s", found.items[i].source.line,
                                found.items[i].message);
    gmc_diagnostics_free(&found);
    return status;
}

gmc_status gmc_stored_describe(gmc_stored *stored, double level, gmc_description *description)
{
    const gmc_result_info *info = stored->info;
    gmc_describe_options options = {.first = info->first,
                                    .count = info->is_sparse ? info->total : info->count,
                                    .round = info->round,
                                    .level = level,
                                    .stop = info->stop,
                                    .stop_level = info->stop_level};
    return gmc_describe_run(&stored->prepared.scenario, stored->prepared.build, &options,
                            &stored->messages, description);
}
gmc_rollouts_choice gmc_stored_choice(const gmc_stored *stored, const gmc_trial *trial)
{
    return (gmc_rollouts_choice){
        .chance = gmc_stored_value(stored, trial, GMC_COLUMN_HALF_STEP_CHANCE),
        .is_repeated = gmc_stored_value(stored, trial, GMC_COLUMN_HALF_STEP) > 0,
        .look = gmc_stored_value(stored, trial, GMC_COLUMN_HALF_STEP)};
}

bool gmc_stored_is_completed(const gmc_stored *stored, const gmc_trial *trial)
{
    // a trial that no rule decides is the same with and without rules
    return stored->info->completed[0] &&
           !(gmc_stored_value(stored, trial, GMC_COLUMN_DECIDED_BY) > 0);
}

gmc_status gmc_stored_refuse(gmc_stored *stored, const char *option, const char *hint,
                             const char *message)
{
    gmc_diagnostics_add(&stored->messages, GMC_E_INPUT, (gmc_source){.file = stored->path}, hint,
                        "%s: %s", option, message);
    return GMC_E_INPUT;
}

gmc_status gmc_stored_refuse_chosen(gmc_stored *stored, const char *option)
{
    return gmc_stored_refuse(stored, option, "run it without  ladder, rank, subset or two_level",
                             "the run chose its trials by the results of earlier ones");
}

gmc_status gmc_stored_refuse_weighted(gmc_stored *stored, const char *option)
{
    return gmc_stored_refuse(
        stored, option, "run it without  importance",
        "importance sampling draws from other distributions than the scenario's");
}

void gmc_stored_close(gmc_stored *stored, const char *command, gmc_status status)
{
    gmc_terminal_messages(&stored->messages);
    if (status != GMC_OK && stored->messages.error_count == 0)
        gmc_terminal_print(stderr, "graspmc %s: %s\n", command, gmc_status_name(status));
    gmc_prepared_free(&stored->prepared);
    gmc_result_close(stored->result);
    gmc_diagnostics_free(&stored->messages);
}

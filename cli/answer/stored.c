#define _POSIX_C_SOURCE 200809L
#include "cli/answer/stored.h"

#include "cli/answer/cache.h"
#include "cli/process/terminal.h"
#include "sampling/campaign/foreign.h"

#include <stdlib.h>
#include <string.h>

/// A line of the stored scenario, allocated; NULL: there is none, or no memory.
static char *line_of(const gmc_stored *stored, int line)
{
    const char *at = stored->info->expanded;
    for (int i = 1; i < line && at; i++) {
        at = strchr(at, '\n');
        if (at) at++;
    }
    return line > 0 && at ? strndup(at, strcspn(at, "\n")) : NULL;
}

/// Tell mistakes of the stored scenario: its lines are not on disk, the result has them. Warnings
/// were given when it ran.
static void tell(gmc_stored *stored, const gmc_diagnostics *found)
{
    for (int i = 0; i < found->count; i++) {
        const gmc_diagnostic *item = &found->items[i];
        if (item->severity != GMC_ERROR) continue;
        char *line = line_of(stored, item->source.line);
        gmc_source source = {.file = stored->path, .text = line};
        if (line) source.column = item->source.column;
        if (line) source.length = item->source.length;
        gmc_diagnostics_add(&stored->messages, item->status, source, item->hint,
                            "line %d of the stored scenario: %s", item->source.line, item->message);
        free(line);
    }
}

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
    if (status != GMC_OK) tell(stored, &found);
    gmc_diagnostics_free(&found);
    return status;
}

gmc_status gmc_stored_allow(gmc_stored *stored, bool is_allowed)
{
    gmc_diagnostics found = {0};
    gmc_status status = gmc_foreign_allow(&stored->prepared.scenario, is_allowed, &found);
    tell(stored, &found);
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

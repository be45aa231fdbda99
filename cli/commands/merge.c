#define _POSIX_C_SOURCE 200809L
// graspmc merge: the shards of a run in, the result of the whole run out, with the same bytes as
// if it had never been sharded.
//
// The plan of the merged file comes from the scenario that every shard carries; its trials from the
// shards. What is printed is read back from the file.
#include "cli/answer/answer.h"
#include "cli/answer/progress.h"
#include "cli/answer/stored.h"
#include "cli/commands/commands.h"
#include "cli/process/signals.h"
#include "cli/process/terminal.h"
#include "sampling/shards/shards.h"
#include "sampling/store/replace.h"
#include "sampling/store/version.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct gmc_merging {
    const gmc_args *args;
    gmc_shards *shards;
    gmc_stored stored; ///< the first file and its scenario
    gmc_description description;
    gmc_store_case *cases; ///< of the plan, all of one model: the names of the files' trajectories
} gmc_merging;

/// Another build would write its own name into a file that holds this one's trials.
static gmc_status check_version(gmc_merging *m)
{
    const gmc_result_info *info = m->stored.info;
    if (strcmp(info->program_version, gmc_version_program()) == 0 &&
        strcmp(info->commit, gmc_version_commit()) == 0 &&
        strcmp(info->compiler, gmc_version_compiler()) == 0 &&
        strcmp(info->flags, gmc_version_flags()) == 0)
        return GMC_OK;
    gmc_diagnostics_add(
        &m->stored.messages, GMC_E_MISMATCH, (gmc_source){.file = m->args->inputs[0]},
        "merge with the program that ran the shards", "this was written by graspmc %s (%s, %s)",
        info->program_version, info->commit, info->compiler);
    return GMC_E_MISMATCH;
}

/// What is stored does not lead to the run that it says it is a part of.
static gmc_status refuse_stored(gmc_merging *m, const char *difference)
{
    gmc_diagnostics_add(&m->stored.messages, GMC_E_MISMATCH,
                        (gmc_source){.file = m->args->inputs[0]},
                        "what is called \"here\" is the stored scenario read again",
                        "the stored scenario is not that of its digest: %s", difference);
    return GMC_E_MISMATCH;
}

static gmc_status describe(gmc_merging *m)
{
    const gmc_result_info *info = m->stored.info;
    gmc_describe_options options = {.count = info->total, .level = m->args->level};
    GMC_TRY(gmc_describe_run(&m->stored.prepared.scenario, m->stored.prepared.build, &options,
                             &m->stored.messages, &m->description));
    gmc_store_plan *plan = &m->description.plan;
    char text[640];
    if (!gmc_result_same_scenario(info, plan, text, sizeof text)) return refuse_stored(m, text);
    if (plan->column_count != info->column_count || plan->parameter_count != info->parameter_count)
        return refuse_stored(m, "it has other columns than its scenario asks for");
    m->cases = malloc((size_t)plan->case_count * sizeof *m->cases);
    if (!m->cases) return GMC_E_MEMORY;
    for (int i = 0; i < plan->case_count; i++) {
        m->cases[i] = plan->cases[i];
        m->cases[i].model = 0;
    }
    plan->cases = m->cases;
    plan->models = &info->names;
    plan->model_count = 1;
    plan->text = info->text;
    plan->expanded = info->expanded;
    plan->completed = info->completed[0] ? info->completed : NULL;
    plan->assets = info->assets;
    plan->asset_count = info->asset_count;
    return GMC_OK;
}

static gmc_status refuse_existing(const gmc_merging *m, gmc_diagnostics *messages)
{
    const gmc_args *args = m->args;
    return args->force ? gmc_replace_result(args->out, args->inputs, args->input_count, messages)
                       : gmc_replace_nothing(args->out, args->inputs, args->input_count, messages);
}

gmc_exit gmc_merge_main(const gmc_args *args)
{
    atomic_bool *stop = gmc_signals_catch();
    gmc_merging m = {.args = args};
    gmc_diagnostics messages = {0}; // of the shards
    gmc_status status = refuse_existing(&m, &messages);
    if (status == GMC_OK)
        status = gmc_shards_open(args->inputs, args->input_count, &messages, &m.shards);
    if (status == GMC_OK) status = gmc_stored_open(args->inputs[0], &m.stored);
    if (status == GMC_OK) status = check_version(&m);
    if (status == GMC_OK) status = describe(&m);
    bool is_asked = args->stop.kind != GMC_STOP_NEVER, is_refused = false;
    if (status == GMC_OK && is_asked)
        is_refused = !gmc_answer_rule_fits(&m.description.plan, 0, args, args->inputs[0]);
    gmc_store_plan *plan = &m.description.plan;
    gmc_writer_source source;
    if (status == GMC_OK)
        status = gmc_shards_source(m.shards, plan->ranking, &plan->round, &source);
    gmc_answer_end end = {0};
    if (status == GMC_OK && !is_refused) {
        gmc_progress progress = gmc_progress_create(
            args->quiet ? GMC_ARGS_PROGRESS_NONE : GMC_ARGS_PROGRESS_AUTO, stderr, NULL);
        source.progress = gmc_progress_writing;
        source.progress_context = &progress;
        gmc_signals_hold();
        status = gmc_writer_write(&m.description.plan, &source, args->out, stop, &messages);
        gmc_progress_clear(&progress);
    }
    if (status == GMC_OK && !is_refused) {
        gmc_signals_release();
        status = gmc_answer_file(args->out, plan, &m.stored.prepared, args, &messages, &end);
    }

    bool is_told = messages.error_count > 0, is_ranking = m.shards && plan->ranking;
    bool is_open = plan->round.is_open; // rounds are left
    gmc_terminal_messages(&messages);
    gmc_diagnostics_free(&messages);
    gmc_description_free(&m.description);
    free(m.cases);
    gmc_stored_close(&m.stored, "merge", is_told ? GMC_OK : status);
    gmc_shards_close(m.shards);
    if (is_refused) return GMC_EXIT_USAGE;
    if (status == GMC_OK && is_open) return GMC_EXIT_INTERRUPTED;
    bool has_verdict = status == GMC_OK && (is_asked || is_ranking);
    if (status == GMC_OK && !has_verdict && end.is_undecided) return GMC_EXIT_UNDECIDED;
    return has_verdict ? gmc_exit_of_verdict(end.verdict) : gmc_exit_of(status);
}

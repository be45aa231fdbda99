// graspmc replay: one stored trial again, alone.
//
// The scenario, its files and the seed come out of the result; the trial's number says the rest. So
// a result is all that is needed to look at a trial again, next year and on another machine.
#include "cli/answer/overlaps.h"
#include "cli/answer/stored.h"
#include "cli/commands/commands.h"
#include "cli/commands/same.h"
#include "cli/new/shapes.h"
#include "cli/process/json.h"
#include "cli/process/signals.h"
#include "cli/process/terminal.h"
#include "sampling/build/margin.h"
#include "sampling/campaign/rollouts.h"
#include "sampling/design/subset.h"
#include "sampling/scenario/scenario.h"
#include "sampling/store/result.h"
#include "sampling/store/store.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// ---- a stage of subset simulation --------------------------------------------------------------
// Subset simulation gone through again from its stored trials, up to where a trial was run: only
// then is known where that trial is.

typedef struct reading {
    gmc_subset *subset;
    const gmc_scenario *scenario;
} reading;

static gmc_status take_in(void *context, const gmc_trial *trial)
{
    const reading *r = context;
    if (trial->trial >= gmc_subset_total(gmc_subset_about(r->subset))) return GMC_E_INPUT;
    gmc_subset_put(
        r->subset, trial->trial,
        gmc_margin_value(r->scenario->subset.code, trial->values, trial->samples, trial->outcome));
    return GMC_OK;
}

/// Open stages until one has the trial.
static gmc_status go_to(gmc_subset *subset, uint64_t trial)
{
    gmc_subset_stage stage;
    size_t width = (size_t)gmc_subset_about(subset)->dimensions;
    double *point = malloc(width * sizeof *point);
    gmc_status status = point ? gmc_subset_next(subset, &stage) : GMC_E_MEMORY;
    while (status == GMC_OK && stage.count > 0 && !gmc_subset_point(subset, trial, point))
        status = gmc_subset_next(subset, &stage);
    free(point);
    return status == GMC_OK && stage.count == 0 ? GMC_E_MISSING : status;
}

/// @param scenario  that of the result, prepared
/// @param trial     number of one of its trials
/// @param subset    out: with the stage of that trial open; gmc_subset_free. NULL for scenarios
///                  without subset simulation
/// @return GMC_OK; GMC_E_MISSING: there is no such trial, or one before it; as gmc_result_trials;
///         GMC_E_MEMORY, GMC_E_LIMIT
static gmc_status subset_replay_open(gmc_result *result, const gmc_scenario *scenario,
                                     uint64_t trial, gmc_subset **subset)
{
    *subset = NULL;
    if (!scenario->subset.is_given) return GMC_OK;
    if (gmc_result_about(result)->parameter_count != scenario->sampled_count) return GMC_E_MISMATCH;
    const gmc_subset_plan plan = gmc_rollouts_subset(scenario);
    GMC_TRY(gmc_subset_create(&plan, subset));
    reading r = {*subset, scenario};
    gmc_status status = gmc_result_trials(result, take_in, &r);
    if (status == GMC_OK) status = go_to(*subset, trial);
    if (status == GMC_OK) return GMC_OK;
    gmc_subset_free(*subset);
    *subset = NULL;
    return status;
}

// ---- one trial again ---------------------------------------------------------------------------

static gmc_same_report compare_trials(const gmc_result_info *info, const gmc_trial *stored,
                                      const gmc_trial *found)
{
    gmc_same_report report = {0};
    gmc_same_compare(&report, "draw", (double)stored->draw, (double)found->draw);
    gmc_same_compare(&report, "case", stored->case_index, found->case_index);
    for (int i = 0; i < info->parameter_count; i++)
        gmc_same_compare(&report, info->parameters[i].name, stored->samples[i], found->samples[i]);
    gmc_same_ends(&report, info->columns, info->column_count, stored, found);
    return report;
}

/// Keep the trial and its motion as a result of its own.
static gmc_status keep(const gmc_args *args, gmc_stored *stored, const gmc_trial *trial)
{
    gmc_describe_options options = {.first = trial->trial, .count = 1, .level = args->level};
    gmc_description description;
    gmc_store *store = NULL;
    gmc_status status = gmc_describe_run(&stored->prepared.scenario, stored->prepared.build,
                                         &options, &stored->messages, &description);
    if (status == GMC_OK) {
        gmc_store_options out = {.path = args->out,
                                 .mode = args->force ? GMC_JOURNAL_FORCE : GMC_JOURNAL_NEW,
                                 .inputs = args->inputs,
                                 .input_count = args->input_count};
        status = gmc_store_open(&description.plan, &out, &stored->messages, &store, NULL);
    }
    if (status == GMC_OK) {
        gmc_sink sink = gmc_store_sink(store);
        status = sink.put(sink.context, trial);
    }
    if (status == GMC_OK) status = gmc_store_finish(store, NULL);
    gmc_store_close(store);
    gmc_description_free(&description);
    return status;
}

/// What is told of a trial.
typedef struct gmc_replay_found {
    const gmc_trial *trial;
    gmc_same_report report;
    gmc_build_overlaps overlaps;
} gmc_replay_found;

/// Names of those that overlapped too much to start; empty for all other trials.
static gmc_status find_overlaps(void *worker, const gmc_trial *trial, gmc_build_overlaps *found)
{
    *found = (gmc_build_overlaps){0};
    if (trial->reason != GMC_REASON_DEEP_START) return GMC_OK;
    return gmc_rollouts_overlaps(worker, trial->trial, found);
}

static void print_text(const gmc_args *args, const gmc_replay_found *all)
{
    const gmc_trial *trial = all->trial;
    const gmc_same_report *report = &all->report;
    gmc_terminal_print(stdout, "trial %" PRIu64 ": %s", trial->trial,
                       gmc_outcome_name(trial->outcome));
    if (trial->reason != GMC_REASON_NONE)
        gmc_terminal_print(stdout, " (%s: %s)", gmc_reason_name(trial->reason),
                           gmc_reason_about(trial->reason));
    printf(" at %.6g s\n", trial->t_end);
    gmc_overlaps_print(&all->overlaps, stdout);
    if (report->count == 0)
        printf("identical: all %d stored numbers, bit for bit\n", report->compared);
    else
        printf("NOT identical: %d of %d stored numbers differ\n", report->count, report->compared);
    for (int i = 0; i < report->count && i < GMC_SAME_DIFFERENCES_MAX; i++)
        gmc_terminal_print(stdout, "  %-28s stored %.17g, now %.17g\n", report->items[i].name,
                           report->items[i].stored, report->items[i].found);
    if (args->out) gmc_terminal_print(stdout, "output %s\n", args->out);
}

/// @param model  NULL: without shapes
static void print_json(const gmc_args *args, const gmc_result_info *info,
                       const gmc_replay_found *found, const gmc_model *model)
{
    const gmc_trial *trial = found->trial;
    const gmc_same_report *report = &found->report;
    gmc_json json = {.out = stdout};
    gmc_json_open(&json, NULL, '{');
    gmc_json_whole(&json, "trial", trial->trial);
    gmc_json_whole(&json, "case", trial->case_index);
    gmc_json_whole(&json, "draw", trial->draw);
    gmc_json_text(&json, "outcome", gmc_outcome_name(trial->outcome));
    gmc_json_text(&json, "reason", gmc_reason_name(trial->reason));
    gmc_json_real(&json, "t_end", trial->t_end);
    gmc_overlaps_json(&found->overlaps, &json);
    gmc_json_flag(&json, "identical", report->count == 0);
    gmc_json_open(&json, "samples", '{');
    for (int i = 0; i < info->parameter_count; i++)
        gmc_json_real(&json, info->parameters[i].name, trial->samples[i]);
    gmc_json_close(&json, '}');
    gmc_json_open(&json, "measures", '{');
    for (int i = 0; i < info->column_count; i++)
        gmc_json_real(&json, info->columns[i].name, trial->values[i]);
    gmc_json_close(&json, '}');
    gmc_json_open(&json, "differences", '[');
    for (int i = 0; i < report->count && i < GMC_SAME_DIFFERENCES_MAX; i++) {
        gmc_json_open(&json, NULL, '{');
        gmc_json_text(&json, "name", report->items[i].name);
        gmc_json_real(&json, "stored", report->items[i].stored);
        gmc_json_real(&json, "now", report->items[i].found);
        gmc_json_close(&json, '}');
    }
    gmc_json_close(&json, ']');
    gmc_json_text(&json, "output", args->out);
    if (model) gmc_shapes_print(&json, model);
    gmc_json_close(&json, '}');
    fputc('\n', stdout);
}

static gmc_status answer_json(const gmc_args *args, const gmc_result_info *info, const gmc_job *job,
                              const gmc_replay_found *found)
{
    gmc_arena arena = {0};
    const gmc_model *model = NULL;
    gmc_status status = GMC_OK;
    if (args->shapes) status = gmc_rollouts_model(job->context, args->trial.value, &arena, &model);
    if (status == GMC_E_INPUT) status = GMC_OK; // a bad value: it never began, and has no shapes
    if (status == GMC_OK) print_json(args, info, found, model);
    gmc_arena_free(&arena);
    return status;
}

/// Run the trial and hold it against the stored one.
static gmc_status repeat(const gmc_args *args, gmc_stored *stored, const gmc_job *job, void *worker,
                         bool *is_identical)
{
    gmc_trial_copy kept = {0};
    gmc_subset *subset = NULL;
    gmc_status status = gmc_result_trial(stored->result, args->trial.value, &kept);
    if (status == GMC_OK)
        status = subset_replay_open(stored->result, &stored->prepared.scenario, args->trial.value,
                                    &subset);
    gmc_rollouts *rollouts = job->context;
    rollouts->points = gmc_rollouts_points_of(subset);
    rollouts->is_whole = status == GMC_OK && gmc_stored_is_completed(stored, &kept.trial);
    gmc_rollouts_choice choice = {0};
    if (status == GMC_OK) choice = gmc_stored_choice(stored, &kept.trial);
    rollouts->given = &choice;
    if (kept.trial.trajectory && kept.trial.trajectory->has_actions)
        rollouts->actions = kept.trial.trajectory;
    else if (status == GMC_OK)
        status = gmc_stored_allow(stored, args->allow_control);
    const gmc_trial *found = NULL;
    if (status == GMC_OK) status = job->run(worker, args->trial.value, gmc_signals_catch(), &found);
    if (status == GMC_OK && (job->column_count != stored->info->column_count ||
                             job->sample_count != stored->info->parameter_count)) {
        gmc_diagnostics_add(&stored->messages, GMC_E_MISMATCH, (gmc_source){.file = args->input},
                            NULL, "written by version %s, whose trials have other columns",
                            stored->info->program_version);
        status = GMC_E_MISMATCH;
    }
    if (status == GMC_OK) {
        gmc_replay_found all = {.trial = found,
                                .report = compare_trials(stored->info, &kept.trial, found)};
        *is_identical = all.report.count == 0;
        if (args->out) status = keep(args, stored, found);
        if (status == GMC_OK) status = find_overlaps(worker, found, &all.overlaps);
        if (status == GMC_OK && args->json)
            status = answer_json(args, stored->info, job, &all);
        else if (status == GMC_OK && !args->quiet)
            print_text(args, &all);
    }
    gmc_trial_copy_free(&kept);
    gmc_subset_free(subset);
    // a number that the file does not have is a wrong number, not a missing file
    return status == GMC_E_MISSING ? GMC_E_INPUT : status;
}

gmc_exit gmc_replay_main(const gmc_args *args)
{
    gmc_stored stored;
    bool is_identical = false;
    gmc_status status = gmc_stored_open(args->input, &stored);
    if (status == GMC_OK) {
        gmc_scenario *scenario = &stored.prepared.scenario;
        scenario->record = GMC_RECORD_ALL;
        scenario->parameters[scenario->rate].nominal = 0; // every step
        gmc_rollouts rollouts = {.scenario = scenario,
                                 .build = stored.prepared.build,
                                 .recording = gmc_rollouts_recording(scenario)};
        gmc_job job = gmc_rollouts_job(&rollouts);
        void *worker = NULL;
        status = job.worker_create(job.context, 0, &worker);
        if (status == GMC_OK) status = repeat(args, &stored, &job, worker, &is_identical);
        job.worker_free(worker);
    }
    gmc_stored_close(&stored, "replay", status);
    if (status != GMC_OK) return gmc_exit_of(status);
    return is_identical ? GMC_EXIT_DONE : GMC_EXIT_NO;
}

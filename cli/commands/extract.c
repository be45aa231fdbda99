// graspmc extract: one stored trial as a scenario with its files.
//
// The new scenario is run before it is written: what is handed on as "this trial" is known to be
// it.
#include "cli/answer/cache.h"
#include "cli/answer/stored.h"
#include "cli/commands/commands.h"
#include "cli/commands/same.h"
#include "cli/process/folder.h"
#include "cli/process/json.h"
#include "cli/process/signals.h"
#include "cli/process/terminal.h"
#include "engine/base/file.h"
#include "engine/base/printable.h"
#include "sampling/build/build.h"
#include "sampling/campaign/foreign.h"
#include "sampling/campaign/rollouts.h"
#include "sampling/language/text.h"
#include "sampling/store/result.h"
#include "sampling/writing/freeze.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// --- the files of the folder ---

// The files of a stored scenario under names that lie in one folder: "models/a.obj" stays; what
// the scenario reached by "../.." keeps its place relative to all others, with the scenario's own
// folders called "here"; what it named from the root goes below "root".

#define GMC_EXTRACT_SCENARIO "scenario.yaml"

/// Owns its names. Zero-initialised means empty.
typedef struct gmc_extract_files {
    int count;
    gmc_freeze_name *names; ///< (count)
    gmc_asset *assets;      ///< (count) under their new names; bytes are the result's
    bool *is_used;          ///< (count) by the new scenario
    gmc_folder_file *own;   ///< (own_count) of the controller; owns their bytes. NULL: none
    int own_count;
} gmc_extract_files;

/// How many folders a name climbs at its start.
static int climbs(const char *name)
{
    int count = 0;
    for (; strncmp(name, "../", 3) == 0; name += 3)
        count++;
    return count;
}

/// The name below a scenario that is `depth` folders down, seen from the top; allocated.
static char *placed(const char *name, int depth)
{
    static const char HERE[] = "here/", ROOT[] = "root";
    bool is_absolute = name[0] == '/';
    int up = is_absolute ? depth : climbs(name);
    size_t bytes = strlen(name) + (size_t)depth * sizeof HERE + sizeof ROOT + 1;
    char *text = malloc(bytes);
    if (!text) return NULL;
    text[0] = 0;
    for (int i = up; i < depth; i++)
        strcat(text, HERE);
    if (is_absolute) strcat(text, ROOT);
    strcat(text, is_absolute ? name : name + (size_t)up * 3);
    return text;
}

/// @return GMC_OK, GMC_E_INPUT (a name that cannot be, reported), GMC_E_MEMORY;
///         extract_files_free in every case
static gmc_status extract_files_name(const gmc_result_info *info, const char *input,
                                     gmc_diagnostics *messages, gmc_extract_files *files)
{
    size_t count = (size_t)info->asset_count + 1;
    *files = (gmc_extract_files){.names = calloc(count, sizeof *files->names),
                                 .assets = calloc(count, sizeof *files->assets),
                                 .is_used = calloc(count, sizeof *files->is_used)};
    if (!files->names || !files->assets || !files->is_used) return GMC_E_MEMORY;
    int depth = 0;
    for (int i = 0; i < info->asset_count; i++) {
        int up = climbs(info->assets[i].name);
        if (up > depth && !info->assets[i].is_scenario) depth = up;
    }
    for (int i = 0; i < info->asset_count; i++) {
        const gmc_asset *asset = &info->assets[i];
        if (asset->is_scenario) continue; // merged into the text
        char *fresh = placed(asset->name, depth);
        if (!fresh) return GMC_E_MEMORY;
        files->names[files->count] = (gmc_freeze_name){.old = asset->name, .fresh = fresh};
        files->assets[files->count] = *asset;
        files->assets[files->count++].name = fresh;
        if (gmc_folder_is_inside(fresh) && strcmp(fresh, GMC_EXTRACT_SCENARIO) != 0) continue;
        gmc_diagnostics_add(messages, GMC_E_INPUT, (gmc_source){.file = input}, NULL,
                            "its file %.200s cannot be placed in the folder", asset->name);
        return GMC_E_INPUT;
    }
    return GMC_OK;
}

static void extract_files_free(gmc_extract_files *files)
{
    for (int i = 0; i < files->count; i++)
        free((void *)(uintptr_t)files->names[i].fresh);
    for (int i = 0; i < files->own_count; i++)
        free((void *)(uintptr_t)files->own[i].bytes);
    free(files->own);
    free(files->names);
    free(files->assets);
    free(files->is_used);
    *files = (gmc_extract_files){0};
}

static bool is_taken(const gmc_extract_files *files, const char *name)
{
    for (int i = 0; i < files->count; i++)
        if (strcmp(files->assets[i].name, name) == 0) return true;
    for (int i = 0; i < files->own_count; i++)
        if (strcmp(files->own[i].name, name) == 0) return true;
    return strcmp(name, GMC_EXTRACT_SCENARIO) == 0;
}

/// Bring a file along that the controller is, or that a word of its command names: a result does
/// not hold it, but it may still lie beside it.
/// @param is_needed  say if it is not there or lies elsewhere
static gmc_status extract_files_take(const gmc_scenario *scenario, const char *name, bool is_needed,
                                     gmc_diagnostics *messages, gmc_extract_files *files)
{
    const char *why = "is not beside the result";
    gmc_file file = {0};
    gmc_status status = GMC_E_MISSING;
    if (name[0] == '/') return GMC_OK; // it is found from wherever the folder stands
    if (!gmc_folder_is_inside(name) || is_taken(files, name)) {
        why = "has no place in the folder";
    } else {
        char *place = gmc_scenario_place(scenario, name);
        if (!place) return GMC_E_MEMORY;
        status = gmc_file_read(place, &file);
        free(place);
    }
    if (status == GMC_E_MEMORY) return status;
    if (status == GMC_OK) {
        files->own[files->own_count++] = (gmc_folder_file){name, file.bytes, file.size};
        if (is_needed && scenario->control.command_count > 0)
            gmc_diagnostics_add(messages, GMC_OK, (gmc_source){.file = scenario->file},
                                "chmod +x, before the trial is run",
                                "control.by: %.200s is brought along, but as no program", name);
    } else if (is_needed) {
        gmc_diagnostics_add(messages, GMC_OK, (gmc_source){.file = scenario->file},
                            "put it there before the trial is run",
                            "control.by: %.200s %s and is not brought along", name, why);
    }
    return GMC_OK;
}

/// The library of the controller, or what words of its command name.
static gmc_status extract_files_control(const gmc_scenario *scenario, gmc_diagnostics *messages,
                                        gmc_extract_files *files)
{
    const gmc_control_spec *control = &scenario->control;
    if (!control->is_given || control->law != GMC_CONTROL_GIVEN) return GMC_OK;
    files->own = calloc((size_t)control->command_count + 1, sizeof *files->own);
    if (!files->own) return GMC_E_MEMORY;
    if (control->library)
        return extract_files_take(scenario, control->library, true, messages, files);
    for (int i = 0; i < control->command_count; i++) {
        const char *word = control->command[i];
        bool is_path = i == 0 && strchr(word, '/');
        if (i == 0 && !is_path) continue; // a program on the PATH
        GMC_TRY(extract_files_take(scenario, strncmp(word, "./", 2) == 0 ? word + 2 : word, is_path,
                                   messages, files));
    }
    return GMC_OK;
}

/// Note which files the new scenario has read.
static void extract_files_mark(gmc_extract_files *files, const gmc_scenario *fresh)
{
    for (int i = 0; i < files->count; i++)
        for (int k = 0; k < fresh->asset_count; k++)
            files->is_used[i] =
                files->is_used[i] || strcmp(files->assets[i].name, fresh->assets[k].name) == 0;
}

/// Write the folder: the scenario and the files it uses. As gmc_folder_write.
static gmc_status extract_files_write(const gmc_extract_files *files, const char *text,
                                      const char *folder, gmc_diagnostics *messages)
{
    gmc_folder_file *list =
        calloc((size_t)files->count + (size_t)files->own_count + 1, sizeof *list);
    if (!list) return GMC_E_MEMORY;
    int count = 0;
    list[count++] = (gmc_folder_file){GMC_EXTRACT_SCENARIO, text, strlen(text)};
    for (int i = 0; i < files->count; i++)
        if (files->is_used[i])
            list[count++] = (gmc_folder_file){files->assets[i].name, files->assets[i].bytes,
                                              files->assets[i].size};
    for (int i = 0; i < files->own_count; i++)
        list[count++] = files->own[i];
    gmc_status status = gmc_folder_write(folder, list, count, messages);
    free(list);
    return status;
}

// --- the command ---

typedef struct gmc_extracting {
    const gmc_args *args;
    gmc_stored stored;
    gmc_trial_copy trial; ///< as stored
    gmc_extract_files files;
    char *text; ///< of the new scenario, with its heading
    gmc_same_report report;
} gmc_extracting;

/// A word of the file or of the command line in a comment: it must not end the line.
static void add_word(gmc_text *text, const char *word)
{
    char shown[GMC_PRINTABLE_ROOM];
    for (int used; *word; word += used) {
        (void)gmc_printable_next(word, shown, &used);
        gmc_text_add(text, "%s", shown);
    }
}

/// What someone who opens the file wants to know first.
static void add_heading(const gmc_extracting *e, gmc_text *text)
{
    const gmc_trial *t = &e->trial.trial;
    const gmc_result_info *info = e->stored.info;
    const char *slash = strrchr(e->args->input, '/');
    gmc_text_add(text, "# Trial %" PRIu64 " of ", t->trial);
    add_word(text, slash ? slash + 1 : e->args->input);
    gmc_text_add(text, " (case %u, draw %" PRIu64 "), all chance frozen.\n# It was run by graspmc ",
                 t->case_index, t->draw);
    add_word(text, info->program_version);
    gmc_text_add(text, " (");
    add_word(text, info->commit);
    gmc_text_add(text, ") and ended as %s", gmc_outcome_name(t->outcome));
    if (t->reason != GMC_REASON_NONE) gmc_text_add(text, " (%s)", gmc_reason_name(t->reason));
    gmc_text_add(text, " at ");
    gmc_text_add_number(text, t->t_end, false);
    const gmc_control_spec *control = &e->stored.prepared.scenario.control;
    bool is_foreign = control->is_given && control->law == GMC_CONTROL_GIVEN;
    gmc_text_add(text, " s.\n# To see it: graspmc run %s -o trial.h5%s\n", GMC_EXTRACT_SCENARIO,
                 is_foreign ? " --allow-control" : "");
}

static gmc_status write_text(gmc_extracting *e)
{
    gmc_scenario *scenario = &e->stored.prepared.scenario;
    const gmc_trial *t = &e->trial.trial;
    int64_t case_index;
    uint64_t draw;
    gmc_freeze_trial frozen = {.samples = t->samples,
                               .is_audited = gmc_stored_value(&e->stored, t, GMC_COLUMN_AUDIT) > 0,
                               .is_repeated =
                                   gmc_stored_value(&e->stored, t, GMC_COLUMN_HALF_STEP) > 0};
    if (gmc_stored_is_completed(&e->stored, t))
        scenario->ends_broken = scenario->ends_falling = scenario->ends_at_rest =
            scenario->ends_borne = false;
    gmc_rollouts_address(scenario, t->trial, &case_index, &draw, &frozen.level);
    frozen.case_index = case_index;
    frozen.draw = draw;
    char *yaml = NULL;
    GMC_TRY(gmc_freeze_text(scenario, &frozen, e->files.names, e->files.count, &yaml));
    gmc_text text = {0};
    add_heading(e, &text);
    gmc_text_add_bytes(&text, yaml, strlen(yaml));
    free(yaml);
    return gmc_text_take(&text, &e->text);
}

/// Columns that the new scenario has too: those before the weight of a draw, which it does not
/// make.
static int columns_of(const gmc_extracting *e)
{
    const gmc_result_info *info = e->stored.info;
    int weight = gmc_column_find(info->columns, info->column_count, gmc_build_weight_column.name);
    return weight >= 0 ? weight : info->column_count;
}

/// Hold the trial of the new scenario against the stored one; columns of samples go by their names,
/// for there may be fewer.
static void compare(gmc_extracting *e, const gmc_scenario *fresh, const gmc_trial *found)
{
    const gmc_result_info *info = e->stored.info;
    for (int i = 0; i < info->parameter_count; i++)
        for (int k = 0; k < fresh->sampled_count; k++)
            if (strcmp(info->parameters[i].name, fresh->sampled[k].path) == 0)
                gmc_same_compare(&e->report, info->parameters[i].name, e->trial.trial.samples[i],
                                 found->samples[k]);
    gmc_same_ends(&e->report, info->columns, columns_of(e), &e->trial.trial, found);
}

static gmc_status run(gmc_extracting *e, gmc_prepared *fresh)
{
    gmc_rollouts_choice choice = gmc_stored_choice(&e->stored, &e->trial.trial);
    gmc_rollouts rollouts = {.scenario = &fresh->scenario,
                             .build = fresh->build,
                             .given = &choice,
                             .recording = {.record = GMC_RECORD_NONE}};
    const gmc_trajectory *kept = e->trial.trial.trajectory;
    if (kept && kept->has_actions) {
        rollouts.actions = kept;
    } else {
        fresh->scenario.file = e->args->input; // the controller lies beside the result
        GMC_TRY(gmc_foreign_allow(&fresh->scenario, e->args->allow_control, NULL));
    }
    gmc_job job = gmc_rollouts_job(&rollouts);
    if (job.column_count != columns_of(e)) {
        gmc_diagnostics_add(&e->stored.messages, GMC_E_MISMATCH,
                            (gmc_source){.file = e->args->input}, NULL,
                            "written by version %s, whose trials have other columns",
                            e->stored.info->program_version);
        return GMC_E_MISMATCH;
    }
    void *worker = NULL;
    const gmc_trial *found = NULL;
    gmc_status status = job.worker_create(job.context, 0, &worker);
    if (status == GMC_OK) status = job.run(worker, 0, gmc_signals_catch(), &found);
    if (status == GMC_OK) compare(e, &fresh->scenario, found);
    job.worker_free(worker);
    return status;
}

/// Read the new scenario with the files under their new names, and run it.
static gmc_status verify(gmc_extracting *e)
{
    gmc_prepared fresh;
    gmc_cache cache;
    const gmc_pieces_cache *kept = gmc_cache_open(&cache, GMC_ARGS_PROGRESS_AUTO);
    gmc_diagnostics found = {0};
    gmc_embedded from = {.file = GMC_EXTRACT_SCENARIO,
                         .text = e->text,
                         .bytes = strlen(e->text),
                         .assets = e->files.assets,
                         .asset_count = e->files.count};
    gmc_status status = gmc_prepare_embedded(&from, kept, &found, &fresh);
    gmc_cache_close(&cache);
    if (status == GMC_OK) status = gmc_diagnostics_status(&found);
    for (int i = 0; i < found.count && status != GMC_OK; i++)
        if (found.items[i].severity == GMC_ERROR)
            gmc_diagnostics_add(&e->stored.messages, found.items[i].status,
                                (gmc_source){.file = e->args->input}, found.items[i].hint,
                                "trial %" PRIu64 " makes no scenario of its own: %s",
                                e->args->trial.value, found.items[i].message);
    gmc_diagnostics_free(&found);
    if (status == GMC_OK) status = run(e, &fresh);
    if (status == GMC_OK) extract_files_mark(&e->files, &fresh.scenario);
    gmc_prepared_free(&fresh);
    return status;
}

static void print_answer(const gmc_extracting *e)
{
    const gmc_trial *t = &e->trial.trial;
    if (e->args->json) {
        gmc_json json = {.out = stdout};
        gmc_json_open(&json, NULL, '{');
        gmc_json_whole(&json, "trial", t->trial);
        gmc_json_text(&json, "outcome", gmc_outcome_name(t->outcome));
        gmc_json_text(&json, "output", e->args->out);
        gmc_json_text(&json, "scenario", GMC_EXTRACT_SCENARIO);
        gmc_json_flag(&json, "identical", e->report.count == 0);
        gmc_json_open(&json, "differences", '[');
        for (int i = 0; i < e->report.count && i < GMC_SAME_DIFFERENCES_MAX; i++) {
            gmc_json_open(&json, NULL, '{');
            gmc_json_text(&json, "name", e->report.items[i].name);
            gmc_json_real(&json, "stored", e->report.items[i].stored);
            gmc_json_real(&json, "now", e->report.items[i].found);
            gmc_json_close(&json, '}');
        }
        gmc_json_close(&json, ']');
        gmc_json_close(&json, '}');
        fputc('\n', stdout);
        return;
    }
    gmc_terminal_print(stdout, "trial %" PRIu64 ": %s\n", t->trial, gmc_outcome_name(t->outcome));
    if (e->report.count == 0)
        printf("identical: run alone it gives all %d stored numbers, bit for bit\n",
               e->report.compared);
    else
        printf("NOT identical: %d of %d stored numbers differ when it is run alone\n",
               e->report.count, e->report.compared);
    for (int i = 0; i < e->report.count && i < GMC_SAME_DIFFERENCES_MAX; i++)
        gmc_terminal_print(stdout, "  %-28s stored %.17g, now %.17g\n", e->report.items[i].name,
                           e->report.items[i].stored, e->report.items[i].found);
    gmc_terminal_print(stdout, "output %s/%s\n", e->args->out, GMC_EXTRACT_SCENARIO);
}

static gmc_status extract(gmc_extracting *e)
{
    gmc_diagnostics *messages = &e->stored.messages;
    GMC_TRY(gmc_stored_open(e->args->input, &e->stored));
    gmc_status found = gmc_result_trial(e->stored.result, e->args->trial.value, &e->trial);
    // a number that the file does not have is a wrong number, not a missing file
    if (found != GMC_OK) return found == GMC_E_MISSING ? GMC_E_INPUT : found;
    GMC_TRY(extract_files_name(e->stored.info, e->args->input, messages, &e->files));
    const gmc_trajectory *kept = e->trial.trial.trajectory;
    if (!kept || !kept->has_actions) GMC_TRY(gmc_stored_allow(&e->stored, e->args->allow_control));
    GMC_TRY(extract_files_control(&e->stored.prepared.scenario, messages, &e->files));
    GMC_TRY(write_text(e));
    GMC_TRY(verify(e));
    return extract_files_write(&e->files, e->text, e->args->out, messages);
}

gmc_exit gmc_extract_main(const gmc_args *args)
{
    gmc_extracting *e = calloc(1, sizeof *e);
    if (!e) return GMC_EXIT_INTERNAL;
    e->args = args;
    gmc_status status = extract(e);
    if (status == GMC_OK) print_answer(e);
    bool is_identical = e->report.count == 0;
    gmc_trial_copy_free(&e->trial);
    extract_files_free(&e->files);
    free(e->text);
    gmc_stored_close(&e->stored, "extract", status);
    free(e);
    if (status != GMC_OK) return gmc_exit_of(status);
    return is_identical ? GMC_EXIT_DONE : GMC_EXIT_NO;
}

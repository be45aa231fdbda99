#define _POSIX_C_SOURCE 200809L
// A round is a study whose cases are its designs, run by `run`: its journal, its shards, its
// resuming are those of any run. The numbers of the designs go in as one more --set. One file for
// all rounds was left out: its cases would depend on what its own trials found, and whoever reads
// a result (show, rank, compare, replay) would have to find them again.
#include "cli/commands/optimise.h"

#include "cli/answer/cache.h"
#include "cli/answer/optimise_answer.h"
#include "cli/answer/optimise_quantile.h"
#include "cli/commands/optimise_plan.h"
#include "cli/commands/run.h"
#include "cli/options/args.h"
#include "cli/process/json.h"
#include "cli/process/terminal.h"
#include "engine/base/hash.h"
#include "sampling/build/prepare.h"
#include "sampling/campaign/rollouts.h"
#include "sampling/design/optimum_quantile.h"
#include "sampling/language/text.h"
#include "sampling/language/units.h"
#include "sampling/store/result.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct gmc_optimising {
    const gmc_args *args;
    int argc;
    char *const *argv;
    gmc_sets sets;
    gmc_diagnostics messages;
    gmc_prepared prepared;
    gmc_optimum *optimum;
    gmc_optimum_quantile *quantile; ///< NULL: success is the goal
    int64_t open;                   ///< trials of the search that were taken as the worst
    char *folder;                   ///< owned
    char *file;                     ///< owned, of the open round
    bool is_part;                   ///< of a part of it alone
} gmc_optimising;

// --- files ---

/// "a" and "b", one behind the other; owned. NULL without memory
static char *join(const char *a, const char *b)
{
    size_t bytes = strlen(a) + strlen(b) + 1;
    char *text = malloc(bytes);
    if (text) snprintf(text, bytes, "%s%s", a, b);
    return text;
}

/// "folder/pinch.yaml" -> "pinch.optimise", in the current folder.
static char *default_folder(const char *scenario)
{
    const char *slash = strrchr(scenario, '/'), *name = slash ? slash + 1 : scenario;
    const char *dot = strrchr(name, '.');
    char *stem = strndup(name, dot && dot != name ? (size_t)(dot - name) : strlen(name));
    char *folder = stem ? join(stem, ".optimise") : NULL;
    free(stem);
    return folder;
}

static gmc_status make_folder(gmc_optimising *o)
{
    o->folder = o->args->out ? strdup(o->args->out) : default_folder(o->args->input);
    if (!o->folder) return GMC_E_MEMORY;
    struct stat about;
    bool is_made = mkdir(o->folder, 0777) == 0;
    if (is_made || (errno == EEXIST && stat(o->folder, &about) == 0 && S_ISDIR(about.st_mode)))
        return GMC_OK;
    gmc_diagnostics_add(&o->messages, GMC_ERROR, GMC_E_CREATE, (gmc_source){.file = o->folder},
                        NULL, "cannot make this folder: %s", strerror(errno));
    return GMC_E_CREATE;
}

/// The file of a round; of the part of it that is asked for, if the round is not there.
static gmc_status name_file(gmc_optimising *o, const gmc_optimum_round *round)
{
    char name[32], part[96];
    gmc_shard shard = o->args->shard;
    snprintf(name, sizeof name, "/round.%d", round->number);
    if (round->is_last) snprintf(name, sizeof name, "/best");
    snprintf(part, sizeof part, "%s.h5", name);
    free(o->file);
    o->file = join(o->folder, part);
    if (!o->file) return GMC_E_MEMORY;
    o->is_part = shard.count > 0 && access(o->file, F_OK) != 0;
    if (!o->is_part) return GMC_OK;
    snprintf(part, sizeof part, "%s.%dof%d.h5", name, shard.index, shard.count);
    free(o->file);
    o->file = join(o->folder, part);
    return o->file ? GMC_OK : GMC_E_MEMORY;
}

static void tell_of_part(const gmc_optimising *o, const gmc_optimum_round *round)
{
    char name[32] = "best";
    if (!round->is_last) snprintf(name, sizeof name, "round.%d", round->number);
    if (o->args->json) {
        gmc_json json = {.out = stdout};
        gmc_json_open(&json, NULL, '{');
        gmc_json_whole(&json, "round", (uint64_t)round->number);
        gmc_json_whole(&json, "rounds", GMC_OPTIMUM_ROUNDS);
        gmc_json_whole(&json, "part", (uint64_t)o->args->shard.index);
        gmc_json_whole(&json, "parts", (uint64_t)o->args->shard.count);
        gmc_json_text(&json, "output", o->file);
        gmc_json_close(&json, '}');
        putchar('\n');
        return;
    }
    if (o->args->quiet) return;
    gmc_terminal_print(stdout,
                       "part %d of %d of round %d of %d is in %s; with all of them:\n"
                       "graspmc merge %s/%s.*of%d.h5 -o %s/%s.h5\n",
                       o->args->shard.index, o->args->shard.count, round->number,
                       GMC_OPTIMUM_ROUNDS, o->file, o->folder, name, o->args->shard.count,
                       o->folder, name);
}

// --- a round as a study ---

/// {vary: {"a": [1 N, 2 N], "b": [...]}, together: true}
static gmc_status write_study(const gmc_scenario *s, const gmc_optimum_round *round, char **set)
{
    gmc_text out = {0};
    gmc_text_add(&out, "study={vary: {");
    for (int j = 0; j < s->axis_count; j++) {
        const gmc_axis_spec *axis = &s->axes[j];
        gmc_dimension dimension = s->parameters[axis->targets[0]].dimension;
        if (j > 0) gmc_text_add(&out, ", ");
        gmc_text_add_json(&out, axis->path);
        gmc_text_add(&out, ": [");
        for (int i = 0; i < round->count; i++) {
            if (i > 0) gmc_text_add(&out, ", ");
            double x = round->x[(size_t)i * (size_t)s->axis_count + (size_t)j];
            gmc_text_add_number(&out, gmc_optimise_answer_number(axis, x), false);
            if (dimension != GMC_DIM_NONE) gmc_text_add(&out, " %s", gmc_units_name(dimension));
        }
        gmc_text_add(&out, "]");
    }
    gmc_text_add(&out, "}, together: true}");
    return gmc_text_take(&out, set);
}

/// Run a round, or what is missing of it. One that is finished is compared with what it would be.
static gmc_exit run_round(gmc_optimising *o, const gmc_optimum_round *round)
{
    static const char *const TO_THE_END[] = {"simulation.early.broken=false",
                                             "simulation.early.falling=false",
                                             "simulation.early.borne=false"};
    const gmc_scenario *s = &o->prepared.scenario;
    char *study = NULL;
    gmc_args *args = malloc(sizeof *args);
    gmc_status status = args ? write_study(s, round, &study) : GMC_E_MEMORY;
    gmc_exit code = gmc_exit_of(status);
    if (status == GMC_OK) {
        *args = *o->args;
        args->out = o->file;
        args->is_round = args->resume = args->no_warnings = true;
        args->json = false;
        if (!o->is_part) args->shard = (gmc_shard){0};
        args->draws = (gmc_args_whole){true, (uint64_t)round->draws};
        args->seed = (gmc_args_whole){true, s->seed + (uint64_t)round->number}; // other chance
        args->sets.items[args->sets.count++] = study;
        for (int i = 0; o->quantile && i < GMC_COUNT(TO_THE_END); i++) // a measure is the whole's
            args->sets.items[args->sets.count++] = TO_THE_END[i];
        if (!round->is_last) { // all trials of a draw end by the same rules, to be compared
            args->sets.items[args->sets.count++] = "simulation.early.audit=0";
            args->sets.items[args->sets.count++] = "simulation.half_step=0";
            args->sets.items[args->sets.count++] = "output.trajectories=none";
        }
        code = gmc_run_main(args, o->argc, o->argv);
    }
    free(study);
    free(args);
    return code;
}

// --- what a round found ---

typedef struct gmc_seen {
    int columns;
    gmc_tally *tallies;  ///< (count) of the designs
    int star;            ///< designs of round 0 that are compared trial by trial; else 0
    gmc_digest *digests; ///< (star, draws) of all that was measured in a trial
    int64_t draws;
    gmc_optimising *of;
    gmc_rescore *measure; ///< of a quantile that is the goal; else NULL
    int first;            ///< design of all rounds that is this one's first
} gmc_seen;

/// The number of a trial, where a quantile is the goal.
static gmc_status take_number(gmc_seen *seen, const gmc_trial *trial)
{
    if (!seen->measure) return GMC_OK;
    double y =
        gmc_optimise_quantile_of(&seen->of->prepared.scenario.optimise, seen->measure, trial);
    seen->of->open += y == HUGE_VAL;
    return gmc_optimum_quantile_add(seen->of->quantile, seen->first + (int)trial->case_index, y);
}

static gmc_status see(void *context, const gmc_trial *trial)
{
    gmc_seen *seen = context;
    gmc_tally_add(&seen->tallies[trial->case_index], gmc_trial_verdict(trial->outcome));
    GMC_TRY(take_number(seen, trial));
    if (trial->case_index >= (uint32_t)seen->star) return GMC_OK;
    double ends[4] = {(double)trial->outcome, (double)trial->reason, (double)trial->phase,
                      trial->t_end};
    gmc_sha256 hash;
    gmc_sha256_start(&hash);
    gmc_sha256_add(&hash, ends, sizeof ends);
    gmc_sha256_add(&hash, trial->values, (size_t)seen->columns * sizeof *trial->values);
    seen->digests[(int64_t)trial->case_index * seen->draws + (int64_t)trial->draw] =
        gmc_sha256_end(&hash);
    return GMC_OK;
}

/// Did no trial change with a number between its ends, bit for bit? Where none succeeds in the
/// middle they may all end before the number is met, and nothing is known.
static bool is_idle(const gmc_seen *seen, int number)
{
    if (seen->tallies[0].successes == 0) return false;
    size_t bytes = (size_t)seen->draws * sizeof *seen->digests;
    for (int end = 0; end < 2; end++) {
        int64_t row = gmc_optimum_end(number, end) * seen->draws;
        if (memcmp(seen->digests, seen->digests + row, bytes) != 0) return false;
    }
    return true;
}

static gmc_status take_in(gmc_optimising *o, const gmc_optimum_round *round)
{
    int numbers = o->prepared.scenario.axis_count;
    gmc_seen seen = {.draws = round->draws, .of = o};
    double threshold = 0;
    if (round->number == 0) seen.star = gmc_optimum_end(numbers - 1, true) + 1;
    gmc_result *result = NULL;
    gmc_status status = gmc_result_open(o->file, &o->messages, &result);
    if (status == GMC_OK) {
        size_t count = (size_t)round->count;
        const gmc_result_info *info = gmc_result_about(result);
        seen.columns = info->column_count;
        seen.first = gmc_optimum_count(o->optimum) - round->count;
        if (o->quantile && !round->is_last)
            status = gmc_optimise_quantile_read(&o->prepared.scenario.optimise, info->columns,
                                                info->column_count, &o->messages, &seen.measure);
        seen.tallies = calloc(count, sizeof *seen.tallies);
        seen.digests = calloc((size_t)(seen.star * round->draws) + 1, sizeof *seen.digests);
        if (status == GMC_OK && (!seen.tallies || !seen.digests)) status = GMC_E_MEMORY;
    }
    if (status == GMC_OK) status = gmc_result_trials(result, see, &seen);
    for (int i = 0; status == GMC_OK && i < round->count; i++)
        gmc_optimum_put(o->optimum, i, seen.tallies[i]);
    for (int j = 0; status == GMC_OK && seen.star > 0 && j < numbers; j++)
        if (is_idle(&seen, j)) gmc_optimum_hold(o->optimum, j);
    if (status == GMC_OK && seen.measure)
        status = gmc_optimum_quantile_aim(o->quantile, o->optimum, &threshold);
    gmc_rescore_close(seen.measure);
    free(seen.tallies);
    free(seen.digests);
    gmc_result_close(result);
    return status;
}

// --- order ---

/// Is a quantile the goal? Then its measure is read before anything is run.
static gmc_status prepare_quantile(gmc_optimising *o)
{
    const gmc_optimise_spec *spec = &o->prepared.scenario.optimise;
    if (!spec->quantile_of) return GMC_OK;
    const gmc_measure_plan *measures = gmc_build_measures(o->prepared.build);
    gmc_rescore *measure = NULL;
    GMC_TRY(gmc_optimise_quantile_read(spec, measures->columns, measures->column_count,
                                       &o->messages, &measure));
    gmc_rescore_close(measure);
    double p = spec->is_largest ? 1 - spec->quantile_p : spec->quantile_p;
    return gmc_optimum_quantile_create(p, &o->quantile);
}

static gmc_status prepare(gmc_optimising *o)
{
    const gmc_args *args = o->args;
    gmc_sets_collect(args, &o->sets);
    gmc_cache cache;
    const gmc_pieces_cache *kept =
        gmc_cache_open(&cache, args->quiet ? GMC_ARGS_PROGRESS_NONE : args->progress);
    gmc_status status =
        gmc_prepare(args->input, o->sets.list, args->allow.items, kept, &o->messages, &o->prepared);
    gmc_cache_close(&cache);
    if (status == GMC_OK) status = gmc_diagnostics_status(&o->messages);
    if (status != GMC_OK) return status;
    const gmc_scenario *s = &o->prepared.scenario;
    if (!s->optimise.is_given) {
        gmc_diagnostics_add(&o->messages, GMC_ERROR, GMC_E_INPUT, (gmc_source){.file = args->input},
                            "study: {vary: {path: \"between(a, b)\"}, optimise: {budget: 6000}}",
                            "no study.optimise says what may be chosen");
        return GMC_E_INPUT;
    }
    const gmc_optimum_plan plan = {.numbers = s->axis_count,
                                   .budget = s->optimise.budget,
                                   .is_cautious = s->optimise.is_cautious};
    GMC_TRY(gmc_optimum_create(&plan, &o->optimum));
    GMC_TRY(prepare_quantile(o));
    GMC_TRY(make_folder(o));
    return gmc_optimise_plan_keep(o->folder, s, &o->messages);
}

/// Print what was reported and forget it.
static gmc_exit tell(gmc_optimising *o, gmc_status status)
{
    if (status != GMC_OK && o->messages.error_count == 0)
        gmc_terminal_print(stderr, "graspmc optimise: %s\n", gmc_status_name(status));
    if (o->args->no_warnings) gmc_diagnostics_hush(&o->messages);
    gmc_terminal_messages(&o->messages);
    gmc_diagnostics_free(&o->messages);
    return gmc_exit_of(status);
}

/// @return GMC_EXIT_DONE: the last round is in, or the part that was asked for
static gmc_exit run_rounds(gmc_optimising *o)
{
    gmc_optimum_round round;
    gmc_status status = gmc_optimum_next(o->optimum, &round);
    while (status == GMC_OK && round.count > 0) {
        status = name_file(o, &round);
        if (status != GMC_OK) break;
        gmc_exit code = run_round(o, &round);
        if (code == GMC_EXIT_DONE && o->is_part) tell_of_part(o, &round);
        if (code != GMC_EXIT_DONE || o->is_part) return code;
        status = take_in(o, &round);
        if (status == GMC_OK) status = gmc_optimum_next(o->optimum, &round);
    }
    return tell(o, status);
}

gmc_exit gmc_optimise_main(const gmc_args *args, int argc, char *const *argv)
{
    gmc_optimising o = {.args = args, .argc = argc, .argv = argv};
    gmc_exit code = tell(&o, prepare(&o));
    if (code == GMC_EXIT_DONE) code = run_rounds(&o);
    if (code == GMC_EXIT_DONE && !o.is_part) {
        gmc_optimum_answer answer;
        gmc_status status = gmc_optimum_conclude(o.optimum, &answer);
        const gmc_optimised found = {.args = args,
                                     .scenario = &o.prepared.scenario,
                                     .answer = &answer,
                                     .open = o.open,
                                     .folder = o.folder,
                                     .best = o.file};
        if (status == GMC_OK) status = gmc_optimise_answer(&found);
        bool is_idle_all = status == GMC_OK;
        for (int j = 0; j < o.prepared.scenario.axis_count && is_idle_all; j++)
            is_idle_all = answer.is_idle[j];
        code = is_idle_all ? GMC_EXIT_UNDECIDED : gmc_exit_of(status);
    }
    gmc_optimum_free(o.optimum);
    gmc_optimum_quantile_free(o.quantile);
    gmc_prepared_free(&o.prepared);
    free(o.folder);
    free(o.file);
    return code;
}

#define _POSIX_C_SOURCE 200809L
// graspmc run: scenario in, result file and estimate out.
//
// Everything here is order: prepare, open, run, finish, answer. What can fail reports into one list
// of messages, printed where it fails; what must be undone is undone at the end of gmc_run_main.
#include "cli/answer/answer.h"
#include "cli/answer/cache.h"
#include "cli/answer/moves.h"
#include "cli/answer/overlaps.h"
#include "cli/answer/progress.h"
#include "cli/answer/stored.h"
#include "cli/answer/surrogate_until.h"
#include "cli/commands/commands.h"
#include "cli/options/args.h"
#include "cli/process/cores.h"
#include "cli/process/json.h"
#include "cli/process/peak.h"
#include "cli/process/signals.h"
#include "cli/process/terminal.h"
#include "engine/base/printable.h"
#include "sampling/build/prepare.h"
#include "sampling/campaign/campaign.h"
#include "sampling/campaign/prefix.h"
#include "sampling/campaign/rollouts.h"
#include "sampling/campaign/rounds.h"
#include "sampling/findings/rescore.h"
#include "sampling/hdf5/file.h"
#include "sampling/shards/shards.h"
#include "sampling/store/describe.h"
#include "sampling/store/method.h"
#include "sampling/store/store.h"
#include "sampling/store/version.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

// --- the log of a run ---
// OUT.h5.log: what depends on the occasion and so must not be in the result: when, where, how many
// workers, how long. JSON lines, one when a session starts and one when it ends.

/// A call of the program that runs trials.
typedef struct gmc_log_session {
    int argc;
    char *const *argv;
    int workers;
    uint64_t first, count; ///< trials
    uint64_t kept;         ///< of an earlier session
} gmc_log_session;

/// Open the log of an output for appending, or anew.
/// @return NULL if that cannot be, as where a link or a pipe stands in its place; said on stderr,
///         a run does not fail for it
static FILE *log_open(const char *out, bool is_new)
{
    size_t bytes = strlen(out) + sizeof ".log";
    char *path = malloc(bytes);
    if (!path) return NULL;
    snprintf(path, bytes, "%s.log", out);
    int file = gmc_file_open_own(path, O_WRONLY | O_CREAT | O_APPEND);
    if (file >= 0 && is_new && ftruncate(file, 0) != 0) {
        close(file);
        file = -1;
    }
    FILE *log = file >= 0 ? fdopen(file, "a") : NULL;
    if (!log)
        gmc_terminal_print(stderr, "%s: warning: there will be no log: %s\n", path,
                           errno == ELOOP ? "a link stands there, which is not followed"
                                          : strerror(errno));
    if (!log && file >= 0) close(file);
    free(path);
    return log;
}

static void put_time(gmc_json *json)
{
    char text[32] = "";
    time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc)) strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
    gmc_json_text(json, "time", text);
}

/// One line is on disk or not, whatever happens to the process.
static void end_line(gmc_json *json)
{
    gmc_json_close(json, '}');
    fputc('\n', json->out);
    fflush(json->out);
}

/// A session starts. Accepts NULL for the log, as below.
static void log_start(FILE *log, const gmc_log_session *session)
{
    if (!log) return;
    gmc_json json = {.out = log};
    struct utsname host;
    bool is_known = uname(&host) >= 0;
    const char *slurm_job = getenv("SLURM_JOB_ID");
    gmc_json_open(&json, NULL, '{');
    gmc_json_text(&json, "event", "start");
    put_time(&json);
    gmc_json_text(&json, "host", is_known ? host.nodename : NULL);
    gmc_json_text(&json, "system", is_known ? host.release : NULL);
    gmc_json_whole(&json, "process", (uint64_t)getpid());
    if (slurm_job) gmc_json_text(&json, "slurm_job", slurm_job);
    gmc_json_text(&json, "version", gmc_version_program());
    gmc_json_text(&json, "commit", gmc_version_commit());
    gmc_json_open(&json, "command", '[');
    for (int i = 0; i < session->argc; i++)
        gmc_json_text(&json, NULL, session->argv[i]);
    gmc_json_close(&json, ']');
    gmc_json_whole(&json, "workers", (uint64_t)session->workers);
    gmc_json_whole(&json, "first_trial", session->first);
    gmc_json_whole(&json, "trials", session->count);
    gmc_json_whole(&json, "kept", session->kept);
    end_line(&json);
}

/// Something that whoever looks into what happened wants to know.
/// @param event  a word: "no_locks"
static void log_note(FILE *log, const char *event, const char *text)
{
    if (!log) return;
    gmc_json json = {.out = log};
    gmc_json_open(&json, NULL, '{');
    gmc_json_text(&json, "event", event);
    put_time(&json);
    gmc_json_text(&json, "text", text);
    end_line(&json);
}

/// It ends.
/// @param how  "complete", "stopped by SIGTERM", the name of a failure
static void log_end(FILE *log, const char *how, const gmc_campaign_progress *last)
{
    if (!log) return;
    gmc_json json = {.out = log};
    gmc_json_open(&json, NULL, '{');
    gmc_json_text(&json, "event", "end");
    put_time(&json);
    gmc_json_text(&json, "how", how);
    gmc_json_whole(&json, "done", last->done);
    gmc_json_whole(&json, "fresh", last->fresh);
    gmc_json_real(&json, "elapsed_s", last->elapsed_s);
    if (last->fresh > 0) {
        gmc_json_real(&json, "trials_per_s", (double)last->fresh / last->elapsed_s);
        gmc_json_real(&json, "trial_mean_s", last->trial_sum_s / (double)last->fresh);
        gmc_json_real(&json, "trial_max_s", last->trial_max_s);
        gmc_json_whole(&json, "slowest_trial", last->slowest);
    }
    uint64_t peak = gmc_peak_memory_kib();
    if (peak > 0) gmc_json_whole(&json, "peak_memory_kib", peak);
    end_line(&json);
}

// --- completing a result ---

// run --complete OUT.h5: the trials of a result whose answer is open, run to their end; all others
// as they are. What a trial was cut short by depends on its verdict, so that only all of them
// together say what the same draws give under other criteria.
//
// The output is another file: the rows of trials that were open are those of a run without early
// verdicts, bit for bit, and `completed` says for which criteria.

typedef struct gmc_run_complete {
    gmc_stored stored;    ///< the result
    gmc_rescore *rescore; ///< of --success; NULL: every trial that was cut short is open
    char *criteria;       ///< of the output, one a line
    uint64_t open, count; ///< trials that are run to their end, all of them
} gmc_run_complete;

/// The criteria of a completion without --success.
static const char ALL[] = "all";

static gmc_status refuse(gmc_run_complete *c, gmc_status status, const char *hint, const char *what)
{
    gmc_diagnostics_add(&c->stored.messages, status,
                        (gmc_source){.file = c->stored.prepared.scenario.file}, hint,
                        "--complete: %s", what);
    return status;
}

/// What was completed before, and what is now; a line each.
static gmc_status name_criteria(gmc_run_complete *c, const char *success)
{
    const char *before = c->stored.info->completed, *now = success ? success : ALL;
    size_t bytes = strlen(before) + strlen(now) + 2;
    c->criteria = malloc(bytes);
    if (!c->criteria) return GMC_E_MEMORY;
    int used = snprintf(c->criteria, bytes, "%s%s", before, *before ? "\n" : "");
    for (const char *p = now; *p; p++)
        c->criteria[used++] = *p == '\n' ? ' ' : *p;
    c->criteria[used] = 0;
    return GMC_OK;
}

/// Would the trials that run now stand beside others of their kind?
static gmc_status check_build(gmc_run_complete *c, const gmc_args *args, gmc_store_plan *plan)
{
    char difference[600];
    const char *before = c->stored.info->completed;
    if (!gmc_answer_fits(c->stored.info, plan))
        return refuse(c, GMC_E_MISMATCH, NULL, "its trials have other columns");
    plan->completed = *before ? before : NULL;
    gmc_status status = gmc_result_matches(args->input, plan, difference, sizeof difference);
    if (status != GMC_E_MISMATCH) return status;
    char what[700];
    snprintf(what, sizeof what, "its trials are of another run than what runs now: %s", difference);
    return refuse(c, status, "run the scenario again", what);
}

/// Is it to be run? For gmc_store_options.
static bool run_complete_is_open(void *context, const gmc_trial *trial)
{
    gmc_run_complete *c = context;
    gmc_decision cut_by = GMC_DECISION_END;
    if (c->rescore)
        (void)gmc_rescore_judge(c->rescore, trial, &cut_by);
    else if (!(trial->values[GMC_COLUMN_AUDIT] > 0))
        cut_by = (gmc_decision)trial->values[GMC_COLUMN_DECIDED_BY];
    return cut_by != GMC_DECISION_END;
}

static gmc_status count_open(void *context, const gmc_trial *trial)
{
    gmc_run_complete *c = context;
    c->open += run_complete_is_open(c, trial) ? 1 : 0;
    c->count++;
    return GMC_OK;
}

static gmc_status find_open(gmc_run_complete *c, const gmc_args *args, gmc_description *description)
{
    gmc_store_plan *plan = &description->plan;
    const gmc_result_info *info = c->stored.info;
    gmc_shard shard = {0};
    if (info->shard[0] && !gmc_shard_parse(info->shard, &shard)) return GMC_E_INPUT;
    gmc_describe_options options = {.first = info->first,
                                    .count = info->is_sparse ? info->total : info->count,
                                    .shard = shard.index,
                                    .shard_count = shard.count,
                                    .round = info->round,
                                    .level = args->level,
                                    .stop = info->stop,
                                    .stop_level = info->stop_level};
    GMC_TRY(gmc_describe_run(&c->stored.prepared.scenario, c->stored.prepared.build, &options,
                             &c->stored.messages, description));
    const gmc_store_method *method = gmc_store_method_of(plan);
    if (args->success)
        GMC_TRY(gmc_answer_rescore_read(args->success, plan, args->input, &c->stored.messages,
                                        &c->rescore));
    else if (gmc_store_plan_is_sparse(plan))
        return refuse(c, GMC_E_INPUT,
                      method->runs_whole
                          ? NULL
                          : "run it with  --set simulation.early.broken=false  and the like",
                      method->runs_whole ? "its trials were run to their end"
                                         : "its trials were chosen by the results of earlier ones");
    GMC_TRY(check_build(c, args, plan));
    GMC_TRY(name_criteria(c, args->success));
    plan->text = info->text;
    plan->expanded = info->expanded;
    plan->completed = c->criteria;
    plan->completes = info->content_digest;
    return gmc_result_trials(c->stored.result, count_open, c);
}

/// Open the result, find what is open, describe the output.
/// @param description  out; freed by the caller, before `complete`, also after a failure
/// @param complete     out; run_complete_close in every case
/// @return GMC_OK; GMC_E_INPUT (no result, a mistake in --success, trials that were chosen),
///         GMC_E_MISMATCH (written by another build); GMC_E_MISSING, GMC_E_IO, GMC_E_MEMORY; all
///         reported in complete->stored.messages
static gmc_status run_complete_open(const gmc_args *args, gmc_description *description,
                                    gmc_run_complete *complete)
{
    *complete = (gmc_run_complete){0};
    *description = (gmc_description){0};
    GMC_TRY(gmc_stored_open(args->input, &complete->stored));
    return find_open(complete, args, description);
}

/// Print what is left to say, free.
/// @param status  what run_complete_open returned
static void run_complete_close(gmc_run_complete *complete, gmc_status status)
{
    gmc_rescore_close(complete->rescore);
    free(complete->criteria);
    gmc_stored_close(&complete->stored, "run", status);
}

// --- who chooses the trials ---

// If these are not all of the range: the method of the study (store/method.h), or others, for a
// part of one of a ranking's rounds.

typedef struct gmc_run_rounds {
    gmc_round_part open_part; ///< of a part of a round; its ranking is NULL: none
    bool is_part_given;       ///< its trials were asked for
    gmc_rounds_plan plan;
    bool is_used; ///< there is one
} gmc_run_rounds;

/// Do the options that choose trials go with such a scenario? Says so if not.
static bool run_rounds_fit(const gmc_args *args, const gmc_scenario *scenario)
{
    const char *what = gmc_store_method_chooser(scenario);
    if (scenario->optimise.is_given) {
        fputs("graspmc run: study.optimise: graspmc optimise runs it\n", stderr);
        return false;
    }
    bool is_shard = args->shard.count > 0 && !scenario->rank.is_given;
    const char *option = !what                               ? NULL
                         : args->has_trials                  ? "--trials"
                         : is_shard                          ? "--shard"
                         : args->stop.kind != GMC_STOP_NEVER ? "--until and --decide"
                                                             : NULL;
    if (option)
        gmc_terminal_print(
            stderr,
            "graspmc run: %s: a %s decides itself which trials are run, and how many; "
            "every round needs what those before it found%s\n",
            option, what,
            scenario->rank.is_given ? ". --shard I/N is a part of its next round" : "");
    bool is_alone = args->after && !scenario->rank.is_given;
    if (is_alone)
        fputs("graspmc run: --after: only a ranking (study.rank) is run round by round\n", stderr);
    return !option && !is_alone;
}

static gmc_status put_nowhere(void *context, const gmc_trial *trial)
{
    (void)context;
    (void)trial;
    return GMC_OK;
}

/// The part of a round, once: others decide the round.
static gmc_status next_of_part(void *context, const uint64_t **trials, uint64_t *count)
{
    gmc_run_rounds *rounds = context;
    *trials = rounds->open_part.trials;
    *count = rounds->is_part_given ? 0 : rounds->open_part.count;
    rounds->is_part_given = true;
    return GMC_OK;
}

/// @param plan    in: of the run; out: its `round`, if it is a part of one. Outlives the rounds
/// @param rounds  out; run_rounds_free in every case. Must not be moved
/// @return GMC_OK, GMC_E_MEMORY, GMC_E_LIMIT, as gmc_round_part_open
static gmc_status run_rounds_open(const gmc_args *args, gmc_store_plan *plan,
                                  gmc_diagnostics *messages, gmc_run_rounds *rounds)
{
    *rounds = (gmc_run_rounds){.is_used = gmc_store_plan_is_sparse(plan)};
    if (!rounds->is_used) return GMC_OK;
    bool is_part = plan->shard_count > 0; // only of a ranking: run_rounds_fit
    if (!is_part) return gmc_store_method_of(plan)->rounds(plan, &rounds->plan);
    GMC_TRY(gmc_round_part_open(plan, args->after, messages, &rounds->open_part));
    plan->round = rounds->open_part.round;
    rounds->plan = (gmc_rounds_plan){.context = rounds, .put = put_nowhere, .next = next_of_part};
    return GMC_OK;
}

static void run_rounds_free(gmc_run_rounds *rounds)
{
    if (rounds->plan.free) rounds->plan.free(rounds->plan.context);
    gmc_round_part_free(&rounds->open_part);
    *rounds = (gmc_run_rounds){0};
}

// --- running ---

typedef struct gmc_run {
    const gmc_args *args;

    gmc_sets sets;
    gmc_diagnostics messages;
    gmc_prepared own;       ///< of a scenario
    gmc_prepared *prepared; ///< it, or that of the result that is completed
    gmc_run_complete complete;
    gmc_description description;
    char *out;         ///< owned
    char *resume_line; ///< owned, the command that goes on from here
    char *show_line;   ///< owned, the command that prints the finished answer
    gmc_store *store;
    gmc_store_found found;

    gmc_sink sink;                    ///< of the store
    gmc_running running;              ///< the estimate so far
    gmc_prefix prefix;                ///< what --until and --decide look at
    gmc_surrogate_until by_surrogate; ///< what it asks; no table: nothing
    gmc_run_rounds rounds;            ///< who chooses the trials
    gmc_status seen;                  ///< of the kept trials that it took in
    bool has_unsolved;
    uint64_t first_unsolved; ///< the first that was put
    bool is_unstarted;       ///< the controller, which ended the run
    uint64_t hung;           ///< whose controller does not answer, where that ended the run
    gmc_reason reason;
    gmc_campaign_progress last;
    gmc_progress *progress;
    int worker_count;
    bool is_told; ///< that fewer threads run
} gmc_run;

enum { GMC_RUN_INPUTS = 2 }; // scenario, file of rounds

/// A round of an optimisation is named by its folder, and nothing replaces it.
static void fit_hints(gmc_run *run)
{
    static const char HINT[] = "-o chooses another folder";
    for (int i = 0; i < run->messages.count && run->args->is_round; i++) {
        char *hint = run->messages.items[i].hint;
        if (hint && strstr(hint, "--force") && strlen(hint) >= strlen(HINT))
            memcpy(hint, HINT, sizeof HINT);
    }
}

/// Print what was reported and forget it.
static void print_messages(gmc_run *run)
{
    fit_hints(run);
    if (run->args->no_warnings) gmc_diagnostics_hush(&run->messages);
    gmc_terminal_messages(&run->messages);
    gmc_diagnostics_free(&run->messages);
}

/// The exit code of a failure, which is never silent.
static gmc_exit exit_of(const gmc_run *run, gmc_status status)
{
    if (status != GMC_OK && run->messages.error_count == 0)
        gmc_terminal_print(stderr, "graspmc run: %s\n", gmc_status_name(status));
    return gmc_exit_of(status);
}

/// "folder/pinch.yaml" -> "pinch.h5", in the current folder; "pinch.3of64.h5" for a shard;
/// "pinch.complete.h5" of "pinch.h5".
static char *default_output(const char *scenario, gmc_shard shard, bool completes)
{
    const char *slash = strrchr(scenario, '/'), *name = slash ? slash + 1 : scenario;
    const char *dot = strrchr(name, '.');
    size_t length = dot && dot != name ? (size_t)(dot - name) : strlen(name);
    char part[32] = "";
    if (completes) snprintf(part, sizeof part, ".complete");
    if (shard.count > 0) snprintf(part, sizeof part, ".%dof%d", shard.index, shard.count);
    size_t bytes = length + sizeof part + sizeof ".h5";
    char *out = malloc(bytes);
    if (out) snprintf(out, bytes, "%.*s%s.h5", (int)length, name, part);
    return out;
}

// --- the command that goes on from here ---

/// Would some of it act on a terminal?
static bool is_odd(const char *word)
{
    char shown[GMC_PRINTABLE_ROOM];
    int used = 0;
    for (const char *p = word; *p; p += used)
        if (gmc_printable_next(p, shown, &used) > 1) return true;
    return false;
}

static void put_quoted(const char *word, FILE *out)
{
    static const char PLAIN[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-./:=,+@%";
    if (*word && word[strspn(word, PLAIN)] == 0) {
        fputs(word, out);
        return;
    }
    bool has_odd = is_odd(word); // what bash and zsh read in $'', and what a terminal shows
    fputs(has_odd ? "$'" : "'", out);
    char shown[GMC_PRINTABLE_ROOM];
    int used = 0;
    for (const char *p = word; *p; p += used) {
        gmc_printable_next(p, shown, &used);
        if (*p == '\'')
            fputs(has_odd ? "\\'" : "'\\''", out);
        else
            fputs(has_odd && *p == '\\' ? "\\\\" : shown, out);
    }
    fputc('\'', out);
}

static const char NO_LOCKS[] = "this file system has no locks: nothing keeps another process from "
                               "writing the same output";

static void put_resume(const gmc_run *run, FILE *out)
{
    fprintf(out, "resume: graspmc %s%s", run->args->command->name,
            run->args->is_round ? "" : " --resume");
    for (int i = 2; i < run->args->argc; i++) {
        if (strcmp(run->args->argv[i], "--force") == 0 ||
            strcmp(run->args->argv[i], "--resume") == 0)
            continue;
        fputc(' ', out);
        put_quoted(run->args->argv[i], out);
    }
    fputc('\n', out);
}

static void put_show(const gmc_run *run, FILE *out)
{
    fputs("the result is complete: graspmc show ", out);
    put_quoted(run->out, out);
    fputs(" prints its answer\n", out);
}

/// @return what `put` writes, owned; NULL: out of memory
static char *line_of(const gmc_run *run, void (*put)(const gmc_run *run, FILE *out))
{
    char *line = NULL;
    size_t bytes;
    FILE *out = open_memstream(&line, &bytes);
    if (!out) return NULL;
    put(run, out);
    if (fclose(out) == 0) return line;
    free(line);
    return NULL;
}

/// Is there a journal of the output, from which --resume goes on?
static bool has_journal(const gmc_run *run)
{
    size_t bytes = strlen(run->out) + sizeof ".journal";
    char *path = malloc(bytes);
    if (!path) return false;
    snprintf(path, bytes, "%s.journal", run->out);
    bool is_there = access(path, F_OK) == 0;
    free(path);
    return is_there;
}

/// What a signal that ends the program at once is to say: how to go on.
static gmc_exit name_output(gmc_run *run)
{
    const gmc_args *args = run->args;
    run->out =
        args->out ? strdup(args->out) : default_output(args->input, args->shard, args->complete);
    if (!run->out) return exit_of(run, GMC_E_MEMORY);
    run->resume_line = line_of(run, put_resume);
    run->show_line = line_of(run, put_show);
    if (!run->resume_line || !run->show_line) return exit_of(run, GMC_E_MEMORY);
    if (has_journal(run) && !args->force) gmc_signals_say(run->resume_line);
    return GMC_EXIT_DONE;
}

// --- the sink between campaign and store: keeps the running estimate ---

static gmc_status take_in(gmc_run *run, const gmc_trial *trial)
{
    gmc_verdict verdict = gmc_trial_verdict(trial->outcome);
    // of trials that were chosen no share can be told before all is decided, and a completion takes
    // in first what needs none; weighted ones are not counted
    bool is_counted = !run->rounds.is_used && !run->args->complete &&
                      !run->prepared->scenario.is_weighted &&
                      run->prepared->scenario.interval_places == 0;
    if (is_counted) gmc_running_add(&run->running, trial->draw, verdict);
    if (run->prefix.ask) GMC_TRY(gmc_surrogate_until_take(&run->by_surrogate, trial));
    if (!run->rounds.is_used) GMC_TRY(gmc_prefix_add(&run->prefix, trial->trial, verdict));
    if (run->prefix.ask) GMC_TRY(run->by_surrogate.status);
    if (trial->outcome != GMC_OUTCOME_UNSOLVED || run->has_unsolved) return GMC_OK;
    run->has_unsolved = true;
    run->first_unsolved = trial->trial;
    run->reason = trial->reason;
    return GMC_OK;
}

static void see_kept(void *context, const gmc_trial *trial)
{
    gmc_run *run = context;
    const gmc_rounds_plan *rounds = &run->rounds.plan;
    if (run->rounds.is_used && run->seen == GMC_OK) run->seen = rounds->put(rounds->context, trial);
    if (run->seen == GMC_OK) run->seen = take_in(run, trial);
}

static gmc_status put(void *context, const gmc_trial *trial)
{
    gmc_run *run = context;
    GMC_TRY(take_in(run, trial));
    return run->sink.put(run->sink.context, trial);
}

/// The system gives fewer threads than were asked for: slower, and the same result.
static void tell_of_workers(void *context, int started)
{
    gmc_run *run = context;
    if (run->is_told) return;
    run->is_told = true;
    gmc_progress_clear(run->progress);
    if (started == 0) {
        gmc_diagnostics_add(&run->messages, GMC_E_LIBRARY, (gmc_source){.file = run->out},
                            "a limit of processes (ulimit -u) or of memory; --resume goes on",
                            "no worker thread could be started");
        return;
    }
    gmc_terminal_print(
        stderr,
        "graspmc run: warning: only %d of %d worker threads could be started (a limit of "
        "processes, ulimit -u, or of memory): the run goes on with %s\n",
        started, run->worker_count, started == 1 ? "it" : "these");
}

static void show_writing(void *context, uint64_t done, uint64_t total)
{
    const gmc_run *run = context;
    if (run->progress) gmc_progress_writing(run->progress, done, total);
}

static bool is_enough(void *context)
{
    const gmc_run *run = context;
    return run->prefix.verdict != GMC_STOP_UNDECIDED;
}

static bool has(void *context, uint64_t trial)
{
    const gmc_run *run = context;
    return run->sink.has(run->sink.context, trial);
}

static uint64_t end_of_kept(void *context)
{
    const gmc_run *run = context;
    return run->sink.end(run->sink.context);
}

static gmc_status sync_store(void *context)
{
    const gmc_run *run = context;
    return run->sink.sync(run->sink.context);
}

// --- steps ---

/// The result that is completed says all of that itself.
static gmc_exit prepare_completion(gmc_run *run)
{
    gmc_status status = run_complete_open(run->args, &run->description, &run->complete);
    run->prepared = &run->complete.stored.prepared;
    if (status == GMC_OK)
        status = gmc_foreign_allow(&run->prepared->scenario, run->args->allow_control,
                                   &run->complete.stored.messages);
    if (status == GMC_OK) return GMC_EXIT_DONE;
    gmc_description_free(&run->description);
    run_complete_close(&run->complete, status);
    run->complete = (gmc_run_complete){0};
    return gmc_exit_of(status);
}

/// A rule that this scenario has no answer to.
static gmc_exit refuse_rule(gmc_run *run, const char *hint, const char *what)
{
    gmc_diagnostics_add(&run->messages, GMC_E_INPUT, (gmc_source){.file = run->args->input}, hint,
                        "%s", what);
    return GMC_EXIT_USAGE;
}

/// Read, check, build; choose the range; say what will be stored.
static gmc_exit prepare(gmc_run *run)
{
    const gmc_args *args = run->args;
    if (args->complete) return prepare_completion(run);
    gmc_sets_collect(args, &run->sets);
    gmc_cache cache;
    const gmc_pieces_cache *kept =
        gmc_cache_open(&cache, args->quiet ? GMC_ARGS_PROGRESS_NONE : args->progress);
    gmc_status status = gmc_prepare(args->input, run->sets.list, args->allow.items, kept,
                                    &run->messages, run->prepared);
    gmc_cache_close(&cache);
    if (status == GMC_OK) status = gmc_diagnostics_status(&run->messages);
    if (status == GMC_OK)
        status = gmc_foreign_allow(&run->prepared->scenario, args->allow_control, &run->messages);
    if (status != GMC_OK) return exit_of(run, status);

    gmc_scenario *scenario = &run->prepared->scenario;
    uint64_t total = gmc_rollouts_total(scenario);
    gmc_describe_options options = {
        .first = 0, .count = total, .level = args->level, .stop = args->stop};
    if (!run_rounds_fit(args, scenario)) return GMC_EXIT_USAGE;
    if (args->has_trials) {
        if (args->trial_end > total) {
            fprintf(stderr, "graspmc run: --trials: there are only %" PRIu64 " trials\n", total);
            return GMC_EXIT_USAGE;
        }
        options.first = args->trial_first;
        options.count = args->trial_end - args->trial_first;
    }
    if (args->stop.kind != GMC_STOP_NEVER && scenario->replicas > 0) {
        gmc_terminal_print(stderr,
                           "graspmc run: sampling.design %s is only valid as a complete set; "
                           "--until and --decide need random draws\n",
                           gmc_design_name(scenario->design));
        return GMC_EXIT_USAGE;
    }
    if (args->stop.kind != GMC_STOP_NEVER && scenario->is_weighted) {
        fputs("graspmc run: --until and --decide count trials alike, but sampling.importance gives "
              "them weights\n",
              stderr);
        return GMC_EXIT_USAGE;
    }
    if (args->stop.kind != GMC_STOP_NEVER && scenario->interval_places > 0) {
        return refuse_rule(run, "-n sets the number of draws, for all places of the interval",
                           "--until and --decide need one success probability; an input given as "
                           "interval(...) has a range of them");
    }
    if (args->shard.count > 0 && !scenario->rank.is_given) // its rounds are cut, not its numbers
        gmc_shard_range(args->shard, (uint64_t)scenario->draws, (uint64_t)scenario->case_count,
                        &options.first, &options.count);
    if (options.count == 0) {
        fprintf(stderr,
                "graspmc run: --shard: this part is empty: %d parts share %" PRIu64 " trials\n",
                args->shard.count, total);
        return GMC_EXIT_USAGE;
    }
    options.shard = args->shard.index;
    options.shard_count = args->shard.count;
    status = gmc_describe_run(scenario, run->prepared->build, &options, &run->messages,
                              &run->description);
    const char *why = status == GMC_OK && args->stop.kind == GMC_STOP_SURROGATE
                          ? gmc_surrogate_until_refused(&run->description.plan)
                          : NULL;
    if (!why) return exit_of(run, status);
    char what[128];
    snprintf(what, sizeof what, "--until ... by surrogate: %s", why);
    return refuse_rule(
        run, "half_width<W  without  by surrogate  works for any run of random draws", what);
}

/// Starts that make every trial of a case unsolved, and moves that cannot be carried out or bend
/// joints, are said before anything runs. A ladder or a
/// ranking rejects such designs, and that is what it is for.
static gmc_exit warn_of_starts(gmc_run *run)
{
    enum { CASES = 64, TRIALS_ENOUGH = 16 }; // for one more than is asked for
    const gmc_scenario *scenario = &run->prepared->scenario;
    if (run->args->complete || run->args->quiet || run->args->no_warnings ||
        scenario->level_count > 0 || scenario->rank.is_given)
        return GMC_EXIT_DONE;
    gmc_nominal_starts starts;
    int64_t count = scenario->case_count < CASES ? scenario->case_count : CASES;
    gmc_status status = gmc_nominal_look(scenario, run->prepared->build, count, NULL, &starts);
    if (status == GMC_OK) gmc_nominal_warn_far(scenario, &starts, &run->messages);
    if (status == GMC_OK)
        status = gmc_overlaps_warn(run->args->input, run->prepared, &starts, false, &run->messages);
    if (status == GMC_OK && run->description.plan.count >= TRIALS_ENOUGH)
        status = gmc_moves_warn(run->prepared, &run->messages);
    // what a look cannot tell, the trials will
    return status == GMC_E_LIMIT ? GMC_EXIT_DONE : exit_of(run, status);
}

static gmc_exit open_output(gmc_run *run)
{
    const gmc_args *args = run->args;
    const gmc_scenario *scenario = &run->prepared->scenario;
    if (!args->force) gmc_signals_say(run->resume_line); // the journal comes to be now
    gmc_status status = gmc_running_create(&run->running, scenario->case_count,
                                           scenario->is_independent, args->level);
    if (status == GMC_OK)
        status = gmc_prefix_create(&run->prefix, args->stop, run->description.plan.count,
                                   scenario->case_count, args->level);
    if (status == GMC_OK && args->stop.kind == GMC_STOP_SURROGATE) {
        status = gmc_surrogate_until_open(scenario, &run->description.plan, &run->by_surrogate);
        run->prefix.ask = gmc_surrogate_until_ask;
        run->prefix.ask_context = &run->by_surrogate;
    }
    if (status == GMC_OK)
        status = run_rounds_open(args, &run->description.plan, &run->messages, &run->rounds);
    if (status != GMC_OK) return exit_of(run, status);
    const char *inputs[GMC_RUN_INPUTS] = {args->input, args->after};
    gmc_store_options options = {.path = run->out,
                                 .inputs = inputs,
                                 .input_count = args->after ? GMC_RUN_INPUTS : 1,
                                 .from = args->complete ? args->input : NULL,
                                 .is_open = run_complete_is_open,
                                 .open_context = &run->complete,
                                 .mode = args->force    ? GMC_JOURNAL_FORCE
                                         : args->resume ? GMC_JOURNAL_RESUME
                                                        : GMC_JOURNAL_NEW,
                                 .seen = see_kept,
                                 .seen_context = run,
                                 .progress = show_writing,
                                 .progress_context = run};
    status =
        gmc_store_open(&run->description.plan, &options, &run->messages, &run->store, &run->found);
    return exit_of(run, status != GMC_OK ? status : run->seen);
}

/// Who overlaps at the start of a trial; empty for subset simulation, whose trials follow from
/// those before them.
/// @return as gmc_rollouts_overlaps
static gmc_status find_overlaps(const gmc_prepared *prepared, uint64_t trial,
                                gmc_build_overlaps *found)
{
    *found = (gmc_build_overlaps){0};
    if (prepared->scenario.subset.runs > 0) return GMC_OK;
    gmc_rollouts rollouts = {.scenario = &prepared->scenario, .build = prepared->build};
    gmc_job job = gmc_rollouts_job(&rollouts);
    void *worker = NULL;
    gmc_status status = job.worker_create(job.context, 0, &worker);
    if (status == GMC_OK) status = gmc_rollouts_overlaps(worker, trial, found);
    job.worker_free(worker);
    return status;
}

/// Why a campaign that did not finish ended, and how to go on.
static gmc_exit explain(const gmc_run *run, gmc_status status)
{
    const char *signal = gmc_signals_caught();
    if (status == GMC_E_INTERRUPTED) {
        gmc_terminal_print(
            stderr, "stopped by %s: %" PRIu64 " of %" PRIu64 " trials are kept in %s.journal\n",
            signal ? signal : "the time limit", run->last.done, run->last.total, run->out);
        fputs(run->resume_line, stderr);
        return GMC_EXIT_INTERRUPTED;
    }
    if (status == GMC_E_MISSING && run->is_unstarted) {
        gmc_diagnostics said = {0};
        gmc_foreign_say_unstarted(&run->prepared->scenario, &said);
        gmc_diagnostics_print(&said, stderr);
        gmc_diagnostics_free(&said);
        return GMC_EXIT_MISSING;
    }
    if (status == GMC_E_TIMEOUT) {
        gmc_terminal_print(stderr,
                           "trial %" PRIu64 ": the controller did not answer within %g s "
                           "(control.answer_within); no verdict may come from a clock: the run "
                           "stops. %" PRIu64 " of %" PRIu64 " trials are kept in %s.journal\n",
                           run->hung, run->prepared->scenario.control.answer_within, run->last.done,
                           run->last.total, run->out);
        fputs(run->resume_line, stderr);
        return GMC_EXIT_INTERRUPTED;
    }
    if (status == GMC_E_NO_SOLUTION) {
        gmc_terminal_print(stderr,
                           "trial %" PRIu64 " is unsolved: %s, %s (seed %" PRIu64
                           "); it is kept in "
                           "%s.journal\n",
                           run->first_unsolved, gmc_reason_name(run->reason),
                           gmc_reason_about(run->reason), run->prepared->scenario.seed, run->out);
        gmc_build_overlaps overlaps;
        if (run->reason == GMC_REASON_DEEP_START &&
            find_overlaps(run->prepared, run->first_unsolved, &overlaps) == GMC_OK)
            gmc_overlaps_print(&overlaps, stderr);
        return GMC_EXIT_UNDECIDED;
    }
    return exit_of(run, status);
}

/// The rule came to its verdict: what was run behind its draw is not part of the result.
static gmc_status shorten(gmc_run *run, atomic_bool *stop)
{
    if (!gmc_signals_caught()) atomic_store(stop, false); // it was the campaign's own
    run->description.plan.count = gmc_prefix_trials(&run->prefix);
    return gmc_store_shorten(run->store, run->description.plan.count);
}

static gmc_exit run_trials(gmc_run *run, atomic_bool *stop)
{
    const gmc_args *args = run->args;
    const gmc_store_plan *plan = &run->description.plan;
    gmc_rollouts rollouts = {.scenario = &run->prepared->scenario,
                             .build = run->prepared->build,
                             .recording = gmc_rollouts_recording(&run->prepared->scenario),
                             .is_whole = args->complete,
                             .points = run->rounds.plan.points};
    gmc_job job = gmc_rollouts_job(&rollouts);
    run->sink = gmc_store_sink(run->store);
    gmc_sink sink = {
        .context = run, .put = put, .has = has, .end = end_of_kept, .sync = sync_store};
    gmc_progress progress = gmc_progress_create(
        args->quiet ? GMC_ARGS_PROGRESS_NONE : args->progress, stderr, &run->running);

    gmc_campaign_options options = gmc_campaign_defaults();
    options.first = plan->first;
    options.count = plan->count;
    options.worker_count = args->workers.is_given ? (int)args->workers.value : gmc_cores_usable();
    options.time_limit_s = args->time_limit;
    options.abort_on_unsolved = args->on_unsolved == GMC_ARGS_UNSOLVED_ABORT;
    options.kept = run->found.counts;
    options.is_enough = is_enough;
    options.enough_context = run;
    options.is_short = tell_of_workers;
    options.is_short_context = run;
    run->progress = &progress;
    run->worker_count = options.worker_count;
    options.progress = gmc_progress_show;
    options.progress_context = &progress;

    FILE *log = log_open(run->out, args->force);
    if (run->found.has_no_lock)
        gmc_terminal_print(stderr, "%s.journal: warning: %s\n", run->out, NO_LOCKS);
    const gmc_log_session session = {.argc = run->args->argc,
                                     .argv = run->args->argv,
                                     .workers = options.worker_count,
                                     .first = plan->first,
                                     .count = plan->count,
                                     .kept = run->found.kept};
    log_start(log, &session);
    if (run->found.has_no_lock) log_note(log, "no_locks", NO_LOCKS);
    gmc_status status =
        run->rounds.is_used
            ? gmc_rounds_run(&job, &sink, &run->rounds.plan, &options, stop, &run->last)
            : gmc_campaign_run(&job, &sink, &options, stop, &run->last);
    if (status == GMC_OK && run->last.is_enough) status = shorten(run, stop);
    if (status == GMC_OK) status = gmc_store_finish(run->store, stop);
    gmc_progress_clear(&progress);
    run->hung = atomic_load(&rollouts.hung);
    run->is_unstarted = atomic_load(&rollouts.foreign) == GMC_FOREIGN_FAILS;
    const char *how = status == GMC_OK ? "complete" : gmc_status_name(status);
    if (status == GMC_E_INTERRUPTED && gmc_signals_caught()) how = gmc_signals_caught();
    log_end(log, how, &run->last);
    if (log) fclose(log);
    if (status == GMC_OK) return GMC_EXIT_DONE;
    gmc_exit code = explain(run, status);
    print_messages(run);
    return code;
}

/// More draws after an answer: whoever goes on because of what it said, and stops when it pleases,
/// has an interval that misses the truth more often than it says. No property of the file, which is
/// that of a run in one go.
static void tell_of_looks(const gmc_run *run)
{
    const gmc_args *args = run->args;
    bool may_look = args->stop.kind != GMC_STOP_NEVER || run->rounds.is_used;
    if (run->found.answered == 0 || may_look || args->quiet || args->no_warnings) return;
    gmc_terminal_print(stderr,
                       "graspmc run: note: the first %" PRIu64
                       " trials had their answer before: this interval is for a number of draws "
                       "that did not depend on it; the rule of --decide may be asked of the file "
                       "at any number\n",
                       run->found.answered);
}

/// Read the finished file back: what is printed is what is stored. A part of a run in which nothing
/// was decided has done its work: the whole says so.
static gmc_exit answer(gmc_run *run)
{
    gmc_answer_end end = {0};
    const gmc_store_plan *plan = &run->description.plan;
    if (run->args->complete && !run->args->quiet && !run->args->json)
        gmc_terminal_print(stdout,
                           "completed %" PRIu64 " of the %" PRIu64 " trials of %s: they ran to "
                           "their end\n",
                           run->complete.open, run->complete.count, run->args->input);
    gmc_status status =
        gmc_answer_file(run->out, plan, run->prepared, run->args, &run->messages, &end);
    gmc_exit code = exit_of(run, status);
    print_messages(run);
    if (status == GMC_OK) tell_of_looks(run);
    const gmc_store_method *method = gmc_store_method_of(plan);
    bool is_sought = method->verdict && plan->shard_count == 0; // a part of a round finds nothing
    bool has_question = run->args->stop.kind != GMC_STOP_NEVER || is_sought;
    bool is_asked = status == GMC_OK && has_question;
    if (is_asked) return gmc_exit_of_verdict(end.verdict);
    bool is_part = run->args->shard.count > 0 || run->args->has_trials;
    return status == GMC_OK && end.is_undecided && !is_part ? GMC_EXIT_UNDECIDED : code;
}

gmc_exit gmc_run_main(const gmc_args *args)
{
    gmc_run run = {.args = args};
    run.prepared = &run.own;
    gmc_exit code = name_output(&run);
    atomic_bool *stop = gmc_signals_catch();
    if (code == GMC_EXIT_DONE) code = prepare(&run);
    if (code == GMC_EXIT_DONE) code = warn_of_starts(&run);
    if (code == GMC_EXIT_DONE) {
        print_messages(&run); // warnings
        code = open_output(&run);
    }
    gmc_signals_hold();
    if (code == GMC_EXIT_DONE && !run.found.is_complete) code = run_trials(&run, stop);
    print_messages(&run);
    gmc_store_close(run.store); // before the result is read, which would find it locked
    if (code == GMC_EXIT_DONE && !args->is_round) {
        gmc_signals_say(run.show_line);
        gmc_signals_grace();
        code = answer(&run);
    }

    gmc_signals_say(NULL);
    free(run.out);
    free(run.resume_line);
    free(run.show_line);
    gmc_running_free(&run.running);
    gmc_prefix_free(&run.prefix);
    gmc_surrogate_until_free(&run.by_surrogate);
    run_rounds_free(&run.rounds);
    gmc_description_free(&run.description);
    if (run.complete.stored.result) run_complete_close(&run.complete, GMC_OK);
    gmc_prepared_free(&run.own);
    return code;
}

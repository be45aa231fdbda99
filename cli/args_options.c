// One row per option: its parser writes straight into gmc_args.
#include "cli/args.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RUN     (1U << GMC_COMMAND_RUN)
#define CHECK   (1U << GMC_COMMAND_CHECK)
#define SHOW    (1U << GMC_COMMAND_SHOW)
#define REPLAY  (1U << GMC_COMMAND_REPLAY)
#define MERGE   (1U << GMC_COMMAND_MERGE)
#define STATUS  (1U << GMC_COMMAND_STATUS)
#define COMPARE (1U << GMC_COMMAND_COMPARE)
#define EXTRACT (1U << GMC_COMMAND_EXTRACT)
#define EXPORT  (1U << GMC_COMMAND_EXPORT)
#define RANK    (1U << GMC_COMMAND_RANK)

/// Every command that reads or writes results.
#define RESULTS (((1U << GMC_COMMAND_COUNT) - 1) & ~CHECK)

const gmc_command gmc_args_commands[GMC_COMMAND_COUNT] = {
    [GMC_COMMAND_RUN] = {"run", "SCENARIO", "run trials and write the results to an HDF5 file"},
    [GMC_COMMAND_CHECK] = {"check", "SCENARIO", "all mistakes of a scenario, or what would run"},
    [GMC_COMMAND_SHOW] = {"show", "OUT.h5",
                          "estimates, outcomes, cases and histograms of a result"},
    [GMC_COMMAND_REPLAY] = {"replay", "OUT.h5",
                            "repeat one stored trial alone, every step recorded"},
    [GMC_COMMAND_MERGE] = {"merge", "PART.h5...", "the parts of a run into the result of the whole",
                           .takes_many = true},
    [GMC_COMMAND_STATUS] = {"status", "OUT.h5|DIR...",
                            "how far runs are, and what is missing of sharded ones",
                            .takes_many = true},
    [GMC_COMMAND_COMPARE] = {"compare", "A.h5 B.h5",
                             "two results pair by pair: is the second worse?", .takes_many = true},
    [GMC_COMMAND_EXTRACT] = {"extract", "OUT.h5", "one stored trial as a scenario with its files"},
    [GMC_COMMAND_EXPORT] = {"export", "OUT.h5", "trials, or the motion of one, as CSV"},
    [GMC_COMMAND_RANK] = {"rank", "OUT.h5", "cases in order of success; the best as a grasp file"},
};

// --- texts to values ---

static bool whole(const char *text, uint64_t lowest, uint64_t highest, uint64_t *value)
{
    if (text[0] < '0' || text[0] > '9') return false; // strtoull would take "-1" and " 1"
    char *end = NULL;
    errno = 0;
    unsigned long long found = strtoull(text, &end, 10);
    if (errno != 0 || *end != 0 || found < lowest || found > highest) return false;
    *value = found;
    return true;
}

static bool count(const char *text, int64_t lowest, int64_t *value)
{
    uint64_t found;
    if (!whole(text, (uint64_t)lowest, INT64_MAX, &found)) return false;
    *value = (int64_t)found;
    return true;
}

/// A finite decimal number at the start of the text; `rest` is what follows it.
static bool real(const char *text, double *value, const char **rest)
{
    if (strchr("0123456789.", text[0]) == NULL || text[0] == 0) return false;
    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) return false;
    char *end = NULL;
    *value = strtod(text, &end);
    *rest = end;
    return end != text && isfinite(*value);
}

static bool parse_out(const char *text, gmc_args *args)
{
    args->out = text;
    return text[0] != 0;
}

static bool parse_draws(const char *text, gmc_args *args) { return count(text, 1, &args->draws); }

static bool parse_workers(const char *text, gmc_args *args)
{
    return count(text, 1, &args->workers) && args->workers <= 4096;
}

static bool parse_seed(const char *text, gmc_args *args)
{
    args->has_seed = true;
    return whole(text, 0, UINT64_MAX, &args->seed);
}

static bool parse_set(const char *text, gmc_args *args)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || equals[1] == 0) return false;
    if (args->set_count == GMC_ARGS_SET_MAX) return false;
    args->sets[args->set_count++] = text;
    return true;
}

static bool parse_trials(const char *text, gmc_args *args)
{
    char first[24];
    const char *colon = strchr(text, ':');
    if (!colon || (size_t)(colon - text) >= sizeof first) return false;
    memcpy(first, text, (size_t)(colon - text));
    first[colon - text] = 0;
    args->has_trials = true;
    return whole(first, 0, INT64_MAX, &args->trial_first) &&
           whole(colon + 1, args->trial_first + 1, INT64_MAX, &args->trial_end);
}

static bool parse_shard(const char *text, gmc_args *args)
{
    return gmc_shard_parse(text, &args->shard);
}

static bool parse_until(const char *text, gmc_args *args)
{
    args->has_until = true;
    return gmc_stop_parse(text, &args->stop) && args->stop.kind == GMC_STOP_HALF_WIDTH;
}

static bool parse_decide(const char *text, gmc_args *args)
{
    args->has_decide = true;
    return gmc_stop_parse(text, &args->stop) && args->stop.kind != GMC_STOP_HALF_WIDTH;
}

static bool parse_trajectories(const char *text, gmc_args *args)
{
    static const struct {
        const char *word;
        gmc_args_record record;
    } WORDS[] = {{"none", GMC_ARGS_RECORD_NONE},
                 {"failures", GMC_ARGS_RECORD_FAILURES},
                 {"all", GMC_ARGS_RECORD_ALL}};
    for (size_t i = 0; i < sizeof WORDS / sizeof WORDS[0]; i++)
        if (strcmp(text, WORDS[i].word) == 0) {
            args->record = WORDS[i].record;
            return true;
        }
    if (strncmp(text, "first:", 6) != 0 && strncmp(text, "every:", 6) != 0) return false;
    args->record = text[0] == 'f' ? GMC_ARGS_RECORD_FIRST : GMC_ARGS_RECORD_EVERY;
    return count(text + 6, 1, &args->record_count);
}

static bool parse_rate(const char *text, gmc_args *args)
{
    const char *rest;
    if (!real(text, &args->rate, &rest)) return false;
    while (*rest == ' ')
        rest++;
    return *rest == 0 || strcmp(rest, "Hz") == 0;
}

static bool parse_design(const char *text, gmc_args *args)
{
    args->design = text;
    return text[0] != 0;
}

static bool parse_stepper(const char *text, gmc_args *args)
{
    args->stepper = text;
    return text[0] != 0;
}

static bool parse_solver(const char *text, gmc_args *args)
{
    args->solver = text;
    return text[0] != 0;
}

static bool parse_step(const char *text, gmc_args *args)
{
    args->step = text;
    return text[0] != 0;
}

static bool parse_on_unsolved(const char *text, gmc_args *args)
{
    args->abort_on_unsolved = strcmp(text, "abort") == 0;
    return args->abort_on_unsolved || strcmp(text, "record") == 0;
}

static bool parse_time_limit(const char *text, gmc_args *args)
{
    static const struct {
        const char *unit;
        double seconds;
    } UNITS[] = {{"", 1}, {"s", 1}, {"m", 60}, {"min", 60}, {"h", 3600}, {"d", 86400}};
    const char *rest;
    if (!real(text, &args->time_limit, &rest) || args->time_limit <= 0) return false;
    while (*rest == ' ')
        rest++;
    for (size_t i = 0; i < sizeof UNITS / sizeof UNITS[0]; i++)
        if (strcmp(rest, UNITS[i].unit) == 0) {
            args->time_limit *= UNITS[i].seconds;
            return true;
        }
    return false;
}

static bool parse_level(const char *text, gmc_args *args)
{
    const char *rest;
    return real(text, &args->level, &rest) && *rest == 0 && args->level >= 0.5 && args->level < 1;
}

static bool parse_progress(const char *text, gmc_args *args)
{
    static const char *const WORDS[] = {"auto", "bar", "plain", "json", "none"};
    for (size_t i = 0; i < sizeof WORDS / sizeof WORDS[0]; i++)
        if (strcmp(text, WORDS[i]) == 0) {
            args->progress = (gmc_args_progress)i;
            return true;
        }
    return false;
}

static bool parse_best(const char *text, gmc_args *args) { return count(text, 1, &args->best); }

static bool parse_per(const char *text, gmc_args *args)
{
    args->per_object = strcmp(text, "object") == 0;
    return args->per_object || strcmp(text, "all") == 0;
}

static bool parse_by(const char *text, gmc_args *args)
{
    args->by = text;
    return text[0] != 0;
}

static bool parse_where(const char *text, gmc_args *args)
{
    args->where = text;
    return text[0] != 0;
}

static bool parse_rebin(const char *text, gmc_args *args)
{
    if (text[0] == 0 || args->rebin_count == GMC_ARGS_REBIN_MAX) return false;
    args->rebins[args->rebin_count++] = text;
    return true;
}

static bool parse_sensitivity(const char *text, gmc_args *args)
{
    args->sensitivity = text;
    return text[0] != 0;
}

static bool parse_success(const char *text, gmc_args *args)
{
    args->success = text;
    return text[0] != 0;
}

static bool parse_fail_if(const char *text, gmc_args *args)
{
    return gmc_gate_parse(text, &args->gate);
}

static bool parse_trial(const char *text, gmc_args *args)
{
    args->has_trial = true;
    return whole(text, 0, INT64_MAX, &args->trial);
}

static bool parse_hdf5_locking(const char *text, gmc_args *args)
{
    static const char *const WORDS[][2] = {
        {"off", "FALSE"}, {"best-effort", "BEST_EFFORT"}, {"on", "TRUE"}};
    for (size_t i = 0; i < sizeof WORDS / sizeof WORDS[0]; i++)
        if (strcmp(text, WORDS[i][0]) == 0) {
            args->hdf5_locking = WORDS[i][1];
            return true;
        }
    return false;
}

static bool parse_to(const char *text, gmc_args *args)
{
    return args->to_csv = strcmp(text, "csv") == 0;
}

static bool parse_contacts(const char *text, gmc_args *args)
{
    return (void)text, args->contacts = true;
}

static bool parse_force(const char *text, gmc_args *args) { return (void)text, args->force = true; }

static bool parse_resume(const char *text, gmc_args *args)
{
    return (void)text, args->resume = true;
}

static bool parse_grasps(const char *text, gmc_args *args)
{
    return (void)text, args->grasps = true;
}

static bool parse_parameters(const char *text, gmc_args *args)
{
    return (void)text, args->parameters = true;
}

static bool parse_expanded(const char *text, gmc_args *args)
{
    return (void)text, args->expanded = true;
}

static bool parse_pilot(const char *text, gmc_args *args)
{
    uint64_t count = 0;
    if (!whole(text, 1, 100000, &count)) return false;
    args->pilot = (int64_t)count;
    return true;
}

static bool parse_json(const char *text, gmc_args *args) { return (void)text, args->json = true; }

static bool parse_shapes(const char *text, gmc_args *args)
{
    return (void)text, args->json = args->shapes = true;
}

static bool parse_quiet(const char *text, gmc_args *args) { return (void)text, args->quiet = true; }

static bool parse_help(const char *text, gmc_args *args)
{
    return (void)text, args->wants_help = true;
}

// --- the table; the help prints it in this order ---

const gmc_option gmc_args_options[] = {
    {'o', "output", "OUT.h5", "result file (default: SCENARIO.h5, in this folder)", NULL, parse_out,
     "the name of a file", RUN},
    {'o', "output", "TRIAL.h5", "keep the trial's motion, every step of it", NULL, parse_out,
     "the name of a file", REPLAY},
    {'o', "output", "ALL.h5", "result file", NULL, parse_out, "the name of a file", MERGE},
    {'o', "output", "DIR", "folder to make: scenario.yaml and the files it uses", NULL, parse_out,
     "the name of a folder", EXTRACT},
    {'o', "output", "FILE", "file to write (default: standard output)", NULL, parse_out,
     "the name of a file", EXPORT},
    {'o', "output", "BEST.yaml", "grasp file of the best: isaac_grasp or CSV", NULL, parse_out,
     "the name of a file", RANK},
    {0, "best", "K", "how many to show or write (default: 10)", NULL, parse_best,
     "a whole number, at least 1", RANK},
    {0, "per", "WHAT", "object: of each object its best", "object all", parse_per, "object or all",
     RANK},
    {0, "to", "FORMAT", "csv", "csv", parse_to, "csv", EXPORT},
    {'n', "draws", "N", "draws per case, instead of the scenario's", NULL, parse_draws,
     "a whole number, at least 1", RUN | CHECK},
    {'j', "jobs", "N", "worker threads (default: one per core)", NULL, parse_workers,
     "a whole number from 1 to 4096", RUN | CHECK},
    {0, "seed", "S", "seed of all chance, instead of the scenario's", NULL, parse_seed,
     "a whole number from 0 to 18446744073709551615", RUN | CHECK | GMC_OPTION_OVERRIDE},
    {0, "design", "NAME", "random, sobol, latin_hypercube, sensitivity or morris",
     "random sobol latin_hypercube sensitivity morris", parse_design, "a name",
     RUN | CHECK | GMC_OPTION_OVERRIDE},
    {0, "set", "PATH=VALUE", "change a value of the scenario; may be repeated", NULL, parse_set,
     "PATH=VALUE, as in object.mass='0.2 kg', at most 256 times", RUN | CHECK},
    {0, "trials", "A:B", "only trials A <= number < B", NULL, parse_trials,
     "A:B with 0 <= A < B, as in 0:500", RUN},
    {0, "shard", "I/N", "only part I of N; or slurm: this task of an array", "slurm", parse_shard,
     "I/N with 1 <= I <= N, as in 3/64, or slurm in a task of a Slurm array", RUN},
    {0, "until", "RULE", "stop when it is known so well: 'half_width<0.01'", NULL, parse_until,
     "half_width<W with W between 0 and 1, as in 'half_width<0.01'", RUN | CHECK | SHOW | MERGE},
    {0, "decide", "RULE", "stop when this is known: 'success>=0.9'", NULL, parse_decide,
     "success>=P or success<=P with P between 0 and 1, as in 'success>=0.95'", RUN | SHOW | MERGE},
    {0, "trajectories", "WHICH", "none, failures, first:K, every:K or all",
     "none failures first: every: all", parse_trajectories,
     "none, failures, first:K, every:K or all", RUN},
    {0, "rate", "HZ", "rows per second of a kept trajectory; 0: every step", NULL, parse_rate,
     "a number of at least 0, in Hz", RUN | GMC_OPTION_OVERRIDE},
    {0, "stepper", "NAME", "law of contact and its time stepping", NULL, parse_stepper, "a name",
     RUN | CHECK | GMC_OPTION_OVERRIDE},
    {0, "solver", "NAME", "solver of the contact problem", NULL, parse_solver, "a name",
     RUN | CHECK | GMC_OPTION_OVERRIDE},
    {0, "step", "S", "length of a time step, as in 0.002 or '2 ms'", NULL, parse_step,
     "a time, as in 0.002 or '2 ms'", RUN | CHECK | GMC_OPTION_OVERRIDE},
    {0, "force", NULL, "replace an existing result", NULL, parse_force, NULL,
     RUN | REPLAY | MERGE | EXPORT | RANK},
    {0, "resume", NULL, "go on with an interrupted run", NULL, parse_resume, NULL, RUN},
    {0, "on-unsolved", "WHAT", "record it (default), or abort the run", "record abort",
     parse_on_unsolved, "record or abort", RUN},
    {0, "time-limit", "T", "stop, resumable, after this wall time: 90, 55m, 2h", NULL,
     parse_time_limit, "a time, as in 90, 55m or 2h", RUN},
    {0, "level", "P", "level of the intervals (default 0.95)", NULL, parse_level,
     "a number from 0.5 to below 1", RUN | CHECK | SHOW | MERGE | COMPARE | RANK},
    {0, "progress", "HOW", "auto, bar, plain, json or none; goes to stderr",
     "auto bar plain json none", parse_progress, "auto, bar, plain, json or none", RUN},
    {0, "pilot", "N", "run so many trials: time, memory and disk of the run", NULL, parse_pilot,
     "a whole number from 1 to 100000", CHECK},
    {0, "parameters", NULL, "numbers that uncertain, study and --set can name", NULL,
     parse_parameters, NULL, CHECK},
    {0, "expanded", NULL, "print the scenario with every default filled in", NULL, parse_expanded,
     NULL, CHECK},
    {0, "by", "PARAMETER", "only the histogram over it, or over two: A,B", NULL, parse_by,
     "the path of a parameter, or two with a comma between", SHOW},
    {0, "rebin", "BINS", "other bins: 20, PATH=20 or PATH='0.1 kg, 0.2 kg, 1 kg'", NULL,
     parse_rebin, "a number of bins, PATH=NUMBER or PATH=EDGES, at most twice", SHOW},
    {0, "where", "EXPR", "only trials like 'friction.a/b > 0.2 and slip < 5 mm'", NULL, parse_where,
     "a claim over parameters and columns, as in 'object.mass < 0.2 kg'", SHOW},
    {0, "grasps", NULL, "the gap between hand and object for each grasp", NULL, parse_grasps, NULL,
     CHECK},
    {0, "sensitivity", "OF", "what matters for success, or a formula of columns", "success",
     parse_sensitivity, "success or a formula over columns, as in slip", SHOW},
    {0, "success", "EXPR", "judge anew by columns: 'slip <= 5 mm and lift > 0.1'", NULL,
     parse_success, "a criterion over columns, as in 'slip <= 5 mm and lift >= 60 mm'", SHOW},
    {0, "fail-if", "RULE", "exit 1 if B is 'worse by 0.02', 2 if that is open", NULL, parse_fail_if,
     "worse by X with X from 0 to below 1, as in 'worse by 0.02'", COMPARE},
    {0, "trial", "I", "number of the trial", NULL, parse_trial, "a whole number, at least 0",
     REPLAY | EXTRACT},
    {0, "trial", "I", "the motion of this trial, in place of all trials", NULL, parse_trial,
     "a whole number, at least 0", EXPORT},
    {0, "contacts", NULL, "with --trial: its contacts, in place of its motion", NULL,
     parse_contacts, NULL, EXPORT},
    {0, "json", NULL, "print the answer as JSON", NULL, parse_json, NULL,
     RUN | CHECK | SHOW | REPLAY | MERGE | STATUS | COMPARE | EXTRACT | EXPORT | RANK},
    {0, "shapes", NULL, "add the shapes of all bodies to the answer as JSON", NULL, parse_shapes,
     NULL, REPLAY},
    {0, "hdf5-locking", "HOW", "locks on HDF5 files: off (default), best-effort, on",
     "off best-effort on", parse_hdf5_locking, "off, best-effort or on",
     RESULTS | GMC_OPTION_GENERAL},
    {'q', "quiet", NULL, "no progress; only the answer", NULL, parse_quiet, NULL,
     RUN | REPLAY | MERGE},
    {'h', "help", NULL, "this help", NULL, parse_help, NULL,
     RUN | CHECK | SHOW | REPLAY | MERGE | STATUS | COMPARE | EXTRACT | EXPORT | RANK},
};
const int gmc_args_option_count = (int)(sizeof gmc_args_options / sizeof gmc_args_options[0]);

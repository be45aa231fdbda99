// getopt_long was tried on paper and left: it prints its own messages, stops at the first mistake,
// and its tables would stand beside the one below.
#include "cli/options/args.h"

#include "cli/process/terminal.h"
#include "engine/base/check.h"
#include "engine/base/printable.h"
#include "engine/base/status.h"
#include "sampling/language/nearest.h"
#include "sampling/language/yaml.h"

#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RUN      (1U << GMC_COMMAND_RUN)
#define CHECK    (1U << GMC_COMMAND_CHECK)
#define SHOW     (1U << GMC_COMMAND_SHOW)
#define REPLAY   (1U << GMC_COMMAND_REPLAY)
#define MERGE    (1U << GMC_COMMAND_MERGE)
#define STATUS   (1U << GMC_COMMAND_STATUS)
#define COMPARE  (1U << GMC_COMMAND_COMPARE)
#define EXTRACT  (1U << GMC_COMMAND_EXTRACT)
#define EXPORT   (1U << GMC_COMMAND_EXPORT)
#define RANK     (1U << GMC_COMMAND_RANK)
#define OPTIMISE (1U << GMC_COMMAND_OPTIMISE)
#define NEW      (1U << GMC_COMMAND_NEW)

/// Every command that reads or writes results.
#define RESULTS (((1U << GMC_COMMAND_COUNT) - 1) & ~(CHECK | NEW))

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
    [GMC_COMMAND_OPTIMISE] = {"optimise", "SCENARIO",
                              "numbers in ranges for the best success, or quantile"},
    [GMC_COMMAND_NEW] = {"new", "HAND [OBJECT]", "a scenario to start from, of a hand and a mesh",
                         .takes_many = true},
};

// --- what options expect ---

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

static bool read_trials(const char *text, gmc_args *args)
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

static bool read_shard(const char *text, gmc_args *args)
{
    return gmc_shard_parse(text, &args->shard);
}

static bool read_until(const char *text, gmc_args *args)
{
    args->has_until = true;
    return gmc_stop_parse(text, &args->stop) && gmc_stop_is_width(args->stop.kind);
}

static bool read_decide(const char *text, gmc_args *args)
{
    args->has_decide = true;
    return gmc_stop_parse(text, &args->stop) && !gmc_stop_is_width(args->stop.kind);
}

static bool read_time_limit(const char *text, gmc_args *args)
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

/// "0.5,0.95": rising numbers from 1e-6 to 1 - 1e-6.
static bool shares(const char *text, gmc_args *args)
{
    static const double LEAST = 1e-6;
    args->quantile_count = 0;
    for (const char *at = text;; at++) {
        double p;
        if (args->quantile_count == GMC_ARGS_QUANTILES_MAX || !real(at, &p, &at)) return false;
        if (!(p >= LEAST && p <= 1 - LEAST)) return false;
        int i = args->quantile_count++;
        for (; i > 0 && args->quantile_p[i - 1] > p; i--)
            args->quantile_p[i] = args->quantile_p[i - 1];
        args->quantile_p[i] = p;
        if (*at != ',') return *at == 0;
    }
}

static bool read_quantile(const char *text, gmc_args *args)
{
    const char *colon = strchr(text, ':');
    size_t length = colon ? (size_t)(colon - text) : strlen(text);
    if (length == 0 || length >= sizeof args->quantile_of) return false;
    memcpy(args->quantile_of, text, length);
    args->quantile_of[length] = 0;
    args->quantile = text;
    return shares(colon ? colon + 1 : "0.05,0.5,0.95", args);
}

static bool read_fail_if(const char *text, gmc_args *args)
{
    return gmc_gate_parse(text, &args->gate);
}

static bool read_hdf5_locking(const char *text, gmc_args *args)
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

/// PATH=VALUE, neither empty.
static bool is_setting(const char *text)
{
    const char *equals = strchr(text, '=');
    return equals && equals != text && equals[1] != 0;
}

static bool is_trajectories(const char *text)
{
    static const char *const WORDS[] = {"none", "failures", "all"};
    uint64_t count;
    for (int i = 0; i < GMC_COUNT(WORDS); i++)
        if (strcmp(text, WORDS[i]) == 0) return true;
    return (strncmp(text, "first:", 6) == 0 || strncmp(text, "every:", 6) == 0) &&
           whole(text + 6, 1, INT64_MAX, &count);
}

static bool is_material(const char *text)
{
    return text[strspn(text, "abcdefghijklmnopqrstuvwxyz_0123456789")] == 0;
}

// --- the table ---

/// Where a member of gmc_args stands; one of another type does not compile.
#define PLACE(type, member) _Generic(((gmc_args *)0)->member, type : offsetof(gmc_args, member))

#define FLAG(member) .kind = GMC_OPTION_FLAG, .place = PLACE(bool, member)
#define TEXT(member) .kind = GMC_OPTION_TEXT, .place = PLACE(const char *, member)
#define LIST(member, top)                                                                          \
    .kind = GMC_OPTION_LIST, .place = PLACE(gmc_args_list, member), .most = top
#define WORD(type, member) .kind = GMC_OPTION_WORD, .place = PLACE(type, member)
#define WHOLE(member, low, top)                                                                    \
    .kind = GMC_OPTION_WHOLE, .place = PLACE(gmc_args_whole, member), .least = low, .most = top
#define REAL(member, low, end, si)                                                                 \
    .kind = GMC_OPTION_REAL, .place = PLACE(double, member), .from = low, .below = end, .unit = si
#define OWN(function) .kind = GMC_OPTION_OWN, .read = function
#define SETTINGS      LIST(sets, GMC_ARGS_SET_MAX), .accepts = is_setting

/// The help prints them in this order.
const gmc_option gmc_args_options[] = {
    {'o', "output", "OUT.h5", "result file (default: SCENARIO.h5, in this folder)", TEXT(out),
     .expects = "the name of a file", .commands = RUN},
    {'o', "output", "TRIAL.h5", "keep the trial's motion, every step of it", TEXT(out),
     .expects = "the name of a file", .commands = REPLAY},
    {'o', "output", "ALL.h5", "result file", TEXT(out), .expects = "the name of a file",
     .commands = MERGE},
    {'o', "output", "DIR", "folder to make: scenario.yaml and the files it uses", TEXT(out),
     .expects = "the name of a folder", .commands = EXTRACT},
    {'o', "output", "FILE", "file to write (default: standard output)", TEXT(out),
     .expects = "the name of a file", .commands = EXPORT},
    {'o', "output", "BEST.yaml", "grasp file of the best: isaac_grasp or CSV", TEXT(out),
     .expects = "the name of a file", .commands = RANK},
    {'o', "output", "DIR", "folder of results (default: SCENARIO.optimise, here)", TEXT(out),
     .expects = "the name of a folder", .commands = OPTIMISE},
    {'o', "output", "FILE.yaml", "file to write (default: standard output)", TEXT(out),
     .expects = "the name of a file", .commands = NEW},
    {0, "frame", "LINK", "link that is placed (default: a tcp, or the base)", TEXT(frame),
     .expects = "the name of a link", .commands = NEW},
    {0, "material", "NAME", "of the object (default: plastic)", TEXT(material),
     .accepts = is_material,
     .values = "rubber wood cardboard plastic steel aluminium glass ceramic concrete ptfe",
     .expects = "a word", .commands = NEW},
    {0, "mass", "KG", "of the object (default: its volume at 500 kg/m3)",
     REAL(mass, DBL_TRUE_MIN, INFINITY, "kg"), .expects = "a mass above 0, in kg", .commands = NEW},
    {0, "best", "K", "how many to show or write (default: rank.best, or 10)",
     WHOLE(best, 1, INT64_MAX), .expects = "a whole number, at least 1", .commands = RANK},
    {0, "per", "WHAT", "object: of each object its best", WORD(unsigned, per),
     .values = "object all", .commands = RANK},
    {0, "to", "FORMAT", "csv, the default", WORD(unsigned, to), .values = "csv",
     .commands = EXPORT},
    {'n', "draws", "N", "draws per case, instead of the scenario's", WHOLE(draws, 1, INT64_MAX),
     .expects = "a whole number, at least 1", .commands = RUN | CHECK, .path = "sampling.draws"},
    {'j', "jobs", "N", "worker threads (default: one per core)", WHOLE(workers, 1, 4096),
     .expects = "a whole number from 1 to 4096", .commands = RUN | CHECK | OPTIMISE},
    {0, "seed", "S", "random seed, instead of the scenario's", WHOLE(seed, 0, UINT64_MAX),
     .expects = "a whole number from 0 to 18446744073709551615",
     .commands = RUN | CHECK | OPTIMISE | GMC_OPTION_OVERRIDE, .path = "sampling.seed"},
    {0, "design", "NAME", "random, sobol, latin_hypercube, sensitivity or morris", TEXT(design),
     .values = "random sobol latin_hypercube sensitivity morris", .expects = "a name",
     .commands = RUN | CHECK | GMC_OPTION_OVERRIDE, .path = "sampling.design"},
    {0, "set", "PATH=VALUE", "change a value of the scenario; may be repeated", SETTINGS,
     .expects = "PATH=VALUE, as in object.mass='0.2 kg', at most 256 times",
     .commands = RUN | CHECK | GMC_OPTION_AGAIN},
    {0, "set", "PATH=VALUE", "study.optimise.budget=6000, from 1848 on; repeatable", SETTINGS,
     .expects = "PATH=VALUE, as in object.mass='0.2 kg', at most 256 times",
     .commands = OPTIMISE | GMC_OPTION_AGAIN},
    {0, "allow", "DIR", "`use:` may lead there; --allow-control: run `control`",
     LIST(allow, GMC_ARGS_ALLOW_MAX), .expects = "a folder, at most 64 times",
     .commands = RUN | CHECK | OPTIMISE | GMC_OPTION_AGAIN},
    {0, "allow-control", NULL, "run the library or command of `control`", FLAG(allow_control),
     .commands = REPLAY | EXTRACT},
    {0, "allow-control", NULL, "run the library or command of `control`", FLAG(allow_control),
     .commands = RUN | CHECK | OPTIMISE | GMC_OPTION_BESIDE},
    {0, "trials", "A:B", "only trials A <= number < B", OWN(read_trials),
     .expects = "A:B with 0 <= A < B, as in 0:500", .commands = RUN},
    {0, "shard", "I/N", "only part I of N; or slurm: this task of an array", OWN(read_shard),
     .values = "slurm",
     .expects = "I/N with 1 <= I <= N, as in 3/64, or slurm in a task of a Slurm array",
     .commands = RUN},
    {0, "shard", "I/N", "only part I of N of the next round; or slurm", OWN(read_shard),
     .values = "slurm",
     .expects = "I/N with 1 <= I <= N, as in 3/64, or slurm in a task of a Slurm array",
     .commands = OPTIMISE},
    {0, "after", "STATE.h5", "ranking: the --shard is of the round after these", TEXT(after),
     .expects = "the name of a file", .commands = RUN},
    {0, "until", "RULE", "stop when it is known so well: 'half_width<0.01'", OWN(read_until),
     .expects = "half_width<W with W between 0 and 1, as in 'half_width<0.01'; of a run also "
                "'half_width<0.01 by surrogate'",
     .commands = RUN | CHECK | SHOW | MERGE},
    {0, "decide", "RULE", "stop when this is known: 'success>=0.9'", OWN(read_decide),
     .expects = "success>=P or success<=P with P between 0 and 1, as in 'success>=0.95'",
     .commands = RUN | SHOW | MERGE},
    {0, "trajectories", "WHICH", "none, failures, first:K, every:K or all", TEXT(trajectories),
     .accepts = is_trajectories, .values = "none failures first: every: all",
     .expects = "none, failures, first:K, every:K or all", .commands = RUN,
     .path = "output.trajectories"},
    {0, "rate", "HZ", "rows per second of a kept trajectory; 0: every step",
     REAL(rate, 0, INFINITY, "Hz"), .expects = "a number of at least 0, in Hz",
     .commands = RUN | GMC_OPTION_OVERRIDE, .path = "output.rate"},
    {0, "stepper", "NAME", "law of contact and its time stepping", TEXT(stepper),
     .expects = "a name", .commands = RUN | CHECK | OPTIMISE | GMC_OPTION_OVERRIDE,
     .path = "simulation.stepper"},
    {0, "solver", "NAME", "solver of the contact problem", TEXT(solver), .expects = "a name",
     .commands = RUN | CHECK | OPTIMISE | GMC_OPTION_OVERRIDE, .path = "simulation.solver"},
    {0, "step", "S", "length of a time step, as in 0.002 or '2 ms'", TEXT(step),
     .expects = "a time, as in 0.002 or '2 ms'",
     .commands = RUN | CHECK | OPTIMISE | GMC_OPTION_OVERRIDE, .path = "simulation.step"},
    {0, "force", NULL, "replace what such a command wrote before", FLAG(force),
     .commands = RUN | REPLAY | MERGE | EXPORT | RANK | NEW},
    {0, "resume", NULL, "go on with an interrupted run", FLAG(resume), .commands = RUN},
    {0, "complete", NULL, "trials of OUT.h5 that --success EXPR leaves open", FLAG(complete),
     .commands = RUN},
    {0, "on-unsolved", "WHAT", "record it (default), or abort the run", WORD(unsigned, on_unsolved),
     .values = "record abort", .commands = RUN},
    {0, "time-limit", "T", "stop, resumable, after this wall time: 90, 55m, 2h",
     OWN(read_time_limit), .expects = "a time, as in 90, 55m or 2h", .commands = RUN},
    {0, "level", "P", "level of the intervals (default 0.95)", REAL(level, 0.5, 1, ""),
     .expects = "a number from 0.5 to below 1",
     .commands = RUN | CHECK | SHOW | MERGE | COMPARE | RANK | OPTIMISE},
    {0, "progress", "HOW", "auto, bar, plain, json or none; goes to stderr",
     WORD(gmc_args_progress, progress), .values = "auto bar plain json none",
     .commands = RUN | OPTIMISE},
    {0, "pilot", "N", "run so many trials: time, memory and disk of the run",
     WHOLE(pilot, 1, 100000), .expects = "a whole number from 1 to 100000", .commands = CHECK},
    {0, "model", NULL, "the model as read: links, joints, shapes, contact", FLAG(model),
     .commands = CHECK},
    {0, "parameters", NULL, "numbers that uncertain, study and --set can name", FLAG(parameters),
     .commands = CHECK},
    {0, "expanded", NULL, "print the scenario with every default filled in", FLAG(expanded),
     .commands = CHECK},
    {0, "by", "PARAMETER", "only the histogram over it, or over two: A,B", TEXT(by),
     .expects = "the path of a parameter, or two with a comma between", .commands = SHOW,
     .joint = "--by A,B"},
    {0, "rebin", "BINS", "other bins: 20, PATH=20 or PATH='0.1 kg, 0.2 kg, 1 kg'",
     LIST(rebins, GMC_ARGS_REBIN_MAX),
     .expects = "a number of bins, PATH=NUMBER or PATH=EDGES, at most twice",
     .commands = SHOW | GMC_OPTION_AGAIN},
    {0, "where", "EXPR", "only trials like 'friction.a/b > 0.2 and slip < 5 mm'", TEXT(where),
     .expects = "a condition over parameters and columns, as in 'object.mass < 0.2 kg'",
     .commands = SHOW, .joint = "--where 'A and B'"},
    {0, "grasps", NULL, "each grasp: gaps, overlaps, closure and epsilon", FLAG(grasps),
     .commands = CHECK},
    {0, "sensitivity", "OF", "what matters for success, or a formula of columns", TEXT(sensitivity),
     .values = "success", .expects = "success or a formula over columns, as in slip",
     .commands = SHOW},
    {0, "quantile", "OF[:P,...]", "quantiles, tolerance limits: slip:0.5,0.95", OWN(read_quantile),
     .expects = "one column, or a formula over columns, and up to 8 numbers between 0 and 1, as in "
                "slip:0.5,0.95; other columns take a command each",
     .commands = SHOW, .joint = "--quantile OF:P,P of one number; of others a command each"},
    {0, "failures", NULL, "ways to fail: how often, by which rule, where", FLAG(failures),
     .commands = SHOW},
    {0, "surrogate", NULL, "a narrower interval, by a fitted function", FLAG(surrogate),
     .commands = SHOW},
    {0, "success", "EXPR", "judge anew by columns: 'slip <= 5 mm and lift > 0.1'", TEXT(success),
     .expects = "a criterion over columns, as in 'slip <= 5 mm and lift >= 60 mm'",
     .commands = SHOW, .joint = "--success 'A and B'"},
    {0, "success", "EXPR", "with --complete: criteria that are asked for", TEXT(success),
     .expects = "a criterion over columns, as in 'slip <= 5 mm and lift >= 60 mm'",
     .commands = RUN | GMC_OPTION_BESIDE, .joint = "--success 'A and B'"},
    {0, "fail-if", "RULE", "exit 1 if B is 'worse by 0.02', 2 if undecided", OWN(read_fail_if),
     .expects = "worse by X with X from 0 to below 1, as in 'worse by 0.02'", .commands = COMPARE},
    {0, "trial", "I", "number of the trial", WHOLE(trial, 0, INT64_MAX),
     .expects = "a whole number, at least 0", .commands = REPLAY | EXTRACT},
    {0, "trial", "I", "the motion of this trial, in place of all trials",
     WHOLE(trial, 0, INT64_MAX), .expects = "a whole number, at least 0", .commands = EXPORT},
    {0, "contacts", NULL, "with --trial: its contacts, in place of its motion", FLAG(contacts),
     .commands = EXPORT},
    {0, "json", NULL, "print the answer as JSON", FLAG(json),
     .commands = RUN | CHECK | SHOW | REPLAY | MERGE | STATUS | COMPARE | EXTRACT | EXPORT | RANK |
                 OPTIMISE | NEW},
    {0, "shapes", NULL, "add the shapes of all bodies to the answer as JSON", FLAG(shapes),
     .commands = REPLAY},
    {0, "hdf5-locking", "HOW", "locks on HDF5 files: off (default), best-effort, on",
     OWN(read_hdf5_locking), .values = "off best-effort on",
     .commands = RESULTS | GMC_OPTION_GENERAL},
    {0, "no-warnings", NULL, "tell mistakes, but no warnings", FLAG(no_warnings),
     .commands = RUN | CHECK | OPTIMISE | NEW},
    {'q', "quiet", NULL, "no progress; the answer alone, and warnings", FLAG(quiet),
     .commands = RUN | CHECK | REPLAY | MERGE | OPTIMISE | NEW},
    {'h', "help", NULL, "this help", FLAG(wants_help),
     .commands = RUN | CHECK | SHOW | REPLAY | MERGE | STATUS | COMPARE | EXTRACT | EXPORT | RANK |
                 OPTIMISE | NEW},
};
_Static_assert(sizeof gmc_args_options / sizeof gmc_args_options[0] <= GMC_ARGS_OPTIONS_MAX,
               "rows of the table");
const int gmc_args_option_count = (int)(sizeof gmc_args_options / sizeof gmc_args_options[0]);

// --- options as `--set`s ---

/// What an option says as PATH=VALUE. @return false: it was not given
static bool write_set(const gmc_args *args, const gmc_option *option, char *text)
{
    const void *place = (const char *)args + option->place;
    const char *word = NULL;
    double number = -1;
    if (option->kind == GMC_OPTION_WHOLE) {
        const gmc_args_whole *whole_number = place;
        snprintf(text, GMC_SETS_BYTES, "%s=%" PRIu64, option->path, whole_number->value);
        return whole_number->is_given;
    }
    if (option->kind == GMC_OPTION_REAL) {
        memcpy(&number, place, sizeof number);
        snprintf(text, GMC_SETS_BYTES, "%s=%.17g %s", option->path, number, option->unit);
        return number >= 0;
    }
    memcpy(&word, place, sizeof word);
    snprintf(text, GMC_SETS_BYTES, "%s=%s", option->path, word ? word : "");
    return word != NULL;
}

void gmc_sets_collect(const gmc_args *args, gmc_sets *sets)
{
    int count = args->sets.count, made = 0;
    memcpy(sets->list, args->sets.items, sizeof args->sets.items);
    for (int i = 0; i < gmc_args_option_count; i++) {
        GMC_ASSERT(made < GMC_SETS_OPTIONS);
        if (gmc_args_options[i].path && write_set(args, &gmc_args_options[i], sets->made[made]))
            sets->list[count++] = sets->made[made++];
    }
    sets->list[count] = NULL;
}

/// "{seed: 9}" has the key seed.
static bool has_key(const char *value, const char *key)
{
    size_t bytes = strlen(value);
    gmc_arena arena = {0};
    gmc_diagnostics report = {0};
    gmc_node *map = NULL;
    // a node per letter is more than there can be without aliases
    bool is_read =
        gmc_arena_create(&arena, (bytes + 8) * (sizeof(gmc_node) + 128)) == GMC_OK &&
        gmc_yaml_parse(&(gmc_yaml_source){.text = value, .bytes = bytes, .file = "", .folder = ""},
                       &report, &arena, &map) == GMC_OK;
    bool has = is_read && gmc_node_find(map, key);
    gmc_diagnostics_free(&report);
    gmc_arena_free(&arena);
    return has;
}

/// Does the text of a `--set` say what `path`, GROUP.KEY, is: itself, below it, or in a map that is
/// put at GROUP? A map without the key does not, nor does what is no YAML, which is told later.
static bool says(const char *set, const char *path)
{
    set += strspn(set, " ");
    size_t length = strlen(path), group = strcspn(path, ".");
    if (strncmp(set, path, length) == 0 && set[length] && strchr(" .=", set[length])) return true;
    if (strncmp(set, path, group) != 0) return false;
    const char *value = set + group + strspn(set + group, " ");
    return *value == '=' && has_key(value + 1, path + group + 1);
}

// --- reading ---

static unsigned bit_of(const gmc_command *command)
{
    return 1U << (unsigned)(command - gmc_args_commands);
}

/// @param commands  bits of those whose options are meant
static const char *nearest_option(unsigned commands, const char *word)
{
    gmc_nearest nearest = gmc_nearest_start(word);
    for (int i = 0; i < gmc_args_option_count; i++)
        if (gmc_args_options[i].commands & commands)
            gmc_nearest_offer(&nearest, gmc_args_options[i].name);
    return nearest.best;
}

/// State while argv is read.
typedef struct gmc_reading {
    int argc;
    char *const *argv;
    int next; ///< index of the word after the current one
    gmc_args *args;
    FILE *complaints;
    bool is_good;
    unsigned char given[GMC_ARGS_OPTIONS_MAX]; ///< how often each row was; 2: twice or more
} gmc_reading;

static void complain_about(gmc_reading *r, const char *word, size_t length, const char *what)
{
    gmc_terminal_print(r->complaints, "graspmc %s: %.*s: %s\n", r->args->command->name, (int)length,
                       word, what);
    r->is_good = false;
}

static const gmc_option *find_long(unsigned commands, const char *word, size_t length)
{
    for (int i = 0; i < gmc_args_option_count; i++) {
        const gmc_option *option = &gmc_args_options[i];
        if ((option->commands & commands) && strlen(option->name) == length &&
            memcmp(option->name, word, length) == 0)
            return option;
    }
    return NULL;
}

static const gmc_option *find_short(const gmc_command *command, char letter)
{
    for (int i = 0; i < gmc_args_option_count; i++)
        if ((gmc_args_options[i].commands & bit_of(command)) &&
            gmc_args_options[i].letter == letter)
            return &gmc_args_options[i];
    return NULL;
}

static void refuse(gmc_reading *r, const char *what)
{
    gmc_terminal_print(r->complaints, "graspmc %s: %s\n", r->args->command->name, what);
    r->is_good = false;
}

/// The last of two values would count alone, without a word: that is seldom what was meant.
static void count_given(gmc_reading *r, const gmc_option *option)
{
    unsigned char *given = &r->given[option - gmc_args_options];
    if (!option->value || (option->commands & GMC_OPTION_AGAIN) || *given == 2) return;
    if (++*given < 2) return;
    char what[192], letter[8] = "";
    if (option->letter) snprintf(letter, sizeof letter, "-%c, ", option->letter);
    snprintf(what, sizeof what, "%s--%s was given twice%s%s", letter, option->name,
             option->joint ? "; both at once: " : "", option->joint ? option->joint : "");
    refuse(r, what);
}

/// @return its place among the words; -1: it is none of them
static int find_word(const char *words, const char *text)
{
    size_t length = strlen(text);
    for (int i = 0; length > 0 && *words; i++) {
        size_t end = strcspn(words, " ");
        if (end == length && strncmp(words, text, end) == 0) return i;
        words += end + strspn(words + end, " ");
    }
    return -1;
}

static bool read_whole(const char *text, const gmc_option *option, gmc_args_whole *number)
{
    double value;
    const char *rest;
    number->is_given = true;
    if (whole(text, option->least, option->most, &number->value)) return true;
    // 1e3, as in `draws: 1e3`
    if (!strpbrk(text, "eE.") || !real(text, &value, &rest) || *rest != 0) return false;
    if (!(value >= 0 && value <= 9007199254740992.0) || floor(value) != value) return false;
    number->value = (uint64_t)value;
    return number->value >= option->least && number->value <= option->most;
}

static bool read_real(const char *text, const gmc_option *option, double *number)
{
    const char *rest;
    if (!real(text, number, &rest) || !(*number >= option->from && *number < option->below))
        return false;
    rest += strspn(rest, option->unit[0] ? " " : "");
    return *rest == 0 || strcmp(rest, option->unit) == 0;
}

/// Read the text of an option into its place, which may then point into it; a flag has none.
static bool read_value(const gmc_option *option, const char *text, gmc_args *args)
{
    void *place = (char *)args + option->place;
    bool is_text = text[0] != 0 && (!option->accepts || option->accepts(text));
    switch (option->kind) {
    case GMC_OPTION_OWN:
        return option->read(text, args);
    case GMC_OPTION_FLAG:
        return *(bool *)place = true;
    case GMC_OPTION_TEXT:
        memcpy(place, &text, sizeof text);
        return is_text;
    case GMC_OPTION_LIST: {
        gmc_args_list *list = place;
        if (!is_text || list->count == (int)option->most) return false;
        list->items[list->count++] = text;
        return true;
    }
    case GMC_OPTION_WORD: {
        int word = find_word(option->values, text);
        unsigned found = word < 0 ? 0 : (unsigned)word;
        memcpy(place, &found, sizeof found);
        return word >= 0;
    }
    case GMC_OPTION_WHOLE:
        return read_whole(text, option, place);
    case GMC_OPTION_REAL:
        return read_real(text, option, place);
    }
    return false;
}
_Static_assert(sizeof(gmc_args_progress) == sizeof(unsigned), "written as an unsigned");

/// "off, best-effort or on": what an option expects.
static const char *expected_of(const gmc_option *option, char *text, size_t bytes)
{
    size_t used = 0;
    if (option->expects) return option->expects;
    for (const char *word = option->values; *word && used < bytes;) {
        int length = (int)strcspn(word, " ");
        const char *next = word + length + strspn(word + length, " ");
        const char *joint = !*next ? "" : strchr(next, ' ') ? ", " : " or ";
        used += (size_t)snprintf(text + used, bytes - used, "%.*s%s", length, word, joint);
        word = next;
    }
    return text;
}

/// Take the value of an option: what stands behind it in the same word, or the next word.
static void take(gmc_reading *r, const gmc_option *option, const char *shown, size_t shown_length,
                 const char *value)
{
    if (!option->value) {
        read_value(option, "", r->args);
        return;
    }
    if (!value && r->next < r->argc) value = r->argv[r->next++];
    count_given(r, option);
    char what[256], words[128];
    const char *expected = expected_of(option, words, sizeof words);
    if (!value) {
        snprintf(what, sizeof what, "expects %s", expected);
        complain_about(r, shown, shown_length, what);
    } else if (!read_value(option, value, r->args)) {
        char found[101];
        snprintf(what, sizeof what, "expects %s; found \"%s\"", expected,
                 gmc_printable_text(value, found, sizeof found));
        complain_about(r, shown, shown_length, what);
    }
}

/// "run, check and optimise have --no-warnings": the commands that have an option.
static void name_commands(const char *option, char *text, size_t bytes)
{
    unsigned having = 0;
    int left = 0;
    for (int i = 0; i < gmc_args_option_count; i++)
        if (strcmp(gmc_args_options[i].name, option) == 0) having |= gmc_args_options[i].commands;
    for (int c = 0; c < GMC_COMMAND_COUNT; c++)
        left += (having & (1U << c)) != 0;
    const char *verb = left > 1 ? "have" : "has";
    size_t used = 0;
    for (int c = 0; c < GMC_COMMAND_COUNT && used < bytes; c++) {
        if (!(having & (1U << c))) continue;
        const char *joint = --left > 1 ? ", " : left == 1 ? " and " : " ";
        used +=
            (size_t)snprintf(text + used, bytes - used, "%s%s", gmc_args_commands[c].name, joint);
    }
    if (used < bytes) snprintf(text + used, bytes - used, "%s --%s", verb, option);
}

/// What is near the word: an option of the command, or else of others.
/// @return that of the command; NULL: none
static const gmc_option *complain_unknown(gmc_reading *r, const char *word, size_t length)
{
    unsigned here = bit_of(r->args->command), all = (1U << GMC_COMMAND_COUNT) - 1;
    char name[64]; // longer ones are near to nothing
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : 0), word + 2);
    const char *near = nearest_option(here, name);
    const char *other = near ? NULL : nearest_option(all, name);
    char what[256], commands[160] = "";
    if (other) name_commands(other, commands, sizeof commands);
    if (near)
        snprintf(what, sizeof what, "no such option; did you mean --%s?", near);
    else
        snprintf(what, sizeof what, "no such option%s%s", other ? "; " : "", commands);
    complain_about(r, word, length + 2, what);
    return near ? find_long(here, near, strlen(near)) : NULL;
}

static void read_long(gmc_reading *r, const char *word)
{
    const gmc_command *command = r->args->command;
    const char *name = word + 2, *equals = strchr(name, '=');
    size_t length = equals ? (size_t)(equals - name) : strlen(name);
    const gmc_option *option = find_long(bit_of(command), name, length);
    if (!option) {
        const gmc_option *meant = complain_unknown(r, word, length);
        bool has_value = meant && meant->value && !equals && r->next < r->argc;
        if (has_value && r->argv[r->next][0] != '-') r->next++; // it is no input
    } else if (equals && !option->value) {
        complain_about(r, word, length + 2, "takes no value");
    } else {
        take(r, option, word, length + 2, equals ? equals + 1 : NULL);
    }
}

/// Letters may stand together (-qn500).
static void read_short(gmc_reading *r, const char *word)
{
    for (const char *letter = word + 1; *letter; letter++) {
        unsigned code;
        int bytes = gmc_printable_character(letter, &code); // of what is no option
        char shown[6] = "-";
        memcpy(shown + 1, letter, bytes > 0 ? (size_t)bytes : 1);
        const gmc_option *option = find_short(r->args->command, *letter);
        if (!option) {
            complain_about(r, shown, strlen(shown), "no such option");
            return;
        }
        take(r, option, shown, 2, option->value && letter[1] ? letter + 1 : NULL);
        if (option->value) return;
    }
}

static void read_word(gmc_reading *r, const char *word)
{
    gmc_args *args = r->args;
    int most = args->command->takes_many ? GMC_ARGS_INPUT_MAX : 1;
    if (args->input_count == most) {
        complain_about(r, word, strlen(word),
                       most == 1 ? "expected one input file" : "expected at most 4096 input files");
        return;
    }
    args->inputs[args->input_count++] = word;
    args->input = args->inputs[0];
}

/// What single options cannot see.
static bool is_command(const gmc_args *args, gmc_command_id id)
{
    return args->command == &gmc_args_commands[id];
}

static void check_inputs(gmc_reading *r)
{
    const gmc_args *args = r->args;
    char what[64];
    if (!args->input) {
        snprintf(what, sizeof what, "%s is missing", args->command->input);
        refuse(r, what);
    } else if (is_command(args, GMC_COMMAND_COMPARE) && args->input_count != 2) {
        snprintf(what, sizeof what, "expected two result files; found %d", args->input_count);
        refuse(r, what);
    } else if (is_command(args, GMC_COMMAND_NEW) && args->input_count > 2) {
        refuse(r, "expected one hand and at most one object");
    }
}

/// Names of table formats that are not written: what is in the file would not be what it says.
static bool is_other_format(const char *name)
{
    static const char *const ENDS[] = {".parquet", ".xlsx", ".xls", ".json", ".h5",
                                       ".hdf5",    ".npy",  ".npz", ".mat",  ".feather"};
    size_t length = name ? strlen(name) : 0;
    for (size_t i = 0; i < sizeof ENDS / sizeof ENDS[0]; i++) {
        size_t end = strlen(ENDS[i]);
        if (length > end && strcmp(name + length - end, ENDS[i]) == 0) return true;
    }
    return false;
}

/// Does an option say anything of what runs?
static bool is_changed(const gmc_args *args)
{
    char text[GMC_SETS_BYTES];
    for (int i = 0; i < gmc_args_option_count; i++)
        if (gmc_args_options[i].path && write_set(args, &gmc_args_options[i], text)) return true;
    bool is_part = args->has_trials || args->shard.count > 0 || args->after;
    return args->sets.count > 0 || is_part || args->has_until || args->has_decide;
}

/// The `--set` that says what a path is; NULL: there is none.
static const char *find_set(const gmc_args *args, const char *path)
{
    for (int i = 0; i < args->sets.count; i++)
        if (says(args->sets.items[i], path))
            return args->sets.items[i] + strspn(args->sets.items[i], " ");
    return NULL;
}

/// Complain if a `--set` says what an option says that was given, too.
static void check_set(gmc_reading *r, const gmc_option *option, const char *path)
{
    const char *set = find_set(r->args, path);
    char what[128], letter[8] = "", made[GMC_SETS_BYTES];
    if (!set || !write_set(r->args, option, made)) return;
    const char *key = strchr(path, '.');
    size_t length = strcspn(set, " =");
    bool is_map = length < strlen(path);
    if (option->letter) snprintf(letter, sizeof letter, "-%c, ", option->letter);
    snprintf(what, sizeof what, "%s--%s and --set %.*s%s%s%s say the same: choose one", letter,
             option->name, (int)(length < 64 ? length : 64), set, is_map ? "={" : "",
             is_map ? key + 1 : "", is_map ? "}" : "");
    refuse(r, what);
}

static void check_sets(gmc_reading *r)
{
    for (int i = 0; i < gmc_args_option_count; i++) {
        const gmc_option *option = &gmc_args_options[i];
        if (!option->path) continue;
        check_set(r, option, option->path);
        // a study of many cases may say its draws there
        if (strcmp(option->name, "draws") == 0) check_set(r, option, "study.draws");
    }
}

/// "PATH=BINS" twice of one path, "BINS" twice of all.
static void check_rebins(gmc_reading *r)
{
    const gmc_args *args = r->args;
    if (args->rebins.count < 2) return;
    const char *a = args->rebins.items[0], *b = args->rebins.items[1];
    const char *a_end = strrchr(a, '='), *b_end = strrchr(b, '=');
    size_t length = a_end ? (size_t)(a_end - a) : 0;
    bool is_same = a_end && b_end && (size_t)(b_end - b) == length && memcmp(a, b, length) == 0;
    char what[160];
    snprintf(what, sizeof what, "--rebin %.*s was given twice", length < 100 ? (int)length : 100,
             a);
    if (is_same) refuse(r, what);
    if (!a_end && !b_end) refuse(r, "--rebin was given twice without a path: write PATH=BINS");
}

static void check_together(gmc_reading *r)
{
    const gmc_args *args = r->args;
    if (args->wants_help) return;
    check_inputs(r);
    bool needs_out = is_command(args, GMC_COMMAND_MERGE) || is_command(args, GMC_COMMAND_EXTRACT);
    bool needs_trial =
        is_command(args, GMC_COMMAND_REPLAY) || is_command(args, GMC_COMMAND_EXTRACT);
    bool exports = is_command(args, GMC_COMMAND_EXPORT);
    bool has_rule = args->has_until || args->has_decide, is_shard = args->shard.count > 0;
    bool is_run = is_command(args, GMC_COMMAND_RUN);
    const struct {
        bool is_wrong;
        const char *what;
    } rules[] = {
        {args->complete && is_changed(args),
         "--complete continues the stored trials of its file: no option can change them"},
        {is_run && args->success && !args->complete,
         "--success judges a result anew: run --complete OUT.h5 --success ..., or change the "
         "scenario's with --set"},
        {args->force && args->resume, "--force starts over, --resume goes on: choose one"},
        {needs_out && !args->out, "-o is required: the file or folder to write"},
        {args->has_until && args->has_decide, "--until or --decide: choose one"},
        {args->has_trials && has_rule, "--until and --decide cannot be used with --trials: "
                                       "stopping is decided for the whole run"},
        {!args->has_trials && is_shard && has_rule,
         "--until and --decide cannot be used with --shard: stopping is decided for the whole run"},
        {args->has_trials && is_shard, "--trials or --shard: choose one"},
        {args->after && !is_shard,
         "--after requires --shard I/N: it names the rounds before that part"},
        {args->parameters && args->expanded, "--parameters or --expanded: choose one"},
        {exports && is_other_format(args->out), "-o: only CSV is written: end the name with .csv"},
        {exports && args->json && !args->out, "--json needs -o: the standard output is the CSV"},
        {args->contacts && !args->trial.is_given, "--contacts requires --trial I"},
        {needs_trial && !args->trial.is_given, "--trial I is required"},
    };
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (rules[i].is_wrong) refuse(r, rules[i].what);
    check_sets(r);
    check_rebins(r);
}

static const gmc_command *find_command(const char *word)
{
    for (int i = 0; i < GMC_COMMAND_COUNT; i++)
        if (strcmp(word, gmc_args_commands[i].name) == 0) return &gmc_args_commands[i];
    return NULL;
}

/// Complain of a word that should be a command, with the nearest one, or all. @return false
static bool refuse_command(const char *word, FILE *complaints)
{
    gmc_nearest nearest = gmc_nearest_start(word);
    gmc_terminal_print(complaints, "graspmc: %s: no such command\n", word);
    for (int i = 0; i < GMC_COMMAND_COUNT; i++)
        gmc_nearest_offer(&nearest, gmc_args_commands[i].name);
    if (nearest.best) {
        fprintf(complaints, "did you mean %s?\n", nearest.best);
        return false;
    }
    fprintf(complaints, "commands:");
    for (int i = 0; i < GMC_COMMAND_COUNT; i++)
        fprintf(complaints, "%s %s", i > 0 ? "," : "", gmc_args_commands[i].name);
    fputc('\n', complaints);
    return false;
}

/// The first word when it is no command.
static bool parse_program(int argc, char *const *argv, gmc_args *args, FILE *complaints)
{
    const char *word = argc > 1 ? argv[1] : "";
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) return args->wants_help = true;
    bool is_version = strcmp(word, "--version") == 0 || strcmp(word, "version") == 0;
    if (is_version) return args->wants_version = true;
    if (strcmp(word, "--manual") == 0) return args->wants_manual = true;
    if (strcmp(word, "--schema") == 0) return args->wants_schema = true;
    if (strcmp(word, "--completion") == 0 && argc == 3 && strcmp(argv[2], "bash") == 0) {
        args->completion = argv[2];
        return true;
    }
    if (strcmp(word, "help") == 0) {
        args->wants_help = true;
        args->command = argc > 2 ? find_command(argv[2]) : NULL;
        return argc <= 2 || args->command || refuse_command(argv[2], complaints);
    }
    if (word[0] != 0) return refuse_command(word, complaints);
    fprintf(complaints, "graspmc: a command is missing\n");
    return false;
}

bool gmc_args_parse(int argc, char *const *argv, gmc_args *args, FILE *complaints)
{
    *args =
        (gmc_args){.argc = argc, .argv = argv, .rate = -1, .level = 0.95, .per = GMC_ARGS_PER_ALL};
    args->command = argc > 1 ? find_command(argv[1]) : NULL;
    if (!args->command) return parse_program(argc, argv, args, complaints);

    gmc_reading r = {argc, argv, 2, args, complaints, true, {0}};
    bool only_words = false;
    while (r.next < argc) {
        const char *word = argv[r.next++];
        if (only_words || word[0] != '-' || word[1] == 0)
            read_word(&r, word);
        else if (strcmp(word, "--") == 0)
            only_words = true;
        else if (word[1] == '-')
            read_long(&r, word);
        else
            read_short(&r, word);
    }
    bool is_check = args->command == &gmc_args_commands[GMC_COMMAND_CHECK];
    if (is_check && args->has_until && !args->pilot.is_given)
        args->pilot.value = GMC_ARGS_PILOT_USUAL;
    args->json = args->json || args->shapes;
    check_together(&r);
    return r.is_good;
}

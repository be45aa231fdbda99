// getopt_long was tried on paper and left: it prints its own messages, stops at the first mistake,
// and its tables would stand beside those of args_options.c.
#include "cli/options/args.h"

#include "cli/options/sets.h"
#include "cli/process/terminal.h"
#include "engine/base/printable.h"
#include "sampling/language/nearest.h"

#include <stdlib.h>
#include <string.h>

static unsigned bit_of(const gmc_command *command)
{
    return 1U << (unsigned)(command - gmc_args_commands);
}

/// Optimal string alignment distance of two words; words longer than 31 letters are far apart.
static int distance(const char *a, size_t a_length, const char *b)
{
    enum { MAX = 32 };
    int d[MAX][MAX];
    size_t n = a_length, m = strlen(b);
    if (n >= MAX || m >= MAX) return MAX;
    for (size_t i = 0; i <= n; i++)
        for (size_t j = 0; j <= m; j++) {
            if (i == 0 || j == 0) {
                d[i][j] = (int)(i + j);
                continue;
            }
            int best = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            if (d[i - 1][j] + 1 < best) best = d[i - 1][j] + 1;
            if (d[i][j - 1] + 1 < best) best = d[i][j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                d[i - 2][j - 2] + 1 < best)
                best = d[i - 2][j - 2] + 1;
            d[i][j] = best;
        }
    return d[n][m];
}

/// @param commands  bits of those whose options are meant
static const char *nearest_option(unsigned commands, const char *word, size_t length)
{
    const char *best = NULL;
    int best_distance = length < 5 ? 2 : 3; // one slip in a short word, two in a long one
    for (int i = 0; i < gmc_args_option_count; i++) {
        const gmc_option *option = &gmc_args_options[i];
        if (!(option->commands & commands)) continue;
        int d = distance(word, length, option->name);
        if (d < best_distance) {
            best_distance = d;
            best = option->name;
        }
    }
    return best;
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
    // how one value says what two were to say
    static const char *const BOTH[][2] = {
        {"where", "--where 'A and B'"},
        {"success", "--success 'A and B'"},
        {"by", "--by A,B"},
        {"quantile", "--quantile OF:P,P of one number; of others a command each"}};
    unsigned char *given = &r->given[option - gmc_args_options];
    if (!option->value || (option->commands & GMC_OPTION_AGAIN) || *given == 2) return;
    if (++*given < 2) return;
    char what[192], letter[8] = "";
    const char *both = NULL;
    for (size_t i = 0; i < sizeof BOTH / sizeof BOTH[0]; i++)
        if (strcmp(option->name, BOTH[i][0]) == 0) both = BOTH[i][1];
    if (option->letter) snprintf(letter, sizeof letter, "-%c, ", option->letter);
    snprintf(what, sizeof what, "%s--%s was given twice%s%s", letter, option->name,
             both ? "; both at once: " : "", both ? both : "");
    refuse(r, what);
}

/// Take the value of an option: what stands behind it in the same word, or the next word.
static void take(gmc_reading *r, const gmc_option *option, const char *shown, size_t shown_length,
                 const char *value)
{
    if (!option->value) {
        option->parse("", r->args);
        return;
    }
    if (!value && r->next < r->argc) value = r->argv[r->next++];
    count_given(r, option);
    char what[256];
    if (!value) {
        snprintf(what, sizeof what, "expects %s", option->expects);
        complain_about(r, shown, shown_length, what);
    } else if (!option->parse(value, r->args)) {
        char found[101];
        snprintf(what, sizeof what, "expects %s; found \"%s\"", option->expects,
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
    const char *name = word + 2;
    const char *near = nearest_option(here, name, length);
    const char *other = near ? NULL : nearest_option(all, name, length);
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
                       most == 1 ? "one input is enough" : "no more than 4096 inputs at once");
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
        snprintf(what, sizeof what, "two results are compared; found %d", args->input_count);
        refuse(r, what);
    } else if (is_command(args, GMC_COMMAND_NEW) && args->input_count > 2) {
        refuse(r, "one hand and one object are enough");
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
    bool has_numbers = args->draws >= 0 || args->has_seed || args->rate >= 0 || args->set_count > 0;
    bool has_words = args->design || args->stepper || args->solver || args->step;
    bool is_part = args->has_trials || args->shard.count > 0 || args->after;
    return has_numbers || has_words || is_part || args->has_until || args->has_decide ||
           args->record != GMC_ARGS_RECORD_SCENARIO;
}

/// The `--set` that says what a path is; NULL: there is none.
static const char *find_set(const gmc_args *args, const char *path)
{
    for (int i = 0; i < args->set_count; i++)
        if (gmc_sets_say(args->sets[i], path)) return args->sets[i] + strspn(args->sets[i], " ");
    return NULL;
}

/// An option that stands in for a value of the scenario, and a `--set` of the same.
static void check_sets(gmc_reading *r)
{
    const gmc_args *args = r->args;
    const struct {
        bool is_given;
        const char *option, *path;
    } rows[] = {
        {args->draws >= 0, "-n, --draws", "sampling.draws"},
        {args->draws >= 0, "-n, --draws", "study.draws"},
        {args->has_seed, "--seed", "sampling.seed"},
        {args->design, "--design", "sampling.design"},
        {args->stepper, "--stepper", "simulation.stepper"},
        {args->solver, "--solver", "simulation.solver"},
        {args->step, "--step", "simulation.step"},
        {args->rate >= 0, "--rate", "output.rate"},
        {args->record != GMC_ARGS_RECORD_SCENARIO, "--trajectories", "output.trajectories"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *set = rows[i].is_given ? find_set(args, rows[i].path) : NULL;
        char what[128];
        if (!set) continue;
        const char *key = strchr(rows[i].path, '.');
        size_t length = strcspn(set, " =");
        bool is_map = length < strlen(rows[i].path);
        snprintf(what, sizeof what, "%s and --set %.*s%s%s%s say the same: choose one",
                 rows[i].option, (int)(length < 64 ? length : 64), set, is_map ? "={" : "",
                 is_map ? key + 1 : "", is_map ? "}" : "");
        refuse(r, what);
    }
}

/// "PATH=BINS" twice of one path, "BINS" twice of all.
static void check_rebins(gmc_reading *r)
{
    const gmc_args *args = r->args;
    if (args->rebin_count < 2) return;
    const char *a = args->rebins[0], *b = args->rebins[1];
    const char *a_end = strrchr(a, '='), *b_end = strrchr(b, '=');
    size_t length = a_end ? (size_t)(a_end - a) : 0;
    bool is_same = a_end && b_end && (size_t)(b_end - b) == length && memcmp(a, b, length) == 0;
    char what[160];
    snprintf(what, sizeof what, "--rebin %.*s was given twice", length < 100 ? (int)length : 100,
             a);
    if (is_same) refuse(r, what);
    if (!a_end && !b_end) refuse(r, "--rebin was given twice; PATH=BINS says of what");
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
         "--complete goes on with the trials of its file; nothing of them can be changed"},
        {is_run && args->success && !args->complete,
         "--success judges a result anew: run --complete OUT.h5 --success ..., or change the "
         "scenario's with --set"},
        {args->force && args->resume, "--force starts over, --resume goes on: choose one"},
        {needs_out && !args->out, "-o is missing: where to?"},
        {args->has_until && args->has_decide, "--until or --decide: choose one"},
        {args->has_trials && has_rule,
         "--trials is a part of a run; whether to stop is a question to the whole"},
        {!args->has_trials && is_shard && has_rule,
         "--shard is a part of a run; whether to stop is a question to the whole"},
        {args->has_trials && is_shard, "--trials or --shard: choose one"},
        {args->after && !is_shard, "--after names the rounds before a --shard: which part?"},
        {args->parameters && args->expanded, "--parameters or --expanded: choose one"},
        {exports && is_other_format(args->out),
         "-o: the name says another format than CSV: end it with .csv"},
        {exports && args->json && !args->out, "--json needs -o: the standard output is the CSV"},
        {args->contacts && !args->has_trial, "--contacts are those of a --trial: which?"},
        {needs_trial && !args->has_trial, "--trial is missing: which trial?"},
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
    *args = (gmc_args){.draws = -1, .rate = -1, .level = 0.95};
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
    if (is_check && args->has_until && args->pilot == 0) args->pilot = GMC_ARGS_PILOT_USUAL;
    check_together(&r);
    return r.is_good;
}

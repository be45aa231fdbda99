/// The words of a command line, from one table of options: parsing, help, completion and the manual
/// page are all read off it, so that an option exists everywhere or nowhere.
#ifndef GMC_CLI_OPTIONS_ARGS_H
#define GMC_CLI_OPTIONS_ARGS_H

#include "cli/options/gate.h"
#include "cli/options/shard.h"
#include "sampling/estimate/stop.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef enum gmc_args_progress {
    GMC_ARGS_PROGRESS_AUTO, ///< bar on a terminal, plain lines otherwise
    GMC_ARGS_PROGRESS_BAR,
    GMC_ARGS_PROGRESS_PLAIN,
    GMC_ARGS_PROGRESS_JSON,
    GMC_ARGS_PROGRESS_NONE
} gmc_args_progress;

enum { GMC_ARGS_PER_OBJECT, GMC_ARGS_PER_ALL };             ///< of rank
enum { GMC_ARGS_UNSOLVED_RECORD, GMC_ARGS_UNSOLVED_ABORT }; ///< of run

enum {
    GMC_ARGS_SET_MAX = 256, ///< of a caller
    GMC_ARGS_SET_OWN = 8,   ///< that a command adds
    GMC_ARGS_LIST_MAX = GMC_ARGS_SET_MAX + GMC_ARGS_SET_OWN,
    GMC_ARGS_ALLOW_MAX = 64,
    GMC_ARGS_INPUT_MAX = 4096,
    GMC_ARGS_REBIN_MAX = 2,
    GMC_ARGS_PILOT_USUAL = 64,
    GMC_ARGS_QUANTILES_MAX = 8,
    GMC_ARGS_QUANTILE_BYTES = 512
};

/// A whole number; 0 where it was not given.
typedef struct gmc_args_whole {
    bool is_given;
    uint64_t value;
} gmc_args_whole;

/// What an option that may be repeated was given.
typedef struct gmc_args_list {
    const char *items[GMC_ARGS_LIST_MAX + 1]; ///< (count), ended by NULL
    int count;
} gmc_args_list;

/// Everything that options can say, of all commands. Texts point into argv.
typedef struct gmc_args {
    int argc;
    char *const *argv;                 ///< (argc) as given, for the log and the line that resumes
    const struct gmc_command *command; ///< NULL: help or version of the program as a whole
    bool wants_help, wants_version;
    const char *completion; ///< shell to print completion for; NULL: none
    bool wants_manual;
    bool wants_schema;                      ///< of scenarios, for editors
    const char *input;                      ///< SCENARIO or OUT.h5: inputs[0]
    const char *inputs[GMC_ARGS_INPUT_MAX]; ///< (input_count) of merge, status and compare
    int input_count;

    const char *out;
    gmc_args_whole draws, seed; ///< not given: as the scenario says
    gmc_args_whole workers;     ///< not given: one per core
    gmc_args_list sets;         ///< "PATH=VALUE"
    gmc_args_list allow;        ///< folders
    bool allow_control;         ///< a library or command of the scenario may run
    bool has_trials;
    uint64_t trial_first, trial_end; ///< half open
    gmc_shard shard;
    const char *after;  ///< file of the rounds before the shard's; NULL: none
    gmc_stop_rule stop; ///< of --until or --decide
    bool has_until, has_decide;
    const char *trajectories; ///< which a run keeps; NULL: as the scenario says
    double rate; ///< rows per second of a kept trajectory; -1: as the scenario says [Hz]
    const char *design, *stepper, *solver, *step;
    bool force, resume;
    unsigned on_unsolved;
    bool complete;     ///< the input of run is a result
    bool is_round;     ///< of run: another command does it, which says what it found
    double time_limit; ///< wall time after which the run stops, resumable; 0: none [s]
    double level;      ///< of the intervals [-]
    gmc_args_progress progress;
    bool json, quiet;
    bool no_warnings, model;
    const char *frame, *material; ///< of new; NULL: not said
    double mass;                  ///< of new; 0: not said [kg]
    bool parameters, expanded, grasps, surrogate, failures;
    gmc_args_whole pilot; ///< trials that check runs; 0: none
    bool shapes;          ///< with json
    gmc_args_whole best;  ///< of rank
    unsigned per, to;     ///< of rank, of export
    const char *by;
    gmc_args_list rebins;    ///< "PATH=BINS" or "BINS"
    const char *where;       ///< which trials are meant; NULL: all
    const char *success;     ///< criteria in place of the scenario's; NULL: those
    gmc_gate gate;           ///< of --fail-if
    bool contacts;           ///< of export
    const char *sensitivity; ///< "success", or a number whose sensitivity is asked for; NULL: none
    const char *quantile;    ///< as written: "slip:0.5,0.95"; NULL: none is asked for
    char quantile_of[GMC_ARGS_QUANTILE_BYTES]; ///< the number: "slip"
    double quantile_p[GMC_ARGS_QUANTILES_MAX]; ///< (quantile_count) rising
    int quantile_count;
    gmc_args_whole trial;
    const char *hdf5_locking; ///< for HDF5_USE_FILE_LOCKING; NULL: as the environment says
} gmc_args;

typedef enum gmc_command_id {
    GMC_COMMAND_RUN,
    GMC_COMMAND_CHECK,
    GMC_COMMAND_SHOW,
    GMC_COMMAND_REPLAY,
    GMC_COMMAND_MERGE,
    GMC_COMMAND_STATUS,
    GMC_COMMAND_COMPARE,
    GMC_COMMAND_EXTRACT,
    GMC_COMMAND_EXPORT,
    GMC_COMMAND_RANK,
    GMC_COMMAND_OPTIMISE,
    GMC_COMMAND_NEW,
    GMC_COMMAND_COUNT
} gmc_command_id;

typedef struct gmc_command {
    const char *name;
    const char *input; ///< "SCENARIO"
    const char *about; ///< one line
    bool takes_many;   ///< inputs
} gmc_command;

/// In gmc_option.commands: stands in for a value of the scenario; the help lists such names
/// together.
#define GMC_OPTION_OVERRIDE (1U << 31)

/// In gmc_option.commands: the same for all its commands; the help of the program as a whole has
/// it.
#define GMC_OPTION_GENERAL (1U << 30)

/// In gmc_option.commands: the line of another option, which it goes with, tells of it.
#define GMC_OPTION_BESIDE (1U << 29)

/// In gmc_option.commands: may be given again, and adds to what was said.
#define GMC_OPTION_AGAIN (1U << 28)

/// How the text of an option becomes a value, and of what type that is.
typedef enum gmc_option_kind {
    GMC_OPTION_OWN,   ///< `read` does it
    GMC_OPTION_FLAG,  ///< bool: was it given
    GMC_OPTION_TEXT,  ///< const char *: not empty
    GMC_OPTION_LIST,  ///< gmc_args_list: texts, up to `most` of them
    GMC_OPTION_WORD,  ///< unsigned, or an enum: which of `values`
    GMC_OPTION_WHOLE, ///< gmc_args_whole: from `least` to `most`; 1e3 is one, too
    GMC_OPTION_REAL   ///< double: from `from` to below `below`, in `unit`, which may be left out
} gmc_option_kind;

enum { GMC_ARGS_OPTIONS_MAX = 128 }; ///< rows of the table

/// An option is its row, which reads its own value, and the member of gmc_args that it reads into.
typedef struct gmc_option {
    char letter;       ///< 0: none
    const char *name;  ///< without the dashes
    const char *value; ///< what its value is called in the help; NULL: a flag
    const char *about; ///< one line
    gmc_option_kind kind;
    size_t place; ///< of its value in gmc_args
    uint64_t least, most;
    double from, below;
    const char *unit;
    bool (*accepts)(const char *text);              ///< of a text; NULL: any will do
    bool (*read)(const char *text, gmc_args *args); ///< false: the text is not as expected
    const char *values;  ///< words it may take, separated by blanks; NULL: any
    const char *expects; ///< completes "expects ..."; NULL: one of the words
    unsigned commands;   ///< bit of each gmc_command_id that takes it, and GMC_OPTION_...
    const char *path;    ///< value of the scenario that it stands in for; NULL: none
    const char *joint;   ///< how one value says what two were to say; NULL: nothing does
} gmc_option;

extern const gmc_command gmc_args_commands[GMC_COMMAND_COUNT];
extern const gmc_option gmc_args_options[];
extern const int gmc_args_option_count;

/// Read argv into `args`. Complaints go to `complaints`, all of them, one a line.
/// @return true if the command line makes sense; else the exit code is GMC_EXIT_USAGE
bool gmc_args_parse(int argc, char *const *argv, gmc_args *args, FILE *complaints);

enum { GMC_SETS_OPTIONS = 16, GMC_SETS_BYTES = 160 }; ///< more than have a path

/// Options that only change a value of the scenario (--seed, --step, ...) become `--set`s: one way
/// in, one check, one place in the stored text.
typedef struct gmc_sets {
    char made[GMC_SETS_OPTIONS][GMC_SETS_BYTES];                ///< of options
    const char *list[GMC_ARGS_LIST_MAX + GMC_SETS_OPTIONS + 1]; ///< all, ended by NULL
} gmc_sets;

/// Collect `--set`s in their order, then those of the options. `sets` must not be copied
/// afterwards: the list points into it.
void gmc_sets_collect(const gmc_args *args, gmc_sets *sets);

#endif

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

/// Which trajectories a run keeps.
typedef enum gmc_args_record {
    GMC_ARGS_RECORD_SCENARIO, ///< as the scenario says
    GMC_ARGS_RECORD_NONE,
    GMC_ARGS_RECORD_FAILURES,
    GMC_ARGS_RECORD_FIRST, ///< of the first `record_count` trials
    GMC_ARGS_RECORD_EVERY, ///< of every `record_count`-th trial
    GMC_ARGS_RECORD_ALL
} gmc_args_record;

typedef enum gmc_args_progress {
    GMC_ARGS_PROGRESS_AUTO, ///< bar on a terminal, plain lines otherwise
    GMC_ARGS_PROGRESS_BAR,
    GMC_ARGS_PROGRESS_PLAIN,
    GMC_ARGS_PROGRESS_JSON,
    GMC_ARGS_PROGRESS_NONE
} gmc_args_progress;

enum {
    GMC_ARGS_SET_MAX = 256, ///< of a caller
    GMC_ARGS_SET_OWN = 8,   ///< that a command adds
    GMC_ARGS_ALLOW_MAX = 64,
    GMC_ARGS_INPUT_MAX = 4096,
    GMC_ARGS_REBIN_MAX = 2,
    GMC_ARGS_PILOT_USUAL = 64,
    GMC_ARGS_QUANTILES_MAX = 8,
    GMC_ARGS_QUANTILE_BYTES = 512
};

/// Everything that options can say, of all commands. Texts point into argv.
typedef struct gmc_args {
    const struct gmc_command *command; ///< NULL: help or version of the program as a whole
    bool wants_help, wants_version;
    const char *completion; ///< shell to print completion for; NULL: none
    bool wants_manual;
    bool wants_schema;                      ///< of scenarios, for editors
    const char *input;                      ///< SCENARIO or OUT.h5: inputs[0]
    const char *inputs[GMC_ARGS_INPUT_MAX]; ///< (input_count) of merge, status and compare
    int input_count;

    const char *out;
    int64_t draws;   ///< -1: as the scenario says
    int64_t workers; ///< 0: one per core
    bool has_seed;
    uint64_t seed;
    const char *sets[GMC_ARGS_SET_MAX + GMC_ARGS_SET_OWN]; ///< (set_count) "PATH=VALUE"
    int set_count;
    const char *allow[GMC_ARGS_ALLOW_MAX + 1]; ///< (allow_count) folders, ended by NULL
    int allow_count;
    bool has_trials;
    uint64_t trial_first, trial_end; ///< half open
    gmc_shard shard;
    const char *after;  ///< file of the rounds before the shard's; NULL: none
    gmc_stop_rule stop; ///< of --until or --decide
    bool has_until, has_decide;
    gmc_args_record record;
    int64_t record_count;
    double rate; ///< rows per second of a kept trajectory; -1: as the scenario says [Hz]
    const char *design, *stepper, *solver, *step;
    bool force, resume, abort_on_unsolved;
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
    int64_t pilot;   ///< trials that check runs; 0: none
    bool shapes;     ///< with json
    int64_t best;    ///< of rank; 0: not said
    bool per_object; ///< of rank
    const char *by;
    const char *rebins[GMC_ARGS_REBIN_MAX]; ///< (rebin_count) "PATH=BINS" or "BINS"
    int rebin_count;
    const char *where;       ///< which trials are meant; NULL: all
    const char *success;     ///< criteria in place of the scenario's; NULL: those
    gmc_gate gate;           ///< of --fail-if
    bool to_csv, contacts;   ///< of export
    const char *sensitivity; ///< "success", or a number whose sensitivity is asked for; NULL: none
    const char *quantile;    ///< as written: "slip:0.5,0.95"; NULL: none is asked for
    char quantile_of[GMC_ARGS_QUANTILE_BYTES]; ///< the number: "slip"
    double quantile_p[GMC_ARGS_QUANTILES_MAX]; ///< (quantile_count) rising
    int quantile_count;
    bool has_trial;
    uint64_t trial;
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

enum { GMC_ARGS_OPTIONS_MAX = 128 }; ///< rows of the table

typedef struct gmc_option {
    char letter;        ///< 0: none
    const char *name;   ///< without the dashes
    const char *value;  ///< what its value is called in the help; NULL: a flag
    const char *about;  ///< one line
    const char *values; ///< words it may take, separated by blanks, for completion; NULL: any
    bool (*parse)(const char *text, gmc_args *args); ///< false: the text is not as expected
    const char *expects;                             ///< completes "expects ..."
    unsigned commands; ///< bit of each gmc_command_id that takes it, and GMC_OPTION_OVERRIDE
} gmc_option;

extern const gmc_command gmc_args_commands[GMC_COMMAND_COUNT];
extern const gmc_option gmc_args_options[];
extern const int gmc_args_option_count;

/// Read argv into `args`. Complaints go to `complaints`, all of them, one a line.
/// @return true if the command line makes sense; else the exit code is GMC_EXIT_USAGE
bool gmc_args_parse(int argc, char *const *argv, gmc_args *args, FILE *complaints);

#endif

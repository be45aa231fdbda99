/// What a result says, in words, as a table or as JSON: the end of `run` and the whole of `show`.
/// Everything is computed from the stored trials, so that both say the same.
#ifndef GMC_CLI_ANSWER_ANSWER_H
#define GMC_CLI_ANSWER_ANSWER_H

#include "cli/options/args.h"
#include "cli/process/json.h"
#include "sampling/build/prepare.h"
#include "sampling/findings/rescore.h"
#include "sampling/store/result.h"
#include "sampling/store/summary.h"

/// Trials that are listed by their numbers.
enum { GMC_ANSWER_LISTED = 100 };

/// As if all open trials had failed, had succeeded.
enum { GMC_ANSWER_ENDS = 2 };

/// Depths that are counted where they are beyond a bound: rows of a table in answer_checks.c.
enum { GMC_ANSWER_DEPTHS = 3 };

typedef struct gmc_answer_depth {
    uint64_t trials; ///< beyond the bound
    double most;     ///< of all trials that ran [m; of a pad's thickness]
    uint64_t most_trial;
} gmc_answer_depth;

typedef struct gmc_answer {
    const gmc_store_plan *plan; ///< not owned
    const char *path;           ///< of the result
    gmc_rescore *rescore;       ///< other criteria, not owned; NULL: the stored verdicts
    gmc_rescore *where;         ///< which trials are meant, not owned; NULL: all
    gmc_tally
        where_open; ///< of which it is not known whether they are: cut short. Not in the summary
    struct gmc_answer_asked *asked;           ///< a rule put to all trials, not owned; NULL: none
    struct gmc_surrogate_until *by_surrogate; ///< that the run could stop by, owned; NULL: none
    uint64_t seen;                            ///< trials of the file
    gmc_summary summary;
    gmc_summary ends[GMC_ANSWER_ENDS]; ///< of answer_range.h
    bool has_ends;
    uint64_t trial_count;                   ///< trials that are meant
    uint64_t not_known[GMC_DECISION_COUNT]; ///< counted as unsolved: this rule cut them too short
                                            ///< to be judged by `rescore`
    uint64_t reasons[GMC_REASON_COUNT];     ///< of unsolved trials
    uint64_t first_of_reason[GMC_REASON_COUNT]; ///< number of the first trial with it, to replay
    uint32_t
        *case_reasons; ///< (case_count) bit r: an unsolved trial with reason r, owned; NULL: none
    struct gmc_answer_overlaps *overlaps; ///< of trials that could not start, owned; NULL: none
    double max_residual;                  ///< worst accepted residual of a step in any trial [-]
    uint64_t max_residual_trial;
    uint64_t started;                           ///< trials that ran from their start
    gmc_answer_depth depths[GMC_ANSWER_DEPTHS]; ///< of these
    uint64_t unbalanced;       ///< trials whose energy is off by more than 1 %, of at least 1 mJ
    double worst_balance;      ///< the largest of all with that much, with its sign [-]
    double worst_balance_size; ///< what it is relative to [J]
    uint64_t worst_balance_trial;
    uint64_t unbalanced_own; ///< trials whose energy is off by more than 5 % of the object's own
    double worst_own;        ///< the largest of these, missing energy over the object's own [-]
    uint64_t worst_own_trial;
    uint64_t listed[GMC_ANSWER_LISTED]; ///< the first trials that `where` meant
} gmc_answer;

/// What the trials of a result are looked at for; zero: all of them, by their stored verdicts. All
/// outlive the answer.
typedef struct gmc_answer_how {
    gmc_rescore *rescore;           ///< judges every trial anew
    gmc_rescore *where;             ///< picks trials
    struct gmc_answer_asked *asked; ///< takes all trials in
    const gmc_prepared *prepared;   ///< the scenario, to name who overlaps; NULL: nobody is named
} gmc_answer_how;

/// Does the file have the columns that its plan asks for? One of another version may measure other
/// things.
bool gmc_answer_fits(const gmc_result_info *info, const gmc_store_plan *plan);

/// Go through all trials of a result.
/// @param plan     of this result: cases, histograms, level; outlives the answer
/// @param path     for the output; outlives the answer
/// @return GMC_OK, GMC_E_MISMATCH (written by a version that measures other things), GMC_E_INPUT,
///         GMC_E_MEMORY; gmc_answer_free in every case
GMC_MUST_CHECK gmc_status gmc_answer_collect(gmc_result *result, const gmc_store_plan *plan,
                                             const gmc_answer_how *how, const char *path,
                                             gmc_answer *answer);

void gmc_answer_free(gmc_answer *answer);

/// What the run's stopping rule says about the stored trials; undecided if it had none. It looked
/// at the scenario's criteria: an answer under others does not speak of it.
gmc_stop_verdict gmc_answer_verdict(const gmc_answer *answer);

/// If nothing was decided, why: a line of its own. Then one line: "success 0.934 [0.929, 0.939] 95
/// % Wilson, 9340 of 10000; ..."; with a stopping rule a second one: "decided: success >= 0.9 is
/// true, after 812 of at most 100000 draws"; under other criteria these, and which trials they
/// leave open: if they do, the line has a range in place of a share.
void gmc_answer_print_estimate(const gmc_answer *answer, FILE *out);

/// "decided: success >= 0.9 is true", "reached: half_width<0.01", "undecided: ..."; no line end.
void gmc_answer_print_verdict(gmc_stop_rule rule, gmc_stop_verdict verdict, FILE *out);

/// How the trials ended, why some are unsolved, what the audits and the repetitions at half the
/// step found (of the scenario's criteria alone), the worst residual, where the result is.
void gmc_answer_print_outcomes(const gmc_answer *answer, FILE *out);

/// One line per case with its decisions and estimate; at most `limit` lines (0: all).
void gmc_answer_print_cases(const gmc_answer *answer, int limit, FILE *out);

/// Success against its parameters, or the spread of a measure.
void gmc_answer_print_histogram(const gmc_answer *answer, int index, FILE *out);

/// All of it as one JSON object and a line end.
void gmc_answer_print_json(const gmc_answer *answer, bool with_details, FILE *out);

/// Members of an open object: what trials came to, and the values that a study chose for a case.
void gmc_answer_put_tally(gmc_json *json, const gmc_tally *tally);
void gmc_answer_put_chosen(gmc_json *json, const gmc_store_plan *plan, int case_index);

/// Which case it is: its number, object, grasp, and the values that were chosen.
void gmc_answer_put_case(gmc_json *json, const gmc_store_plan *plan, int case_index);

/// An estimate as an object of that name.
void gmc_answer_put_estimate(gmc_json *json, const char *name, const gmc_estimate *e);

/// A member "success" of an open object: what gmc_answer_print_estimate tells of it.
void gmc_answer_put_success(const gmc_answer *answer, gmc_json *json);

/// The lower end of both, of a run that decides nothing by what it sees.
double gmc_answer_lower(const gmc_answer *answer);

/// What a call ends with.
typedef struct gmc_answer_end {
    gmc_stop_verdict verdict; ///< of the plan's stopping rule, or of the rule that --until or
                              ///< --decide puts to a plan without one
    bool is_undecided;        ///< no trial was decided
} gmc_answer_end;

/// The answer of a finished file, read back from it: as JSON or in words, with its cases or the
/// estimate alone, as --json and --quiet say.
/// @param prepared  the scenario of the result
/// @param end      out
/// @return as gmc_result_open and gmc_answer_collect
GMC_MUST_CHECK gmc_status gmc_answer_file(const char *path, const gmc_store_plan *plan,
                                          const gmc_prepared *prepared, const gmc_args *args,
                                          gmc_diagnostics *messages, gmc_answer_end *end);

/// Is it a column of a list of cases? A grasp goes by its name, not by its pose.
bool gmc_answer_is_listed(const gmc_store_parameter *parameter);

#endif

/// What a result says, in words, as a table or as JSON: the end of `run` and the whole of `show`.
/// Everything is computed from the stored trials, so that both say the same.
///
/// An answer is made of parts (gmc_answer_part): the stopping rule, a ranking, overlaps, ... Each
/// takes the trials in and says what it found, in words and as JSON, in one file; answer.c has the
/// order in which they speak.
#ifndef GMC_CLI_ANSWER_ANSWER_H
#define GMC_CLI_ANSWER_ANSWER_H

#include "cli/options/args.h"
#include "cli/process/json.h"
#include "sampling/build/prepare.h"
#include "sampling/findings/rescore.h"
#include "sampling/store/method.h"
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

/// Trials that were unreachable in one phase for one reason.
typedef struct gmc_answer_unreachable {
    uint64_t trials, first; ///< how many, and the number of the first
} gmc_answer_unreachable;

typedef struct gmc_answer {
    const gmc_store_plan *plan; ///< not owned
    const char *path;           ///< of the result
    gmc_rescore *rescore;       ///< other criteria, not owned; NULL: the stored verdicts
    gmc_rescore *where;         ///< which trials are meant, not owned; NULL: all
    gmc_tally
        where_open; ///< of which it is not known whether they are: cut short. Not in the summary
    struct gmc_answer_asked *asked;           ///< a rule put to all trials, owned; NULL: none
    struct gmc_surrogate_until *by_surrogate; ///< that the run could stop by, owned; NULL: none
    uint64_t stored, seen;                    ///< trials of the file, and those that were looked at
    gmc_summary summary;
    gmc_summary ends[GMC_ANSWER_ENDS]; ///< of answer_open.c
    bool has_ends;
    bool is_step_apart;   ///< what is told holds nothing of the step, whatever the run knows of it
    uint64_t trial_count; ///< trials that are meant
    uint64_t not_known[GMC_DECISION_COUNT]; ///< counted as unsolved: this rule cut them too short
                                            ///< to be judged by `rescore`
    uint64_t reasons[GMC_REASON_COUNT];     ///< of unsolved trials
    uint64_t first_of_reason[GMC_REASON_COUNT]; ///< number of the first trial with it, to replay
    gmc_answer_unreachable *unreachable; ///< (phase_count x GMC_REASON_COUNT), owned; NULL: none
    uint32_t
        *case_reasons; ///< (case_count) bit r: an unsolved trial with reason r, owned; NULL: none
    struct gmc_answer_overlapping *overlaps; ///< of trials that could not start, owned; NULL: none
    double max_residual;                     ///< worst accepted residual of a step in any trial [-]
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
    gmc_rescore *rescore;         ///< judges every trial anew
    gmc_rescore *where;           ///< picks trials
    gmc_stop_rule asked;          ///< is put to all trials, see gmc_answer_rule_fits
    const gmc_prepared *prepared; ///< the scenario, to name who overlaps; NULL: nobody is named
} gmc_answer_how;

// --- collecting ---

/// Does the file have the columns that its plan asks for? One of another version may measure other
/// things.
bool gmc_answer_fits(const gmc_result_info *info, const gmc_store_plan *plan);

/// Read the criteria of --success. Mistakes are reported with the text and a caret below the place.
/// @param plan     of the result; outlives `rescore`, as does the text
/// @param input    the result's path, for messages
/// @param rescore  out: NULL unless GMC_OK
/// @return GMC_OK, GMC_E_INPUT (a mistake, or the result has a ladder; reported), GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_answer_rescore_read(const char *text, const gmc_store_plan *plan,
                                                  const char *input, gmc_diagnostics *messages,
                                                  gmc_rescore **rescore);

/// Read the claim of --where in the same way; it may be that no interval holds for a part of such a
/// run.
GMC_MUST_CHECK gmc_status gmc_answer_where_read(const char *text, const gmc_store_plan *plan,
                                                const char *input, gmc_diagnostics *messages,
                                                gmc_rescore **where);

/// May parts of such a run have answers of their own?
bool gmc_answer_where_fits(const gmc_store_plan *plan);

/// May the rule of --until or --decide be put to this file? Says why not.
/// @param first  number of its first trial
bool gmc_answer_rule_fits(const gmc_store_plan *plan, uint64_t first, const gmc_args *args,
                          const char *input);

/// Go through all trials of a result.
/// @param plan     of this result: cases, histograms, level; outlives the answer
/// @param path     for the output; outlives the answer
/// @return GMC_OK, GMC_E_MISMATCH (written by a version that measures other things), GMC_E_INPUT,
///         GMC_E_MEMORY; gmc_answer_free in every case
GMC_MUST_CHECK gmc_status gmc_answer_collect(gmc_result *result, const gmc_store_plan *plan,
                                             const gmc_answer_how *how, const char *path,
                                             gmc_answer *answer);

void gmc_answer_free(gmc_answer *answer);

// --- what is known ---

/// Success over all trials that are meant, with all that the run knows: what is shown first.
gmc_estimate gmc_answer_headline(const gmc_answer *answer);

/// By chance of the draws alone: success over all trials that are meant, of one case, or in one bin
/// of `found`; each by the first method of the plan and at its level.
gmc_estimate gmc_answer_total_estimate(const gmc_answer *answer);
gmc_estimate gmc_answer_case_estimate(const gmc_answer *answer, int index);
gmc_estimate gmc_answer_bin_estimate(const gmc_answer *answer, const gmc_histogram *found, int bin);

/// The range of all trials that are meant, of one case, of one bin of histogram `index`.
/// @return false: none of them is open, the estimate holds
bool gmc_answer_range_total(const gmc_answer *answer, gmc_estimate_range *range);
bool gmc_answer_range_case(const gmc_answer *answer, int case_index, gmc_estimate_range *range);
bool gmc_answer_range_bin(const gmc_answer *answer, int index, int bin, gmc_estimate_range *range);

/// Trials whose verdict under other criteria is not known, because an early one cut them short.
uint64_t gmc_answer_open_count(const gmc_answer *answer);

/// No trial that is meant has a verdict, and the answer is not one about designs that were chosen.
bool gmc_answer_is_undecided(const gmc_answer *answer);

/// With subset simulation: can no number be told? The headline says why.
bool gmc_answer_subset_refused(const gmc_answer *answer);

/// What the rule that was asked says of the stored trials, or else the run's stopping rule;
/// undecided if there was none. The run's looked at the scenario's criteria: an answer under others
/// does not speak of it.
gmc_stop_verdict gmc_answer_verdict(const gmc_answer *answer);

/// Successes that there are, and that there might be: all that unsolved trials leave open of a
/// tally.
static inline gmc_interval gmc_answer_left_open(gmc_tally t)
{
    double all = (double)gmc_tally_trials(t);
    if (all == 0) return (gmc_interval){.lower = 0, .upper = 1};
    return (gmc_interval){.lower = (double)t.successes / all,
                          .upper = (double)(t.successes + t.unsolved) / all};
}

/// "case 2, top_3 of mug, cannot be decided by more: ...", of cases that `is_meant` picks, the
/// first few of them.
void gmc_answer_print_stuck(const gmc_answer *answer,
                            bool (*is_meant)(const gmc_answer *answer, int case_index), FILE *out);

enum { GMC_ANSWER_RANKING_TEXT = 64 };

/// "best", "out after round 4", "open": a case of a ranking.
/// @param text  at least GMC_ANSWER_RANKING_TEXT bytes
/// @return text
char *gmc_answer_ranking_verdict(const gmc_answer *answer, int case_index, char *text);

/// Of a ranking: whether the best are known, and after how many trials. Nothing without one.
void gmc_answer_ranking_print(const gmc_answer *answer, FILE *out);

// --- parts ---

/// A trial as the parts take it in.
typedef struct gmc_answer_trial {
    const gmc_trial *stored;
    gmc_trial judged;        ///< with the outcome that it has under the answer's criteria
    gmc_rescore_truth truth; ///< whether it is meant
    bool is_open;            ///< these do not know it: it is among the unsolved
} gmc_answer_trial;

/// A part of an answer; functions that are NULL have nothing to do, and all have nothing to say
/// where the run or the question is another.
typedef struct gmc_answer_part {
    gmc_status (*open)(gmc_answer *answer, const gmc_answer_how *how);
    gmc_status (*take)(gmc_answer *answer, const gmc_answer_trial *trial);
    gmc_status (*finish)(gmc_answer *answer, const gmc_answer_how *how);
    void (*free)(gmc_answer *answer);
    /// A headline that stands for all others. @return false: there is none
    bool (*instead)(const gmc_answer *answer, FILE *out);
    void (*headline)(const gmc_answer *answer, FILE *out);
    /// Of a study, in place of how its trials ended.
    void (*ended)(const gmc_answer *answer, FILE *out);
    void (*details)(const gmc_answer *answer, FILE *out);
    void (*json)(const gmc_answer *answer, gmc_json *json);
    void (*of_case)(const gmc_answer *answer, int case_index, FILE *out);
    void (*of_case_json)(const gmc_answer *answer, int case_index, gmc_json *json);
} gmc_answer_part;

/// Success of all trials and of each case; between which ends, where inputs are known only to lie
/// in an interval; with what few measurements of inputs leave open.
extern const gmc_answer_part gmc_answer_success, gmc_answer_places, gmc_answer_measured;

/// Another question than the run's: --where, --success, and the summaries as if all trials that are
/// then open had failed, had succeeded.
extern const gmc_answer_part gmc_answer_where, gmc_answer_rescore, gmc_answer_range;

/// The run's stopping rule, and one that is put to the file: what more draws cannot decide.
extern const gmc_answer_part gmc_answer_rule, gmc_answer_asked_rule;

/// Study methods: gmc_answer_ladder, ...
#define GMC_ANSWER_STUDY(word) extern const gmc_answer_part gmc_answer_##word;
GMC_STORE_METHODS(GMC_ANSWER_STUDY)
#undef GMC_ANSWER_STUDY

/// How far it can be trusted: early verdicts held against the end of their trials, trials repeated
/// at half the step, a line each if trials began deep, got deep or pressed a pad to its bottom, a
/// line each if their energy is off; bodies that overlap at the start (details: below the reason).
extern const gmc_answer_part gmc_answer_early, gmc_answer_step, gmc_answer_depths,
    gmc_answer_energy, gmc_answer_overlaps;

/// Success against its parameters, or the spread of a measure.
extern const gmc_answer_part gmc_answer_histograms;

// --- saying it ---

/// If nothing was decided, why: a line of its own. Then one line: "success 0.934 [0.929, 0.939] 95
/// % Wilson, 9340 of 10000; ..."; with a stopping rule a second one: "decided: success >= 0.9 is
/// true, after 812 of at most 100000 draws"; under other criteria these, and which trials they
/// leave open: if they do, the line has a range in place of a share.
void gmc_answer_print_estimate(const gmc_answer *answer, FILE *out);

/// That; how the trials ended, why some are unsolved, what the audits and the repetitions at half
/// the step found (of the scenario's criteria alone), the worst residual, where the result is; and
/// one line per case with its decisions and estimate, at most `limit` of them (0: all).
void gmc_answer_print(const gmc_answer *answer, int limit, FILE *out);

/// All of it as one JSON object and a line end.
void gmc_answer_print_json(const gmc_answer *answer, bool with_details, FILE *out);

/// Members of an open object: what trials came to, and the values that a study chose for a case.
void gmc_answer_put_tally(gmc_json *json, const gmc_tally *tally);
static inline void gmc_answer_put_chosen(gmc_json *json, const gmc_store_plan *plan, int case_index)
{
    for (int i = 0; i < plan->parameter_count; i++)
        if (plan->parameters[i].is_studied)
            gmc_json_real(json, plan->parameters[i].name, plan->cases[case_index].values[i]);
}

/// Which case it is: its number, object, grasp, and the values that were chosen.
void gmc_answer_put_case(gmc_json *json, const gmc_store_plan *plan, int case_index);

/// An estimate as an object of that name; a range as one: "lowest", "highest", no "p".
void gmc_answer_put_estimate(gmc_json *json, const char *name, const gmc_estimate *e);
void gmc_answer_put_range(gmc_json *json, const char *name, const gmc_estimate_range *range);

/// Is it a column of a list of cases? A grasp goes by its name, not by its pose.
static inline bool gmc_answer_is_listed(const gmc_store_parameter *parameter)
{
    return parameter->is_studied &&
           strncmp(parameter->distribution, GMC_STORE_GRASPS, strlen(GMC_STORE_GRASPS)) != 0;
}

/// A histogram of two parameters: one row per bin of the first, p in hundredths, so that 30 columns
/// fit a screen.
/// @param percent  (bins) to print in place of the trials' own, where it is not below 0; NULL
void gmc_answer_print_map(const gmc_answer *answer, int index, const int *percent, FILE *out);

/// Its axes as an entry "axes".
void gmc_answer_put_axes(gmc_json *json, const gmc_answer *answer, int index);

// --- of a file ---

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

/// Said where a level of subset simulation has fewer than GMC_SUBSET_POINTS_FEW points
/// (test_subset_ties.c).
#define GMC_ANSWER_SUBSET_FEW                                                                      \
    "estimates are too high on average, at failures of 2e-4 by 35 % with 100 points and by 20 % "  \
    "with 200, at 1e-6 by 85 % and by 40 %; with 1000 by 3 %"

#endif

/// Other criteria for stored trials: `slip <= 5 mm and lift >= 60 mm` over the columns of /trials,
/// and what was drawn, by name, without simulation. The answer is that of a run with these
/// criteria, as far as the rows tell:
///
///   unsolved   stays unsolved
///   lost       stays lost: no criterion makes a success of an object that left the workspace
///   else       a success if the expression holds for the row
///   cut short  by an early verdict that no audit carried to the end: judged where the rest of the
///              trial could not change it (a largest force so far only rises), else open. What
///              was broken is never a success: it may leave the workspace yet, and is lost then
///
/// What a row that was cut short still says is in FORMAT.md, "Trials decided early".
#ifndef GMC_SAMPLING_FINDINGS_RESCORE_H
#define GMC_SAMPLING_FINDINGS_RESCORE_H

#include "engine/base/source.h"
#include "engine/outcome.h"
#include "sampling/campaign/trial.h"
#include "sampling/estimate/proportion.h"

typedef struct gmc_rescore gmc_rescore;

/// Read the expression. Names are those of the columns, and of the other numbers of /trials: trial,
/// case, draw, success (of the stored verdict), phase, t_end, outcome; of cases object and grasp,
/// which like outcome are words: `outcome = missed`. Blanks in their brackets are free; a
/// column goes before a function of the same spelling.
/// @param text     must outlive `rescore`, as must the columns
/// @param report   places are those of the file "--success", line 1
/// @param rescore  out: NULL unless GMC_OK
/// @return GMC_OK, GMC_E_INPUT (reported), GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_rescore_open(const char *text, const gmc_column *columns,
                                           int column_count, gmc_diagnostics *report,
                                           gmc_rescore **rescore);

/// What else an expression may name, and how it is called in messages.
typedef struct gmc_rescore_names {
    const gmc_column *columns;
    int column_count;
    const struct gmc_store_parameter *parameters; ///< values of samples, by their paths
    int parameter_count;
    const struct gmc_store_case *cases; ///< their objects and grasps; NULL: not to be named
    int case_count;
    const char *option; ///< "--where"
    bool is_verdict;    ///< columns of how a trial was run are refused: is_whole, decided_by, ...
    bool is_number;     ///< what is asked for is no claim but a number: `slip`, `max_force / 2`
} gmc_rescore_names;

/// The same for an expression that names more, or says which trials are meant:
/// `friction.rubber/abs > 0.2 and slip < 5 mm`, to be asked by gmc_rescore_holds. A column goes
/// before a parameter of its name.
/// @param names  what it points to must outlive `rescore`
GMC_MUST_CHECK gmc_status gmc_rescore_open_where(const char *text, const gmc_rescore_names *names,
                                                 gmc_diagnostics *report, gmc_rescore **rescore);

typedef enum gmc_rescore_truth {
    GMC_RESCORE_NO,
    GMC_RESCORE_YES,
    GMC_RESCORE_OPEN ///< the trial was cut short, or is unsolved, before it could be known
} gmc_rescore_truth;

/// Does the expression hold for the whole trial, whatever its verdict?
gmc_rescore_truth gmc_rescore_holds(gmc_rescore *rescore, const gmc_trial *trial);

/// Does it look at what a trial measured, or at numbers alone that were there before it began?
bool gmc_rescore_is_of_measures(const gmc_rescore *rescore);

/// The number of a trial, as its row has it, of an expression read as one (`is_number`).
/// @param is_cut  out: an early verdict cut the trial short, and what came after could have changed
///                the number
/// @return NaN: the trial is unsolved, or cut short as a failure (`is_cut`), or a column has no
///         value
double gmc_rescore_number(gmc_rescore *rescore, const gmc_trial *trial, bool *is_cut);

/// What a trial says of the number that the whole trial would have had: one value, or all that it
/// may be. Of an unsolved trial what was drawn for it is known, and nothing that it measured. NaN,
/// NaN: the whole trial has no such number.
/// @param rescore  read as for gmc_rescore_number
gmc_interval gmc_rescore_range(gmc_rescore *rescore, const gmc_trial *trial);

/// Accepts NULL.
void gmc_rescore_close(gmc_rescore *rescore);

/// As given to gmc_rescore_open.
const char *gmc_rescore_text(const gmc_rescore *rescore);

/// Judge a trial.
/// @param trial   its values in the order of the columns
/// @param cut_by  out: the rule that cut it too short to be judged; GMC_DECISION_END: it is judged
/// @return GMC_OUTCOME_SUCCESS, GMC_OUTCOME_MISSED (the expression does not hold),
///         GMC_OUTCOME_LOST, GMC_OUTCOME_UNSOLVED (it was, or is not known)
gmc_outcome gmc_rescore_judge(gmc_rescore *rescore, const gmc_trial *trial, gmc_decision *cut_by);

#endif

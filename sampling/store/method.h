/// How a study chooses its trials and what they come to: one table of functions for each method
/// that is not plain draws, in a file of its own (method_ladder.c, ...). What describes a run, runs
/// it in rounds, sums it up and writes it goes through the table; a new method is one line of
/// GMC_STORE_METHODS and the file with its table.
///
/// A plan has one method at most, so that none is asked before another: two are refused with the
/// scenario.
///   ladder     not with rank (schema_rows.c, rivals), two_level (scenario_read.c), subset
///              (resolve.c), importance (resolve_uncertain.c)
///   rank       not with importance (resolve.c), two_level (resolve.c), nor with subset,
///              which has one case where a ranking has several
///   subset     not with importance, two_level (resolve.c)
///   two_level  not with importance (resolve.c)
/// Two things come before any method: an interval of fixed width, and the confidence sequence of a
/// run that may stop, neither of which goes with one (cli/commands/run.c).
#ifndef GMC_SAMPLING_STORE_METHOD_H
#define GMC_SAMPLING_STORE_METHOD_H

#include "engine/base/status.h"
#include "sampling/campaign/rounds.h"
#include "sampling/estimate/estimate.h"
#include "sampling/estimate/stop.h"
#include "sampling/scenario/scenario.h"

typedef struct gmc_describing gmc_describing; // describe.h
typedef struct gmc_h5 gmc_h5;                 // h5.h
typedef struct gmc_store_plan gmc_store_plan; // plan.h
typedef struct gmc_summary gmc_summary;       // summary.h
typedef struct gmc_summary_rank gmc_summary_rank;

/// Where a trial counts.
typedef enum gmc_store_share {
    GMC_STORE_SHARE_ALL,      ///< for its case and in the total, as plain draws do
    GMC_STORE_SHARE_LEFT_OUT, ///< for its case; the total says that it is left out
    GMC_STORE_SHARE_CASE,     ///< for its case; the total is not one of trials
    GMC_STORE_SHARE_NONE      ///< nowhere: it only helped to choose others
} gmc_store_share;

/// What is NULL is as with plain draws.
typedef struct gmc_store_method {
    const char *word;    ///< the scenario's: "ladder"
    const char *chooser; ///< of one that says which trials are run, and how many, its name in
                         ///< messages: "ranking"; NULL: all of the range are
    const char *picker;  ///< what of it does so: "pilot of two levels"
    const char *key;     ///< of one that chooses: how its line of the scenario's fingerprint begins
    const char *attribute; ///< ... and that of `/` in its files, which write_root puts there
    const char *asker;     ///< ... and who did not ask for a trial that is missing there: "pilot"
    const char
        *undivided;    ///< ... what is never run in parts: "this study of a ladder"; NULL: it is
    bool is_of_cases;  ///< what it finds is about the cases: success over all is nobody's question
    bool has_no_total; ///< ... and there is none
    bool runs_whole;   ///< no early verdict cuts its trials short
    const char *against_bins; ///< why its trials may not be counted in bins; NULL: they may

    bool (*is_asked)(const gmc_scenario *scenario);

    /// What the scenario asks for into the plan; not called of one that chooses trials where the
    /// plan has a part of them. @return GMC_OK, GMC_E_ARENA_FULL
    gmc_status (*describe)(const gmc_describing *d);
    bool (*is_planned)(const gmc_store_plan *plan);

    /// Who says which trials come next. @param rounds  out: its `free` in every case
    gmc_status (*rounds)(const gmc_store_plan *plan, gmc_rounds_plan *rounds);

    /// What a summary keeps of it; `clear` in every case.
    /// @return GMC_OK, GMC_E_MEMORY, GMC_E_LIMIT (too many trials)
    gmc_status (*create)(gmc_summary *summary);
    void (*clear)(gmc_summary *summary);
    gmc_store_share (*take)(gmc_summary *summary, const gmc_trial *trial, gmc_verdict verdict);

    /// After the last trial. @return GMC_OK, GMC_E_MISSING (trials), GMC_E_MEMORY
    gmc_status (*decide)(gmc_summary *summary);

    /// Success of all trials, and of one case. A method of one case alone has the total.
    gmc_estimate (*total)(const gmc_summary *summary);
    gmc_estimate (*of_case)(const gmc_summary *summary, int case_index);

    /// The interval, unless it is Wilson's; or those of gmc_summary_methods. @return how many
    gmc_method interval;
    int (*intervals)(const gmc_store_plan *plan, gmc_method methods[2]);

    /// Was what it looks for found? Then the run has answered a question.
    gmc_stop_verdict (*verdict)(const gmc_summary *summary);

    /// Places of the cases. @param ranks  out: (case_count), free() it; NULL: there are none
    gmc_status (*ranks)(const gmc_summary *summary, gmc_summary_rank **ranks);

    /// Attributes of `/` that tell readers so, and the datasets of the summary.
    gmc_status (*write_root)(gmc_h5 *h5, const gmc_store_plan *plan);
    gmc_status (*write)(const gmc_summary *summary, gmc_h5 *h5);
} gmc_store_method;

/// Plain draws: nothing but NULLs.
extern const gmc_store_method gmc_store_method_plain;

/// All others.
#define GMC_STORE_METHODS(X) X(ladder) X(rank) X(subset) X(two_level) X(importance)

#define GMC_STORE_METHOD_DECLARE(word) extern const gmc_store_method gmc_store_method_##word;
GMC_STORE_METHODS(GMC_STORE_METHOD_DECLARE)
#undef GMC_STORE_METHOD_DECLARE

/// What a plan has, or a scenario asks for.
const gmc_store_method *gmc_store_method_of(const gmc_store_plan *plan);
const gmc_store_method *gmc_store_method_asked(const gmc_scenario *scenario);

/// All but plain draws, one by one. @return NULL: there is no such
const gmc_store_method *gmc_store_method_at(int index);

/// "ranking", "ladder", ...: who says which trials such a scenario has; NULL: it has all.
const char *gmc_store_method_chooser(const gmc_scenario *scenario);

#endif

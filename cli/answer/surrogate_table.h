/// Stored trials as a surrogate takes them: what describes a draw, what describes a case, and the
/// outcomes, an unknown one taken both ways.
///
/// Cases on common draws are one group, to which one function is fitted; cases on draws of their
/// own are a group each. A draw is described by its uncertain inputs, each as the first case that
/// has it sees it: any description will do, for the estimate is unbiased whatever the function is
/// worth. A case is described by its decisions, and by its object where there are several.
#ifndef GMC_CLI_ANSWER_SURROGATE_TABLE_H
#define GMC_CLI_ANSWER_SURROGATE_TABLE_H

#include "cli/answer/stored.h"
#include "sampling/campaign/trial.h"
#include "sampling/explain/surrogate.h"
#include "sampling/store/plan.h"

/// How an outcome that is not known is taken.
enum { GMC_SURROGATE_TABLE_FAILED, GMC_SURROGATE_TABLE_WORKED, GMC_SURROGATE_TABLE_WAYS };

/// Trials of one group.
typedef struct gmc_surrogate_table_group {
    int64_t count;                       ///< draws
    uint64_t room;                       ///< for so many
    double *x;                           ///< (count, inputs)
    double *y[GMC_SURROGATE_TABLE_WAYS]; ///< (count, cases of the group)
    bool is_open;                        ///< the last draw waits for cases
} gmc_surrogate_table_group;

typedef struct gmc_surrogate_table {
    const gmc_scenario *scenario;
    const gmc_store_plan *plan;
    int inputs, decisions;
    int *columns;  ///< (inputs) of a trial's samples
    int *seen_by;  ///< (inputs) case that has it
    int seen_last; ///< of these
    double *a;     ///< (cases, decisions)
    int group_count, group_cases;
    gmc_surrogate_table_group *groups;
    double *values, *samples; ///< of a fresh draw
} gmc_surrogate_table;

/// Are trials what a surrogate can be asked of: independent draws of the scenario's own chance, of
/// a run whose length does not follow from what it saw?
/// @return GMC_OK, GMC_E_INPUT (reported)
GMC_MUST_CHECK gmc_status gmc_surrogate_table_fits(gmc_stored *stored, const gmc_store_plan *plan);

/// @param draws  at most so many of each case come
/// @return GMC_OK, GMC_E_MEMORY; gmc_surrogate_table_free in every case. `inputs` is 0 if nothing
///         is uncertain
GMC_MUST_CHECK gmc_status gmc_surrogate_table_open(const gmc_scenario *scenario,
                                                   const gmc_store_plan *plan, uint64_t draws,
                                                   gmc_surrogate_table *table);

void gmc_surrogate_table_free(gmc_surrogate_table *table);

/// The next trial, in the order of their numbers. Draws of a group that lack a case are left out.
/// @param y  its outcome, unknown ones as failed, as worked
void gmc_surrogate_table_add(gmc_surrogate_table *table, const gmc_trial *trial,
                             const double y[GMC_SURROGATE_TABLE_WAYS]);

/// The same of a trial of a table with one case, in any order: its draw is its row. The caller
/// knows which are there, and sets `count` of the group to as many of the first as are meant.
/// @return GMC_OK, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_surrogate_table_put(gmc_surrogate_table *table,
                                                  const gmc_trial *trial,
                                                  const double y[GMC_SURROGATE_TABLE_WAYS]);

/// After the last trial.
void gmc_surrogate_table_finish(gmc_surrogate_table *table);

/// What a surrogate of a group says.
/// @param level  of the intervals
/// @param plain, estimates  as gmc_surrogate_of has them
/// @return GMC_OK, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_surrogate_table_ask(gmc_surrogate_table *table, int group, int way,
                                                  const gmc_interval *plain, double level,
                                                  gmc_surrogate_estimate *estimates);

/// What it misses the trials of a group by; `watch` and others as gmc_surrogate_residuals has them.
GMC_MUST_CHECK gmc_status gmc_surrogate_table_residuals(gmc_surrogate_table *table, int group,
                                                        int way, const gmc_surrogate_watch *watch,
                                                        double *residuals, bool *is_there);

/// Inputs of a fresh draw of a group.
/// @param x  (inputs) out
void gmc_surrogate_table_fresh(gmc_surrogate_table *table, int group, int64_t index, double *x);

#endif

/// A quantile as the goal of an optimisation: the number of every trial, and the quantile of the
/// chosen design.
#ifndef GMC_CLI_ANSWER_OPTIMISE_QUANTILE_H
#define GMC_CLI_ANSWER_OPTIMISE_QUANTILE_H

#include "cli/answer/stored.h"
#include "sampling/build/build.h"
#include "sampling/findings/quantiles.h"
#include "sampling/findings/rescore.h"

/// Read the measure of the goal, which outlives it.
/// @param columns  outlive it
/// @return as gmc_rescore_open_where; places are those of "study.optimise.goal"
GMC_MUST_CHECK gmc_status gmc_optimise_quantile_read(const gmc_optimise_spec *spec,
                                                     const gmc_column *columns, int column_count,
                                                     gmc_diagnostics *messages,
                                                     gmc_rescore **measure);

/// What is to be small of a trial: its number, or minus it; HUGE_VAL: it is not known, or there is
/// none, which is taken as the worst.
double gmc_optimise_quantile_of(const gmc_optimise_spec *spec, gmc_rescore *measure,
                                const gmc_trial *trial);

/// The quantile of the chosen design.
typedef struct gmc_optimise_quantile {
    gmc_quantile found;
    gmc_quantiles_group about;
    const char *unit; ///< "": none
} gmc_optimise_quantile;

/// @param plan  of the file
/// @return GMC_OK, or what reading it says (reported)
GMC_MUST_CHECK gmc_status gmc_optimise_quantile_find(const gmc_optimise_spec *spec,
                                                     gmc_stored *stored, const gmc_store_plan *plan,
                                                     gmc_optimise_quantile *quantile);

#endif

/// A margin: a number made of the columns of a trial that says how far it is from failing; below 0
/// it has failed. Of `sampling.subset`.
#ifndef GMC_SAMPLING_SCENARIO_MARGIN_H
#define GMC_SAMPLING_SCENARIO_MARGIN_H

#include "sampling/scenario/build.h"

/// Read the margin of a scenario, if it has one; its names are those of the columns, blanks in
/// their brackets free.
/// @param measures  of the compiled scenario; outlives it
/// @param report    places are those of the scenario
/// @return GMC_OK, GMC_E_INPUT (reported), GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_margin_read(gmc_scenario *scenario, const gmc_measure_plan *measures,
                                          gmc_diagnostics *report);

/// The margin of a trial.
/// @param values  of the columns
/// @return -inf: the object was lost; NaN: unsolved, or made of what was not measured
double gmc_margin_value(const gmc_compiled_criterion *code, const double *values,
                        gmc_outcome outcome);

#endif

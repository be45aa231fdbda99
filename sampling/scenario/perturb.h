/// From (case, draw) to numbers: the parameter table of one trial. A pure function, no allocation,
/// free of engine and files: everything was resolved beforehand.
#ifndef GMC_SAMPLING_SCENARIO_PERTURB_H
#define GMC_SAMPLING_SCENARIO_PERTURB_H

#include "sampling/scenario/scenario.h"

/// Values of all parameters in one trial:
///
///   nominal -> studied values of the case -> lines of `uncertain` in the order of the file,
///   patterns (friction.*) after all others -> row `draw` of a CSV design -> formulas, each with
///   the lines that change its own parameter behind it -> errors of what the robot sees, whose
///   deviations are parameters -> points of a support (`tripod`)
///
/// The number of each line is addressed by (seed, draw, path as written), that of `samples` by the
/// file's name in place of the path, so that columns of one file come from one row; `independent`
/// studies add the case. A pattern has one number for all it matches. Correlated lines
/// (resolve_uncertain.c) mix the normal scores of such numbers.
/// @param scenario  resolved
/// @param values    out: (parameter_count) SI
/// @param bad       out: first parameter whose value is not allowed, -1 if all are; may be NULL
/// @return GMC_OK; GMC_E_INPUT: a value is outside of what its parameter allows, or not a number
///         (values are complete all the same): the trial is unsolved; GMC_E_LIMIT: the CSV design
///         has no such row
GMC_MUST_CHECK gmc_status gmc_perturb_values(const gmc_scenario *scenario, int64_t case_index,
                                             uint64_t draw, double *values, gmc_param *bad);

/// Weight of a draw of importance sampling: true density over that of the mixture of proposals and
/// true distributions that it came from; 0 for what the true distributions never give. 1 without.
double gmc_perturb_weight(const gmc_scenario *scenario, int64_t case_index, uint64_t draw);

/// What a line of `uncertain` makes of a value, its number drawn.
static inline double gmc_perturb_changed(const gmc_uncertain *line, double drawn, double value)
{
    switch (line->change) {
    case GMC_CHANGE_ABSOLUTE:
        return drawn;
    case GMC_CHANGE_ADD:
        return value + drawn;
    case GMC_CHANGE_MULTIPLY:
        return value * drawn;
    }
    return value;
}

/// What a line of `samples` or `fit` takes from its measurements in a draw: the row, from 0, or the
/// number before the line's change.
double gmc_perturb_measured(const gmc_scenario *scenario, const gmc_uncertain *line,
                            int64_t case_index, uint64_t draw);

/// Where intervals stand in a draw: which of scenario->interval_places it is, from 0. The last line
/// that is an interval runs fastest.
int gmc_perturb_place(const gmc_scenario *scenario, int64_t case_index, uint64_t draw);

/// What is nominal in a case: its decisions without chance. Without `believed` the robot takes the
/// object to be there; with it cameras are aimed so.
/// @param values  out: (parameter_count) SI
void gmc_perturb_believed(const gmc_scenario *scenario, int64_t case_index, double *values);

/// The sampled columns (scenario->sampled) out of a table of values.
/// @param samples  out: (sampled_count)
void gmc_perturb_samples(const gmc_scenario *scenario, int64_t case_index, const double *values,
                         double *samples);

/// Of a Morris design: which input has moved from the draw before to this one.
/// @param scenario  resolved, of that design
/// @param is_up     out: did its (first) line move up?
/// @return the input; -1: the draw starts a trajectory
int gmc_perturb_moved(const gmc_scenario *scenario, int64_t case_index, uint64_t draw, bool *is_up);

#endif

/// The second half of reading a scenario, when the joints of its hand are parameters.
#ifndef GMC_SAMPLING_SCENARIO_RESOLVE_H
#define GMC_SAMPLING_SCENARIO_RESOLVE_H

#include "sampling/scenario/scenario.h"

/// Resolve every path, parse every distribution and axis, check them against what they change, and
/// work out cases and sampled columns. Unknown paths are reported with the nearest known one.
/// @return GMC_OK, GMC_E_INPUT (reported), GMC_E_MISSING (CSV files, reported), GMC_E_ARENA_FULL,
///         GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_resolve_scenario(gmc_scenario *scenario, gmc_diagnostics *report);

/// Smallest and largest nominal value of a parameter over the cases.
void gmc_resolve_nominal_range(const gmc_scenario *scenario, gmc_param target, double *lowest,
                               double *highest);

/// How often what `uncertain` makes of a parameter is out of limits; 0: too seldom to be told, or
/// nothing is said of it.
double gmc_resolve_share_outside(const gmc_scenario *scenario, gmc_param param, double lower,
                                 double upper);

typedef struct gmc_stray {
    double value;
    gmc_source source;
    const gmc_uncertain *line; ///< that makes it; NULL: a nominal value
} gmc_stray;

/// Is a parameter out of bounds in magnitude: its nominal value, one of the study's, or what a line
/// of `uncertain` makes of it?
/// @param stray  out: the first that is
bool gmc_resolve_stray(const gmc_scenario *scenario, gmc_param param, double low, double high,
                       gmc_stray *stray);

/// Says which lines of `uncertain` leave what a parameter allows, and how often.
void gmc_resolve_foresee(const gmc_scenario *scenario, gmc_param param, gmc_diagnostics *report);

#endif

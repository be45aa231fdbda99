/// Evenly spaced decisions: grid(from, to, step) of the scenario language.
#ifndef GMC_SAMPLING_DESIGN_GRID_H
#define GMC_SAMPLING_DESIGN_GRID_H

#include <stdint.h>

/// Number of points from + i·step, i = 0, 1, ..., that do not pass `to`; `to` itself belongs to
/// them when (to − from)/step is an integer within 1e-9, so that grid(0, 0.3, 0.1) has four points
/// although 3 · 0.1 > 0.3 in binary. A step of the other sign than to − from, zero or not finite
/// gives 0; so do ends that are not finite. from = to gives one point for any step.
/// @return number of points; −1: more than `limit`
int64_t gmc_grid_count(double from, double to, double step, int64_t limit);

/// Point `index` of the same grid, 0 <= index < gmc_grid_count: from + index·step, and exactly `to`
/// for the last one when it is `to` within the rule above.
double gmc_grid_value(double from, double to, double step, int64_t index);

#endif

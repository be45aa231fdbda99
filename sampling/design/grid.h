/// Evenly spaced decisions: grid(from, to, step) of the scenario language.
#ifndef GMC_SAMPLING_DESIGN_GRID_H
#define GMC_SAMPLING_DESIGN_GRID_H

#include <math.h>
#include <stdint.h>

/// Steps between the ends, rounded where it is an integer but for rounding errors.
static inline double gmc_grid_intervals(double from, double to, double step)
{
    double count = (to - from) / step, nearest = floor(count + 0.5);
    return fabs(count - nearest) <= 1e-9 ? nearest : count;
}

/// Number of points from + i·step, i = 0, 1, ..., that do not pass `to`; `to` itself belongs to
/// them when (to − from)/step is an integer within 1e-9, so that grid(0, 0.3, 0.1) has four points
/// although 3 · 0.1 > 0.3 in binary. A step of the other sign than to − from, zero or not finite
/// gives 0; so do ends that are not finite. from = to gives one point for any step.
/// @return number of points; −1: more than `limit`
static inline int64_t gmc_grid_count(double from, double to, double step, int64_t limit)
{
    if (!isfinite(from) || !isfinite(to) || !isfinite(step) || step == 0.0) return 0;
    double count = gmc_grid_intervals(from, to, step);
    if (!(count >= 0.0)) return 0;
    if (!(count < (double)limit)) return -1;
    return (int64_t)floor(count) + 1;
}

/// Point `index` of the same grid, 0 <= index < gmc_grid_count: from + index·step, and exactly `to`
/// for the last one when it is `to` within the rule above.
static inline double gmc_grid_value(double from, double to, double step, int64_t index)
{
    double count = gmc_grid_intervals(from, to, step);
    return (double)index == count ? to : from + (double)index * step;
}

#endif

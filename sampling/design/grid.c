#include "sampling/design/grid.h"

#include <math.h>

static const double END_TOLERANCE = 1e-9; // of a step

// steps between the ends, rounded where it is an integer but for rounding errors
static double intervals(double from, double to, double step)
{
    double count = (to - from) / step, nearest = floor(count + 0.5);
    return fabs(count - nearest) <= END_TOLERANCE ? nearest : count;
}

int64_t gmc_grid_count(double from, double to, double step, int64_t limit)
{
    if (!isfinite(from) || !isfinite(to) || !isfinite(step) || step == 0.0) return 0;
    double count = intervals(from, to, step);
    if (!(count >= 0.0)) return 0;
    if (!(count < (double)limit)) return -1;
    return (int64_t)floor(count) + 1;
}

double gmc_grid_value(double from, double to, double step, int64_t index)
{
    double count = intervals(from, to, step);
    return (double)index == count ? to : from + (double)index * step;
}

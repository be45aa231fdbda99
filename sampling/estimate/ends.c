#include "sampling/estimate/ends.h"

#include "engine/math/elementary.h"

#include <math.h>

double gmc_ends_level(double level, int count) { return gmc_pow(level, 1.0 / count); }

/// Is a place more extreme than those before, or as extreme?
/// @param ahead  how far: > 0 more, 0 as much
static void take(gmc_end *end, double p, int place, double ahead)
{
    if (end->place >= 0 && ahead < 0) return;
    end->ties = end->place >= 0 && ahead == 0 ? end->ties + 1 : 0;
    if (end->ties > 0) return;
    end->p = p;
    end->place = place;
}

gmc_ends gmc_ends_of(const gmc_estimate *estimates, int count)
{
    gmc_end none = {.p = (double)NAN, .place = -1};
    gmc_ends ends = {none, none};
    ends.lowest.interval = (gmc_interval){1, 1};
    ends.highest.interval = (gmc_interval){0, 0};
    for (int i = 0; i < count; i++) {
        const gmc_estimate *e = &estimates[i];
        gmc_interval *low = &ends.lowest.interval, *high = &ends.highest.interval;
        *low = (gmc_interval){fmin(low->lower, e->lower), fmin(low->upper, e->upper)};
        *high = (gmc_interval){fmax(high->lower, e->lower), fmax(high->upper, e->upper)};
        if (gmc_tally_trials(e->tally) == 0) continue;
        take(&ends.lowest, e->unsolved_lower, i, ends.lowest.p - e->unsolved_lower);
        take(&ends.highest, e->unsolved_upper, i, e->unsolved_upper - ends.highest.p);
    }
    return ends;
}

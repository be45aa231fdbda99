// Tried on stored runs at several steps (pinch_cube; a carton let go above a table), 1000 trials
// each: chances that fall with the root of the slack, or none beyond an eighth or a sixth of the
// pilot, give intervals as long to 3 %. Chosen at random, as many repetitions see a quarter of the
// verdicts that turn, and the interval is 1.6 times as long. Repeating at twice the step costs a
// quarter and sees nothing of the carton: as many verdicts turn from 8 to 4 ms as from 4 to 2, but
// as many up as down.
#include "sampling/design/nearby.h"

#include "engine/base/check.h"

#include <math.h>
#include <stdlib.h>

/// Of the work allowed for, what goes to trials that were cut short.
static const double CUT_WORK = 0.35;
/// Share of the pilot that is near.
static const double NEAR = 0.25;

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/// Trials that were not cut are nearer; infinite: all of them are.
static double limit_of(const gmc_nearby_trial *pilot, int count)
{
    double slack[GMC_NEARBY_PILOT];
    int whole = 0, near = (int)(NEAR * count);
    for (int i = 0; i < count; i++)
        if (!pilot[i].is_cut) slack[whole++] = pilot[i].slack;
    qsort(slack, (size_t)whole, sizeof *slack, compare);
    return near < whole ? slack[near] : HUGE_VAL;
}

/// Chance of what was cut short: as large as its share of the work allows.
static double cut_chance(const gmc_nearby_trial *pilot, int count, double work)
{
    double all = 0, cut = 0;
    for (int i = 0; i < count; i++) {
        all += pilot[i].work;
        if (pilot[i].is_cut) cut += GMC_NEARBY_TWICE * pilot[i].work;
    }
    return cut > 0 ? fmin(CUT_WORK * work * all / cut, 1) : 1;
}

/// Work of all repetitions over that of the trials.
static double work_of(const gmc_nearby *plan, const gmc_nearby_trial *pilot, int count)
{
    double all = 0, repeated = 0;
    for (int i = 0; i < count; i++) {
        all += pilot[i].work;
        repeated += GMC_NEARBY_TWICE * pilot[i].work * gmc_nearby_chance(plan, &pilot[i]);
    }
    return all > 0 ? repeated / all : HUGE_VAL;
}

gmc_nearby gmc_nearby_plan(const gmc_nearby_trial *pilot, int count, double share, double work)
{
    enum { HALVINGS = 60 };
    GMC_ASSERT(count <= GMC_NEARBY_PILOT);
    gmc_nearby plan = {
        .share = share, .limit = limit_of(pilot, count), .cut = cut_chance(pilot, count, work)};
    double most = 0;
    for (int i = 0; i < count; i++)
        if (isfinite(pilot[i].slack)) most = fmax(most, pilot[i].slack);
    double low = 0, high = most;
    for (int i = 0; i < HALVINGS; i++) {
        plan.scale = 0.5 * (low + high);
        if (work_of(&plan, pilot, count) > work)
            high = plan.scale;
        else
            low = plan.scale;
    }
    plan.scale = low;
    return plan;
}

double gmc_nearby_chance(const gmc_nearby *plan, const gmc_nearby_trial *trial)
{
    if (plan->share <= 0) return 0;
    if (trial->is_cut) return fmax(plan->share, plan->cut);
    if (!(trial->slack < plan->limit)) return plan->share;
    if (trial->slack <= plan->scale) return 1; // 0 of 0 is near, too
    return fmax(plan->share, plan->scale / trial->slack);
}

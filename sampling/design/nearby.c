// Tried on stored runs at several steps (pinch_cube; a carton let go above a table), 1000 trials
// each: chances that fall with the root of the distance, or none beyond an eighth or a sixth of the
// pilot, give intervals as long to 3 %. Chosen at random, as many repetitions see a quarter of the
// verdicts that turn, and the interval is 1.6 times as long. Repeating at twice the step costs a
// quarter and sees nothing of the carton: as many verdicts turn from 8 to 4 ms as from 4 to 2, but
// as many up as down.
//
// One distance of each trial, the least of its criteria over their sizes, was ranked first: of
// falls with an angle just within its limit in all trials the interval of the change was three
// times as long, and held it in 0.87 of 200 runs where few fail. Criteria weighted by how far their
// near trials are from each other lose what comes in lumps: distances of falls at 4 ms are eleven.
#include "sampling/design/nearby.h"

#include "engine/base/check.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/// Of the work allowed for, what goes to trials that were cut short.
static const double CUT_WORK = 0.35;
/// Share of the pilot that is near; share that is not far. What is beyond HARDLY of the distance
/// that the latter is within is not near: no trial can be told from the others.
static const double NEAR = 0.25, NOT_FAR = 0.75, HARDLY = 0.9;

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool is_distance(double x) { return fabs(x) < DBL_MAX; }

/// Do its distances say how near it is? Not where it was cut short, or what has no distance broke.
static bool is_told(const gmc_nearby_trial *trial)
{
    for (int k = 0; k < trial->criteria; k++)
        if (trial->distance[k] < 0 && !is_distance(trial->distance[k])) return false;
    return !trial->is_cut;
}

/// Distances of a criterion in trials that tell them, the nearest first.
static int sort_distances(const gmc_nearby_trial *pilot, int count, int criterion, double *sorted)
{
    int whole = 0;
    for (int i = 0; i < count; i++) {
        if (!is_told(&pilot[i]) || criterion >= pilot[i].criteria) continue;
        double x = pilot[i].distance[criterion];
        if (is_distance(x)) sorted[whole++] = fabs(x);
    }
    qsort(sorted, (size_t)whole, sizeof *sorted, compare);
    return whole;
}

/// Where fewer than a quarter of the pilot are at any distance all of them are near.
static gmc_nearby_rank rank_of(const gmc_nearby_trial *pilot, int count, int criterion)
{
    double sorted[GMC_NEARBY_PILOT];
    int whole = sort_distances(pilot, count, criterion, sorted);
    int near = (int)(NEAR * count), not_far = (int)(NOT_FAR * count);
    if (whole == 0) return (gmc_nearby_rank){.limit = HUGE_VAL};
    double farthest = sorted[whole - 1];
    if (near >= whole) return (gmc_nearby_rank){.limit = HUGE_VAL, .reach = farthest};
    double limit = fmin(sorted[near], HARDLY * (not_far < whole ? sorted[not_far] : farthest));
    return (gmc_nearby_rank){.limit = limit, .reach = limit};
}

/// Of the trials of the pilot that hold a criterion, or break it.
typedef struct pilot_side {
    double nearest; ///< +inf: there is none
    int count;
} pilot_side;

/// Is it one of forces, which are the same where there is no contact?
static bool has_lump(const gmc_nearby_trial *pilot, int count, int criterion)
{
    double sorted[GMC_NEARBY_PILOT];
    if (count == 0 || !(pilot[0].forces >> criterion & 1)) return false;
    int whole = sort_distances(pilot, count, criterion, sorted);
    for (int i = 1; i < whole; i++)
        if (sorted[i] == sorted[i - 1]) return true;
    return false;
}

/// Is what holds further than a standard deviation of all from what does not, two of each?
static bool has_gap(const gmc_nearby_trial *pilot, int count, int criterion)
{
    pilot_side sides[2] = {{HUGE_VAL, 0}, {HUGE_VAL, 0}};
    double sum = 0, squares = 0;
    int n = 0;
    for (int i = 0; i < count; i++) {
        if (pilot[i].is_cut || criterion >= pilot[i].criteria) continue;
        double x = pilot[i].distance[criterion];
        if (!is_distance(x)) continue;
        pilot_side *side = &sides[x < 0];
        side->nearest = fmin(side->nearest, fabs(x));
        side->count++;
        n++;
        sum += x;
        squares += x * x;
    }
    double gap = sides[0].nearest + sides[1].nearest;
    return sides[0].count > 1 && sides[1].count > 1 && n * gap * gap > squares - sum * sum / n;
}

/// Does what has no distance break in some trial?
static bool is_broken_anyhow(const gmc_nearby_trial *pilot, int count, int criterion)
{
    for (int i = 0; i < count; i++)
        if (!pilot[i].is_cut && criterion < pilot[i].criteria &&
            pilot[i].distance[criterion] == -DBL_MAX)
            return true;
    return false;
}

/// Does no distance of a criterion tell what is near?
static bool is_sudden(const gmc_nearby_trial *pilot, int count, int criterion)
{
    return is_broken_anyhow(pilot, count, criterion) || has_lump(pilot, count, criterion) ||
           has_gap(pilot, count, criterion);
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
    gmc_nearby plan = {.share = share, .cut = cut_chance(pilot, count, work)};
    for (int k = 0; k < GMC_NEARBY_CRITERIA; k++)
        plan.ranks[k] = rank_of(pilot, count, k);
    for (int k = 0; k < GMC_NEARBY_CRITERIA; k++)
        if (is_sudden(pilot, count, k)) plan.even = work / GMC_NEARBY_TWICE;
    double low = 0, high = 1;
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

/// Chance that a criterion alone leads to.
static double own_chance(const gmc_nearby *plan, const gmc_nearby_rank *rank, double distance)
{
    double x = fabs(distance);
    if (x == 0) return 1;
    if (!is_distance(x) && distance < 0) return 1; // in the pilot it held
    if (!is_distance(x) || x > rank->limit) return plan->share;
    return fmin(1, fmax(plan->share, plan->scale * (rank->reach / x)));
}

double gmc_nearby_chance(const gmc_nearby *plan, const gmc_nearby_trial *trial)
{
    if (plan->share <= 0) return 0;
    if (plan->even > 0) return fmax(plan->share, plan->even);
    if (trial->is_cut) return fmax(plan->share, plan->cut);
    if (trial->is_near) return 1;
    double largest = plan->share, least = 1;
    bool is_broken = false;
    for (int k = 0; k < trial->criteria; k++) {
        double own = own_chance(plan, &plan->ranks[k], trial->distance[k]);
        largest = fmax(largest, own);
        if (!(trial->distance[k] < 0)) continue;
        is_broken = true;
        least = fmin(least, own);
    }
    return is_broken ? least : largest;
}

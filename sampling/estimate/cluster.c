#include "sampling/estimate/cluster.h"

#include "sampling/estimate/effective.h"
#include "sampling/estimate/estimate.h"
#include "sampling/estimate/proportion.h"
#include "sampling/random/student.h"

#include <math.h>

// ==== cases that share their draws ====

/// What can come at once beyond what was seen, where it is not a whole draw: see
/// gmc_cluster_of_replicas_plain.
typedef struct gmc_cluster_unit {
    double weight;           ///< w of effective.h
    double half_width_least; ///< t √v is not below
} gmc_cluster_unit;

static void add(gmc_cluster_sums *sums, int64_t successes, int64_t trials)
{
    double s = (double)successes, n = (double)trials;
    sums->s += s;
    sums->n += n;
    sums->ss += s * s;
    sums->sn += s * n;
    sums->nn += n * n;
    sums->most = fmax(sums->most, n);
    sums->draws += trials > 0;
}

void gmc_cluster_add(gmc_cluster *cluster, gmc_tally draw)
{
    int64_t all = gmc_tally_trials(draw);
    gmc_tally_merge(&cluster->tally, draw);
    add(&cluster->sums[GMC_CLUSTER_DECIDED], draw.successes, gmc_tally_decided(draw));
    add(&cluster->sums[GMC_CLUSTER_BAD], draw.successes, all);
    add(&cluster->sums[GMC_CLUSTER_GOOD], draw.successes + draw.unsolved, all);
    cluster->draws = cluster->sums[GMC_CLUSTER_DECIDED].draws;
}

static gmc_interval interval_of(const gmc_cluster_sums *sums, const gmc_cluster_unit *unit,
                                double level)
{
    if (sums->draws < 2) return (gmc_interval){0.0, 1.0};
    double draws = (double)sums->draws, p = sums->s / sums->n;
    double residual = fmax(sums->ss - 2.0 * p * sums->sn + p * p * sums->nn, 0.0); // Σ (s − p n)²
    double t = gmc_student_quantile(draws - 1.0, 0.5 * (1.0 - level));
    double least = unit ? unit->half_width_least / t : 0;
    gmc_effective share = {
        .yes = sums->s,
        .no = sums->n - sums->s,
        .variance = fmax(draws / (draws - 1.0) * residual / (sums->n * sums->n), least * least),
        .factor = t / gmc_proportion_z(level),
        .weight = unit ? unit->weight : sums->most / sums->n};
    return gmc_effective_interval(&share, level);
}

/// Put the interval into an estimate: `lower` with the unsolved as failures, `upper` with them as
/// successes, and the one of the decided trials; [0, 1] below two draws.
/// @param  unit  NULL: one whole draw, and any half width
static void cluster_bound(const gmc_cluster *c, const gmc_cluster_unit *unit, double level,
                          gmc_estimate *e)
{
    gmc_interval alone = interval_of(&c->sums[GMC_CLUSTER_DECIDED], unit, level);
    e->lower = e->sampling_lower = alone.lower;
    e->upper = e->sampling_upper = alone.upper;
    if (c->tally.unsolved == 0) return; // the other sums are the same
    e->lower = interval_of(&c->sums[GMC_CLUSTER_BAD], unit, level).lower;
    e->upper = interval_of(&c->sums[GMC_CLUSTER_GOOD], unit, level).upper;
}

gmc_estimate gmc_cluster_estimate(const gmc_cluster *c, double level)
{
    gmc_estimate e = gmc_estimate_of(c->tally, level, GMC_METHOD_WILSON);
    e.method = GMC_METHOD_DRAWS;
    e.draws = c->draws;
    cluster_bound(c, NULL, level, &e);
    return e;
}

// ==== randomisations of a design ====

// Estimates over independent randomisations of a design (Sobol', Latin hypercube): the points of
// one randomisation depend on each other, its mean is one number, and the spread of the means is
// the error [owen1997; lecuyer2018]:
//
//   p = Σ s_r / Σ n_r over randomisations r = 1 ... R, its variance v as cluster.h has it
//
// The interval is Korn and Graubard's, effective.h, with R − 1 degrees of freedom and one unit (a
// draw with all its cases, or a block) more allowed for. It keeps what the design gains down to
// one failure a randomisation: t from R means was widened to the interval of random trials where
// one of them had fewer than five.
//
// Means of few failures are steps of one unit: sixteen randomisations may all have one failure
// where 0.96 are expected. v is then 0 and knows nothing of the share of randomisations that would
// have had another count; with none of R seen it is below 1 − ((1 − level)/2)^(1/R), so half the
// interval is at least R times that of a unit.
//
// Rejected: less than one unit more where the counts spread widely (nothing from a variance of
// their sum of 4 units^2 on; 1/V of a unit), or none. Widths fall by 5 to 14 %, but failures in a
// corner of one or two inputs (p 0.90 and 0.95, n 256 and 512) are held in 0.89 to 0.92 of 1000
// studies, for 0.97 with a whole unit: their counts are two neighbours, one of them rare.
//
// Never wider than the interval that takes the trials for random ones: the design's variance is
// not larger, up to what a hypercube's last point costs, so that one holds as well; where it is
// the shorter one it is taken.

static double bound(int64_t trials, int64_t blocks, double level)
{
    int64_t touched = trials < blocks ? trials : blocks;
    return gmc_proportion_clopper_pearson(touched, blocks, level).upper;
}

gmc_estimate gmc_cluster_of_replicas_plain(gmc_tally all, int64_t block, double level)
{
    if (block < 2) return gmc_estimate_of(all, level, GMC_METHOD_WILSON);
    gmc_estimate e = gmc_estimate_of(all, level, GMC_METHOD_CLOPPER_PEARSON);
    int64_t blocks = gmc_tally_trials(all) / block;
    e.lower = 1.0 - bound(all.failures + all.unsolved, blocks, level);
    e.upper = bound(all.successes + all.unsolved, blocks, level);
    e.sampling_lower = 1.0 - bound(all.failures, blocks, level);
    e.sampling_upper = bound(all.successes, blocks, level);
    return e;
}

gmc_estimate gmc_cluster_of_replicas(const gmc_tally *replicas, int count, int64_t units,
                                     const gmc_estimate *plain)
{
    gmc_cluster all = {0};
    for (int r = 0; r < count; r++)
        gmc_cluster_add(&all, replicas[r]);
    gmc_estimate e = *plain;
    e.method = GMC_METHOD_REPLICAS;
    e.draws = all.draws;
    if (all.draws < 2 || units < 1) return e;

    double n = (double)units;
    double other = bound(0, all.draws, plain->level); // share with a count that none has shown
    gmc_cluster_unit unit = {.weight = 1 / n, .half_width_least = (double)all.draws * other / n};
    cluster_bound(&all, &unit, plain->level, &e);
    if (e.upper - e.lower > plain->upper - plain->lower) {
        e.lower = plain->lower;
        e.upper = plain->upper;
    }
    gmc_interval random = gmc_estimate_sampling(plain);
    if (e.sampling_upper - e.sampling_lower > random.upper - random.lower) {
        e.sampling_lower = random.lower;
        e.sampling_upper = random.upper;
    }
    return e;
}

#include "sampling/estimate/cluster.h"

#include "sampling/estimate/effective.h"
#include "sampling/random/student.h"

#include <math.h>

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

void gmc_cluster_bound(const gmc_cluster *c, const gmc_cluster_unit *unit, double level,
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
    gmc_cluster_bound(c, NULL, level, &e);
    return e;
}

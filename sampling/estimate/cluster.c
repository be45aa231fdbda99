#include "sampling/estimate/cluster.h"

#include "sampling/estimate/student.h"

#include <math.h>

enum {
    DRAWS_ENOUGH = 5
}; // with a success, and with a failure, for t alone (as for randomisations)

void gmc_cluster_add(gmc_cluster *cluster, gmc_tally draw)
{
    double s = (double)draw.successes, n = (double)gmc_tally_decided(draw);
    gmc_tally_merge(&cluster->tally, draw);
    cluster->draws += n > 0.0;
    cluster->with_success += draw.successes > 0;
    cluster->with_failure += draw.failures > 0;
    cluster->ss += s * s;
    cluster->sn += s * n;
    cluster->nn += n * n;
}

gmc_interval gmc_cluster_student(const gmc_cluster *c, double level)
{
    double n = (double)gmc_tally_decided(c->tally), draws = (double)c->draws;
    double p = (double)c->tally.successes / n;
    double residual = fmax(c->ss - 2.0 * p * c->sn + p * p * c->nn, 0.0); // Σ (s − p n)²
    double error = sqrt(draws / (draws - 1.0) * residual) / n;
    double half = gmc_student_quantile(draws - 1.0, 0.5 * (1.0 - level)) * error;
    return (gmc_interval){fmax(p - half, 0.0), fmin(p + half, 1.0)};
}

gmc_estimate gmc_cluster_estimate(const gmc_cluster *c, double level)
{
    gmc_estimate e = gmc_estimate_of(c->tally, level, GMC_METHOD_WILSON);
    e.method = GMC_METHOD_DRAWS;
    e.draws = c->draws;
    e.lower = 0.0;
    e.upper = 1.0;
    if (c->draws < 2) return e;

    gmc_interval t = gmc_cluster_student(c, level);
    e.lower = t.lower;
    e.upper = t.upper;
    if (c->with_failure < DRAWS_ENOUGH) {
        gmc_interval failing = gmc_proportion_clopper_pearson(c->with_failure, c->draws, level);
        e.lower = fmin(e.lower, 1.0 - failing.upper);
        e.is_widened = true;
    }
    if (c->with_success < DRAWS_ENOUGH) {
        gmc_interval succeeding = gmc_proportion_clopper_pearson(c->with_success, c->draws, level);
        e.upper = fmax(e.upper, succeeding.upper);
        e.is_widened = true;
    }
    return e;
}

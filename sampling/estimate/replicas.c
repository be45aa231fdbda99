#include "sampling/estimate/replicas.h"

#include "sampling/estimate/cluster.h"
#include "sampling/estimate/proportion.h"

#include <math.h>

enum { ENOUGH = 5 }; ///< successes, and failures, of each randomisation

static double bound(int64_t trials, int64_t blocks, double level)
{
    int64_t touched = trials < blocks ? trials : blocks;
    return gmc_proportion_clopper_pearson(touched, blocks, level).upper;
}

gmc_estimate gmc_replicas_plain(gmc_tally all, int64_t block, double level)
{
    gmc_estimate e = gmc_estimate_of(all, level, GMC_METHOD_CLOPPER_PEARSON);
    if (block < 2) return e;
    int64_t blocks = gmc_tally_decided(all) / block;
    e.lower = 1.0 - bound(all.failures, blocks, level);
    e.upper = bound(all.successes, blocks, level);
    return e;
}

gmc_estimate gmc_replicas_estimate(const gmc_tally *replicas, int count, const gmc_estimate *plain)
{
    gmc_cluster units = {0};
    bool is_thin = false;
    for (int r = 0; r < count; r++) {
        gmc_cluster_add(&units, replicas[r]);
        is_thin = is_thin || replicas[r].successes < ENOUGH || replicas[r].failures < ENOUGH;
    }
    gmc_estimate e = *plain;
    e.method = GMC_METHOD_REPLICAS;
    e.draws = units.draws;
    e.is_widened = is_thin;
    if (units.draws < 2) return e;
    gmc_interval t = gmc_cluster_student(&units, plain->level);
    e.lower = t.lower;
    e.upper = t.upper;
    if (is_thin) {
        e.lower = fmin(e.lower, plain->lower);
        e.upper = fmax(e.upper, plain->upper);
    }
    return e;
}

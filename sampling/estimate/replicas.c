#include "sampling/estimate/replicas.h"

#include "sampling/estimate/cluster.h"
#include "sampling/estimate/proportion.h"

static double bound(int64_t trials, int64_t blocks, double level)
{
    int64_t touched = trials < blocks ? trials : blocks;
    return gmc_proportion_clopper_pearson(touched, blocks, level).upper;
}

gmc_estimate gmc_replicas_plain(gmc_tally all, int64_t block, double level)
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

gmc_estimate gmc_replicas_estimate(const gmc_tally *replicas, int count, int64_t units,
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
    gmc_cluster_bound(&all, &unit, plain->level, &e);
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

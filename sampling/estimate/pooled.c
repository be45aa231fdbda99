#include "sampling/estimate/pooled.h"

#include "engine/base/check.h"

gmc_pooled gmc_pooled_start(int64_t case_count, bool is_independent)
{
    GMC_ASSERT(case_count >= 1);
    return (gmc_pooled){.case_count = case_count, .is_independent = is_independent};
}

void gmc_pooled_watch(gmc_pooled *pooled, double level)
{
    pooled->anytime = gmc_anytime_start(pooled->case_count, level);
}

void gmc_pooled_replicate(gmc_pooled *pooled, int count)
{
    GMC_ASSERT(count >= GMC_REPLICAS_LEAST && count <= GMC_REPLICAS_MOST);
    pooled->replica_count = count;
}

static void close_draw(gmc_pooled *pooled)
{
    int64_t trials = gmc_tally_trials(pooled->current);
    GMC_ASSERT(trials + pooled->passed <= pooled->case_count);
    if (trials + pooled->passed == pooled->case_count) {
        gmc_cluster_add(&pooled->cluster, pooled->current);
        if (pooled->replica_count > 0)
            gmc_tally_merge(&pooled->replicas[pooled->draw % (uint64_t)pooled->replica_count],
                            pooled->current);
        if (pooled->anytime.case_count > 0 && trials > 0)
            gmc_anytime_add(&pooled->anytime, pooled->current);
    } else {
        pooled->left_out += trials;
    }
    pooled->current = (gmc_tally){0};
    pooled->passed = 0;
}

void gmc_pooled_add(gmc_pooled *pooled, uint64_t draw, gmc_verdict verdict)
{
    if (draw != pooled->draw) close_draw(pooled);
    pooled->draw = draw;
    gmc_tally_add(&pooled->current, verdict);
}

void gmc_pooled_pass(gmc_pooled *pooled, uint64_t draw)
{
    if (draw != pooled->draw) close_draw(pooled);
    pooled->draw = draw;
    pooled->passed++;
}

gmc_estimate gmc_pooled_estimate(const gmc_pooled *pooled, double level, gmc_method method)
{
    gmc_pooled closed = *pooled;
    close_draw(&closed);
    bool is_shared = closed.case_count > 1 && !closed.is_independent;
    if (method == GMC_METHOD_ANYTIME) {
        GMC_ASSERT(closed.anytime.case_count > 0);
        gmc_interval interval = gmc_anytime_interval(&closed.anytime);
        gmc_estimate e = gmc_estimate_of(closed.cluster.tally, level, GMC_METHOD_WILSON);
        e.method = GMC_METHOD_ANYTIME;
        e.lower = interval.lower;
        e.upper = interval.upper;
        e.sampling_lower = e.sampling_upper = 0; // it counts the unsolved in by itself
        e.draws = is_shared ? closed.anytime.draws : 0;
        e.left_out = closed.left_out;
        return e;
    }
    bool is_replicated = method == GMC_METHOD_REPLICAS;
    if (is_replicated) method = GMC_METHOD_WILSON;
    gmc_estimate estimate = is_shared ? gmc_cluster_estimate(&closed.cluster, level)
                                      : gmc_estimate_of(closed.cluster.tally, level, method);
    estimate.left_out = closed.left_out;
    if (!is_replicated) return estimate;
    int64_t units = is_shared ? closed.cluster.sums[GMC_CLUSTER_BAD].draws
                              : gmc_tally_trials(closed.cluster.tally);
    return gmc_cluster_of_replicas(closed.replicas, closed.replica_count, units, &estimate);
}

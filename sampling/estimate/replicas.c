#include "sampling/estimate/replicas.h"

#include "sampling/estimate/cluster.h"

#include <math.h>

enum { ENOUGH = 5 }; ///< successes, and failures, of each randomisation

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

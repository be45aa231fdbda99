#include "sampling/random/density.h"

#include <math.h>

bool gmc_density_is_list(const gmc_distribution *d)
{
    return gmc_distribution_laws[d->type].is_list;
}

double gmc_density_at(const gmc_distribution *d, double x)
{
    return gmc_distribution_laws[d->type].density(d, x);
}

/// 0 where the true density is 0: nothing is lost there.
static double ratio_at(const gmc_distribution *truth, const gmc_distribution *proposal, double x)
{
    double f = gmc_density_at(truth, x), g = gmc_density_at(proposal, x);
    if (!(f > 0)) return 0;
    return g > 0 ? f / g : HUGE_VAL;
}

double gmc_density_bound(const gmc_distribution *truth, const gmc_distribution *proposal)
{
    enum { CELLS = 4096, TAIL = 54 };
    double largest = 0;
    if (truth->type == GMC_DISTRIBUTION_CONSTANT) return ratio_at(truth, proposal, truth->p[0]);
    if (gmc_density_is_list(truth)) {
        for (int i = 0; i < truth->value_count; i++)
            largest = fmax(largest, ratio_at(truth, proposal, truth->values[i]));
        return largest;
    }
    for (int i = 0; i <= CELLS; i++) {
        double x = gmc_distribution_quantile(truth, i / (double)CELLS);
        largest = fmax(largest, ratio_at(truth, proposal, x));
    }
    double u = 0.5;
    for (int i = 1; i < TAIL; i++, u *= 0.5) { // quantiles of 1 − u end at 1 − 2^-53
        largest = fmax(largest, ratio_at(truth, proposal, gmc_distribution_quantile(truth, u)));
        largest = fmax(largest, ratio_at(truth, proposal, gmc_distribution_quantile(truth, 1 - u)));
    }
    return largest;
}

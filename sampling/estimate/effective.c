#include "sampling/estimate/effective.h"

#include "sampling/random/beta.h"

#include <math.h>

static const double SIZE_MAX_BETA = 1e9; // beta.h goes no farther

/// What is left above has the probability `tail`.
static double upper_end(const gmc_effective *share, double tail)
{
    double all = share->yes + share->no, r = share->yes / all, rest = share->no / all;
    if (!(rest > 0)) return 1;
    double w = share->weight, f = share->factor;
    // r⁺ (1 − r⁺)/v⁺ − 1, in which (1 + w)² cancels
    double spread = f * f * share->variance + w * w * rest;
    double size = fmin((r + w) * rest * (1 + 2 * w) / spread - 1, SIZE_MAX_BETA);
    if (!(size > 0)) return 1;
    return gmc_beta_quantile((r + w) / (1 + w) * size, rest / (1 + w) * size, tail, true).x;
}

gmc_interval gmc_effective_interval(const gmc_effective *share, double level)
{
    gmc_effective other = *share;
    other.yes = share->no;
    other.no = share->yes;
    double tail = 0.5 * (1 - level);
    return (gmc_interval){.lower = 1 - upper_end(&other, tail), .upper = upper_end(share, tail)};
}

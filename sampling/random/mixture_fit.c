#include "sampling/random/mixture_fit.h"

#include <math.h>
#include <string.h>

static const double SHARE_LEAST = 1e-4; // a component of less goes

/// Weights of sum 1, none far above the others; false: all are 0.
static bool level_weights(gmc_mixture_draws *draws)
{
    double sum = 0, cut = 0, most = 1 / sqrt((double)draws->count);
    for (int i = 0; i < draws->count; i++)
        sum += draws->weights[i];
    if (!(sum > 0) || !isfinite(sum)) return false;
    for (int i = 0; i < draws->count; i++) {
        draws->weights[i] = fmin(draws->weights[i] / sum, most);
        cut += draws->weights[i];
    }
    for (int i = 0; i < draws->count; i++)
        draws->weights[i] /= cut;
    return true;
}

/// Σ w r (z − m)(z − m)ᵀ/a, its lower triangle.
static void find_covariance(const gmc_mixture_draws *draws, const double *parts, size_t row, int d,
                            const double *mean, double share, double *S)
{
    memset(S, 0, (size_t)d * (size_t)d * sizeof *S);
    for (int i = 0; i < draws->count; i++) {
        double part = draws->weights[i] * parts[(size_t)i * row] / share;
        if (!(part > 0)) continue;
        const double *z = draws->points + (size_t)i * (size_t)d;
        for (int a = 0; a < d; a++)
            for (int b = 0; b <= a; b++)
                S[a * d + b] += part * (z[a] - mean[a]) * (z[b] - mean[b]);
    }
}

static void fit_component(int k, const gmc_mixture *from, const gmc_mixture_draws *draws,
                          double *mean, gmc_mixture *to)
{
    int d = from->dimensions;
    size_t row = (size_t)(from->count + d);
    const double *parts = draws->rooms + k;
    double share = 0, square = 0, *S = mean + d;
    memset(mean, 0, (size_t)d * sizeof *mean);
    for (int i = 0; i < draws->count; i++) {
        double part = draws->weights[i] * parts[(size_t)i * row];
        share += part;
        square += part * part;
        for (int j = 0; j < d; j++)
            mean[j] += part * draws->points[i * d + j];
    }
    if (!(share > SHARE_LEAST)) return;
    for (int j = 0; j < d; j++)
        mean[j] /= share;
    find_covariance(draws, parts, row, d, mean, share, S);
    double size = share * share / square, prior = d + 2;
    for (int a = 0; a < d; a++)
        for (int b = 0; b <= a; b++)
            S[a * d + b] = (size * S[a * d + b] + (a == b ? prior : 0)) / (size + prior);
    (void)gmc_mixture_add(to, share, mean, S);
}

void gmc_mixture_fit(const gmc_mixture *from, gmc_mixture_draws *draws, double *room,
                     gmc_mixture *to)
{
    double sum = 0;
    if (!level_weights(draws)) return;
    for (int k = 0; k < from->count; k++)
        fit_component(k, from, draws, room, to);
    for (int k = 0; k < to->count; k++)
        sum += gmc_mixture_share(to, k);
    if (to->count > 0) gmc_mixture_scale(to, 1 / sum, 1);
}

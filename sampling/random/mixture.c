#include "sampling/random/mixture.h"

#include "engine/base/check.h"
#include "engine/math/elementary.h"
#include "sampling/random/normal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHARE, LEVEL, MEAN }; // places of the numbers of a component

static size_t width(const gmc_mixture *m)
{
    size_t d = (size_t)m->dimensions;
    return MEAN + d + d * d;
}

static double *component(const gmc_mixture *m, int k) { return m->numbers + (size_t)k * width(m); }

gmc_status gmc_mixture_create(int dimensions, int capacity, gmc_mixture *mixture)
{
    *mixture = (gmc_mixture){.dimensions = dimensions, .capacity = capacity};
    mixture->numbers = malloc((size_t)capacity * width(mixture) * sizeof *mixture->numbers);
    return mixture->numbers ? GMC_OK : GMC_E_MEMORY;
}

void gmc_mixture_free(gmc_mixture *mixture)
{
    free(mixture->numbers);
    *mixture = (gmc_mixture){0};
}

/// L of the lower triangle of S.
static bool cholesky(const double *S, int d, double *L)
{
    for (int i = 0; i < d; i++)
        for (int j = 0; j <= i; j++) {
            double sum = S[i * d + j];
            for (int k = 0; k < j; k++)
                sum -= L[i * d + k] * L[j * d + k];
            if (i == j && !(sum > 0)) return false;
            L[i * d + j] = i == j ? sqrt(sum) : sum / L[j * d + j];
        }
    return true;
}

static void set_level(double *c, int d)
{
    const double *L = c + MEAN + d;
    c[LEVEL] = gmc_log(c[SHARE]);
    for (int i = 0; i < d; i++)
        c[LEVEL] -= gmc_log(L[i * d + i]);
}

bool gmc_mixture_add(gmc_mixture *m, double share, const double *mean, const double *covariance)
{
    GMC_ASSERT(m->count < m->capacity && share > 0);
    int d = m->dimensions;
    double *c = component(m, m->count);
    if (!cholesky(covariance, d, c + MEAN + d)) return false;
    for (int i = 0; i < d; i++)
        c[MEAN + i] = mean[i];
    c[SHARE] = share;
    set_level(c, d);
    m->count++;
    return true;
}

static double mixture_share(const gmc_mixture *m, int k) { return component(m, k)[SHARE]; }

void gmc_mixture_scale(gmc_mixture *m, double shares, double deviations)
{
    int d = m->dimensions;
    for (int k = 0; k < m->count; k++) {
        double *c = component(m, k), *L = c + MEAN + d;
        for (int i = 0; i < d; i++)
            for (int j = 0; j <= i; j++)
                L[i * d + j] *= deviations;
        c[SHARE] *= shares;
        set_level(c, d);
    }
}

void gmc_mixture_draw(const gmc_mixture *m, gmc_stream stream, double *z)
{
    int d = m->dimensions, k = 0;
    double left = gmc_stream_uniform(stream, 0);
    while (k + 1 < m->count && left >= mixture_share(m, k))
        left -= mixture_share(m, k++);
    const double *mean = component(m, k) + MEAN, *L = mean + d;
    for (int i = 0; i < d; i++)
        z[i] = mean[i];
    for (int j = 0; j < d; j++) {
        double u = fmax(gmc_stream_uniform(stream, (uint64_t)j + 1), 0x1p-54);
        double fresh = gmc_normal_quantile(u);
        for (int i = j; i < d; i++)
            z[i] += L[i * d + j] * fresh;
    }
}

/// Square of the distance from the mean, in standard deviations.
/// @param past  scratch (d)
static double distance(const double *c, const double *z, int d, double *past)
{
    const double *mean = c + MEAN, *L = mean + d;
    double square = 0;
    for (int i = 0; i < d; i++) {
        double sum = z[i] - mean[i];
        for (int j = 0; j < i; j++)
            sum -= L[i * d + j] * past[j];
        past[i] = sum / L[i * d + i];
        square += past[i] * past[i];
    }
    return square;
}

double gmc_mixture_log_ratio(const gmc_mixture *m, const double *z, double *room)
{
    int d = m->dimensions;
    double most = -HUGE_VAL, sum = 0, square = 0;
    for (int k = 0; k < m->count; k++) {
        const double *c = component(m, k);
        room[k] = c[LEVEL] - 0.5 * distance(c, z, d, room + m->count);
        most = fmax(most, room[k]);
    }
    for (int k = 0; k < m->count; k++) {
        room[k] = gmc_exp(room[k] - most);
        sum += room[k];
    }
    for (int k = 0; k < m->count; k++)
        room[k] /= sum;
    for (int i = 0; i < d; i++)
        square += z[i] * z[i];
    return most + gmc_log(sum) + 0.5 * square;
}

// ---- fitting ------------------------------------------------------------------------------------
//
// A mixture made more like a law that can be weighed but not drawn from: one step of population
// Monte Carlo [cappe2008]. Weighted draws of the mixture are dealt out to its components, each by
// its part in the density there, and each component becomes the normal law of what it was dealt:
//
//   a_k = Σ_i w_i r_ik,   m_k = Σ_i w_i r_ik z_i/a_k,
//   S_k = Σ_i w_i r_ik (z_i − m_k)(z_i − m_k)ᵀ/a_k
//
// Departs from it: S_k is that of as many draws as its weights are worth, (Σ w r)²/Σ (w r)², and
// of d + 2 more that are standard normal, so that few draws do not make it flat; and no weight
// counts for more than 1/√n of all.

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

/// Σ w r (z − m)(z − m)ᵀ/a of component k, its lower triangle.
static void find_covariance(int k, const gmc_mixture *from, const gmc_mixture_draws *draws,
                            const double *mean, double share, double *S)
{
    int d = from->dimensions;
    size_t row = (size_t)(from->count + d);
    const double *parts = draws->rooms + k;
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
    find_covariance(k, from, draws, mean, share, S);
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
        sum += mixture_share(to, k);
    if (to->count > 0) gmc_mixture_scale(to, 1 / sum, 1);
}

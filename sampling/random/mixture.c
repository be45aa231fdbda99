#include "sampling/random/mixture.h"

#include "engine/base/check.h"
#include "engine/math/elementary.h"
#include "sampling/random/normal.h"

#include <math.h>
#include <stdlib.h>

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

double gmc_mixture_share(const gmc_mixture *m, int k) { return component(m, k)[SHARE]; }

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
    while (k + 1 < m->count && left >= gmc_mixture_share(m, k))
        left -= gmc_mixture_share(m, k++);
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

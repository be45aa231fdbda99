#include "sampling/estimate/aimed.h"

#include "sampling/estimate/effective.h"
#include "sampling/random/normal.h"
#include "sampling/random/student.h"

#include <math.h>

/// What is rarer has the interval of this, times their ratio: it hardly changes there, and 1 − p
/// would lose its digits.
static const double RARE = 1e-3;

void gmc_aimed_add(gmc_aimed *a, double weight, bool is_blind, bool is_hit)
{
    double power = 1, f = is_hit ? weight : 0;
    a->draws++;
    a->hits += is_hit;
    a->largest = fmax(a->largest, f);
    a->blind += is_blind ? f : 0;
    for (int k = 0; k < 5; k++, power *= f)
        a->sums[k] += power;
}

gmc_aimed_estimate gmc_aimed_estimate_of(const gmc_aimed *a, double level)
{
    double n = (double)a->draws;
    gmc_aimed_estimate e = {.variation = (double)NAN, .interval = {0, 1}};
    if (a->hits == 0) return e;
    const double *s = a->sums;
    double p = s[1] / n;
    e.p = fmin(p, 1);
    e.effective = s[1] * s[1] / s[2];
    e.blind = a->blind / s[1];
    // sums of powers of r = f − p
    double square = s[2] - n * p * p;
    double fourth = s[4] - 4 * p * s[3] + 6 * p * p * s[2] - 3 * n * p * p * p * p;
    if (!(square > 0) || !(fourth > 0) || a->draws < 2) return e;
    double variance = square / (n * (n - 1));
    e.variation = sqrt(variance) / p;
    e.is_told = e.effective >= GMC_AIMED_LEAST && e.blind <= GMC_AIMED_BLIND;
    if (!e.is_told) return e;
    double tail = 0.5 * (1 - level), freedom = fmax(square * square / fourth - 1, 1);
    double factor = gmc_student_quantile(freedom, tail) / -gmc_normal_quantile(tail);
    double scale = fmin(p / RARE, 1);
    const gmc_effective share = {.yes = p / scale,
                                 .no = fmax(1 - p / scale, 0),
                                 .variance = variance / (scale * scale),
                                 .factor = factor,
                                 .weight = a->largest / n / scale};
    e.interval = gmc_effective_interval(&share, level);
    e.interval.lower = fmax(e.interval.lower * scale, 0);
    e.interval.upper = fmin(e.interval.upper * scale, 1);
    e.p = fmax(fmin(e.p, e.interval.upper), e.interval.lower);
    return e;
}

#include "sampling/estimate/moments.h"

#include "sampling/estimate/proportion.h"
#include "sampling/random/student.h"

#include <math.h>
#include <stdbool.h>

void gmc_moments_add(gmc_moments *moments, double value)
{
    if (!isfinite(value)) {
        moments->not_finite++;
        return;
    }
    moments->least = moments->count ? fmin(moments->least, value) : value;
    moments->most = moments->count ? fmax(moments->most, value) : value;
    moments->count++;
    double before = value - moments->mean;
    moments->mean += before / (double)moments->count;
    moments->squares += before * (value - moments->mean);
}

gmc_interval gmc_moments_interval(const gmc_moments *moments, double level)
{
    if (moments->count < 2) return (gmc_interval){.lower = -HUGE_VAL, .upper = HUGE_VAL};
    double n = (double)moments->count;
    double half =
        gmc_student_quantile(n - 1.0, 0.5 * (1.0 - level)) * gmc_moments_sd(moments) / sqrt(n);
    return (gmc_interval){.lower = moments->mean - half, .upper = moments->mean + half};
}

// ==== what a variance is worth ====

// Is the variance of a measure that of few draws? As many alike draws as it is worth are
//
//   n_v = (Σ (y − ȳ)²)² / Σ (y − ȳ)⁴
//
// n over the kurtosis: a third of the draws of a normal law, fewer the longer its tails are. A
// share of a variance that hangs on few draws has an interval that is too short, and which draws
// were met decides that: of 400 studies each with 1000 draws of x³ + 3 y, eˣ + y, products of
// three lognormal numbers (x, y normal), Shapley effects were held in 0.87 to 0.92. Told only with
// GMC_TAIL_ENOUGH of them, and as [0, 1] else, shares were held in 0.94 and more of all studies
// with 300 and 1000 draws and in blocks (x³ + 3 y in 512 blocks: 0.92, and 0.88 if 50 are enough).
// Laws without tails, of a kurtosis below 4, are told at any number.

void gmc_tail_add(gmc_tail *tail, double value)
{
    if (!isfinite(value)) return;
    double before = tail->count, n = ++tail->count, d = value - tail->mean, each = d / n;
    double squares = tail->sums[0], cubes = tail->sums[1], grown = d * each * before;
    tail->mean += each;
    tail->sums[2] +=
        grown * each * each * (n * n - 3 * n + 3) + 6 * each * each * squares - 4 * each * cubes;
    tail->sums[1] += grown * each * (n - 2) - 3 * each * squares;
    tail->sums[0] += grown;
}

bool gmc_tail_is_skewed(const gmc_tail *tail)
{
    static const double VALUES = 25;
    double squares = tail->sums[0], cubes = tail->sums[1];
    // n < 25 G1², G1² = n (Σ (y − ȳ)³)² / (Σ (y − ȳ)²)³
    return VALUES * cubes * cubes >= squares * squares * squares;
}

#include "sampling/estimate/tail.h"

#include <math.h>

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

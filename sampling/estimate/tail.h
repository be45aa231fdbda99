/// Is the variance of a measure that of few draws? As many alike draws as it is worth are
///
///   n_v = (Σ (y − ȳ)²)² / Σ (y − ȳ)⁴
///
/// n over the kurtosis: a third of the draws of a normal law, fewer the longer its tails are. A
/// share of a variance that hangs on few draws has an interval that is too short, and which draws
/// were met decides that: of 400 studies each with 1000 draws of x³ + 3 y, eˣ + y, products of
/// three lognormal numbers (x, y normal), Shapley effects were held in 0.87 to 0.92. Told only with
/// GMC_TAIL_ENOUGH of them, and as [0, 1] else, shares were held in 0.94 and more of all studies
/// with 300 and 1000 draws and in blocks (x³ + 3 y in 512 blocks: 0.92, and 0.88 if 50 are enough).
/// Laws without tails, of a kurtosis below 4, are told at any number.
#ifndef GMC_SAMPLING_ESTIMATE_TAIL_H
#define GMC_SAMPLING_ESTIMATE_TAIL_H

#include <stdbool.h>

enum { GMC_TAIL_ENOUGH = 100 };

/// Sums of powers of distances from the mean [pebay2008]. Zero-initialised means empty.
typedef struct gmc_tail {
    double count, mean;
    double sums[3]; ///< of squares, cubes, fourth powers
} gmc_tail;

/// Not finite: passed over.
void gmc_tail_add(gmc_tail *tail, double value);

/// n_v; 0 if nothing varies.
static inline double gmc_tail_draws(const gmc_tail *tail)
{
    return tail->sums[2] > 0 ? tail->sums[0] * tail->sums[0] / tail->sums[2] : 0;
}

static inline bool gmc_tail_is_heavy(const gmc_tail *tail)
{
    static const double KURTOSIS = 4; // of a law without tails: at most; the normal one has 3
    double draws = gmc_tail_draws(tail);
    return draws > 0 && draws < GMC_TAIL_ENOUGH && KURTOSIS * draws < tail->count;
}

/// Is an interval for the mean by Student's t too short? By Cochran's rule [cochran1977, §2.15] it
/// misses in less than 6 % for 5 % with more than 25 G1² values, G1 their skewness. Of what does
/// not vary it has no length, so yes.
bool gmc_tail_is_skewed(const gmc_tail *tail);

#endif

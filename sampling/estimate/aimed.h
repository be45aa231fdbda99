/// A rare probability from draws that are aimed at it: each counts by its weight w = φ/q, the ratio
/// of the true density to that it was drawn from.
///
///   p = mean(w y)                      y: 1 of a draw that fails
///   Var(p) = Σ (w y − p)² / (n (n − 1))
///
/// Unbiased wherever q does not vanish. Interval: Clopper and Pearson's at the effective size
/// (estimate/effective.h), with t of (Σ r²)²/Σ r⁴ − 1 degrees of freedom, r = w y − p, so that few
/// draws that carry most of the variance make it wide, and with the heaviest failure seen as what
/// one more draw could add. It knows of failures where q draws, not of others.
#ifndef GMC_SAMPLING_ESTIMATE_AIMED_H
#define GMC_SAMPLING_ESTIMATE_AIMED_H

#include "sampling/estimate/proportion.h"

#include <stdint.h>

typedef struct gmc_aimed {
    int64_t draws, hits;
    double largest; ///< weight of a hit
    double sums[5]; ///< Σ (w y)^k
} gmc_aimed;

/// Take in a draw.
void gmc_aimed_add(gmc_aimed *aimed, double weight, bool is_hit);

typedef struct gmc_aimed_estimate {
    double p;
    double variation;      ///< standard error over p; NaN without a hit
    double effective;      ///< hits of one weight that would tell as much, (Σ w y)²/Σ (w y)²
    gmc_interval interval; ///< [0, 1] below GMC_AIMED_LEAST effective hits
} gmc_aimed_estimate;

/// Effective hits that make an interval.
enum { GMC_AIMED_LEAST = 10 };

gmc_aimed_estimate gmc_aimed_estimate_of(const gmc_aimed *aimed, double level);

#endif

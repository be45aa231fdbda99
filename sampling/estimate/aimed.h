/// A rare probability from draws that are aimed at it: each counts by its weight w = φ/q, the ratio
/// of the true density to that it was drawn from.
///
///   p = mean(w y)                      y: 1 of a draw that fails
///   Var(p) = Σ (w y − p)² / (n (n − 1))
///
/// Unbiased wherever q does not vanish, and by chance above 1 where nearly all draws fail: it is
/// clipped to its interval, which lies in [0, 1]. Interval: Clopper and Pearson's at the effective size
/// (estimate/effective.h), with t of (Σ r²)²/Σ r⁴ − 1 degrees of freedom, r = w y − p, so that few
/// draws that carry most of the variance make it wide, and with the heaviest failure seen as what
/// one more draw could add. It knows of failures where q draws, not of others: q draws a little
/// everywhere (`blind`), and if that finds much, there are failures that it was not aimed at.
#ifndef GMC_SAMPLING_ESTIMATE_AIMED_H
#define GMC_SAMPLING_ESTIMATE_AIMED_H

#include "sampling/estimate/proportion.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct gmc_aimed {
    int64_t draws, hits;
    double largest; ///< weight of a hit
    double sums[5]; ///< Σ (w y)^k
    double blind;   ///< Σ b w y, b: 1 of a draw where no failure was known of
} gmc_aimed;

/// Take in a draw.
/// @param is_blind  no failure was known of where it lies
void gmc_aimed_add(gmc_aimed *aimed, double weight, bool is_blind, bool is_hit);

typedef struct gmc_aimed_estimate {
    double p;              ///< clipped to [0, 1] and its interval
    double variation;      ///< standard error over p, not clipped; NaN without a hit
    double effective;      ///< hits of one weight that would tell as much, (Σ w y)²/Σ (w y)²
    double blind;          ///< share of p that was met where no failure was known of
    bool is_told;          ///< enough effective hits, and few of them blind
    gmc_interval interval; ///< [0, 1] unless is_told
} gmc_aimed_estimate;

/// Effective hits that make an interval.
enum { GMC_AIMED_LEAST = 10 };
/// Of p, that may be blind: what is met there by chance now is missed by chance elsewhere.
static const double GMC_AIMED_BLIND = 0.03;

gmc_aimed_estimate gmc_aimed_estimate_of(const gmc_aimed *aimed, double level);

#endif

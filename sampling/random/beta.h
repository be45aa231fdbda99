/// The beta distribution: what Clopper-Pearson and Student's t are made of.
///
///   I_x(a, b) = ∫₀ˣ t^(a−1) (1−t)^(b−1) dt / B(a, b)      regularised incomplete beta function [-]
///
/// Both tails are computed without subtracting from 1, so that small ones keep their digits.
/// Sources: continued fraction [dlmf, §8.17(v)]; density by saddle-point expansion [loader2000].
#ifndef GMC_SAMPLING_RANDOM_BETA_H
#define GMC_SAMPLING_RANDOM_BETA_H

#include <stdbool.h>

/// A number in [0, 1] with its complement, either of which may be tiny.
typedef struct gmc_beta_point {
    double x; ///< in [0, 1]
    double y; ///< 1 − x
} gmc_beta_point;

/// Probabilities below and above a point; their sum is 1.
typedef struct gmc_beta_tails {
    double lower; ///< I_x(a, b)
    double upper; ///< 1 − I_x(a, b)
} gmc_beta_tails;

/// Both tails, a > 0, b > 0, up to 1e9 each: relative error < 1e-12 for parameters below 1e4 and
/// < 1e-10 above (tails smaller than 1e-300 are 0). The work grows with √max(a, b).
gmc_beta_tails gmc_beta_at(double a, double b, gmc_beta_point at);

/// Point whose tail on the stated side has probability p in [0, 1]; both coordinates to a relative
/// error of that of the tails over a (for x) and over b (for y).
gmc_beta_point gmc_beta_quantile(double a, double b, double p, bool is_upper);

#endif

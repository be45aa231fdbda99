/// The standard normal law, accurate in both tails: probabilities, quantiles, and steps inside a
/// tail that is itself too small for a double.
///
///   φ(x) = exp(−x²/2)/√(2π)      Φ(x) lower tail      Q(x) = Φ(−x) upper tail [-]
///
/// Sources: quantile [wichura1988]; Mills ratio by Laplace's continued fraction [dlmf, §7.9].
#ifndef GMC_SAMPLING_RANDOM_NORMAL_H
#define GMC_SAMPLING_RANDOM_NORMAL_H

/// Φ(x), with full relative accuracy for x -> −∞.
double gmc_normal_cdf(double x);

/// x with Φ(x) = p. Relative error below 1e-15 (measured 4e-16) for p in (0, 1); p <= 0 gives −∞,
/// p >= 1 gives +∞, NaN gives NaN. For upper tails use −gmc_normal_quantile(q).
double gmc_normal_quantile(double p);

/// x with Φ(x) − 1/2 = c: keeps its relative accuracy near the mean, where p = 1/2 + c has lost c.
double gmc_normal_quantile_centred(double c);

/// Mills ratio Q(x)/φ(x) for x >= 0.
double gmc_normal_mills(double x);

/// log Q(a + d)/Q(a) <= 0 for a >= 0, d >= 0 (infinite: −∞), without forming either tail.
double gmc_normal_tail_log_ratio(double a, double d);

/// d >= 0 with log Q(a + d)/Q(a) = log_ratio, for a >= 0, log_ratio <= 0.
double gmc_normal_tail_step(double a, double log_ratio);

/// The normal law conditioned on a < x < b (either may be infinite): x for u in [0, 1], inside [a,
/// b].
double gmc_normal_truncated_quantile(double a, double b, double u);

/// P(X <= x | a < X < b).
double gmc_normal_truncated_cdf(double a, double b, double x);

#endif

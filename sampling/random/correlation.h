/// Numbers that vary together: a Gaussian copula. Independent normal scores y give correlated ones
///
///   z = L y,   R = L Lᵀ        R correlation coefficients of the scores (n, n)
///
/// and each z_i its number through the law's quantile at Φ(z_i), so that every number keeps its own
/// law. Of normal laws R holds the correlation coefficients themselves; of any other continuous
/// ones Spearman's rank correlation is (6/π) asin(r/2) [kruskal1958], within 0.02 of r.
///
/// Nataf's way, as it is often done [liu1986], asks for the coefficients of the numbers instead and
/// solves for R. Rejected: not every such coefficient can be reached (-0.3 of two lognormals with a
/// variation of 2 cannot), and measured ones of skewed numbers hang on a few of them.
///
/// L is triangular: z_i mixes scores 0 ... i only, so a number more at the end moves none before.
#ifndef GMC_SAMPLING_RANDOM_CORRELATION_H
#define GMC_SAMPLING_RANDOM_CORRELATION_H

#include "engine/base/status.h"

/// Why coefficients cannot be, all taken together.
typedef struct gmc_correlation_fault {
    double least; ///< smallest eigenvalue of R, negative
    int a, b;     ///< a < b: the pair of coefficient ≠ 0 that has the largest part in that
} gmc_correlation_fault;

/// Eigenvalues down to −1e-6 count as 0: what six printed digits leave of a matrix of low rank.
/// @param n        >= 1
/// @param R        (n, n) symmetric, ones on the diagonal
/// @param L        out: (n, n) lower triangle of unit rows, zeros above it
/// @param scratch  (2 n²)
/// @param fault    out, with GMC_E_INPUT
/// @return GMC_OK, GMC_E_INPUT: no numbers are correlated like that
GMC_MUST_CHECK gmc_status gmc_correlation_factor(int n, const double *R, double *L, double *scratch,
                                                 gmc_correlation_fault *fault);

#endif

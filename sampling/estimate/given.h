/// First-order Sobol' indices from draws that were made for another purpose [plischke2013]: which
/// share of an outcome's variance is between groups of draws with neighbouring values of an input.
///
///   S = 1 − within / V,     within = Σ_groups Σ (y − ȳ_group)² / (n − M),   V = Σ (y − ȳ)² / (n −
///   1)
///
/// n draws, sorted by the input, in M = √n groups of equal size; equal values of the input stay
/// together. Both variances are unbiased, so that an input that does nothing has 0 on average; what
/// varies within a group costs about S/M².
///
/// Interval: normal, from the spread of the estimate's influence function
///
///   ( 2 y m(x) − m(x)² − S y² ) / V         y from its mean, m(x): mean of the group's other draws
///
/// cut at 0 and 1. With m taken without the draw itself the spread has the noise of the group means
/// in it, which is all there is where S is 0.
///
/// The draws must be independent of each other and represent what is asked about; with inputs that
/// depend on each other the index of one has what it shares with others in it. The total order
/// cannot be told from them: design/exchange.h.
#ifndef GMC_SAMPLING_ESTIMATE_GIVEN_H
#define GMC_SAMPLING_ESTIMATE_GIVEN_H

#include "sampling/estimate/indices.h"

/// Draws that an index needs: groups of five.
enum { GMC_GIVEN_LEAST = 25 };

typedef struct gmc_given_row {
    double input, outcome; ///< finite
    int64_t draw;          ///< orders rows with the same input: any unique number
} gmc_given_row;

/// @param rows  (count) sorted in place
/// @return NaN and [0, 1] for fewer than GMC_GIVEN_LEAST rows, or if the outcome does not vary
gmc_index gmc_given_first(gmc_given_row *rows, int64_t count, double level);

#endif

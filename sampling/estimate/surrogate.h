/// Success with the help of a surrogate: a function m of a draw's inputs that is fitted to trials.
/// Draws whose inputs alone are looked at cost nothing, so its mean is known as well as one likes,
/// and as a control variate [owen2013, §8.9] it takes away what it explains of the trials' chance:
///
///   p = Σ_k n_k/n ( mean of m_k over fresh draws + mean of y − m_k over fold k )
///
///   Var(p) = Var(y − m)/n + Σ_k (n_k/n)² Var(m_k)/N_k
///
/// n trials in folds of n_k; m_k is fitted to the trials of the other folds (cross-fitting
/// [chernozhukov2018]), so that p is unbiased whatever m is worth. N_k fresh draws for each.
///
/// m is kernel ridge regression [rasmussen2006, §2.2, §8.3.4] on up to 200 of the trials, with a
/// length for every input, cut at 0 and 1:
///
///   m(x) = ȳ + Σ_l w_l exp(−Σ_j r_j (x_j − x_lj)²)
///
/// Lengths (r = 0: the input does not matter) and the ridge are those with the least mean square of
/// what a trial left out is missed by, found coordinate by coordinate among the other folds.
///
/// Interval: Clopper and Pearson's at the effective size, with one trial more allowed for
/// (effective.h; without it 804 of 1000 held the truth where the surrogate explains all of 100
/// trials and 2 % fail in a way that is seen seldom). Where it would be longer than the trials'
/// own the surrogate is of no use and the answer says so.
///
/// p is unbiased but for that choice: failures that no trial has shown make a surrogate useful, so
/// where they are few what is chosen is up to a sixth of its half width too high (50 to 100 trials,
/// measured).
#ifndef GMC_SAMPLING_ESTIMATE_SURROGATE_H
#define GMC_SAMPLING_ESTIMATE_SURROGATE_H

#include "engine/base/status.h"
#include "sampling/estimate/proportion.h"

#include <stdbool.h>

/// Trials that a surrogate needs: five folds of ten.
enum { GMC_SURROGATE_LEAST = 50 };

/// Independent trials, in the order of their draws.
typedef struct gmc_surrogate_rows {
    int64_t count;
    int inputs;
    const double *x; ///< (count, inputs) finite
    const double *y; ///< (count) outcome, in [0, 1]
} gmc_surrogate_rows;

/// Inputs of draws that have no trial, of the same law and independent of each other.
typedef struct gmc_surrogate_fresh {
    int64_t count;
    void (*draw)(void *context, int64_t index, double *x); ///< x (inputs) out, finite
    void *context;
} gmc_surrogate_fresh;

typedef struct gmc_surrogate_estimate {
    double p;
    gmc_interval interval;
    double gain;    ///< square of the trials' own interval over this one: how many times as many
                    ///< trials would tell as much; 1 without use
    bool is_there;  ///< false: none was made; p is NaN, the interval [0, 1]
    bool is_useful; ///< false: the trials alone tell as much; p and interval are not to be used
} gmc_surrogate_estimate;

/// @param plain  the trials' own interval
/// @return GMC_OK; GMC_E_MEMORY. Fewer than GMC_SURROGATE_LEAST rows, or outcomes that are all the
///         same, make no surrogate: `is_useful` is false
GMC_MUST_CHECK gmc_status gmc_surrogate_of(const gmc_surrogate_rows *rows,
                                           const gmc_surrogate_fresh *fresh, gmc_interval plain,
                                           double level, gmc_surrogate_estimate *estimate);

#endif

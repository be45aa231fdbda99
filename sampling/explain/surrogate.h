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
/// m is the smooth function of smooth.h.
///
/// Several cases on common draws have one function of a draw's inputs and a case's decisions
/// together, so that neighbours tell each other what a few draws of one case would not: y, m and p
/// are of each case then, folds are of draws, and the mean of all cases is one more answer.
///
/// Interval: Clopper and Pearson's at the effective size, with one trial more allowed for
/// (effective.h; without it 804 of 1000 held the truth where the surrogate explains all of 100
/// trials and 2 % fail in a way that is seen seldom), and z²/n² more in the variance, n of all
/// cases: where all residuals are 0 up to z² trials of n may have others (without it 0.903 of 1500
/// held the truth with 150 trials, of which one in 20 has a value that fails but for a fifth).
/// Where it would be longer than the trials' own the surrogate is of no use and the answer says so.
///
/// p is unbiased but for that choice: failures that no trial has shown make a surrogate useful, so
/// where they are few what is chosen is up to a sixth of its half width too high (50 to 100 trials,
/// measured).
#ifndef GMC_SAMPLING_EXPLAIN_SURROGATE_H
#define GMC_SAMPLING_EXPLAIN_SURROGATE_H

#include "engine/base/status.h"
#include "sampling/estimate/proportion.h"

#include <stdbool.h>

/// What a surrogate needs: five folds of ten trials, and draws that tell how its residuals spread.
enum { GMC_SURROGATE_LEAST = 50, GMC_SURROGATE_LEAST_DRAWS = 20 };

/// Trials on independent draws, in the order of the draws.
typedef struct gmc_surrogate_rows {
    int64_t count;   ///< draws
    int cases;       ///< >= 1, all on the same draws
    int inputs;      ///< that describe a draw
    int decisions;   ///< that describe a case
    const double *x; ///< (count, inputs) finite
    const double *a; ///< (cases, decisions) finite
    const double *y; ///< (count, cases) outcome, in [0, 1]
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

/// Answers that rows have: each case, and behind them, of several, the mean of all.
static inline int gmc_surrogate_answers(int cases) { return cases > 1 ? cases + 1 : 1; }

/// @param plain      (answers) the trials' own intervals
/// @param estimates  (answers) out
/// @return GMC_OK; GMC_E_MEMORY. Too few rows, or outcomes that are all the same, make no
///         surrogate: `is_there` is false
GMC_MUST_CHECK gmc_status gmc_surrogate_of(const gmc_surrogate_rows *rows,
                                           const gmc_surrogate_fresh *fresh,
                                           const gmc_interval *plain, double level,
                                           gmc_surrogate_estimate *estimates);

/// What is made of m of fresh draws.
typedef struct gmc_surrogate_watch {
    /// @param x  (inputs) of the draw
    /// @param m  (cases) of it, by a function that some of the trials are not in
    void (*take)(void *context, const double *x, const double *m);
    void *context;
} gmc_surrogate_watch;

/// What trials are missed by, y - m_k over fold k, for others to make something of.
/// @param residuals  (cases, count) out, if there is a surrogate
/// @param is_there   out: were there trials enough?
/// @return GMC_OK, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_surrogate_residuals(const gmc_surrogate_rows *rows,
                                                  const gmc_surrogate_fresh *fresh,
                                                  const gmc_surrogate_watch *watch,
                                                  double *residuals, bool *is_there);

#endif

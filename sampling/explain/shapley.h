/// Shapley effects [owen2014; owen2017]: which share of an outcome's variance each input answers
/// for, inputs that depend on each other included. What several inputs explain together is shared
/// out evenly over all orders in which they may come to be known:
///
///   Sh_k = Σ_{u without k} |u|! (d − |u| − 1)! / d! · (V_{u+k} − V_u) / V,   V_u = Var E(y | x_u)
///
/// They add to 1: all inputs together decide the outcome (a trial is a function of what is drawn).
/// Without dependence Sh lies between the first order and the total order.
///
/// From draws that were made for another purpose, as in [broto2020]: E(y | x_u) at a draw is the
/// mean of its three nearest neighbours in the inputs u, by their ranks, and V_u = mean of y times
/// that, y from its mean. Neighbours are not at the same place: V_u is too small, by a multiple of
/// their distance n^(−1/|u|) where the outcome has edges (two values), of its square where it is
/// smooth. Neighbours among half of the draws tell how much, and it is taken off (Richardson).
///
/// An input of few values (30 draws each) has draws at the same place: another value is farther
/// than any that is as near in the other inputs, and where three draws of either half are at the
/// very place the mean is that of all of them, with nothing to take off. So it is with columns of
/// one file: a row is a place. (By ranks alone neighbours were of other rows, and of three of a
/// hundred draws at a place the interval of five rows held in 88 to 91 %.)
///
/// Interval: normal, from the spread of the influence function as in given.h, and half of what was
/// taken off; cut at 0 and 1. Estimates are moved to the nearest ones that are not negative and add
/// to 1. Of a randomised design neighbours are draws of other randomisations (given.h);
/// the spread is then that of independent draws, which is more.
#ifndef GMC_SAMPLING_EXPLAIN_SHAPLEY_H
#define GMC_SAMPLING_EXPLAIN_SHAPLEY_H

#include "sampling/explain/given.h"

#include <math.h>

/// Inputs at most (there are 2^d sets of them), and draws at least.
enum { GMC_SHAPLEY_INPUTS = 10, GMC_SHAPLEY_LEAST = 100 };

typedef struct gmc_shapley_draws {
    const double *rows; ///< (count, 2 + input_count) number of the draw, outcome, inputs; finite
    int64_t count;
    int input_count;   ///< from 2 to GMC_SHAPLEY_INPUTS
    int replica_count; ///< draw d is of randomisation d mod this; 0: draws are independent
} gmc_shapley_draws;

/// Of so many draws as many as are compared within a second or two: the work grows with count² 2^d.
/// @param answers  there are to be, together
static inline int64_t gmc_shapley_affordable(int64_t count, int input_count, int64_t answers)
{
    const double pairs = 1e9; // and sets of inputs
    double most = floor(sqrt(pairs / (double)(1 << input_count) / (double)answers));
    return (double)count <= most ? count : (int64_t)most;
}

/// @param effects  (input_count); NaN and [0, 1] each for fewer than GMC_SHAPLEY_LEAST draws, fewer
///                 than GMC_GIVEN_RARE of one of two outcomes, or if the outcome does not vary
/// @return GMC_OK, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_shapley_effects(const gmc_shapley_draws *draws, double level,
                                              gmc_index *effects);

#endif

/// The lowest and the highest of several success probabilities, from an estimate of each.
///
/// All estimates hold together at `level` if each has the level^(1/count), independent as their
/// trials are [sidak1967]. Then
///
///   min lower_i <= min p_i <= min upper_i        max lower_i <= max p_i <= max upper_i
///
/// hold together too, whichever is the lowest. The estimates of the two are those of the places
/// where they are most extreme, unsolved trials as failures for the lowest and as successes for the
/// highest; they err outward, the intervals do not.
#ifndef GMC_SAMPLING_ESTIMATE_ENDS_H
#define GMC_SAMPLING_ESTIMATE_ENDS_H

#include "sampling/estimate/estimate.h"

/// One of the two.
typedef struct gmc_end {
    double p; ///< NaN: there is no trial
    gmc_interval interval;
    int place; ///< where p is, the first of them; -1: nowhere
    int ties;  ///< other places with the same p
} gmc_end;

typedef struct gmc_ends {
    gmc_end lowest, highest;
} gmc_ends;

/// Level of each of `count` estimates.
double gmc_ends_level(double level, int count);

/// @param estimates  (count >= 1)
gmc_ends gmc_ends_of(const gmc_estimate *estimates, int count);

#endif

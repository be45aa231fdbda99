/// Where to draw so that a rare failure is met often: a mixture of normal laws that is fitted to a
/// surrogate of the margin, which costs no trials.
///
/// In standard normal space a draw that fails is met best by φ(z) 1[g(z) < 0]/P. g is known at the
/// trials that were run. So
///
///   1  a surrogate takes the place of g, and says how likely a failure is at z (guess.h);
///   2  subset simulation on the spline (subset.h), with more points than there are trials, looks
///      for failures everywhere, also where no trial was: those are learned of by aiming there;
///   3  the mixture q is fitted to φ times the probability of 1 by importance draws from itself,
///      again and again [cappe2008]. It starts around trials that failed and points found by 2, as
///      far from each other as any;
///   4  the starts at trials that failed stay as a part of it, and it is somewhat wider than
///      fitted: failures that were found are met, whatever the spline says;
///   5  a tenth each of the draws are all round, as far out as what fails is, and along the axes,
///      where one input alone makes a trial fail: what was not found is met there. If much of the
///      estimate comes from those, the rest of the mixture knows too little.
///
/// Draws from q that are counted by φ/q estimate P without bias, whatever spline and fit are worth
/// (estimate/aimed.h); these are better, the smaller the spread.
#ifndef GMC_SAMPLING_DESIGN_AIM_H
#define GMC_SAMPLING_DESIGN_AIM_H

#include "engine/base/status.h"
#include "sampling/design/guess.h"
#include "sampling/random/mixture.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct gmc_aim {
    gmc_mixture mixture; ///< no component: nothing that was seen fails
    int known;           ///< components of it that lie where failures were found or suspected
    double reach;        ///< distance of the likeliest failure from the middle
    bool is_fitted;      ///< a surrogate was; else draws are around what failed
    double missed;       ///< by the surrogate, of scaled margins; NaN: none
    int step_count;
    double *steps; ///< (step_count, dimensions) points of 2 on the way to failures, level by level
} gmc_aim;

/// @param stream  chance of the fit
/// @param aim     out: gmc_aim_free; {0} unless GMC_OK
/// @return GMC_OK, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_aim_take(const gmc_guess_seen *seen, gmc_stream stream, gmc_aim *aim);

/// Accepts {0}.
void gmc_aim_free(gmc_aim *aim);

/// A point beyond the middle of an axis: 0, 1, ... go through both sides of all of them.
/// @param z  in: standard normal
void gmc_aim_along(const gmc_aim *aim, int axis, double *z);

/// φ/q.
/// @param room  out: (mixture.count + dimensions) first the share of each component in q(z)
double gmc_aim_weight(const gmc_aim *aim, const double *z, double *room);

#endif

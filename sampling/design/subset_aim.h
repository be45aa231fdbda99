/// The end of a subset simulation: importance draws, aimed at where its levels found failures.
///
/// Four rounds, each aimed by all trials before it. The first three, an eighth of the draws
/// each, teach the surrogate where it is wrong: every other draw comes from the mixture, the rest
/// are points on the surrogate's own way to failures, which it may have made up, and points along
/// the axes, where one input alone may be what fails. The estimate is that of the last round alone,
/// all of whose draws come from the mixture. Given what was seen before they are independent, and
/// the estimate has no bias.
///
/// Fewer rounds, two of a sixth, miss ways to fail that the levels passed by; six take longer to
/// fit and are no better.
///
/// Where to draw, so that a rare failure is met often: a mixture of normal laws that is fitted to a
/// surrogate of the margin, which costs no trials.
///
/// In standard normal space a draw that fails is met best by φ(z) 1[g(z) < 0]/P. g is known at the
/// trials that were run. So
///
///   1  a surrogate takes the place of g, and says how likely a failure is at z (below);
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
///
/// A surrogate of the margin: what it may be where no trial was, guessed from those that were run.
///
/// A spline (estimate/spline.h) through y = g/m, g the margin and m its median size among plain
/// draws, cut off at ±3 to keep infinite margins from bending it. Of trials it takes those nearest
/// to g = 0, where it has to be right, and some of all others, for which way is down. One of five
/// of the nearest is kept back, and says by how much the spline misses, τ (root mean square); so
/// that z fails with a probability of 1/(1 + exp(y(z)/0.6 τ)), a logistic law of that spread.
#ifndef GMC_SAMPLING_DESIGN_SUBSET_AIM_H
#define GMC_SAMPLING_DESIGN_SUBSET_AIM_H

#include "engine/base/status.h"
#include "sampling/estimate/aimed.h"
#include "sampling/random/stream.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    GMC_SUBSET_AIM_ROUNDS = 4,
    GMC_SUBSET_AIM_LEAST = 60,      ///< draws of all rounds
    GMC_SUBSET_AIM_EXPLORED = 1000, ///< points that are looked for on a surrogate
};

/// The surrogate of a round. @return y(z)
typedef struct gmc_subset_aim_guess gmc_subset_aim_guess;
double gmc_subset_aim_margin(const gmc_subset_aim_guess *guess, const double *z);

/// Points in standard normal space.
typedef struct gmc_subset_aim_points {
    int count;
    double *points; ///< (GMC_SUBSET_AIM_EXPLORED, dimensions)
} gmc_subset_aim_points;

/// 2 of the head of this file, with room for what it finds.
typedef struct gmc_subset_aim_search {
    const gmc_subset_aim_guess *guess;
    gmc_stream stream; ///< its chance
    int dimensions;
    double *z, *values;                     ///< scratch (dimensions), (GMC_SUBSET_AIM_EXPLORED)
    gmc_subset_aim_points *failing, *steps; ///< out: that fail; on the way there
} gmc_subset_aim_search;

/// One round.
typedef struct gmc_subset_aim_round {
    gmc_aimed failing; ///< a hit: margin below 0,
    gmc_aimed worst;   ///< or unsolved
    int components;    ///< of the mixture that was drawn from
    bool is_fitted;    ///< to a surrogate; else it lies around what failed
    double missed;     ///< what the surrogate misses scaled margins by, NaN: none
} gmc_subset_aim_round;

typedef struct gmc_subset_aim_plan {
    int draws; ///< >= GMC_SUBSET_AIM_LEAST
    int plain; ///< of the trials seen, the first, that are plain draws
    int dimensions;
    uint64_t seed;
    uint64_t first;                                       ///< address of the first draw
    gmc_status (*explore)(gmc_subset_aim_search *search); ///< subset.c, whose levels go on here
} gmc_subset_aim_plan;

typedef struct gmc_subset_aim gmc_subset_aim;

/// @return GMC_OK, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_subset_aim_create(const gmc_subset_aim_plan *plan,
                                                gmc_subset_aim **aim);

/// Accepts NULL.
void gmc_subset_aim_free(gmc_subset_aim *aim);

/// Take in a trial that was run, of whatever level.
/// @param margin  +inf: unsolved
/// @return GMC_OK, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_subset_aim_see(gmc_subset_aim *aim, const double *point,
                                             double margin);

/// Open the next round.
/// @param trials  out: (draws) addresses
/// @param points  out: (draws, dimensions)
/// @param count   out: of them; 0: all rounds are done, or nothing that was seen fails
/// @return GMC_OK, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_subset_aim_open(gmc_subset_aim *aim, uint64_t *trials, double *points,
                                              uint64_t *count);

/// Take in what the open round found.
/// @param found   (draws of all rounds) margins by address, from `first` on
/// @param points  as gmc_subset_aim_open gave them
/// @return GMC_OK, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_subset_aim_close(gmc_subset_aim *aim, const double *found,
                                               const double *points);

/// Rounds that were run: all, or none.
int gmc_subset_aim_rounds(const gmc_subset_aim *aim);

gmc_subset_aim_round gmc_subset_aim_of_round(const gmc_subset_aim *aim, int round);

#endif

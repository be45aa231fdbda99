/// Inverse kinematics: where an arm's joints must be for its tool to be where it is wanted; and
/// the same along a straight line.
///
///   minimise |p_d - p(x)|² + l² |log(R_d R(x)ᵀ)|²   over lower <= x <= upper
///   (Jᵀ W J + mu 1) dx = Jᵀ W e
///
/// Damped least squares: mu is the error itself, so that steps are bold near the end, and cautious
/// far from it and where the arm is singular ([sugihara2011]; [nakamura1986] damps by the
/// distance from a singularity). Departs from them: a step must lessen the error, or mu grows; a
/// joint at its limit is left out of the step while it would go beyond. l is the arm's mean lever.
/// Where the search ends beside the target it begins again elsewhere.
#ifndef GMC_ENGINE_MOTION_REACH_H
#define GMC_ENGINE_MOTION_REACH_H

#include "engine/motion/way.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct gmc_reach_options {
    double tolerance;  ///< of the place, and of the orientation [m, rad]
    int iteration_max; ///< of one attempt
    int attempt_max;   ///< the first from where the joints are; then by turns from beside the
                       ///< nearest that was found and from anywhere
    uint64_t seed;     ///< of these places (chance.h)
} gmc_reach_options;

/// 1e-10, 200 iterations, 100 attempts, seed 0.
static inline gmc_reach_options gmc_reach_defaults(void)
{
    return (gmc_reach_options){.tolerance = 1e-10, .iteration_max = 200, .attempt_max = 100};
}

/// What was found.
typedef struct gmc_reach_found {
    double off, turned; ///< of the tool from its target: distance, angle [m, rad]
    int attempts;
} gmc_reach_found;

/// @param target  of the tool point, in the world
/// @param x       (count) in: where to begin, within the limits; out: joint positions within the
///                limits that put the tool there; of a failure the nearest that was found
/// @param found   out
/// @return GMC_OK, GMC_E_NO_SOLUTION
GMC_MUST_CHECK gmc_status gmc_reach_pose(gmc_arm *arm, const gmc_pose *target,
                                         const gmc_reach_options *options, double *x,
                                         gmc_reach_found *found);

/// Knots of a line, at least and at most.
enum { GMC_REACH_LINE_MIN = 33, GMC_REACH_LINE_MAX = 513 };

/// The tool's point on the straight line, and its orientation on the shortest turn, a share of the
/// way from one pose to another.
gmc_pose gmc_reach_between(const gmc_pose *from, const gmc_pose *to, double share);

/// A motion along the straight line from where the joints put the tool to a target: of so many
/// knots, each found from the one before, that between them it is within 1e-5 m and 1e-4 rad of
/// the line. Where it passes a singularity that its joints could follow only fast (fifty radians over
/// the line, at the rate of a piece of it, or not at all) the tool may turn off by up to 0.05 rad
/// instead.
/// @param start  (count)
/// @param way    in: room for GMC_REACH_LINE_MAX knots; out: laid, all but its duration
/// @return GMC_OK, GMC_E_NO_SOLUTION (a place on the line cannot be reached, or only with a jump)
GMC_MUST_CHECK gmc_status gmc_reach_line(gmc_arm *arm, const gmc_pose *target, const double *start,
                                         gmc_way *way);

#endif

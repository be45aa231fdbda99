/// Which trials are worth a repetition at half the step: those that end near the limit of success.
/// Most verdicts do not depend on the step at all; of 4000 cartons let go above a table at 4 ms 52
/// did, all of them among the 700 that ended nearest to the limit, still rocking.
///
/// A trial is repeated with a chance that it can work out from how far each of its criteria is from
/// its limit (margin.h) and from those distances of the first draws of its scenario, the pilot. Of
/// a criterion at the distance x
///
///   chance = max(share, min(1, scale · limit / |x|)) where |x| <= limit, else share
///
/// `limit` is that of the criterion that a quarter of the pilot is within, and by a tenth less than
/// what three quarters are within: where most are equally far, only what is nearer is near. One
/// scale for all is so large that repetitions, which take twice the steps, come to the work allowed
/// for. A success fails if one criterion breaks: it has the largest chance of its criteria. A
/// failure succeeds if all that are broken hold: it has the least of these. So a criterion that is
/// idle just within its limit takes part of the work, and does not hide the distances of those
/// that decide.
///
/// Where distances do not tell what is near, every trial has the same chance, that of the work. So
/// it is where a measure jumps, as a force does where bodies begin to touch: of two trials or more
/// that break a criterion and two that hold it, none is within a standard deviation of the other
/// side; or a criterion of forces has two trials or more at one number, that without contact.
/// And where what has no distance (a count of contacts) is broken in the pilot; if it holds in
/// all of it, it is idle, and the trials that break it are all repeated.
///
/// A trial that was cut short as failed stopped just behind the limit, however far it would have
/// gone: its distances say nothing. All of those have one chance, for which they may take a share
/// of the work (CUT_WORK); where the pilot has none, 1. Dividing by the chance makes sums over
/// repeated trials unbiased [horvitz1952].
#ifndef GMC_SAMPLING_DESIGN_NEARBY_H
#define GMC_SAMPLING_DESIGN_NEARBY_H

#include <stdbool.h>
#include <stdint.h>

/// Draws of the pilot, which are not repeated themselves; criteria that are told apart; work of a
/// repetition over that of its trial: half the step is twice the steps.
enum { GMC_NEARBY_PILOT = 64, GMC_NEARBY_CRITERIA = 16, GMC_NEARBY_TWICE = 2 };

/// What is known of a trial before it is repeated.
typedef struct gmc_nearby_trial {
    int criteria;                         ///< 0: nothing was measured
    double distance[GMC_NEARBY_CRITERIA]; ///< from its limit, < 0: broken; what is not finite, and
                                          ///< +-DBL_MAX: it holds or not, and is at no distance
    uint32_t forces;                      ///< bit k: criterion k is of forces
    double work;                          ///< steps
    bool is_cut;                          ///< short as failed: distances are those of when it was
    bool is_near;                         ///< whatever its distances are
} gmc_nearby_trial;

/// Of one criterion.
typedef struct gmc_nearby_rank {
    double limit; ///< +inf: any distance is near
    double reach; ///< the same, or the largest of the pilot
} gmc_nearby_rank;

typedef struct gmc_nearby {
    double share; ///< chance of a trial that is not near
    double even;  ///< chance of all; 0: it goes by distances
    double scale;
    double cut; ///< chance of what was cut short
    gmc_nearby_rank ranks[GMC_NEARBY_CRITERIA];
} gmc_nearby;

/// @param pilot  (count <= GMC_NEARBY_PILOT)
/// @param share  of trials that are repeated whatever they show
/// @param work   of all repetitions, over that of the trials
gmc_nearby gmc_nearby_plan(const gmc_nearby_trial *pilot, int count, double share, double work);

/// > 0 where `share` is.
double gmc_nearby_chance(const gmc_nearby *plan, const gmc_nearby_trial *trial);

#endif

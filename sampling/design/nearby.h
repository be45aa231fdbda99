/// Which trials are worth a repetition at half the step: those that end near the limit of success.
/// Most verdicts do not depend on the step at all; of 4000 cartons let go above a table at 4 ms 52
/// did, all of them among the 700 that ended nearest to the limit, still rocking.
///
/// A trial is repeated with a chance that it can work out from its own slack (how far its measures
/// are from the limit, margin.h) and from those of the first draws of its scenario, the pilot:
///
///   chance = max(share, min(1, scale / |slack|)) where |slack| < limit, else share
///
/// `limit` is that which a quarter of the pilot is nearer than, `scale` so large that repetitions,
/// which take twice the steps, come to the work allowed for. A trial that was cut short as failed
/// stopped just behind the limit, however far it would have gone: its slack says nothing. All of
/// those have one chance, for which they may take a share of the work (CUT_WORK); where the pilot
/// has none, 1. Dividing by the chance makes sums over repeated trials unbiased [horvitz1952].
#ifndef GMC_SAMPLING_DESIGN_NEARBY_H
#define GMC_SAMPLING_DESIGN_NEARBY_H

#include <stdbool.h>

/// Draws of the pilot, which are not repeated themselves; work of a repetition over that of its
/// trial: half the step is twice the steps.
enum { GMC_NEARBY_PILOT = 64, GMC_NEARBY_TWICE = 2 };

/// What is known of a trial before it is repeated.
typedef struct gmc_nearby_trial {
    double slack; ///< >= 0; +inf: it has none
    double work;  ///< steps
    bool is_cut;  ///< short as failed: its slack is that of when it was
} gmc_nearby_trial;

typedef struct gmc_nearby {
    double share; ///< chance of a trial that is not near
    double limit, scale;
    double cut; ///< chance of what was cut short
} gmc_nearby;

/// @param pilot  (count <= GMC_NEARBY_PILOT)
/// @param share  of trials that are repeated whatever they show
/// @param work   of all repetitions, over that of the trials
gmc_nearby gmc_nearby_plan(const gmc_nearby_trial *pilot, int count, double share, double work);

/// > 0 where `share` is.
double gmc_nearby_chance(const gmc_nearby *plan, const gmc_nearby_trial *trial);

#endif

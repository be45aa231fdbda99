/// The end of a subset simulation: importance draws, aimed at where its levels found failures.
///
/// Four rounds, each aimed (aim.h) by all trials before it. The first three, an eighth of the draws
/// each, teach the surrogate where it is wrong: every other draw comes from the mixture, the rest
/// are points on the surrogate's own way to failures, which it may have made up, and points along
/// the axes, where one input alone may be what fails. The estimate is that of the last round alone,
/// all of whose draws come from the mixture. Given what was seen before they are independent, and
/// the estimate has no bias.
///
/// Fewer rounds, two of a sixth, miss ways to fail that the levels passed by; six take longer to
/// fit and are no better.
#ifndef GMC_SAMPLING_DESIGN_SUBSET_AIM_H
#define GMC_SAMPLING_DESIGN_SUBSET_AIM_H

#include "engine/base/status.h"
#include "sampling/estimate/aimed.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    GMC_SUBSET_AIM_ROUNDS = 4,
    GMC_SUBSET_AIM_LEAST = 60, ///< draws of all rounds
};

/// One round.
typedef struct gmc_subset_aim_round {
    gmc_aimed failing; ///< a hit: margin below 0,
    gmc_aimed worst;   ///< or unsolved
    int components;    ///< of the mixture that was drawn from
    bool is_fitted;    ///< to a surrogate; else it lies around what failed
    double missed;     ///< what the surrogate misses scaled margins by (aim.h), NaN: none
} gmc_subset_aim_round;

typedef struct gmc_subset_aim_plan {
    int draws; ///< >= GMC_SUBSET_AIM_LEAST
    int plain; ///< of the trials seen, the first, that are plain draws
    int dimensions;
    uint64_t seed;
    uint64_t first; ///< address of the first draw
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

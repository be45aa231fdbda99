/// Designs chosen for a quantile: of a number that every trial has, as small as can be.
///
/// The smallest p-quantile over all designs is the least c that some design stays below with
/// probability p:
///
///   min_x q_p(x) = min { c : max_x P(Y_x <= c) >= p }
///
/// So a trial counts as a success if it is at most c (optimum.h), and after every round c is moved
/// to where the surface of all designs just reaches p: what is looked for is then the top of a
/// surface of shares, as where success itself is the goal, and every trial takes part in it, not
/// the few beyond the quantile alone. Designs tie (optimum.h)
/// where c is the smallest number of all: those whose every trial has it.
#ifndef GMC_SAMPLING_DESIGN_OPTIMUM_QUANTILE_H
#define GMC_SAMPLING_DESIGN_OPTIMUM_QUANTILE_H

#include "sampling/design/optimum.h"

/// What the trials of all designs had.
typedef struct gmc_optimum_quantile gmc_optimum_quantile;

/// @param p  0 < p < 1
/// @return GMC_OK, GMC_E_MEMORY (*quantile is NULL)
GMC_MUST_CHECK gmc_status gmc_optimum_quantile_create(double p, gmc_optimum_quantile **quantile);

/// Accepts NULL.
void gmc_optimum_quantile_free(gmc_optimum_quantile *quantile);

/// A trial.
/// @param design  of all rounds, in their order
/// @param y       its number; HUGE_VAL: it is not known, and taken as the worst
/// @return GMC_OK, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_optimum_quantile_add(gmc_optimum_quantile *quantile, int design,
                                                   double y);

/// After the trials of a round: find c, and give the optimum the tallies of all designs under it.
/// @param c  out: HUGE_VAL if no trial's number is known
/// @return GMC_OK, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_optimum_quantile_aim(gmc_optimum_quantile *quantile,
                                                   gmc_optimum *optimum, double *c);

#endif

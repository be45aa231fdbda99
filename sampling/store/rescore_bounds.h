/// Criteria over numbers of which only a range is known: three-valued logic by interval arithmetic.
/// True or false is said only where it is so for every number of the ranges.
#ifndef GMC_SAMPLING_STORE_RESCORE_BOUNDS_H
#define GMC_SAMPLING_STORE_RESCORE_BOUNDS_H

#include "engine/grasp/success.h"
#include "sampling/estimate/proportion.h"

/// Nothing is known of a number; it may also be NaN.
gmc_interval gmc_rescore_bounds_any(void);

/// Range of a criterion's value. A quantity that stands in it twice counts as two, so that the
/// range may be wider than it need be, never narrower. Truth is [1, 1], falsehood [0, 0], either of
/// the two [0, 1].
/// @param values  ranges of the asked measures, infinite where they have no end; without NaN
gmc_interval gmc_rescore_bounds_value(const gmc_compiled_criterion *criterion,
                                      const gmc_interval *values);

#endif

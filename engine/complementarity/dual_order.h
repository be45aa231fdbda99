/// An order of the units in which eliminating them fills little: minimum degree on the graph of
/// blocks [tinney1967], ties broken by the lower index, so that a full W keeps its order.
#ifndef GMC_ENGINE_COMPLEMENTARITY_DUAL_ORDER_H
#define GMC_ENGINE_COMPLEMENTARITY_DUAL_ORDER_H

#include "engine/complementarity/dual.h"

/// @param order    (unit_count) out: which unit comes k-th
/// @param scratch  given back
/// @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_dual_order(const gmc_dual *problem, int *order, gmc_arena *scratch);

#endif

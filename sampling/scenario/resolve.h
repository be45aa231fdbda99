/// The second half of reading a scenario; see gmc_scenario_resolve, which calls this.
#ifndef GMC_SAMPLING_SCENARIO_RESOLVE_H
#define GMC_SAMPLING_SCENARIO_RESOLVE_H

#include "sampling/scenario/scenario.h"

/// @return GMC_OK, GMC_E_INPUT, GMC_E_MISSING (both reported), GMC_E_ARENA_FULL, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_resolve_scenario(gmc_scenario *scenario, gmc_diagnostics *report);

#endif

/// What `graspmc check --parameters` prints: every number of a scenario by its path.
#ifndef GMC_SAMPLING_WRITING_LISTING_H
#define GMC_SAMPLING_WRITING_LISTING_H

#include "sampling/scenario/scenario.h"

/// A table for people: path, value and unit, what is allowed, and what changes it from trial to
/// trial. Values that nobody wrote are marked as defaults. Numbers of surfaces that nothing has, and
/// that nothing varies, are left out: a table of materials is long.
/// @param scenario  resolved
/// @param text      out: the caller frees it
/// @return GMC_OK, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_listing_table(const gmc_scenario *scenario, char **text);

/// The same as a JSON array of {path, value, unit, lower, upper, default, varied_by, distribution};
/// values in SI, null where there is no bound, varied_by one of null, "study", "uncertain", "csv",
/// "set".
GMC_MUST_CHECK gmc_status gmc_listing_json(const gmc_scenario *scenario, char **text);

#endif

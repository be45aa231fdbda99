/// A scenario written out: merged, with `--set` applied and every default filled in. Reads back to
/// the same scenario with the same digest, and to the same text; file names in it are relative to
/// the scenario.
#ifndef GMC_SAMPLING_WRITING_EXPAND_H
#define GMC_SAMPLING_WRITING_EXPAND_H

#include "sampling/scenario/scenario.h"

/// As YAML. Values stand as they were written, in the order of FORMAT.md.
/// @param scenario  resolved
/// @param text      out: the caller frees it
/// @return GMC_OK, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_expand_yaml(const gmc_scenario *scenario, char **text);

/// As JSON: the same tree, numbers in SI.
GMC_MUST_CHECK gmc_status gmc_expand_json(const gmc_scenario *scenario, char **text);

#endif

/// From a checked tree (validate.h) to the typed scenario: every number becomes an entry of the
/// parameter table, every name and file is kept, surfaces are collected, criteria are parsed.
#ifndef GMC_SAMPLING_SCENARIO_READER_H
#define GMC_SAMPLING_SCENARIO_READER_H

#include "sampling/language/node.h"
#include "sampling/scenario/scenario.h"

/// Fill `scenario` from `root`. Nodes with mistakes are passed over: they are in the report
/// already.
/// @param root  gains a `surfaces` entry for every surface that is only named
/// @return GMC_OK, also when mistakes were reported; GMC_E_ARENA_FULL, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_reader_fill(gmc_node *root, gmc_diagnostics *report,
                                          gmc_scenario *scenario);

#endif

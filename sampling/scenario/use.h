/// Files that a scenario starts from: `use:` at its top, and `use:` inside of one of its blocks.
#ifndef GMC_SAMPLING_SCENARIO_USE_H
#define GMC_SAMPLING_SCENARIO_USE_H

#include "sampling/language/node.h"
#include "sampling/scenario/scenario.h"

/// Put the file named by `use:` under the tree, and so on down the chain; the blocks of each file
/// first.
/// @param name  of the scenario itself, so that a circle is seen
/// @param root  in: as parsed; out: merged
/// @return GMC_OK, GMC_E_INPUT, GMC_E_MISSING, GMC_E_IO (reported), GMC_E_MEMORY, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_use_follow(gmc_scenario *scenario, const char *name,
                                         gmc_diagnostics *report, gmc_node **root);

/// `use:` inside of `believed`, `cameras`, `uncertain` and `correlated`: the file holds keys of
/// that block, what stands beside `use:` overrides them.
/// @return as above
GMC_MUST_CHECK gmc_status gmc_use_blocks(gmc_scenario *scenario, gmc_diagnostics *report,
                                         gmc_node *root);

/// A file of a scenario holds keys with values. @return GMC_OK, GMC_E_INPUT (reported)
GMC_MUST_CHECK gmc_status gmc_use_expect_map(const gmc_node *root, const char *file,
                                             gmc_diagnostics *report);

#endif

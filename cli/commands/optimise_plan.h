/// DIR/study.txt of an optimisation: what it was asked, a line each, so that a folder is not gone
/// on with by another one. The rounds themselves hold no more than their own designs, and a changed
/// budget would first grow the first of them.
///
///   study.optimise.budget: 6000
///   study.optimise.goal: success
///   study.vary.program.0.close.force: between(4, 40)          SI
#ifndef GMC_CLI_COMMANDS_OPTIMISE_PLAN_H
#define GMC_CLI_COMMANDS_OPTIMISE_PLAN_H

#include "sampling/scenario/scenario.h"

/// Write it, or compare it with what is there.
/// @return GMC_OK; GMC_E_MISMATCH, GMC_E_CREATE, GMC_E_IO (reported), GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_optimise_plan_keep(const char *folder, const gmc_scenario *scenario,
                                                 gmc_diagnostics *messages);

#endif

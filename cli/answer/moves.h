/// What becomes of phases that move joints, tried out before there is a run.
#ifndef GMC_CLI_ANSWER_MOVES_H
#define GMC_CLI_ANSWER_MOVES_H

#include "sampling/build/prepare.h"

/// Warn if the first case at nominal values cannot be carried out, and of joints that are more than
/// 1 degree or 1 mm from where such a phase has them, for their servos give way: its trial is run,
/// if a phase leads to places or moves a joint, and no controller of others is asked.
/// @return GMC_OK, GMC_E_MEMORY, GMC_E_LIMIT
GMC_MUST_CHECK gmc_status gmc_moves_warn(const gmc_prepared *prepared, gmc_diagnostics *messages);

#endif

/// Mass matrix by composite rigid bodies. Source: [featherstone2008] ch. 6.
#ifndef GMC_ENGINE_DYNAMICS_CRBA_H
#define GMC_ENGINE_DYNAMICS_CRBA_H

#include "engine/dynamics/kinematics.h"

/// M(q) of the free velocities, row-major (free_count x free_count), symmetric, all entries filled;
/// armature on the diagonal. Isolated bodies: their 6 x 6 block diag(m 1, I_w) alone.
GMC_MUST_CHECK gmc_status gmc_crba(const gmc_model *model, const gmc_kinematics *kin, double *M,
                                   gmc_arena *scratch);

size_t gmc_crba_bytes(const gmc_model *model);

#endif

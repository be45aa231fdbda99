/// What drives have to bear so that a mechanism stands still under gravity.
#ifndef GMC_ENGINE_CONTROL_LOAD_H
#define GMC_ENGINE_CONTROL_LOAD_H

#include "engine/base/arena.h"
#include "engine/model/model.h"

/// @param q      (q_count) where it stands
/// @param force  (dof_count) out: generalised forces that hold it, of mimic joints at their
///               leader's dof [N, N·m]
/// @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_load_find(const gmc_model *model, const double *q, gmc_arena *scratch,
                                        double *force);

#endif

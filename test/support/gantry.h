/// A small mechanism whose dynamics are done by hand: a cart on a rail, a pendulum under it, and a
/// brick that belongs to nothing.
#ifndef GMC_TEST_SUPPORT_GANTRY_H
#define GMC_TEST_SUPPORT_GANTRY_H

#include "engine/dynamics/state.h"

/// dof 0: cart along x, 3 kg, 2 kg armature. dof 1: pendulum about y at the cart, 0.5 kg at 0.4 m
/// below, 0.01 kg·m² about its centre. dofs 2-7: brick, 2 kg, diag(0.1, 0.2, 0.25) kg·m² about
/// (0.5, 0, 0) m. Bodies 1, 2, 3. Gravity (0, 0, -10).
GMC_MUST_CHECK gmc_status support_gantry(gmc_arena *arena, gmc_model *model, gmc_kinematics *kin);

#endif

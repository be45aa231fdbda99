/// Primal-dual interior point for a dual contact problem: slow to start, hardly slower on
/// degenerate problems, and blind to the active sets that Newton cycles among. 6 to 20 linear
/// systems where proximal point may need hundreds (rigid, force-closed grasps); its last digits
/// are limited by rounding near the cones, so that proximal point finishes what it found.
///
/// In x = (mu r_N, r_T) and z = (w_N/mu + |w_T|, w_T) Coulomb's law is complementarity of two
/// vectors of the Lorentz cone, x ∘ z = 0; the |w_T| of de Saxcé's change of variable is part of
/// the Newton system, not of an outer fixed point. Nesterov–Todd scaling and Mehrotra's predictor
/// and corrector bring x ∘ z = μ 1 down to μ = 0. Boxes get a multiplier per finite bound.
///
/// Sources: [acary2023] for the contact problem in this form; [vandenberghe2010] for scaling,
/// predictor and corrector. Departs from [acary2023] in working on W alone and in one common step
/// length, which the nonlinear |w_T| asks for.
#ifndef GMC_ENGINE_COMPLEMENTARITY_INTERIOR_H
#define GMC_ENGINE_COMPLEMENTARITY_INTERIOR_H

#include "engine/complementarity/dual_system.h"

typedef struct gmc_interior_options {
    double tolerance;  ///< |x - P(x - w)| at which to stop [-]
    int iteration_max; ///< linear systems
} gmc_interior_options;

typedef struct gmc_interior_result {
    int iterations;
    double residual; ///< of the best iterate
} gmc_interior_result;

/// Solve a normalised problem from a start of its own.
/// @param system   of the problem, as gmc_dual_system_create made it
/// @param r        (3 per unit) out: the best iterate, inside its cones
/// @param scratch  given back
/// @return GMC_OK (residual <= tolerance), GMC_E_NO_SOLUTION, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_interior_solve(gmc_dual_system *system,
                                             const gmc_interior_options *options, double *r,
                                             gmc_arena *scratch, gmc_interior_result *result);

#endif

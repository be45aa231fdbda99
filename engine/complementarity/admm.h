/// Alternating directions on a dual contact problem: cheap iterations with one factorisation for
/// many of them, little hurt by hyperstatic contact, slow in the last digits.
///
///   x ← (W + (η + ρ) 1)⁻¹ (η x + ρ z - y - q - s),   z ← P_K(x + y/ρ),   y ← y + ρ (x - z)
///
/// with s = mu |y_T| e_N of de Saxcé's change of variable refreshed in every iteration and P_K the
/// Euclidean projection on cones and boxes. ρ = √(L η) (L/η)^p, L the largest eigenvalue of W; the
/// exponent p follows the ratio of primal and dual residuals.
///
/// Source: [carpentier2024] for the splitting and the spectral rule; the defaults are those of its
/// authors' program, Pinocchio. Departs from it in normalised units, so that the defaults hold for
/// any mass.
#ifndef GMC_ENGINE_COMPLEMENTARITY_ADMM_H
#define GMC_ENGINE_COMPLEMENTARITY_ADMM_H

#include "engine/complementarity/dual_system.h"

typedef struct gmc_admm_options {
    double tolerance;  ///< |x - P(x - w)| at which to stop [-]
    int iteration_max; ///< > 0
    double proximal;   ///< η > 0 [-]
    double power;      ///< first p [-]
    double power_step; ///< change of p at an update [-]
    double ratio;      ///< of the residuals, beyond which p changes, > 1 [-]
} gmc_admm_options;

/// 3000 iterations, η 1e-6, p 0.2 ± 0.05, ratio 10.
gmc_admm_options gmc_admm_defaults(double tolerance);

typedef struct gmc_admm_result {
    int iterations, factorisations;
    double residual; ///< of the best iterate looked at
} gmc_admm_result;

/// Solve a normalised problem.
/// @param system   of the problem
/// @param r        (3 per unit) in: start; out: the best iterate, inside its cones
/// @param scratch  given back
/// @return GMC_OK (residual <= tolerance), GMC_E_NO_SOLUTION, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_admm_solve(gmc_dual_system *system, const gmc_admm_options *options,
                                         double *r, gmc_arena *scratch, gmc_admm_result *result);

#endif

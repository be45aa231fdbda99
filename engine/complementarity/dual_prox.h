/// Proximal point on the impulses of a dual problem: the solver for rigid, hyperstatic contact.
///
///   x_{k+1} solves  w + α_k (x - x_k) = W x + q + α_k (x - x_k),  by Newton (dual_newton.h)
///
/// Each of these is regular; where x stops moving the added term is nothing and the problem is
/// solved as it stands. α_k follows the residual: σ times what is left, so that the sequence is
/// slow where the problem is still unknown and superlinear at its end; ten times more after a
/// Newton run that failed, whose iterate is kept all the same. Of several solutions (internal
/// forces of a rigid grasp are not unique) it takes one near its start.
///
/// Sources: [acary2018] §4.3 for the method; the rule for α is that of the proximal solver of
/// Siconos, in scaled units. Measured: 433 of the 440 problems that ladder.h names to 1e-8,
/// most of them in 3 to 20 linear systems; the rest are why there is that ladder.
#ifndef GMC_ENGINE_COMPLEMENTARITY_DUAL_PROX_H
#define GMC_ENGINE_COMPLEMENTARITY_DUAL_PROX_H

#include "engine/complementarity/dual_newton.h"

typedef struct gmc_dual_prox_options {
    double tolerance;  ///< |x - P(x - w)| at which to stop [-]
    int iteration_max; ///< linear systems in all
    int stage_max;     ///< linear systems in one Newton run
    int failure_max;   ///< Newton runs that may fail before the sequence is given up
    double softness;   ///< σ = α / residual [-]
} gmc_dual_prox_options;

/// 600 linear systems in runs of at most 10, σ = 0.01, no limit on failures. Between σ = 0.001 and
/// 0.1 the results hardly differ; at 10 the sequence becomes slow.
gmc_dual_prox_options gmc_dual_prox_defaults(double tolerance);

typedef struct gmc_dual_prox_result {
    int stages, iterations, failures;
    double residual; ///< of x
} gmc_dual_prox_result;

/// A sequence on a Newton that is there already, so that several sequences share one factor of W.
/// @param x     (3 per unit) in: start; out: the best iterate
/// @param room  given back
/// @return GMC_OK (residual <= tolerance), GMC_E_NO_SOLUTION, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_dual_prox_run(gmc_dual_newton *newton,
                                            const gmc_dual_prox_options *options, double *x,
                                            gmc_arena *room, gmc_dual_prox_result *result);

/// The same from nothing but a normalised problem.
/// @param scratch  given back
/// @return GMC_OK, GMC_E_NO_SOLUTION, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_dual_prox_solve(const gmc_dual *normal,
                                              const gmc_dual_prox_options *options, double *x,
                                              gmc_arena *scratch, gmc_dual_prox_result *result);

#endif

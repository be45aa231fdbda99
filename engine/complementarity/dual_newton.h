/// Semismooth Newton on the impulses: Φ(x) = x - P(x - ρ s) = 0 of a normalised problem with a
/// proximal term,
///
///   s = W x + q + α (x - centre),   ρ = 1/(1 + α)
///
/// α > 0 makes W regular however hyperstatic the contacts are; proximal point (below) brings
/// it to nothing. Alone (gmc_dual_newton_solve) it is the fastest solver where W is regular and
/// nothing is promised elsewhere. Sources: [alart1991] for the equations; newton.h has the same
/// iteration on velocities.
///
/// Per unit, with y = x - ρ s and A dx + B W dx = -f (dual_system.h):
///   open   A = 1, B = 0, f = x
///   stick  A = α, B = 1, f = s
///   slip   with e = y_T/|y_T|, φ = mu y_N/|y_T|, P_e = 1 - e eᵀ:
///          normal as stick;  (1 - φ (1 - ρ α) P_e) dx_T - mu e dx_N + φ ρ P_e (W dx)_T
///                            = -(x_T - mu x_N e)
#ifndef GMC_ENGINE_COMPLEMENTARITY_DUAL_NEWTON_H
#define GMC_ENGINE_COMPLEMENTARITY_DUAL_NEWTON_H

#include "engine/complementarity/dual_system.h"

typedef struct gmc_dual_newton_options {
    int iteration_max; ///< > 0
    double tolerance;  ///< |Φ|/ρ at which to stop [-]
    double softness;   ///< α > 0 [-]
} gmc_dual_newton_options;

typedef struct gmc_dual_newton_result {
    int iterations;  ///< linear systems solved
    double residual; ///< |Φ|/ρ at the end
} gmc_dual_newton_result;

/// What a sequence of runs on one problem shares.
typedef struct gmc_dual_newton {
    gmc_dual_system system;
    gmc_dual_slope *slopes;             ///< (unit_count)
    double *y, *dy, *f, *phi, *dx, *dw; ///< (3 per unit)
    double *y_next, *x_next;            ///< (3 per unit)
} gmc_dual_newton;

/// @param room  stays in use
/// @return GMC_OK, GMC_E_NO_SOLUTION (W is not finite), GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_dual_newton_create(const gmc_dual *normal, gmc_arena *room,
                                                 gmc_dual_newton *newton);

/// Improve x.
/// @param centre  (3 per unit) of the proximal term
/// @param x       (3 per unit) in: start; out: the last iterate, also on failure
/// @param w       (3 per unit) in: W x + q; out: the same for the new x, to rounding of the steps
/// @return GMC_OK (residual <= tolerance), GMC_E_NO_SOLUTION (stopped above it, or singular)
GMC_MUST_CHECK gmc_status gmc_dual_newton_run(gmc_dual_newton *newton,
                                              const gmc_dual_newton_options *options,
                                              const double *centre, double *x, double *w,
                                              gmc_dual_newton_result *result);

/// The solver by itself: one run with next to no proximal term about the start.
/// @param normal     a normalised problem
/// @param tolerance  |x - P(x - w)| to reach [-]
/// @param x          (3 per unit) in: start; out: the last iterate
/// @param scratch    given back
/// @param result     residual: that of the problem without the proximal term
/// @return GMC_OK, GMC_E_NO_SOLUTION, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_dual_newton_solve(const gmc_dual *normal, double tolerance,
                                                int iteration_max, double *x, gmc_arena *scratch,
                                                gmc_dual_newton_result *result);

// ---- proximal point ----------------------------------------------------------------------------
// Proximal point on the impulses of a dual problem: the solver for rigid, hyperstatic contact.
//
//   x_{k+1} solves  w + α_k (x - x_k) = W x + q + α_k (x - x_k),  by Newton
//
// Each of these is regular; where x stops moving the added term is nothing and the problem is
// solved as it stands. α_k follows the residual: σ times what is left, so that the sequence is
// slow where the problem is still unknown and superlinear at its end; ten times more after a
// Newton run that failed, whose iterate is kept all the same. Of several solutions (internal
// forces of a rigid grasp are not unique) it takes one near its start.
//
// Sources: [acary2018] §4.3 for the method; the rule for α is that of the proximal solver of
// Siconos, in scaled units. Measured: 433 of the 440 problems that rungs.h names to 1e-8,
// most of them in 3 to 20 linear systems; the rest are why there are those rungs.

typedef struct gmc_dual_prox_options {
    double tolerance;  ///< |x - P(x - w)| at which to stop [-]
    int iteration_max; ///< linear systems in all
    int stage_max;     ///< linear systems in one Newton run
    int failure_max;   ///< Newton runs that may fail before the sequence is given up
    double softness;   ///< σ = α / residual [-]
} gmc_dual_prox_options;

/// 600 linear systems in runs of at most 10, σ = 0.01, no limit on failures. Between σ = 0.001 and
/// 0.1 the results hardly differ; at 10 the sequence becomes slow.
gmc_dual_prox_options gmc_dual_newton_prox_defaults(double tolerance);

typedef struct gmc_dual_prox_result {
    int stages, iterations, failures;
    double residual; ///< of x
} gmc_dual_prox_result;

/// A sequence on a Newton that is there already, so that several sequences share one factor of W.
/// @param x     (3 per unit) in: start; out: the best iterate
/// @param room  given back
/// @return GMC_OK (residual <= tolerance), GMC_E_NO_SOLUTION, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_dual_newton_prox(gmc_dual_newton *newton,
                                               const gmc_dual_prox_options *options, double *x,
                                               gmc_arena *room, gmc_dual_prox_result *result);

#endif

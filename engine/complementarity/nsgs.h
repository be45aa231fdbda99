/// Block Gauss–Seidel on the impulses, each contact solved exactly, with Anderson acceleration.
///
/// Slow on hyperstatic problems but hard to lead astray: the rung that takes over
/// where Newton's active sets cycle, and needs only to come near enough for Newton to finish.
/// Sources: [jourdan1998] for the sweep, [walker2011] for the acceleration. The exact contact is a
/// root in one unknown: top of nsgs.c.
#ifndef GMC_ENGINE_COMPLEMENTARITY_NSGS_H
#define GMC_ENGINE_COMPLEMENTARITY_NSGS_H

#include "engine/complementarity/dual.h"

typedef struct gmc_nsgs_options {
    int sweep_max;    ///< > 0
    bool accelerate;  ///< Anderson with memory 5
    double tolerance; ///< scaled residual at which to stop [-]
} gmc_nsgs_options;

typedef struct gmc_nsgs_result {
    int sweeps;
    double residual; ///< scaled residual of the iterate
} gmc_nsgs_result;

/// Sweep over a normalised problem.
/// @param x        (3 per unit) in: start; out: the last iterate, inside its cones
/// @param scratch  given back
/// @return GMC_OK (residual <= tolerance), GMC_E_NO_SOLUTION (sweeps used up, or not finite),
///         GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_nsgs_run(const gmc_dual *normal, const gmc_nsgs_options *options,
                                       double *x, gmc_arena *scratch, gmc_nsgs_result *result);

/// The same for a problem in velocities, judged by gmc_ncp_judge_scaled: builds its dual form.
/// @param iterate  in: r, s to start from (v is not read); out: the last iterate with its v
/// @param scratch  given back
/// @return GMC_OK (residual <= tolerance), GMC_E_NO_SOLUTION (sweeps used up, or M not positive
///         definite), GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_nsgs_solve(const gmc_ncp *problem, const gmc_ncp_scales *scales,
                                         const gmc_nsgs_options *options, gmc_ncp_solution *iterate,
                                         gmc_arena *scratch, gmc_nsgs_result *result);

/// One contact alone, to rounding: w = W r + q, complementary as in ncp.h. If several solutions
/// exist (strong coupling of normal and tangent) it finds one of them.
/// @param W  3 x 3 row-major, symmetric positive definite, compliance included [1/kg]
/// @param q  [m/s]
/// @param r  out [N·s]
void gmc_nsgs_contact(const double W[9], const double q[3], double friction, double r[3]);

#endif

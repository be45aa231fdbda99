/// The way a step's problem is solved: the fastest method first, slower and surer ones behind it,
/// each judged by the same residual. Which rung did it is reported, never hidden.
///
///   1  primal-dual Newton from the warm start (in a plane that of inplane.h), or another solver
///      that was asked for (solver.h)
///   2  primal Newton from the warm start's velocity
///   3  proximal point with primal-dual Newton inside
///   4  Gauss–Seidel from zero, first with Anderson acceleration, then plain with growing patience;
///      primal-dual Newton after each stage
///   5  the ladder on the dual form (dual_ladder.h): interior point, ADMM and patient proximal
///      point
///
/// Rejected for the third rung: a homotopy from 1000 R to R, even in steps of 1.1, loses the branch
/// in 0.3 % of 1e5 cold random grasps where the proximal sequence, which need not follow a branch,
/// lost none (test/property/test_ladder.c).
#ifndef GMC_ENGINE_COMPLEMENTARITY_LADDER_H
#define GMC_ENGINE_COMPLEMENTARITY_LADDER_H

#include "engine/complementarity/solver.h"

enum { GMC_LADDER_RUNGS = 5 };

typedef struct gmc_ladder_options {
    double residual_max;      ///< largest accepted scaled residual [-]
    double tolerance;         ///< what the Newton rungs aim at, below residual_max [-]
    int iteration_max;        ///< linear systems in one Newton run
    int first_rung;           ///< 1; higher ones for tests and comparison
    const gmc_solver *solver; ///< of rung 1, not polyhedral; NULL: primal-dual Newton
} gmc_ladder_options;

/// residual_max 1e-8: momentum right to eight digits. tolerance 1e-11: what one more quadratic step
/// gives for nothing, and far enough above rounding (1e-15 times a condition of 1e3) to be reached.
gmc_ladder_options gmc_ladder_defaults(void);

typedef struct gmc_ladder_report {
    int rung;        ///< that solved it, from 1; 0: none
    int iterations;  ///< linear systems and sweeps, over all rungs
    double residual; ///< of the accepted solution; of the best one if none was accepted [-]
} gmc_ladder_report;

/// @param solution  in: warm start; out: the solution, untouched unless GMC_OK
/// @param scratch   given back
/// @return GMC_OK, GMC_E_NO_SOLUTION (no rung reached residual_max), GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_ladder_solve(const gmc_ncp *problem,
                                           const gmc_ladder_options *options,
                                           gmc_ncp_solution *solution, gmc_arena *scratch,
                                           gmc_ladder_report *report);

#endif

/// The way a step's problem is solved: the fastest method first, slower and surer ones behind it,
/// each judged by the same residual. Which rung did it is reported, never hidden.
///
///   1  primal-dual Newton from the warm start (in a plane that of inplane.h), or another solver
///      that was asked for (solver.h)
///   2  primal Newton from the warm start's velocity
///   3  proximal point with primal-dual Newton inside
///   4  Gauss–Seidel from zero, first with Anderson acceleration, then plain with growing patience;
///      primal-dual Newton after each stage
///   5  the problem in impulses, by its own rungs
///
/// Those of a problem in impulses (dual.h), each started from what is known by then; the default of
/// gmc_solvers:
///
///   1  proximal point from the start, until a second of its Newton runs fails
///   2  interior point from its own start
///   3  proximal point from what the interior point found
///   4  proximal point again from where rung 1 stopped, with patience
///   5  ADMM, then proximal point
///   6  Gauss–Seidel with Anderson acceleration from zero, then proximal point
///   7  proximal point four times more, with other softness and patience
///
/// A rung that nothing reaches would go. Counted is where problems were solved:
///
///                                         1       2      3     4    5    6    7
///   velocities  1e5 random grasps, cold   96164   2259   1577
///               all of scenarios/         2.4e7   13690  5460  8    96
///   impulses    440 files                 397     18     20    5
///               the same, warm            399     19     15    6    1
///               the 96 above                      24               35   37
///
/// The scenarios made about 1e6 steps each; rungs 4 and 5 are of peg_push and pick_seen. The files,
/// solved to 1e-8, have 1 to 107 contacts: 34 are test data of Siconos and of [acary2014], 163 were
/// made with Siconos (stacks, towers, heaps, blocks that press on an object), 243 are grips of two
/// and three fingers, rigid and on springs of 1e6 N/m. To 1e-10 rung 7 solves 10 of them.
///
/// Rejected for the third rung of velocities: a homotopy from 1000 R to R, even in steps of 1.1,
/// loses the branch in 0.3 % of 1e5 cold random grasps where the proximal sequence, which need not
/// follow a branch, lost none (test/property/test_rungs.c).
#ifndef GMC_ENGINE_COMPLEMENTARITY_RUNGS_H
#define GMC_ENGINE_COMPLEMENTARITY_RUNGS_H

#include "engine/complementarity/solver.h"

enum { GMC_RUNGS_COUNT = 5, GMC_RUNGS_DUAL_COUNT = 7 };

typedef struct gmc_rungs_options {
    double residual_max;      ///< largest accepted scaled residual [-]
    double tolerance;         ///< what the Newton rungs aim at, below residual_max [-]
    int iteration_max;        ///< linear systems in one Newton run
    int first_rung;           ///< 1; higher ones for tests and comparison
    const gmc_solver *solver; ///< of rung 1, not polyhedral; NULL: primal-dual Newton
} gmc_rungs_options;

/// residual_max 1e-8: momentum right to eight digits. tolerance 1e-11: what one more quadratic step
/// gives for nothing, and far enough above rounding (1e-15 times a condition of 1e3) to be reached.
static inline gmc_rungs_options gmc_rungs_defaults(void)
{
    return (gmc_rungs_options){
        .residual_max = 1e-8, .tolerance = 1e-11, .iteration_max = 25, .first_rung = 1};
}

typedef struct gmc_rungs_report {
    int rung;        ///< that solved it, from 1; 0: none
    int iterations;  ///< linear systems and sweeps, over all rungs
    double residual; ///< of the accepted solution; of the best one if none was accepted [-]
} gmc_rungs_report;

/// @param solution  in: warm start; out: the solution, untouched unless GMC_OK
/// @param scratch   given back
/// @return GMC_OK, GMC_E_NO_SOLUTION (no rung reached residual_max), GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_rungs_solve(const gmc_ncp *problem, const gmc_rungs_options *options,
                                          gmc_ncp_solution *solution, gmc_arena *scratch,
                                          gmc_rungs_report *report);

/// Solve a normalised problem in impulses.
/// @param tolerance   |x - P(x - w)| to reach [-]
/// @param first_rung  1; higher ones for tests and comparison
/// @param x           (3 per unit) in: start; out: the best iterate, also on failure
/// @param scratch     given back
/// @param report      iterations: linear systems and sweeps, over all rungs
/// @return GMC_OK (residual <= tolerance), GMC_E_NO_SOLUTION, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_rungs_solve_dual(const gmc_dual *normal, double tolerance,
                                               int first_rung, double *x, gmc_arena *scratch,
                                               gmc_solver_report *report);

#endif

/// The solvers of dual contact problems by name, behind one call and one residual. Help, the bench
/// and the parametrised tests are derived from this table.
///
/// They differ in speed and in what they survive, and in the cones they know: lemke solves
/// pyramids, all others Coulomb's cone. The stepper `coulomb` has its own on the velocities
/// (rungs.h), with these as its first rung if asked for.
#ifndef GMC_ENGINE_COMPLEMENTARITY_SOLVER_H
#define GMC_ENGINE_COMPLEMENTARITY_SOLVER_H

#include "engine/complementarity/dual.h"

typedef struct gmc_solver_report {
    int rung;        ///< from 1; lemke: 2 if the problem had to be regularised or its
                     ///< LCP misses a tenth of the tolerance; 1 for other solvers that succeeded;
                     ///< 0: none
    int iterations;  ///< linear systems, sweeps or pivots
    double residual; ///< gmc_dual_judge_scaled of r [-]
    double regularisation; ///< lemke: share of max |M| that was added to the diagonal [-]
} gmc_solver_report;

typedef struct gmc_solver {
    const char *name;
    const char *about;  ///< one line
    bool is_polyhedral; ///< solves pyramids (facet_count > 0), and nothing else
    /// Solve a normalised problem; x in: start, out: best iterate.
    gmc_status (*run)(const gmc_dual *normal, double tolerance, double *x, gmc_arena *scratch,
                      gmc_solver_report *report);
} gmc_solver;

extern const gmc_solver gmc_rungs_solver; ///< all in turn: rungs.c
/// "lemke", of polyhedral.c: the bundle, else the LCP by pivoting from nothing.
extern const gmc_solver gmc_polyhedral_solver;

/// All of them, ended by NULL; the first is the default.
extern const gmc_solver *const gmc_solvers[];

/// By name; NULL if there is none.
const gmc_solver *gmc_solver_find(const char *name);

/// Does it know every cone of the problem?
bool gmc_solver_fits(const gmc_solver *solver, const gmc_dual *problem);

/// Solve `problem`: scale, normalise, run, scale back, judge.
/// @param problem    one that the solver fits
/// @param tolerance  scaled residual to reach [-]
/// @param r          (3 per unit) in: start; out: the best iterate found, also on failure
/// @param scratch    given back
/// @return GMC_OK (residual <= tolerance), GMC_E_NO_SOLUTION, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_solver_solve(const gmc_solver *solver, const gmc_dual *problem,
                                           double tolerance, double *r, gmc_arena *scratch,
                                           gmc_solver_report *report);

typedef struct gmc_solver_options {
    const gmc_solver *solver; ///< not polyhedral
    double tolerance;         ///< scaled residual to reach [-]
} gmc_solver_options;

/// The same for a problem in velocities, in its dual form, judged by gmc_ncp_judge_scaled.
/// @param iterate  in: r, s to start from (v is not read); out: the last iterate with its v
/// @param scratch  given back
/// @return GMC_OK (residual <= tolerance), GMC_E_NO_SOLUTION (or M not positive definite),
///         GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_solver_solve_ncp(const gmc_solver_options *options,
                                               const gmc_ncp *problem, const gmc_ncp_scales *scales,
                                               gmc_ncp_solution *iterate, gmc_arena *scratch,
                                               gmc_solver_report *report);

#endif

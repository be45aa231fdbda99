/// The default solver on the dual: the fastest method first, surer ones behind it, each started
/// from what is known by then, all judged by the same residual.
///
///   1  proximal point from the start, until a second of its Newton runs fails
///   2  interior point from its own start
///   3  proximal point from what the interior point found
///   4  proximal point again from where rung 1 stopped, with patience
///   5  ADMM, then proximal point
///   6  Gauss–Seidel with Anderson acceleration from zero, then proximal point
///   7  proximal point four times more, with other softness and patience
///
/// Measured at 1e-8 on 440 problems of 1 to 107 contacts: 397 end on rung 1, 38 on rung 2 or 3, 5
/// on rung 4. 34 of them are test data of Siconos and of [acary2014], 163 were made with Siconos
/// (stacks, towers, heaps, blocks that press on an object), 243 are grips of two and three fingers,
/// rigid and on springs of 1e6 N/m.
#ifndef GMC_ENGINE_COMPLEMENTARITY_DUAL_LADDER_H
#define GMC_ENGINE_COMPLEMENTARITY_DUAL_LADDER_H

#include "engine/complementarity/dual.h"

enum { GMC_DUAL_LADDER_RUNGS = 7 };

typedef struct gmc_dual_ladder_options {
    double tolerance; ///< |x - P(x - w)| to reach [-]
    int first_rung;   ///< 1; higher ones for tests and comparison
} gmc_dual_ladder_options;

typedef struct gmc_dual_ladder_report {
    int rung;        ///< that solved it, from 1; 0: none
    int iterations;  ///< linear systems and sweeps, over all rungs
    double residual; ///< of x
} gmc_dual_ladder_report;

/// Solve a normalised problem.
/// @param x        (3 per unit) in: start; out: the best iterate, also on failure
/// @param scratch  given back
/// @return GMC_OK (residual <= tolerance), GMC_E_NO_SOLUTION, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_dual_ladder_solve(const gmc_dual *normal,
                                                const gmc_dual_ladder_options *options, double *x,
                                                gmc_arena *scratch, gmc_dual_ladder_report *report);

#endif

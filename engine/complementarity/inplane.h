/// Newton for problems in a plane (gmc_ncp_hints) of few dofs: the primal-dual form of newton.h
/// with the same merit, tolerances and judge, where a contact has one tangent and its rows are kept
/// multiplied out.
///
///   edge   n and t1 in the plane: two rows. The law is piecewise linear there,
///          open r = 0;  stick r = -(J v + b)/R;  slip r_N as in stick, r_T = ±mu r_N
///   spot   n along z, pressed by a force that nothing changes: two tangents and a disc
///
/// What the third dimension would add is zero and is not worked out: a problem solved here costs a
/// third of what it does in newton.h, and gives the same to rounding.
#ifndef GMC_ENGINE_COMPLEMENTARITY_INPLANE_H
#define GMC_ENGINE_COMPLEMENTARITY_INPLANE_H

#include "engine/complementarity/ncp.h"
#include "engine/math/dense.h"

typedef struct gmc_inplane_options {
    int iteration_max;   ///< > 0
    double tolerance;    ///< the scaled residual at which to stop [-]
    double residual_max; ///< the largest one accepted [-]
} gmc_inplane_options;

/// What a run did.
typedef struct gmc_inplane_result {
    int iterations;  ///< linear systems solved
    double residual; ///< gmc_ncp_judge_scaled's, of the last iterate [-]; NaN if it is not finite
} gmc_inplane_result;

/// Is a problem one for gmc_inplane_solve?
static inline bool gmc_inplane_fits(const gmc_ncp *problem)
{
    return problem->hints.is_inplane && problem->dof_count <= GMC_MAT_SMALL;
}

/// @param solution  in: start; out: the solution, untouched unless GMC_OK
/// @param scratch   given back
/// @return GMC_OK, GMC_E_NO_SOLUTION (residual_max is not reached, or a singular system),
///         GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_inplane_solve(const gmc_ncp *problem,
                                            const gmc_inplane_options *options,
                                            gmc_ncp_solution *solution, gmc_arena *scratch,
                                            gmc_inplane_result *result);

#endif

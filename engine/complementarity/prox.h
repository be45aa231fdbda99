/// Proximal point on the impulses: a sequence of softer problems that all have the true solution as
/// their fixed point, each solved by Newton (newton.h).
///
///   r_{k+1} solves the problem with compliance (1 + α) R and bias b - α R r_k
///
/// At r_{k+1} = r_k the added spring carries nothing, so α may stay and the end is exact; a large α
/// makes each problem easy, a small one makes the sequence fast. α follows success: divided when
/// Newton converged and came nearer, multiplied when not. Source: [acary2018] §4.
#ifndef GMC_ENGINE_COMPLEMENTARITY_PROX_H
#define GMC_ENGINE_COMPLEMENTARITY_PROX_H

#include "engine/complementarity/ncp.h"

typedef struct gmc_prox_options {
    int stage_max;     ///< problems in the sequence
    int iteration_max; ///< linear systems for each of them
    double softening;  ///< first 1 + α [-]
    double tolerance;  ///< scaled residual at which to stop [-]
} gmc_prox_options;

typedef struct gmc_prox_result {
    int stages, iterations;
    double residual; ///< gmc_ncp_judge_scaled of the iterate
} gmc_prox_result;

/// @param iterate  in: start; out: the result of the last stage whose Newton run converged
/// @param scratch  given back
/// @return GMC_OK (residual <= tolerance), GMC_E_NO_SOLUTION, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_prox_solve(const gmc_ncp *problem, const gmc_ncp_scales *scales,
                                         const gmc_prox_options *options, gmc_ncp_solution *iterate,
                                         gmc_arena *scratch, gmc_prox_result *result);

#endif

/// Linear complementarity problems of which it is nearly known which unknowns are positive:
/// principal pivoting by blocks from a guess. One factorisation a round, where pivoting from
/// nothing takes one to two exchanges for each unknown.
///
///   solve M_BB z_B = -q_B with z = 0 outside of B;
///   what comes out with the wrong sign, z_i < 0 in B or w_i < 0 outside, changes sides
///
/// With a guess from the step before B is right at once in most steps. No convergence is promised
/// for matrices that are not P: after a few rounds the caller turns to lemke.h. Source:
/// [judice1994].
#ifndef GMC_ENGINE_PIVOTING_PRINCIPAL_H
#define GMC_ENGINE_PIVOTING_PRINCIPAL_H

#include "engine/base/arena.h"
#include "engine/pivoting/lcp.h"

#include <stdbool.h>

typedef struct gmc_principal_options {
    double residual_max; ///< largest accepted gmc_lcp_residual [-]
    int round_max;       ///< factorisations at most, > 0
} gmc_principal_options;

typedef struct gmc_principal_result {
    int rounds;      ///< factorisations
    double residual; ///< gmc_lcp_residual of z, of GMC_OK
} gmc_principal_result;

/// @param is_basic  (size) in: the guess of B; out: the last B
/// @param z         (size) out: the solution, of GMC_OK
/// @param scratch   given back
/// @return GMC_OK (residual <= residual_max), GMC_E_NO_SOLUTION, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_principal_solve(const gmc_lcp *problem,
                                              const gmc_principal_options *options, bool *is_basic,
                                              double *z, gmc_arena *scratch,
                                              gmc_principal_result *result);

#endif

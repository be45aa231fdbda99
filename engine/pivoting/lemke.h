/// Lemke's method: follow the edges of  w = M z + q + d z_0  from z_0 large to z_0 = 0. Finds a
/// solution for copositive-plus M whenever there is one, after finitely many pivots, for ties are
/// broken lexicographically. What it cannot solve ends on a ray, which is reported as such: for
/// copositive-plus M that proves that there is no solution.
///
/// Sources: [lemke1965]; [cottle1992] §4.4 for the method, §4.9 for the lexicographic rule.
/// Departs from them in refining the end: the final basis is solved again from M and q, so that
/// rounding of hundreds of pivots does not reach the result.
#ifndef GMC_ENGINE_PIVOTING_LEMKE_H
#define GMC_ENGINE_PIVOTING_LEMKE_H

#include "engine/base/arena.h"
#include "engine/pivoting/lcp.h"

typedef struct gmc_lemke_options {
    int pivot_max;   ///< > 0, for M as it stands, for each ε and each proximal step
    bool regularise; ///< after a failure retry with M + ε max|M| 1, ε = 1e-12, 1e-11 ... 1e-4;
                     ///< then by proximal steps, w = M z + q + ε max|M| (z - z'), with z' the
                     ///< best so far, ε = 1e-7 ... 1e-4
    double residual_max; ///< largest accepted gmc_lcp_residual [-]
} gmc_lemke_options;

/// 50 pivots per unknown (one to two are usual), no retry, residual 1e-8.
static inline gmc_lemke_options gmc_lemke_defaults(int size)
{
    return (gmc_lemke_options){.pivot_max = 50 * (size + 1), .residual_max = 1e-8};
}

typedef enum gmc_lemke_end {
    GMC_LEMKE_SOLVED,
    GMC_LEMKE_RAY,     ///< the edge goes on for ever
    GMC_LEMKE_PIVOTS,  ///< pivot_max reached
    GMC_LEMKE_RESIDUAL ///< a complementary basis whose residual is too large
} gmc_lemke_end;

typedef struct gmc_lemke_result {
    gmc_lemke_end end;     ///< of the last attempt
    int pivots;            ///< over all attempts
    double regularisation; ///< ε of the attempt that solved it; 0: M as it stands
    double residual;       ///< of z, judged with M as it stands [-]
} gmc_lemke_result;

/// @param z        (size) out: the solution; of a failure the best basis, clipped at zero
/// @param scratch  given back
/// @return GMC_OK, GMC_E_NO_SOLUTION (ray, or pivots used up), GMC_E_RESIDUAL, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_lemke_solve(const gmc_lcp *problem, const gmc_lemke_options *options,
                                          double *z, gmc_arena *scratch, gmc_lemke_result *result);

#endif

/// Newton's linear system (M + Σ Jᵀ G J) v = p as one dense matrix (private to newton.c). LDLᵀ
/// where nothing slides, for then it is symmetric; LU elsewhere, with pivoting only if it cannot do
/// without.
#ifndef GMC_ENGINE_COMPLEMENTARITY_NEWTON_DENSE_H
#define GMC_ENGINE_COMPLEMENTARITY_NEWTON_DENSE_H

#include "engine/complementarity/newton_group.h"
#include "engine/math/dense.h"

typedef struct gmc_newton_dense {
    const gmc_ncp *problem;
    gmc_mat H;
    double *KS, *KtS;           ///< (6 x dof_count) of one group, where something slides
    double *inverse_d, *weight; ///< (dof_count)
    double *kept;               ///< (dof_count) the right-hand side, should elimination fail
    double *H_kept;             ///< H, then, too: assembling it again would cost more
    int *last, *pivot;          ///< (dof_count)
} gmc_newton_dense;

/// Room in `scratch`. @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_newton_dense_create(const gmc_ncp *problem, gmc_arena *scratch,
                                                  gmc_newton_dense *system);

/// v := (M + Σ Jᵀ G J)⁻¹ v
/// @return GMC_OK, GMC_E_NO_SOLUTION (singular)
GMC_MUST_CHECK gmc_status gmc_newton_dense_solve(gmc_newton_dense *system,
                                                 const gmc_newton_lines *lines, double *v);

#endif

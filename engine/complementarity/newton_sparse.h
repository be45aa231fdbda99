/// Newton's linear system where bodies are many: M + Σ Jᵀ G J has a block per tree of M and one per
/// pair of trees that touch, all else is zero. Used by newton.c above GMC_NEWTON_SPARSE_MIN dofs.
///
/// Which factorisation: the pattern is symmetric always; the values are where no contact slides,
/// and then LDLᵀ (positive definite, no pivoting). A sliding contact's slope couples tangent to
/// normal but not back, hence LU, whose rows are exchanged inside a body's own block so that the
/// plan of the contact graph stays valid. Every LU solution is held against the system itself
/// (contact by contact, no matrix) and refined; KLU's free pivoting takes what neither can.
///
/// The plan (order of elimination, pattern of the factors) is kept in a gmc_newton_sparse_memory as
/// long as the graph of trees and contacts is the same. It is a pure function of that graph: with
/// and without memory, fresh or used, the bits are the same.
#ifndef GMC_ENGINE_COMPLEMENTARITY_NEWTON_SPARSE_H
#define GMC_ENGINE_COMPLEMENTARITY_NEWTON_SPARSE_H

#include "engine/complementarity/newton_group.h"

/// Up to this many dofs, or with one tree only, the system is dense.
enum { GMC_NEWTON_SPARSE_MIN = 60 };

/// Counted work since creation.
typedef struct gmc_newton_sparse_counts {
    long long plans, systems;   ///< plans made; linear systems factored
    long long refined, pivoted; ///< LU solutions that were refined; that KLU had to make
    long long flops;            ///< multiplications in the updates of factorisations
} gmc_newton_sparse_counts;

typedef struct gmc_newton_sparse_memory gmc_newton_sparse_memory;

/// Room in `arena` for the plan of a problem with up to that many diagonal blocks of M. A graph
/// that needs more than this room provides is planned anew every time.
/// @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_newton_sparse_memory_create(int block_count, gmc_arena *arena,
                                                          gmc_newton_sparse_memory **memory);

gmc_newton_sparse_counts gmc_newton_sparse_counted(const gmc_newton_sparse_memory *memory);

static inline bool gmc_newton_sparse_fits(const gmc_ncp *problem)
{
    return problem->dof_count > GMC_NEWTON_SPARSE_MIN && problem->block_count > 1;
}

typedef struct gmc_newton_sparse gmc_newton_sparse;

/// Plan for the problem's graph (all its contacts, also those that do not press) and room for its
/// matrix, in `scratch`.
/// @return GMC_OK, GMC_E_ARENA_FULL, GMC_E_LIBRARY
GMC_MUST_CHECK gmc_status gmc_newton_sparse_create(const gmc_ncp *problem, gmc_arena *scratch,
                                                   gmc_newton_sparse **system);

/// v := (M + Σ Jᵀ G J)⁻¹ v
/// @return GMC_OK, GMC_E_NO_SOLUTION (singular), GMC_E_ARENA_FULL, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_newton_sparse_solve(gmc_newton_sparse *system,
                                                  const gmc_newton_lines *lines, double *v);

#endif

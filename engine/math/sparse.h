/// Sparse systems made of dense blocks: a mechanism of many bodies, where every body brings its few
/// unknowns and couples to those it touches.
///
///   graph   nodes (groups of unknowns) and the pairs of nodes that couple
///   plan    the order of elimination (AMD) and where the factors have entries: a pure function of
///           the graph, so a kept plan gives the same bits as a new one
///   values  the matrix, then its factors in place
///
///   LDLᵀ    symmetric positive definite, no pivoting
///   LU      structurally symmetric; rows are exchanged inside a node's own block only, so that the
///           plan stays valid; gmc_sparse_klu_solve pivots freely where that is not enough
///
/// Blocks instead of the scalar columns of LDL and KLU: the inner loops are products of 6 x 6
/// blocks, and the graph that AMD orders has a node per body. All memory is the caller's arena, but
/// for gmc_sparse_klu_solve. Only user of SuiteSparse. Sources: [amestoy2004] (AMD), [davis2006] §4
/// (elimination tree, pattern of the factors), [davis2010] (KLU).
#ifndef GMC_ENGINE_MATH_SPARSE_H
#define GMC_ENGINE_MATH_SPARSE_H

#include "engine/base/arena.h"

#include <stdbool.h>

typedef struct gmc_sparse_graph {
    int node_count;
    const int *start; ///< (node_count + 1) first unknown of each node, last entry their number
    int edge_count;
    const int (*edges)[2]; ///< a < b, ascending by a, then b, each once
} gmc_sparse_graph;

/// Nodes in here are numbered by their turn in the elimination.
typedef struct gmc_sparse_plan {
    int node_count, unknown_count;
    int width_max;      ///< of a node
    int *turn;          ///< (node_count) of the graph's node
    int *first;         ///< (node_count) the caller's first unknown of each node
    int *width;         ///< (node_count) unknowns
    int *later_start;   ///< (node_count + 1)
    int *later;         ///< later nodes with an entry in the node's rows, ascending
    int *later_offset;  ///< and the column of the node's rows where each of them begins
    int *span;          ///< (node_count) columns of the node's rows: own width and all of `later`
    size_t *panel;      ///< (node_count) where its rows begin
    size_t panel_total; ///< doubles of all panels
} gmc_sparse_plan;

/// @param plan_arena  where the plan goes, gmc_sparse_plan_bytes() of its fill
/// @param scratch     for the ordering; given back
/// @return GMC_OK, GMC_E_ARENA_FULL (either), GMC_E_LIBRARY (AMD met a bad graph)
GMC_MUST_CHECK gmc_status gmc_sparse_plan_make(const gmc_sparse_graph *graph, gmc_arena *plan_arena,
                                               gmc_arena *scratch, gmc_sparse_plan *plan);

/// Bytes of a plan whose factors have `fill` coupled pairs of nodes.
size_t gmc_sparse_plan_bytes(int node_count, int fill);

/// Column in the rows of node `a` where node `b` begins; both by turn, a <= b. -1: no entry.
static inline int gmc_sparse_plan_offset(const gmc_sparse_plan *plan, int a, int b)
{
    if (a == b) return 0;
    for (int e = plan->later_start[a]; e < plan->later_start[a + 1]; e++)
        if (plan->later[e] == b) return plan->later_offset[e];
    return -1;
}

/// The matrix: per node its rows, own block first, `span` columns: `upper`. What couples the same
/// nodes below the diagonal stands transposed in the same places of `lower`; own blocks of `lower`
/// are not used. A symmetric matrix needs `upper` only.
typedef struct gmc_sparse {
    const gmc_sparse_plan *plan;
    double *upper, *lower; ///< (panel_total)
    double *inverse_d;     ///< (unknown_count) reciprocal pivots
    int *pivot;            ///< (unknown_count) row of the block that was exchanged
    int *row_of;           ///< (plan->width_max) scratch of gmc_sparse_factor
    long long *flops;      ///< NULL, or counts multiplications of factorisations
} gmc_sparse;

/// @return GMC_OK (all zero), GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_sparse_create(const gmc_sparse_plan *plan, gmc_arena *arena,
                                            gmc_sparse *matrix);

void gmc_sparse_clear(gmc_sparse *matrix);

/// LDLᵀ or LU.
/// @param weight  (unknown_count) > 0, the caller's order: pivots of a block are compared as
///                |a_ik| weight_i; NULL: the matrix is symmetric, LDLᵀ
/// @return false if a pivot is not positive or not finite, or a block has no usable one; the matrix
///         is then destroyed
bool gmc_sparse_factor(gmc_sparse *matrix, const double *weight);

/// x := A⁻¹ x with the factors of either, the caller's order of unknowns.
void gmc_sparse_solve(const gmc_sparse *matrix, double *x);

/// x := A⁻¹ x of a matrix that is not factored, with free pivoting (KLU). The library allocates
/// here, and gives all of it back: for the rare matrix that gmc_sparse_factor cannot take.
/// @return GMC_OK, GMC_E_NO_SOLUTION (singular), GMC_E_ARENA_FULL, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_sparse_klu_solve(const gmc_sparse *matrix, double *x,
                                               gmc_arena *scratch);

#endif

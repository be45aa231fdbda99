/// Motion of free bodies that rows of equality tie to each other:
///
///   Mh v - Gᵀ c = p          Mh = M + Σ a_i s_iᵀ s_i       v [m/s, rad/s], p [N·s, N·m·s]
///   G v         = e                                       c [N·s, N·m·s]
///
/// [miller2003] eq 17, with springs, dampers and rotors between bodies as soft rows s_i. A node is
/// a body with the rows that tie it to others, so that its own block is regular as long as the rows
/// are independent and no direction is left that has neither mass nor row. Blocks are eliminated in
/// an order that depends on the graph alone (sparse.h) and is kept; rows are exchanged within a
/// node. What cannot be solved so is left to free pivoting (KLU), which takes longer. M need not be
/// positive definite: a link may be without mass.
#ifndef GMC_ENGINE_MATH_SADDLE_H
#define GMC_ENGINE_MATH_SADDLE_H

#include "engine/math/sparse.h"

enum { GMC_SADDLE_WIDTH = 6, GMC_SADDLE_NODES = 4 };

/// Σ J_k v_k over the nodes that it ties; each at most once.
typedef struct gmc_saddle_row {
    int count; ///< nodes, the first ones
    int nodes[GMC_SADDLE_NODES];
    double J[GMC_SADDLE_NODES][GMC_SADDLE_WIDTH]; ///< by the dofs of each node
} gmc_saddle_row;

/// All arrays are the caller's.
typedef struct gmc_saddle_problem {
    int node_count;             ///< > 0
    const int *dof_start;       ///< (node_count + 1) up to GMC_SADDLE_WIDTH dofs each
    const int *row_start;       ///< (node_count + 1) rows of each node, which all tie it
    const double *mass;         ///< 36 per node, row-major, rows GMC_SADDLE_WIDTH apart
    const gmc_saddle_row *rows; ///< (row_start[node_count])
    int soft_count;
    const gmc_saddle_row *softs; ///< (soft_count) between nodes that rows tie, too
    const double *soft;          ///< (soft_count) a_i >= 0 [kg, kg·m²]
} gmc_saddle_problem;

/// The factors of one problem; arrays in the arena that it was made with.
typedef struct gmc_saddle {
    const gmc_saddle_problem *problem; ///< must live on
    gmc_sparse matrix;
    bool is_factored; ///< else each solve is KLU's
    double *x;        ///< (unknowns) scratch of a solve
    gmc_arena *scratch;
} gmc_saddle;

/// Order of elimination: of the problem the nodes of rows alone count.
/// @param arena  everything stays in it
/// @return GMC_OK, GMC_E_ARENA_FULL, GMC_E_LIBRARY
GMC_MUST_CHECK gmc_status gmc_saddle_plan(const gmc_saddle_problem *problem, gmc_arena *arena,
                                          gmc_sparse_plan *plan);

/// @param scratch  arrays stay in it, and it is used by solves
/// @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_saddle_factor(const gmc_saddle_problem *problem,
                                            const gmc_sparse_plan *plan, gmc_arena *scratch,
                                            gmc_saddle *saddle);

/// @param v  (dofs) in: p; out: v
/// @param c  (rows) in: e; out: c
/// @return GMC_OK, GMC_E_NO_SOLUTION (rows that say the same twice, or what has no mass is free),
///         GMC_E_ARENA_FULL, GMC_E_MEMORY; of failure both are as they were
GMC_MUST_CHECK gmc_status gmc_saddle_solve(const gmc_saddle *saddle, double *v, double *c);

#endif

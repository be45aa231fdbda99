/// Semismooth Newton on the velocities: impulses are eliminated contact by contact, so that one
/// iteration is one linear system in dof_count unknowns, however many contacts there are.
///
/// Two forms of the same iteration (rungs 1 and 2 of rungs.h):
///   primal-dual  unknowns (v, r, s), Φ_c = r_c - P(r_c - ρ_c w_c), ρ = 1/(w_c + R); momentum
///                holds exactly after one full step. The first choice, warm-started from matched
///                impulses.
///   primal       r(v) = P(-(J v + b)/R) always; F(v) = M v - p* - Jᵀ r(v)
///
/// Why not 3 unknowns per contact where there are few: the dense form on the impulses needs M⁻¹ Jᵀ
/// first, and a factorisation of M costs what that of H does. Measured at 21 to 24 dofs against
/// dual_newton.h, one thread: warm-started (one or two systems) it takes 1.2, 1.3, 1.7, 2.0 and 3.1
/// times as long for 1, 2, 3, 4 and 8 contacts; from zero, where several systems share one M⁻¹ Jᵀ,
/// 0.66, 0.67, 0.76, 0.93 and 1.4 times; with four rows always longer, since rows cost nothing
/// here. So steps take this form at any dimension; a problem that comes as W, q, mu takes the
/// smaller of its two forms by counted work (dual_system.h).
///
/// No global convergence is promised: gmc_rungs_solve (rungs.h) judges and falls back.
/// Source: [alart1991] for the projection equations; their elimination: newton_cone.h.
#ifndef GMC_ENGINE_COMPLEMENTARITY_NEWTON_H
#define GMC_ENGINE_COMPLEMENTARITY_NEWTON_H

#include "engine/complementarity/ncp.h"

typedef enum gmc_newton_form { GMC_NEWTON_PRIMAL_DUAL, GMC_NEWTON_PRIMAL } gmc_newton_form;

typedef struct gmc_newton_options {
    gmc_newton_form form;
    int iteration_max;             ///< > 0; the guess that all sticks and stays open as it did at
                                   ///< `start` comes on top
    double tolerance;              ///< the scaled residual at which to stop [-]
    const gmc_ncp_solution *start; ///< where to start, only read, other memory than the
                                   ///< iterate's; NULL: the iterate
} gmc_newton_options;

/// What one run did.
typedef struct gmc_newton_result {
    int iterations;  ///< linear systems solved
    double residual; ///< as the iteration sees it; the judge decides [-]
} gmc_newton_result;

/// Improve `iterate` in place; r leaves inside its cones, s inside its boxes. At least one
/// iteration is made: where stick and slip stay as they are it is the exact solution, to rounding.
/// @param iterate  in: start; out: the last iterate, also on failure
/// @param scratch  given back
/// @return GMC_OK (residual <= tolerance), GMC_E_NO_SOLUTION (stopped above it, or a singular
///         system), GMC_E_ARENA_FULL, GMC_E_MEMORY (KLU), GMC_E_LIBRARY (AMD)
GMC_MUST_CHECK gmc_status gmc_newton_solve(const gmc_ncp *problem, const gmc_ncp_scales *scales,
                                           const gmc_newton_options *options,
                                           gmc_ncp_solution *iterate, gmc_arena *scratch,
                                           gmc_newton_result *result);

// ---- where bodies are many ---------------------------------------------------------------------

/// Up to this many dofs, or with one tree only, the system is dense.
enum { GMC_NEWTON_SPARSE_MIN = 60 };

static inline bool gmc_newton_sparse_fits(const gmc_ncp *problem)
{
    return problem->dof_count > GMC_NEWTON_SPARSE_MIN && problem->block_count > 1;
}

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

#endif

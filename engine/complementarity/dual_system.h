/// The linear system that Newton, interior point and ADMM meet on the dual: per unit c
///
///   A_c x_c + B_c (W x)_c = -f_c                A_c regular, B_c anything, 3 x 3
///
/// solved in one of two forms, whichever promises less work for the whole problem:
///
///   direct    K = A + B W over the units with B ≠ 0, dense, 3 unknowns each
///   factored  W ≈ L Lᵀ (dual_factor.h) turns it into one unknown per column of L,
///             (1 + Lᵀ A⁻¹ B L) v = -Lᵀ A⁻¹ f,   x = -A⁻¹ (f + B L v)
///
/// The factored form is the Newton system in generalised velocities of newton.h again, with a
/// mechanism that only W knows of.
#ifndef GMC_ENGINE_COMPLEMENTARITY_DUAL_SYSTEM_H
#define GMC_ENGINE_COMPLEMENTARITY_DUAL_SYSTEM_H

#include "engine/complementarity/dual_factor.h"
#include "engine/math/dense.h"

typedef enum gmc_dual_slope_kind {
    GMC_DUAL_SLOPE_FIXED,     ///< A = 1, B = 0
    GMC_DUAL_SLOPE_PLAIN,     ///< A symmetric positive definite, B = 1
    GMC_DUAL_SLOPE_SYMMETRIC, ///< A⁻¹ B symmetric and positive semidefinite
    GMC_DUAL_SLOPE_GENERAL,
} gmc_dual_slope_kind;

/// One unit's share of the system. Row-major; `inverse` is A⁻¹, which who writes A knows best.
typedef struct gmc_dual_slope {
    gmc_dual_slope_kind kind;
    double A[9], B[9], inverse[9];
} gmc_dual_slope;

typedef struct gmc_dual_system {
    const gmc_dual *normal;
    bool is_factored;
    gmc_dual_factor factor; ///< if is_factored
    gmc_mat H;              ///< the matrix, then its factors
    bool is_symmetric;      ///< H was factored as LDLᵀ, else as LU
    int *place;             ///< (unit_count) first unknown of a unit in K, -1: fixed
    double *G;              ///< (9 per unit) A⁻¹ B
    double *block;          ///< one group of units with the same columns
    double *product;        ///< (3 x stride) rows of G L
    double *rhs, *inverse_d, *weight;
    int *last, *pivot;
} gmc_dual_system;

/// Choose the form, factor W if it helps.
/// @param room  the system stays in it
/// @return GMC_OK, GMC_E_NO_SOLUTION (W is not finite), GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_dual_system_create(const gmc_dual *normal, gmc_arena *room,
                                                 gmc_dual_system *system);

/// Factor the matrix that belongs to `slopes`.
/// @return false if it is singular to working precision or not finite
bool gmc_dual_system_factor(gmc_dual_system *system, const gmc_dual_slope *slopes);

/// Solve with the factors at hand.
/// @param slopes  those of the factorisation
/// @param f       (3 per unit)
/// @param x       (3 per unit) out
/// @param Wx      (3 per unit) out: W x
void gmc_dual_system_solve(gmc_dual_system *system, const gmc_dual_slope *slopes, const double *f,
                           double *x, double *Wx);

#endif

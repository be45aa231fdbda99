/// The linear system that Newton, interior point and ADMM meet on the dual: per unit c
///
///   A_c x_c + B_c (W x)_c = -f_c                A_c regular, B_c anything, 3 x 3
///
/// solved in one of two forms, whichever promises less work for the whole problem:
///
///   direct    K = A + B W over the units with B ≠ 0, dense, 3 unknowns each
///   factored  W ≈ L Lᵀ (below) turns it into one unknown per column of L,
///             (1 + Lᵀ A⁻¹ B L) v = -Lᵀ A⁻¹ f,   x = -A⁻¹ (f + B L v)
///
/// The factored form is the Newton system in generalised velocities of newton.h again, with a
/// mechanism that only W knows of.
#ifndef GMC_ENGINE_COMPLEMENTARITY_DUAL_SYSTEM_H
#define GMC_ENGINE_COMPLEMENTARITY_DUAL_SYSTEM_H
#include "engine/complementarity/dual.h"
#include "engine/math/dense.h"

// ---- factors of W ------------------------------------------------------------------------------
// W ≈ L Lᵀ with as many columns as W has rank: what turns a dual problem back into a small primal
// one. Grasps and stacks of rigid bodies are hyperstatic: 54 contacts of a tower hold 8 bodies, so
// that W is 162 x 162 and L has 48 columns, most of them zero in any one contact.
//
// L is stored like a Jacobian: unit c has entries in a few columns, three values each. Pivots are
// taken unit by unit in an order of small fill (minimum degree, [tinney1967]), inside a unit the
// largest first; a pivot that is nothing but rounding is left out.

typedef struct gmc_dual_factor {
    int rank;
    int *first;   ///< (unit_count + 1) where the columns of each unit start
    int *columns; ///< (first[unit_count]) ascending within a unit
    double *L;    ///< 3 values per entry of columns
} gmc_dual_factor;

/// Factor a normalised problem's W.
/// @param room  the factor stays in it; grows with the square of unit_count: 0.5 MiB at 50 units
/// @return GMC_OK, GMC_E_NO_SOLUTION (W is not finite), GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_dual_factor_create(const gmc_dual *normal, gmc_arena *room,
                                                 gmc_dual_factor *factor);

/// The order in which pivots are taken, whose elimination fills little: minimum degree on the graph
/// of blocks [tinney1967], ties broken by the lower index, so that a full W keeps its order.
/// @param order    (unit_count) out: which unit comes k-th
/// @param scratch  given back
/// @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_dual_factor_order(const gmc_dual *problem, int *order,
                                                gmc_arena *scratch);

/// v = Lᵀ r. (rank) out.
void gmc_dual_factor_gather(const gmc_dual_factor *factor, int unit_count, const double *r,
                            double *v);

/// u_c = L_c v of one unit.
static inline void gmc_dual_factor_spread(const gmc_dual_factor *factor, int unit, const double *v,
                                          double u[3])
{
    const double *L = factor->L + 3 * (size_t)factor->first[unit];
    double u0 = 0, u1 = 0, u2 = 0;
    for (int k = factor->first[unit]; k < factor->first[unit + 1]; k++, L += 3) {
        double x = v[factor->columns[k]];
        u0 += L[0] * x;
        u1 += L[1] * x;
        u2 += L[2] * x;
    }
    u[0] = u0;
    u[1] = u1;
    u[2] = u2;
}

// ---- the system --------------------------------------------------------------------------------

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

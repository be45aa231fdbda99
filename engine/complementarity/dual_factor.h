/// W ≈ L Lᵀ with as many columns as W has rank: what turns a dual problem back into a small primal
/// one. Grasps and stacks of rigid bodies are hyperstatic: 54 contacts of a tower hold 8 bodies, so
/// that W is 162 x 162 and L has 48 columns, most of them zero in any one contact.
///
/// L is stored like a Jacobian: unit c has entries in a few columns, three values each. Pivots are
/// taken unit by unit in an order of small fill (minimum degree, [tinney1967]), inside a unit the
/// largest first; a pivot that is nothing but rounding is left out.
#ifndef GMC_ENGINE_COMPLEMENTARITY_DUAL_FACTOR_H
#define GMC_ENGINE_COMPLEMENTARITY_DUAL_FACTOR_H

#include "engine/complementarity/dual.h"

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

#endif

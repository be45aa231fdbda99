/// From a problem in velocities (ncp.h) to the same one in impulses (dual.h) and back:
///
///   W = J M⁻¹ Jᵀ + R,   q = J v* + b,   v = v* + M⁻¹ Jᵀ r,   v* = M⁻¹ p*
///
/// Units are the contacts, in their order, then the rows by threes; a last unit that is not full is
/// filled with components that may not move anything. R = 0 is welcome here: rigid contact.
#ifndef GMC_ENGINE_COMPLEMENTARITY_DUAL_NCP_H
#define GMC_ENGINE_COMPLEMENTARITY_DUAL_NCP_H

#include "engine/complementarity/dual.h"

typedef struct gmc_dual_ncp {
    gmc_dual dual;
    const gmc_ncp *problem;
    double *v_free;   ///< (dof_count) v*
    double *J;        ///< (3 * contact_count * dof_count) of the contacts, by their columns
    int *group_of;    ///< (contact_count)
    double *response; ///< (3 * unit_count x dof_count) rows of (M⁻¹ Jᵀ)ᵀ
} gmc_dual_ncp;

/// Write `problem` as a dual one.
/// @param room  everything stays in it. `problem` must live on
/// @return GMC_OK, GMC_E_NO_SOLUTION (M is not positive definite), GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_dual_ncp_create(const gmc_ncp *problem, gmc_arena *room,
                                              gmc_dual_ncp *pair);

static inline int gmc_dual_ncp_units(int contact_count, int row_count)
{
    return contact_count + (row_count + 2) / 3;
}

/// Impulses of `solution` as one vector of 3 per unit, and back (with v, which r decides).
void gmc_dual_ncp_gather(const gmc_dual_ncp *pair, const gmc_ncp_solution *solution, double *r);
void gmc_dual_ncp_spread(const gmc_dual_ncp *pair, const double *r, gmc_ncp_solution *solution);

/// A problem in velocities in the units that solvers work in.
typedef struct gmc_dual_ncp_normal {
    gmc_dual_ncp pair;
    gmc_dual_scales scales;
    gmc_dual normal;
    double *x; ///< (3 per unit) normalised impulses, for the solver to improve
    double *r; ///< (3 per unit) scratch
} gmc_dual_ncp_normal;

/// Write `problem` down, with the impulses of `start` in x.
/// @param room  everything stays in it
/// @return GMC_OK, GMC_E_NO_SOLUTION (M is not positive definite), GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_dual_ncp_normal_create(const gmc_ncp *problem,
                                                     const gmc_ncp_solution *start, gmc_arena *room,
                                                     gmc_dual_ncp_normal *made);

/// x as velocities and impulses of the problem, and what its judge says of them.
double gmc_dual_ncp_normal_judge(const gmc_dual_ncp_normal *made, const gmc_ncp_scales *scales,
                                 gmc_ncp_solution *iterate);

#endif

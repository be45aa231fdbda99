/// A dual contact problem whose cones are pyramids, as an LCP for lemke.h. Per contact, with the m
/// corners d_k of its polygon:
///
///   0 <= r_N ⊥ w_N >= 0                            no penetration
///   0 <= β_k ⊥ d_k · w_T + λ >= 0                  maximal dissipation,  r_T = Σ β_k d_k
///   0 <= λ   ⊥ mu r_N - Σ β_k >= 0                 friction pyramid
///
/// A mode for fidelity to papers that do the same. Sources: [stewart1996], [anitescu1997].
///
/// Boxes: r = lower + a with 0 <= a; r = upper - a; both bounds add a second multiplier; a row
/// without bounds is a difference of two.
#ifndef GMC_ENGINE_COMPLEMENTARITY_POLYHEDRAL_H
#define GMC_ENGINE_COMPLEMENTARITY_POLYHEDRAL_H
#include "engine/complementarity/dual.h"
#include "engine/pivoting/lcp.h"
#include "engine/pivoting/lemke.h"

/// Unknowns of the LCP.
int gmc_polyhedral_size(const gmc_dual *problem);

/// Write it down. Take a normalised problem, so that all entries are of order 1.
/// @param problem  every contact of it with facet_count >= 2, even
/// @param room  the LCP stays in it
/// @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_polyhedral_lcp(const gmc_dual *problem, gmc_arena *room,
                                             gmc_lcp *lcp);

/// Impulses of a solution. (3 * unit_count) out.
void gmc_polyhedral_impulses(const gmc_dual *problem, const double *z, double *r);

/// Pyramids whose normal impulse is known, by the dozen (polyhedral.c). Where it takes too long the
/// whole LCP is there.
/// @param normal        a normalised problem, all contacts of it pyramids
/// @param residual_max  gmc_dual_defect to reach [-]
/// @param x             (3 per unit) in: start; out: the solution, of GMC_OK; else untouched
/// @param scratch       given back
/// @param result        pivots of all small problems, the largest ε of them, gmc_dual_defect of x
/// @return GMC_OK; GMC_E_NO_SOLUTION (fewer than 8 contacts of known normal impulse, or it did not
///         get there); GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_polyhedral_bundle(const gmc_dual *normal, double residual_max,
                                                double *x, gmc_arena *scratch,
                                                gmc_lemke_result *result);

#endif

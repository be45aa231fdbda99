/// Friction pyramids whose normal impulse is known, by the dozen: what a body stands on in the
/// plane. An LCP has ten unknowns of each, and pivoting goes through all of them. But what they do
/// together is friction of one body, and few of their corners are needed to say it.
///
/// Known contacts that feel each other are a group. Its friction is one convex set F: of every
/// contact a point of its polygon, of radius ρ_c = mu r_N. The law of all its contacts together is
///
///   r_T = Σ a_k g_k,   0 <= a_k ⊥ g_k · w_T + λ >= 0,   0 <= λ ⊥ R - Σ a_k >= 0,   R = Σ ρ_c
///
/// over all points R g_k of F, or all its vertices. A small LCP has those that are known so far and
/// everything else as it is; where its solution slides, the farthest vertex against the slip (of
/// every contact its best corner) comes in. When that one is there already, or nothing is left to
/// gain, every contact has its best corners, and the solution is that of the whole LCP: no residual
/// is left but rounding. Each vertex comes in once, so it ends; where it takes too long the caller
/// turns to the whole LCP.
///
/// Sources: [kelley1960] for cuts where a convex function was evaluated; [stewart1996] for the law.
#ifndef GMC_ENGINE_COMPLEMENTARITY_BUNDLE_H
#define GMC_ENGINE_COMPLEMENTARITY_BUNDLE_H

#include "engine/complementarity/dual.h"
#include "engine/pivoting/lemke.h"

/// @param normal        a normalised problem, all contacts of it pyramids
/// @param residual_max  gmc_dual_defect to reach [-]
/// @param x             (3 per unit) in: start; out: the solution, of GMC_OK; else untouched
/// @param scratch       given back
/// @param result        pivots of all small problems, the largest ε of them, gmc_dual_defect of x
/// @return GMC_OK; GMC_E_NO_SOLUTION (fewer than 8 contacts of known normal impulse, or it did not
///         get there); GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_bundle_solve(const gmc_dual *normal, double residual_max, double *x,
                                           gmc_arena *scratch, gmc_lemke_result *result);

#endif

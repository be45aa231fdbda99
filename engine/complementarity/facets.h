/// Contacts with friction pyramids, and rows in boxes, from impulses that are nearly right: which
/// facet each impulse lies on is guessed, the linear system of that guess is solved, and facets
/// that its solution contradicts change, until none does.
///
///   w = J v + b + R r,   M v = p + Jᵀ r              r [N·s, N·m·s], v and w [m/s, rad/s]
///   0 <= r_N ⊥ w_N >= 0,   r_T in the polygon of radius mu r_N (pyramid.h), of its points the one
///   of least r_T · w_T;   lower <= s <= upper ⊥ w of rows in a box
///
/// It is the semismooth Newton method on r = P(r - w/weight), whose pieces are linear: with the
/// right facets one step is exact. The system is one of velocities, n dofs wide however many
/// contacts there are: M + Σ Sᵀ T/ρ with the directions S of free impulses, T in which they hold.
/// Tangents have no compliance of their own and get a small one, counted from the impulses so far
/// (a proximal step), so that contacts that hold the same twice do no harm: of all solutions it
/// finds the one nearest to its start.
///
/// No convergence is promised: where facets go on changing, polyhedral.h is there. Source:
/// [judice1994] for pivoting by blocks, [acary2018] §4 for the projection.
#ifndef GMC_ENGINE_COMPLEMENTARITY_FACETS_H
#define GMC_ENGINE_COMPLEMENTARITY_FACETS_H

#include "engine/complementarity/dual.h"
#include "engine/math/dense.h"

/// A problem and what does not change while its tangents turn about the normals; arrays in the
/// arena that it was made with.
typedef struct gmc_facets {
    const gmc_ncp *problem;     ///< of rows alone, three for each unit of `units`, then the boxes
    const gmc_dual_unit *units; ///< (unit_count) pyramids
    int unit_count;
    int *block_of;           ///< (dof_count)
    struct gmc_mat *factors; ///< (block_count) of M
    double *inverse_d;       ///< (dof_count)
    int *last;               ///< (dof_count)
    double *weight; ///< (row_count) trace(W_cc)/3 of a contact, W_ii of a box [1/kg]; dual.h
    double size; ///< of the problem, > 0 [√J]: that of dual.h, and a millionth of the energy of
                 ///< the motion without impulses, which is what rounding goes by
    double *corners;      ///< (facet_count + 1, 2) of radius 1, the first again at the end
    double apothem, half; ///< of an edge: its distance from the middle, half its length
} gmc_facets;

typedef struct gmc_facets_result {
    int systems;     ///< linear systems solved
    double residual; ///< gmc_dual_judge_scaled of r, by this size [-]
} gmc_facets_result;

/// @param room  all arrays stay in it. `problem` and `units` must live on
/// @return GMC_OK, GMC_E_NO_SOLUTION (M is not positive definite), GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_facets_create(const gmc_ncp *problem, const gmc_dual_unit *units,
                                            int unit_count, gmc_arena *room, gmc_facets *facets);

/// The motion that impulses make, and what contacts and rows see of it.
/// @param r  (row_count)
/// @param v  (dof_count) out: M⁻¹ (p + Jᵀ r)
/// @param w  (row_count) out: J v + b + R r
void gmc_facets_answer(const gmc_facets *facets, const double *r, double *v, double *w);

/// Impulses, and what gmc_facets_answer makes of them.
typedef struct gmc_facets_solution {
    double *r; ///< (row_count) in: start; out: the solution, of GMC_OK; else untouched
    double *v; ///< (dof_count) out, of GMC_OK
    double *w; ///< (row_count) out, of GMC_OK
} gmc_facets_solution;

/// @param tolerance  residual to reach [-]
/// @param scratch    given back
/// @return GMC_OK, GMC_E_NO_SOLUTION, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_facets_solve(const gmc_facets *facets, double tolerance,
                                           const gmc_facets_solution *solution, gmc_arena *scratch,
                                           gmc_facets_result *result);

#endif

/// The contact problem with the velocities eliminated: what remains are the impulses and how they
/// answer each other. Rigid contact has no other form; every solver on the dual takes this type,
/// and one residual judges all of them.
///
///   w = W r + q                  W symmetric, positive semidefinite; compliance on its diagonal
///   contact   0 <= r_N ⊥ w_N >= 0,  |r_T| <= mu r_N,  r_T · w_T = -mu r_N |w_T|
///   pyramid   the same with r_T in a polygon, of all its points the one of least r_T · w_T
///   box       lower <= r_i <= upper:  w_i = 0 between the bounds, >= 0 at lower, <= 0 at upper
///
/// Components come in units of three with one law: a contact (N, T1, T2), its cone Coulomb's or a
/// pyramid, or three rows with a box each. r [N·s, N·m·s], w and q [m/s, rad/s],
/// W [1/kg, 1/(kg·m²)]. A contact of ncp.h is the same with W = J M⁻¹ Jᵀ + R and q = J v* + b;
/// gmc_dual_ncp_create (dual_ncp.h) writes it down.
///
/// W is stored by 3 x 3 blocks, row by row, zero blocks left out. Source: [acary2018] §2.
#ifndef GMC_ENGINE_COMPLEMENTARITY_DUAL_H
#define GMC_ENGINE_COMPLEMENTARITY_DUAL_H

#include "engine/complementarity/ncp.h"
#include "engine/complementarity/pyramid.h"

#include <stdbool.h>

/// The law of three components.
typedef struct gmc_dual_unit {
    bool is_box;
    int facet_count;           ///< contact: 0: the exact cone; >= 2, even: a pyramid (pyramid.h)
    double friction;           ///< contact: mu >= 0
    double lower[3], upper[3]; ///< box: lower <= upper, infinite ones allowed
} gmc_dual_unit;

/// All arrays are the caller's and are only read.
typedef struct gmc_dual {
    int unit_count;
    const gmc_dual_unit *units;
    const int *start; ///< (unit_count + 1) first block of each row of blocks
    const int *other; ///< (start[unit_count]) the unit each block multiplies, ascending in a row,
                      ///< its own among them
    const double *W;  ///< 9 per block, row-major
    const double *q;  ///< 3 per unit
} gmc_dual;

/// What makes numbers of different units comparable; belongs to one problem.
typedef struct gmc_dual_scales {
    double *weight; ///< (3 * unit_count) w_c = trace(W_cc)/3 of a contact, W_ii of a box [1/kg]
    double size;    ///< of the problem, > 0 [√J]
} gmc_dual_scales;

/// Work out the scales of a problem in `arena`. A component that nothing can move has weight 1.
/// The size is √( Σ_c (min(0, q_N)² + |q_T|²)/w_c + Σ_i s_i² W_ii ): the root energy that the
/// impulses have to answer, with s_i what a box would take if it stood alone.
/// @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_dual_scale(const gmc_dual *problem, gmc_arena *arena,
                                         gmc_dual_scales *scales);

/// w = W r + q. (3 * unit_count) out.
void gmc_dual_answer(const gmc_dual *problem, const double *r, double *w);

/// p = P(y): what the law of one unit makes of a trial impulse. y and p may be the same.
static inline void gmc_dual_project(const gmc_dual_unit *unit, const double y[3], double p[3])
{
    if (!unit->is_box && unit->facet_count == 0) {
        gmc_ncp_project(y, unit->friction, p);
        return;
    }
    if (!unit->is_box) {
        double r_n = y[0] > 0 ? y[0] : 0;
        gmc_pyramid_project(y + 1, unit->friction * r_n, unit->facet_count, p + 1);
        p[0] = r_n;
        return;
    }
    for (int i = 0; i < 3; i++)
        p[i] = gmc_ncp_clamp(y[i], unit->lower[i], unit->upper[i]);
}

/// The residual, from nothing but the problem and the numbers:
///
///   scaled = √( Σ |Φ|² w ) / size,   Φ = r - P(r - (W r + q)/w)
///
/// with w the weights: that of ncp.h where the momentum balance holds and R is part of W.
/// @param w  (3 * unit_count) scratch; out: W r + q
double gmc_dual_judge_scaled(const gmc_dual *problem, const gmc_dual_scales *scales,
                             const double *r, double *w);

/// The same problem in units of its own: every weight and the size become 1. With x = r √w / size,
///
///   W' = W / √(w_i w_j),   q' = q / (√w size),   bounds' = bounds √w / size
///
/// so that its scaled residual is |x - P(x - (W' x + q'))|. Solvers work on this form.
/// @param normal  out: its arrays live in `arena`; start and other are shared with `problem`
/// @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_dual_normalise(const gmc_dual *problem, const gmc_dual_scales *scales,
                                             gmc_arena *arena, gmc_dual *normal);

/// |x - P(x - w)| of a normalised problem whose w is at hand.
double gmc_dual_defect(const gmc_dual *normal, const double *x, const double *w);

#endif

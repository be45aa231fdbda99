/// Newton's linear system (M + Σ Jᵀ G J) v = p, private to newton.c and its tests.
#ifndef GMC_ENGINE_COMPLEMENTARITY_NEWTON_INTERNAL_H
#define GMC_ENGINE_COMPLEMENTARITY_NEWTON_INTERNAL_H

#include "engine/complementarity/newton.h"
#include "engine/complementarity/newton_cone.h"
#include "engine/math/dense.h"

// ---- what the contacts of a group add ----------------------------------------------------------
// K = Σ J_cᵀ G J_c over the six components of the group's motion, and the products with S that
// bring it to the dofs.
//
// With J_c = D (1, -[a]), [a]x = a x x, and k = Dᵀ G D:   K = (k, -k[a]; [a]k, -[a]k[a])
//
// Where a contact sticks and D is a rotation, k = g_T 1 + (g_N - g_T) n nᵀ. The first part is a
// sum of moments of the arms (Σ g_T, Σ g_T a, Σ g_T a aᵀ), the second of j jᵀ with j = (n, a x n).

typedef struct gmc_newton_stiffness {
    double K[36];    ///< (6 x 6)
    bool is_pressed; ///< else K is not written: all contacts are open
} gmc_newton_stiffness;

/// The laws of a problem, linearised: what contacts and rows add to the system.
typedef struct gmc_newton_lines {
    const gmc_newton_stiffness *stiffnesses; ///< (group_count)
    const gmc_newton_cone *cones;            ///< (contact_count)
    const gmc_newton_clamp *clamps;          ///< (row_count)
    const double *weight;                    ///< (dof_count) 1 / M_ii
    bool is_symmetric;                       ///< nothing slides
} gmc_newton_lines;

/// Sum of the slopes of a group's contacts.
void gmc_newton_group_sum(const gmc_ncp_group *group, const gmc_ncp_contact *contacts,
                          const gmc_newton_cone *cones, gmc_newton_stiffness *stiffness);

/// T := K S of the general columns, 6 values each; Kᵀ S if `is_transposed`.
void gmc_newton_group_multiply(const gmc_ncp_group *group, const double K[36], bool is_transposed,
                               double *T);

static inline double gmc_newton_group_dot(const double *S, const double *T)
{
    return (S[0] * T[0] + S[1] * T[1]) + (S[2] * T[2] + S[3] * T[3]) + (S[4] * T[4] + S[5] * T[5]);
}

/// Six entries in pairs, which compilers turn into vector code.
static inline void gmc_newton_group_add_six(const double *restrict from, double factor,
                                            double *restrict to)
{
    for (int i = 0; i < 6; i += 2) {
        to[i] += factor * from[i];
        to[i + 1] += factor * from[i + 1];
    }
}

// ---- where dofs are few ------------------------------------------------------------------------
// One dense matrix. LDLᵀ where nothing slides, for then it is symmetric; LU elsewhere, with
// pivoting only if it cannot do without.

typedef struct gmc_newton_dense {
    const gmc_ncp *problem;
    gmc_mat H;
    double *KS, *KtS;           ///< (6 x dof_count) of one group, where something slides
    double *inverse_d, *weight; ///< (dof_count)
    double *kept;               ///< (dof_count) the right-hand side, should elimination fail
    double *H_kept;             ///< H, then, too: assembling it again would cost more
    int *last, *pivot;          ///< (dof_count)
} gmc_newton_dense;

/// Room in `scratch`. @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_newton_dense_create(const gmc_ncp *problem, gmc_arena *scratch,
                                                  gmc_newton_dense *system);

/// v := (M + Σ Jᵀ G J)⁻¹ v
/// @return GMC_OK, GMC_E_NO_SOLUTION (singular)
GMC_MUST_CHECK gmc_status gmc_newton_dense_solve(gmc_newton_dense *system,
                                                 const gmc_newton_lines *lines, double *v);

#endif

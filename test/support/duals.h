/// Dual contact problems for tests, drawn or made by hand, with their memory.
#ifndef GMC_TEST_SUPPORT_DUALS_H
#define GMC_TEST_SUPPORT_DUALS_H

#include "engine/complementarity/dual.h"
#include "test/support/chance.h"

enum { GMC_DUALS_UNITS = 16, GMC_DUALS_SIZE = 3 * GMC_DUALS_UNITS };

/// A problem and where its arrays are. Do not copy without gmc_duals_bind.
typedef struct gmc_duals {
    gmc_dual dual;
    gmc_dual_unit units[GMC_DUALS_UNITS];
    int start[GMC_DUALS_UNITS + 1], other[GMC_DUALS_UNITS * GMC_DUALS_UNITS];
    double W[9 * GMC_DUALS_UNITS * GMC_DUALS_UNITS];
    double dense[GMC_DUALS_SIZE * GMC_DUALS_SIZE]; ///< W as (3 n x 3 n), row-major
    double q[GMC_DUALS_SIZE];
} gmc_duals;

/// Blocks from `dense`, zero ones left out but on the diagonal; pointers to the struct's memory.
void gmc_duals_bind(gmc_duals *problem, int unit_count);

/// Contacts on a mechanism of `dof_count` velocities: W = J Jᵀ + softness 1, q = J v*. Without
/// softness the contacts are rigid, hyperstatic where 3 unit_count > dof_count. One velocity of
/// each group parts its contacts at once, so that a solution exists whatever the friction
/// [acary2018].
/// @param group_count  groups of contacts that share no velocity; 1: W is full
void gmc_duals_draw(gmc_chance *chance, int unit_count, int dof_count, int group_count,
                    double softness, double friction_max, gmc_duals *problem);

/// A block of mass m [kg] on one contact, pushed in the plane: W = 1/m, q = (-n, t1, t2) [m/s].
void gmc_duals_block(double mass, double friction, double n, double t1, double t2,
                     gmc_duals *problem);

/// |x - P(x - w)| of a normalised problem, w = W x + q worked out for it.
double gmc_duals_defect(const gmc_dual *normal, const double *x);

#endif

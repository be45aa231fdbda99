/// Mass matrix by composite rigid bodies. Source: [featherstone2008] ch. 6.
#ifndef GMC_ENGINE_DYNAMICS_CRBA_H
#define GMC_ENGINE_DYNAMICS_CRBA_H

#include "engine/dynamics/kinematics.h"

/// M(q) of the free velocities, row-major (free_count x free_count), symmetric, all entries filled;
/// armature on the diagonal. Isolated bodies: their 6 x 6 block diag(m 1, I_w) alone.
/// @param scratch  what it takes grows with the number of bodies; reset by the caller
GMC_MUST_CHECK gmc_status gmc_crba(const gmc_model *model, const gmc_kinematics *kin, double *M,
                                   gmc_arena *scratch);

/// What of M never changes, in the first of two steps that make M together: axes that only slide,
/// armature, masses of isolated bodies. Without what is zero: rows of `width`, entry (i, j) at
/// M[i * width + j - first[i]].
/// @param first  (free_count) first dof of the tree, or group of trees, that the dof belongs to;
///               NULL: 0 for all, width is free_count then
/// @param width  dofs of the largest of them
/// @param M      (free_count x width) out
void gmc_crba_steady(const gmc_model *model, const gmc_kinematics *kin, const int *first, int width,
                     double *M);

/// The rest, added to M.
/// @param scratch  what it takes grows with the number of bodies; reset by the caller
GMC_MUST_CHECK gmc_status gmc_crba_turning(const gmc_model *model, const gmc_kinematics *kin,
                                           const int *first, int width, double *M,
                                           gmc_arena *scratch);

#endif

/// How far a Newton run is from a solution, along its step (private to newton*.c): the square of
/// the scaled residual times the problem's size, as ncp.h has it.
#ifndef GMC_ENGINE_COMPLEMENTARITY_NEWTON_MERIT_H
#define GMC_ENGINE_COMPLEMENTARITY_NEWTON_MERIT_H

#include "engine/complementarity/newton.h"
#include "engine/complementarity/newton_dense.h"
#include "engine/complementarity/newton_sparse.h"

/// A merit that was not yet asked for.
#define GMC_NEWTON_UNKNOWN (-1.0)

/// One run of newton.c.
typedef struct gmc_newton_run {
    const gmc_ncp *problem;
    const gmc_ncp_scales *scales;
    gmc_newton_form form;
    gmc_newton_cone *cones;
    gmc_newton_clamp *clamps;
    gmc_newton_stiffness *stiffnesses; ///< (group_count)
    const double *v;                   ///< (dof_count) now: the start's until it moves
    double *v_out, *v_next;            ///< (dof_count) the iterate's, after a full step
    double *g, *moved;       ///< (dof_count) scratch: defect of momentum, a part of the way
    double *r_flat, *s_flat; ///< impulses in the problem's layout
    double momentum_merit;   ///< of (v, r, s), or GMC_NEWTON_UNKNOWN
    bool is_projected;       ///< the p of cones and clamps belong to the last iterate
    gmc_status status;       ///< of the last linear system
    gmc_newton_dense dense;
    gmc_newton_sparse *sparse; ///< NULL: dense
} gmc_newton_run;

/// u and r at the part t of the step.
static inline void gmc_newton_cone_at(const gmc_newton_cone *c, double t, double u[3], double r[3])
{
    for (int k = 0; k < 3; k++) {
        u[k] = gmc_newton_part(c->u[k], c->u_next[k], t);
        r[k] = gmc_newton_part(c->r[k], c->r_next[k], t);
    }
}

/// Merit after the full step, whose velocities and impulses are worked out here. That of momentum
/// is zero; zero times what is not finite is not.
double gmc_newton_merit_full(gmc_newton_run *run);

/// Merit at the part t of the step, t < 1.
double gmc_newton_merit_part(gmc_newton_run *run, double t);

/// That of the primal form, 0 <= t <= 1: impulses of the law at the velocities u + t (u_next - u)
/// alone, and their defect of momentum.
double gmc_newton_merit_primal(gmc_newton_run *run, double t);

#endif

/// What is wrong with a solution, in units of physics, beside the scaled residual that solvers are
/// judged by.
#ifndef GMC_TEST_SUPPORT_JUDGE_H
#define GMC_TEST_SUPPORT_JUDGE_H

#include "engine/complementarity/dual.h"

typedef struct gmc_judgement {
    double scaled;      ///< gmc_ncp_judge_scaled, gmc_dual_judge_scaled [-]; NaN if anything is not
                        ///< finite
    double momentum;    ///< largest defect of the momentum balance [N·s, N·m·s]; dual: 0
    double penetration; ///< largest approach that no impulse answers, max(0, -w_N) [m/s]
    double cone;        ///< largest violation of |r_T| <= mu r_N, of r_N >= 0 or of a box [N·s]
    double dissipation; ///< largest |r_N w_N| + |r_T · w_T + mu r_N |w_T|| [J]
} gmc_judgement;

gmc_judgement gmc_judge_ncp(const gmc_ncp *problem, const gmc_ncp_scales *scales,
                            const gmc_ncp_solution *x);

/// @param w  (3 * unit_count) out: W r + q
gmc_judgement gmc_judge_dual(const gmc_dual *problem, const gmc_dual_scales *scales,
                             const double *r, double *w);

#endif

/// The linear complementarity problem, and the residual that judges its solutions:
///
///   w = M z + q,   0 <= z ⊥ w >= 0
///
/// What the polyhedral friction laws of [stewart1996] and [anitescu1997] make of a step (see
/// polyhedral.h). Source: [cottle1992] §1.
#ifndef GMC_ENGINE_PIVOTING_LCP_H
#define GMC_ENGINE_PIVOTING_LCP_H

#include <stddef.h>

/// Both arrays are the caller's and are only read. Entries should be of one order of magnitude:
/// scale the problem first.
typedef struct gmc_lcp {
    int size;
    const double *M; ///< (size x size) row-major, any matrix
    const double *q; ///< (size)
} gmc_lcp;

/// max_i |min(m z_i, w_i)| / max_i |q_i| with m the largest |M_ij| (gmc_lcp_scale), w recomputed
/// from z: 0 at a solution, and nothing changes if q and z grow alike, or M and q. NaN if z is not
/// finite. Where q = 0 it is not divided.
double gmc_lcp_residual(const gmc_lcp *problem, double m, const double *z);

/// w_i of one row.
static inline double gmc_lcp_answer(const gmc_lcp *problem, const double *z, int row)
{
    const double *M = problem->M + (size_t)row * (size_t)problem->size;
    double even = problem->q[row], odd = 0;
    int j = 0;
    for (; j + 1 < problem->size; j += 2) { // two sums: vector code
        even += M[j] * z[j];
        odd += M[j + 1] * z[j + 1];
    }
    if (j < problem->size) even += M[j] * z[j];
    return even + odd;
}

/// Largest |M_ij|.
double gmc_lcp_scale(const gmc_lcp *problem);

#endif

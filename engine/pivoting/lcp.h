/// The linear complementarity problem, and the residual that judges its solutions:
///
///   w = M z + q,   0 <= z ⊥ w >= 0
///
/// What the polyhedral friction laws of [stewart1996] and [anitescu1997] make of a step (see
/// polyhedral.h). Source: [cottle1992] §1.
#ifndef GMC_ENGINE_PIVOTING_LCP_H
#define GMC_ENGINE_PIVOTING_LCP_H

#include <math.h>
#include <stddef.h>

/// Both arrays are the caller's and are only read. Entries should be of one order of magnitude:
/// scale the problem first.
typedef struct gmc_lcp {
    int size;
    const double *M; ///< (size x size) row-major, any matrix
    const double *q; ///< (size)
} gmc_lcp;

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
static inline double gmc_lcp_scale(const gmc_lcp *problem)
{
    double largest = 0;
    for (size_t k = 0; k < (size_t)problem->size * (size_t)problem->size; k++) {
        double x = fabs(problem->M[k]); // a NaN is not larger
        largest = x > largest ? x : largest;
    }
    return largest;
}

/// max_i |min(m z_i, w_i)| / max_i |q_i| with m the largest |M_ij| (gmc_lcp_scale), w recomputed
/// from z: 0 at a solution, and nothing changes if q and z grow alike, or M and q. NaN if z is not
/// finite. Where q = 0 it is not divided.
static inline double gmc_lcp_residual(const gmc_lcp *problem, double m, const double *z)
{
    double size = 0, worst = 0;
    for (int i = 0; i < problem->size; i++) {
        double w = gmc_lcp_answer(problem, z, i), shift = m * z[i], q = fabs(problem->q[i]);
        double defect = fabs(shift < w ? shift : w);
        size = q > size ? q : size;
        if (!(w < HUGE_VAL) || !(w > -HUGE_VAL)) return NAN;
        worst = defect > worst ? defect : worst;
    }
    return size > 0 ? worst / size : worst;
}

#endif

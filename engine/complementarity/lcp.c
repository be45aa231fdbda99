#include "engine/complementarity/lcp.h"

#include <math.h>
#include <stddef.h>

double gmc_lcp_answer(const gmc_lcp *problem, const double *z, int row)
{
    const double *M = problem->M + (size_t)row * (size_t)problem->size;
    double w = problem->q[row];
    for (int j = 0; j < problem->size; j++)
        w += M[j] * z[j];
    return w;
}

double gmc_lcp_scale(const gmc_lcp *problem)
{
    double largest = 0;
    for (size_t k = 0; k < (size_t)problem->size * (size_t)problem->size; k++)
        largest = fmax(largest, fabs(problem->M[k]));
    return largest;
}

double gmc_lcp_residual(const gmc_lcp *problem, const double *z)
{
    double m = gmc_lcp_scale(problem), size = 0, worst = 0;
    for (int i = 0; i < problem->size; i++) {
        double w = gmc_lcp_answer(problem, z, i), defect = fabs(fmin(m * z[i], w));
        size = fmax(size, fabs(problem->q[i]));
        if (!(w < HUGE_VAL) || !(w > -HUGE_VAL)) return NAN;
        worst = fmax(worst, defect);
    }
    return size > 0 ? worst / size : worst;
}

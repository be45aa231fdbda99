#include "engine/pivoting/lcp.h"

#include <math.h>
#include <stddef.h>

double gmc_lcp_scale(const gmc_lcp *problem)
{
    double largest = 0;
    for (size_t k = 0; k < (size_t)problem->size * (size_t)problem->size; k++) {
        double x = fabs(problem->M[k]); // a NaN is not larger
        largest = x > largest ? x : largest;
    }
    return largest;
}

double gmc_lcp_residual(const gmc_lcp *problem, double m, const double *z)
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

#include "sampling/random/student.h"

#include "sampling/random/beta.h"
#include "sampling/random/normal.h"

#include <math.h>

double gmc_student_quantile(double freedom, double tail)
{
    if (freedom > 1e6) {
        // first terms of the expansion about the normal law [abramowitz1964, §26.7]; the next one
        // is below 1e-15 relative for any tail a double can hold that interests a user
        double z = -gmc_normal_quantile(tail), z2 = z * z;
        double first = z * (z2 + 1.0) / 4.0, second = z * ((5.0 * z2 + 16.0) * z2 + 3.0) / 96.0;
        return z + (first + second / freedom) / freedom;
    }
    // T²/(T² + ν) follows Beta(1/2, ν/2); both signs of T share its upper tail
    gmc_beta_point at = gmc_beta_quantile(0.5, 0.5 * freedom, 2.0 * tail, true);
    return sqrt(freedom * at.x / at.y);
}

double gmc_student_tail(double freedom, double t)
{
    double square = t * t, sum = freedom + square;
    gmc_beta_point at = {.x = square / sum, .y = freedom / sum};
    if (square > 0x1p900) at = (gmc_beta_point){.x = 1.0, .y = freedom / square};
    double half = 0.5 * gmc_beta_at(0.5, 0.5 * freedom, at).upper;
    return t > 0.0 ? half : 1.0 - half;
}

#include "sampling/estimate/moments.h"

#include "sampling/random/student.h"

#include <math.h>

void gmc_moments_add(gmc_moments *moments, double value)
{
    if (!isfinite(value)) {
        moments->not_finite++;
        return;
    }
    moments->least = moments->count ? fmin(moments->least, value) : value;
    moments->most = moments->count ? fmax(moments->most, value) : value;
    moments->count++;
    double before = value - moments->mean;
    moments->mean += before / (double)moments->count;
    moments->squares += before * (value - moments->mean);
}

gmc_interval gmc_moments_interval(const gmc_moments *moments, double level)
{
    if (moments->count < 2) return (gmc_interval){.lower = -HUGE_VAL, .upper = HUGE_VAL};
    double n = (double)moments->count;
    double half =
        gmc_student_quantile(n - 1.0, 0.5 * (1.0 - level)) * gmc_moments_sd(moments) / sqrt(n);
    return (gmc_interval){.lower = moments->mean - half, .upper = moments->mean + half};
}

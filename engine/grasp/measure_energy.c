#include "engine/grasp/measure_energy.h"

#include "engine/math/elementary.h"

/// Trials in which less happens are measured by this: 1 g lifted by 0.1 mm [J].
static const double LEAST = 1e-6;

void gmc_measure_energy_step(const gmc_step_energy *step, gmc_measure_energy *sum)
{
    if (!step->is_known) sum->is_unknown = true;
    double given = step->drives + step->gravity;
    double gone = step->loss + step->scheme + step->kinetic_change + step->elastic_change;
    sum->steps++;
    sum->drives += fabs(step->drives);
    sum->gravity += step->gravity;
    sum->missing += given - gone;
    sum->scheme += step->scheme;
    sum->peak = gmc_max(step->kinetic, sum->peak);
}

void gmc_measure_energy_finish(const gmc_measure_energy *sum, double *balance, double *scheme,
                               double *size)
{
    *balance = *scheme = *size = NAN;
    if (sum->is_unknown || sum->steps == 0) return;
    *size = fmax(fmax(sum->drives, fabs(sum->gravity)), fmax(sum->peak, LEAST));
    *balance = sum->missing / *size;
    *scheme = sum->scheme / *size;
}

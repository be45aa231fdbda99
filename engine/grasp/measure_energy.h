/// Energy balance of a trial: of the bodies that have a free dof, from its start to the middle of
/// its last step (gmc_step_energy). Both columns are relative to the largest of: work of drives in
/// absolute value, change of potential energy, peak kinetic energy, 1e-6 J.
#ifndef GMC_ENGINE_GRASP_MEASURE_ENERGY_H
#define GMC_ENGINE_GRASP_MEASURE_ENERGY_H

#include "engine/contact/law.h"

typedef struct gmc_measure_energy {
    bool is_unknown; ///< some step did not say
    int steps;
    double drives;  ///< work in absolute value, summed step by step [J]
    double gravity; ///< its work [J]
    double peak;    ///< largest kinetic energy [J]
    double missing; ///< drives + gravity - loss - scheme - changes of energy [J]
    double scheme;  ///< taken by the scheme [J]
} gmc_measure_energy;

/// After an accepted step.
void gmc_measure_energy_step(const gmc_step_energy *step, gmc_measure_energy *sum);

/// @param balance  out: what is missing, < 0: what there is too much, relative; NaN: not known [-]
/// @param scheme   out: what the scheme took, < 0: what it gave, relative; NaN: not known [-]
/// @param size     out: what they are relative to; NaN: not known [J]
void gmc_measure_energy_finish(const gmc_measure_energy *sum, double *balance, double *scheme,
                               double *size);

#endif

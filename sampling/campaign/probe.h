/// One trial at values of one's own, without chance, files or workers: what `check` and `new` try
/// out before there is a run.
#ifndef GMC_SAMPLING_CAMPAIGN_PROBE_H
#define GMC_SAMPLING_CAMPAIGN_PROBE_H

#include "sampling/build/build.h"

/// Zero-initialised but for scenario and build; gmc_probe_free gives back what it took.
typedef struct gmc_probe {
    const gmc_scenario *scenario; ///< resolved
    const gmc_build *build;       ///< of this scenario, compiled
    int object;                   ///< of the scenario's objects
    const double *believed;       ///< (parameter_count) by the robot; NULL: what is true
    gmc_arena trial, scratch, record;
    gmc_ode *ode;
    gmc_rollout_input input;   ///< of the last trial: its model, program, options; bends of those
                               ///< that gmc_probe_run ran
    gmc_trajectory trajectory; ///< of the last trial that was recorded, a row a step
    gmc_rollout_result found;
    double *measures; ///< (column_count) what found.values points to
} gmc_probe;

/// Run a trial at `values`.
/// @param values       (parameter_count)
/// @param time_limit   it ends then at the latest, as unsolved (GMC_REASON_TIME_LIMIT); +inf: the
///                     scenario's [s]
/// @param is_recorded  keep its motion in probe->trajectory
/// @return GMC_OK (probe->found has the result), GMC_E_INPUT: values that are not good together;
///         GMC_E_MEMORY, GMC_E_LIMIT
GMC_MUST_CHECK gmc_status gmc_probe_run(gmc_probe *probe, const double *values, double time_limit,
                                        bool is_recorded);

/// Look at the start alone: probe->found says whether bodies overlap, probe->input has the model.
/// @return as above
GMC_MUST_CHECK gmc_status gmc_probe_start(gmc_probe *probe, const double *values);

/// The first time in a trial that the hand, or without a hand the object, touches something.
typedef struct gmc_probe_touch {
    bool is_found;
    double time;        ///< [s]
    int phase;          ///< of the program
    int geom_a, geom_b; ///< of the model
    gmc_vec3 point;     ///< in the world [m]
} gmc_probe_touch;

/// Run the trial at `values` as far as that; probe->input has the model.
/// @return as above
GMC_MUST_CHECK gmc_status gmc_probe_first_touch(gmc_probe *probe, const double *values,
                                                gmc_probe_touch *touch);

void gmc_probe_free(gmc_probe *probe);

#endif

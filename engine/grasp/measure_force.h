/// Normal forces between two bodies as their impulse over a stated time: the last 8 ms, or the last
/// step where that is longer.
#ifndef GMC_ENGINE_GRASP_MEASURE_FORCE_H
#define GMC_ENGINE_GRASP_MEASURE_FORCE_H

#include "engine/contact/law.h"
#include "engine/grasp/measure_window.h"

/// Two bodies that pressed on each other within the window.
typedef struct gmc_measure_force_pair {
    int a, b;                                 ///< bodies, a < b
    int idle;                                 ///< kept steps since there was an impulse
    double impulse[GMC_MEASURE_WINDOW_STEPS]; ///< normal, of each kept step [N·s]
    double force;                             ///< over the window [N]
} gmc_measure_force_pair;

/// What is remembered of the forces of a rollout; in the trial arena.
typedef struct gmc_measure_force {
    int count, capacity;
    double most; ///< largest force between two bodies now [N]
    gmc_measure_force_pair *pairs;
} gmc_measure_force;

/// @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_measure_force_create(const gmc_model *model, gmc_arena *arena,
                                                   gmc_measure_force *forces);

/// After an accepted step that the window knows.
/// @param is_new  gmc_measure_window_open of this step
/// @return forces->most
double gmc_measure_force_step(const gmc_world *world, const gmc_measure_window *window, bool is_new,
                              gmc_measure_force *forces);

#endif

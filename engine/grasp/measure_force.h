/// Normal forces between two bodies as their impulse over a stated time: the last 8 ms, or the last
/// step where that is longer. The force of one step alone is no property of what happens: an impact
/// is over within one, so it is m v over the step, and steps differ.
#ifndef GMC_ENGINE_GRASP_MEASURE_FORCE_H
#define GMC_ENGINE_GRASP_MEASURE_FORCE_H

#include "engine/contact/law.h"

/// Over which an impulse counts as a force [s]. In the texts of measure_columns.c, too.
static const double GMC_MEASURE_FORCE_WINDOW = 8e-3;

/// Steps that are kept: neighbours that are both shorter than a 32nd of the window are put
/// together, so two of those that are kept are longer than it.
enum { GMC_MEASURE_FORCE_STEPS = 66 };

/// Two bodies that pressed on each other within the window.
typedef struct gmc_measure_force_pair {
    int a, b;                                ///< bodies, a < b
    int idle;                                ///< kept steps since there was an impulse
    double impulse[GMC_MEASURE_FORCE_STEPS]; ///< normal, of each kept step [N·s]
    double force;                            ///< over the window [N]
} gmc_measure_force_pair;

/// What is remembered of the forces of a rollout; in the trial arena.
typedef struct gmc_measure_force {
    double length[GMC_MEASURE_FORCE_STEPS]; ///< that impulses of each kept step acted over [s]
    int at, kept;                           ///< the latest of them, and how many there are
    int count, capacity;
    gmc_measure_force_pair *pairs;
} gmc_measure_force;

/// @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_measure_force_create(const gmc_model *model, gmc_arena *arena,
                                                   gmc_measure_force *forces);

/// After an accepted step whose impulses acted over `span` [s].
/// @return the largest force between two bodies now [N]
double gmc_measure_force_step(const gmc_world *world, double span, gmc_measure_force *forces);

#endif

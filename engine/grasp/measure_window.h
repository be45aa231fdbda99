/// The last 8 ms of a rollout, step by step, and sums over them. What one step alone says of forces
/// is no property of what happens: an impact is over within one, and steps differ.
#ifndef GMC_ENGINE_GRASP_MEASURE_WINDOW_H
#define GMC_ENGINE_GRASP_MEASURE_WINDOW_H

#include <stdbool.h>

/// Over which an impulse counts as a force [s]. In the texts of measure_columns.c, too.
static const double GMC_MEASURE_WINDOW = 8e-3;

/// Steps that are kept: neighbours that are both shorter than a 32nd of the window are put
/// together, so two of those that are kept are longer than it.
enum { GMC_MEASURE_WINDOW_STEPS = 66 };

typedef struct gmc_measure_window {
    double length[GMC_MEASURE_WINDOW_STEPS]; ///< that impulses of each kept step acted over [s]
    int at, kept;                            ///< the latest of them, and how many there are
} gmc_measure_window;

/// The next step, of length span > 0 [s]. @return false: it goes on with the one before
bool gmc_measure_window_open(double span, gmc_measure_window *window);

/// Sum over a window: of steps from where it ends back, the first and the last of them in part.
/// Zeros will do for what came before the first step.
/// @param impulses  (GMC_MEASURE_WINDOW_STEPS)
/// @param ago       that it ended before now, >= 0, less than the latest kept step [s]
/// @param time      out: that the sum is over: 8 ms, less before so much has passed, more of a step
///                  that is longer [s]
double gmc_measure_window_sum(const gmc_measure_window *window, const double *impulses, double ago,
                              double *time);

/// Three of them at once, the same bits for little more than the price of one.
void gmc_measure_window_sums(const gmc_measure_window *window, const double *const impulses[3],
                             double ago, double sums[3], double *time);

#endif

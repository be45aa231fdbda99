/// A surrogate of the margin: what it may be where no trial was, guessed from those that were run.
///
/// A spline (estimate/spline.h) through y = g/m, g the margin and m its median size among plain
/// draws, cut off at ±3 to keep infinite margins from bending it. Of trials it takes those nearest
/// to g = 0, where it has to be right, and some of all others, for which way is down. One of five
/// of the nearest is kept back, and says by how much the spline misses, τ (root mean square); so
/// that z fails with a probability of 1/(1 + exp(y(z)/0.6 τ)), a logistic law of that spread.
#ifndef GMC_SAMPLING_DESIGN_GUESS_H
#define GMC_SAMPLING_DESIGN_GUESS_H

#include "engine/base/status.h"
#include "sampling/explain/spline.h"

#include <stdbool.h>

/// Trials that were run.
typedef struct gmc_guess_seen {
    int count;
    int plain; ///< of them, the first, that are plain draws
    int dimensions;
    const double *points;  ///< (count, dimensions) standard normal
    const double *margins; ///< (count) NaN: unsolved
} gmc_guess_seen;

typedef struct gmc_guess {
    gmc_spline spline;
    double missed; ///< τ; NaN: no spline
} gmc_guess;

/// @param guess  out: gmc_guess_free; without a spline where trials are too few for one
/// @return GMC_OK, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_guess_make(const gmc_guess_seen *seen, gmc_guess *guess);

/// Is there a spline? Only then may the following be asked.
bool gmc_guess_is_made(const gmc_guess *guess);

/// y(z).
double gmc_guess_margin(const gmc_guess *guess, const double *z);

/// Probability of a failure at z; 0 below one in a hundred.
double gmc_guess_failure(const gmc_guess *guess, const double *z);

/// Accepts {0}.
void gmc_guess_free(gmc_guess *guess);

#endif

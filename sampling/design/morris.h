/// Points for elementary effects [morris1991]: trajectories that start anywhere and move one input
/// at a time, each once, in an order of their own.
///
///   row 0        start: every coordinate uniform in [0, 1)
///   row j        the j-th input in the trajectory's order has moved by Δ = 1/2, up from the lower
///                half of its range of probability, down from the upper
///
/// Departs from it: coordinates are continuous, not on a grid of p levels, so that an unbounded
/// distribution has no end to start from, and every row by itself is a plain draw (a move by 1/2
/// modulo 1 leaves the uniform law as it is). [morris1991] has Δ = p/(2(p − 1)), which tends to
/// 1/2.
#ifndef GMC_SAMPLING_DESIGN_MORRIS_H
#define GMC_SAMPLING_DESIGN_MORRIS_H

#include "sampling/design/hypercube.h"
#include "sampling/random/stream.h"

#include <stdbool.h>

/// Δ: what an input moves by, as a share of its probability.
#define GMC_MORRIS_STEP 0.5

/// Rows of a trajectory: inputs + 1.
static inline int gmc_morris_rows(int inputs) { return inputs + 1; }

/// In which row `input` is moved first: 1 ... inputs.
/// @param order  of this trajectory
static inline int gmc_morris_moved_in(int input, int inputs, gmc_stream order)
{
    return 1 + (int)gmc_hypercube_permuted((uint64_t)input, (uint64_t)inputs, order);
}

/// Does an input that starts at u move up?
static inline bool gmc_morris_is_up(double start) { return start < GMC_MORRIS_STEP; }

/// A coordinate in [0, 1) before or after its move.
static inline double gmc_morris_uniform(double start, bool has_moved)
{
    if (!has_moved) return start;
    return gmc_morris_is_up(start) ? start + GMC_MORRIS_STEP : start - GMC_MORRIS_STEP;
}

#endif

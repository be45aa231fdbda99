/// Latin hypercubes, each coordinate looked up by its number: of n points exactly one lies in each
/// of the n slices of every axis [mckay1979].
#ifndef GMC_SAMPLING_DESIGN_HYPERCUBE_H
#define GMC_SAMPLING_DESIGN_HYPERCUBE_H

#include "sampling/random/stream.h"

#include <stdint.h>

/// Image of `i` under a random permutation of 0 ... count − 1 that `coins` names.
/// @param count  1 <= count <= 2^40
uint64_t gmc_hypercube_permuted(uint64_t i, uint64_t count, gmc_stream coins);

/// Coordinate in [0, 1) of a point: uniform in the slice that a permutation of the axis gives it.
/// @param coins  of this parameter and this randomisation
double gmc_hypercube_uniform(uint64_t point, uint64_t count, gmc_stream coins);

#endif

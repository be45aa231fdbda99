/// Scrambled Sobol' points, each looked up by its number: points that fill the cube more evenly
/// than chance does, so that a mean over 2^m of them errs less than a mean over as many random
/// ones.
///
/// Owen's nested uniform scrambling [owen1995]: every digit of a coordinate is flipped or not, by a
/// coin that depends on all digits before it. Each point is then uniform in the cube (so a mean
/// over any of them is unbiased), the points together keep the evenness of the net, and scramblings
/// of other streams are independent (so several tell the error).
#ifndef GMC_SAMPLING_RANDOM_SOBOL_H
#define GMC_SAMPLING_RANDOM_SOBOL_H

#include "sampling/random/stream.h"

#include <stdint.h>

enum { GMC_SOBOL_DIMENSIONS = 128, GMC_SOBOL_BITS = 32 };

/// Coordinate of a point before scrambling, times 2^32: point 0 is the origin, the numbers are in
/// the order of the sequence (not of a Gray code).
/// @param dimension  0 <= dimension < GMC_SOBOL_DIMENSIONS
/// @param point      below 2^32
uint32_t gmc_sobol_digits(int dimension, uint64_t point);

/// Scrambled coordinate in [0, 1), a multiple of 2^-53.
/// @param coins  of this parameter and this randomisation; its indices below 2^33 are used up
double gmc_sobol_uniform(int dimension, uint64_t point, gmc_stream coins);

#endif

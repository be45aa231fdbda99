/// How many draws a wanted width takes, before any is made, if success has a probability p. Several
/// cases that share draws are taken to succeed and fail together: no study needs more.
#ifndef GMC_SAMPLING_ESTIMATE_NEEDED_H
#define GMC_SAMPLING_ESTIMATE_NEEDED_H

#include <stdbool.h>
#include <stdint.h>

/// Most draws that are looked for.
#define GMC_NEEDED_MOST INT64_C(1000000000)

/// Draws fixed beforehand: Wilson's interval, of several cases t over draws.
/// @param half_width  wanted: the interval is to be shorter than twice this, 0 < half_width < 1/2
/// @return GMC_NEEDED_MOST: so many or more
int64_t gmc_needed_fixed(double p, bool is_shared, double half_width, double level);

/// Draws until `run --until` stops: its confidence sequence (anytime.h) where successes come as
/// evenly as p lets them.
/// @return GMC_NEEDED_MOST: so many or more; of several cases a number above 1e7 is extrapolated
///         with the square of the width
int64_t gmc_needed_anytime(double p, bool is_shared, double half_width, double level);

#endif

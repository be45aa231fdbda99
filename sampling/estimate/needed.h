/// How many draws a wanted width takes, before any is made, from a guess of what they will be like.
#ifndef GMC_SAMPLING_ESTIMATE_NEEDED_H
#define GMC_SAMPLING_ESTIMATE_NEEDED_H

#include <stdbool.h>
#include <stdint.h>

/// Most draws that are looked for.
#define GMC_NEEDED_MOST INT64_C(1000000000)

/// What a run is taken to be like.
typedef struct gmc_needed {
    double p;            ///< success, 0 to 1
    int64_t case_count;  ///< >= 1
    bool is_independent; ///< cases do not share draws
    double agreement; ///< of several that do: correlation of two cases of a draw, 0 to 1. 1: they
                      ///< succeed and fail together, and no study needs more
} gmc_needed;

/// Draws fixed beforehand: Wilson's interval of all trials, of cases that share draws t over draws.
/// @param half_width  wanted: the interval is to be shorter than twice this, 0 < half_width < 1/2
/// @return GMC_NEEDED_MOST: so many or more
int64_t gmc_needed_fixed(const gmc_needed *guess, double half_width, double level);

/// Draws until `run --until` stops where successes come as evenly as the guess lets them: by the
/// interval of fixed_width.h, of several cases by the confidence sequence (anytime.h).
/// @return GMC_NEEDED_MOST: so many or more; of several cases a number above 1e7 is extrapolated
///         with the square of the width
int64_t gmc_needed_until(const gmc_needed *guess, double half_width, double level);

#endif

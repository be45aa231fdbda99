/// The likeliest way to fail: of all draws that fail the one that is most probable, by their inputs
/// as standard normal scores ("design point" [hasofer1974]).
///
/// Scores are those of ranks among all draws, Phi^-1((rank - 1/2)/n), so that no law of an input is
/// asked for; inputs that go along with each other (a correlation of scores beyond three standard
/// errors) are taken apart by Cholesky's factor, as their copula was made. The distance from the
/// middle is the length of what is left, and the density falls with it alone.
///
/// It is the nearest of the draws that there are: the true point is no farther but for what fails
/// very seldom, and how much nearer it may lie is told by the draws that lie nearer and do not
/// fail.
#ifndef GMC_SAMPLING_EXPLAIN_LIKELIEST_H
#define GMC_SAMPLING_EXPLAIN_LIKELIEST_H

#include "engine/base/status.h"

#include <stdint.h>

enum { GMC_LIKELIEST_AROUND = 10 };

typedef struct gmc_likeliest_rows {
    int64_t count;
    int inputs;
    const double *x; ///< (count, inputs); NaN: it has none, which is as its middle
} gmc_likeliest_rows;

typedef struct gmc_likeliest {
    int64_t row;     ///< -1: no member
    double distance; ///< from the middle, in standard deviations
    int64_t nearer;  ///< rows that lie nearer: none of them is a member
    /// Members near it, itself too: up to GMC_LIKELIEST_AROUND of those nearest to the middle,
    /// within 60 degrees of its direction.
    int64_t around[GMC_LIKELIEST_AROUND];
    int around_count;
} gmc_likeliest;

/// Distances of all rows, as directions.
/// @param y  out: (count, inputs) scores that do not depend on each other
/// @return GMC_OK, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_likeliest_scores(const gmc_likeliest_rows *rows, double *y);

/// @param y          as gmc_likeliest_scores left them
/// @param is_member  (count)
gmc_likeliest gmc_likeliest_of(const gmc_likeliest_rows *rows, const double *y,
                               const unsigned char *is_member);

#endif

/// Sobol' indices of an outcome f from a design of exchanged samples (design/exchange.h): which
/// share of its variance an input explains alone (first order), and which share vanishes only when
/// the input is known (total order: alone and together with others) [sobol1993; homma1996].
///
/// With a, b, ab (a, but this input of b) and ba (the reverse) of each block [azzini2021]:
///
///   V     = 1/4 mean [ (f(a) − f(b))² + (f(ba) − f(ab))² ]
///   S V   = 1/2 mean [ (f(ba) − f(b)) (f(a) − f(ab)) ]
///   T V   = 1/4 mean [ (f(b) − f(ba))² + (f(a) − f(ab))² ]
///
/// Interval: randomisations are independent, and an index is a ratio of sums over them: Student's
/// interval for a ratio as in cluster.h, about the estimate, all cut at 0 and 1, where no index is
/// beyond.
///
/// Points of a design are shared out evenly, so that an outcome with an edge next to 1/2, 1/4, ...
/// has the same sums in all randomisations, and their spread says nothing of it. What could be in
/// blocks that no randomisation shows is Clopper-Pearson's bound on a share of which none was seen;
/// each moves a sum by what lies between two blocks that are not 0, for which twice their root mean
/// square is taken. That half width, which falls with 1/blocks, and Student's are put together as
/// the root of the sum of their squares. (Without it two edges at 0.501 and 0.5 are held in half of
/// all studies of 512 blocks, most others having an interval of no width.)
///
/// An outcome of few values (success) that hardly ever changes with an input leaves nothing to
/// judge the error by. Where fewer than five blocks change (for the first order: change twice
/// over), the interval is widened to [0, bound], from Clopper-Pearson's bound on the share of such
/// blocks and the span of the outcome; flagged. Likewise at 1: where fewer than five blocks tell an
/// index from 1 (their parts of T V, or S V, and of V differ), the lower end is that of a bound on
/// the share of those.
///
/// An outcome of many values that is the same to the last bit in all blocks whatever the input is
/// has not been reached by it: `is_idle`. The bound stays, for it may do so where no block was.
#ifndef GMC_SAMPLING_EXPLAIN_INDICES_H
#define GMC_SAMPLING_EXPLAIN_INDICES_H

#include "engine/base/status.h"
#include "sampling/estimate/proportion.h"

#include <stdbool.h>
#include <stdint.h>

/// A number and what is known of it.
typedef struct gmc_index {
    double value;          ///< in the interval; NaN: the outcome did not vary, or varied too little
    gmc_interval interval; ///< [0, 1] if nothing can be said
    bool is_widened;
    bool
        is_idle; ///< gmc_indices_first, _total: the outcome has many values, the input changed none
} gmc_index;

/// Sums over the blocks of one randomisation, for one input.
typedef struct gmc_indices_sums {
    double first, total, variance;  ///< blocks times S V, T V, V
    double squares[2], products[2]; ///< parts of S V, T V squared, and by those of V
    double variance_squares;        ///< parts of V squared
    int64_t telling;                ///< blocks: where a part is not 0
    int64_t blocks;                 ///< with all four outcomes
    int64_t changing;               ///< of them: where the input changes the outcome of a or b
    int64_t agreeing;               ///< of them: where it changes both
    int64_t varying;                ///< of them: where a and b, or ab and ba, differ
    int64_t unlike;                 ///< of them: where a and b differ
    int64_t short_of[2];            ///< of them: that tell the first, total order from 1
} gmc_indices_sums;

typedef struct gmc_indices {
    int input_count, replica_count;
    gmc_indices_sums *sums; ///< (replica_count, input_count)
    double least, most;     ///< outcomes seen
} gmc_indices;

/// @return GMC_OK, GMC_E_MEMORY; gmc_indices_free in every case
GMC_MUST_CHECK gmc_status gmc_indices_create(gmc_indices *indices, int input_count,
                                             int replica_count);
void gmc_indices_free(gmc_indices *indices);

/// Take in a block.
/// @param replica   randomisation it belongs to
/// @param outcomes  (2 input_count + 2) in the order of design/exchange.h; NaN: not known, then
///                  what needs it is left out
void gmc_indices_add(gmc_indices *indices, int replica, const double *outcomes);

gmc_index gmc_indices_first(const gmc_indices *indices, int input, double level);
gmc_index gmc_indices_total(const gmc_indices *indices, int input, double level);

/// Blocks that tell something of this input.
int64_t gmc_indices_blocks(const gmc_indices *indices, int input);

/// Is there a randomisation with fewer than five blocks in which the outcome varies? Its sums are
/// then far from normal, and intervals may be too short.
bool gmc_indices_is_thin(const gmc_indices *indices);

#endif

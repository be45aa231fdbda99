/// The total over all cases of a run: trials in, in the order of their numbers, one estimate out.
/// Uses constant memory, whatever the number of trials.
///
/// - One case: the trials are independent; gmc_estimate_of, by the method asked for.
/// - Several cases on common draws: cluster.h, over complete draws. A draw is complete when all its
///   cases are there, solved or not; the trials of others (at the ends of a shard) are left out and
///   counted, because a part of the cases would stand for all.
/// - Several cases with draws of their own (`independent`): gmc_estimate_of on the pooled
///   count of complete draws. Each case has the same number of trials, so the count varies less
///   than a binomial one, and the interval errs on the long side.
#ifndef GMC_SAMPLING_ESTIMATE_POOLED_H
#define GMC_SAMPLING_ESTIMATE_POOLED_H

#include "sampling/estimate/anytime.h"
#include "sampling/estimate/cluster.h"

#include <stdbool.h>

typedef struct gmc_pooled {
    int64_t case_count;
    bool is_independent;
    gmc_cluster cluster;                   ///< complete draws
    uint64_t draw;                         ///< of the trials that came last
    gmc_tally current;                     ///< its trials so far
    int64_t passed;                        ///< and those that are not meant
    int64_t left_out;                      ///< trials of earlier draws that stayed incomplete
    gmc_anytime anytime;                   ///< of complete draws, if watched; else no cases
    gmc_tally replicas[GMC_REPLICAS_MOST]; ///< (replica_count) complete draws of each randomisation
    int replica_count;                     ///< 0: the design has none
} gmc_pooled;

/// Empty, for `case_count` >= 1 cases.
gmc_pooled gmc_pooled_start(int64_t case_count, bool is_independent);

/// From the first draw on keep the confidence sequence of this level too, for GMC_METHOD_ANYTIME.
void gmc_pooled_watch(gmc_pooled *pooled, double level);

/// Draw d belongs to randomisation d mod `count` of a design, for GMC_METHOD_REPLICAS.
/// @param count  from GMC_REPLICAS_LEAST to GMC_REPLICAS_MOST
void gmc_pooled_replicate(gmc_pooled *pooled, int count);

/// Take in the next trial. Draws must come one after the other, in any order, each with all its
/// trials together.
void gmc_pooled_add(gmc_pooled *pooled, uint64_t draw, gmc_verdict verdict);

/// The next trial is there, but not meant: of the draw it only makes the number complete. Not with
/// a confidence sequence of several cases, whose draws must be whole.
void gmc_pooled_pass(gmc_pooled *pooled, uint64_t draw);

/// @param  method  GMC_METHOD_ANYTIME (watched, at that level) or GMC_METHOD_REPLICAS (replicated);
///                 for independent trials else GMC_METHOD_WILSON or GMC_METHOD_CLOPPER_PEARSON;
///                 draws decide by themselves
gmc_estimate gmc_pooled_estimate(const gmc_pooled *pooled, double level, gmc_method method);

#endif

/// Which draws of a two-level run (estimate/two_level.h) are run at full fidelity too: a pilot of
/// pairs first, then as many more as the pilot says make the error smallest at equal work, and the
/// cheap level on all other draws. Pure bookkeeping.
///
/// The pilot's pairs count, without a bias: draws with even and with odd numbers are two halves,
/// and how many pairs one has follows from the pilot of the other alone. So the number of pairs of
/// a half is independent of all that they find, the mean difference over them is unbiased, and so
/// is the mean of both halves, at equal weights. Pairs behind the pilot are those with the lowest
/// numbers.
///
/// Tried before: the pilot only chooses, which takes 3 to 26 % more work for the same width (ten
/// kinds of pairs); one number from the whole pilot, its pairs weighed by their number, which
/// biases.
///
/// Of more levels the pilot is run at all of them. What a half has at each level follows from the
/// other's pilot in the same way, n_l ~ sqrt(V_l/C_l), V_l of the difference from the level below,
/// C_l the level's own work: draws of a level are among those of the level below, so that its pairs
/// cost no more. A level that would have fewer draws than one above it gets as many.
///
/// trial = draw * levels + level, the cheapest level 0.
#ifndef GMC_SAMPLING_DESIGN_PAIRS_H
#define GMC_SAMPLING_DESIGN_PAIRS_H

#include "engine/base/status.h"
#include "sampling/estimate/tally.h"
#include "sampling/estimate/two_level.h"

enum {
    GMC_PAIRS_DRAWS_MAX = 1 << 27,
    GMC_PAIRS_LEAST = 20, ///< pairs behind the pilot
    GMC_PAIRS_LEVELS_MOST = GMC_TWO_LEVEL_BETWEEN_MOST + 2
};

typedef struct gmc_pairs_plan {
    uint64_t draws; ///< of the cheapest level
    uint64_t pilot; ///< of them, first, at all; pilot + GMC_PAIRS_LEAST <= draws
    int levels;     ///< 2 ... GMC_PAIRS_LEVELS_MOST
} gmc_pairs_plan;

typedef struct gmc_pairs gmc_pairs;

/// @return GMC_OK, GMC_E_MEMORY, GMC_E_LIMIT (too many draws); *pairs is NULL unless GMC_OK
GMC_MUST_CHECK gmc_status gmc_pairs_create(const gmc_pairs_plan *plan, gmc_pairs **pairs);

/// Accepts NULL.
void gmc_pairs_free(gmc_pairs *pairs);

/// Take a trial in, once, in any order.
/// @param work  that it took, in any unit
void gmc_pairs_put(gmc_pairs *pairs, uint64_t trial, gmc_verdict verdict, double work);

/// Open the next stage.
/// @param trials  out: (count) rising, valid until the next call
/// @param count   out: 0 at the end
/// @return GMC_OK; GMC_E_MISSING: a trial of the stage before was not put; GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_pairs_next(gmc_pairs *pairs, const uint64_t **trials,
                                         uint64_t *count);

/// What all trials of the run found: cheap ones of all draws, pairs of the pilot and behind it.
gmc_two_level_counts gmc_pairs_counts(const gmc_pairs *pairs);

/// Successes of a level.
int64_t gmc_pairs_works(const gmc_pairs *pairs, int level);

/// Mean work of a trial at a level, 0 if there is none.
double gmc_pairs_work(const gmc_pairs *pairs, int level);

#endif

/// Two runs under the same chance, held against each other pair by pair: how much likelier the
/// second succeeds. Draws in, in the order of their numbers; one estimate out. Constant memory.
///
/// The pair is (case, draw). Intervals:
///   GMC_PAIRED_SCORE     pairs are independent (one case, or an `independent` study): Tango's
///   GMC_PAIRED_DRAWS     cases share draws: t over draws of x_d differences among n_d pairs,
///                          d = Σ x_d / Σ n_d,  se² = D/(D−1) Σ (x_d − d n_d)² / (Σ n_d)²
///                        as in cluster.h. Draws in which something changed may be few, and t too
///                        short: with fewer than five that went down (up), the lower (upper) end is
///                        moved out to Clopper-Pearson's bound on their share, for no draw moves by
///                        more than 1
///   GMC_PAIRED_REPLICAS  randomised designs: t over the differences of the randomisations; widened
///                        to hold the interval for random draws where one has fewer than five pairs
///                        that went up, or down
///   GMC_PAIRED_ANYTIME   one of the runs could stop because of what it saw: the confidence
///                        sequence of anytime.h for (d + 1)/2
///
/// Pairs of which a trial is unsolved are counted apart. `firm` is the interval that holds whatever
/// they would have been: its lower end takes them all against the second run, its upper end for it.
#ifndef GMC_SAMPLING_ESTIMATE_PAIRED_H
#define GMC_SAMPLING_ESTIMATE_PAIRED_H

#include "sampling/estimate/anytime.h"
#include "sampling/estimate/cluster.h"
#include "sampling/estimate/difference.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum gmc_paired_method {
    GMC_PAIRED_SCORE,
    GMC_PAIRED_DRAWS,
    GMC_PAIRED_REPLICAS,
    GMC_PAIRED_ANYTIME
} gmc_paired_method;

/// Pairs by what they say. Unsolved trials stand in none of the four.
typedef struct gmc_paired_cells {
    int64_t both, only_first, only_second, neither;
} gmc_paired_cells;

/// One draw: its pairs as they are, and with every unsolved trial taken against the second run, and
/// for it.
typedef struct gmc_paired_draw {
    gmc_paired_cells decided, worst, best;
} gmc_paired_draw;

/// Sums over draws; whole numbers, exact up to 2^53.
typedef struct gmc_paired_sums {
    gmc_paired_cells cells;
    int64_t draws;              ///< with at least one pair
    int64_t went_up, went_down; ///< draws with more pairs of one kind than of the other
    double ups, downs;          ///< Σ max(x, 0), Σ max(−x, 0)
    double xx, xn, nn;          ///< Σ x², Σ x n, Σ n²
} gmc_paired_sums;

typedef struct gmc_paired {
    gmc_paired_method method;
    double level;
    gmc_paired_sums decided, worst, best;
    gmc_anytime anytime;                         ///< GMC_PAIRED_ANYTIME
    gmc_paired_draw replicas[GMC_REPLICAS_MOST]; ///< (replica_count) GMC_PAIRED_REPLICAS
    int replica_count;
    bool is_shared; ///< several cases share a draw
} gmc_paired;

typedef struct gmc_paired_estimate {
    double difference;          ///< second minus first, of decided pairs; NaN without any
    gmc_interval interval;      ///< [−1, 1] if nothing can be said
    gmc_interval firm;          ///< whatever the unsolved trials would have been
    gmc_interval unsolved;      ///< the difference had they all gone against the second, for it
    gmc_paired_cells cells;     ///< decided pairs
    int64_t open;               ///< pairs with an unsolved trial
    int64_t units;              ///< pairs, draws or randomisations behind the interval
    int64_t went_up, went_down; ///< pairs, with shared draws draws, that speak of a difference
    double p_value;             ///< gmc_difference_mid_p of these
    bool is_widened;
} gmc_paired_estimate;

int64_t gmc_paired_count(gmc_paired_cells cells);

/// Count a pair in.
void gmc_paired_put(gmc_paired_draw *draw, gmc_verdict first, gmc_verdict second);

/// Empty.
/// @param case_count     pairs of a draw that are handed in together, >= 1
/// @param is_independent  they do not share chance
/// @param replica_count  randomisations of the design; 0: it has none
/// @param is_stopped     one of the runs could stop because of what it saw
gmc_paired gmc_paired_start(int64_t case_count, bool is_independent, int replica_count,
                            bool is_stopped, double level);

/// Take in the next draw: all its `case_count` pairs.
void gmc_paired_add(gmc_paired *paired, uint64_t number, const gmc_paired_draw *draw);

gmc_paired_estimate gmc_paired_estimate_of(const gmc_paired *paired);

#endif

/// Which places may the cases of a study have, if they are put in order of their success
/// probabilities? Confidence sets that hold together: with a probability of at least `level` the
/// true rank of every case lies in its own [mogstad2024].
///
///   lower = 1 + number of cases that are certainly better    (places from 1, the best)
///   upper = cases − number of cases that are certainly worse
///
/// "a is better than b" is claimed at a level at which all such claims hold together (Bonferroni
/// over cases or ordered pairs, half of 1 − level each), if one of these says so:
///
///   fixed number of draws    Clopper-Pearson's intervals apart; the exact sign test on the draws
///                            that both have had (gmc_duels)
///   looked at on the way     confidence sequences apart (anytime.h); the bet on D (gmc_duels)
///   randomised designs       paired t over the differences of the randomisations, at 1 − level;
///                            where these do not differ at all, Clopper-Pearson's intervals
///
/// Cases whose true probabilities are equal share their places: each set holds all of them.
#ifndef GMC_SAMPLING_ESTIMATE_RANKS_H
#define GMC_SAMPLING_ESTIMATE_RANKS_H

#include "engine/base/status.h"
#include "sampling/estimate/tally.h"

#include <stdbool.h>

/// What every case did on every draw: three bits each.
typedef struct gmc_duels gmc_duels;

/// Draws that two cases share.
typedef struct gmc_duels_counts {
    int64_t draws;
    int64_t first;  ///< the first case succeeded and the second failed
    int64_t second; ///< the second succeeded, or may have, where the first failed or may have
} gmc_duels_counts;

/// Empty. @return GMC_OK, GMC_E_MEMORY; gmc_duels_free in every case
GMC_MUST_CHECK gmc_status gmc_duels_create(int64_t case_count, gmc_duels **duels);

/// Accepts NULL.
void gmc_duels_free(gmc_duels *duels);

/// Take in a trial, once.
/// @return GMC_OK; GMC_E_MEMORY (draws are kept up to the largest)
GMC_MUST_CHECK gmc_status gmc_duels_add(gmc_duels *duels, int64_t case_index, uint64_t draw,
                                        gmc_verdict verdict);

/// Was it taken in?
bool gmc_duels_has(const gmc_duels *duels, int64_t case_index, uint64_t draw);

#define GMC_DUELS_ALL UINT64_MAX

/// Trials of a case, of its draws below `end`.
gmc_tally gmc_duels_tally(const gmc_duels *duels, int64_t case_index, uint64_t end);

/// Of draws below `end`. Claims for `first` over `second` count against it what is unsolved: not
/// symmetric.
gmc_duels_counts gmc_duels_count(const gmc_duels *duels, int64_t first, int64_t second,
                                 uint64_t end);

/// log W: the claim "first > second − margin" may be made at error α once this reaches log(1/α).
/// @param margin  in [0, 1)
double gmc_duels_log_wealth(gmc_duels_counts counts, double margin);

/// Probability of so many discordant draws for the first case, or more, if it is no better: p value
/// of the claim "first > second", for a number of draws that was fixed beforehand. 1 without any.
double gmc_duels_sign(gmc_duels_counts counts);

typedef struct gmc_ranks_of {
    int64_t count;             ///< cases that are ranked among each other, >= 1
    const int64_t *cases;      ///< (count) of them, as the duels number them
    bool is_anytime;           ///< the draws that they have had depend on what was seen
    int replica_count;         ///< randomisations of the design; 0: it has none
    const gmc_tally *replicas; ///< (cases of the duels, replica_count)
    double level;              ///< 0 < level < 1
} gmc_ranks_of;

typedef struct gmc_ranks_set {
    int64_t lower, upper; ///< 1 <= lower <= upper <= count
} gmc_ranks_set;

/// Cases compared pair by pair up to this number; more of them by their intervals alone, as if all
/// draws were random: the pairs of so many take a second.
enum { GMC_RANKS_PAIRS_MAX = 2000 };

/// @param sets  out: (count)
/// @return GMC_OK, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_ranks_find(const gmc_duels *duels, const gmc_ranks_of *of,
                                         gmc_ranks_set *sets);

/// Which cases may be among the `best`? With a probability of at least `level` all that truly are
/// are said to be. This asks for less than all places, and so excludes more: a case is out if as
/// many others are certainly better; of these claims only those for a case outside over one inside
/// can deceive, of which there are best (count − best) pairs, `best` upper ends and count − best
/// lower ones.
/// @param best  1 <= best < count
/// @param may   out: (count)
/// @return GMC_OK, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_ranks_best(const gmc_duels *duels, const gmc_ranks_of *of,
                                         int64_t best, bool *may);

#endif

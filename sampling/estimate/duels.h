/// Cases that met the same draws, two at a time. Which of two is better is decided by the draws on
/// which they differ: under common random numbers these are few, and a difference is known far
/// sooner than two separate intervals tell it.
///
///   D = X_a − X_b in {−1, 0, 1} on one draw        E D = p_a − p_b
///
/// - Looked at once, at a number of draws fixed beforehand: the exact sign test on the discordant
///   draws [mcnemar1947]; under p_a <= p_b the number of those that speak for a is at most
///   binomial(discordant, 1/2).
/// - Looked at any number of times: the wealth of one who bets on D + margin [waudbysmith2024],
///     W = mean over bets λ of  Π (1 + λ (D_i + margin)),    0 < λ < 1/(1 − margin)
///   is a supermartingale if E D <= −margin, hence reaches 1/α with a probability of at most α,
///   whenever it is looked at [ville1939]. It depends on three counts alone, so it matters neither
///   how many draws each case has had nor why: they share the draws that both have had.
///
/// Cases with chance of their own (`independent`) are paired by the number of their draw: all of
/// this holds for them too.
///
/// An unsolved trial of a counts as its failure and one of b as its success: what is claimed for a
/// holds whatever they would have been.
#ifndef GMC_SAMPLING_ESTIMATE_DUELS_H
#define GMC_SAMPLING_ESTIMATE_DUELS_H

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

#endif

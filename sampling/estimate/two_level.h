/// Success where many draws are run cheaply, and some of them at full fidelity too (multilevel
/// Monte Carlo with two levels or a few more, [giles2008]): the cheap ones say most, the pairs by
/// how much they err.
///
///   p = mean over N of c + mean over n of (f − c)
///
/// c is 1 where the cheap level says success, else 0 (unsolved too: any c will do); f the same of
/// the full one. The n pairs are among the N draws, chosen without a look at what their trials
/// found; then p is unbiased, however wrong the cheap level is.
///
/// Pairs of two halves of the draws, whose numbers n1 and n2 the other half chose (design/pairs.h):
/// the shares are the means of those of both halves, at the effective number 4/(1/n1 + 1/n2) of
/// pairs. Weights that follow from n1 and n2 would bias: who is chosen many for differs much.
///
/// The interval puts together those of its parts [zou2008]: Wilson's of the cheap share, and of the
/// shares of pairs that the full level gains (c = 0, f = 1) and loses (c = 1, f = 0) Clopper and
/// Pearson's, which hold for none and few:
///
///   δ = gained − lost
///   δ − L = √((g − l_g)² + (u_l − l)² − 2 ρ (g − l_g)(u_l − l))     likewise up
///   p − L = √((c − l_c)² + (δ − l_δ)² + 2 r (c − l_c)(δ − l_δ))     likewise up
///
/// ρ = −√(g l/((1 − g)(1 − l))) of a multinomial law, r = cov(c, f − c)/N over the standard errors
/// of both parts. Pairs whose full trial is unsolved count as failures for the lower end, as
/// successes for the upper one, and not at all for p.
///
/// A chain of levels c0, c1, ..., f corrects in steps: p = mean of c0 + the means of c1 − c0, ...,
/// f − c over pairs of their own. The draws of a level are among those of the level below, so its
/// variances and covariances are, with N_i draws of the i-th mean, C_ij/N_i for i < j; the ends are
/// joined over all of them as above. Of two differences at most −δ_i δ_j is taken for C_ij: no
/// trial makes their product positive. An unsolved trial between counts as no success in both
/// differences that it is in, which cancels.
#ifndef GMC_SAMPLING_ESTIMATE_TWO_LEVEL_H
#define GMC_SAMPLING_ESTIMATE_TWO_LEVEL_H

#include "sampling/estimate/proportion.h"

#include <stdbool.h>
#include <stdint.h>

enum { GMC_TWO_LEVEL_BETWEEN_MOST = 2 /**< levels between the cheapest and the full one */ };

/// Pairs of a part of the draws.
typedef struct gmc_two_level_half {
    int64_t pairs, lost, gained, open, open_works; ///< as in gmc_two_level_counts
    int64_t base_lost, base_gained; ///< of lost, gained: a success at the cheapest level
} gmc_two_level_half;

/// What the two levels found.
typedef struct gmc_two_level_counts {
    int64_t cheap, cheap_works;   ///< N draws, of them c = 1
    int64_t pairs;                ///< n, among these
    int64_t both;                 ///< of them c = f = 1
    int64_t lost, gained;         ///< c = 1, f = 0; c = 0, f = 1
    int64_t open, open_works;     ///< full trial unsolved; of these c = 1
    gmc_two_level_half halves[2]; ///< of the pairs, if they were chosen in halves; else 0
    int between; ///< levels between the cheapest and the full one; c of `pairs` is of the last
    gmc_two_level_half rises[GMC_TWO_LEVEL_BETWEEN_MOST][2]; ///< pairs of these and those below
} gmc_two_level_counts;

typedef struct gmc_two_level_estimate {
    double p;                              ///< NaN without pairs
    gmc_interval interval;                 ///< [0, 1] without pairs
    double unsolved_lower, unsolved_upper; ///< p had all unsolved pairs failed, succeeded
    double deviation;                      ///< standard error of p
} gmc_two_level_estimate;

/// @param level  0 < level < 1
gmc_two_level_estimate gmc_two_level_estimate_of(const gmc_two_level_counts *counts, double level);

/// Pairs for each cheap draw that make the error smallest at equal work, from what a pilot of pairs
/// found: √(V(f − c) k_c / (V(c) k_f)), at most 1; c in V(c), k_c are of the cheapest level. Counts
/// are taken with half a pair more of either kind, so that a pilot without a difference is not
/// taken for proof.
/// @param cheap_cost,full_cost  work of a trial at each level, > 0
double gmc_two_level_share(const gmc_two_level_counts *pilot, double cheap_cost, double full_cost);

/// Full trials alone that would give as short an interval (Wilson's), over those that the work of
/// all levels would have paid for: how many times less work it was.
/// @param costs  (counts->between + 2) work of a trial at each level, the cheapest first
double gmc_two_level_gain(const gmc_two_level_counts *counts, double level, const double *costs);

#endif

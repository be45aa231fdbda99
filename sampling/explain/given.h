/// First-order Sobol' indices from draws that were made for another purpose [plischke2013]: which
/// share of an outcome's variance is between groups of draws with neighbouring values of an input.
///
///   S = 1 − within / V,   within = Σ_groups n_g s_g² / n,   V = Σ (y − ȳ)² / (n − 1)
///
/// with s_g² the variance within a group of n_g, over n_g − 1. n draws, sorted by the input, in M
/// groups of equal size; equal values of the input stay together. Both variances are unbiased, so
/// that an input that does nothing has 0 on average; what varies within a group costs about S/M²
/// where the outcome is smooth: M = √n. Where the input has no end its tail lies in the last group,
/// and x³ + 3 y of normal x and y was held in 0.58 of studies of 1000 draws: of an outcome of many
/// values the first and the last group are cut in halves towards their ends, down to four draws
/// (0.93, with whether it is told: gmc_tail). An outcome of two values (success) has edges, and
/// where one of the values is rare all of it may lie in a few groups: a group then has k/25 draws
/// (at most √n) where k have the rarer value, or four if that leaves ten groups' worth of them.
/// Below
/// GMC_GIVEN_RARE of them nothing is told.
///
/// Interval: from the standard error by the spread of the estimate's influence function
///
///   ( 2 y m(x) − m(x)² − S y² ) / V         y from its mean, m(x): mean of the group's other draws
///
/// With m taken without the draw itself the spread has the noise of the group means in it, which is
/// all there is where S is 0. Normal, about the estimate cut at 0 and 1; the upper end is farther
/// by twice what groups twice as large cost more: three times what these do if the outcome is
/// smooth, half to as much as these do where it has an edge or a tail in a group. Of two values, q
/// the share of the rarer, R = q + S (1 − q) is the probability that a neighbour of a draw with the
/// rarer value has it too: Jeffreys' interval [brown2001] of R at the effective number of pairs
/// R (1 − R) / Var R [korn1998], no more than there are; and the upper end is farther, in the mean
/// square, by what the two groups that vary most do more than groups do: edges may be in them. Of
/// three to six values likewise (a count of contacts), with two groups for each value but one, and
/// groups of half the size.
///
/// The draws must be independent of each other and represent what is asked about; with inputs that
/// depend on each other the index of one has what it shares with others in it. The total order
/// cannot be told from them: design/exchange.h.
#ifndef GMC_SAMPLING_EXPLAIN_GIVEN_H
#define GMC_SAMPLING_EXPLAIN_GIVEN_H

#include "sampling/estimate/cluster.h"
#include "sampling/explain/indices.h"

/// Draws that an index needs: groups of five.
enum { GMC_GIVEN_LEAST = 25 };

/// Draws with the rarer of two outcomes that an index needs: in groups of three ten of them have
/// it.
enum { GMC_GIVEN_RARE = 30 };

typedef struct gmc_given_row {
    double input, outcome; ///< finite
    int64_t draw;          ///< orders rows with the same input: any unique number
} gmc_given_row;

/// Draws with the rarer of two outcomes; -1 if there are more outcomes than two, 0 if but one.
int64_t gmc_given_rarer(const gmc_given_row *rows, int64_t count);

/// @param rows  (count) sorted in place
/// @return NaN and [0, 1] for fewer than GMC_GIVEN_LEAST rows, fewer than GMC_GIVEN_RARE of one of
///         two outcomes, or if the outcome does not vary
gmc_index gmc_given_first(gmc_given_row *rows, int64_t count, double level);

/// @param rows           (count) sorted in place; draw d is of randomisation d mod replica_count
/// @param replica_count  from 2 to GMC_REPLICAS_MOST
/// @return NaN and [0, 1] for fewer than GMC_GIVEN_LEAST rows, fewer than GMC_GIVEN_RARE of one of
///         two outcomes, or if the outcome does not vary
gmc_index gmc_given_replicas_first(gmc_given_row *rows, int64_t count, int replica_count,
                                   double level);

/// m of fresh draws by bins of an input.
typedef struct gmc_given_bins {
    int64_t count;
    double *ends;   ///< (count − 1) rising: bin b holds ends[b − 1] < x <= ends[b]
    double *number; ///< (count) fresh draws
    double *sum;    ///< (count) of their m
    double *square; ///< (count) of its squares
} gmc_given_bins;

/// Bins whose ends are between neighbouring values of these draws.
/// @param rows  (count) sorted in place
/// @param most  bins, >= 1
/// @return GMC_OK, GMC_E_MEMORY; gmc_given_bins_free in every case
GMC_MUST_CHECK gmc_status gmc_given_bins_create(gmc_given_bins *bins, gmc_given_row *rows,
                                                int64_t count, int64_t most);

void gmc_given_bins_free(gmc_given_bins *bins);

/// A fresh draw.
void gmc_given_bins_add(gmc_given_bins *bins, double input, double m);

/// @param rows   (count) outcome: r; sorted in place
/// @param rarer  draws with the rarer of the two outcomes y, gmc_given_rarer
/// @param index  out: NaN and [0, 1] where gmc_given_first tells nothing
/// @return GMC_OK, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_given_surrogate_first(gmc_given_row *rows, int64_t count,
                                                    const gmc_given_bins *bins, int64_t rarer,
                                                    double level, gmc_index *index);

/// Is it to be taken in place of the index of the draws alone? Where its interval is shorter by a
/// tenth at least: of two that are about as long it would be luck which one is the shorter.
bool gmc_given_surrogate_is_better(gmc_index alone, gmc_index helped);

#endif

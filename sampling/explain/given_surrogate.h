/// First-order indices of success as given.h has them, from the same draws and a function m of a
/// draw's inputs (surrogate.h) that explains a part of the outcome. With h(x) the mean of m where
/// the input has this value, and r = y − m of draws that m was not fitted to:
///
///   E[E(y|x)²] = E[h²] + 2 E[h r] + E[E(r|x)²],   p = E[m] + E[r],
///   S = (E[E(y|x)²] − p²)/(p (1 − p))
///
/// which is so whatever m is worth. E[h²] and E[m] are of fresh draws, whose inputs alone are
/// looked at: as many as one likes. h is their mean in narrow bins, one for each trial; its square
/// that of pairs of a bin. E(r|x) is what given.h estimates, of r in place of y, in the same
/// groups: what varies within them is of r, so that groups blur only the part that m leaves.
///
/// Interval: from the spread of the influence function of S
///
///   ( 2 (h − p) r + 2 r ρ − ρ² − S (1 − 2p) r ) / (p (1 − p))     ρ: mean of the group's other r
///
/// with Student's t at the degrees of freedom of that spread (few draws may carry most of it) and
/// the fresh draws' own chance added. R = q + S (1 − q) is a share as in given.h: its ends are
/// those of effective.h, with one draw more of the rarer outcome allowed for. The upper end
/// is farther by what may be blurred: what the two groups and the two bins that vary most do more
/// than others, and groups twice as large more than these. Where that is more than what chance does
/// nothing is told. (Added in the mean square, without that limit, an index of 1 was held in 78 %
/// of 40 studies of 4096 draws where the function rises steeply at the edge.)
#ifndef GMC_SAMPLING_EXPLAIN_GIVEN_SURROGATE_H
#define GMC_SAMPLING_EXPLAIN_GIVEN_SURROGATE_H

#include "sampling/explain/given.h"

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
/// @param index  out: NaN and [0, 1] where given.h tells nothing
/// @return GMC_OK, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_given_surrogate_first(gmc_given_row *rows, int64_t count,
                                                    const gmc_given_bins *bins, int64_t rarer,
                                                    double level, gmc_index *index);

/// Is it to be taken in place of the index of the draws alone? Where its interval is shorter by a
/// tenth at least: of two that are about as long it would be luck which one is the shorter.
bool gmc_given_surrogate_is_better(gmc_index alone, gmc_index helped);

#endif

/// What all runs of a subset simulation come to: the probability of a failure with its interval,
/// beside what the plain draws of level 0 say of it.
///
/// Where there are aimed draws the estimate and its interval are theirs (estimate/aimed.h), unless
/// they are not told; where no trial of any level succeeded the estimate is 1, whatever the weights
/// come to. Else, with one run, there is no spread of the runs: both are those of the plain draws.
///
/// The interval is that of the spread between runs, and where a run found nothing bounded by the
/// plain draws (estimate/repeats.h), so that nothing found is an upper bound. Where all runs end at
/// level 0 the interval is that of the plain draws; where some do it holds theirs. Trials without a
/// margin may fail or not: the upper end of what is unsolved (gmc_subset_run.unsolved) is added to
/// the upper end.
///
/// Where no run found a failure there is only a bound. That of the chains may be far above that of
/// the plain draws (a margin that is the same in many trials ends them early, or far from where
/// anything fails): then the interval is what it has in common with the draws' at half the error,
/// 97.5 % for 95 %. It is never narrower than the draws' at the level itself, which alone is right.
///
/// Level 0 is a part of the runs, so the two hardly ever disagree by chance: intervals that have no
/// number in common, that of the plain draws at 99.9 %, say that the chains did not get to where
/// failures are. (At 95 % 3 of 200 answers about 1e-6 were refused: one hit of 14000.)
#ifndef GMC_SAMPLING_DESIGN_SUBSET_ANSWER_H
#define GMC_SAMPLING_DESIGN_SUBSET_ANSWER_H

#include "sampling/design/subset.h"
#include "sampling/estimate/repeats.h"

/// Fewer points a level than these, and the estimate is too high by more than some percent.
enum { GMC_SUBSET_POINTS_FEW = 500, GMC_SUBSET_RUNS_MAX = 64 };

/// Fewer runs than these, and their spread says little.
enum { GMC_SUBSET_RUNS_LEAST = 8 };

typedef struct gmc_subset_answer {
    gmc_repeats_estimate failure; ///< its interval holds the unsolved on either side
    double unsolved;              ///< probability of what is unsolved, mean of the runs
    int64_t draws;                ///< of level 0
    int64_t failing, open;        ///< of them: that failed, that are unsolved
    gmc_interval plain;           ///< Clopper-Pearson's of these, the unsolved on either side
    bool is_joined;               ///< nothing was found; `failure` is also bounded by the draws
    double chains;                ///< of it: the upper end without them
    bool is_contradictory;        ///< that of `failure` has no number in common with the draws'
    int64_t trials, open_trials;  ///< of all levels; of them unsolved
    bool is_aimed;                ///< `failure` is that of the aimed draws,
    bool is_plain;                ///< that of the plain draws of level 0
    gmc_repeats_estimate levels;  ///< what the levels say, without the unsolved
    gmc_aimed_estimate aimed;     ///< what the aimed draws say, without the unsolved,
    gmc_subset_aim_round last;    ///< and which they are; zeros: none
    int fewest, most;             ///< levels of a run
    int shorts, stucks; ///< runs without a level left; whose margins told too few points apart
} gmc_subset_answer;

/// @param subset  all of whose runs have ended, at most GMC_SUBSET_RUNS_MAX
gmc_subset_answer gmc_subset_answer_of(const gmc_subset *subset, double level);

#endif

/// Subset simulation: how likely is it that a margin falls below 0, where that is so rare that
/// plain draws never see it? [au2001]
///
///   P(g < 0) = P(g <= b1) P(g <= b2 | g <= b1) ... P(g < 0 | g <= bm)
///
/// Level 0 are `per_level` independent points in standard normal space. b is the largest of the
/// lowest tenth of their margins. Each further level starts from a tenth of the points, taken at
/// random from all with g <= b, and makes a Markov chain of ten points from each, which stays where
/// g <= b. So every factor is about a tenth, and is told by few trials. A level whose tenth is
/// below 0 is the last: its share below 0 is the last factor.
///
/// Where many points share the margin b, all of them go on alike. Would the lowest be preferred,
/// the starts were not distributed as the level is, ten steps do not mend that, and each level
/// pulls more failures in (2 to 9 times too many, where a margin is cut off at what a tenth
/// reaches). A level of which more than half go on gets nowhere: it is the last one, too.
///
/// The chains are those of conditional sampling [papaioannou2015]: a candidate ρ z + √(1 − ρ²) ξ
/// from the point z before it, ξ standard normal; it is the next point if its margin is not above
/// b, else z is once more. After every step 1 − ρ² is adapted so that 0.44 of the candidates are
/// taken [papaioannou2015, algorithm of adaptive conditional sampling].
///
/// A coordinate that chooses among few values (`is_discrete`) is kept, or, in every other step,
/// drawn anew by its law, which is a move of the same law as ρ z + √(1 − ρ²) ξ with ρ = 1 or 0.
/// Moved a little it would get stuck: a value of one in twenty is an interval of 0.13 standard
/// deviations, a chain that must not leave it takes steps as short, and then gets to no other
/// value. The length is adapted by the candidates in which no such coordinate was drawn anew.
///
/// All of it several times over, independently: the spread of these runs is the error, whatever the
/// chains' correlation (subset.c). Or, with `aimed` draws, fewer trials: the levels only
/// find where failures are, and importance draws behind them say how likely they are
/// (subset.c).
///
/// Pure bookkeeping: it says which trials come next and where they are, takes their margins, and
/// decides. One stage is one step of all chains of all runs, so decisions do not depend on the
/// order in which trials end, on workers or on interruptions; what the trials found leads to the
/// same points again, which need not be stored.
///
/// trial = (run * levels + level) * per_level + step * per_level / 10 + chain; in levels above 0,
/// step 0 is the start of a chain, which is not run again. In level 0, steps and chains are counted
/// alike. Aimed draws have the numbers behind all these.
#ifndef GMC_SAMPLING_DESIGN_SUBSET_H
#define GMC_SAMPLING_DESIGN_SUBSET_H

#include "engine/base/status.h"
#include "sampling/estimate/proportion.h"
#include "sampling/random/stream.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct gmc_aimed {
    int64_t draws, hits;
    double largest; ///< weight of a hit
    double sums[5]; ///< Σ (w y)^k
    double blind;   ///< Σ b w y, b: 1 of a draw where no failure was known of
} gmc_aimed;

/// Take in a draw.
/// @param is_blind  no failure was known of where it lies
void gmc_aimed_add(gmc_aimed *aimed, double weight, bool is_blind, bool is_hit);

typedef struct gmc_aimed_estimate {
    double p;              ///< clipped to [0, 1] and its interval
    double variation;      ///< standard error over p, not clipped; NaN without a hit
    double effective;      ///< hits of one weight that would tell as much, (Σ w y)²/Σ (w y)²
    double blind;          ///< share of p that was met where no failure was known of
    bool is_told;          ///< enough effective hits, and few of them blind
    gmc_interval interval; ///< [0, 1] unless is_told
} gmc_aimed_estimate;

/// Effective hits that make an interval.
enum { GMC_AIMED_LEAST = 10 };
/// Of p, that may be blind: what is met there by chance now is missed by chance elsewhere.
static const double GMC_AIMED_BLIND = 0.03;

gmc_aimed_estimate gmc_aimed_estimate_of(const gmc_aimed *aimed, double level);

typedef struct gmc_repeats_estimate {
    double p;              ///< mean of the repetitions
    double variation;      ///< standard error over p; NaN: p is 0, or one repetition
    gmc_interval interval; ///< [0, 1] of one repetition
    bool is_widened;       ///< a repetition found nothing
} gmc_repeats_estimate;

/// @param values  (count) probabilities, count >= 1
gmc_repeats_estimate gmc_repeats_estimate_of(const double *values, int count, double level);

/// What else the repetitions know.
typedef struct gmc_repeats_draws {
    int64_t hits, draws; ///< plain draws of all repetitions, and how many of them hit
    double reached;      ///< how likely their last set of points is, on average; 0 where that is
                         ///< plain draws
    int points;          ///< of that set in one repetition, which stands for all: they resemble
} gmc_repeats_draws;

/// The same, bounded by plain draws where a repetition found nothing; where all found nothing, also
/// by `reached` times Clopper's and Pearson's upper end for none of `points`.
gmc_repeats_estimate gmc_repeats_estimate_bounded(const double *values, int count,
                                                  const gmc_repeats_draws *draws, double level);

enum {
    GMC_SUBSET_AIM_ROUNDS = 4,
    GMC_SUBSET_AIM_LEAST = 60,      ///< draws of all rounds
    GMC_SUBSET_AIM_EXPLORED = 1000, ///< points that are looked for on a surrogate
};

/// One round.
typedef struct gmc_subset_aim_round {
    gmc_aimed failing; ///< a hit: margin below 0,
    gmc_aimed worst;   ///< or unsolved
    int components;    ///< of the mixture that was drawn from
    bool is_fitted;    ///< to a surrogate; else it lies around what failed
    double missed;     ///< what the surrogate misses scaled margins by, NaN: none
} gmc_subset_aim_round;

enum {
    GMC_SUBSET_STEPS = 10,           ///< points of a chain: one over the share that goes on
    GMC_SUBSET_TRIALS_MAX = 1 << 26, ///< largest number of addresses: each takes eight bytes
};

typedef struct gmc_subset_plan {
    int runs;       ///< >= 1
    int levels;     ///< of a run at most, >= 1
    int per_level;  ///< points, a multiple of GMC_SUBSET_STEPS
    int dimensions; ///< of a point, >= 1
    uint64_t seed;
    const bool *is_discrete; ///< (dimensions) coordinates that choose among few values; NULL: none
    int aimed;               ///< draws behind the levels: none, or >= GMC_SUBSET_AIM_LEAST
} gmc_subset_plan;

/// A stage: trials that may be run in any order, all of them before the next.
typedef struct gmc_subset_stage {
    const uint64_t *trials; ///< (count) rising; valid until the next call
    uint64_t count;         ///< 0: all is decided
} gmc_subset_stage;

/// A level of a run, once it is complete.
typedef struct gmc_subset_level {
    double threshold; ///< b of its points; of level 0 +inf
    double share;     ///< of its points that go on; of the last one below 0
    int failing;      ///< points with a margin below 0
    int64_t trials;   ///< run
    int64_t unsolved; ///< of them without a margin: they go no further
    double accepted;  ///< share of candidates taken; NaN for level 0
} gmc_subset_level;

/// A run, once it has ended.
typedef struct gmc_subset_run {
    int levels;         ///< that it has
    double probability; ///< P(g < 0), estimated
    double reached;     ///< probability of its last level's set
    double unsolved;    ///< probability of what has no margin, as its levels met it; see below
    bool is_short;      ///< fewer than a tenth of its last level are below 0: no level is left
    bool is_stuck;      ///< more than half of its last level have margins up to b >= 0
} gmc_subset_run;

typedef struct gmc_subset gmc_subset;

/// Number of addresses, or 0 if they are more than GMC_SUBSET_TRIALS_MAX.
static inline uint64_t gmc_subset_total(const gmc_subset_plan *plan)
{
    double levels = (double)plan->runs * (double)plan->levels * (double)plan->per_level;
    if (levels + plan->aimed > GMC_SUBSET_TRIALS_MAX) return 0;
    return (uint64_t)levels + (uint64_t)plan->aimed;
}

/// @return GMC_OK, GMC_E_MEMORY, GMC_E_LIMIT (too many trials); *subset is NULL unless GMC_OK
GMC_MUST_CHECK gmc_status gmc_subset_create(const gmc_subset_plan *plan, gmc_subset **subset);

/// Accepts NULL.
void gmc_subset_free(gmc_subset *subset);

/// Take a margin in, at any time, in any order. NAN: the trial is unsolved.
/// @param trial  < gmc_subset_total
void gmc_subset_put(gmc_subset *subset, uint64_t trial, double margin);

/// Decide what the stage before has shown and open the next one.
/// @return GMC_OK; GMC_E_MISSING: a trial of the stage before has no margin (nothing is decided,
///         the call may be repeated); GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_subset_next(gmc_subset *subset, gmc_subset_stage *stage);

/// All stages, from margins that are there already.
/// @return GMC_OK, GMC_E_MISSING, GMC_E_MEMORY
GMC_MUST_CHECK static inline gmc_status gmc_subset_decide(gmc_subset *s)
{
    gmc_subset_stage stage;
    gmc_status status = gmc_subset_next(s, &stage);
    while (status == GMC_OK && stage.count > 0)
        status = gmc_subset_next(s, &stage);
    return status;
}

/// Where a trial of the open stage is, in standard normal space. Reads only: workers may call it
/// while the stage is open.
/// @param point  out: (dimensions)
/// @return false if it is no trial of the open stage
bool gmc_subset_point(const gmc_subset *subset, uint64_t trial, double *point);

const gmc_subset_plan *gmc_subset_about(const gmc_subset *subset);

/// @param run  of one that has ended
gmc_subset_run gmc_subset_of_run(const gmc_subset *subset, int run);
gmc_subset_level gmc_subset_of_level(const gmc_subset *subset, int run, int level);

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
    int round_count;              ///< rounds of aimed draws that were run: all, or none
    gmc_subset_aim_round rounds[GMC_SUBSET_AIM_ROUNDS];
    int fewest, most;   ///< levels of a run
    int shorts, stucks; ///< runs without a level left; whose margins told too few points apart
} gmc_subset_answer;

/// @param subset  all of whose runs have ended, at most GMC_SUBSET_RUNS_MAX
gmc_subset_answer gmc_subset_answer_of(const gmc_subset *subset, double level);

#endif

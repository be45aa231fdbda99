/// How far success would move at half the step, and what of that belongs into its interval.
///
/// Of n trials that could be chosen, those that were are repeated at half the step, each with its
/// own chance q. y is 1 for a success, d what the repetition adds to it (-1, 0, +1), 0 where there
/// was none:
///
///   D = Σ d/q / n,    V = (Σ (d/q)² + z² v²) / n²                      [horvitz1952]
///
/// z² in V is what Wilson's interval adds: another verdict may turn yet (z²/n, as his of 0 of n).
/// v is 1 if one turned; where none did, the least 1/q of those that were repeated: 1 if trials
/// near the limit were chosen, and one over the share where every trial has the same chance, for
/// of a tenth that did not turn the whole says ten times less, and at least the largest 1/q of
/// those that nearly turned, whose distance from the limit changed by more than half of it: others
/// as far from it may turn. In the interval of D itself z² counts by w² in place of v², w the
/// largest 1/q of those that turned or nearly did, v at least: as far from the limit another one
/// may not have been met (with w = 1 it held 0.80 and 0.92 of 100 where verdicts turned up to a q
/// of 0.3, now 0.95 and 0.97 of 146).
/// Taken in with that, t would be less, and p's interval hold less. One that turns counts by one
/// over its chance: of trials that were cut short as failed or whose object was lost, which are
/// repeated with a chance q_c < 1 however near they are to the limit,
///
///   U = min(z²/q_c, those that were not repeated) / n
///
/// may turn unseen, and D may be larger by it. Of others, what is far from the limit is taken not
/// to turn. Errors of time stepping go with the step at first order, so that the limit of small
/// steps lies 2 D away. Of that a part t is taken in:
///
///   E = t² 4 V + 4 t cov(y, d/q)/n,
///   [p + 2tD − √((p − l)² + z² E),  p + 2tD + √((u − p)² + z² E + 4 s² U²)],
///
/// the hybrid of [zou2008] for a sum with its covariance. t is 1 where that lengthens the interval
/// by no more than a fifth, or D² > 6 V; else the largest for which it does not, or 1 − 2 V/D² if
/// that is larger: a change that does not stand out from chance would cost more than it mends, one
/// that does is taken in whatever it costs. (With D² > 4 V the limit is held in 0.91 of 1500 runs
/// in place of 0.78 where a fortieth of the trials turn, seen by one in five; but where as many
/// turn among those that are cut short it is 1.43 times as long as Wilson's, and holds no more.) s
/// is 1 where that is within the fifth, too, else the largest for which it is. The interval always
/// holds p.
#ifndef GMC_SAMPLING_ESTIMATE_STEP_SHIFT_H
#define GMC_SAMPLING_ESTIMATE_STEP_SHIFT_H

#include "sampling/estimate/estimate.h"

/// What a repetition at half the step found.
typedef enum gmc_step_look {
    GMC_STEP_NONE,   ///< there was none
    GMC_STEP_SAME,   ///< the same verdict
    GMC_STEP_NEARLY, ///< the same, but its distance from the limit changed by more than half
    GMC_STEP_OTHER,
    GMC_STEP_OPEN ///< the repetition is unsolved
} gmc_step_look;

/// Zero-initialised: empty.
typedef struct gmc_step_sums {
    int64_t trials;                ///< n
    int64_t repeated;              ///< of these
    int64_t lost, gained, open;    ///< of these: successes, failures that turned; unsolved
    double sum, squares;           ///< of d/q
    double heaviest;               ///< largest 1/q of those that turned; 0: none did
    double lightest;               ///< least 1/q of those that were repeated; 0: none was
    double nearly;                 ///< largest 1/q of those that nearly turned; 0: none did
    double successes;              ///< of y
    double mixed;                  ///< of y d/q
    double open_lower, open_upper; ///< of 1/q: successes, failures whose repetition is unsolved
    int64_t unseen;                ///< cut short as failed or lost, and not repeated
    double rarest;                 ///< largest 1/q of those that were cut short; 0: none
} gmc_step_sums;

/// Take in the next trial.
/// @param chance  with which it was chosen; 0: it could not be, and does not count
/// @param is_cut  was it cut short as failed, or lost?
void gmc_step_sums_add(gmc_step_sums *sums, gmc_verdict verdict, double chance, bool is_cut,
                       gmc_step_look look);

/// Fewest repetitions that say something.
enum { GMC_STEP_LEAST = 20 };

typedef struct gmc_step_shift {
    bool is_told;          ///< false: too few repetitions, and nothing else is known
    double change;         ///< D
    gmc_interval interval; ///< of it, D ± z √V, with U above and what is unsolved; no
                           ///< more than all successes, or failures, that there may be
    double taken;          ///< 2 t D
    double part;           ///< t
    double unseen_part;    ///< s
} gmc_step_shift;

/// @param alone  the estimate of the trials without it
gmc_step_shift gmc_step_shift_of(const gmc_step_sums *sums, const gmc_estimate *alone);

/// Take it into the interval, if it is told; the sampling's stays what it was.
void gmc_step_shift_widen(const gmc_step_sums *sums, gmc_estimate *estimate);

#endif

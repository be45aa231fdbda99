/// What a column of a trial that an early verdict cut short says of the whole trial: how it would
/// have gone on. FORMAT.md, "Trials decided early".
#ifndef GMC_SAMPLING_STORE_EXTENT_H
#define GMC_SAMPLING_STORE_EXTENT_H

#include "engine/grasp/measure.h"
#include "engine/grasp/success.h"
#include "engine/outcome.h"
#include "sampling/estimate/proportion.h"

#include <math.h>

/// How a column grows with the trial.
typedef enum gmc_growth {
    GMC_GROWTH_WHOLE,    ///< not: once it has a value it is the whole trial's
    GMC_GROWTH_AT_END,   ///< it is what there is at the end
    GMC_GROWTH_LARGEST,  ///< it rises
    GMC_GROWTH_SMALLEST, ///< it falls
    GMC_GROWTH_SPENT     ///< it rises as long as the trial runs, also while nothing moves
} gmc_growth;

/// What the rest of a shake that fades does to a column, once `borne` has decided.
typedef enum gmc_fading {
    GMC_FADING_MOVES, ///< it may still change
    GMC_FADING_SWAYS, ///< of the object in the hand, or a height: no, unless it swings there
    GMC_FADING_TOPS   ///< no: the hardest pulls, either way, are behind
} gmc_fading;

typedef struct gmc_extent {
    gmc_growth growth;
    gmc_fading fading;
    bool is_of_run; ///< it says how the trial was run (is_whole, decided_by, ...), not what a trial
                    ///< run to its end would have been: of such a trial it says nothing
    bool is_counted; ///< a measure, "held_by(object)", that counts things
} gmc_extent;

/// How a trial ended.
typedef struct gmc_ending {
    gmc_decision rule; ///< that ended it before its program did
    bool is_swinging;  ///< the object has turned so far in the hand that it may swing on
} gmc_ending;

/// Columns that tell it; -1: there is none.
typedef struct gmc_ending_columns {
    int decided_by, audit, slip_angle;
} gmc_ending_columns;

/// Of a column of /trials, by its name.
gmc_extent gmc_extent_of(const char *name);

gmc_ending gmc_extent_ending(const double *values, gmc_ending_columns columns);

/// Is what it says, if the trial ended so, what the whole trial would have said?
bool gmc_extent_is_final(gmc_extent course, gmc_ending ending);

/// What a value says of the whole trial, if it ended so.
gmc_interval gmc_extent_range(gmc_extent course, gmc_ending ending, double value);

/// Nothing is known of a number; it may also be NaN.
static inline gmc_interval gmc_extent_any(void) { return (gmc_interval){-HUGE_VAL, HUGE_VAL}; }

/// Range of a criterion's value. A quantity that stands in it twice counts as two, so that the
/// range may be wider than it need be, never narrower. Truth is [1, 1], falsehood [0, 0], either of
/// the two [0, 1].
/// @param values  ranges of the asked measures, infinite where they have no end; without NaN
gmc_interval gmc_extent_of_criterion(const gmc_compiled_criterion *criterion,
                                     const gmc_interval *values);

#endif

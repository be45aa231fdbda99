/// A short move that parts bodies which overlap at the start of a case or of a trial: of the hand's
/// fingers, of its target, or of the object's pose, as paths and numbers that a user can write.
#ifndef GMC_SAMPLING_CAMPAIGN_FREEING_H
#define GMC_SAMPLING_CAMPAIGN_FREEING_H

#include "sampling/build/build.h"

enum { GMC_FREEING_AXES = 3, GMC_FREEING_NUMBERS = 24, GMC_FREEING_TEXT_MAX = 1024 };

/// Where hand and object alone overlap, and fingers that start more open do not: that, each finger
/// by the same share of its way. Else the shortest move of the whole that was found: along one axis
/// if that is hardly longer than the shortest way, else along several. That none is shorter is not
/// proved. Numbers are rounded up to tenths of a millimetre or degree, and the start was looked at
/// again after the move. It frees and no more: whether a grasp reaches its object from there is not
/// said. Where no move of one of these leaves no overlap, one that leaves others as deep as a trial
/// accepts is taken.
typedef struct gmc_freeing {
    int count;                            ///< of parameters that change; 0: no move is known
    gmc_param param[GMC_FREEING_NUMBERS]; ///< positions
    double by[GMC_FREEING_NUMBERS];       ///< added to their values [m, of turning joints rad]
    gmc_vec3 along;                       ///< what the whole moves by, world [m]; 0: fingers do
    double left; ///< of the deepest overlap after it: what is accepted, of others than it moves [m]
} gmc_freeing;

/// @param case_index  of the start, whose bodies overlap
/// @param draw        of the trial whose start it is; NULL: that at nominal values
/// @param found       out: count 0 where no move of hand or object alone was found to part them
/// @return GMC_OK, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_freeing_find(const gmc_scenario *scenario, const gmc_build *build,
                                           int64_t case_index, const uint64_t *draw,
                                           gmc_freeing *found);

/// "hand.target.z by +7.3 mm", "hand.target.x by -1.5 mm, hand.target.z by +1.5 mm (2.1 mm along
/// (-0.71, 0, 0.71))", the direction in the world; "hand.left.start by -2.3 mm, hand.right.start by
/// -2.3 mm"; "" for no move.
const char *gmc_freeing_text(const gmc_freeing *move, const gmc_scenario *scenario,
                             char text[GMC_FREEING_TEXT_MAX]);

/// One demand on a move s: row . s >= depth.
typedef struct gmc_freeing_demand {
    double row[GMC_FREEING_AXES];
    double depth;
} gmc_freeing_demand;

/// The shortest s that meets all demands.
/// @param demands  (count) their rows have `axes` numbers
/// @param s        out: (axes)
/// @return whether one was found; false where demands contradict each other
bool gmc_freeing_least(const gmc_freeing_demand *demands, int count, int axes, double *s);

#endif

/// What is known of the cases of a race, and who is to run (private to race*.c).
#ifndef GMC_SAMPLING_DESIGN_RACE_INTERNAL_H
#define GMC_SAMPLING_DESIGN_RACE_INTERNAL_H

#include "sampling/design/race.h"

/// A case.
typedef struct gmc_race_entry {
    uint64_t draws, wanted; ///< asked for so far; to have been asked for after the next round
    uint64_t decided;       ///< asked for before the open round
    gmc_tally tally;
    double lower, upper; ///< L and U
    double score;        ///< by which the best are chosen
    double paired;       ///< draws that its open pairs take to be closed by betting
    int group, round;    ///< round: the last in which it runs
    int decided_round;   ///< the last before the open one
    bool is_best, is_open;
} gmc_race_entry;

/// A case that wants draws, and how far up it may be.
typedef struct gmc_race_claim {
    double upper;
    int64_t case_index;
} gmc_race_claim;

struct gmc_race {
    gmc_race_plan plan;
    gmc_duels *duels;
    gmc_race_entry *entries;  ///< (case_count)
    gmc_race_claim *claims;   ///< (case_count) scratch of the rule
    int64_t *best;            ///< (best) of the group that is looked at, worst first
    int64_t *sizes;           ///< (group_count) cases of each
    uint64_t *trials;         ///< of the open round
    uint64_t capacity, count; ///< count: 0 if none is open
    uint64_t used;
    int round; ///< the open one; -1: none yet
    gmc_race_end end;
};

/// Bounds and score of a case that ran in the open round.
void gmc_race_look(gmc_race *race, int64_t case_index);

/// Choose a group's best, and find its open pairs: is_best, is_open, wanted of its cases.
/// @return true if there are any
bool gmc_race_judge(gmc_race *race, int group);

#endif

/// A ranking that many run together, round by round. A round is a list of trials that follows from
/// the verdicts of the rounds before it, so whoever has the file of these knows the list; parts of
/// it are run apart, and merging them with that file (shards.h) makes the file of one round more:
///
///   start ──▶ parts of round 0 ──merge──▶ rounds 0 ──▶ parts of round 1 ──merge──▶ ... ──▶ result
///
/// A part names the file that it goes on after by its content digest: parts of other rounds, or
/// after another file, are not taken for it. The last merge gives the bytes of a run in one go.
#ifndef GMC_SAMPLING_SHARDS_ROUND_PART_H
#define GMC_SAMPLING_SHARDS_ROUND_PART_H

#include "sampling/store/result.h"

typedef struct gmc_round_part {
    gmc_race *race;         ///< owned
    gmc_store_round round;  ///< the open one, as a part of it has it
    char after[65];         ///< behind round.after
    const uint64_t *trials; ///< (count) of the part, rising
    uint64_t count;         ///< may be 0: the round has fewer trials than parts
} gmc_round_part;

/// The part of the open round that the plan's shard stands for: part i of n has the trials from
/// place (i − 1) count / n of the round's list on.
/// @param plan    of the whole ranking; its `round` is not looked at
/// @param after   file of the rounds that are finished; NULL: this is the first round
/// @param part   out; gmc_round_part_free in every case
/// @return GMC_OK; GMC_E_MISMATCH (another run's file, a part, a ranking that is finished), as
///         gmc_result_open, all reported; GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_round_part_open(const gmc_store_plan *plan, const char *after,
                                              gmc_diagnostics *messages, gmc_round_part *part);

void gmc_round_part_free(gmc_round_part *part);

/// Where a race stands after the trials that were put.
/// @param count  how many these are
/// @param open   out: the round that is open; count 0: the race has ended
/// @return GMC_OK; GMC_E_MISMATCH: they are not all that the rounds before ask for, and no others;
///         GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_round_part_stand(gmc_race *race, uint64_t count,
                                               gmc_race_round *open);

#endif

/// Results that are parts of one run, as one source of trials in the order of their numbers: what a
/// merged file is written from. One file is open at a time beside the first, so that a thousand
/// shards cost no more memory than one.
///
/// Of a ranking (gmc_round_part) the files are the parts of one round, and from the second round on
/// the file of the rounds before it.
#ifndef GMC_SAMPLING_SHARDS_SHARDS_H
#define GMC_SAMPLING_SHARDS_SHARDS_H

#include "sampling/store/result.h"
#include "sampling/store/writer.h"

typedef struct gmc_round_part {
    gmc_ranking *ranking;   ///< owned
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
static inline void gmc_round_part_free(gmc_round_part *part)
{
    gmc_ranking_free(part->ranking);
    *part = (gmc_round_part){0};
}

/// Where a ranking stands after the trials that were put.
/// @param count  how many these are
/// @param open   out: the round that is open; count 0: the ranking has ended
/// @return GMC_OK; GMC_E_MISMATCH: they are not all that the rounds before ask for, and no others;
///         GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_round_part_stand(gmc_ranking *ranking, uint64_t count,
                                               gmc_ranking_round *open);

typedef struct gmc_shards gmc_shards;

/// Look at all files: do they belong to one run, and do they make it up, each trial once?
/// Everything that is wrong is reported: files of another run with the first thing that differs
/// from the first file, trials that two files have, trials that none has.
/// @param paths     in any order; copied
/// @param messages  borrowed until gmc_shards_close
/// @return GMC_OK; GMC_E_MISMATCH; GMC_E_MISSING, GMC_E_INPUT (a file that is no result, or whose
///         trials are not those it was written with); GMC_E_MEMORY; *shards is NULL unless GMC_OK
GMC_MUST_CHECK gmc_status gmc_shards_open(const char *const *paths, int count,
                                          gmc_diagnostics *messages, gmc_shards **shards);

/// Of what files of one run share besides its seed and scenario: those that differ in it are not
/// merged.
gmc_digest gmc_shards_kind(const gmc_result_info *info);

/// Accepts NULL.
void gmc_shards_close(gmc_shards *shards);

/// All trials 0 ... total − 1, of a ranking those that were run; bodies, joints and geoms in the
/// order of the `names` of the first file.
/// @param plan    of a ranking; NULL: of another study
/// @param round   out, of a ranking: the round that is open after these, as a file of finished
///                rounds has it; not open: it is finished
/// @param source  out: borrowed from the shards
/// @return GMC_OK; GMC_E_MISMATCH: the trials are not those that its rounds ask for (reported);
///         GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_shards_source(gmc_shards *shards, const gmc_ranking_plan *plan,
                                            gmc_store_round *round, gmc_writer_source *source);

#endif

/// What the shards*.c files share.
#ifndef GMC_SAMPLING_SHARDS_SHARDS_INTERNAL_H
#define GMC_SAMPLING_SHARDS_SHARDS_INTERNAL_H

#include "sampling/shards/shards.h"
#include "sampling/store/journal.h"

/// One file, by what it holds.
typedef struct gmc_shards_part {
    char *path;
    uint64_t first, count;
    // of a ranking: where it stands, and what the file is
    bool is_open, is_part; ///< not finished; a part of the open round, not the rounds before it
    char after[65], content[65]; ///< digests: of the file before it, of its own trials
    gmc_journal_part which;      ///< its round; of a part: which of how many
} gmc_shards_part;

/// A trial of a ranking, which may stand anywhere.
typedef struct gmc_shards_trial {
    uint64_t trial;
    uint32_t part;
    uint32_t verdict; ///< gmc_verdict
} gmc_shards_trial;

struct gmc_shards {
    gmc_diagnostics *messages;
    gmc_result *reference;  ///< of the path that was given first
    gmc_shards_part *parts; ///< (part_count) in the order of their trials
    int part_count;
    uint64_t trajectory_count, row_count, contact_count;

    gmc_shards_trial *trials; ///< (trial_count) of a ranking, rising once all files are looked at
    int trial_count, trial_capacity;

    /// Of parts[at]; NULL: none. Of a ranking the second is that of the rounds before, whose trials
    /// lie between those of the parts
    gmc_result *open[2];
    int at[2];
    gmc_trial_copy trial;
    unsigned char *record;
    size_t capacity;
};

void gmc_shards_complain(gmc_shards *shards, const char *path, const char *hint,
                         const char *difference);

/// Take in a file of a ranking: its trials, and where it stands. Checks its content digest.
GMC_MUST_CHECK gmc_status gmc_shards_rounds_take(gmc_shards *shards, gmc_result *result,
                                                 gmc_shards_part *part);

/// Are these all parts of one round, and the file of the rounds before it? Reports what is not so.
/// @return GMC_OK (also then), GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_shards_rounds_check(gmc_shards *shards);

/// The file that has a trial of a ranking; −1: none has.
int gmc_shards_rounds_find(const gmc_shards *shards, uint64_t trial);

#endif

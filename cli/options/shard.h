/// Parts of a run: `--shard 3/64`, or the part that this task of a Slurm array stands for.
#ifndef GMC_CLI_OPTIONS_SHARD_H
#define GMC_CLI_OPTIONS_SHARD_H

#include <stdbool.h>
#include <stdint.h>

typedef struct gmc_shard {
    int index; ///< from 1; 0: the run is not sharded
    int count;
} gmc_shard;

/// Read "3/64", or "slurm": SLURM_ARRAY_TASK_ID among _MIN, _STEP and _COUNT, or without an array
/// SLURM_PROCID among SLURM_NTASKS (srun).
/// @return false: not such a text, or not in such a task; *shard unchanged
bool gmc_shard_parse(const char *text, gmc_shard *shard);

/// The trials of a part: contiguous, whole draws where there are at least as many draws as parts.
/// The parts cover [0, draws * cases), and their sizes differ by one draw (trial) at most.
/// @param first, count  out; count is 0 for a part that has nothing
void gmc_shard_range(gmc_shard shard, uint64_t draws, uint64_t cases, uint64_t *first,
                     uint64_t *count);

#endif

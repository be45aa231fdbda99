/// One trial as data: what goes from the worker that ran it to the sink that keeps it.
#ifndef GMC_SAMPLING_CAMPAIGN_TRIAL_H
#define GMC_SAMPLING_CAMPAIGN_TRIAL_H

#include "engine/rollout.h"
#include "sampling/estimate/tally.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A finished trial. Everything that the result file keeps of it, and nothing that depends on when,
/// where or on how many threads it ran.
typedef struct gmc_trial {
    uint64_t trial; ///< number: draw * cases + case
    uint32_t case_index;
    uint64_t draw;
    gmc_outcome outcome;
    gmc_reason reason;
    int phase;
    double t_end;
    double *values;  ///< (column_count) measures, in the order of the plan's columns
    double *samples; ///< (sample_count) values of the uncertain and studied parameters
    const gmc_trajectory *trajectory; ///< NULL: not kept
} gmc_trial;

/// A copy of a trial and of all it points to, in one block that grows to the largest trial seen and
/// is then used again. Zero-initialised means empty.
typedef struct gmc_trial_copy {
    gmc_trial trial;           ///< points into `memory`
    gmc_trajectory trajectory; ///< what trial.trajectory points to, if one is kept
    unsigned char *memory;
    size_t capacity; ///< bytes
} gmc_trial_copy;

/// How much a trial holds.
typedef struct gmc_trial_size {
    int column_count; ///< length of values
    int sample_count; ///< length of samples
    bool has_trajectory;
    int row_count, body_count, joint_count, contact_count; ///< of the trajectory
} gmc_trial_size;

/// Make room: the pointers of `copy` lead to arrays of this size, contents not defined; its numbers
/// are zero. The trajectory's capacities are its counts, arrays of no elements are NULL.
/// @return GMC_OK, GMC_E_MEMORY (the copy is then empty)
GMC_MUST_CHECK gmc_status gmc_trial_copy_reserve(gmc_trial_copy *copy, const gmc_trial_size *size);

/// Replace what `copy` holds by `trial`.
/// @param column_count  length of trial->values
/// @param sample_count  length of trial->samples
/// @return GMC_OK, GMC_E_MEMORY (the copy is then empty)
GMC_MUST_CHECK gmc_status gmc_trial_copy_set(gmc_trial_copy *copy, const gmc_trial *trial,
                                             int column_count, int sample_count);

/// Give the memory back; accepts a zeroed copy.
void gmc_trial_copy_free(gmc_trial_copy *copy);

/// What gmc_trial_copy_set would need for `trial`.
gmc_trial_size gmc_trial_size_of(const gmc_trial *trial, int column_count, int sample_count);

/// What a trial's outcome says about success.
gmc_verdict gmc_trial_verdict(gmc_outcome outcome);

#endif

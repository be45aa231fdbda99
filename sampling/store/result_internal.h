/// What the result*.c files share.
#ifndef GMC_SAMPLING_STORE_RESULT_INTERNAL_H
#define GMC_SAMPLING_STORE_RESULT_INTERNAL_H

#include "sampling/hdf5/h5_read.h"
#include "sampling/store/layout.h"
#include "sampling/store/result.h"

/// Rows of /trials and /samples that were read last, for those who ask trial by trial.
typedef struct gmc_result_window {
    uint64_t first, count;         ///< count 0: none
    unsigned char *rows, *samples; ///< owned; NULL before the first
} gmc_result_window;

struct gmc_result {
    char *path;
    gmc_h5_read file;
    gmc_result_info info;

    void **owned; ///< memory behind `info`, freed together
    int owned_count, owned_capacity;

    gmc_h5_field *fields; ///< of /trials; names belong to `owned`
    int field_count;
    gmc_h5_rows trials, samples;
    gmc_result_window window;
    unsigned char *index; ///< rows of /trajectories/index
};

/// Memory of `count` x `size` zeroed bytes that lives as long as the result; NULL without memory.
void *gmc_result_info_take(gmc_result *result, size_t count, size_t size);

/// Hand a malloc'ed block over to the result. @return false: no memory, and the block is freed
bool gmc_result_info_own(gmc_result *result, void *block);

/// Fill info, but for the trials and trajectories.
GMC_MUST_CHECK gmc_status gmc_result_info_read(gmc_result *result);

/// Open /trials and /samples, and read what stands in their attributes.
GMC_MUST_CHECK gmc_status gmc_result_open_trials(gmc_result *result);

/// Names and index of the trajectories.
GMC_MUST_CHECK gmc_status gmc_result_trajectory_open(gmc_result *result);

/// Row of the index for a trial; false if it has no trajectory.
bool gmc_result_trajectory_find(const gmc_result *result, uint64_t trial, uint64_t *row);

/// Size of the trajectory in a row of the index, checked against what is there.
GMC_MUST_CHECK gmc_status gmc_result_trajectory_size(gmc_result *result, uint64_t row,
                                                     gmc_trial_size *size);

/// Read it.
GMC_MUST_CHECK gmc_status gmc_result_trajectory_read(gmc_result *result, uint64_t row,
                                                     gmc_trajectory *path);

#endif

/// Parts of the writer that have files of their own.
#ifndef GMC_SAMPLING_STORE_WRITER_INTERNAL_H
#define GMC_SAMPLING_STORE_WRITER_INTERNAL_H

#include "sampling/campaign/trial.h"
#include "sampling/hdf5/h5.h"
#include "sampling/store/writer.h"

/// Names of all models in one list, in the order of their first appearance; and where each model
/// has them.
typedef struct gmc_writer_names {
    const char **names; ///< (count)
    int count;
    int **local; ///< (model_count) x (count): index in that model, -1: it has none
} gmc_writer_names;

/// Write /cases (writer_cases.c). @return GMC_OK, GMC_E_IO, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_writer_cases(gmc_h5 *h5, const gmc_store_plan *plan);

/// The dataset of an array, or of what it has of a body.
typedef struct gmc_writer_array {
    const gmc_trajectory_array *array;
    int body; ///< -1: it is of no body
    gmc_h5_stream stream;
} gmc_writer_array;

/// The datasets of /trajectories while they are filled.
typedef struct gmc_writer_paths {
    gmc_h5 *h5;
    const gmc_store_plan *plan;
    gmc_writer_names bodies, joints, geoms;
    gmc_h5_stream index;
    gmc_writer_array *arrays; ///< (array_count) in the order of the file
    int array_count;
    uint64_t rows, contacts; ///< so far
    double *entry;           ///< of a body, or of all joints
} gmc_writer_paths;

/// Create the datasets. gmc_writer_paths_close in every case.
GMC_MUST_CHECK gmc_status gmc_writer_paths_open(gmc_h5 *h5, const gmc_store_plan *plan,
                                                const gmc_writer_source *source,
                                                gmc_writer_paths *paths);

/// Append the trajectory of a trial, if it has one.
GMC_MUST_CHECK gmc_status gmc_writer_paths_put(gmc_writer_paths *paths, const gmc_trial *trial);

/// Write what is buffered, close, free. Accepts a zeroed struct.
GMC_MUST_CHECK gmc_status gmc_writer_paths_close(gmc_writer_paths *paths);

#endif

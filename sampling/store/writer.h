/// The result file, built in one go from finished trials in the order of their numbers: written
/// under a name of its own, read back and compared, synced, and only then renamed. At every instant
/// the file at `path` is complete, absent, or what was there before.
#ifndef GMC_SAMPLING_STORE_WRITER_H
#define GMC_SAMPLING_STORE_WRITER_H

#include "sampling/store/plan.h"

#include <stdatomic.h>

/// Where the writer gets its trials from.
typedef struct gmc_writer_source {
    void *context;
    /// Record (record.h) of a trial of the plan's range; valid until the next call.
    /// @return GMC_OK; GMC_E_MISSING: there is none; else as the source fails
    gmc_status (*read)(void *context, uint64_t trial, const unsigned char **record, size_t *bytes,
                       gmc_diagnostics *messages);
    /// Is there such a trial? With a ladder or a ranking only those that are there are written.
    bool (*has)(void *context, uint64_t trial);
    uint64_t trial_count;      ///< with these: how many there are
    uint64_t trajectory_count; ///< trials of the range that keep one
    uint64_t row_count;        ///< rows of all of them
    uint64_t contact_count;    ///< contacts of all of them
    /// Called after every trial with how many are written; NULL: nobody looks.
    void (*progress)(void *context, uint64_t done, uint64_t total);
    void *progress_context;
} gmc_writer_source;

/// Of the name under which it is built (beside.h).
#define GMC_WRITER_MARK "tmp"

/// Remove what killed writers of this path left behind, then write the file. Trials are read once,
/// in order; memory does not grow with their number.
/// @param path  replaced if it exists
/// @param stop  once true the writer gives up; NULL: never
/// @return GMC_OK; GMC_E_INPUT (plan, or a record that does not fit it); GMC_E_MISSING (a trial);
///         GMC_E_CREATE; GMC_E_IO; GMC_E_INTERRUPTED; GMC_E_MEMORY; messages name path and reason
GMC_MUST_CHECK gmc_status gmc_writer_write(const gmc_store_plan *plan,
                                           const gmc_writer_source *source, const char *path,
                                           const atomic_bool *stop, gmc_diagnostics *messages);

#endif

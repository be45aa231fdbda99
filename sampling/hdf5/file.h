/// The few system calls of the store that may fail half-way: complete writes, reads and syncs, and
/// messages that name the path.
#ifndef GMC_SAMPLING_HDF5_FILE_H
#define GMC_SAMPLING_HDF5_FILE_H

#include "engine/base/source.h"
#include "engine/base/status.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// The calls that tests make fail.
typedef struct gmc_file_io {
    ssize_t (*write)(int file, const void *data, size_t bytes);
    int (*sync)(int file);
} gmc_file_io;

/// write(2) and fsync(2).
extern const gmc_file_io gmc_file_system_io;

/// Write all bytes, however often the system takes only a part or is interrupted.
/// @return 0 or errno
int gmc_file_write(const gmc_file_io *io, int file, const void *data, size_t bytes);

/// Read from `offset`; fewer bytes than asked for only at the end of the file.
/// @return bytes read, -1: errno
ssize_t gmc_file_read_at(int file, void *data, size_t bytes, uint64_t offset);

/// Wait until the file survives a power cut. @return 0 or errno
int gmc_file_sync(const gmc_file_io *io, int file);

/// The same for the folder that `path` is in: a new or renamed file is safe only then.
/// @return GMC_OK, GMC_E_IO, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_file_sync_folder(const char *path, gmc_diagnostics *messages);

/// Report "path: what: reason of errno `error`" and return `status`.
gmc_status gmc_file_complain(gmc_diagnostics *messages, gmc_status status, const char *path,
                             const char *what, int error);

/// Open a file of our own beside an output, without following a link and without waiting for the
/// other end of a pipe: what stands under the name must be a regular file, or nothing.
/// @param flags  as of open(); O_CREAT for one that need not be there
/// @return the descriptor; < 0: errno says why, ELOOP of a link
int gmc_file_open_own(const char *path, int flags);

#endif

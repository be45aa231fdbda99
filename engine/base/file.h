/// Whole files as bytes, from the disk or from wherever the caller keeps them (a result file embeds
/// all files its scenario used, and replays from there).
#ifndef GMC_ENGINE_BASE_FILE_H
#define GMC_ENGINE_BASE_FILE_H

#include "engine/base/status.h"

#include <stddef.h>
#include <stdio.h>

/// Largest input file that is read at all [bytes]: no scene file comes near it, and every count in
/// a file of this size fits an int.
#define GMC_FILE_BYTES_MAX ((size_t)256 << 20)

/// The bytes of one file; `bytes[size]` is a zero beyond the end, so that text may be scanned.
typedef struct gmc_file {
    unsigned char *bytes; ///< malloc'd
    size_t size;
} gmc_file;

/// Where files come from. `load` fills an empty gmc_file for `path`, with the statuses of
/// gmc_file_read; the caller frees it. A NULL gmc_file_source means the disk.
typedef struct gmc_file_source {
    void *context;
    gmc_status (*load)(void *context, const char *path, gmc_file *file);
} gmc_file_source;

/// Open a file for reading, as fopen does. A pipe to which nobody writes is an empty file, and not
/// waited for; once it is open, reading waits for who does.
FILE *gmc_file_open(const char *path);

/// Read a file from the disk.
/// @param     file  filled on GMC_OK, to be freed with gmc_file_free; empty otherwise
/// @return GMC_OK, GMC_E_MISSING (not there, may not be read, or a folder), GMC_E_LIMIT (larger
///         than GMC_FILE_BYTES_MAX), GMC_E_IO, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_file_read(const char *path, gmc_file *file);

/// The same through `source`, or from the disk if that is NULL.
GMC_MUST_CHECK gmc_status gmc_file_load(const gmc_file_source *source, const char *path,
                                        gmc_file *file);

/// Free the bytes; accepts an empty one.
void gmc_file_free(gmc_file *file);

#endif

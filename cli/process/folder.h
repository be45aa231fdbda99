/// A folder of files that is there whole or not at all: it is made beside its place and renamed.
#ifndef GMC_CLI_PROCESS_FOLDER_H
#define GMC_CLI_PROCESS_FOLDER_H

#include "engine/base/source.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct gmc_folder_file {
    const char *name; ///< relative, without "." and ".." and with parts that are not empty
    const void *bytes;
    size_t size;
} gmc_folder_file;

/// Is this a name that stays within the folder?
bool gmc_folder_is_inside(const char *name);

/// @param path  must not exist; the folder above it must
/// @return GMC_OK; GMC_E_EXISTS, GMC_E_CREATE, GMC_E_IO (reported), GMC_E_INPUT (a name that leads
///         out of the folder, reported), GMC_E_MEMORY; nothing is left unless GMC_OK. What a killed
///         process left beside that path goes first
GMC_MUST_CHECK gmc_status gmc_folder_write(const char *path, const gmc_folder_file *files,
                                           int file_count, gmc_diagnostics *messages);

#endif
